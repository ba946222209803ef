"""What a machine file may say: every key, what kind of value it has, and its limits.

Keys are dotted: ``links.local.bandwidth`` is ``bandwidth`` of the table ``[links.local]``. Those of
the table ``[shape]`` are the family's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from odonata.machine.families import family_named
from odonata.machine.kinds import Kind, count, factor, fit, list_of, per_byte, rate, size, time

__all__ = ["STATUSES", "keys_of"]

STATUSES = ("published", "site", "measured", "assumed")
"""Where a number comes from: print, the machine's operators, a measurement of ours, or a guess."""

_LINK: Mapping[str, Kind] = {
    "bandwidth": rate().means("Rate of a direction, seen by payload and headers", "10 GB/s"),
    "latency": time().means("Time on the wire", "50 ns"),
    "buffer": size(1, 2**30).means("Room of a virtual channel at the far end", "64 KiB"),
    "credit_delay": time().means("Time that a credit takes back", "50 ns"),
}

_SOFTWARE: Mapping[str, Kind] = {
    "router.delay": time().means("From the head at an input to the start at an output", "100 ns"),
    "node.cores": count(1, 4096).means("Cores, each for a rank", 16),
    "node.latency": time().means("Between two ranks of a node", "300 ns"),
    "node.bandwidth": rate().means("Between two ranks of a node", "5 GB/s"),
    "node.compute_scale": factor(1e6)
    .optional()
    .means("How much longer programs compute there than here", 1),
    "nic.packet_bytes": size(1, 2**24).means("Largest payload of a packet", "4 KiB"),
    "nic.header_bytes": size(0, 2**16).means("Header of a packet", "0 B"),
    "nic.window": size(0, 2**40).means("What a node may have in flight; 0 B: no limit", "0 B"),
    "mpi.send_overhead": time().means("Processor time of a send", "200 ns"),
    "mpi.send_overhead_per_byte": per_byte().means("The same, a byte", "0 ps/B"),
    "mpi.recv_overhead": time().means("Processor time of a receive", "200 ns"),
    "mpi.recv_overhead_per_byte": per_byte().means("The same, a byte", "0 ps/B"),
    "mpi.reduce_per_byte": per_byte().means("Time of combining a byte in a reduction", "200 ps/B"),
    "mpi.copy_per_byte": per_byte().means("Time of copying a byte in memory", "200 ps/B"),
    "mpi.eager_threshold": size(0, 2**40).means("Larger messages ask first", "8 KiB"),
    "mpi.control_bytes": size(0, 2**16).means("A message that asks or answers", "64 B"),
    "mpi.poll": time().optional().means("A test or probe that finds nothing", "100 ns"),
    "mpi.collectives.allgather_doubling_total": size(0, 2**40).means(
        "Allgather in all, below: recursive doubling on powers of two", "512 KiB"
    ),
    "mpi.collectives.allgather_bruck_total": size(0, 2**40).means(
        "Allgather in all, below: Bruck; else ring", "80 KiB"
    ),
    "mpi.collectives.alltoall_bruck_block": size(0, 2**40).means(
        "Alltoall block, up to: Bruck", "256 B"
    ),
    "mpi.collectives.alltoall_bruck_ranks": count(0, 2**31 - 1).means(
        "Alltoall, from so many ranks on: Bruck", 8
    ),
    "mpi.collectives.alltoall_scattered_block": size(0, 2**40).means(
        "Alltoall block, up to: scattered; else pairwise", "32 KiB"
    ),
    "mpi.collectives.allreduce_doubling": size(0, 2**40).means(
        "Allreduce, up to: recursive doubling", "2 KiB"
    ),
    "mpi.collectives.allreduce_value": size(1, 2**16).means(
        "An element of a reduction, as taken for its number", "8 B"
    ),
    "mpi.collectives.reduce_binomial": size(0, 2**40).means(
        "Reduce, up to: binomial tree", "2 KiB"
    ),
    "mpi.collectives.reduce_scatter_halving_total": size(0, 2**40).means(
        "Reduce-scatter in all, below: recursive halving", "512 KiB"
    ),
    "mpi.collectives.bcast_binomial": size(0, 2**40).means(
        "Broadcast, below: binomial tree", "12 KiB"
    ),
    "mpi.collectives.bcast_binomial_ranks": count(0, 2**31 - 1).means(
        "Broadcast to fewer ranks: binomial tree", 8
    ),
    "model.alpha": time().optional().means("Latency of a message, for closed-form models"),
    "model.beta": time().optional().means("Time of 8 bytes, for closed-form models"),
    "model.gamma": time().optional().means("Time of a hop, for closed-form models"),
    "model.t": list_of(time()).optional().means("Time of a flop, by level"),
    "model.memory_bandwidth": list_of(rate())
    .optional()
    .means("Of a thread, with 1, 2, 4, ... threads a node"),
    "model.best_fit": list_of(fit())
    .optional()
    .means("Scenario of the AMG model that fits best, by mix and cores, and its accuracy"),
}


def keys_of(family: str, link_classes: tuple[str, ...]) -> dict[str, Kind]:
    """Return every key that a file of a family may have.

    Parameters
    ----------
    family
        Name of a family.
    link_classes
        Classes of links, those of the family first.

    Examples
    --------
    >>> classes = ("injection", "ejection")
    >>> [key for key in keys_of("star", classes) if key.startswith("links.ej")]
    ['links.ejection.bandwidth', 'links.ejection.latency']
    """
    keys = {f"shape.{name}": kind for name, kind in family_named(family).shape.items()}
    for name in link_classes:
        # A node takes everything that arrives: its links have no buffer and no credits.
        wanted = ("bandwidth", "latency") if name == "ejection" else tuple(_LINK)
        keys |= {f"links.{name}.{key}": _LINK[key] for key in wanted}
    return keys | dict(_SOFTWARE)
