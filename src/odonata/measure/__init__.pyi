from .benchmarks import Benchmark, read_benchmark
from .compute import Compute, LocalOperator
from .estimate import Estimate, median_of
from .findings import Finding, Findings, Reading
from .knees import Knee, Piece, find_knees, fit_pieces
from .levels import LevelFlops, read_levels
from .machine_file import unit_of
from .measurement import Measurement
from .network import Curve, Network, Pair, Thoroughness
from .pingpong import Effort
from .session import Wanted, check_here, measure_here, read_files
from .world import World, launched_rank

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
