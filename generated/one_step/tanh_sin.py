"""One gradient step, student tanh, target sin, square loss (arXiv 2402.04980).

Written by asympkit from the symbolic equations; do not edit.  numpy is enough; numba speeds up solve_rows.

q1, q2, theta, psi, m: w'Omega w/p, |w|^2/p, w'Wv/sqrt(pd), w'W zeta/sqrt(pd), 1'w/sqrt(p) of the readout w; V1, V2:
their variances; names with hat: conjugates; alpha = n/d, beta = p/d.  r, c, gamma: strength of the spike, squared
norm of the rows, overlap of the spike with the target; rho = sqrt(1 - gamma**2).

student: tanh
target: sin

where
  S = D*Vhat1 + Vhat2 + lam
  mu1 = E_z[z*tanh(kappa*r + z*sqrt(c))]/sqrt(c)
  mu0 = E_z[tanh(kappa*r + z*sqrt(c))]
  mu2sq = E_z[(-z*sqrt(c)*mu1 + tanh(kappa*r + z*sqrt(c)) - mu0)**2]
  V = V1*mu1**2 + V2*mu2sq
  h = E_z[sin(kappa*gamma + z*rho)]
  C = kappa*theta*mu1 + m*mu0
  hz = E_z[z*sin(kappa*gamma + z*rho)]
  hzz = E_z[sin(kappa*gamma + z*rho)**2]
  R = noise_variance - 2*psi*hz*mu1 + q1*mu1**2 + q2*mu2sq + C**2 - 2*C*h + hzz
block 1: nonlinear, solved for V1, V2
  V1 = <D/S>
  V2 = <1/S>
  Vhat1 = alpha*E_kappa[mu1**2/(V + 1)]/beta
  Vhat2 = alpha*E_kappa[mu2sq/(V + 1)]/beta
block 2: linear, solved for theta, m
  theta = thetahat*<F/S>
  0 = E_kappa[(C - h)*mu0/(V + 1)]
  thetahat = -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
block 3: explicit
  psihat = alpha*E_kappa[hz*mu1/(V + 1)]
block 4: explicit
  psi = psihat*<H/S>
block 5: linear, solved for q1, q2
  q1 = qhat1*<D**2/S**2> + qhat2*<D/S**2> - (-psihat**2*<D*H/S**2> - thetahat**2*<D*F/S**2>)/beta
  q2 = qhat1*<D/S**2> + qhat2*<S**(-2)> - (-psihat**2*<H/S**2> - thetahat**2*<F/S**2>)/beta
  qhat1 = alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
  qhat2 = alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
observables
  test_error = E_kappa[R]
  clean_error = -noise_variance + E_kappa[R]
  train_error = E_kappa[R/(V + 1)**2]
  objective = E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
"""

import functools

import numpy as np

__all__ = ["solve", "solve_rows"]
__version__ = "0.2.0"

#: rounding of double precision, and the error by rounding above which nothing has converged
ROUNDING, LARGEST_ERROR = 2.0**-52, 1e-9
#: part of its size below which an average may be the rounding of zero, and cut-offs of the normal weight
ROUNDING_OF_MEANS, CUTS = 16 * 2.0**-52, (9.5, 13.0, 18.0, 25.0, 37.0)
#: nodes and weights of Gauss's rule on [-1, 1], by their number
GAUSS = functools.cache(np.polynomial.legendre.leggauss)
OUTPUTS = ("V1", "V2", "q1", "q2", "theta", "psi", "m", "Vhat1", "Vhat2", "qhat1", "qhat2", "thetahat", "psihat",
    "test_error", "clean_error", "train_error", "objective", "residual", "iterations", "error_estimate",)
#: what numba compiles
LOOPS = ("averages_1", "equations", "averages_2", "averages_3", "averages_4", "solve_point", "solve_points",
    "newton_of_maps", "eliminate", "solve_linear", "each_node", "dot", "mp_resolvent",)


def solve(eta, alpha0, alpha, lam, beta=1.0, noise_variance=0.0, rtol=1e-11):
    """Unknowns and observables at one point as a dict, with residual, iterations and error_estimate.

    Parameters
    ----------
    eta : float
        learning rate of the first step, in units of d
    alpha0 : float
        samples of the first step over d; inf for the population gradient
    alpha : float
        samples over d
    lam : float
        penalty on the readout
    beta : float
        width over d
    noise_variance : float
        variance of the label noise
    rtol : float, largest relative change under refinement of the averages
    """
    values, shape = solutions(eta, alpha0, alpha, lam, beta, noise_variance, rtol)
    require(shape == (), "solve", f"arrays of shape {shape}", "one point; solve_rows takes arrays")
    if not np.isfinite(values[0, 0]):
        raise ValueError(f"solve: no solution (residual {values[0, -3]:.1e}, change under refinement "
                         f"{values[0, -1]:.1e}): move the parameters, or use asympkit itself")
    return dict(zip(OUTPUTS, map(float, values[0])))


