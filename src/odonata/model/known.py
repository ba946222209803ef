"""The scenario that fits a machine best, as its file says, and when a fit is too poor to be one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.machine.files import Number
from odonata.model.cycle import SCENARIOS
from odonata.model.parameters import Mix

__all__ = ["LEAST_ACCURACY", "MOST_ERROR", "KnownFit", "doubt_about", "known_fit"]

LEAST_ACCURACY = 0.8
"""Accuracy of the cycle time below which the nearest scenario explains nothing; the paper's ten
are 0.834 and more."""

MOST_ERROR = 0.5
"""Error over the levels above which it explains nothing, though errors may cancel in the cycle."""

_KEY = "model.best_fit"


@dataclass(frozen=True)
class KnownFit:
    """The scenario that fitted a machine best for a mix.

    Parameters
    ----------
    mix
        Ranks a node and threads a rank.
    scenario
        Its name, one of `odonata.model.SCENARIOS`.
    cores
        Cores of the measured run.
    accuracy
        Accuracy of its cycle time [1]: see `odonata.model.accuracy`.
    source, status
        Source and status of the key ``model.best_fit`` in the machine file.
    """

    mix: Mix
    scenario: str
    cores: int
    accuracy: float
    source: str
    status: str

    @property
    def warning(self) -> str | None:
        """A sentence if the fit is poor: see `doubt_about`."""
        return doubt_about(self.scenario, self.accuracy)


def known_fit(machine: Machine, mix: Mix, cores: int) -> KnownFit | None:
    """Return the scenario that fits a machine best, as ``model.best_fit`` of its file says.

    Parameters
    ----------
    machine
        The machine.
    mix
        Ranks a node and threads a rank.
    cores
        Cores in use; of several fits in the file, the fit for the nearest number counts.

    Returns
    -------
    KnownFit or None
        None if the file has none for the mix, or if other numbers of ``[model]`` were changed
        since, so that the fit is no longer theirs.

    Raises
    ------
    UserError
        The file names a scenario that is unknown.

    Examples
    --------
    >>> from odonata import machine
    >>> fit = known_fit(machine.load("eos"), Mix(16), 1024)
    >>> fit.scenario, fit.accuracy, fit.status
    ('distance', 0.86, 'published')
    """
    number = machine.numbers.get(_KEY)
    touched = any(key.startswith("model.") for key in machine.changes if key != _KEY)
    if number is None or touched or not isinstance(number.value, tuple):
        return None
    fits = [_read(entry, number) for entry in number.value]
    fits = [fit for fit in fits if fit.mix == mix]
    return min(fits, key=lambda fit: abs(math.log(fit.cores / cores)), default=None)


def _read(entry: object, number: Number) -> KnownFit:
    """Read ``[mix, scenario, cores, accuracy]``, whose form the machine file was checked for."""
    assert isinstance(entry, tuple)
    mix, scenario, cores, accuracy = entry
    if scenario not in SCENARIOS:
        near, allowed = near_miss(scenario, SCENARIOS), ", ".join(SCENARIOS)
        where = number.where
        raise UserError(f"{_KEY}: unknown", value=scenario, near=near, allowed=allowed, where=where)
    return KnownFit(Mix.parse(mix), scenario, cores, accuracy, number.source, number.status)


def doubt_about(scenario: str, accuracy: float, error: float = 0.0) -> str | None:
    """Return a warning if the scenario that is nearest to a measurement is not near it.

    Parameters
    ----------
    scenario
        The nearest.
    accuracy
        Accuracy of the cycle time [1].
    error
        Over the levels [1]: see `odonata.model.FitOfMix`.

    Returns
    -------
    str or None
        None if the accuracy is `LEAST_ACCURACY` or more and the error `MOST_ERROR` or less.

    Examples
    --------
    >>> doubt_about("baseline", 0.17)
    'baseline is nearest, but its accuracy is 17.0 %, below 80 %: no scenario explains the cycle'
    """
    if accuracy < LEAST_ACCURACY:
        why = f"its accuracy is {100 * accuracy:.1f} %, below {100 * LEAST_ACCURACY:.0f} %"
    elif error > MOST_ERROR:
        why = f"it is {100 * error:.0f} % off over the levels, above {100 * MOST_ERROR:.0f} %"
    else:
        return None
    return f"{scenario} is nearest, but {why}: no scenario explains the cycle"
