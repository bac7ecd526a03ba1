"""Two workers of Dask on this machine: prints the scheduler's address, ends with its input.

    python cluster.py KILL

As a worker's preload it has that worker killed which is the first to write a window while KILL
exists.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

_KILL = "INST_TEST_KILL"


def dask_setup(_worker: object) -> None:
    from inst.commands import replay_windows

    write = replay_windows.write_alone

    def killed(task: replay_windows.Task, text: BinaryIO) -> Any:
        try:
            Path(os.environ[_KILL]).unlink()
        except FileNotFoundError:
            return write(task, text)
        return os.kill(os.getpid(), signal.SIGKILL)

    replay_windows.write_alone = killed


def main() -> None:
    from distributed import LocalCluster

    os.environ[_KILL] = sys.argv[1]
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, preload=__file__
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
