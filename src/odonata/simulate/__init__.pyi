from .idle import MODEL_KEYS, add_model_numbers
from .job import Job, background, parse_background
from .meter import Meter
from .options import ENGINES, Options
from .other_jobs import Surroundings, busy
from .recipe import Recipe
from .replaying import recorded_machine, recorded_placement, replay
from .simulation import Progress, run, simulate

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
