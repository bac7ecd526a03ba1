"""Start one of inst's tools with the Python and the modules that inst-cc itself runs with.

The tools are started without the `site` module, because it costs a quarter of the start-up
time; inst-cc passes its own module path instead.
"""

import os
import sys


def main() -> int:
    """Run the tool named by the first argument: "assembler" or "linker"."""
    if "INST_PYTHON_PATH" not in os.environ:
        print(f"inst: error: {sys.argv[2]} is for inst-cc to run, not by itself", file=sys.stderr)
        return 1
    sys.path[:0] = os.environ["INST_PYTHON_PATH"].split(os.pathsep)
    if sys.argv[1] == "assembler":
        from inst.wrap import assembler as tool
    else:
        from inst.wrap import linker as tool
    return tool.main(sys.argv[2:])


def start() -> int:
    """Run the tool; an interrupt ends it as it ends other tools, without a traceback."""
    try:
        return main()
    except KeyboardInterrupt:
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
        return 130


def end(status: int) -> None:
    """End the process without taking its modules down, which takes a tenth of a tool's time."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    end(start())
