"""Names of generated quantities: never one that a user, Python or the runtime already has."""

import keyword

from sympy import Mul, Pow, Symbol

from ..nodes import Bound, Named

#: names that generated modules use themselves
RESERVED = frozenset({
    "np", "math", "prange", "compiled", "compile_loops", "LOOPS", "OPTIONS", "table",
    "weights", "node", "tolerance", "max_steps", "step", "steps", "diagnose", "i", "j",
    "row", "A", "b", "J", "blocks", "solution", "moving", "delta", "plain", "iterations", "error", "features",
    "symmetric", "base", "level", "result", "known", "status", "out", "start", "params", "exp", "log", "sqrt", "erf",
    "erfc", "k", "folded", "half", "first", "last", "rules", "pairs", "tables", "made", "loops", "abs", "max", "min",
    "range", "len", "float", "int", "tuple", "True", "False", "None", "change", "levels", "list",
    "split", "outer_rules", "normal_means", "stack_rows", "stack_vector", "stack_matrix", "table_by_loops", "by_loops",
    "solve_point", "solve_linear_1", "solve_linear_2", "solve_linear_n", "solve_linear_batch", "eliminate_batch",
    "newton_batch", "mp_resolvent", "mp_resolvent_batch", "_CUTS", "_END", "_NEAR", "_MAIN", "_WIDE", "_ROUNDING",
    "direction_error", "_MEAN_ROUNDING", "_LEAST_MEAN",
})


class Names:
    """Give each symbol and each generated quantity its own identifier."""

    def __init__(self, taken=()):
        self._used = set(RESERVED) | set(keyword.kwlist)
        self._of = {}
        for symbol in taken:
            self._of[symbol] = self._claim(symbol.name)

    def _claim(self, base):
        name, number = base, 1
        while name in self._used:
            number += 1
            name = f"{base}_" if keyword.iskeyword(base) and number == 2 else f"{base}_{number}"
        self._used.add(name)
        return name

    def reserve(self, labels):
        """Keep names for what has them already."""
        self._used.update(labels)

    def fresh(self, base, **assumptions):
        """Return a new symbol whose name is ``base`` if that is free, else a numbered variant."""
        name = self._claim(base)
        symbol = Symbol(name, **(assumptions or {"real": True}))
        self._of[symbol] = name
        return symbol

    def __getitem__(self, symbol):
        return self._of[symbol]

    def mapping(self):
        """``{symbol: identifier}`` of everything named so far."""
        return dict(self._of)


def slug(expr):
    """A readable identifier for a product of names, or ``"column"``."""
    words = []
    for factor in sorted(Mul.make_args(expr), key=lambda f: f.sort_key()):
        base, power = (factor.base, factor.exp) if isinstance(factor, Pow) else (factor, 1)
        if not isinstance(base, (Symbol, Named, Bound)) or not (power == int(power) and 0 < power <= 4):
            return "column"
        words += [base.label if isinstance(base, Named) else base.name] * int(power)
    return "_".join(words)
