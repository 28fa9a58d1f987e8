"""The real network after one gradient step, odd students, square loss (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: V1, V2, b, g, q1, q2, theta, psi, psi0, chi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat, chihat, bhat, ghat.
Parameters: alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt.
Observables: test_error, clean_error, train_error, objective.
"""


import math

import numpy as np

from asympkit.runtime.compiled import compiled, in_parallel, prange
from asympkit.runtime.continued import DIFFERENCES, limited, remember
from asympkit.runtime.linear import factor_linear_n, solve_factored_n, solve_linear_batch, solve_linear_n, solve_many_factored_n
from asympkit.runtime.means import normal_means
from asympkit.runtime.newton import newton_batch
from asympkit.runtime.products import valued_tables
from asympkit.runtime.rows import FLOOR
from asympkit.runtime.rules import outer_rules
from asympkit.runtime.tables import split_tables, stack_matrix, stack_rows, stack_vector


ROUNDING = 2.0**-52
LARGEST_ERROR = 1e-9
PARAMETERS = ("alpha", "beta", "lam", "noise_variance", "inverse_width", "r", "c", "gamma", "rho", "deviation", "overload", "omega", "t1", "t2", "length", "row1", "row4", "norms", "square", "tilt",)
TABLE_PARAMETERS = ("r", "c", "gamma", "rho", "deviation",)
UNKNOWNS = ("V1", "V2", "b", "g", "q1", "q2", "theta", "psi", "psi0", "chi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "ghat",)
TORN = ("V1", "V2", "b", "g",)
OBSERVABLES = ("test_error", "clean_error", "train_error", "objective",)
OUTPUTS = ("V1", "V2", "b", "g", "q1", "q2", "theta", "psi", "psi0", "chi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "ghat", "test_error", "clean_error", "train_error", "objective", "residual", "iterations",)
ACTIVATIONS = ("student", "target",)
GRIDS = ("kappa", "z",)
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = False
#: how many levels of refinement there are
LEVELS = 8
#: grids whose sums are made at every node of others
INNER = ()


kappa_SYMMETRIES = ((-1, 1, -1, 1, 1, -1, -1, 1, 1), (-1, -1, 1, -1, -1, 1, 1, 1, 1))
kappa_DIRECTIONS = ()


def kappa_rule(levels, r, c, gamma, rho, deviation, student, target, places=()):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, hz*mu1, hslope*mu1, kappa**2*mu1**2, dmu0*kappa*mu1, dmu0**2, dmu0*(kappa**2 - 1), mu0, kappa*mu1, dmu0, h*kappa*mu1, Abs(h*kappa*mu1), dmu0*h, Abs(dmu0*h), Abs(dmu0*kappa*mu1), h, Abs(hz*mu1), Abs(hslope*mu1), hzz.
    """
    rules, kappa, pairs = outer_rules(levels, [(0, r, np.sqrt(c), student.kinks_float), (0, gamma, rho, target.kinks_float), (0, gamma, rho, target.derivative.kinks_float), *places])
    error = 0.0
    (mean, mean_2, mean_6,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: (s*z, s, s*((z*z) - 1),),
        {1: (-1, 1, 1), -1: (1, -1, -1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (FLOOR, np.inf, FLOOR,), 1: (np.inf, FLOOR, FLOOR,), -1: (FLOOR, np.inf, np.inf,)})
    error = max(error, change)
    (mean_4, mean_8, mean_9,), change = normal_means(
        target, gamma*kappa, rho, lambda z, s, at: (s*z, s, (s*s),),
        {1: (-1, 1, 1), -1: (1, -1, 1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (FLOOR, np.inf, FLOOR,), 1: (np.inf, FLOOR, FLOOR,), -1: (FLOOR, np.inf, FLOOR,)})
    error = max(error, change)
    (mean_5,), change = normal_means(
        target.derivative, gamma*kappa, rho, lambda z, s, at: (s,),
        {1: (1,), -1: (-1,)}, pairs,
        floors={0: (FLOOR,), 2: (np.inf,), 1: (FLOOR,), -1: (np.inf,)})
    error = max(error, change)
    mu1 = mean/np.sqrt(c)
    mu0 = mean_2
    hz = mean_4
    hslope = mean_5
    dmu0 = (0.5)*mean_6/c
    h = mean_8
    hzz = mean_9
    (mean_3,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1,), -1: (1,)}, pairs,
        floors={0: (FLOOR,), 2: (FLOOR,), 1: (FLOOR,), -1: (FLOOR,)})
    error = max(error, change)
    mu2sq = mean_3
    tables = split_tables([kappa, mu1, mu0, hz, hslope, dmu0, h, hzz, mu2sq], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), hz*mu1, hslope*mu1, (kappa*kappa)*(mu1*mu1), dmu0*kappa*mu1, (dmu0*dmu0), dmu0*((kappa*kappa) - 1), mu0, kappa*mu1, dmu0, h*kappa*mu1, np.abs(h*kappa*mu1), dmu0*h, np.abs(dmu0*h), np.abs(dmu0*kappa*mu1), h, np.abs(hz*mu1), np.abs(hslope*mu1), hzz), weights) for (kappa, mu1, mu0, hz, hslope, dmu0, h, hzz, mu2sq), weights in tables], error


z_KINKS = ((), (),)
z_SYMMETRIES = ((-1, -1, -1),)


def z_rule(levels, r, c, gamma, rho, deviation, student, target):
    """Tables and weights of the average over \ua66ez\ua66e, \ua66ez_2\ua66e, \ua66etarget_2\ua66e, one pair for each level.

    Rows of a table: (deviation*z_2 + target_2)**2, (deviation*z_2 + target_2)**4, z*(deviation*z_2 + target_2), z**2*(deviation*z_2 + target_2)**2, z*(deviation*z_2 + target_2)**3, Abs(z*(deviation*z_2 + target_2)), (deviation*z_2 + target_2)**2*Abs(z)*Abs(deviation*z_2 + target_2), (deviation*z_2 + target_2)**6, z*(deviation*z_2 + target_2)**5, (deviation*z_2 + target_2)**4*Abs(z)*Abs(deviation*z_2 + target_2).
    """
    made = valued_tables(levels, z_KINKS, z_SYMMETRIES, False, (False, deviation == 0.0),
                         [(0, 0, 1, target.kinks_float)],
                         lambda z, z_2: [target(z)])
    return [(stack_rows((deviation*z_2 + target_2)**(2), (deviation*z_2 + target_2)**(4), z*(deviation*z_2 + target_2), (z*z)*(deviation*z_2 + target_2)**(2), z*(deviation*z_2 + target_2)**(3), np.abs(z*(deviation*z_2 + target_2)), (deviation*z_2 + target_2)**(2)*np.abs(z)*np.abs(deviation*z_2 + target_2), (deviation*z_2 + target_2)**(6), z*(deviation*z_2 + target_2)**(5), (deviation*z_2 + target_2)**(4)*np.abs(z)*np.abs(deviation*z_2 + target_2)), weights) for (z, z_2, target_2), weights in made], 0.0


@compiled
def solve_point(alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt, kappa_table, kappa_weights, z_table, z_weights, V1_start, V2_start, b_2_start, g_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    mu1_mu1 = kappa_table[0]
    mu2sq = kappa_table[1]
    mu1_mu1_mu1_mu1 = kappa_table[2]
    mu1_mu1_mu2sq = kappa_table[3]
    mu2sq_mu2sq = kappa_table[4]
    hz_mu1 = kappa_table[5]
    hslope_mu1 = kappa_table[6]
    kappa_kappa_mu1_mu1 = kappa_table[7]
    dmu0_kappa_mu1 = kappa_table[8]
    dmu0_dmu0 = kappa_table[9]
    column_3 = kappa_table[10]
    mu0 = kappa_table[11]
    kappa_mu1 = kappa_table[12]
    dmu0 = kappa_table[13]
    h_kappa_mu1 = kappa_table[14]
    column_4 = kappa_table[15]
    dmu0_h = kappa_table[16]
    column_5 = kappa_table[17]
    column_6 = kappa_table[18]
    h = kappa_table[19]
    column_7 = kappa_table[20]
    column_8 = kappa_table[21]
    hzz = kappa_table[22]
    column = z_table[0]
    column_2 = z_table[1]
    column_9 = z_table[2]
    column_10 = z_table[3]
    column_11 = z_table[4]
    column_12 = z_table[5]
    column_13 = z_table[6]
    column_14 = z_table[7]
    column_15 = z_table[8]
    column_16 = z_table[9]
    iterations = 0.0
    # Newton's method for V1, V2, b_2, g
    V1 = V1_start
    V2 = V2_start
    b_2 = b_2_start
    g = g_start
    V1_V2_b_g_moved = math.inf
    best, halvings = math.inf, 0
    V1_from, delta0, weight0 = V1, 0.0, 1.0
    V2_from, delta1, weight1 = V2, 0.0, 1.0
    b_2_from, delta2, weight2 = b_2, 0.0, 1.0
    g_from, delta3, weight3 = g, 0.0, 1.0
    for step in range(max_steps):
        E1 = 0.0    # E_kappa[mu1**2/(V + 1)]
        E2 = 0.0    # E_kappa[mu2sq/(V + 1)]
        E3 = 0.0    # E_kappa[mu1**4/(V + 1)**2]
        E4 = 0.0    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
        E5 = 0.0    # E_kappa[mu2sq**2/(V + 1)**2]
        for i in range(kappa_weights.size):
            V = V1*mu1_mu1[i] + V2*mu2sq[i]
            inv = (1.0/(V + 1))
            E1 += kappa_weights[i]*(inv*mu1_mu1[i])
            E2 += kappa_weights[i]*(inv*mu2sq[i])
            E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])
            E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])
            E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])
        E6 = 0.0    # E_z, z_2[weight*y**2]
        E7 = 0.0    # E_z, z_2[y**4/(b*g*omega*overload*y**2 + 1)**2]
        for i in range(z_weights.size):
            inv_2 = (1.0/(b_2*column[i]*g*omega*overload + 1))
            weight = inv_2
            E6 += z_weights[i]*(column[i]*weight)
            E7 += z_weights[i]*(column_2[i]*(inv_2*inv_2))
        # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
        Vhat1 = E1*alpha/beta
        # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
        Vhat2 = E2*alpha/beta
        dVhat1_dV1 = -E3*alpha/beta
        dVhat2_dV1 = -E4*alpha/beta
        dVhat1_dV2 = -E4*alpha/beta
        dVhat2_dV2 = -E5*alpha/beta
        common_2 = (1.0/(E6*g*omega + g + 1))
        trace = common_2*(E6*omega + 1)
        S_inverse = (1.0/(Vhat1*trace + Vhat2 + lam))
        # V1 = S_inverse*trace
        V1_map = S_inverse*trace
        common_3 = (1.0/((Vhat1*trace + Vhat2 + lam)**(2)))
        dV1_map_dV1 = -common_3*dVhat1_dV1*(trace*trace) - common_3*dVhat2_dV1*trace
        dV1_map_dV2 = -common_3*dVhat1_dV2*(trace*trace) - common_3*dVhat2_dV2*trace
        common_4 = E7*(common_2*common_2)*(g*g)*(omega*omega)*overload*(E6*omega + 1) - E7*common_2*g*(omega*omega)*overload
        dV1_map_db = S_inverse*common_4 - Vhat1*common_3*common_4*trace
        common_5 = -E7*b_2*common_2*(omega*omega)*overload + (common_2*common_2)*(E6*omega + 1)*(-E6*omega + E7*b_2*g*(omega*omega)*overload - 1)
        dV1_map_dg = S_inverse*common_5 - Vhat1*common_3*common_5*trace
        # V2 = S_inverse
        V2_map = S_inverse
        dV2_map_dV1 = -common_3*dVhat1_dV1*trace - common_3*dVhat2_dV1
        dV2_map_dV2 = -common_3*dVhat1_dV2*trace - common_3*dVhat2_dV2
        dV2_map_db = -Vhat1*common_3*common_4
        dV2_map_dg = -Vhat1*common_3*common_5
        # 0 = -Vhat1*beta + g*(Vhat1*trace + Vhat2 + lam)
        b_equation = -Vhat1*beta + g*(Vhat1*trace + Vhat2 + lam)
        db_equation_dV1 = dVhat1_dV1*(-beta + g*trace) + dVhat2_dV1*g
        db_equation_dV2 = dVhat1_dV2*(-beta + g*trace) + dVhat2_dV2*g
        db_equation_db = Vhat1*common_4*g
        db_equation_dg = Vhat1*common_5*g + Vhat1*trace + Vhat2 + lam
        # 0 = b*g + b*(g*omega*E_z, z_2[weight*y**2] + 1) - 1
        g_equation = b_2*g + b_2*(E6*g*omega + 1) - 1
        dg_equation_db = E6*g*omega - E7*b_2*(g*g)*(omega*omega)*overload + g + 1
        dg_equation_dg = b_2*(E6*omega - E7*b_2*g*(omega*omega)*overload) + b_2
        iterations += 1.0
        g0 = math.log(V1/V1_map)
        g1 = math.log(V2/V2_map)
        g2 = b_equation
        g3 = g_equation
        if best < math.inf and V1_V2_b_g_moved > 1e-06 and not max(abs(g0)*weight0, abs(g1)*weight1, abs(g2)*weight2, abs(g3)*weight3) <= best and halvings < 25:
            halvings += 1
            V1 = V1_from
            delta0 = 0.5*delta0
            V2 = V2_from
            delta1 = 0.5*delta1
            b_2 = b_2_from
            delta2 = 0.5*delta2
            g = g_from
            delta3 = 0.5*delta3
            delta0 = min(3.0, max(-3.0, delta0))
            V1 = V1*math.exp(-delta0)
            delta1 = min(3.0, max(-3.0, delta1))
            V2 = V2*math.exp(-delta1)
            delta2 = min(3.0, max(-3.0, delta2))
            b_2 = b_2*math.exp(-delta2)
            delta3 = min(3.0, max(-3.0, delta3))
            g = g*math.exp(-delta3)
            continue
        halvings = 0
        J00 = 1.0 - dV1_map_dV1*V1/V1_map
        J01 = 0.0 - dV1_map_dV2*V2/V1_map
        J02 = 0.0 - dV1_map_db*b_2/V1_map
        J03 = 0.0 - dV1_map_dg*g/V1_map
        J10 = 0.0 - dV2_map_dV1*V1/V2_map
        J11 = 1.0 - dV2_map_dV2*V2/V2_map
        J12 = 0.0 - dV2_map_db*b_2/V2_map
        J13 = 0.0 - dV2_map_dg*g/V2_map
        J20 = db_equation_dV1*V1
        J21 = db_equation_dV2*V2
        J22 = db_equation_db*b_2
        J23 = db_equation_dg*g
        J30 = 0.0*V1
        J31 = 0.0*V2
        J32 = dg_equation_db*b_2
        J33 = dg_equation_dg*g
        delta, missed = solve_linear_n(np.array(((J00, J01, J02, J03), (J10, J11, J12, J13), (J20, J21, J22, J23), (J30, J31, J32, J33))), np.array((g0, g1, g2, g3)))
        delta0 = delta[0]
        delta1 = delta[1]
        delta2 = delta[2]
        delta3 = delta[3]
        weight0 = 1.0/(abs(J00) + abs(J01) + abs(J02) + abs(J03) + 1e-300)
        V1_from = V1
        weight1 = 1.0/(abs(J10) + abs(J11) + abs(J12) + abs(J13) + 1e-300)
        V2_from = V2
        weight2 = 1.0/(abs(J20) + abs(J21) + abs(J22) + abs(J23) + 1e-300)
        b_2_from = b_2
        weight3 = 1.0/(abs(J30) + abs(J31) + abs(J32) + abs(J33) + 1e-300)
        g_from = g
        best = max(abs(g0)*weight0, abs(g1)*weight1, abs(g2)*weight2, abs(g3)*weight3)
        if missed > 1e-6:        # singular: away from here
            delta0 = 0.5
            delta1 = 0.5
            delta2 = 0.5
            delta3 = 0.5
        delta0 = min(3.0, max(-3.0, delta0))
        V1 = V1*math.exp(-delta0)
        delta1 = min(3.0, max(-3.0, delta1))
        V2 = V2*math.exp(-delta1)
        delta2 = min(3.0, max(-3.0, delta2))
        b_2 = b_2*math.exp(-delta2)
        delta3 = min(3.0, max(-3.0, delta3))
        g = g*math.exp(-delta3)
        V1_V2_b_g_moved = max(abs(delta0), abs(delta1), abs(delta2), abs(delta3))
        if not V1_V2_b_g_moved > tolerance:
            V1_V2_b_g_moved = math.inf if math.isnan(V1_V2_b_g_moved) else 0.0
            break
    zero = 0
    one = 1
    A_q2_ghat = -2*g
    zero_2 = 0
    one_2 = 1
    E1 = 0.0    # E_kappa[mu1**2/(V + 1)]
    E2 = 0.0    # E_kappa[mu2sq/(V + 1)]
    E3 = 0.0    # E_kappa[mu1**4/(V + 1)**2]
    E4 = 0.0    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
    E5 = 0.0    # E_kappa[mu2sq**2/(V + 1)**2]
    E8 = 0.0    # E_kappa[hz*mu1/(V + 1)]
    E9 = 0.0    # E_kappa[hslope*mu1/(V + 1)]
    E10 = 0.0    # E_kappa[kappa**2*mu1**2/(V + 1)]
    E11 = 0.0    # E_kappa[kappa*dmu0*mu1/(V + 1)]
    E12 = 0.0    # E_kappa[dmu0**2/(V + 1)]
    E13 = 0.0    # E_kappa[kappa*mean*mu1/(V + 1)]
    E14 = 0.0    # E_kappa[dmu0*mean/(V + 1)]
    E15 = 0.0    # E_kappa[kappa*h*mu1/(V + 1)]
    E17 = 0.0    # E_kappa[dmu0*h/(V + 1)]
    E35 = 0.0    # E_kappa[(common + mean**2)/(V + 1)]
    E36 = 0.0    # E_kappa[h*mean/(V + 1)]
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column_3[i]*inverse_width + mu0[i]
        common = 2*beta*dmu0_dmu0[i]*inverse_width*square
        E1 += kappa_weights[i]*(inv*mu1_mu1[i])
        E2 += kappa_weights[i]*(inv*mu2sq[i])
        E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])
        E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])
        E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])
        E8 += kappa_weights[i]*(hz_mu1[i]*inv)
        E9 += kappa_weights[i]*(hslope_mu1[i]*inv)
        E10 += kappa_weights[i]*(inv*kappa_kappa_mu1_mu1[i])
        E11 += kappa_weights[i]*(dmu0_kappa_mu1[i]*inv)
        E12 += kappa_weights[i]*(dmu0_dmu0[i]*inv)
        E13 += kappa_weights[i]*(inv*kappa_mu1[i]*mean_7)
        E14 += kappa_weights[i]*(dmu0[i]*inv*mean_7)
        E15 += kappa_weights[i]*(h_kappa_mu1[i]*inv)
        E17 += kappa_weights[i]*(dmu0_h[i]*inv)
        E35 += kappa_weights[i]*(inv*(common + (mean_7*mean_7)))
        E36 += kappa_weights[i]*(h[i]*inv*mean_7)
    E6 = 0.0    # E_z, z_2[weight*y**2]
    E7 = 0.0    # E_z, z_2[y**4/(b*g*omega*overload*y**2 + 1)**2]
    E22 = 0.0    # E_z, z_2[z*weight*y]
    E23 = 0.0    # E_z, z_2[z**2*weight*y**2]
    E24 = 0.0    # E_z, z_2[weight*y**4]
    E25 = 0.0    # E_z, z_2[z*weight*y**3]
    E26 = 0.0    # E_z, z_2[weight]
    E27 = 0.0    # E_z, z_2[weight**2*y**2]
    E28 = 0.0    # E_z, z_2[z*weight**2*y]
    E32 = 0.0    # E_z, z_2[weight*y**6]
    E33 = 0.0    # E_z, z_2[z*weight*y**5]
    E42 = 0.0    # E_z, z_2[dweight_g*y**2]
    E43 = 0.0    # E_z, z_2[z*dweight_g*y]
    E44 = 0.0    # E_z, z_2[z*dweight_g*y**3]
    E45 = 0.0    # E_z, z_2[z**2*dweight_g*y**2]
    E46 = 0.0    # E_z, z_2[dweight_g*y**4]
    E47 = 0.0    # E_z, z_2[dweight_g*y**6]
    E48 = 0.0    # E_z, z_2[dweight_g]
    E49 = 0.0    # E_z, z_2[dweight_g*weight*y**2]
    E50 = 0.0    # E_z, z_2[z*dweight_g*weight*y]
    E54 = 0.0    # E_z, z_2[dweight_b*y**2]
    E55 = 0.0    # E_z, z_2[z*dweight_b*y]
    E56 = 0.0    # E_z, z_2[z*dweight_b*y**3]
    E57 = 0.0    # E_z, z_2[z**2*dweight_b*y**2]
    E58 = 0.0    # E_z, z_2[dweight_b*y**4]
    E59 = 0.0    # E_z, z_2[dweight_b*y**6]
    E60 = 0.0    # E_z, z_2[dweight_b]
    E61 = 0.0    # E_z, z_2[dweight_b*weight*y**2]
    E62 = 0.0    # E_z, z_2[z*dweight_b*weight*y]
    for i in range(z_weights.size):
        inv_2 = (1.0/(b_2*column[i]*g*omega*overload + 1))
        weight = inv_2
        dweight_g = -b_2*column[i]*(inv_2*inv_2)*omega*overload
        dweight_b = -column[i]*g*(inv_2*inv_2)*omega*overload
        E6 += z_weights[i]*(column[i]*weight)
        E7 += z_weights[i]*(column_2[i]*(inv_2*inv_2))
        E22 += z_weights[i]*(column_9[i]*weight)
        E23 += z_weights[i]*(column_10[i]*weight)
        E24 += z_weights[i]*(column_2[i]*weight)
        E25 += z_weights[i]*(column_11[i]*weight)
        E26 += z_weights[i]*(weight)
        E27 += z_weights[i]*(column[i]*(weight*weight))
        E28 += z_weights[i]*(column_9[i]*(weight*weight))
        E32 += z_weights[i]*(column_14[i]*weight)
        E33 += z_weights[i]*(column_15[i]*weight)
        E42 += z_weights[i]*(column[i]*dweight_g)
        E43 += z_weights[i]*(column_9[i]*dweight_g)
        E44 += z_weights[i]*(column_11[i]*dweight_g)
        E45 += z_weights[i]*(column_10[i]*dweight_g)
        E46 += z_weights[i]*(column_2[i]*dweight_g)
        E47 += z_weights[i]*(column_14[i]*dweight_g)
        E48 += z_weights[i]*(dweight_g)
        E49 += z_weights[i]*(column[i]*dweight_g*weight)
        E50 += z_weights[i]*(column_9[i]*dweight_g*weight)
        E54 += z_weights[i]*(column[i]*dweight_b)
        E55 += z_weights[i]*(column_9[i]*dweight_b)
        E56 += z_weights[i]*(column_11[i]*dweight_b)
        E57 += z_weights[i]*(column_10[i]*dweight_b)
        E58 += z_weights[i]*(column_2[i]*dweight_b)
        E59 += z_weights[i]*(column_14[i]*dweight_b)
        E60 += z_weights[i]*(dweight_b)
        E61 += z_weights[i]*(column[i]*dweight_b*weight)
        E62 += z_weights[i]*(column_9[i]*dweight_b*weight)
    common_6 = (1.0/beta)
    # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat1 = E1*alpha*common_6
    # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
    Vhat2 = E2*alpha*common_6
    common_7 = E6*g*omega
    common_8 = (1.0/(common_7 + g + 1))
    common_9 = E6*omega + 1
    trace = common_8*common_9
    S_inverse = (1.0/(Vhat1*trace + Vhat2 + lam))
    V1_check = S_inverse*trace
    common_10 = (1.0/((Vhat1*trace + Vhat2 + lam)**(2)))
    common_11 = Vhat1*common_8*common_9 + Vhat2 + lam
    size_V1 = common_10*common_11*common_8*common_9/abs(V1_check) + 1
    V1_residual = abs(math.log(V1_check/V1))
    V2_check = S_inverse
    size_V2 = common_10*common_11/abs(V2_check) + 1
    V2_residual = abs(math.log(V2_check/V2))
    size_b = Vhat1*beta + common_11*g
    b_residual = abs(Vhat1*beta - g*(Vhat1*trace + Vhat2 + lam))/(size_b + 1e-300)
    common_12 = common_7 + 1
    size_g = b_2*common_12 + b_2*g + 1
    g_residual = abs(b_2*common_12 + b_2*g - 1)/(size_g + 1e-300)
    dVhat1_dV1_2 = -E3*alpha*common_6
    dVhat2_dV1_2 = -E4*alpha*common_6
    dVhat1_dV2_2 = -E4*alpha*common_6
    dVhat2_dV2_2 = -E5*alpha*common_6
    common_13 = (trace*trace)
    slope_V1_V1 = common_10*common_13*dVhat1_dV1_2 + common_10*dVhat2_dV1_2*trace + 1
    slope_V1_V2 = V2*(common_10*common_13*dVhat1_dV2_2 + common_10*dVhat2_dV2_2*trace)/V1
    common_14 = (omega*omega)
    common_15 = (g*g)
    common_16 = E7*common_14*common_15*(common_8*common_8)*common_9*overload - E7*common_14*common_8*g*overload
    slope_V1_b = b_2*(-S_inverse*common_16 + Vhat1*common_10*common_16*trace)/V1
    common_17 = -E7*b_2*common_14*common_8*overload + (common_8*common_8)*common_9*(-E6*omega + E7*b_2*common_14*g*overload - 1)
    slope_V1_g = g*(-S_inverse*common_17 + Vhat1*common_10*common_17*trace)/V1
    slope_V2_V1 = V1*(common_10*dVhat1_dV1_2*trace + common_10*dVhat2_dV1_2)/V2
    slope_V2_V2 = common_10*dVhat1_dV2_2*trace + common_10*dVhat2_dV2_2 + 1
    slope_V2_b = Vhat1*b_2*common_10*common_16/V2
    slope_V2_g = Vhat1*common_10*common_17*g/V2
    slope_b_V1 = V1*(dVhat1_dV1_2*(-beta + g*trace) + dVhat2_dV1_2*g)
    slope_b_V2 = V2*(dVhat1_dV2_2*(-beta + g*trace) + dVhat2_dV2_2*g)
    slope_b_b = Vhat1*b_2*common_16*g
    slope_b_g = g*(Vhat1*common_17*g + Vhat1*trace + Vhat2 + lam)
    slope_g_b = b_2*(-E7*b_2*common_14*common_15*overload + common_7 + g + 1)
    slope_g_g = g*(b_2*(E6*omega - E7*b_2*common_14*g*overload) + b_2)
    rounding = ROUNDING*size_V1
    rounding_2 = ROUNDING*size_V2
    rounding_3 = ROUNDING*size_b + 1e-305*min(1, b_2)
    rounding_4 = ROUNDING*size_g + 1e-305*min(1, g)
    # linear block for V1_rounding, V2_rounding, b_rounding, g_rounding
    matrix_0_ = np.array(((slope_V1_V1, slope_V1_V2, slope_V1_b, slope_V1_g), (slope_V2_V1, slope_V2_V2, slope_V2_b, slope_V2_g), (slope_b_V1, slope_b_V2, slope_b_b, slope_b_g), (0.0, 0.0, slope_g_b, slope_g_g)))
    factors_0_, order_0_ = factor_linear_n(matrix_0_)
    solution, V1_V2_b_g_rounding_residual = solve_factored_n(matrix_0_, factors_0_, order_0_, np.array((rounding, rounding_2, rounding_3, rounding_4)))
    V1_rounding = solution[0]
    V2_rounding = solution[1]
    b_rounding = solution[2]
    g_rounding = solution[3]
    V1_V2_b_g_error = max(abs(V1_rounding), abs(V2_rounding), abs(b_rounding), abs(g_rounding))
    uncertain = (V1_V2_b_g_error if (V1_V2_b_g_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < V1_V2_b_g_error) else 0)
    # psihat = alpha*E_kappa[hz*mu1/(V + 1)]
    psihat = E8*alpha
    # psi0hat = alpha*E_kappa[hslope*mu1/(V + 1)]
    psi0hat = E9*alpha
    dthetahat_dtheta = -E10*alpha
    dchihat_dtheta = -E11*alpha
    dthetahat_dchi = -E11*alpha
    dchihat_dchi = -E12*alpha
    dthetahat_dm = -E13*alpha
    dchihat_dm = -E14*alpha
    thetahat_0 = E15*alpha
    chihat_0 = E17*alpha
    common_18 = (1.0/(E23*g*omega + g + 1))
    relative_a = common_12*common_18 + common_18*g
    target_y_a = E22*b_2*relative_a
    B_ss = E22*target_y_a + E6*b_2*overload
    common_19 = (1.0/length)
    common_20 = (common_19*common_19)
    B_vv = B_ss*common_20
    common_21 = E23*omega + 1
    relative_a_slope = -E6*omega + common_12*common_18*common_21 - common_18
    common_22 = E22 + E25*b_2*g*omega*overload
    target_y_a_slope = b_2*(E22*relative_a_slope + E25*b_2*omega*overload) + common_22*trace
    common_23 = E24*b_2*g*omega*overload + E6
    common_24 = (b_2*b_2)
    common_25 = E24*common_24*omega*overload + common_23*trace
    B_ss_slope = E25*b_2*omega*overload*target_y_a + common_22*target_y_a_slope + common_25*overload
    N_vv = B_ss_slope*common_20
    common_26 = (1.0/B_vv)
    K_vv = N_vv*S_inverse*common_26
    common_27 = (row1*row1)
    shared_rows = (0.125)*E6*b_2*common_27*g*overload + 1
    common_28 = -E26 + 2*g*omega*(E22*E28*common_18 + E27*b_2*overload)
    tilt_v = b_2*common_19*common_28
    target_L_b = E22*b_2*relative_a*row1
    target_e_a = E25*b_2*relative_a*row4
    B_vt = common_19*(E22*target_L_b + E22*target_e_a + E24*b_2*overload*row4 + E6*b_2*overload*row1)
    K_vx = B_vt*S_inverse*common_26
    common_29 = (common_26*common_26)
    common_30 = (1.0/shared_rows)
    common_31 = -K_vv + S_inverse*beta*(c*c)*common_29*common_30*inverse_width*(length*length)*(tilt*tilt)*(tilt_v*tilt_v)
    A_theta_theta = -K_vx*dchihat_dtheta + common_31*dthetahat_dtheta + 1
    A_theta_chi = -K_vx*dchihat_dchi + common_31*dthetahat_dchi
    A_theta_m = -K_vx*dchihat_dm - beta*c*common_26*inverse_width*length*tilt*tilt_v + common_31*dthetahat_dm
    left_a_slope = t1*(E25*g*omega*trace - E25*omega)
    common_32 = math.sqrt(overload)
    common_33 = (1.0/math.sqrt(t2))
    common_34 = -common_25*t1 + left_a_slope*target_y_a + t2*target_y_a_slope
    N_vz = common_20*common_32*common_33*common_34
    K_vz = N_vz*S_inverse*common_26
    common_35 = (common_19*common_19*common_19)
    rho_N_vz = common_34*common_35*overload
    tilt_theta = 2*E28*b_2*common_18*g*omega
    common_36 = common_26*g*rho_N_vz*tilt_v - gamma*tilt_v + tilt_theta
    common_37 = S_inverse*c*common_30*common_36*length*psi0hat*tilt
    b_theta = K_vv*thetahat_0 + K_vx*chihat_0 + K_vz*psihat + beta*c*common_26*inverse_width*length*tilt*tilt_v*(-S_inverse*c*common_26*common_30*length*thetahat_0*tilt*tilt_v - common_37)
    common_38 = (1.0/(abs(B_vv)))
    common_39 = abs(length)
    common_40 = (1.0/common_39)
    common_41 = abs(row4)
    common_42 = abs(row1)
    common_45 = E6*omega + common_12*common_18*common_21 + common_18
    common_48 = abs(t1)
    common_54 = abs(psi0hat)
    common_55 = abs(tilt)
    common_57 = E23*g*omega + 1
    relative_c = -common_12*common_18 + common_18*common_57
    relative_d = common_18*common_57 + common_18*g
    common_58 = E23*common_18*omega
    relative_d_slope = common_18*common_21 - common_18 - common_58
    common_59 = -E6*b_2*omega + trace
    common_60 = E22*row1 + E25*b_2*g*omega*overload*row1
    target_L_d_slope = b_2*common_12*common_60*relative_d_slope - b_2*(E22*relative_c*row1 + E25*b_2*g*omega*overload*relative_d*row1) + common_59*common_60
    common_61 = E25*row4 + E33*b_2*g*omega*overload*row4
    target_e_c = -b_2*common_61*relative_d + b_2*(E25*relative_c*row4 + E33*b_2*g*omega*overload*relative_d*row4)
    common_62 = E24*b_2*common_27*g*omega*overload
    common_63 = E6*common_27 + common_62
    B_tt = -E25*b_2*g*omega*overload*row1*target_L_b - 2*E25*b_2*g*omega*overload*row1*target_e_a + E25*row4*target_e_a + E32*b_2*overload*(row4*row4) + common_60*target_L_d_slope - 2*common_60*target_e_c + overload*(-E24*common_24*common_27*g*omega*overload + common_59*common_63) - 2*overload*(E32*common_24*g*omega*overload*row1*row4 - b_2*(E24*row1*row4 + E32*b_2*g*omega*overload*row1*row4))
    common_64 = -g*(B_tt - (B_vt*B_vt)*common_26) + norms
    K_xx = S_inverse*common_64
    A_chi_theta = -K_vx*dthetahat_dtheta - K_xx*dchihat_dtheta
    A_chi_chi = -K_vx*dthetahat_dchi - K_xx*dchihat_dchi + 1
    A_chi_m = -K_vx*dthetahat_dm - K_xx*dchihat_dm
    left_a = E25*b_2*g*omega*t1 + t2
    B_tz = common_19*common_32*common_33*(-E24*b_2*row4*t1 - E6*b_2*row1*t1 + left_a*target_L_b + left_a*target_e_a)
    common_65 = B_tz + B_vt*N_vz*common_26*g
    K_xz = S_inverse*common_65
    b_chi = K_vx*thetahat_0 + K_xx*chihat_0 + K_xz*psihat
    A_m_theta = E13*alpha*common_6 - c*common_26*dthetahat_dtheta*inverse_width*length*tilt*tilt_v
    A_m_chi = E14*alpha*common_6 - c*common_26*dthetahat_dchi*inverse_width*length*tilt*tilt_v
    common_77 = (1.0/S_inverse)
    A_m_m = E35*alpha*common_6 - c*common_26*dthetahat_dm*inverse_width*length*tilt*tilt_v + common_77*inverse_width*shared_rows
    b_m = E36*alpha*common_6 - 0.5*common_77*inverse_width*shared_rows*(-2*S_inverse*c*common_26*common_30*length*thetahat_0*tilt*tilt_v - 2*common_37)
    # linear block for theta, chi, m
    matrix_1_ = np.array(((A_theta_theta, A_theta_chi, A_theta_m), (A_chi_theta, A_chi_chi, A_chi_m), (A_m_theta, A_m_chi, A_m_m)))
    factors_1_, order_1_ = factor_linear_n(matrix_1_)
    solution, theta_chi_m_residual = solve_factored_n(matrix_1_, factors_1_, order_1_, np.array((b_theta, b_chi, b_m)))
    theta = solution[0]
    chi = solution[1]
    m = solution[2]
    # thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    thetahat = chi*dthetahat_dchi + dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    # chihat = -alpha*E_kappa[(C - h)*dmu0/(V + 1)]
    chihat = chi*dchihat_dchi + chihat_0 + dchihat_dm*m + dchihat_dtheta*theta
    # linear blocks for inverse_theta_theta, inverse_chi_theta, inverse_m_theta; inverse_theta_chi, inverse_chi_chi, inverse_m_chi; inverse_theta_m, inverse_chi_m, inverse_m_m
    solution, missed = solve_many_factored_n(matrix_1_, factors_1_, order_1_, np.array(((one, zero, zero), (zero, one, zero), (zero, zero, one))))
    inverse_theta_theta = solution[0, 0]
    inverse_chi_theta = solution[1, 0]
    inverse_m_theta = solution[2, 0]
    inverse_theta_residual = missed[0]
    inverse_theta_chi = solution[0, 1]
    inverse_chi_chi = solution[1, 1]
    inverse_m_chi = solution[2, 1]
    inverse_chi_residual = missed[1]
    inverse_theta_m = solution[0, 2]
    inverse_chi_m = solution[1, 2]
    inverse_m_m = solution[2, 2]
    inverse_m_residual = missed[2]
    common_79 = -LARGEST_ERROR
    theta_singular = max(0, 1e-06*ROUNDING*(abs(A_chi_theta)*abs(inverse_theta_chi) + abs(A_m_theta)*abs(inverse_theta_m) + abs(A_theta_theta)*abs(inverse_theta_theta)) + common_79)
    chi_singular = max(0, 1e-06*ROUNDING*(abs(A_chi_chi)*abs(inverse_chi_chi) + abs(A_m_chi)*abs(inverse_chi_m) + abs(A_theta_chi)*abs(inverse_chi_theta)) + common_79)
    m_singular = max(0, 1e-06*ROUNDING*(abs(A_chi_m)*abs(inverse_m_chi) + abs(A_m_m)*abs(inverse_m_m) + abs(A_theta_m)*abs(inverse_m_theta)) + common_79)
    common_80 = (1.0/t2)
    N_zz = common_80*(common_18*common_21*t2 + common_18*left_a_slope - common_20*common_34*t1)
    common_81 = (N_vz*N_vz)*common_26*g + N_zz
    K_zz = S_inverse*common_81
    # psi = chihat*K_xz + psihat*K_zz + thetahat*K_vz
    psi = K_vz*thetahat + K_xz*chihat + K_zz*psihat
    common_82 = -S_inverse*c*common_26*common_30*length*thetahat*tilt*tilt_v - common_37 + m
    # psi0 = beta*c*inverse_width*length*tilt*(g*rho_N_vz*tilt_v/B_vv - gamma*tilt_v + tilt_theta)*(-c*length*psi0hat*tilt*(g*rho_N_vz*tilt_v/B_vv - gamma*tilt_v + tilt_theta)*S_inverse/shared_rows - c*length*thetahat*tilt*S_inverse*tilt_v/(B_vv*shared_rows) + m)
    psi0 = beta*c*common_36*common_82*inverse_width*length*tilt
    dqhat1_dq1 = E3*alpha*common_6
    dqhat2_dq1 = E4*alpha*common_6
    dqhat1_dq2 = E4*alpha*common_6
    dqhat2_dq2 = E5*alpha*common_6
    A_q1_q1 = -common_10*common_13*dqhat1_dq1 - common_10*dqhat2_dq1*trace + 1
    A_q1_q2 = -common_10*common_13*dqhat1_dq2 - common_10*dqhat2_dq2*trace
    A_q1_ghat = 2*beta - 2*g*trace
    dK_xx_dVhat1 = -common_10*common_64*trace
    A_q2_q1 = -common_10*dqhat1_dq1*trace - common_10*dqhat2_dq1
    A_q2_q2 = -common_10*dqhat1_dq2*trace - common_10*dqhat2_dq2 + 1
    dK_xx_dVhat2 = -common_10*common_64
    dtrace_g = E42*(-(common_8*common_8)*common_9*g*omega + common_8*omega) + (common_8*common_8)*common_9*(-E6*omega - 1)
    dS_inverse_g = -Vhat1*common_10*dtrace_g
    A_bhat_q1 = -0.5*dS_inverse_g*dqhat2_dq1 + dqhat1_dq1*(-0.5*S_inverse*dtrace_g - 0.5*dS_inverse_g*trace)
    A_bhat_q2 = -0.5*dS_inverse_g*dqhat2_dq2 + dqhat1_dq2*(-0.5*S_inverse*dtrace_g - 0.5*dS_inverse_g*trace)
    A_bhat_bhat = E42*b_2*g*omega + E6*b_2*omega + b_2
    A_bhat_ghat = Vhat1*dtrace_g*g + Vhat1*trace + Vhat2 + lam
    dshared_rows_g = (0.125)*E42*b_2*common_27*g*overload + (0.125)*E6*b_2*common_27*overload
    common_83 = (common_18*common_18)
    common_84 = E23*common_14*common_83*g - common_21*common_83*g*omega + common_83*g*omega
    common_85 = -E23*omega - 1
    drelative_d_slope_g = -E23*common_83*common_85*omega + E45*common_84 + common_21*common_83*common_85 - common_83*common_85
    common_86 = common_12*common_83*g*omega
    drelative_c_g = -E42*common_18*g*omega + E45*(common_18*g*omega - common_57*common_83*g*omega + common_86) - E6*common_18*omega - common_12*common_83*common_85 + common_57*common_83*common_85 + common_58
    common_87 = -common_15*common_83*omega + common_18*g*omega - common_57*common_83*g*omega
    drelative_d_g = E45*common_87 + common_18 + common_57*common_83*common_85 + common_58 + common_83*common_85*g
    common_88 = b_2*common_12*relative_d_slope*row1 - b_2*relative_c*row1 + common_59*row1
    common_89 = b_2*common_59*g*omega*overload*row1 + common_12*common_24*g*omega*overload*relative_d_slope*row1 - common_24*g*omega*overload*relative_d*row1
    dtarget_L_d_slope_g = -E22*b_2*drelative_c_g*row1 + E25*b_2*common_59*omega*overload*row1 + E25*common_12*common_24*omega*overload*relative_d_slope*row1 - E25*common_24*drelative_d_g*g*omega*overload*row1 - E25*common_24*omega*overload*relative_d*row1 + E42*(b_2*common_60*g*omega*relative_d_slope - b_2*common_60*omega) + E43*common_88 + E44*common_89 + E6*b_2*common_60*omega*relative_d_slope + b_2*common_12*common_60*drelative_d_slope_g + common_60*dtrace_g
    drelative_a_g = E42*common_18*g*omega + E45*(-common_15*common_83*omega - common_86) + E6*common_18*omega + common_12*common_83*common_85 + common_18 + common_83*common_85*g
    dtarget_e_a_g = E25*b_2*drelative_a_g*row4 + E44*b_2*relative_a*row4
    dtarget_e_c_g = E25*b_2*drelative_c_g*row4 + E44*(b_2*relative_c*row4 - b_2*relative_d*row4) + drelative_d_g*(E33*common_24*g*omega*overload*row4 - b_2*common_61)
    dtarget_L_b_g = E22*b_2*drelative_a_g*row1 + E43*b_2*relative_a*row1
    common_90 = -b_2*g*omega*overload*row1*target_L_b + b_2*g*omega*overload*row1*target_L_d_slope - 2*b_2*g*omega*overload*row1*target_e_a - 2*b_2*g*omega*overload*row1*target_e_c + row4*target_e_a
    common_91 = 2*b_2*overload*row1*row4 + overload*(b_2*common_27*common_59*g*omega*overload - common_24*common_27*g*omega*overload)
    common_92 = -2*E22*row1 - 2*E25*b_2*g*omega*overload*row1
    dB_tt_g = -E25*b_2*dtarget_L_b_g*g*omega*overload*row1 - E25*b_2*omega*overload*row1*target_L_b + E25*b_2*omega*overload*row1*target_L_d_slope - 2*E25*b_2*omega*overload*row1*target_e_a - 2*E25*b_2*omega*overload*row1*target_e_c + E42*overload*(-b_2*common_63*omega + common_27*common_59) + E43*(row1*target_L_d_slope - 2*row1*target_e_c) + E44*common_90 + E46*common_91 + E47*b_2*overload*(row4*row4) + common_60*dtarget_L_d_slope_g + common_63*dtrace_g*overload + common_92*dtarget_e_c_g + dtarget_e_a_g*(-2*E25*b_2*g*omega*overload*row1 + E25*row4) + overload*(E24*b_2*common_27*common_59*omega*overload - E24*common_24*common_27*omega*overload)
    dtarget_y_a_g = E22*b_2*drelative_a_g + E43*b_2*relative_a
    dB_ss_g = E22*dtarget_y_a_g + E42*b_2*overload + E43*target_y_a
    dB_vv_g = common_20*dB_ss_g
    dB_vt_g = E22*common_19*dtarget_L_b_g + E22*common_19*dtarget_e_a_g + E42*b_2*common_19*overload*row1 + E43*common_19*(target_L_b + target_e_a) + E46*b_2*common_19*overload*row4
    dK_xx_g = -(B_vt*B_vt)*S_inverse*common_29*dB_vv_g*g + 2*B_vt*S_inverse*common_26*dB_vt_g*g - S_inverse*dB_tt_g*g + S_inverse*(-B_tt + (B_vt*B_vt)*common_26) + common_64*dS_inverse_g
    dleft_a_slope_g = E25*dtrace_g*g*omega*t1 + E25*omega*t1*trace + E44*t1*(g*omega*trace - omega)
    common_93 = common_12*common_18*omega - common_12*common_21*common_83*g*omega + common_83*g*omega
    drelative_a_slope_g = E42*(common_18*common_21*g*omega - omega) + E45*common_93 + E6*common_18*common_21*omega + common_12*common_21*common_83*common_85 - common_83*common_85
    common_94 = b_2*g*omega*overload*trace + common_24*omega*overload
    dtarget_y_a_slope_g = E22*b_2*drelative_a_slope_g + E25*b_2*omega*overload*trace + E43*(b_2*relative_a_slope + trace) + E44*common_94 + common_22*dtrace_g
    common_95 = (t1*t1)
    common_96 = common_18*omega*t2 - common_21*common_83*g*omega*t2 - common_83*g*left_a_slope*omega
    dN_zz_g = E42*common_20*common_80*common_95*trace + E45*common_80*common_96 + E46*common_20*common_80*common_94*common_95 + common_20*common_23*common_80*common_95*dtrace_g - common_20*common_80*dtarget_y_a_g*left_a_slope*t1 - common_20*dtarget_y_a_slope_g*t1 + common_80*dleft_a_slope_g*(common_18 - common_20*t1*target_y_a) + common_80*(E24*b_2*common_20*common_95*omega*overload*trace + common_21*common_83*common_85*t2 + common_83*common_85*left_a_slope)
    dN_vz_g = -E24*b_2*common_20*common_33*omega*(overload)**(1.5)*t1*trace - E42*common_20*common_32*common_33*t1*trace - E46*common_20*common_32*common_33*common_94*t1 - common_20*common_23*common_32*common_33*dtrace_g*t1 + common_20*common_32*common_33*dleft_a_slope_g*target_y_a + common_20*common_32*common_33*dtarget_y_a_g*left_a_slope + common_20*common_32*dtarget_y_a_slope_g*math.sqrt(t2)
    dK_zz_g = (N_vz*N_vz)*S_inverse*common_26 - (N_vz*N_vz)*S_inverse*common_29*dB_vv_g*g + 2*N_vz*S_inverse*common_26*dN_vz_g*g + S_inverse*dN_zz_g + common_81*dS_inverse_g
    dB_ss_slope_g = E24*b_2*omega*(overload*overload)*trace + E25*b_2*dtarget_y_a_g*omega*overload + E25*b_2*omega*overload*target_y_a_slope + E42*overload*trace + E43*target_y_a_slope + E44*(b_2*g*omega*overload*target_y_a_slope + b_2*omega*overload*target_y_a) + E46*common_94*overload + common_22*dtarget_y_a_slope_g + common_23*dtrace_g*overload
    dN_vv_g = common_20*dB_ss_slope_g
    dK_vv_g = -N_vv*S_inverse*common_29*dB_vv_g + N_vv*common_26*dS_inverse_g + S_inverse*common_26*dN_vv_g
    dleft_a_g = E25*b_2*omega*t1 + E44*b_2*g*omega*t1
    dB_tz_g = -E42*b_2*common_19*common_32*common_33*row1*t1 - E46*b_2*common_19*common_32*common_33*row4*t1 + common_19*common_32*common_33*dleft_a_g*(target_L_b + target_e_a) + common_19*common_32*common_33*dtarget_L_b_g*left_a + common_19*common_32*common_33*dtarget_e_a_g*left_a
    dK_xz_g = B_vt*N_vz*S_inverse*common_26 - B_vt*N_vz*S_inverse*common_29*dB_vv_g*g + B_vt*S_inverse*common_26*dN_vz_g*g + N_vz*S_inverse*common_26*dB_vt_g*g + S_inverse*dB_tz_g + common_65*dS_inverse_g
    dK_vx_g = -B_vt*S_inverse*common_29*dB_vv_g + B_vt*common_26*dS_inverse_g + S_inverse*common_26*dB_vt_g
    dK_vz_g = -N_vz*S_inverse*common_29*dB_vv_g + N_vz*common_26*dS_inverse_g + S_inverse*common_26*dN_vz_g
    dtilt_v_g = -2*E22*E28*E45*b_2*common_14*common_15*common_19*common_83 + 4*E22*E50*b_2*common_18*common_19*g*omega + 2*E28*E43*b_2*common_18*common_19*g*omega - E48*b_2*common_19 + 4*E49*common_19*common_24*g*omega*overload + b_2*common_19*(2*E22*E28*common_83*common_85*g*omega + 2*omega*(E22*E28*common_18 + E27*b_2*overload))
    dtilt_theta_g = -2*E28*E45*b_2*common_14*common_15*common_83 + 2*E28*b_2*common_18*omega + 2*E28*b_2*common_83*common_85*g*omega + 4*E50*b_2*common_18*g*omega
    drho_N_vz_g = -E24*b_2*common_35*omega*(overload*overload)*t1*trace - E42*common_35*overload*t1*trace - E46*common_35*common_94*overload*t1 - common_23*common_35*dtrace_g*overload*t1 + common_35*dleft_a_slope_g*overload*target_y_a + common_35*dtarget_y_a_g*left_a_slope*overload + common_35*dtarget_y_a_slope_g*overload*t2
    dtrace_b = E54*(-(common_8*common_8)*common_9*g*omega + common_8*omega)
    dS_inverse_b = -Vhat1*common_10*dtrace_b
    A_ghat_q1 = -0.5*dS_inverse_b*dqhat2_dq1 + dqhat1_dq1*(-0.5*S_inverse*dtrace_b - 0.5*dS_inverse_b*trace)
    A_ghat_q2 = -0.5*dS_inverse_b*dqhat2_dq2 + dqhat1_dq2*(-0.5*S_inverse*dtrace_b - 0.5*dS_inverse_b*trace)
    A_ghat_bhat = E54*b_2*g*omega + common_7 + g + 1
    A_ghat_ghat = Vhat1*dtrace_b*g
    dshared_rows_b = (0.125)*E54*b_2*common_27*g*overload + (0.125)*E6*common_27*g*overload
    drelative_d_slope_b = E57*common_84
    drelative_c_b = -E54*common_18*g*omega + E57*(common_18*g*omega - common_57*common_83*g*omega + common_86)
    drelative_d_b = E57*common_87
    dtarget_L_d_slope_b = -E22*b_2*drelative_c_b*row1 - E22*relative_c*row1 + E25*b_2*common_12*g*omega*overload*relative_d_slope*row1 - 2*E25*b_2*g*omega*overload*relative_d*row1 - E25*common_24*drelative_d_b*g*omega*overload*row1 + E25*common_59*g*omega*overload*row1 + E54*(b_2*common_60*g*omega*relative_d_slope - b_2*common_60*omega) + E55*common_88 + E56*common_89 - E6*common_60*omega + b_2*common_12*common_60*drelative_d_slope_b + common_12*common_60*relative_d_slope + common_60*dtrace_b
    drelative_a_b = E54*common_18*g*omega + E57*(-common_15*common_83*omega - common_86)
    dtarget_e_a_b = E25*b_2*drelative_a_b*row4 + E25*relative_a*row4 + E56*b_2*relative_a*row4
    dtarget_e_c_b = E25*b_2*drelative_c_b*row4 + E25*relative_c*row4 + E33*b_2*g*omega*overload*relative_d*row4 + E56*(b_2*relative_c*row4 - b_2*relative_d*row4) - common_61*relative_d + drelative_d_b*(E33*common_24*g*omega*overload*row4 - b_2*common_61)
    dtarget_L_b_b = E22*b_2*drelative_a_b*row1 + E22*relative_a*row1 + E55*b_2*relative_a*row1
    dB_tt_b = 2*E24*overload*row1*row4 - E25*b_2*dtarget_L_b_b*g*omega*overload*row1 - E25*g*omega*overload*row1*target_L_b + E25*g*omega*overload*row1*target_L_d_slope - 2*E25*g*omega*overload*row1*target_e_a - 2*E25*g*omega*overload*row1*target_e_c + E32*overload*(row4*row4) + E54*overload*(-b_2*common_63*omega + common_27*common_59) + E55*(row1*target_L_d_slope - 2*row1*target_e_c) + E56*common_90 + E58*common_91 + E59*b_2*overload*(row4*row4) + common_60*dtarget_L_d_slope_b + common_63*dtrace_b*overload + common_92*dtarget_e_c_b + dtarget_e_a_b*(-2*E25*b_2*g*omega*overload*row1 + E25*row4) + overload*(E24*common_27*common_59*g*omega*overload - E6*common_63*omega - 2*common_62)
    dtarget_y_a_b = E22*b_2*drelative_a_b + E22*relative_a + E55*b_2*relative_a
    dB_ss_b = E22*dtarget_y_a_b + E54*b_2*overload + E55*target_y_a + E6*overload
    dB_vv_b = common_20*dB_ss_b
    dB_vt_b = E22*common_19*dtarget_L_b_b + E22*common_19*dtarget_e_a_b + E54*b_2*common_19*overload*row1 + E55*common_19*(target_L_b + target_e_a) + E58*b_2*common_19*overload*row4 + common_19*(E24*overload*row4 + E6*overload*row1)
    dK_xx_b = -(B_vt*B_vt)*S_inverse*common_29*dB_vv_b*g + 2*B_vt*S_inverse*common_26*dB_vt_b*g - S_inverse*dB_tt_b*g + common_64*dS_inverse_b
    dleft_a_slope_b = E25*dtrace_b*g*omega*t1 + E56*t1*(g*omega*trace - omega)
    drelative_a_slope_b = E54*(common_18*common_21*g*omega - omega) + E57*common_93
    dtarget_y_a_slope_b = E22*b_2*drelative_a_slope_b + E22*relative_a_slope + 2*E25*b_2*omega*overload + E25*g*omega*overload*trace + E55*(b_2*relative_a_slope + trace) + E56*common_94 + common_22*dtrace_b
    common_121 = 2*E24*b_2*omega*overload + E24*g*omega*overload*trace
    dN_zz_b = E54*common_20*common_80*common_95*trace + E57*common_80*common_96 + E58*common_20*common_80*common_94*common_95 + common_121*common_20*common_80*common_95 + common_20*common_23*common_80*common_95*dtrace_b - common_20*common_80*dtarget_y_a_b*left_a_slope*t1 - common_20*dtarget_y_a_slope_b*t1 + common_80*dleft_a_slope_b*(common_18 - common_20*t1*target_y_a)
    dN_vz_b = -E54*common_20*common_32*common_33*t1*trace - E58*common_20*common_32*common_33*common_94*t1 - common_121*common_20*common_32*common_33*t1 - common_20*common_23*common_32*common_33*dtrace_b*t1 + common_20*common_32*common_33*dleft_a_slope_b*target_y_a + common_20*common_32*common_33*dtarget_y_a_b*left_a_slope + common_20*common_32*dtarget_y_a_slope_b*math.sqrt(t2)
    dK_zz_b = -(N_vz*N_vz)*S_inverse*common_29*dB_vv_b*g + 2*N_vz*S_inverse*common_26*dN_vz_b*g + S_inverse*dN_zz_b + common_81*dS_inverse_b
    dB_ss_slope_b = E25*b_2*dtarget_y_a_b*omega*overload + E25*g*omega*overload*target_y_a_slope + E25*omega*overload*target_y_a + E54*overload*trace + E55*target_y_a_slope + E56*(b_2*g*omega*overload*target_y_a_slope + b_2*omega*overload*target_y_a) + E58*common_94*overload + common_121*overload + common_22*dtarget_y_a_slope_b + common_23*dtrace_b*overload
    dN_vv_b = common_20*dB_ss_slope_b
    dK_vv_b = -N_vv*S_inverse*common_29*dB_vv_b + N_vv*common_26*dS_inverse_b + S_inverse*common_26*dN_vv_b
    dleft_a_b = E25*g*omega*t1 + E56*b_2*g*omega*t1
    dB_tz_b = -E54*b_2*common_19*common_32*common_33*row1*t1 - E58*b_2*common_19*common_32*common_33*row4*t1 + common_19*common_32*common_33*dleft_a_b*(target_L_b + target_e_a) + common_19*common_32*common_33*dtarget_L_b_b*left_a + common_19*common_32*common_33*dtarget_e_a_b*left_a + common_19*common_32*common_33*(-E24*row4*t1 - E6*row1*t1)
    dK_xz_b = -B_vt*N_vz*S_inverse*common_29*dB_vv_b*g + B_vt*S_inverse*common_26*dN_vz_b*g + N_vz*S_inverse*common_26*dB_vt_b*g + S_inverse*dB_tz_b + common_65*dS_inverse_b
    dK_vx_b = -B_vt*S_inverse*common_29*dB_vv_b + B_vt*common_26*dS_inverse_b + S_inverse*common_26*dB_vt_b
    dK_vz_b = -N_vz*S_inverse*common_29*dB_vv_b + N_vz*common_26*dS_inverse_b + S_inverse*common_26*dN_vz_b
    dtilt_v_b = -2*E22*E28*E57*b_2*common_14*common_15*common_19*common_83 + 4*E22*E62*b_2*common_18*common_19*g*omega + 2*E27*b_2*common_19*g*omega*overload + 2*E28*E55*b_2*common_18*common_19*g*omega - E60*b_2*common_19 + 4*E61*common_19*common_24*g*omega*overload + common_19*common_28
    dtilt_theta_b = -2*E28*E57*b_2*common_14*common_15*common_83 + 2*E28*common_18*g*omega + 4*E62*b_2*common_18*g*omega
    drho_N_vz_b = -E54*common_35*overload*t1*trace - E58*common_35*common_94*overload*t1 - common_121*common_35*overload*t1 - common_23*common_35*dtrace_b*overload*t1 + common_35*dleft_a_slope_b*overload*target_y_a + common_35*dtarget_y_a_b*left_a_slope*overload + common_35*dtarget_y_a_slope_b*overload*t2
    # linear blocks for inverse_q1_q1, inverse_q2_q1, inverse_bhat_q1, inverse_ghat_q1; inverse_q1_q2, inverse_q2_q2, inverse_bhat_q2, inverse_ghat_q2; inverse_q1_bhat, inverse_q2_bhat, inverse_bhat_bhat, inverse_ghat_bhat; inverse_q1_ghat, inverse_q2_ghat, inverse_bhat_ghat, inverse_ghat_ghat
    matrix_2_ = np.array(((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat)))
    factors_2_, order_2_ = factor_linear_n(matrix_2_)
    solution, missed = solve_many_factored_n(matrix_2_, factors_2_, order_2_, np.array(((one_2, zero_2, zero_2, zero_2), (zero_2, one_2, zero_2, zero_2), (zero_2, zero_2, one_2, zero_2), (zero_2, zero_2, zero_2, one_2))))
    inverse_q1_q1 = solution[0, 0]
    inverse_q2_q1 = solution[1, 0]
    inverse_bhat_q1 = solution[2, 0]
    inverse_ghat_q1 = solution[3, 0]
    inverse_q1_residual = missed[0]
    inverse_q1_q2 = solution[0, 1]
    inverse_q2_q2 = solution[1, 1]
    inverse_bhat_q2 = solution[2, 1]
    inverse_ghat_q2 = solution[3, 1]
    inverse_q2_residual = missed[1]
    inverse_q1_bhat = solution[0, 2]
    inverse_q2_bhat = solution[1, 2]
    inverse_bhat_bhat = solution[2, 2]
    inverse_ghat_bhat = solution[3, 2]
    inverse_bhat_residual = missed[2]
    inverse_q1_ghat = solution[0, 3]
    inverse_q2_ghat = solution[1, 3]
    inverse_bhat_ghat = solution[2, 3]
    inverse_ghat_ghat = solution[3, 3]
    inverse_ghat_residual = missed[3]
    q1_singular = max(0, 1e-06*ROUNDING*(abs(A_bhat_q1)*abs(inverse_q1_bhat) + abs(A_ghat_q1)*abs(inverse_q1_ghat) + abs(A_q1_q1)*abs(inverse_q1_q1) + abs(A_q2_q1)*abs(inverse_q1_q2)) + common_79)
    q2_singular = max(0, 1e-06*ROUNDING*(abs(A_bhat_q2)*abs(inverse_q2_bhat) + abs(A_ghat_q2)*abs(inverse_q2_ghat) + abs(A_q1_q2)*abs(inverse_q2_q1) + abs(A_q2_q2)*abs(inverse_q2_q2)) + common_79)
    bhat_singular = max(0, 1e-06*ROUNDING*(abs(A_bhat_bhat)*abs(inverse_bhat_bhat) + abs(A_ghat_bhat)*abs(inverse_bhat_ghat)) + common_79)
    ghat_singular = max(0, 1e-06*ROUNDING*(abs(A_bhat_ghat)*abs(inverse_ghat_bhat) + abs(A_ghat_ghat)*abs(inverse_ghat_ghat) + abs(A_q1_ghat)*abs(inverse_ghat_q1) + abs(A_q2_ghat)*abs(inverse_ghat_q2)) + common_79)
    error_B_ss = E6*b_2*overload + abs(E22*target_y_a)
    error_B_vv = common_20*error_B_ss
    error_B_vt = common_40*(E24*b_2*common_41*overload + E6*b_2*common_42*overload + abs(E22*target_L_b) + abs(E22*target_e_a))
    error_relative_a_slope = common_45
    error_target_y_a_slope = b_2*(b_2*omega*overload*abs(E25) + error_relative_a_slope*abs(E22)) + trace*(b_2*g*omega*overload*abs(E25) + abs(E22))
    error_left_a_slope = common_48*(g*omega*trace*abs(E25) + omega*abs(E25))
    common_132 = common_25*common_48 + error_left_a_slope*abs(target_y_a) + error_target_y_a_slope*t2
    error_N_vz = common_132*common_20*common_32*common_33
    error_left_a = b_2*g*omega*abs(E25*t1) + t2
    error_B_tz = common_32*common_33*common_40*(E24*b_2*abs(row4*t1) + E6*b_2*abs(row1*t1) + error_left_a*abs(target_L_b) + error_left_a*abs(target_e_a))
    error_K_xz = S_inverse*(common_29*error_B_vv*g*abs(B_vt)*abs(N_vz) + common_38*error_B_vt*g*abs(N_vz) + common_38*error_N_vz*g*abs(B_vt) + error_B_tz)
    error_N_zz = common_80*(common_132*common_20*common_48 + common_18*common_21*t2 + common_18*error_left_a_slope)
    relative_a_slope_2 = -E6*omega + common_12*common_18*common_21 - common_18
    target_y_a_slope_2 = b_2*(E22*relative_a_slope_2 + E25*b_2*omega*overload) + common_22*trace
    N_vz_2 = common_20*common_32*common_33*(-common_25*t1 + left_a_slope*target_y_a + t2*target_y_a_slope_2)
    error_K_zz = S_inverse*((N_vz*N_vz)*common_29*error_B_vv*g + 2*common_38*error_N_vz*g*abs(N_vz_2) + error_N_zz)
    error_K_vz = S_inverse*common_29*error_B_vv*abs(N_vz) + S_inverse*common_38*error_N_vz
    common_133 = abs(thetahat)
    error = common_133*error_K_vz + error_K_xz*abs(chihat) + error_K_zz*abs(psihat)
    lost = (1e+289 if (ROUNDING*error > LARGEST_ERROR*max(1, abs(psi))) else 0)
    error_tilt_v = b_2*common_40*(E26 + 2*g*omega*(E27*b_2*overload + common_18*abs(E22*E28)))
    error_rho_N_vz = common_132*common_20*common_40*overload
    common_134 = common_29*error_B_vv*g*abs(rho_N_vz)*abs(tilt_v) + common_38*error_rho_N_vz*g*abs(tilt_v) + common_38*error_tilt_v*g*abs(rho_N_vz) + error_tilt_v*abs(gamma) + abs(tilt_theta)
    common_135 = abs(S_inverse*c*common_26*common_30*length*thetahat*tilt*tilt_v + common_37 - m)
    error_2 = beta*c*common_134*common_135*common_39*common_55*inverse_width + beta*c*common_39*common_55*inverse_width*(S_inverse*c*common_133*common_29*common_30*common_39*common_55*error_B_vv*abs(tilt_v) + S_inverse*c*common_133*common_30*common_38*common_39*common_55*error_tilt_v + S_inverse*c*common_134*common_30*common_39*common_54*common_55 + abs(m))*abs(common_36)
    lost_2 = (1e+289 if (ROUNDING*error_2 > LARGEST_ERROR*max(1, abs(psi0))) else 0)
    upstream = max(ROUNDING, V1_V2_b_g_error)
    E38 = 0.0    # E_kappa[(m**2*common + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu1**2/(V + 1)**2]
    E40 = 0.0    # E_kappa[(m**2*common + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu2sq/(V + 1)**2]
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column_3[i]*inverse_width + mu0[i]
        C = chi*dmu0[i] + kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*dmu0_dmu0[i]*inverse_width*square
        E38 += kappa_weights[i]*((inv*inv)*mu1_mu1[i]*((C*C) - 2*C*h[i] + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))
        E40 += kappa_weights[i]*((inv*inv)*mu2sq[i]*((C*C) - 2*C*h[i] + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))
    qhat1_0 = E38*alpha*common_6
    qhat2_0 = E40*alpha*common_6
    common_138 = (chihat*chihat)
    common_139 = (psihat*psihat)
    common_140 = (thetahat*thetahat)
    b_q1 = common_10*common_13*qhat1_0 + common_10*(common_77*common_77)*(common_82*common_82)*inverse_width*shared_rows*trace + common_10*qhat2_0*trace - common_6*(-2*B_vt*chihat*common_10*common_26*thetahat*trace - N_vv*common_10*common_140*common_26*trace - 2*N_vz*common_10*common_26*psihat*thetahat*trace - 2*chihat*common_10*common_65*psihat*trace - common_10*common_139*common_81*trace + common_138*dK_xx_dVhat1) + common_77*common_82*inverse_width*shared_rows*(2*c*common_10*common_26*common_30*length*thetahat*tilt*tilt_v*trace + 2*c*common_10*common_30*common_36*length*psi0hat*tilt*trace)
    b_q2 = common_10*(common_77*common_77)*(common_82*common_82)*inverse_width*shared_rows + common_10*qhat1_0*trace + common_10*qhat2_0 - common_6*(-2*B_vt*chihat*common_10*common_26*thetahat - N_vv*common_10*common_140*common_26 - 2*N_vz*common_10*common_26*psihat*thetahat - 2*chihat*common_10*common_65*psihat - common_10*common_139*common_81 + common_138*dK_xx_dVhat2) + common_77*common_82*inverse_width*shared_rows*(2*c*common_10*common_26*common_30*length*thetahat*tilt*tilt_v + 2*c*common_10*common_30*common_36*length*psi0hat*tilt)
    common_142 = -0.5*(common_77*common_77)*(common_82*common_82)*inverse_width*shared_rows + (0.5)*common_77*common_82*inverse_width*shared_rows*(-2*c*common_26*common_30*length*thetahat*tilt*tilt_v - 2*c*common_30*common_36*length*psi0hat*tilt) - 0.5*qhat1_0*trace - 0.5*qhat2_0
    common_143 = (0.5)*common_77*(common_82*common_82)*inverse_width + (0.5)*common_77*common_82*inverse_width*shared_rows*(2*S_inverse*c*common_26*(common_30*common_30)*length*thetahat*tilt*tilt_v + 2*S_inverse*c*(common_30*common_30)*common_36*length*psi0hat*tilt)
    common_144 = 2*S_inverse*c*common_29*common_30*g*length*psi0hat*rho_N_vz*tilt*tilt_v + 2*S_inverse*c*common_29*common_30*length*thetahat*tilt*tilt_v
    common_145 = -2*S_inverse*c*common_26*common_30*length*thetahat*tilt - 2*S_inverse*c*common_30*length*psi0hat*tilt*(common_26*g*rho_N_vz - gamma)
    b_bhat = (0.5)*S_inverse*dtrace_g*qhat1_0 + c*common_26*common_82*drho_N_vz_g*g*inverse_width*length*psi0hat*tilt*tilt_v + c*common_26*common_82*inverse_width*length*psi0hat*rho_N_vz*tilt*tilt_v + c*common_82*dtilt_theta_g*inverse_width*length*psi0hat*tilt + chihat*common_6*dK_vx_g*thetahat + chihat*common_6*dK_xz_g*psihat + (0.5)*common_138*common_6*dK_xx_g + (0.5)*common_139*common_6*dK_zz_g + (0.5)*common_140*common_6*dK_vv_g - common_142*dS_inverse_g - common_143*dshared_rows_g - 0.5*common_144*common_77*common_82*dB_vv_g*inverse_width*shared_rows - 0.5*common_145*common_77*common_82*dtilt_v_g*inverse_width*shared_rows + common_6*dK_vz_g*psihat*thetahat
    b_ghat = (0.5)*S_inverse*dtrace_b*qhat1_0 + c*common_26*common_82*drho_N_vz_b*g*inverse_width*length*psi0hat*tilt*tilt_v + c*common_82*dtilt_theta_b*inverse_width*length*psi0hat*tilt + chihat*common_6*dK_vx_b*thetahat + chihat*common_6*dK_xz_b*psihat + (0.5)*common_138*common_6*dK_xx_b + (0.5)*common_139*common_6*dK_zz_b + (0.5)*common_140*common_6*dK_vv_b - common_142*dS_inverse_b - common_143*dshared_rows_b - 0.5*common_144*common_77*common_82*dB_vv_b*inverse_width*shared_rows - 0.5*common_145*common_77*common_82*dtilt_v_b*inverse_width*shared_rows + common_6*dK_vz_b*psihat*thetahat
    # linear block for q1, q2, bhat, ghat
    solution, q1_q2_bhat_ghat_residual = solve_factored_n(matrix_2_, factors_2_, order_2_, np.array((b_q1, b_q2, b_bhat, b_ghat)))
    q1 = solution[0]
    q2 = solution[1]
    bhat = solution[2]
    ghat = solution[3]
    # qhat1 = alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    qhat1 = dqhat1_dq1*q1 + dqhat1_dq2*q2 + qhat1_0
    # qhat2 = alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    residual = max(V1_V2_b_g_moved, V1_V2_b_g_rounding_residual, V1_residual, V2_residual, b_residual, bhat_singular, chi_singular, g_residual, ghat_singular, m_singular, q1_q2_bhat_ghat_residual, q1_singular, q2_singular, theta_chi_m_residual, theta_singular, uncertain)
    E66 = 0.0    # E_kappa[R]
    E67 = 0.0    # E_kappa[R/(V + 1)**2]
    for i in range(kappa_weights.size):
        mean_7 = beta*c*column_3[i]*inverse_width + mu0[i]
        C = chi*dmu0[i] + kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*dmu0_dmu0[i]*inverse_width*square
        R = (C*C) - 2*C*h[i] + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        E66 += kappa_weights[i]*(R)
        E67 += kappa_weights[i]*(R*(inv*inv))
    # test_error = E_kappa[R]
    test_error = E66
    # clean_error = -noise_variance + E_kappa[R]
    clean_error = E66 - noise_variance
    # train_error = E_kappa[R/(V + 1)**2]
    train_error = E67
    # objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    objective = E67 + beta*lam*q2/alpha
    error_3 = noise_variance + abs(E66)
    lost_3 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(clean_error))) else 0)
    error_4 = abs(E67) + beta*lam*abs(q2)/alpha
    lost_4 = (1e+289 if (ROUNDING*error_4 > LARGEST_ERROR*max(1, abs(objective))) else 0)
    limited_2 = (1 if (((error_3*upstream > 1e-10*abs(clean_error)) and (abs(clean_error) > 10*ROUNDING*error_3)) or ((error_4*upstream > 1e-10*abs(objective)) and (abs(objective) > 10*ROUNDING*error_4)) or ((error*upstream > 1e-10*abs(psi)) and (abs(psi) > 10*ROUNDING*error)) or ((error_2*upstream > 1e-10*abs(psi0)) and (abs(psi0) > 10*ROUNDING*error_2)) or (upstream > 1e-10)) else 0)
    inaccurate_2 = max(inaccurate, lost, lost_2, lost_3, lost_4)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= residual) else 0)
    residual_2 = max(few_digits, residual)
    return (V1 + 0.0, V2 + 0.0, b_2 + 0.0, g + 0.0, q1 + 0.0, q2 + 0.0, theta + 0.0, psi + 0.0, psi0 + 0.0, chi + 0.0, m + 0.0, Vhat1 + 0.0, Vhat2 + 0.0, qhat1 + 0.0, qhat2 + 0.0, thetahat + 0.0, psihat + 0.0, psi0hat + 0.0, chihat + 0.0, bhat + 0.0, ghat + 0.0, test_error + 0.0, clean_error + 0.0, train_error + 0.0, objective + 0.0, residual_2 + 0.0, iterations + 0.5*limited_2 + 0.0)


@compiled
def solve_rows(alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt, kappa_table, kappa_weights, z_table, z_weights, V1_start, V2_start, b_2_start, g_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from those of the points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known, past = 0, np.zeros((4, DIFFERENCES))
        for j in range(points):
            for attempt in range(2):          # as predicted, if anything is; then from the given start
                plain = 2
                V1_guess = V1_start[row, j]
                V2_guess = V2_start[row, j]
                b_2_guess = b_2_start[row, j]
                g_guess = g_start[row, j]
                if known >= 1 and attempt == 0:
                    plain = 0
                    V1_guess = math.exp(limited(past[0], known))
                    V2_guess = math.exp(limited(past[1], known))
                    b_2_guess = math.exp(limited(past[2], known))
                    g_guess = math.exp(limited(past[3], known))
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], inverse_width[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], deviation[row, j], overload[row, j], omega[row, j], t1[row, j], t2[row, j], length[row, j], row1[row, j], row4[row, j], norms[row, j], square[row, j], tilt[row, j], kappa_table, kappa_weights, z_table, z_weights, V1_guess, V2_guess, b_2_guess, g_guess, plain, tolerance, max_steps)
                if known == 0 or result[25] <= accept:
                    break
            for k in range(27):
                out[row, j, k] = result[k]
            if result[25] <= accept:
                known += 1
                remember(past[0], math.log(max(result[0], 1e-300)))
                remember(past[1], math.log(max(result[1], 1e-300)))
                remember(past[2], math.log(max(result[2], 1e-300)))
                remember(past[3], math.log(max(result[3], 1e-300)))
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)


def solve_batch(alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt, kappa_table, kappa_weights, z_table, z_weights, V1_start, V2_start, b_2_start, g_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    mu1_mu1 = kappa_table[0]
    mu2sq = kappa_table[1]
    dmu0_dmu0 = kappa_table[9]
    column_3 = kappa_table[10]
    mu0 = kappa_table[11]
    kappa_mu1 = kappa_table[12]
    dmu0 = kappa_table[13]
    h = kappa_table[19]
    hzz = kappa_table[22]
    column = z_table[0]
    column_2 = z_table[1]
    column_9 = z_table[2]
    column_10 = z_table[3]
    column_11 = z_table[4]
    column_12 = z_table[5]
    column_14 = z_table[7]
    column_15 = z_table[8]
    columns_1 = kappa_table[[0, 1]]
    weighted_1 = kappa_table[[0, 1]]*kappa_weights
    weighted_2 = kappa_table[[2, 3, 4]]*kappa_weights
    weighted_3 = column*z_weights
    weighted_4 = column_2*z_weights
    weighted_5 = kappa_table[[0, 1, 5, 6, 7, 8, 9, 14, 16]]*kappa_weights
    weighted_6 = kappa_table[[12, 13, 19]]*kappa_weights
    weighted_7 = kappa_table[[15, 17, 18, 20, 21]]*kappa_weights
    weighted_8 = np.stack((column*z_weights, column_9*z_weights, column_10*z_weights, column_2*z_weights, column_11*z_weights, z_weights, column_14*z_weights, column_15*z_weights))
    weighted_9 = z_table[[0, 2]]*z_weights
    weighted_10 = np.stack((column*z_weights, column_9*z_weights, column_11*z_weights, column_10*z_weights, column_2*z_weights, column_14*z_weights, z_weights))
    weighted_11 = z_table[[5, 6, 9]]*z_weights
    weighted_12 = column_12*z_weights
    weighted_13 = z_table[[5, 6]]*z_weights
    columns_2 = kappa_table[[13, 12]]
    columns_3 = kappa_table[[6, 5]]
    columns_4 = kappa_table[[6, 5, 0, 1]]
    blocks, iterations = [], np.zeros(alpha.shape)
    def step_V1_V2_b_2_g(alpha, beta, lam, omega, overload, V1, V2, b_2, g):
        """Maps, residuals and matrix of Newton's method for the points that still move."""
        V = np.array((V1, V2)).T @ columns_1
        inv = (1.0/(V + 1))
        E1, E2 = weighted_1 @ (inv).T
        E3, E4, E5 = weighted_2 @ ((inv*inv)).T
        inv_2 = (1.0/(b_2[..., None]*column*g[..., None]*omega[..., None]*overload[..., None] + 1))
        weight = inv_2
        E6 = (weight) @ weighted_3
        E7 = ((inv_2*inv_2)) @ weighted_4
        Vhat1 = E1*alpha/beta
        Vhat2 = E2*alpha/beta
        dVhat1_dV1 = -E3*alpha/beta
        dVhat2_dV1 = -E4*alpha/beta
        dVhat1_dV2 = -E4*alpha/beta
        dVhat2_dV2 = -E5*alpha/beta
        common_2 = (1.0/(E6*g*omega + g + 1))
        trace = common_2*(E6*omega + 1)
        S_inverse = (1.0/(Vhat1*trace + Vhat2 + lam))
        V1_map = S_inverse*trace
        common_3 = (1.0/((Vhat1*trace + Vhat2 + lam)**(2)))
        dV1_map_dV1 = -common_3*dVhat1_dV1*(trace*trace) - common_3*dVhat2_dV1*trace
        dV1_map_dV2 = -common_3*dVhat1_dV2*(trace*trace) - common_3*dVhat2_dV2*trace
        common_4 = E7*(common_2*common_2)*(g*g)*(omega*omega)*overload*(E6*omega + 1) - E7*common_2*g*(omega*omega)*overload
        dV1_map_db = S_inverse*common_4 - Vhat1*common_3*common_4*trace
        common_5 = -E7*b_2*common_2*(omega*omega)*overload + (common_2*common_2)*(E6*omega + 1)*(-E6*omega + E7*b_2*g*(omega*omega)*overload - 1)
        dV1_map_dg = S_inverse*common_5 - Vhat1*common_3*common_5*trace
        V2_map = S_inverse
        dV2_map_dV1 = -common_3*dVhat1_dV1*trace - common_3*dVhat2_dV1
        dV2_map_dV2 = -common_3*dVhat1_dV2*trace - common_3*dVhat2_dV2
        dV2_map_db = -Vhat1*common_3*common_4
        dV2_map_dg = -Vhat1*common_3*common_5
        b_equation = -Vhat1*beta + g*(Vhat1*trace + Vhat2 + lam)
        db_equation_dV1 = dVhat1_dV1*(-beta + g*trace) + dVhat2_dV1*g
        db_equation_dV2 = dVhat1_dV2*(-beta + g*trace) + dVhat2_dV2*g
        db_equation_db = Vhat1*common_4*g
        db_equation_dg = Vhat1*common_5*g + Vhat1*trace + Vhat2 + lam
        g_equation = b_2*g + b_2*(E6*g*omega + 1) - 1
        dg_equation_db = E6*g*omega - E7*b_2*(g*g)*(omega*omega)*overload + g + 1
        dg_equation_dg = b_2*(E6*omega - E7*b_2*g*(omega*omega)*overload) + b_2
        return None, (np.log(V1/V1_map), np.log(V2/V2_map), b_equation, g_equation,), ((1.0 - dV1_map_dV1*V1/V1_map, 0.0 - dV1_map_dV2*V2/V1_map, 0.0 - dV1_map_db*b_2/V1_map, 0.0 - dV1_map_dg*g/V1_map,), (0.0 - dV2_map_dV1*V1/V2_map, 1.0 - dV2_map_dV2*V2/V2_map, 0.0 - dV2_map_db*b_2/V2_map, 0.0 - dV2_map_dg*g/V2_map,), (db_equation_dV1*V1, db_equation_dV2*V2, db_equation_db*b_2, db_equation_dg*g,), (0.0*V1, 0.0*V2, dg_equation_db*b_2, dg_equation_dg*g,),)
    (V1, V2, b_2, g,), steps, J, V1_V2_b_g_moved = newton_batch(step_V1_V2_b_2_g, (alpha, beta, lam, omega, overload,), (V1_start, V2_start, b_2_start, g_start,), (True, True, True, True), plain, tolerance, max_steps)
    iterations = iterations + steps
    if diagnose:
        blocks.append(("newton", ("V1", "V2", "b", "g",), J))
    zero = 0
    one = 1
    A_q2_ghat = -2*g
    if diagnose:
        size_q2_ghat = 2*g
    zero_2 = 0
    one_2 = 1
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column_3*inverse_width[..., None] + mu0
    common = 2*beta[..., None]*dmu0_dmu0*inverse_width[..., None]*square[..., None]
    E1, E2, E8, E9, E10, E11, E12, E15, E17 = weighted_5 @ (inv).T
    E3, E4, E5 = weighted_2 @ ((inv*inv)).T
    E13, E14, E36 = weighted_6 @ (inv*mean_7).T
    E35 = (inv*(common + (mean_7*mean_7))) @ kappa_weights
    if diagnose:
        E16, E18, E19, E68, E69 = weighted_7 @ (inv).T
        E20 = (inv*np.abs(kappa_mu1*mean_7)) @ kappa_weights
        E21 = (inv*np.abs(dmu0*mean_7)) @ kappa_weights
        E37 = (inv*np.abs(h*mean_7)) @ kappa_weights
    inv_2 = (1.0/(b_2[..., None]*column*g[..., None]*omega[..., None]*overload[..., None] + 1))
    weight = inv_2
    dweight_g = -b_2[..., None]*column*(inv_2*inv_2)*omega[..., None]*overload[..., None]
    dweight_b = -column*g[..., None]*(inv_2*inv_2)*omega[..., None]*overload[..., None]
    E6, E22, E23, E24, E25, E26, E32, E33 = weighted_8 @ (weight).T
    E7 = ((inv_2*inv_2)) @ weighted_4
    E27, E28 = weighted_9 @ ((weight*weight)).T
    E42, E43, E44, E45, E46, E47, E48 = weighted_10 @ (dweight_g).T
    E49, E50 = weighted_9 @ (dweight_g*weight).T
    E54, E55, E56, E57, E58, E59, E60 = weighted_10 @ (dweight_b).T
    E61, E62 = weighted_9 @ (dweight_b*weight).T
    if diagnose:
        E29, E30, E34 = weighted_11 @ (weight).T
        E31 = ((weight*weight)) @ weighted_12
        E51, E52 = weighted_13 @ (dweight_g).T
        E53 = (dweight_g*weight) @ weighted_12
        E63, E64 = weighted_13 @ (dweight_b).T
        E65 = (dweight_b*weight) @ weighted_12
    common_6 = (1.0/beta)
    Vhat1 = E1*alpha*common_6
    Vhat2 = E2*alpha*common_6
    common_7 = E6*g*omega
    common_8 = (1.0/(common_7 + g + 1))
    common_9 = E6*omega + 1
    trace = common_8*common_9
    S_inverse = (1.0/(Vhat1*trace + Vhat2 + lam))
    V1_check = S_inverse*trace
    common_10 = (1.0/((Vhat1*trace + Vhat2 + lam)**(2)))
    common_11 = Vhat1*common_8*common_9 + Vhat2 + lam
    size_V1 = common_10*common_11*common_8*common_9/np.abs(V1_check) + 1
    V1_residual = np.abs(np.log(V1_check/V1))
    V2_check = S_inverse
    size_V2 = common_10*common_11/np.abs(V2_check) + 1
    V2_residual = np.abs(np.log(V2_check/V2))
    size_b = Vhat1*beta + common_11*g
    b_residual = np.abs(Vhat1*beta - g*(Vhat1*trace + Vhat2 + lam))/(size_b + 1e-300)
    common_12 = common_7 + 1
    size_g = b_2*common_12 + b_2*g + 1
    g_residual = np.abs(b_2*common_12 + b_2*g - 1)/(size_g + 1e-300)
    dVhat1_dV1_2 = -E3*alpha*common_6
    dVhat2_dV1_2 = -E4*alpha*common_6
    dVhat1_dV2_2 = -E4*alpha*common_6
    dVhat2_dV2_2 = -E5*alpha*common_6
    common_13 = (trace*trace)
    slope_V1_V1 = common_10*common_13*dVhat1_dV1_2 + common_10*dVhat2_dV1_2*trace + 1
    slope_V1_V2 = V2*(common_10*common_13*dVhat1_dV2_2 + common_10*dVhat2_dV2_2*trace)/V1
    common_14 = (omega*omega)
    common_15 = (g*g)
    common_16 = E7*common_14*common_15*(common_8*common_8)*common_9*overload - E7*common_14*common_8*g*overload
    slope_V1_b = b_2*(-S_inverse*common_16 + Vhat1*common_10*common_16*trace)/V1
    common_17 = -E7*b_2*common_14*common_8*overload + (common_8*common_8)*common_9*(-E6*omega + E7*b_2*common_14*g*overload - 1)
    slope_V1_g = g*(-S_inverse*common_17 + Vhat1*common_10*common_17*trace)/V1
    slope_V2_V1 = V1*(common_10*dVhat1_dV1_2*trace + common_10*dVhat2_dV1_2)/V2
    slope_V2_V2 = common_10*dVhat1_dV2_2*trace + common_10*dVhat2_dV2_2 + 1
    slope_V2_b = Vhat1*b_2*common_10*common_16/V2
    slope_V2_g = Vhat1*common_10*common_17*g/V2
    slope_b_V1 = V1*(dVhat1_dV1_2*(-beta + g*trace) + dVhat2_dV1_2*g)
    slope_b_V2 = V2*(dVhat1_dV2_2*(-beta + g*trace) + dVhat2_dV2_2*g)
    slope_b_b = Vhat1*b_2*common_16*g
    slope_b_g = g*(Vhat1*common_17*g + Vhat1*trace + Vhat2 + lam)
    slope_g_b = b_2*(-E7*b_2*common_14*common_15*overload + common_7 + g + 1)
    slope_g_g = g*(b_2*(E6*omega - E7*b_2*common_14*g*overload) + b_2)
    rounding = ROUNDING*size_V1
    rounding_2 = ROUNDING*size_V2
    rounding_3 = ROUNDING*size_b + 1e-305*np.minimum(1, b_2)
    rounding_4 = ROUNDING*size_g + 1e-305*np.minimum(1, g)
    A = stack_matrix(iterations.shape, ((slope_V1_V1, slope_V1_V2, slope_V1_b, slope_V1_g,), (slope_V2_V1, slope_V2_V2, slope_V2_b, slope_V2_g,), (slope_b_V1, slope_b_V2, slope_b_b, slope_b_g,), (0.0, 0.0, slope_g_b, slope_g_g,),))
    b = stack_vector(iterations.shape, (rounding, rounding_2, rounding_3, rounding_4,))
    solution, V1_V2_b_g_rounding_residual = solve_linear_batch(A, b)
    V1_rounding = solution[..., 0]
    V2_rounding = solution[..., 1]
    b_rounding = solution[..., 2]
    g_rounding = solution[..., 3]
    V1_V2_b_g_error = np.maximum(np.maximum(np.maximum(np.abs(V1_rounding), np.abs(V2_rounding)), np.abs(b_rounding)), np.abs(g_rounding))
    uncertain = np.where((V1_V2_b_g_error > 0.1), V1_V2_b_g_error, 0)
    inaccurate = np.where((LARGEST_ERROR < V1_V2_b_g_error), 1e+289, 0)
    psihat = E8*alpha
    psi0hat = E9*alpha
    dthetahat_dtheta = -E10*alpha
    dchihat_dtheta = -E11*alpha
    dthetahat_dchi = -E11*alpha
    dchihat_dchi = -E12*alpha
    dthetahat_dm = -E13*alpha
    dchihat_dm = -E14*alpha
    thetahat_0 = E15*alpha
    if diagnose:
        size_thetahat_0 = E16*alpha
    chihat_0 = E17*alpha
    if diagnose:
        size_chihat_0 = E18*alpha
        size_dchihat_dtheta = E19*alpha
        size_dthetahat_dchi = E19*alpha
        size_dthetahat_dm = E20*alpha
        size_dchihat_dm = E21*alpha
    common_18 = (1.0/(E23*g*omega + g + 1))
    relative_a = common_12*common_18 + common_18*g
    target_y_a = E22*b_2*relative_a
    B_ss = E22*target_y_a + E6*b_2*overload
    common_19 = (1.0/length)
    common_20 = (common_19*common_19)
    B_vv = B_ss*common_20
    common_21 = E23*omega + 1
    relative_a_slope = -E6*omega + common_12*common_18*common_21 - common_18
    common_22 = E22 + E25*b_2*g*omega*overload
    target_y_a_slope = b_2*(E22*relative_a_slope + E25*b_2*omega*overload) + common_22*trace
    common_23 = E24*b_2*g*omega*overload + E6
    common_24 = (b_2*b_2)
    common_25 = E24*common_24*omega*overload + common_23*trace
    B_ss_slope = E25*b_2*omega*overload*target_y_a + common_22*target_y_a_slope + common_25*overload
    N_vv = B_ss_slope*common_20
    common_26 = (1.0/B_vv)
    K_vv = N_vv*S_inverse*common_26
    common_27 = (row1*row1)
    shared_rows = (0.125)*E6*b_2*common_27*g*overload + 1
    common_28 = -E26 + 2*g*omega*(E22*E28*common_18 + E27*b_2*overload)
    tilt_v = b_2*common_19*common_28
    target_L_b = E22*b_2*relative_a*row1
    target_e_a = E25*b_2*relative_a*row4
    B_vt = common_19*(E22*target_L_b + E22*target_e_a + E24*b_2*overload*row4 + E6*b_2*overload*row1)
    K_vx = B_vt*S_inverse*common_26
    common_29 = (common_26*common_26)
    common_30 = (1.0/shared_rows)
    common_31 = -K_vv + S_inverse*beta*(c*c)*common_29*common_30*inverse_width*(length*length)*(tilt*tilt)*(tilt_v*tilt_v)
    A_theta_theta = -K_vx*dchihat_dtheta + common_31*dthetahat_dtheta + 1
    A_theta_chi = -K_vx*dchihat_dchi + common_31*dthetahat_dchi
    A_theta_m = -K_vx*dchihat_dm - beta*c*common_26*inverse_width*length*tilt*tilt_v + common_31*dthetahat_dm
    left_a_slope = t1*(E25*g*omega*trace - E25*omega)
    common_32 = np.sqrt(overload)
    common_33 = (1.0/np.sqrt(t2))
    common_34 = -common_25*t1 + left_a_slope*target_y_a + t2*target_y_a_slope
    N_vz = common_20*common_32*common_33*common_34
    K_vz = N_vz*S_inverse*common_26
    common_35 = (common_19*common_19*common_19)
    rho_N_vz = common_34*common_35*overload
    tilt_theta = 2*E28*b_2*common_18*g*omega
    common_36 = common_26*g*rho_N_vz*tilt_v - gamma*tilt_v + tilt_theta
    common_37 = S_inverse*c*common_30*common_36*length*psi0hat*tilt
    b_theta = K_vv*thetahat_0 + K_vx*chihat_0 + K_vz*psihat + beta*c*common_26*inverse_width*length*tilt*tilt_v*(-S_inverse*c*common_26*common_30*length*thetahat_0*tilt*tilt_v - common_37)
    common_38 = (1.0/(np.abs(B_vv)))
    common_39 = np.abs(length)
    common_40 = (1.0/common_39)
    common_41 = np.abs(row4)
    common_42 = np.abs(row1)
    if diagnose:
        common_43 = E24*b_2*common_41*overload + (E29*E29)*b_2*common_42*relative_a + E29*E30*b_2*common_41*relative_a + E6*b_2*common_42*overload
        common_44 = E29 + E30*b_2*g*omega*overload
    common_45 = E6*omega + common_12*common_18*common_21 + common_18
    if diagnose:
        common_46 = b_2*(E29*common_45 + E30*b_2*omega*overload) + common_44*trace
        common_47 = E29*E30*common_24*omega*overload*relative_a + common_25*overload + common_44*common_46
    common_48 = np.abs(t1)
    if diagnose:
        common_49 = E30*g*omega*trace + E30*omega
        common_50 = E29*b_2*common_48*common_49*relative_a + common_25*common_48 + common_46*t2
        common_51 = E26 + 2*g*omega*(E27*b_2*overload + E29*E31*common_18)
        common_52 = (common_19*common_19*common_19*common_19)
        common_53 = 2*E31*b_2*common_18*g*omega + b_2*common_38*common_50*common_51*common_52*g*overload + b_2*common_40*common_51*np.abs(gamma)
    common_54 = np.abs(psi0hat)
    common_55 = np.abs(tilt)
    if diagnose:
        common_56 = S_inverse*c*common_30*common_39*common_53*common_54*common_55
        size_theta = S_inverse*common_20*common_32*common_33*common_38*common_50*np.abs(psihat) + S_inverse*common_20*common_38*common_47*size_thetahat_0 + S_inverse*common_38*common_40*common_43*size_chihat_0 + b_2*beta*c*common_38*common_51*common_55*inverse_width*(S_inverse*b_2*c*common_30*common_38*common_51*common_55*size_thetahat_0 + common_56)
    common_57 = E23*g*omega + 1
    relative_c = -common_12*common_18 + common_18*common_57
    relative_d = common_18*common_57 + common_18*g
    common_58 = E23*common_18*omega
    relative_d_slope = common_18*common_21 - common_18 - common_58
    common_59 = -E6*b_2*omega + trace
    common_60 = E22*row1 + E25*b_2*g*omega*overload*row1
    target_L_d_slope = b_2*common_12*common_60*relative_d_slope - b_2*(E22*relative_c*row1 + E25*b_2*g*omega*overload*relative_d*row1) + common_59*common_60
    common_61 = E25*row4 + E33*b_2*g*omega*overload*row4
    target_e_c = -b_2*common_61*relative_d + b_2*(E25*relative_c*row4 + E33*b_2*g*omega*overload*relative_d*row4)
    common_62 = E24*b_2*common_27*g*omega*overload
    common_63 = E6*common_27 + common_62
    B_tt = -E25*b_2*g*omega*overload*row1*target_L_b - 2*E25*b_2*g*omega*overload*row1*target_e_a + E25*row4*target_e_a + E32*b_2*overload*(row4*row4) + common_60*target_L_d_slope - 2*common_60*target_e_c + overload*(-E24*common_24*common_27*g*omega*overload + common_59*common_63) - 2*overload*(E32*common_24*g*omega*overload*row1*row4 - b_2*(E24*row1*row4 + E32*b_2*g*omega*overload*row1*row4))
    common_64 = -g*(B_tt - (B_vt*B_vt)*common_26) + norms
    K_xx = S_inverse*common_64
    A_chi_theta = -K_vx*dthetahat_dtheta - K_xx*dchihat_dtheta
    A_chi_chi = -K_vx*dthetahat_dchi - K_xx*dchihat_dchi + 1
    A_chi_m = -K_vx*dthetahat_dm - K_xx*dchihat_dm
    left_a = E25*b_2*g*omega*t1 + t2
    B_tz = common_19*common_32*common_33*(-E24*b_2*row4*t1 - E6*b_2*row1*t1 + left_a*target_L_b + left_a*target_e_a)
    common_65 = B_tz + B_vt*N_vz*common_26*g
    K_xz = S_inverse*common_65
    b_chi = K_vx*thetahat_0 + K_xx*chihat_0 + K_xz*psihat
    if diagnose:
        common_66 = E6*b_2*omega + trace
        common_67 = E29*common_42 + E30*b_2*common_42*g*omega*overload
        common_68 = common_12*common_18 + common_18*common_57
        common_69 = common_18*common_21 + common_18 + common_58
        common_70 = b_2*common_12*common_67*common_69 + b_2*(E29*common_42*common_68 + E30*b_2*common_42*g*omega*overload*relative_d) + common_66*common_67
        common_71 = E30*common_41 + E34*b_2*common_41*g*omega*overload
        common_72 = b_2*common_71*relative_d + b_2*(E30*common_41*common_68 + E34*b_2*common_41*g*omega*overload*relative_d)
        common_73 = E29*E30*common_24*common_27*g*omega*overload*relative_a + (E30*E30)*b_2*relative_a*(row4*row4) + 2*(E30*E30)*common_24*common_41*common_42*g*omega*overload*relative_a + E32*b_2*overload*(row4*row4) + common_20*common_38*(common_43*common_43) + common_67*common_70 + 2*common_67*common_72 + overload*(E24*common_24*common_27*g*omega*overload + common_63*common_66) + 2*overload*(E32*common_24*common_41*common_42*g*omega*overload + b_2*(E24*common_41*common_42 + E32*b_2*common_41*common_42*g*omega*overload))
        common_74 = common_73*g + norms
        size_K_xx = S_inverse*common_74
        common_75 = E30*b_2*common_48*g*omega + t2
        common_76 = common_20*common_32*common_33*common_38*common_40*common_43*common_50*g + common_32*common_33*common_40*(E24*b_2*common_41*common_48 + E29*b_2*common_42*common_75*relative_a + E30*b_2*common_41*common_75*relative_a + E6*b_2*common_42*common_48)
        size_chi = S_inverse*common_38*common_40*common_43*size_thetahat_0 + S_inverse*common_76*np.abs(psihat) + size_K_xx*size_chihat_0
    A_m_theta = E13*alpha*common_6 - c*common_26*dthetahat_dtheta*inverse_width*length*tilt*tilt_v
    A_m_chi = E14*alpha*common_6 - c*common_26*dthetahat_dchi*inverse_width*length*tilt*tilt_v
    common_77 = (1.0/S_inverse)
    A_m_m = E35*alpha*common_6 - c*common_26*dthetahat_dm*inverse_width*length*tilt*tilt_v + common_77*inverse_width*shared_rows
    b_m = E36*alpha*common_6 - 0.5*common_77*inverse_width*shared_rows*(-2*S_inverse*c*common_26*common_30*length*thetahat_0*tilt*tilt_v - 2*common_37)
    if diagnose:
        size_m = E37*alpha*common_6 + (0.5)*common_77*inverse_width*shared_rows*(2*S_inverse*b_2*c*common_30*common_38*common_51*common_55*size_thetahat_0 + 2*common_56)
        common_78 = S_inverse*beta*(c*c)*common_24*common_29*common_30*(common_51*common_51)*inverse_width*(tilt*tilt) + S_inverse*common_20*common_38*common_47
        size_theta_theta = S_inverse*common_38*common_40*common_43*size_dchihat_dtheta + common_78*np.abs(dthetahat_dtheta) + 1
        size_theta_chi = S_inverse*common_38*common_40*common_43*np.abs(dchihat_dchi) + common_78*size_dthetahat_dchi
        size_theta_m = S_inverse*common_38*common_40*common_43*size_dchihat_dm + b_2*beta*c*common_38*common_51*common_55*inverse_width + common_78*size_dthetahat_dm
        size_chi_theta = S_inverse*common_38*common_40*common_43*np.abs(dthetahat_dtheta) + size_K_xx*size_dchihat_dtheta
        size_chi_chi = S_inverse*common_38*common_40*common_43*size_dthetahat_dchi + size_K_xx*np.abs(dchihat_dchi) + 1
        size_chi_m = S_inverse*common_38*common_40*common_43*size_dthetahat_dm + size_K_xx*size_dchihat_dm
        size_m_theta = E20*alpha*common_6 + b_2*c*common_38*common_51*common_55*inverse_width*np.abs(dthetahat_dtheta)
        size_m_chi = E21*alpha*common_6 + b_2*c*common_38*common_51*common_55*inverse_width*size_dthetahat_dchi
        size_m_m = E35*alpha*common_6 + b_2*c*common_38*common_51*common_55*inverse_width*size_dthetahat_dm + common_77*inverse_width*shared_rows
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_chi, A_theta_m,), (A_chi_theta, A_chi_chi, A_chi_m,), (A_m_theta, A_m_chi, A_m_m,),))
    b = stack_vector(iterations.shape, (b_theta, b_chi, b_m,))
    solution, theta_chi_m_residual = solve_linear_batch(A, b)
    theta = solution[..., 0]
    chi = solution[..., 1]
    m = solution[..., 2]
    if diagnose:
        blocks.append(("linear", ("theta", "chi", "m",), A, stack_vector(iterations.shape, (size_theta, size_chi, size_m,)), (("thetahat", size_thetahat_0, (dthetahat_dtheta, dthetahat_dchi, dthetahat_dm, )), ("chihat", size_chihat_0, (dchihat_dtheta, dchihat_dchi, dchihat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_chi, size_theta_m,), (size_chi_theta, size_chi_chi, size_chi_m,), (size_m_theta, size_m_chi, size_m_m,),))))
    thetahat = chi*dthetahat_dchi + dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    chihat = chi*dchihat_dchi + chihat_0 + dchihat_dm*m + dchihat_dtheta*theta
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_chi, A_theta_m,), (A_chi_theta, A_chi_chi, A_chi_m,), (A_m_theta, A_m_chi, A_m_m,),))
    b = stack_vector(iterations.shape, (one, zero, zero,))
    solution, inverse_theta_residual = solve_linear_batch(A, b)
    inverse_theta_theta = solution[..., 0]
    inverse_chi_theta = solution[..., 1]
    inverse_m_theta = solution[..., 2]
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_chi, A_theta_m,), (A_chi_theta, A_chi_chi, A_chi_m,), (A_m_theta, A_m_chi, A_m_m,),))
    b = stack_vector(iterations.shape, (zero, one, zero,))
    solution, inverse_chi_residual = solve_linear_batch(A, b)
    inverse_theta_chi = solution[..., 0]
    inverse_chi_chi = solution[..., 1]
    inverse_m_chi = solution[..., 2]
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_chi, A_theta_m,), (A_chi_theta, A_chi_chi, A_chi_m,), (A_m_theta, A_m_chi, A_m_m,),))
    b = stack_vector(iterations.shape, (zero, zero, one,))
    solution, inverse_m_residual = solve_linear_batch(A, b)
    inverse_theta_m = solution[..., 0]
    inverse_chi_m = solution[..., 1]
    inverse_m_m = solution[..., 2]
    common_79 = -LARGEST_ERROR
    theta_singular = np.maximum(0, 1e-06*ROUNDING*(np.abs(A_chi_theta)*np.abs(inverse_theta_chi) + np.abs(A_m_theta)*np.abs(inverse_theta_m) + np.abs(A_theta_theta)*np.abs(inverse_theta_theta)) + common_79)
    chi_singular = np.maximum(0, 1e-06*ROUNDING*(np.abs(A_chi_chi)*np.abs(inverse_chi_chi) + np.abs(A_m_chi)*np.abs(inverse_chi_m) + np.abs(A_theta_chi)*np.abs(inverse_chi_theta)) + common_79)
    m_singular = np.maximum(0, 1e-06*ROUNDING*(np.abs(A_chi_m)*np.abs(inverse_m_chi) + np.abs(A_m_m)*np.abs(inverse_m_m) + np.abs(A_theta_m)*np.abs(inverse_m_theta)) + common_79)
    common_80 = (1.0/t2)
    N_zz = common_80*(common_18*common_21*t2 + common_18*left_a_slope - common_20*common_34*t1)
    common_81 = (N_vz*N_vz)*common_26*g + N_zz
    K_zz = S_inverse*common_81
    psi = K_vz*thetahat + K_xz*chihat + K_zz*psihat
    common_82 = -S_inverse*c*common_26*common_30*length*thetahat*tilt*tilt_v - common_37 + m
    psi0 = beta*c*common_36*common_82*inverse_width*length*tilt
    dqhat1_dq1 = E3*alpha*common_6
    dqhat2_dq1 = E4*alpha*common_6
    dqhat1_dq2 = E4*alpha*common_6
    dqhat2_dq2 = E5*alpha*common_6
    A_q1_q1 = -common_10*common_13*dqhat1_dq1 - common_10*dqhat2_dq1*trace + 1
    A_q1_q2 = -common_10*common_13*dqhat1_dq2 - common_10*dqhat2_dq2*trace
    A_q1_ghat = 2*beta - 2*g*trace
    dK_xx_dVhat1 = -common_10*common_64*trace
    if diagnose:
        size_dK_xx_dVhat1 = common_10*common_74*trace
    A_q2_q1 = -common_10*dqhat1_dq1*trace - common_10*dqhat2_dq1
    A_q2_q2 = -common_10*dqhat1_dq2*trace - common_10*dqhat2_dq2 + 1
    dK_xx_dVhat2 = -common_10*common_64
    if diagnose:
        size_dK_xx_dVhat2 = common_10*common_74
    dtrace_g = E42*(-(common_8*common_8)*common_9*g*omega + common_8*omega) + (common_8*common_8)*common_9*(-E6*omega - 1)
    dS_inverse_g = -Vhat1*common_10*dtrace_g
    A_bhat_q1 = -0.5*dS_inverse_g*dqhat2_dq1 + dqhat1_dq1*(-0.5*S_inverse*dtrace_g - 0.5*dS_inverse_g*trace)
    A_bhat_q2 = -0.5*dS_inverse_g*dqhat2_dq2 + dqhat1_dq2*(-0.5*S_inverse*dtrace_g - 0.5*dS_inverse_g*trace)
    A_bhat_bhat = E42*b_2*g*omega + E6*b_2*omega + b_2
    A_bhat_ghat = Vhat1*dtrace_g*g + Vhat1*trace + Vhat2 + lam
    dshared_rows_g = (0.125)*E42*b_2*common_27*g*overload + (0.125)*E6*b_2*common_27*overload
    common_83 = (common_18*common_18)
    common_84 = E23*common_14*common_83*g - common_21*common_83*g*omega + common_83*g*omega
    common_85 = -E23*omega - 1
    drelative_d_slope_g = -E23*common_83*common_85*omega + E45*common_84 + common_21*common_83*common_85 - common_83*common_85
    common_86 = common_12*common_83*g*omega
    drelative_c_g = -E42*common_18*g*omega + E45*(common_18*g*omega - common_57*common_83*g*omega + common_86) - E6*common_18*omega - common_12*common_83*common_85 + common_57*common_83*common_85 + common_58
    common_87 = -common_15*common_83*omega + common_18*g*omega - common_57*common_83*g*omega
    drelative_d_g = E45*common_87 + common_18 + common_57*common_83*common_85 + common_58 + common_83*common_85*g
    common_88 = b_2*common_12*relative_d_slope*row1 - b_2*relative_c*row1 + common_59*row1
    common_89 = b_2*common_59*g*omega*overload*row1 + common_12*common_24*g*omega*overload*relative_d_slope*row1 - common_24*g*omega*overload*relative_d*row1
    dtarget_L_d_slope_g = -E22*b_2*drelative_c_g*row1 + E25*b_2*common_59*omega*overload*row1 + E25*common_12*common_24*omega*overload*relative_d_slope*row1 - E25*common_24*drelative_d_g*g*omega*overload*row1 - E25*common_24*omega*overload*relative_d*row1 + E42*(b_2*common_60*g*omega*relative_d_slope - b_2*common_60*omega) + E43*common_88 + E44*common_89 + E6*b_2*common_60*omega*relative_d_slope + b_2*common_12*common_60*drelative_d_slope_g + common_60*dtrace_g
    drelative_a_g = E42*common_18*g*omega + E45*(-common_15*common_83*omega - common_86) + E6*common_18*omega + common_12*common_83*common_85 + common_18 + common_83*common_85*g
    dtarget_e_a_g = E25*b_2*drelative_a_g*row4 + E44*b_2*relative_a*row4
    dtarget_e_c_g = E25*b_2*drelative_c_g*row4 + E44*(b_2*relative_c*row4 - b_2*relative_d*row4) + drelative_d_g*(E33*common_24*g*omega*overload*row4 - b_2*common_61)
    dtarget_L_b_g = E22*b_2*drelative_a_g*row1 + E43*b_2*relative_a*row1
    common_90 = -b_2*g*omega*overload*row1*target_L_b + b_2*g*omega*overload*row1*target_L_d_slope - 2*b_2*g*omega*overload*row1*target_e_a - 2*b_2*g*omega*overload*row1*target_e_c + row4*target_e_a
    common_91 = 2*b_2*overload*row1*row4 + overload*(b_2*common_27*common_59*g*omega*overload - common_24*common_27*g*omega*overload)
    common_92 = -2*E22*row1 - 2*E25*b_2*g*omega*overload*row1
    dB_tt_g = -E25*b_2*dtarget_L_b_g*g*omega*overload*row1 - E25*b_2*omega*overload*row1*target_L_b + E25*b_2*omega*overload*row1*target_L_d_slope - 2*E25*b_2*omega*overload*row1*target_e_a - 2*E25*b_2*omega*overload*row1*target_e_c + E42*overload*(-b_2*common_63*omega + common_27*common_59) + E43*(row1*target_L_d_slope - 2*row1*target_e_c) + E44*common_90 + E46*common_91 + E47*b_2*overload*(row4*row4) + common_60*dtarget_L_d_slope_g + common_63*dtrace_g*overload + common_92*dtarget_e_c_g + dtarget_e_a_g*(-2*E25*b_2*g*omega*overload*row1 + E25*row4) + overload*(E24*b_2*common_27*common_59*omega*overload - E24*common_24*common_27*omega*overload)
    dtarget_y_a_g = E22*b_2*drelative_a_g + E43*b_2*relative_a
    dB_ss_g = E22*dtarget_y_a_g + E42*b_2*overload + E43*target_y_a
    dB_vv_g = common_20*dB_ss_g
    dB_vt_g = E22*common_19*dtarget_L_b_g + E22*common_19*dtarget_e_a_g + E42*b_2*common_19*overload*row1 + E43*common_19*(target_L_b + target_e_a) + E46*b_2*common_19*overload*row4
    dK_xx_g = -(B_vt*B_vt)*S_inverse*common_29*dB_vv_g*g + 2*B_vt*S_inverse*common_26*dB_vt_g*g - S_inverse*dB_tt_g*g + S_inverse*(-B_tt + (B_vt*B_vt)*common_26) + common_64*dS_inverse_g
    dleft_a_slope_g = E25*dtrace_g*g*omega*t1 + E25*omega*t1*trace + E44*t1*(g*omega*trace - omega)
    common_93 = common_12*common_18*omega - common_12*common_21*common_83*g*omega + common_83*g*omega
    drelative_a_slope_g = E42*(common_18*common_21*g*omega - omega) + E45*common_93 + E6*common_18*common_21*omega + common_12*common_21*common_83*common_85 - common_83*common_85
    common_94 = b_2*g*omega*overload*trace + common_24*omega*overload
    dtarget_y_a_slope_g = E22*b_2*drelative_a_slope_g + E25*b_2*omega*overload*trace + E43*(b_2*relative_a_slope + trace) + E44*common_94 + common_22*dtrace_g
    common_95 = (t1*t1)
    common_96 = common_18*omega*t2 - common_21*common_83*g*omega*t2 - common_83*g*left_a_slope*omega
    dN_zz_g = E42*common_20*common_80*common_95*trace + E45*common_80*common_96 + E46*common_20*common_80*common_94*common_95 + common_20*common_23*common_80*common_95*dtrace_g - common_20*common_80*dtarget_y_a_g*left_a_slope*t1 - common_20*dtarget_y_a_slope_g*t1 + common_80*dleft_a_slope_g*(common_18 - common_20*t1*target_y_a) + common_80*(E24*b_2*common_20*common_95*omega*overload*trace + common_21*common_83*common_85*t2 + common_83*common_85*left_a_slope)
    dN_vz_g = -E24*b_2*common_20*common_33*omega*(overload)**(1.5)*t1*trace - E42*common_20*common_32*common_33*t1*trace - E46*common_20*common_32*common_33*common_94*t1 - common_20*common_23*common_32*common_33*dtrace_g*t1 + common_20*common_32*common_33*dleft_a_slope_g*target_y_a + common_20*common_32*common_33*dtarget_y_a_g*left_a_slope + common_20*common_32*dtarget_y_a_slope_g*np.sqrt(t2)
    dK_zz_g = (N_vz*N_vz)*S_inverse*common_26 - (N_vz*N_vz)*S_inverse*common_29*dB_vv_g*g + 2*N_vz*S_inverse*common_26*dN_vz_g*g + S_inverse*dN_zz_g + common_81*dS_inverse_g
    dB_ss_slope_g = E24*b_2*omega*(overload*overload)*trace + E25*b_2*dtarget_y_a_g*omega*overload + E25*b_2*omega*overload*target_y_a_slope + E42*overload*trace + E43*target_y_a_slope + E44*(b_2*g*omega*overload*target_y_a_slope + b_2*omega*overload*target_y_a) + E46*common_94*overload + common_22*dtarget_y_a_slope_g + common_23*dtrace_g*overload
    dN_vv_g = common_20*dB_ss_slope_g
    dK_vv_g = -N_vv*S_inverse*common_29*dB_vv_g + N_vv*common_26*dS_inverse_g + S_inverse*common_26*dN_vv_g
    dleft_a_g = E25*b_2*omega*t1 + E44*b_2*g*omega*t1
    dB_tz_g = -E42*b_2*common_19*common_32*common_33*row1*t1 - E46*b_2*common_19*common_32*common_33*row4*t1 + common_19*common_32*common_33*dleft_a_g*(target_L_b + target_e_a) + common_19*common_32*common_33*dtarget_L_b_g*left_a + common_19*common_32*common_33*dtarget_e_a_g*left_a
    dK_xz_g = B_vt*N_vz*S_inverse*common_26 - B_vt*N_vz*S_inverse*common_29*dB_vv_g*g + B_vt*S_inverse*common_26*dN_vz_g*g + N_vz*S_inverse*common_26*dB_vt_g*g + S_inverse*dB_tz_g + common_65*dS_inverse_g
    dK_vx_g = -B_vt*S_inverse*common_29*dB_vv_g + B_vt*common_26*dS_inverse_g + S_inverse*common_26*dB_vt_g
    dK_vz_g = -N_vz*S_inverse*common_29*dB_vv_g + N_vz*common_26*dS_inverse_g + S_inverse*common_26*dN_vz_g
    dtilt_v_g = -2*E22*E28*E45*b_2*common_14*common_15*common_19*common_83 + 4*E22*E50*b_2*common_18*common_19*g*omega + 2*E28*E43*b_2*common_18*common_19*g*omega - E48*b_2*common_19 + 4*E49*common_19*common_24*g*omega*overload + b_2*common_19*(2*E22*E28*common_83*common_85*g*omega + 2*omega*(E22*E28*common_18 + E27*b_2*overload))
    dtilt_theta_g = -2*E28*E45*b_2*common_14*common_15*common_83 + 2*E28*b_2*common_18*omega + 2*E28*b_2*common_83*common_85*g*omega + 4*E50*b_2*common_18*g*omega
    drho_N_vz_g = -E24*b_2*common_35*omega*(overload*overload)*t1*trace - E42*common_35*overload*t1*trace - E46*common_35*common_94*overload*t1 - common_23*common_35*dtrace_g*overload*t1 + common_35*dleft_a_slope_g*overload*target_y_a + common_35*dtarget_y_a_g*left_a_slope*overload + common_35*dtarget_y_a_slope_g*overload*t2
    if diagnose:
        common_97 = (common_8*common_8)*common_9*g*omega + common_8*omega
        common_98 = -E42*common_97 + (common_8*common_8)*(common_9*common_9)
        common_99 = b_2*common_12*common_42*common_69 + b_2*common_42*common_68 + common_42*common_66
        common_100 = b_2*common_42*common_66*g*omega*overload + common_12*common_24*common_42*common_69*g*omega*overload + common_24*common_42*g*omega*overload*relative_d
        common_101 = -E42*common_18*g*omega - E45*(common_18*g*omega + common_57*common_83*g*omega + common_86) + E6*common_18*omega - common_12*common_83*common_85 + common_21*common_57*common_83 + common_58
        common_102 = E23*common_14*common_83*g + common_21*common_83*g*omega + common_83*g*omega
        common_103 = common_15*common_83*omega + common_18*g*omega + common_57*common_83*g*omega
        common_104 = -E45*common_103 + common_18 + common_21*common_57*common_83 + common_21*common_83*g + common_58
        size_dtarget_L_d_slope_g = E29*b_2*common_101*common_42 + E30*b_2*common_42*common_66*omega*overload + E30*common_104*common_24*common_42*g*omega*overload + E30*common_12*common_24*common_42*common_69*omega*overload + E30*common_24*common_42*omega*overload*relative_d - E42*(b_2*common_67*common_69*g*omega + b_2*common_67*omega) - E51*common_99 - E52*common_100 + E6*b_2*common_67*common_69*omega + b_2*common_12*common_67*(-E23*common_83*common_85*omega - E45*common_102 + (common_21*common_21)*common_83 - common_83*common_85) + common_67*common_98
        common_105 = -E42*common_18*g*omega - E45*(common_15*common_83*omega + common_86) + E6*common_18*omega + common_12*common_21*common_83 + common_18 + common_21*common_83*g
        common_106 = E30*b_2*common_105*common_41 - E52*b_2*common_41*relative_a
        common_107 = 2*E29*common_42 + 2*E30*b_2*common_42*g*omega*overload
        common_108 = 2*b_2*common_41*common_42*overload + overload*(b_2*common_27*common_66*g*omega*overload + common_24*common_27*g*omega*overload)
        common_109 = E29*common_24*common_27*g*omega*overload*relative_a + E30*b_2*relative_a*(row4*row4) + 2*E30*common_24*common_41*common_42*g*omega*overload*relative_a + b_2*common_42*common_70*g*omega*overload + 2*b_2*common_42*common_72*g*omega*overload
        common_110 = E29*b_2*common_105*common_42 - E51*b_2*common_42*relative_a
        size_dB_tt_g = E29*E30*common_24*common_27*omega*overload*relative_a + 2*(E30*E30)*common_24*common_41*common_42*omega*overload*relative_a + E30*b_2*common_110*common_42*g*omega*overload + E30*b_2*common_42*common_70*omega*overload + 2*E30*b_2*common_42*common_72*omega*overload - E42*overload*(b_2*common_63*omega + common_27*common_66) - E46*common_108 - E47*b_2*overload*(row4*row4) - E51*(common_42*common_70 + 2*common_42*common_72) - E52*common_109 + common_106*(2*E30*b_2*common_42*g*omega*overload + E30*common_41) + common_107*(E30*b_2*common_101*common_41 - E52*(b_2*common_41*common_68 + b_2*common_41*relative_d) + common_104*(E34*common_24*common_41*g*omega*overload + b_2*common_71)) + common_63*common_98*overload + common_67*size_dtarget_L_d_slope_g + overload*(E24*b_2*common_27*common_66*omega*overload + E24*common_24*common_27*omega*overload)
        common_111 = E29*b_2*common_105 - E51*b_2*relative_a
        common_112 = -E29*E51*b_2*relative_a + E29*common_111 - E42*b_2*overload
        common_113 = E29*b_2*common_42*relative_a + E30*b_2*common_41*relative_a
        common_114 = E29*common_106*common_40 + E29*common_110*common_40 - E42*b_2*common_40*common_42*overload - E46*b_2*common_40*common_41*overload - E51*common_113*common_40
        size_dK_xx_g = S_inverse*common_112*common_29*(common_43*common_43)*common_52*g + 2*S_inverse*common_114*common_38*common_40*common_43*g + S_inverse*common_73 + S_inverse*g*size_dB_tt_g + Vhat1*common_10*common_74*common_98
        common_115 = common_12*common_18*omega + common_12*common_21*common_83*g*omega + common_83*g*omega
        common_116 = E29*b_2*(-E42*(common_18*common_21*g*omega + omega) - E45*common_115 + E6*common_18*common_21*omega + common_12*(common_21*common_21)*common_83 - common_83*common_85) + E30*b_2*omega*overload*trace - E51*(b_2*common_45 + trace) - E52*common_94 + common_44*common_98
        common_117 = E30*common_48*common_98*g*omega + E30*common_48*omega*trace - E52*common_48*(g*omega*trace + omega)
        common_118 = common_18*omega*t2 + common_21*common_83*g*omega*t2 + common_48*common_49*common_83*g*omega
        size_dN_zz_g = -E42*common_20*common_80*common_95*trace - E45*common_118*common_80 - E46*common_20*common_80*common_94*common_95 + common_111*common_20*common_49*common_80*common_95 + common_116*common_20*common_48 + common_117*common_80*(E29*b_2*common_20*common_48*relative_a + common_18) + common_20*common_23*common_80*common_95*common_98 + common_80*(E24*b_2*common_20*common_95*omega*overload*trace + (common_21*common_21)*common_83*t2 + common_21*common_48*common_49*common_83)
        size_dN_vz_g = E24*b_2*common_20*common_33*common_48*omega*(overload)**(1.5)*trace + E29*b_2*common_117*common_20*common_32*common_33*relative_a - E42*common_20*common_32*common_33*common_48*trace - E46*common_20*common_32*common_33*common_48*common_94 + common_111*common_20*common_32*common_33*common_48*common_49 + common_116*common_20*common_32*np.sqrt(t2) + common_20*common_23*common_32*common_33*common_48*common_98
        common_119 = common_38*(common_50*common_50)*common_52*common_80*g*overload + common_80*(common_18*common_21*t2 + common_18*common_48*common_49 + common_20*common_48*common_50)
        size_dK_zz_g = S_inverse*common_112*(common_19)**(6)*common_29*(common_50*common_50)*common_80*g*overload + 2*S_inverse*common_20*common_32*common_33*common_38*common_50*g*size_dN_vz_g + S_inverse*common_38*(common_50*common_50)*common_52*common_80*overload + S_inverse*size_dN_zz_g + Vhat1*common_10*common_119*common_98
        common_120 = E29*common_24*omega*overload*relative_a + b_2*common_46*g*omega*overload
        size_dB_ss_slope_g = E24*b_2*omega*(overload*overload)*trace + E30*b_2*common_111*omega*overload + E30*b_2*common_46*omega*overload - E42*overload*trace - E46*common_94*overload - E51*common_46 - E52*common_120 + common_116*common_44 + common_23*common_98*overload
        size_dN_vv_g = common_20*size_dB_ss_slope_g
        size_dK_vv_g = S_inverse*common_112*common_29*common_47*common_52 + S_inverse*common_38*size_dN_vv_g + Vhat1*common_10*common_20*common_38*common_47*common_98
        size_dK_xz_g = S_inverse*common_112*common_29*common_32*common_33*common_40*common_43*common_50*common_52*g + S_inverse*common_114*common_20*common_32*common_33*common_38*common_50*g + S_inverse*common_20*common_32*common_33*common_38*common_40*common_43*common_50 + S_inverse*common_38*common_40*common_43*g*size_dN_vz_g + S_inverse*(-E42*b_2*common_32*common_33*common_40*common_42*common_48 - E46*b_2*common_32*common_33*common_40*common_41*common_48 + common_106*common_32*common_33*common_40*common_75 + common_110*common_32*common_33*common_40*common_75 + common_113*common_32*common_33*common_40*(E30*b_2*common_48*omega - E52*b_2*common_48*g*omega)) + Vhat1*common_10*common_76*common_98
        size_dK_vx_g = S_inverse*common_112*common_20*common_29*common_40*common_43 + S_inverse*common_114*common_38 + Vhat1*common_10*common_38*common_40*common_43*common_98
        size_dK_vz_g = S_inverse*common_112*common_29*common_32*common_33*common_50*common_52 + S_inverse*common_38*size_dN_vz_g + Vhat1*common_10*common_20*common_32*common_33*common_38*common_50*common_98
        size_drho_N_vz_g = E24*b_2*common_20*common_40*common_48*omega*(overload*overload)*trace + E29*b_2*common_117*common_20*common_40*overload*relative_a - E42*common_20*common_40*common_48*overload*trace - E46*common_20*common_40*common_48*common_94*overload + common_111*common_20*common_40*common_48*common_49*overload + common_116*common_20*common_40*overload*t2 + common_20*common_23*common_40*common_48*common_98*overload
    dtrace_b = E54*(-(common_8*common_8)*common_9*g*omega + common_8*omega)
    dS_inverse_b = -Vhat1*common_10*dtrace_b
    A_ghat_q1 = -0.5*dS_inverse_b*dqhat2_dq1 + dqhat1_dq1*(-0.5*S_inverse*dtrace_b - 0.5*dS_inverse_b*trace)
    A_ghat_q2 = -0.5*dS_inverse_b*dqhat2_dq2 + dqhat1_dq2*(-0.5*S_inverse*dtrace_b - 0.5*dS_inverse_b*trace)
    A_ghat_bhat = E54*b_2*g*omega + common_7 + g + 1
    A_ghat_ghat = Vhat1*dtrace_b*g
    dshared_rows_b = (0.125)*E54*b_2*common_27*g*overload + (0.125)*E6*common_27*g*overload
    drelative_d_slope_b = E57*common_84
    drelative_c_b = -E54*common_18*g*omega + E57*(common_18*g*omega - common_57*common_83*g*omega + common_86)
    drelative_d_b = E57*common_87
    dtarget_L_d_slope_b = -E22*b_2*drelative_c_b*row1 - E22*relative_c*row1 + E25*b_2*common_12*g*omega*overload*relative_d_slope*row1 - 2*E25*b_2*g*omega*overload*relative_d*row1 - E25*common_24*drelative_d_b*g*omega*overload*row1 + E25*common_59*g*omega*overload*row1 + E54*(b_2*common_60*g*omega*relative_d_slope - b_2*common_60*omega) + E55*common_88 + E56*common_89 - E6*common_60*omega + b_2*common_12*common_60*drelative_d_slope_b + common_12*common_60*relative_d_slope + common_60*dtrace_b
    drelative_a_b = E54*common_18*g*omega + E57*(-common_15*common_83*omega - common_86)
    dtarget_e_a_b = E25*b_2*drelative_a_b*row4 + E25*relative_a*row4 + E56*b_2*relative_a*row4
    dtarget_e_c_b = E25*b_2*drelative_c_b*row4 + E25*relative_c*row4 + E33*b_2*g*omega*overload*relative_d*row4 + E56*(b_2*relative_c*row4 - b_2*relative_d*row4) - common_61*relative_d + drelative_d_b*(E33*common_24*g*omega*overload*row4 - b_2*common_61)
    dtarget_L_b_b = E22*b_2*drelative_a_b*row1 + E22*relative_a*row1 + E55*b_2*relative_a*row1
    dB_tt_b = 2*E24*overload*row1*row4 - E25*b_2*dtarget_L_b_b*g*omega*overload*row1 - E25*g*omega*overload*row1*target_L_b + E25*g*omega*overload*row1*target_L_d_slope - 2*E25*g*omega*overload*row1*target_e_a - 2*E25*g*omega*overload*row1*target_e_c + E32*overload*(row4*row4) + E54*overload*(-b_2*common_63*omega + common_27*common_59) + E55*(row1*target_L_d_slope - 2*row1*target_e_c) + E56*common_90 + E58*common_91 + E59*b_2*overload*(row4*row4) + common_60*dtarget_L_d_slope_b + common_63*dtrace_b*overload + common_92*dtarget_e_c_b + dtarget_e_a_b*(-2*E25*b_2*g*omega*overload*row1 + E25*row4) + overload*(E24*common_27*common_59*g*omega*overload - E6*common_63*omega - 2*common_62)
    dtarget_y_a_b = E22*b_2*drelative_a_b + E22*relative_a + E55*b_2*relative_a
    dB_ss_b = E22*dtarget_y_a_b + E54*b_2*overload + E55*target_y_a + E6*overload
    dB_vv_b = common_20*dB_ss_b
    dB_vt_b = E22*common_19*dtarget_L_b_b + E22*common_19*dtarget_e_a_b + E54*b_2*common_19*overload*row1 + E55*common_19*(target_L_b + target_e_a) + E58*b_2*common_19*overload*row4 + common_19*(E24*overload*row4 + E6*overload*row1)
    dK_xx_b = -(B_vt*B_vt)*S_inverse*common_29*dB_vv_b*g + 2*B_vt*S_inverse*common_26*dB_vt_b*g - S_inverse*dB_tt_b*g + common_64*dS_inverse_b
    dleft_a_slope_b = E25*dtrace_b*g*omega*t1 + E56*t1*(g*omega*trace - omega)
    drelative_a_slope_b = E54*(common_18*common_21*g*omega - omega) + E57*common_93
    dtarget_y_a_slope_b = E22*b_2*drelative_a_slope_b + E22*relative_a_slope + 2*E25*b_2*omega*overload + E25*g*omega*overload*trace + E55*(b_2*relative_a_slope + trace) + E56*common_94 + common_22*dtrace_b
    common_121 = 2*E24*b_2*omega*overload + E24*g*omega*overload*trace
    dN_zz_b = E54*common_20*common_80*common_95*trace + E57*common_80*common_96 + E58*common_20*common_80*common_94*common_95 + common_121*common_20*common_80*common_95 + common_20*common_23*common_80*common_95*dtrace_b - common_20*common_80*dtarget_y_a_b*left_a_slope*t1 - common_20*dtarget_y_a_slope_b*t1 + common_80*dleft_a_slope_b*(common_18 - common_20*t1*target_y_a)
    dN_vz_b = -E54*common_20*common_32*common_33*t1*trace - E58*common_20*common_32*common_33*common_94*t1 - common_121*common_20*common_32*common_33*t1 - common_20*common_23*common_32*common_33*dtrace_b*t1 + common_20*common_32*common_33*dleft_a_slope_b*target_y_a + common_20*common_32*common_33*dtarget_y_a_b*left_a_slope + common_20*common_32*dtarget_y_a_slope_b*np.sqrt(t2)
    dK_zz_b = -(N_vz*N_vz)*S_inverse*common_29*dB_vv_b*g + 2*N_vz*S_inverse*common_26*dN_vz_b*g + S_inverse*dN_zz_b + common_81*dS_inverse_b
    dB_ss_slope_b = E25*b_2*dtarget_y_a_b*omega*overload + E25*g*omega*overload*target_y_a_slope + E25*omega*overload*target_y_a + E54*overload*trace + E55*target_y_a_slope + E56*(b_2*g*omega*overload*target_y_a_slope + b_2*omega*overload*target_y_a) + E58*common_94*overload + common_121*overload + common_22*dtarget_y_a_slope_b + common_23*dtrace_b*overload
    dN_vv_b = common_20*dB_ss_slope_b
    dK_vv_b = -N_vv*S_inverse*common_29*dB_vv_b + N_vv*common_26*dS_inverse_b + S_inverse*common_26*dN_vv_b
    dleft_a_b = E25*g*omega*t1 + E56*b_2*g*omega*t1
    dB_tz_b = -E54*b_2*common_19*common_32*common_33*row1*t1 - E58*b_2*common_19*common_32*common_33*row4*t1 + common_19*common_32*common_33*dleft_a_b*(target_L_b + target_e_a) + common_19*common_32*common_33*dtarget_L_b_b*left_a + common_19*common_32*common_33*dtarget_e_a_b*left_a + common_19*common_32*common_33*(-E24*row4*t1 - E6*row1*t1)
    dK_xz_b = -B_vt*N_vz*S_inverse*common_29*dB_vv_b*g + B_vt*S_inverse*common_26*dN_vz_b*g + N_vz*S_inverse*common_26*dB_vt_b*g + S_inverse*dB_tz_b + common_65*dS_inverse_b
    dK_vx_b = -B_vt*S_inverse*common_29*dB_vv_b + B_vt*common_26*dS_inverse_b + S_inverse*common_26*dB_vt_b
    dK_vz_b = -N_vz*S_inverse*common_29*dB_vv_b + N_vz*common_26*dS_inverse_b + S_inverse*common_26*dN_vz_b
    dtilt_v_b = -2*E22*E28*E57*b_2*common_14*common_15*common_19*common_83 + 4*E22*E62*b_2*common_18*common_19*g*omega + 2*E27*b_2*common_19*g*omega*overload + 2*E28*E55*b_2*common_18*common_19*g*omega - E60*b_2*common_19 + 4*E61*common_19*common_24*g*omega*overload + common_19*common_28
    dtilt_theta_b = -2*E28*E57*b_2*common_14*common_15*common_83 + 2*E28*common_18*g*omega + 4*E62*b_2*common_18*g*omega
    drho_N_vz_b = -E54*common_35*overload*t1*trace - E58*common_35*common_94*overload*t1 - common_121*common_35*overload*t1 - common_23*common_35*dtrace_b*overload*t1 + common_35*dleft_a_slope_b*overload*target_y_a + common_35*dtarget_y_a_b*left_a_slope*overload + common_35*dtarget_y_a_slope_b*overload*t2
    if diagnose:
        common_122 = -E54*common_18*g*omega - E57*(common_18*g*omega + common_57*common_83*g*omega + common_86)
        size_dtarget_L_d_slope_b = E29*b_2*common_122*common_42 + E29*common_42*common_68 - E30*E57*common_103*common_24*common_42*g*omega*overload + E30*b_2*common_12*common_42*common_69*g*omega*overload + 2*E30*b_2*common_42*g*omega*overload*relative_d + E30*common_42*common_66*g*omega*overload - E54*common_67*common_97 - E54*(b_2*common_67*common_69*g*omega + b_2*common_67*omega) - E57*b_2*common_102*common_12*common_67 + E6*common_67*omega - E63*common_99 - E64*common_100 + common_12*common_67*common_69
        common_123 = -E54*common_18*g*omega - E57*(common_15*common_83*omega + common_86)
        common_124 = E30*b_2*common_123*common_41 + E30*common_41*relative_a - E64*b_2*common_41*relative_a
        common_125 = E29*b_2*common_123*common_42 + E29*common_42*relative_a - E63*b_2*common_42*relative_a
        size_dB_tt_b = 2*E24*common_41*common_42*overload + E29*E30*b_2*common_27*g*omega*overload*relative_a + 2*(E30*E30)*b_2*common_41*common_42*g*omega*overload*relative_a + E30*b_2*common_125*common_42*g*omega*overload + E30*common_42*common_70*g*omega*overload + 2*E30*common_42*common_72*g*omega*overload + E32*overload*(row4*row4) - E54*common_63*common_97*overload - E54*overload*(b_2*common_63*omega + common_27*common_66) - E58*common_108 - E59*b_2*overload*(row4*row4) - E63*(common_42*common_70 + 2*common_42*common_72) - E64*common_109 + common_107*(E30*b_2*common_122*common_41 + E30*common_41*common_68 + E34*b_2*common_41*g*omega*overload*relative_d - E57*common_103*(E34*common_24*common_41*g*omega*overload + b_2*common_71) - E64*(b_2*common_41*common_68 + b_2*common_41*relative_d) + common_71*relative_d) + common_124*(2*E30*b_2*common_42*g*omega*overload + E30*common_41) + common_67*size_dtarget_L_d_slope_b + overload*(E24*common_27*common_66*g*omega*overload + E6*common_63*omega + 2*common_62)
        common_126 = E29*b_2*common_123 + E29*relative_a - E63*b_2*relative_a
        common_127 = -E29*E63*b_2*relative_a + E29*common_126 - E54*b_2*overload + E6*overload
        common_128 = E29*common_124*common_40 + E29*common_125*common_40 - E54*b_2*common_40*common_42*overload - E58*b_2*common_40*common_41*overload - E63*common_113*common_40 + common_40*(E24*common_41*overload + E6*common_42*overload)
        size_dK_xx_b = -E54*Vhat1*common_10*common_74*common_97 + S_inverse*common_127*common_29*(common_43*common_43)*common_52*g + 2*S_inverse*common_128*common_38*common_40*common_43*g + S_inverse*g*size_dB_tt_b
        common_129 = E29*b_2*(-E54*(common_18*common_21*g*omega + omega) - E57*common_115) + E29*common_45 + 2*E30*b_2*omega*overload + E30*g*omega*overload*trace - E54*common_44*common_97 - E63*(b_2*common_45 + trace) - E64*common_94
        common_130 = -E30*E54*common_48*common_97*g*omega - E64*common_48*(g*omega*trace + omega)
        size_dN_zz_b = -E54*common_20*common_23*common_80*common_95*common_97 - E54*common_20*common_80*common_95*trace - E57*common_118*common_80 - E58*common_20*common_80*common_94*common_95 + common_121*common_20*common_80*common_95 + common_126*common_20*common_49*common_80*common_95 + common_129*common_20*common_48 + common_130*common_80*(E29*b_2*common_20*common_48*relative_a + common_18)
        size_dN_vz_b = E29*b_2*common_130*common_20*common_32*common_33*relative_a - E54*common_20*common_23*common_32*common_33*common_48*common_97 - E54*common_20*common_32*common_33*common_48*trace - E58*common_20*common_32*common_33*common_48*common_94 + common_121*common_20*common_32*common_33*common_48 + common_126*common_20*common_32*common_33*common_48*common_49 + common_129*common_20*common_32*np.sqrt(t2)
        size_dK_zz_b = -E54*Vhat1*common_10*common_119*common_97 + S_inverse*common_127*(common_19)**(6)*common_29*(common_50*common_50)*common_80*g*overload + 2*S_inverse*common_20*common_32*common_33*common_38*common_50*g*size_dN_vz_b + S_inverse*size_dN_zz_b
        size_dB_ss_slope_b = E29*E30*b_2*omega*overload*relative_a + E30*b_2*common_126*omega*overload + E30*common_46*g*omega*overload - E54*common_23*common_97*overload - E54*overload*trace - E58*common_94*overload - E63*common_46 - E64*common_120 + common_121*overload + common_129*common_44
        size_dN_vv_b = common_20*size_dB_ss_slope_b
        size_dK_vv_b = -E54*Vhat1*common_10*common_20*common_38*common_47*common_97 + S_inverse*common_127*common_29*common_47*common_52 + S_inverse*common_38*size_dN_vv_b
        size_dK_xz_b = -E54*Vhat1*common_10*common_76*common_97 + S_inverse*common_127*common_29*common_32*common_33*common_40*common_43*common_50*common_52*g + S_inverse*common_128*common_20*common_32*common_33*common_38*common_50*g + S_inverse*common_38*common_40*common_43*g*size_dN_vz_b + S_inverse*(-E54*b_2*common_32*common_33*common_40*common_42*common_48 - E58*b_2*common_32*common_33*common_40*common_41*common_48 + common_113*common_32*common_33*common_40*(E30*common_48*g*omega - E64*b_2*common_48*g*omega) + common_124*common_32*common_33*common_40*common_75 + common_125*common_32*common_33*common_40*common_75 + common_32*common_33*common_40*(E24*common_41*common_48 + E6*common_42*common_48))
        size_dK_vx_b = -E54*Vhat1*common_10*common_38*common_40*common_43*common_97 + S_inverse*common_127*common_20*common_29*common_40*common_43 + S_inverse*common_128*common_38
        size_dK_vz_b = -E54*Vhat1*common_10*common_20*common_32*common_33*common_38*common_50*common_97 + S_inverse*common_127*common_29*common_32*common_33*common_50*common_52 + S_inverse*common_38*size_dN_vz_b
        size_drho_N_vz_b = E29*b_2*common_130*common_20*common_40*overload*relative_a - E54*common_20*common_23*common_40*common_48*common_97*overload - E54*common_20*common_40*common_48*overload*trace - E58*common_20*common_40*common_48*common_94*overload + common_121*common_20*common_40*common_48*overload + common_126*common_20*common_40*common_48*common_49*overload + common_129*common_20*common_40*overload*t2
        size_q1_q1 = common_10*common_13*np.abs(dqhat1_dq1) + common_10*trace*np.abs(dqhat2_dq1) + 1
        size_q1_q2 = common_10*common_13*np.abs(dqhat1_dq2) + common_10*trace*np.abs(dqhat2_dq2)
        size_q1_ghat = 2*beta + 2*g*trace
        size_q2_q1 = common_10*trace*np.abs(dqhat1_dq1) + common_10*np.abs(dqhat2_dq1)
        size_q2_q2 = common_10*trace*np.abs(dqhat1_dq2) + common_10*np.abs(dqhat2_dq2) + 1
        size_bhat_q1 = (0.5)*Vhat1*common_10*common_98*np.abs(dqhat2_dq1) + ((0.5)*S_inverse*common_98 + (0.5)*Vhat1*common_10*common_98*trace)*np.abs(dqhat1_dq1)
        size_bhat_q2 = (0.5)*Vhat1*common_10*common_98*np.abs(dqhat2_dq2) + ((0.5)*S_inverse*common_98 + (0.5)*Vhat1*common_10*common_98*trace)*np.abs(dqhat1_dq2)
        size_bhat_bhat = -E42*b_2*g*omega + E6*b_2*omega + b_2
        size_bhat_ghat = Vhat1*common_98*g + Vhat1*trace + Vhat2 + lam
        common_131 = -0.5*E54*S_inverse*common_97 - 0.5*E54*Vhat1*common_10*common_97*trace
        size_ghat_q1 = -0.5*E54*Vhat1*common_10*common_97*np.abs(dqhat2_dq1) + common_131*np.abs(dqhat1_dq1)
        size_ghat_q2 = -0.5*E54*Vhat1*common_10*common_97*np.abs(dqhat2_dq2) + common_131*np.abs(dqhat1_dq2)
        size_ghat_bhat = -E54*b_2*g*omega + common_7 + g + 1
        size_ghat_ghat = -E54*Vhat1*common_97*g
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat,), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat,), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat,), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat,),))
    b = stack_vector(iterations.shape, (one_2, zero_2, zero_2, zero_2,))
    solution, inverse_q1_residual = solve_linear_batch(A, b)
    inverse_q1_q1 = solution[..., 0]
    inverse_q2_q1 = solution[..., 1]
    inverse_bhat_q1 = solution[..., 2]
    inverse_ghat_q1 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat,), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat,), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat,), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat,),))
    b = stack_vector(iterations.shape, (zero_2, one_2, zero_2, zero_2,))
    solution, inverse_q2_residual = solve_linear_batch(A, b)
    inverse_q1_q2 = solution[..., 0]
    inverse_q2_q2 = solution[..., 1]
    inverse_bhat_q2 = solution[..., 2]
    inverse_ghat_q2 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat,), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat,), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat,), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat,),))
    b = stack_vector(iterations.shape, (zero_2, zero_2, one_2, zero_2,))
    solution, inverse_bhat_residual = solve_linear_batch(A, b)
    inverse_q1_bhat = solution[..., 0]
    inverse_q2_bhat = solution[..., 1]
    inverse_bhat_bhat = solution[..., 2]
    inverse_ghat_bhat = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat,), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat,), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat,), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat,),))
    b = stack_vector(iterations.shape, (zero_2, zero_2, zero_2, one_2,))
    solution, inverse_ghat_residual = solve_linear_batch(A, b)
    inverse_q1_ghat = solution[..., 0]
    inverse_q2_ghat = solution[..., 1]
    inverse_bhat_ghat = solution[..., 2]
    inverse_ghat_ghat = solution[..., 3]
    q1_singular = np.maximum(0, 1e-06*ROUNDING*(np.abs(A_bhat_q1)*np.abs(inverse_q1_bhat) + np.abs(A_ghat_q1)*np.abs(inverse_q1_ghat) + np.abs(A_q1_q1)*np.abs(inverse_q1_q1) + np.abs(A_q2_q1)*np.abs(inverse_q1_q2)) + common_79)
    q2_singular = np.maximum(0, 1e-06*ROUNDING*(np.abs(A_bhat_q2)*np.abs(inverse_q2_bhat) + np.abs(A_ghat_q2)*np.abs(inverse_q2_ghat) + np.abs(A_q1_q2)*np.abs(inverse_q2_q1) + np.abs(A_q2_q2)*np.abs(inverse_q2_q2)) + common_79)
    bhat_singular = np.maximum(0, 1e-06*ROUNDING*(np.abs(A_bhat_bhat)*np.abs(inverse_bhat_bhat) + np.abs(A_ghat_bhat)*np.abs(inverse_bhat_ghat)) + common_79)
    ghat_singular = np.maximum(0, 1e-06*ROUNDING*(np.abs(A_bhat_ghat)*np.abs(inverse_ghat_bhat) + np.abs(A_ghat_ghat)*np.abs(inverse_ghat_ghat) + np.abs(A_q1_ghat)*np.abs(inverse_ghat_q1) + np.abs(A_q2_ghat)*np.abs(inverse_ghat_q2)) + common_79)
    error_B_ss = E6*b_2*overload + np.abs(E22*target_y_a)
    error_B_vv = common_20*error_B_ss
    error_B_vt = common_40*(E24*b_2*common_41*overload + E6*b_2*common_42*overload + np.abs(E22*target_L_b) + np.abs(E22*target_e_a))
    error_relative_a_slope = common_45
    error_target_y_a_slope = b_2*(b_2*omega*overload*np.abs(E25) + error_relative_a_slope*np.abs(E22)) + trace*(b_2*g*omega*overload*np.abs(E25) + np.abs(E22))
    error_left_a_slope = common_48*(g*omega*trace*np.abs(E25) + omega*np.abs(E25))
    common_132 = common_25*common_48 + error_left_a_slope*np.abs(target_y_a) + error_target_y_a_slope*t2
    error_N_vz = common_132*common_20*common_32*common_33
    error_left_a = b_2*g*omega*np.abs(E25*t1) + t2
    error_B_tz = common_32*common_33*common_40*(E24*b_2*np.abs(row4*t1) + E6*b_2*np.abs(row1*t1) + error_left_a*np.abs(target_L_b) + error_left_a*np.abs(target_e_a))
    error_K_xz = S_inverse*(common_29*error_B_vv*g*np.abs(B_vt)*np.abs(N_vz) + common_38*error_B_vt*g*np.abs(N_vz) + common_38*error_N_vz*g*np.abs(B_vt) + error_B_tz)
    error_N_zz = common_80*(common_132*common_20*common_48 + common_18*common_21*t2 + common_18*error_left_a_slope)
    relative_a_slope_2 = -E6*omega + common_12*common_18*common_21 - common_18
    target_y_a_slope_2 = b_2*(E22*relative_a_slope_2 + E25*b_2*omega*overload) + common_22*trace
    N_vz_2 = common_20*common_32*common_33*(-common_25*t1 + left_a_slope*target_y_a + t2*target_y_a_slope_2)
    error_K_zz = S_inverse*((N_vz*N_vz)*common_29*error_B_vv*g + 2*common_38*error_N_vz*g*np.abs(N_vz_2) + error_N_zz)
    error_K_vz = S_inverse*common_29*error_B_vv*np.abs(N_vz) + S_inverse*common_38*error_N_vz
    common_133 = np.abs(thetahat)
    error = common_133*error_K_vz + error_K_xz*np.abs(chihat) + error_K_zz*np.abs(psihat)
    lost = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, np.abs(psi))), 1e+289, 0)
    error_tilt_v = b_2*common_40*(E26 + 2*g*omega*(E27*b_2*overload + common_18*np.abs(E22*E28)))
    error_rho_N_vz = common_132*common_20*common_40*overload
    common_134 = common_29*error_B_vv*g*np.abs(rho_N_vz)*np.abs(tilt_v) + common_38*error_rho_N_vz*g*np.abs(tilt_v) + common_38*error_tilt_v*g*np.abs(rho_N_vz) + error_tilt_v*np.abs(gamma) + np.abs(tilt_theta)
    common_135 = np.abs(S_inverse*c*common_26*common_30*length*thetahat*tilt*tilt_v + common_37 - m)
    error_2 = beta*c*common_134*common_135*common_39*common_55*inverse_width + beta*c*common_39*common_55*inverse_width*(S_inverse*c*common_133*common_29*common_30*common_39*common_55*error_B_vv*np.abs(tilt_v) + S_inverse*c*common_133*common_30*common_38*common_39*common_55*error_tilt_v + S_inverse*c*common_134*common_30*common_39*common_54*common_55 + np.abs(m))*np.abs(common_36)
    lost_2 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(psi0))), 1e+289, 0)
    upstream = np.maximum(ROUNDING, V1_V2_b_g_error)
    if diagnose:
        error_5 = E68*alpha
        error_6 = E69*alpha
        error_target_y_a = E29*b_2*relative_a
        error_B_ss_2 = E29*np.abs(target_y_a) + E6*b_2*overload + error_target_y_a*np.abs(E22)
        error_B_vv_2 = common_20*error_B_ss_2
        error_target_L_b = E29*b_2*common_42*relative_a
        error_target_e_a = E30*b_2*common_41*relative_a
        error_B_vt_2 = common_40*(E24*b_2*common_41*overload + E29*np.abs(target_L_b) + E29*np.abs(target_e_a) + E6*b_2*common_42*overload + error_target_L_b*np.abs(E22) + error_target_e_a*np.abs(E22))
        error_relative_a_slope_2 = common_45
        error_target_y_a_slope_2 = b_2*(E29*np.abs(relative_a_slope) + E30*b_2*omega*overload + error_relative_a_slope_2*np.abs(E22)) + common_44*trace
        error_left_a_slope_2 = common_48*common_49
        common_136 = common_25*common_48 + error_left_a_slope_2*np.abs(target_y_a) + error_target_y_a*np.abs(left_a_slope) + error_target_y_a_slope_2*t2
        error_N_vz_2 = common_136*common_20*common_32*common_33
        error_left_a_2 = common_75
        error_B_tz_2 = common_32*common_33*common_40*(E24*b_2*np.abs(row4*t1) + E6*b_2*np.abs(row1*t1) + error_left_a_2*np.abs(target_L_b) + error_left_a_2*np.abs(target_e_a) + error_target_L_b*np.abs(left_a) + error_target_e_a*np.abs(left_a))
        error_K_xz_2 = S_inverse*(common_29*error_B_vv_2*g*np.abs(B_vt)*np.abs(N_vz) + common_38*error_B_vt_2*g*np.abs(N_vz) + common_38*error_N_vz_2*g*np.abs(B_vt) + error_B_tz_2)
        error_N_zz_2 = common_80*(common_136*common_20*common_48 + common_18*common_21*t2 + common_18*error_left_a_slope_2)
        error_K_zz_2 = S_inverse*((N_vz*N_vz)*common_29*error_B_vv_2*g + 2*common_38*error_N_vz_2*g*np.abs(N_vz_2) + error_N_zz_2)
        error_K_vz_2 = S_inverse*common_29*error_B_vv_2*np.abs(N_vz) + S_inverse*common_38*error_N_vz_2
        error_7 = common_133*error_K_vz_2 + error_5*np.abs(K_zz) + error_K_xz_2*np.abs(chihat) + error_K_zz_2*np.abs(psihat)
        error_tilt_v_2 = b_2*common_40*(E26 + 2*g*omega*(E27*b_2*overload + E29*common_18*np.abs(E28) + E31*common_18*np.abs(E22)))
        error_rho_N_vz_2 = common_136*common_20*common_40*overload
        error_tilt_theta = 2*E31*b_2*common_18*g*omega
        common_137 = common_29*error_B_vv_2*g*np.abs(rho_N_vz)*np.abs(tilt_v) + common_38*error_rho_N_vz_2*g*np.abs(tilt_v) + common_38*error_tilt_v_2*g*np.abs(rho_N_vz) + error_tilt_theta + error_tilt_v_2*np.abs(gamma)
        error_8 = beta*c*common_135*common_137*common_39*common_55*inverse_width + beta*c*common_39*common_55*inverse_width*(S_inverse*c*common_133*common_29*common_30*common_39*common_55*error_B_vv_2*np.abs(tilt_v) + S_inverse*c*common_133*common_30*common_38*common_39*common_55*error_tilt_v_2 + S_inverse*c*common_137*common_30*common_39*common_54*common_55 + S_inverse*c*common_30*common_39*common_55*error_6*np.abs(common_36) + np.abs(m))*np.abs(common_36)
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column_3*inverse_width[..., None] + mu0
    C = np.array((chi, theta)).T @ columns_2 + m[..., None]*mean_7
    common = 2*beta[..., None]*dmu0_dmu0*inverse_width[..., None]*square[..., None]
    E38, E40 = weighted_1 @ ((inv*inv)*(np.array((-2*psi0, -2*psi)).T @ columns_3 + (C*C) - 2*C*h + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None])).T
    if diagnose:
        E39 = (np.abs((inv*inv)*mu1_mu1*(np.array((-2*psi0, -2*psi)).T @ columns_3 + (C*C) - 2*C*h + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]))) @ kappa_weights
        E41 = (np.abs((inv*inv)*mu2sq*(np.array((-2*psi0, -2*psi)).T @ columns_3 + (C*C) - 2*C*h + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]))) @ kappa_weights
    qhat1_0 = E38*alpha*common_6
    if diagnose:
        size_qhat1_0 = E39*alpha*common_6
    qhat2_0 = E40*alpha*common_6
    if diagnose:
        size_qhat2_0 = E41*alpha*common_6
    common_138 = (chihat*chihat)
    common_139 = (psihat*psihat)
    common_140 = (thetahat*thetahat)
    b_q1 = common_10*common_13*qhat1_0 + common_10*(common_77*common_77)*(common_82*common_82)*inverse_width*shared_rows*trace + common_10*qhat2_0*trace - common_6*(-2*B_vt*chihat*common_10*common_26*thetahat*trace - N_vv*common_10*common_140*common_26*trace - 2*N_vz*common_10*common_26*psihat*thetahat*trace - 2*chihat*common_10*common_65*psihat*trace - common_10*common_139*common_81*trace + common_138*dK_xx_dVhat1) + common_77*common_82*inverse_width*shared_rows*(2*c*common_10*common_26*common_30*length*thetahat*tilt*tilt_v*trace + 2*c*common_10*common_30*common_36*length*psi0hat*tilt*trace)
    if diagnose:
        common_141 = S_inverse*b_2*c*common_133*common_30*common_38*common_51*common_55 + common_56 + np.abs(m)
        size_q1 = common_10*common_13*size_qhat1_0 + common_10*(common_141*common_141)*(common_77*common_77)*inverse_width*shared_rows*trace + common_10*size_qhat2_0*trace + common_141*common_77*inverse_width*shared_rows*(2*b_2*c*common_10*common_133*common_30*common_38*common_51*common_55*trace + 2*c*common_10*common_30*common_39*common_53*common_54*common_55*trace) + common_6*(common_10*common_119*common_139*trace + 2*common_10*common_133*common_20*common_32*common_33*common_38*common_50*trace*np.abs(psihat) + 2*common_10*common_133*common_38*common_40*common_43*trace*np.abs(chihat) + common_10*common_140*common_20*common_38*common_47*trace + 2*common_10*common_76*trace*np.abs(chihat)*np.abs(psihat) + common_138*size_dK_xx_dVhat1)
    b_q2 = common_10*(common_77*common_77)*(common_82*common_82)*inverse_width*shared_rows + common_10*qhat1_0*trace + common_10*qhat2_0 - common_6*(-2*B_vt*chihat*common_10*common_26*thetahat - N_vv*common_10*common_140*common_26 - 2*N_vz*common_10*common_26*psihat*thetahat - 2*chihat*common_10*common_65*psihat - common_10*common_139*common_81 + common_138*dK_xx_dVhat2) + common_77*common_82*inverse_width*shared_rows*(2*c*common_10*common_26*common_30*length*thetahat*tilt*tilt_v + 2*c*common_10*common_30*common_36*length*psi0hat*tilt)
    if diagnose:
        size_q2 = common_10*(common_141*common_141)*(common_77*common_77)*inverse_width*shared_rows + common_10*size_qhat1_0*trace + common_10*size_qhat2_0 + common_141*common_77*inverse_width*shared_rows*(2*b_2*c*common_10*common_133*common_30*common_38*common_51*common_55 + 2*c*common_10*common_30*common_39*common_53*common_54*common_55) + common_6*(common_10*common_119*common_139 + 2*common_10*common_133*common_20*common_32*common_33*common_38*common_50*np.abs(psihat) + 2*common_10*common_133*common_38*common_40*common_43*np.abs(chihat) + common_10*common_140*common_20*common_38*common_47 + 2*common_10*common_76*np.abs(chihat)*np.abs(psihat) + common_138*size_dK_xx_dVhat2)
    common_142 = -0.5*(common_77*common_77)*(common_82*common_82)*inverse_width*shared_rows + (0.5)*common_77*common_82*inverse_width*shared_rows*(-2*c*common_26*common_30*length*thetahat*tilt*tilt_v - 2*c*common_30*common_36*length*psi0hat*tilt) - 0.5*qhat1_0*trace - 0.5*qhat2_0
    common_143 = (0.5)*common_77*(common_82*common_82)*inverse_width + (0.5)*common_77*common_82*inverse_width*shared_rows*(2*S_inverse*c*common_26*(common_30*common_30)*length*thetahat*tilt*tilt_v + 2*S_inverse*c*(common_30*common_30)*common_36*length*psi0hat*tilt)
    common_144 = 2*S_inverse*c*common_29*common_30*g*length*psi0hat*rho_N_vz*tilt*tilt_v + 2*S_inverse*c*common_29*common_30*length*thetahat*tilt*tilt_v
    common_145 = -2*S_inverse*c*common_26*common_30*length*thetahat*tilt - 2*S_inverse*c*common_30*length*psi0hat*tilt*(common_26*g*rho_N_vz - gamma)
    b_bhat = (0.5)*S_inverse*dtrace_g*qhat1_0 + c*common_26*common_82*drho_N_vz_g*g*inverse_width*length*psi0hat*tilt*tilt_v + c*common_26*common_82*inverse_width*length*psi0hat*rho_N_vz*tilt*tilt_v + c*common_82*dtilt_theta_g*inverse_width*length*psi0hat*tilt + chihat*common_6*dK_vx_g*thetahat + chihat*common_6*dK_xz_g*psihat + (0.5)*common_138*common_6*dK_xx_g + (0.5)*common_139*common_6*dK_zz_g + (0.5)*common_140*common_6*dK_vv_g - common_142*dS_inverse_g - common_143*dshared_rows_g - 0.5*common_144*common_77*common_82*dB_vv_g*inverse_width*shared_rows - 0.5*common_145*common_77*common_82*dtilt_v_g*inverse_width*shared_rows + common_6*dK_vz_g*psihat*thetahat
    if diagnose:
        common_146 = (0.5)*(common_141*common_141)*common_77*inverse_width + (0.5)*common_141*common_77*inverse_width*shared_rows*(2*S_inverse*b_2*c*common_133*(common_30*common_30)*common_38*common_51*common_55 + 2*S_inverse*c*(common_30*common_30)*common_39*common_53*common_54*common_55)
        common_147 = (0.5)*(common_141*common_141)*(common_77*common_77)*inverse_width*shared_rows + (0.5)*common_141*common_77*inverse_width*shared_rows*(2*b_2*c*common_133*common_30*common_38*common_51*common_55 + 2*c*common_30*common_39*common_53*common_54*common_55) + (0.5)*size_qhat1_0*trace + (0.5)*size_qhat2_0
        common_148 = 2*S_inverse*c*common_133*common_30*common_38*common_39*common_55 + 2*S_inverse*c*common_30*common_39*common_54*common_55*(common_20*common_38*common_40*common_50*g*overload + np.abs(gamma))
        common_149 = 2*S_inverse*b_2*c*common_133*common_29*common_30*common_51*common_55 + 2*S_inverse*b_2*c*common_20*common_29*common_30*common_40*common_50*common_51*common_54*common_55*g*overload
        size_bhat = (0.5)*S_inverse*common_98*size_qhat1_0 + Vhat1*common_10*common_147*common_98 + b_2*c*common_141*common_20*common_38*common_40*common_50*common_51*common_54*common_55*inverse_width*overload + b_2*c*common_141*common_38*common_51*common_54*common_55*g*inverse_width*size_drho_N_vz_g + c*common_141*common_39*common_54*common_55*inverse_width*(-2*E31*E45*b_2*common_14*common_15*common_83 + 2*E31*b_2*common_18*omega + 2*E31*b_2*common_21*common_83*g*omega - 4*E53*b_2*common_18*g*omega) + (0.5)*common_112*common_141*common_149*common_20*common_77*inverse_width*shared_rows + common_133*common_6*size_dK_vx_g*np.abs(chihat) + common_133*common_6*size_dK_vz_g*np.abs(psihat) + (0.5)*common_138*common_6*size_dK_xx_g + (0.5)*common_139*common_6*size_dK_zz_g + (0.5)*common_140*common_6*size_dK_vv_g + (0.5)*common_141*common_148*common_77*inverse_width*shared_rows*(-2*E29*E31*E45*b_2*common_14*common_15*common_40*common_83 - 4*E29*E53*b_2*common_18*common_40*g*omega - 2*E31*E51*b_2*common_18*common_40*g*omega - E48*b_2*common_40 - 4*E49*common_24*common_40*g*omega*overload + b_2*common_40*(2*E29*E31*common_21*common_83*g*omega + 2*omega*(E27*b_2*overload + E29*E31*common_18))) + common_146*(-0.125*E42*b_2*common_27*g*overload + (0.125)*E6*b_2*common_27*overload) + common_6*size_dK_xz_g*np.abs(chihat)*np.abs(psihat)
    b_ghat = (0.5)*S_inverse*dtrace_b*qhat1_0 + c*common_26*common_82*drho_N_vz_b*g*inverse_width*length*psi0hat*tilt*tilt_v + c*common_82*dtilt_theta_b*inverse_width*length*psi0hat*tilt + chihat*common_6*dK_vx_b*thetahat + chihat*common_6*dK_xz_b*psihat + (0.5)*common_138*common_6*dK_xx_b + (0.5)*common_139*common_6*dK_zz_b + (0.5)*common_140*common_6*dK_vv_b - common_142*dS_inverse_b - common_143*dshared_rows_b - 0.5*common_144*common_77*common_82*dB_vv_b*inverse_width*shared_rows - 0.5*common_145*common_77*common_82*dtilt_v_b*inverse_width*shared_rows + common_6*dK_vz_b*psihat*thetahat
    if diagnose:
        size_ghat = -0.5*E54*S_inverse*common_97*size_qhat1_0 - E54*Vhat1*common_10*common_147*common_97 + b_2*c*common_141*common_38*common_51*common_54*common_55*g*inverse_width*size_drho_N_vz_b + c*common_141*common_39*common_54*common_55*inverse_width*(-2*E31*E57*b_2*common_14*common_15*common_83 + 2*E31*common_18*g*omega - 4*E65*b_2*common_18*g*omega) + (0.5)*common_127*common_141*common_149*common_20*common_77*inverse_width*shared_rows + common_133*common_6*size_dK_vx_b*np.abs(chihat) + common_133*common_6*size_dK_vz_b*np.abs(psihat) + (0.5)*common_138*common_6*size_dK_xx_b + (0.5)*common_139*common_6*size_dK_zz_b + (0.5)*common_140*common_6*size_dK_vv_b + (0.5)*common_141*common_148*common_77*inverse_width*shared_rows*(2*E27*b_2*common_40*g*omega*overload - 2*E29*E31*E57*b_2*common_14*common_15*common_40*common_83 - 4*E29*E65*b_2*common_18*common_40*g*omega - 2*E31*E63*b_2*common_18*common_40*g*omega - E60*b_2*common_40 - 4*E61*common_24*common_40*g*omega*overload + common_40*common_51) + common_146*(-0.125*E54*b_2*common_27*g*overload + (0.125)*E6*common_27*g*overload) + common_6*size_dK_xz_b*np.abs(chihat)*np.abs(psihat)
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat,), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat,), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat,), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat,),))
    b = stack_vector(iterations.shape, (b_q1, b_q2, b_bhat, b_ghat,))
    solution, q1_q2_bhat_ghat_residual = solve_linear_batch(A, b)
    q1 = solution[..., 0]
    q2 = solution[..., 1]
    bhat = solution[..., 2]
    ghat = solution[..., 3]
    if diagnose:
        blocks.append(("linear", ("q1", "q2", "bhat", "ghat",), A, stack_vector(iterations.shape, (size_q1, size_q2, size_bhat, size_ghat,)), (("qhat1", size_qhat1_0, (dqhat1_dq1, dqhat1_dq2, 0.0, 0.0, )), ("qhat2", size_qhat2_0, (dqhat2_dq1, dqhat2_dq2, 0.0, 0.0, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2, 0.0, size_q1_ghat,), (size_q2_q1, size_q2_q2, 0.0, size_q2_ghat,), (size_bhat_q1, size_bhat_q2, size_bhat_bhat, size_bhat_ghat,), (size_ghat_q1, size_ghat_q2, size_ghat_bhat, size_ghat_ghat,),))))
    qhat1 = dqhat1_dq1*q1 + dqhat1_dq2*q2 + qhat1_0
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(V1_V2_b_g_moved, V1_V2_b_g_rounding_residual), V1_residual), V2_residual), b_residual), bhat_singular), chi_singular), g_residual), ghat_singular), m_singular), q1_q2_bhat_ghat_residual), q1_singular), q2_singular), theta_chi_m_residual), theta_singular), uncertain)
    mean_7 = beta[..., None]*c[..., None]*column_3*inverse_width[..., None] + mu0
    C = np.array((chi, theta)).T @ columns_2 + m[..., None]*mean_7
    common = 2*beta[..., None]*dmu0_dmu0*inverse_width[..., None]*square[..., None]
    R = np.array((-2*psi0, -2*psi, q1, q2)).T @ columns_4 + (C*C) - 2*C*h + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    E66 = (R) @ kappa_weights
    E67 = (R*(inv*inv)) @ kappa_weights
    if diagnose:
        E70 = (np.abs(R)) @ kappa_weights
        E71 = (np.abs(R*(inv*inv))) @ kappa_weights
    test_error = E66
    clean_error = E66 - noise_variance
    train_error = E67
    objective = E67 + beta*lam*q2/alpha
    error_3 = noise_variance + np.abs(E66)
    lost_3 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(clean_error))), 1e+289, 0)
    error_4 = np.abs(E67) + beta*lam*np.abs(q2)/alpha
    lost_4 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(objective))), 1e+289, 0)
    limited_2 = np.where((((error_3*upstream > 1e-10*np.abs(clean_error)) & (np.abs(clean_error) > 10*ROUNDING*error_3)) | ((error_4*upstream > 1e-10*np.abs(objective)) & (np.abs(objective) > 10*ROUNDING*error_4)) | ((error*upstream > 1e-10*np.abs(psi)) & (np.abs(psi) > 10*ROUNDING*error)) | ((error_2*upstream > 1e-10*np.abs(psi0)) & (np.abs(psi0) > 10*ROUNDING*error_2)) | (upstream > 1e-10)), 1, 0)
    if diagnose:
        error_9 = E70
        error_10 = E70 + noise_variance
        error_11 = E71
        error_12 = E71 + beta*lam*np.abs(q2)/alpha
    inaccurate_2 = np.maximum(np.maximum(np.maximum(np.maximum(inaccurate, lost), lost_2), lost_3), lost_4)
    few_digits = np.where((LARGEST_ERROR >= residual), inaccurate_2, 0)
    residual_2 = np.maximum(few_digits, residual)
    if diagnose:
        blocks.append(("explicit", ("psihat",), error_5))
        blocks.append(("explicit", ("psi0hat",), error_6))
        blocks.append(("explicit", ("psi",), error_7))
        blocks.append(("explicit", ("psi0",), error_8))
        blocks.append(("explicit", ("test_error",), error_9))
        blocks.append(("explicit", ("clean_error",), error_10))
        blocks.append(("explicit", ("train_error",), error_11))
        blocks.append(("explicit", ("objective",), error_12))
        blocks.append(("sizes", ("V1", "V2", "b", "g",), (size_V1, size_V2, size_b, size_g,), (True, True, True, True)))
    return stack_vector(iterations.shape, (V1, V2, b_2, g, q1, q2, theta, psi, psi0, chi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat, chihat, bhat, ghat, test_error, clean_error, train_error, objective, residual_2, iterations + 0.5*limited_2)).T, blocks
