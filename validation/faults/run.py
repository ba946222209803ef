"""Bandwidth against the share of failed links: results.json, tables and figure of the README.

Run it as ``python validation/faults/run.py``: tables and figure of results.json. With ``--data
FOLDER``, the folder of the fabric of the GPU cluster, all flows are counted anew.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine
from odonata.machine.congestion import congestion
from odonata.machine.template import template
from odonata.study import make_cases

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

HERE = Path(__file__).parent
SHARES = (0, 1, 2, 4, 8)  # [%] of the links between switches
SEEDS = (1, 2, 3, 4, 5)
SAMPLES = 20  # random bisections
FABRIC = "gpu-cluster.ibnetdiscover.gz"
ONE_RATE = {f"links.{kind}.bandwidth": "5 GB/s" for kind in ("injection", "ejection", "global")}
DRAGONFLY = {
    "shape.nodes_per_router": 4,
    "shape.routers_per_group": 8,
    "shape.global_links_per_router": 4,
    "shape.groups": 33,
    "links.local.bandwidth": "5 GB/s",
}
MACHINES = {  # name: description
    "tree": "a complete tree of three levels, 8 up and 8 down",
    "torus": "a torus of 8 x 8 x 8",
    "dragonfly": "a balanced dragonfly of 33 groups",
    "GPU cluster": "40 switches and 542 adapters",
}
ENGINES = ("shortest", "minhop", "sssp", "updown", "dmodk")

Load = Callable[[Mapping[str, object]], Machine]


def loaders(folder: Path, data: Path) -> dict[str, Load]:
    """Return what loads each machine with changes."""
    (folder / "torus.toml").write_text(template("torus"))
    graph = ["machines", "graph", "tree", "--down", "8,8,8", "-o", str(folder / "tree.toml")]
    fabric = ["machines", "import", str(data / FABRIC), "-o", str(folder / "gpu.toml")]
    for words in (graph, fabric):
        subprocess.run([sys.executable, "-m", "odonata", *words, "--quiet"], check=True)
    return {
        "tree": lambda changes: machine.load(folder / "tree.toml", changes),
        "torus": lambda changes: machine.load(
            folder / "torus.toml", {"shape.sizes": [8, 8, 8], **changes}
        ),
        "dragonfly": lambda changes: machine.load(
            "dragonfly-5256", {**DRAGONFLY, **ONE_RATE, **changes}
        ),
        "GPU cluster": lambda changes: machine.load(folder / "gpu.toml", changes),
    }


def broken(share: int, seed: int) -> dict[str, object]:
    """Return the changes that break a share [%] of the links."""
    return {"faults.failed": [f"{share}%"], "faults.seed": seed}


def draws(shares: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Yield each share with its seeds; a whole machine has one."""
    for share in shares:
        for seed in SEEDS if share else SEEDS[:1]:
            yield share, seed


def count(on: Machine, engine: str, share: int, seed: int) -> dict[str, Any]:
    """Return the bandwidth of a machine by an engine."""
    routing = "minimal" if engine == "shortest" else engine
    halves = congestion(on, "bisect", routing=routing, samples=SAMPLES, seed=seed)
    every = congestion(on, "alltoall", routing=routing, seed=seed)
    return {
        "engine": halves.routing,
        "share": share,
        "seed": seed,
        "bisection": halves.effective_bandwidth,
        "alltoall": min(1.0, (every.adapters - 1) / every.most_flows),
        "without_route": every.unreachable,
    }


def count_all(load: Mapping[str, Load]) -> dict[str, list[dict[str, Any]]]:
    """Return the bandwidth of each machine for each engine, share and seed."""

    def counted(machine: str, engine: str, share: int, seed: int) -> dict[str, Any]:
        return {"row": count(load[machine](broken(share, seed)), engine, share, seed)}

    cases = [
        {"machine": name, "engine": engine, "share": share, "seed": seed}
        for name in MACHINES
        for share, seed in draws(SHARES)
        for engine in ENGINES
        if engine != "dmodk" or name == "tree"  # it is for trees
    ]
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in MACHINES}
    for made in make_cases(HERE / "runs" / "flows", counted, cases):
        rows[made["machine"]].append(made["row"])
    return rows