def solve_rows(eta, alpha0, alpha, lam, beta=1.0, noise_variance=0.0, rtol=1e-11):
    """As :func:`solve` for arrays of alpha, lam, broadcast: a dict of arrays, NaN where there is no solution."""
    values, shape = solutions(eta, alpha0, alpha, lam, beta, noise_variance, rtol)
    return {name: column.reshape(shape) for name, column in zip(OUTPUTS, values.T)}


def student(x):
    """The student."""
    return np.tanh(x)


def target(x):
    """The target."""
    return np.sin(x)


def student_slope(x):
    """The derivative of the student."""
    return 1 - (np.tanh(x))**(2)


def step_parameters(eta, alpha0, beta, noise_variance):
    """r, c, gamma and rho = sqrt(1 - gamma**2) after one gradient step (Result 3.1)."""
    if alpha0 == 0 or eta == 0:
        return 0, 1, 0, 1
    student_at = Inner(student, (), np.zeros(1), 1)
    h2, h0, h1 = student_at(lambda z, s: (s*(z**2 - 1), s, s*z,), (np.inf, np.inf, -1.0,))[:, 0]
    target_at = Inner(target, (), np.zeros(1), 1)
    mean_3, t1 = target_at(lambda z, s: (s, s*z,), (np.inf, -1.0,))[:, 0]
    ybar = -h0 + mean_3
    student_slope_at = Inner(student_slope, (), np.zeros(1), 1)
    spread, = student_slope_at(lambda z, s: ((-h1 + s)**2,), (ROUNDING_OF_MEANS,))[:, 0]
    mean_6, = target_at(lambda z, s: ((-h0 + s)**2,), (ROUNDING_OF_MEANS,))[:, 0]
    t2 = mean_6 + noise_variance
    length = np.sqrt(t1**2 + t2/alpha0)
    if ((1.0/alpha0) == 0 or t2 == 0) and t1 == 0:
        return 0, (1 + eta*h2*ybar/beta)**2 + eta**2*spread*t2/(alpha0*beta**2), 0, 1
    return (eta*h1*length/beta, (1 + eta*h2*ybar/beta)**2 + eta**2*spread*t2/(alpha0*beta**2), t1/length,
        np.sqrt(t2)/(np.sqrt(alpha0)*length))


def kappa_columns(kappa, r, c, gamma, rho):
    """Rows of the table at nodes kappa."""
    student_at = Inner(student, (), kappa*r, np.sqrt(c))
    mean, mu0, mean_2_size = student_at(lambda z, s: (s*z, s, np.abs(s),), (ROUNDING_OF_MEANS, np.inf, np.nan,))
    target_at = Inner(target, (), gamma*kappa, rho)
    h, hz, hzz = target_at(lambda z, s: (s, s*z, s**2,), (np.inf, ROUNDING_OF_MEANS, ROUNDING_OF_MEANS,))
    mu1 = mean/np.sqrt(c)
    mu2sq, = student_at(lambda z, s: ((-np.sqrt(c)*mu1[:, np.newaxis]*z - mu0[:, np.newaxis] + s)**2,),
        (ROUNDING_OF_MEANS,))
    shift = np.abs(kappa*r)/(np.sqrt(c) + np.abs(kappa*r) + 1e-300)
    return np.array(np.broadcast_arrays(kappa, mu1, mu0, h, hz, hzz, mu2sq, mean_2_size, shift))


def kappa_table(level, r, c, gamma, rho):
    """Table and weights of the average over kappa."""
    nodes, weights = outer_rule(level, [(0, r, np.sqrt(c), ()), (0, gamma, rho, ())])
    table = np.hstack([kappa_columns(nodes[k:k + 40], r, c, gamma, rho) for k in range(0, nodes.size, 40)])
    check_direction(weights, table[2], table[7], table[8], True)
    return table[:7], weights


def averages_1(kappa_table, kappa_weights, V1, V2):
    """Averages over kappa."""
    E1 = E2 = E3 = E4 = E5 = 0.0
    for k in each_node(kappa_weights):
        mu1, mu2sq = kappa_table[1, k], kappa_table[6, k]
        V = V1*mu1**2 + V2*mu2sq
        inv = 1.0/(V + 1)
        E1, E2, E3, E4, E5 = (E1 + dot(kappa_weights[k], inv*mu1**2), E2 + dot(kappa_weights[k], inv*mu2sq), E3 +
            dot(kappa_weights[k], inv**2*mu1**4), E4 + dot(kappa_weights[k], inv**2*mu1**2*mu2sq), E5 +
            dot(kappa_weights[k], inv**2*mu2sq**2))
    return E1, E2, E3, E4, E5


