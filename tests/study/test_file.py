"""Study files."""

from __future__ import annotations

import pytest

from odonata.cli.study_file import TEMPLATE, of_line
from odonata.errors import UserError
from odonata.study.file import parse_study
from odonata.study.plan import words_of

WHOLE = """\
command = "simulate --routing minimal"

[axes]
machine = ["eos", "theta"]
set.node.cores = [4, 8]
"collective.bcast" = ["ring"]

[[together]]
operation = ["bcast", "halo", "halo"]
bytes = ["1KiB", false, false]
periodic = [false, true, true]
cells = [false, 8, 16]

[[without]]
machine = "theta"
cells = "> 8"

[seeds]
first = 3
number = 2
"""


def test_combinations_are_products_without_the_excluded_ones():
    study = parse_study(WHOLE, "study.toml")
    assert len(list(study.combinations())) == 2 * 2 * 3 - 2
    assert study.seeds.values == (3, 4)


def test_the_words_of_a_command():
    study = parse_study(WHOLE, "study.toml")
    first, second, *_ = study.combinations()
    common = "--routing minimal --machine eos --set node.cores=4 --collective bcast=ring"
    assert words_of(study, first, 3) == f"simulate bcast {common} --bytes 1KiB --seed 3".split()
    expected = f"simulate halo {common} --periodic --cells 8".split()
    assert words_of(study, second, None) == expected


def test_options_of_mpirun_stand_before_the_program():
    text = 'command = "mpirun -n 4 --compute none ./ring 5"\naxes.machine = ["eos"]'
    study = parse_study(text, "study.toml")
    words = words_of(study, ("eos",), None)
    assert " ".join(words) == "mpirun --machine eos -n 4 --compute none ./ring 5"


def test_the_template_is_a_study():
    study = parse_study(TEMPLATE, "study.toml")
    assert len(list(study.combinations())) == 2 * 3


def test_a_command_with_commas_is_a_study():
    line = (
        "simulate allgather --algorithm ring,bruck -n 128,512 --seed 1,2,3 --machine eos,theta "
        "--set node.cores=4,8 --allocation '0-15,32;random' --pack 1ns/B,2ns/B --json"
    )
    study = parse_study(of_line(line), "study.toml")
    assert study.words == ("allgather", "--pack", "1ns/B,2ns/B")
    assert {name: values for group in study.groups for name, values in group.items()} == {
        "algorithm": ["ring", "bruck"],
        "ranks": ["128", "512"],
        "machine": ["eos", "theta"],
        "set.node.cores": ["4", "8"],
        "allocation": ["0-15,32", "random"],
    }
    assert study.seeds.values == (1, 2, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("axes.x = [1", "study.toml: study file: not TOML"),
        ("", "study.toml:command: command: missing"),
        ('command = "simulat x"', "command: not one of a study: 'simulat x'; did you mean"),
        ('command = "simulate \'x"', "command: No closing quotation"),
        ('command = "simulate"\n[axe]\n', "study.toml:2:axe: study file: unknown key"),
        ('command = "simulate"\n[axes]\nbytes = 4', "study.toml:3:axes.bytes: axis: no values: 4"),
        ('command = "simulate"\n[axes]\nseed = [1]', "study.toml:3:axes.seed: axis: seeds are no"),
        (
            'command = "simulate"\n[axes]\nx = [1]\n[[without]]\ny = 2',
            "study.toml:5:without.y: without: not an axis: 'y'",
        ),
        (
            'command = "simulate"\n[[together]]\nx = [1]\ny = [1, 2]',
            "study.toml:2:together: together: lengths differ",
        ),
        ('command = "simulate"\n[seeds]\nnumber = 0', "study.toml:3:seeds.number: number: out"),
        ('command = "simulate"\n[seeds]\nuntil = "2%"', "seeds.at_most: at_most: missing"),
        (
            'command = "simulate"\n[seeds]\nuntil = 3\nat_most = 9',
            "study.toml:3:seeds.until: until: not a share: 3",
        ),
        (
            'command = "simulate"\n[seeds]\nuntil = "2%"\nat_most = 9\n'
            '[keep]\nresults = ["packets"]',
            "study.toml:6:keep.results: results: without the number of [seeds]: 'time_seconds'",
        ),
        ('command = "simulate"\n[keep]\nfiles = 1', "study.toml:3:keep.files: files: neither"),
        (
            'command = "simulate"\n[axes]\n'
            + "\n".join(f"a{at} = {[*range(100)]}" for at in range(4)),
            "combinations: too many: 100000000",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, message):
    with pytest.raises(UserError) as refused:
        parse_study(text, "study.toml")
    assert message in str(refused.value)
