"""Functions that standalone modules hold: each is copied where it is called, and nothing else."""
