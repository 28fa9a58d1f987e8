"""Features whose weights have an isotropic bulk and a spike."""
