"""Timelines for Perfetto and OTF2: what other readers find in them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.errors import UserError
from odonata.explain import words_of
from odonata.explain.timeline import KINDS
from odonata.interchange import convert
from odonata.report import export_timeline
from odonata.report.exporting import require_export

RANKS = 8


def told(bytes=4096, **options):
    return explained(workload.Collective("allreduce", "ring", bytes=bytes), RANKS, **options)


def explained(work, ranks, **options):
    theta = machine.load("theta")
    job = simulate.Job(work, placement.place(theta, ranks))
    return explain.explain(simulate.simulate(theta, [job], explain=True, **options))


@pytest.fixture(scope="module")
def ring():
    return told()


@pytest.fixture(scope="module")
def packets(ring, tmp_path_factory):
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    path = tmp_path_factory.mktemp("perfetto") / "run.pftrace"
    export_timeline(ring, path)
    trace = protos.Trace()
    trace.ParseFromString(path.read_bytes())
    return list(trace.packet)


def test_perfetto_has_a_thread_for_each_rank_and_the_path(packets):
    tracks = [each.track_descriptor for each in packets if each.HasField("track_descriptor")]
    threads = [track.thread.thread_name for track in tracks if track.HasField("thread")]
    assert threads == [f"rank {rank} (node {rank})" for rank in range(RANKS)]
    assert sum("critical path" in track.name for track in tracks) == 1
    assert len({track.uuid for track in tracks}) == len(tracks)


def test_perfetto_s_threads_have_numbers_of_their_own_and_none_has_0(packets):
    """Perfetto takes thread 0 for one that idles; the jobs are counted from 1 in millions."""
    tracks = [each.track_descriptor for each in packets if each.HasField("track_descriptor")]
    threads = [(track.thread.pid, track.thread.tid) for track in tracks if track.HasField("thread")]
    assert threads == [(1, 1_000_000 + rank) for rank in range(RANKS)]


def test_perfetto_s_slices_are_nested_and_last_as_long_as_the_run(packets, ring):
    depth: Counter[int] = Counter()
    times: dict[int, list[int]] = {}
    names: Counter[str] = Counter()
    for packet in packets:
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        begins = event.type == event.TYPE_SLICE_BEGIN
        depth[event.track_uuid] += 1 if begins else -1
        assert depth[event.track_uuid] >= 0
        times.setdefault(event.track_uuid, []).append(packet.timestamp)
        names[event.name] += begins
    assert set(depth.values()) == {0}
    assert all(track == sorted(track) for track in times.values())
    ends = [round(rank.end_ps / 1000) for rank in ring.ranks]
    assert [times[rank + 1][-1] for rank in range(RANKS)] == ends
    assert times[RANKS + 2][-1] == round(ring.length_ps / 1000)  # behind ranks and the job
    assert names["allreduce"] == RANKS
    assert names["receive overhead"] > RANKS


def test_perfetto_s_flows_lead_from_a_send_to_a_receive(packets, ring):
    sent, received = {}, {}
    for packet in packets:
        event = packet.track_event
        for flow in event.flow_ids:
            sent[flow] = (event.track_uuid - 1, packet.timestamp, event.name)
        for flow in event.terminating_flow_ids:
            received[flow] = (event.track_uuid - 1, packet.timestamp, event.name)
    assert len(sent) == ring.run.summary["messages"]
    assert sent.keys() == received.keys()
    for flow, (rank, time, name) in sent.items():
        assert name == "send overhead"
        target, arrived, after = received[flow]
        assert target == (rank + 1) % RANKS  # a ring
        assert arrived > time
        assert after == "receive overhead"


def test_the_same_run_makes_the_same_bytes(ring, tmp_path):
    pytest.importorskip("perfetto")
    for name in ("a.pftrace", "b.pftrace"):
        export_timeline(ring, tmp_path / name)
    assert (tmp_path / "a.pftrace").read_bytes() == (tmp_path / "b.pftrace").read_bytes()


def pairs(*columns):
    return zip(*(column.tolist() for column in columns), strict=True)


def plain_packets(explained, protos):
    """Yield the packets of a run's events in the plain way, one object each."""
    timeline, found = explained.timeline, explained.timeline.messages
    scopes = explained.account.scopes
    run = explained.run
    path = timeline.num_ranks + len(run.jobs) + 1
    for each in explained.stretches:
        yield event(protos, path, each.begin_ps, words_of(each.category))
        yield event(protos, path, each.end_ps)
    for rank in range(timeline.num_ranks):
        mine = [at for at, owner in enumerate(timeline.rank.tolist()) if owner == rank]
        sent = belonging(timeline, mine, found.source == rank, found.sent)
        received = belonging(timeline, mine, found.target == rank, found.delivered)
        before, called = [], None
        for at in mine:
            function = scopes[timeline.scope[at]].function or "outside of MPI"
            if function != called:
                if called is not None:
                    yield event(protos, rank + 1, timeline.end[at - 1])
                yield event(protos, rank + 1, timeline.begin[at], function)
                called = function
            packet = event(protos, rank + 1, timeline.begin[at], KINDS[timeline.kind[at]])
            packet.track_event.flow_ids.extend(number + 1 for number in sent[at])
            packet.track_event.terminating_flow_ids.extend(number + 1 for number in before)
            yield packet
            yield event(protos, rank + 1, timeline.end[at])
            before = received[at]
        if mine:
            yield event(protos, rank + 1, timeline.end[mine[-1]])


