"""A run, labelled: its summary, its dataset, its file."""

from __future__ import annotations

from odonata.result.run import JobRun, Run, Scalar

__all__ = ["Result"]


class Result:
    """What `odonata.simulate` returns.

    Parameters
    ----------
    run
        What the run measured.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def run(self) -> Run:
        """What the run measured, as plain data."""
        return self._run

    @property
    def jobs(self) -> tuple[JobRun, ...]:
        """What each job did."""
        return self._run.jobs

    @property
    def summary(self) -> dict[str, Scalar]:
        """Scalars of the run by name (see `Run`); what ``--json`` prints."""
        return dict(self._run.summary)
