"""Slopes: how the time of a run follows the numbers of its machine."""

from __future__ import annotations

from dataclasses import dataclass

from odonata.result import Explanation, Run, Scalar

__all__ = ["Slope", "slopes"]


@dataclass(frozen=True)
class Slope:
    """The change of the run's time with a number of the machine, to first order.

    Parameters
    ----------
    number
        Key of the number in the machine file.
    value
        Its value in the run, in base units (ps, B/s, ps/B).
    path_ps
        Time on the critical path that is proportional to the number, or to its reciprocal [ps].
    relative
        Relative change of the time by the relative change of the number: 0.7 says that 10 % less
        of it makes the run 7 % shorter. Bandwidths have negative ones.
    """

    number: str
    value: Scalar
    path_ps: int
    relative: float

    @property
    def gain(self) -> float:
        """Share of its time by which the run is shorter if the number is 10 % better.

        That is 10 % less of it, but of a bandwidth 10 % more: then what is proportional to its
        reciprocal is 1 - 1/1.1 shorter, which is 9.1 %.
        """
        return abs(self.relative) * (1 - 1 / 1.1 if self.relative < 0 else 0.1)


def slopes(run: Run, explanation: Explanation) -> list[Slope]:
    r"""Return the slopes of all numbers that the critical path depends on, the steepest first.

    Parameters
    ----------
    run
        The run.
    explanation
        Its account.

    Notes
    -----
    If a number :math:`x` grows by :math:`dx`, a path on which the time :math:`c x` is proportional
    to it grows by :math:`c\,dx`. The derivative is that of the run's time as long as no other path
    becomes longer, and messages wait for each other as before. With a bandwidth the queues in front
    of the links change in proportion as well; a larger bandwidth of one class alone moves the
    bottleneck to another class.
    """
    if explanation.path is None:
        return []
    length = int(explanation.path["end"][-1]) if len(explanation.path["end"]) else 0
    found = [
        Slope(
            number=key,
            value=run.machine.get(key),
            path_ps=time,
            relative=(-1 if key.endswith("bandwidth") else 1) * time / length,
        )
        for key, time in explanation.proportions.items()
        if length > 0
    ]
    return sorted(found, key=lambda slope: (-slope.path_ps, slope.number))
