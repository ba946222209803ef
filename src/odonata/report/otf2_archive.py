"""Timelines as OTF2, for Vampir and Scalasca: a location a rank, messages of MPI."""

from __future__ import annotations

import ctypes
import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from odonata.errors import UserError, WriteError
from odonata.explain import Timeline
from odonata.explain.timeline import KINDS
from odonata.quiet import errors_of_library
from odonata.report.tracks import OUTSIDE, Tracks

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["package", "write"]

CALL_ENTER, ENTER, SEND, RECEIVE, LEAVE, CALL_LEAVE = range(6)
"""Events in the order in which an interval has them; messages are in the order of time."""

NO_TAG = 0

Ints: TypeAlias = "NDArray[np.int64]"


def package() -> Any:
    """Return the package.

    Raises
    ------
    UserError
        It is missing.
    """
    try:
        import otf2
    except ImportError as error:
        raise UserError(
            "otf2: the package that writes OTF2 traces is missing (pip install 'odonata[export]')"
        ) from error
    return otf2


def write(timeline: Timeline, path: Path) -> None:
    """Write the folder beside its place, and move it there when it is whole.

    Parameters
    ----------
    timeline
        The timeline.
    path
        The folder.

    Raises
    ------
    WriteError
        It could not be written.
    """
    otf2, tracks = package(), Tracks(timeline)
    try:
        # In the same file system, so that the whole archive appears by one rename.
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            made = Path(folder) / "made"
            _write_whole(otf2, tracks, made)
            made.rename(path)
    except OSError as error:
        raise WriteError.of(error, str(path)) from error


def _write_whole(otf2: Any, tracks: Tracks, made: Path) -> None:
    """Write the archive, and look whether it can be read, since the package does not check its end.

    Raises
    ------
    OSError
        Something of it could not be written.
    """
    with errors_of_library() as said:
        try:
            with otf2.writer.open(str(made), timer_resolution=10**12) as archive:
                _define_and_write(otf2, archive, tracks)
            with otf2.reader.open(str(made / "traces.otf2")) as archive:
                whole = len(archive.definitions.locations) == len(tracks.places)
        except OSError:
            raise
        except Exception as error:  # whatever the package raises
            raise _no_space() from error
    if said or not whole:
        raise _no_space()


def _no_space() -> OSError:
    """Return the error of a disk that is full, or another one: the library does not say which."""
    return OSError(errno.ENOSPC, f"{os.strerror(errno.ENOSPC)}, or OTF2 failed otherwise")


def _define_and_write(otf2: Any, archive: Any, tracks: Tracks) -> None:
    run = tracks.timeline.explained.run
    definitions = archive.definitions
    root = definitions.system_tree_node(str(run.summary.get("machine") or "machine"))
    nodes: dict[int, Any] = {}
    locations = []
    for job, rank, node in tracks.places:
        if node not in nodes:
            nodes[node] = definitions.system_tree_node(f"node {node}", parent=root)
        several = f" of job {job}" if len(run.jobs) > 1 else ""
        name = f"MPI Rank {rank}{several}"
        group = definitions.location_group(name, system_tree_parent=nodes[node])
        locations.append(definitions.location(name, group=group))
    kinds, mpi, user = otf2.GroupType, otf2.Paradigm.MPI, otf2.Paradigm.USER
    definitions.group("", kinds.COMM_LOCATIONS, mpi, members=locations)
    everybody = definitions.group("", kinds.COMM_GROUP, mpi, members=locations)
    world = definitions.comm("ranks of all jobs", group=everybody)
    kind, function = (np.unique(each).tolist() for each in (tracks.timeline.kind, tracks.function))
    regions = np.zeros(len(KINDS) + len(tracks.functions), dtype=np.int64)
    for at in kind:
        regions[at] = definitions.region(KINDS[at], paradigm=user)._ref
    for at in function:
        name = tracks.functions[at]
        region = definitions.region(name, paradigm=user if name == OUTSIDE else mpi)
        regions[len(KINDS) + at] = region._ref
    writer = _EventWriter(archive, world._ref)
    for rank, location in enumerate(locations):
        writer.write(location, _events(tracks, rank, regions))


