from .job import Job, background, parse_background
from .options import Options
from .other_jobs import Surroundings, busy
from .recipe import Recipe
from .replaying import replay
from .simulation import Progress, run, simulate

__all__ = [
    "Job",
    "Options",
    "Progress",
    "Recipe",
    "Surroundings",
    "background",
    "busy",
    "parse_background",
    "replay",
    "run",
    "simulate",
]
