"""Nonlinear spikes after a gradient step, finite step size (arXiv 2310.07891).

Written by asympkit from the symbolic equations; do not edit.

Unknowns: chi, zeta, m1, m2, h1, h2, h3, h4, h5, h6, h7, h8, dchi, dzeta, dm1, dm2, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8.
Parameters: phi, psi, lam, noise_variance, eta, n, linear, nonlinear, target_linear, target_rest, kept, gaussian, free, radial, strength_1, strength_2, strength_3, strength_4, strength_5, strength_6, strength_7, strength_8, target_2, target_3, target_4, target_5, target_6, target_7, target_8, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_3_3, inverse_3_5, inverse_3_7, inverse_4_4, inverse_4_6, inverse_4_8, inverse_5_5, inverse_5_7, inverse_6_6, inverse_6_8, inverse_7_7, inverse_8_8, mean_2, mean_4, mean_6, mean_8, mean_share.
Observables: train_error, test_error, baseline_train, baseline_test, train_gap, test_gap.
"""


import math

import numpy as np

from asympkit.runtime.compiled import compiled, in_parallel, prange
from asympkit.runtime.linear import factor_linear_n, solve_factored_n, solve_linear_1, solve_linear_batch, solve_many_factored_n
from asympkit.runtime.newton import DIFFERENCES, limited, newton_batch, remember
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


def prepare_dchi(chi, common_2, common_7, common_8, common_9, kappa, lam, linear, nonlinear, phi, ratio):
    """Compute what the equations of dchi need."""
    share = 2*common_2*kappa*lam
    # zeta = linear*ratio + nonlinear + share
    zeta = linear*ratio + nonlinear + share
    ddzeta_ddchi = -4*(common_2*common_2)*common_8*(kappa*kappa*kappa)*(lam*lam) - common_7*(linear*linear)*phi
    dzeta_0 = -4*chi*(common_2*common_2)*common_8*(kappa*kappa*kappa)*lam + 2*common_2*kappa
    A_dchi_dchi = 2*common_9*ddzeta_ddchi/(zeta*zeta) + 1
    b_dchi = -2*common_9*dzeta_0/(zeta*zeta)
    size_dzeta_0 = 4*chi*(common_2*common_2)*common_8*(kappa*kappa*kappa)*lam + 2*common_2*kappa
    size_dchi_dchi = 2*common_9*abs(ddzeta_ddchi)/(zeta*zeta) + 1
    return share, zeta, ddzeta_ddchi, dzeta_0, A_dchi_dchi, b_dchi, size_dzeta_0, size_dchi_dchi


def prepare_h1(chi, common, eta, kappa, kept, linear, n, noise_variance, nonlinear, phi, psi, ratio, strength_3, strength_5, strength_7, target_linear, target_rest):
    """Compute what the equations of h1, h3, h5, h7 need."""
    common_3 = (target_linear*target_linear)
    length = common_3 + kept*(linear + phi*(linear + nonlinear)) + phi*(common_3 + noise_variance + target_rest)
    size = chi*kappa
    drag = kept*linear*ratio*size
    first = ratio*(-drag*linear/length + 1)
    common_5 = (drag*drag)
    theta3 = common*(eta*eta*eta)*(length)**(1.5)*psi*strength_3/n
    theta5 = (common*common)*(eta)**(5)*(length)**(2.5)*(psi*psi)*strength_5/(n*n)
    theta7 = (common*common*common)*(eta)**(7)*(length)**(3.5)*(psi*psi*psi)*strength_7/(n*n*n)
    common_13 = drag*linear/length + 1
    return common_3, length, size, drag, first, common_5, theta3, theta5, theta7, common_13


def prepare_h1_2(common_13, common_3, common_4, common_5, drag, first, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_3_3, inverse_3_5, inverse_3_7, inverse_5_5, inverse_5_7, inverse_7_7, length, ratio, scale1, scale3, scale5, scale7, size, target_3, target_5, target_7, target_linear, theta1, theta3, theta5, theta7):
    """Compute what the equations of h1, h3, h5, h7 need."""
    weight1 = scale1*theta1
    along1 = common_4*weight1
    M11 = (along1*along1)*common_5 - 2*along1*drag*scale1 + first*size*(weight1*weight1) + inverse_1_1*(scale1*scale1)
    weight3 = scale3*theta3
    along3 = 3*common_4*weight3
    M13 = along1*along3*common_5 - along3*drag*scale1 + 3*first*size*weight1*weight3 + inverse_1_3*scale1*scale3
    weight5 = scale5*theta5
    along5 = 15*common_4*weight5
    M15 = along1*along5*common_5 - along5*drag*scale1 + 15*first*size*weight1*weight5 + inverse_1_5*scale1*scale5
    weight7 = scale7*theta7
    along7 = 105*common_4*weight7
    M17 = along1*along7*common_5 - along7*drag*scale1 + 105*first*size*weight1*weight7 + inverse_1_7*scale1*scale7
    signal1 = common_3*common_4*ratio*weight1
    b_h1 = signal1*size
    M33 = (along3*along3)*common_5 + inverse_3_3*(scale3*scale3) + size*(weight3*weight3)*(9*first + 6)
    M35 = along3*along5*common_5 + inverse_3_5*scale3*scale5 + size*weight3*weight5*(45*first + 60)
    M37 = along3*along7*common_5 + inverse_3_7*scale3*scale7 + size*weight3*weight7*(315*first + 630)
    signal3 = weight3*(3*common_3*common_4*ratio + 6*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5))
    b_h3 = signal3*size
    M55 = (along5*along5)*common_5 + inverse_5_5*(scale5*scale5) + size*(weight5*weight5)*(225*first + 720)
    M57 = along5*along7*common_5 + inverse_5_7*scale5*scale7 + size*weight5*weight7*(1575*first + 8820)
    signal5 = weight5*(15*common_3*common_4*ratio + 60*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5) + 120*target_5*(target_linear)**(5)/(length)**(2.5))
    b_h5 = signal5*size
    M77 = (along7*along7)*common_5 + inverse_7_7*(scale7*scale7) + size*(weight7*weight7)*(11025*first + 124110)
    signal7 = weight7*(105*common_3*common_4*ratio + 630*target_3*(target_linear*target_linear*target_linear)/(length)**(1.5) + 2520*target_5*(target_linear)**(5)/(length)**(2.5) + 5040*target_7*(target_linear)**(7)/(length)**(3.5))
    b_h7 = signal7*size
    common_11 = 3*common_3*common_4*ratio + 6*common_3*abs(target_3)*abs(target_linear)/(length)**(1.5)
    common_12 = 15*common_3*common_4*ratio + 60*common_3*abs(target_3)*abs(target_linear)/(length)**(1.5) + 120*(target_linear*target_linear*target_linear*target_linear)*abs(target_5)*abs(target_linear)/(length)**(2.5)
    error_signal7 = (105*common_3*common_4*ratio + 630*common_3*abs(target_3)*abs(target_linear)/(length)**(1.5) + 2520*(target_linear*target_linear*target_linear*target_linear)*abs(target_5)*abs(target_linear)/(length)**(2.5) + 5040*(target_linear)**(6)*abs(target_7)*abs(target_linear)/(length)**(3.5))*abs(weight7)
    common_14 = (along1*along1)*common_5 + common_13*ratio*size*(weight1*weight1) + 2*drag*scale1*abs(along1) + (scale1*scale1)*abs(inverse_1_1)
    size_h1_h1 = common_14
    common_15 = 3*common_13*ratio*size*abs(weight1)*abs(weight3) + common_5*abs(along1)*abs(along3) + drag*scale1*abs(along3) + scale1*scale3*abs(inverse_1_3)
    size_h1_h3 = common_15
    common_16 = 15*common_13*ratio*size*abs(weight1)*abs(weight5) + common_5*abs(along1)*abs(along5) + drag*scale1*abs(along5) + scale1*scale5*abs(inverse_1_5)
    size_h1_h5 = common_16
    common_17 = 105*common_13*ratio*size*abs(weight1)*abs(weight7) + common_5*abs(along1)*abs(along7) + drag*scale1*abs(along7) + scale1*scale7*abs(inverse_1_7)
    size_h1_h7 = common_17
    common_18 = (along3*along3)*common_5 + (scale3*scale3)*abs(inverse_3_3) + size*(weight3*weight3)*(9*common_13*ratio + 6)
    size_h3_h3 = common_18
    common_19 = common_5*abs(along3)*abs(along5) + scale3*scale5*abs(inverse_3_5) + size*(45*common_13*ratio + 60)*abs(weight3)*abs(weight5)
    size_h3_h5 = common_19
    common_20 = common_5*abs(along3)*abs(along7) + scale3*scale7*abs(inverse_3_7) + size*(315*common_13*ratio + 630)*abs(weight3)*abs(weight7)
    size_h3_h7 = common_20
    common_21 = (along5*along5)*common_5 + (scale5*scale5)*abs(inverse_5_5) + size*(weight5*weight5)*(225*common_13*ratio + 720)
    size_h5_h5 = common_21
    common_22 = common_5*abs(along5)*abs(along7) + scale5*scale7*abs(inverse_5_7) + size*(1575*common_13*ratio + 8820)*abs(weight5)*abs(weight7)
    size_h5_h7 = common_22
    common_23 = (along7*along7)*common_5 + (scale7*scale7)*abs(inverse_7_7) + size*(weight7*weight7)*(11025*common_13*ratio + 124110)
    size_h7_h7 = common_23
    return weight1, along1, M11, weight3, along3, M13, weight5, along5, M15, weight7, along7, M17, signal1, b_h1, M33, M35, M37, signal3, b_h3, M55, M57, signal5, b_h5, M77, signal7, b_h7, common_11, common_12, error_signal7, common_14, size_h1_h1, common_15, size_h1_h3, common_16, size_h1_h5, common_17, size_h1_h7, common_18, size_h3_h3, common_19, size_h3_h5, common_20, size_h3_h7, common_21, size_h5_h5, common_22, size_h5_h7, common_23, size_h7_h7


def prepare_h2(chi, common, common_3, eta, free, gaussian, length, mean_share, n, phi, psi, radial, strength_4, strength_6, strength_8, target_2, target_4, target_6, target_linear):
    """Compute what the equations of h2, h4, h6, h8 need."""
    spread = chi*common*radial
    lost = spread/(-mean_share*spread + spread + 1)
    common_6 = 1 - free
    level = common_6/(gaussian*spread + 1)
    theta4 = (eta*eta*eta*eta)*(length*length)*(psi)**(1.5)*strength_4/((n)**(1.5)*(phi)**(1.5))
    theta6 = (eta)**(6)*(length*length*length)*(psi)**(2.5)*strength_6/((n)**(2.5)*(phi)**(2.5))
    theta8 = (eta)**(8)*(length*length*length*length)*(psi)**(3.5)*strength_8/((n)**(3.5)*(phi)**(3.5))
    common_26 = 12*common_3*abs(target_2)/length + 24*(target_linear*target_linear*target_linear*target_linear)*abs(target_4)/(length*length)
    common_27 = 90*common_3*abs(target_2)/length + 360*(target_linear*target_linear*target_linear*target_linear)*abs(target_4)/(length*length) + 720*(target_linear)**(6)*abs(target_6)/(length*length*length)
    common_28 = free + 1
    common_29 = common_28/(gaussian*spread + 1)
    return spread, lost, common_6, level, theta4, theta6, theta8, common_26, common_27, common_28, common_29


def prepare_h2_2(common_29, common_3, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_4_4, inverse_4_6, inverse_4_8, inverse_6_6, inverse_6_8, inverse_8_8, length, level, lost, mean_2, mean_4, mean_6, mean_8, scale2, scale4, scale6, scale8, size, target_2, target_4, target_6, target_8, target_linear, theta2, theta4, theta6, theta8):
    """Compute what the equations of h2, h4, h6, h8 need."""
    weight2 = scale2*theta2
    M22 = (scale2*scale2)*(inverse_2_2 + lost*(mean_2*mean_2)) + size*(weight2*weight2)*(level + 2)
    weight4 = scale4*theta4
    M24 = scale2*scale4*(inverse_2_4 + lost*mean_2*mean_4) + size*weight2*weight4*(3*level + 12)
    weight6 = scale6*theta6
    M26 = scale2*scale6*(inverse_2_6 + lost*mean_2*mean_6) + size*weight2*weight6*(15*level + 90)
    weight8 = scale8*theta8
    M28 = scale2*scale8*(inverse_2_8 + lost*mean_2*mean_8) + size*weight2*weight8*(105*level + 840)
    signal2 = 2*common_3*target_2*weight2/length
    b_h2 = signal2*size
    M44 = (scale4*scale4)*(inverse_4_4 + lost*(mean_4*mean_4)) + size*(weight4*weight4)*(9*level + 96)
    M46 = scale4*scale6*(inverse_4_6 + lost*mean_4*mean_6) + size*weight4*weight6*(45*level + 900)
    M48 = scale4*scale8*(inverse_4_8 + lost*mean_4*mean_8) + size*weight4*weight8*(315*level + 10080)
    signal4 = weight4*(12*common_3*target_2/length + 24*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length))
    b_h4 = signal4*size
    M66 = (scale6*scale6)*(inverse_6_6 + lost*(mean_6*mean_6)) + size*(weight6*weight6)*(225*level + 10170)
    M68 = scale6*scale8*(inverse_6_8 + lost*mean_6*mean_8) + size*weight6*weight8*(1575*level + 133560)
    signal6 = weight6*(90*common_3*target_2/length + 360*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length) + 720*target_6*(target_linear)**(6)/(length*length*length))
    b_h6 = signal6*size
    M88 = (scale8*scale8)*(inverse_8_8 + lost*(mean_8*mean_8)) + size*(weight8*weight8)*(11025*level + 2016000)
    signal8 = weight8*(840*common_3*target_2/length + 5040*target_4*(target_linear*target_linear*target_linear*target_linear)/(length*length) + 20160*target_6*(target_linear)**(6)/(length*length*length) + 40320*target_8*(target_linear)**(8)/(length*length*length*length))
    b_h8 = signal8*size
    error_signal8 = (840*common_3*abs(target_2)/length + 5040*(target_linear*target_linear*target_linear*target_linear)*abs(target_4)/(length*length) + 20160*(target_linear)**(6)*abs(target_6)/(length*length*length) + 40320*(target_linear)**(8)*abs(target_8)/(length*length*length*length))*abs(weight8)
    common_30 = (scale2*scale2)*((mean_2*mean_2)*abs(lost) + abs(inverse_2_2)) + size*(weight2*weight2)*(common_29 + 2)
    size_h2_h2 = common_30
    common_31 = scale2*scale4*(abs(inverse_2_4) + abs(lost)*abs(mean_2)*abs(mean_4)) + size*(3*common_29 + 12)*abs(weight2)*abs(weight4)
    size_h2_h4 = common_31
    common_32 = scale2*scale6*(abs(inverse_2_6) + abs(lost)*abs(mean_2)*abs(mean_6)) + size*(15*common_29 + 90)*abs(weight2)*abs(weight6)
    size_h2_h6 = common_32
    common_33 = scale2*scale8*(abs(inverse_2_8) + abs(lost)*abs(mean_2)*abs(mean_8)) + size*(105*common_29 + 840)*abs(weight2)*abs(weight8)
    size_h2_h8 = common_33
    common_34 = (scale4*scale4)*((mean_4*mean_4)*abs(lost) + abs(inverse_4_4)) + size*(weight4*weight4)*(9*common_29 + 96)
    size_h4_h4 = common_34
    common_35 = scale4*scale6*(abs(inverse_4_6) + abs(lost)*abs(mean_4)*abs(mean_6)) + size*(45*common_29 + 900)*abs(weight4)*abs(weight6)
    size_h4_h6 = common_35
    common_36 = scale4*scale8*(abs(inverse_4_8) + abs(lost)*abs(mean_4)*abs(mean_8)) + size*(315*common_29 + 10080)*abs(weight4)*abs(weight8)
    size_h4_h8 = common_36
    common_37 = (scale6*scale6)*((mean_6*mean_6)*abs(lost) + abs(inverse_6_6)) + size*(weight6*weight6)*(225*common_29 + 10170)
    size_h6_h6 = common_37
    common_38 = scale6*scale8*(abs(inverse_6_8) + abs(lost)*abs(mean_6)*abs(mean_8)) + size*(1575*common_29 + 133560)*abs(weight6)*abs(weight8)
    size_h6_h8 = common_38
    common_39 = (scale8*scale8)*((mean_8*mean_8)*abs(lost) + abs(inverse_8_8)) + size*(weight8*weight8)*(11025*common_29 + 2016000)
    size_h8_h8 = common_39
    return weight2, M22, weight4, M24, weight6, M26, weight8, M28, signal2, b_h2, M44, M46, M48, signal4, b_h4, M66, M68, signal6, b_h6, M88, signal8, b_h8, error_signal8, common_30, size_h2_h2, common_31, size_h2_h4, common_32, size_h2_h6, common_33, size_h2_h8, common_34, size_h4_h4, common_35, size_h4_h6, common_36, size_h4_h8, common_37, size_h6_h6, common_38, size_h6_h8, common_39, size_h8_h8


