"""The page of a run: its contents, and a reader who clicks through it in headless Chromium."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from contextlib import contextmanager
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.errors import UserError
from odonata.report import page_data as module
from odonata.report import save_page
from odonata.report.network_map import map_network
from odonata.report.page_data import page_data
from odonata.report.page_of_run import run_page
from odonata.result import Result

VOID = {"meta", "input", "br", "link"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def odonata(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def simulated(folder, machine: str, ranks: int, *more: str):
    path = folder / f"{machine}.nc"
    words = ["simulate", "allreduce", "--algorithm", "ring", "--machine", machine, "--explain"]
    odonata(*words, "--ranks", ranks, "--bytes", "8KiB", *more, "-o", path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def theta(folder):
    return simulated(folder, "theta", 32)


@pytest.fixture(scope="module")
def page(folder, theta):
    path = folder / "run.html"
    odonata("report", theta, "-o", path)
    return path


@pytest.mark.parametrize("name", ["run.pdf", "run", "same.nc"])
def test_only_a_page_is_replaced_by_a_page(theta, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(theta.read_bytes())
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"not a page: .*allowed: \.html, \.htm|the same file"):
        odonata("report", path if name == "same.nc" else theta, "-o", path)
    assert path.read_bytes() == before


class Elements(HTMLParser):
    """Elements of a page that are not closed, doubled names, and tables without heads."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.labels = 0

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        if tag in ("canvas", "svg"):
            assert given.get("aria-label")
            self.labels += 1
        if tag == "th":
            assert given["scope"] in ("row", "col")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_an_answer_uses_links_from_the_receiver_to_the_sender():
    def asks(rank):  # ranks 0 and 4 are on routers 0 and 1
        if rank.index == 0:
            yield rank.send(4, "64 KiB")
        elif rank.index == 4:
            yield rank.recv(0, "64 KiB")

    theta = machine.load("theta")
    job = simulate.Job(workload.Program(asks), placement.place(theta, 5))
    told = explain.explain(simulate.simulate(theta, [job], explain=True))
    drawn = page_data(told)["map"]
    users = {
        (drawn["routers"][link[1]], drawn["routers"][link[2]]): [pair[:2] for pair in link[8]]
        for link in drawn["links"]
        if link[8]
    }
    assert users == {(0, 1): [[0, 4]], (1, 0): [[4, 0]]}


