"""Redirects calls of C library functions that are watched to wrappers.

A file that uses such a function gets one line, `.set read, "inst.wrap.read"`, so that every
use of the name in it (calls, pointers, tables) means the wrapper.  Only instrumented code is
redirected: what the C library itself calls stays as it was, also in a static program.
A file that defines the function itself is left alone, and names its definition
`inst.wrap.read` as well, so that other files find that instead of a wrapper. A common symbol can
have no second name: one of such a name becomes a weak object of its own.

The C library calls memory and string functions itself, a program's own ones too, with memory that
it has written unseen.  A file that defines one has a symbol that says so (`runtime/image.c`).  So
has the one of the C library that ends the process by the wrapper of `_exit` (`runtime/start.c`).

A file that uses a function by which libgomp orders threads, and which has no wrapper, has a symbol
with the function's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from inst.asm.model import Kind, Statement
from inst.calls.openmp import PREFIXES, is_unseen
from inst.calls.wraptable import EVENTS, WRAPPED
from inst.rewrite.edits import Edits

PREFIX = "inst.wrap."
OWN_FUNCTIONS, OWN_LIBRARY, OWN_EXIT = "inst.own.functions", "inst.own.library", "inst.own.exit"
UNSEEN_OPENMP = "inst.openmp.unseen"
_EXIT, _CALLS_EXIT = "_exit", "__run_exit_handlers"
"""The end of a process, and the function of glibc by which `exit` and `quick_exit` get there."""
_CALLED_BY_LIBRARY = re.compile("(w?mem|str|stp|wcs|wcp)[a-z]+|malloc|calloc|realloc")
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_.$][\w.$]*')
_SAYS_NOTHING = frozenset(
    (".type", ".size", ".extern", ".hidden", ".protected", ".internal", ".ident", ".file")
)
"""Directives that may name a symbol without using it."""
_UNSEEN = (
    f"\t.pushsection .rodata; .weak {UNSEEN_OPENMP}; .hidden {UNSEEN_OPENMP}; {UNSEEN_OPENMP}: "
    '.asciz "{}"; .popsection\n'
)
_EXPORTS = frozenset((".globl", ".global"))
_COMMON = frozenset((".comm", ".common"))
_KEEPS = frozenset((".weak", ".weakref", ".symver", ".lcomm", ".local"))
"""Directives after which a name must keep its meaning: it may be missing, or is not code."""
_ASSIGNS = frozenset((".set", ".equ", ".equiv", ".eqv"))


class Wrapping:
    """What a file uses and defines of the functions that are watched."""

    def __init__(self, keep_wrappers: bool = False) -> None:
        self._wrapped_still = EVENTS if keep_wrappers else frozenset()
        """Functions that keep their wrappers where they are defined."""
        self._used: set[str] = set()
        self._defined: set[str] = set()
        self._exported: set[str] = set()
        self._weak: set[str] = set()
        self._kept: set[str] = set()
        self._local: set[str] = set()
        self._commons: dict[str, str] = {}
        """Common symbols, and what defines them instead."""
        self._library = False
        """The C library itself is instrumented: nothing of it is unseen."""
        self._runs_handlers = False
        """The file defines what runs the handlers of `exit`."""
        self._seen: set[str] = set()
        self.unwrapped: frozenset[str] = frozenset()
        """Functions whose wrappers are not needed: re-execution knows what they do."""

    def add(self, statements: Iterable[Statement]) -> None:
        """Look at a part of the file, as it came."""
        for statement in statements:
            if statement.kind == Kind.LABEL:
                if _is_watched(statement.name):
                    self._defined.add(statement.name)
                self._library |= statement.name == "__libc_start_main"
                self._runs_handlers |= statement.name == _CALLS_EXIT
            elif statement.kind == Kind.DIRECTIVE:
                self._directive(statement)
            elif statement.kind == Kind.ASSIGNMENT:
                self._assigned(f"{statement.name},{statement.operands}")
            elif statement.operands and statement.operands not in self._seen:
                self._seen.add(statement.operands)
                self._used.update(_names(statement.operands))

    def _directive(self, statement: Statement) -> None:
        name, operands = statement.name, statement.operands
        if name in _SAYS_NOTHING:
            return
        found = _names(operands)
        if not found:
            return
        if name in _EXPORTS:
            self._exported.update(found)
        elif name in _KEEPS:
            self._kept.update(found)
            self._weak.update(found if name == ".weak" else ())
            self._local.update(found if name == ".local" else ())
        elif name in _COMMON:
            self._common(operands, found)
        elif name in _ASSIGNS:
            self._assigned(operands)
        else:
            self._used.update(found)

    def _common(self, operands: str, found: set[str]) -> None:
        symbol, size, alignment = [*(part.strip() for part in operands.split(",")), "8"][:3]
        plain = symbol.strip('"')
        if plain not in found or plain in self._local:
            self._kept.update(found)
            return
        self._defined.add(plain)
        self._weak.add(plain)
        self._commons[operands] = (
            f".pushsection .bss; .balign {alignment}; .weak {symbol}; .type {symbol}, @object; "
            f".size {symbol}, {size}; {symbol}: .skip {size}; .popsection"
        )

    def define_commons(self, statements: list[Statement], edits: Edits) -> None:
        """Define the common symbols of a part of the file as weak objects."""
        for number, statement in enumerate(statements if self._commons else ()):
            if statement.name in _COMMON and statement.operands in self._commons:
                edits.at(number).instead = self._commons[statement.operands]

    def _assigned(self, operands: str) -> None:
        """Record `NAME, VALUE` of a `.set`: a definition of its name, a use of the others."""
        found = _names(operands)
        name = operands.split(",")[0].strip().strip('"')
        if name in found:
            self._defined.add(name)
        self._used.update(found - {name})

    def text(self) -> str:
        """Return what has to stand at the end of the file."""
        unseen = sorted(filter(self._is_unseen, self._used - self._defined))
        turned = (self._used & WRAPPED) - self._defined - self._kept - self.unwrapped
        lines = [f'\t.set {name}, "{PREFIX}{name}"\n' for name in sorted(turned)]
        own_names = WRAPPED & self._defined & (self._exported | self._weak)
        for name in sorted(own_names - self._wrapped_still):
            own = f'"{PREFIX}{name}"'
            binding = ".weak" if name in self._weak else ".globl"
            lines += [f"\t{binding} {own}\n", f"\t.set {own}, {name}\n"]
        called = sorted(name for name in self._defined & self._exported if _is_called(name))
        marks = [(OWN_FUNCTIONS, name) for name in called[:1]]
        marks += [(OWN_LIBRARY, "__libc_start_main")] if self._library else []
        by_wrapper = _EXIT in turned & self._wrapped_still
        marks += [(OWN_EXIT, _CALLS_EXIT)] if self._runs_handlers and by_wrapper else []
        for mark, name in marks:
            lines.append(f"\t.weak {mark}\n\t.hidden {mark}\n\t.set {mark}, {name}\n")
        lines += [_UNSEEN.format(name) for name in unseen[:1]]
        return "\n" + "".join(lines) if lines else ""

    def _is_unseen(self, name: str) -> bool:
        return is_unseen(name) and (name not in WRAPPED or name in self._kept)


def _is_called(name: str) -> bool:
    return bool(_CALLED_BY_LIBRARY.fullmatch(name))


def _is_watched(name: str) -> bool:
    return name in WRAPPED or name.startswith(PREFIXES)


def _names(operands: str) -> set[str]:
    """Return the functions of the tables that an operand list names, strings aside."""
    return {name for name in _WORD.findall(operands) if _is_watched(name)}
