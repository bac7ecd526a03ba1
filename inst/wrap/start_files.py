"""The start and end files of a program, which compilers add to a link around its inputs."""

from __future__ import annotations

import re
from pathlib import Path

ENTRY_FILES = ("crt1.o", "gcrt1.o", "Scrt1.o", "grcrt1.o", "rcrt1.o")
"""Those in which a program begins."""
END_FILES = ("crtend.o", "crtendS.o", "crtendT.o", "crtn.o")
"""Those that come after all inputs."""
START_FILES = frozenset(
    (*ENTRY_FILES, *END_FILES, "crti.o", "crtbegin.o", "crtbeginS.o", "crtbeginT.o")
)
"""All of them. They stay as they are: they run before the C library has set up anything, are joined
to functions by the linker piece by piece (`.init`), and end tables that the linker makes."""
_CALLED = re.compile(rb"(?<=\0)inst\.(?!wrap\.)[\w.]+(?=\0)")


def called_at_end(words: list[str]) -> list[str]:
    """Return the names of the hook library that the end files of a link use.

    Those of a C library that is instrumented call it, and come after it: the linker searches an
    archive once.
    """
    found: dict[str, None] = {}
    for word in words:
        path = Path(word)
        if path.name in END_FILES and path.is_file():
            found |= dict.fromkeys(name.decode() for name in _CALLED.findall(path.read_bytes()))
    return [*found]
