"""Plans: all combinations of a study with the key and the expected time of each, in a file.

The first line of ``plan.jsonl`` is the `Header`, each further line a `Point`. All who work on a
study read the same plan, so that all divide it into the same chunks.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from odonata.errors import ReadError, UserError
from odonata.files import write_parts
from odonata.study.file import COMMANDS, StudyFile, parse_study
from odonata.study.inputs import Inputs
from odonata.study.shapes import Expected, Header, Point
from odonata.study.values import LEFT_OUT, Value

if TYPE_CHECKING:
    import msgspec  # 10 ms, which no other command needs

T = TypeVar("T")

__all__ = ["FILE", "FORMAT", "Plan", "write_plan"]

FILE = "plan.jsonl"

FORMAT = 1
"""Number of the layout of a study's folder."""

CHUNK_SECONDS = 20.0
"""Expected time of a chunk [s]; the last chunks are shorter, so that workers end together."""

SHARE_OF_REST = 1 / 16
"""Largest share of the time that is left in one chunk."""


class Plan:
    """The plan of a folder.

    Parameters
    ----------
    folder
        The study's folder.

    Raises
    ------
    UserError
        There is no plan, or it is of another version.
    """

    def __init__(self, folder: Path) -> None:
        import msgspec

        self.path = path = folder / FILE
        try:
            self._bytes = path.read_bytes()
        except OSError as error:
            if isinstance(error, (FileNotFoundError, NotADirectoryError)):
                allowed = "a folder that odonata study run or study check made"
                what = "study: no such folder" if not folder.is_dir() else "study: has no plan"
                raise UserError(what, value=str(folder), allowed=allowed) from error
            raise ReadError.of(error, path) from error
        self._lines = _line_starts(self._bytes)
        try:
            self.header = msgspec.json.decode(self._line(0), type=Header)
        except (ValueError, IndexError, RecursionError) as error:  # msgspec's are ValueErrors
            raise UserError(f"study: damaged plan: {error}", where=str(path)) from error
        if self.header.format != FORMAT:
            raise UserError(
                "study: a folder of another version of Odonata",
                value=f"format {self.header.format}",
                allowed=f"format {FORMAT}",
                where=str(path),
            )
        self._decoder: msgspec.json.Decoder[Point] = msgspec.json.Decoder(Point)
        self.study = parse_study(self.header.study, self.header.file)

    def __len__(self) -> int:
        return self.header.points

    def __getitem__(self, index: int) -> Point:
        point = self._decoded(self._decoder, index)
        if len(point.values) != len(self.study.options):
            raise self._damaged(index, "other axes than the study file")
        return point

    def __iter__(self) -> Iterator[Point]:
        return (self[index] for index in range(len(self)))

    @property
    def digest(self) -> str:
        """Digest of the plan."""
        return hashlib.sha256(self._bytes).hexdigest()[:16]

    @property
    def seconds(self) -> array[float]:
        """Expected time of a run of each combination [s]."""
        import msgspec

        decoder = msgspec.json.Decoder(Expected)
        return array("d", [self._decoded(decoder, at).seconds for at in range(len(self))])

    @property
    def runs(self) -> int:
        """Most runs, with all seeds."""
        return len(self) * self.study.seeds.most

    def words(self, point: Point, seed: int | None, file: Path | None = None) -> list[str]:
        """Return the words of the command of a run.

        Parameters
        ----------
        point
            The combination.
        seed
            The seed; None: the command has none.
        file
            File of the run to be kept.
        """
        words = words_of(self.study, point.values, seed)
        if file is None:
            return words
        size = len(self.study.command)
        return [*words[:size], "-o", str(file), *words[size:]]

    @property
    def seeds_apart(self) -> int:
        """Seeds of a combination that may run on different workers: all, or one after the other."""
        return self.study.seeds.most if self.study.seeds.until is None else 1

    def chunks(self) -> list[list[int]]:
        """Return the works of each chunk, by number, the longest first.

        A work is a run, `seeds_apart` for each combination, or all runs of a combination whose
        seeds need each other's results. A chunk takes about `CHUNK_SECONDS`, and less towards the
        end. Workers on any number of nodes compute the same chunks.
        """
        apart = self.seeds_apart
        together = self.study.seeds.most / apart
        return divided([each * together for each in self.seconds for _ in range(apart)])

    def _decoded(self, decoder: msgspec.json.Decoder[T], index: int) -> T:
        try:
            return decoder.decode(self._line(index + 1))
        except (ValueError, IndexError, RecursionError) as error:  # msgspec's are ValueErrors
            raise self._damaged(index, str(error) or "it ends too early") from error

    def _damaged(self, index: int, why: str) -> UserError:
        what = f"study: damaged plan, which odonata study check writes anew: {why}"
        return UserError(what, where=f"{self.path}:{index + 2}")

    def _line(self, number: int) -> bytes:
        if number + 1 >= len(self._lines):
            raise IndexError(number)
        return self._bytes[self._lines[number] : self._lines[number + 1]]


