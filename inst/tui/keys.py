"""The keys of the browser: what the footer, the help screen and the documentation list."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    """One key, and what it does."""

    keys: str
    """Names of the keys as Textual has them, with commas."""
    shown: str
    """The keys as they are printed."""
    action: str
    what: str
    """A word for the footer."""
    meaning: str
    """The line of the help screen."""
    footer: bool = False


KEYS = (
    Key("slash", "/", "search(True)", "Search", "search forwards for a text", True),
    Key("backslash", "\\", "search(False)", "Search back", "search backwards for a text"),
    Key("n", "n", "again(True)", "Next", "next match of the last text, function or address", True),
    Key("N", "N", "again(False)", "Previous", "previous match of it"),
    Key("g", "g", "record", "Record", "go to a record by its number", True),
    Key("f", "f", "function", "Function", "go to where a function runs next", True),
    Key("a", "a", "address", "Address", "go to the next access that touches an address", True),
    Key("ampersand", "&", "filter", "Filter", "show only some records; empty shows all", True),
    Key("right_square_bracket", "]", "finding(True)", "Finding", "next finding"),
    Key("left_square_bracket", "[", "finding(False)", "Finding back", "previous finding"),
    Key("t", "t", "thread(True)", "Thread", "next record of another thread"),
    Key("T", "T", "thread(False)", "Thread back", "previous record of another thread"),
    Key("s", "s", "pane('source')", "Source", "show the source line"),
    Key("c", "c", "pane('calls')", "Calls", "show the calls: the record's, and all functions"),
    Key("e", "e", "pane('findings')", "Findings", "show what inst check finds"),
    Key("escape", "Esc", "cancel", "Cancel", "end a search; leave a prompt; back to the records"),
    Key("question_mark,f1", "?", "help", "Help", "this list", True),
    Key("q", "q", "quit", "Quit", "leave the browser", True),
)
"""What works everywhere in the browser."""

MOVES = (
    ("↑ ↓ k j", "one record up or down"),
    ("PgUp PgDn", "a screen up or down"),
    ("Home End", "the first and the last record"),
    ("← →", "scroll long lines"),
    ("Tab", "from the records to the panes and back"),
    ("Enter", "in a list: go to its record or function"),
)
"""What works in the table of records, and in lists."""
