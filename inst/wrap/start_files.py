"""The start and end files of a program, which compilers add to a link around its inputs."""

from __future__ import annotations

ENTRY_FILES = ("crt1.o", "gcrt1.o", "Scrt1.o", "grcrt1.o", "rcrt1.o")
"""Those in which a program begins."""
END_FILES = ("crtend.o", "crtendS.o", "crtendT.o", "crtn.o")
"""Those that come after all inputs."""
START_FILES = frozenset(
    (*ENTRY_FILES, *END_FILES, "crti.o", "crtbegin.o", "crtbeginS.o", "crtbeginT.o")
)
"""All of them. They stay as they are: they run before the C library has set up anything, are joined
to functions by the linker piece by piece (`.init`), and end tables that the linker makes."""
