"""The real network after one gradient step, odd students, square loss (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: V1, V2, b, g, q1, q2, theta, psi, psi0, chi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat, chihat, bhat, ghat.
Parameters: alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt.
Observables: test_error, clean_error, train_error, objective.
"""


import math

import numpy as np

from asympkit.runtime.compiled import compiled, in_parallel, prange
from asympkit.runtime.linear import factor_linear_n, solve_factored_n, solve_linear_batch, solve_many_factored_n
from asympkit.runtime.means import FLOOR, normal_means
from asympkit.runtime.newton import DIFFERENCES, limited, newton_batch, remember
from asympkit.runtime.rules import outer_rules
from asympkit.runtime.tables import split_tables, stack_matrix, stack_rows, stack_vector, valued_tables


ROUNDING = 2.0**-52
LARGEST_ERROR = 1e-9
PARAMETERS = ("alpha", "beta", "lam", "noise_variance", "inverse_width", "r", "c", "gamma", "rho", "deviation", "overload", "omega", "t1", "t2", "length", "row1", "row4", "norms", "square", "tilt",)
TABLE_PARAMETERS = ("r", "c", "gamma", "rho", "deviation",)
UNKNOWNS = ("V1", "V2", "b", "g", "q1", "q2", "theta", "psi", "psi0", "chi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "ghat",)
TORN = ("V1", "V2", "b", "g",)
POSITIVE = ("Vhat1", "Vhat2",)
OBSERVABLES = ("test_error", "clean_error", "train_error", "objective",)
OUTPUTS = ("V1", "V2", "b", "g", "q1", "q2", "theta", "psi", "psi0", "chi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat", "chihat", "bhat", "ghat", "test_error", "clean_error", "train_error", "objective", "residual", "iterations",)
ACTIVATIONS = ("student", "target",)
GRIDS = ("kappa", "z",)
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = False
#: whether equations can be iterated without their derivatives
MAPS = False
#: how many levels of refinement there are
LEVELS = 8
#: grids whose sums are made at every node of others
INNER = ()


kappa_SYMMETRIES = ((-1, 1, -1, 1, 1, -1, -1, 1, 1), (-1, -1, 1, -1, -1, 1, 1, 1, 1))
kappa_DIRECTIONS = ()


def kappa_rule(levels, r, c, gamma, rho, deviation, student, target, places=()):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, hz*mu1, hslope*mu1, kappa**2*mu1**2, dmu0*kappa*mu1, dmu0**2, dmu0*(kappa**2 - 1), mu0, kappa*mu1, dmu0, h*kappa*mu1, dmu0*h, h, Abs(h)*Abs(kappa)*Abs(mu1), Abs(dmu0)*Abs(h), Abs(h), Abs(dmu0)*Abs(kappa)*Abs(mu1), Abs(kappa)*Abs(mu1), Abs(dmu0), Abs(hz)*Abs(mu1), Abs(hslope)*Abs(mu1), hzz.
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
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(at(c))*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1,), -1: (1,)}, pairs,
        floors={0: (FLOOR,), 2: (FLOOR,), 1: (FLOOR,), -1: (FLOOR,)})
    error = max(error, change)
    mu2sq = mean_3
    tables = split_tables([kappa, mu1, mu0, hz, hslope, dmu0, h, hzz, mu2sq], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), hz*mu1, hslope*mu1, (kappa*kappa)*(mu1*mu1), dmu0*kappa*mu1, (dmu0*dmu0), dmu0*((kappa*kappa) - 1), mu0, kappa*mu1, dmu0, h*kappa*mu1, dmu0*h, h, np.abs(h)*np.abs(kappa)*np.abs(mu1), np.abs(dmu0)*np.abs(h), np.abs(h), np.abs(dmu0)*np.abs(kappa)*np.abs(mu1), np.abs(kappa)*np.abs(mu1), np.abs(dmu0), np.abs(hz)*np.abs(mu1), np.abs(hslope)*np.abs(mu1), hzz), weights) for (kappa, mu1, mu0, hz, hslope, dmu0, h, hzz, mu2sq), weights in tables], error


z_KINKS = ((), (),)
z_SYMMETRIES = ((-1, -1, -1),)


def z_rule(levels, r, c, gamma, rho, deviation, student, target):
    """Tables and weights of the average over z, z_2, target_2, one pair for each level.

    Rows of a table: (deviation*z_2 + target_2)**2, (deviation*z_2 + target_2)**4, z*(deviation*z_2 + target_2), z**2*(deviation*z_2 + target_2)**2, z*(deviation*z_2 + target_2)**3, (deviation*z_2 + target_2)**6, z*(deviation*z_2 + target_2)**5, Abs(z)*Abs(deviation*z_2 + target_2), Abs(z)*Abs(deviation*z_2 + target_2)**3, Abs(z)*Abs(deviation*z_2 + target_2)**5.
    """
    made = valued_tables(levels, z_KINKS, z_SYMMETRIES, False, (False, deviation == 0.0),
                         [(0, 0, 1, target.kinks_float)],
                         lambda z, z_2: [target(z)])
    return [(stack_rows((deviation*z_2 + target_2)**(2), (deviation*z_2 + target_2)**(4), z*(deviation*z_2 + target_2), (z*z)*(deviation*z_2 + target_2)**(2), z*(deviation*z_2 + target_2)**(3), (deviation*z_2 + target_2)**(6), z*(deviation*z_2 + target_2)**(5), np.abs(z)*np.abs(deviation*z_2 + target_2), np.abs(z)*(np.abs(deviation*z_2 + target_2))**(3), np.abs(z)*(np.abs(deviation*z_2 + target_2))**(5)), weights) for (z, z_2, target_2), weights in made], 0.0


def linearize_V1(E1, E2, E3, E4, E5, E6, E7, alpha, b, beta, g, lam, omega, overload):
    """Compute maps, residuals and slopes of V1, V2, b, g."""
    # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat1 = E1*alpha/beta
    # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
    Vhat2 = E2*alpha/beta
    dVhat1_dV1 = -E3*alpha/beta
    dVhat2_dV1 = -E4*alpha/beta
    dVhat2_dV2 = -E5*alpha/beta
    common_2 = (1.0/(E6*g*omega + g + 1))
    trace = common_2*(E6*omega + 1)
    S_inverse = (1.0/(Vhat1*trace + Vhat2 + lam))
    # V1 = S_inverse*trace
    V1_map = S_inverse*trace
    common_3 = (1.0/((Vhat1*trace + Vhat2 + lam)**(2)))
    dV1_map_dV1 = -common_3*dVhat1_dV1*(trace*trace) - common_3*dVhat2_dV1*trace
    dV1_map_dV2 = -common_3*dVhat2_dV1*(trace*trace) - common_3*dVhat2_dV2*trace
    common_4 = E7*(common_2*common_2)*(g*g)*(omega*omega)*overload*(E6*omega + 1) - E7*common_2*g*(omega*omega)*overload
    dV1_map_db = S_inverse*common_4 - Vhat1*common_3*common_4*trace
    common_5 = -E7*b*common_2*(omega*omega)*overload + (common_2*common_2)*(E6*omega + 1)*(-E6*omega + E7*b*g*(omega*omega)*overload - 1)
    dV1_map_dg = S_inverse*common_5 - Vhat1*common_3*common_5*trace
    dV2_map_dV1 = -common_3*dVhat1_dV1*trace - common_3*dVhat2_dV1
    dV2_map_dV2 = -common_3*dVhat2_dV1*trace - common_3*dVhat2_dV2
    dV2_map_db = -Vhat1*common_3*common_4
    dV2_map_dg = -Vhat1*common_3*common_5
    # 0 = -Vhat1*beta + g*(Vhat1*trace + Vhat2 + lam)
    b_equation = -Vhat1*beta + g*(Vhat1*trace + Vhat2 + lam)
    db_equation_dV1 = dVhat1_dV1*(-beta + g*trace) + dVhat2_dV1*g
    db_equation_dV2 = dVhat2_dV1*(-beta + g*trace) + dVhat2_dV2*g
    db_equation_db = Vhat1*common_4*g
    db_equation_dg = Vhat1*common_5*g + Vhat1*trace + Vhat2 + lam
    # 0 = b*g + b*(g*omega*E_z, z_2[weight*y**2] + 1) - 1
    g_equation = b*g + b*(E6*g*omega + 1) - 1
    dg_equation_db = E6*g*omega - E7*b*(g*g)*(omega*omega)*overload + g + 1
    dg_equation_dg = b*(E6*omega - E7*b*g*(omega*omega)*overload) + b
    return S_inverse, V1_map, dV1_map_dV1, dV1_map_dV2, dV1_map_db, dV1_map_dg, dV2_map_dV1, dV2_map_dV2, dV2_map_db, dV2_map_dg, b_equation, db_equation_dV1, db_equation_dV2, db_equation_db, db_equation_dg, g_equation, dg_equation_db, dg_equation_dg


def prepare_theta(E1, E10, E11, E12, E13, E14, E15, E16, E17, E18, E19, E2, E20, E21, E22, E23, E24, E25, E26, E27, E6, E8, E9, alpha, b, beta, c, g, gamma, inverse_width, lam, length, norms, omega, overload, row1, row4, t1, t2, tilt):
    """Compute what the equations of theta, chi, m need."""
    common_6 = (1.0/beta)
    # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat1 = E1*alpha*common_6
    # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
    Vhat2 = E2*alpha*common_6
    # psihat = alpha*E_kappa[hz*mu1/(V + 1)]
    psihat = E8*alpha
    # psi0hat = alpha*E_kappa[hslope*mu1/(V + 1)]
    psi0hat = E9*alpha
    dthetahat_dtheta = -E10*alpha
    dchihat_dtheta = -E11*alpha
    dchihat_dchi = -E12*alpha
    dthetahat_dm = -E13*alpha
    dchihat_dm = -E14*alpha
    thetahat_0 = E15*alpha
    chihat_0 = E16*alpha
    common_7 = (1.0/(E18*g*omega + g + 1))
    common_8 = E6*g*omega + 1
    relative_a = common_7*common_8 + common_7*g
    target_y_a = E17*b*relative_a
    B_ss = E17*target_y_a + E6*b*overload
    common_9 = (1.0/length)
    common_10 = (common_9*common_9)
    B_vv = B_ss*common_10
    trace = (E6*omega + 1)/(E6*g*omega + g + 1)
    common_11 = E18*omega + 1
    relative_a_slope = -E6*omega + common_11*common_7*common_8 - common_7
    common_12 = E17 + E20*b*g*omega*overload
    target_y_a_slope = b*(E17*relative_a_slope + E20*b*omega*overload) + common_12*trace
    common_13 = E19*b*g*omega*overload + E6
    common_14 = (b*b)
    common_15 = overload*(E19*common_14*omega*overload + common_13*trace)
    B_ss_slope = E20*b*omega*overload*target_y_a + common_12*target_y_a_slope + common_15
    N_vv = B_ss_slope*common_10
    S_inverse = (1.0/(Vhat1*trace + Vhat2 + lam))
    common_16 = (1.0/B_vv)
    K_vv = N_vv*S_inverse*common_16
    common_17 = (row1*row1)
    shared_rows = (0.125)*E6*b*common_17*g*overload + 1
    tilt_v = b*common_9*(-E21 + 2*g*omega*(E17*E23*common_7 + E22*b*overload))
    target_L_b = E17*b*relative_a*row1
    target_e_a = E20*b*relative_a*row4
    B_vt = common_9*(E17*target_L_b + E17*target_e_a + E19*b*overload*row4 + E6*b*overload*row1)
    K_vx = B_vt*S_inverse*common_16
    common_18 = (common_16*common_16)
    common_19 = (1.0/shared_rows)
    common_20 = -K_vv + S_inverse*beta*(c*c)*common_18*common_19*inverse_width*(length*length)*(tilt*tilt)*(tilt_v*tilt_v)
    A_theta_theta = -K_vx*dchihat_dtheta + common_20*dthetahat_dtheta + 1
    A_theta_chi = -K_vx*dchihat_dchi + common_20*dchihat_dtheta
    A_theta_m = -K_vx*dchihat_dm - beta*c*common_16*inverse_width*length*tilt*tilt_v + common_20*dthetahat_dm
    left_a_slope = t1*(E20*g*omega*trace - E20*omega)
    common_23 = left_a_slope*target_y_a - t1*(E19*common_14*omega*overload + common_13*trace) + t2*target_y_a_slope
    common_24 = (common_9*common_9*common_9)
    rho_N_vz = common_23*common_24*overload
    tilt_theta = 2*E23*b*common_7*g*omega
    common_25 = common_16*g*rho_N_vz*tilt_v - gamma*tilt_v + tilt_theta
    common_26 = S_inverse*c*common_19*common_25*length*psi0hat*tilt
    relative_c = -common_7*common_8 + common_7*(E18*g*omega + 1)
    relative_d = common_7*g + common_7*(E18*g*omega + 1)
    common_27 = E18*common_7*omega
    relative_d_slope = common_11*common_7 - common_27 - common_7
    common_28 = -E6*b*omega + trace
    common_29 = E17*row1 + E20*b*g*omega*overload*row1
    target_L_d_slope = b*common_29*common_8*relative_d_slope - b*(E17*relative_c*row1 + E20*b*g*omega*overload*relative_d*row1) + common_28*common_29
    common_30 = E20*row4 + E25*b*g*omega*overload*row4
    target_e_c = -b*common_30*relative_d + b*(E20*relative_c*row4 + E25*b*g*omega*overload*relative_d*row4)
    common_31 = E19*b*common_17*g*omega*overload + E6*common_17
    B_tt = -E20*b*g*omega*overload*row1*target_L_b - 2*E20*b*g*omega*overload*row1*target_e_a + E20*row4*target_e_a + E24*b*overload*(row4*row4) + common_29*target_L_d_slope - 2*common_29*target_e_c + overload*(-E19*common_14*common_17*g*omega*overload + common_28*common_31) - 2*overload*(E24*common_14*g*omega*overload*row1*row4 - b*(E19*row1*row4 + E24*b*g*omega*overload*row1*row4))
    common_32 = -g*(B_tt - (B_vt*B_vt)*common_16) + norms
    K_xx = S_inverse*common_32
    A_chi_theta = -K_vx*dthetahat_dtheta - K_xx*dchihat_dtheta
    A_chi_chi = -K_vx*dchihat_dtheta - K_xx*dchihat_dchi + 1
    A_chi_m = -K_vx*dthetahat_dm - K_xx*dchihat_dm
    left_a = E20*b*g*omega*t1 + t2
    A_m_theta = E13*alpha*common_6 - c*common_16*dthetahat_dtheta*inverse_width*length*tilt*tilt_v
    A_m_chi = E14*alpha*common_6 - c*common_16*dchihat_dtheta*inverse_width*length*tilt*tilt_v
    common_34 = (1.0/S_inverse)
    A_m_m = E26*alpha*common_6 - c*common_16*dthetahat_dm*inverse_width*length*tilt*tilt_v + common_34*inverse_width*shared_rows
    b_m = E27*alpha*common_6 - 0.5*common_34*inverse_width*shared_rows*(-2*S_inverse*c*common_16*common_19*length*thetahat_0*tilt*tilt_v - 2*common_26)
    common_35 = abs(row1)
    common_36 = abs(row4)
    common_37 = abs(length)
    common_38 = (1.0/common_37)
    common_39 = abs(E17)
    common_41 = common_39*(E6*omega + common_11*common_7*common_8 + common_7)
    common_42 = abs(t1)
    common_43 = abs(target_y_a)
    common_45 = abs(E20)
    common_46 = abs(E23)
    common_47 = (common_9*common_9*common_9*common_9)
    common_48 = (1.0/(abs(B_vv)))
    common_49 = abs(psihat)
    common_50 = abs(tilt)
    common_51 = abs(tilt_v)
    common_53 = abs(psi0hat)
    common_54 = common_7*common_8 + common_7*(E18*g*omega + 1)
    common_55 = E6*b*omega + trace
    common_56 = abs(common_29)
    common_58 = E6*b*omega - trace
    common_59 = common_11*common_7 + common_27 + common_7
    common_61 = 2*overload*(E24*common_14*common_35*common_36*g*omega*overload + b*(E19*common_35*common_36 + E24*b*common_35*common_36*g*omega*overload))
    common_62 = abs(B_vt)
    return common_6, Vhat1, Vhat2, psihat, psi0hat, dthetahat_dtheta, dchihat_dtheta, dchihat_dchi, dthetahat_dm, dchihat_dm, thetahat_0, chihat_0, common_7, common_8, relative_a, target_y_a, common_9, common_10, trace, common_11, relative_a_slope, common_12, target_y_a_slope, common_13, common_14, common_15, N_vv, S_inverse, common_16, K_vv, common_17, shared_rows, tilt_v, target_L_b, target_e_a, B_vt, K_vx, common_18, common_19, A_theta_theta, A_theta_chi, A_theta_m, left_a_slope, common_23, common_24, rho_N_vz, tilt_theta, common_25, common_26, relative_c, relative_d, common_27, relative_d_slope, common_28, common_29, target_L_d_slope, common_30, target_e_c, common_31, B_tt, common_32, K_xx, A_chi_theta, A_chi_chi, A_chi_m, left_a, A_m_theta, A_m_chi, common_34, A_m_m, b_m, common_35, common_36, common_37, common_38, common_39, common_41, common_42, common_43, common_45, common_46, common_47, common_48, common_49, common_50, common_51, common_53, common_54, common_55, common_56, common_58, common_59, common_61, common_62


def prepare_theta_2(B_vt, E19, E6, K_vv, K_vx, K_xx, S_inverse, b, beta, c, chihat_0, common_10, common_16, common_19, common_21, common_22, common_23, common_26, common_9, g, inverse_width, left_a, length, psihat, row1, row4, t1, target_L_b, target_e_a, thetahat_0, tilt, tilt_v):
    """Compute what the equations of theta, chi, m need."""
    N_vz = common_10*common_21*common_22*common_23
    K_vz = N_vz*S_inverse*common_16
    b_theta = K_vv*thetahat_0 + K_vx*chihat_0 + K_vz*psihat + beta*c*common_16*inverse_width*length*tilt*tilt_v*(-S_inverse*c*common_16*common_19*length*thetahat_0*tilt*tilt_v - common_26)
    B_tz = common_21*common_22*common_9*(-E19*b*row4*t1 - E6*b*row1*t1 + left_a*target_L_b + left_a*target_e_a)
    common_33 = B_tz + B_vt*N_vz*common_16*g
    K_xz = S_inverse*common_33
    b_chi = K_vx*thetahat_0 + K_xx*chihat_0 + K_xz*psihat
    common_64 = abs(N_vz)
    return N_vz, K_vz, b_theta, common_33, K_xz, b_chi, common_64


def prepare_inverse_q1_q1(E3, E30, E39, E4, E5, E6, S_inverse, Vhat1, Vhat2, alpha, b, beta, common_6, g, lam, omega, trace):
    """Compute what the equations of inverse_q1_q1, inverse_q2_q1, inverse_bhat_q1, inverse_ghat_q1 need."""
    A_q2_ghat = -2*g
    dqhat1_dq1 = E3*alpha*common_6
    dqhat2_dq1 = E4*alpha*common_6
    dqhat2_dq2 = E5*alpha*common_6
    common_71 = (1.0/((Vhat1*trace + Vhat2 + lam)**(2)))
    A_q1_q1 = -common_71*dqhat1_dq1*(trace*trace) - common_71*dqhat2_dq1*trace + 1
    A_q1_q2 = -common_71*dqhat2_dq1*(trace*trace) - common_71*dqhat2_dq2*trace
    A_q1_ghat = 2*beta - 2*g*trace
    A_q2_q1 = -common_71*dqhat1_dq1*trace - common_71*dqhat2_dq1
    A_q2_q2 = -common_71*dqhat2_dq1*trace - common_71*dqhat2_dq2 + 1
    common_72 = omega/(E6*g*omega + g + 1)
    common_73 = g*omega*(E6*omega + 1)/(E6*g*omega + g + 1)**(2)
    dtrace_g = E30*(common_72 - common_73) + (-E6*omega - 1)*(E6*omega + 1)/(E6*g*omega + g + 1)**(2)
    dS_inverse_g = -Vhat1*common_71*dtrace_g
    A_bhat_q1 = -0.5*dS_inverse_g*dqhat2_dq1 + dqhat1_dq1*(-0.5*S_inverse*dtrace_g - 0.5*dS_inverse_g*trace)
    A_bhat_q2 = -0.5*dS_inverse_g*dqhat2_dq2 + dqhat2_dq1*(-0.5*S_inverse*dtrace_g - 0.5*dS_inverse_g*trace)
    A_bhat_bhat = E30*b*g*omega + E6*b*omega + b
    A_bhat_ghat = Vhat1*dtrace_g*g + Vhat1*trace + Vhat2 + lam
    dtrace_b = E39*(common_72 - common_73)
    dS_inverse_b = -Vhat1*common_71*dtrace_b
    A_ghat_q1 = -0.5*dS_inverse_b*dqhat2_dq1 + dqhat1_dq1*(-0.5*S_inverse*dtrace_b - 0.5*dS_inverse_b*trace)
    A_ghat_q2 = -0.5*dS_inverse_b*dqhat2_dq2 + dqhat2_dq1*(-0.5*S_inverse*dtrace_b - 0.5*dS_inverse_b*trace)
    A_ghat_bhat = E39*b*g*omega + E6*g*omega + g + 1
    A_ghat_ghat = Vhat1*dtrace_b*g
    return A_q2_ghat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, common_71, A_q1_q1, A_q1_q2, A_q1_ghat, A_q2_q1, A_q2_q2, common_72, common_73, dtrace_g, dS_inverse_g, A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat, dtrace_b, dS_inverse_b, A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat


def prepare_E28(K_vz, K_xz, N_vz, S_inverse, beta, c, chi, chihat_0, common_10, common_11, common_16, common_19, common_23, common_25, common_26, common_7, dchihat_dchi, dchihat_dm, dchihat_dtheta, dthetahat_dm, dthetahat_dtheta, g, inverse_width, left_a_slope, length, m, psihat, t1, t2, theta, thetahat_0, tilt, tilt_v):
    """Compute what the average E28 and those beside it need."""
    # thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    thetahat = chi*dchihat_dtheta + dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    # chihat = -alpha*E_kappa[(C - h)*dmu0/(V + 1)]
    chihat = chi*dchihat_dchi + chihat_0 + dchihat_dm*m + dchihat_dtheta*theta
    common_68 = (1.0/t2)
    N_zz = common_68*(-common_10*common_23*t1 + common_11*common_7*t2 + common_7*left_a_slope)
    common_69 = (N_vz*N_vz)*common_16*g + N_zz
    K_zz = S_inverse*common_69
    # psi = chihat*K_xz + psihat*K_zz + thetahat*K_vz
    psi = K_vz*thetahat + K_xz*chihat + K_zz*psihat
    common_70 = -S_inverse*c*common_16*common_19*length*thetahat*tilt*tilt_v - common_26 + m
    # psi0 = beta*c*inverse_width*length*tilt*(g*rho_N_vz*tilt_v/B_vv - gamma*tilt_v + tilt_theta)*(-c*length*psi0hat*tilt*(g*rho_N_vz*tilt_v/B_vv - gamma*tilt_v + tilt_theta)*S_inverse/shared_rows - c*length*thetahat*tilt*S_inverse*tilt_v/(B_vv*shared_rows) + m)
    psi0 = beta*c*common_25*common_70*inverse_width*length*tilt
    return thetahat, chihat, common_68, common_69, K_zz, psi, common_70, psi0


