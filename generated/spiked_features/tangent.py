"""Spiked random features, square loss, with the derivatives of everything along a direction (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: V1, V2, q1, q2, theta, psi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, dV1, dV2, dq1, dq2, dtheta, dpsi, dm, dVhat1, dVhat2, dqhat1, dqhat2, dthetahat, dpsihat.
Parameters: alpha, beta, lam, noise_variance, r, c, gamma, rho, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho.
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
PARAMETERS = ("alpha", "beta", "lam", "noise_variance", "r", "c", "gamma", "rho", "rate_alpha", "rate_beta", "rate_lam", "rate_noise_variance", "rate_r", "rate_c", "rate_gamma", "rate_rho",)
TABLE_PARAMETERS = ("r", "c", "gamma", "rho",)
UNKNOWNS = ("V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "dV1", "dV2", "dq1", "dq2", "dtheta", "dpsi", "dm", "dVhat1", "dVhat2", "dqhat1", "dqhat2", "dthetahat", "dpsihat",)
TORN = ("V1", "V2",)
OBSERVABLES = ("test_error", "clean_error", "train_error", "objective", "dtest_error", "size_dtest_error", "dclean_error", "size_dclean_error", "dtrain_error", "size_dtrain_error", "dobjective", "size_dobjective",)
OUTPUTS = ("V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "dV1", "dV2", "dq1", "dq2", "dtheta", "dpsi", "dm", "dVhat1", "dVhat2", "dqhat1", "dqhat2", "dthetahat", "dpsihat", "test_error", "clean_error", "train_error", "objective", "dtest_error", "size_dtest_error", "dclean_error", "size_dclean_error", "dtrain_error", "size_dtrain_error", "dobjective", "size_dobjective", "residual", "iterations",)
ACTIVATIONS = ("student", "target",)
GRIDS = ("kappa",)
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


kappa_SYMMETRIES = ((-1, 1, -1, 1, -1, -1, -1, 1, -1, 1, -1, 1, -1, 1, -1, -1, 1, 1, 1, -1, 1), (-1, -1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1, 1, -1, 1))
kappa_DIRECTIONS = ((37, 0, 0, (-1,), ('node*p0', 'sqrt(p1)', 's')),)


def kappa_rule(levels, r, c, gamma, rho, student, target, places=()):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, kappa**2*mu1**2, kappa*mu0*mu1, h*kappa*mu1, mu0**2, h*mu0, Abs(h*kappa*mu1), Abs(h*mu0), Abs(kappa*mu0*mu1), hz*mu1, mean_6, kappa*mean_7, -mean + mean_8, kappa*(-mean_2 + mean_9), mean, mu1, Abs(hz*mu1), mu0, kappa*mu1, h, hzz, -h, mean_11, kappa*mean, kappa, mean_12, kappa*mean_5, -hz + mean_13, kappa*(mean_14 - mean_4), hz, -2*h, mean_15, kappa*mean_16.
    """
    rules, kappa, pairs = outer_rules(levels, [(0, r, np.sqrt(c), student.kinks_float), (0, gamma, rho, target.kinks_float), *places])
    error = 0.0
    (mean, mean_2, mean_8, mean_9, mean_11,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: (s*z, s, s*z*((z*z) - 1), s*(z*z), s*((z*z) - 1),),
        {1: (-1, 1, -1, 1, 1), -1: (1, -1, 1, -1, -1)}, pairs,
        floors={0: (FLOOR, -1.0, FLOOR, FLOOR, FLOOR,), 2: (FLOOR, np.inf, FLOOR, FLOOR, FLOOR,), 1: (np.inf, -1.0, np.inf, FLOOR, FLOOR,), -1: (FLOOR, np.inf, FLOOR, np.inf, np.inf,)})
    error = max(error, change)
    (mean_4, mean_5, mean_10, mean_12, mean_13, mean_14, mean_15, mean_16,), change = normal_means(
        target, gamma*kappa, rho, lambda z, s, at: (s, s*z, (s*s), s*((z*z) - 1), s*z*((z*z) - 1), s*(z*z), (s*s)*((z*z) - 1), (s*s)*z,),
        {1: (1, -1, 1, 1, -1, 1, 1, -1), -1: (-1, 1, 1, -1, 1, -1, 1, -1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR,), 2: (np.inf, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR, FLOOR,), 1: (FLOOR, np.inf, FLOOR, FLOOR, np.inf, FLOOR, FLOOR, np.inf,), -1: (np.inf, FLOOR, FLOOR, np.inf, FLOOR, np.inf, FLOOR, np.inf,)})
    error = max(error, change)
    mu1 = mean/np.sqrt(c)
    mu0 = mean_2
    h = mean_4
    hz = mean_5
    hzz = mean_10
    (mean_3, mean_6, mean_7,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2), ((z*z) - 1)*(-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2), z*(-np.sqrt(c)*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1, 1, -1), -1: (1, 1, -1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (FLOOR, FLOOR, FLOOR,), 1: (FLOOR, FLOOR, FLOOR,), -1: (FLOOR, FLOOR, FLOOR,)})
    error = max(error, change)
    mu2sq = mean_3
    mean_square = c*(mu1*mu1) + mean_3 + (mu0*mu0)
    shift = np.abs(kappa*r)/(np.sqrt(c) + np.abs(kappa*r) + 1e-300)
    tables = split_tables([kappa, mean, mean_2, mean_8, mean_9, mean_11, mean_4, mean_5, mean_12, mean_13, mean_14, mean_15, mean_16, mu1, mu0, h, hz, hzz, mean_6, mean_7, mu2sq, mean_square, shift], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), (kappa*kappa)*(mu1*mu1), kappa*mu0*mu1, h*kappa*mu1, (mu0*mu0), h*mu0, np.abs(h*kappa*mu1), np.abs(h*mu0), np.abs(kappa*mu0*mu1), hz*mu1, mean_6, kappa*mean_7, -mean + mean_8, kappa*(-mean_2 + mean_9), mean, mu1, np.abs(hz*mu1), mu0, kappa*mu1, h, hzz, -h, mean_11, kappa*mean, kappa, mean_12, kappa*mean_5, -hz + mean_13, kappa*(mean_14 - mean_4), hz, -2*h, mean_15, kappa*mean_16, np.abs(mean_2), np.sqrt(mean_square), np.sqrt(mean_square)*shift), weights) for (kappa, mean, mean_2, mean_8, mean_9, mean_11, mean_4, mean_5, mean_12, mean_13, mean_14, mean_15, mean_16, mu1, mu0, h, hz, hzz, mean_6, mean_7, mu2sq, mean_square, shift), weights in tables], error


def linearize_V1(G, Vhat1, Vhat2, beta, c, dVhat1_dV1, dVhat1_dV2, dVhat2_dV1, dVhat2_dV2, lam):
    """Compute maps, residuals and slopes of V1, V2."""
    e = G*Vhat1*beta*c + 1
    # V1 = <D/S>
    V1_map = G*c/e
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat1_dV2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    # V2 = <1/S>
    V2_map = G
    dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
    dV2_map_dV2 = -(G*G)*c*dVhat1_dV2/(e*f) - (G*G)*dVhat2_dV2*e/f
    return V1_map, dV1_map_dV1, dV1_map_dV2, V2_map, dV2_map_dV1, dV2_map_dV2


def prepare_theta(E1, E10, E2, E6, E7, E8, E9, alpha, beta):
    """Compute what the equations of theta, m need."""
    # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat1 = E1*alpha/beta
    # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
    Vhat2 = E2*alpha/beta
    dthetahat_dtheta = -E6*alpha
    dthetahat_dm = -E7*alpha
    thetahat_0 = E8*alpha
    A_m_theta = E7
    A_m_m = E9
    b_m = E10
    return Vhat1, Vhat2, dthetahat_dtheta, dthetahat_dm, thetahat_0, A_m_theta, A_m_m, b_m


