"""Write the derivation of a theory's equations as text, LaTeX, MathML or data."""

from ..equations.legend import legend
from ..nodes import bind
from ..summary import COLUMNS, broken

__all__ = ["FORMATS", "data", "written"]

FORMATS = ("text", "latex", "mathml")


def _writer(system, form):
    """Return the function that writes an expression in the notation of a system."""
    if form != "mathml":
        return {"text": str, "latex": system.written}[form]
    from ..equations.mathml import presentation

    return lambda expr: presentation(expr, system.notation)


def written(theory, form):
    """Return free energy or stated equations, then the system derived from them, as one text.

    Parameters
    ----------
    theory : Model
    form : {"text", "latex", "mathml"}
    """
    system, stated, energy = theory.equations(), theory.stated, theory.free_energy
    write = _writer(system, form)
    if form == "text":
        letter = _letter(theory, system)
        head = [f"free energy\n  {letter} = {energy}"] if not stated else ["stated equations",
                                                                          *(f"  0 = {e}" for e in stated)]
        head += ["symbols", *(f"  {', '.join(s.name for s in symbols)}: {what}" for symbols, what in legend(system))]
        meanings = theory.meanings
        tail = ["parameters that follow", *(f"  {k}: {v}" for k, v in meanings.items())] if meanings else []
        lines = "\n".join([*head, system.text(), *tail]).splitlines()
        return "\n".join(part for line in lines for part in broken(line, COLUMNS))
    if form == "latex":
        rows = [f"0 = {write(e)}" for e in stated] or [rf"\mathcal{{F}} = {write(energy)}"]
        return "\n".join([*(f"\\[ {row} \\]" for row in rows), system.latex()])
    return "\n".join([*map(write, stated or (energy,)), system.mathml()])


def _letter(theory, system):
    """Return a name for the free energy that is not used otherwise."""
    taken = {s.name for symbols, _ in legend(system) for s in symbols} | {n.label for n in system.definitions}
    taken |= {p.name for p in theory.declared}
    return next((c for c in ("F", "f", "Phi") if c not in taken), "the free energy")


def data(theory, form):
    """Return the same as plain data."""
    system = theory.equations()
    write = _writer(system, form)

    def shown(expr):
        return write(bind(expr, theory.functions))

    return {"format": form, "free_energy": None if theory.free_energy is None else shown(theory.free_energy),
            "stated": [shown(e) for e in theory.stated], "parameters": theory.meanings,
            "unknowns": [str(u) for u in system.unknowns],
            "definitions": {n.label: shown(n.expr) for n in system.definitions},
            "blocks": [_block(b, shown) for b in system.blocks],
            "observables": {k: shown(e) for k, e in system.observables.items()}}


def _block(block, shown):
    equations = [{"left": str(u) if is_map else "0", "right": shown(f)} for u, f, is_map in block.equations]
    assignments = [{"left": str(u), "right": shown(f)} for u, f in block.assignments]
    return {"kind": block.kind, "unknowns": [str(u) for u in block.unknowns],
            "torn": [str(u) for u in block.torn], "equations": equations, "assignments": assignments}
