"""ccache inside and outside: hits when nothing changed, and never a stale object."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from tests.conftest import ROOT, Shell

COMPILER = TARGETS["ppc32"].compiler[0]
FORMS = {
    "inside": ("inst-cc", "ccache", COMPILER),
    "outside": ("ccache", "inst-cc", COMPILER),
}


@pytest.fixture
def copied_inst(shell: Shell) -> Path:
    """Install a copy of inst whose translator can be changed, and a source file."""
    copy = shell.directory / "copy"
    for name in ("inst", "wrappers"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    script = shell.directory / "bin" / "inst-cc"
    script.parent.mkdir()
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(copy)!r})\n"
        "from inst.wrap.cc import main\nsys.exit(main())\n"
    )
    script.chmod(0o755)
    (shell.directory / "a.c").write_text("int f(int *p) { return *p + 1; }\n")
    shell.environment["PATH"] = f"{script.parent}:{shell.environment['PATH']}"
    shell.environment["CCACHE_DIR"] = str(shell.directory / "ccache")
    return copy


def _compile(shell: Shell, form: str, **variables: str) -> tuple[bytes, int]:
    """Compile and return the object and how many results ccache had already."""
    shell.check("ccache", "-z")
    shell.check(*FORMS[form], "-O2", "-c", "a.c", "-o", "a.o", **variables)
    counters = dict(line.split() for line in shell.check("ccache", "--print-stats").splitlines())
    hits = int(counters["direct_cache_hit"]) + int(counters["preprocessed_cache_hit"])
    return (shell.directory / "a.o").read_bytes(), hits


def _truth(shell: Shell, **variables: str) -> bytes:
    shell.check("inst-cc", COMPILER, "-O2", "-c", "a.c", "-o", "truth.o", **variables)
    return (shell.directory / "truth.o").read_bytes()


@pytest.mark.parametrize("form", FORMS)
def test_second_compilation_is_a_hit(
    form: str, shell: Shell, copied_inst: Path, require: Callable[..., None]
) -> None:
    """The same translator and options are served from the cache."""
    require("ccache", COMPILER)
    first, before = _compile(shell, form)
    second, after = _compile(shell, form)
    assert (before, after) == (0, 1)
    assert first == second == _truth(shell)


SLOPPINESS = ("", "include_file_mtime,include_file_ctime,pch_defines")


@pytest.mark.parametrize(
    ("form", "sloppiness"),
    [
        pytest.param(form, sloppiness, marks=() if turn % 3 == 0 else pytest.mark.campaign)
        for turn, (form, sloppiness) in enumerate(product(FORMS, SLOPPINESS))
    ],
)
def test_options_are_seen(
    form: str, sloppiness: str, shell: Shell, copied_inst: Path, require: Callable[..., None]
) -> None:
    """An object of another level, or of the plain compiler, is never served."""
    require("ccache", COMPILER)
    shell.environment["CCACHE_SLOPPINESS"] = sloppiness
    variants = ({}, {"INST_LEVEL": "addresses"}, {"INST_DISABLE": "1"})
    truths = [_truth(shell, **variant) for variant in variants]
    assert len(set(truths)) == len(truths)
    for _ in range(3):
        for variant, truth in zip(variants, truths, strict=True):
            assert _compile(shell, form, **variant)[0] == truth


@pytest.mark.parametrize("form", FORMS)
def test_another_translator_is_seen(
    form: str, shell: Shell, copied_inst: Path, require: Callable[..., None]
) -> None:
    """After the translator changed, what the old one made is not served."""
    require("ccache", COMPILER)
    old, _ = _compile(shell, form)
    _compile(shell, form)
    translator = copied_inst / "inst" / "translate.py"
    translator.write_text(
        translator.read_text()
        + "\n_first = translate\ndef translate(*given):\n"
        + '    return _first(*given) + "\\n\\t.globl changed\\n\\t.set changed,1\\n"\n'
    )
    new, hits = _compile(shell, form)
    assert hits == 0
    assert new != old
    assert new == _truth(shell)


def test_depend_mode_outside_is_refused(
    shell: Shell, copied_inst: Path, require: Callable[..., None]
) -> None:
    """In its depend mode ccache would not ask inst-cc: that is an error, with the way out."""
    require("ccache", COMPILER)
    done = shell.run(*FORMS["outside"], "-MD", "-c", "a.c", CCACHE_DEPEND="1")
    assert done.returncode == 1
    assert b"inst-cc ccache" in done.stderr
    assert not (shell.directory / "a.o").exists()
