"""The tables of the page, written between its markers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cases
import decisions
import patterns
from cases import BEAM, FULL_NODES, LARGE, SHORT, SMALL, Case

from odonata.report import Table

sys.path.append(str(Path(__file__).parents[1]))
from marked import filled

Rows = dict[str, dict[str, Any]]

CONFIGURATIONS: tuple[tuple[str, Case, tuple[str, str, str] | None], ...] = (
    ("Laplace", SMALL, None),
    ("Laplace", replace(SMALL, problem="30x30x30"), None),
    ("Laplace", LARGE, None),
    ("Laplace", replace(SMALL, problem="6x6x6", ranks=512), ("1.50", "1.06", "1.31")),
    ("Laplace", replace(SMALL, problem="6x6x6", ranks=1024), None),
    ("Laplace", replace(SMALL, ranks=512), ("1.50", "1.06", "1.31")),
    ("Laplace", replace(SMALL, problem="30x30x30", ranks=512), ("1.50", "1.06", "1.31")),
    ("Laplace", replace(SMALL, problem="24x12x12", ranks=256, threads=2), ("1.14", "1.06", "1.10")),
    ("Laplace", replace(SMALL, problem="24x24x12", threads=4), ("1.00", "1.05", "1.02")),
    ("elasticity", BEAM, None),
    ("elasticity", replace(SMALL, problem="beam 32"), ("1.04", "1.29", "1.16")),
)
"""Problem, case, and the published speed-ups of setup, solve and total beside it: Figure 8 on 512
cores with 30 x 30 x 30 points a core, Table 4 on 1,024 cores with 6,350 unknowns a core."""

SHORTENED: tuple[tuple[str, Case, int, str], ...] = (
    ("Laplace", replace(SHORT, ranks=256, poll=""), 17, "–"),
    ("Laplace", replace(SHORT, ranks=256), 17, "–"),
    ("Laplace", replace(SHORT, ranks=1024), 18, "–"),
    ("Laplace", replace(SHORT, ranks=4096), 18, "1.59, 1.08, 1.46"),
    ("Laplace", replace(SHORT, ranks=8000), 18, "1.78, 1.07, 1.58"),
    *(
        ("Laplace", case, 18, published)
        for case, published in zip(
            FULL_NODES,
            ("1.44, 1.16, 1.32", "1.12, 1.12, 1.12", "1.64, 1.00, 1.35", "1.12, 1.26, 1.18"),
            strict=True,
        )
    ),
    ("elasticity", replace(SHORT, problem="beam 16", ranks=128), 52, "–"),
    ("elasticity", replace(SHORT, problem="beam 16", ranks=1024), 52, "1.04, 1.29, 1.16"),
    ("elasticity", replace(SHORT, problem="beam 16", ranks=2048), 52, "–"),
    ("elasticity", replace(SHORT, problem="beam 16", ranks=8192), 52, "2.25, 1.93, 2.06"),
    ("elasticity", replace(SHORT, problem="beam 32", ranks=1024), 61, "1.04, 1.29, 1.16"),
    ("elasticity", replace(SHORT, problem="beam 64", ranks=1024), 61, "1.04, 1.29, 1.16"),
)
"""Problem, case whose solve ends early, iterations of a whole solve on fewer ranks, and the
published speed-ups of setup, solve and total on as many cores."""

SEARCHED_ITERATIONS = 18
"""Iterations of whole solves of Laplace on 512 and 1,024 ranks."""


@dataclass(frozen=True)
class Pair:
    """Runs without a switch and with one."""

    never: dict[str, Any]
    switched: dict[str, Any]

    def speed_up(self, *phases: str) -> float:
        """Return how many times faster some phases are with the switch."""
        return seconds(self.never, *phases) / seconds(self.switched, *phases)

    @property
    def saved_us(self) -> float:
        """Return what a cycle takes less with the switch [us], other iterations left out."""
        return 1e6 * (cycle(self.never) - cycle(self.switched))


def seconds(row: dict[str, Any], *phases: str) -> float:
    """Return the time of some phases."""
    return float(sum(row[f"{phase}_seconds"] for phase in phases))


def cycle(row: dict[str, Any]) -> float:
    """Return the solve by cycle; the residual at the beginning is preconditioned, too."""
    return float(row["solve_seconds"]) / (row["iterations"] + 1)


def _whole(row: dict[str, Any], iterations: int) -> float:
    """Return the time of the setup and of a solve with so many iterations."""
    return seconds(row, "setup") + (iterations + 1) * cycle(row)


def pair(rows: Rows, case: Case, switch: str = "model") -> Pair | None:
    """Return both runs of a case, if they are there."""
    found = [rows.get(replace(case, switch=name).key) for name in ("never", switch)]
    return Pair(found[0], found[1]) if found[0] and found[1] else None


def write(rows: Rows, page: Path) -> None:
    """Put the tables between ``<!-- name -->`` and ``<!-- end -->`` of the page."""
    text = page.read_text(encoding="utf-8")
    page.write_text(with_tables(text, rows), encoding="utf-8")


def with_tables(text: str, rows: Rows) -> str:
    """Return the text of the page with its tables made anew."""
    made = {
        "speed-ups": speed_ups(rows),
        "shortened": shortened(rows),
        "savings": savings(rows),
        "exhaustive": exhaustive(rows, SMALL, (1, 2, 3)),
        "exhaustive on 512": exhaustive(rows, replace(SMALL, ranks=512), (1, 2, 3, 4)),
        "forced": others(rows),
        "searched": searched(rows),
        "costs": costs(rows),
        "decisions": decisions.table(),
        "machines": machines(rows),
        "patterns": figure_9(rows),
    }
    return filled(text, made)


def speed_ups(rows: Rows) -> Table:
    """Return the model's choices and their gains, beside the published speed-ups."""
    head = ["problem", "a rank", "ranks", "mix", "published setup, solve, total", "level", "C",
            "setup [ms]", "solve [ms]", "iterations", "setup", "solve", "total"]  # fmt: skip
    lines = []
    for name, case, published in CONFIGURATIONS:
        found = pair(rows, case)
        if found is None:
            continue
        both = (found.never, found.switched)
        lines.append([
            name, _size(case), str(case.ranks),
            f"{case.ranks_per_node}×{case.threads}",
            ", ".join(published) if published else "–",
            *_choice(found.switched),
            *(" → ".join(f"{1e3 * row[f'{phase}_seconds']:.2f}" for row in both)
              for phase in ("setup", "solve")),
            " → ".join(str(row["iterations"]) for row in both),
            *(f"{ratio:.2f}" for ratio in _ratios(found)),
        ])  # fmt: skip
    return Table(head, lines, left=5)