def prepare_q1(B_tt, B_vt, E17, E18, E19, E20, E21, E22, E23, E24, E25, E28, E29, E30, E31, E32, E33, E34, E35, E36, E37, E38, E39, E40, E41, E42, E43, E44, E45, E46, E47, E6, N_vv, N_vz, S_inverse, alpha, b, c, chihat, common_10, common_11, common_12, common_13, common_14, common_16, common_17, common_18, common_19, common_21, common_22, common_24, common_25, common_26, common_27, common_28, common_29, common_30, common_31, common_32, common_33, common_34, common_35, common_36, common_55, common_59, common_6, common_68, common_69, common_7, common_70, common_71, common_72, common_73, common_8, common_9, dS_inverse_b, dS_inverse_g, dtrace_b, dtrace_g, g, gamma, inverse_width, left_a, left_a_slope, length, m, norms, omega, overload, psi0hat, psihat, relative_a, relative_a_slope, relative_c, relative_d, relative_d_slope, rho_N_vz, row1, row4, shared_rows, t1, t2, target_L_b, target_L_d_slope, target_e_a, target_e_c, target_y_a, target_y_a_slope, thetahat, tilt, tilt_v, trace):
    """Compute what the equations of q1, q2, bhat, ghat need."""
    dK_xx_dVhat1 = -common_32*common_71*trace
    dK_xx_dVhat2 = -common_32*common_71
    dshared_rows_g = (0.125)*E30*b*common_17*g*overload + (0.125)*E6*b*common_17*overload
    common_74 = (common_7*common_7)
    common_75 = (omega*omega)
    common_76 = E18*common_74*common_75*g - common_11*common_74*g*omega + common_74*g*omega
    common_77 = -E18*omega - 1
    drelative_d_slope_g = -E18*common_74*common_77*omega + E33*common_76 + common_11*common_74*common_77 - common_74*common_77
    common_78 = common_74*g*omega*(E18*g*omega + 1)
    common_79 = common_7*g*omega + common_74*common_8*g*omega - common_78
    drelative_c_g = -E30*common_7*g*omega + E33*common_79 - E6*common_7*omega + common_27 - common_74*common_77*common_8 + common_74*common_77*(E18*g*omega + 1)
    common_80 = (g*g)
    drelative_d_g = E33*(common_7*g*omega - common_74*common_80*omega - common_78) + common_27 + common_7 + common_74*common_77*g + common_74*common_77*(E18*g*omega + 1)
    common_81 = b*common_29*g*omega*relative_d_slope - b*common_29*omega
    common_82 = b*common_28*g*omega*overload*row1 + common_14*common_8*g*omega*overload*relative_d_slope*row1 - common_14*g*omega*overload*relative_d*row1
    dtarget_L_d_slope_g = -E17*b*drelative_c_g*row1 + E20*b*common_28*omega*overload*row1 + E20*common_14*common_8*omega*overload*relative_d_slope*row1 - E20*common_14*drelative_d_g*g*omega*overload*row1 - E20*common_14*omega*overload*relative_d*row1 + E30*common_81 + E31*(b*common_8*relative_d_slope*row1 - b*relative_c*row1 + common_28*row1) + E32*common_82 + E6*b*common_29*omega*relative_d_slope + b*common_29*common_8*drelative_d_slope_g + common_29*dtrace_g
    drelative_a_g = E30*common_7*g*omega + E33*(-common_74*common_8*g*omega - common_74*common_80*omega) + E6*common_7*omega + common_7 + common_74*common_77*common_8 + common_74*common_77*g
    dtarget_e_a_g = E20*b*drelative_a_g*row4 + E32*b*relative_a*row4
    common_83 = E25*common_14*g*omega*overload*row4 - b*common_30
    dtarget_e_c_g = E20*b*drelative_c_g*row4 + E32*(b*relative_c*row4 - b*relative_d*row4) + common_83*drelative_d_g
    dtarget_L_b_g = E17*b*drelative_a_g*row1 + E31*b*relative_a*row1
    common_84 = -b*g*omega*overload*row1*target_L_b + b*g*omega*overload*row1*target_L_d_slope - 2*b*g*omega*overload*row1*target_e_a - 2*b*g*omega*overload*row1*target_e_c + row4*target_e_a
    common_85 = 2*b*overload*row1*row4 + overload*(b*common_17*common_28*g*omega*overload - common_14*common_17*g*omega*overload)
    dB_tt_g = -E20*b*dtarget_L_b_g*g*omega*overload*row1 - E20*b*omega*overload*row1*target_L_b + E20*b*omega*overload*row1*target_L_d_slope - 2*E20*b*omega*overload*row1*target_e_a - 2*E20*b*omega*overload*row1*target_e_c + E30*overload*(-b*common_31*omega + common_17*common_28) + E31*(row1*target_L_d_slope - 2*row1*target_e_c) + E32*common_84 + E34*common_85 + E35*b*overload*(row4*row4) + common_29*dtarget_L_d_slope_g + common_31*dtrace_g*overload + dtarget_e_a_g*(-2*E20*b*g*omega*overload*row1 + E20*row4) + dtarget_e_c_g*(-2*E17*row1 - 2*E20*b*g*omega*overload*row1) + overload*(E19*b*common_17*common_28*omega*overload - E19*common_14*common_17*omega*overload)
    dtarget_y_a_g = E17*b*drelative_a_g + E31*b*relative_a
    dB_ss_g = E17*dtarget_y_a_g + E30*b*overload + E31*target_y_a
    dB_vv_g = common_10*dB_ss_g
    dB_vt_g = E17*common_9*dtarget_L_b_g + E17*common_9*dtarget_e_a_g + E30*b*common_9*overload*row1 + E31*common_9*(target_L_b + target_e_a) + E34*b*common_9*overload*row4
    dK_xx_g = -(B_vt*B_vt)*S_inverse*common_18*dB_vv_g*g + 2*B_vt*S_inverse*common_16*dB_vt_g*g - S_inverse*dB_tt_g*g + S_inverse*(-B_tt + (B_vt*B_vt)*common_16) + common_32*dS_inverse_g
    dleft_a_slope_g = E20*dtrace_g*g*omega*t1 + E20*omega*t1*trace + E32*t1*(g*omega*trace - omega)
    common_86 = -common_11*common_74*common_8*g*omega + common_7*common_8*omega + common_74*g*omega
    drelative_a_slope_g = E30*(common_11*common_7*g*omega - omega) + E33*common_86 + E6*common_11*common_7*omega + common_11*common_74*common_77*common_8 - common_74*common_77
    common_87 = b*g*omega*overload*trace + common_14*omega*overload
    dtarget_y_a_slope_g = E17*b*drelative_a_slope_g + E20*b*omega*overload*trace + E31*(b*relative_a_slope + trace) + E32*common_87 + common_12*dtrace_g
    common_88 = (t1*t1)
    dN_zz_g = E30*common_10*common_68*common_88*trace + E33*common_68*(-common_11*common_74*g*omega*t2 + common_7*omega*t2 - common_74*g*left_a_slope*omega) + E34*common_10*common_68*common_87*common_88 + common_10*common_13*common_68*common_88*dtrace_g - common_10*common_68*dtarget_y_a_g*left_a_slope*t1 - common_10*dtarget_y_a_slope_g*t1 + common_68*dleft_a_slope_g*(-common_10*t1*target_y_a + common_7) + common_68*(E19*b*common_10*common_88*omega*overload*trace + common_11*common_74*common_77*t2 + common_74*common_77*left_a_slope)
    common_89 = b*g*omega*overload*target_y_a_slope + b*omega*overload*target_y_a
    dB_ss_slope_g = E19*b*omega*(overload*overload)*trace + E20*b*dtarget_y_a_g*omega*overload + E20*b*omega*overload*target_y_a_slope + E30*overload*trace + E31*target_y_a_slope + E32*common_89 + E34*common_87*overload + common_12*dtarget_y_a_slope_g + common_13*dtrace_g*overload
    dN_vv_g = common_10*dB_ss_slope_g
    dK_vv_g = -N_vv*S_inverse*common_18*dB_vv_g + N_vv*common_16*dS_inverse_g + S_inverse*common_16*dN_vv_g
    dleft_a_g = E20*b*omega*t1 + E32*b*g*omega*t1
    dB_tz_g = -E30*b*common_21*common_22*common_9*row1*t1 - E34*b*common_21*common_22*common_9*row4*t1 + common_21*common_22*common_9*dleft_a_g*(target_L_b + target_e_a) + common_21*common_22*common_9*dtarget_L_b_g*left_a + common_21*common_22*common_9*dtarget_e_a_g*left_a
    dK_vx_g = -B_vt*S_inverse*common_18*dB_vv_g + B_vt*common_16*dS_inverse_g + S_inverse*common_16*dB_vt_g
    dtilt_v_g = -2*E17*E23*E33*b*common_74*common_75*common_80*common_9 + 4*E17*E38*b*common_7*common_9*g*omega + 2*E23*E31*b*common_7*common_9*g*omega - E36*b*common_9 + 4*E37*common_14*common_9*g*omega*overload + b*common_9*(2*E17*E23*common_74*common_77*g*omega + 2*omega*(E17*E23*common_7 + E22*b*overload))
    dtilt_theta_g = -2*E23*E33*b*common_74*common_75*common_80 + 2*E23*b*common_7*omega + 2*E23*b*common_74*common_77*g*omega + 4*E38*b*common_7*g*omega
    drho_N_vz_g = -E19*b*common_24*omega*(overload*overload)*t1*trace - E30*common_24*overload*t1*trace - E34*common_24*common_87*overload*t1 - common_13*common_24*dtrace_g*overload*t1 + common_24*dleft_a_slope_g*overload*target_y_a + common_24*dtarget_y_a_g*left_a_slope*overload + common_24*dtarget_y_a_slope_g*overload*t2
    dshared_rows_b = (0.125)*E39*b*common_17*g*overload + (0.125)*E6*common_17*g*overload
    drelative_d_slope_b = E42*common_76
    drelative_c_b = -E39*common_7*g*omega + E42*common_79
    drelative_d_b = E42*(common_7*g*omega - common_74*common_80*omega - common_78)
    dtarget_L_d_slope_b = -E17*b*drelative_c_b*row1 - E17*relative_c*row1 + E20*b*common_8*g*omega*overload*relative_d_slope*row1 - 2*E20*b*g*omega*overload*relative_d*row1 - E20*common_14*drelative_d_b*g*omega*overload*row1 + E20*common_28*g*omega*overload*row1 + E39*common_81 + E40*(b*common_8*relative_d_slope*row1 - b*relative_c*row1 + common_28*row1) + E41*common_82 - E6*common_29*omega + b*common_29*common_8*drelative_d_slope_b + common_29*common_8*relative_d_slope + common_29*dtrace_b
    drelative_a_b = E39*common_7*g*omega + E42*(-common_74*common_8*g*omega - common_74*common_80*omega)
    dtarget_e_a_b = E20*b*drelative_a_b*row4 + E20*relative_a*row4 + E41*b*relative_a*row4
    dtarget_e_c_b = E20*b*drelative_c_b*row4 + E20*relative_c*row4 + E25*b*g*omega*overload*relative_d*row4 + E41*(b*relative_c*row4 - b*relative_d*row4) - common_30*relative_d + common_83*drelative_d_b
    dtarget_L_b_b = E17*b*drelative_a_b*row1 + E17*relative_a*row1 + E40*b*relative_a*row1
    dB_tt_b = 2*E19*overload*row1*row4 - E20*b*dtarget_L_b_b*g*omega*overload*row1 - E20*g*omega*overload*row1*target_L_b + E20*g*omega*overload*row1*target_L_d_slope - 2*E20*g*omega*overload*row1*target_e_a - 2*E20*g*omega*overload*row1*target_e_c + E24*overload*(row4*row4) + E39*overload*(-b*common_31*omega + common_17*common_28) + E40*(row1*target_L_d_slope - 2*row1*target_e_c) + E41*common_84 + E43*common_85 + E44*b*overload*(row4*row4) + common_29*dtarget_L_d_slope_b + common_31*dtrace_b*overload + dtarget_e_a_b*(-2*E20*b*g*omega*overload*row1 + E20*row4) + dtarget_e_c_b*(-2*E17*row1 - 2*E20*b*g*omega*overload*row1) + overload*(-2*E19*b*common_17*g*omega*overload + E19*common_17*common_28*g*omega*overload - E6*common_31*omega)
    dtarget_y_a_b = E17*b*drelative_a_b + E17*relative_a + E40*b*relative_a
    dB_ss_b = E17*dtarget_y_a_b + E39*b*overload + E40*target_y_a + E6*overload
    dB_vv_b = common_10*dB_ss_b
    dB_vt_b = E17*common_9*dtarget_L_b_b + E17*common_9*dtarget_e_a_b + E39*b*common_9*overload*row1 + E40*common_9*(target_L_b + target_e_a) + E43*b*common_9*overload*row4 + common_9*(E19*overload*row4 + E6*overload*row1)
    dK_xx_b = -(B_vt*B_vt)*S_inverse*common_18*dB_vv_b*g + 2*B_vt*S_inverse*common_16*dB_vt_b*g - S_inverse*dB_tt_b*g + common_32*dS_inverse_b
    dleft_a_slope_b = E20*dtrace_b*g*omega*t1 + E41*t1*(g*omega*trace - omega)
    drelative_a_slope_b = E39*(common_11*common_7*g*omega - omega) + E42*common_86
    dtarget_y_a_slope_b = E17*b*drelative_a_slope_b + E17*relative_a_slope + 2*E20*b*omega*overload + E20*g*omega*overload*trace + E40*(b*relative_a_slope + trace) + E41*common_87 + common_12*dtrace_b
    common_90 = 2*E19*b*omega*overload + E19*g*omega*overload*trace
    dN_zz_b = E39*common_10*common_68*common_88*trace + E42*common_68*(-common_11*common_74*g*omega*t2 + common_7*omega*t2 - common_74*g*left_a_slope*omega) + E43*common_10*common_68*common_87*common_88 + common_10*common_13*common_68*common_88*dtrace_b + common_10*common_68*common_88*common_90 - common_10*common_68*dtarget_y_a_b*left_a_slope*t1 - common_10*dtarget_y_a_slope_b*t1 + common_68*dleft_a_slope_b*(-common_10*t1*target_y_a + common_7)
    dB_ss_slope_b = E20*b*dtarget_y_a_b*omega*overload + E20*g*omega*overload*target_y_a_slope + E20*omega*overload*target_y_a + E39*overload*trace + E40*target_y_a_slope + E41*common_89 + E43*common_87*overload + common_12*dtarget_y_a_slope_b + common_13*dtrace_b*overload + common_90*overload
    dN_vv_b = common_10*dB_ss_slope_b
    dK_vv_b = -N_vv*S_inverse*common_18*dB_vv_b + N_vv*common_16*dS_inverse_b + S_inverse*common_16*dN_vv_b
    dleft_a_b = E20*g*omega*t1 + E41*b*g*omega*t1
    dB_tz_b = -E39*b*common_21*common_22*common_9*row1*t1 - E43*b*common_21*common_22*common_9*row4*t1 + common_21*common_22*common_9*dleft_a_b*(target_L_b + target_e_a) + common_21*common_22*common_9*dtarget_L_b_b*left_a + common_21*common_22*common_9*dtarget_e_a_b*left_a + common_21*common_22*common_9*(-E19*row4*t1 - E6*row1*t1)
    dK_vx_b = -B_vt*S_inverse*common_18*dB_vv_b + B_vt*common_16*dS_inverse_b + S_inverse*common_16*dB_vt_b
    dtilt_v_b = -2*E17*E23*E42*b*common_74*common_75*common_80*common_9 + 4*E17*E47*b*common_7*common_9*g*omega + 2*E22*b*common_9*g*omega*overload + 2*E23*E40*b*common_7*common_9*g*omega - E45*b*common_9 + 4*E46*common_14*common_9*g*omega*overload + common_9*(-E21 + 2*g*omega*(E17*E23*common_7 + E22*b*overload))
    dtilt_theta_b = -2*E23*E42*b*common_74*common_75*common_80 + 2*E23*common_7*g*omega + 4*E47*b*common_7*g*omega
    drho_N_vz_b = -E39*common_24*overload*t1*trace - E43*common_24*common_87*overload*t1 - common_13*common_24*dtrace_b*overload*t1 - common_24*common_90*overload*t1 + common_24*dleft_a_slope_b*overload*target_y_a + common_24*dtarget_y_a_b*left_a_slope*overload + common_24*dtarget_y_a_slope_b*overload*t2
    common_91 = common_72 + common_73
    common_92 = (E6*omega + 1)*abs(E6*omega + 1)/(E6*g*omega + g + 1)**(2)
    common_93 = abs(common_74*common_8*g*omega + common_74*common_80*omega)
    common_94 = common_74*(E18*g*omega + 1)*abs(common_11)
    common_95 = b*common_35*common_55*g*omega*overload + common_14*common_35*common_59*common_8*g*omega*overload + common_14*common_35*g*omega*overload*relative_d
    common_97 = abs(2*E20*b*g*omega*overload*row1 - E20*row4)
    common_98 = abs(2*E17*row1 + 2*E20*b*g*omega*overload*row1)
    common_99 = 2*b*common_35*common_36*overload + overload*(b*common_17*common_55*g*omega*overload + common_14*common_17*g*omega*overload)
    common_102 = abs(g*(B_tt - (B_vt*B_vt)*common_16) - norms)
    common_103 = abs(-common_10*t1*target_y_a + common_7)
    common_105 = abs(E39)
    common_106 = overload*(2*E19*b*common_17*g*omega*overload + E19*common_17*common_55*g*omega*overload + E6*common_31*omega)
    common_131 = abs(thetahat)
    common_133 = S_inverse*c*common_16*common_19*length*thetahat*tilt*tilt_v + common_26 - m
    common_134 = abs(common_133)
    qhat1_0 = E28*alpha*common_6
    qhat2_0 = E29*alpha*common_6
    common_136 = (chihat*chihat)
    common_137 = (psihat*psihat)
    common_138 = (thetahat*thetahat)
    common_139 = 2*c*common_16*common_19*common_71*length*thetahat*tilt*tilt_v*trace + 2*c*common_19*common_25*common_71*length*psi0hat*tilt*trace
    b_q1 = common_139*common_34*common_70*inverse_width*shared_rows + (common_34*common_34)*(common_70*common_70)*common_71*inverse_width*shared_rows*trace - common_6*(-2*B_vt*chihat*common_16*common_71*thetahat*trace - N_vv*common_138*common_16*common_71*trace - 2*N_vz*common_16*common_71*psihat*thetahat*trace - 2*chihat*common_33*common_71*psihat*trace + common_136*dK_xx_dVhat1 - common_137*common_69*common_71*trace) + common_71*qhat1_0*(trace*trace) + common_71*qhat2_0*trace
    b_q2 = (common_34*common_34)*(common_70*common_70)*common_71*inverse_width*shared_rows + common_34*common_70*inverse_width*shared_rows*(2*c*common_16*common_19*common_71*length*thetahat*tilt*tilt_v + 2*c*common_19*common_25*common_71*length*psi0hat*tilt) - common_6*(-2*B_vt*chihat*common_16*common_71*thetahat - N_vv*common_138*common_16*common_71 - 2*N_vz*common_16*common_71*psihat*thetahat - 2*chihat*common_33*common_71*psihat + common_136*dK_xx_dVhat2 - common_137*common_69*common_71) + common_71*qhat1_0*trace + common_71*qhat2_0
    common_140 = -0.5*(common_34*common_34)*(common_70*common_70)*inverse_width*shared_rows + (0.5)*common_34*common_70*inverse_width*shared_rows*(-2*c*common_16*common_19*length*thetahat*tilt*tilt_v - 2*c*common_19*common_25*length*psi0hat*tilt) - 0.5*qhat1_0*trace - 0.5*qhat2_0
    common_141 = 2*S_inverse*c*common_16*(common_19*common_19)*length*thetahat*tilt*tilt_v + 2*S_inverse*c*(common_19*common_19)*common_25*length*psi0hat*tilt
    common_142 = 2*S_inverse*c*common_18*common_19*g*length*psi0hat*rho_N_vz*tilt*tilt_v + 2*S_inverse*c*common_18*common_19*length*thetahat*tilt*tilt_v
    common_143 = -2*S_inverse*c*common_16*common_19*length*thetahat*tilt - 2*S_inverse*c*common_19*length*psi0hat*tilt*(common_16*g*rho_N_vz - gamma)
    common_145 = abs(2*S_inverse*c*common_16*common_19*length*thetahat*tilt*tilt_v + 2*common_26 - 2*m)
    common_146 = abs(2*c*common_16*common_19*common_71*length*thetahat*tilt*tilt_v + 2*c*common_19*common_25*common_71*length*psi0hat*tilt)
    common_147 = abs(-0.5*(common_133*common_133)*common_34*inverse_width + (0.5)*common_133*common_141*common_34*inverse_width*shared_rows)
    common_150 = abs((0.5)*(common_133*common_133)*(common_34*common_34)*inverse_width*shared_rows - 0.5*common_133*common_34*inverse_width*shared_rows*(2*c*common_16*common_19*length*thetahat*tilt*tilt_v + 2*c*common_19*common_25*length*psi0hat*tilt) + (0.5)*qhat1_0*trace + (0.5)*qhat2_0)
    return dshared_rows_g, common_74, common_75, common_76, drelative_d_slope_g, common_78, common_79, drelative_c_g, common_80, drelative_d_g, common_81, dtarget_L_d_slope_g, drelative_a_g, dtarget_e_a_g, common_83, dtarget_e_c_g, dtarget_L_b_g, common_85, dtarget_y_a_g, dB_vv_g, dB_vt_g, dK_xx_g, dleft_a_slope_g, common_86, drelative_a_slope_g, common_87, dtarget_y_a_slope_g, common_88, dN_zz_g, common_89, dK_vv_g, dleft_a_g, dB_tz_g, dK_vx_g, dtilt_v_g, dtilt_theta_g, drho_N_vz_g, dshared_rows_b, drelative_d_slope_b, drelative_c_b, drelative_d_b, dtarget_L_d_slope_b, drelative_a_b, dtarget_e_a_b, dtarget_e_c_b, dtarget_L_b_b, dtarget_y_a_b, dB_vv_b, dB_vt_b, dK_xx_b, dleft_a_slope_b, drelative_a_slope_b, dtarget_y_a_slope_b, common_90, dN_zz_b, dK_vv_b, dleft_a_b, dB_tz_b, dK_vx_b, dtilt_v_b, dtilt_theta_b, drho_N_vz_b, common_91, common_92, common_93, common_94, common_95, common_97, common_98, common_99, common_102, common_103, common_105, common_106, common_131, common_134, qhat1_0, qhat2_0, common_136, common_137, common_138, common_139, b_q1, b_q2, common_140, common_141, common_142, common_143, common_145, common_146, common_147, common_150


def prepare_q1_2(B_vt, N_vz, S_inverse, c, chihat, common_136, common_137, common_138, common_140, common_141, common_142, common_143, common_16, common_18, common_33, common_34, common_6, common_69, common_70, dB_tz_b, dB_tz_g, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dK_vv_b, dK_vv_g, dK_vx_b, dK_vx_g, dK_xx_b, dK_xx_g, dN_vz_b, dN_vz_g, dN_zz_b, dN_zz_g, dS_inverse_b, dS_inverse_g, drho_N_vz_b, drho_N_vz_g, dshared_rows_b, dshared_rows_g, dtilt_theta_b, dtilt_theta_g, dtilt_v_b, dtilt_v_g, dtrace_b, dtrace_g, g, inverse_width, length, psi0hat, psihat, qhat1_0, rho_N_vz, shared_rows, thetahat, tilt, tilt_v):
    """Compute what the equations of q1, q2, bhat, ghat need."""
    dK_zz_g = (N_vz*N_vz)*S_inverse*common_16 - (N_vz*N_vz)*S_inverse*common_18*dB_vv_g*g + 2*N_vz*S_inverse*common_16*dN_vz_g*g + S_inverse*dN_zz_g + common_69*dS_inverse_g
    dK_xz_g = B_vt*N_vz*S_inverse*common_16 - B_vt*N_vz*S_inverse*common_18*dB_vv_g*g + B_vt*S_inverse*common_16*dN_vz_g*g + N_vz*S_inverse*common_16*dB_vt_g*g + S_inverse*dB_tz_g + common_33*dS_inverse_g
    dK_vz_g = -N_vz*S_inverse*common_18*dB_vv_g + N_vz*common_16*dS_inverse_g + S_inverse*common_16*dN_vz_g
    dK_zz_b = -(N_vz*N_vz)*S_inverse*common_18*dB_vv_b*g + 2*N_vz*S_inverse*common_16*dN_vz_b*g + S_inverse*dN_zz_b + common_69*dS_inverse_b
    dK_xz_b = -B_vt*N_vz*S_inverse*common_18*dB_vv_b*g + B_vt*S_inverse*common_16*dN_vz_b*g + N_vz*S_inverse*common_16*dB_vt_b*g + S_inverse*dB_tz_b + common_33*dS_inverse_b
    dK_vz_b = -N_vz*S_inverse*common_18*dB_vv_b + N_vz*common_16*dS_inverse_b + S_inverse*common_16*dN_vz_b
    b_bhat = (0.5)*S_inverse*dtrace_g*qhat1_0 + c*common_16*common_70*drho_N_vz_g*g*inverse_width*length*psi0hat*tilt*tilt_v + c*common_16*common_70*inverse_width*length*psi0hat*rho_N_vz*tilt*tilt_v + c*common_70*dtilt_theta_g*inverse_width*length*psi0hat*tilt + chihat*common_6*dK_vx_g*thetahat + chihat*common_6*dK_xz_g*psihat + (0.5)*common_136*common_6*dK_xx_g + (0.5)*common_137*common_6*dK_zz_g + (0.5)*common_138*common_6*dK_vv_g - common_140*dS_inverse_g - 0.5*common_142*common_34*common_70*dB_vv_g*inverse_width*shared_rows - 0.5*common_143*common_34*common_70*dtilt_v_g*inverse_width*shared_rows + common_6*dK_vz_g*psihat*thetahat - dshared_rows_g*((0.5)*common_141*common_34*common_70*inverse_width*shared_rows + (0.5)*common_34*(common_70*common_70)*inverse_width)
    b_ghat = (0.5)*S_inverse*dtrace_b*qhat1_0 + c*common_16*common_70*drho_N_vz_b*g*inverse_width*length*psi0hat*tilt*tilt_v + c*common_70*dtilt_theta_b*inverse_width*length*psi0hat*tilt + chihat*common_6*dK_vx_b*thetahat + chihat*common_6*dK_xz_b*psihat + (0.5)*common_136*common_6*dK_xx_b + (0.5)*common_137*common_6*dK_zz_b + (0.5)*common_138*common_6*dK_vv_b - common_140*dS_inverse_b - 0.5*common_142*common_34*common_70*dB_vv_b*inverse_width*shared_rows - 0.5*common_143*common_34*common_70*dtilt_v_b*inverse_width*shared_rows + common_6*dK_vz_b*psihat*thetahat - dshared_rows_b*((0.5)*common_141*common_34*common_70*inverse_width*shared_rows + (0.5)*common_34*(common_70*common_70)*inverse_width)
    return b_bhat, b_ghat


