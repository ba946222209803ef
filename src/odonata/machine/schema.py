"""Keys of a machine file, with the kinds and limits of their values.

Keys are dotted: ``links.local.bandwidth`` is ``bandwidth`` of the table ``[links.local]``. Keys of
the table ``[shape]`` are the family's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from odonata.machine.families import family_named
from odonata.machine.values import (
    Kind,
    choice,
    count,
    factor,
    fit,
    letters,
    list_of,
    per_byte,
    rate,
    size,
    text,
    time,
)

__all__ = ["STATUSES", "keys_of"]

STATUSES = ("published", "site", "measured", "fitted", "assumed")
"""Origins of a number: print, the machine's operators, a measurement of ours, a value with which
simulations agree with measurements, or a guess."""

_LINK: Mapping[str, Kind] = {
    "bandwidth": rate().means("Rate of a direction, seen by payload and headers", "10 GB/s"),
    "latency": time().means("Time on the wire", "50 ns"),
    "buffer": size(1, 2**30).means("Room of a virtual channel at the far end", "64 KiB"),
    "credit_delay": time().means("Time that a credit takes back", "50 ns"),
}

_SOFTWARE: Mapping[str, Kind] = {
    "router.delay": time().means(
        "Time from the head at an input to the start at an output", "100 ns"
    ),
    "node.cores": count(1, 4096).means("Cores of a node, each for one rank", 16),
    "node.latency": time().means("Latency between two ranks of a node", "300 ns"),
    "node.bandwidth": rate().means("Bandwidth between two ranks of a node", "5 GB/s"),
    "node.memory_bandwidth": rate()
    .optional()
    .means(
        "Bandwidth of all messages inside a node together; absent: none waits for others", "50 GB/s"
    ),
    "node.send_overhead": time()
    .optional()
    .means("Processor time of a send inside a node; absent: mpi.send_overhead"),
    "node.recv_overhead": time()
    .optional()
    .means("Processor time of a receive inside a node; absent: mpi.recv_overhead"),
    "node.compute_scale": factor(1e6).optional().means("Ratio of compute times there and here", 1),
    "node.cache": size(1, 2**40)
    .optional()
    .means("Largest shared caches of a node together, for closed-form models"),
    "nic.packet_bytes": size(1, 2**24).means("Largest payload of a packet", "4 KiB"),
    "nic.header_bytes": size(0, 2**16).means("Header of a packet", "0 B"),
    "nic.window": size(0, 2**40).means("Most bytes in flight of a port; 0 B: no limit", "0 B"),
    "nic.message_gap": time()
    .optional()
    .means("Least time from the start of a port's message to the start of its next", "0 ns"),
    "nic.order": choice("first-come", "turns")
    .optional()
    .means("Messages of a port: one after another, or its destinations in turns, a packet each"),
    "nic.congestion_window": size(0, 2**30)
    .optional()
    .means("Most bytes on the way to a port, from all others together; 0 B: no limit", "0 B"),
    "nic.congestion_delay": time()
    .optional()
    .means("Time until the sources know that bytes have arrived at a port with such a limit"),
    "nic.ports": count(1, 64).optional().means("Ports of a node, each a NIC; absent: one"),
    "nic.routers": count(1, 64)
    .optional()
    .means("Routers in a row over which the ports of a node are spread; absent: its own alone"),
    "nic.binding": choice("blocks", "round-robin", "first")
    .optional()
    .means("Port of a rank: equal blocks of a node's ranks each, ranks in turn, or one for all"),
    "nic.stripe_from": size(1, 2**40)
    .optional()
    .means("Smallest message that is cut into a part for each port; absent: none is"),
    "mpi.send_overhead": time().means("Processor time of a send", "200 ns"),
    "mpi.send_overhead_per_byte": per_byte().means("Processor time of a sent byte", "0 ps/B"),
    "mpi.recv_overhead": time().means("Processor time of a receive", "200 ns"),
    "mpi.recv_overhead_per_byte": per_byte().means("Processor time of a received byte", "0 ps/B"),
    "mpi.reduce_per_byte": per_byte().means("Time of combining a byte in a reduction", "200 ps/B"),
    "mpi.copy_per_byte": per_byte().means("Time of copying a byte in memory", "200 ps/B"),
    "mpi.short_threshold": size(0, 2**40)
    .optional()
    .means("Largest eager message that fits into a mailbox; absent: all do", "1 KiB"),
    "mpi.eager_overhead": time()
    .optional()
    .means("Processor time, on both sides, of an eager message that is not short", "0 ns"),
    "mpi.eager_overhead_per_byte": per_byte()
    .optional()
    .means("Processor time, on both sides, of a byte of it", "0 ps/B"),
    "mpi.fetch_latency": time()
    .optional()
    .means("Time until the NIC has the first byte of data that are not short", "0 ns"),
    "mpi.eager_threshold": size(0, 2**40).means("Largest message that is sent eagerly", "8 KiB"),
    "mpi.rendezvous_overhead": time()
    .optional()
    .means("Processor time, on both sides, of a rendezvous", "0 ns"),
    "mpi.long_threshold": size(0, 2**40)
    .optional()
    .means("Bytes of a rendezvous beyond which each costs more; absent: none do"),
    "mpi.long_overhead_per_byte": per_byte()
    .optional()
    .means("Processor time, on both sides, of a byte beyond mpi.long_threshold", "0 ps/B"),
    "mpi.control_bytes": size(0, 2**16).means(
        "Size of a request to send and of a clear to send", "64 B"
    ),
    "mpi.poll": time().optional().means("Time of a test or probe that finds nothing", "100 ns"),
    "mpi.search_per_entry": time()
    .optional()
    .means("Processor time of passing a receive or message that doesn't match", "0 ns"),
    "mpi.wait_per_request": time()
    .optional()
    .means("Processor time of a request that a wait or test looks at", "0 ns"),
    "mpi.library": choice("mpich", "openmpi-4.1", "openmpi-5.0")
    .optional()
    .means("MPI library whose choices of algorithms `auto` makes; absent: mpich"),
    "mpi.outstanding": count(1, 2**20)
    .optional()
    .means("Most messages of a source of traffic under way; absent: 256, which is assumed"),
    "mpi.collectives.allgather_doubling_total": size(0, 2**40).means(
        "Allgather below this total: recursive doubling on powers of two", "512 KiB"
    ),
    "mpi.collectives.allgather_bruck_total": size(0, 2**40).means(
        "Allgather below this total: Bruck; else ring", "80 KiB"
    ),
    "mpi.collectives.alltoall_bruck_block": size(0, 2**40).means(
        "Alltoall with blocks up to this size: Bruck", "256 B"
    ),
    "mpi.collectives.alltoall_bruck_ranks": count(0, 2**31 - 1).means(
        "Alltoall from this number of ranks on: Bruck", 8
    ),
    "mpi.collectives.alltoall_scattered_block": size(0, 2**40).means(
        "Alltoall with blocks up to this size: scattered; else pairwise", "32 KiB"
    ),
    "mpi.collectives.allreduce_doubling": size(0, 2**40).means(
        "Allreduce up to this size: recursive doubling", "2 KiB"
    ),
    "mpi.collectives.allreduce_value": size(1, 2**16).means(
        "Assumed size of an element of a reduction", "8 B"
    ),
    "mpi.collectives.reduce_binomial": size(0, 2**40).means(
        "Reduce up to this size: binomial tree", "2 KiB"
    ),
    "mpi.collectives.reduce_scatter_halving_total": size(0, 2**40).means(
        "Reduce-scatter below this total: recursive halving", "512 KiB"
    ),
    "mpi.collectives.bcast_binomial": size(0, 2**40).means(
        "Broadcast below this size: binomial tree", "12 KiB"
    ),
    "mpi.collectives.bcast_binomial_ranks": count(0, 2**31 - 1).means(
        "Broadcast to fewer ranks than this: binomial tree", 8
    ),
    "checked.cases": count(1, 10**9)
    .optional()
    .means("Measured times with which simulated ones were compared"),
    "checked.median_error": factor(1e6)
    .optional()
    .means("Their median error, |ln(measured/simulated)|"),
    "checked.factor": factor(1e6).optional().means("Factor within which 90 % of them are"),
    "checked.rows": text(4_096).optional().means("CSV file with the ratio of each, for intervals"),
    "faults.failed": list_of(text(600))
    .optional()
    .means(
        "Broken parts: link:A:B, links:A:B (all cables of the pair), switch:NAME, node:NAME, or a"
        " share of the links between switches, such as 1%"
    ),
    "faults.slowed": list_of(text(600))
    .optional()
    .means("Slower links: link:A:B=1x (lanes), a rate or a factor; also links, switch, share"),
    "faults.seed": count(0, 2**64 - 1).optional().means("Seed of the shares; absent: 0"),
    "names.scheme": choice("cray-xc", "cray-ex", "hosts")
    .optional()
    .means("Names of nodes: cname and NID of a Cray XC, xname and NID of an HPE Cray EX, or hosts"),
    "names.hosts": text(2_000)
    .optional()
    .means("Hosts of the nodes in order, as in lrdn[0001-4992] or as[01-20]r[1-6]b[01-36]"),
    "names.host_prefix": letters(32).optional().means("Beginning of the names of hosts; else nid"),
    "names.cabinets_per_row": count(1, 10_000).optional().means("Cray XC: cabinets of a row"),
    "names.absent_cabinets": list_of(count(0, 9_999_999))
    .optional()
    .means("Cray XC: places without a cabinet, counted row by row"),
    "names.first_cabinet": count(0, 9_999).optional().means("Cray EX: first cabinet; else 1000"),
    "names.cabinets": list_of(count(0, 9_999))
    .optional()
    .means("Cray EX: numbers of the cabinets, where they have gaps; else from first_cabinet on"),
    "names.nids": choice("places", "nodes")
    .optional()
    .means("Cray EX: NIDs count all places, or the nodes that are there; else places"),
    "names.first_nid": count(0, 9_999_999).optional().means("Cray EX: first NID; else 1000"),
    "names.chassis_per_cabinet": count(1, 64)
    .optional()
    .means("Chassis of a cabinet; else 3 of a Cray XC and 8 of a Cray EX"),
    "names.slots_per_chassis": count(1, 64)
    .optional()
    .means("Cray EX: slots for blades in a chassis; else 8"),
    "names.boards_per_slot": count(1, 64).optional().means("Cray EX: boards of a blade; else 2"),
    "names.nodes_per_board": count(1, 64).optional().means("Cray EX: nodes of a board; else 2"),
    "names.nid_digits": count(1, 9)
    .optional()
    .means("Digits of a NID, at least; else 5 of a Cray XC and 6 of a Cray EX"),
    "model.alpha": time().optional().means("Latency of a message, for closed-form models"),
    "model.beta": time().optional().means("Time of 8 bytes, for closed-form models"),
    "model.gamma": time().optional().means("Time of a hop, for closed-form models"),
    "model.contention": per_byte()
    .optional()
    .means("Additional time of a byte that a link carries, for closed-form models"),
    "model.t": list_of(time()).optional().means("Time of a flop, by level"),
    "model.memory_bandwidth": list_of(rate())
    .optional()
    .means("Memory bandwidth of a thread with 1, 2, 4, ... threads on a node"),
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
        Classes of links, first the family's own.

    Examples
    --------
    >>> classes = ("injection", "ejection")
    >>> [key for key in keys_of("star", classes) if key.startswith("links.ej")]
    ['links.ejection.bandwidth', 'links.ejection.latency']
    """
    keys = {f"shape.{name}": kind for name, kind in family_named(family).shape.items()}
    for name in link_classes:
        # A node takes everything that arrives: its links have no buffer and no credits.
        lasting = name.partition("-")[0] != "ejection"
        wanted = tuple(_LINK) if lasting else ("bandwidth", "latency")
        keys |= {f"links.{name}.{key}": _LINK[key] for key in wanted}
    return keys | dict(_SOFTWARE)
