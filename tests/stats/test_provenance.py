"""What a trace says of its making: by our runtime, through every door that shows it."""

from __future__ import annotations

import json
import platform
import random
import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from inst import __version__
from inst.target.targets import Target
from inst.trace import open_trace

ROOT = Path(__file__).parents[2]
PROGRAM = "int kept; int main(int count, char **words) { kept += count; return words == 0; }\n"


ARCHITECTURES = {"ppc32": "ppc", "sparc-v8": "sparc", "sparc-v9": "sparc64"}
"""The word of a trace for the targets whose name it is not."""


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_the_runtime_names_what_made_the_trace(hooks: str, target: Target, shell: Any) -> None:
    (shell.directory / "a.c").write_text(PROGRAM)
    begun = datetime.now(UTC).replace(microsecond=0)
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-static", "a.c", "-o", "a")
    shell.check("inst", "run", "-o", f"a.{hooks}", "./a", "one word", "two")
    trace = open_trace(shell.directory / f"a.{hooks}")
    assert sum(map(len, trace.events()))
    told = trace.facts.producer
    versions = {name: told[name] for name in ("translator", "runtime", "hooks-version")}
    assert set(versions.values()) == {__version__}
    compiler = subprocess.run([*target.compiler, "-dumpfullversion"], capture_output=True)
    assert told["compiler"] == f"gcc {compiler.stdout.decode().strip()}"
    assert told["hooks"] == hooks
    assert told["arch"] == trace.facts.arch
    assert told["arch"] == ARCHITECTURES.get(target.name, target.name)
    assert re.search(r"a one word two$", told["command"])
    assert told["host"] == platform.node()
    date = datetime.strptime(told["date"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert begun <= date <= datetime.now(UTC)
    assert told["image"].startswith(str(shell.directory / "a"))
    _shown(shell, f"a.{hooks}", told)


def _shown(shell: Any, trace: str, told: dict[str, str]) -> None:
    """`inst view` and `inst stats` show what the trace records about its making."""
    viewed = shell.check("inst", "view", "--no-pager", trace)
    text = shell.check("inst", "stats", trace)
    summary = json.loads(shell.check("inst", "stats", "--json", trace))
    for name, value in told.items():
        assert f"{name}: {value}\n" in text
        assert summary["producer"][name] == value
        assert name in viewed and value.partition(" base=")[0] in viewed


def test_dates_are_right_in_every_year(tmp_path: Path, require: Callable[..., None]) -> None:
    """The runtime has no C library: its calendar is its own."""
    require("gcc")
    text = (ROOT / "runtime" / "image.c").read_text()
    start, end = text.index("static char *put_digits"), text.index("#include <architecture.h>")
    source, program = tmp_path / "date.c", tmp_path / "date"
    main = """
int main(void)
{
    unsigned seconds;
    char date[32];
    while (scanf("%u", &seconds) == 1) {
        put_date(date, seconds);
        puts(date);
    }
    return 0;
}
"""
    source.write_text(f"#include <stdint.h>\n#include <stdio.h>\n{text[start:end]}{main}")
    subprocess.run(["gcc", "-Wall", "-Werror", source, "-o", program], check=True)
    chosen = random.Random(1970)
    moments = [0, 86399, 86400, 2**31, 2**32 - 1, 951782400, 951868799, 951868800, 4107542400]
    moments += [chosen.randrange(2**32) for _ in range(2000)]
    said = subprocess.run(
        [program], input="\n".join(map(str, moments)), capture_output=True, text=True, check=True
    ).stdout.split()
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    expected = [(epoch + timedelta(seconds=n)).strftime("%Y-%m-%dT%H:%M:%SZ") for n in moments]
    assert said == expected