def conclude(B_vt, E13, E14, E15, E16, E18, E19, E21, E22, E24, E25, E26, E27, E28, E29, E30, E31, E32, E33, E34, E35, E36, E37, E38, E40, E41, E42, E43, E44, E45, E46, E47, E48, E49, E6, K_vv, K_vx, K_xx, N_vv, N_vz, S_inverse, Vhat1, Vhat2, alpha, b, beta, c, chi, chihat, chihat_0, common_10, common_102, common_103, common_105, common_106, common_11, common_12, common_13, common_131, common_134, common_136, common_137, common_138, common_139, common_14, common_141, common_145, common_146, common_15, common_16, common_17, common_18, common_19, common_21, common_22, common_25, common_26, common_27, common_31, common_34, common_35, common_36, common_37, common_38, common_39, common_41, common_42, common_43, common_45, common_46, common_47, common_48, common_49, common_50, common_51, common_53, common_54, common_55, common_56, common_58, common_59, common_6, common_61, common_62, common_64, common_68, common_7, common_71, common_74, common_75, common_78, common_8, common_80, common_83, common_87, common_88, common_90, common_91, common_92, common_93, common_94, common_95, common_97, common_98, common_99, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dS_inverse_b, dS_inverse_g, dchihat_dchi, dchihat_dm, dchihat_dtheta, dleft_a_b, dleft_a_g, dleft_a_slope_b, dleft_a_slope_g, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, drelative_d_b, drelative_d_g, drelative_d_slope_b, drelative_d_slope_g, dtarget_L_b_b, dtarget_L_b_g, dtarget_L_d_slope_b, dtarget_L_d_slope_g, dtarget_e_a_b, dtarget_e_a_g, dtarget_e_c_b, dtarget_e_c_g, dtarget_y_a_b, dtarget_y_a_g, dtarget_y_a_slope_b, dtarget_y_a_slope_g, dthetahat_dm, dthetahat_dtheta, dtrace_b, dtrace_g, g, gamma, ghat, inverse_chi_chi, inverse_chi_m, inverse_chi_theta, inverse_m_chi, inverse_m_m, inverse_m_theta, inverse_theta_chi, inverse_theta_m, inverse_theta_theta, inverse_width, lam, left_a, left_a_slope, length, m, noise_variance, norms, omega, overload, psi0hat, q1, q2, qhat1_0, qhat2_0, relative_a, relative_d, relative_d_slope, rho_N_vz, row4, shared_rows, size_b, size_g, t2, target_L_b, target_L_d_slope, target_e_a, target_e_c, target_y_a_slope, theta, thetahat, thetahat_0, tilt, tilt_theta, tilt_v, trace):
    """Compute observables and the errors that rounding makes."""
    V1_check = S_inverse*trace
    b_residual = abs(Vhat1*beta - g*(Vhat1*trace + Vhat2 + lam))/(size_b + 1e-300)
    g_residual = abs(b*common_8 + b*g - 1)/(size_g + 1e-300)
    size_thetahat_0_2 = alpha*abs(E15)
    size_chihat_0_2 = alpha*abs(E16)
    common_107 = b*common_45*g*omega*overload + common_39
    error_target_y_a_slope_2 = b*(b*common_45*omega*overload + common_41) + common_107*trace
    common_108 = common_45*g*omega*trace + common_45*omega
    common_109 = common_108*common_42*common_43 + common_42*(E19*common_14*omega*overload + common_13*trace) + error_target_y_a_slope_2*t2
    error_N_vz_2 = common_10*common_109*common_21*common_22
    error_B_ss_slope_2 = b*common_43*common_45*omega*overload + common_107*abs(target_y_a_slope) + common_15 + error_target_y_a_slope_2*abs(common_12)
    error_rho_N_vz_2 = common_109*common_37*common_47*overload
    common_110 = b*common_35*common_45*g*omega*overload + common_35*common_39
    error_target_L_d_slope_2 = b*common_110*common_8*abs(relative_d_slope) + b*common_56*common_59*common_8 + b*(b*common_35*common_45*g*omega*overload*relative_d + common_35*common_39*common_54) + common_110*abs(common_58) + common_55*common_56
    common_111 = b*common_36*g*omega*overload*abs(E25) + common_36*common_45
    error_target_e_c_2 = b*common_111*relative_d + b*(b*common_36*g*omega*overload*relative_d*abs(E25) + common_36*common_45*common_54)
    error_B_tt_2 = E24*b*overload*(row4*row4) + b*common_35*common_45*g*omega*overload*abs(target_L_b) + 2*b*common_35*common_45*g*omega*overload*abs(target_e_a) + common_110*abs(target_L_d_slope) + 2*common_110*abs(target_e_c) + common_36*common_45*abs(target_e_a) + common_56*error_target_L_d_slope_2 + 2*common_56*error_target_e_c_2 + common_61 + overload*(E19*common_14*common_17*g*omega*overload + common_31*common_55)
    common_112 = E19*b*common_36*overload + E6*b*common_35*overload + common_39*abs(target_L_b) + common_39*abs(target_e_a)
    common_113 = g*(2*common_112*common_38*common_48*common_62 + error_B_tt_2) + norms
    error_K_xx = S_inverse*common_113
    common_114 = b*common_42*common_45*g*omega + t2
    error_B_tz_2 = common_21*common_22*common_38*(E19*b*common_36*common_42 + E6*b*common_35*common_42 + common_114*abs(target_L_b) + common_114*abs(target_e_a))
    common_115 = common_112*common_38*common_48*common_64*g + common_48*common_62*error_N_vz_2*g + error_B_tz_2
    error_K_xz = S_inverse*common_115
    common_116 = E21 + 2*g*omega*(E22*b*overload + common_39*common_46*common_7)
    common_117 = 2*S_inverse*b*beta*(c*c)*common_116*common_18*common_19*common_38*common_51*inverse_width*(length*length)*(tilt*tilt) + S_inverse*common_10*common_48*error_B_ss_slope_2
    common_118 = b*common_116*common_38*common_48*g*abs(rho_N_vz) + b*common_116*common_38*abs(gamma) + common_48*common_51*error_rho_N_vz_2*g + abs(tilt_theta)
    rounding_theta = S_inverse*common_10*common_48*error_B_ss_slope_2*abs(thetahat_0) + S_inverse*common_112*common_38*common_48*abs(chihat_0) + S_inverse*common_48*common_49*error_N_vz_2 + b*beta*c*common_116*common_48*common_50*inverse_width*abs(S_inverse*c*common_16*common_19*length*thetahat_0*tilt*tilt_v + common_26) + beta*c*common_37*common_48*common_50*common_51*inverse_width*(S_inverse*b*c*common_116*common_19*common_48*common_50*abs(thetahat_0) + S_inverse*c*common_118*common_19*common_37*common_50*common_53 + S_inverse*c*common_19*common_37*common_48*common_50*common_51*size_thetahat_0_2) + size_chihat_0_2*abs(K_vx) + size_thetahat_0_2*abs(K_vv) + (S_inverse*common_112*common_38*common_48*abs(dchihat_dchi) + common_117*abs(dchihat_dtheta))*abs(chi) + (S_inverse*common_112*common_38*common_48*abs(dchihat_dm) + b*beta*c*common_116*common_48*common_50*inverse_width + common_117*abs(dthetahat_dm))*abs(m) + (S_inverse*common_112*common_38*common_48*abs(dchihat_dtheta) + common_117*abs(dthetahat_dtheta) + 1)*abs(theta)
    rounding_chi = S_inverse*common_112*common_38*common_48*abs(thetahat_0) + common_49*error_K_xz + error_K_xx*abs(chihat_0) + size_chihat_0_2*abs(K_xx) + size_thetahat_0_2*abs(K_vx) + (S_inverse*common_112*common_38*common_48*abs(dthetahat_dm) + error_K_xx*abs(dchihat_dm))*abs(m) + (S_inverse*common_112*common_38*common_48*abs(dthetahat_dtheta) + error_K_xx*abs(dchihat_dtheta))*abs(theta) + (S_inverse*common_112*common_38*common_48*abs(dchihat_dtheta) + error_K_xx*abs(dchihat_dchi) + 1)*abs(chi)
    rounding_m = alpha*common_6*abs(E27) + (0.5)*common_34*inverse_width*shared_rows*(2*S_inverse*b*c*common_116*common_19*common_48*common_50*abs(thetahat_0) + 2*S_inverse*c*common_118*common_19*common_37*common_50*common_53 + 2*S_inverse*c*common_19*common_37*common_48*common_50*common_51*size_thetahat_0_2) + (alpha*common_6*abs(E13) + b*c*common_116*common_48*common_50*inverse_width*abs(dthetahat_dtheta))*abs(theta) + (alpha*common_6*abs(E14) + b*c*common_116*common_48*common_50*inverse_width*abs(dchihat_dtheta))*abs(chi) + (E26*alpha*common_6 + b*c*common_116*common_48*common_50*inverse_width*abs(dthetahat_dm) + common_34*inverse_width*shared_rows)*abs(m)
    error_theta = rounding_chi*abs(inverse_theta_chi) + rounding_m*abs(inverse_theta_m) + rounding_theta*abs(inverse_theta_theta)
    error_chi = rounding_chi*abs(inverse_chi_chi) + rounding_m*abs(inverse_chi_m) + rounding_theta*abs(inverse_chi_theta)
    error_m = rounding_chi*abs(inverse_m_chi) + rounding_m*abs(inverse_m_m) + rounding_theta*abs(inverse_m_theta)
    error_thetahat = size_thetahat_0_2 + abs(chi)*abs(dchihat_dtheta) + abs(dchihat_dtheta)*abs(error_chi) + abs(dthetahat_dm)*abs(error_m) + abs(dthetahat_dm)*abs(m) + abs(dthetahat_dtheta)*abs(error_theta) + abs(dthetahat_dtheta)*abs(theta)
    error_chihat = size_chihat_0_2 + abs(chi)*abs(dchihat_dchi) + abs(dchihat_dchi)*abs(error_chi) + abs(dchihat_dm)*abs(error_m) + abs(dchihat_dm)*abs(m) + abs(dchihat_dtheta)*abs(error_theta) + abs(dchihat_dtheta)*abs(theta)
    error_dK_xx_dVhat1 = common_113*common_71*trace
    error_N_zz_2 = common_68*(common_10*common_109*common_42 + common_108*common_42*common_7 + common_11*common_7*t2)
    error_dK_xx_dVhat2 = common_113*common_71
    error_dtrace_g_2 = common_91*abs(E30) + common_92
    error_drelative_d_slope_g_2 = E18*common_74*omega*abs(common_11) + common_11*common_74*abs(common_11) + common_74*abs(common_11) + (E18*common_74*common_75*g + common_11*common_74*g*omega + common_74*g*omega)*abs(E33)
    error_drelative_c_g_2 = E6*common_7*omega + common_27 + common_7*g*omega*abs(E30) + common_74*common_8*abs(common_11) + common_94 + (common_7*g*omega + common_74*common_8*g*omega + common_78)*abs(E33)
    error_drelative_d_g_2 = common_27 + common_7 + common_74*g*abs(common_11) + common_94 + (common_7*g*omega + common_74*common_80*omega + common_78)*abs(E33)
    error_dtarget_L_d_slope_g_2 = E6*b*common_110*omega*abs(relative_d_slope) + E6*b*common_56*common_59*omega + b*common_110*common_8*abs(drelative_d_slope_g) + b*common_35*common_39*error_drelative_c_g_2 + b*common_35*common_45*common_55*omega*overload + b*common_56*common_8*error_drelative_d_slope_g_2 + common_110*abs(dtrace_g) + common_14*common_35*common_45*common_59*common_8*omega*overload + common_14*common_35*common_45*error_drelative_d_g_2*g*omega*overload + common_14*common_35*common_45*omega*overload*relative_d + common_56*error_dtrace_g_2 + common_95*abs(E32) + (b*common_35*common_54 + b*common_35*common_59*common_8 + common_35*common_55)*abs(E31) + (b*common_110*g*omega*abs(relative_d_slope) + b*common_110*omega + b*common_56*common_59*g*omega)*abs(E30)
    error_drelative_a_g_2 = E6*common_7*omega + common_7*g*omega*abs(E30) + common_7 + common_74*common_8*abs(common_11) + common_74*g*abs(common_11) + common_93*abs(E33)
    error_dtarget_e_c_g_2 = b*common_36*common_45*error_drelative_c_g_2 + error_drelative_d_g_2*abs(common_83) + (b*common_111 + common_14*common_36*g*omega*overload*abs(E25))*abs(drelative_d_g) + (b*common_36*common_54 + b*common_36*relative_d)*abs(E32)
    common_119 = b*common_36*common_45*error_drelative_a_g_2 + b*common_36*relative_a*abs(E32)
    common_120 = b*common_35*error_target_L_d_slope_2*g*omega*overload + 2*b*common_35*error_target_e_c_2*g*omega*overload + b*common_35*g*omega*overload*abs(target_L_b) + 2*b*common_35*g*omega*overload*abs(target_e_a) + common_36*abs(target_e_a)
    common_121 = b*common_35*common_39*error_drelative_a_g_2 + b*common_35*relative_a*abs(E31)
    error_dB_tt_g_2 = b*common_121*common_35*common_45*g*omega*overload + b*common_35*common_45*error_target_L_d_slope_2*omega*overload + 2*b*common_35*common_45*error_target_e_c_2*omega*overload + b*common_35*common_45*omega*overload*abs(target_L_b) + 2*b*common_35*common_45*omega*overload*abs(target_e_a) + b*overload*(row4*row4)*abs(E35) + common_110*abs(dtarget_L_d_slope_g) + common_119*common_97 + common_120*abs(E32) + common_31*error_dtrace_g_2*overload + common_56*error_dtarget_L_d_slope_g_2 + common_98*error_dtarget_e_c_g_2 + common_99*abs(E34) + overload*(b*common_31*omega + common_17*common_55)*abs(E30) + overload*(E19*b*common_17*common_55*omega*overload + E19*common_14*common_17*omega*overload) + (common_35*error_target_L_d_slope_2 + 2*common_35*error_target_e_c_2)*abs(E31) + (2*b*common_35*common_45*g*omega*overload + 2*common_35*common_39)*abs(dtarget_e_c_g) + (2*b*common_35*common_45*g*omega*overload + common_36*common_45)*abs(dtarget_e_a_g)
    error_dB_vt_g_2 = b*common_35*common_38*overload*abs(E30) + b*common_36*common_38*overload*abs(E34) + common_119*common_38*common_39 + common_121*common_38*common_39 + common_38*(abs(target_L_b) + abs(target_e_a))*abs(E31)
    common_122 = b*common_39*error_drelative_a_g_2 + b*relative_a*abs(E31)
    common_123 = b*overload*abs(E30) + common_122*common_39 + common_43*abs(E31)
    error_dK_xx_g_2 = (B_vt*B_vt)*S_inverse*common_10*common_123*common_18*g + 2*S_inverse*common_112*common_18*common_38*common_62*g*abs(dB_vv_g) + 2*S_inverse*common_112*common_38*common_48*g*abs(dB_vt_g) + 2*S_inverse*common_48*common_62*error_dB_vt_g_2*g + S_inverse*error_dB_tt_g_2*g + S_inverse*(2*common_112*common_38*common_48*common_62 + error_B_tt_2) + Vhat1*common_102*common_71*error_dtrace_g_2 + common_113*abs(dS_inverse_g)
    error_drelative_a_slope_g_2 = E6*common_11*common_7*omega + common_11*common_74*common_8*abs(common_11) + common_74*abs(common_11) + (common_11*common_7*g*omega + omega)*abs(E30) + (common_11*common_74*common_8*g*omega + common_7*common_8*omega + common_74*g*omega)*abs(E33)
    error_dtarget_y_a_slope_g_2 = b*common_39*error_drelative_a_slope_g_2 + b*common_45*omega*overload*trace + common_107*abs(dtrace_g) + common_87*abs(E32) + error_dtrace_g_2*abs(common_12) + (b*(E6*omega + common_11*common_7*common_8 + common_7) + trace)*abs(E31)
    common_124 = common_42*common_45*error_dtrace_g_2*g*omega + common_42*common_45*omega*trace + common_42*(g*omega*trace + omega)*abs(E32)
    error_dN_zz_g_2 = common_10*common_108*common_68*common_88*abs(dtarget_y_a_g) + common_10*common_122*common_42*common_68*abs(left_a_slope) + common_10*common_13*common_68*common_88*error_dtrace_g_2 + common_10*common_42*error_dtarget_y_a_slope_g_2 + common_10*common_68*common_87*common_88*abs(E34) + common_10*common_68*common_88*trace*abs(E30) + common_103*common_124*common_68 + common_68*(common_10*common_42*common_43 + common_7)*abs(dleft_a_slope_g) + common_68*(common_108*common_42*common_74*g*omega + common_11*common_74*g*omega*t2 + common_7*omega*t2)*abs(E33) + common_68*(E19*b*common_10*common_88*omega*overload*trace + common_108*common_42*common_74*abs(common_11) + common_11*common_74*t2*abs(common_11))
    common_125 = 2*common_48*common_64*error_N_vz_2*g + error_N_zz_2
    error_dB_ss_slope_g_2 = E19*b*omega*(overload*overload)*trace + b*common_122*common_45*omega*overload + b*common_45*error_target_y_a_slope_2*omega*overload + common_107*abs(dtarget_y_a_slope_g) + common_13*error_dtrace_g_2*overload + common_87*overload*abs(E34) + error_dtarget_y_a_slope_g_2*abs(common_12) + error_target_y_a_slope_2*abs(E31) + overload*trace*abs(E30) + (b*common_43*omega*overload + b*error_target_y_a_slope_2*g*omega*overload)*abs(E32)
    error_dK_vv_g_2 = S_inverse*common_10*common_123*common_18*abs(N_vv) + S_inverse*common_10*common_18*error_B_ss_slope_2*abs(dB_vv_g) + S_inverse*common_10*common_48*error_dB_ss_slope_g_2 + Vhat1*common_48*common_71*error_dtrace_g_2*abs(N_vv) + common_10*common_48*error_B_ss_slope_2*abs(dS_inverse_g)
    error_dB_tz_g_2 = b*common_21*common_22*common_35*common_38*common_42*abs(E30) + b*common_21*common_22*common_36*common_38*common_42*abs(E34) + common_114*common_21*common_22*common_38*abs(dtarget_L_b_g) + common_114*common_21*common_22*common_38*abs(dtarget_e_a_g) + common_119*common_21*common_22*common_38*abs(left_a) + common_121*common_21*common_22*common_38*abs(left_a) + common_21*common_22*common_38*(b*common_42*common_45*omega + b*common_42*g*omega*abs(E32))*abs(target_L_b + target_e_a) + common_21*common_22*common_38*(abs(target_L_b) + abs(target_e_a))*abs(dleft_a_g)
    error_dK_vx_g_2 = S_inverse*common_10*common_123*common_18*common_62 + S_inverse*common_112*common_18*common_38*abs(dB_vv_g) + S_inverse*common_48*error_dB_vt_g_2 + Vhat1*common_48*common_62*common_71*error_dtrace_g_2 + common_112*common_38*common_48*abs(dS_inverse_g)
    error_dtilt_v_g_2 = 2*b*common_38*common_39*common_46*common_74*common_75*common_80*abs(E33) + 4*b*common_38*common_39*common_7*g*omega*abs(E38) + 2*b*common_38*common_46*common_7*g*omega*abs(E31) + b*common_38*(2*common_39*common_46*common_74*g*omega*abs(common_11) + 2*omega*(E22*b*overload + common_39*common_46*common_7)) + b*common_38*abs(E36) + 4*common_14*common_38*g*omega*overload*abs(E37)
    error_dtilt_theta_g_2 = 2*b*common_46*common_7*omega + 2*b*common_46*common_74*common_75*common_80*abs(E33) + 2*b*common_46*common_74*g*omega*abs(common_11) + 4*b*common_7*g*omega*abs(E38)
    error_drho_N_vz_g_2 = E19*b*common_37*common_42*common_47*omega*(overload*overload)*trace + common_108*common_37*common_42*common_47*overload*abs(dtarget_y_a_g) + common_122*common_37*common_47*overload*abs(left_a_slope) + common_124*common_37*common_43*common_47*overload + common_13*common_37*common_42*common_47*error_dtrace_g_2*overload + common_37*common_42*common_47*common_87*overload*abs(E34) + common_37*common_42*common_47*overload*trace*abs(E30) + common_37*common_47*error_dtarget_y_a_slope_g_2*overload*t2
    error_dS_inverse_b = Vhat1*common_105*common_71*common_91
    error_drelative_d_slope_b_2 = (E18*common_74*common_75*g + common_11*common_74*g*omega + common_74*g*omega)*abs(E42)
    error_drelative_c_b_2 = common_105*common_7*g*omega + (common_7*g*omega + common_74*common_8*g*omega + common_78)*abs(E42)
    error_drelative_d_b_2 = (common_7*g*omega + common_74*common_80*omega + common_78)*abs(E42)
    error_dtarget_L_d_slope_b_2 = E6*common_110*omega + b*common_110*common_8*abs(drelative_d_slope_b) + b*common_35*common_39*error_drelative_c_b_2 + b*common_35*common_45*common_59*common_8*g*omega*overload + 2*b*common_35*common_45*g*omega*overload*relative_d + b*common_56*common_8*error_drelative_d_slope_b_2 + common_105*common_56*common_91 + common_105*(b*common_110*g*omega*abs(relative_d_slope) + b*common_110*omega + b*common_56*common_59*g*omega) + common_110*common_8*abs(relative_d_slope) + common_110*abs(dtrace_b) + common_14*common_35*common_45*error_drelative_d_b_2*g*omega*overload + common_35*common_39*common_54 + common_35*common_45*common_55*g*omega*overload + common_56*common_59*common_8 + common_95*abs(E41) + (b*common_35*common_54 + b*common_35*common_59*common_8 + common_35*common_55)*abs(E40)
    error_drelative_a_b_2 = common_105*common_7*g*omega + common_93*abs(E42)
    error_dtarget_e_c_b_2 = b*common_36*common_45*error_drelative_c_b_2 + b*common_36*g*omega*overload*relative_d*abs(E25) + common_111*relative_d + common_36*common_45*common_54 + error_drelative_d_b_2*abs(common_83) + (b*common_111 + common_14*common_36*g*omega*overload*abs(E25))*abs(drelative_d_b) + (b*common_36*common_54 + b*common_36*relative_d)*abs(E41)
    common_126 = b*common_36*common_45*error_drelative_a_b_2 + b*common_36*relative_a*abs(E41) + common_36*common_45*relative_a
    common_127 = b*common_35*common_39*error_drelative_a_b_2 + b*common_35*relative_a*abs(E40) + common_35*common_39*relative_a
    error_dB_tt_b_2 = 2*E19*common_35*common_36*overload + E24*overload*(row4*row4) + b*common_127*common_35*common_45*g*omega*overload + b*overload*(row4*row4)*abs(E44) + common_105*common_31*common_91*overload + common_105*overload*(b*common_31*omega + common_17*common_55) + common_106 + common_110*abs(dtarget_L_d_slope_b) + common_120*abs(E41) + common_126*common_97 + common_35*common_45*error_target_L_d_slope_2*g*omega*overload + 2*common_35*common_45*error_target_e_c_2*g*omega*overload + common_35*common_45*g*omega*overload*abs(target_L_b) + 2*common_35*common_45*g*omega*overload*abs(target_e_a) + common_56*error_dtarget_L_d_slope_b_2 + common_98*error_dtarget_e_c_b_2 + common_99*abs(E43) + (common_35*error_target_L_d_slope_2 + 2*common_35*error_target_e_c_2)*abs(E40) + (2*b*common_35*common_45*g*omega*overload + 2*common_35*common_39)*abs(dtarget_e_c_b) + (2*b*common_35*common_45*g*omega*overload + common_36*common_45)*abs(dtarget_e_a_b)
    error_dB_vt_b_2 = b*common_105*common_35*common_38*overload + b*common_36*common_38*overload*abs(E43) + common_126*common_38*common_39 + common_127*common_38*common_39 + common_38*(E19*common_36*overload + E6*common_35*overload) + common_38*(abs(target_L_b) + abs(target_e_a))*abs(E40)
    common_128 = b*common_39*error_drelative_a_b_2 + b*relative_a*abs(E40) + common_39*relative_a
    common_129 = E6*overload + b*common_105*overload + common_128*common_39 + common_43*abs(E40)
    error_dK_xx_b_2 = (B_vt*B_vt)*S_inverse*common_10*common_129*common_18*g + 2*S_inverse*common_112*common_18*common_38*common_62*g*abs(dB_vv_b) + 2*S_inverse*common_112*common_38*common_48*g*abs(dB_vt_b) + 2*S_inverse*common_48*common_62*error_dB_vt_b_2*g + S_inverse*error_dB_tt_b_2*g + common_102*error_dS_inverse_b + common_113*abs(dS_inverse_b)
    error_dleft_a_slope_b_2 = common_105*common_42*common_45*common_91*g*omega + common_42*(g*omega*trace + omega)*abs(E41)
    error_drelative_a_slope_b_2 = common_105*(common_11*common_7*g*omega + omega) + (common_11*common_74*common_8*g*omega + common_7*common_8*omega + common_74*g*omega)*abs(E42)
    error_dtarget_y_a_slope_b_2 = b*common_39*error_drelative_a_slope_b_2 + 2*b*common_45*omega*overload + common_105*common_91*abs(common_12) + common_107*abs(dtrace_b) + common_41 + common_45*g*omega*overload*trace + common_87*abs(E41) + (b*(E6*omega + common_11*common_7*common_8 + common_7) + trace)*abs(E40)
    error_dN_zz_b_2 = common_10*common_105*common_13*common_68*common_88*common_91 + common_10*common_105*common_68*common_88*trace + common_10*common_108*common_68*common_88*abs(dtarget_y_a_b) + common_10*common_128*common_42*common_68*abs(left_a_slope) + common_10*common_42*error_dtarget_y_a_slope_b_2 + common_10*common_68*common_87*common_88*abs(E43) + common_10*common_68*common_88*common_90 + common_103*common_68*error_dleft_a_slope_b_2 + common_68*(common_10*common_42*common_43 + common_7)*abs(dleft_a_slope_b) + common_68*(common_108*common_42*common_74*g*omega + common_11*common_74*g*omega*t2 + common_7*omega*t2)*abs(E42)
    error_dB_ss_slope_b_2 = b*common_128*common_45*omega*overload + common_105*common_13*common_91*overload + common_105*overload*trace + common_107*abs(dtarget_y_a_slope_b) + common_43*common_45*omega*overload + common_45*error_target_y_a_slope_2*g*omega*overload + common_87*overload*abs(E43) + common_90*overload + error_dtarget_y_a_slope_b_2*abs(common_12) + error_target_y_a_slope_2*abs(E40) + (b*common_43*omega*overload + b*error_target_y_a_slope_2*g*omega*overload)*abs(E41)
    error_dK_vv_b_2 = S_inverse*common_10*common_129*common_18*abs(N_vv) + S_inverse*common_10*common_18*error_B_ss_slope_2*abs(dB_vv_b) + S_inverse*common_10*common_48*error_dB_ss_slope_b_2 + common_10*common_48*error_B_ss_slope_2*abs(dS_inverse_b) + common_48*error_dS_inverse_b*abs(N_vv)
    error_dB_tz_b_2 = b*common_105*common_21*common_22*common_35*common_38*common_42 + b*common_21*common_22*common_36*common_38*common_42*abs(E43) + common_114*common_21*common_22*common_38*abs(dtarget_L_b_b) + common_114*common_21*common_22*common_38*abs(dtarget_e_a_b) + common_126*common_21*common_22*common_38*abs(left_a) + common_127*common_21*common_22*common_38*abs(left_a) + common_21*common_22*common_38*(E19*common_36*common_42 + E6*common_35*common_42) + common_21*common_22*common_38*(b*common_42*g*omega*abs(E41) + common_42*common_45*g*omega)*abs(target_L_b + target_e_a) + common_21*common_22*common_38*(abs(target_L_b) + abs(target_e_a))*abs(dleft_a_b)
    error_dK_vx_b_2 = S_inverse*common_10*common_129*common_18*common_62 + S_inverse*common_112*common_18*common_38*abs(dB_vv_b) + S_inverse*common_48*error_dB_vt_b_2 + common_112*common_38*common_48*abs(dS_inverse_b) + common_48*common_62*error_dS_inverse_b
    error_dtilt_v_b_2 = 2*E22*b*common_38*g*omega*overload + 2*b*common_38*common_39*common_46*common_74*common_75*common_80*abs(E42) + 4*b*common_38*common_39*common_7*g*omega*abs(E47) + 2*b*common_38*common_46*common_7*g*omega*abs(E40) + b*common_38*abs(E45) + common_116*common_38 + 4*common_14*common_38*g*omega*overload*abs(E46)
    error_dtilt_theta_b_2 = 2*b*common_46*common_74*common_75*common_80*abs(E42) + 4*b*common_7*g*omega*abs(E47) + 2*common_46*common_7*g*omega
    error_drho_N_vz_b_2 = common_105*common_13*common_37*common_42*common_47*common_91*overload + common_105*common_37*common_42*common_47*overload*trace + common_108*common_37*common_42*common_47*overload*abs(dtarget_y_a_b) + common_128*common_37*common_47*overload*abs(left_a_slope) + common_37*common_42*common_47*common_87*overload*abs(E43) + common_37*common_42*common_47*common_90*overload + common_37*common_43*common_47*error_dleft_a_slope_b_2*overload + common_37*common_47*error_dtarget_y_a_slope_b_2*overload*t2
    common_130 = E6*b*overload + common_39*common_43
    error_K_xz_2 = S_inverse*(common_10*common_130*common_18*common_62*common_64*g + common_112*common_38*common_48*common_64*g + common_48*common_62*error_N_vz_2*g + error_B_tz_2)
    error = S_inverse*common_49*((N_vz*N_vz)*common_10*common_130*common_18*g + 2*common_48*common_64*error_N_vz_2*g + error_N_zz_2) + common_131*(S_inverse*common_10*common_130*common_18*common_64 + S_inverse*common_48*error_N_vz_2) + error_K_xz_2*abs(chihat)
    common_132 = b*common_116*common_38*common_48*g*abs(rho_N_vz) + b*common_116*common_38*abs(gamma) + common_10*common_130*common_18*common_51*g*abs(rho_N_vz) + common_48*common_51*error_rho_N_vz_2*g + abs(tilt_theta)
    error_2 = beta*c*common_132*common_134*common_37*common_50*inverse_width + beta*c*common_37*common_50*inverse_width*(S_inverse*b*c*common_116*common_131*common_19*common_48*common_50 + S_inverse*c*common_10*common_130*common_131*common_18*common_19*common_37*common_50*common_51 + S_inverse*c*common_132*common_19*common_37*common_50*common_53 + abs(m))*abs(common_25)
    # qhat1 = alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    qhat1 = dqhat1_dq1*q1 + dqhat2_dq1*q2 + qhat1_0
    # qhat2 = alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    size_qhat1_0_2 = alpha*common_6*abs(E28)
    size_qhat2_0_2 = alpha*common_6*abs(E29)
    common_153 = S_inverse*b*c*common_116*common_131*common_19*common_48*common_50 + S_inverse*c*common_118*common_19*common_37*common_50*common_53 + abs(m)
    rounding_q1 = common_134*common_34*inverse_width*shared_rows*(2*b*c*common_116*common_131*common_19*common_48*common_50*common_71*trace + 2*c*common_118*common_19*common_37*common_50*common_53*common_71*trace) + common_145*common_153*(common_34*common_34)*common_71*inverse_width*shared_rows*trace + common_153*common_34*inverse_width*shared_rows*abs(common_139) + common_6*(common_10*common_138*common_48*common_71*error_B_ss_slope_2*trace + 2*common_112*common_131*common_38*common_48*common_71*trace*abs(chihat) + 2*common_115*common_49*common_71*trace*abs(chihat) + common_125*common_137*common_71*trace + 2*common_131*common_48*common_49*common_71*error_N_vz_2*trace + common_136*error_dK_xx_dVhat1) + common_71*size_qhat1_0_2*(trace*trace) + common_71*size_qhat2_0_2*trace + (2*beta + 2*g*trace)*abs(ghat) + (common_71*(trace*trace)*abs(dqhat2_dq1) + common_71*trace*abs(dqhat2_dq2))*abs(q2) + (common_71*(trace*trace)*abs(dqhat1_dq1) + common_71*trace*abs(dqhat2_dq1) + 1)*abs(q1)
    rounding_q2 = common_134*common_34*inverse_width*shared_rows*(2*b*c*common_116*common_131*common_19*common_48*common_50*common_71 + 2*c*common_118*common_19*common_37*common_50*common_53*common_71) + common_145*common_153*(common_34*common_34)*common_71*inverse_width*shared_rows + common_146*common_153*common_34*inverse_width*shared_rows + common_6*(common_10*common_138*common_48*common_71*error_B_ss_slope_2 + 2*common_112*common_131*common_38*common_48*common_71*abs(chihat) + 2*common_115*common_49*common_71*abs(chihat) + common_125*common_137*common_71 + 2*common_131*common_48*common_49*common_71*error_N_vz_2 + common_136*error_dK_xx_dVhat2) + common_71*size_qhat1_0_2*trace + common_71*size_qhat2_0_2 + 2*g*abs(ghat) + (common_71*trace*abs(dqhat1_dq1) + common_71*abs(dqhat2_dq1))*abs(q1) + (common_71*trace*abs(dqhat2_dq1) + common_71*abs(dqhat2_dq2) + 1)*abs(q2)
    common_154 = (0.5)*common_134*common_34*inverse_width*shared_rows*(2*S_inverse*b*c*common_116*common_131*(common_19*common_19)*common_48*common_50 + 2*S_inverse*c*common_118*(common_19*common_19)*common_37*common_50*common_53) + (0.5)*common_145*common_153*common_34*inverse_width + (0.5)*common_153*common_34*inverse_width*shared_rows*abs(common_141)
    common_155 = (0.5)*common_134*common_34*inverse_width*shared_rows*(2*b*c*common_116*common_131*common_19*common_48*common_50 + 2*c*common_118*common_19*common_37*common_50*common_53) + (0.5)*common_145*common_153*(common_34*common_34)*inverse_width*shared_rows + (0.5)*common_153*common_34*inverse_width*shared_rows*abs(2*c*common_16*common_19*length*thetahat*tilt*tilt_v + 2*c*common_19*common_25*length*psi0hat*tilt) + (0.5)*size_qhat1_0_2*trace + (0.5)*size_qhat2_0_2
    common_156 = 2*S_inverse*c*common_131*common_19*common_37*common_48*common_50 + 2*S_inverse*c*common_19*common_37*common_50*common_53*(common_48*error_rho_N_vz_2*g + abs(gamma))
    common_157 = 2*S_inverse*b*c*common_116*common_131*common_18*common_19*common_50 + 2*S_inverse*b*c*common_116*common_18*common_19*common_50*common_53*g*abs(rho_N_vz) + 2*S_inverse*c*common_18*common_19*common_37*common_50*common_51*common_53*error_rho_N_vz_2*g
    # test_error = E_kappa[R]
    test_error = E48
    # clean_error = -noise_variance + E_kappa[R]
    clean_error = E48 - noise_variance
    # train_error = E_kappa[R/(V + 1)**2]
    train_error = E49
    # objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    objective = E49 + beta*lam*q2/alpha
    error_3 = noise_variance + abs(E48)
    error_4 = abs(E49) + beta*lam*abs(q2)/alpha
    return V1_check, b_residual, g_residual, common_108, error_N_vz_2, error_rho_N_vz_2, common_112, common_115, common_116, error_theta, error_chi, error_m, error_thetahat, error_chihat, error_dtrace_g_2, error_dB_vt_g_2, common_122, common_123, error_dK_xx_g_2, error_dtarget_y_a_slope_g_2, common_124, error_dN_zz_g_2, common_125, error_dK_vv_g_2, error_dB_tz_g_2, error_dK_vx_g_2, error_dtilt_v_g_2, error_dtilt_theta_g_2, error_drho_N_vz_g_2, error_dS_inverse_b, error_dB_vt_b_2, common_128, common_129, error_dK_xx_b_2, error_dleft_a_slope_b_2, error_dtarget_y_a_slope_b_2, error_dN_zz_b_2, error_dK_vv_b_2, error_dB_tz_b_2, error_dK_vx_b_2, error_dtilt_v_b_2, error_dtilt_theta_b_2, error_drho_N_vz_b_2, error, error_2, qhat1, qhat2, size_qhat1_0_2, size_qhat2_0_2, common_153, rounding_q1, rounding_q2, common_154, common_155, common_156, common_157, test_error, clean_error, train_error, objective, error_3, error_4


