"""On a simulated machine the measurement finds the numbers of its file.

Five ranks: 0 and 1 on a node, 2 and 3 on another of the same router, 4 far away. What a message
must take on an idle network is computed from the file by hand; docs/models/mpi-layer.md has the
formulas. Latencies are found to 0.1 %, beta to 0.2 %, rates to 0.5 %, thresholds to the byte.
"""

from __future__ import annotations

import json

import pytest

from odonata import machine
from odonata.simulate.idle import add_model_numbers

pytestmark = pytest.mark.usefixtures("mpi4py")

FEW = ["--rings", "1", "--samples", "5"]

SETS = {
    "as it comes, with rendezvous": {
        "mpi.send_overhead": "123 ns",
        "mpi.recv_overhead": "77 ns",
        "mpi.copy_per_byte": "150 ps/B",
        "mpi.eager_threshold": "3000 B",
        "mpi.control_bytes": "64 B",
        "node.latency": "321 ns",
        "node.bandwidth": "7.7 GB/s",
    },
    "slow software, slow routers": {
        "mpi.send_overhead": "900 ns",
        "mpi.recv_overhead": "1.1 us",
        "mpi.copy_per_byte": "80 ps/B",
        "mpi.eager_threshold": "64 KiB",
        "router.delay": "250 ns",
        "links.global.latency": "1 us",
        "links.injection.bandwidth": "3 GB/s",
        "node.latency": "50 ns",
        "node.bandwidth": "20 GB/s",
    },
}
BY_NAME = {"--machine": "dragonfly-5256", "--distances": "names", "--alpha": "network"}


def measure(simulated, tmp_path, name, changes, far, *options):
    """Run the measurement; the machine, the JSON document and the machine file that was found."""
    found = tmp_path / "found.toml"
    report = tmp_path / "report.json"
    where = ["--machine", name, "--allocation", f"0,1,{far}", "--ranks-per-node", 2]
    where += ["--program-output", report]
    for key, value in {"nic.packet_bytes": "4 KiB", "node.cores": 2, **changes}.items():
        where += ["--set", f"{key}={value}"]
    done = simulated(5, where, *FEW, "--json", "-o", found, *options)
    assert done.returncode == 0, done.stderr
    return (
        machine.load(name, changes),
        json.loads(report.read_text()),
        machine.load(found),
    )


def one_way(m, links):
    """Return the time [ps] of 8 bytes over links of these classes, routers between them."""
    where = "mpi" if links or "node.send_overhead" not in m.numbers else "node"
    sides = m.value(f"{where}.send_overhead") + m.value(f"{where}.recv_overhead")
    if not links:
        return sides + m.value("node.latency") + 8e12 / m.value("node.bandwidth")
    wires = sum(m.value(f"links.{link}.latency") for link in links)
    slowest = min(m.value(f"links.{link}.bandwidth") for link in links)
    return sides + wires + (len(links) - 1) * m.value("router.delay") + 8e12 / slowest


def beta(m, links):
    """Return the time [ps] of 8 of 2,000,000 bytes by rendezvous: request, answer and data."""
    wire = one_way(m, links)
    rate = m.value(f"links.{links[0]}.bandwidth" if links else "node.bandwidth")
    control = m.value("mpi.control_bytes") - 8
    asked = wire + 2 * (wire - m.value("mpi.send_overhead") - m.value("mpi.recv_overhead"))
    return (asked + 1e12 * (2 * control + 2_000_000 - 8) / rate) * 8 / 2_000_000


NEAR = ["injection", "ejection"]
FAR = ["injection", "local", "global", "local", "ejection"]


