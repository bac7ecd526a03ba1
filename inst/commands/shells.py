"""Shell completion for inst and inst-cc, made from their own options.

The scripts are static: completing a word starts no Python. Each is a table of the words that may
follow a word; where the values of an option are not known, files are offered.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote

from inst.commands.table import COMMANDS, parser_of
from inst.wrap.options import OPTIONS, PREFIX


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command."""

    names: tuple[str, ...]
    what: str
    values: tuple[str, ...]
    """The values it takes, if that is a closed set."""
    takes_value: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand, its options, and the words that may come in place of files."""

    name: str
    what: str
    options: tuple[Option, ...]
    words: tuple[str, ...]


def commands() -> list[Command]:
    """Return the options and words of every subcommand."""
    return [
        Command(name, what, tuple(_options(name)), _positional(name))
        for name, what in COMMANDS.items()
    ]


def _options(command: str) -> Iterator[Option]:
    for action in parser_of(command)._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            values = tuple(map(str, action.choices or _named(command, action.dest)))
            what = " ".join((action.help or "").replace("%%", "%").split())
            yield Option(tuple(action.option_strings), what, values, action.nargs != 0)


def _named(command: str, option: str) -> tuple[str, ...]:
    """Return the names that an option takes, of things that inst has."""
    from inst.check import registry
    from inst.diff.ignore import IGNORE

    if command == "check" and option in ("only", "leave_out"):
        return tuple(registry.known())
    if (command, option) == ("check", "explain"):
        return tuple(sorted(registry.codes()))
    return tuple(IGNORE) if (command, option) == ("diff", "ignore") else ()


def _positional(command: str) -> tuple[str, ...]:
    """Return the words a command takes besides files."""
    from inst.commands import examples

    if command == "examples":
        return tuple(examples.names())
    choices = [a.choices for a in parser_of(command)._actions if not a.option_strings]
    return tuple(str(word) for each in choices for word in each or ())


def _closed(command: Command) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a shell pattern `COMMAND:OPTION` for each option with known values, and the values."""
    for option in command.options:
        if option.values:
            yield "|".join(f"{command.name}:{name}" for name in option.names), option.values


def bash() -> str:
    """Return the completions of bash."""
    cases = []
    for command in commands():
        for pattern, taken in _closed(command):
            cases.append(f"    {pattern}) words={quote(' '.join(taken))} ;;")
        flags = " ".join(name for option in command.options for name in option.names)
        cases.append(f"    {command.name}:-*) words={quote(flags)} ;;")
        if command.words:
            cases.append(f"    {command.name}:*) more={quote(' '.join(command.words))} ;;")
    own = [f"{PREFIX}{option.name}=" for option in OPTIONS]
    values = [f"    {PREFIX}{o.name}) words={quote(' '.join(filter(None, o.choices)))} ;;"
              for o in OPTIONS if o.choices]  # fmt: skip
    return _BASH.format(
        commands=" ".join(COMMANDS), cases="\n".join(cases),
        own=" ".join([*own, f"{PREFIX}help", f"{PREFIX}version"]), values="\n".join(values),
    )  # fmt: skip


_BASH = """\
# Completions of bash for inst and inst-cc, made by `inst completion bash`.
_inst() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words= more= key
  COMPREPLY=()
  if (( COMP_CWORD == 1 )) && [[ $current != -* ]]; then
    COMPREPLY=($(compgen -W '{commands}' -- "$current"))
    return
  fi
  key=${{COMP_WORDS[1]}}
  for key in "$key:$before" "$key:$current"; do
    [[ -n $words ]] || case $key in
{cases}
    esac
  done
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$more" -- "$current") $(compgen -f -- "$current"))
  fi
}}
_inst_cc() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
  [[ $current == = ]] && current=
  [[ $before == = ]] && before=${{COMP_WORDS[COMP_CWORD-2]}}
  COMPREPLY=()
  case $before in
{values}
  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W '{own}' -- "$current"))
    [[ ${{COMPREPLY-}} == *= ]] && compopt -o nospace 2>/dev/null
  elif (( COMP_CWORD == 1 )) || [[ $before == --inst-* ]]; then
    COMPREPLY=($(compgen -c -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _inst inst
complete -o filenames -F _inst_cc inst-cc
"""


