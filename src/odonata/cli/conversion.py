"""``odonata trace convert``: traces of other tools as ours, and ours as theirs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from odonata import interchange, report
from odonata.interchange.report import Coverage
from odonata.quiet import note
from odonata.report.printing import print_line, print_table
from odonata.result.overview import count, part
from odonata.text import for_table, json_document

__all__ = ["as_ours", "convert_trace", "list_formats"]


@contextmanager
def as_ours(path: Path) -> Iterator[Path]:
    """Yield a trace of ours: the file itself, or a temporary one made of another format.

    Parameters
    ----------
    path
        The trace; a file of no known format is yielded as it is.
    """
    from odonata.interchange.native import is_native  # imports NumPy

    known = None
    if path.exists() and not is_native(path):
        known = next(
            (one for one in interchange.FORMATS.values() if one.read and one.recognise(path)), None
        )
    if known is None or known.read is None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="odonata-") as folder:
        made = Path(folder) / f"{path.name.split('.')[0]}.trace"
        account = known.read(path, made)
        left = [f"{number} {reason}" for reason, number in account.left_out.items()]
        note(f"{path}: converted from {known.name} for this run")
        changed = [f"{number} {what}" for what, number in account.changed.items()]
        for line in (*left, *changed, *account.notes):
            note(line)
        yield made


def convert_trace(
    source: Path,
    target: Path,
    from_format: str | None,
    to_format: str | None,
    machine: str | None = None,
    *,
    as_json: bool,
) -> None:
    """Convert a trace and print the account.

    Parameters
    ----------
    source, target
        Files or folders.
    from_format, to_format
        Names of formats; None: as the contents or the name say.
    machine
        Machine whose times of reducing and copying a schedule has; None: as the trace says.
    as_json
        Print one JSON document.
    """
    account = interchange.convert(
        source, target, from_format=from_format, to_format=to_format, machine=machine
    )
    if account.losses:
        note(f"{target} differs from {source}: {account.losses}")
    if as_json:
        typer.echo(json_document(account.plain(), indent=2))
    else:
        _print(account, source, target)


def list_formats(*, as_json: bool) -> None:
    """Print the formats of traces.

    Parameters
    ----------
    as_json
        Print one JSON document.
    """
    ways = {
        name: [way for way in ("read", "write") if getattr(known, way) is not None]
        for name, known in interchange.FORMATS.items()
    }
    if as_json:
        document = {
            name: {"ways": ways[name], "summary": known.summary}
            for name, known in interchange.FORMATS.items()
        }
        typer.echo(json.dumps(document, indent=2))
        return
    rows = [
        [name, ", ".join(ways[name]), known.summary] for name, known in interchange.FORMATS.items()
    ]
    print_table(report.Table(["format", "", "files"], rows, left=3))


def _print(account: interchange.Conversion, source: Path, target: Path) -> None:
    rows = [
        ["from", f"{source} ({account.source})"],
        ["to", f"{target} ({account.target})"],
        ["ranks", count(account.ranks)],
        ["calls", count(account.calls)],
    ]
    if account.coverage is not None and account.coverage.share is not None:
        rows.append(["coverage", _coverage_line(account.coverage)])
    print_table(report.Table(["trace", ""], rows, left=2))
    if account.coverage is not None and account.coverage.share is not None:
        print_line()
        _print_coverage(account.coverage)
    for title, counted in (
        ("left out", account.left_out),
        ("written in another way", account.changed),
        ("unknown record", account.unknown),
    ):
        if counted:
            print_line()
            shown = [[reason, count(number)] for reason, number in counted.items()]
            print_table(report.Table([title, "calls"], shown, left=1))
    for told in account.notes:
        print_line(f"\n{for_table(told)}.")


def _coverage_line(coverage: Coverage) -> str:
    share = coverage.share or 0.0
    return (
        f"{100 * share:.3g} %: {count(coverage.num_recorded)} of {count(coverage.num_called)} "
        "calls are recorded"
    )


def _print_coverage(coverage: Coverage) -> None:
    names = sorted(
        {*coverage.called, *coverage.recorded},
        key=lambda name: (-coverage.called.get(name, 0), name),
    )
    rows = []
    for name in names:
        called, recorded = coverage.called.get(name, 0), coverage.recorded.get(name, 0)
        rows.append([name, count(called), count(recorded), part(recorded, called)])
    print_table(report.Table(["function", "called", "recorded", ""], rows, left=1))
