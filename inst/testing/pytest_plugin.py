"""For regression suites: build C programs with inst-cc, run them, and check their traces.

    def test_unmap(inst):
        run = inst.build("table.c", "suite.c").run(watch="pool")
        run.check("break-before-make")
        assert run.counts["write"] == 12

pytest loads it with inst. `--inst-target` chooses targets, `--inst-update` writes golden traces.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from inst.testing.regression import Project


def _default_target() -> str:
    from inst.target.targets import TARGETS

    return next(name for name, target in TARGETS.items() if target.of_suites)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("inst", "programs that inst-cc instruments")
    group.addoption("--inst-update", action="store_true", help="write golden traces anew")
    group.addoption(
        "--inst-target",
        action="append",
        metavar="TARGET",
        help=f"build for this target, or all; may be repeated (default: {_default_target()})",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that have the fixture once for each requested target."""
    if "inst" in metafunc.fixturenames and "inst_target" not in _given(metafunc):
        from inst.target.targets import TARGETS

        wanted = metafunc.config.getoption("inst_target") or [_default_target()]
        names = list(TARGETS) if "all" in wanted else list(dict.fromkeys(wanted))
        for name in names:
            if name not in TARGETS:
                known = ", ".join(TARGETS)
                raise pytest.UsageError(f"--inst-target {name}: targets are all, {known}")
        metafunc.parametrize("inst_target", names, scope="session")


def _given(metafunc: pytest.Metafunc) -> set[str]:
    """Return the parameters that the test's own marks set."""
    marks = metafunc.definition.iter_markers("parametrize")
    names = (mark.args[0] for mark in marks if mark.args)
    return {
        part.strip()
        for name in names
        for part in (name.split(",") if isinstance(name, str) else name)
    }


@pytest.fixture
def inst(inst_target: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Project]:
    """Yield a project to build and run programs; sources are relative to the test's directory."""
    from inst.testing.regression import Project

    update = bool(request.config.getoption("inst_update"))
    yield Project(inst_target, request.path.parent, tmp_path, update)


def pytest_assertrepr_compare(op: str, left: Any, right: Any) -> list[str] | None:
    """Explain findings where a test expected others."""
    from inst.testing.regression import Findings

    if op != "==":
        return None
    found = next((side for side in (left, right) if isinstance(side, Findings)), None)
    if found is None:
        return None
    other = right if found is left else left
    message = ", ".join(str(finding) for finding in found.codes) or "none"
    return [f"the findings {message} are not {other}", *found.explained.splitlines()]
