"""Gaussian averages in double precision, with an estimate of their error that can be relied on."""
