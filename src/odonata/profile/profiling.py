"""Profiles of simulated runs."""

from __future__ import annotations

from pathlib import Path

from odonata import _core
from odonata.errors import WriteError
from odonata.profile.files import write_folder
from odonata.profile.folder import NewFolder

__all__ = ["Profiling"]


class Profiling:
    """Counts the calls of a run as it is simulated, and writes the profile at its end.

    Parameters
    ----------
    folder
        Folder of the profile; an older profile in it is replaced.
    ranks
        Ranks of the run.

    Raises
    ------
    UserError
        The folder cannot be made, or holds something else.
    """

    def __init__(self, folder: Path, ranks: int) -> None:
        self._folder = folder
        self._made = NewFolder(folder)
        self._ranks = ranks
        self.core = _core.Profiler(ranks)

    def finish(self, program: str, machine: str) -> None:
        """Write the profile of a run that has come to its end.

        Parameters
        ----------
        program
            Command line of the program.
        machine
            Name of the machine.

        Raises
        ------
        WriteError
            A file could not be written.
        """
        self.core.finish()
        self._write(program, machine)

    def leave(self, program: str, machine: str) -> str:
        """Write the counts of a run that has failed; return a line that says so.

        Parameters
        ----------
        program, machine
            See `finish`.
        """
        try:
            self._write(program, machine)
        except WriteError as error:
            return str(error)
        return f"profile until then: {self._folder}"

    def discard(self) -> None:
        """Leave nothing behind of a run that has not begun."""
        self._made.discard()

    def _write(self, program: str, machine: str) -> None:
        try:
            path, core, ranks = self._made.path, self.core, self._ranks
            write_folder(path, core, ranks, program=program, machine=machine)
        except BaseException:
            self._made.discard()
            raise
        self._made.finish()
