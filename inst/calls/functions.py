"""The C library functions that have a wrapper: the rows of their tables, as objects."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from inst.calls import attributes, databases, long_time
from inst.calls.allocations import ALLOCATIONS, Allocation
from inst.calls.blocks import BLOCKS, Blocks
from inst.calls.checked import CHECKED
from inst.calls.made import MADE
from inst.calls.quadruple import COMPLEX, MATHEMATICS
from inst.calls.quadruple import ROWS as QUADRUPLE
from inst.calls.streams import ROWS as STREAMS
from inst.calls.streams import StreamUse, use_of
from inst.calls.touched import ROWS

_RESULTS = {
    "pthread_sigmask": ("0", "result"),
    "clock_nanosleep": ("0", "result"),
    "getcwd": ("result ? STRING(result) : 0", "result ? 0 : errno"),
    "gethostname": ("0", "result && errno != ENAMETOOLONG ? errno : 0"),
    "time": ("TIME_RESULT(result)", "0"),
}
"""Functions whose result differs from their system call's: its value, and its error number."""
_NEVER_FAIL = frozenset(("<string.h>", "<strings.h>"))
"""Headers of functions that leave errno alone, except for the two that allocate: they are short."""


_SMALL = frozenset(("div_t", "ldiv_t", "lldiv_t", "imaxdiv_t", "struct in_addr"))
_LARGE = frozenset(("struct mallinfo", "struct mallinfo2"))
"""Results that are structures of up to 16 bytes, and of more than 32."""
_IN_MEMORY = frozenset(("long double", "double _Complex", "long double _Complex"))
"""Other results that 32-bit SPARC code has in memory."""
_FAILED = "result == (__typeof__(result))-1 ? errno : 0"


@dataclass(frozen=True, slots=True)
class Range:
    """Memory that a function touches: two C expressions."""

    pointer: str
    size: str
    """"": `pointer` is a macro that reports the memory itself."""

    def call(self, function: str) -> str:
        """Return the C expression by which a wrapper reports it."""
        return f"{function}({self.pointer}, {self.size})" if self.size else self.pointer

    @property
    def is_late(self) -> bool:
        """Whether it is known only after the function has run."""
        return "result" in self.pointer + self.size


@dataclass(frozen=True, slots=True)
class Function:
    """A function and what it touches."""

    name: str
    result: str
    """Its type, as C."""
    parameters: str
    arguments: tuple[str, ...]
    """Names of the parameters."""
    before: tuple[Range, ...]
    """Read; known before the function runs."""
    after: tuple[Range, ...]
    """Read; known after it has run."""
    written: tuple[Range, ...]
    header: str
    number: str = ""
    """The system call that it makes, as C; "": none, or none that is always made."""
    call: str = ""
    """Instead of ranges: the system call whose row states what is touched, with `passed`."""
    passed: tuple[str, ...] = ()
    value: str = "(long)result"
    """The kernel's result, as C in terms of the function's."""
    error: str = _FAILED
    """The number of the error, as C; 0: the call did not fail."""

    @property
    def may_fail(self) -> bool:
        """Whether it may change errno."""
        return self.header not in _NEVER_FAIL and self.name != "__errno_location"

    @property
    def structure(self) -> str:
        """Whether its result is a structure that is returned where a hidden argument points: a
        condition of the C preprocessor; "": the result is no structure."""
        if self.result in _SMALL:
            return "INST_SMALL_RESULT_IS_PASSED"
        return "INST_LARGE_RESULT_IS_PASSED" if self.result in _LARGE else ""

    @property
    def in_memory(self) -> bool:
        """Whether 32-bit SPARC code has its result in memory."""
        return bool(self.structure) or self.result in _IN_MEMORY

    @property
    def made(self) -> str:
        """The call that is made for it where it is multiplexed in another call, as C."""
        if self.name in ("bind", "listen"):
            return "BINDING"
        if self.name in ("accept", "accept4"):
            return "ACCEPTING"
        return "SOCKETS" if self.header == "<sys/socket.h>" else "0"

    @property
    def allocation(self) -> Allocation:
        """What it does with blocks that the program allocates or frees."""
        return ALLOCATIONS.get(self.name, Allocation())

    @property
    def freed(self) -> str:
        """The block of memory that it frees, as C; "": none."""
        return BLOCKS.get(self.name, Blocks()).freed

    @property
    def allocated(self) -> Range | None:
        """The block of memory that it allocates."""
        pointer = BLOCKS.get(self.name, Blocks()).allocated
        return next((one for one in self.written if pointer and one.pointer == pointer), None)

    @property
    def raw(self) -> bool:
        """Whether the contents of the block that it allocates are undefined."""
        return BLOCKS.get(self.name, Blocks()).raw

    @property
    def stream(self) -> StreamUse:
        """The stream that it uses or opens."""
        return use_of(self.name, self.parameters, tuple(one.pointer for one in self.written))

    @property
    def fixed(self) -> str:
        """The parameters of a definition: those that a `...` may stand for are there."""
        return self.parameters.replace("..., ", "")

    @property
    def declared(self) -> str:
        """The parameters of the function itself."""
        head, dots, _ = self.parameters.partition("...")
        return head + dots


