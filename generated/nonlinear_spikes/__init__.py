"""Kernels of nonlinear spikes, for all students and targets."""
