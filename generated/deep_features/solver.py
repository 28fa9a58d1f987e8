"""Solver of the theory 'deep features'.

Written by asympkit from the symbolic equations; do not edit.  numpy is enough; numba speeds up solve_rows.

Free energy: V0*qhat0/2 + alpha*(-2*Q + noise_variance + rho)/(2*(V2 + 1)) + q0*(-Vhat0 +
Vhat1*kappa1_1**2*width1/(Vhat1*K1 + 1))/2 + q1*(-Vhat1*width1 + Vhat2*kappa1_2**2*width2/(Vhat2*K2 + lam))/2 +
q2*(-Vhat2*width2 + alpha/(V2 + 1))/2 - qhat0*<input_spectrum/(Vhat0*input_spectrum + 1)>/2 - qhat1*(-V1*width1 +
width1*K1/(Vhat1*K1 + 1))/2 - qhat2*(-V2*width2 + width2*K2/(Vhat2*K2 + lam))/2 + width2*(Q*Qhat -
Qhat**2*Vhat0*transmitted*<input_spectrum**2/(Vhat0*input_spectrum + 1)>/(2*Vhat2))

kappa1_1 = E_z[z*tanh(z*sqrt(input_variance))]/sqrt(input_variance)

kappastar2_1 = E_z[(-z*E_z[z*tanh(z*sqrt(input_variance))] + tanh(z*sqrt(input_variance)) -
E_z[tanh(z*sqrt(input_variance))])**2]

variance1 = E_z[(tanh(z*sqrt(input_variance)) - E_z[tanh(z*sqrt(input_variance))])**2]

kappa1_2 = E_z[z*erf(z*sqrt(variance1))]/sqrt(variance1)

kappastar2_2 = E_z[(-z*E_z[z*erf(z*sqrt(variance1))] + erf(z*sqrt(variance1)) - E_z[erf(z*sqrt(variance1))])**2]

variance2 = E_z[(erf(z*sqrt(variance1)) - E_z[erf(z*sqrt(variance1))])**2]

target_kappa1_1 = E_z[z*sign(z)]/sqrt(input_variance)

target_variance1 = E_z[(sign(z) - E_z[sign(z)])**2]

rho = target_variance1

transmitted = target_kappa1_1**2

student1: tanh
student2: erf(z)
target1: sign

where
  K1 = V0*kappa1_1**2 + kappastar2_1
  K2 = V1*kappa1_2**2 + kappastar2_2
  R = -2*Q + noise_variance + q2 + rho
block 1: nonlinear, solved for V0, V1, V2
  V0 = <input_spectrum/(Vhat0*input_spectrum + 1)>
  V1 = K1/(Vhat1*K1 + 1)
  V2 = K2/(Vhat2*K2 + lam)
  Vhat2 = alpha/(width2*(V2 + 1))
  Vhat1 = Vhat2*kappa1_2**2*width2/(width1*(Vhat2*K2 + lam))
  Vhat0 = Vhat1*kappa1_1**2*width1/(Vhat1*K1 + 1)
block 2: explicit
  Qhat = alpha/(width2*(V2 + 1))
block 3: explicit
  Q = Qhat*Vhat0*transmitted*<input_spectrum**2/(Vhat0*input_spectrum + 1)>/Vhat2
block 4: linear, solved for q0, q1, q2
  q0 = qhat0*<input_spectrum**2/(Vhat0*input_spectrum + 1)**2> +
      2*width2*(Qhat**2*Vhat0*transmitted*<input_spectrum**3/(Vhat0*input_spectrum + 1)**2>/(2*Vhat2) -
      Qhat**2*transmitted*<input_spectrum**2/(Vhat0*input_spectrum + 1)>/(2*Vhat2))
  q1 = q0*(-Vhat1*kappa1_1**2*width1*K1/(Vhat1*K1 + 1)**2 + kappa1_1**2*width1/(Vhat1*K1 + 1))/width1 +
      qhat1*K1**2/(Vhat1*K1 + 1)**2
  q2 = Qhat**2*Vhat0*transmitted*<input_spectrum**2/(Vhat0*input_spectrum + 1)>/Vhat2**2 +
      q1*(-Vhat2*kappa1_2**2*width2*K2/(Vhat2*K2 + lam)**2 + kappa1_2**2*width2/(Vhat2*K2 + lam))/width2 +
      qhat2*K2**2/(Vhat2*K2 + lam)**2
  qhat2 = alpha*q2/(width2*(V2 + 1)**2) + alpha*(-2*Q + noise_variance + rho)/(width2*(V2 + 1)**2)
  qhat1 = Vhat2**2*kappa1_2**4*q1*width2/(width1*(Vhat2*K2 + lam)**2) + qhat2*(-Vhat2*kappa1_2**2*width2*K2/(Vhat2*K2
      + lam)**2 + kappa1_2**2*width2/(Vhat2*K2 + lam))/width1
  qhat0 = Vhat1**2*kappa1_1**4*q0*width1/(Vhat1*K1 + 1)**2 + qhat1*(-Vhat1*kappa1_1**2*width1*K1/(Vhat1*K1 + 1)**2 +
      kappa1_1**2*width1/(Vhat1*K1 + 1))
observables
  test_error = R
  clean_error = -noise_variance + R
  train_error = R/(V2 + 1)**2
  objective = (-Q + noise_variance + rho)/(V2 + 1)
  degrees_of_freedom = V2*Vhat2
"""

