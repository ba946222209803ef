"""Communication matrices in files: reading and refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest

from odonata import machine, simulate
from odonata.decide import Communication, read_communication
from odonata.errors import UserError
from odonata.placement import place
from odonata.workload import Collective

BANNER = "%%MatrixMarket matrix coordinate real general\n"


def entries(communication):
    columns = (communication.source, communication.target, communication.bytes)
    return [tuple(row) for row in np.stack(columns, axis=1).tolist()]


def read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return read_communication(path)


def test_matrix_market(tmp_path):
    text = BANNER + "% who\n\n3 3 4\n1 2 8\n1 2 2.5\n3 1 1e3\n2 2 77\n"
    found = read(tmp_path, "a.mtx", text)
    assert found.ranks == 3
    assert entries(found) == [(0, 1, 10.5), (2, 0, 1000)]


def test_a_symmetric_matrix_counts_both_ways(tmp_path):
    text = BANNER.replace("general", "symmetric") + "2 2 2\n2 1 5\n1 1 3\n"
    assert entries(read(tmp_path, "a.mtx", text)) == [(0, 1, 5), (1, 0, 5)]
    pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n"
    assert entries(read(tmp_path, "p.mtx", pattern)) == [(1, 0, 1)]


def test_csv(tmp_path):
    triples = read(tmp_path, "a.csv", "source,target,bytes\n0,2,8\n1,0,4\n")
    assert (triples.ranks, entries(triples)) == (3, [(0, 2, 8), (1, 0, 4)])
    table = read(tmp_path, "b.csv", "0,1,2\n3,0,0\n0,0,9\n")
    assert entries(table) == [(0, 1, 1), (0, 2, 2), (1, 0, 3)]


def test_a_saved_run_has_the_messages_of_its_collective_operations(tmp_path):
    eos = machine.load("eos")
    job = simulate.Job(Collective("allgather", "ring", bytes=100), place(eos, 4))
    simulate.simulate(eos, [job]).save(tmp_path / "run.nc")
    found = read_communication(tmp_path / "run.nc")
    assert entries(found) == [(rank, (rank + 1) % 4, 300) for rank in range(4)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "unknown kind of file"),
        ("a.mtx", "hello\n", "a.mtx:1: .*'hello'; allowed: '%%MatrixMarket matrix coord"),
        ("a.mtx", "", "a.mtx:1: .*no first line of a Matrix Market file: ''"),
        ("a.mtx", BANNER.replace("coordinate", "array") + "2 2\n", "format: unknown"),
        ("a.mtx", BANNER.replace("real", "complex") + "2 2 0\n", "field: unknown"),
        ("a.mtx", BANNER, "no line of sizes"),
        ("a.mtx", BANNER + "2 3 0\n", "a.mtx:2: .*2 rows and 3 columns"),
        ("a.mtx", BANNER + "2 2 2\n1 2 3\n", "1 entries"),
        ("a.mtx", BANNER + "2 2 1\n1 3 3\n", "a.mtx:3: .*no such rank: '3'; .*1 to 2"),
        ("a.mtx", BANNER + "2 2 1\n\n\n1 0 3\n", "a.mtx:5: .*no such rank: '0'"),
        ("a.mtx", BANNER + "2 2 2\n1 2 1\n1 2 -3\n", "a.mtx:4: .*bytes: '-3'"),
        ("a.mtx", BANNER + "2 2 2\n1 2 -1\n1 2 -3\n", "a.mtx:3: .*bytes: '-1'"),  # the first one
        ("a.mtx", BANNER + "2 2 1\n1 2 inf\n", "a.mtx:3: .*bytes: 'inf'"),
        ("a.mtx", BANNER + "2 2 1\n1 2 nan\n", "a.mtx:3: .*bytes: 'nan'"),
        ("a.mtx", BANNER + "2 2 1\nnan 2 3\n", "a.mtx:3: .*no such rank: 'nan'"),
        ("a.mtx", BANNER + "nan nan 1\n1 2 3\n", "a.mtx:2"),
        ("a.mtx", BANNER + "2 2 1000000000000\n1 2 3\n", "1 entries"),
        ("a.csv", "source,target,bytes\nnan,1,3\n", "a.csv:2: .*no such rank: 'nan'"),
        ("a.csv", "source,target,bytes\n0,inf,3\n", "a.csv:2: .*no such rank: 'inf'"),
        ("a.csv", "source,target,bytes\n0,-1,3\n", "a.csv:2: .*no such rank: '-1'"),
        ("a.csv", "source,target,bytes\n0,1e9,3\n", "a.csv:2: .*0 to 999999"),
        ("a.csv", "0,1\n\n2,-3\n", "a.csv:3: .*bytes: '-3'"),
        ("a.csv", "0,1,2\n3,4,5\n", "2 lines of 3 values"),
        ("a.mtx", BANNER + "2 2 1\n1.5 2 3\n", "whole numbers"),
        ("a.mtx", BANNER + "2 2 1\n1 2\n", "a.mtx:3"),
        ("a.mtx", BANNER + "9999999999 9999999999 0\n", "ranks"),
        ("a.csv", "0,1\n2,0\n3,0\n", "3 lines of 2 values"),
        ("a.csv", "source,target,bytes\n0,x,3\n", "a.csv:2"),
        ("a.csv", "", "is empty"),
        ("a.csv", "source,target,bytes\n", "ranks"),
    ],
)
def test_refused(tmp_path, name, text, message):
    with pytest.raises(UserError) as error:
        read(tmp_path, name, text)
    assert re.search(message, str(error.value))


def test_lengths_differ():
    with pytest.raises(UserError, match="differ in length"):
        Communication(2, [0], [1, 0], [1.0])


@pytest.mark.parametrize(
    ("target", "size", "message"),
    [
        ([1, 2, 3], 4.0, "entry 3: no such rank: 3; allowed: 0 to 2"),
        ([1, 2, 1], -4.0, "entry 3: bytes: -4.0"),
    ],
)
def test_the_entry_that_is_wrong_is_counted_from_one(target, size, message):
    with pytest.raises(UserError, match=f"matrix: {message}"):
        Communication(3, [0, 0, 0], target, [1.0, 2.0, size])
