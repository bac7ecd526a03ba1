"""Instruction words: their text, the accesses they make, and what the ISA's tables know of them."""
