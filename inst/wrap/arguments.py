"""Argument lists of GNU tools: response files in, response files out."""

from __future__ import annotations

import os

from inst.errors import InstError

_SPACE = " \t\n\r\f\v"
_MOST_FILES = 2000
"""The limit of GNU tools: more means a file that includes itself."""


def expand(arguments: list[str]) -> list[str]:
    """Replace every `@FILE` that can be read by the arguments in it, as GNU tools do."""
    result: list[str] = []
    left = arguments[::-1]
    read = 0
    while left:
        argument = left.pop()
        content = _read(argument) if argument.startswith("@") else None
        if content is None:
            result.append(argument)
            continue
        read += 1
        if read > _MOST_FILES:
            raise InstError(
                f"too many @-files: {argument} is one more than {_MOST_FILES}",
                hint="does a file name itself?",
            )
        left += reversed(split(content))
    return result


def _read(argument: str) -> str | None:
    try:
        with open(argument[1:], encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:
        return None


def split(text: str) -> list[str]:
    """Split a response file: white space parts, quotes group, a backslash takes the next."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    characters = iter(text)
    for character in characters:
        if not quote and character in _SPACE:
            if word is not None:
                words.append("".join(word))
            word = None
            continue
        word = [] if word is None else word
        if character == "\\":
            word.append(next(characters, ""))
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        else:
            word.append(character)
    return words if word is None else [*words, "".join(word)]


def join(arguments: list[str]) -> str:
    """Return the text of a response file that `split` reads back."""
    return "\n".join(_quote(argument) for argument in arguments) + "\n"


def _quote(argument: str) -> str:
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def write_response_file(arguments: list[str]) -> str:
    """Put arguments into an anonymous file and return its path, for this process and children."""
    return write_anonymous(join(arguments))


def write_anonymous(text: str) -> str:
    """Put text into a file without a name and return its path, for this process and children."""
    descriptor = os.memfd_create("inst-arguments", 0)
    with os.fdopen(os.dup(descriptor), "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(text)
    return f"/dev/fd/{descriptor}"
