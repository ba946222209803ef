"""Topologies with ``reorder = 1`` under ``odonata mpirun --mapper``.

The first tests have two nodes of four ranks each: a message between them crosses the links of both
nodes, since both are on one router. An edge counts as 65,536 B.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from odonata.decide import METHODS, OBJECTIVES, map_ranks
from odonata.errors import UserError
from odonata.live import ABIS
from odonata.live.abi import detect
from odonata.live.reordering import TopologyMapper, parse_mapper
from odonata.machine import load
from odonata.placement import Placement
from odonata.simulate import Options

from .compilers import PROGRAMS, build, mpif90
from .test_each_abi import compiler_of

TWO_NODES = ["-n", 8, "--ranks-per-node", 4, "--machine", "eos", "--compute", "none"]
CUT_LINK = 2 * 65_536  # hop-bytes of an edge between the nodes [B]


def said(done):
    """Return what each rank has printed, by name."""
    assert done.returncode == 0, done.stderr
    found = {}
    for line in (done.stdout + done.stderr).splitlines():
        if not (match := re.fullmatch(r"rank (\d+): (.*)", line)):
            continue
        rank, words = match.groups()
        found[int(rank)] = {name: int(n) for name, n in (w.split() for w in words.split(", "))}
    return found


@pytest.fixture(scope="module")
def mapped(tmp_path_factory):
    program = tmp_path_factory.mktemp("mapped") / "mapped"
    return build(compiler_of("mpich"), PROGRAMS / "mapped.c", program)


@pytest.fixture(scope="module")
def usual(mapped, tmp_path_factory):
    """Run the program with the usual mapper; return its output, the result, and its file."""
    saved = tmp_path_factory.mktemp("usual") / "run.nc"
    words = [*TWO_NODES, "--mapper", "--json", "-o", saved, "--", mapped]
    command = [sys.executable, "-m", "odonata", "mpirun", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return said(done), result_of(done), saved


def result_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ranks_of_topologies_are_put_on_the_nodes_of_their_neighbours(usual):
    found, _, _ = usual
    assert sorted(found) == list(range(8))
    at = {(one["row"], one["column"]): rank // 4 for rank, one in found.items()}
    # of the four pairs in a column none is cut, of the six in a row the two in the middle
    assert sum(at[0, c] != at[1, c] for c in range(4)) == 0
    assert sum(at[r, c] != at[r, c + 1] for r in range(2) for c in range(3)) == 2
    for name in ("far", "stated", "graph"):
        node = {one[name]: rank // 4 for rank, one in found.items()}
        assert [node[new] for new in range(4)] == [node[new + 4] for new in range(4)], name
    for rank, one in found.items():
        assert one["map"] == one["grid"] == 4 * one["row"] + one["column"]
        assert one["part"] == (rank if rank < 4 else -1)  # all four are on a node already
        assert one["weighted"] == rank  # so are these pairs


def test_the_result_says_what_is_expected(usual):
    _, got, saved = usual
    assert got["mapper"] == "hop-bytes"
    keys = ("function", "ranks", "of", "grid", "before", "after", "times")
    adjacent = "MPI_Dist_graph_create_adjacent"
    assert [tuple(one[key] for key in keys) for one in got["reordered"]] == [
        ("MPI_Cart_create", 8, 8, [2, 4], 8 * CUT_LINK, 4 * CUT_LINK, 1),
        ("MPI_Cart_create", 4, 8, [4], 0, 0, 1),
        (adjacent, 8, 8, [], 8 * CUT_LINK, 0, 1),
        (adjacent, 8, 8, [], 0, 0, 1),
        ("MPI_Dist_graph_create", 8, 8, [], 8 * CUT_LINK, 0, 1),
        ("MPI_Graph_create", 8, 8, [], 8 * CUT_LINK, 0, 1),
    ]
    gains = [one["gain"] for one in got["reordered"]]
    assert gains == [0.5, 0, 1, 0, 1, 1]
    assert [one["moved"] == 0 for one in got["reordered"]] == [gain == 0 for gain in gains]
    from odonata.report.reordering import reordering_table
    from odonata.result import Result

    table = reordering_table(Result.load(saved))
    assert table.rows[0][0] == "MPI_Cart_create 2x4"
    assert table.rows[0][-3:] == ["1,048,576 B", "524,288 B", "50.0 %"]


def test_fibers_get_the_same_order(usual, mpirun, compiled):
    first, _, _ = usual
    fibers = compiled("mapped", shared=True)
    assert said(mpirun(*TWO_NODES, "--mapper", "--fibers", "--", fibers)) == first


@pytest.mark.parametrize("abi", ["openmpi", "standard"])
def test_every_abi_gets_the_same_order(usual, mpirun, tmp_path, abi):
    first, _, _ = usual
    other = build(compiler_of(abi), PROGRAMS / "mapped.c", tmp_path / "mapped", "-w")
    assert detect(other) is ABIS[abi]
    assert said(mpirun(*TWO_NODES, "--mapper=hop-bytes", "--", other)) == first


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_fortran_2008_gets_the_same_order(usual, mpirun, tmp_path, family):
    first, _, _ = usual
    program = build(mpif90(family), PROGRAMS / "mapped.f90", tmp_path / "mapped")
    found = said(mpirun(*TWO_NODES, "--mapper", "--", program))
    names = ("grid", "row", "column", "far")
    assert found == {rank: {name: one[name] for name in names} for rank, one in first.items()}


def test_what_must_not_be_reordered_is_not(mpirun, mapped):
    plain = said(mpirun(*TWO_NODES, "--mapper", "off", "--", mapped, "1"))
    kept = said(mpirun(*TWO_NODES, "--mapper", "greedy", "--", mapped, "0"))
    for rank, one in plain.items():
        assert one.pop("map") == one["grid"] == rank
        assert kept[rank].pop("map") in range(8)  # MPI_Cart_map may always reorder
        assert kept[rank] == one


def test_a_smaller_grid_gets_the_ranks_of_one_node(mpirun, mapped):
    """Neighbours of ranks 0 to 3 are on the other node when nodes take ranks in turn."""
    found = said(mpirun(*TWO_NODES, "--mapping", "cyclic", "--mapper", "greedy", "--", mapped))
    members = [rank for rank, one in found.items() if one["part"] >= 0]
    assert len(members) == 4
    assert len({rank % 2 for rank in members}) == 1
    assert sorted(found[rank]["part"] for rank in members) == [0, 1, 2, 3]


def test_the_file_comes_before_the_mapper(mpirun, tmp_path):
    """A topology of as many ranks as the file has takes its order; the mapper has the others."""
    order = tmp_path / "order"
    order.write_text("5 4 3 2 1 0")
    words = ["-n", 6, "--ranks-per-node", 3, "--mapping", "cyclic", *TWO_NODES[4:]]
    words += [
        "--reorder",
        order,
        "--mapper",
        "greedy",
        "--",
        sys.executable,
        PROGRAMS / "reorder.py",
    ]
    found = said(mpirun(*words))
    for name in ("cart", "graph", "adjacent", "dist"):
        assert [found[rank][name] for rank in range(6)] == [5, 4, 3, 2, 1, 0], name
    assert len({rank % 2 for rank, one in found.items() if one["half"] >= 0}) == 1


def test_maps_follow_the_file_as_topologies_do(mpirun, mapped, tmp_path):
    order = tmp_path / "order"
    order.write_text("7 6 5 4 3 2 1 0")
    found = said(mpirun(*TWO_NODES, "--reorder", order, "--", mapped))
    for rank, one in found.items():
        assert {one[name] for name in ("grid", "map", "far", "stated", "graph")} == {7 - rank}


def test_a_program_without_topologies_is_told_so(mpirun):
    words = ["-n", 2, *TWO_NODES[4:], "--mapper", "greedy"]
    done = mpirun(*words, "--", sys.executable, "-c", "from mpi4py import MPI")
    assert "| none asked the mapper |" in done.stderr


ALONE = """
from mpi4py import MPI
MPI.COMM_SELF.Create_cart([1], [True], reorder=True)
MPI.COMM_WORLD.Create_cart([1], [True], reorder=True)
MPI.COMM_WORLD.Create_cart([2], [True], reorder=True)
"""


def test_a_topology_of_one_rank_asks_nothing(mpirun):
    words = ["-n", 2, *TWO_NODES[4:], "--mapper", "greedy", "--json"]
    made = result_of(mpirun(*words, "--", sys.executable, "-c", ALONE))["reordered"]
    assert [(one["ranks"], one["of"]) for one in made] == [(2, 2)]


MAPS = """
import sys
from mpi4py import MPI
world = MPI.COMM_WORLD
made = world.Create_cart([4], [True], reorder=True)
here = -1 if made == MPI.COMM_NULL else made.rank
maps = world.Cart_map([4], [True]), world.Graph_map([2, 4, 6, 8], [3, 1, 0, 2, 1, 3, 2, 0])
found = [-1 if place == MPI.UNDEFINED else place for place in maps]
sys.stdout.write(f"rank {world.rank}: made {here}, grid {found[0]}, graph {found[1]}\\n")
"""


def test_maps_of_a_smaller_topology_leave_out_whom_the_topology_leaves_out(mpirun):
    words = [*TWO_NODES, "--mapping", "cyclic", "--mapper", "greedy"]
    found = said(mpirun(*words, "--", sys.executable, "-c", MAPS))
    assert sorted(one["made"] for one in found.values()) == [-1] * 4 + [0, 1, 2, 3]
    assert all(one["grid"] == one["made"] for one in found.values())
    assert sorted(one["graph"] for one in found.values()) == [-1] * 4 + [0, 1, 2, 3]


WEIGHTS = """
import sys
from mpi4py import MPI
world = MPI.COMM_WORLD
other = [1 - world.rank]
for make in (
    lambda: world.Create_dist_graph_adjacent(other, other, [-1], [-1], reorder=True),
    lambda: world.Create_dist_graph([world.rank], [1], other, [-1], reorder=True),
):
    try:
        make()
    except MPI.Exception as error:
        sys.stdout.write(f"{error.Get_error_class() == MPI.ERR_ARG}\\n")
