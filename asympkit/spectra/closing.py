"""Close the mean of a rational function, or of a logarithm, of an eigenvalue, term by term."""

from sympy import Add, Dummy, Mul, Pow, expand_mul, log

from ..nodes.average import Average
from ..nodes.named import Named, unname

__all__ = ["close_rational", "only_eigenvalue"]


def close_rational(integrand, law):
    """Return the mean of a rational integrand, or a logarithm, under a law, or None if it is not of the form.

    Each term must be ``coefficient * D**j`` over powers of linear functions ``a*D + b``, or
    ``coefficient * log(a*D + b)``, companions entering linearly.  Only products are expanded: partial fractions to pure
    powers of ``1/(D+t)`` lose ten digits.
    """
    D = law.args[0]
    integrand = only_eigenvalue(integrand, law)
    if integrand is None:
        return None
    sealed, opened, inverses = _seal(integrand, D)
    if any(D in hidden.free_symbols for hidden in opened.values()):
        return None
    total = []
    for term in Add.make_args(expand_mul(sealed)):
        closed = _term(term, D, law, inverses)
        if closed is None:
            return None
        total.append(closed)
    return Add(*total).xreplace(opened)


def only_eigenvalue(integrand, law):
    """Replace companions by their conditional means; return None where they do not enter linearly."""
    D, bound = law.args[0], set(law.bound_symbols)
    integrand = unname(integrand, lambda n: bool(n.free_symbols & bound))
    for companion, conditional_mean in law.args[3]:
        slope = integrand.diff(companion)
        if slope.free_symbols & (bound - {D}):      # the mean of a product of companions is unknown
            return None
        integrand = integrand.subs(companion, 0) + slope * conditional_mean
    return integrand


def _seal(expr, D):
    """Hide everything that must not be expanded behind dummies: names, averages, denominators in D.

    Returns the expression, ``{dummy: name or average}`` and ``{dummy: denominator whose inverse it is}``.
    """
    opened, inverses = {}, {}

    def walk(e):
        if isinstance(e, (Named, Average)):
            for dummy, value in opened.items():
                if value == e:
                    return dummy
            dummy = Dummy(f"sealed{len(opened)}", **_sign(e))
            opened[dummy] = e
            return dummy
        if not e.args:
            return e
        if isinstance(e, Pow) and e.exp.is_Integer and e.exp < 0 and D in e.free_symbols:
            base = walk(e.base)
            dummy = next((d for d, known in inverses.items() if known == base), Dummy("inverse", positive=True))
            inverses[dummy] = base
            return dummy ** (-e.exp)
        return e.func(*[walk(a) for a in e.args])

    return walk(expr), opened, inverses


def _term(term, D, law, inverses):
    coefficient, j, below, logarithms = [], 0, {}, []
    for factor in Mul.make_args(term):
        root, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, 1)
        if root in inverses:
            below[inverses[root]] = int(power)
            continue
        if D not in factor.free_symbols:
            coefficient.append(factor)
            continue
        if getattr(power, "is_integer", isinstance(power, int)) is not True:
            return None
        if root == D and power > 0:
            j += int(power)
        elif isinstance(root, log) and power == 1:
            logarithms.append(root.args[0])
        else:
            return None
    lines = [(_line(root, D, law), k) for root, k in below.items()]
    if any(line is None for line, _ in lines):
        return None
    factors = [(a, b, k) for (a, b, _), k in lines]
    coefficient += [sign**k for (_, _, sign), k in lines]
    if logarithms:
        line = _line(logarithms[0], D, law)
        is_alone = line is not None and line[2] == 1 and len(logarithms) == 1 and not (j or below)
        value = law.log_mean(*line[:2]) if is_alone and not line[1].is_zero else None
    elif len(factors) > 1:
        value = law.product(j, factors)
    else:
        a, b, k = factors[0] if factors else (None, None, 0)
        value = law.moment(j, k, a, b)
    return None if value is None else Mul(*coefficient, value)


def _sign(expr):
    """Return the known sign of an expression, as assumptions of the symbol that replaces it."""
    return {"positive": True} if expr.is_positive else {"nonnegative": True} if expr.is_nonnegative else {"real": True}


def _line(root, D, law):
    """Return ``(a, b, sign)`` of a linear function ``sign*(a D + b)`` proved positive at every eigenvalue, or None.

    Elsewhere the resolvent has another branch: a zero may lie above the spectrum, or in it.
    """
    a = root.diff(D)
    if D in a.free_symbols:
        return None
    b = root.subs(D, 0)
    sign = -1 if b.is_negative or b.is_zero and a.is_negative else 1
    a, b = sign * a, sign * b
    # a zero at D = 0 is that of a mean which is finite for a ratio below 1, and comes out infinite at others
    return (a, b, sign) if a.is_nonnegative and (b.is_positive or b.is_zero and not law.has_atom) else None
