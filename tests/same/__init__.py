"""Two versions of inst on the same inputs: what their outputs are, byte for byte."""
