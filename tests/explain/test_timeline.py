"""Timelines: the recorded steps of a run, and their figure."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import h5py
import numpy as np
import pytest
from by_hand import BYTES, LATENCY, receive, send, star
from typer.testing import CliRunner

from odonata import _core, explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.cli.explain import parse_window
from odonata.errors import UserError
from odonata.explain.path import hops as explain_hops
from odonata.explain.timeline import KINDS
from odonata.report import draw_breakdown, draw_timeline
from odonata.report.page_of_run import run_page
from odonata.result import Result
from odonata.result.kinds import LEGS, STEP_KINDS

WAITING = STEP_KINDS.index("waiting")


def told(algorithm="ring", *, operation="allreduce", ranks=16, size=8192, keep="auto"):
    theta = machine.load("theta")
    job = simulate.Job(
        workload.Collective(operation, algorithm, bytes=size), placement.place(theta, ranks)
    )
    return explain.explain(simulate.simulate(theta, [job], explain=True, record_messages=keep))


@pytest.fixture(scope="module")
def ring():
    return told()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("timeline") / "run.nc"
    words = "simulate allreduce --algorithm ring --ranks 16 --bytes 8KiB --machine theta --explain"
    done = CliRunner().invoke(app, [*words.split(), "-o", str(path)], catch_exceptions=False)
    assert done.exit_code == 0
    return path


def test_a_late_sender_by_hand():
    options = _core.SimulationOptions()
    options.explain = True
    engine = options.engine
    engine.packet_bytes = 1000
    options.engine = engine
    simulation = _core.Simulation(star(2), options)
    bodies = [send(1, after=5_000), receive(0)]

    def body(rank):
        yield from bodies[rank.index](rank)

    simulation.add([0, 1], _core.python_program(body), False, False)
    simulation.run(None)
    found = simulation.causes(1000)
    step = {key: np.asarray(column).tolist() for key, column in found["step"].items()}
    crossing = {key: np.asarray(column).tolist() for key, column in found["crossing"].items()}
    arrival = 5_000 + BYTES + LATENCY  # computing, then its bytes and the way
    assert step["count"][1] == 1
    assert (step["kind"][-1], step["time"][-1]) == (WAITING, arrival)
    cause = step["cause"][-1]
    assert (crossing["handed"][cause], crossing["end"][cause]) == (5_000, arrival)
    assert (crossing["from"][cause], crossing["to"][cause]) == (0, 1)
    assert sum(np.asarray(found["piece"]["time"])) == sum(
        end - handed for end, handed in zip(crossing["end"], crossing["handed"], strict=True)
    )
    # Seven rows: two steps and their scope, a message and the three pieces of its way.
    assert simulation.causes(7) is not None
    assert simulation.causes(6) is None


def test_messages_that_were_not_recorded_are_those_with_data():
    def asks(rank):
        yield rank.send(1, 65536) if rank.index == 0 else rank.recv(0, 65536)

    theta = machine.load("theta")
    job = simulate.Job(workload.Program(asks), placement.place(theta, 2))
    found = explain.explain(simulate.simulate(theta, [job], explain=True))
    legs = found.timeline.causes.crossings["leg"]
    assert {LEGS.index("request"), LEGS.index("answer"), LEGS.index("data")} <= set(legs.tolist())
    jobs = tuple(replace(job, messages=None) for job in found.run.jobs)
    messages = explain.explain(Result(replace(found.run, jobs=jobs))).timeline.messages
    assert (messages.source.tolist(), messages.target.tolist()) == ([0], [1])
    assert messages.size.tolist() == [65536]


def test_intervals_follow_each_other_up_to_the_rank_s_end(ring):
    timeline = explain.Timeline(ring)
    for rank in range(16):
        mine = timeline.rank == rank
        begin, end = timeline.begin[mine], timeline.end[mine]
        assert begin[0] == 0
        assert (begin[1:] == end[:-1]).all()
        assert (end > begin).all()
        assert end[-1] == ring.ranks[rank].end_ps


def test_kinds_agree_with_the_breakdown(ring):
    timeline = explain.Timeline(ring)
    spent = np.bincount(timeline.kind, weights=timeline.end - timeline.begin, minlength=len(KINDS))
    totals = ring.totals_ps()
    assert spent[KINDS.index("send overhead")] == totals["send_overhead"]
    assert spent[KINDS.index("receive overhead")] == totals["receive_overhead"]
    late = spent[KINDS.index("waiting for a partner")]
    assert late == totals["late_in_collective"] > 0


def test_shares_cover_every_rank_until_it_ends(ring):
    timeline = explain.Timeline(ring)
    length = ring.length_ps
    for bins, rows in ((7, 16), (400, 5)):
        shares = timeline.shares(bins, rows)
        assert shares.shape == (rows, bins, len(KINDS))
        covered = shares.sum() * length / bins * 16 / rows
        ends = sum(rank.end_ps for rank in ring.ranks)
        if rows == 16:
            assert covered == pytest.approx(ends)
        assert shares.sum(axis=2).max() <= 1 + 1e-9
    half = timeline.shares(10, 16, (0, length // 2))
    assert half.sum(axis=2) == pytest.approx(np.ones((16, 10)))


def test_messages_and_uses(ring):
    timeline = explain.Timeline(ring)
    assert len(timeline.messages.sent) == ring.run.summary["messages"] == 30 * 16
    assert (timeline.messages.delivered > timeline.messages.sent).all()
    uses = timeline.uses
    assert (uses.begin + uses.waited <= uses.end).all()
    first = np.flatnonzero(uses.crossing == 0)
    links = ring.run.links
    node = int(ring.run.jobs[0].nodes[timeline.causes.crossings["from"][0]])
    assert int(links["from"][uses.link[first[0]]]) == node  # its way begins at its NIC
    assert int(links["from"][uses.link[first[1]]]) == int(links["to"][uses.link[first[0]]])
    assert (uses.begin[first[1:]] > uses.end[first[:-1]]).all()


def test_steps_are_the_messages_of_the_path(ring):
    steps = ring.steps_ps
    assert len(steps) == 30 + 1
    assert sum(sum(step.values()) for step in steps) == ring.length_ps
    assert [step["send_overhead"] for step in steps] == [335_000] * 30 + [0]
    assert steps[-1]["receive_overhead"] == sum(steps[-1].values())


@pytest.mark.parametrize(
    ("operation", "algorithm", "size"), [("allreduce", "ring", 8192), ("bcast", "binomial", 65536)]
)
def test_hops_are_a_chain(operation, algorithm, size):
    """The root of a bcast waits until a message has left, and the path stays with it."""
    found = told(algorithm, operation=operation, ranks=32, size=size)
    hops = explain_hops(found.account)
    assert hops[0].begin_ps == 0
    assert hops[-1].end_ps == found.length_ps
    for before, after in pairwise(hops):
        assert before.end_ps == after.begin_ps
        assert after.rank == (before.rank if before.to < 0 else before.to)


def test_figures_have_their_parts(ring):
    figure = draw_timeline(ring)
    (axes,) = figure.axes
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"send overhead", "messages", "critical path"} <= set(labels)
    assert axes.get_ylabel() == "rank"
    path = axes.get_lines()[0]
    assert path.get_xdata()[-1] == pytest.approx(ring.length_ps / 1e6)
    bars, whole = draw_breakdown(ring, by="step").axes
    assert bars.get_xlim() == (-0.5, 30.5)
    assert whole.get_ylim()[1] > bars.get_ylim()[1]


def test_bars_stand_over_whole_numbers(ring):
    bars, _ = draw_breakdown(ring).axes
    assert bars.get_xlim() == (-0.5, 15.5)
    assert all(tick == round(tick) for tick in bars.get_xticks())
    assert bars.get_xlabel() == "rank"


def test_a_legend_has_what_is_drawn():
    # The path of a broadcast never waits, and ranks do.
    broadcast = told("binomial", operation="bcast")
    legends = [
        {text.get_text() for text in draw_breakdown(broadcast, by=by).legends[0].get_texts()}
        for by in ("rank", "step")
    ]
    assert "waiting for others in a collective" in legends[0] - legends[1]


def test_bars_of_many_steps_say_that_they_are_means():
    bars, _ = draw_breakdown(told(ranks=128), by="step").axes
    # 254 steps and the end, in at most 128 bars
    assert bars.get_xlabel() == "step of the critical path (a bar is the mean of 2 steps)"


def test_a_window_shows_its_part_alone(ring):
    (axes,) = draw_timeline(ring, window=(1_000_000, 3_000_000)).axes
    assert axes.get_xlim() == (1, 3)
    with pytest.raises(UserError, match="no such window"):
        draw_timeline(ring, window=(3_000_000, 1_000_000))


@pytest.mark.parametrize("text", ["10us", "10us:", "a:b", "1:2"])
def test_a_window_that_is_none_is_refused(text):
    with pytest.raises(UserError, match="window"):
        parse_window(text)


def test_a_saved_run_has_the_same_steps(saved):
    mine, back = explain.Timeline(told()), explain.Timeline(explain.load(saved))
    for name in ("rank", "kind", "begin", "end", "scope"):
        assert (getattr(mine, name) == getattr(back, name)).all()


def test_a_run_without_its_steps_says_how_to_run_it_again():
    with pytest.raises(UserError, match="run it again with --explain -o"):
        explain.Timeline(told(keep=False))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step_kind", 12),
        ("step_cause", 10**6),
        ("step_scope", 99),
        ("step_time", -1),
        ("rank_steps", 10**6),
        ("crossing_launcher", 16),
        ("crossing_parent", 10**6),
        ("crossing_end", -5),
        ("crossing_pieces", 10**6),
        ("piece_link", 10**7),
        ("piece_part", 8),
    ],
)
def test_damaged_steps_are_refused(saved, tmp_path, name, value):
    path = tmp_path / "wrong.nc"
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "a") as file:
        file[name][0] = value
    with pytest.raises(UserError, match="damaged"):
        explain.load(path)


@pytest.fixture(scope="module")
def coarse():
    """Return a run whose steps are too many to keep."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("odonata.simulate.collect.MOST_STEPS", 10)
        return told()


