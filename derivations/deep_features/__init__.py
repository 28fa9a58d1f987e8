"""Ridge regression on the features of deep random networks (arXiv 2402.13999)."""

#: what can be derived, in the order in which it builds on each other
NAMES = ("theorem", "recursion", "chain", "spectrum", "one_layer")
