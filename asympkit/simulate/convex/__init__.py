"""Train readouts with any convex loss and a quadratic penalty."""