def equations(x, alpha, beta, lam, c, kappa_table, kappa_weights):
    """Residuals of V1, V2, their derivatives by the solver's variables, and maps."""
    V1, V2 = x[0], x[1]
    E1, E2, E3, E4, E5 = averages_1(kappa_table, kappa_weights, V1, V2)
    Vhat1 = E1*alpha/beta    # alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat2 = E2*alpha/beta    # alpha*E_kappa[mu2sq/(V + 1)]/beta
    dVhat1_dV1 = -E3*alpha/beta
    dVhat2_dV1 = -E4*alpha/beta
    dVhat2_dV2 = -E5*alpha/beta
    G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
    e = G*Vhat1*beta*c + 1
    V1_map = G*c/e    # <D/S>
    f = G**2*Vhat1*beta*c*(Vhat2 + lam) + 1
    dV1_map_dV1 = -G**2*c*dVhat2_dV1/(e*f) - G*c*dVhat1_dV1*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    dV1_map_dV2 = -G**2*c*dVhat2_dV2/(e*f) - G*c*dVhat2_dV1*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    dV2_map_dV1 = -G**2*c*dVhat1_dV1/(e*f) - G**2*dVhat2_dV1*e/f
    dV2_map_dV2 = -G**2*c*dVhat2_dV1/(e*f) - G**2*dVhat2_dV2*e/f
    residuals, slopes = (np.array((np.log(V1/V1_map), np.log(V2/G),)), np.array(((1.0 - dV1_map_dV1*V1/V1_map, 0.0 -
        dV1_map_dV2*V2/V1_map,), (0.0 - dV2_map_dV1*V1/G, 1.0 - dV2_map_dV2*V2/G,),)))
    return residuals, slopes, np.array((V1_map, G,))


def averages_2(kappa_table, kappa_weights, V1, V2):
    """Averages over kappa."""
    E1 = E2 = E3 = E4 = E5 = E6 = A_m_theta = E8 = A_m_m = b_m = E14 = 0.0
    for k in each_node(kappa_weights):
        kappa, mu1, mu0, h, hz, mu2sq = (kappa_table[0, k], kappa_table[1, k], kappa_table[2, k], kappa_table[3, k],
            kappa_table[4, k], kappa_table[6, k])
        V = V1*mu1**2 + V2*mu2sq
        inv = 1.0/(V + 1)
        E1, E2, E3, E4, E5, E6, A_m_theta, E8, A_m_m, b_m, E14 = (E1 + dot(kappa_weights[k], inv*mu1**2), E2 +
            dot(kappa_weights[k], inv*mu2sq), E3 + dot(kappa_weights[k], inv**2*mu1**4), E4 +
            dot(kappa_weights[k], inv**2*mu1**2*mu2sq), E5 + dot(kappa_weights[k], inv**2*mu2sq**2), E6 +
            dot(kappa_weights[k], inv*kappa**2*mu1**2), A_m_theta + dot(kappa_weights[k], inv*kappa*mu0*mu1), E8 +
            dot(kappa_weights[k], h*inv*kappa*mu1), A_m_m + dot(kappa_weights[k], inv*mu0**2), b_m +
            dot(kappa_weights[k], h*inv*mu0), E14 + dot(kappa_weights[k], hz*inv*mu1))
    return E1, E2, E3, E4, E5, E6, A_m_theta, E8, A_m_m, b_m, E14


def averages_3(kappa_table, kappa_weights, noise_variance, V1, V2, theta, psi, m):
    """Averages over kappa."""
    E15 = E16 = 0.0
    for k in each_node(kappa_weights):
        kappa, mu1, mu0, h, hz, hzz, mu2sq = (kappa_table[0, k], kappa_table[1, k], kappa_table[2, k],
            kappa_table[3, k], kappa_table[4, k], kappa_table[5, k], kappa_table[6, k])
        V = V1*mu1**2 + V2*mu2sq
        inv = 1.0/(V + 1)
        C = kappa*mu1*theta + m*mu0
        E15, E16 = (E15 + dot(kappa_weights[k], inv**2*mu1**2*(C**2 - 2*C*h - 2*hz*mu1*psi + hzz + noise_variance)),
            E16 + dot(kappa_weights[k], inv**2*mu2sq*(C**2 - 2*C*h - 2*hz*mu1*psi + hzz + noise_variance)))
    return E15, E16


def averages_4(kappa_table, kappa_weights, noise_variance, V1, V2, q1, q2, theta, psi, m):
    """Averages over kappa."""
    test_error = train_error = 0.0
    for k in each_node(kappa_weights):
        kappa, mu1, mu0, h, hz, hzz, mu2sq = (kappa_table[0, k], kappa_table[1, k], kappa_table[2, k],
            kappa_table[3, k], kappa_table[4, k], kappa_table[5, k], kappa_table[6, k])
        C = kappa*mu1*theta + m*mu0
        R = C**2 - 2*C*h - 2*hz*mu1*psi + hzz + mu1**2*q1 + mu2sq*q2 + noise_variance
        V = V1*mu1**2 + V2*mu2sq
        inv = 1.0/(V + 1)
        test_error, train_error = test_error + dot(kappa_weights[k], R), train_error + dot(kappa_weights[k], R*inv**2)
    return test_error, train_error


