"""The form of the pair that the package iterates: one increasing map with one fixed point."""

from functools import cache
from types import SimpleNamespace

from sympy import Derivative, Eq, Function, Gt, Symbol, sqrt, symbols

from asympkit.theories.nonlinear_spikes import equations as nonlinear_equations

from ..checks import exact, exceeds
from .notation import LETTERS, A, B, kappa, lam, m1, mtilde, mu, on_solution, package, phi, psi, tau

chi = package.chi
distance, share, ratio = Symbol("D", positive=True), Symbol("share", positive=True), Symbol("ratio", positive=True)
floor, surplus = Symbol("excess", nonnegative=True), Symbol("surplus", real=True)
excess = Symbol("e", positive=True)
scale = 1 + excess


@cache
def _parts():
    """The package's named combinations with the distance |1 - kappa| as a symbol."""
    p = nonlinear_equations.pieces()
    plain = {p.distance: distance, p.kappa: kappa, **LETTERS}
    closed = plain | {p.ratio: ratio, p.share: share, p.excess: floor, p.mtilde: mtilde}
    return SimpleNamespace(share=p.share.expr.xreplace(plain), ratio=p.ratio.expr.xreplace(plain),
                           mtilde=p.mtilde.expr.xreplace(closed), excess=p.excess.expr.xreplace(plain),
                           equations=[e.xreplace(closed) for e in nonlinear_equations.trace_equations()])


def solved_form(doc):
    """Add the steps on what the package solves."""
    _share(doc)
    _equivalence(doc)
    _monotone(doc)


def _share(doc):
    found = _parts().share
    doc.step("What the package iterates: chi = m1 mtilde, and `share`, (lam kappa m1 - max(0, 1 - 1/kappa))/chi, is "
             "the  positive root of a quadratic equation, D = |1 - kappa|.",
             exact(kappa * chi * found**2 + distance * found, kappa * lam, ("cancel", "expand")),
             shown=Eq(share, found, evaluate=False))
    level = Symbol("u", positive=True)
    room = Symbol("v", positive=True)
    doc.step("For kappa < 1 this defines chi: with u = lam kappa m1 = chi share it is u mtilde = kappa lam chi ...",
             exact(kappa * level**2 + (1 - kappa) * level, level * (1 - kappa * (1 - level)), "expand"))
    doc.step("... and for kappa > 1 too, with u = v + 1 - 1/kappa, v = chi share.",
             exact(kappa * room**2 + (kappa - 1) * room, (room + 1 - 1 / kappa) * kappa * room, "expand"))


def _equivalence(doc):
    s, parts = on_solution(), _parts()
    on = {chi: s.mtilde * tau / kappa, psi: s.psi, phi: s.phi}
    doc.step("Its ratio is m2/m1 on the solution set.",
             exact(parts.ratio.subs(on), mu / tau, "cancel"), shown=Eq(ratio, parts.ratio, evaluate=False))
    first, second, third, fourth = parts.equations
    for name, edge, width, above in (("kappa < 1", 0, 1 - kappa, 1 - kappa),
                                     ("kappa > 1", 1 - 1 / kappa, kappa - 1, 0)):
        at = {share: (s.lam * tau - edge) / on[chi], ratio: mu / tau, distance: width, floor: above, **on,
              m1: tau / kappa, mtilde: s.mtilde}
        at[package.zeta] = (package.zeta - second).subs(at)
        doc.step(f"The package's equation of chi holds there, {name}.",
                 exact(first.subs(at), 0, "cancel"), shown=Eq(first, 0, evaluate=False))
        doc.step(f"And that of m1, {name}.", exact(third.subs(at), 0, "cancel"), shown=Eq(third, 0, evaluate=False))
        doc.step(f"And mtilde, max(0, 1 - kappa) + kappa chi share, written without a difference, {name}.",
                 exact(parts.mtilde.subs(at), s.mtilde, "cancel"), shown=Eq(mtilde, parts.mtilde, evaluate=False))
    inverse = kappa / tau
    doc.step("And that of m2: 1/m2 = 1/m1 + (B/phi) mtilde.",
             exact((inverse + B / phi * s.mtilde).subs(on), kappa / mu, "cancel"),
             shown=Eq(fourth, 0, evaluate=False))


def _monotone(doc):
    parts = _parts()
    root = Symbol("r", positive=True)
    doc.step("chi = min(1, 1/kappa)/zeta with zeta = A + B ratio + share. The ratio falls in chi ...",
             exceeds(0, Derivative(parts.ratio, chi), phi * B / (phi + B * chi) ** 2, ("diff", "cancel")))
    fall = 4 * kappa**3 * lam**2 / (root * (distance + root) ** 2)
    written = {root: sqrt(distance**2 + 4 * kappa**2 * lam * chi)}
    doc.step("... and so does the share: the right side increases.",
             exceeds(0, Derivative(parts.share, chi), fall.subs(written), ("diff", "cancel")))
    doc.step("Scale chi by a = 1 + e > 1. The ratio falls by less than a, ...",
             exceeds(scale * parts.ratio.subs(chi, scale * chi), parts.ratio,
                     excess * phi**2 / ((phi + B * scale * chi) * (phi + B * chi)), "cancel"))
    inside = 4 * kappa**2 * lam * chi
    doc.step("... and so does the share: its denominator, D + sqrt(D^2 + 4 kappa^2 lam chi), grows by less than a, for "
             "squares are ordered.",
             exceeds(scale**2 * (distance**2 + inside), distance**2 + scale * inside,
                     distance**2 * (2 * excess + excess**2) + inside * excess * scale, "expand"))
    gains = symbols("d1 d2", positive=True)
    shrunk = A + B * (ratio + gains[0]) / scale + (share + gains[1]) / scale
    doc.step("So zeta falls by less than a and T(a chi) < a T(chi) for T = min(1, 1/kappa)/zeta: as in "
             "one_step.uniqueness the map has one fixed point, and iteration reaches it from everywhere.",
             exceeds(scale * shrunk, A + B * ratio + share, A * excess + B * gains[0] + gains[1], "cancel"),
             shown=Gt(scale * Function("T")(chi), Function("T")(scale * chi), evaluate=False))
