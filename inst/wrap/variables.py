"""The INST_ variables that exist, and warnings of unknown ones.

A misspelt variable would be ignored without a message. A program or a build may have variables of
its own with this prefix: INST_IGNORE names them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

RUNTIME = ("INST_OUT", "INST_WATCH", "INST_DRAIN", "INST_DRAIN_SLOTS", "INST_LIMIT",
           "INST_RING", "INST_START", "INST_STOP", "INST_SAMPLE", "INST_TOGGLE")  # fmt: skip
"""Variables that an instrumented program reads when it runs."""

_OURS = (
    "INST_COLOR", "INST_FAMILY", "INST_IGNORE", "INST_MASQUERADE", "INST_PYTHON",
    "INST_PYTHON_PATH", "INST_QUERY", "INST_SERVER",
)  # fmt: skip
"""Variables that `inst build` and inst-cc set, and those about variables."""
_SAVED = "INST_SAVED_"
_EVERY = "all"


def warnings(environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Yield a warning for each INST_ variable that has no effect."""
    from inst.wrap.options import OPTIONS

    obeyed = [*(option.variable for option in OPTIONS), *RUNTIME]
    ignored = environment.get("INST_IGNORE", "").replace(",", " ").split()
    if _EVERY in ignored:
        return
    for name in sorted(environment):
        own = name in obeyed or name in _OURS or name.startswith(_SAVED)
        if name.startswith("INST_") and not own and name not in ignored:
            from inst.common.usage import nearest  # inst-cc avoids importing argparse

            meant = nearest(name, obeyed, 0.75)
            hint = f"did you mean {meant}?" if meant else f"INST_IGNORE={name} silences this"
            yield f"inst: warning: unknown variable {name}\n  hint: {hint}"
