"""Tables of a run for pandas, with units in the names of their columns.

Times become seconds (float64), which tell one picosecond from the next in the first two hours. The
dataset has whole picoseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from odonata.errors import UserError
from odonata.result.run import Run
from odonata.result.variables import variables

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

__all__ = ["links_frame", "messages_frame", "ranks_frame"]


def links_frame(run: Run) -> pandas.DataFrame:
    """Return the load of each link.

    Parameters
    ----------
    run
        The run.

    Returns
    -------
    pandas.DataFrame
        Indexed by ``link``: ``class`` (its name), ``from, to, group_from, group_to, bytes``,
        ``busy_seconds``, ``busy_share`` of the run, ``stalled_seconds``, ``peak_waiting_bytes``.
    """
    import pandas

    links = run.links
    busy = _seconds(links["busy"])
    names = np.array(run.link_classes, dtype=object)
    frame = pandas.DataFrame(
        {
            "class": pandas.Categorical(names[links["class"]], categories=list(run.link_classes)),
            **{key: links[key] for key in ("from", "to", "group_from", "group_to", "bytes")},
            "busy_seconds": busy,
            "busy_share": busy / (run.end / 1e12) if run.end > 0 else np.zeros(len(busy)),
            "stalled_seconds": _seconds(links["stalled"]),
            "peak_waiting_bytes": links["peak_waiting"],
        }
    )
    return frame.rename_axis("link")


def ranks_frame(run: Run) -> pandas.DataFrame:
    """Return where each rank was and when it ended.

    Parameters
    ----------
    run
        The run.

    Returns
    -------
    pandas.DataFrame
        Indexed by ``job`` and ``rank``: ``node``, ``finished_seconds``, and for each phase its
        ``..._seconds``.
    """
    import pandas

    made = variables(run)
    columns = {
        "node": made["rank_node"].values,
        "finished_seconds": _seconds(made["rank_finished"].values),
    }
    if "phase_time" in made:
        for at, name in enumerate(made["phase"].values):
            columns[f"{name}_seconds"] = _seconds(made["phase_time"].values[:, at])
    owners = [made["rank_job"].values, made["rank"].values]
    index = pandas.MultiIndex.from_arrays(owners, names=["job", "rank"])
    return pandas.DataFrame(columns, index=index)


def messages_frame(run: Run) -> pandas.DataFrame:
    """Return every message that was recorded.

    Parameters
    ----------
    run
        The run.

    Returns
    -------
    pandas.DataFrame
        A row a message: ``job, source, target`` (ranks), ``bytes, sent_seconds,
        delivered_seconds, latency_seconds`` and ``routers`` (mean of its packets).

    Raises
    ------
    UserError
        Messages were not recorded one by one.
    """
    import pandas

    made = variables(run)
    if "message_job" not in made:
        allowed = "runs with record_messages=True, or with -o or --plot and up to 200,000 messages"
        raise UserError("messages: this run did not record them", allowed=allowed)
    values = {name: made[f"message_{name}"].values for name in ("job", "source", "target", "bytes")}
    sent, delivered = made["message_sent"].values, made["message_delivered"].values
    return pandas.DataFrame(
        {
            **values,
            "sent_seconds": _seconds(sent),
            "delivered_seconds": _seconds(delivered),
            "latency_seconds": _seconds(delivered.astype(np.int64) - sent.astype(np.int64)),
            "routers": made["message_routers"].values,
        }
    ).rename_axis("message")


def _seconds(picoseconds: NDArray[np.generic]) -> NDArray[np.float64]:
    return picoseconds.astype(np.float64) / 1e12
