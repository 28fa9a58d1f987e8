"""The ``solve`` of a standalone module: a theory's own parameters in, a dictionary out."""

from ..errors import StructureError
from ..program.names import identifier, mark
from .products import holds_products
from .tables import write_scalar_map
from .text import docstring

_INNER = "solve_parameters"
_LOST = "solve: a mean of which only the direction counts is below rounding: asympkit's precise() has the digits"
_LEVELS = '''
    previous, change = None, np.inf
    for level in range(1, {levels}):
{tables}
        found = {solved}
        if previous is not None:
            with np.errstate(all="ignore"):
                size = np.maximum(np.abs(found[:-2]), np.abs(previous[:-2])) + 1e-300
            change = np.max(np.abs(found[:-2] - previous[:-2]) / size)
            if change <= rtol and found[-2] <= 1e-9:
                return dict(zip(OUTPUTS, map(float, found)), error_estimate=float(change))
        previous = found
    raise ValueError("solve: no solution to rtol = {{:g}} (residual {{:.1e}}, change under refinement {{:.1e}}): move "
                     "the parameters, or use asympkit itself".format(rtol, found[-2], change))
'''
_ONCE = '''
{tables}    found = {solved}
    if not found[-2] <= 1e-9:
        raise ValueError("solve: no solution (residual {{:.1e}}): move the parameters, or use asympkit"
                         .format(found[-2]))
    return dict(zip(OUTPUTS, map(float, found)), error_estimate=0.0)
'''


def write_front(program, names, declared, derived, starts):
    """Source of ``solve`` for a person's own theory, and of what it calls.

    Parameters
    ----------
    program : Program
    names : Names
        With the labels of the activations.
    declared : sequence of Parameter
        Whose symbols are typed.
    derived : Derived or None
    starts : list of dict of str to float
        Starting values of the unknowns that Newton's method solves for, the usual ones first.

    Raises
    ------
    StructureError
        If a derived quantity holds an average that is no moment of an activation: only the package evaluates it.
    """
    mapping, parts = names.mapping(), []
    arrays = dict.fromkeys(b for g in program.grids if g.given for b in g.bound)
    is_refined = any(not g.given for g in program.grids)
    arguments = [*(p.symbol for p in declared), *arrays]
    lines = [f"def {_INNER}({', '.join(mapping[s] for s in arguments)}{', rtol' if is_refined else ''}):",
             '    """As :func:`solve`."""']
    for p in declared:
        lines += _domain_lines(p, mapping[p.symbol])
    if derived is not None:
        parts.append(_derived_source(derived, mapping))
        outputs = ", ".join(mapping[s] for s in program.parameters if s.name in derived.expressions)
        at = [mapping[s] for s in derived.arguments] + [mapping[a] for a in derived.moments.activations]
        lines += [f"    {outputs}, error = derived_quantities({', '.join(at)})",
                  "    if not error <= 1e-11:",
                  '        raise ValueError("solve: derived quantities could not be computed: use asympkit")']
    depth = 2 if is_refined else 1
    tables = "".join("    " * depth + line + "\n" for line in _tables(program, mapping))
    levels = "LEVELS" if holds_products(program) else "len(OUTER_STEPS)"
    body = (_LEVELS if is_refined else _ONCE).format(tables=tables.rstrip("\n") if is_refined else tables,
                                                     solved=_solved(program, mapping, starts), levels=levels)
    inner = "\n".join(lines) + "\n" + body.strip("\n")
    return "\n\n\n".join([FIRST, *parts, inner, _outer(declared, arrays, mapping, is_refined)])