def conclude_2(E30, E6, N_vz, S_inverse, Vhat1, Vhat2, b, bhat, c, chihat, common_10, common_105, common_112, common_115, common_116, common_123, common_125, common_129, common_131, common_134, common_136, common_137, common_138, common_142, common_143, common_147, common_150, common_153, common_154, common_155, common_156, common_157, common_17, common_18, common_33, common_34, common_37, common_38, common_48, common_49, common_50, common_51, common_53, common_6, common_62, common_64, common_69, common_71, common_91, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dN_vz_b, dN_vz_g, dS_inverse_b, dS_inverse_g, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, drho_N_vz_b, drho_N_vz_g, dshared_rows_b, dshared_rows_g, dtilt_theta_b, dtilt_theta_g, dtilt_v_b, dtilt_v_g, dtrace_b, dtrace_g, error_N_vz_2, error_dB_tz_b_2, error_dB_tz_g_2, error_dB_vt_b_2, error_dB_vt_g_2, error_dK_vv_b_2, error_dK_vv_g_2, error_dK_vx_b_2, error_dK_vx_g_2, error_dK_xx_b_2, error_dK_xx_g_2, error_dN_vz_b_2, error_dN_vz_g_2, error_dN_zz_b_2, error_dN_zz_g_2, error_dS_inverse_b, error_drho_N_vz_b_2, error_drho_N_vz_g_2, error_dtilt_theta_b_2, error_dtilt_theta_g_2, error_dtilt_v_b_2, error_dtilt_v_g_2, error_dtrace_g_2, error_rho_N_vz_2, g, ghat, inverse_bhat_bhat, inverse_bhat_ghat, inverse_bhat_q1, inverse_bhat_q2, inverse_ghat_bhat, inverse_ghat_ghat, inverse_ghat_q1, inverse_ghat_q2, inverse_q1_bhat, inverse_q1_ghat, inverse_q1_q1, inverse_q1_q2, inverse_q2_bhat, inverse_q2_ghat, inverse_q2_q1, inverse_q2_q2, inverse_width, lam, omega, overload, q1, q2, qhat1_0, rho_N_vz, rounding_q1, rounding_q2, shared_rows, size_qhat1_0_2, size_qhat2_0_2, trace):
    """Compute observables and the errors that rounding makes."""
    error_dK_zz_g_2 = (N_vz*N_vz)*S_inverse*common_10*common_123*common_18*g + 2*S_inverse*common_18*common_64*error_N_vz_2*g*abs(dB_vv_g) + 2*S_inverse*common_48*common_64*error_N_vz_2 + 2*S_inverse*common_48*common_64*error_dN_vz_g_2*g + 2*S_inverse*common_48*error_N_vz_2*g*abs(dN_vz_g) + S_inverse*error_dN_zz_g_2 + Vhat1*common_71*error_dtrace_g_2*abs(common_69) + common_125*abs(dS_inverse_g)
    error_dK_xz_g_2 = S_inverse*common_10*common_123*common_18*common_62*common_64*g + S_inverse*common_112*common_18*common_38*common_64*g*abs(dB_vv_g) + S_inverse*common_112*common_38*common_48*common_64 + S_inverse*common_112*common_38*common_48*g*abs(dN_vz_g) + S_inverse*common_18*common_62*error_N_vz_2*g*abs(dB_vv_g) + S_inverse*common_48*common_62*error_N_vz_2 + S_inverse*common_48*common_62*error_dN_vz_g_2*g + S_inverse*common_48*common_64*error_dB_vt_g_2*g + S_inverse*common_48*error_N_vz_2*g*abs(dB_vt_g) + S_inverse*error_dB_tz_g_2 + Vhat1*common_71*error_dtrace_g_2*abs(common_33) + common_115*abs(dS_inverse_g)
    error_dK_vz_g_2 = S_inverse*common_10*common_123*common_18*common_64 + S_inverse*common_18*error_N_vz_2*abs(dB_vv_g) + S_inverse*common_48*error_dN_vz_g_2 + Vhat1*common_48*common_64*common_71*error_dtrace_g_2 + common_48*error_N_vz_2*abs(dS_inverse_g)
    error_dK_zz_b_2 = (N_vz*N_vz)*S_inverse*common_10*common_129*common_18*g + 2*S_inverse*common_18*common_64*error_N_vz_2*g*abs(dB_vv_b) + 2*S_inverse*common_48*common_64*error_dN_vz_b_2*g + 2*S_inverse*common_48*error_N_vz_2*g*abs(dN_vz_b) + S_inverse*error_dN_zz_b_2 + common_125*abs(dS_inverse_b) + error_dS_inverse_b*abs(common_69)
    error_dK_xz_b_2 = S_inverse*common_10*common_129*common_18*common_62*common_64*g + S_inverse*common_112*common_18*common_38*common_64*g*abs(dB_vv_b) + S_inverse*common_112*common_38*common_48*g*abs(dN_vz_b) + S_inverse*common_18*common_62*error_N_vz_2*g*abs(dB_vv_b) + S_inverse*common_48*common_62*error_dN_vz_b_2*g + S_inverse*common_48*common_64*error_dB_vt_b_2*g + S_inverse*common_48*error_N_vz_2*g*abs(dB_vt_b) + S_inverse*error_dB_tz_b_2 + common_115*abs(dS_inverse_b) + error_dS_inverse_b*abs(common_33)
    error_dK_vz_b_2 = S_inverse*common_10*common_129*common_18*common_64 + S_inverse*common_18*error_N_vz_2*abs(dB_vv_b) + S_inverse*common_48*error_dN_vz_b_2 + common_48*common_64*error_dS_inverse_b + common_48*error_N_vz_2*abs(dS_inverse_b)
    rounding_bhat = (0.5)*S_inverse*error_dtrace_g_2*abs(qhat1_0) + (0.5)*S_inverse*size_qhat1_0_2*abs(dtrace_g) + Vhat1*common_150*common_71*error_dtrace_g_2 + b*c*common_116*common_134*common_48*common_50*common_53*g*inverse_width*abs(drho_N_vz_g) + b*c*common_116*common_134*common_48*common_50*common_53*inverse_width*abs(rho_N_vz) + c*common_134*common_37*common_48*common_50*common_51*common_53*error_drho_N_vz_g_2*g*inverse_width + c*common_134*common_37*common_48*common_50*common_51*common_53*error_rho_N_vz_2*inverse_width + c*common_134*common_37*common_50*common_53*error_dtilt_theta_g_2*inverse_width + c*common_153*common_37*common_48*common_50*common_51*common_53*g*inverse_width*abs(drho_N_vz_g) + c*common_153*common_37*common_48*common_50*common_51*common_53*inverse_width*abs(rho_N_vz) + c*common_153*common_37*common_50*common_53*inverse_width*abs(dtilt_theta_g) + (0.5)*common_10*common_123*common_134*common_34*inverse_width*shared_rows*abs(common_142) + common_131*common_49*common_6*error_dK_vz_g_2 + common_131*common_6*error_dK_vx_g_2*abs(chihat) + (0.5)*common_134*common_156*common_34*inverse_width*shared_rows*abs(dtilt_v_g) + (0.5)*common_134*common_157*common_34*inverse_width*shared_rows*abs(dB_vv_g) + (0.5)*common_134*common_34*error_dtilt_v_g_2*inverse_width*shared_rows*abs(common_143) + (0.5)*common_136*common_6*error_dK_xx_g_2 + (0.5)*common_137*common_6*error_dK_zz_g_2 + (0.5)*common_138*common_6*error_dK_vv_g_2 + common_147*((0.125)*E6*b*common_17*overload + (0.125)*b*common_17*g*overload*abs(E30)) + (0.5)*common_153*common_34*inverse_width*shared_rows*abs(common_142)*abs(dB_vv_g) + (0.5)*common_153*common_34*inverse_width*shared_rows*abs(common_143)*abs(dtilt_v_g) + common_154*abs(dshared_rows_g) + common_155*abs(dS_inverse_g) + common_49*common_6*error_dK_xz_g_2*abs(chihat) + ((0.5)*Vhat1*common_71*error_dtrace_g_2*abs(dqhat2_dq1) + ((0.5)*S_inverse*error_dtrace_g_2 + (0.5)*Vhat1*common_71*error_dtrace_g_2*trace)*abs(dqhat1_dq1))*abs(q1) + ((0.5)*Vhat1*common_71*error_dtrace_g_2*abs(dqhat2_dq2) + ((0.5)*S_inverse*error_dtrace_g_2 + (0.5)*Vhat1*common_71*error_dtrace_g_2*trace)*abs(dqhat2_dq1))*abs(q2) + (E6*b*omega + b*g*omega*abs(E30) + b)*abs(bhat) + (Vhat1*error_dtrace_g_2*g + Vhat1*trace + Vhat2 + lam)*abs(ghat)
    rounding_ghat = (0.5)*S_inverse*common_105*common_91*abs(qhat1_0) + (0.5)*S_inverse*size_qhat1_0_2*abs(dtrace_b) + Vhat1*common_105*common_91*g*abs(ghat) + b*c*common_116*common_134*common_48*common_50*common_53*g*inverse_width*abs(drho_N_vz_b) + c*common_134*common_37*common_48*common_50*common_51*common_53*error_drho_N_vz_b_2*g*inverse_width + c*common_134*common_37*common_50*common_53*error_dtilt_theta_b_2*inverse_width + c*common_153*common_37*common_48*common_50*common_51*common_53*g*inverse_width*abs(drho_N_vz_b) + c*common_153*common_37*common_50*common_53*inverse_width*abs(dtilt_theta_b) + (0.5)*common_10*common_129*common_134*common_34*inverse_width*shared_rows*abs(common_142) + common_131*common_49*common_6*error_dK_vz_b_2 + common_131*common_6*error_dK_vx_b_2*abs(chihat) + (0.5)*common_134*common_156*common_34*inverse_width*shared_rows*abs(dtilt_v_b) + (0.5)*common_134*common_157*common_34*inverse_width*shared_rows*abs(dB_vv_b) + (0.5)*common_134*common_34*error_dtilt_v_b_2*inverse_width*shared_rows*abs(common_143) + (0.5)*common_136*common_6*error_dK_xx_b_2 + (0.5)*common_137*common_6*error_dK_zz_b_2 + (0.5)*common_138*common_6*error_dK_vv_b_2 + common_147*((0.125)*E6*common_17*g*overload + (0.125)*b*common_105*common_17*g*overload) + common_150*error_dS_inverse_b + (0.5)*common_153*common_34*inverse_width*shared_rows*abs(common_142)*abs(dB_vv_b) + (0.5)*common_153*common_34*inverse_width*shared_rows*abs(common_143)*abs(dtilt_v_b) + common_154*abs(dshared_rows_b) + common_155*abs(dS_inverse_b) + common_49*common_6*error_dK_xz_b_2*abs(chihat) + ((0.5)*error_dS_inverse_b*abs(dqhat2_dq1) + ((0.5)*S_inverse*common_105*common_91 + (0.5)*error_dS_inverse_b*trace)*abs(dqhat1_dq1))*abs(q1) + ((0.5)*error_dS_inverse_b*abs(dqhat2_dq2) + ((0.5)*S_inverse*common_105*common_91 + (0.5)*error_dS_inverse_b*trace)*abs(dqhat2_dq1))*abs(q2) + (E6*g*omega + b*common_105*g*omega + g + 1)*abs(bhat)
    error_q1 = rounding_bhat*abs(inverse_q1_bhat) + rounding_ghat*abs(inverse_q1_ghat) + rounding_q1*abs(inverse_q1_q1) + rounding_q2*abs(inverse_q1_q2)
    error_q2 = rounding_bhat*abs(inverse_q2_bhat) + rounding_ghat*abs(inverse_q2_ghat) + rounding_q1*abs(inverse_q2_q1) + rounding_q2*abs(inverse_q2_q2)
    error_bhat = rounding_bhat*abs(inverse_bhat_bhat) + rounding_ghat*abs(inverse_bhat_ghat) + rounding_q1*abs(inverse_bhat_q1) + rounding_q2*abs(inverse_bhat_q2)
    error_ghat = rounding_bhat*abs(inverse_ghat_bhat) + rounding_ghat*abs(inverse_ghat_ghat) + rounding_q1*abs(inverse_ghat_q1) + rounding_q2*abs(inverse_ghat_q2)
    error_qhat1 = size_qhat1_0_2 + abs(dqhat1_dq1)*abs(error_q1) + abs(dqhat1_dq1)*abs(q1) + abs(dqhat2_dq1)*abs(error_q2) + abs(dqhat2_dq1)*abs(q2)
    error_qhat2 = size_qhat2_0_2 + abs(dqhat2_dq1)*abs(error_q1) + abs(dqhat2_dq1)*abs(q1) + abs(dqhat2_dq2)*abs(error_q2) + abs(dqhat2_dq2)*abs(q2)
    return error_q1, error_q2, error_bhat, error_ghat, error_qhat1, error_qhat2


