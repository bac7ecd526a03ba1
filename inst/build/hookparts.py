"""What a value of INST_HOOKS names: a library shipped with inst, or the user's files and options.

A user's library is written like a compiler's command line: source files, object files,
archives and options, with a shell's quoting.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inst import __version__
from inst.errors import InstError
from inst.isa.segments import MACROS
from inst.paths import absolute, data
from inst.shipped import RECORDING
from inst.target.model import Target
from inst.target.tools import run_tool

CXX_SUFFIXES = frozenset((".cc", ".cpp", ".cxx", ".c++", ".cp", ".C"))
_SOURCES = CXX_SUFFIXES | {".c", ".s", ".S"}
_OBJECTS = frozenset((".o", ".a"))
_WITH_PATH = ("-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros")
"""Options whose value is a path, in the same word or in the next one."""
_WITH_WORD = ("-D", "-U", "--param")
"""Options whose value may be the next word."""
_REFUSED = re.compile(
    r"-(o|c|S|E|M.*|x.*|r|shared|static.*|l.*|L.*|Wl,.*|T.*|flto.*|fsanitize.*|fprofile-.*|pg?|"
    r"fexceptions|frtti|finstrument-.*|-coverage)"
)
"""Options that decide what is made, or that put calls of other libraries into hooks."""

_CXX_FLAGS = (
    "-std=gnu++20",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-gnu-unique",
)
"""Additional options for hooks in C++: what these turn off needs the C++ library."""
_OWN_FLAGS = ("-Wall", "-fno-ipa-icf")
"""Additional options for a user's hooks: identical hooks stay separate functions."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a hook library is made from."""

    name: str
    sources: tuple[Path, ...]
    linked: tuple[Path, ...] = ()
    """Object files and archives, in the order in which they are linked."""
    arguments: tuple[str, ...] = ()
    """Options for compiling the sources."""
    shipped: bool = False

    @property
    def records(self) -> bool:
        """Whether it serves objects that record without calling hooks: runtime/segments."""
        return self.shipped and self.name in RECORDING


def parts_of(hooks: str) -> Parts:
    """Return what a value of INST_HOOKS means."""
    words = _words(hooks)
    if len(words) == 1 and "/" not in words[0] and Path(words[0]).suffix not in _SOURCES:
        return _shipped_parts(words[0])
    files: list[Path] = []
    arguments: list[str] = []
    for word, is_file in _kinds(words):
        if is_file:
            files.append(_existing(word))
        else:
            arguments.append(word)
    sources = [path for path in files if path.suffix not in _OBJECTS]
    linked = [path for path in files if path.suffix in _OBJECTS]
    if not files:
        raise InstError(f"no file in the hook library `{hooks}`", hint="name its files")
    return Parts(files[0].stem, tuple(sources), tuple(linked), tuple(arguments))


def from_root(hooks: str) -> str:
    """Return the same value with absolute paths, since tools change directory."""
    words = _words(hooks)
    if len(words) == 1:
        is_path = "/" in words[0] or Path(words[0]).suffix in _SOURCES | _OBJECTS
        return str(_normal(words[0])) if is_path else words[0]
    return shlex.join(_with_roots(words))


def _with_roots(words: list[str]) -> Iterator[str]:
    value_of = ""
    for word in words:
        option = next((one for one in _WITH_PATH if word.startswith(one)), "")
        if value_of == "path":
            yield _root_of(word)
        elif value_of or not (option or not word.startswith("-")):
            yield word
        elif option and word != option:
            yield option + _root_of(word[len(option) :])
        else:
            yield word if option else str(_normal(word))
        value_of = "" if value_of else "path" if word in _WITH_PATH else _takes_word(word)


def _takes_word(word: str) -> str:
    return "word" if word in _WITH_WORD else ""


def _root_of(path: str) -> str:
    """Return the absolute path, or the same if it does not exist: headers may be searched for."""
    return str(_normal(path)) if Path(path).exists() else path


def _normal(path: str) -> Path:
    return Path(os.path.normpath(absolute(path)))


