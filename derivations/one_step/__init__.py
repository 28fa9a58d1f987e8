"""One large gradient step and spiked random features (arXiv 2402.04980)."""

#: what can be derived, in the order in which it builds on each other
NAMES = ("result_3_1", "result_3_2", "result_3_3", "composition", "classes", "reduction", "uniqueness", "bounds",
         "outliers")
