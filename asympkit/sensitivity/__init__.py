"""Exact derivatives of solutions by their parameters, by implicit differentiation of the derived system."""
