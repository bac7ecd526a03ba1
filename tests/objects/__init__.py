"""Objects as assembly: identity of synthetic objects and of the members of real libraries."""
