"""Growing steps (arXiv 2310.07891): :class:`~asympkit.theories.nonlinear_spikes.theory.NonlinearSpikes`."""

from ..registry import Command, CommandOption

#: the command line of growing steps
STAIRCASE = Command(
    "staircase", "errors at step sizes eta0*n**alpha_lr: a staircase, whose steps are spikes that leave the bulk",
    options=(CommandOption("alpha_lr", "exponents below 1/2: low:high:count, or numbers a,b,c", is_grid=True),
             CommandOption("n", "number of samples; without it the limit, a step function", None),
             CommandOption("eta0", "factor of the step size (1)", 1)),
    quantities=("test_error", "train_error"), refusal="has no spikes that leave the bulk as the step grows")
