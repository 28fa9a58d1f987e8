"""Published and other numbers beside those of a theory."""
