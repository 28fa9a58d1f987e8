"""Print long chains of equations as straight lines of elimination, for loops: their work grows like their length.

Rows are not exchanged.  Where that fails a step of Newton's method leads nowhere, or the residual of linear equations
shows it; points that loops do not solve are solved in plain numpy, with exchanges.
"""

from dataclasses import replace

from sympy import Integer

from ..program.statements import Linear, Newton, Scalar
from ..tolerances import LARGEST_ERROR, ROUNDING

__all__ = ["Elimination", "link_long_blocks", "newton_entries"]


def link_long_blocks(program):
    """Return statements in which long blocks are solved with their links.

    Their measure of near singularity is set to 0: :meth:`Elimination.near_singular` leaves all points where it may
    differ to be solved without links.
    """
    solved, implied = set(), set()
    for s in program.linears:
        if s.links:
            solved |= {u for u in s.links.unknowns if u is not None}
            implied |= {*program.implied.get(s.residual, ())}
    out = []
    for s in program.statements:
        if isinstance(s, Scalar) and s.symbol in implied:
            out.append(replace(s, expr=Integer(0), note=""))
        elif not (isinstance(s, Scalar) and s.symbol in solved):
            out.append(_with_links_alone(s) if isinstance(s, Newton | Linear) and s.links else s)
    return out


def _with_links_alone(s):
    return replace(s, jacobian=()) if isinstance(s, Newton) else replace(s, matrix=(), rhs=())


def newton_entries(newton, names):
    """Return sources of a Newton step's entries, in logarithms of the iteration variables, by row and column."""
    links, targets = newton.links, dict(zip(newton.torn, (t for t, _ in newton.targets)))
    found = {(k, k): "1.0" for k in range(len(links.unknowns))}
    for (i, j), d in links.entries.items():
        u, a = links.unknowns[i], links.unknowns[j]
        rate = names[d] + f"*{names[a]}" * (a in targets) + (f"/{names[targets[u]]}" if u in targets else "")
        found[i, j] = f"1.0 - {rate}" if i == j else f"-{rate}"
    return found


class Elimination:
    """Writes the solution of one linear system.

    Parameters
    ----------
    put : callable
        Takes a line.
    name : str
        Begins the names of all numbers in between.
    entries : dict of (int, int) to str
        Sources of the entries, by row and column.
    """

    def __init__(self, put, name, entries):
        self.put, self.name = put, name
        self.rows = 1 + max(i for i, _ in entries)
        self.given, self.left, self.ratios = {}, {}, {}
        for (i, j), text in sorted(entries.items()):
            self.given[i, j] = self._number(f"a_{i}_{j}", text)
        self._factor()

    def _number(self, label, text):
        """Assign a number to a name and return that; a literal is returned itself."""
        if text == "1.0":
            return text
        self.put(f"{self.name}_{label} = {text}")
        return f"{self.name}_{label}"

    def _factor(self):
        now, self.pivots = dict(self.given), {}
        for k in range(self.rows):
            pivot, row = now.get((k, k), "0.0"), sorted(j for i, j in now if i == k and j > k)
            self.pivots[k] = self._number(f"p_{k}", "1.0" if pivot == "1.0" else f"1.0/{pivot}")
            for i in sorted(i for i, j in now if j == k and i > k):
                ratio = self.ratios[i, k] = self._number(f"m_{i}_{k}", _times(now.pop((i, k)), self.pivots[k]))
                for j in row:
                    before = f"{now[i, j]} - " if (i, j) in now else "-"
                    now[i, j] = self._number(f"u_{i}_{j}_{k}", f"{before}{ratio}*{now[k, j]}")
            self.left |= {(k, j): now[k, j] for j in row}

    def solve(self, rhs):
        """Return names of the solution; ``rhs`` are sources by row, 0 for rows that are not in it."""
        b = {}
        for k in range(self.rows):
            if k in rhs:
                b.setdefault(k, []).insert(0, rhs[k])
            if k not in b:
                continue
            b[k] = self._number(f"b_{k}", " ".join(b[k]))
            for i, j in self.ratios:
                if j == k:
                    b.setdefault(i, []).append(f"- {self.ratios[i, k]}*{b[k]}")
        x = {}
        for k in reversed(range(self.rows)):
            terms = "".join(f" - {self.left[i, j]}*{x[j]}" for i, j in sorted(self.left) if i == k)
            text = f"{b.get(k, '')}{terms}".strip() or "0.0"
            x[k] = self._number(f"x_{k}", text if self.pivots[k] == "1.0" else f"({text})*{self.pivots[k]}")
        return x

    def residual(self, x, rhs):
        """Return the source of the largest residual of a row relative to its terms."""
        found = []
        for k in range(self.rows):
            terms = [_times(self.given[i, j], x[j]) for i, j in sorted(self.given) if i == k]
            parts = [*terms, rhs[k]] if k in rhs else terms
            value = f"{' + '.join(terms)} - {rhs[k]}" if k in rhs else " + ".join(terms)
            found.append(f"abs({value})/({' + '.join(f'abs({t})' for t in parts)} + 1e-300)")
        return largest(found)

    def near_singular(self, sizes, rounding):
        r"""Return a condition under which errors of these sizes change nothing.

        The diagonal of :math:`|A^{-1}|\,B`, B the sizes, is not above that of comparison, in which all terms that
        elimination adds have one sign.  Units of unknowns and equations do not matter.
        """
        unit, y = {}, {}
        sizes = {at: self._number(f"s_{at[0]}_{at[1]}", text) for at, text in sorted(sizes.items())}
        for j in range(self.rows):
            unit[j] = self._number(f"c_{j}", f"{largest(text for (_, k), text in sizes.items() if k == j)} + 1e-300")
        for k in range(self.rows):
            share = largest(f"{text}/{unit[j]}" for (i, j), text in sizes.items() if i == k)
            more = "".join(f" + abs({m})*{y[j]}" for (i, j), m in sorted(self.ratios.items()) if i == k)
            y[k] = self._number(f"y_{k}", share + more)
        z = {}
        for k in reversed(range(self.rows)):
            terms = "".join(f" + abs({text})*{z[j]}" for (i, j), text in sorted(self.left.items()) if i == k)
            z[k] = self._number(f"z_{k}", f"({y[k]}{terms})*abs({self.pivots[k]})")
        # a sum, not the largest: NaN stays in it, and no condition holds of that
        share = " + ".join(f"{unit[k]}*{z[k]}" for k in range(self.rows))
        return f"{share} <= {LARGEST_ERROR / (ROUNDING * rounding)!r}"

    @staticmethod
    def finite(x):
        """Return a condition under which a solution is finite: dividing by a pivot of 0 leaves NaN or infinity."""
        return f"{' + '.join(f'abs({v})' for v in x.values())} < math.inf"


def largest(parts):
    """Return the source of the largest of some numbers."""
    parts = list(parts)
    return parts[0] if len(parts) == 1 else f"max({', '.join(parts)})"


def _times(a, b):
    return b if a == "1.0" else a if b == "1.0" else f"{a}*{b}"
