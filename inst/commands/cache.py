"""inst cache: the cached libraries, their size, and their removal."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator

from inst.build.survey import Entry, Survey, clean, clear, survey
from inst.errors import InstError
from inst.paths import cache_directory

_UNWANTED = {
    "corrupt": "corrupt",
    "unsafe": "others could write to",
    "old": "of other versions",
    "leftover": "left by builds that were killed",
}
_DAYS = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `inst cache`."""
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "--clean",
        nargs="?",
        type=_days,
        const=_DAYS,
        metavar="DAYS",
        help="remove what is corrupt, from other versions or left by killed builds, and libraries "
        f"that were not used for so many days ({_DAYS})",
    )
    choice.add_argument("--clear", action="store_true", help="remove all that inst has stored")
    parser.add_argument("--json", action="store_true", help="write JSON")


def run(args: argparse.Namespace) -> int:
    """Show the cache, after the requested removal if any."""
    cache = cache_directory()
    try:
        before = _total(survey(cache).entries)
        if args.clean is not None:
            clean(cache, args.clean, time.time())
        if args.clear:
            clear(cache)
        found = survey(cache)
    except OSError as error:
        raise InstError(f"cannot read {error.filename or cache}: {error.strerror}") from None
    if args.json:
        print(json.dumps(found.as_json(), indent=2))
        return 0
    if args.clear or args.clean is not None:
        print(f"removed {_bytes(before - _total(found.entries))}")
    print("\n".join(_lines(found)))
    return 0


def _days(text: str) -> int:
    if not text.isdecimal() or len(text) > 6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days")
    return int(text)


def _lines(found: Survey) -> Iterator[str]:
    good = found.of_state("good")
    many = "1 library" if len(good) == 1 else f"{len(good)} libraries"
    yield f"{found.directory}: {many}, {_bytes(_total(good))}"
    if good:
        width = max(7, *(len(entry.library) for entry in good))
        yield f"  {'library':{width}} target        size  built       last used"
        yield from (_line(entry, width) for entry in sorted(good, key=_place))
    for state, text in _UNWANTED.items():
        if unwanted := found.of_state(state):
            yield f"  {len(unwanted)} {text}, {_bytes(_total(unwanted))}: --clean removes them"
    if building := found.of_state("building"):
        yield f"  {len(building)} being built"


def _line(entry: Entry, width: int) -> str:
    times = "  ".join(_date(one) for one in (entry.built, entry.used))
    size = _bytes(entry.bytes)
    return f"  {entry.library:{width}} {entry.target:8} {size:>9}  {times}"


def _place(entry: Entry) -> tuple[str, str, float]:
    return entry.library, entry.target, entry.built


def _total(entries: tuple[Entry, ...]) -> int:
    return sum(entry.bytes for entry in entries)


def _bytes(number: int) -> str:
    """Return a number of bytes in readable units."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number} bytes"


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
