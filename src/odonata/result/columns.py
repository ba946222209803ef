"""Numbers of a run that become NumPy arrays when they are asked for.

A run that prints its summary asks for none, and NumPy is then not imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Column", "Columns", "plain"]


class Column:
    """A field of a dataclass that takes anything array-like, and is read as an array."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Column: ...
    @overload
    def __get__(self, instance: object, owner: type) -> NDArray[Any]: ...
    def __get__(self, instance: object | None, owner: type) -> Column | NDArray[Any]:
        if instance is None:
            raise AttributeError(self._name)  # the dataclass learns that there is no default
        import numpy as np

        return np.asarray(vars(instance)[self._name])

    def __set__(self, instance: object, values: ArrayLike) -> None:
        vars(instance)[self._name] = values


def plain(owner: object, name: str) -> list[Any]:
    """Return the numbers of a `Column` as lists, for which NumPy is not imported.

    Parameters
    ----------
    owner
        A dataclass with such a field.
    name
        Name of the field.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Job:
    ...     nodes: Column = Column()
    >>> plain(Job(memoryview(b"ab")), "nodes")
    [97, 98]
    """
    numbers = vars(owner)[name]
    return numbers.tolist() if hasattr(numbers, "tolist") else list(numbers)


class Columns(Mapping[str, "NDArray[Any]"]):
    """Columns of a table by name.

    Parameters
    ----------
    sources
        The numbers of each column, or a function that returns them.

    Examples
    --------
    >>> table = Columns({"bytes": memoryview(b"ab"), "twice": lambda: [2 * n for n in b"ab"]})
    >>> table["twice"]
    array([194, 196])
    """

    def __init__(self, sources: Mapping[str, ArrayLike | Callable[[], ArrayLike]]) -> None:
        self._sources = dict(sources)

    def __getitem__(self, name: str) -> NDArray[Any]:
        import numpy as np

        source = self._sources[name]
        self._sources[name] = array = np.asarray(source() if callable(source) else source)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)
