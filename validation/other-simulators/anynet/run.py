"""BookSim's anynet beside ours: writes ours.json and the table of the page.

``python validation/other-simulators/anynet/run.py`` writes the table; ``--data FOLDER``, the folder
of the GPU cluster's fabric, makes all runs of Odonata anew; ``--inputs FOLDER`` writes the network
files and tables for BookSim there as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import mean

import fabrics

from odonata import machine, simulate, workload
from odonata.report import Table

sys.path += [str(folder) for folder in Path(__file__).parents[1:3]]
from cases import DELAY_PS, LATENCY_PS, PACKET, PACKET_PS, mean_waits, messages_until
from marked import fill

HERE = Path(__file__).parent
SEEDS = (1, 2, 3, 4, 5)
BEGIN, UNTIL = 1000, 2500  # [packet times], as in BookSim
NAMES = {"slim-fly": "Slim Fly, q = 5", "gpu-cluster": "GPU cluster"}
CABLES = {"slim-fly": "cable", "gpu-cluster": "4xNDR"}
Row = dict[str, object]


def matched(graph: str) -> dict[str, object]:
    """Return the numbers of the machine that BookSim is given alike, as in ``matched.toml``."""
    changes: dict[str, object] = {
        "router.delay": "100 ns",
        "node.cores": 1,
        "nic.packet_bytes": f"{PACKET} B",
        "mpi.send_overhead": "0 ns",
        "mpi.recv_overhead": "0 ns",
        "mpi.eager_threshold": "1 TiB",
    }
    for name in ("injection", CABLES[graph], "ejection"):
        link = {"bandwidth": "1 GB/s", "latency": "100 ns"}
        if name != "ejection":
            link |= {"buffer": "64 MiB", "credit_delay": "100 ns"}
        changes |= {f"links.{name}.{key}": value for key, value in link.items()}
    return changes


def waits(path: Path, graph: str, load: float, seed: int) -> dict[str, float]:
    """Return the mean waiting times of uniform traffic [packet times], as `cases.waits` does."""
    messages = messages_until(UNTIL, load)
    traffic = workload.Traffic("uniform", load=load, bytes=PACKET, messages_per_rank=messages)
    return mean_waits(
        machine.load(path, matched(graph)),
        traffic,
        simulate.Options(seed=seed),
        window=(BEGIN, UNTIL),
        hop_ps=(LATENCY_PS, DELAY_PS),
        length_ps=PACKET_PS,
    )


def measure(given: list[Row], folder: Path, data: Path) -> list[Row]:
    """Return our side of each row."""
    found = []
    for row in given:
        graph, routes, load = str(row["graph"]), str(row["routes"]), float(str(row["load"]))
        path = folder / f"{graph}-{routes}.toml"
        if not path.exists():
            fabrics.machine_of(graph, routes, folder, data)
        runs = [waits(path, graph, load, seed) for seed in SEEDS]
        values = {key: [round(run[key], 5) for run in runs] for key in runs[0]}
        found.append({"graph": graph, "routes": routes, "load": load, **values})
        print(found[-1], file=sys.stderr)
    return found


def table(ours: list[Row], theirs: list[Row]) -> Table:
    """Return the table of the page."""
    head = ["graph", "routes", "load", "BookSim 2", "Odonata", "ours over theirs"]
    head += ["with the source: BookSim 2", "Odonata", "ours over theirs"]
    lines = []
    for mine, their in zip(ours, theirs, strict=True):
        line = [NAMES[str(mine["graph"])], str(mine["routes"]), f"{mine['load']:g}"]
        for key in ("network", "total"):
            line += [spread(their[key]), spread(mine[key])]
            line.append(f"{100 * (average(mine[key]) / average(their[key]) - 1):+.1f} %")
        lines.append(line)
    return Table(head, lines, left=2)


def average(values: object) -> float:
    """Return the mean of the runs."""
    assert isinstance(values, list)
    return mean(values)


def spread(values: object) -> str:
    """Return the mean of the runs, with the least and the largest."""
    assert isinstance(values, list)
    middle = f"{mean(values):.3f}"
    return f"{middle} ({min(values):.3f}–{max(values):.3f})" if len(values) > 1 else middle


def main() -> None:
    """Make the runs if asked to, and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--inputs", type=Path)
    given = parser.parse_args()
    if given.inputs is not None and given.data is None:
        parser.error("--inputs needs --data")
    theirs = json.loads((HERE / "theirs.json").read_text())["rows"]
    path = HERE / "ours.json"
    if given.inputs is not None:
        fabrics.write_inputs(given.inputs, given.data)
    if given.data is not None:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(theirs, Path(folder), given.data)
        path.write_text("[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n")
    fill(HERE / "README.md", {"waits": table(json.loads(path.read_text()), theirs)})


if __name__ == "__main__":
    main()
