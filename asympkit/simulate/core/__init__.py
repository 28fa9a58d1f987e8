"""The common part of simulations: repeats and their files, and the records of their results."""
