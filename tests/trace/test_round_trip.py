"""A trace that was written is read back to the bit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from exchange import EXCHANGE, FUNCTIONS
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.trace import Block, Call, Header, Reader, Writer, function_names
from odonata.trace.calls import CALL, MATCH, OPERATIONS, OUTCOME, VIEW_OF, Outcome, Places
from odonata.trace.columns import DamagedError, decode, encode
from odonata.trace.views import COLLECTIVES, MODES, VIEWS, Phase, from_numbers, to_numbers

RANKS = 5
LIMITS = {
    (CALL, "function"): (0, len(FUNCTIONS) - 1),
    (CALL, "operation"): (0, len(OPERATIONS) - 1),
    (CALL, "compute"): (0, 2**63 - 1),
    (CALL["collective"], "operation"): (0, len(COLLECTIVES) - 1),
    (CALL["send"], "mode"): (0, len(MODES) - 1),
    (CALL["clock"], "asker"): (0, 1),
    (OUTCOME, "source"): (-2, RANKS - 1),
    (OUTCOME, "reserved"): (0, 0),
    **{(CALL[view], "bytes"): (0, 2**63 - 1) for view in VIEWS},
}


def numbers(random: np.random.Generator, kind: np.dtype, low: int, high: int, count: int):
    """Return numbers of a kind: random ones, and the least and the most that there can be."""
    made = random.integers(low, high, count, dtype=kind, endpoint=True)
    made[random.random(count) < 0.2] = low
    made[random.random(count) < 0.2] = high
    return made


def rows(random: np.random.Generator, kind: np.dtype, count: int) -> np.ndarray:
    made = np.zeros(count, dtype=kind)
    for name in kind.names:
        if name in VIEWS:
            continue
        whole = np.iinfo(kind[name])
        low, high = LIMITS.get((kind, name), (int(whole.min), int(whole.max)))
        made[name] = numbers(random, kind[name], low, high, count)
    return made


def random_block(seed: int, count: int) -> Block:
    random = np.random.default_rng(seed)
    calls = rows(random, CALL, count)
    for view in VIEWS:
        places = Places().of(view, calls)
        calls[view][places] = rows(random, CALL[view], len(places))
    calls["num_words"] = random.integers(0, 4, count)
    most_outcomes = np.maximum(calls["num_words"], 1)
    num_outcomes = random.integers(0, most_outcomes, dtype=np.uint32, endpoint=True)
    words = np.dtype(np.uint64)
    return Block(
        ranks=random.integers(0, RANKS, count, dtype=np.int32),
        calls=calls,
        words=numbers(random, words, 0, 2**64 - 1, int(calls["num_words"].sum())),
        found=random.integers(0, 3, count, dtype=np.uint8),
        num_outcomes=num_outcomes,
        outcomes=rows(random, OUTCOME, int(num_outcomes.sum())),
    )


def by_rank(given_blocks: list[Block]) -> dict[int, list]:
    """Return the calls of each rank, one by one."""
    out: dict[int, list] = {rank: [] for rank in range(RANKS)}
    for block in given_blocks:
        for call in block.each(FUNCTIONS):
            out[call.rank].append(call)
    return out


@given(st.integers(0, 2**32), st.lists(st.integers(0, 19), max_size=30))
def test_calls_at_some_places_are_those_of_all(seed, places):
    block = random_block(seed, 20)
    every = list(block.each(FUNCTIONS))
    chosen = np.array(places, dtype=np.intp)
    assert list(block.each(FUNCTIONS, chosen)) == [every[place] for place in places]


def test_a_call_has_its_own_words_and_outcomes():
    block = Block.of(EXCHANGE, FUNCTIONS)
    assert list(block.each(FUNCTIONS)) == EXCHANGE


@given(st.lists(st.tuples(st.integers(0, 2**32), st.integers(0, 40)), max_size=4))
def test_calls_come_back_in_the_order_of_each_rank(tmp_path_factory, seeds):
    written = [random_block(seed, count) for seed, count in seeds]
    path = tmp_path_factory.mktemp("trace") / "a.trace"
    with Writer(path, Header(ranks=RANKS)) as writer:
        for block in written:
            writer.write(block)
    with Reader(path) as reader:
        read = list(reader.blocks())
        assert by_rank(read) == by_rank(written)
        assert reader.totals.records == sum(len(block) for block in written)
        assert reader.totals.blocks == len(read)
    for block in read:
        assert block.ranks.dtype == np.int32
        assert block.calls.dtype == CALL
        assert np.all(np.diff(block.ranks) >= 0)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=30), st.binary(max_size=4))
def test_a_column_comes_back(values, rest):
    words = np.array(values, dtype=np.uint64)
    read, after = decode(memoryview(encode(words) + rest), len(values))
    assert read.tolist() == values
    assert bytes(after) == rest


@pytest.mark.parametrize(
    ("values", "content"),
    [
        (np.full(1000, -7), 0),
        (np.arange(1000) * 3, 0),
        (np.arange(1000) % 256, 1000),
        (np.arange(1000) ** 2, 2000),
        (2**40 + np.arange(1000) % 7, 1000),
    ],
    ids=["constant", "steps", "small", "squares", "far from 0"],
)
def test_a_column_takes_what_it_needs(values, content):
    assert len(encode(values)) == 18 + content


def test_header_totals_and_matches_come_back(tmp_path):
    header = Header(ranks=2, program="a b", machine="eos", nodes=(3, 9), compute="measured")
    matches = np.array([(1, 0, 1), (0, -2, 5)], dtype=MATCH)
    block = Block.of(EXCHANGE, FUNCTIONS)
    writer = Writer(tmp_path / "a.trace", header)
    writer.write(Block(**{**vars(block), "matches": matches}))
    writer.close(end=12_345)
    with Reader(tmp_path / "a.trace") as reader:
        assert reader.header == header
        assert reader.totals is None  # not yet read
        assert reader.matches().tolist() == matches.tolist()
        assert reader.totals.end == 12_345
        assert reader.totals.ranks == (5, 5)
        assert reader.totals.functions["MPI_Init"] == 2
        assert sum(len(b) for b in reader.blocks()) == sum(len(b) for b in reader.blocks()) == 10


def test_names_say_what_numbers_are(tmp_path):
    """A trace whose functions and operations are numbered in another way means the same."""
    backwards = FUNCTIONS[::-1]
    header = Header(ranks=2, functions=backwards, operations=OPERATIONS[::-1])
    block = Block.of(EXCHANGE, backwards)
    block.calls["operation"] = len(OPERATIONS) - 1 - block.calls["operation"]
    with Writer(tmp_path / "a.trace", header) as writer:
        writer.write(block)
    with Reader(tmp_path / "a.trace") as reader:
        (read,) = reader.blocks()
    assert sorted(map(repr, read.each(function_names()))) == sorted(map(repr, EXCHANGE))


def test_views_have_the_fields_of_the_core():
    """The core lays them out; names and order here agree with the core's."""
    assert set(VIEW_OF.values()) == {"plain", *VIEWS}
    for view, kind in VIEWS.items():
        assert tuple(field.name for field in dataclasses.fields(kind)) == tuple(
            name for name in CALL[view].names
        )
        numbers = tuple(range(len(CALL[view].names)))
        assert to_numbers(view, from_numbers(view, numbers)) == numbers


