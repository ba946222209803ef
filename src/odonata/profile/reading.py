"""Profiles from whatever holds one."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from odonata import _core, interchange
from odonata.errors import UserError
from odonata.interchange.dumpi import is_dumpi
from odonata.interchange.native import is_native
from odonata.profile.files import read_folder
from odonata.profile.of_dumpi import read_dumpi
from odonata.profile.of_trace import read_trace
from odonata.profile.reports import READERS, read_report
from odonata.profile.tables import Profile
from odonata.profile.waiting import read_waiting
from odonata.trace.logs import find_logs, has_trace

__all__ = ["read"]


def read(path: str | Path) -> Profile:
    """Return the profile of a folder, a report or a trace.

    Parameters
    ----------
    path
        Folder that ``odonata profile`` or ``odonata mpirun --profile`` wrote; a report of mpiP or
        IPM; or a trace, of ours or in another format that ``odonata trace convert`` reads.

    Raises
    ------
    UserError
        There is no profile, or it is damaged.
    """
    path = Path(path)
    if path.is_dir() and any(path.glob("rank-*.odp")):
        profile = read_folder(path)
        if not has_trace(path):
            return profile
        return replace(profile, notes=_lost_calls(path), waiting=read_waiting(path))

    if is_native(path) or not path.exists():
        return read_trace(path)
    return _of_other_tools(path)


def _lost_calls(folder: Path) -> list[str]:
    """Return sentences on calls that the logs of a run lack; a whole run has no logs left."""
    logs = find_logs(folder)
    lost = _core.RankLogs([str(log) for log in logs]).lost if logs else 0
    return [f"{lost:,} calls found no room on the disk and are not in the trace"] if lost else []


def _of_other_tools(path: Path) -> Profile:
    """Return the profile of a report, or of a trace of another tool."""
    if path.is_file():
        report = read_report(path)
        if report is not None:
            return report
    if is_dumpi(path):
        return read_dumpi(path)
    for name, known in interchange.FORMATS.items():
        if known.read is not None and known.recognise(path):
            with tempfile.TemporaryDirectory() as folder:
                account = known.read(path, Path(folder) / "converted.trace")
                found = read_trace(Path(folder) / "converted.trace")
            notes = [f"{count} {reason}" for reason, count in account.left_out.items()]
            notes += account.notes
            return replace(found, source=name, notes=notes, unknown=account.unknown)
    if path.is_dir():
        return read_folder(path)  # says that there is no profile
    readable = [name for name, known in interchange.FORMATS.items() if known.read is not None]
    raise UserError(
        f"{path}: neither a profile, nor a trace, nor a report",
        allowed=f"traces: {', '.join(readable)}; reports: {', '.join(READERS)}",
    )