import functools
import math

import numpy as np

__all__ = ["solve", "solve_rows"]
__version__ = "0.2.0"

#: rounding of double precision, and the error by rounding above which nothing has converged
ROUNDING, LARGEST_ERROR = 2.0**-52, 1e-9
#: part of its size below which an average may be the rounding of zero, and cut-offs of the normal weight
ROUNDING_OF_MEANS, CUTS = 16 * 2.0**-52, (9.5, 13.0, 18.0, 25.0, 37.0)
#: nodes and weights of Gauss's rule on [-1, 1], by their number
GAUSS = functools.cache(np.polynomial.legendre.leggauss)
erf_of_arrays = np.vectorize(math.erf, otypes=[float])
#: arrays that are taken unless others are given
USUAL_INPUT_SPECTRUM = (1.0,)
OUTPUTS = ("V0", "V1", "V2", "Vhat0", "Vhat1", "Vhat2", "q0", "q1", "q2", "Q", "qhat0", "qhat1", "qhat2", "Qhat",
    "test_error", "clean_error", "train_error", "objective", "degrees_of_freedom", "residual", "iterations",
    "error_estimate",)
#: what numba compiles
LOOPS = ("averages_1", "equations", "averages_2", "solve_point", "solve_points", "newton_of_maps", "eliminate",
    "solve_linear", "each_node", "dot",)


def solve(alpha, lam, input_variance=None, input_spectrum=USUAL_INPUT_SPECTRUM, noise_variance=0.0, width1=1.5,
        width2=1.0):
    """Unknowns and observables at one point as a dict, with residual, iterations and error_estimate.

    Parameters
    ----------
    alpha : float
        samples over d
    lam : float
        penalty on the readout
    noise_variance : float
        variance of the label noise
    width1 : float
        units of layer 1 over d
    width2 : float
        units of layer 2 over d
    input_variance : float
        mean of input_spectrum
    input_spectrum : array, optional
    """
    values, shape = solutions(alpha, lam, noise_variance, width1, width2, input_variance, input_spectrum)
    require(shape == (), "solve", f"arrays of shape {shape}", "one point; solve_rows takes arrays")
    if not np.isfinite(values[0, 0]):
        raise ValueError(f"solve: no solution (residual {values[0, -3]:.1e}, change under refinement "
                         f"{values[0, -1]:.1e}): move the parameters, or use asympkit itself")
    return dict(zip(OUTPUTS, map(float, values[0])))


def solve_rows(alpha, lam, input_variance=None, input_spectrum=USUAL_INPUT_SPECTRUM, noise_variance=0.0, width1=1.5,
        width2=1.0):
    """As :func:`solve` for arrays of alpha, lam, noise_variance, width1, width2, broadcast: a dict of arrays, NaN
    where there is no solution.
    """
    values, shape = solutions(alpha, lam, noise_variance, width1, width2, input_variance, input_spectrum)
    return {name: column.reshape(shape) for name, column in zip(OUTPUTS, values.T)}


