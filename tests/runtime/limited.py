"""Run a program whose files may not grow beyond a limit."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path


def run_limited(command: list[str], out: Path, limit: int) -> subprocess.CompletedProcess[str]:
    """Run a command with INST_OUT; a file of more than `limit` bytes is refused by the kernel."""

    def set_limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        command,
        env={"INST_OUT": str(out)},
        preexec_fn=set_limit,
        capture_output=True,
        text=True,
    )
