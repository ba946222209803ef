"""Results from netCDF files, which may be damaged, or made to harm.

Nothing in a file is executed, and nothing that it claims is believed: sizes are compared with the
length of the file before memory is taken, and numbers of things with their count.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from odonata.errors import ReadError, UserError
from odonata.files import open_regular
from odonata.result.explanation import (
    EXPLANATION_VERSION,
    OVER,
    Causes,
    Explanation,
    Scope,
)
from odonata.result.heaps import check_heaps
from odonata.result.kinds import KINDS, LEGS, STEP_KINDS, WAY_PARTS
from odonata.result.run import JobRun, Run, Scalar
from odonata.result.variables import (
    ATTRIBUTES,
    EXPLANATION,
    FORMAT,
    RECIPE,
    TABLES,
    Array,
    checksum_of,
)
from odonata.result.writing import CHUNK_BYTES

if TYPE_CHECKING:
    import h5py

__all__ = ["MOST_BYTES", "read"]

MOST_BYTES = 16 * 2**30
"""Bytes that all arrays of a file may take together."""

BEST_COMPRESSION = 1100
"""No file of ours is compressed better: zlib reaches 1032."""

MOST_TEXT = 2**26
"""Characters of an attribute."""

MOST_TIME = 2**61
"""Times [ps] and sizes [B] of steps and crossings are below: 26 days, or 2 EiB."""

SUMS = ("link_busy", "scope_time")
"""Sums of times, which are not whole where 64 bits do not hold them."""

LOG_FORMAT = 3  # the first in which packets are numbered by their source
WHOLE_ATTRIBUTES = ("title", "odonata_format", "end_ps", "coordinates")
"""Attributes of the file that hold no JSON text."""

SIGNATURE = b"\x89HDF\r\n\x1a\n"

T = TypeVar("T")
Ints = NDArray[np.int64]


class _JobText(TypedDict):
    """A job as the attribute ``jobs`` describes it."""

    name: str
    background: bool
    workload: dict[str, Scalar]
    totals: dict[str, int]
    phases: list[str]
    has_messages: bool


class _ExplanationText(TypedDict):
    """An account of the time as the attribute ``explanation`` describes it."""

    version: int
    categories: list[str]
    scopes: list[Scope]
    proportions: dict[str, int]


def read(path: str | Path) -> Run:
    """Read a run from a file that `odonata.result.writing.write` made.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Run
        The run.

    Raises
    ------
    UserError
        The file isn't there, isn't ours, is of a newer version, truncated, or damaged; or it
        claims to hold more than it can.
    """
    name = str(path)
    _check_start(name)
    import h5py

    with _refusing_damage(name), h5py.File(name, "r", locking=False) as file:
        _check_format(file, name)
        made = _Reader(file, name).run()
        if _whole(file.attrs["odonata_format"]) > 1:
            _check_attributes(file, name)
        return made


def _check_start(name: str) -> None:
    try:
        with open_regular(name) as file:
            if file.read(len(SIGNATURE)) != SIGNATURE:
                raise UserError(f"{name}: not a result of Odonata: not a netCDF-4 file")
            with _refusing_damage(name):
                check_heaps(file)
    except OSError as error:
        raise ReadError.of(error, name) from error


@contextmanager
def _refusing_damage(name: str) -> Iterator[None]:
    """Turn whatever a damaged file makes the libraries raise into one error of the user's."""
    try:
        yield
    except (UserError, MemoryError):
        raise
    except Exception as error:
        raise UserError(f"{name}: truncated or damaged: {error}") from error


def _check_format(file: h5py.File, name: str) -> None:
    if "odonata_format" not in file.attrs:
        raise UserError(f"{name}: not a result of Odonata: it has no attribute odonata_format")
    version = _whole(file.attrs["odonata_format"])
    if version > FORMAT:
        problem = f"{name}: written by a newer Odonata, in format {version}"
        raise UserError(problem, allowed=f"formats up to {FORMAT}")
    if version < 1:
        raise UserError(f"{name}: no such format", value=version, allowed=f"1 to {FORMAT}")
    if "event_packet" in file and version < LOG_FORMAT:
        problem = f"{name}: the event log of format {version} does not say where packets come from"
        raise UserError(f"{problem}; run it again")


