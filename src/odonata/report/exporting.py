"""Timelines for other tools: Perfetto's protobuf, and OTF2 for Vampir and Scalasca."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

from odonata.errors import UserError, WriteError, near_miss
from odonata.explain import KINDS, Explained, Timeline, words_of
from odonata.files import require_writable, write_whole
from odonata.result.overview import title

__all__ = ["FORMATS", "export_timeline", "require_export"]

PS_PER_NS = 1000
CHUNK = 4096
"""Packets that are put into bytes at once."""


def require_export(path: str | Path, kind: str | None = None) -> str:
    """Return the format of an export, or fail now if it could not be written later.

    Parameters
    ----------
    path
        The file, or the folder of OTF2.
    kind
        One of `FORMATS`; None: that of the path's suffix.

    Returns
    -------
    str
        The format.

    Raises
    ------
    UserError
        There is no such format, its package is missing, or the folder is there already.
    WriteError
        It could not be written.
    """
    suffix = Path(path).suffix.lower()
    by_suffix = {each: name for name, form in FORMATS.items() for each in form.suffixes}
    chosen = kind or by_suffix.get(suffix, "")
    if chosen not in FORMATS:
        given = kind if kind is not None else suffix
        allowed = f"{', '.join(FORMATS)}; suffixes {', '.join(by_suffix)}"
        known = FORMATS if kind is not None else by_suffix
        near = near_miss(given, list(known)) if given else None
        raise UserError(f"{path}: no such format", value=given, allowed=allowed, near=near)
    FORMATS[chosen].package()
    if FORMATS[chosen].folder and Path(path).exists():
        raise UserError(f"{path}: is there already; OTF2 makes a new folder")
    require_writable(path)
    return chosen


def export_timeline(explained: Explained, path: str | Path, *, kind: str | None = None) -> None:
    """Write the timeline of a run for another tool.

    Parameters
    ----------
    explained
        An explanation whose run kept its steps.
    path
        The file, or the folder of OTF2.
    kind
        ``perfetto`` or ``otf2``; None: that of the path's suffix.

    Raises
    ------
    UserError
        There is no such format, its package is missing, or the run kept no steps.
    WriteError
        It could not be written.
    """
    chosen = require_export(path, kind)
    FORMATS[chosen].write(explained.timeline, Path(path))


@dataclass(frozen=True)
class _Interval:
    """A part of a rank's time, with its function and the messages that it sent and received."""

    begin: int
    end: int
    kind: str
    function: str
    sent: list[int]
    received: list[int]


