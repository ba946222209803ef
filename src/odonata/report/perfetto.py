"""Timelines for Perfetto: a process a job, a thread a rank, flows for messages, and the path.

Descriptions of tracks are written by the package. The millions of events are put into bytes here,
many at once: https://protobuf.dev/programming-guides/encoding has the form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from odonata.errors import UserError
from odonata.explain import Timeline, words_of
from odonata.explain.timeline import KINDS
from odonata.files import write_parts
from odonata.report.tracks import Tracks
from odonata.result.overview import title

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["package", "write"]

PS_PER_NS = 1000
AT_ONCE = 2**15
"""Intervals that are put into bytes at once."""

NO_NAME = -1
"""Name of an event that has none."""

Ints: TypeAlias = "NDArray[np.int64]"

# Tags of fields: 8 times the number of the field, and its form: 0 varint, 1 eight bytes, 2 a length
# before it.
PACKET = 8 * 1 + 2
TIMESTAMP = 8 * 8
SEQUENCE_AND_EVENT = (8 * 10, 1, 8 * 11 + 2)  # trusted_packet_sequence_id = 1, track_event
TYPE = 8 * 9
TRACK = 8 * 11
NAME = 8 * 23 + 2
FLOW, LAST_FLOW = 8 * 47 + 1, 8 * 48 + 1
BEGIN, END = 1, 2
"""Types of events."""


def package() -> Any:
    """Return the package's module of messages.

    Raises
    ------
    UserError
        The package is missing.
    """
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError as error:
        raise UserError(
            "perfetto: the package that writes its traces is missing "
            "(pip install 'odonata[export]')"
        ) from error
    return perfetto_trace_pb2


def write(timeline: Timeline, path: Path) -> None:
    """Write a timeline as a trace of Perfetto.

    Parameters
    ----------
    timeline
        The timeline.
    path
        The file.

    Raises
    ------
    WriteError
        It could not be written.
    """
    write_parts(path, _parts(Tracks(timeline)))


def _parts(tracks: Tracks) -> Iterator[bytes]:
    yield _descriptions(tracks)
    yield _critical_path(tracks)
    for low, high in tracks.parts(AT_ONCE):
        yield _events_of_ranks(tracks, low, high)


def _descriptions(tracks: Tracks) -> bytes:
    protos, run = package(), tracks.timeline.explained.run
    trace = protos.Trace()
    packet = _described(trace, _path_track(tracks))
    packet.sequence_flags = protos.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    packet.track_descriptor.name = f"critical path of {title(run)}"
    for number, job in enumerate(run.jobs):
        packet = _described(trace, len(tracks.places) + number + 1)
        packet.track_descriptor.process.pid = number + 1
        packet.track_descriptor.process.process_name = job.name
    for at, (job_number, rank, node) in enumerate(tracks.places):
        packet = _described(trace, at + 1)
        packet.track_descriptor.thread.pid = job_number + 1
        packet.track_descriptor.thread.tid = 1_000_000 * (job_number + 1) + rank
        packet.track_descriptor.thread.thread_name = f"rank {rank} (node {node})"
        packet.track_descriptor.sibling_order_rank = rank
    return bytes(trace.SerializeToString(deterministic=True))


def _described(trace: Any, uuid: int) -> Any:
    packet = trace.packet.add()
    packet.trusted_packet_sequence_id = 1
    packet.track_descriptor.uuid = uuid
    return packet


def _path_track(tracks: Tracks) -> int:
    return len(tracks.places) + len(tracks.timeline.explained.run.jobs) + 1


def _critical_path(tracks: Tracks) -> bytes:
    """Return the events of the critical path, on a track of its own."""
    stretches = tracks.timeline.explained.stretches
    words = [words_of(each.category) for each in stretches]
    known = list(dict.fromkeys(words))
    number = {name: at for at, name in enumerate(known)}
    names = np.array([(number[name], NO_NAME) for name in words], dtype=np.int64)
    time = np.array([(each.begin_ps, each.end_ps) for each in stretches], dtype=np.int64)
    track = np.full(time.size, _path_track(tracks))
    return _events(time.ravel(), track, names.ravel(), known).joined()


def _events_of_ranks(tracks: Tracks, low: int, high: int) -> bytes:
    """Return the events of some intervals."""
    times, part = tracks.timeline, slice(low, high)
    # An interval has four events: its call begins, it begins, it ends, its call ends. The first and
    # the last are there for the first and the last interval of a call.
    time = np.stack([times.begin[part]] * 2 + [times.end[part]] * 2, axis=1)
    names = np.full(time.shape, NO_NAME)
    names[:, 0] = tracks.function[part] + len(KINDS)
    names[:, 1] = times.kind[part]
    there = np.ones(time.shape, dtype=bool)
    there[:, 0], there[:, 3] = tracks.opens[part], tracks.closes[part]
    track = np.broadcast_to(times.rank[part, None] + 1, time.shape)
    interval, flows = _flows(tracks, low, high)
    event = (np.cumsum(there).reshape(time.shape) - 1)[interval - low, 1]
    more = np.bincount(event, minlength=int(there.sum())) * flows.values.shape[1]
    found = _events(time[there], track[there], names[there], [*KINDS, *tracks.functions], more)
    return found.followed_by(flows, event).joined()


def _flows(tracks: Tracks, low: int, high: int) -> tuple[Ints, _Rows]:
    """Return fields of the messages of intervals, and the interval of each.

    A message leads from the interval in which it is sent to the interval after it has come.
    """
    sent, before = tracks.sent.within(low, high), tracks.received.within(low - 1, high - 1)
    rank = tracks.timeline.rank
    goes_on = rank[before.interval] == rank[before.interval + 1]
    message = np.concatenate([sent.message, before.message[goes_on]])
    tags = np.repeat([_tag(FLOW), _tag(LAST_FLOW)], [len(sent.message), goes_on.sum()], axis=0)
    number = (message + 1).astype("<u8").view(np.uint8).reshape(-1, 8)
    fields = np.concatenate([tags.astype(np.uint8), number], axis=1)
    interval = np.concatenate([sent.interval, before.interval[goes_on] + 1])
    return interval, _Rows(fields, np.ones(fields.shape, dtype=bool))


def _events(
    time: Ints, track: Ints, name: Ints, known: Sequence[str], more: Ints | int = 0
) -> _Rows:
    """Return packets of events, of which each is followed by so many more bytes.

    An event is the begin of a slice, or its end if it has no name.
    """
    kind = np.where(name == NO_NAME, END, BEGIN)
    body = [_same(TYPE, len(kind)), _varint(kind), _same(TRACK, len(kind)), _varint(track)]
    body.append(_names(known, name))
    body_bytes = _widths(body) + more
    stamp = np.rint(time / PS_PER_NS).astype(np.int64)
    head = [_same(TIMESTAMP, len(kind)), _varint(stamp)]
    head += [_same(each, len(kind)) for each in SEQUENCE_AND_EVENT] + [_varint(body_bytes)]
    packet_bytes = _varint(_widths(head) + body_bytes)
    return _beside([_same(PACKET, len(kind)), packet_bytes, *head, *body])


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of bytes, some of which are not there."""

    values: NDArray[np.uint8]
    there: NDArray[np.bool_]

    def followed_by(self, others: _Rows, row: Ints) -> _Rows:
        """Return all rows; the others, which are narrower, follow the rows of these numbers."""
        order = np.argsort(np.concatenate([np.arange(len(self.values)), row]), kind="stable")
        width = ((0, 0), (0, self.values.shape[1] - others.values.shape[1]))
        return _Rows(
            np.concatenate([self.values, np.pad(others.values, width)])[order],
            np.concatenate([self.there, np.pad(others.there, width)])[order],
        )

    def joined(self) -> bytes:
        """Return the bytes that are there, row by row."""
        return self.values[self.there].tobytes()


