"""Readouts that minimise any convex loss, with a quadratic penalty."""
