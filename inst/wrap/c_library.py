"""The C library of a link: which word names it, which file it is, whether it is instrumented.

A static C library built by inst-cc (`--inst-building-libc`) is instrumented and needs no wrappers:
with each function it defines the name of its wrapper, such as `inst.wrap.read`.  It is searched
before the wrappers, so that no function is defined twice, and before the hook library: it calls it.
"""

from __future__ import annotations

import re
from pathlib import Path

C_LIBRARY = re.compile(
    r"-lc|-l:?(?:lib)?c_\S+|-l:libc\.(?:a|so)|(?:\S*/)?(?:diet)?libc(?:[_-]\S+)?\.(?:a|so)"
)
"""The C library as drivers, specs files and users name it: -lc, an archive of musl, dietlibc."""
_STATIC = frozenset(("-static", "-Bstatic", "-dn", "-non_shared"))
_DYNAMIC = frozenset(("-Bdynamic", "-dy", "-call_shared"))
_ARCHIVE, _INDEX, _HEADER = b"!<arch>\n", (b"/ ", b"/SYM64/"), 60
_SIZE = slice(48, 58)
_WRAPPER_NAME = b"inst.wrap."


def is_instrumented(word: str, words: list[str]) -> bool:
    """Return whether a word of a link names an archive that defines names of wrappers."""
    path = file_of(word, words)
    return path is not None and _WRAPPER_NAME in _symbols(path)


def file_of(word: str, words: list[str]) -> Path | None:
    """Return the file that the linker takes for a word, if the options of the link name it.

    The linker's own directories are not searched: they hold the compiler's library.
    """
    if not word.startswith("-l"):
        return Path(word)
    names = _names(word[2:], words[: words.index(word)])
    found = (Path(place) / name for place in _directories(words) for name in names)
    return next((path for path in found if path.is_file()), None)


def _names(library: str, before: list[str]) -> list[str]:
    """Return the names of the files that `-lLIBRARY` may denote, the preferred one first."""
    if library.startswith(":"):
        return [library[1:]]
    static = [word in _STATIC for word in before if word in _STATIC | _DYNAMIC]
    shared = [] if static and static[-1] else [f"lib{library}.so"]
    return [*shared, f"lib{library}.a"]


def _directories(words: list[str]) -> list[str]:
    """Return the directories in which the options of a link look for libraries."""
    found = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word in ("-L", "--library-path"):
            found.append(following)
        elif word.startswith("-L"):
            found.append(word[2:])
        elif word.startswith("--library-path="):
            found.append(word.partition("=")[2])
    return found


def _symbols(path: Path) -> bytes:
    """Return the symbol index of an archive; nothing if it is not an archive or has none."""
    try:
        with path.open("rb") as file:
            if file.read(len(_ARCHIVE)) != _ARCHIVE:
                return b""
            header = file.read(_HEADER)
            return file.read(int(header[_SIZE])) if header.startswith(_INDEX) else b""
    except (OSError, ValueError):
        return b""
