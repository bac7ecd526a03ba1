"""Random programs, plain and instrumented: both must say the same (`make fuzz`)."""

import sys
from pathlib import Path

_TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_TESTS), str(_TESTS / "isa")]
