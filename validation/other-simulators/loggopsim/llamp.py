"""Tolerances of latency that LLAMP finds for a schedule; run in the Python that LLAMP runs in.

    python llamp.py FOLDER SCHEDULE.goal LATENCY_NS

FOLDER is mpi-dep-graph of spcl/llamp. It prints the time and the latencies that may be added before
the schedule takes 1, 2 and 5 % longer, in ns, as JSON. LLAMP's linear program is solved by GLOP of
OR-Tools. LLAMP tells messages apart by their tags, and begins and ends each rank with work.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

LONGER = (0.01, 0.02, 0.05)
MESSAGE = re.compile(r"(\s*\w+: (send|recv) \d+b (?:to|from) (\d+) tag )(\d+)")
FIRST, LAST = "l900000001", "l900000002"
"""Labels of the work, of no time, that each rank gets before and after all."""


def told_apart(schedule: str) -> str:
    """Return a schedule whose messages all have their own tag, and whose ranks begin and end."""
    tags: dict[tuple[int, int, int, int], int] = {}
    seen: Counter[tuple[str, int, int, int]] = Counter()
    lines: list[str] = []
    rank, labels, sides = 0, [], (set(), set())
    for line in schedule.splitlines():
        if begins := re.match(r"rank (\d+)", line):
            rank, labels, sides = int(begins[1]), [], (set(), set())
        if found := MESSAGE.match(line):
            kind, peer, tag = found[2], int(found[3]), int(found[4])
            pair = (rank, peer) if kind == "send" else (peer, rank)
            number = seen[kind, *pair, tag]
            seen[kind, *pair, tag] += 1
            own = tags.setdefault((*pair, tag, number), len(tags))
            line = f"{found[1]}{own}{line[found.end() :]}"
        if label := re.match(r"\s*(\w+): ", line):
            labels.append(label[1])
        if needs := re.match(r"\s*(\w+) i?requires (\w+)", line):
            sides[0].add(needs[1])
            sides[1].add(needs[2])
        if line.startswith("}"):
            lines += [f"{FIRST}: calc 0", f"{LAST}: calc 0", f"{LAST} requires {FIRST}"]
            lines += [f"{label} requires {FIRST}" for label in labels if label not in sides[0]]
            lines += [f"{LAST} requires {label}" for label in labels if label not in sides[1]]
        lines.append(line)
    return "\n".join(lines) + "\n"


def tolerances(schedule: Path, latency: float) -> tuple[float, list[float]]:
    """Return the time, and the latencies that may be added [ns]."""
    import lp_converter
    from dep_graph_generator import DependencyGraphGenerator
    from ortools.linear_solver import pywraplp

    lp_converter.is_gurobi_installed = lambda: False
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = Path(folder) / "schedule.goal"
        path.write_text(told_apart(schedule.read_text()))
        graph = DependencyGraphGenerator(str(path), None).generate(False)

    def program() -> pywraplp.Solver:
        with contextlib.redirect_stdout(io.StringIO()):
            converter = lp_converter.LPConverter(graph, o=0.0, S=None)
            return converter.convert_to_lp(False, False, G=0.001)

    def solved(model: pywraplp.Solver) -> float:
        if model.Solve() != pywraplp.Solver.OPTIMAL:
            raise SystemExit("LLAMP: the linear program has no optimum")
        return model.Objective().Value()

    model = program()
    model.LookupVariable("l").SetLb(latency)
    time = solved(model)
    found = []
    for longer in LONGER:
        model = program()
        model.Add(model.LookupVariable("t") <= time * (1 + longer))
        model.Maximize(model.LookupVariable("l"))
        found.append(solved(model) - latency)
    return time, found


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    time, found = tolerances(Path(sys.argv[2]), float(sys.argv[3]))
    print(json.dumps({"time_ns": time, "tolerances_ns": found}))