def zsh() -> str:
    """Return the completions of zsh."""
    cases = []
    for command in commands():
        for pattern, taken in _closed(command):
            cases.append(f"    {pattern}) compadd -- {_words(taken)}; return ;;")
    flags = []
    for command in commands():
        listed = " ".join(
            quote(f"{name}:{option.what}") for option in command.options for name in option.names
        )
        flags.append(f"      {command.name}) list=({listed}) ;;")
        if command.words:
            cases.append(f"    {command.name}:*) compadd -- {_words(command.words)} ;;")
    named = " ".join(quote(f"{name}:{what}") for name, what in COMMANDS.items())
    own = " ".join(quote(f"{PREFIX}{o.name}=:{o.meaning}") for o in OPTIONS)
    values = []
    for each in OPTIONS:
        name = f"{PREFIX}{each.name}="
        if each.choices:
            words = _words(tuple(filter(None, each.choices)))
            values.append(f"    {name}*) compset -P '*='; compadd -- {words} ;;")
    return _ZSH.format(
        commands=named, cases="\n".join(cases), flags="\n".join(flags), own=own,
        values="\n".join(values),
    )  # fmt: skip


def _words(values: tuple[str, ...]) -> str:
    return " ".join(map(quote, values))


_ZSH = """\
#compdef inst inst-cc
# Completions of zsh for inst and inst-cc, made by `inst completion zsh`.
_inst_command() {{
  local -a list
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    list=({commands})
    _describe command list
    return
  fi
  if [[ $words[CURRENT] == -* ]]; then
    case $words[2] in
{flags}
    esac
    _describe -o option list
    return
  fi
  case $words[2]:$words[CURRENT-1] in
{cases}
  esac
  _files
}}
_inst_cc() {{
  local -a list
  case $words[CURRENT] in
{values}
    -*) list=({own}); _describe -o -S '' option list ;;
    *) if (( CURRENT == 2 )) || [[ $words[CURRENT-1] == --inst-* ]]; then _command_names
       else _files; fi ;;
  esac
}}
if [[ $funcstack[1] == _inst ]]; then
  if [[ $service == inst-cc ]]; then _inst_cc "$@"; else _inst_command "$@"; fi
else
  compdef _inst_command inst
  compdef _inst_cc inst-cc
fi
"""


def fish() -> str:
    """Return the completions of fish."""
    lines = ["# Completions of fish for inst and inst-cc, made by `inst completion fish`."]
    for command in commands():
        what, inside = quote(command.what), quote(f"__fish_seen_subcommand_from {command.name}")
        lines.append(f"complete -c inst -n __fish_use_subcommand -f -a {command.name} -d {what}")
        start = f"complete -c inst -n {inside}"
        lines += [" ".join([start, *_fish_option(option)]) for option in command.options]
        if command.words:
            lines.append(f"complete -c inst -n {inside} -a {quote(' '.join(command.words))}")
    for each in OPTIONS:
        values = f" -x -a {quote(' '.join(filter(None, each.choices)))}" if each.choices else " -r"
        name, meaning = f"{PREFIX}{each.name}".removeprefix("--"), quote(each.meaning)
        lines.append(f"complete -c inst-cc -l {name}{values} -d {meaning}")
    first = "test (count (commandline -opc)) -le 1"
    lines.append(f"complete -c inst-cc -n {quote(first)} -a '(__fish_complete_command)'")
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> Iterator[str]:
    for name in option.names:
        yield f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
    if option.values:
        yield f"-x -a {quote(' '.join(option.values))}"
    elif option.takes_value:
        yield "-r"
    yield f"-d {quote(option.what)}"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