@compiled
def solve_point(alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt, kappa_table, kappa_weights, z_table, z_weights, V1_start, V2_start, b_start, g_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    mu1_mu1, mu2sq, mu1_mu1_mu1_mu1, mu1_mu1_mu2sq, mu2sq_mu2sq, hz_mu1, hslope_mu1, kappa_kappa_mu1_mu1, dmu0_kappa_mu1, dmu0_dmu0, column_3, mu0, kappa_mu1, dmu0, h_kappa_mu1, dmu0_h, h, hzz = kappa_table[0], kappa_table[1], kappa_table[2], kappa_table[3], kappa_table[4], kappa_table[5], kappa_table[6], kappa_table[7], kappa_table[8], kappa_table[9], kappa_table[10], kappa_table[11], kappa_table[12], kappa_table[13], kappa_table[14], kappa_table[15], kappa_table[16], kappa_table[25]
    column, column_2, column_12, column_13, column_14, column_15, column_16 = z_table[0], z_table[1], z_table[2], z_table[3], z_table[4], z_table[5], z_table[6]
    iterations = 0.0
    # Newton's method for V1, V2, b, g
    V1, V2, b, g = V1_start, V2_start, b_start, g_start
    V1_V2_b_g_moved = math.inf
    best, halvings = math.inf, 0
    V1_from, V2_from, b_from, g_from = V1, V2, b, g
    delta0 = delta1 = delta2 = delta3 = 0.0
    weight0 = weight1 = weight2 = weight3 = 1.0
    for step in range(max_steps):
        E1 = E2 = E3 = E4 = E5 = 0.0
        for i in range(kappa_weights.size):
            V = V1*mu1_mu1[i] + V2*mu2sq[i]
            inv = (1.0/(V + 1))
            E1 += kappa_weights[i]*(inv*mu1_mu1[i])    # E_kappa[mu1**2/(V + 1)]
            E2 += kappa_weights[i]*(inv*mu2sq[i])    # E_kappa[mu2sq/(V + 1)]
            E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])    # E_kappa[mu1**4/(V + 1)**2]
            E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
            E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])    # E_kappa[mu2sq**2/(V + 1)**2]
        E6 = E7 = 0.0
        for i in range(z_weights.size):
            inv_2 = (1.0/(b*column[i]*g*omega*overload + 1))
            weight = inv_2
            E6 += z_weights[i]*(column[i]*weight)    # E_z, z_2[weight*y**2]
            E7 += z_weights[i]*(column_2[i]*(inv_2*inv_2))    # E_z, z_2[y**4/(b*g*omega*overload*y**2 + 1)**2]
        S_inverse, V1_map, dV1_map_dV1, dV1_map_dV2, dV1_map_db, dV1_map_dg, dV2_map_dV1, dV2_map_dV2, dV2_map_db, dV2_map_dg, b_equation, db_equation_dV1, db_equation_dV2, db_equation_db, db_equation_dg, g_equation, dg_equation_db, dg_equation_dg = linearize_V1(E1, E2, E3, E4, E5, E6, E7, alpha, b, beta, g, lam, omega, overload)
        iterations += 1.0
        g0 = math.log(V1/V1_map)
        g1 = math.log(V2/S_inverse)
        g2 = b_equation
        g3 = g_equation
        if best < math.inf and V1_V2_b_g_moved > 1e-06 and not max(abs(g0)*weight0, abs(g1)*weight1, abs(g2)*weight2, abs(g3)*weight3) <= best and halvings < 25:
            halvings += 1
            V1, V2, b, g = V1_from, V2_from, b_from, g_from
            delta0, delta1, delta2, delta3 = 0.5*delta0, 0.5*delta1, 0.5*delta2, 0.5*delta3
            delta0 = min(3.0, max(-3.0, delta0))
            V1 = V1*math.exp(-delta0)
            delta1 = min(3.0, max(-3.0, delta1))
            V2 = V2*math.exp(-delta1)
            delta2 = min(3.0, max(-3.0, delta2))
            b = b*math.exp(-delta2)
            delta3 = min(3.0, max(-3.0, delta3))
            g = g*math.exp(-delta3)
            continue
        halvings = 0
        slope_V1_V1, slope_V1_V2, slope_V1_b, slope_V1_g = 1.0 - dV1_map_dV1*V1/V1_map, -dV1_map_dV2*V2/V1_map, -dV1_map_db*b/V1_map, -dV1_map_dg*g/V1_map
        slope_V2_V1, slope_V2_V2, slope_V2_b, slope_V2_g = -dV2_map_dV1*V1/S_inverse, 1.0 - dV2_map_dV2*V2/S_inverse, -dV2_map_db*b/S_inverse, -dV2_map_dg*g/S_inverse
        slope_b_V1, slope_b_V2, slope_b_b, slope_b_g = db_equation_dV1*V1, db_equation_dV2*V2, db_equation_db*b, db_equation_dg*g
        slope_g_b, slope_g_g = dg_equation_db*b, dg_equation_dg*g
        matrix_0_ = np.array(((slope_V1_V1, slope_V1_V2, slope_V1_b, slope_V1_g), (slope_V2_V1, slope_V2_V2, slope_V2_b, slope_V2_g), (slope_b_V1, slope_b_V2, slope_b_b, slope_b_g), (0.0, 0.0, slope_g_b, slope_g_g)))
        factors_0_, order_0_ = factor_linear_n(matrix_0_)
        solution4, missed = solve_factored_n(matrix_0_, factors_0_, order_0_, np.array((g0, g1, g2, g3)))
        delta0, delta1, delta2, delta3 = solution4[0], solution4[1], solution4[2], solution4[3]
        weight0 = 1.0/(abs(slope_V1_V1) + abs(slope_V1_V2) + abs(slope_V1_b) + abs(slope_V1_g) + 1e-300)
        weight1 = 1.0/(abs(slope_V2_V1) + abs(slope_V2_V2) + abs(slope_V2_b) + abs(slope_V2_g) + 1e-300)
        weight2 = 1.0/(abs(slope_b_V1) + abs(slope_b_V2) + abs(slope_b_b) + abs(slope_b_g) + 1e-300)
        weight3 = 1.0/(abs(slope_g_b) + abs(slope_g_g) + 1e-300)
        V1_from, V2_from, b_from, g_from = V1, V2, b, g
        best = max(abs(g0)*weight0, abs(g1)*weight1, abs(g2)*weight2, abs(g3)*weight3)
        if missed > 1e-6:        # singular: away from here
            delta0, delta1, delta2, delta3 = 0.5, 0.5, 0.5, 0.5
        delta0 = min(3.0, max(-3.0, delta0))
        V1 = V1*math.exp(-delta0)
        delta1 = min(3.0, max(-3.0, delta1))
        V2 = V2*math.exp(-delta1)
        delta2 = min(3.0, max(-3.0, delta2))
        b = b*math.exp(-delta2)
        delta3 = min(3.0, max(-3.0, delta3))
        g = g*math.exp(-delta3)
        V1_V2_b_g_moved = max(abs(delta0), abs(delta1), abs(delta2), abs(delta3))
        if not V1_V2_b_g_moved > tolerance:
            V1_V2_b_g_moved = math.inf if math.isnan(V1_V2_b_g_moved) else 0.0
            break
    E1 = E2 = E8 = E9 = E10 = E11 = E12 = E13 = E14 = E15 = E16 = E26 = E27 = 0.0
    E3 = E4 = E5 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column_3[i]*inverse_width + mu0[i]
        common = 2*beta*dmu0_dmu0[i]*inverse_width*square
        E1 += kappa_weights[i]*(inv*mu1_mu1[i])    # E_kappa[mu1**2/(V + 1)]
        E2 += kappa_weights[i]*(inv*mu2sq[i])    # E_kappa[mu2sq/(V + 1)]
        E8 += kappa_weights[i]*(hz_mu1[i]*inv)    # E_kappa[hz*mu1/(V + 1)]
        E9 += kappa_weights[i]*(hslope_mu1[i]*inv)    # E_kappa[hslope*mu1/(V + 1)]
        E10 += kappa_weights[i]*(inv*kappa_kappa_mu1_mu1[i])    # E_kappa[kappa**2*mu1**2/(V + 1)]
        E11 += kappa_weights[i]*(dmu0_kappa_mu1[i]*inv)    # E_kappa[kappa*dmu0*mu1/(V + 1)]
        E12 += kappa_weights[i]*(dmu0_dmu0[i]*inv)    # E_kappa[dmu0**2/(V + 1)]
        E13 += kappa_weights[i]*(inv*kappa_mu1[i]*mean_7)    # E_kappa[kappa*mean*mu1/(V + 1)]
        E14 += kappa_weights[i]*(dmu0[i]*inv*mean_7)    # E_kappa[dmu0*mean/(V + 1)]
        E15 += kappa_weights[i]*(h_kappa_mu1[i]*inv)    # E_kappa[kappa*h*mu1/(V + 1)]
        E16 += kappa_weights[i]*(dmu0_h[i]*inv)    # E_kappa[dmu0*h/(V + 1)]
        E26 += kappa_weights[i]*(inv*(common + (mean_7*mean_7)))    # E_kappa[(common + mean**2)/(V + 1)]
        E27 += kappa_weights[i]*(h[i]*inv*mean_7)    # E_kappa[h*mean/(V + 1)]
        E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])    # E_kappa[mu1**4/(V + 1)**2]
        E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
        E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])    # E_kappa[mu2sq**2/(V + 1)**2]
    E17 = E18 = E6 = E19 = E20 = E21 = E22 = E23 = E24 = E25 = E30 = E31 = E32 = 0.0
    E33 = E34 = E35 = E36 = E37 = E38 = E39 = E40 = E41 = E42 = E43 = E44 = E45 = 0.0
    E46 = E47 = 0.0
    for i in range(z_weights.size):
        inv_2 = (1.0/(b*column[i]*g*omega*overload + 1))
        weight = inv_2
        dweight_g = -b*column[i]*(inv_2*inv_2)*omega*overload
        dweight_b = -column[i]*g*(inv_2*inv_2)*omega*overload
        E17 += z_weights[i]*(column_12[i]*weight)    # E_z, z_2[z*weight*y]
        E18 += z_weights[i]*(column_13[i]*weight)    # E_z, z_2[z**2*weight*y**2]
        E6 += z_weights[i]*(column[i]*weight)    # E_z, z_2[weight*y**2]
        E19 += z_weights[i]*(column_2[i]*weight)    # E_z, z_2[weight*y**4]
        E20 += z_weights[i]*(column_14[i]*weight)    # E_z, z_2[z*weight*y**3]
        E21 += z_weights[i]*(weight)    # E_z, z_2[weight]
        E22 += z_weights[i]*(column[i]*(weight*weight))    # E_z, z_2[weight**2*y**2]
        E23 += z_weights[i]*(column_12[i]*(weight*weight))    # E_z, z_2[z*weight**2*y]
        E24 += z_weights[i]*(column_15[i]*weight)    # E_z, z_2[weight*y**6]
        E25 += z_weights[i]*(column_16[i]*weight)    # E_z, z_2[z*weight*y**5]
        E30 += z_weights[i]*(column[i]*dweight_g)    # E_z, z_2[dweight_g*y**2]
        E31 += z_weights[i]*(column_12[i]*dweight_g)    # E_z, z_2[z*dweight_g*y]
        E32 += z_weights[i]*(column_14[i]*dweight_g)    # E_z, z_2[z*dweight_g*y**3]
        E33 += z_weights[i]*(column_13[i]*dweight_g)    # E_z, z_2[z**2*dweight_g*y**2]
        E34 += z_weights[i]*(column_2[i]*dweight_g)    # E_z, z_2[dweight_g*y**4]
        E35 += z_weights[i]*(column_15[i]*dweight_g)    # E_z, z_2[dweight_g*y**6]
        E36 += z_weights[i]*(dweight_g)    # E_z, z_2[dweight_g]
        E37 += z_weights[i]*(column[i]*dweight_g*weight)    # E_z, z_2[dweight_g*weight*y**2]
        E38 += z_weights[i]*(column_12[i]*dweight_g*weight)    # E_z, z_2[z*dweight_g*weight*y]
        E39 += z_weights[i]*(column[i]*dweight_b)    # E_z, z_2[dweight_b*y**2]
        E40 += z_weights[i]*(column_12[i]*dweight_b)    # E_z, z_2[z*dweight_b*y]
        E41 += z_weights[i]*(column_14[i]*dweight_b)    # E_z, z_2[z*dweight_b*y**3]
        E42 += z_weights[i]*(column_13[i]*dweight_b)    # E_z, z_2[z**2*dweight_b*y**2]
        E43 += z_weights[i]*(column_2[i]*dweight_b)    # E_z, z_2[dweight_b*y**4]
        E44 += z_weights[i]*(column_15[i]*dweight_b)    # E_z, z_2[dweight_b*y**6]
        E45 += z_weights[i]*(dweight_b)    # E_z, z_2[dweight_b]
        E46 += z_weights[i]*(column[i]*dweight_b*weight)    # E_z, z_2[dweight_b*weight*y**2]
        E47 += z_weights[i]*(column_12[i]*dweight_b*weight)    # E_z, z_2[z*dweight_b*weight*y]
    common_6, Vhat1, Vhat2, psihat, psi0hat, dthetahat_dtheta, dchihat_dtheta, dchihat_dchi, dthetahat_dm, dchihat_dm, thetahat_0, chihat_0, common_7, common_8, relative_a, target_y_a, common_9, common_10, trace, common_11, relative_a_slope, common_12, target_y_a_slope, common_13, common_14, common_15, N_vv, S_inverse, common_16, K_vv, common_17, shared_rows, tilt_v, target_L_b, target_e_a, B_vt, K_vx, common_18, common_19, A_theta_theta, A_theta_chi, A_theta_m, left_a_slope, common_23, common_24, rho_N_vz, tilt_theta, common_25, common_26, relative_c, relative_d, common_27, relative_d_slope, common_28, common_29, target_L_d_slope, common_30, target_e_c, common_31, B_tt, common_32, K_xx, A_chi_theta, A_chi_chi, A_chi_m, left_a, A_m_theta, A_m_chi, common_34, A_m_m, b_m, common_35, common_36, common_37, common_38, common_39, common_41, common_42, common_43, common_45, common_46, common_47, common_48, common_49, common_50, common_51, common_53, common_54, common_55, common_56, common_58, common_59, common_61, common_62 = prepare_theta(E1, E10, E11, E12, E13, E14, E15, E16, E17, E18, E19, E2, E20, E21, E22, E23, E24, E25, E26, E27, E6, E8, E9, alpha, b, beta, c, g, gamma, inverse_width, lam, length, norms, omega, overload, row1, row4, t1, t2, tilt)
    common_21 = math.sqrt(overload)
    common_22 = (1.0/math.sqrt(t2))
    N_vz, K_vz, b_theta, common_33, K_xz, b_chi, common_64 = prepare_theta_2(B_vt, E19, E6, K_vv, K_vx, K_xx, S_inverse, b, beta, c, chihat_0, common_10, common_16, common_19, common_21, common_22, common_23, common_26, common_9, g, inverse_width, left_a, length, psihat, row1, row4, t1, target_L_b, target_e_a, thetahat_0, tilt, tilt_v)
    # linear block for theta, chi, m
    matrix_1_ = np.array(((A_theta_theta, A_theta_chi, A_theta_m), (A_chi_theta, A_chi_chi, A_chi_m), (A_m_theta, A_m_chi, A_m_m)))
    factors_1_, order_1_ = factor_linear_n(matrix_1_)
    solution3, theta_chi_m_residual = solve_factored_n(matrix_1_, factors_1_, order_1_, np.array((b_theta, b_chi, b_m)))
    theta, chi, m = solution3[0], solution3[1], solution3[2]
    size_b = Vhat1*beta + g*(Vhat1*trace + Vhat2 + lam)
    size_g = b*common_8 + b*g + 1
    rounding = ROUNDING*size_b + 1e-305*min(1, b)
    rounding_2 = ROUNDING*size_g + 1e-305*min(1, g)
    # linear block for V1_rounding, V2_rounding, b_rounding, g_rounding
    solution4, V1_V2_b_g_rounding_residual = solve_factored_n(matrix_0_, factors_0_, order_0_, np.array((ROUNDING, ROUNDING, rounding, rounding_2)))
    V1_rounding, V2_rounding, b_rounding, g_rounding = solution4[0], solution4[1], solution4[2], solution4[3]
    zero = 0
    one = 1
    # linear blocks for inverse_theta_theta, inverse_chi_theta, inverse_m_theta; inverse_theta_chi, inverse_chi_chi, inverse_m_chi; inverse_theta_m, inverse_chi_m, inverse_m_m
    solution, missed = solve_many_factored_n(matrix_1_, factors_1_, order_1_, np.array(((one, zero, zero), (zero, one, zero), (zero, zero, one))))
    inverse_theta_theta, inverse_chi_theta, inverse_m_theta, inverse_theta_residual = solution[0, 0], solution[1, 0], solution[2, 0], missed[0]
    inverse_theta_chi, inverse_chi_chi, inverse_m_chi, inverse_chi_residual = solution[0, 1], solution[1, 1], solution[2, 1], missed[1]
    inverse_theta_m, inverse_chi_m, inverse_m_m, inverse_m_residual = solution[0, 2], solution[1, 2], solution[2, 2], missed[2]
    A_q2_ghat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, common_71, A_q1_q1, A_q1_q2, A_q1_ghat, A_q2_q1, A_q2_q2, common_72, common_73, dtrace_g, dS_inverse_g, A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat, dtrace_b, dS_inverse_b, A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat = prepare_inverse_q1_q1(E3, E30, E39, E4, E5, E6, S_inverse, Vhat1, Vhat2, alpha, b, beta, common_6, g, lam, omega, trace)
    # linear blocks for inverse_q1_q1, inverse_q2_q1, inverse_bhat_q1, inverse_ghat_q1; inverse_q1_q2, inverse_q2_q2, inverse_bhat_q2, inverse_ghat_q2; inverse_q1_bhat, inverse_q2_bhat, inverse_bhat_bhat, inverse_ghat_bhat; inverse_q1_ghat, inverse_q2_ghat, inverse_bhat_ghat, inverse_ghat_ghat
    matrix_2_ = np.array(((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat)))
    factors_2_, order_2_ = factor_linear_n(matrix_2_)
    solution, missed = solve_many_factored_n(matrix_2_, factors_2_, order_2_, np.array(((one, zero, zero, zero), (zero, one, zero, zero), (zero, zero, one, zero), (zero, zero, zero, one))))
    inverse_q1_q1, inverse_q2_q1, inverse_bhat_q1, inverse_ghat_q1, inverse_q1_residual = solution[0, 0], solution[1, 0], solution[2, 0], solution[3, 0], missed[0]
    inverse_q1_q2, inverse_q2_q2, inverse_bhat_q2, inverse_ghat_q2, inverse_q2_residual = solution[0, 1], solution[1, 1], solution[2, 1], solution[3, 1], missed[1]
    inverse_q1_bhat, inverse_q2_bhat, inverse_bhat_bhat, inverse_ghat_bhat, inverse_bhat_residual = solution[0, 2], solution[1, 2], solution[2, 2], solution[3, 2], missed[2]
    inverse_q1_ghat, inverse_q2_ghat, inverse_bhat_ghat, inverse_ghat_ghat, inverse_ghat_residual = solution[0, 3], solution[1, 3], solution[2, 3], solution[3, 3], missed[3]
    thetahat, chihat, common_68, common_69, K_zz, psi, common_70, psi0 = prepare_E28(K_vz, K_xz, N_vz, S_inverse, beta, c, chi, chihat_0, common_10, common_11, common_16, common_19, common_23, common_25, common_26, common_7, dchihat_dchi, dchihat_dm, dchihat_dtheta, dthetahat_dm, dthetahat_dtheta, g, inverse_width, left_a_slope, length, m, psihat, t1, t2, theta, thetahat_0, tilt, tilt_v)
    E28 = E29 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column_3[i]*inverse_width + mu0[i]
        C = chi*dmu0[i] + kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*dmu0_dmu0[i]*inverse_width*square
        E28 += kappa_weights[i]*((inv*inv)*mu1_mu1[i]*((C*C) - 2*C*h[i] + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(m**2*common + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu1**2/(V + 1)**2]
        E29 += kappa_weights[i]*((inv*inv)*mu2sq[i]*((C*C) - 2*C*h[i] + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(m**2*common + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu2sq/(V + 1)**2]
    dshared_rows_g, common_74, common_75, common_76, drelative_d_slope_g, common_78, common_79, drelative_c_g, common_80, drelative_d_g, common_81, dtarget_L_d_slope_g, drelative_a_g, dtarget_e_a_g, common_83, dtarget_e_c_g, dtarget_L_b_g, common_85, dtarget_y_a_g, dB_vv_g, dB_vt_g, dK_xx_g, dleft_a_slope_g, common_86, drelative_a_slope_g, common_87, dtarget_y_a_slope_g, common_88, dN_zz_g, common_89, dK_vv_g, dleft_a_g, dB_tz_g, dK_vx_g, dtilt_v_g, dtilt_theta_g, drho_N_vz_g, dshared_rows_b, drelative_d_slope_b, drelative_c_b, drelative_d_b, dtarget_L_d_slope_b, drelative_a_b, dtarget_e_a_b, dtarget_e_c_b, dtarget_L_b_b, dtarget_y_a_b, dB_vv_b, dB_vt_b, dK_xx_b, dleft_a_slope_b, drelative_a_slope_b, dtarget_y_a_slope_b, common_90, dN_zz_b, dK_vv_b, dleft_a_b, dB_tz_b, dK_vx_b, dtilt_v_b, dtilt_theta_b, drho_N_vz_b, common_91, common_92, common_93, common_94, common_95, common_97, common_98, common_99, common_102, common_103, common_105, common_106, common_131, common_134, qhat1_0, qhat2_0, common_136, common_137, common_138, common_139, b_q1, b_q2, common_140, common_141, common_142, common_143, common_145, common_146, common_147, common_150 = prepare_q1(B_tt, B_vt, E17, E18, E19, E20, E21, E22, E23, E24, E25, E28, E29, E30, E31, E32, E33, E34, E35, E36, E37, E38, E39, E40, E41, E42, E43, E44, E45, E46, E47, E6, N_vv, N_vz, S_inverse, alpha, b, c, chihat, common_10, common_11, common_12, common_13, common_14, common_16, common_17, common_18, common_19, common_21, common_22, common_24, common_25, common_26, common_27, common_28, common_29, common_30, common_31, common_32, common_33, common_34, common_35, common_36, common_55, common_59, common_6, common_68, common_69, common_7, common_70, common_71, common_72, common_73, common_8, common_9, dS_inverse_b, dS_inverse_g, dtrace_b, dtrace_g, g, gamma, inverse_width, left_a, left_a_slope, length, m, norms, omega, overload, psi0hat, psihat, relative_a, relative_a_slope, relative_c, relative_d, relative_d_slope, rho_N_vz, row1, row4, shared_rows, t1, t2, target_L_b, target_L_d_slope, target_e_a, target_e_c, target_y_a, target_y_a_slope, thetahat, tilt, tilt_v, trace)
    dN_vz_g = -E19*b*common_10*common_22*omega*(overload)**(1.5)*t1*trace - E30*common_10*common_21*common_22*t1*trace - E34*common_10*common_21*common_22*common_87*t1 - common_10*common_13*common_21*common_22*dtrace_g*t1 + common_10*common_21*common_22*dleft_a_slope_g*target_y_a + common_10*common_21*common_22*dtarget_y_a_g*left_a_slope + common_10*common_21*dtarget_y_a_slope_g*math.sqrt(t2)
    dN_vz_b = -E39*common_10*common_21*common_22*t1*trace - E43*common_10*common_21*common_22*common_87*t1 - common_10*common_13*common_21*common_22*dtrace_b*t1 - common_10*common_21*common_22*common_90*t1 + common_10*common_21*common_22*dleft_a_slope_b*target_y_a + common_10*common_21*common_22*dtarget_y_a_b*left_a_slope + common_10*common_21*dtarget_y_a_slope_b*math.sqrt(t2)
    b_bhat, b_ghat = prepare_q1_2(B_vt, N_vz, S_inverse, c, chihat, common_136, common_137, common_138, common_140, common_141, common_142, common_143, common_16, common_18, common_33, common_34, common_6, common_69, common_70, dB_tz_b, dB_tz_g, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dK_vv_b, dK_vv_g, dK_vx_b, dK_vx_g, dK_xx_b, dK_xx_g, dN_vz_b, dN_vz_g, dN_zz_b, dN_zz_g, dS_inverse_b, dS_inverse_g, drho_N_vz_b, drho_N_vz_g, dshared_rows_b, dshared_rows_g, dtilt_theta_b, dtilt_theta_g, dtilt_v_b, dtilt_v_g, dtrace_b, dtrace_g, g, inverse_width, length, psi0hat, psihat, qhat1_0, rho_N_vz, shared_rows, thetahat, tilt, tilt_v)
    # linear block for q1, q2, bhat, ghat
    solution4, q1_q2_bhat_ghat_residual = solve_factored_n(matrix_2_, factors_2_, order_2_, np.array((b_q1, b_q2, b_bhat, b_ghat)))
    q1, q2, bhat, ghat = solution4[0], solution4[1], solution4[2], solution4[3]
    E48 = E49 = 0.0
    for i in range(kappa_weights.size):
        mean_7 = beta*c*column_3[i]*inverse_width + mu0[i]
        C = chi*dmu0[i] + kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*dmu0_dmu0[i]*inverse_width*square
        R = (C*C) - 2*C*h[i] + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        E48 += kappa_weights[i]*(R)    # E_kappa[R]
        E49 += kappa_weights[i]*(R*(inv*inv))    # E_kappa[R/(V + 1)**2]
    V1_check, b_residual, g_residual, common_108, error_N_vz_2, error_rho_N_vz_2, common_112, common_115, common_116, error_theta, error_chi, error_m, error_thetahat, error_chihat, error_dtrace_g_2, error_dB_vt_g_2, common_122, common_123, error_dK_xx_g_2, error_dtarget_y_a_slope_g_2, common_124, error_dN_zz_g_2, common_125, error_dK_vv_g_2, error_dB_tz_g_2, error_dK_vx_g_2, error_dtilt_v_g_2, error_dtilt_theta_g_2, error_drho_N_vz_g_2, error_dS_inverse_b, error_dB_vt_b_2, common_128, common_129, error_dK_xx_b_2, error_dleft_a_slope_b_2, error_dtarget_y_a_slope_b_2, error_dN_zz_b_2, error_dK_vv_b_2, error_dB_tz_b_2, error_dK_vx_b_2, error_dtilt_v_b_2, error_dtilt_theta_b_2, error_drho_N_vz_b_2, error, error_2, qhat1, qhat2, size_qhat1_0_2, size_qhat2_0_2, common_153, rounding_q1, rounding_q2, common_154, common_155, common_156, common_157, test_error, clean_error, train_error, objective, error_3, error_4 = conclude(B_vt, E13, E14, E15, E16, E18, E19, E21, E22, E24, E25, E26, E27, E28, E29, E30, E31, E32, E33, E34, E35, E36, E37, E38, E40, E41, E42, E43, E44, E45, E46, E47, E48, E49, E6, K_vv, K_vx, K_xx, N_vv, N_vz, S_inverse, Vhat1, Vhat2, alpha, b, beta, c, chi, chihat, chihat_0, common_10, common_102, common_103, common_105, common_106, common_11, common_12, common_13, common_131, common_134, common_136, common_137, common_138, common_139, common_14, common_141, common_145, common_146, common_15, common_16, common_17, common_18, common_19, common_21, common_22, common_25, common_26, common_27, common_31, common_34, common_35, common_36, common_37, common_38, common_39, common_41, common_42, common_43, common_45, common_46, common_47, common_48, common_49, common_50, common_51, common_53, common_54, common_55, common_56, common_58, common_59, common_6, common_61, common_62, common_64, common_68, common_7, common_71, common_74, common_75, common_78, common_8, common_80, common_83, common_87, common_88, common_90, common_91, common_92, common_93, common_94, common_95, common_97, common_98, common_99, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dS_inverse_b, dS_inverse_g, dchihat_dchi, dchihat_dm, dchihat_dtheta, dleft_a_b, dleft_a_g, dleft_a_slope_b, dleft_a_slope_g, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, drelative_d_b, drelative_d_g, drelative_d_slope_b, drelative_d_slope_g, dtarget_L_b_b, dtarget_L_b_g, dtarget_L_d_slope_b, dtarget_L_d_slope_g, dtarget_e_a_b, dtarget_e_a_g, dtarget_e_c_b, dtarget_e_c_g, dtarget_y_a_b, dtarget_y_a_g, dtarget_y_a_slope_b, dtarget_y_a_slope_g, dthetahat_dm, dthetahat_dtheta, dtrace_b, dtrace_g, g, gamma, ghat, inverse_chi_chi, inverse_chi_m, inverse_chi_theta, inverse_m_chi, inverse_m_m, inverse_m_theta, inverse_theta_chi, inverse_theta_m, inverse_theta_theta, inverse_width, lam, left_a, left_a_slope, length, m, noise_variance, norms, omega, overload, psi0hat, q1, q2, qhat1_0, qhat2_0, relative_a, relative_d, relative_d_slope, rho_N_vz, row4, shared_rows, size_b, size_g, t2, target_L_b, target_L_d_slope, target_e_a, target_e_c, target_y_a_slope, theta, thetahat, thetahat_0, tilt, tilt_theta, tilt_v, trace)
    V1_residual = abs(math.log(V1_check/V1))
    V2_residual = abs(math.log(S_inverse/V2))
    V1_V2_b_g_error = max(abs(V1_rounding), abs(V2_rounding), abs(b_rounding), abs(g_rounding))
    uncertain = (V1_V2_b_g_error if (V1_V2_b_g_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < V1_V2_b_g_error) else 0)
    theta_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_chi_theta)*abs(inverse_theta_chi) + abs(A_m_theta)*abs(inverse_theta_m) + abs(A_theta_theta)*abs(inverse_theta_theta)))
    chi_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_chi_chi)*abs(inverse_chi_chi) + abs(A_m_chi)*abs(inverse_chi_m) + abs(A_theta_chi)*abs(inverse_chi_theta)))
    m_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_chi_m)*abs(inverse_m_chi) + abs(A_m_m)*abs(inverse_m_m) + abs(A_theta_m)*abs(inverse_m_theta)))
    theta_chi_m_dependent = (1e+290 if ((((A_chi_chi != 0) or (A_chi_m != 0) or (A_chi_theta != 0)) and (inverse_chi_residual > 0.001)) or (((A_m_chi != 0) or (A_m_m != 0) or (A_m_theta != 0)) and (inverse_m_residual > 0.001)) or (((A_theta_chi != 0) or (A_theta_m != 0) or (A_theta_theta != 0)) and (inverse_theta_residual > 0.001)) or ((A_chi_chi == 0) and (A_chi_m == 0) and (A_chi_theta == 0) and ((A_m_chi != 0) or (A_theta_chi != 0) or (dchihat_dchi != 0) or (dchihat_dtheta != 0))) or ((A_m_chi == 0) and (A_m_m == 0) and (A_m_theta == 0) and ((A_chi_m != 0) or (A_theta_m != 0) or (dchihat_dm != 0) or (dthetahat_dm != 0))) or ((A_theta_chi == 0) and (A_theta_m == 0) and (A_theta_theta == 0) and ((A_chi_theta != 0) or (A_m_theta != 0) or (dchihat_dtheta != 0) or (dthetahat_dtheta != 0))) or (chi_singular > 1e+100) or (m_singular > 1e+100) or (theta_singular > 1e+100)) else 0)
    q1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_bhat_q1)*abs(inverse_q1_bhat) + abs(A_ghat_q1)*abs(inverse_q1_ghat) + abs(A_q1_q1)*abs(inverse_q1_q1) + abs(A_q2_q1)*abs(inverse_q1_q2)))
    q2_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_bhat_q2)*abs(inverse_q2_bhat) + abs(A_ghat_q2)*abs(inverse_q2_ghat) + abs(A_q1_q2)*abs(inverse_q2_q1) + abs(A_q2_q2)*abs(inverse_q2_q2)))
    bhat_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_bhat_bhat)*abs(inverse_bhat_bhat) + abs(A_ghat_bhat)*abs(inverse_bhat_ghat)))
    ghat_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_bhat_ghat)*abs(inverse_ghat_bhat) + abs(A_ghat_ghat)*abs(inverse_ghat_ghat) + abs(A_q1_ghat)*abs(inverse_ghat_q1) + abs(A_q2_ghat)*abs(inverse_ghat_q2)))
    q1_q2_bhat_ghat_dependent = (1e+290 if ((((A_bhat_bhat != 0) or (A_bhat_ghat != 0) or (A_bhat_q1 != 0) or (A_bhat_q2 != 0)) and (inverse_bhat_residual > 0.001)) or (((A_ghat_bhat != 0) or (A_ghat_ghat != 0) or (A_ghat_q1 != 0) or (A_ghat_q2 != 0)) and (inverse_ghat_residual > 0.001)) or (((A_q1_ghat != 0) or (A_q1_q1 != 0) or (A_q1_q2 != 0)) and (inverse_q1_residual > 0.001)) or (((A_q2_ghat != 0) or (A_q2_q1 != 0) or (A_q2_q2 != 0)) and (inverse_q2_residual > 0.001)) or ((A_q1_ghat == 0) and (A_q1_q1 == 0) and (A_q1_q2 == 0) and ((A_bhat_q1 != 0) or (A_ghat_q1 != 0) or (A_q2_q1 != 0) or (dqhat1_dq1 != 0) or (dqhat2_dq1 != 0))) or ((A_bhat_bhat == 0) and (A_bhat_ghat == 0) and (A_bhat_q1 == 0) and (A_bhat_q2 == 0) and (A_ghat_bhat != 0)) or ((A_ghat_bhat == 0) and (A_ghat_ghat == 0) and (A_ghat_q1 == 0) and (A_ghat_q2 == 0) and ((A_bhat_ghat != 0) or (A_q1_ghat != 0) or (A_q2_ghat != 0))) or (bhat_singular > 1e+100) or (ghat_singular > 1e+100) or (q1_singular > 1e+100) or (q2_singular > 1e+100)) else 0)
    error_dN_vz_g_2 = E19*b*common_10*common_22*common_42*omega*(overload)**(1.5)*trace + common_10*common_108*common_21*common_22*common_42*abs(dtarget_y_a_g) + common_10*common_122*common_21*common_22*abs(left_a_slope) + common_10*common_124*common_21*common_22*common_43 + common_10*common_13*common_21*common_22*common_42*error_dtrace_g_2 + common_10*common_21*common_22*common_42*common_87*abs(E34) + common_10*common_21*common_22*common_42*trace*abs(E30) + common_10*common_21*error_dtarget_y_a_slope_g_2*math.sqrt(t2)
    error_dN_vz_b_2 = common_10*common_105*common_13*common_21*common_22*common_42*common_91 + common_10*common_105*common_21*common_22*common_42*trace + common_10*common_108*common_21*common_22*common_42*abs(dtarget_y_a_b) + common_10*common_128*common_21*common_22*abs(left_a_slope) + common_10*common_21*common_22*common_42*common_87*abs(E43) + common_10*common_21*common_22*common_42*common_90 + common_10*common_21*common_22*common_43*error_dleft_a_slope_b_2 + common_10*common_21*error_dtarget_y_a_slope_b_2*math.sqrt(t2)
    lost = (1e+289 if (ROUNDING*error > LARGEST_ERROR*max(1, abs(psi))) else 0)
    lost_2 = (1e+289 if (ROUNDING*error_2 > LARGEST_ERROR*max(1, abs(psi0))) else 0)
    upstream = max(ROUNDING, V1_V2_b_g_error)
    equations_residual = max(V1_V2_b_g_moved, V1_V2_b_g_rounding_residual, V1_residual, V2_residual, b_residual, bhat_singular, chi_singular, g_residual, ghat_singular, m_singular, q1_q2_bhat_ghat_dependent, q1_q2_bhat_ghat_residual, q1_singular, q2_singular, theta_chi_m_dependent, theta_chi_m_residual, theta_singular, uncertain)
    lost_3 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(clean_error))) else 0)
    lost_4 = (1e+289 if (ROUNDING*error_4 > LARGEST_ERROR*max(1, abs(objective))) else 0)
    inaccurate_2 = max(inaccurate, lost, lost_2, lost_3, lost_4)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= equations_residual) else 0)
    residual = max(equations_residual, few_digits)
    error_q1, error_q2, error_bhat, error_ghat, error_qhat1, error_qhat2 = conclude_2(E30, E6, N_vz, S_inverse, Vhat1, Vhat2, b, bhat, c, chihat, common_10, common_105, common_112, common_115, common_116, common_123, common_125, common_129, common_131, common_134, common_136, common_137, common_138, common_142, common_143, common_147, common_150, common_153, common_154, common_155, common_156, common_157, common_17, common_18, common_33, common_34, common_37, common_38, common_48, common_49, common_50, common_51, common_53, common_6, common_62, common_64, common_69, common_71, common_91, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dN_vz_b, dN_vz_g, dS_inverse_b, dS_inverse_g, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, drho_N_vz_b, drho_N_vz_g, dshared_rows_b, dshared_rows_g, dtilt_theta_b, dtilt_theta_g, dtilt_v_b, dtilt_v_g, dtrace_b, dtrace_g, error_N_vz_2, error_dB_tz_b_2, error_dB_tz_g_2, error_dB_vt_b_2, error_dB_vt_g_2, error_dK_vv_b_2, error_dK_vv_g_2, error_dK_vx_b_2, error_dK_vx_g_2, error_dK_xx_b_2, error_dK_xx_g_2, error_dN_vz_b_2, error_dN_vz_g_2, error_dN_zz_b_2, error_dN_zz_g_2, error_dS_inverse_b, error_drho_N_vz_b_2, error_drho_N_vz_g_2, error_dtilt_theta_b_2, error_dtilt_theta_g_2, error_dtilt_v_b_2, error_dtilt_v_g_2, error_dtrace_g_2, error_rho_N_vz_2, g, ghat, inverse_bhat_bhat, inverse_bhat_ghat, inverse_bhat_q1, inverse_bhat_q2, inverse_ghat_bhat, inverse_ghat_ghat, inverse_ghat_q1, inverse_ghat_q2, inverse_q1_bhat, inverse_q1_ghat, inverse_q1_q1, inverse_q1_q2, inverse_q2_bhat, inverse_q2_ghat, inverse_q2_q1, inverse_q2_q2, inverse_width, lam, omega, overload, q1, q2, qhat1_0, rho_N_vz, rounding_q1, rounding_q2, shared_rows, size_qhat1_0_2, size_qhat2_0_2, trace)
    limited_2 = (1 if (((error_bhat*upstream > 1e-10*abs(bhat)) and (abs(bhat) > 10*ROUNDING*error_bhat)) or ((error_chi*upstream > 1e-10*abs(chi)) and (abs(chi) > 10*ROUNDING*error_chi)) or ((error_chihat*upstream > 1e-10*abs(chihat)) and (abs(chihat) > 10*ROUNDING*error_chihat)) or ((error_3*upstream > 1e-10*abs(clean_error)) and (abs(clean_error) > 10*ROUNDING*error_3)) or ((error_ghat*upstream > 1e-10*abs(ghat)) and (abs(ghat) > 10*ROUNDING*error_ghat)) or ((error_m*upstream > 1e-10*abs(m)) and (abs(m) > 10*ROUNDING*error_m)) or ((error_4*upstream > 1e-10*abs(objective)) and (abs(objective) > 10*ROUNDING*error_4)) or ((error*upstream > 1e-10*abs(psi)) and (abs(psi) > 10*ROUNDING*error)) or ((error_2*upstream > 1e-10*abs(psi0)) and (abs(psi0) > 10*ROUNDING*error_2)) or ((error_q1*upstream > 1e-10*abs(q1)) and (abs(q1) > 10*ROUNDING*error_q1)) or ((error_q2*upstream > 1e-10*abs(q2)) and (abs(q2) > 10*ROUNDING*error_q2)) or ((error_qhat1*upstream > 1e-10*abs(qhat1)) and (abs(qhat1) > 10*ROUNDING*error_qhat1)) or ((error_qhat2*upstream > 1e-10*abs(qhat2)) and (abs(qhat2) > 10*ROUNDING*error_qhat2)) or ((error_theta*upstream > 1e-10*abs(theta)) and (abs(theta) > 10*ROUNDING*error_theta)) or ((error_thetahat*upstream > 1e-10*abs(thetahat)) and (abs(thetahat) > 10*ROUNDING*error_thetahat)) or (upstream > 1e-10)) else 0)
    return (V1 + 0.0, V2 + 0.0, b + 0.0, g + 0.0, q1 + 0.0, q2 + 0.0, theta + 0.0, psi + 0.0, psi0 + 0.0, chi + 0.0, m + 0.0, Vhat1 + 0.0, Vhat2 + 0.0, qhat1 + 0.0, qhat2 + 0.0, thetahat + 0.0, psihat + 0.0, psi0hat + 0.0, chihat + 0.0, bhat + 0.0, ghat + 0.0, test_error + 0.0, clean_error + 0.0, train_error + 0.0, objective + 0.0, residual + 0.0, iterations + 0.5*limited_2 + 0.0)


@compiled
def solve_rows(alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt, kappa_table, kappa_weights, z_table, z_weights, V1_start, V2_start, b_start, g_start, out, tolerance, max_steps, accept):
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
                b_guess = b_start[row, j]
                g_guess = g_start[row, j]
                if known >= 1 and attempt == 0:
                    plain = 0
                    V1_guess = math.exp(limited(past[0], known))
                    V2_guess = math.exp(limited(past[1], known))
                    b_guess = math.exp(limited(past[2], known))
                    g_guess = math.exp(limited(past[3], known))
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], inverse_width[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], deviation[row, j], overload[row, j], omega[row, j], t1[row, j], t2[row, j], length[row, j], row1[row, j], row4[row, j], norms[row, j], square[row, j], tilt[row, j], kappa_table, kappa_weights, z_table, z_weights, V1_guess, V2_guess, b_guess, g_guess, plain, tolerance, max_steps)
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


