"""Hook libraries and wrappers, compiled for a target, joined with glue and stored in the cache."""
