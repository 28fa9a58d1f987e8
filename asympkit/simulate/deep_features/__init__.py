"""Deep networks with given, random or trained weights, whose readout is fitted by ridge regression."""
