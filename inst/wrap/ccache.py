"""Keys for ccache, so that it never serves an object of another translator or other options.

Inside (`inst-cc ccache gcc`), ccache hashes one more file, which holds the digest of translator
and options. Outside (`ccache inst-cc gcc`), ccache has inst-cc preprocess; the digest is then
added to the preprocessed text, with the name of a file that does not exist, because of which
ccache does not use its direct mode (without preprocessing).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from inst import __version__
from inst.cache.notes import read_note, write_note
from inst.cache.rooms import room
from inst.common.process import run
from inst.errors import InstError
from inst.wrap.options import OPTIONS, value

_NOT_TRANSLATOR = frozenset(
    ("cache", "check", "commands", "statistics", "testing", "trace", "data", "__pycache__")
)


def digest() -> str:
    """Return the digest of everything that decides what an object file holds."""
    import hashlib

    state = hashlib.blake2b(digest_size=16)
    state.update(__version__.encode())
    for option in OPTIONS:
        if option.changes_object:
            state.update(f"\n{option.name}={value(option.name)}".encode())
    for path in _translator_files():
        state.update(b"\n" + path.name.encode() + b"\n" + path.read_bytes())
    return state.hexdigest()


def _translator_files() -> list[Path]:
    package = Path(__file__).resolve().parent.parent
    files: list[Path] = []
    for directory, names, members in os.walk(package):
        names[:] = sorted(name for name in names if name not in _NOT_TRANSLATOR)
        files += [Path(directory, name) for name in sorted(members) if name.endswith(".py")]
    return files


def prepare_inside() -> None:
    """Pass the name of the digest's file to the ccache that inst-cc is going to run."""
    note = _note("ccache-inside", f"{digest()}\n")
    others = os.environ.get("CCACHE_EXTRAFILES")
    os.environ["CCACHE_EXTRAFILES"] = os.pathsep.join((*filter(None, [others]), str(note)))


def outside_arguments(arguments: Sequence[str], state: str = "") -> list[str]:
    """Return what to add when ccache runs inst-cc with these arguments.

    `state` replaces the digest when nothing is instrumented.
    """
    _refuse_depend_mode()
    if "-E" not in arguments:
        return []
    mark = state or digest()
    note = _note("ccache-outside", f'# 1 "inst-{mark}"\n')
    return ["-include", str(note)]


def _note(directory: str, text: str) -> Path:
    """Write the digest's file unless it exists: its name is the digest too."""
    name = "".join(character for character in text if character.isalnum())[-32:]
    note = room(directory, needed=False) / f"{name}.h"
    if read_note(note) != text:
        write_note(note, text)
    if read_note(note) != text:
        raise InstError(
            f"cannot write {note}, without which ccache would serve stale objects",
            hint="set INST_CACHE to a directory that can be written",
        )
    return note


def _refuse_depend_mode() -> None:
    ccache = shutil.which("ccache")
    if ccache is None:
        return
    setting = run([ccache, "--get-config=depend_mode"], keep_output=True, keep_errors=True)
    if setting.output.strip() == b"true":
        raise InstError(
            "ccache's depend mode around inst-cc would serve stale objects",
            hint="put ccache inside: inst-cc ccache COMPILER; or leave depend mode off",
        )
