"""Evaluation of a tree together with what rounding can have done to it, so that noise is not taken for a sign.

Rounding errors are followed to first order.  A number below its noise counts as zero: a switch rests there, a
quotient by it is undefined, and the sign of a sum whose terms cancel is not invented.
"""

from ..numbers.functions import entry_of_text
from .catalogue import FUNCTIONS
from .grammar import numeric_definition, whole
from .to_mpmath import FLAT, HUGE, LIMITS, TURNS, Undefined, context
from .tree import Call, Chain, Compare, Const, Name, Neg, Num, Pow, Where

__all__ = ["InNoiseError", "with_noise"]

#: a value is told from zero above so many times its noise, whose bound is of first order only
_CLEAR = 1000


class InNoiseError(Undefined):
    """A part that must not vanish is less than its noise: more digits may give it a value."""


def with_noise(tree, values, digits=60):
    """Value of a tree and a bound of its rounding error to first order.

    Parameters
    ----------
    tree : node
    values : dict
        (number, its error) of each name.
    digits : int
        Working precision.

    Returns
    -------
    (mpmath.mpf, mpmath.mpf)
        The value is exactly 0 where it does not rise above its noise.

    Raises
    ------
    Undefined
        Where a part has no finite real value; :class:`InNoiseError` where that is known to so many digits only.
    """
    mp = context(digits)
    env = {name: (mp.mpf(value), mp.mpf(error)) for name, (value, error) in values.items()}
    return _Noisy(mp).run(tree, env)


def _undefined(node, noise):
    return InNoiseError(node) if noise else Undefined(node)


