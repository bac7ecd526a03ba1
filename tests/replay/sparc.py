"""Instructions of SPARC, executed by the emulator: one program that takes states and gives states.

A case is a place of code that begins with one word, or a branch to a body, and goes on to the code
that keeps the state. %g6 and %g7 belong to the program.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inst.replay.machine import Machine, Reason
from inst.target.model import Target

Array = npt.NDArray[Any]
CODE, DATA = 0x110000, 0x2000000
WORD_PLACE, BODY_PLACE = 32, 4096
"""How far the places of cases that are words, or bodies, lie apart."""
_BEGIN, _END = 16, 20
"""Where in a place the case's word stands, and the next one."""
STACK, STACK_SIZE = 0x3000000, 1 << 20
SCRATCH = 128
STATE = np.dtype(
    [
        ("g", ">u8", 32),
        ("ccr", ">u8"),
        ("y", ">u8"),
        ("asi", ">u8"),
        ("fsr", ">u8"),
        ("gsr", ">u8"),
        ("filler", ">u8"),
        ("f", ">u4", 64),
        ("memory", "u1", SCRATCH),
    ]
)
"""A case's state: integer registers as %g, %o, %l, %i, and memory that belongs to it."""
_MACHINE = {
    "sparc-v8": ("-m32", "-Wa,-Av8plusa"),
    "sparc-v9": ("-m64", "-Wa,-Av9a,--undeclared-regs"),
}
_SPECIAL = ("y", "asi", "fsr", "gsr")
_CALLS = {"sparc-v8": "0x10", "sparc-v9": "0x6d"}
_INTEGERS = [f"%{bank}{n}" for bank in "goli" for n in range(8)]
_NAMED = [(n, name) for n, name in enumerate(_INTEGERS) if name not in ("%g0", "%g6", "%g7")]


class Body(NamedTuple):
    """The assembly of a case; it ends by falling through."""

    text: str


def address(case: int, field: str = "memory") -> int:
    """Return where a field of a case's state is."""
    fields = STATE.fields
    assert fields
    return DATA + case * STATE.itemsize + int(fields[field][1])


def emulated(target: Target, cases: list[int] | list[Body], states: Array, at: Path) -> Array:
    """Return the states after the cases, each of which begins in its own."""
    (at / "states").write_bytes(states.tobytes())
    source, program = at / "cases.s", at / "cases"
    source.write_text(_program(target, cases))
    sections = f"-Ttext={CODE - 0x1000:#x},-Tdata={DATA:#x},--section-start=.stack={STACK:#x}"
    link = ("-nostdlib", "-static", "-no-pie", "-fno-pic", f"-Wl,{sections},--build-id=none")
    options = (*_MACHINE[target.name], *link, "-o", program, source)
    subprocess.run([target.compiler[0], *options], check=True, cwd=at)
    done = subprocess.run([target.emulator, str(program)], check=True, capture_output=True)
    return np.frombuffer(done.stdout, STATE).copy()


def code(at: Path) -> bytes:
    """Return the code of the cases, which begins at CODE."""
    options = ("-O", "binary", "-j", ".text", at / "cases", at / "code")
    subprocess.run(["sparc64-linux-gnu-objcopy", *options], check=True)
    return (at / "code").read_bytes()[0x1000:]


def executed(machine: Machine, case: int, place: int, before: Array) -> tuple[Reason, Array]:
    """Return why a machine stopped in a case, and its state, which is whole at `Reason.BREAK`.

    The end of the case has to be a breakpoint: `ends`.
    """
    start = CODE + place * case + _BEGIN
    state = machine.state
    for n, value in enumerate(before["g"].tolist()):
        state.g[n] = value
    state.g[7] = address(case, "g")
    state.icc, state.xcc = before["ccr"] & 15, before["ccr"] >> 4
    for name in _SPECIAL:
        setattr(state, name, int(before[name]))
    for n, value in enumerate(before["f"].tolist()):
        state.f[n] = value
    state.kept = state.stored = 0
    machine.write(address(case), before["memory"].tobytes())
    machine.go_to(start)
    stop = machine.run(100_000)
    after = before.copy()
    after["g"] = [*state.g]
    after["ccr"] = state.xcc << 4 | state.icc
    for name in _SPECIAL:
        after[name] = getattr(state, name)
    after["f"] = [*state.f]
    after["memory"] = np.frombuffer(machine.read(address(case), SCRATCH) or b"", "u1")
    return stop.reason, after


def ends(count: int, place: int) -> Array:
    """Return where the cases end."""
    return CODE + place * np.arange(count, dtype="u8") + _END


def _program(target: Target, cases: list[int] | list[Body]) -> str:
    lines = [".text", ".globl _start", "load: mov %o7, %g6", *_moved("ld")]
    lines += ["jmp %g6 + 8", "nop", "keep:", *_moved("st"), "jmp %g6 + 12", "nop", _start(target)]
    lines += [".org 0x1000", "cases:"]
    for n, case in enumerate(cases):
        at = address(n, "g")
        first = f".word {case:#x}" if isinstance(case, int) else f"ba,a body{n}"
        lines += [f"sethi %hi({at:#x}), %g7; or %g7, %lo({at:#x}), %g7; call load; nop", first]
        lines.append(f"end{n}: rd %pc, %g6; ba keep; nop")
        if isinstance(case, Body):
            lines += [f"ba,a next{n}", f"body{n}:", case.text, f"ba,a end{n}"]
            lines += [f".balign {BODY_PLACE}", f"next{n}:"]
    lines += ["ba finish; nop", ".data", '.incbin "states"', "stop:"]
    lines += ['.section .stack, "aw", @nobits', f".skip {STACK_SIZE}"]
    return "\n".join(lines) + "\n"


def _moved(way: str) -> list[str]:
    """Return the instructions that load ("ld") or store ("st") all registers at %g7."""
    fields = STATE.fields
    assert fields

    def moved(what: str, register: str, place: int) -> str:
        operands = (f"[%g7 + {place}]", register)
        return f"{way}{what} " + ", ".join(operands if way == "ld" else operands[::-1])

    integers = [moved("x", name, 8 * n) for n, name in _NAMED]
    floats = [moved("d", f"%f{n}", int(fields["f"][1]) + 4 * n) for n in range(0, 64, 2)]
    fsr = moved("x", "%fsr", int(fields["fsr"][1]))
    special = []
    for name in ("ccr", "y", "asi", "gsr"):
        move = moved("x", "%g1", int(fields[name][1]))
        special += [move, f"wr %g1, 0, %{name}"] if way == "ld" else [f"rd %{name}, %g1", move]
    return (
        [fsr, *floats, *special, *integers] if way == "ld" else [*integers, *special, fsr, *floats]
    )


def _start(target: Target) -> str:
    trap = _CALLS[target.name]
    return f"""
finish: set {DATA:#x}, %l1
    set stop, %l2
1:  mov 1, %o0
    mov %l1, %o1
    sub %l2, %l1, %o2
    mov 4, %g1
    ta {trap}
    add %l1, %o0, %l1
    cmp %l1, %l2
    blu 1b
    nop
    clr %o0
    mov 1, %g1
    ta {trap}
_start:
    ba cases
    nop
"""
