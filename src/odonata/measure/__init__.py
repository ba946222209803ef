"""Microbenchmarks of the machine at hand, and what others have measured: a machine file.

``mpiexec -n 8 odonata measure -o here.toml`` on the command line; in a program that mpiexec runs:

    from odonata import measure

    world = measure.World()
    measured = measure.measure_here(world, measure.Wanted())
    if world.rank == 0:
        print(measured.to_toml(None, "here"))
"""

from odonata.measure.benchmarks import Benchmark, read_benchmark
from odonata.measure.compute import Compute, LocalOperator
from odonata.measure.estimate import Estimate, median_of
from odonata.measure.findings import Finding, Findings, Reading
from odonata.measure.knees import Knee, Piece, find_knees, fit_pieces
from odonata.measure.levels import LevelFlops, read_levels
from odonata.measure.machine_file import unit_of
from odonata.measure.measurement import Measurement
from odonata.measure.network import Curve, Network, Pair, Thoroughness
from odonata.measure.pingpong import Effort
from odonata.measure.session import Wanted, check_here, measure_here, read_files
from odonata.measure.world import World, launched_rank

__all__ = [
    "Benchmark",
    "Compute",
    "Curve",
    "Effort",
    "Estimate",
    "Finding",
    "Findings",
    "Knee",
    "LevelFlops",
    "LocalOperator",
    "Measurement",
    "Network",
    "Pair",
    "Piece",
    "Reading",
    "Thoroughness",
    "Wanted",
    "World",
    "check_here",
    "find_knees",
    "fit_pieces",
    "launched_rank",
    "measure_here",
    "median_of",
    "read_benchmark",
    "read_files",
    "read_levels",
    "unit_of",
]
