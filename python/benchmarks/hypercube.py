#!/usr/bin/env python3
"""A modular power on a hypercube of processing elements (CRSA) as actors of Ray, on two machines that are simulated on
this one: counts of messages, and times. Writes hypercube.json beside this file, which `sunzi papers` has built in.

Needs the packages sunzi and ray. On a machine without other work; takes a minute.
"""

import argparse
import datetime
import json
import os
import platform
import random
import statistics
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from sunzi.hypercube import Actors, Hypercube

BITS = 1024
POWERS = 20
RUNS = 9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    arguments = parser.parse_args()
    # Ray's workers give way to all other work of the machine unless told otherwise.
    os.environ.setdefault("RAY_worker_niceness", "0")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        report = measure()
    finally:
        ray.shutdown()
        cluster.shutdown()
    arguments.out.write_text(json.dumps(report, indent=2) + "\n")
    print(arguments.out)


def measure() -> dict:
    """All figures, for the same odd numbers below 2^1024 in every run."""
    draw = random.Random(1024)
    modulus, exponent = (draw.getrandbits(BITS) | 1 | 1 << BITS - 1 for _ in range(2))
    bases = [draw.randrange(modulus) for _ in range(POWERS)]
    report = {
        "about": "A modular power on a hypercube as actors of Ray, one process for each element, measured by "
        "python/benchmarks/hypercube.py. Two machines are two nodes of Ray on one host. Times of a power are "
        f"medians of {RUNS} runs of {POWERS} powers, those of a message of 400 round trips; spread is half the "
        "distance between the quartiles. Messages are those of one run.",
        "machine": processor(),
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "software": f"Ray {ray.__version__}, Python {platform.python_version()}",
        "bits": BITS,
        "powers": POWERS,
        "repetitions": RUNS,
        "runs": [],
        "messages": [],
    }
    report["binary"] = binary(bases[0], exponent, modulus)
    for cubes, form in ((1, "optimized"), (2, "optimized"), (2, "plain")):
        cube = Hypercube(cubes, form)
        print(f"{cubes} cubes, {form}", flush=True)
        with Actors(cube) as actors:
            expected = [pow(base, exponent, modulus) for base in bases]
            # The first runs open connections.
            actors.powers(bases[:3], exponent, modulus)
            alone = []
            for _ in range(RUNS):
                run = actors.powers(bases, exponent, modulus, pipelined=False)
                assert run.powers == expected
                alone.append(run.seconds / POWERS)
            stream = actors.powers(bases, exponent, modulus)
            assert stream.powers == expected
            links = [f"{sender} -> {receiver}" for sender, receiver in run.messages]
            report["runs"].append({
                "cubes": cubes,
                "form": form,
                "machines": len({*run.machines.values()}),
                "elements": len(run.machines),
                "messages": dict(zip(links, run.messages.values(), strict=True)),
                "between_machines": run.between_machines,
                **times("alone_ms", alone, 1e3),
                "stream_ms": round(1e3 * stream.seconds / POWERS, 3),
            })
            if (cubes, form) == (2, "optimized"):
                report["product_us"] = round(1e6 * actors.product_time(modulus), 3)
                for where, receiver in (("one machine", "PE 7"), ("two machines", "PE 13")):
                    latency = actors.latency("PE 5", receiver, count=400, bits=BITS)
                    report["messages"].append({
                        "where": where,
                        "from": "PE 5",
                        "to": receiver,
                        "alone_us": round(1e6 * latency.alone, 1),
                        "alone_us_spread": round(1e6 * latency.spread, 1),
                        "in_a_row_us": round(1e6 * latency.in_a_row, 1),
                    })
    return report


def binary(base: int, exponent: int, modulus: int) -> dict:
    """The binary method in one process, with the products of the elements."""
    seconds = []
    for _ in range(RUNS * POWERS):
        start = time.perf_counter()
        value, products = base, 0
        for digit in bin(exponent)[3:]:
            value = value * value % modulus
            products += 1
            if digit == "1":
                value = value * base % modulus
                products += 1
        seconds.append(time.perf_counter() - start)
        assert value == pow(base, exponent, modulus)
    return {"products": products, **times("alone_ms", seconds, 1e3)}


def times(name: str, seconds: list[float], factor: float) -> dict:
    """The median and half the distance between the quartiles."""
    first, middle, third = statistics.quantiles([factor * second for second in seconds], n=4)
    return {name: round(middle, 3), f"{name}_spread": round((third - first) / 2, 3)}


def processor() -> str:
    """The processor's name, as the system gives it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
