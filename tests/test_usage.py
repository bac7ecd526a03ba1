"""A word that is nearly right is answered with the right one, by every command."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from inst.cli import main
from inst.commands.table import COMMANDS, EXAMPLES, parser_of


def complaint(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as leaving:
        main(words)
    assert leaving.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_long_option_is_found_by_a_misspelling(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for action in parser_of(command)._actions:
        for option in action.option_strings:
            if len(option) > 6:
                wrong = option[:4] + option[5:] + "x"
                message = complaint([command, wrong, "a", "b"], capsys)
                assert f"did you mean {option}?" in message, message


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["veiw", "a.rst"], "view"),
        (["view", "--as", "rts", "a.rst"], "rst"),
        (["convert", "--to", "parqet", "a", "b"], "parquet"),
    ],
)
def test_words_of_a_closed_set_are_found(
    words: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"did you mean {meant}?" in complaint(words, capsys)


NEARLY = [
    ("view --type inst {}", "instr"),
    ("filter 'onyl load' {} -", "only"),
    ("filter 'only laod' {} -", "load"),
    ("filter 'sample 1/9 blok=3' {} -", "block"),
    ("filter 'sample 1/9 unit=event' {} -", "events"),
    ("filter 'flag takn' {} -", "taken"),
    ("filter 'split tread' {} -", "thread"),
    ("filter head {} - --arch pcp", "ppc"),
    ("convert {} out.sxp", ".sexp"),
    ("convert {} out.rst.zstd", ".zst"),
    ("check --only Well-fromed {}", "well-formed"),
    ("check --only wellformed {}", "well-formed"),
    ("check --except race {}", "races"),
    ("check --explain rst-heder", "rst-header"),
    ("check --set profil=arm {}", "profile"),
    ("check --only break-before-make --set profile=arn {}", "arm"),
    ("check --only memory-sound --set memory=strickt {}", "strict"),
]


@pytest.mark.parametrize(("line", "right"), NEARLY)
def test_values_that_are_nearly_right(
    line: str, right: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of records, filters, arguments, formats, checks, settings, codes."""
    (tmp_path / "t.sexp").write_text("(mem-read (id 1) (tid 1) (address 0x10) (value 0x0))\n")
    words = shlex.split(line.replace("head", "'head 1'").format(tmp_path / "t.sexp"))
    assert main(words) == 2
    said = capsys.readouterr().err
    assert re.search(rf"did you mean '?{re.escape(right)}\b", said), said


def test_what_to_ignore_that_is_nearly_right(capsys: pytest.CaptureFixture[str]) -> None:
    message = complaint(["diff", "a", "b", "--ignore", "adresses"], capsys)
    assert "did you mean 'addresses'?" in message


@pytest.mark.parametrize("command", ["view", "stats"])
def test_only_what_is_needed_is_asked_for(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint([command], capsys).endswith("the following arguments are required: FILE\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_can_be_read(command: str) -> None:
    parser, text = parser_of(command), parser_of(command).format_help()
    assert len(EXAMPLES[command]) >= 2
    for line in EXAMPLES[command]:
        assert f"  inst {line}\n" in text
        name, *words = shlex.split(line.partition("<")[0])
        assert name == command
        parser.parse_args(words)
    assert max(map(len, text.splitlines())) <= 100


def test_what_is_near_to_nothing_gets_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean" not in complaint(["view", "--zzzzzz", "a.rst"], capsys)
