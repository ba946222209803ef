"""Measured collectives beside simulated ones: the tables and the figure of the README.

Run it as ``python validation/measured-collectives/run.py``: tables and figure of the rows beside
the machine files. With ``--data FOLDER``, the folder of the measured tables, all rows are
simulated anew with the files as they are, and results.json is written.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from odonata import machine, simulate, trust
from odonata.explain.explained import Explained
from odonata.simulate import Options
from odonata.trust.checked import Checked, checked_rows
from odonata.trust.comparison import Comparison, Spread, compare
from odonata.trust.intervals import like, split_conformal

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

HERE = Path(__file__).parent
TABLES = {
    "lumi-g": "lumi",
    "leonardo": "leonardo",
    "marenostrum5": "mare_nostrum",
    "fugaku": "fugaku",
}
FITTED = {
    "lumi-g": "fitted to these rows",
    "marenostrum5": "overheads fitted to rows of up to 128 KiB",
    "fugaku": "costs of MPI fitted to 8 and 64 nodes",
}
MOST_MESSAGES = 1_000_000  # of a row that is simulated
WORST = 3  # algorithms of a machine that are explained,
LEAST_ROWS = 6  # of so many rows
COVERAGE = 0.9


def rows_of(name: str) -> Sequence[Checked]:
    """Return the rows of a machine."""
    return checked_rows(machine.load(name))


def simulate_all(folder: Path) -> dict[str, dict[str, Any]]:
    """Return how far the files as they are from all measured rows."""
    found = {}
    for name, table in TABLES.items():
        on = machine.load(name)
        cases = trust.read_cases(
            folder / f"{table}.csv.gz", folder / f"{table}-nodes.csv.gz", on
        ).known
        short = [case for case in cases if case.messages(on) <= MOST_MESSAGES]
        made = compare(on, short)
        found[name] = {
            **asdict(made.spread),
            "order": made.ranking(),
            "worst": explain_worst(on, made),
        }
        print(name, found[name], file=sys.stderr)
    return found


def explain_worst(on: machine.Machine, made: Comparison) -> list[dict[str, object]]:
    """Return the algorithms that are farthest off, and what one run of each is explained by."""
    groups: dict[tuple[str, str], list[int]] = {}
    for at, case in enumerate(made.cases):
        groups.setdefault((case.workload.operation, case.workload.algorithm), []).append(at)
    off = np.abs(np.log(made.ratios))
    errors = {key: float(np.median(off[at])) for key, at in groups.items() if len(at) >= LEAST_ROWS}
    found = []
    for operation, algorithm in sorted(errors, key=lambda key: -errors[key])[:WORST]:
        members = sorted(groups[operation, algorithm], key=lambda at: off[at])
        case = made.cases[members[len(members) // 2]]  # has the median error
        options = Options(engine="analytic", explain=True, record_messages=False)
        explained = Explained(simulate.run(on, [case.job(on)], options))
        path = sorted(explained.path_ps.items(), key=lambda part: -part[1])
        found.append(
            {
                "algorithm": f"{operation} {algorithm}",
                "rows": len(members),
                "ratio": float(np.median(made.ratios[members])),
                "bytes": case.measured.bytes,
                "ranks": len(case.nodes),
                "parts": {key: round(part / explained.length_ps, 3) for key, part in path[:3]},
            }
        )
    return found


def machines(kept: dict[str, dict[str, Any]]) -> str:
    """Return the table of the machines."""
    lines = [
        "| machine | numbers | rows | measured / simulated | 5 % to 95 % | median error "
        "| 90 % within | order of algorithms |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in TABLES:
        if name in FITTED:
            spread = Spread.of(row.ratio for row in rows_of(name))
            lines.append(_line(name, "of the other runs", spread, ""))
        right, pairs = kept[name]["order"]
        spread = Spread(**{key: kept[name][key] for key in Spread.__dataclass_fields__})
        how = FITTED.get(name, "not fitted")
        lines.append(_line(name, how, spread, f"{right:,} of {pairs:,} ({right / pairs:.0%})"))
    return "\n".join(lines).replace("%)", " %)")


def _line(name: str, how: str, spread: Spread, order: str) -> str:
    error = f"{spread.error:.1%}".replace("%", " %")
    return (
        f"| `{name}` | {how} | {spread.cases} | {spread.median:.2f} "
        f"| {spread.low:.2f} to {spread.high:.2f} | {error} | {spread.factor:.2f} | {order} |"
    )


def kinds(name: str, kind: Callable[[Checked], str], head: str) -> str:
    """Return the spread of the rows of a machine by a kind."""
    groups: dict[str, list[float]] = {}
    for row in rows_of(name):
        groups.setdefault(kind(row), []).append(row.ratio)
    lines = [
        f"| {head} | rows | measured / simulated | 5 % to 95 % | median error |",
        "|---|---:|---:|---:|---:|",
    ]
    for each in sorted(groups):
        spread = Spread.of(groups[each])
        error = f"{spread.error:.0%}".replace("%", " %")
        lines.append(
            f"| {each} | {spread.cases} | {spread.median:.2f} "
            f"| {spread.low:.2f} to {spread.high:.2f} | {error} |"
        )
    return "\n".join(lines)


def worst(kept: dict[str, dict[str, Any]]) -> str:
    """Return the table of the algorithms that are farthest off."""
    lines = [
        "| machine | algorithm | rows | measured / simulated | one of them | its critical path |",
        "|---|---|---:|---:|---|---|",
    ]
    for name in TABLES:
        for each in kept[name]["worst"]:
            parts = ", ".join(f"{key} {share:.0%}" for key, share in each["parts"].items())
            lines.append(
                f"| `{name}` | {each['algorithm']} | {each['rows']} | {each['ratio']:.2f} "
                f"| {each['bytes']:,} B over {each['ranks']:,} ranks | {parts} |"
            )
    return "\n".join(lines).replace("%", " %")


def beside() -> str:
    """Return the table of the rows that SMPI was asked for, too."""
    with (HERE / "smpi.csv").open() as file:
        theirs = {
            (row["machine"], row["run"], row["operation"], row["algorithm"], row["bytes"]): float(
                row["ratio"]
            )
            for row in csv.DictReader(file)
        }
    lines = [
        "| machine | rows | SMPI: measured / simulated | median error | ours | median error |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in TABLES:
        pairs = [
            (theirs[key], row.ratio)
            for row in rows_of(name)
            if (key := (name, row.run, row.operation, row.algorithm, str(row.bytes))) in theirs
        ]
        cells = [
            f"{spread.median:.2f} | {spread.error:.0%}"
            for spread in map(Spread.of, zip(*pairs, strict=True))
        ]
        lines.append(f"| `{name}` | {len(pairs)} | {' | '.join(cells)} |")
    return "\n".join(lines).replace("% ", " % ")


KINDS: dict[str, Callable[[str], str]] = {
    "operations": lambda name: kinds(name, lambda row: row.operation, "operation"),
    "algorithms": lambda name: kinds(
        name, lambda row: f"{row.operation} {row.algorithm}", "algorithm"
    ),
    "sizes": lambda name: kinds(name, _size, "size of the result"),
    "ranks": lambda name: kinds(name, lambda row: f"{row.ranks:>4} on {row.nodes} nodes", "ranks"),
}


def tables() -> str:
    """Return the page with the tables of all machines and kinds."""
    parts = [
        "# Measured by simulated times, by machine and kind",
        "Written by `run.py` beside this page. Rows of `lumi-g`, `marenostrum5` and `fugaku` are "
        "simulated with numbers from the other\nruns; costs of MPI on `leonardo` are assumed: see "
        "[the study](README.md).",
    ]
    for name in TABLES:
        parts.append(f"## {name}")
        parts += [make(name) for make in KINDS.values()]
    return "\n\n".join(parts) + "\n"


def _size(row: Checked) -> str:
    for end, words in ((2**15, "1: below 32 KiB"), (2**22, "2: below 4 MiB")):
        if row.bytes < end:
            return words
    return "3: 4 MiB or more"


def coverage() -> str:
    """Return the share of the rows of each run inside intervals that were made without the run."""
    lines = ["| machine | runs | rows | inside | median width |", "|---|---:|---:|---:|---:|"]
    for name in TABLES:
        rows = rows_of(name)
        runs = sorted({row.run for row in rows})
        inside, widths = [], []
        for run in runs:
            others = [row for row in rows if row.run != run]
            for row in (row for row in rows if row.run == run):
                low, high = split_conformal([each.ratio for each in like(row, others)[1]], COVERAGE)
                inside.append(low <= row.ratio <= high)
                widths.append(high / low)
        share = f"{sum(inside) / len(inside):.0%}".replace("%", " %")
        width = sorted(widths)[len(widths) // 2]
        lines.append(f"| `{name}` | {len(runs)} | {len(rows)} | {share} | factor {width:.2f} |")
    return "\n".join(lines)


def draw(path: Path) -> None:
    """Draw the ratios by size."""
    import matplotlib.pyplot as plt  # slow to import

    figure, axes = plt.subplots(1, len(TABLES), figsize=(14, 3.2), sharey=True)
    for axis, name in zip(axes, TABLES, strict=True):
        rows = rows_of(name)
        axis.loglog(
            [row.bytes for row in rows], [row.ratio for row in rows], ".", ms=2.5, alpha=0.5
        )
        axis.axhline(1, color="k", lw=0.8)
        axis.set_title(f"{name}, {len(rows)} rows", fontsize=9)
        axis.set_xlabel("size of the result [B]")
    axes[0].set_ylabel("measured / simulated")
    axes[0].set_ylim(0.1, 30)
    figure.suptitle(
        "Measured collectives beside the analytic engine; fitted numbers are of the other runs",
        fontsize=9,
    )
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Make the tables and the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    folder = parser.parse_args().data
    path = HERE / "results.json"
    if folder is not None:
        path.write_text(json.dumps(simulate_all(folder), indent=1) + "\n")
    kept = json.loads(path.read_text())
    made = {
        "machines": machines(kept),
        "coverage": coverage(),
        "smpi": beside(),
        "worst": worst(kept),
    }
    (HERE / "tables.md").write_text(tables(), encoding="utf-8")
    fill(HERE / "README.md", made)
    draw(HERE / "ratios.png")


if __name__ == "__main__":
    main()
