"""A trace's rows by their number, in constant memory: pages, searches, filters, sources, calls.

Nothing here draws anything; `inst.tui` does.
"""
