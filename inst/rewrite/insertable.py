"""Code made ready for insertion: forms that inserted code would break are rewritten first.

- A branch to a label plus some bytes: its target gets a label (`inst.rewrite.counted_targets`).
- A difference of labels stays right when code grows (`inst.rewrite.label_differences`).

An instruction set with delay slots has a pass of its own.
"""

from __future__ import annotations

from inst.rewrite.context import Rewriting
from inst.rewrite.counted_targets import CountedTargets
from inst.rewrite.label_differences import keep_differences_at_calls


def keep_distances(work: Rewriting) -> None:
    """Rewrite the forms that insertion would break."""
    edits = work.opening_edits()
    CountedTargets(work.code, edits).name_all()
    keep_differences_at_calls(work.code, edits)
    work.read_again(edits)
