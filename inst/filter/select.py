"""Selections: what a record must be to stay. They combine with not, and, or."""

from __future__ import annotations

import functools

import numpy as np

from inst.filter.arguments import Ranges, SourceLines, addresses, numbers, patterns, sources, words
from inst.filter.model import Filter, Parameter, Predicate
from inst.trace.model import Array
from inst.trace.registry import codec_of, formats
from inst.trace.view import CLASSES, FALSE, TRUE, UNKNOWN, View

TYPES = list(dict.fromkeys((*CLASSES, *(name for each in formats() for name in each.types))))
MARKS = [
    "taken", "annulled", "trapped", "privileged", "hpriv", "ea_valid", "bt", "load", "store",
    "access", "atomic", "reserve", "branch",
]  # fmt: skip


def _only(types: tuple[str, ...]) -> Predicate:
    return lambda view: view.verdict(_any(view, [_of_type(view, word) for word in types]))


def _of_type(view: View, word: str) -> Array:
    known = codec_of(view.batch.source.trace).types
    if word in CLASSES or word in known or word.startswith("rtype="):
        return view.is_type(word)
    return np.zeros(len(view), bool)


def _any(view: View, masks: list[Array]) -> Array:
    result = np.zeros(len(view), bool)
    for mask in masks:
        result |= mask
    return result


def _drop(types: tuple[str, ...]) -> Predicate:
    """Drop exactly the records of the types; an instruction takes along what belongs to it."""

    def verdict(view: View) -> Array:
        named = _any(view, [_of_type(view, word) for word in types])
        leads = view.leader == np.arange(len(view))
        return np.where(named | (named & leads)[view.leader], FALSE, TRUE).astype("i1")

    return verdict


def _column(name: str, ranges: Ranges) -> Predicate:
    def verdict(view: View) -> Array:
        masks = [known & ranges.holds(values) for values, known in view.columns(name)]
        return view.verdict(_any(view, masks) & ~view.context)

    return verdict


def _owner(name: str, ranges: Ranges) -> Predicate:
    """Context that names a cpu is of that cpu, and of the thread that runs on it."""

    def verdict(view: View) -> Array:
        values, known = view.owner(name)
        matches = np.where(ranges.holds(values), TRUE, FALSE)
        return np.where(known, matches, np.where(view.context, UNKNOWN, FALSE)).astype("i1")

    return verdict


def _flag(marks: tuple[str, ...]) -> Predicate:
    return lambda view: view.verdict(_any(view, [view.mark(each) for each in marks]))


def _opcode(wanted: tuple[str, ...]) -> Predicate:
    return lambda view: view.verdict(view.matching(wanted))


def _source(wanted: tuple[SourceLines, ...]) -> Predicate:
    def verdict(view: View) -> Array:
        numbers_, places = view.places()
        fits = [any(_in_source(file, line, each) for each in wanted) for file, line, _ in places]
        return view.verdict(np.array(fits, bool)[numbers_])

    return verdict


def _in_source(file: str, line: int, wanted: SourceLines) -> bool:
    same = bool(file) and (file == wanted.file or file.endswith("/" + wanted.file))
    return same and (wanted.lines is None or wanted.lines.has(line))


def _function(wanted: tuple[str, ...]) -> Predicate:
    import fnmatch

    def verdict(view: View) -> Array:
        numbers_, places = view.places()
        fits = [
            bool(name) and any(fnmatch.fnmatchcase(name, each) for each in wanted)
            for _, _, name in places
        ]
        return view.verdict(np.array(fits, bool)[numbers_])

    return verdict


def _in_ranges(name: str, summary: str, example: str, needs: str = "") -> Filter:
    """Return the row of a filter for numbers of a column."""
    hexadecimal = name in ("pc", "ea", "word")
    read, shape = (addresses, "HEX[-HEX][,...]") if hexadecimal else (numbers, "N[-M][,...]")
    make = functools.partial(_column, name)
    return Filter(name, "select", summary, example, make, (Parameter("range", read, shape),), needs)


_TYPES = (Parameter("types", words(TYPES), "TYPE[,...]"),)
_PATTERNS = (Parameter("patterns", patterns, "PATTERN[,...]"),)

FILTERS = (
    Filter(
        "only", "select",
        "Keep records of these types or classes: " + ", ".join(CLASSES) + ", a type's name as "
        "`inst view` shows it, or rtype=N. The trace's context stays; `drop context` removes it.",
        "only load,store", _only, _TYPES,
    ),
    Filter(
        "drop", "select",
        "Remove records of these types or classes, context too; an instruction goes with its "
        "MEMVAL and REGVAL records.",
        "drop trap,rtype=40", _drop, _TYPES,
    ),
    _in_ranges("pc", "Keep what was executed at these addresses (closed ranges).", "pc "
    "10000-10fff"),
    _in_ranges("ea", "Keep what has an effective address in these ranges (closed).",
               "ea 0x1000-0x1fff,0x8000"),
    _in_ranges("size", "Keep accesses of these sizes in bytes.", "size 1,8-16"),
    _in_ranges("value", "Keep accesses that read or wrote these values.",
             "value 0,0xdead0000-0xdeadffff"),
    _in_ranges("id", "Keep records with these sequence ids; in RST, which has none, ordinals.",
             "id 100-199"),
    _in_ranges("record", "Keep records with these ordinals, from 0, in the filter's input.",
             "record 1000-"),
    _in_ranges("word", "Keep these instruction words.", "word 91d02010", "words"),
    Filter(
        "thread", "select", "Keep these threads; a cpu's number where the trace names no threads.",
        "thread 3,7-9", functools.partial(_owner, "thread"),
        (Parameter("range", numbers, "N[-M][,...]"),), "threads", "STF has one thread",
    ),
    Filter(
        "cpu", "select", "Keep these cpus.", "cpu 0-3", functools.partial(_owner, "cpu"),
        (Parameter("range", numbers, "N[-M][,...]"),), "cpus", "others name no cpu",
    ),
    Filter(
        "flag", "select", "Keep records with one of these marks: " + ", ".join(MARKS) + ".",
        "flag taken,annulled", _flag, (Parameter("marks", words(MARKS), "MARK[,...]"),),
    ),
    *(
        Filter(name, "select", f"Keep {what} (short for `flag {name}`).", name,
               lambda name=name: _flag((name,)))
        for name, what in (("load", "instructions that read memory"),
                           ("store", "instructions that write memory"),
                           ("branch", "branches, calls and jumps"))
    ),
    Filter(
        "opcode", "select", "Keep instructions with these mnemonics, as the disassembler writes "
        "them; "
        "* and ? stand for other characters.", "opcode ld*,stwu", _opcode, _PATTERNS, "words",
    ),
    Filter(
        "source", "select", "Keep what these source files and lines did; needs --program unless "
        "the trace names its sources.", "source main.c:10-20", _source,
        (Parameter("files", sources, "FILE[:LINE[-LINE]][,...]"),),
    ),
    Filter(
        "function", "select", "Keep what these functions did; needs --program.",
        "function main,sort_*", _function, _PATTERNS,
    ),
)  # fmt: skip