def divided(seconds: Sequence[float]) -> list[list[int]]:
    """Return chunks of works, the longest works first.

    Parameters
    ----------
    seconds
        Expected time of each work [s].

    Examples
    --------
    >>> divided([1.0, 100.0, 1.0])
    [[1], [0], [2]]
    """
    rest = sum(seconds)
    chunks: list[list[int]] = []
    filled, most = 0.0, -1.0
    for at in sorted(range(len(seconds)), key=lambda at: (-seconds[at], at)):
        if not chunks or filled + seconds[at] > most:
            most = min(CHUNK_SECONDS, rest * SHARE_OF_REST)
            chunks.append([])
            filled = 0.0
        chunks[-1].append(at)
        filled += seconds[at]
        rest -= seconds[at]
    return chunks


def words_of(study: StudyFile, values: Sequence[Value], seed: int | None) -> list[str]:
    """Return the words of a command, without ``odonata``.

    Parameters
    ----------
    study
        The study.
    values
        A value of each of its options.
    seed
        The seed; None: the command has none.
    """
    argument = COMMANDS[" ".join(study.command)]
    options: list[str] = []
    first: list[str] = []
    for name, value in zip(study.options, values, strict=True):
        if name == argument and isinstance(value, str):
            first = [value]
        else:
            options += _option(name, value)
    if seed is not None:
        options += ["--seed", str(seed)]
    if study.command == ("mpirun",):  # options behind the program are the program's
        return [*study.command, *options, *study.words]
    return [*study.command, *first, *study.words, *options]


def _option(name: str, value: Value) -> list[str]:
    """Return an option of a command: ``--bytes 1KiB``, ``--set node.cores=4`` or ``--periodic``."""
    if value is LEFT_OUT:
        return []
    option, dot, key = name.partition(".")
    if value is True:
        return [f"--{name}"]
    return [f"--{option}", f"{key}={value}" if dot else str(value)]


def write_plan(
    study: StudyFile,
    folder: Path,
    *,
    base: Path,
    version: str,
    expect: Callable[[Sequence[str]], float],
) -> None:
    """Write the plan of a study.

    Parameters
    ----------
    study
        The study.
    folder
        Its folder.
    base
        Folder in which its commands run, which names of files are relative to.
    version
        Version of Odonata.
    expect
        Checks the words of a command, with the first seed, and returns its expected time [s].

    Raises
    ------
    UserError
        A combination is wrong; says which.
    """
    import msgspec

    inputs = Inputs(base, study.command == ("replay",))
    points = [*_points(study, inputs, version, expect)]
    if not points:
        raise UserError("study: no combination is left", where=study.where("without"))
    header = Header(
        format=FORMAT,
        version=version,
        file=study.file,
        study=study.text,
        base=str(base),
        inputs=inputs.digests,
        points=len(points),
    )
    encode = msgspec.json.Encoder().encode
    write_parts(folder / FILE, _batched(encode(each) + b"\n" for each in (header, *points)))


def _points(
    study: StudyFile, inputs: Inputs, version: str, expect: Callable[[Sequence[str]], float]
) -> Iterator[Point]:
    seeds = study.seeds.values
    first = seeds[0] if seeds else None
    known: set[str] = set()
    for values in study.combinations():
        words = words_of(study, values, first)
        try:
            seconds = expect(words)
            key = key_of(version, inputs.of(words_of(study, values, None)))
        except UserError as error:
            named = zip(study.options, values, strict=True)
            told = ", ".join(f"{name}={value}" for name, value in named if value is not LEFT_OUT)
            error.add_note(f"in {study.file}, the run with {told}" if told else study.file)
            raise
        if key in known:
            raise UserError("axes: two combinations are the same run", value=" ".join(words))
        known.add(key)
        yield Point(key=key, values=values, seconds=round(seconds, 4))


def key_of(version: str, parts: Iterable[str]) -> str:
    """Return the key of a combination: a digest of all that decides its result but the seed.

    Parameters
    ----------
    version
        Version of Odonata.
    parts
        Words of the command with the digests of the files that they name.
    """
    text = "\0\0".join([version, *parts])
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:24]


def _batched(lines: Iterable[bytes], most: int = 2**20) -> Iterator[bytes]:
    """Yield lines joined to parts of about so many bytes."""
    part: list[bytes] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line)
        if size > most:
            yield b"".join(part)
            part, size = [], 0
    yield b"".join(part)


def _line_starts(content: bytes) -> array[int]:
    starts = array("q", [0])
    at = content.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = content.find(b"\n", at + 1)
    return starts
