"""Quantities: reading, refusals and their reasons, and writing."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from odonata import units
from odonata.errors import UserError


@pytest.mark.parametrize(
    ("text", "picoseconds"),
    [
        ("0 s", 0),
        ("1 ps", 1),
        ("100 ns", 100_000),
        ("1.3 us", 1_300_000),
        ("1.3 µs", 1_300_000),
        ("1.3\N{GREEK SMALL LETTER MU}s", 1_300_000),
        ("2ms", 2_000_000_000),
        (" 2 s ", 2_000_000_000_000),
        ("1e-6 s", 1_000_000),
        ("86400 s", 86_400 * 10**12),
    ],
)
def test_times(text, picoseconds):
    assert units.parse_time(text) == picoseconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64 B", 64),
        ("1 KiB", 1024),
        ("1KiB", 1024),
        ("16 kB", 16_000),
        ("1.5 MiB", 1_572_864),
        ("2 GiB", 2**31),
        ("3 MB", 3_000_000),
        ("1 TiB", 2**40),
        ("0 B", 0),
    ],
)
def test_sizes(text, expected):
    assert units.parse_bytes(text) == expected


@pytest.mark.parametrize("given", ["64", 64, " 64 "])
def test_bare_bytes_only_where_they_are_allowed(given):
    assert units.parse_bytes(given, bare=True) == 64
    with pytest.raises(UserError, match="without a unit"):
        units.parse_bytes(given)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5.25 GB/s", 5_250_000_000),
        ("5.25 Gb/s", 656_250_000),
        ("5.25 GiB/s", 5_637_144_576),
        ("4.7 GiB/s", 5_046_586_573),  # 5,046,586,572.8
        ("10 Gbit/s", 1_250_000_000),
        ("100 Gb/s", 12_500_000_000),
        ("1 MB/s", 10**6),
        ("1 TB/s", 10**12),
    ],
)
def test_rates(text, expected):
    assert units.parse_rate(text) == expected


@pytest.mark.parametrize(("text", "expected"), [("0.1 ns/B", 100.0), ("0.25 ps/B", 0.25)])
def test_times_per_byte(text, expected):
    assert units.parse_time_per_byte(text) == expected


@pytest.mark.parametrize("given", [5.25, 5, "5.25", 0])
def test_a_bare_rate_is_refused_with_the_reason(given):
    with pytest.raises(UserError, match="GB/s, GiB/s and Gb/s"):
        units.parse_rate(given)


@pytest.mark.parametrize("parse", [units.parse_time, units.parse_bytes, units.parse_time_per_byte])
@pytest.mark.parametrize("given", [1, 0, 2.5, "7"])
def test_a_bare_number_is_refused(parse, given):
    with pytest.raises(UserError, match="without a unit"):
        parse(given)


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (units.parse_time, "-1 ns"),
        (units.parse_time, "86401 s"),
        (units.parse_time, "1e99 s"),
        (units.parse_bytes, "-1 B"),
        (units.parse_bytes, "2 TiB"),
        (units.parse_rate, "0 GB/s"),
        (units.parse_rate, "-1 GB/s"),
        (units.parse_rate, "7 Mb/s"),
        (units.parse_rate, "2 TB/s"),
        (units.parse_time_per_byte, "2 us/B"),
    ],
)
def test_out_of_range_says_what_is_allowed(parse, text):
    with pytest.raises(UserError, match=r"out of range.*allowed: .* to ") as caught:
        parse(text)
    assert caught.value.value == text


@pytest.mark.parametrize(
    ("parse", "text", "near"),
    [
        (units.parse_bytes, "1 KB", "kB"),
        (units.parse_bytes, "1 kib", "KiB"),
        (units.parse_time, "1 NS", "ns"),
        (units.parse_rate, "1 Gbits/s", "Gbit/s"),
        (units.parse_rate, "5 GB", "GB/s"),
        (units.parse_rate, "5 Gb", "Gb/s"),
        (units.parse_rate, "5 GiB", "GiB/s"),
        (units.parse_rate, "5 GBps", "GB/s"),
        (units.parse_rate, "5 Gbps", "Gb/s"),
        (units.parse_rate, "5 GBit/s", "Gbit/s"),
        (units.parse_rate, "5 Gbyte/s", "GB/s"),
        (units.parse_rate, "5 mb/s", "Mb/s"),
        (units.parse_rate, "5 gB/sec", "GB/s"),
        (units.parse_bytes, "64K", "KiB"),
        (units.parse_bytes, "64k", "KiB"),
        (units.parse_bytes, "2 m", "MiB"),
        (units.parse_bytes, "2 Gi", "GiB"),
        (units.parse_bytes, "64 mib", "MiB"),
        (units.parse_bytes, "8 bytes", "B"),
        (units.parse_time, "3 usec", "us"),
        (units.parse_time, "3 nanoseconds", "ns"),
        (units.parse_time, "3 milliseconds", "ms"),
        (units.parse_time_per_byte, "1 ns", "ns/B"),
        (units.parse_time_per_byte, "1 us/byte", "us/B"),
    ],
)
def test_an_unknown_unit_has_its_near_miss(parse, text, near):
    with pytest.raises(UserError, match="unknown unit") as caught:
        parse(text)
    assert caught.value.near == near


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (units.parse_bytes, "16 kb"),  # bits
        (units.parse_bytes, "16 bits"),
        (units.parse_rate, "5 G"),  # bits or bytes
        (units.parse_rate, "5 G/s"),
        (units.parse_time, "5 m"),  # minutes, or milliseconds
        (units.parse_time, "5 Ms"),
        (units.parse_time, "5 min"),
        (units.parse_time_per_byte, "1 ns/b"),
        (units.parse_time_per_byte, "1 ns/kB"),
    ],
)
def test_a_unit_of_another_magnitude_is_no_near_miss(parse, text):
    with pytest.raises(UserError, match="unknown unit") as caught:
        parse(text)
    assert caught.value.near is None


LETTERS = st.text("kKmMgGtTiIbBsSnNuUpP/", min_size=1, max_size=6)


@given(LETTERS | st.sampled_from([*units._BYTES, *units._RATE, *units._TIME]).map(str.swapcase))
def test_a_near_miss_keeps_bits_bits_and_bytes_bytes(unit):
    with contextlib.suppress(UserError):
        units.parse_rate(f"1 {unit}")
        return
    with pytest.raises(UserError) as caught:
        units.parse_rate(f"1 {unit}")
    near = caught.value.near or unit
    if "bit" not in unit.casefold():
        assert ("b" in near, "B" in near) == ("b" in unit, "B" in unit)


@pytest.mark.parametrize(
    "given",
    ["", "ns", "1,024 B", "1..2 s", "0x10 B", "nan s", "inf s", "1e999 s", "٣ s", "1" * 99 + " s"],
)
def test_what_is_no_quantity_is_refused(given):
    with pytest.raises(UserError, match="not a time"):
        units.parse_time(given)


@pytest.mark.parametrize("given", [None, True, [1], {"value": 1}, b"1 s", float("nan")])
def test_what_is_no_text_is_refused(given):
    with pytest.raises(UserError):
        units.parse_time(given)


def test_fractions_of_a_picosecond_and_of_a_byte_are_refused():
    with pytest.raises(UserError, match="not a whole number of picoseconds"):
        units.parse_time("0.0001 ns")
    with pytest.raises(UserError, match="not a whole number of bytes"):
        units.parse_bytes("0.3 KiB")


def test_an_error_says_which_key_of_which_file():
    with pytest.raises(UserError) as caught:
        units.parse_time("3", what="latency", where="eos.toml:7:local.latency")
    assert str(caught.value).startswith("eos.toml:7:local.latency: latency: a number without")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (units.format_time(0), "0 ps"),
        (units.format_time(1_304_500), "1.3 us"),
        (units.format_time(999_600), "1 us"),
        (units.format_time(-100_000), "-100 ns"),
        (units.format_time(3600 * 10**12), "3600 s"),
        (units.format_bytes(1023), "1023 B"),
        (units.format_bytes(1536), "1.5 KiB"),
        (units.format_bytes(2**40), "1 TiB"),
        (units.format_rate(5_250_000_000), "5.25 GB/s"),
        (units.format_rate(12_345_678), "12.3 MB/s"),
    ],
)
def test_written_for_people(written, expected):
    assert written == expected


@given(st.integers(0, 86_400 * 10**12))
@example(999_499)
@example(999_500)
def test_a_written_time_reads_back_within_half_of_its_last_digit(time):
    assert abs(units.parse_time(units.format_time(time)) - time) <= Fraction(time, 200)


@given(st.integers(10**6, 999 * 10**9))
def test_a_written_rate_reads_back_within_half_of_its_last_digit(rate):
    assert abs(units.parse_rate(units.format_rate(rate)) - rate) <= Fraction(rate, 200)


@given(st.integers(0, 2**20), st.sampled_from(["B", "KiB", "kB", "MiB", "MB"]))
def test_whole_numbers_of_a_unit_are_exact(count, unit):
    factor = {"B": 1, "KiB": 2**10, "kB": 10**3, "MiB": 2**20, "MB": 10**6}[unit]
    assert units.parse_bytes(f"{count} {unit}") == count * factor


@given(st.integers(0, 10**15))
def test_a_time_is_the_same_in_every_unit(picoseconds):
    nanoseconds = f"{picoseconds // 1000}.{picoseconds % 1000:03} ns"
    assert units.parse_time(nanoseconds) == units.parse_time(f"{picoseconds} ps") == picoseconds


@given(st.text(max_size=80) | st.integers() | st.floats() | st.none() | st.binary(max_size=9))
def test_nothing_but_a_user_error_comes_out(given):
    for parse in (units.parse_time, units.parse_bytes, units.parse_rate, units.parse_time_per_byte):
        with contextlib.suppress(UserError):
            parse(given)
