"""Nonlinear spikes after a gradient step, finite step size (arXiv 2310.07891).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: chi, zeta, m1, m2, h1, h2, h3, h4, h5, h6, h7, h8, dchi, dzeta, dm1, dm2, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8.
Parameters: phi, psi, lam, noise_variance, eta, n, linear, nonlinear, target_linear, target_rest, kept, gaussian, free, radial, strength_1, strength_2, strength_3, strength_4, strength_5, strength_6, strength_7, strength_8, target_2, target_3, target_4, target_5, target_6, target_7, target_8, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_3_3, inverse_3_5, inverse_3_7, inverse_4_4, inverse_4_6, inverse_4_8, inverse_5_5, inverse_5_7, inverse_6_6, inverse_6_8, inverse_7_7, inverse_8_8, mean_2, mean_4, mean_6, mean_8, mean_share.
Observables: train_error, test_error, baseline_train, baseline_test, train_gap, test_gap.
"""


import math

import numpy as np

from asympkit.runtime.compiled import compiled, in_parallel, prange
from asympkit.runtime.continued import DIFFERENCES, limited, remember
from asympkit.runtime.linear import factor_linear_n, solve_factored_n, solve_linear_1, solve_linear_batch, solve_many_factored_n
from asympkit.runtime.newton import newton_batch
from asympkit.runtime.tables import stack_matrix, stack_vector


ROUNDING = 2.0**-52
LARGEST_ERROR = 1e-9
PARAMETERS = ("phi", "psi", "lam", "noise_variance", "eta", "n", "linear", "nonlinear", "target_linear", "target_rest", "kept", "gaussian", "free", "radial", "strength_1", "strength_2", "strength_3", "strength_4", "strength_5", "strength_6", "strength_7", "strength_8", "target_2", "target_3", "target_4", "target_5", "target_6", "target_7", "target_8", "inverse_1_1", "inverse_1_3", "inverse_1_5", "inverse_1_7", "inverse_2_2", "inverse_2_4", "inverse_2_6", "inverse_2_8", "inverse_3_3", "inverse_3_5", "inverse_3_7", "inverse_4_4", "inverse_4_6", "inverse_4_8", "inverse_5_5", "inverse_5_7", "inverse_6_6", "inverse_6_8", "inverse_7_7", "inverse_8_8", "mean_2", "mean_4", "mean_6", "mean_8", "mean_share",)
TABLE_PARAMETERS = ()
UNKNOWNS = ("chi", "zeta", "m1", "m2", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "dchi", "dzeta", "dm1", "dm2", "dh1", "dh2", "dh3", "dh4", "dh5", "dh6", "dh7", "dh8",)
TORN = ("chi",)
OBSERVABLES = ("train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap",)
OUTPUTS = ("chi", "zeta", "m1", "m2", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "dchi", "dzeta", "dm1", "dm2", "dh1", "dh2", "dh3", "dh4", "dh5", "dh6", "dh7", "dh8", "train_error", "test_error", "baseline_train", "baseline_test", "train_gap", "test_gap", "residual", "iterations",)
ACTIVATIONS = ()
GRIDS = ()
#: whether the form of the equations proves that they have one positive solution at most
UNIQUE = True