@pytest.mark.parametrize("changes", SETS.values(), ids=SETS)
def test_a_dragonfly_finds_itself(simulated, tmp_path, changes):
    options = [word for pair in BY_NAME.items() for word in pair]
    m, report, found = measure(simulated, tmp_path, "dragonfly-5256", changes, 5255, *options)
    near, far = one_way(m, NEAR), one_way(m, FAR)
    assert found.value("model.alpha") == pytest.approx(near, rel=1e-3)
    assert report["alpha_far"]["value"] * 1e12 == pytest.approx(far, rel=1e-3)
    assert found.value("model.gamma") == pytest.approx((far - near) / 3, rel=2e-3)
    assert found.value("mpi.send_overhead") == m.value("mpi.send_overhead")
    assert found.value("mpi.recv_overhead") == pytest.approx(m.value("mpi.recv_overhead"), rel=1e-3)
    assert found.value("mpi.copy_per_byte") == pytest.approx(m.value("mpi.copy_per_byte"), rel=1e-3)
    assert found.value("mpi.eager_threshold") == m.value("mpi.eager_threshold")
    assert found.value("node.latency") == pytest.approx(m.value("node.latency"), rel=1e-3)
    assert found.value("node.bandwidth") == pytest.approx(m.value("node.bandwidth"), rel=1e-3)
    assert found.value("model.beta") == pytest.approx(min(beta(m, []), beta(m, NEAR)), rel=2e-3)
    from_links = add_model_numbers(m)[1]  # the same without a program
    assert from_links["model.alpha"] == pytest.approx(found.value("model.alpha"), rel=1e-3)
    assert from_links["model.gamma"] == pytest.approx(found.value("model.gamma"), rel=2e-3)
    assert from_links["model.beta"] == pytest.approx(beta(m, NEAR), rel=2e-3)
    noisy = [key for key in report["parameters"] if any(key in w for w in report["warnings"])]
    assert noisy == []  # rings may be: their ranks meet on links
    assert "model.t" in report["unknown"]


def test_eos_finds_itself(simulated, tmp_path):
    m, report, found = measure(simulated, tmp_path, "eos", {}, 743, "--machine", "eos")
    assert found.value("model.alpha") == pytest.approx(one_way(m, []), rel=1e-3)
    # of 3 links between 4 routers one is blue; the others are green or black
    near, far = one_way(m, NEAR), report["alpha_far"]["value"] * 1e12
    least = one_way(m, ["injection", "green", "blue", "green", "ejection"])
    most = one_way(m, ["injection", "black", "blue", "black", "ejection"])
    assert least * 0.999 <= far <= most * 1.001
    assert found.value("model.gamma") == pytest.approx((far - one_way(m, [])) / 5, rel=1e-3)
    latencies = {tuple(p["ranks"]): p["latency"]["value"] for p in report["network"]["pairs"]}
    assert latencies[0, 2] * 1e12 == pytest.approx(near, rel=1e-3)
    assert found.value("mpi.send_overhead") == m.value("mpi.send_overhead")
    assert found.value("mpi.recv_overhead") == m.value("mpi.recv_overhead")
    assert found.value("mpi.eager_threshold") == m.value("mpi.eager_threshold")
    for part in ("latency", "send_overhead", "recv_overhead"):  # a third each: 80, 79 and 79 ns
        assert found.value(f"node.{part}") == pytest.approx(m.value(f"node.{part}"), rel=1e-2)
    assert one_way(found, []) == pytest.approx(one_way(m, []), rel=1e-3)
    assert found.value("node.bandwidth") == pytest.approx(m.value("node.bandwidth"), rel=1e-3)
    rates = {tuple(p["ranks"]): p["rate"]["value"] for p in report["network"]["pairs"]}
    wire, cost = m.value("links.injection.bandwidth"), m.value("mpi.long_overhead_per_byte")
    assert rates[0, 2] == pytest.approx(1 / (1 / wire + 2e-12 * cost), rel=5e-3)  # cost [ps/B]
    # other numbers are the file's own, with their sources
    assert found.value("model.t") == m.value("model.t")
    assert found.numbers["model.t"].status == "published"


def test_a_star_of_what_was_measured_takes_as_long(simulated, tmp_path):
    """Without --machine the file is a star whose ping-pongs take the measured times."""
    m, report, found = measure(
        simulated, tmp_path, "dragonfly-5256", SETS["as it comes, with rendezvous"], 5255
    )
    assert found.family == "star"
    assert found.num_nodes == 3
    assert one_way(found, NEAR) == pytest.approx(one_way(m, NEAR), rel=1e-3)
    assert one_way(found, []) == pytest.approx(one_way(m, []), rel=1e-3)
    assert report["unknown"]["model.gamma"].startswith("the topology is not known")
    assert "model.gamma" not in found.numbers


