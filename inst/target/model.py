"""A target, and the part of an instruction set that describes its targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from inst.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """What a program is built for and how it is run here."""

    name: str
    isa: str
    """The instruction set's key (`inst.arch`)."""
    abi: str
    """Which of the instruction set's calling conventions: "v8", "svr4" ... (`inst.isa.get`)."""
    runtime: str
    """Folder under runtime/ with this target's C and templates."""
    bits: int
    """Width of an address and of an integer register."""
    byte_order: str
    """"big" or "little"."""
    machine: int
    """e_machine of an ELF file (SPARC 2, SPARC32PLUS 18, SPARCV9 43, PPC 20, PPC64 21)."""
    compiler: tuple[str, ...]
    """The command of Debian's cross compiler."""
    emulator: str
    """The qemu-user program that runs its executables."""
    sysroot: str
    """Where Debian's cross packages put its shared libraries (qemu's -L)."""
    emulations: tuple[str, ...]
    """The linker's names (-m) for such programs."""
    library_flags: tuple[str, ...]
    """Options that compile hook libraries: the width, and no floating point or vectors in hooks."""
    packages: tuple[str, ...]
    """Debian packages that contain compiler and C library."""
    machines: tuple[int, ...] = ()
    """Other numbers of e_machine that mean it."""
    of_suites: bool = False
    """Regression suites are built for it unless they name others."""
    quadruple: bool = False
    """Compilers call functions for numbers of 128 bits, by the names of SPARC's ABI."""
    may_have_long_time: bool = False
    """Time has 64 bits only where a program wants that (`_TIME_BITS`)."""
    cxx_flags: tuple[str, ...] = ()
    """Options that compile hooks in C++, besides."""
    bare: bool = False
    """There is a run-time library for programs without an operating system."""
    separable: str = "-fPIC"
    """The option for position-independent code of functions that are compiled in one file and then
    separated: they share no constants. It is -fPIC unless -fpic has a GOT of its own there."""

    def has_machine(self, number: int) -> bool:
        """Return whether e_machine of an ELF file means it."""
        return number == self.machine or number in self.machines

    def is_of(self, number: int, byte_order: str) -> bool:
        """Return whether an ELF file of that e_machine and byte order is for it."""
        return self.has_machine(number) and byte_order == self.byte_order


@dataclass(frozen=True, slots=True)
class Clue:
    """What only one target's assembly has."""

    rank: int
    """0: a directive or relocation of this ABI alone; 1: the form of registers; 2: other names."""
    pattern: str
    """A regular expression, in which ^ is the start of a line."""
    target: str


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of one instruction set, and how they are recognised."""

    targets: tuple[Target, ...]
    clues: tuple[Clue, ...]
    """The most reliable first."""
    compilers: Mapping[str, str]
    """First word of a compiler's machine -> the target it means."""
    assembled: Callable[[list[str]], str]
    """Return the target of an assembler's command, from its machine options; "" if they are not
    of this instruction set."""
    gcc_options: tuple[str, ...]
    """What programs are compiled with, so that their assembly shows what has to be known."""
    gcc_record_options: Mapping[str, tuple[str, ...]]
    """Name of a target -> more of them where code records: registers that it leaves alone, and no
    vectors of its own accord, whose accesses call hooks."""
    hosts: Mapping[str, tuple[str, ...]]
    """What Linux calls a machine -> e_machine of the programs that run there by themselves."""
    absolute: Mapping[str, Mapping[int, int]]
    """e_machine -> relocations that put a symbol's value into data, and their bytes."""

    def compiled_with(self, name: str, *, records: bool) -> tuple[str, ...]:
        """Return what inst-cc gives to GCC for the target of this name."""
        return (*self.gcc_options, *(self.gcc_record_options.get(name, ()) if records else ()))