def _outer(declared, arrays, mapping, is_refined):
    """``solve``, whose arguments are called as they are typed wherever they can be."""
    names = {s: _as_typed(s.name, mapping[s]) for s in (*(p.symbol for p in declared), *arrays)}
    required = [names[p.symbol] for p in declared if p.is_required]
    optional = [f"{names[p.symbol]}={p.check(p.default)!r}" for p in declared if not p.is_required]
    rtol = ["rtol=1e-10"] if is_refined else []
    meanings = [f"    {names[p.symbol]} : float\n        {docstring(p.meaning or p.name)}" for p in declared]
    meanings += [f"    {names[a]} : array" for a in arrays]
    meanings += ["    rtol : float\n        Largest relative change under refinement of the averages."] * is_refined
    text = "\n".join(meanings)
    return (f"def solve({', '.join([*required, *(names[a] for a in arrays), *optional, *rtol])}):\n"
            f'    """Unknowns and observables as a dict, with residual, iterations and error_estimate.\n\n'
            f'    Parameters\n    ----------\n{text}\n    """\n'
            f"    return {_INNER}({', '.join(names.values())}{', rtol' if is_refined else ''})")


def _domain_lines(p, label):
    """Source that refuses a number outside the domain of a parameter."""
    low, high = ("-np.inf", "np.inf") if isinstance(p.domain, str) else map(repr, map(float, p.domain))
    test = {"positive": f"0.0 < {label} < np.inf", "nonnegative": f"0.0 <= {label} < np.inf",
            "nonnegative or inf": f"{label} >= 0.0", "real": f"-np.inf < {label} < np.inf",
            "[-1, 1]": f"-1.0 <= {label} <= 1.0", "[0, 1]": f"0.0 <= {label} <= 1.0"}.get(
                p.domain if isinstance(p.domain, str) else None, f"{low} <= {label} <= {high}")
    said = docstring(f"{p.name}: expected {p.expectation.partition(' (')[0]}")
    return [f"    if not {test}:", f'        raise ValueError("{said}")']


def _as_typed(name, label):
    return name if identifier(name) == name and name not in (_INNER, "rtol") else label


def _derived_source(derived, mapping):
    moments = derived.moments
    if moments is None:
        raise StructureError("generate: a derived quantity holds an average that is no moment of an activation "
                             "(E of f(z) times powers of z); a standalone module cannot evaluate it")
    own = derived.names.mapping() | {label: mapping[label] for label in moments.activations}
    own |= {s: mapping[s] for s in derived.arguments}
    return write_scalar_map("derived_quantities", moments, own, "Derived quantities, and the error of their means.")


def _tables(program, mapping):
    parameters = ", ".join(mapping[s] for s in program.table_parameters)
    activations = ", ".join(mapping[a] for a in program.activations)
    lines = []
    for g in program.grids:
        name = mark(g.name)
        if g.given:
            arrays = ", ".join(f"np.ravel(np.asarray({mapping[b]}, dtype=float))" for b in g.bound)
            lines.append(f"{name}_table, {name}_weights = {name}_rule({arrays})")
            continue
        at = ", ".join(x for x in ("(level,)", parameters, activations) if x)
        lines.append(f"(({name}_table, {name}_weights),), _ = {name}_rule({at})")
        if g.directions:
            functions = f"({activations}{',' if activations else ''})"
            lines += [f"for direction in {name}_DIRECTIONS:",
                      f"    if not direction_error({name}_table, {name}_weights, direction, {functions}) <= 1e-9:",
                      f"        raise ValueError({_LOST!r})"]
    return lines


def _solved(program, mapping, starts):
    torn = [u for n in program.newtons for u in n.torn]
    parameters = ", ".join(mapping[s] for s in program.parameters)
    grids = ", ".join(f"{mark(g.name)}_table, {mark(g.name)}_weights" for g in program.grids)
    rows = ", ".join("(" + "".join(f"{float(s[u.name])!r}, " for u in torn) + ")" for s in starts) or "()"
    return f"first_solution(({parameters}{',' if parameters else ''}), ({grids}{',' if grids else ''}), ({rows},))"


#: what tries one start after the other
FIRST = '''
def first_solution(parameters, tables, starts):
    """The outputs from the first start that leads to a solution; from the last, where none does."""
    values = [np.array([float(p)]) for p in parameters]
    with np.errstate(all="ignore"):
        for plain in (2, 40):
            for start in starts:
                begin = [np.array([s]) for s in start]
                out, _ = solve_batch(*values, *tables, *begin, plain, 1e-9, 100 + plain)
                if out[-2, 0] <= 1e-9:
                    return out[:, 0]
    return out[:, 0]
'''.strip("\n")