def solve_point(p, start, plain, kappa_table, kappa_weights):
    """Unknowns, observables, residual and iterations at one point ``p``, from a start of Newton's method."""
    alpha, beta, lam, noise_variance, c = p[0], p[1], p[2], p[3], p[5]
    x, V1_V2_moved, steps = newton_of_maps(start[0:2], np.full(2, True), np.full(2, -np.inf), np.full(2, np.inf),
        plain, alpha, beta, lam, c, kappa_table, kappa_weights)
    V1, V2 = x[0], x[1]
    E1, E2, E3, E4, E5, E6, A_m_theta, E8, A_m_m, b_m, E14 = averages_2(kappa_table, kappa_weights, V1, V2)
    Vhat1 = E1*alpha/beta    # alpha*E_kappa[mu1**2/(V + 1)]/beta
    Vhat2 = E2*alpha/beta    # alpha*E_kappa[mu2sq/(V + 1)]/beta
    G = mp_resolvent(Vhat1, Vhat2 + lam, c, beta)
    e = G*Vhat1*beta*c + 1
    V1_check = G*c/e
    V1_residual = np.abs(np.log(V1_check/V1))
    V2_residual = np.abs(np.log(G/V2))
    dVhat1_dV1_2 = -E3*alpha/beta
    dVhat2_dV1_2 = -E4*alpha/beta
    dVhat2_dV2_2 = -E5*alpha/beta
    f = G**2*Vhat1*beta*c*(Vhat2 + lam) + 1
    slope_V1_V1 = G**2*c*dVhat2_dV1_2/(e*f) + G*c*dVhat1_dV1_2*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    slope_V1_V2 = V2*(G**2*c*dVhat2_dV2_2/(e*f) + G*c*dVhat2_dV1_2*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/V1
    slope_V2_V1 = V1*(G**2*c*dVhat1_dV1_2/(e*f) + G**2*dVhat2_dV1_2*e/f)/V2
    slope_V2_V2 = G**2*c*dVhat2_dV1_2/(e*f) + G**2*dVhat2_dV2_2*e/f + 1
    V1_V2_error = np.maximum((ROUNDING*np.abs(slope_V1_V1) + ROUNDING*np.abs(slope_V2_V1))/(np.abs(slope_V1_V1*
        slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300), (ROUNDING*np.abs(slope_V1_V2) +
        ROUNDING*np.abs(slope_V2_V2))/(np.abs(slope_V1_V1*slope_V2_V2 - slope_V1_V2*slope_V2_V1) + 1e-300))
    uncertain = V1_V2_error*(V1_V2_error > 0.1)
    inaccurate = 1e+289*(LARGEST_ERROR < V1_V2_error)
    dthetahat_dtheta = -E6*alpha
    dthetahat_dm = -A_m_theta*alpha
    thetahat_0 = E8*alpha
    A_theta_theta = -G*c*dthetahat_dtheta + 1
    A_theta_m = -G*c*dthetahat_dm
    b_theta = G*c*thetahat_0
    x, theta_m_residual = solve_linear(np.array(((A_theta_theta, A_theta_m,), (A_m_theta, A_m_m,),)),
        np.array((b_theta, b_m,)))
    theta, m = x[0], x[1]
    thetahat = dthetahat_dm*m + dthetahat_dtheta*theta + thetahat_0    # -alpha*E_kappa[kappa*(C - h)*mu1/(V + 1)]
    theta_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_m_m)*np.abs(A_theta_theta) +
        np.abs(A_m_theta)*np.abs(A_theta_m))/(np.abs(A_m_m*A_theta_theta - A_m_theta*A_theta_m) + 1e-300))
    psihat = E14*alpha    # alpha*E_kappa[hz*mu1/(V + 1)]
    psi = G*c*psihat/e    # psihat*<H/S>
    dqhat1_dq1 = E3*alpha/beta
    dqhat2_dq1 = E4*alpha/beta
    dqhat2_dq2 = E5*alpha/beta
    A_q1_q1 = -G**2*c*dqhat2_dq1/(e*f) - G*c*dqhat1_dq1*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) + 1
    A_q1_q2 = -G**2*c*dqhat2_dq2/(e*f) - G*c*dqhat2_dq1*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f)
    A_q2_q1 = -G**2*c*dqhat1_dq1/(e*f) - G**2*dqhat2_dq1*e/f
    A_q2_q2 = -G**2*c*dqhat2_dq1/(e*f) - G**2*dqhat2_dq2*e/f + 1
    q1_singular = np.maximum(0, -LARGEST_ERROR + 1e-06*ROUNDING*(np.abs(A_q1_q1)*np.abs(A_q2_q2) +
        np.abs(A_q1_q2)*np.abs(A_q2_q1))/(np.abs(A_q1_q1*A_q2_q2 - A_q1_q2*A_q2_q1) + 1e-300))
    theta_m_dependent = 1e+290*(((A_m_m == 0) & (A_m_theta == 0) & ((A_theta_m != 0) | (dthetahat_dm != 0))) |
        ((A_theta_m == 0) & (A_theta_theta == 0) & ((A_m_theta != 0) | (dthetahat_dtheta != 0))) |
        (theta_singular > 1e+100))
    q1_q2_dependent = 1e+290*(((A_q1_q1 == 0) & (A_q1_q2 == 0) & ((A_q2_q1 != 0) | (dqhat1_dq1 != 0) |
        (dqhat2_dq1 != 0))) | ((A_q2_q1 == 0) & (A_q2_q2 == 0) & ((A_q1_q2 != 0) | (dqhat2_dq1 != 0) |
        (dqhat2_dq2 != 0))) | (q1_singular > 1e+100))
    E15, E16 = averages_3(kappa_table, kappa_weights, noise_variance, V1, V2, theta, psi, m)
    qhat1_0 = E15*alpha/beta
    qhat2_0 = E16*alpha/beta
    b_q1 = (G**2*c*qhat2_0/(e*f) + G*c*qhat1_0*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f) -
        (-G**2*c**2*thetahat**2/(e*f) - G*c*psihat**2*(G**2*beta*c*(Vhat2 + lam) + G*c/e)/(e*f))/beta)
    b_q2 = G**2*c*qhat1_0/(e*f) + G**2*e*qhat2_0/f - (-G**2*c*e*thetahat**2/f - G**2*c*psihat**2/(e*f))/beta
    x, q1_q2_residual = solve_linear(np.array(((A_q1_q1, A_q1_q2,), (A_q2_q1, A_q2_q2,),)), np.array((b_q1, b_q2,)))
    q1, q2 = x[0], x[1]
    qhat1 = dqhat1_dq1*q1 + dqhat2_dq1*q2 + qhat1_0    # alpha*E_kappa[R*mu1**2/(V + 1)**2]/beta
    qhat2 = dqhat2_dq1*q1 + dqhat2_dq2*q2 + qhat2_0    # alpha*E_kappa[R*mu2sq/(V + 1)**2]/beta
    residual = np.max(np.array((V1_V2_moved, V1_residual, V2_residual, q1_q2_dependent, q1_q2_residual, q1_singular,
        theta_m_dependent, theta_m_residual, theta_singular, uncertain)))
    test_error, train_error = averages_4(kappa_table, kappa_weights, noise_variance, V1, V2, q1, q2, theta, psi, m)
    clean_error = test_error - noise_variance    # -noise_variance + E_kappa[R]
    objective = train_error + beta*lam*q2/alpha    # E_kappa[R/(V + 1)**2] + beta*lam*q2/alpha
    error = noise_variance + np.abs(test_error)
    lost = 1e+289*(ROUNDING*error > LARGEST_ERROR*np.maximum(1, np.abs(clean_error)))
    error_2 = np.abs(train_error) + beta*lam*np.abs(q2)/alpha
    lost_2 = 1e+289*(ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(objective)))
    inaccurate_2 = np.maximum(np.maximum(inaccurate, lost), lost_2)
    few_digits = inaccurate_2*(LARGEST_ERROR >= residual)
    residual_2 = np.maximum(few_digits, residual)
    return np.array((V1, V2, q1, q2, theta, psi, m, Vhat1, Vhat2, qhat1, qhat2, thetahat, psihat, test_error,
        clean_error, train_error, objective, residual_2, float(steps),))


