"""The tables of the page, written between its markers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import median

from hypotheses import HYPOTHESES
from published import LEFT, LINES, TWO_PAIRS, Z_OVER_X

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

Row = Mapping[str, object]
ROWS = (("x", 0), ("y", 0), ("y", 1), ("z", 0))
PLANES = (("xy", 0), ("xz", 0), ("yz", 0))


def write(rows: Sequence[Row], page: Path) -> None:
    """Put the tables between ``<!-- name -->`` and ``<!-- end -->`` of the page."""
    fill(page, {name: made(rows) for name, made in TABLES.items()})


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    marks = "|".join(":--" if i == 0 else "--:" for i in range(len(head)))
    rows = [" | ".join(line) for line in lines]
    return "\n".join([f"| {' | '.join(head)} |", f"|{marks}|", *(f"| {row} |" for row in rows)])


def number(value: object) -> float:
    assert isinstance(value, (int, float))
    return float(value)


def by_seed(rows: Sequence[Row], key: str, **wanted: object) -> dict[object, float]:
    """Return a value of the rows with these fields, by seed."""
    return {row["seed"]: number(row[key]) for row in rows if wanted.items() <= row.items()}


def shown(values: Sequence[float], digits: int = 2) -> str:
    """Return the median of values over seeds, and their range where it is seen in the digits."""
    least, middle, most = (f"{v:.{digits}f}" for v in (min(values), median(values), max(values)))
    return middle if least == most else f"{middle} ({least} to {most})"


def rates(rows: Sequence[Row], name: str, axis: str, first: int, hops: int) -> dict[object, float]:
    wanted = {"study": "streams", "hypothesis": name, "along": axis, "first": first, "hops": hops}
    return by_seed(rows, "one way", **wanted)


def streams(rows: Sequence[Row]) -> str:
    """Return the rate of a pair, one way, of the first seed."""
    cases = [(name, axis, first) for name in ("H2", "H3") for axis, first in (*ROWS, ("z", 1))]
    cases += [("H4 window", "x", 0), ("H4 window", "z", 1)]
    head = ["hops", *(f"{name}: {axis} from {first}" for name, axis, first in cases)]
    lines = []
    for hops in range(1, 13):
        cells = [f"{rates(rows, *case, hops)[1] / 1e9:.2f}" for case in cases]
        lines.append([str(hops), *cells])
    return table(head, lines)


def gains(rows: Sequence[Row], name: str, axis: str, hops: int) -> list[float]:
    """Return the rate of two pairs, divided by the rate of one, by seeds."""
    wanted = {"study": "parallel", "hypothesis": name, "along": axis, "hops": hops}
    one = by_seed(rows, "one pair", **wanted)
    return [two / one[seed] for seed, two in by_seed(rows, "two pairs", **wanted).items()]


def parallel(rows: Sequence[Row]) -> str:
    lines = []
    for axis, hops in product("xyz", (1, 3, 6)):
        cells = [shown(gains(rows, name, axis, hops)) for name in ("H2", "H3", "H3 same", "H5")]
        lines.append([f"{axis}, {hops}", *cells])
    return table(["axis, hops", "H2", "H3", "H3 same", "H5"], lines)


def lines_table(rows: Sequence[Row]) -> str:
    """Return the rate over the middle of a line of four routers, beside the measured one."""
    names = ("H2", "H3", "H3 same", "H5")
    found = []
    for axis, first in ROWS:
        cells = []
        for name in names:
            wanted = {"study": "lines", "hypothesis": name, "along": axis, "first": first}
            cells.append(shown([rate / 1e9 for rate in by_seed(rows, "rate", **wanted).values()]))
        found.append([f"{axis} from {first}", LINES[axis], *cells])
    return table(["line along", "measured", *names], found)


def times(
    rows: Sequence[Row], name: str, operation: str, group: tuple[str, int], size: str
) -> dict[object, float]:
    wanted = {"study": "collectives", "hypothesis": name, "operation": operation, "bytes": size}
    return by_seed(rows, "mean_us", **wanted, along=group[0], first=group[1])


def left_of_rows(
    rows: Sequence[Row], name: str, operation: str, first: int, size: str = "64 KiB"
) -> list[float]:
    """Return the ratio of the times of rows along y and of rows along x, by seeds."""
    x = times(rows, name, operation, ("x", 0), size)
    return [y / x[seed] for seed, y in times(rows, name, operation, ("y", first), size).items()]


def left_of_planes(rows: Sequence[Row], name: str, operation: str) -> list[float]:
    """Return the ratio of the times of the faster planes with y and of planes xz, by seeds."""
    xy, xz, yz = (times(rows, name, operation, group, "16 KiB") for group in PLANES)
    return [min(xy[seed], yz[seed]) / xz[seed] for seed in xz]


def hypotheses(rows: Sequence[Row]) -> str:
    """Return what each hypothesis gives for each claim."""
    head = ["", "rows, alltoall", "from an odd router", "rows, allgather", "from an odd router"]
    head += ["planes, alltoall", "planes, allgather", "z over x, 6 hops", "two pairs: x, y, z"]
    print_ = [LEFT[case] for case in product(("row", "plane"), ("alltoall", "allgather"))]
    a, b, c, d = (f"**{value:.2f}**" for value in print_)
    lines = [["in print", a, "", b, "", c, d, Z_OVER_X, TWO_PAIRS]]
    for name in HYPOTHESES:
        z, x = (rates(rows, name, axis, 0, 6)[1] for axis in "zx")
        cells = [
            shown(left_of_rows(rows, name, operation, first))
            for operation, first in product(("alltoall", "allgather"), (0, 1))
        ]
        cells += [shown(left_of_planes(rows, name, op)) for op in ("alltoall", "allgather")]
        pairs = ", ".join(f"{median(gains(rows, name, axis, 3)):.1f}" for axis in "xyz")
        lines.append([name, *cells, f"{z / x:.2f}", pairs])
    return table(head, lines)


def meanings(rows: Sequence[Row]) -> str:
    return table(["", "meaning"], [[name, about.meaning] for name, about in HYPOTHESES.items()])


def absolute(rows: Sequence[Row], groups: Sequence[tuple[str, int]], size: str) -> str:
    head = ["", "operation", *(f"{along} from {first} [µs]" for along, first in groups)]
    lines = []
    for name, operation in product(HYPOTHESES, ("alltoall", "allgather")):
        found = [times(rows, name, operation, group, size) for group in groups]
        lines.append([name, operation, *(shown(list(of.values()), 0) for of in found)])
    return table(head, lines)


def rows_table(rows: Sequence[Row]) -> str:
    return absolute(rows, ROWS, "64 KiB")


def planes_table(rows: Sequence[Row]) -> str:
    return absolute(rows, PLANES, "16 KiB")


def sizes(rows: Sequence[Row]) -> str:
    """Return the time of rows along y over x for blocks of three sizes, first seed."""
    of = ("4 KiB", "64 KiB", "256 KiB")
    lines = []
    for name, operation in product(("H2", "H3", "H3 same"), ("alltoall", "allgather")):
        cells = [f"{left_of_rows(rows, name, operation, 0, size)[0]:.2f}" for size in of]
        lines.append([name, operation, *cells])
    return table(["", "operation", *of], lines)


RATES = {"x": 4.6875, "y": 9.375, "y-cable": 4.6875, "z": 7.5, "z-cable": 4.6875}  # [GB/s]


def bytes_table(rows: Sequence[Row]) -> str:
    """Return the time of the bytes of that link whose bytes take longest, rows of 64 KiB."""
    lines = []
    for name, operation, (along, first) in product(("H2", "H3 same"), ("alltoall",), ROWS):
        wanted = {"study": "collectives", "hypothesis": name, "operation": operation, "seed": 1}
        wanted |= {"bytes": "64 KiB", "along": along, "first": first}
        (row,) = (row for row in rows if wanted.items() <= row.items())
        kinds = [kind for kind in RATES if kind.split("-")[0] == along]
        mebibytes = {kind: number(row[f"{kind} most MiB"]) for kind in kinds}
        slow = max(kinds, key=lambda kind: mebibytes[kind] / RATES[kind])
        needed = mebibytes[slow] * 2**20 / RATES[slow] / 1e3
        line = [name, operation, f"{along} from {first}", slow, f"{mebibytes[slow]:.2f}"]
        lines.append([*line, f"{needed:.0f}", f"{number(row['last_us']):.0f}"])
    head = ["", "operation", "rows along", "busiest link", "its bytes [MiB]"]
    return table([*head, "their time [µs]", "last rank [µs]"], lines)


TABLES: Mapping[str, Callable[[Sequence[Row]], str]] = {
    "meanings": meanings,
    "hypotheses": hypotheses,
    "streams": streams,
    "parallel": parallel,
    "lines": lines_table,
    "rows": rows_table,
    "planes": planes_table,
    "sizes": sizes,
    "bytes": bytes_table,
}
