"""Makes all outputs of one version of inst: `outputs.py CORPUS RESULT PART...`.

It is run with the version first in PYTHONPATH, and uses only what every version has: the
command lines. RESULT gets the digest of each output as JSON.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from inst.cli import main as inst

_SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"INST_FUNCTIONS": "1"},
    {"INST_LEVEL": "addresses"},
    {"INST_NO_SIC": "1"},
    {"INST_ALWAYS_CC": "1", "INST_NO_SLOTS": "1"},
)
_LIBRARIES = ("count", "empty", "rst", "sexp", "stf")
_COMPILERS = {
    "sparc-v8": ("sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"),
    "sparc-v9": ("sparc64-linux-gnu-gcc",),
    "ppc32": ("powerpc-linux-gnu-gcc",),
    "ppc64": ("powerpc64-linux-gnu-gcc",),
    "ppc64le": ("powerpc64le-linux-gnu-gcc",),
}
_COMMANDS = """\
view TRACE PROGRAM
view --as table TRACE
view --as sexp TRACE
stats --json --program PROGRAM TRACE
check --json --program PROGRAM TRACE
check --strict TRACE
filter only+load,store TRACE out.FORMAT
filter sample+1/10 TRACE out.FORMAT
convert TRACE out.rst
convert TRACE out.sexp
convert TRACE out.csv
convert --to chrome --program PROGRAM TRACE out.json
diff TRACE TRACE"""


def translated(corpus: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest of each file's translation, with options that depend on its name."""
    for path in sorted(corpus.glob("assembly/*/*.s")):
        settings = _SETTINGS[sum(path.name.encode()) % len(_SETTINGS)]
        with _environment(settings):
            yield (
                f"translate {path.relative_to(corpus)}",
                _done(["translate", "-t", path.parent.name, str(path)]),
            )


def archives(_: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest of every archive that programs with the hook libraries are linked to."""
    cache = Path(os.environ["INST_CACHE"])
    for target, compiler in _COMPILERS.items():
        for hooks in _LIBRARIES:
            if hooks == "stf" and target.startswith("sparc"):
                continue
            command = [sys.executable, "-m", "inst.wrap.cc", f"--inst-hooks={hooks}", *compiler]
            source = b"int main(void) { return 0; }\n"
            for place in ((), ("-static",)):
                words = [*command, *place, "-x", "c", "-", "-o", "/dev/null"]
                subprocess.run(words, input=source, check=True)
    for path in sorted(cache.rglob("*.a")):
        data = path.read_bytes()
        label = re.sub(r"[0-9a-f]{20,}", "", str(path.relative_to(cache)))
        yield f"archive {label}", hashlib.sha256(data).hexdigest()


def traces(corpus: Path) -> Iterator[tuple[str, str]]:
    """Yield the digest of what each command makes of each trace, with the files it writes."""
    for path in sorted(corpus.glob("traces/*.*")):
        for line in _COMMANDS.split("\n"):
            with tempfile.TemporaryDirectory() as scratch:
                shutil.copy(path, scratch)
                shutil.copy(path.with_suffix(""), scratch)
                names = {"TRACE": path.name, "PROGRAM": path.stem, "FORMAT": path.suffix[1:]}
                words = line.split()
                for old, new in names.items():
                    words = [word.replace(old, new).replace("+", " ") for word in words]
                before = os.getcwd()
                os.chdir(scratch)
                try:
                    yield f"{line.split()[0]} {' '.join(words)}", _done(words)
                finally:
                    os.chdir(before)


def _done(words: list[str]) -> str:
    """Return the digest of a command's output, messages, status and files named out.*."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = inst(words)
        except SystemExit as error:
            status = int(error.code or 0)
    found = hashlib.sha256(f"{status}".encode())
    for stream in (out, err):
        stream.flush()
        found.update(stream.buffer.getvalue())  # type: ignore[attr-defined]
    for path in sorted(Path().glob("out.*")):
        found.update(path.read_bytes())
    return found.hexdigest()


@contextlib.contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    os.environ.update(settings)
    try:
        yield
    finally:
        for name in settings:
            del os.environ[name]


PARTS = {"translate": translated, "archives": archives, "traces": traces}


def main() -> None:
    """Make the outputs of the parts that are named."""
    corpus, result, *parts = sys.argv[1:]
    found: dict[str, str] = {}
    for part in parts:
        for name, digest in PARTS[part](Path(corpus)):
            number = 0
            while (key := f"{name} {number}" if number else name) in found:
                number += 1
            found[key] = digest
    Path(result).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
