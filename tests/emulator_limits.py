"""Programs of the tests that the emulator cannot run, plain or instrumented: QEMU 7.2, qemu-user.

A long run of the tests names them at its end.  Whoever has a newer emulator takes rows out.
"""

from __future__ import annotations

from collections.abc import Iterator

_SIGNAL_FRAME = "no plain program finds the way out of a signal's frame"
CANNOT_RUN: dict[str, tuple[tuple[str, ...], str]] = {
    "signals/features.c jumps": (
        ("sparc-v9",), "goes on after a siglongjmp out of a handler",
    ),
    "signals/ways.c cancel": (("ppc32", "ppc64le", "sparc-v9"), _SIGNAL_FRAME),
    "signals/ways.c exit-thread": (("ppc64le", "sparc-v8", "sparc-v9"), _SIGNAL_FRAME),
    "signals/ways.c cancel-before": (("ppc64", "ppc64le", "sparc-v9"), _SIGNAL_FRAME),
    "signals/ways.c cancel-waiting": (("ppc32", "ppc64", "ppc64le", "sparc-v9"), _SIGNAL_FRAME),
    "signals/thrown.cc": (("ppc32", "ppc64", "ppc64le"), _SIGNAL_FRAME),
    "check_memory/programs/streams.c cancel": (("ppc32", "ppc64", "ppc64le"), _SIGNAL_FRAME),
    "runtime/files/events.c jumps": (
        ("sparc-v8", "sparc-v9"), "a siglongjmp out of a handler goes wrong",
    ),
    "signals/left.c": (("sparc-v8",), "hangs at a siglongjmp out of a handler"),
}  # fmt: skip
"""Program and argument -> targets, and what happens there with hooks or without."""


def cannot_run(program: str) -> tuple[str, ...]:
    """Return the targets on which the emulator cannot run a program."""
    return CANNOT_RUN[program][0]


def described() -> Iterator[str]:
    """Yield a line for each program."""
    for program, (targets, why) in CANNOT_RUN.items():
        yield f"{program} on {', '.join(targets)}: {why}"
