"""Where control goes and what is live: code in order, basic blocks, liveness."""
