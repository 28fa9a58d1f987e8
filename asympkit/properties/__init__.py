"""Properties of a function of one variable: its parity, kinks and jumps, zeros, bounds and growth."""
