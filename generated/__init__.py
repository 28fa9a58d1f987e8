"""Solvers written by the code generator, standalone (numpy and numba alone); never edited by hand.

``python -m asympkit.generated`` writes them anew; a test compares them byte for byte.
"""
