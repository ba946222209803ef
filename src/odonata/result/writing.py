"""Results to netCDF files."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from odonata.files import write_whole
from odonata.result.run import Run
from odonata.result.variables import Array, Variable, attributes, checksum_of, variables
from odonata.text import for_file

if TYPE_CHECKING:
    import h5netcdf

__all__ = ["CHUNK_BYTES", "write"]

CHUNK_BYTES = 2**20
"""Most bytes of a chunk, before compression."""

COMPRESSION = 4
"""Level of zlib: beyond it files get slower much faster than they get smaller."""


def write(run: Run, path: str | Path) -> None:
    """Write a run to a netCDF-4 file, compressed.

    The file is put together in memory, so that a full disk can't leave half of it.

    Parameters
    ----------
    run
        The run.
    path
        The file; one that exists is replaced.

    Raises
    ------
    WriteError
        The file could not be written.
    """
    import h5netcdf

    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        made = variables(run)
        coordinates = " ".join(name for name in made if made[name].coordinate)
        whole = {
            name: for_file(value) if isinstance(value, str) else value
            for name, value in {**attributes(run), "coordinates": coordinates}.items()
        }
        each = {
            name: {"units": variable.units, "long_name": variable.long_name}
            for name, variable in made.items()
        }
        file.attrs.update({**whole, "attributes_crc32": checksum_of({"": whole, **each})})
        for name, variable in made.items():
            _write_variable(file, name, variable)
    write_whole(path, buffer.getbuffer())


def _write_variable(file: h5netcdf.File, name: str, variable: Variable) -> None:
    for dim, size in zip(variable.dims, variable.values.shape, strict=True):
        if dim not in file.dimensions:
            file.dimensions[dim] = size
    made = file.create_variable(name, variable.dims, **_storage(variable.values))
    if variable.values.size:
        made[...] = _writable(variable.values)
    made.attrs["units"] = variable.units
    made.attrs["long_name"] = variable.long_name


def _writable(values: Array) -> Array:
    """Return an array with texts as files hold them."""
    if values.dtype != object:
        return values
    return np.array([for_file(str(each)) for each in values.flat], dtype=object).reshape(
        values.shape
    )


def _storage(values: Array) -> dict[str, object]:
    """Return how an array is stored: text as it is, numbers in compressed chunks."""
    if values.dtype == object:
        import h5py

        return {"dtype": h5py.string_dtype()}
    if values.size == 0:
        return {"dtype": values.dtype}
    room = CHUNK_BYTES // values.dtype.itemsize
    chunks: list[int] = []
    for size in reversed(values.shape):
        chunks.insert(0, max(1, min(size, room // math.prod(chunks))))
    return {
        "dtype": values.dtype,
        "chunks": tuple(chunks),
        "compression": "gzip",
        "compression_opts": COMPRESSION,
        "shuffle": True,
        "fletcher32": True,  # damaged data are refused
    }
