"""The options of inst-cc, one table: `--inst-NAME[=VALUE]` and the variable INST_NAME.

The 1994 translator read variables without a prefix; these are read too, where the
variable with a prefix is not set.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, MutableMapping

from inst import TYPE_CHECKING
from inst.dataclass import dataclass
from inst.errors import InstError
from inst.paths import absolute_name
from inst.shipped import FLIGHT, RECORD, RING, RST, WINDOWS

if TYPE_CHECKING:
    from inst.rewrite.options import Options as TranslatorOptions

PREFIX = "--inst-"


@dataclass(frozen=True, slots=True)
class WrapOption:
    """One option; its value travels to the assembler and the linker as a variable."""

    name: str
    default: str
    meaning: str
    choices: tuple[str, ...] = ()
    """Values allowed; empty if any text is."""
    patterns: bool = False
    """Whether the value lists functions and files, and `@LIST` in it is replaced."""
    path: bool = False
    """Whether a value with a slash in it is made absolute, since tools change directory."""
    changes_object: bool = False
    """Whether the object file depends on it, so that a compiler cache must see it."""
    classic: str = ""
    """The variable of the 1994 translator."""
    when_defined: bool = False
    """Whether the classic variable takes effect as soon as it is defined, even if empty."""

    @property
    def variable(self) -> str:
        """The environment variable with the same meaning."""
        return "INST_" + self.name.replace("-", "_").upper()


_SWITCH = ("", "0", "1")

OPTIONS = (
    WrapOption(
        "always-cc",
        "0",
        "1: save condition codes at every site, live or not",
        choices=_SWITCH,
        changes_object=True,
        classic="ALWAYS_CC",
        when_defined=True,
    ),
    WrapOption(
        "always-sr",
        "0",
        "1: save every register a call may change at every site, needed or not",
        choices=_SWITCH,
        changes_object=True,
        classic="ALWAYS_SR",
        when_defined=True,
    ),
    WrapOption(
        "building-libc",
        "0",
        "1: instrument, but link no hook library",
        choices=_SWITCH,
        classic="BUILDING_LIBC",
    ),
    WrapOption("cache", "", "directory of built hook libraries (else ~/.cache/inst)", path=True),
    WrapOption(
        "counts",
        "0",
        "1: count calls and backward branches, for INST_START, INST_STOP and INST_SAMPLE",
        choices=_SWITCH,
        changes_object=True,
    ),
    WrapOption("cpus", "1", "processors that have a ring each, 1 to 16 (--inst-runtime=bare)"),
    WrapOption("disable", "0", "1: run the plain compiler instead", choices=_SWITCH),
    WrapOption(
        "except",
        "",
        "functions to leave as they are: names with * and ?, src:FILE, @LIST (a file of these)",
        patterns=True,
        changes_object=True,
    ),
    WrapOption(
        "functions",
        "0",
        "1: call enterhook and leavehook where functions are entered and left",
        choices=_SWITCH,
        changes_object=True,
    ),
    WrapOption(
        "hooks",
        "",
        "call the hooks of a library: rst, sexp, stf (PowerPC), count, empty, windows (for "
        "re-execution), ring (with --inst-runtime=bare), or C and C++ files of your own (default: "
        "code records)",
        path=True,
        classic="TFILE",
    ),
    WrapOption("keep", "", "directory to save the rewritten assembly in", path=True),
    WrapOption(
        "level",
        "values",
        "what hooks receive: addresses, or addresses and values",
        choices=("addresses", "values"),
        changes_object=True,
    ),
    WrapOption(
        "libc",
        "",
        "C library to link instead of -lc: NAME for libc_NAME.a, or a file; vanilla: -lc",
        classic="TLIB",
    ),
    WrapOption(
        "no-regs",
        "0",
        "1: do not refuse code that uses the registers which instrumentation needs",
        choices=_SWITCH,
        changes_object=True,
        classic="NO_REGS",
        when_defined=True,
    ),
    WrapOption(
        "no-sic",
        "0",
        "1: no software instruction counter, so no windowhook",
        choices=_SWITCH,
        changes_object=True,
        classic="NO_SIC",
        when_defined=True,
    ),
    WrapOption(
        "no-slots",
        "0",
        "1: leave delayed control-transfer couples and labels in delay slots as they are",
        choices=_SWITCH,
        changes_object=True,
        classic="NO_SLOTS",
        when_defined=True,
    ),
    WrapOption(
        "no-stack",
        "0",
        "1: do not report where register windows are saved, so no stack check",
        choices=_SWITCH,
        changes_object=True,
        classic="NO_STACK",
        when_defined=True,
    ),
    WrapOption(
        "objects",
        "",
        "inputs of a link to instrument, objects and archives: names or paths with * and ?, or all",
        patterns=True,
    ),
    WrapOption(
        "objects-report",
        "",
        "file for what --inst-objects took and left at a link, and why, as JSON",
        path=True,
    ),
    WrapOption(
        "only",
        "",
        "the only functions to instrument: names with * and ?, src:FILE, @LIST (a file of these)",
        patterns=True,
        changes_object=True,
    ),
    WrapOption(
        "program-pic",
        "0",
        "1: code compiled with -fPIC is linked into programs only, and records inline as well",
        choices=_SWITCH,
        changes_object=True,
    ),
    WrapOption(
        "record",
        "",
        "record inline, without calls: addresses, values with them (the default where no hooks "
        "are named), or what re-execution needs: loads, or windows, by the hooks of that library",
        choices=("", "addresses", "values", "loads", WINDOWS),
        changes_object=True,
    ),
    WrapOption(
        "registers",
        "",
        "the two registers that probes take, of g2 to g6 (sparc-v8 with --inst-runtime=bare; "
        "default: g5,g6)",
        changes_object=True,
    ),
    WrapOption(
        "ring-size",
        "64K",
        "memory of each processor's ring, such as 16K or 1M (--inst-runtime=bare)",
    ),
    WrapOption(
        "runtime",
        "",
        "what hooks run on: linux; bare: no operating system (compile and link with it)",
        choices=("", "linux", "bare"),
        changes_object=True,
    ),
    WrapOption(
        "small-data",
        "0",
        "1: leave r13 to small data (ppc32), as objects compiled with -msdata=eabi and sysv do",
        choices=_SWITCH,
        changes_object=True,
    ),
    WrapOption(
        "stack-check",
        "0",
        "1: stop a program that touches where register windows are saved (at the link; SPARC)",
        choices=_SWITCH,
    ),
    WrapOption(
        "use-gcc",
        "0",
        "1: run gcc for the same target instead of the named compiler",
        choices=_SWITCH,
        classic="TT_USEGCC",
    ),
)
BY_NAME = {option.name: option for option in OPTIONS}


def value(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return an option's value: from its variable, its classic variable, or its default."""
    option = BY_NAME[name]
    return environment.get(option.variable) or _classic_value(option, environment) or option.default


