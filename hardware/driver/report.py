"""report.json and report.md, from the results of simulation and synthesis."""

import json

from driver.paths import BUILD, HARDWARE, label
from driver.synthesize import TOOL


def write(cores):
    """Writes both files."""
    rows = [row(core, configuration) for core in cores for configuration in core.configurations]
    (HARDWARE / "report.json").write_text(json.dumps({"rows": rows}, indent=1) + "\n")


def row(core, configuration):
    """The figures of one configuration; those that were not measured are null."""
    name = label(core, configuration)
    simulated = read(BUILD / "simulate" / name / "results.json")
    counts = read(BUILD / "synthesize" / name / "counts.json")
    return {
        "core": core.name,
        "configuration": configuration.name,
        "parameters": configuration.parameters,
        "cycles": simulated.get("cycles"),
        "dsp": counts.get("dsp"),
        "lut": counts.get("lut"),
        "ff": counts.get("ff"),
        "tool": TOOL,
        "published": configuration.published,
    }


def read(path):
    """The results in a file, if there is one."""
    return json.loads(path.read_text()) if path.exists() else {}
