"""Header, skeleton and documentation, generated from the table of hooks."""

from __future__ import annotations

import textwrap

from inst.hooktable import (
    HELPERS,
    HOOKS,
    Hook,
    helper_prototype,
    prototype,
)

_HEADER_START = """\
/* The hooks that a library may define.  Generated from inst/hooktable.py by
   `inst new-hook --header`; do not edit. */
#ifndef INST_HOOKS_H
#define INST_HOOKS_H

#include <stdint.h>

#include <inst/registers.h>

typedef uintptr_t inst_address;

#ifdef __cplusplus
extern "C" {
#endif

/* Hooks stay inside the program they are linked into. */
#pragma GCC visibility push(hidden)

/* A library may define a hook with fewer parameters than it is passed, counted from the left, in C
   and in C++.  So hooks are not declared here, but for a type of each, inst_NAME; inst-cc compares
   each definition with the table of hooks when it builds the library.  Define INST_ALL_PARAMETERS
   before including this file to declare every hook with all of its parameters: for code that calls
   hooks, or always takes them all. */
#ifdef INST_ALL_PARAMETERS
#define INST_HOOK(name, ...) void name(__VA_ARGS__)
#else
#define INST_HOOK(name, ...) typedef void inst_##name(__VA_ARGS__)
#endif

"""

_HEADER_END = """\
#undef INST_HOOK
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
"""

_SKELETON_START = """\
/* Hook library {name}.  Delete the hooks you do not need: a hook that is not there, or is
   empty, costs the program two instructions an access on SPARC and one on PowerPC.  A hook may also
   declare fewer parameters than it is passed, from the left.

   Hooks run inside malloc, signal handlers and the start of threads: call no library
   function, use no floating point, and keep what a thread needs in __thread variables.
   Functions of your own should be static.
   inst/support.h has functions of the C library that hooks may call: OPEN, WRITE, MALLOC,
   PRINTF ... in capitals.  */
#include <inst/hooks.h>
#include <inst/support.h>
"""


def header() -> str:
    """Return the text of runtime/include/inst/hooks.h."""
    numbers = ", ".join(f"INST_{hook.name.upper()} = {hook.id}" for hook in HOOKS)
    text = textwrap.fill(numbers, 96, initial_indent="    ", subsequent_indent="    ")
    parts = [f"{_HEADER_START}/* The numbers of hooks. */\nenum {{\n{text}\n}};\n\n"]
    parts += [f"{_comment(hook.description)}\n{_declaration(hook)}\n\n" for hook in HOOKS]
    for one in HELPERS:
        parts.append(f"{_comment(one.description)}\n#define {one.name} inst_{one.name}\n")
        parts.append(f"{helper_prototype(one)};\n\n")
    return "".join([*parts, _HEADER_END])


def _declaration(hook: Hook) -> str:
    """Return the line of the header that declares a hook."""
    lines = [f"INST_HOOK({hook.name},"]
    for parameter in hook.parameters or ("void",):
        if len(f"{lines[-1]} {parameter},") > 95:
            lines.append(" " * len("INST_HOOK"))
        lines[-1] += f" {parameter},"
    return "\n".join(lines).removesuffix(",") + ");"


def skeleton(name: str) -> str:
    """Return a hook library with every hook, empty, under its description."""
    parts = [_SKELETON_START.format(name=name)]
    for hook in HOOKS:
        unused = "".join(f"    (void)({parameter.name});\n" for parameter in hook.parameters)
        parts.append(f"\n{_comment(hook.description)}\n{prototype(hook)}\n{{\n{unused}}}\n")
    return "".join(parts)


def documentation() -> str:
    """Return the table of hooks in Markdown."""
    lines = ["| id | hook | when it is called |", "|---|---|---|"]
    for hook in sorted(HOOKS, key=lambda one: one.id):
        parameters = ", ".join(str(parameter) for parameter in hook.parameters)
        lines.append(f"| {hook.id} | `{hook.name}({parameters})` | {hook.description} |")
    lines += ["", "| function | what it does |", "|---|---|"]
    lines += [f"| `{helper_prototype(one)}` | {one.description} |" for one in HELPERS]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return "\n".join(textwrap.wrap(f"/* {text} */", 96, subsequent_indent="   "))