def _beside(parts: Sequence[_Rows]) -> _Rows:
    return _Rows(
        np.concatenate([each.values for each in parts], axis=1),
        np.concatenate([each.there for each in parts], axis=1),
    )


def _widths(parts: Sequence[_Rows]) -> Ints:
    """Return how many bytes there are in each row of parts beside each other."""
    found: Ints = np.count_nonzero(_beside(parts).there, axis=1)
    return found


def _same(byte: int, rows: int) -> _Rows:
    return _Rows(np.full((rows, 1), byte, dtype=np.uint8), np.ones((rows, 1), dtype=bool))


def _varint(values: Ints) -> _Rows:
    """Return numbers from 0 in groups of 7 bits, the lowest first; all but the last have bit 7."""
    width = max(1, -(-int(values.max(initial=0)).bit_length() // 7))
    rest = values[:, None] >> (7 * np.arange(width))
    there = rest > 0
    there[:, 0] = True
    goes_on = np.zeros_like(there)
    goes_on[:, :-1] = there[:, 1:]
    return _Rows(((rest & 127) | (goes_on << 7)).astype(np.uint8), there)


def _tag(tag: int) -> list[int]:
    """Return a tag from 128 on as two bytes."""
    return [tag & 127 | 128, tag >> 7]


def _names(known: Sequence[str], name: Ints) -> _Rows:
    """Return the fields of names; one that is not there has no bytes."""
    texts = [text.encode() for text in known]
    heads = [bytes(_tag(NAME)) + _varint(np.array([len(text)])).joined() for text in texts]
    fields = [head + text for head, text in zip(heads, texts, strict=True)] + [b""]
    widths = np.array([len(field) for field in fields])
    table = np.frombuffer(b"".join(field.ljust(widths.max(), b"\0") for field in fields), np.uint8)
    there = np.arange(widths.max()) < widths[:, None]
    return _Rows(table.reshape(there.shape)[name], there[name])
