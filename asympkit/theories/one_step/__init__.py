"""One large gradient step, square loss (arXiv 2402.04980): :class:`~asympkit.theories.one_step.theory.OneStep`."""

#: what the step depends on
ARGUMENTS = ("eta", "alpha0", "beta", "noise_variance")
