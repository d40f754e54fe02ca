#!/usr/bin/env python3
"""Compares this package with what its users have now, on this machine and in one run: gmpy2, phe and OpenSSL.

    make python-bench                       # everything: an hour on two processors
    make python-bench ARGS=--quick          # smaller numbers and batches: some minutes
    make python-bench ARGS="--only powers,rows"

Each side uses all processors: peers, which compute on one thread, get a process for each. The sides take turns,
every other round in reverse, and each row has the shortest time and the median, in seconds, and the ratio of the
medians: how many times as long as the first side this one takes. SUNZI_INSTRUCTIONS=avx512 or avx2 lets Sunzi use no
more than AVX-512 without IFMA, or AVX2; GMP has neither.

powers       powmod_base_list with an exponent as long as the modulus; gmpy2's function of this name
rows         powmod_rows on uint8 buffers; the same powers by a call from Rust
paillier     encryption (short and full randomness) and decryption of a list; phe with gmpy2
safe-primes  one safe prime; the first that a process of `openssl prime -generate -safe` for each processor finds,
             and one such process alone. Then twenty; twenty runs of the same, a process for each processor at a
             time
blind        an issuer's blind signatures, RSA-2048; OpenSSL's private operation with PKCS#1 v1.5 padding and no
             hash, by the package cryptography
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import random
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import sunzi
from sunzi import blind, paillier, primes

RANDOM = random.Random(20261129)
THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

#: What the processes of a peer compute with: set before they are started.
PEER: dict[str, Any] = {}


def processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        return names[0]
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def odd(bits: int) -> int:
    return RANDOM.getrandbits(bits) | 1 | 1 << (bits - 1)


def parts(items: list[Any]) -> list[list[Any]]:
    """Several for each process, so that all end together."""
    size = -(-len(items) // (8 * THREADS))
    return [items[at : at + size] for at in range(0, len(items), size)]


def seconds(compute: Callable[[], object]) -> float:
    start = time.perf_counter()
    compute()
    return time.perf_counter() - start


def peer_powers(bases: list[int]) -> list[int]:
    import gmpy2

    powers = gmpy2.powmod_base_list(bases, PEER["exponent"], PEER["modulus"])
    return [int(power) for power in powers]


def peer_encrypt(values: list[float]) -> list[Any]:
    return [PEER["public"].encrypt(value) for value in values]


def peer_decrypt(numbers: list[Any]) -> list[Any]:
    return [PEER["private"].decrypt(number) for number in numbers]


def peer_sign(messages: list[bytes]) -> list[bytes]:
    from cryptography.hazmat.primitives.asymmetric import padding, utils

    return [PEER["key"].sign(m, padding.PKCS1v15(), utils.NoDigestInfo()) for m in messages]


class Peer:
    """Processes that share out a list."""

    def __init__(self, **values: Any) -> None:
        PEER.update(values)
        self._pool = multiprocessing.get_context("fork").Pool(THREADS)

    def map(self, function: Callable[[list[Any]], list[Any]], items: list[Any]) -> list[Any]:
        return [item for part in self._pool.map(function, parts(items), 1) for item in part]

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.terminate()


class Report:
    def __init__(self, as_json: bool, rounds: int | None, items: int | None) -> None:
        self._as_json = as_json
        self._rounds = rounds
        #: Items of a batch, where that was asked for.
        self.items = items
        if not as_json:
            print(f"{'job':<44}{'side':<22}{'items':>7}{'min s':>11}{'median s':>11}{'times':>8}")

    def compare(
        self, job: str, items: int, rounds: int, sides: dict[str, Callable[[], float]]
    ) -> None:
        """Measures the sides, which take turns. The first is this package."""
        rounds = self._rounds or rounds
        times: dict[str, list[float]] = {side: [] for side in sides}
        for number in range(rounds):
            for side in sorted(sides, key=list(sides).index, reverse=number % 2 == 1):
                times[side].append(sides[side]())
        mine = statistics.median(next(iter(times.values())))
        for side, all_times in times.items():
            median, least = statistics.median(all_times), min(all_times)
            row = {
                "job": job,
                "side": side,
                "items": items,
                "rounds": rounds,
                "min": least,
                "median": median,
                "ratio": median / mine,
            }
            if self._as_json:
                print(json.dumps(row), flush=True)
            else:
                print(
                    f"{job:<44}{side:<22}{items:>7}{least:>11.4f}{median:>11.4f}{median / mine:>8.3f}",
                    flush=True,
                )


def powers(report: Report, quick: bool) -> None:
    count, rounds = report.items or (256 if quick else 4096), 3 if quick else 7
    for bits in (2048, 4096):
        modulus, exponent = odd(bits), odd(bits)
        bases = [RANDOM.randrange(modulus) for _ in range(count)]
        with Peer(modulus=modulus, exponent=exponent) as peer:
            mine = sunzi.powmod_base_list(bases, exponent, modulus)
            assert mine == peer.map(peer_powers, bases)
            sides = {
                "sunzi": lambda: seconds(lambda: sunzi.powmod_base_list(bases, exponent, modulus)),
                "gmpy2": lambda: seconds(lambda: peer.map(peer_powers, bases)),
            }
            report.compare(f"powmod_base_list {bits} bits", count, rounds, sides)


def rows(report: Report, quick: bool) -> None:
    import numpy

    program = os.environ.get("SUNZI_RUST_CALL")
    if program is None:
        print("rows: left out, since SUNZI_RUST_CALL names no program: see make python-bench", file=sys.stderr)
        return
    count, rounds = report.items or (2000 if quick else 10_000), 3 if quick else 41
    bits = 2048
    modulus, exponent = odd(bits), odd(bits)
    bases = numpy.frombuffer(secrets.token_bytes(count * bits // 8), numpy.uint8)
    bases = bases.reshape(count, bits // 8)
    bases = bases & numpy.uint8(0x7F)
    exp, mod = (number.to_bytes(bits // 8, "big") for number in (exponent, modulus))
    out = numpy.zeros_like(bases)
    rust = subprocess.Popen(
        [program, str(THREADS), str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert rust.stdin and rust.stdout
    rust.stdin.write(f"{exp.hex()}\n{mod.hex()}\n")

    def from_rust() -> float:
        assert rust.stdin and rust.stdout
        rust.stdin.write("\n")
        rust.stdin.flush()
        return float(rust.stdout.readline())

    def from_python() -> float:
        return seconds(lambda: sunzi.powmod_rows(bases, exp, mod, out=out))

    from_rust(), from_python()
    assert int.from_bytes(out[-1].tobytes(), "big") == pow(
        int.from_bytes(bases[-1].tobytes(), "big"), exponent, modulus
    )
    sides = {"sunzi": from_python, "call from Rust": from_rust}
    report.compare(f"powmod_rows {bits} bits", count, rounds, sides)
    rust.stdin.close()
    rust.wait()


def paillier_(report: Report, quick: bool) -> None:
    import phe

    if not phe.util.HAVE_GMP:
        raise SystemExit("phe does not find gmpy2: the comparison would be unfair")
    count, rounds = report.items or (100 if quick else 10_000), 3
    for bits in (2048, 3072):
        private = paillier.generate_key(bits)
        public = private.public_key
        theirs = phe.PaillierPublicKey(public.n)
        secret = phe.PaillierPrivateKey(theirs, *private._key.primes)
        values = [RANDOM.randrange(-(10**9), 10**9) for _ in range(count)]
        with Peer(public=theirs, private=secret) as peer:
            vector = public.encrypt(values)
            numbers = vector.to_phe(theirs)
            assert private.decrypt(vector) == values
            assert peer.map(peer_decrypt, numbers) == values
            some = peer.map(peer_encrypt, values[:100])
            assert private.decrypt(paillier.EncryptedVector.from_phe(some, public)) == values[:100]
            report.compare(
                f"Paillier encryption, n of {bits} bits",
                count,
                rounds,
                {
                    "sunzi, short": lambda: seconds(lambda: public.encrypt(values)),
                    "sunzi, full": lambda: seconds(lambda: public.encrypt(values, full=True)),
                    "phe": lambda: seconds(lambda: peer.map(peer_encrypt, values)),
                },
            )
            report.compare(
                f"Paillier decryption, n of {bits} bits",
                count,
                rounds,
                {
                    "sunzi": lambda: seconds(lambda: private.decrypt(vector)),
                    "phe": lambda: seconds(lambda: peer.map(peer_decrypt, numbers)),
                },
            )


def safe_primes(report: Report, quick: bool) -> None:
    bits, rounds = (512, 5) if quick else (1024, 20)
    many = 20
    command = ["openssl", "prime", "-generate", "-safe", "-bits", str(bits)]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end_of_one(running: list[subprocess.Popen[bytes]]) -> None:
        """Waits until one of the processes ends, and takes it out."""
        ended, status = os.wait()
        [process] = [process for process in running if process.pid == ended]
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed")
        running.remove(process)

    def first_of(processes: int) -> float:
        running: list[subprocess.Popen[bytes]] = []

        def race() -> None:
            running.extend(start() for _ in range(processes))
            end_of_one(running)

        time = seconds(race)
        for process in running:
            process.kill()
            process.wait()
        return time

    def one_after_the_other() -> None:
        running: list[subprocess.Popen[bytes]] = []
        for _ in range(many):
            if len(running) == THREADS:
                end_of_one(running)
            running.append(start())
        while running:
            end_of_one(running)

    report.compare(
        f"a safe prime of {bits} bits",
        1,
        rounds,
        {
            "sunzi": lambda: seconds(lambda: primes.safe_primes(bits)),
            f"openssl, first of {THREADS}": lambda: first_of(THREADS),
            "openssl, 1 process": lambda: first_of(1),
        },
    )
    report.compare(
        f"{many} safe primes of {bits} bits",
        many,
        5,
        {
            "sunzi": lambda: seconds(lambda: primes.safe_primes(bits, many)),
            f"openssl, {THREADS} processes": lambda: seconds(one_after_the_other),
        },
    )


def blind_(report: Report, quick: bool) -> None:
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    count, rounds = report.items or (500 if quick else 10_000), 3 if quick else 5
    issuer = sunzi.generate_key("RSA-2048")
    messages = blind.prepare_many([b"%d" % number for number in range(count)])
    blinded, inverses = blind.blind_many(issuer.public_key(), messages)
    answers = blind.blind_sign_many(issuer, blinded)
    blind.finalize_many(issuer.public_key(), messages, answers, inverses)
    with Peer(key=load_der_private_key(issuer.to_der(), None)) as peer:
        digests = [secrets.token_bytes(48) for _ in range(count)]
        report.compare(
            "blind signatures, RSA-2048",
            count,
            rounds,
            {
                "sunzi": lambda: seconds(lambda: blind.blind_sign_many(issuer, blinded)),
                "OpenSSL": lambda: seconds(lambda: peer.map(peer_sign, digests)),
            },
        )


JOBS = {
    "powers": powers,
    "rows": rows,
    "paillier": paillier_,
    "safe-primes": safe_primes,
    "blind": blind_,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller batches, fewer rounds")
    parser.add_argument("--only", help="names of jobs, separated by commas")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds of every job; each has its own number")
    parser.add_argument("--items", type=int, metavar="N", help="items of a batch, but for safe primes")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each row")
    arguments = parser.parse_args()
    if arguments.rounds is not None and arguments.rounds < 1:
        parser.error("--rounds is at least 1")
    if arguments.items is not None and arguments.items < 1:
        parser.error("--items is at least 1")
    names = arguments.only.split(",") if arguments.only else list(JOBS)
    if unknown := set(names) - set(JOBS):
        parser.error(f"no job is named {', '.join(sorted(unknown))}: choose from {', '.join(JOBS)}")

    import cryptography
    import gmpy2
    import phe
    from cryptography.hazmat.backends.openssl import backend

    openssl = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True)
    facts = {
        "processor": processor(),
        "threads": THREADS,
        "instructions": os.environ.get("SUNZI_INSTRUCTIONS", "all"),
        "python": platform.python_version(),
        "sunzi": f"{sunzi.__version__} {sunzi.default_engine().backend}",
        "gmpy2": f"{gmpy2.version()} {gmpy2.mp_version()}",
        "phe": phe.__version__,
        "cryptography": f"{cryptography.__version__} {backend.openssl_version_text()}",
        "openssl": openssl.stdout.strip(),
    }
    if arguments.json:
        print(json.dumps(facts))
    else:
        for name, fact in facts.items():
            print(f"{name:<13}{fact}")
        print()
    report = Report(arguments.json, arguments.rounds, arguments.items)
    for name in names:
        JOBS[name](report, arguments.quick)


if __name__ == "__main__":
    main()
