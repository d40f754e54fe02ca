"""report.json and report.md, from the results of simulation and synthesis."""

import json

from driver import comparisons, simulate, timing
from driver.paths import BUILD, HARDWARE, label
from driver.synthesize import TOOL, digest, folder_of

from cores import PARTS

JSON = HARDWARE / "report.json"
MARKDOWN = HARDWARE / "report.md"

ABOUT = f"""# What the cores measure

Written by `make hardware`; not to be edited. *Cycles* are asserted in every simulation. *DSP* (DSP48E1),
*LUT* and *FF* are counts of {TOOL}: they are not like for
like with figures after placement, and routing, clocks and timing constraints are not in them. Columns
marked *reported* have the paper's own figures, from its tools and its device, where the core has a
counterpart in a paper.

Counts with † are not made by `make hardware`, but by `hardware/run.py all --every`, which takes longer. All figures are
kept as long as sources, tables, testbenches and tools are the same, and `report.json` has the day. Without counts
are configurations that are simulated only: the tiny ones (`11_w7`, `composite`), and primes that serve
tests, but no comparison.

| core | configuration | cycles | DSP | LUT | FF | cycles, reported | DSP, reported | LUT, reported | FF, reported |
|---|---|---|---|---|---|---|---|---|---|
"""

COUNTED = """
## What the simulations counted

All results were right, in all of these operations.

| core | configuration | counted |
|---|---|---|
"""

CLOCKS = f"""
## Clocks

Written by `make timing`: {timing.TOOL},
by three seeds of the placer, whose median counts. Another device and other tools than the papers have: only ratios
within this table can be compared with theirs. LUT, FF and DSP (MULT18X18D, of 18 x 18 bits) are those after
routing, with a scan wrapper that stands for the pins; *wrapper* is its part of the flip-flops. A configuration whose
sources have changed since its run is not here.

| core | configuration | MHz, three seeds | median | floor | cycles | ns an operation | LUT | FF | wrapper | DSP |
|---|---|---|---|---|---|---|---|---|---|---|
"""

PATHS = """
The worst path of each, in the run of the median. `given` and `kept` are the wrapper's registers; another may have the
name of a wire that it drives:

"""

FIGURES = ("cycles", "dsp", "lut", "ff")


def write(cores):
    """Writes both files, with the results of the last runs."""
    render(cores, [row(core, configuration) for core in cores for configuration in core.configurations])


def write_clocks(cores):
    """Writes both files with the clocks of the last runs, and all other figures as they are."""
    render(cores, read(JSON)["rows"])


def render(cores, rows):
    """Writes both files."""
    clocks = [with_time(clock, rows) for clock in timing.rows([*cores, *PARTS])]
    JSON.write_text(json.dumps({"rows": rows, "timing": clocks}, indent=1) + "\n")
    lines = []
    for figures in rows:
        cells = [f"`{figures['core']}`", figures["configuration"]]
        mark = " †" if figures["sweep"] else ""
        cells += [shown(figures["cycles"])]
        cells += [shown(figures[name]) + (mark if figures[name] else "") for name in FIGURES[1:]]
        cells += [shown(figures["published"].get(name)) for name in FIGURES]
        lines.append(f"| {' | '.join(cells)} |\n")
    notes = [f"\n{notes_of(core, rows).strip()}\n" for core in cores if core.notes]
    counted = [
        f"| `{figures['core']}` | {figures['configuration']} | {listed(figures['simulated'])} |\n"
        for figures in rows
        if figures["simulated"]
    ]
    text = [ABOUT, *lines, *notes, *clocks_of(clocks), COUNTED, *counted]
    MARKDOWN.write_text("".join(text))


def with_time(clock, rows):
    """A row of clocks with the cycles and the time of an operation, where the cycles are known."""
    known = {(figures["core"], figures["configuration"]): figures["cycles"] for figures in rows}
    cycles = known.get((clock["core"], clock["configuration"]))
    return clock | {"cycles": cycles, "ns": cycles and round(1000 * cycles / clock["mhz"], 1)}


def clocks_of(clocks):
    """The section on clocks, if there are any."""
    if not clocks:
        return []
    lines, paths = [], []
    for clock in clocks:
        name = f"`{clock['core']}` {clock['configuration']}"
        seeds = ", ".join(str(run["mhz"]) for run in clock["seeds"].values())
        cells = [f"`{clock['core']}`", clock["configuration"], seeds, str(clock["mhz"]), shown(clock["floor"])]
        cells += [shown(clock[name]) for name in ("cycles", "ns", "lut", "ff", "wrapper_ff", "dsp")]
        lines.append(f"| {' | '.join(cells)} |\n")
        paths.append(f"- {name}: {clock['path']}\n")
    return [CLOCKS, *lines, PATHS, *paths, comparisons.clocks(clocks)]


def notes_of(core, rows):
    """The notes of a core: a text, or made from its rows."""
    if callable(core.notes):
        return core.notes([figures for figures in rows if figures["core"] == core.name])
    return core.notes


def check(cores):
    """Fails if a number of cycles that was just simulated is not the one in report.json."""
    for core in cores:
        for configuration in core.configurations:
            cycles = read(simulate.folder_of(core, configuration) / "results.json").get("cycles")
            known = known_row(core, configuration).get("cycles")
            if cycles is not None and cycles != known:
                raise RuntimeError(f"{label(core, configuration)}: {cycles} cycles, not {known}")


def row(core, configuration):
    """The figures of one configuration as it is, from the last runs; those that were not measured are null."""
    simulated = simulated_of(core, configuration)
    counts = counts_of(core, configuration) if configuration.synthesize else {}
    return {
        "core": core.name,
        "configuration": configuration.name,
        "parameters": configuration.parameters,
        "cycles": simulated.get("cycles"),
        "dsp": counts.get("dsp"),
        "lut": counts.get("lut"),
        "ff": counts.get("ff"),
        "synthesized": counts.get("synthesized"),
        "sweep": configuration.sweep,
        "tool": TOOL,
        "published": configuration.published,
        "simulated": simulated.get("simulated", {}),
        "passed": simulated.get("passed"),
    }


def known_row(core, configuration):
    """The row of report.json, if it has one."""
    name = (core.name, configuration.name)
    rows = read(JSON).get("rows", [])
    return next((row for row in rows if (row["core"], row["configuration"]) == name), {})


def simulated_of(core, configuration):
    """What a simulation with all operands counted, in the last run or, as report.json has it, in one before, of the sources
    as they are."""
    folder = simulate.folder_of(core, configuration)
    counts = read(folder / "results.json")
    last = {"cycles": counts.pop("cycles", None), "simulated": counts, "passed": read(folder / "passed.json")}
    current = simulate.digest(core, configuration)
    for simulated in (last, known_row(core, configuration)):
        if (simulated.get("passed") or {}).get("digest") == current:
            return simulated
    return {}


def counts_of(core, configuration):
    """What yosys counted in the last run or, as report.json has it, in one before, of the sources as they are."""
    current = digest(core, configuration)
    for counts in (read(folder_of(core, configuration) / "counts.json"), known_row(core, configuration)):
        if (counts.get("synthesized") or {}).get("digest") == current:
            return counts
    return {}


def shown(value):
    """A figure in a table."""
    return "" if value is None else f"{value:,}"


def listed(counts):
    """What a simulation counted, as text."""
    return "; ".join(f"{name}: {value}" for name, value in counts.items())


def read(path):
    """The results in a file, if there is one."""
    return json.loads(path.read_text()) if path.exists() else {}
