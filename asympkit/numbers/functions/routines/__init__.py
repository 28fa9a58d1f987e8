"""Double-precision routines in numpy and the standard library alone: plain functions of one number, which loops
compile, and ``*_batch`` of arrays.  Their text is copied into generated modules that call them."""
