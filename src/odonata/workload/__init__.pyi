from .build import Built, build
from .collective import Collective, PointToPoint
from .fft import Fft
from .halo import DISTRIBUTIONS, Halo
from .names import algorithms, collectives, operations
from .played import (
    Played,
    Replay,
    compute_scale,
    open_trace,
    poll_time,
    wait_time,
    with_recorded_compute,
)
from .program import ANY_SOURCE, ANY_TAG, Program, Rank
from .sedov import Sedov
from .traffic import PATTERNS, Traffic

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
