"""`inst examples`: list the examples that come with inst, or copy them to work with."""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

from inst.common.usage import meant
from inst.errors import InstError
from inst.paths import data

_COMMENT = re.compile(r"\s*(?:/\*+|//|#(?!!)|\"\"\")\s*")
_LEFT_OUT = ("__pycache__", "*.pyc", ".*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `inst examples`."""
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="copy this example to the current directory")
    add("--path", action="store_true", help="print only the directory they are in")
    add("--force", action="store_true", help="overwrite what is there already")


def run(args: argparse.Namespace) -> int:
    """List the examples, or copy those that are named."""
    home = data("examples")
    if args.path:
        print(home)
        return 0
    known = _known(home)
    chosen = [_find(name, known) for name in args.names]
    for example in chosen:
        print(f"wrote {_copy(example, args.force)}")
    if not chosen:
        print("\n".join(_listed(known)))
    return 0


def names() -> list[str]:
    """Return the names of the examples."""
    return list(_known(data("examples")))


def _known(home: Path) -> dict[str, Path]:
    """Return the examples by name: files and directories."""
    found = sorted(home.iterdir()) if home.is_dir() else []
    return {
        path.name: path
        for path in found
        if not path.name.startswith((".", "_")) and path.name != "demo"
    }


def _find(name: str, known: dict[str, Path]) -> Path:
    if name not in known:
        raise InstError(f"there is no example {name!r}", hint=meant(name, known))
    return known[name]


def _copy(example: Path, force: bool) -> Path:
    """Copy a file or a directory to the current directory; return its new path."""
    target = Path(example.name)
    try:
        if target.exists() and not force:
            raise InstError(f"{target} already exists", hint="--force overwrites it")
        if example.is_dir():
            ignored = shutil.ignore_patterns(*_LEFT_OUT)
            shutil.copytree(example, target, ignore=ignored, dirs_exist_ok=force)
        else:
            shutil.copy(example, target)
    except (OSError, shutil.Error) as error:
        raise InstError(f"cannot write {target}: {error}") from None
    return target


def _listed(known: dict[str, Path]) -> list[str]:
    """Return a line for each example: its name and its first sentence."""
    width = max(map(len, known), default=0) + 1
    rows = [(f"{name}/" if path.is_dir() else name, _about(path)) for name, path in known.items()]
    lines = [f"{name:{width}}  {about}".rstrip() for name, about in rows]
    return [*lines, "", "`inst examples NAME` copies one to the current directory."]


def _about(path: Path) -> str:
    """Return the first line of text in a file or in a directory's README; else what it holds."""
    source = path / "README.md" if path.is_dir() else path
    if not source.is_file():
        return f"holds {', '.join(sorted(each.name for each in path.iterdir()))}"
    for line in source.read_text(encoding="utf-8").splitlines():
        text = _COMMENT.sub("", line, count=1) if _COMMENT.match(line) else line
        if text.strip() and not text.startswith("#!"):
            return text.strip().removesuffix("*/").strip().removesuffix('"""')
    return ""