def shortened(rows: Rows) -> Table:
    """Return speed-ups of solves that end early, and the total of whole ones."""
    head = ["problem", "a rank", "ranks", "mix", "poll", "published setup, solve, total", "level",
            "C", "gain [%]", "setup [ms]", "a cycle [ms]", "setup", "solve", "iterations",
            "total of so many"]  # fmt: skip
    lines = []
    for name, case, iterations, published in SHORTENED:
        found = pair(rows, case)
        if found is None:
            continue
        both = (found.never, found.switched)
        never, switched = (_whole(row, iterations) for row in both)
        gain = found.switched["gain"]
        lines.append([
            name, _size(case), str(case.ranks), f"{case.ranks_per_node}×{case.threads}",
            case.poll or "100 ns", published,
            *_choice(found.switched), f"{100 * gain:.1f}" if gain is not None else "–",
            *(" → ".join(f"{1e3 * time(row):.2f}" for row in both)
              for time in (lambda row: seconds(row, "setup"), cycle)),
            f"{found.speed_up('setup'):.2f}", f"{found.speed_up('solve'):.2f}",
            str(iterations), f"{never / switched:.2f}",
        ])  # fmt: skip
    return Table(head, lines, left=6)


def savings(rows: Rows) -> Table:
    """Return the model's saving of a cycle beside the simulated one, by two sets of parameters."""
    head = ["problem", "a rank", "ranks", "parameters", "level", "C", "gain [%]",
            "T_noswitch [µs]", "T_switch [µs]", "predicted saving [µs]", "simulated saving [µs]",
            "simulated / predicted", "of the simulated cycle [%]"]  # fmt: skip
    lines = []
    for name, case in (
        (name, replace(each, model=model))
        for name, each, _ in CONFIGURATIONS
        for model in ("eos", "eos, as simulated")
    ):
        found = pair(rows, case)
        if found is None or found.switched["level"] is None:
            continue
        level = found.switched["levels"][found.switched["level"]]
        stay, go = level["no_switch_us"], level["switch_us"][str(found.switched["groups"])]
        lines.append([
            name, _size(case), str(case.ranks), case.model, *_choice(found.switched),
            f"{100 * found.switched['gain']:.1f}", f"{stay:.0f}", f"{go:.0f}", f"{stay - go:.0f}",
            f"{found.saved_us:.0f}", f"{found.saved_us / (stay - go):.2f}",
            f"{100e-6 * found.saved_us / cycle(found.never):.1f}",
        ])  # fmt: skip
    return Table(head, lines, left=4)


