"""Published and other numbers beside those of a theory, and the definitions behind them.

Conventions are other definitions of penalties, noise, learning rates and errors, by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Symbol

from ..errors import DomainError
from ..notation import one_screen
from ..parsing import parse

#: number of samples, of inputs, of units, of samples of the step: what conventions may hold beside parameters
SIZES = ("n", "d", "p", "n0")
#: parameters that sizes determine
RATIOS = {"alpha": ("n", "d"), "beta": ("p", "d"), "alpha0": ("n0", "d")}

#: what columns are called elsewhere, in lower case without other characters
ELSEWHERE = {"lambda": "lam", "ridge": "lam", "regularization": "lam", "penalty": "lam", "sigma2": "noise_variance",
              "noise": "noise_variance", "delta": "noise_variance", "lr": "eta", "learningrate": "eta",
              "generalizationerror": "test_error", "generalisationerror": "test_error", "eg": "test_error",
              "egen": "test_error", "testmse": "test_error", "testloss": "test_error", "mse": "test_error",
              "risk": "test_error", "trainloss": "train_error", "trainmse": "train_error", "etrain": "train_error"}


@dataclass(frozen=True)
class Convention:
    """Define how the parameters or results of another convention become those of asympkit.

    Attributes
    ----------
    changes : dict of str to str
        For each changed quantity its value here, as a text in those of the other convention and in the sizes n, d, p,
        n0.
    meaning : str

    Examples
    --------
    >>> CONVENTIONS["noise as a standard deviation"].convert(noise_variance=0.5)
    {'noise_variance': 0.25}
    """

    changes: Mapping[str, str]
    meaning: str

    def convert(self, **values: float) -> dict[str, float]:
        """Return the changed quantities.

        Parameters
        ----------
        **values : float
            The names that the texts of ``changes`` hold.

        Returns
        -------
        dict of str to float

        Raises
        ------
        DomainError
            If one of these is missing.
        """
        return {name: evaluate(text, values) for name, text in self.changes.items()}


class Conventions(Mapping[str, Convention]):
    """Hold conventions by their names; printed, each is a line: what changes, and its meaning."""

    def __init__(self, named: Mapping[str, Convention]) -> None:
        self._named = named

    def __getitem__(self, name: str) -> Convention:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def __repr__(self) -> str:
        changes = {name: "; ".join(f"{n} = {text}" for n, text in c.changes.items()) for name, c in self.items()}
        return one_screen("\n".join(f"{name}: {changes[name]} ({c.meaning})" for name, c in self.items()))


#: named conventions: what a table or a program may have meant
CONVENTIONS = Conventions({
    "penalty per sample": Convention({"lam": "n*lam"}, "mean loss: (1/n) sum (y - f)^2 + lam |w|^2"),
    "penalty on plain features": Convention({"lam": "lam/p"}, "features that are not divided by sqrt(p)"),
    "penalty per sample on plain features": Convention({"lam": "n*lam/p"}, "both of these"),
    "half square": Convention({"lam": "2*lam"}, "1/2 sum (y - f)^2 + lam |w|^2"),
    "half penalty": Convention({"lam": "lam/2"}, "sum (y - f)^2 + lam/2 |w|^2"),
    "half errors": Convention({"test_error": "2*test_error", "train_error": "2*train_error"}, "errors 1/2 (y - f)^2"),
    "errors as roots": Convention({"test_error": "test_error**2", "train_error": "train_error**2"},
                                  "roots of mean squares"),
    "error without noise": Convention({"test_error": "test_error + noise_variance"}, "against the noiseless target"),
    "noise as a standard deviation": Convention({"noise_variance": "noise_variance**2"}, "sigma, not sigma^2"),
    "learning rate not divided by d": Convention({"eta": "eta/d"}, "the step is eta, here it is eta d"),
    "learning rate per sample": Convention({"eta": "eta*n0/d"}, "the gradient of a sum, not of a mean"),
    "inverse sample ratio": Convention({"alpha": "1/alpha"}, "d/n, not n/d"),
    "unnormalised Hermite": Convention({"hermite": "hermite/gamma(k + 1)"}, "E f He_k, not divided by k!"),
})
#: the name of users
conventions = CONVENTIONS


def evaluate(text, values):
    """Evaluate the text of a convention; sizes that are not known may cancel."""
    form = parse(text, tuple(dict.fromkeys((*values, *SIZES))))
    d = Symbol("d", real=True)
    of_sizes = {n: values[r] * d for r, (n, _) in RATIOS.items() if r in values and n not in values}
    missing = {s.name for s in form.free_symbols} - values.keys()
    form = form.xreplace({s: of_sizes[s.name] for s in form.free_symbols if s.name in of_sizes})
    if {s.name for s in form.free_symbols} - values.keys():
        raise DomainError(f"convention {text!r}: missing {', '.join(sorted(missing))}; expected it as a column of the "
                          "table or as a number")
    found = form.evalf(subs={s: values[s.name] for s in form.free_symbols})
    if not found.is_real or not found.is_finite:
        raise DomainError(f"convention {text!r}: no finite real number at {dict(values)!r:.80}")
    return float(found)
