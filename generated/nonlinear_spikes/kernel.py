"""Nonlinear spikes after a gradient step, diverging spikes (arXiv 2310.07891).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: chi, zeta, m1, m2, dchi, dzeta, dm1, dm2.
Parameters: phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial.
Observables: train_error, test_error, baseline_train, baseline_test, train_gap, test_gap.
"""


import math

import numpy as np

from asympkit.runtime.compiled import compiled, in_parallel, prange
from asympkit.runtime.linear import solve_linear_1, solve_linear_batch
from asympkit.runtime.means import normal_means
from asympkit.runtime.newton import DIFFERENCES, limited, newton_batch, remember
from asympkit.runtime.tables import stack_matrix, stack_vector


ROUNDING = 2.0**-52
LARGEST_ERROR = 1e-9
PARAMETERS = ("phi", "psi", "lam", "noise_variance", "linear", "nonlinear", "target_linear", "target_rest", "kept", "spike", "energy_2", "energy_3", "energy_4", "energy_5", "energy_6", "energy_7", "energy_8", "energy_9", "energy_10", "energy_11", "energy_12", "leak_1", "leak_2", "leak_3", "leak_4", "leak_5", "leak_6", "constant", "radial",)
TABLE_PARAMETERS = ()
UNKNOWNS = ("chi", "zeta", "m1", "m2", "dchi", "dzeta", "dm1", "dm2",)
TORN = ("chi",)
OBSERVABLES = ("train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap",)
OUTPUTS = ("chi", "zeta", "m1", "m2", "dchi", "dzeta", "dm1", "dm2", "train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap", "residual", "iterations",)
ACTIVATIONS = ()
GRIDS = ()
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


def conclude(A_dchi_dchi, chi, constant, dchi, ddzeta_ddchi, distance, dzeta_0, energy_10, energy_11, energy_12, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, kappa, kept, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, linear, noise_variance, nonlinear, phi, radial, size_dzeta_0, slope_chi_chi, target_linear, target_rest, zeta):
    """Compute observables and the errors that rounding makes."""
    # dzeta = linear*dratio + dshare
    dzeta = dchi*ddzeta_ddchi + dzeta_0
    length = kept*(linear + phi*(linear + nonlinear)) + phi*(noise_variance + (target_linear*target_linear) + target_rest) + (target_linear*target_linear)
    overlap = (target_linear*target_linear)/length
    freed = energy_10*(overlap)**(10) + energy_11*(overlap)**(11) + energy_12*(overlap)**(12) + energy_2*(overlap*overlap) + energy_3*(overlap*overlap*overlap) + energy_4*(overlap*overlap*overlap*overlap) + energy_5*(overlap)**(5) + energy_6*(overlap)**(6) + energy_7*(overlap)**(7) + energy_8*(overlap)**(8) + energy_9*(overlap)**(9) - (leak_1*overlap + leak_2*(overlap*overlap) + leak_3*(overlap*overlap*overlap) + leak_4*(overlap*overlap*overlap*overlap) + leak_5*(overlap)**(5) + leak_6*(overlap)**(6))**(2)/(chi*radial/phi + constant)
    dfreed = dchi*radial*(leak_1*overlap + leak_2*(overlap*overlap) + leak_3*(overlap*overlap*overlap) + leak_4*(overlap*overlap*overlap*overlap) + leak_5*(overlap)**(5) + leak_6*(overlap)**(6))**(2)/(phi*(chi*radial/phi + constant)**(2))
    chi_check = 2/(zeta*(distance + kappa + 1))
    chi_error = ROUNDING/(abs(slope_chi_chi) + 1e-300)
    rounding_dchi = 2*size_dzeta_0/((zeta*zeta)*(distance + kappa + 1)) + (1 + 2*abs(ddzeta_ddchi)/((zeta*zeta)*(distance + kappa + 1)))*abs(dchi)
    error_dchi = rounding_dchi/(abs(A_dchi_dchi) + 1e-300)
    error_dzeta = size_dzeta_0 + abs(dchi)*abs(ddzeta_ddchi) + abs(ddzeta_ddchi)*abs(error_dchi)
    error_freed = (overlap)**(12)*abs(energy_12) + (overlap)**(10)*abs(energy_10) + (overlap)**(10)*abs(energy_11)*abs(overlap) + (overlap)**(8)*abs(energy_8) + (overlap)**(8)*abs(energy_9)*abs(overlap) + (overlap)**(6)*abs(energy_6) + (overlap)**(6)*abs(energy_7)*abs(overlap) + (overlap*overlap*overlap*overlap)*abs(energy_4) + (overlap*overlap*overlap*overlap)*abs(energy_5)*abs(overlap) + (overlap*overlap)*abs(energy_2) + (overlap*overlap)*abs(energy_3)*abs(overlap) + ((overlap)**(6)*abs(leak_6) + (overlap*overlap*overlap*overlap)*abs(leak_4) + (overlap*overlap*overlap*overlap)*abs(leak_5)*abs(overlap) + (overlap*overlap)*abs(leak_2) + (overlap*overlap)*abs(leak_3)*abs(overlap) + abs(leak_1)*abs(overlap))*abs(2*leak_1*overlap + 2*leak_2*(overlap*overlap) + 2*leak_3*(overlap*overlap*overlap) + 2*leak_4*(overlap*overlap*overlap*overlap) + 2*leak_5*(overlap)**(5) + 2*leak_6*(overlap)**(6))/(chi*radial/phi + constant)
    error_dfreed = radial*((overlap)**(6)*abs(leak_6) + (overlap*overlap*overlap*overlap)*abs(leak_4) + (overlap*overlap*overlap*overlap)*abs(leak_5)*abs(overlap) + (overlap*overlap)*abs(leak_2) + (overlap*overlap)*abs(leak_3)*abs(overlap) + abs(leak_1)*abs(overlap))*abs(dchi)*abs(2*leak_1*overlap + 2*leak_2*(overlap*overlap) + 2*leak_3*(overlap*overlap*overlap) + 2*leak_4*(overlap*overlap*overlap*overlap) + 2*leak_5*(overlap)**(5) + 2*leak_6*(overlap)**(6))/(phi*(chi*radial/phi + constant)**(2))
    return dzeta, overlap, freed, dfreed, chi_check, chi_error, error_dchi, error_dzeta, error_freed, error_dfreed


