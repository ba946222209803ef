"""Account of the time of a run, recorded, checked and named."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odonata.errors import InternalError, UserError
from odonata.explain.path import Stretch, stretches
from odonata.result import Run
from odonata.result.columns import plain
from odonata.result.explanation import Explanation, Scope

__all__ = ["Account", "Part", "RankTime"]


@dataclass(frozen=True)
class RankTime:
    """Time of a rank.

    Parameters
    ----------
    job, rank, node
        Number of the job, rank of the job, and the node that it runs on.
    end_ps
        When it ended [ps].
    categories_ps
        Its time by category [ps]; the sum is `end_ps`.
    """

    job: int
    rank: int
    node: int
    end_ps: int
    categories_ps: dict[str, int]


@dataclass(frozen=True)
class Part:
    """Time of all ranks in a part of their programs.

    Parameters
    ----------
    job
        Number of the job; None: several jobs.
    name
        Name of the function, of the phase, or number of the communicator; None: outside of all.
    total_ps
        Time of all ranks [ps].
    categories_ps
        The same by category [ps].
    """

    job: int | None
    name: str | int | None
    total_ps: int
    categories_ps: dict[str, int]


class Account:
    """Account of the time of a run, as it was recorded.

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

    def __init__(self, run: Run, where: str = "result") -> None:
        if run.explanation is None:
            raise UserError(
                f"{where}: saved without the record that an explanation needs; run it again with "
                f"--explain: {_again(run.provenance.get('command', ''), where)}"
            )
        self.run, self.where = run, where
        self.account: Explanation = run.explanation
        self._check()

    @property
    def has_path(self) -> bool:
        """Whether the critical path was kept, and not the breakdown alone."""
        return self.account.path is not None

    def require_path(self) -> Mapping[str, NDArray[np.int64]]:
        """Return the columns of the critical path.

        Raises
        ------
        UserError
            It was not kept.
        """
        if self.account.path is None:
            raise UserError(f"{self.where}: {self.without_path}")
        return self.account.path

    @property
    def without_path(self) -> str:
        """Why there is no critical path, and how to get it."""
        return f"saved with --breakdown, so without its critical path; run it again: {self.again}"

    @property
    def again(self) -> str:
        """Command that makes the run again with its critical path."""
        return _again(self.run.provenance.get("command", ""), self.where)

    def _check(self) -> None:
        """Raise InternalError unless everything adds up to the picosecond."""
        ranks = [(end, sum(row)) for _, _, _, end, row in self._each_rank()]
        if any(end != spent for end, spent in ranks):
            raise InternalError("explain: categories of a rank do not add up to its time")
        calls = sum(map(sum, plain(self.account, "by_scope")))  # exact, if its parts are whole
        rounding = 1e-12 if isinstance(calls, float) else 0.0
        ends = sum(end for end, _ in ranks)
        if abs(calls - ends) > rounding * ends:
            raise InternalError("explain: calls do not add up to the time of the ranks")
        if self.has_path and sum(self.path_ps.values()) != self.length_ps:
            raise InternalError("explain: the critical path has a gap")

    @cached_property
    def ranks(self) -> list[RankTime]:
        """Time of each rank of the jobs that are not background."""
        return [
            RankTime(job, rank, node, end, self._by_category(row))
            for job, rank, node, end, row in self._each_rank()
        ]

    @cached_property
    def functions(self) -> list[Part]:
        """Time of all ranks by MPI function, or operation, the longest first."""
        return self._parts(lambda scope: scope.function or None)

    @cached_property
    def phases(self) -> list[Part]:
        """Time of all ranks by phase, the longest first."""
        return self._parts(
            lambda scope: self.run.jobs[scope.job].phases[scope.phase] if scope.phase >= 0 else None
        )

    @cached_property
    def communicators(self) -> list[Part]:
        """Time of all ranks by job and communicator of their calls, the longest first."""
        return self._parts(
            lambda scope: None if scope.communicator < 0 else scope.communicator, by_job=True
        )

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The critical path, in the order of time and without a gap."""
        self.require_path()
        return list(stretches(self.run, self.account))

    @cached_property
    def length_ps(self) -> int:
        """Length of the critical path: the run's time [ps]."""
        if not self.has_path:
            return self.run.length_ps
        ends = self.require_path()["end"]
        return int(ends[-1]) if len(ends) else 0

    @property
    def ends_with_delivery(self) -> bool:
        """Whether the run ends with a delivery that no rank waits for, as traffic does."""
        return self.length_ps > max(rank.end_ps for rank in self.ranks)

    @cached_property
    def path_ps(self) -> dict[str, int]:
        """Time of the critical path by category [ps]."""
        path = self.require_path()
        sums = np.zeros(len(self.account.categories), dtype=np.int64)
        np.add.at(sums, path["category"], path["end"] - path["begin"])
        return self._by_category(sums.tolist())

    @cached_property
    def steps_ps(self) -> list[dict[str, int]]:
        """Time by category of each step of the critical path [ps].

        A step is a message of the path and the work before it; the last one ends with the run.
        """
        steps: list[dict[str, int]] = [dict.fromkeys(self.path_ps, 0)]
        crossing = None
        for stretch in self.stretches:
            now = None if stretch.to is None else (stretch.job, stretch.rank, stretch.to)
            if crossing not in (None, now):
                steps.append(dict.fromkeys(self.path_ps, 0))
            crossing = now
            steps[-1][stretch.category] += stretch.length_ps
        return steps

    def totals_ps(self) -> dict[str, int]:
        """Return the time of all ranks by category [ps]."""
        return self._by_category(self._totals)

    @property
    def mean_end_ps(self) -> float:
        """When the mean rank ends [ps]."""
        return sum(self.means_ps().values())

    def means_ps(self) -> dict[str, float]:
        """Return the time of the mean rank by category [ps]; the sum is its mean end."""
        count = max(1, len(self.ranks))
        return {name: time / count for name, time in self.totals_ps().items()}

    def _each_rank(self) -> Iterator[tuple[int, int, int, int, list[int]]]:
        """Yield job, rank, node, end and times of each rank whose job is not background."""
        rows = iter(self._rows)
        for number, job in enumerate(self.run.jobs):
            placed = zip(plain(job, "nodes"), plain(job, "finished"), rows, strict=False)
            for rank, (node, end, row) in enumerate(placed):
                if not job.background:
                    yield number, rank, node, end, row

    @cached_property
    def _rows(self) -> list[list[int]]:
        """Time of each rank by category [ps], without names."""
        return plain(self.account, "by_rank")

    @cached_property
    def _totals(self) -> list[int]:
        """Time of all ranks by category [ps], without names."""
        return [sum(times) for times in zip(*self._rows, strict=True)]

    @cached_property
    def _occurring(self) -> list[int]:
        """Positions of the categories that occur in the run."""
        found = {at for at, total in enumerate(self._totals) if total}
        if self.account.path is not None:
            found |= set(self.account.path["category"].tolist())
        return sorted(found)

    def _by_category(self, row: Sequence[int]) -> dict[str, int]:
        return {self.account.categories[at]: row[at] for at in self._occurring}

    def _parts(
        self, name: Callable[[Scope], str | int | None], *, by_job: bool = False
    ) -> list[Part]:
        """Return the parts of each name; parts of several jobs are joined unless `by_job`."""
        sums: dict[tuple[int | None, str | int | None], list[int]] = {}
        jobs: dict[tuple[int | None, str | int | None], set[int]] = {}
        for scope, row in zip(self.account.scopes, plain(self.account, "by_scope"), strict=True):
            key = scope.job if by_job else None, name(scope)
            before = sums.get(key, [0] * len(row))
            sums[key] = [sum(both) for both in zip(before, row, strict=True)]
            if any(row):
                jobs.setdefault(key, set()).add(scope.job)
        parts = [
            Part(
                min(jobs[key]) if len(jobs[key]) == 1 else None,
                key[1],
                sum(row),
                self._by_category(row),
            )
            for key, row in sums.items()
            if key in jobs
        ]
        return sorted(parts, key=lambda part: -part.total_ps)


def _again(command: str, where: str) -> str:
    """Return the command that keeps an account; options stand before the program of mpirun."""
    words = shlex.split(command)
    own = words.index("--") if "--" in words else len(words)
    words = [word for word in words[:own] if word != "--breakdown"] + words[own:]
    if len(words) < 2 or words[1] not in ("simulate", "mpirun", "replay"):
        return "odonata simulate ... --explain -o run.nc, or simulate(..., explain=True)"
    output = [] if {"-o", "--output", "--result"} & set(words) else ["-o", where]
    told = [] if "--explain" in words else ["--explain"]
    return shlex.join([*words[:2], *told, *output, *words[2:]])
