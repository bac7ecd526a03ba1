"""`python -m tests.fresh` runs the README, the quick start and the tutorial on a fresh Debian 12.

It installs a Debian in a new directory by debootstrap (needs root and a mirror), copies the project
there, types what these documents say, and compares. The exit status is 0 if all is as they say,
1 if not, 2 if it cannot be tried here.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.fresh import debian
from tests.fresh.commands import ROOT, Command, newcomer
from tests.fresh.session import Outcome, Session


def main() -> int:
    """Install, copy, type, compare and report."""
    arguments = _parser().parse_args()
    problem = debian.missing()
    if problem:
        print(f"tests.fresh: error: {problem}", file=sys.stderr)
        return 2
    root = Path(tempfile.mkdtemp(prefix="inst-fresh-", dir=arguments.directory))
    try:
        return _try(root, arguments.suite, arguments.mirror or debian.mirror())
    finally:
        if arguments.keep:
            print(f"kept: {root}")
        else:
            shutil.rmtree(root)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tests.fresh", description=__doc__)
    parser.add_argument("--directory", metavar="DIR", help="where to install (TMPDIR; 4 GB)")
    parser.add_argument("--keep", action="store_true", help="leave what was installed")
    parser.add_argument("--mirror", metavar="URL", help="Debian's packages (the host's mirror)")
    parser.add_argument("--suite", default="bookworm", help="which Debian (bookworm, which is 12)")
    return parser


def _try(root: Path, suite: str, source: str) -> int:
    start = time.monotonic()
    print(f"installing Debian ({suite}) from {source} in {root}", flush=True)
    debian.install(root, suite, source)
    debian.copy_project(ROOT, root / "root/inst")
    print(f"{time.monotonic() - start:7.1f} s  Debian is installed", flush=True)
    wrong = _type(root)
    print(f"{time.monotonic() - start:7.1f} s in all: {wrong} commands not as the documents say")
    return 1 if wrong else 0


def _type(root: Path) -> int:
    """Type all commands in one shell; return how many are not as the documents say."""
    session, wrong = Session(debian.shell(root)), 0
    try:
        for directory, commands in newcomer():
            enter = Command("-", f"mkdir -p {directory} && cd {directory}")
            for outcome in session.run([enter, *commands]):
                _report(outcome)
                wrong += bool(outcome.wrong)
    finally:
        session.close()
    return wrong


def _report(outcome: Outcome) -> None:
    verdict = "WRONG" if outcome.wrong else "ok"
    text = outcome.command.text.partition("\n")[0]
    print(f"{outcome.seconds:7.1f} s  {verdict:5}  {outcome.command.place}: {text}", flush=True)
    if outcome.wrong:
        print(f"it printed\n{outcome.output[-4000:]}\n{outcome.wrong}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
