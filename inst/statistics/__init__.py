"""What `inst stats` counts in a trace, and the page that shows it."""
