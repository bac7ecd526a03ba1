"""The trace formats, a package each: `inst.trace.format` defines what each provides."""
