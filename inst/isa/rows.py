"""The language of the instruction tables, and the rows that its lines become.

Every instruction set writes its tables in this language. A line is

    mnemonics | operands | effects

and stands for one row for each mnemonic and each list of operands. A line without `|` holds
mnemonics that the next line goes on with; `#` begins a comment.

    add addx[.]            | d,s,si ; d,i,s    | uses:icc     # both operand orders
    ld{ub,sb}              | mem,d             | load:1
    b{e!ne,g!le}           | target            | branch conditional slot uses:icc reach:8M

**Mnemonics** are separated by spaces. `ld{ub,sb}` stands for ldub and ldsb; an empty choice is
nothing: `f{,n}madd`. Choices joined by `!` are opposites: `b{e!ne,z!nz,eq!ne}` stands for be, bne,
bz, bnz and beq, and the inverse of each branch is the one with every opposite taken: of be bne, of
beq bne, of bne be (the first pair that names a choice counts). A bracketed ending may be left out
and adds effects: which, `Language.endings` says.

**Operands** are roles, separated by commas, and `;` separates lists that the instruction takes as
well: `mem ; address ;` is one of two operands or none. A role ends in `?` where the operand may
be left out; what leaving it out means, `Language.omitted` says. The roles are the instruction
set's own (`Language.roles`), but their names follow one rule: a register's role is its class and
what happens to it, `d` for defined (written), `s` for a source (read) and `m` for modified (both),
and general registers have no letter for their class. So `fd,fs,fs` are three floating-point
registers, `m,i` a general register that is read and written, and an immediate.

**Effects** are words, separated by spaces, and say what the operands do not:

| word | meaning |
|---|---|
| `uses:r0,r3-r9` `defs:icc` | registers read and written besides those that the operands name |
| `load:4` `store:4` `atomic:4` | a memory access of so many bytes; 0: known only at run time |
| `form:block` | how the access is made: a name of `inst.isa.model.Form` |
| `align:16` | the address is rounded down to a multiple of this |
| `reversed` | the register has the bytes the other way round |
| `branch` `call` `jump` `return` `trap` | where control goes: a name of `inst.isa.model.Transfer` |
| `conditional` | control may also go on after the instruction |
| `slot` | the next instruction is a delay slot |
| `reach:8M` | bytes that a direct branch reaches either way; `K` and `M` are 1024 and its square |
| `inverse:bdz` | the opposite branch, where no `!` gives it |
| `system` | a trap that makes a system call |
| `window:1` | the register window moves: 1 for a save, -1 for a restore |
| `pc` | reads its own address |
| `data` | a word that is read and never runs |
| `recorded` | `inst.replay` does not execute it: what it leaves is recorded for re-execution |
| `barrier:full` | keeps accesses in order: a name of `BARRIERS` |
| `event:tlbi` | a system event: a name of `inst.isa.model.SystemEvent` |
| `length:8` | bytes, where it is not 4; an upper bound |
| `suffix:a,pt,pn` | what the mnemonic may be followed by: `be,a,pn` |

An instruction set adds words of its own: abbreviations, each for a text of effects
(`Language.words`), and marks, which mean something to its own interpreter only
(`Language.marks`). Of two words that set the same, the later one counts; registers add up.

Where several rows of a mnemonic fit, the first one counts: special cases are written before
general ones. Lines that differ in a part of their mnemonics and in what goes with it are a
product of two tables, `crossed`: `lw@ | d | load:4` with `x | a,x |` is `lwx | d,a,x | load:4`.

To add an instruction, find the table of its kind in the instruction set's `tables` and write a
line; where an operand is read or written as no role says, add a role first. `Table.rows` shows what
became of it:

    >>> from inst.arch.sparc.tables.table import table
    >>> table().rows("bne")

The interpreter of the instruction set (`tables.interpret`) takes the first row whose roles fit the
operands, and completes the row's facts by what each role says of its operand.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from inst import TYPE_CHECKING
from inst.dataclass import dataclass, field
from inst.isa.model import Access, Barrier, Facts, Form, RegisterSet, SystemEvent, Transfer

if TYPE_CHECKING:
    from typing import Any

BARRIERS = {
    "full": Barrier.RELEASE | Barrier.ACQUIRE,
    "stores": Barrier.RELEASE,
    "control": Barrier.CONTROL,
}
UNITS = {"K": 1 << 10, "M": 1 << 20}


def _bytes(text: str) -> int:
    """Return the number that `32`, `32K` or `32M` is."""
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


WITHOUT_VALUE: dict[str, tuple[str, object]] = {
    **{one.name.lower(): ("transfer", one) for one in Transfer if one is not Transfer.NONE},
    "conditional": ("conditional", True),
    "slot": ("delay_slot", True),
    "system": ("system_call", True),
    "pc": ("pc_relative_data", True),
    "data": ("never_runs", True),
    "recorded": ("recorded", True),
    "reversed": ("byte_reversed", True),
}
"""Effect -> the field of `Facts` or `Access` that it sets, and to what."""

WITH_VALUE: dict[str, tuple[str, Callable[[str], object]]] = {
    "form": ("form", lambda name: Form[name.upper()]),
    "align": ("align", int),
    "reach": ("reach", _bytes),
    "inverse": ("inverse", str),
    "window": ("window", int),
    "barrier": ("barrier", lambda name: BARRIERS[name]),
    "event": ("event", lambda name: SystemEvent[name.upper()]),
    "length": ("length", int),
}
"""Effect -> the field that it sets, and how its value is read."""

ACCESSES: dict[str, dict[str, object]] = {
    "load": {"load": True},
    "store": {"store": True},
    "atomic": {"load": True, "store": True, "form": Form.ATOMIC},
}
"""Effect whose value is a size -> the other fields of `Access` that it sets."""

OF_ACCESS = frozenset(("form", "align", "byte_reversed"))
"""The fields that belong to the access."""

_PART = re.compile(r"\{[^}]*\}|\[[^]]*\]|[^{[]+")


@dataclass(frozen=True, slots=True)
class Language:
    """What an instruction set adds to the language."""

    registers: Mapping[str, RegisterSet]
    """Name -> mask, in an order that gives ranges a meaning."""
    roles: Collection[str]
    words: Mapping[str, str] = field(default_factory=dict)
    """Word -> the effects that it abbreviates."""
    marks: Collection[str] = ()
    """Effects that only the instruction set's own interpreter understands."""
    endings: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Bracketed ending -> the text added to the mnemonic, and the effects."""
    omitted: Mapping[str, str] = field(default_factory=dict)
    """Role, with its `?` -> the effects of leaving the operand out, if there are any."""


@dataclass(frozen=True, slots=True)
class Row:
    """One mnemonic with one list of operands."""

    mnemonic: str
    roles: tuple[str, ...]
    facts: Facts
    """What is true whatever the operands are; the roles add the rest."""
    suffixes: frozenset[str] = frozenset()
    """What may follow the mnemonic, each after a comma."""
    marks: frozenset[str] = frozenset()


class Table:
    """The rows of an instruction set; those of a mnemonic are made when it is first asked for.

    Raises ValueError, with the line or the part of it, for what the language does not have: endings
    at once, roles and effects when the rows of the mnemonic are made.
    """

    def __init__(self, language: Language, texts: Iterable[str]) -> None:
        self._language = language
        self._lines: dict[str, list[tuple[str, str]]] = {}
        """Mnemonic -> operands and effects of its lines, and the effects of its spelling."""
        self._rows: dict[str, tuple[Row, ...]] = {}
        self._by_effects: dict[str, Row] = {}
        for names, line in itertools.chain.from_iterable(map(_lines, texts)):
            for family in names.split():
                for mnemonic, effects in _spellings(family, language.endings):
                    self._lines.setdefault(mnemonic, []).append((line, effects))

    @property
    def mnemonics(self) -> Collection[str]:
        """All mnemonics, without suffixes."""
        return self._lines.keys()

    def rows(self, mnemonic: str) -> tuple[Row, ...]:
        """Return the rows of a mnemonic, in the order of the lines; () for an unknown one."""
        found = self._rows.get(mnemonic)
        if found is None:
            lines = self._lines.get(mnemonic, ())
            made = (self._expand(mnemonic, line, effects) for line, effects in lines)
            found = self._rows[mnemonic] = tuple(itertools.chain.from_iterable(made))
        return found

    def __iter__(self) -> Iterator[Row]:
        for mnemonic in self._lines:
            yield from self.rows(mnemonic)

    def _expand(self, mnemonic: str, line: str, spelled: str) -> Iterator[Row]:
        """Yield a row for each list of operands that a line allows."""
        operands, _, effects = line.partition("|")
        try:
            for roles, left_out in _lists(operands):
                row = self._row(f"{effects} {spelled} {self._omitted(left_out)}")
                self._check(roles)
                yield Row(mnemonic, roles, row.facts, row.suffixes, row.marks)
        except (KeyError, ValueError) as error:
            what = f"no name {error}" if isinstance(error, KeyError) else error
            raise ValueError(f"`{mnemonic} |{line}`: {what}") from error

    def _check(self, roles: tuple[str, ...]) -> None:
        for role in roles:
            if role not in self._language.roles:
                raise ValueError(f"no role `{role}`")

    def _omitted(self, roles: tuple[str, ...]) -> str:
        return " ".join(self._language.omitted.get(role, "") for role in roles)

    def _row(self, effects: str) -> Row:
        """Return `_row_of` of the effects: many lines have the same ones."""
        found = self._by_effects.get(effects)
        if found is None:
            found = self._by_effects[effects] = _row_of(self._language, effects)
        return found


def crossed(stems: str, ends: str) -> str:
    """Return a table with a line for each pair of a line in `stems` and one in `ends`.

    `@` in a mnemonic of the first stands for each mnemonic of the second, which may have none at
    all; operands and effects of the second follow those of the first.
    """
    lines = []
    for (stem, line), (end, other) in itertools.product(_lines(stems), _lines(ends)):
        names = (one.replace("@", two) for one in stem.split() for two in end.split() or [""])
        (lists, effects), (more_lists, more) = line.split("|"), other.split("|")
        both = itertools.product(lists.split(";"), more_lists.split(";"))
        operands = ";".join(",".join(filter(str.strip, pair)) for pair in both)
        lines.append(f"{' '.join(names)} | {operands} | {effects} {more}")
    return "\n".join(lines)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the mnemonics of each line of a table, and the rest of it after the first `|`."""
    names = ""
    for line in text.splitlines():
        begin, bar, rest = line.partition("#")[0].partition("|")
        names = f"{names} {begin}"
        if bar:
            yield names, rest
            names = ""
    if names.strip():
        raise ValueError(f"`{' '.join(names.split())}`: no line with operands and effects follows")


