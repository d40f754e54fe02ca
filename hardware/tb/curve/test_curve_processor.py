"""The curve processor against the PyPI package `ecdsa`, and in lock-step with the library's arithmetic."""

import random

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from cocotb.utils import get_sim_time
from ecdsa import BRAINPOOLP256r1, NIST256p, NIST384p, SECP256k1
from ecdsa.ellipticcurve import INFINITY
from tb.common.harness import CONFIGURATION, OPERATIONS, PERIOD_NS, Harness, constants, record, residues, unpack, vectors

TABLES = CONFIGURATION["tables"]
PARAMETERS = constants()
N, W, SCALAR_BITS, CYCLES = (PARAMETERS[name] for name in ("N", "W", "SCALAR_BITS", "CYCLES"))
CURVES = {"p256": NIST256p, "secp256k1": SECP256k1, "brainpoolp256r1": BRAINPOOLP256r1, "p384": NIST384p}
CURVE = CURVES[CONFIGURATION["name"].split("_")[0]]
P, ORDER = CURVE.curve.p(), CURVE.order
# Cycles of a step of the inversion.
OUTER, INNER = 9, 7
RANDOM = random.Random(1)


async def start(dut):
    """Starts the clock and resets the core."""
    harness = Harness(dut, ["x", "y", "blind", "scalar"], ["result_x", "result_y"])
    await harness.start()
    return harness


async def multiply(dut, scalar, point, blind):
    """One multiplication: the coordinates or None, and the cycles from the one that takes the operands."""
    for name, value in (("x", point[0]), ("y", point[1]), ("blind", blind), ("scalar", scalar)):
        getattr(dut, name).value = value
    dut.in_valid.value = 1
    await RisingEdge(dut.clk)
    assert dut.in_ready.value == 1
    begin = get_sim_time("ns")
    dut.in_valid.value = 0
    for name in ("x", "y", "blind", "scalar"):
        getattr(dut, name).value = (1 << len(getattr(dut, name))) - 1
    await with_timeout(RisingEdge(dut.out_valid), 1_000_000 * PERIOD_NS, "ns")
    await RisingEdge(dut.clk)
    cycles = round((get_sim_time("ns") - begin) / PERIOD_NS)
    # The consumer is late, and the result stays.
    for _ in range(3):
        await RisingEdge(dut.clk)
    assert dut.out_valid.value == 1
    result = None
    if dut.infinity.value == 0:
        result = (dut.result_x.value.to_unsigned(), dut.result_y.value.to_unsigned())
    dut.out_ready.value = 1
    await RisingEdge(dut.clk)
    dut.out_ready.value = 0
    return result, cycles


def check_cycles(dut, cycles):
    """All but the steps of the inversion of the blinded Z takes the same time for every scalar."""
    control = dut.core.rowers.control
    steps = OUTER * control.outer_steps.value.to_unsigned() + INNER * control.inner_steps.value.to_unsigned()
    assert cycles == CYCLES + steps, (cycles, CYCLES, steps)
    # Without the steps of the inversion, which depend on the blinding.
    record(cycles=CYCLES)


async def check(dut, scalar, point=None):
    """Multiplies; the result must be right, and the cycles those of the schedule. Returns the cycles."""
    point = CURVE.generator if point is None else point
    result, cycles = await multiply(dut, scalar, (point.x(), point.y()), RANDOM.randrange(1, P))
    expected = scalar * point
    if expected == INFINITY:
        assert result is None
        return cycles
    assert result == (expected.x(), expected.y()), hex(scalar)
    check_cycles(dut, cycles)
    return cycles


@cocotb.test(skip=OPERATIONS < 1)
async def random_scalars_and_points(dut):
    await start(dut)
    cycles = []
    for _ in range(OPERATIONS):
        point = RANDOM.randrange(1, ORDER) * CURVE.generator
        cycles.append(await check(dut, RANDOM.randrange(1 << SCALAR_BITS), point))
    record(mean_with_inversion=round(sum(cycles) / len(cycles)), operations=len(cycles))


@cocotb.test(skip=OPERATIONS < 3)
async def adversarial_scalars(dut):
    await start(dut)
    for scalar in (0, 1, 2, ORDER - 1, ORDER, ORDER + 1, (1 << SCALAR_BITS) - 1):
        await check(dut, scalar)


@cocotb.test()
async def register_writes_in_lock_step(dut):
    """The first writes to registers, and the result, are those of the library's arithmetic."""
    await start(dut)
    (case,) = vectors(f"{TABLES}/trace_random.json")
    writes = []

    async def watch():
        written = None
        while len(writes) < len(case["writes"]):
            await RisingEdge(dut.clk)
            if written is not None:
                files = (dut.core.registers_a, dut.core.registers_b)
                writes.append((written, [file.words[written].value for file in files]))
            written = dut.core.d.value.to_unsigned() if dut.core.write.value == 1 else None

    watcher = cocotb.start_soon(watch())
    operands = [int(case[name], 16) for name in ("scalar", "x", "y", "blind")]
    result, cycles = await multiply(dut, operands[0], operands[1:3], operands[3])
    watcher.cancel()
    check_cycles(dut, cycles)
    assert result == (int(case["result_x"], 16), int(case["result_y"], 16))
    for (d, values), (register, a, b) in zip(writes, case["writes"], strict=True):
        assert d == register
        assert [unpack(value.to_unsigned(), N, W) for value in values] == [residues(a), residues(b)], d


@cocotb.test()
async def reset_in_the_middle_of_an_operation(dut):
    harness = await start(dut)
    for cycles in (1, 30, 1000):
        dut.in_valid.value = 1
        await RisingEdge(dut.clk)
        dut.in_valid.value = 0
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await harness.reset()
    await check(dut, ORDER - 1)
