#!/usr/bin/env python3
"""Checks, simulates, synthesizes and proves the cores, and writes report.md.

    setup.sh                       once: makes .venv with the tools
    run.py lint                    verilator -Wall, and whether iverilog accepts the sources
    run.py simulate [--quick]      cocotb testbenches
    run.py synthesize [--every]    yosys, for xc7; --every: also the configurations of the sweep
    run.py prove [--quick]         sby
    run.py report                  report.json and report.md from the results of the above
    run.py all [--every] [--again] everything, in this order; what it has of the sources as they are, it keeps
    run.py timing [--every]        clocks after place and route, for an ECP5; --every: also the curve processor
    run.py check [--first]         tables, lint, the quick simulations and proofs, cycles in report.json; --first: of
                                   each core the first of these configurations, and no proofs

`--core NAME` restricts a command to one core. Results and logs are in build/.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"

# With the Python of .venv, whichever this was called with.
if Path(sys.prefix).resolve() != VENV.resolve():
    if not (VENV / "installed.txt").exists():
        sys.exit("hardware/.venv is missing: run hardware/setup.sh")
    os.execv(VENV / "bin/python", [str(VENV / "bin/python"), "-B", *sys.argv])

from driver import lint, prove, report, simulate, synthesize, timing  # noqa: E402

from cores import CORES, DESIGNS, PARTS  # noqa: E402

TIMES = []
"""Processor time in seconds, and name, of each job that has ended."""


def cpu_seconds():
    """Processor time of this process and of its children that have ended."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(times.ru_utime + times.ru_stime for times in used)


def timed(function):
    """What a job returned or raised, and its processor time. A process runs one job at a time."""
    begin = cpu_seconds()
    try:
        outcome = (True, function())
    except Exception as error:
        outcome = (False, error)
    return *outcome, cpu_seconds() - begin


def in_parallel(jobs):
    """Runs functions in as many processes as there are processors, and ends the program if one fails."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        futures = [(name, pool.submit(timed, function)) for name, function in jobs]
        failed = 0
        for name, future in futures:
            succeeded, message, seconds = future.result()
            failed += not succeeded
            TIMES.append((seconds, name))
            result = f"{'ok' if succeeded else 'FAILED':<8}{seconds:6.1f} s  {name}"
            print(f"{result}{f': {message}' if message else ''}", flush=True)
    if failed:
        sys.exit(f"{failed} of {len(jobs)} failed")


def new(jobs, kept):
    """The jobs whose results `kept` does not have; says how many it has."""
    missing = [(name, job) for name, job in jobs if not kept(*job.args[:2])]
    if len(missing) < len(jobs):
        print(f"{'kept':<8}         {len(jobs) - len(missing)} of {len(jobs)} results; --again makes them anew", flush=True)
    return missing


def print_times():
    """Prints the sum of the processor times, and the longest jobs."""
    total = sum(seconds for seconds, _ in TIMES)
    print(f"{len(TIMES)} jobs took {total / 60:.1f} minutes of processor time; the longest:")
    for seconds, name in sorted(TIMES, reverse=True)[:15]:
        print(f"{seconds:8.1f} s  {name}")


@cache
def constants_program():
    """Path of the program that makes tables and vectors, built from what `make test` has compiled."""
    build = [HERE.parent / "scripts/test-program.sh", "sunzi-hardware-constants"]
    return subprocess.run(build, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def constants(*arguments):
    """Runs the program that makes tables and vectors."""
    subprocess.run([constants_program(), *map(str, arguments)], check=True, cwd=HERE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = ["lint", "simulate", "synthesize", "prove", "report", "timing", "all", "check"]
    parser.add_argument("command", choices=commands)
    parser.add_argument("--quick", action="store_true", help="fewer operands and configurations")
    parser.add_argument("--every", action="store_true", help="every configuration that is synthesized, or placed and routed")
    parser.add_argument("--again", action="store_true", help="also what `all` would keep: results of the sources as they are")
    parser.add_argument("--first", action="store_true", help="for `check`: one configuration of each core, and no proofs")
    parser.add_argument("--core", help="only this core")
    arguments = parser.parse_args()
    if arguments.first and arguments.command != "check":
        parser.error("--first is an option of check: leave it out, or run `check --first`")
    listed = CORES + DESIGNS + PARTS
    cores = [core for core in listed if arguments.core in (None, core.name)]
    if not cores:
        sys.exit(f"no core is called {arguments.core}: there are {', '.join(c.name for c in listed)}")
    everything = arguments.command == "all"
    check = arguments.command == "check"
    quick = arguments.quick or check
    keep = everything and not arguments.again

    if everything or check:
        constants("--check")
    if everything or check or arguments.command == "lint":
        in_parallel(lint.jobs(cores))
    if everything or check or arguments.command == "simulate":
        tested = [core for core in cores if core not in PARTS]
        runs = simulate.chosen(tested, quick, arguments.first)
        for family, operations in simulate.random_vectors(runs, quick):
            constants("--random", family, operations, simulate.RANDOM)
        jobs = simulate.jobs(runs, quick)
        in_parallel(new(jobs, report.simulated_of) if keep else jobs)
    if everything or (check and not arguments.first) or arguments.command == "prove":
        in_parallel(prove.jobs(quick))
    if everything or arguments.command == "synthesize":
        jobs = synthesize.jobs(cores, arguments.every)
        in_parallel(new(jobs, report.counts_of) if keep else jobs)
    if everything or arguments.command == "report":
        report.write(CORES)
    if arguments.command == "timing":
        timing.check_tools()
        in_parallel(timing.synthesis_jobs(cores, arguments.every))
        in_parallel(timing.route_jobs(cores, arguments.every))
        report.write_clocks(CORES)
        timing.check_floors(cores, arguments.every)
    if check:
        report.check(CORES)
    if TIMES:
        print_times()


if __name__ == "__main__":
    main()
