"""The script for a fresh Debian: what it types, what it takes for wrong, and whom it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fresh.commands import Command, newcomer, quick_start
from tests.fresh.session import Session

ROOT = Path(__file__).resolve().parents[2]


def test_the_documents_give_the_commands() -> None:
    (_, start), (_, front), (_, tutorial) = newcomer()
    texts = [command.text.partition("  ")[0] for command in start]
    assert texts[:2] == ["./bootstrap demo", ". .venv/bin/activate"]
    assert "inst check basket.rst ./basket" in texts and "inst check --list" in texts
    assert not any("configure" in text for text in texts)
    assert tutorial[0].text == "inst examples basket.c" and len(tutorial) >= 8
    number = int(start[0].place.partition(":")[2])
    assert front[0].text == "inst examples race.c" and "thread ..." in str(front[3].wanted)
    line = (ROOT / "docs/start.md").read_text(encoding="utf-8").splitlines()[number - 1]
    assert line.strip().startswith("./bootstrap demo")


def test_a_shell_goes_on_and_faults_are_seen(tmp_path: Path) -> None:
    lines = ["cd /", "word=kept  # a comment", "pwd; echo $word", "cat; false", "echo a >&2"]
    commands = [Command("-", line) for line in lines]
    commands += [Command("-", "printf 12", "1...\n"), Command("-", "echo 3", "4\n")]
    session = Session(["bash", "--noprofile", "--norc"])
    outcomes = list(session.run([*commands, Command("-", "exit 3"), Command("-", "true")]))
    session.close()
    assert [bool(each.wrong) for each in outcomes] == [False] * 3 + [True, False, False] + [
        True
    ] * 3
    assert outcomes[2].output == "/\nkept\n" and outcomes[4].output == "a\n"
    assert "exit status 1" in outcomes[3].wrong and "should print\n4" in outcomes[6].wrong


def test_a_page_without_quick_start_is_noticed() -> None:
    try:
        list(quick_start("# inst\n"))
    except ValueError as error:
        assert "Quick start" in str(error)
    else:
        raise AssertionError


def test_who_is_not_root_is_told() -> None:
    user = os.geteuid() or 65534
    code = f"import os, tests.fresh.__main__ as it; os.setuid({user}); raise SystemExit(it.main())"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "needs root: run it with sudo" in done.stderr, done.stderr
