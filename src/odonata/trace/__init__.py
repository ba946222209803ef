"""Traces: what the ranks of a program called, in a file that can be played on any machine.

>>> from odonata.trace import Reader
>>> with Reader("run.trace") as trace:  # doctest: +SKIP
...     calls = sum(len(block) for block in trace.blocks())
"""

from odonata.trace.calls import CALL, MATCH, OPERATIONS, OUTCOME, VIEW_OF, Block, Call, Outcome
from odonata.trace.format import Header, Limits, Totals, function_names
from odonata.trace.matrix import Collectives, Matrix, matrices, select
from odonata.trace.phases import Marks, RunPhase
from odonata.trace.read import Reader
from odonata.trace.summary import Summary, summarize
from odonata.trace.views import (
    ANY,
    COLLECTIVES,
    MODES,
    NOBODY,
    Abort,
    Clock,
    Collective,
    Communicator,
    Exchange,
    Phase,
    Probe,
    Receive,
    Send,
)
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
    "VIEW_OF",
    "Abort",
    "Block",
    "Call",
    "Clock",
    "Collective",
    "Collectives",
    "Communicator",
    "Exchange",
    "Header",
    "Limits",
    "Marks",
    "Matrix",
    "Outcome",
    "Phase",
    "Probe",
    "Reader",
    "Receive",
    "Recording",
    "RunPhase",
    "Send",
    "Summary",
    "Totals",
    "Writer",
    "function_names",
    "matrices",
    "select",
    "summarize",
]
