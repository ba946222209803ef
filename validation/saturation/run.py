"""Accepted loads of balanced dragonflies at saturation, and fluid bounds: results.json, README.

Run it as ``python validation/saturation/run.py``: the study of study.toml, which is resumed if it
was interrupted.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from odonata import machine
from odonata.study import Study

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

HERE = Path(__file__).parent
SHAPES = ((2, 4, 2), (4, 8, 4), (6, 12, 6))
SHAPE = (
    *("shape.nodes_per_router", "shape.routers_per_group", "shape.global_links_per_router"),
    "shape.groups",
)
OBLIVIOUS = (
    ("minimal", "adversarial+1"),
    ("valiant", "adversarial+1"),
    ("valiant", "adversarial+h"),
    ("valiant", "uniform"),
)
ADAPTIVE = tuple(
    (routing, pattern)
    for pattern in ("adversarial+1", "adversarial+h", "uniform")
    for routing in ("ugal-l", "ugal-g", "par")
)
VARIANTS = {
    ("8 KiB", False): "",
    ("16 KiB", False): "16 KiB window",
    ("0 B", False): "no window",
    ("0 B", "64 KiB"): "no window, 64 KiB buffers",
}
"""Variants by window and buffers."""

Row = dict[str, Any]


def bound(words: Mapping[str, Any]) -> float | None:
    """Return the fluid bound of a run; None: adaptive routings have none."""
    if (words["routing"], words["pattern"]) not in OBLIVIOUS:
        return None
    kind, _, shift = words["pattern"].partition("+")
    shape = {key: words[f"set.{key}"] for key in SHAPE}
    built = machine.load("dragonfly-5256", {"links.global.bandwidth": "5.25 GB/s", **shape})
    number = built.value(SHAPE[2]) if shift == "h" else int(shift or 1)
    return built.fluid_bound(words["routing"], kind, shift=number)


def rows(study: Study) -> list[Row]:
    """Return what results.json holds of each run, in the order of the study."""
    found = []
    for run in study.rows():
        words = study.columns_of(run)
        limits = words["set.nic.window"], words["set.links.local.buffer"]
        found.append(
            {
                "shape": [words[f"set.{key}"] for key in SHAPE[:3]],
                "routing": words["routing"],
                "pattern": words["pattern"],
                "variant": VARIANTS[limits],
                "bound": bound(words),
                "accepted": words["accepted_load"],
            }
        )
    return found


def table(results: list[Row]) -> str:
    """Return the rows as Markdown: by shape and case, the machine itself before its variants."""
    cases, variants = OBLIVIOUS + ADAPTIVE, [*VARIANTS.values()]
    results = sorted(
        results,
        key=lambda r: (
            SHAPES.index(tuple(r["shape"])),
            cases.index((str(r["routing"]), str(r["pattern"]))),
            variants.index(str(r["variant"])),
        ),
    )
    lines = ["| (p, a, h) | routing | pattern | variant | bound | accepted | share |"]
    lines.append("|---|---|---|---|---|---|---|")
    for r in results:
        bound, got = r["bound"], r["accepted"]
        known = f"{bound:.4f} | {got:.4f} | {got / bound:.3f}" if bound else f"- | {got:.4f} | -"
        name = ", ".join(map(str, r["shape"]))
        lines.append(f"| {name} | {r['routing']} | {r['pattern']} | {r['variant']} | {known} |")
    return "\n".join(lines)


def main() -> None:
    """Make the missing runs, and put the table between the marks of the README."""
    command = ["odonata", "study", "run", HERE / "study.toml", "-o", HERE / "runs"]
    subprocess.run([sys.executable, "-m", *command], check=True)
    results = rows(Study(HERE / "runs"))
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    fill(HERE / "README.md", {"table": table(results)})


if __name__ == "__main__":
    main()
