"""Ridge regression on features of any covariance (arXiv 2402.13999, the general theorem)."""
