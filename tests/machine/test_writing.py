"""A machine file that was written is read back with the same meaning."""

from __future__ import annotations

import pytest

from odonata import machine
from odonata.errors import InternalError, UserError
from odonata.machine.files import find, read
from odonata.machine.writing import NewNumber, write_text


def numbers(description):
    return {key: (n.value, n.source, n.status) for key, n in description.numbers.items()}


@pytest.mark.parametrize("name", machine.names())
def test_a_file_without_changes_reads_as_before(name, tmp_path):
    base = read(find(name))
    path = tmp_path / "again.toml"
    path.write_text(write_text(base, {}, name="again", description='a "quoted" \\ one\x7f'))
    again = read(path)
    assert numbers(again) == numbers(base)
    assert (again.name, again.family) == ("again", base.family)
    assert again.description == 'a "quoted" \\ one\x7f'


def test_changes_take_the_place_of_numbers_and_may_be_new(tmp_path):
    base = read(find("dragonfly-5256"))
    new = {
        "model.t": NewNumber(["2 ns", "1.5 ns"], "products"),
        "node.cores": NewNumber(7, "counted"),
    }
    path = tmp_path / "new.toml"
    path.write_text(write_text(base, new, name="n", description="d", without=["mpi.poll"]))
    again = read(path)
    assert again.numbers["model.t"].value == (2000, 1500)
    assert again.numbers["model.t"].status == "measured"
    assert again.numbers["node.cores"].value == 7
    assert "mpi.poll" in base.numbers
    assert "mpi.poll" not in again.numbers


def test_a_wiring_is_found_from_another_folder(tmp_path, graph_file):
    edges = tmp_path / "here" / "edges.txt"
    edges.parent.mkdir()
    edges.write_text("")
    path = graph_file(edges='"here/edges.txt"')
    text = write_text(read(path), {}, name="n", description="d")
    assert f'edges = {{ value = "{edges}"' in text


def test_what_no_file_can_have_is_refused():
    base = read(find("eos"))
    with pytest.raises(InternalError, match=r"no\.such: not a key"):
        write_text(base, {"no.such": NewNumber(1, "")}, name="n", description="d")
    with pytest.raises(UserError, match=r"node\.latency"):
        write_text(base, {"node.latency": NewNumber(1, "")}, name="n", description="d")
