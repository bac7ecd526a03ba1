"""Differences between two traces, found in one pass and constant memory.

`rows` turns a trace into blocks of keys (equal keys, equal records, but for what is to be
ignored), `align` compares two streams of blocks, `report` describes what differs.
"""
