"""Synthetic traffic: every rank sends messages at random times to ranks that a pattern names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.units import format_bytes, parse_bytes, parse_time
from odonata.workload.build import Built, Field, Workload

__all__ = ["PATTERNS", "Traffic"]

PATTERNS: Mapping[str, str] = {
    "uniform": "to any other rank, all equally likely",
    "adversarial+1": "to a random rank of the next group; +K: of the group K groups on",
    "adversarial+h": "as many groups on as a router has global links",
    "permutation": "to one other rank each, a different one for each",
    "hotspot": "a share of the messages to a few hot ranks, the others anywhere",
    "pairs": "to the rank that is listed; in Python",
}
"""Patterns, and where their messages go."""

DEFAULT_MESSAGES = 200
"""Messages of each rank: above the accepted load, 50 end while the network still fills."""

MOST_MESSAGES = 10**9

_ADVERSARIAL = re.compile(r"adversarial(?:\+([0-9]{1,6}|h))?")


@dataclass(frozen=True)
class Traffic(Workload):
    """Messages of one size, sent without waiting for an answer.

    Parameters
    ----------
    pattern
        Where a message goes: ``uniform``, any other rank; ``adversarial+K``, a random rank of the
        group K groups on (``adversarial+h``: as many as a router has global links);
        ``permutation``, a fixed other rank, a different one for each rank; ``hotspot``, a few hot
        ranks for a share of the messages, any other rank for the rest; ``pairs``, the rank that
        `targets` names.
    load
        Load that a rank offers, in units of the injection link, in (0, 1].
    bytes
        Size of a message [B], or text such as ``"1 KiB"``.
    messages_per_rank
        Messages of each rank; 0: until all jobs that are not background have ended; None:
        `DEFAULT_MESSAGES`, or as many as last until the end of the window.
    periodic
        Whether the gaps between messages are equal, not exponential.
    targets
        Pairs: target of each rank, -1 for one that is silent. Hotspot: the hot ranks.
    hot_fraction
        Hotspot: share of the messages that go to a hot rank, in [0, 1].
    warm_up, window
        Time before accepted load is measured, and how long it is, such as ``"20 us"``. Without
        either it is measured in the second half of the time in which every rank still sends;
        without `window`, from `warm_up` until then; without `warm_up`, that is as long as
        `window`. Where ranks have sent all too early for the window, the result has a warning.

    Raises
    ------
    UserError
        A name is unknown or a number out of range.

    Examples
    --------
    >>> print(Traffic("uniform", load=0.5))
    uniform at 0.5 of 1 KiB
    """

    pattern: str = "uniform"
    load: float = 0.5
    bytes: int | str = 1024
    messages_per_rank: int | None = None
    periodic: bool = False
    targets: tuple[int, ...] = ()
    hot_fraction: float = 0.1
    warm_up: str | None = None
    window: str | None = None

    def __post_init__(self) -> None:
        if self.pattern not in PATTERNS and not _ADVERSARIAL.fullmatch(self.pattern):
            near = near_miss(self.pattern, PATTERNS)
            allowed = ", ".join((*PATTERNS, "adversarial+K"))
            raise UserError("pattern: unknown", value=self.pattern, allowed=allowed, near=near)
        object.__setattr__(self, "bytes", parse_bytes(self.bytes, bare=True))
        object.__setattr__(self, "targets", tuple(self.targets))
        if self.size_bytes == 0:
            raise UserError(
                "bytes: a message of traffic cannot be empty", value=0, allowed="1 B or more"
            )
        if not 0 < self.load <= 1:
            allowed = "above 0 to 1, the rate of the injection link"
            raise UserError("load: out of range", value=self.load, allowed=allowed)
        self._check_window()
        if self.messages_per_rank is not None and not 0 <= self.messages_per_rank <= MOST_MESSAGES:
            allowed = f"0 (until other jobs end) to {MOST_MESSAGES}"
            value = self.messages_per_rank
            raise UserError("messages per rank: out of range", value=value, allowed=allowed)
        if not 0 <= self.hot_fraction <= 1:
            raise UserError("hot fraction: out of range", value=self.hot_fraction, allowed="0 to 1")

    def _check_window(self) -> None:
        if self.warm_up is not None:
            parse_time(self.warm_up, what="warm-up")
        if self.window is not None and parse_time(self.window, what="window") == 0:
            raise UserError("window: too short", value=self.window, allowed="> 0")

    @property
    def span_ps(self) -> tuple[int, int | None] | None:
        """When measuring begins and ends [ps]; the end may be the end of sending, or both None."""
        if self.window is None:
            return None if self.warm_up is None else (parse_time(self.warm_up), None)
        length = parse_time(self.window)
        begin = length if self.warm_up is None else parse_time(self.warm_up)
        return begin, begin + length

    def messages(self, machine: Machine) -> int:
        """Return how many messages a rank sends on a machine; 0: until other jobs end."""
        span = self.span_ps
        if span is None:
            return DEFAULT_MESSAGES if self.messages_per_rank is None else self.messages_per_rank
        rate = int(str(machine.value("links.injection.bandwidth")))
        wanted = (span[1] or span[0]) * self.load * rate / (self.size_bytes * 10**12)
        if self.messages_per_rank is None:
            # The slowest of a million Poisson senders is behind by 5 standard deviations.
            after = 0 if span[1] else DEFAULT_MESSAGES
            number = math.ceil(wanted + 5 * math.sqrt(wanted) + 10) + after
            if number <= MOST_MESSAGES:
                return number
            raise UserError("window: too long", value=self.window or self.warm_up)
        if 0 < self.messages_per_rank <= wanted:
            raise UserError(
                "packets per node: too few to last until the window is over",
                value=self.messages_per_rank,
                allowed=f"more than {math.ceil(wanted)}, or none for as many as it takes",
            )
        return self.messages_per_rank

    @property
    def size_bytes(self) -> int:
        """Size of a message [B]."""
        return int(self.bytes)

    def senders(self, ranks: int) -> int:
        """Return how many of a job's ranks send."""
        silent = sum(to == -1 for to in self.targets) if self.pattern == "pairs" else 0
        return ranks - silent

    def core_pattern(self, machine: Machine) -> _core.PatternOptions:
        """Return the pattern as the engines take it."""
        options = _core.PatternOptions()
        match = _ADVERSARIAL.fullmatch(self.pattern)
        options.name = "adversarial" if match else self.pattern
        options.hot_fraction = self.hot_fraction
        options.targets = list(self.targets)
        if match:
            options.shift = _shift(match[1] or "1", machine)
        return options

    def check_targets(self, placement: Placement) -> None:
        """Raise UserError if adversarial traffic would stay in the group where it starts."""
        match = _ADVERSARIAL.fullmatch(self.pattern)
        groups = placement.machine.num_groups
        if not match or groups < 2:
            return
        shift = _shift(match[1] or "1", placement.machine)
        if shift % groups == 0:
            raise UserError(
                f"pattern {self.pattern}: every message would stay in its group",
                value=shift,
                allowed=f"1 to {groups - 1}: {placement.machine.name} has {groups} groups",
            )
        used = placement.used_groups
        for group in used:
            onward = ((group + shift + step) % groups for step in range(groups))
            if next(other for other in onward if other in used) == group:
                raise UserError(
                    f"pattern {self.pattern}: messages of group {group} would stay in it",
                    value=f"ranks in {len(used)} of {groups} groups",
                    allowed="ranks in more groups, or another number of groups on",
                )

    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""
        ranks, machine = placement.ranks, placement.machine
        if ranks < 2:
            raise UserError("traffic: too few ranks", value=ranks, allowed="2 or more")
        if placement.ranks_per_node > 1:
            raise UserError("traffic: several ranks share a node", allowed="one rank a node")
        self.check_targets(placement)
        each = self.messages(machine)
        program = _core.traffic(
            machine.core,
            placement.node_of,
            self.core_pattern(machine),
            self.load,
            self.size_bytes,
            each,
            self.periodic,
            seed,
        )
        fields: dict[str, Field] = {
            "operation": "traffic",
            "pattern": self.pattern,
            "load": self.load,
            "bytes": self.size_bytes,
            "messages_per_rank": each,
            "warm_up": self.warm_up,
            "window": self.window,
            "periodic": self.periodic,
            "hot_fraction": self.hot_fraction,
            "targets": " ".join(map(str, self.targets)),
        }
        return Built(
            program,
            f"traffic/{self.pattern}",
            fields,
            self.senders(ranks) * each if each > 0 else None,
            self.size_bytes,
        )

    def __str__(self) -> str:
        return f"{self.pattern} at {self.load:g} of {format_bytes(self.size_bytes)}"


def _shift(text: str, machine: Machine) -> int:
    if text != "h":
        return int(text)
    key = "shape.global_links_per_router"
    if key not in machine.numbers:
        raise UserError(
            f"pattern adversarial+h: {machine.name} doesn't say how many global links a router has",
            allowed="adversarial+K with a number K",
        )
    return int(str(machine.value(key)))