def test_a_call_has_the_view_of_its_operation():
    with pytest.raises(TypeError, match="has a Send"):
        Block.of([Call(0, "MPI_Send", "send", Phase(1))], FUNCTIONS)
    with pytest.raises(TypeError, match="has no view"):
        Block.of([Call(0, "MPI_Wait", "wait", Phase(1))], FUNCTIONS)


def test_an_unknown_function_is_refused_where_it_is_called(tmp_path):
    names = ("MPI_New", *FUNCTIONS)
    for at, number in enumerate((1, 0)):
        block = Block.of(EXCHANGE[:1], names)
        block.calls["function"] = number
        with Writer(tmp_path / f"{at}.trace", Header(ranks=2, functions=names)) as writer:
            writer.write(block)
    with Reader(tmp_path / "0.trace") as reader:
        assert len(list(reader.blocks())) == 1
    with (
        Reader(tmp_path / "1.trace") as reader,
        pytest.raises(UserError, match="function that this version of Odonata doesn't know"),
    ):
        list(reader.blocks())


@pytest.mark.parametrize("damage", [(0, 2), (1, 3)], ids=["coding", "width"])
def test_a_column_of_no_coding_or_width_is_refused(damage):
    place, value = damage
    content = bytearray(encode(np.array([7, 300, 9])) + bytes(100))  # long enough for any width
    content[place] = value
    with pytest.raises(DamagedError, match="a column is damaged"):
        decode(memoryview(content), 3)


def test_a_column_that_lacks_a_byte_is_refused():
    content = encode(np.array([7, 300, 9]))
    assert decode(memoryview(content), 3)[0].tolist() == [7, 300, 9]
    with pytest.raises(DamagedError, match="a column is damaged"):
        decode(memoryview(content)[:-1], 3)


def test_an_outcome_is_of_the_first_message_unless_it_says_another():
    assert (Outcome().index, Outcome().serial, Outcome().bytes, Outcome().tag) == (0, 0, 0, 0)