def student1(x):
    """The student1."""
    return np.tanh(x)


def target1(x):
    """The target1."""
    return np.sign(x)


def student2(x):
    """The student2."""
    return erf_of_arrays(x)


def derived_quantities(alpha, lam, noise_variance, width1, width2, input_variance):
    """Quantities that follow from the parameters."""
    student1_at = Inner(student1, (), np.zeros(1), np.sqrt(input_variance))
    mean, mean_2 = student1_at(lambda z, s: (s*z, s,), (ROUNDING_OF_MEANS, np.inf,))[:, 0]
    target1_at = Inner(target1, (0.0,), np.zeros(1), np.sqrt(input_variance))
    mean_9, mean_10 = target1_at(lambda z, s: (s*z, s,), (ROUNDING_OF_MEANS, np.inf,))[:, 0]
    mean_3, mean_4 = student1_at(lambda z, s: ((-mean*z - mean_2 + s)**2, (-mean_2 + s)**2,),
        (ROUNDING_OF_MEANS, ROUNDING_OF_MEANS,))[:, 0]
    mean_11, = target1_at(lambda z, s: ((-mean_10 + s)**2,), (ROUNDING_OF_MEANS,))[:, 0]
    student2_at = Inner(student2, (), np.zeros(1), np.sqrt(mean_4))
    mean_5, mean_6 = student2_at(lambda z, s: (s*z, s,), (ROUNDING_OF_MEANS, np.inf,))[:, 0]
    mean_7, mean_8 = student2_at(lambda z, s: ((-mean_5*z - mean_6 + s)**2, (-mean_6 + s)**2,),
        (ROUNDING_OF_MEANS, ROUNDING_OF_MEANS,))[:, 0]
    return (mean/np.sqrt(input_variance), mean_3, mean_4, mean_5/np.sqrt(mean_4), mean_7, mean_8,
        mean_9/np.sqrt(input_variance), mean_11, mean_11, mean_9**2/input_variance)


def eigenvalues_table(input_spectrum):
    """Table and weights of the given \ua66einput_spectrum\ua66e."""
    table = np.array([input_spectrum])
    return table, np.full(table.shape[1], 1.0/table.shape[1])


def averages_1(eigenvalues_table, eigenvalues_weights, Vhat0):
    """Averages over input_spectrum."""
    V0_map = E2 = 0.0
    for k in each_node(eigenvalues_weights):
        input_spectrum = eigenvalues_table[0, k]
        inv = 1.0/(Vhat0*input_spectrum + 1)
        V0_map, E2 = (V0_map + dot(eigenvalues_weights[k], input_spectrum*inv), E2 +
            dot(eigenvalues_weights[k], input_spectrum**2*inv**2))
    return V0_map, E2


