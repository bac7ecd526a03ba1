"""Random programs, plain and instrumented: both must say the same (`make fuzz`)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
