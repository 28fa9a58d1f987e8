"""The second stage on the true bulk: the two responses, and the kernel of spike, row norm and target."""

import sys

from sympy import Derivative, Eq, Matrix, Symbol, eye, symbols

from ..checks import exact, exceeds
from ..command import main
from ..document import Derivation
from ..sampled import sampled
from .formulas import kernel
from .gaussian_rows import instances
from .notation import V1, V2, Vhat1, b, beta, g, level

#: an eigenvalue of the bulk's matrix S, one of the projected W W'
s, D = symbols("s D", positive=True)
tau_b = Symbol("tau_b", positive=True)
spread = Symbol("Var_chi", positive=True)
#: forms of B and N on v, zeta and t
B = dict(zip(("vv", "vt", "tt", "tz", "vz"), symbols("B_vv B_vt B_tt B_tz B_vz", real=True)))
N = dict(zip(("vv", "vz", "zz"), symbols("N_vv N_vz N_zz", real=True)))


def derivation():
    """Responses and kernel when the rows have covariance S/d."""
    doc = Derivation(
        "Responses and kernel on the true bulk", "beyond arXiv 2402.04980: leave-one-out for the rows",
        "p = beta d rows w ~ N(0, S/d), the matrix W; K = Lambda + Vhat1 W W' in the second stage, V2 = tr K^(-1)/p, "
        "V1 = tr(W W' K^(-1))/p, H = (Lambda + Vhat1 W'W)^(-1). B = (1 + g S)^(-1), N = S B, b and tau_b their traces "
        "over d. Functions of S commute, so that identities between them are those of one eigenvalue s. v, zeta are "
        "unit vectors that the rows do not know.")
    _one_row_out(doc)
    _responses(doc)
    _unprojected(doc)
    _projector(doc)
    _row_norm(doc)
    _squares(doc)
    _random(doc)
    return doc


def _one_row_out(doc):
    """Exact rules, for two rows in two dimensions."""
    w1, w2, u1, u2 = symbols("w1 w2 u1 u2", real=True)
    W = Matrix([[w1, w2], [u1, u2]])
    row, other = W[0, :].T, W[1, :].T
    K = level * eye(2) + Vhat1 * W * W.T
    H = (level * eye(2) + Vhat1 * W.T * W).inv()
    without = (level * eye(2) + Vhat1 * other * other.T).inv()
    own = (row.T * without * row)[0]
    doc.step("A diagonal entry of K^(-1) knows the other rows through one form (here one other row).",
             exact(K.inv()[0, 0], 1 / (level * (1 + Vhat1 * own)), "cancel"),
             shown=r"(K^{-1})_{ii} = \frac{1}{\Lambda\,(1 + \hat V_1\, w_i^\top H_{(i)} w_i)}")
    moved = Vhat1 * W.T * K.inv() * W + level * H - eye(2)
    doc.step("From the rows' side to the inputs' side (all four entries).",
             exact(sum(c * e for c, e in zip(symbols("c1:5"), moved)), 0, "cancel"),
             shown=r"\hat V_1 W^\top K^{-1} W = 1 - \Lambda H")
    doc.step("A row in H is divided by the same form.",
             exact((row.T * H * row)[0], own / (1 + Vhat1 * own), "cancel"),
             shown=r"w^\top H w = \frac{w^\top H_{(i)} w}{1 + \hat V_1\, w^\top H_{(i)} w}")


