"""Accepted loads of balanced dragonflies at saturation, and fluid bounds: results.json, README.

Run it as ``python validation/saturation/run.py``; finished rows of results.json are kept.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from odonata import machine, placement, simulate, workload
from odonata.machine import Machine

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

HERE = Path(__file__).parent
SHAPES = ((2, 4, 2), (4, 8, 4), (6, 12, 6))
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
WINDOW = {"nic.window": "8 KiB"}  # of every node: part of the machine, not of a case
VARIANTS = {
    "": {},
    "16 KiB window": {"nic.window": "16 KiB"},
    "no window": {"nic.window": "0 B"},
    "no window, 64 KiB buffers": {"nic.window": "0 B", "links.*.buffer": "64 KiB"},
}


def dragonfly(p: int, a: int, h: int, changes: dict[str, str]) -> Machine:
    """Return a balanced dragonfly, all of whose links have one rate, with windows at its NICs."""
    shape: dict[str, int | str] = {
        "shape.nodes_per_router": p,
        "shape.routers_per_group": a,
        "shape.global_links_per_router": h,
        "shape.groups": a * h + 1,
        "links.global.bandwidth": "5.25 GB/s",
    }
    for key, value in (WINDOW | changes).items():
        kinds = ("injection", "local", "global") if "*" in key else ("",)
        shape |= {key.replace("*", kind): value for kind in kinds}
    return machine.load("dragonfly-5256", shape)


def accepted(built: Machine, routing: str, pattern: str, messages: int) -> float:
    """Return the load that the machine accepts when every node offers all it can."""
    offered = workload.Traffic(pattern, load=1.0, messages_per_rank=messages)
    job = simulate.Job(offered, placement.place(built, built.num_nodes))
    run = simulate.run(built, [job], simulate.Options(routing=routing, seed=7))
    load = run.summary["accepted_load"]
    assert isinstance(load, float)
    return load


def rows() -> list[dict[str, object]]:
    """Measure what results.json does not hold yet."""
    path = HERE / "results.json"
    kept = json.loads(path.read_text()) if path.exists() else []
    done = {(*row["shape"], row["routing"], row["pattern"], row["variant"]) for row in kept}
    for shape in SHAPES:
        for routing, pattern in OBLIVIOUS + ADAPTIVE:
            for variant, changes in VARIANTS.items():
                if (*shape, routing, pattern, variant) in done:
                    continue
                if not wanted(shape, (routing, pattern), variant):
                    continue
                kept.append(row(shape, routing, pattern, variant, changes))
                path.write_text(json.dumps(kept, indent=1) + "\n")
    return kept


def wanted(shape: tuple[int, int, int], case: tuple[str, str], variant: str) -> bool:
    """Say whether a variant is worth its time: buffers and windows where there is a bound."""
    if variant in ("", "no window"):
        return True
    return shape != SHAPES[-1] and case in OBLIVIOUS


def row(
    shape: tuple[int, int, int], routing: str, pattern: str, variant: str, changes: dict[str, str]
) -> dict[str, object]:
    """Measure one case."""
    built = dragonfly(*shape, changes)
    bound = None
    if (routing, pattern) in OBLIVIOUS:
        kind, _, shift = pattern.partition("+")
        number = shape[2] if shift == "h" else int(shift or 1)
        bound = built.fluid_bound(routing, kind, shift=number)
    messages = 200 if shape == SHAPES[-1] else 1000
    return {
        "shape": shape,
        "routing": routing,
        "pattern": pattern,
        "variant": variant,
        "bound": bound,
        "accepted": accepted(built, routing, pattern, messages),
    }


def table(results: list[dict[str, object]]) -> str:
    """Return the rows as Markdown: by shape and case, the machine itself before its variants."""
    cases, variants = OBLIVIOUS + ADAPTIVE, list(VARIANTS)
    results = sorted(
        results,
        key=lambda r: (
            SHAPES.index(tuple(r["shape"])),  # type: ignore[arg-type]
            cases.index((str(r["routing"]), str(r["pattern"]))),
            variants.index(str(r["variant"])),
        ),
    )
    lines = ["| (p, a, h) | routing | pattern | variant | bound | accepted | share |"]
    lines.append("|---|---|---|---|---|---|---|")
    for r in results:
        bound, got = r["bound"], r["accepted"]
        known = f"{bound:.4f} | {got:.4f} | {got / bound:.3f}" if bound else f"- | {got:.4f} | -"
        name = ", ".join(map(str, r["shape"]))  # type: ignore[call-overload]
        lines.append(f"| {name} | {r['routing']} | {r['pattern']} | {r['variant']} | {known} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and put the table between the marks of the README."""
    fill(HERE / "README.md", {"table": table(rows())})


if __name__ == "__main__":
    main()
