"""`inst replay`: a recording executed again, as a trace of every instruction."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast

from inst.commands.replay_windows import FORMAT, WINDOW
from inst.common.notes import print_notes
from inst.common.progress import Progress
from inst.common.wholefile import refuse_input
from inst.errors import InstError
from inst.shown import shown

if TYPE_CHECKING:
    from inst.convert import Target
    from inst.filter.output import Output
    from inst.formats.rec.trace import RecTrace
    from inst.formats.stf.full import Bound, FullWriter, Selection
    from inst.replay.executed import Observer
    from inst.replay.library import Unit
    from inst.trace.model import Trace

_SELECTS = (
    "start", "stop", "window", "record", "scheduler", "general", "floating", "status", "whole",
    "memory", "thread",
)  # fmt: skip
_WINDOWS = re.compile(r"(\d+)(?:\.\.(\d+))?")
_STANDARD = -1
"""Of --gdb: standard input and output."""
_BOUND = re.compile(r"(\d+)|0[xX]([0-9a-fA-F]{1,16})")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst replay`."""
    from inst.convert import TARGETS

    add = parser.add_argument
    add(
        "recording",
        metavar="RECORDING",
        help="of a program compiled with --inst-record=loads or windows; with --hooks any, and RST "
        "traces",
    )
    add(
        "-o",
        "--output",
        metavar="B",
        default="-",
        help="the file to write; its ending names the format; - for stdout, as without it",
    )
    add(
        "--to",
        choices=[each.name for each in TARGETS],
        help="the format, whatever B's ending; stdout is stf without it",
    )
    add(
        "--partial",
        action="store_true",
        help="keep what was executed before damage, or before what cannot be executed",
    )
    hooks = parser.add_argument_group("hooks")
    hooks.add_argument(
        "--hooks",
        metavar="LIBRARY",
        help="call these hooks for the events, as if they were in the program: a name that ships "
        "(count), or files and options as for inst-cc --inst-hooks",
    )
    debugger = parser.add_argument_group("debugger")
    add = debugger.add_argument
    add("program", metavar="PROGRAM", nargs="?", help="the program that was recorded")
    add(
        "--gdb",
        type=_port,
        metavar="PORT",
        help="wait for gdb on a port, to debug forwards and backwards; 0: on a free one; - for "
        "gdb's `target remote | inst replay --gdb - ...`",
    )
    add = parser.add_argument_group("states").add_argument
    add(
        "--states",
        action="store_true",
        help="write RECORDING.states, from which any window is executed without what precedes it",
    )
    every = parser.add_argument_group("every instruction (stf)")
    add = every.add_argument
    bound = "N instructions, or before the first at 0xADDRESS"
    add("-s", "--start", metavar="N|0xA", help=f"begin after {bound}")
    add("-t", "--stop", metavar="N|0xA", help=f"end after {bound}; counted from the first of all")
    add(
        "--window",
        metavar="A..B",
        help="only these windows, counted from 0; see --window-size",
    )
    add(
        "--record",
        type=int,
        metavar="N",
        help="only what is between the two states around the record of this number, as inst view "
        "--record has it; needs states",
    )
    add(
        "--window-size",
        type=int,
        metavar="N",
        help=f"instructions of a window (default: {WINDOW}; with --window those between states, "
        "if there are any)",
    )
    add(
        "-j",
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="write N windows at once, each by a process of its own; the trace is the same",
    )
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="write windows by the workers of a Dask cluster, whose scheduler is there",
    )
    add("-r", "--general", action="store_true", help="general registers")
    add("-f", "--floating", action="store_true", help="floating-point registers")
    add(
        "-x",
        "--status",
        action="store_true",
        help="status registers before each instruction; without any of -r, -f, -x all are written",
    )
    add(
        "--whole",
        action="store_true",
        help="all these registers after each instruction, not only those that changed",
    )
    add("-m", "--memory", action="store_true", help="addresses and values of accesses, too")
    add("--thread", type=int, metavar="N", help="only this thread's instructions")


def _port(text: str) -> int:
    if text == "-":
        return _STANDARD
    if not text.isdigit() or int(text) >= 1 << 16:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: expected a number up to 65535")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Execute again; return 2 if the recording is damaged or cannot be executed."""
    from inst.commands.replay_windows import opened
    from inst.convert import BY_NAME, format_of

    if arguments.hooks is not None:
        return _hooked(arguments)
    if arguments.gdb is not None:
        return _debugged(arguments)
    if arguments.states:
        return _with_states(arguments)
    if arguments.program:
        raise InstError(
            "a program is read for a debugger or for hooks only",
            hint="inst replay --gdb PORT RECORDING PROGRAM",
        )
    name = arguments.to or (FORMAT if arguments.output == "-" else None)
    target = BY_NAME[name] if name else format_of(arguments.output)
    selection = _selection(arguments, target)
    refuse_input(arguments.output, (arguments.recording,))
    return _used(
        lambda: opened(arguments.recording, is_shown=arguments.output == "-"),
        lambda trace: _replayed(trace, target, selection, arguments),
    )


