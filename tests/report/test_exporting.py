"""Timelines for Perfetto and OTF2: what other readers find in them."""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.errors import UserError
from odonata.profile.formats import convert
from odonata.report import export_timeline, require_export

RANKS = 8


def told(**options):
    theta = machine.load("theta")
    work = workload.Collective("allreduce", "ring", bytes=4096)
    job = simulate.Job(work, placement.place(theta, RANKS))
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


def test_otf2_has_the_messages_and_times_of_the_run(ring, tmp_path):
    otf2 = pytest.importorskip("otf2")
    folder = tmp_path / "run.otf2"
    export_timeline(ring, folder)
    ends: dict[str, int] = {}
    seen: Counter[str] = Counter()
    sizes = 0
    with otf2.reader.open(str(folder / "traces.otf2")) as trace:
        assert trace.definitions.clock_properties.timer_resolution == 10**12
        for location, event in trace.events:
            seen[type(event).__name__] += 1
            ends[location.name] = event.time
            if type(event).__name__ == "MpiSend":
                sizes += event.msg_length
    messages = ring.run.summary["messages"]
    assert seen["MpiSend"] == seen["MpiRecv"] == messages
    assert seen["Enter"] == seen["Leave"]
    assert sizes == ring.run.summary["bytes"]
    first = min(ends.values())
    assert [ends[f"MPI Rank {rank}"] - first for rank in range(RANKS)] == [
        rank.end_ps - min(rank.end_ps for rank in ring.ranks) for rank in ring.ranks
    ]
    account = convert(folder, tmp_path / "back.trace")  # our own reader, of Score-P's traces
    assert account.ranks == RANKS


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
