"""Many large gradient steps on fresh batches: :class:`~asympkit.theories.gradient_steps.theory.GradientSteps`."""

#: units after a step: directions independent of one another, or rows that differ systematically
ISOTROPIC, ROWS = "isotropic", "rows"
