"""Users' regression suites: programs built and run, and their traces checked, under pytest."""