_PROTOTYPE = re.compile(r"\s*(?P<result>.*?)(?P<name>\w+)\((?P<parameters>.*)\)\s*")
_BAR = re.compile(r"(?<!\|)\|(?!\|)")
"""What separates the parts of a row, and not C's `||`."""
_CALL = re.compile(r"[A-Z]\w*(?:\(\w+\))?|__NR_\w+")
_NAME = re.compile(r"(?:\(\*(\w+)\)\(.*?\)|(\w+)(?:\[\w*\])?)\s*(?:,|$)")


def argument_names(parameters: str) -> tuple[str, ...]:
    """Return the names in a list of parameters."""
    names = [one or other for one, other in _NAME.findall(parameters)]
    return tuple(name for name in names if name != "void")


def _function(line: str, header: str) -> Function:
    prototype, reads, writes, *more = _BAR.split(line)
    found, number = _PROTOTYPE.fullmatch(prototype), "".join(more).strip()
    assert found, line
    assert len(more) <= 1 and (not more or _CALL.fullmatch(number)), line
    ranges = read_ranges(reads)
    value, error = _RESULTS.get(found["name"], ("(long)result", _FAILED))
    return Function(
        name=found["name"],
        result=found["result"].strip(),
        parameters=found["parameters"],
        arguments=argument_names(found["parameters"]),
        before=tuple(one for one in ranges if not one.is_late),
        after=tuple(one for one in ranges if one.is_late),
        written=read_ranges(writes),
        header=header,
        number=number,
        value=value,
        error=error,
    )


def _call(line: str, header: str) -> Function:
    prototype, call = line.split(" = ")
    name, _, arguments = call.strip().removesuffix(")").partition("(")
    passed = tuple(part for part in arguments.split(", ") if part)
    plain = _function(f"{prototype} | |", header)
    number = plain.arguments[0] if name == "*" else f"__NR_{name}"
    if name.isupper():
        number = f"CALL_{name}"
    value = "LSEEK_RESULT(result)" if name == "LSEEK" else plain.value
    return replace(plain, call=number, passed=passed, value=value)


def read_ranges(text: str) -> tuple[Range, ...]:
    """Read the parts of READS or WRITES."""
    parts = [part.partition(":") for part in text.split(";") if part.strip()]
    return tuple(Range(pointer.strip(), size.strip()) for pointer, _, size in parts)


def _read(rows: str, made: Callable[[str, str], Function]) -> dict[str, Function]:
    functions, header = {}, ""
    for line in rows.strip().splitlines():
        if line.startswith("#include"):
            header = line.removeprefix("#include").strip()
        else:
            function = made(line, header)
            functions[function.name] = function
    return functions


def _checked(plain: Function, place: int) -> Function:
    """Return the variant of _FORTIFY_SOURCE: it is also passed the size of an object."""
    parameters, arguments = plain.parameters.split(", "), list(plain.arguments)
    place = len(arguments) if place < 0 else place
    parameters.insert(place, "size_t room")
    arguments.insert(place, "room")
    return replace(
        plain,
        name=f"__{plain.name}_chk",
        parameters=", ".join(parameters),
        arguments=tuple(arguments),
    )


FUNCTIONS: dict[str, Function] = (
    _read(ROWS, _function)
    | _read(STREAMS, _function)
    | _read(databases.ROWS, _function)
    | _read(attributes.ROWS, _function)
    | _read(QUADRUPLE, _function)
    | _read(MATHEMATICS, _function)
    | _read(COMPLEX, _function)
    | _read(MADE, _call)
)
"""The functions by name."""
LONG_TIME: dict[str, Function] = {
    name: replace(FUNCTIONS[short], name=name)
    for name, short in long_time.ALL_NAMES.items()
    if short in FUNCTIONS
} | _read(long_time.ROWS, _function)
"""Those whose C is compiled where time has 64 bits."""
FUNCTIONS |= {f"__{name}_chk": _checked(FUNCTIONS[name], place) for name, place in CHECKED.items()}
