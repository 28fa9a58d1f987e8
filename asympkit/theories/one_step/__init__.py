"""One large gradient step, square loss (arXiv 2402.04980): :class:`~asympkit.theories.one_step.theory.OneStep`."""

#: the parameters of the step
ARGUMENTS = ("eta", "alpha0", "beta", "noise_variance")
#: kinds of labels of the first batch
REGRESSION, SIGN = "regression", "sign"
