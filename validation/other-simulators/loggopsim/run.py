"""Times that LogGOPSim and Odonata give the same schedules.

    python validation/other-simulators/loggopsim/run.py
    python validation/other-simulators/loggopsim/run.py --loggopsim PATH

The second runs LogGOPSim, which is not shipped (spcl/LogGOPSim), and writes theirs.json.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from schedules import LATENCY, machine, schedules

import odonata
from odonata.interchange import convert

HERE = Path(__file__).parent
OVERHEADS = {"without overhead": 0, "with overhead": 1500}
"""o [ns]: none, and LogGOPSim's default; the gap g is o, which hides it."""


def ours(path: Path, ranks: int, overhead: int) -> float:
    """Return our time [ns]."""
    convert(path, path.with_suffix(".trace"))
    result = odonata.replay(path.with_suffix(".trace"), machine(ranks, overhead), engine="analytic")
    return float(result.summary["time_seconds"]) * 1e9


def theirs(path: Path, program: Path, overhead: int) -> int:
    """Return LogGOPSim's time [ns]."""
    binary = path.with_suffix(".bin")
    convert(path, binary, to_format="goal-binary")
    settings = {"L": LATENCY, "o": overhead, "g": overhead, "G": 0, "S": 2**30, "f": binary}
    words: list[object] = [program, "-b"]
    for letter, value in settings.items():
        words += [f"-{letter}", value]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
    found = re.search(r"finishing time at host \d+: (\d+)", done.stdout)
    if found is None:
        raise SystemExit(done.stdout)
    return int(found[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loggopsim", type=Path, help="runs this program")
    given = parser.parse_args()
    known = {} if given.loggopsim else json.loads((HERE / "theirs.json").read_text())["times_ns"]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for title, path, ranks in schedules(Path(name)):
            if given.loggopsim:
                known[title] = [theirs(path, given.loggopsim, o) for o in OVERHEADS.values()]
            rows.append((title, known[title], [ours(path, ranks, o) for o in OVERHEADS.values()]))
    if given.loggopsim:
        note = {"program": "spcl/LogGOPSim 76451de", "L": LATENCY, "o": list(OVERHEADS.values())}
        document = {"settings": note, "times_ns": known}
        (HERE / "theirs.json").write_text(json.dumps(document, indent=2) + "\n")
    print(
        "| schedule | o = 0: LogGOPSim | Odonata | o = 1500 ns: LogGOPSim | Odonata | difference |"
    )
    print("|:--|--:|--:|--:|--:|--:|")
    for title, (none, some), (own_none, own_some) in rows:
        difference = 100 * (own_some / some - 1)
        shown = "0" if abs(own_some - some) < 1 else f"{difference:+.1f} %"
        print(f"| {title} | {none:,} | {own_none:,.0f} | {some:,} | {own_some:,.0f} | {shown} |")
    worst = max(abs(own[0] - their[0]) for _, their, own in rows)
    equal = sum(abs(own[1] - their[1]) < 1 for _, their, own in rows)
    print(f"\nwithout overhead within {worst:.3f} ns; with it {equal} of {len(rows)} equal")
    return 0 if worst < 1 else 1


if __name__ == "__main__":
    sys.exit(main())
