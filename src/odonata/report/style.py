"""The house style of figures, and how they become files.

Colours are taken from Okabe and Ito, which people with any kind of colour vision can tell apart;
every series also differs in its marker or its place. No global state of matplotlib is left changed,
and the same data give the same bytes.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from odonata.errors import UserError, near_miss
from odonata.files import require_writable, write_whole
from odonata.machine.families import class_colours as machine_colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

__all__ = [
    "BYTE_UNITS",
    "GREY",
    "INK",
    "SUFFIXES",
    "TIME_UNITS",
    "class_colours",
    "clean",
    "decades",
    "figure_legend",
    "house_style",
    "legend_above",
    "letter",
    "micro",
    "mix",
    "new_figure",
    "require_figure",
    "save_figure",
    "say",
    "scale_of",
    "series_colours",
    "whole",
]

SUFFIXES = (".pdf", ".png", ".svg")
"""Formats of figures, by the suffix of the file."""

INK, GREY = "#222222", "#8A8A8A"

MARGIN = 0.2
"""Width of a page that its legend leaves free [inch]."""

CHARACTERS = 14
"""Characters of a legend in an inch."""

LEAST_PLAIN, MOST_PLAIN = 5e-4, 2e6
"""Limits of a logarithmic axis whose ticks are plain numbers."""

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#5B4B8A", "#6F6F6F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

RC: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 8.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same everywhere
    "font.size": 8.5,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
    "svg.fonttype": "path",
    "svg.hashsalt": "odonata",
    "text.color": INK,
    "text.parse_math": False,  # a $ in a name is a $
    "xtick.color": INK,
    "xtick.labelsize": 8,
    "ytick.color": INK,
    "ytick.labelsize": 8,
}

NO_DATES: dict[str, dict[str, str | None]] = {
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
}


def house_style() -> AbstractContextManager[None]:
    """Return the context in which our figures are drawn: matplotlib's own defaults, and `RC`."""
    import matplotlib

    settings: dict[Any, Any] = {**matplotlib.rcParamsDefault, **RC, "backend": "agg"}
    return matplotlib.rc_context(settings)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure that no global state knows.

    Parameters
    ----------
    width, height
        Its size [inch].
    """
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def require_figure(path: str | Path) -> None:
    """Fail now if a figure could not be saved later.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        Its suffix is not one of `SUFFIXES`.
    WriteError
        It could not be written.
    """
    _check_suffix(path)
    require_writable(path)


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure in the format of its suffix; the file is whole or not there.

    Parameters
    ----------
    figure
        The figure.
    path
        The file; one that exists is replaced.

    Raises
    ------
    UserError
        The suffix is not one of `SUFFIXES`.
    WriteError
        It could not be written.
    """
    suffix = _check_suffix(path)
    content = io.BytesIO()
    with house_style():
        figure.savefig(content, format=suffix[1:], metadata=NO_DATES[suffix])
    write_whole(path, content.getbuffer())


