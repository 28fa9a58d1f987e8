"""One large gradient step and spiked random features (arXiv 2402.04980)."""
