"""Passes for SPARC code alone."""