def _used(opened: Callable[[], Trace], use: Callable[[Trace], int]) -> int:
    """Use a trace, close it and print its notes; return the status, 2 after an error."""
    trace: Trace | None = None
    try:
        trace = opened()
        status = use(trace)
    except InstError as error:
        print(error.render(), file=sys.stderr)
        status = 2
    finally:
        if trace:
            trace.close()
    print_notes(trace.notes if trace else ())
    return status


def _debugged(arguments: argparse.Namespace) -> int:
    """Answer a debugger until it goes."""
    from inst.debugging.recorded import Recording
    from inst.debugging.session import Session, serve

    try:
        recording = Recording(arguments.recording, arguments.program)
        if arguments.gdb == _STANDARD:
            Session(0, 1, recording).serve()
        else:
            serve(arguments.gdb, recording, lambda port: _invite(port, arguments.program))
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2
    return 0


def _with_states(arguments: argparse.Namespace) -> int:
    """Write the states of a recording."""
    from inst.commands.replay_windows import write_states
    from inst.formats.rec.taking import SMALLEST

    _refuse_writing(arguments, "states", ("to", "jobs", *_SELECTS))
    if arguments.window_size is None:
        arguments.window_size = WINDOW
    if arguments.window_size < SMALLEST:
        raise InstError(f"--window-size is {SMALLEST} or more with --states")
    try:
        return write_states(arguments)
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2


def _hooked(arguments: argparse.Namespace) -> int:
    """Call the hooks of a library for all events."""
    from inst.formats.rst.trace import RstTrace
    from inst.offline.run import run_over
    from inst.trace import open_trace

    _refuse_writing(arguments, "hooks", (*_SELECTS, "states", "to", "output", "jobs", "gdb"))

    def called(trace: Trace) -> int:
        if not isinstance(trace, RstTrace):
            raise InstError(
                f"{trace.name} is neither a recording nor a trace in RST",
                hint="inst convert writes RST",
            )
        run_over(trace, arguments.hooks, arguments.program, partial=arguments.partial)
        return 0

    return _used(lambda: open_trace(arguments.recording, progress=Progress.READS), called)


def _refuse_writing(arguments: argparse.Namespace, option: str, refused: tuple[str, ...]) -> None:
    """Refuse the options that say what is written, with one that says that itself."""
    unset = {"output": "-", "jobs": 1}
    for name in refused:
        given = getattr(arguments, name)
        if given is not None and given is not False and given != unset.get(name):
            what = "hooks write" if option == "hooks" else "windows need"
            raise InstError(f"--{name} is not for --{option}: what is written is what {what}")


def _invite(port: int, program: str | None) -> None:
    command = f"gdb-multiarch -ex 'target remote :{port}' {program or 'PROGRAM'}"
    print(f"inst: waiting for gdb: {command}", file=sys.stderr)


def _selection(arguments: argparse.Namespace, target: Target) -> Selection:
    """Return what of the execution is written."""
    from inst.formats.stf.full import Selection

    given = [name for name in _SELECTS if getattr(arguments, name) not in (None, False)]
    if given and target.name != FORMAT:
        raise InstError(
            f"--{given[0]} is for {FORMAT}: {target.name} has no lines for every instruction",
            hint=f"--to {FORMAT}, or `inst filter` for parts of other traces",
        )
    banks = (arguments.general, arguments.floating, arguments.status)
    general, floating, status = banks if any(banks) else (True, True, True)
    start, stop = _range(arguments)
    return Selection(
        start,
        stop,
        general,
        floating,
        status,
        arguments.whole,
        arguments.memory,
        arguments.thread,
    )


def _range(arguments: argparse.Namespace) -> tuple[Bound, Bound]:
    """Return where the trace begins and ends."""
    from inst.formats.stf.full import BEGINNING, END

    start, stop = (_bound(name, getattr(arguments, name)) for name in ("start", "stop"))
    if arguments.jobs < 1 or (arguments.window_size is not None and arguments.window_size < 1):
        raise InstError("--jobs and --window-size are 1 or more")
    divides = "--scheduler" if arguments.scheduler is not None else "--jobs"
    is_divided = arguments.jobs > 1 or arguments.scheduler is not None
    if arguments.jobs > 1 and arguments.scheduler is not None:
        raise InstError("--scheduler leaves to the cluster how many windows are written at once")
    if is_divided and arguments.thread is not None:
        raise InstError(f"{divides} writes all threads; --thread needs one job")
    if arguments.window is not None:
        found = _WINDOWS.fullmatch(arguments.window)
        if not found or start or stop:
            raise InstError(
                f"--window {arguments.window}: expected A or A..B, and neither --start nor --stop"
            )
        return _numbered(arguments, int(found[1]), int(found[2] or found[1]))
    if arguments.record is not None:
        return _around(arguments)
    if is_divided and any(one and one.address is not None for one in (start, stop)):
        raise InstError(
            f"{divides} divides by numbers of instructions, not by addresses",
            hint="numbers with --start and --stop, or one job",
        )
    return start or BEGINNING, stop or END


