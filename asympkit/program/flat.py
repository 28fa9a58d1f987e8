"""Variables of an average that a parameter switches off: one node is enough for them."""

__all__ = ["flat_conditions"]


def flat_conditions(program, grid):
    """Variables that one table parameter switches off, ``{variable: parameter}``: no column holds them at 0."""
    found = {}
    for b in grid.bound:
        holding = [e for e in grid.columns if b in e.free_symbols]
        off = [p for p in program.table_parameters if holding and all(
            p in e.free_symbols and b not in e.subs(p, 0).free_symbols for e in holding)]
        if off:
            found[b] = off[0]
    return found