def is_on(name: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a switch is on."""
    return value(name, environment) == "1"


def _classic_value(option: WrapOption, environment: Mapping[str, str]) -> str:
    text = environment.get(option.classic) if option.classic else None
    if text is None:
        return ""
    if option.choices != _SWITCH:
        return text
    return "1" if option.when_defined or text not in ("", "0") else ""


def translator_options() -> TranslatorOptions:
    """Return the translator's options."""
    from inst.rewrite.options import Options
    from inst.rewrite.selection import Selection

    recorded, bare = value("record"), is_bare()
    return Options(
        level=recorded or value("level"),
        counter=not bare and not is_on("no-sic") and (not recorded or is_on("counts")),
        frames=not bare and not is_on("no-stack"),
        restores=not bare,
        wrapping=not bare,
        check_slots=not is_on("no-slots"),
        check_registers=not is_on("no-regs"),
        keep_conditions=is_on("always-cc"),
        keep_registers=is_on("always-sr"),
        functions=is_on("functions"),
        small_data=bare or is_on("small-data") or _chose_small_data(),
        barriers=bare,
        record=bool(recorded) and not os.environ.get(SHARED_CODE),
        global_cursor=bare,
        selection=Selection(_patterns(value("only")), _patterns(value("except"))),
    )


def _chose_small_data(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the driver's report of the compiler's options takes a register from probes."""
    words = environment.get("COLLECT_GCC_OPTIONS", "").replace("'", "").split()
    if not words:
        return False
    from inst.arch.registry import all_architectures
    from inst.isa.sites import Sites

    abis = (abi for one in all_architectures() for abi in one.part(Sites).abis.values())
    return any(abi.small_data.is_chosen(words) for abi in abis if abi.small_data)


def hook_library(environment: Mapping[str, str] = os.environ) -> str:
    """Return which hook library is linked: that of recordings if code records."""
    if given := value("hooks", environment):
        return given
    if is_bare(environment):
        return FLIGHT if value("record", environment) else RING
    recorded = value("record", environment)
    return WINDOWS if recorded == WINDOWS else RECORD if recorded else RST


def choose_recording(environment: MutableMapping[str, str] = os.environ) -> None:
    """Have code record inline where nothing asks for hooks; the tools see it as a variable.

    The hooks of `windows` are called by code of their own.
    """
    if value("hooks", environment) == WINDOWS and value("record", environment) in ("", "loads"):
        environment[BY_NAME["record"].variable] = WINDOWS
    chosen = value("record", environment) or value("hooks", environment)
    needs_hooks = any(is_on(name, environment) for name in _NEED_HOOKS)
    if not chosen and not needs_hooks and not is_bare(environment):
        environment[BY_NAME["record"].variable] = value("level", environment)


_NEED_HOOKS = ("building-libc", "stack-check")
"""Switches for which code has to call hooks at each access."""


def is_bare(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the program has no operating system."""
    return value("runtime", environment) == "bare"


def note_shared_code(
    arguments: Iterable[str], environment: MutableMapping[str, str] = os.environ
) -> None:
    """Remember for the assembler whether code is compiled for shared objects (-fPIC).

    Segments reach the thread's buffer as only code of programs can: such code calls hooks instead,
    unless an option states that it is for programs.
    """
    chosen = [word for word in arguments if word in _POSITION_INDEPENDENT]
    if chosen and chosen[-1] in ("-fpic", "-fPIC") and not is_on("program-pic", environment):
        environment[SHARED_CODE] = "1"


SHARED_CODE = "INST_SHARED_CODE"
"""The variable by which inst-cc says so."""
_POSITION_INDEPENDENT = frozenset(
    f"-f{no}{kind}" for no in ("", "no-") for kind in ("pic", "PIC", "pie", "PIE")
)


def take_options(
    arguments: list[str], environment: MutableMapping[str, str] = os.environ
) -> list[str]:
    """Move leading `--inst-` options into the environment and return the rest."""
    for position, argument in enumerate(arguments):
        if not argument.startswith(PREFIX):
            return arguments[position:]
        name, equals, text = argument[len(PREFIX) :].partition("=")
        option = BY_NAME.get(name)
        if option is None:
            raise _unknown(argument)
        environment[option.variable] = text if equals else "1"
    return []


def check_options(environment: MutableMapping[str, str] = os.environ) -> None:
    """Refuse values that no option has, and what does not go together; make paths absolute.

    inst-cc, the assembler and the linker all ask: options come to them as variables.
    """
    for option in OPTIONS:
        text = environment.get(option.variable, "")
        if text and option.choices and text not in option.choices:
            expected = " or ".join(choice for choice in option.choices if choice)
            raise InstError(
                f"{option.variable}={text} is not a choice",
                hint=f"{PREFIX}{option.name}= (or {option.variable}=) takes {expected}",
            )
        if option.patterns and text:
            environment[option.variable] = ",".join(_expanded(option, text))
        if option.path and text:
            environment[option.variable] = _from_root(option, text)
    if is_bare(environment):
        _refuse_what_needs_a_system(environment)


def _refuse_what_needs_a_system(environment: Mapping[str, str]) -> None:
    """Refuse what has no meaning with `--inst-runtime=bare`."""
    for name in ("counts", "stack-check", "functions"):
        if value(name, environment) not in ("", "0"):
            raise InstError(
                f"{PREFIX}{name} needs an operating system",
                hint=f"compile and link without it, or without {PREFIX}runtime=bare",
            )
    recorded = value("record", environment)
    if recorded in ("loads", WINDOWS):
        raise InstError(
            "re-execution needs an operating system",
            hint=f"without one code records addresses and values: {PREFIX}record=values",
        )
    if recorded and value("cpus", environment) != "1":
        raise InstError(
            "code records inline for one processor only",
            hint=f"compile and link with {PREFIX}hooks=ring instead of {PREFIX}record",
        )


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _expanded(option: WrapOption, text: str) -> Iterator[str]:
    """Yield the patterns of a list, with those of the files that it names by `@`.

    inst-cc expands them, so that the tools need not find the files, and a compiler cache sees
    the patterns.
    """
    for pattern in _patterns(text):
        if not pattern.startswith("@"):
            yield pattern
            continue
        try:
            with open(pattern[1:]) as stream:
                lines = stream.read().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise InstError(
                f"cannot read {pattern[1:]}: {why}",
                hint=f"{PREFIX}{option.name}=@FILE reads a pattern from each line of FILE",
            ) from error
        for line in lines:
            yield from _patterns(line.split("#")[0])


def _from_root(option: WrapOption, text: str) -> str:
    """Return the value of an option with absolute paths."""
    if option.name != "hooks":
        return os.path.normpath(absolute_name(text))
    if text.replace("-", "_").isidentifier():
        return text
    from inst.build.hookparts import from_root

    return from_root(text)


def describe() -> str:
    """Return the table of options as text for --inst-help."""
    lines = [
        f"  {PREFIX + option.name + '=...':25} {option.variable:19} {option.meaning}"
        f"{f' (default: {option.default})' if option.default not in ('', '0') else ''}"
        f"{f' [1994: {option.classic}]' if option.classic else ''}"
        for option in OPTIONS
    ]
    return "\n".join(lines)


def _unknown(argument: str) -> InstError:
    known = ", ".join(PREFIX + option.name for option in OPTIONS)
    return InstError(f"unknown option {argument}", hint=f"known are {known}, {PREFIX}help")