def _events(tracks: Tracks, rank: int, regions: Ints) -> Ints:
    """Return the events of a rank in their order: what, time, region or other rank, and bytes."""
    times, found, (low, high) = tracks.timeline, tracks.timeline.messages, tracks.intervals(rank)
    begin, end, at = times.begin[low:high], times.end[low:high], np.arange(low, high)
    outer, inner = regions[len(KINDS) + tracks.function[low:high]], regions[times.kind[low:high]]
    opens, closes = tracks.opens[low:high], tracks.closes[low:high]
    parts = [
        _part(at[opens], CALL_ENTER, begin[opens], outer[opens]),
        _part(at, ENTER, begin, inner),
        _part(at, LEAVE, end, inner),
        _part(at[closes], CALL_LEAVE, end[closes], outer[closes]),
    ]
    for attached, what, time, other in (
        (tracks.sent, SEND, found.sent, found.target),
        (tracks.received, RECEIVE, found.delivered, found.source),
    ):
        mine = attached.within(low, high)
        number, near = mine.message, mine.interval
        parts.append(_part(near, what, time[number], other[number], found.size[number]))
    interval, what, time, other, size = np.concatenate(parts, axis=1)
    # Messages of an interval stand between its begin and its end, in the order of time.
    is_message = (what == SEND) | (what == RECEIVE)
    stage, moment = np.where(is_message, SEND, what), np.where(is_message, time, 0)
    order = np.lexsort((what, moment, stage, interval))
    time = np.clip(time, times.begin[interval], times.end[interval])
    return np.stack([what, time, other, size])[:, order]


def _part(interval: Ints, what: int, time: Ints, other: Ints, size: Ints | int = 0) -> Ints:
    rows = (interval, np.full(len(interval), what), time, other)
    return np.stack([*rows, np.broadcast_to(size, len(interval))])


class _EventWriter:
    """Writes the events of one location after the other.

    The functions of the library are called directly, for the package makes an object of each
    event, which takes most of the time; and each location is closed at once, for it holds 5 MB.
    """

    def __init__(self, archive: Any, world: int) -> None:
        import _otf2

        self._archive, self._world, self._package = archive, world, _otf2
        self._enter, self._leave, self._send, self._receive = (
            self._function(name) for name in ("Enter", "Leave", "MpiSend", "MpiRecv")
        )

    def write(self, location: Any, events: Ints) -> None:
        """Write events of a location: what, time, region or other rank, and bytes."""
        writer = self._archive.event_writer_from_location(location)
        handle, world = writer.handle, self._world
        calls = {
            **dict.fromkeys((CALL_ENTER, ENTER), self._enter),
            **dict.fromkeys((CALL_LEAVE, LEAVE), self._leave),
            **{SEND: self._send, RECEIVE: self._receive},
        }
        failed = 0
        for what, time, other, size in zip(*events.tolist(), strict=True):
            if SEND <= what <= RECEIVE:
                failed |= calls[what](handle, None, time, other, world, NO_TAG, size)
            else:
                failed |= calls[what](handle, None, time, other)
        if failed:
            raise OSError(errno.EIO, "OTF2 could not write events")
        if events.size:
            for time in (int(events[1].min()), int(events[1].max())):
                self._archive._update_timestamps(time)
        location._number_of_events_written = events.shape[1]
        writer.close()
        writer.close = lambda: None  # the archive closes all at its end, and no location twice

    def _function(self, name: str) -> Callable[..., int]:
        """Return a function of the library, of our own: the types of its other users stay."""
        found = self._package.conf.lib[f"OTF2_EvtWriter_{name}"]
        more = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64] if name.startswith("Mpi") else []
        found.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, *more]
        found.restype = ctypes.c_int
        called: Callable[..., int] = found
        return called
