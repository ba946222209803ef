"""The cases that several simulators run alike, and how long they take in Odonata."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil, sqrt
from pathlib import Path

import numpy as np

from odonata import machine, placement, simulate, workload

MATCHED = Path(__file__).parent / "matched.toml"
PACKET = 1000  # [B]
PACKET_PS = 1_000_000  # [ps] a packet on a link
LATENCY_PS = DELAY_PS = 100_000  # [ps] of every link, of every router
PIPELINE = {"router.delay": "375 ns"}  # as BookSim's, where credits matter: half a packet a hop
WIRES = {"latency": "125 ns", "credit_delay": "125 ns"}
SEEDS = (1, 2, 3, 4, 5)

STORED = "181.652 ns"  # a router stores a packet of 1 KiB before it passes it on, as CODES does
RING = {
    "shape.nodes_per_router": 6,
    "shape.routers_per_group": 12,
    "shape.global_links_per_router": 6,
    "shape.groups": 73,
    "router.delay": STORED,
    "nic.packet_bytes": "1 KiB",
    **{f"links.{k}.bandwidth": "5.25 GiB/s" for k in ("injection", "ejection", "local")},
    **{f"links.{k}.latency": "10 ns" for k in ("injection", "ejection", "local")},
    "links.global.bandwidth": "4.7 GiB/s",
    "links.global.latency": "50 ns",
}
"""CODES's constants on the dragonfly of 5,256 nodes."""
LOOK_AHEAD = {"mpi.send_overhead": "1.5 ns"}
"""Time in CODES between a hand-over and the start on the injection link."""


@dataclass(frozen=True)
class Case:
    """Traffic on a balanced dragonfly.

    Parameters
    ----------
    shape
        Nodes a router, routers a group, global links a router; with one link a group pair.
    routing, pattern, load
        As ``odonata simulate traffic`` takes them.
    begin, until
        Messages count that are sent from `begin` to `until` [packet times].
    packets
        Packets of a message.
    buffer
        Packets that the buffer of a virtual channel has room for; 0: it is never full.
    """

    shape: tuple[int, int, int]
    routing: str
    pattern: str
    load: float
    begin: int
    until: int
    packets: int = 1
    buffer: int = 0

    @staticmethod
    def of(fields: dict[str, object]) -> Case:
        """Return the case that a file describes."""
        shape = tuple(fields["shape"])  # type: ignore[arg-type]
        return Case(**{**fields, "shape": shape})  # type: ignore[arg-type]

    def record(self) -> dict[str, object]:
        """Return the fields for a file."""
        return {**asdict(self), "shape": list(self.shape)}

    @property
    def messages(self) -> int:
        """Messages a node: at six standard deviations every node still sends at `until`."""
        return messages_until(self.until, self.load / self.packets)

    def changes(self) -> dict[str, int | str]:
        """Return what the case changes in the machine file."""
        p, a, h = self.shape
        numbers = (p, a, h, a * h + 1)
        keys = ("nodes_per_router", "routers_per_group", "global_links_per_router", "groups")
        out: dict[str, int | str] = {}
        if self.shape != (4, 8, 4):
            out = {f"shape.{key}": number for key, number in zip(keys, numbers, strict=True)}
        if self.buffer:
            room = {"buffer": f"{self.buffer * PACKET} B"} | WIRES
            out |= PIPELINE | {"links.ejection.latency": WIRES["latency"]}
            for kind in ("injection", "local", "global"):
                out |= {f"links.{kind}.{key}": value for key, value in room.items()}
        return out

    def command(self) -> str:
        """Return the command that makes the run, less the choice of messages that count."""
        words = ["odonata simulate traffic", *machine_words(self.changes())]
        words += [f"--pattern {self.pattern} --load {self.load} --routing {self.routing}"]
        if self.packets > 1:
            words.append(f"--bytes {self.packets * PACKET}")
        words.append(f"--packets-per-node {self.messages * self.packets} --seed 1")
        return " ".join(words)


def messages_until(until: int, rate: float) -> int:
    """Return how many messages a node needs: at six standard deviations it still sends at `until`.

    Parameters
    ----------
    until
        Time [packet times].
    rate
        Messages of a node in a packet time.
    """
    mean = until * rate
    return ceil(mean + 6 * sqrt(mean)) + 6


