#!/usr/bin/env python3
"""Draws plots for the web site from the tables of BENCHMARKS: `scripts/site-plots.py FOLDER`.

Each plot is an SVG for light pages and one for dark pages, as wide as the screen of a phone. Figures come from the
tables at the time of drawing: a table or a column that is no longer there is an error. Needs matplotlib.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402 # After the choice of the device.
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator  # noqa: E402

TREE = Path(__file__).resolve().parents[1]
# Colours that the colour-blind can tell apart (Okabe and Ito), for light and for dark grounds.
LIGHT = {"text": "#222222", "grid": "#d8d8d8", "back": "#ffffff", "lines": ["#0072b2", "#b04a00", "#007a5a", "#a0387a"]}
DARK = {"text": "#dddddd", "grid": "#444444", "back": "#131416", "lines": ["#56b4e9", "#f0a03c", "#2fc795", "#e58fc0"]}
MARKERS = ["o", "s", "D", "^"]
# Inches: that of a phone, on which letters of nine points are to be read.
WIDTH = 4.4
CLASSES = ["AVX-512 IFMA", "AVX-512F", "AVX2"]


@dataclass
class Series:
    """A row of marks with its name: a value for each label, or none."""

    name: str
    values: list[float | None]


def table(page: str, first: str, number: int = 0) -> list[list[str]]:
    """The rows of a page's table whose first column has this head; the first row is the head."""
    found: list[list[list[str]]] = []
    inside = False
    for line in (TREE / "BENCHMARKS" / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif not inside:
            found.append([cells])
            inside = True
        elif not re.fullmatch(r"[-: ]+", cells[0] or "-"):
            found[-1].append(cells)
    fitting = [rows for rows in found if rows[0][0] == first]
    if len(fitting) <= number:
        sys.exit(f"BENCHMARKS/{page} has no table {number} that begins with {first!r}: mend scripts/site-plots.py")
    return fitting[number]


def figure_of(cell: str) -> float | None:
    """The first number of a cell: 1,362 of `1,362 (1,417)`."""
    number = re.match(r"\**([\d,]+(?:\.\d+)?)", cell)
    return float(number[1].replace(",", "")) if number else None


def column(rows: list[list[str]], head: str, after: str = "") -> list[float | None]:
    """The figures of a column; with `after`, the first column of this head that comes after that one."""
    start = rows[0].index(after) if after in rows[0] else 0
    if head not in rows[0][start:]:
        sys.exit(f"no column {head!r} after {after!r} in {rows[0]}: mend scripts/site-plots.py")
    place = rows[0].index(head, start)
    return [figure_of(row[place]) for row in rows[1:]]


def short(value: float, _: object = None) -> str:
    """A number for an axis: 20k, 3M, 0.5."""
    for size, name in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{name}"
    return f"{value:g}"


def style(axes: Axes, colours: dict, along: str) -> None:
    """Colours, grid, and a logarithmic axis with marks at 1, 2 and 5."""
    axes.set_facecolor(colours["back"])
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_color(colours["grid"])
    axes.tick_params(colors=colours["text"], labelsize=9, length=3)
    axes.grid(True, color=colours["grid"], linewidth=0.6)
    axes.set_axisbelow(True)
    axis = axes.xaxis if along == "x" else axes.yaxis
    low, high = axes.get_xlim() if along == "x" else axes.get_ylim()
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 150 else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(short))


def save(figure: pyplot.Figure, axes: Axes, colours: dict, file: Path) -> None:
    """The legend above the plot, and the file."""
    names = axes.get_legend_handles_labels()[1]
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=3 if len("".join(names)) < 45 else 2,
        frameon=False,
        labelcolor=colours["text"],
        fontsize=9,
        handletextpad=0.4,
        columnspacing=1.2,
    )
    figure.savefig(file, bbox_inches="tight", pad_inches=0.05, facecolor=colours["back"], metadata={"Date": None})
    pyplot.close(figure)


def dots(
    file: Path, labels: list[str], series: list[Series], axis: str, colours: dict, even: str = "", joined: bool = False
) -> None:
    """A row for each label, with a mark of each series on a logarithmic axis; `even` names a line at 1."""
    figure, axes = pyplot.subplots(figsize=(WIDTH, 0.75 + 0.22 * len(labels)))
    places = list(range(len(labels)))
    if joined:
        for place, ends in zip(places, zip(*(one.values for one in series), strict=True), strict=True):
            there = [value for value in ends if value]
            axes.plot([min(there), max(there)], [place, place], color=colours["grid"], linewidth=2.5, zorder=1)
    for number, one in enumerate(series):
        marks = [(value, place) for value, place in zip(one.values, places, strict=True) if value]
        axes.plot(
            *zip(*marks, strict=True),
            MARKERS[number],
            color=colours["lines"][number],
            markersize=5.5,
            label=one.name,
            markeredgewidth=0,
        )
    axes.set_xscale("log")
    if even:
        axes.axvline(1, color=colours["text"], linewidth=1)
        axes.annotate(
            even,
            (1, len(labels) - 0.4),
            xytext=(4, 0),
            textcoords="offset points",
            fontsize=8,
            color=colours["text"],
            va="center",
        )
    axes.set_yticks(places, labels)
    axes.set_ylim(len(labels) - 0.1 if even else len(labels) - 0.4, -0.6)
    axes.set_xlabel(axis, color=colours["text"], fontsize=9)
    style(axes, colours, "x")
    save(figure, axes, colours, file)


