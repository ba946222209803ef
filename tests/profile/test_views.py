"""Views of profiles: of traces whose calls are known, of files that are damaged, of many phases."""

import csv
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import _core
from odonata.errors import UserError
from odonata.profile import Profile, Views, compare_views, read, write_folder
from odonata.profile.tables import CALLS, SIZES, class_of, upper_bound
from odonata.profile.views import PAPER_BINS, select_phases
from odonata.report import draw_profile
from odonata.trace import (
    Block,
    Call,
    Collective,
    Header,
    Send,
    Writer,
    function_names,
    matrices,
    summarize,
)
from odonata.trace.views import Clock, Communicator, Exchange, Phase, Probe


def block_of(calls):
    return Block.of(calls, function_names())


CALLS_OF_THREE = [
    Call(0, "MPI_Init", "local"),
    Call(0, "MPI_Send", "send", Send(to=1, bytes=100)),
    Call(0, "MPI_Send", "send", Send(to=1, bytes=28)),
    Call(0, "MPI_Send", "send", Send(to=-2, bytes=999)),  # to MPI_PROC_NULL
    Call(0, "MPI_Comm_split", "communicator", Communicator(position=1), comm=2, words=(2, 0)),
    Call(0, "MPI_Comm_split", "collective", Collective(8, -2, "allgather"), flags=2),
    Call(0, "MPI_Bcast", "collective", Collective(50, 0, "bcast")),
    Call(0, "MPI_Wtime", "clock", Clock("c_library")),  # no call of MPI
    Call(1, "MPI_Init", "local"),
    Call(1, "MPI_Iprobe", "iprobe", Probe(source=0), flags=1, flag=False),
    Call(1, "MPI_Iprobe", "iprobe", Probe(source=0), flags=1, flag=True),
    Call(1, "MPI_Bcast", "collective", Collective(50, 0, "bcast")),
    Call(2, "MPI_Init", "local"),
    Call(2, "MPI_Comm_split", "communicator", Communicator(position=0), comm=2, words=(2, 0)),
    Call(2, "MPI_Pcontrol", "phase", Phase(4)),
    Call(2, "MPI_Sendrecv", "sendrecv", Exchange(to=1, bytes=7, source=1), comm=2),  # to rank 0
    Call(2, "MPI_Bcast", "collective", Collective(50, 0, "bcast")),
]


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "made.trace"
    with Writer(path, Header(ranks=3, program="made")) as writer:
        writer.write(block_of(CALLS_OF_THREE))
    return path


def test_a_trace_is_counted_as_by_hand(trace):
    views = Views(read(trace))
    assert {name: (call.count, call.bytes) for name, call in views.calls.items()} == {
        "MPI_Init": (3, 0),
        "MPI_Send": (3, 128),
        "MPI_Comm_split": (2, 0),
        "MPI_Bcast": (3, 150),
        "MPI_Iprobe": (2, 0),
        "MPI_Pcontrol": (1, 0),
        "MPI_Sendrecv": (1, 7),
    }
    assert views.calls["MPI_Iprobe"].nothing_found == 1
    # 15 calls, one of which is an idle poll.
    assert views.calls["MPI_Init"].share == 3 / 15
    assert views.calls["MPI_Init"].share_without_polls == 3 / 14
    assert views.calls["MPI_Init"].seconds is None
    assert views.plain()["matrix"] == [
        {"source": 0, "target": 1, "messages": 2, "bytes": 128},
        {"source": 2, "target": 0, "messages": 1, "bytes": 7},
    ]
    assert views.total_bytes == 135 + 100  # the root's data go to two others
    assert [matrix.phase.name for matrix in views.matrices] == ["", "4"]


def test_a_trace_has_the_matrix_and_bytes_that_trace_show_prints(trace):
    views, shown = Views(read(trace)), summarize(trace)
    sums = {(m.phase.name, int(m.messages.sum()), int(m.bytes.sum())) for m in matrices(trace)}
    assert sums == {
        (m.phase.name, int(m.messages.sum()), int(m.bytes.sum())) for m in views.matrices
    }
    # Bytes to MPI_PROC_NULL, and bytes for making communicators (8 B to 2 others), are in the
    # summary only.
    assert shown.sent_bytes == views.message_bytes + 999
    assert shown.collective_bytes == views.collective_bytes + 8 * 2


@given(st.integers(0, 2**62))
def test_a_size_lies_in_its_class(size):
    at = class_of(size)
    assert size <= upper_bound(at)
    assert at == 0 or size > upper_bound(at - 1)


