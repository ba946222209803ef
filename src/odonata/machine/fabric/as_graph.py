"""Machine files of the family graph for fabrics that were made of other machines.

All numbers of the machine that a graph has, too, stay with their sources: links, NICs, software.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from odonata.errors import UserError
from odonata.files import write_whole
from odonata.machine.fabric.fabric import USUAL, Fabric, write_fabric
from odonata.machine.fabric.importing import names_hosts
from odonata.machine.files import check_name
from odonata.machine.machine import Machine
from odonata.machine.schema import keys_of
from odonata.machine.writing import NewNumber, kept, quoted, table_lines

if TYPE_CHECKING:
    from odonata.machine.fabric.routes_file import Tables  # types alone

__all__ = [
    "Routes",
    "as_kinds",
    "check_output",
    "engine_of",
    "graph_text",
    "require_one_rail",
    "write_graph",
]

INJECTION = "injection"
_OF_A_FABRIC = ("shape.lanes", "shape.addresses")
_DROPPED = ("faults", "shape", "names", "checked")
_PORTS = ("nic.ports", "nic.routers")
_COMPUTED = "computed by OpenSM {} with {}, over ibsim"
_ENGINE = re.compile(r"computed by OpenSM \S+ with (\S+), over ibsim")


@dataclass(frozen=True)
class Routes:
    """Tables of a fabric, and where they come from.

    Parameters
    ----------
    tables
        The tables.
    version, engine
        Version of OpenSM, and its routing engine.
    """

    tables: Tables
    version: str
    engine: str

    @property
    def source(self) -> str:
        """Source of the tables, as a machine file has it."""
        return _COMPUTED.format(self.version, self.engine)


def engine_of(machine: Machine) -> str | None:
    """Return the engine of OpenSM that computed the tables of a machine; None: another origin.

    Parameters
    ----------
    machine
        The machine.
    """
    routes = machine.numbers.get("shape.routes")
    found = _ENGINE.fullmatch(routes.source) if routes else None
    return found[1] if found else None


def require_one_rail(machine: Machine) -> None:
    """Refuse machines whose nodes have routers of their own, which a fabric has not.

    Parameters
    ----------
    machine
        The machine.

    Raises
    ------
    UserError
        The machine has rails.
    """
    if machine.num_adapters:
        raise UserError(
            f"{machine.name}: a machine with shape.rails cannot become a graph", allowed="one rail"
        )


def check_output(output: Path) -> None:
    """Refuse the name of a file that is not a machine's.

    Parameters
    ----------
    output
        The file.

    Raises
    ------
    UserError
        Its name has another suffix, or no machine may be called so.
    """
    if output.suffix != ".toml":
        raise UserError("--output: not a machine file", value=str(output), allowed="NAME.toml")
    check_name(output.stem, str(output))


def write_graph(
    output: Path, machine: Machine, fabric: Fabric, *, description: str, routes: Routes | None
) -> None:
    """Write a machine file, beside it the fabric and its routes.

    Parameters
    ----------
    output
        Machine file to write.
    machine
        The machine that the fabric was made of.
    fabric
        The fabric, with the machine's classes of links as kinds.
    description
        Description of the new machine.
    routes
        Tables; None: the machine has none.

    Raises
    ------
    UserError
        The output is not a machine file.
    """
    check_output(output)
    named = output.with_suffix(".fabric"), output.with_suffix(".routes")
    files = {"shape.fabric": NewNumber(named[0].name, description, "assumed")}
    if routes is not None:
        files["shape.routes"] = NewNumber(named[1].name, routes.source, "assumed")
    own = as_kinds(fabric)
    text = graph_text(machine, own, name=output.stem, description=description, files=files)
    if routes is not None:
        from odonata.machine.fabric.routes_file import encode  # imports NumPy

        write_whole(named[1], encode(own, routes.tables))
    write_whole(named[0], write_fabric(own).encode("ascii"))
    write_whole(output, text.encode())


def graph_text(
    machine: Machine,
    fabric: Fabric,
    *,
    name: str,
    description: str,
    files: Mapping[str, NewNumber],
) -> str:
    """Return the text of a machine file.

    Parameters
    ----------
    machine
        The machine that the fabric was made of.
    fabric
        The fabric, of `as_kinds`.
    name, description
        Name and description of the new machine.
    files
        Names of the other files by key: ``shape.fabric``, perhaps ``shape.routes``.
    """
    of_adapters = dict.fromkeys(a.kind for a in fabric.adapters if a.kind != USUAL)
    own = list(dict.fromkeys(cable.kind for cable in fabric.cables))
    own += [f"{end}-{kind}" for kind in of_adapters for end in ("injection", "ejection")]
    known = keys_of("graph", ("injection", "ejection", *own))
    numbers = {key: _number(machine, key) for key in machine.numbers if _stays(machine, key)}
    numbers |= _of_new_classes(machine, fabric, own) | dict(files)
    if names_hosts(fabric):
        source = files["shape.fabric"].source
        numbers["names.scheme"] = NewNumber("hosts", source, "assumed")
    lines = [f"name = {quoted(name)}", 'family = "graph"', f"description = {quoted(description)}"]
    lines += table_lines({key: numbers[key] for key in known if key in numbers})
    return "\n".join(lines) + "\n"


def as_kinds(fabric: Fabric) -> Fabric:
    """Return a fabric whose adapters have kinds of links in the place of classes.

    Parameters
    ----------
    fabric
        A fabric of `of_machine.fabric_of`.
    """

    def kind(link_class: str) -> str:
        return USUAL if link_class == INJECTION else link_class.removeprefix(f"{INJECTION}-")

    adapters = tuple(replace(a, kind=kind(a.kind)) for a in fabric.adapters)
    return replace(fabric, adapters=adapters)


def _of_new_classes(machine: Machine, fabric: Fabric, own: Sequence[str]) -> dict[str, NewNumber]:
    """Return the numbers of classes that the machine has not: all but the rate as most cables'."""
    new = [name for name in own if name not in machine.file.link_classes]
    old = Counter(c.kind for c in fabric.cables if c.kind in machine.file.link_classes)
    numbers: dict[str, NewNumber] = {}
    for name in new:
        usual = f"links.{old.most_common(1)[0][0]}." if old else "links.injection."
        for key in machine.numbers:
            if key.startswith(usual):
                numbers[f"links.{name}.{key.removeprefix(usual)}"] = _number(machine, key)
        kind = fabric.kinds[name]
        numbers[f"links.{name}.bandwidth"] = NewNumber(
            kind.rate, kind.source, kind.status or "assumed"
        )
    return numbers


def _stays(machine: Machine, key: str) -> bool:
    """Whether a number of a machine is one of its graph, too."""
    if key in _OF_A_FABRIC:
        return machine.family == "graph"
    return key.partition(".")[0] not in _DROPPED and key not in _PORTS


def _number(machine: Machine, key: str) -> NewNumber:
    number = machine.numbers[key]
    if key in machine.changes:
        return NewNumber(machine.changes[key], number.source, number.status)
    return kept(machine.file, key)
