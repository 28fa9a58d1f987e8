"""The network itself after one gradient step: a bulk that is not isotropic, rows of different length, finite width."""

#: what can be derived, in the order in which it builds on each other
NAMES = ("rows", "forms", "pairs", "kernel", "row_norm", "mean_readout", "common_mode", "tilt")
