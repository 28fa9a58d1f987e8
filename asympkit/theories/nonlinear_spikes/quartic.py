r"""Isolate all roots of the quartic equation of the nonlinear spikes, and identify the physical one.

(E2) gives :math:`m_2` as a rational function of :math:`m_1`; put in (E1) it leaves a quartic for
:math:`u=\lambda\kappa m_1`.  The physical root is the one with :math:`\max(0,1-1/\kappa)<u<1`.
"""

from dataclasses import replace
from functools import cache

from sympy import Dummy, Poly, factor_list, solve, together

from ...balls.backend import acb_poly, arb, arb_poly, workprec
from ...certify.forms import ball_function, is_final, refusal
from ...certify.run import Balls, exact_parameters
from ...errors import ProofError
from .equations import symbols, trace_pair
from .moments import moments_of

#: how often the working digits are doubled, and the largest number of interval Newton steps (each halves a box)
_ATTEMPTS, _STEPS = 4, 50


@cache
def quartic():
    """Return the polynomial in u = lam*kappa*m1, as coefficients from the highest power down."""
    s, u = symbols(), Dummy("u")
    E1, E2 = trace_pair()
    (m2,) = solve(E2, s.m2)
    numerator = together(E1.subs(s.m2, m2).subs(s.m1, u * s.phi / (s.lam * s.psi))).as_numer_denom()[0]
    # drop powers of u and of the parameters, which do not vanish at a solution
    (factor,) = (f for f, _ in factor_list(numerator)[1] if f.has(u) and f != u)
    return tuple(Poly(factor, u).all_coeffs())


def isolate(coefficients):
    """Return disjoint boxes of all complex roots of a polynomial with ball coefficients, one root in each.

    From the highest power down; leading exact zeros only lower the degree.  ProofError if the roots are not separated
    at this precision.
    """
    rows = list(coefficients)
    while rows and rows[0].is_zero():
        rows.pop(0)
    try:
        roots = acb_poly(rows[::-1]).roots()
    except ValueError:
        roots = []
    apart = all(not r.overlaps(q) for i, r in enumerate(roots) for q in roots[:i])
    if len(roots) != len(rows) - 1 or not apart:
        raise ProofError("certify: the roots of the quartic equation of m1 are not isolated at this precision; ask for "
                         "more digits or move the parameters")
    return [_sharpened(acb_poly(rows[::-1]), r) for r in roots]


def _sharpened(polynomial, box):
    """Shrink the box of a root by interval Newton steps, as far as the coefficients allow."""
    slope = polynomial.derivative()
    for _ in range(_STEPS):
        middle = type(box)(box.mid())
        below = slope(box)
        if below.contains(0):
            break
        # the mean of the slope between the middle and the root lies in the slope's box, which is convex
        nearer = middle - polynomial(middle) / below
        if not nearer.rad() < box.rad() / 2:
            break
        box = nearer
    return box


def classify(roots, low, claimed):
    """Return the real root in (low, 1), after proving that it is the only one and lies in the ball ``claimed``.

    ``roots`` are disjoint boxes, one root in each, of a real polynomial.
    """
    inside = []
    for root in roots:
        if not root.imag.contains(0) or root.real < low or root.real > 1:
            continue
        # the conjugate is a root too, and lies in no other box
        mirrored = type(root)(root.real, -root.imag)
        real = not any(mirrored.overlaps(other) for other in roots if other is not root)
        if not (real and root.real > low and root.real < 1):
            raise ProofError("certify: a root of the quartic equation of m1 is not proved to lie inside or outside the "
                             "physical interval; ask for more digits")
        inside.append(root)
    if len(inside) != 1:
        raise ProofError(f"certify: the quartic equation of m1 has {len(inside)} roots in the physical interval; "
                         "expected exactly one")
    others = [r for r in roots if r is not inside[0]]
    if not inside[0].real.overlaps(claimed) or any(r.overlaps(type(r)(claimed)) for r in others):
        raise ProofError("certify: the solution found is not the physical root of the quartic equation of m1, "
                         "max(0, 1 - 1/kappa) < lam*kappa*m1 < 1")
    return inside[0]


def with_roots(solution, theory, parameters, floats):
    """Return a certified solution whose record names all roots of the quartic."""
    exact = exact_parameters({n: parameters[n] for n in ("phi", "psi", "lam")}, floats)
    record, digits = solution.certificate, solution.certificate.working_digits
    for _ in range(_ATTEMPTS):
        try:
            roots, physical, low = _roots(solution, theory, exact, digits)
            break
        except ProofError as error:
            if is_final(error):
                raise
            failure, digits = error, 2 * digits
    else:
        raise failure
    others = ", ".join(_text(r) for r in roots if r is not physical) or "none"
    note = (f"(m1): the equation of u = lam*kappa*m1 has degree {len(roots)}; its root u = {_text(physical)} is the "
            f"only one in the physical interval max(0, 1 - 1/kappa) < u < 1, whose lower end is {low.str(10)}, and "
            f"gives the m1 below; the others are {others}")
    record = replace(record, claim=f"{record.claim} It is the physical one: the only root of the quartic equation of "
                     "m1 with max(0, 1 - 1/kappa) < lam*kappa*m1 < 1.", roots=(*record.roots, note))
    return replace(solution, certificate=record)


def _roots(solution, theory, exact, digits):
    bits, s = int(3.33 * digits) + 40, symbols()
    with workprec(bits):
        numbers = Balls(digits, bits)
        student = moments_of(theory.student, numbers, theory.moments["student"])
        if student.coefficients[1].is_zero() and not student.rest > 0:
            raise refusal(f"certify: the student {theory.student.name!r} is zero without its mean: it has no features, "
                          "and lam*kappa*m1 = 1 lies at the end of the physical interval, not inside")
        values = {getattr(s, n): numbers.number(v) for n, v in exact.items()}
        values |= {s.linear: student.coefficients[1] ** 2, s.nonlinear: student.rest}
        rows = [arb(ball_function(c)(values)) for c in quartic()]
        roots = isolate(rows)
        low = 1 - numbers.number(exact["phi"] / exact["psi"]) if exact["phi"] < exact["psi"] else arb(0)
        m1 = solution["m1"]
        claimed = m1.to_arb() * numbers.number(exact["lam"] * exact["psi"] / exact["phi"])
        if not arb_poly(rows[::-1])(claimed).contains(0):
            raise refusal("certify: the solution found is no root of the quartic equation of m1")
        return roots, classify(roots, low, claimed), low


def _text(root):
    real = root.real.str(12)
    return real if root.imag.contains(0) else f"{real} + {root.imag.str(12)}*i"
