"""OTF2 traces, as Score-P writes them."""

from __future__ import annotations

import random
import shutil
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

import odonata
from odonata.errors import UserError
from odonata.interchange import convert
from odonata.trace import Call, Reader, function_names

SHARED = Path(__file__).parents[4] / "shared" / "data" / "traces" / "otf2-scorep"


def calls_of(path: Path) -> list[Call]:
    with Reader(path) as trace:
        return [call for block in trace.blocks() for call in block.each(function_names())]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Write a trace of two ranks: a message, a receive that is posted early, and a gather."""
    otf2 = pytest.importorskip("otf2")
    with otf2.writer.open(str(tmp_path / "made"), timer_resolution=10**9) as archive:
        definitions = archive.definitions
        node = definitions.system_tree_node("node")
        locations = []
        for rank in range(2):
            group = definitions.location_group(f"MPI Rank {rank}", system_tree_parent=node)
            locations.append(definitions.location("Master thread", group=group))
        paradigm, kind = otf2.Paradigm.MPI, otf2.GroupType
        definitions.group("", kind.COMM_LOCATIONS, paradigm, members=locations)
        everybody = definitions.group("", kind.COMM_GROUP, paradigm, members=locations)
        world = definitions.comm("MPI_COMM_WORLD", group=everybody)
        regions = {
            name: definitions.region(name)
            for name in ("MPI_Init", "MPI_Irecv", "MPI_Wait", "MPI_Send", "MPI_Gather", "work")
        }
        for rank, location in enumerate(locations):
            _write_rank(archive.event_writer_from_location(location), rank, world, regions, otf2)
    return tmp_path / "made" / "traces.otf2"


def _write_rank(writer, rank, world, regions, otf2):
    def call(name, begin, end, *events):
        writer.enter(begin, regions[name])
        for event, *given in events:
            getattr(writer, event)(begin + 1, *given)
        writer.leave(end, regions[name])

    call("MPI_Init", 0, 10)
    call("work", 10, 20)
    if rank == 0:
        call("MPI_Irecv", 510, 520, ("mpi_irecv_request", 7))
        call("MPI_Wait", 600, 900, ("mpi_irecv", 1, world, 5, 64, 7))
    else:
        call("MPI_Send", 1010, 1100, ("mpi_send", 0, world, 5, 64))
    gather = otf2.CollectiveOp.GATHER
    received = 24 if rank == 0 else 0
    call(
        "MPI_Gather",
        2000,
        2100,
        ("mpi_collective_begin",),
        ("mpi_collective_end", gather, world, 0, 12, received),
    )


def test_receives_are_posted_before_their_message_is_known(made: Path, tmp_path: Path) -> None:
    account = convert(made, tmp_path / "out.trace")
    first = [call for call in calls_of(tmp_path / "out.trace") if call.rank == 0]
    assert [call.operation for call in first] == ["local", "irecv", "wait", "collective"]
    irecv, wait, gather = first[1:]
    assert irecv.view is not None
    assert (irecv.view.source, irecv.view.tag, irecv.view.bytes) == (1, 5, 64)
    assert [call.compute for call in first] == [
        0,
        500,
        80,
        1100,
    ]  # without "work", which is not MPI
    assert wait.words == (irecv.request,)
    assert gather.view is not None
    assert (gather.view.operation, gather.view.bytes, gather.view.root) == ("gather", 12, 0)
    assert account.left_out == {}
    assert odonata.replay(tmp_path / "out.trace", "jupiter-fdr").summary["messages"] == 2


def test_a_folder_is_recognised(made: Path, tmp_path: Path) -> None:
    assert convert(made.parent, tmp_path / "out.trace").source == "otf2"


def test_damage_is_one_clear_error(made: Path, tmp_path: Path) -> None:
    for file in (made, *made.parent.rglob("*.evt")):
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(UserError, match="damaged"):
            convert(made, tmp_path / "out.trace")
        file.write_bytes(whole)


def test_without_the_package_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "traces.otf2").write_text("")
    monkeypatch.setitem(sys.modules, "otf2", None)
    with pytest.raises(UserError, match=r"odonata\[trace\]"):
        convert(tmp_path / "traces.otf2", tmp_path / "out.trace")


@pytest.mark.skipif(not SHARED.is_dir(), reason="traces of others are not ours to ship")
def test_the_published_trace_has_its_calls_and_plays(tmp_path: Path) -> None:
    pytest.importorskip("otf2")
    account = convert(SHARED / "traces.otf2", tmp_path / "out.trace")
    calls = calls_of(tmp_path / "out.trace")
    counted = Counter(call.operation for call in calls)
    # Events of the trace: 1440 MpiIsend and MpiIrecv, 1200 MpiCollectiveEnd; 480 MPI_Waitall.
    assert [counted[name] for name in ("isend", "irecv", "collective", "wait")] == [
        *(1440, 1440, 1200, 480)
    ]
    # MPI_Iallgather, Ialltoall and Iallreduce: Score-P wrote no events of them.
    assert list(account.left_out.values()) == [3 * 360]
    gathers = {
        call.view.bytes
        for call in calls
        if call.operation == "collective"
        and call.view is not None
        and call.view.operation == "allgather"
        and call.comm == 0
    }
    assert gathers == {4 * 2**k for k in range(12)}  # 40 to 81,920 B for ten ranks
    summary = odonata.replay(tmp_path / "out.trace", "jupiter-fdr").summary
    assert summary["time_seconds"] > 0


@pytest.mark.parametrize("seed", range(5))
def test_a_damaged_trace_is_refused_in_one_line(made, tmp_path, capfd, seed):
    """The package prints what goes wrong where the library calls it, and the event is lost."""
    draw = random.Random(seed)
    for _ in range(6):
        damaged = tmp_path / "damaged"
        shutil.copytree(made.parent, damaged)
        path = draw.choice(sorted(p for p in damaged.rglob("*") if p.suffix in (".evt", ".def")))
        content = bytearray(path.read_bytes())
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        path.write_bytes(content)
        with suppress(UserError):
            convert(damaged, tmp_path / "out.trace")
        assert capfd.readouterr().err == ""
        shutil.rmtree(damaged)
