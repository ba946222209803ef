"""Timelines for other tools: Perfetto's protobuf, and OTF2 for Vampir and Scalasca."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from odonata.errors import UserError, near_miss
from odonata.explain import Explained
from odonata.files import require_writable

__all__ = ["FORMATS", "export_timeline", "require_export"]


def require_export(path: str | Path, kind: str | None = None) -> str:
    """Return the format of an export, or fail now if it could not be written later.

    Parameters
    ----------
    path
        The file, or the folder of OTF2.
    kind
        One of `FORMATS`; None: by the path's suffix.

    Returns
    -------
    str
        The format.

    Raises
    ------
    UserError
        There is no such format, its package is missing, or the folder is there already.
    WriteError
        It could not be written.
    """
    suffix = Path(path).suffix.lower()
    by_suffix = {each: name for name, form in FORMATS.items() for each in form.suffixes}
    chosen = kind or by_suffix.get(suffix, "")
    if chosen not in FORMATS:
        given = kind if kind is not None else suffix
        allowed = f"{', '.join(FORMATS)}; suffixes {', '.join(by_suffix)}"
        known = FORMATS if kind is not None else by_suffix
        near = near_miss(given, list(known)) if given else None
        raise UserError(f"{path}: no such format", value=given, allowed=allowed, near=near)
    FORMATS[chosen].module.package()
    if FORMATS[chosen].folder and Path(path).exists():
        raise UserError(f"{path}: is there already; OTF2 makes a new folder")
    require_writable(path)
    return chosen


def export_timeline(explained: Explained, path: str | Path, *, kind: str | None = None) -> None:
    """Write the timeline of a run for another tool.

    Parameters
    ----------
    explained
        An explanation whose run kept its steps.
    path
        The file, or the folder of OTF2.
    kind
        ``perfetto`` or ``otf2``; None: by the path's suffix.

    Raises
    ------
    UserError
        There is no such format, its package is missing, or the run kept no steps.
    WriteError
        It could not be written.
    """
    chosen = require_export(path, kind)
    FORMATS[chosen].module.write(explained.timeline, Path(path))


@dataclass(frozen=True)
class _Format:
    """A format: suffixes, name of the module that writes it, and whether it is a folder."""

    suffixes: tuple[str, ...]
    name: str
    folder: bool

    @property
    def module(self) -> Any:
        """The module, imported when it is asked for: it has ``package`` and ``write``."""
        return import_module(f"odonata.report.{self.name}")


FORMATS: Mapping[str, _Format] = MappingProxyType(
    {
        "perfetto": _Format((".pftrace", ".perfetto-trace"), "perfetto", folder=False),
        "otf2": _Format((".otf2",), "otf2_archive", folder=True),
    }
)
"""Formats of timelines by name."""
