"""The one table of hooks: header, glue, skeleton and documentation are made from it."""

from __future__ import annotations

from inst.dataclass import dataclass

LEVEL_SYMBOLS = {
    "values": "inst.level.values",
    "addresses": "inst.level.addresses (the hooks read values: compile with --inst-level=values)",
    "record-values": "inst.level.record.values (link with --inst-hooks=record)",
    "record-loads": "inst.level.record.loads (link with --inst-hooks=record)",
    "record-addresses": "inst.level.record.addresses (link with --inst-hooks=record)",
    "record-windows": "inst.level.record.windows (link with --inst-hooks=windows)",
}
"""Level of an object -> the undefined symbol it carries; quote it in assembly.

A library that cannot serve a level leaves its symbol undefined, so that the linker's
"undefined reference to `...'" is the message that a user reads.  Objects of the levels
that record do so without calling hooks, in what only the library `record` provides; those of the
last one call the hooks of the library `windows`, which no other library can take the place of.
"""
SMALL_DATA_SYMBOL = "inst.small.data"
"""The undefined symbol of an object that relies on small data (`inst.rewrite.small_data`)."""
SEGMENT_SECTION = ".debug_inst_record"
"""The section with the table of segments (`inst.rewrite.segment_table`)."""
SITE_SECTION = ".debug_inst_sites"
"""The section of the site table (`inst.program.sitetable`)."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a hook, as it is declared in C."""

    type: str
    name: str

    def __str__(self) -> str:
        return self.type + ("" if self.type.endswith("*") else " ") + self.name


@dataclass(frozen=True, slots=True)
class Hook:
    """A function that a hook library may define."""

    name: str
    id: int
    """As the 1994 tool numbered it; hooks it did not number count from 32."""
    parameters: tuple[Parameter, ...]
    description: str
    event: str = ""
    """The event in the names of entries: `ldw` for ldwhook; "" for hooks that no site calls."""
    size: int = 0
    """Bytes of the access, where the hook stands for one size."""