def solutions(eta, alpha0, alpha, lam, beta, noise_variance, rtol):
    """Rows of outputs and error estimates, and the shape of all points."""
    alpha, lam = (np.asarray(x, dtype=float) for x in (alpha, lam))
    require(np.ndim(eta) == 0 and 0.0 <= eta < np.inf, "eta", eta, "a finite number >= 0")
    require(np.ndim(alpha0) == 0 and alpha0 >= 0.0, "alpha0", alpha0, "a number >= 0 or math.inf")
    require((alpha > 0.0) & (alpha < np.inf), "alpha", alpha, "a positive finite number")
    require((lam > 0.0) & (lam < np.inf), "lam", lam, "a positive finite number")
    require(np.ndim(beta) == 0 and 0.0 < beta < np.inf, "beta", beta, "a positive finite number")
    require(np.ndim(noise_variance) == 0 and 0.0 <= noise_variance < np.inf, "noise_variance", noise_variance,
        "a finite number >= 0")
    with np.errstate(all="ignore"):
        r, c, gamma, rho = step_parameters(eta, alpha0, beta, noise_variance)
        arrays = np.broadcast_arrays(alpha, beta, lam, noise_variance, r, c, gamma, rho)
        points = np.array([np.ravel(a) for a in arrays], dtype=float).T.copy()
        if len(points) >= 100:
            compile_loops()
        starts = np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 40.0]])
        return (refined(points, lambda level: kappa_table(level, r, c, gamma, rho), starts, 19, [0, 1],
            [0, 1, 13, 14, 15, 16], 11, rtol), arrays[0].shape)


