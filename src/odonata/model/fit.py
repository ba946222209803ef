"""Which scenario of the model is nearest to a measurement, and how near it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.model.cycle import PENALTIES, SCENARIOS
from odonata.model.parameters import Mix

__all__ = ["accuracy", "best_fit"]


def best_fit(
    measured_levels_by_mix: Mapping[Mix, Sequence[float]],
    modelled_levels_by_mix: Mapping[Mix, Mapping[str, Sequence[float]]],
) -> dict[Mix, str]:
    """Return the scenario that explains each mix best.

    Parameters
    ----------
    measured_levels_by_mix
        By mix: measured seconds of each level, the coarsest left out as in the paper.
    modelled_levels_by_mix
        By mix and scenario: modelled seconds of as many levels (see `odonata.model.cycle_time`).

    Returns
    -------
    dict
        Scenario by mix.

    Raises
    ------
    UserError
        A mix has no model, or another number of levels.

    Notes
    -----
    The distance is the sum over levels of the absolute differences; of equals, the scenario with
    fewer penalties. Mixes are taken from most ranks a node to fewest, and none may need more
    penalties than one with more ranks a node.

    References
    ----------
    Model-guided AMG on a dragonfly, section 5.2.
    """
    best: dict[Mix, str] = {}
    for mix in sorted(measured_levels_by_mix, key=lambda m: (-m.tasks, m.threads)):
        measured = np.asarray(measured_levels_by_mix[mix], dtype=float)
        modelled = modelled_levels_by_mix.get(mix, {})
        before = [len(PENALTIES[best[m]]) for m in best if m.tasks > mix.tasks]
        most = min(before, default=len(PENALTIES["alpha_gamma"]))
        allowed = [s for s in SCENARIOS if s in modelled and len(PENALTIES[s]) <= most]
        if not allowed:
            raise UserError("best fit: no scenario is modelled for the mix", value=str(mix))
        best[mix] = min(allowed, key=lambda s: _apart(measured, modelled[s], f"{mix} {s}"))
    return best


def _apart(measured: NDArray[np.float64], modelled: Sequence[float], what: str) -> float:
    levels = np.asarray(modelled, dtype=float)
    if levels.shape != measured.shape:
        raise UserError(
            f"best fit: another number of levels for {what}",
            value=levels.size,
            allowed=str(measured.size),
        )
    return float(np.abs(levels - measured).sum())


def accuracy(modelled: float, measured: float) -> float:
    """Return the accuracy of a prediction: 1 - |modelled - measured| / measured.

    Parameters
    ----------
    modelled, measured
        Cycle times [s].

    Raises
    ------
    UserError
        The measured time is not positive.

    References
    ----------
    Model-guided AMG on a dragonfly, Table 3; the paper has no formula, but this one gives each of
    its ten percentages within the rounding of the times.

    Examples
    --------
    >>> round(accuracy(9.75e-3, 11.3e-3), 2)
    0.86
    """
    if not measured > 0:
        raise UserError("measured: not a positive time", value=measured)
    return 1.0 - abs(modelled - measured) / measured
