"""Spiked random features, square loss, with the derivatives of everything by lam (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: V1, V2, q1, q2, theta, psi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, dV1, dV2, dq1, dq2, dtheta, dpsi, dm, dVhat1, dVhat2, dqhat1, dqhat2, dthetahat, dpsihat.
Parameters: alpha, beta, lam, noise_variance, r, c, gamma, rho.
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
PARAMETERS = ("alpha", "beta", "lam", "noise_variance", "r", "c", "gamma", "rho",)
TABLE_PARAMETERS = ("r", "c", "gamma", "rho",)
UNKNOWNS = ("V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "dV1", "dV2", "dq1", "dq2", "dtheta", "dpsi", "dm", "dVhat1", "dVhat2", "dqhat1", "dqhat2", "dthetahat", "dpsihat",)
TORN = ("V1", "V2",)
POSITIVE = ("Vhat1", "Vhat2",)
OBSERVABLES = ("test_error", "clean_error", "train_error", "objective", "dtest_error", "size_dtest_error", "dclean_error", "size_dclean_error", "dtrain_error", "size_dtrain_error", "dobjective", "size_dobjective",)
OUTPUTS = ("V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "dV1", "dV2", "dq1", "dq2", "dtheta", "dpsi", "dm", "dVhat1", "dVhat2", "dqhat1", "dqhat2", "dthetahat", "dpsihat", "test_error", "clean_error", "train_error", "objective", "dtest_error", "size_dtest_error", "dclean_error", "size_dclean_error", "dtrain_error", "size_dtrain_error", "dobjective", "size_dobjective", "residual", "iterations",)
ACTIVATIONS = ("student", "target",)
GRIDS = ("kappa",)
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


kappa_SYMMETRIES = ((-1, 1, -1, -1, 1, 1, 1), (-1, -1, 1, 1, -1, 1, 1))
kappa_DIRECTIONS = ((23, 0, 0, (-1,), ('node*p0', 'sqrt(p1)', 's')),)


def kappa_rule(levels, r, c, gamma, rho, student, target, places=()):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, kappa**2*mu1**2, kappa*mu0*mu1, h*kappa*mu1, mu0**2, h*mu0, hz*mu1, Abs(h)*Abs(kappa)*Abs(mu1), Abs(h)*Abs(mu0), Abs(kappa)*Abs(mu0)*Abs(mu1), Abs(hz)*Abs(mu1), mu0, kappa*mu1, h, hzz, -h, Abs(kappa)*Abs(mu1), Abs(mu0), -2*h.
    """
    rules, kappa, pairs = outer_rules(levels, [(0, r, np.sqrt(c), student.kinks_float), (0, gamma, rho, target.kinks_float), *places])
    error = 0.0
    (mean, mean_2,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: (s*z, s,),
        {1: (-1, 1), -1: (1, -1)}, pairs,
        floors={0: (FLOOR, -1.0,), 2: (FLOOR, np.inf,), 1: (np.inf, -1.0,), -1: (FLOOR, np.inf,)})
    error = max(error, change)
    (mean_4, mean_5, mean_6,), change = normal_means(
        target, gamma*kappa, rho, lambda z, s, at: (s, s*z, (s*s),),
        {1: (1, -1, 1), -1: (-1, 1, 1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (np.inf, FLOOR, FLOOR,), 1: (FLOOR, np.inf, FLOOR,), -1: (np.inf, FLOOR, FLOOR,)})
    error = max(error, change)
    mu1 = mean/np.sqrt(c)
    mu0 = mean_2
    h = mean_4
    hz = mean_5
    hzz = mean_6
    (mean_3,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(at(c))*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1,), -1: (1,)}, pairs,
        floors={0: (FLOOR,), 2: (FLOOR,), 1: (FLOOR,), -1: (FLOOR,)})
    error = max(error, change)
    mu2sq = mean_3
    mean_square = c*(mu1*mu1) + mean_3 + (mu0*mu0)
    shift = np.abs(kappa*r)/(np.sqrt(c) + np.abs(kappa*r) + 1e-300)
    tables = split_tables([kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), (kappa*kappa)*(mu1*mu1), kappa*mu0*mu1, h*kappa*mu1, (mu0*mu0), h*mu0, hz*mu1, np.abs(h)*np.abs(kappa)*np.abs(mu1), np.abs(h)*np.abs(mu0), np.abs(kappa)*np.abs(mu0)*np.abs(mu1), np.abs(hz)*np.abs(mu1), mu0, kappa*mu1, h, hzz, -h, np.abs(kappa)*np.abs(mu1), np.abs(mu0), -2*h, np.abs(mean_2), np.sqrt(mean_square), np.sqrt(mean_square)*shift), weights) for (kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2, mean_square, shift), weights in tables], error


def prepare_dV1(E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, lam):
    """Compute what the equations of dV1, dV2 need."""
    e = G*Vhat1*beta*c + 1
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    ddVhat1_ddV1 = -E3*alpha/beta
    ddVhat2_ddV1 = -E4*alpha/beta
    ddVhat2_ddV2 = -E5*alpha/beta
    A_dV1_dV1 = (G*G)*c*ddVhat2_ddV1/(e*f) + G*c*ddVhat1_ddV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_dV1_dV2 = (G*G)*c*ddVhat2_ddV2/(e*f) + G*c*ddVhat2_ddV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    b_dV1 = -(G*G)*c/(e*f)
    A_dV2_dV1 = (G*G)*c*ddVhat1_ddV1/(e*f) + (G*G)*ddVhat2_ddV1*e/f
    A_dV2_dV2 = (G*G)*c*ddVhat2_ddV1/(e*f) + (G*G)*ddVhat2_ddV2*e/f + 1
    b_dV2 = -(G*G)*e/f
    return e, f, ddVhat1_ddV1, ddVhat2_ddV1, ddVhat2_ddV2, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2


