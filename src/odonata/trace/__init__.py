"""Traces: what the ranks of a program called, in a file that can be played on any machine.

>>> from odonata.trace import Reader
>>> with Reader("run.trace") as trace:  # doctest: +SKIP
...     calls = sum(len(block) for block in trace.blocks())
"""

from odonata.trace.calls import (
    ANY,
    CALL,
    COLLECTIVES,
    MATCH,
    MODES,
    NOBODY,
    OPERATIONS,
    OUTCOME,
    Block,
    Call,
    Outcome,
)
from odonata.trace.format import Header, Limits, Totals, function_names
from odonata.trace.read import Reader
from odonata.trace.summary import Summary, summarize
from odonata.trace.write import Recording, Writer

__all__ = [
    "ANY",
    "CALL",
    "COLLECTIVES",
    "MATCH",
    "MODES",
    "NOBODY",
    "OPERATIONS",
    "OUTCOME",
    "Block",
    "Call",
    "Header",
    "Limits",
    "Outcome",
    "Reader",
    "Recording",
    "Summary",
    "Totals",
    "Writer",
    "function_names",
    "summarize",
]
