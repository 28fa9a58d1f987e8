"""Signs of conditional means under a reflection of the outer node, for even and for odd activations.

``E F(z, s(a+bz))`` at ``-a`` is ``E F(-z, e s(a+bz))`` for an activation of parity e.
"""

from ..program.reflection import sign_of
from ..program.statements import Means


def mirror_signs(grid, arguments):
    """Return the signs of the outputs of every Means of a grid under reflection.

    Parameters
    ----------
    grid : Grid
    arguments : set of Symbol
        Symbols that do not vary over the grid.

    Returns
    -------
    list of dict
        For each Means, ``{parity of its activation: signs of its outputs}`` where they are known.
    """
    node, found, known = grid.bound[0], [], {}
    for step in grid.preparation:
        if not isinstance(step, Means):
            for columns in known.values():
                columns[step.symbol] = sign_of(step.expr, columns)
            continue
        of_step = {}
        reflected = (step.offset.subs(node, -node) + step.offset).expand() == 0
        for parity in (1, -1) if reflected else ():
            columns = known.setdefault((step.source, parity), dict.fromkeys(arguments, 1))
            at = {**columns, step.z: -1, step.value: parity}
            signs = tuple(sign_of(f, at) for _, f in step.items)
            columns.update((s, sign) for s, sign in zip(step.outputs, signs) if sign)
            if all(signs):
                of_step[parity] = signs
        found.append(of_step)
    return found
