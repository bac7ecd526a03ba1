"""Links of programs without an operating system: `--inst-runtime=bare`."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from inst.common.colours import report
from inst.errors import InstError
from inst.isa.sites import CHOICE_SYMBOL
from inst.wrap import options
from inst.wrap.registers import usual

BUILD_SYMBOL = "inst.build"
"""The absolute symbol whose value the ring states, so that a reader knows its program."""
_CHOICE = CHOICE_SYMBOL.encode()
RING_SECTION = b".inst_ring"
_SCRIPT = re.compile(r"-T|-dT|--script|--default-script|-Tt?ext|--section-start")
_WRAPPER = b"`inst.wrap."
_TOO_BIG = re.compile(rb"(?:will not fit in region|region) `[^']*'")


def build_words(words: list[str]) -> list[str]:
    """Return the words that define the symbol of the build: a digest of what is linked."""
    found = hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape"))
    for word in words:
        path = Path(word.removeprefix("-T"))
        if not word.startswith("-o") and path.is_file():
            found.update(path.read_bytes() + b"\0")
    number = int.from_bytes(found.digest()[:4], "big") | 1
    return [f"--defsym={BUILD_SYMBOL}={number:#x}"]


def offer(words: list[str], hooks: str, *, has_c_library: bool, has_start_files: bool) -> None:
    """Point to the bare runtime where a linker script places a program without a C library.

    A program for Linux may do without, and its script may be its own: this is no error.
    """
    if has_c_library or has_start_files or options.value("runtime"):
        return
    if any(_SCRIPT.match(word) for word in words):
        report(
            f"inst: warning: a link with a linker script and without a C library; the hooks of "
            f"`{hooks}` make system calls of Linux\n"
            "  hint: for a program without an operating system compile and link with "
            "--inst-runtime=bare; --inst-runtime=linux is what is linked now"
        )


def explain(errors: bytes) -> None:
    """Raise an error about what the linker has reported, if the reason is known."""
    if _WRAPPER in errors:
        raise InstError(
            "some objects call functions of the C library through wrappers, which need Linux",
            hint=f"compile them with {options.PREFIX}runtime=bare, too",
        )
    if _CHOICE in errors:
        raise InstError(
            "some objects were compiled for other registers than the link's "
            f"{options.PREFIX}registers={options.value('registers') or usual()}",
            hint=f"compile all of them, and link, with the same {options.PREFIX}registers",
        )
    if RING_SECTION in errors and b"discarded section" in errors:
        raise InstError(
            f"the linker script discards the section {RING_SECTION.decode()}",
            hint=f"place it: {RING_SECTION.decode()} (NOLOAD) : {{ *({RING_SECTION.decode()}) }}",
        )
    if RING_SECTION in errors and _TOO_BIG.search(errors):
        raise InstError(
            f"the ring of {options.value('ring-size')} (section {RING_SECTION.decode()}) does not "
            "fit into its memory",
            hint=f"link with a smaller one, such as {options.PREFIX}ring-size=16K, or place the "
            "section elsewhere in the linker script",
        )
