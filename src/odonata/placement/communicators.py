"""Communicators as jobs side by side, and as the colours of ``MPI_Comm_split``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from odonata.errors import UserError
from odonata.files import read_bytes, write_whole
from odonata.machine import Machine
from odonata.placement.blocks import Sizes
from odonata.placement.divisions import Group, groups
from odonata.placement.placement import Placement

__all__ = ["colours_of", "place_groups", "read_colours", "split", "world", "write_colours"]

NO_COLOUR = -1
"""Colour of a rank that is in no communicator: its program passes ``MPI_UNDEFINED``."""

MOST_COLOUR = 2**31 - 1
LONGEST_FILE = 2**28  # bytes


def place_groups(
    machine: Machine,
    by: str,
    *,
    block: Sizes | None = None,
    origin: Sizes | None = None,
    nodes_per_router: str = "all",
    ranks_per_node: int = 1,
) -> list[Placement]:
    """Place a communicator on each group of nodes; they are jobs that run side by side.

    Parameters
    ----------
    machine, by, block, origin, nodes_per_router
        The same as for `odonata.placement.groups`.
    ranks_per_node
        Ranks on every node.

    Returns
    -------
    list of Placement
        One for each group, its ranks by number of the node.

    Raises
    ------
    UserError
        The machine is not divided so, the block doesn't fit it, or a node has too few cores.

    Examples
    --------
    All chassis at once, one job each:

    >>> from odonata import machine, simulate, workload
    >>> eos = machine.load("eos")
    >>> ring = workload.Collective("allgather", "ring")
    >>> jobs = [simulate.Job(ring, one) for one in place_groups(eos, "green")]
    >>> simulate.simulate(eos, jobs).summary["ranks"]
    744
    """
    made = groups(machine, by, block=block, origin=origin, nodes_per_router=nodes_per_router)
    everyone = world(machine, made, ranks_per_node=ranks_per_node)
    return split(everyone, colours_of(everyone, made), by=by)


def world(machine: Machine, members: Sequence[Group], *, ranks_per_node: int = 1) -> Placement:
    """Return the placement of one job on the nodes of all groups, which `split` divides again.

    Parameters
    ----------
    machine
        The machine.
    members
        The groups.
    ranks_per_node
        Ranks on every node.

    Raises
    ------
    UserError
        No group has a node, or a node has too few cores.
    """
    nodes = sorted(node for group in members for node in group.nodes)
    if not nodes:
        raise UserError("groups: no node is in them", allowed="a block with nodes")
    cores = machine.cores_per_node
    if not 1 <= ranks_per_node <= cores:
        allowed = f"1 to {cores}, the cores of a node of {machine.name}"
        raise UserError("ranks per node: out of range", value=ranks_per_node, allowed=allowed)
    return Placement(machine, [node for node in nodes for _ in range(ranks_per_node)])


def colours_of(placement: Placement, members: Sequence[Group]) -> list[int]:
    """Return the colour of each rank of a job: the number of the group that its node is in.

    Parameters
    ----------
    placement
        Node of each rank.
    members
        The groups.

    Returns
    -------
    list of int
        By rank; -1 for ranks on nodes of no group.
    """
    number_of = {node: number for number, group in enumerate(members) for node in group.nodes}
    return [number_of.get(node, NO_COLOUR) for node in placement.node_of]


def split(placement: Placement, colours: Sequence[int], *, by: str = "split") -> list[Placement]:
    """Divide the ranks of a job as ``MPI_Comm_split`` does.

    Parameters
    ----------
    placement
        Node of each rank.
    colours
        Colour of each rank; ranks of colour -1 are left out.
    by
        The division, in words.

    Returns
    -------
    list of Placement
        One for each colour in increasing order; ranks keep their order.

    Raises
    ------
    UserError
        The numbers of colours and ranks differ, or every rank is left out.

    Examples
    --------
    >>> from odonata import machine
    >>> everyone = Placement(machine.load("eos"), [0, 1, 2, 3])
    >>> [one.nodes.tolist() for one in split(everyone, [1, 0, 1, -1])]
    [[1], [0, 2]]
    """
    if len(colours) != placement.ranks:
        allowed = f"{placement.ranks}, one a rank"
        raise UserError("colours: another number than ranks", value=len(colours), allowed=allowed)
    nodes = defaultdict(list)
    for node, colour in zip(placement.node_of, colours, strict=True):
        if colour != NO_COLOUR:
            nodes[colour].append(node)
    if not nodes:
        raise UserError("colours: no rank is in a communicator", allowed="a colour of 0 or more")
    _check_apart(nodes.values())
    name = f"{by} of {placement.allocation}"
    return [
        Placement(placement.machine, nodes[colour], allocation=name, mapping=placement.mapping)
        for colour in sorted(nodes)
    ]


def write_colours(path: str | Path, colours: Sequence[int]) -> None:
    """Write the colour of each rank, one line a rank.

    Parameters
    ----------
    path
        The file.
    colours
        By rank; -1 where the rank is in no communicator.
    """
    write_whole(path, "".join(f"{colour}\n" for colour in colours).encode())


def read_colours(path: str | Path) -> list[int]:
    """Return the colour of each rank, as `write_colours` has written them.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        It can't be read, or a line is no colour; says which.
    """
    lines = read_bytes(path, LONGEST_FILE, what="colours").decode(errors="replace").splitlines()
    return [_colour(line, f"{path}:{number}") for number, line in enumerate(lines, start=1)]


def _check_apart(communicators: Iterable[Sequence[int]]) -> None:
    taken: set[int] = set()
    for nodes in communicators:
        shared = taken.intersection(nodes)
        if shared:
            raise UserError(
                "colours: ranks of one node are in different communicators",
                value=f"node {min(shared)}",
                allowed="communicators with nodes of their own",
            )
        taken.update(nodes)


def _colour(line: str, where: str) -> int:
    text = line.strip()
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdecimal() and len(digits) <= len(str(MOST_COLOUR)):
        colour = int(text)
        if NO_COLOUR <= colour <= MOST_COLOUR:
            return colour
    allowed = f"0 to {MOST_COLOUR}, or -1 for a rank in no communicator"
    raise UserError("colours: not a colour", value=line, allowed=allowed, where=where)
