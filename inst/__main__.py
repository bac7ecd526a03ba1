"""`python -m inst` is the command `inst`."""

import sys

from inst.cli import main

sys.exit(main())
