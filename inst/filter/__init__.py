"""Filters: pipelines that select, change, split and merge streams of records.

`language.parse` reads a pipeline, `table.FILTERS` is the list of filters, and
`pipeline.run` sends traces through. Every stage works on batches, in constant memory.
"""