def _numbered(arguments: argparse.Namespace, first: int, last: int) -> tuple[Bound, Bound]:
    """Return where windows begin and end: from state to state, unless their size is given."""
    from inst.formats.rec.states_file import States
    from inst.formats.stf.full import Bound

    if not arguments.window_size:
        with suppress(InstError):  # it is reported where they are read
            states = States.beside(arguments.recording)
            if states is not None and states.is_of(arguments.recording):
                return Bound(states.bounds(first)[0]), Bound(states.bounds(max(first, last))[1])
    size = arguments.window_size or WINDOW
    return Bound(first * size), Bound((last + 1) * size)


def _around(arguments: argparse.Namespace) -> tuple[Bound, Bound]:
    """Return the states around a record."""
    from inst.commands.replay_windows import states_of
    from inst.formats.stf.full import Bound

    states = states_of(arguments.recording)
    if states is None:
        raise InstError(
            f"--record needs the states of {arguments.recording}",
            hint=f"inst replay --states {arguments.recording}",
        )
    if not 0 <= arguments.record < states.records:
        raise InstError(f"there is no record {arguments.record}: they are {states.records}")
    start, end = states.bounds(states.by_record(arguments.record))
    return Bound(start), Bound(end)


def _bound(option: str, text: str | None) -> Bound | None:
    from inst.formats.stf.full import Bound

    if text is None:
        return None
    found = _BOUND.fullmatch(text)
    if not found:
        raise InstError(
            f"--{option} {text}: expected a number of instructions or an address",
            hint="addresses begin with 0x; `inst symbols` names functions",
        )
    count, address = found.groups()
    return Bound(int(count)) if count else Bound(address=int(address, 16))


def _replayed(
    trace: Trace, target: Target, selection: Selection, arguments: argparse.Namespace
) -> int:
    from inst.filter.output import Output

    output = Output(arguments.output)
    status = 0
    try:
        output.require(target.name)
        try:
            if target.name == FORMAT:
                _write_full(cast("RecTrace", trace), output, selection, arguments)
            else:
                _write_events(trace, output, target)
        except InstError as error:
            if not arguments.partial:
                raise
            print(error.render(), file=sys.stderr)
            status = 2
        output.keep()
    finally:
        output.discard()
    return status


def _write_full(
    trace: RecTrace, output: Output, selection: Selection, arguments: argparse.Namespace
) -> None:
    """Write every instruction; if that fails, those before have been written."""
    from inst.commands.replay_windows import require_registers, states_of, write_windows
    from inst.formats.rec.states import State
    from inst.formats.stf.full import FullWriter
    from inst.replay.executed import Steps
    from inst.replay.parallel import Alone, Over

    if arguments.jobs > 1 or arguments.scheduler is not None:
        write_windows(trace, output, selection, arguments)
        return
    writers: list[FullWriter] = []

    def observer(units: tuple[Unit, ...], arch: str) -> Observer:
        require_registers(arch)
        executed = selection.start.number or 0
        writers.append(FullWriter(output, trace.name, selection, units, arch, executed))
        return writers[0].take

    start, stop = selection.start, selection.stop
    is_numbered = start.address is None and stop.address is None
    first, steps = start.number or 0, Steps()
    if is_numbered:
        is_part = bool(first) or stop.number is not None
        states = states_of(arguments.recording) if is_part else None
        state = states.for_window(first, stop.number) if states else State(0, 0)
        trace.begin_at(state)
        steps = Alone(first, stop.number, state.executed)
    trace.observe_execution(observer, steps)
    try:
        for _ in trace.batches():
            if writers and writers[0].ended:
                break
    except Over:
        pass
    finally:
        if writers:
            writers[0].finish()
            _report(f"switches between threads ({writers[0].switches})", writers[0].switches)


def _write_events(trace: Trace, output: Output, target: Target) -> None:
    from inst.convert import convert
    from inst.trace.writing import Job, Losses

    losses = Losses()
    try:
        convert(Job(trace, cast(BinaryIO, output), losses), target)
    finally:
        for what, count in losses.counts.items():
            _report(f"{shown(what)} ({count})", count, target.name)


def _report(what: str, count: int, name: str = FORMAT) -> None:
    if count:
        print(f"inst: not in {name}: {what}", file=sys.stderr)
