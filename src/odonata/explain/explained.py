"""The explanation of one run: breakdown, critical path, slack and a sentence."""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from odonata.explain.account import Account
from odonata.explain.dependencies import Dependencies, has_few_steps
from odonata.explain.sentence import sentence
from odonata.explain.timeline import Timeline
from odonata.result import Result

__all__ = ["Explained", "explain", "load"]


class Explained(Account):
    """Explanation of a run.

    Parameters
    ----------
    run
        A run with an account of its time.
    where
        Name of its file, for errors.

    Raises
    ------
    UserError
        No account was kept.
    InternalError
        The account does not add up to the picosecond.
    """

    def __repr__(self) -> str:
        what = "its critical path" if self.has_path else "its breakdown"
        jobs = ", ".join(job.name for job in self.run.jobs)
        return f"<Explained: {jobs} on {self.run.summary.get('machine')}, with {what}>"

    @cached_property
    def timeline(self) -> Timeline:
        """Timeline of its ranks; a `UserError` if their steps were not kept."""
        return Timeline(self)

    @cached_property
    def dependencies(self) -> Dependencies | None:
        """Dependencies of its steps; None if they were not kept, are many, or it is traffic."""
        if not has_few_steps(self):
            return None
        return Dependencies(self.timeline)

    @property
    def sentence(self) -> str:
        """Sentence on what dominates, and where; empty if nothing does.

        It is on the critical path, and where that was not kept on the time of all ranks.
        """
        return sentence(self)

    def document(self) -> dict[str, object]:
        """Return everything as plain data, for JSON."""
        return {
            "title": self.run.summary.get("workload"),
            "machine": self.run.summary.get("machine"),
            "time_ps": self.length_ps,
            "ranks": [asdict(rank) for rank in self.ranks],
            "functions": [asdict(part) for part in self.functions],
            "phases": [asdict(part) for part in self.phases],
            "communicators": [asdict(part) for part in self.communicators],
            **self._path_document(),
            **self._slack(),
            "sentence": self.sentence,
        }

    def _path_document(self) -> dict[str, object]:
        if not self.has_path:
            return {"critical_path": None, "without_path": self.without_path}
        return {
            "critical_path": {
                "length_ps": self.length_ps,
                "categories_ps": self.path_ps,
                "stretches": [asdict(stretch) for stretch in self.stretches],
            },
        }

    def _slack(self) -> dict[str, object]:
        found = self.dependencies
        return {"slack": found and {"ranks_ps": found.rank_slack_ps}}


def explain(result: Result) -> Explained:
    """Explain a result.

    Parameters
    ----------
    result
        Result of a run with ``explain=True``, or ``--explain``.

    Returns
    -------
    Explained
        Where its time went.

    Raises
    ------
    UserError
        No account was kept.

    Examples
    --------
    >>> from odonata import machine, placement, simulate, workload
    >>> eos = machine.load("eos")
    >>> job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 4))
    >>> explain(simulate.simulate(eos, [job], explain=True)).ranks[0].rank
    0
    """
    return Explained(result.run)


def load(path: str | Path) -> Explained:
    """Explain a result that was saved.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        It is no result, damaged, of another version, or has no account of the time.
    """
    return Explained(Result.load(path).run, str(path))
