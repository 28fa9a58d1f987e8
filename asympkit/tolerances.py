"""Numerical thresholds that several packages share, and the residuals that stand for a state."""

#: relative rounding of double precision, and the rounding error above which a solution has not converged
ROUNDING, LARGEST_ERROR = 2.0**-52, 1e-9
#: the same threshold if averages are refined until nothing changes: refinement then shows the effect of rounding, and
#: only a matrix that rounding changes by 1e-3 of its distance from a singular one counts as an error of 1e-9
MEASURED = 1e-6
#: residual of linear equations that leave unknowns undetermined, or contradict one another
DEPENDENT = 1e290
#: residual of an output whose formula subtracts nearly equal numbers
AMPLIFIED = 1e289
#: residual of a point at which an unknown tends to the edge of its domain
AT_EDGE = 1e288
#: size of terms and unknowns that counts as rounding beside terms of order 1
LEAST_SIZE = 1e-25
#: places of the residual and of the number of iterations in the outputs of a solver, behind unknowns and observables
RESIDUAL, ITERATIONS = -2, -1
