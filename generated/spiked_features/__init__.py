"""Kernels of spiked random features, for all students and targets."""
