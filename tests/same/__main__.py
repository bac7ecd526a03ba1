"""`make same`, or `python -m tests.same COMMIT`: whether a redesign has changed any output.

The corpus is assembly of compilers (csmith's programs, the tests' own), generated assembly, the
tests' assembly by hand, and traces that the older version's programs wrote. Both versions
translate every file, build every hook library and run the trace commands; outputs, messages and
statuses are compared byte for byte.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.same.corpus import make_corpus

ROOT = Path(__file__).resolve().parents[2]
_EPILOG = """\
examples:
  python -m tests.same HEAD~1                  the last commit
  python -m tests.same --corpus /var/tmp/corpus --csmith 40 main
  python -m tests.same --only translate main   leave out libraries and traces
"""


def main() -> int:
    """Compare this checkout with a commit; status 1 if an output differs."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.same", description=__doc__.split("\n", 1)[0], epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("commit", help="the version before")
    parser.add_argument("--corpus", metavar="DIR", help="where it is kept, or is already")
    parser.add_argument("--csmith", type=int, default=10, metavar="N", help="programs a target")
    parser.add_argument("--seed", type=int, default=1, help="number of the first program")
    parser.add_argument(
        "--only", action="append", choices=("translate", "archives", "traces"),
        help="what is compared (default: everything)",
    )  # fmt: skip
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        before = _checkout(chosen.commit, Path(scratch, "before"))
        corpus = Path(chosen.corpus or Path(scratch, "corpus")).resolve()
        if not (corpus / "complete").exists():
            make_corpus(corpus, before, chosen.csmith, chosen.seed)
        parts = chosen.only or ["translate", "archives", "traces"]
        started = [_start(tree, corpus, Path(scratch), parts) for tree in (before, ROOT)]
        old, new = (_finished(process, output) for process, output in started)
    return _report(old, new)


def _checkout(commit: str, directory: Path) -> Path:
    """Put the files of a commit into a directory."""
    directory.mkdir()
    archive = subprocess.run(
        ["git", "-C", ROOT, "archive", commit], stdout=subprocess.PIPE, check=True
    )
    subprocess.run(["tar", "-x", "-C", directory], input=archive.stdout, check=True)
    return directory


def _start(
    tree: Path, corpus: Path, scratch: Path, parts: list[str]
) -> tuple[subprocess.Popen[bytes], Path]:
    """Begin to make all outputs with one version."""
    output = scratch / f"{tree.name}.json"
    environment = {name: text for name, text in os.environ.items() if "INST_" not in name}
    environment |= {"PYTHONPATH": str(tree), "INST_CACHE": str(scratch / f"cache-{tree.name}")}
    script = Path(__file__).with_name("outputs.py")
    words = [sys.executable, str(script), str(corpus), str(output), *parts]
    return subprocess.Popen(words, env=environment, cwd=tree), output


def _finished(process: subprocess.Popen[bytes], output: Path) -> dict[str, str]:
    """Return the digests of all outputs, by what was done."""
    if process.wait():
        sys.exit("the outputs could not be made")
    digests: dict[str, str] = json.loads(output.read_text())
    return digests


def _report(old: dict[str, str], new: dict[str, str]) -> int:
    differing = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    for name in differing:
        print(f"differs: {name}")
    print(f"{len(old)} outputs, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