def prepare_dh1(along1, along3, along5, along7, common_13, common_3, common_4, common_7, dchi, drag, first, h1, h3, h5, h7, kappa, kept, length, linear, phi, ratio, scale1, signal1, signal3, signal5, signal7, size, weight1, weight3, weight5, weight7):
    """Compute what the equations of dh1, dh3, dh5, dh7 need."""
    dratio = -common_7*dchi*linear*phi
    dsignal1 = common_3*common_4*dratio*weight1
    dsize = dchi*kappa
    ddrag = dratio*kept*linear*size + dsize*kept*linear*ratio
    dfirst = -ddrag*linear*ratio/length + dratio*(-drag*linear/length + 1)
    common_10 = 2*(along1*along1)*drag - 2*along1*scale1
    dM11 = common_10*ddrag + dfirst*size*(weight1*weight1) + dsize*first*(weight1*weight1)
    dM13 = ddrag*(2*along1*along3*drag - along3*scale1) + 3*dfirst*size*weight1*weight3 + 3*dsize*first*weight1*weight3
    dM15 = ddrag*(2*along1*along5*drag - along5*scale1) + 15*dfirst*size*weight1*weight5 + 15*dsize*first*weight1*weight5
    dM17 = ddrag*(2*along1*along7*drag - along7*scale1) + 105*dfirst*size*weight1*weight7 + 105*dsize*first*weight1*weight7
    b_dh1 = -dM11*h1 - dM13*h3 - dM15*h5 - dM17*h7 + dsignal1*size + dsize*signal1
    dsignal3 = 3*common_3*common_4*dratio*weight3
    dM33 = 2*(along3*along3)*ddrag*drag + 9*dfirst*size*(weight3*weight3) + dsize*(weight3*weight3)*(9*first + 6)
    dM35 = 2*along3*along5*ddrag*drag + 45*dfirst*size*weight3*weight5 + dsize*weight3*weight5*(45*first + 60)
    dM37 = 2*along3*along7*ddrag*drag + 315*dfirst*size*weight3*weight7 + dsize*weight3*weight7*(315*first + 630)
    b_dh3 = -dM13*h1 - dM33*h3 - dM35*h5 - dM37*h7 + dsignal3*size + dsize*signal3
    dsignal5 = 15*common_3*common_4*dratio*weight5
    dM55 = 2*(along5*along5)*ddrag*drag + 225*dfirst*size*(weight5*weight5) + dsize*(weight5*weight5)*(225*first + 720)
    dM57 = 2*along5*along7*ddrag*drag + 1575*dfirst*size*weight5*weight7 + dsize*weight5*weight7*(1575*first + 8820)
    b_dh5 = -dM15*h1 - dM35*h3 - dM55*h5 - dM57*h7 + dsignal5*size + dsize*signal5
    dsignal7 = 105*common_3*common_4*dratio*weight7
    dM77 = 2*(along7*along7)*ddrag*drag + 11025*dfirst*size*(weight7*weight7) + dsize*(weight7*weight7)*(11025*first + 124110)
    b_dh7 = -dM17*h1 - dM37*h3 - dM57*h5 - dM77*h7 + dsignal7*size + dsize*signal7
    common_41 = abs(dsize)
    common_42 = common_41*kept*linear*ratio + kept*linear*size*abs(dratio)
    common_43 = common_13*abs(dratio) + common_42*linear*ratio/length
    error_dM11 = common_13*common_41*ratio*(weight1*weight1) + common_42*abs(common_10) + common_43*size*(weight1*weight1) + (2*(along1*along1)*drag + 2*scale1*abs(along1))*abs(ddrag)
    error_dM13 = 3*common_13*common_41*ratio*abs(weight1)*abs(weight3) + common_42*abs(2*along1*along3*drag - along3*scale1) + 3*common_43*size*abs(weight1)*abs(weight3) + (2*drag*abs(along1)*abs(along3) + scale1*abs(along3))*abs(ddrag)
    error_dM15 = 15*common_13*common_41*ratio*abs(weight1)*abs(weight5) + common_42*abs(2*along1*along5*drag - along5*scale1) + 15*common_43*size*abs(weight1)*abs(weight5) + (2*drag*abs(along1)*abs(along5) + scale1*abs(along5))*abs(ddrag)
    error_dM17 = 105*common_13*common_41*ratio*abs(weight1)*abs(weight7) + common_42*abs(2*along1*along7*drag - along7*scale1) + 105*common_43*size*abs(weight1)*abs(weight7) + (2*drag*abs(along1)*abs(along7) + scale1*abs(along7))*abs(ddrag)
    error_dM33 = 2*(along3*along3)*common_42*drag + common_41*(weight3*weight3)*(9*common_13*ratio + 6) + 9*common_43*size*(weight3*weight3)
    error_dM35 = common_41*(45*common_13*ratio + 60)*abs(weight3)*abs(weight5) + 2*common_42*drag*abs(along3)*abs(along5) + 45*common_43*size*abs(weight3)*abs(weight5)
    error_dM37 = common_41*(315*common_13*ratio + 630)*abs(weight3)*abs(weight7) + 2*common_42*drag*abs(along3)*abs(along7) + 315*common_43*size*abs(weight3)*abs(weight7)
    error_dM55 = 2*(along5*along5)*common_42*drag + common_41*(weight5*weight5)*(225*common_13*ratio + 720) + 225*common_43*size*(weight5*weight5)
    error_dM57 = common_41*(1575*common_13*ratio + 8820)*abs(weight5)*abs(weight7) + 2*common_42*drag*abs(along5)*abs(along7) + 1575*common_43*size*abs(weight5)*abs(weight7)
    error_dM77 = 2*(along7*along7)*common_42*drag + common_41*(weight7*weight7)*(11025*common_13*ratio + 124110) + 11025*common_43*size*(weight7*weight7)
    return dsignal1, dsize, common_10, dM11, dM13, dM15, dM17, b_dh1, dsignal3, dM33, dM35, dM37, b_dh3, dsignal5, dM55, dM57, b_dh5, dsignal7, dM77, b_dh7, common_41, error_dM11, error_dM13, error_dM15, error_dM17, error_dM33, error_dM35, error_dM37, error_dM55, error_dM57, error_dM77


def prepare_dh2(common, common_28, common_29, common_41, common_6, dchi, dsize, gaussian, h2, h4, h6, h8, level, mean_2, mean_4, mean_6, mean_8, mean_share, radial, scale2, scale4, scale6, scale8, signal2, signal4, signal6, signal8, size, spread, weight2, weight4, weight6, weight8):
    """Compute what the equations of dh2, dh4, dh6, dh8 need."""
    dspread = common*dchi*radial
    common_24 = spread*(mean_share - 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(-mean_share*spread + spread + 1))
    dlost = common_24*dspread
    common_25 = (1.0/((gaussian*spread + 1)**(2)))
    dlevel = -common_25*common_6*dspread*gaussian
    dM22 = dlevel*size*(weight2*weight2) + dlost*(mean_2*mean_2)*(scale2*scale2) + dsize*(weight2*weight2)*(level + 2)
    dM24 = 3*dlevel*size*weight2*weight4 + dlost*mean_2*mean_4*scale2*scale4 + dsize*weight2*weight4*(3*level + 12)
    dM26 = 15*dlevel*size*weight2*weight6 + dlost*mean_2*mean_6*scale2*scale6 + dsize*weight2*weight6*(15*level + 90)
    dM28 = 105*dlevel*size*weight2*weight8 + dlost*mean_2*mean_8*scale2*scale8 + dsize*weight2*weight8*(105*level + 840)
    b_dh2 = -dM22*h2 - dM24*h4 - dM26*h6 - dM28*h8 + dsize*signal2
    dM44 = 9*dlevel*size*(weight4*weight4) + dlost*(mean_4*mean_4)*(scale4*scale4) + dsize*(weight4*weight4)*(9*level + 96)
    dM46 = 45*dlevel*size*weight4*weight6 + dlost*mean_4*mean_6*scale4*scale6 + dsize*weight4*weight6*(45*level + 900)
    dM48 = 315*dlevel*size*weight4*weight8 + dlost*mean_4*mean_8*scale4*scale8 + dsize*weight4*weight8*(315*level + 10080)
    b_dh4 = -dM24*h2 - dM44*h4 - dM46*h6 - dM48*h8 + dsize*signal4
    dM66 = 225*dlevel*size*(weight6*weight6) + dlost*(mean_6*mean_6)*(scale6*scale6) + dsize*(weight6*weight6)*(225*level + 10170)
    dM68 = 1575*dlevel*size*weight6*weight8 + dlost*mean_6*mean_8*scale6*scale8 + dsize*weight6*weight8*(1575*level + 133560)
    b_dh6 = -dM26*h2 - dM46*h4 - dM66*h6 - dM68*h8 + dsize*signal6
    dM88 = 11025*dlevel*size*(weight8*weight8) + dlost*(mean_8*mean_8)*(scale8*scale8) + dsize*(weight8*weight8)*(11025*level + 2016000)
    b_dh8 = -dM28*h2 - dM48*h4 - dM68*h6 - dM88*h8 + dsize*signal8
    common_44 = spread*(mean_share + 1)/(-mean_share*spread + spread + 1)**(2) + (1.0/(abs(-mean_share*spread + spread + 1)))
    error_dM22 = common_25*common_28*gaussian*size*(weight2*weight2)*abs(dspread) + common_41*(weight2*weight2)*(common_29 + 2) + common_44*(mean_2*mean_2)*(scale2*scale2)*abs(dspread)
    error_dM24 = 3*common_25*common_28*gaussian*size*abs(dspread)*abs(weight2)*abs(weight4) + common_41*(3*common_29 + 12)*abs(weight2)*abs(weight4) + common_44*scale2*scale4*abs(dspread)*abs(mean_2)*abs(mean_4)
    error_dM26 = 15*common_25*common_28*gaussian*size*abs(dspread)*abs(weight2)*abs(weight6) + common_41*(15*common_29 + 90)*abs(weight2)*abs(weight6) + common_44*scale2*scale6*abs(dspread)*abs(mean_2)*abs(mean_6)
    error_dM28 = 105*common_25*common_28*gaussian*size*abs(dspread)*abs(weight2)*abs(weight8) + common_41*(105*common_29 + 840)*abs(weight2)*abs(weight8) + common_44*scale2*scale8*abs(dspread)*abs(mean_2)*abs(mean_8)
    error_dM44 = 9*common_25*common_28*gaussian*size*(weight4*weight4)*abs(dspread) + common_41*(weight4*weight4)*(9*common_29 + 96) + common_44*(mean_4*mean_4)*(scale4*scale4)*abs(dspread)
    error_dM46 = 45*common_25*common_28*gaussian*size*abs(dspread)*abs(weight4)*abs(weight6) + common_41*(45*common_29 + 900)*abs(weight4)*abs(weight6) + common_44*scale4*scale6*abs(dspread)*abs(mean_4)*abs(mean_6)
    error_dM48 = 315*common_25*common_28*gaussian*size*abs(dspread)*abs(weight4)*abs(weight8) + common_41*(315*common_29 + 10080)*abs(weight4)*abs(weight8) + common_44*scale4*scale8*abs(dspread)*abs(mean_4)*abs(mean_8)
    error_dM66 = 225*common_25*common_28*gaussian*size*(weight6*weight6)*abs(dspread) + common_41*(weight6*weight6)*(225*common_29 + 10170) + common_44*(mean_6*mean_6)*(scale6*scale6)*abs(dspread)
    error_dM68 = 1575*common_25*common_28*gaussian*size*abs(dspread)*abs(weight6)*abs(weight8) + common_41*(1575*common_29 + 133560)*abs(weight6)*abs(weight8) + common_44*scale6*scale8*abs(dspread)*abs(mean_6)*abs(mean_8)
    error_dM88 = 11025*common_25*common_28*gaussian*size*(weight8*weight8)*abs(dspread) + common_41*(weight8*weight8)*(11025*common_29 + 2016000) + common_44*(mean_8*mean_8)*(scale8*scale8)*abs(dspread)
    return common_24, common_25, dM22, dM24, dM26, dM28, b_dh2, dM44, dM46, dM48, b_dh4, dM66, dM68, b_dh6, dM88, b_dh8, error_dM22, error_dM24, error_dM26, error_dM28, error_dM44, error_dM46, error_dM48, error_dM66, error_dM68, error_dM88


