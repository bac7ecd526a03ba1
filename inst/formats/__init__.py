"""The trace formats, a package each: `inst.trace.format` says what each provides."""