def require(holds, name, value, expected):
    """Raise in a sentence unless something holds of all values."""
    if not np.all(holds):
        if np.size(value) > 6:
            value = f"an array of shape {np.shape(value)} from {np.min(value):.6g} to {np.max(value):.6g}"
        raise ValueError(f"{name}: got {value}; expected {expected}")


def solve_points(points, guesses, starts, out, *tables):
    """Solve points, each from a guess (NaN: none) or the first start to lead there; last in it: plain
    steps."""
    for k in range(len(points)):
        found = False
        for n in range(-1, len(starts)):
            if not found and (n >= 0 or not np.isnan(guesses[k, 0])):
                start = guesses[k] if n < 0 else starts[n]
                result = solve_point(points[k], start[:-1], int(start[-1]), *tables)
                if n <= 0 or result[-2] < out[k, -2] or np.isnan(out[k, -2]):
                    out[k] = result
                found = out[k, -2] <= 1e-9
    return out


def refined(*how):
    """Solve points on finer and finer rules; last, the largest change of those judged; NaN: no solution."""
    out, rows = refine(*how)
    out[rows, :-3] = np.nan
    return out


def refine(points, tables, starts, width, solved, judged, levels, rtol, missed=None):
    """Refine as :func:`refined` does; return also the values reached without a solution, and where.

    A change above ``rtol`` is rounding where a rule several times finer agrees.  ``missed(level, point, found)`` says
    whether rules step over narrow features, and are not fine enough, however well two agree.
    """
    out, rows = np.full((len(points), width + 1), np.nan), np.arange(len(points))
    found, change = out[:, :-1], np.full(len(points), np.inf if levels > 1 else 0.0)
    firm = np.full(len(points), True)
    for level in range(levels):
        guesses = np.where((found[:, -2] <= 1e-9) & firm, found[:, [*solved, -1]].T, np.nan).T.copy("C")
        guesses[:, -1] *= 0.0
        before, last, found = found, change, np.full(found.shape, np.nan)
        found = solve_points(points[rows], guesses, starts, found, *tables(level))
        if level:
            found[:, -1] += before[:, -1]
            change = relative_change(found[:, judged], before[:, judged])
            size, moved = np.abs(found[:, judged]), np.abs(found[:, judged] - before[:, judged])
            noise = moved <= 1e-15 * np.max(size, axis=1, keepdims=True)
            settled = np.max(np.where(noise, 0.0, moved / (size + 1e-300)), axis=1)
            change = np.where((change > rtol) & (change > 0.1 * last), settled, change)
            size, moved = np.abs(found[:, :-2]), np.abs(found[:, :-2] - before[:, :-2])
            firm = np.all(moved <= 1e-6 * size + 1e-9 * np.max(size, axis=1, keepdims=True), axis=1)
        done = (change <= rtol) | ((change <= 1e-9) & (change > 0.5 * last) & (level > 1))
        done &= (found[:, -2] <= 1e-9) & np.all(np.isfinite(found), axis=1) & firm
        rough = np.flatnonzero(done & (change > rtol))
        done[rough] = False
        if rough.size and level + 4 <= levels:
            near = found[rough][:, [*solved, -1]].copy("C")
            again = solve_points(points[rows[rough]], near * np.append(np.ones(len(solved)), 0.0), starts,
                                 np.full((rough.size, width), np.nan), *tables(level + 4))
            done[rough] = relative_change(again[:, judged], found[rough][:, judged]) <= 1e-9
        for k in np.flatnonzero(done) if missed else ():
            done[k] = not missed(level - 1, points[rows[k]], found[k])
        out[rows] = np.column_stack([found, change])
        rows, found, change, firm = rows[~done], found[~done], change[~done], firm[~done]
        if not rows.size:
            break
    return out, rows


def relative_change(new, old):
    """Return the largest relative change along the last axis."""
    return np.max(np.abs(new - old) / (np.abs(new) + 1e-300), axis=1)


def newton_of_maps(start, in_logarithm, low, high, plain, *inputs):
    """Run Newton's method for maps after plain iteration: x, a number that is 0 if steps became small, their
    number."""
    x, largest, before, stood = start.copy(), np.inf, np.inf, 0
    for k in range(100 + plain):
        residuals, slopes, maps = equations(x, *inputs)
        if k < plain:
            x[:] = maps
            continue
        step, singular = eliminate(slopes, residuals)
        largest, small = 0.0, 0.0
        for i in range(x.size):
            s = (0.5 if in_logarithm[i] else 0.1 + 0.1 * abs(x[i])) if singular else step[i]
            if np.isnan(s):
                return x, np.inf, k + 1
            s = min(max(s, -3.0), 3.0) if in_logarithm[i] else s
            u = x[i] * np.exp(-s) if in_logarithm[i] else x[i] - s
            u = min(max(u, x[i] - 0.9 * (x[i] - low[i])), x[i] + 0.9 * (high[i] - x[i]))
            border = min(abs(u), min(u - low[i], high[i] - u)) + 1e-300
            largest = max(largest, abs(s) * abs(u) / border if in_logarithm[i] else abs(s) / border)
            small = max(small, abs(s) if in_logarithm[i] else abs(s) / (1.0 + abs(u)))
            x[i] = u
        stood, before = stood + 1 if small <= 1e-9 and small >= before else 0, small
        if largest <= 1e-9 or stood >= 2:
            return x, 0.0, k + 1
    return x, largest, k + 1


