"""Close the mean of a rational function of an eigenvalue by reading off its terms."""

from sympy import Add, Dummy, Mul, Pow, expand_mul

from ..nodes.average import Average
from ..nodes.named import Named, unname


def close_rational(integrand, law):
    """Return the mean of a rational integrand under a law, or None if it is not of the form.

    Each term must be ``coefficient * D**j / (a*D + b)**k``, companions entering linearly.  Only
    products are expanded: partial fractions to pure powers of ``1/(D+t)`` lose ten digits.
    """
    D = law.args[0]
    bound = set(law.bound_symbols)
    integrand = unname(integrand, lambda n: bool(n.free_symbols & bound))
    for companion, conditional_mean in law.args[3]:
        slope = integrand.diff(companion)
        if slope.free_symbols & (bound - {D}):      # of a product of companions no mean is known
            return None
        integrand = integrand.subs(companion, 0) + slope * conditional_mean
    sealed, opened = _seal(integrand, D)
    total = []
    for term in Add.make_args(expand_mul(sealed)):
        closed = _term(term, D, law)
        if closed is None:
            return None
        total.append(closed)
    return Add(*total).xreplace(opened)


def _seal(expr, D):
    """Hide everything that must not be expanded behind dummies: names, averages, coefficients of D."""
    opened = {}

    def walk(e):
        if isinstance(e, (Named, Average)):
            for dummy, value in opened.items():
                if value == e:
                    return dummy
            dummy = Dummy(f"sealed{len(opened)}", real=True)
            opened[dummy] = e
            return dummy
        if not e.args:
            return e
        return e.func(*[walk(a) for a in e.args])

    return walk(expr), opened


def _term(term, D, law):
    coefficient, j, k, base = [], 0, 0, None
    for factor in Mul.make_args(term):
        if D not in factor.free_symbols:
            coefficient.append(factor)
            continue
        root, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, 1)
        if getattr(power, "is_integer", isinstance(power, int)) is not True:
            return None
        if root == D and power > 0:
            j += int(power)
        elif power < 0 and (base is None or base == root):
            base, k = root, k - int(power)
        else:
            return None
    a = b = None
    if base is not None:
        a = base.diff(D)
        if D in a.free_symbols:
            return None
        b = base.subs(D, 0)
    return Mul(*coefficient, law.moment(j, k, a, b))
