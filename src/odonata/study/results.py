"""Results of a study: its runs in the order of the study file, as rows, a frame or a dataset."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from odonata.errors import ReadError, UserError, near_miss
from odonata.study.plan import Plan
from odonata.study.records import FOLDER, Reading, marked_in
from odonata.study.shapes import Point, Record
from odonata.study.values import Value, is_met, number_of
from odonata.study.work import file_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = ["Conditions", "Row", "Study"]

Conditions = Mapping[str, str]
"""Conditions by axis: a value, or a comparison such as ``> 512``."""

BEGUN = b'{"begun"'
"""Begin of a line that says that a run has begun."""

MOST_OPEN = 64
"""Files of records that are open at a time."""


@dataclass(frozen=True)
class Row:
    """A run of a study.

    Parameters
    ----------
    point
        The combination.
    seed
        The seed; 0 for a command without seeds.
    record
        Its result or error.
    """

    point: Point
    seed: int
    record: Record


class Study:
    """The runs of a study's folder, also while it runs.

    Parameters
    ----------
    folder
        Folder that ``odonata study run`` has made.

    Raises
    ------
    UserError
        The folder has no plan, or it is of another version.

    Examples
    --------
    .. code-block:: python

        study = Study("folder")
        study.frame.groupby(["machine", "bytes"]).time_seconds.median()
        study.dataset.time_seconds.sel(machine="eos").plot()
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.plan = Plan(self.folder)
        self.file = self.plan.study
        self._decode = msgspec.json.Decoder(Record).decode
        self._names: list[str] = []
        self._index = self._read_index()
        self._files = _Files(self.folder, self._names)

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the axes, in the order of the study file."""
        return self.file.options

    @property
    def complete(self) -> bool:
        """Whether no run is missing, see `missing`."""
        return self.missing == 0

    @cached_property
    def missing(self) -> int:
        """Number of combinations whose seeds have not all ended, or at least as many as needed."""
        return sum(not self._has_ended(at) for at in range(len(self.plan)))

    @property
    def failed(self) -> int:
        """Number of failed runs."""
        return sum(self._index.failed)

    @property
    def ended(self) -> int:
        """Number of runs that have ended, also of failed ones."""
        return sum(at >= 0 for at in self._index.offsets)

    def rows(self, where: Conditions | None = None, of: str | None = None) -> Iterator[Row]:
        """Yield the runs that have ended, in the order of the study file and of the seeds.

        Parameters
        ----------
        where
            Conditions by axis that the runs meet, see `values.is_met`.
        of
            The only result that is wanted, which is faster; None: all.

        Raises
        ------
        UserError
            The study has no such axis.
        """
        conditions = {self.position(name): wanted for name, wanted in (where or {}).items()}
        seeds = self.file.seeds.values or (0,)
        decode = self._decode if of is None else _decoder_of(of)
        for at in range(len(self.plan)):
            slots = range(at * len(seeds), (at + 1) * len(seeds))
            ended = [slot for slot in slots if self._index.offsets[slot] >= 0]
            if not ended:
                continue
            point = self.plan[at]
            if not all(is_met(point.values[at], wanted) for at, wanted in conditions.items()):
                continue
            for slot in ended:
                yield Row(point, seeds[slot - slots.start], self._record(decode, slot))

    def position(self, name: str) -> int:
        """Return the number of an axis.

        Parameters
        ----------
        name
            Its option, without dashes.

        Raises
        ------
        UserError
            The study has no such axis.
        """
        if name not in self.options:
            near = near_miss(name, self.options)
            allowed = ", ".join(self.options) or "none: it has no axes"
            raise UserError("study: not an axis", value=name, allowed=allowed, near=near)
        return self.options.index(name)

    def path_of(self, row: Row) -> Path:
        """Return the file of a run, where the study keeps files.

        Parameters
        ----------
        row
            The run.
        """
        return file_of(self.folder, self.file, row.point.key, row.seed)

    def columns_of(self, row: Row) -> dict[str, Any]:
        """Return a run as one row of a table: the options of its axes, its seed, its results.

        Parameters
        ----------
        row
            The run.
        """
        told = zip(self.options, row.point.values, strict=True)
        columns: dict[str, Any] = {name: _plain(value) for name, value in told}
        if self.file.seeds.values:
            columns["seed"] = row.seed
        results = row.record.result or {}
        columns |= {name: value for name, value in results.items() if name not in columns}
        return columns | {"error": row.record.error}

    @property
    def frame(self) -> pd.DataFrame:
        """All runs that have ended as a DataFrame: a row for each, in the order of the study."""
        return self.frame_of()

    @property
    def dataset(self) -> xr.Dataset:
        """Numbers of all runs as a labelled dataset, with a dimension for each axis and the seed.

        Options whose values change together are one dimension, named after the first of them.
        """
        return self.dataset_of()

    def frame_of(self, where: Conditions | None = None) -> pd.DataFrame:
        """Return runs as a DataFrame: a row for each, in the order of the study.

        Parameters
        ----------
        where
            Conditions by axis that the runs meet.
        """
        import pandas as pd

        columns: dict[str, list[Any]] = {}
        for number, row in enumerate(self.rows(where)):
            for name, value in self.columns_of(row).items():
                columns.setdefault(name, [None] * number).append(value)
            for values in columns.values():
                if len(values) == number:
                    values.append(None)
        return pd.DataFrame(columns)

    def dataset_of(self, where: Conditions | None = None) -> xr.Dataset:
        """Return numbers of runs as a labelled dataset, see `dataset`.

        Parameters
        ----------
        where
            Conditions by axis that the runs meet.
        """
        from odonata.study.labelled import dataset_of  # imports xarray

        return dataset_of(self.frame_of(where), self.file)

    def _read_index(self) -> _Index:
        seeds = self.file.seeds.values or (0,)
        number_of_seed = {seed: at for at, seed in enumerate(seeds)}
        first = {point.key: at * len(seeds) for at, point in enumerate(self.plan)}
        size = len(first) * len(seeds)
        index = _Index(array("i", [0]) * size, array("q", [-1]) * size, array("b", [0]) * size)
        for name, offset, line in Reading(self.folder).new_lines():
            if line.startswith(BEGUN):  # half of the lines
                continue
            marked = marked_in(line)
            at, number = first.get(marked.key or ""), number_of_seed.get(marked.seed)
            if at is None or number is None:
                continue
            if not self._names or self._names[-1] != name:
                self._names.append(name)
            slot = at + number
            index.files[slot] = len(self._names) - 1
            index.offsets[slot] = offset
            index.failed[slot] = marked.error is not None
        return index

    def _has_ended(self, at: int) -> bool:
        """Return whether a combination has all runs that it needs."""
        seeds = self.file.seeds
        slots = range(at * seeds.most, (at + 1) * seeds.most)
        ended = [self._index.offsets[slot] >= 0 for slot in slots]
        if seeds.until is None or all(ended):
            return all(ended)
        number = ended.index(False)
        records = (self._record(self._decode, slot) for slot in slots[:number])
        values = [record.number(seeds.of) for record in records]
        return number > 0 and seeds.next_after(values) is None

    def _record(self, decode: Callable[[bytes], Record], slot: int) -> Record:
        file, offset = self._index.files[slot], self._index.offsets[slot]
        try:
            return decode(self._files.line(file, offset))
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            what = f"study: a damaged record: {error}; without its line the run is made again"
            where = f"{self.folder / FOLDER / self._names[file]}:byte {offset}"
            raise UserError(what, where=where) from error


@dataclass(frozen=True)
class _Index:
    """Where the record of each run is: by combination, then seed; -1: it has none."""

    files: array[int]
    offsets: array[int]
    failed: array[int]


class _Files:
    """Files of records, of which a few are open."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._paths = [folder / FOLDER / name for name in names]
        self._opened = lru_cache(maxsize=MOST_OPEN)(self._open)

    def line(self, file: int, offset: int) -> bytes:
        """Return the line that begins there."""
        content = self._opened(file)
        return content[offset : content.find(b"\n", offset)]

    def _open(self, file: int) -> mmap:
        path = self._paths[file]
        try:
            with path.open("rb") as opened:
                return mmap(opened.fileno(), 0, access=ACCESS_READ)
        except OSError as error:
            raise ReadError.of(error, path) from error


def _decoder_of(name: str) -> Callable[[bytes], Record]:
    """Return a decoder that makes records with one result alone."""
    value = msgspec.field(name=name, default=None)
    one = msgspec.defstruct("One", [("value", bool | float | int | str | None, value)])
    short = msgspec.defstruct(
        "Short",
        [
            *(("key", str), ("seed", int), ("command", str)),
            *(("error", str | None, None), ("result", one | None, None)),
        ],
    )
    decode = msgspec.json.Decoder(short).decode

    def decoded(line: bytes) -> Record:
        found: Any = decode(line)
        result = None if found.result is None else {name: found.result.value}
        return Record(found.key, found.seed, found.command, result, found.error)

    return decoded


def _plain(value: Value) -> str | bool | float | int:
    """Return the value of an option as a number if it is written as one, without a unit."""
    if isinstance(value, bool):
        return value
    number = number_of(value)
    if number is None or not value.lstrip("+-").replace(".", "", 1).isdecimal():
        return value
    return int(number) if number == int(number) and "." not in value else number
