"""The documentation: every example prints what its page says, and all of it builds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inst.cli import COMMANDS
from tests.conftest import ROOT, Shell
from tests.docs.console import examples, matches, pages, varying, whole_lines, with_numbers


@pytest.fixture
def console(shell: Shell, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Return a shell whose python3 is the tests' own, with inst."""
    script = tmp_path_factory.mktemp("python") / "python3"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    shell.environment["PATH"] = f"{script.parent}{os.pathsep}{shell.environment['PATH']}"
    return shell


@pytest.mark.parametrize("page", [*pages(ROOT), *with_numbers(ROOT)], ids=lambda page: page.stem)
def test_examples_print_what_the_page_says(page: Path, console: Shell) -> None:
    numbers = page in with_numbers(ROOT)
    for example in examples(page.read_text(encoding="utf-8")):
        command = f"exec 2>&1\n{example.command}"
        done = console.run("sh", "-c", command, COLUMNS="92", PYTEST_ADDOPTS="")
        got = whole_lines(done.stdout.decode())
        place = f"{page.relative_to(ROOT)}:{example.line}"
        wanted = varying(example.wanted) if numbers else example.wanted
        assert matches(wanted, got), (
            f"{place}: $ {example.command}\nprinted\n{got}\ninstead of\n{example.wanted}"
            "(python -m tests.docs renews the pages)"
        )


def test_every_command_has_a_page() -> None:
    found = {page.stem for page in (ROOT / "docs/commands").glob("*.md")}
    assert found == {*COMMANDS, "inst-cc"}


def test_an_output_that_differs_is_noticed() -> None:
    assert matches("1 ...\n", "1 record\n")
    assert matches(
        "1\n", "inst: note: waiting for another inst-cc (process 7), which builds x\n1\n"
    )
    assert not matches("1 record\n", "2 records\n")
    shown = "record 8216: thread 6523 writes 0x400410ec in visit+0x98 at race.c:9\n"
    other = "record 17: thread 31 writes 0x7ffe in visit+0x9c at race.c:"
    assert matches(varying(shown), f"{other}9\n")
    assert not matches(varying(shown), f"{other}8\n")


def test_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    """As web pages and manual pages, from sources that are read once."""
    for builder in ("html", "man"):
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", builder]
        done = subprocess.run(
            [*command, "-d", tmp_path / "trees", ROOT / "docs", tmp_path / builder],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    made = {page.name for page in (tmp_path / "man").iterdir() if page.suffix in (".1", ".5")}
    assert {f"inst-{name}.1" for name in COMMANDS} < made
    text = (tmp_path / "html/formats/rst.html").read_text(encoding="utf-8")
    assert re.search(r"memval128.*?isContRec", text, re.S)
