"""The catalogue: one definition for each named activation, as a text of the grammar.

The sigmoid family is written with tanh and cosh: those forms are bounded where they should be, so
their symbolic derivatives never contain the quotient of two overflowing exponentials.
"""

from sympy import Function

__all__ = ["CATALOGUE", "FUNCTIONS", "NUMERIC", "CatalogueFunction", "suggest_other_name"]

# The standard SELU constants to the 31 digits usually quoted; as decimals they are exact rationals.
_SELU_SCALE = "1.0507009873554804934193349852946"
_SELU_ALPHA = "1.6732632423543772848170429916717"

#: Definition of each activation as a text in ``z``.
CATALOGUE = {
    "identity": "z",
    "tanh": "tanh(z)",
    "erf": "erf(z)",
    "sigmoid": "(1 + tanh(z/2))/2",
    "softplus": "z/2 + log(2*cosh(z/2))",
    "relu": "max(0, z)",
    "leaky_relu": "where(z > 0, z, z/10)",
    "elu": "where(z > 0, z, exp(z) - 1)",
    "selu": f"{_SELU_SCALE}*where(z > 0, z, {_SELU_ALPHA}*(exp(z) - 1))",
    "gelu": "z*(1 + erf(z/sqrt(2)))/2",
    "silu": "z*(1 + tanh(z/2))/2",
    "mish": "z*tanh(softplus(z))",
    "sin": "sin(z)",
    "cos": "cos(z)",
    "sign": "sign(z)",
    "step": "step(z)",
    "abs": "abs(z)",
    "hardtanh": "max(-1, min(1, z))",
    "exp": "exp(z/2)",
    "gaussian": "exp(-z**2/2)",
    "cubic": "z**3 - 3*z",
    "quadratic": "z**2 - 1",
}

#: Entries that a text may call as functions of one argument, because their name is not already a
#: function of the grammar with its usual meaning (``exp(z)`` in a text is the exponential).
FUNCTIONS = tuple(
    name for name in CATALOGUE
    if name not in ("tanh", "erf", "sin", "cos", "sign", "step", "abs", "exp")
)

#: Equal formulas for evaluation: no overflow, and full relative accuracy in the tails.
#: ``2*tanh(u/2)/(1 - tanh(u/2))`` is ``exp(u) - 1`` for u <= 0.
_EXPONENTIAL_LESS_ONE = "2*tanh(min(z, 0)/2)/(1 - tanh(min(z, 0)/2))"
NUMERIC = {
    "sigmoid": "exp(min(z, 0))/(1 + exp(-abs(z)))",
    "softplus": "soft_plus(z)",
    "elu": f"where(z > 0, z, {_EXPONENTIAL_LESS_ONE})",
    "selu": f"{_SELU_SCALE}*where(z > 0, z, {_SELU_ALPHA}*{_EXPONENTIAL_LESS_ONE})",
    "gelu": "max(z, 0) - abs(z)*erfc(abs(z)/sqrt(2))/2",
    "silu": "z*(exp(min(z, 0))/(1 + exp(-abs(z))))",
    "mish": "z*tanh(soft_plus(z))",
}

#: what functions are called elsewhere, in lower case and without underscores
_ELSEWHERE = {"swish": "silu", "logistic": "sigmoid", "expit": "sigmoid", "heaviside": "step", "linear": "identity",
              "rect": "relu", "rectifier": "relu", "leakyrelu": "leaky_relu", "lrelu": "leaky_relu", "sgn": "sign",
              "htanh": "hardtanh", "normal": "gaussian", "rbf": "gaussian", "ln": "log", "arctan": "atan",
              "arcsin": "asin", "arccos": "acos", "arcsinh": "asinh", "arctanh": "atanh", "absolute": "abs"}


class CatalogueFunction(Function):
    """A catalogue function that is kept by its name: ``CatalogueFunction(Str("gelu"), u)``.

    Algebra is done on its definition, values are taken from its formula in :data:`NUMERIC`.
    """

    nargs = 2

    def _eval_is_extended_real(self):
        return self.args[1].is_extended_real

    _eval_is_real = _eval_is_extended_real

    def _eval_is_finite(self):
        return True if self.args[1].is_real else None


def suggest_other_name(name):
    """Return ``"; did you mean 'x'?"`` for a function that has another name here, or ``""``."""
    known = _ELSEWHERE.get(name.lower().replace("_", ""))
    return f"; did you mean {known!r}?" if known else ""