def test_of_too_many_steps_the_kind_of_each_interval_is_kept(coarse, ring):
    assert coarse.account.causes is None
    kinds = coarse.account.kinds
    bins = kinds.shape[1]
    width = -(-ring.length_ps // bins)
    shares = explain.Timeline(ring).shares(bins, 16, (0, width * bins))
    most = np.where(shares.sum(axis=2) > 0, shares.argmax(axis=2), 255)
    ahead = np.sort(shares, axis=2)
    clear = ahead[:, :, -1] > ahead[:, :, -2] + 1e-6  # no two kinds are level
    assert (kinds[clear] == most[clear]).all()
    assert clear.mean() > 0.9


def test_a_window_of_intervals_is_drawn_where_they_are(coarse):
    width = -(-coarse.length_ps // 240)
    window = (10 * width + width // 3, 30 * width + width // 3)
    (axes,) = draw_timeline(coarse, window=window).axes
    begin, end, *_ = axes.images[0].get_extent()
    # The cells are whole intervals, and the axis is the window.
    assert (begin, end) == pytest.approx((10 * width / 1e6, 31 * width / 1e6))
    assert axes.images[0].get_array().shape[1] == 21
    assert axes.get_xlim() == pytest.approx((window[0] / 1e6, window[1] / 1e6))
    assert "main activity of ranks in each" in axes.get_xlabel()


def test_a_window_of_few_intervals_would_show_nothing(coarse):
    width = -(-coarse.length_ps // 240)
    draw_timeline(coarse, window=(0, 12 * width))
    with pytest.raises(UserError, match=r"too narrow a window: .*--record-messages"):
        draw_timeline(coarse, window=(0, 11 * width))


def test_an_export_without_steps_names_its_file_and_a_remedy(coarse, tmp_path):
    path = tmp_path / "run.nc"
    Result(coarse.run).save(path)
    with pytest.raises(UserError, match=r"run.nc: .*steps .*--record-messages"):
        explain.load(path).timeline  # noqa: B018


def test_the_kinds_of_intervals_are_saved_and_drawn(coarse, tmp_path):
    path = tmp_path / "run.nc"
    Result(coarse.run).save(path)
    back = explain.load(path)
    assert (back.account.kinds == coarse.account.kinds).all()
    (axes,) = draw_timeline(back).axes
    assert axes.get_xlim()[1] == pytest.approx(back.length_ps / 1e6)
    assert '"exact":false' in run_page(back)
    assert back.dependencies is None
    with h5py.File(path, "a") as file:
        file["rank_kind"][0, 0] = 9
    with pytest.raises(UserError, match="damaged"):
        explain.load(path)


def test_stretches_tell_who_did_what():
    """Rank 0 sends to rank 2 and then to rank 1, whose message waits for the NIC of node 0."""

    def program(rank):
        if rank.index == 0:
            yield rank.wait_all([rank.isend(2, 10_000), rank.isend(1, 10_000)])
        else:
            yield rank.recv(0, 10_000)

    short = {"mpi.short_threshold": "1 MiB", "mpi.eager_threshold": "1 MiB"}
    theta = machine.load("theta").with_values(short)
    job = simulate.Job(workload.Program(program), placement.place(theta, 3))
    found = explain.explain(simulate.simulate(theta, [job], explain=True))
    message = "message from rank 0 to rank 1: "
    assert [str(stretch) for stretch in found.stretches] == [
        "rank 0: send overhead",
        message + "waiting for the node's NIC, link 0 (injection, node 0 to router 0)",
        message + "serialization at the NIC",
        message + "wires and routers",
        message + "ejection",
        "rank 1: receive overhead",
    ]


def test_a_run_without_messages_uses_no_links():
    def program(rank):
        yield rank.compute("1 us")

    theta = machine.load("theta")
    job = simulate.Job(workload.Program(program), placement.place(theta, 2))
    found = explain.explain(simulate.simulate(theta, [job], explain=True))
    assert all(len(column) == 0 for column in vars(found.timeline.uses).values())


def test_categories_of_link_classes_have_words():
    assert explain.words_of("queueing.global") == "queueing for global links"
    assert explain.words_of("credit.local") == "waiting for credit of local links"
