"""Recording without calls: segments of basic blocks write what happened to a buffer, inline."""
