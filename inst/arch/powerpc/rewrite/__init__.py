"""Passes for PowerPC code alone."""