def equations(x, alpha, lam, width1, width2, kappa1_1, kappastar2_1, kappa1_2, kappastar2_2, eigenvalues_table,
        eigenvalues_weights):
    """Residuals of V0, V1, V2, their derivatives by the solver's variables, and maps."""
    V0, V1, V2 = x[0], x[1], x[2]
    Vhat2 = alpha/(width2*(V2 + 1))
    K2 = V1*kappa1_2**2 + kappastar2_2
    Vhat1 = Vhat2*kappa1_2**2*width2/(width1*(K2*Vhat2 + lam))    # Vhat2*kappa1_2**2*width2/(width1*(Vhat2*K2 + lam))
    K1 = V0*kappa1_1**2 + kappastar2_1
    Vhat0 = Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)    # Vhat1*kappa1_1**2*width1/(Vhat1*K1 + 1)
    dVhat0_dV0 = -Vhat1**2*kappa1_1**4*width1/(K1*Vhat1 + 1)**2
    dVhat1_dV1 = -Vhat2**2*kappa1_2**4*width2/(width1*(K2*Vhat2 + lam)**2)
    dVhat0_dV1 = dVhat1_dV1*(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))
    dVhat2_dV2 = -alpha/(width2*(V2 + 1)**2)
    dVhat1_dV2 = dVhat2_dV2*(-K2*Vhat2*kappa1_2**2*width2/(width1*(K2*Vhat2 + lam)**2) +
        kappa1_2**2*width2/(width1*(K2*Vhat2 + lam)))
    dVhat0_dV2 = dVhat1_dV2*(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))
    V1_map = K1/(K1*Vhat1 + 1)    # K1/(Vhat1*K1 + 1)
    dV1_map_dV0 = -K1*Vhat1*kappa1_1**2/(K1*Vhat1 + 1)**2 + kappa1_1**2/(K1*Vhat1 + 1)
    dV1_map_dV1 = -K1**2*dVhat1_dV1/(K1*Vhat1 + 1)**2
    dV1_map_dV2 = -K1**2*dVhat1_dV2/(K1*Vhat1 + 1)**2
    V2_map = K2/(K2*Vhat2 + lam)    # K2/(Vhat2*K2 + lam)
    dV2_map_dV1 = -K2*Vhat2*kappa1_2**2/(K2*Vhat2 + lam)**2 + kappa1_2**2/(K2*Vhat2 + lam)
    dV2_map_dV2 = -K2**2*dVhat2_dV2/(K2*Vhat2 + lam)**2
    V0_map, E2 = averages_1(eigenvalues_table, eigenvalues_weights, Vhat0)
    dV0_map_dV0 = -E2*dVhat0_dV0
    dV0_map_dV1 = -E2*dVhat0_dV1
    dV0_map_dV2 = -E2*dVhat0_dV2
    residuals, slopes = (np.array((np.log(V0/V0_map), np.log(V1/V1_map), np.log(V2/V2_map),)),
        np.array(((1.0 - dV0_map_dV0*V0/V0_map, 0.0 - dV0_map_dV1*V1/V0_map, 0.0 - dV0_map_dV2*V2/V0_map,),
        (0.0 - dV1_map_dV0*V0/V1_map, 1.0 - dV1_map_dV1*V1/V1_map, 0.0 - dV1_map_dV2*V2/V1_map,),
        (0.0 - 0.0*V0/V2_map, 0.0 - dV2_map_dV1*V1/V2_map, 1.0 - dV2_map_dV2*V2/V2_map,),)))
    return residuals, slopes, np.array((V0_map, V1_map, V2_map,))


def averages_2(eigenvalues_table, eigenvalues_weights, Vhat0):
    """Averages over input_spectrum."""
    V0_map = E2 = E3 = E4 = 0.0
    for k in each_node(eigenvalues_weights):
        input_spectrum = eigenvalues_table[0, k]
        inv = 1.0/(Vhat0*input_spectrum + 1)
        V0_map, E2, E3, E4 = (V0_map + dot(eigenvalues_weights[k], input_spectrum*inv), E2 +
            dot(eigenvalues_weights[k], input_spectrum**2*inv**2), E3 + dot(eigenvalues_weights[k],
            input_spectrum**2*inv), E4 + dot(eigenvalues_weights[k], input_spectrum**3*inv**2))
    return V0_map, E2, E3, E4


