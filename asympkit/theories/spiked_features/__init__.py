"""Spiked random features (arXiv 2402.04980): :class:`~asympkit.theories.spiked_features.theory.SpikedFeatures`."""