class _Noisy:
    def __init__(self, mp):
        self.mp, self.eps = mp, mp.eps

    def run(self, node, env):
        value, noise = self.plain(node, env)
        if not self.mp.isfinite(value):
            raise Undefined(node)
        if abs(value) <= _CLEAR * noise:
            value = self.mp.zero
        return value, noise

    def plain(self, node, env):
        mp, eps = self.mp, self.eps
        match node:
            case Num(value):
                number = mp.mpf(value.numerator) / value.denominator
                return number, (mp.zero if value.denominator == 1 else number * eps)
            case Const(name):
                number = +getattr(mp, name)
                return number, number * eps
            case Name(name):
                return env[name]
            case Neg(arg):
                value, noise = self.run(arg, env)
                return -value, noise
            case Chain(first, rest):
                return self.chain(first, rest, env)
            case Pow(base, exponent):
                return self.power(self.run(base, env), self.run(exponent, env), node)
            case Call("max" | "min" as name, args):
                parts = [self.run(arg, env) for arg in args]
                pick = max if name == "max" else min
                return pick(value for value, _ in parts), max(noise for _, noise in parts)
            case Call(name, (arg,)):
                x = self.run(arg, env)
                if name in FUNCTIONS:
                    return self.run(numeric_definition(name), {"z": x})
                own = getattr(self, "of_" + name, None)
                return own(*x, node) if own else self.of_list(name, (), [x], node)
            case Call(name, args):
                count = entry_of_text(name).orders
                orders = [whole(a) for a in args[:count]]
                return self.of_list(name, orders, [self.run(a, env) for a in args[count:]], node)
            case Where(Compare(op, left, right), yes, no):
                gap, _ = self.run(Chain(left, (("-", right),)), env)
                holds = {"<": gap < 0, "<=": gap <= 0, ">": gap > 0, ">=": gap >= 0, "==": gap == 0, "!=": gap != 0}
                return self.run(yes if holds[op] else no, env)
        raise TypeError(f"not a node of the syntax tree: {node!r}")

    def chain(self, first, rest, env):
        eps = self.eps
        total, noise = self.run(first, env)
        for op, arg in rest:
            part, error = self.run(arg, env)
            if op in "+-":
                total, noise = (total + part if op == "+" else total - part), noise + error
            elif op == "*":
                total, noise = total * part, abs(total) * error + abs(part) * noise + noise * error
            elif part == 0:
                raise _undefined(arg, error)
            else:
                total = total / part
                noise = (noise + abs(total) * error) / abs(part)
            noise += abs(total) * eps
        return total, noise

    def power(self, base, exponent, node):
        mp = self.mp
        (x, dx), (p, dp) = base, exponent
        if x == 0:
            if p < 0:
                raise _undefined(node, dx)
            return (mp.one, mp.zero) if p == 0 else (mp.zero, dx ** p if dx else mp.zero)
        if x < 0 and (dp or p != int(p)):
            raise Undefined(node)
        size = mp.log(abs(x)) * p
        if abs(size) > HUGE:
            raise Undefined(node)
        if abs(p) * dx > abs(x) / 2 or abs(mp.log(abs(x))) * dp > 0.5:
            raise InNoiseError(node)            # so large a noise is not of first order
        value = x ** p
        return value, abs(value) * (abs(p) * dx / abs(x) + abs(mp.log(abs(x))) * dp + (1 + abs(size)) * self.eps)

    def of_list(self, name, orders, arguments, node):
        """A function of the list: its noise from its values beside the point."""
        known, mp = entry_of_text(name), self.mp

        def at(*x):
            if any(abs(v) > FLAT for v in x):
                raise Undefined(node)
            try:
                found = known.at_digits(mp, *orders, *x)
            except (ValueError, ZeroDivisionError, mp.NoConvergence):
                raise Undefined(node) from None
            if isinstance(found, mp.mpc) or not mp.isfinite(found):
                raise Undefined(node)
            return found

        centre = [x for x, _ in arguments]
        value = at(*centre)
        noise = abs(value) * self.eps
        for k, (x, dx) in enumerate(arguments):
            for side in (x - dx, x + dx) if dx else ():
                noise += abs(at(*centre[:k], side, *centre[k + 1:]) - value)
        return value, noise

    # -- the functions of the grammar: value and noise from those of the argument --------------------------------

    def of_exp(self, x, dx, node):
        if x > HUGE:
            raise Undefined(node)
        if dx > 0.5 and x + dx > -1:
            raise InNoiseError(node)            # so large a noise is not of first order
        value = self.mp.exp(max(x, -HUGE))
        return (value if x >= -HUGE else self.mp.zero), value * (dx + self.eps)

    def of_expm1(self, x, dx, node):
        value, noise = self.of_exp(x, dx, node)
        value = self.mp.expm1(x) if abs(x) < 1 else value - 1
        return value, noise + abs(value) * self.eps

    def of_log(self, x, dx, node):
        if x <= 0:
            raise _undefined(node, x == 0 and dx)
        value = self.mp.log(x)
        return value, dx / x + abs(value) * self.eps

    def of_log1p(self, x, dx, node):
        if x <= -1:
            raise Undefined(node)
        value = self.mp.log1p(x)
        return value, dx / (1 + x) + abs(value) * self.eps

    def of_sqrt(self, x, dx, node):
        if x < 0:
            raise Undefined(node)
        if x == 0:
            return x, self.mp.sqrt(dx)
        value = self.mp.sqrt(x)
        return value, dx / (2 * value) + value * self.eps

    def of_sin(self, x, dx, node, name="sin"):
        if abs(x) > TURNS:
            raise Undefined(node)
        return getattr(self.mp, name)(x), min(dx, self.mp.one) + self.eps

    def of_cos(self, x, dx, node):
        return self.of_sin(x, dx, node, "cos")

    def of_tan(self, x, dx, node):
        cosine, noise = self.of_cos(x, dx, node)
        if abs(cosine) <= _CLEAR * noise:
            raise InNoiseError(node)
        value = self.mp.tan(x)
        return value, dx / cosine**2 + abs(value) * self.eps

    def of_sinh(self, x, dx, node, name="sinh"):
        if abs(x) > HUGE:
            raise Undefined(node)
        if dx > 0.5:
            raise InNoiseError(node)            # so large a noise is not of first order
        value = getattr(self.mp, name)(x)
        return value, (abs(value) + 1) * dx + abs(value) * self.eps

    def of_cosh(self, x, dx, node):
        return self.of_sinh(x, dx, node, "cosh")

    def of_tanh(self, x, dx, node):
        value = self.mp.tanh(x) if abs(x) < FLAT else self.limit("tanh", x)
        return value, min(1, 4 * self.mp.exp(-2 * min(abs(x), FLAT))) * dx + abs(value) * self.eps

    def of_asin(self, x, dx, node):
        room = 1 - abs(x)
        if room < -_CLEAR * (dx + self.eps):
            raise Undefined(node)
        room = max(room, self.mp.zero)
        value = self.mp.asin(x) if room else self.mp.sign(x) * self.mp.pi / 2
        return value, (dx / self.mp.sqrt(room) if room > dx else self.mp.sqrt(2 * dx)) + abs(value) * self.eps

    def of_atan(self, x, dx, node):
        value = self.mp.atan(x)
        return value, dx / (1 + x * x) + abs(value) * self.eps

    def of_erf(self, x, dx, node, name="erf"):
        value = getattr(self.mp, name)(x) if abs(x) < FLAT else self.limit(name, x)
        return value, 2 * self.mp.exp(-min(x * x, FLAT)) * dx + abs(value) * self.eps

    def of_erfc(self, x, dx, node):
        return self.of_erf(x, dx, node, "erfc")

    def limit(self, name, x):
        return self.mp.mpf(LIMITS[name][x > 0])

    def of_abs(self, x, dx, node):
        return abs(x), dx

    def of_sign(self, x, dx, node):
        return self.mp.sign(x), self.mp.zero

    def of_step(self, x, dx, node):
        return self.mp.mpf(int(x > 0)), self.mp.zero