def conclude_2(chi, dchi, dfreed, excess, freed, kappa, lam, linear, noise_variance, nonlinear, overlap, phi, ratio, share, spike, target_linear, target_rest):
    """Compute observables and the errors that rounding makes."""
    # m1 = 1/(kappa*share + excess/chi)
    m1 = (1.0/(kappa*share + excess/chi))
    mtilde = chi*kappa*share + excess
    # m2 = 1/(linear*mtilde/phi + kappa*share + excess/chi)
    m2 = (1.0/(kappa*share + linear*mtilde/phi + excess/chi))
    steepness = kappa*(linear*(ratio*ratio) + nonlinear)/mtilde
    # dm1 = dchi*m1*(steepness + 1/chi)
    dm1 = dchi*m1*(steepness + (1.0/chi))
    # dm2 = dchi*m2*(steepness + ratio/chi)
    dm2 = dchi*m2*(steepness + ratio/chi)
    # train_error = lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa - lam*(m1*freed + m2*spike*target_linear**2*overlap)*kappa
    train_error = -kappa*lam*(freed*m1 + m2*overlap*spike*(target_linear*target_linear)) + kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    # test_error = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2) - (-dm1*freed*kappa - dm2*spike*target_linear**2*kappa*overlap - m1*dfreed*kappa)/(m1**2*kappa**2)
    test_error = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) - (-dfreed*kappa*m1 - dm1*freed*kappa - dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    # baseline_train = lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa
    baseline_train = kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    # baseline_test = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2)
    baseline_test = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    # train_gap = lam*(m1*freed + m2*spike*target_linear**2*overlap)*kappa
    train_gap = kappa*lam*(freed*m1 + m2*overlap*spike*(target_linear*target_linear))
    # test_gap = (-dm1*freed*kappa - dm2*spike*target_linear**2*kappa*overlap - m1*dfreed*kappa)/(m1**2*kappa**2)
    test_gap = (-dfreed*kappa*m1 - dm1*freed*kappa - dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    ddm1_ddchi = m1*(steepness + (1.0/chi))
    ddm2_ddchi = m2*(steepness + ratio/chi)
    return m1, mtilde, m2, steepness, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, ddm1_ddchi, ddm2_ddchi


@compiled
def solve_point(phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial, chi_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    iterations = 0.0
    # Newton's method for chi
    chi = chi_start
    chi_moved = math.inf
    for step in range(max_steps):
        ratio = phi/(chi*linear + phi)
        kappa = psi/phi
        surplus = 1 - kappa
        distance = abs(surplus)
        share = 2*kappa*lam/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
        dzeta_dchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
        # zeta = linear*ratio + nonlinear + share
        zeta = linear*ratio + nonlinear + share
        # chi = 2/(zeta*(distance + kappa + 1))
        chi_map = 2/(zeta*(distance + kappa + 1))
        dchi_map_dchi = -2*dzeta_dchi/((zeta*zeta)*(distance + kappa + 1))
        iterations += 1.0
        if step < plain:
            chi = chi_map
            continue
        g0 = math.log(chi/chi_map)
        slope_chi_chi = 1.0 - dchi_map_dchi*chi/chi_map
        delta0, missed = solve_linear_1(slope_chi_chi, g0)
        if missed > 1e-6:        # singular: away from here
            delta0 = 0.5
        delta0 = min(3.0, max(-3.0, delta0))
        chi = chi*math.exp(-delta0)
        chi_moved = abs(delta0)
        if not chi_moved > tolerance:
            chi_moved = math.inf if math.isnan(chi_moved) else 0.0
            break
    ratio = phi/(chi*linear + phi)
    kappa = psi/phi
    surplus = 1 - kappa
    distance = abs(surplus)
    share = 2*kappa*lam/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    ddzeta_ddchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    dzeta_0 = -4*chi*(kappa*kappa*kappa)*lam/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    size_dzeta_0 = 4*chi*(kappa*kappa*kappa)*lam/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    # zeta = linear*ratio + nonlinear + share
    zeta = linear*ratio + nonlinear + share
    A_dchi_dchi = 2*ddzeta_ddchi/((zeta*zeta)*(distance + kappa + 1)) + 1
    b_dchi = -2*dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    size_dchi_dchi = 1 + 2*abs(ddzeta_ddchi)/((zeta*zeta)*(distance + kappa + 1))
    # linear block for dchi
    dchi, dchi_residual = solve_linear_1(A_dchi_dchi, b_dchi)
    dzeta, overlap, freed, dfreed, chi_check, chi_error, error_dchi, error_dzeta, error_freed, error_dfreed = conclude(A_dchi_dchi, chi, constant, dchi, ddzeta_ddchi, distance, dzeta_0, energy_10, energy_11, energy_12, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, kappa, kept, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, linear, noise_variance, nonlinear, phi, radial, size_dzeta_0, slope_chi_chi, target_linear, target_rest, zeta)
    excess = max(0, surplus)
    chi_residual = abs(math.log(chi_check/chi))
    uncertain = (chi_error if (chi_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < chi_error) else 0)
    dchi_singular = max(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(abs(A_dchi_dchi) + 1e-300))
    error_share = 2*kappa*lam*(kappa + 1 + (0.5)*(4*chi*(kappa*kappa)*lam + 2*distance*(kappa + 1))/math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)
    error = (error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1)/chi)/(kappa*share + excess/chi)**(2)
    upstream = max(ROUNDING, chi_error)
    m1, mtilde, m2, steepness, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, ddm1_ddchi, ddm2_ddchi = conclude_2(chi, dchi, dfreed, excess, freed, kappa, lam, linear, noise_variance, nonlinear, overlap, phi, ratio, share, spike, target_linear, target_rest)
    dchi_dependent = (1e+290 if (((A_dchi_dchi == 0) and ((ddm1_ddchi != 0) or (ddm2_ddchi != 0) or (ddzeta_ddchi != 0))) or (dchi_singular > 1e+100)) else 0)
    error_2 = (error_share*kappa + linear*(chi*error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1))/phi + (0 if (max(0, surplus) == 0) else kappa + 1)/chi)/(kappa*share + linear*mtilde/phi + excess/chi)**(2)
    error_3 = error*(steepness + (1.0/chi))*abs(dchi) + m1*(kappa*(linear*(ratio*ratio) + nonlinear)*(chi*error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1))/(mtilde*mtilde) + (1.0/chi))*abs(dchi)
    error_4 = error_2*(steepness + ratio/chi)*abs(dchi) + m2*(kappa*(linear*(ratio*ratio) + nonlinear)*(chi*error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1))/(mtilde*mtilde) + ratio/chi)*abs(dchi)
    lost = (1e+289 if (ROUNDING*error > LARGEST_ERROR*max(1, m1)) else 0)
    lost_2 = (1e+289 if (ROUNDING*error_2 > LARGEST_ERROR*max(1, m2)) else 0)
    lost_3 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(dm1))) else 0)
    lost_4 = (1e+289 if (ROUNDING*error_4 > LARGEST_ERROR*max(1, abs(dm2))) else 0)
    equations_residual = max(chi_moved, chi_residual, dchi_dependent, dchi_residual, dchi_singular, uncertain)
    error_5 = kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear)) + kappa*lam*(error*abs(freed) + error_2*spike*(target_linear*target_linear)*abs(overlap) + error_freed*m1)
    error_6 = 2*error*abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + 2*error*abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) + (error*kappa*abs(dfreed) + error_3*kappa*abs(freed) + error_4*kappa*spike*(target_linear*target_linear)*abs(overlap) + error_dfreed*kappa*m1 + error_freed*kappa*abs(dm1))/((kappa*kappa)*(m1*m1))
    error_7 = kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear))
    error_8 = 2*error*abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    error_9 = kappa*lam*(error*abs(freed) + error_2*spike*(target_linear*target_linear)*abs(overlap) + error_freed*m1)
    error_10 = 2*error*abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error*kappa*abs(dfreed) + error_3*kappa*abs(freed) + error_4*kappa*spike*(target_linear*target_linear)*abs(overlap) + error_dfreed*kappa*m1 + error_freed*kappa*abs(dm1))/((kappa*kappa)*(m1*m1))
    lost_5 = (1e+289 if (ROUNDING*error_5 > LARGEST_ERROR*max(1, abs(train_error))) else 0)
    lost_6 = (1e+289 if (ROUNDING*error_6 > LARGEST_ERROR*max(1, abs(test_error))) else 0)
    lost_7 = (1e+289 if (ROUNDING*error_7 > LARGEST_ERROR*max(1, abs(baseline_train))) else 0)
    lost_8 = (1e+289 if (ROUNDING*error_8 > LARGEST_ERROR*max(1, abs(baseline_test))) else 0)
    lost_9 = (1e+289 if (ROUNDING*error_9 > LARGEST_ERROR*max(1, abs(train_gap))) else 0)
    lost_10 = (1e+289 if (ROUNDING*error_10 > LARGEST_ERROR*max(1, abs(test_gap))) else 0)
    limited_2 = (1 if (((error_dchi*upstream > 1e-10*abs(dchi)) and (abs(dchi) > 10*ROUNDING*error_dchi)) or ((error_dzeta*upstream > 1e-10*abs(dzeta)) and (abs(dzeta) > 10*ROUNDING*error_dzeta)) or (upstream > 1e-10) or (error_10*upstream > 1e-10*abs(test_gap)) or (error_3*upstream > 1e-10*abs(dm1)) or (error_4*upstream > 1e-10*abs(dm2)) or (error_5*upstream > 1e-10*abs(train_error)) or (error_6*upstream > 1e-10*abs(test_error)) or (error_7*upstream > 1e-10*abs(baseline_train)) or (error_8*upstream > 1e-10*abs(baseline_test)) or (error_9*upstream > 1e-10*abs(train_gap)) or (1e-10*m1 < error*upstream) or (1e-10*m2 < error_2*upstream)) else 0)
    inaccurate_2 = max(inaccurate, lost, lost_10, lost_2, lost_3, lost_4, lost_5, lost_6, lost_7, lost_8, lost_9)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= equations_residual) else 0)
    residual = max(equations_residual, few_digits)
    return (chi + 0.0, zeta + 0.0, m1 + 0.0, m2 + 0.0, dchi + 0.0, dzeta + 0.0, dm1 + 0.0, dm2 + 0.0, train_error + 0.0, test_error + 0.0, baseline_train + 0.0, baseline_test + 0.0, train_gap + 0.0, test_gap + 0.0, residual + 0.0, iterations + 0.5*limited_2 + 0.0)


