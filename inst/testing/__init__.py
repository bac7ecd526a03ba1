"""For regression suites of users: programs built, run, and their traces checked by pytest."""
