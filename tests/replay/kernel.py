"""As much of Linux as a static program with the C library of SPARC needs to compute and write."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile

from inst.replay.machine import Machine, Reason, Stop
from inst.target.model import Target

_STACK, _STACK_SIZE, _ANONYMOUS = 0x70000000, 0x200000, 0x40000000
_EXECUTABLE = 1
_UNKNOWN_CALL = 38
"""ENOSYS."""
_GET_CONTEXT, _CONTEXT_SIZE = 0x91D0206E, 1024
"""`ta 0x6e`, by which the 64-bit setjmp asks for the mask of signals."""
_PAGE = 8192
_PROGRAM_HEADERS, _HEADER_SIZE, _HEADER_COUNT, _PAGE_SIZE, _ENTRY, _RANDOM = 3, 4, 5, 6, 9, 25
"""Names of the auxiliary vector."""


class Process:
    """A program in a machine; `output` has what it has written."""

    def __init__(self, target: Target, program: Path) -> None:
        self.machine = Machine(target)
        self.output = b""
        self._width = target.bits // 8
        self._end = 0
        self._anonymous = _ANONYMOUS
        self.machine.write(_STACK, bytes(_STACK_SIZE))
        with program.open("rb") as stream:
            self._start(ELFFile(stream))

    def _start(self, elf: ELFFile) -> None:
        machine, first = self.machine, 0
        for segment in elf.iter_segments("PT_LOAD"):
            at, size = segment["p_vaddr"], segment["p_memsz"]
            machine.write(at, segment.data().ljust(size, b"\0"))
            if segment["p_flags"] & _EXECUTABLE:
                machine.add_code(at, segment.data())
            first = first or at
            self._end = max(self._end, at + size)
        top = _STACK + _STACK_SIZE - _PAGE
        auxiliary = {
            _PROGRAM_HEADERS: first + elf["e_phoff"],
            _HEADER_SIZE: elf["e_phentsize"],
            _HEADER_COUNT: elf["e_phnum"],
            _PAGE_SIZE: _PAGE,
            _ENTRY: elf["e_entry"],
            _RANDOM: top + _PAGE // 2,
        }
        words = [0, 0, 0, *(n for pair in auxiliary.items() for n in pair), 0, 0]
        machine.write(top + 16 * self._width, b"".join(n.to_bytes(self._width) for n in words))
        machine.set_register("o6", top - (2047 if self._width == 8 else 0))
        machine.go_to(elf["e_entry"])

    def run(self) -> Stop:
        """Execute until the program exits, or stops for another reason."""
        machine = self.machine
        while True:
            stop = machine.run()
            if stop.word == _GET_CONTEXT:
                machine.write(machine.register("o0"), bytes(_CONTEXT_SIZE))
            elif stop.reason != Reason.SYSTEM_CALL or machine.register("g1") in (1, 188):
                return stop
            else:
                result = self._called(machine.register("g1"))
                machine.set_register("o0", _UNKNOWN_CALL if result is None else result)
                for code in ("icc", "xcc"):
                    machine.set_register(code, int(result is None))
            machine.go_to(machine.state.npc)

    def _called(self, number: int) -> int | None:
        """Return a system call's result; None if there is none such."""
        first, second, third = (self.machine.register(f"o{n}") for n in range(3))
        if number == 4:  # write
            self.output += self.machine.read(second, third) or b""
            return third
        if number == 17:  # brk
            if first > self._end:
                self.machine.write(self._end, bytes(first - self._end))
                self._end = first
            return self._end
        if number in (56, 71):  # mmap2, mmap: of no file
            at, self._anonymous = self._anonymous, self._anonymous + second + _PAGE
            self._anonymous &= ~(_PAGE - 1)
            self.machine.write(at, bytes(second))
            return at
        return 0 if number in (73, 74) else None  # munmap, mprotect
