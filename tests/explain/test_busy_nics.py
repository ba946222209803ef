"""Runs with one bottleneck: what the path pays for each number, and their sentences."""

from __future__ import annotations

import pytest

from odonata import explain, machine, placement, simulate, workload
from odonata.result.overview import heading

EOS = machine.load("eos")
RANKS = 64
GAP = 3_000_000  # ps


def told(changes: dict[str, object], *, block: str = "1 KiB") -> explain.Explained:
    """Explain a scatter: the root sends to all others at once."""
    changed = EOS.with_values(changes)
    scatter = workload.Collective("scatter", "linear", block)
    job = simulate.Job(scatter, placement.place(changed, RANKS))
    return explain.explain(simulate.simulate(changed, [job], explain=True))


def paid(found: explain.Explained, number: str) -> int:
    return found.account.proportions.get(number, 0)


def test_a_gap_between_messages_dominates_and_has_a_paid():
    found = told({"nic.message_gap": f"{GAP} ps"})
    assert paid(found, "nic.message_gap") == (RANKS - 2) * GAP  # between the messages of 63 others
    assert "waiting for the NICs" in found.sentence


def test_bytes_that_keep_the_nic_busy_dominate():
    found = told({"mpi.short_threshold": "8 KiB"}, block="8 KiB")
    assert paid(found, "nic.message_gap") == 0
    assert "waiting for the NICs" in found.sentence


@pytest.mark.parametrize(
    ("number", "block"),
    [
        ("mpi.eager_overhead", "4 KiB"),
        ("mpi.rendezvous_overhead", "64 KiB"),
        ("mpi.long_overhead_per_byte", "64 KiB"),
        ("mpi.eager_overhead_per_byte", "4 KiB"),
    ],
)
def test_costs_of_messages_that_are_not_short_are_counted(number, block):
    bytes_cost = number.endswith("per_byte")
    costs = {
        "mpi.short_threshold": "1 KiB",
        "mpi.long_threshold": "16 KiB",
        number: "0.5 ns/B" if bytes_cost else "2 us",
    }
    found = told(costs, block=block)
    assert paid(found, number) > 0
    assert (
        paid(told({**costs, number: "0 ns/B" if bytes_cost else "0 ns"}, block=block), number) == 0
    )


def test_a_message_counts_once_however_many_categories_its_way_has():
    """A ring of 8 has 7 messages behind each other, each with wires, serialization and more."""
    costs = {f"mpi.{end}_overhead": "0 ns" for end in ("send", "recv")}
    theta = machine.load("theta").with_values(costs)
    ring = workload.Collective("allgather", "ring", bytes=8)
    job = simulate.Job(ring, placement.place(theta, 8))
    found = explain.explain(simulate.simulate(theta, [job], explain=True))
    assert found.sentence.startswith("100 % of the 3.02 us is latency of wires and routers")
    assert "(7 messages one after the other in allgather, 430 ns each)" in found.sentence


def test_a_heading_names_ranks_and_blocks():
    assert heading(told({}).run) == "scatter/linear on eos, 64 ranks, 1 KiB"


@pytest.mark.parametrize("inside", ["400 ns", "150 ns"])
def test_sends_and_receives_inside_a_node_are_counted_by_their_own_costs(inside):
    """Recursive doubling of 16 ranks takes four steps, whatever a message inside a node costs."""
    own = {"node.send_overhead": inside, "node.recv_overhead": inside}
    built = EOS.with_values(own)
    job = simulate.Job(
        workload.Collective("allreduce", "recursive_doubling", bytes=8),
        placement.place(built, 16, ranks_per_node=16),
    )
    found = explain.explain(simulate.simulate(built, [job], explain=True))
    for number in own:
        assert paid(found, number) == 4 * built.value(number)
    assert paid(found, "mpi.send_overhead") == paid(found, "mpi.recv_overhead") == 0
    assert "(4 sends and 4 receives in allreduce)" in found.sentence
