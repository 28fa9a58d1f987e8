"""Detect a simulated width that is too small for the limit, because the readout has a large mean."""

#: lam*m**2 over n*objective above which the penalty on the mean readout, absent from the limit, shows
#: (n*train_error would do as well, except near interpolation, where it vanishes and the objective does not)
PENALISED_MEAN = 0.02
#: variance of m times the mean of p hidden units, over the test error, above which the finite width shows
NOISY_MEAN = 0.1


def width_notes(theory, solution, simulation):
    """Return notes if the simulated width is too small for the limit, because the readout has a large mean."""
    square, found = solution["m"] ** 2, []
    penalty = solution.parameters["lam"] * square
    train, total = (simulation.n * solution[name] for name in ("train_error", "objective"))
    if penalty > PENALISED_MEAN * total:
        found.append(f"lam*m**2 = {penalty:.3g} is not small against n*train_error = {train:.3g} "
                     f"({total:.3g} with the penalty): the simulated width is too small for the limit, "
                     "where the mean of the readout is not penalised; take a larger d")
    student = theory.functions["student"]
    noise = square * (student.second_moment() - student.hermite_coefficients(0)[0] ** 2) / simulation.p
    if noise > NOISY_MEAN * solution["test_error"]:
        found.append(f"m**2*Var(student)/p = {noise:.3g} is not small against the test "
                     f"error {solution['test_error']:.3g}: the simulated width is too small for the limit, "
                     "where the mean over the hidden units does not fluctuate; take a larger d")
    return tuple(found)