def conclude(A_dchi_dchi, along1, along3, along5, along7, chi, common, common_10, common_11, common_12, common_14, common_15, common_16, common_17, common_18, common_19, common_2, common_20, common_21, common_22, common_23, common_24, common_25, common_26, common_27, common_3, common_30, common_31, common_32, common_33, common_34, common_35, common_36, common_37, common_38, common_39, common_4, common_41, common_6, common_7, common_8, common_9, dchi, ddzeta_ddchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, distance, drag, dsignal1, dsignal3, dsignal5, dsignal7, dzeta_0, error_dM11, error_dM13, error_dM15, error_dM17, error_dM22, error_dM24, error_dM26, error_dM28, error_dM33, error_dM35, error_dM37, error_dM44, error_dM46, error_dM48, error_dM55, error_dM57, error_dM66, error_dM68, error_dM77, error_dM88, error_signal7, error_signal8, first, gaussian, h1, h2, h3, h4, h5, h6, h7, h8, inverse_h1_h1, inverse_h1_h3, inverse_h1_h5, inverse_h1_h7, inverse_h2_h2, inverse_h2_h4, inverse_h2_h6, inverse_h2_h8, inverse_h3_h1, inverse_h3_h3, inverse_h3_h5, inverse_h3_h7, inverse_h4_h2, inverse_h4_h4, inverse_h4_h6, inverse_h4_h8, inverse_h5_h1, inverse_h5_h3, inverse_h5_h5, inverse_h5_h7, inverse_h6_h2, inverse_h6_h4, inverse_h6_h6, inverse_h6_h8, inverse_h7_h1, inverse_h7_h3, inverse_h7_h5, inverse_h7_h7, inverse_h8_h2, inverse_h8_h4, inverse_h8_h6, inverse_h8_h8, kappa, kept, lam, length, level, linear, mean_2, mean_4, mean_6, mean_8, phi, radial, ratio, scale1, scale2, scale4, scale6, scale8, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, size, size_dzeta_0, slope_chi_chi, weight1, weight2, weight3, weight4, weight5, weight6, weight7, weight8, zeta):
    """Compute observables and the errors that rounding makes."""
    # dzeta = linear*dratio + dshare
    dzeta = dchi*ddzeta_ddchi + dzeta_0
    common_40 = h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8
    common_46 = -common_7*kept*(linear*linear)*phi*size + kappa*kept*linear*ratio
    common_47 = -common_46*linear*ratio/length - common_7*linear*phi*(-drag*linear/length + 1)
    common_48 = common_46*(2*along1*along3*drag - along3*scale1) + 3*common_47*size*weight1*weight3 + 3*first*kappa*weight1*weight3
    common_49 = common_46*(2*along1*along5*drag - along5*scale1) + 15*common_47*size*weight1*weight5 + 15*first*kappa*weight1*weight5
    common_50 = common_46*(2*along1*along7*drag - along7*scale1) + 105*common_47*size*weight1*weight7 + 105*first*kappa*weight1*weight7
    ddh1_ddchi = common_3*common_4*common_7*linear*phi*size*weight1 + common_48*h3 + common_49*h5 + common_50*h7 + h1*(common_10*common_46 + common_47*size*(weight1*weight1) + first*kappa*(weight1*weight1)) - kappa*signal1
    common_51 = 2*along3*along5*common_46*drag + 45*common_47*size*weight3*weight5 + kappa*weight3*weight5*(45*first + 60)
    common_52 = 2*along3*along7*common_46*drag + 315*common_47*size*weight3*weight7 + kappa*weight3*weight7*(315*first + 630)
    ddh3_ddchi = 3*common_3*common_4*common_7*linear*phi*size*weight3 + common_48*h1 + common_51*h5 + common_52*h7 + h3*(2*(along3*along3)*common_46*drag + 9*common_47*size*(weight3*weight3) + kappa*(weight3*weight3)*(9*first + 6)) - kappa*signal3
    common_53 = 2*along5*along7*common_46*drag + 1575*common_47*size*weight5*weight7 + kappa*weight5*weight7*(1575*first + 8820)
    ddh5_ddchi = 15*common_3*common_4*common_7*linear*phi*size*weight5 + common_49*h1 + common_51*h3 + common_53*h7 + h5*(2*(along5*along5)*common_46*drag + 225*common_47*size*(weight5*weight5) + kappa*(weight5*weight5)*(225*first + 720)) - kappa*signal5
    ddh7_ddchi = 105*common_3*common_4*common_7*linear*phi*size*weight7 + common_50*h1 + common_52*h3 + common_53*h5 + h7*(2*(along7*along7)*common_46*drag + 11025*common_47*size*(weight7*weight7) + kappa*(weight7*weight7)*(11025*first + 124110)) - kappa*signal7
    common_54 = common*common_24*mean_2*mean_4*radial*scale2*scale4 - 3*common*common_25*common_6*gaussian*radial*size*weight2*weight4 + kappa*weight2*weight4*(3*level + 12)
    common_55 = common*common_24*mean_2*mean_6*radial*scale2*scale6 - 15*common*common_25*common_6*gaussian*radial*size*weight2*weight6 + kappa*weight2*weight6*(15*level + 90)
    common_56 = common*common_24*mean_2*mean_8*radial*scale2*scale8 - 105*common*common_25*common_6*gaussian*radial*size*weight2*weight8 + kappa*weight2*weight8*(105*level + 840)
    ddh2_ddchi = common_54*h4 + common_55*h6 + common_56*h8 + h2*(common*common_24*(mean_2*mean_2)*radial*(scale2*scale2) - common*common_25*common_6*gaussian*radial*size*(weight2*weight2) + kappa*(weight2*weight2)*(level + 2)) - kappa*signal2
    common_57 = common*common_24*mean_4*mean_6*radial*scale4*scale6 - 45*common*common_25*common_6*gaussian*radial*size*weight4*weight6 + kappa*weight4*weight6*(45*level + 900)
    common_58 = common*common_24*mean_4*mean_8*radial*scale4*scale8 - 315*common*common_25*common_6*gaussian*radial*size*weight4*weight8 + kappa*weight4*weight8*(315*level + 10080)
    ddh4_ddchi = common_54*h2 + common_57*h6 + common_58*h8 + h4*(common*common_24*(mean_4*mean_4)*radial*(scale4*scale4) - 9*common*common_25*common_6*gaussian*radial*size*(weight4*weight4) + kappa*(weight4*weight4)*(9*level + 96)) - kappa*signal4
    common_59 = common*common_24*mean_6*mean_8*radial*scale6*scale8 - 1575*common*common_25*common_6*gaussian*radial*size*weight6*weight8 + kappa*weight6*weight8*(1575*level + 133560)
    ddh6_ddchi = common_55*h2 + common_57*h4 + common_59*h8 + h6*(common*common_24*(mean_6*mean_6)*radial*(scale6*scale6) - 225*common*common_25*common_6*gaussian*radial*size*(weight6*weight6) + kappa*(weight6*weight6)*(225*level + 10170)) - kappa*signal6
    ddh8_ddchi = common_56*h2 + common_58*h4 + common_59*h6 + h8*(common*common_24*(mean_8*mean_8)*radial*(scale8*scale8) - 11025*common*common_25*common_6*gaussian*radial*size*(weight8*weight8) + kappa*(weight8*weight8)*(11025*level + 2016000)) - kappa*signal8
    chi_check = 2*common_9/zeta
    chi_error = ROUNDING/(abs(slope_chi_chi) + 1e-300)
    rounding_h1 = common_14*abs(h1) + common_15*abs(h3) + common_16*abs(h5) + common_17*abs(h7) + size*abs(signal1)
    rounding_h3 = common_11*size*abs(weight3) + common_15*abs(h1) + common_18*abs(h3) + common_19*abs(h5) + common_20*abs(h7)
    rounding_h5 = common_12*size*abs(weight5) + common_16*abs(h1) + common_19*abs(h3) + common_21*abs(h5) + common_22*abs(h7)
    rounding_h7 = common_17*abs(h1) + common_20*abs(h3) + common_22*abs(h5) + common_23*abs(h7) + error_signal7*size
    error_h1 = rounding_h1*abs(inverse_h1_h1) + rounding_h3*abs(inverse_h1_h3) + rounding_h5*abs(inverse_h1_h5) + rounding_h7*abs(inverse_h1_h7)
    error_h3 = rounding_h1*abs(inverse_h3_h1) + rounding_h3*abs(inverse_h3_h3) + rounding_h5*abs(inverse_h3_h5) + rounding_h7*abs(inverse_h3_h7)
    error_h5 = rounding_h1*abs(inverse_h5_h1) + rounding_h3*abs(inverse_h5_h3) + rounding_h5*abs(inverse_h5_h5) + rounding_h7*abs(inverse_h5_h7)
    error_h7 = rounding_h1*abs(inverse_h7_h1) + rounding_h3*abs(inverse_h7_h3) + rounding_h5*abs(inverse_h7_h5) + rounding_h7*abs(inverse_h7_h7)
    rounding_h2 = common_30*abs(h2) + common_31*abs(h4) + common_32*abs(h6) + common_33*abs(h8) + size*abs(signal2)
    rounding_h4 = common_26*size*abs(weight4) + common_31*abs(h2) + common_34*abs(h4) + common_35*abs(h6) + common_36*abs(h8)
    rounding_h6 = common_27*size*abs(weight6) + common_32*abs(h2) + common_35*abs(h4) + common_37*abs(h6) + common_38*abs(h8)
    rounding_h8 = common_33*abs(h2) + common_36*abs(h4) + common_38*abs(h6) + common_39*abs(h8) + error_signal8*size
    error_h2 = rounding_h2*abs(inverse_h2_h2) + rounding_h4*abs(inverse_h2_h4) + rounding_h6*abs(inverse_h2_h6) + rounding_h8*abs(inverse_h2_h8)
    error_h4 = rounding_h2*abs(inverse_h4_h2) + rounding_h4*abs(inverse_h4_h4) + rounding_h6*abs(inverse_h4_h6) + rounding_h8*abs(inverse_h4_h8)
    error_h6 = rounding_h2*abs(inverse_h6_h2) + rounding_h4*abs(inverse_h6_h4) + rounding_h6*abs(inverse_h6_h6) + rounding_h8*abs(inverse_h6_h8)
    error_h8 = rounding_h2*abs(inverse_h8_h2) + rounding_h4*abs(inverse_h8_h4) + rounding_h6*abs(inverse_h8_h6) + rounding_h8*abs(inverse_h8_h8)
    rounding_dchi = 2*common_9*size_dzeta_0/(zeta*zeta) + (2*common_9*abs(ddzeta_ddchi)/(zeta*zeta) + 1)*abs(dchi)
    error_dchi = rounding_dchi/(abs(A_dchi_dchi) + 1e-300)
    error_dzeta = size_dzeta_0 + abs(dchi)*abs(ddzeta_ddchi) + abs(ddzeta_ddchi)*abs(error_dchi)
    rounding_dh1 = common_14*abs(dh1) + common_15*abs(dh3) + common_16*abs(dh5) + common_17*abs(dh7) + common_41*abs(signal1) + error_dM11*abs(h1) + error_dM13*abs(h3) + error_dM15*abs(h5) + error_dM17*abs(h7) + size*abs(dsignal1)
    rounding_dh3 = common_11*common_41*abs(weight3) + common_15*abs(dh1) + common_18*abs(dh3) + common_19*abs(dh5) + common_20*abs(dh7) + error_dM13*abs(h1) + error_dM33*abs(h3) + error_dM35*abs(h5) + error_dM37*abs(h7) + size*abs(dsignal3)
    rounding_dh5 = common_12*common_41*abs(weight5) + common_16*abs(dh1) + common_19*abs(dh3) + common_21*abs(dh5) + common_22*abs(dh7) + error_dM15*abs(h1) + error_dM35*abs(h3) + error_dM55*abs(h5) + error_dM57*abs(h7) + size*abs(dsignal5)
    rounding_dh7 = common_17*abs(dh1) + common_20*abs(dh3) + common_22*abs(dh5) + common_23*abs(dh7) + common_41*error_signal7 + error_dM17*abs(h1) + error_dM37*abs(h3) + error_dM57*abs(h5) + error_dM77*abs(h7) + size*abs(dsignal7)
    error_dh1 = rounding_dh1*abs(inverse_h1_h1) + rounding_dh3*abs(inverse_h1_h3) + rounding_dh5*abs(inverse_h1_h5) + rounding_dh7*abs(inverse_h1_h7)
    error_dh3 = rounding_dh1*abs(inverse_h3_h1) + rounding_dh3*abs(inverse_h3_h3) + rounding_dh5*abs(inverse_h3_h5) + rounding_dh7*abs(inverse_h3_h7)
    error_dh5 = rounding_dh1*abs(inverse_h5_h1) + rounding_dh3*abs(inverse_h5_h3) + rounding_dh5*abs(inverse_h5_h5) + rounding_dh7*abs(inverse_h5_h7)
    error_dh7 = rounding_dh1*abs(inverse_h7_h1) + rounding_dh3*abs(inverse_h7_h3) + rounding_dh5*abs(inverse_h7_h5) + rounding_dh7*abs(inverse_h7_h7)
    rounding_dh2 = common_30*abs(dh2) + common_31*abs(dh4) + common_32*abs(dh6) + common_33*abs(dh8) + common_41*abs(signal2) + error_dM22*abs(h2) + error_dM24*abs(h4) + error_dM26*abs(h6) + error_dM28*abs(h8)
    rounding_dh4 = common_26*common_41*abs(weight4) + common_31*abs(dh2) + common_34*abs(dh4) + common_35*abs(dh6) + common_36*abs(dh8) + error_dM24*abs(h2) + error_dM44*abs(h4) + error_dM46*abs(h6) + error_dM48*abs(h8)
    rounding_dh6 = common_27*common_41*abs(weight6) + common_32*abs(dh2) + common_35*abs(dh4) + common_37*abs(dh6) + common_38*abs(dh8) + error_dM26*abs(h2) + error_dM46*abs(h4) + error_dM66*abs(h6) + error_dM68*abs(h8)
    rounding_dh8 = common_33*abs(dh2) + common_36*abs(dh4) + common_38*abs(dh6) + common_39*abs(dh8) + common_41*error_signal8 + error_dM28*abs(h2) + error_dM48*abs(h4) + error_dM68*abs(h6) + error_dM88*abs(h8)
    error_dh2 = rounding_dh2*abs(inverse_h2_h2) + rounding_dh4*abs(inverse_h2_h4) + rounding_dh6*abs(inverse_h2_h6) + rounding_dh8*abs(inverse_h2_h8)
    error_dh4 = rounding_dh2*abs(inverse_h4_h2) + rounding_dh4*abs(inverse_h4_h4) + rounding_dh6*abs(inverse_h4_h6) + rounding_dh8*abs(inverse_h4_h8)
    error_dh6 = rounding_dh2*abs(inverse_h6_h2) + rounding_dh4*abs(inverse_h6_h4) + rounding_dh6*abs(inverse_h6_h6) + rounding_dh8*abs(inverse_h6_h8)
    error_dh8 = rounding_dh2*abs(inverse_h8_h2) + rounding_dh4*abs(inverse_h8_h4) + rounding_dh6*abs(inverse_h8_h6) + rounding_dh8*abs(inverse_h8_h8)
    error_share = 2*(common_2*common_2)*kappa*lam*((0.5)*common_8*(4*chi*(kappa*kappa)*lam + 2*distance*(kappa + 1)) + kappa + 1)
    common_61 = common_11*abs(h3)*abs(weight3) + common_12*abs(h5)*abs(weight5) + common_26*abs(h4)*abs(weight4) + common_27*abs(h6)*abs(weight6) + error_signal7*abs(h7) + error_signal8*abs(h8) + abs(h1)*abs(signal1) + abs(h2)*abs(signal2)
    return dzeta, common_40, ddh1_ddchi, ddh3_ddchi, ddh5_ddchi, ddh7_ddchi, ddh2_ddchi, ddh4_ddchi, ddh6_ddchi, ddh8_ddchi, chi_check, chi_error, error_h1, error_h3, error_h5, error_h7, error_h2, error_h4, error_h6, error_h8, error_dchi, error_dzeta, error_dh1, error_dh3, error_dh5, error_dh7, error_dh2, error_dh4, error_dh6, error_dh8, error_share, common_61


