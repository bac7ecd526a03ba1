"""The `ld` that the compiler runs: the real linker, with wrappers and hook library added.

They are built when a link first needs them. They are placed before the last `-lc`, so that they
find the C library's symbols and lie inside the start and end files' sections.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from inst.arch.registry import architecture
from inst.common.colours import report
from inst.common.ending import ended
from inst.common.process import Finished, run
from inst.dataclass import replace
from inst.errors import InstError
from inst.isa.sites import Sites
from inst.target.compilers import c_compiler, find_tool
from inst.target.model import Target
from inst.wrap import bare, options, small_data
from inst.wrap.arguments import expand, write_anonymous, write_response_file
from inst.wrap.c_library import C_LIBRARY, is_instrumented
from inst.wrap.select import target_of_emulation, target_of_objects
from inst.wrap.start_files import END_FILES, ENTRY_FILES, called_at_end

_NO_LIBRARY = frozenset(("-r", "-i", "-Ur", "--relocatable"))
_SHARED = frozenset(("-shared", "--shared", "-Bshareable"))
_ONLY_REPORTS = frozenset(("-v", "-V", "--version", "--help", "--verbose", "--print-sysroot"))
_ENTRY = re.compile("-e(?!xport-|mbedded-|h-)|--entry")
_OWN = ("", "vanilla")
"""Values of the option `libc` that leave the compiler's own in place."""
_GROUP_BEGINS, _GROUP_ENDS = frozenset(("--start-group", "-(")), frozenset(("--end-group", "-)"))
_WRAPPED_TOO = ("m", "atomic", "gomp")
"""Libraries besides that of C whose functions have wrappers."""
_RECORDING = "record"
"""The hook library of objects that record inline."""
_STRIPS = frozenset(("-s", "--strip-all", "-S", "--strip-debug"))
"""Options by which the linker leaves out the sections that explain a recording."""
_C_LIBRARY_SYMBOL = "inst_c_library_is_instrumented"
"""What wrappers see of a C library that the link instruments."""
_IN_SHARED = "inst.room in a shared object"
_NOT_INLINE = f'ASSERT(!DEFINED(inst.room), "{_IN_SHARED}");\n'
"""A linker script: the link fails if code records inline, which calls inst.room."""
_LEVEL_SYMBOL, _VALUES_SYMBOL = b"inst.level.addresses", b"inst.level.values"
_HOOK_REFERENCE = re.compile(rb"undefined references? to `inst\.")
_IN_FUNCTION = re.compile(rb": in function `[^']*':$")
_RECORD_SYMBOLS = (b"inst.level.record.", b"inst.segments")
"""What only objects that record refer to; some linkers stop before they name the first one."""


def main(arguments: list[str]) -> int:
    """Link as requested by the compiler; `arguments[0]` is the program that it ran."""
    return ended(lambda: _checked(arguments))


def _checked(arguments: list[str]) -> int:
    """Link, after checking the options."""
    options.check_options()
    return link(arguments[0], arguments[1:])


def link(own: str, given: list[str]) -> int:
    """Run the real linker with the hook library among its inputs."""
    words = expand(given)
    target = target_of_emulation(words) or target_of_objects(words)
    real = find_tool(os.path.basename(own), own, target)
    if target is None or not needs_library(words):
        return run([real, *given]).status
    if options.is_on("building-libc"):
        return _without_library(run([real, *given], keep_errors=True))
    from inst.build.library import build_library
    from inst.build.wraplibrary import build_wrappers
    from inst.wrap.library_variant import library_variant

    compiler, shared = c_compiler(target), bool(_SHARED & set(words))
    variant, hooks = library_variant(), options.hook_library()
    if hooks == _RECORDING:
        if variant.for_isa(target.isa).check_stack:
            raise _stack_check_error()
        if not shared:  # a shared object's code calls hooks
            _warn_of_stripping(words)
    library = build_library(hooks, compiler, target, shared, variant)
    chosen = options.value("libc")
    if objects := options.value("objects"):
        words = with_objects(words, objects, compiler, target, shared)
    if variant.bare:
        words = [*bare.build_words(words), *with_libraries(words, [str(library)])]
        added = [library]
    else:
        wrappers = build_wrappers(compiler, target)
        added = [wrappers, library]
        words = instrumented(with_libc(words, chosen), chosen, str(wrappers), str(library))
        _offer_bare(words, shared=shared)
        words = [*entry(words), *(f"--undefined={name}" for name in called_at_end(words)), *words]
    if shared:
        words = [*words, write_anonymous(_NOT_INLINE)]
    if any(word.startswith("@") for word in given):
        # Arguments from a response file may be too long for a command line.
        words = [f"@{write_response_file(words)}"]
    if architecture(target.isa).part(Sites).abis[target.abi].small_data:
        return _link_listing(real, words, frozenset(map(str, added)), target)
    return _finished(run([real, *words], keep_errors=True))


