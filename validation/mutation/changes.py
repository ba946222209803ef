"""Changes of a source that a test should notice, and how some of them are drawn."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A change at one place of one source.

    Parameters
    ----------
    place
        Line and column of the change, from 1 and 0.
    kind
        Name of the change.
    apply
        Makes the changed source of the source.
    """

    place: tuple[int, int]
    kind: str
    apply: Callable[[str], str]


def drawn(
    changes: Mapping[str, Sequence[Change]], count: int, seed: int
) -> list[tuple[str, Change]]:
    """Draw places of some files, then one change at each, in the order of files and places.

    Every place is as likely as any other, however many changes there are at it.
    """
    at: dict[tuple[str, tuple[int, int]], list[Change]] = {}
    for file in sorted(changes):
        for change in changes[file]:
            at.setdefault((file, change.place), []).append(change)
    draws = random.Random(seed)
    places = draws.sample(sorted(at), min(count, len(at)))
    return [(file, draws.choice(at[file, place])) for file, place in sorted(places)]


def first_difference(old: str, new: str) -> tuple[str, str]:
    """Return the first line that differs, as it was and as it is."""
    lines = zip(old.splitlines(), new.splitlines(), strict=False)
    was, became = next((pair for pair in lines if pair[0] != pair[1]), ("", ""))
    return was.strip(), became.strip()
