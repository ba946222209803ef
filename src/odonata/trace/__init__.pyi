from .calls import CALL, MATCH, OPERATIONS, OUTCOME, VIEW_OF, Block, Call, Outcome
from .format import Header, Limits, Totals, function_names
from .matrix import Collectives, Matrix, matrices, select
from .phases import Marks, RunPhase
from .read import Reader
from .summary import Summary, summarize
from .views import (
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
from .write import Recording, Writer

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