@compiled
def solve_point(phi, psi, lam, noise_variance, eta, n, linear, nonlinear, target_linear, target_rest, kept, gaussian, free, radial, strength_1, strength_2, strength_3, strength_4, strength_5, strength_6, strength_7, strength_8, target_2, target_3, target_4, target_5, target_6, target_7, target_8, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_3_3, inverse_3_5, inverse_3_7, inverse_4_4, inverse_4_6, inverse_4_8, inverse_5_5, inverse_5_7, inverse_6_6, inverse_6_8, inverse_7_7, inverse_8_8, mean_2, mean_4, mean_6, mean_8, mean_share, chi_start, plain, tolerance, max_steps):
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
        # zeta = linear*ratio + nonlinear + share
        zeta = linear*ratio + nonlinear + share
        dzeta_dchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
        # chi = 2/(zeta*(distance + kappa + 1))
        chi_map = 2/(zeta*(distance + kappa + 1))
        dchi_map_dchi = -2*dzeta_dchi/((zeta*zeta)*(distance + kappa + 1))
        iterations += 1.0
        if step < plain:
            chi = chi_map
            continue
        g0 = math.log(chi/chi_map)
        J00 = 1.0 - dchi_map_dchi*chi/chi_map
        delta0, missed = solve_linear_1(J00, g0)
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
    # zeta = linear*ratio + nonlinear + share
    zeta = linear*ratio + nonlinear + share
    chi_check = 2/(zeta*(distance + kappa + 1))
    chi_residual = abs(math.log(chi_check/chi))
    dzeta_dchi_2 = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    slope_chi_chi = 2*dzeta_dchi_2/((zeta*zeta)*(distance + kappa + 1)) + 1
    chi_error = ROUNDING/(abs(slope_chi_chi) + 1e-300)
    uncertain = (chi_error if (chi_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < chi_error) else 0)
    excess = max(0, surplus)
    # m1 = 1/(kappa*share + excess/chi)
    m1 = (1.0/(kappa*share + excess/chi))
    mtilde = chi*kappa*share + excess
    # m2 = 1/(linear*mtilde/phi + kappa*share + excess/chi)
    m2 = (1.0/(kappa*share + linear*mtilde/phi + excess/chi))
    length = kept*(linear + phi*(linear + nonlinear)) + phi*(noise_variance + (target_linear*target_linear) + target_rest) + (target_linear*target_linear)
    theta1 = eta*math.sqrt(length)*strength_1
    scale1 = (1.0/math.sqrt((theta1*theta1) + 1))
    weight1 = scale1*theta1
    along1 = weight1/math.sqrt(length)
    size = chi*kappa
    drag = kept*linear*ratio*size
    first = ratio*(-drag*linear/length + 1)
    M11 = (along1*along1)*(drag*drag) - 2*along1*drag*scale1 + first*size*(weight1*weight1) + inverse_1_1*(scale1*scale1)
    A_h1_h1 = M11
    theta3 = (eta*eta*eta)*(length)**(1.5)*psi*strength_3/(n*phi)
    scale3 = (1.0/math.sqrt((theta3*theta3) + 1))
    weight3 = scale3*theta3
    along3 = 3*weight3/math.sqrt(length)
    M13 = along1*along3*(drag*drag) - along3*drag*scale1 + 3*first*size*weight1*weight3 + inverse_1_3*scale1*scale3
    A_h1_h3 = M13
    theta5 = (eta)**(5)*(length)**(2.5)*(psi*psi)*strength_5/((n*n)*(phi*phi))
    scale5 = (1.0/math.sqrt((theta5*theta5) + 1))
    weight5 = scale5*theta5
    along5 = 15*weight5/math.sqrt(length)
    M15 = along1*along5*(drag*drag) - along5*drag*scale1 + 15*first*size*weight1*weight5 + inverse_1_5*scale1*scale5
    A_h1_h5 = M15
    theta7 = (eta)**(7)*(length)**(3.5)*(psi*psi*psi)*strength_7/((n*n*n)*(phi*phi*phi))
    scale7 = (1.0/math.sqrt((theta7*theta7) + 1))
    weight7 = scale7*theta7
    along7 = 105*weight7/math.sqrt(length)
    M17 = along1*along7*(drag*drag) - along7*drag*scale1 + 105*first*size*weight1*weight7 + inverse_1_7*scale1*scale7
    A_h1_h7 = M17
    signal1 = ratio*(target_linear*target_linear)*weight1/math.sqrt(length)
    b_h1 = signal1*size
    A_h3_h1 = M13
    M33 = (along3*along3)*(drag*drag) + inverse_3_3*(scale3*scale3) + size*(weight3*weight3)*(9*first + 6)
    A_h3_h3 = M33
    M35 = along3*along5*(drag*drag) + inverse_3_5*scale3*scale5 + size*weight3*weight5*(45*first + 60)
    A_h3_h5 = M35
    M37 = along3*along7*(drag*drag) + inverse_3_7*scale3*scale7 + size*weight3*weight7*(315*first + 630)
    A_h3_h7 = M37
    signal3 = weight3*(3*ratio*(target_linear*target_linear)/math.sqrt(length) + 6*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5))
    b_h3 = signal3*size
    A_h5_h1 = M15
    A_h5_h3 = M35
    M55 = (along5*along5)*(drag*drag) + inverse_5_5*(scale5*scale5) + size*(weight5*weight5)*(225*first + 720)
    A_h5_h5 = M55
    M57 = along5*along7*(drag*drag) + inverse_5_7*scale5*scale7 + size*weight5*weight7*(1575*first + 8820)
    A_h5_h7 = M57
    signal5 = weight5*(15*ratio*(target_linear*target_linear)/math.sqrt(length) + 60*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5) + 120*target_5*(target_linear)**(5)/(length)**(2.5))
    b_h5 = signal5*size
    A_h7_h1 = M17
    A_h7_h3 = M37
    A_h7_h5 = M57
    M77 = (along7*along7)*(drag*drag) + inverse_7_7*(scale7*scale7) + size*(weight7*weight7)*(11025*first + 124110)
    A_h7_h7 = M77
    signal7 = weight7*(105*ratio*(target_linear*target_linear)/math.sqrt(length) + 630*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5) + 2520*target_5*(target_linear)**(5)/(length)**(2.5) + 5040*target_7*(target_linear)**(7)/(length)**(3.5))
    b_h7 = signal7*size
    size_h1_h1 = (drag*drag)*(eta*eta)*(scale1*scale1)*(strength_1*strength_1) + 2*drag*eta*(scale1*scale1)*abs(strength_1) + ratio*size*(weight1*weight1)*(drag*linear/length + 1) + (scale1*scale1)*abs(inverse_1_1)
    size_h1_h3 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*abs(strength_1)*abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_3)/(n*phi) + scale1*scale3*abs(inverse_1_3)
    size_h1_h5 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*abs(inverse_1_5)
    size_h1_h7 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*abs(inverse_1_7)
    size_h3_h1 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*abs(strength_1)*abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_3)/(n*phi) + scale1*scale3*abs(inverse_1_3)
    size_h3_h3 = 9*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*(scale3*scale3)*(strength_3*strength_3)/((n*n)*(phi*phi)) + (scale3*scale3)*abs(inverse_3_3) + size*(weight3*weight3)*(9*ratio*(drag*linear/length + 1) + 6)
    size_h3_h5 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*abs(inverse_3_5)
    size_h3_h7 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*abs(inverse_3_7)
    size_h5_h1 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*abs(inverse_1_5)
    size_h5_h3 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*abs(inverse_3_5)
    size_h5_h5 = 225*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*(scale5*scale5)*(strength_5*strength_5)/((n*n*n*n)*(phi*phi*phi*phi)) + (scale5*scale5)*abs(inverse_5_5) + size*(weight5*weight5)*(225*ratio*(drag*linear/length + 1) + 720)
    size_h5_h7 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*abs(inverse_5_7)
    size_h7_h1 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*abs(inverse_1_7)
    size_h7_h3 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*abs(inverse_3_7)
    size_h7_h5 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*abs(inverse_5_7)
    size_h7_h7 = 11025*(drag*drag)*(eta)**(14)*(length)**(6)*(psi)**(6)*(scale7*scale7)*(strength_7*strength_7)/((n)**(6)*(phi)**(6)) + (scale7*scale7)*abs(inverse_7_7) + size*(weight7*weight7)*(11025*ratio*(drag*linear/length + 1) + 124110)
    # linear block for h1, h3, h5, h7
    matrix_0_ = np.array(((A_h1_h1, A_h1_h3, A_h1_h5, A_h1_h7), (A_h3_h1, A_h3_h3, A_h3_h5, A_h3_h7), (A_h5_h1, A_h5_h3, A_h5_h5, A_h5_h7), (A_h7_h1, A_h7_h3, A_h7_h5, A_h7_h7)))
    factors_0_, order_0_ = factor_linear_n(matrix_0_)
    solution, h1_h3_h5_h7_residual = solve_factored_n(matrix_0_, factors_0_, order_0_, np.array((b_h1, b_h3, b_h5, b_h7)))
    h1 = solution[0]
    h3 = solution[1]
    h5 = solution[2]
    h7 = solution[3]
    zero = 0
    one = 1
    # linear blocks for inverse_h1_h1, inverse_h3_h1, inverse_h5_h1, inverse_h7_h1; inverse_h1_h3, inverse_h3_h3, inverse_h5_h3, inverse_h7_h3; inverse_h1_h5, inverse_h3_h5, inverse_h5_h5, inverse_h7_h5; inverse_h1_h7, inverse_h3_h7, inverse_h5_h7, inverse_h7_h7
    solution, missed = solve_many_factored_n(matrix_0_, factors_0_, order_0_, np.array(((one, zero, zero, zero), (zero, one, zero, zero), (zero, zero, one, zero), (zero, zero, zero, one))))
    inverse_h1_h1 = solution[0, 0]
    inverse_h3_h1 = solution[1, 0]
    inverse_h5_h1 = solution[2, 0]
    inverse_h7_h1 = solution[3, 0]
    inverse_h1_residual = missed[0]
    inverse_h1_h3 = solution[0, 1]
    inverse_h3_h3 = solution[1, 1]
    inverse_h5_h3 = solution[2, 1]
    inverse_h7_h3 = solution[3, 1]
    inverse_h3_residual = missed[1]
    inverse_h1_h5 = solution[0, 2]
    inverse_h3_h5 = solution[1, 2]
    inverse_h5_h5 = solution[2, 2]
    inverse_h7_h5 = solution[3, 2]
    inverse_h5_residual = missed[2]
    inverse_h1_h7 = solution[0, 3]
    inverse_h3_h7 = solution[1, 3]
    inverse_h5_h7 = solution[2, 3]
    inverse_h7_h7 = solution[3, 3]
    inverse_h7_residual = missed[3]
    h1_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h1*abs(inverse_h1_h1) + size_h3_h1*abs(inverse_h1_h3) + size_h5_h1*abs(inverse_h1_h5) + size_h7_h1*abs(inverse_h1_h7)))
    h3_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h3*abs(inverse_h3_h1) + size_h3_h3*abs(inverse_h3_h3) + size_h5_h3*abs(inverse_h3_h5) + size_h7_h3*abs(inverse_h3_h7)))
    h5_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h5*abs(inverse_h5_h1) + size_h3_h5*abs(inverse_h5_h3) + size_h5_h5*abs(inverse_h5_h5) + size_h7_h5*abs(inverse_h5_h7)))
    h7_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h7*abs(inverse_h7_h1) + size_h3_h7*abs(inverse_h7_h3) + size_h5_h7*abs(inverse_h7_h5) + size_h7_h7*abs(inverse_h7_h7)))
    theta2 = (eta*eta)*length*math.sqrt(psi)*strength_2/(math.sqrt(n)*math.sqrt(phi))
    scale2 = (1.0/math.sqrt((theta2*theta2) + 1))
    spread = chi*radial/phi
    lost = spread/(-mean_share*spread + spread + 1)
    weight2 = scale2*theta2
    level = (1 - free)/(gaussian*spread + 1)
    M22 = (scale2*scale2)*(inverse_2_2 + lost*(mean_2*mean_2)) + size*(weight2*weight2)*(level + 2)
    A_h2_h2 = M22
    theta4 = (eta*eta*eta*eta)*(length*length)*(psi)**(1.5)*strength_4/((n)**(1.5)*(phi)**(1.5))
    scale4 = (1.0/math.sqrt((theta4*theta4) + 1))
    weight4 = scale4*theta4
    M24 = scale2*scale4*(inverse_2_4 + lost*mean_2*mean_4) + size*weight2*weight4*(3*level + 12)
    A_h2_h4 = M24
    theta6 = (eta)**(6)*(length*length*length)*(psi)**(2.5)*strength_6/((n)**(2.5)*(phi)**(2.5))
    scale6 = (1.0/math.sqrt((theta6*theta6) + 1))
    weight6 = scale6*theta6
    M26 = scale2*scale6*(inverse_2_6 + lost*mean_2*mean_6) + size*weight2*weight6*(15*level + 90)
    A_h2_h6 = M26
    theta8 = (eta)**(8)*(length*length*length*length)*(psi)**(3.5)*strength_8/((n)**(3.5)*(phi)**(3.5))
    scale8 = (1.0/math.sqrt((theta8*theta8) + 1))
    weight8 = scale8*theta8
    M28 = scale2*scale8*(inverse_2_8 + lost*mean_2*mean_8) + size*weight2*weight8*(105*level + 840)
    A_h2_h8 = M28
    signal2 = 2*target_2*(target_linear*target_linear)*weight2/length
    b_h2 = signal2*size
    A_h4_h2 = M24
    M44 = (scale4*scale4)*(inverse_4_4 + lost*(mean_4*mean_4)) + size*(weight4*weight4)*(9*level + 96)
    A_h4_h4 = M44
    M46 = scale4*scale6*(inverse_4_6 + lost*mean_4*mean_6) + size*weight4*weight6*(45*level + 900)
    A_h4_h6 = M46
    M48 = scale4*scale8*(inverse_4_8 + lost*mean_4*mean_8) + size*weight4*weight8*(315*level + 10080)
    A_h4_h8 = M48
    signal4 = weight4*(12*target_2*(target_linear*target_linear)/length + 24*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length))
    b_h4 = signal4*size
    A_h6_h2 = M26
    A_h6_h4 = M46
    M66 = (scale6*scale6)*(inverse_6_6 + lost*(mean_6*mean_6)) + size*(weight6*weight6)*(225*level + 10170)
    A_h6_h6 = M66
    M68 = scale6*scale8*(inverse_6_8 + lost*mean_6*mean_8) + size*weight6*weight8*(1575*level + 133560)
    A_h6_h8 = M68
    signal6 = weight6*(90*target_2*(target_linear*target_linear)/length + 360*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length) + 720*target_6*(target_linear)**(6)/(length*length*length))
    b_h6 = signal6*size
    A_h8_h2 = M28
    A_h8_h4 = M48
    A_h8_h6 = M68
    M88 = (scale8*scale8)*(inverse_8_8 + lost*(mean_8*mean_8)) + size*(weight8*weight8)*(11025*level + 2016000)
    A_h8_h8 = M88
    signal8 = weight8*(840*target_2*(target_linear*target_linear)/length + 5040*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length) + 20160*target_6*(target_linear)**(6)/(length*length*length) + 40320*target_8*(target_linear)**(8)/(length*length*length*length))
    b_h8 = signal8*size
    size_h2_h2 = (scale2*scale2)*((mean_2*mean_2)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_2_2)) + size*(weight2*weight2)*((free + 1)/(gaussian*spread + 1) + 2)
    size_h2_h4 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*abs(strength_2)*abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*abs(mean_2)*abs(mean_4)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_4))
    size_h2_h6 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*abs(strength_2)*abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*abs(mean_2)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_6))
    size_h2_h8 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*abs(strength_2)*abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*abs(mean_2)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_8))
    size_h4_h2 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*abs(strength_2)*abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*abs(mean_2)*abs(mean_4)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_4))
    size_h4_h4 = (scale4*scale4)*((mean_4*mean_4)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_4_4)) + size*(weight4*weight4)*(9*(free + 1)/(gaussian*spread + 1) + 96)
    size_h4_h6 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*abs(strength_4)*abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*abs(mean_4)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_6))
    size_h4_h8 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*abs(strength_4)*abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*abs(mean_4)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_8))
    size_h6_h2 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*abs(strength_2)*abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*abs(mean_2)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_6))
    size_h6_h4 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*abs(strength_4)*abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*abs(mean_4)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_6))
    size_h6_h6 = (scale6*scale6)*((mean_6*mean_6)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_6_6)) + size*(weight6*weight6)*(225*(free + 1)/(gaussian*spread + 1) + 10170)
    size_h6_h8 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*abs(strength_6)*abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*abs(mean_6)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_6_8))
    size_h8_h2 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*abs(strength_2)*abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*abs(mean_2)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_8))
    size_h8_h4 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*abs(strength_4)*abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*abs(mean_4)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_8))
    size_h8_h6 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*abs(strength_6)*abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*abs(mean_6)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_6_8))
    size_h8_h8 = (scale8*scale8)*((mean_8*mean_8)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_8_8)) + size*(weight8*weight8)*(11025*(free + 1)/(gaussian*spread + 1) + 2016000)
    # linear block for h2, h4, h6, h8
    matrix_1_ = np.array(((A_h2_h2, A_h2_h4, A_h2_h6, A_h2_h8), (A_h4_h2, A_h4_h4, A_h4_h6, A_h4_h8), (A_h6_h2, A_h6_h4, A_h6_h6, A_h6_h8), (A_h8_h2, A_h8_h4, A_h8_h6, A_h8_h8)))
    factors_1_, order_1_ = factor_linear_n(matrix_1_)
    solution, h2_h4_h6_h8_residual = solve_factored_n(matrix_1_, factors_1_, order_1_, np.array((b_h2, b_h4, b_h6, b_h8)))
    h2 = solution[0]
    h4 = solution[1]
    h6 = solution[2]
    h8 = solution[3]
    zero_2 = 0
    one_2 = 1
    # linear blocks for inverse_h2_h2, inverse_h4_h2, inverse_h6_h2, inverse_h8_h2; inverse_h2_h4, inverse_h4_h4, inverse_h6_h4, inverse_h8_h4; inverse_h2_h6, inverse_h4_h6, inverse_h6_h6, inverse_h8_h6; inverse_h2_h8, inverse_h4_h8, inverse_h6_h8, inverse_h8_h8
    solution, missed = solve_many_factored_n(matrix_1_, factors_1_, order_1_, np.array(((one_2, zero_2, zero_2, zero_2), (zero_2, one_2, zero_2, zero_2), (zero_2, zero_2, one_2, zero_2), (zero_2, zero_2, zero_2, one_2))))
    inverse_h2_h2 = solution[0, 0]
    inverse_h4_h2 = solution[1, 0]
    inverse_h6_h2 = solution[2, 0]
    inverse_h8_h2 = solution[3, 0]
    inverse_h2_residual = missed[0]
    inverse_h2_h4 = solution[0, 1]
    inverse_h4_h4 = solution[1, 1]
    inverse_h6_h4 = solution[2, 1]
    inverse_h8_h4 = solution[3, 1]
    inverse_h4_residual = missed[1]
    inverse_h2_h6 = solution[0, 2]
    inverse_h4_h6 = solution[1, 2]
    inverse_h6_h6 = solution[2, 2]
    inverse_h8_h6 = solution[3, 2]
    inverse_h6_residual = missed[2]
    inverse_h2_h8 = solution[0, 3]
    inverse_h4_h8 = solution[1, 3]
    inverse_h6_h8 = solution[2, 3]
    inverse_h8_h8 = solution[3, 3]
    inverse_h8_residual = missed[3]
    h2_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h2*abs(inverse_h2_h2) + size_h4_h2*abs(inverse_h2_h4) + size_h6_h2*abs(inverse_h2_h6) + size_h8_h2*abs(inverse_h2_h8)))
    h4_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h4*abs(inverse_h4_h2) + size_h4_h4*abs(inverse_h4_h4) + size_h6_h4*abs(inverse_h4_h6) + size_h8_h4*abs(inverse_h4_h8)))
    h6_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h6*abs(inverse_h6_h2) + size_h4_h6*abs(inverse_h6_h4) + size_h6_h6*abs(inverse_h6_h6) + size_h8_h6*abs(inverse_h6_h8)))
    h8_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h8*abs(inverse_h8_h2) + size_h4_h8*abs(inverse_h8_h4) + size_h6_h8*abs(inverse_h8_h6) + size_h8_h8*abs(inverse_h8_h8)))
    ddzeta_ddchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    dzeta_0 = -4*chi*(kappa*kappa*kappa)*lam/((distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    A_dchi_dchi = 2*ddzeta_ddchi/((zeta*zeta)*(distance + kappa + 1)) + 1
    b_dchi = -2*dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    size_dchi_dchi = 1 + 2*abs(ddzeta_ddchi)/((zeta*zeta)*(distance + kappa + 1))
    # linear block for dchi
    dchi, dchi_residual = solve_linear_1(A_dchi_dchi, b_dchi)
    # dzeta = linear*dratio + dshare
    dzeta = dchi*ddzeta_ddchi + dzeta_0
    dchi_singular = max(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(abs(A_dchi_dchi) + 1e-300))
    steepness = kappa*(linear*(ratio*ratio) + nonlinear)/mtilde
    # dm1 = dchi*m1*(steepness + 1/chi)
    dm1 = dchi*m1*(steepness + (1.0/chi))
    # dm2 = dchi*m2*(steepness + ratio/chi)
    dm2 = dchi*m2*(steepness + ratio/chi)
    A_dh1_dh1 = M11
    A_dh1_dh3 = M13
    A_dh1_dh5 = M15
    A_dh1_dh7 = M17
    dratio = -dchi*linear*phi/(chi*linear + phi)**(2)
    dsignal1 = dratio*(target_linear*target_linear)*weight1/math.sqrt(length)
    dsize = dchi*kappa
    ddrag = dratio*kept*linear*size + dsize*kept*linear*ratio
    dfirst = -ddrag*linear*ratio/length + dratio*(-drag*linear/length + 1)
    dM11 = ddrag*(2*(along1*along1)*drag - 2*along1*scale1) + dfirst*size*(weight1*weight1) + dsize*first*(weight1*weight1)
    dM13 = ddrag*(2*along1*along3*drag - along3*scale1) + 3*dfirst*size*weight1*weight3 + 3*dsize*first*weight1*weight3
    dM15 = ddrag*(2*along1*along5*drag - along5*scale1) + 15*dfirst*size*weight1*weight5 + 15*dsize*first*weight1*weight5
    dM17 = ddrag*(2*along1*along7*drag - along7*scale1) + 105*dfirst*size*weight1*weight7 + 105*dsize*first*weight1*weight7
    b_dh1 = -dM11*h1 - dM13*h3 - dM15*h5 - dM17*h7 + dsignal1*size + dsize*signal1
    A_dh3_dh1 = M13
    A_dh3_dh3 = M33
    A_dh3_dh5 = M35
    A_dh3_dh7 = M37
    dsignal3 = 3*dratio*(target_linear*target_linear)*weight3/math.sqrt(length)
    dM33 = 2*(along3*along3)*ddrag*drag + 9*dfirst*size*(weight3*weight3) + dsize*(weight3*weight3)*(9*first + 6)
    dM35 = 2*along3*along5*ddrag*drag + 45*dfirst*size*weight3*weight5 + dsize*weight3*weight5*(45*first + 60)
    dM37 = 2*along3*along7*ddrag*drag + 315*dfirst*size*weight3*weight7 + dsize*weight3*weight7*(315*first + 630)
    b_dh3 = -dM13*h1 - dM33*h3 - dM35*h5 - dM37*h7 + dsignal3*size + dsize*signal3
    A_dh5_dh1 = M15
    A_dh5_dh3 = M35
    A_dh5_dh5 = M55
    A_dh5_dh7 = M57
    dsignal5 = 15*dratio*(target_linear*target_linear)*weight5/math.sqrt(length)
    dM55 = 2*(along5*along5)*ddrag*drag + 225*dfirst*size*(weight5*weight5) + dsize*(weight5*weight5)*(225*first + 720)
    dM57 = 2*along5*along7*ddrag*drag + 1575*dfirst*size*weight5*weight7 + dsize*weight5*weight7*(1575*first + 8820)
    b_dh5 = -dM15*h1 - dM35*h3 - dM55*h5 - dM57*h7 + dsignal5*size + dsize*signal5
    A_dh7_dh1 = M17
    A_dh7_dh3 = M37
    A_dh7_dh5 = M57
    A_dh7_dh7 = M77
    dsignal7 = 105*dratio*(target_linear*target_linear)*weight7/math.sqrt(length)
    dM77 = 2*(along7*along7)*ddrag*drag + 11025*dfirst*size*(weight7*weight7) + dsize*(weight7*weight7)*(11025*first + 124110)
    b_dh7 = -dM17*h1 - dM37*h3 - dM57*h5 - dM77*h7 + dsignal7*size + dsize*signal7
    size_dh1_dh1 = (drag*drag)*(eta*eta)*(scale1*scale1)*(strength_1*strength_1) + 2*drag*eta*(scale1*scale1)*abs(strength_1) + ratio*size*(weight1*weight1)*(drag*linear/length + 1) + (scale1*scale1)*abs(inverse_1_1)
    size_dh1_dh3 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*abs(strength_1)*abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_3)/(n*phi) + scale1*scale3*abs(inverse_1_3)
    size_dh1_dh5 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*abs(inverse_1_5)
    size_dh1_dh7 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*abs(inverse_1_7)
    size_dh3_dh1 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*abs(strength_1)*abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_3)/(n*phi) + scale1*scale3*abs(inverse_1_3)
    size_dh3_dh3 = 9*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*(scale3*scale3)*(strength_3*strength_3)/((n*n)*(phi*phi)) + (scale3*scale3)*abs(inverse_3_3) + size*(weight3*weight3)*(9*ratio*(drag*linear/length + 1) + 6)
    size_dh3_dh5 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*abs(inverse_3_5)
    size_dh3_dh7 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*abs(inverse_3_7)
    size_dh5_dh1 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*abs(inverse_1_5)
    size_dh5_dh3 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*abs(strength_3)*abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*abs(inverse_3_5)
    size_dh5_dh5 = 225*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*(scale5*scale5)*(strength_5*strength_5)/((n*n*n*n)*(phi*phi*phi*phi)) + (scale5*scale5)*abs(inverse_5_5) + size*(weight5*weight5)*(225*ratio*(drag*linear/length + 1) + 720)
    size_dh5_dh7 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*abs(inverse_5_7)
    size_dh7_dh1 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*abs(strength_1)*abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*abs(inverse_1_7)
    size_dh7_dh3 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*abs(strength_3)*abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*abs(inverse_3_7)
    size_dh7_dh5 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*abs(strength_5)*abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*abs(inverse_5_7)
    size_dh7_dh7 = 11025*(drag*drag)*(eta)**(14)*(length)**(6)*(psi)**(6)*(scale7*scale7)*(strength_7*strength_7)/((n)**(6)*(phi)**(6)) + (scale7*scale7)*abs(inverse_7_7) + size*(weight7*weight7)*(11025*ratio*(drag*linear/length + 1) + 124110)
    # linear block for dh1, dh3, dh5, dh7
    matrix_2_ = np.array(((A_dh1_dh1, A_dh1_dh3, A_dh1_dh5, A_dh1_dh7), (A_dh3_dh1, A_dh3_dh3, A_dh3_dh5, A_dh3_dh7), (A_dh5_dh1, A_dh5_dh3, A_dh5_dh5, A_dh5_dh7), (A_dh7_dh1, A_dh7_dh3, A_dh7_dh5, A_dh7_dh7)))
    factors_2_, order_2_ = factor_linear_n(matrix_2_)
    solution, dh1_dh3_dh5_dh7_residual = solve_factored_n(matrix_2_, factors_2_, order_2_, np.array((b_dh1, b_dh3, b_dh5, b_dh7)))
    dh1 = solution[0]
    dh3 = solution[1]
    dh5 = solution[2]
    dh7 = solution[3]
    zero_3 = 0
    one_3 = 1
    # linear blocks for inverse_dh1_dh1, inverse_dh3_dh1, inverse_dh5_dh1, inverse_dh7_dh1; inverse_dh1_dh3, inverse_dh3_dh3, inverse_dh5_dh3, inverse_dh7_dh3; inverse_dh1_dh5, inverse_dh3_dh5, inverse_dh5_dh5, inverse_dh7_dh5; inverse_dh1_dh7, inverse_dh3_dh7, inverse_dh5_dh7, inverse_dh7_dh7
    solution, missed = solve_many_factored_n(matrix_2_, factors_2_, order_2_, np.array(((one_3, zero_3, zero_3, zero_3), (zero_3, one_3, zero_3, zero_3), (zero_3, zero_3, one_3, zero_3), (zero_3, zero_3, zero_3, one_3))))
    inverse_dh1_dh1 = solution[0, 0]
    inverse_dh3_dh1 = solution[1, 0]
    inverse_dh5_dh1 = solution[2, 0]
    inverse_dh7_dh1 = solution[3, 0]
    inverse_dh1_residual = missed[0]
    inverse_dh1_dh3 = solution[0, 1]
    inverse_dh3_dh3 = solution[1, 1]
    inverse_dh5_dh3 = solution[2, 1]
    inverse_dh7_dh3 = solution[3, 1]
    inverse_dh3_residual = missed[1]
    inverse_dh1_dh5 = solution[0, 2]
    inverse_dh3_dh5 = solution[1, 2]
    inverse_dh5_dh5 = solution[2, 2]
    inverse_dh7_dh5 = solution[3, 2]
    inverse_dh5_residual = missed[2]
    inverse_dh1_dh7 = solution[0, 3]
    inverse_dh3_dh7 = solution[1, 3]
    inverse_dh5_dh7 = solution[2, 3]
    inverse_dh7_dh7 = solution[3, 3]
    inverse_dh7_residual = missed[3]
    dh1_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh1*abs(inverse_dh1_dh1) + size_dh3_dh1*abs(inverse_dh1_dh3) + size_dh5_dh1*abs(inverse_dh1_dh5) + size_dh7_dh1*abs(inverse_dh1_dh7)))
    dh3_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh3*abs(inverse_dh3_dh1) + size_dh3_dh3*abs(inverse_dh3_dh3) + size_dh5_dh3*abs(inverse_dh3_dh5) + size_dh7_dh3*abs(inverse_dh3_dh7)))
    dh5_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh5*abs(inverse_dh5_dh1) + size_dh3_dh5*abs(inverse_dh5_dh3) + size_dh5_dh5*abs(inverse_dh5_dh5) + size_dh7_dh5*abs(inverse_dh5_dh7)))
    dh7_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh7*abs(inverse_dh7_dh1) + size_dh3_dh7*abs(inverse_dh7_dh3) + size_dh5_dh7*abs(inverse_dh7_dh5) + size_dh7_dh7*abs(inverse_dh7_dh7)))
    A_dh2_dh2 = M22
    A_dh2_dh4 = M24
    A_dh2_dh6 = M26
    A_dh2_dh8 = M28
    dspread = dchi*radial/phi
    dlost = dspread*(spread*(mean_share - 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(-mean_share*spread + spread + 1)))
    dlevel = -dspread*gaussian*(1 - free)/(gaussian*spread + 1)**(2)
    dM22 = dlevel*size*(weight2*weight2) + dlost*(mean_2*mean_2)*(scale2*scale2) + dsize*(weight2*weight2)*(level + 2)
    dM24 = 3*dlevel*size*weight2*weight4 + dlost*mean_2*mean_4*scale2*scale4 + dsize*weight2*weight4*(3*level + 12)
    dM26 = 15*dlevel*size*weight2*weight6 + dlost*mean_2*mean_6*scale2*scale6 + dsize*weight2*weight6*(15*level + 90)
    dM28 = 105*dlevel*size*weight2*weight8 + dlost*mean_2*mean_8*scale2*scale8 + dsize*weight2*weight8*(105*level + 840)
    b_dh2 = -dM22*h2 - dM24*h4 - dM26*h6 - dM28*h8 + dsize*signal2
    A_dh4_dh2 = M24
    A_dh4_dh4 = M44
    A_dh4_dh6 = M46
    A_dh4_dh8 = M48
    dM44 = 9*dlevel*size*(weight4*weight4) + dlost*(mean_4*mean_4)*(scale4*scale4) + dsize*(weight4*weight4)*(9*level + 96)
    dM46 = 45*dlevel*size*weight4*weight6 + dlost*mean_4*mean_6*scale4*scale6 + dsize*weight4*weight6*(45*level + 900)
    dM48 = 315*dlevel*size*weight4*weight8 + dlost*mean_4*mean_8*scale4*scale8 + dsize*weight4*weight8*(315*level + 10080)
    b_dh4 = -dM24*h2 - dM44*h4 - dM46*h6 - dM48*h8 + dsize*signal4
    A_dh6_dh2 = M26
    A_dh6_dh4 = M46
    A_dh6_dh6 = M66
    A_dh6_dh8 = M68
    dM66 = 225*dlevel*size*(weight6*weight6) + dlost*(mean_6*mean_6)*(scale6*scale6) + dsize*(weight6*weight6)*(225*level + 10170)
    dM68 = 1575*dlevel*size*weight6*weight8 + dlost*mean_6*mean_8*scale6*scale8 + dsize*weight6*weight8*(1575*level + 133560)
    b_dh6 = -dM26*h2 - dM46*h4 - dM66*h6 - dM68*h8 + dsize*signal6
    A_dh8_dh2 = M28
    A_dh8_dh4 = M48
    A_dh8_dh6 = M68
    A_dh8_dh8 = M88
    dM88 = 11025*dlevel*size*(weight8*weight8) + dlost*(mean_8*mean_8)*(scale8*scale8) + dsize*(weight8*weight8)*(11025*level + 2016000)
    b_dh8 = -dM28*h2 - dM48*h4 - dM68*h6 - dM88*h8 + dsize*signal8
    size_dh2_dh2 = (scale2*scale2)*((mean_2*mean_2)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_2_2)) + size*(weight2*weight2)*((free + 1)/(gaussian*spread + 1) + 2)
    size_dh2_dh4 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*abs(strength_2)*abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*abs(mean_2)*abs(mean_4)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_4))
    size_dh2_dh6 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*abs(strength_2)*abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*abs(mean_2)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_6))
    size_dh2_dh8 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*abs(strength_2)*abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*abs(mean_2)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_8))
    size_dh4_dh2 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*abs(strength_2)*abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*abs(mean_2)*abs(mean_4)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_4))
    size_dh4_dh4 = (scale4*scale4)*((mean_4*mean_4)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_4_4)) + size*(weight4*weight4)*(9*(free + 1)/(gaussian*spread + 1) + 96)
    size_dh4_dh6 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*abs(strength_4)*abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*abs(mean_4)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_6))
    size_dh4_dh8 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*abs(strength_4)*abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*abs(mean_4)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_8))
    size_dh6_dh2 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*abs(strength_2)*abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*abs(mean_2)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_6))
    size_dh6_dh4 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*abs(strength_4)*abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*abs(mean_4)*abs(mean_6)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_6))
    size_dh6_dh6 = (scale6*scale6)*((mean_6*mean_6)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_6_6)) + size*(weight6*weight6)*(225*(free + 1)/(gaussian*spread + 1) + 10170)
    size_dh6_dh8 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*abs(strength_6)*abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*abs(mean_6)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_6_8))
    size_dh8_dh2 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*abs(strength_2)*abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*abs(mean_2)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_2_8))
    size_dh8_dh4 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*abs(strength_4)*abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*abs(mean_4)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_4_8))
    size_dh8_dh6 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*abs(strength_6)*abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*abs(mean_6)*abs(mean_8)/abs(-mean_share*spread + spread + 1) + abs(inverse_6_8))
    size_dh8_dh8 = (scale8*scale8)*((mean_8*mean_8)*spread/abs(-mean_share*spread + spread + 1) + abs(inverse_8_8)) + size*(weight8*weight8)*(11025*(free + 1)/(gaussian*spread + 1) + 2016000)
    # linear block for dh2, dh4, dh6, dh8
    matrix_3_ = np.array(((A_dh2_dh2, A_dh2_dh4, A_dh2_dh6, A_dh2_dh8), (A_dh4_dh2, A_dh4_dh4, A_dh4_dh6, A_dh4_dh8), (A_dh6_dh2, A_dh6_dh4, A_dh6_dh6, A_dh6_dh8), (A_dh8_dh2, A_dh8_dh4, A_dh8_dh6, A_dh8_dh8)))
    factors_3_, order_3_ = factor_linear_n(matrix_3_)
    solution, dh2_dh4_dh6_dh8_residual = solve_factored_n(matrix_3_, factors_3_, order_3_, np.array((b_dh2, b_dh4, b_dh6, b_dh8)))
    dh2 = solution[0]
    dh4 = solution[1]
    dh6 = solution[2]
    dh8 = solution[3]
    zero_4 = 0
    one_4 = 1
    # linear blocks for inverse_dh2_dh2, inverse_dh4_dh2, inverse_dh6_dh2, inverse_dh8_dh2; inverse_dh2_dh4, inverse_dh4_dh4, inverse_dh6_dh4, inverse_dh8_dh4; inverse_dh2_dh6, inverse_dh4_dh6, inverse_dh6_dh6, inverse_dh8_dh6; inverse_dh2_dh8, inverse_dh4_dh8, inverse_dh6_dh8, inverse_dh8_dh8
    solution, missed = solve_many_factored_n(matrix_3_, factors_3_, order_3_, np.array(((one_4, zero_4, zero_4, zero_4), (zero_4, one_4, zero_4, zero_4), (zero_4, zero_4, one_4, zero_4), (zero_4, zero_4, zero_4, one_4))))
    inverse_dh2_dh2 = solution[0, 0]
    inverse_dh4_dh2 = solution[1, 0]
    inverse_dh6_dh2 = solution[2, 0]
    inverse_dh8_dh2 = solution[3, 0]
    inverse_dh2_residual = missed[0]
    inverse_dh2_dh4 = solution[0, 1]
    inverse_dh4_dh4 = solution[1, 1]
    inverse_dh6_dh4 = solution[2, 1]
    inverse_dh8_dh4 = solution[3, 1]
    inverse_dh4_residual = missed[1]
    inverse_dh2_dh6 = solution[0, 2]
    inverse_dh4_dh6 = solution[1, 2]
    inverse_dh6_dh6 = solution[2, 2]
    inverse_dh8_dh6 = solution[3, 2]
    inverse_dh6_residual = missed[2]
    inverse_dh2_dh8 = solution[0, 3]
    inverse_dh4_dh8 = solution[1, 3]
    inverse_dh6_dh8 = solution[2, 3]
    inverse_dh8_dh8 = solution[3, 3]
    inverse_dh8_residual = missed[3]
    dh2_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh2*abs(inverse_dh2_dh2) + size_dh4_dh2*abs(inverse_dh2_dh4) + size_dh6_dh2*abs(inverse_dh2_dh6) + size_dh8_dh2*abs(inverse_dh2_dh8)))
    dh4_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh4*abs(inverse_dh4_dh2) + size_dh4_dh4*abs(inverse_dh4_dh4) + size_dh6_dh4*abs(inverse_dh4_dh6) + size_dh8_dh4*abs(inverse_dh4_dh8)))
    dh6_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh6*abs(inverse_dh6_dh2) + size_dh4_dh6*abs(inverse_dh6_dh4) + size_dh6_dh6*abs(inverse_dh6_dh6) + size_dh8_dh6*abs(inverse_dh6_dh8)))
    dh8_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh8*abs(inverse_dh8_dh2) + size_dh4_dh8*abs(inverse_dh8_dh4) + size_dh6_dh8*abs(inverse_dh8_dh6) + size_dh8_dh8*abs(inverse_dh8_dh8)))
    # train_error = -lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa + lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa
    train_error = -kappa*lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    # test_error = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2) - (-dh1*m1*kappa*signal1 - dh2*m1*kappa*signal2 - dh3*m1*kappa*signal3 - dh4*m1*kappa*signal4 - dh5*m1*kappa*signal5 - dh6*m1*kappa*signal6 - dh7*m1*kappa*signal7 - dh8*m1*kappa*signal8 - dm1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa - h1*m1*dsignal1*kappa - h3*m1*dsignal3*kappa - h5*m1*dsignal5*kappa - h7*m1*dsignal7*kappa)/(m1**2*kappa**2)
    test_error = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) - (-dh1*kappa*m1*signal1 - dh2*kappa*m1*signal2 - dh3*kappa*m1*signal3 - dh4*kappa*m1*signal4 - dh5*kappa*m1*signal5 - dh6*kappa*m1*signal6 - dh7*kappa*m1*signal7 - dh8*kappa*m1*signal8 - dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) - dsignal1*h1*kappa*m1 - dsignal3*h3*kappa*m1 - dsignal5*h5*kappa*m1 - dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1))
    # baseline_train = lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa
    baseline_train = kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    # baseline_test = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2)
    baseline_test = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    # train_gap = lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa
    train_gap = kappa*lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)
    # test_gap = (-dh1*m1*kappa*signal1 - dh2*m1*kappa*signal2 - dh3*m1*kappa*signal3 - dh4*m1*kappa*signal4 - dh5*m1*kappa*signal5 - dh6*m1*kappa*signal6 - dh7*m1*kappa*signal7 - dh8*m1*kappa*signal8 - dm1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa - h1*m1*dsignal1*kappa - h3*m1*dsignal3*kappa - h5*m1*dsignal5*kappa - h7*m1*dsignal7*kappa)/(m1**2*kappa**2)
    test_gap = (-dh1*kappa*m1*signal1 - dh2*kappa*m1*signal2 - dh3*kappa*m1*signal3 - dh4*kappa*m1*signal4 - dh5*kappa*m1*signal5 - dh6*kappa*m1*signal6 - dh7*kappa*m1*signal7 - dh8*kappa*m1*signal8 - dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) - dsignal1*h1*kappa*m1 - dsignal3*h3*kappa*m1 - dsignal5*h5*kappa*m1 - dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1))
    error_surplus = kappa + 1
    error_excess = (0 if (max(0, surplus) == 0) else error_surplus)
    error_distance = error_surplus
    surplus_2 = 1 - kappa
    distance_2 = abs(surplus_2)
    error_share = 2*kappa*lam*(error_distance + (0.5)*(4*chi*(kappa*kappa)*lam + 2*distance_2*error_distance)/math.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))/(distance_2 + math.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))**(2)
    error = (error_share*kappa + error_excess/chi)/(kappa*share + excess/chi)**(2)
    lost_2 = (1e+289 if (ROUNDING*error > LARGEST_ERROR*max(1, m1)) else 0)
    error_mtilde = chi*error_share*kappa + error_excess
    error_2 = (error_mtilde*linear/phi + error_share*kappa + error_excess/chi)/(kappa*share + linear*mtilde/phi + excess/chi)**(2)
    lost_3 = (1e+289 if (ROUNDING*error_2 > LARGEST_ERROR*max(1, m2)) else 0)
    share_2 = 2*kappa*lam/(distance_2 + math.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))
    excess_2 = max(0, surplus_2)
    mtilde_2 = chi*kappa*share_2 + excess_2
    error_steepness = error_mtilde*kappa*(linear*(ratio*ratio) + nonlinear)/(mtilde_2*mtilde_2)
    error_3 = error*(steepness + (1.0/chi))*abs(dchi) + m1*(error_steepness + (1.0/chi))*abs(dchi)
    lost_4 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(dm1))) else 0)
    error_4 = error_2*(steepness + ratio/chi)*abs(dchi) + m2*(error_steepness + ratio/chi)*abs(dchi)
    lost_5 = (1e+289 if (ROUNDING*error_4 > LARGEST_ERROR*max(1, abs(dm2))) else 0)
    error_signal3 = (3*ratio*(target_linear*target_linear)/math.sqrt(length) + 6*(target_linear*target_linear)*abs(target_3)*abs(target_linear)/(length)**(1.5))*abs(weight3)
    error_signal4 = (12*(target_linear*target_linear)*abs(target_2)/length + 24*(target_linear*target_linear*target_linear*target_linear)*abs(target_4)/(length*length))*abs(weight4)
    error_signal5 = (15*ratio*(target_linear*target_linear)/math.sqrt(length) + 60*(target_linear*target_linear)*abs(target_3)*abs(target_linear)/(length)**(1.5) + 120*(target_linear*target_linear*target_linear*target_linear)*abs(target_5)*abs(target_linear)/(length)**(2.5))*abs(weight5)
    error_signal6 = (90*(target_linear*target_linear)*abs(target_2)/length + 360*(target_linear*target_linear*target_linear*target_linear)*abs(target_4)/(length*length) + 720*(target_linear)**(6)*abs(target_6)/(length*length*length))*abs(weight6)
    error_signal7 = (105*ratio*(target_linear*target_linear)/math.sqrt(length) + 630*(target_linear*target_linear)*abs(target_3)*abs(target_linear)/(length)**(1.5) + 2520*(target_linear*target_linear*target_linear*target_linear)*abs(target_5)*abs(target_linear)/(length)**(2.5) + 5040*(target_linear)**(6)*abs(target_7)*abs(target_linear)/(length)**(3.5))*abs(weight7)
    error_signal8 = (840*(target_linear*target_linear)*abs(target_2)/length + 5040*(target_linear*target_linear*target_linear*target_linear)*abs(target_4)/(length*length) + 20160*(target_linear)**(6)*abs(target_6)/(length*length*length) + 40320*(target_linear)**(8)*abs(target_8)/(length*length*length*length))*abs(weight8)
    error_5 = error*kappa*lam*abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + kappa*lam*m1*(error_signal3*abs(h3) + error_signal4*abs(h4) + error_signal5*abs(h5) + error_signal6*abs(h6) + error_signal7*abs(h7) + error_signal8*abs(h8) + abs(h1*signal1) + abs(h2*signal2)) + kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear))
    lost_6 = (1e+289 if (ROUNDING*error_5 > LARGEST_ERROR*max(1, abs(train_error))) else 0)
    error_6 = 2*error*abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + 2*error*abs(dh1*kappa*m1*signal1 + dh2*kappa*m1*signal2 + dh3*kappa*m1*signal3 + dh4*kappa*m1*signal4 + dh5*kappa*m1*signal5 + dh6*kappa*m1*signal6 + dh7*kappa*m1*signal7 + dh8*kappa*m1*signal8 + dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + dsignal1*h1*kappa*m1 + dsignal3*h3*kappa*m1 + dsignal5*h5*kappa*m1 + dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) + (error*kappa*abs(dh1)*abs(signal1) + error*kappa*abs(dh2)*abs(signal2) + error*kappa*abs(dh3)*abs(signal3) + error*kappa*abs(dh4)*abs(signal4) + error*kappa*abs(dh5)*abs(signal5) + error*kappa*abs(dh6)*abs(signal6) + error*kappa*abs(dh7)*abs(signal7) + error*kappa*abs(dh8)*abs(signal8) + error*kappa*abs(dsignal1)*abs(h1) + error*kappa*abs(dsignal3)*abs(h3) + error*kappa*abs(dsignal5)*abs(h5) + error*kappa*abs(dsignal7)*abs(h7) + error_3*kappa*abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + error_signal3*kappa*m1*abs(dh3) + error_signal4*kappa*m1*abs(dh4) + error_signal5*kappa*m1*abs(dh5) + error_signal6*kappa*m1*abs(dh6) + error_signal7*kappa*m1*abs(dh7) + error_signal8*kappa*m1*abs(dh8) + kappa*(error_signal3*abs(h3) + error_signal4*abs(h4) + error_signal5*abs(h5) + error_signal6*abs(h6) + error_signal7*abs(h7) + error_signal8*abs(h8) + abs(h1*signal1) + abs(h2*signal2))*abs(dm1))/((kappa*kappa)*(m1*m1))
    lost_7 = (1e+289 if (ROUNDING*error_6 > LARGEST_ERROR*max(1, abs(test_error))) else 0)
    error_7 = kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear))
    lost_8 = (1e+289 if (ROUNDING*error_7 > LARGEST_ERROR*max(1, abs(baseline_train))) else 0)
    error_8 = 2*error*abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    lost_9 = (1e+289 if (ROUNDING*error_8 > LARGEST_ERROR*max(1, abs(baseline_test))) else 0)
    error_9 = error*kappa*lam*abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + kappa*lam*m1*(error_signal3*abs(h3) + error_signal4*abs(h4) + error_signal5*abs(h5) + error_signal6*abs(h6) + error_signal7*abs(h7) + error_signal8*abs(h8) + abs(h1*signal1) + abs(h2*signal2))
    lost_10 = (1e+289 if (ROUNDING*error_9 > LARGEST_ERROR*max(1, abs(train_gap))) else 0)
    error_10 = 2*error*abs(dh1*kappa*m1*signal1 + dh2*kappa*m1*signal2 + dh3*kappa*m1*signal3 + dh4*kappa*m1*signal4 + dh5*kappa*m1*signal5 + dh6*kappa*m1*signal6 + dh7*kappa*m1*signal7 + dh8*kappa*m1*signal8 + dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + dsignal1*h1*kappa*m1 + dsignal3*h3*kappa*m1 + dsignal5*h5*kappa*m1 + dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1*m1)) + (error*kappa*abs(dh1)*abs(signal1) + error*kappa*abs(dh2)*abs(signal2) + error*kappa*abs(dh3)*abs(signal3) + error*kappa*abs(dh4)*abs(signal4) + error*kappa*abs(dh5)*abs(signal5) + error*kappa*abs(dh6)*abs(signal6) + error*kappa*abs(dh7)*abs(signal7) + error*kappa*abs(dh8)*abs(signal8) + error*kappa*abs(dsignal1)*abs(h1) + error*kappa*abs(dsignal3)*abs(h3) + error*kappa*abs(dsignal5)*abs(h5) + error*kappa*abs(dsignal7)*abs(h7) + error_3*kappa*abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + error_signal3*kappa*m1*abs(dh3) + error_signal4*kappa*m1*abs(dh4) + error_signal5*kappa*m1*abs(dh5) + error_signal6*kappa*m1*abs(dh6) + error_signal7*kappa*m1*abs(dh7) + error_signal8*kappa*m1*abs(dh8) + kappa*(error_signal3*abs(h3) + error_signal4*abs(h4) + error_signal5*abs(h5) + error_signal6*abs(h6) + error_signal7*abs(h7) + error_signal8*abs(h8) + abs(h1*signal1) + abs(h2*signal2))*abs(dm1))/((kappa*kappa)*(m1*m1))
    lost_11 = (1e+289 if (ROUNDING*error_10 > LARGEST_ERROR*max(1, abs(test_gap))) else 0)
    upstream = max(ROUNDING, chi_error)
    limited_2 = (1 if (((m1 > 10*ROUNDING*error) and (1e-10*m1 < error*upstream)) or ((m2 > 10*ROUNDING*error_2) and (1e-10*m2 < error_2*upstream)) or ((error_8*upstream > 1e-10*abs(baseline_test)) and (abs(baseline_test) > 10*ROUNDING*error_8)) or ((error_7*upstream > 1e-10*abs(baseline_train)) and (abs(baseline_train) > 10*ROUNDING*error_7)) or ((error_3*upstream > 1e-10*abs(dm1)) and (abs(dm1) > 10*ROUNDING*error_3)) or ((error_4*upstream > 1e-10*abs(dm2)) and (abs(dm2) > 10*ROUNDING*error_4)) or ((error_6*upstream > 1e-10*abs(test_error)) and (abs(test_error) > 10*ROUNDING*error_6)) or ((error_10*upstream > 1e-10*abs(test_gap)) and (abs(test_gap) > 10*ROUNDING*error_10)) or ((error_5*upstream > 1e-10*abs(train_error)) and (abs(train_error) > 10*ROUNDING*error_5)) or ((error_9*upstream > 1e-10*abs(train_gap)) and (abs(train_gap) > 10*ROUNDING*error_9)) or (upstream > 1e-10)) else 0)
    residual = max(chi_moved, chi_residual, dchi_residual, dchi_singular, dh1_dh3_dh5_dh7_residual, dh1_singular, dh2_dh4_dh6_dh8_residual, dh2_singular, dh3_singular, dh4_singular, dh5_singular, dh6_singular, dh7_singular, dh8_singular, h1_h3_h5_h7_residual, h1_singular, h2_h4_h6_h8_residual, h2_singular, h3_singular, h4_singular, h5_singular, h6_singular, h7_singular, h8_singular, uncertain)
    inaccurate_2 = max(inaccurate, lost_10, lost_11, lost_2, lost_3, lost_4, lost_5, lost_6, lost_7, lost_8, lost_9)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= residual) else 0)
    residual_2 = max(few_digits, residual)
    return (chi + 0.0, zeta + 0.0, m1 + 0.0, m2 + 0.0, h1 + 0.0, h2 + 0.0, h3 + 0.0, h4 + 0.0, h5 + 0.0, h6 + 0.0, h7 + 0.0, h8 + 0.0, dchi + 0.0, dzeta + 0.0, dm1 + 0.0, dm2 + 0.0, dh1 + 0.0, dh2 + 0.0, dh3 + 0.0, dh4 + 0.0, dh5 + 0.0, dh6 + 0.0, dh7 + 0.0, dh8 + 0.0, train_error + 0.0, test_error + 0.0, baseline_train + 0.0, baseline_test + 0.0, train_gap + 0.0, test_gap + 0.0, residual_2 + 0.0, iterations + 0.5*limited_2 + 0.0)


