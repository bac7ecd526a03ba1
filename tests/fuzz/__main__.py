"""`make fuzz`, or `python -m tests.fuzz`: random programs against their instrumented forms."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from truth.emulator import build_plugins

from inst.targets import TARGETS
from tests.fuzz.campaign import Campaign
from tests.fuzz.case import Case, judge

KINDS = ("assembly", "c")


def main() -> int:
    """Run a campaign, or one case of it."""
    chosen = _parser().parse_args()
    directory = Path(chosen.directory)
    directory.mkdir(parents=True, exist_ok=True)
    if chosen.fails:
        kind, rest = chosen.fails.split("-", 1)
        target, seed = rest.rsplit("-", 1)
        source = Path(chosen.file).read_text()
        problem = judge(Case(kind, target, int(seed)), source, directory / "one")
        print(problem)
        return 0 if problem and not problem.startswith("plain") else 1
    targets = chosen.target or sorted(TARGETS)
    pairs = [(kind, t) for t in targets for kind in chosen.kind or KINDS]
    plugins = build_plugins(directory) if chosen.truth else None
    campaign = Campaign(
        pairs, chosen.seed, chosen.count, chosen.seconds, directory, plugins, chosen.truth
    )
    campaign.keep = not chosen.no_keep
    if chosen.resume:
        campaign.resume()
    print(f"seed {chosen.seed}, {chosen.count} cases of each: {pairs}", flush=True)
    return 1 if campaign.run() else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first case")
    parser.add_argument("--count", type=int, default=50, help="cases of each kind and target")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument(
        "--truth", type=int, default=0, metavar="N", help="the truth test on each Nth case"
    )
    parser.add_argument("--resume", action="store_true", help="go on where it was stopped")
    parser.add_argument("--no-keep", action="store_true", help="do not shrink what fails")
    parser.add_argument("--directory", default="/tmp/inst-fuzz", help="for work and state")
    parser.add_argument("--fails", metavar="CASE", help="status 0 if FILE fails as that case")
    parser.add_argument("file", nargs="?")
    return parser


if __name__ == "__main__":
    sys.exit(main())
