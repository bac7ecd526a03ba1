"""The targets: their facts, their compilers, their emulators, and which one a text is for."""
