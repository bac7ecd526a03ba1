"""Ending inst-cc and its tools with a message, and never with a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from inst.errors import NO_MEMORY, InstError


def ended(work: Callable[[], int]) -> int:
    """Do the work; return its exit status, or 1 on failure, with the reason on standard error."""
    try:
        status = work()
        sys.stdout.flush()
        return status
    except InstError as error:
        message = error.render()
    except KeyboardInterrupt:
        die_of_interrupt()
        return 130
    except MemoryError:
        message = NO_MEMORY
    except OSError as error:
        _forget_output()
        message = (
            f"inst: error: {error.filename or 'cannot write or read'}: {error.strerror or error}"
        )
    from inst.common.colours import report

    report(message)
    return 1


def die_of_interrupt() -> None:
    """End by SIGINT, as compilers do, so that make and shells see the interrupt."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def _forget_output() -> None:
    """Discard what is left in the buffer, which the interpreter flushes when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
