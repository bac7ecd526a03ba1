"""How Sphinx builds the documentation: `make docs`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
os.environ["COLUMNS"] = "92"  # how wide argparse makes its help

from inst import __version__  # noqa: E402
from inst.cli import COMMANDS  # noqa: E402

project = "inst"
author = "the authors of inst"
copyright = "the authors of inst"
version = release = __version__

extensions = ["myst_parser", "from_tables"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "examples/README.md"]
nitpicky = True

smartquotes = False
html_theme = "furo"
html_title = "inst"
html_show_copyright = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["width.css"]

man_pages = [
    (
        "commands/inst-cc",
        "inst-cc",
        "compile a program that records its accesses or calls hooks",
        [author],
        1,
    ),
    *(
        (f"commands/{name}", f"inst-{name}", what, [author], 1)
        for name, what in sorted(COMMANDS.items())
    ),
    ("formats/rst", "inst-rst", "RST traces", [author], 5),
    ("formats/sexp", "inst-sexp", "s-expression traces", [author], 5),
    ("formats/stf", "inst-stf", "STF traces", [author], 5),
    ("formats/tables", "inst-tables", "Parquet, CSV and trace-event files", [author], 5),
    ("formats/sites", "inst-sites", "the table of instrumented accesses", [author], 5),
]
