"""Files that are not ours, damaged, or made to harm: one line each, and no memory taken."""

from __future__ import annotations

import contextlib
import tracemalloc

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.result import Result
from odonata.result import reading as reading_module


def refused(path) -> str:
    with pytest.raises(UserError) as caught:
        Result.load(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


def test_no_file(tmp_path):
    assert "No such file" in refused(tmp_path / "run.nc")


def test_a_folder(tmp_path):
    assert "Is a directory" in refused(tmp_path)


def test_a_name_that_cannot_be():
    assert "null byte" in refused("run\0.nc")


@pytest.mark.parametrize("content", [b"", b"time,rank\n1,2\n", b"CDF\x01" + bytes(100)])
def test_another_kind_of_file(tmp_path, content):
    (tmp_path / "run.nc").write_bytes(content)
    assert "not a netCDF-4 file" in refused(tmp_path / "run.nc")


def test_a_dataset_of_someone_else(tmp_path):
    with h5py.File(tmp_path / "other.nc", "w") as file:
        file["temperature"] = [1.0]
    assert "not a result of Odonata" in refused(tmp_path / "other.nc")


def test_a_newer_format(saved):
    with h5py.File(saved, "a") as file:
        file.attrs["odonata_format"] = 5
    assert "newer Odonata, in format 5; allowed: formats up to 4" in refused(saved)


@pytest.mark.parametrize("version", [0, -1, "one", [1, 2]])
def test_a_format_that_never_was(saved, version):
    with h5py.File(saved, "a") as file:
        file.attrs["odonata_format"] = version
    refused(saved)


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.3, 0.6, 0.9, 0.9999])
def test_a_truncated_file(saved, share):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * share)])
    refused(saved)


@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.floats(0, 1, exclude_max=True), st.integers(0, 255))
def test_a_changed_byte_is_refused_or_does_no_harm(saved, place, byte):
    content = bytearray(saved.read_bytes())
    content[int(place * len(content))] = byte
    damaged = saved.with_name("damaged.nc")
    damaged.write_bytes(content)
    with contextlib.suppress(UserError):
        assert Result.load(damaged).dataset is not None


def test_a_changed_number_is_noticed(saved):
    """Arrays carry checksums: the saved numbers are loaded, or nothing is."""
    with h5py.File(saved) as file:
        place = file["link_busy"].id.get_chunk_info(0).byte_offset
    content = bytearray(saved.read_bytes())
    content[place + 10] ^= 1
    saved.write_bytes(content)
    assert "damaged" in refused(saved)


@pytest.mark.parametrize(
    ("variable", "name"),
    [
        *(("", name) for name in ("title", "end_ps", "summary", "jobs", "machine", "provenance")),
        ("link_busy", "units"),
        ("waiting", "long_name"),
    ],
)
def test_a_changed_attribute_is_noticed(saved, variable, name):
    with h5py.File(saved, "a") as file:
        attributes = file[variable].attrs if variable else file.attrs
        value = attributes[name]
        attributes[name] = f"{value} " if isinstance(value, str) else value + 1
    assert "an attribute was changed" in refused(saved)


@pytest.mark.parametrize("name", ["attributes_crc32", "title", "jobs"])
def test_a_missing_attribute_is_noticed(saved, name):
    with h5py.File(saved, "a") as file:
        del file.attrs[name]
    assert "damaged" in refused(saved)


def test_a_file_of_the_first_format_is_read(saved):
    with h5py.File(saved, "a") as file:
        file.attrs["odonata_format"] = 1
        del file.attrs["attributes_crc32"]
        for name in [name for name in file if name.startswith("event")]:
            del file[name]
    assert Result.load(saved).dataset is not None


def test_an_event_log_of_before_has_no_sources(saved):
    with h5py.File(saved, "a") as file:
        file.attrs["odonata_format"] = 2
    assert "does not say where packets come from; run it again" in refused(saved)


def replace_array(path, name, **how):
    with h5py.File(path, "a") as file:
        del file[name]
        file.create_dataset(name, **how)


@pytest.mark.parametrize(
    "name", ["link_busy", "rank_job", "waiting", "latency_count", "link_class_rate"]
)
def test_an_array_is_missing(saved, name):
    with h5py.File(saved, "a") as file:
        del file[name]
    assert f"has no {name}" in refused(saved)


def test_sizes_that_the_file_cannot_hold_take_no_memory(saved):
    replace_array(saved, "link_from", shape=(2**40,), chunks=(2**10,), dtype="i8")
    tracemalloc.start()
    assert "more than the file can hold" in refused(saved)
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_a_compressed_bomb(saved):
    zeros = {"data": np.zeros(2**22, "i8"), "compression": "gzip", "compression_opts": 9}
    replace_array(saved, "link_from", **zeros, chunks=(2**21,))
    assert "more than the file can hold" in refused(saved)


def test_arrays_too_large_altogether(saved, monkeypatch):
    monkeypatch.setattr(reading_module, "MOST_BYTES", 1000)
    assert "allowed: up to 1000 bytes" in refused(saved)


@pytest.mark.parametrize(
    ("name", "values", "problem"),
    [
        ("link_busy", np.arange(3), "shape"),
        ("link_busy", np.ones((2, 2)), "shape"),
        ("link_from", np.array([b"abc"] * 9), "type"),
        ("link_from", np.array([0.5] * 9), "type"),
        ("link_class_number", None, "counts beyond"),
        ("link_group_to", None, "counts beyond"),
        ("buffer_link", None, "counts beyond"),
        ("mark_rank", None, "counts beyond"),
        ("mark_phase", None, "counts beyond"),
        ("message_source", None, "counts beyond"),
        ("rank_job", None, "counts beyond"),
    ],
)
def test_arrays_that_do_not_fit(saved, name, values, problem):
    with h5py.File(saved) as file:
        shape = file[name].shape
    data = np.full(shape, 10**6) if values is None else values
    replace_array(saved, name, data=data)
    assert problem in refused(saved)


def test_ranks_in_the_wrong_order(saved):
    with h5py.File(saved) as file:
        owners = file["rank_job"][...]
    replace_array(saved, "rank_job", data=owners[::-1].copy())
    assert "rank_job decreases" in refused(saved)


def test_links_out_of_the_file_are_not_followed(saved, tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["link_from"] = np.arange(10)
    with h5py.File(saved, "a") as file:
        del file["link_from"]
        file["link_from"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "/link_from")
    assert "has no link_from" in refused(saved)


def test_arrays_kept_in_other_files_are_not_read(saved, tmp_path):
    (tmp_path / "secret").write_bytes(bytes(800))
    replace_array(
        saved, "link_from", shape=(100,), dtype="i8", external=[(tmp_path / "secret", 0, 800)]
    )
    assert "not an array of this file" in refused(saved)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("summary", "{"),
        ("summary", "[" * 100_000),
        ("summary", '{"ranks": {"deep": 1}}'),
        ("summary", 3),
        ("jobs", "[]"),
        ("jobs", "[1, 2]"),
        ("link_classes", "[]"),
        ("link_classes", '{"a": 1}'),
        ("provenance", '{"version": 1}'),
        ("provenance", r'{"command": "\u001b]0;title\u0007"}'),
        ("machine", r'{"name": "\ud800"}'),
        ("end_ps", "later"),
        ("end_ps", 0.5),
    ],
)
def test_attributes_that_do_not_fit(saved, name, value):
    with h5py.File(saved, "a") as file:
        file.attrs[name] = value
    assert "damaged" in refused(saved)