"""


def test_negative_weights_are_an_error_of_the_program(mpirun):
    """Each of two ranks makes two calls, and finds them wrong before it talks to the other."""
    words = ["-n", 2, *TWO_NODES[4:], "--mapper", "greedy", "--", sys.executable, "-c", WEIGHTS]
    done = mpirun(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True"] * 4


HALOS = [sys.executable, PROGRAMS / "halos.py"]
ON_RANDOM_NODES = ["-n", 36, "--ranks-per-node", 4, "--allocation", "random", "--seed", 2]
ON_RANDOM_NODES += ["--machine", "eos", "--compute", "none"]


def test_halos_on_random_nodes_take_less_time(mpirun, tmp_path):
    """A replay of the trace takes the same time, with the same events."""
    import odonata

    trace = tmp_path / "halos.trace"
    plain = float(mpirun(*ON_RANDOM_NODES, "--", *HALOS, "reorder").stdout)
    words = [
        *ON_RANDOM_NODES,
        "--digest",
        "--json",
        "--mapper",
        "max-link:swaps",
        "--record",
        trace,
    ]
    ran = mpirun(*words, "--", *HALOS, "reorder")
    got = result_of(ran)
    assert float(ran.stderr.split()[0]) < 0.9 * plain
    (made,) = got["reordered"]
    assert made["grid"] == [6, 6]
    assert 0 < made["after"] < made["before"]
    assert sorted(made["order"]) == list(range(36))
    again = odonata.replay(trace, seed=2, digest=True)
    assert again.summary["digest"] == got["digest"]


def test_each_of_two_halves_gets_its_own_order(mpirun):
    words = [*ON_RANDOM_NODES, "--json", "--mapper", "simulated:swaps", "--"]
    made = result_of(mpirun(*words, *HALOS, "reorder", "half"))["reordered"]
    assert [(one["ranks"], one["of"]) for one in made] == [(18, 18)] * 2
    assert {frozenset(rank % 2 for rank in one["order"]) for one in made} == {
        frozenset({0}),
        frozenset({1}),
    }
    assert all(one["after"] <= one["before"] for one in made)


# ---- without a program


def mapper_on(nodes, text="hop-bytes"):
    placement = Placement(load("eos"), nodes)
    return TopologyMapper(parse_mapper(text), placement, Options())


def ask(mapper, members, edges, *, size=None, grid=(), rank=0, function="MPI_Graph_create"):
    source, target, weight = ([edge[i] for edge in edges] for i in range(3))
    places = len(members) if size is None else size
    return mapper(rank, function, places, members, list(grid), source, target, weight)


def test_heavy_edges_are_kept_in_a_node():
    """Four ranks in a ring, two a node: of the ring's two cuts in half the light one is taken."""
    light, heavy = 1, 9
    ring = [(0, 1, light), (1, 2, heavy), (2, 3, light), (3, 0, heavy)]
    mapper = mapper_on([0, 0, 1, 1])
    order = ask(mapper, [0, 1, 2, 3], ring)
    node = [[0, 0, 1, 1][member] for member in order]
    assert node[1] == node[2] != node[3] == node[0]
    (made,) = mapper.reorderings
    # a mean edge has 65,536 B, so the unit is a fifth of that; two light edges cross two links
    assert (made.before, made.after) == (2 * 2 * 9 * 65_536 / 5, 2 * 2 * 1 * 65_536 / 5)
    assert made.gain == pytest.approx(8 / 9)


