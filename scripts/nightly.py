#!/usr/bin/env python3
"""Runs what takes too long for each change, one make target after the other, and writes a report.

    scripts/nightly.py [--list] [--only STEP...] [--again] [--hours H]

A step that fails does not end the run; at the end the failed ones are named, and the exit code is 1. A run that was
interrupted goes on where it was: steps that passed for the same commit, with nothing changed since, are not done
again, unless --again is given. With --hours no step begins later than so many hours after the start, and the exit
code is 3 if that left some out.

In target/nightly there are a log of each step, results.json, and report.html: each step's outcome, times and figures,
with the machine and the commit.
"""

import argparse
import html
import json
import os
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("CARGO_TARGET_DIR", HOUSE / "target")) / "nightly"
LEFT_OUT = 3


@dataclass(frozen=True)
class Step:
    """A make target with its variables, and what it shows."""

    target: str
    shows: str
    variables: dict = field(default_factory=dict)


# Those that Rust names for the systems and processors for which the libraries are compiled.
TARGETS = "aarch64-apple-darwin aarch64-unknown-linux-gnu x86_64-pc-windows-gnu"

# What ends soonest comes first.
STEPS = [
    Step("lint", "lints with the libraries that benchmarks compare with"),
    Step("lint-default", "lints without the optional features"),
    Step("check-api", "the listing of the public interfaces"),
    Step("check-deps", "licences and sources of dependencies"),
    Step("check-packages", "the libraries compile from their packages"),
    Step("check-msrv", "the oldest Rust that is supported"),
    Step("check-targets", "other processors and systems", {"TARGETS": TARGETS}),
    Step("check-site", "the web site in a browser"),
    Step("check-explorer", "the explorer page in a browser"),
    Step("test-limits", "tests as on lesser processors"),
    Step("test-peers", "tests of the comparison with other libraries"),
    Step("hardware-check", "simulations and proofs of the hardware"),
    Step("miri", "undefined behaviour in rns and field"),
    Step("narrow", "32-bit processors"),
    Step("aarch64", "64-bit ARM, emulated"),
    Step("big-endian", "a big-endian processor, emulated"),
    Step("python-every", "every Python from 3.11 on"),
    Step("python-long", "long tests in Python"),
    Step("taint-every", "branches and addresses on secrets, in the build that is released"),
    Step("constant-time", "timings of secret operations, by statistics"),
    Step("memory", "memory for a gigabyte of hostile input"),
    Step("sanitizers", "the address and the thread sanitizer"),
    Step("test-long", "every test, with those that take minutes, and killed runs"),
    Step("persistent-faults", "faults that stay in memory"),
    Step("transient-faults", "faults that pass", {"SUNZI_FAULTS": "100000"}),
    Step("fuzz", "two minutes of each fuzz target", {"FUZZ_SECONDS": "120"}),
]


@dataclass
class Result:
    """The outcome of a step."""

    target: str
    commit: str
    date: str
    passed: bool
    minutes: float
    processor_minutes: float
    figures: list


def commit():
    """The commit that is checked out; `-dirty` at its end if anything differs."""
    describe = ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty"]
    return subprocess.run(describe, cwd=HOUSE, check=True, capture_output=True, text=True).stdout.strip()


def processor():
    """The processor's name."""
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1] if found else os.uname().machine


def figures(log):
    """What a log says in numbers: tests, runs of fuzz targets, faults, timings; a line that is there twice once."""
    passed, ignored, lines = 0, 0, []
    # Lines as tools print them: "test result: ok. 7 passed; ...", "7 passed in 2.1s", "curves  1234 runs in 120 s",
    # "all: 1000 faults: ...", "|t|", peaks of memory.
    found = re.compile(r"\d runs in \d|\bfaults: \d|\ball: \d|\|t\|| MiB\b|^\d+ passed in |no branch and no address")
    for line in log.splitlines():
        test = re.match(r"test result: ok\. (\d+) passed; \d+ failed; (\d+) ignored", line)
        if test:
            passed += int(test[1])
            ignored += int(test[2])
        elif found.search(line) and line not in lines:
            lines.append(line.strip())
    tests = [f"{passed:,} tests passed, {ignored} ignored"] if passed else []
    return tests + lines[:60]


