from .comparing import comparable
from .latencies import latency_quantiles
from .loads import (
    ClassLoad,
    LinkLoad,
    busiest_links,
    class_loads,
    group_loads,
    router_loads,
    stalled_shares,
    utilisations,
)
from .result import Result
from .run import JobRun, Run

__all__ = [
    "ClassLoad",
    "JobRun",
    "LinkLoad",
    "Result",
    "Run",
    "busiest_links",
    "class_loads",
    "comparable",
    "group_loads",
    "latency_quantiles",
    "router_loads",
    "stalled_shares",
    "utilisations",
]
