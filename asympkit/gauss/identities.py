"""Identities between means that have no closed form: fewer different integrals for tanh and its relatives.

With ``t = tanh(l)``, ``l = alpha + beta z``, one has ``t' = beta (1 - t^2)``, and by parts (Stein)
``E[z^i (t^j)'] = E[(z^(i+1) - i z^(i-1)) t^j]``: every power of t comes down to the first.  The sigmoid is
``(1 + t)/2`` at ``2 l``, and ``softplus(2 l)`` has the derivative ``beta (1 + t)``.
"""

from itertools import combinations

from sympy import Add, Pow, S, cancel, cosh, exp, factorial2, log, tanh

from ..nodes import Average, averages
from .measure import Gaussian
from .tanh_form import tanh_polynomial

_MOST = 8
"""Most averages of one argument for which every choice is tried."""


def reduce_means(expr):
    r"""Write Gaussian averages of tanh, sigmoid, silu and softplus through as few integrals as possible.

    Parameters
    ----------
    expr : Expr
        Holds averages over one normal whose integrands are polynomials in the variable, in
        ``tanh(alpha + beta*z)`` or the sigmoid of such an argument in any of its forms, and at most
        linear in the softplus.  Other averages are left alone.

    Returns
    -------
    Expr
        An equal expression.  Averages are rewritten only where that lowers the number of different
        integrals, so that tanh and sigmoid at ``a + b*z`` need two for the mean, the first and the second
        moment: ``E[tanh]`` and ``E[z*tanh]``, the latter being b times the derivative of the former by a.

    Notes
    -----
    ``doit`` of one average uses the same identities only where no integral is left at all.

    Examples
    --------
    >>> from asympkit import E
    >>> from sympy import Symbol, symbols, tanh
    >>> z, a = symbols("z a", real=True)
    >>> b = Symbol("b", positive=True)
    >>> t = tanh(a + b*z)
    >>> reduce_means(E(t**2, z) + E(z*t, z)) == E(z*t, z) + 1 - E(z*t, z)/b
    True
    """
    groups = {}
    for average in averages(expr):
        if isinstance(average.measure, Gaussian) and len(average.bound_symbols) == 1:
            z = average.bound_symbols[0]
            reading = _read(average.integrand, z)
            if reading is not None:
                argument, form = reading
                groups.setdefault(argument, {})[average] = _written(argument, form, z)
    rules = {}
    for forms in groups.values():
        rules.update({average: forms[average] for average in _cheapest(forms)})
    return expr.xreplace(rules) if rules else expr


def without_integrals(integrand, z):
    """Return the mean where the identities leave no integral, else None."""
    inverse = (p for p in integrand.atoms(Pow) if p.exp.is_negative)
    if not integrand.has(tanh, cosh, log) and not any(p.base.has(exp) for p in inverse):
        return None
    form = _read(integrand, z)
    if form is None:
        return None
    value = _written(*form, z)
    return None if value.has(Average) else value


def _cheapest(forms):
    """Choose the averages to rewrite that leave the fewest different integrals, then the fewest averages."""
    names = list(forms)
    sizes = range(len(names) + 1) if len(names) <= _MOST else (0, len(names))
    best, fewest = (), len(names)
    for size in sizes:
        for chosen in combinations(names, size):
            left = {a for n in names for a in ([n] if n not in chosen else forms[n].atoms(Average))}
            if len(left) < fewest:
                best, fewest = chosen, len(left)
    return best


# -- parse an integrand ---------------------------------------------------------------------------------


def _read(integrand, z):
    """Parse ``((alpha, beta), {("t" or "s", i): coefficient, None: closed part})``, or None outside the class."""
    found = tanh_polynomial(integrand, z)
    if found is None:
        return None
    (alpha, beta), poly = found
    form = {}
    for (i, j, n), c in poly.terms():
        _lower(form, i, j, n, c, beta)
    if alpha.is_zero:       # t is odd: its mean with an even power vanishes
        form = {key: c for key, c in form.items() if key is None or key[0] == "s" or key[1] % 2}
    if alpha.could_extract_minus_sign():
        alpha, form = -alpha, _mirrored(form, alpha)
    tidied = {key: cancel(c) for key, c in form.items()}
    return (alpha, beta), {key: c for key, c in tidied.items() if c != 0}


def _mirrored(form, alpha):
    """Return the same means at ``-alpha + beta z``, by exchanging z and -z."""
    mirrored = {}
    for key, c in form.items():
        if key and key[0] == "s":       # softplus(-x) = softplus(x) - x
            _add(mirrored, None, 2 * alpha * c)
        _add(mirrored, key, -c if key and key[0] == "t" and key[1] % 2 == 0 else c)
    return mirrored


# -- lowering ------------------------------------------------------------------------------------------


def _lower(form, i, j, n, c, beta):
    """Add ``c E[z^i t^j s^n]`` to a form, in terms of ``E[z^i]``, ``E[z^i t]`` and ``E[s]``."""
    if n:
        if i == 0:
            _add(form, ("s", 0), c)
            return
        if i > 1:
            _lower(form, i - 2, 0, 1, c * (i - 1), beta)
        _lower(form, i - 1, 0, 0, c * beta, beta)
        _lower(form, i - 1, 1, 0, c * beta, beta)
    elif j > 1:
        _lower(form, i, j - 2, 0, c, beta)
        slope = c / (beta * (j - 1))
        _lower(form, i + 1, j - 1, 0, -slope, beta)
        if i:
            _lower(form, i - 1, j - 1, 0, slope * i, beta)
    elif j == 1:
        _add(form, ("t", i), c)
    elif i % 2 == 0:
        _add(form, None, c * factorial2(i - 1))


def _add(form, key, c):
    form[key] = form.get(key, S.Zero) + c


def _written(argument, form, z):
    alpha, beta = argument
    unit = alpha + beta * z
    parts = []
    for key, c in form.items():
        if key is None:
            parts.append(c)
        else:
            function = tanh(unit) * z ** key[1] if key[0] == "t" else log(1 + exp(2 * unit))
            parts.append(c * Average(function, Gaussian(z)))
    return Add(*parts)
