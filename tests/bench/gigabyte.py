"""How much memory the commands take for a gigabyte of each format.

    python -m tests.bench.gigabyte [BYTES [FORMAT...]] [--command TITLE]...

The formats that begin with `random` say nothing twice (tests.bench.hostile). Nothing but the
output of `inst filter` is stored: threads write the same traces into pipes. Every command must
stay below 200 MB; the status is 1 where one does not, or where one fails. All of them take hours.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from tests.bench import hostile  # noqa: E402
from tests.bench.traces import (  # noqa: E402
    STREAM_BYTES,
    WORK,
    Loop,
    rst_part,
    rst_start,
    sexp_part,
    stf_part,
    stf_start,
    stf_whole_part,
)

FORMATS = (
    "sexp", "rst", "changes.stf", "whole.stf", "random.rst", "random.sexp", "random.stf",
)  # fmt: skip
LIMIT = 200
"""Megabytes."""

COMMANDS = {
    "view": ["view", "{one}"],
    "view counts": ["view", "-c", "{one}"],
    "view as RST": ["view", "--as", "rst", "{one}"],
    "view as JSON": ["view", "--json", "{one}"],
    "filter only load": ["filter", "only load", "{one}", "{work}/out.{ending}"],
    "filter sample": ["filter", "skip 10 | sample 1/2", "{one}", "{work}/out.{ending}"],
    "filter opcode": ["filter", "opcode ad*", "{one}", "{work}/out.{ending}"],
    "filter anonymise": ["filter", "anonymise key=a", "{one}", "{work}/out.{ending}"],
    "filter physical": ["filter", "add-pavadiff pc=40 | physical", "{one}", "{work}/out.{ending}"],
    "filter branches": [
        "filter",
        "fill-targets | untaken ea=none | annulled compress",
        "{one}",
        "{work}/out.{ending}",
    ],
    "filter merge": ["filter", "merge time", "{one}", "{two}", "{work}/out.{ending}"],
    "stats": ["stats", "{one}"],
    "stats as JSON": ["stats", "--json", "{one}"],
    "convert to RST": ["convert", "--to", "rst", "{one}", "/dev/null"],
    "convert to s-expressions": ["convert", "--to", "sexp", "{one}", "/dev/null"],
    "convert to STF": ["convert", "--to", "stf", "{one}", "/dev/null"],
    "convert to Parquet": ["convert", "--to", "parquet", "{one}", "/dev/null"],
    "convert to CSV": ["convert", "--to", "csv", "{one}", "/dev/null"],
    "convert to Chrome's JSON": ["convert", "--to", "chrome", "{one}", "/dev/null"],
    "diff": ["diff", "{one}", "{two}"],
    "check well-formed": ["check", "--only", "well-formed", "{one}"],
}
ONLY = {
    "filter opcode": ("rst", "stf"),
    "filter anonymise": ("rst", "sexp"),
    "filter physical": ("rst",),
    "filter branches": ("rst",),
    "filter merge": ("rst", "sexp"),
}
"""The formats of commands that are not for all."""
WHOLE = {"check well-formed": ("0", "1")}
"""Statuses of commands that read all; 0 for the others."""

MEASURED = (
    "import sys; from inst.cli import main; sys.argv[0] = 'inst'\n"
    "try: status = main(sys.argv[1:])\n"
    "except SystemExit as leaving: status = leaving.code\n"
    "text = open('/proc/self/status').read()\n"
    "print(status, text.partition('VmHWM:')[2].split()[0], file=sys.stderr)\n"
)


HOSTILE = {"random.rst": hostile.rst, "random.sexp": hostile.sexp, "random.stf": hostile.stf}


def pieces(name: str, size: int) -> Iterator[bytes]:
    """Yield a trace of about so many bytes."""
    if name in HOSTILE:
        left = size
        for piece in HOSTILE[name]():
            yield piece
            left -= len(piece)
            if left <= 0:
                return
    start, part = {
        "rst": lambda: (rst_start(), rst_part(200_000)),
        "sexp": lambda: (b"", sexp_part(20_000)),
        "changes.stf": lambda: (stf_start(), stf_part(50_000)),
        "whole.stf": lambda: (stf_start(), stf_whole_part(2000)),
    }[name]()
    stream = Loop(start, part, size)
    yield from iter(stream.read, b"")


def feed(path: Path, name: str, size: int) -> None:
    """Write a trace into a pipe, until it has no reader."""
    try:
        with path.open("wb") as pipe:
            for piece in pieces(name, size):
                pipe.write(piece)
    except BrokenPipeError:
        pass


def measure(words: list[str], name: str, size: int) -> tuple[str, int]:
    """Return a command's status and the most megabytes it took."""
    pipes = [WORK / f"{each}.{name}" for each in ("one", "two")]
    for pipe in pipes:
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
    names = {"one": pipes[0], "two": pipes[1], "work": WORK, "ending": name}
    command = [word.format(**names) for word in words]
    wanted = [pipe for pipe in pipes if str(pipe) in command]
    feeders = [threading.Thread(target=feed, args=(pipe, name, size)) for pipe in wanted]
    for feeder in feeders:
        feeder.start()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for pipe in wanted:  # a command that failed has not opened it, and the writer waits for that
        os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
    for feeder in feeders:
        feeder.join()
    for path in (*pipes, WORK / f"out.{name}"):
        path.unlink(missing_ok=True)
    *said, last = done.stderr.splitlines()
    status, kilobytes = last.split()
    if status == "2":
        print("\n".join(said[:3]))
    return status, int(kilobytes) // 1024


def main() -> int:
    """Measure every command on every format."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=int, nargs="?", default=STREAM_BYTES)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=", ".join(FORMATS))
    parser.add_argument("--command", action="append", choices=COMMANDS, metavar="TITLE")
    arguments = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    bad = False
    titles = arguments.command or COMMANDS
    for name, title in itertools.product(arguments.formats or FORMATS, titles):
        if name.rpartition(".")[2] not in ONLY.get(title, ("rst", "sexp", "stf")):
            continue
        start = time.monotonic()
        status, megabytes = measure(COMMANDS[title], name, arguments.size)
        seconds = time.monotonic() - start
        print(f"{name:12} {title:25} status {status} {megabytes:5} MB {seconds:6.0f} s", flush=True)
        bad |= megabytes >= LIMIT or status not in WHOLE.get(title, ("0",))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
