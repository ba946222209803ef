"""Time-independent traces of SimGrid."""

from __future__ import annotations

from pathlib import Path

import pytest

import odonata
from odonata.errors import UserError
from odonata.profile.formats import convert
from odonata.trace import Reader, function_names

RING = """
0 init
0 compute 2e6
0 isend 1 7 100 6
0 recv 1 8 10 0
0 wait 0 1 7
0 allreduce 4 1000 0
0 finalize
1 init
1 recv 0 7 100 6
1 send 0 8 10 0
1 dance 3
1 allreduce 4 1000 0
1 finalize
"""


def test_actions_become_calls(tmp_path: Path) -> None:
    (tmp_path / "ring.txt").write_text(RING)
    account = convert(tmp_path / "ring.txt", tmp_path / "out.trace")
    with Reader(tmp_path / "out.trace") as trace:
        calls = [call for block in trace.blocks() for call in block.each(function_names())]
    first = [call for call in calls if call.rank == 0]
    assert [call.operation for call in first] == [
        *("local", "isend", "recv", "wait", "collective", "finalize")
    ]
    assert first[1].compute == 2_000_000  # 2e6 operations at 1e9 a second
    assert first[1].view is not None
    assert (first[1].view.to, first[1].view.tag, first[1].view.bytes) == (1, 7, 100)
    assert first[2].view is not None
    assert first[2].view.bytes == 80  # doubles
    assert first[4].view is not None
    assert (first[4].view.operation, first[4].view.bytes) == ("allreduce", 32)
    assert account.unknown == {"dance": 1}
    assert account.left_out == {}
    assert odonata.replay(tmp_path / "out.trace", "jupiter-fdr").summary["time_seconds"] > 0.002


def test_a_file_for_each_rank(tmp_path: Path) -> None:
    lines = RING.strip().split("\n")
    for rank in "01":
        own = [line for line in lines if line.startswith(rank)]
        (tmp_path / f"r{rank}").write_text("\n".join(own))
    (tmp_path / "list.txt").write_text("r0\nr1\n")
    assert convert(tmp_path / "list.txt", tmp_path / "out.trace").ranks == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("0 init\n0 send 1 x 5\n", "not a number: 'x'"),
        ("0 init\n0 send 1\n", "not a number"),
        ("0 init\nhello\n", "not an action"),
        ("1 init\n", "ranks without actions"),
        ("0 init\n99999999 init\n", "rank: out of range"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(UserError, match=what):
        convert(tmp_path / "x.txt", tmp_path / "x.trace")
    assert not (tmp_path / "x.trace").exists()
