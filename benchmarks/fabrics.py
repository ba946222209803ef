"""Fabrics: files of ibnetdiscover that are imported and checked, and a hop by forwarding tables."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from measure import Sample, measure_pair, odonata


@dataclass(frozen=True)
class Tree:
    """A complete tree of switches, and what import and check of it may take.

    Parameters
    ----------
    adapters
        Adapters of a leaf.
    leaves, middles
        Switches of a pod, on its two levels.
    pods
        Number of pods.
    tops
        Switches above each number of a middle switch, which join the pods.
    seconds
        Most processor time of both commands [s].
    most_bytes
        Most memory of either [B].
    """

    adapters: int
    leaves: int
    middles: int
    pods: int
    tops: int
    seconds: float
    most_bytes: float

    def cables(self) -> list[tuple[str, str]]:
        """Return the ends of all cables, by description."""
        found = []
        for pod in range(self.pods):
            for leaf in (f"leaf{pod}-{at}" for at in range(self.leaves)):
                found += [(leaf, f"{leaf}n{at} HCA-1") for at in range(self.adapters)]
                found += [(leaf, f"middle{pod}-{at}") for at in range(self.middles)]
            for middle in range(self.middles):
                here = f"middle{pod}-{middle}"
                found += [(here, f"top{middle}-{at}") for at in range(self.tops)]
        return found

    def ibnetdiscover(self) -> str:
        """Return the fabric as ``ibnetdiscover`` prints it."""
        ends: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for a, b in self.cables():
            ports = len(ends[a]) + 1, len(ends[b]) + 1
            ends[a].append((b, ports[1]))
            ends[b].append((a, ports[0]))
        names = {}
        for number, name in enumerate(ends, 1):
            names[name] = f"{'H' if name.endswith('HCA-1') else 'S'}-{number:016x}"
        lines = []
        for name, its in ends.items():
            kind = "Ca" if names[name].startswith("H") else "Switch"
            lines.append(f'\n{kind}\t{len(its)} "{names[name]}"\t\t# "{name}"')
            for port, (peer, peer_port) in enumerate(its, 1):
                lines.append(f'[{port}]\t"{names[peer]}"[{peer_port}]\t\t# "{peer}" 4xEDR')
        return "\n".join(lines) + "\n"


TREES = {
    "import-40": Tree(18, 32, 8, 1, 0, 1.0, 500e6),
    "import-1500": Tree(16, 25, 25, 25, 10, 20.0, 1e9),
}
NAMES = (*TREES, "hop-by-table")

MOST_RATIO = 1.1
FEW, MANY = (
    "simulate traffic --pattern uniform --load 0.5 --packet-bytes 1024 --machine marenostrum5"
    f" --packets-per-node {packets} --seed 7 --json"
    for packets in (100, 1000)
)


def fabrics(name: str, repeats: int) -> dict[str, Any]:
    """Return the row of one of `NAMES`."""
    return hop_by_table(repeats) if name == "hop-by-table" else import_and_check(name, repeats)


def import_and_check(name: str, repeats: int) -> dict[str, Any]:
    """Import a tree from a file and check it under dmodk, each by its command."""
    tree = TREES[name]
    with tempfile.TemporaryDirectory() as folder:
        listing, machine = Path(folder, "net"), Path(folder, "own.toml")
        listing.write_text(tree.ibnetdiscover(), encoding="utf-8")
        imports = ["machines", "import", str(listing), "-o", str(machine), "--quiet"]
        checks = ["machines", "check", str(machine), "--routing", "dmodk", "--quiet"]
        runs = []
        for _ in range(repeats):
            for old in Path(folder).glob("own.*"):
                old.unlink()
            runs.append((cost(imports), cost(checks)))
    seconds = [sum(each for each, _ in both) for both in runs]
    peak = max(min(peak for _, peak in side) for side in zip(*runs, strict=True))
    return {
        "name": name,
        "question": "What do import and check of a fabric cost, with two starts of Python?",
        "unit": "s",
        "best": min(seconds),
        "median": median(seconds),
        "limit": tree.seconds,
        "peak_bytes": peak,
        "most_bytes": tree.most_bytes,
        "passed": min(seconds) <= tree.seconds and peak <= tree.most_bytes,
    }


def cost(arguments: list[str]) -> tuple[float, int]:
    """Return processor time [s] and peak memory [B] of a command."""
    process = subprocess.Popen([odonata(), *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"odonata {' '.join(arguments)}: ended with {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def hop_by_table(repeats: int) -> dict[str, Any]:
    """Compare a hop on a fat tree with one by tables of the same routes.

    Each pair alternates in turns on one core. Runs of few packets are subtracted, so that the
    tables themselves drop out.
    """
    ratios = []
    for _ in range(repeats):
        few, many = (measure_pair(run, f"{run} --fail 0%") for run in (FEW, MANY))
        plain, by_table = (seconds_of_hop(*each) for each in zip(few, many, strict=True))
        ratios.append(by_table / plain)
    return {
        "name": "hop-by-table",
        "question": "How much more does a hop by forwarding tables cost than on a fat tree?",
        "unit": "× (by table / fat tree)",
        "best": min(ratios),
        "median": median(ratios),
        "limit": MOST_RATIO,
        "passed": median(ratios) <= MOST_RATIO,
    }


def seconds_of_hop(few: Sample, many: Sample) -> float:
    """Return the time of a router hop, without the start of the run [s]."""
    seconds, hops = (many.summary[key] - few.summary[key] for key in ("cpu_seconds", "packet_hops"))
    return seconds / hops
