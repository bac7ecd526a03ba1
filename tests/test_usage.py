"""A word that is nearly right is answered with the right one, by every command."""

from __future__ import annotations

import pytest

from inst.cli import COMMANDS, main, parser_of


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


def test_what_is_near_to_nothing_gets_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean" not in complaint(["view", "--zzzzzz", "a.rst"], capsys)
