"""What the testbenches of all cores share: clock, reset, operations through ready and valid, results.

A core has `clk`, `reset` (synchronous, high), `in_valid`, `in_ready`, `out_valid`, `out_ready`, and any
number of operands and results, which are read and written together.
"""

import json
import os
import re
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

PERIOD_NS = 10

CONFIGURATION = json.loads(os.environ["SUNZI_CONFIGURATION"])
"""The parameters of the configuration under test, and `name`."""

OPERATIONS = int(os.environ["SUNZI_OPERATIONS"])
"""The number of random operations asked for."""


def vectors(path):
    """The list of cases in a file below hardware/generated or, for random.json, hardware/build."""
    root = "SUNZI_RANDOM" if path.endswith("random.json") else "SUNZI_GENERATED"
    return json.loads((Path(os.environ[root]) / path).read_text())


def constants():
    """The integers, by name, of the generated module under test."""
    path = Path(os.environ["SUNZI_GENERATED"]) / CONFIGURATION["tables"] / f"{CONFIGURATION['top']}.sv"
    return {name: int(value) for name, value in re.findall(r"integer (\w+) = (\d+);", path.read_text())}


def pack(values, width):
    """Numbers in fields of `width` bits, the first in the least significant place."""
    return sum(value << (width * index) for index, value in enumerate(values))


def unpack(number, count, width):
    """The fields of `width` bits of a number."""
    return [number >> (width * index) & ((1 << width) - 1) for index in range(count)]


def residues(strings):
    """Numbers from hexadecimal strings."""
    return [int(string, 16) for string in strings]


def record(**results):
    """Adds to the results of this configuration, from which the report is written."""
    path = Path(os.environ["SUNZI_RESULTS"])
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | results))


class Harness:
    """Drives one core. Signals change just after rising edges, and are sampled at them."""

    def __init__(self, dut, operands, results):
        self.dut = dut
        self.operands = operands
        self.results = results
        self.starts = []
        """The cycles in which the last run's operands were accepted."""

    async def start(self):
        """Starts the clock and resets the core."""
        cocotb.start_soon(Clock(self.dut.clk, PERIOD_NS, "ns").start())
        self.dut.in_valid.value = 0
        self.dut.out_ready.value = 0
        for name in self.operands:
            getattr(self.dut, name).value = 0
        await self.reset()

    async def reset(self):
        """Two cycles of reset."""
        self.dut.reset.value = 1
        for _ in range(2):
            await RisingEdge(self.dut.clk)
        self.dut.reset.value = 0

    def offer(self, operation):
        """Offers operands, or with `None` nothing."""
        self.dut.in_valid.value = int(operation is not None)
        # Operands that are not offered are all ones, so that a core that reads them goes wrong.
        for name in self.operands:
            signal = getattr(self.dut, name)
            signal.value = (1 << len(signal)) - 1 if operation is None else operation[name]

    async def run(self, operations, ready=lambda cycle: True, each=None):
        """Performs operations one directly after another.

        Returns the results, and for each the cycles from the one in which its operands were accepted
        to the first in which the result was valid, and to the one in which it was taken. `ready` says
        in which cycles the consumer takes results. `each` is called at every rising edge, with the
        cycles since the last operands were accepted.
        """
        dut = self.dut
        results, latencies, taken = [], [], []
        offered = iter(operations)
        current = next(offered, None)
        accepted = valid = None
        cycle = 0
        self.starts = starts = []
        self.offer(current)
        while len(results) < len(operations):
            dut.out_ready.value = int(ready(cycle))
            await RisingEdge(dut.clk)
            if each is not None and accepted is not None:
                each(cycle - accepted)
            if dut.out_valid.value == 1:
                if valid is None:
                    valid = cycle
                if ready(cycle):
                    start = starts[len(results)]
                    results.append(tuple(getattr(dut, name).value.to_unsigned() for name in self.results))
                    latencies.append(valid - start)
                    taken.append(cycle - start)
                    valid = None
            if current is not None and dut.in_ready.value == 1:
                accepted = cycle
                starts.append(cycle)
                current = next(offered, None)
                self.offer(current)
            cycle += 1
        dut.out_ready.value = 0
        return results, latencies, taken