def _responses(doc):
    form = tau_b / level
    coupled = beta * Vhat1 / (level + Vhat1 * tau_b)
    doc.step("w'H w concentrates at tr(S H)/d. Then H is (Lambda + beta Vhat1 S/(1 + Vhat1 tr(S H)/d))^(-1), p = beta "
             "d rows: it is B/Lambda with a g in which tr(S H)/d = tau_b/Lambda.",
             exact(1 / (level + beta * Vhat1 * s / (1 + Vhat1 * form)), 1 / (level * (1 + coupled * s)), "cancel"),
             shown=Eq(g, coupled, evaluate=False))
    response = 1 / (level * (1 + Vhat1 * form))
    doc.step("V2, the mean of the diagonal of K^(-1), ...", exact(response, 1 / (level + Vhat1 * tau_b), "cancel"),
             shown=Eq(V2, 1 / (level + Vhat1 * tau_b), evaluate=False))
    doc.step("... which is g/(beta Vhat1).", exact(response, coupled / (beta * Vhat1), "cancel"),
             shown=Eq(V2, g / (beta * Vhat1), evaluate=False))
    doc.step("Lambda V2 + Vhat1 V1 = 1 is the trace of K K^(-1): so V1 = V2 tau_b.",
             exact((1 - level * response) / Vhat1, response * tau_b, "cancel"),
             shown=Eq(V1, V2 * tau_b, evaluate=False))
    doc.step("With g tau_b = 1 - b the equation of g reads:",
             exact((coupled * (level / Vhat1 + tau_b) - beta), 0, "cancel"),
             shown=Eq(g * level / Vhat1 + 1 - b, beta, evaluate=False))
    doc.step("Its left side increases with g from 0, g tau_b being the mean of g s/(1 + g s): one root.",
             exceeds((g * level / Vhat1 + g * s / (1 + g * s)).diff(g), 0, level / Vhat1 + s / (1 + g * s) ** 2,
                     "cancel"))
    c = Symbol("c", positive=True)
    isotropic = {tau_b: c / (1 + beta * Vhat1 * V2 * c)}
    doc.step("Isotropic rows, S = c, g = beta Vhat1 V2: the closed pair of spiked random features.",
             exact((V2 * tau_b).subs(isotropic) * (1 + beta * c * Vhat1 * V2), c * V2, "cancel"),
             shown=Eq(V1 * (1 + beta * c * Vhat1 * V2), c * V2, evaluate=False))


def _unprojected(doc):
    doc.step("Directions are a = sqrt(d) W u with entries of order 1, and their kernel is a'K^(-1) a'/p. Without the "
             "projector it is V2 N: (d/p)(1 - Lambda H)/Vhat1 for an eigenvalue s, g = beta Vhat1 V2.",
             exact(((1 - 1 / (1 + g * s)) / (beta * Vhat1)).subs(g, beta * Vhat1 * V2),
                   (V2 * s / (1 + g * s)).subs(g, beta * Vhat1 * V2), "cancel"),
             shown=r"\frac{d}{p}\, W^\top K^{-1} W \to V_2\, N")


def _projector(doc):
    k11, k12, k22, a1, a2, c1, c2, u1, u2, x = symbols("k11 k12 k22 a1 a2 c1 c2 u1 u2 x", real=True)
    K = Matrix([[k11, k12], [k12, k22]])
    a, c, u = Matrix([a1, a2]), Matrix([c1, c2]), Matrix([u1, u2])
    inverse = K.inv()

    def form(left, right):
        return (left.T * inverse * right)[0]

    doc.step("The inputs' component along v is kappa and not noise: W W' stands without (W v)(W v)'. A rank one less:",
             exact((a.T * (K - x * u * u.T).inv() * c)[0],
                   form(a, c) + x * form(a, u) * form(u, c) / (1 - x * form(u, u)), "cancel"),
             shown=r"a^\top (K - x\,u u^\top)^{-1} c = k_{ac} + \frac{x\,k_{au} k_{uc}}{1 - x\,k_{uu}}")
    doc.step("With x k_vv = beta Vhat1 V2 N_vv = g N_vv the denominator is B_vv, a form and not a difference.",
             exact(1 - g * s / (1 + g * s), 1 / (1 + g * s), "cancel"), shown=Eq(1 - g * N["vv"], B["vv"],
                                                                                 evaluate=False))
    found = kernel(V2, g, B, N, spread)
    down = {B["vv"]: 1 - g * N["vv"]}

    def projected(left, right, both):
        """Three unprojected entries over V2; the rank one less is g in these units."""
        return V2 * (both + g * left * right / (1 - g * N["vv"]))

    doc.step("So the spike's entry,", exact(projected(N["vv"], N["vv"], N["vv"]), found["vv"].subs(down), "cancel"),
             shown=Eq(Symbol("K_vv"), found["vv"], evaluate=False))
    doc.step("spike and target,", exact(projected(N["vv"], N["vz"], N["vz"]), found["vz"].subs(down), "cancel"),
             shown=Eq(Symbol("K_vz"), found["vz"], evaluate=False))
    doc.step("and the target's.", exact(projected(N["vz"], N["vz"], N["zz"]), found["zz"].subs(down), "cancel"),
             shown=Eq(Symbol("K_zz"), found["zz"], evaluate=False))
    c = Symbol("c", positive=True)
    isotropic = {B["vv"]: 1 / (1 + g * c), N["vv"]: c / (1 + g * c), N["vz"]: 0, N["zz"]: c / (1 + g * c)}
    doc.step("Isotropic rows: c V2, 0 and V1 = V2 tau_b.",
             exact(found["vv"].subs(isotropic), c * V2, "cancel"), shown=Eq(Symbol("K_vv"), c * V2, evaluate=False))


