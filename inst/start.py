"""Where `inst` begins: while its modules are imported, an interrupt ends it without a traceback."""

import signal
import sys

_OURS = signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""Whether an interrupt raises KeyboardInterrupt: inst may have been started to ignore it."""
if _OURS:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> int:
    """Run inst with the process's own arguments."""
    from inst.cli import main as run

    return run(sys.argv[1:], _raise_interrupts)


def _raise_interrupts() -> None:
    """Let commands notice interrupts, so that they remove what is not whole."""
    if _OURS:
        signal.signal(signal.SIGINT, signal.default_int_handler)
