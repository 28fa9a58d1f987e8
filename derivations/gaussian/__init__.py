"""The rules of Gaussian calculus that the equations of learning theory rest on."""

#: what can be derived, in the order in which it builds on each other
NAMES = ("stein", "heat", "hermite", "mehler", "price", "arcsine", "arc_cosine", "trapezoid")
