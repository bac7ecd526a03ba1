"""The tokens of assembly text, as regular expressions: names, strings, characters, comments."""

BLANKS = " \t\f\r"
"""What separates words on a line; other Unicode blanks may be bytes of a symbol."""

# Any byte that is not ASCII is part of a name.  The sets are written by what they exclude:
# a class with a range up to the last character costs milliseconds to compile.
_FIRST = r"[^\x00-#%-\-/-@\[-^`{-\x7f]"  # A-Z a-z _ . $ and what is not ASCII
LATER = r"[^\x00-#%-\-/:-@\[-^`{-\x7f]"  # the same and digits
NAME = rf"{_FIRST}{LATER}*+"
# Python before 3.11.5 mismatches possessive quantifiers of groups: only single characters
# have them here.
STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
CHARACTER = r"'(?:\\[^\n]|[^\n\\])'?+"
BLOCK_COMMENT = r"/\*[^*]*(?:\*(?!/)[^*]*)*\*/"
# Inside macro bodies names are put together from arguments: `\name\()_end\@`.
TEMPLATE_NAME = rf"(?:{LATER}|\\(?:\w+|@|\(\)))+"

_ESCAPES = {"b": 8, "f": 12, "n": 10, "r": 13, "t": 9}


def quoted(text: str) -> str:
    """Return text as a string (or symbol) in double quotes, as gas reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"'


def character_value(text: str) -> int:
    """Return the code of a character constant: 'a  'a'  '\\n."""
    body = text[1:]
    if not body.startswith("\\"):
        return ord(body[0])
    return _ESCAPES.get(body[1], ord(body[1]))
