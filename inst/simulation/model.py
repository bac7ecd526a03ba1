"""The model for simulations: instructions with the values they read, wrote and overwrote."""

from __future__ import annotations

from typing import NamedTuple

from inst.isa.model import Facts


class Register(NamedTuple):
    """A register and its value; None where the trace does not show the value.

    Names are those of `inst.isa`: `r3 f1 cr0 lr` on PowerPC, `o0 i6 f4 icc` on SPARC.
    """

    name: str
    value: int | None


class Memory(NamedTuple):
    """A place in memory and the number it holds; None where the trace does not show it."""

    address: int
    size: int
    """Bytes; 0 where neither the instruction nor the trace determines them."""
    value: int | None


Value = Register | Memory


class Instruction(NamedTuple):
    """One instruction as it ran. (A named tuple, since a trace has millions of them.)"""

    address: int
    word: int
    mnemonic: str
    """As the trace has it, else as disassembled; `.word` for what nothing decodes."""
    input: tuple[Value, ...]
    """Registers and memory read, with the values they had."""
    output: tuple[Value, ...]
    """Registers and memory written, with their new values."""
    kill: tuple[Value, ...]
    """The same places with the values that `output` replaced."""
    facts: Facts | None
    """Its facts in the tables of `inst.isa`; None for `.word`."""
    taken: bool | None = None
    """Whether the branch, call or return was taken; None for everything else."""
    target: int | None = None
    """Where a taken transfer went, if the trace shows it."""
    cpu: int = 0
    thread: int = 0
    annulled: bool = False
    """In an annulled delay slot: it did nothing."""
    trapped: bool = False
    """It trapped instead of finishing: it wrote nothing."""
    record: int = 0
    """Ordinal of its record in the trace."""

    @property
    def reads(self) -> list[Memory]:
        """The memory it read."""
        return [value for value in self.input if isinstance(value, Memory)]

    @property
    def writes(self) -> list[Memory]:
        """The memory it wrote."""
        return [value for value in self.output if isinstance(value, Memory)]

    @property
    def conditional(self) -> bool:
        """Whether it is a branch that may fall through."""
        return self.taken is not None and self.facts is not None and self.facts.conditional


class Observed(NamedTuple):
    """What a trace records of one instruction, in any format: the input of `Machine`."""

    address: int
    word: int
    mnemonic: str = ""
    ea: int | None = None
    memory: tuple[Memory, ...] = ()
    """Values moved, in order; for read-modify-write what was read comes first."""
    after: dict[str, int] = {}  # noqa: RUF012  (never written to)
    """Registers with their values after the instruction."""
    unchanged: frozenset[str] = frozenset()
    """Registers that have the value they had if `after` does not name them."""
    taken: bool | None = None
    target: int | None = None
    cpu: int = 0
    thread: int = 0
    annulled: bool = False
    trapped: bool = False
    record: int = 0
