"""What a run measured: labelled data with units and provenance.

>>> from odonata.result import Result
>>> result = Result.load("run.nc")  # doctest: +SKIP
>>> result.dataset.link_busy.sel(link=0)  # doctest: +SKIP
"""

from odonata.result.atomic import WriteError, require_writable, write_whole
from odonata.result.loads import (
    ClassLoad,
    LinkLoad,
    busiest_links,
    class_loads,
    group_loads,
    stalled_shares,
    utilisations,
)
from odonata.result.result import Result
from odonata.result.run import JobRun, Run, Scalar

__all__ = [
    "ClassLoad",
    "JobRun",
    "LinkLoad",
    "Result",
    "Run",
    "Scalar",
    "WriteError",
    "busiest_links",
    "class_loads",
    "group_loads",
    "require_writable",
    "stalled_shares",
    "utilisations",
    "write_whole",
]
