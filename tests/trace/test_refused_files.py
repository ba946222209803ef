"""Files that were cut off, damaged, or made to harm."""

from __future__ import annotations

import tracemalloc
import zlib

import msgspec
import numpy as np
import pytest
from exchange import FUNCTIONS, write_exchange
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.trace import Block, Header, Reader, Writer
from odonata.trace.calls import CALL, HEAD, OPERATIONS, OUTCOME, VIEW_OF
from odonata.trace.columns import DamagedError, encode
from odonata.trace.format import CALLS, MATCHES, TOTALS, BlockHead, Limits, pack_block, pack_start
from odonata.trace.read import _with_times
from odonata.trace.views import COLLECTIVES, VIEWS
from odonata.workload.played import open_trace

VIEW_COLUMNS = [(view, name) for view in VIEWS for name in CALL[view].names]


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
    """At every length, the beginning of the whole is read, block by block."""
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
    """Return a block whose head contradicts its content, with a right checksum."""
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
        head_of(b"", full=19_000),  # more than no records need
        head_of(b"", records=Limits.records + 1),
        head_of(b"", words=2**32 - 1),
        head_of(b"", outcomes=2**32 - 1),
        head_of(b"", kind=4),
        pack_block(TOTALS, b"{}"),
        pack_block(TOTALS, b"[" * 100_000),
        head_of(b"", records=2, words=Limits.words + 1),
        head_of(b"", records=1, words=2**22),
        head_of(b"", records=2, words=1, outcomes=4),
        head_of(bytes(2**26), kind=TOTALS, full=2**26),
        pack_block(TOTALS, b'{"records":9,"blocks":0,"checksum":0,"ranks":[1,2],"functions":{}}'),
        pack_block(TOTALS, b'{"records":0,"blocks":1,"checksum":0,"ranks":[0,0],"functions":{}}'),
        pack_block(TOTALS, b'{"records":0,"blocks":0,"checksum":1,"ranks":[0,0],"functions":{}}'),
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
    assert peak < 2**25


def test_columns_without_bytes_take_no_memory(tmp_path):
    """All numbers of a column may be one, which costs nothing in the file."""
    ranks, none = column([0, 1]), column([])
    alike = bytes(18)  # any number of zeros
    head = [column([2**24, 0]) if name == "num_words" else alike for name in HEAD]
    columns = [ranks, *head, *[none] * len(VIEW_COLUMNS), *[alike] * 3, *[none] * 6]
    path = tmp_path / "a.trace"
    block = pack_block(CALLS, b"".join(columns), records=2, words=2**24)
    path.write_bytes(pack_start(Header(ranks=2)) + block)
    tracemalloc.start()
    with pytest.raises(UserError, match="damaged: block 0: it claims more than there can be"):
        read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**22


def calls_alike(count, words=0):
    """Return a block of calls of rank 0, the first of which has some words."""
    calls = np.zeros(count, dtype=CALL)
    calls["num_words"][0] = words
    return Block(
        ranks=np.zeros(count, dtype=np.int32),
        calls=calls,
        words=np.arange(words, dtype=np.uint64),
        found=np.zeros(count, dtype=np.uint8),
        num_outcomes=np.zeros(count, dtype=np.uint32),
        outcomes=np.zeros(0, dtype=OUTCOME),
    )


@pytest.mark.parametrize(("count", "words"), [(2**16 + 1, 0), (1, 2**18 + 1), (2, 2**18 + 1)])
def test_what_does_not_fit_a_block_is_not_written(count, words, tmp_path):
    with (
        Writer(tmp_path / "a.trace", Header(ranks=2)) as writer,
        pytest.raises(ValueError, match=f"a block of {count} calls with {words} words"),
    ):
        writer.write(calls_alike(count, words))


def test_a_call_lists_as_many_requests_as_there_were_calls(tmp_path):
    """If these are more words than a block may have, it is a block of its own."""
    path = tmp_path / "a.trace"
    with Writer(path, Header(ranks=2)) as writer:
        for _ in range(5):
            writer.write(calls_alike(2**16))
        writer.write(calls_alike(1, 5 * 2**16))
    with Reader(path) as reader:
        *_, last = reader.blocks()
        assert last.words.tolist() == list(range(5 * 2**16))
        assert reader.totals is not None


