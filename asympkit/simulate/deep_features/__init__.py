"""Deep networks with prescribed, random or trained weights, whose readout is fitted by ridge regression."""
