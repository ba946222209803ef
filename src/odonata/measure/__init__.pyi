from .benchmarks import read_benchmark
from .findings import Finding, Reading
from .fitting import fit_machine
from .knees import find_knees, fit_pieces
from .levels import read_levels
from .machine_file import unit_of
from .measurement import Measurement
from .network import Thoroughness
from .pingpong import Effort
from .session import Wanted, check_here, measure_here, read_files
from .world import World, launched_rank

__all__ = [
    "Effort",
    "Finding",
    "Measurement",
    "Reading",
    "Thoroughness",
    "Wanted",
    "World",
    "check_here",
    "find_knees",
    "fit_machine",
    "fit_pieces",
    "launched_rank",
    "measure_here",
    "read_benchmark",
    "read_files",
    "read_levels",
    "unit_of",
]
