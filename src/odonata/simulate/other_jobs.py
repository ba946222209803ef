"""Other jobs of the machine, which run as long as the jobs under study."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import Placement, place_busy
from odonata.simulate.job import Job, background, parse_background
from odonata.workload import Traffic

__all__ = ["BUSY_WITH", "Surroundings", "busy", "parse_busy"]

BUSY_WITH = "uniform:0.3"
"""Traffic of each busy job, unless it is said."""

_FOR_ANY_JOB = ("uniform", "permutation", "hotspot")
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?) ?%")


@dataclass(frozen=True)
class Surroundings:
    """Other jobs of a machine, as texts say.

    Parameters
    ----------
    background
        Traffic among all nodes that are left, as in ``"uniform:0.3"``.
    busy
        Share of the nodes that are left whose jobs send, as in ``"80%"``; ``"80% like:lumi"`` draws
        sizes and nodes from the jobs of a real machine.
    busy_with
        Traffic of each of these jobs; None: `BUSY_WITH`.

    Raises
    ------
    UserError
        A text is not understood, or both kinds are wanted.

    Examples
    --------
    >>> from odonata import machine, placement
    >>> eos = machine.load("eos")
    >>> around = Surroundings(busy="50%", busy_with="uniform:0.1")
    >>> print(around.jobs(eos, [placement.place(eos, 44)])[0])
    uniform at 0.1 of 1 KiB on 128 ranks, in the background
    """

    background: str | None = None
    busy: str | None = None
    busy_with: str | None = None

    def __post_init__(self) -> None:
        if self.busy is not None and self.background is not None:
            what = "busy: the background has all nodes that are left"
            raise UserError(what, value=self.busy, allowed="--busy or --background")
        if self.busy is None and self.busy_with is not None:
            what = "busy with: no nodes are busy"
            raise UserError(what, value=self.busy_with, allowed="--busy 80%, or another share")

    def jobs(self, machine: Machine, beside: Sequence[Placement], *, seed: int = 0) -> list[Job]:
        """Return the other jobs.

        Parameters
        ----------
        machine
            The machine; a message is as large as one of its packets.
        beside
            Placements of the jobs that are looked at.
        seed
            Seed of the random choices.
        """
        size = int(str(machine.value("nic.packet_bytes")))
        if self.background is not None:
            traffic = parse_background(self.background, bytes=size)
            return [background(machine, traffic, beside=beside)]
        if self.busy is None:
            return []
        traffic = parse_background(
            BUSY_WITH if self.busy_with is None else self.busy_with, bytes=size, what="busy with"
        )
        share, _, like = self.busy.partition(" like:")
        return busy(
            machine, parse_busy(share), traffic, beside=beside, seed=seed, like=like.strip() or None
        )


def busy(
    machine: Machine,
    share: float,
    traffic: Traffic,
    *,
    beside: Sequence[Placement],
    seed: int = 0,
    like: str | None = None,
) -> list[Job]:
    """Return jobs that keep a share of the other nodes busy until the others end.

    Parameters
    ----------
    machine
        The machine.
    share
        Part of the nodes that other jobs leave free, from 0 to 1.
    traffic
        Traffic between the ranks of each job: uniform, permutation or hotspot.
    beside
        Placements of the other jobs.
    seed
        Seed of the random choices.
    like
        Machine whose real jobs the sizes and nodes are drawn from; None: a model of jobs.

    Raises
    ------
    UserError
        The share is out of range or stands for a single node; or the pattern is not for every job.

    See Also
    --------
    odonata.placement.place_busy : sizes and nodes of the jobs.
    """
    if traffic.pattern not in _FOR_ANY_JOB:
        raise UserError(
            "busy with: pattern is not for jobs of every size",
            value=traffic.pattern,
            allowed=", ".join(_FOR_ANY_JOB),
        )
    endless = replace(traffic, messages_per_rank=0)
    placements = place_busy(machine, share, beside=beside, seed=seed, like=like)
    return [Job(endless, placement, background=True) for placement in placements]


def parse_busy(text: str) -> float:
    """Return the share that a text such as ``"80%"`` stands for.

    Parameters
    ----------
    text
        Per cent.

    Raises
    ------
    UserError
        It is not from 0% to 100%.

    Examples
    --------
    >>> parse_busy("80%")
    0.8
    """
    match = _PERCENT.fullmatch(text.strip())
    if match is None or float(match[1]) > 100:
        near = f"{text.strip()}%" if re.fullmatch("[1-9][0-9]?", text.strip()) else None
        allowed = "0% to 100% of the other nodes, as in 80%"
        raise UserError("busy: not understood", value=text, allowed=allowed, near=near)
    return float(match[1]) / 100
