"""Solvers written by the code generator: kernels, which import the package's runtime, and standalone modules.

Never edited by hand; ``python -m asympkit.generated`` writes them anew, and a test compares them byte for byte.
"""