def eliminate(matrix, rhs):
    """Solve by elimination with scaled pivoting, and tell whether there is no solution because the matrix is singular.

    An equation 0 = 0 leaves its unknown at 0; of a singular matrix all of the solution is 0.
    """
    n = rhs.size
    a, x, singular = np.zeros((n, n + 1)), np.zeros(n), False
    for i in range(n):
        scale = 0.0
        for j in range(n):
            scale += abs(matrix[i, j])
        singular = singular or (scale == 0.0 and rhs[i] != 0.0)
        for j in range(n + 1):
            a[i, j] = (matrix[i, j] if j < n else rhs[i]) / scale if scale != 0.0 else 1.0 if i == j else 0.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            pivot = i if abs(a[i, k]) > abs(a[pivot, k]) else pivot
        if a[pivot, k] == 0.0:
            return x, singular or np.any(rhs != 0.0)
        for j in range(k, n + 1):
            a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
        for i in range(k + 1, n):
            ratio = a[i, k] / a[k, k]
            for j in range(k, n + 1):
                a[i, j] -= ratio * a[k, j]
    for k in range(n - 1, -1, -1):
        x[k] = a[k, n]
        for j in range(k + 1, n):
            x[k] -= a[k, j] * x[j]
        x[k] /= a[k, k]
    return x, singular


def solve_linear(matrix, rhs):
    """Solve a linear block; return the solution and its residual, relative to the terms of each equation."""
    x, _ = eliminate(matrix, rhs)
    size = np.sum(np.abs(matrix * x), axis=1) + np.abs(rhs) + 1e-300
    return x, np.max(np.abs(np.sum(matrix * x, axis=1) - rhs) / size)


class Inner:
    """Averages over z of functionals of z and ``s = function(offset + slope*z)``, for an array of offsets.

    Panels, split at the images of kinks, become finer until two sets of nodes agree.  Where the offset is small the
    shift is in the weight, and the value without shift is kept apart: small means keep their relative accuracy.
    """

    def __init__(self, function, kinks, offset, slope):
        near = (np.abs(offset) <= 0.1 * slope) & (slope > 0.0)
        self.function, self.kinks, self.slope, self.samples = function, kinks, slope, {}
        self.base = np.where(near, 0.0, offset)[:, np.newaxis]
        self.shift = np.where(near, offset / slope, 0.0)[:, np.newaxis]

    def sampled(self, level, cut):
        """Return nodes, weights, values, and the change of the weights by the shift."""
        if (level, cut) not in self.samples:
            edges = np.linspace(-cut, cut, int(2.0 * cut * max(1.0, self.slope) * 1.4**level) + 2)
            if self.kinks and self.slope:
                images = np.clip((np.array(self.kinks) - self.base) / self.slope, -cut, cut)
                edges = np.sort(np.hstack([np.broadcast_to(edges, (images.shape[0], edges.size)), images]))
            z, weights = panels(edges, 16)
            growth = np.expm1(self.shift * z - 0.5 * self.shift**2) if self.shift.any() else 0.0
            self.samples[level, cut] = z, weights, self.function(self.base + self.slope * z), growth
        return self.samples[level, cut]

    def sums(self, functional, floors, level, cut):
        """Return averages, the sizes that errors are measured by, and the largest part of one at the cut-off."""
        z, weights, s, growth = self.sampled(level, cut)
        values, sizes, ends, square = [], [], [0.0], np.max(np.where(np.abs(z) < 3.0, s * s, 0.0), axis=1)
        plain, shifted = functional(z, s), functional(z - self.shift, s)
        for f0, f1, floor in zip(plain, shifted, floors):
            f0, terms = np.broadcast_to(f0, s.shape), weights * np.abs(f1) * (1.0 + growth)
            value = size = np.sum(np.broadcast_to(terms, s.shape), axis=1)
            ends.append(np.max((terms[..., 0] + terms[..., -1]) / (size + 1e-17 * np.sqrt(square) + 1e-300)))
            if f1 is not s and np.all(f1 >= 0.0):     # below the rounding of s a square is nothing
                value = np.where(size <= ROUNDING_OF_MEANS**2 * square, 0.0, size)
                size = np.maximum(size + 0.03 * np.sqrt(size * square), 1e-24 * square)
            else:
                part = np.where(self.base[:, 0] == 0.0, floor, -1.0 if self.slope else ROUNDING_OF_MEANS)
                centre, whole = np.sum(weights * f0, axis=1), np.sum(weights * np.abs(f0), axis=1)
                value = np.where(np.abs(centre) <= part * whole, 0.0, centre)
                if self.shift.any():
                    change = weights * (f1 * growth + (f1 - f0))
                    small = np.sum(np.abs(change), axis=1) + 0.01 * whole
                    size, value = np.where(self.shift[:, 0] == 0.0, size, small), value + np.sum(change, axis=1)
            values.append(value)
            sizes.append(np.where(np.isnan(floor), np.inf, size + 1e-17 * np.sqrt(square) + 1e-300))
        return np.array(values), np.array(sizes), max(ends)

    def __call__(self, functional, floors):
        """Return averages; without offset 0 below the parts ``floors`` of their sizes, and a rough one where that is
        NaN."""
        for cut in CUTS:
            before, _, end = self.sums(functional, floors, 0, cut)
            if end <= 1e-18:
                break
        error = np.inf
        for level in range(1, 8):
            values, sizes, _ = self.sums(functional, floors, level, cut)
            error, last = np.max(np.abs(values - before) / sizes), error
            if error <= 1e-14 or (error <= 1e-12 and error > 0.6 * last):
                return values
            before = values
        raise ValueError(f"averages of {self.function.__name__}: the finest rules differ by {error:.1e} of their size: "
                         "asympkit's precise() has the digits")


