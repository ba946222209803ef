"""Workloads: what each rank of a job does.

>>> from odonata.workload import Collective, Traffic
>>> Collective("allgather", "ring", bytes="1 KiB").bytes
1024
>>> Traffic("adversarial+1", load=0.5).pattern
'adversarial+1'
"""

from odonata.workload.build import Built, build
from odonata.workload.collective import Collective, PointToPoint
from odonata.workload.names import algorithms, collectives, operations
from odonata.workload.played import (
    Played,
    Replay,
    compute_scale,
    open_trace,
    poll_time,
    wait_time,
    with_recorded_compute,
)
from odonata.workload.program import ANY_SOURCE, ANY_TAG, Program, Rank
from odonata.workload.traffic import PATTERNS, Traffic

__all__ = [
    "ANY_SOURCE",
    "ANY_TAG",
    "PATTERNS",
    "Built",
    "Collective",
    "Played",
    "PointToPoint",
    "Program",
    "Rank",
    "Replay",
    "Traffic",
    "algorithms",
    "build",
    "collectives",
    "compute_scale",
    "open_trace",
    "operations",
    "poll_time",
    "wait_time",
    "with_recorded_compute",
]
