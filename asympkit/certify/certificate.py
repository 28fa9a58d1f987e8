"""The record of a proof: its claim, its hypotheses and the library versions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..arguments.requests import check_path

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

__all__ = ["Certificate"]


@dataclass(frozen=True)
class Certificate:
    """The record of a proof by :meth:`certify`.

    Attributes
    ----------
    claim : str
        The statement that is proved.
    theory : str
    functions : dict
        The activations, ``{label: text}``.
    parameters : dict
        Exact values, as text, defaults included; balls of derived ones.
    digits, working_digits, bits : int
        Requested; used for the averages; precision of the balls.
    roots : tuple of str
        The proof of each non-linear block.
    hypotheses : tuple of str
        Growth of the activations, heights of analyticity, regions without zeros: all proved by ball
        arithmetic during this run, stated so that a reader can check them.
    assumptions : tuple of str
        Assumptions of the theory that do not hold; the equations are solved all the same.
    enclosures : dict
        ``{name: text of the ball}``.
    versions : dict
    uniqueness : {"global", "local", "open"}
        The solution is the only one with positive unknowns (or the equations are linear); the only one in the box that
        the proof names; or others in that box are not excluded.
    """

    claim: str
    theory: str
    functions: dict[str, str]
    parameters: dict[str, str]
    digits: int
    working_digits: int
    bits: int
    roots: tuple[str, ...]
    hypotheses: tuple[str, ...]
    assumptions: tuple[str, ...]
    enclosures: dict[str, str]
    versions: dict[str, str]
    uniqueness: Literal["global", "local", "open"] = "local"

    def __repr__(self) -> str:
        return (f"<Certificate of {self.theory}: {len(self.enclosures)} balls, {self.digits} digits, {self.uniqueness} "
                "uniqueness; str() shows all of it>")

    def __str__(self) -> str:
        lines = [f"certificate: {self.theory}", self.claim, ""]
        lines += [f"{k} = {v}" for k, v in (*self.functions.items(), *self.parameters.items())]
        lines += ["", f"{self.digits} digits requested, averages with {self.working_digits} digits, {self.bits} bits"]
        for title, rows in (("roots", self.roots), ("hypotheses, proved in this run", self.hypotheses),
                            ("assumptions of the theory that do not hold", self.assumptions)):
            if rows:
                lines += ["", f"{title}:", *(f"  {row}" for row in rows)]
        width = max(map(len, self.enclosures))
        lines += ["", "enclosures:", *(f"  {k:<{width}}  {v}" for k, v in self.enclosures.items())]
        lines += ["", ", ".join(f"{k} {v}" for k, v in self.versions.items())]
        return "\n".join(lines)

    def save(self, path: str | Path) -> Path:
        """Write the record as JSON.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path

        Raises
        ------
        DomainError
            If there is no such folder.
        """
        path = check_path("path", path)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        return path