def _check_attributes(file: h5py.File, name: str) -> None:
    import h5py

    kept = [key for key in (EXPLANATION, RECIPE) if key in file.attrs]
    whole = {key: _plain_attribute(file, key) for key in (*WHOLE_ATTRIBUTES, *ATTRIBUTES, *kept)}
    each = {
        variable: {key: _plain_attribute(file[variable], key) for key in ("units", "long_name")}
        for variable in file
        if isinstance(file.get(variable, getlink=True), h5py.HardLink)
        and "units" in file[variable].attrs
    }
    if checksum_of({"": whole, **each}) != _whole(file.attrs["attributes_crc32"]):
        raise UserError(f"{name}: truncated or damaged: an attribute was changed")


def _plain_attribute(holder: h5py.HLObject, key: str) -> str | int:
    value = holder.attrs[key]
    return value if isinstance(value, str) else _whole(value)


def _whole(attribute: object) -> int:
    """Return an attribute that is one whole number; netCDF holds it as an array of one."""
    value = np.asarray(attribute)
    if value.dtype.kind not in "iu" or value.size != 1:
        raise ValueError(f"not a whole number: {attribute!r}")
    return int(value.item())


def _words_in(plain: object) -> Iterator[str]:
    """Yield every text in plain data."""
    if isinstance(plain, str):
        yield plain
    elif isinstance(plain, dict):
        yield from plain
        for value in plain.values():
            yield from _words_in(value)
    elif isinstance(plain, list):
        for value in plain:
            yield from _words_in(value)


def _is_harmless(text: str) -> bool:
    """Return whether a text can be printed without commands to a terminal."""
    return all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") for c in text)