def solve_point(p, start, plain, eigenvalues_table, eigenvalues_weights):
    """Unknowns, observables, residual and iterations at one point ``p``, from a start of Newton's method."""
    (alpha, lam, noise_variance, width1, width2, kappa1_1, kappastar2_1, kappa1_2, kappastar2_2, rho) = (p[0], p[1],
        p[2], p[3], p[4], p[6], p[7], p[9], p[10], p[14])
    transmitted = p[15]
    x, V0_V1_V2_moved, steps = newton_of_maps(start[0:3], np.full(3, True), np.full(3, -np.inf), np.full(3, np.inf),
        plain, alpha, lam, width1, width2, kappa1_1, kappastar2_1, kappa1_2, kappastar2_2, eigenvalues_table,
        eigenvalues_weights)
    V0, V1, V2 = x[0], x[1], x[2]
    Vhat2 = alpha/(width2*(V2 + 1))
    K2 = V1*kappa1_2**2 + kappastar2_2
    Vhat1 = Vhat2*kappa1_2**2*width2/(width1*(K2*Vhat2 + lam))    # Vhat2*kappa1_2**2*width2/(width1*(Vhat2*K2 + lam))
    K1 = V0*kappa1_1**2 + kappastar2_1
    Vhat0 = Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)    # Vhat1*kappa1_1**2*width1/(Vhat1*K1 + 1)
    V1_check = K1/(K1*Vhat1 + 1)
    V1_residual = np.abs(np.log(V1_check/V1))
    V2_check = K2/(K2*Vhat2 + lam)
    V2_residual = np.abs(np.log(V2_check/V2))
    dVhat0_dV0_2 = -Vhat1**2*kappa1_1**4*width1/(K1*Vhat1 + 1)**2
    dVhat1_dV1_2 = -Vhat2**2*kappa1_2**4*width2/(width1*(K2*Vhat2 + lam)**2)
    dVhat0_dV1_2 = dVhat1_dV1_2*(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))
    dVhat2_dV2_2 = -alpha/(width2*(V2 + 1)**2)
    dVhat1_dV2_2 = dVhat2_dV2_2*(-K2*Vhat2*kappa1_2**2*width2/(width1*(K2*Vhat2 + lam)**2) +
        kappa1_2**2*width2/(width1*(K2*Vhat2 + lam)))
    dVhat0_dV2_2 = dVhat1_dV2_2*(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))
    slope_V1_V0 = V0*(K1*Vhat1*kappa1_1**2/(K1*Vhat1 + 1)**2 - kappa1_1**2/(K1*Vhat1 + 1))/V1
    slope_V1_V1 = K1**2*dVhat1_dV1_2/(K1*Vhat1 + 1)**2 + 1
    slope_V1_V2 = K1**2*V2*dVhat1_dV2_2/(V1*(K1*Vhat1 + 1)**2)
    slope_V2_V1 = V1*(K2*Vhat2*kappa1_2**2/(K2*Vhat2 + lam)**2 - kappa1_2**2/(K2*Vhat2 + lam))/V2
    slope_V2_V2 = K2**2*dVhat2_dV2_2/(K2*Vhat2 + lam)**2 + 1
    Qhat = alpha/(width2*(V2 + 1))
    dqhat0_dq0 = Vhat1**2*kappa1_1**4*width1/(K1*Vhat1 + 1)**2
    dqhat1_dq1 = Vhat2**2*kappa1_2**4*width2/(width1*(K2*Vhat2 + lam)**2)
    dqhat0_dq1 = dqhat1_dq1*(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))
    dqhat2_dq2 = alpha/(width2*(V2 + 1)**2)
    dqhat1_dq2 = dqhat2_dq2*(-K2*Vhat2*kappa1_2**2*width2/(K2*Vhat2 + lam)**2 +
        kappa1_2**2*width2/(K2*Vhat2 + lam))/width1
    dqhat0_dq2 = dqhat1_dq2*(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))
    A_q1_q0 = -(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))/width1
    A_q1_q1 = -K1**2*dqhat1_dq1/(K1*Vhat1 + 1)**2 + 1
    A_q1_q2 = -K1**2*dqhat1_dq2/(K1*Vhat1 + 1)**2
    A_q2_q1 = -(-K2*Vhat2*kappa1_2**2*width2/(K2*Vhat2 + lam)**2 + kappa1_2**2*width2/(K2*Vhat2 + lam))/width2
    A_q2_q2 = -K2**2*dqhat2_dq2/(K2*Vhat2 + lam)**2 + 1
    size_dqhat0_dq1 = (K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*
        width1/(K1*Vhat1 + 1))*np.abs(dqhat1_dq1)
    size_dqhat1_dq2 = (K2*Vhat2*kappa1_2**2*width2/(K2*Vhat2 + lam)**2 +
        kappa1_2**2*width2/(K2*Vhat2 + lam))*np.abs(dqhat2_dq2)/width1
    size_dqhat0_dq2 = size_dqhat1_dq2*(K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 +
        kappa1_1**2*width1/(K1*Vhat1 + 1))
    size_q1_q0 = (K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))/width1
    size_q1_q1 = K1**2*np.abs(dqhat1_dq1)/(K1*Vhat1 + 1)**2 + 1
    size_q1_q2 = K1**2*size_dqhat1_dq2/(K1*Vhat1 + 1)**2
    size_q2_q1 = (K2*Vhat2*kappa1_2**2*width2/(K2*Vhat2 + lam)**2 + kappa1_2**2*width2/(K2*Vhat2 + lam))/width2
    size_q2_q2 = K2**2*np.abs(dqhat2_dq2)/(K2*Vhat2 + lam)**2 + 1
    zero = 0
    one = 1
    degrees_of_freedom = V2*Vhat2
    V0_map, E2, E3, E4 = averages_2(eigenvalues_table, eigenvalues_weights, Vhat0)
    V0_residual = np.abs(np.log(V0_map/V0))
    slope_V0_V0 = E2*dVhat0_dV0_2 + 1
    slope_V0_V1 = E2*V1*dVhat0_dV1_2/V0
    slope_V0_V2 = E2*V2*dVhat0_dV2_2/V0
    x, V0_V1_V2_rounding_residual = solve_linear(np.array(((slope_V0_V0, slope_V0_V1, slope_V0_V2,),
        (slope_V1_V0, slope_V1_V1, slope_V1_V2,), (0.0, slope_V2_V1, slope_V2_V2,),)),
        np.array((ROUNDING, ROUNDING, ROUNDING,)))
    V0_rounding, V1_rounding, V2_rounding = x[0], x[1], x[2]
    V0_V1_V2_error = np.maximum(np.maximum(np.abs(V0_rounding), np.abs(V1_rounding)), np.abs(V2_rounding))
    uncertain = V0_V1_V2_error*(V0_V1_V2_error > 0.1)
    inaccurate = 1e+289*(LARGEST_ERROR < V0_V1_V2_error)
    Q = E3*Qhat*Vhat0*transmitted/Vhat2
    qhat2_0 = alpha*(-2*Q + noise_variance + rho)/(width2*(V2 + 1)**2)
    qhat1_0 = qhat2_0*(-K2*Vhat2*kappa1_2**2*width2/(K2*Vhat2 + lam)**2 + kappa1_2**2*width2/(K2*Vhat2 + lam))/width1
    qhat0_0 = qhat1_0*(-K1*Vhat1*kappa1_1**2*width1/(K1*Vhat1 + 1)**2 + kappa1_1**2*width1/(K1*Vhat1 + 1))
    A_q0_q0 = -E2*dqhat0_dq0 + 1
    A_q0_q1 = -E2*dqhat0_dq1
    A_q0_q2 = -E2*dqhat0_dq2
    b_q0 = E2*qhat0_0 + 2*width2*(-0.5*E3*Qhat**2*transmitted/Vhat2 + (0.5)*E4*Qhat**2*Vhat0*transmitted/Vhat2)
    b_q1 = K1**2*qhat1_0/(K1*Vhat1 + 1)**2
    b_q2 = E3*Qhat**2*Vhat0*transmitted/Vhat2**2 + K2**2*qhat2_0/(K2*Vhat2 + lam)**2
    size_q0_q0 = E2*np.abs(dqhat0_dq0) + 1
    size_q0_q1 = E2*size_dqhat0_dq1
    size_q0_q2 = E2*size_dqhat0_dq2
    x, q0_q1_q2_residual = solve_linear(np.array(((A_q0_q0, A_q0_q1, A_q0_q2,), (A_q1_q0, A_q1_q1, A_q1_q2,),
        (0.0, A_q2_q1, A_q2_q2,),)), np.array((b_q0, b_q1, b_q2,)))
    q0, q1, q2 = x[0], x[1], x[2]
    qhat2 = dqhat2_dq2*q2 + qhat2_0
    qhat1 = dqhat1_dq1*q1 + dqhat1_dq2*q2 + qhat1_0
    qhat0 = dqhat0_dq0*q0 + dqhat0_dq1*q1 + dqhat0_dq2*q2 + qhat0_0
    x, inverse_q0_residual = solve_linear(np.array(((A_q0_q0, A_q0_q1, A_q0_q2,), (A_q1_q0, A_q1_q1, A_q1_q2,),
        (0.0, A_q2_q1, A_q2_q2,),)), np.array((one, zero, zero,)))
    inverse_q0_q0, inverse_q1_q0, inverse_q2_q0 = x[0], x[1], x[2]
    x, inverse_q1_residual = solve_linear(np.array(((A_q0_q0, A_q0_q1, A_q0_q2,), (A_q1_q0, A_q1_q1, A_q1_q2,),
        (0.0, A_q2_q1, A_q2_q2,),)), np.array((zero, one, zero,)))
    inverse_q0_q1, inverse_q1_q1, inverse_q2_q1 = x[0], x[1], x[2]
    x, inverse_q2_residual = solve_linear(np.array(((A_q0_q0, A_q0_q1, A_q0_q2,), (A_q1_q0, A_q1_q1, A_q1_q2,),
        (0.0, A_q2_q1, A_q2_q2,),)), np.array((zero, zero, one,)))
    inverse_q0_q2, inverse_q1_q2, inverse_q2_q2 = x[0], x[1], x[2]
    q0_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_q0_q0*np.abs(inverse_q0_q0) +
        size_q1_q0*np.abs(inverse_q0_q1)))
    q1_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_q0_q1*np.abs(inverse_q1_q0) +
        size_q1_q1*np.abs(inverse_q1_q1) + size_q2_q1*np.abs(inverse_q1_q2)))
    q2_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_q0_q2*np.abs(inverse_q2_q0) +
        size_q1_q2*np.abs(inverse_q2_q1) + size_q2_q2*np.abs(inverse_q2_q2)))
    R = -2*Q + noise_variance + q2 + rho
    test_error = R
    clean_error = R - noise_variance    # -noise_variance + R
    train_error = R/(V2 + 1)**2
    objective = (-Q + noise_variance + rho)/(V2 + 1)
    error_R = noise_variance + rho + 2*np.abs(Q) + np.abs(q2)
    lost = 1e+289*(ROUNDING*error_R > LARGEST_ERROR*np.maximum(1, np.abs(test_error)))
    error_2 = error_R + noise_variance
    lost_2 = 1e+289*(ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, np.abs(clean_error)))
    error_3 = error_R/(V2 + 1)**2
    lost_3 = 1e+289*(ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(train_error)))
    error_4 = (noise_variance + rho + np.abs(Q))/(V2 + 1)
    lost_4 = 1e+289*(ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(objective)))
    q0_q1_q2_dependent = 1e+290*((((A_q0_q0 != 0) | (A_q0_q1 != 0) | (A_q0_q2 != 0)) & (inverse_q0_residual > 0.001)) |
        (((A_q1_q0 != 0) | (A_q1_q1 != 0) | (A_q1_q2 != 0)) & (inverse_q1_residual > 0.001)) |
        (((A_q2_q1 != 0) | (A_q2_q2 != 0)) & (inverse_q2_residual > 0.001)) |
        ((A_q2_q1 == 0) & (A_q2_q2 == 0) & ((A_q0_q2 != 0) | (A_q1_q2 != 0) | (dqhat0_dq2 != 0) | (dqhat1_dq2 != 0) |
        (dqhat2_dq2 != 0))) | ((A_q0_q0 == 0) & (A_q0_q1 == 0) & (A_q0_q2 == 0) & ((A_q1_q0 != 0) | (dqhat0_dq0 != 0)))
        | ((A_q1_q0 == 0) & (A_q1_q1 == 0) & (A_q1_q2 == 0) & ((A_q0_q1 != 0) | (A_q2_q1 != 0) | (dqhat0_dq1 != 0) |
        (dqhat1_dq1 != 0))) | (q0_singular > 1e+100) | (q1_singular > 1e+100) | (q2_singular > 1e+100))
    residual = np.max(np.array((V0_V1_V2_moved, V0_V1_V2_rounding_residual, V0_residual, V1_residual, V2_residual,
        q0_q1_q2_dependent, q0_q1_q2_residual, q0_singular, q1_singular, q2_singular, uncertain)))
    inaccurate_2 = np.max(np.array((inaccurate, lost, lost_2, lost_3, lost_4)))
    few_digits = inaccurate_2*(LARGEST_ERROR >= residual)
    residual_2 = np.maximum(few_digits, residual)
    residual_2 = residual_2 if Vhat0 > 0.0 and Vhat1 > 0.0 and Vhat2 > 0.0 else np.inf
    return np.array((V0, V1, V2, Vhat0, Vhat1, Vhat2, q0, q1, q2, Q, qhat0, qhat1, qhat2, Qhat, test_error,
        clean_error, train_error, objective, degrees_of_freedom, residual_2, float(steps),))