class _Tracks:
    """Intervals of every rank, and the messages that connect them."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        run = timeline.explained.run
        self.places = [
            (number, rank, int(node))
            for number, job in enumerate(run.jobs)
            for rank, node in enumerate(job.nodes)
        ]
        scopes = timeline.explained.account.scopes
        self._functions = [scope.function or "outside of MPI" for scope in scopes]
        self._ends = self._connect()

    def _connect(self) -> tuple[dict[int, list[tuple[int, int]]], dict[int, list[tuple[int, int]]]]:
        """Return what each rank sent and received: time and number of the message."""
        found = self.timeline.messages
        sent: dict[int, list[tuple[int, int]]] = {}
        received: dict[int, list[tuple[int, int]]] = {}
        columns = (found.source, found.target, found.sent, found.delivered)
        for number, (source, target, at, arrived) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            sent.setdefault(source, []).append((at, number))
            received.setdefault(target, []).append((arrived, number))
        for events in (*sent.values(), *received.values()):
            events.sort()
        return sent, received

    def of(self, rank: int) -> Iterator[_Interval]:
        """Yield the intervals of a rank; a message belongs to the one that ends with it, or has it.

        A message that arrives after the rank's end belongs to its last one.
        """
        import numpy as np

        low, high = np.searchsorted(self.timeline.rank, [rank, rank + 1])
        times = self.timeline
        waiting = [list(reversed(each.get(rank, []))) for each in self._ends]
        for at in range(low, high):
            end, last = int(times.end[at]), at == high - 1
            taken: list[list[int]] = []
            for queue in waiting:
                taken.append([])
                while queue and (last or queue[-1][0] <= end):
                    taken[-1].append(queue.pop()[1])
            function = self._functions[int(times.scope[at])]
            yield _Interval(int(times.begin[at]), end, KINDS[times.kind[at]], function, *taken)

    def calls(self, rank: int) -> Iterator[tuple[str, list[_Interval]]]:
        """Yield the functions that a rank was in, with their intervals."""
        for function, inside in groupby(self.of(rank), key=lambda each: each.function):
            yield function, list(inside)


# ---- Perfetto


def _perfetto() -> Any:
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError as error:
        raise UserError(
            "perfetto: the package that writes its traces is missing "
            "(pip install 'odonata[export]')"
        ) from error
    return perfetto_trace_pb2


def _write_perfetto(timeline: Timeline, path: Path) -> None:
    write_whole(path, _perfetto_bytes(timeline))


def _perfetto_bytes(timeline: Timeline) -> bytes:
    """Return a trace: a process a job, a thread a rank, flows for messages, and the path."""
    protos, tracks = _perfetto(), _Tracks(timeline)
    made, trace = [], protos.Trace()
    for packet in _packets(protos, tracks):
        trace.packet.append(packet)
        if len(trace.packet) == CHUNK:  # traces one after the other are one trace
            made.append(trace.SerializeToString(deterministic=True))
            trace = protos.Trace()
    made.append(trace.SerializeToString(deterministic=True))
    return b"".join(made)


def _packets(protos: Any, tracks: _Tracks) -> Iterator[Any]:
    run = tracks.timeline.explained.run
    path_track = len(tracks.places) + len(run.jobs) + 1
    first = protos.TracePacket()
    first.sequence_flags = protos.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    first.trusted_packet_sequence_id = 1
    first.track_descriptor.uuid = path_track
    first.track_descriptor.name = f"critical path of {title(run)}"
    yield first
    for number, job in enumerate(run.jobs):
        packet = _track(protos, len(tracks.places) + number + 1)
        packet.track_descriptor.process.pid = number + 1
        packet.track_descriptor.process.process_name = job.name
        yield packet
    for at, (job_number, rank, node) in enumerate(tracks.places):
        packet = _track(protos, at + 1)
        packet.track_descriptor.thread.pid = job_number + 1
        packet.track_descriptor.thread.tid = 1_000_000 * (job_number + 1) + rank
        packet.track_descriptor.thread.thread_name = f"rank {rank} (node {node})"
        packet.track_descriptor.sibling_order_rank = rank
        yield packet
    for stretch in tracks.timeline.explained.stretches:
        yield _event(protos, path_track, stretch.begin_ps, words_of(stretch.category))
        yield _event(protos, path_track, stretch.end_ps, None)
    for rank in range(len(tracks.places)):
        yield from _thread(protos, tracks, rank)


def _thread(protos: Any, tracks: _Tracks, rank: int) -> Iterator[Any]:
    received: list[int] = []
    for function, inside in tracks.calls(rank):
        yield _event(protos, rank + 1, inside[0].begin, function)
        for each in inside:
            packet = _event(protos, rank + 1, each.begin, each.kind)
            packet.track_event.flow_ids.extend(number + 1 for number in each.sent)
            packet.track_event.terminating_flow_ids.extend(number + 1 for number in received)
            received = each.received  # the part after the message came goes on with it
            yield packet
            yield _event(protos, rank + 1, each.end, None)
        yield _event(protos, rank + 1, inside[-1].end, None)


def _track(protos: Any, uuid: int) -> Any:
    packet = protos.TracePacket()
    packet.trusted_packet_sequence_id = 1
    packet.track_descriptor.uuid = uuid
    return packet


def _event(protos: Any, track: int, time: int, name: str | None) -> Any:
    """Return the begin of a slice, or its end if it has no name."""
    packet = protos.TracePacket()
    packet.trusted_packet_sequence_id = 1
    packet.timestamp = round(time / PS_PER_NS)
    packet.track_event.track_uuid = track
    kinds = protos.TrackEvent
    packet.track_event.type = kinds.TYPE_SLICE_END if name is None else kinds.TYPE_SLICE_BEGIN
    if name is not None:
        packet.track_event.name = name
    return packet


# ---- OTF2


def _otf2() -> Any:
    try:
        import otf2
    except ImportError as error:
        raise UserError(
            "otf2: the package that writes OTF2 traces is missing (pip install 'odonata[export]')"
        ) from error
    return otf2


def _write_otf2(timeline: Timeline, path: Path) -> None:
    """Write the folder beside its place, and move it there when it is whole."""
    otf2, tracks = _otf2(), _Tracks(timeline)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            with otf2.writer.open(str(folder / "made"), timer_resolution=10**12) as archive:
                _define_and_write(otf2, archive, tracks)
            (folder / "made").rename(path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise WriteError.of(error, str(path)) from error


def _define_and_write(otf2: Any, archive: Any, tracks: _Tracks) -> None:
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
    kinds, paradigm = otf2.GroupType, otf2.Paradigm.MPI
    definitions.group("", kinds.COMM_LOCATIONS, paradigm, members=locations)
    everybody = definitions.group("", kinds.COMM_GROUP, paradigm, members=locations)
    world = definitions.comm("ranks of all jobs", group=everybody)
    regions: dict[tuple[str, bool], Any] = {}

    def region(name: str, *, of_mpi: bool) -> Any:
        if (name, of_mpi) not in regions:
            kind = paradigm if of_mpi else otf2.Paradigm.USER
            regions[name, of_mpi] = definitions.region(name, paradigm=kind)
        return regions[name, of_mpi]

    for at, location in enumerate(locations):
        writer = archive.event_writer_from_location(location)
        _write_location(writer, tracks, at, world, region)


def _write_location(
    writer: Any, tracks: _Tracks, rank: int, world: Any, region: Callable[..., Any]
) -> None:
    found = tracks.timeline.messages
    for function, inside in tracks.calls(rank):
        outer = region(function, of_mpi=function != "outside of MPI")
        writer.enter(inside[0].begin, outer)
        for each in inside:
            inner = region(each.kind, of_mpi=False)
            writer.enter(each.begin, inner)
            events = [(int(found.sent[number]), 0, number) for number in each.sent]
            events += [(int(found.delivered[number]), 1, number) for number in each.received]
            for time, receives, number in sorted(events):
                when = min(max(time, each.begin), each.end)
                size = int(found.size[number])
                if receives:
                    writer.mpi_recv(when, int(found.source[number]), world, 0, size)
                else:
                    writer.mpi_send(when, int(found.target[number]), world, 0, size)
            writer.leave(each.end, inner)
        writer.leave(inside[-1].end, outer)


@dataclass(frozen=True)
class _Format:
    """A format: suffixes, its writer, its package, and whether it is a folder."""

    suffixes: tuple[str, ...]
    write: Callable[[Timeline, Path], None]
    package: Callable[[], Any]
    folder: bool


FORMATS: Mapping[str, _Format] = MappingProxyType(
    {
        "perfetto": _Format(
            (".pftrace", ".perfetto-trace"), _write_perfetto, _perfetto, folder=False
        ),
        "otf2": _Format((".otf2",), _write_otf2, _otf2, folder=True),
    }
)
"""Formats of timelines by name."""
