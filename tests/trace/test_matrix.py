"""Matrices of who sends to whom, counted by hand."""

from __future__ import annotations

import json

import pytest
from exchange import write_exchange

from odonata.errors import UserError
from odonata.trace import (
    Block,
    Call,
    Collective,
    Header,
    RunPhase,
    Send,
    Writer,
    function_names,
    matrices,
    select,
)
from odonata.trace.views import Communicator, Exchange, Phase

FUNCTIONS = function_names()
SETUP, SOLVE, NO_LEVEL, NEITHER = 13_664_000, 13_665_000, 999, 13_663_999


def mark(rank, number):
    return Call(rank, "MPI_Pcontrol", "phase", Phase(number))


def send(rank, to, size, comm=0):
    return Call(rank, "MPI_Send", "send", Send(to=to, bytes=size), comm=comm)


def communicator(rank, number, members, position, num_local=0):
    view = Communicator(identity=7, position=position, num_local=num_local)
    return Call(rank, "MPI_Comm_split", "communicator", view, comm=number, words=members)


def write(path, *blocks, ranks=4):
    """Write a trace of these blocks, each a list of calls rank by rank."""
    header = Header(ranks=ranks, program="amg --points 2", machine="eos")
    with Writer(path, header) as writer:
        for calls in blocks:
            writer.write(Block.of(calls, FUNCTIONS))
    return path


@pytest.fixture
def path(tmp_path):
    """Return a trace of four ranks in two blocks.

    Rank 0 sends 10 B before all phases, 2 x 100 B to rank 1 in the setup of level 1, and in the
    next block, still there, 5 B to rank 3. Rank 1 is in the solve of level 0 meanwhile. Rank 2
    sends in a communicator of the ranks 3, 2, 1. After a mark that ends the phases rank 3 sends.
    """
    return write(
        tmp_path / "a.trace",
        [
            send(0, 2, 10),
            mark(0, SETUP + 1),
            send(0, 1, 100),
            send(0, 1, 100),
            mark(1, SOLVE + 0),
            Call(1, "MPI_Sendrecv", "sendrecv", Exchange(to=2, bytes=7, source=0)),
            send(1, -2, 99),  # MPI_PROC_NULL
            mark(2, SOLVE + NO_LEVEL),
            communicator(2, 2, (3, 2, 1), 1),
            send(2, 0, 4, comm=2),
            send(2, 2, 4, comm=2),
            send(2, 0, 3, comm=1),  # MPI_COMM_SELF
            mark(3, 42),
            send(3, 0, 8),
            mark(3, NEITHER),
            send(3, 0, 16),
        ],
        [
            Call(0, "MPI_Isend", "isend", Send(to=3, bytes=5), request=1),
            Call(0, "MPI_Allreduce", "collective", Collective(8, operation="allreduce")),
            Call(1, "MPI_Allreduce", "collective", Collective(8, operation="allreduce")),
            mark(1, SETUP + 1),
            Call(1, "MPI_Barrier", "collective", Collective()),
            Call(2, "MPI_Bcast", "icollective", Collective(50, 1, "bcast"), comm=2, request=1),
        ],
    )


def pairs_of(matrix):
    rows = zip(matrix.source, matrix.target, matrix.messages, matrix.bytes, strict=True)
    return {(int(a), int(b)): (int(n), int(size)) for a, b, n, size in rows}


def test_every_message_is_in_the_phase_of_its_sender(path):
    found = {matrix.phase: pairs_of(matrix) for matrix in matrices(path)}
    assert found == {
        RunPhase(""): {(0, 2): (1, 10), (3, 0): (1, 16)},
        RunPhase("42"): {(3, 0): (1, 8)},
        RunPhase("setup", 1): {(0, 1): (2, 200), (0, 3): (1, 5)},
        RunPhase("solve", 0): {(1, 2): (1, 7)},
        RunPhase("solve"): {(2, 3): (1, 4), (2, 1): (1, 4), (2, 2): (1, 3)},
    }
    assert list(found)[-2:] == [RunPhase("solve", 0), RunPhase("solve")]


def test_collectives_are_apart(path):
    found = {
        matrix.phase: {name: (of.calls, of.bytes) for name, of in matrix.collectives.items()}
        for matrix in matrices(path)
        if matrix.collectives
    }
    # An allreduce moves 2 x 3 x 8 B among four ranks: 12 B are the share of one of them. The root
    # of the broadcast, world rank 2, is rank 1 of three, so that 2 x 50 B leave it.
    assert found == {
        RunPhase("setup", 1): {"barrier": (1, 0), "allreduce": (1, 12)},
        RunPhase("solve", 0): {"allreduce": (1, 12)},
        RunPhase("solve"): {"bcast": (1, 100)},
    }


