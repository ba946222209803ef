"""Closed-form models of performance: the cycle of algebraic multigrid.

>>> from odonata import machine, model
>>> eos = model.parameters_of(machine.load("eos"))
>>> hierarchy = model.find_hierarchy("laplace", (50, 50, 25), 1024)
>>> f"{model.cycle_time(hierarchy, eos, 'distance').cycle_seconds * 1e3:.3f} ms"
'9.718 ms'
"""

from odonata.model.cycle import PENALTIES, SCENARIOS, SINGLE, LevelTimes, cycle_time
from odonata.model.estimates import extrapolate, interpolate, regroup
from odonata.model.extensions import EXTENSIONS, EXTRA
from odonata.model.fit import FLOPS, best_fit, fit_cycle
from odonata.model.fitted import Fit, FitOfMix, FitOfRun, Panel, Weight, accuracy
from odonata.model.hierarchy import PROBLEMS, Hierarchy, read_hierarchy
from odonata.model.known import LEAST_ACCURACY, MOST_ERROR, KnownFit, doubt_about, known_fit
from odonata.model.measured import WHICH, MeasuredCycle, read_measured
from odonata.model.parameters import (
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
from odonata.model.predict import Prediction, predict_cycle
from odonata.model.redistribution import (
    CANDIDATES,
    LEAST_GAIN,
    LevelDecision,
    Redistribution,
    Rules,
    decide_redistribution,
)
from odonata.model.shipped import find_hierarchy, shipped_hierarchies
from odonata.model.terms import TERMS, Dominance, cycle_terms, dominance_of

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
