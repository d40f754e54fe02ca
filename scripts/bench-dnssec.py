#!/usr/bin/env python3
"""A zone signed by `sunzi dnssec sign`, dnssec-signzone (BIND) and ldns-signzone, in turns on one thread each.

Prints for each signer the signatures, the seconds of the clock and of the processor (medians), signatures a second of the
processor, and the ratio to BIND's. Each output is verified once by ldns-verify-zone and by `sunzi dnssec verify`.

dnssec-signzone verifies the whole zone after it has signed it; -P leaves that away, and is measured, too. Sunzi checks
each signature before it writes it.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
ZONE = "example."


def run(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    start = time.perf_counter()
    with open(folder / "log", "wb") as log:
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)}: {(folder / 'log').read_text()[-2000:]}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def signatures(path: Path) -> int:
    with open(path, "rb") as file:
        return sum(b"RRSIG" in line.split()[3:5] for line in file if b"RRSIG" in line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("sunzi", help="the command")
    parser.add_argument("--names", type=int, default=100_000)
    parser.add_argument("--algorithm", default="RSASHA256", help="RSASHA256, ECDSAP256SHA256, ED25519, ...")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", nargs="*", help="some of sunzi, sunzi-nsec3, bind, bind-P, ldns")
    parser.add_argument("--verify", action="store_true", help="verify each output once")
    arguments = parser.parse_args()
    sunzi = str(Path(arguments.sunzi).resolve())
    environment = {**os.environ, "LC_ALL": "C"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open(folder / "zone", "wb") as zone:
            subprocess.run([sys.executable, SCRIPTS / "zone.py", str(arguments.names)], stdout=zone, check=True)
        keys = []
        bits = ["-b", "2048"] if arguments.algorithm.startswith("RSA") else []
        for flags in (["-f", "KSK"], []):
            made = ["dnssec-keygen", "-q", "-a", arguments.algorithm, *bits, *flags, ZONE]
            keys.append(subprocess.run(made, cwd=folder, check=True, capture_output=True, text=True).stdout.strip())
        bind = ["dnssec-signzone", "-q", "-S", "-x", "-K", ".", "-n", "1", "-o", ZONE, "-O", "full", "-f"]
        ours = [sunzi, "dnssec", "sign", "zone", "--origin", ZONE, "--keys", ".", "-j", "1", "-q", "--out"]
        signers = {
            "sunzi": [*ours, "sunzi"],
            "sunzi-nsec3": [*ours, "sunzi-nsec3", "--nsec3"],
            "bind": [*bind, "bind", "zone"],
            "bind-P": [*bind, "bind-P", "-P", "zone"],
            "ldns": ["ldns-signzone", "-o", ZONE, "-f", "ldns", "zone", *keys],
        }
        if arguments.only:
            signers = {who: signers[who] for who in arguments.only}
        times: dict[str, list[tuple[float, float]]] = {who: [] for who in signers}
        for _ in range(arguments.turns):
            for who, command in signers.items():
                times[who].append(run(command, folder, environment))
        rates = {}
        print(f"{arguments.algorithm}, {arguments.names:,} names, medians of {arguments.turns} turns")
        print("| signer | signatures | seconds | of the processor | signatures a processor second | to BIND |")
        print("|---|--:|--:|--:|--:|--:|")
        for who in sorted(signers, key=lambda who: who != "bind"):
            count = signatures(folder / who)
            clock, processor = (statistics.median(part) for part in zip(*times[who]))
            rates[who] = count / processor
            ratio = rates[who] / rates["bind"] if "bind" in rates else float("nan")
            print(
                f"| {who} | {count:,} | {clock:.2f} | {processor:.2f} | {rates[who]:,.0f} | {ratio:.2f} |", flush=True
            )
        if arguments.verify:
            for who in signers:
                for command in (
                    ["ldns-verify-zone", who],
                    ["dnssec-verify", "-q", "-x", "-o", ZONE, who],
                    [sunzi, "dnssec", "verify", "-j", "1", "--origin", ZONE, who],
                ):
                    clock, processor = run(command, folder, environment)
                    print(f"{Path(command[0]).name} accepts {who}: {clock:.2f} s, {processor:.2f} of the processor")


if __name__ == "__main__":
    main()
