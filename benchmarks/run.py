"""Measure what simulations cost: ``python benchmarks/run.py [--repeats 5] [--json] [names...]``.

Every run is a process of its own. The best of several runs shows what the program needs, the median
how noisy the machine was. README.md has the results.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from statistics import median
from typing import Any

import computing
import fabrics
from cases import CASES, EXPLAINED, LARGE, RING, SMALL, Case, nanoseconds_per_hop
from measure import Sample, instructions_per_hop, measure, measure_pair

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    extra = ("cost-per-hop", "explain", "breakdown", "instructions")
    names = [*(case.name for case in CASES), *extra, *fabrics.NAMES, *computing.NAMES]
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"{', '.join(names)}; default: all"
    )
    parser.add_argument(
        "--repeats", type=int, default=5, help="number of runs of each (default: 5)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    wanted = given.names or names
    if unknown := sorted(set(wanted) - set(names)):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(names)}")
    rows = [row(case, given.repeats) for case in CASES if case.name in wanted]
    rows += [cost_per_hop(given.repeats)] if "cost-per-hop" in wanted else []
    for depth in ("explain", "breakdown"):
        if depth in wanted:
            rows += [explaining(depth, name, given.repeats) for name in EXPLAINED]
    rows += [instructions()] if "instructions" in wanted else []
    rows += [fabrics.fabrics(name, given.repeats) for name in fabrics.NAMES if name in wanted]
    for name in computing.NAMES:
        rows += computing.computing(name, given.repeats) if name in wanted else []
    if given.json:
        print(json.dumps({"platform": describe(), "rows": rows}, indent=2))
        return
    print(", ".join(f"{key} {value}" for key, value in describe().items()), end="\n\n")
    print(table(rows))


def row(case: Case, repeats: int) -> Row:
    samples = [measure(case.arguments) for _ in range(repeats)]
    values = [case.value(sample.summary) for sample in samples]
    best = max(values) if case.more_is_better else min(values)
    return {
        "name": case.name,
        "question": case.question,
        "unit": case.unit,
        "best": best,
        "median": median(values),
        "limit": case.limit,
        **costs(samples),
        "most_bytes": case.most_bytes,
        "passed": passed(case, best, samples),
    }


def passed(case: Case, best: float, samples: list[Sample]) -> bool:
    sign = 1 if case.more_is_better else -1
    peak = min(sample.summary["peak_memory_bytes"] for sample in samples)
    enough = case.limit is None or sign * best >= sign * case.limit
    return enough and (case.most_bytes is None or peak <= case.most_bytes)


def costs(samples: list[Sample]) -> Row:
    return {
        "peak_bytes": min(sample.summary["peak_memory_bytes"] for sample in samples),
        "process_seconds": min(sample.process_seconds for sample in samples),
        "process_bytes": min(sample.process_bytes for sample in samples),
    }


def cost_per_hop(repeats: int) -> Row:
    """Compare a hop among 4,096 ranks with one among 128; runs alternate, so noise affects both."""
    pairs = [(measure(SMALL), measure(LARGE)) for _ in range(repeats)]
    costs_of = [[nanoseconds_per_hop(sample.summary) for sample in pair] for pair in pairs]
    small, large = (min(side) for side in zip(*costs_of, strict=True))
    return {
        "name": "cost-per-hop",
        "question": "How much more does a hop cost on a full machine?",
        "unit": "× (4,096 / 128 ranks)",
        "best": large / small,
        "median": median(large / small for small, large in costs_of),
        "limit": 1.5,
        "nanoseconds_128": small,
        "nanoseconds_4096": large,
        "passed": large / small <= 1.5,
    }


def explaining(depth: str, name: str, repeats: int) -> Row:
    """Compare runs with an explanation and without; the runs of a pair alternate."""
    plain = EXPLAINED[name]
    own, program = plain.split(" -- ") if " -- " in plain else (plain, "")
    told = f"{own} --{depth}" + (f" -- {program}" if program else "")
    pairs = [measure_pair(plain, told) for _ in range(repeats)]
    times, whole, memory = (
        [[read(sample) for sample in pair] for pair in pairs]
        for read in (
            lambda sample: sample.summary["cpu_seconds"],
            lambda sample: sample.process_seconds,
            lambda sample: sample.process_bytes,
        )
    )
    ratios = sorted(more / less for less, more in times)
    return {
        "name": f"{depth}-{name}",
        "question": "How much longer does a run take that explains itself?",
        "unit": "× (with / without)",
        "best": ratio_of_best(times),
        "median": median(ratios),
        "quartiles": [ratios[repeats // 4], ratios[repeats - 1 - repeats // 4]],
        "limit": None,
        "seconds": min(less for less, _ in times),
        "process_ratio": ratio_of_best(whole),
        "memory_ratio": ratio_of_best(memory),
        "peak_bytes": min(more for _, more in memory),
        "passed": True,
    }


def ratio_of_best(pairs: list[list[float]]) -> float:
    without, explained = (min(side) for side in zip(*pairs, strict=True))
    return explained / without


def instructions() -> Row:
    """Count the instructions of a hop, which do not depend on other load of the machine."""
    count = instructions_per_hop(f"{RING} --ranks 256", f"{RING} --ranks 512")
    return {
        "name": "instructions",
        "question": "How many instructions does a hop take, with the MPI layer's share?",
        "unit": "instructions/hop",
        "best": count,
        "median": count,
        "limit": None,
        "passed": True,
    }


def describe() -> dict[str, str]:
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": f"{os.getloadavg()[0]:.2f}",
    }


def table(rows: list[Row]) -> str:
    head = "| name | unit | best | median | limit | peak memory | passed |"
    lines = [head, "|:---|:---|---:|---:|---:|---:|:---|"]
    for r in rows:
        peak = f"{r['peak_bytes'] / 1e6:.0f} MB" if "peak_bytes" in r else ""
        numbers = (written(r[key]) for key in ("best", "median", "limit"))
        cells = [r["name"], r["unit"], *numbers, peak, "yes" if r["passed"] else "NO"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def written(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main())
