from .cycle import PENALTIES, SCENARIOS, LevelTimes, cycle_time
from .extensions import EXTENSIONS, EXTRA
from .fit import best_fit, fit_cycle
from .fitted import Fit, FitOfMix, FitOfRun, Panel, accuracy
from .hierarchy import Hierarchy, read_hierarchy
from .known import known_fit
from .measured import WHICH, MeasuredCycle, read_measured
from .parameters import (
    COUNTS,
    NEAREST,
    Mix,
    Parameters,
    cache_of,
    diameter_of,
    links_of,
    parameters_of,
)
from .predict import Prediction, predict_cycle
from .redistribution import CANDIDATES, LevelDecision, Redistribution, Rules, decide_redistribution
from .shipped import find_hierarchy, shipped_hierarchies
from .terms import cycle_terms

__all__ = [
    "CANDIDATES",
    "COUNTS",
    "EXTENSIONS",
    "EXTRA",
    "NEAREST",
    "PENALTIES",
    "SCENARIOS",
    "WHICH",
    "Fit",
    "FitOfMix",
    "FitOfRun",
    "Hierarchy",
    "LevelDecision",
    "LevelTimes",
    "MeasuredCycle",
    "Mix",
    "Panel",
    "Parameters",
    "Prediction",
    "Redistribution",
    "Rules",
    "accuracy",
    "best_fit",
    "cache_of",
    "cycle_terms",
    "cycle_time",
    "decide_redistribution",
    "diameter_of",
    "find_hierarchy",
    "fit_cycle",
    "known_fit",
    "links_of",
    "parameters_of",
    "predict_cycle",
    "read_hierarchy",
    "read_measured",
    "shipped_hierarchies",
]
