#!/usr/bin/env python3
"""Checks, simulates, synthesizes and proves the cores, and writes report.md.

    setup.sh                       once: makes .venv with the tools
    run.py lint                    verilator -Wall, and whether iverilog accepts the sources
    run.py simulate [--quick]      cocotb testbenches
    run.py synthesize              yosys, for xc7
    run.py prove [--quick]         sby
    run.py report                  report.json and report.md from the results of the above
    run.py all                     everything, in this order
    run.py check                   tables, lint, the quick simulations and proofs, cycles in report.json

`--core NAME` restricts a command to one core. Results and logs are in build/.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"

# With the Python of .venv, whichever this was called with.
if Path(sys.prefix).resolve() != VENV.resolve():
    if not (VENV / "installed.txt").exists():
        sys.exit("hardware/.venv is missing: run hardware/setup.sh")
    os.execv(VENV / "bin/python", [str(VENV / "bin/python"), "-B", *sys.argv])

from driver import lint, prove, report, simulate, synthesize  # noqa: E402

from cores import CORES  # noqa: E402


def in_parallel(jobs):
    """Runs functions on as many threads as there are processors; their names, with success or not."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [(name, pool.submit(function)) for name, function in jobs]
        failed = []
        for name, future in futures:
            try:
                message = future.result()
                print(f"ok      {name}{': ' + message if message else ''}", flush=True)
            except Exception as error:
                failed.append(name)
                print(f"FAILED  {name}: {error}", flush=True)
    if failed:
        sys.exit(f"{len(failed)} of {len(jobs)} failed")


def constants(*arguments):
    """Runs the program that makes tables and vectors."""
    command = ["cargo", "run", "--quiet", "--locked", "--package", "sunzi-hardware-constants", "--"]
    subprocess.run([*command, *map(str, arguments)], check=True, cwd=HERE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = ["lint", "simulate", "synthesize", "prove", "report", "all", "check"]
    parser.add_argument("command", choices=commands)
    parser.add_argument("--quick", action="store_true", help="fewer operands and configurations")
    parser.add_argument("--core", help="only this core")
    arguments = parser.parse_args()
    cores = [core for core in CORES if arguments.core in (None, core.name)]
    if not cores:
        sys.exit(f"no core is called {arguments.core}: there are {', '.join(c.name for c in CORES)}")
    everything = arguments.command == "all"
    check = arguments.command == "check"
    quick = arguments.quick or check

    if everything or check:
        constants("--check")
    if everything or check or arguments.command == "lint":
        in_parallel(lint.jobs(cores))
    if everything or check or arguments.command == "simulate":
        for family, operations in simulate.random_vectors(cores, quick):
            constants("--random", family, operations, simulate.RANDOM)
        in_parallel(simulate.jobs(cores, quick))
    if everything or check or arguments.command == "prove":
        in_parallel(prove.jobs(quick))
    if everything or arguments.command == "synthesize":
        in_parallel(synthesize.jobs(cores))
    if everything or arguments.command == "report":
        report.write(CORES)
    if check:
        report.check(CORES)


if __name__ == "__main__":
    main()
