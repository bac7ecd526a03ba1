"""The `ld` that the compiler runs: the real linker, with wrappers and hook library added.

They are built when a link first needs them. They stand before the last `-lc`, so that they
find the C library's symbols and lie inside the start and end files' sections.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from inst.errors import InstError
from inst.wrap import options, small_data
from inst.wrap.arguments import expand, write_response_file
from inst.wrap.compilers import c_compiler, find_tool
from inst.wrap.process import Finished, run
from inst.wrap.select import target_of_emulation, target_of_objects

_NO_LIBRARY = frozenset(("-r", "-i", "-Ur", "--relocatable"))
_SHARED = frozenset(("-shared", "--shared", "-Bshareable"))
_ONLY_TELLS = frozenset(("-v", "-V", "--version", "--help", "--verbose", "--print-sysroot"))
_ENTRY = re.compile("-e(?!xport-|mbedded-|h-)|--entry")
_START_FILES = ("crt1.o", "gcrt1.o", "Scrt1.o", "grcrt1.o", "rcrt1.o")
_END_FILES = ("crtend.o", "crtendS.o", "crtendT.o", "crtn.o")
_C_LIBRARY = re.compile(
    r"-lc|-l:?(?:lib)?c_\S+|-l:libc\.(?:a|so)|(?:\S*/)?(?:diet)?libc(?:[_-]\S+)?\.(?:a|so)"
)
"""The C library as drivers, specs files and people name it: -lc, an archive of musl, dietlibc."""
_LEVEL_SYMBOL = b"inst.level.addresses"


def main(arguments: list[str]) -> int:
    """Link as the compiler asked; `arguments[0]` is the program the compiler ran."""
    try:
        options.check_options()
        return link(arguments[0], arguments[1:])
    except InstError as error:
        print(error.render(), file=sys.stderr)
        return 1


def link(own: str, given: list[str]) -> int:
    """Run the real linker with the hook library among its inputs."""
    words = expand(given)
    target = target_of_emulation(words) or target_of_objects(words)
    real = find_tool(os.path.basename(own), own, target)
    if target is None or not needs_library(words) or options.is_on("building-libc"):
        return run([real, *given]).status
    from inst.library import build_library
    from inst.wraplibrary import build_wrappers

    compiler, shared = c_compiler(target), bool(_SHARED & set(words))
    variant = options.library_variant()
    library = build_library(options.value("hooks"), compiler, target, shared, variant)
    wrappers = build_wrappers(compiler, target)
    words = [*entry(words), *instrumented(words, str(wrappers), str(library))]
    words = with_libc(words, options.value("libc"), [str(wrappers), str(library)])
    if any(word.startswith("@") for word in given):
        # What came in a response file may be too long for a command line.
        words = [f"@/dev/fd/{write_response_file(words)}"]
    if target.abi == "svr4":
        return _link_listing(real, words, frozenset((str(wrappers), str(library))))
    return _finished(run([real, *words], keep_errors=True))


def _finished(finished: Finished) -> int:
    """Pass on what the linker said; return its status."""
    sys.stderr.buffer.write(finished.errors)
    if finished.status and _LEVEL_SYMBOL in finished.errors:
        raise _level_error()
    return finished.status


def _link_listing(real: str, words: list[str], own: frozenset[str]) -> int:
    """Link, and refuse a program whose r13 some objects change and others count on."""
    finished = run([real, *small_data.LISTING, *words], keep_output=True, keep_errors=True)
    inputs, said = small_data.inputs_of(finished.output)
    if {"-t", "--trace"} & set(words):
        said = finished.output
    sys.stdout.buffer.write(said)
    status = _finished(finished)
    if not status:
        try:
            small_data.refuse_mixture(inputs, own)
        except InstError:
            Path(_output(words)).unlink(missing_ok=True)
            raise
    return status


def _output(words: list[str]) -> str:
    """Return the name of what is linked."""
    for word, following in zip(reversed(words[:-1]), reversed(words[1:]), strict=True):
        if word in ("-o", "--output"):
            return following
    given = [word[2:] for word in words if re.match("-o(?!format|maxpage)", word) and word[2:]]
    return given[-1] if given else "a.out"


def needs_library(words: list[str]) -> bool:
    """Tell whether this link makes a program or a shared object."""
    if _NO_LIBRARY & set(words):
        return False
    return not _ONLY_TELLS & set(words) or any(_is_input(word) for word in words)


def _is_input(word: str) -> bool:
    return word.endswith((".o", ".a", ".so", ".lo", ".obj"))


def entry(words: list[str]) -> list[str]:
    """Return the words that make a program begin in the library (runtime/early.c)."""
    starts = any(os.path.basename(word) in _START_FILES for word in words)
    chosen = any(_ENTRY.match(word) for word in words)
    return ["-e", "inst.start"] if starts and not chosen else []


def instrumented(words: list[str], wrappers: str, library: str) -> list[str]:
    """Return the linker's words with wrappers and hook library wherever they have to stand."""
    words = with_libraries(words, [wrappers, *mathematics(words), library])
    return before_cxx(words, wrappers)


def with_libraries(words: list[str], libraries: list[str]) -> list[str]:
    """Return the linker's words with the libraries at their place."""
    position = _place(words)
    return [*words[:position], *libraries, *words[position:]]


def mathematics(words: list[str]) -> list[str]:
    """Return the mathematical library once more: wrappers that stand behind it call it."""
    found = [word for word in words if word == "-lm" or os.path.basename(word) == "libm.a"]
    return found[:1]


def before_cxx(words: list[str], wrappers: str) -> list[str]:
    """Return the words with the wrappers before libstdc++ too, whose functions some of them call.

    The linker looks into an archive once, and it stands before the C library.
    """
    positions = [number for number, word in enumerate(words) if _is_cxx(word)]
    return [*words[: positions[-1]], wrappers, *words[positions[-1] :]] if positions else words


def _is_cxx(word: str) -> bool:
    return word in ("-lstdc++", "-lc++") or os.path.basename(word).startswith("libstdc++.")


def with_libc(words: list[str], name: str, libraries: list[str]) -> list[str]:
    """Return the linker's words with another C library: a file, or libc_NAME.a by -L.

    It may be instrumented, so what it calls stands behind it as well.
    """
    if name in ("", "vanilla"):
        return words
    library = name if "/" in name or name.endswith(".a") else f"-lc_{name}"
    replacement = [library, *libraries, library]
    if "-lc" not in words:
        place = _place(words)
        return [*words[:place], *replacement, *words[place:]]
    return [new for word in words for new in (replacement if word == "-lc" else [word])]


def _place(words: list[str]) -> int:
    """Return where the libraries stand: before the C library, or else behind all inputs."""
    for position in range(len(words) - 1, -1, -1):
        if _C_LIBRARY.fullmatch(words[position]):
            before = words[:position]
            if "--start-group" in before:
                group = position - 1 - before[::-1].index("--start-group")
                if "--end-group" not in before[group:]:
                    return group
            return position
    for position, word in enumerate(words):
        if os.path.basename(word) in _END_FILES:
            return position
    return len(words)


def _level_error() -> InstError:
    hooks = options.value("hooks")
    return InstError(
        f"the hooks of '{hooks}' read values, but some objects tell addresses only",
        hint="compile with --inst-level=values, or link with hooks that read addresses only, "
        "such as --inst-hooks=count",
    )
