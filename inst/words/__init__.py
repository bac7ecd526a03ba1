"""Instruction words: their text, the accesses they make, and their facts in the ISA's tables."""
