"""Order the conditional means of a preparation in passes: all means of one activation at one argument together."""

from dataclasses import dataclass, field

from ..program.statements import Means


@dataclass
class Pass:
    """Means of one activation at one argument.

    Attributes
    ----------
    stages : list of (list of Scalar, Means)
        Means that hold others of the same pass come after them; the scalars say how they hold them.
    after : list of Scalar
        What is known when the pass is done, in order.
    """

    stages: list = field(default_factory=list)
    after: list = field(default_factory=list)

    @property
    def first(self):
        return self.stages[0][1]

    @property
    def items(self):
        """(symbol, functional) of all means."""
        return [item for _, means in self.stages for item in means.items]

    @property
    def key(self):
        return self.first.source, self.first.offset, self.first.slope

    @property
    def needed(self):
        """Symbols the pass takes from outside."""
        first = self.first
        inside, outside = {first.z, first.value}, set()
        for scalars, means in self.stages:
            for s in scalars:
                outside |= s.expr.free_symbols - inside
                inside.add(s.symbol)
            outside |= set().union(*(f.free_symbols for _, f in means.items)) - inside
            inside.update(means.outputs)
        return outside


def passes(preparation):
    """The passes of a preparation, and the scalars that need none.

    Returns
    -------
    list of Pass, list of Scalar
    """
    made, before, home, scalars = [], [], {}, {}
    for step in preparation:
        if not isinstance(step, Means):
            place = home[step.symbol] = max((home.get(s, -1) for s in step.expr.free_symbols), default=-1)
            (made[place].after if place >= 0 else before).append(step)
            scalars[step.symbol] = step
            continue
        needs = set().union(*(f.free_symbols for _, f in step.items))
        earliest = max((home.get(s, -1) for s in needs), default=-1)
        place = next((n for n, p in enumerate(made) if n >= earliest and p.key == _key(step)), len(made))
        if place == len(made):
            made.append(Pass())
        made[place].stages.append((_inside(needs, scalars, home, place, made[place]), step))
        home.update(dict.fromkeys(step.outputs, place))
    return made, before


def _key(means):
    return means.source, means.offset, means.slope


def _inside(needs, scalars, home, place, known):
    """Scalars between the stages of one pass, those that others hold first."""
    done, found = {s.symbol for stage, _ in known.stages for s in stage}, []

    def add(symbol):
        step = scalars.get(symbol)
        if step is None or home[symbol] != place or symbol in done:
            return
        done.add(symbol)
        for s in sorted(step.expr.free_symbols, key=str):
            add(s)
        found.append(step)

    for symbol in sorted(needs, key=str):
        add(symbol)
    return found
