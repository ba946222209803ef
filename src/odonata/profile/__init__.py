"""Profiles: what the ranks of a program called, how often, how long, how large and with whom.

>>> from odonata import profile
>>> views = profile.Views(profile.read("run"))  # doctest: +SKIP
>>> views.calls["MPI_Allreduce"].share, views.total_bytes  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily

if TYPE_CHECKING:
    from odonata.profile.compare import compare_views
    from odonata.profile.files import ranks_of_hosts, read_folder, write_folder
    from odonata.profile.folder import NewFolder
    from odonata.profile.form import (
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
    from odonata.profile.of_trace import read_trace
    from odonata.profile.profiling import Profiling
    from odonata.profile.reading import read
    from odonata.profile.views import PAPER_BINS, CallView, SizeBin, Views, select_phases

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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "compare": ["compare_views"],
        "files": ["ranks_of_hosts", "read_folder", "write_folder"],
        "folder": ["NewFolder"],
        "form": [
            "CALLS",
            "COLLECTIVE_CALLS",
            "NO_CLASS",
            "PAIRS",
            "PHASES",
            "RANKS",
            "SIZES",
            "Profile",
            "class_of",
            "is_send",
            "upper_bound",
        ],
        "of_trace": ["read_trace"],
        "profiling": ["Profiling"],
        "reading": ["read"],
        "views": ["PAPER_BINS", "CallView", "SizeBin", "Views", "select_phases"],
    },
)
