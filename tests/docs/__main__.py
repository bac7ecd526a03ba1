"""`python -m tests.docs [PAGE ...]` puts what the examples print today into the pages.

Only outputs that do not match are replaced: put `...` back where the machine shows through.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.docs.console import pages, renewed

ROOT = Path(__file__).resolve().parents[2]


def _renew(page: Path) -> bool:
    with tempfile.TemporaryDirectory() as directory:

        def run(command: str) -> str:
            environment = {**os.environ, "COLUMNS": "92"}
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=directory,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            return done.stdout

        old = page.read_text(encoding="utf-8")
        new = renewed(old, run)
    if new != old:
        page.write_text(new, encoding="utf-8")
    return new != old


parser = argparse.ArgumentParser(prog="python -m tests.docs", description=__doc__)
parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="default: all pages")
chosen = parser.parse_args().pages
missing = [page for page in chosen if not page.is_file()]
if missing:
    parser.error(f"no such page: {missing[0]}")
if not shutil.which("inst"):
    sys.exit("inst is not in PATH: . .venv/bin/activate")
for each in [page.resolve() for page in chosen] or pages(ROOT):
    print(f"{each.relative_to(ROOT)}: {'changed' if _renew(each) else 'as it was'}")
