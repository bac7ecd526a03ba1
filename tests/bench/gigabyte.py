"""How much memory the commands take for a gigabyte of each format.

    python -m tests.bench.gigabyte [BYTES [FORMAT...]]

Nothing but the output of `inst filter` is stored: threads write the same traces into pipes.
Every command must stay below 200 MB; the status is 1 where one does not, or where one fails.
All of them take hours.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

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

FORMATS = ("sexp", "rst", "changes.stf", "whole.stf")
LIMIT = 200
"""Megabytes."""

COMMANDS = {
    "view": ["view", "{one}"],
    "filter": ["filter", "only load", "{one}", "{work}/out.{ending}"],
    "stats": ["stats", "{one}"],
    "convert to RST": ["convert", "--to", "rst", "{one}", "/dev/null"],
    "convert to s-expressions": ["convert", "--to", "sexp", "{one}", "/dev/null"],
    "convert to STF": ["convert", "--to", "stf", "{one}", "/dev/null"],
    "convert to Parquet": ["convert", "--to", "parquet", "{one}", "/dev/null"],
    "convert to CSV": ["convert", "--to", "csv", "{one}", "/dev/null"],
    "convert to Chrome's JSON": ["convert", "--to", "chrome", "{one}", "/dev/null"],
    "diff": ["diff", "{one}", "{two}"],
}
MEASURED = (
    "import sys; from inst.cli import main; sys.argv[0] = 'inst'\n"
    "try: status = main(sys.argv[1:])\n"
    "except SystemExit as leaving: status = leaving.code\n"
    "text = open('/proc/self/status').read()\n"
    "print(status, text.partition('VmHWM:')[2].split()[0], file=sys.stderr)\n"
)


def feed(path: Path, name: str, size: int) -> None:
    """Write a trace of so many bytes into a pipe, until nobody reads."""
    start, part = {
        "rst": lambda: (rst_start(), rst_part(200_000)),
        "sexp": lambda: (b"", sexp_part(20_000)),
        "changes.stf": lambda: (stf_start(), stf_part(50_000)),
        "whole.stf": lambda: (stf_start(), stf_whole_part(2000)),
    }[name]()
    stream = Loop(start, part, size)
    try:
        with path.open("wb") as pipe:
            while data := stream.read():
                pipe.write(data)
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
    for feeder in feeders:
        feeder.join()
    for path in (*pipes, WORK / f"out.{name}"):
        path.unlink(missing_ok=True)
    status, kilobytes = done.stderr.splitlines()[-1].split()
    return status, int(kilobytes) // 1024


def main() -> int:
    """Measure every command on every format."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else STREAM_BYTES
    WORK.mkdir(parents=True, exist_ok=True)
    bad = False
    for name in sys.argv[2:] or FORMATS:
        for title, words in COMMANDS.items():
            start = time.monotonic()
            status, megabytes = measure(words, name, size)
            seconds = time.monotonic() - start
            print(
                f"{name:12} {title:25} status {status} {megabytes:5} MB {seconds:6.0f} s",
                flush=True,
            )
            bad |= megabytes >= LIMIT or status != "0"
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
