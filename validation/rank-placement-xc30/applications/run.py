"""Make the runs that `results.json` lacks, then the tables of the page and the figure.

``--only "fft 768"`` makes the runs whose name begins so, ``--only none`` draws the present results.
"""

from __future__ import annotations

import argparse
import fcntl
import json
from collections.abc import Sequence
from pathlib import Path

import page
from cases import all_cases, run

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"


def kept() -> dict[str, dict[str, object]]:
    """Return the results that are there, by the name of their case."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(key: str, row: dict[str, object]) -> None:
    """Add a result; several processes may do so at once."""
    with (HERE / "results.json.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = kept() | {key: row}
        ordered = {case.key: rows[case.key] for case in all_cases() if case.key in rows}
        lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in ordered.items()]
        RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the runs that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="begin of the names of the cases to run")
    only = parser.parse_args(arguments).only
    for case in all_cases():
        if case.key.startswith(only) and case.key not in kept():
            keep(case.key, run(case))
            print(case.key, flush=True)
    page.write(list(kept().values()))


if __name__ == "__main__":
    main()
