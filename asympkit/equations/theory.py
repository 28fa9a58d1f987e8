class Theory: pass
