"""Other simulators beside ours: writes ours.json, the tables and the figure.

``python validation/other-simulators/run.py`` runs the cases of theirs.json that ours.json lacks,
traffic with five seeds each; ``--commands`` prints the command of every case instead.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import tables
from cases import LOOK_AHEAD, SEEDS, Case, ring_command, ring_ns, waits
from figure import draw

from odonata.study import make_cases

HERE = Path(__file__).parent
OURS = HERE / "ours.json"
Side = dict[str, list[dict[str, object]]]


def theirs() -> Side:
    """Return what the other simulators gave: rows of traffic, and rings."""
    side: Side = json.loads((HERE / "theirs.json").read_text())
    return side


def ours(given: Side) -> Side:
    """Return our side of every case, after the runs that are missing."""
    kept: Side = json.loads(OURS.read_text()) if OURS.exists() else {"rows": [], "rings": []}
    done = {Case.of(row["case"]) for row in kept["rows"]}  # type: ignore[arg-type]
    missing = {repr(case): case for case in cases(given) if case not in done}

    def row(case: str) -> dict[str, object]:
        runs = [waits(missing[case], seed) for seed in SEEDS]
        return {key: [round(run[key], 5) for run in runs] for key in runs[0]}

    for made in make_cases(HERE / "runs" / "traffic", row, [{"case": name} for name in missing]):
        kept["rows"].append({**made, "case": missing[made["case"]].record()})
    known = [row["ranks"] for row in kept["rings"]]
    sizes = [{"ranks": ranks} for ranks in ring_sizes(given) if ranks not in known]
    kept["rings"] += make_cases(HERE / "runs" / "rings", ring, sizes)
    save(kept)
    return kept


def ring(ranks: int) -> dict[str, object]:
    """Return the times of a ring, without and with CODES's look-ahead."""
    return {"time_ns": ring_ns(ranks, {}), "with_look_ahead_ns": ring_ns(ranks, LOOK_AHEAD)}


def cases(given: Side) -> list[Case]:
    """Return the cases of traffic, each once."""
    return list(dict.fromkeys(Case.of(row["case"]) for row in given["rows"]))  # type: ignore[arg-type]


def ring_sizes(given: Side) -> list[int]:
    """Return the ranks of the rings."""
    return [int(row["ranks"]) for row in given["rings"]]  # type: ignore[call-overload]


def save(kept: Side) -> None:
    """Write the findings so far, a line a case."""
    parts = [
        f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]"
        for name, rows in kept.items()
    ]
    OURS.write_text("{\n" + ",\n".join(parts) + "\n}\n")


def main() -> None:
    """Measure missing rows, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", action="store_true", help="print the command of every case")
    given = theirs()
    if parser.parse_args().commands:
        for case in cases(given):
            print(case.command())
        for ranks in ring_sizes(given):
            print(ring_command(ranks, {}))
            print(ring_command(ranks, LOOK_AHEAD))
        return
    results = ours(given)
    tables.write(results, given, HERE / "README.md")
    draw(results["rows"], given["rows"], HERE / "waits.png")


if __name__ == "__main__":
    main()