def simulate_tree(load: Load) -> list[dict[str, Any]]:
    """Return what an alltoall on the whole tree takes, packet by packet."""

    def takes(engine: str, share: int, seed: int) -> dict[str, Any]:
        on = load(broken(share, seed))
        work = workload.Collective("alltoall", "pairwise_ring", bytes="4 KiB")
        job = simulate.Job(work, placement.place(on, on.num_nodes))
        done = simulate.simulate(on, job, routing=engine, record_messages=False)
        return {"seconds": done.time}

    cases = [
        {"engine": engine, "share": share, "seed": seed}
        for share, seed in draws((0, 4))
        for engine in ("minhop", "sssp", "dmodk")
    ]
    return make_cases(HERE / "runs" / "tree", takes, cases)


def lowest_and_highest(values: list[float]) -> str:
    """Return the median and the range of values."""
    middle = f"{median(values):.2f}"
    return middle if len(values) == 1 else f"{middle} ({min(values):.2f} to {max(values):.2f})"


def flows(kept: dict[str, Any], quantity: str) -> str:
    """Return the table of a quantity by machine, engine and share."""
    lines = [
        f"| machine | engine | {' | '.join(f'{share} %' for share in SHARES)} |",
        f"|---|---|{'---:|' * len(SHARES)}",
    ]
    for name in MACHINES:
        rows = kept["flows"][name]
        for engine in dict.fromkeys(row["engine"] for row in rows):
            cells = [
                lowest_and_highest(
                    [
                        row[quantity]
                        for row in rows
                        if row["engine"] == engine and row["share"] == share
                    ]
                )
                for share in SHARES
            ]
            lines.append(f"| {name} | `{engine}` | {' | '.join(cells)} |")
    return "\n".join(lines)


def simulated(kept: dict[str, Any]) -> str:
    """Return the table of the simulated alltoalls."""
    rows = kept["simulated"]
    lines = ["| engine | whole [ms] | 4 % of the links failed [ms] |", "|---|---:|---:|"]
    for engine in dict.fromkeys(row["engine"] for row in rows):
        cells = [
            lowest_and_highest(
                [
                    1000 * row["seconds"]
                    for row in rows
                    if row["engine"] == engine and row["share"] == share
                ]
            )
            for share in (0, 4)
        ]
        lines.append(f"| `{engine}` | {' | '.join(cells)} |")
    return "\n".join(lines)


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "bisection": lambda kept: flows(kept, "bisection"),
    "alltoall": lambda kept: flows(kept, "alltoall"),
    "simulated": simulated,
}


def draw(kept: dict[str, Any], path: Path) -> None:
    """Draw the bandwidth of bisections by share, with the range over seeds."""
    import matplotlib.pyplot as plt  # slow to import

    figure, axes = plt.subplots(1, len(MACHINES), figsize=(13, 3.2), sharey=True)
    for axis, name in zip(axes, MACHINES, strict=True):
        rows = kept["flows"][name]
        for engine in dict.fromkeys(row["engine"] for row in rows):
            values = [
                [r["bisection"] for r in rows if (r["engine"], r["share"]) == (engine, share)]
                for share in SHARES
            ]
            axis.plot(SHARES, [median(each) for each in values], ".-", label=engine)
            axis.fill_between(SHARES, [min(v) for v in values], [max(v) for v in values], alpha=0.2)
        axis.set_title(f"{name}", fontsize=9)
        axis.set_xlabel("failed links between switches [%]")
    axes[0].set_ylabel("part of a link for a flow")
    axes[0].set_ylim(0, 0.65)
    axes[0].legend(fontsize=7)
    figure.suptitle(
        f"Random bisections, {SAMPLES} a point, by the engine that computes the routes; "
        "bands: 5 draws of the failed links",
        fontsize=9,
    )
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Make the tables and the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    data = parser.parse_args().data
    path = HERE / "results.json"
    if data is not None:
        with tempfile.TemporaryDirectory() as folder:
            load = loaders(Path(folder), data)
            made = {"flows": count_all(load), "simulated": simulate_tree(load["tree"])}
        path.write_text(json.dumps(made, indent=1) + "\n")
    kept = json.loads(path.read_text())
    fill(HERE / "README.md", {mark: make(kept) for mark, make in TABLES.items()})
    draw(kept, HERE / "bandwidth.png")


if __name__ == "__main__":
    main()
