"""Cycles of channels that wait for each other, in words."""

from __future__ import annotations

from collections.abc import Sequence

from odonata import _core
from odonata.errors import UserError
from odonata.machine.machine import Machine

__all__ = ["cycle_of", "cycle_text", "require_no_cycles"]

MOST_SHOWN = 12
"""Channels of a cycle that are shown."""


def require_no_cycles(machine: Machine, policy: str) -> None:
    """Refuse routes on which packets may wait for each other for ever.

    Parameters
    ----------
    machine
        The machine.
    policy
        Name of one of its family's policies.

    Raises
    ------
    UserError
        There is a cycle of channels of which each waits for the next.
    """
    cycle = cycle_of(machine, policy)
    if cycle:
        raise UserError(
            f"routing: {policy} has {cycle}",
            allowed="routes without cycles, more lanes (shape.lanes), or --allow-cycles",
        )


def cycle_of(machine: Machine, policy: str) -> str:
    """Return a cycle of channels of which each waits for the next, in words; empty: none.

    Parameters
    ----------
    machine
        The machine.
    policy
        Name of one of its family's policies.
    """
    routing = machine.routing(policy)
    report = _core.check_deadlock(machine.core, routing) if routing.may_lock else None
    if report is None or report.deadlock_free:
        return ""
    cycle = cycle_text(machine, [(channel.link, channel.vc) for channel in report.cycle])
    return f"a cycle of {len(report.cycle)} channels that wait for each other: {cycle}"


def cycle_text(machine: Machine, cycle: Sequence[tuple[int, int]]) -> str:
    """Return the channels of a cycle: the ports of a fabric, or the links of another machine.

    Parameters
    ----------
    machine
        The machine.
    cycle
        Pairs of link and virtual channel.
    """
    names = _port_names(machine)
    shown = [f"{names.get(link, f'link {link}')} vc {vc}" for link, vc in cycle[:MOST_SHOWN]]
    more = f" -> ... ({len(cycle) - MOST_SHOWN} more)" if len(cycle) > MOST_SHOWN else ""
    return " -> ".join(shown) + more


def _port_names(machine: Machine) -> dict[int, str]:
    """Return the name of the port that each link of a fabric leaves."""
    if "shape.fabric" not in machine.numbers:
        return {}
    from odonata.machine.fabric.of_machine import fabric_of  # few machines have fabrics

    fabric = fabric_of(machine)
    first = 2 * machine.num_node_ports
    return {
        first + at: f"{fabric.switches[switch].name}[{port}]"
        for at, (switch, port, _, _, _) in enumerate(fabric.ends())
    }
