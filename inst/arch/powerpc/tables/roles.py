"""Operand roles: what one operand of an instruction is, and what the instruction does to it.

Register roles are a class and an effect.  Classes: none for general registers, `f` float,
`v` vector, `x` VSX, `c` condition field, `b` condition bit.  Effects: `d` defined, `s`
used, `m` both.  The other roles are in `ROLES` below, with their functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from inst.arch.powerpc.tables.operands import (
    ACCUMULATOR,
    FIELD,
    FLOAT,
    GENERAL,
    THREAD_POINTER,
    VECTOR,
    VSX,
    Misfit,
    Names,
    number_of,
    parsed,
    register_of,
)
from inst.arch.powerpc.tables.registers import (
    BIT,
    FIELD_NAMES,
    FLOAT_NAMES,
    GENERAL_NAMES,
    SPECIAL_PURPOSE,
    VSX_NAMES,
    mask_of,
)
from inst.asm.model import Memory
from inst.asm.tokens import CHARACTER, character_value
from inst.errors import InstError
from inst.isa.model import RegisterSet

ALWAYS = 20
"""The branch option that tests nothing."""
IGNORES_BIT = 16
IGNORES_COUNTER = 4

RELAXED = re.compile(r"@got@tprel|@plt@l|@plt16|@got@pcrel|@plt@pcrel|@got@l", re.IGNORECASE)
"""Loads that the linker may replace: of the thread's offset, of an address, of a function."""


class Draft:
    """What the operands of one instruction have contributed so far."""

    __slots__ = (
        "base",
        "defs",
        "index",
        "linker_rewrites",
        "offset",
        "option",
        "size",
        "special",
        "target",
        "update",
        "uses",
        "value",
    )

    def __init__(self, uses: RegisterSet, defs: RegisterSet, size: int) -> None:
        self.uses = uses
        self.defs = defs
        self.size = size
        self.value: str | None = None
        self.base: str | None = None
        self.index: str | None = None
        self.offset = ""
        self.update = False
        self.linker_rewrites = False
        self.option = ALWAYS
        self.special = -1
        self.target = ""


Role = Callable[[Draft, str], None]


def _register_role(names: Names, *, used: bool, defined: bool) -> Role:
    """Return the role of a register operand; the first one is the value of an access."""
    everything = BIT if used else {}
    effects = BIT if defined else {}

    def role(draft: Draft, text: str) -> None:
        name = names.get(text) or register_of(names, text)
        draft.uses |= everything.get(name, 0)
        draft.defs |= effects.get(name, 0)
        if draft.value is None:
            draft.value = name

    return role


