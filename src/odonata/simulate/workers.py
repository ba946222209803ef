"""Simulations side by side, on all cores of this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from threading import Event
from typing import TypeVar

from odonata.simulate.simulation import Progress

__all__ = ["in_threads"]

T = TypeVar("T")

Check = Callable[[Progress], None]
"""A `progress` of a run that stops it when the others are to stop."""


def in_threads(
    works: Sequence[Callable[[Check], T]], workers: int | None = None
) -> Iterator[tuple[int, T]]:
    """Yield number and result of each work, as they end; stops all when interrupted.

    Parameters
    ----------
    works
        Each makes a simulation, whose `progress` is the argument. A simulation needs the
        interpreter only before and after.
    workers
        Threads; None: as many as this process may use.
    """
    stop = Event()

    def check(_progress: Progress) -> None:
        if stop.is_set():
            raise CancelledError

    with ThreadPoolExecutor(workers or len(os.sched_getaffinity(0))) as pool:
        waiting = {pool.submit(work, check): at for at, work in enumerate(works)}
        try:
            for ended in as_completed(waiting):
                yield waiting[ended], ended.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
