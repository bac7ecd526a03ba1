"""The start of inst-cc: it imports almost nothing, so that interrupts are handled early."""


def main() -> int:
    """Run inst-cc with the process's own arguments."""
    try:
        from inst.wrap.cc import main as run

        return run()
    except KeyboardInterrupt:
        from inst.common.ending import die_of_interrupt

        die_of_interrupt()
        return 130
