"""Simulations: a machine, some jobs and an engine give a result.

>>> from odonata import machine, placement, simulate, workload
>>> eos = machine.load("eos")
>>> job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 16))
>>> simulate.simulate(eos, [job], seed=7).summary["messages"]
64
"""

from odonata.simulate.job import Job, background, parse_background
from odonata.simulate.meter import Meter
from odonata.simulate.options import ENGINES, Options
from odonata.simulate.replaying import recorded_machine, recorded_placement, replay
from odonata.simulate.simulation import Progress, run, simulate

__all__ = [
    "ENGINES",
    "Job",
    "Meter",
    "Options",
    "Progress",
    "background",
    "parse_background",
    "recorded_machine",
    "recorded_placement",
    "replay",
    "run",
    "simulate",
]