@compiled
def solve_rows(phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial, chi_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from those of the points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known, past = 0, np.zeros((1, DIFFERENCES))
        for j in range(points):
            for attempt in range(2):          # as predicted, if anything is; then from the given start
                plain = 2
                chi_guess = chi_start[row, j]
                if known >= 1 and attempt == 0:
                    plain = 0
                    chi_guess = math.exp(limited(past[0], known))
                result = solve_point(phi[row, j], psi[row, j], lam[row, j], noise_variance[row, j], linear[row, j], nonlinear[row, j], target_linear[row, j], target_rest[row, j], kept[row, j], spike[row, j], energy_2[row, j], energy_3[row, j], energy_4[row, j], energy_5[row, j], energy_6[row, j], energy_7[row, j], energy_8[row, j], energy_9[row, j], energy_10[row, j], energy_11[row, j], energy_12[row, j], leak_1[row, j], leak_2[row, j], leak_3[row, j], leak_4[row, j], leak_5[row, j], leak_6[row, j], constant[row, j], radial[row, j], chi_guess, plain, tolerance, max_steps)
                if known == 0 or result[14] <= accept:
                    break
            for k in range(16):
                out[row, j, k] = result[k]
            if result[14] <= accept:
                known += 1
                remember(past[0], math.log(max(result[0], 1e-300)))
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)


