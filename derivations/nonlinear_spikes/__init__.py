"""Non-linear spikes after one gradient step with a growing step size (arXiv 2310.07891)."""

#: what can be derived, in the order in which it builds on each other
NAMES = ("traces", "root", "spikes", "gaps", "test_error", "initial_output", "gaussian_rows", "finite_step")