def belonging(timeline, intervals, chosen, time):
    """Return the messages of each interval: of the first that ends with one or after it."""
    found = {at: [] for at in intervals}
    for when, number in sorted((int(time[at]), int(at)) for at in np.flatnonzero(chosen)):
        late = [at for at in intervals if timeline.end[at] >= when]
        if intervals:
            found[late[0] if late else intervals[-1]].append(number)
    return found


def event(protos, track, time, name=None):
    packet = protos.TracePacket()
    packet.trusted_packet_sequence_id = 1
    packet.timestamp = round(int(time) / 1000)
    packet.track_event.track_uuid = track
    kinds = protos.TrackEvent
    packet.track_event.type = kinds.TYPE_SLICE_END if name is None else kinds.TYPE_SLICE_BEGIN
    if name is not None:
        packet.track_event.name = name
    return packet


def jobs_of(*sizes):
    """Explain collectives of so many ranks beside each other; the tracks of 128 need two bytes."""
    theta = machine.load("theta")
    jobs = []
    for number, size in enumerate(sizes):
        nodes = range(1000 * number, 1000 * number + size)
        work = workload.Collective("allreduce", "recursive_doubling", bytes=64)
        jobs.append(simulate.Job(work, placement.place(theta, size, allocation=nodes)))
    return explain.explain(simulate.simulate(theta, jobs, explain=True))


RUNS = {
    "a ring": told,
    "messages by rendezvous": lambda: told(bytes=2**20),
    "several jobs": lambda: jobs_of(130, 3),
    "deliveries after the ranks' ends": lambda: explained(
        workload.Traffic("uniform", load=0.6, bytes="3KiB", messages_per_rank=5), 20
    ),
    "one rank": lambda: jobs_of(1),
}


@pytest.mark.parametrize("at_once", [2**15, 7])
@pytest.mark.parametrize("name", RUNS)
def test_perfetto_s_bytes_are_those_of_the_package(name, at_once, tmp_path, monkeypatch):
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    from odonata.report import perfetto

    monkeypatch.setattr(perfetto, "AT_ONCE", at_once)
    run = RUNS[name]()
    export_timeline(run, tmp_path / "run.pftrace")
    written = (tmp_path / "run.pftrace").read_bytes()
    plain = protos.Trace()
    plain.packet.extend(plain_packets(run, protos))
    expected = plain.SerializeToString(deterministic=True)
    assert written.endswith(expected)
    described = protos.Trace()
    described.ParseFromString(written[: len(written) - len(expected)])
    tracks = run.timeline.num_ranks + len(run.run.jobs) + 1
    assert [each.HasField("track_descriptor") for each in described.packet] == [True] * tracks


@pytest.mark.parametrize("name", ["a ring", "deliveries after the ranks' ends"])
def test_otf2_has_the_messages_and_times_of_the_run(name, tmp_path):
    otf2 = pytest.importorskip("otf2")
    run = RUNS[name]()
    folder = tmp_path / "run.otf2"
    export_timeline(run, folder)
    ends: dict[str, int] = {}
    seen: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    moments: Counter[tuple[str, str, int]] = Counter()
    sizes = 0
    with otf2.reader.open(str(folder / "traces.otf2")) as trace:
        assert trace.definitions.clock_properties.timer_resolution == 10**12
        for location, event in trace.events:
            seen[type(event).__name__] += 1
            counts[location.name] += 1
            assert event.time >= ends.get(location.name, 0)
            ends[location.name] = event.time
            if "Mpi" in type(event).__name__:
                moments[location.name, type(event).__name__, event.time] += 1
            if type(event).__name__ == "MpiSend":
                sizes += event.msg_length
        assert counts == {each.name: each.number_of_events for each in trace.definitions.locations}
    found, ends_ps = run.timeline.messages, np.array([rank.end_ps for rank in run.ranks])
    assert moments == Counter(
        [(f"MPI Rank {rank}", "MpiSend", time) for rank, time in pairs(found.source, found.sent)]
        + [
            (f"MPI Rank {rank}", "MpiRecv", time)
            for rank, time in pairs(
                found.target, np.minimum(found.delivered, ends_ps[found.target])
            )
        ]
    )
    messages = run.run.summary["messages"]
    assert seen["MpiSend"] == seen["MpiRecv"] == messages
    assert seen["Enter"] == seen["Leave"]
    assert sizes == run.run.summary["bytes"]
    first = min(ends.values())
    assert [ends[f"MPI Rank {rank}"] - first for rank in range(len(run.ranks))] == [
        rank.end_ps - min(rank.end_ps for rank in run.ranks) for rank in run.ranks
    ]
    account = convert(folder, tmp_path / "back.trace")  # our own reader, of Score-P's traces
    assert account.ranks == len(run.ranks)


