"""The entries between sites and hooks, in assembly, and the texts generated with them."""
