"""`python -m inst` is the command `inst`."""

import sys

from inst.start import main

sys.exit(main())