def solve_batch(alpha, beta, lam, noise_variance, inverse_width, r, c, gamma, rho, deviation, overload, omega, t1, t2, length, row1, row4, norms, square, tilt, kappa_table, kappa_weights, z_table, z_weights, V1_start, V2_start, b_start, g_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    dmu0_dmu0, column_3, mu0, h, hzz = kappa_table[9], kappa_table[10], kappa_table[11], kappa_table[16], kappa_table[25]
    column, column_2, column_12, column_13, column_14, column_15, column_16, column_17 = z_table[0], z_table[1], z_table[2], z_table[3], z_table[4], z_table[5], z_table[6], z_table[7]
    columns_1 = kappa_table[[0, 1]]
    weighted_1 = kappa_table[[0, 1]]*kappa_weights
    weighted_2 = kappa_table[[2, 3, 4]]*kappa_weights
    weighted_3 = column*z_weights
    weighted_4 = column_2*z_weights
    weighted_5 = kappa_table[[0, 1, 5, 6, 7, 8, 9, 14, 15]]*kappa_weights
    weighted_6 = kappa_table[[12, 13, 16]]*kappa_weights
    weighted_7 = kappa_table[[17, 18, 20, 23, 24]]*kappa_weights
    weighted_8 = kappa_table[[19, 21, 22]]*kappa_weights
    weighted_9 = stack_rows(column_12*z_weights, column_13*z_weights, column*z_weights, column_2*z_weights, column_14*z_weights, z_weights, column_15*z_weights, column_16*z_weights)
    weighted_10 = z_table[[0, 2]]*z_weights
    weighted_11 = stack_rows(column*z_weights, column_12*z_weights, column_14*z_weights, column_13*z_weights, column_2*z_weights, column_15*z_weights, z_weights)
    weighted_12 = z_table[[7, 8, 9]]*z_weights
    weighted_13 = column_17*z_weights
    weighted_14 = z_table[[7, 8]]*z_weights
    columns_2 = kappa_table[[13, 12]]
    columns_3 = kappa_table[[6, 5]]
    columns_4 = kappa_table[[6, 5, 0, 1]]
    blocks, iterations = [], np.zeros(alpha.shape)
    def step_V1_V2_b_g(columns_1, weighted_1, weighted_2, weighted_3, weighted_4, column, alpha, beta, lam, omega, overload, V1, V2, b, g):
        """Maps, residuals and matrix of Newton's method for the points that still move."""
        V = np.array((V1, V2)).T @ columns_1
        inv = (1.0/(V + 1))
        E1, E2 = weighted_1 @ (inv).T
        E3, E4, E5 = weighted_2 @ ((inv*inv)).T
        inv_2 = (1.0/(b[..., None]*column*g[..., None]*omega[..., None]*overload[..., None] + 1))
        weight = inv_2
        E6 = (weight) @ weighted_3
        E7 = ((inv_2*inv_2)) @ weighted_4
        S_inverse, V1_map, dV1_map_dV1, dV1_map_dV2, dV1_map_db, dV1_map_dg, dV2_map_dV1, dV2_map_dV2, dV2_map_db, dV2_map_dg, b_equation, db_equation_dV1, db_equation_dV2, db_equation_db, db_equation_dg, g_equation, dg_equation_db, dg_equation_dg = linearize_V1(E1, E2, E3, E4, E5, E6, E7, alpha, b, beta, g, lam, omega, overload)
        return None, (np.log(V1/V1_map), np.log(V2/S_inverse), b_equation, g_equation,), ((1.0 - dV1_map_dV1*V1/V1_map, -dV1_map_dV2*V2/V1_map, -dV1_map_db*b/V1_map, -dV1_map_dg*g/V1_map,), (-dV2_map_dV1*V1/S_inverse, 1.0 - dV2_map_dV2*V2/S_inverse, -dV2_map_db*b/S_inverse, -dV2_map_dg*g/S_inverse,), (db_equation_dV1*V1, db_equation_dV2*V2, db_equation_db*b, db_equation_dg*g,), (0.0, 0.0, dg_equation_db*b, dg_equation_dg*g,),)
    (V1, V2, b, g,), steps, J, V1_V2_b_g_moved = newton_batch(step_V1_V2_b_g, (alpha, beta, lam, omega, overload,), (V1_start, V2_start, b_start, g_start,), (True, True, True, True), plain, tolerance, max_steps, tables=(columns_1, weighted_1, weighted_2, weighted_3, weighted_4, column,))
    iterations = iterations + steps
    ((slope_V1_V1, slope_V1_V2, slope_V1_b, slope_V1_g,), (slope_V2_V1, slope_V2_V2, slope_V2_b, slope_V2_g,), (slope_b_V1, slope_b_V2, slope_b_b, slope_b_g,), (_, _, slope_g_b, slope_g_g,),) = np.moveaxis(J, 0, -1)
    if diagnose:
        blocks.append(("newton", ("V1", "V2", "b", "g",), J))
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column_3*inverse_width[..., None] + mu0
    common = 2*beta[..., None]*dmu0_dmu0*inverse_width[..., None]*square[..., None]
    E1, E2, E8, E9, E10, E11, E12, E15, E16 = weighted_5 @ (inv).T
    E13, E14, E27 = weighted_6 @ (inv*mean_7).T
    E26 = (inv*(common + (mean_7*mean_7))) @ kappa_weights
    E3, E4, E5 = weighted_2 @ ((inv*inv)).T
    if diagnose:
        value_5 = np.abs(mean_7)
        E50, E51, E57, E68, E69 = weighted_7 @ (inv).T
        E56, E58, E59 = weighted_8 @ (value_5*inv).T
    inv_2 = (1.0/(b[..., None]*column*g[..., None]*omega[..., None]*overload[..., None] + 1))
    weight = inv_2
    dweight_g = -b[..., None]*column*(inv_2*inv_2)*omega[..., None]*overload[..., None]
    dweight_b = -column*g[..., None]*(inv_2*inv_2)*omega[..., None]*overload[..., None]
    E17, E18, E6, E19, E20, E21, E24, E25 = weighted_9 @ (weight).T
    E22, E23 = weighted_10 @ ((weight*weight)).T
    E30, E31, E32, E33, E34, E35, E36 = weighted_11 @ (dweight_g).T
    E37, E38 = weighted_10 @ (dweight_g*weight).T
    E39, E40, E41, E42, E43, E44, E45 = weighted_11 @ (dweight_b).T
    E46, E47 = weighted_10 @ (dweight_b*weight).T
    if diagnose:
        E52, E53, E55 = weighted_12 @ (weight).T
        E54 = ((weight*weight)) @ weighted_13
        E62, E63 = weighted_14 @ (dweight_g).T
        E64 = (dweight_g*weight) @ weighted_13
        E65, E66 = weighted_14 @ (dweight_b).T
        E67 = (dweight_b*weight) @ weighted_13
    common_6, Vhat1, Vhat2, psihat, psi0hat, dthetahat_dtheta, dchihat_dtheta, dchihat_dchi, dthetahat_dm, dchihat_dm, thetahat_0, chihat_0, common_7, common_8, relative_a, target_y_a, common_9, common_10, trace, common_11, relative_a_slope, common_12, target_y_a_slope, common_13, common_14, common_15, N_vv, S_inverse, common_16, K_vv, common_17, shared_rows, tilt_v, target_L_b, target_e_a, B_vt, K_vx, common_18, common_19, A_theta_theta, A_theta_chi, A_theta_m, left_a_slope, common_23, common_24, rho_N_vz, tilt_theta, common_25, common_26, relative_c, relative_d, common_27, relative_d_slope, common_28, common_29, target_L_d_slope, common_30, target_e_c, common_31, B_tt, common_32, K_xx, A_chi_theta, A_chi_chi, A_chi_m, left_a, A_m_theta, A_m_chi, common_34, A_m_m, b_m, common_35, common_36, common_37, common_38, common_39, common_41, common_42, common_43, common_45, common_46, common_47, common_48, common_49, common_50, common_51, common_53, common_54, common_55, common_56, common_58, common_59, common_61, common_62 = prepare_theta(E1, E10, E11, E12, E13, E14, E15, E16, E17, E18, E19, E2, E20, E21, E22, E23, E24, E25, E26, E27, E6, E8, E9, alpha, b, beta, c, g, gamma, inverse_width, lam, length, norms, omega, overload, row1, row4, t1, t2, tilt)
    common_21 = np.sqrt(overload)
    common_22 = (1.0/np.sqrt(t2))
    if diagnose:
        size_thetahat_0 = E50*alpha
        size_chihat_0 = E51*alpha
        error_target_L_b = E52*b*common_35*relative_a
        error_target_e_a = E53*b*common_36*relative_a
        error_B_vt = common_38*(E19*b*common_36*overload + E52*np.abs(target_L_b) + E52*np.abs(target_e_a) + E6*b*common_35*overload + common_39*error_target_L_b + common_39*error_target_e_a)
        common_40 = E52 + E53*b*g*omega*overload
        error_target_y_a_slope = b*(E52*np.abs(relative_a_slope) + E53*b*omega*overload + common_41) + common_40*trace
        error_left_a_slope = common_42*(E53*g*omega*trace + E53*omega)
        error_target_y_a = E52*b*relative_a
        common_44 = common_42*(E19*common_14*omega*overload + common_13*trace) + common_43*error_left_a_slope + error_target_y_a*np.abs(left_a_slope) + error_target_y_a_slope*t2
        error_N_vz = common_10*common_21*common_22*common_44
        error_B_ss_slope = E53*b*common_43*omega*overload + b*common_45*error_target_y_a*omega*overload + common_15 + common_40*np.abs(target_y_a_slope) + error_target_y_a_slope*np.abs(common_12)
        error_tilt_v = b*common_38*(E21 + 2*g*omega*(E22*b*overload + E52*common_46*common_7 + E54*common_39*common_7))
        error_rho_N_vz = common_37*common_44*common_47*overload
        error_tilt_theta = 2*E54*b*common_7*g*omega
        common_52 = common_48*common_51*error_rho_N_vz*g + common_48*error_tilt_v*g*np.abs(rho_N_vz) + error_tilt_theta + error_tilt_v*np.abs(gamma)
        size_theta_0 = S_inverse*common_10*common_48*error_B_ss_slope*np.abs(thetahat_0) + S_inverse*common_48*common_49*error_N_vz + S_inverse*common_48*error_B_vt*np.abs(chihat_0) + beta*c*common_37*common_48*common_50*common_51*inverse_width*(S_inverse*c*common_19*common_37*common_48*common_50*common_51*size_thetahat_0 + S_inverse*c*common_19*common_37*common_48*common_50*error_tilt_v*np.abs(thetahat_0) + S_inverse*c*common_19*common_37*common_50*common_52*common_53) + beta*c*common_37*common_48*common_50*error_tilt_v*inverse_width*np.abs(S_inverse*c*common_16*common_19*length*thetahat_0*tilt*tilt_v + common_26) + size_chihat_0*np.abs(K_vx) + size_thetahat_0*np.abs(K_vv)
        common_57 = E52*common_35 + E53*b*common_35*g*omega*overload
        error_target_L_d_slope = b*common_56*common_59*common_8 + b*common_57*common_8*np.abs(relative_d_slope) + b*(E52*common_35*np.abs(relative_c) + E53*b*common_35*g*omega*overload*relative_d + common_35*common_39*common_54) + common_55*common_56 + common_57*np.abs(common_58)
        common_60 = E53*common_36 + E55*b*common_36*g*omega*overload
        error_target_e_c = b*common_60*relative_d + b*(E53*common_36*np.abs(relative_c) + E55*b*common_36*g*omega*overload*relative_d + common_36*common_45*common_54)
        error_B_tt = E24*b*overload*(row4*row4) + E53*b*common_35*g*omega*overload*np.abs(target_L_b) + 2*E53*b*common_35*g*omega*overload*np.abs(target_e_a) + E53*common_36*np.abs(target_e_a) + b*common_35*common_45*error_target_L_b*g*omega*overload + 2*b*common_35*common_45*error_target_e_a*g*omega*overload + common_36*common_45*error_target_e_a + common_56*error_target_L_d_slope + 2*common_56*error_target_e_c + common_57*np.abs(target_L_d_slope) + 2*common_57*np.abs(target_e_c) + common_61 + overload*(E19*common_14*common_17*g*omega*overload + common_31*common_55)
        error_left_a = E53*b*common_42*g*omega + t2
        error_B_tz = common_21*common_22*common_38*(E19*b*common_36*common_42 + E6*b*common_35*common_42 + error_left_a*np.abs(target_L_b) + error_left_a*np.abs(target_e_a) + error_target_L_b*np.abs(left_a) + error_target_e_a*np.abs(left_a))
        common_63 = g*(2*common_48*common_62*error_B_vt + error_B_tt) + norms
        size_m_0 = E56*alpha*common_6 + (0.5)*common_34*inverse_width*shared_rows*(2*S_inverse*c*common_19*common_37*common_48*common_50*common_51*size_thetahat_0 + 2*S_inverse*c*common_19*common_37*common_48*common_50*error_tilt_v*np.abs(thetahat_0) + 2*S_inverse*c*common_19*common_37*common_50*common_52*common_53)
        size_dchihat_dtheta = E57*alpha
        common_66 = 2*S_inverse*beta*(c*c)*common_18*common_19*common_51*error_tilt_v*inverse_width*(length*length)*(tilt*tilt) + S_inverse*common_10*common_48*error_B_ss_slope
        size_theta_theta = S_inverse*common_48*error_B_vt*np.abs(dchihat_dtheta) + common_66*np.abs(dthetahat_dtheta) + size_dchihat_dtheta*np.abs(K_vx) + 1
        common_67 = np.abs(K_vv - S_inverse*beta*(c*c)*common_18*common_19*inverse_width*(length*length)*(tilt*tilt)*(tilt_v*tilt_v))
        size_theta_chi = S_inverse*common_48*error_B_vt*np.abs(dchihat_dchi) + common_66*np.abs(dchihat_dtheta) + common_67*size_dchihat_dtheta
        size_dthetahat_dm = E58*alpha
        size_dchihat_dm = E59*alpha
        size_theta_m = S_inverse*common_48*error_B_vt*np.abs(dchihat_dm) + beta*c*common_37*common_48*common_50*error_tilt_v*inverse_width + common_66*np.abs(dthetahat_dm) + common_67*size_dthetahat_dm + size_dchihat_dm*np.abs(K_vx)
        size_chi_theta = S_inverse*common_48*error_B_vt*np.abs(dthetahat_dtheta) + S_inverse*common_63*np.abs(dchihat_dtheta) + size_dchihat_dtheta*np.abs(K_xx)
        size_chi_chi = S_inverse*common_48*error_B_vt*np.abs(dchihat_dtheta) + S_inverse*common_63*np.abs(dchihat_dchi) + size_dchihat_dtheta*np.abs(K_vx) + 1
        size_chi_m = S_inverse*common_48*error_B_vt*np.abs(dthetahat_dm) + S_inverse*common_63*np.abs(dchihat_dm) + size_dchihat_dm*np.abs(K_xx) + size_dthetahat_dm*np.abs(K_vx)
        size_m_theta = E58*alpha*common_6 + c*common_37*common_48*common_50*error_tilt_v*inverse_width*np.abs(dthetahat_dtheta)
        size_m_chi = E59*alpha*common_6 + c*common_37*common_48*common_50*common_51*inverse_width*size_dchihat_dtheta + c*common_37*common_48*common_50*error_tilt_v*inverse_width*np.abs(dchihat_dtheta)
        size_m_m = E26*alpha*common_6 + c*common_37*common_48*common_50*common_51*inverse_width*size_dthetahat_dm + c*common_37*common_48*common_50*error_tilt_v*inverse_width*np.abs(dthetahat_dm) + common_34*inverse_width*shared_rows
    N_vz, K_vz, b_theta, common_33, K_xz, b_chi, common_64 = prepare_theta_2(B_vt, E19, E6, K_vv, K_vx, K_xx, S_inverse, b, beta, c, chihat_0, common_10, common_16, common_19, common_21, common_22, common_23, common_26, common_9, g, inverse_width, left_a, length, psihat, row1, row4, t1, target_L_b, target_e_a, thetahat_0, tilt, tilt_v)
    if diagnose:
        common_65 = common_48*common_62*error_N_vz*g + common_48*common_64*error_B_vt*g + error_B_tz
        size_chi_0 = S_inverse*common_48*error_B_vt*np.abs(thetahat_0) + S_inverse*common_49*common_65 + S_inverse*common_63*np.abs(chihat_0) + size_chihat_0*np.abs(K_xx) + size_thetahat_0*np.abs(K_vx)
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_chi, A_theta_m,), (A_chi_theta, A_chi_chi, A_chi_m,), (A_m_theta, A_m_chi, A_m_m,),))
    solution, theta_chi_m_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_theta, b_chi, b_m,)))
    theta, chi, m = solution.T
    if diagnose:
        blocks.append(("linear", ("theta", "chi", "m",), A, stack_vector(iterations.shape, (size_theta_0, size_chi_0, size_m_0,)), (("thetahat", size_thetahat_0, (dthetahat_dtheta, dchihat_dtheta, dthetahat_dm, )), ("chihat", size_chihat_0, (dchihat_dtheta, dchihat_dchi, dchihat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_chi, size_theta_m,), (size_chi_theta, size_chi_chi, size_chi_m,), (size_m_theta, size_m_chi, size_m_m,),))))
    size_b = Vhat1*beta + g*(Vhat1*trace + Vhat2 + lam)
    size_g = b*common_8 + b*g + 1
    rounding = ROUNDING*size_b + 1e-305*np.minimum(1, b)
    rounding_2 = ROUNDING*size_g + 1e-305*np.minimum(1, g)
    A = stack_matrix(iterations.shape, ((slope_V1_V1, slope_V1_V2, slope_V1_b, slope_V1_g,), (slope_V2_V1, slope_V2_V2, slope_V2_b, slope_V2_g,), (slope_b_V1, slope_b_V2, slope_b_b, slope_b_g,), (0.0, 0.0, slope_g_b, slope_g_g,),))
    solution, V1_V2_b_g_rounding_residual = solve_linear_batch(A, stack_vector(iterations.shape, (ROUNDING, ROUNDING, rounding, rounding_2,)))
    V1_rounding, V2_rounding, b_rounding, g_rounding = solution.T
    zero = 0
    one = 1
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_chi, A_theta_m,), (A_chi_theta, A_chi_chi, A_chi_m,), (A_m_theta, A_m_chi, A_m_m,),))
    solution, inverse_theta_residual = solve_linear_batch(A, stack_vector(iterations.shape, (one, zero, zero,)))
    inverse_theta_theta, inverse_chi_theta, inverse_m_theta = solution.T
    solution, inverse_chi_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, one, zero,)))
    inverse_theta_chi, inverse_chi_chi, inverse_m_chi = solution.T
    solution, inverse_m_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, zero, one,)))
    inverse_theta_m, inverse_chi_m, inverse_m_m = solution.T
    A_q2_ghat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, common_71, A_q1_q1, A_q1_q2, A_q1_ghat, A_q2_q1, A_q2_q2, common_72, common_73, dtrace_g, dS_inverse_g, A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat, dtrace_b, dS_inverse_b, A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat = prepare_inverse_q1_q1(E3, E30, E39, E4, E5, E6, S_inverse, Vhat1, Vhat2, alpha, b, beta, common_6, g, lam, omega, trace)
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2, 0.0, A_q1_ghat,), (A_q2_q1, A_q2_q2, 0.0, A_q2_ghat,), (A_bhat_q1, A_bhat_q2, A_bhat_bhat, A_bhat_ghat,), (A_ghat_q1, A_ghat_q2, A_ghat_bhat, A_ghat_ghat,),))
    solution, inverse_q1_residual = solve_linear_batch(A, stack_vector(iterations.shape, (one, zero, zero, zero,)))
    inverse_q1_q1, inverse_q2_q1, inverse_bhat_q1, inverse_ghat_q1 = solution.T
    solution, inverse_q2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, one, zero, zero,)))
    inverse_q1_q2, inverse_q2_q2, inverse_bhat_q2, inverse_ghat_q2 = solution.T
    solution, inverse_bhat_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, zero, one, zero,)))
    inverse_q1_bhat, inverse_q2_bhat, inverse_bhat_bhat, inverse_ghat_bhat = solution.T
    solution, inverse_ghat_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, zero, zero, one,)))
    inverse_q1_ghat, inverse_q2_ghat, inverse_bhat_ghat, inverse_ghat_ghat = solution.T
    thetahat, chihat, common_68, common_69, K_zz, psi, common_70, psi0 = prepare_E28(K_vz, K_xz, N_vz, S_inverse, beta, c, chi, chihat_0, common_10, common_11, common_16, common_19, common_23, common_25, common_26, common_7, dchihat_dchi, dchihat_dm, dchihat_dtheta, dthetahat_dm, dthetahat_dtheta, g, inverse_width, left_a_slope, length, m, psihat, t1, t2, theta, thetahat_0, tilt, tilt_v)
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column_3*inverse_width[..., None] + mu0
    C = np.array((chi, theta)).T @ columns_2 + m[..., None]*mean_7
    common = 2*beta[..., None]*dmu0_dmu0*inverse_width[..., None]*square[..., None]
    E28, E29 = weighted_1 @ ((inv*inv)*(np.array((-2*psi0, -2*psi)).T @ columns_3 + (C*C) - 2*C*h + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None])).T
    if diagnose:
        value_6 = np.abs(np.array((-2*psi0, -2*psi)).T @ columns_3 + (C*C) - 2*C*h + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None])
        E60, E61 = weighted_1 @ (value_6*(inv*inv)).T
    dshared_rows_g, common_74, common_75, common_76, drelative_d_slope_g, common_78, common_79, drelative_c_g, common_80, drelative_d_g, common_81, dtarget_L_d_slope_g, drelative_a_g, dtarget_e_a_g, common_83, dtarget_e_c_g, dtarget_L_b_g, common_85, dtarget_y_a_g, dB_vv_g, dB_vt_g, dK_xx_g, dleft_a_slope_g, common_86, drelative_a_slope_g, common_87, dtarget_y_a_slope_g, common_88, dN_zz_g, common_89, dK_vv_g, dleft_a_g, dB_tz_g, dK_vx_g, dtilt_v_g, dtilt_theta_g, drho_N_vz_g, dshared_rows_b, drelative_d_slope_b, drelative_c_b, drelative_d_b, dtarget_L_d_slope_b, drelative_a_b, dtarget_e_a_b, dtarget_e_c_b, dtarget_L_b_b, dtarget_y_a_b, dB_vv_b, dB_vt_b, dK_xx_b, dleft_a_slope_b, drelative_a_slope_b, dtarget_y_a_slope_b, common_90, dN_zz_b, dK_vv_b, dleft_a_b, dB_tz_b, dK_vx_b, dtilt_v_b, dtilt_theta_b, drho_N_vz_b, common_91, common_92, common_93, common_94, common_95, common_97, common_98, common_99, common_102, common_103, common_105, common_106, common_131, common_134, qhat1_0, qhat2_0, common_136, common_137, common_138, common_139, b_q1, b_q2, common_140, common_141, common_142, common_143, common_145, common_146, common_147, common_150 = prepare_q1(B_tt, B_vt, E17, E18, E19, E20, E21, E22, E23, E24, E25, E28, E29, E30, E31, E32, E33, E34, E35, E36, E37, E38, E39, E40, E41, E42, E43, E44, E45, E46, E47, E6, N_vv, N_vz, S_inverse, alpha, b, c, chihat, common_10, common_11, common_12, common_13, common_14, common_16, common_17, common_18, common_19, common_21, common_22, common_24, common_25, common_26, common_27, common_28, common_29, common_30, common_31, common_32, common_33, common_34, common_35, common_36, common_55, common_59, common_6, common_68, common_69, common_7, common_70, common_71, common_72, common_73, common_8, common_9, dS_inverse_b, dS_inverse_g, dtrace_b, dtrace_g, g, gamma, inverse_width, left_a, left_a_slope, length, m, norms, omega, overload, psi0hat, psihat, relative_a, relative_a_slope, relative_c, relative_d, relative_d_slope, rho_N_vz, row1, row4, shared_rows, t1, t2, target_L_b, target_L_d_slope, target_e_a, target_e_c, target_y_a, target_y_a_slope, thetahat, tilt, tilt_v, trace)
    if diagnose:
        size_q2_ghat = 2*g
    dN_vz_g = -E19*b*common_10*common_22*omega*(overload)**(1.5)*t1*trace - E30*common_10*common_21*common_22*t1*trace - E34*common_10*common_21*common_22*common_87*t1 - common_10*common_13*common_21*common_22*dtrace_g*t1 + common_10*common_21*common_22*dleft_a_slope_g*target_y_a + common_10*common_21*common_22*dtarget_y_a_g*left_a_slope + common_10*common_21*dtarget_y_a_slope_g*np.sqrt(t2)
    dN_vz_b = -E39*common_10*common_21*common_22*t1*trace - E43*common_10*common_21*common_22*common_87*t1 - common_10*common_13*common_21*common_22*dtrace_b*t1 - common_10*common_21*common_22*common_90*t1 + common_10*common_21*common_22*dleft_a_slope_b*target_y_a + common_10*common_21*common_22*dtarget_y_a_b*left_a_slope + common_10*common_21*dtarget_y_a_slope_b*np.sqrt(t2)
    if diagnose:
        error_N_zz = common_68*(common_10*common_42*common_44 + common_11*common_7*t2 + common_7*error_left_a_slope)
        error_dshared_rows_g = -0.125*E30*b*common_17*g*overload + (0.125)*E6*b*common_17*overload
        error_dtrace_g = -E30*np.abs(-common_72 + common_73) + common_91*np.abs(E30) + common_92
        error_drelative_a_g = -E30*common_7*g*omega - E33*common_93 + E6*common_7*omega + common_7 + common_74*common_8*np.abs(common_11) + common_74*g*np.abs(common_11)
        error_dtarget_y_a_g = E52*b*np.abs(drelative_a_g) - E62*b*relative_a + b*common_39*error_drelative_a_g
        error_dB_ss_g = -E30*b*overload + E52*np.abs(dtarget_y_a_g) - E62*common_43 + common_39*error_dtarget_y_a_g + error_target_y_a*np.abs(E31)
        error_drelative_d_slope_g = E18*common_74*omega*np.abs(common_11) - E33*np.abs(common_76) + common_11*common_74*np.abs(common_11) + common_74*np.abs(common_11) + (E18*common_74*common_75*g + common_11*common_74*g*omega + common_74*g*omega)*np.abs(E33)
        error_drelative_c_g = -E30*common_7*g*omega - E33*np.abs(common_79) + E6*common_7*omega + common_27 + common_74*common_8*np.abs(common_11) + common_94 + (common_7*g*omega + common_74*common_8*g*omega + common_78)*np.abs(E33)
        error_drelative_d_g = -E33*np.abs(-common_7*g*omega + common_74*common_80*omega + common_78) + common_27 + common_7 + common_74*g*np.abs(common_11) + common_94 + (common_7*g*omega + common_74*common_80*omega + common_78)*np.abs(E33)
        common_96 = np.abs(b*common_58*g*omega*overload*row1 - common_14*common_8*g*omega*overload*relative_d_slope*row1 + common_14*g*omega*overload*relative_d*row1)
        error_dtarget_L_d_slope_g = -E30*np.abs(common_81) + E52*b*common_35*np.abs(drelative_c_g) + E53*b*common_35*omega*overload*np.abs(common_58) + E53*common_14*common_35*common_8*omega*overload*np.abs(relative_d_slope) + E53*common_14*common_35*g*omega*overload*np.abs(drelative_d_g) + E53*common_14*common_35*omega*overload*relative_d + E6*b*common_56*common_59*omega + E6*b*common_57*omega*np.abs(relative_d_slope) - E62*np.abs(-b*common_8*relative_d_slope*row1 + b*relative_c*row1 + common_58*row1) - E63*common_96 + b*common_35*common_39*error_drelative_c_g + b*common_35*common_45*common_55*omega*overload + b*common_56*common_8*error_drelative_d_slope_g + b*common_57*common_8*np.abs(drelative_d_slope_g) + common_14*common_35*common_45*common_59*common_8*omega*overload + common_14*common_35*common_45*error_drelative_d_g*g*omega*overload + common_56*error_dtrace_g + common_57*np.abs(dtrace_g) + common_95*np.abs(E32) + (b*common_35*common_54 + b*common_35*common_59*common_8 + common_35*common_55)*np.abs(E31) + (b*common_56*common_59*g*omega + b*common_57*g*omega*np.abs(relative_d_slope) + b*common_57*omega)*np.abs(E30)
        error_dtarget_e_a_g = E53*b*common_36*np.abs(drelative_a_g) - E63*b*common_36*relative_a + b*common_36*common_45*error_drelative_a_g
        error_dtarget_e_c_g = E53*b*common_36*np.abs(drelative_c_g) - E63*np.abs(b*relative_c*row4 - b*relative_d*row4) + b*common_36*common_45*error_drelative_c_g + error_drelative_d_g*np.abs(common_83) + (b*common_36*common_54 + b*common_36*relative_d)*np.abs(E32) + (E55*common_14*common_36*g*omega*overload + b*common_60)*np.abs(drelative_d_g)
        error_dtarget_L_b_g = E52*b*common_35*np.abs(drelative_a_g) - E62*b*common_35*relative_a + b*common_35*common_39*error_drelative_a_g
        common_100 = b*common_35*error_target_L_b*g*omega*overload + b*common_35*error_target_L_d_slope*g*omega*overload + 2*b*common_35*error_target_e_a*g*omega*overload + 2*b*common_35*error_target_e_c*g*omega*overload + common_36*error_target_e_a
        common_101 = np.abs(b*g*omega*overload*row1*target_L_b - b*g*omega*overload*row1*target_L_d_slope + 2*b*g*omega*overload*row1*target_e_a + 2*b*g*omega*overload*row1*target_e_c - row4*target_e_a)
        error_dB_tt_g = -E30*overload*np.abs(b*common_31*omega + common_17*common_58) - E34*np.abs(common_85) - E35*b*overload*(row4*row4) + E53*b*common_35*g*omega*overload*np.abs(dtarget_L_b_g) + E53*b*common_35*omega*overload*np.abs(target_L_b) + E53*b*common_35*omega*overload*np.abs(target_L_d_slope) + 2*E53*b*common_35*omega*overload*np.abs(target_e_a) + 2*E53*b*common_35*omega*overload*np.abs(target_e_c) - E62*np.abs(row1*target_L_d_slope - 2*row1*target_e_c) - E63*common_101 + b*common_35*common_45*error_dtarget_L_b_g*g*omega*overload + b*common_35*common_45*error_target_L_b*omega*overload + b*common_35*common_45*error_target_L_d_slope*omega*overload + 2*b*common_35*common_45*error_target_e_a*omega*overload + 2*b*common_35*common_45*error_target_e_c*omega*overload + common_100*np.abs(E32) + common_31*error_dtrace_g*overload + common_56*error_dtarget_L_d_slope_g + common_57*np.abs(dtarget_L_d_slope_g) + common_97*error_dtarget_e_a_g + common_98*error_dtarget_e_c_g + common_99*np.abs(E34) + overload*(b*common_31*omega + common_17*common_55)*np.abs(E30) + overload*(E19*b*common_17*common_55*omega*overload + E19*common_14*common_17*omega*overload) + (2*E52*common_35 + 2*E53*b*common_35*g*omega*overload)*np.abs(dtarget_e_c_g) + (common_35*error_target_L_d_slope + 2*common_35*error_target_e_c)*np.abs(E31) + (2*E53*b*common_35*g*omega*overload + E53*common_36)*np.abs(dtarget_e_a_g)
        error_dB_vt_g = -E30*b*common_35*common_38*overload - E34*b*common_36*common_38*overload + E52*common_38*np.abs(dtarget_L_b_g) + E52*common_38*np.abs(dtarget_e_a_g) - E62*common_38*np.abs(target_L_b + target_e_a) + common_38*common_39*error_dtarget_L_b_g + common_38*common_39*error_dtarget_e_a_g + common_38*(error_target_L_b + error_target_e_a)*np.abs(E31)
        error_dK_xx_g = (B_vt*B_vt)*S_inverse*common_10*common_18*error_dB_ss_g*g + 2*S_inverse*common_18*common_62*error_B_vt*g*np.abs(dB_vv_g) + 2*S_inverse*common_48*common_62*error_dB_vt_g*g + 2*S_inverse*common_48*error_B_vt*g*np.abs(dB_vt_g) + S_inverse*error_dB_tt_g*g + S_inverse*(2*common_48*common_62*error_B_vt + error_B_tt) + Vhat1*common_102*common_71*error_dtrace_g + common_63*np.abs(dS_inverse_g)
        error_dleft_a_slope_g = E53*common_42*g*omega*np.abs(dtrace_g) + E53*common_42*omega*trace - E63*common_42*np.abs(g*omega*trace - omega) + common_42*common_45*error_dtrace_g*g*omega + common_42*(g*omega*trace + omega)*np.abs(E32)
        error_drelative_a_slope_g = -E30*np.abs(common_11*common_7*g*omega - omega) - E33*np.abs(common_86) + E6*common_11*common_7*omega + common_11*common_74*common_8*np.abs(common_11) + common_74*np.abs(common_11) + (common_11*common_7*g*omega + omega)*np.abs(E30) + (common_11*common_74*common_8*g*omega + common_7*common_8*omega + common_74*g*omega)*np.abs(E33)
        error_dtarget_y_a_slope_g = E52*b*np.abs(drelative_a_slope_g) + E53*b*omega*overload*trace - E62*np.abs(b*relative_a_slope + trace) - E63*common_87 + b*common_39*error_drelative_a_slope_g + common_40*np.abs(dtrace_g) + error_dtrace_g*np.abs(common_12) + (b*(E6*omega + common_11*common_7*common_8 + common_7) + trace)*np.abs(E31)
        error_dN_zz_g = -E30*common_10*common_68*common_88*trace - E33*common_68*np.abs(common_11*common_74*g*omega*t2 - common_7*omega*t2 + common_74*g*left_a_slope*omega) - E34*common_10*common_68*common_87*common_88 + common_10*common_13*common_68*common_88*error_dtrace_g + common_10*common_42*common_68*error_dtarget_y_a_g*np.abs(left_a_slope) + common_10*common_42*common_68*error_left_a_slope*np.abs(dtarget_y_a_g) + common_10*common_42*error_dtarget_y_a_slope_g + common_103*common_68*error_dleft_a_slope_g + common_68*(common_10*common_42*error_target_y_a + common_7)*np.abs(dleft_a_slope_g) + common_68*(common_11*common_74*g*omega*t2 + common_7*omega*t2 + common_74*error_left_a_slope*g*omega)*np.abs(E33) + common_68*(E19*b*common_10*common_88*omega*overload*trace + common_11*common_74*t2*np.abs(common_11) + common_74*error_left_a_slope*np.abs(common_11))
        error_dN_vz_g = E19*b*common_10*common_22*common_42*omega*(overload)**(1.5)*trace - E30*common_10*common_21*common_22*common_42*trace - E34*common_10*common_21*common_22*common_42*common_87 + common_10*common_13*common_21*common_22*common_42*error_dtrace_g + common_10*common_21*common_22*common_43*error_dleft_a_slope_g + common_10*common_21*common_22*error_dtarget_y_a_g*np.abs(left_a_slope) + common_10*common_21*common_22*error_left_a_slope*np.abs(dtarget_y_a_g) + common_10*common_21*common_22*error_target_y_a*np.abs(dleft_a_slope_g) + common_10*common_21*error_dtarget_y_a_slope_g*np.sqrt(t2)
        common_104 = 2*common_48*common_64*error_N_vz*g + error_N_zz
        error_dK_zz_g = (N_vz*N_vz)*S_inverse*common_10*common_18*error_dB_ss_g*g + 2*S_inverse*common_18*common_64*error_N_vz*g*np.abs(dB_vv_g) + 2*S_inverse*common_48*common_64*error_N_vz + 2*S_inverse*common_48*common_64*error_dN_vz_g*g + 2*S_inverse*common_48*error_N_vz*g*np.abs(dN_vz_g) + S_inverse*error_dN_zz_g + Vhat1*common_71*error_dtrace_g*np.abs(common_69) + common_104*np.abs(dS_inverse_g)
        error_dB_ss_slope_g = E19*b*omega*(overload*overload)*trace - E30*overload*trace - E34*common_87*overload + E53*b*omega*overload*np.abs(dtarget_y_a_g) + E53*b*omega*overload*np.abs(target_y_a_slope) - E62*np.abs(target_y_a_slope) - E63*np.abs(common_89) + b*common_45*error_dtarget_y_a_g*omega*overload + b*common_45*error_target_y_a_slope*omega*overload + common_13*error_dtrace_g*overload + common_40*np.abs(dtarget_y_a_slope_g) + error_dtarget_y_a_slope_g*np.abs(common_12) + error_target_y_a_slope*np.abs(E31) + (b*error_target_y_a*omega*overload + b*error_target_y_a_slope*g*omega*overload)*np.abs(E32)
        error_dK_vv_g = S_inverse*common_10*common_18*error_B_ss_slope*np.abs(dB_vv_g) + S_inverse*common_10*common_18*error_dB_ss_g*np.abs(N_vv) + S_inverse*common_10*common_48*error_dB_ss_slope_g + Vhat1*common_48*common_71*error_dtrace_g*np.abs(N_vv) + common_10*common_48*error_B_ss_slope*np.abs(dS_inverse_g)
        error_dleft_a_g = E53*b*common_42*omega - E63*b*common_42*g*omega
        error_dB_tz_g = -E30*b*common_21*common_22*common_35*common_38*common_42 - E34*b*common_21*common_22*common_36*common_38*common_42 + common_21*common_22*common_38*error_dleft_a_g*np.abs(target_L_b + target_e_a) + common_21*common_22*common_38*error_dtarget_L_b_g*np.abs(left_a) + common_21*common_22*common_38*error_dtarget_e_a_g*np.abs(left_a) + common_21*common_22*common_38*error_left_a*np.abs(dtarget_L_b_g) + common_21*common_22*common_38*error_left_a*np.abs(dtarget_e_a_g) + common_21*common_22*common_38*(error_target_L_b + error_target_e_a)*np.abs(dleft_a_g)
        error_dK_xz_g = S_inverse*common_10*common_18*common_62*common_64*error_dB_ss_g*g + S_inverse*common_18*common_62*error_N_vz*g*np.abs(dB_vv_g) + S_inverse*common_18*common_64*error_B_vt*g*np.abs(dB_vv_g) + S_inverse*common_48*common_62*error_N_vz + S_inverse*common_48*common_62*error_dN_vz_g*g + S_inverse*common_48*common_64*error_B_vt + S_inverse*common_48*common_64*error_dB_vt_g*g + S_inverse*common_48*error_B_vt*g*np.abs(dN_vz_g) + S_inverse*common_48*error_N_vz*g*np.abs(dB_vt_g) + S_inverse*error_dB_tz_g + Vhat1*common_71*error_dtrace_g*np.abs(common_33) + common_65*np.abs(dS_inverse_g)
        error_dK_vx_g = S_inverse*common_10*common_18*common_62*error_dB_ss_g + S_inverse*common_18*error_B_vt*np.abs(dB_vv_g) + S_inverse*common_48*error_dB_vt_g + Vhat1*common_48*common_62*common_71*error_dtrace_g + common_48*error_B_vt*np.abs(dS_inverse_g)
        error_dK_vz_g = S_inverse*common_10*common_18*common_64*error_dB_ss_g + S_inverse*common_18*error_N_vz*np.abs(dB_vv_g) + S_inverse*common_48*error_dN_vz_g + Vhat1*common_48*common_64*common_71*error_dtrace_g + common_48*error_N_vz*np.abs(dS_inverse_g)
        error_dtilt_v_g = -2*E33*b*common_38*common_39*common_46*common_74*common_75*common_80 - E36*b*common_38 - 4*E37*common_14*common_38*g*omega*overload + 2*E52*b*common_38*common_46*common_74*common_75*common_80*np.abs(E33) + 4*E52*b*common_38*common_7*g*omega*np.abs(E38) + 2*E54*b*common_38*common_39*common_74*common_75*common_80*np.abs(E33) + 2*E54*b*common_38*common_7*g*omega*np.abs(E31) - 2*E62*b*common_38*common_46*common_7*g*omega - 4*E64*b*common_38*common_39*common_7*g*omega + b*common_38*(2*E52*common_46*common_74*g*omega*np.abs(common_11) + 2*E54*common_39*common_74*g*omega*np.abs(common_11) + 2*omega*(E22*b*overload + E52*common_46*common_7 + E54*common_39*common_7))
        error_dtilt_theta_g = -2*E33*b*common_46*common_74*common_75*common_80 + 2*E54*b*common_7*omega + 2*E54*b*common_74*common_75*common_80*np.abs(E33) + 2*E54*b*common_74*g*omega*np.abs(common_11) - 4*E64*b*common_7*g*omega
        error_drho_N_vz_g = E19*b*common_37*common_42*common_47*omega*(overload*overload)*trace - E30*common_37*common_42*common_47*overload*trace - E34*common_37*common_42*common_47*common_87*overload + common_13*common_37*common_42*common_47*error_dtrace_g*overload + common_37*common_43*common_47*error_dleft_a_slope_g*overload + common_37*common_47*error_dtarget_y_a_g*overload*np.abs(left_a_slope) + common_37*common_47*error_dtarget_y_a_slope_g*overload*t2 + common_37*common_47*error_left_a_slope*overload*np.abs(dtarget_y_a_g) + common_37*common_47*error_target_y_a*overload*np.abs(dleft_a_slope_g)
        error_dshared_rows_b = -0.125*E39*b*common_17*g*overload + (0.125)*E6*common_17*g*overload
        error_dtrace_b = -E39*np.abs(-common_72 + common_73) + common_105*common_91
        error_drelative_a_b = -E39*common_7*g*omega - E42*common_93
        error_dtarget_y_a_b = E52*b*np.abs(drelative_a_b) + E52*relative_a - E65*b*relative_a + b*common_39*error_drelative_a_b
        error_dB_ss_b = -E39*b*overload + E52*np.abs(dtarget_y_a_b) + E6*overload - E65*common_43 + common_39*error_dtarget_y_a_b + error_target_y_a*np.abs(E40)
        error_drelative_d_slope_b = -E42*np.abs(common_76) + (E18*common_74*common_75*g + common_11*common_74*g*omega + common_74*g*omega)*np.abs(E42)
        error_drelative_c_b = -E39*common_7*g*omega - E42*np.abs(common_79) + (common_7*g*omega + common_74*common_8*g*omega + common_78)*np.abs(E42)
        error_drelative_d_b = -E42*np.abs(-common_7*g*omega + common_74*common_80*omega + common_78) + (common_7*g*omega + common_74*common_80*omega + common_78)*np.abs(E42)
        error_dtarget_L_d_slope_b = -E39*np.abs(common_81) + E52*b*common_35*np.abs(drelative_c_b) + E52*common_35*np.abs(relative_c) + E53*b*common_35*common_8*g*omega*overload*np.abs(relative_d_slope) + 2*E53*b*common_35*g*omega*overload*relative_d + E53*common_14*common_35*g*omega*overload*np.abs(drelative_d_b) + E53*common_35*g*omega*overload*np.abs(common_58) + E6*common_57*omega - E65*np.abs(-b*common_8*relative_d_slope*row1 + b*relative_c*row1 + common_58*row1) - E66*common_96 + b*common_35*common_39*error_drelative_c_b + b*common_35*common_45*common_59*common_8*g*omega*overload + b*common_56*common_8*error_drelative_d_slope_b + b*common_57*common_8*np.abs(drelative_d_slope_b) + common_105*(b*common_56*common_59*g*omega + b*common_57*g*omega*np.abs(relative_d_slope) + b*common_57*omega) + common_14*common_35*common_45*error_drelative_d_b*g*omega*overload + common_35*common_39*common_54 + common_35*common_45*common_55*g*omega*overload + common_56*common_59*common_8 + common_56*error_dtrace_b + common_57*common_8*np.abs(relative_d_slope) + common_57*np.abs(dtrace_b) + common_95*np.abs(E41) + (b*common_35*common_54 + b*common_35*common_59*common_8 + common_35*common_55)*np.abs(E40)
        error_dtarget_e_a_b = E53*b*common_36*np.abs(drelative_a_b) + E53*common_36*relative_a - E66*b*common_36*relative_a + b*common_36*common_45*error_drelative_a_b
        error_dtarget_e_c_b = E53*b*common_36*np.abs(drelative_c_b) + E53*common_36*np.abs(relative_c) + E55*b*common_36*g*omega*overload*relative_d - E66*np.abs(b*relative_c*row4 - b*relative_d*row4) + b*common_36*common_45*error_drelative_c_b + common_36*common_45*common_54 + common_60*relative_d + error_drelative_d_b*np.abs(common_83) + (b*common_36*common_54 + b*common_36*relative_d)*np.abs(E41) + (E55*common_14*common_36*g*omega*overload + b*common_60)*np.abs(drelative_d_b)
        error_dtarget_L_b_b = E52*b*common_35*np.abs(drelative_a_b) + E52*common_35*relative_a - E65*b*common_35*relative_a + b*common_35*common_39*error_drelative_a_b
        error_dB_tt_b = 2*E19*common_35*common_36*overload + E24*overload*(row4*row4) - E39*overload*np.abs(b*common_31*omega + common_17*common_58) - E43*np.abs(common_85) - E44*b*overload*(row4*row4) + E53*b*common_35*g*omega*overload*np.abs(dtarget_L_b_b) + E53*common_35*g*omega*overload*np.abs(target_L_b) + E53*common_35*g*omega*overload*np.abs(target_L_d_slope) + 2*E53*common_35*g*omega*overload*np.abs(target_e_a) + 2*E53*common_35*g*omega*overload*np.abs(target_e_c) - E65*np.abs(row1*target_L_d_slope - 2*row1*target_e_c) - E66*common_101 + b*common_35*common_45*error_dtarget_L_b_b*g*omega*overload + common_100*np.abs(E41) + common_105*overload*(b*common_31*omega + common_17*common_55) + common_106 + common_31*error_dtrace_b*overload + common_35*common_45*error_target_L_b*g*omega*overload + common_35*common_45*error_target_L_d_slope*g*omega*overload + 2*common_35*common_45*error_target_e_a*g*omega*overload + 2*common_35*common_45*error_target_e_c*g*omega*overload + common_56*error_dtarget_L_d_slope_b + common_57*np.abs(dtarget_L_d_slope_b) + common_97*error_dtarget_e_a_b + common_98*error_dtarget_e_c_b + common_99*np.abs(E43) + (2*E52*common_35 + 2*E53*b*common_35*g*omega*overload)*np.abs(dtarget_e_c_b) + (common_35*error_target_L_d_slope + 2*common_35*error_target_e_c)*np.abs(E40) + (2*E53*b*common_35*g*omega*overload + E53*common_36)*np.abs(dtarget_e_a_b)
        error_dB_vt_b = -E39*b*common_35*common_38*overload - E43*b*common_36*common_38*overload + E52*common_38*np.abs(dtarget_L_b_b) + E52*common_38*np.abs(dtarget_e_a_b) - E65*common_38*np.abs(target_L_b + target_e_a) + common_38*common_39*error_dtarget_L_b_b + common_38*common_39*error_dtarget_e_a_b + common_38*(error_target_L_b + error_target_e_a)*np.abs(E40) + common_38*(E19*common_36*overload + E6*common_35*overload)
        error_dK_xx_b = (B_vt*B_vt)*S_inverse*common_10*common_18*error_dB_ss_b*g + 2*S_inverse*common_18*common_62*error_B_vt*g*np.abs(dB_vv_b) + 2*S_inverse*common_48*common_62*error_dB_vt_b*g + 2*S_inverse*common_48*error_B_vt*g*np.abs(dB_vt_b) + S_inverse*error_dB_tt_b*g + Vhat1*common_102*common_71*error_dtrace_b + common_63*np.abs(dS_inverse_b)
        error_dleft_a_slope_b = E53*common_42*g*omega*np.abs(dtrace_b) - E66*common_42*np.abs(g*omega*trace - omega) + common_42*common_45*error_dtrace_b*g*omega + common_42*(g*omega*trace + omega)*np.abs(E41)
        error_drelative_a_slope_b = -E39*np.abs(common_11*common_7*g*omega - omega) - E42*np.abs(common_86) + common_105*(common_11*common_7*g*omega + omega) + (common_11*common_74*common_8*g*omega + common_7*common_8*omega + common_74*g*omega)*np.abs(E42)
        error_dtarget_y_a_slope_b = E52*b*np.abs(drelative_a_slope_b) + E52*np.abs(relative_a_slope) + 2*E53*b*omega*overload + E53*g*omega*overload*trace - E65*np.abs(b*relative_a_slope + trace) - E66*common_87 + b*common_39*error_drelative_a_slope_b + common_40*np.abs(dtrace_b) + common_41 + error_dtrace_b*np.abs(common_12) + (b*(E6*omega + common_11*common_7*common_8 + common_7) + trace)*np.abs(E40)
        error_dN_zz_b = -E39*common_10*common_68*common_88*trace - E42*common_68*np.abs(common_11*common_74*g*omega*t2 - common_7*omega*t2 + common_74*g*left_a_slope*omega) - E43*common_10*common_68*common_87*common_88 + common_10*common_13*common_68*common_88*error_dtrace_b + common_10*common_42*common_68*error_dtarget_y_a_b*np.abs(left_a_slope) + common_10*common_42*common_68*error_left_a_slope*np.abs(dtarget_y_a_b) + common_10*common_42*error_dtarget_y_a_slope_b + common_10*common_68*common_88*common_90 + common_103*common_68*error_dleft_a_slope_b + common_68*(common_10*common_42*error_target_y_a + common_7)*np.abs(dleft_a_slope_b) + common_68*(common_11*common_74*g*omega*t2 + common_7*omega*t2 + common_74*error_left_a_slope*g*omega)*np.abs(E42)
        error_dN_vz_b = -E39*common_10*common_21*common_22*common_42*trace - E43*common_10*common_21*common_22*common_42*common_87 + common_10*common_13*common_21*common_22*common_42*error_dtrace_b + common_10*common_21*common_22*common_42*common_90 + common_10*common_21*common_22*common_43*error_dleft_a_slope_b + common_10*common_21*common_22*error_dtarget_y_a_b*np.abs(left_a_slope) + common_10*common_21*common_22*error_left_a_slope*np.abs(dtarget_y_a_b) + common_10*common_21*common_22*error_target_y_a*np.abs(dleft_a_slope_b) + common_10*common_21*error_dtarget_y_a_slope_b*np.sqrt(t2)
        error_dK_zz_b = (N_vz*N_vz)*S_inverse*common_10*common_18*error_dB_ss_b*g + 2*S_inverse*common_18*common_64*error_N_vz*g*np.abs(dB_vv_b) + 2*S_inverse*common_48*common_64*error_dN_vz_b*g + 2*S_inverse*common_48*error_N_vz*g*np.abs(dN_vz_b) + S_inverse*error_dN_zz_b + Vhat1*common_71*error_dtrace_b*np.abs(common_69) + common_104*np.abs(dS_inverse_b)
        error_dB_ss_slope_b = -E39*overload*trace - E43*common_87*overload + E53*b*omega*overload*np.abs(dtarget_y_a_b) + E53*common_43*omega*overload + E53*g*omega*overload*np.abs(target_y_a_slope) - E65*np.abs(target_y_a_slope) - E66*np.abs(common_89) + b*common_45*error_dtarget_y_a_b*omega*overload + common_13*error_dtrace_b*overload + common_40*np.abs(dtarget_y_a_slope_b) + common_45*error_target_y_a*omega*overload + common_45*error_target_y_a_slope*g*omega*overload + common_90*overload + error_dtarget_y_a_slope_b*np.abs(common_12) + error_target_y_a_slope*np.abs(E40) + (b*error_target_y_a*omega*overload + b*error_target_y_a_slope*g*omega*overload)*np.abs(E41)
        error_dK_vv_b = S_inverse*common_10*common_18*error_B_ss_slope*np.abs(dB_vv_b) + S_inverse*common_10*common_18*error_dB_ss_b*np.abs(N_vv) + S_inverse*common_10*common_48*error_dB_ss_slope_b + Vhat1*common_48*common_71*error_dtrace_b*np.abs(N_vv) + common_10*common_48*error_B_ss_slope*np.abs(dS_inverse_b)
        error_dleft_a_b = E53*common_42*g*omega - E66*b*common_42*g*omega
        error_dB_tz_b = -E39*b*common_21*common_22*common_35*common_38*common_42 - E43*b*common_21*common_22*common_36*common_38*common_42 + common_21*common_22*common_38*error_dleft_a_b*np.abs(target_L_b + target_e_a) + common_21*common_22*common_38*error_dtarget_L_b_b*np.abs(left_a) + common_21*common_22*common_38*error_dtarget_e_a_b*np.abs(left_a) + common_21*common_22*common_38*error_left_a*np.abs(dtarget_L_b_b) + common_21*common_22*common_38*error_left_a*np.abs(dtarget_e_a_b) + common_21*common_22*common_38*(error_target_L_b + error_target_e_a)*np.abs(dleft_a_b) + common_21*common_22*common_38*(E19*common_36*common_42 + E6*common_35*common_42)
        error_dK_xz_b = S_inverse*common_10*common_18*common_62*common_64*error_dB_ss_b*g + S_inverse*common_18*common_62*error_N_vz*g*np.abs(dB_vv_b) + S_inverse*common_18*common_64*error_B_vt*g*np.abs(dB_vv_b) + S_inverse*common_48*common_62*error_dN_vz_b*g + S_inverse*common_48*common_64*error_dB_vt_b*g + S_inverse*common_48*error_B_vt*g*np.abs(dN_vz_b) + S_inverse*common_48*error_N_vz*g*np.abs(dB_vt_b) + S_inverse*error_dB_tz_b + Vhat1*common_71*error_dtrace_b*np.abs(common_33) + common_65*np.abs(dS_inverse_b)
        error_dK_vx_b = S_inverse*common_10*common_18*common_62*error_dB_ss_b + S_inverse*common_18*error_B_vt*np.abs(dB_vv_b) + S_inverse*common_48*error_dB_vt_b + Vhat1*common_48*common_62*common_71*error_dtrace_b + common_48*error_B_vt*np.abs(dS_inverse_b)
        error_dK_vz_b = S_inverse*common_10*common_18*common_64*error_dB_ss_b + S_inverse*common_18*error_N_vz*np.abs(dB_vv_b) + S_inverse*common_48*error_dN_vz_b + Vhat1*common_48*common_64*common_71*error_dtrace_b + common_48*error_N_vz*np.abs(dS_inverse_b)
        error_dtilt_v_b = 2*E22*b*common_38*g*omega*overload - 2*E42*b*common_38*common_39*common_46*common_74*common_75*common_80 - E45*b*common_38 - 4*E46*common_14*common_38*g*omega*overload + 2*E52*b*common_38*common_46*common_74*common_75*common_80*np.abs(E42) + 4*E52*b*common_38*common_7*g*omega*np.abs(E47) + 2*E54*b*common_38*common_39*common_74*common_75*common_80*np.abs(E42) + 2*E54*b*common_38*common_7*g*omega*np.abs(E40) - 2*E65*b*common_38*common_46*common_7*g*omega - 4*E67*b*common_38*common_39*common_7*g*omega + common_38*(E21 + 2*g*omega*(E22*b*overload + E52*common_46*common_7 + E54*common_39*common_7))
        error_dtilt_theta_b = -2*E42*b*common_46*common_74*common_75*common_80 + 2*E54*b*common_74*common_75*common_80*np.abs(E42) + 2*E54*common_7*g*omega - 4*E67*b*common_7*g*omega
        error_drho_N_vz_b = -E39*common_37*common_42*common_47*overload*trace - E43*common_37*common_42*common_47*common_87*overload + common_13*common_37*common_42*common_47*error_dtrace_b*overload + common_37*common_42*common_47*common_90*overload + common_37*common_43*common_47*error_dleft_a_slope_b*overload + common_37*common_47*error_dtarget_y_a_b*overload*np.abs(left_a_slope) + common_37*common_47*error_dtarget_y_a_slope_b*overload*t2 + common_37*common_47*error_left_a_slope*overload*np.abs(dtarget_y_a_b) + common_37*common_47*error_target_y_a*overload*np.abs(dleft_a_slope_b)
        size_q1_q1 = common_71*(trace*trace)*np.abs(dqhat1_dq1) + common_71*trace*np.abs(dqhat2_dq1) + 1
        size_q1_q2 = common_71*(trace*trace)*np.abs(dqhat2_dq1) + common_71*trace*np.abs(dqhat2_dq2)
        size_q1_ghat = 2*beta + 2*g*trace
        size_q2_q1 = common_71*trace*np.abs(dqhat1_dq1) + common_71*np.abs(dqhat2_dq1)
        size_q2_q2 = common_71*trace*np.abs(dqhat2_dq1) + common_71*np.abs(dqhat2_dq2) + 1
        size_bhat_q1 = (0.5)*Vhat1*common_71*error_dtrace_g*np.abs(dqhat2_dq1) + ((0.5)*S_inverse*error_dtrace_g + (0.5)*Vhat1*common_71*error_dtrace_g*trace)*np.abs(dqhat1_dq1)
        size_bhat_q2 = (0.5)*Vhat1*common_71*error_dtrace_g*np.abs(dqhat2_dq2) + ((0.5)*S_inverse*error_dtrace_g + (0.5)*Vhat1*common_71*error_dtrace_g*trace)*np.abs(dqhat2_dq1)
        size_bhat_bhat = -E30*b*g*omega + E6*b*omega + b
        size_bhat_ghat = Vhat1*error_dtrace_g*g + Vhat1*trace + Vhat2 + lam
        size_ghat_q1 = (0.5)*Vhat1*common_71*error_dtrace_b*np.abs(dqhat2_dq1) + ((0.5)*S_inverse*error_dtrace_b + (0.5)*Vhat1*common_71*error_dtrace_b*trace)*np.abs(dqhat1_dq1)
        size_ghat_q2 = (0.5)*Vhat1*common_71*error_dtrace_b*np.abs(dqhat2_dq2) + ((0.5)*S_inverse*error_dtrace_b + (0.5)*Vhat1*common_71*error_dtrace_b*trace)*np.abs(dqhat2_dq1)
        size_ghat_bhat = -E39*b*g*omega + E6*g*omega + g + 1
        size_ghat_ghat = Vhat1*error_dtrace_b*g
        size_qhat1_0 = E60*alpha*common_6
        size_qhat2_0 = E61*alpha*common_6
        common_144 = S_inverse*c*common_131*common_19*common_37*common_48*common_50*error_tilt_v + S_inverse*c*common_19*common_37*common_50*common_52*common_53 + np.abs(m)
        size_q1_0 = common_134*common_34*inverse_width*shared_rows*(2*c*common_131*common_19*common_37*common_48*common_50*common_71*error_tilt_v*trace + 2*c*common_19*common_37*common_50*common_52*common_53*common_71*trace) + common_144*common_145*(common_34*common_34)*common_71*inverse_width*shared_rows*trace + common_144*common_34*inverse_width*shared_rows*np.abs(common_139) + common_6*(common_10*common_138*common_48*common_71*error_B_ss_slope*trace + common_104*common_137*common_71*trace + 2*common_131*common_48*common_49*common_71*error_N_vz*trace + 2*common_131*common_48*common_71*error_B_vt*trace*np.abs(chihat) + common_136*common_63*common_71*trace + 2*common_49*common_65*common_71*trace*np.abs(chihat)) + common_71*size_qhat1_0*(trace*trace) + common_71*size_qhat2_0*trace
        size_q2_0 = common_134*common_34*inverse_width*shared_rows*(2*c*common_131*common_19*common_37*common_48*common_50*common_71*error_tilt_v + 2*c*common_19*common_37*common_50*common_52*common_53*common_71) + common_144*common_145*(common_34*common_34)*common_71*inverse_width*shared_rows + common_144*common_146*common_34*inverse_width*shared_rows + common_6*(common_10*common_138*common_48*common_71*error_B_ss_slope + common_104*common_137*common_71 + 2*common_131*common_48*common_49*common_71*error_N_vz + 2*common_131*common_48*common_71*error_B_vt*np.abs(chihat) + common_136*common_63*common_71 + 2*common_49*common_65*common_71*np.abs(chihat)) + common_71*size_qhat1_0*trace + common_71*size_qhat2_0
        common_148 = (0.5)*common_134*common_34*inverse_width*shared_rows*(2*S_inverse*c*common_131*(common_19*common_19)*common_37*common_48*common_50*error_tilt_v + 2*S_inverse*c*(common_19*common_19)*common_37*common_50*common_52*common_53) + (0.5)*common_144*common_145*common_34*inverse_width + (0.5)*common_144*common_34*inverse_width*shared_rows*np.abs(common_141)
        common_149 = (0.5)*common_134*common_34*inverse_width*shared_rows*(2*c*common_131*common_19*common_37*common_48*common_50*error_tilt_v + 2*c*common_19*common_37*common_50*common_52*common_53) + (0.5)*common_144*common_145*(common_34*common_34)*inverse_width*shared_rows + (0.5)*common_144*common_34*inverse_width*shared_rows*np.abs(2*c*common_16*common_19*length*thetahat*tilt*tilt_v + 2*c*common_19*common_25*length*psi0hat*tilt) + (0.5)*size_qhat1_0*trace + (0.5)*size_qhat2_0
        common_151 = 2*S_inverse*c*common_131*common_19*common_37*common_48*common_50 + 2*S_inverse*c*common_19*common_37*common_50*common_53*(common_48*error_rho_N_vz*g + np.abs(gamma))
        common_152 = 2*S_inverse*c*common_131*common_18*common_19*common_37*common_50*error_tilt_v + 2*S_inverse*c*common_18*common_19*common_37*common_50*common_51*common_53*error_rho_N_vz*g + 2*S_inverse*c*common_18*common_19*common_37*common_50*common_53*error_tilt_v*g*np.abs(rho_N_vz)
        size_bhat_0 = (0.5)*S_inverse*error_dtrace_g*np.abs(qhat1_0) + (0.5)*S_inverse*size_qhat1_0*np.abs(dtrace_g) + Vhat1*common_150*common_71*error_dtrace_g + c*common_134*common_37*common_48*common_50*common_51*common_53*error_drho_N_vz_g*g*inverse_width + c*common_134*common_37*common_48*common_50*common_51*common_53*error_rho_N_vz*inverse_width + c*common_134*common_37*common_48*common_50*common_53*error_tilt_v*g*inverse_width*np.abs(drho_N_vz_g) + c*common_134*common_37*common_48*common_50*common_53*error_tilt_v*inverse_width*np.abs(rho_N_vz) + c*common_134*common_37*common_50*common_53*error_dtilt_theta_g*inverse_width + c*common_144*common_37*common_48*common_50*common_51*common_53*g*inverse_width*np.abs(drho_N_vz_g) + c*common_144*common_37*common_48*common_50*common_51*common_53*inverse_width*np.abs(rho_N_vz) + c*common_144*common_37*common_50*common_53*inverse_width*np.abs(dtilt_theta_g) + (0.5)*common_10*common_134*common_34*error_dB_ss_g*inverse_width*shared_rows*np.abs(common_142) + common_131*common_49*common_6*error_dK_vz_g + common_131*common_6*error_dK_vx_g*np.abs(chihat) + (0.5)*common_134*common_151*common_34*inverse_width*shared_rows*np.abs(dtilt_v_g) + (0.5)*common_134*common_152*common_34*inverse_width*shared_rows*np.abs(dB_vv_g) + (0.5)*common_134*common_34*error_dtilt_v_g*inverse_width*shared_rows*np.abs(common_143) + (0.5)*common_136*common_6*error_dK_xx_g + (0.5)*common_137*common_6*error_dK_zz_g + (0.5)*common_138*common_6*error_dK_vv_g + (0.5)*common_144*common_34*inverse_width*shared_rows*np.abs(common_142)*np.abs(dB_vv_g) + (0.5)*common_144*common_34*inverse_width*shared_rows*np.abs(common_143)*np.abs(dtilt_v_g) + common_147*error_dshared_rows_g + common_148*np.abs(dshared_rows_g) + common_149*np.abs(dS_inverse_g) + common_49*common_6*error_dK_xz_g*np.abs(chihat)
        size_ghat_0 = (0.5)*S_inverse*error_dtrace_b*np.abs(qhat1_0) + (0.5)*S_inverse*size_qhat1_0*np.abs(dtrace_b) + Vhat1*common_150*common_71*error_dtrace_b + c*common_134*common_37*common_48*common_50*common_51*common_53*error_drho_N_vz_b*g*inverse_width + c*common_134*common_37*common_48*common_50*common_53*error_tilt_v*g*inverse_width*np.abs(drho_N_vz_b) + c*common_134*common_37*common_50*common_53*error_dtilt_theta_b*inverse_width + c*common_144*common_37*common_48*common_50*common_51*common_53*g*inverse_width*np.abs(drho_N_vz_b) + c*common_144*common_37*common_50*common_53*inverse_width*np.abs(dtilt_theta_b) + (0.5)*common_10*common_134*common_34*error_dB_ss_b*inverse_width*shared_rows*np.abs(common_142) + common_131*common_49*common_6*error_dK_vz_b + common_131*common_6*error_dK_vx_b*np.abs(chihat) + (0.5)*common_134*common_151*common_34*inverse_width*shared_rows*np.abs(dtilt_v_b) + (0.5)*common_134*common_152*common_34*inverse_width*shared_rows*np.abs(dB_vv_b) + (0.5)*common_134*common_34*error_dtilt_v_b*inverse_width*shared_rows*np.abs(common_143) + (0.5)*common_136*common_6*error_dK_xx_b + (0.5)*common_137*common_6*error_dK_zz_b + (0.5)*common_138*common_6*error_dK_vv_b + (0.5)*common_144*common_34*inverse_width*shared_rows*np.abs(common_142)*np.abs(dB_vv_b) + (0.5)*common_144*common_34*inverse_width*shared_rows*np.abs(common_143)*np.abs(dtilt_v_b) + common_147*error_dshared_rows_b + common_148*np.abs(dshared_rows_b) + common_149*np.abs(dS_inverse_b) + common_49*common_6*error_dK_xz_b*np.abs(chihat)
    b_bhat, b_ghat = prepare_q1_2(B_vt, N_vz, S_inverse, c, chihat, common_136, common_137, common_138, common_140, common_141, common_142, common_143, common_16, common_18, common_33, common_34, common_6, common_69, common_70, dB_tz_b, dB_tz_g, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dK_vv_b, dK_vv_g, dK_vx_b, dK_vx_g, dK_xx_b, dK_xx_g, dN_vz_b, dN_vz_g, dN_zz_b, dN_zz_g, dS_inverse_b, dS_inverse_g, drho_N_vz_b, drho_N_vz_g, dshared_rows_b, dshared_rows_g, dtilt_theta_b, dtilt_theta_g, dtilt_v_b, dtilt_v_g, dtrace_b, dtrace_g, g, inverse_width, length, psi0hat, psihat, qhat1_0, rho_N_vz, shared_rows, thetahat, tilt, tilt_v)
    solution, q1_q2_bhat_ghat_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_q1, b_q2, b_bhat, b_ghat,)))
    q1, q2, bhat, ghat = solution.T
    if diagnose:
        blocks.append(("linear", ("q1", "q2", "bhat", "ghat",), A, stack_vector(iterations.shape, (size_q1_0, size_q2_0, size_bhat_0, size_ghat_0,)), (("qhat1", size_qhat1_0, (dqhat1_dq1, dqhat2_dq1, 0.0, 0.0, )), ("qhat2", size_qhat2_0, (dqhat2_dq1, dqhat2_dq2, 0.0, 0.0, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2, 0.0, size_q1_ghat,), (size_q2_q1, size_q2_q2, 0.0, size_q2_ghat,), (size_bhat_q1, size_bhat_q2, size_bhat_bhat, size_bhat_ghat,), (size_ghat_q1, size_ghat_q2, size_ghat_bhat, size_ghat_ghat,),))))
    mean_7 = beta[..., None]*c[..., None]*column_3*inverse_width[..., None] + mu0
    C = np.array((chi, theta)).T @ columns_2 + m[..., None]*mean_7
    common = 2*beta[..., None]*dmu0_dmu0*inverse_width[..., None]*square[..., None]
    R = np.array((-2*psi0, -2*psi, q1, q2)).T @ columns_4 + (C*C) - 2*C*h + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    E48 = (R) @ kappa_weights
    E49 = (R*(inv*inv)) @ kappa_weights
    if diagnose:
        value_7 = np.abs(R)
        E70 = (value_7) @ kappa_weights
        E71 = (value_7*(inv*inv)) @ kappa_weights
    V1_check, b_residual, g_residual, common_108, error_N_vz_2, error_rho_N_vz_2, common_112, common_115, common_116, error_theta, error_chi, error_m, error_thetahat, error_chihat, error_dtrace_g_2, error_dB_vt_g_2, common_122, common_123, error_dK_xx_g_2, error_dtarget_y_a_slope_g_2, common_124, error_dN_zz_g_2, common_125, error_dK_vv_g_2, error_dB_tz_g_2, error_dK_vx_g_2, error_dtilt_v_g_2, error_dtilt_theta_g_2, error_drho_N_vz_g_2, error_dS_inverse_b, error_dB_vt_b_2, common_128, common_129, error_dK_xx_b_2, error_dleft_a_slope_b_2, error_dtarget_y_a_slope_b_2, error_dN_zz_b_2, error_dK_vv_b_2, error_dB_tz_b_2, error_dK_vx_b_2, error_dtilt_v_b_2, error_dtilt_theta_b_2, error_drho_N_vz_b_2, error, error_2, qhat1, qhat2, size_qhat1_0_2, size_qhat2_0_2, common_153, rounding_q1, rounding_q2, common_154, common_155, common_156, common_157, test_error, clean_error, train_error, objective, error_3, error_4 = conclude(B_vt, E13, E14, E15, E16, E18, E19, E21, E22, E24, E25, E26, E27, E28, E29, E30, E31, E32, E33, E34, E35, E36, E37, E38, E40, E41, E42, E43, E44, E45, E46, E47, E48, E49, E6, K_vv, K_vx, K_xx, N_vv, N_vz, S_inverse, Vhat1, Vhat2, alpha, b, beta, c, chi, chihat, chihat_0, common_10, common_102, common_103, common_105, common_106, common_11, common_12, common_13, common_131, common_134, common_136, common_137, common_138, common_139, common_14, common_141, common_145, common_146, common_15, common_16, common_17, common_18, common_19, common_21, common_22, common_25, common_26, common_27, common_31, common_34, common_35, common_36, common_37, common_38, common_39, common_41, common_42, common_43, common_45, common_46, common_47, common_48, common_49, common_50, common_51, common_53, common_54, common_55, common_56, common_58, common_59, common_6, common_61, common_62, common_64, common_68, common_7, common_71, common_74, common_75, common_78, common_8, common_80, common_83, common_87, common_88, common_90, common_91, common_92, common_93, common_94, common_95, common_97, common_98, common_99, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dS_inverse_b, dS_inverse_g, dchihat_dchi, dchihat_dm, dchihat_dtheta, dleft_a_b, dleft_a_g, dleft_a_slope_b, dleft_a_slope_g, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, drelative_d_b, drelative_d_g, drelative_d_slope_b, drelative_d_slope_g, dtarget_L_b_b, dtarget_L_b_g, dtarget_L_d_slope_b, dtarget_L_d_slope_g, dtarget_e_a_b, dtarget_e_a_g, dtarget_e_c_b, dtarget_e_c_g, dtarget_y_a_b, dtarget_y_a_g, dtarget_y_a_slope_b, dtarget_y_a_slope_g, dthetahat_dm, dthetahat_dtheta, dtrace_b, dtrace_g, g, gamma, ghat, inverse_chi_chi, inverse_chi_m, inverse_chi_theta, inverse_m_chi, inverse_m_m, inverse_m_theta, inverse_theta_chi, inverse_theta_m, inverse_theta_theta, inverse_width, lam, left_a, left_a_slope, length, m, noise_variance, norms, omega, overload, psi0hat, q1, q2, qhat1_0, qhat2_0, relative_a, relative_d, relative_d_slope, rho_N_vz, row4, shared_rows, size_b, size_g, t2, target_L_b, target_L_d_slope, target_e_a, target_e_c, target_y_a_slope, theta, thetahat, thetahat_0, tilt, tilt_theta, tilt_v, trace)
    V1_residual = np.abs(np.log(V1_check/V1))
    V2_residual = np.abs(np.log(S_inverse/V2))
    V1_V2_b_g_error = np.maximum(np.maximum(np.maximum(np.abs(V1_rounding), np.abs(V2_rounding)), np.abs(b_rounding)), np.abs(g_rounding))
    uncertain = np.where((V1_V2_b_g_error > 0.1), V1_V2_b_g_error, 0)
    inaccurate = np.where((LARGEST_ERROR < V1_V2_b_g_error), 1e+289, 0)
    theta_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_chi_theta)*np.abs(inverse_theta_chi) + np.abs(A_m_theta)*np.abs(inverse_theta_m) + np.abs(A_theta_theta)*np.abs(inverse_theta_theta)))
    chi_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_chi_chi)*np.abs(inverse_chi_chi) + np.abs(A_m_chi)*np.abs(inverse_chi_m) + np.abs(A_theta_chi)*np.abs(inverse_chi_theta)))
    m_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_chi_m)*np.abs(inverse_m_chi) + np.abs(A_m_m)*np.abs(inverse_m_m) + np.abs(A_theta_m)*np.abs(inverse_m_theta)))
    theta_chi_m_dependent = np.where(((((A_chi_chi != 0) | (A_chi_m != 0) | (A_chi_theta != 0)) & (inverse_chi_residual > 0.001)) | (((A_m_chi != 0) | (A_m_m != 0) | (A_m_theta != 0)) & (inverse_m_residual > 0.001)) | (((A_theta_chi != 0) | (A_theta_m != 0) | (A_theta_theta != 0)) & (inverse_theta_residual > 0.001)) | ((A_chi_chi == 0) & (A_chi_m == 0) & (A_chi_theta == 0) & ((A_m_chi != 0) | (A_theta_chi != 0) | (dchihat_dchi != 0) | (dchihat_dtheta != 0))) | ((A_m_chi == 0) & (A_m_m == 0) & (A_m_theta == 0) & ((A_chi_m != 0) | (A_theta_m != 0) | (dchihat_dm != 0) | (dthetahat_dm != 0))) | ((A_theta_chi == 0) & (A_theta_m == 0) & (A_theta_theta == 0) & ((A_chi_theta != 0) | (A_m_theta != 0) | (dchihat_dtheta != 0) | (dthetahat_dtheta != 0))) | (chi_singular > 1e+100) | (m_singular > 1e+100) | (theta_singular > 1e+100)), 1e+290, 0)
    q1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_bhat_q1)*np.abs(inverse_q1_bhat) + np.abs(A_ghat_q1)*np.abs(inverse_q1_ghat) + np.abs(A_q1_q1)*np.abs(inverse_q1_q1) + np.abs(A_q2_q1)*np.abs(inverse_q1_q2)))
    q2_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_bhat_q2)*np.abs(inverse_q2_bhat) + np.abs(A_ghat_q2)*np.abs(inverse_q2_ghat) + np.abs(A_q1_q2)*np.abs(inverse_q2_q1) + np.abs(A_q2_q2)*np.abs(inverse_q2_q2)))
    bhat_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_bhat_bhat)*np.abs(inverse_bhat_bhat) + np.abs(A_ghat_bhat)*np.abs(inverse_bhat_ghat)))
    ghat_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_bhat_ghat)*np.abs(inverse_ghat_bhat) + np.abs(A_ghat_ghat)*np.abs(inverse_ghat_ghat) + np.abs(A_q1_ghat)*np.abs(inverse_ghat_q1) + np.abs(A_q2_ghat)*np.abs(inverse_ghat_q2)))
    q1_q2_bhat_ghat_dependent = np.where(((((A_bhat_bhat != 0) | (A_bhat_ghat != 0) | (A_bhat_q1 != 0) | (A_bhat_q2 != 0)) & (inverse_bhat_residual > 0.001)) | (((A_ghat_bhat != 0) | (A_ghat_ghat != 0) | (A_ghat_q1 != 0) | (A_ghat_q2 != 0)) & (inverse_ghat_residual > 0.001)) | (((A_q1_ghat != 0) | (A_q1_q1 != 0) | (A_q1_q2 != 0)) & (inverse_q1_residual > 0.001)) | (((A_q2_ghat != 0) | (A_q2_q1 != 0) | (A_q2_q2 != 0)) & (inverse_q2_residual > 0.001)) | ((A_q1_ghat == 0) & (A_q1_q1 == 0) & (A_q1_q2 == 0) & ((A_bhat_q1 != 0) | (A_ghat_q1 != 0) | (A_q2_q1 != 0) | (dqhat1_dq1 != 0) | (dqhat2_dq1 != 0))) | ((A_bhat_bhat == 0) & (A_bhat_ghat == 0) & (A_bhat_q1 == 0) & (A_bhat_q2 == 0) & (A_ghat_bhat != 0)) | ((A_ghat_bhat == 0) & (A_ghat_ghat == 0) & (A_ghat_q1 == 0) & (A_ghat_q2 == 0) & ((A_bhat_ghat != 0) | (A_q1_ghat != 0) | (A_q2_ghat != 0))) | (bhat_singular > 1e+100) | (ghat_singular > 1e+100) | (q1_singular > 1e+100) | (q2_singular > 1e+100)), 1e+290, 0)
    error_dN_vz_g_2 = E19*b*common_10*common_22*common_42*omega*(overload)**(1.5)*trace + common_10*common_108*common_21*common_22*common_42*np.abs(dtarget_y_a_g) + common_10*common_122*common_21*common_22*np.abs(left_a_slope) + common_10*common_124*common_21*common_22*common_43 + common_10*common_13*common_21*common_22*common_42*error_dtrace_g_2 + common_10*common_21*common_22*common_42*common_87*np.abs(E34) + common_10*common_21*common_22*common_42*trace*np.abs(E30) + common_10*common_21*error_dtarget_y_a_slope_g_2*np.sqrt(t2)
    error_dN_vz_b_2 = common_10*common_105*common_13*common_21*common_22*common_42*common_91 + common_10*common_105*common_21*common_22*common_42*trace + common_10*common_108*common_21*common_22*common_42*np.abs(dtarget_y_a_b) + common_10*common_128*common_21*common_22*np.abs(left_a_slope) + common_10*common_21*common_22*common_42*common_87*np.abs(E43) + common_10*common_21*common_22*common_42*common_90 + common_10*common_21*common_22*common_43*error_dleft_a_slope_b_2 + common_10*common_21*error_dtarget_y_a_slope_b_2*np.sqrt(t2)
    lost = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, np.abs(psi))), 1e+289, 0)
    lost_2 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(psi0))), 1e+289, 0)
    if diagnose:
        error_5 = E68*alpha
        error_6 = E69*alpha
        error_B_ss = E52*common_43 + E6*b*overload + common_39*error_target_y_a
        error_7 = S_inverse*common_49*((N_vz*N_vz)*common_10*common_18*error_B_ss*g + 2*common_48*common_64*error_N_vz*g + error_N_zz) + S_inverse*(common_10*common_18*common_62*common_64*error_B_ss*g + common_48*common_62*error_N_vz*g + common_48*common_64*error_B_vt*g + error_B_tz)*np.abs(chihat) + common_131*(S_inverse*common_10*common_18*common_64*error_B_ss + S_inverse*common_48*error_N_vz) + error_5*np.abs(K_zz)
        common_135 = common_10*common_18*common_51*error_B_ss*g*np.abs(rho_N_vz) + common_48*common_51*error_rho_N_vz*g + common_48*error_tilt_v*g*np.abs(rho_N_vz) + error_tilt_theta + error_tilt_v*np.abs(gamma)
        error_8 = beta*c*common_134*common_135*common_37*common_50*inverse_width + beta*c*common_37*common_50*inverse_width*(S_inverse*c*common_10*common_131*common_18*common_19*common_37*common_50*common_51*error_B_ss + S_inverse*c*common_131*common_19*common_37*common_48*common_50*error_tilt_v + S_inverse*c*common_135*common_19*common_37*common_50*common_53 + S_inverse*c*common_19*common_37*common_50*error_6*np.abs(common_25) + np.abs(m))*np.abs(common_25)
    upstream = np.maximum(ROUNDING, V1_V2_b_g_error)
    equations_residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(V1_V2_b_g_moved, V1_V2_b_g_rounding_residual), V1_residual), V2_residual), b_residual), bhat_singular), chi_singular), g_residual), ghat_singular), m_singular), q1_q2_bhat_ghat_dependent), q1_q2_bhat_ghat_residual), q1_singular), q2_singular), theta_chi_m_dependent), theta_chi_m_residual), theta_singular), uncertain)
    lost_3 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(clean_error))), 1e+289, 0)
    lost_4 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(objective))), 1e+289, 0)
    if diagnose:
        error_9 = E70 + noise_variance
        error_10 = E71 + beta*lam*np.abs(q2)/alpha
    inaccurate_2 = np.maximum(np.maximum(np.maximum(np.maximum(inaccurate, lost), lost_2), lost_3), lost_4)
    few_digits = np.where((LARGEST_ERROR >= equations_residual), inaccurate_2, 0)
    residual = np.maximum(equations_residual, few_digits)
    error_q1, error_q2, error_bhat, error_ghat, error_qhat1, error_qhat2 = conclude_2(E30, E6, N_vz, S_inverse, Vhat1, Vhat2, b, bhat, c, chihat, common_10, common_105, common_112, common_115, common_116, common_123, common_125, common_129, common_131, common_134, common_136, common_137, common_138, common_142, common_143, common_147, common_150, common_153, common_154, common_155, common_156, common_157, common_17, common_18, common_33, common_34, common_37, common_38, common_48, common_49, common_50, common_51, common_53, common_6, common_62, common_64, common_69, common_71, common_91, dB_vt_b, dB_vt_g, dB_vv_b, dB_vv_g, dN_vz_b, dN_vz_g, dS_inverse_b, dS_inverse_g, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, drho_N_vz_b, drho_N_vz_g, dshared_rows_b, dshared_rows_g, dtilt_theta_b, dtilt_theta_g, dtilt_v_b, dtilt_v_g, dtrace_b, dtrace_g, error_N_vz_2, error_dB_tz_b_2, error_dB_tz_g_2, error_dB_vt_b_2, error_dB_vt_g_2, error_dK_vv_b_2, error_dK_vv_g_2, error_dK_vx_b_2, error_dK_vx_g_2, error_dK_xx_b_2, error_dK_xx_g_2, error_dN_vz_b_2, error_dN_vz_g_2, error_dN_zz_b_2, error_dN_zz_g_2, error_dS_inverse_b, error_drho_N_vz_b_2, error_drho_N_vz_g_2, error_dtilt_theta_b_2, error_dtilt_theta_g_2, error_dtilt_v_b_2, error_dtilt_v_g_2, error_dtrace_g_2, error_rho_N_vz_2, g, ghat, inverse_bhat_bhat, inverse_bhat_ghat, inverse_bhat_q1, inverse_bhat_q2, inverse_ghat_bhat, inverse_ghat_ghat, inverse_ghat_q1, inverse_ghat_q2, inverse_q1_bhat, inverse_q1_ghat, inverse_q1_q1, inverse_q1_q2, inverse_q2_bhat, inverse_q2_ghat, inverse_q2_q1, inverse_q2_q2, inverse_width, lam, omega, overload, q1, q2, qhat1_0, rho_N_vz, rounding_q1, rounding_q2, shared_rows, size_qhat1_0_2, size_qhat2_0_2, trace)
    limited_2 = np.where((((error_bhat*upstream > 1e-10*np.abs(bhat)) & (np.abs(bhat) > 10*ROUNDING*error_bhat)) | ((error_chi*upstream > 1e-10*np.abs(chi)) & (np.abs(chi) > 10*ROUNDING*error_chi)) | ((error_chihat*upstream > 1e-10*np.abs(chihat)) & (np.abs(chihat) > 10*ROUNDING*error_chihat)) | ((error_3*upstream > 1e-10*np.abs(clean_error)) & (np.abs(clean_error) > 10*ROUNDING*error_3)) | ((error_ghat*upstream > 1e-10*np.abs(ghat)) & (np.abs(ghat) > 10*ROUNDING*error_ghat)) | ((error_m*upstream > 1e-10*np.abs(m)) & (np.abs(m) > 10*ROUNDING*error_m)) | ((error_4*upstream > 1e-10*np.abs(objective)) & (np.abs(objective) > 10*ROUNDING*error_4)) | ((error*upstream > 1e-10*np.abs(psi)) & (np.abs(psi) > 10*ROUNDING*error)) | ((error_2*upstream > 1e-10*np.abs(psi0)) & (np.abs(psi0) > 10*ROUNDING*error_2)) | ((error_q1*upstream > 1e-10*np.abs(q1)) & (np.abs(q1) > 10*ROUNDING*error_q1)) | ((error_q2*upstream > 1e-10*np.abs(q2)) & (np.abs(q2) > 10*ROUNDING*error_q2)) | ((error_qhat1*upstream > 1e-10*np.abs(qhat1)) & (np.abs(qhat1) > 10*ROUNDING*error_qhat1)) | ((error_qhat2*upstream > 1e-10*np.abs(qhat2)) & (np.abs(qhat2) > 10*ROUNDING*error_qhat2)) | ((error_theta*upstream > 1e-10*np.abs(theta)) & (np.abs(theta) > 10*ROUNDING*error_theta)) | ((error_thetahat*upstream > 1e-10*np.abs(thetahat)) & (np.abs(thetahat) > 10*ROUNDING*error_thetahat)) | (upstream > 1e-10)), 1, 0)
    if diagnose:
        blocks.append(("explicit", ("psihat",), error_5))
        blocks.append(("explicit", ("psi0hat",), error_6))
        blocks.append(("explicit", ("psi",), error_7))
        blocks.append(("explicit", ("psi0",), error_8))
        blocks.append(("explicit", ("test_error",), E70))
        blocks.append(("explicit", ("clean_error",), error_9))
        blocks.append(("explicit", ("train_error",), E71))
        blocks.append(("explicit", ("objective",), error_10))
        blocks.append(("sizes", ("V1", "V2", "b", "g",), (1.0, 1.0, size_b, size_g,), (True, True, True, True)))
    return stack_vector(iterations.shape, (V1, V2, b, g, q1, q2, theta, psi, psi0, chi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat, chihat, bhat, ghat, test_error, clean_error, train_error, objective, residual, iterations + 0.5*limited_2)).T, blocks
