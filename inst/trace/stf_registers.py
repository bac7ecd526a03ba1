"""The registers of a processor while an STF trace is read.

A line with all registers of a bank is kept as text and searched when a register is asked
for: a trace with everything recorded would spend its time on numbers nobody wants.
"""

from __future__ import annotations

from inst.trace.powerpc_access import operands_of
from inst.trace.stf_record import PAIR, StfRecord, registers_of

NAMES = {bank: tuple(b"%s%02d = " % (bank.encode(), n) for n in range(32)) for bank in "RF"}

LONG = 400
"""Bytes from which on a text may name all registers of a bank."""

_LI, _LIS = 14, 15


class Bank:
    """The general-purpose or the floating-point registers."""

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self.traced = True
        """What the trace does not say has not changed; False: it is not known."""
        self._full = b""
        self._changed: dict[int, int | None] = {}

    def take_all(self, text: bytes) -> None:
        """Remember a text that names every register of the bank."""
        self._full = text
        self._changed.clear()

    def set(self, number: int, value: int | None) -> None:
        self._changed[number] = value

    def get(self, number: int) -> int | None:
        """Return a register's value; None when it is not known."""
        if number in self._changed:
            return self._changed[number]
        name = NAMES[self.letter][number]
        at = self._full.find(name)
        if at < 0:
            return None
        at += len(name)
        return int(self._full[at : at + 16].split(None, 1)[0], 16)

    def names_all(self, text: bytes) -> bool:
        """Tell whether a line of the text has all registers, in order and evenly spaced."""
        names = NAMES[self.letter]
        first, second = text.find(names[0]), text.find(names[1])
        last = first + 31 * (second - first)
        return 0 <= first < second and text.startswith(names[31], last)

    def forget(self) -> None:
        """Give up: what the registers held is not known any more."""
        self._full = b""
        self._changed.clear()


class Registers:
    """Both banks, and the status line last seen."""

    def __init__(self) -> None:
        self.general = Bank("R")
        self.floating = Bank("F")
        self.status = b""

    def read(self, bank: str, number: int) -> int | None:
        return (self.general if bank == "R" else self.floating).get(number)

    def take(self, text: bytes) -> None:
        """Take over the registers that a record names."""
        if not text:
            return
        if len(text) > LONG:
            general, floating = self.general.names_all(text), self.floating.names_all(text)
            if general:
                self.general.take_all(text)
            if floating:
                self.floating.take_all(text)
            if general and (floating or b"F" not in text):
                return
        for name, value in PAIR.findall(text):
            letter, number = name[:1], name[1:]
            if letter in (b"R", b"F") and number.isdigit() and int(number) < 32:
                bank = self.general if letter == b"R" else self.floating
                bank.set(int(number), int(value, 16))

    def settle(self, record: StfRecord) -> None:
        """Forget what the instruction may have changed in a bank that is not traced."""
        if not self.general.traced and record.kind == "instr":
            self.general.forget()
        if not self.floating.traced and record.kind == "instr":
            self.floating.forget()

    def string_length(self) -> int:
        """Return the bytes a string access moves, from XER; 0 when it is not known."""
        return registers_of(self.status).get("XER", 0) & 0x7F

    def judge(self, records: list[StfRecord]) -> None:
        """Tell from the first records which banks are traced.

        Floating-point registers are, once one stands behind an instruction. General ones
        are unless an instruction must have changed one and the trace does not show it.
        """
        instructions = [record for record in records if record.kind == "instr"]
        self.floating.traced = any(b"F" in record.after for record in instructions)
        if any(b"R" in record.after for record in instructions):
            return
        known = Registers()
        for record in records:
            if record.kind == "state":
                known.take(record.after)
        self.general.traced = not any(_must_change(record, known) for record in instructions)


def _must_change(record: StfRecord, known: Registers) -> bool:
    """Tell whether the instruction gives a register another value than it is known to have."""
    word = record.word
    primary, target, source = word >> 26, word >> 21 & 31, word >> 16 & 31
    immediate = ((word & 0xFFFF) ^ 0x8000) - 0x8000
    if primary in (_LI, _LIS):
        if source == target:
            return immediate != 0
        value = immediate << 16 if primary == _LIS else immediate
        base = known.read("R", source) if source else 0
        before = known.read("R", target)
        if base is None or before is None:
            return False
        return (base + value ^ before) & 0xFFFFFFFF != 0
    operands = operands_of(word)
    return operands is not None and operands.updates and operands.displacement != 0
