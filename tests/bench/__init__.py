"""What tracing costs: `make bench`."""
