"""What stands between sites and hooks: entries in assembly, and the texts made with them."""