def solutions(alpha, lam, noise_variance, width1, width2, input_variance, input_spectrum):
    """Rows of outputs and error estimates, and the shape of all points."""
    input_spectrum = np.atleast_1d(np.asarray(input_spectrum, dtype=float))
    require(input_spectrum.ndim == 1 and input_spectrum.size > 0 and np.all(np.isfinite(input_spectrum)) and
        np.all(input_spectrum >= 0.0), "input_spectrum", input_spectrum,
        "a non-empty one-dimensional array of finite >= 0 numbers")
    input_variance = float(np.mean(input_spectrum)) if input_variance is None else input_variance
    alpha, lam, noise_variance, width1, width2 = (np.asarray(x, dtype=float) for x in
        (alpha, lam, noise_variance, width1, width2))
    require((alpha > 0.0) & (alpha < np.inf), "alpha", alpha, "a positive finite number")
    require((lam > 0.0) & (lam < np.inf), "lam", lam, "a positive finite number")
    require((noise_variance >= 0.0) & (noise_variance < np.inf), "noise_variance", noise_variance,
        "a finite number >= 0")
    require((width1 > 0.0) & (width1 < np.inf), "width1", width1, "a positive finite number")
    require((width2 > 0.0) & (width2 < np.inf), "width2", width2, "a positive finite number")
    require(np.ndim(input_variance) == 0 and 0.0 < input_variance < np.inf and
        abs(input_variance - np.mean(input_spectrum)) <= 1e-9*input_variance, "input_variance", input_variance,
        "a positive finite number, the mean of input_spectrum")
    with np.errstate(all="ignore"):
        (kappa1_1, kappastar2_1, variance1, kappa1_2, kappastar2_2, variance2, target_kappa1_1, target_variance1, rho,
            transmitted) = derived_quantities(alpha, lam, noise_variance, width1, width2, input_variance)
        arrays = np.broadcast_arrays(alpha, lam, noise_variance, width1, width2, input_variance, kappa1_1,
            kappastar2_1, variance1, kappa1_2, kappastar2_2, variance2, target_kappa1_1, target_variance1, rho,
            transmitted)
        points = np.array([np.ravel(a) for a in arrays], dtype=float).T.copy()
        if len(points) >= 100:
            compile_loops()
        starts = np.array([[1.0, 1.0, 1.0, 2.0], [1.0, 1.0, 1.0, 40.0], [0.1, 0.1, 0.1, 2.0], [10.0, 10.0, 10.0, 2.0],
            [0.01, 0.01, 0.01, 2.0], [100.0, 100.0, 100.0, 2.0], [0.001, 0.001, 0.001, 2.0], [0.1, 10.0, 0.01, 2.0],
            [10.0, 0.01, 100.0, 2.0], [0.01, 100.0, 0.001, 2.0], [100.0, 0.001, 0.1, 2.0], [0.001, 0.1, 10.0, 2.0],
            [0.1, 0.1, 0.1, 40.0], [10.0, 10.0, 10.0, 40.0], [0.01, 0.01, 0.01, 40.0], [100.0, 100.0, 100.0, 40.0],
            [0.001, 0.001, 0.001, 40.0], [0.1, 10.0, 0.01, 40.0], [10.0, 0.01, 100.0, 40.0],
            [0.01, 100.0, 0.001, 40.0], [100.0, 0.001, 0.1, 40.0], [0.001, 0.1, 10.0, 40.0]])
        return (refined(points, lambda level: eigenvalues_table(input_spectrum), starts, 21, [0, 1, 2],
            [0, 1, 2, 14, 15, 16, 17, 18], 1, 1e-9), arrays[0].shape)


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


def panels(edges, order):
    """Return Gauss's rule for the standard normal on the panels between edges, the last axis of an array."""
    x, w = GAUSS(order)
    left, half = edges[..., :-1, np.newaxis], 0.5 * np.diff(edges)[..., np.newaxis]
    nodes = left + half * (1.0 + x)
    weights = half * w * np.exp(-0.5 * nodes * nodes) / np.sqrt(2 * np.pi)
    return nodes.reshape(*edges.shape[:-1], -1), weights.reshape(*edges.shape[:-1], -1)


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
