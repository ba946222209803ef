"""Stretches of the critical path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from odonata.explain.words import words_of
from odonata.result import Run
from odonata.result.explanation import Explanation

__all__ = ["Hop", "Stretch", "hops", "link_ends", "stretches"]


@dataclass(frozen=True)
class Stretch:
    """A part of the critical path: work of a rank, or a part of a message's way.

    Parameters
    ----------
    begin_ps, end_ps
        When it begins and ends [ps].
    category
        Where the time belongs.
    job
        Number of the job.
    rank
        Rank of the job that works, or has sent the message.
    to
        Rank of the job that waits for the message; None: work.
    function, phase
        MPI function or operation, and phase, of the rank that works or waits; None: none.
    link
        Number of the link that the message waits for; None: none.
    link_ends
        Where that link is, in words; empty: nowhere.
    full
        Number of the full link that fills the buffers behind a link without credit; None: not
        known, or the wait is another one.
    full_ends
        Where that link is, in words; empty: nowhere.
    """

    begin_ps: int
    end_ps: int
    category: str
    job: int
    rank: int
    to: int | None
    function: str | None
    phase: str | None
    link: int | None
    link_ends: str
    full: int | None
    full_ends: str

    @property
    def length_ps(self) -> int:
        """How long it is [ps]."""
        return self.end_ps - self.begin_ps

    @property
    def link_name(self) -> str:
        """Number of the link and where it is; empty: no link."""
        return "" if self.link is None else f"link {self.link} ({self.link_ends})"

    @property
    def full_name(self) -> str:
        """Number of the full link and where it is; empty: no link."""
        return "" if self.full is None else f"link {self.full} ({self.full_ends})"

    def __str__(self) -> str:
        if self.to is None:
            did = f"rank {self.rank}: {words_of(self.category)}"
        else:
            did = f"message from rank {self.rank} to rank {self.to}: {words_of(self.category)}"
        if self.link is not None:
            did += f", {self.link_name}"
        if self.full is not None:
            did += f", because {self.full_name} is full"
        return f"{did}, in {self.function}" if self.function else did


def stretches(run: Run, explanation: Explanation) -> Iterator[Stretch]:
    """Yield the stretches of the critical path in the order of time.

    Parameters
    ----------
    run
        The run.
    explanation
        Its account; without a path it has none.
    """
    if explanation.path is None:
        return
    path = {key: column.tolist() for key, column in explanation.path.items()}
    places = [(number, rank) for number, job in enumerate(run.jobs) for rank in _ranks(job.nodes)]
    for at in range(len(path["begin"])):
        scope = explanation.scopes[path["scope"][at]]
        job, rank = places[path["rank"][at]]
        to, link, full = path["to"][at], path["link"][at], path["full"][at]
        phases = run.jobs[scope.job].phases
        yield Stretch(
            begin_ps=path["begin"][at],
            end_ps=path["end"][at],
            category=explanation.categories[path["category"][at]],
            job=job,
            rank=rank,
            to=None if to < 0 else places[to][1],
            function=scope.function or None,
            phase=phases[scope.phase] if scope.phase >= 0 else None,
            link=None if link < 0 else link,
            link_ends="" if link < 0 else _ends(run, link),
            full=None if full < 0 else full,
            full_ends="" if full < 0 else _ends(run, full),
        )


def _ranks(nodes: object) -> range:
    return range(len(nodes))  # type: ignore[arg-type]


def link_ends(run: Run, link: int) -> tuple[str, str]:
    """Return where a link begins and ends, in words.

    Parameters
    ----------
    run
        The run.
    link
        Number of the link.
    """
    name = run.link_classes[int(run.links["class"][link])]
    begin = "node" if name.partition("-")[0] == "injection" else "router"
    end = "node" if name.partition("-")[0] == "ejection" else "router"
    source, target = int(run.links["from"][link]), int(run.links["to"][link])
    return f"{begin} {source}", f"{end} {target}"


def _ends(run: Run, link: int) -> str:
    begin, end = link_ends(run, link)
    return f"{run.link_classes[int(run.links['class'][link])]}, {begin} to {end}"


@dataclass(frozen=True)
class Hop:
    """A part of the critical path on one rank, or between two.

    Parameters
    ----------
    begin_ps, end_ps
        When it begins and ends [ps].
    rank, to
        Rank that works, or the sending rank and the waiting rank; numbered through all jobs, and -1
        for no other.
    """

    begin_ps: int
    end_ps: int
    rank: int
    to: int


def hops(explanation: Explanation) -> list[Hop]:
    """Return where the critical path is over time: on a rank, or on the way between two.

    Parameters
    ----------
    explanation
        Account of a run; without a path it is nowhere.
    """
    if explanation.path is None:
        return []
    made: list[Hop] = []
    path = {key: explanation.path[key].tolist() for key in ("begin", "end", "rank", "to")}
    for begin, end, rank, to in zip(*path.values(), strict=True):
        if made and (made[-1].rank, made[-1].to) == (rank, to):
            made[-1] = Hop(made[-1].begin_ps, end, rank, to)
        else:
            made.append(Hop(begin, end, rank, to))
    for at, (hop, after) in enumerate(pairwise(made)):
        if hop.to >= 0:  # who sent waits as well, until the message has left its node
            made[at] = Hop(hop.begin_ps, hop.end_ps, hop.rank, after.rank)
    return made