def prepare_dV1(E1, E19, E2, E20, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, lam, rate_alpha, rate_beta, rate_c, rate_lam):
    """Compute what the equations of dV1, dV2 need."""
    e = G*Vhat1*beta*c + 1
    ddVhat1_ddV1 = -E3*alpha/beta
    ddVhat2_ddV1 = -E4*alpha/beta
    ddVhat1_ddV2 = -E4*alpha/beta
    ddVhat2_ddV2 = -E5*alpha/beta
    dVhat1_0 = -E1*alpha*rate_beta/(beta*beta) + E1*rate_alpha/beta - E19*alpha/beta
    dVhat2_0 = -E2*alpha*rate_beta/(beta*beta) + E2*rate_alpha/beta - E20*alpha/beta
    A_dV1_dV1 = ddVhat1_ddV1*((G*G)*(c*c)/(e*(G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*c*(-(G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*beta*c)/(e*e)) + ddVhat2_ddV1*(-(G*G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(G*Vhat1*beta*c + 1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1))) + 1
    A_dV1_dV2 = ddVhat1_ddV2*((G*G)*(c*c)/(e*(G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*c*(-(G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + G*beta*c)/(e*e)) + ddVhat2_ddV2*(-(G*G*G)*Vhat1*beta*(c*c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(G*Vhat1*beta*c + 1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)))
    b_dV1 = -G*c*(G*Vhat1*beta*rate_c + G*Vhat1*c*rate_beta + G*beta*c*dVhat1_0 + Vhat1*beta*c*((G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1_0/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2_0*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*e*rate_lam/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)))/(e*e) + G*rate_c/e + c*((G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1_0/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2_0*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*rate_lam*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1))/e
    A_dV2_dV1 = (G*G)*c*ddVhat1_ddV1/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*ddVhat2_ddV1*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    A_dV2_dV2 = (G*G)*c*ddVhat1_ddV2/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*ddVhat2_ddV2*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 1
    b_dV2 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1_0/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2_0*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*rate_lam*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    return e, ddVhat1_ddV1, ddVhat2_ddV1, ddVhat1_ddV2, ddVhat2_ddV2, dVhat1_0, dVhat2_0, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2


def prepare_q1(E15, E16, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, e, lam, m, psihat, theta, thetahat_0):
    """Compute what the equations of q1, q2 need."""
    # thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    dqhat1_dq1 = E3*alpha/beta
    dqhat2_dq1 = E4*alpha/beta
    dqhat1_dq2 = E4*alpha/beta
    dqhat2_dq2 = E5*alpha/beta
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    A_q1_q1 = -(G*G)*c*dqhat2_dq1/(e*f) - G*c*dqhat1_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_q1_q2 = -(G*G)*c*dqhat2_dq2/(e*f) - G*c*dqhat1_dq2*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    A_q2_q1 = -(G*G)*c*dqhat1_dq1/(e*f) - (G*G)*dqhat2_dq1*e/f
    A_q2_q2 = -(G*G)*c*dqhat1_dq2/(e*f) - (G*G)*dqhat2_dq2*e/f + 1
    qhat1_0 = E15*alpha/beta
    qhat2_0 = E16*alpha/beta
    b_q1 = (G*G)*c*qhat2_0/(e*f) + G*c*qhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) - (-(G*G)*(c*c)*(thetahat*thetahat)/(e*f) - G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta
    b_q2 = (G*G)*c*qhat1_0/(e*f) + (G*G)*e*qhat2_0/f - (-(G*G)*c*e*(thetahat*thetahat)/f - (G*G)*c*(psihat*psihat)/(e*f))/beta
    return thetahat, dqhat1_dq1, dqhat2_dq1, dqhat1_dq2, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2


def prepare_dtheta(E23, E24, E25, E6, E7, E9, G, Vhat1, Vhat2, alpha, beta, c, dV1, dV2, dVhat1_0, dVhat2_0, ddVhat1_ddV1, ddVhat1_ddV2, ddVhat2_ddV1, ddVhat2_ddV2, lam, rate_alpha, rate_beta, rate_c, rate_lam, thetahat):
    """Compute what the equations of dtheta, dm need."""
    # dVhat1 = alpha*E_kappa[2*dmu1*mu1/(V + 1) - dV*mu1**2/(V + 1)**2]/beta - alpha*rate_beta*E_kappa[mu1**2/(V + 1)]/beta**2 + rate_alpha*E_kappa[mu1**2/(V + 1)]/beta
    dVhat1 = dV1*ddVhat1_ddV1 + dV2*ddVhat1_ddV2 + dVhat1_0
    # dVhat2 = alpha*E_kappa[dmu2sq/(V + 1) - dV*mu2sq/(V + 1)**2]/beta - alpha*rate_beta*E_kappa[mu2sq/(V + 1)]/beta**2 + rate_alpha*E_kappa[mu2sq/(V + 1)]/beta
    dVhat2 = dV1*ddVhat2_ddV1 + dV2*ddVhat2_ddV2 + dVhat2_0
    ddthetahat_ddtheta = -E6*alpha
    ddthetahat_ddm = -E7*alpha
    A_dtheta_dtheta = -G*c*ddthetahat_ddtheta + 1
    A_dtheta_dm = -G*c*ddthetahat_ddm
    dG = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*rate_lam*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    A_dm_dtheta = E7
    A_dm_dm = E9
    dthetahat_0 = -E23*rate_alpha - E24*alpha
    b_dtheta = G*c*dthetahat_0 + thetahat*(G*rate_c + c*dG)
    b_dm = -E25
    return dVhat1, dVhat2, ddthetahat_ddtheta, ddthetahat_ddm, A_dtheta_dtheta, A_dtheta_dm, dG, A_dm_dtheta, A_dm_dm, dthetahat_0, b_dtheta, b_dm


def prepare_dq1(E3, E30, E31, E32, E33, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, dG, dVhat1, dVhat2, ddthetahat_ddm, ddthetahat_ddtheta, de, dm, dpsihat, dqhat1_dq1, dqhat1_dq2, dqhat2_dq1, dqhat2_dq2, dtheta, dthetahat_0, e, f, lam, psihat, q1, q2, qhat1_0, qhat2_0, rate_alpha, rate_beta, rate_c, rate_lam, thetahat):
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
    # dthetahat = -alpha*E_kappa[kappa*((C - h)*dmu1/(V + 1) - (C - h)*dV*mu1/(V + 1)**2 + dC*mu1/(V + 1) - dh*mu1/(V + 1))] - rate_alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    dthetahat = ddthetahat_ddm*dm + ddthetahat_ddtheta*dtheta + dthetahat_0
    dqhat1_0 = -E30*alpha*rate_beta/(beta*beta) + E30*rate_alpha/beta + E31*alpha/beta
    dqhat2_0 = -E32*alpha*rate_beta/(beta*beta) + E32*rate_alpha/beta + E33*alpha/beta
    b_dq1 = (G*G)*c*dqhat2_0/(e*f) + 2*(G*G)*(c*c)*dthetahat*thetahat/(beta*e*f) + G*c*dqhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 2*G*c*dpsihat*psihat*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(beta*e*f) + qhat1*((G*G*G)*beta*(c*c)*dVhat2/(e*f) + (G*G*G)*beta*(c*c)*rate_lam/(e*f) + (G*G*G)*(c*c)*rate_beta*(Vhat2 + lam)/(e*f) - G*c*df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + de*(-(G*G)*(c*c)/((e*e*e)*f) - G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)) + rate_c*(G*c*((G*G)*beta*(Vhat2 + lam) + G/e)/(e*f) + G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))) + qhat2*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + (G*G)*rate_c/(e*f) + 2*G*c*dG/(e*f)) + (psihat*psihat)*((G*G*G)*beta*(c*c)*dVhat2/(e*f) + (G*G*G)*beta*(c*c)*rate_lam/(e*f) + (G*G*G)*(c*c)*rate_beta*(Vhat2 + lam)/(e*f) - G*c*df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + de*(-(G*G)*(c*c)/((e*e*e)*f) - G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)) + rate_c*(G*c*((G*G)*beta*(Vhat2 + lam) + G/e)/(e*f) + G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))/beta + (thetahat*thetahat)*(-(G*G)*(c*c)*de/((e*e)*f) - (G*G)*(c*c)*df/(e*(f*f)) + 2*(G*G)*c*rate_c/(e*f) + 2*G*(c*c)*dG/(e*f))/beta + rate_beta*(-(G*G)*(c*c)*(thetahat*thetahat)/(e*f) - G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/(beta*beta)
    b_dq2 = (G*G)*c*dqhat1_0/(e*f) + (G*G)*dqhat2_0*e/f + 2*(G*G)*c*dpsihat*psihat/(beta*e*f) + 2*(G*G)*c*dthetahat*e*thetahat/(beta*f) + qhat1*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + (G*G)*rate_c/(e*f) + 2*G*c*dG/(e*f)) + qhat2*((G*G)*de/f - (G*G)*df*e/(f*f) + 2*G*dG*e/f) + (psihat*psihat)*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + (G*G)*rate_c/(e*f) + 2*G*c*dG/(e*f))/beta + (thetahat*thetahat)*((G*G)*c*de/f - (G*G)*c*df*e/(f*f) + (G*G)*e*rate_c/f + 2*G*c*dG*e/f)/beta + rate_beta*(-(G*G)*c*e*(thetahat*thetahat)/f - (G*G)*c*(psihat*psihat)/(e*f))/(beta*beta)
    return ddqhat1_ddq1, ddqhat2_ddq1, ddqhat1_ddq2, ddqhat2_ddq2, A_dq1_dq1, A_dq1_dq2, A_dq2_dq1, A_dq2_dq2, qhat1, qhat2, dthetahat, dqhat1_0, dqhat2_0, b_dq1, b_dq2


def conclude(E38, E39, E40, E41, E42, E43, G, alpha, beta, c, ddqhat1_ddq1, ddqhat1_ddq2, ddqhat2_ddq1, ddqhat2_ddq2, dq1, dq2, dqhat1_0, dqhat2_0, e, lam, noise_variance, q2, rate_alpha, rate_beta, rate_lam, rate_noise_variance):
    """Compute observables and the errors that rounding makes."""
    V1_check = G*c/e
    V2_check = G
    # dqhat1 = alpha*E_kappa[2*R*dmu1*mu1/(V + 1)**2 + dR*mu1**2/(V + 1)**2 - 2*R*dV*mu1**2/(V + 1)**3]/beta - alpha*rate_beta*E_kappa[R*mu1**2/(V + 1)**2]/beta**2 + rate_alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    dqhat1 = ddqhat1_ddq1*dq1 + ddqhat1_ddq2*dq2 + dqhat1_0
    # dqhat2 = alpha*E_kappa[R*dmu2sq/(V + 1)**2 + dR*mu2sq/(V + 1)**2 - 2*R*dV*mu2sq/(V + 1)**3]/beta - alpha*rate_beta*E_kappa[R*mu2sq/(V + 1)**2]/beta**2 + rate_alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    dqhat2 = ddqhat2_ddq1*dq1 + ddqhat2_ddq2*dq2 + dqhat2_0
    # test_error = E_kappa[R]
    test_error = E38
    # clean_error = -noise_variance + E_kappa[R]
    clean_error = E38 - noise_variance
    # train_error = E_kappa[R/(V + 1)**2]
    train_error = E39
    # objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    objective = E39 + beta*lam*q2/alpha
    error_3 = noise_variance + abs(E38)
    error_4 = abs(E39) + beta*lam*abs(q2)/alpha
    # dtest_error = E_kappa[dR]
    dtest_error = E40
    # size_dtest_error = E_kappa[Abs(dR)]
    size_dtest_error = E41
    # dclean_error = -rate_noise_variance + E_kappa[dR]
    dclean_error = E40 - rate_noise_variance
    # size_dclean_error = Abs(rate_noise_variance) + E_kappa[Abs(dR)]
    size_dclean_error = E41 + abs(rate_noise_variance)
    # dtrain_error = E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3]
    dtrain_error = E42
    # size_dtrain_error = E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)]
    size_dtrain_error = E43
    # dobjective = E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3] + beta*dq2*lam/alpha + beta*q2*rate_lam/alpha + lam*q2*rate_beta/alpha - beta*lam*q2*rate_alpha/alpha**2
    dobjective = E42 + beta*dq2*lam/alpha + beta*q2*rate_lam/alpha + lam*q2*rate_beta/alpha - beta*lam*q2*rate_alpha/(alpha*alpha)
    # size_dobjective = E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)] + beta*lam*Abs(dq2)/alpha + beta*Abs(q2)*Abs(rate_lam)/alpha + lam*Abs(q2)*Abs(rate_beta)/alpha + beta*lam*Abs(q2)*Abs(rate_alpha)/alpha**2
    size_dobjective = E43 + beta*lam*abs(dq2)/alpha + beta*abs(q2)*abs(rate_lam)/alpha + lam*abs(q2)*abs(rate_beta)/alpha + beta*lam*abs(q2)*abs(rate_alpha)/(alpha*alpha)
    return V1_check, V2_check, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_3, error_4, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective


@compiled
def solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    mu1_mu1, mu2sq, mu1_mu1_mu1_mu1, mu1_mu1_mu2sq, mu2sq_mu2sq, kappa_kappa_mu1_mu1, kappa_mu0_mu1, h_kappa_mu1, mu0_mu0, h_mu0, hz_mu1, mean_6, kappa_mean_7, column_4, column_5, mean, mu1, mu0, kappa_mu1, h, hzz, column_7, mean_11, kappa_mean, kappa, mean_12, kappa_mean_5, column_8, column_9, hz, column_10, mean_15, kappa_mean_16 = kappa_table[0], kappa_table[1], kappa_table[2], kappa_table[3], kappa_table[4], kappa_table[5], kappa_table[6], kappa_table[7], kappa_table[8], kappa_table[9], kappa_table[13], kappa_table[14], kappa_table[15], kappa_table[16], kappa_table[17], kappa_table[18], kappa_table[19], kappa_table[21], kappa_table[22], kappa_table[23], kappa_table[24], kappa_table[25], kappa_table[26], kappa_table[27], kappa_table[28], kappa_table[29], kappa_table[30], kappa_table[31], kappa_table[32], kappa_table[33], kappa_table[34], kappa_table[35], kappa_table[36]
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
    E1 = E2 = E6 = E7 = E8 = E9 = E10 = E14 = E3 = E4 = E5 = E19 = E20 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        dmu2sq = (0.5)*mean_6[i]*rate_c/c + kappa_mean_7[i]*rate_r/math.sqrt(c)
        dmu1 = ((0.5)*column_4[i]*rate_c/c + column_5[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        E1 += kappa_weights[i]*(inv*mu1_mu1[i])    # E_kappa[mu1**2/(V + 1)]
        E2 += kappa_weights[i]*(inv*mu2sq[i])    # E_kappa[mu2sq/(V + 1)]
        E6 += kappa_weights[i]*(inv*kappa_kappa_mu1_mu1[i])    # E_kappa[kappa**2*mu1**2/(V + 1)]
        E7 += kappa_weights[i]*(inv*kappa_mu0_mu1[i])    # E_kappa[kappa*mu0*mu1/(V + 1)]
        E8 += kappa_weights[i]*(h_kappa_mu1[i]*inv)    # E_kappa[kappa*h*mu1/(V + 1)]
        E9 += kappa_weights[i]*(inv*mu0_mu0[i])    # E_kappa[mu0**2/(V + 1)]
        E10 += kappa_weights[i]*(h_mu0[i]*inv)    # E_kappa[h*mu0/(V + 1)]
        E14 += kappa_weights[i]*(hz_mu1[i]*inv)    # E_kappa[hz*mu1/(V + 1)]
        E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])    # E_kappa[mu1**4/(V + 1)**2]
        E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
        E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])    # E_kappa[mu2sq**2/(V + 1)**2]
        E19 += kappa_weights[i]*(-2*dmu1*inv*mu1[i] + (inv*inv)*mu1_mu1[i]*(2*V1*dmu1*mu1[i] + V2*dmu2sq))    # E_kappa[(2*V1*dmu1*mu1 + V2*dmu2sq)*mu1**2/(V + 1)**2 - 2*dmu1*mu1/(V + 1)]
        E20 += kappa_weights[i]*(-dmu2sq*inv + (inv*inv)*mu2sq[i]*(2*V1*dmu1*mu1[i] + V2*dmu2sq))    # E_kappa[(2*V1*dmu1*mu1 + V2*dmu2sq)*mu2sq/(V + 1)**2 - dmu2sq/(V + 1)]
    Vhat1, Vhat2, dthetahat_dtheta, dthetahat_dm, thetahat_0, A_m_theta, A_m_m, b_m = prepare_theta(E1, E10, E2, E6, E7, E8, E9, alpha, beta)
    G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
    A_theta_theta = -G*c*dthetahat_dtheta + 1
    A_theta_m = -G*c*dthetahat_dm
    b_theta = G*c*thetahat_0
    # linear block for theta, m
    theta, m, theta_m_residual = solve_linear_2(A_theta_theta, A_theta_m, A_m_theta, A_m_m, b_theta, b_m)
    e, ddVhat1_ddV1, ddVhat2_ddV1, ddVhat1_ddV2, ddVhat2_ddV2, dVhat1_0, dVhat2_0, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2 = prepare_dV1(E1, E19, E2, E20, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, lam, rate_alpha, rate_beta, rate_c, rate_lam)
    # linear block for dV1, dV2
    dV1, dV2, dV1_dV2_residual = solve_linear_2(A_dV1_dV1, A_dV1_dV2, A_dV2_dV1, A_dV2_dV2, b_dV1, b_dV2)
    # psihat = alpha*E_kappa[hz*mu1/(V + 1)]
    psihat = E14*alpha
    # psi = psihat*<H/S>
    psi = G*c*psihat/e
    E15 = E16 = E23 = E24 = E25 = E29 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        C = kappa_mu1[i]*theta + m*mu0[i]
        dmu1 = ((0.5)*column_4[i]*rate_c/c + column_5[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        dmu0 = (0.5)*mean_11[i]*rate_c/c + kappa_mean[i]*rate_r/math.sqrt(c)
        dh = kappa_mean_5[i]*rate_gamma/rho + mean_12[i]*rate_rho/rho
        dmu2sq = (0.5)*mean_6[i]*rate_c/c + kappa_mean_7[i]*rate_r/math.sqrt(c)
        dV = 2*V1*dmu1*mu1[i] + V2*dmu2sq + dV1*mu1_mu1[i] + dV2*mu2sq[i]
        dhz = column_8[i]*rate_rho/rho + column_9[i]*rate_gamma/rho
        E15 += kappa_weights[i]*((inv*inv)*mu1_mu1[i]*((C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(noise_variance - 2*psi*hz*mu1 + C**2 - 2*C*h + hzz)*mu1**2/(V + 1)**2]
        E16 += kappa_weights[i]*((inv*inv)*mu2sq[i]*((C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(noise_variance - 2*psi*hz*mu1 + C**2 - 2*C*h + hzz)*mu2sq/(V + 1)**2]
        E23 += kappa_weights[i]*(inv*kappa_mu1[i]*(C + column_7[i]))    # E_kappa[kappa*(C - h)*mu1/(V + 1)]
        E24 += kappa_weights[i]*(kappa[i]*(-dV*(inv*inv)*mu1[i]*(C + column_7[i]) - dh*inv*mu1[i] + dmu1*inv*(C + column_7[i]) + inv*mu1[i]*(dmu0*m + dmu1*kappa[i]*theta)))    # E_kappa[kappa*((kappa*theta*dmu1 + m*dmu0)*mu1/(V + 1) + (C - h)*dmu1/(V + 1) - (C - h)*dV*mu1/(V + 1)**2 - dh*mu1/(V + 1))]
        E25 += kappa_weights[i]*(-dV*(inv*inv)*mu0[i]*(C + column_7[i]) - dh*inv*mu0[i] + dmu0*inv*(C + column_7[i]) + inv*mu0[i]*(dmu0*m + dmu1*kappa[i]*theta))    # E_kappa[(kappa*theta*dmu1 + m*dmu0)*mu0/(V + 1) + (C - h)*dmu0/(V + 1) - (C - h)*dV*mu0/(V + 1)**2 - dh*mu0/(V + 1)]
        E29 += kappa_weights[i]*(-dV*hz_mu1[i]*(inv*inv) + dhz*inv*mu1[i] + dmu1*hz[i]*inv)    # E_kappa[dhz*mu1/(V + 1) + dmu1*hz/(V + 1) - dV*hz*mu1/(V + 1)**2]
    thetahat, dqhat1_dq1, dqhat2_dq1, dqhat1_dq2, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E15, E16, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, e, lam, m, psihat, theta, thetahat_0)
    # linear block for q1, q2
    q1, q2, q1_q2_residual = solve_linear_2(A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, b_q1, b_q2)
    dVhat1, dVhat2, ddthetahat_ddtheta, ddthetahat_ddm, A_dtheta_dtheta, A_dtheta_dm, dG, A_dm_dtheta, A_dm_dm, dthetahat_0, b_dtheta, b_dm = prepare_dtheta(E23, E24, E25, E6, E7, E9, G, Vhat1, Vhat2, alpha, beta, c, dV1, dV2, dVhat1_0, dVhat2_0, ddVhat1_ddV1, ddVhat1_ddV2, ddVhat2_ddV1, ddVhat2_ddV2, lam, rate_alpha, rate_beta, rate_c, rate_lam, thetahat)
    # linear block for dtheta, dm
    dtheta, dm, dtheta_dm_residual = solve_linear_2(A_dtheta_dtheta, A_dtheta_dm, A_dm_dtheta, A_dm_dm, b_dtheta, b_dm)
    dG_2 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*e*rate_lam/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    de = G*Vhat1*beta*rate_c + G*Vhat1*c*rate_beta + G*beta*c*dVhat1 + Vhat1*beta*c*dG_2
    # dpsihat = alpha*E_kappa[dhz*mu1/(V + 1) + dmu1*hz/(V + 1) - dV*hz*mu1/(V + 1)**2] + rate_alpha*E_kappa[hz*mu1/(V + 1)]
    dpsihat = E14*rate_alpha + E29*alpha
    # dpsi = dpsihat*<H/S> + psihat*(-c*G*de/e**2 + c*dG/e + rate_c*G/e)
    dpsi = G*c*dpsihat/e + psihat*(-G*c*de/(e*e) + G*rate_c/e + c*dG/e)
    E30 = E31 = E32 = E33 = E38 = E39 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        C = kappa_mu1[i]*theta + m*mu0[i]
        R = (C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        dmu2sq = (0.5)*mean_6[i]*rate_c/c + kappa_mean_7[i]*rate_r/math.sqrt(c)
        dmu0 = (0.5)*mean_11[i]*rate_c/c + kappa_mean[i]*rate_r/math.sqrt(c)
        dmu1 = ((0.5)*column_4[i]*rate_c/c + column_5[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        dC = dm*mu0[i] + dmu0*m + dmu1*kappa[i]*theta + dtheta*kappa_mu1[i]
        dh = kappa_mean_5[i]*rate_gamma/rho + mean_12[i]*rate_rho/rho
        dhz = column_8[i]*rate_rho/rho + column_9[i]*rate_gamma/rho
        dhzz = kappa_mean_16[i]*rate_gamma/rho + mean_15[i]*rate_rho/rho
        dV = 2*V1*dmu1*mu1[i] + V2*dmu2sq + dV1*mu1_mu1[i] + dV2*mu2sq[i]
        E30 += kappa_weights[i]*(R*(inv*inv)*mu1_mu1[i])    # E_kappa[R*mu1**2/(V + 1)**2]
        E31 += kappa_weights[i]*(-2*R*dV*(inv*inv*inv)*mu1_mu1[i] + 2*R*dmu1*(inv*inv)*mu1[i] + (inv*inv)*mu1_mu1[i]*(-2*C*dh + dC*(2*C + column_10[i]) - 2*dhz*mu1[i]*psi + dhzz + dmu1*(-2*hz[i]*psi + 2*mu1[i]*q1) + dmu2sq*q2 - 2*dpsi*hz_mu1[i] + rate_noise_variance))    # E_kappa[(-2*dpsi*hz*mu1 - 2*psi*dhz*mu1 + q2*dmu2sq + rate_noise_variance + (-2*psi*hz + 2*q1*mu1)*dmu1 + (2*C - 2*h)*dC - 2*C*dh + dhzz)*mu1**2/(V + 1)**2 + 2*R*dmu1*mu1/(V + 1)**2 - 2*R*dV*mu1**2/(V + 1)**3]
        E32 += kappa_weights[i]*(R*(inv*inv)*mu2sq[i])    # E_kappa[R*mu2sq/(V + 1)**2]
        E33 += kappa_weights[i]*(-2*R*dV*(inv*inv*inv)*mu2sq[i] + R*dmu2sq*(inv*inv) + (inv*inv)*mu2sq[i]*(-2*C*dh + dC*(2*C + column_10[i]) - 2*dhz*mu1[i]*psi + dhzz + dmu1*(-2*hz[i]*psi + 2*mu1[i]*q1) + dmu2sq*q2 - 2*dpsi*hz_mu1[i] + rate_noise_variance))    # E_kappa[(-2*dpsi*hz*mu1 - 2*psi*dhz*mu1 + q2*dmu2sq + rate_noise_variance + (-2*psi*hz + 2*q1*mu1)*dmu1 + (2*C - 2*h)*dC - 2*C*dh + dhzz)*mu2sq/(V + 1)**2 + R*dmu2sq/(V + 1)**2 - 2*R*dV*mu2sq/(V + 1)**3]
        E38 += kappa_weights[i]*(R)    # E_kappa[R]
        E39 += kappa_weights[i]*(R*(inv*inv))    # E_kappa[R/(V + 1)**2]
    ddqhat1_ddq1, ddqhat2_ddq1, ddqhat1_ddq2, ddqhat2_ddq2, A_dq1_dq1, A_dq1_dq2, A_dq2_dq1, A_dq2_dq2, qhat1, qhat2, dthetahat, dqhat1_0, dqhat2_0, b_dq1, b_dq2 = prepare_dq1(E3, E30, E31, E32, E33, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, dG, dVhat1, dVhat2, ddthetahat_ddm, ddthetahat_ddtheta, de, dm, dpsihat, dqhat1_dq1, dqhat1_dq2, dqhat2_dq1, dqhat2_dq2, dtheta, dthetahat_0, e, f, lam, psihat, q1, q2, qhat1_0, qhat2_0, rate_alpha, rate_beta, rate_c, rate_lam, thetahat)
    # linear block for dq1, dq2
    dq1, dq2, dq1_dq2_residual = solve_linear_2(A_dq1_dq1, A_dq1_dq2, A_dq2_dq1, A_dq2_dq2, b_dq1, b_dq2)
    E40 = E41 = E42 = E43 = 0.0
    for i in range(kappa_weights.size):
        dmu2sq = (0.5)*mean_6[i]*rate_c/c + kappa_mean_7[i]*rate_r/math.sqrt(c)
        C = kappa_mu1[i]*theta + m*mu0[i]
        dmu0 = (0.5)*mean_11[i]*rate_c/c + kappa_mean[i]*rate_r/math.sqrt(c)
        dmu1 = ((0.5)*column_4[i]*rate_c/c + column_5[i]*rate_r/math.sqrt(c))/math.sqrt(c) - 0.5*mean[i]*rate_c/(c)**(1.5)
        dC = dm*mu0[i] + dmu0*m + dmu1*kappa[i]*theta + dtheta*kappa_mu1[i]
        dh = kappa_mean_5[i]*rate_gamma/rho + mean_12[i]*rate_rho/rho
        dhz = column_8[i]*rate_rho/rho + column_9[i]*rate_gamma/rho
        dhzz = kappa_mean_16[i]*rate_gamma/rho + mean_15[i]*rate_rho/rho
        dR = -2*C*dh + dC*(2*C + column_10[i]) - 2*dhz*mu1[i]*psi + dhzz + dmu1*(-2*hz[i]*psi + 2*mu1[i]*q1) + dmu2sq*q2 - 2*dpsi*hz_mu1[i] + dq1*mu1_mu1[i] + dq2*mu2sq[i] + rate_noise_variance
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        R = (C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        dV = 2*V1*dmu1*mu1[i] + V2*dmu2sq + dV1*mu1_mu1[i] + dV2*mu2sq[i]
        E40 += kappa_weights[i]*(dR)    # E_kappa[dR]
        E41 += kappa_weights[i]*(abs(dR))    # E_kappa[Abs(dR)]
        E42 += kappa_weights[i]*(-2*R*dV*(inv*inv*inv) + dR*(inv*inv))    # E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3]
        E43 += kappa_weights[i]*(abs(-2*R*dV*(inv*inv*inv) + dR*(inv*inv)))    # E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)]
    V1_check, V2_check, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_3, error_4, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective = conclude(E38, E39, E40, E41, E42, E43, G, alpha, beta, c, ddqhat1_ddq1, ddqhat1_ddq2, ddqhat2_ddq1, ddqhat2_ddq2, dq1, dq2, dqhat1_0, dqhat2_0, e, lam, noise_variance, q2, rate_alpha, rate_beta, rate_lam, rate_noise_variance)
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
    theta_m_dependent = (1e+290 if (((A_m_m == 0) and (A_m_theta == 0) and ((A_theta_m != 0) or (dthetahat_dm != 0))) or ((A_theta_m == 0) and (A_theta_theta == 0) and ((A_m_theta != 0) or (dthetahat_dtheta != 0))) or (theta_singular > 1e+100)) else 0)
    q1_q2_dependent = (1e+290 if (((A_q1_q1 == 0) and (A_q1_q2 == 0) and ((A_q2_q1 != 0) or (dqhat1_dq1 != 0) or (dqhat2_dq1 != 0))) or ((A_q2_q1 == 0) and (A_q2_q2 == 0) and ((A_q1_q2 != 0) or (dqhat1_dq2 != 0) or (dqhat2_dq2 != 0))) or (q1_singular > 1e+100)) else 0)
    dV1_dV2_dependent = (1e+290 if (((A_dV1_dV1 == 0) and (A_dV1_dV2 == 0) and ((A_dV2_dV1 != 0) or (ddVhat1_ddV1 != 0) or (ddVhat2_ddV1 != 0))) or ((A_dV2_dV1 == 0) and (A_dV2_dV2 == 0) and ((A_dV1_dV2 != 0) or (ddVhat1_ddV2 != 0) or (ddVhat2_ddV2 != 0))) or (dV1_singular > 1e+100)) else 0)
    dtheta_dm_dependent = (1e+290 if (((A_dm_dm == 0) and (A_dm_dtheta == 0) and ((A_dtheta_dm != 0) or (ddthetahat_ddm != 0))) or ((A_dtheta_dm == 0) and (A_dtheta_dtheta == 0) and ((A_dm_dtheta != 0) or (ddthetahat_ddtheta != 0))) or (dtheta_singular > 1e+100)) else 0)
    dq1_dq2_dependent = (1e+290 if (((A_dq1_dq1 == 0) and (A_dq1_dq2 == 0) and ((A_dq2_dq1 != 0) or (ddqhat1_ddq1 != 0) or (ddqhat2_ddq1 != 0))) or ((A_dq2_dq1 == 0) and (A_dq2_dq2 == 0) and ((A_dq1_dq2 != 0) or (ddqhat1_ddq2 != 0) or (ddqhat2_ddq2 != 0))) or (dq1_singular > 1e+100)) else 0)
    lost_3 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(clean_error))) else 0)
    lost_4 = (1e+289 if (ROUNDING*error_4 > LARGEST_ERROR*max(1, abs(objective))) else 0)
    residual = max(V1_V2_moved, V1_residual, V2_residual, dV1_dV2_dependent, dV1_dV2_residual, dV1_singular, dq1_dq2_dependent, dq1_dq2_residual, dq1_singular, dtheta_dm_dependent, dtheta_dm_residual, dtheta_singular, q1_q2_dependent, q1_q2_residual, q1_singular, theta_m_dependent, theta_m_residual, theta_singular, uncertain)
    inaccurate_2 = max(inaccurate, lost_3, lost_4)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= residual) else 0)
    residual_2 = max(few_digits, residual)
    return (V1 + 0.0, V2 + 0.0, q1 + 0.0, q2 + 0.0, theta + 0.0, psi + 0.0, m + 0.0, Vhat1 + 0.0, Vhat2 + 0.0, qhat1 + 0.0, qhat2 + 0.0, thetahat + 0.0, psihat + 0.0, dV1 + 0.0, dV2 + 0.0, dq1 + 0.0, dq2 + 0.0, dtheta + 0.0, dpsi + 0.0, dm + 0.0, dVhat1 + 0.0, dVhat2 + 0.0, dqhat1 + 0.0, dqhat2 + 0.0, dthetahat + 0.0, dpsihat + 0.0, test_error + 0.0, clean_error + 0.0, train_error + 0.0, objective + 0.0, dtest_error + 0.0, size_dtest_error + 0.0, dclean_error + 0.0, size_dclean_error + 0.0, dtrain_error + 0.0, size_dtrain_error + 0.0, dobjective + 0.0, size_dobjective + 0.0, residual_2 + 0.0, iterations + 0.0)


@compiled
def solve_rows(alpha, beta, lam, noise_variance, r, c, gamma, rho, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho, kappa_table, kappa_weights, V1_start, V2_start, out, tolerance, max_steps, accept):
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
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], rate_alpha[row, j], rate_beta[row, j], rate_lam[row, j], rate_noise_variance[row, j], rate_r[row, j], rate_c[row, j], rate_gamma[row, j], rate_rho[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
                if known == 0 or result[38] <= accept:
                    break
            for k in range(40):
                out[row, j, k] = result[k]
            if result[38] <= accept:
                known += 1
                remember(past[0], math.log(max(result[0], 1e-300)))
                remember(past[1], math.log(max(result[1], 1e-300)))
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)


def solve_batch(alpha, beta, lam, noise_variance, r, c, gamma, rho, rate_alpha, rate_beta, rate_lam, rate_noise_variance, rate_r, rate_c, rate_gamma, rate_rho, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    mu1_mu1, mu2sq, hz_mu1, mean, mu1, mu0, kappa_mu1, h, hzz, column_7, kappa, hz, column_10 = kappa_table[0], kappa_table[1], kappa_table[13], kappa_table[18], kappa_table[19], kappa_table[21], kappa_table[22], kappa_table[23], kappa_table[24], kappa_table[25], kappa_table[28], kappa_table[33], kappa_table[34]
    columns_1 = kappa_table[[0, 1]]
    weighted_1 = kappa_table[[0, 1]]*kappa_weights
    weighted_2 = kappa_table[[2, 3, 4]]*kappa_weights
    columns_2 = kappa_table[[14, 15]]
    columns_3 = kappa_table[[16, 17]]
    weighted_3 = kappa_table[[0, 1, 5, 6, 7, 8, 9, 13]]*kappa_weights
    weighted_4 = kappa_table[[10, 11, 12, 20]]*kappa_weights
    columns_4 = kappa_table[[22, 21]]
    columns_5 = kappa_table[[26, 27]]
    columns_6 = kappa_table[[30, 29]]
    columns_7 = kappa_table[[31, 32]]
    weighted_5 = kappa_mu1*kappa_weights
    weighted_6 = kappa*kappa_weights
    columns_8 = kappa_table[[13, 0, 1]]
    columns_9 = kappa_table[[21, 22]]
    columns_10 = kappa_table[[36, 35]]
    weighted_7 = np.stack((mu1_mu1*kappa_weights, mu2sq*kappa_weights, kappa_weights))
    columns_11 = kappa_table[[33, 19]]
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
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    E1, E2, E6, E7, E8, E9, E10, E14 = weighted_3 @ (inv).T
    E3, E4, E5 = weighted_2 @ ((inv*inv)).T
    E19 = (-2*dmu1*inv*mu1 + (inv*inv)*mu1_mu1*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq)) @ kappa_weights
    E20 = (-dmu2sq*inv + (inv*inv)*mu2sq*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq)) @ kappa_weights
    if diagnose:
        E11, E12, E13, E44 = weighted_4 @ (inv).T
        E21 = (np.abs(-2*dmu1*inv*mu1 + (inv*inv)*mu1_mu1*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq))) @ kappa_weights
        E22 = (np.abs(-dmu2sq*inv + (inv*inv)*mu2sq*(2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq))) @ kappa_weights
    Vhat1, Vhat2, dthetahat_dtheta, dthetahat_dm, thetahat_0, A_m_theta, A_m_m, b_m = prepare_theta(E1, E10, E2, E6, E7, E8, E9, alpha, beta)
    G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
    if diagnose:
        size_thetahat_0 = E11*alpha
        size_theta_0 = c*size_thetahat_0*np.abs(G)
        size_m_0 = E12
        size_dthetahat_dm = E13*alpha
        size_theta_theta = c*np.abs(G)*np.abs(dthetahat_dtheta) + 1
        size_theta_m = c*size_dthetahat_dm*np.abs(G)
        size_m_theta = E13
        size_m_m = E9
    A_theta_theta = -G*c*dthetahat_dtheta + 1
    A_theta_m = -G*c*dthetahat_dm
    b_theta = G*c*thetahat_0
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_m,), (A_m_theta, A_m_m,),))
    solution, theta_m_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_theta, b_m,)))
    theta, m = solution.T
    if diagnose:
        blocks.append(("linear", ("theta", "m",), A, stack_vector(iterations.shape, (size_theta_0, size_m_0,)), (("thetahat", size_thetahat_0, (dthetahat_dtheta, dthetahat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_m,), (size_m_theta, size_m_m,),))))
    e, ddVhat1_ddV1, ddVhat2_ddV1, ddVhat1_ddV2, ddVhat2_ddV2, dVhat1_0, dVhat2_0, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2 = prepare_dV1(E1, E19, E2, E20, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, lam, rate_alpha, rate_beta, rate_c, rate_lam)
    if diagnose:
        size_dVhat1_0 = E1*alpha*np.abs(rate_beta)/(beta*beta) + E1*np.abs(rate_alpha)/beta + E21*alpha/beta
        size_dVhat2_0 = E2*alpha*np.abs(rate_beta)/(beta*beta) + E2*np.abs(rate_alpha)/beta + E22*alpha/beta
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
    psihat = E14*alpha
    psi = G*c*psihat/e
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    C = np.array((theta, m)).T @ columns_4
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    dmu0 = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_5
    dh = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_6
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    dV = np.array((dV1, dV2)).T @ columns_1 + 2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq
    dhz = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_7
    E15, E16 = weighted_1 @ ((inv*inv)*((C*C) - 2*C*h - 2*hz_mu1*psi[..., None] + hzz + noise_variance[..., None])).T
    E23 = (inv*(C + column_7)) @ weighted_5
    E24 = (-dV*(inv*inv)*mu1*(C + column_7) - dh*inv*mu1 + dmu1*inv*(C + column_7) + inv*mu1*(dmu0*m[..., None] + dmu1*kappa*theta[..., None])) @ weighted_6
    E25 = (-dV*(inv*inv)*mu0*(C + column_7) - dh*inv*mu0 + dmu0*inv*(C + column_7) + inv*mu0*(dmu0*m[..., None] + dmu1*kappa*theta[..., None])) @ kappa_weights
    E29 = (-dV*hz_mu1*(inv*inv) + dhz*inv*mu1 + dmu1*hz*inv) @ kappa_weights
    if diagnose:
        E17 = (np.abs((inv*inv)*mu1_mu1*((C*C) - 2*C*h - 2*hz_mu1*psi[..., None] + hzz + noise_variance[..., None]))) @ kappa_weights
        E18 = (np.abs((inv*inv)*mu2sq*((C*C) - 2*C*h - 2*hz_mu1*psi[..., None] + hzz + noise_variance[..., None]))) @ kappa_weights
        E26 = (np.abs(kappa*(-dV*(inv*inv)*mu1*(C + column_7) - dh*inv*mu1 + dmu1*inv*(C + column_7) + inv*mu1*(dmu0*m[..., None] + dmu1*kappa*theta[..., None])))) @ kappa_weights
        E27 = (np.abs(inv*kappa_mu1*(C + column_7))) @ kappa_weights
        E28 = (np.abs(-dV*(inv*inv)*mu0*(C + column_7) - dh*inv*mu0 + dmu0*inv*(C + column_7) + inv*mu0*(dmu0*m[..., None] + dmu1*kappa*theta[..., None]))) @ kappa_weights
    thetahat, dqhat1_dq1, dqhat2_dq1, dqhat1_dq2, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E15, E16, E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, e, lam, m, psihat, theta, thetahat_0)
    if diagnose:
        size_q1_q1 = (G*G)*c*np.abs(dqhat2_dq1)/np.abs(e*f) + c*np.abs(dqhat1_dq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1
        size_q1_q2 = (G*G)*c*np.abs(dqhat2_dq2)/np.abs(e*f) + c*np.abs(dqhat1_dq2)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        size_q2_q1 = (G*G)*c*np.abs(dqhat1_dq1)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq1)*np.abs(e/f)
        size_q2_q2 = (G*G)*c*np.abs(dqhat1_dq2)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq2)*np.abs(e/f) + 1
        size_qhat1_0 = E17*alpha/beta
        size_qhat2_0 = E18*alpha/beta
        size_q1_0 = (G*G)*c*size_qhat2_0/np.abs(e*f) + c*size_qhat1_0*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + ((G*G)*(c*c)*(thetahat*thetahat)/np.abs(e*f) + c*(psihat*psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))/beta
        size_q2_0 = (G*G)*c*size_qhat1_0/np.abs(e*f) + (G*G)*size_qhat2_0*np.abs(e/f) + ((G*G)*c*(psihat*psihat)/np.abs(e*f) + (G*G)*c*(thetahat*thetahat)*np.abs(e/f))/beta
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2,), (A_q2_q1, A_q2_q2,),))
    solution, q1_q2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_q1, b_q2,)))
    q1, q2 = solution.T
    if diagnose:
        blocks.append(("linear", ("q1", "q2",), A, stack_vector(iterations.shape, (size_q1_0, size_q2_0,)), (("qhat1", size_qhat1_0, (dqhat1_dq1, dqhat1_dq2, )), ("qhat2", size_qhat2_0, (dqhat2_dq1, dqhat2_dq2, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2,), (size_q2_q1, size_q2_q2,),))))
    dVhat1, dVhat2, ddthetahat_ddtheta, ddthetahat_ddm, A_dtheta_dtheta, A_dtheta_dm, dG, A_dm_dtheta, A_dm_dm, dthetahat_0, b_dtheta, b_dm = prepare_dtheta(E23, E24, E25, E6, E7, E9, G, Vhat1, Vhat2, alpha, beta, c, dV1, dV2, dVhat1_0, dVhat2_0, ddVhat1_ddV1, ddVhat1_ddV2, ddVhat2_ddV1, ddVhat2_ddV2, lam, rate_alpha, rate_beta, rate_c, rate_lam, thetahat)
    if diagnose:
        error_dG = (G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        size_ddthetahat_ddm = E13*alpha
        size_dtheta_dtheta = c*np.abs(G)*np.abs(ddthetahat_ddtheta) + 1
        size_dtheta_dm = c*size_ddthetahat_ddm*np.abs(G)
        size_dm_dtheta = E13
        size_dm_dm = E9
        size_dthetahat_0 = E26*alpha + E27*np.abs(rate_alpha)
        size_dtheta_0 = c*size_dthetahat_0*np.abs(G) + (G*np.abs(rate_c) + c*error_dG)*np.abs(thetahat)
        size_dm_0 = E28
    A = stack_matrix(iterations.shape, ((A_dtheta_dtheta, A_dtheta_dm,), (A_dm_dtheta, A_dm_dm,),))
    solution, dtheta_dm_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dtheta, b_dm,)))
    dtheta, dm = solution.T
    if diagnose:
        blocks.append(("linear", ("dtheta", "dm",), A, stack_vector(iterations.shape, (size_dtheta_0, size_dm_0,)), (("dthetahat", size_dthetahat_0, (ddthetahat_ddtheta, ddthetahat_ddm, )),), stack_matrix(iterations.shape, ((size_dtheta_dtheta, size_dtheta_dm,), (size_dm_dtheta, size_dm_dm,),))))
    dG_2 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*rate_beta/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*Vhat1*rate_c/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*c*dVhat1/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*e*rate_lam/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    de = G*Vhat1*beta*rate_c + G*Vhat1*c*rate_beta + G*beta*c*dVhat1 + Vhat1*beta*c*dG_2
    dpsihat = E14*rate_alpha + E29*alpha
    dpsi = G*c*dpsihat/e + psihat*(-G*c*de/(e*e) + G*rate_c/e + c*dG/e)
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    C = np.array((theta, m)).T @ columns_4
    R = np.array((-2*psi, q1, q2)).T @ columns_8 + (C*C) - 2*C*h + hzz + noise_variance[..., None]
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    dmu0 = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_5
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    dC = np.array((dm, dtheta)).T @ columns_9 + dmu0*m[..., None] + dmu1*kappa*theta[..., None]
    dh = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_6
    dhz = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_7
    dhzz = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_10
    dV = np.array((dV1, dV2)).T @ columns_1 + 2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq
    E30, E32, E39 = weighted_7 @ (R*(inv*inv)).T
    E31 = (-2*R*dV*(inv*inv*inv)*mu1_mu1 + 2*R*dmu1*(inv*inv)*mu1 + (inv*inv)*mu1_mu1*(-2*C*dh + dC*(2*C + column_10) - 2*dhz*mu1*psi[..., None] + dhzz + dmu1*(np.array((-2*psi, 2*q1)).T @ columns_11) + dmu2sq*q2[..., None] - 2*dpsi[..., None]*hz_mu1 + rate_noise_variance[..., None])) @ kappa_weights
    E33 = (-2*R*dV*(inv*inv*inv)*mu2sq + R*dmu2sq*(inv*inv) + (inv*inv)*mu2sq*(-2*C*dh + dC*(2*C + column_10) - 2*dhz*mu1*psi[..., None] + dhzz + dmu1*(np.array((-2*psi, 2*q1)).T @ columns_11) + dmu2sq*q2[..., None] - 2*dpsi[..., None]*hz_mu1 + rate_noise_variance[..., None])) @ kappa_weights
    E38 = (R) @ kappa_weights
    if diagnose:
        E34 = (np.abs(-2*R*dV*(inv*inv*inv)*mu1_mu1 + 2*R*dmu1*(inv*inv)*mu1 + (inv*inv)*mu1_mu1*(-2*C*dh + dC*(2*C + column_10) - 2*dhz*mu1*psi[..., None] + dhzz + dmu1*(np.array((-2*psi, 2*q1)).T @ columns_11) + dmu2sq*q2[..., None] - 2*dpsi[..., None]*hz_mu1 + rate_noise_variance[..., None]))) @ kappa_weights
        E35 = (np.abs(R*(inv*inv)*mu1_mu1)) @ kappa_weights
        E36 = (np.abs(-2*R*dV*(inv*inv*inv)*mu2sq + R*dmu2sq*(inv*inv) + (inv*inv)*mu2sq*(-2*C*dh + dC*(2*C + column_10) - 2*dhz*mu1*psi[..., None] + dhzz + dmu1*(np.array((-2*psi, 2*q1)).T @ columns_11) + dmu2sq*q2[..., None] - 2*dpsi[..., None]*hz_mu1 + rate_noise_variance[..., None]))) @ kappa_weights
        E37 = (np.abs(R*(inv*inv)*mu2sq)) @ kappa_weights
        E45 = (np.abs(R)) @ kappa_weights
        E46 = (np.abs(R*(inv*inv))) @ kappa_weights
    ddqhat1_ddq1, ddqhat2_ddq1, ddqhat1_ddq2, ddqhat2_ddq2, A_dq1_dq1, A_dq1_dq2, A_dq2_dq1, A_dq2_dq2, qhat1, qhat2, dthetahat, dqhat1_0, dqhat2_0, b_dq1, b_dq2 = prepare_dq1(E3, E30, E31, E32, E33, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, dG, dVhat1, dVhat2, ddthetahat_ddm, ddthetahat_ddtheta, de, dm, dpsihat, dqhat1_dq1, dqhat1_dq2, dqhat2_dq1, dqhat2_dq2, dtheta, dthetahat_0, e, f, lam, psihat, q1, q2, qhat1_0, qhat2_0, rate_alpha, rate_beta, rate_c, rate_lam, thetahat)
    if diagnose:
        error_dG_2 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*np.abs(rate_c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*np.abs(dVhat1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*e*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*e*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dG_3 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*np.abs(rate_beta)/(f*(G*Vhat1*beta*c + 1)) + (G*G)*Vhat1*np.abs(rate_c)/(f*(G*Vhat1*beta*c + 1)) + (G*G)*c*np.abs(dVhat1)/(f*(G*Vhat1*beta*c + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/f + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/f
        error_df = (G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c*np.abs(rate_lam) + (G*G)*Vhat1*beta*(Vhat2 + lam)*np.abs(rate_c) + (G*G)*Vhat1*c*(Vhat2 + lam)*np.abs(rate_beta) + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam)
        size_dq1_dq1 = (G*G)*c*np.abs(ddqhat2_ddq1)/np.abs(e*f) + c*np.abs(ddqhat1_ddq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1
        size_dq1_dq2 = (G*G)*c*np.abs(ddqhat2_ddq2)/np.abs(e*f) + c*np.abs(ddqhat1_ddq2)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        size_dq2_dq1 = (G*G)*c*np.abs(ddqhat1_ddq1)/np.abs(e*f) + (G*G)*np.abs(ddqhat2_ddq1)*np.abs(e/f)
        size_dq2_dq2 = (G*G)*c*np.abs(ddqhat1_ddq2)/np.abs(e*f) + (G*G)*np.abs(ddqhat2_ddq2)*np.abs(e/f) + 1
        size_dqhat1_0 = E34*alpha/beta + E35*alpha*np.abs(rate_beta)/(beta*beta) + E35*np.abs(rate_alpha)/beta
        size_dqhat2_0 = E36*alpha/beta + E37*alpha*np.abs(rate_beta)/(beta*beta) + E37*np.abs(rate_alpha)/beta
        size_dq1_0 = (G*G)*c*size_dqhat2_0/np.abs(e*f) + 2*(G*G)*(c*c)*np.abs(dthetahat)*np.abs(thetahat)/(beta*np.abs(e*f)) + c*size_dqhat1_0*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + ((G*G)*c*error_df/(e*(f*f)) + (G*G)*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + (G*G)*np.abs(rate_c)/(e*f) + 2*G*c*error_dG/(e*f))*np.abs(qhat2) + ((G*G*G)*beta*(c*c)*np.abs(dVhat2)/(e*f) + (G*G*G)*beta*(c*c)*np.abs(rate_lam)/(e*f) + (G*G*G)*(c*c)*(Vhat2 + lam)*np.abs(rate_beta)/(e*f) + G*c*error_df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + error_dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + (G*c*((G*G)*beta*(Vhat2 + lam) + G/e)/(e*f) + G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*np.abs(rate_c) + (G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)*np.abs((G*G)*(c*c)/((e*e*e)*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)))*np.abs(qhat1) + 2*c*np.abs(dpsihat)*np.abs(psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta + (psihat*psihat)*((G*G*G)*beta*(c*c)*np.abs(dVhat2)/(e*f) + (G*G*G)*beta*(c*c)*np.abs(rate_lam)/(e*f) + (G*G*G)*(c*c)*(Vhat2 + lam)*np.abs(rate_beta)/(e*f) + G*c*error_df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + error_dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + (G*c*((G*G)*beta*(Vhat2 + lam) + G/e)/(e*f) + G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*np.abs(rate_c) + (G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)*np.abs((G*G)*(c*c)/((e*e*e)*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)))/beta + (thetahat*thetahat)*((G*G)*(c*c)*error_df/(e*(f*f)) + (G*G)*(c*c)*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + 2*(G*G)*c*np.abs(rate_c)/(e*f) + 2*G*(c*c)*error_dG/(e*f))/beta + ((G*G)*(c*c)*(thetahat*thetahat)/np.abs(e*f) + c*(psihat*psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(rate_beta)/(beta*beta)
        size_dq2_0 = (G*G)*c*size_dqhat1_0/np.abs(e*f) + (G*G)*size_dqhat2_0*np.abs(e/f) + 2*(G*G)*c*np.abs(dpsihat)*np.abs(psihat)/(beta*np.abs(e*f)) + 2*(G*G)*c*np.abs(dthetahat)*np.abs(thetahat)*np.abs(e/f)/beta + ((G*G)*e*error_df/(f*f) + (G*G)*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/f + 2*G*e*error_dG/f)*np.abs(qhat2) + ((G*G)*c*error_df/(e*(f*f)) + (G*G)*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + (G*G)*np.abs(rate_c)/(e*f) + 2*G*c*error_dG/(e*f))*np.abs(qhat1) + (psihat*psihat)*((G*G)*c*error_df/(e*(f*f)) + (G*G)*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + (G*G)*np.abs(rate_c)/(e*f) + 2*G*c*error_dG/(e*f))/beta + (thetahat*thetahat)*((G*G)*c*e*error_df/(f*f) + (G*G)*c*(G*Vhat1*beta*np.abs(rate_c) + G*Vhat1*c*np.abs(rate_beta) + G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/f + (G*G)*e*np.abs(rate_c)/f + 2*G*c*e*error_dG/f)/beta + ((G*G)*c*(psihat*psihat)/np.abs(e*f) + (G*G)*c*(thetahat*thetahat)*np.abs(e/f))*np.abs(rate_beta)/(beta*beta)
    A = stack_matrix(iterations.shape, ((A_dq1_dq1, A_dq1_dq2,), (A_dq2_dq1, A_dq2_dq2,),))
    solution, dq1_dq2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dq1, b_dq2,)))
    dq1, dq2 = solution.T
    if diagnose:
        blocks.append(("linear", ("dq1", "dq2",), A, stack_vector(iterations.shape, (size_dq1_0, size_dq2_0,)), (("dqhat1", size_dqhat1_0, (ddqhat1_ddq1, ddqhat1_ddq2, )), ("dqhat2", size_dqhat2_0, (ddqhat2_ddq1, ddqhat2_ddq2, )),), stack_matrix(iterations.shape, ((size_dq1_dq1, size_dq1_dq2,), (size_dq2_dq1, size_dq2_dq2,),))))
    dmu2sq = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_2
    C = np.array((theta, m)).T @ columns_4
    dmu0 = np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_5
    dmu1 = (np.array(((0.5)*rate_c/c, rate_r/np.sqrt(c))).T @ columns_3)/np.sqrt(c[..., None]) - 0.5*mean*rate_c[..., None]/(c[..., None])**(1.5)
    dC = np.array((dm, dtheta)).T @ columns_9 + dmu0*m[..., None] + dmu1*kappa*theta[..., None]
    dh = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_6
    dhz = np.array((rate_rho/rho, rate_gamma/rho)).T @ columns_7
    dhzz = np.array((rate_gamma/rho, rate_rho/rho)).T @ columns_10
    dR = np.array((-2*dpsi, dq1, dq2)).T @ columns_8 + -2*C*dh + dC*(2*C + column_10) - 2*dhz*mu1*psi[..., None] + dhzz + dmu1*(np.array((-2*psi, 2*q1)).T @ columns_11) + dmu2sq*q2[..., None] + rate_noise_variance[..., None]
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    R = np.array((-2*psi, q1, q2)).T @ columns_8 + (C*C) - 2*C*h + hzz + noise_variance[..., None]
    dV = np.array((dV1, dV2)).T @ columns_1 + 2*V1[..., None]*dmu1*mu1 + V2[..., None]*dmu2sq
    E40 = (dR) @ kappa_weights
    E41 = (np.abs(dR)) @ kappa_weights
    E42 = (-2*R*dV*(inv*inv*inv) + dR*(inv*inv)) @ kappa_weights
    E43 = (np.abs(-2*R*dV*(inv*inv*inv) + dR*(inv*inv))) @ kappa_weights
    V1_check, V2_check, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_3, error_4, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective = conclude(E38, E39, E40, E41, E42, E43, G, alpha, beta, c, ddqhat1_ddq1, ddqhat1_ddq2, ddqhat2_ddq1, ddqhat2_ddq2, dq1, dq2, dqhat1_0, dqhat2_0, e, lam, noise_variance, q2, rate_alpha, rate_beta, rate_lam, rate_noise_variance)
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
    if diagnose:
        error_G = Vhat1*c*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2)/((Vhat1*beta*c*mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta) + 1)*(Vhat1*beta*c*(Vhat2 + lam)*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2) + 1)) + (Vhat2 + lam)*(Vhat1*beta*c*mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta) + 1)*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2)/(Vhat1*beta*c*(Vhat2 + lam)*(mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta))**(2) + 1) + mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
        error_dG_4 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G*G)*(Vhat1*Vhat1)*(c*c)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)**(2)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 3*(G*G)*(Vhat1*Vhat1)*(c*c)*error_G*np.abs(rate_beta)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*Vhat1*(Vhat1*beta*c*error_G + 1)*np.abs(rate_c)/((G*Vhat1*beta*c + 1)**(2)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*c*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)**(2)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*(G*Vhat1*beta*c + 1)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*Vhat1*error_G*np.abs(rate_c)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*c*error_G*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*error_G*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*error_G*(G*Vhat1*beta*c + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dG_5 = (G*G*G)*(Vhat1*Vhat1)*(c*c)*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_beta)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G*G)*(Vhat1*Vhat1)*(c*c)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_beta)/((e*e)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 3*(G*G)*(Vhat1*Vhat1)*(c*c)*error_G*np.abs(rate_beta)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*Vhat1*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*Vhat1*(Vhat1*beta*c*error_G + 1)*np.abs(rate_c)/((e*e)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*c*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2)) + (G*G)*c*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat1)/((e*e)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*e*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*e*(2*G*Vhat1*beta*c*error_G*(Vhat2 + lam) + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)**(2) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(Vhat1*beta*c*error_G + 1)*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*Vhat1*error_G*np.abs(rate_c)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*c*error_G*np.abs(dVhat1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + 2*G*e*error_G*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + 2*G*e*error_G*np.abs(rate_lam)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_7 = E44*alpha
        error_8 = c*error_7*np.abs(G/e)
    theta_m_dependent = np.where((((A_m_m == 0) & (A_m_theta == 0) & ((A_theta_m != 0) | (dthetahat_dm != 0))) | ((A_theta_m == 0) & (A_theta_theta == 0) & ((A_m_theta != 0) | (dthetahat_dtheta != 0))) | (theta_singular > 1e+100)), 1e+290, 0)
    q1_q2_dependent = np.where((((A_q1_q1 == 0) & (A_q1_q2 == 0) & ((A_q2_q1 != 0) | (dqhat1_dq1 != 0) | (dqhat2_dq1 != 0))) | ((A_q2_q1 == 0) & (A_q2_q2 == 0) & ((A_q1_q2 != 0) | (dqhat1_dq2 != 0) | (dqhat2_dq2 != 0))) | (q1_singular > 1e+100)), 1e+290, 0)
    dV1_dV2_dependent = np.where((((A_dV1_dV1 == 0) & (A_dV1_dV2 == 0) & ((A_dV2_dV1 != 0) | (ddVhat1_ddV1 != 0) | (ddVhat2_ddV1 != 0))) | ((A_dV2_dV1 == 0) & (A_dV2_dV2 == 0) & ((A_dV1_dV2 != 0) | (ddVhat1_ddV2 != 0) | (ddVhat2_ddV2 != 0))) | (dV1_singular > 1e+100)), 1e+290, 0)
    dtheta_dm_dependent = np.where((((A_dm_dm == 0) & (A_dm_dtheta == 0) & ((A_dtheta_dm != 0) | (ddthetahat_ddm != 0))) | ((A_dtheta_dm == 0) & (A_dtheta_dtheta == 0) & ((A_dm_dtheta != 0) | (ddthetahat_ddtheta != 0))) | (dtheta_singular > 1e+100)), 1e+290, 0)
    dq1_dq2_dependent = np.where((((A_dq1_dq1 == 0) & (A_dq1_dq2 == 0) & ((A_dq2_dq1 != 0) | (ddqhat1_ddq1 != 0) | (ddqhat2_ddq1 != 0))) | ((A_dq2_dq1 == 0) & (A_dq2_dq2 == 0) & ((A_dq1_dq2 != 0) | (ddqhat1_ddq2 != 0) | (ddqhat2_ddq2 != 0))) | (dq1_singular > 1e+100)), 1e+290, 0)
    if diagnose:
        error = alpha*np.abs(E29) + np.abs(E14)*np.abs(rate_alpha)
        lost = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, np.abs(dpsihat))), 1e+289, 0)
        error_2 = c*error*np.abs(G/e) + (G*c*(Vhat1*beta*c*error_dG_5 + Vhat1*beta*error_G*np.abs(rate_c) + Vhat1*c*error_G*np.abs(rate_beta) + beta*c*error_G*np.abs(dVhat1))/(e*e) + 2*G*c*(Vhat1*beta*c*error_G + 1)*np.abs(de)/(e*e*e) + G*(Vhat1*beta*c*error_G + 1)*np.abs(rate_c)/(e*e) + c*error_dG_4/e + c*error_G*np.abs(de)/(e*e) + c*(Vhat1*beta*c*error_G + 1)*np.abs(dG)/(e*e) + error_G*np.abs(rate_c)/e)*np.abs(psihat)
        lost_2 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(dpsi))), 1e+289, 0)
    lost_3 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(clean_error))), 1e+289, 0)
    lost_4 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(objective))), 1e+289, 0)
    if diagnose:
        error_9 = E45
        error_10 = E45 + noise_variance
        error_11 = E46
        error_12 = E46 + beta*lam*np.abs(q2)/alpha
    residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(V1_V2_moved, V1_residual), V2_residual), dV1_dV2_dependent), dV1_dV2_residual), dV1_singular), dq1_dq2_dependent), dq1_dq2_residual), dq1_singular), dtheta_dm_dependent), dtheta_dm_residual), dtheta_singular), q1_q2_dependent), q1_q2_residual), q1_singular), theta_m_dependent), theta_m_residual), theta_singular), uncertain)
    inaccurate_2 = np.maximum(np.maximum(inaccurate, lost_3), lost_4)
    few_digits = np.where((LARGEST_ERROR >= residual), inaccurate_2, 0)
    residual_2 = np.maximum(few_digits, residual)
    if diagnose:
        error_5 = np.abs(E40) + np.abs(rate_noise_variance)
        lost_5 = np.where((ROUNDING*error_5 > LARGEST_ERROR*np.maximum(1, np.abs(dclean_error))), 1e+289, 0)
        error_6 = np.abs(E42) + beta*lam*np.abs(dq2)/alpha + beta*np.abs(q2)*np.abs(rate_lam)/alpha + lam*np.abs(q2)*np.abs(rate_beta)/alpha + beta*lam*np.abs(q2)*np.abs(rate_alpha)/(alpha*alpha)
        lost_6 = np.where((ROUNDING*error_6 > LARGEST_ERROR*np.maximum(1, np.abs(dobjective))), 1e+289, 0)
        blocks.append(("explicit", ("psihat",), error_7))
        blocks.append(("explicit", ("psi",), error_8))
        blocks.append(("explicit", ("test_error",), error_9))
        blocks.append(("explicit", ("clean_error",), error_10))
        blocks.append(("explicit", ("train_error",), error_11))
        blocks.append(("explicit", ("objective",), error_12))
        blocks.append(("lost", ("dpsihat",), lost))
        blocks.append(("lost", ("dpsi",), lost_2))
        blocks.append(("lost", ("dclean_error",), lost_5))
        blocks.append(("lost", ("dobjective",), lost_6))
    return stack_vector(iterations.shape, (V1, V2, q1, q2, theta, psi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, dV1, dV2, dq1, dq2, dtheta, dpsi, dm, dVhat1, dVhat2, dqhat1, dqhat2, dthetahat, dpsihat, test_error, clean_error, train_error, objective, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective, residual_2, iterations)).T, blocks
