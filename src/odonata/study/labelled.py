"""Labelled datasets of studies."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from odonata.study.file import StudyFile
from odonata.study.values import Value

__all__ = ["dataset_of"]


def dataset_of(frame: pd.DataFrame, study: StudyFile) -> xr.Dataset:
    """Return the numbers of all runs with a dimension for each axis and the seed.

    Parameters
    ----------
    frame
        A row for each run.
    study
        The study. Options whose values change together have one dimension, with a label of all
        their values; each of them is a coordinate.

    Returns
    -------
    xarray.Dataset
        Missing and failed runs are NaN.
    """
    index = pd.DataFrame(index=frame.index)
    coords: dict[Hashable, Any] = {}
    for group in study.groups:
        first, *others = group
        index[first] = labels = _labels(frame, group)
        for option in others:
            coords[option] = (
                first,
                [*frame[option].astype(str).groupby(labels, sort=False).first()],
            )
    if study.seeds.values:
        index["seed"] = frame["seed"]
    kept = [name for name in frame if name not in study.options and name not in index]
    numbers = frame[[name for name in kept if _is_number(frame[name])]].astype(np.float64)
    if index.columns.empty:
        made = xr.Dataset.from_dataframe(numbers)
    else:
        made = xr.Dataset.from_dataframe(numbers.set_index(pd.MultiIndex.from_frame(index)))
        # The order is the study file's, and not the alphabet's.
        made = made.reindex({name: pd.unique(index[name]) for name in index}).assign_coords(coords)
    made.attrs["study"] = study.text
    return made


def _labels(frame: pd.DataFrame, group: Mapping[str, Sequence[Value]]) -> pd.Series[Any]:
    """Return the label of each run: the first option, or all if this has a value twice."""
    first, *others = group
    if len(set(group[first])) == len(group[first]):
        return frame[first]
    labels = frame[first].astype(str)
    for option in others:
        labels = labels + " " + frame[option].astype(str)
    return labels


def _is_number(column: pd.Series[Any]) -> bool:
    kept = column.dropna()
    return bool(len(kept)) and all(
        isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
        for value in kept
    )
