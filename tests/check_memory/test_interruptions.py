"""A handler between an access and its record: marked in the trace, no finding of memory-sound."""

from __future__ import annotations

import pytest

from inst.check import Options, check_trace
from inst.cli import main
from inst.formats.sexp.trace import SexpTrace
from inst.target.targets import Target
from inst.trace import open_trace
from tests.conftest import Shell
from tests.signals.programs import TIMED_ATOMICS

STRICT = Options(settings={"memory": "strict"})
PROGRAM = """\
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
static volatile int *cell;
static volatile int handled;
static void handler(int number)
{
    (void)number;
    mprotect((void *)cell, 65536, PROT_READ | PROT_WRITE);
    cell[0] += 3;
    handled++;
}
int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, 0);
    cell = mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cell[0] = 4;
    mprotect((void *)cell, 65536, PROT_READ);
    cell[0] = 9;
    return cell[0] * 10 + handled;
}
"""


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_a_store_that_a_handler_came_before_is_marked(
    hooks: str, target: Target, shell: Shell
) -> None:
    """The store faults: its record is there, and what its handler reads and writes comes first."""
    (shell.directory / "p.c").write_text(PROGRAM)
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-O1", "p.c", "-o", "p")
    assert shell.run("inst", "run", "-o", "p.trace", "./p").returncode == 91
    path = str(shell.directory / "p.trace")
    words = [event.detail for event in open_trace(path).objects()]
    assert [word for word in words if "signal" in word] == ["signal", "back from signal"]
    assert main(["check", "--only", "memory-sound", "--set", "memory=strict", path]) == 0


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_atomic_operations_that_handlers_come_to(hooks: str, target: Target, shell: Shell) -> None:
    """They are recorded after they have been made, by glue that decodes them first."""
    options = (
        "-O1",
        str(TIMED_ATOMICS),
        "-o",
        "p",
        *(["-latomic"] if target.name == "sparc-v8" else []),
    )
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, *options)
    shell.check("inst", "run", "-o", "p.trace", "./p")
    path = str(shell.directory / "p.trace")
    words = [event.detail for event in open_trace(path).objects() if "signal" in event.detail]
    assert any(word.startswith("signal in ") for word in words)
    assert main(["check", "--set", "memory=strict", path]) == 0


def access(kind: str, address: int, value: int, pc: int) -> str:
    order = "(mem-order plain) " if kind == "write" else ""
    return f"mem-{kind} {order}(address {address}) (value {value}) (size 4) SRC {pc}"


def signal(word: str, place: int = 0) -> str:
    where = f"(address {place}) " if place else ""
    return f'event (what other) (detail "{word}") {where}(value 14)'


def codes(*records: str) -> list[str]:
    text = ""
    for number, record in enumerate(records):
        kind, _, rest = record.partition(" ")
        rest, _, pc = rest.partition(" SRC ")
        source = f" (src {pc})" if pc else ""
        text += f"({kind} (id {number}) (tid 1) {rest}{source})\n"
    trace = SexpTrace("t", [text.encode()])
    return [finding.code for finding in check_trace(trace, ("memory-sound",), STRICT).findings]


KNOWN = (access("write", 64, 4, 400), access("write", 32, 1, 402))
BEFORE = (access("write", 64, 4, 400), access("write", 64, 9, 416))
HANDLER = (access("read", 64, 4, 800), access("write", 64, 7, 808))
ATOMIC = (access("read", 64, 9, 800), access("write", 64, 7, 808))
"""A handler that reads what the interrupted access has stored."""
IN_HOOK = signal("signal in a hook")
BACK = signal("back from signal")
HOLE = ["memory-hole"]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ((*BEFORE, signal("signal in stwhook"), *HANDLER, BACK, access("read", 64, 9, 420)), []),
        ((*BEFORE, signal("signal", 416), *HANDLER, BACK, access("read", 64, 9, 420)), []),
        # A handler within the handler, which came while a hook of no access ran.
        ((*BEFORE, signal("signal in stwhook"), signal("signal in windowhook"), BACK, *HANDLER,
          BACK, access("read", 64, 9, 420)), []),
        ((*BEFORE, signal("signal in a hook"), *HANDLER, BACK, access("read", 64, 9, 420)), []),
        ((*BEFORE, signal("signal"), *HANDLER), HOLE),
        ((*BEFORE, signal("signal", 480), *HANDLER), HOLE),  # behind another site
        # The handler's own store, read by the handler, is known as ever.
        ((*BEFORE, signal("signal", 416), *HANDLER, access("read", 64, 8, 812)), HOLE),
        # Interrupted once more before it went on.
        (
            (*BEFORE, signal("signal", 416), *HANDLER, BACK, signal("signal", 416),
             access("read", 64, 7, 800), BACK, access("read", 64, 9, 420)),
            [],
        ),
        # A load that was made before the handler ran, and the same a second time.
        ((BEFORE[0], signal("signal in ldwhook"), *HANDLER, BACK, access("read", 64, 4, 404)), []),
        ((BEFORE[0], signal("signal", 408), *HANDLER, BACK, access("read", 64, 4, 404)), []),
        ((BEFORE[0], signal("signal"), *HANDLER, BACK, access("read", 64, 4, 404)), HOLE),
        (
            (BEFORE[0], signal("signal", 408), *HANDLER, BACK, access("read", 64, 4, 404),
             access("read", 64, 4, 404)),
            HOLE,
        ),
        # An atomic store, recorded after it was made and after what the handler made of it.
        ((*KNOWN, IN_HOOK, *ATOMIC, BACK, access("write", 64, 9, 404),
          access("read", 64, 7, 408)), []),
        ((*KNOWN, IN_HOOK, *ATOMIC, BACK, access("read", 64, 4, 404),
          access("write", 64, 9, 404), access("read", 64, 7, 408)), []),
        ((*KNOWN, IN_HOOK, *ATOMIC, BACK, access("write", 64, 9, 404),
          access("read", 64, 7, 408), access("read", 64, 8, 412)), HOLE),
        # A second signal before it is recorded: what both handlers read.
        ((*KNOWN, IN_HOOK, ATOMIC[0], BACK, IN_HOOK, access("write", 64, 7, 808), BACK,
          access("write", 64, 9, 404)), []),
        # It was of other bytes, it is not known of which, or no signal came between.
        ((*KNOWN, IN_HOOK, *ATOMIC, BACK, access("write", 68, 9, 404)), HOLE),
        ((*KNOWN, IN_HOOK, *ATOMIC, BACK), HOLE),
        ((*KNOWN, IN_HOOK, *ATOMIC), HOLE),
        ((*KNOWN, signal("signal"), *ATOMIC, BACK, access("write", 64, 9, 404)), HOLE),
    ],
)  # fmt: skip
def test_what_a_handler_leaves_open(records: tuple[str, ...], expected: list[str]) -> None:
    assert codes(*records) == expected
