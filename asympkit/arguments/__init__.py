"""Arguments of methods, checked in one place: names, parameters and their domains, arrays, files and flags."""
