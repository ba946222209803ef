"""``odonata fit machine``: numbers of a machine with which simulations agree with measurements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata import machine as machines
from odonata import measure, trust
from odonata.cli.options import Json, Machine
from odonata.cli.progress import ProgressBar
from odonata.errors import UserError
from odonata.files import require_writable, write_whole
from odonata.report import Table
from odonata.report.printing import print_line, print_table
from odonata.text import json_document

if TYPE_CHECKING:
    from odonata.measure.fitting import Fit  # imports NumPy

__all__ = ["machine"]


def machine(
    machine: Machine,
    measured: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="Table of measured collectives, CSV, perhaps compressed: run, nodes, "
            "ranks_per_node, collective, algorithm, bytes (of the whole result), median_us.",
        ),
    ],
    nodes: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Host of each rank of each run, CSV: run, rank, host."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Machine file to write."),
    ] = None,
    cases: Annotated[
        int, typer.Option(help="Rows that are simulated again and again, evenly from all.")
    ] = 150,
    leave_out: Annotated[
        bool,
        typer.Option("--leave-out", help="Predict each run with numbers from the other runs, too."),
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Number that stays as the machine has it. Repeat it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find numbers of a machine with which measured collectives are simulated best.

    Found are overheads, the rate of a port, and rates of copies and reductions, each with an
    interval of 90 %. Thresholds of protocols, wires and routers stay as they are: find out first
    what limits a machine, and let the numbers follow.
    """
    if cases < 1:
        raise UserError("--cases: too few", value=cases, allowed="1 or more")
    if output is not None:
        require_writable(output)
        require_writable(_beside(output))
    loaded = machines.load(machine)
    table = trust.read_cases(measured, nodes, loaded)
    with ProgressBar("fit") as bar:
        found = measure.fit_machine(
            loaded,
            table.known,
            most_cases=cases,
            leave_out=leave_out,
            keep=keep or (),
            progress=bar.note_share,
        )
    if output is not None:
        from odonata.trust.checked import text_of  # imports NumPy

        name = output.stem if output.suffix == ".toml" else loaded.name
        rows = _beside(output)
        write_whole(rows, text_of(found.checked()).encode())
        write_whole(output, found.to_toml(name, measured.name, rows.name).encode())
    if as_json:
        typer.echo(json_document(_plain(found, table.unknown), indent=2))
        return
    _print(found, table.unknown)
    if output is not None:
        print_line(f"\nwritten: {output}")


def _beside(output: Path) -> Path:
    """Return the file of the rows that a machine file stands on."""
    from odonata.trust.checked import SUFFIX  # imports NumPy

    return output.with_suffix(SUFFIX)


def _print(found: Fit, unknown: Mapping[str, int]) -> None:
    print_line(f"machine {found.base.name}, {len(found.after.cases)} rows")
    if unknown:
        rows = sum(unknown.values())
        print_line(f"left out: {rows} rows without hosts, or whose algorithm has no counterpart")
    print_line()
    print_table(_numbers(found))
    for one, other in found.alike:
        print_line(f"the rows do not tell {one} from {other}")
    print_line()
    print_table(_spreads(found))


def _numbers(found: Fit) -> Table:
    rows = [
        [
            ", ".join(number.searched.keys),
            _text(found.base, number.searched.keys[0]),
            number.searched.text(number.value),
            f"{number.searched.text(number.low)} to {number.searched.text(number.high)}",
        ]
        for number in found.numbers
    ]
    heads = ("number", "before", "fitted", "90 % of the time")
    return Table(heads, rows, title="Numbers that were found")


def _text(machine: machines.Machine, key: str) -> str:
    number = machine.numbers.get(key)
    return "absent" if number is None else number.text


def _spreads(found: Fit) -> Table:
    rows = {"before": found.before.spread, "fitted": found.after.spread}
    few = found.without_packets()
    if found.packets is not None and few is not None:
        rows |= {"fitted, few packets": few, "the same, packet engine": found.packets.spread}
    rows |= {f"left out: {one.run}": one.predicted.spread for one in found.left_out}
    heads = (
        "numbers",
        "cases",
        "measured / simulated",
        "5 % to 95 %",
        "median error",
        "90 % within",
    )
    return Table(
        heads,
        [
            [
                name,
                str(spread.cases),
                f"{spread.median:.2f}",
                f"{spread.low:.2f} to {spread.high:.2f}",
                f"{spread.error:.1%}",
                f"factor {spread.factor:.2f}",
            ]
            for name, spread in rows.items()
        ],
        title="Measured by simulated times",
    )


def _plain(found: Fit, unknown: Mapping[str, int]) -> dict[str, object]:
    right, pairs = found.after.ranking()
    few = found.without_packets()
    return {
        "machine": found.base.name,
        "numbers": {
            key: {
                "value": number.searched.text(number.value),
                "interval": [
                    number.searched.text(number.low),
                    number.searched.text(number.high),
                ],
            }
            for number in found.numbers
            for key in number.searched.keys
        },
        "alike": [list(pair) for pair in found.alike],
        "before": vars(found.before.spread),
        "fitted": vars(found.after.spread),
        "few_packets": None if few is None else vars(few),
        "packet_engine": None if found.packets is None else vars(found.packets.spread),
        "ranking": {"right": right, "pairs": pairs},
        "left_out": {one.run: vars(one.predicted.spread) for one in found.left_out},
        "without_counterpart": dict(unknown),
    }