def lines(
    file: Path, sizes: list[float], series: list[Series], axis: tuple[str, str], colours: dict, even: bool = False
) -> None:
    """A line for each series over sizes, both axes logarithmic."""
    figure, axes = pyplot.subplots(figsize=(WIDTH, 3))
    for number, one in enumerate(series):
        axes.plot(
            sizes,
            one.values,
            MARKERS[number] + "-",
            color=colours["lines"][number],
            markersize=5,
            label=one.name,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    if even:
        axes.axhline(1, color=colours["text"], linewidth=1)
    axes.set_xlabel(axis[0], color=colours["text"], fontsize=9)
    axes.set_ylabel(axis[1], color=colours["text"], fontsize=9)
    style(axes, colours, "y")
    axes.tick_params(axis="x", rotation=40 if len(sizes) > 8 else 0)
    save(figure, axes, colours, file)


def draw(folder: Path, colours: dict, suffix: str) -> None:
    """All plots, in these colours."""
    main = table("processor-classes.md", "job")
    batch, lone = ([main[0], *(row for row in main[1:] if (row[1] == "1") == is_lone)] for is_lone in (False, True))
    columns = ["IFMA: `avx512`", "AVX-512: `float`", "AVX2: `float`"]

    def ratios(rows: list[list[str]]) -> list[Series]:
        return [Series(name, column(rows, "ratio", head)) for name, head in zip(CLASSES, columns, strict=True)]

    def jobs(rows: list[list[str]]) -> list[str]:
        return [row[0].strip("`") for row in rows[1:]]

    times = "times OpenSSL's operations per second"
    dots(folder / f"batches{suffix}", jobs(batch), ratios(batch), times, colours, "OpenSSL")
    for name, head, file in zip(CLASSES, columns, ("ifma", "avx512", "avx2"), strict=True):
        both = [
            Series(f"Sunzi, {name}", column(batch, head)),
            Series("OpenSSL 4.0.3, same limits", column(batch, "OpenSSL", head)),
        ]
        dots(folder / f"{file}{suffix}", jobs(batch), both, "operations per second, one thread", colours, joined=True)

    few = table("processor-classes.md", "job", 1)
    for file, size in (("eight", "8"), ("alone", "alone")):
        heads = [f"IFMA, {'8 at a time' if size == '8' else size}", f"AVX-512F, {size}", f"AVX2, {size}"]
        several = [Series(name, column(few, head)) for name, head in zip(CLASSES, heads, strict=True)]
        names = jobs(few)
        if size == "alone":
            names = jobs(lone) + names
            several = [
                Series(one.name, first.values + one.values) for one, first in zip(several, ratios(lone), strict=True)
            ]
        dots(folder / f"{file}{suffix}", names, several, times, colours, "OpenSSL")

    curves = table("curves.md", "job")
    peers = [Series("Sunzi, AVX-512 IFMA", column(curves, "IFMA"))]
    peers += [Series(name, column(curves, name)) for name in ("OpenSSL 4.0.3", "AWS-LC 5.12.0", "libsecp256k1 0.8.0")]
    dots(
        folder / f"curves{suffix}", jobs(curves), peers, "operations per second, batches of 1,024", colours, joined=True
    )

    size = table("batch-size.md", "batch")
    rates = [
        Series("RSA-2048 signature", column(size, "rsa2048-private")),
        Series("P-256 signature", column(size, "P-256-sign")),
    ]
    lines(
        folder / f"batch-size{suffix}",
        column(size, "batch"),
        rates,
        ("operations in a batch", "operations per second"),
        colours,
    )

    even = table("break-even.md", "bits")
    for file, head in (("powers-ifma", "`avx512`, 1"), ("powers-avx512", "`float`, 1")):
        of_sizes = [Series("one at a time", column(even, head))]
        of_sizes += [Series(f"batches of {batch}", column(even, batch, head)) for batch in ("8", "64")]
        lines(
            folder / f"{file}{suffix}",
            column(even, "bits"),
            of_sizes,
            ("bits of the modulus", "times OpenSSL"),
            colours,
            True,
        )

    card = table("card.md", "job")
    both = [
        Series("NVIDIA H200, whole jobs", column(card, "card, whole, per second")),
        Series("16 threads of a Xeon", column(card, "processor, per second")),
    ]
    dots(folder / f"card{suffix}", jobs(card), both, "operations per second", colours, joined=True)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Text stays text, in the reader's own sans-serif; names inside are the same at each run.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "sunzi", "font.family": "sans-serif"})
    draw(folder, LIGHT, ".svg")
    draw(folder, DARK, "-dark.svg")


main()
