"""Signals, threads and accidents; `python -m tests.signals.campaign` for long runs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # for `python -m`: pytest does it itself