def conclude_2(chi, common, common_3, common_40, common_61, dchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, dsignal1, dsignal3, dsignal5, dsignal7, error, excess, h1, h3, h5, h7, kappa, lam, linear, noise_variance, nonlinear, ratio, share, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, target_rest):
    """Compute observables and the errors that rounding makes."""
    # m1 = 1/(kappa*share + excess/chi)
    m1 = (1.0/(kappa*share + excess/chi))
    mtilde = chi*kappa*share + excess
    # m2 = 1/(linear*mtilde/phi + kappa*share + excess/chi)
    m2 = (1.0/(common*linear*mtilde + kappa*share + excess/chi))
    steepness = kappa*(linear*(ratio*ratio) + nonlinear)/mtilde
    # dm1 = dchi*m1*(steepness + 1/chi)
    dm1 = dchi*m1*(steepness + (1.0/chi))
    # dm2 = dchi*m2*(steepness + ratio/chi)
    dm2 = dchi*m2*(steepness + ratio/chi)
    # train_error = -lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa + lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa
    train_error = -common_40*kappa*lam*m1 + kappa*lam*(common_3*m2 + m1*(noise_variance + target_rest))
    common_45 = (-common_40*dm1*kappa - dh1*kappa*m1*signal1 - dh2*kappa*m1*signal2 - dh3*kappa*m1*signal3 - dh4*kappa*m1*signal4 - dh5*kappa*m1*signal5 - dh6*kappa*m1*signal6 - dh7*kappa*m1*signal7 - dh8*kappa*m1*signal8 - dsignal1*h1*kappa*m1 - dsignal3*h3*kappa*m1 - dsignal5*h5*kappa*m1 - dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1))
    # test_error = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2) - (-dh1*m1*kappa*signal1 - dh2*m1*kappa*signal2 - dh3*m1*kappa*signal3 - dh4*m1*kappa*signal4 - dh5*m1*kappa*signal5 - dh6*m1*kappa*signal6 - dh7*m1*kappa*signal7 - dh8*m1*kappa*signal8 - dm1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa - h1*m1*dsignal1*kappa - h3*m1*dsignal3*kappa - h5*m1*dsignal5*kappa - h7*m1*dsignal7*kappa)/(m1**2*kappa**2)
    test_error = -common_45 + (-common_3*dm2*kappa - dm1*kappa*(noise_variance + target_rest))/((kappa*kappa)*(m1*m1))
    # baseline_train = lam*(m1*(noise_variance + target_rest) + m2*target_linear**2)*kappa
    baseline_train = kappa*lam*(common_3*m2 + m1*(noise_variance + target_rest))
    # baseline_test = (-dm1*(noise_variance + target_rest)*kappa - dm2*target_linear**2*kappa)/(m1**2*kappa**2)
    baseline_test = (-common_3*dm2*kappa - dm1*kappa*(noise_variance + target_rest))/((kappa*kappa)*(m1*m1))
    # train_gap = lam*m1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa
    train_gap = common_40*kappa*lam*m1
    # test_gap = (-dh1*m1*kappa*signal1 - dh2*m1*kappa*signal2 - dh3*m1*kappa*signal3 - dh4*m1*kappa*signal4 - dh5*m1*kappa*signal5 - dh6*m1*kappa*signal6 - dh7*m1*kappa*signal7 - dh8*m1*kappa*signal8 - dm1*(h1*signal1 + h2*signal2 + h3*signal3 + h4*signal4 + h5*signal5 + h6*signal6 + h7*signal7 + h8*signal8)*kappa - h1*m1*dsignal1*kappa - h3*m1*dsignal3*kappa - h5*m1*dsignal5*kappa - h7*m1*dsignal7*kappa)/(m1**2*kappa**2)
    test_gap = common_45
    ddm1_ddchi = m1*(steepness + (1.0/chi))
    ddm2_ddchi = m2*(steepness + ratio/chi)
    common_63 = 2*error*abs(common_3*dm2*kappa + dm1*kappa*(noise_variance + target_rest))/((kappa*kappa)*(m1*m1*m1))
    common_64 = 2*error*abs(common_40*dm1*kappa + dh1*kappa*m1*signal1 + dh2*kappa*m1*signal2 + dh3*kappa*m1*signal3 + dh4*kappa*m1*signal4 + dh5*kappa*m1*signal5 + dh6*kappa*m1*signal6 + dh7*kappa*m1*signal7 + dh8*kappa*m1*signal8 + dsignal1*h1*kappa*m1 + dsignal3*h3*kappa*m1 + dsignal5*h5*kappa*m1 + dsignal7*h7*kappa*m1)/((kappa*kappa)*(m1*m1*m1))
    error_9 = common_61*kappa*lam*m1 + error*kappa*lam*abs(common_40)
    return m1, mtilde, m2, steepness, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, ddm1_ddchi, ddm2_ddchi, common_63, common_64, error_9


