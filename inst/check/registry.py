"""Which checks there are: the built-in ones, and those of installed packages."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from inst.common.usage import meant
from inst.errors import InstError
from inst.trace.finding import CheckModule

CHECKS = {
    "well-formed": "inst.check.well_formed",
    "break-before-make": "inst.check.break_before_make",
    "rst-sound": "inst.check.rst_sound",
    "memory-sound": "inst.check.memory_sound",
    "stack-window": "inst.check.stack_window",
    "locks": "inst.check.locks",
    "races": "inst.check.races",
    "uninitialised": "inst.check.uninitialised",
}
"""Every built-in check's name and module, in the order they run."""

ON_DEMAND = frozenset({"uninitialised"})
"""Checks that run only where they are named: they may report what is right."""

SETTINGS = ("profile", "racy", "explain-state", "print-state", "diff-state", "diagram", "memory")
"""What `--set` may set for the built-in checks; a further check may have SETTINGS, too."""

GROUP = "inst.checks"
"""Entry points of this group add checks: `name = "package.module"`."""


@cache
def _plugins() -> dict[str, EntryPoint]:
    found = {point.name: point for point in entry_points(group=GROUP)}
    return {name: found[name] for name in sorted(found) if name not in CHECKS}


def names() -> tuple[str, ...]:
    """Return the names of the checks that run by default: the built-in ones first."""
    return tuple(name for name in known() if name not in ON_DEMAND)


def known() -> tuple[str, ...]:
    """Return the names of all checks: the built-in ones first."""
    return (*CHECKS, *_plugins())


def settings() -> tuple[str, ...]:
    """Return the names of all settings; none if a further check does not name its own."""
    modules = [module(name) for name in _plugins()]
    if not all(hasattr(each, "SETTINGS") for each in modules):
        return ()
    return (*SETTINGS, *(name for each in modules for name in vars(each)["SETTINGS"]))


def module(name: str) -> CheckModule:
    """Return the module of a check, imported when it is first wanted."""
    if name in CHECKS:
        built_in: Any = importlib.import_module(CHECKS[name])
        return built_in  # type: ignore[no-any-return]
    try:
        point = _plugins()[name]
    except KeyError:
        hint = meant(name, known(), "checks:")
        raise InstError(f"there is no check {name!r}", hint=hint) from None
    try:
        loaded: Any = point.load()
    except Exception as error:
        raise InstError(
            f"the check {name!r} cannot be loaded from {point.value}: {error}",
            hint=f"it is an entry point of the group {GROUP!r} in an installed package",
        ) from error
    for needed in ("CODES", "start"):
        if not hasattr(loaded, needed):
            raise InstError(f"the check {name!r} ({point.value}) has no {needed}")
    return loaded  # type: ignore[no-any-return]


def codes() -> dict[str, tuple[str, str]]:
    """Return every finding code with its check and what it means."""
    return {code: (name, text) for name in known() for code, text in module(name).CODES.items()}


def explain(code: str) -> str:
    """Return what a finding code means; empty for an unknown one."""
    return codes().get(code, ("", ""))[1]
