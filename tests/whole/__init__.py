"""Static programs of which all code is instrumented, the C library's too.

`python -m tests.campaign --piece whole` holds them against the emulator's record.
"""