def _warn_of_stripping(words: list[str]) -> None:
    """Warn where a program that records is linked without what explains its recording."""
    if found := next((word for word in words if word in _STRIPS), ""):
        report(
            f"inst: warning: {found} leaves out the section that explains what the program "
            "records, so its accesses are not recorded\n"
            f"  hint: link without {found}, or compile with --inst-hooks=rst and link with it"
        )


def _offer_bare(words: list[str], *, shared: bool) -> None:
    """Point to the runtime for programs without an operating system where this looks like one."""
    if not shared:
        bare.offer(
            words,
            options.hook_library(),
            has_c_library=_last_c_library(words) is not None,
            has_start_files=any(os.path.basename(word) in ENTRY_FILES for word in words),
        )


def with_objects(
    words: list[str], patterns: str, compiler: list[str], target: Target, shared: bool = False
) -> list[str]:
    """Instrument inputs that inst-cc did not make; a shared object's do not record inline."""
    from inst.wrap.link_objects import instrumented_inputs

    made = options.translator_options()
    if shared:
        made = replace(made, record=False)
    found, inputs = instrumented_inputs(words, patterns, compiler, target, made)
    if any(one.made and C_LIBRARY.fullmatch(str(one.path)) for one in inputs):
        found.append(f"--defsym={_C_LIBRARY_SYMBOL}=1")
    path = options.value("objects-report")
    if path or any(one.new for one in inputs):
        from inst.wrap.objects_report import give_report

        give_report(inputs, made, _output(words), path)
    return found


def _finished(finished: Finished) -> int:
    """Pass on the linker's messages; return its status."""
    sys.stderr.buffer.write(finished.errors)
    if finished.status and options.is_bare():
        bare.explain(finished.errors)
    if finished.status and any(name in finished.errors for name in _RECORD_SYMBOLS):
        raise _record_error()
    if finished.status and _LEVEL_SYMBOL in finished.errors:
        raise _level_error()
    if finished.status and _VALUES_SYMBOL in finished.errors:
        raise _executed_error()
    if finished.status and _IN_SHARED.encode() in finished.errors:
        raise _inline_error()
    return finished.status


def _without_library(finished: Finished) -> int:
    """Pass on the messages of a link without a hook library; name the cause of those it lacks."""
    lines = finished.errors.splitlines(keepends=True)
    others = [line for line in lines if not _HOOK_REFERENCE.search(line)]
    lacks_hooks = len(others) < len(lines)
    if lacks_hooks:
        others = [line for line in others if not _IN_FUNCTION.search(line)]
    sys.stderr.buffer.write(b"".join(others))
    if finished.status and lacks_hooks:
        raise _building_error()
    return finished.status


def _link_listing(real: str, words: list[str], own: frozenset[str], target: Target) -> int:
    """Link, and refuse a program in which some objects change the base of others' small data."""
    finished = run([real, *small_data.LISTING, *words], keep_output=True, keep_errors=True)
    inputs, output = small_data.inputs_of(finished.output)
    if {"-t", "--trace"} & set(words):
        output = finished.output
    sys.stdout.buffer.write(output)
    status = _finished(finished)
    if not status:
        try:
            small_data.refuse_mixture(inputs, own, target)
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
    """Return whether this link makes a program or a shared object."""
    if _NO_LIBRARY & set(words):
        return False
    return not _ONLY_REPORTS & set(words) or any(_is_input(word) for word in words)


def _is_input(word: str) -> bool:
    return word.endswith((".o", ".a", ".so", ".lo", ".obj"))


def entry(words: list[str]) -> list[str]:
    """Return the words that put the program's entry point in the library (runtime/early.c)."""
    starts = any(os.path.basename(word) in ENTRY_FILES for word in words)
    chosen = any(_ENTRY.match(word) for word in words)
    return ["-e", "inst.start"] if starts and not chosen else []


def instrumented(words: list[str], chosen: str, wrappers: str, library: str) -> list[str]:
    """Return the linker's words with wrappers and hook library at the places they need.

    A C library that was chosen by an option may be instrumented, regardless of what it defines.
    """
    libraries = [wrappers, *called_again(words), library]
    place = _last_c_library(words)
    if place is None or (chosen in _OWN and not is_instrumented(words[place], words)):
        return before_cxx(with_libraries(words, libraries), [wrappers])
    return before_cxx(around_own(words, place, libraries), [words[place], wrappers])


