"""Results of a run: labelled data with units and provenance.

>>> from odonata.result import Result
>>> result = Result.load("run.nc")  # doctest: +SKIP
>>> result.dataset.link_busy.sel(link=0)  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from odonata.errors import WriteError
from odonata.lazy import lazily
from odonata.result.columns import Columns
from odonata.result.run import JobRun, Run, Scalar

if TYPE_CHECKING:
    from odonata.result.comparing import comparable
    from odonata.result.explanation import (
        KINDS,
        LEGS,
        OVER,
        STEP_KINDS,
        WAY_PARTS,
        Causes,
        Explanation,
        Scope,
    )
    from odonata.result.latencies import bin_ends, bin_widths, latency_quantiles
    from odonata.result.loads import (
        ClassLoad,
        LinkLoad,
        between_routers,
        busiest_links,
        class_loads,
        group_loads,
        num_groups,
        num_routers,
        router_loads,
        stalled_shares,
        utilisations,
    )
    from odonata.result.result import Result

__all__ = [
    "KINDS",
    "LEGS",
    "OVER",
    "STEP_KINDS",
    "WAY_PARTS",
    "Causes",
    "ClassLoad",
    "Columns",
    "Explanation",
    "JobRun",
    "LinkLoad",
    "Result",
    "Run",
    "Scalar",
    "Scope",
    "WriteError",
    "between_routers",
    "bin_ends",
    "bin_widths",
    "busiest_links",
    "class_loads",
    "comparable",
    "group_loads",
    "latency_quantiles",
    "num_groups",
    "num_routers",
    "router_loads",
    "stalled_shares",
    "utilisations",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "comparing": ["comparable"],
        "explanation": [
            *("KINDS", "LEGS", "OVER", "STEP_KINDS", "WAY_PARTS"),
            *("Causes", "Explanation", "Scope"),
        ],
        "latencies": ["bin_ends", "bin_widths", "latency_quantiles"],
        "loads": [
            "ClassLoad",
            "LinkLoad",
            "between_routers",
            "busiest_links",
            "class_loads",
            "group_loads",
            "num_groups",
            "num_routers",
            "router_loads",
            "stalled_shares",
            "utilisations",
        ],
        "result": ["Result"],
    },
)