def prepare_q1(E12, E13, E3, E4, E5, G, Vhat2, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, e, f, lam, m, psihat, theta, thetahat_0):
    """Compute what the equations of q1, q2 need."""
    # thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    dqhat1_dq1 = E3*alpha/beta
    dqhat2_dq1 = E4*alpha/beta
    dqhat2_dq2 = E5*alpha/beta
    A_q1_q1 = -(G*G)*c*dqhat2_dq1/(e*f) - G*c*dqhat1_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_q1_q2 = -(G*G)*c*dqhat2_dq2/(e*f) - G*c*dqhat2_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    A_q2_q1 = -(G*G)*c*dqhat1_dq1/(e*f) - (G*G)*dqhat2_dq1*e/f
    A_q2_q2 = -(G*G)*c*dqhat2_dq1/(e*f) - (G*G)*dqhat2_dq2*e/f + 1
    qhat1_0 = E12*alpha/beta
    qhat2_0 = E13*alpha/beta
    b_q1 = (G*G)*c*qhat2_0/(e*f) + G*c*qhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) - (-(G*G)*(c*c)*(thetahat*thetahat)/(e*f) - G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta
    b_q2 = (G*G)*c*qhat1_0/(e*f) + (G*G)*e*qhat2_0/f - (-(G*G)*c*e*(thetahat*thetahat)/f - (G*G)*c*(psihat*psihat)/(e*f))/beta
    return thetahat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2


def prepare_dq1(E17, E18, G, Vhat1, Vhat2, alpha, beta, c, dVhat1, dVhat2, dm, dpsihat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, dtheta, dthetahat_0, dthetahat_dm, dthetahat_dtheta, e, f, lam, psihat, q1, q2, qhat1_0, qhat2_0, thetahat):
    """Compute what the equations of dq1, dq2 need."""
    dG = -(G*G)*c*dVhat1/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    dG_2 = -(G*G)*c*dVhat1/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) - (G*G)*dVhat2*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) - (G*G)*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
    de = G*beta*c*dVhat1 + Vhat1*beta*c*dG_2
    dG_3 = -(G*G)*c*dVhat1/(f*(G*Vhat1*beta*c + 1)) - (G*G)*dVhat2*(G*Vhat1*beta*c + 1)/f - (G*G)*(G*Vhat1*beta*c + 1)/f
    df = (G*G)*Vhat1*beta*c*dVhat2 + (G*G)*Vhat1*beta*c + (G*G)*beta*c*dVhat1*(Vhat2 + lam) + 2*G*Vhat1*beta*c*dG_3*(Vhat2 + lam)
    # qhat1 = alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    qhat1 = dqhat1_dq1*q1 + dqhat2_dq1*q2 + qhat1_0
    # qhat2 = alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    # dthetahat = alpha*E_kappa[kappa*((C - h)*dV/(V + 1)**2 - dC/(V + 1))*mu1]
    dthetahat = dm*dthetahat_dm + dtheta*dthetahat_dtheta + dthetahat_0
    dqhat1_0 = E17*alpha/beta
    dqhat2_0 = E18*alpha/beta
    b_dq1 = (G*G)*c*dqhat2_0/(e*f) + 2*(G*G)*(c*c)*dthetahat*thetahat/(beta*e*f) + G*c*dqhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 2*G*c*dpsihat*psihat*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(beta*e*f) + qhat1*((G*G*G)*beta*(c*c)*dVhat2/(e*f) + (G*G*G)*beta*(c*c)/(e*f) - G*c*df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + de*(-(G*G)*(c*c)/((e*e*e)*f) - G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f))) + qhat2*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + 2*G*c*dG/(e*f)) + (psihat*psihat)*((G*G*G)*beta*(c*c)*dVhat2/(e*f) + (G*G*G)*beta*(c*c)/(e*f) - G*c*df*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*(f*f)) + dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + de*(-(G*G)*(c*c)/((e*e*e)*f) - G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)))/beta + (thetahat*thetahat)*(-(G*G)*(c*c)*de/((e*e)*f) - (G*G)*(c*c)*df/(e*(f*f)) + 2*G*(c*c)*dG/(e*f))/beta
    b_dq2 = (G*G)*c*dqhat1_0/(e*f) + (G*G)*dqhat2_0*e/f + 2*(G*G)*c*dpsihat*psihat/(beta*e*f) + 2*(G*G)*c*dthetahat*e*thetahat/(beta*f) + qhat1*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + 2*G*c*dG/(e*f)) + qhat2*((G*G)*de/f - (G*G)*df*e/(f*f) + 2*G*dG*e/f) + (psihat*psihat)*(-(G*G)*c*de/((e*e)*f) - (G*G)*c*df/(e*(f*f)) + 2*G*c*dG/(e*f))/beta + (thetahat*thetahat)*((G*G)*c*de/f - (G*G)*c*df*e/(f*f) + 2*G*c*dG*e/f)/beta
    return qhat1, qhat2, dthetahat, dqhat1_0, dqhat2_0, b_dq1, b_dq2


def conclude(E19, E20, E21, E22, E23, E24, G, alpha, beta, c, dq1, dq2, dqhat1_0, dqhat1_dq1, dqhat2_0, dqhat2_dq1, dqhat2_dq2, e, lam, noise_variance, q2):
    """Compute observables and the errors that rounding makes."""
    V1_check = G*c/e
    # dqhat1 = alpha*E_kappa[(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)*mu1**2]/beta
    dqhat1 = dq1*dqhat1_dq1 + dq2*dqhat2_dq1 + dqhat1_0
    # dqhat2 = alpha*E_kappa[(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)*mu2sq]/beta
    dqhat2 = dq1*dqhat2_dq1 + dq2*dqhat2_dq2 + dqhat2_0
    # test_error = E_kappa[R]
    test_error = E19
    # clean_error = -noise_variance + E_kappa[R]
    clean_error = E19 - noise_variance
    # train_error = E_kappa[R/(V + 1)**2]
    train_error = E20
    # objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    objective = E20 + beta*lam*q2/alpha
    error_2 = noise_variance + abs(E19)
    error_3 = abs(E20) + beta*lam*abs(q2)/alpha
    # dtest_error = E_kappa[dR]
    dtest_error = E21
    # size_dtest_error = E_kappa[Abs(dR)]
    size_dtest_error = E22
    # dclean_error = E_kappa[dR]
    dclean_error = dtest_error
    # size_dclean_error = E_kappa[Abs(dR)]
    size_dclean_error = size_dtest_error
    # dtrain_error = E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3]
    dtrain_error = E23
    # size_dtrain_error = E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)]
    size_dtrain_error = E24
    # dobjective = E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3] + beta*dq2*lam/alpha + beta*q2/alpha
    dobjective = E23 + beta*dq2*lam/alpha + beta*q2/alpha
    # size_dobjective = E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)] + beta*lam*Abs(dq2)/alpha + beta*Abs(q2)/alpha
    size_dobjective = E24 + beta*lam*abs(dq2)/alpha + beta*abs(q2)/alpha
    return V1_check, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_2, error_3, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective


