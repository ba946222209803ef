from .calls import Block, Call
from .format import Header, function_names
from .matrix import Matrix, matrices, select
from .phases import RunPhase
from .read import Reader
from .summary import Summary, summarize
from .views import Collective, Receive, Send
from .write import Writer

__all__ = [
    "Block",
    "Call",
    "Collective",
    "Header",
    "Matrix",
    "Reader",
    "Receive",
    "RunPhase",
    "Send",
    "Summary",
    "Writer",
    "function_names",
    "matrices",
    "select",
    "summarize",
]