def exhaustive(rows: Rows, case: Case, levels: Sequence[int]) -> Table:
    """Return setup, solve and total by level and number of groups."""
    lines = []
    for groups in (*cases.GROUPS, 128):
        line = [str(groups)]
        for level in levels:
            found = pair(rows, case, f"{level}:{groups}")
            line.append(" · ".join(f"{r:.2f}" for r in _ratios(found)) if found else "–")
        if line[1:] != ["–"] * len(levels):
            lines.append(line)
    return Table(["C", *(f"level {level}" for level in levels)], lines)


def others(rows: Rows) -> Table:
    """Return forced switches of the other problems beside the model's choice."""
    lines = []
    for name, case, _ in CONFIGURATIONS[1:]:
        if case == replace(SMALL, ranks=512):
            continue  # has a table of its own
        switches = [each.switch for each in cases.every()
                    if replace(each, switch="never") == replace(case, switch="never")
                    and ":" in each.switch]  # fmt: skip
        for switch in ["model", *switches]:
            found = pair(rows, case, switch)
            if switches and found:
                level, groups = _choice(found.switched)
                chosen = "the model's" if switch == "model" else "forced"
                ratios = [f"{ratio:.2f}" for ratio in _ratios(found)]
                where = _size(case)
                lines.append([name, where, str(case.ranks), level, groups, chosen, *ratios])
    head = ["problem", "a rank", "ranks", "level", "C", "", "setup", "solve", "total"]
    return Table(head, lines, left=2)


def searched(rows: Rows) -> Table:
    """Return forced switches on many ranks, by the total of a whole solve, the fastest first."""
    head = ["ranks", "level", "C", "", "setup [ms]", "a cycle [ms]", "setup", "solve",
            f"total of {SEARCHED_ITERATIONS} iterations"]  # fmt: skip
    lines = []
    for ranks, switches in cases.SEARCHED.items():
        case = replace(SHORT, ranks=ranks)
        names = ["model", *(each.switch for each in cases.forced(case, *switches))]
        found = [(name, each) for name in names if (each := pair(rows, case, name))]
        found.sort(key=lambda it: _whole(it[1].switched, SEARCHED_ITERATIONS))
        for name, each in found:
            row = each.switched
            total = _whole(each.never, SEARCHED_ITERATIONS) / _whole(row, SEARCHED_ITERATIONS)
            lines.append([
                f"{ranks:,}", *_choice(row), "the model's" if name == "model" else "forced",
                f"{1e3 * seconds(row, 'setup'):.2f}", f"{1e3 * cycle(row):.3f}",
                f"{each.speed_up('setup'):.2f}", f"{each.speed_up('solve'):.2f}", f"{total:.2f}",
            ])  # fmt: skip
    return Table(head, lines)


