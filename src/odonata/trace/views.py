"""Views of calls: the numbers that are particular to a kind of call, under names of their own.

Which view a call has is said by its operation; `odonata.trace.calls.VIEW_OF` has it by name.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from odonata import _core

__all__ = [
    "ANY",
    "COLLECTIVES",
    "MODES",
    "NAMES",
    "NOBODY",
    "VIEWS",
    "Abort",
    "Clock",
    "Collective",
    "Communicator",
    "Exchange",
    "Phase",
    "Probe",
    "Receive",
    "Send",
    "View",
]

ANY = -1
"""Any source or tag of a receive; as a root, the rank itself (``MPI_ROOT``)."""

NOBODY = -2
"""No rank: nothing is sent."""

COLLECTIVES = tuple(operation.name for operation in _core.collective_operations())
"""Collective operations, by number."""

MODES = ("standard", "buffered", "synchronous", "ready")
"""Modes of sends, by number."""

ASKERS = ("wtime", "c_library")
"""Who asks for the time, by number: ``MPI_Wtime`` or a clock of the C library."""

NAMES = {
    ("send", "mode"): MODES,
    ("collective", "operation"): COLLECTIVES,
    ("clock", "asker"): ASKERS,
}
"""Names that the numbers of a field stand for, by view and field."""


@dataclass(frozen=True)
class Send:
    """A message that is sent; ranks are counted in the communicator.

    Parameters
    ----------
    to, tag
        Rank that it goes to, and its tag.
    bytes
        Its size [B].
    mode
        One of `MODES`.
    """

    to: int = NOBODY
    tag: int = 0
    bytes: int = 0
    mode: str = "standard"


@dataclass(frozen=True)
class Receive:
    """A message that is received.

    Parameters
    ----------
    source, tag
        Rank that it comes from, and its tag, or `ANY`.
    bytes
        Size of the buffer [B].
    message
        Number of a message that a probe has matched; 0: none.
    """

    source: int = NOBODY
    tag: int = 0
    bytes: int = 0
    message: int = 0


@dataclass(frozen=True)
class Exchange:
    """A message that is sent and one that is received, by one call.

    Parameters
    ----------
    to, send_tag
        Rank that the first goes to, and its tag.
    bytes
        Its size [B].
    source, receive_tag
        Rank that the other comes from, and its tag, or `ANY`.
    """

    to: int = NOBODY
    send_tag: int = 0
    bytes: int = 0
    source: int = NOBODY
    receive_tag: int = 0


@dataclass(frozen=True)
class Probe:
    """A look at a message that may have come.

    Parameters
    ----------
    source, tag
        Rank that it comes from, and its tag, or `ANY`.
    """

    source: int = NOBODY
    tag: int = 0


@dataclass(frozen=True)
class Collective:
    """A collective operation.

    Parameters
    ----------
    bytes
        Size of a block [B]; ``odonata simulate --list`` explains it.
    root
        Rank at the root; `NOBODY` without a root, `ANY` for the rank itself at the root of an
        operation between two groups.
    operation
        One of `COLLECTIVES`.
    """

    bytes: int = 0
    root: int = NOBODY
    operation: str = "barrier"


@dataclass(frozen=True)
class Communicator:
    """A communicator that now exists; its members are the words of the call.

    Parameters
    ----------
    identity
        Number that all members agree on.
    position
        Place of the rank among the members of its group.
    num_local
        Members of its group if there are two groups, else 0.
    """

    identity: int = 0
    position: int = 0
    num_local: int = 0


@dataclass(frozen=True)
class Clock:
    """A question for the time.

    Parameters
    ----------
    asker
        One of `ASKERS`.
    again
        Questions right before, which had the same answer and have no records of their own.
    """

    asker: str = "wtime"
    again: int = 0


@dataclass(frozen=True)
class Phase:
    """A call of ``MPI_Pcontrol``.

    Parameters
    ----------
    level
        Its level.
    """

    level: int = 0


@dataclass(frozen=True)
class Abort:
    """A call of ``MPI_Abort``.

    Parameters
    ----------
    code
        Its code.
    """

    code: int = 0


View = Send | Receive | Exchange | Probe | Collective | Communicator | Clock | Phase | Abort
"""Any of them."""

VIEWS: dict[str, type[View]] = {
    "send": Send,
    "receive": Receive,
    "exchange": Exchange,
    "probe": Probe,
    "collective": Collective,
    "communicator": Communicator,
    "clock": Clock,
    "phase": Phase,
    "abort": Abort,
}
"""Views by name, in the order in which a file has them."""


def to_numbers(name: str, view: View) -> tuple[int, ...]:
    """Return the fields of a view as numbers.

    Parameters
    ----------
    name
        Its name in `VIEWS`.
    view
        The view.

    Examples
    --------
    >>> to_numbers("send", Send(to=1, bytes=64, mode="ready"))
    (1, 0, 64, 3)
    """
    if not isinstance(view, VIEWS[name]):
        raise TypeError(f"a call of this operation has a {VIEWS[name].__name__}: {view}")
    given = ((field.name, getattr(view, field.name)) for field in fields(view))
    return tuple(
        NAMES[name, key].index(value) if (name, key) in NAMES else value for key, value in given
    )


def from_numbers(name: str, numbers: tuple[int, ...]) -> View:
    """Return a view from the numbers of its fields.

    Parameters
    ----------
    name
        Its name in `VIEWS`.
    numbers
        As `to_numbers` returns them.
    """
    kind = VIEWS[name]
    values: dict[str, int | str] = {}
    for field, number in zip(fields(kind), numbers, strict=True):
        known = NAMES.get((name, field.name))
        values[field.name] = known[number] if known else number
    return kind(**values)  # type: ignore[arg-type]