def test_equal_questions_have_one_answer_and_maps_make_no_topology():
    mapper = mapper_on([0, 0, 1, 1])
    pairs = [(0, 2, 1), (1, 3, 1)]
    orders = [ask(mapper, [0, 1, 2, 3], pairs) for _ in range(3)]
    orders += [ask(mapper, [0, 1, 2, 3], pairs, rank=r, function="MPI_Graph_map") for r in range(4)]
    assert len({tuple(order) for order in orders}) == 1
    (made,) = mapper.reorderings
    assert made.times == 3


def test_one_question_is_answered_once_and_another_one_anew(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "odonata.live.reordering.map_ranks",
        lambda *given, **how: asked.append(given) or map_ranks(*given, **how),
    )
    mapper = mapper_on([0, 0, 1, 1])
    across, within = [(0, 2, 1), (1, 3, 1)], [(0, 1, 1), (2, 3, 1)]
    first = [ask(mapper, [0, 1, 2, 3], edges) for edges in (across, within, across)]
    assert len(asked) == 2
    assert first[0] == first[2] != first[1] == [0, 1, 2, 3]
    assert [(made.times, made.moved == 0) for made in mapper.reorderings] == [(2, False), (1, True)]


def test_the_search_gets_what_the_run_has(monkeypatch):
    told = {}
    monkeypatch.setattr(
        "odonata.live.reordering.map_ranks",
        lambda *given, **how: told.update(how) or map_ranks(*given, **how),
    )
    options = Options(routing="valiant", seed=7)
    where = Placement(load("eos"), [0, 0, 1, 1])
    mapper = TopologyMapper(parse_mapper("max-link:greedy"), where, options)
    ask(mapper, [0, 1, 2, 3], [(0, 2, 1), (1, 3, 1)], grid=[2, 2])
    assert told == {
        "objective": "max-link",
        "methods": ("greedy",),
        "grid": (2, 2),
        "routing": "valiant",
        "seed": 7,
    }


