"""The cause of missing credit is the full link further on, which fills the buffers before it."""

from __future__ import annotations

import pytest

from odonata import explain, simulate
from odonata.machine import Machine
from odonata.machine.files import describe, parse
from odonata.machine.template import template
from odonata.placement import place
from odonata.workload import Traffic

INJECTION, ROAD, SLOW, EJECTION = 0, 16, 20, 11
"""Links on the way from node 0 by routers 0, 1 and 3 to node 3."""


def cube(slow="2.5 GB/s", buffer="8 KiB", credit_delay="50 ns"):
    """Return a cube of 8 routers with a node each, whose links along y are slower than 10 GB/s."""
    kinds = ("injection", "x", "y")
    changes = {
        "shape.sizes": [2, 2, 2],
        "shape.wrap": [0, 0, 0],
        "shape.nodes_per_router": 1,
        "links.y.bandwidth": slow,
        "nic.packet_bytes": "4 KiB",
        **{f"links.{kind}.buffer": buffer for kind in kinds},
        **{f"links.{kind}.credit_delay": credit_delay for kind in kinds},
    }
    return Machine(describe(parse(template("torus"), "cube"), None, changes), changes)


def explained(machine, targets):
    """Explain one message of 16 packets from each node to its target."""
    work = Traffic(
        "pairs",
        targets=targets + [-1] * (8 - len(targets)),
        bytes="64 KiB",
        messages_per_rank=1,
        load=1.0,
        periodic=True,
    )
    return explain.explain(simulate.simulate(machine, [simulate.Job(work, place(machine, 8))],
                                             explain=True))  # fmt: skip


def stalls(found):
    """Return (stalled link, full link) of the stretches without credit."""
    return [(s.link, s.full) for s in found.stretches if s.category.startswith("credit.")]


@pytest.mark.parametrize("slow", ["2.5 GB/s", "7 GB/s"])
def test_a_slow_link_two_hops_on_is_the_cause_of_all_stalls(slow):
    """The buffers before the slow link are full, so that the road and the NIC lack credit."""
    found = explained(cube(slow), [3])
    assert stalls(found) == [(INJECTION, SLOW), (ROAD, SLOW)]


def test_the_sentence_and_the_stretches_name_the_slow_link():
    found = explained(cube(), [3])
    slow = f"because link {SLOW} (y, router 1 to router 3) is full"
    assert f"is waiting for credit (100 % of that {slow})." in found.sentence
    told = [str(stretch) for stretch in found.stretches if stretch.full is not None]
    assert told[0].startswith(
        "message from rank 0 to rank 3: waiting for credit of injection links, link 0"
        f" (injection, node 0 to router 0), {slow}"
    )


def test_two_messages_for_one_node_fill_its_link():
    found = explained(cube("10 GB/s"), [3, -1, 3])
    assert {full for _, full in stalls(found)} == {EJECTION}


def test_no_link_is_full_where_credit_is_only_late():
    """A buffer of one packet is empty again long before its credit is back."""
    found = explained(cube("10 GB/s", "4 KiB", "1 us"), [3])
    assert {full for _, full in stalls(found)} == {None}
    assert "is waiting for credit (" in found.sentence
    assert "full" not in found.sentence