@given(st.lists(st.integers(0, 10_000_000), min_size=1, max_size=20))
def test_bins_of_the_paper_hold_the_sizes_between_their_limits(sizes):
    table = np.array([(0, 0, 5, class_of(size), 1, size) for size in sizes], dtype=SIZES)
    calls = np.array([(0, 0, 5, 0, len(sizes), 0.0)], dtype=CALLS)
    views = Views(Profile(ranks=1, source="made", calls=calls, sizes=table))
    limits = [-1, *PAPER_BINS, max(sizes) + PAPER_BINS[-1]]
    expected = [
        sum(low < size <= high for size in sizes) for low, high in itertools.pairwise(limits)
    ]
    assert [one.messages for one in views.paper_sizes()] == expected
    assert sum(one.bytes for one in views.sizes()) == sum(sizes)


def test_phases_are_chosen_by_name(trace):
    views = Views(select_phases(read(trace), ["4"]))
    assert set(views.calls) == {"MPI_Pcontrol", "MPI_Sendrecv", "MPI_Bcast"}
    with pytest.raises(UserError, match="no such phase: '5'; allowed: outside of phases, 4"):
        select_phases(read(trace), ["5"])


def test_phases_beyond_the_255th_count_as_one():
    profiler = _core.Profiler(1)
    calls = [Call(0, "MPI_Pcontrol", "phase", Phase(level)) for level in range(300)]
    block = block_of(calls)
    profiler.add(*block.as_bytes()[:4], *block.times_as_bytes())
    from odonata.profile.of_trace import of_profiler

    whole = of_profiler(
        profiler, 1, source="trace", timed=False, ended=True, program="", machine=""
    )
    assert len(whole.phases) == 256
    at = whole.calls["phase"] == 255
    assert whole.calls["count"][at].sum() == 300 - 254  # no phase is the first of the 255
    assert whole.calls["count"].sum() == 300


def test_a_profile_differs_from_another_where_it_does(trace):
    views = Views(read(trace))
    assert compare_views(views, Views(read(trace)))["same"]
    pairs = views.profile.pairs.copy()
    pairs["bytes"][pairs["peer"] == 1] += 1
    other = compare_views(views, Views(replace(views.profile, pairs=pairs)))
    assert not other["same"]
    assert other["matrix"] == [{"source": 0, "target": 1, "messages": [2, 2], "bytes": [128, 129]}]


def timed_by_hand():
    """Return two ranks: 1 + 3 s in MPI_Send, 4 s in MPI_Recv of the second."""
    table = [(0, 0, 0, 0, 5, 1.0), (1, 0, 0, 0, 1, 3.0), (1, 0, 1, 0, 2, 4.0)]
    return Profile(
        ranks=2,
        source="made",
        timed=True,
        functions=("MPI_Send", "MPI_Recv"),
        calls=np.array(table, dtype=CALLS),
    )


def test_times_of_functions_and_ranks_add_up_by_hand():
    views = Views(timed_by_hand())
    assert views.mpi_seconds.tolist() == [1.0, 7.0]
    send, receive = views.calls["MPI_Send"], views.calls["MPI_Recv"]
    assert (send.seconds, send.mpi_share, send.mean_seconds) == (4.0, 4 / 8, 2.0)
    assert (send.longest_rank_seconds, receive.longest_rank_seconds) == (3.0, 4.0)
    assert (receive.seconds, receive.mpi_share, receive.mean_seconds) == (4.0, 4 / 8, 2.0)
    assert (send.count, receive.share) == (6, 2 / 8)


def test_profiles_with_other_counts_of_calls_differ(trace):
    views = Views(read(trace))
    calls = views.profile.calls.copy()
    calls["count"][calls["function"] == calls["function"][0]] += 1
    other = compare_views(views, Views(replace(views.profile, calls=calls)))
    assert not other["same"]
    assert other["matrix"] == []
    assert sum(one["count"][0] != one["count"][1] for one in other["calls"].values()) == 1


@pytest.fixture
def folder(tmp_path, trace):
    profiler = _core.Profiler(3)
    block = block_of(CALLS_OF_THREE)
    profiler.add(*block.as_bytes()[:4], *block.times_as_bytes())
    profiler.finish()
    write_folder(tmp_path / "run", profiler, 3, program="made", machine="eos")
    return tmp_path / "run"


