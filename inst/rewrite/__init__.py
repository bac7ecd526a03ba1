"""Passes that turn statements into edits; nothing changes until all edits are applied."""
