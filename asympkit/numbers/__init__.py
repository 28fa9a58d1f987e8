"""Number systems and the list of functions: the ground floor, which knows nothing of theories."""
