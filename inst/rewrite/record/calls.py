"""Calls of library functions that re-execution reports from their arguments, not from events.

A call of `memcpy` by its name need not go to the wrapper that reports what the function touches:
the table of segments states where such calls return to, and what their arguments mean. Where a file
also uses the function otherwise (by its address, in a tail call), all of its calls stay as they
are, since a file has one meaning for a name.
"""

from __future__ import annotations

import re

from inst.calls.argued import touched_by
from inst.isa.model import Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.options import Options
from inst.rewrite.record.recorder import Loose

_NAME = re.compile(rf"(?<![\w.$])({'|'.join(touched_by())})(?![\w.$])")
_SAYS_NOTHING = re.compile(r"\s*\.(type|size|extern|hidden|ident|file|string|asciz?)\s.*")
_SYMBOL = re.compile(r"[\w.$]+")


def called_by_name(source: str, options: Options, loose: Loose | None) -> frozenset[str]:
    """Return the functions of `inst.calls.argued` that an assembly file uses in calls only."""
    if not options.wrapping or options.selection.is_partial or loose is None:
        return frozenset()
    called: set[str] = set()
    otherwise: set[str] = set()
    for found in _NAME.finditer(source):
        end = source.find("\n", found.end())
        line = source[source.rfind("\n", 0, found.start()) + 1 : end if end >= 0 else None]
        if not _SAYS_NOTHING.fullmatch(line):
            (called if loose.calls.fullmatch(line) else otherwise).add(found[1])
    return frozenset(called - otherwise)


def add_calls(work: Rewriting) -> None:
    """Add the calls that reach such a function itself to the table of segments."""
    names = work.file.wrapping.unwrapped
    touched = touched_by() if names else {}
    for index, fact in enumerate(work.code.facts if names else ()):
        name = _SYMBOL.match(fact.target)
        if fact.transfer == Transfer.CALL and name and name[0] in names:
            label = work.edits.new_label()
            work.edit(index).after.insert(0, f"{label}:")
            work.file.segments.add_call(label, touched[name[0]])