MEMORY = """
import resource, sys
from pathlib import Path
from odonata import explain, machine, placement, simulate, workload
from odonata.report import export_timeline
theta = machine.load("theta")
job = simulate.Job(workload.Collective("barrier"), placement.place(theta, 200))
explained = explain.explain(simulate.simulate(theta, [job], explain=True))
explained.timeline.messages
most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before = most()
export_timeline(explained, Path(sys.argv[1]))
print(most() - before)
"""


def test_the_memory_of_otf2_does_not_grow_with_the_ranks(tmp_path):
    pytest.importorskip("otf2")
    words = [sys.executable, "-c", MEMORY, str(tmp_path / "run.otf2")]
    grown = int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert grown < 100  # MB; the package holds 5 MB for each location that is open


FULL = """
import resource, signal, sys
from pathlib import Path
from odonata import explain, machine, placement, simulate, workload
from odonata.errors import WriteError
from odonata.report import export_timeline

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
eos = machine.load("eos")
job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 20))
explained = explain.explain(simulate.simulate(eos, [job], explain=True))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    export_timeline(explained, Path(sys.argv[1]))
except WriteError as error:
    print(error)
"""
"""Exports under a limit of each file's size [B]: as on a disk that becomes full."""


@pytest.mark.parametrize("most", [2_000, 4_000, 10_000, 10**8])
def test_an_otf2_archive_is_whole_or_not_there(tmp_path, most):
    otf2 = pytest.importorskip("otf2")
    folder = tmp_path / "run.otf2"
    words = [sys.executable, "-c", FULL, str(folder), str(most)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.count("\n") == (0 if folder.exists() else 1)
    assert folder.exists() or most < 10**8
    assert [path.name for path in tmp_path.iterdir()] == [folder.name] * folder.exists()
    if folder.exists():
        with otf2.reader.open(str(folder / "traces.otf2")) as trace:
            assert sum(1 for _ in trace.events) > 100


@pytest.mark.parametrize("name", ["run.txt", "run", "run.pftrac"])
def test_another_suffix_is_refused(name, tmp_path):
    with pytest.raises(UserError, match=r"no such format.*perfetto, otf2"):
        require_export(tmp_path / name)


def test_another_format_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"'otf'; did you mean 'otf2'"):
        require_export(tmp_path / "run.pftrace", "otf")


def test_a_folder_that_is_there_is_not_overwritten(ring, tmp_path):
    pytest.importorskip("otf2")
    (tmp_path / "run.otf2").mkdir()
    with pytest.raises(UserError, match="there already"):
        export_timeline(ring, tmp_path / "run.otf2")


@pytest.mark.parametrize("package", ["perfetto", "otf2"])
def test_without_its_package_it_says_how_to_get_it(package, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError, match=r"pip install 'odonata\[export\]'"):
        require_export(tmp_path / "run", package)


def test_a_run_without_its_steps_is_not_exported(tmp_path):
    pytest.importorskip("perfetto")
    with pytest.raises(UserError, match="run it again with --explain"):
        export_timeline(told(record_messages=False), tmp_path / "run.pftrace")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_both(tmp_path):
    pytest.importorskip("perfetto")
    pytest.importorskip("otf2")
    saved = str(tmp_path / "run.nc")
    for words in (
        ["simulate", "barrier", "--ranks", "4", "--machine", "eos", "--explain", "-o", saved],
        ["export", saved, "-o", str(tmp_path / "run.pftrace")],
        ["export", saved, "-o", str(tmp_path / "other"), "--format", "otf2"],
    ):
        done = CliRunner().invoke(app, words, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "run.pftrace").stat().st_size > 0
    assert (tmp_path / "other" / "traces.otf2").is_file()


def test_an_export_never_replaces_the_result_that_it_is_of(tmp_path):
    pytest.importorskip("perfetto")
    saved = tmp_path / "run.nc"
    words = ["simulate", "barrier", "--ranks", "4", "--machine", "eos", "--explain"]
    CliRunner().invoke(app, [*words, "-o", str(saved)], catch_exceptions=False)
    before = saved.read_bytes()
    same = str(tmp_path / "." / "run.nc")
    with pytest.raises(UserError, match="the same file"):
        CliRunner().invoke(
            app,
            ["export", str(saved), "-o", same, "--format", "perfetto"],
            catch_exceptions=False,
        )
    assert saved.read_bytes() == before
