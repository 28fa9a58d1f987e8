"""Non-linear spikes after one gradient step with a growing step size (arXiv 2310.07891)."""