def test_topologies_are_listed_by_the_rank_that_asks_first():
    mapper = mapper_on([0, 0, 0, 0, 1, 1, 1, 1])
    for members in ([4, 5], [2, 3], [0, 1]):
        ask(mapper, members, [(0, 1, 1)], rank=members[0])
    assert [made.order for made in mapper.reorderings] == [(0, 1), (2, 3), (4, 5)]


def test_edges_without_weight_and_to_itself_do_not_count():
    """Two edges cross two links each, and are of mean weight."""
    mapper = mapper_on([0, 0, 1, 1])
    ask(mapper, [0, 1, 2, 3], [(0, 2, 3), (1, 3, 3), (0, 3, 0), (2, 2, 9)])
    assert [made.before for made in mapper.reorderings] == [2 * CUT_LINK]


def test_a_smaller_grid_lists_its_own_ranks():
    """The two places of the grid go to one node, and the others have none."""
    mapper = mapper_on([0, 1, 0, 1])
    order = ask(mapper, [0, 1, 2, 3], [(0, 1, 1), (1, 0, 1)], size=2, grid=[2])
    assert sorted(order) == [0, 1, 2, 3]
    (made,) = mapper.reorderings
    assert (made.ranks, made.of, made.order, made.after) == (2, 4, tuple(order[:2]), 0)
    assert (order[0] - order[1]) % 2 == 0