@compiled
def solve_rows(phi, psi, lam, noise_variance, eta, n, linear, nonlinear, target_linear, target_rest, kept, gaussian, free, radial, strength_1, strength_2, strength_3, strength_4, strength_5, strength_6, strength_7, strength_8, target_2, target_3, target_4, target_5, target_6, target_7, target_8, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_3_3, inverse_3_5, inverse_3_7, inverse_4_4, inverse_4_6, inverse_4_8, inverse_5_5, inverse_5_7, inverse_6_6, inverse_6_8, inverse_7_7, inverse_8_8, mean_2, mean_4, mean_6, mean_8, mean_share, chi_start, out, tolerance, max_steps, accept):
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
                result = solve_point(phi[row, j], psi[row, j], lam[row, j], noise_variance[row, j], eta[row, j], n[row, j], linear[row, j], nonlinear[row, j], target_linear[row, j], target_rest[row, j], kept[row, j], gaussian[row, j], free[row, j], radial[row, j], strength_1[row, j], strength_2[row, j], strength_3[row, j], strength_4[row, j], strength_5[row, j], strength_6[row, j], strength_7[row, j], strength_8[row, j], target_2[row, j], target_3[row, j], target_4[row, j], target_5[row, j], target_6[row, j], target_7[row, j], target_8[row, j], inverse_1_1[row, j], inverse_1_3[row, j], inverse_1_5[row, j], inverse_1_7[row, j], inverse_2_2[row, j], inverse_2_4[row, j], inverse_2_6[row, j], inverse_2_8[row, j], inverse_3_3[row, j], inverse_3_5[row, j], inverse_3_7[row, j], inverse_4_4[row, j], inverse_4_6[row, j], inverse_4_8[row, j], inverse_5_5[row, j], inverse_5_7[row, j], inverse_6_6[row, j], inverse_6_8[row, j], inverse_7_7[row, j], inverse_8_8[row, j], mean_2[row, j], mean_4[row, j], mean_6[row, j], mean_8[row, j], mean_share[row, j], chi_guess, plain, tolerance, max_steps)
                if known == 0 or result[30] <= accept:
                    break
            for k in range(32):
                out[row, j, k] = result[k]
            if result[30] <= accept:
                known += 1
                remember(past[0], math.log(max(result[0], 1e-300)))
            else:
                known = 0