def test_messages_between_two_groups_go_to_the_remote_one(tmp_path):
    path = write(
        tmp_path / "b.trace",
        [communicator(0, 2, (0, 1, 2, 3), 0, num_local=2), send(0, 1, 9, comm=2)],
    )
    (matrix,) = matrices(path)
    assert pairs_of(matrix) == {(0, 3): (1, 9)}


def test_a_dense_matrix_has_a_row_for_each_source(path):
    matrix = next(m for m in matrices(path) if m.phase == RunPhase("setup", 1))
    assert matrix.dense("bytes").tolist() == [[0, 200, 0, 5], [0] * 4, [0] * 4, [0] * 4]
    assert matrix.dense("messages")[0].tolist() == [0, 2, 0, 1]
    assert matrix.partners.tolist() == [2, 0, 0, 0]


def test_many_blocks_add_up(tmp_path):
    path = write(tmp_path / "c.trace", *([send(1, 0, 3), send(1, 2, 1)] for _ in range(150)))
    (matrix,) = matrices(path)
    assert pairs_of(matrix) == {(1, 0): (150, 450), (1, 2): (150, 150)}


def test_some_phases_and_levels_are_selected(path):
    found = matrices(path)
    chosen = select(found, phases=["setup", "solve"], levels=[0, 1])
    assert [str(m.phase) for m in chosen] == ["setup, level 1", "solve, level 0"]
    assert [str(m.phase) for m in select(found, phases=["42"])] == ["42"]
    assert len(select(found)) == 5


@pytest.mark.parametrize(
    ("phases", "levels", "message"),
    [
        (["setpu"], [], "--phase: no such phase: 'setpu'; did you mean 'setup'?; allowed: 42, "
         "setup, solve"),
        ([], [2], "--level: no such level: 2; allowed: 0, 1"),
        (["42"], [1], "--level: no such level: 1; allowed: none"),
    ],
)  # fmt: skip
def test_an_unknown_phase_or_level_is_refused(path, phases, levels, message):
    with pytest.raises(UserError) as error:
        select(matrices(path), phases=phases, levels=levels)
    assert str(error.value) == message


def test_a_trace_without_phases_has_one_matrix_and_no_phase_to_select(tmp_path):
    found = matrices(write_exchange(tmp_path / "a.trace"))
    assert [(str(m.phase), pairs_of(m)) for m in found] == [
        ("outside of phases", {(0, 1): (1, 4096)})
    ]
    with pytest.raises(UserError, match="it has no phases"):
        select(found, phases=["setup"])


def test_show_prints_tables(path, run_odonata):
    status, out, _ = run_odonata("trace", "show", path, "--matrix")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()]
    assert status == 0
    assert out.startswith("4 ranks on eos: amg --points 2\n")
    assert ["setup", "1", "3", "205 B", "68.3 B", "2", "17 %", "1", "2.0", "2"] in rows
    # One of its three messages goes to the sender itself, which is no pair.
    assert ["solve", "", "3", "11 B", "3.67 B", "2", "17 %", "1", "2.0", "2"] in rows
    assert ["solve", "", "bcast", "1", "100 B"] in rows


def test_show_has_json(path, run_odonata):
    options = ("--matrix", "--phase", "setup", "--level", "1", "--json")
    status, out, _ = run_odonata("trace", "show", path, *options)
    assert status == 0
    assert json.loads(out) == {
        "program": "amg --points 2",
        "machine": "eos",
        "ranks": 4,
        "phases": [
            {
                "phase": "setup",
                "level": 1,
                "messages": 3,
                "bytes": 205,
                "pairs": [[0, 1, 2, 200], [0, 3, 1, 5]],
                "collectives": {
                    "barrier": {"calls": 1, "bytes": 0},
                    "allreduce": {"calls": 1, "bytes": 12},
                },
            }
        ],
    }


def test_the_same_trace_gives_the_same_figure(path, run_odonata, tmp_path):
    drawn = [tmp_path / name for name in ("a.svg", "b.svg", "c.svg")]
    for figure, values in zip(drawn, ("messages", "messages", "bytes"), strict=True):
        options = ("--matrix", "--plot", figure, "--values", values)
        assert run_odonata("trace", "show", path, *options)[0] == 0
    assert drawn[0].read_bytes() == drawn[1].read_bytes()
    assert drawn[0].read_bytes() != drawn[2].read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--phase", "setup"], "only with --matrix"),
        (["--plot", "a.png"], "only with --matrix"),
        (["--matrix", "--phase", "sole"], "did you mean 'solve'?"),
        (["--matrix", "--values", "byte"], "did you mean 'bytes'?"),
        (["--matrix", "--plot", "a.txt"], "no such format of figures"),
    ],
)
def test_wrong_usage_is_one_line(path, run_odonata, options, message):
    status, out, err = run_odonata("trace", "show", path, *options)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
