"""Slopes against a second simulation in which one number is larger, on random small cases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from slope_cases import draw

from odonata import machine, placement, simulate, workload
from odonata.explain import Slope, explain
from odonata.report import slope_table

WAITS = ("injection_queue", "queueing", "credit")
STEP = 1  # ps: less than any difference between two paths


def waits(taken: set[str], names: tuple[str, ...]) -> bool:
    return any(name.startswith(names) for name in taken)


@pytest.mark.parametrize("number", ["send_overhead", "recv_overhead", "latency", "router_delay"])
def test_a_larger_number_takes_as_much_longer_as_the_path_says(number):
    compared = seed = 0
    while compared < 100:
        case = draw(seed := seed + 1)
        time, path, taken = case.run()
        if waits(taken, WAITS) or not path[number]:
            continue
        compared += 1
        value = getattr(case, number)
        longer, *_ = replace(case, **{number: value + STEP}).run()
        assert longer - time == path[number] // value * STEP, f"seed {seed}: {case}"


@pytest.mark.parametrize(
    "number", ["send_overhead", "message_gap", "eager_overhead", "rendezvous_overhead"]
)
def test_slopes_go_through_the_queues_of_nics(number):
    compared = queued = seed = 0
    while compared < 100:
        case = draw(seed := seed + 1, most_on_a_node=3)
        time, path, taken = case.run()
        if path["ejection"] or waits(taken, ("credit",)) or not path[number]:
            continue
        compared += 1
        queued += "injection_queue" in taken
        value = getattr(case, number)
        assert path[number] % value == 0
        longer, *_ = replace(case, **{number: value + STEP}).run()
        assert longer - time == path[number] // value * STEP, f"seed {seed}: {case}"
    assert queued >= 20


def test_a_smaller_bandwidth_takes_longer_in_proportion():
    compared = seed = 0
    while compared < 100:
        case = draw(seed := seed + 1, most_on_a_node=3)
        time, path, taken = case.run()
        if path["ejection"] or waits(taken, ("credit",)) or not path["bandwidth"]:
            continue
        compared += 1
        longer, *_ = replace(case, bandwidth=case.bandwidth - case.bandwidth // 10**5).run()
        assert longer - time == pytest.approx(path["bandwidth"] / 1e5, abs=300), f"seed {seed}"


def one_message(*, between_groups=True, **rates):
    """Explain 1 KiB from a node to another one, over links of these rates [GB/s]."""
    changes = {f"links.{name}.bandwidth": f"{rate}GB/s" for name, rate in rates.items()}
    on = machine.load("dragonfly-5256", changes)
    ends = [0, on.num_nodes - 1 if between_groups else on.num_nodes // 73 - 1]
    work = workload.Collective("bcast", "binomial", "1KiB")
    job = simulate.Job(work, placement.place(on, 2, allocation=ends))
    return explain(simulate.simulate(on, [job], explain=True))


def test_where_two_links_slow_a_message_down_the_slower_one_counts():
    found = one_message(injection=16, local=8, **{"global": 4}, ejection=16).slopes
    paid = {each.number: each.path_ps for each in found if each.number.endswith("bandwidth")}
    assert paid == {"links.global.bandwidth": 256_000}  # 1,024 B at 4 GB/s


@pytest.mark.parametrize(
    ("rates", "between_groups", "direction"),
    [
        ({"injection": 16, "local": 8, "global": 4, "ejection": 16}, True, "more"),
        ({"injection": 8, "local": 4, "global": 4, "ejection": 4}, False, "local and ejection"),
        ({"injection": 16, "local": 4, "global": 4, "ejection": 16}, True, "local and global"),
    ],
    ids=["one is the slowest", "links that are not used", "two are equally fast"],
)
def test_equally_fast_links_must_become_faster_together(rates, between_groups, direction):
    rows = slope_table(one_message(between_groups=between_groups, **rates)).rows
    ((number, *_, told),) = [row for row in rows if row[0].endswith("bandwidth")]
    own = number.split(".")[1]
    both = " and ".join(name for name in direction.split(" and ") if name != own)
    assert told == ("more" if direction == "more" else f"more, together with {both}")


def test_ten_percent_better_is_less_of_a_number_and_more_of_a_bandwidth():
    assert Slope("router.delay", 1000, 500, 0.5).gain == pytest.approx(0.05)
    time = 3e6 / 2e9  # of 3 MB at 2 GB/s
    gain = Slope("links.injection.bandwidth", 2_000_000_000, 1_500_000_000, -1.0).gain
    assert 1 - gain == pytest.approx(3e6 / 2.2e9 / time)


def slower(bandwidth: int) -> int:
    return bandwidth - bandwidth // 10**5


def test_the_bytes_of_a_message_count_with_the_slowest_link_of_its_way():
    compared = senders = seed = 0
    while compared < 100:
        case = replace(draw(seed := seed + 1), ejection_bandwidth=700_000_001)
        time, path, taken = case.run()
        if waits(taken, WAITS) or not path["ejection"]:
            continue
        compared += 1
        senders += path["injection"] > 0  # that wait until their data have left the node
        for number in ("ejection_bandwidth", "bandwidth"):
            part = path["ejection" if number == "ejection_bandwidth" else "injection"]
            longer, *_ = replace(case, **{number: slower(getattr(case, number))}).run()
            assert longer - time == pytest.approx(part / 1e5, abs=30), f"seed {seed}: {number}"
    assert senders < 50


def test_packets_that_queue_behind_their_own_message_count_with_that_link_as_well():
    case = replace(
        draw(0),
        nodes=(0, 1),
        begins=(1, 1),
        operation="bcast",
        algorithm="binomial",
        engine="packet",
        block=40_000,
        threshold=10**6,
        ejection_bandwidth=500_000_000,
    )
    time, path, _ = case.run()
    # 40,000 B at 0.5 GB/s take 80 us; the first packet comes to the slower link a little later.
    assert path["injection"] == 0
    assert path["ejection"] == pytest.approx(80_000_000, rel=0.05)
    longer, *_ = replace(case, ejection_bandwidth=slower(case.ejection_bandwidth)).run()
    assert longer - time == pytest.approx(path["ejection"] / 1e5, abs=100)


def test_a_number_that_the_path_does_not_depend_on_changes_nothing():
    unused = 0
    for seed in range(100):
        case = draw(seed)
        time, path, _ = case.run()
        for number in ("node_latency", "recv_overhead"):
            if path[number] == 0:
                more = {number: getattr(case, number) + STEP}
                assert replace(case, **more).run()[0] == time
                unused += 1
    assert unused >= 100
