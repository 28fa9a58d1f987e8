"""A derivation: ordered steps, each a sentence, an equation and a machine check."""

from dataclasses import dataclass, field

from sympy import Basic, Eq, Ge, Gt, Symbol, latex, sstr

from ..errors import AsympkitError
from ..notation import CONVENTIONAL, broken

#: the longest line of a derivation as text
_COLUMNS = 120


class DerivationError(AsympkitError):
    """A step of a derivation is not true.

    Attributes
    ----------
    step : str
        Number and sentence of the step.
    lhs, rhs : object
        Both sides of what was checked.
    """

    def __init__(self, message, step, lhs, rhs):
        super().__init__(message)
        self.step, self.lhs, self.rhs = step, lhs, rhs


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes
    ----------
    holds : bool
    how : str
        How it was reached, for readers.
    left : object
        What kept the check from holding (a difference, a gap), or None.
    """

    holds: bool
    how: str
    left: object = None


@dataclass(frozen=True)
class Step:
    """A sentence, an equation and a check; by default the equation shown is the one checked."""

    number: int
    sentence: str
    check: object
    shown: object = None
    notation: dict = field(default_factory=dict)

    @property
    def equation(self):
        """What is displayed: a sympy object, or LaTeX as a string."""
        if self.is_computed:            # "A = A" would say nothing
            return self.check.statement.lhs
        return self.check.statement if self.shown is None else self.shown

    @property
    def is_computed(self):
        """Whether two computations came to one expression, and nothing else is shown."""
        if self.shown is not None or not isinstance(self.check.statement, Eq):
            return False
        return sstr(self.check.statement.lhs) == sstr(self.check.statement.rhs)

    def said(self, outcome=None):
        """How it is checked; with the :class:`Outcome`, what was found."""
        parts = [self.check.kind, "both sides were computed, and come to this" if self.is_computed else "",
                 outcome.how if outcome else ""]
        return ": ".join(filter(None, parts))

    @property
    def latex(self):
        if isinstance(self.equation, str):
            return self.equation
        known = {**CONVENTIONAL, **self.notation}
        symbols = {*self.equation.atoms(Symbol), *map(Symbol, self.notation)}       # and the labels of names
        return latex(self.equation, symbol_names={x: known[x.name] for x in symbols if x.name in known})

    @property
    def text(self):
        return self.equation if isinstance(self.equation, str) else readable(self.equation)

    def run(self):
        """Run the check and return its :class:`Outcome`; raise if it does not hold."""
        outcome = self.check.run(self.number)
        if not outcome.holds:
            name = f"step {self.number} ({self.sentence})"
            raise DerivationError(
                f"{name} does not hold.\n  left side:  {readable(self.check.lhs)}\n"
                f"  right side: {readable(self.check.rhs)}\n  {self.check.kind}: {outcome.how}\n"
                f"  what is left: {readable(outcome.left)}", name, self.check.lhs, self.check.rhs)
        return outcome


class Derivation:
    """A titled list of steps.

    Parameters
    ----------
    title : str
    source : str
        The statement that is derived, for instance ``"arXiv 2402.04980, Result 3.1"``.
    about : str, optional
        What is assumed and what is shown, in a few sentences.
    notation : dict of str to str, optional
        LaTeX of names that differs from their spelling.
    """

    def __init__(self, title, source, about="", notation=None):
        self.title, self.source, self.about, self.notation = title, source, about, notation or {}
        self.steps = []

    def step(self, sentence, check, shown=None):
        """Append a step.

        Parameters
        ----------
        sentence : str
            What is said.
        check : Exact, Exceeds, Numerical, Greater, Simulated or Sampled
            How a machine verifies it.
        shown : Basic or str, optional
            What is displayed instead of the two sides of the check (a string is LaTeX).
        """
        self.steps.append(Step(len(self.steps) + 1, sentence, check, shown, self.notation))

    def run(self):
        """Check every step.

        Returns
        -------
        list of Outcome

        Raises
        ------
        DerivationError
            At the first step that does not hold.
        """
        return [step.run() for step in self.steps]

    def text(self, outcomes=None):
        """The derivation as plain text; with the outcomes of :meth:`run`, how each step was checked."""
        lines = [self.title, "=" * len(self.title), f"Source: {self.source}"]
        lines += [self.about] if self.about else []
        for i, step in enumerate(self.steps):
            how = step.said(outcomes[i] if outcomes else None)
            lines += ["", f"{step.number}. {step.sentence}", f"     {step.text}", f"   [{how}]"]
        return "\n".join(part for line in lines for part in broken(line, _COLUMNS))

    def __repr__(self):
        return f"<Derivation {self.title!r}, {len(self.steps)} steps>"


def readable(value):
    """Plain text of a relation, an expression or a number."""
    for relation, sign in ((Eq, "="), (Gt, ">"), (Ge, ">=")):
        if isinstance(value, relation):
            return f"{sstr(value.lhs)} {sign} {sstr(value.rhs)}"
    return sstr(value) if isinstance(value, Basic) else str(value)
