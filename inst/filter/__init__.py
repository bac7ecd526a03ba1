"""Filters: pipelines that take a stream of records apart and put it together again.

`language.parse` reads a pipeline, `table.FILTERS` says what there is, and
`pipeline.run` sends traces through. Every stage works on batches, in constant memory.
"""
