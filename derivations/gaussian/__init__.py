"""The rules of Gaussian calculus that the equations of learning theory rest on."""
