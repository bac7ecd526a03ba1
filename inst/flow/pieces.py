"""A compiler's file cut between functions, so that memory grows with functions, not files.

Compilers end a function with a `.size` directive that names it, after all of its sections.
Nothing that the passes need to see together crosses that border, but for a few forms that
make a file one piece: macros and conditionals, scratch registers taken by hand, and local
labels that are used from another function (found out when a part is read).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

LEAST = 1 << 17
"""Characters of a part at least: small functions are translated together, which is faster."""

_END = re.compile(r"^[ \t]*\.size[ \t]+([\w.$]+),[ \t]*\.-(?:\.L\.)?\1[ \t]*\n", re.MULTILINE)
_COMPILER = re.compile(r'^[ \t]*\.ident[ \t]+".*(GCC|clang)', re.MULTILINE)
_WHOLE = re.compile(r"^[ \t]*\.(?:macro|rept|irpc?|if|include|end)\b|/\*", re.MULTILINE)
_NAMES = re.compile(r"^([A-Za-z_$][\w.$]*):", re.MULTILINE)


def may_be_cut(source: str, scratch: Iterable[str] = ()) -> bool:
    """Return whether a file may be translated in parts; it must not name `scratch` for that."""
    if len(source) <= 2 * LEAST or _COMPILER.search(source) is None or _WHOLE.search(source):
        return False
    names = "|".join(name for one in scratch for name in (one, one.replace("g", "r")))
    return not names or re.search(rf"%(?:{names})\b", source) is None


def function_names(source: str) -> frozenset[str]:
    """Return the labels of a file that are not local to a function."""
    return frozenset(_NAMES.findall(source))


def cut(source: str) -> Iterator[str]:
    """Yield the parts of a file, each ending where a function ends."""
    start = 0
    for match in _END.finditer(source):
        if match.end() - start >= LEAST:
            yield source[start : match.end()]
            start = match.end()
    if start < len(source):
        yield source[start:]
