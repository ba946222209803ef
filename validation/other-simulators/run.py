"""Waiting times of other simulators beside ours: writes ours.json, the tables and the figure.

``python validation/other-simulators/run.py`` runs the cases of theirs.json that ours.json lacks,
with five seeds each; ``--commands`` prints the command of every case instead.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import tables
from cases import SEEDS, Case, waits
from figure import draw

HERE = Path(__file__).parent
OURS = HERE / "ours.json"


def theirs() -> list[dict[str, object]]:
    """Return what the other simulators gave, a row a case and simulator."""
    rows: list[dict[str, object]] = json.loads((HERE / "theirs.json").read_text())["rows"]
    return rows


def ours() -> list[dict[str, object]]:
    """Return our side of every case, after the runs that are missing."""
    kept = json.loads(OURS.read_text()) if OURS.exists() else []
    done = {Case.of(row["case"]) for row in kept}
    for case in dict.fromkeys(Case.of(row["case"]) for row in theirs()):  # type: ignore[arg-type]
        if case in done:
            continue
        runs = [waits(case, seed) for seed in SEEDS]
        means = {key: [round(run[key], 5) for run in runs] for key in runs[0]}
        kept.append({"case": case.record(), **means})
        OURS.write_text(json.dumps(kept, indent=1) + "\n")
    return kept


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", action="store_true", help="print the command of every case")
    if parser.parse_args().commands:
        for case in dict.fromkeys(Case.of(row["case"]) for row in theirs()):  # type: ignore[arg-type]
            print(case.command())
        return
    results = ours()
    tables.write(results, theirs(), HERE / "README.md")
    draw(results, theirs(), HERE / "waits.png")


if __name__ == "__main__":
    main()
