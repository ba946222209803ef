from .columns import Columns
from .comparing import comparable
from .explanation import OVER, Causes, Explanation, Scope
from .kinds import KINDS, LEGS, STEP_KINDS, WAY_PARTS
from .latencies import bin_ends, bin_widths, latency_quantiles
from .loads import (
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
from .result import Result
from .run import JobRun, Run, Scalar

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
