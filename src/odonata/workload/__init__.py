"""Workloads: what each rank of a job does.

>>> from odonata.workload import Collective, Halo, Traffic
>>> Collective("allgather", "ring", bytes="1 KiB").bytes
1024
>>> Traffic("adversarial+1", load=0.5).pattern
'adversarial+1'
>>> Halo("4x4", cells=64).face_bytes
[512, 512]
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily
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
from odonata.workload.traffic import PATTERNS, Traffic

if TYPE_CHECKING:
    from odonata.workload.fft import Fft
    from odonata.workload.halo import DISTRIBUTIONS, Halo
    from odonata.workload.program import ANY_SOURCE, ANY_TAG, Program, Rank
    from odonata.workload.sedov import Sedov

__all__ = [
    "ANY_SOURCE",
    "ANY_TAG",
    "DISTRIBUTIONS",
    "PATTERNS",
    "Built",
    "Collective",
    "Fft",
    "Halo",
    "Played",
    "PointToPoint",
    "Program",
    "Rank",
    "Replay",
    "Sedov",
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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "fft": ["Fft"],
        "halo": ["DISTRIBUTIONS", "Halo"],
        "program": ["ANY_SOURCE", "ANY_TAG", "Program", "Rank"],
        "sedov": ["Sedov"],
    },
)
