"""Comparisons whose runs go into a folder: studies, which are resumed by the same command."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from odonata import result
from odonata.cli.outputs import Outputs
from odonata.cli.study_file import of_words
from odonata.cli.study_run import prepare_text, run_here
from odonata.errors import UserError
from odonata.quiet import note
from odonata.report.style import require_figure
from odonata.study.results import Study

__all__ = ["compare_in_folder"]


def compare_in_folder(words: Sequence[str], outputs: Outputs) -> None:
    """Make the runs of a comparison that its folder lacks, and print all.

    Parameters
    ----------
    words
        The command with its lists of values, without ``odonata``.
    outputs
        Where the results go; the output is a folder.

    Raises
    ------
    UserError
        A run is wrong, or intervals or changes are asked for, which need runs of their own.
    """
    assert outputs.output is not None
    if outputs.coverage is not None or outputs.what_if:
        what = "--interval and --what-if: not with a folder of runs"
        raise UserError(what, value=str(outputs.output), allowed="-o run.nc")
    if outputs.plot is not None:
        require_figure(outputs.plot)
    folder = outputs.output
    prepare_text(of_words(words, files=True), "the command", folder, Path.cwd())
    run_here(folder, len(os.sched_getaffinity(0)))
    study = Study(folder)
    runs = []
    for row in study.rows(of="time_seconds"):
        if row.record.error is None:
            run = result.Result.load(study.path_of(row)).run
            runs.append(result.comparable(run, loads=outputs.shows_loads))
        else:
            note(f"{row.record.command}: {row.record.error}")
    if runs:
        outputs.deliver_all(runs)
