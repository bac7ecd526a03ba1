"""inst: an assembly instrumentation compiler wrapper for SPARC and PowerPC."""

__version__ = "0.1.0"
