"""Hypotheses on Blue Waters' network: changes of its machine file, and a routing."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Hypothesis:
    """A sentence, the changes of the machine file and the routing that it stands for."""

    meaning: str
    changes: dict[str, object] = field(default_factory=dict)
    routing: str = "adaptive"


ONE_OF_TWO: dict[str, object] = {"shape.links_per_direction": [1, 1, 1]}
CABLES = ("x", "y-cable", "z-cable")

WITHOUT_ANSWERS: dict[str, object] = {
    "nic.header_bytes": "128 B",
    **{f"links.{name}.bandwidth": "9.135 GB/s" for name in ("injection", "ejection")},
    **{f"mpi.{name}_overhead": "398 ns" for name in ("send", "recv")},
}
"""The NIC still takes 6.09 GB/s of data, and 8 B still take 1.5 us."""

HYPOTHESES = {
    "H1": Hypothesis("public speeds, 32 B of headers for each 64 B, no answers", WITHOUT_ANSWERS),
    "H2": Hypothesis("the machine file: H1, and answers of 9 B for each 64 B"),
    "H3": Hypothesis(
        "H2, and packets between two routers keep to one of two links, drawn for the pair",
        routing="one-link",
    ),
    "H3 same": Hypothesis("H2, and all packets take the same one of two links", ONE_OF_TWO),
    "H4 window": Hypothesis(
        "H3, and a NIC has at most 6,656 B in flight (chosen)",
        {"nic.window": "6656 B"},
        "one-link",
    ),
    "H4 buffers": Hypothesis(
        "H3 same, and buffers of cables hold one packet, 512 B (chosen)",
        ONE_OF_TWO | {f"links.{name}.buffer": "512 B" for name in CABLES},
    ),
    "H5": Hypothesis(
        "H2, and one link of 4.69 GB/s along x and z, 9.375 all along y",
        ONE_OF_TWO | {"links.z.bandwidth": "4.6875 GB/s", "links.y-cable.bandwidth": "9.375 GB/s"},
    ),
}
