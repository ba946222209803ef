"""``odonata machines import`` and ``congestion``: fabrics of clusters, and flows on their links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from odonata import machine, report
from odonata.errors import UserError
from odonata.files import write_whole
from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.findings import Findings, find
from odonata.machine.fabric.importing import Assumed, machine_text, read_any, with_usual
from odonata.machine.fabric.names import plain
from odonata.report.printing import print_line, print_list
from odonata.text import for_table

if TYPE_CHECKING:
    from odonata.machine.congestion import Congestion  # types alone
    from odonata.machine.fabric.routes_file import Tables  # types alone

__all__ = ["Imported", "import_fabric", "listed", "print_congestion", "print_findings"]

MOST_SHOWN = 12
"""Findings of a kind that are printed; --json has more."""


class Imported:
    """Files of a fabric that are read.

    Parameters
    ----------
    source
        The fabric.
    form
        Its format; None: by its beginning.
    lfts, sl2vl, service_levels
        Forwarding tables, lanes, and levels; None: not given.
    """

    def __init__(
        self,
        source: Path,
        form: str | None,
        lfts: Path | None,
        sl2vl: Path | None,
        service_levels: Path | None,
    ) -> None:
        self.source = source
        self.form = form
        self.lfts = lfts
        self.sl2vl = sl2vl
        self.service_levels = service_levels
        for option, path in (("--sl2vl", sl2vl), ("--service-levels", service_levels)):
            if path is not None and lfts is None:
                raise UserError(f"{option}: only with --lfts FILE", value=str(path))

    def tables(self, fabric: Fabric) -> Tables | None:
        """Return the routes of the fabric, if files have some."""
        if self.lfts is None:
            return None
        from odonata.machine.fabric import lanes  # imports NumPy
        from odonata.machine.fabric.forwarding import read_forwarding  # imports NumPy
        from odonata.machine.fabric.routes_file import tables_of  # imports NumPy

        return tables_of(
            fabric,
            read_forwarding(self.lfts),
            None if self.service_levels is None else lanes.read_service_levels(self.service_levels),
            None if self.sl2vl is None else lanes.read_lane_maps(self.sl2vl),
        )


def import_fabric(
    files: Imported,
    output: Path,
    name: str | None,
    assumed: Assumed,
    changes: Mapping[str, object],
) -> tuple[machine.Machine, Findings, Tables | None]:
    """Read a fabric and write its machine file, beside it the fabric and its routes.

    Parameters
    ----------
    files
        Files to read.
    output
        Machine file to write.
    name
        Name of the machine; None: as the file.
    assumed
        Facts that files do not say.
    changes
        Values by dotted key in the place of defaults.

    Raises
    ------
    UserError
        A file is wrong; nothing is written.
    """
    if output.suffix != ".toml":
        raise UserError("--output: not a machine file", value=str(output), allowed="NAME.toml")
    read = read_any(files.source, files.form, assumed)
    fabric = with_usual(read, assumed)
    tables = files.tables(fabric)
    beside = {"shape.fabric": output.with_suffix(".fabric").name}
    if tables is not None:
        beside["shape.routes"] = output.with_suffix(".routes").name
    text, fabric_text = machine_text(
        fabric,
        name=name or plain(output.stem)[:64] or "fabric",
        source=files.source.name,
        assumed=assumed,
        files=beside,
        changes=changes,
    )
    if tables is not None:
        from odonata.machine.fabric.routes_file import encode  # imports NumPy

        write_whole(output.with_suffix(".routes"), encode(fabric, tables))
    write_whole(output.with_suffix(".fabric"), fabric_text.encode("ascii"))
    write_whole(output, text.encode())
    return machine.load(output), find(read), tables


def print_findings(found: Findings, tables: Tables | None) -> None:
    """Print the facts about a fabric.

    Parameters
    ----------
    found
        The facts.
    tables
        Its routes, if it has some.
    """
    hosts = ", ".join(f"{n} with {ports}" for ports, n in found.adapters_of_hosts.items())
    kinds = ", ".join(
        f"{n} {'of assumed rate' if kind == '-' else kind}" for kind, n in found.link_kinds.items()
    )
    lines = [
        ("hosts", f"{found.hosts}, by adapters: {hosts}"),
        ("adapters", str(found.adapters)),
        ("switches", f"{found.switches}, {found.switch_links} cables between them"),
        ("cables", kinds),
        (
            "leaves with fewer uplinks",
            listed([f"{n} {a} of {b}" for n, a, b in found.few_uplinks]),
        ),
        ("slow cables", listed([f"{a} - {b} {k} of {f}" for a, b, k, f in found.slow_links])),
        (
            "parts that are cut off",
            listed([f"{len(part)} switches with {part[0]}" for part in found.parts[1:]]),
        ),
        ("names given twice", listed(found.duplicate_names)),
    ]
    if tables is not None:
        several = f"{tables.paths} addresses an adapter (LMC); shape.addresses chooses one"
        lines.append(("routes", "one address an adapter" if tables.paths == 1 else several))
        lines.append(("switches without table", listed(list(tables.missing_switches))))
        lines.append(("adapters without address", listed(list(tables.missing_adapters))))
        if tables.levels is not None:
            lines.append(("pairs without service level", str(tables.missing_levels)))
    print_list(report.Table(["what", "found"], [list(line) for line in lines], left=2), head=False)


def listed(found: list[str]) -> str:
    """Return the first names of a list, and how many more there are.

    Parameters
    ----------
    found
        The names.
    """
    if not found:
        return "none"
    more = f", and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    return for_table(", ".join(found[:MOST_SHOWN]) + more)


def print_congestion(found: Congestion) -> None:
    """Print the flows on links.

    Parameters
    ----------
    found
        The flows.
    """
    rows = [
        ("pattern", found.pattern),
        ("routing", found.routing),
        ("adapters", str(found.adapters)),
        ("flows", f"{found.flows}, {found.unreachable} pairs without a route"),
        ("most flows on a link", str(found.most_flows)),
        ("links with more than one", f"{found.links_with_more_than_one:g}"),
        ("links used", f"{found.links_used:g}"),
    ]
    if found.effective_bandwidth is not None:
        mean = f"{found.effective_bandwidth:.4f} of a link, mean over flows"
        if found.samples > 1:
            mean += f" of {found.samples} random bisections"
        rows.append(("effective bandwidth", mean))
    print_list(report.Table(["what", "found"], [list(row) for row in rows], left=2), head=False)
    print_line()
