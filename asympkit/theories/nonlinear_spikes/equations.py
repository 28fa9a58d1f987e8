r"""The equations of nonlinear spikes after one large gradient step (arXiv 2310.07891).

Pure sympy, no numerics.  The pair (E1), (E2) of the paper determines :math:`m_1, m_2`; their
derivatives by :math:`\lambda`, which the test errors need, come from the tangent of the system.

A diverging spike of degree k makes :math:`g^k`, :math:`g=\tilde X\beta/|\beta|`, a regressor without
penalty.  The quadratic form of the labels, :math:`y^TRy`, then loses the part of y in the span of these
monomials, which :class:`Span` describes, for numbers of any kind: sympy expressions, fractions, mpf, balls.

At a finite step size (section 8 of the theory) each spike keeps its strength: the readouts :math:`h_k` of the spikes
solve :math:`(\Theta G\Theta+A_m^{-1})v=\Theta b` with :math:`v_k=s_kh_k`, and :math:`y^TRy` loses
:math:`b^T\Theta v`.  Rows and columns are scaled by :math:`s_k=(1+\theta_k^2)^{-1/2}`, so that weak and
diverging spikes are equally harmless; degrees of different parity decouple.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import factorial
from types import SimpleNamespace

from sympy import Abs, Integer, Max, Rational, Symbol, sqrt

from ...equations.system import System
from ...gauss import E
from ...nodes import Named
from ...program import build
from ...sensitivity.tangent import directional, tangent_system

#: highest degrees of diverging spikes, whose thresholds (k-1)/(2k) accumulate at 1/2, and of spikes of finite strength,
#: an asymptotic series
TOP, FINITE_TOP = 12, 8


def power_moment(k):
    """Return ``E g**k`` of a standard normal g: (k-1)!! for even k, 0 for odd k."""
    return 0 if k % 2 else factorial(k) // (2 ** (k // 2) * factorial(k // 2))


def hermite_of_power(p, i):
    """Return the coefficient of He_i in ``x**p``: p!/(2^j j! i!) with j = (p-i)/2."""
    if i > p or (p - i) % 2:
        return 0
    return factorial(p) // (2 ** ((p - i) // 2) * factorial((p - i) // 2) * factorial(i))


def projection(gram, rows):
    """Return the matrix of ``u^T G^{-1} v`` for u, v among ``rows``, G a positive definite Gram matrix.

    Elimination needs no pivoting here, so that it works in every number system.
    """
    g, r = [list(row) for row in gram], [list(row) for row in rows]
    out = [[0 * g[0][0]] * len(r) for _ in r] if g else [[0] * len(r) for _ in r]
    for k in range(len(g)):
        lead = [u[k] / g[k][k] for u in r]
        out = [[entry + u[k] * a for entry, a in zip(line, lead)] for line, u in zip(out, r)]
        for i in range(k + 1, len(g)):
            ratio = g[i][k] / g[k][k]
            g[i] = [x - ratio * y for x, y in zip(g[i], g[k])]
        r = [[u[i] - a * g[k][i] for i in range(len(g))] for u, a in zip(r, lead)]
    return out


@dataclass(frozen=True)
class Span:
    r"""Describe the span of some monomials by the numbers that the gaps depend on.

    The linear direction reduces the form by :math:`\rho^2c_1^2\mu`, the others by :math:`S\tau`,
    :math:`S=P-Q^2/(K-1+\tau/\mu_0)` with :math:`P=\sum_{pq}E_{pq}c_pc_q\rho^{p+q}`, :math:`Q=\sum_pL_pc_p\rho^p`.
    ``energy`` is E by (p, q), the projection without the constant; ``leak`` is L by p, the effect of the penalty on the
    constant, empty if a constant is not penalised; ``constant`` is K.
    """

    energy: dict
    leak: dict
    constant: Fraction

    def powers(self, coefficients, number):
        """Return P and Q as polynomials in the squared overlap, ``{exponent: coefficient}`` each.

        ``coefficients`` are those of the target; ``number`` converts a Fraction to their kind.
        """
        energy, leak = {}, {}
        for (p, q), e in self.energy.items():
            energy[(p + q) // 2] = energy.get((p + q) // 2, 0) + number(e) * coefficients[p] * coefficients[q]
        for p, v in self.leak.items():
            leak[p // 2] = number(v) * coefficients[p]
        return energy, leak


def span(degrees):
    """Return the :class:`Span` of the monomials of some degrees, 1 among them; 0 is a constant without penalty.

    Even monomials share one direction, the constant, which the Sherman-Morrison formula separates.  If no degree is
    missing, E is diagonal with entries p!, L is -He_p(0) and K the sum of He_p(0)**2/p!.
    """
    energy, leak, constant = {}, {}, Fraction(1)
    for parity in (0, 1):
        chosen = [k for k in sorted(set(degrees)) if k > 1 and k % 2 == parity]
        seen = [p for p in range(2, max(chosen, default=0) + 1) if p % 2 == parity]
        rows = [[Fraction(factorial(p) * hermite_of_power(i, p)) for i in chosen] for p in seen]
        gram = [[sum(u[a] * u[b] / factorial(p) for p, u in zip(seen, rows)) for b in range(len(chosen))]
                for a in range(len(chosen))]
        table = projection(gram, [*rows, [Fraction(hermite_of_power(i, 0)) for i in chosen]])
        energy |= {(p, q): table[a][b] for a, p in enumerate(seen) for b, q in enumerate(seen) if table[a][b]}
        leak |= {p: table[a][-1] for a, p in enumerate(seen) if table[a][-1]}
        constant += table[-1][-1]
    return Span(energy, {} if 0 in degrees else leak, constant)


#: definitions of the parameters that follow from the functions; c_k are Hermite coefficients
MEANINGS = {
    "linear": "c_1**2 of the student",
    "nonlinear": "E[student**2] - c_0**2 - c_1**2",
    "target_linear": "c_1 of the target",
    "target_rest": "E[target**2] - c_0**2 - c_1**2",
    "kept": "1 if the initial output stays in the gradient, else 0",
    "spike": "1 if the spike of degree 1 exists, else 0",
    "energy_k": "coefficient of overlap**k in P, leak_k in Q and constant = K of the span of the spikes, S = "
                "P - Q**2/(K - 1 + tau/mu_0): asympkit derive nonlinear_spikes.gaps",
    "radial": "2*c_2**2 of the student with Gaussian rows, else 0",
}


def meanings(functions):
    """Return :data:`MEANINGS`, with the numbers of the known ones among ``functions``, activations by name."""
    found = dict(MEANINGS)
    for label, linear, rest in (("student", "linear", "nonlinear"), ("target", "target_linear", "target_rest")):
        if f := functions.get(label):
            first = f.hermite(1)
            left = E((f.expr - f.hermite(0) - first * f.symbol) ** 2, f.symbol).doit()
            found[linear] += f" = {first**2 if label == 'student' else first}"
            found[rest] += f" = {left}"
    return found


@cache
def symbols():
    r"""Return the symbols of the theory, which are defined here alone.

    ``phi`` = d/n, ``psi`` = d/N; ``linear`` is :math:`B=c_1^2` and ``nonlinear`` :math:`A=E\sigma^2-c_1^2` of the
    centred student; ``target_linear`` is :math:`c_{\star1}`, ``target_rest`` the second moment of the centred target
    without its linear part; ``kept`` is 1 if the initial output stays in the gradient, else 0.
    """
    positive = {n: Symbol(n, positive=True) for n in ("phi", "psi", "lam", "chi", "zeta", "m1", "m2", "eta", "n")}
    nonnegative = {n: Symbol(n, nonnegative=True) for n in ("noise_variance", "linear", "nonlinear", "target_rest",
                                                            "kept", "spike", "constant", "radial", "gaussian", "free")}
    return SimpleNamespace(**positive, **nonnegative, target_linear=Symbol("target_linear", real=True))


def trace_pair():
    r"""Return the left-hand sides of (E1) and (E2), which vanish, in :math:`m_1, m_2`."""
    s = symbols()
    kappa = s.psi / s.phi
    Psi = s.linear * s.m1 * s.m2 * (s.lam * kappa * s.m1 - 1)
    E1 = s.phi * (s.m1 - s.m2) * (s.nonlinear * s.m1 + s.linear * s.m2) + Psi
    E2 = (s.linear * s.m1 * s.m2 + s.phi * (s.m2 - s.m1)) / kappa + Psi
    return E1, E2


@cache
def pieces():
    r"""Return named combinations of the symbols.

    In :math:`\chi=m_1\tilde m`, :math:`\tilde m=1-\kappa(1-\lambda\kappa m_1)`, (E2) reads
    :math:`m_2/m_1=\phi/(\phi+B\chi)` and (E1) :math:`\chi(A+Bm_2/m_1)+\lambda\kappa m_1=1`.  ``share`` is
    :math:`[\lambda\kappa m_1-\max(0,1-1/\kappa)]/\chi`, ``excess`` :math:`\max(0,1-\kappa)`: in these terms no
    difference of nearly equal numbers occurs at any :math:`\kappa` and :math:`\lambda`.
    """
    s = symbols()
    kappa = Named("kappa", s.psi / s.phi)
    surplus = Named("surplus", 1 - kappa)
    distance = Named("distance", Abs(surplus))
    share = Named("share", 2 * kappa * s.lam / (distance + sqrt(distance**2 + 4 * kappa**2 * s.lam * s.chi)))
    excess = Named("excess", Max(surplus, 0))
    labels = s.target_linear**2 + s.target_rest + s.noise_variance
    length = Named("length", s.target_linear**2 + s.phi * labels
                   + s.kept * (s.linear + s.phi * (s.linear + s.nonlinear)))
    return SimpleNamespace(kappa=kappa, distance=distance, share=share, excess=excess, length=length,
                           overlap=Named("overlap", s.target_linear**2 / length),
                           ratio=Named("ratio", s.phi / (s.phi + s.linear * s.chi)),
                           mtilde=Named("mtilde", excess + kappa * s.chi * share))


def trace_unknowns():
    """Return the unknowns of the traces; chi and zeta are auxiliary."""
    s = symbols()
    return s.chi, s.zeta, s.m1, s.m2


def trace_equations():
    r"""Return (E1) and (E2) in a form whose only positive root is the physical one.

    :math:`\chi=T(\chi)=\min(1,1/\kappa)/\zeta(\chi)` with :math:`\zeta=A+\phi B/(\phi+B\chi)+` ``share``.  T
    increases and :math:`T(a\chi)<aT(\chi)` for :math:`a>1`, so that it has one positive fixed point, which iteration
    reaches from any start; there :math:`\max(0,1-1/\kappa)<\lambda\kappa m_1<1`, and m1, m2 follow.
    """
    s, p = symbols(), pieces()
    inverse = p.excess / s.chi + p.kappa * p.share
    return (s.chi - 2 / ((1 + p.kappa + p.distance) * s.zeta),
            s.zeta - (s.nonlinear + s.linear * p.ratio + p.share),
            s.m1 - 1 / inverse,
            s.m2 - 1 / (inverse + s.linear / s.phi * p.mtilde))


@cache
def trace_system():
    """Return the system of the traces together with its tangent by lam."""
    return with_trace_rates(tangent_system(System(trace_unknowns(), trace_equations()), {symbols().lam: Integer(1)}))


def with_trace_rates(system):
    r"""Rewrite a tangent by lam so that the derivatives of m1 and m2 are multiples of that of chi.

    On the solution :math:`\tilde m=1-\kappa\chi(A+Bm_2/m_1)`, so that
    :math:`\tilde m'=-\kappa(A+B(m_2/m_1)^2)\chi'`; differentiating the form of :math:`\tilde m` in :func:`pieces`
    leaves a difference of nearly equal numbers where m2 hardly depends on lam.
    """

    s, p = symbols(), pieces()
    by_name = {u.name: u for u in system.unknowns}
    rates = {n: by_name[system.derivatives[n]] for n in ("chi", "m1", "m2")}
    steepness = Named("steepness", p.kappa * (s.nonlinear + s.linear * p.ratio**2) / p.mtilde)
    exact = {rates["m1"]: rates["chi"] * s.m1 * (steepness + 1 / s.chi),
             rates["m2"]: rates["chi"] * s.m2 * (steepness + p.ratio / s.chi)}
    other = {u - f: u - exact[u] for b in system.blocks for u, f in b.assignments if u in exact}
    out = system.with_(equations=[other.get(e, e) for e in system.equations], observables={},
                       blocks=[replace(b, assignments=tuple((u, exact.get(u, f)) for u, f in b.assignments))
                               for b in system.blocks])
    out.derivatives = system.derivatives
    return out


def lam_derivative(system=None):
    """Return the operator of the derivative by lam along the solution of a system (:func:`trace_system`)."""
    system = system or trace_system()
    by_name = {u.name: u for u in system.unknowns}
    rates = {by_name[u]: by_name[rate] for u, rate in system.derivatives.items()}
    return directional({symbols().lam: Integer(1), **rates})


@cache
def errors():
    """Return training and test error of the untrained features (section 4), penalty and noise included."""
    s, p = symbols(), pieces()
    derive = lam_derivative()
    rest = s.target_rest + s.noise_variance
    quadratic = p.kappa * (s.target_linear**2 * s.m2 + rest * s.m1)
    return {"baseline_train": s.lam * quadratic, "baseline_test": -derive(quadratic) / (p.kappa * s.m1) ** 2}


def with_gap(gap, derivative):
    """Return the observables of a theory, from the reduction of :math:`y^TRy` by the spikes and its derivative by lam.
    """
    s, p = symbols(), pieces()
    base = errors()
    train, test = s.lam * gap, -derivative / (p.kappa * s.m1) ** 2
    return {"train_error": base["baseline_train"] - train, "test_error": base["baseline_test"] - test,
            **base, "train_gap": train, "test_gap": test}


@cache
def span_numbers(top=TOP):
    """Return the parameters that describe the span of the spikes: coefficients of polynomials in ``overlap``."""
    energy = {k: Symbol(f"energy_{k}", real=True) for k in range(2, top + 1)}
    leak = {k: Symbol(f"leak_{k}", real=True) for k in range(1, top // 2 + 1)}
    return energy, leak


@cache
def limit_system(top=TOP):
    """Return the traces, and the gaps of diverging spikes of degree at most ``top`` in closed form."""

    s, p = symbols(), pieces()
    energy, leak = span_numbers(top)
    power = sum(c * p.overlap**k for k, c in energy.items())
    mean = sum(c * p.overlap**k for k, c in leak.items())
    freed = Named("freed", power - mean**2 / (s.constant + s.radial * s.chi / s.phi))
    gap = p.kappa * (s.spike * p.overlap * s.target_linear**2 * s.m2 + freed * s.m1)
    return trace_system().with_(observables=with_gap(gap, lam_derivative()(gap)))


def limit_parameters(top=TOP):
    """Return the parameters of the program, in the order of the kernel."""
    s = symbols()
    energy, leak = span_numbers(top)
    return (s.phi, s.psi, s.lam, s.noise_variance, s.linear, s.nonlinear, s.target_linear, s.target_rest, s.kept,
            s.spike, *energy.values(), *leak.values(), s.constant, s.radial)


@cache
def limit_program(top=TOP):
    """Return the equations lowered to a program, with its names."""
    return build(limit_system(top), limit_parameters(top))


# -- a finite step size -----------------------------------------------------------------------------------------------


@cache
def spike_numbers(top=FINITE_TOP):
    r"""Return the parameters that describe the spikes one by one.

    ``strength_k`` is :math:`c_1^kc_k`, 0 if there is no such spike; ``target_k`` the Hermite coefficient of the
    target; for ``inverse_i_j``, ``mean_k`` and ``mean_share`` see
    :func:`~asympkit.theories.nonlinear_spikes.moments.readout_numbers`.
    """
    degrees = range(1, top + 1)
    return SimpleNamespace(
        strength={k: Symbol(f"strength_{k}", real=True) for k in degrees},
        target={k: Symbol(f"target_{k}", real=True) for k in range(2, top + 1)},
        inverse={(i, j): Symbol(f"inverse_{i}_{j}", real=True) for i in degrees for j in range(i, top + 1, 2)},
        mean={k: Symbol(f"mean_{k}", real=True) for k in range(2, top + 1, 2)},
        share=Symbol("mean_share", nonnegative=True))


@cache
def finite_system(top=FINITE_TOP):
    """Return traces, readouts of the spikes, their derivatives by lam, and the errors."""
    readouts = [Symbol(f"h{k}", real=True) for k in range(1, top + 1)]
    equations, gap = _readouts(readouts, top)
    plain = System((*trace_unknowns(), *readouts), (*trace_equations(), *equations))
    system = with_trace_rates(tangent_system(plain, {symbols().lam: Integer(1)}))
    return system.with_(observables=with_gap(gap, lam_derivative(system)(gap)))


@cache
def spike_matrix(top=FINITE_TOP):
    """Return the matrix of the equations of the readouts as ``entry(i, j)``, weights of the spikes, and its size."""
    s, p, u = symbols(), pieces(), spike_numbers(top)
    degrees = range(1, top + 1)
    width = s.n * s.phi / s.psi
    theta = {k: Named(f"theta{k}", u.strength[k] * (s.eta * sqrt(p.length)) ** k * width ** Rational(1 - k, 2))
             for k in degrees}
    scale = {k: Named(f"scale{k}", 1 / sqrt(1 + theta[k] ** 2)) for k in degrees}
    weight = {k: Named(f"weight{k}", theta[k] * scale[k]) for k in degrees}
    size = Named("size", p.kappa * s.chi)
    radial = Named("spread", s.radial * s.chi / s.phi)
    kept = Named("drag", s.kept * s.linear * size * p.ratio)
    first = Named("first", p.ratio * (1 - s.linear * kept / p.length))
    constant = Named("level", (1 - s.free) / (1 + s.gaussian * radial))
    traces = {0: constant, 1: first}
    lost = Named("lost", radial / (1 + radial - radial * u.share))
    along = {k: Named(f"along{k}", weight[k] * hermite_of_power(k, 1) / sqrt(p.length)) for k in degrees if k % 2}

    def entry(i, j):
        gram = sum(factorial(h) * hermite_of_power(i, h) * hermite_of_power(j, h) * traces.get(h, 1)
                   for h in range(min(i, j) + 1))
        inverse = u.inverse[min(i, j), max(i, j)]
        if i % 2 == 0:
            inverse += lost * u.mean[i] * u.mean[j]
        out = weight[i] * weight[j] * size * gram + scale[i] * scale[j] * inverse
        if i % 2:
            out += kept**2 * along[i] * along[j]
            out -= kept * scale[1] * (int(i == 1) * along[j] + int(j == 1) * along[i])
        return Named(f"M{min(i, j)}{max(i, j)}", out)

    return entry, weight, size


def _readouts(readouts, top):
    """Return the linear equations of the readouts, and the reduction of the quadratic form by the spikes."""
    s, p, u, (entry, weight, size) = symbols(), pieces(), spike_numbers(top), spike_matrix(top)
    degrees, overlap = range(1, top + 1), s.target_linear / sqrt(p.length)
    signal = {k: Named(f"signal{k}", weight[k] * sum(
        factorial(q) * hermite_of_power(k, q) * overlap**q * (s.target_linear * p.ratio if q == 1 else u.target[q])
        for q in range(1, k + 1) if hermite_of_power(k, q))) for k in degrees}
    equations = [sum(entry(i, j) * readouts[j - 1] for j in degrees if (i + j) % 2 == 0) - signal[i] * size
                 for i in degrees]
    gap = p.kappa * s.m1 * sum(signal[k] * readouts[k - 1] for k in degrees)
    return equations, gap


def finite_parameters(top=FINITE_TOP):
    """Return the parameters of the program, in the order of the kernel."""
    s, u = symbols(), spike_numbers(top)
    return (s.phi, s.psi, s.lam, s.noise_variance, s.eta, s.n, s.linear, s.nonlinear, s.target_linear, s.target_rest,
            s.kept, s.gaussian, s.free, s.radial, *u.strength.values(), *u.target.values(), *u.inverse.values(),
            *u.mean.values(), u.share)


@cache
def finite_program(top=FINITE_TOP):
    """Return the equations lowered to a program, with its names."""
    return build(finite_system(top), finite_parameters(top))
