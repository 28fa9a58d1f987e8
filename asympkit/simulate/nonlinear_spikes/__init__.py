"""Simulate a network after a gradient step with a growing step size, and its idealisations."""
