"""``odonata machines new``: files that load as they are, and say what may stand in them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine.families import FAMILIES
from odonata.machine.files import read
from odonata.machine.schema import keys_of
from odonata.machine.template import template
from odonata.machine.wiring import read_edges
from odonata.testing import usable_routings

HEAD = 'name = "x"\nfamily = "star"\ndescription = "x"\n'


@pytest.fixture(params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture
def written(run_odonata, tmp_path, family):
    """Return the file that ``odonata machines new`` prints for a family."""
    status, out, err = run_odonata("machines", "new", "--family", family)
    assert (status, err) == (0, "")
    path = tmp_path / "mine.toml"
    path.write_text(out)
    return path


def test_a_new_file_loads_and_checks_as_it_is(run_odonata, written, family):
    assert run_odonata("machines", "show", written)[0] == 0
    assert run_odonata("machines", "check", written)[0] == 0
    made = machine.load(written)
    assert all(made.check(policy).passed for policy in usable_routings(made.core))
    assert run_odonata("simulate", "pingpong", "--ranks", 2, "--machine", written)[0] == 0


def test_every_number_of_a_new_file_is_assumed(written):
    numbers = read(written).numbers.values()
    assert {number.status for number in numbers} == {"assumed"}
    assert all("your" in number.source for number in numbers)


def test_a_new_file_has_every_key_with_its_range_and_meaning(written, family):
    text = written.read_text()
    classes = FAMILIES[family].class_names + FAMILIES[family].own_classes
    for key, kind in keys_of(family, classes).items():
        table, _, name = key.rpartition(".")
        assert all((kind.meaning, kind.allowed)), key
        above = f"# {kind.meaning}: {kind.allowed}"
        entry = re.compile(
            rf"^(# )?\[{re.escape(table)}\]\n(?:.+\n)*?{re.escape(above)}.*\n(# )?{name} = ", re.M
        )
        assert entry.search(text), key
        if kind.required:
            assert key in read(written).numbers


def test_the_form_of_an_edge_list_is_in_the_file_and_in_the_error(tmp_path):
    form = "lines 'node <n> router <r>' and 'link <from> <to> <class>', both directions"
    assert form in template("graph")
    tmp_path.joinpath("edges.txt").write_text("node 0 0\n")
    with pytest.raises(UserError, match=re.escape(form)):
        read_edges(tmp_path / "edges.txt")


def test_an_unknown_family_has_its_near_miss(run_odonata):
    status, out, err = run_odonata("machines", "new", "--family", "dragonflies")
    assert (status, out) == (2, "")
    allowed = "dragonfly, dragonfly-plus, aries, hyperx, torus, gemini, fat-tree, star, graph"
    assert f"did you mean 'dragonfly'?; allowed: {allowed}" in err


def test_the_help_says_what_names_every_family(run_odonata):
    _, out, _ = run_odonata("machines", "new", "--help")
    assert "odonata machines families" in " ".join(out.split())


def test_the_page_of_machines_shows_the_families_as_they_are(run_odonata):
    status, out, _ = run_odonata("machines", "families")
    page = Path(__file__).parents[2] / "docs" / "concepts" / "machine.md"
    assert status == 0
    assert f"$ odonata machines families\n{out}```" in page.read_text()


def test_families_are_shown_with_their_ranges_and_classes(run_odonata):
    _, out, _ = run_odonata("machines", "families", "--json")
    shown = {family["name"]: family for family in json.loads(out)}
    assert list(shown) == list(FAMILIES)
    assert shown["aries"]["shape"]["rows"] == {
        "allowed": "1 to 64",
        "required": True,
        "meaning": "Chassis of a group",
        "start": 6,
    }
    assert shown["aries"]["links"]["green"]["colour"] == "#009E73"
    assert [name for name, family in shown.items() if family["own_links"]] == [
        "hyperx",
        "torus",
        "gemini",
        "fat-tree",
        "graph",
    ]


def test_show_says_what_each_number_means(run_odonata):
    _, out, _ = run_odonata("machines", "show", "eos")
    assert re.search(r"^shape.columns +16 +published +Routers of a chassis$", out, re.M)


def test_all_missing_keys_are_told_at_once_with_what_they_may_be(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(HEAD)
    with pytest.raises(UserError) as caught:
        read(path)
    keys = keys_of("star", FAMILIES["star"].class_names)
    required = [key for key, kind in keys.items() if kind.required]
    message = str(caught.value)
    assert f"{len(required)} keys are missing: " in message
    assert all(f"{key} (" in message for key in required)
    assert "node.cores (1 to 4096)" in message
    assert "links.injection.buffer (1 B to 1 GiB)" in message


def test_one_missing_key_says_what_it_may_be(tmp_path):
    path = tmp_path / "mine.toml"
    lines = template("star").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("window = ")))
    with pytest.raises(UserError, match=r"nic.window: missing; allowed: 0 B to 1 TiB"):
        read(path)


def test_a_wrong_choice_has_its_near_miss():
    with pytest.raises(UserError, match="did you mean 'relative'"):
        machine.load("dragonfly-5256", {"shape.arrangement": "relativ"})


def test_the_edge_list_of_the_documentation_is_a_machine(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "how-to" / "describe-your-machine.md"
    listed = re.search(r"```\n(node 0.*?)```", page.read_text(), re.DOTALL)[1]
    tmp_path.joinpath("edges.txt").write_text(listed)
    text = template("graph").replace("# edges = { value = ,", 'edges = { value = "edges.txt",')
    given = 'edges = { value = "edges.txt", source = "x", status = "assumed" }'
    text = re.sub(r"(?m)^edges = .*$", given, text)
    kept = (line for line in text.splitlines() if not re.match(r"node_router|links = ", line))
    path = tmp_path / "mine.toml"
    path.write_text("\n".join(kept))
    assert machine.load(path).node_router.tolist() == [0, 1]


@pytest.mark.parametrize("name", machine.names())
def test_a_copy_is_the_machine_under_its_new_name(run_odonata, tmp_path, name):
    copied = tmp_path / "mine.toml"
    status, out, err = run_odonata("machines", "new", "--like", name, "--name", "my-own")
    assert (status, err) == (0, "")
    copied.write_text(out)
    mine, theirs = machine.load(copied), machine.load(name)
    assert (mine.name, theirs.name) == ("my-own", name)
    numbers = [
        {key: (n.text, n.source, n.status) for key, n in each.numbers.items()}
        for each in (mine, theirs)
    ]
    assert numbers[0] == numbers[1]


def test_a_copy_has_its_own_name_unless_another_is_given(run_odonata):
    assert 'name = "eos"' in run_odonata("machines", "new", "--like", "eos")[1].splitlines()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--like", "eso"], "machine: unknown: 'eso'; did you mean 'eos'?"),
        (["--like", "nothing.toml"], "machine file: no such file"),
        (["--like", "eos", "--family", "star"], "which file: 'both'"),
        (["--like", "eos", "--name", "my own"], "name: not a name: 'my own'"),
        (["--family", "star", "--name", "my own"], "name: not a name: 'my own'"),
        (["--name", "mine"], "which file: 'neither'"),
    ],
)
def test_what_is_no_start_is_refused(run_odonata, words, message):
    status, out, err = run_odonata("machines", "new", *words)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    "start", [("--family", "dragonfly"), ("--like", "dragonfly-5256")], ids=lambda words: words[0]
)
def test_a_new_file_has_the_numbers_that_are_set(run_odonata, tmp_path, start):
    plain = tmp_path / "plain.toml"
    plain.write_text(run_odonata("machines", "new", *start)[1])
    given = {"shape.groups": 5, "links.global.bandwidth": "7 GB/s", "node.cache": "2 MiB"}
    words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    status, out, err = run_odonata("machines", "new", *start, *words)
    assert (status, err) == (0, "")
    path = tmp_path / "changed.toml"
    path.write_text(out)
    before, after = read(plain).numbers, read(path).numbers
    assert {key: after[key].text for key in given} == {key: str(v) for key, v in given.items()}
    assert all(after[key].status == "assumed" for key in given)
    assert all("--set" in after[key].source for key in given)
    kept = [key for key in before if key not in given]
    assert [key for key in after if key not in given] == kept
    assert all(after[key].value == before[key].value for key in kept)
    assert all(after[key].source == before[key].source for key in kept)


@pytest.mark.parametrize("start", [("--family", "dragonfly"), ("--like", "dragonfly-5256")])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("shape.group=9", "shape.groups"),
        ("shape.groups=many", "not a whole number"),
        ("shape.groups", "not KEY=VALUE"),
        ("shape.groups=100000", "out of range"),
    ],
)
def test_a_wrong_change_of_a_new_file_is_refused(run_odonata, start, change, message):
    status, out, err = run_odonata("machines", "new", *start, "--set", change)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