def check_direction(weights, mean, size, shift, vanishes):
    """Refuse a mean below its rounding: its direction counts.  One that ``vanishes`` has only that of its shift."""
    size, rounding = weights @ np.abs(mean), weights @ (size * (shift if vanishes else 1.0))
    is_zero = vanishes and size == 0.0 and not np.any(shift)
    if not is_zero and not (size > 1e-145 and 2.0**-51 * rounding <= 1e-9 * size):
        raise ValueError("solve: a mean of which only the direction counts is below the rounding of double precision, "
                         "or too near to it: asympkit's precise() has the digits")


def trapezoid(level):
    """Return the symmetric trapezoidal rule of the standard normal; no frequency is invisible to two levels."""
    step, cut = 0.2788 / 1.4346**level, 9.5 + 0.5 * level
    nodes = step * np.arange(-int(cut / step), int(cut / step) + 1)
    weights = np.exp(-0.5 * nodes * nodes)
    return nodes, weights / weights.sum()


def panels(edges, order):
    """Return Gauss's rule for the standard normal on the panels between edges, the last axis of an array."""
    x, w = GAUSS(order)
    left, half = edges[..., :-1, np.newaxis], 0.5 * np.diff(edges)[..., np.newaxis]
    nodes = left + half * (1.0 + x)
    weights = half * w * np.exp(-0.5 * nodes * nodes) / np.sqrt(2 * np.pi)
    return nodes.reshape(*edges.shape[:-1], -1), weights.reshape(*edges.shape[:-1], -1)


def outer_rule(level, features):
    """Return a rule graded towards narrow features of inner averages (offset at 0, outer slope, inner slope, kinks), if
    any."""
    cut, narrow = 9.5 + 0.5 * level, []
    for offset, slope, inner, kinks in features:
        if inner < 0.2 * np.hypot(slope, inner):
            narrow += [((k - offset) / slope, inner / abs(slope)) for k in kinks or (0.0,)]
    if not narrow:
        return trapezoid(level)
    edges = set(np.linspace(-cut, cut, int(2.0 * cut * 1.2**level) + 1))
    for centre, width in narrow:
        distances = 0.5 ** np.arange(0.0, 2.0 - np.log2(width)) if width else np.zeros(1)
        edges.update([*(centre - distances), centre, *(centre + distances)])
    nodes, weights = panels(np.array(sorted(e for e in edges if -cut <= e <= cut)), 10 + 4 * level)
    return nodes, weights / weights.sum()


def compile_loops():
    """Leave the loops to numba, once; where it is not there, all stays as it is."""
    names = globals()
    try:
        from numba import njit
    except ImportError:
        return
    if not hasattr(names["solve_points"], "py_func"):
        compiled = njit(cache=True, error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
        names.update({name: compiled(names.get(f"{name}_of_one", names[name])) for name in LOOPS})


def each_node(weights):
    """Return places of the nodes of a rule: in numpy all at once, for numba one by one."""
    return (slice(weights.size),)


def each_node_of_one(weights):
    return range(weights.size)


def dot(weights, values):
    """Return weights times values at nodes: in numpy summed over all, for numba of one."""
    return values @ weights


def dot_of_one(weight, value):
    return weight * value


def mp_resolvent(a, b, scale, ratio):
    """Evaluate E 1/(aD+b) under the Marchenko-Pastur law, on the branch without cancellation."""
    x = a * scale
    shifted = b + x * (1.0 - ratio)
    product = 4.0 * ratio * x * b
    root = np.sqrt(shifted * shifted + product)
    if shifted >= 0.0:
        return 2.0 / (shifted + root)
    return 2.0 * (root - shifted) / product
