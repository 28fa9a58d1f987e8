"""What people give to verbs: names, parameters and their domains, arrays, files and flags, checked in one place."""