def solve_batch(phi, psi, lam, noise_variance, linear, nonlinear, target_linear, target_rest, kept, spike, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, energy_10, energy_11, energy_12, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, constant, radial, chi_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    blocks, iterations = [], np.zeros(phi.shape)
    def step_chi(lam, linear, nonlinear, phi, psi, chi):
        """Maps, residuals and matrix of Newton's method for the points that still move."""
        ratio = phi/(chi*linear + phi)
        kappa = psi/phi
        surplus = 1 - kappa
        distance = np.abs(surplus)
        share = 2*kappa*lam/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
        dzeta_dchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
        zeta = linear*ratio + nonlinear + share
        chi_map = 2/(zeta*(distance + kappa + 1))
        dchi_map_dchi = -2*dzeta_dchi/((zeta*zeta)*(distance + kappa + 1))
        return (chi_map,), (np.log(chi/chi_map),), ((1.0 - dchi_map_dchi*chi/chi_map,),)
    (chi,), steps, J, chi_moved = newton_batch(step_chi, (lam, linear, nonlinear, phi, psi,), (chi_start,), (True,), plain, tolerance, max_steps)
    iterations = iterations + steps
    ((slope_chi_chi,),) = np.moveaxis(J, 0, -1)
    if diagnose:
        blocks.append(("newton", ("chi",), J))
    ratio = phi/(chi*linear + phi)
    kappa = psi/phi
    surplus = 1 - kappa
    distance = np.abs(surplus)
    share = 2*kappa*lam/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    ddzeta_ddchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    dzeta_0 = -4*chi*(kappa*kappa*kappa)*lam/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    size_dzeta_0 = 4*chi*(kappa*kappa*kappa)*lam/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    zeta = linear*ratio + nonlinear + share
    A_dchi_dchi = 2*ddzeta_ddchi/((zeta*zeta)*(distance + kappa + 1)) + 1
    b_dchi = -2*dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    size_dchi_dchi = 1 + 2*np.abs(ddzeta_ddchi)/((zeta*zeta)*(distance + kappa + 1))
    if diagnose:
        size_dchi_0 = 2*size_dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    A = stack_matrix(iterations.shape, ((A_dchi_dchi,),))
    solution, dchi_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dchi,)))
    dchi, = solution.T
    if diagnose:
        blocks.append(("linear", ("dchi",), A, stack_vector(iterations.shape, (size_dchi_0,)), (("dzeta", size_dzeta_0, (ddzeta_ddchi, )),), stack_matrix(iterations.shape, ((size_dchi_dchi,),))))
    dzeta, overlap, freed, dfreed, chi_check, chi_error, error_dchi, error_dzeta, error_freed, error_dfreed = conclude(A_dchi_dchi, chi, constant, dchi, ddzeta_ddchi, distance, dzeta_0, energy_10, energy_11, energy_12, energy_2, energy_3, energy_4, energy_5, energy_6, energy_7, energy_8, energy_9, kappa, kept, leak_1, leak_2, leak_3, leak_4, leak_5, leak_6, linear, noise_variance, nonlinear, phi, radial, size_dzeta_0, slope_chi_chi, target_linear, target_rest, zeta)
    excess = np.maximum(0, surplus)
    chi_residual = np.abs(np.log(chi_check/chi))
    uncertain = np.where((chi_error > 0.1), chi_error, 0)
    inaccurate = np.where((LARGEST_ERROR < chi_error), 1e+289, 0)
    dchi_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(np.abs(A_dchi_dchi) + 1e-300))
    error_share = 2*kappa*lam*(kappa + 1 + (0.5)*(4*chi*(kappa*kappa)*lam + 2*distance*(kappa + 1))/np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)
    error = (error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1)/chi)/(kappa*share + excess/chi)**(2)
    upstream = np.maximum(ROUNDING, chi_error)
    m1, mtilde, m2, steepness, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, ddm1_ddchi, ddm2_ddchi = conclude_2(chi, dchi, dfreed, excess, freed, kappa, lam, linear, noise_variance, nonlinear, overlap, phi, ratio, share, spike, target_linear, target_rest)
    dchi_dependent = np.where((((A_dchi_dchi == 0) & ((ddm1_ddchi != 0) | (ddm2_ddchi != 0) | (ddzeta_ddchi != 0))) | (dchi_singular > 1e+100)), 1e+290, 0)
    error_2 = (error_share*kappa + linear*(chi*error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1))/phi + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1)/chi)/(kappa*share + linear*mtilde/phi + excess/chi)**(2)
    error_3 = error*(steepness + (1.0/chi))*np.abs(dchi) + m1*(kappa*(linear*(ratio*ratio) + nonlinear)*(chi*error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1))/(mtilde*mtilde) + (1.0/chi))*np.abs(dchi)
    error_4 = error_2*(steepness + ratio/chi)*np.abs(dchi) + m2*(kappa*(linear*(ratio*ratio) + nonlinear)*(chi*error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1))/(mtilde*mtilde) + ratio/chi)*np.abs(dchi)
    lost = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, m1)), 1e+289, 0)
    lost_2 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, m2)), 1e+289, 0)
    lost_3 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(dm1))), 1e+289, 0)
    lost_4 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(dm2))), 1e+289, 0)
    equations_residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(chi_moved, chi_residual), dchi_dependent), dchi_residual), dchi_singular), uncertain)
    error_5 = kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear)) + kappa*lam*(error*np.abs(freed) + error_2*spike*(target_linear*target_linear)*np.abs(overlap) + error_freed*m1)
    error_6 = 2*error*np.abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + 2*error*np.abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) + (error*kappa*np.abs(dfreed) + error_3*kappa*np.abs(freed) + error_4*kappa*spike*(target_linear*target_linear)*np.abs(overlap) + error_dfreed*kappa*m1 + error_freed*kappa*np.abs(dm1))/((kappa*kappa)*(m1*m1))
    error_7 = kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear))
    error_8 = 2*error*np.abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    error_9 = kappa*lam*(error*np.abs(freed) + error_2*spike*(target_linear*target_linear)*np.abs(overlap) + error_freed*m1)
    error_10 = 2*error*np.abs(dfreed*kappa*m1 + dm1*freed*kappa + dm2*kappa*overlap*spike*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error*kappa*np.abs(dfreed) + error_3*kappa*np.abs(freed) + error_4*kappa*spike*(target_linear*target_linear)*np.abs(overlap) + error_dfreed*kappa*m1 + error_freed*kappa*np.abs(dm1))/((kappa*kappa)*(m1*m1))
    lost_5 = np.where((ROUNDING*error_5 > LARGEST_ERROR*np.maximum(1, np.abs(train_error))), 1e+289, 0)
    lost_6 = np.where((ROUNDING*error_6 > LARGEST_ERROR*np.maximum(1, np.abs(test_error))), 1e+289, 0)
    lost_7 = np.where((ROUNDING*error_7 > LARGEST_ERROR*np.maximum(1, np.abs(baseline_train))), 1e+289, 0)
    lost_8 = np.where((ROUNDING*error_8 > LARGEST_ERROR*np.maximum(1, np.abs(baseline_test))), 1e+289, 0)
    lost_9 = np.where((ROUNDING*error_9 > LARGEST_ERROR*np.maximum(1, np.abs(train_gap))), 1e+289, 0)
    lost_10 = np.where((ROUNDING*error_10 > LARGEST_ERROR*np.maximum(1, np.abs(test_gap))), 1e+289, 0)
    limited_2 = np.where((((error_dchi*upstream > 1e-10*np.abs(dchi)) & (np.abs(dchi) > 10*ROUNDING*error_dchi)) | ((error_dzeta*upstream > 1e-10*np.abs(dzeta)) & (np.abs(dzeta) > 10*ROUNDING*error_dzeta)) | (upstream > 1e-10) | (error_10*upstream > 1e-10*np.abs(test_gap)) | (error_3*upstream > 1e-10*np.abs(dm1)) | (error_4*upstream > 1e-10*np.abs(dm2)) | (error_5*upstream > 1e-10*np.abs(train_error)) | (error_6*upstream > 1e-10*np.abs(test_error)) | (error_7*upstream > 1e-10*np.abs(baseline_train)) | (error_8*upstream > 1e-10*np.abs(baseline_test)) | (error_9*upstream > 1e-10*np.abs(train_gap)) | (1e-10*m1 < error*upstream) | (1e-10*m2 < error_2*upstream)), 1, 0)
    inaccurate_2 = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(inaccurate, lost), lost_10), lost_2), lost_3), lost_4), lost_5), lost_6), lost_7), lost_8), lost_9)
    few_digits = np.where((LARGEST_ERROR >= equations_residual), inaccurate_2, 0)
    residual = np.maximum(equations_residual, few_digits)
    if diagnose:
        blocks.append(("explicit", ("m1",), error))
        blocks.append(("explicit", ("m2",), error_2))
        blocks.append(("explicit", ("dm1",), error_3))
        blocks.append(("explicit", ("dm2",), error_4))
        blocks.append(("explicit", ("train_error",), error_5))
        blocks.append(("explicit", ("test_error",), error_6))
        blocks.append(("explicit", ("baseline_train",), error_7))
        blocks.append(("explicit", ("baseline_test",), error_8))
        blocks.append(("explicit", ("train_gap",), error_9))
        blocks.append(("explicit", ("test_gap",), error_10))
    return stack_vector(iterations.shape, (chi, zeta, m1, m2, dchi, dzeta, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, residual, iterations + 0.5*limited_2)).T, blocks


