"""Number systems and the list of functions: the lowest layer, which knows nothing of theories."""
