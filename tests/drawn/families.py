"""Small machines of every family, drawn with their links and the costs of their software."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hypothesis import reject
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.machine import Machine, load
from odonata.machine.families import FAMILIES
from odonata.machine.faults import faults_of
from odonata.machine.files import describe, parse
from odonata.machine.template import template

CABLES = ([[0, 1]], [[0, 1], [1, 2], [2, 0]], [[0, 1], [0, 1], [1, 2], [2, 3], [1, 3]])

SHAPES: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "dragonfly": {
        "nodes_per_router": (1, 2),
        "routers_per_group": (1, 2, 4),
        "global_links_per_router": (1, 2),
        "groups": (1, 2, 3, 5),
        "arrangement": ("absolute", "relative", "circulant"),
    },
    "dragonfly-plus": {
        "cells": (1, 2, 4),
        "leaves_per_cell": ([1], [3]),
        "spines_per_cell": (1, 2, 3),
        "nodes_per_leaf": (1, 2),
        "links_per_pair": (1, 2),
        "global_links_per_spine": (1, 2, 3),
        "arrangement": ("absolute", "relative", "circulant"),
    },
    "aries": {
        "groups": (2, 3),
        "rows": (1, 2, 3),
        "columns": (1, 2, 3),
        "nodes_per_router": (1, 2),
        "black_links": (1, 3),
        "blue_links": (1, 2, 4),
    },
    "hyperx": {
        "sizes": ([2, 3], [4, 2], [3, 3]),
        "nodes_per_router": (1, 3),
        "links_per_pair": ([1, 1], [2, 1], [1, 3]),
    },
    "torus": {
        "sizes": ([3, 2, 4], [4, 3, 3], [5, 2, 2]),
        "nodes_per_router": (1, 2),
        "wrap": ([1, 0, 1], [0, 0, 0]),
        "links_per_direction": ([1, 1, 1], [2, 1, 3]),
    },
    "gemini": {"sizes": ([3, 4, 3], [3, 3, 4]), "y_cable_every": (1, 2), "z_cable_every": (1, 2)},
    "fat-tree": {
        "down": ([2, 3], [4, 4], [1, 5]),
        "up": ([1], [2], [3]),
        "parallel": ([1], [2]),
    },
    "summit": {"down": ([2, 3, 2], [4, 2, 3]), "up": ([2, 2], [3, 1])},  # a fat tree with rails
    "star": {"nodes": (2, 5, 12)},
    "graph": {
        "node_router": ([0, 0, 1, 1], [0, 1, 1, 0, 1]),
        "links": tuple(
            [[*end, "cable"] for a, b in cables for end in ((a, b), (b, a))] for cables in CABLES
        ),
    },
}

NUMBERS: Mapping[str, tuple[str | int, ...]] = {
    "router.delay": ("0 ns", "1 ns", "100 ns"),
    "node.cores": (2,),
    "node.latency": ("0 ns", "300 ns"),
    "nic.packet_bytes": ("256 B", "1000 B"),
    "nic.header_bytes": ("0 B", "16 B"),
    "nic.window": ("0 B", "0 B", "2 KiB"),
    "nic.message_gap": ("0 ns", "0 ns", "30 ns"),
    "nic.order": ("first-come", "first-come", "turns"),
    "nic.congestion_window": ("0 B", "1000 B", "4 KiB"),
    "nic.congestion_delay": ("0 ns", "0 ns", "500 ns"),
    "mpi.send_overhead": ("0 ns", "200 ns"),
    "mpi.recv_overhead": ("0 ns", "150 ns"),
    "mpi.send_overhead_per_byte": ("0 ps/B", "250 ps/B"),
    "mpi.recv_overhead_per_byte": ("0 ps/B", "50 ps/B"),
    "mpi.copy_per_byte": ("0 ps/B", "200 ps/B"),
    "mpi.short_threshold": ("0 B", "1 KiB"),
    "mpi.eager_overhead": ("0 ns", "80 ns"),
    "mpi.fetch_latency": ("0 ns", "700 ns"),
    "mpi.eager_threshold": ("0 B", "0 B", "8 B", "1 KiB", "8 KiB"),
    "mpi.rendezvous_overhead": ("0 ns", "90 ns"),
    "mpi.long_threshold": ("0 B", "2 KiB"),
    "mpi.long_overhead_per_byte": ("0 ps/B", "100 ps/B"),
    "mpi.control_bytes": ("0 B", "64 B"),
    "mpi.search_per_entry": ("0 ns", "7 ns"),
    "mpi.wait_per_request": ("0 ns", "5 ns"),
    "mpi.outstanding": (1, 3, 256),
}

LINK: Mapping[str, tuple[str, ...]] = {
    "bandwidth": ("1 GB/s", "4.7 GB/s", "5.25 GB/s", "16 GB/s"),
    "latency": ("0 ns", "1 ns", "100 ns"),
    "buffer": ("1016 B", "4 KiB", "16 KiB"),
    "credit_delay": ("0 ns", "1 ns", "100 ns"),
}


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """Draw a machine of 2 to 72 nodes."""
    name = draw(st.sampled_from(sorted(SHAPES)))
    changes = {f"shape.{key}": draw(st.sampled_from(few)) for key, few in SHAPES[name].items()}
    changes |= {key: draw(st.sampled_from(few)) for key, few in NUMBERS.items()}
    if changes["nic.order"] == "turns":
        changes["nic.congestion_window"] = "0 B"
    for link in links(name):
        for key in ("bandwidth", "latency") if link == "ejection" else LINK:
            changes[f"links.{link}.{key}"] = draw(st.sampled_from(LINK[key]))
    changes |= draw(faults())
    try:
        if name not in FAMILIES:
            return load(name, changes)
        return Machine(describe(parse(template(name), "new"), Path(), changes), changes, faults_of)
    except UserError:  # the numbers don't fit each other
        reject()


@st.composite
def faults(draw: st.DrawFn) -> dict[str, object]:
    """Draw faults of one machine of four: lost and slower links, and a broken node."""
    if draw(st.integers(0, 3)) > 0:
        return {}
    return {
        "faults.failed": [
            f"{draw(st.integers(0, 30))}%",
            *draw(st.sampled_from(((), ("node:1",)))),
        ],
        "faults.slowed": draw(
            st.sampled_from(([], ["20%=0.5"], ["30%=1x", "switch:router-0=0.9"]))
        ),
        "faults.seed": draw(st.integers(0, 2**32)),
    }


def links(name: str) -> tuple[str, ...]:
    """Return the classes of links of a family, or of a machine."""
    if name not in FAMILIES:
        return tuple(load(name).link_classes)
    return FAMILIES[name].class_names + FAMILIES[name].own_classes