def conclude_3(chi, common_11, common_12, common_26, common_27, common_3, common_40, common_60, common_61, common_63, common_64, dchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, dm1, dsignal1, dsignal3, dsignal5, dsignal7, error, error_2, error_signal7, error_signal8, h1, h3, h5, h7, kappa, lam, m1, m2, noise_variance, ratio, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, steepness, target_rest, weight3, weight4, weight5, weight6):
    """Compute observables and the errors that rounding makes."""
    error_3 = error*(steepness + (1.0/chi))*abs(dchi) + m1*(common_60 + (1.0/chi))*abs(dchi)
    error_4 = error_2*(steepness + ratio/chi)*abs(dchi) + m2*(common_60 + ratio/chi)*abs(dchi)
    error_5 = common_61*kappa*lam*m1 + error*kappa*lam*abs(common_40) + kappa*lam*(common_3*error_2 + error*(noise_variance + target_rest))
    common_62 = (common_11*kappa*m1*abs(dh3)*abs(weight3) + common_12*kappa*m1*abs(dh5)*abs(weight5) + common_26*kappa*m1*abs(dh4)*abs(weight4) + common_27*kappa*m1*abs(dh6)*abs(weight6) + common_61*kappa*abs(dm1) + error*kappa*abs(dh1)*abs(signal1) + error*kappa*abs(dh2)*abs(signal2) + error*kappa*abs(dh3)*abs(signal3) + error*kappa*abs(dh4)*abs(signal4) + error*kappa*abs(dh5)*abs(signal5) + error*kappa*abs(dh6)*abs(signal6) + error*kappa*abs(dh7)*abs(signal7) + error*kappa*abs(dh8)*abs(signal8) + error*kappa*abs(dsignal1)*abs(h1) + error*kappa*abs(dsignal3)*abs(h3) + error*kappa*abs(dsignal5)*abs(h5) + error*kappa*abs(dsignal7)*abs(h7) + error_3*kappa*abs(common_40) + error_signal7*kappa*m1*abs(dh7) + error_signal8*kappa*m1*abs(dh8))/((kappa*kappa)*(m1*m1))
    error_6 = common_62 + common_63 + common_64 + (common_3*error_4*kappa + error_3*kappa*(noise_variance + target_rest))/((kappa*kappa)*(m1*m1))
    error_7 = kappa*lam*(common_3*error_2 + error*(noise_variance + target_rest))
    error_8 = common_63 + (common_3*error_4*kappa + error_3*kappa*(noise_variance + target_rest))/((kappa*kappa)*(m1*m1))
    error_10 = common_62 + common_64
    return error_3, error_4, error_5, error_6, error_7, error_8, error_10


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
    common = (1.0/phi)
    kappa = common*psi
    surplus = 1 - kappa
    distance = abs(surplus)
    common_7 = (1.0/((chi*linear + phi)**(2)))
    common_9 = (1.0/(distance + kappa + 1))
    common_2 = (1.0/(distance + math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))))
    common_8 = (1.0/math.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    share, zeta, ddzeta_ddchi, dzeta_0, A_dchi_dchi, b_dchi, size_dzeta_0, size_dchi_dchi = prepare_dchi(chi, common_2, common_7, common_8, common_9, kappa, lam, linear, nonlinear, phi, ratio)
    # linear block for dchi
    dchi, dchi_residual = solve_linear_1(A_dchi_dchi, b_dchi)
    common_3, length, size, drag, first, common_5, theta3, theta5, theta7, common_13 = prepare_h1(chi, common, eta, kappa, kept, linear, n, noise_variance, nonlinear, phi, psi, ratio, strength_3, strength_5, strength_7, target_linear, target_rest)
    theta1 = eta*math.sqrt(length)*strength_1
    scale1 = (1.0/math.sqrt((theta1*theta1) + 1))
    common_4 = (1.0/math.sqrt(length))
    scale3 = (1.0/math.sqrt((theta3*theta3) + 1))
    scale5 = (1.0/math.sqrt((theta5*theta5) + 1))
    scale7 = (1.0/math.sqrt((theta7*theta7) + 1))
    weight1, along1, M11, weight3, along3, M13, weight5, along5, M15, weight7, along7, M17, signal1, b_h1, M33, M35, M37, signal3, b_h3, M55, M57, signal5, b_h5, M77, signal7, b_h7, common_11, common_12, error_signal7, common_14, size_h1_h1, common_15, size_h1_h3, common_16, size_h1_h5, common_17, size_h1_h7, common_18, size_h3_h3, common_19, size_h3_h5, common_20, size_h3_h7, common_21, size_h5_h5, common_22, size_h5_h7, common_23, size_h7_h7 = prepare_h1_2(common_13, common_3, common_4, common_5, drag, first, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_3_3, inverse_3_5, inverse_3_7, inverse_5_5, inverse_5_7, inverse_7_7, length, ratio, scale1, scale3, scale5, scale7, size, target_3, target_5, target_7, target_linear, theta1, theta3, theta5, theta7)
    # linear block for h1, h3, h5, h7
    matrix_0_ = np.array(((M11, M13, M15, M17), (M13, M33, M35, M37), (M15, M35, M55, M57), (M17, M37, M57, M77)))
    factors_0_, order_0_ = factor_linear_n(matrix_0_)
    solution4, h1_h3_h5_h7_residual = solve_factored_n(matrix_0_, factors_0_, order_0_, np.array((b_h1, b_h3, b_h5, b_h7)))
    h1, h3, h5, h7 = solution4[0], solution4[1], solution4[2], solution4[3]
    spread, lost, common_6, level, theta4, theta6, theta8, common_26, common_27, common_28, common_29 = prepare_h2(chi, common, common_3, eta, free, gaussian, length, mean_share, n, phi, psi, radial, strength_4, strength_6, strength_8, target_2, target_4, target_6, target_linear)
    theta2 = (eta*eta)*length*math.sqrt(psi)*strength_2/(math.sqrt(n)*math.sqrt(phi))
    scale2 = (1.0/math.sqrt((theta2*theta2) + 1))
    scale4 = (1.0/math.sqrt((theta4*theta4) + 1))
    scale6 = (1.0/math.sqrt((theta6*theta6) + 1))
    scale8 = (1.0/math.sqrt((theta8*theta8) + 1))
    weight2, M22, weight4, M24, weight6, M26, weight8, M28, signal2, b_h2, M44, M46, M48, signal4, b_h4, M66, M68, signal6, b_h6, M88, signal8, b_h8, error_signal8, common_30, size_h2_h2, common_31, size_h2_h4, common_32, size_h2_h6, common_33, size_h2_h8, common_34, size_h4_h4, common_35, size_h4_h6, common_36, size_h4_h8, common_37, size_h6_h6, common_38, size_h6_h8, common_39, size_h8_h8 = prepare_h2_2(common_29, common_3, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_4_4, inverse_4_6, inverse_4_8, inverse_6_6, inverse_6_8, inverse_8_8, length, level, lost, mean_2, mean_4, mean_6, mean_8, scale2, scale4, scale6, scale8, size, target_2, target_4, target_6, target_8, target_linear, theta2, theta4, theta6, theta8)
    # linear block for h2, h4, h6, h8
    matrix_1_ = np.array(((M22, M24, M26, M28), (M24, M44, M46, M48), (M26, M46, M66, M68), (M28, M48, M68, M88)))
    factors_1_, order_1_ = factor_linear_n(matrix_1_)
    solution4, h2_h4_h6_h8_residual = solve_factored_n(matrix_1_, factors_1_, order_1_, np.array((b_h2, b_h4, b_h6, b_h8)))
    h2, h4, h6, h8 = solution4[0], solution4[1], solution4[2], solution4[3]
    dsignal1, dsize, common_10, dM11, dM13, dM15, dM17, b_dh1, dsignal3, dM33, dM35, dM37, b_dh3, dsignal5, dM55, dM57, b_dh5, dsignal7, dM77, b_dh7, common_41, error_dM11, error_dM13, error_dM15, error_dM17, error_dM33, error_dM35, error_dM37, error_dM55, error_dM57, error_dM77 = prepare_dh1(along1, along3, along5, along7, common_13, common_3, common_4, common_7, dchi, drag, first, h1, h3, h5, h7, kappa, kept, length, linear, phi, ratio, scale1, signal1, signal3, signal5, signal7, size, weight1, weight3, weight5, weight7)
    # linear block for dh1, dh3, dh5, dh7
    solution4, dh1_dh3_dh5_dh7_residual = solve_factored_n(matrix_0_, factors_0_, order_0_, np.array((b_dh1, b_dh3, b_dh5, b_dh7)))
    dh1, dh3, dh5, dh7 = solution4[0], solution4[1], solution4[2], solution4[3]
    common_24, common_25, dM22, dM24, dM26, dM28, b_dh2, dM44, dM46, dM48, b_dh4, dM66, dM68, b_dh6, dM88, b_dh8, error_dM22, error_dM24, error_dM26, error_dM28, error_dM44, error_dM46, error_dM48, error_dM66, error_dM68, error_dM88 = prepare_dh2(common, common_28, common_29, common_41, common_6, dchi, dsize, gaussian, h2, h4, h6, h8, level, mean_2, mean_4, mean_6, mean_8, mean_share, radial, scale2, scale4, scale6, scale8, signal2, signal4, signal6, signal8, size, spread, weight2, weight4, weight6, weight8)
    # linear block for dh2, dh4, dh6, dh8
    solution4, dh2_dh4_dh6_dh8_residual = solve_factored_n(matrix_1_, factors_1_, order_1_, np.array((b_dh2, b_dh4, b_dh6, b_dh8)))
    dh2, dh4, dh6, dh8 = solution4[0], solution4[1], solution4[2], solution4[3]
    zero = 0
    one = 1
    # linear blocks for inverse_h1_h1, inverse_h3_h1, inverse_h5_h1, inverse_h7_h1; inverse_h1_h3, inverse_h3_h3, inverse_h5_h3, inverse_h7_h3; inverse_h1_h5, inverse_h3_h5, inverse_h5_h5, inverse_h7_h5; inverse_h1_h7, inverse_h3_h7, inverse_h5_h7, inverse_h7_h7
    solution, missed = solve_many_factored_n(matrix_0_, factors_0_, order_0_, np.array(((one, zero, zero, zero), (zero, one, zero, zero), (zero, zero, one, zero), (zero, zero, zero, one))))
    inverse_h1_h1, inverse_h3_h1, inverse_h5_h1, inverse_h7_h1, inverse_h1_residual = solution[0, 0], solution[1, 0], solution[2, 0], solution[3, 0], missed[0]
    inverse_h1_h3, inverse_h3_h3, inverse_h5_h3, inverse_h7_h3, inverse_h3_residual = solution[0, 1], solution[1, 1], solution[2, 1], solution[3, 1], missed[1]
    inverse_h1_h5, inverse_h3_h5, inverse_h5_h5, inverse_h7_h5, inverse_h5_residual = solution[0, 2], solution[1, 2], solution[2, 2], solution[3, 2], missed[2]
    inverse_h1_h7, inverse_h3_h7, inverse_h5_h7, inverse_h7_h7, inverse_h7_residual = solution[0, 3], solution[1, 3], solution[2, 3], solution[3, 3], missed[3]
    # linear blocks for inverse_h2_h2, inverse_h4_h2, inverse_h6_h2, inverse_h8_h2; inverse_h2_h4, inverse_h4_h4, inverse_h6_h4, inverse_h8_h4; inverse_h2_h6, inverse_h4_h6, inverse_h6_h6, inverse_h8_h6; inverse_h2_h8, inverse_h4_h8, inverse_h6_h8, inverse_h8_h8
    solution, missed = solve_many_factored_n(matrix_1_, factors_1_, order_1_, np.array(((one, zero, zero, zero), (zero, one, zero, zero), (zero, zero, one, zero), (zero, zero, zero, one))))
    inverse_h2_h2, inverse_h4_h2, inverse_h6_h2, inverse_h8_h2, inverse_h2_residual = solution[0, 0], solution[1, 0], solution[2, 0], solution[3, 0], missed[0]
    inverse_h2_h4, inverse_h4_h4, inverse_h6_h4, inverse_h8_h4, inverse_h4_residual = solution[0, 1], solution[1, 1], solution[2, 1], solution[3, 1], missed[1]
    inverse_h2_h6, inverse_h4_h6, inverse_h6_h6, inverse_h8_h6, inverse_h6_residual = solution[0, 2], solution[1, 2], solution[2, 2], solution[3, 2], missed[2]
    inverse_h2_h8, inverse_h4_h8, inverse_h6_h8, inverse_h8_h8, inverse_h8_residual = solution[0, 3], solution[1, 3], solution[2, 3], solution[3, 3], missed[3]
    dzeta, common_40, ddh1_ddchi, ddh3_ddchi, ddh5_ddchi, ddh7_ddchi, ddh2_ddchi, ddh4_ddchi, ddh6_ddchi, ddh8_ddchi, chi_check, chi_error, error_h1, error_h3, error_h5, error_h7, error_h2, error_h4, error_h6, error_h8, error_dchi, error_dzeta, error_dh1, error_dh3, error_dh5, error_dh7, error_dh2, error_dh4, error_dh6, error_dh8, error_share, common_61 = conclude(A_dchi_dchi, along1, along3, along5, along7, chi, common, common_10, common_11, common_12, common_14, common_15, common_16, common_17, common_18, common_19, common_2, common_20, common_21, common_22, common_23, common_24, common_25, common_26, common_27, common_3, common_30, common_31, common_32, common_33, common_34, common_35, common_36, common_37, common_38, common_39, common_4, common_41, common_6, common_7, common_8, common_9, dchi, ddzeta_ddchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, distance, drag, dsignal1, dsignal3, dsignal5, dsignal7, dzeta_0, error_dM11, error_dM13, error_dM15, error_dM17, error_dM22, error_dM24, error_dM26, error_dM28, error_dM33, error_dM35, error_dM37, error_dM44, error_dM46, error_dM48, error_dM55, error_dM57, error_dM66, error_dM68, error_dM77, error_dM88, error_signal7, error_signal8, first, gaussian, h1, h2, h3, h4, h5, h6, h7, h8, inverse_h1_h1, inverse_h1_h3, inverse_h1_h5, inverse_h1_h7, inverse_h2_h2, inverse_h2_h4, inverse_h2_h6, inverse_h2_h8, inverse_h3_h1, inverse_h3_h3, inverse_h3_h5, inverse_h3_h7, inverse_h4_h2, inverse_h4_h4, inverse_h4_h6, inverse_h4_h8, inverse_h5_h1, inverse_h5_h3, inverse_h5_h5, inverse_h5_h7, inverse_h6_h2, inverse_h6_h4, inverse_h6_h6, inverse_h6_h8, inverse_h7_h1, inverse_h7_h3, inverse_h7_h5, inverse_h7_h7, inverse_h8_h2, inverse_h8_h4, inverse_h8_h6, inverse_h8_h8, kappa, kept, lam, length, level, linear, mean_2, mean_4, mean_6, mean_8, phi, radial, ratio, scale1, scale2, scale4, scale6, scale8, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, size, size_dzeta_0, slope_chi_chi, weight1, weight2, weight3, weight4, weight5, weight6, weight7, weight8, zeta)
    excess = max(0, surplus)
    chi_residual = abs(math.log(chi_check/chi))
    uncertain = (chi_error if (chi_error > 0.1) else 0)
    inaccurate = (1e+289 if (LARGEST_ERROR < chi_error) else 0)
    h1_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h1*abs(inverse_h1_h1) + size_h1_h3*abs(inverse_h1_h3) + size_h1_h5*abs(inverse_h1_h5) + size_h1_h7*abs(inverse_h1_h7)))
    h3_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h3*abs(inverse_h3_h1) + size_h3_h3*abs(inverse_h3_h3) + size_h3_h5*abs(inverse_h3_h5) + size_h3_h7*abs(inverse_h3_h7)))
    h5_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h5*abs(inverse_h5_h1) + size_h3_h5*abs(inverse_h5_h3) + size_h5_h5*abs(inverse_h5_h5) + size_h5_h7*abs(inverse_h5_h7)))
    h7_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h1_h7*abs(inverse_h7_h1) + size_h3_h7*abs(inverse_h7_h3) + size_h5_h7*abs(inverse_h7_h5) + size_h7_h7*abs(inverse_h7_h7)))
    h1_h3_h5_h7_dependent = (1e+290 if ((((M11 != 0) or (M13 != 0) or (M15 != 0) or (M17 != 0)) and (inverse_h1_residual > 0.001)) or (((M13 != 0) or (M33 != 0) or (M35 != 0) or (M37 != 0)) and (inverse_h3_residual > 0.001)) or (((M15 != 0) or (M35 != 0) or (M55 != 0) or (M57 != 0)) and (inverse_h5_residual > 0.001)) or (((M17 != 0) or (M37 != 0) or (M57 != 0) or (M77 != 0)) and (inverse_h7_residual > 0.001)) or ((M11 == 0) and (M13 == 0) and (M15 == 0) and (M17 == 0) and ((M13 != 0) or (M15 != 0) or (M17 != 0) or (dM11 != 0) or (dM13 != 0) or (dM15 != 0) or (dM17 != 0))) or ((M13 == 0) and (M33 == 0) and (M35 == 0) and (M37 == 0) and ((M13 != 0) or (M35 != 0) or (M37 != 0) or (dM13 != 0) or (dM33 != 0) or (dM35 != 0) or (dM37 != 0))) or ((M15 == 0) and (M35 == 0) and (M55 == 0) and (M57 == 0) and ((M15 != 0) or (M35 != 0) or (M57 != 0) or (dM15 != 0) or (dM35 != 0) or (dM55 != 0) or (dM57 != 0))) or ((M17 == 0) and (M37 == 0) and (M57 == 0) and (M77 == 0) and ((M17 != 0) or (M37 != 0) or (M57 != 0) or (dM17 != 0) or (dM37 != 0) or (dM57 != 0) or (dM77 != 0))) or (h1_singular > 1e+100) or (h3_singular > 1e+100) or (h5_singular > 1e+100) or (h7_singular > 1e+100)) else 0)
    h2_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h2*abs(inverse_h2_h2) + size_h2_h4*abs(inverse_h2_h4) + size_h2_h6*abs(inverse_h2_h6) + size_h2_h8*abs(inverse_h2_h8)))
    h4_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h4*abs(inverse_h4_h2) + size_h4_h4*abs(inverse_h4_h4) + size_h4_h6*abs(inverse_h4_h6) + size_h4_h8*abs(inverse_h4_h8)))
    h6_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h6*abs(inverse_h6_h2) + size_h4_h6*abs(inverse_h6_h4) + size_h6_h6*abs(inverse_h6_h6) + size_h6_h8*abs(inverse_h6_h8)))
    h8_singular = max(0, -LARGEST_ERROR + ROUNDING*(size_h2_h8*abs(inverse_h8_h2) + size_h4_h8*abs(inverse_h8_h4) + size_h6_h8*abs(inverse_h8_h6) + size_h8_h8*abs(inverse_h8_h8)))
    h2_h4_h6_h8_dependent = (1e+290 if ((((M22 != 0) or (M24 != 0) or (M26 != 0) or (M28 != 0)) and (inverse_h2_residual > 0.001)) or (((M24 != 0) or (M44 != 0) or (M46 != 0) or (M48 != 0)) and (inverse_h4_residual > 0.001)) or (((M26 != 0) or (M46 != 0) or (M66 != 0) or (M68 != 0)) and (inverse_h6_residual > 0.001)) or (((M28 != 0) or (M48 != 0) or (M68 != 0) or (M88 != 0)) and (inverse_h8_residual > 0.001)) or ((M22 == 0) and (M24 == 0) and (M26 == 0) and (M28 == 0) and ((M24 != 0) or (M26 != 0) or (M28 != 0) or (dM22 != 0) or (dM24 != 0) or (dM26 != 0) or (dM28 != 0))) or ((M24 == 0) and (M44 == 0) and (M46 == 0) and (M48 == 0) and ((M24 != 0) or (M46 != 0) or (M48 != 0) or (dM24 != 0) or (dM44 != 0) or (dM46 != 0) or (dM48 != 0))) or ((M26 == 0) and (M46 == 0) and (M66 == 0) and (M68 == 0) and ((M26 != 0) or (M46 != 0) or (M68 != 0) or (dM26 != 0) or (dM46 != 0) or (dM66 != 0) or (dM68 != 0))) or ((M28 == 0) and (M48 == 0) and (M68 == 0) and (M88 == 0) and ((M28 != 0) or (M48 != 0) or (M68 != 0) or (dM28 != 0) or (dM48 != 0) or (dM68 != 0) or (dM88 != 0))) or (h2_singular > 1e+100) or (h4_singular > 1e+100) or (h6_singular > 1e+100) or (h8_singular > 1e+100)) else 0)
    dchi_singular = max(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(abs(A_dchi_dchi) + 1e-300))
    dh1_dh3_dh5_dh7_dependent = (1e+290 if ((((M11 != 0) or (M13 != 0) or (M15 != 0) or (M17 != 0)) and (inverse_h1_residual > 0.001)) or (((M13 != 0) or (M33 != 0) or (M35 != 0) or (M37 != 0)) and (inverse_h3_residual > 0.001)) or (((M15 != 0) or (M35 != 0) or (M55 != 0) or (M57 != 0)) and (inverse_h5_residual > 0.001)) or (((M17 != 0) or (M37 != 0) or (M57 != 0) or (M77 != 0)) and (inverse_h7_residual > 0.001)) or ((M11 == 0) and (M13 == 0) and (M15 == 0) and (M17 == 0) and ((M13 != 0) or (M15 != 0) or (M17 != 0))) or ((M13 == 0) and (M33 == 0) and (M35 == 0) and (M37 == 0) and ((M13 != 0) or (M35 != 0) or (M37 != 0))) or ((M15 == 0) and (M35 == 0) and (M55 == 0) and (M57 == 0) and ((M15 != 0) or (M35 != 0) or (M57 != 0))) or ((M17 == 0) and (M37 == 0) and (M57 == 0) and (M77 == 0) and ((M17 != 0) or (M37 != 0) or (M57 != 0))) or (h1_singular > 1e+100) or (h3_singular > 1e+100) or (h5_singular > 1e+100) or (h7_singular > 1e+100)) else 0)
    dh2_dh4_dh6_dh8_dependent = (1e+290 if ((((M22 != 0) or (M24 != 0) or (M26 != 0) or (M28 != 0)) and (inverse_h2_residual > 0.001)) or (((M24 != 0) or (M44 != 0) or (M46 != 0) or (M48 != 0)) and (inverse_h4_residual > 0.001)) or (((M26 != 0) or (M46 != 0) or (M66 != 0) or (M68 != 0)) and (inverse_h6_residual > 0.001)) or (((M28 != 0) or (M48 != 0) or (M68 != 0) or (M88 != 0)) and (inverse_h8_residual > 0.001)) or ((M22 == 0) and (M24 == 0) and (M26 == 0) and (M28 == 0) and ((M24 != 0) or (M26 != 0) or (M28 != 0))) or ((M24 == 0) and (M44 == 0) and (M46 == 0) and (M48 == 0) and ((M24 != 0) or (M46 != 0) or (M48 != 0))) or ((M26 == 0) and (M46 == 0) and (M66 == 0) and (M68 == 0) and ((M26 != 0) or (M46 != 0) or (M68 != 0))) or ((M28 == 0) and (M48 == 0) and (M68 == 0) and (M88 == 0) and ((M28 != 0) or (M48 != 0) or (M68 != 0))) or (h2_singular > 1e+100) or (h4_singular > 1e+100) or (h6_singular > 1e+100) or (h8_singular > 1e+100)) else 0)
    error = (error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1)/chi)/(kappa*share + excess/chi)**(2)
    upstream = max(ROUNDING, chi_error)
    m1, mtilde, m2, steepness, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, ddm1_ddchi, ddm2_ddchi, common_63, common_64, error_9 = conclude_2(chi, common, common_3, common_40, common_61, dchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, dsignal1, dsignal3, dsignal5, dsignal7, error, excess, h1, h3, h5, h7, kappa, lam, linear, noise_variance, nonlinear, ratio, share, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, target_rest)
    dchi_dependent = (1e+290 if (((A_dchi_dchi == 0) and ((ddh1_ddchi != 0) or (ddh2_ddchi != 0) or (ddh3_ddchi != 0) or (ddh4_ddchi != 0) or (ddh5_ddchi != 0) or (ddh6_ddchi != 0) or (ddh7_ddchi != 0) or (ddh8_ddchi != 0) or (ddm1_ddchi != 0) or (ddm2_ddchi != 0) or (ddzeta_ddchi != 0))) or (dchi_singular > 1e+100)) else 0)
    error_2 = (common*linear*(chi*error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1)) + error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1)/chi)/(common*linear*mtilde + kappa*share + excess/chi)**(2)
    common_60 = kappa*(linear*(ratio*ratio) + nonlinear)*(chi*error_share*kappa + (0 if (max(0, surplus) == 0) else kappa + 1))/(mtilde*mtilde)
    lost_2 = (1e+289 if (ROUNDING*error > LARGEST_ERROR*max(1, m1)) else 0)
    lost_3 = (1e+289 if (ROUNDING*error_2 > LARGEST_ERROR*max(1, m2)) else 0)
    lost_10 = (1e+289 if (ROUNDING*error_9 > LARGEST_ERROR*max(1, abs(train_gap))) else 0)
    equations_residual = max(chi_moved, chi_residual, dchi_dependent, dchi_residual, dchi_singular, dh1_dh3_dh5_dh7_dependent, dh1_dh3_dh5_dh7_residual, dh2_dh4_dh6_dh8_dependent, dh2_dh4_dh6_dh8_residual, h1_h3_h5_h7_dependent, h1_h3_h5_h7_residual, h1_singular, h2_h4_h6_h8_dependent, h2_h4_h6_h8_residual, h2_singular, h3_singular, h4_singular, h5_singular, h6_singular, h7_singular, h8_singular, uncertain)
    error_3, error_4, error_5, error_6, error_7, error_8, error_10 = conclude_3(chi, common_11, common_12, common_26, common_27, common_3, common_40, common_60, common_61, common_63, common_64, dchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, dm1, dsignal1, dsignal3, dsignal5, dsignal7, error, error_2, error_signal7, error_signal8, h1, h3, h5, h7, kappa, lam, m1, m2, noise_variance, ratio, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, steepness, target_rest, weight3, weight4, weight5, weight6)
    lost_4 = (1e+289 if (ROUNDING*error_3 > LARGEST_ERROR*max(1, abs(dm1))) else 0)
    lost_5 = (1e+289 if (ROUNDING*error_4 > LARGEST_ERROR*max(1, abs(dm2))) else 0)
    lost_6 = (1e+289 if (ROUNDING*error_5 > LARGEST_ERROR*max(1, abs(train_error))) else 0)
    lost_7 = (1e+289 if (ROUNDING*error_6 > LARGEST_ERROR*max(1, abs(test_error))) else 0)
    lost_8 = (1e+289 if (ROUNDING*error_7 > LARGEST_ERROR*max(1, abs(baseline_train))) else 0)
    lost_9 = (1e+289 if (ROUNDING*error_8 > LARGEST_ERROR*max(1, abs(baseline_test))) else 0)
    lost_11 = (1e+289 if (ROUNDING*error_10 > LARGEST_ERROR*max(1, abs(test_gap))) else 0)
    limited_2 = (1 if (((error_dchi*upstream > 1e-10*abs(dchi)) and (abs(dchi) > 10*ROUNDING*error_dchi)) or ((error_dh1*upstream > 1e-10*abs(dh1)) and (abs(dh1) > 10*ROUNDING*error_dh1)) or ((error_dh2*upstream > 1e-10*abs(dh2)) and (abs(dh2) > 10*ROUNDING*error_dh2)) or ((error_dh3*upstream > 1e-10*abs(dh3)) and (abs(dh3) > 10*ROUNDING*error_dh3)) or ((error_dh4*upstream > 1e-10*abs(dh4)) and (abs(dh4) > 10*ROUNDING*error_dh4)) or ((error_dh5*upstream > 1e-10*abs(dh5)) and (abs(dh5) > 10*ROUNDING*error_dh5)) or ((error_dh6*upstream > 1e-10*abs(dh6)) and (abs(dh6) > 10*ROUNDING*error_dh6)) or ((error_dh7*upstream > 1e-10*abs(dh7)) and (abs(dh7) > 10*ROUNDING*error_dh7)) or ((error_dh8*upstream > 1e-10*abs(dh8)) and (abs(dh8) > 10*ROUNDING*error_dh8)) or ((error_dzeta*upstream > 1e-10*abs(dzeta)) and (abs(dzeta) > 10*ROUNDING*error_dzeta)) or ((error_h1*upstream > 1e-10*abs(h1)) and (abs(h1) > 10*ROUNDING*error_h1)) or ((error_h2*upstream > 1e-10*abs(h2)) and (abs(h2) > 10*ROUNDING*error_h2)) or ((error_h3*upstream > 1e-10*abs(h3)) and (abs(h3) > 10*ROUNDING*error_h3)) or ((error_h4*upstream > 1e-10*abs(h4)) and (abs(h4) > 10*ROUNDING*error_h4)) or ((error_h5*upstream > 1e-10*abs(h5)) and (abs(h5) > 10*ROUNDING*error_h5)) or ((error_h6*upstream > 1e-10*abs(h6)) and (abs(h6) > 10*ROUNDING*error_h6)) or ((error_h7*upstream > 1e-10*abs(h7)) and (abs(h7) > 10*ROUNDING*error_h7)) or ((error_h8*upstream > 1e-10*abs(h8)) and (abs(h8) > 10*ROUNDING*error_h8)) or (upstream > 1e-10) or (error_10*upstream > 1e-10*abs(test_gap)) or (error_3*upstream > 1e-10*abs(dm1)) or (error_4*upstream > 1e-10*abs(dm2)) or (error_5*upstream > 1e-10*abs(train_error)) or (error_6*upstream > 1e-10*abs(test_error)) or (error_7*upstream > 1e-10*abs(baseline_train)) or (error_8*upstream > 1e-10*abs(baseline_test)) or (error_9*upstream > 1e-10*abs(train_gap)) or (1e-10*m1 < error*upstream) or (1e-10*m2 < error_2*upstream)) else 0)
    inaccurate_2 = max(inaccurate, lost_10, lost_11, lost_2, lost_3, lost_4, lost_5, lost_6, lost_7, lost_8, lost_9)
    few_digits = (inaccurate_2 if (LARGEST_ERROR >= equations_residual) else 0)
    residual = max(equations_residual, few_digits)
    return (chi + 0.0, zeta + 0.0, m1 + 0.0, m2 + 0.0, h1 + 0.0, h2 + 0.0, h3 + 0.0, h4 + 0.0, h5 + 0.0, h6 + 0.0, h7 + 0.0, h8 + 0.0, dchi + 0.0, dzeta + 0.0, dm1 + 0.0, dm2 + 0.0, dh1 + 0.0, dh2 + 0.0, dh3 + 0.0, dh4 + 0.0, dh5 + 0.0, dh6 + 0.0, dh7 + 0.0, dh8 + 0.0, train_error + 0.0, test_error + 0.0, baseline_train + 0.0, baseline_test + 0.0, train_gap + 0.0, test_gap + 0.0, residual + 0.0, iterations + 0.5*limited_2 + 0.0)


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
    common = (1.0/phi)
    kappa = common*psi
    surplus = 1 - kappa
    distance = np.abs(surplus)
    common_7 = (1.0/((chi*linear + phi)**(2)))
    common_9 = (1.0/(distance + kappa + 1))
    common_2 = (1.0/(distance + np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance))))
    common_8 = (1.0/np.sqrt(4*chi*(kappa*kappa)*lam + (distance*distance)))
    share, zeta, ddzeta_ddchi, dzeta_0, A_dchi_dchi, b_dchi, size_dzeta_0, size_dchi_dchi = prepare_dchi(chi, common_2, common_7, common_8, common_9, kappa, lam, linear, nonlinear, phi, ratio)
    if diagnose:
        size_dchi_0 = 2*common_9*size_dzeta_0/(zeta*zeta)
    A = stack_matrix(iterations.shape, ((A_dchi_dchi,),))
    solution, dchi_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dchi,)))
    dchi, = solution.T
    if diagnose:
        blocks.append(("linear", ("dchi",), A, stack_vector(iterations.shape, (size_dchi_0,)), (("dzeta", size_dzeta_0, (ddzeta_ddchi, )),), stack_matrix(iterations.shape, ((size_dchi_dchi,),))))
    common_3, length, size, drag, first, common_5, theta3, theta5, theta7, common_13 = prepare_h1(chi, common, eta, kappa, kept, linear, n, noise_variance, nonlinear, phi, psi, ratio, strength_3, strength_5, strength_7, target_linear, target_rest)
    theta1 = eta*np.sqrt(length)*strength_1
    scale1 = (1.0/np.sqrt((theta1*theta1) + 1))
    common_4 = (1.0/np.sqrt(length))
    scale3 = (1.0/np.sqrt((theta3*theta3) + 1))
    scale5 = (1.0/np.sqrt((theta5*theta5) + 1))
    scale7 = (1.0/np.sqrt((theta7*theta7) + 1))
    weight1, along1, M11, weight3, along3, M13, weight5, along5, M15, weight7, along7, M17, signal1, b_h1, M33, M35, M37, signal3, b_h3, M55, M57, signal5, b_h5, M77, signal7, b_h7, common_11, common_12, error_signal7, common_14, size_h1_h1, common_15, size_h1_h3, common_16, size_h1_h5, common_17, size_h1_h7, common_18, size_h3_h3, common_19, size_h3_h5, common_20, size_h3_h7, common_21, size_h5_h5, common_22, size_h5_h7, common_23, size_h7_h7 = prepare_h1_2(common_13, common_3, common_4, common_5, drag, first, inverse_1_1, inverse_1_3, inverse_1_5, inverse_1_7, inverse_3_3, inverse_3_5, inverse_3_7, inverse_5_5, inverse_5_7, inverse_7_7, length, ratio, scale1, scale3, scale5, scale7, size, target_3, target_5, target_7, target_linear, theta1, theta3, theta5, theta7)
    if diagnose:
        size_h1_0 = size*np.abs(signal1)
        size_h3_0 = common_11*size*np.abs(weight3)
        size_h5_0 = common_12*size*np.abs(weight5)
        size_h7_0 = error_signal7*size
    A = stack_matrix(iterations.shape, ((M11, M13, M15, M17,), (M13, M33, M35, M37,), (M15, M35, M55, M57,), (M17, M37, M57, M77,),))
    solution, h1_h3_h5_h7_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_h1, b_h3, b_h5, b_h7,)))
    h1, h3, h5, h7 = solution.T
    if diagnose:
        blocks.append(("linear", ("h1", "h3", "h5", "h7",), A, stack_vector(iterations.shape, (size_h1_0, size_h3_0, size_h5_0, size_h7_0,)), (), stack_matrix(iterations.shape, ((size_h1_h1, size_h1_h3, size_h1_h5, size_h1_h7,), (size_h1_h3, size_h3_h3, size_h3_h5, size_h3_h7,), (size_h1_h5, size_h3_h5, size_h5_h5, size_h5_h7,), (size_h1_h7, size_h3_h7, size_h5_h7, size_h7_h7,),))))
    spread, lost, common_6, level, theta4, theta6, theta8, common_26, common_27, common_28, common_29 = prepare_h2(chi, common, common_3, eta, free, gaussian, length, mean_share, n, phi, psi, radial, strength_4, strength_6, strength_8, target_2, target_4, target_6, target_linear)
    theta2 = (eta*eta)*length*np.sqrt(psi)*strength_2/(np.sqrt(n)*np.sqrt(phi))
    scale2 = (1.0/np.sqrt((theta2*theta2) + 1))
    scale4 = (1.0/np.sqrt((theta4*theta4) + 1))
    scale6 = (1.0/np.sqrt((theta6*theta6) + 1))
    scale8 = (1.0/np.sqrt((theta8*theta8) + 1))
    weight2, M22, weight4, M24, weight6, M26, weight8, M28, signal2, b_h2, M44, M46, M48, signal4, b_h4, M66, M68, signal6, b_h6, M88, signal8, b_h8, error_signal8, common_30, size_h2_h2, common_31, size_h2_h4, common_32, size_h2_h6, common_33, size_h2_h8, common_34, size_h4_h4, common_35, size_h4_h6, common_36, size_h4_h8, common_37, size_h6_h6, common_38, size_h6_h8, common_39, size_h8_h8 = prepare_h2_2(common_29, common_3, inverse_2_2, inverse_2_4, inverse_2_6, inverse_2_8, inverse_4_4, inverse_4_6, inverse_4_8, inverse_6_6, inverse_6_8, inverse_8_8, length, level, lost, mean_2, mean_4, mean_6, mean_8, scale2, scale4, scale6, scale8, size, target_2, target_4, target_6, target_8, target_linear, theta2, theta4, theta6, theta8)
    if diagnose:
        size_h2_0 = size*np.abs(signal2)
        size_h4_0 = common_26*size*np.abs(weight4)
        size_h6_0 = common_27*size*np.abs(weight6)
        size_h8_0 = error_signal8*size
    A = stack_matrix(iterations.shape, ((M22, M24, M26, M28,), (M24, M44, M46, M48,), (M26, M46, M66, M68,), (M28, M48, M68, M88,),))
    solution, h2_h4_h6_h8_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_h2, b_h4, b_h6, b_h8,)))
    h2, h4, h6, h8 = solution.T
    if diagnose:
        blocks.append(("linear", ("h2", "h4", "h6", "h8",), A, stack_vector(iterations.shape, (size_h2_0, size_h4_0, size_h6_0, size_h8_0,)), (), stack_matrix(iterations.shape, ((size_h2_h2, size_h2_h4, size_h2_h6, size_h2_h8,), (size_h2_h4, size_h4_h4, size_h4_h6, size_h4_h8,), (size_h2_h6, size_h4_h6, size_h6_h6, size_h6_h8,), (size_h2_h8, size_h4_h8, size_h6_h8, size_h8_h8,),))))
    dsignal1, dsize, common_10, dM11, dM13, dM15, dM17, b_dh1, dsignal3, dM33, dM35, dM37, b_dh3, dsignal5, dM55, dM57, b_dh5, dsignal7, dM77, b_dh7, common_41, error_dM11, error_dM13, error_dM15, error_dM17, error_dM33, error_dM35, error_dM37, error_dM55, error_dM57, error_dM77 = prepare_dh1(along1, along3, along5, along7, common_13, common_3, common_4, common_7, dchi, drag, first, h1, h3, h5, h7, kappa, kept, length, linear, phi, ratio, scale1, signal1, signal3, signal5, signal7, size, weight1, weight3, weight5, weight7)
    if diagnose:
        size_dh1_0 = common_41*np.abs(signal1) + error_dM11*np.abs(h1) + error_dM13*np.abs(h3) + error_dM15*np.abs(h5) + error_dM17*np.abs(h7) + size*np.abs(dsignal1)
        size_dh3_0 = common_11*common_41*np.abs(weight3) + error_dM13*np.abs(h1) + error_dM33*np.abs(h3) + error_dM35*np.abs(h5) + error_dM37*np.abs(h7) + size*np.abs(dsignal3)
        size_dh5_0 = common_12*common_41*np.abs(weight5) + error_dM15*np.abs(h1) + error_dM35*np.abs(h3) + error_dM55*np.abs(h5) + error_dM57*np.abs(h7) + size*np.abs(dsignal5)
        size_dh7_0 = common_41*error_signal7 + error_dM17*np.abs(h1) + error_dM37*np.abs(h3) + error_dM57*np.abs(h5) + error_dM77*np.abs(h7) + size*np.abs(dsignal7)
    A = stack_matrix(iterations.shape, ((M11, M13, M15, M17,), (M13, M33, M35, M37,), (M15, M35, M55, M57,), (M17, M37, M57, M77,),))
    solution, dh1_dh3_dh5_dh7_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dh1, b_dh3, b_dh5, b_dh7,)))
    dh1, dh3, dh5, dh7 = solution.T
    if diagnose:
        blocks.append(("linear", ("dh1", "dh3", "dh5", "dh7",), A, stack_vector(iterations.shape, (size_dh1_0, size_dh3_0, size_dh5_0, size_dh7_0,)), (), stack_matrix(iterations.shape, ((size_h1_h1, size_h1_h3, size_h1_h5, size_h1_h7,), (size_h1_h3, size_h3_h3, size_h3_h5, size_h3_h7,), (size_h1_h5, size_h3_h5, size_h5_h5, size_h5_h7,), (size_h1_h7, size_h3_h7, size_h5_h7, size_h7_h7,),))))
    common_24, common_25, dM22, dM24, dM26, dM28, b_dh2, dM44, dM46, dM48, b_dh4, dM66, dM68, b_dh6, dM88, b_dh8, error_dM22, error_dM24, error_dM26, error_dM28, error_dM44, error_dM46, error_dM48, error_dM66, error_dM68, error_dM88 = prepare_dh2(common, common_28, common_29, common_41, common_6, dchi, dsize, gaussian, h2, h4, h6, h8, level, mean_2, mean_4, mean_6, mean_8, mean_share, radial, scale2, scale4, scale6, scale8, signal2, signal4, signal6, signal8, size, spread, weight2, weight4, weight6, weight8)
    if diagnose:
        size_dh2_0 = common_41*np.abs(signal2) + error_dM22*np.abs(h2) + error_dM24*np.abs(h4) + error_dM26*np.abs(h6) + error_dM28*np.abs(h8)
        size_dh4_0 = common_26*common_41*np.abs(weight4) + error_dM24*np.abs(h2) + error_dM44*np.abs(h4) + error_dM46*np.abs(h6) + error_dM48*np.abs(h8)
        size_dh6_0 = common_27*common_41*np.abs(weight6) + error_dM26*np.abs(h2) + error_dM46*np.abs(h4) + error_dM66*np.abs(h6) + error_dM68*np.abs(h8)
        size_dh8_0 = common_41*error_signal8 + error_dM28*np.abs(h2) + error_dM48*np.abs(h4) + error_dM68*np.abs(h6) + error_dM88*np.abs(h8)
    A = stack_matrix(iterations.shape, ((M22, M24, M26, M28,), (M24, M44, M46, M48,), (M26, M46, M66, M68,), (M28, M48, M68, M88,),))
    solution, dh2_dh4_dh6_dh8_residual = solve_linear_batch(A, stack_vector(iterations.shape, (b_dh2, b_dh4, b_dh6, b_dh8,)))
    dh2, dh4, dh6, dh8 = solution.T
    if diagnose:
        blocks.append(("linear", ("dh2", "dh4", "dh6", "dh8",), A, stack_vector(iterations.shape, (size_dh2_0, size_dh4_0, size_dh6_0, size_dh8_0,)), (), stack_matrix(iterations.shape, ((size_h2_h2, size_h2_h4, size_h2_h6, size_h2_h8,), (size_h2_h4, size_h4_h4, size_h4_h6, size_h4_h8,), (size_h2_h6, size_h4_h6, size_h6_h6, size_h6_h8,), (size_h2_h8, size_h4_h8, size_h6_h8, size_h8_h8,),))))
    zero = 0
    one = 1
    A = stack_matrix(iterations.shape, ((M11, M13, M15, M17,), (M13, M33, M35, M37,), (M15, M35, M55, M57,), (M17, M37, M57, M77,),))
    solution, inverse_h1_residual = solve_linear_batch(A, stack_vector(iterations.shape, (one, zero, zero, zero,)))
    inverse_h1_h1, inverse_h3_h1, inverse_h5_h1, inverse_h7_h1 = solution.T
    solution, inverse_h3_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, one, zero, zero,)))
    inverse_h1_h3, inverse_h3_h3, inverse_h5_h3, inverse_h7_h3 = solution.T
    solution, inverse_h5_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, zero, one, zero,)))
    inverse_h1_h5, inverse_h3_h5, inverse_h5_h5, inverse_h7_h5 = solution.T
    solution, inverse_h7_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, zero, zero, one,)))
    inverse_h1_h7, inverse_h3_h7, inverse_h5_h7, inverse_h7_h7 = solution.T
    A = stack_matrix(iterations.shape, ((M22, M24, M26, M28,), (M24, M44, M46, M48,), (M26, M46, M66, M68,), (M28, M48, M68, M88,),))
    solution, inverse_h2_residual = solve_linear_batch(A, stack_vector(iterations.shape, (one, zero, zero, zero,)))
    inverse_h2_h2, inverse_h4_h2, inverse_h6_h2, inverse_h8_h2 = solution.T
    solution, inverse_h4_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, one, zero, zero,)))
    inverse_h2_h4, inverse_h4_h4, inverse_h6_h4, inverse_h8_h4 = solution.T
    solution, inverse_h6_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, zero, one, zero,)))
    inverse_h2_h6, inverse_h4_h6, inverse_h6_h6, inverse_h8_h6 = solution.T
    solution, inverse_h8_residual = solve_linear_batch(A, stack_vector(iterations.shape, (zero, zero, zero, one,)))
    inverse_h2_h8, inverse_h4_h8, inverse_h6_h8, inverse_h8_h8 = solution.T
    dzeta, common_40, ddh1_ddchi, ddh3_ddchi, ddh5_ddchi, ddh7_ddchi, ddh2_ddchi, ddh4_ddchi, ddh6_ddchi, ddh8_ddchi, chi_check, chi_error, error_h1, error_h3, error_h5, error_h7, error_h2, error_h4, error_h6, error_h8, error_dchi, error_dzeta, error_dh1, error_dh3, error_dh5, error_dh7, error_dh2, error_dh4, error_dh6, error_dh8, error_share, common_61 = conclude(A_dchi_dchi, along1, along3, along5, along7, chi, common, common_10, common_11, common_12, common_14, common_15, common_16, common_17, common_18, common_19, common_2, common_20, common_21, common_22, common_23, common_24, common_25, common_26, common_27, common_3, common_30, common_31, common_32, common_33, common_34, common_35, common_36, common_37, common_38, common_39, common_4, common_41, common_6, common_7, common_8, common_9, dchi, ddzeta_ddchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, distance, drag, dsignal1, dsignal3, dsignal5, dsignal7, dzeta_0, error_dM11, error_dM13, error_dM15, error_dM17, error_dM22, error_dM24, error_dM26, error_dM28, error_dM33, error_dM35, error_dM37, error_dM44, error_dM46, error_dM48, error_dM55, error_dM57, error_dM66, error_dM68, error_dM77, error_dM88, error_signal7, error_signal8, first, gaussian, h1, h2, h3, h4, h5, h6, h7, h8, inverse_h1_h1, inverse_h1_h3, inverse_h1_h5, inverse_h1_h7, inverse_h2_h2, inverse_h2_h4, inverse_h2_h6, inverse_h2_h8, inverse_h3_h1, inverse_h3_h3, inverse_h3_h5, inverse_h3_h7, inverse_h4_h2, inverse_h4_h4, inverse_h4_h6, inverse_h4_h8, inverse_h5_h1, inverse_h5_h3, inverse_h5_h5, inverse_h5_h7, inverse_h6_h2, inverse_h6_h4, inverse_h6_h6, inverse_h6_h8, inverse_h7_h1, inverse_h7_h3, inverse_h7_h5, inverse_h7_h7, inverse_h8_h2, inverse_h8_h4, inverse_h8_h6, inverse_h8_h8, kappa, kept, lam, length, level, linear, mean_2, mean_4, mean_6, mean_8, phi, radial, ratio, scale1, scale2, scale4, scale6, scale8, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, size, size_dzeta_0, slope_chi_chi, weight1, weight2, weight3, weight4, weight5, weight6, weight7, weight8, zeta)
    excess = np.maximum(0, surplus)
    chi_residual = np.abs(np.log(chi_check/chi))
    uncertain = np.where((chi_error > 0.1), chi_error, 0)
    inaccurate = np.where((LARGEST_ERROR < chi_error), 1e+289, 0)
    h1_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h1*np.abs(inverse_h1_h1) + size_h1_h3*np.abs(inverse_h1_h3) + size_h1_h5*np.abs(inverse_h1_h5) + size_h1_h7*np.abs(inverse_h1_h7)))
    h3_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h3*np.abs(inverse_h3_h1) + size_h3_h3*np.abs(inverse_h3_h3) + size_h3_h5*np.abs(inverse_h3_h5) + size_h3_h7*np.abs(inverse_h3_h7)))
    h5_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h5*np.abs(inverse_h5_h1) + size_h3_h5*np.abs(inverse_h5_h3) + size_h5_h5*np.abs(inverse_h5_h5) + size_h5_h7*np.abs(inverse_h5_h7)))
    h7_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h1_h7*np.abs(inverse_h7_h1) + size_h3_h7*np.abs(inverse_h7_h3) + size_h5_h7*np.abs(inverse_h7_h5) + size_h7_h7*np.abs(inverse_h7_h7)))
    h1_h3_h5_h7_dependent = np.where(((((M11 != 0) | (M13 != 0) | (M15 != 0) | (M17 != 0)) & (inverse_h1_residual > 0.001)) | (((M13 != 0) | (M33 != 0) | (M35 != 0) | (M37 != 0)) & (inverse_h3_residual > 0.001)) | (((M15 != 0) | (M35 != 0) | (M55 != 0) | (M57 != 0)) & (inverse_h5_residual > 0.001)) | (((M17 != 0) | (M37 != 0) | (M57 != 0) | (M77 != 0)) & (inverse_h7_residual > 0.001)) | ((M11 == 0) & (M13 == 0) & (M15 == 0) & (M17 == 0) & ((M13 != 0) | (M15 != 0) | (M17 != 0) | (dM11 != 0) | (dM13 != 0) | (dM15 != 0) | (dM17 != 0))) | ((M13 == 0) & (M33 == 0) & (M35 == 0) & (M37 == 0) & ((M13 != 0) | (M35 != 0) | (M37 != 0) | (dM13 != 0) | (dM33 != 0) | (dM35 != 0) | (dM37 != 0))) | ((M15 == 0) & (M35 == 0) & (M55 == 0) & (M57 == 0) & ((M15 != 0) | (M35 != 0) | (M57 != 0) | (dM15 != 0) | (dM35 != 0) | (dM55 != 0) | (dM57 != 0))) | ((M17 == 0) & (M37 == 0) & (M57 == 0) & (M77 == 0) & ((M17 != 0) | (M37 != 0) | (M57 != 0) | (dM17 != 0) | (dM37 != 0) | (dM57 != 0) | (dM77 != 0))) | (h1_singular > 1e+100) | (h3_singular > 1e+100) | (h5_singular > 1e+100) | (h7_singular > 1e+100)), 1e+290, 0)
    h2_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h2*np.abs(inverse_h2_h2) + size_h2_h4*np.abs(inverse_h2_h4) + size_h2_h6*np.abs(inverse_h2_h6) + size_h2_h8*np.abs(inverse_h2_h8)))
    h4_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h4*np.abs(inverse_h4_h2) + size_h4_h4*np.abs(inverse_h4_h4) + size_h4_h6*np.abs(inverse_h4_h6) + size_h4_h8*np.abs(inverse_h4_h8)))
    h6_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h6*np.abs(inverse_h6_h2) + size_h4_h6*np.abs(inverse_h6_h4) + size_h6_h6*np.abs(inverse_h6_h6) + size_h6_h8*np.abs(inverse_h6_h8)))
    h8_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*(size_h2_h8*np.abs(inverse_h8_h2) + size_h4_h8*np.abs(inverse_h8_h4) + size_h6_h8*np.abs(inverse_h8_h6) + size_h8_h8*np.abs(inverse_h8_h8)))
    h2_h4_h6_h8_dependent = np.where(((((M22 != 0) | (M24 != 0) | (M26 != 0) | (M28 != 0)) & (inverse_h2_residual > 0.001)) | (((M24 != 0) | (M44 != 0) | (M46 != 0) | (M48 != 0)) & (inverse_h4_residual > 0.001)) | (((M26 != 0) | (M46 != 0) | (M66 != 0) | (M68 != 0)) & (inverse_h6_residual > 0.001)) | (((M28 != 0) | (M48 != 0) | (M68 != 0) | (M88 != 0)) & (inverse_h8_residual > 0.001)) | ((M22 == 0) & (M24 == 0) & (M26 == 0) & (M28 == 0) & ((M24 != 0) | (M26 != 0) | (M28 != 0) | (dM22 != 0) | (dM24 != 0) | (dM26 != 0) | (dM28 != 0))) | ((M24 == 0) & (M44 == 0) & (M46 == 0) & (M48 == 0) & ((M24 != 0) | (M46 != 0) | (M48 != 0) | (dM24 != 0) | (dM44 != 0) | (dM46 != 0) | (dM48 != 0))) | ((M26 == 0) & (M46 == 0) & (M66 == 0) & (M68 == 0) & ((M26 != 0) | (M46 != 0) | (M68 != 0) | (dM26 != 0) | (dM46 != 0) | (dM66 != 0) | (dM68 != 0))) | ((M28 == 0) & (M48 == 0) & (M68 == 0) & (M88 == 0) & ((M28 != 0) | (M48 != 0) | (M68 != 0) | (dM28 != 0) | (dM48 != 0) | (dM68 != 0) | (dM88 != 0))) | (h2_singular > 1e+100) | (h4_singular > 1e+100) | (h6_singular > 1e+100) | (h8_singular > 1e+100)), 1e+290, 0)
    dchi_singular = np.maximum(0, -LARGEST_ERROR + ROUNDING*size_dchi_dchi/(np.abs(A_dchi_dchi) + 1e-300))
    dh1_dh3_dh5_dh7_dependent = np.where(((((M11 != 0) | (M13 != 0) | (M15 != 0) | (M17 != 0)) & (inverse_h1_residual > 0.001)) | (((M13 != 0) | (M33 != 0) | (M35 != 0) | (M37 != 0)) & (inverse_h3_residual > 0.001)) | (((M15 != 0) | (M35 != 0) | (M55 != 0) | (M57 != 0)) & (inverse_h5_residual > 0.001)) | (((M17 != 0) | (M37 != 0) | (M57 != 0) | (M77 != 0)) & (inverse_h7_residual > 0.001)) | ((M11 == 0) & (M13 == 0) & (M15 == 0) & (M17 == 0) & ((M13 != 0) | (M15 != 0) | (M17 != 0))) | ((M13 == 0) & (M33 == 0) & (M35 == 0) & (M37 == 0) & ((M13 != 0) | (M35 != 0) | (M37 != 0))) | ((M15 == 0) & (M35 == 0) & (M55 == 0) & (M57 == 0) & ((M15 != 0) | (M35 != 0) | (M57 != 0))) | ((M17 == 0) & (M37 == 0) & (M57 == 0) & (M77 == 0) & ((M17 != 0) | (M37 != 0) | (M57 != 0))) | (h1_singular > 1e+100) | (h3_singular > 1e+100) | (h5_singular > 1e+100) | (h7_singular > 1e+100)), 1e+290, 0)
    dh2_dh4_dh6_dh8_dependent = np.where(((((M22 != 0) | (M24 != 0) | (M26 != 0) | (M28 != 0)) & (inverse_h2_residual > 0.001)) | (((M24 != 0) | (M44 != 0) | (M46 != 0) | (M48 != 0)) & (inverse_h4_residual > 0.001)) | (((M26 != 0) | (M46 != 0) | (M66 != 0) | (M68 != 0)) & (inverse_h6_residual > 0.001)) | (((M28 != 0) | (M48 != 0) | (M68 != 0) | (M88 != 0)) & (inverse_h8_residual > 0.001)) | ((M22 == 0) & (M24 == 0) & (M26 == 0) & (M28 == 0) & ((M24 != 0) | (M26 != 0) | (M28 != 0))) | ((M24 == 0) & (M44 == 0) & (M46 == 0) & (M48 == 0) & ((M24 != 0) | (M46 != 0) | (M48 != 0))) | ((M26 == 0) & (M46 == 0) & (M66 == 0) & (M68 == 0) & ((M26 != 0) | (M46 != 0) | (M68 != 0))) | ((M28 == 0) & (M48 == 0) & (M68 == 0) & (M88 == 0) & ((M28 != 0) | (M48 != 0) | (M68 != 0))) | (h2_singular > 1e+100) | (h4_singular > 1e+100) | (h6_singular > 1e+100) | (h8_singular > 1e+100)), 1e+290, 0)
    error = (error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1)/chi)/(kappa*share + excess/chi)**(2)
    upstream = np.maximum(ROUNDING, chi_error)
    m1, mtilde, m2, steepness, dm1, dm2, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, ddm1_ddchi, ddm2_ddchi, common_63, common_64, error_9 = conclude_2(chi, common, common_3, common_40, common_61, dchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, dsignal1, dsignal3, dsignal5, dsignal7, error, excess, h1, h3, h5, h7, kappa, lam, linear, noise_variance, nonlinear, ratio, share, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, target_rest)
    dchi_dependent = np.where((((A_dchi_dchi == 0) & ((ddh1_ddchi != 0) | (ddh2_ddchi != 0) | (ddh3_ddchi != 0) | (ddh4_ddchi != 0) | (ddh5_ddchi != 0) | (ddh6_ddchi != 0) | (ddh7_ddchi != 0) | (ddh8_ddchi != 0) | (ddm1_ddchi != 0) | (ddm2_ddchi != 0) | (ddzeta_ddchi != 0))) | (dchi_singular > 1e+100)), 1e+290, 0)
    error_2 = (common*linear*(chi*error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1)) + error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1)/chi)/(common*linear*mtilde + kappa*share + excess/chi)**(2)
    common_60 = kappa*(linear*(ratio*ratio) + nonlinear)*(chi*error_share*kappa + np.where((np.maximum(0, surplus) == 0), 0, kappa + 1))/(mtilde*mtilde)
    lost_2 = np.where((ROUNDING*error > LARGEST_ERROR*np.maximum(1, m1)), 1e+289, 0)
    lost_3 = np.where((ROUNDING*error_2 > LARGEST_ERROR*np.maximum(1, m2)), 1e+289, 0)
    lost_10 = np.where((ROUNDING*error_9 > LARGEST_ERROR*np.maximum(1, np.abs(train_gap))), 1e+289, 0)
    equations_residual = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(chi_moved, chi_residual), dchi_dependent), dchi_residual), dchi_singular), dh1_dh3_dh5_dh7_dependent), dh1_dh3_dh5_dh7_residual), dh2_dh4_dh6_dh8_dependent), dh2_dh4_dh6_dh8_residual), h1_h3_h5_h7_dependent), h1_h3_h5_h7_residual), h1_singular), h2_h4_h6_h8_dependent), h2_h4_h6_h8_residual), h2_singular), h3_singular), h4_singular), h5_singular), h6_singular), h7_singular), h8_singular), uncertain)
    error_3, error_4, error_5, error_6, error_7, error_8, error_10 = conclude_3(chi, common_11, common_12, common_26, common_27, common_3, common_40, common_60, common_61, common_63, common_64, dchi, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, dm1, dsignal1, dsignal3, dsignal5, dsignal7, error, error_2, error_signal7, error_signal8, h1, h3, h5, h7, kappa, lam, m1, m2, noise_variance, ratio, signal1, signal2, signal3, signal4, signal5, signal6, signal7, signal8, steepness, target_rest, weight3, weight4, weight5, weight6)
    lost_4 = np.where((ROUNDING*error_3 > LARGEST_ERROR*np.maximum(1, np.abs(dm1))), 1e+289, 0)
    lost_5 = np.where((ROUNDING*error_4 > LARGEST_ERROR*np.maximum(1, np.abs(dm2))), 1e+289, 0)
    lost_6 = np.where((ROUNDING*error_5 > LARGEST_ERROR*np.maximum(1, np.abs(train_error))), 1e+289, 0)
    lost_7 = np.where((ROUNDING*error_6 > LARGEST_ERROR*np.maximum(1, np.abs(test_error))), 1e+289, 0)
    lost_8 = np.where((ROUNDING*error_7 > LARGEST_ERROR*np.maximum(1, np.abs(baseline_train))), 1e+289, 0)
    lost_9 = np.where((ROUNDING*error_8 > LARGEST_ERROR*np.maximum(1, np.abs(baseline_test))), 1e+289, 0)
    lost_11 = np.where((ROUNDING*error_10 > LARGEST_ERROR*np.maximum(1, np.abs(test_gap))), 1e+289, 0)
    limited_2 = np.where((((error_dchi*upstream > 1e-10*np.abs(dchi)) & (np.abs(dchi) > 10*ROUNDING*error_dchi)) | ((error_dh1*upstream > 1e-10*np.abs(dh1)) & (np.abs(dh1) > 10*ROUNDING*error_dh1)) | ((error_dh2*upstream > 1e-10*np.abs(dh2)) & (np.abs(dh2) > 10*ROUNDING*error_dh2)) | ((error_dh3*upstream > 1e-10*np.abs(dh3)) & (np.abs(dh3) > 10*ROUNDING*error_dh3)) | ((error_dh4*upstream > 1e-10*np.abs(dh4)) & (np.abs(dh4) > 10*ROUNDING*error_dh4)) | ((error_dh5*upstream > 1e-10*np.abs(dh5)) & (np.abs(dh5) > 10*ROUNDING*error_dh5)) | ((error_dh6*upstream > 1e-10*np.abs(dh6)) & (np.abs(dh6) > 10*ROUNDING*error_dh6)) | ((error_dh7*upstream > 1e-10*np.abs(dh7)) & (np.abs(dh7) > 10*ROUNDING*error_dh7)) | ((error_dh8*upstream > 1e-10*np.abs(dh8)) & (np.abs(dh8) > 10*ROUNDING*error_dh8)) | ((error_dzeta*upstream > 1e-10*np.abs(dzeta)) & (np.abs(dzeta) > 10*ROUNDING*error_dzeta)) | ((error_h1*upstream > 1e-10*np.abs(h1)) & (np.abs(h1) > 10*ROUNDING*error_h1)) | ((error_h2*upstream > 1e-10*np.abs(h2)) & (np.abs(h2) > 10*ROUNDING*error_h2)) | ((error_h3*upstream > 1e-10*np.abs(h3)) & (np.abs(h3) > 10*ROUNDING*error_h3)) | ((error_h4*upstream > 1e-10*np.abs(h4)) & (np.abs(h4) > 10*ROUNDING*error_h4)) | ((error_h5*upstream > 1e-10*np.abs(h5)) & (np.abs(h5) > 10*ROUNDING*error_h5)) | ((error_h6*upstream > 1e-10*np.abs(h6)) & (np.abs(h6) > 10*ROUNDING*error_h6)) | ((error_h7*upstream > 1e-10*np.abs(h7)) & (np.abs(h7) > 10*ROUNDING*error_h7)) | ((error_h8*upstream > 1e-10*np.abs(h8)) & (np.abs(h8) > 10*ROUNDING*error_h8)) | (upstream > 1e-10) | (error_10*upstream > 1e-10*np.abs(test_gap)) | (error_3*upstream > 1e-10*np.abs(dm1)) | (error_4*upstream > 1e-10*np.abs(dm2)) | (error_5*upstream > 1e-10*np.abs(train_error)) | (error_6*upstream > 1e-10*np.abs(test_error)) | (error_7*upstream > 1e-10*np.abs(baseline_train)) | (error_8*upstream > 1e-10*np.abs(baseline_test)) | (error_9*upstream > 1e-10*np.abs(train_gap)) | (1e-10*m1 < error*upstream) | (1e-10*m2 < error_2*upstream)), 1, 0)
    inaccurate_2 = np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(np.maximum(inaccurate, lost_10), lost_11), lost_2), lost_3), lost_4), lost_5), lost_6), lost_7), lost_8), lost_9)
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
    return stack_vector(iterations.shape, (chi, zeta, m1, m2, h1, h2, h3, h4, h5, h6, h7, h8, dchi, dzeta, dm1, dm2, dh1, dh2, dh3, dh4, dh5, dh6, dh7, dh8, train_error, test_error, baseline_train, baseline_test, train_gap, test_gap, residual, iterations + 0.5*limited_2)).T, blocks
