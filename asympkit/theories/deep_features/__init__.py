"""Deep structured random features (arXiv 2402.13999)."""