def test_a_folder_holds_what_was_counted(folder, trace):
    assert compare_views(Views(read(folder)), Views(read(trace)))["same"]


def test_a_folder_of_a_simulation_says_so_and_one_of_a_recording_too(folder):
    found = read(folder)
    assert (found.source, found.library) == ("simulated", "eos")
    for path in folder.glob("*.odp"):
        path.write_bytes(path.read_bytes().replace(b"simulated", b"mpich".ljust(9, b"\0"), 1))
    found = read(folder)
    assert (found.source, found.library) == ("recorded", "mpich")


@pytest.mark.parametrize(
    ("place", "content", "message"),
    [
        (0, b"\0", "not the profile of a rank"),
        (8, b"\x09", "a profile in a format of another version of Odonata: 9"),
        (16, b"\x07", "damaged: rank: '7 of 3'"),
        (32, b"\xff\xff", "cut off: it holds fewer cells than it says"),
        (39, b"\xff", "cut off: it holds fewer cells than it says"),
        (92, b"\xff\xff", "damaged: number of phases: 65535"),
        (56, bytes(8), "damaged: length of a tick"),
        (56, b"\0\0\0\0\0\0\xf0\x3f", "damaged: length of a tick"),
        (4096 + 4, b"\xff\xff", "out of range"),
    ],
)
def test_a_damaged_file_is_refused(folder, place, content, message):
    path = folder / "rank-2.odp"
    damaged = bytearray(path.read_bytes())
    damaged[place : place + len(content)] = content
    path.write_bytes(damaged)
    with pytest.raises(UserError, match=message):
        read(folder)


def test_a_file_that_is_cut_off_is_refused(folder):
    path = folder / "rank-1.odp"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(UserError, match="cut off"):
        read(folder)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(UserError, match="cut off in its head"):
        read(folder)


def test_names_of_functions_are_counted_before_they_are_used(folder):
    names = folder / "functions"
    names.write_text("MPI_Init\n" * (2**16 + 1))
    with pytest.raises(UserError, match="number of names: 65537; allowed: 1 to 65536"):
        read(folder)
    names.write_text("")
    with pytest.raises(UserError, match="number of names: 0"):
        read(folder)


def test_a_missing_rank_is_told(folder):
    (folder / "rank-1.odp").unlink()
    assert not read(folder).complete


@pytest.mark.parametrize("verb", ["show", "compare"])
def test_a_missing_folder_is_told_with_the_one_that_was_meant(run_odonata, folder, verb):
    missing = folder.with_name(f"{folder.name}s")
    given = (missing,) if verb == "show" else (folder, missing)
    status, _, err = run_odonata("profile", verb, *given)
    assert status == 2
    assert f"did you mean {str(folder)!r}?" in err


def test_names_do_not_become_formulas(run_odonata, folder, tmp_path):
    names = folder / "functions"
    lines = names.read_text().splitlines()
    names.write_text("".join(f"=1+1;{line}\n" for line in lines))
    status, out, _ = run_odonata("profile", "show", folder, "--csv")
    assert (status, "'=1+1;" in out) == (0, True)
    assert run_odonata("profile", "show", folder, "--csv", tmp_path)[0] == 0
    with (tmp_path / "calls.csv").open() as file:
        assert all(row["call"].startswith("'=1+1;") for row in csv.DictReader(file))


def test_numbers_of_a_figure_are_plain(folder):
    views = Views(read(folder))
    figure = draw_profile(views.plain(), views.matrix)
    figure.draw_without_rendering()
    labels = [text.get_text() for axes in figure.axes for text in axes.get_yticklabels()]
    assert [text for text in labels if "$" in text] == []


def test_views_are_written_as_tables_and_drawn(odonata, folder, tmp_path):
    tables, figure = tmp_path / "tables", tmp_path / "run.png"
    done = odonata("profile", "show", folder, "--json", "--csv", tables, "--plot", figure)
    shown = json.loads(done.stdout)
    with (tables / "calls.csv").open() as file:
        rows = {row["call"]: row for row in csv.DictReader(file)}
    assert {name: int(row["count"]) for name, row in rows.items()} == {
        name: call["count"] for name, call in shown["calls"].items()
    }
    with (tables / "matrix.csv").open() as file:
        assert sum(int(row["bytes"]) for row in csv.DictReader(file)) == shown["message_bytes"]
    assert figure.stat().st_size > 1000
    assert "0 to 64 B" in odonata("profile", "show", folder).stdout