def _words(hooks: str) -> list[str]:
    """Split a value as a shell would; the path of a file may have blanks in it."""
    if not re.search(r"\s", hooks) or Path(hooks).is_file():
        return [hooks]
    try:
        return shlex.split(hooks) or [hooks]
    except ValueError as error:
        raise InstError(
            f"cannot split the hook library `{hooks}` into words: {str(error).lower()}",
            hint="quote as in a shell",
        ) from None


def _kinds(words: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield each word, and whether it is a file."""
    is_value = False
    for word in words:
        if is_value or word.startswith("-"):
            if not is_value and _REFUSED.fullmatch(word):
                raise InstError(
                    f"the option {word} cannot be used for a hook library",
                    hint="name object files and archives by their paths; -D, -I, -W, -O, -f ... "
                    "are passed to the compiler",
                )
            is_value = not is_value and word in (*_WITH_PATH, *_WITH_WORD)
            yield word, False
        else:
            yield word, True


def _existing(word: str) -> Path:
    path = Path(word)
    if not path.exists():
        hint = "" if "/" in word or path.suffix else "libraries that ship cannot be combined"
        raise InstError(f"hook library {word} was not found", hint=hint)
    if not path.is_file() or path.suffix not in _SOURCES | _OBJECTS:
        raise InstError(
            f"hook library {word} is not a file that a hook library can be made from",
            hint=f"files end in {' '.join(sorted(_SOURCES | _OBJECTS))}",
        )
    return absolute(path)


def _shipped_parts(name: str) -> Parts:
    for path in _shipped():
        if path.stem == name:
            sources = sorted(path.glob("*.c")) if path.is_dir() else [path]
            return Parts(name, tuple(sources), shipped=True)
    known = ", ".join(path.stem for path in _shipped())
    raise InstError(
        f"unknown hook library `{name}`",
        hint=f"known are {known}; or give the path of a C or C++ file",
    )


def _shipped() -> list[Path]:
    """Return the libraries shipped with inst: C files, and directories of them."""
    found = data("hooks").iterdir()
    return sorted(path for path in found if path.suffix == ".c" or any(path.glob("*.c")))


def own_command(command: list[str], parts: Parts, source: Path, target: Target) -> list[str]:
    """Return the command that compiles a source file of a library."""
    is_cxx = source.suffix in CXX_SUFFIXES
    arguments = [
        word
        for word in parts.arguments
        if not word.startswith("-g") and not (word.startswith("-std=") and ("++" in word) != is_cxx)
    ]
    if is_cxx:
        command = [word for word in command if not word.startswith("-std=")]
        command += [*_CXX_FLAGS, *target.cxx_flags]
    if parts.shipped:
        return [*command, *arguments]
    return [*map(_after_others, command), *_OWN_FLAGS, *arguments]


def _after_others(word: str) -> str:
    """Return a word with which the runtime's headers are searched after the system's."""
    is_public = word == f"-I{data('runtime') / 'include'}"
    return f"-idirafter{word[2:]}" if word.startswith("-I") and not is_public else word


def contents(parts: Parts, command: list[str], target: Target) -> bytes:
    """Return all that a library's own files consist of, with the headers that they include."""
    if parts.shipped:
        files = sorted(path for path in data("hooks").rglob("*") if path.is_file())
        return b"\0".join(path.read_bytes() for path in files)
    texts = [
        run_tool([*own_command(command, parts, path, target), "-w", "-E", str(path)])
        if path.suffix != ".s"
        else path.read_bytes()
        for path in parts.sources
    ]
    objects = [path.read_bytes() for path in parts.linked]
    return b"\0".join([*texts, *objects, repr(parts).encode()])


def recorder_key(parts: Parts, command: list[str], target: Target) -> str:
    """Return 32 digits that modules have in common whose runtimes may share one recorder.

    It is a digest of the version, the runtime with its numbers, and what the library itself
    consists of.
    """
    found = hashlib.sha256(f"{__version__}\0{parts.name}\0{MACROS}\0".encode())
    for path in sorted(data("runtime").rglob("*")):
        if path.is_file():
            found.update(path.read_bytes() + b"\0")
    found.update(contents(parts, command, target))
    return found.hexdigest()[:32]
