"""What a function of one variable is: its parity, kinks and jumps, zeros, bounds and growth."""