def activation_moments(activation):
    """Hermite coefficients of an activation, the second moment without constant and linear part, and the error.
    """
    error = 0.0
    means, change = normal_means(
        activation, np.zeros(1), 1, lambda z, s, at: (s, s*z, s*((z*z) - 1), s*((z*z*z) - 3*z), s*((z*z*z*z) - 6*(z*z) + 3), s*((z)**(5) - 10*(z*z*z) + 15*z), s*((z)**(6) - 15*(z*z*z*z) + 45*(z*z) - 15), s*((z)**(7) - 21*(z)**(5) + 105*(z*z*z) - 105*z), s*((z)**(8) - 28*(z)**(6) + 210*(z*z*z*z) - 420*(z*z) + 105), s*((z)**(9) - 36*(z)**(7) + 378*(z)**(5) - 1260*(z*z*z) + 945*z), s*((z)**(10) - 45*(z)**(8) + 630*(z)**(6) - 3150*(z*z*z*z) + 4725*(z*z) - 945), s*((z)**(11) - 55*(z)**(9) + 990*(z)**(7) - 6930*(z)**(5) + 17325*(z*z*z) - 10395*z), s*((z)**(12) - 66*(z)**(10) + 1485*(z)**(8) - 13860*(z)**(6) + 51975*(z*z*z*z) - 62370*(z*z) + 10395),),
        floors={0: (-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0,), 2: (np.inf, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0,), 1: (-1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0,), -1: (np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf, -1.0, np.inf,)})
    error = max(error, change)
    (mean, mean_2, mean_3, mean_4, mean_5, mean_6, mean_7, mean_8, mean_9, mean_10, mean_11, mean_12, mean_13,) = (m[0] for m in means)
    c0 = mean
    c1 = mean_2
    c2 = (0.5)*mean_3
    c3 = ((1/6))*mean_4
    c4 = ((1/24))*mean_5
    c5 = ((1/120))*mean_6
    c6 = ((1/720))*mean_7
    c7 = ((1/5040))*mean_8
    c8 = ((1/40320))*mean_9
    c9 = ((1/362880))*mean_10
    c10 = ((1/3628800))*mean_11
    c11 = ((1/39916800))*mean_12
    c12 = ((1/479001600))*mean_13
    means, change = normal_means(
        activation, np.zeros(1), 1, lambda z, s, at: ((-c0 - c1*z + s)**(2),),
        floors={0: (-1.0,), 2: (-1.0,), 1: (-1.0,), -1: (-1.0,)})
    error = max(error, change)
    (mean_14,) = (m[0] for m in means)
    rest = mean_14
    return float(c0), float(c1), float(c2), float(c3), float(c4), float(c5), float(c6), float(c7), float(c8), float(c9), float(c10), float(c11), float(c12), float(rest), error
