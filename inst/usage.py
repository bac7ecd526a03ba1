"""Reads command lines, and names the nearest right word where one is wrong."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

_UNKNOWN = re.compile(r"unrecognized arguments: (.*)", re.DOTALL)
_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints end with what was perhaps meant."""

    def error(self, message: str) -> NoReturn:
        super().error(message + self._hint(message))

    def _hint(self, message: str) -> str:
        choice = _CHOICE.search(message)
        if choice:
            known = re.findall(r"[^\s',]+", choice[2])
            return _nearest([choice[1]], known)
        unknown = _UNKNOWN.match(message)
        if unknown is None:
            return ""
        wrong = [word.partition("=")[0] for word in unknown[1].split() if word.startswith("-")]
        options = [text for action in self._actions for text in action.option_strings]
        return _nearest(wrong, [text for text in options if text.startswith("--")])


def _nearest(wrong: list[str], known: list[str]) -> str:
    import difflib

    for word in wrong:
        close = difflib.get_close_matches(word, known, 1, 0.6)
        if close:
            return f"\nhint: did you mean {close[0]}?"
    return ""