def _lists(operands: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the roles of each list that a line allows, and those left out."""
    for text in operands.split(";"):
        roles = [role.strip() for role in text.split(",")] if text.strip() else []
        optional = [i for i, role in enumerate(roles) if role.endswith("?")]
        for count in range(len(optional) + 1):
            for omitted in itertools.combinations(optional, count):
                kept = (role for i, role in enumerate(roles) if i not in omitted)
                yield (
                    tuple(role.removesuffix("?") for role in kept),
                    tuple(roles[i] for i in omitted),
                )


def _spellings(family: str, endings: Mapping[str, tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Return the mnemonics that a family stands for, with the effects of their spelling."""
    if "[" not in family and "{" not in family:
        return ((family, ""),)
    found = [("", "", "")]
    for part in _PART.findall(family):
        choices = _choices(part, endings)
        found = [
            (name + text, inverse + opposite, f"{effects} {more}")
            for name, inverse, effects in found
            for text, opposite, more in choices
        ]
    return [
        (name, effects if name == inverse else f"{effects} inverse:{inverse}")
        for name, inverse, effects in found
    ]


def _choices(part: str, endings: Mapping[str, tuple[str, str]]) -> Iterable[tuple[str, str, str]]:
    """Return what a part of a family may be, each with its opposite and effects."""
    if part[0] == "[":
        if part not in endings:
            raise ValueError(f"no ending `{part}`")
        text, effects = endings[part]
        return (("", "", ""), (text, text, effects))
    if part[0] != "{":
        return ((part, part, ""),)
    opposites: dict[str, str] = {}
    for choice in part[1:-1].split(","):
        one, both, other = choice.partition("!")
        opposites.setdefault(one, other if both else one)
        if both:
            opposites.setdefault(other, one)
    return [(one, other, "") for one, other in opposites.items()]


def _row_of(language: Language, effects: str) -> Row:
    """Return a row that has no mnemonic and no operands, only these effects."""
    facts: dict[str, Any] = {"uses": 0, "defs": 0}
    access: dict[str, Any] = {}
    suffixes: list[str] = []
    marks: list[str] = []
    for effect in _plain(effects, language.words):
        word, _, value = effect.partition(":")
        if word in ("uses", "defs"):
            facts[word] |= _mask(value, language.registers)
        elif word in ACCESSES:
            access |= {"load": False, "store": False, "size": int(value), **ACCESSES[word]}
        elif word == "suffix":
            suffixes += value.split(",")
        elif word in language.marks:
            marks.append(word)
        else:
            name, what = _field(word, value)
            (access if name in OF_ACCESS else facts)[name] = what
    if access:
        if "size" not in access:
            raise ValueError("no size of an access")
        facts["access"] = Access(value=None, base=None, index=None, offset="", **access)
    return Row("", (), Facts(**facts), frozenset(suffixes), frozenset(marks))


def _plain(effects: str, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the effects, with the texts of abbreviations in their places."""
    for effect in effects.split():
        if effect in words:
            yield from _plain(words[effect], words)
        else:
            yield effect


def _field(word: str, value: str) -> tuple[str, object]:
    """Return the field that an effect sets, and to what."""
    if not value and word in WITHOUT_VALUE:
        return WITHOUT_VALUE[word]
    if not value or word not in WITH_VALUE:
        raise ValueError(f"no effect `{word}` {'with' if value else 'without'} a value")
    name, read = WITH_VALUE[word]
    return name, read(value)


def _mask(text: str, registers: Mapping[str, RegisterSet]) -> RegisterSet:
    """Return the set that `r0,r3-r12` stands for."""
    result = 0
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not dash:
            result |= registers[first]
            continue
        names = list(registers)
        for name in names[names.index(first) : names.index(last) + 1]:
            result |= registers[name]
    return result
