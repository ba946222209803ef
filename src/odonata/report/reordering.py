"""The table of topologies whose ranks the mapper has ordered."""

from __future__ import annotations

import json

from odonata.report.table import Table
from odonata.result import Result
from odonata.result.overview import seconds
from odonata.units import Written

__all__ = ["reordering_table"]


def reordering_table(result: Result) -> Table | None:
    """Return a line for each topology that a program created under a mapper; None without one.

    Parameters
    ----------
    result
        A run of a program.
    """
    provenance = result.run.provenance
    if "reordered" not in provenance:
        return None
    rows = []
    for made in json.loads(provenance["reordered"]):
        cost = _bytes if made["objective"] == "hop-bytes" else seconds
        grid = "x".join(map(str, made["grid"]))
        rows.append(
            [
                made["function"] + (f" {grid}" if grid else ""),
                made["method"],
                f"{made['ranks']} of {made['of']}",
                str(made["times"]),
                str(made["moved"]),
                cost(made["before"]),
                cost(made["after"]),
                Written(f"{100 * made['gain']:.1f} %", 100 * made["gain"], "%"),
            ]
        )
    if not rows:
        rows = [["none asked the mapper", *[""] * 7]]
    columns = ["topology", "method", "ranks", "times", "moved", "before", "after", "gain"]
    return Table(columns, rows, left=2, title=f"order of ranks by {provenance['mapper']}")


def _bytes(number: float) -> str:
    return Written(f"{number:,.0f} B", number, "B")
