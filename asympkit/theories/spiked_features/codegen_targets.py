"""Write the generated kernels of spiked features, for every student and target."""

from dataclasses import replace

from sympy import Integer, Symbol

from ...codegen import write_kernel
from ...export import ModuleInterface, write_slopes, writer_of
from ...sensitivity.tangent import tangent_program
from ..declaration import REQUIRED
from .equations import overlap_map, ridge, symbols

#: definitions of the unknowns, for the documentation of the module
NOTES = ("q1, q2, theta, psi, m: w'Omega w/p, |w|^2/p, w'Wv/sqrt(pd), w'W zeta/sqrt(pd), 1'w/sqrt(p) of the readout w; "
         "V1, V2: their variances; names with hat: conjugates; alpha = n/d, beta = p/d.  r, c, gamma: "
         "strength of the spike, squared norm of the rows, overlap of the spike with the target; "
         "rho = sqrt(1 - gamma**2).",)
_SQUARE = "square loss (arXiv 2402.04980)"
_RHO = "    {rho} = np.sqrt((1.0 - {gamma})*(1.0 + {gamma}))"


def tangent_along(equations):
    """Return the tangent program along any direction with its names, and the names of the parameters that move."""
    rates = {s: Symbol(f"rate_{s.name}", real=True) for s in equations.parameters}
    return *tangent_program(equations.system, equations.parameters, rates), [s.name for s in rates]


def isotropic_fields(theory, program, labels):
    """Return fields of the interface over an isotropic bulk: parameters of the program, those in front, the tangent."""
    has_width = theory.case.has_width
    declared = tuple(replace(p, default=REQUIRED) if p.name == "width" else p for p in theory.declared
                     if p.name != "width" or has_width)
    of_width = {"inverse_width": "1.0/width"} if has_width else {}
    tabled = [s.name for s in program.table_parameters if s.name in of_width]
    lines = [f"    {labels[n]} = {of_width.pop(n)}" for n in tabled]        # tables need it before points do
    fixed = {"bias": theory.readout.bias, "even_parts": float(theory.readout.has_even_parts(theory.functions))}
    lines += [f"    {labels[n]} = {value!r}" for n, value in fixed.items() if n in labels]
    texts = tuple(of_width.get(s.name, labels[s.name]) for s in program.parameters)
    own = ("alpha", "lam", "beta", "noise_variance", "flip", *["width"] * (not tabled))
    free = tuple(n for n in own if n not in theory.layer.names)            # a step depends on some
    return {"declared": declared, "parameters": texts, "free": free, "divisor": ("rho", ("gamma", "rho")),
            "tangent": (lambda: tangent_along(ridge(has_width))) if theory.readout.is_ridge else None}, lines


def with_width(slopes, theory):
    """Return what differentiates a map, with the derivative of 1/width."""
    text, steps, places, call = slopes
    of_width = {("inverse_width", "width"): "-1.0/width**2"} if theory.case.has_width else {}
    return text, steps, places | of_width, call


def module_source(theory, language="python", derivatives=False):
    """Return the source of an exported module for readout, student and target of a :class:`SpikedFeatures`."""
    program, names = theory.program
    labels = {s.name: names.mapping()[s] for s in program.parameters}
    tests = {} if theory.readout.is_half_square else {"gamma": (
        "(x > -1.0) & (x < 1.0)", "a number between -1 and 1, where these equations hold")}
    fields, lines = isotropic_fields(theory, program, labels)
    lines += [f"    {labels[n]} = 0.0" for n in labels if n == "tilt"]
    front = ModuleInterface(lines=(_RHO.format(**labels), *lines), tests=tests,
                            falling="" if theory.readout.is_ridge else "lam", **fields,
                            slopes=lambda: with_width(write_slopes("overlap_slopes", overlap_map(), names.mapping(),
                                                                   labels, {}), theory))
    return writer_of(language)(program, names, theory.equations(), write_title(theory, "Spiked random features"), front,
                             written_functions(theory), theory.solver.starts, notes=NOTES,
                             has_one_root=not theory.readout.is_ridge, derivatives=derivatives)


def write_title(theory, what, end=" (arXiv 2402.04980)"):
    """Return the first line of a module."""
    readout = theory.readout
    bias = f", bias {readout.bias:g}" if readout.bias else ""
    target = "" if readout.has_flips else f", target {theory.target.name}"
    loss = "square loss" if readout.is_ridge else f"loss {readout.loss.expr}, labels {readout.labels}{bias}"
    end = f", at a finite width{end}" if theory.case.has_width else end
    return f"{what}, student {theory.student.name}{target}, {loss}{end}"


def written_functions(theory):
    """Return the activations in the equations of a loss."""
    return {label: theory.functions[label] for label in theory.program[0].activations}


def kernel_source():
    """Return the source of ``kernel.py``, for spiked features and for one gradient step."""
    from ..one_step.codegen_targets import step_source

    return write_kernel(*ridge().program, f"Spiked random features and one gradient step, {_SQUARE}",
                        extra=step_source())


def writers():
    """Return ``{file name: function}`` for the files in ``generated/spiked_features/``."""
    title = "Spiked random features"
    return {"kernel.py": kernel_source,
            "lam.py": lambda: write_kernel(         # for minimisation
                *tangent_program(ridge().system, ridge().parameters, {symbols().lam: Integer(1)}),
                f"{title}, square loss, with the derivatives of everything by lam (arXiv 2402.04980)"),
            "equations.tex": lambda: ridge().system.latex() + "\n",
            "finite_width.py": lambda: write_kernel(*ridge(True).program, f"{title} at a finite width, {_SQUARE}")}
