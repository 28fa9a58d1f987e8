"""The theories of the papers, and the base class of user-defined theories."""
