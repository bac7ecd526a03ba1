"""Parses command lines, and suggests the nearest known word for a wrong one."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

_UNKNOWN = re.compile(r"unrecognized arguments: (.*)", re.DOTALL)
_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors end with a suggestion."""

    def error(self, message: str) -> NoReturn:
        super().error(message + self._hint(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help or an error; failing to write it is not ignored."""
        (file or sys.stderr).write(message)

    def _hint(self, message: str) -> str:
        choice = _CHOICE.search(message)
        if choice:
            known = re.findall(r"[^\s',]+", choice[2])
            return _hint([choice[1]], known)
        unknown = _UNKNOWN.match(message)
        if unknown is None:
            return ""
        wrong = [word.partition("=")[0] for word in unknown[1].split() if word.startswith("-")]
        options = [text for action in self._actions for text in action.option_strings]
        return _hint(wrong, [text for text in options if text.startswith("--")])


def _hint(wrong: list[str], known: list[str]) -> str:
    found = next(filter(None, (nearest(word, known) for word in wrong)), "")
    return f"\nhint: did you mean {found}?" if found else ""


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return the known word that is most similar to a wrong one; "" if none is."""
    import difflib

    folded = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.lower(), folded, 1, cutoff)
    return folded[close[0]] if close else ""


def meant(word: str, known: Iterable[str], what: str = "known are") -> str:
    """Return a hint with the nearest known word, or with all of them."""
    words = list(known)
    found = nearest(word, words, 0.5)
    return f"did you mean {found}?" if found else f"{what} {', '.join(words)}"