COSTS = {
    "mpi.send_overhead": "90 ns",
    "mpi.recv_overhead": "70 ns",
    "nic.message_gap": "150 ns",
    "mpi.search_per_entry": "12 ns",
    "mpi.wait_per_request": "7 ns",
    "node.cores": 4,
}


def measure_costs(simulated, tmp_path, changes):
    """Measure on four ranks of each of two nodes; the JSON document and the machine file."""
    found, report = tmp_path / "found.toml", tmp_path / "report.json"
    where = ["--machine", "dragonfly-5256", "--allocation", "0,1", "--ranks-per-node", 4]
    where += ["--program-output", report]
    for key, value in changes.items():
        where += ["--set", f"{key}={value}"]
    done = simulated(8, where, *FEW, "--pairs", "8", "--json", "-o", found)
    assert done.returncode == 0, done.stderr
    return json.loads(report.read_text()), machine.load(found)


def test_costs_of_many_small_messages_are_found(simulated, tmp_path):
    report, found = measure_costs(simulated, tmp_path, COSTS)
    assert found.value("nic.message_gap") == 150_000
    assert found.value("mpi.search_per_entry") == 12_000
    assert found.value("mpi.wait_per_request") == 7_000
    # none of them is taken for another number
    assert found.value("mpi.send_overhead") == 90_000
    assert found.value("mpi.recv_overhead") == pytest.approx(70_000, rel=1e-3)
    small = report["network"]["small_messages"]
    assert small["unexpected"]["value"] == pytest.approx(12e-9)
    assert small["streams"]["senders"] == [1, 2, 4]
    seconds = [estimate["value"] for estimate in small["streams"]["seconds"]]
    assert seconds == pytest.approx([150e-9, 300e-9, 600e-9])


def test_costs_that_a_machine_does_not_have_are_not_found(simulated, tmp_path):
    changes = {"mpi.send_overhead": "90 ns", "mpi.recv_overhead": "70 ns", "node.cores": 4}
    report, found = measure_costs(simulated, tmp_path, changes)
    assert found.value("mpi.search_per_entry") == 0
    assert found.value("mpi.wait_per_request") == 0
    assert "nic.message_gap" not in found.numbers
    said = report["unknown"]["nic.message_gap"]
    assert said.startswith("4 ranks of a node send a message each 90 ns, one alone each 90 ns")
    assert not any("per_" in warning for warning in report["warnings"])


PROTOCOLS = {
    "mpi.short_threshold": "1000 B",
    "mpi.eager_overhead": "400 ns",
    "mpi.eager_overhead_per_byte": "150 ps/B",
    "mpi.eager_threshold": "12000 B",
    "mpi.rendezvous_overhead": "2 us",
    "mpi.long_threshold": "150000 B",
    "mpi.long_overhead_per_byte": "20 ps/B",
}
"""Protocols of a machine; all of it is darter's but in other places."""


def test_protocols_between_nodes_are_found(simulated, tmp_path):
    m, report, found = measure(simulated, tmp_path, "darter", PROTOCOLS, 500)
    for key in ("mpi.short_threshold", "mpi.eager_threshold"):
        assert found.value(key) == m.value(key)
    for key in PROTOCOLS:
        assert found.value(key) == pytest.approx(m.value(key), rel=0.02), key
    # what long messages cost their ranks is not taken for the link's
    rate = m.value("links.injection.bandwidth")
    assert found.value("links.injection.bandwidth") == pytest.approx(rate, rel=5e-3)
    knees = report["network"]["curves"][0]["knees"]
    assert [knee["kind"] for knee in knees] == ["jump", "jump", "bend"]


def test_without_a_mailbox_none_is_found(simulated, tmp_path):
    """The base's protocols do not apply to a machine that was measured to have none."""
    changes = {"mpi.eager_threshold": "8 KiB"}
    report = measure(simulated, tmp_path, "summit", changes, 700, "--machine", "darter")[1:]
    for key in PROTOCOLS:
        assert (key in report[1].numbers) == (key == "mpi.eager_threshold")
