"""The README, the quick start and the tutorial, as written, on a Debian that was just installed."""
