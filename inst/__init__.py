"""inst: an assembly instrumentation compiler wrapper for SPARC and PowerPC."""

__version__ = "0.1.0"
TYPE_CHECKING = False
"""As in `typing`, whose import takes as long as a small file: type checkers know the name."""
