"""Programs of other people's test suites, plain and instrumented: `make campaign`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
