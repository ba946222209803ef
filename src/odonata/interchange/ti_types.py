"""Sizes of the datatypes that time-independent traces of SimGrid name by numbers."""

from __future__ import annotations

__all__ = ["BYTE", "DOUBLE", "SIZES"]

BYTE, DOUBLE = "6", "0"
"""Numbers of `MPI_BYTE` and `MPI_DOUBLE`."""

# fmt: off
_IN_ORDER = [
    8, 4, 1, 2, 8, 4, 1,         # DOUBLE, INT, CHAR, SHORT, LONG, FLOAT, BYTE
    8, 1, 1, 2, 4, 8, 8,         # LONG_LONG, SIGNED_ and UNSIGNED_CHAR, unsigned types
    16, 4, 1,                    # LONG_DOUBLE, WCHAR, C_BOOL
    1, 2, 4, 8, 1, 2, 4, 8,      # INT8_T to INT64_T, UINT8_T to UINT64_T
    8, 16, 32, 8, 8,             # complex types of C, AINT, OFFSET
    8, 16, 16, 8, 8, 8, 16, 16,  # FLOAT_INT, LONG_INT, DOUBLE_INT, SHORT_INT, 2INT ... 2LONG
    4, 4, 8, 16, 8, 16, 16,      # REAL, REAL4 to REAL16, COMPLEX8 to COMPLEX32
    4, 2, 4, 8, 16,              # INTEGER1 to INTEGER16
    32, 1, 8, 16, 32,            # LONG_DOUBLE_INT, CXX_BOOL, complex types of C++
    0, 0, 1, 8, 8,               # UB, LB, PACKED, PTR, COUNT
]
# fmt: on

SIZES = {str(number): size for number, size in enumerate(_IN_ORDER)}
"""Bytes of an element by SimGrid's number of its type, as SimGrid 4 counts them on x86-64
(`src/smpi/mpi/smpi_datatype.cpp`): pairs with their padding, `INTEGER1` as an int, `COMPLEX32` as
two doubles. Derived types and `MPI_DATATYPE_NULL` are -1, which has no size."""
