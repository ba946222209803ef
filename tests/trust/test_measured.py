"""Tables of measured collectives are read with their mistakes named."""

import gzip

import pytest

from odonata import machine, placement
from odonata.errors import UserError
from odonata.trust.cases import read_cases
from odonata.trust.measured import read_measured, read_runs

from .tables import HEAD, machine_with, write

GOOD = "r,2,1,allgather,ring_over,64,9,1,2.5,4"


def table(folder, *rows, head=HEAD):
    path = folder / "measured.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def test_a_row_has_its_times_in_seconds(tmp_path):
    (row,) = read_measured(table(tmp_path, GOOD))
    assert (row.run, row.collective, row.algorithm, row.bytes) == (
        "r",
        "allgather",
        "ring_over",
        64,
    )
    assert (row.low, row.seconds, row.high) == pytest.approx((1e-6, 2.5e-6, 4e-6))
    assert row.where.endswith("measured.csv:2")


def test_a_table_may_be_compressed_and_padded(tmp_path):
    path = tmp_path / "measured.csv.gz"
    padded = GOOD.replace("2,1,", "2\0\0, 1,")
    path.write_bytes(gzip.compress(f"{HEAD}\n{padded}\n".encode()))
    assert read_measured(path)[0].bytes == 64


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (GOOD.replace("2.5", "-1"), r"median_us: out of range: '-1'; allowed: above 0.*csv:2"),
        (GOOD.replace("2.5", "nan"), r"median_us: out of range: 'nan'.*csv:2"),
        (GOOD.replace("2.5", "x"), r"median_us: not a number: 'x'.*csv:2"),
        (GOOD.replace("2.5", ""), r"median_us: missing.*csv:2|csv:2.*median_us: missing"),
        (GOOD.replace(",64,", ",6.4,"), r"bytes: out of range: '6.4'.*csv:2"),
        (GOOD + ",1", r"fields of a row: 11; allowed: 10, as in the head"),
        ('"', r"not CSV"),
    ],
)
def test_a_wrong_row_is_named(tmp_path, row, message):
    with pytest.raises(UserError) as caught:
        read_measured(table(tmp_path, row))
    caught.match("measured.csv:[23]")
    caught.match(message.partition(".*csv")[0])


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (HEAD.replace("median_us", "mean_us"), "column: unknown: 'mean_us'"),
        (HEAD.replace(",median_us", ""), "column median_us: missing"),
    ],
)
def test_columns_are_checked(tmp_path, head, message):
    with pytest.raises(UserError, match=message):
        read_measured(table(tmp_path, GOOD, head=head))


def test_a_table_that_claims_too_much_is_refused(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"0" * (2**26 + 1)))
    with pytest.raises(UserError, match="table: too long"):
        read_measured(path)
    path.write_bytes(gzip.compress(GOOD.encode())[:-9])
    with pytest.raises(UserError, match="bomb"):
        read_measured(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["r,0,0", "r,0,1"], "rank: twice in a run: 0"),
        (["r,0,0", "r,2,1"], "rank: missing in run r: 1"),
        (["r,0,32"], "no such node"),
        (["r,x,0"], "rank: out of range: 'x'"),
    ],
)
def test_the_hosts_of_a_run_are_checked(tmp_path, rows, message):
    path = tmp_path / "nodes.csv"
    path.write_text("\n".join(["run,rank,host", *rows]) + "\n")
    with pytest.raises(UserError, match=message):
        read_runs(path, machine_with())


def test_rows_without_a_counterpart_or_hosts_are_counted(tmp_path):
    more = [
        "first,4,1,allgather,magic,64,9,,1.0,",
        "first,4,1,allgather,magic,128,9,,1.0,",
        "third,4,1,allgather,ring_over,64,9,,1.0,",
    ]
    on = machine_with()
    cases = read_cases(*write(tmp_path, on, more), on)
    assert len(cases.known) == 32
    assert cases.unknown == {"allgather magic": 2, "run third, whose hosts are not listed": 1}


SHAPED = "t,2x3x2,4,allgather,ring_over,96,9,,1.0,"


def test_a_run_with_the_shape_of_its_torus_has_the_nodes_of_this_torus(tmp_path):
    on = machine.load("fugaku")
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("run,rank,host\n")
    (case,) = read_cases(table(tmp_path, SHAPED), nodes, on).known
    expected = placement.place(on, 48, allocation="torus:2x3x2", ranks_per_node=4)
    assert case.nodes == tuple(expected.node_of)
    assert case.workload.bytes == 2


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("jupiter-fdr", SHAPED, "csv:2: allocation: jupiter-fdr has no virtual tori"),
        ("fugaku", SHAPED.replace("2x3x2", "2x3x2x2"), "csv:2: allocation: not understood"),
        ("fugaku", SHAPED.replace("2x3x2", "2x3x99"), "csv:2: allocation: the torus is too long"),
        ("fugaku", SHAPED.replace(",4,", ",0,"), "csv:2: ranks_per_node: out of range: '0'"),
        ("fugaku", SHAPED.replace(",4,", ",99,"), "csv:2: ranks per node: out of range: 99"),
    ],
)
def test_a_shape_that_the_machine_does_not_have_is_told(tmp_path, name, row, message):
    nodes = tmp_path / "nodes.csv"
    nodes.write_text("run,rank,host\n")
    with pytest.raises(UserError, match=message):
        read_cases(table(tmp_path, row), nodes, machine.load(name))
