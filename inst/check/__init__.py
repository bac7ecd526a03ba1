"""Checks over traces: one module per property, findings out.

`inst.trace.finding` defines what a check module provides; `inst.check.registry` names the
built-in ones and finds those of other packages.
"""

from inst.check.registry import CHECKS, explain
from inst.check.run import check_trace
from inst.trace.finding import (
    ERROR,
    LIMIT,
    WARNING,
    Check,
    CheckModule,
    Finding,
    Options,
    Other,
    Report,
)

__all__ = [
    "CHECKS",
    "ERROR",
    "LIMIT",
    "WARNING",
    "Check",
    "CheckModule",
    "Finding",
    "Options",
    "Other",
    "Report",
    "check_trace",
    "explain",
]
