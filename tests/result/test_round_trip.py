"""A saved result is loaded to the bit."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from odonata.result import Result, Run
from odonata.result.reading import read
from odonata.result.variables import variables
from odonata.result.writing import CHUNK_BYTES, write

EVERY_EXAMPLE_HAS_ITS_OWN_FILE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def assert_same(one: object, other: object, where: str) -> None:
    """Compare plain data, arrays with their types."""
    if isinstance(one, np.ndarray):
        assert isinstance(other, np.ndarray), where
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, err_msg=where)
    elif isinstance(one, Mapping):
        assert list(one) == list(other), where
        for key in one:
            assert_same(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, tuple):
        assert len(one) == len(other), where
        for at, (mine, its) in enumerate(zip(one, other, strict=True)):
            assert_same(mine, its, f"{where}[{at}]")
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name), field.name)
    else:
        assert type(one) is type(other), where
        assert one == other, where


@settings(max_examples=25, suppress_health_check=EVERY_EXAMPLE_HAS_ITS_OWN_FILE)
@given(st.integers(0, 2**32))
def test_any_run_comes_back(make_run, tmp_path, seed):
    run = make_run(seed)
    write(run, tmp_path / f"{seed}.nc")
    assert_same(run, read(tmp_path / f"{seed}.nc"), "run")


def test_the_summary_comes_back(run, saved):
    assert Result.load(saved).summary == Result(run).summary


def test_saving_again_gives_the_same_bytes(saved, tmp_path):
    Result.load(saved).save(tmp_path / "again.nc")
    assert (tmp_path / "again.nc").read_bytes() == saved.read_bytes()


def test_others_read_the_same_dataset_from_the_file(run, saved):
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(saved, engine="h5netcdf") as opened:
        assert opened.attrs.pop("attributes_crc32") > 0
        xarray.testing.assert_identical(opened.load(), Result(run).dataset)


def test_large_arrays_are_compressed_in_bounded_chunks(run, tmp_path):
    import h5py

    from odonata.result.variables import TABLES

    size = CHUNK_BYTES // 4
    log = {key: np.arange(size) for key in TABLES["event"]}
    made = Run(**{**{f.name: getattr(run, f.name) for f in fields(run)}, "log": log})
    write(made, tmp_path / "large.nc")
    assert (tmp_path / "large.nc").stat().st_size < size * 4 * 8 / 3
    with h5py.File(tmp_path / "large.nc") as file:
        chunk = file["event_time"].chunks
    assert chunk[0] * 8 <= CHUNK_BYTES
    np.testing.assert_array_equal(read(tmp_path / "large.nc").log["time"], log["time"])


def test_numbers_of_numpy_become_plain_ones(run, tmp_path):
    from dataclasses import replace

    made = replace(run, summary={"ranks": np.int64(3), "load": np.float64(0.1)})
    write(made, tmp_path / "run.nc")
    assert read(tmp_path / "run.nc").summary == {"ranks": 3, "load": 0.1}


def test_every_variable_is_in_the_file(run, saved):
    import h5py

    with h5py.File(io.BytesIO(saved.read_bytes())) as file:
        assert set(variables(run)) <= set(file)
