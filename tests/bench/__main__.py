"""Runs the cost bench as `python -m tests.bench`."""

from __future__ import annotations

import sys

from tests.bench.run import main

sys.exit(main(sys.argv[1:]))