def test_members_are_numbered_by_their_places_in_the_communicator():
    mapper = mapper_on([0, 0, 0, 1, 1, 1])
    order = ask(mapper, [5, 1, 4, 2], [(0, 1, 1), (2, 3, 1)])
    assert {frozenset(order[:2]), frozenset(order[2:])} == {frozenset({0, 2}), frozenset({1, 3})}
    (made,) = mapper.reorderings
    assert made.order == tuple([5, 1, 4, 2][place] for place in order)


@pytest.mark.parametrize(
    "edges", [[], [(0, 2, 0), (1, 3, 0)], [(2, 2, 5)]], ids=["none", "no weight", "to itself"]
)
def test_ranks_without_neighbours_stay(edges):
    mapper = mapper_on([0, 0, 1, 1])
    assert ask(mapper, [0, 1, 2, 3], edges) == [0, 1, 2, 3]
    assert [(made.method, made.moved, made.gain) for made in mapper.reorderings] == [
        ("start", 0, 0)
    ]


@pytest.mark.parametrize("text", ["curve", "max-link:exhaustive"])
def test_a_method_that_cannot_order_a_topology_leaves_it(text):
    """A graph has no grid for the curve; nine ranks have too many orders."""
    mapper = mapper_on([0, 1] * 5, text)
    pairs = [(rank, rank + 1, 1) for rank in range(0, 9)]
    assert ask(mapper, list(range(10)), pairs) == list(range(10))


@pytest.mark.parametrize("text", [*OBJECTIVES, *METHODS, "simulated:greedy"])
def test_no_order_is_worse(text):
    pytest.importorskip("scipy")
    try:
        mapper = mapper_on([0, 9, 100, 0, 9, 100, 3, 3], text)
    except UserError as error:
        pytest.skip(str(error))
    grid = [(r, r + 1, 1) for r in (0, 1, 2, 4, 5, 6)] + [(r, r + 4, 1) for r in range(4)]
    both = grid + [(b, a, w) for a, b, w in grid]
    assert sorted(ask(mapper, list(range(8)), both, grid=[2, 4])) == list(range(8))
    (made,) = mapper.reorderings
    assert 0 < made.after <= made.before


@pytest.mark.parametrize(
    "text", ["nonsense", "max-link:nope", "hop-byte", ":", "hop-bytes:", "greedy:hop-bytes", ""]
)
def test_a_mapper_that_is_none_is_refused(text):
    with pytest.raises(UserError, match="mapper: unknown"):
        parse_mapper(text)


def test_a_refusal_is_one_line(mpirun):
    done = mpirun("--machine", "eos", "--mapper", "hop-byte", "--", "true")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "'hop-byte'; did you mean 'hop-bytes'?; allowed: off, " in line


def test_the_option_of_a_program_is_left_to_it():
    """``--mapper`` takes no word of the program, and gives none to it."""
    from typer.main import get_command

    from odonata.cli.mpirun import app

    with_word = get_command(app)._with_word
    alone = ["-n", "4", "--mapper", "--machine", "eos", "./program", "--mapper", "-x"]
    assert with_word(alone) == [*alone[:2], "--mapper=hop-bytes", *alone[3:]]
    for args in (["--mapper", "off", "./program"], ["-n", "4", "--", "x", "--mapper"], ["x"], []):
        assert with_word(args) == args
    assert with_word(["--mapper"]) == ["--mapper=hop-bytes"]
