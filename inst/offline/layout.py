"""How events go to the driver: the one layout that its C and its feed are made from.

The pipe has frames: the thread, how many records follow, and these. A record that defines a text
is followed by the text, filled up to whole records. All numbers have the target's byte order.
"""

from __future__ import annotations

import numpy as np

from inst.hooktable import BY_NAME, HOOKS, Hook
from inst.target.model import Target
from inst.trace.model import Array

FIELDS = (("address", "u8"), ("pc", "u8"), ("value", "u8"), ("more", "u8"), ("site", "u4"),
          ("word", "u2"), ("hook", "u2"))  # fmt: skip
"""The members of a record: numbers of so many bytes."""
HEADER = (("thread", "u4"), ("count", "u4"))
"""The members of a frame's beginning."""
TEXT = 0
"""In place of a hook: the record defines a text. `word` or `site` is its number, the other is 0;
`value` is how many bytes it has, with the zero at its end."""

_MEMBERS = {
    "address": "address",
    "pc": "pc",
    "value": "value",
    "high": "value",
    "low": "more",
    "size": "more",
    "id": "value",
    "sic": "0",
    "signal": "value",
    "hook": "more",
    "kind": "words",
    "operation": "words",
    "name": "words",
    "operands": "more",
    "operand": "value",
    "source": "sites",
    "function": "more",
    "back": "value",
    "stack": "address",
}
"""Parameter of a hook -> the member of a record that has it; `words` and `sites` mean the text."""

BY_RUNTIME = ("inithook", "exithook")
"""Hooks that the run-time library calls, where the driver begins and ends."""
NOT_IN_TRACES = {
    "windowhook": "code that records has no software counter",
    "savehook": "the small frames are not in traces",
    "restorehook": "the registers of windows are not in traces",
    "allochook": "blocks are not in traces",
    "releasehook": "blocks are not in traces",
    "keephook": "blocks are not in traces",
    "threadhook": "start functions are not in traces",
    "threadendhook": "start functions are not in traces",
    "systemresulthook": "results of system calls are not in traces",
}
"""Hooks that nothing calls here, and why."""
CALLED: tuple[Hook, ...] = tuple(
    hook for hook in HOOKS if hook.name not in NOT_IN_TRACES and hook.name not in BY_RUNTIME
)
"""Hooks that the driver calls."""
NUMBERS = {name: hook.id for name, hook in BY_NAME.items()}
SIGNALS = ("signalhook", "signalhook_special")


def record_type(target: Target) -> np.dtype[np.void]:
    """Return the layout of a record in the target's byte order."""
    return _ordered(FIELDS, target)


def header_type(target: Target) -> np.dtype[np.void]:
    """Return the layout of a frame's beginning in the target's byte order."""
    return _ordered(HEADER, target)


def _ordered(fields: tuple[tuple[str, str], ...], target: Target) -> np.dtype[np.void]:
    order = "<" if target.byte_order == "little" else ">"
    return np.dtype([(name, order + kind) for name, kind in fields])


def frame(thread: int, records: Array, target: Target) -> bytes:
    """Return a frame of records."""
    header = np.zeros(1, header_type(target))
    header["thread"], header["count"] = thread, len(records)
    return header.tobytes() + records.tobytes()


def declaration(fields: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Return the members of a C structure: type and name."""
    return [(f"uint{8 * int(kind[1:])}_t", name) for name, kind in fields]


def call(hook: Hook) -> str:
    """Return the call of a hook in C, with what a record has."""
    return f"{hook.name}({', '.join(_argument(one.name) for one in hook.parameters)})"


def _argument(parameter: str) -> str:
    member = _MEMBERS[parameter]
    if member in ("words", "sites"):
        return f"text_of(&{member}, record->{member[:-1]})"
    return member if member == "0" else f"record->{member}"
