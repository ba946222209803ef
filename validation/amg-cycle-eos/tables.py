"""The tables of README.md that need the model alone."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from published import (
    ACCURACY_PERCENT,
    CORES,
    MEASURED_MS,
    MIXES,
    MODELLED_MS,
    PEAK_BANDWIDTH,
    POINTS,
    eos,
    modelled_ms,
    prediction,
    with_wire_alpha,
)

from odonata import model, placement
from odonata.report import Table

ORDERS = ("lexicographic", "cf")


def mixes(simulated_ms: dict[tuple[str, int], tuple[float, float]]) -> Table:
    """Return Table 3 with our columns."""
    columns = ["cores", "mix", "published modelled", "published measured", "modelled",
               "error bar of its hierarchy", "modelled / published", "accuracy",
               "published accuracy", "simulated", "simulated, Σ of the largest"]  # fmt: skip
    rows = []
    for cores in CORES:
        for mix, theirs, measured, percent in zip(
            MIXES, MODELLED_MS[cores], MEASURED_MS[cores], ACCURACY_PERCENT[cores], strict=True
        ):
            ours = modelled_ms(mix, cores)
            error = prediction(mix, cores).estimate_error
            simulated = simulated_ms.get((mix, cores))
            rows.append([
                f"{cores:,}", mix, f"{theirs}", f"{measured}", f"{ours:.3f}",
                "exact" if error == 0 else "unknown" if error is None else f"± {error:.1%}",
                f"{ours / theirs - 1:+.1%}", f"{model.accuracy(ours, measured):.1%}",
                f"{percent}%",
                *(["", ""] if simulated is None else [f"{ms:.2f}" for ms in simulated]),
            ])  # fmt: skip
    return Table(columns, rows, left=2)


def orders() -> Table:
    """Return the cycle times in both orders of relaxation."""
    rows = []
    for cores in CORES:
        for mix, measured in zip(MIXES, MEASURED_MS[cores], strict=True):
            times = [modelled_ms(mix, cores, relaxation_order=order) for order in ORDERS]
            rows.append([f"{cores:,}", mix, f"{measured}", *(f"{ms:.2f}" for ms in times)])
    return Table(["cores", "mix", "published measured", "lexicographic", "C/F"], rows, left=2)


def readings() -> Table:
    """Return the cycle times at 1,024 cores in the readings of the model."""
    ways: list[dict[str, str]] = [
        {}, {"coarsest": "none"}, {"restrict_rows": "operator"},
        {"coarsest": "none", "restrict_rows": "operator"},
    ]  # fmt: skip
    columns = ["mix", "published modelled", "as printed", "without the coarsest",
               "restriction by rows of P", "both"]  # fmt: skip
    rows = [
        [mix, f"{theirs}", *(f"{modelled_ms(mix, 1024, **way):.3f}" for way in ways)]
        for mix, theirs in zip(MIXES, MODELLED_MS[1024], strict=True)
    ]
    return Table(columns, rows)


def scenarios() -> Table:
    """Return the cycle times of all scenarios, by both counts of links."""
    rows = [
        [f"{cores:,}", mix, links, f"{measured}",
         *(f"{modelled_ms(mix, cores, s, links=links):.2f}" for s in model.SCENARIOS)]
        for cores in CORES
        for mix, measured in zip(MIXES, MEASURED_MS[cores], strict=True)
        for links in model.COUNTS
    ]  # fmt: skip
    return Table(["cores", "mix", "links", "published measured", *model.SCENARIOS], rows, left=3)


def fits() -> Table:
    """Return the best fits to the published cycle times, by count of links and by B_max."""
    rows = []
    counted = [CORES[:1], CORES[1:], CORES]
    for links, peak, cores in itertools.product(model.COUNTS, (None, PEAK_BANDWIDTH), counted):
        measured, ours = {}, {}
        for at, name in enumerate(MIXES):
            mix = model.Mix.parse(name)
            measured[mix] = [MEASURED_MS[c][at] for c in cores]
            ours[mix] = {
                s: [modelled_ms(name, c, s, peak, links=links) for c in cores]
                for s in model.SCENARIOS
            }
        best = model.best_fit(measured, ours)
        where = " and ".join(f"{c:,}" for c in cores)
        rows.append([links, peak or "10.2 GB/s", where, *best.values()])
    return Table(["links", "B_max", "cores", *MIXES], rows, left=3 + len(MIXES))


def growth() -> Table:
    """Return by how much 16x1 grows from 1,024 to 8,192 cores under each scenario."""
    known = {"measured": MEASURED_MS, "modelled": MODELLED_MS}
    rows = [[f"published {name}", f"{ms[8192][0] - ms[1024][0]:.2f}"] for name, ms in known.items()]
    for scenario, links in itertools.product(model.SCENARIOS, model.COUNTS):
        if links == "wiring" and scenario in ("baseline", "distance"):
            continue  # no link counts there
        few, many = (modelled_ms("16x1", cores, scenario, links=links) for cores in CORES)
        rows.append([f"{scenario}, {links}" if scenario not in ("baseline", "distance")
                     else scenario, f"{many - few:.2f}"])  # fmt: skip
    return Table(["16x1", "growth"], rows)


def alphas() -> Table:
    """Return the scenarios with Eos's α and with the wire's, at 1,024 cores."""
    published = model.parameters_of(eos(), threads=16)
    rows = []
    for name, parameters in (("published", published), ("wire", with_wire_alpha(published))):
        for mix in MIXES:
            parsed = model.Mix.parse(mix)
            h = model.find_hierarchy("laplace", POINTS, 1024, parsed.threads)
            times = [
                model.cycle_time(h, parameters, s, parsed, links=model.links_of(eos()))
                for s in model.SCENARIOS
            ]
            rows.append([
                f"{name}: α {parameters.alpha * 1e6:.3f}, γ {parameters.gamma * 1e6:.3f}", mix,
                f"{MEASURED_MS[1024][MIXES.index(mix)]}",
                *(f"{t.cycle_seconds * 1e3:.2f}" for t in times),
            ])  # fmt: skip
    return Table(["α, γ [µs]", "mix", "published measured", *model.SCENARIOS], rows, left=2)


def distances(cores: int) -> tuple[float, int]:
    """Return the mean and the largest number of links between two ranks of different nodes."""
    placed = placement.place(eos(), cores, ranks_per_node=16)
    pairs = placed.router_distances().astype(float)
    pairs[0] -= cores * 15 / 2  # pairs of one node
    links = np.arange(len(pairs)) + 2
    return float((links * pairs).sum() / pairs.sum()), int(links[-1])


def charges(mean_sends: dict[int, float]) -> Table:
    """Return what the pessimistic choices of the model charge, for 16x1 at 1,024 cores.

    Parameters
    ----------
    mean_sends
        Mean over ranks of the sends of A, by level.
    """
    parameters = model.parameters_of(eos())
    mix = model.Mix(16)
    h = model.find_hierarchy("laplace", POINTS, 1024)
    share = [mean_sends[i] / h.sends[i] if h.sends[i] else 0.0 for i in range(h.num_levels)]
    mean = dataclasses.replace(
        h,
        sends=h.sends * share, values_sent=h.values_sent * share,
        interp_sends=h.interp_sends * share, interp_values_sent=h.interp_values_sent * share,
    )  # fmt: skip
    wire = with_wire_alpha(parameters)
    links, _ = distances(1024)
    cases = [
        ("as the paper: largest sends, D = 7", h, parameters, None),
        ("mean sends, D = 7", mean, parameters, None),
        ("largest sends, mean distance", h, parameters, links),
        ("mean sends, mean distance", mean, parameters, links),
        ("largest sends, mean distance, α of the wire", h, wire, links),
        ("mean sends, mean distance, α of the wire", mean, wire, links),
    ]
    nothing = dataclasses.replace(parameters, t=(0.0,))
    rows = []
    for name, levels, given, distance in cases:
        whole = model.cycle_time(levels, given, "distance", mix, distance=distance)
        messages = model.cycle_time(
            levels, dataclasses.replace(given, t=nothing.t), "distance", mix, distance=distance
        )
        rows.append(
            [name, f"{messages.cycle_seconds * 1e3:.2f}", f"{whole.cycle_seconds * 1e3:.2f}"]
        )
    return Table(["charged", "messages [ms]", "cycle [ms]"], rows)
