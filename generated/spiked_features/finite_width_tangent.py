"""Spiked random features, square loss, with the derivatives of everything along a direction, at a finite width (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: V1, V2, q1, q2, theta, psi, psi0, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat, dV1, dV2, dq1, dq2, dtheta, dpsi, dpsi0, dm, dVhat1, dVhat2, dqhat1, dqhat2, dthetahat, dpsihat, dpsi0hat.
Parameters: alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho, rate_inverse_width, rate_tilt, rate_even_parts.
Observables: test_error, clean_error, train_error, objective, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective.
"""


import math

import numpy as np

from asympkit.numbers.functions.routines.elementary import mp_resolvent, mp_resolvent_batch
from asympkit.runtime.compiled import compiled, in_parallel, prange
from asympkit.runtime.linear import solve_linear_2, solve_linear_batch
from asympkit.runtime.means import FLOOR, normal_means
from asympkit.runtime.newton import DIFFERENCES, limited, newton_batch, remember
from asympkit.runtime.rules import outer_rules
from asympkit.runtime.tables import split_tables, stack_matrix, stack_rows, stack_vector


ROUNDING = 2.0**-52
LARGEST_ERROR = 1e-9
PARAMETERS = ("alpha", "beta", "lam", "noise_variance", "r", "c", "gamma", "rho", "inverse_width", "tilt", "even_parts", "rate_alpha", "rate_beta", "rate_lam", "rate_noise_variance", "rate_r", "rate_c", "rate_gamma", "rate_rho", "rate_inverse_width", "rate_tilt", "rate_even_parts",)
TABLE_PARAMETERS = ("r", "c", "gamma", "rho",)
UNKNOWNS = ("V1", "V2", "q1", "q2", "theta", "psi", "psi0", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat", "dV1", "dV2", "dq1", "dq2", "dtheta", "dpsi", "dpsi0", "dm", "dVhat1", "dVhat2", "dqhat1", "dqhat2", "dthetahat", "dpsihat", "dpsi0hat",)
TORN = ("V1", "V2",)
OBSERVABLES = ("test_error", "clean_error", "train_error", "objective", "dtest_error", "size_dtest_error", "dclean_error", "size_dclean_error", "dtrain_error", "size_dtrain_error", "dobjective", "size_dobjective",)
OUTPUTS = ("V1", "V2", "q1", "q2", "theta", "psi", "psi0", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat", "dV1", "dV2", "dq1", "dq2", "dtheta", "dpsi", "dpsi0", "dm", "dVhat1", "dVhat2", "dqhat1", "dqhat2", "dthetahat", "dpsihat", "dpsi0hat", "test_error", "clean_error", "train_error", "objective", "dtest_error", "size_dtest_error", "dclean_error", "size_dclean_error", "dtrain_error", "size_dtrain_error", "dobjective", "size_dobjective", "residual", "iterations",)
ACTIVATIONS = ("student", "target",)
GRIDS = ("kappa",)
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


kappa_SYMMETRIES = ((-1, 1, -1, -1, 1, -1, -1, 1, -1, -1, 1, -1, -1, 1, -1, 1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1), (-1, -1, 1, 1, -1, 1, 1, -1, 1, 1, -1, 1, 1, 1, -1, -1, 1, -1, 1, -1, -1, 1, 1, 1, 1, 1, -1, 1))
kappa_DIRECTIONS = ()


def kappa_rule(levels, r, c, gamma, rho, student, target, places=()):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, hz*mu1, hslope*mu1, kappa**2*mu1**2, dmu0*(kappa**2 - 1), mu0, kappa*mu1, h*kappa*mu1, dmu0, dmu0**2, hbend, h, Abs(h*kappa*mu1), mean_10, kappa*mean_11, -mean + mean_12, kappa*(mean_13 - mean_2), mean, mu1, Abs(hz*mu1), Abs(hslope*mu1), hzz, -hz + mean_15, kappa*(mean_16 - mean_8), hz, mean_17, kappa*mean_18, hslope, -h, -2*mean_13 + mean_19, kappa*(-2*mean + mean_12), mean_6, kappa**2 - 1, kappa*mean, kappa, mean_9, kappa*mean_4, -hbend, -2*mean_16 + mean_20, kappa*(mean_15 - 2*mean_4), -2*h, mean_21, kappa*mean_22.
    """
    rules, kappa, pairs = outer_rules(levels, [(0, r, np.sqrt(c), student.kinks_float), (0, gamma, rho, target.kinks_float), (0, gamma, rho, target.derivative.kinks_float), *places])
    error = 0.0
    (mean, mean_2, mean_6, mean_12, mean_13, mean_19,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: (s*z, s, s*((z*z) - 1), s*z*((z*z) - 1), s*(z*z), s*((z*z) - 1)**(2),),
        {1: (-1, 1, 1, -1, 1, 1), -1: (1, -1, -1, 1, -1, -1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR,), 2: (FLOOR, np.inf, FLOOR, FLOOR, FLOOR, FLOOR,), 1: (np.inf, FLOOR, FLOOR, np.inf, FLOOR, FLOOR,), -1: (FLOOR, np.inf, np.inf, FLOOR, np.inf, np.inf,)})
    error = max(error, change)
    (mean_4, mean_8, mean_9, mean_14, mean_15, mean_16, mean_20, mean_21, mean_22,), change = normal_means(
        target, gamma*kappa, rho, lambda z, s, at: (s*z, s, s*((z*z) - 1), (s*s), s*z*((z*z) - 1), s*(z*z), s*((z*z) - 1)**(2), (s*s)*((z*z) - 1), (s*s)*z,),
        {1: (-1, 1, 1, 1, -1, 1, 1, 1, -1), -1: (1, -1, -1, 1, 1, -1, -1, 1, -1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR,), 2: (FLOOR, np.inf, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR,), 1: (np.inf, FLOOR, FLOOR, FLOOR, np.inf, FLOOR, FLOOR, FLOOR, np.inf,), -1: (FLOOR, np.inf, np.inf, FLOOR, FLOOR, np.inf, np.inf, FLOOR, np.inf,)})
    error = max(error, change)
    (mean_5, mean_17, mean_18,), change = normal_means(
        target.derivative, gamma*kappa, rho, lambda z, s, at: (s, s*((z*z) - 1), s*z,),
        {1: (1, 1, -1), -1: (-1, -1, 1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (np.inf, FLOOR, FLOOR,), 1: (FLOOR, FLOOR, np.inf,), -1: (np.inf, np.inf, FLOOR,)})
    error = max(error, change)
    mu1 = mean/np.sqrt(c)
    mu0 = mean_2
    hz = mean_4
    hslope = mean_5
    dmu0 = (0.5)*mean_6/c
    h = mean_8
    hbend = mean_9
    hzz = mean_14
    (mean_3, mean_10, mean_11,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2), ((z*z) - 1)*(-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2), z*(-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1, 1, -1), -1: (1, 1, -1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (FLOOR, FLOOR, FLOOR,), 1: (FLOOR, FLOOR, FLOOR,), -1: (FLOOR, FLOOR, FLOOR,)})
    error = max(error, change)
    mu2sq = mean_3
    tables = split_tables([kappa, mean, mean_2, mean_6, mean_12, mean_13, mean_19, mean_4, mean_8, mean_9, mean_15, mean_16, mean_20, mean_21, mean_22, mean_17, mean_18, mu1, mu0, hz, hslope, dmu0, h, hbend, hzz, mean_10, mean_11, mu2sq], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), hz*mu1, hslope*mu1, (kappa*kappa)*(mu1*mu1), dmu0*((kappa*kappa) - 1), mu0, kappa*mu1, h*kappa*mu1, dmu0, (dmu0*dmu0), hbend, h, np.abs(h*kappa*mu1), mean_10, kappa*mean_11, -mean + mean_12, kappa*(mean_13 - mean_2), mean, mu1, np.abs(hz*mu1), np.abs(hslope*mu1), hzz, -hz + mean_15, kappa*(mean_16 - mean_8), hz, mean_17, kappa*mean_18, hslope, -h, -2*mean_13 + mean_19, kappa*(-2*mean + mean_12), mean_6, (kappa*kappa) - 1, kappa*mean, kappa, mean_9, kappa*mean_4, -hbend, -2*mean_16 + mean_20, kappa*(mean_15 - 2*mean_4), -2*h, mean_21, kappa*mean_22), weights) for (kappa, mean, mean_2, mean_6, mean_12, mean_13, mean_19, mean_4, mean_8, mean_9, mean_15, mean_16, mean_20, mean_21, mean_22, mean_17, mean_18, mu1, mu0, hz, hslope, dmu0, h, hbend, hzz, mean_10, mean_11, mu2sq), weights in tables], error


def linearize_V1(G, Vhat1, Vhat2, beta, c, dVhat1_dV1, dVhat1_dV2, dVhat2_dV1, dVhat2_dV2, lam):
    """Compute maps, residuals and slopes of V1, V2."""
    e = G*Vhat1*beta*c + 1
    S_weighed = G*c/e
    # V1 = S_weighed
    V1_map = S_weighed
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat1_dV2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    # V2 = S_inverse
    V2_map = G
    dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
    dV2_map_dV2 = -(G*G)*c*dVhat1_dV2/(e*f) - (G*G)*dVhat2_dV2*e/f
    return V1_map, dV1_map_dV1, dV1_map_dV2, V2_map, dV2_map_dV1, dV2_map_dV2


def prepare_theta(E11, E12, E9, G, Vhat1, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, gamma, inverse_width, psi0hat, thetahat_0, tilt):
    """Compute what the equations of theta, m need."""
    e = G*Vhat1*beta*c + 1
    S_weighed = G*c/e
    K_vv = G*c
    A_theta_theta = dthetahat_dtheta*(-K_vv + (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + 1
    A_theta_m = dthetahat_dm*(-K_vv + (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + K_vv*beta*inverse_width*tilt/G
    b_theta = K_vv*thetahat_0 - K_vv*beta*inverse_width*tilt*(K_vv*thetahat_0*tilt - S_weighed*gamma*psi0hat*tilt)/G
    A_m_theta = E9*alpha/beta + K_vv*dthetahat_dtheta*inverse_width*tilt/G
    A_m_m = E11*alpha/beta + K_vv*dthetahat_dm*inverse_width*tilt/G + inverse_width/G
    b_m = E12*alpha/beta - 0.5*inverse_width*(2*K_vv*thetahat_0*tilt - 2*S_weighed*gamma*psi0hat*tilt)/G
    return e, S_weighed, K_vv, A_theta_theta, A_theta_m, b_theta, A_m_theta, A_m_m, b_m


def prepare_dV1(E1, E2, E20, E21, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, e, lam, rate_alpha, rate_beta, rate_c, rate_lam):
    """Compute what the equations of dV1, dV2 need."""
    ddVhat1_ddV1 = -E3*alpha/beta
    ddVhat2_ddV1 = -E4*alpha/beta
    ddVhat1_ddV2 = -E4*alpha/beta
    ddVhat2_ddV2 = -E5*alpha/beta
    dVhat1_0 = -E1*alpha*rate_beta/(beta*beta) + E1*rate_alpha/beta - E20*alpha/beta
    dVhat2_0 = -E2*alpha*rate_beta/(beta*beta) + E2*rate_alpha/beta - E21*alpha/beta
    A_dV1_dV1 = ddVhat1_ddV1*((G*G)*(c*c)/(e*(G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*c*(-(G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*beta*c)/(e*e)) + ddVhat2_ddV1*(-(G*G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(G*Vhat1*beta*c + 1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1))) + 1
    A_dV1_dV2 = ddVhat1_ddV2*((G*G)*(c*c)/(e*(G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*c*(-(G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*beta*c)/(e*e)) + ddVhat2_ddV2*(-(G*G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(G*Vhat1*beta*c + 1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)))
    b_dV1 = -G*c*(G*Vhat1*beta*rate_c + G*Vhat1*c*rate_beta + G*beta*c*dVhat1_0 + Vhat1*beta*c*((G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1_0/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2_0*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*e*rate_lam/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)))/(e*e) + G*rate_c/e + c*((G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1_0/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2_0*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*rate_lam*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1))/e
    A_dV2_dV1 = (G*G)*c*ddVhat1_ddV1/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*ddVhat2_ddV1*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    A_dV2_dV2 = (G*G)*c*ddVhat1_ddV2/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*ddVhat2_ddV2*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 1
    b_dV2 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1_0/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2_0*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*rate_lam*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    return ddVhat1_ddV1, ddVhat2_ddV1, ddVhat1_ddV2, ddVhat2_ddV2, dVhat1_0, dVhat2_0, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2


def prepare_q1(E16, E17, E3, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, e, gamma, inverse_width, lam, m, psi0hat, psihat, thetahat, tilt):
    """Compute what the equations of q1, q2 need."""
    dqhat1_dq1 = E3*alpha/beta
    dqhat2_dq1 = E4*alpha/beta
    dqhat1_dq2 = E4*alpha/beta
    dqhat2_dq2 = E5*alpha/beta
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    A_q1_q1 = -(G*G)*c*dqhat2_dq1/(e*f) - G*c*dqhat1_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_q1_q2 = -(G*G)*c*dqhat2_dq2/(e*f) - G*c*dqhat1_dq2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    A_q2_q1 = -(G*G)*c*dqhat1_dq1/(e*f) - (G*G)*dqhat2_dq1*e/f
    A_q2_q2 = -(G*G)*c*dqhat1_dq2/(e*f) - (G*G)*dqhat2_dq2*e/f + 1
    qhat1_0 = E16*alpha/beta
    qhat2_0 = E17*alpha/beta
    b_q1 = (G*G)*c*qhat2_0/(e*f) + G*c*qhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + c*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(e*f) - (-(G*G)*(c*c)*(thetahat*thetahat)/(e*f) - G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta + inverse_width*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G
    b_q2 = (G*G)*c*qhat1_0/(e*f) + (G*G)*e*qhat2_0/f + e*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/f - (-(G*G)*c*e*(thetahat*thetahat)/f - (G*G)*c*(psihat*psihat)/(e*f))/beta + inverse_width*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G
    return dqhat1_dq1, dqhat2_dq1, dqhat1_dq2, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2


def prepare_dtheta(E11, E25, E26, E27, E28, E29, E7, E8, E9, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, dV1, dV2, dVhat1_0, dVhat2_0, ddVhat1_ddV1, ddVhat1_ddV2, ddVhat2_ddV1, ddVhat2_ddV2, e, gamma, inverse_width, lam, m, psi0hat, rate_alpha, rate_beta, rate_c, rate_gamma, rate_inverse_width, rate_lam, rate_tilt, thetahat, tilt):
    """Compute what the equations of dtheta, dm need."""
    # dVhat1 = alpha*E_kappa[2*dmu1*mu1/(V + 1) - dV*mu1**2/(V + 1)**2]/beta - alpha*rate_beta*E_kappa[mu1**2/(V + 1)]/beta**2 + rate_alpha*E_kappa[mu1**2/(V + 1)]/beta
    dVhat1 = dV1*ddVhat1_ddV1 + dV2*ddVhat1_ddV2 + dVhat1_0
    # dVhat2 = alpha*E_kappa[dmu2sq/(V + 1) - dV*mu2sq/(V + 1)**2]/beta - alpha*rate_beta*E_kappa[mu2sq/(V + 1)]/beta**2 + rate_alpha*E_kappa[mu2sq/(V + 1)]/beta
    dVhat2 = dV1*ddVhat2_ddV1 + dV2*ddVhat2_ddV2 + dVhat2_0
    dG = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*rate_lam*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    dG_2 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*e*rate_lam/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    de = G*Vhat1*beta*rate_c + G*Vhat1*c*rate_beta + G*beta*c*dVhat1 + Vhat1*beta*c*dG_2
    dS_weighed = -G*c*de/(e*e) + G*rate_c/e + c*dG/e
    ddthetahat_ddtheta = -E8*alpha
    ddthetahat_ddm = -E9*alpha
    A_dtheta_dtheta = ddthetahat_ddtheta*(-K_vv + (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + 1
    A_dtheta_dm = ddthetahat_ddm*(-K_vv + (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + K_vv*beta*inverse_width*tilt/G
    dK_vv = G*rate_c + c*dG
    A_dm_dtheta = E9*alpha/beta + K_vv*ddthetahat_ddtheta*inverse_width*tilt/G
    A_dm_dm = E11*alpha/beta + K_vv*ddthetahat_ddm*inverse_width*tilt/G + inverse_width/G
    # dpsi0hat = alpha*E_kappa[dhslope*mu1/(V + 1) + dmu1*hslope/(V + 1) - dV*hslope*mu1/(V + 1)**2] + rate_alpha*E_kappa[hslope*mu1/(V + 1)]
    dpsi0hat = E25*alpha + E7*rate_alpha
    dthetahat_0 = -E26*rate_alpha - E27*alpha
    b_dtheta = dK_vv*(thetahat - K_vv*beta*inverse_width*thetahat*(tilt*tilt)/G - beta*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + dthetahat_0*(K_vv - (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + rate_tilt*(-K_vv*beta*inverse_width*tilt*(K_vv*thetahat - S_weighed*gamma*psi0hat)/G - K_vv*beta*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + K_vv*S_weighed*beta*dpsi0hat*gamma*inverse_width*(tilt*tilt)/G + K_vv*S_weighed*beta*inverse_width*psi0hat*rate_gamma*(tilt*tilt)/G + K_vv*beta*dS_weighed*gamma*inverse_width*psi0hat*(tilt*tilt)/G - K_vv*beta*rate_inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G - K_vv*inverse_width*rate_beta*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G + K_vv*beta*dG*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G)
    b_dm = E28*alpha*rate_beta/(beta*beta) - E28*rate_alpha/beta - E29*alpha/beta - K_vv*dthetahat_0*inverse_width*tilt/G + S_weighed*dpsi0hat*gamma*inverse_width*tilt/G + S_weighed*inverse_width*psi0hat*rate_gamma*tilt/G - dK_vv*inverse_width*thetahat*tilt/G + dS_weighed*gamma*inverse_width*psi0hat*tilt/G - 0.5*inverse_width*rate_tilt*(2*K_vv*thetahat - 2*S_weighed*gamma*psi0hat)/G - 0.5*rate_inverse_width*(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/G + (0.5)*dG*inverse_width*(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/(G*G)
    return dVhat1, dVhat2, dG, de, dS_weighed, ddthetahat_ddtheta, ddthetahat_ddm, A_dtheta_dtheta, A_dtheta_dm, dK_vv, A_dm_dtheta, A_dm_dm, dpsi0hat, dthetahat_0, b_dtheta, b_dm


def prepare_dq1(E3, E34, E35, E36, E37, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, dG, dK_vv, dS_weighed, dVhat1, dVhat2, de, dm, dpsi0hat, dpsihat, dqhat1_dq1, dqhat1_dq2, dqhat2_dq1, dqhat2_dq2, dthetahat, e, f, gamma, inverse_width, lam, m, psi0hat, psihat, q1, q2, qhat1_0, qhat2_0, rate_alpha, rate_beta, rate_c, rate_gamma, rate_inverse_width, rate_lam, rate_tilt, thetahat, tilt):
    """Compute what the equations of dq1, dq2 need."""
    ddqhat1_ddq1 = E3*alpha/beta
    ddqhat2_ddq1 = E4*alpha/beta
    ddqhat1_ddq2 = E4*alpha/beta
    ddqhat2_ddq2 = E5*alpha/beta
    A_dq1_dq1 = -(G*G)*c*ddqhat2_ddq1/(e*f) - G*c*ddqhat1_ddq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_dq1_dq2 = -(G*G)*c*ddqhat2_ddq2/(e*f) - G*c*ddqhat1_ddq2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    dG_3 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/(f*(G*Vhat1*beta*c + 1)) - (G*G)*Vhat1*rate_c/(f*(G*Vhat1*beta*c + 1)) - (G*G)*c*dVhat1/(f*(G*Vhat1*beta*c + 1)) - (G*G)*dVhat2*(G*Vhat1*beta*c + 1)/f - (G*G)*rate_lam*(G*Vhat1*beta*c + 1)/f
    df = (G*G)*Vhat1*beta*c*dVhat2 + (G*G)*Vhat1*beta*c*rate_lam + (G*G)*Vhat1*beta*rate_c*(Vhat2 + lam) + (G*G)*Vhat1*c*rate_beta*(Vhat2 + lam) + (G*G)*beta*c*dVhat1*(Vhat2 + lam) + 2*G*Vhat1*beta*c*dG_3*(Vhat2 + lam)
    A_dq2_dq1 = -(G*G)*c*ddqhat1_ddq1/(e*f) - (G*G)*ddqhat2_ddq1*e/f
    A_dq2_dq2 = -(G*G)*c*ddqhat1_ddq2/(e*f) - (G*G)*ddqhat2_ddq2*e/f + 1
    # qhat1 = alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    qhat1 = dqhat1_dq1*q1 + dqhat1_dq2*q2 + qhat1_0
    # qhat2 = alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    dqhat1_0 = -E34*alpha*rate_beta/(beta*beta) + E34*rate_alpha/beta + E35*alpha/beta
    dqhat2_0 = -E36*alpha*rate_beta/(beta*beta) + E36*rate_alpha/beta + E37*alpha/beta
    b_dq1 = (G*G)*c*dqhat2_0/(e*f) + G*c*dqhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 2*G*c*dpsihat*psihat*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(beta*e*f) + dG*(-2*c*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*e*f) - inverse_width*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G)) + dK_vv*(2*c*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) + inverse_width*thetahat*tilt*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + dS_weighed*(-2*c*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) - gamma*inverse_width*psi0hat*tilt*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + dm*(c*inverse_width*(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/(e*f) + inverse_width*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + dpsi0hat*(-2*S_weighed*c*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) + 2*c*gamma*inverse_width*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) - S_weighed*gamma*inverse_width*tilt*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + dthetahat*(2*(G*G)*(c*c)*thetahat/(beta*e*f) - 2*G*(c*c)*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) + 2*K_vv*c*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) + K_vv*inverse_width*tilt*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + rate_gamma*(-2*S_weighed*c*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) + 2*c*inverse_width*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) - S_weighed*inverse_width*psi0hat*tilt*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + rate_inverse_width*(c*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(e*f) + (-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + rate_tilt*(c*inverse_width*(2*K_vv*thetahat - 2*S_weighed*gamma*psi0hat)*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) + inverse_width*(K_vv*thetahat - S_weighed*gamma*psi0hat)*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G + inverse_width*(-2*(G*G)*(c*c)*thetahat/(e*f) + 2*G*c*gamma*psi0hat*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + (qhat2 + inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*G))*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + (G*G)*rate_c/(e*f) + 2*G*c*dG/(e*f)) + ((thetahat*thetahat)/beta - 2*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G)*(-(G*G)*(c*c)*de/((e*e)*f) - (G*G)*(c*c)*df/(e*(f*f)) + 2*(G*G)*c*rate_c/(e*f) + 2*G*(c*c)*dG/(e*f)) + (qhat1 + (psihat*psihat)/beta + 2*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G)*((G*G*G)*beta*(c*c)*dVhat2/(e*f) + (G*G*G)*beta*(c*c)*rate_lam/(e*f) + (G*G*G)*(c*c)*rate_beta*(Vhat2 + lam)/(e*f) - G*c*df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + de*(-(G*G)*(c*c)/((e*e*e)*f) - G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)) + rate_c*(G*c*((G*G)*beta*(Vhat2 + lam) + G/e)/(e*f) + G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))) + rate_beta*(-(G*G)*(c*c)*(thetahat*thetahat)/(e*f) - G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/(beta*beta)
    b_dq2 = (G*G)*c*dqhat1_0/(e*f) + (G*G)*dqhat2_0*e/f + 2*(G*G)*c*dpsihat*psihat/(beta*e*f) + dG*(-2*e*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*f) - inverse_width*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G)) + dK_vv*(2*e*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f + inverse_width*thetahat*tilt*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + dS_weighed*(-2*e*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f - gamma*inverse_width*psi0hat*tilt*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + dm*(e*inverse_width*(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/f + inverse_width*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + dpsi0hat*(2*G*c*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) - 2*S_weighed*e*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f - S_weighed*gamma*inverse_width*tilt*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + dthetahat*(2*(G*G)*c*e*thetahat/(beta*f) - 2*G*c*e*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f + 2*K_vv*e*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f + K_vv*inverse_width*tilt*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + rate_gamma*(2*G*c*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) - 2*S_weighed*e*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f - S_weighed*inverse_width*psi0hat*tilt*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + rate_inverse_width*(e*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/f + (-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + rate_tilt*(e*inverse_width*(2*K_vv*thetahat - 2*S_weighed*gamma*psi0hat)*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f + inverse_width*(K_vv*thetahat - S_weighed*gamma*psi0hat)*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G + inverse_width*(-2*(G*G)*c*e*thetahat/f + 2*(G*G)*c*gamma*psi0hat/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + (qhat2 + inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*G))*((G*G)*de/f - (G*G)*df*e/(f*f) + 2*G*dG*e/f) + ((thetahat*thetahat)/beta - 2*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G)*((G*G)*c*de/f - (G*G)*c*df*e/(f*f) + (G*G)*e*rate_c/f + 2*G*c*dG*e/f) + (qhat1 + (psihat*psihat)/beta + 2*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G)*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + (G*G)*rate_c/(e*f) + 2*G*c*dG/(e*f)) + rate_beta*(-(G*G)*c*e*(thetahat*thetahat)/f - (G*G)*c*(psihat*psihat)/(e*f))/(beta*beta)
    return ddqhat1_ddq1, ddqhat2_ddq1, ddqhat1_ddq2, ddqhat2_ddq2, A_dq1_dq1, A_dq1_dq2, df, A_dq2_dq1, A_dq2_dq2, qhat1, qhat2, dqhat1_0, dqhat2_0, b_dq1, b_dq2


def conclude(E42, E43, E44, E45, E46, E47, G, K_vv, S_weighed, alpha, beta, ddqhat1_ddq1, ddqhat1_ddq2, ddqhat2_ddq1, ddqhat2_ddq2, dq1, dq2, dqhat1_0, dqhat2_0, gamma, inverse_width, lam, m, noise_variance, psi0hat, q2, rate_alpha, rate_beta, rate_lam, rate_noise_variance, thetahat, tilt):
    """Compute observables and the errors that rounding makes."""
    V1_check = S_weighed
    V2_check = G
    error = beta*inverse_width*(abs(K_vv)*abs(thetahat)*abs(tilt) + abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt) + abs(m))*abs(S_weighed)*abs(gamma)*abs(tilt)/abs(G)
    # dqhat1 = alpha*E_kappa[2*R*dmu1*mu1/(V + 1)**2 + dR*mu1**2/(V + 1)**2 - 2*R*dV*mu1**2/(V + 1)**3]/beta - alpha*rate_beta*E_kappa[R*mu1**2/(V + 1)**2]/beta**2 + rate_alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    dqhat1 = ddqhat1_ddq1*dq1 + ddqhat1_ddq2*dq2 + dqhat1_0
    # dqhat2 = alpha*E_kappa[R*dmu2sq/(V + 1)**2 + dR*mu2sq/(V + 1)**2 - 2*R*dV*mu2sq/(V + 1)**3]/beta - alpha*rate_beta*E_kappa[R*mu2sq/(V + 1)**2]/beta**2 + rate_alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    dqhat2 = ddqhat2_ddq1*dq1 + ddqhat2_ddq2*dq2 + dqhat2_0
    # test_error = E_kappa[R]
    test_error = E42
    # clean_error = -noise_variance + E_kappa[R]
    clean_error = E42 - noise_variance
    # train_error = E_kappa[R/(V + 1)**2]
    train_error = E43
    # objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    objective = E43 + beta*lam*q2/alpha
    error_6 = noise_variance + abs(E42)
    error_7 = abs(E43) + beta*lam*abs(q2)/alpha
    # dtest_error = E_kappa[dR]
    dtest_error = E44
    # size_dtest_error = E_kappa[Abs(dR)]
    size_dtest_error = E45
    # dclean_error = -rate_noise_variance + E_kappa[dR]
    dclean_error = E44 - rate_noise_variance
    # size_dclean_error = Abs(rate_noise_variance) + E_kappa[Abs(dR)]
    size_dclean_error = E45 + abs(rate_noise_variance)
    # dtrain_error = E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3]
    dtrain_error = E46
    # size_dtrain_error = E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)]
    size_dtrain_error = E47
    # dobjective = E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3] + beta*dq2*lam/alpha + beta*q2*rate_lam/alpha + lam*q2*rate_beta/alpha - beta*lam*q2*rate_alpha/alpha**2
    dobjective = E46 + beta*dq2*lam/alpha + beta*q2*rate_lam/alpha + lam*q2*rate_beta/alpha - beta*lam*q2*rate_alpha/(alpha*alpha)
    # size_dobjective = E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)] + beta*lam*Abs(dq2)/alpha + beta*Abs(q2)*Abs(rate_lam)/alpha + lam*Abs(q2)*Abs(rate_beta)/alpha + beta*lam*Abs(q2)*Abs(rate_alpha)/alpha**2
    size_dobjective = E47 + beta*lam*abs(dq2)/alpha + beta*abs(q2)*abs(rate_lam)/alpha + lam*abs(q2)*abs(rate_beta)/alpha + beta*lam*abs(q2)*abs(rate_alpha)/(alpha*alpha)
    return V1_check, V2_check, error, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_6, error_7, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective


@compiled
def solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho, rate_inverse_width, rate_tilt, rate_even_parts, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    mu1_mu1, mu2sq, mu1_mu1_mu1_mu1, mu1_mu1_mu2sq, mu2sq_mu2sq, hz_mu1, hslope_mu1, kappa_kappa_mu1_mu1, column, mu0, kappa_mu1, h_kappa_mu1, dmu0, dmu0_dmu0, hbend, h, mean_10, kappa_mean_11, column_3, column_4, mean, mu1, hzz, column_7, column_8, hz, mean_17, kappa_mean_18, hslope, column_9, column_10, column_11, mean_6, column_12, kappa_mean, kappa, mean_9, kappa_mean_4, column_13, column_14, column_15, column_16, mean_21, kappa_mean_22 = kappa_table[0], kappa_table[1], kappa_table[2], kappa_table[3], kappa_table[4], kappa_table[5], kappa_table[6], kappa_table[7], kappa_table[8], kappa_table[9], kappa_table[10], kappa_table[11], kappa_table[12], kappa_table[13], kappa_table[14], kappa_table[15], kappa_table[17], kappa_table[18], kappa_table[19], kappa_table[20], kappa_table[21], kappa_table[22], kappa_table[25], kappa_table[26], kappa_table[27], kappa_table[28], kappa_table[29], kappa_table[30], kappa_table[31], kappa_table[32], kappa_table[33], kappa_table[34], kappa_table[35], kappa_table[36], kappa_table[37], kappa_table[38], kappa_table[39], kappa_table[40], kappa_table[41], kappa_table[42], kappa_table[43], kappa_table[44], kappa_table[45], kappa_table[46]
    iterations = 0.0
    # Newton's method for V1, V2
    V1, V2 = V1_start, V2_start
    V1_V2_moved = math.inf
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
        # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
        Vhat1 = E1*alpha/beta
        # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
        Vhat2 = E2*alpha/beta
        dVhat1_dV1 = -E3*alpha/beta
        dVhat2_dV1 = -E4*alpha/beta
        dVhat1_dV2 = -E4*alpha/beta
        dVhat2_dV2 = -E5*alpha/beta
        G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
        V1_map, dV1_map_dV1, dV1_map_dV2, V2_map, dV2_map_dV1, dV2_map_dV2 = linearize_V1(G, Vhat1, Vhat2, beta, c, dVhat1_dV1, dVhat1_dV2, dVhat2_dV1, dVhat2_dV2, lam)
        iterations += 1.0
        if step < plain:
            V1, V2 = V1_map, V2_map
            continue
        g0 = math.log(V1/V1_map)
        g1 = math.log(V2/V2_map)
        slope_V1_V1, slope_V1_V2 = 1.0 - dV1_map_dV1*V1/V1_map, -dV1_map_dV2*V2/V1_map
        slope_V2_V1, slope_V2_V2 = -dV2_map_dV1*V1/V2_map, 1.0 - dV2_map_dV2*V2/V2_map
        delta0, delta1, missed = solve_linear_2(slope_V1_V1, slope_V1_V2, slope_V2_V1, slope_V2_V2, g0, g1)
        if missed > 1e-6:        # singular: away from here
            delta0, delta1 = 0.5, 0.5
        delta0 = min(3.0, max(-3.0, delta0))
        V1 = V1*math.exp(-delta0)
        delta1 = min(3.0, max(-3.0, delta1))
        V2 = V2*math.exp(-delta1)
        V1_V2_moved = max(abs(delta0), abs(delta1))
        if not V1_V2_moved > tolerance:
            V1_V2_moved = math.inf if math.isnan(V1_V2_moved) else 0.0
            break
    E1 = E2 = E6 = E7 = E8 = E9 = E10 = E11 = E12 = E3 = E4 = E5 = E20 = E21 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column[i]*inverse_width + mu0[i]
        bend = beta*c*dmu0[i]*even_parts*inverse_width
        common = 2*beta*(c*c)*dmu0_dmu0[i]*inverse_width
        dmu2sq = (0.5)*mean_10[i]*rate_c/c + kappa_mean_11[i]*rate_r/math.sqrt(c)
        dmu1 = ((0.5)*column_3[i]*rate_c/c + column_4[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        E1 += kappa_weights[i]*(inv*mu1_mu1[i])    # E_kappa[mu1**2/(V + 1)]
        E2 += kappa_weights[i]*(inv*mu2sq[i])    # E_kappa[mu2sq/(V + 1)]
        E6 += kappa_weights[i]*(hz_mu1[i]*inv)    # E_kappa[hz*mu1/(V + 1)]
        E7 += kappa_weights[i]*(hslope_mu1[i]*inv)    # E_kappa[hslope*mu1/(V + 1)]
        E8 += kappa_weights[i]*(inv*kappa_kappa_mu1_mu1[i])    # E_kappa[kappa**2*mu1**2/(V + 1)]
        E9 += kappa_weights[i]*(inv*kappa_mu1[i]*mean_7)    # E_kappa[kappa*mean*mu1/(V + 1)]
        E10 += kappa_weights[i]*(h_kappa_mu1[i]*inv)    # E_kappa[kappa*h*mu1/(V + 1)]
        E11 += kappa_weights[i]*(inv*(2*(bend*bend) + common + (mean_7*mean_7)))    # E_kappa[(2*bend**2 + common + mean**2)/(V + 1)]
        E12 += kappa_weights[i]*(inv*(bend*hbend[i] + h[i]*mean_7))    # E_kappa[(bend*hbend + h*mean)/(V + 1)]
        E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])    # E_kappa[mu1**4/(V + 1)**2]
        E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
        E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])    # E_kappa[mu2sq**2/(V + 1)**2]
        E20 += kappa_weights[i]*(-2*dmu1*inv*mu1[i] + (inv*inv)*mu1_mu1[i]*(2*V1*dmu1*mu1[i] + V2*dmu2sq))    # E_kappa[(2*V1*dmu1*mu1 + V2*dmu2sq)*mu1**2/(V + 1)**2 - 2*dmu1*mu1/(V + 1)]
        E21 += kappa_weights[i]*(-dmu2sq*inv + (inv*inv)*mu2sq[i]*(2*V1*dmu1*mu1[i] + V2*dmu2sq))    # E_kappa[(2*V1*dmu1*mu1 + V2*dmu2sq)*mu2sq/(V + 1)**2 - dmu2sq/(V + 1)]
    # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat1 = E1*alpha/beta
    # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
    Vhat2 = E2*alpha/beta
    # psi0hat = alpha*E_kappa[hslope*mu1/(V + 1)]
    psi0hat = E7*alpha
    dthetahat_dtheta = -E8*alpha
    dthetahat_dm = -E9*alpha
    thetahat_0 = E10*alpha
    G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
    e, S_weighed, K_vv, A_theta_theta, A_theta_m, b_theta, A_m_theta, A_m_m, b_m = prepare_theta(E11, E12, E9, G, Vhat1, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, gamma, inverse_width, psi0hat, thetahat_0, tilt)
    # linear block for theta, m
    theta, m, theta_m_residual = solve_linear_2(A_theta_theta, A_theta_m, A_m_theta, A_m_m, b_theta, b_m)
    ddVhat1_ddV1, ddVhat2_ddV1, ddVhat1_ddV2, ddVhat2_ddV2, dVhat1_0, dVhat2_0, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2 = prepare_dV1(E1, E2, E20, E21, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, e, lam, rate_alpha, rate_beta, rate_c, rate_lam)
    # linear block for dV1, dV2
    dV1, dV2, dV1_dV2_residual = solve_linear_2(A_dV1_dV1, A_dV1_dV2, A_dV2_dV1, A_dV2_dV2, b_dV1, b_dV2)
    # psihat = alpha*E_kappa[hz*mu1/(V + 1)]
    psihat = E6*alpha
    # psi = psihat*S_weighed
    psi = S_weighed*psihat
    # thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    # psi0 = beta*gamma*inverse_width*tilt*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)*S_weighed/S_inverse
    psi0 = S_weighed*beta*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G
    E16 = E17 = E24 = E25 = E26 = E27 = E28 = E29 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column[i]*inverse_width + mu0[i]
        C = kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*(c*c)*dmu0_dmu0[i]*inverse_width
        bend = beta*c*dmu0[i]*even_parts*inverse_width
        dhz = column_7[i]*rate_rho/rho + column_8[i]*rate_gamma/rho
        dmu1 = ((0.5)*column_3[i]*rate_c/c + column_4[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        dmu2sq = (0.5)*mean_10[i]*rate_c/c + kappa_mean_11[i]*rate_r/math.sqrt(c)
        dV = 2*V1*dmu1*mu1[i] + V2*dmu2sq + dV1*mu1_mu1[i] + dV2*mu2sq[i]
        dhslope = kappa_mean_18[i]*rate_gamma/rho + mean_17[i]*rate_rho/rho
        ddmu0 = (0.5)*((0.5)*column_10[i]*rate_c/c + column_11[i]*rate_r/math.sqrt(c))/c - 0.5*mean_6[i]*rate_c/(c*c)
        dmu0_2 = (0.5)*mean_6[i]*rate_c/c + kappa_mean[i]*rate_r/math.sqrt(c)
        dmean = beta*c*column[i]*rate_inverse_width + beta*c*column_12[i]*ddmu0*inverse_width + beta*column[i]*inverse_width*rate_c + c*column[i]*inverse_width*rate_beta + dmu0_2
        dh = kappa_mean_4[i]*rate_gamma/rho + mean_9[i]*rate_rho/rho
        dcommon = 4*beta*(c*c)*ddmu0*dmu0[i]*inverse_width + 2*beta*(c*c)*dmu0_dmu0[i]*rate_inverse_width + 4*beta*c*dmu0_dmu0[i]*inverse_width*rate_c + 2*(c*c)*dmu0_dmu0[i]*inverse_width*rate_beta
        dbend = beta*c*ddmu0*even_parts*inverse_width + beta*c*dmu0[i]*even_parts*rate_inverse_width + beta*c*dmu0[i]*inverse_width*rate_even_parts + beta*dmu0[i]*even_parts*inverse_width*rate_c + c*dmu0[i]*even_parts*inverse_width*rate_beta
        dhbend = column_14[i]*rate_rho/rho + column_15[i]*rate_gamma/rho
        E16 += kappa_weights[i]*((inv*inv)*mu1_mu1[i]*((C*C) - 2*C*h[i] + 2*(bend*bend)*(m*m) - 2*bend*hbend[i]*m + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(2*m**2*bend**2 + m**2*common - 2*m*bend*hbend + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu1**2/(V + 1)**2]
        E17 += kappa_weights[i]*((inv*inv)*mu2sq[i]*((C*C) - 2*C*h[i] + 2*(bend*bend)*(m*m) - 2*bend*hbend[i]*m + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(2*m**2*bend**2 + m**2*common - 2*m*bend*hbend + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu2sq/(V + 1)**2]
        E24 += kappa_weights[i]*(-dV*hz_mu1[i]*(inv*inv) + dhz*inv*mu1[i] + dmu1*hz[i]*inv)    # E_kappa[dhz*mu1/(V + 1) + dmu1*hz/(V + 1) - dV*hz*mu1/(V + 1)**2]
        E25 += kappa_weights[i]*(-dV*hslope_mu1[i]*(inv*inv) + dhslope*inv*mu1[i] + dmu1*hslope[i]*inv)    # E_kappa[dhslope*mu1/(V + 1) + dmu1*hslope/(V + 1) - dV*hslope*mu1/(V + 1)**2]
        E26 += kappa_weights[i]*(inv*kappa_mu1[i]*(C + column_9[i]))    # E_kappa[kappa*(C - h)*mu1/(V + 1)]
        E27 += kappa_weights[i]*(kappa[i]*(-dV*(inv*inv)*mu1[i]*(C + column_9[i]) - dh*inv*mu1[i] + dmu1*inv*(C + column_9[i]) + inv*mu1[i]*(dmean*m + dmu1*kappa[i]*theta)))    # E_kappa[kappa*((kappa*theta*dmu1 + m*dmean)*mu1/(V + 1) + (C - h)*dmu1/(V + 1) - (C - h)*dV*mu1/(V + 1)**2 - dh*mu1/(V + 1))]
        E28 += kappa_weights[i]*(inv*(C*mean_7 + 2*(bend*bend)*m - bend*hbend[i] + common*m - h[i]*mean_7))    # E_kappa[(2*m*bend**2 + m*common + C*mean - bend*hbend - h*mean)/(V + 1)]
        E29 += kappa_weights[i]*(-bend*dhbend*inv - dV*(inv*inv)*(C*mean_7 + 2*(bend*bend)*m - bend*hbend[i] + common*m - h[i]*mean_7) + dbend*inv*(4*bend*m + column_13[i]) + dcommon*inv*m - dh*inv*mean_7 + dmean*inv*(C + column_9[i]) + inv*mean_7*(dmean*m + dmu1*kappa[i]*theta))    # E_kappa[m*dcommon/(V + 1) + (4*m*bend - hbend)*dbend/(V + 1) + (kappa*theta*dmu1 + m*dmean)*mean/(V + 1) + (C - h)*dmean/(V + 1) - bend*dhbend/(V + 1) - dh*mean/(V + 1) - (2*m*bend**2 + m*common + C*mean - bend*hbend - h*mean)*dV/(V + 1)**2]
    dqhat1_dq1, dqhat2_dq1, dqhat1_dq2, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E16, E17, E3, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, e, gamma, inverse_width, lam, m, psi0hat, psihat, thetahat, tilt)
    # linear block for q1, q2
    q1, q2, q1_q2_residual = solve_linear_2(A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, b_q1, b_q2)
    dVhat1, dVhat2, dG, de, dS_weighed, ddthetahat_ddtheta, ddthetahat_ddm, A_dtheta_dtheta, A_dtheta_dm, dK_vv, A_dm_dtheta, A_dm_dm, dpsi0hat, dthetahat_0, b_dtheta, b_dm = prepare_dtheta(E11, E25, E26, E27, E28, E29, E7, E8, E9, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, dV1, dV2, dVhat1_0, dVhat2_0, ddVhat1_ddV1, ddVhat1_ddV2, ddVhat2_ddV1, ddVhat2_ddV2, e, gamma, inverse_width, lam, m, psi0hat, rate_alpha, rate_beta, rate_c, rate_gamma, rate_inverse_width, rate_lam, rate_tilt, thetahat, tilt)
    # linear block for dtheta, dm
    dtheta, dm, dtheta_dm_residual = solve_linear_2(A_dtheta_dtheta, A_dtheta_dm, A_dm_dtheta, A_dm_dm, b_dtheta, b_dm)
    # dpsihat = alpha*E_kappa[dhz*mu1/(V + 1) + dmu1*hz/(V + 1) - dV*hz*mu1/(V + 1)**2] + rate_alpha*E_kappa[hz*mu1/(V + 1)]
    dpsihat = E24*alpha + E6*rate_alpha
    # dpsi = dpsihat*S_weighed + psihat*dS_weighed
    dpsi = S_weighed*dpsihat + dS_weighed*psihat
    # dthetahat = -alpha*E_kappa[kappa*((C - h)*dmu1/(V + 1) - (C - h)*dV*mu1/(V + 1)**2 + dC*mu1/(V + 1) - dh*mu1/(V + 1))] - rate_alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    dthetahat = ddthetahat_ddm*dm + ddthetahat_ddtheta*dtheta + dthetahat_0
    # dpsi0 = beta*dm*gamma*inverse_width*tilt*S_weighed/S_inverse - beta*dpsi0hat*gamma**2*inverse_width*tilt**2*S_weighed**2/S_inverse + beta*dthetahat*gamma*inverse_width*tilt**2*K_vv*S_weighed/S_inverse + beta*gamma*inverse_width*thetahat*tilt**2*S_weighed*dK_vv/S_inverse - beta*gamma*inverse_width*tilt*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)*S_weighed*dS_inverse/S_inverse**2 + beta*gamma*rate_inverse_width*tilt*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)*S_weighed/S_inverse + gamma*inverse_width*rate_beta*tilt*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)*S_weighed/S_inverse + rate_gamma*(-beta*gamma*inverse_width*psi0hat*tilt**2*S_weighed**2/S_inverse + beta*inverse_width*tilt*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)*S_weighed/S_inverse) + rate_tilt*(beta*gamma*inverse_width*tilt*(-gamma*psi0hat*S_weighed + thetahat*K_vv)*S_weighed/S_inverse + beta*gamma*inverse_width*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)*S_weighed/S_inverse) + (-beta*gamma**2*inverse_width*psi0hat*tilt**2*S_weighed/S_inverse + beta*gamma*inverse_width*tilt*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)/S_inverse)*dS_weighed
    dpsi0 = dS_weighed*(-S_weighed*beta*(gamma*gamma)*inverse_width*psi0hat*(tilt*tilt)/G + beta*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + rate_gamma*(-(S_weighed*S_weighed)*beta*gamma*inverse_width*psi0hat*(tilt*tilt)/G + S_weighed*beta*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + rate_tilt*(S_weighed*beta*gamma*inverse_width*tilt*(K_vv*thetahat - S_weighed*gamma*psi0hat)/G + S_weighed*beta*gamma*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + K_vv*S_weighed*beta*dthetahat*gamma*inverse_width*(tilt*tilt)/G - (S_weighed*S_weighed)*beta*dpsi0hat*(gamma*gamma)*inverse_width*(tilt*tilt)/G + S_weighed*beta*dK_vv*gamma*inverse_width*thetahat*(tilt*tilt)/G + S_weighed*beta*dm*gamma*inverse_width*tilt/G + S_weighed*beta*gamma*rate_inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G + S_weighed*gamma*inverse_width*rate_beta*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G - S_weighed*beta*dG*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G)
    E34 = E35 = E36 = E37 = E42 = E43 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column[i]*inverse_width + mu0[i]
        C = kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*(c*c)*dmu0_dmu0[i]*inverse_width
        bend = beta*c*dmu0[i]*even_parts*inverse_width
        R = (C*C) - 2*C*h[i] + 2*(bend*bend)*(m*m) - 2*bend*hbend[i]*m + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        dmu2sq = (0.5)*mean_10[i]*rate_c/c + kappa_mean_11[i]*rate_r/math.sqrt(c)
        ddmu0 = (0.5)*((0.5)*column_10[i]*rate_c/c + column_11[i]*rate_r/math.sqrt(c))/c - 0.5*mean_6[i]*rate_c/(c*c)
        dcommon = 4*beta*(c*c)*ddmu0*dmu0[i]*inverse_width + 2*beta*(c*c)*dmu0_dmu0[i]*rate_inverse_width + 4*beta*c*dmu0_dmu0[i]*inverse_width*rate_c + 2*(c*c)*dmu0_dmu0[i]*inverse_width*rate_beta
        dmu0_2 = (0.5)*mean_6[i]*rate_c/c + kappa_mean[i]*rate_r/math.sqrt(c)
        dmean = beta*c*column[i]*rate_inverse_width + beta*c*column_12[i]*ddmu0*inverse_width + beta*column[i]*inverse_width*rate_c + c*column[i]*inverse_width*rate_beta + dmu0_2
        dmu1 = ((0.5)*column_3[i]*rate_c/c + column_4[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        dC = dm*mean_7 + dmean*m + dmu1*kappa[i]*theta + dtheta*kappa_mu1[i]
        dbend = beta*c*ddmu0*even_parts*inverse_width + beta*c*dmu0[i]*even_parts*rate_inverse_width + beta*c*dmu0[i]*inverse_width*rate_even_parts + beta*dmu0[i]*even_parts*inverse_width*rate_c + c*dmu0[i]*even_parts*inverse_width*rate_beta
        dh = kappa_mean_4[i]*rate_gamma/rho + mean_9[i]*rate_rho/rho
        dhbend = column_14[i]*rate_rho/rho + column_15[i]*rate_gamma/rho
        dhz = column_7[i]*rate_rho/rho + column_8[i]*rate_gamma/rho
        dhslope = kappa_mean_18[i]*rate_gamma/rho + mean_17[i]*rate_rho/rho
        dhzz = kappa_mean_22[i]*rate_gamma/rho + mean_21[i]*rate_rho/rho
        dV = 2*V1*dmu1*mu1[i] + V2*dmu2sq + dV1*mu1_mu1[i] + dV2*mu2sq[i]
        E34 += kappa_weights[i]*(R*(inv*inv)*mu1_mu1[i])    # E_kappa[R*mu1**2/(V + 1)**2]
        E35 += kappa_weights[i]*(-2*R*dV*(inv*inv*inv)*mu1_mu1[i] + 2*R*dmu1*(inv*inv)*mu1[i] + (inv*inv)*mu1_mu1[i]*(-2*C*dh - 2*bend*dhbend*m + dC*(2*C + column_16[i]) + dbend*(4*bend*(m*m) - 2*hbend[i]*m) + dcommon*(m*m) - 2*dhslope*mu1[i]*psi0 - 2*dhz*mu1[i]*psi + dhzz + dm*(4*(bend*bend)*m - 2*bend*hbend[i] + 2*common*m) + dmu1*(-2*hslope[i]*psi0 - 2*hz[i]*psi + 2*mu1[i]*q1) + dmu2sq*q2 - 2*dpsi*hz_mu1[i] - 2*dpsi0*hslope_mu1[i] + rate_noise_variance))    # E_kappa[(dm*(4*m*bend**2 + 2*m*common - 2*bend*hbend) - 2*dpsi*hz*mu1 - 2*dpsi0*hslope*mu1 + m**2*dcommon - 2*m*bend*dhbend - 2*psi*dhz*mu1 - 2*psi0*dhslope*mu1 + q2*dmu2sq + rate_noise_variance + (4*m**2*bend - 2*m*hbend)*dbend + (2*C - 2*h)*dC + (-2*psi*hz - 2*psi0*hslope + 2*q1*mu1)*dmu1 - 2*C*dh + dhzz)*mu1**2/(V + 1)**2 + 2*R*dmu1*mu1/(V + 1)**2 - 2*R*dV*mu1**2/(V + 1)**3]
        E36 += kappa_weights[i]*(R*(inv*inv)*mu2sq[i])    # E_kappa[R*mu2sq/(V + 1)**2]
        E37 += kappa_weights[i]*(-2*R*dV*(inv*inv*inv)*mu2sq[i] + R*dmu2sq*(inv*inv) + (inv*inv)*mu2sq[i]*(-2*C*dh - 2*bend*dhbend*m + dC*(2*C + column_16[i]) + dbend*(4*bend*(m*m) - 2*hbend[i]*m) + dcommon*(m*m) - 2*dhslope*mu1[i]*psi0 - 2*dhz*mu1[i]*psi + dhzz + dm*(4*(bend*bend)*m - 2*bend*hbend[i] + 2*common*m) + dmu1*(-2*hslope[i]*psi0 - 2*hz[i]*psi + 2*mu1[i]*q1) + dmu2sq*q2 - 2*dpsi*hz_mu1[i] - 2*dpsi0*hslope_mu1[i] + rate_noise_variance))    # E_kappa[(dm*(4*m*bend**2 + 2*m*common - 2*bend*hbend) - 2*dpsi*hz*mu1 - 2*dpsi0*hslope*mu1 + m**2*dcommon - 2*m*bend*dhbend - 2*psi*dhz*mu1 - 2*psi0*dhslope*mu1 + q2*dmu2sq + rate_noise_variance + (4*m**2*bend - 2*m*hbend)*dbend + (2*C - 2*h)*dC + (-2*psi*hz - 2*psi0*hslope + 2*q1*mu1)*dmu1 - 2*C*dh + dhzz)*mu2sq/(V + 1)**2 + R*dmu2sq/(V + 1)**2 - 2*R*dV*mu2sq/(V + 1)**3]
        E42 += kappa_weights[i]*(R)    # E_kappa[R]
        E43 += kappa_weights[i]*(R*(inv*inv))    # E_kappa[R/(V + 1)**2]
    ddqhat1_ddq1, ddqhat2_ddq1, ddqhat1_ddq2, ddqhat2_ddq2, A_dq1_dq1, A_dq1_dq2, df, A_dq2_dq1, A_dq2_dq2, qhat1, qhat2, dqhat1_0, dqhat2_0, b_dq1, b_dq2 = prepare_dq1(E3, E34, E35, E36, E37, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, dG, dK_vv, dS_weighed, dVhat1, dVhat2, de, dm, dpsi0hat, dpsihat, dqhat1_dq1, dqhat1_dq2, dqhat2_dq1, dqhat2_dq2, dthetahat, e, f, gamma, inverse_width, lam, m, psi0hat, psihat, q1, q2, qhat1_0, qhat2_0, rate_alpha, rate_beta, rate_c, rate_gamma, rate_inverse_width, rate_lam, rate_tilt, thetahat, tilt)
    # linear block for dq1, dq2
    dq1, dq2, dq1_dq2_residual = solve_linear_2(A_dq1_dq1, A_dq1_dq2, A_dq2_dq1, A_dq2_dq2, b_dq1, b_dq2)
    E44 = E45 = E46 = E47 = 0.0
    for i in range(kappa_weights.size):
        bend = beta*c*dmu0[i]*even_parts*inverse_width
        common = 2*beta*(c*c)*dmu0_dmu0[i]*inverse_width
        dmu2sq = (0.5)*mean_10[i]*rate_c/c + kappa_mean_11[i]*rate_r/math.sqrt(c)
        ddmu0 = (0.5)*((0.5)*column_10[i]*rate_c/c + column_11[i]*rate_r/math.sqrt(c))/c - 0.5*mean_6[i]*rate_c/(c*c)
        dcommon = 4*beta*(c*c)*ddmu0*dmu0[i]*inverse_width + 2*beta*(c*c)*dmu0_dmu0[i]*rate_inverse_width + 4*beta*c*dmu0_dmu0[i]*inverse_width*rate_c + 2*(c*c)*dmu0_dmu0[i]*inverse_width*rate_beta
        mean_7 = beta*c*column[i]*inverse_width + mu0[i]
        C = kappa_mu1[i]*theta + m*mean_7
        dmu0_2 = (0.5)*mean_6[i]*rate_c/c + kappa_mean[i]*rate_r/math.sqrt(c)
        dmean = beta*c*column[i]*rate_inverse_width + beta*c*column_12[i]*ddmu0*inverse_width + beta*column[i]*inverse_width*rate_c + c*column[i]*inverse_width*rate_beta + dmu0_2
        dmu1 = ((0.5)*column_3[i]*rate_c/c + column_4[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        dC = dm*mean_7 + dmean*m + dmu1*kappa[i]*theta + dtheta*kappa_mu1[i]
        dbend = beta*c*ddmu0*even_parts*inverse_width + beta*c*dmu0[i]*even_parts*rate_inverse_width + beta*c*dmu0[i]*inverse_width*rate_even_parts + beta*dmu0[i]*even_parts*inverse_width*rate_c + c*dmu0[i]*even_parts*inverse_width*rate_beta
        dh = kappa_mean_4[i]*rate_gamma/rho + mean_9[i]*rate_rho/rho
        dhbend = column_14[i]*rate_rho/rho + column_15[i]*rate_gamma/rho
        dhz = column_7[i]*rate_rho/rho + column_8[i]*rate_gamma/rho
        dhslope = kappa_mean_18[i]*rate_gamma/rho + mean_17[i]*rate_rho/rho
        dhzz = kappa_mean_22[i]*rate_gamma/rho + mean_21[i]*rate_rho/rho
        dR = -2*C*dh - 2*bend*dhbend*m + dC*(2*C + column_16[i]) + dbend*(4*bend*(m*m) - 2*hbend[i]*m) + dcommon*(m*m) - 2*dhslope*mu1[i]*psi0 - 2*dhz*mu1[i]*psi + dhzz + dm*(4*(bend*bend)*m - 2*bend*hbend[i] + 2*common*m) + dmu1*(-2*hslope[i]*psi0 - 2*hz[i]*psi + 2*mu1[i]*q1) + dmu2sq*q2 - 2*dpsi*hz_mu1[i] - 2*dpsi0*hslope_mu1[i] + dq1*mu1_mu1[i] + dq2*mu2sq[i] + rate_noise_variance
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        R = (C*C) - 2*C*h[i] + 2*(bend*bend)*(m*m) - 2*bend*hbend[i]*m + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        dV = 2*V1*dmu1*mu1[i] + V2*dmu2sq + dV1*mu1_mu1[i] + dV2*mu2sq[i]
        E44 += kappa_weights[i]*(dR)    # E_kappa[dR]
        E45 += kappa_weights[i]*(abs(dR))    # E_kappa[Abs(dR)]
        E46 += kappa_weights[i]*(-2*R*dV*(inv*inv*inv) + dR*(inv*inv))    # E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3]
        E47 += kappa_weights[i]*(abs(-2*R*dV*(inv*inv*inv) + dR*(inv*inv)))    # E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)]
    V1_check, V2_check, error, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_6, error_7, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective = conclude(E42, E43, E44, E45, E46, E47, G, K_vv, S_weighed, alpha, beta, ddqhat1_ddq1, ddqhat1_ddq2, ddqhat2_ddq1, ddqhat2_ddq2, dq1, dq2, dqhat1_0, dqhat2_0, gamma, inverse_width, lam, m, noise_variance, psi0hat, q2, rate_alpha, rate_beta, rate_lam, rate_noise_variance, thetahat, tilt)
    V1_V2_error = max((ROUNDING*abs(slope_V1_V1) + ROUNDING*abs(slope_V2_V1))/(abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300), (ROUNDING*abs(slope_V1_V2) + ROUNDING*abs(slope_V2_V2))/(abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300))
    uncertain = (V1_V2_error if (V1_V2_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < V1_V2_error) else 0)
    V1_residual = abs(math.log(V1_check/V1))
    V2_residual = abs(math.log(V2_check/V2))
    theta_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_m_m)*abs(A_theta_theta) + abs(A_m_theta)*abs(A_theta_m))/(abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300))
    q1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_q1_q1)*abs(A_q2_q2) + abs(A_q1_q2)*abs(A_q2_q1))/(abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    dV1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_dV1_dV1)*abs(A_dV2_dV2) + abs(A_dV1_dV2)*abs(A_dV2_dV1))/(abs(A_dV1_dV1*A_dV2_dV2 - A_dV1_dV2*A_dV2_dV1) + 1e-300))
    dtheta_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_dm_dm)*abs(A_dtheta_dtheta) + abs(A_dm_dtheta)*abs(A_dtheta_dm))/(abs(A_dm_dm*A_dtheta_dtheta - A_dm_dtheta*A_dtheta_dm) + 1e-300))
    dq1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_dq1_dq1)*abs(A_dq2_dq2) + abs(A_dq1_dq2)*abs(A_dq2_dq1))/(abs(A_dq1_dq1*A_dq2_dq2 - A_dq1_dq2*A_dq2_dq1) + 1e-300))
    lost = (1e+289 if (ROUNDING*error > LARGEST_ERROR*max(1, abs(psi0))) else 0)
    theta_m_dependent = (1e+290 if (((A_m_m == 0) and (A_m_theta == 0) and ((A_theta_m != 0) or (dthetahat_dm != 0))) or ((A_theta_m == 0) and (A_theta_theta == 0) and ((A_m_theta != 0) or (dthetahat_dtheta != 0))) or (theta_singular > 1e+100)) else 0)
    q1_q2_dependent = (1e+290 if (((A_q1_q1 == 0) and (A_q1_q2 == 0) and ((A_q2_q1 != 0) or (dqhat1_dq1 != 0) or (dqhat2_dq1 != 0))) or ((A_q2_q1 == 0) and (A_q2_q2 == 0) and ((A_q1_q2 != 0) or (dqhat1_dq2 != 0) or (dqhat2_dq2 != 0))) or (q1_singular > 1e+100)) else 0)
    dV1_dV2_dependent = (1e+290 if (((A_dV1_dV1 == 0) and (A_dV1_dV2 == 0) and ((A_dV2_dV1 != 0) or (ddVhat1_ddV1 != 0) or (ddVhat2_ddV1 != 0))) or ((A_dV2_dV1 == 0) and (A_dV2_dV2 == 0) and ((A_dV1_dV2 != 0) or (ddVhat1_ddV2 != 0) or (ddVhat2_ddV2 != 0))) or (dV1_singular > 1e+100)) else 0)
    dtheta_dm_dependent = (1e+290 if (((A_dm_dm == 0) and (A_dm_dtheta == 0) and ((A_dtheta_dm != 0) or (ddthetahat_ddm != 0))) or ((A_dtheta_dm == 0) and (A_dtheta_dtheta == 0) and ((A_dm_dtheta != 0) or (ddthetahat_ddtheta != 0))) or (dtheta_singular > 1e+100)) else 0)
    dq1_dq2_dependent = (1e+290 if (((A_dq1_dq1 == 0) and (A_dq1_dq2 == 0) and ((A_dq2_dq1 != 0) or (ddqhat1_ddq1 != 0) or (ddqhat2_ddq1 != 0))) or ((A_dq2_dq1 == 0) and (A_dq2_dq2 == 0) and ((A_dq1_dq2 != 0) or (ddqhat1_ddq2 != 0) or (ddqhat2_ddq2 != 0))) or (dq1_singular > 1e+100)) else 0)
    lost_6 = (1e+289 if (ROUNDING*error_6 > LARGEST_ERROR*max(1, abs(clean_error))) else 0)
    lost_7 = (1e+289 if (ROUNDING*error_7 > LARGEST_ERROR*max(1, abs(objective))) else 0)
    residual = max(V1_V2_moved, V1_residual, V2_residual, dV1_dV2_dependent, dV1_dV2_residual, dV1_singular, dq1_dq2_dependent, dq1_dq2_residual, dq1_singular, dtheta_dm_dependent, dtheta_dm_residual, dtheta_singular, q1_q2_dependent, q1_q2_residual, q1_singular, theta_m_dependent, theta_m_residual, theta_singular, uncertain)
    inaccurate_2 = max(inaccurate, lost, lost_6, lost_7)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= residual) else 0)
    residual_2 = max(few_digits, residual)
    return (V1 + 0.0, V2 + 0.0, q1 + 0.0, q2 + 0.0, theta + 0.0, psi + 0.0, psi0 + 0.0, m + 0.0, Vhat1 + 0.0, Vhat2 + 0.0, qhat1 + 0.0, qhat2 + 0.0, thetahat + 0.0, psihat + 0.0, psi0hat + 0.0, dV1 + 0.0, dV2 + 0.0, dq1 + 0.0, dq2 + 0.0, dtheta + 0.0, dpsi + 0.0, dpsi0 + 0.0, dm + 0.0, dVhat1 + 0.0, dVhat2 + 0.0, dqhat1 + 0.0, dqhat2 + 0.0, dthetahat + 0.0, dpsihat + 0.0, dpsi0hat + 0.0, test_error + 0.0, clean_error + 0.0, train_error + 0.0, objective + 0.0, dtest_error + 0.0, size_dtest_error + 0.0, dclean_error + 0.0, size_dclean_error + 0.0, dtrain_error + 0.0, size_dtrain_error + 0.0, dobjective + 0.0, size_dobjective + 0.0, residual_2 + 0.0, iterations + 0.0)


@compiled
def solve_rows(alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho, rate_inverse_width, rate_tilt, rate_even_parts, kappa_table, kappa_weights, V1_start, V2_start, out, tolerance, max_steps, accept):
    """Solve rows of points; along a row each start is predicted from those of the points before.

    Parameter arrays have shape (rows, points); ``out`` has shape (rows, points, len(OUTPUTS)).
    """
    rows, points = out.shape[0], out.shape[1]
    for row in prange(rows):
        known, past = 0, np.zeros((2, DIFFERENCES))
        for j in range(points):
            for attempt in range(2):          # as predicted, if anything is; then from the given start
                plain = 2
                V1_guess = V1_start[row, j]
                V2_guess = V2_start[row, j]
                if known >= 1 and attempt == 0:
                    plain = 0
                    V1_guess = math.exp(limited(past[0], known))
                    V2_guess = math.exp(limited(past[1], known))
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], inverse_width[row, j], tilt[row, j], even_parts[row, j], rate_alpha[row, j], rate_beta[row, j], rate_lam[row, j], rate_noise_variance[row, j], rate_r[row, j], rate_c[row, j], rate_gamma[row, j], rate_rho[row, j], rate_inverse_width[row, j], rate_tilt[row, j], rate_even_parts[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
                if known == 0 or result[42] <= accept:
                    break
            for k in range(44):
                out[row, j, k] = result[k]
            if result[42] <= accept:
                known += 1
                remember(past[0], math.log(max(result[0], 1e-300)))
                remember(past[1], math.log(max(result[1], 1e-300)))
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)


def solve_batch(alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho, rate_inverse_width, rate_tilt, rate_even_parts, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    mu1_mu1, mu2sq, hz_mu1, hslope_mu1, column, mu0, kappa_mu1, dmu0, dmu0_dmu0, hbend, h, mean, mu1, hzz, hz, hslope, column_9, mean_6, column_12, kappa, column_13, column_16 = kappa_table[0], kappa_table[1], kappa_table[5], kappa_table[6], kappa_table[8], kappa_table[9], kappa_table[10], kappa_table[12], kappa_table[13], kappa_table[14], kappa_table[15], kappa_table[21], kappa_table[22], kappa_table[25], kappa_table[28], kappa_table[31], kappa_table[32], kappa_table[35], kappa_table[36], kappa_table[38], kappa_table[41], kappa_table[44]
    columns_1 = kappa_table[[0, 1]]
    weighted_1 = kappa_table[[0, 1]]*kappa_weights
    weighted_2 = kappa_table[[2, 3, 4]]*kappa_weights
    columns_2 = kappa_table[[17, 18]]
    columns_3 = kappa_table[[19, 20]]
    weighted_3 = kappa_table[[0, 1, 5, 6, 7, 11]]*kappa_weights
    weighted_4 = kappa_mu1*kappa_weights
    weighted_5 = kappa_table[[16, 23, 24]]*kappa_weights
    columns_4 = kappa_table[[26, 27]]
    columns_5 = kappa_table[[30, 29]]
    columns_6 = kappa_table[[33, 34]]
    columns_7 = kappa_table[[35, 37]]
    columns_8 = kappa_table[[8, 8, 8]]
    columns_9 = kappa_table[[40, 39]]
    columns_10 = kappa_table[[13, 13, 13]]
    columns_11 = kappa_table[[12, 12, 12, 12]]
    columns_12 = kappa_table[[42, 43]]
    columns_13 = kappa_table[[6, 5]]
    weighted_6 = kappa*kappa_weights
    columns_14 = kappa_table[[6, 5, 0, 1]]
    columns_15 = kappa_table[[46, 45]]
    weighted_7 = np.stack((mu1_mu1*kappa_weights, mu2sq*kappa_weights, kappa_weights))
    columns_16 = kappa_table[[5, 6]]
    columns_17 = kappa_table[[31, 28, 22]]
    columns_18 = kappa_table[[5, 6, 0, 1]]
    blocks, iterations = [], np.zeros(alpha.shape)
    def step_V1_V2(alpha, beta, c, lam, V1, V2):
        """Maps, residuals and matrix of Newton's method for the points that still move."""
        V = np.array((V1, V2)).T @ columns_1
        inv = (1.0/(V + 1))
        E1, E2 = weighted_1 @ (inv).T
        E3, E4, E5 = weighted_2 @ ((inv*inv)).T
        Vhat1 = E1*alpha/beta
        Vhat2 = E2*alpha/beta
        dVhat1_dV1 = -E3*alpha/beta
        dVhat2_dV1 = -E4*alpha/beta
        dVhat1_dV2 = -E4*alpha/beta
        dVhat2_dV2 = -E5*alpha/beta
        G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
        V1_map, dV1_map_dV1, dV1_map_dV2, V2_map, dV2_map_dV1, dV2_map_dV2 = linearize_V1(G, Vhat1, Vhat2, beta, c, dVhat1_dV1, dVhat1_dV2, dVhat2_dV1, dVhat2_dV2, lam)
        return (V1_map, V2_map,), (np.log(V1/V1_map), np.log(V2/V2_map),), ((1.0 - dV1_map_dV1*V1/V1_map, -dV1_map_dV2*V2/V1_map,), (-dV2_map_dV1*V1/V2_map, 1.0 - dV2_map_dV2*V2/V2_map,),)
    (V1, V2,), steps, J, V1_V2_moved = newton_batch(step_V1_V2, (alpha, beta, c, lam,), (V1_start, V2_start,), (True, True), plain, tolerance, max_steps)
    iterations = iterations + steps
    ((slope_V1_V1, slope_V1_V2,), (slope_V2_V1, slope_V2_V2,),) = np.moveaxis(J, 0, -1)
    if diagnose:
        blocks.append(("newton", ("V1", "V2",), J))
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column*inverse_width[..., None] + mu0
    bend = beta[..., None]*c[..., None]*dmu0*even_parts[..., None]*inverse_width[..., None]
    common = 2*beta[..., None]*(c[..., None]*c[..., None])*dmu0_dmu0*inverse_width[..., None]
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    E1, E2, E6, E7, E8, E10 = weighted_3 @ (inv).T
    E9 = (inv*mean_7) @ weighted_4
    E11 = (inv*(2*(bend*bend) + common + (mean_7*mean_7))) @ kappa_weights
    E12 = (inv*(bend*hbend + h*mean_7)) @ kappa_weights
    E3, E4, E5 = weighted_2 @ ((inv*inv)).T
    E20 = (-2*dmu1*inv*mu1 + (inv*inv)*mu1_mu1*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq)) @ kappa_weights
    E21 = (-dmu2sq*inv + (inv*inv)*mu2sq*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq)) @ kappa_weights
    if diagnose:
        E13, E48, E49 = weighted_5 @ (inv).T
        E14 = (np.abs(inv*(bend*hbend + h*mean_7))) @ kappa_weights
        E15 = (inv*np.abs(kappa_mu1*mean_7)) @ kappa_weights
        E22 = (np.abs(-2*dmu1*inv*mu1 + (inv*inv)*mu1_mu1*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq))) @ kappa_weights
        E23 = (np.abs(-dmu2sq*inv + (inv*inv)*mu2sq*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq))) @ kappa_weights
    Vhat1 = E1*alpha/beta
    Vhat2 = E2*alpha/beta
    psi0hat = E7*alpha
    dthetahat_dtheta = -E8*alpha
    dthetahat_dm = -E9*alpha
    thetahat_0 = E10*alpha
    G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
    if diagnose:
        size_thetahat_0 = E13*alpha
        size_dthetahat_dm = E15*alpha
    e, S_weighed, K_vv, A_theta_theta, A_theta_m, b_theta, A_m_theta, A_m_m, b_m = prepare_theta(E11, E12, E9, G, Vhat1, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, gamma, inverse_width, psi0hat, thetahat_0, tilt)
    if diagnose:
        size_theta_0 = beta*inverse_width*(size_thetahat_0*np.abs(K_vv)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt))*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + size_thetahat_0*np.abs(K_vv)
        size_m_0 = E14*alpha/beta + (0.5)*inverse_width*(2*size_thetahat_0*np.abs(K_vv)*np.abs(tilt) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt))/np.abs(G)
        size_theta_theta = ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/np.abs(G) + np.abs(K_vv))*np.abs(dthetahat_dtheta) + 1
        size_theta_m = beta*inverse_width*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + size_dthetahat_dm*np.abs(K_vv - (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/np.abs(G) + np.abs(K_vv))*np.abs(dthetahat_dm)
        size_m_theta = E15*alpha/beta + inverse_width*np.abs(K_vv)*np.abs(dthetahat_dtheta)*np.abs(tilt)/np.abs(G)
        size_m_m = E11*alpha/beta + inverse_width*size_dthetahat_dm*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + inverse_width/np.abs(G)
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_m,), (A_m_theta, A_m_m,),))
    solution, theta_m_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_theta, b_m,)))
    theta, m = solution.T
    if diagnose:
        blocks.append(("linear", ("theta", "m",), A, stack_vector(iterations.shape, (size_theta_0, size_m_0,)), (("thetahat", size_thetahat_0, (dthetahat_dtheta, dthetahat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_m,), (size_m_theta, size_m_m,),))))
    ddVhat1_ddV1, ddVhat2_ddV1, ddVhat1_ddV2, ddVhat2_ddV2, dVhat1_0, dVhat2_0, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2 = prepare_dV1(E1, E2, E20, E21, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, e, lam, rate_alpha, rate_beta, rate_c, rate_lam)
    if diagnose:
        size_dVhat1_0 = E1*alpha*np.abs(rate_beta)/(beta*beta) + E1*np.abs(rate_alpha)/beta + E22*alpha/beta
        size_dVhat2_0 = E2*alpha*np.abs(rate_beta)/(beta*beta) + E2*np.abs(rate_alpha)/beta + E23*alpha/beta
        size_dV1_0 = G*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*size_dVhat1_0 + Vhat1*beta*c*((G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*np.abs(rate_c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*size_dVhat1_0/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*e*size_dVhat2_0/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*e*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)))/(e*e) + G*np.abs(rate_c)/e + c*((G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*size_dVhat1_0/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*size_dVhat2_0*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1))/e
        size_dV2_0 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*size_dVhat1_0/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*size_dVhat2_0*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        size_dV1_dV1 = ((G*G)*(c*c)/(e*(G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*c*((G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*beta*c)/(e*e))*np.abs(ddVhat1_ddV1) + ((G*G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(G*Vhat1*beta*c + 1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)))*np.abs(ddVhat2_ddV1) + 1
        size_dV1_dV2 = ((G*G)*(c*c)/(e*(G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*c*((G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*beta*c)/(e*e))*np.abs(ddVhat1_ddV2) + ((G*G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(G*Vhat1*beta*c + 1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)))*np.abs(ddVhat2_ddV2)
        size_dV2_dV1 = (G*G)*c*np.abs(ddVhat1_ddV1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(ddVhat2_ddV1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        size_dV2_dV2 = (G*G)*c*np.abs(ddVhat1_ddV2)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(ddVhat2_ddV2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 1
    A = stack_matrix(iterations.shape, ((A_dV1_dV1, A_dV1_dV2,), (A_dV2_dV1, A_dV2_dV2,),))
    solution, dV1_dV2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dV1, b_dV2,)))
    dV1, dV2 = solution.T
    if diagnose:
        blocks.append(("linear", ("dV1", "dV2",), A, stack_vector(iterations.shape, (size_dV1_0, size_dV2_0,)), (("dVhat1", size_dVhat1_0, (ddVhat1_ddV1, ddVhat1_ddV2, )), ("dVhat2", size_dVhat2_0, (ddVhat2_ddV1, ddVhat2_ddV2, )),), stack_matrix(iterations.shape, ((size_dV1_dV1, size_dV1_dV2,), (size_dV2_dV1, size_dV2_dV2,),))))
    psihat = E6*alpha
    psi = S_weighed*psihat
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    psi0 = S_weighed*beta*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column*inverse_width[..., None] + mu0
    C = kappa_mu1*theta[..., None] + m[..., None]*mean_7
    common = 2*beta[..., None]*(c[..., None]*c[..., None])*dmu0_dmu0*inverse_width[..., None]
    bend = beta[..., None]*c[..., None]*dmu0*even_parts[..., None]*inverse_width[..., None]
    dhz = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_4
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    dV = np.array((dV1, dV2)).T @ columns_1 + 2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq
    dhslope = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_5
    ddmu0 = (0.5)*(np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_6)/c[..., None] - 0.5*mean_6*rate_c[..., None]/(c[..., None]*c[..., None])
    dmu0_2 = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_7
    dmean = np.array((beta*c*rate_inverse_width, beta*inverse_width*rate_c, c*inverse_width*rate_beta)).T @ columns_8 + beta[..., None]*c[..., None]*column_12*ddmu0*inverse_width[..., None] + dmu0_2
    dh = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_9
    dcommon = np.array((2*beta*(c*c)*rate_inverse_width, 4*beta*c*inverse_width*rate_c, 2*(c*c)*inverse_width*rate_beta)).T @ columns_10 + 4*beta[..., None]*(c[..., None]*c[..., None])*ddmu0*dmu0*inverse_width[..., None]
    dbend = np.array((beta*c*even_parts*rate_inverse_width, beta*c*inverse_width*rate_even_parts, beta*even_parts*inverse_width*rate_c, c*even_parts*inverse_width*rate_beta)).T @ columns_11 + beta[..., None]*c[..., None]*ddmu0*even_parts[..., None]*inverse_width[..., None]
    dhbend = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_12
    E16, E17 = weighted_1 @ ((inv*inv)*(np.array((-2*psi0, -2*psi)).T @ columns_13 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None])).T
    E24 = (-dV*hz_mu1*(inv*inv) + dhz*inv*mu1 + dmu1*hz*inv) @ kappa_weights
    E25 = (-dV*hslope_mu1*(inv*inv) + dhslope*inv*mu1 + dmu1*hslope*inv) @ kappa_weights
    E26 = (inv*(C + column_9)) @ weighted_4
    E27 = (-dV*(inv*inv)*mu1*(C + column_9) - dh*inv*mu1 + dmu1*inv*(C + column_9) + inv*mu1*(dmean*m[..., None] + dmu1*kappa*theta[..., None])) @ weighted_6
    E28 = (inv*(C*mean_7 + 2*(bend*bend)*m[..., None] - bend*hbend + common*m[..., None] - h*mean_7)) @ kappa_weights
    E29 = (-bend*dhbend*inv - dV*(inv*inv)*(C*mean_7 + 2*(bend*bend)*m[..., None] - bend*hbend + common*m[..., None] - h*mean_7) + dbend*inv*(4*bend*m[..., None] + column_13) + dcommon*inv*m[..., None] - dh*inv*mean_7 + dmean*inv*(C + column_9) + inv*mean_7*(dmean*m[..., None] + dmu1*kappa*theta[..., None])) @ kappa_weights
    if diagnose:
        E18 = (np.abs((inv*inv)*mu1_mu1*(np.array((-2*psi0, -2*psi)).T @ columns_13 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]))) @ kappa_weights
        E19 = (np.abs((inv*inv)*mu2sq*(np.array((-2*psi0, -2*psi)).T @ columns_13 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]))) @ kappa_weights
        E30 = (np.abs(kappa*(-dV*(inv*inv)*mu1*(C + column_9) - dh*inv*mu1 + dmu1*inv*(C + column_9) + inv*mu1*(dmean*m[..., None] + dmu1*kappa*theta[..., None])))) @ kappa_weights
        E31 = (np.abs(inv*kappa_mu1*(C + column_9))) @ kappa_weights
        E32 = (np.abs(-bend*dhbend*inv - dV*(inv*inv)*(C*mean_7 + 2*(bend*bend)*m[..., None] - bend*hbend + common*m[..., None] - h*mean_7) + dbend*inv*(4*bend*m[..., None] + column_13) + dcommon*inv*m[..., None] - dh*inv*mean_7 + dmean*inv*(C + column_9) + inv*mean_7*(dmean*m[..., None] + dmu1*kappa*theta[..., None]))) @ kappa_weights
        E33 = (np.abs(inv*(C*mean_7 + 2*(bend*bend)*m[..., None] - bend*hbend + common*m[..., None] - h*mean_7))) @ kappa_weights
    dqhat1_dq1, dqhat2_dq1, dqhat1_dq2, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E16, E17, E3, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, e, gamma, inverse_width, lam, m, psi0hat, psihat, thetahat, tilt)
    if diagnose:
        size_q1_q1 = (G*G)*c*np.abs(dqhat2_dq1)/np.abs(e*f) + c*np.abs(dqhat1_dq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1
        size_q1_q2 = (G*G)*c*np.abs(dqhat2_dq2)/np.abs(e*f) + c*np.abs(dqhat1_dq2)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        size_q2_q1 = (G*G)*c*np.abs(dqhat1_dq1)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq1)*np.abs(e/f)
        size_q2_q2 = (G*G)*c*np.abs(dqhat1_dq2)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq2)*np.abs(e/f) + 1
        size_qhat1_0 = E18*alpha/beta
        size_qhat2_0 = E19*alpha/beta
        size_q1_0 = (G*G)*c*size_qhat2_0/np.abs(e*f) + c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/np.abs(e*f) + c*size_qhat1_0*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/np.abs(G) + ((G*G)*(c*c)*(thetahat*thetahat)/np.abs(e*f) + c*(psihat*psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))/beta
        size_q2_0 = (G*G)*c*size_qhat1_0/np.abs(e*f) + (G*G)*size_qhat2_0*np.abs(e/f) + inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(e/f)*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/np.abs(G) + ((G*G)*c*(psihat*psihat)/np.abs(e*f) + (G*G)*c*(thetahat*thetahat)*np.abs(e/f))/beta
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2,), (A_q2_q1, A_q2_q2,),))
    solution, q1_q2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_q1, b_q2,)))
    q1, q2 = solution.T
    if diagnose:
        blocks.append(("linear", ("q1", "q2",), A, stack_vector(iterations.shape, (size_q1_0, size_q2_0,)), (("qhat1", size_qhat1_0, (dqhat1_dq1, dqhat1_dq2, )), ("qhat2", size_qhat2_0, (dqhat2_dq1, dqhat2_dq2, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2,), (size_q2_q1, size_q2_q2,),))))
    dVhat1, dVhat2, dG, de, dS_weighed, ddthetahat_ddtheta, ddthetahat_ddm, A_dtheta_dtheta, A_dtheta_dm, dK_vv, A_dm_dtheta, A_dm_dm, dpsi0hat, dthetahat_0, b_dtheta, b_dm = prepare_dtheta(E11, E25, E26, E27, E28, E29, E7, E8, E9, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, dV1, dV2, dVhat1_0, dVhat2_0, ddVhat1_ddV1, ddVhat1_ddV2, ddVhat2_ddV1, ddVhat2_ddV2, e, gamma, inverse_width, lam, m, psi0hat, rate_alpha, rate_beta, rate_c, rate_gamma, rate_inverse_width, rate_lam, rate_tilt, thetahat, tilt)
    if diagnose:
        error_dG = (G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dG_2 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*np.abs(rate_c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*np.abs(dVhat1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*e*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*e*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dS_weighed = G*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/(e*e) + G*np.abs(rate_c)/e + c*error_dG/e
        size_ddthetahat_ddm = E15*alpha
        size_dtheta_dtheta = ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/np.abs(G) + np.abs(K_vv))*np.abs(ddthetahat_ddtheta) + 1
        size_dtheta_dm = beta*inverse_width*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + size_ddthetahat_ddm*np.abs(K_vv - (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/np.abs(G) + np.abs(K_vv))*np.abs(ddthetahat_ddm)
        size_dm_dtheta = E15*alpha/beta + inverse_width*np.abs(K_vv)*np.abs(ddthetahat_ddtheta)*np.abs(tilt)/np.abs(G)
        size_dm_dm = E11*alpha/beta + inverse_width*size_ddthetahat_ddm*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + inverse_width/np.abs(G)
        size_dthetahat_0 = E30*alpha + E31*np.abs(rate_alpha)
        size_dtheta_0 = beta*error_dS_weighed*inverse_width*(tilt*tilt)*np.abs(K_vv)*np.abs(gamma)*np.abs(psi0hat)/np.abs(G) + beta*inverse_width*(tilt*tilt)*np.abs(K_vv)*np.abs(S_weighed)*np.abs(dpsi0hat)*np.abs(gamma)/np.abs(G) + beta*inverse_width*(tilt*tilt)*np.abs(K_vv)*np.abs(S_weighed)*np.abs(psi0hat)*np.abs(rate_gamma)/np.abs(G) + beta*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(K_vv)*np.abs(rate_inverse_width)*np.abs(tilt)/np.abs(G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(K_vv)*np.abs(rate_beta)*np.abs(tilt)/np.abs(G) + size_dthetahat_0*np.abs(K_vv - (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + (G*np.abs(rate_c) + c*error_dG)*np.abs(-thetahat + K_vv*beta*inverse_width*thetahat*(tilt*tilt)/G + beta*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/np.abs(G) + np.abs(K_vv))*np.abs(dthetahat_0) + (beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat))*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(K_vv)/np.abs(G))*np.abs(rate_tilt) + (beta*inverse_width*(tilt*tilt)*np.abs(K_vv)*np.abs(thetahat)/np.abs(G) + beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(tilt)/np.abs(G) + np.abs(thetahat))*np.abs(dK_vv) + beta*error_dG*inverse_width*np.abs(K_vv)*np.abs(tilt)*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G) + beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(K_vv)*np.abs(dG)*np.abs(tilt)/(G*G)
        size_dm_0 = E32*alpha/beta + E33*alpha*np.abs(rate_beta)/(beta*beta) + E33*np.abs(rate_alpha)/beta + error_dS_weighed*inverse_width*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(G) + inverse_width*size_dthetahat_0*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + inverse_width*(G*np.abs(rate_c) + c*error_dG)*np.abs(thetahat)*np.abs(tilt)/np.abs(G) + (0.5)*inverse_width*(2*np.abs(K_vv)*np.abs(thetahat) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat))*np.abs(rate_tilt)/np.abs(G) + inverse_width*np.abs(S_weighed)*np.abs(dpsi0hat)*np.abs(gamma)*np.abs(tilt)/np.abs(G) + inverse_width*np.abs(S_weighed)*np.abs(psi0hat)*np.abs(rate_gamma)*np.abs(tilt)/np.abs(G) + (0.5)*(2*np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + 2*np.abs(m))*np.abs(rate_inverse_width)/np.abs(G) + (0.5)*error_dG*inverse_width*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/(G*G) + (0.5)*inverse_width*(2*np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + 2*np.abs(m))*np.abs(dG)/(G*G)
    A = stack_matrix(iterations.shape, ((A_dtheta_dtheta, A_dtheta_dm,), (A_dm_dtheta, A_dm_dm,),))
    solution, dtheta_dm_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dtheta, b_dm,)))
    dtheta, dm = solution.T
    if diagnose:
        blocks.append(("linear", ("dtheta", "dm",), A, stack_vector(iterations.shape, (size_dtheta_0, size_dm_0,)), (("dthetahat", size_dthetahat_0, (ddthetahat_ddtheta, ddthetahat_ddm, )),), stack_matrix(iterations.shape, ((size_dtheta_dtheta, size_dtheta_dm,), (size_dm_dtheta, size_dm_dm,),))))
    dpsihat = E24*alpha + E6*rate_alpha
    dpsi = S_weighed*dpsihat + dS_weighed*psihat
    dthetahat = ddthetahat_ddm*dm + ddthetahat_ddtheta*dtheta + dthetahat_0
    dpsi0 = dS_weighed*(-S_weighed*beta*(gamma*gamma)*inverse_width*psi0hat*(tilt*tilt)/G + beta*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + rate_gamma*(-(S_weighed*S_weighed)*beta*gamma*inverse_width*psi0hat*(tilt*tilt)/G + S_weighed*beta*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + rate_tilt*(S_weighed*beta*gamma*inverse_width*tilt*(K_vv*thetahat - S_weighed*gamma*psi0hat)/G + S_weighed*beta*gamma*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + K_vv*S_weighed*beta*dthetahat*gamma*inverse_width*(tilt*tilt)/G - (S_weighed*S_weighed)*beta*dpsi0hat*(gamma*gamma)*inverse_width*(tilt*tilt)/G + S_weighed*beta*dK_vv*gamma*inverse_width*thetahat*(tilt*tilt)/G + S_weighed*beta*dm*gamma*inverse_width*tilt/G + S_weighed*beta*gamma*rate_inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G + S_weighed*gamma*inverse_width*rate_beta*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G - S_weighed*beta*dG*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G)
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column*inverse_width[..., None] + mu0
    C = kappa_mu1*theta[..., None] + m[..., None]*mean_7
    common = 2*beta[..., None]*(c[..., None]*c[..., None])*dmu0_dmu0*inverse_width[..., None]
    bend = beta[..., None]*c[..., None]*dmu0*even_parts[..., None]*inverse_width[..., None]
    R = np.array((-2*psi0, -2*psi, q1, q2)).T @ columns_14 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    ddmu0 = (0.5)*(np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_6)/c[..., None] - 0.5*mean_6*rate_c[..., None]/(c[..., None]*c[..., None])
    dcommon = np.array((2*beta*(c*c)*rate_inverse_width, 4*beta*c*inverse_width*rate_c, 2*(c*c)*inverse_width*rate_beta)).T @ columns_10 + 4*beta[..., None]*(c[..., None]*c[..., None])*ddmu0*dmu0*inverse_width[..., None]
    dmu0_2 = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_7
    dmean = np.array((beta*c*rate_inverse_width, beta*inverse_width*rate_c, c*inverse_width*rate_beta)).T @ columns_8 + beta[..., None]*c[..., None]*column_12*ddmu0*inverse_width[..., None] + dmu0_2
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    dC = dm[..., None]*mean_7 + dmean*m[..., None] + dmu1*kappa*theta[..., None] + dtheta[..., None]*kappa_mu1
    dbend = np.array((beta*c*even_parts*rate_inverse_width, beta*c*inverse_width*rate_even_parts, beta*even_parts*inverse_width*rate_c, c*even_parts*inverse_width*rate_beta)).T @ columns_11 + beta[..., None]*c[..., None]*ddmu0*even_parts[..., None]*inverse_width[..., None]
    dh = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_9
    dhbend = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_12
    dhz = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_4
    dhslope = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_5
    dhzz = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_15
    dV = np.array((dV1, dV2)).T @ columns_1 + 2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq
    E34, E36, E43 = weighted_7 @ (R*(inv*inv)).T
    E35 = (-2*R*dV*(inv*inv*inv)*mu1_mu1 + 2*R*dmu1*(inv*inv)*mu1 + (inv*inv)*mu1_mu1*(np.array((-2*dpsi, -2*dpsi0)).T @ columns_16 + -2*C*dh - 2*bend*dhbend*m[..., None] + dC*(2*C + column_16) + dbend*(4*bend*(m[..., None]*m[..., None]) - 2*hbend*m[..., None]) + dcommon*(m[..., None]*m[..., None]) - 2*dhslope*mu1*psi0[..., None] - 2*dhz*mu1*psi[..., None] + dhzz + dm[..., None]*(4*(bend*bend)*m[..., None] - 2*bend*hbend + 2*common*m[..., None]) + dmu1*(np.array((-2*psi0, -2*psi, 2*q1)).T @ columns_17) + dmu2sq*q2[..., None] + rate_noise_variance[..., None])) @ kappa_weights
    E37 = (-2*R*dV*(inv*inv*inv)*mu2sq + R*dmu2sq*(inv*inv) + (inv*inv)*mu2sq*(np.array((-2*dpsi, -2*dpsi0)).T @ columns_16 + -2*C*dh - 2*bend*dhbend*m[..., None] + dC*(2*C + column_16) + dbend*(4*bend*(m[..., None]*m[..., None]) - 2*hbend*m[..., None]) + dcommon*(m[..., None]*m[..., None]) - 2*dhslope*mu1*psi0[..., None] - 2*dhz*mu1*psi[..., None] + dhzz + dm[..., None]*(4*(bend*bend)*m[..., None] - 2*bend*hbend + 2*common*m[..., None]) + dmu1*(np.array((-2*psi0, -2*psi, 2*q1)).T @ columns_17) + dmu2sq*q2[..., None] + rate_noise_variance[..., None])) @ kappa_weights
    E42 = (R) @ kappa_weights
    if diagnose:
        E38 = (np.abs(-2*R*dV*(inv*inv*inv)*mu1_mu1 + 2*R*dmu1*(inv*inv)*mu1 + (inv*inv)*mu1_mu1*(np.array((-2*dpsi, -2*dpsi0)).T @ columns_16 + -2*C*dh - 2*bend*dhbend*m[..., None] + dC*(2*C + column_16) + dbend*(4*bend*(m[..., None]*m[..., None]) - 2*hbend*m[..., None]) + dcommon*(m[..., None]*m[..., None]) - 2*dhslope*mu1*psi0[..., None] - 2*dhz*mu1*psi[..., None] + dhzz + dm[..., None]*(4*(bend*bend)*m[..., None] - 2*bend*hbend + 2*common*m[..., None]) + dmu1*(np.array((-2*psi0, -2*psi, 2*q1)).T @ columns_17) + dmu2sq*q2[..., None] + rate_noise_variance[..., None]))) @ kappa_weights
        E39 = (np.abs(R*(inv*inv)*mu1_mu1)) @ kappa_weights
        E40 = (np.abs(-2*R*dV*(inv*inv*inv)*mu2sq + R*dmu2sq*(inv*inv) + (inv*inv)*mu2sq*(np.array((-2*dpsi, -2*dpsi0)).T @ columns_16 + -2*C*dh - 2*bend*dhbend*m[..., None] + dC*(2*C + column_16) + dbend*(4*bend*(m[..., None]*m[..., None]) - 2*hbend*m[..., None]) + dcommon*(m[..., None]*m[..., None]) - 2*dhslope*mu1*psi0[..., None] - 2*dhz*mu1*psi[..., None] + dhzz + dm[..., None]*(4*(bend*bend)*m[..., None] - 2*bend*hbend + 2*common*m[..., None]) + dmu1*(np.array((-2*psi0, -2*psi, 2*q1)).T @ columns_17) + dmu2sq*q2[..., None] + rate_noise_variance[..., None]))) @ kappa_weights
        E41 = (np.abs(R*(inv*inv)*mu2sq)) @ kappa_weights
        E50 = (np.abs(R)) @ kappa_weights
        E51 = (np.abs(R*(inv*inv))) @ kappa_weights
    ddqhat1_ddq1, ddqhat2_ddq1, ddqhat1_ddq2, ddqhat2_ddq2, A_dq1_dq1, A_dq1_dq2, df, A_dq2_dq1, A_dq2_dq2, qhat1, qhat2, dqhat1_0, dqhat2_0, b_dq1, b_dq2 = prepare_dq1(E3, E34, E35, E36, E37, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, dG, dK_vv, dS_weighed, dVhat1, dVhat2, de, dm, dpsi0hat, dpsihat, dqhat1_dq1, dqhat1_dq2, dqhat2_dq1, dqhat2_dq2, dthetahat, e, f, gamma, inverse_width, lam, m, psi0hat, psihat, q1, q2, qhat1_0, qhat2_0, rate_alpha, rate_beta, rate_c, rate_gamma, rate_inverse_width, rate_lam, rate_tilt, thetahat, tilt)
    if diagnose:
        error_dG_3 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/(f*(G*Vhat1*beta*c + 1)) + (G*G)*Vhat1*np.abs(rate_c)/(f*(G*Vhat1*beta*c + 1)) + (G*G)*c*np.abs(dVhat1)/(f*(G*Vhat1*beta*c + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/f + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/f
        error_df = (G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c*np.abs(rate_lam) + (G*G)*Vhat1*beta*(Vhat2 + lam)*np.abs(rate_c) + (G*G)*Vhat1*c*(Vhat2 + lam)*np.abs(rate_beta) + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam)
        size_dq1_dq1 = (G*G)*c*np.abs(ddqhat2_ddq1)/np.abs(e*f) + c*np.abs(ddqhat1_ddq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1
        size_dq1_dq2 = (G*G)*c*np.abs(ddqhat2_ddq2)/np.abs(e*f) + c*np.abs(ddqhat1_ddq2)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        size_dq2_dq1 = (G*G)*c*np.abs(ddqhat1_ddq1)/np.abs(e*f) + (G*G)*np.abs(ddqhat2_ddq1)*np.abs(e/f)
        size_dq2_dq2 = (G*G)*c*np.abs(ddqhat1_ddq2)/np.abs(e*f) + (G*G)*np.abs(ddqhat2_ddq2)*np.abs(e/f) + 1
        size_dqhat1_0 = E38*alpha/beta + E39*alpha*np.abs(rate_beta)/(beta*beta) + E39*np.abs(rate_alpha)/beta
        size_dqhat2_0 = E40*alpha/beta + E41*alpha*np.abs(rate_beta)/(beta*beta) + E41*np.abs(rate_alpha)/beta
        size_dq1_0 = (G*G)*c*size_dqhat2_0/np.abs(e*f) + c*size_dqhat1_0*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + error_dG*np.abs(2*c*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*e*f) - inverse_width*(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G)) + error_dS_weighed*np.abs(2*c*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) - gamma*inverse_width*psi0hat*tilt*(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + (G*np.abs(rate_c) + c*error_dG)*np.abs(2*c*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(e*f) + inverse_width*thetahat*tilt*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/G) + (c*inverse_width*(2*np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + 2*np.abs(m))/np.abs(e*f) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))/np.abs(G))*np.abs(dm) + (2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(thetahat)*np.abs(tilt)/np.abs(G) + (thetahat*thetahat)/beta)*np.abs((G*G)*(c*c)*de/((e*e)*f) + (G*G)*(c*c)*df/(e*(f*f)) - 2*(G*G)*c*rate_c/(e*f) - 2*G*(c*c)*dG/(e*f)) + (2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(thetahat)*np.abs(tilt)/np.abs(G))*np.abs(dK_vv) + (2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(G))*np.abs(dS_weighed) + (np.abs(qhat2) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/(G*G))*np.abs((G*G)*c*de/((e*e)*f) + (G*G)*c*df/(e*(f*f)) - (G*G)*rate_c/(e*f) - 2*G*c*dG/(e*f)) + (c*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/np.abs(e*f) + (2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + (np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/np.abs(G))*np.abs(rate_inverse_width) + (2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(G) + np.abs(qhat1) + (psihat*psihat)/beta)*np.abs((G*G*G)*beta*(c*c)*dVhat2/(e*f) + (G*G*G)*beta*(c*c)*rate_lam/(e*f) + (G*G*G)*(c*c)*rate_beta*(Vhat2 + lam)/(e*f) - G*c*df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + de*(-(G*G)*(c*c)/((e*e*e)*f) - G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)) + rate_c*(G*c*((G*G)*beta*(Vhat2 + lam) + G/e)/(e*f) + G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))) + (2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(G)*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/((G*G)*np.abs(e*f)) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/(G*G))*np.abs(dG) + (2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)/np.abs(e*f) + 2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(gamma)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/np.abs(G) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)/np.abs(G))*np.abs(dpsi0hat) + (2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/np.abs(G) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(S_weighed)*np.abs(psi0hat)*np.abs(tilt)/np.abs(G))*np.abs(rate_gamma) + ((G*G)*c*error_df/(e*(f*f)) + (G*G)*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + (G*G)*np.abs(rate_c)/(e*f) + 2*G*c*error_dG/(e*f))*np.abs(qhat2 + inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*G)) + ((G*G)*(c*c)*error_df/(e*(f*f)) + (G*G)*(c*c)*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + 2*(G*G)*c*np.abs(rate_c)/(e*f) + 2*G*(c*c)*error_dG/(e*f))*np.abs((thetahat*thetahat)/beta - 2*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + (2*(G*G)*(c*c)*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(tilt)/(np.abs(G)*np.abs(e*f)) + 2*(G*G)*(c*c)*np.abs(thetahat)/(beta*np.abs(e*f)) + 2*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(K_vv)*np.abs(tilt)/np.abs(e*f) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(K_vv)*np.abs(tilt)/np.abs(G))*np.abs(dthetahat) + (c*inverse_width*(2*np.abs(K_vv)*np.abs(thetahat) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(e*f) + c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*K_vv*thetahat - 2*S_weighed*gamma*psi0hat)/np.abs(e*f) + inverse_width*(np.abs(K_vv)*np.abs(thetahat) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat))*np.abs(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/np.abs(G) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(K_vv*thetahat - S_weighed*gamma*psi0hat)/np.abs(G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*(c*c)*thetahat/(e*f) - 2*G*c*gamma*psi0hat*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/np.abs(G))*np.abs(rate_tilt) + ((G*G*G)*beta*(c*c)*np.abs(dVhat2)/(e*f) + (G*G*G)*beta*(c*c)*np.abs(rate_lam)/(e*f) + (G*G*G)*(c*c)*(Vhat2 + lam)*np.abs(rate_beta)/(e*f) + G*c*error_df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + error_dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + (G*c*((G*G)*beta*(Vhat2 + lam) + G/e)/(e*f) + G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*np.abs(rate_c) + (G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)*np.abs((G*G)*(c*c)/((e*e*e)*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)))*np.abs(qhat1 + (psihat*psihat)/beta + 2*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + 2*c*np.abs(dpsihat)*np.abs(psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta + ((G*G)*(c*c)*(thetahat*thetahat)/np.abs(e*f) + c*(psihat*psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(rate_beta)/(beta*beta)
        size_dq2_0 = (G*G)*c*size_dqhat1_0/np.abs(e*f) + (G*G)*size_dqhat2_0*np.abs(e/f) + 2*(G*G)*c*np.abs(dpsihat)*np.abs(psihat)/(beta*np.abs(e*f)) + error_dG*np.abs(2*e*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*f) - inverse_width*(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G)) + error_dS_weighed*np.abs(2*e*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f - gamma*inverse_width*psi0hat*tilt*(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + (G*np.abs(rate_c) + c*error_dG)*np.abs(2*e*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/f + inverse_width*thetahat*tilt*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/G) + (inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))/np.abs(G) + inverse_width*(2*np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + 2*np.abs(m))*np.abs(e/f))*np.abs(dm) + (inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(thetahat)*np.abs(tilt)/np.abs(G) + 2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(dK_vv) + (2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(thetahat)*np.abs(tilt)/np.abs(G) + (thetahat*thetahat)/beta)*np.abs((G*G)*c*de/f - (G*G)*c*df*e/(f*f) + (G*G)*e*rate_c/f + 2*G*c*dG*e/f) + (inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(G) + 2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(e/f))*np.abs(dS_weighed) + (np.abs(qhat2) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/(G*G))*np.abs((G*G)*de/f - (G*G)*df*e/(f*f) + 2*G*dG*e/f) + ((2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + (np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(e/f)*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m) + (np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/np.abs(G))*np.abs(rate_inverse_width) + (inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G) + 2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(G)*np.abs(e/f)*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/(G*G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/(G*G))*np.abs(dG) + ((G*G)*e*error_df/(f*f) + (G*G)*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/f + 2*G*e*error_dG/f)*np.abs(qhat2 + inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(G*G)) + (2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(G) + np.abs(qhat1) + (psihat*psihat)/beta)*np.abs((G*G)*c*de/((e*e)*f) + (G*G)*c*df/(e*(f*f)) - (G*G)*rate_c/(e*f) - 2*G*c*dG/(e*f)) + (2*(G*G)*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(gamma)*np.abs(tilt)/(np.abs(G)*np.abs(e*f)) + inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)/np.abs(G) + 2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)*np.abs(e/f))*np.abs(dpsi0hat) + (2*(G*G)*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(psi0hat)*np.abs(tilt)/(np.abs(G)*np.abs(e*f)) + inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(S_weighed)*np.abs(psi0hat)*np.abs(tilt)/np.abs(G) + 2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(psi0hat)*np.abs(tilt)*np.abs(e/f))*np.abs(rate_gamma) + ((G*G)*c*error_df/(e*(f*f)) + (G*G)*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + (G*G)*np.abs(rate_c)/(e*f) + 2*G*c*error_dG/(e*f))*np.abs(qhat1 + (psihat*psihat)/beta + 2*gamma*inverse_width*psi0hat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + ((G*G)*c*e*error_df/(f*f) + (G*G)*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/f + (G*G)*e*np.abs(rate_c)/f + 2*G*c*e*error_dG/f)*np.abs((thetahat*thetahat)/beta - 2*inverse_width*thetahat*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + (2*(G*G)*c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(tilt)*np.abs(e/f)/np.abs(G) + 2*(G*G)*c*np.abs(thetahat)*np.abs(e/f)/beta + inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + 2*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(K_vv)*np.abs(tilt)*np.abs(e/f))*np.abs(dthetahat) + (inverse_width*(np.abs(K_vv)*np.abs(thetahat) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat))*np.abs(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/np.abs(G) + inverse_width*(2*np.abs(K_vv)*np.abs(thetahat) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat))*np.abs(e/f)*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m) + inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(e/f))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(K_vv*thetahat - S_weighed*gamma*psi0hat)/np.abs(G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(e/f)*np.abs(2*K_vv*thetahat - 2*S_weighed*gamma*psi0hat) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*c*e*thetahat/f - 2*(G*G)*c*gamma*psi0hat/(e*f))/np.abs(G))*np.abs(rate_tilt) + ((G*G)*c*(psihat*psihat)/np.abs(e*f) + (G*G)*c*(thetahat*thetahat)*np.abs(e/f))*np.abs(rate_beta)/(beta*beta)
    A = stack_matrix(iterations.shape, ((A_dq1_dq1, A_dq1_dq2,), (A_dq2_dq1, A_dq2_dq2,),))
    solution, dq1_dq2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dq1, b_dq2,)))
    dq1, dq2 = solution.T
    if diagnose:
        blocks.append(("linear", ("dq1", "dq2",), A, stack_vector(iterations.shape, (size_dq1_0, size_dq2_0,)), (("dqhat1", size_dqhat1_0, (ddqhat1_ddq1, ddqhat1_ddq2, )), ("dqhat2", size_dqhat2_0, (ddqhat2_ddq1, ddqhat2_ddq2, )),), stack_matrix(iterations.shape, ((size_dq1_dq1, size_dq1_dq2,), (size_dq2_dq1, size_dq2_dq2,),))))
    bend = beta[..., None]*c[..., None]*dmu0*even_parts[..., None]*inverse_width[..., None]
    common = 2*beta[..., None]*(c[..., None]*c[..., None])*dmu0_dmu0*inverse_width[..., None]
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    ddmu0 = (0.5)*(np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_6)/c[..., None] - 0.5*mean_6*rate_c[..., None]/(c[..., None]*c[..., None])
    dcommon = np.array((2*beta*(c*c)*rate_inverse_width, 4*beta*c*inverse_width*rate_c, 2*(c*c)*inverse_width*rate_beta)).T @ columns_10 + 4*beta[..., None]*(c[..., None]*c[..., None])*ddmu0*dmu0*inverse_width[..., None]
    mean_7 = beta[..., None]*c[..., None]*column*inverse_width[..., None] + mu0
    C = kappa_mu1*theta[..., None] + m[..., None]*mean_7
    dmu0_2 = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_7
    dmean = np.array((beta*c*rate_inverse_width, beta*inverse_width*rate_c, c*inverse_width*rate_beta)).T @ columns_8 + beta[..., None]*c[..., None]*column_12*ddmu0*inverse_width[..., None] + dmu0_2
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    dC = dm[..., None]*mean_7 + dmean*m[..., None] + dmu1*kappa*theta[..., None] + dtheta[..., None]*kappa_mu1
    dbend = np.array((beta*c*even_parts*rate_inverse_width, beta*c*inverse_width*rate_even_parts, beta*even_parts*inverse_width*rate_c, c*even_parts*inverse_width*rate_beta)).T @ columns_11 + beta[..., None]*c[..., None]*ddmu0*even_parts[..., None]*inverse_width[..., None]
    dh = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_9
    dhbend = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_12
    dhz = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_4
    dhslope = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_5
    dhzz = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_15
    dR = np.array((-2*dpsi, -2*dpsi0, dq1, dq2)).T @ columns_18 + -2*C*dh - 2*bend*dhbend*m[..., None] + dC*(2*C + column_16) + dbend*(4*bend*(m[..., None]*m[..., None]) - 2*hbend*m[..., None]) + dcommon*(m[..., None]*m[..., None]) - 2*dhslope*mu1*psi0[..., None] - 2*dhz*mu1*psi[..., None] + dhzz + dm[..., None]*(4*(bend*bend)*m[..., None] - 2*bend*hbend + 2*common*m[..., None]) + dmu1*(np.array((-2*psi0, -2*psi, 2*q1)).T @ columns_17) + dmu2sq*q2[..., None] + rate_noise_variance[..., None]
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    R = np.array((-2*psi0, -2*psi, q1, q2)).T @ columns_14 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]
    dV = np.array((dV1, dV2)).T @ columns_1 + 2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq
    E44 = (dR) @ kappa_weights
    E45 = (np.abs(dR)) @ kappa_weights
    E46 = (-2*R*dV*(inv*inv*inv) + dR*(inv*inv)) @ kappa_weights
    E47 = (np.abs(-2*R*dV*(inv*inv*inv) + dR*(inv*inv))) @ kappa_weights
    V1_check, V2_check, error, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_6, error_7, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective = conclude(E42, E43, E44, E45, E46, E47, G, K_vv, S_weighed, alpha, beta, ddqhat1_ddq1, ddqhat1_ddq2, ddqhat2_ddq1, ddqhat2_ddq2, dq1, dq2, dqhat1_0, dqhat2_0, gamma, inverse_width, lam, m, noise_variance, psi0hat, q2, rate_alpha, rate_beta, rate_lam, rate_noise_variance, thetahat, tilt)
    V1_V2_error = np.maximum((ROUNDING*np.abs(slope_V1_V1) + ROUNDING*np.abs(slope_V2_V1))/(np.abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300), (ROUNDING*np.abs(slope_V1_V2) + ROUNDING*np.abs(slope_V2_V2))/(np.abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300))
    uncertain = np.where((V1_V2_error > 0.1), V1_V2_error, 0)
    inaccurate = np.where((LARGEST_ERROR < V1_V2_error), 1e+289, 0)
    V1_residual = np.abs(np.log(V1_check/V1))
    V2_residual = np.abs(np.log(V2_check/V2))
    theta_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_m_m)*np.abs(A_theta_theta) + np.abs(A_m_theta)*np.abs(A_theta_m))/(np.abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300))
    q1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_q1_q1)*np.abs(A_q2_q2) + np.abs(A_q1_q2)*np.abs(A_q2_q1))/(np.abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    dV1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_dV1_dV1)*np.abs(A_dV2_dV2) + np.abs(A_dV1_dV2)*np.abs(A_dV2_dV1))/(np.abs(A_dV1_dV1*A_dV2_dV2 - A_dV1_dV2*A_dV2_dV1) + 1e-300))
    dtheta_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_dm_dm)*np.abs(A_dtheta_dtheta) + np.abs(A_dm_dtheta)*np.abs(A_dtheta_dm))/(np.abs(A_dm_dm*A_dtheta_dtheta - A_dm_dtheta*A_dtheta_dm) + 1e-300))
    dq1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_dq1_dq1)*np.abs(A_dq2_dq2) + np.abs(A_dq1_dq2)*np.abs(A_dq2_dq1))/(np.abs(A_dq1_dq1*A_dq2_dq2 - A_dq1_dq2*A_dq2_dq1) + 1e-300))
    lost = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, np.abs(psi0))), 1e+289, 0)
    if diagnose:
        error_G = Vhat1*c*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2)/((Vhat1*beta*c*mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta) + 1)*(Vhat1*beta*c*(Vhat2 + lam)*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2) + 1)) + (Vhat2 + lam)*(Vhat1*beta*c*mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta) + 1)*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2)/(Vhat1*beta*c*(Vhat2 + lam)*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2) + 1) + mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
        error_dG_4 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G*G)*(Vhat1*Vhat1)*(c*c)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)**(2)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 3*(G*G)*(Vhat1*Vhat1)*(c*c)*error_G*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*Vhat1*(Vhat1*beta*c*error_G + 1)*np.abs(rate_c)/((G*Vhat1*beta*c + 1)**(2)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*c*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)**(2)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*(G*Vhat1*beta*c + 1)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*Vhat1*error_G*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*c*error_G*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*error_G*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*error_G*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dG_5 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_beta)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G*G)*(Vhat1*Vhat1)*(c*c)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_beta)/((e*e)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 3*(G*G)*(Vhat1*Vhat1)*(c*c)*error_G*np.abs(rate_beta)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*Vhat1*(Vhat1*beta*c*error_G + 1)*np.abs(rate_c)/((e*e)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*c*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat1)/((e*e)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*e*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*e*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*Vhat1*error_G*np.abs(rate_c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*c*error_G*np.abs(dVhat1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*e*error_G*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*e*error_G*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dS_weighed_2 = G*c*(Vhat1*beta*c*error_dG_5 + Vhat1*beta*error_G*np.abs(rate_c) + Vhat1*c*error_G*np.abs(rate_beta) + beta*c*error_G*np.abs(dVhat1))/(e*e) + 2*G*c*(Vhat1*beta*c*error_G + 1)*np.abs(de)/(e*e*e) + G*(Vhat1*beta*c*error_G + 1)*np.abs(rate_c)/(e*e) + c*error_dG_4/e + c*error_G*np.abs(de)/(e*e) + c*(Vhat1*beta*c*error_G + 1)*np.abs(dG)/(e*e) + error_G*np.abs(rate_c)/e
        error_10 = E48*alpha
        error_11 = error_10*np.abs(S_weighed)
        error_12 = E49*alpha
        error_13 = beta*inverse_width*(error_12*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt) + np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)/np.abs(G)
    theta_m_dependent = np.where((((A_m_m == 0) & (A_m_theta == 0) & ((A_theta_m != 0) | (dthetahat_dm != 0))) | ((A_theta_m == 0) & (A_theta_theta == 0) & ((A_m_theta != 0) | (dthetahat_dtheta != 0))) | (theta_singular > 1e+100)), 1e+290, 0)
    q1_q2_dependent = np.where((((A_q1_q1 == 0) & (A_q1_q2 == 0) & ((A_q2_q1 != 0) | (dqhat1_dq1 != 0) | (dqhat2_dq1 != 0))) | ((A_q2_q1 == 0) & (A_q2_q2 == 0) & ((A_q1_q2 != 0) | (dqhat1_dq2 != 0) | (dqhat2_dq2 != 0))) | (q1_singular > 1e+100)), 1e+290, 0)
    dV1_dV2_dependent = np.where((((A_dV1_dV1 == 0) & (A_dV1_dV2 == 0) & ((A_dV2_dV1 != 0) | (ddVhat1_ddV1 != 0) | (ddVhat2_ddV1 != 0))) | ((A_dV2_dV1 == 0) & (A_dV2_dV2 == 0) & ((A_dV1_dV2 != 0) | (ddVhat1_ddV2 != 0) | (ddVhat2_ddV2 != 0))) | (dV1_singular > 1e+100)), 1e+290, 0)
    dtheta_dm_dependent = np.where((((A_dm_dm == 0) & (A_dm_dtheta == 0) & ((A_dtheta_dm != 0) | (ddthetahat_ddm != 0))) | ((A_dtheta_dm == 0) & (A_dtheta_dtheta == 0) & ((A_dm_dtheta != 0) | (ddthetahat_ddtheta != 0))) | (dtheta_singular > 1e+100)), 1e+290, 0)
    dq1_dq2_dependent = np.where((((A_dq1_dq1 == 0) & (A_dq1_dq2 == 0) & ((A_dq2_dq1 != 0) | (ddqhat1_ddq1 != 0) | (ddqhat2_ddq1 != 0))) | ((A_dq2_dq1 == 0) & (A_dq2_dq2 == 0) & ((A_dq1_dq2 != 0) | (ddqhat1_ddq2 != 0) | (ddqhat2_ddq2 != 0))) | (dq1_singular > 1e+100)), 1e+290, 0)
    if diagnose:
        error_2 = alpha*np.abs(E24) + np.abs(E6)*np.abs(rate_alpha)
        lost_2 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(dpsihat))), 1e+289, 0)
        error_3 = error_2*np.abs(S_weighed) + error_dS_weighed_2*np.abs(psihat)
        lost_3 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(dpsi))), 1e+289, 0)
        error_4 = alpha*np.abs(E25) + np.abs(E7)*np.abs(rate_alpha)
        lost_4 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(dpsi0hat))), 1e+289, 0)
        error_5 = (S_weighed*S_weighed)*beta*error_4*(gamma*gamma)*inverse_width*(tilt*tilt)/np.abs(G) + beta*inverse_width*(tilt*tilt)*(c*error_dG_4 + error_G*np.abs(rate_c))*np.abs(S_weighed)*np.abs(gamma)*np.abs(thetahat)/np.abs(G) + beta*inverse_width*(tilt*tilt)*np.abs(K_vv)*np.abs(S_weighed)*np.abs(dthetahat)*np.abs(gamma)/np.abs(G) + beta*inverse_width*np.abs(S_weighed)*np.abs(dm)*np.abs(gamma)*np.abs(tilt)/np.abs(G) + beta*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(gamma)*np.abs(rate_inverse_width)*np.abs(tilt)/np.abs(G) + error_dS_weighed_2*np.abs(S_weighed*beta*(gamma*gamma)*inverse_width*psi0hat*(tilt*tilt)/G - beta*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(gamma)*np.abs(rate_beta)*np.abs(tilt)/np.abs(G) + ((S_weighed*S_weighed)*beta*inverse_width*(tilt*tilt)*np.abs(gamma)*np.abs(psi0hat)/np.abs(G) + beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(tilt)/np.abs(G))*np.abs(rate_gamma) + (beta*(gamma*gamma)*inverse_width*(tilt*tilt)*np.abs(S_weighed)*np.abs(psi0hat)/np.abs(G) + beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(gamma)*np.abs(tilt)/np.abs(G))*np.abs(dS_weighed) + (beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat))*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)/np.abs(G) + beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(gamma)/np.abs(G))*np.abs(rate_tilt) + beta*error_dG_4*inverse_width*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/(G*G) + beta*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(dG)*np.abs(gamma)*np.abs(tilt)/(G*G)
        lost_5 = np.where((ROUNDING*error_5 > LARGEST_ERROR*np.maximum(1, np.abs(dpsi0))), 1e+289, 0)
    lost_6 = np.where((ROUNDING*error_6 > LARGEST_ERROR*np.maximum(1, np.abs(clean_error))), 1e+289, 0)
    lost_7 = np.where((ROUNDING*error_7 > LARGEST_ERROR*np.maximum(1, np.abs(objective))), 1e+289, 0)
    if diagnose:
        error_14 = E50
        error_15 = E50 + noise_variance
        error_16 = E51
        error_17 = E51 + beta*lam*np.abs(q2)/alpha
    residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(V1_V2_moved, V1_residual), V2_residual), dV1_dV2_dependent), dV1_dV2_residual), dV1_singular), dq1_dq2_dependent), dq1_dq2_residual), dq1_singular), dtheta_dm_dependent), dtheta_dm_residual), dtheta_singular), q1_q2_dependent), q1_q2_residual), q1_singular), theta_m_dependent), theta_m_residual), theta_singular), uncertain)
    inaccurate_2 = np.maximum(np.maximum(np.maximum(inaccurate, lost), lost_6), lost_7)
    few_digits = np.where((LARGEST_ERROR >= residual), inaccurate_2, 0)
    residual_2 = np.maximum(few_digits, residual)
    if diagnose:
        error_8 = np.abs(E44) + np.abs(rate_noise_variance)
        lost_8 = np.where((ROUNDING*error_8 > LARGEST_ERROR*np.maximum(1, np.abs(dclean_error))), 1e+289, 0)
        error_9 = np.abs(E46) + beta*lam*np.abs(dq2)/alpha + beta*np.abs(q2)*np.abs(rate_lam)/alpha + lam*np.abs(q2)*np.abs(rate_beta)/alpha + beta*lam*np.abs(q2)*np.abs(rate_alpha)/(alpha*alpha)
        lost_9 = np.where((ROUNDING*error_9 > LARGEST_ERROR*np.maximum(1, np.abs(dobjective))), 1e+289, 0)
        blocks.append(("explicit", ("psihat",), error_10))
        blocks.append(("explicit", ("psi",), error_11))
        blocks.append(("explicit", ("psi0hat",), error_12))
        blocks.append(("explicit", ("psi0",), error_13))
        blocks.append(("explicit", ("test_error",), error_14))
        blocks.append(("explicit", ("clean_error",), error_15))
        blocks.append(("explicit", ("train_error",), error_16))
        blocks.append(("explicit", ("objective",), error_17))
        blocks.append(("lost", ("dpsihat",), lost_2))
        blocks.append(("lost", ("dpsi",), lost_3))
        blocks.append(("lost", ("dpsi0hat",), lost_4))
        blocks.append(("lost", ("dpsi0",), lost_5))
        blocks.append(("lost", ("dclean_error",), lost_8))
        blocks.append(("lost", ("dobjective",), lost_9))
    return stack_vector(iterations.shape, (V1, V2, q1, q2, theta, psi, psi0, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat, dV1, dV2, dq1, dq2, dtheta, dpsi, dpsi0, dm, dVhat1, dVhat2, dqhat1, dqhat2, dthetahat, dpsihat, dpsi0hat, test_error, clean_error, train_error, objective, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective, residual_2, iterations)).T, blocks
