"""Passes that make edits of statements; nothing changes until all edits are applied."""
