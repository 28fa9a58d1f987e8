"""Reports: one self-contained web page about a theory at a point, and the template that derivations share."""
