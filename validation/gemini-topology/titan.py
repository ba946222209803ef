"""Pairs of nodes of Titan: latency and rate along each axis, beside the published ones.

Run it as ``python validation/gemini-topology/titan.py``; it writes the table of the page.
"""

from __future__ import annotations

from pathlib import Path

from box import Box

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine

PAGE = Path(__file__).parent / "README.md"
MEBIBYTE, MESSAGES = 2**20, 8
PUBLISHED = {"x": (1.50, 5.87), "y": (1.70, 3.47), "z": (1.55, 6.09), "across": (3.96, None)}
"""Latency [us] and rate [GB/s] of MPI on Titan: Bland et al. 2012, as LANL's PPT quotes them."""

PLACES = {
    ("x", "a cable"): ((0, 0, 0), (1, 0, 0)),
    ("y", "in a blade"): ((0, 0, 0), (0, 2, 0)),
    ("y", "a cable"): ((0, 2, 0), (0, 4, 0)),
    ("z", "in a chassis"): ((0, 0, 0), (0, 0, 1)),
    ("z", "a cable"): ((0, 0, 7), (0, 0, 8)),
    ("across", "32 hops"): ((0, 0, 0), (12, 16, 12)),
}
"""Two nodes by axis and medium: (x, y, z), where y counts nodes."""


def run(titan: Machine, work: workload.Workload, nodes: tuple[int, int]) -> simulate.Run:
    job = simulate.Job(work, placement.Placement(titan, list(nodes)))
    return simulate.run(titan, [job], simulate.Options(routing="adaptive"), record_messages=False)


def pair(titan: Machine, nodes: tuple[int, int]) -> tuple[float, float]:
    """Return the time of 8 B one way [us] and the rate [GB/s] of eight messages of 1 MiB."""
    there_and_back = run(titan, workload.Collective("pingpong", bytes="8 B"), nodes)
    sends = workload.Traffic(
        "pairs",
        load=1.0,
        bytes=MEBIBYTE,
        messages_per_rank=MESSAGES,
        periodic=True,
        targets=[1, -1],
    )
    totals = run(titan, sends, nodes).jobs[0].totals
    seconds = (totals["last_delivered"] - totals["first_sent"]) * 1e-12
    latency = float(str(there_and_back.summary["time_seconds"])) / 2 * 1e6
    return latency, MESSAGES * MEBIBYTE / seconds / 1e9


def table() -> str:
    titan = machine.load("titan")
    box = Box(titan)
    lines = ["| nodes | latency [µs] | published | rate [GB/s] | published |"]
    lines.append("|:--|--:|--:|--:|--:|")
    for (axis, medium), (one, other) in PLACES.items():
        latency, rate = pair(titan, (box.node(*one), box.node(*other)))
        in_print = [f"{value:.2f}" if value else "" for value in PUBLISHED[axis]]
        cells = [f"{axis}, {medium}", f"{latency:.2f}", in_print[0], f"{rate:.2f}", in_print[1]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    head, mark, rest = text.partition("<!-- titan -->\n")
    PAGE.write_text(f"{head}{mark}\n{table()}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}")
