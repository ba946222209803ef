"""The worth of a number of the machine to a run: the run is made again with another value.

>>> from odonata import decide, machine, placement, simulate, workload
>>> theta = machine.load("theta")
>>> job = simulate.Job(workload.Collective("allreduce", "ring"), placement.place(theta, 8))
>>> recipe = simulate.Recipe.of_run(simulate.run(theta, [job]))
>>> found = decide.what_if(recipe, {"mpi.send_overhead": ["0 ns", "1 us"]})
>>> [trial.share < 0 for trial in found.trials]
[True, False]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from odonata import result
from odonata.decide.choices import KINDS, choices
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.machine.files import Number
from odonata.result import Run
from odonata.simulate import Progress, Recipe
from odonata.simulate.workers import in_threads
from odonata.units import format_bytes, format_rate, format_time

__all__ = [
    "LONGER",
    "SEEDS",
    "STEP",
    "Advice",
    "Tolerance",
    "Trial",
    "WhatIf",
    "tolerances",
    "what_if",
]

STEP = 0.1
"""Share by which a number is changed where no values are asked for."""

LONGER = (0.01, 0.02, 0.05)
"""Shares by which a run may take longer, for which tolerances are found."""

LATENCY = "links.ejection.latency"
"""Number that tolerances change: every message between nodes crosses one such link, and no buffer
or credit depends on it."""

MOST_LATENCY_PS = 10**12
"""Largest latency that is tried."""

EXACT = 2**13
"""A tolerance is exact to a part in so many, where the time does not grow in a straight line."""

SEEDS = 5
"""Seeds with which advice is tried: the seed of the run and the numbers after it."""

_MORE = ("bandwidth", "buffer", "window")
"""Last words of numbers of which more is better."""

_BOTH = ("packet_bytes", "threshold")
"""Last words of numbers of which more or less may be better."""

Report = Callable[[float], None]
"""Is told which share of the work is done."""


@dataclass(frozen=True)
class Trial:
    """A second run with another number, routing or algorithm.

    Parameters
    ----------
    number
        Key of the number; ``*`` stands for all classes of links that the run uses. Or ``routing``,
        or ``algorithm``.
    before, value
        Its value in the run, and in the second run, as a machine file has it.
    factor
        Ratio of the two, before rounding; None where a value was asked for, and for a choice.
    time_ps
        How long the second run takes [ps].
    share
        How much longer that is than the run, as a share of it; negative: shorter.
    """

    number: str
    before: str
    value: str
    factor: float | None
    time_ps: int
    share: float


@dataclass(frozen=True)
class Advice:
    """A choice that makes a run shorter, tried with several seeds.

    Parameters
    ----------
    choice
        ``routing`` or ``algorithm``.
    before, value
        The choice of the run, and the better one.
    shares
        How much longer the run takes with it, as a share of the run with the same seed, for each
        of `SEEDS` seeds; negative: shorter. The run has the first seed.
    """

    choice: str
    before: str
    value: str
    shares: Sequence[float]

    @property
    def faster_in(self) -> int:
        """Number of seeds with which the run is shorter."""
        return sum(share < 0 for share in self.shares)


@dataclass(frozen=True)
class WhatIf:
    """The worth of numbers of the machine to a run, and of other choices.

    Parameters
    ----------
    time_ps
        How long the run takes [ps].
    trials
        The second runs; the fastest come first unless values were asked for.
    planned
        How many there would be if none had been interrupted.
    advice
        The best choice that makes the run shorter, or None; None also without a search.
    """

    time_ps: int
    trials: Sequence[Trial]
    planned: int
    advice: Advice | None = None

    @property
    def best(self) -> Trial | None:
        """The second run that takes the least time; None if none is shorter than the run."""
        best = min(self.trials, key=lambda trial: trial.time_ps, default=None)
        return best if best is not None and best.share < 0 else None

    def document(self) -> dict[str, object]:
        """Return everything as plain data, for JSON."""
        return {
            "time_ps": self.time_ps,
            "trials": [asdict(trial) for trial in self.trials],
            "complete": len(self.trials) == self.planned,
            "advice": asdict(self.advice) if self.advice else None,
        }


@dataclass(frozen=True)
class Tolerance:
    """Latency that a run tolerates.

    Parameters
    ----------
    longer
        Share by which the run takes longer.
    latency_ps
        Time by which each message between nodes takes longer until then [ps].
    """

    longer: float
    latency_ps: int


@dataclass(frozen=True)
class _Planned:
    """A second run that is to be made."""

    number: str
    before: str
    value: str
    factor: float | None
    recipe: Recipe

    def made(self, run: Run, base: Run) -> Trial:
        """Return the trial, beside the run without changes."""
        time, usual = run.length_ps, base.length_ps
        share = time / usual - 1 if usual else 0.0
        return Trial(self.number, self.before, self.value, self.factor, time, share)


def what_if(
    recipe: Recipe,
    values: Mapping[str, Sequence[object]] | None = None,
    *,
    workers: int | None = None,
    report: Report | None = None,
) -> WhatIf:
    """Run an experiment again with other numbers of its machine or other choices, one at a time.

    Parameters
    ----------
    recipe
        The experiment.
    values
        Values to try, by number; None: each number that the run may depend on is made 10 % better,
        each other routing is tried, and each other algorithm of a collective operation.
    workers
        Runs that are made at a time; None: as many as there are processors. The result does not
        depend on it.
    report
        Is told after each run which share of them is done.

    Returns
    -------
    WhatIf
        The trials. On Ctrl-C, the `KeyboardInterrupt` has the finished ones as its argument.

    Raises
    ------
    UserError
        A number is unknown, or a value is wrong.
    """
    base = recipe.run()
    machine = recipe.load_machine()
    if values is None:
        planned = [each for each in _steps(recipe, machine, base) if _is_possible(each)]
        planned += [
            _Planned(each.name, each.before, each.value, None, each.recipe)
            for each in choices(recipe, machine, base)
        ]
    else:
        planned = list(_asked(recipe, machine, values))
        for each in planned:  # wrong values are refused before the first run
            each.recipe.load_machine()
    done: dict[int, Trial | None] = {}

    def found(advice: Advice | None = None) -> WhatIf:
        trials = [trial for _, trial in sorted(done.items()) if trial is not None]
        if values is None:
            trials.sort(key=lambda trial: (trial.time_ps, trial.number))
        impossible = len(done) - len(trials)
        return WhatIf(base.length_ps, trials, len(planned) - impossible, advice)

    try:
        tried = [each.recipe for each in planned]
        for at, run in _runs(tried, workers, may_fail=values is None):
            done[at] = None if run is None else planned[at].made(run, base)
            if report is not None:
                report(len(done) / len(planned))
        best = _best_choice(done)
        return found(None if best is None else _advice(recipe, planned[best[0]], best[1], workers))
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(found()) from error


def tolerances(
    recipe: Recipe, longer: Sequence[float] = LONGER, *, report: Report | None = None
) -> list[Tolerance]:
    """Return how much latency an experiment tolerates before it takes longer by some shares.

    Parameters
    ----------
    recipe
        The experiment.
    longer
        The shares.
    report
        Is told after each run which share of the search is about done.

    Returns
    -------
    list of Tolerance
        Without a share that no latency up to a second reaches.

    Notes
    -----
    The time need not grow steadily with the latency: a rank that takes messages in another order
    may end earlier. Where the time crosses the share several times, one crossing is returned. The
    latency is added to the links from routers to nodes, which no credit waits for.
    """
    found = []
    search = _Search(recipe)
    for at, share in enumerate(longer):
        usual = search.time(0)
        latency = search.latency_of(max(usual + 1, int(usual * (1 + share))))
        if latency is not None:
            found.append(Tolerance(share, latency))
        if report is not None:
            report((at + 1) / len(longer))
    return found


class _Search:
    """A search for the latency with which an experiment takes a given time."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._before = _whole(recipe.load_machine(), LATENCY)
        self._times: dict[int, int] = {}

    def time(self, latency: int) -> int:
        """Return how long the experiment takes with so much more latency [ps]."""
        if latency not in self._times:
            changes = {LATENCY: f"{self._before + latency} ps"}
            self._times[latency] = self._recipe.run(changes).length_ps
        return self._times[latency]

    def latency_of(self, target: int) -> int | None:
        """Return a latency at which the experiment takes as long as `target` [ps]."""
        latency = max(1, target - self.time(0))
        while max(self._times.values()) < target:
            if latency > MOST_LATENCY_PS - self._before:
                return None
            self.time(latency)
            latency *= 4
        high = min(at for at, time in self._times.items() if time >= target)
        low = max(at for at in self._times if at < high)
        return self._close(low, high, target)

    def _close(self, low: int, high: int, target: int) -> int:
        """Return where the time crosses the target, between a latency below and one not below.

        The Illinois method: where a straight line between the two crosses the target, and the end
        that stays twice weighs half; every fourth latency is the middle.
        """
        room = (target - self.time(0)) / EXACT
        below: float = target - self.time(low)
        above: float = self.time(high) - target
        number, side = 0, 0
        while self.time(high) - target > room and high - low > max(1, high // EXACT):
            number += 1
            middle = (low + high) // 2
            if number % 4:
                crossing = low + int((high - low) * below / (below + above))
                middle = min(max(crossing, low + 1), high - 1)
            time = self.time(middle)
            if time < target:
                low, below, above = middle, target - time, above / 2 if side < 0 else above
            else:
                high, above, below = middle, time - target, below / 2 if side > 0 else below
            side = -1 if time < target else 1
        return high


def _best_choice(done: Mapping[int, Trial | None]) -> tuple[int, Trial] | None:
    """Return the choice that makes the run shortest; None if none makes it shorter."""
    shorter = [
        (at, trial)
        for at, trial in done.items()
        if trial is not None and trial.number in KINDS and trial.share < 0
    ]
    return min(shorter, key=lambda each: (each[1].time_ps, each[0]), default=None)


def _advice(recipe: Recipe, best: _Planned, trial: Trial, workers: int | None) -> Advice:
    """Return how a choice and the choice of the run compare with several seeds."""
    first = int(str(recipe.options["seed"]))  # the trial has it
    pairs = [
        each.with_options(seed=seed)
        for seed in ((first + step) % 2**64 for step in range(1, SEEDS))
        for each in (recipe, best.recipe)
    ]
    times = {at: run.length_ps for at, run in _runs(pairs, workers) if run is not None}
    others = [times[at + 1] / times[at] - 1 for at in range(0, len(pairs), 2)]
    return Advice(best.number, best.before, best.value, [trial.share, *others])


def _runs(
    recipes: Sequence[Recipe], workers: int | None, *, may_fail: bool = False
) -> Iterator[tuple[int, Run | None]]:
    """Return number and run of each recipe, as they end; stops all when interrupted.

    Where runs may fail, a refused run is None: some algorithms refuse some numbers of ranks.
    """

    def made(recipe: Recipe, progress: Callable[[Progress], None]) -> Run | None:
        try:
            return recipe.run(progress=progress)
        except UserError:
            if not may_fail:
                raise
            return None

    return in_threads([partial(made, each) for each in recipes], workers)


def _asked(
    recipe: Recipe, machine: Machine, values: Mapping[str, Sequence[object]]
) -> Iterator[_Planned]:
    for key, each in values.items():
        before = machine.numbers[key].text if key in machine.numbers else ""
        for value in each:
            yield _Planned(key, before, str(value), None, recipe.with_changes({key: value}))


def _is_possible(planned: _Planned) -> bool:
    """Return whether the machine takes a changed number: some have a least or largest value."""
    try:
        planned.recipe.load_machine()
    except UserError:
        return False
    return True


def _steps(recipe: Recipe, machine: Machine, run: Run) -> Iterator[_Planned]:
    """Yield a change of each number that the run may depend on, and of all links together."""
    used = _used_classes(run)
    numbers = [each for each in machine.numbers.values() if _counts(each, run, used)]
    for each in numbers:
        for factor in _factors(each.key):
            value = _scaled(each, factor)
            if value is not None:
                told = _written(value, each.unit)
                changed = recipe.with_changes({each.key: f"{value} {each.unit}"})
                yield _Planned(each.key, each.text, told, factor, changed)
    if any(job.workload.get("compute_scale") for job in run.jobs):
        yield _of_computing(recipe, machine)
    for word in ("bandwidth", "latency"):
        together = [each for each in numbers if _is_link(each, word)]
        yield from _together(recipe, f"links.*.{word}", together)


def _of_computing(recipe: Recipe, machine: Machine) -> _Planned:
    key = "node.compute_scale"
    before = float(str(machine.value(key))) if key in machine.numbers else 1.0
    value = before * (1 - STEP)
    changed = recipe.with_changes({key: value})
    return _Planned(key, f"{before:g}", f"{value:g}", 1 - STEP, changed)


def _together(recipe: Recipe, name: str, numbers: Sequence[Number]) -> Iterator[_Planned]:
    (factor,) = _factors(name)
    scaled = {each: _scaled(each, factor) for each in numbers}
    changed = {each.key: f"{value} {each.unit}" for each, value in scaled.items() if value}
    if len(changed) > 1:
        told = f"{100 * (factor - 1):+.0f} %"
        yield _Planned(name, "", told, factor, recipe.with_changes(changed))


def _is_link(number: Number, word: str) -> bool:
    return number.key.startswith("links.") and number.key.endswith(f".{word}")


def _used_classes(run: Run) -> set[str]:
    """Return the classes of links that carried bytes."""
    return {load.name for load in result.class_loads(result.Result(run)) if load.num_bytes}


def _counts(number: Number, run: Run, used: set[str]) -> bool:
    """Return whether a run may depend on a number, apart from the choice of algorithms."""
    table, _, _ = number.key.rpartition(".")
    if not number.unit or table in ("shape", "model", "mpi.collectives"):
        return False
    if number.key in ("node.latency", "node.bandwidth"):
        return any(len(set(job.nodes)) < len(job.nodes) for job in run.jobs)
    return number.key != "node.cache" and (
        not table.startswith("links.") or table.removeprefix("links.") in used
    )


def _factors(key: str) -> tuple[float, ...]:
    if key.endswith(_BOTH):
        return 1 - STEP, 1 + STEP
    return (1 + STEP,) if key.endswith(_MORE) else (1 - STEP,)


def _scaled(number: Number, factor: float) -> float | None:
    """Return another value of a number in its base unit; None if rounding undoes the change."""
    assert isinstance(number.value, int | float), number.key
    value: float = number.value * factor
    if isinstance(number.value, int):
        value = round(value)
    return None if value == number.value else value


_FORMATS = {"ps": format_time, "B": format_bytes, "B/s": format_rate}


def _written(value: float, unit: str) -> str:
    return _FORMATS[unit](value) if unit in _FORMATS else f"{value:.4g} {unit}"


def _whole(machine: Machine, key: str) -> int:
    value = machine.value(key)
    assert isinstance(value, int), key
    return value
