"""The information-theoretic optimum of learning a target with noisy labels."""
