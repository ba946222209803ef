"""Categories of time and kinds of recorded data are the rows of one table."""

import re
from pathlib import Path

from odonata import _core, explain, machine, placement, simulate, workload
from odonata.explain.sentence import CAUSES
from odonata.explain.timeline import KIND_OF_STEP
from odonata.explain.words import CATEGORIES as NAMED
from odonata.report.category_colours import CATEGORY_COLOURS, category_colours
from odonata.report.timeline_figure import KIND_COLOURS
from odonata.result.kinds import ACT_KINDS, KINDS, LEGS, STEP_KINDS, WAY_PARTS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "cpp/odonata/explain/kinds.inc").read_text(encoding="utf-8")
CLASSES = ["local", "global"]


def rows(macro):
    """Return the arguments of the rows of a macro."""
    found = re.findall(rf"^ODONATA_{macro}\((.+)\)$", TEXT, re.MULTILINE)
    return [re.findall(r'"[^"]*"|\w+', row) for row in found]


def unquoted(macro, column):
    return [row[column].strip('"') for row in rows(macro)]


CATEGORIES = unquoted("CATEGORY", 0)
LINK_CATEGORIES = unquoted("LINK_CATEGORY", 0)


def test_results_have_the_categories_of_the_table():
    theta = machine.load("theta")
    job = simulate.Job(workload.Collective("barrier"), placement.place(theta, 4))
    result = simulate.simulate(theta, [job], explain=True)
    classes = list(result.run.link_classes)
    for_links = [f"{name}.{of}" for name in LINK_CATEGORIES for of in classes]
    assert list(explain.explain(result).account.categories) == [*CATEGORIES, *for_links]


def test_words_are_those_of_the_table():
    assert list(NAMED) == CATEGORIES
    for name, words in zip(CATEGORIES, unquoted("CATEGORY", 4), strict=True):
        assert explain.words_of(name) == words
    for name, words in zip(LINK_CATEGORIES, unquoted("LINK_CATEGORY", 4), strict=True):
        assert explain.words_of(f"{name}.global") == words.replace("{}", "global")


def test_colours_are_those_of_the_table_and_differ():
    assert dict(zip(CATEGORIES, unquoted("CATEGORY", 2), strict=True)) == CATEGORY_COLOURS
    colours = category_colours(CLASSES)
    assert len(set(colours.values())) == len(CATEGORIES) + 2 * len(LINK_CATEGORIES)
    for name, first, last, *_ in rows("LINK_CATEGORY"):
        ends = [colours[f"{name}.local"], colours[f"{name}.global"]]
        assert [f'"{colour}"'.upper() for colour in ends] == [first.upper(), last.upper()]


def test_every_category_has_a_cause_and_every_cause_a_category():
    causes = {cause.name for cause in CAUSES}
    assert causes == {*unquoted("CATEGORY", 3), *unquoted("LINK_CATEGORY", 3)}
    for name in [*CATEGORIES, *(f"{name}.global" for name in LINK_CATEGORIES)]:
        assert sum(cause.has(name) for cause in CAUSES) == 1


def test_kinds_of_a_timeline_are_those_of_the_table():
    assert list(KINDS) == unquoted("SHOWN", 2)
    assert list(KIND_COLOURS) == unquoted("SHOWN", 1)
    shown = unquoted("SHOWN", 0)
    kinds = dict(zip(CATEGORIES, unquoted("CATEGORY", 1), strict=True)) | {"waiting": "late"}
    assert [shown[at] for at in KIND_OF_STEP] == [kinds[name] for name in STEP_KINDS]
    for name, colour, _ in rows("SHOWN"):  # work has the colour of its first category
        first = next((row for row in rows("CATEGORY") if row[1] == name), None)
        assert name in ("late", "under_way") or first[2] == colour


def test_numbers_of_steps_in_files_stay():
    """Files hold positions: those of version 1 of explanations are these."""
    steps = ["computing", "send_overhead", "send_overhead", "receive_overhead"]
    steps += ["receive_overhead", "copying", "reducing", "matching", "matching", "matching"]
    assert list(STEP_KINDS) == [*steps, "pausing", "waiting"]
    assert list(STEP_KINDS) == [*unquoted("STEP", 1), *unquoted("WAIT", 1)]
    assert list(WAY_PARTS) == unquoted("WAY_PART", 1)
    assert list(LEGS) == unquoted("LEG", 1)
    assert list(ACT_KINDS) == unquoted("ACT", 1)
    assert _core.steps() == list(STEP_KINDS)
    for numbered in (_core.way_parts(), _core.legs(), _core.act_kinds()):
        assert sorted(numbered) == list(range(len(numbered)))


def test_the_page_of_explanations_has_every_category():
    page = (ROOT / "docs/concepts/explain.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+(?:\.CLASS)?)`", page))
    assert {*CATEGORIES, *(f"{name}.CLASS" for name in LINK_CATEGORIES)} <= named
