from .compare import compare_views
from .files import ranks_of_hosts, read_folder, write_folder
from .folder import NewFolder
from .of_trace import read_trace
from .profiling import Profiling
from .reading import read
from .tables import (
    CALLS,
    COLLECTIVE_CALLS,
    NO_CLASS,
    PAIRS,
    PHASES,
    RANKS,
    SIZES,
    Profile,
    class_of,
    is_send,
    upper_bound,
)
from .views import PAPER_BINS, CallView, SizeBin, Views, select_phases

__all__ = [
    "CALLS",
    "COLLECTIVE_CALLS",
    "NO_CLASS",
    "PAIRS",
    "PAPER_BINS",
    "PHASES",
    "RANKS",
    "SIZES",
    "CallView",
    "NewFolder",
    "Profile",
    "Profiling",
    "SizeBin",
    "Views",
    "class_of",
    "compare_views",
    "is_send",
    "ranks_of_hosts",
    "read",
    "read_folder",
    "read_trace",
    "select_phases",
    "upper_bound",
    "write_folder",
]
