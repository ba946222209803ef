"""Profiles from whatever holds one."""

from __future__ import annotations

from pathlib import Path

from odonata.profile.files import read_folder
from odonata.profile.form import Profile
from odonata.profile.of_trace import read_trace

__all__ = ["read"]


def read(path: str | Path) -> Profile:
    """Return the profile that a folder holds, or that of a trace.

    Parameters
    ----------
    path
        Folder that ``odonata profile`` or ``odonata mpirun --profile`` wrote, or a trace.

    Raises
    ------
    UserError
        There is none, or it is damaged.
    """
    path = Path(path)
    return read_folder(path) if path.is_dir() else read_trace(path)
