"""Construction of the engine's rank program from the description of a workload."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from odonata import _core
from odonata.placement import Placement

__all__ = ["KINDS", "Built", "Field", "Workload", "build"]

KINDS = "Collective, Halo, Sedov, Fft, Traffic, Program, Played"

Field = int | float | str | bool | None


@dataclass(frozen=True)
class Built:
    """A workload on a placement, ready to run.

    Parameters
    ----------
    program
        The engine's program.
    name
        Its name in results.
    fields
        The workload, resolved: ``auto`` has become an algorithm.
    messages
        Messages it will send; None if that is not known beforehand.
    size_bytes
        Size of its largest usual message [B].
    sent_bytes
        Bytes of all messages [B]; None if each has `size_bytes`, or that is not known either.
    """

    program: _core.Program
    name: str
    fields: Mapping[str, Field]
    messages: int | None
    size_bytes: int
    sent_bytes: int | None = None

    def packets(self, payload_bytes: int) -> int:
        """Return about how many packets it will send, 0 if that is not known.

        Exact where its messages are of one size; otherwise between a half and twice as many.

        Parameters
        ----------
        payload_bytes
            Largest payload of a packet [B].
        """
        if not self.messages:
            return 0
        size = self.size_bytes if self.sent_bytes is None else -(-self.sent_bytes // self.messages)
        return self.messages * max(1, -(-size // payload_bytes))


class Workload(ABC):
    """Work of the ranks of a job: one of `KINDS`."""

    @abstractmethod
    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""


def build(workload: Workload, placement: Placement, *, seed: int = 0) -> Built:
    """Make the rank program of a workload.

    Parameters
    ----------
    workload
        A `Collective`, `PointToPoint`, `Halo`, `Sedov`, `Fft`, `Traffic`, `Program` or `Played`.
    placement
        Where its ranks are.
    seed
        Seed of the random choices.

    Raises
    ------
    UserError
        The workload doesn't fit the ranks: no such root, too few ranks for the pattern.
    """
    return workload.build(placement, seed=seed)
