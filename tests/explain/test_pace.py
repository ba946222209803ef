"""Slopes of messages of several packets against second simulations, to the picosecond.

A packet takes an odd time on every link, and one picosecond more of it (or of a latency) changes no
order of events. So the run takes longer by the packets (or wires) that the slope counts.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from line_cases import CLASSES, PACKET, Line, draw

from odonata import explain, machine, placement, simulate, workload


def value(case: Line, number: str, at: int) -> int:
    return case.router_delay if number == "router_delay" else getattr(case, number)[at]


def differences(case: Line, number: str) -> tuple[int, int]:
    """Return what the slopes of all classes miss, and what they should say, in all [ps]."""
    time, path, _ = case.run()
    missed = paid = 0
    for at, part in enumerate(path[number]):
        longer, *_ = case.slower(number, at, 1).run()
        truth = (longer - time) * value(case, number, at)
        missed += abs(part - truth)
        paid += truth
    return missed, paid


def check(case: Line, told: str) -> set[str]:
    """Compare all slopes of a case; return the numbers on which its time depends."""
    time, path, _ = case.run()
    paid = set()
    for number, parts in path.items():
        for at, part in enumerate(parts):
            count, rest = divmod(part, value(case, number, at))
            longer, *_ = case.slower(number, at, 1).run()
            assert (longer - time, rest) == (count, 0), f"{told}: {number} of {CLASSES[at]}"
            if count > 0:
                paid.add(f"{number} of {CLASSES[at]}")
    return paid


def test_a_message_of_several_packets_follows_what_its_packets_came_after():
    taken: dict[str, int] = {}
    for seed in range(100):
        case = draw(seed)
        taken |= dict.fromkeys(case.run()[2], seed)
        check(case, f"seed {seed}")
    waits = {f"{kind}.{name}" for kind in ("queueing", "credit") for name in "xyz"}
    assert waits <= set(taken)


def test_small_buffers_make_a_message_pay_for_latency_instead_of_bandwidth():
    case = draw(1)
    case = replace(case, payload=20 * PACKET, buffers=(8, 8, 1, 8, 8))
    paid = check(case, "one packet a buffer")
    _, path, _ = case.run()
    turns = path["latencies"][CLASSES.index("x")] // case.latencies[CLASSES.index("x")]
    assert turns == 20  # each packet waits for the credit of the one before
    assert "times of y" in paid


def test_two_slow_links_behind_the_nic():
    rates = {"injection": 16, "local": 8, "global": 4, "ejection": 16}
    changes = {f"links.{name}.bandwidth": f"{rate}GB/s" for name, rate in rates.items()}
    on = machine.load("dragonfly-5256", changes)
    job = simulate.Job(
        workload.Collective("bcast", "binomial", "64KiB"),
        placement.place(on, 2, allocation=[0, on.num_nodes - 1]),
    )
    found = explain.explain(simulate.simulate(on, [job], explain=True)).slopes
    paid = {each.number: each.path_ps for each in found if each.number.endswith("bandwidth")}
    assert paid == {"links.global.bandwidth": 64 * 256_000}  # ps: 1,024 B at 4 GB/s, 64 times


@pytest.mark.parametrize("rest", [1, 333, 999])
def test_a_short_last_packet(rest):
    for seed in range(10):
        case = draw(seed)
        case = replace(case, payload=4 * PACKET + rest)
        time, path, _ = case.run()
        for at, part in enumerate(path["times"]):
            longer, *_ = case.slower("times", at, 1000).run()
            said = part / case.times[at] * 1000
            assert longer - time == pytest.approx(said, abs=10), f"seed {seed}: {CLASSES[at]}"


def test_messages_of_several_nodes_are_followed_as_long_as_they_make_each_other_wait():
    # Counted by the categories of their ways, times were missed by 62 %, latencies by 51 %.
    for number, most in (("times", 0.14), ("latencies", 0.13)):
        told = [differences(draw(seed, ranks=4), number) for seed in range(100)]
        missed, paid = map(sum, zip(*told, strict=True))
        assert missed < most * paid, number


def test_a_nic_that_slower_links_hold_up_counts_with_these():
    held = 0
    for seed in range(50):
        case = replace(
            draw(seed, ranks=4),
            operation="scatter",
            algorithm="linear",
            routers=(0, 3, 3, 3),
            payload=8 * PACKET,
        )
        _, path, taken = case.run()
        check(case, f"seed {seed}")
        held += "injection_queue" in taken and path["times"][0] < PACKET
    assert held >= 20  # of which the bandwidth of the NIC does not matter
