"""Deep networks of given weights under Gaussian inputs: covariances of their features, and effective linear models."""
