"""Write the generated kernels of spiked features, for every student and target."""

from sympy import Integer, Symbol

from ...codegen import write_kernel
from ...export import WRITERS, ModuleInterface, write_slopes
from ...sensitivity.tangent import tangent_program
from .equations import finite_width_program, overlap_map, spiked_parameters, spiked_program, spiked_system, symbols

#: definitions of the unknowns, for the documentation of the module
NOTES = ("q1, q2, theta, psi, m: w'Omega w/p, |w|^2/p, w'Wv/sqrt(pd), w'W zeta/sqrt(pd), 1'w/sqrt(p) of the readout w; "
         "V1, V2: their variances; names with hat: conjugates; alpha = n/d, beta = p/d.  r, c, gamma: "
         "strength of the spike, squared norm of the rows, overlap of the spike with the target; "
         "rho = sqrt(1 - gamma**2).",)
_RHO = "    {rho} = np.sqrt((1.0 - {gamma})*(1.0 + {gamma}))"


def kernel_source():
    """Return the source of ``kernel.py``, for spiked features and for one gradient step."""
    from ..one_step.codegen_targets import step_source

    program, names = spiked_program()
    return write_kernel(program, names, "Spiked random features and one gradient step, square loss "
                        "(arXiv 2402.04980)", extra=step_source())


def isotropic_tangent():
    """Return the tangent program along any direction with its names, and the names of the parameters that move."""
    rates = {s: Symbol(f"rate_{s.name}", real=True) for s in spiked_parameters()}
    return *tangent_program(spiked_system(), spiked_parameters(), rates), [s.name for s in rates]


def lam_source():
    """Return the source of ``lam.py``: the kernel with derivatives by lam alone, for minimisation."""
    program, names = tangent_program(spiked_system(), spiked_parameters(), {symbols().lam: Integer(1)})
    return write_kernel(program, names, "Spiked random features, square loss, with the derivatives of everything "
                        "by lam (arXiv 2402.04980)")


def get_limit_parameters(theory):
    """Return the parameters of an exported module, which is for the limit."""
    return tuple(p for p in theory.declared if p.name != "width")


def module_source(theory, language="python", derivatives=False):
    """Return the source of an exported module for readout, student and target of a :class:`SpikedFeatures`."""
    program, names = theory.program
    labels = {s.name: names.mapping()[s] for s in program.parameters}
    tests = {} if theory.readout.is_half_square else {"gamma": (
        "(x > -1.0) & (x < 1.0)", "a number between -1 and 1, where these equations hold")}
    front = ModuleInterface(get_limit_parameters(theory), (_RHO.format(**labels), *write_fixed_bias(theory, labels)),
                            free=("alpha", "lam", "beta", "noise_variance", *["flip"] * theory.readout.has_flips),
                            tests=tests, falling="" if theory.readout.is_ridge else "lam",
                            tangent=isotropic_tangent if theory.readout.is_ridge else None,
                            slopes=lambda: write_slopes("overlap_slopes", overlap_map(), names.mapping(), labels, {}))
    return WRITERS[language](program, names, theory.equations(), write_title(theory, "Spiked random features"), front,
                        written_functions(theory), theory.solver.starts, notes=NOTES,
                        has_one_root=not theory.readout.is_ridge, derivatives=derivatives)


def write_title(theory, what, end=" (arXiv 2402.04980)"):
    """Return the first line of a module."""
    readout = theory.readout
    bias = f", bias {readout.bias:g}" if readout.bias else ""
    target = "" if readout.has_flips else f", target {theory.target.name}"
    loss = "square loss" if readout.is_ridge else f"loss {readout.loss.expr}, labels {readout.labels}{bias}"
    return f"{what}, student {theory.student.name}{target}, {loss}{end}"


def write_fixed_bias(theory, labels):
    """Return the line of a fixed bias, which is not an argument."""
    return [f"    {labels['bias']} = {theory.readout.bias!r}"] if "bias" in labels else []


def written_functions(theory):
    """Return the activations in the equations of a loss."""
    return {label: theory.functions[label] for label in theory.program[0].activations}


def equations_source():
    """Return the equations in LaTeX."""
    return spiked_system().latex() + "\n"


def finite_width_source():
    """Return the source of ``finite_width.py``: the kernel with the number of hidden units."""
    program, names = finite_width_program()
    return write_kernel(program, names, "Spiked random features at a finite width, square loss (arXiv 2402.04980)")


def writers():
    """Return ``{file name: function}`` for the files in ``generated/spiked_features/``."""
    return {"kernel.py": kernel_source, "lam.py": lam_source, "equations.tex": equations_source,
            "finite_width.py": finite_width_source}