def _check_suffix(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        problem = f"{path}: no such format of figures"
        near = near_miss(suffix, SUFFIXES) if suffix else None
        raise UserError(problem, value=suffix, allowed=", ".join(SUFFIXES), near=near)
    return suffix


def class_colours(names: Sequence[str]) -> dict[str, str]:
    """Return a colour for each class of links.

    Parameters
    ----------
    names
        Names of classes.
    """
    known = machine_colours()
    used = {known.get(name) for name in names}
    spare = cycle(colour for colour in _palette() if colour not in used)
    return {name: known.get(name) or next(spare) for name in names}


def series_colours(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return a colour and a marker for each series.

    Parameters
    ----------
    names
        Names of series.
    """
    colours = _palette()
    return {
        name: (colours[at % len(colours)], MARKERS[(at + at // len(SERIES)) % len(MARKERS)])
        for at, name in enumerate(names)
    }


def mix(first: str, last: str, part: float) -> str:
    """Return the colour that is some part of the way from one to another.

    Parameters
    ----------
    first, last
        Colours such as ``#0072B2``.
    part
        From 0, the first, to 1, the last.

    Examples
    --------
    >>> mix("#000000", "#FFFFFF", 0.5)
    '#808080'
    """
    pairs = ((int(first[at : at + 2], 16), int(last[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * part):02X}" for a, b in pairs)


def _palette() -> list[str]:
    """Return the colours of series, then the same paler, then darker."""
    pale = [mix(colour, "#FFFFFF", 0.5) for colour in SERIES]
    return [*SERIES, *pale, *(mix(colour, "#000000", 0.45) for colour in SERIES)]


def clean(axes: Axes, *, grid: Literal["x", "y", "both"] | None = "y") -> None:
    """Draw a thin grid behind the data, and short ticks.

    Parameters
    ----------
    axes
        The axes.
    grid
        Axis whose ticks have grid lines; None: neither.
    """
    axes.set_axisbelow(True)
    if grid is not None:
        axes.grid(visible=True, axis=grid, color="#E3E3E3", linewidth=0.6)
    axes.tick_params(length=2.5, width=0.6)


def letter(axes: Axes, which: str, text: str) -> None:
    """Give a panel its letter and its title, above a legend that leaves no room beside it.

    Parameters
    ----------
    axes
        The panel, its legend drawn.
    which
        Its letter.
    text
        The text.
    """
    legend = axes.get_legend()
    crowded = legend is not None and len(legend.get_texts()) > 3
    axes.set_title(f"{which}   {text}", pad=22 if crowded else 8)


def decades(axis: Axis) -> None:
    """Write the ticks of a logarithmic axis as plain numbers, or all as powers of ten.

    Ticks at 2 and 5 are among them if there is room. Axes of less than a factor of five have ticks
    at equal distances.

    Parameters
    ----------
    axis
        The x or y axis, its limits set.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    if high < 5 * low:
        axis.set_major_locator(MaxNLocator(5))
    else:
        subs = (1.0, 2.0, 5.0) if high < 200 * low else (1.0,)
        axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    write = _plain if low >= LEAST_PLAIN and high <= MOST_PLAIN else _power
    axis.set_major_formatter(FuncFormatter(lambda x, _: write(x)))
    axis.set_minor_formatter(NullFormatter())


def _plain(x: float) -> str:
    return f"{x:,.10g}"


def _power(x: float) -> str:
    """Return a number as ``10⁻⁶`` or ``2·10⁻⁶``: text of figures is not read as mathematics."""
    digits, _, exponent = f"{x:.3e}".partition("e")
    factor = f"{float(digits):g}"
    power = "10" + str(int(exponent)).translate(SUPERSCRIPTS)
    return power if factor == "1" else f"{factor}·{power}"


def whole(axis: Axis) -> None:
    """Put the ticks of an axis that counts things at whole numbers.

    Parameters
    ----------
    axis
        The x or y axis.
    """
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def legend_above(axes: Axes) -> None:
    """Put the legend in one row above the right end of a panel, where it hides nothing.

    Parameters
    ----------
    axes
        The panel.
    """
    shown = len(axes.get_legend_handles_labels()[1])
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=max(1, shown),
        borderaxespad=0.2,
        columnspacing=1.2,
        handlelength=1.4,
    )


def figure_legend(
    figure: Figure,
    handles: Sequence[Any],
    labels: Sequence[str],
    *,
    loc: Literal["outside upper left", "outside upper center", "outside lower center"],
    most_columns: int,
    **settings: Any,
) -> Legend:
    """Draw a legend of a whole figure, in as many columns as the page is wide enough for.

    Parameters
    ----------
    figure
        The figure.
    handles, labels
        The entries, and their names; long names are wrapped.
    loc
        Place outside of the panels, such as ``outside upper left``.
    most_columns
        Most columns.
    **settings
        More for matplotlib's ``Figure.legend``.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    room = figure.get_figwidth() - MARGIN
    names = [textwrap.fill(label, int(CHARACTERS * room)) for label in labels]
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    for columns in range(max(1, min(most_columns, len(names))), 0, -1):
        legend: Legend = figure.legend(handles, names, loc=loc, ncols=columns, **settings)
        if columns == 1 or legend.get_window_extent(renderer).width <= room * figure.dpi:
            break
        legend.remove()
    return legend


def say(axes: Axes, what: str) -> None:
    """Say why a panel is empty.

    Parameters
    ----------
    axes
        The panel.
    what
        The reason.
    """
    axes.set_axis_off()
    axes.text(0.5, 0.5, what, ha="center", va="center", color=GREY, transform=axes.transAxes)


def micro(text: str) -> str:
    """Write microseconds with the letter that print has for them.

    Parameters
    ----------
    text
        A time as `odonata.units.format_time` writes it.
    """
    return text.replace(" us", " µs")


TIME_UNITS = ((1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1.0, "ps"))
"""Units of time [ps] and their names."""

BYTE_UNITS = ((2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
"""Units of size [B] and their names."""


def scale_of(most: float, units: Sequence[tuple[float, str]]) -> tuple[float, str]:
    """Return the largest unit of which an axis shows at least two, and its name.

    Parameters
    ----------
    most
        The largest value of the axis, in the base unit.
    units
        `TIME_UNITS` or `BYTE_UNITS`.

    Examples
    --------
    >>> scale_of(1_900_000, TIME_UNITS), scale_of(2_000_000, TIME_UNITS)
    ((1000.0, 'ns'), (1000000.0, 'µs'))
    """
    return next((unit for unit in units if most >= 2 * unit[0]), units[-1])
