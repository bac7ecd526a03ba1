"""inst run: run a program, under the right emulator if it is foreign."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path

from inst.commands.run_packed import PackedRun, asks_for_packing
from inst.common.notes import print_notes
from inst.errors import InstError
from inst.paths import absolute
from inst.wrap.variables import warnings

NO_TRACE = 125
"""Exit status with --strict where no trace was written, or an incomplete one."""

WINDOW_OPTIONS = (
    ("start", "COUNT", "record from this count on (INST_START), or from where the program resumes: "
     "paused"),
    ("stop", "COUNT", "record up to this count (INST_STOP)"),
    ("sample", "ON/OFF", "record ON counts, leave OFF counts out, and so on (INST_SAMPLE)"),
    ("toggle", "SIGNAL", "pause at this signal and go on at the next (INST_TOGGLE)"),
)  # fmt: skip
"""Options that choose parts of the run: each sets a variable."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `inst run`."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="TRACE",
        help="write the trace to this file (%%p becomes the process id), compressed if the name "
        "ends with .gz, .zst or .xz; a recording is converted to the format that the ending means, "
        "unless that is .rec",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help=f"exit with status {NO_TRACE} if no trace was written, or an incomplete one",
    )
    for name, metavar, text in WINDOW_OPTIONS:
        parser.add_argument(f"--{name}", metavar=metavar, help=text)
    parser.add_argument("program", metavar="PROGRAM", help="the program, followed by its arguments")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT")


def run(args: argparse.Namespace) -> int:
    """Run the program, or its emulator; report a trace that was requested and not written."""
    from inst.target.emulator import command_for

    for warning in warnings():
        print(warning, file=sys.stderr)
    program = _program(_find(args.program))
    command = command_for(program, args.arguments)
    output = args.output or _packed_output()
    if output:
        os.environ["INST_OUT"] = os.path.normpath(absolute(output))
    for name, _, _ in WINDOW_OPTIONS:
        if given := getattr(args, name):
            os.environ[f"INST_{name.upper()}"] = given
    sys.stdout.flush()
    if not (output or args.strict):
        _become(command)
    return _run_and_look(command, program, output, strict=args.strict)


def _packed_output() -> str:
    """Return the name in INST_OUT if it asks for compression, which the program cannot do."""
    name = os.environ.get("INST_OUT", "")
    return name if asks_for_packing(name) else ""


def _become(command: list[str]) -> None:
    from inst.commands.run_wait import restore_signals

    restore_signals()
    try:
        os.execv(command[0], command)
    except OSError as error:
        raise InstError(f"cannot run {command[0]}: {error.strerror}") from error


def _run_and_look(command: list[str], program: Path, output: str, *, strict: bool) -> int:
    """Run the command; return its status, or with `strict` NO_TRACE without a complete trace.

    Recordings are converted to the format that the name of the output asks for, and all is
    compressed if that asks for it.
    """
    from inst.commands.run_drain import drained
    from inst.commands.run_recording import convert_recordings, is_in_use
    from inst.commands.run_trace import Expected
    from inst.commands.run_wait import die_by, run_and_wait

    packed = _packed(output)
    expected = Expected(os.environ.get("INST_OUT", ""), packed.final if packed else None)
    with packed or nullcontext(), drained() if output else nullcontext():
        process, status = run_and_wait(command, packed.follow if packed else None)
    messages = expected.what_is_missing(process, program, strict=strict)
    print_notes(messages)
    written = expected.written(process)
    done = convert_recordings(written, output)
    if packed:
        done = packed.finish(written, is_in_use) and done
    if strict and (messages or not done):
        return NO_TRACE
    if status < 0:
        die_by(-status)
    return status


def _packed(output: str) -> PackedRun | None:
    """Have the program write a plain trace where the output's name asks for a compressed one."""
    if not asks_for_packing(output):
        return None
    packed = PackedRun(Path(os.environ["INST_OUT"]))
    os.environ["INST_OUT"] = packed.plain
    return packed


def _program(path: Path) -> Path:
    """Return the program that a script of libtool's starts, with LD_LIBRARY_PATH set for it."""
    from inst.common import scripts

    if scripts.is_of_libtool(path):
        program, libraries = scripts.program_of_script(path)
        os.environ["LD_LIBRARY_PATH"] = libraries
        return program
    interpreter = scripts.interpreter(path)
    if interpreter:
        raise InstError(
            f"{path} is a script for {interpreter}, not a program",
            hint="name the program that it starts, or have the script start it by `inst run`",
        )
    return path


def _find(name: str) -> Path:
    path = Path(name)
    if path.is_dir():
        raise InstError(f"{name} is a directory, not a program")
    if not path.exists() and "/" not in name and (found := shutil.which(name)):
        return Path(found)
    return absolute(path) if "/" not in name else path
