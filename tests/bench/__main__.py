"""Runs the benchmark as `python -m tests.bench`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

sys.argv[0] = str(Path(__file__).resolve().parent / "run.py")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
runpy.run_path(sys.argv[0], run_name="__main__")
