"""Gaussian averages in double precision, with an estimate of their error that can be relied on."""

from .averages import gaussian_quadrature

__all__ = ["gaussian_quadrature"]
