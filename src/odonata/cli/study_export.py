"""Files of all runs of a study: tables and a labelled dataset."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from odonata.cli.study_tables import conditions_of
from odonata.errors import UserError, near_miss
from odonata.files import require_writable, write_parts, write_whole
from odonata.study.results import Conditions, Study

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["export_study"]

ENDINGS = (".csv", ".parquet", ".nc")

ROWS = 10_000
"""Rows that are held in memory together."""


def export_study(folder: Path, output: Path, where: Sequence[str]) -> None:
    """Write the runs of a study.

    Parameters
    ----------
    folder
        The study's folder.
    output
        File of one of `ENDINGS`.
    where
        Conditions of runs, each ``AXIS=VALUE``.

    Raises
    ------
    UserError
        The file has another ending, or a part that it needs is not installed.
    WriteError
        It could not be written.
    """
    if output.suffix not in ENDINGS:
        raise UserError(
            "export: no such format",
            value=output.suffix or str(output),
            allowed=", ".join(ENDINGS),
            near=near_miss(output.suffix, ENDINGS) if output.suffix else None,
        )
    require_writable(output)
    study = Study(folder)
    runs = conditions_of(where)
    if output.suffix == ".csv":
        write_parts(output, _csv(study, runs))
    elif output.suffix == ".parquet":
        _write_parquet(study.frame_of(runs), output)
    else:
        write_whole(output, study.dataset_of(runs).to_netcdf(engine="h5netcdf"))


def _csv(study: Study, where: Conditions) -> Iterator[bytes]:
    """Yield a table in parts; its columns are known when all rows have been looked at."""
    names: dict[str, None] = {}
    for row in study.rows(where):
        names |= dict.fromkeys(study.columns_of(row))
    text = io.StringIO()
    writer = csv.DictWriter(text, [*names], lineterminator="\n")
    writer.writeheader()
    for number, row in enumerate(study.rows(where), start=1):
        writer.writerow(study.columns_of(row))
        if number % ROWS == 0:
            yield text.getvalue().encode(errors="backslashreplace")
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode(errors="backslashreplace")


def _write_parquet(frame: pd.DataFrame, output: Path) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        what = "export: parquet needs pyarrow, which is not installed"
        raise UserError(what, allowed="pip install 'odonata[parquet]', or .csv or .nc") from error
    content = io.BytesIO()
    mixed = [name for name in frame if frame[name].dropna().map(type).nunique() > 1]
    frame[mixed] = frame[mixed].map(lambda value: None if value is None else str(value))
    frame.to_parquet(content, index=False)
    write_whole(output, content.getbuffer())