def _bit_field(text: str) -> str:
    number = number_of(text)
    if not 0 <= number < 32:
        raise Misfit(f"`{text}` is not a bit of the condition register")
    return FIELD_NAMES[number // 4]


def _bit_used(draft: Draft, text: str) -> None:
    draft.uses |= BIT[_bit_field(text)]


def _bit_modified(draft: Draft, text: str) -> None:
    """The field retains its three other bits: it is used, too."""
    field = BIT[_bit_field(text)]
    draft.uses |= field
    draft.defs |= field


def _used_unless_zero(draft: Draft, text: str) -> None:
    """RA = 0 means the number 0."""
    name = register_of(GENERAL, text)
    if name != "r0":
        draft.uses |= BIT[name]


def _anything(draft: Draft, text: str) -> None:
    """An immediate, which only the assembler needs to understand."""


def _perhaps_register(draft: Draft, text: str) -> None:
    """An operand that is a register in one of two incompatible spellings of `dcbt`."""
    name = GENERAL.get(text)
    if name is not None:
        draft.uses |= BIT[name]


def _base(draft: Draft, text: str) -> None:
    name = register_of(GENERAL, text)
    if name != "r0":
        draft.uses |= BIT[name]
        draft.base = name


def _index(draft: Draft, text: str) -> None:
    name = register_of(GENERAL, text)
    draft.uses |= BIT[name]
    draft.index = name
    draft.linker_rewrites = text not in GENERAL and THREAD_POINTER.search(text) is not None


def _updated_base(draft: Draft, text: str) -> None:
    _base(draft, text)
    if draft.base is None:
        raise Misfit("an update form needs a base register other than r0")
    draft.defs |= BIT[draft.base]
    draft.update = True


def _memory(draft: Draft, text: str) -> None:
    _base(draft, _split_memory(draft, text))


def _updated_memory(draft: Draft, text: str) -> None:
    _updated_base(draft, _split_memory(draft, text))


def _split_memory(draft: Draft, text: str) -> str:
    """Put the displacement into the draft and return the base's text."""
    node = parsed(text)
    if not isinstance(node, Memory) or node.base is None:
        raise Misfit(f"`{text}` is not displacement(register)")
    draft.offset = _displacement(text[: text.rindex("(")]).strip() or "0"
    draft.linker_rewrites = RELAXED.search(draft.offset) is not None
    return node.base.name


def _displacement(text: str) -> str:
    """Return a displacement that can stand between other text: without quotes around a `;`."""
    if "'" not in text:
        return text
    return re.sub(CHARACTER, lambda match: str(character_value(match[0])), text)


def _prefixed_memory(draft: Draft, text: str) -> None:
    """`8(9)`, `x@pcrel` or `x@pcrel(0)`: the whole text goes to the address computation."""
    node = parsed(text)
    if isinstance(node, Memory) and node.base is not None:
        _memory(draft, text)
    else:
        draft.offset = text
    draft.linker_rewrites = RELAXED.search(text) is not None


def _list_role(effects: str) -> Role:
    """Return the role of lmw's and stmw's register: it and all above it."""

    def role(draft: Draft, text: str) -> None:
        draft.value = register_of(GENERAL, text)
        first = GENERAL_NAMES.index(draft.value)
        draft.size = 4 * (32 - first)
        _touch(draft, effects, GENERAL_NAMES[first:])

    return role


def _first_of_string(draft: Draft, text: str) -> None:
    draft.value = register_of(GENERAL, text)


def _string_count(effects: str) -> Role:
    """Return the role of lswi's and stswi's byte count, which 0 makes 32."""

    def role(draft: Draft, text: str) -> None:
        draft.size = number_of(text) or 32
        assert draft.value is not None, "the register comes before the count"
        first = GENERAL_NAMES.index(draft.value)
        wrapped = (first + word for word in range((draft.size + 3) // 4))
        _touch(draft, effects, tuple(GENERAL_NAMES[number % 32] for number in wrapped))

    return role


def _any_registers(effects: str) -> Role:
    """Return the role of lswx's and stswx's register: xer says how many follow."""

    def role(draft: Draft, text: str) -> None:
        draft.value = register_of(GENERAL, text)
        _touch(draft, effects, GENERAL_NAMES)

    return role


def _pair_role(effects: str) -> Role:
    """Return the role of the even register of a pair."""

    def role(draft: Draft, text: str) -> None:
        draft.value = register_of(GENERAL, text)
        first = GENERAL_NAMES.index(draft.value)
        _touch(draft, effects, GENERAL_NAMES[first : first + 2])

    return role


def _vsx_pair_role(effects: str) -> Role:
    """Return the role of the even VSX register of a pair."""

    def role(draft: Draft, text: str) -> None:
        draft.value = register_of(VSX, text)
        first = VSX_NAMES.index(draft.value)
        _touch(draft, effects, VSX_NAMES[first : first + 2])

    return role


def _float_pair_role(effects: str) -> Role:
    """Return the role of a floating-point register that stands for it and the next one."""

    def role(draft: Draft, text: str) -> None:
        draft.value = register_of(FLOAT, text)
        first = FLOAT_NAMES.index(draft.value)
        _touch(draft, effects, (draft.value, FLOAT_NAMES[(first + 1) % 32]))

    return role


def _operands_of_atomic(draft: Draft, text: str) -> None:
    """The register gets the old value; the operation may read the two after it."""
    draft.value = register_of(GENERAL, text)
    first = GENERAL_NAMES.index(draft.value)
    _touch(draft, "d", (draft.value,))
    _touch(draft, "s", tuple(GENERAL_NAMES[(first + n) % 32] for n in (1, 2)))


def _accumulator_role(effects: str) -> Role:
    """Return the role of an accumulator, which is four VSX registers as well."""

    def role(draft: Draft, text: str) -> None:
        number = int(register_of(ACCUMULATOR, text))
        _touch(draft, effects, (f"a{number}", *VSX_NAMES[4 * number : 4 * number + 4]))

    return role


def _perhaps_changed(draft: Draft, text: str) -> None:
    """An operand that is a number, or a register which the instruction may change."""
    name = GENERAL.get(text)
    if name is not None:
        draft.uses |= BIT[name]
        draft.defs |= BIT[name]


def _touch(draft: Draft, effects: str, names: tuple[str, ...]) -> None:
    for name in names:
        if "s" in effects:
            draft.uses |= BIT[name]
        if "d" in effects:
            draft.defs |= BIT[name]


def _fields(text: str) -> RegisterSet:
    """Return the condition fields of a mask whose highest of eight bits is cr0."""
    mask = number_of(text)
    result = 0
    for position, name in enumerate(FIELD_NAMES):
        if mask & 0x80 >> position:
            result |= BIT[name]
    return result


def _fields_defined(draft: Draft, text: str) -> None:
    draft.defs |= _fields(text)


def _fields_used(draft: Draft, text: str) -> None:
    draft.uses |= _fields(text)


def _special_purpose(text: str) -> RegisterSet:
    return mask_of(SPECIAL_PURPOSE.get(number_of(text), ()))


def _special_purpose_used(draft: Draft, text: str) -> None:
    draft.uses |= _special_purpose(text)


def _special_purpose_defined(draft: Draft, text: str) -> None:
    draft.special = number_of(text)
    draft.defs |= _special_purpose(text)


def _option(draft: Draft, text: str) -> None:
    """The BO field: whether ctr is decremented, and the bit that follows tested."""
    draft.option = number_of(text)
    if not draft.option & IGNORES_COUNTER:
        draft.uses |= BIT["ctr"]
        draft.defs |= BIT["ctr"]


def _optional_bit(draft: Draft, text: str) -> None:
    field = _bit_field(text)
    if not draft.option & IGNORES_BIT:
        draft.uses |= BIT[field]


def _target(draft: Draft, text: str) -> None:
    draft.target = text


REGISTER_CLASSES = {"": GENERAL, "f": FLOAT, "v": VECTOR, "x": VSX, "c": FIELD}
EFFECTS = {"d": (False, True), "s": (True, False), "m": (True, True)}

ROLES: dict[str, Role] = {
    register_class + effect: _register_role(names, used=used, defined=defined)
    for register_class, names in REGISTER_CLASSES.items()
    for effect, (used, defined) in EFFECTS.items()
} | {
    "bs": _bit_used,
    "bm": _bit_modified,
    "z": _used_unless_zero,
    "i": _anything,
    "rel": _anything,
    "e": _perhaps_register,
    "em": _perhaps_changed,
    "mem": _memory,
    "pmem": _prefixed_memory,
    "memu": _updated_memory,
    "a": _base,
    "au": _updated_base,
    "x": _index,
    "dlist": _list_role("d"),
    "slist": _list_role("s"),
    "string": _first_of_string,
    "dcount": _string_count("d"),
    "scount": _string_count("s"),
    "dany": _any_registers("sd"),  # not all of them: what is not loaded lives on
    "sany": _any_registers("s"),
    "dpair": _pair_role("d"),
    "spair": _pair_role("s"),
    "xdpair": _vsx_pair_role("d"),
    "xspair": _vsx_pair_role("s"),
    "fdpair": _float_pair_role("d"),
    "fspair": _float_pair_role("s"),
    "fdtwo": _float_pair_role("d"),
    "fstwo": _float_pair_role("s"),
    "dthree": _operands_of_atomic,
    "accd": _accumulator_role("d"),
    "accm": _accumulator_role("sd"),
    "fxmd": _fields_defined,
    "fxms": _fields_used,
    "sprd": _special_purpose_defined,
    "sprs": _special_purpose_used,
    "option": _option,
    "bit": _optional_bit,
    "target": _target,
}

OPERAND_ERRORS = (Misfit, InstError)
"""What a role raises for an operand that does not fit."""