def costs(rows: Rows) -> Table:
    """Return one problem with other costs and the other engine."""
    lines = []
    large = replace(SMALL, problem="30x30x30")
    many = [replace(SMALL, problem="6x6x6", ranks=ranks) for ranks in (512, 1024)]
    for label, case in (
        ("messages alone", replace(SMALL, costs="messages")),
        ("and flops of the solve", SMALL),
        ("the same, packet engine", replace(SMALL, engine="packet")),
        ("all computing measured", replace(SMALL, costs="measured")),
        ("messages and flops", large),
        ("all computing measured", replace(large, costs="measured")),
        ("messages and flops", many[0]),
        ("the same, packet engine", replace(many[0], engine="packet")),
        ("messages and flops", many[1]),
        ("the same, packet engine", replace(many[1], engine="packet")),
    ):
        found = pair(rows, case)
        if found is None:
            continue
        both = (found.never, found.switched)
        lines.append([
            case.problem.replace("x", " × "), str(case.ranks), label,
            *(" → ".join(f"{1e3 * row[f'{phase}_seconds']:.2f}" for row in both)
              for phase in ("setup", "solve")),
            *(f"{ratio:.2f}" for ratio in _ratios(found)),
        ])  # fmt: skip
    head = ["a rank", "ranks", "costs", "setup [ms]", "solve [ms]", "setup", "solve", "total"]
    return Table(head, lines, left=3)


def machines(rows: Rows) -> Table:
    """Return the decision by other parameters and on other machines, and its gain there."""
    edison = replace(LARGE, machine="edison", model="edison")
    wanted = [(replace(SMALL, model=name), "model") for name in list(cases.MODELS)[:3]]
    wanted += [(replace(SMALL, machine=name, model=name), "model") for name in ("edison", "theta")]
    wanted += [(LARGE, "model"), (LARGE, "5:2"), (edison, "model"), (edison, "5:2")]
    lines = []
    for case, switch in wanted:
        found = pair(rows, case, switch)
        if found is None:
            continue
        gain = found.switched["gain"]
        both = (found.never, found.switched)
        lines.append([
            case.machine, case.problem.replace("x", " × "),
            case.model if switch == "model" else "forced", *_choice(found.switched),
            f"{100 * gain:.1f}" if gain is not None else "–",
            *(" → ".join(f"{1e3 * row[f'{phase}_seconds']:.2f}" for row in both)
              for phase in ("setup", "solve")),
            *(f"{ratio:.2f}" for ratio in _ratios(found)),
        ])  # fmt: skip
    head = ["machine", "a rank", "parameters", "level", "C", "gain [%]", "setup [ms]",
            "solve [ms]", "setup", "solve", "total"]  # fmt: skip
    return Table(head, lines, left=3)


def figure_9(rows: Rows) -> Table:
    """Return messages and partners of each level, in setup and in a cycle of the solve."""
    head = ["switch", "level", "setup: messages", "mean size [B]", "pairs", "of all pairs [%]",
            "most partners", "a cycle: messages", "mean size [B]", "pairs", "of all pairs [%]",
            "most partners"]  # fmt: skip
    lines = []
    for switch in patterns.SWITCHES:
        found = rows.get(f"figure 9 | {switch}")
        if not found:
            continue
        named = [dict(zip(patterns.COLUMNS, row, strict=True)) for row in found["phases"]]
        for level in sorted({row["level"] for row in named}):
            line = [switch, str(level)]
            for phase in ("setup", "solve"):
                line += _pattern([r for r in named if (r["phase"], r["level"]) == (phase, level)])
            lines.append(line)
    return Table(head, lines, left=1)


def _pattern(found: Sequence[dict[str, Any]]) -> list[str]:
    if not found:
        return ["–"] * 5
    (row,) = found
    messages = row["messages"] / (patterns.CYCLES if row["phase"] == "solve" else 1)
    share = row["pairs"] / (patterns.RANKS * (patterns.RANKS - 1))
    size = row["bytes"] / row["messages"] if row["messages"] else 0
    return [f"{messages:,.0f}", f"{size:,.0f}", f"{row['pairs']:,}", f"{100 * share:.0f}",
            str(row["most_partners"])]  # fmt: skip


def _size(case: Case) -> str:
    return case.problem.replace("x", " × ").replace("beam", "n =")


def _choice(row: dict[str, Any]) -> tuple[str, str]:
    """Return the level that was switched and its number of groups."""
    return (str(row["level"]), str(row["groups"])) if row["level"] is not None else ("–", "–")


def _ratios(found: Pair) -> tuple[float, float, float]:
    return found.speed_up("setup"), found.speed_up("solve"), found.speed_up("setup", "solve")
