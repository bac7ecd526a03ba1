"""`make fuzz`, or `python -m tests.fuzz`: random programs against their instrumented forms.

Each case is named KIND-TARGET-SEED; the seed decides the program, the compiler with its
options, the hook library and its level. Both forms must say the same; the output is verified
statically; with --truth the trace is held against the emulator's record of the accesses.
What fails is made small and kept in tests/fuzz/kept, where the tests find it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from truth.emulator import Plugins, build_plugins

from inst.target.targets import TARGETS
from tests.fuzz import powerpc_power10
from tests.fuzz.c_program import Unsuitable
from tests.fuzz.campaign import Campaign
from tests.fuzz.case import KINDS, Case, fails_likewise, judge, source_of
from tests.fuzz.reduce import is_defined

_EPILOG = """\
examples:
  python -m tests.fuzz --kind c --count 1000 --truth 5     the csmith campaign, five targets
  python -m tests.fuzz --kind exceptions --count 60        C++ that throws, five targets
  python -m tests.fuzz --kind loads --kind throws --count 300 --truth 1    both executed again
  python -m tests.fuzz --kind events --count 300 --truth 1    threads and signals, executed again
  python -m tests.fuzz --resume --seconds 600 ...          ten minutes more of it
  python -m tests.fuzz --seed 500001 --directory /tmp/two  a second one beside it
  python -m tests.fuzz --kind statements --count 10000 --verify 4    the translator alone
  python -m tests.fuzz --power10 --kind assembly --kind c --count 300 --truth 5    POWER10
  python -m tests.fuzz --case c-ppc32-17                   one case again, step by step
"""


def main() -> int:
    """Run a campaign, or one case of it."""
    chosen = _parser().parse_args()
    if chosen.power10:
        powerpc_power10.choose()
    directory = Path(chosen.directory)
    directory.mkdir(parents=True, exist_ok=True)
    plugins = build_plugins(directory) if chosen.truth or chosen.case else None
    if chosen.case:
        return _again(_case(chosen.case), directory / "case", plugins)
    if chosen.fails:
        return _fails(chosen, directory, plugins)
    targets = chosen.target or sorted(powerpc_power10.TARGETS if chosen.power10 else TARGETS)
    pairs = [(kind, t) for t in targets for kind in chosen.kind or KINDS]
    campaign = Campaign(
        pairs, chosen.seed, chosen.count, chosen.seconds, directory, plugins, chosen.truth
    )
    campaign.verify_every = chosen.verify
    campaign.keep = not chosen.no_keep
    if chosen.resume:
        campaign.resume()
    print(f"seed {chosen.seed}, {chosen.count} cases of each: {pairs}", flush=True)
    return 1 if campaign.run() else 0


def _case(name: str) -> Case:
    kind, rest = name.split("-", 1)
    target, seed = rest.rsplit("-", 1)
    return Case(kind, target, int(seed))


def _again(case: Case, directory: Path, plugins: Plugins | None) -> int:
    """Run a case by its name, with the truth test; its files stay."""
    if case.is_compiled:
        print(case.manner().text())
    try:
        problem = judge(case, source_of(case), directory, plugins)
    except Unsuitable as why:
        print(f"not run: {why}")
        return 0
    print(problem or "nothing differs", f"(files are in {directory})")
    return 1 if problem else 0


def _fails(chosen: argparse.Namespace, directory: Path, plugins: Plugins | None) -> int:
    """Answer C-Vise: status 0 if a file fails as the case did."""
    path = Path(chosen.file)
    text = path.read_text()
    if chosen.defined and not is_defined(text, directory, path.suffix[1:]):
        return 1
    failed = fails_likewise(_case(chosen.fails), text, directory / "one", chosen.step, plugins)
    return 0 if failed else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1, help="of the first case (default: 1)")
    parser.add_argument(
        "--count", type=int, default=50, help="cases of each kind and target (default: 50)"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument(
        "--truth", type=int, default=0, metavar="N", help="the truth test on each Nth case"
    )
    parser.add_argument(
        "--verify", type=int, default=1, metavar="N", help="verify the output of each Nth case"
    )
    parser.add_argument(
        "--power10",
        action="store_true",
        help="instructions of POWER10, emulated by one (ppc64, ppc64le)",
    )
    parser.add_argument("--resume", action="store_true", help="go on where it was stopped")
    parser.add_argument("--no-keep", action="store_true", help="do not shrink what fails")
    parser.add_argument("--directory", default="/tmp/inst-fuzz", help="for work and state")
    parser.add_argument("--case", metavar="NAME", help="run one case again, by its name")
    parser.add_argument("--fails", metavar="NAME", help=argparse.SUPPRESS)
    parser.add_argument("--step", default="", help=argparse.SUPPRESS)
    parser.add_argument("--defined", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("file", nargs="?", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
