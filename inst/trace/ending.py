"""How a trace ends: what it records itself, and what its reader saw.

This project's runtime writes `ending=` among the producer's strings: `running` until the program
ends, then `exit`; `exec` before it becomes another program, and `running` again if that fails;
`stopped: ERROR` where tracing had to stop; `stream` where the start of the
trace cannot be changed later, which an `end of stream`, or in RST a STATUS EOF, closes. What
converts a trace that was cut adds `cut`.

`unreported=` is there if sites of the program could not report some accesses: ten digits, and `+`
if there may have been more.  A stream begins with `unknown` and has the number at its end.

`running-threads=` is how many threads still ran when the process ended, and `cut-threads=` of how
many of them there were events that are left out, since they came after that.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from inst.errors import InstError

if TYPE_CHECKING:
    from inst.trace.model import Facts, Trace

STRICT_HELP = (
    "give exit status 3 if the trace is incomplete (cut, killed, stopped, one of several, accesses "
    "that could not be reported)"
)
INCOMPLETE = 3
"""Exit status of commands with --strict for a trace that is incomplete and otherwise all right."""

UNENDED = (
    "the trace ends without its end record: it was cut, or its program was killed, became another "
    "by exec, or still runs"
)
_NUMBER = "[0-9]{1,20}"
_COUNT = re.compile(rf"{_NUMBER}\+?")
_REASONS = {
    "ENOSPC": "no space was left on the device",
    "EFBIG": "the file may not grow further",
    "EDQUOT": "the disk quota is used up",
    "EBADF": "the program closed its descriptor",
    "ENOMEM": "no memory was left",
    "EIO": "of an input/output error",
    "LIMIT": "the trace had reached the size that INST_LIMIT allows",
    "DRAIN": "no process emptied the ring any more",
    "SLOTS": "threads used all chunks of the ring",
}


class IncompleteTraceError(InstError):
    """A trace lacks something, and a whole one was asked for."""

    exit_status = INCOMPLETE


def endings(facts: Facts) -> list[str]:
    """Return the end that the trace records, or the ends of what it was merged from."""
    return [text[7:].strip() for text in facts.strings if text.startswith("ending=")]


def stop_reason(facts: Facts) -> str:
    """Return a sentence on why tracing stopped before the program ended; empty if it did not."""
    for ending in endings(facts):
        if ending.startswith("stopped"):
            error = ending.removeprefix("stopped").strip(": ")
            why = _REASONS.get(error, error or "of an error")
            return f"tracing stopped because {why}, and the program went on without a trace"
    return ""


def is_open(facts: Facts) -> bool:
    """Return whether the trace records that it has no end."""
    said = Counter(endings(facts))
    known = {"exit", "exec", "stream", "end of stream"}
    return said["stream"] > said["end of stream"] or bool(said.keys() - known)


def became_another(trace: Trace) -> bool:
    """Return whether the program, or one of those whose traces were merged, ended by exec."""
    return "exec" in endings(trace.facts) and not is_open(trace.facts)


def break_off(trace: Trace, space: str) -> None:
    """Note that a thread's events end before space that it reserved and did not write.

    Exec ends the other threads wherever they are, so that nothing is missing there.
    """
    left = f"{space} were reserved and not written"
    if became_another(trace):
        trace.note(f"a thread's events end where the program became another by exec: {left}")
    else:
        trace.lacks(f"the events of a thread break off: {left}")


def unreported(facts: Facts) -> str:
    """Return how many accesses were not reported, as the trace records; empty for none.

    What was merged from several traces has a number for each.
    """
    said = _stated(facts, "unreported=")
    numbers = [text for text in said if _COUNT.fullmatch(text)]
    number = sum(int(text.rstrip("+")) for text in numbers)
    more = any(text.endswith("+") for text in numbers)
    if said.count("unknown") > len(numbers):
        return "an unknown number of accesses"
    if more:
        return f"{number} or more accesses"
    return f"{number} access{'es' * (number != 1)}" if number else ""


def running_threads(facts: Facts) -> int:
    """Return how many threads still ran when their process ended, as the trace records."""
    return _total(facts, "running-threads=")


def _total(facts: Facts, name: str) -> int:
    return sum(int(text) for text in _stated(facts, name) if re.fullmatch(_NUMBER, text))


def _stated(facts: Facts, name: str) -> list[str]:
    return [text[len(name) :].strip() for text in facts.strings if text.startswith(name)]


def settle(trace: Trace, *, ended: bool | None = None, gap: str = "") -> None:
    """Note at the end of a trace what is missing there.

    `ended` states whether the format's own end record was seen, None where the format has none;
    `gap` names the unwritten space at the end. A program that becomes another by exec leaves that
    and no end record, since the exec may fail.
    """
    facts = trace.facts
    said = Counter(endings(facts))
    if became_another(trace):
        ended, gap = True, ""
    streamed = set(said) == {"stream"} and bool(ended)
    unended = (is_open(facts) and not streamed) or (bool(said) and ended is False)
    if gap or unended:
        if not is_open(facts) and said:
            facts.add_string("ending=cut")
        trace.lacks((stop_reason(facts) or UNENDED) + (f"; {gap}" if gap else ""))
    missing = unreported(facts)
    if missing:
        trace.lacks(
            f"{missing} between a load with reservation and its conditional store could not be "
            "reported, and are missing"
        )
    cut = _total(facts, "cut-threads=")
    if cut:
        threads, they = (f"{cut} threads", "they were") if cut > 1 else ("a thread", "it was")
        trace.note(
            f"the events of {threads} end with the process, while {they} running: what came after "
            "that is left out"
        )
    recorders = facts.producer.get("recorders", "1").strip()
    if recorders != "1":
        trace.lacks(
            f"this is one of {recorders} traces that its process wrote (the program and its "
            "shared objects have several hook libraries, or versions): what the others hold is "
            "missing here, and no trace records in which order the events of two of them came"
        )
