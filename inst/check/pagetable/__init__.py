"""The page-table protocol: what memory, tables, locks and threads are, and how records step it."""