@pytest.fixture(scope="module")
def pieces(tmp_path_factory):
    """Return the bytes before the blocks of a trace, and its blocks: of calls, and the totals."""
    content = write_exchange(tmp_path_factory.mktemp("trace") / "a.trace").read_bytes()
    begins = [at for at in range(len(content)) if content[at : at + 4] == b"ODTB"]
    blocks = [content[a:b] for a, b in zip(begins, [*begins[1:], len(content)], strict=True)]
    assert len(blocks) == 4
    return content[: begins[0]], blocks


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ((0, 2, 3), "it counts 3 blocks, and there are 2"),
        ((0, 1, 1, 2, 3), "it counts 3 blocks, and there are 4"),
        ((0, 0, 2, 3), "the blocks before it were changed, or are in another order"),
        ((1, 0, 2, 3), "the blocks before it were changed, or are in another order"),
        ((0, 1, 1, 3), "it counts 10 calls, and there are 12"),
    ],
)
def test_blocks_that_were_removed_doubled_or_moved_are_noticed(pieces, order, problem, tmp_path):
    start, blocks = pieces
    path = tmp_path / "a.trace"
    path.write_bytes(start + b"".join(blocks[at] for at in order))
    with pytest.raises(UserError, match=f"damaged: block {len(order) - 1}: {problem}"):
        open_trace(path)  # before anything is played


@pytest.mark.parametrize(
    ("change", "to"),
    [("ranks", (6, 4)), ("functions", {"MPI_Init": 1, "MPI_Send": 9}), ("functions", {})],
)
def test_totals_of_other_calls_are_noticed(change, to, tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    content = path.read_bytes()
    with Reader(path) as reader:
        reader.matches()
        totals = msgspec.structs.replace(reader.totals, **{change: to})
    path.write_bytes(
        content[: content.rindex(b"ODTB")] + pack_block(TOTALS, msgspec.json.encode(totals))
    )
    with pytest.raises(UserError, match="damaged: its totals do not belong to its calls"):
        read(path)


def column(values: list[int]) -> bytes:
    return encode(np.array(values, dtype=np.int64))


def two_calls(operation, outcomes=0):
    """Return the columns of a call of each of two ranks."""
    columns = {"rank": column([0, 1]), **{name: column([0, 0]) for name in HEAD}}
    columns["operation"] = column([OPERATIONS.index(operation)] * 2)
    for view, field in VIEW_COLUMNS:
        columns[f"{view}.{field}"] = column([0, 0] if VIEW_OF[operation] == view else [])
    columns["words"] = column([])
    columns |= {"found": column([0, 0]), "num_outcomes": column([0, 0])}
    return columns | {f"outcome {at}": column([0] * outcomes) for at in range(6)}


@pytest.mark.parametrize("numbers", [[0, 0], [1, 0], [1, 1]])
def test_calls_have_as_many_outcomes_as_their_block(numbers, tmp_path):
    columns = {**two_calls("local", outcomes=1), "num_outcomes": column(numbers)}
    block = pack_block(CALLS, b"".join(columns.values()), records=2, outcomes=1)
    path = tmp_path / "a.trace"
    path.write_bytes(pack_start(Header(ranks=2)) + block)
    if sum(numbers) == 1:
        assert [len(call.outcomes) for call in read(path)[0]] == numbers
        return
    with pytest.raises(UserError, match="damaged: block 0: outcomes are missing"):
        read(path)


@pytest.mark.parametrize("count", [1, 3])
def test_a_block_has_times_of_all_its_calls(count):
    with pytest.raises(DamagedError, match="other times than calls"):
        _with_times(range(2), np.zeros((count, 2), dtype=np.int64))


@pytest.mark.parametrize(
    ("operation", "name", "values"),
    [
        ("local", "rank", [0, 2]),
        ("local", "rank", [1, 0]),
        ("local", "rank", [-1, 0]),
        ("local", "function", [0, 99_999]),
        ("local", "operation", [0, 26]),
        ("local", "num_words", [0, 1]),
        ("local", "compute", [0, -1]),
        ("local", "found", [0, 3]),
        ("local", "num_outcomes", [1, 0]),
        ("send", "send.mode", [0, 4]),
        ("send", "send.bytes", [0, -1]),
        ("send", "send.to", [0, 2**31]),
        ("send", "send.to", [0, 5, 1]),  # more than there are sends
        ("local", "send.to", [0, 5, 1]),
        ("collective", "collective.operation", [0, len(COLLECTIVES)]),
        ("communicator", "communicator.position", [0, -1]),
        ("clock", "clock.asker", [0, 2]),
    ],
)
def test_numbers_of_what_is_not_there_are_refused(operation, name, values, tmp_path):
    columns = two_calls(operation)
    path = tmp_path / "a.trace"
    assert name in columns
    for changed in ({}, {name: column(values)}):
        content = b"".join({**columns, **changed}.values())
        path.write_bytes(pack_start(Header(ranks=2)) + pack_block(CALLS, content, records=2))
        if not changed:
            assert len(read(path)[0]) == 2
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


def test_another_format_and_no_file_are_refused(whole, tmp_path):
    path = tmp_path / "a.trace"
    ages = ((2, "an older", "record it again"), (5, "a newer", "update Odonata"))
    for version, age, remedy in ages:
        path.write_bytes(whole[0][:8] + bytes([version]) + whole[0][9:])
        said = rf"{age} Odonata \({remedy}\): 'version {version}'; allowed: version 3 to 4"
        with pytest.raises(UserError, match=said):
            read(path)
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read(tmp_path / "none.trace")
