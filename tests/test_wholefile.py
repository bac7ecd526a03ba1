"""Files appear whole or not at all; what is no file is never replaced by one."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from inst.common.wholefile import whole_file
from tests.conftest import ROOT


def test_a_file_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(ValueError), whole_file(path) as stream:
        stream.write(b"half")
        raise ValueError
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with whole_file(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("name", ["/dev/fd/1", "/proc/self/fd/1", "stdout"])
def test_a_descriptor_is_written_to(name: str, tmp_path: Path) -> None:
    """The name of an own descriptor that goes to a file is not replaced by a file."""
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")
    code = (
        "import sys; from pathlib import Path; from inst.common.wholefile import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as stream: stream.write(b'text')"
    )
    with open(tmp_path / "out", "wb") as out:
        subprocess.run(
            [sys.executable, "-c", code, name],
            stdout=out,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
        )
    assert (tmp_path / "out").read_text() == "text"
    assert (tmp_path / "stdout").is_symlink()
