"""What simulations share: repeats and their files, ridge regression, and the records of what was measured."""
