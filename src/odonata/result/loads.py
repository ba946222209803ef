"""Utilisation of links: by link, by class, by group.

The utilisation of a link is the share of the run in which it was sending, ``busy / end``; it is
stalled while packets wait for it, it is free, and no buffer at its far end has room. Where the
engine has no links (``analytic`` without contention), everything is zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odonata.result.result import Result
from odonata.result.run import ClassLoad
from odonata.units import exact_sum

__all__ = [
    "ClassLoad",
    "LinkLoad",
    "between_routers",
    "busiest_links",
    "class_loads",
    "group_loads",
    "num_groups",
    "num_routers",
    "router_loads",
    "stalled_shares",
    "utilisations",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinkLoad:
    """Load of one link.

    Parameters
    ----------
    link
        Its number.
    class_name
        Name of its class.
    source, target
        Routers at its ends; the node, at the node's end of an injection or ejection link.
    group_from, group_to
        Groups at its ends.
    num_bytes
        Bytes that it sent, headers included [B].
    utilisation, stalled
        Shares of the run, from 0 to 1.
    peak_waiting_bytes
        Most bytes that waited for it at its router [B]; queues of NICs are not counted.
    """

    link: int
    class_name: str
    source: int
    target: int
    group_from: int
    group_to: int
    num_bytes: int
    utilisation: float
    stalled: float
    peak_waiting_bytes: int


def utilisations(result: Result) -> Floats:
    """Return the share of the run in which each link was sending.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    ndarray of float64, shape (num_links,)
        From 0 to 1.
    """
    return _shares(result, "busy")


def stalled_shares(result: Result) -> Floats:
    """Return the share of the run in which each link had packets, was free, and lacked credit.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    ndarray of float64, shape (num_links,)
        From 0 to 1.
    """
    return _shares(result, "stalled")


def class_loads(result: Result) -> list[ClassLoad]:
    """Return the loads of each class of links, in the order of the machine's classes.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    list of ClassLoad
        One a class that has links.
    """
    if result.run.loads is not None:
        return list(result.run.loads)
    classes = result.run.links["class"]
    present = [
        number for number in range(len(result.run.link_classes)) if np.any(classes == number)
    ]
    return [_class_load(result, number) for number in present]


def busiest_links(result: Result, n: int = 10) -> list[LinkLoad]:
    """Return the links that were sending longest, the busiest first.

    Parameters
    ----------
    result
        A run.
    n
        How many; links that sent nothing are left out.

    Returns
    -------
    list of LinkLoad
        At most `n`; equally busy ones by their number.
    """
    links = result.run.links
    order = np.argsort(-links["busy"], kind="stable")[: max(0, n)]
    used = utilisations(result)
    stalled = stalled_shares(result)
    return [
        LinkLoad(
            link=int(link),
            class_name=result.run.link_classes[links["class"][link]],
            source=int(links["from"][link]),
            target=int(links["to"][link]),
            group_from=int(links["group_from"][link]),
            group_to=int(links["group_to"][link]),
            num_bytes=int(links["bytes"][link]),
            utilisation=float(used[link]),
            stalled=float(stalled[link]),
            peak_waiting_bytes=int(links["peak_waiting"][link]),
        )
        for link in order
        if links["busy"][link] > 0
    ]


def group_loads(result: Result) -> Floats:
    """Return how busy the links from each group to each other are, on average.

    Links of nodes are left out; the diagonal has links between the routers of a group.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    ndarray of float64, shape (num_groups, num_groups)
        Mean utilisation from row to column, from 0 to 1; NaN where no link is.
    """
    return _loads_between(result, "group_from", "group_to")


def router_loads(result: Result) -> Floats:
    """Return how busy the links from each router to each other are, on average.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    ndarray of float64, shape (num_routers, num_routers)
        Mean utilisation from row to column, from 0 to 1; NaN where no link is. Routers that have
        no link to another are left out at the end.
    """
    return _loads_between(result, "from", "to")


def num_groups(result: Result) -> int:
    """Return how many groups the links of a run join; 1 on machines without groups.

    Parameters
    ----------
    result
        A run.
    """
    links = result.run.links
    return 1 + int(max(links["group_from"].max(initial=0), links["group_to"].max(initial=0)))


def num_routers(result: Result) -> int:
    """Return how many routers are joined by links to others, those between them included.

    Parameters
    ----------
    result
        A run.
    """
    links = result.run.links
    between = between_routers(result)
    ends = max(links["from"][between].max(initial=-1), links["to"][between].max(initial=-1))
    return 1 + int(ends)


def between_routers(result: Result) -> NDArray[np.bool_]:
    """Return which links join two routers, not a router and a node.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    ndarray of bool, shape (num_links,)
    """
    names = result.run.link_classes
    ends = ("injection", "ejection")
    of_nodes = [at for at, name in enumerate(names) if name.partition("-")[0] in ends]
    return ~np.isin(result.run.links["class"], of_nodes)


def _loads_between(result: Result, source: str, target: str) -> Floats:
    links, chosen = result.run.links, between_routers(result)
    size = num_groups(result) if source == "group_from" else num_routers(result)
    place = links[source][chosen].astype(np.int64) * size + links[target][chosen]
    count = np.bincount(place, minlength=size * size)
    total = np.bincount(place, weights=utilisations(result)[chosen], minlength=size * size)
    mean = np.full(size * size, np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return mean.reshape(size, size)


def _shares(result: Result, column: str) -> Floats:
    times = result.run.links[column].astype(np.float64)
    return times / result.run.end if result.run.end > 0 else np.zeros_like(times)


def _class_load(result: Result, number: int) -> ClassLoad:
    links, buffers = result.run.links, result.run.buffers
    mine = links["class"] == number
    behind = mine[buffers["link"]]
    sent = links["bytes"][mine] > 0
    used = utilisations(result)[mine][sent]
    capacity, peak = buffers["capacity"][behind], buffers["peak"][behind]
    return ClassLoad(
        name=result.run.link_classes[number],
        num_links=int(mine.sum()),
        num_used=int(sent.sum()),
        num_bytes=exact_sum(links["bytes"][mine]),
        mean_utilisation=float(used.mean()) if len(used) else 0.0,
        max_utilisation=float(used.max(initial=0.0)),
        stalled_ps=exact_sum(links["stalled"][mine]),
        max_stalled=float(stalled_shares(result)[mine].max()),
        num_buffers=int(behind.sum()),
        num_filled=int((buffers["refused"][behind] > 0).sum()),
        max_filling=float((peak / np.maximum(capacity, 1)).max(initial=0.0)),
    )
