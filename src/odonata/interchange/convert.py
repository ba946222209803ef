"""The table of formats, and conversion from one to another by way of our own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from odonata.errors import UserError, near_file, near_miss
from odonata.files import require_writable
from odonata.interchange.dumpi import is_dumpi, read_dumpi
from odonata.interchange.goal import read_goal_trace, write_goal_binary, write_goal_text
from odonata.interchange.goal_schedule import is_goal, is_goal_binary
from odonata.interchange.native import is_native, read_native, write_native
from odonata.interchange.otf2_events import is_otf2, read_otf2
from odonata.interchange.report import Conversion
from odonata.interchange.ti import is_ti, read_ti
from odonata.interchange.ti_export import write_ti

__all__ = ["FORMATS", "Format", "convert", "format_of"]


@dataclass(frozen=True)
class Format:
    """A format of traces.

    Parameters
    ----------
    name, summary
        Its name on the command line, and one sentence.
    endings
        Endings of names of its files; the first that is written.
    recognise
        Whether a file or folder has it, by its contents.
    read
        Writes a trace of ours from it; None: it is only written.
    write
        Writes it from a trace of ours; None: it is only read.
    works
        Whether it has the work of collectives, so that `write` takes a machine.
    """

    name: str
    summary: str
    endings: tuple[str, ...]
    recognise: Callable[[Path], bool]
    read: Callable[[Path, Path], Conversion] | None = None
    write: Callable[..., Conversion] | None = None
    works: bool = False


FORMATS = {
    known.name: known
    for known in (
        Format(
            "odonata",
            "traces of odonata mpirun --record and odonata profile",
            (".trace",),
            is_native,
            read_native,
            write_native,
        ),
        Format(
            "dumpi",
            "traces of SST's DUMPI: the folder, an archive, the .meta file, or a rank's .bin file",
            (".meta", ".bin"),
            is_dumpi,
            read_dumpi,
        ),
        Format(
            "otf2",
            "traces of Score-P and others in OTF2: the .otf2 file or its folder",
            (".otf2",),
            is_otf2,
            read_otf2,
        ),
        Format(
            "ti",
            "time-independent traces of SimGrid: all ranks in a file, or a list of files",
            (".ti",),
            is_ti,
            read_ti,
            write_ti,
        ),
        Format(
            "goal",
            "GOAL schedules of LogGOPSim, in text",
            (".goal",),
            is_goal,
            read_goal_trace,
            write_goal_text,
            works=True,
        ),
        Format(
            "goal-binary",
            "the same as LogGOPSim's txt2bin writes them",
            (".goal.bin",),
            is_goal_binary,
            read_goal_trace,
            write_goal_binary,
            works=True,
        ),
    )
}
"""Formats by name."""


def format_of(path: Path, *, name: str | None = None) -> Format:
    """Return the format of a file or folder that is there.

    Parameters
    ----------
    path
        The file or folder.
    name
        Name of the format; None: it is recognised by its contents.

    Raises
    ------
    UserError
        There is no such format, or the contents are of none.
    """
    if name is not None:
        return _named(name)
    if not path.exists():
        raise UserError(f"{path}: no such file or folder", near=near_file(path))
    for known in FORMATS.values():
        if known.read is not None and known.recognise(path):
            return known
    raise UserError(
        f"{path}: not a trace of a known format",
        allowed=", ".join(name for name, known in FORMATS.items() if known.read is not None),
    )


def convert(
    source: str | Path,
    target: str | Path,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    machine: str | None = None,
) -> Conversion:
    """Convert a trace.

    Parameters
    ----------
    source, target
        Files or folders.
    from_format
        Format of the source; None: as its contents say.
    to_format
        Format of the target; None: as its name ends, or else our own.
    machine
        Name or file of the machine whose times of reducing and copying a schedule has; None: the
        machine that the trace names.

    Returns
    -------
    Conversion
        The account: coverage, and omissions.

    Raises
    ------
    UserError
        A format is unknown, can't be read or written; or the source is damaged.
    WriteError
        The target could not be written.
    """
    source, target = Path(source), Path(target)
    old = format_of(source, name=from_format)
    new = _named(to_format) if to_format is not None else _by_ending(target)
    if old.read is None:
        raise UserError(f"--from {old.name}: is only written")
    if new.write is None:
        raise UserError(f"--to {new.name}: is only read", allowed=_writable())
    if source.exists() and target.exists() and source.samefile(target):
        raise UserError(f"{target}: the trace can't be converted into itself")
    if machine is not None and not new.works:
        raise UserError(f"machine: {new.name} has no work of collectives", allowed="goal")
    write = partial(new.write, machine=machine) if new.works else new.write
    require_writable(target)
    if new.name == "odonata":
        return old.read(source, target)
    if old.name == "odonata":
        return write(source, target)
    with tempfile.TemporaryDirectory() as folder:
        between = Path(folder) / "between.trace"
        first = old.read(source, between)
        second = write(between, target)
    return _joined(first, second)


def _joined(first: Conversion, second: Conversion) -> Conversion:
    joined = Conversion(first.source, second.target, first.ranks, first.calls, first.coverage)
    for part in (first, second):
        for reason, count in part.left_out.items():
            joined.leave_out(reason, count)
        for what, count in part.changed.items():
            joined.change(what, count)
        joined.unknown |= part.unknown
        joined.notes += part.notes
    return joined


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise UserError(
            "format: unknown",
            value=name,
            near=near_miss(name, FORMATS),
            allowed=", ".join(FORMATS),
        )
    return FORMATS[name]


def _by_ending(target: Path) -> Format:
    for known in FORMATS.values():
        if known.write is not None and target.name.endswith(known.endings):
            return known
    return FORMATS["odonata"]


def _writable() -> str:
    return ", ".join(name for name, known in FORMATS.items() if known.write is not None)
