"""Text to statements and operands, and back, byte for byte."""
