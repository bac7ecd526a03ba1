"""`inst dump`: the ring of a program without an operating system, as a trace."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from inst.common.notes import print_notes
from inst.common.wholefile import refuse_input
from inst.errors import InstError

if TYPE_CHECKING:
    from inst.common.gdb_remote import Target
    from inst.program.firmware import Firmware


def _address(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as 0x40000000") from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst dump`."""
    add = parser.add_argument
    add("program", metavar="ELF", help="the program, as it was linked with --inst-runtime=bare")
    add("memory", metavar="MEMORY", nargs="?", help="an image of memory: raw bytes or an ELF core; "
        "or a text with the lines of INST_DUMP and INST_DRAIN")  # fmt: skip
    add("--gdb", metavar="HOST:PORT", help="read the memory of a stopped target by gdb's protocol")
    add("--base", type=_address, metavar="ADDRESS", help="the address of the first byte of a raw "
        "image (default: search for the ring)")  # fmt: skip
    add("--pc", type=_address, metavar="ADDRESS", help="where the processor was when an image was "
        "saved: of a block being recorded inline, the accesses before it are kept "
        "(default: the block is left out; with --gdb the target supplies it)")  # fmt: skip
    add("-o", "--output", metavar="FILE", help="the trace to write; its ending names the format "
        "(default: ELF.rst; - for RST on stdout)")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write the trace; return 2 where there is no ring that can be read."""
    try:
        _dump(arguments)
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 2
    return 0


def _dump(arguments: argparse.Namespace) -> None:
    from inst.convert import BY_NAME, convert, format_of
    from inst.filter.output import Output
    from inst.formats.flight.trace import open_flight
    from inst.formats.ring.trace import open_rings
    from inst.program.firmware import Firmware
    from inst.trace.writing import Job

    if (arguments.memory is None) == (arguments.gdb is None):
        raise InstError(
            "the memory comes from an image or from a target",
            hint="inst dump ELF MEMORY, or inst dump --gdb HOST:PORT ELF",
        )
    output = arguments.output or f"{arguments.program}.rst"
    target = BY_NAME["rst"] if output == "-" else format_of(output)
    inputs = (arguments.program, *((arguments.memory,) if arguments.memory else ()))
    refuse_input(output, inputs)
    program = Firmware(arguments.program)
    data, stopped_at = _rings(arguments, program)
    name = arguments.memory or arguments.gdb
    trace = (
        open_flight(name, data, program, stopped_at)
        if program.rings().inline
        else open_rings(name, data, program, program.image)
    )
    written = Output(output)
    try:
        written.require(target.name)
        convert(Job(trace, cast(BinaryIO, written), programs=(arguments.program,)), target)
        written.keep()
    finally:
        written.discard()
        trace.close()
    print_notes(trace.notes)


def _rings(arguments: argparse.Namespace, program: Firmware) -> tuple[bytes, int | None]:
    """Return the memory of the rings, and where the processor is stopped, if that is known."""
    from inst.common.gdb_remote import Target
    from inst.formats.flight.memory import is_text, rings_in_image, rings_in_text, rings_of_target

    if arguments.gdb is None:
        try:
            image = Path(arguments.memory).read_bytes()
        except OSError as error:
            raise InstError(f"cannot open {arguments.memory}: {error.strerror}") from error
        if arguments.base is None and is_text(image):
            found, damaged = rings_in_text(image, arguments.memory, program)
            if damaged:
                print_notes([f"{damaged} lines of the ring are damaged"])
            return found, arguments.pc
        return rings_in_image(image, arguments.memory, program, arguments.base), arguments.pc
    target = Target(arguments.gdb)
    try:
        found = rings_of_target(target.read, arguments.gdb, program)
        return found, _stopped_at(target, program) if program.rings().inline else None
    finally:
        target.close()


def _stopped_at(target: Target, program: Firmware) -> int | None:
    """Return the program counter, if it is in the program."""
    from inst.arch.registry import architecture
    from inst.replay.model import Debugger
    from inst.target.targets import target_of_elf

    machine = target_of_elf(program.machine, "big")
    if machine is None:
        return None
    found = target.register(architecture(machine.isa).part(Debugger).program_counter)
    return found if found and program.has_code(found) else None
