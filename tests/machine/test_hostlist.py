"""Lists of host names in Slurm's bracket syntax."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.machine import load
from odonata.machine.hostlist import check_host, compress, each_of, expand
from odonata.placement.nodes import nodes_named

HOSTS = st.from_regex(r"[a-z]{1,3}[0-9]{1,4}(?:[a-z.-][0-9]{1,3})?", fullmatch=True)
NEIGHBOURS = st.builds(
    lambda prefix, first, count, width: [
        f"{prefix}{number:0{width}d}" for number in range(first, first + count)
    ],
    st.sampled_from(["nid", "c0-0c0s", "x1000c0s0b0n"]),
    st.integers(0, 1100),
    st.integers(1, 20),
    st.integers(1, 5),
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nid00012", ["nid00012"]),
        ("nid[00012-00014,00020]", ["nid00012", "nid00013", "nid00014", "nid00020"]),
        ("n[8-11]", ["n8", "n9", "n10", "n11"]),
        ("n[08-11]", ["n08", "n09", "n10", "n11"]),
        ("n[98-101]", ["n98", "n99", "n100", "n101"]),
        ("a[1-2]b[01,3]c", ["a1b01c", "a1b3c", "a2b01c", "a2b3c"]),
        ("login1, n[2-3] ,n9.site.org", ["login1", "n2", "n3", "n9.site.org"]),
        ("n1,n1", ["n1", "n1"]),
        ("[0-1]", ["0", "1"]),
    ],
)
def test_lists_are_expanded_in_their_order(text, names):
    assert expand(text) == names


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["nid00012", "nid00013", "nid00015"], "nid[00012-00013,00015]"),
        (["nid00013", "nid00012"], "nid[00013,00012]"),
        (["n9", "n10", "n099", "n100"], "n[9-10,099-100]"),
        (["a1b1", "a1b2", "a2b1", "a2b2"], "a[1-2]b[1-2]"),
        (["a1b1", "a1b2", "a2b1"], "a1b[1-2],a2b1"),
        (["n9", "n010", "n11"], "n[9,010,11]"),
        (["n1", "n1"], "n[1,1]"),
        (["n1", "m2", "m3"], "n1,m[2-3]"),
        ([], ""),
    ],
)
def test_names_are_compressed_in_their_order(names, text):
    assert compress(names) == text


@given(st.lists(HOSTS, min_size=1, max_size=12))
def test_any_names_come_back(names):
    assert expand(compress(names)) == names


@given(st.lists(NEIGHBOURS, min_size=1, max_size=4))
def test_neighbours_come_back_and_are_short(runs):
    names = [name for run in runs for name in run]
    text = compress(names)
    assert expand(text) == names
    assert text.count("[") <= len(runs) * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a name is missing"),
        ("n1,", "a name is missing"),
        ("n[1-2", "a bracket is alone"),
        ("n1]", "a bracket is alone"),
        ("n[1-[2]]", "a bracket is alone"),
        ("n[]", "not a range"),
        ("n[1,]", "not a range"),
        ("n[2-1]", "not a range"),
        ("n[08-9]", "not a range"),
        ("n[1-2-3]", "not a range"),
        ("n[a-b]", "not a range"),
        ("n[1-99999999]", "too many"),
        ("n[1-9999][1-9999][1-9999]", "too many"),
        ("-n1", "not a host name"),
        ("n" * 254, "not a host name"),
        ("n 1", "not a host name"),
    ],
)
def test_what_is_no_list_is_refused(text, said):
    with pytest.raises(UserError, match=said):
        expand(text)


@pytest.mark.parametrize(
    "text",
    [
        "n" + "[0-4194303]" * 30,
        "n[0-4194303][0-1]",
        "n[" + ",".join(["0-4194303"] * 1000) + "]",
        "n[0-999999999999999999]",
    ],
)
def test_what_a_list_claims_is_counted_before_it_takes_room(text):
    tracemalloc.start()
    try:
        with pytest.raises(UserError, match="too many"):
            for _ in each_of(text):
                pass
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_a_list_is_read_as_far_as_it_is_asked_for():
    tracemalloc.start()
    try:
        with pytest.raises(UserError, match="nid100000"):
            nodes_named(load("eos"), ["nid[100000-999999]"])
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("bad", [*"$`;|&<>(){}*?!~#'\"\\ \t\n/=:%+@^ä\0"])
def test_characters_that_a_shell_reads_are_refused(bad):
    for name in (f"n{bad}1", f"{bad}n1", f"n1{bad}"):
        with pytest.raises(UserError, match="not a host name"):
            check_host(name)
        with pytest.raises(UserError, match="not a host name"):
            compress([name])