def around_own(words: list[str], place: int, libraries: list[str]) -> list[str]:
    """Return the words with the libraries in one group with an instrumented C library, after it.

    Each needs the other: the C library calls the hooks, and they and the wrappers call it.
    """
    together = [words[place], *libraries]
    if _group(words[:place]) is None:
        together = ["--start-group", *together, "--end-group"]
    return [*words[:place], *together, *words[place + 1 :]]


def with_libraries(words: list[str], libraries: list[str]) -> list[str]:
    """Return the linker's words with the libraries at their place."""
    position = _place(words)
    return [*words[:position], *libraries, *words[position:]]


def called_again(words: list[str]) -> list[str]:
    """Return the libraries of _WRAPPED_TOO again: wrappers that come after them call them."""
    found = []
    for name in _WRAPPED_TOO:
        spelled = re.compile(rf"-l{name}|-l:lib{name}\.a|(?:.*/)?lib{name}(?:-\S+)?\.a")
        again = (one for one in words if spelled.fullmatch(one))
        found += [*again][:1]
    return found


def before_cxx(words: list[str], libraries: list[str]) -> list[str]:
    """Return the words with the wrappers before libstdc++ too, whose functions some of them call.

    The linker searches an archive once, and libstdc++ comes before the C library.
    """
    positions = [number for number, word in enumerate(words) if _is_cxx(word)]
    return [*words[: positions[-1]], *libraries, *words[positions[-1] :]] if positions else words


def _is_cxx(word: str) -> bool:
    return word in ("-lstdc++", "-lc++") or os.path.basename(word).startswith("libstdc++.")


def with_libc(words: list[str], name: str) -> list[str]:
    """Return the linker's words with another C library: a file, or libc_NAME.a by -L."""
    if name in _OWN:
        return words
    library = name if "/" in name or name.endswith(".a") else f"-lc_{name}"
    if "-lc" not in words:
        place = _place(words)
        return [*words[:place], library, *words[place:]]
    return [library if word == "-lc" else word for word in words]


def _place(words: list[str]) -> int:
    """Return the libraries' position: before the C library, or else after all inputs."""
    place = _last_c_library(words)
    if place is not None:
        group = _group(words[:place])
        return place if group is None else group
    for position, word in enumerate(words):
        if os.path.basename(word) in END_FILES:
            return position
    return len(words)


def _last_c_library(words: list[str]) -> int | None:
    """Return the position of the last word that names a C library, if there is one."""
    found = [number for number, word in enumerate(words) if C_LIBRARY.fullmatch(word)]
    return found[-1] if found else None


def _group(before: list[str]) -> int | None:
    """Return where the group begins that is open after these words, if one is."""
    edges = [number for number, word in enumerate(before) if word in _GROUP_BEGINS | _GROUP_ENDS]
    return edges[-1] if edges and before[edges[-1]] in _GROUP_BEGINS else None


def _stack_check_error() -> InstError:
    return InstError(
        "the stack check does not see accesses that are recorded inline",
        hint="link without --inst-stack-check, or compile with --inst-hooks=rst and link with it",
    )


def _level_error() -> InstError:
    hooks = options.hook_library()
    return InstError(
        f"the hooks of '{hooks}' read values, but some objects report addresses only",
        hint="compile with --inst-level=values, or link with hooks that read addresses only, "
        "such as --inst-hooks=count",
    )


def _building_error() -> InstError:
    return InstError(
        "instrumented code is linked without a hook library, since the option building-libc is "
        "set: only objects and archives can be made so. A shared C library cannot be instrumented: "
        "the dynamic linker calls its functions before there is anything that hooks could use",
        hint="build the static library alone (musl: --disable-shared), and link programs without "
        "INST_BUILDING_LIBC",
    )


def _executed_error() -> InstError:
    return InstError(
        f"the hooks of '{options.hook_library()}' leave out what executing code again gives, and "
        "some objects are not executed again: those compiled with -fPIC, or for other hooks",
        hint="compile them with --inst-hooks=windows, and with -fPIE or --inst-program-pic; or "
        "link with --inst-hooks=rst",
    )


def _inline_error() -> InstError:
    return InstError(
        "some objects of a shared object record inline, which only code of programs can",
        hint="compile them with -fPIC, without --inst-program-pic: their accesses call hooks then",
    )


def _record_error() -> InstError:
    recorded = options.value("record")
    how = (
        f"compile them without --inst-record (INST_RECORD={recorded}), by which code calls no hooks"
        if recorded
        else "name the hooks when those objects are compiled, too (code records where no hooks are "
        "named)"
    )
    return InstError(
        f"some objects record their accesses, which the hooks of '{options.hook_library()}' "
        "do not see",
        hint=f"{how}, or link without --inst-hooks",
    )