def test_the_page_is_whole_and_has_no_outside_link(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(https?:)?//[a-z0-9.-]+\.[a-z]", text.replace("www.w3.org", ""))
    assert "http://" not in text
    assert "https://" not in text
    assert not re.search(r"<(link|img|iframe)\b|@import|url\(", text)
    found = Elements()
    found.feed(text)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    assert found.labels >= 3
    assert '<html lang="en">' in text


def test_the_same_run_makes_the_same_page(theta):
    assert run_page(explain.load(theta)) == run_page(explain.load(theta))


def test_the_page_has_the_tables_and_the_sentence(page, theta):
    text = page.read_text(encoding="utf-8")
    told = explain.load(theta)
    assert told.sentence in text
    for words in ("send overhead", "slack of the median rank", "stretches of the critical path"):
        assert words in text


def test_names_from_outside_are_text(theta):
    told = explain.load(theta)
    told.run.provenance["command"] = "odonata </script><b>x"
    told.run.jobs[0].workload["algorithm"] = "</script>"
    text = run_page(told)
    assert "<b>x" not in text
    assert text.count("</script>") == 2


def test_the_numbers_of_the_page(theta):
    told = explain.load(theta)
    data = page_data(told)
    assert json.loads(json.dumps(data)) == data
    rows = data["timeline"]["rows"]
    assert [sum(times) for _, times in rows] == [rank.end_ps for rank in told.ranks]
    assert data["path"][-1][1] == told.length_ps
    assert sum(data["bars"]["path"]) == told.length_ps
    assert data["messages"]["count"] == told.run.summary["messages"] == 62 * 32
    used = [link for link in data["map"]["links"] if link[8]]
    assert used
    for link in used:
        digits, users = link[7], link[8]
        assert set(digits) - {"0"}
        # A ring sends from each rank to the next one alone.
        assert all((target - source) % 32 == 1 for source, target, _, _ in users)


def test_uses_of_a_link_that_overlap_count_once():
    begin, end = np.array([0, 5, 20, 40]), np.array([8, 15, 30, 45])
    digits = module._filling(begin, end, width=10.0)  # ten units an interval, nine the most
    assert digits == "95905" + "0" * (module.USE_BINS - 5)


def test_many_steps_are_drawn_by_interval(theta, monkeypatch):
    monkeypatch.setattr("odonata.report.page_data.MOST_INTERVALS", 10)
    monkeypatch.setattr("odonata.report.page_data.MOST_MESSAGES", 7)
    data = page_data(explain.load(theta))
    assert not data["timeline"]["exact"]
    assert {len(row) for row in data["timeline"]["rows"]} == {data["timeline"]["bins"]}
    assert len(data["messages"]["sent"]) == 7 < data["messages"]["count"]


def test_a_thousand_ranks_take_less_than_5_megabytes(folder):
    path = folder / "large.nc"
    odonata(
        *("simulate", "allgather", "--algorithm", "bruck", "--ranks", 1024, "--bytes", 64),
        *("--machine", "theta", "--explain", "-o", path),
    )
    page = folder / "large.html"
    odonata("report", path, "-o", page)
    assert page.stat().st_size < 5_000_000


def test_a_run_without_its_steps_has_a_page_that_says_so(theta):
    told = explain.load(theta)
    account = told.account
    object.__setattr__(account, "causes", None)
    text = run_page(told)
    assert "kept no record of the steps of its ranks" in text
    assert '"timeline":null' in text


@pytest.mark.parametrize("seed", range(20))
def test_uses_of_a_link_agree_with_a_slow_twin(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 300))
    begin = rng.integers(0, 60_000, count)
    end = begin + rng.integers(0, 400, count)
    used = np.zeros(61_000, dtype=bool)
    for low, high in zip(begin, end, strict=True):
        used[low:high] = True
    slow = [-(-9 * int(used[at : at + 1000].sum()) // 1000) for at in range(0, 60_000, 1000)]
    assert module._filling(begin, end, 1000) == "".join(map(str, slow))
    source, target = rng.integers(0, 4, (2, count))
    sizes = rng.integers(0, 100, count)
    told = module._users(source, target, sizes)
    among = {(a, b) for a, b in zip(source.tolist(), target.tolist(), strict=True)}
    sums = {(a, b): int(sizes[(source == a) & (target == b)].sum()) for a, b in among}
    most = sorted(among, key=lambda pair: (-sums[pair], pair))[:5]
    assert [tuple(row[:2]) for row in told[:5]] == most
    assert [row[3] for row in told[: len(most)]] == [sums[pair] for pair in most]
    assert [row[2] for row in told[: len(most)]] == [
        int(((source == a) & (target == b)).sum()) for a, b in most
    ]
    assert told[len(most) :] == ([[len(among) - 5]] if len(among) > 5 else [])


def test_a_run_that_is_not_explained_has_no_page(tmp_path):
    path, page = tmp_path / "plain.nc", tmp_path / "run.html"
    odonata("simulate", "barrier", "--ranks", 4, "--machine", "eos", "-o", path)
    with pytest.raises(UserError, match="run it again with --explain"):
        odonata("report", path, "-o", page)
    assert not page.exists()


@pytest.mark.parametrize(("machine", "names"), [("titan", "slice"), ("summit", "level")])
def test_other_machines_are_slices_and_levels(folder, machine, names):
    where = ("--allocation", "random", "--seed", "1")
    drawn = map_network(Result.load(simulated(folder, machine, 40, *where)))
    assert {name.split()[0] for name, _ in drawn.frames} == {names}
    assert len(drawn.frames) > 1
    assert len(set(drawn.places)) == len(drawn.routers)
    for x, y in drawn.places:
        assert any(
            left <= x <= left + width and top <= y <= top + height
            for _, (left, top, width, height) in drawn.frames
        )


def test_a_group_of_aries_is_six_chassis_of_sixteen(theta):
    drawn = map_network(Result.load(theta))
    for router, (x, y) in zip(drawn.routers, drawn.places, strict=True):
        _, (left, top, width, height) = drawn.frames[router // 96]
        assert (x - left, y - top) == (router % 16 + 0.5, router % 96 // 16 + 0.5)
        assert x < left + width
        assert y < top + height


def test_a_grid_is_cut_across_its_least_used_axis(folder):
    column = ",".join(str(2 * at) for at in range(8))  # the first routers, two nodes each
    path = simulated(folder, "titan", 8, "--allocation", column)
    assert [name for name, _ in map_network(Result.load(path)).frames] == ["slice 0"]
    wide = simulated(folder, "titan", 400, "--allocation", "random", "--seed", "3")
    sizes = (25, 16, 24)
    frames = map_network(Result.load(wide)).frames
    assert [name for name, _ in frames] == [f"slice {at}" for at in range(min(sizes))]


def test_the_note_counts_all_links_that_were_used(browser, theta, tmp_path, monkeypatch):
    used = len(map_network(Result.load(theta)).links)
    monkeypatch.setattr("odonata.report.network_map.MOST_LINKS", 5)
    path = tmp_path / "few.html"
    save_page(explain.load(theta), path)
    with opened(browser, path) as reader:
        note = reader.locator("#map-note").inner_text()
        assert note.startswith(f"{used} links between routers were used; the 5 busiest of them are")


def test_levels_of_a_tree_stand_above_those_below(folder):
    result = Result.load(simulated(folder, "summit", 40))
    drawn = map_network(result)
    height = {router: y for router, (_, y) in zip(drawn.routers, drawn.places, strict=True)}
    links = result.run.links
    for link in drawn.links:
        assert height[int(links["from"][link])] != height[int(links["to"][link])]
    injection = result.run.link_classes.index("injection")
    leaf = links["to"][links["class"] == injection][0]
    assert height[int(leaf)] == max(height.values())


@pytest.fixture(scope="module")
def browser():
    """Start Chromium."""
    sync = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    with sync.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def reader(browser, page):
    with opened(browser, page) as shown:
        yield shown


@contextmanager
def opened(browser, page):
    """Open a page, which must ask for nothing else and have no errors."""
    shown = browser.new_page(viewport={"width": 1080, "height": 900})
    wrong, asked = [], []
    shown.on("pageerror", lambda error: wrong.append(str(error)))
    shown.on("console", lambda said: wrong.append(said.text))
    shown.on("request", lambda request: asked.append(request.url))
    shown.goto(page.as_uri())
    yield shown
    assert wrong == []
    assert asked == [page.as_uri()]
    shown.close()


def test_a_click_on_the_timeline_shows_the_rank(reader):
    box = reader.locator("#timeline").bounding_box()
    place = {"x": box["width"] / 3, "y": box["height"] * 20.5 / 32}
    reader.locator("#timeline").click(position=place)
    assert reader.locator("#said").inner_text().startswith("rank 20 at ")
    shown = reader.locator("#rank-shown")
    assert "rank 20 on node 20 ended at" in shown.inner_text()
    assert shown.locator("svg rect").count() > 60
    assert "to rank 21" in shown.inner_text() or "from rank 19" in shown.inner_text()


def test_a_click_on_a_link_shows_who_used_it_when(reader):
    reader.locator("#map line").last.dispatch_event("click")  # the busiest is drawn last
    shown = reader.locator("#link-shown").inner_text()
    assert shown.startswith("link ")
    assert re.search(r"rank \d+ to rank \d+", shown)
    assert re.search(r"[\d.]+ [nu]?s to [\d.]+ us", shown)
    assert reader.locator("#map line.chosen").count() == 1
    reader.locator("#busiest button").nth(2).click()
    number = reader.locator("#busiest button").nth(2).inner_text()
    assert reader.locator("#link-shown").inner_text().startswith(number + ",")


def test_parts_of_a_rank_are_not_told_of_intervals(browser, theta, tmp_path, monkeypatch):
    monkeypatch.setattr("odonata.report.page_data.MOST_INTERVALS", 10)
    path = tmp_path / "run.html"
    odonata("report", theta, "-o", path)
    shown = browser.new_page()
    shown.goto(path.as_uri())
    text = shown.locator("#rank-shown").inner_text()
    shown.close()
    assert "Its time" in text
    assert "longest" not in text  # all intervals are equally long


def test_the_timeline_has_an_axis_and_the_keyboard_moves_its_window(reader):
    axis = reader.locator("#axis > span")
    begin, end = axis.first.inner_text(), axis.last.inner_text()
    assert begin == "0 ps"
    assert end.endswith(" us")
    reader.locator("#timeline").focus()
    reader.keyboard.press("=")
    assert axis.first.inner_text() == "0 ps"
    assert axis.last.inner_text() != end
    middle = float(axis.last.inner_text().split()[0])
    for _ in range(120):  # hundredths of the window
        reader.keyboard.press("ArrowRight")
    assert float(axis.last.inner_text().split()[0]) == pytest.approx(1.2 * middle, rel=0.01)
    for _ in range(120):
        reader.keyboard.press("ArrowLeft")
    assert axis.first.inner_text() == "0 ps"


def test_ticks_of_the_timeline_are_where_their_times_are(reader):
    end = reader.evaluate("data.length")
    units = {"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9}
    ticks = reader.locator("#axis .tick")
    assert ticks.count() >= 3
    for tick in ticks.all():
        number, unit = tick.inner_text().split()
        part = float(tick.evaluate("each => parseFloat(each.style.left)")) / 100
        assert float(number) * units[unit] == pytest.approx(part * end, rel=1e-3)
    ranks = reader.locator("#rank-axis span").all_inner_texts()
    assert ranks == [str(rank) for rank in range(0, 32, 5)]
    box, first = (
        reader.locator("#timeline").bounding_box(),
        reader.locator("#rank-axis span").nth(2),
    )
    middle = first.bounding_box()["y"] + first.bounding_box()["height"] / 2
    assert middle == pytest.approx(box["y"] + box["height"] * 10.5 / 32, abs=2)


@pytest.mark.parametrize("width", [400, 1080])
def test_nothing_is_cut_on_a_narrow_screen(browser, page, width):
    with opened(browser, page) as reader:
        reader.set_viewport_size({"width": width, "height": 900})
        reader.wait_for_timeout(100)
        assert reader.evaluate("document.documentElement.scrollWidth") <= width
        outside = reader.evaluate(
            """() => [...document.querySelectorAll("#bars text")].filter((each) => {
            const box = each.getBBox(), svg = each.ownerSVGElement;
            return box.x < 0 || box.x + box.width > svg.viewBox.baseVal.width; }).length"""
        )
        assert outside == 0
        sizes = reader.evaluate(
            """() => [...document.querySelectorAll("#bars text")].map((each) =>
            each.getBoundingClientRect().height)"""
        )
        assert min(sizes) > 11  # pixels
        axis = reader.locator("#axis span").all()
        boxes = [each.bounding_box() for each in (axis[0], *axis[1:-1], axis[-1])]
        for before, after in itertools.pairwise(boxes):
            assert before["x"] + before["width"] <= after["x"]


def test_zooming_out_undoes_zooming_in(reader):
    window = lambda: reader.locator("#said").inner_text().split("Window: ")[1]  # noqa: E731
    reader.locator("#whole").click()
    whole = window()
    for _ in range(2):  # at time 0, where the window cannot grow to the left
        reader.locator("#zoom-in").click()
    begin, end = window().rstrip(".").split(" to ")
    assert begin == "0 ps"
    length = float(whole.rstrip(".").split(" to ")[1].split()[0])
    assert float(end.split()[0]) == pytest.approx(length / 4, rel=0.01)
    for _ in range(2):
        reader.locator("#zoom-out").click()
    assert window() == whole
    reader.locator("#zoom-out").click()
    assert window() == whole


@pytest.fixture(scope="module")
def crowded(folder):
    """Return a scatter, whose path waits for the NIC of the root."""
    path = folder / "scatter.nc"
    words = "simulate scatter --algorithm linear --ranks 32 --bytes 8KiB --machine theta --explain"
    odonata(*words.split(), "--set", "mpi.short_threshold=8KiB", "-o", path)
    return path


def test_links_of_nodes_that_the_path_waits_for_come_first(crowded):
    told = explain.load(crowded)
    first, *others = page_data(told)["map"]["node_links"]
    waits = [each for each in told.stretches if each.link is not None]
    longest = max(waits, key=lambda stretch: stretch.length_ps)
    assert f"link {first[0]} (injection, {first[1]} to {first[2]})" == longest.link_name
    busy = [link[5] for link in others]
    assert busy == sorted(busy, reverse=True)
    assert {link[2] for link in others} == {f"node {rank}" for rank in range(1, 32)}


def test_the_link_that_a_sentence_names_is_shown(browser, crowded, folder):
    path = folder / "scatter.html"
    odonata("report", crowded, "-o", path)
    shown = browser.new_page()
    shown.goto(path.as_uri())
    named = re.search(r"for link (\d+) \(injection", shown.locator(".sentence").inner_text())
    shown.locator("#link").fill(named[1])
    shown.keyboard.press("Enter")
    told = shown.locator("#link-shown").inner_text()
    assert told.startswith(f"link {named[1]}, injection, node 0 to router 0: busy ")
    assert "rank 0 to rank " in told
    shown.locator("#of-nodes button").nth(1).click()
    assert "ejection, router" in shown.locator("#link-shown").inner_text()
    shown.locator("#link").fill("99999999")
    shown.keyboard.press("Enter")
    assert shown.locator("#link-shown").inner_text() == "This page has no such link."
    shown.close()


def test_the_keyboard_reaches_ranks_times_and_links(reader):
    reader.locator("#timeline").focus()
    reader.keyboard.press("ArrowDown")
    assert reader.locator("#said").inner_text().startswith("rank 1 at ")
    before = reader.locator("#said").inner_text()
    reader.keyboard.press("ArrowRight")
    assert reader.locator("#said").inner_text() != before
    reader.keyboard.press("Enter")
    assert "rank 1 on node 1" in reader.locator("#rank-shown").inner_text()
    window = reader.locator("#said").inner_text().split("Window:")[1]
    reader.keyboard.press("+")
    assert reader.locator("#said").inner_text().split("Window:")[1] != window
    first = reader.locator("#link").input_value()
    reader.locator("#map").focus()
    reader.keyboard.press("ArrowRight")
    assert reader.locator("#link").input_value() != first
    reader.locator("#rank").fill("3")
    reader.keyboard.press("Enter")
    assert "rank 3 on node 3" in reader.locator("#rank-shown").inner_text()


def test_tab_reaches_every_control_and_each_has_a_name(reader):
    reader.evaluate("document.activeElement.blur()")
    reached = set()
    for _ in range(60):
        reader.keyboard.press("Tab")
        reached.add(reader.evaluate("document.activeElement.id"))
    wanted = {"bars-steps", "zoom-in", "show-path", "timeline", "rank", "map"}
    assert wanted <= reached
    unnamed = reader.evaluate(
        """() => [...document.querySelectorAll("button, input, canvas, svg, a")].filter((each) =>
        !(each.textContent || each.getAttribute("aria-label") || each.labels?.length)).length"""
    )
    assert unnamed == 0


def test_the_bars_change_to_steps(reader):
    bars = reader.locator("#bars rect").count()
    reader.locator("#bars-steps").click()
    assert reader.locator("#bars-steps").get_attribute("aria-pressed") == "true"
    assert reader.locator("#bars rect").count() > bars


SHIPPED = [name for name in machine.names() if machine.load(name).family == "star"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_star_whose_switch_is_joined_to_no_other_has_a_page(folder, name):
    path = simulated(folder, name, 4)
    odonata("report", path, "-o", folder / f"{name}.html")
    assert map_network(Result.load(path)).routers == [0]
