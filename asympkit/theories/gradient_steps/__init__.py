"""Many large gradient steps on fresh batches: :class:`~asympkit.theories.gradient_steps.theory.GradientSteps`."""
