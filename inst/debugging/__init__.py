"""Debugging what was recorded, forwards and backwards."""
