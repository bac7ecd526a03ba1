"""A verifier of what the rewriter gives: input and output statements held against each other.

It shares the splitter and the tables of the instruction sets with the rewriter, and none of
its decisions.  `python -m tests.verify --target NAME FILE.s ...` verifies files.
"""
