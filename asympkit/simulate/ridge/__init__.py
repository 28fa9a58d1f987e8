"""Ridge regression on the features of a simulated network: readouts for many sample sizes and penalties."""
