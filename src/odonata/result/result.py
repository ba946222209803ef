"""A run, labelled: its summary, its dataset, its file."""

from __future__ import annotations

from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from odonata.result.overview import overview, title
from odonata.result.run import JobRun, Run, Scalar
from odonata.result.run_warnings import coverage_warnings, traffic_warnings

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["Result"]


class Result:
    """Result of a run: plain data, an xarray dataset of it, and a file.

    Parameters
    ----------
    run
        The run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def run(self) -> Run:
        """Measurements of the run, as plain data."""
        return self._run

    @property
    def jobs(self) -> tuple[JobRun, ...]:
        """Measurements of each job."""
        return self._run.jobs

    @property
    def main_job(self) -> JobRun | None:
        """The first job that isn't background, or None."""
        return next((job for job in self.jobs if not job.background), None)

    @property
    def summary(self) -> dict[str, Scalar]:
        """Scalars of the run by name (see `Run`), as ``--json`` prints them."""
        return dict(self._run.summary)

    @property
    def time(self) -> float | None:
        """Time until the last job ends that is not background [s]; None: it did not end."""
        time = self._run.summary.get("time_seconds")
        return float(time) if isinstance(time, (int, float)) else None

    @property
    def warnings(self) -> list[str]:
        """Warnings: traffic had not settled or offered too much, or a trace lacks calls."""
        return traffic_warnings(self._run) + coverage_warnings(self._run)

    @cached_property
    def dataset(self) -> xarray.Dataset:
        """Everything that was measured, with units and provenance; built when first asked for.

        Dimensions are ``job, rank, mark, phase, message, link, link_class, buffer, time,
        latency_bin, event``. Times are whole picoseconds. Jobs stand one behind the other along
        ``rank``, ``mark`` and ``message``; the coordinates ``rank_job, mark_job, message_job``
        tell whose an entry is.
        """
        import xarray

        from odonata.result.variables import attributes, variables  # imports NumPy

        data: dict[str, xarray.Variable] = {}
        coordinates: dict[str, xarray.Variable] = {}
        for name, variable in variables(self._run).items():
            labels = {"units": variable.units, "long_name": variable.long_name}
            made = xarray.Variable(variable.dims, variable.values, labels)
            (coordinates if variable.coordinate else data)[name] = made
        return xarray.Dataset(data, coordinates, attributes(self._run))

    @cached_property
    def links(self) -> pandas.DataFrame:
        """Measurements of each link, one row a link: see `odonata.result.frames.links_frame`."""
        from odonata.result.frames import links_frame  # imports pandas

        return links_frame(self._run)

    @cached_property
    def ranks(self) -> pandas.DataFrame:
        """Each rank, its node and its end: see `odonata.result.frames.ranks_frame`."""
        from odonata.result.frames import ranks_frame  # imports pandas

        return ranks_frame(self._run)

    @cached_property
    def messages(self) -> pandas.DataFrame:
        """Every recorded message, one row each: see `odonata.result.frames.messages_frame`."""
        from odonata.result.frames import messages_frame  # imports pandas

        return messages_frame(self._run)

    def save(self, path: str | Path) -> None:
        """Write the result to a netCDF-4 file; it is whole or not there.

        Parameters
        ----------
        path
            The file, usually ``.nc``; one that exists is replaced.

        Raises
        ------
        WriteError
            The file could not be written.
        """
        from odonata.result.writing import write  # imports NumPy

        write(self._run, path)

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read a result that was saved.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        Result
            Equal to the saved one.

        Raises
        ------
        UserError
            The file isn't there, isn't ours, is of a newer version, truncated or damaged.
        """
        from odonata.result.reading import read  # imports NumPy

        return cls(read(path))

    def __repr__(self) -> str:
        rows = overview(self._run)
        width = max(len(label) for label in rows)
        lines = [f"  {label:<{width}}  {value}" for label, value in rows.items()]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join([f"Result: {title(self._run)}", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(label)}</th><td>{escape(value)}</td></tr>"
            for label, value in overview(self._run).items()
        )
        return f"<table><caption>{escape(title(self._run))}</caption>{rows}</table>"
