"""``odonata place map``: the order, its file, and what it gains."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from odonata.cli.changes import parse_changes
from odonata.cli.setting import place_as_told, split
from odonata.errors import UserError
from odonata.files import require_writable, write_whole

if TYPE_CHECKING:
    from odonata.decide import BusyLink, RankMapping
    from odonata.machine import Machine
    from odonata.placement import Placement
    from odonata.report import Table

__all__ = ["Wanted", "map_job"]


@dataclass(frozen=True)
class Wanted:
    """A job whose ranks are to be reordered, and what is made of it.

    Parameters
    ----------
    matrix
        File of its communication matrix.
    machine, changes
        Machine and changed numbers.
    nodes
        File of its nodes; None: those of the allocation.
    allocation, mapping, ranks_per_node
        As for a simulation; None ranks a node: as few as fit.
    objective, methods, grid, routing, seed, simulate
        As for `odonata.decide.map_ranks`.
    output
        File of the order; None: none.
    json
        Whether a JSON document is printed.
    """

    matrix: Path
    machine: str
    changes: Sequence[str]
    nodes: Path | None
    allocation: str
    mapping: str
    ranks_per_node: int | None
    objective: str
    methods: str | None
    grid: str | None
    routing: str
    seed: int
    simulate: bool
    output: Path | None
    json: bool


def map_job(wanted: Wanted) -> None:
    """Find the order, write it, and print what it gains and why."""
    from odonata.decide import map_ranks, read_communication
    from odonata.machine import load

    if wanted.output is not None:
        require_writable(wanted.output)
    machine = load(wanted.machine, parse_changes(wanted.changes))
    communication = read_communication(wanted.matrix)
    found = map_ranks(
        communication,
        _place(wanted, machine, communication.ranks),
        objective=wanted.objective,
        methods=None if wanted.methods is None else split("method", wanted.methods),
        grid=None if wanted.grid is None else _grid(wanted.grid),
        routing=wanted.routing,
        seed=wanted.seed,
        simulate=wanted.simulate,
    )
    if wanted.output is not None:
        write_whole(wanted.output, "".join(f"{slot}\n" for slot in found.order).encode())
    if wanted.json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        _print(found)


def _place(wanted: Wanted, machine: Machine, ranks: int) -> Placement:
    from odonata.placement import read_nodes

    listed = [] if wanted.nodes is None else read_nodes(machine, wanted.nodes)
    each = wanted.ranks_per_node
    if each is None:
        each = -(-ranks // len(listed)) if listed else 1
    return place_as_told(
        machine,
        ranks,
        allocation=f"@{wanted.nodes}" if listed else wanted.allocation,
        mapping=wanted.mapping,
        ranks_per_node=each,
        seed=wanted.seed,
    )


def _grid(text: str) -> list[int]:
    if re.fullmatch(r"[0-9]{1,6}(x[0-9]{1,6})*", text) is None:
        raise UserError("grid: not understood", value=text, allowed="processes, as in 16x16x16")
    return [int(part) for part in text.split("x")]


def _print(found: RankMapping) -> None:
    from odonata.report import print_table

    for table in _tables(found):
        print_table(table)
        typer.echo("")
    for method, reason in found.skipped.items():
        typer.echo(f"not tried: {method}, which {reason}")
    typer.echo(sentence(found))


def _tables(found: RankMapping) -> list[Table]:
    from odonata.report import Table
    from odonata.result.overview import seconds

    def row(name: str, before: float | None, after: float | None, how: Any) -> list[str]:
        if before is None or after is None:
            return [name, "not simulated", "", ""]
        change = f"{100 * (after / before - 1):+.1f} %" if before > 0 else ""
        return [name, how(before), how(after), change]

    first, last = found.before, found.after
    part = "" if found.scale == 1 else f", {100 * found.scale:.2g} % of the bytes"
    costs = [
        row("hop-bytes", first.hop_bytes, last.hop_bytes, _bytes),
        row("busiest link", first.max_link_seconds, last.max_link_seconds, seconds),
        row(f"packet engine{part}", first.simulated_seconds, last.simulated_seconds, seconds),
        row(f"analytic engine{part}", first.analytic_seconds, last.analytic_seconds, seconds),
    ]
    classes = [row(c.link_class, c.before, c.after, _bytes) for c in found.classes]
    busy = [
        [when, link.link_class, link.ends, _bytes(link.bytes), seconds(link.seconds)]
        for when, links in (("before", found.busiest_before), ("after", found.busiest_after))
        for link in links
    ]
    how = _bytes if found.objective == "hop-bytes" else seconds
    tried = [[name, how(cost)] for name, cost in found.tried.items()]
    return [
        Table(["cost", "before", "after", "change"], costs),
        Table(["bytes on links", "before", "after", "change"], classes),
        Table(["busiest", "class", "link", "bytes", "time"], busy, left=3),
        Table(["method", found.objective], tried),
    ]


def _bytes(number: float) -> str:
    return f"{number:,.0f} B"


def sentence(found: RankMapping) -> str:
    """Return in words what the order gains, and which links it unloads."""
    if found.method == "start":
        return f"No method finds a better order by {found.objective}: the ranks stay as they are."
    parts = [
        f"The order of method {found.method} saves {100 * found.gain:.1f} % of {found.objective}."
    ]
    eased = max(found.classes, key=lambda change: change.before - change.after)
    if eased.before > eased.after:
        share = 100 * (1 - eased.after / eased.before)
        parts.append(f"{eased.link_class.capitalize()} links carry {share:.0f} % fewer bytes.")
    if found.busiest_before and found.busiest_after:
        before, after = found.busiest_before[0], found.busiest_after[0]
        parts.append(
            f"The busiest link needs {_milliseconds(after)} ({after.link_class}) where it was "
            f"{_milliseconds(before)} ({before.link_class}, {before.ends})."
        )
    return " ".join(parts)


def _milliseconds(link: BusyLink) -> str:
    return f"{1e3 * link.seconds:.4g} ms"