class _Reader:
    """A file on its way to a `Run`; every array passes through `array`."""

    def __init__(self, file: h5py.File, name: str) -> None:
        self._file = file
        self._name = name
        self._room = MOST_BYTES
        self._stored = Path(name).stat().st_size
        self._jobs = self._plain("jobs", list[_JobText])
        self._classes = self._plain("link_classes", list[str])

    def run(self) -> Run:
        """Read all of it."""
        num_classes = len(self._classes)
        links = self._table("link")
        num_links = len(links["from"])
        self._check_numbers("link_class_number", links["class"], num_classes)
        for key in ("from", "to", "group_from", "group_to"):  # none of these is more than links
            self._check_numbers(f"link_{key}", links[key], num_links + 1)
        buffers = self._table("buffer")
        self._check_numbers("buffer_link", buffers["link"], num_links)
        rates = self._array("link_class_rate", (num_classes,))
        times = self._array("time", (None,))
        jobs = self._read_jobs()
        waiting = self._array("waiting", (len(times), num_classes))
        return Run(
            summary=self._plain("summary", dict[str, Scalar]),
            jobs=jobs,
            links=links,
            link_classes=tuple(self._classes),
            link_rates=rates,
            buffers=buffers,
            samples={"time": times, "waiting": waiting},
            log=self._table("event") if "event_time" in self._file else None,
            explanation=self._explanation(jobs, num_links),
            end=_whole(self._file.attrs["end_ps"]),
            machine=self._plain("machine", dict[str, Scalar]),
            options=self._plain("options", dict[str, Scalar]),
            provenance=self._plain("provenance", dict[str, str]),
            recipe=self._text(RECIPE) if RECIPE in self._file.attrs else None,
        )

    def _explanation(self, jobs: Sequence[JobRun], num_links: int) -> Explanation | None:
        if EXPLANATION not in self._file.attrs:
            return None
        said = self._plain(EXPLANATION, _ExplanationText)
        if said["version"] != EXPLANATION_VERSION:
            raise UserError(
                f"{self._name}: explanation of another version",
                value=said["version"],
                allowed=f"{EXPLANATION_VERSION}; run it again with --explain",
            )
        ranks, kinds = sum(len(job.nodes) for job in jobs), len(said["categories"])
        for scope in said["scopes"]:
            self._check_scope(scope, jobs)
        return Explanation(
            categories=tuple(said["categories"]),
            by_rank=self._array("rank_time", (ranks, kinds)),
            scopes=tuple(said["scopes"]),
            by_scope=self._array("scope_time", (len(said["scopes"]), kinds)),
            path=self._path(ranks, kinds, num_links, len(said["scopes"])),
            proportions=said["proportions"],
            causes=self._causes(ranks, num_links, len(said["scopes"])),
            kinds=self._kinds(ranks),
        )

    def _path(
        self, ranks: int, kinds: int, num_links: int, num_scopes: int
    ) -> dict[str, Ints] | None:
        if "stretch_begin" not in self._file:
            return None
        path = self._table("stretch")
        for key, least, count in (
            ("rank", 0, ranks),
            ("to", -1, ranks),
            ("category", 0, kinds),
            ("link", -1, num_links),
            ("full", -1, num_links),
            ("scope", 0, num_scopes),
        ):
            self._check_numbers(f"stretch_{key}", path[key] - least, count - least)
        return path

    def _kinds(self, ranks: int) -> NDArray[np.uint8] | None:
        if "rank_kind" not in self._file:
            return None
        kinds = self._array("rank_kind", (ranks, None))
        self._check_numbers("rank_kind", kinds[kinds != OVER], len(KINDS))
        return kinds.astype(np.uint8)

    def _causes(self, ranks: int, num_links: int, num_scopes: int) -> Causes | None:
        if "step_kind" not in self._file:
            return None
        counts = self._array("rank_steps", (ranks,))
        steps, crossings, pieces = (self._table(dim) for dim in ("step", "crossing", "piece"))
        many, total = len(crossings["end"]), len(pieces["time"])
        for dim, columns, bounds in (
            ("step", steps, {"kind": (0, len(STEP_KINDS)), "scope": (0, num_scopes)}),
            ("step", steps, {"cause": (-1, many), "time": (0, MOST_TIME)}),
            ("crossing", crossings, {"handed": (0, MOST_TIME), "end": (0, MOST_TIME)}),
            ("crossing", crossings, {key: (0, ranks) for key in ("launcher", "from", "to")}),
            ("crossing", crossings, {"parent": (-1, many), "leg": (0, len(LEGS))}),
            ("crossing", crossings, {"pieces": (0, total + 1), "bytes": (0, MOST_TIME)}),
            ("piece", pieces, {"part": (0, len(WAY_PARTS)), "link": (0, num_links)}),
            ("piece", pieces, {"time": (0, MOST_TIME)}),
        ):
            for key, (least, most) in bounds.items():
                numbers = columns[key].astype(np.int64) - least
                self._check_numbers(f"{dim}_{key}", numbers, most - least)
        self._check_numbers("rank_steps", counts, len(steps["time"]) + 1)
        if int(counts.sum()) != len(steps["time"]) or int(crossings["pieces"].sum()) != total:
            raise self._damaged("steps or pieces are counted wrongly")
        if np.any(crossings["end"] < crossings["handed"]):
            raise self._damaged("a crossing ends before it begins")
        return Causes(counts=counts, steps=steps, crossings=crossings, pieces=pieces)

    def _check_scope(self, scope: Scope, jobs: Sequence[JobRun]) -> None:
        if not 0 <= scope.job < len(jobs):
            raise self._damaged("an explained part is of no job")
        if not -1 <= scope.phase < len(jobs[scope.job].phases):
            raise self._damaged("an explained part is in no phase")

    def _read_jobs(self) -> tuple[JobRun, ...]:
        everyone = [True] * len(self._jobs)
        slices = self._slices("rank", everyone)
        num_ranks = slices[-1].stop if slices else 0
        nodes = self._array("rank_node", (num_ranks,)).astype(np.int32, casting="same_kind")
        finished = self._array("rank_finished", (num_ranks,))
        marks = self._split("mark", everyone)
        messages = self._split("message", [job["has_messages"] for job in self._jobs])
        latencies = self._latencies()
        made = []
        for number, job in enumerate(self._jobs):
            ranks = slices[number].stop - slices[number].start
            self._check_job(job, ranks, marks[number], messages[number])
            made.append(
                JobRun(
                    name=job["name"],
                    background=job["background"],
                    workload=job["workload"],
                    nodes=nodes[slices[number]],
                    totals=job["totals"],
                    finished=finished[slices[number]],
                    phases=tuple(job["phases"]),
                    marks=marks[number] or {},
                    latencies=latencies[number],
                    messages=messages[number],
                )
            )
        return tuple(made)

    def _check_job(
        self,
        job: _JobText,
        ranks: int,
        marks: Mapping[str, Ints] | None,
        messages: Mapping[str, Ints] | None,
    ) -> None:
        if marks is not None:
            self._check_numbers("mark_rank", marks["rank"], ranks)
            self._check_numbers("mark_phase", marks["phase"], len(job["phases"]))
        if messages is not None:
            self._check_numbers("message_source", messages["source"], ranks)
            self._check_numbers("message_target", messages["target"], ranks)

    def _latencies(self) -> list[dict[str, Ints]]:
        edges = self._array("latency_bin", (None,))
        if np.any(edges[1:] <= edges[:-1]):
            raise self._damaged("latency_bin does not increase")
        counts = self._array("latency_count", (len(self._jobs), len(edges)))
        return [{"latency": edges[row > 0], "count": row[row > 0]} for row in counts]

    def _split(self, dim: str, has: Sequence[bool]) -> list[dict[str, Ints] | None]:
        """Return the columns of each job, None for jobs that have none."""
        if not any(has):
            return [None] * len(has)
        slices = self._slices(dim, has)
        columns = self._table(dim)
        if len(next(iter(columns.values()))) != slices[-1].stop:
            raise self._damaged(f"{dim}_job has another size than the {dim}s")
        return [
            {key: column[part] for key, column in columns.items()} if mine else None
            for part, mine in zip(slices, has, strict=True)
        ]

    def _slices(self, dim: str, has: Sequence[bool]) -> list[slice]:
        """Return where the entries of each job are; they stand in the order of the jobs."""
        owners = self._array(f"{dim}_job", (None,))
        self._check_numbers(f"{dim}_job", owners, len(has))
        if np.any(owners[1:] < owners[:-1]):
            raise self._damaged(f"{dim}_job decreases")
        counts = np.bincount(owners, minlength=len(has)).tolist()
        return [slice(sum(counts[:at]), sum(counts[: at + 1])) for at in range(len(has))]

    def _table(self, dim: str) -> dict[str, Ints]:
        """Return the columns of a table, all of the same length."""
        columns: dict[str, Ints] = {}
        length = None
        for key, column in TABLES[dim].items():
            columns[key] = self._array(column.name, (length,), fractions=key == "routers")
            length = len(columns[key])
        return columns

    def _array(self, name: str, shape: tuple[int | None, ...], *, fractions: bool = False) -> Ints:
        """Return an array of numbers; None in `shape` stands for any length."""
        dataset = self._dataset(name)
        expected = tuple(
            have if want is None else want for want, have in zip(shape, dataset.shape, strict=False)
        )
        if dataset.shape != expected:
            raise self._damaged(f"{name} has shape {dataset.shape}, not {expected}")
        kinds = "f" if fractions else "iuf" if name in SUMS else "iu"
        if dataset.dtype.kind not in kinds or dataset.dtype.itemsize > 8:
            raise self._damaged(f"{name} is of type {dataset.dtype}")
        self._check_size(name, dataset)
        values: Ints = np.asarray(dataset[...], dtype=dataset.dtype.newbyteorder("="))
        if name in SUMS and not np.isfinite(values).all():
            raise self._damaged(f"{name} has a sum that is not a number")
        return values

    def _dataset(self, name: str) -> h5py.Dataset:
        import h5py

        if not isinstance(self._file.get(name, getlink=True), h5py.HardLink):
            raise self._damaged(f"it has no {name}")
        found = self._file[name]
        if not isinstance(found, h5py.Dataset) or found.is_virtual or found.external:
            raise self._damaged(f"{name} is not an array of this file")
        return found

    def _check_size(self, name: str, dataset: h5py.Dataset) -> None:
        """Refuse an array that the file can't hold, before memory is taken for it."""
        size = math.prod(dataset.shape) * dataset.dtype.itemsize
        if size == 0:
            return
        stored = dataset.id.get_storage_size()
        self._stored -= stored
        self._room -= size
        chunk = math.prod(dataset.chunks or dataset.shape) * dataset.dtype.itemsize
        if self._stored < 0 or size > BEST_COMPRESSION * stored or chunk > CHUNK_BYTES:
            raise self._damaged(f"{name} claims {size} bytes, more than the file can hold")
        if self._room < 0:
            allowed = f"up to {MOST_BYTES} bytes"
            raise UserError(f"{self._name}: too large: {name} at {size} bytes", allowed=allowed)

    def _plain(self, name: str, kind: type[T]) -> T:
        """Return the value of an attribute of JSON text, checked against a type."""
        import msgspec

        if name not in self._file.attrs:
            raise self._damaged(f"it has no attribute {name}")
        plain = json.loads(self._text(name))
        if any(not _is_harmless(word) for word in _words_in(plain)):
            raise self._damaged(f"attribute {name} has control characters")
        return msgspec.convert(plain, kind)

    def _text(self, name: str) -> str:
        text = self._file.attrs[name]
        if not isinstance(text, str) or len(text) > MOST_TEXT:
            raise self._damaged(f"attribute {name} is not text")
        return text

    def _check_numbers(self, name: str, numbers: Array, count: int) -> None:
        """Refuse numbers of things that aren't there."""
        if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
            raise self._damaged(f"{name} counts beyond {count}")

    def _damaged(self, problem: str) -> UserError:
        return UserError(f"{self._name}: truncated or damaged: {problem}")
