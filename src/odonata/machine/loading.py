"""Machines from files, with the faults that these tell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from odonata.machine.files import describe, find, from_plain, read
from odonata.machine.machine import Faults, Machine

__all__ = ["from_document", "load"]


def load(name_or_path: str | Path, changes: Mapping[str, object] | None = None) -> Machine:
    """Load a machine.

    Parameters
    ----------
    name_or_path
        Name of a machine that comes with Odonata (see `odonata.machine.names`), or path of a
        ``.toml`` file.
    changes
        Values by dotted key that take the place of those in the file.

    Returns
    -------
    Machine
        The machine.

    Raises
    ------
    UserError
        There is no such machine, or its file is wrong; says where.

    Examples
    --------
    >>> load("dragonfly-5256").num_nodes
    5256
    >>> load("dragonfly-5256", {"links.local.buffer": "8 KiB"}).value("links.local.buffer")
    8192
    """
    return Machine(read(find(name_or_path), changes), changes, _faults_of)


def from_document(
    document: Mapping[str, object], changes: Mapping[str, object] | None = None
) -> Machine:
    """Return the machine of a machine file that is plain data.

    Parameters
    ----------
    document
        A document of `Machine.document`.
    changes
        Values by dotted key that take the place of those in the file.

    Raises
    ------
    UserError
        A key is unknown or missing, or a value is wrong.

    Examples
    --------
    >>> from_document(load("theta").document()).num_nodes
    3456
    """
    return Machine(describe(from_plain(document), Path(), changes or {}), changes, _faults_of)


def _faults_of(machine: Machine) -> Faults | None:
    from odonata.machine.faults import faults_of  # few machines have faults

    return faults_of(machine)