@compiled
def solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    mu1_mu1, mu2sq, mu1_mu1_mu1_mu1, mu1_mu1_mu2sq, mu2sq_mu2sq, kappa_kappa_mu1_mu1, kappa_mu0_mu1, h_kappa_mu1, mu0_mu0, h_mu0, hz_mu1, mu0, kappa_mu1, h, hzz, column_5, column_8 = kappa_table[0], kappa_table[1], kappa_table[2], kappa_table[3], kappa_table[4], kappa_table[5], kappa_table[6], kappa_table[7], kappa_table[8], kappa_table[9], kappa_table[10], kappa_table[15], kappa_table[16], kappa_table[17], kappa_table[18], kappa_table[19], kappa_table[22]
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
        dVhat2_dV2 = -E5*alpha/beta
        G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
        e = G*Vhat1*beta*c + 1
        # V1 = <D/S>_MP(beta, c)
        V1_map = G*c/e
        f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
        dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat2_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
        dV2_map_dV2 = -(G*G)*c*dVhat2_dV1/(e*f) - (G*G)*dVhat2_dV2*e/f
        iterations += 1.0
        if step < plain:
            V1, V2 = V1_map, G
            continue
        g0 = math.log(V1/V1_map)
        g1 = math.log(V2/G)
        slope_V1_V1, slope_V1_V2 = 1.0 - dV1_map_dV1*V1/V1_map, -dV1_map_dV2*V2/V1_map
        slope_V2_V1, slope_V2_V2 = -dV2_map_dV1*V1/G, 1.0 - dV2_map_dV2*V2/G
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
    E1 = E2 = E6 = E7 = E8 = E9 = E10 = E11 = E3 = E4 = E5 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        E1 += kappa_weights[i]*(inv*mu1_mu1[i])    # E_kappa[mu1**2/(V + 1)]
        E2 += kappa_weights[i]*(inv*mu2sq[i])    # E_kappa[mu2sq/(V + 1)]
        E6 += kappa_weights[i]*(inv*kappa_kappa_mu1_mu1[i])    # E_kappa[kappa**2*mu1**2/(V + 1)]
        E7 += kappa_weights[i]*(inv*kappa_mu0_mu1[i])    # E_kappa[kappa*mu0*mu1/(V + 1)]
        E8 += kappa_weights[i]*(h_kappa_mu1[i]*inv)    # E_kappa[kappa*h*mu1/(V + 1)]
        E9 += kappa_weights[i]*(inv*mu0_mu0[i])    # E_kappa[mu0**2/(V + 1)]
        E10 += kappa_weights[i]*(h_mu0[i]*inv)    # E_kappa[h*mu0/(V + 1)]
        E11 += kappa_weights[i]*(hz_mu1[i]*inv)    # E_kappa[hz*mu1/(V + 1)]
        E3 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu1_mu1[i])    # E_kappa[mu1**4/(V + 1)**2]
        E4 += kappa_weights[i]*((inv*inv)*mu1_mu1_mu2sq[i])    # E_kappa[mu1**2*mu2sq/(V + 1)**2]
        E5 += kappa_weights[i]*((inv*inv)*mu2sq_mu2sq[i])    # E_kappa[mu2sq**2/(V + 1)**2]
    # Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat1 = E1*alpha/beta
    # Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
    Vhat2 = E2*alpha/beta
    dthetahat_dtheta = -E6*alpha
    dthetahat_dm = -E7*alpha
    thetahat_0 = E8*alpha
    G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
    A_theta_theta = -G*c*dthetahat_dtheta + 1
    A_theta_m = -G*c*dthetahat_dm
    b_theta = G*c*thetahat_0
    # linear block for theta, m
    theta, m, theta_m_residual = solve_linear_2(A_theta_theta, A_theta_m, E7, E9, b_theta, E10)
    e, f, ddVhat1_ddV1, ddVhat2_ddV1, ddVhat2_ddV2, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2 = prepare_dV1(E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, lam)
    # linear block for dV1, dV2
    dV1, dV2, dV1_dV2_residual = solve_linear_2(A_dV1_dV1, A_dV1_dV2, A_dV2_dV1, A_dV2_dV2, b_dV1, b_dV2)
    # psihat = alpha*E_kappa[hz*mu1/(V + 1)]
    psihat = E11*alpha
    # psi = psihat*<H/S>_MP(beta, c)
    psi = G*c*psihat/e
    E12 = E13 = E14 = E15 = E16 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        C = kappa_mu1[i]*theta + m*mu0[i]
        dV = dV1*mu1_mu1[i] + dV2*mu2sq[i]
        E12 += kappa_weights[i]*((inv*inv)*mu1_mu1[i]*((C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(noise_variance - 2*psi*hz*mu1 + C**2 - 2*C*h + hzz)*mu1**2/(V + 1)**2]
        E13 += kappa_weights[i]*((inv*inv)*mu2sq[i]*((C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(noise_variance - 2*psi*hz*mu1 + C**2 - 2*C*h + hzz)*mu2sq/(V + 1)**2]
        E14 += kappa_weights[i]*(dV*(inv*inv)*kappa_mu1[i]*(C + column_5[i]))    # E_kappa[kappa*(C - h)*dV*mu1/(V + 1)**2]
        E15 += kappa_weights[i]*(dV*(inv*inv)*mu0[i]*(C + column_5[i]))    # E_kappa[(C - h)*dV*mu0/(V + 1)**2]
        E16 += kappa_weights[i]*(dV*hz_mu1[i]*(inv*inv))    # E_kappa[dV*hz*mu1/(V + 1)**2]
    thetahat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E12, E13, E3, E4, E5, G, Vhat2, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, e, f, lam, m, psihat, theta, thetahat_0)
    # linear block for q1, q2
    q1, q2, q1_q2_residual = solve_linear_2(A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, b_q1, b_q2)
    # dVhat1 = -alpha*E_kappa[dV*mu1**2/(V + 1)**2]/beta
    dVhat1 = dV1*ddVhat1_ddV1 + dV2*ddVhat2_ddV1
    # dVhat2 = -alpha*E_kappa[dV*mu2sq/(V + 1)**2]/beta
    dVhat2 = dV1*ddVhat2_ddV1 + dV2*ddVhat2_ddV2
    dthetahat_0 = E14*alpha
    b_dtheta = G*c*dthetahat_0 - thetahat*((G*G)*(c*c)*dVhat1/(e*f) + (G*G)*c*dVhat2*e/f + (G*G)*c*e/f)
    # linear block for dtheta, dm
    dtheta, dm, dtheta_dm_residual = solve_linear_2(A_theta_theta, A_theta_m, E7, E9, b_dtheta, E15)
    # dpsihat = -alpha*E_kappa[dV*hz*mu1/(V + 1)**2]
    dpsihat = -E16*alpha
    # dpsi = dpsihat*<H/S>_MP(beta, c) - psihat*<H*dS/S**2>_MP(beta, c)
    dpsi = G*c*dpsihat/e - psihat*((G*G)*c*dVhat2/(e*f) + (G*G)*c/(e*f) + G*c*dVhat1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
    E17 = E18 = E19 = E20 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        C = kappa_mu1[i]*theta + m*mu0[i]
        dC = dm*mu0[i] + dtheta*kappa_mu1[i]
        R = (C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        dV = dV1*mu1_mu1[i] + dV2*mu2sq[i]
        E17 += kappa_weights[i]*(mu1_mu1[i]*(-2*R*dV*(inv*inv*inv) + (inv*inv)*(dC*(2*C + column_8[i]) - 2*dpsi*hz_mu1[i])))    # E_kappa[((-2*dpsi*hz*mu1 + (2*C - 2*h)*dC)/(V + 1)**2 - 2*R*dV/(V + 1)**3)*mu1**2]
        E18 += kappa_weights[i]*(mu2sq[i]*(-2*R*dV*(inv*inv*inv) + (inv*inv)*(dC*(2*C + column_8[i]) - 2*dpsi*hz_mu1[i])))    # E_kappa[((-2*dpsi*hz*mu1 + (2*C - 2*h)*dC)/(V + 1)**2 - 2*R*dV/(V + 1)**3)*mu2sq]
        E19 += kappa_weights[i]*(R)    # E_kappa[R]
        E20 += kappa_weights[i]*(R*(inv*inv))    # E_kappa[R/(V + 1)**2]
    qhat1, qhat2, dthetahat, dqhat1_0, dqhat2_0, b_dq1, b_dq2 = prepare_dq1(E17, E18, G, Vhat1, Vhat2, alpha, beta, c, dVhat1, dVhat2, dm, dpsihat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, dtheta, dthetahat_0, dthetahat_dm, dthetahat_dtheta, e, f, lam, psihat, q1, q2, qhat1_0, qhat2_0, thetahat)
    # linear block for dq1, dq2
    dq1, dq2, dq1_dq2_residual = solve_linear_2(A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, b_dq1, b_dq2)
    E21 = E22 = E23 = E24 = 0.0
    for i in range(kappa_weights.size):
        C = kappa_mu1[i]*theta + m*mu0[i]
        dC = dm*mu0[i] + dtheta*kappa_mu1[i]
        dR = dC*(2*C + column_8[i]) - 2*dpsi*hz_mu1[i] + dq1*mu1_mu1[i] + dq2*mu2sq[i]
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        R = (C*C) - 2*C*h[i] - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        dV = dV1*mu1_mu1[i] + dV2*mu2sq[i]
        E21 += kappa_weights[i]*(dR)    # E_kappa[dR]
        E22 += kappa_weights[i]*(abs(dR))    # E_kappa[Abs(dR)]
        E23 += kappa_weights[i]*(-2*R*dV*(inv*inv*inv) + dR*(inv*inv))    # E_kappa[dR/(V + 1)**2 - 2*R*dV/(V + 1)**3]
        E24 += kappa_weights[i]*(abs(-2*R*dV*(inv*inv*inv) + dR*(inv*inv)))    # E_kappa[Abs(dR/(V + 1)**2 - 2*R*dV/(V + 1)**3)]
    V1_check, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_2, error_3, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective = conclude(E19, E20, E21, E22, E23, E24, G, alpha, beta, c, dq1, dq2, dqhat1_0, dqhat1_dq1, dqhat2_0, dqhat2_dq1, dqhat2_dq2, e, lam, noise_variance, q2)
    V1_V2_error = max((ROUNDING*(abs(slope_V1_V1) + 1e-300) + ROUNDING*(abs(slope_V2_V1) + 1e-300))/(abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300), (ROUNDING*(abs(slope_V1_V2) + 1e-300) + ROUNDING*(abs(slope_V2_V2) + 1e-300))/(abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300))
    uncertain = (V1_V2_error if (V1_V2_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < V1_V2_error) else 0)
    V1_residual = abs(math.log(V1_check/V1))
    V2_residual = abs(math.log(G/V2))
    theta_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_theta_m)*abs(E7) + abs(A_theta_theta)*abs(E9))/(abs(A_theta_m*E7 - A_theta_theta*E9) + 1e-300))
    theta_m_dependent = (1e+290 if (((A_theta_m == 0) and (A_theta_theta == 0) and ((E7 != 0) or (dthetahat_dtheta != 0))) or ((E7 == 0) and (E9 == 0) and ((A_theta_m != 0) or (dthetahat_dm != 0))) or (theta_singular > 1e+100)) else 0)
    q1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_q1_q1)*abs(A_q2_q2) + abs(A_q1_q2)*abs(A_q2_q1))/(abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    q1_q2_dependent = (1e+290 if (((A_q1_q1 == 0) and (A_q1_q2 == 0) and ((A_q2_q1 != 0) or (dqhat1_dq1 != 0) or (dqhat2_dq1 != 0))) or ((A_q2_q1 == 0) and (A_q2_q2 == 0) and ((A_q1_q2 != 0) or (dqhat2_dq1 != 0) or (dqhat2_dq2 != 0))) or (q1_singular > 1e+100)) else 0)
    dV1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_dV1_dV1)*abs(A_dV2_dV2) + abs(A_dV1_dV2)*abs(A_dV2_dV1))/(abs(A_dV1_dV1*A_dV2_dV2 - A_dV1_dV2*A_dV2_dV1) + 1e-300))
    dV1_dV2_dependent = (1e+290 if (((A_dV1_dV1 == 0) and (A_dV1_dV2 == 0) and ((A_dV2_dV1 != 0) or (ddVhat1_ddV1 != 0) or (ddVhat2_ddV1 != 0))) or ((A_dV2_dV1 == 0) and (A_dV2_dV2 == 0) and ((A_dV1_dV2 != 0) or (ddVhat2_ddV1 != 0) or (ddVhat2_ddV2 != 0))) or (dV1_singular > 1e+100)) else 0)
    lost_2 = (1e+289 if (ROUNDING*error_2 > LARGEST_ERROR*max(1, abs(clean_error))) else 0)
    lost_3 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(objective))) else 0)
    equations_residual = max(V1_V2_moved, V1_residual, V2_residual, dV1_dV2_dependent, dV1_dV2_residual, dV1_singular, dq1_dq2_residual, dtheta_dm_residual, q1_q2_dependent, q1_q2_residual, q1_singular, theta_m_dependent, theta_m_residual, theta_singular, uncertain)
    inaccurate_2 = max(inaccurate, lost_2, lost_3)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= equations_residual) else 0)
    residual = max(equations_residual, few_digits)
    return (V1 + 0.0, V2 + 0.0, q1 + 0.0, q2 + 0.0, theta + 0.0, psi + 0.0, m + 0.0, Vhat1 + 0.0, Vhat2 + 0.0, qhat1 + 0.0, qhat2 + 0.0, thetahat + 0.0, psihat + 0.0, dV1 + 0.0, dV2 + 0.0, dq1 + 0.0, dq2 + 0.0, dtheta + 0.0, dpsi + 0.0, dm + 0.0, dVhat1 + 0.0, dVhat2 + 0.0, dqhat1 + 0.0, dqhat2 + 0.0, dthetahat + 0.0, dpsihat + 0.0, test_error + 0.0, clean_error + 0.0, train_error + 0.0, objective + 0.0, dtest_error + 0.0, size_dtest_error + 0.0, dclean_error + 0.0, size_dclean_error + 0.0, dtrain_error + 0.0, size_dtrain_error + 0.0, dobjective + 0.0, size_dobjective + 0.0, residual + 0.0, iterations + 0.0)


