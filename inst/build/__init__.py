"""Hook libraries and wrappers, compiled for a target, joined with glue and kept in the cache."""
