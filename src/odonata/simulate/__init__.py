"""Simulations: a machine, some jobs and an engine give a result.

>>> from odonata import machine, placement, simulate, workload
>>> eos = machine.load("eos")
>>> job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 16))
>>> simulate.simulate(eos, [job], seed=7).summary["messages"]
64
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily
from odonata.simulate.job import Job, background, parse_background
from odonata.simulate.meter import Meter
from odonata.simulate.options import ENGINES, Options
from odonata.simulate.simulation import Progress, run, simulate

if TYPE_CHECKING:
    from odonata.simulate.idle import MODEL_KEYS, add_model_numbers
    from odonata.simulate.recipe import Recipe
    from odonata.simulate.replaying import recorded_machine, recorded_placement, replay
    from odonata.simulate.surroundings import Surroundings, busy

__all__ = [
    "ENGINES",
    "MODEL_KEYS",
    "Job",
    "Meter",
    "Options",
    "Progress",
    "Recipe",
    "Surroundings",
    "add_model_numbers",
    "background",
    "busy",
    "parse_background",
    "recorded_machine",
    "recorded_placement",
    "replay",
    "run",
    "simulate",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "idle": ["MODEL_KEYS", "add_model_numbers"],
        "recipe": ["Recipe"],
        "replaying": ["recorded_machine", "recorded_placement", "replay"],
        "surroundings": ["Surroundings", "busy"],
    },
)
