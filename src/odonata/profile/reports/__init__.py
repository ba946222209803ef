"""Reports of other profilers, as profiles: mpiP and IPM.

>>> from odonata.profile import reports
>>> reports.read_report("app.8.4711.1.mpiP")  # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path

from odonata.profile.reports.ipm import is_ipm, read_ipm
from odonata.profile.reports.ipm_banner import is_banner, read_banner
from odonata.profile.reports.mpip import is_mpip, read_mpip
from odonata.profile.tables import Profile

__all__ = ["READERS", "read_report"]

READERS = {
    "mpiP": (is_mpip, read_mpip),
    "IPM (XML)": (is_ipm, read_ipm),
    "IPM (banner)": (is_banner, read_banner),
}
"""Whether a file is such a report, and its reader, by name."""


def read_report(path: Path) -> Profile | None:
    """Return the profile of a report; None of another file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        It is damaged.
    """
    for recognise, read in READERS.values():
        if recognise(path):
            return read(path)
    return None
