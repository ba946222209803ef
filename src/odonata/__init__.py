"""Predicts, explains and cuts the communication cost of MPI applications on dragonfly machines.

>>> import odonata
>>> df = odonata.machine.load("dragonfly-5256")
>>> ring = odonata.workload.Collective("allgather", "ring")
>>> job = odonata.simulate.Job(ring, odonata.placement.place(df, 8))
>>> odonata.simulate.simulate(df, [job]).summary["messages"]
56

Each part is imported when it is first used.
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily

if TYPE_CHECKING:
    from odonata import (
        errors,
        live,
        machine,
        measure,
        model,
        placement,
        reference,
        report,
        result,
        simulate,
        trace,
        units,
        workload,
    )
    from odonata.live import mpirun
    from odonata.simulate import replay

__all__ = [
    "__version__",
    "errors",
    "live",
    "machine",
    "measure",
    "model",
    "mpirun",
    "placement",
    "reference",
    "replay",
    "report",
    "result",
    "simulate",
    "trace",
    "units",
    "workload",
]

__version__ = "0.1.0"

_MODULES = [name for name in __all__ if name not in ("__version__", "mpirun", "replay")]

__getattr__, __dir__ = lazily(
    __name__,
    {name: [name] for name in _MODULES}
    | {"live": ["live", "mpirun"], "simulate": ["simulate", "replay"]},
)