def _row_norm(doc):
    at = 1 / (1 + g * s)
    doc.step("Row norms |w|^2 = c + chi/sqrt(d): chi = sqrt(d) w'S^(-1) t and an independent rest. With the spike "
             "stands t'S^(-1) N v: a form of B,", exact(s * at / s, at, "cancel"), shown=r"S^{-1} N = B")
    doc.step("and with itself t'(S^(-1) N S^(-1) - S^(-1)) t + Var(chi): -g t'B t, so that S is never inverted.",
             exact(at / s - 1 / s, -g * at, "cancel"), shown=r"S^{-1} N S^{-1} - S^{-1} = -g B")
    found = kernel(V2, g, B, N, spread)
    down = {B["vv"]: 1 - g * N["vv"]}
    more = g / (1 - g * N["vv"])
    doc.step("Projected: norm and spike,",
             exact(V2 * (B["vt"] + more * B["vt"] * N["vv"]), found["vx"].subs(down), "cancel"),
             shown=Eq(Symbol("K_vx"), found["vx"], evaluate=False))
    doc.step("norm and target,", exact(V2 * (B["tz"] + more * B["vt"] * N["vz"]), found["xz"].subs(down), "cancel"),
             shown=Eq(Symbol("K_xz"), found["xz"], evaluate=False))
    doc.step("norm and norm.",
             exact(V2 * (spread - g * B["tt"] + more * B["vt"] ** 2), found["xx"].subs(down), "cancel"),
             shown=Eq(Symbol("K_xx"), found["xx"], evaluate=False))
    length = Symbol("t", real=True)
    clean = {B["vv"]: 1 / (1 + g), B["vt"]: length / (1 + g), B["tt"]: length**2 / (1 + g), N["vv"]: 1 / (1 + g),
             spread: length**2}
    doc.step("Infinitely many samples: S = 1 and chi is t times the spike's direction, Var(chi) = t^2. The kernel has "
             "rank one: kappa mu1 and d_c mu0 act as the one function kappa mu1 + t d_c mu0.",
             exact((found["vv"] * found["xx"] - found["vx"] ** 2).subs(clean), 0, "cancel"))
    doc.step("Its entry of norm and norm is t^2 V2.", exact(found["xx"].subs(clean), length**2 * V2, "cancel"))


def _squares(doc):
    one = 1 / (level + Vhat1 * D)
    doc.step("Means with K^(-2) are derivatives, here for an eigenvalue D of W W' less the projector.",
             exact(-one.diff(level), one**2, "cancel"), shown=Eq(-Derivative(one, level), one**2, evaluate=False))
    doc.step("A factor D more: the derivative in Vhat1.",
             exact(-one.diff(Vhat1), D * one**2, "cancel"),
             shown=Eq(-Derivative(one, Vhat1), D * one**2, evaluate=False))
    doc.step("The two-by-two matrix of the squares is symmetric.",
             exact((D * one).diff(level), one.diff(Vhat1), "cancel"),
             shown=Eq(Derivative(V1, level), Derivative(V2, Vhat1), evaluate=False))


def _random(doc):
    where = (" (Gaussian rows on sampled batches, labels z + (z^2 - 1)/sqrt(2), alpha0 = 1, omega = 2; beta = 1.2, "
             "Lambda = 1, Vhat1 = 1/2; the limit has the forms of the batch's own S; t and Var(chi) are given)")
    what = {"V2": "V2", "V1": "V1", "vv": "spike", "vz": "spike and target", "zz": "target", "vx": "norm and spike",
            "xz": "norm and target", "xx": "norm"}
    for name, words in what.items():
        symbol = Symbol(name if name[0] == "V" else f"K_{name}")
        doc.step(f"Sampled rows: {words}{where if name == 'V2' else ''}.",
                 sampled(Symbol(f"measured_{symbol}"), symbol, instances, name, drift=0.3 * (name[0] == "V")))


if __name__ == "__main__":
    sys.exit(main(derivation))
