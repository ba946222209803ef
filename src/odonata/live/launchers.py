"""The variables by which launchers tell each rank who it is, since programs read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from odonata.errors import UserError, near_miss

__all__ = ["DEFAULT_STYLES", "VARIABLES", "parse_styles", "variables"]

VARIABLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "openmpi": {
            "OMPI_COMM_WORLD_RANK": "rank",
            "OMPI_COMM_WORLD_SIZE": "size",
            "OMPI_COMM_WORLD_LOCAL_RANK": "local_rank",
            "OMPI_COMM_WORLD_LOCAL_SIZE": "local_size",
            "OMPI_COMM_WORLD_NODE_RANK": "local_rank",
        },
        "mpich": {
            "PMI_RANK": "rank",
            "PMI_SIZE": "size",
            "MPI_LOCALRANKID": "local_rank",
            "MPI_LOCALNRANKS": "local_size",
        },
        "slurm": {
            "SLURM_PROCID": "rank",
            "SLURM_NTASKS": "size",
            "SLURM_NPROCS": "size",
            "SLURM_LOCALID": "local_rank",
            "SLURM_NODEID": "node",
            "SLURM_NNODES": "nodes",
        },
    }
)
"""Meaning of each variable of a launcher."""

DEFAULT_STYLES = "openmpi,mpich"


def parse_styles(text: str) -> tuple[str, ...]:
    """Return the launchers of a list such as ``"openmpi,slurm"``; ``"none"`` is empty.

    Parameters
    ----------
    text
        Names of launchers with commas between them.

    Raises
    ------
    UserError
        One of them is unknown.

    Examples
    --------
    >>> parse_styles("slurm,mpich"), parse_styles("none")
    (('slurm', 'mpich'), ())
    """
    if text == "none":
        return ()
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in VARIABLES:
            allowed = f"{', '.join(VARIABLES)} with commas between them, or none"
            near = near_miss(name, VARIABLES)
            raise UserError("env-style: unknown", value=name, allowed=allowed, near=near)
    return names


def variables(styles: Sequence[str], nodes: Sequence[int]) -> list[dict[str, str]]:
    """Return the variables that launchers would set for each rank.

    Parameters
    ----------
    styles
        The launchers.
    nodes
        Number of each rank's node.

    Returns
    -------
    list of dict
        The variables of each rank.

    Examples
    --------
    >>> variables(["mpich"], [7, 7, 3])[2]
    {'PMI_RANK': '2', 'PMI_SIZE': '3', 'MPI_LOCALRANKID': '0', 'MPI_LOCALNRANKS': '1'}
    """
    places = {node: place for place, node in enumerate(dict.fromkeys(nodes))}
    sizes = Counter(nodes)
    local = Counter[int]()
    told = []
    for rank, node in enumerate(nodes):
        facts = {
            "rank": rank,
            "size": len(nodes),
            "local_rank": local[node],
            "local_size": sizes[node],
            "node": places[node],
            "nodes": len(places),
        }
        local[node] += 1
        told.append(
            {name: str(facts[fact]) for style in styles for name, fact in VARIABLES[style].items()}
        )
    return told