def run(step, now):
    """Runs a step, with its output in the step's log."""
    path = FOLDER / f"{step.target}.log"
    variables = [f"{name}={os.environ.get(name, value)}" for name, value in step.variables.items()]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    with path.open("w") as log:
        made = subprocess.run(["make", step.target, *variables], cwd=HOUSE, stdout=log, stderr=subprocess.STDOUT)
    minutes = (time.monotonic() - start) / 60
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    date = time.strftime("%Y-%m-%d")
    text = path.read_text(errors="replace")
    return Result(step.target, now, date, made.returncode == 0, minutes, used / 60, figures(text))


def report(results):
    """The page: a row for each step, in their order, and below the figures of each."""
    rows, details = [], []
    for step in STEPS:
        result = results.get(step.target)
        if result is None:
            rows.append(f"<tr><td>{step.target}<td>{step.shows}<td>not run<td><td><td><td>")
            continue
        outcome = "passed" if result.passed else "<strong>failed</strong>"
        cells = [f'<a href="{step.target}.log">{step.target}</a>', step.shows, outcome]
        cells += [f"{result.minutes:.1f}", f"{result.processor_minutes:.1f}", result.date, result.commit]
        rows.append("<tr><td>" + "<td>".join(cells))
        if result.figures:
            lines = html.escape("\n".join(result.figures))
            details.append(f"<h2>{step.target}</h2><pre>{lines}</pre>")
    heads = ["step", "what it shows", "outcome", "minutes", "of processor time", "day", "commit"]
    return "\n".join([
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        "<title>Sunzi: long checks</title>",
        "<style>:root{color-scheme:light dark}body{font:16px/1.5 sans-serif;max-width:70rem;margin:2rem auto;"
        "padding:0 1rem}table{border-collapse:collapse}td,th{padding:.2rem .7rem;text-align:left;"
        "border-bottom:1px solid #8888}pre{overflow:auto}</style>",
        f"<h1>Long checks</h1><p>{html.escape(processor())}, {os.cpu_count()} processors.</p>",
        "<table><tr><th>" + "<th>".join(heads),
        *rows,
        "</table>",
        *details,
        "",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [step.target for step in STEPS]
    parser.add_argument("--list", action="store_true", help="print the steps, and whether they have passed")
    parser.add_argument("--only", nargs="+", choices=names, metavar="STEP", help="only these steps")
    parser.add_argument("--again", action="store_true", help="also steps that have passed for this commit")
    parser.add_argument("--hours", type=float, help="begin no step later than so many hours after the start")
    arguments = parser.parse_args()
    start = time.monotonic()
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = FOLDER / "results.json"
    results = {}
    if kept.exists():
        results = {name: Result(**result) for name, result in json.loads(kept.read_text()).items()}
    now = commit()

    def is_done(step):
        result = results.get(step.target)
        return result is not None and result.passed and result.commit == now and not now.endswith("-dirty")

    if arguments.list:
        for step in STEPS:
            print(f"{'passed' if is_done(step) else '':<8}{step.target:<20}{step.shows}")
        return 0
    left_out = []
    for step in STEPS:
        if arguments.only and step.target not in arguments.only:
            continue
        if is_done(step) and not arguments.again:
            print(f"kept    {step.target}", flush=True)
            continue
        if arguments.hours is not None and time.monotonic() - start > 3600 * arguments.hours:
            left_out.append(step.target)
            continue
        print(f"begins  {step.target}", flush=True)
        result = results[step.target] = run(step, now)
        outcome = "passed" if result.passed else f"FAILED  see {FOLDER / step.target}.log"
        print(f"        {result.minutes:.1f} minutes, {result.processor_minutes:.1f} of processor time: {outcome}", flush=True)
        # Written anew after each step, as a whole, so that an interrupted run loses one step only.
        new = kept.with_suffix(".new")
        new.write_text(json.dumps({name: asdict(result) for name, result in results.items()}, indent=1))
        new.replace(kept)
        (FOLDER / "report.html").write_text(report(results))
    failed = [name for name, result in results.items() if not result.passed and result.commit == now]
    print(f"report: {FOLDER / 'report.html'}")
    if left_out:
        print("left out, for want of time: " + ", ".join(left_out))
    if failed:
        print("failed: " + ", ".join(failed))
        return 1
    return LEFT_OUT if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