def machine_words(changes: dict[str, int | str]) -> list[str]:
    """Return the options that choose the machine."""
    words = ["--machine validation/other-simulators/matched.toml"]
    return words + [f'--set {key}="{value}"' for key, value in changes.items()]


def ring_command(ranks: int, more: dict[str, str]) -> str:
    """Return the command of the allgather."""
    words = ["odonata simulate allgather --algorithm ring --bytes 1KiB --allocation contiguous"]
    return " ".join([*words, f"--ranks {ranks}", *machine_words(RING | more)])


def ring_ns(ranks: int, more: dict[str, str]) -> float:
    """Return how long a ring allgather of 1 KiB over the first nodes takes [ns]."""
    net = machine.load(str(MATCHED), RING | more)
    where = placement.place(net, ranks, allocation="contiguous")
    work = workload.Collective("allgather", "ring", bytes="1 KiB")
    result = simulate.simulate(net, [simulate.Job(work, where)], record_messages=False)
    return float(round(result.summary["time_seconds"] * 1e9, 3))


def waits(case: Case, seed: int) -> dict[str, float]:
    """Return the mean waiting times of a case [packet times].

    ``total`` counts from the hand-over of a message to its NIC, ``network`` from the start of its
    first packet on the injection link. Both leave out what the message takes on an idle machine.
    """
    traffic = workload.Traffic(
        case.pattern,
        load=case.load,
        bytes=case.packets * PACKET,
        messages_per_rank=case.messages,
    )
    options = simulate.Options(routing=case.routing, seed=seed)
    return mean_waits(
        machine.load(str(MATCHED), case.changes()),
        traffic,
        options,
        window=(case.begin, case.until),
        hop_ps=(125_000, 375_000) if case.buffer else (LATENCY_PS, DELAY_PS),
        length_ps=case.packets * PACKET_PS,
    )


def mean_waits(
    net: machine.Machine,
    traffic: workload.Traffic,
    options: simulate.Options,
    *,
    window: tuple[int, int],
    hop_ps: tuple[int, int],
    length_ps: int,
) -> dict[str, float]:
    """Return the mean waiting times [packet times] of traffic of all nodes, as `waits` does.

    Parameters
    ----------
    net, traffic, options
        The machine, the traffic, and the routing and seed.
    window
        Messages count that are sent between these times [packet times].
    hop_ps
        Latency of every link and of every router [ps].
    length_ps
        Time of a message on a link [ps].
    """
    job = simulate.Job(traffic, placement.place(net, net.num_nodes))
    run = simulate.run(net, [job], options, record_messages=True)
    recorded = run.jobs[0].messages
    assert recorded is not None
    sent, routers = recorded["sent"], recorded["routers"]
    wires, inside = hop_ps
    total = recorded["delivered"] - sent - (routers + 1) * wires - routers * inside - length_ps
    at_source = _queue(np.asarray(recorded["source"]), np.asarray(sent), length_ps)
    begin, until = window
    counted = (sent >= begin * PACKET_PS) & (sent < until * PACKET_PS)
    return {
        "network": float((total - at_source)[counted].mean()) / PACKET_PS,
        "total": float(total[counted].mean()) / PACKET_PS,
        "routers": float(routers[counted].mean()),
    }


def _queue(source: np.ndarray, sent: np.ndarray, length: int) -> np.ndarray:
    """Return how long each message waits for the messages before it at its node [ps].

    A node sends one message after the other, so message i starts at
    max(sent_i, start_(i-1) + length) = i length + max over j <= i of (sent_j - j length).
    That holds where the buffer behind the injection link always has room.
    """
    order = np.lexsort((sent, source))
    by_node = sent[order].reshape(len(np.unique(source)), -1)
    earlier = np.arange(by_node.shape[1]) * length
    starts = np.maximum.accumulate(by_node - earlier, axis=1) + earlier
    wait = np.empty(len(sent), dtype=np.int64)
    wait[order] = (starts - by_node).ravel()
    return wait
