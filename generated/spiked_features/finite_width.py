"""Spiked random features at a finite width, square loss (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: V1, V2, q1, q2, theta, psi, psi0, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat.
Parameters: alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts.
Observables: test_error, clean_error, train_error, objective.
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
PARAMETERS = ("alpha", "beta", "lam", "noise_variance", "r", "c", "gamma", "rho", "inverse_width", "tilt", "even_parts",)
TABLE_PARAMETERS = ("r", "c", "gamma", "rho",)
UNKNOWNS = ("V1", "V2", "q1", "q2", "theta", "psi", "psi0", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat",)
TORN = ("V1", "V2",)
POSITIVE = ("Vhat1", "Vhat2",)
OBSERVABLES = ("test_error", "clean_error", "train_error", "objective",)
OUTPUTS = ("V1", "V2", "q1", "q2", "theta", "psi", "psi0", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat", "psi0hat", "test_error", "clean_error", "train_error", "objective", "residual", "iterations",)
ACTIVATIONS = ("student", "target",)
GRIDS = ("kappa",)
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


kappa_SYMMETRIES = ((-1, 1, -1, 1, 1, -1, -1, -1, 1, 1), (-1, -1, 1, -1, -1, 1, 1, 1, 1, 1))
kappa_DIRECTIONS = ()


def kappa_rule(levels, r, c, gamma, rho, student, target, places=()):
    """Tables and weights of the average over kappa, one pair for each level, and the error of the inner means.

    Rows of a table: mu1**2, mu2sq, mu1**4, mu1**2*mu2sq, mu2sq**2, hz*mu1, hslope*mu1, kappa**2*mu1**2, dmu0*(kappa**2 - 1), mu0, kappa*mu1, h*kappa*mu1, dmu0, dmu0**2, hbend, h, Abs(h)*Abs(kappa)*Abs(mu1), Abs(kappa)*Abs(mu1), Abs(hz)*Abs(mu1), Abs(hslope)*Abs(mu1), hzz.
    """
    rules, kappa, pairs = outer_rules(levels, [(0, r, np.sqrt(c), student.kinks_float), (0, gamma, rho, target.kinks_float), (0, gamma, rho, target.derivative.kinks_float), *places])
    error = 0.0
    (mean, mean_2, mean_6,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: (s*z, s, s*((z*z) - 1),),
        {1: (-1, 1, 1), -1: (1, -1, -1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR,), 2: (FLOOR, np.inf, FLOOR,), 1: (np.inf, FLOOR, FLOOR,), -1: (FLOOR, np.inf, np.inf,)})
    error = max(error, change)
    (mean_4, mean_8, mean_9, mean_10,), change = normal_means(
        target, gamma*kappa, rho, lambda z, s, at: (s*z, s, s*((z*z) - 1), (s*s),),
        {1: (-1, 1, 1, 1), -1: (1, -1, -1, 1)}, pairs,
        floors={0: (FLOOR, FLOOR, FLOOR, FLOOR,), 2: (FLOOR, np.inf, FLOOR, FLOOR,), 1: (np.inf, FLOOR, FLOOR, FLOOR,), -1: (FLOOR, np.inf, np.inf, FLOOR,)})
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
    hbend = mean_9
    hzz = mean_10
    (mean_3,), change = normal_means(
        student, kappa*r, np.sqrt(c), lambda z, s, at: ((-np.sqrt(at(c))*at(mu1)*z - at(mu0) + s)**(2),),
        {1: (1,), -1: (1,)}, pairs,
        floors={0: (FLOOR,), 2: (FLOOR,), 1: (FLOOR,), -1: (FLOOR,)})
    error = max(error, change)
    mu2sq = mean_3
    tables = split_tables([kappa, mu1, mu0, hz, hslope, dmu0, h, hbend, hzz, mu2sq], rules, kappa_SYMMETRIES)
    return [(stack_rows((mu1*mu1), mu2sq, (mu1*mu1*mu1*mu1), (mu1*mu1)*mu2sq, (mu2sq*mu2sq), hz*mu1, hslope*mu1, (kappa*kappa)*(mu1*mu1), dmu0*((kappa*kappa) - 1), mu0, kappa*mu1, h*kappa*mu1, dmu0, (dmu0*dmu0), hbend, h, np.abs(h)*np.abs(kappa)*np.abs(mu1), np.abs(kappa)*np.abs(mu1), np.abs(hz)*np.abs(mu1), np.abs(hslope)*np.abs(mu1), hzz), weights) for (kappa, mu1, mu0, hz, hslope, dmu0, h, hbend, hzz, mu2sq), weights in tables], error


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


def prepare_q1(E13, E14, E3, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, e, gamma, inverse_width, lam, m, psi0hat, psihat, thetahat, tilt):
    """Compute what the equations of q1, q2 need."""
    dqhat1_dq1 = E3*alpha/beta
    dqhat2_dq1 = E4*alpha/beta
    dqhat2_dq2 = E5*alpha/beta
    f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
    A_q1_q1 = -(G*G)*c*dqhat2_dq1/(e*f) - G*c*dqhat1_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_q1_q2 = -(G*G)*c*dqhat2_dq2/(e*f) - G*c*dqhat2_dq1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    A_q2_q1 = -(G*G)*c*dqhat1_dq1/(e*f) - (G*G)*dqhat2_dq1*e/f
    A_q2_q2 = -(G*G)*c*dqhat2_dq1/(e*f) - (G*G)*dqhat2_dq2*e/f + 1
    qhat1_0 = E13*alpha/beta
    qhat2_0 = E14*alpha/beta
    b_q1 = (G*G)*c*qhat2_0/(e*f) + G*c*qhat1_0*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + c*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/(e*f) - (-(G*G)*(c*c)*(thetahat*thetahat)/(e*f) - G*c*(psihat*psihat)*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta + inverse_width*(-2*(G*G)*(c*c)*thetahat*tilt/(e*f) + 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G
    b_q2 = (G*G)*c*qhat1_0/(e*f) + (G*G)*e*qhat2_0/f + e*inverse_width*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)**(2)/f - (-(G*G)*c*e*(thetahat*thetahat)/f - (G*G)*c*(psihat*psihat)/(e*f))/beta + inverse_width*(-2*(G*G)*c*e*thetahat*tilt/f + 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G
    return dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2


def conclude(A_m_m, A_m_theta, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, A_theta_m, A_theta_theta, E10, E11, E12, E13, E14, E15, E16, E9, G, K_vv, S_weighed, Vhat2, alpha, beta, c, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, dthetahat_dm, dthetahat_dtheta, e, f, gamma, inverse_width, lam, m, noise_variance, psi0hat, psihat, q1, q2, qhat1_0, qhat2_0, theta, thetahat, tilt):
    """Compute observables and the errors that rounding makes."""
    size_thetahat_0_2 = alpha*abs(E10)
    rounding_theta = beta*inverse_width*(size_thetahat_0_2*abs(K_vv)*abs(tilt) + abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt))*abs(K_vv)*abs(tilt)/abs(G) + size_thetahat_0_2*abs(K_vv) + (((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/abs(G) + abs(K_vv))*abs(dthetahat_dtheta) + 1)*abs(theta) + (beta*inverse_width*abs(K_vv)*abs(tilt)/abs(G) + ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/abs(G) + abs(K_vv))*abs(dthetahat_dm))*abs(m)
    rounding_m = alpha*abs(E12)/beta + (0.5)*inverse_width*(2*size_thetahat_0_2*abs(K_vv)*abs(tilt) + 2*abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt))/abs(G) + (alpha*abs(E9)/beta + inverse_width*abs(K_vv)*abs(dthetahat_dtheta)*abs(tilt)/abs(G))*abs(theta) + (E11*alpha/beta + inverse_width*abs(K_vv)*abs(dthetahat_dm)*abs(tilt)/abs(G) + inverse_width/abs(G))*abs(m)
    error_theta = (rounding_m*abs(A_theta_m) + rounding_theta*abs(A_m_m))/(abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300)
    error_m = (rounding_m*abs(A_theta_theta) + rounding_theta*abs(A_m_theta))/(abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300)
    error_thetahat = size_thetahat_0_2 + abs(dthetahat_dm)*abs(error_m) + abs(dthetahat_dm)*abs(m) + abs(dthetahat_dtheta)*abs(error_theta) + abs(dthetahat_dtheta)*abs(theta)
    error = beta*inverse_width*(abs(K_vv)*abs(thetahat)*abs(tilt) + abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt) + abs(m))*abs(S_weighed)*abs(gamma)*abs(tilt)/abs(G)
    # qhat1 = alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    qhat1 = dqhat1_dq1*q1 + dqhat2_dq1*q2 + qhat1_0
    # qhat2 = alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0
    size_qhat1_0_2 = alpha*abs(E13)/beta
    size_qhat2_0_2 = alpha*abs(E14)/beta
    rounding_q1 = (G*G)*c*size_qhat2_0_2/abs(e*f) + c*inverse_width*(abs(K_vv)*abs(thetahat)*abs(tilt) + abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt) + abs(m))*abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/abs(e*f) + c*size_qhat1_0_2*abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + inverse_width*(2*(G*G)*(c*c)*abs(thetahat)*abs(tilt)/abs(e*f) + 2*c*abs(gamma)*abs(psi0hat)*abs(tilt)*abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/abs(G) + inverse_width*(abs(K_vv)*abs(thetahat)*abs(tilt) + abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt) + abs(m))*abs(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/abs(G) + ((G*G)*c*abs(dqhat2_dq2)/abs(e*f) + c*abs(dqhat2_dq1)*abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*abs(q2) + ((G*G)*c*abs(dqhat2_dq1)/abs(e*f) + c*abs(dqhat1_dq1)*abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1)*abs(q1) + ((G*G)*(c*c)*(thetahat*thetahat)/abs(e*f) + c*(psihat*psihat)*abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))/beta
    rounding_q2 = (G*G)*c*size_qhat1_0_2/abs(e*f) + (G*G)*size_qhat2_0_2*abs(e/f) + inverse_width*(2*(G*G)*c*abs(gamma)*abs(psi0hat)*abs(tilt)/abs(e*f) + 2*(G*G)*c*abs(thetahat)*abs(tilt)*abs(e/f))*abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/abs(G) + inverse_width*(abs(K_vv)*abs(thetahat)*abs(tilt) + abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt) + abs(m))*abs(e/f)*abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m) + inverse_width*(abs(K_vv)*abs(thetahat)*abs(tilt) + abs(S_weighed)*abs(gamma)*abs(psi0hat)*abs(tilt) + abs(m))*abs(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/abs(G) + ((G*G)*c*abs(dqhat1_dq1)/abs(e*f) + (G*G)*abs(dqhat2_dq1)*abs(e/f))*abs(q1) + ((G*G)*c*abs(dqhat2_dq1)/abs(e*f) + (G*G)*abs(dqhat2_dq2)*abs(e/f) + 1)*abs(q2) + ((G*G)*c*(psihat*psihat)/abs(e*f) + (G*G)*c*(thetahat*thetahat)*abs(e/f))/beta
    error_q1 = (rounding_q1*abs(A_q2_q2) + rounding_q2*abs(A_q1_q2))/(abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300)
    error_q2 = (rounding_q1*abs(A_q2_q1) + rounding_q2*abs(A_q1_q1))/(abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300)
    error_qhat1 = size_qhat1_0_2 + abs(dqhat1_dq1)*abs(error_q1) + abs(dqhat1_dq1)*abs(q1) + abs(dqhat2_dq1)*abs(error_q2) + abs(dqhat2_dq1)*abs(q2)
    error_qhat2 = size_qhat2_0_2 + abs(dqhat2_dq1)*abs(error_q1) + abs(dqhat2_dq1)*abs(q1) + abs(dqhat2_dq2)*abs(error_q2) + abs(dqhat2_dq2)*abs(q2)
    # test_error = E_kappa[R]
    test_error = E15
    # clean_error = -noise_variance + E_kappa[R]
    clean_error = E15 - noise_variance
    # train_error = E_kappa[R/(V + 1)**2]
    train_error = E16
    # objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    objective = E16 + beta*lam*q2/alpha
    error_2 = noise_variance + abs(E15)
    error_3 = abs(E16) + beta*lam*abs(q2)/alpha
    return error_theta, error_m, error_thetahat, error, qhat1, qhat2, error_q1, error_q2, error_qhat1, error_qhat2, test_error, clean_error, train_error, objective, error_2, error_3


@compiled
def solve_point(alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps):
    """Solve one parameter point; returns the entries of OUTPUTS as floats."""
    mu1_mu1, mu2sq, mu1_mu1_mu1_mu1, mu1_mu1_mu2sq, mu2sq_mu2sq, hz_mu1, hslope_mu1, kappa_kappa_mu1_mu1, column, mu0, kappa_mu1, h_kappa_mu1, dmu0, dmu0_dmu0, hbend, h, hzz = kappa_table[0], kappa_table[1], kappa_table[2], kappa_table[3], kappa_table[4], kappa_table[5], kappa_table[6], kappa_table[7], kappa_table[8], kappa_table[9], kappa_table[10], kappa_table[11], kappa_table[12], kappa_table[13], kappa_table[14], kappa_table[15], kappa_table[20]
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
        S_weighed = G*c/e
        f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
        dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat2_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
        dV2_map_dV2 = -(G*G)*c*dVhat2_dV1/(e*f) - (G*G)*dVhat2_dV2*e/f
        iterations += 1.0
        if step < plain:
            V1, V2 = S_weighed, G
            continue
        g0 = math.log(V1/S_weighed)
        g1 = math.log(V2/G)
        slope_V1_V1, slope_V1_V2 = 1.0 - dV1_map_dV1*V1/S_weighed, -dV1_map_dV2*V2/S_weighed
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
    E1 = E2 = E6 = E7 = E8 = E9 = E10 = E11 = E12 = E3 = E4 = E5 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column[i]*inverse_width + mu0[i]
        bend = beta*c*dmu0[i]*even_parts*inverse_width
        common = 2*beta*(c*c)*dmu0_dmu0[i]*inverse_width
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
    # psihat = alpha*E_kappa[hz*mu1/(V + 1)]
    psihat = E6*alpha
    # psi = psihat*S_weighed
    psi = S_weighed*psihat
    # thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0
    # psi0 = beta*gamma*inverse_width*tilt*(-gamma*psi0hat*tilt*S_weighed + m + thetahat*tilt*K_vv)*S_weighed/S_inverse
    psi0 = S_weighed*beta*gamma*inverse_width*tilt*(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/G
    E13 = E14 = 0.0
    for i in range(kappa_weights.size):
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        mean_7 = beta*c*column[i]*inverse_width + mu0[i]
        C = kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*(c*c)*dmu0_dmu0[i]*inverse_width
        bend = beta*c*dmu0[i]*even_parts*inverse_width
        E13 += kappa_weights[i]*((inv*inv)*mu1_mu1[i]*((C*C) - 2*C*h[i] + 2*(bend*bend)*(m*m) - 2*bend*hbend[i]*m + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(2*m**2*bend**2 + m**2*common - 2*m*bend*hbend + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu1**2/(V + 1)**2]
        E14 += kappa_weights[i]*((inv*inv)*mu2sq[i]*((C*C) - 2*C*h[i] + 2*(bend*bend)*(m*m) - 2*bend*hbend[i]*m + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + noise_variance))    # E_kappa[(2*m**2*bend**2 + m**2*common - 2*m*bend*hbend + noise_variance - 2*psi*hz*mu1 - 2*psi0*hslope*mu1 + C**2 - 2*C*h + hzz)*mu2sq/(V + 1)**2]
    dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E13, E14, E3, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, e, gamma, inverse_width, lam, m, psi0hat, psihat, thetahat, tilt)
    # linear block for q1, q2
    q1, q2, q1_q2_residual = solve_linear_2(A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, b_q1, b_q2)
    E15 = E16 = 0.0
    for i in range(kappa_weights.size):
        mean_7 = beta*c*column[i]*inverse_width + mu0[i]
        C = kappa_mu1[i]*theta + m*mean_7
        common = 2*beta*(c*c)*dmu0_dmu0[i]*inverse_width
        bend = beta*c*dmu0[i]*even_parts*inverse_width
        R = (C*C) - 2*C*h[i] + 2*(bend*bend)*(m*m) - 2*bend*hbend[i]*m + common*(m*m) - 2*hslope_mu1[i]*psi0 - 2*hz_mu1[i]*psi + hzz[i] + mu1_mu1[i]*q1 + mu2sq[i]*q2 + noise_variance
        V = V1*mu1_mu1[i] + V2*mu2sq[i]
        inv = (1.0/(V + 1))
        E15 += kappa_weights[i]*(R)    # E_kappa[R]
        E16 += kappa_weights[i]*(R*(inv*inv))    # E_kappa[R/(V + 1)**2]
    error_theta, error_m, error_thetahat, error, qhat1, qhat2, error_q1, error_q2, error_qhat1, error_qhat2, test_error, clean_error, train_error, objective, error_2, error_3 = conclude(A_m_m, A_m_theta, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, A_theta_m, A_theta_theta, E10, E11, E12, E13, E14, E15, E16, E9, G, K_vv, S_weighed, Vhat2, alpha, beta, c, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, dthetahat_dm, dthetahat_dtheta, e, f, gamma, inverse_width, lam, m, noise_variance, psi0hat, psihat, q1, q2, qhat1_0, qhat2_0, theta, thetahat, tilt)
    V1_V2_error = max((ROUNDING*(abs(slope_V1_V1) + 1e-300) + ROUNDING*(abs(slope_V2_V1) + 1e-300))/(abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300), (ROUNDING*(abs(slope_V1_V2) + 1e-300) + ROUNDING*(abs(slope_V2_V2) + 1e-300))/(abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300))
    uncertain = (V1_V2_error if (V1_V2_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < V1_V2_error) else 0)
    upstream = max(ROUNDING, V1_V2_error)
    V1_residual = abs(math.log(S_weighed/V1))
    V2_residual = abs(math.log(G/V2))
    theta_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_m_m)*abs(A_theta_theta) + abs(A_m_theta)*abs(A_theta_m))/(abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300))
    theta_m_dependent = (1e+290 if (((A_m_m == 0) and (A_m_theta == 0) and ((A_theta_m != 0) or (dthetahat_dm != 0))) or ((A_theta_m == 0) and (A_theta_theta == 0) and ((A_m_theta != 0) or (dthetahat_dtheta != 0))) or (theta_singular > 1e+100)) else 0)
    q1_singular = max(0, -LARGEST_ERROR + 1e-06*ROUNDING*(abs(A_q1_q1)*abs(A_q2_q2) + abs(A_q1_q2)*abs(A_q2_q1))/(abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    q1_q2_dependent = (1e+290 if (((A_q1_q1 == 0) and (A_q1_q2 == 0) and ((A_q2_q1 != 0) or (dqhat1_dq1 != 0) or (dqhat2_dq1 != 0))) or ((A_q2_q1 == 0) and (A_q2_q2 == 0) and ((A_q1_q2 != 0) or (dqhat2_dq1 != 0) or (dqhat2_dq2 != 0))) or (q1_singular > 1e+100)) else 0)
    lost = (1e+289 if (ROUNDING*error > LARGEST_ERROR*max(1, abs(psi0))) else 0)
    equations_residual = max(V1_V2_moved, V1_residual, V2_residual, q1_q2_dependent, q1_q2_residual, q1_singular, theta_m_dependent, theta_m_residual, theta_singular, uncertain)
    lost_2 = (1e+289 if (ROUNDING*error_2 > LARGEST_ERROR*max(1, abs(clean_error))) else 0)
    lost_3 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(objective))) else 0)
    limited_2 = (1 if (((error_2*upstream > 1e-10*abs(clean_error)) and (abs(clean_error) > 10*ROUNDING*error_2)) or ((error_m*upstream > 1e-10*abs(m)) and (abs(m) > 10*ROUNDING*error_m)) or ((error_3*upstream > 1e-10*abs(objective)) and (abs(objective) > 10*ROUNDING*error_3)) or ((error*upstream > 1e-10*abs(psi0)) and (abs(psi0) > 10*ROUNDING*error)) or ((error_q1*upstream > 1e-10*abs(q1)) and (abs(q1) > 10*ROUNDING*error_q1)) or ((error_q2*upstream > 1e-10*abs(q2)) and (abs(q2) > 10*ROUNDING*error_q2)) or ((error_qhat1*upstream > 1e-10*abs(qhat1)) and (abs(qhat1) > 10*ROUNDING*error_qhat1)) or ((error_qhat2*upstream > 1e-10*abs(qhat2)) and (abs(qhat2) > 10*ROUNDING*error_qhat2)) or ((error_theta*upstream > 1e-10*abs(theta)) and (abs(theta) > 10*ROUNDING*error_theta)) or ((error_thetahat*upstream > 1e-10*abs(thetahat)) and (abs(thetahat) > 10*ROUNDING*error_thetahat)) or (upstream > 1e-10)) else 0)
    inaccurate_2 = max(inaccurate, lost, lost_2, lost_3)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= equations_residual) else 0)
    residual = max(equations_residual, few_digits)
    return (V1 + 0.0, V2 + 0.0, q1 + 0.0, q2 + 0.0, theta + 0.0, psi + 0.0, psi0 + 0.0, m + 0.0, Vhat1 + 0.0, Vhat2 + 0.0, qhat1 + 0.0, qhat2 + 0.0, thetahat + 0.0, psihat + 0.0, psi0hat + 0.0, test_error + 0.0, clean_error + 0.0, train_error + 0.0, objective + 0.0, residual + 0.0, iterations + 0.5*limited_2 + 0.0)


@compiled
def solve_rows(alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts, kappa_table, kappa_weights, V1_start, V2_start, out, tolerance, max_steps, accept):
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
                result = solve_point(alpha[row, j], beta[row, j], lam[row, j], noise_variance[row, j], r[row, j], c[row, j], gamma[row, j], rho[row, j], inverse_width[row, j], tilt[row, j], even_parts[row, j], kappa_table, kappa_weights, V1_guess, V2_guess, plain, tolerance, max_steps)
                if known == 0 or result[19] <= accept:
                    break
            for k in range(21):
                out[row, j, k] = result[k]
            if result[19] <= accept:
                known += 1
                remember(past[0], math.log(max(result[0], 1e-300)))
                remember(past[1], math.log(max(result[1], 1e-300)))
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)


def solve_batch(alpha, beta, lam, noise_variance, r, c, gamma, rho, inverse_width, tilt, even_parts, kappa_table, kappa_weights, V1_start, V2_start, plain, tolerance, max_steps, diagnose=False):
    """Solve P parameter points at once.

    Returns an array of shape (len(OUTPUTS), P) and, if asked to diagnose, a list of blocks:
    ("newton", unknowns, Jacobian in the logarithms of positive unknowns), and for those with cancellations
    ("sizes", unknowns, magnitudes of the equations, which unknowns are solved in logarithms),
    ("linear", unknowns, matrix, magnitude of the right-hand side, what follows by linearity, and, where entries cancel,
    magnitude of the matrix),
    ("explicit", outputs, error in units of the rounding of numbers),
    ("lost", outputs, positive where digits are lost)."""
    column, mu0, kappa_mu1, dmu0, dmu0_dmu0, hbend, h, column_3, hzz = kappa_table[8], kappa_table[9], kappa_table[10], kappa_table[12], kappa_table[13], kappa_table[14], kappa_table[15], kappa_table[17], kappa_table[20]
    columns_1 = kappa_table[[0, 1]]
    weighted_1 = kappa_table[[0, 1]]*kappa_weights
    weighted_2 = kappa_table[[2, 3, 4]]*kappa_weights
    weighted_3 = kappa_table[[0, 1, 5, 6, 7, 11]]*kappa_weights
    weighted_4 = kappa_mu1*kappa_weights
    weighted_5 = kappa_table[[16, 18, 19]]*kappa_weights
    weighted_6 = column_3*kappa_weights
    columns_2 = kappa_table[[6, 5]]
    columns_3 = kappa_table[[6, 5, 0, 1]]
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
        S_weighed = G*c/e
        f = (G*G)*Vhat1*beta*c*(Vhat2 + lam) + 1
        dV1_map_dV1 = -(G*G)*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV1_map_dV2 = -(G*G)*c*dVhat2_dV2/(e*f) - G*c*dVhat2_dV1*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
        dV2_map_dV1 = -(G*G)*c*dVhat1_dV1/(e*f) - (G*G)*dVhat2_dV1*e/f
        dV2_map_dV2 = -(G*G)*c*dVhat2_dV1/(e*f) - (G*G)*dVhat2_dV2*e/f
        return (S_weighed, G,), (np.log(V1/S_weighed), np.log(V2/G),), ((1.0 - dV1_map_dV1*V1/S_weighed, -dV1_map_dV2*V2/S_weighed,), (-dV2_map_dV1*V1/G, 1.0 - dV2_map_dV2*V2/G,),)
    (V1, V2,), steps, J, V1_V2_moved = newton_batch(step_V1_V2, (alpha, beta, c, lam,), (V1_start, V2_start,), (True, True), plain, tolerance, max_steps, tables=(columns_1, weighted_1, weighted_2,))
    iterations = iterations + steps
    ((slope_V1_V1, slope_V1_V2,), (slope_V2_V1, slope_V2_V2,),) = np.moveaxis(J, 0, -1)
    if diagnose:
        blocks.append(("newton", ("V1", "V2",), J))
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    mean_7 = beta[..., None]*c[..., None]*column*inverse_width[..., None] + mu0
    bend = beta[..., None]*c[..., None]*dmu0*even_parts[..., None]*inverse_width[..., None]
    common = 2*beta[..., None]*(c[..., None]*c[..., None])*dmu0_dmu0*inverse_width[..., None]
    E1, E2, E6, E7, E8, E10 = weighted_3 @ (inv).T
    E9 = (inv*mean_7) @ weighted_4
    E11 = (inv*(2*(bend*bend) + common + (mean_7*mean_7))) @ kappa_weights
    E12 = (inv*(bend*hbend + h*mean_7)) @ kappa_weights
    E3, E4, E5 = weighted_2 @ ((inv*inv)).T
    if diagnose:
        E17, E22, E23 = weighted_5 @ (inv).T
        E18 = (inv*np.abs(bend*hbend + h*mean_7)) @ kappa_weights
        E19 = (inv*np.abs(mean_7)) @ weighted_6
    Vhat1 = E1*alpha/beta
    Vhat2 = E2*alpha/beta
    psi0hat = E7*alpha
    dthetahat_dtheta = -E8*alpha
    dthetahat_dm = -E9*alpha
    thetahat_0 = E10*alpha
    G = mp_resolvent_batch(Vhat1, Vhat2 + lam, c, beta)
    if diagnose:
        size_thetahat_0 = E17*alpha
        size_dthetahat_dm = E19*alpha
    e, S_weighed, K_vv, A_theta_theta, A_theta_m, b_theta, A_m_theta, A_m_m, b_m = prepare_theta(E11, E12, E9, G, Vhat1, alpha, beta, c, dthetahat_dm, dthetahat_dtheta, gamma, inverse_width, psi0hat, thetahat_0, tilt)
    if diagnose:
        size_theta_0 = beta*inverse_width*(size_thetahat_0*np.abs(K_vv)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt))*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + size_thetahat_0*np.abs(K_vv)
        size_m_0 = E18*alpha/beta + (0.5)*inverse_width*(2*size_thetahat_0*np.abs(K_vv)*np.abs(tilt) + 2*np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt))/np.abs(G)
        size_theta_theta = ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/np.abs(G) + np.abs(K_vv))*np.abs(dthetahat_dtheta) + 1
        size_theta_m = beta*inverse_width*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + size_dthetahat_dm*np.abs(K_vv - (K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/G) + ((K_vv*K_vv)*beta*inverse_width*(tilt*tilt)/np.abs(G) + np.abs(K_vv))*np.abs(dthetahat_dm)
        size_m_theta = E19*alpha/beta + inverse_width*np.abs(K_vv)*np.abs(dthetahat_dtheta)*np.abs(tilt)/np.abs(G)
        size_m_m = E11*alpha/beta + inverse_width*size_dthetahat_dm*np.abs(K_vv)*np.abs(tilt)/np.abs(G) + inverse_width/np.abs(G)
    A = stack_matrix(iterations.shape, ((A_theta_theta, A_theta_m,), (A_m_theta, A_m_m,),))
    solution, theta_m_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_theta, b_m,)))
    theta, m = solution.T
    if diagnose:
        blocks.append(("linear", ("theta", "m",), A, stack_vector(iterations.shape, (size_theta_0, size_m_0,)), (("thetahat", size_thetahat_0, (dthetahat_dtheta, dthetahat_dm, )),), stack_matrix(iterations.shape, ((size_theta_theta, size_theta_m,), (size_m_theta, size_m_m,),))))
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
    E13, E14 = weighted_1 @ ((inv*inv)*(np.array((-2*psi0, -2*psi)).T @ columns_2 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None])).T
    if diagnose:
        value_7 = np.abs(np.array((-2*psi0, -2*psi)).T @ columns_2 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None])
        E20, E21 = weighted_1 @ (value_7*(inv*inv)).T
    dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, f, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, qhat1_0, qhat2_0, b_q1, b_q2 = prepare_q1(E13, E14, E3, E4, E5, G, K_vv, S_weighed, Vhat1, Vhat2, alpha, beta, c, e, gamma, inverse_width, lam, m, psi0hat, psihat, thetahat, tilt)
    if diagnose:
        size_q1_q1 = (G*G)*c*np.abs(dqhat2_dq1)/np.abs(e*f) + c*np.abs(dqhat1_dq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + 1
        size_q1_q2 = (G*G)*c*np.abs(dqhat2_dq2)/np.abs(e*f) + c*np.abs(dqhat2_dq1)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))
        size_q2_q1 = (G*G)*c*np.abs(dqhat1_dq1)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq1)*np.abs(e/f)
        size_q2_q2 = (G*G)*c*np.abs(dqhat2_dq1)/np.abs(e*f) + (G*G)*np.abs(dqhat2_dq2)*np.abs(e/f) + 1
        size_qhat1_0 = E20*alpha/beta
        size_qhat2_0 = E21*alpha/beta
        size_q1_0 = (G*G)*c*size_qhat2_0/np.abs(e*f) + c*inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m)/np.abs(e*f) + c*size_qhat1_0*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)) + inverse_width*(2*(G*G)*(c*c)*np.abs(thetahat)*np.abs(tilt)/np.abs(e*f) + 2*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*(c*c)*thetahat*tilt/(e*f) - 2*G*c*gamma*psi0hat*tilt*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/np.abs(G) + ((G*G)*(c*c)*(thetahat*thetahat)/np.abs(e*f) + c*(psihat*psihat)*np.abs(G*((G*G)*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)))/beta
        size_q2_0 = (G*G)*c*size_qhat1_0/np.abs(e*f) + (G*G)*size_qhat2_0*np.abs(e/f) + inverse_width*(2*(G*G)*c*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt)/np.abs(e*f) + 2*(G*G)*c*np.abs(thetahat)*np.abs(tilt)*np.abs(e/f))*np.abs(K_vv*thetahat*tilt - S_weighed*gamma*psi0hat*tilt + m)/np.abs(G) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(e/f)*np.abs(2*K_vv*thetahat*tilt - 2*S_weighed*gamma*psi0hat*tilt + 2*m) + inverse_width*(np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(S_weighed)*np.abs(gamma)*np.abs(psi0hat)*np.abs(tilt) + np.abs(m))*np.abs(2*(G*G)*c*e*thetahat*tilt/f - 2*(G*G)*c*gamma*psi0hat*tilt/(e*f))/np.abs(G) + ((G*G)*c*(psihat*psihat)/np.abs(e*f) + (G*G)*c*(thetahat*thetahat)*np.abs(e/f))/beta
    A = stack_matrix(iterations.shape, ((A_q1_q1, A_q1_q2,), (A_q2_q1, A_q2_q2,),))
    solution, q1_q2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_q1, b_q2,)))
    q1, q2 = solution.T
    if diagnose:
        blocks.append(("linear", ("q1", "q2",), A, stack_vector(iterations.shape, (size_q1_0, size_q2_0,)), (("qhat1", size_qhat1_0, (dqhat1_dq1, dqhat2_dq1, )), ("qhat2", size_qhat2_0, (dqhat2_dq1, dqhat2_dq2, )),), stack_matrix(iterations.shape, ((size_q1_q1, size_q1_q2,), (size_q2_q1, size_q2_q2,),))))
    mean_7 = beta[..., None]*c[..., None]*column*inverse_width[..., None] + mu0
    C = kappa_mu1*theta[..., None] + m[..., None]*mean_7
    common = 2*beta[..., None]*(c[..., None]*c[..., None])*dmu0_dmu0*inverse_width[..., None]
    bend = beta[..., None]*c[..., None]*dmu0*even_parts[..., None]*inverse_width[..., None]
    R = np.array((-2*psi0, -2*psi, q1, q2)).T @ columns_3 + (C*C) - 2*C*h + 2*(bend*bend)*(m[..., None]*m[..., None]) - 2*bend*hbend*m[..., None] + common*(m[..., None]*m[..., None]) + hzz + noise_variance[..., None]
    V = np.array((V1, V2)).T @ columns_1
    inv = (1.0/(V + 1))
    E15 = (R) @ kappa_weights
    E16 = (R*(inv*inv)) @ kappa_weights
    if diagnose:
        value_8 = np.abs(R)
        E24 = (value_8) @ kappa_weights
        E25 = (value_8*(inv*inv)) @ kappa_weights
    error_theta, error_m, error_thetahat, error, qhat1, qhat2, error_q1, error_q2, error_qhat1, error_qhat2, test_error, clean_error, train_error, objective, error_2, error_3 = conclude(A_m_m, A_m_theta, A_q1_q1, A_q1_q2, A_q2_q1, A_q2_q2, A_theta_m, A_theta_theta, E10, E11, E12, E13, E14, E15, E16, E9, G, K_vv, S_weighed, Vhat2, alpha, beta, c, dqhat1_dq1, dqhat2_dq1, dqhat2_dq2, dthetahat_dm, dthetahat_dtheta, e, f, gamma, inverse_width, lam, m, noise_variance, psi0hat, psihat, q1, q2, qhat1_0, qhat2_0, theta, thetahat, tilt)
    V1_V2_error = np.maximum((ROUNDING*(np.abs(slope_V1_V1) + 1e-300) + ROUNDING*(np.abs(slope_V2_V1) + 1e-300))/(np.abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300), (ROUNDING*(np.abs(slope_V1_V2) + 1e-300) + ROUNDING*(np.abs(slope_V2_V2) + 1e-300))/(np.abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300))
    uncertain = np.where((V1_V2_error > 0.1), V1_V2_error, 0)
    inaccurate = np.where((LARGEST_ERROR < V1_V2_error), 1e+289, 0)
    upstream = np.maximum(ROUNDING, V1_V2_error)
    V1_residual = np.abs(np.log(S_weighed/V1))
    V2_residual = np.abs(np.log(G/V2))
    theta_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_m_m)*np.abs(A_theta_theta) + np.abs(A_m_theta)*np.abs(A_theta_m))/(np.abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300))
    theta_m_dependent = np.where((((A_m_m == 0) & (A_m_theta == 0) & ((A_theta_m != 0) | (dthetahat_dm != 0))) | ((A_theta_m == 0) & (A_theta_theta == 0) & ((A_m_theta != 0) | (dthetahat_dtheta != 0))) | (theta_singular > 1e+100)), 1e+290, 0)
    q1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_q1_q1)*np.abs(A_q2_q2) + np.abs(A_q1_q2)*np.abs(A_q2_q1))/(np.abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    q1_q2_dependent = np.where((((A_q1_q1 == 0) & (A_q1_q2 == 0) & ((A_q2_q1 != 0) | (dqhat1_dq1 != 0) | (dqhat2_dq1 != 0))) | ((A_q2_q1 == 0) & (A_q2_q2 == 0) & ((A_q1_q2 != 0) | (dqhat2_dq1 != 0) | (dqhat2_dq2 != 0))) | (q1_singular > 1e+100)), 1e+290, 0)
    lost = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, np.abs(psi0))), 1e+289, 0)
    if diagnose:
        error_4 = E22*alpha
        error_5 = error_4*np.abs(S_weighed)
        error_6 = E23*alpha
        error_7 = beta*inverse_width*(error_6*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt) + np.abs(K_vv)*np.abs(thetahat)*np.abs(tilt) + np.abs(m))*np.abs(S_weighed)*np.abs(gamma)*np.abs(tilt)/np.abs(G)
    equations_residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(V1_V2_moved, V1_residual), V2_residual), q1_q2_dependent), q1_q2_residual), q1_singular), theta_m_dependent), theta_m_residual), theta_singular), uncertain)
    lost_2 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(clean_error))), 1e+289, 0)
    lost_3 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(objective))), 1e+289, 0)
    if diagnose:
        error_8 = E24 + noise_variance
        error_9 = E25 + beta*lam*np.abs(q2)/alpha
    limited_2 = np.where((((error_2*upstream > 1e-10*np.abs(clean_error)) & (np.abs(clean_error) > 10*ROUNDING*error_2)) | ((error_m*upstream > 1e-10*np.abs(m)) & (np.abs(m) > 10*ROUNDING*error_m)) | ((error_3*upstream > 1e-10*np.abs(objective)) & (np.abs(objective) > 10*ROUNDING*error_3)) | ((error*upstream > 1e-10*np.abs(psi0)) & (np.abs(psi0) > 10*ROUNDING*error)) | ((error_q1*upstream > 1e-10*np.abs(q1)) & (np.abs(q1) > 10*ROUNDING*error_q1)) | ((error_q2*upstream > 1e-10*np.abs(q2)) & (np.abs(q2) > 10*ROUNDING*error_q2)) | ((error_qhat1*upstream > 1e-10*np.abs(qhat1)) & (np.abs(qhat1) > 10*ROUNDING*error_qhat1)) | ((error_qhat2*upstream > 1e-10*np.abs(qhat2)) & (np.abs(qhat2) > 10*ROUNDING*error_qhat2)) | ((error_theta*upstream > 1e-10*np.abs(theta)) & (np.abs(theta) > 10*ROUNDING*error_theta)) | ((error_thetahat*upstream > 1e-10*np.abs(thetahat)) & (np.abs(thetahat) > 10*ROUNDING*error_thetahat)) | (upstream > 1e-10)), 1, 0)
    inaccurate_2 = np.maximum(np.maximum(np.maximum(inaccurate, lost), lost_2), lost_3)
    few_digits = np.where((LARGEST_ERROR >= equations_residual), inaccurate_2, 0)
    residual = np.maximum(equations_residual, few_digits)
    if diagnose:
        blocks.append(("explicit", ("psihat",), error_4))
        blocks.append(("explicit", ("psi",), error_5))
        blocks.append(("explicit", ("psi0hat",), error_6))
        blocks.append(("explicit", ("psi0",), error_7))
        blocks.append(("explicit", ("test_error",), E24))
        blocks.append(("explicit", ("clean_error",), error_8))
        blocks.append(("explicit", ("train_error",), E25))
        blocks.append(("explicit", ("objective",), error_9))
    return stack_vector(iterations.shape, (V1, V2, q1, q2, theta, psi, psi0, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, psi0hat, test_error, clean_error, train_error, objective, residual, iterations + 0.5*limited_2)).T, blocks
