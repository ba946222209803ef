"""Workloads: descriptions that are checked, resolved, and made into programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.placement import place
from odonata.workload import Collective, PointToPoint, Traffic, algorithms, collectives, operations
from odonata.workload.build import build

BIG = machine.load("dragonfly-5256")
ROWS = Path(__file__).parents[2] / "cpp/odonata/workload/algorithms.inc"


def test_every_operation_of_the_contract_is_there():
    assert set(operations()) >= {
        *("allgather", "alltoall", "allreduce", "barrier", "bcast"),
        *("exchange", "gather", "pingpong", "reduce", "scatter", "sendrecv"),
        *("allgatherv", "alltoallv", "gatherv", "scatterv", "scan", "exscan"),
        *("reduce_scatter", "reduce_scatter_block", "neighbor_allgather", "neighbor_alltoall"),
    }
    assert set(algorithms()["allgather"]) == {
        *("ring", "bruck", "recursive_doubling", "neighbor_exchange", "tar", "sparbit", "k_bruck"),
        *("bine_two_blocks", "bine_two_blocks_packed", "bine_block_by_block"),
        *("bine_permute", "bine_send"),
    }


def test_six_operations_have_a_root():
    rooted = {name for name, row in collectives().items() if row.rooted}
    assert rooted == {"bcast", "scatter", "scatterv", "gather", "gatherv", "reduce"}


def test_an_algorithm_is_one_file_and_one_line():
    lines = re.findall(
        r"^ODONATA_(?:TUNED_)?ALGORITHM\((\w+), (\w+),", ROWS.read_text(), re.MULTILINE
    )
    assert len(lines) > 30
    for operation, name in lines:
        assert (ROWS.parent / operation / f"{name}.cpp").is_file()
        assert name in algorithms()[operation]
    declared = [path for path in ROWS.parent.glob("*/*.hpp") if "Call call);" in path.read_text()]
    assert [path.parent.name for path in declared if path.parent.name != "playback"] == []


@pytest.mark.parametrize(
    ("operation", "ranks", "size", "chosen"),
    [
        ("allgather", 512, 1023, "recursive_doubling"),  # a power of two below 512 KiB in all
        ("allgather", 500, 100, "bruck"),  # below 80 KiB in all
        ("allgather", 500, 1024, "ring"),
        ("bcast", 64, 2**20, "scatter_allgather"),
        ("barrier", 64, 0, "dissemination"),
        ("allgatherv", 500, 1024, "ring"),
        ("reduce", 500, 2048, "binomial"),
        ("reduce", 500, 2056, "reduce_scatter_gather"),
        ("reduce_scatter", 512, 1023, "recursive_halving"),  # below 512 KiB in all
        ("reduce_scatter", 512, 1024, "pairwise"),
        ("scan", 500, 2**20, "recursive_doubling"),
        ("neighbor_alltoall", 500, 8, "linear"),
        ("pingpong", 2, 8, "pairs"),
    ],
)
def test_auto_is_what_mpich_would_choose(operation, ranks, size, chosen):
    built = build(Collective(operation, bytes=size), place(BIG, ranks))
    assert built.fields["algorithm"] == chosen


def test_a_name_may_have_a_value_of_the_algorithms_parameter():
    built = build(Collective("allgather", "k_bruck:4", bytes=8), place(BIG, 16))
    assert built.fields["algorithm"] == "k_bruck:4"
    assert built.messages == 16 * 6  # two steps of three messages
    segmented = Collective("allreduce", "bine_reduce_scatter_allgather:64KiB", bytes=2**20)
    assert build(segmented, place(BIG, 2)).messages == 2 * (8 + 1)  # halves of 512 KiB


@pytest.mark.parametrize(
    ("operation", "name", "said"),
    [
        ("allgather", "k_bruck:1", "'1'; allowed: a radix of at least 2"),
        ("allgather", "k_bruck:", "''; allowed: a radix of at least 2"),
        ("allgather", "ring:4", "takes no parameter"),
        ("allgather", "auto:4", "unknown"),
        ("allgather", "k_bruk:4", "did you mean 'k_bruck'"),
        ("allreduce", "bine_reduce_scatter_allgather:64KB", "such as 64KiB"),
    ],
)
def test_a_wrong_parameter_is_refused(operation, name, said):
    with pytest.raises(UserError, match=re.escape(said)):
        Collective(operation, name)


@pytest.mark.parametrize(
    ("operation", "ranks", "size", "chosen"),
    [
        ("allgather", 256, 1024, "neighbor_exchange"),  # blocks from 1 KiB on
        ("bcast", 256, 16384, "split_binary"),
        ("allreduce", 200, 8, "reduce_bcast"),
        ("alltoall", 256, 32768, "pairwise_ring"),
        ("barrier", 64, 0, "dissemination"),
    ],
)
def test_auto_is_what_open_mpi_would_choose(operation, ranks, size, chosen):
    for library in ("openmpi-4.1", "openmpi-5.0"):
        on = BIG.with_values({"mpi.library": library})
        built = build(Collective(operation, bytes=size), place(on, ranks))
        assert built.fields["algorithm"] == chosen


def test_an_unknown_library_is_refused():
    with pytest.raises(UserError, match=r"openmpi-4\.1"):
        BIG.with_values({"mpi.library": "openmpi"})


def test_a_root_that_rests_is_told_its_chunk():
    workload = Collective("reduce", "reduce_scatter_gather", root=1)
    assert build(workload, place(BIG, 6)).messages == 2 + 8 + 3 + 1  # fold, halve, gather, root


def test_auto_follows_the_thresholds_of_the_machine_file():
    changed = BIG.with_values({"mpi.collectives.allgather_bruck_total": "1 MiB"})
    built = build(Collective("allgather", bytes=1024), place(changed, 500))
    assert built.fields["algorithm"] == "bruck"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Collective("allgathr"), "did you mean 'allgather'"),
        (lambda: Collective("allgather", "brukc"), "did you mean 'bruck'"),
        (lambda: Collective("allgather", bytes=-1), "bytes: out of range"),
        (lambda: Collective("allgather", bytes="1 EiB"), "unknown unit 'EiB'"),
        (lambda: Collective("allgather", bytes="2 TiB"), "bytes: out of range"),
        (lambda: Collective("allgather", root=1), "allgather has no root"),
        (lambda: Collective("bcast", root=-1), "root: out of range"),
        (lambda: Collective("bcast", repetitions=0), "repetitions: out of range"),
        (lambda: PointToPoint("allgather"), "point to point: unknown"),
        (lambda: Traffic("unifrm"), "did you mean 'uniform'"),
        (lambda: Traffic("adversarial+x"), "pattern: unknown"),
        (lambda: Traffic(load=0), "load: out of range: 0"),
        (lambda: Traffic(load=1.01), "load: out of range"),
        (lambda: Traffic(load=float("nan")), "load: out of range"),
        (lambda: Traffic(bytes=0), "a message of traffic cannot be empty"),
        (lambda: Traffic(messages_per_rank=-1), "messages per rank"),
        (lambda: Traffic(hot_fraction=2), "hot fraction"),
    ],
)
def test_a_wrong_description_is_refused_when_it_is_made(make, said):
    with pytest.raises(UserError, match=said):
        make()


@pytest.mark.parametrize(
    ("workload", "ranks", "said"),
    [
        (Collective("bcast", root=4), 4, "root: out of range: 4; allowed: 0 to 3"),
        (Traffic(), 1, "traffic: too few ranks: 1"),
        (Traffic("pairs", targets=(1,)), 2, "number of targets: 1; allowed: 2"),
        (Traffic("pairs", targets=(1, 2)), 2, "target rank: out of range: 2; allowed: -1 to 1"),
        (Traffic("hotspot", targets=(5,)), 2, "target rank: out of range: 5; allowed: 0 to 1"),
    ],
)
def test_a_workload_that_does_not_fit_its_ranks_is_refused(workload, ranks, said):
    with pytest.raises(UserError, match=said):
        build(workload, place(BIG, ranks))


def test_adversarial_h_needs_a_machine_that_knows_its_h():
    assert Traffic("adversarial+h").core_pattern(BIG).shift == 6
    assert Traffic("adversarial+3").core_pattern(BIG).shift == 3
    with pytest.raises(UserError, match="how many global links"):
        Traffic("adversarial+h").core_pattern(machine.load("eos"))


@pytest.mark.parametrize("shift", [0, 9, 18])
def test_adversarial_traffic_that_stays_in_its_group_is_refused(shift):
    small = machine.load("dragonfly-5256", {"shape.routers_per_group": 4, "shape.groups": 9})
    with pytest.raises(UserError, match=r"stay in its group.*allowed: 1 to 8: .* 9 groups"):
        build(Traffic(f"adversarial+{shift}"), place(small, small.num_nodes))


def test_adversarial_traffic_needs_ranks_in_another_group():
    size = BIG.num_nodes // BIG.num_groups
    with pytest.raises(UserError, match="of group 0 would stay in it: 'ranks in 1 of 73 groups'"):
        build(Traffic("adversarial+1"), place(BIG, size))
    build(Traffic("adversarial+1"), place(BIG, size + 1))  # group 1 sends on round to group 0
    with pytest.raises(UserError, match="of group 0 would stay in it"):
        build(Traffic("adversarial+2"), place(BIG, size + 1))
    build(Traffic("adversarial+72"), place(BIG, BIG.num_nodes))


@pytest.mark.parametrize("ranks", [1, 3, 5])
def test_nobody_is_left_over_in_a_pingpong(ranks):
    with pytest.raises(UserError, match=f"odd number of ranks.*: {ranks}; allowed: an even"):
        build(PointToPoint("pingpong"), place(BIG, ranks))
