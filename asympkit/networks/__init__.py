"""Deep networks with given weights under Gaussian inputs: covariances of features, and effective linear models."""
