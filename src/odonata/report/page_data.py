"""Numbers of an explained run that its page draws, small enough to travel with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from odonata.explain import Explained, Timeline, words_of
from odonata.explain.path import hops, link_ends
from odonata.explain.timeline import KINDS
from odonata.report.category_colours import OTHER, category_colours
from odonata.report.explanation_figure import MOST_SERIES, bar_groups
from odonata.report.network_map import map_network
from odonata.report.style import class_colours
from odonata.report.timeline_figure import KIND_COLOURS
from odonata.result import Result, stalled_shares, utilisations
from odonata.result.explanation import OVER
from odonata.result.kinds import LEGS
from odonata.result.loads import between_routers

__all__ = ["page_data"]

MOST_INTERVALS = 150_000
"""Intervals of all ranks up to which the page has each of them."""

MOST_MESSAGES = 12_000
"""Messages up to which the page has each of them; else it has the slowest."""

MOST_NODE_LINKS = 200
"""Links of nodes on the page: first links that the critical path waits for, then the busiest."""

MOST_HOPS = 20_000
"""Hops of the critical path that the page draws."""

BINS, USE_BINS = 240, 60
MOST_USERS = 5
DIGITS = "0123456789"


def page_data(explained: Explained) -> dict[str, Any]:
    """Return the data of a run's page, as plain values.

    Parameters
    ----------
    explained
        The run.
    """
    timeline = None if explained.account.causes is None else explained.timeline
    return {
        "length": explained.length_ps,
        "ranks": _ranks(explained),
        "bars": _bars(explained),
        "path": _path(explained),
        "kinds": [[name, colour] for name, colour in zip(KINDS, KIND_COLOURS, strict=True)],
        "timeline": _coarse(explained) if timeline is None else _timeline(timeline),
        "messages": None if timeline is None else _messages(timeline),
        "map": _map(explained, timeline),
    }


def _ranks(explained: Explained) -> dict[str, Any]:
    names = list(explained.path_ps)
    return {
        "job": [rank.job for rank in explained.ranks],
        "rank": [rank.rank for rank in explained.ranks],
        "at": _positions(explained),
        "node": [rank.node for rank in explained.ranks],
        "end": [rank.end_ps for rank in explained.ranks],
        "categories": [words_of(name) for name in names],
        "times": [[rank.categories_ps[name] for name in names] for rank in explained.ranks],
    }


def _positions(explained: Explained) -> list[int]:
    """Return the number of each explained rank among the ranks of all jobs."""
    firsts, before = [], 0
    for job in explained.run.jobs:
        firsts.append(before)
        before += len(job.nodes)
    return [firsts[rank.job] + rank.rank for rank in explained.ranks]


def _bars(explained: Explained) -> dict[str, Any]:
    """Return the stacked bars: mean times by category of groups of neighbouring ranks."""
    totals = explained.totals_ps()
    order = sorted(totals, key=lambda name: -totals[name] - explained.path_ps[name])
    shown, rest = order[:MOST_SERIES], order[MOST_SERIES:]
    colours = category_colours(explained.run.link_classes)
    labels = [words_of(name) for name in shown] + (["other"] if rest else [])
    parts = [[name] for name in shown] + ([rest] if rest else [])

    def stack(bars: list[dict[str, int]]) -> list[list[int]]:
        return [
            [
                round(sum(bars[at][name] for at in group for name in part) / len(group))
                for part in parts
            ]
            for group in bar_groups(len(bars))
        ]

    return {
        "labels": labels,
        "colours": [colours[name] for name in shown] + ([OTHER] if rest else []),
        "ranks": stack([rank.categories_ps for rank in explained.ranks]),
        "groups": [[group.start, group.stop - 1] for group in bar_groups(len(explained.ranks))],
        "steps": stack(explained.steps_ps),
        "step_groups": [
            [group.start, group.stop - 1] for group in bar_groups(len(explained.steps_ps))
        ],
        "path": [sum(explained.path_ps[name] for name in part) for part in parts],
    }


def _path(explained: Explained) -> list[list[int]]:
    """Return the critical path: begin, end, rank and the rank that waits; the last hops of many."""
    return [
        [hop.begin_ps, hop.end_ps, hop.rank, hop.to] for hop in hops(explained.account)[-MOST_HOPS:]
    ]


def _coarse(explained: Explained) -> dict[str, Any] | None:
    """Return the timeline of a run whose steps were too many to keep."""
    kinds = explained.account.kinds
    if kinds is None:
        return None
    rows = ["".join(DIGITS[kind] if kind != OVER else " " for kind in row) for row in kinds]
    return {"exact": False, "bins": kinds.shape[1], "rows": rows}


def _timeline(timeline: Timeline) -> dict[str, Any]:
    ranks = timeline.num_ranks
    if len(timeline.rank) <= MOST_INTERVALS:
        cuts = np.cumsum(np.bincount(timeline.rank, minlength=ranks))[:-1]
        kinds = np.split(timeline.kind, cuts)
        times = np.split(timeline.end - timeline.begin, cuts)
        rows: list[Any] = [
            ["".join(DIGITS[kind] for kind in kind_of), time_of.tolist()]
            for kind_of, time_of in zip(kinds, times, strict=True)
        ]
        return {"exact": True, "rows": rows}
    shares = timeline.shares(BINS, ranks)
    most = shares.argmax(axis=2)
    spent = shares.sum(axis=2) > 0.5
    rows = [
        "".join(DIGITS[kind] if there else " " for kind, there in zip(row, mask, strict=True))
        for row, mask in zip(most.tolist(), spent.tolist(), strict=True)
    ]
    return {"exact": False, "bins": BINS, "rows": rows}


def _messages(timeline: Timeline) -> dict[str, Any]:
    found = timeline.messages
    count = len(found.sent)
    chosen = np.arange(count)
    if count > MOST_MESSAGES:
        slowest = np.argsort(found.sent - found.delivered, kind="stable")[:MOST_MESSAGES]
        chosen = np.sort(slowest)
    columns = (found.source, found.target, found.sent, found.delivered, found.size)
    keys = ("source", "target", "sent", "delivered", "size")
    made: dict[str, Any] = {
        key: column[chosen].tolist() for key, column in zip(keys, columns, strict=True)
    }
    return {**made, "count": count}


def _map(explained: Explained, timeline: Timeline | None) -> dict[str, Any]:
    result = Result(explained.run)
    run = result.run
    drawn = map_network(result)
    place = {router: at for at, router in enumerate(drawn.routers)}
    colours = class_colours(run.link_classes)
    links = run.links
    of_nodes = _node_links(explained)
    told = _told(result, timeline, [*drawn.links, *of_nodes])
    return {
        "routers": drawn.routers,
        "places": [[round(x, 2), round(y, 2)] for x, y in drawn.places],
        "frames": [[name, [round(each, 2) for each in box]] for name, box in drawn.frames],
        "left_out": drawn.left_out,
        "classes": [[name, colours[name]] for name in run.link_classes],
        "links": [
            [link, place[int(links["from"][link])], place[int(links["to"][link])], *told[link]]
            for link in drawn.links
        ],
        "node_links": [[link, *link_ends(run, link), *told[link]] for link in of_nodes],
        "waited": timeline is not None,
    }


def _told(result: Result, timeline: Timeline | None, chosen: list[int]) -> dict[int, list[Any]]:
    """Return class, bytes, busy share, share without credit, and uses of links."""
    links = result.run.links
    busy, stalled = utilisations(result), stalled_shares(result)
    uses = {} if timeline is None else _uses(timeline, chosen)
    return {
        link: [
            int(links["class"][link]),
            int(links["bytes"][link]),
            round(float(busy[link]), 4),
            round(float(stalled[link]), 4),
            *uses.get(link, ["", []]),
        ]
        for link in chosen
    }


def _node_links(explained: Explained) -> list[int]:
    """Return links of nodes, by the longest waits of the path, then the busiest."""
    result = Result(explained.run)
    links, path = result.run.links, explained.require_path()
    of_node = ~between_routers(result)
    waited = np.zeros(len(of_node), dtype=np.int64)
    waits = path["link"] >= 0
    np.add.at(waited, path["link"][waits], (path["end"] - path["begin"])[waits])
    used = np.flatnonzero(of_node & (links["bytes"] > 0))
    order = np.lexsort((used, -links["busy"][used], -waited[used]))
    chosen: list[int] = used[order[:MOST_NODE_LINKS]].tolist()
    return chosen


def _uses(timeline: Timeline, links: list[int]) -> dict[int, list[Any]]:
    """Return when messages were on each link, as digits by interval, and whose most bytes were."""
    uses, crossings = timeline.uses, timeline.causes.crossings
    order = np.argsort(uses.link, kind="stable")
    sorted_links = uses.link[order]
    width = max(1, timeline.explained.length_ps / USE_BINS)
    made: dict[int, list[Any]] = {}
    for link in links:
        mine = order[np.searchsorted(sorted_links, link) : np.searchsorted(sorted_links, link + 1)]
        if not len(mine):
            continue
        answers = crossings["leg"][uses.crossing[mine]] == LEGS.index("answer")
        sides = [crossings[key][uses.crossing[mine]] for key in ("from", "to")]
        pairs = np.where(answers, sides[1], sides[0]), np.where(answers, sides[0], sides[1])
        sizes = crossings["bytes"][uses.crossing[mine]]
        made[link] = [_filling(uses.begin[mine], uses.end[mine], width), _users(*pairs, sizes)]
    return made


def _filling(begin: NDArray[np.int64], end: NDArray[np.int64], width: float) -> str:
    """Return how much of each interval a message was at the link, from 0 to 9."""
    order = np.argsort(begin)
    merged_end = np.maximum.accumulate(end[order])
    start = begin[order]
    new = np.ones(len(start), dtype=bool)
    new[1:] = start[1:] > merged_end[:-1]
    firsts = np.flatnonzero(new)
    starts, ends = start[firsts], merged_end[np.append(firsts[1:], len(start)) - 1]
    used = np.cumsum(ends - starts)
    # The time for which the link was used until each of its changes, and until each edge.
    times = np.stack([starts, ends], axis=1).ravel()
    until = np.stack([used - (ends - starts), used], axis=1).ravel()
    shares = np.diff(np.interp(np.arange(USE_BINS + 1) * width, times, until)) / width
    digits = np.ceil(9 * shares - 1e-9).astype(int)
    return "".join(DIGITS[max(0, min(9, digit))] for digit in digits.tolist())


def _users(
    source: NDArray[np.int64], target: NDArray[np.int64], sizes: NDArray[np.int64]
) -> list[list[int]]:
    """Return the pairs of ranks with the most bytes: sender, receiver, crossings, bytes."""
    pairs, number, counts = np.unique(
        source.astype(np.int64) << 32 | target.astype(np.int64),
        return_inverse=True,
        return_counts=True,
    )
    amounts = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(amounts, number, sizes.astype(np.int64))
    most = np.lexsort((pairs, -amounts))[:MOST_USERS].tolist()
    rows = [
        [int(pairs[at] >> 32), int(pairs[at] & 0xFFFFFFFF), int(counts[at]), int(amounts[at])]
        for at in most
    ]
    others = len(pairs) - len(rows)
    return [*rows, [others]] if others else rows
