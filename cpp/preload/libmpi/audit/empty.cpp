// An empty library has nothing but names.
