"""Colours for inst-cc's messages, under the same conditions as the compiler's.

-fdiagnostics-color, GCC_COLORS and TERM are defined in GCC's manual, "Options to Control Diagnostic
Messages Formatting"; NO_COLOR by no-color.org.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence

CHOICE = "INST_COLOR"
"""The variable by which inst-cc passes the driver's option to its assembler and linker."""

_OPTIONS = {
    "-fdiagnostics-color": "always",
    "-fdiagnostics-color=always": "always",
    "-fdiagnostics-color=never": "never",
    "-fdiagnostics-color=auto": "auto",
    "-fno-diagnostics-color": "never",
    "-fdiagnostics-plain-output": "never",
    "-fcolor-diagnostics": "always",
    "-fno-color-diagnostics": "never",
}
_DEFAULT = "error=01;31:warning=01;35:note=01;36:locus=01"
_HEAD = re.compile(r"^(?P<locus>\S.*?: )(?P<kind>error|warning|note): ", re.M)
_CARET = re.compile(r"^( +)\^$", re.M)
_HINT = re.compile(r"^  (hint: )", re.M)


def choose(arguments: Sequence[str]) -> None:
    """Record the compiler's last option for colours."""
    chosen = [_OPTIONS[word] for word in arguments if word in _OPTIONS]
    os.environ[CHOICE] = chosen[-1] if chosen else "auto"


def report(text: str) -> None:
    """Write messages to standard error at once, coloured if requested."""
    sys.stderr.write(f"{painted(text) if _wanted(os.environ) else text}\n")
    sys.stderr.flush()


def _wanted(environment: Mapping[str, str]) -> bool:
    choice = environment.get(CHOICE, "auto")
    if choice != "auto":
        return choice == "always"
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return terminal and not environment.get("NO_COLOR") and environment.get("TERM", "") != "dumb"


def painted(text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return messages with colours, those of GCC_COLORS where it names any."""
    colours = environment.get("GCC_COLORS", _DEFAULT)
    if not colours:
        return text
    known = dict(part.partition("=")[::2] for part in _DEFAULT.split(":"))
    known |= dict(part.partition("=")[::2] for part in colours.split(":"))

    def paint(kind: str, words: str) -> str:
        return f"\033[{known[kind]}m\033[K{words}\033[m\033[K"

    kinds = [match["kind"] for match in _HEAD.finditer(text)]
    text = _HEAD.sub(
        lambda found: paint("locus", found["locus"]) + paint(found["kind"], f"{found['kind']}: "),
        text,
    )
    caret = kinds[0] if kinds else "error"
    text = _CARET.sub(lambda found: found[1] + paint(caret, "^"), text)
    return _HINT.sub(lambda found: "  " + paint("note", found[1]), text)