solve_rows_parallel = in_parallel(solve_rows)


def solve_batch(phi, psi, lam, noise_variance, eta, n, linear, nonlinear, target_linear, target_rest, kept, gaussian, free, radial, strength_1, strength_2, strength_3, strength_4, strength_5, strength_6, strength_7, strength_8, target_2, target_3, target_4, target_5, target_6, target_7, target_8, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_3_3, inverse_3_5, inverse_3_7, inverse_4_4, inverse_4_6, inverse_4_8, inverse_5_5, inverse_5_7, inverse_6_6, inverse_6_8, inverse_7_7, inverse_8_8, mean_2, mean_4, mean_6, mean_8, mean_share, chi_start, plain, tolerance, max_steps, diagnose=False):
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
        zeta = linear*ratio + nonlinear + share
        dzeta_dchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
        chi_map = 2/(zeta*(distance + kappa + 1))
        dchi_map_dchi = -2*dzeta_dchi/((zeta*zeta)*(distance + kappa + 1))
        return (chi_map,), (np.log(chi/chi_map),), ((1.0 - dchi_map_dchi*chi/chi_map,),)
    (chi,), steps, J, chi_moved = newton_batch(step_chi, (lam, linear, nonlinear, phi, psi,), (chi_start,), (True,), plain, tolerance, max_steps)
    iterations = iterations + steps
    if diagnose:
        blocks.append(("newton", ("chi",), J))
    ratio = phi/(chi*linear + phi)
    kappa = psi/phi
    surplus = 1 - kappa
    distance = np.abs(surplus)
    share = 2*kappa*lam/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    zeta = linear*ratio + nonlinear + share
    chi_check = 2/(zeta*(distance + kappa + 1))
    chi_residual = np.abs(np.log(chi_check/chi))
    dzeta_dchi_2 = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    slope_chi_chi = 2*dzeta_dchi_2/((zeta*zeta)*(distance + kappa + 1)) + 1
    chi_error = ROUNDING/(np.abs(slope_chi_chi) + 1e-300)
    uncertain = np.where((chi_error > 0.1), chi_error, 0)
    inaccurate = np.where((LARGEST_ERROR < chi_error), 1e+289, 0)
    excess = np.maximum(0, surplus)
    m1 = (1.0/(kappa*share + excess/chi))
    mtilde = chi*kappa*share + excess
    m2 = (1.0/(kappa*share + linear*mtilde/phi + excess/chi))
    length = kept*(linear + phi*(linear + nonlinear)) + phi*(noise_variance + (target_linear*target_linear) + target_rest) + (target_linear*target_linear)
    theta1 = eta*np.sqrt(length)*strength_1
    scale1 = (1.0/np.sqrt((theta1*theta1) + 1))
    weight1 = scale1*theta1
    along1 = weight1/np.sqrt(length)
    size = chi*kappa
    drag = kept*linear*ratio*size
    first = ratio*(-drag*linear/length + 1)
    M11 = (along1*along1)*(drag*drag) - 2*along1*drag*scale1 + first*size*(weight1*weight1) + inverse_1_1*(scale1*scale1)
    A_h1_h1 = M11
    theta3 = (eta*eta*eta)*(length)**(1.5)*psi*strength_3/(n*phi)
    scale3 = (1.0/np.sqrt((theta3*theta3) + 1))
    weight3 = scale3*theta3
    along3 = 3*weight3/np.sqrt(length)
    M13 = along1*along3*(drag*drag) - along3*drag*scale1 + 3*first*size*weight1*weight3 + inverse_1_3*scale1*scale3
    A_h1_h3 = M13
    theta5 = (eta)**(5)*(length)**(2.5)*(psi*psi)*strength_5/((n*n)*(phi*phi))
    scale5 = (1.0/np.sqrt((theta5*theta5) + 1))
    weight5 = scale5*theta5
    along5 = 15*weight5/np.sqrt(length)
    M15 = along1*along5*(drag*drag) - along5*drag*scale1 + 15*first*size*weight1*weight5 + inverse_1_5*scale1*scale5
    A_h1_h5 = M15
    theta7 = (eta)**(7)*(length)**(3.5)*(psi*psi*psi)*strength_7/((n*n*n)*(phi*phi*phi))
    scale7 = (1.0/np.sqrt((theta7*theta7) + 1))
    weight7 = scale7*theta7
    along7 = 105*weight7/np.sqrt(length)
    M17 = along1*along7*(drag*drag) - along7*drag*scale1 + 105*first*size*weight1*weight7 + inverse_1_7*scale1*scale7
    A_h1_h7 = M17
    signal1 = ratio*(target_linear*target_linear)*weight1/np.sqrt(length)
    b_h1 = signal1*size
    if diagnose:
        size_h1 = eta*ratio*scale1*size*(target_linear*target_linear)*np.abs(strength_1)
    A_h3_h1 = M13
    M33 = (along3*along3)*(drag*drag) + inverse_3_3*(scale3*scale3) + size*(weight3*weight3)*(9*first + 6)
    A_h3_h3 = M33
    M35 = along3*along5*(drag*drag) + inverse_3_5*scale3*scale5 + size*weight3*weight5*(45*first + 60)
    A_h3_h5 = M35
    M37 = along3*along7*(drag*drag) + inverse_3_7*scale3*scale7 + size*weight3*weight7*(315*first + 630)
    A_h3_h7 = M37
    signal3 = weight3*(3*ratio*(target_linear*target_linear)/np.sqrt(length) + 6*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5))
    b_h3 = signal3*size
    if diagnose:
        size_h3 = (eta*eta*eta)*(length)**(1.5)*psi*scale3*size*(3*ratio*(target_linear*target_linear)/np.sqrt(length) + 6*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5))*np.abs(strength_3)/(n*phi)
    A_h5_h1 = M15
    A_h5_h3 = M35
    M55 = (along5*along5)*(drag*drag) + inverse_5_5*(scale5*scale5) + size*(weight5*weight5)*(225*first + 720)
    A_h5_h5 = M55
    M57 = along5*along7*(drag*drag) + inverse_5_7*scale5*scale7 + size*weight5*weight7*(1575*first + 8820)
    A_h5_h7 = M57
    signal5 = weight5*(15*ratio*(target_linear*target_linear)/np.sqrt(length) + 60*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5) + 120*target_5*(target_linear)**(5)/(length)**(2.5))
    b_h5 = signal5*size
    if diagnose:
        size_h5 = (eta)**(5)*(length)**(2.5)*(psi*psi)*scale5*size*(15*ratio*(target_linear*target_linear)/np.sqrt(length) + 60*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5) + 120*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_5)*np.abs(target_linear)/(length)**(2.5))*np.abs(strength_5)/((n*n)*(phi*phi))
    A_h7_h1 = M17
    A_h7_h3 = M37
    A_h7_h5 = M57
    M77 = (along7*along7)*(drag*drag) + inverse_7_7*(scale7*scale7) + size*(weight7*weight7)*(11025*first + 124110)
    A_h7_h7 = M77
    signal7 = weight7*(105*ratio*(target_linear*target_linear)/np.sqrt(length) + 630*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5) + 2520*target_5*(target_linear)**(5)/(length)**(2.5) + 5040*target_7*(target_linear)**(7)/(length)**(3.5))
    b_h7 = signal7*size
    if diagnose:
        size_h7 = (eta)**(7)*(length)**(3.5)*(psi*psi*psi)*scale7*size*(105*ratio*(target_linear*target_linear)/np.sqrt(length) + 630*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5) + 2520*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_5)*np.abs(target_linear)/(length)**(2.5) + 5040*(target_linear)**(6)*np.abs(target_7)*np.abs(target_linear)/(length)**(3.5))*np.abs(strength_7)/((n*n*n)*(phi*phi*phi))
    size_h1_h1 = (drag*drag)*(eta*eta)*(scale1*scale1)*(strength_1*strength_1) + 2*drag*eta*(scale1*scale1)*np.abs(strength_1) + ratio*size*(weight1*weight1)*(drag*linear/length + 1) + (scale1*scale1)*np.abs(inverse_1_1)
    size_h1_h3 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + scale1*scale3*np.abs(inverse_1_3)
    size_h1_h5 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*np.abs(inverse_1_5)
    size_h1_h7 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*np.abs(inverse_1_7)
    size_h3_h1 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + scale1*scale3*np.abs(inverse_1_3)
    size_h3_h3 = 9*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*(scale3*scale3)*(strength_3*strength_3)/((n*n)*(phi*phi)) + (scale3*scale3)*np.abs(inverse_3_3) + size*(weight3*weight3)*(9*ratio*(drag*linear/length + 1) + 6)
    size_h3_h5 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*np.abs(inverse_3_5)
    size_h3_h7 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*np.abs(inverse_3_7)
    size_h5_h1 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*np.abs(inverse_1_5)
    size_h5_h3 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*np.abs(inverse_3_5)
    size_h5_h5 = 225*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*(scale5*scale5)*(strength_5*strength_5)/((n*n*n*n)*(phi*phi*phi*phi)) + (scale5*scale5)*np.abs(inverse_5_5) + size*(weight5*weight5)*(225*ratio*(drag*linear/length + 1) + 720)
    size_h5_h7 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*np.abs(inverse_5_7)
    size_h7_h1 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*np.abs(inverse_1_7)
    size_h7_h3 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*np.abs(inverse_3_7)
    size_h7_h5 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*np.abs(inverse_5_7)
    size_h7_h7 = 11025*(drag*drag)*(eta)**(14)*(length)**(6)*(psi)**(6)*(scale7*scale7)*(strength_7*strength_7)/((n)**(6)*(phi)**(6)) + (scale7*scale7)*np.abs(inverse_7_7) + size*(weight7*weight7)*(11025*ratio*(drag*linear/length + 1) + 124110)
    A = stack_matrix(iterations.shape, ((A_h1_h1, A_h1_h3, A_h1_h5, A_h1_h7,), (A_h3_h1, A_h3_h3, A_h3_h5, A_h3_h7,), (A_h5_h1, A_h5_h3, A_h5_h5, A_h5_h7,), (A_h7_h1, A_h7_h3, A_h7_h5, A_h7_h7,),))
    b = stack_vector(iterations.shape, (b_h1, b_h3, b_h5, b_h7,))
    solution, h1_h3_h5_h7_residual = solve_linear_batch(A, b)
    h1 = solution[..., 0]
    h3 = solution[..., 1]
    h5 = solution[..., 2]
    h7 = solution[..., 3]
    if diagnose:
        blocks.append(("linear", ("h1", "h3", "h5", "h7",), A, stack_vector(iterations.shape, (size_h1, size_h3, size_h5, size_h7,)), (), stack_matrix(iterations.shape, ((size_h1_h1, size_h1_h3, size_h1_h5, size_h1_h7,), (size_h3_h1, size_h3_h3, size_h3_h5, size_h3_h7,), (size_h5_h1, size_h5_h3, size_h5_h5, size_h5_h7,), (size_h7_h1, size_h7_h3, size_h7_h5, size_h7_h7,),))))
    zero = 0
    one = 1
    A = stack_matrix(iterations.shape, ((A_h1_h1, A_h1_h3, A_h1_h5, A_h1_h7,), (A_h3_h1, A_h3_h3, A_h3_h5, A_h3_h7,), (A_h5_h1, A_h5_h3, A_h5_h5, A_h5_h7,), (A_h7_h1, A_h7_h3, A_h7_h5, A_h7_h7,),))
    b = stack_vector(iterations.shape, (one, zero, zero, zero,))
    solution, inverse_h1_residual = solve_linear_batch(A, b)
    inverse_h1_h1 = solution[..., 0]
    inverse_h3_h1 = solution[..., 1]
    inverse_h5_h1 = solution[..., 2]
    inverse_h7_h1 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_h1_h1, A_h1_h3, A_h1_h5, A_h1_h7,), (A_h3_h1, A_h3_h3, A_h3_h5, A_h3_h7,), (A_h5_h1, A_h5_h3, A_h5_h5, A_h5_h7,), (A_h7_h1, A_h7_h3, A_h7_h5, A_h7_h7,),))
    b = stack_vector(iterations.shape, (zero, one, zero, zero,))
    solution, inverse_h3_residual = solve_linear_batch(A, b)
    inverse_h1_h3 = solution[..., 0]
    inverse_h3_h3 = solution[..., 1]
    inverse_h5_h3 = solution[..., 2]
    inverse_h7_h3 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_h1_h1, A_h1_h3, A_h1_h5, A_h1_h7,), (A_h3_h1, A_h3_h3, A_h3_h5, A_h3_h7,), (A_h5_h1, A_h5_h3, A_h5_h5, A_h5_h7,), (A_h7_h1, A_h7_h3, A_h7_h5, A_h7_h7,),))
    b = stack_vector(iterations.shape, (zero, zero, one, zero,))
    solution, inverse_h5_residual = solve_linear_batch(A, b)
    inverse_h1_h5 = solution[..., 0]
    inverse_h3_h5 = solution[..., 1]
    inverse_h5_h5 = solution[..., 2]
    inverse_h7_h5 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_h1_h1, A_h1_h3, A_h1_h5, A_h1_h7,), (A_h3_h1, A_h3_h3, A_h3_h5, A_h3_h7,), (A_h5_h1, A_h5_h3, A_h5_h5, A_h5_h7,), (A_h7_h1, A_h7_h3, A_h7_h5, A_h7_h7,),))
    b = stack_vector(iterations.shape, (zero, zero, zero, one,))
    solution, inverse_h7_residual = solve_linear_batch(A, b)
    inverse_h1_h7 = solution[..., 0]
    inverse_h3_h7 = solution[..., 1]
    inverse_h5_h7 = solution[..., 2]
    inverse_h7_h7 = solution[..., 3]
    h1_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h1*np.abs(inverse_h1_h1) + size_h3_h1*np.abs(inverse_h1_h3) + size_h5_h1*np.abs(inverse_h1_h5) + size_h7_h1*np.abs(inverse_h1_h7)))
    h3_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h3*np.abs(inverse_h3_h1) + size_h3_h3*np.abs(inverse_h3_h3) + size_h5_h3*np.abs(inverse_h3_h5) + size_h7_h3*np.abs(inverse_h3_h7)))
    h5_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h5*np.abs(inverse_h5_h1) + size_h3_h5*np.abs(inverse_h5_h3) + size_h5_h5*np.abs(inverse_h5_h5) + size_h7_h5*np.abs(inverse_h5_h7)))
    h7_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h7*np.abs(inverse_h7_h1) + size_h3_h7*np.abs(inverse_h7_h3) + size_h5_h7*np.abs(inverse_h7_h5) + size_h7_h7*np.abs(inverse_h7_h7)))
    theta2 = (eta*eta)*length*np.sqrt(psi)*strength_2/(np.sqrt(n)*np.sqrt(phi))
    scale2 = (1.0/np.sqrt((theta2*theta2) + 1))
    spread = chi*radial/phi
    lost = spread/(-mean_share*spread + spread + 1)
    weight2 = scale2*theta2
    level = (1 - free)/(gaussian*spread + 1)
    M22 = (scale2*scale2)*(inverse_2_2 + lost*(mean_2*mean_2)) + size*(weight2*weight2)*(level + 2)
    A_h2_h2 = M22
    theta4 = (eta*eta*eta*eta)*(length*length)*(psi)**(1.5)*strength_4/((n)**(1.5)*(phi)**(1.5))
    scale4 = (1.0/np.sqrt((theta4*theta4) + 1))
    weight4 = scale4*theta4
    M24 = scale2*scale4*(inverse_2_4 + lost*mean_2*mean_4) + size*weight2*weight4*(3*level + 12)
    A_h2_h4 = M24
    theta6 = (eta)**(6)*(length*length*length)*(psi)**(2.5)*strength_6/((n)**(2.5)*(phi)**(2.5))
    scale6 = (1.0/np.sqrt((theta6*theta6) + 1))
    weight6 = scale6*theta6
    M26 = scale2*scale6*(inverse_2_6 + lost*mean_2*mean_6) + size*weight2*weight6*(15*level + 90)
    A_h2_h6 = M26
    theta8 = (eta)**(8)*(length*length*length*length)*(psi)**(3.5)*strength_8/((n)**(3.5)*(phi)**(3.5))
    scale8 = (1.0/np.sqrt((theta8*theta8) + 1))
    weight8 = scale8*theta8
    M28 = scale2*scale8*(inverse_2_8 + lost*mean_2*mean_8) + size*weight2*weight8*(105*level + 840)
    A_h2_h8 = M28
    signal2 = 2*target_2*(target_linear*target_linear)*weight2/length
    b_h2 = signal2*size
    if diagnose:
        size_h2 = 2*(eta*eta)*np.sqrt(psi)*scale2*size*(target_linear*target_linear)*np.abs(strength_2)*np.abs(target_2)/(np.sqrt(n)*np.sqrt(phi))
    A_h4_h2 = M24
    M44 = (scale4*scale4)*(inverse_4_4 + lost*(mean_4*mean_4)) + size*(weight4*weight4)*(9*level + 96)
    A_h4_h4 = M44
    M46 = scale4*scale6*(inverse_4_6 + lost*mean_4*mean_6) + size*weight4*weight6*(45*level + 900)
    A_h4_h6 = M46
    M48 = scale4*scale8*(inverse_4_8 + lost*mean_4*mean_8) + size*weight4*weight8*(315*level + 10080)
    A_h4_h8 = M48
    signal4 = weight4*(12*target_2*(target_linear*target_linear)/length + 24*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length))
    b_h4 = signal4*size
    if diagnose:
        size_h4 = (eta*eta*eta*eta)*(length*length)*(psi)**(1.5)*scale4*size*(12*(target_linear*target_linear)*np.abs(target_2)/length + 24*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length))*np.abs(strength_4)/((n)**(1.5)*(phi)**(1.5))
    A_h6_h2 = M26
    A_h6_h4 = M46
    M66 = (scale6*scale6)*(inverse_6_6 + lost*(mean_6*mean_6)) + size*(weight6*weight6)*(225*level + 10170)
    A_h6_h6 = M66
    M68 = scale6*scale8*(inverse_6_8 + lost*mean_6*mean_8) + size*weight6*weight8*(1575*level + 133560)
    A_h6_h8 = M68
    signal6 = weight6*(90*target_2*(target_linear*target_linear)/length + 360*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length) + 720*target_6*(target_linear)**(6)/(length*length*length))
    b_h6 = signal6*size
    if diagnose:
        size_h6 = (eta)**(6)*(length*length*length)*(psi)**(2.5)*scale6*size*(90*(target_linear*target_linear)*np.abs(target_2)/length + 360*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length) + 720*(target_linear)**(6)*np.abs(target_6)/(length*length*length))*np.abs(strength_6)/((n)**(2.5)*(phi)**(2.5))
    A_h8_h2 = M28
    A_h8_h4 = M48
    A_h8_h6 = M68
    M88 = (scale8*scale8)*(inverse_8_8 + lost*(mean_8*mean_8)) + size*(weight8*weight8)*(11025*level + 2016000)
    A_h8_h8 = M88
    signal8 = weight8*(840*target_2*(target_linear*target_linear)/length + 5040*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length) + 20160*target_6*(target_linear)**(6)/(length*length*length) + 40320*target_8*(target_linear)**(8)/(length*length*length*length))
    b_h8 = signal8*size
    if diagnose:
        size_h8 = (eta)**(8)*(length*length*length*length)*(psi)**(3.5)*scale8*size*(840*(target_linear*target_linear)*np.abs(target_2)/length + 5040*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length) + 20160*(target_linear)**(6)*np.abs(target_6)/(length*length*length) + 40320*(target_linear)**(8)*np.abs(target_8)/(length*length*length*length))*np.abs(strength_8)/((n)**(3.5)*(phi)**(3.5))
    size_h2_h2 = (scale2*scale2)*((mean_2*mean_2)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_2)) + size*(weight2*weight2)*((free + 1)/(gaussian*spread + 1) + 2)
    size_h2_h4 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*np.abs(mean_2)*np.abs(mean_4)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_4))
    size_h2_h6 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*np.abs(mean_2)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_6))
    size_h2_h8 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*np.abs(mean_2)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_8))
    size_h4_h2 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*np.abs(mean_2)*np.abs(mean_4)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_4))
    size_h4_h4 = (scale4*scale4)*((mean_4*mean_4)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_4)) + size*(weight4*weight4)*(9*(free + 1)/(gaussian*spread + 1) + 96)
    size_h4_h6 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*np.abs(mean_4)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_6))
    size_h4_h8 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*np.abs(mean_4)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_8))
    size_h6_h2 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*np.abs(mean_2)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_6))
    size_h6_h4 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*np.abs(mean_4)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_6))
    size_h6_h6 = (scale6*scale6)*((mean_6*mean_6)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_6_6)) + size*(weight6*weight6)*(225*(free + 1)/(gaussian*spread + 1) + 10170)
    size_h6_h8 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*np.abs(mean_6)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_6_8))
    size_h8_h2 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*np.abs(mean_2)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_8))
    size_h8_h4 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*np.abs(mean_4)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_8))
    size_h8_h6 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*np.abs(mean_6)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_6_8))
    size_h8_h8 = (scale8*scale8)*((mean_8*mean_8)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_8_8)) + size*(weight8*weight8)*(11025*(free + 1)/(gaussian*spread + 1) + 2016000)
    A = stack_matrix(iterations.shape, ((A_h2_h2, A_h2_h4, A_h2_h6, A_h2_h8,), (A_h4_h2, A_h4_h4, A_h4_h6, A_h4_h8,), (A_h6_h2, A_h6_h4, A_h6_h6, A_h6_h8,), (A_h8_h2, A_h8_h4, A_h8_h6, A_h8_h8,),))
    b = stack_vector(iterations.shape, (b_h2, b_h4, b_h6, b_h8,))
    solution, h2_h4_h6_h8_residual = solve_linear_batch(A, b)
    h2 = solution[..., 0]
    h4 = solution[..., 1]
    h6 = solution[..., 2]
    h8 = solution[..., 3]
    if diagnose:
        blocks.append(("linear", ("h2", "h4", "h6", "h8",), A, stack_vector(iterations.shape, (size_h2, size_h4, size_h6, size_h8,)), (), stack_matrix(iterations.shape, ((size_h2_h2, size_h2_h4, size_h2_h6, size_h2_h8,), (size_h4_h2, size_h4_h4, size_h4_h6, size_h4_h8,), (size_h6_h2, size_h6_h4, size_h6_h6, size_h6_h8,), (size_h8_h2, size_h8_h4, size_h8_h6, size_h8_h8,),))))
    zero_2 = 0
    one_2 = 1
    A = stack_matrix(iterations.shape, ((A_h2_h2, A_h2_h4, A_h2_h6, A_h2_h8,), (A_h4_h2, A_h4_h4, A_h4_h6, A_h4_h8,), (A_h6_h2, A_h6_h4, A_h6_h6, A_h6_h8,), (A_h8_h2, A_h8_h4, A_h8_h6, A_h8_h8,),))
    b = stack_vector(iterations.shape, (one_2, zero_2, zero_2, zero_2,))
    solution, inverse_h2_residual = solve_linear_batch(A, b)
    inverse_h2_h2 = solution[..., 0]
    inverse_h4_h2 = solution[..., 1]
    inverse_h6_h2 = solution[..., 2]
    inverse_h8_h2 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_h2_h2, A_h2_h4, A_h2_h6, A_h2_h8,), (A_h4_h2, A_h4_h4, A_h4_h6, A_h4_h8,), (A_h6_h2, A_h6_h4, A_h6_h6, A_h6_h8,), (A_h8_h2, A_h8_h4, A_h8_h6, A_h8_h8,),))
    b = stack_vector(iterations.shape, (zero_2, one_2, zero_2, zero_2,))
    solution, inverse_h4_residual = solve_linear_batch(A, b)
    inverse_h2_h4 = solution[..., 0]
    inverse_h4_h4 = solution[..., 1]
    inverse_h6_h4 = solution[..., 2]
    inverse_h8_h4 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_h2_h2, A_h2_h4, A_h2_h6, A_h2_h8,), (A_h4_h2, A_h4_h4, A_h4_h6, A_h4_h8,), (A_h6_h2, A_h6_h4, A_h6_h6, A_h6_h8,), (A_h8_h2, A_h8_h4, A_h8_h6, A_h8_h8,),))
    b = stack_vector(iterations.shape, (zero_2, zero_2, one_2, zero_2,))
    solution, inverse_h6_residual = solve_linear_batch(A, b)
    inverse_h2_h6 = solution[..., 0]
    inverse_h4_h6 = solution[..., 1]
    inverse_h6_h6 = solution[..., 2]
    inverse_h8_h6 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_h2_h2, A_h2_h4, A_h2_h6, A_h2_h8,), (A_h4_h2, A_h4_h4, A_h4_h6, A_h4_h8,), (A_h6_h2, A_h6_h4, A_h6_h6, A_h6_h8,), (A_h8_h2, A_h8_h4, A_h8_h6, A_h8_h8,),))
    b = stack_vector(iterations.shape, (zero_2, zero_2, zero_2, one_2,))
    solution, inverse_h8_residual = solve_linear_batch(A, b)
    inverse_h2_h8 = solution[..., 0]
    inverse_h4_h8 = solution[..., 1]
    inverse_h6_h8 = solution[..., 2]
    inverse_h8_h8 = solution[..., 3]
    h2_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h2*np.abs(inverse_h2_h2) + size_h4_h2*np.abs(inverse_h2_h4) + size_h6_h2*np.abs(inverse_h2_h6) + size_h8_h2*np.abs(inverse_h2_h8)))
    h4_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h4*np.abs(inverse_h4_h2) + size_h4_h4*np.abs(inverse_h4_h4) + size_h6_h4*np.abs(inverse_h4_h6) + size_h8_h4*np.abs(inverse_h4_h8)))
    h6_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h6*np.abs(inverse_h6_h2) + size_h4_h6*np.abs(inverse_h6_h4) + size_h6_h6*np.abs(inverse_h6_h6) + size_h8_h6*np.abs(inverse_h6_h8)))
    h8_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h8*np.abs(inverse_h8_h2) + size_h4_h8*np.abs(inverse_h8_h4) + size_h6_h8*np.abs(inverse_h8_h6) + size_h8_h8*np.abs(inverse_h8_h8)))
    ddzeta_ddchi = -4*(kappa*kappa*kappa)*(lam*lam)/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) - (linear*linear)*phi/(chi*linear + phi)**(2)
    dzeta_0 = -4*chi*(kappa*kappa*kappa)*lam/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    if diagnose:
        size_dzeta_0 = 4*chi*(kappa*kappa*kappa)*lam/((distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))**(2)*np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))) + 2*kappa/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    A_dchi_dchi = 2*ddzeta_ddchi/((zeta*zeta)*(distance + kappa + 1)) + 1
    b_dchi = -2*dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    if diagnose:
        size_dchi = 2*size_dzeta_0/((zeta*zeta)*(distance + kappa + 1))
    size_dchi_dchi = 1 + 2*np.abs(ddzeta_ddchi)/((zeta*zeta)*(distance + kappa + 1))
    A = stack_matrix(iterations.shape, ((A_dchi_dchi,),))
    b = stack_vector(iterations.shape, (b_dchi,))
    solution, dchi_residual = solve_linear_batch(A, b)
    dchi = solution[..., 0]
    if diagnose:
        blocks.append(("linear", ("dchi",), A, stack_vector(iterations.shape, (size_dchi,)), (("dzeta", size_dzeta_0, (ddzeta_ddchi, )),), stack_matrix(iterations.shape, ((size_dchi_dchi,),))))
    dzeta = dchi*ddzeta_ddchi + dzeta_0
    dchi_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(np.abs(A_dchi_dchi) + 1e-300))
    steepness = kappa*(linear*(ratio*ratio) + nonlinear)/mtilde
    dm1 = dchi*m1*(steepness + (1.0/chi))
    dm2 = dchi*m2*(steepness + ratio/chi)
    A_dh1_dh1 = M11
    A_dh1_dh3 = M13
    A_dh1_dh5 = M15
    A_dh1_dh7 = M17
    dratio = -dchi*linear*phi/(chi*linear + phi)**(2)
    dsignal1 = dratio*(target_linear*target_linear)*weight1/np.sqrt(length)
    dsize = dchi*kappa
    ddrag = dratio*kept*linear*size + dsize*kept*linear*ratio
    dfirst = -ddrag*linear*ratio/length + dratio*(-drag*linear/length + 1)
    dM11 = ddrag*(2*(along1*along1)*drag - 2*along1*scale1) + dfirst*size*(weight1*weight1) + dsize*first*(weight1*weight1)
    dM13 = ddrag*(2*along1*along3*drag - along3*scale1) + 3*dfirst*size*weight1*weight3 + 3*dsize*first*weight1*weight3
    dM15 = ddrag*(2*along1*along5*drag - along5*scale1) + 15*dfirst*size*weight1*weight5 + 15*dsize*first*weight1*weight5
    dM17 = ddrag*(2*along1*along7*drag - along7*scale1) + 105*dfirst*size*weight1*weight7 + 105*dsize*first*weight1*weight7
    b_dh1 = -dM11*h1 - dM13*h3 - dM15*h5 - dM17*h7 + dsignal1*size + dsize*signal1
    if diagnose:
        size_dh1 = eta*kappa*ratio*scale1*(target_linear*target_linear)*np.abs(dchi)*np.abs(strength_1) + eta*linear*phi*scale1*size*(target_linear*target_linear)*np.abs(dchi)*np.abs(strength_1)/(chi*linear + phi)**(2) + (kappa*ratio*(weight1*weight1)*(drag*linear/length + 1)*np.abs(dchi) + size*(weight1*weight1)*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length) + (2*drag*(eta*eta)*(scale1*scale1)*(strength_1*strength_1) + 2*eta*(scale1*scale1)*np.abs(strength_1))*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2)))*np.abs(h1) + (3*(eta*eta*eta*eta)*kappa*(length*length)*psi*ratio*scale1*scale3*(drag*linear/length + 1)*np.abs(dchi)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*scale1*scale3*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + (kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*(6*drag*(eta*eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_3)/(n*phi)))*np.abs(h3) + (15*(eta)**(6)*kappa*(length*length*length)*(psi*psi)*ratio*scale1*scale5*(drag*linear/length + 1)*np.abs(dchi)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*scale1*scale5*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + (kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*(30*drag*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_5)/((n*n)*(phi*phi))))*np.abs(h5) + (105*(eta)**(8)*kappa*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*(drag*linear/length + 1)*np.abs(dchi)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale1*scale7*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + (kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*(210*drag*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_7)/((n*n*n)*(phi*phi*phi))))*np.abs(h7)
    A_dh3_dh1 = M13
    A_dh3_dh3 = M33
    A_dh3_dh5 = M35
    A_dh3_dh7 = M37
    dsignal3 = 3*dratio*(target_linear*target_linear)*weight3/np.sqrt(length)
    dM33 = 2*(along3*along3)*ddrag*drag + 9*dfirst*size*(weight3*weight3) + dsize*(weight3*weight3)*(9*first + 6)
    dM35 = 2*along3*along5*ddrag*drag + 45*dfirst*size*weight3*weight5 + dsize*weight3*weight5*(45*first + 60)
    dM37 = 2*along3*along7*ddrag*drag + 315*dfirst*size*weight3*weight7 + dsize*weight3*weight7*(315*first + 630)
    b_dh3 = -dM13*h1 - dM33*h3 - dM35*h5 - dM37*h7 + dsignal3*size + dsize*signal3
    if diagnose:
        size_dh3 = (eta*eta*eta)*kappa*(length)**(1.5)*psi*scale3*(3*ratio*(target_linear*target_linear)/np.sqrt(length) + 6*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5))*np.abs(dchi)*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta)*length*linear*psi*scale3*size*(target_linear*target_linear)*np.abs(dchi)*np.abs(strength_3)/(n*(chi*linear + phi)**(2)) + (18*drag*(eta)**(6)*(length*length)*(psi*psi)*(scale3*scale3)*(strength_3*strength_3)*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/((n*n)*(phi*phi)) + kappa*(weight3*weight3)*(9*ratio*(drag*linear/length + 1) + 6)*np.abs(dchi) + 9*size*(weight3*weight3)*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length))*np.abs(h3) + (90*drag*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*kappa*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*(45*ratio*(drag*linear/length + 1) + 60)*np.abs(dchi)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + 45*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)))*np.abs(h5) + (630*drag*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*kappa*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*(315*ratio*(drag*linear/length + 1) + 630)*np.abs(dchi)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + 315*(eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)))*np.abs(h7) + (3*(eta*eta*eta*eta)*kappa*(length*length)*psi*ratio*scale1*scale3*(drag*linear/length + 1)*np.abs(dchi)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*scale1*scale3*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + (kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*(6*drag*(eta*eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_3)/(n*phi)))*np.abs(h1)
    A_dh5_dh1 = M15
    A_dh5_dh3 = M35
    A_dh5_dh5 = M55
    A_dh5_dh7 = M57
    dsignal5 = 15*dratio*(target_linear*target_linear)*weight5/np.sqrt(length)
    dM55 = 2*(along5*along5)*ddrag*drag + 225*dfirst*size*(weight5*weight5) + dsize*(weight5*weight5)*(225*first + 720)
    dM57 = 2*along5*along7*ddrag*drag + 1575*dfirst*size*weight5*weight7 + dsize*weight5*weight7*(1575*first + 8820)
    b_dh5 = -dM15*h1 - dM35*h3 - dM55*h5 - dM57*h7 + dsignal5*size + dsize*signal5
    if diagnose:
        size_dh5 = (eta)**(5)*kappa*(length)**(2.5)*(psi*psi)*scale5*(15*ratio*(target_linear*target_linear)/np.sqrt(length) + 60*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5) + 120*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_5)*np.abs(target_linear)/(length)**(2.5))*np.abs(dchi)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(5)*(length*length)*linear*(psi*psi)*scale5*size*(target_linear*target_linear)*np.abs(dchi)*np.abs(strength_5)/((n*n)*phi*(chi*linear + phi)**(2)) + (450*drag*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*(scale5*scale5)*(strength_5*strength_5)*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/((n*n*n*n)*(phi*phi*phi*phi)) + kappa*(weight5*weight5)*(225*ratio*(drag*linear/length + 1) + 720)*np.abs(dchi) + 225*size*(weight5*weight5)*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length))*np.abs(h5) + (90*drag*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*kappa*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*(45*ratio*(drag*linear/length + 1) + 60)*np.abs(dchi)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + 45*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)))*np.abs(h3) + (3150*drag*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*kappa*(length)**(6)*(psi)**(5)*scale5*scale7*(1575*ratio*(drag*linear/length + 1) + 8820)*np.abs(dchi)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + 1575*(eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)))*np.abs(h7) + (15*(eta)**(6)*kappa*(length*length*length)*(psi*psi)*ratio*scale1*scale5*(drag*linear/length + 1)*np.abs(dchi)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*scale1*scale5*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + (kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*(30*drag*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_5)/((n*n)*(phi*phi))))*np.abs(h1)
    A_dh7_dh1 = M17
    A_dh7_dh3 = M37
    A_dh7_dh5 = M57
    A_dh7_dh7 = M77
    dsignal7 = 105*dratio*(target_linear*target_linear)*weight7/np.sqrt(length)
    dM77 = 2*(along7*along7)*ddrag*drag + 11025*dfirst*size*(weight7*weight7) + dsize*(weight7*weight7)*(11025*first + 124110)
    b_dh7 = -dM17*h1 - dM37*h3 - dM57*h5 - dM77*h7 + dsignal7*size + dsize*signal7
    if diagnose:
        size_dh7 = (eta)**(7)*kappa*(length)**(3.5)*(psi*psi*psi)*scale7*(105*ratio*(target_linear*target_linear)/np.sqrt(length) + 630*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5) + 2520*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_5)*np.abs(target_linear)/(length)**(2.5) + 5040*(target_linear)**(6)*np.abs(target_7)*np.abs(target_linear)/(length)**(3.5))*np.abs(dchi)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(7)*(length*length*length)*linear*(psi*psi*psi)*scale7*size*(target_linear*target_linear)*np.abs(dchi)*np.abs(strength_7)/((n*n*n)*(phi*phi)*(chi*linear + phi)**(2)) + (22050*drag*(eta)**(14)*(length)**(6)*(psi)**(6)*(scale7*scale7)*(strength_7*strength_7)*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/((n)**(6)*(phi)**(6)) + kappa*(weight7*weight7)*(11025*ratio*(drag*linear/length + 1) + 124110)*np.abs(dchi) + 11025*size*(weight7*weight7)*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length))*np.abs(h7) + (630*drag*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*kappa*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*(315*ratio*(drag*linear/length + 1) + 630)*np.abs(dchi)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + 315*(eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)))*np.abs(h3) + (3150*drag*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*kappa*(length)**(6)*(psi)**(5)*scale5*scale7*(1575*ratio*(drag*linear/length + 1) + 8820)*np.abs(dchi)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + 1575*(eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)))*np.abs(h5) + (105*(eta)**(8)*kappa*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*(drag*linear/length + 1)*np.abs(dchi)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale1*scale7*size*(linear*phi*(drag*linear/length + 1)*np.abs(dchi)/(chi*linear + phi)**(2) + linear*ratio*(kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))/length)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + (kappa*kept*linear*ratio*np.abs(dchi) + kept*(linear*linear)*phi*size*np.abs(dchi)/(chi*linear + phi)**(2))*(210*drag*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_7)/((n*n*n)*(phi*phi*phi))))*np.abs(h1)
    size_dh1_dh1 = (drag*drag)*(eta*eta)*(scale1*scale1)*(strength_1*strength_1) + 2*drag*eta*(scale1*scale1)*np.abs(strength_1) + ratio*size*(weight1*weight1)*(drag*linear/length + 1) + (scale1*scale1)*np.abs(inverse_1_1)
    size_dh1_dh3 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + scale1*scale3*np.abs(inverse_1_3)
    size_dh1_dh5 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*np.abs(inverse_1_5)
    size_dh1_dh7 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*np.abs(inverse_1_7)
    size_dh3_dh1 = 3*(drag*drag)*(eta*eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + 3*drag*(eta*eta*eta)*length*psi*scale1*scale3*np.abs(strength_3)/(n*phi) + 3*(eta*eta*eta*eta)*(length*length)*psi*ratio*scale1*scale3*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_3)/(n*phi) + scale1*scale3*np.abs(inverse_1_3)
    size_dh3_dh3 = 9*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*(scale3*scale3)*(strength_3*strength_3)/((n*n)*(phi*phi)) + (scale3*scale3)*np.abs(inverse_3_3) + size*(weight3*weight3)*(9*ratio*(drag*linear/length + 1) + 6)
    size_dh3_dh5 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*np.abs(inverse_3_5)
    size_dh3_dh7 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*np.abs(inverse_3_7)
    size_dh5_dh1 = 15*(drag*drag)*(eta)**(6)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*drag*(eta)**(5)*(length*length)*(psi*psi)*scale1*scale5*np.abs(strength_5)/((n*n)*(phi*phi)) + 15*(eta)**(6)*(length*length*length)*(psi*psi)*ratio*scale1*scale5*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_5)/((n*n)*(phi*phi)) + scale1*scale5*np.abs(inverse_1_5)
    size_dh5_dh3 = 45*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale3*scale5*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale3*scale5*size*(45*ratio*(drag*linear/length + 1) + 60)*np.abs(strength_3)*np.abs(strength_5)/((n*n*n)*(phi*phi*phi)) + scale3*scale5*np.abs(inverse_3_5)
    size_dh5_dh5 = 225*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*(scale5*scale5)*(strength_5*strength_5)/((n*n*n*n)*(phi*phi*phi*phi)) + (scale5*scale5)*np.abs(inverse_5_5) + size*(weight5*weight5)*(225*ratio*(drag*linear/length + 1) + 720)
    size_dh5_dh7 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*np.abs(inverse_5_7)
    size_dh7_dh1 = 105*(drag*drag)*(eta)**(8)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*drag*(eta)**(7)*(length*length*length)*(psi*psi*psi)*scale1*scale7*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + 105*(eta)**(8)*(length*length*length*length)*(psi*psi*psi)*ratio*scale1*scale7*size*(drag*linear/length + 1)*np.abs(strength_1)*np.abs(strength_7)/((n*n*n)*(phi*phi*phi)) + scale1*scale7*np.abs(inverse_1_7)
    size_dh7_dh3 = 315*(drag*drag)*(eta)**(10)*(length*length*length*length)*(psi*psi*psi*psi)*scale3*scale7*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale3*scale7*size*(315*ratio*(drag*linear/length + 1) + 630)*np.abs(strength_3)*np.abs(strength_7)/((n*n*n*n)*(phi*phi*phi*phi)) + scale3*scale7*np.abs(inverse_3_7)
    size_dh7_dh5 = 1575*(drag*drag)*(eta)**(12)*(length)**(5)*(psi)**(5)*scale5*scale7*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + (eta)**(12)*(length)**(6)*(psi)**(5)*scale5*scale7*size*(1575*ratio*(drag*linear/length + 1) + 8820)*np.abs(strength_5)*np.abs(strength_7)/((n)**(5)*(phi)**(5)) + scale5*scale7*np.abs(inverse_5_7)
    size_dh7_dh7 = 11025*(drag*drag)*(eta)**(14)*(length)**(6)*(psi)**(6)*(scale7*scale7)*(strength_7*strength_7)/((n)**(6)*(phi)**(6)) + (scale7*scale7)*np.abs(inverse_7_7) + size*(weight7*weight7)*(11025*ratio*(drag*linear/length + 1) + 124110)
    A = stack_matrix(iterations.shape, ((A_dh1_dh1, A_dh1_dh3, A_dh1_dh5, A_dh1_dh7,), (A_dh3_dh1, A_dh3_dh3, A_dh3_dh5, A_dh3_dh7,), (A_dh5_dh1, A_dh5_dh3, A_dh5_dh5, A_dh5_dh7,), (A_dh7_dh1, A_dh7_dh3, A_dh7_dh5, A_dh7_dh7,),))
    b = stack_vector(iterations.shape, (b_dh1, b_dh3, b_dh5, b_dh7,))
    solution, dh1_dh3_dh5_dh7_residual = solve_linear_batch(A, b)
    dh1 = solution[..., 0]
    dh3 = solution[..., 1]
    dh5 = solution[..., 2]
    dh7 = solution[..., 3]
    if diagnose:
        blocks.append(("linear", ("dh1", "dh3", "dh5", "dh7",), A, stack_vector(iterations.shape, (size_dh1, size_dh3, size_dh5, size_dh7,)), (), stack_matrix(iterations.shape, ((size_dh1_dh1, size_dh1_dh3, size_dh1_dh5, size_dh1_dh7,), (size_dh3_dh1, size_dh3_dh3, size_dh3_dh5, size_dh3_dh7,), (size_dh5_dh1, size_dh5_dh3, size_dh5_dh5, size_dh5_dh7,), (size_dh7_dh1, size_dh7_dh3, size_dh7_dh5, size_dh7_dh7,),))))
    zero_3 = 0
    one_3 = 1
    A = stack_matrix(iterations.shape, ((A_dh1_dh1, A_dh1_dh3, A_dh1_dh5, A_dh1_dh7,), (A_dh3_dh1, A_dh3_dh3, A_dh3_dh5, A_dh3_dh7,), (A_dh5_dh1, A_dh5_dh3, A_dh5_dh5, A_dh5_dh7,), (A_dh7_dh1, A_dh7_dh3, A_dh7_dh5, A_dh7_dh7,),))
    b = stack_vector(iterations.shape, (one_3, zero_3, zero_3, zero_3,))
    solution, inverse_dh1_residual = solve_linear_batch(A, b)
    inverse_dh1_dh1 = solution[..., 0]
    inverse_dh3_dh1 = solution[..., 1]
    inverse_dh5_dh1 = solution[..., 2]
    inverse_dh7_dh1 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_dh1_dh1, A_dh1_dh3, A_dh1_dh5, A_dh1_dh7,), (A_dh3_dh1, A_dh3_dh3, A_dh3_dh5, A_dh3_dh7,), (A_dh5_dh1, A_dh5_dh3, A_dh5_dh5, A_dh5_dh7,), (A_dh7_dh1, A_dh7_dh3, A_dh7_dh5, A_dh7_dh7,),))
    b = stack_vector(iterations.shape, (zero_3, one_3, zero_3, zero_3,))
    solution, inverse_dh3_residual = solve_linear_batch(A, b)
    inverse_dh1_dh3 = solution[..., 0]
    inverse_dh3_dh3 = solution[..., 1]
    inverse_dh5_dh3 = solution[..., 2]
    inverse_dh7_dh3 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_dh1_dh1, A_dh1_dh3, A_dh1_dh5, A_dh1_dh7,), (A_dh3_dh1, A_dh3_dh3, A_dh3_dh5, A_dh3_dh7,), (A_dh5_dh1, A_dh5_dh3, A_dh5_dh5, A_dh5_dh7,), (A_dh7_dh1, A_dh7_dh3, A_dh7_dh5, A_dh7_dh7,),))
    b = stack_vector(iterations.shape, (zero_3, zero_3, one_3, zero_3,))
    solution, inverse_dh5_residual = solve_linear_batch(A, b)
    inverse_dh1_dh5 = solution[..., 0]
    inverse_dh3_dh5 = solution[..., 1]
    inverse_dh5_dh5 = solution[..., 2]
    inverse_dh7_dh5 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_dh1_dh1, A_dh1_dh3, A_dh1_dh5, A_dh1_dh7,), (A_dh3_dh1, A_dh3_dh3, A_dh3_dh5, A_dh3_dh7,), (A_dh5_dh1, A_dh5_dh3, A_dh5_dh5, A_dh5_dh7,), (A_dh7_dh1, A_dh7_dh3, A_dh7_dh5, A_dh7_dh7,),))
    b = stack_vector(iterations.shape, (zero_3, zero_3, zero_3, one_3,))
    solution, inverse_dh7_residual = solve_linear_batch(A, b)
    inverse_dh1_dh7 = solution[..., 0]
    inverse_dh3_dh7 = solution[..., 1]
    inverse_dh5_dh7 = solution[..., 2]
    inverse_dh7_dh7 = solution[..., 3]
    dh1_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh1*np.abs(inverse_dh1_dh1) + size_dh3_dh1*np.abs(inverse_dh1_dh3) + size_dh5_dh1*np.abs(inverse_dh1_dh5) + size_dh7_dh1*np.abs(inverse_dh1_dh7)))
    dh3_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh3*np.abs(inverse_dh3_dh1) + size_dh3_dh3*np.abs(inverse_dh3_dh3) + size_dh5_dh3*np.abs(inverse_dh3_dh5) + size_dh7_dh3*np.abs(inverse_dh3_dh7)))
    dh5_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh5*np.abs(inverse_dh5_dh1) + size_dh3_dh5*np.abs(inverse_dh5_dh3) + size_dh5_dh5*np.abs(inverse_dh5_dh5) + size_dh7_dh5*np.abs(inverse_dh5_dh7)))
    dh7_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh1_dh7*np.abs(inverse_dh7_dh1) + size_dh3_dh7*np.abs(inverse_dh7_dh3) + size_dh5_dh7*np.abs(inverse_dh7_dh5) + size_dh7_dh7*np.abs(inverse_dh7_dh7)))
    A_dh2_dh2 = M22
    A_dh2_dh4 = M24
    A_dh2_dh6 = M26
    A_dh2_dh8 = M28
    dspread = dchi*radial/phi
    dlost = dspread*(spread*(mean_share - 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(-mean_share*spread + spread + 1)))
    dlevel = -dspread*gaussian*(1 - free)/(gaussian*spread + 1)**(2)
    dM22 = dlevel*size*(weight2*weight2) + dlost*(mean_2*mean_2)*(scale2*scale2) + dsize*(weight2*weight2)*(level + 2)
    dM24 = 3*dlevel*size*weight2*weight4 + dlost*mean_2*mean_4*scale2*scale4 + dsize*weight2*weight4*(3*level + 12)
    dM26 = 15*dlevel*size*weight2*weight6 + dlost*mean_2*mean_6*scale2*scale6 + dsize*weight2*weight6*(15*level + 90)
    dM28 = 105*dlevel*size*weight2*weight8 + dlost*mean_2*mean_8*scale2*scale8 + dsize*weight2*weight8*(105*level + 840)
    b_dh2 = -dM22*h2 - dM24*h4 - dM26*h6 - dM28*h8 + dsize*signal2
    if diagnose:
        size_dh2 = 2*(eta*eta)*kappa*np.sqrt(psi)*scale2*(target_linear*target_linear)*np.abs(dchi)*np.abs(strength_2)*np.abs(target_2)/(np.sqrt(n)*np.sqrt(phi)) + (gaussian*radial*size*(weight2*weight2)*(free + 1)*np.abs(dchi)/(phi*(gaussian*spread + 1)**(2)) + kappa*(weight2*weight2)*((free + 1)/(gaussian*spread + 1) + 2)*np.abs(dchi) + (mean_2*mean_2)*radial*(scale2*scale2)*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)/phi)*np.abs(h2) + (3*(eta)**(6)*gaussian*(length*length*length)*(psi*psi)*radial*scale2*scale4*size*(free + 1)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi*phi)*(gaussian*spread + 1)**(2)) + (eta)**(6)*kappa*(length*length*length)*(psi*psi)*scale2*scale4*(3*(free + 1)/(gaussian*spread + 1) + 12)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi)) + radial*scale2*scale4*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_2)*np.abs(mean_4)/phi)*np.abs(h4) + (15*(eta)**(8)*gaussian*(length*length*length*length)*(psi*psi*psi)*radial*scale2*scale6*size*(free + 1)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi*phi)*(gaussian*spread + 1)**(2)) + (eta)**(8)*kappa*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*(15*(free + 1)/(gaussian*spread + 1) + 90)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi)) + radial*scale2*scale6*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_2)*np.abs(mean_6)/phi)*np.abs(h6) + (105*(eta)**(10)*gaussian*(length)**(5)*(psi*psi*psi*psi)*radial*scale2*scale8*size*(free + 1)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi)**(5)*(gaussian*spread + 1)**(2)) + (eta)**(10)*kappa*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*(105*(free + 1)/(gaussian*spread + 1) + 840)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + radial*scale2*scale8*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_2)*np.abs(mean_8)/phi)*np.abs(h8)
    A_dh4_dh2 = M24
    A_dh4_dh4 = M44
    A_dh4_dh6 = M46
    A_dh4_dh8 = M48
    dM44 = 9*dlevel*size*(weight4*weight4) + dlost*(mean_4*mean_4)*(scale4*scale4) + dsize*(weight4*weight4)*(9*level + 96)
    dM46 = 45*dlevel*size*weight4*weight6 + dlost*mean_4*mean_6*scale4*scale6 + dsize*weight4*weight6*(45*level + 900)
    dM48 = 315*dlevel*size*weight4*weight8 + dlost*mean_4*mean_8*scale4*scale8 + dsize*weight4*weight8*(315*level + 10080)
    b_dh4 = -dM24*h2 - dM44*h4 - dM46*h6 - dM48*h8 + dsize*signal4
    if diagnose:
        size_dh4 = (eta*eta*eta*eta)*kappa*(length*length)*(psi)**(1.5)*scale4*(12*(target_linear*target_linear)*np.abs(target_2)/length + 24*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length))*np.abs(dchi)*np.abs(strength_4)/((n)**(1.5)*(phi)**(1.5)) + (9*gaussian*radial*size*(weight4*weight4)*(free + 1)*np.abs(dchi)/(phi*(gaussian*spread + 1)**(2)) + kappa*(weight4*weight4)*(9*(free + 1)/(gaussian*spread + 1) + 96)*np.abs(dchi) + (mean_4*mean_4)*radial*(scale4*scale4)*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)/phi)*np.abs(h4) + (3*(eta)**(6)*gaussian*(length*length*length)*(psi*psi)*radial*scale2*scale4*size*(free + 1)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi*phi)*(gaussian*spread + 1)**(2)) + (eta)**(6)*kappa*(length*length*length)*(psi*psi)*scale2*scale4*(3*(free + 1)/(gaussian*spread + 1) + 12)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi)) + radial*scale2*scale4*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_2)*np.abs(mean_4)/phi)*np.abs(h2) + (45*(eta)**(10)*gaussian*(length)**(5)*(psi*psi*psi*psi)*radial*scale4*scale6*size*(free + 1)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi)**(5)*(gaussian*spread + 1)**(2)) + (eta)**(10)*kappa*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*(45*(free + 1)/(gaussian*spread + 1) + 900)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + radial*scale4*scale6*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_4)*np.abs(mean_6)/phi)*np.abs(h6) + (315*(eta)**(12)*gaussian*(length)**(6)*(psi)**(5)*radial*scale4*scale8*size*(free + 1)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(6)*(gaussian*spread + 1)**(2)) + (eta)**(12)*kappa*(length)**(6)*(psi)**(5)*scale4*scale8*(315*(free + 1)/(gaussian*spread + 1) + 10080)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(5)) + radial*scale4*scale8*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_4)*np.abs(mean_8)/phi)*np.abs(h8)
    A_dh6_dh2 = M26
    A_dh6_dh4 = M46
    A_dh6_dh6 = M66
    A_dh6_dh8 = M68
    dM66 = 225*dlevel*size*(weight6*weight6) + dlost*(mean_6*mean_6)*(scale6*scale6) + dsize*(weight6*weight6)*(225*level + 10170)
    dM68 = 1575*dlevel*size*weight6*weight8 + dlost*mean_6*mean_8*scale6*scale8 + dsize*weight6*weight8*(1575*level + 133560)
    b_dh6 = -dM26*h2 - dM46*h4 - dM66*h6 - dM68*h8 + dsize*signal6
    if diagnose:
        size_dh6 = (eta)**(6)*kappa*(length*length*length)*(psi)**(2.5)*scale6*(90*(target_linear*target_linear)*np.abs(target_2)/length + 360*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length) + 720*(target_linear)**(6)*np.abs(target_6)/(length*length*length))*np.abs(dchi)*np.abs(strength_6)/((n)**(2.5)*(phi)**(2.5)) + (225*gaussian*radial*size*(weight6*weight6)*(free + 1)*np.abs(dchi)/(phi*(gaussian*spread + 1)**(2)) + kappa*(weight6*weight6)*(225*(free + 1)/(gaussian*spread + 1) + 10170)*np.abs(dchi) + (mean_6*mean_6)*radial*(scale6*scale6)*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)/phi)*np.abs(h6) + (15*(eta)**(8)*gaussian*(length*length*length*length)*(psi*psi*psi)*radial*scale2*scale6*size*(free + 1)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi*phi)*(gaussian*spread + 1)**(2)) + (eta)**(8)*kappa*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*(15*(free + 1)/(gaussian*spread + 1) + 90)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi)) + radial*scale2*scale6*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_2)*np.abs(mean_6)/phi)*np.abs(h2) + (45*(eta)**(10)*gaussian*(length)**(5)*(psi*psi*psi*psi)*radial*scale4*scale6*size*(free + 1)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi)**(5)*(gaussian*spread + 1)**(2)) + (eta)**(10)*kappa*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*(45*(free + 1)/(gaussian*spread + 1) + 900)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + radial*scale4*scale6*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_4)*np.abs(mean_6)/phi)*np.abs(h4) + (1575*(eta)**(14)*gaussian*(length)**(7)*(psi)**(6)*radial*scale6*scale8*size*(free + 1)*np.abs(dchi)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(7)*(gaussian*spread + 1)**(2)) + (eta)**(14)*kappa*(length)**(7)*(psi)**(6)*scale6*scale8*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*np.abs(dchi)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(6)) + radial*scale6*scale8*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_6)*np.abs(mean_8)/phi)*np.abs(h8)
    A_dh8_dh2 = M28
    A_dh8_dh4 = M48
    A_dh8_dh6 = M68
    A_dh8_dh8 = M88
    dM88 = 11025*dlevel*size*(weight8*weight8) + dlost*(mean_8*mean_8)*(scale8*scale8) + dsize*(weight8*weight8)*(11025*level + 2016000)
    b_dh8 = -dM28*h2 - dM48*h4 - dM68*h6 - dM88*h8 + dsize*signal8
    if diagnose:
        size_dh8 = (eta)**(8)*kappa*(length*length*length*length)*(psi)**(3.5)*scale8*(840*(target_linear*target_linear)*np.abs(target_2)/length + 5040*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length) + 20160*(target_linear)**(6)*np.abs(target_6)/(length*length*length) + 40320*(target_linear)**(8)*np.abs(target_8)/(length*length*length*length))*np.abs(dchi)*np.abs(strength_8)/((n)**(3.5)*(phi)**(3.5)) + (11025*gaussian*radial*size*(weight8*weight8)*(free + 1)*np.abs(dchi)/(phi*(gaussian*spread + 1)**(2)) + kappa*(weight8*weight8)*(11025*(free + 1)/(gaussian*spread + 1) + 2016000)*np.abs(dchi) + (mean_8*mean_8)*radial*(scale8*scale8)*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)/phi)*np.abs(h8) + (105*(eta)**(10)*gaussian*(length)**(5)*(psi*psi*psi*psi)*radial*scale2*scale8*size*(free + 1)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi)**(5)*(gaussian*spread + 1)**(2)) + (eta)**(10)*kappa*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*(105*(free + 1)/(gaussian*spread + 1) + 840)*np.abs(dchi)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + radial*scale2*scale8*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_2)*np.abs(mean_8)/phi)*np.abs(h2) + (315*(eta)**(12)*gaussian*(length)**(6)*(psi)**(5)*radial*scale4*scale8*size*(free + 1)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(6)*(gaussian*spread + 1)**(2)) + (eta)**(12)*kappa*(length)**(6)*(psi)**(5)*scale4*scale8*(315*(free + 1)/(gaussian*spread + 1) + 10080)*np.abs(dchi)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(5)) + radial*scale4*scale8*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_4)*np.abs(mean_8)/phi)*np.abs(h4) + (1575*(eta)**(14)*gaussian*(length)**(7)*(psi)**(6)*radial*scale6*scale8*size*(free + 1)*np.abs(dchi)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(7)*(gaussian*spread + 1)**(2)) + (eta)**(14)*kappa*(length)**(7)*(psi)**(6)*scale6*scale8*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*np.abs(dchi)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(6)) + radial*scale6*scale8*(spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(np.abs(-mean_share*spread + spread + 1))))*np.abs(dchi)*np.abs(mean_6)*np.abs(mean_8)/phi)*np.abs(h6)
    size_dh2_dh2 = (scale2*scale2)*((mean_2*mean_2)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_2)) + size*(weight2*weight2)*((free + 1)/(gaussian*spread + 1) + 2)
    size_dh2_dh4 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*np.abs(mean_2)*np.abs(mean_4)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_4))
    size_dh2_dh6 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*np.abs(mean_2)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_6))
    size_dh2_dh8 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*np.abs(mean_2)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_8))
    size_dh4_dh2 = (eta)**(6)*(length*length*length)*(psi*psi)*scale2*scale4*size*(3*(free + 1)/(gaussian*spread + 1) + 12)*np.abs(strength_2)*np.abs(strength_4)/((n*n)*(phi*phi)) + scale2*scale4*(spread*np.abs(mean_2)*np.abs(mean_4)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_4))
    size_dh4_dh4 = (scale4*scale4)*((mean_4*mean_4)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_4)) + size*(weight4*weight4)*(9*(free + 1)/(gaussian*spread + 1) + 96)
    size_dh4_dh6 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*np.abs(mean_4)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_6))
    size_dh4_dh8 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*np.abs(mean_4)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_8))
    size_dh6_dh2 = (eta)**(8)*(length*length*length*length)*(psi*psi*psi)*scale2*scale6*size*(15*(free + 1)/(gaussian*spread + 1) + 90)*np.abs(strength_2)*np.abs(strength_6)/((n*n*n)*(phi*phi*phi)) + scale2*scale6*(spread*np.abs(mean_2)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_6))
    size_dh6_dh4 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale4*scale6*size*(45*(free + 1)/(gaussian*spread + 1) + 900)*np.abs(strength_4)*np.abs(strength_6)/((n*n*n*n)*(phi*phi*phi*phi)) + scale4*scale6*(spread*np.abs(mean_4)*np.abs(mean_6)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_6))
    size_dh6_dh6 = (scale6*scale6)*((mean_6*mean_6)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_6_6)) + size*(weight6*weight6)*(225*(free + 1)/(gaussian*spread + 1) + 10170)
    size_dh6_dh8 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*np.abs(mean_6)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_6_8))
    size_dh8_dh2 = (eta)**(10)*(length)**(5)*(psi*psi*psi*psi)*scale2*scale8*size*(105*(free + 1)/(gaussian*spread + 1) + 840)*np.abs(strength_2)*np.abs(strength_8)/((n*n*n*n)*(phi*phi*phi*phi)) + scale2*scale8*(spread*np.abs(mean_2)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_2_8))
    size_dh8_dh4 = (eta)**(12)*(length)**(6)*(psi)**(5)*scale4*scale8*size*(315*(free + 1)/(gaussian*spread + 1) + 10080)*np.abs(strength_4)*np.abs(strength_8)/((n)**(5)*(phi)**(5)) + scale4*scale8*(spread*np.abs(mean_4)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_4_8))
    size_dh8_dh6 = (eta)**(14)*(length)**(7)*(psi)**(6)*scale6*scale8*size*(1575*(free + 1)/(gaussian*spread + 1) + 133560)*np.abs(strength_6)*np.abs(strength_8)/((n)**(6)*(phi)**(6)) + scale6*scale8*(spread*np.abs(mean_6)*np.abs(mean_8)/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_6_8))
    size_dh8_dh8 = (scale8*scale8)*((mean_8*mean_8)*spread/np.abs(-mean_share*spread + spread + 1) + np.abs(inverse_8_8)) + size*(weight8*weight8)*(11025*(free + 1)/(gaussian*spread + 1) + 2016000)
    A = stack_matrix(iterations.shape, ((A_dh2_dh2, A_dh2_dh4, A_dh2_dh6, A_dh2_dh8,), (A_dh4_dh2, A_dh4_dh4, A_dh4_dh6, A_dh4_dh8,), (A_dh6_dh2, A_dh6_dh4, A_dh6_dh6, A_dh6_dh8,), (A_dh8_dh2, A_dh8_dh4, A_dh8_dh6, A_dh8_dh8,),))
    b = stack_vector(iterations.shape, (b_dh2, b_dh4, b_dh6, b_dh8,))
    solution, dh2_dh4_dh6_dh8_residual = solve_linear_batch(A, b)
    dh2 = solution[..., 0]
    dh4 = solution[..., 1]
    dh6 = solution[..., 2]
    dh8 = solution[..., 3]
    if diagnose:
        blocks.append(("linear", ("dh2", "dh4", "dh6", "dh8",), A, stack_vector(iterations.shape, (size_dh2, size_dh4, size_dh6, size_dh8,)), (), stack_matrix(iterations.shape, ((size_dh2_dh2, size_dh2_dh4, size_dh2_dh6, size_dh2_dh8,), (size_dh4_dh2, size_dh4_dh4, size_dh4_dh6, size_dh4_dh8,), (size_dh6_dh2, size_dh6_dh4, size_dh6_dh6, size_dh6_dh8,), (size_dh8_dh2, size_dh8_dh4, size_dh8_dh6, size_dh8_dh8,),))))
    zero_4 = 0
    one_4 = 1
    A = stack_matrix(iterations.shape, ((A_dh2_dh2, A_dh2_dh4, A_dh2_dh6, A_dh2_dh8,), (A_dh4_dh2, A_dh4_dh4, A_dh4_dh6, A_dh4_dh8,), (A_dh6_dh2, A_dh6_dh4, A_dh6_dh6, A_dh6_dh8,), (A_dh8_dh2, A_dh8_dh4, A_dh8_dh6, A_dh8_dh8,),))
    b = stack_vector(iterations.shape, (one_4, zero_4, zero_4, zero_4,))
    solution, inverse_dh2_residual = solve_linear_batch(A, b)
    inverse_dh2_dh2 = solution[..., 0]
    inverse_dh4_dh2 = solution[..., 1]
    inverse_dh6_dh2 = solution[..., 2]
    inverse_dh8_dh2 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_dh2_dh2, A_dh2_dh4, A_dh2_dh6, A_dh2_dh8,), (A_dh4_dh2, A_dh4_dh4, A_dh4_dh6, A_dh4_dh8,), (A_dh6_dh2, A_dh6_dh4, A_dh6_dh6, A_dh6_dh8,), (A_dh8_dh2, A_dh8_dh4, A_dh8_dh6, A_dh8_dh8,),))
    b = stack_vector(iterations.shape, (zero_4, one_4, zero_4, zero_4,))
    solution, inverse_dh4_residual = solve_linear_batch(A, b)
    inverse_dh2_dh4 = solution[..., 0]
    inverse_dh4_dh4 = solution[..., 1]
    inverse_dh6_dh4 = solution[..., 2]
    inverse_dh8_dh4 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_dh2_dh2, A_dh2_dh4, A_dh2_dh6, A_dh2_dh8,), (A_dh4_dh2, A_dh4_dh4, A_dh4_dh6, A_dh4_dh8,), (A_dh6_dh2, A_dh6_dh4, A_dh6_dh6, A_dh6_dh8,), (A_dh8_dh2, A_dh8_dh4, A_dh8_dh6, A_dh8_dh8,),))
    b = stack_vector(iterations.shape, (zero_4, zero_4, one_4, zero_4,))
    solution, inverse_dh6_residual = solve_linear_batch(A, b)
    inverse_dh2_dh6 = solution[..., 0]
    inverse_dh4_dh6 = solution[..., 1]
    inverse_dh6_dh6 = solution[..., 2]
    inverse_dh8_dh6 = solution[..., 3]
    A = stack_matrix(iterations.shape, ((A_dh2_dh2, A_dh2_dh4, A_dh2_dh6, A_dh2_dh8,), (A_dh4_dh2, A_dh4_dh4, A_dh4_dh6, A_dh4_dh8,), (A_dh6_dh2, A_dh6_dh4, A_dh6_dh6, A_dh6_dh8,), (A_dh8_dh2, A_dh8_dh4, A_dh8_dh6, A_dh8_dh8,),))
    b = stack_vector(iterations.shape, (zero_4, zero_4, zero_4, one_4,))
    solution, inverse_dh8_residual = solve_linear_batch(A, b)
    inverse_dh2_dh8 = solution[..., 0]
    inverse_dh4_dh8 = solution[..., 1]
    inverse_dh6_dh8 = solution[..., 2]
    inverse_dh8_dh8 = solution[..., 3]
    dh2_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh2*np.abs(inverse_dh2_dh2) + size_dh4_dh2*np.abs(inverse_dh2_dh4) + size_dh6_dh2*np.abs(inverse_dh2_dh6) + size_dh8_dh2*np.abs(inverse_dh2_dh8)))
    dh4_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh4*np.abs(inverse_dh4_dh2) + size_dh4_dh4*np.abs(inverse_dh4_dh4) + size_dh6_dh4*np.abs(inverse_dh4_dh6) + size_dh8_dh4*np.abs(inverse_dh4_dh8)))
    dh6_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh6*np.abs(inverse_dh6_dh2) + size_dh4_dh6*np.abs(inverse_dh6_dh4) + size_dh6_dh6*np.abs(inverse_dh6_dh6) + size_dh8_dh6*np.abs(inverse_dh6_dh8)))
    dh8_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_dh2_dh8*np.abs(inverse_dh8_dh2) + size_dh4_dh8*np.abs(inverse_dh8_dh4) + size_dh6_dh8*np.abs(inverse_dh8_dh6) + size_dh8_dh8*np.abs(inverse_dh8_dh8)))
    train_error = -kappa*lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    test_error = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) - (-dh1*kappa*m1*signal1 - dh2*kappa*m1*signal2 - dh3*kappa*m1*signal3 - dh4*kappa*m1*signal4 - dh5*kappa*m1*signal5 - dh6*kappa*m1*signal6 - dh7*kappa*m1*signal7 - dh8*kappa*m1*signal8 - dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) - dsignal1*h1*kappa*m1 - dsignal3*h3*kappa*m1 - dsignal5*h5*kappa*m1 - dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1))
    baseline_train = kappa*lam*(m1*(noise_variance + target_rest) + m2*(target_linear*target_linear))
    baseline_test = (-dm1*kappa*(noise_variance + target_rest) - dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    train_gap = kappa*lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)
    test_gap = (-dh1*kappa*m1*signal1 - dh2*kappa*m1*signal2 - dh3*kappa*m1*signal3 - dh4*kappa*m1*signal4 - dh5*kappa*m1*signal5 - dh6*kappa*m1*signal6 - dh7*kappa*m1*signal7 - dh8*kappa*m1*signal8 - dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) - dsignal1*h1*kappa*m1 - dsignal3*h3*kappa*m1 - dsignal5*h5*kappa*m1 - dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1))
    error_surplus = kappa + 1
    error_excess = np.where((np.maximum(0, surplus) == 0), 0, error_surplus)
    error_distance = error_surplus
    surplus_2 = 1 - kappa
    distance_2 = np.abs(surplus_2)
    error_share = 2*kappa*lam*(error_distance + (0.5)*(4*chi*(kappa*kappa)*lam + 2*distance_2*error_distance)/np.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))/(distance_2 + np.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))**(2)
    error = (error_share*kappa + error_excess/chi)/(kappa*share + excess/chi)**(2)
    lost_2 = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, m1)), 1e+289, 0)
    error_mtilde = chi*error_share*kappa + error_excess
    error_2 = (error_mtilde*linear/phi + error_share*kappa + error_excess/chi)/(kappa*share + linear*mtilde/phi + excess/chi)**(2)
    lost_3 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, m2)), 1e+289, 0)
    share_2 = 2*kappa*lam/(distance_2 + np.sqrt(4*chi*(kappa*kappa)*lam + (distance_2*distance_2)))
    excess_2 = np.maximum(0, surplus_2)
    mtilde_2 = chi*kappa*share_2 + excess_2
    error_steepness = error_mtilde*kappa*(linear*(ratio*ratio) + nonlinear)/(mtilde_2*mtilde_2)
    error_3 = error*(steepness + (1.0/chi))*np.abs(dchi) + m1*(error_steepness + (1.0/chi))*np.abs(dchi)
    lost_4 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(dm1))), 1e+289, 0)
    error_4 = error_2*(steepness + ratio/chi)*np.abs(dchi) + m2*(error_steepness + ratio/chi)*np.abs(dchi)
    lost_5 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(dm2))), 1e+289, 0)
    error_signal3 = (3*ratio*(target_linear*target_linear)/np.sqrt(length) + 6*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5))*np.abs(weight3)
    error_signal4 = (12*(target_linear*target_linear)*np.abs(target_2)/length + 24*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length))*np.abs(weight4)
    error_signal5 = (15*ratio*(target_linear*target_linear)/np.sqrt(length) + 60*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5) + 120*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_5)*np.abs(target_linear)/(length)**(2.5))*np.abs(weight5)
    error_signal6 = (90*(target_linear*target_linear)*np.abs(target_2)/length + 360*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length) + 720*(target_linear)**(6)*np.abs(target_6)/(length*length*length))*np.abs(weight6)
    error_signal7 = (105*ratio*(target_linear*target_linear)/np.sqrt(length) + 630*(target_linear*target_linear)*np.abs(target_3)*np.abs(target_linear)/(length)**(1.5) + 2520*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_5)*np.abs(target_linear)/(length)**(2.5) + 5040*(target_linear)**(6)*np.abs(target_7)*np.abs(target_linear)/(length)**(3.5))*np.abs(weight7)
    error_signal8 = (840*(target_linear*target_linear)*np.abs(target_2)/length + 5040*(target_linear*target_linear*target_linear*target_linear)*np.abs(target_4)/(length*length) + 20160*(target_linear)**(6)*np.abs(target_6)/(length*length*length) + 40320*(target_linear)**(8)*np.abs(target_8)/(length*length*length*length))*np.abs(weight8)
    error_5 = error*kappa*lam*np.abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + kappa*lam*m1*(error_signal3*np.abs(h3) + error_signal4*np.abs(h4) + error_signal5*np.abs(h5) + error_signal6*np.abs(h6) + error_signal7*np.abs(h7) + error_signal8*np.abs(h8) + np.abs(h1*signal1) + np.abs(h2*signal2)) + kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear))
    lost_6 = np.where((ROUNDING*error_5 > LARGEST_ERROR*np.maximum(1, np.abs(train_error))), 1e+289, 0)
    error_6 = 2*error*np.abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + 2*error*np.abs(dh1*kappa*m1*signal1 + dh2*kappa*m1*signal2 + dh3*kappa*m1*signal3 + dh4*kappa*m1*signal4 + dh5*kappa*m1*signal5 + dh6*kappa*m1*signal6 + dh7*kappa*m1*signal7 + dh8*kappa*m1*signal8 + dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + dsignal1*h1*kappa*m1 + dsignal3*h3*kappa*m1 + dsignal5*h5*kappa*m1 + dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1)) + (error*kappa*np.abs(dh1)*np.abs(signal1) + error*kappa*np.abs(dh2)*np.abs(signal2) + error*kappa*np.abs(dh3)*np.abs(signal3) + error*kappa*np.abs(dh4)*np.abs(signal4) + error*kappa*np.abs(dh5)*np.abs(signal5) + error*kappa*np.abs(dh6)*np.abs(signal6) + error*kappa*np.abs(dh7)*np.abs(signal7) + error*kappa*np.abs(dh8)*np.abs(signal8) + error*kappa*np.abs(dsignal1)*np.abs(h1) + error*kappa*np.abs(dsignal3)*np.abs(h3) + error*kappa*np.abs(dsignal5)*np.abs(h5) + error*kappa*np.abs(dsignal7)*np.abs(h7) + error_3*kappa*np.abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + error_signal3*kappa*m1*np.abs(dh3) + error_signal4*kappa*m1*np.abs(dh4) + error_signal5*kappa*m1*np.abs(dh5) + error_signal6*kappa*m1*np.abs(dh6) + error_signal7*kappa*m1*np.abs(dh7) + error_signal8*kappa*m1*np.abs(dh8) + kappa*(error_signal3*np.abs(h3) + error_signal4*np.abs(h4) + error_signal5*np.abs(h5) + error_signal6*np.abs(h6) + error_signal7*np.abs(h7) + error_signal8*np.abs(h8) + np.abs(h1*signal1) + np.abs(h2*signal2))*np.abs(dm1))/((kappa*kappa)*(m1*m1))
    lost_7 = np.where((ROUNDING*error_6 > LARGEST_ERROR*np.maximum(1, np.abs(test_error))), 1e+289, 0)
    error_7 = kappa*lam*(error*(noise_variance + target_rest) + error_2*(target_linear*target_linear))
    lost_8 = np.where((ROUNDING*error_7 > LARGEST_ERROR*np.maximum(1, np.abs(baseline_train))), 1e+289, 0)
    error_8 = 2*error*np.abs(dm1*kappa*(noise_variance + target_rest) + dm2*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1*m1)) + (error_3*kappa*(noise_variance + target_rest) + error_4*kappa*(target_linear*target_linear))/((kappa*kappa)*(m1*m1))
    lost_9 = np.where((ROUNDING*error_8 > LARGEST_ERROR*np.maximum(1, np.abs(baseline_test))), 1e+289, 0)
    error_9 = error*kappa*lam*np.abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + kappa*lam*m1*(error_signal3*np.abs(h3) + error_signal4*np.abs(h4) + error_signal5*np.abs(h5) + error_signal6*np.abs(h6) + error_signal7*np.abs(h7) + error_signal8*np.abs(h8) + np.abs(h1*signal1) + np.abs(h2*signal2))
    lost_10 = np.where((ROUNDING*error_9 > LARGEST_ERROR*np.maximum(1, np.abs(train_gap))), 1e+289, 0)
    error_10 = 2*error*np.abs(dh1*kappa*m1*signal1 + dh2*kappa*m1*signal2 + dh3*kappa*m1*signal3 + dh4*kappa*m1*signal4 + dh5*kappa*m1*signal5 + dh6*kappa*m1*signal6 + dh7*kappa*m1*signal7 + dh8*kappa*m1*signal8 + dm1*kappa*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + dsignal1*h1*kappa*m1 + dsignal3*h3*kappa*m1 + dsignal5*h5*kappa*m1 + dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1*m1)) + (error*kappa*np.abs(dh1)*np.abs(signal1) + error*kappa*np.abs(dh2)*np.abs(signal2) + error*kappa*np.abs(dh3)*np.abs(signal3) + error*kappa*np.abs(dh4)*np.abs(signal4) + error*kappa*np.abs(dh5)*np.abs(signal5) + error*kappa*np.abs(dh6)*np.abs(signal6) + error*kappa*np.abs(dh7)*np.abs(signal7) + error*kappa*np.abs(dh8)*np.abs(signal8) + error*kappa*np.abs(dsignal1)*np.abs(h1) + error*kappa*np.abs(dsignal3)*np.abs(h3) + error*kappa*np.abs(dsignal5)*np.abs(h5) + error*kappa*np.abs(dsignal7)*np.abs(h7) + error_3*kappa*np.abs(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8) + error_signal3*kappa*m1*np.abs(dh3) + error_signal4*kappa*m1*np.abs(dh4) + error_signal5*kappa*m1*np.abs(dh5) + error_signal6*kappa*m1*np.abs(dh6) + error_signal7*kappa*m1*np.abs(dh7) + error_signal8*kappa*m1*np.abs(dh8) + kappa*(error_signal3*np.abs(h3) + error_signal4*np.abs(h4) + error_signal5*np.abs(h5) + error_signal6*np.abs(h6) + error_signal7*np.abs(h7) + error_signal8*np.abs(h8) + np.abs(h1*signal1) + np.abs(h2*signal2))*np.abs(dm1))/((kappa*kappa)*(m1*m1))
    lost_11 = np.where((ROUNDING*error_10 > LARGEST_ERROR*np.maximum(1, np.abs(test_gap))), 1e+289, 0)
    upstream = np.maximum(ROUNDING, chi_error)
    limited_2 = np.where((((m1 > 10*ROUNDING*error) & (1e-10*m1 < error*upstream)) | ((m2 > 10*ROUNDING*error_2) & (1e-10*m2 < error_2*upstream)) | ((error_8*upstream > 1e-10*np.abs(baseline_test)) & (np.abs(baseline_test) > 10*ROUNDING*error_8)) | ((error_7*upstream > 1e-10*np.abs(baseline_train)) & (np.abs(baseline_train) > 10*ROUNDING*error_7)) | ((error_3*upstream > 1e-10*np.abs(dm1)) & (np.abs(dm1) > 10*ROUNDING*error_3)) | ((error_4*upstream > 1e-10*np.abs(dm2)) & (np.abs(dm2) > 10*ROUNDING*error_4)) | ((error_6*upstream > 1e-10*np.abs(test_error)) & (np.abs(test_error) > 10*ROUNDING*error_6)) | ((error_10*upstream > 1e-10*np.abs(test_gap)) & (np.abs(test_gap) > 10*ROUNDING*error_10)) | ((error_5*upstream > 1e-10*np.abs(train_error)) & (np.abs(train_error) > 10*ROUNDING*error_5)) | ((error_9*upstream > 1e-10*np.abs(train_gap)) & (np.abs(train_gap) > 10*ROUNDING*error_9)) | (upstream > 1e-10)), 1, 0)
    residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(chi_moved, chi_residual), dchi_residual), dchi_singular), dh1_dh3_dh5_dh7_residual), dh1_singular), dh2_dh4_dh6_dh8_residual), dh2_singular), dh3_singular), dh4_singular), dh5_singular), dh6_singular), dh7_singular), dh8_singular), h1_h3_h5_h7_residual), h1_singular), h2_h4_h6_h8_residual), h2_singular), h3_singular), h4_singular), h5_singular), h6_singular), h7_singular), h8_singular), uncertain)
    inaccurate_2 = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(inaccurate, lost_10), lost_11), lost_2), lost_3), lost_4), lost_5), lost_6), lost_7), lost_8), lost_9)
    few_digits = np.where((LARGEST_ERROR >= residual), inaccurate_2, 0)
    residual_2 = np.maximum(few_digits, residual)
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
    return stack_vector(iterations.shape, (chi, zeta, m1, m2, h1, h2, h3, h4, h5, h6, h7, h8, dchi, dzeta, dm1, dm2, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, residual_2, iterations + 0.5*limited_2)).T, blocks