@compiled
def solve_rows(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, out, tolerance, max_steps, accept):
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
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
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


def solve_batch(alpha, beta, lam, noise_variance, r, c, gamma, rho, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    hz_mu1, h, hzz, column_5, column_8 = kappa_table[10], kappa_table[17], kappa_table[18], kappa_table[19], kappa_table[22]
    columns_1 = kappa_table[[0, 1]]
    weighted_1 = kappa_table[[0, 1]]*kappa_weights
    weighted_2 = kappa_table[[2, 3, 4]]*kappa_weights
    weighted_3 = kappa_table[[0, 1, 5, 6, 7, 8, 9, 10]]*kappa_weights
    weighted_4 = kappa_table[[11, 12, 13, 14]]*kappa_weights
    columns_2 = kappa_table[[16, 15]]
    weighted_5 = kappa_table[[16, 15]]*kappa_weights
    weighted_6 = hz_mu1*kappa_weights
    weighted_7 = kappa_table[[20, 21]]*kappa_weights
    columns_3 = kappa_table[[15, 16]]
    columns_4 = kappa_table[[10, 0, 1]]
    blocks, iterations = [], np.zeros(alpha.shape)
    def step_V1_V2(columns_1, weighted_1, weighted_2, alpha, beta, c, lam, V1, V2):
        """Maps, residuals and matrix of Newton's method for the points that still move."""
        V = np.array((V1, V2)).T @ columns_1
        inv = (1.0/(V + 1))
        E1, E2 = weighted_1 @ (inv).T
        E3, E4, E5 = weighted_2 @ ((inv*inv)).T
        Vhat1 = E1*alpha/beta
        Vhat2 = E2*alpha/beta
        dVhat1_dV1 = -E3*alpha/beta
        dVhat2_dV1 = -E4*alpha/beta
        dVhat2_dV2 = -E5*alpha/beta
        G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
        e = G*Vhat1*beta*c + 1
        V1_map = G*c/e
        f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
        dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat2_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
        dV2_map_dV2 = -(G*G)*c*dVhat2_dV1/(e*f) - (G*G)*dVhat2_dV2*e/f
        return (V1_map, G,), (np.log(V1/V1_map), np.log(V2/G),), ((1.0 - dV1_map_dV1*V1/V1_map, -dV1_map_dV2*V2/V1_map,), (-dV2_map_dV1*V1/G, 1.0 - dV2_map_dV2*V2/G,),)
    (V1, V2,), steps, J, V1_V2_moved = newton_batch(step_V1_V2, (alpha, beta, c, lam,), (V1_start, V2_start,), (True, True), plain, tolerance, max_steps, tables=(columns_1, weighted_1, weighted_2,))
    iterations = iterations + steps
    ((slope_V1_V1, slope_V1_V2,), (slope_V2_V1, slope_V2_V2,),) = np.moveaxis(J, 0, -1)
    if diagnose:
        blocks.append(("newton", ("V1", "V2",), J))
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    E1, E2, E6, E7, E8, E9, E10, E11 = weighted_3 @ (inv).T
    E3, E4, E5 = weighted_2 @ ((inv*inv)).T
    if diagnose:
        E25, E26, E27, E34 = weighted_4 @ (inv).T
    Vhat1 = E1*alpha/beta
    Vhat2 = E2*alpha/beta
    dthetahat_dtheta = -E6*alpha
    dthetahat_dm = -E7*alpha
    thetahat_0 = E8*alpha
    G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
    if diagnose:
        size_thetahat_0 = E25*alpha
        size_theta_0 = c*size_thetahat_0*np.abs(G)
        size_theta_theta = c*np.abs(G)*np.abs(dthetahat_dtheta) + 1
        size_dthetahat_dm = E27*alpha
        size_theta_m = c*size_dthetahat_dm*np.abs(G)
    A_theta_theta = -G*c*dthetahat_dtheta + 1
    A_theta_m = -G*c*dthetahat_dm
    b_theta = G*c*thetahat_0
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_m,), (E7, E9,),))
    solution, theta_m_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_theta, E10,)))
    theta, m = solution.T
    if diagnose:
        blocks.append(("linear", ("theta", "m",), A, stack_vector(iterations.shape, (size_theta_0, E26,)), (("thetahat", size_thetahat_0, (dthetahat_dtheta, dthetahat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_m,), (E27, E9,),))))
    e, f, ddVhat1_ddV1, ddVhat2_ddV1, ddVhat2_ddV2, A_dV1_dV1, A_dV1_dV2, b_dV1, A_dV2_dV1, A_dV2_dV2, b_dV2 = prepare_dV1(E3, E4, E5, G, Vhat1, Vhat2, alpha, beta, c, lam)
    if diagnose:
        size_dVhat1_0 = 0
        size_dV1_0 = (G*G)*c/np.abs(e*f)
        size_dV2_0 = (G*G)*np.abs(e/f)
        size_dV1_dV1 = (G*G)*c*np.abs(ddVhat2_ddV1)/np.abs(e*f) + c*np.abs(ddVhat1_ddV1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1
        size_dV1_dV2 = (G*G)*c*np.abs(ddVhat2_ddV2)/np.abs(e*f) + c*np.abs(ddVhat2_ddV1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        size_dV2_dV1 = (G*G)*c*np.abs(ddVhat1_ddV1)/np.abs(e*f) + (G*G)*np.abs(ddVhat2_ddV1)*np.abs(e/f)
        size_dV2_dV2 = (G*G)*c*np.abs(ddVhat2_ddV1)/np.abs(e*f) + (G*G)*np.abs(ddVhat2_ddV2)*np.abs(e/f) + 1
    A = stack_matrix(iterations.shape, ((A_dV1_dV1, A_dV1_dV2,), (A_dV2_dV1, A_dV2_dV2,),))
    solution, dV1_dV2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dV1, b_dV2,)))
    dV1, dV2 = solution.T
    if diagnose:
        blocks.append(("linear", ("dV1", "dV2",), A, stack_vector(iterations.shape, (size_dV1_0, size_dV2_0,)), (("dVhat1", size_dVhat1_0, (ddVhat1_ddV1, ddVhat2_ddV1, )), ("dVhat2", size_dVhat1_0, (ddVhat2_ddV1, ddVhat2_ddV2, )),), stack_matrix(iterations.shape, ((size_dV1_dV1, size_dV1_dV2,), (size_dV2_dV1, size_dV2_dV2,),))))
    psihat = E11*alpha
    psi = G*c*psihat/e
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    C = np.array((theta, m)).T @ columns_2
    dV = np.array((dV1, dV2)).T @ columns_1
    E12, E13 = weighted_1 @ ((inv*inv)*((C*C) - 2*C*h - 2*hz_mu1*psi[..., None] + hzz + noise_variance[..., None])).T
    E14, E15 = weighted_5 @ (dV*(inv*inv)*(C + column_5)).T
    E16 = (dV*(inv*inv)) @ weighted_6
    if diagnose:
        value_5 = np.abs((C*C) - 2*C*h - 2*hz_mu1*psi[..., None] + hzz + noise_variance[..., None])
        value_6 = np.abs(dV)
        value_7 = np.abs(C + column_5)
        E28, E29 = weighted_1 @ (value_5*(inv*inv)).T
        E30, E31 = weighted_7 @ (value_6*value_7*(inv*inv)).T
    thetahat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E12, E13, E3, E4, E5, G, Vhat2, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, e, f, lam, m, psihat, theta, thetahat_0)
    if diagnose:
        size_q1_q1 = (G*G)*c*np.abs(dqhat2_dq1)/np.abs(e*f) + c*np.abs(dqhat1_dq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1
        size_q1_q2 = (G*G)*c*np.abs(dqhat2_dq2)/np.abs(e*f) + c*np.abs(dqhat2_dq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        size_q2_q1 = (G*G)*c*np.abs(dqhat1_dq1)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq1)*np.abs(e/f)
        size_q2_q2 = (G*G)*c*np.abs(dqhat2_dq1)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq2)*np.abs(e/f) + 1
        size_qhat1_0 = E28*alpha/beta
        size_qhat2_0 = E29*alpha/beta
        size_q1_0 = (G*G)*c*size_qhat2_0/np.abs(e*f) + c*size_qhat1_0*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + ((G*G)*(c*c)*(thetahat*thetahat)/np.abs(e*f) + c*(psihat*psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))/beta
        size_q2_0 = (G*G)*c*size_qhat1_0/np.abs(e*f) + (G*G)*size_qhat2_0*np.abs(e/f) + ((G*G)*c*(psihat*psihat)/np.abs(e*f) + (G*G)*c*(thetahat*thetahat)*np.abs(e/f))/beta
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2,), (A_q2_q1, A_q2_q2,),))
    solution, q1_q2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_q1, b_q2,)))
    q1, q2 = solution.T
    if diagnose:
        blocks.append(("linear", ("q1", "q2",), A, stack_vector(iterations.shape, (size_q1_0, size_q2_0,)), (("qhat1", size_qhat1_0, (dqhat1_dq1, dqhat2_dq1, )), ("qhat2", size_qhat2_0, (dqhat2_dq1, dqhat2_dq2, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2,), (size_q2_q1, size_q2_q2,),))))
    dVhat1 = dV1*ddVhat1_ddV1 + dV2*ddVhat2_ddV1
    dVhat2 = dV1*ddVhat2_ddV1 + dV2*ddVhat2_ddV2
    dthetahat_0 = E14*alpha
    b_dtheta = G*c*dthetahat_0 - thetahat*((G*G)*(c*c)*dVhat1/(e*f) + (G*G)*c*dVhat2*e/f + (G*G)*c*e/f)
    if diagnose:
        size_dthetahat_0 = E30*alpha
        size_dtheta_0 = c*size_dthetahat_0*np.abs(G) + np.abs(thetahat)*np.abs((G*G)*(c*c)*dVhat1/(e*f) + (G*G)*c*dVhat2*e/f + (G*G)*c*e/f)
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_m,), (E7, E9,),))
    solution, dtheta_dm_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dtheta, E15,)))
    dtheta, dm = solution.T
    if diagnose:
        blocks.append(("linear", ("dtheta", "dm",), A, stack_vector(iterations.shape, (size_dtheta_0, E31,)), (("dthetahat", size_dthetahat_0, (dthetahat_dtheta, dthetahat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_m,), (E27, E9,),))))
    dpsihat = -E16*alpha
    dpsi = G*c*dpsihat/e - psihat*((G*G)*c*dVhat2/(e*f) + (G*G)*c/(e*f) + G*c*dVhat1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    C = np.array((theta, m)).T @ columns_2
    dC = np.array((dm, dtheta)).T @ columns_3
    R = np.array((-2*psi, q1, q2)).T @ columns_4 + (C*C) - 2*C*h + hzz + noise_variance[..., None]
    dV = np.array((dV1, dV2)).T @ columns_1
    E17, E18 = weighted_1 @ (-2*R*dV*(inv*inv*inv) + (inv*inv)*(dC*(2*C + column_8) - 2*dpsi[..., None]*hz_mu1)).T
    E19 = (R) @ kappa_weights
    E20 = (R*(inv*inv)) @ kappa_weights
    if diagnose:
        value_7 = np.abs(-2*R*dV*(inv*inv*inv) + (inv*inv)*(dC*(2*C + column_8) - 2*dpsi[..., None]*hz_mu1))
        value_8 = np.abs(R)
        E32, E33 = weighted_1 @ (value_7).T
        E35 = (value_8) @ kappa_weights
        E36 = (value_8*(inv*inv)) @ kappa_weights
    qhat1, qhat2, dthetahat, dqhat1_0, dqhat2_0, b_dq1, b_dq2 = prepare_dq1(E17, E18, G, Vhat1, Vhat2, alpha, beta, c, dVhat1, dVhat2, dm, dpsihat, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, dtheta, dthetahat_0, dthetahat_dm, dthetahat_dtheta, e, f, lam, psihat, q1, q2, qhat1_0, qhat2_0, thetahat)
    if diagnose:
        error_dG = (G*G)*c*np.abs(dVhat1)/((G*Vhat1*beta*c + 1)*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*(G*Vhat1*beta*c + 1)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dG_2 = (G*G)*c*np.abs(dVhat1)/(e*((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)) + (G*G)*e*np.abs(dVhat2)/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1) + (G*G)*e/((G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1)
        error_dG_3 = (G*G)*c*np.abs(dVhat1)/(f*(G*Vhat1*beta*c + 1)) + (G*G)*(G*Vhat1*beta*c + 1)*np.abs(dVhat2)/f + (G*G)*(G*Vhat1*beta*c + 1)/f
        size_dqhat1_0 = E32*alpha/beta
        size_dqhat2_0 = E33*alpha/beta
        size_dq1_0 = (G*G)*c*size_dqhat2_0/np.abs(e*f) + 2*(G*G)*(c*c)*np.abs(dthetahat)*np.abs(thetahat)/(beta*np.abs(e*f)) + c*size_dqhat1_0*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + ((G*G)*c*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(e*(f*f)) + (G*G)*c*(G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + 2*G*c*error_dG/(e*f))*np.abs(qhat2) + ((G*G*G)*beta*(c*c)*np.abs(dVhat2)/(e*f) + (G*G*G)*beta*(c*c)/(e*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(e*(f*f)) + error_dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + (G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)*np.abs((G*G)*(c*c)/((e*e*e)*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)))*np.abs(qhat1) + 2*c*np.abs(dpsihat)*np.abs(psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta + (psihat*psihat)*((G*G*G)*beta*(c*c)*np.abs(dVhat2)/(e*f) + (G*G*G)*beta*(c*c)/(e*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(e*(f*f)) + error_dG*(G*c*(2*G*beta*c*(Vhat2 + lam) + c/e)/(e*f) + c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + (G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)*np.abs((G*G)*(c*c)/((e*e*e)*f) + G*c*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/((e*e)*f)))/beta + (thetahat*thetahat)*((G*G)*(c*c)*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(e*(f*f)) + (G*G)*(c*c)*(G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + 2*G*(c*c)*error_dG/(e*f))/beta
        size_dq2_0 = (G*G)*c*size_dqhat1_0/np.abs(e*f) + (G*G)*size_dqhat2_0*np.abs(e/f) + 2*(G*G)*c*np.abs(dpsihat)*np.abs(psihat)/(beta*np.abs(e*f)) + 2*(G*G)*c*np.abs(dthetahat)*np.abs(thetahat)*np.abs(e/f)/beta + ((G*G)*e*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(f*f) + (G*G)*(G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/f + 2*G*e*error_dG/f)*np.abs(qhat2) + ((G*G)*c*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(e*(f*f)) + (G*G)*c*(G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + 2*G*c*error_dG/(e*f))*np.abs(qhat1) + (psihat*psihat)*((G*G)*c*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(e*(f*f)) + (G*G)*c*(G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/((e*e)*f) + 2*G*c*error_dG/(e*f))/beta + (thetahat*thetahat)*((G*G)*c*e*((G*G)*Vhat1*beta*c*np.abs(dVhat2) + (G*G)*Vhat1*beta*c + (G*G)*beta*c*(Vhat2 + lam)*np.abs(dVhat1) + 2*G*Vhat1*beta*c*error_dG_3*(Vhat2 + lam))/(f*f) + (G*G)*c*(G*beta*c*np.abs(dVhat1) + Vhat1*beta*c*error_dG_2)/f + 2*G*c*e*error_dG/f)/beta
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2,), (A_q2_q1, A_q2_q2,),))
    solution, dq1_dq2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dq1, b_dq2,)))
    dq1, dq2 = solution.T
    if diagnose:
        blocks.append(("linear", ("dq1", "dq2",), A, stack_vector(iterations.shape, (size_dq1_0, size_dq2_0,)), (("dqhat1", size_dqhat1_0, (dqhat1_dq1, dqhat2_dq1, )), ("dqhat2", size_dqhat2_0, (dqhat2_dq1, dqhat2_dq2, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2,), (size_q2_q1, size_q2_q2,),))))
    C = np.array((theta, m)).T @ columns_2
    dC = np.array((dm, dtheta)).T @ columns_3
    dR = np.array((-2*dpsi, dq1, dq2)).T @ columns_4 + dC*(2*C + column_8)
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    R = np.array((-2*psi, q1, q2)).T @ columns_4 + (C*C) - 2*C*h + hzz + noise_variance[..., None]
    dV = np.array((dV1, dV2)).T @ columns_1
    E21 = (dR) @ kappa_weights
    E22 = (np.abs(dR)) @ kappa_weights
    E23 = (-2*R*dV*(inv*inv*inv) + dR*(inv*inv)) @ kappa_weights
    E24 = (np.abs(-2*R*dV*(inv*inv*inv) + dR*(inv*inv))) @ kappa_weights
    V1_check, dqhat1, dqhat2, test_error, clean_error, train_error, objective, error_2, error_3, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective = conclude(E19, E20, E21, E22, E23, E24, G, alpha, beta, c, dq1, dq2, dqhat1_0, dqhat1_dq1, dqhat2_0, dqhat2_dq1, dqhat2_dq2, e, lam, noise_variance, q2)
    V1_V2_error = np.maximum((ROUNDING*(np.abs(slope_V1_V1) + 1e-300) + ROUNDING*(np.abs(slope_V2_V1) + 1e-300))/(np.abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300), (ROUNDING*(np.abs(slope_V1_V2) + 1e-300) + ROUNDING*(np.abs(slope_V2_V2) + 1e-300))/(np.abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300))
    uncertain = np.where((V1_V2_error > 0.1), V1_V2_error, 0)
    inaccurate = np.where((LARGEST_ERROR < V1_V2_error), 1e+289, 0)
    V1_residual = np.abs(np.log(V1_check/V1))
    V2_residual = np.abs(np.log(G/V2))
    theta_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_theta_m)*np.abs(E7) + np.abs(A_theta_theta)*np.abs(E9))/(np.abs(A_theta_m*E7 - A_theta_theta*E9) + 1e-300))
    theta_m_dependent = np.where((((A_theta_m == 0) & (A_theta_theta == 0) & ((E7 != 0) | (dthetahat_dtheta != 0))) | ((E7 == 0) & (E9 == 0) & ((A_theta_m != 0) | (dthetahat_dm != 0))) | (theta_singular > 1e+100)), 1e+290, 0)
    q1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_q1_q1)*np.abs(A_q2_q2) + np.abs(A_q1_q2)*np.abs(A_q2_q1))/(np.abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    q1_q2_dependent = np.where((((A_q1_q1 == 0) & (A_q1_q2 == 0) & ((A_q2_q1 != 0) | (dqhat1_dq1 != 0) | (dqhat2_dq1 != 0))) | ((A_q2_q1 == 0) & (A_q2_q2 == 0) & ((A_q1_q2 != 0) | (dqhat2_dq1 != 0) | (dqhat2_dq2 != 0))) | (q1_singular > 1e+100)), 1e+290, 0)
    dV1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_dV1_dV1)*np.abs(A_dV2_dV2) + np.abs(A_dV1_dV2)*np.abs(A_dV2_dV1))/(np.abs(A_dV1_dV1*A_dV2_dV2 - A_dV1_dV2*A_dV2_dV1) + 1e-300))
    dV1_dV2_dependent = np.where((((A_dV1_dV1 == 0) & (A_dV1_dV2 == 0) & ((A_dV2_dV1 != 0) | (ddVhat1_ddV1 != 0) | (ddVhat2_ddV1 != 0))) | ((A_dV2_dV1 == 0) & (A_dV2_dV2 == 0) & ((A_dV1_dV2 != 0) | (ddVhat2_ddV1 != 0) | (ddVhat2_ddV2 != 0))) | (dV1_singular > 1e+100)), 1e+290, 0)
    if diagnose:
        error_5 = E34*alpha
        error_6 = c*error_5*np.abs(G/e)
        error = c*np.abs(dpsihat)*np.abs(G/e) + np.abs(psihat)*np.abs((G*G)*c*dVhat2/(e*f) + (G*G)*c/(e*f) + G*c*dVhat1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        lost = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, np.abs(dpsi))), 1e+289, 0)
    lost_2 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(clean_error))), 1e+289, 0)
    lost_3 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(objective))), 1e+289, 0)
    if diagnose:
        error_7 = E35 + noise_variance
        error_8 = E36 + beta*lam*np.abs(q2)/alpha
    equations_residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(V1_V2_moved, V1_residual), V2_residual), dV1_dV2_dependent), dV1_dV2_residual), dV1_singular), dq1_dq2_residual), dtheta_dm_residual), q1_q2_dependent), q1_q2_residual), q1_singular), theta_m_dependent), theta_m_residual), theta_singular), uncertain)
    inaccurate_2 = np.maximum(np.maximum(inaccurate, lost_2), lost_3)
    few_digits = np.where((LARGEST_ERROR >= equations_residual), inaccurate_2, 0)
    residual = np.maximum(equations_residual, few_digits)
    if diagnose:
        error_4 = np.abs(E23) + beta*lam*np.abs(dq2)/alpha + beta*np.abs(q2)/alpha
        lost_4 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(dobjective))), 1e+289, 0)
        blocks.append(("explicit", ("psihat",), error_5))
        blocks.append(("explicit", ("psi",), error_6))
        blocks.append(("explicit", ("test_error",), E35))
        blocks.append(("explicit", ("clean_error",), error_7))
        blocks.append(("explicit", ("train_error",), E36))
        blocks.append(("explicit", ("objective",), error_8))
        blocks.append(("lost", ("dpsi",), lost))
        blocks.append(("lost", ("dobjective",), lost_4))
    return stack_vector(iterations.shape, (V1, V2, q1, q2, theta, psi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, dV1, dV2, dq1, dq2, dtheta, dpsi, dm, dVhat1, dVhat2, dqhat1, dqhat2, dthetahat, dpsihat, test_error, clean_error, train_error, objective, dtest_error, size_dtest_error, dclean_error, size_dclean_error, dtrain_error, size_dtrain_error, dobjective, size_dobjective, residual, iterations)).T, blocks
