"""Sentence about a comparison: which run is the fastest, and by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from odonata.report.comparison import group_seeds, label, size_of, varying
from odonata.result import Result, Scalar
from odonata.result.overview import num_ranks, seconds, size

__all__ = ["fastest_sentence"]

MOST_SENTENCES = 4
"""Sizes up to which each has a sentence of its own."""


@dataclass(frozen=True)
class _Timed:
    """Runs that differ in their seed alone: their name and their median time [s]."""

    name: str
    seconds: float


def fastest_sentence(results: Sequence[Result]) -> str:
    """Return which runs of a comparison are the fastest, and how much longer the others take.

    Only runs with as many ranks and bytes are compared, by the median of their seeds. Of traffic
    nothing is said: its time is given.

    Parameters
    ----------
    results
        Runs.

    Returns
    -------
    str
        A sentence for each number of ranks and bytes, or how often which is the fastest; empty
        where there is nothing to compare.
    """
    sizes = {key: timed for key, timed in _by_size(results).items() if len(timed) > 1}
    if len(sizes) > MOST_SENTENCES:
        return _counted(list(sizes.values()))
    told = [_one_size(timed) for timed in sizes.values()]
    if len(sizes) > 1:
        told = [f"{_at(key, sizes)}: {each}" for key, each in zip(sizes, told, strict=True)]
    return "\n".join(told)


def _by_size(results: Sequence[Result]) -> dict[tuple[Scalar, Scalar], list[_Timed]]:
    """Return the timed runs by ranks and bytes."""
    names = [name for name in varying(results) if name != "bytes"]
    sizes: dict[tuple[Scalar, Scalar], list[_Timed]] = {}
    for runs in group_seeds(results):
        times = [time for run in runs if isinstance(time := run.run.summary["time_seconds"], float)]
        ranks, block, load = size_of(runs[0])
        if load is None and times:
            sizes.setdefault((ranks, block), []).append(
                _Timed(label(runs[0], names), median(times))
            )
    return sizes


def _one_size(timed: Sequence[_Timed]) -> str:
    first, *_, last = sorted(timed, key=lambda each: each.seconds)
    if first.seconds == last.seconds:
        return f"they all take {seconds(first.seconds)}."
    times = f"{seconds(last.seconds)} against {seconds(first.seconds)}"
    longest = "longest, " if len(timed) > 2 else ""
    return (
        f"{first.name} is the fastest; {last.name} takes {longest}"
        f"{_longer(last.seconds, first.seconds)} ({times})."
    )


def _longer(last: float, first: float) -> str:
    if not first:
        return "longer"
    ratio = last / first
    return f"{ratio:.3g} times as long" if ratio >= 1.995 else f"{100 * (ratio - 1):.2g} % longer"


def _counted(sizes: Sequence[Sequence[_Timed]]) -> str:
    firsts = Counter(min(timed, key=lambda each: each.seconds).name for timed in sizes)
    words = [f"{name} at {number} of {len(sizes)} sizes" for name, number in firsts.most_common()]
    return f"The fastest is {', '.join(words)}."


def _at(key: tuple[Scalar, Scalar], sizes: dict[tuple[Scalar, Scalar], list[_Timed]]) -> str:
    """Return a size in words: what of it differs between sizes."""
    ranks, block = key
    words = []
    if len({each for each, _ in sizes}) > 1:
        words.append(num_ranks(ranks))
    if len({each for _, each in sizes}) > 1:
        words.append(size(block))
    return ", ".join(words)
