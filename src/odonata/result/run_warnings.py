"""Check that traffic had settled when it was measured."""

from __future__ import annotations

from math import sqrt

from odonata.result.run import JobRun, Run
from odonata.units import format_time

__all__ = ["LEAST_DIFFERENCE", "coverage_warnings", "traffic_warnings"]

LEAST_DIFFERENCE = 0.05
"""Shares of a load below which a difference is no matter for a warning."""

SIGMAS = 3.0
"""Standard errors that a difference must have to be no chance."""

FILLING = 1.25
"""Deliveries in the second half of a window by those in the first, from which the network fills."""


def traffic_warnings(run: Run) -> list[str]:
    """Return warnings about the loads of a run, empty without traffic.

    Parameters
    ----------
    run
        The run.

    Notes
    -----
    Chance makes a relative error of ``1 / sqrt(n)`` in `n` messages delivered in the window, and
    of ``2 / sqrt(n)`` in the difference between its halves. There is a warning when accepted is
    below offered by more than `LEAST_DIFFERENCE` and `SIGMAS` such errors, when the halves of a
    window differ by more than that, when there was no window at all, and when the window that was
    asked for could not be measured whole because a rank had sent all before its end. Of traffic in
    the background there is a warning when accepted is below offered, unless the second half of the
    window has `FILLING` times the deliveries of the first: the other jobs were over before the
    network had filled.
    """
    front, behind = _traffic(run, background=False), _traffic(run, background=True)
    found = []
    if loads := _refused(run, front, "offered_load", "accepted_load"):
        found.append(f"{loads}: queues grow, and latencies with the length of the run")
    for job in front:
        found += _shortened(job) + _unsettled(job)
    loads = _refused(run, behind, "background_offered_load", "background_accepted_load")
    if loads and not _fills(behind):
        found.append(
            f"background: {loads}: its sources wait, and times are those beside the accepted load"
        )
    return found


def coverage_warnings(run: Run) -> list[str]:
    """Return a warning for each trace that lacks calls that its program made.

    Parameters
    ----------
    run
        The run.
    """
    found = []
    for job in run.jobs:
        made, recorded = (job.workload.get(name) for name in ("calls_made", "calls_recorded"))
        if isinstance(made, int) and isinstance(recorded, int) and recorded < made:
            found.append(
                f"the trace has {100 * recorded / made:.3g} % of the calls that the program made "
                f"({recorded:,} of {made:,}): messages and waits of the others are missing"
            )
    return found


def _traffic(run: Run, *, background: bool) -> list[JobRun]:
    return [
        job
        for job in run.jobs
        if job.workload.get("operation") == "traffic" and job.background == background
    ]


def _refused(run: Run, traffic: list[JobRun], offered_key: str, accepted_key: str) -> str:
    """Return the loads of jobs in words if they were not accepted, nothing if they were."""
    offered, accepted = run.summary.get(offered_key), run.summary.get(accepted_key)
    if not traffic or not isinstance(offered, float) or not isinstance(accepted, float):
        return ""
    if accepted >= offered * (1 - _threshold(sum(map(_messages, traffic)), 1)):
        return ""
    return f"offered load {offered:.3g} is above accepted load {accepted:.3g}"


def _fills(traffic: list[JobRun]) -> bool:
    """Return whether the network was still filling: there were ever more deliveries."""
    whole, first = (
        sum(job.totals.get(key, 0) for job in traffic)
        for key in ("window_bytes", "window_first_bytes")
    )
    return whole - first > FILLING * first


def _messages(job: JobRun) -> float:
    size = job.workload.get("bytes")
    return job.totals.get("window_bytes", 0) / size if isinstance(size, int) and size > 0 else 0.0


def _threshold(messages: float, errors: float) -> float:
    """Return the relative difference that is worth a warning."""
    chance = SIGMAS * errors / sqrt(messages) if messages > 0 else 1.0
    return max(LEAST_DIFFERENCE, chance)


def _shortened(job: JobRun) -> list[str]:
    """Return the warning that another window was measured than was asked for, if it was."""
    totals = job.totals
    begin, end = totals["window_begin"], totals["window_end"]
    asked = totals.get("asked_begin", begin), totals.get("asked_end", end)
    if asked == (begin, end):
        return []
    wanted = f"{format_time(asked[0])} to {format_time(asked[1])}"
    if "asked_end" not in totals:
        wanted = f"from {format_time(asked[0])} on"
    return [
        f"{job.name}: the window {wanted} could not be measured: accepted load was measured from "
        f"{format_time(begin)} to {format_time(end)}; a rank had sent all too early"
    ]


def _unsettled(job: JobRun) -> list[str]:
    """Return the warning that a job had not settled, if it had not."""
    totals = job.totals
    if "window_first_bytes" not in totals:  # a file of before it was counted
        return []
    whole, first = totals["window_bytes"], totals["window_first_bytes"]
    if totals["window_begin"] == 0 and totals["window_end"] == totals["last_delivered"]:
        return [f"{job.name}: not settled: too few packets a node for a steady window"]
    second = whole - first
    change = 2 * (second - first) / whole if whole else 0.0
    if abs(change) <= _threshold(_messages(job), 2):
        return []
    than = "less" if change < 0 else "more"
    return [
        f"{job.name}: not settled: the second half of the window delivers {abs(change):.0%} {than} "
        "than the first; more packets a node are needed"
    ]
