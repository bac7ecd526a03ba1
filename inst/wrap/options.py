"""The options of inst-cc, one table: `--inst-NAME[=VALUE]` and the variable INST_NAME."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from dataclasses import dataclass

from inst.errors import InstError

PREFIX = "--inst-"


@dataclass(frozen=True, slots=True)
class WrapOption:
    """One option; its value travels to the assembler and the linker as a variable."""

    name: str
    default: str
    meaning: str
    choices: tuple[str, ...] = ()
    """Values allowed; empty when any text will do."""
    path: bool = False
    """Whether a value with a slash in it is made absolute, since tools change directory."""
    changes_object: bool = False
    """Whether the object file depends on it, so that a compiler cache must see it."""

    @property
    def variable(self) -> str:
        """The environment variable that says the same."""
        return "INST_" + self.name.replace("-", "_").upper()


OPTIONS = (
    WrapOption("cache", "", "directory of built hook libraries (else ~/.cache/inst)", path=True),
    WrapOption("disable", "0", "1: be the plain compiler", choices=("", "0", "1")),
    WrapOption("hooks", "rst", "hook library: a name, or a C file of your own", path=True),
    WrapOption("keep", "", "directory to keep the rewritten assembly in", path=True),
    WrapOption(
        "level",
        "values",
        "what a hook is told: addresses, or addresses and values",
        choices=("addresses", "values"),
        changes_object=True,
    ),
)
BY_NAME = {option.name: option for option in OPTIONS}


def value(name: str) -> str:
    """Return an option's value, from its variable or its default."""
    option = BY_NAME[name]
    return os.environ.get(option.variable) or option.default


def take_options(
    arguments: list[str], environment: MutableMapping[str, str] = os.environ
) -> list[str]:
    """Move leading `--inst-` options into the environment and return the rest."""
    for position, argument in enumerate(arguments):
        if not argument.startswith(PREFIX):
            return arguments[position:]
        name, equals, text = argument[len(PREFIX) :].partition("=")
        option = BY_NAME.get(name)
        if option is None:
            raise _unknown(argument)
        environment[option.variable] = text if equals else "1"
    return []


def check_options(environment: MutableMapping[str, str] = os.environ) -> None:
    """Refuse values that no option has, and make paths absolute."""
    for option in OPTIONS:
        text = environment.get(option.variable, "")
        if text and option.choices and text not in option.choices:
            expected = " or ".join(choice for choice in option.choices if choice)
            raise InstError(
                f"{option.variable}={text} is not a choice",
                hint=f"{PREFIX}{option.name}= (or {option.variable}=) takes {expected}",
            )
        if option.path and ("/" in text or option.name != "hooks" or text.endswith(".c")) and text:
            environment[option.variable] = os.path.abspath(text)


def describe() -> str:
    """Return the table of options as text for --inst-help."""
    lines = [
        f"  {PREFIX + option.name + '=...':20} {option.variable:14} {option.meaning}"
        f"{f' (default: {option.default})' if option.default else ''}"
        for option in OPTIONS
    ]
    return "\n".join(lines)


def _unknown(argument: str) -> InstError:
    known = ", ".join(PREFIX + option.name for option in OPTIONS)
    return InstError(f"unknown option {argument}", hint=f"known are {known}, {PREFIX}help")
