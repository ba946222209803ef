"""Accounts of conversions: the calls of a trace, and losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["NO_MARKS", "SOURCES", "Conversion", "Coverage"]

NO_MARKS = "marks of phases (MPI_Pcontrol)"
SOURCES = "receives from any source were written with the source that they got"
"""Words for properties that several formats lack, or express in another way."""


@dataclass(frozen=True)
class Coverage:
    """Calls that a program made, and calls that a trace has of them.

    Parameters
    ----------
    called
        Calls of all ranks, by function; of a trace of ours, under the name ``all``.
    recorded
        Recorded calls, by function.
    """

    called: Mapping[str, int]
    recorded: Mapping[str, int]

    @property
    def num_called(self) -> int:
        """Calls of all functions."""
        return sum(self.called.values())

    @property
    def num_recorded(self) -> int:
        """Recorded calls of all functions."""
        return sum(self.recorded.values())

    @property
    def share(self) -> float | None:
        """Share of the calls that the trace has; None if it doesn't say how many there were."""
        return self.num_recorded / self.num_called if self.num_called else None

    def plain(self) -> dict[str, object]:
        """Return it as plain data, for JSON."""
        return {
            "called": self.num_called,
            "recorded": self.num_recorded,
            "share": self.share,
            "functions": {
                name: {"called": self.called.get(name, 0), "recorded": self.recorded.get(name, 0)}
                for name in sorted({*self.called, *self.recorded})
            },
        }


@dataclass
class Conversion:
    """Account of a conversion.

    Parameters
    ----------
    source, target
        Formats.
    ranks, calls
        Number of ranks, and of calls that were read.
    coverage
        Recorded calls against all calls; None where the format doesn't tell.
    left_out
        Calls that were kept as local ones or omitted, by reason.
    changed
        Calls and messages that the target has in another way, by the replacement.
    unknown
        Records that the reader does not know, by name.
    notes
        Sentences on facts that were read, assumed or ignored.
    """

    source: str
    target: str = "odonata"
    ranks: int = 0
    calls: int = 0
    coverage: Coverage | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def leave_out(self, reason: str, count: int) -> None:
        """Add to the calls that were left out for a reason."""
        if count:
            self.left_out[reason] = self.left_out.get(reason, 0) + count

    def change(self, what: str, count: int) -> None:
        """Add to the calls that were written in another way."""
        if count:
            self.changed[what] = self.changed.get(what, 0) + count

    @property
    def losses(self) -> str:
        """Line on all that the target lacks or has in another way; empty if it has everything."""
        counted = [f"{count} {reason}" for reason, count in self.changed.items()]
        left = [f"{count} {reason} were left out" for reason, count in self.left_out.items()]
        return "; ".join([*counted, *left])

    def plain(self) -> dict[str, object]:
        """Return the account as plain data, for JSON."""
        made: dict[str, object] = {
            "from": self.source,
            "to": self.target,
            "ranks": self.ranks,
            "calls": self.calls,
            "left_out": self.left_out,
            "changed": self.changed,
            "unknown": self.unknown,
            "notes": self.notes,
        }
        if self.coverage is not None:
            made["coverage"] = self.coverage.plain()
        return made
