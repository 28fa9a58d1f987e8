"""The formulas that the documents derive, for symbols and for numbers alike: only the mean over a sample differs.

``mean(f)`` averages ``f(y, tau)`` over the label of a sample and the input's component along the target's direction.
"""

from functools import cached_property


class Forms:
    """Quadratic forms of ``B = (1 + g S)^(-1)`` and ``N = S B``, S the bulk's matrix ``1 + omega A`` (odd student).

    Parameters
    ----------
    mean : callable
    g, omega, overload : number or Expr
        ``overload`` is 1/alpha0, dimensions per sample.
    b : number or Expr
        The trace of B, the root of :meth:`excess`.
    """

    def __init__(self, mean, g, omega, overload, b):
        self.mean, self.g, self.omega, self.overload, self.b = mean, g, omega, overload, b

    def weight(self, y):
        """What leaving a sample out divides by."""
        return 1 / (1 + y**2 * self.g * self.omega * self.overload * self.b)

    def excess(self):
        """Vanishes at the trace b."""
        return self.b * (1 + self.g + self.g * self.omega * self.mean(lambda y, tau: y**2 * self.weight(y))) - 1

    @cached_property
    def T(self):
        """The form of B with the target's direction on both sides."""
        along = self.mean(lambda y, tau: y**2 * tau**2 * self.weight(y))
        return 1 / (1 + self.g + self.g * self.omega * along)

    def e(self, F):
        """Mean of ``F tau`` with the weight."""
        return self.mean(lambda y, tau: F(y) * tau * self.weight(y))

    def start(self, F):
        """Mean of ``F tau``: what e is at g = 0."""
        return self.mean(lambda y, tau: F(y) * tau)

    def B(self, F, G):
        """``s_F' B s_G``, with ``s_F`` the mean of ``F(y) x`` over the samples."""
        noise = self.mean(lambda y, tau: F(y) * G(y) * self.weight(y))
        return self.b * self.overload * noise + self.e(F) * self.e(G) * self.T

    @cached_property
    def tau_b(self):
        """The trace of N."""
        return self.b * (1 + self.omega * self.mean(lambda y, tau: y**2 * self.weight(y)))

    @cached_property
    def tau_T(self):
        """The form of N with the target's direction on both sides."""
        return self.T * (1 + self.omega * self.mean(lambda y, tau: y**2 * tau**2 * self.weight(y)))

    def D(self, F):
        """``(start(F) - e(F))/g``."""
        return self.omega * self.b * self.overload * self.mean(lambda y, tau: F(y) * tau * y**2 * self.weight(y))

    def N(self, F, G):
        """``s_F' N s_G``."""
        noise = self.mean(lambda y, tau: F(y) * G(y) * self.weight(y) * (
            self.tau_b + self.omega * self.b * self.overload * y**2))
        return (self.overload * noise + self.D(F) * self.start(G) + self.e(F) * self.D(G)
                + self.e(F) * self.e(G) * self.tau_T)

    def N_target(self, F):
        """``s_F' N theta``, theta the target's direction."""
        return self.D(F) + self.e(F) * self.tau_T

    def common_row(self, a, s3):
        """D, by which the common row of a trained bulk divides what meets the mean of the readout.

        ``a`` is the rate over beta, ``s3`` the student's third Hermite coefficient.
        """
        own = self.mean(lambda y, tau: y**2 * self.weight(y))
        return 1 + self.g * self.b * a**2 * s3**2 * self.overload * own / 2


def kernel(V2, g, B, N, spread=0):
    """The kernel on (v, chi, zeta): a dict of pairs.

    Parameters
    ----------
    V2, g : number or Expr
    B : dict
        Forms ``vv``, ``vt``, ``tt``, ``tz`` of B, with t the linear part of the row norm.
    N : dict
        Forms ``vv``, ``vz``, ``zz`` of N.
    spread : number or Expr
        The variance of chi.
    """
    down = g / B["vv"]
    return {"vv": V2 * N["vv"] / B["vv"], "vz": V2 * N["vz"] / B["vv"], "zz": V2 * (N["zz"] + down * N["vz"] ** 2),
            "vx": V2 * B["vt"] / B["vv"], "xz": V2 * (B["tz"] + down * B["vt"] * N["vz"]),
            "xx": V2 * (spread - g * (B["tt"] - B["vt"] ** 2 / B["vv"]))}
