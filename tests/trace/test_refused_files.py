"""Files that were cut off, damaged, or made to harm."""

from __future__ import annotations

import tracemalloc
import zlib

import numpy as np
import pytest
from exchange import FUNCTIONS, write_exchange
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.trace import Header, Limits, Reader
from odonata.trace.columns import encode
from odonata.trace.format import CALLS, MATCHES, TOTALS, BlockHead, pack_block, pack_start


def read(path):
    """Return the calls of a trace, and whether it is complete."""
    with Reader(path) as reader:
        calls = [call for block in reader.blocks() for call in block.each(FUNCTIONS)]
        assert len(reader.matches()) == 0
        return calls, reader.totals is not None


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the bytes of a complete trace, and its calls."""
    path = write_exchange(tmp_path_factory.mktemp("trace") / "exchange.trace")
    return path.read_bytes(), read(path)[0]


def test_what_is_before_the_cut_is_read(whole, tmp_path):
    """At every length; what is read is the beginning of the whole, block by block."""
    content, all_calls = whole
    header = content.index(b"ODTB")
    cut = tmp_path / "cut.trace"
    lengths = set()
    for length in range(len(content)):
        cut.write_bytes(content[:length])
        if length < header:
            with pytest.raises(UserError, match=r"cut off in its header|not a trace"):
                read(cut)
        else:
            calls, complete = read(cut)
            assert not complete
            assert calls == all_calls[: len(calls)]
            lengths.add(len(calls))
    assert lengths == {0, 4, 8, 10}


@given(data=st.data())
def test_a_changed_bit_is_noticed(whole, tmp_path_factory, data):
    content, all_calls = bytearray(whole[0]), whole[1]
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path_factory.mktemp("trace") / "a.trace"
    path.write_bytes(content)
    try:
        calls, complete = read(path)
    except UserError:
        return
    assert not complete  # a length has grown: the rest seems to be cut off
    assert calls == all_calls[: len(calls)]


@given(st.binary(max_size=300))
def test_bytes_are_refused_as_a_block(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("trace") / "a.trace"
    path.write_bytes(pack_start(Header(ranks=2)) + pack_block(CALLS, content, records=3, words=2))
    with pytest.raises(UserError, match="damaged: block 0"):
        read(path)


def head_of(content: bytes, **changes) -> bytes:
    """Return a block whose head says something else than what is in it, with a right checksum."""
    stored = zlib.compress(content)
    fields = {"kind": CALLS, "stored": len(stored), "full": len(content), **changes}
    head = BlockHead(**fields)
    return BlockHead(**fields, checksum=head.checksum_of(stored)).pack() + stored


@pytest.mark.parametrize(
    "block",
    [
        head_of(bytes(2**26), full=2**26 - 1),  # longer than it says
        head_of(bytes(2**26), full=2**26 + 1),  # shorter
        head_of(bytes(1000), full=2**32 - 1),  # more than zlib could make of it
        head_of(bytes(2**27), full=Limits.block_bytes + 1),
        head_of(b"", records=Limits.records + 1),
        head_of(b"", words=2**32 - 1),
        head_of(b"", outcomes=2**32 - 1),
        head_of(b"", kind=4),
        pack_block(TOTALS, b"{}"),
        pack_block(TOTALS, b"[" * 100_000),
        pack_block(TOTALS, b'{"records":9,"blocks":0,"ranks":[1,2],"functions":{}}'),
        pack_block(MATCHES, b"", records=1),
    ],
)
def test_what_claims_too_much_is_refused_before_memory_is_taken(block, tmp_path):
    path = tmp_path / "a.trace"
    path.write_bytes(pack_start(Header(ranks=2)) + block)
    tracemalloc.start()
    with pytest.raises(UserError, match="damaged: block 0"):
        read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2.2 * 2**26


def column(values: list[int]) -> bytes:
    return encode(np.array(values, dtype=np.int64))


@pytest.mark.parametrize(
    ("position", "values"),
    [
        (0, [0, 2]),  # ranks
        (0, [1, 0]),
        (0, [-1, 0]),
        (1, [0, 99_999]),  # functions
        (2, [0, 26]),  # operations
        (3, [0, 4]),  # modes
        (4, [0, 18]),  # collectives
        (11, [0, 1]),  # number of words
        (12, [0, -1]),  # bytes
        (13, [0, -1]),  # compute time
        (17, [0, 3]),  # what was found
        (18, [1, 0]),  # number of outcomes
    ],
)
def test_numbers_of_what_is_not_there_are_refused(position, values, tmp_path):
    columns = [column([0, 1])] + [column([0, 0])] * 15 + [column([])] + [column([0, 0])] * 2
    columns += [column([])] * 6
    path = tmp_path / "a.trace"
    path.write_bytes(pack_start(Header(ranks=2)) + pack_block(CALLS, b"".join(columns), records=2))
    assert len(read(path)[0]) == 2
    columns[position] = column(values)
    path.write_bytes(pack_start(Header(ranks=2)) + pack_block(CALLS, b"".join(columns), records=2))
    with pytest.raises(UserError, match="damaged: block 0"):
        read(path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not a trace"),
        (b"CDF\x01 and so on", "not a trace"),
        (pack_start(Header(ranks=0)), "ranks: out of range: 0"),
        (pack_start(Header(ranks=2**20 + 1)), "ranks: out of range"),
        (pack_start(Header(ranks=2, nodes=(1,))), "not a node for each rank"),
        (pack_start(Header(ranks=2)) + b"x" * 32, "it begins with something else"),
    ],
)
def test_what_is_no_trace_is_refused(content, problem, tmp_path):
    path = tmp_path / "a.trace"
    path.write_bytes(content)
    with pytest.raises(UserError, match=problem):
        read(path)


def test_nothing_may_follow_the_end(whole, tmp_path):
    path = tmp_path / "a.trace"
    path.write_bytes(whole[0] + b"x")
    with pytest.raises(UserError, match="something after its end"):
        read(path)


def test_a_newer_format_and_no_file_are_refused(whole, tmp_path):
    path = tmp_path / "a.trace"
    path.write_bytes(whole[0][:8] + b"\x02" + whole[0][9:])
    with pytest.raises(UserError, match="unknown format: 2; allowed: 1"):
        read(path)
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read(tmp_path / "none.trace")
