from . import (
    decide,
    errors,
    explain,
    interchange,
    live,
    machine,
    measure,
    model,
    placement,
    profile,
    reference,
    report,
    result,
    simulate,
    study,
    trace,
    units,
    workload,
)
from .live import mpirun, optional_parts
from .simulate import replay

__all__ = [
    "__version__",
    "decide",
    "errors",
    "explain",
    "interchange",
    "live",
    "machine",
    "measure",
    "model",
    "mpirun",
    "optional_parts",
    "placement",
    "profile",
    "reference",
    "replay",
    "report",
    "result",
    "simulate",
    "study",
    "trace",
    "units",
    "workload",
]

__version__: str
