"""Take the members of Debian's libraries to assembly and back: `python -m tests.objects --help`."""

from __future__ import annotations

import argparse
import sys

from inst.target.targets import TARGETS
from tests.objects.libraries import libraries, outcomes


def main() -> int:
    """Print for each target how many members are the same, and each exception with its reason."""
    parser = argparse.ArgumentParser(prog="python -m tests.objects", description=__doc__)
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--share", type=int, default=1, metavar="N", help="every Nth member only")
    arguments = parser.parse_args()
    failed = 0
    for target in arguments.target or sorted(TARGETS):
        same = 0
        exceptions = []
        for outcome in outcomes(target, arguments.share):
            same += not outcome.reason
            exceptions += [outcome] if outcome.reason else []
        names = " ".join(path.name for path in libraries(target))
        print(f"{target}: {same} the same, {len(exceptions)} not ({names})", flush=True)
        for outcome in exceptions:
            print(f"  {outcome.member}: {outcome.reason}", flush=True)
        failed += len(exceptions)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
