"""Predicts, explains and cuts the communication cost of MPI applications on dragonfly machines.

>>> import odonata
>>> df = odonata.machine.load("dragonfly-5256")
>>> ring = odonata.workload.Collective("allgather", "ring")
>>> job = odonata.simulate.Job(ring, odonata.placement.place(df, 8))
>>> odonata.simulate.simulate(df, [job]).summary["messages"]
56

Each part is imported when it is first used. `odonata.optional_parts()` lists what an installation
may have or lack, as ``odonata doctor`` does on the command line.
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
    from odonata.live import mpirun, optional_parts
    from odonata.simulate import replay

__all__ = [
    "__version__",
    "errors",
    "live",
    "machine",
    "measure",
    "model",
    "mpirun",
    "optional_parts",
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

_NO_MODULES = ("__version__", "mpirun", "optional_parts", "replay")
_MODULES = [name for name in __all__ if name not in _NO_MODULES]

__getattr__, __dir__ = lazily(
    __name__,
    {name: [name] for name in _MODULES}
    | {"live": ["live", "mpirun", "optional_parts"], "simulate": ["simulate", "replay"]},
)