@dataclass(frozen=True, slots=True)
class HelperFunction:
    """A function that the runtime offers to hook authors."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]
    description: str


ADDRESS = Parameter("inst_address", "address")
PC = Parameter("inst_address", "pc")
SIZE = Parameter("inst_address", "size")
CALLER = Parameter("inst_address", "caller")
"""Where the program calls a function of the C library: the address of the call itself."""
FUNCTION = Parameter("inst_address", "function")
STACK = Parameter("inst_address", "stack")
REGISTERS = Parameter("const struct inst_registers *", "registers")
SOURCE = Parameter("const char *", "source")
"""The place of an annotation, as "FILE:LINE"."""
_ACCESSES = (("b", 1, "a byte"), ("h", 2, "2 bytes"), ("w", 4, "4 bytes"), ("d", 8, "8 bytes"))


def _values(size: int) -> tuple[Parameter, ...]:
    if size == 16:
        return (Parameter("uint64_t", "high"), Parameter("uint64_t", "low"))
    return (Parameter("uint64_t" if size == 8 else "uint32_t", "value"),)


def _access(letter: str, size: int, words: str, store: bool, number: int) -> Hook:
    event = ("st" if store else "ld") + letter
    order = "lowest address first, before they are stored" if store else "as the load read them"
    if size == 16:
        text = f"The program {'stores' if store else 'loads'} {words}: two halves, {order}."
    elif store:
        text = f"The program is about to store {words} at address; value is stored."
    else:
        text = f"The program loads {words} at address; value is the one that the load itself read."
    return Hook(f"{event}hook", number, (ADDRESS, PC, *_values(size)), text, event, size)


ACCESS_HOOKS: tuple[Hook, ...] = (
    *(_access(c, n, words, False, 4 + i) for i, (c, n, words) in enumerate(_ACCESSES)),
    *(_access(c, n, words, True, 8 + i) for i, (c, n, words) in enumerate(_ACCESSES)),
    _access("q", 16, "16 bytes", False, 32),
    _access("q", 16, "16 bytes", True, 33),
)
"""The hooks that ordinary sites enter, one for each event."""

HOOKS: tuple[Hook, ...] = (
    Hook(
        "inithook",
        1,
        (REGISTERS,),
        "Called once, before the first event of the process; registers are those at the program's"
        " entry point.",
    ),
    Hook(
        "exithook",
        34,
        (),
        "Called once, when the process ends: by exit, by exec, or by a signal that can be caught.",
    ),
    Hook(
        "windowhook",
        3,
        (REGISTERS,),
        "The number that setsic set has been counted down to 0, by one for each call and backward"
        " branch. Call setsic for the next window. registers are the program's, just before that"
        " call or branch (inst/registers.h).",
    ),
    Hook(
        "restorehook",
        35,
        (Parameter("inst_address *", "buf16"),),
        "A register window was restored (SPARC); buf16 holds its 16 registers: %i0 to %i7, then"
        " %l0 to %l7.",
    ),
    Hook(
        "savehook",
        53,
        (Parameter("inst_address", "stack"), Parameter("inst_address", "frame"), PC),
        "A function allocated a register window (SPARC): its stack pointer, where the window may be"
        " spilled at any time, and its caller's.",
    ),
    *ACCESS_HOOKS,
    Hook(
        "llhook",
        36,
        (ADDRESS, PC, SIZE),
        "A load that reserves its address (lwarx); its value cannot be read without"
        " disturbing the reservation.",
    ),
    Hook(
        "stblockhook",
        37,
        (ADDRESS, PC, SIZE),
        "The program is about to clear the size bytes of a cache line at address (dcbz).",
    ),
    Hook("systemhook", 38, (Parameter("uint32_t", "id"),), "The program makes system call id."),
    Hook("ldsyshook", 39, (ADDRESS, SIZE), "A system call reads size bytes at address."),
    Hook("stsyshook", 40, (ADDRESS, SIZE), "A system call writes size bytes at address."),
    Hook(
        "signalhook",
        41,
        (Parameter("int", "sic"), Parameter("int", "signal")),
        "The program's handler for signal is about to run.",
    ),
    Hook(
        "signalhook_special",
        42,
        (Parameter("int", "hook"), Parameter("int", "sic"), Parameter("int", "signal")),
        "A signal interrupted the hook with the given id, which has not ended; the program's"
        " handler is about to run. Without this hook, signalhook is called.",
    ),
    Hook(
        "barrierhook",
        43,
        (Parameter("const char *", "kind"), SOURCE),
        'The program is at a barrier, such as "dsb ish".',
    ),
    Hook(
        "hinthook",
        44,
        (Parameter("const char *", "kind"), ADDRESS, Parameter("uint64_t", "value"), SOURCE),
        "The program states a fact for the checker.",
    ),
    Hook("lockhook", 45, (ADDRESS, SOURCE), "The program has taken the lock at address."),
    Hook(
        "trylockhook",
        46,
        (ADDRESS, SOURCE),
        "The program has tried the lock at address and taken it.",
    ),
    Hook(
        "unlockhook", 47, (ADDRESS, SOURCE), "The program is about to release the lock at address."
    ),
    Hook(
        "meminithook",
        48,
        (ADDRESS, SIZE, SOURCE),
        "The program starts to use size bytes at address.",
    ),
    Hook(
        "memfreehook",
        49,
        (ADDRESS, SIZE, SOURCE),
        "The program ends its use of size bytes at address.",
    ),
    Hook(
        "memsethook",
        50,
        (ADDRESS, SIZE, Parameter("uint32_t", "value"), SOURCE),
        "Every one of the size bytes at address becomes value.",
    ),
    Hook(
        "tlbihook",
        51,
        (
            Parameter("const char *", "operation"),
            Parameter("int", "operands"),
            Parameter("uint64_t", "operand"),
            SOURCE,
        ),
        "The program invalidates translations; operands is 1 if the operation takes an operand.",
    ),
    Hook(
        "sysreghook",
        52,
        (Parameter("const char *", "name"), Parameter("uint64_t", "value"), SOURCE),
        "The program writes value to a system register.",
    ),
    Hook(
        "allochook",
        60,
        (ADDRESS, SIZE, CALLER),
        "The program has allocated size bytes at address, by malloc and the like or C++'s new, in"
        " the call at caller.",
    ),
    Hook(
        "releasehook",
        61,
        (ADDRESS, CALLER),
        "The program is about to free the block at address: free, delete, realloc.",
    ),
    Hook(
        "keephook",
        62,
        (ADDRESS, CALLER),
        "The block at address, for which releasehook has just been called in this thread, was not"
        " freed: realloc failed, or getline needed no other block.",
    ),
    Hook(
        "threadhook",
        63,
        (Parameter("uint32_t", "number"), Parameter("inst_address", "start")),
        "A thread begins, in the thread itself and before its start function, at start. Numbers"
        " count from 2; the first thread has 1, and neither this hook nor threadendhook.",
    ),
    Hook(
        "threadendhook",
        64,
        (Parameter("uint32_t", "number"),),
        "The thread ends: by return, pthread_exit or cancellation. Called in the thread itself,"
        " when the destructors of its variables have run.",
    ),
    Hook(
        "systemresulthook",
        65,
        (
            Parameter("uint32_t", "id"),
            Parameter("inst_address", "result"),
            Parameter("int", "failed"),
        ),
        "System call id, which systemhook was called for, has returned; result is its value or, if"
        " it failed, the number of the error.",
    ),
    Hook(
        "enterhook",
        54,
        (FUNCTION, Parameter("inst_address", "back"), STACK),
        "The program enters the function at address function, with the stack pointer stack; back"
        " is its return address. Only in code compiled with --inst-functions.",
    ),
    Hook(
        "leavehook",
        55,
        (FUNCTION, PC, STACK),
        "The program is about to leave a function by a return or a tail call; stack is what it"
        " was when the function was entered. Only in code compiled with --inst-functions.",
    ),
)
"""All hooks, in the order in which the header declares them."""

HELPERS: tuple[HelperFunction, ...] = (
    HelperFunction(
        "begin_shared",
        "void",
        (),
        "Blocks the hooks of other threads and all signal handlers until end_shared, for hooks that"
        " change what threads share. Must not be nested. After a fork in between, the child may"
        " call it again.",
    ),
    HelperFunction("end_shared", "void", (), "Ends the section that begin_shared began."),
    HelperFunction(
        "getbase",
        "inst_address",
        (),
        "Returns where the first byte of the program's file lies in memory (in a shared object that"
        " is instrumented by itself: of its own file). `inst symbols` needs it.",
    ),
    HelperFunction(
        "getflag",
        "int",
        (),
        "Returns the id of the interrupted hook while signalhook_special runs, otherwise 0.",
    ),
    HelperFunction(
        "getsic",
        "int",
        (),
        "Returns how many calls and backward branches of this thread are left in the current"
        " window; if negative, how many there were since the last window ended.",
    ),
    HelperFunction(
        "setsic",
        "void",
        (Parameter("int", "number"),),
        "Makes this thread's next window end after that many calls and backward branches; 0: no"
        " more windows. Threads that have not called it start with the number that inithook set.",
    ),
)

BY_NAME = {hook.name: hook for hook in HOOKS}


def prototype(hook: Hook) -> str:
    """Return the declaration of a hook without its semicolon."""
    return f"void {hook.name}({_parameter_text(hook.parameters)})"


def helper_prototype(helper: HelperFunction) -> str:
    """Return the declaration of a helper without its semicolon."""
    return f"{helper.result} {helper.name}({_parameter_text(helper.parameters)})"


def _parameter_text(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(str(parameter) for parameter in parameters) or "void"
