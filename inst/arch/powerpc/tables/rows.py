"""The language the instruction tables are written in, and what its lines become.

A line is `mnemonics | operands | effects`.

- Mnemonics: `add[o][.]` stands for add, addo, add. and addo.; `v{max,min}sw` for both
  names.  `OPTIONAL` says what a bracketed suffix adds to the effects.
- Operands: roles, separated by commas; `roles.py` lists them.  A role that ends in `?`
  may be left out.
- Effects: registers an instruction touches without naming them (`uses:xer defs:cr0-cr7`), and
  what it does with memory (`load:4`, `store:8`, `form:block`, `align:16`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from inst.arch.powerpc.tables.registers import NAMES, mask_of
from inst.dataclass import dataclass, replace
from inst.isa.model import Access, Barrier, Facts, Form, RegisterSet, Transfer

OPTIONAL = {
    "[.]": (".", "defs:cr0"),
    "[.1]": (".", "uses:fpscr defs:cr1"),  # floating point records in cr1
    "[.6]": (".", "defs:cr6"),  # vector compares record in cr6
    "[o]": ("o", "uses:xer defs:xer"),  # keeps the carry, or the overflow
    "[u]": ("u", ""),
}

OMITTED = {"cd?": "defs:cr0", "cs?": "uses:cr0"}
"""What leaving an optional operand out means."""

FORMS = {
    "multiple": Form.MULTIPLE,
    "string": Form.STRING,
    "reserve": Form.RESERVE,
    "conditional": Form.CONDITIONAL,
    "block": Form.BLOCK,
    "special": Form.SPECIAL,
    "opaque": Form.OPAQUE,
}

BARRIERS = {
    "full": Barrier.RELEASE | Barrier.ACQUIRE,
    "control": Barrier.CONTROL,
    "stores": Barrier.RELEASE,
}
"""Power ISA, Book II: memory barriers, and isync after a conditional branch."""


@dataclass(frozen=True, slots=True)
class Row:
    """One mnemonic with one number of operands."""

    mnemonic: str
    roles: tuple[str, ...]
    facts: Facts
    """What is true whatever the operands are; the roles add the rest."""


Maker = Callable[[], Iterator[Row]]
"""Makes the rows of one mnemonic: most files need few of the 2,000."""


def read_table(text: str) -> Iterator[Row]:
    """Yield the rows that the lines of a table stand for."""
    for _, make in makers(text):
        yield from make()


def makers(text: str) -> Iterator[tuple[str, Maker]]:
    """Yield each mnemonic of a table with what makes its rows."""
    for line in text.splitlines():
        if line.strip():
            names, roles, effects = line.split("|")
            for family in names.split():
                for mnemonic, extra in _spellings(family):
                    yield mnemonic, partial(_expand, mnemonic, roles, f"{effects} {extra}")


def expand_roles(mnemonic: str, roles: tuple[str, ...], facts: Facts) -> Iterator[Row]:
    """Yield the rows of a pattern: one for each choice of optional operands."""
    optional = [i for i, role in enumerate(roles) if role.endswith("?")]
    if not optional:
        yield Row(mnemonic, roles, facts)
        return
    for count in range(len(optional) + 1):
        for omitted in itertools.combinations(optional, count):
            left_out = " ".join(OMITTED.get(roles[i], "") for i in omitted)
            kept = tuple(r.removesuffix("?") for i, r in enumerate(roles) if i not in omitted)
            yield Row(mnemonic, kept, add_effects(facts, left_out))


def add_effects(facts: Facts, effects: str) -> Facts:
    """Return the facts with the effects of a table line added."""
    for effect in effects.split():
        key, _, value = effect.partition(":")
        facts = EFFECTS[key](facts, value)
    return facts


def _expand(mnemonic: str, roles: str, effects: str) -> Iterator[Row]:
    patterns = tuple(role.strip() for role in roles.split(",") if role.strip())
    return expand_roles(mnemonic, patterns, _facts(effects))


@cache
def _facts(effects: str) -> Facts:
    return add_effects(Facts(uses=0, defs=0), effects)


def _spellings(family: str) -> Iterator[tuple[str, str]]:
    """Yield (mnemonic, effects of its suffixes) for `div{w,d}[o][.]` and the like."""
    if "[" not in family and "{" not in family:
        yield family, ""
        return
    parts = re.findall(r"\{[^}]*\}|\[[^]]*\]|[^{[]+", family)
    for choice in itertools.product(*(_choices(part) for part in parts)):
        yield "".join(text for text, _ in choice), " ".join(effect for _, effect in choice)


def _choices(part: str) -> list[tuple[str, str]]:
    if part[0] == "{":
        return [(text, "") for text in part[1:-1].split(",")]
    if part[0] == "[":
        return [("", ""), OPTIONAL[part]]
    return [(part, "")]


@cache
def _mask(text: str) -> RegisterSet:
    """Return the set that `r0,r3-r12` stands for."""
    result = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        result |= mask_of(NAMES[NAMES.index(first) : NAMES.index(last or first) + 1])
    return result


def _adds_uses(facts: Facts, names: str) -> Facts:
    return replace(facts, uses=facts.uses | _mask(names))


def _adds_defs(facts: Facts, names: str) -> Facts:
    return replace(facts, defs=facts.defs | _mask(names))


def _adds_access(facts: Facts, size: str, *, store: bool) -> Facts:
    access = Access(
        load=not store,
        store=store,
        size=int(size),
        value=None,
        base=None,
        index=None,
        offset="",
    )
    return replace(facts, access=access)


def _adds_load(facts: Facts, size: str) -> Facts:
    return _adds_access(facts, size, store=False)


def _adds_store(facts: Facts, size: str) -> Facts:
    return _adds_access(facts, size, store=True)


def _changes_access(facts: Facts, **changes: object) -> Facts:
    assert facts.access is not None, "load: or store: comes first"
    return replace(facts, access=replace(facts.access, **changes))  # type: ignore[arg-type]


def _sets_form(facts: Facts, name: str) -> Facts:
    return _changes_access(facts, form=FORMS[name])


def _sets_align(facts: Facts, size: str) -> Facts:
    return _changes_access(facts, align=int(size))


def _reverses_bytes(facts: Facts, _: str) -> Facts:
    return _changes_access(facts, byte_reversed=True)


def _is_prefixed(facts: Facts, _: str) -> Facts:
    """Eight bytes that only the run-time library decodes, if it accesses memory."""
    facts = replace(facts, length=8)
    return _sets_form(facts, "special") if facts.access else facts


def _sets_barrier(facts: Facts, name: str) -> Facts:
    return replace(facts, barrier=BARRIERS[name])


def _traps(facts: Facts, _: str) -> Facts:
    return replace(facts, transfer=Transfer.TRAP, conditional=True)


def _returns(facts: Facts, _: str) -> Facts:
    """Of an interrupt or a system call: everything from before is live again."""
    return replace(facts, uses=(1 << len(NAMES)) - 1, transfer=Transfer.RETURN)


def _is_wide(facts: Facts, _: str) -> Facts:
    """An SPE instruction: it works on the upper halves; those of other registers stay."""
    return replace(_adds_uses(facts, "upper"), defs=facts.defs | mask_of(("upper",)))


def _has_status(facts: Facts, _: str) -> Facts:
    return _adds_defs(_adds_uses(facts, "spefscr"), "spefscr")


def _sets_accumulator(facts: Facts, _: str) -> Facts:
    return _adds_defs(facts, "acc")


def _accumulates(facts: Facts, _: str) -> Facts:
    return _adds_defs(_adds_uses(facts, "acc"), "acc")


def _adds_atomic(facts: Facts, size: str) -> Facts:
    return _changes_access(_adds_load(facts, size), store=True)


def _calls_system(facts: Facts, _: str) -> Facts:
    return replace(facts, transfer=Transfer.TRAP, conditional=True, system_call=True)


EFFECTS = {
    "uses": _adds_uses,
    "defs": _adds_defs,
    "load": _adds_load,
    "store": _adds_store,
    "form": _sets_form,
    "align": _sets_align,
    "reversed": _reverses_bytes,
    "trap": _traps,
    "system": _calls_system,
    "prefixed": _is_prefixed,
    "return": _returns,
    "wide": _is_wide,
    "status": _has_status,
    "sets": _sets_accumulator,
    "accumulates": _accumulates,
    "atomic": _adds_atomic,
    "barrier": _sets_barrier,
}
