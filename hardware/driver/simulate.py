"""The cocotb testbenches, on iverilog, or on verilator where a core asks for it."""

import hashlib
import json
import os
import shutil
from datetime import date
from functools import partial
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

from driver import lint
from driver.paths import BUILD, GENERATED, HARDWARE, TB, label, sources, top

RANDOM = BUILD / "random"
"""Where the vectors with random operands are."""


def chosen(cores, quick, first=False):
    """The configurations that belong to this run, each with its core; of each core only the first, if asked for."""
    runs = []
    for core in cores:
        configurations = [configuration for configuration in core.configurations if configuration.quick or not quick]
        runs += [(core, configuration) for configuration in (configurations[:1] if first else configurations)]
    return runs


def random_vectors(runs, quick):
    """The families whose vectors these runs need, each with the number of operations in them."""
    most = {}
    for _, configuration in runs:
        family = configuration.tables.split("/")[0]
        most[family] = max(most.get(family, 0), configuration.operations[not quick])
    return most.items()


def jobs(runs, quick):
    """A job for each of these runs."""
    return [
        (f"simulate {label(core, configuration)}", partial(simulate, core, configuration, quick))
        for core, configuration in runs
    ]


def folder_of(core, configuration):
    """Where a configuration is simulated."""
    return BUILD / "simulate" / label(core, configuration)


def digest(core, configuration):
    """What a simulation that is not quick depends on: tools, sources, tables, golden vectors, testbenches, and what they are
    told. Which operands are random is not in it."""
    told = [core.simulator, core.testbench, configuration.parameters, configuration.operations[True]]
    files = [HARDWARE / "requirements.txt", *sources(core, configuration)]
    files += sorted(path for path in (GENERATED / configuration.tables).iterdir() if path.is_file())
    files += sorted((TB / "common").glob("*.py"))
    for testbench in TB.glob(f"*/{core.testbench}.py"):
        helpers = (path for path in testbench.parent.glob("*.py") if not path.name.startswith("test_"))
        files += [testbench, *sorted(helpers)]
    files += [TB / core.signals] if core.signals else []
    texts = [json.dumps(told), *(file.read_text() for file in files)]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def verilator_environment(quick):
    """What the verilator of .venv needs, in this process, once. The quick run compiles longer than it simulates."""
    if "VERILATOR_ROOT" in os.environ:
        return
    root = lint.VERILATOR
    os.environ["VERILATOR_ROOT"] = str(root)
    os.environ["PATH"] = f"{root / 'bin'}:{os.environ['PATH']}"
    os.environ["MAKEFLAGS"] = f"CFG_CXXFLAGS_PCH_I=-include CXX=g++ OPT_FAST={'-O0' if quick else '-O1'}"
    os.environ["CXXFLAGS"] = "-std=c++20"


def simulate(core, configuration, quick):
    """Runs the tests of one configuration."""
    folder = folder_of(core, configuration)
    # A precompiled header of an interrupted build would stop the next one.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    results = folder / "results.json"
    simulator = core.simulator if not quick else core.quick_simulator
    if simulator == "verilator":
        verilator_environment(quick)
    arguments = {"icarus": ["-g2012"], "verilator": ["-Wno-fatal", "-O3", "--x-assign", "fast"]}
    if core.signals:
        arguments["verilator"] += ["--no-public-flat-rw", str(TB / core.signals)]
    runner = get_runner(simulator)
    runner.build(
        sources=sources(core, configuration),
        includes=[GENERATED / configuration.tables],
        parameters=configuration.parameters,
        hdl_toplevel=top(core, configuration),
        build_dir=folder,
        build_args=arguments[simulator],
        timescale=("1ns", "1ps"),
        always=True,
        log_file=folder / "build.log",
    )
    xml = runner.test(
        hdl_toplevel=top(core, configuration),
        test_module=core.testbench,
        build_dir=folder,
        test_dir=folder,
        results_xml=str(folder / "results.xml"),
        log_file=folder / "test.log",
        extra_env={
            "PYTHONDONTWRITEBYTECODE": "1",
            "SUNZI_CONFIGURATION": json.dumps(
                {"core": core.name, "name": configuration.name, "tables": configuration.tables, "top": top(core, configuration)}
                | configuration.parameters
            ),
            "SUNZI_OPERATIONS": str(configuration.operations[not quick]),
            "SUNZI_GENERATED": str(GENERATED),
            "SUNZI_RANDOM": str(RANDOM),
            "SUNZI_RESULTS": str(results),
        },
    )
    tests, failures = get_results(Path(xml))
    if failures or not tests:
        raise RuntimeError(f"{failures} of {tests} tests failed: see {folder / 'test.log'}")
    if not quick:
        made = {"on": date.today().isoformat(), "digest": digest(core, configuration)}
        (folder / "passed.json").write_text(json.dumps(made))
    return f"{tests} tests, {results.read_text() if results.exists() else ''}"
