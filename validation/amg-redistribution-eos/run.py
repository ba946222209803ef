"""Run the study again: all runs that results.json doesn't have, the figures, and the tables.

`python run.py` runs all missing cases, `--first "12x12x12 | 128"` cases whose names begin so;
`--draw` makes no runs. Results are kept after each run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import cases
import patterns

from odonata.files import write_whole

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
Row = dict[str, object]


def measure(case: cases.Case) -> Row:
    """Run a case and return what the tables need of it."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "amg.json"
        command = case.command()
        command[command.index("--json") : command.index("--json")] = [
            "--program-output", str(output)]  # fmt: skip
        program = [sys.executable, "-c", "from odonata.cli import main; main()"]
        done = subprocess.run([*program, *command[1:]], capture_output=True, text=True, check=False)
        ended_early = case.iterations and "not converged in" in done.stderr
        if done.returncode and not ended_early:
            raise SystemExit(f"{case.key}: {done.stderr}")
        return row_of(json.loads(output.read_text(encoding="utf-8")))


def row_of(document: dict[str, object]) -> Row:
    """Return the numbers to keep of a document of ``odonata-amg``."""
    row: Row = {key: document[key] for key in ("iterations", "setup_seconds", "solve_seconds")}
    found = document.get("redistribution")
    if isinstance(found, dict):
        row |= {key: found[key] for key in ("level", "groups", "gain")}
        row["levels"] = [level_of(level) for level in found["levels"]]
    return row


def level_of(level: dict[str, object]) -> Row:
    """Return the numbers to keep of a level: its counts, and the model's times."""
    kept: Row = {
        "rows": level["rows"],
        "nnz_per_row": round(float(str(level["nnz_per_row"])), 2),
        "active": level["active_ranks"],
        "sends": level["max_sends"],
        "values": level["max_values_sent"],
    }
    if level.get("no_switch_seconds") is not None:
        seconds = level["switch_seconds"]
        kept["no_switch_us"] = round(1e6 * float(str(level["no_switch_seconds"])), 2)
        assert isinstance(seconds, dict)
        kept["switch_us"] = {c: round(1e6 * s, 2) for c, s in seconds.items()}
        kept |= {key: level[key] for key in ("groups", "gain", "excluded", "reason")}
    return kept


def save(rows: dict[str, Row]) -> None:
    """Write the findings so far, a line a run."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(rows[key])}" for key in sorted(rows))
    write_whole(RESULTS, f"{{\n{lines}\n}}\n".encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", default="", help="what the names of the runs begin with")
    parser.add_argument("--draw", action="store_true", help="make no runs")
    asked = parser.parse_args()
    rows = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for switch in () if asked.draw else patterns.SWITCHES:
        key = f"figure 9 | {switch}"
        if key not in rows and key.startswith(asked.first):
            rows[key] = patterns.measure(switch, HERE / f"patterns-{switch.replace(':', '-')}.png")
            save(rows)
    for case in () if asked.draw else cases.every():
        if case.key in rows or not case.key.startswith(asked.first):
            continue
        rows[case.key] = measure(case)
        print(case.key, {k: v for k, v in rows[case.key].items() if k != "levels"}, flush=True)
        save(rows)
    import tables

    tables.write(rows, HERE / "README.md")


if __name__ == "__main__":
    main()
