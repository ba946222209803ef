from .cycle import (
    PENALTIES,
    RELAXATION_ORDERS,
    SCENARIOS,
    SINGLE,
    LevelTimes,
    cycle_time,
)
from .estimates import extrapolate, interpolate, regroup
from .extensions import EXTENSIONS, EXTRA
from .fit import FLOPS, best_fit, fit_cycle
from .fitted import Fit, FitOfMix, FitOfRun, Panel, Weight, accuracy
from .hierarchy import PROBLEMS, Hierarchy, read_hierarchy
from .known import LEAST_ACCURACY, MOST_ERROR, KnownFit, doubt_about, known_fit
from .measured import WHICH, MeasuredCycle, read_measured
from .parameters import (
    COUNTS,
    NEAREST,
    Links,
    Mix,
    Parameters,
    cache_of,
    diameter_of,
    links_of,
    parameters_of,
)
from .predict import Prediction, predict_cycle
from .redistribution import (
    CANDIDATES,
    LEAST_GAIN,
    LevelDecision,
    Redistribution,
    Rules,
    decide_redistribution,
)
from .shipped import find_hierarchy, shipped_hierarchies
from .terms import TERMS, Dominance, cycle_terms, dominance_of

__all__ = [
    "CANDIDATES",
    "COUNTS",
    "EXTENSIONS",
    "EXTRA",
    "FLOPS",
    "LEAST_ACCURACY",
    "LEAST_GAIN",
    "MOST_ERROR",
    "NEAREST",
    "PENALTIES",
    "PROBLEMS",
    "RELAXATION_ORDERS",
    "SCENARIOS",
    "SINGLE",
    "TERMS",
    "WHICH",
    "Dominance",
    "Fit",
    "FitOfMix",
    "FitOfRun",
    "Hierarchy",
    "KnownFit",
    "LevelDecision",
    "LevelTimes",
    "Links",
    "MeasuredCycle",
    "Mix",
    "Panel",
    "Parameters",
    "Prediction",
    "Redistribution",
    "Rules",
    "Weight",
    "accuracy",
    "best_fit",
    "cache_of",
    "cycle_terms",
    "cycle_time",
    "decide_redistribution",
    "diameter_of",
    "dominance_of",
    "doubt_about",
    "extrapolate",
    "find_hierarchy",
    "fit_cycle",
    "interpolate",
    "known_fit",
    "links_of",
    "parameters_of",
    "predict_cycle",
    "read_hierarchy",
    "read_measured",
    "regroup",
    "shipped_hierarchies",
]
