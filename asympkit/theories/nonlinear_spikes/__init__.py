"""Growing steps (arXiv 2310.07891): :class:`~asympkit.theories.nonlinear_spikes.theory.NonlinearSpikes`."""
