"""The curve processor against the PyPI package `ecdsa`, and in lock-step with the library's arithmetic."""

import random

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout
from cocotb.utils import get_sim_time
from ecdsa import BRAINPOOLP256r1, NIST256p, NIST384p, SECP256k1
from ecdsa.ellipticcurve import INFINITY, Point
from tb.common.harness import CONFIGURATION, OPERATIONS, PERIOD_NS, Harness, constants, record, residues, unpack, vectors

TABLES = CONFIGURATION["tables"]
PARAMETERS = constants()
N, W, SCALAR_BITS, REGISTER_BITS = (PARAMETERS[name] for name in ("N", "W", "SCALAR_BITS", "REGISTER_BITS"))
# Without the steps of the inversion: of an operation, of one that ends at infinity, and of one bit of the scalar.
CYCLES, INFINITY_CYCLES, TURN_CYCLES = (PARAMETERS[f"{name}CYCLES"] for name in ("", "INFINITY_", "TURN_"))
CURVES = {"p256": NIST256p, "secp256k1": SECP256k1, "brainpoolp256r1": BRAINPOOLP256r1, "p384": NIST384p}
CURVE = CURVES[CONFIGURATION["name"].split("_")[0]]
P, ORDER = CURVE.curve.p(), CURVE.order
# Cycles of a step of the inversion.
OUTER, INNER = 9, 7
RANDOM = random.Random(1)


async def start(dut):
    """Starts the clock and resets the core."""
    harness = Harness(dut, ["x", "y", "blind", "scalar"], ["result_x", "result_y"])
    dut.wipe.value = 0
    await harness.start()
    return harness


async def multiply(dut, scalar, point, blind, bits=SCALAR_BITS):
    """One multiplication: the coordinates, or None for infinity. Checks the number of cycles from the one that takes
    the operands, of which all but the inversion's steps are the same for every scalar.

    A scalar of fewer bits than the core's takes as many turns of the loop: the core is set to its last `bits` turns.
    """
    aligned = scalar << (SCALAR_BITS - bits)
    for name, value in (("x", point[0]), ("y", point[1]), ("blind", blind), ("scalar", aligned)):
        getattr(dut, name).value = value
    dut.in_valid.value = 1
    await RisingEdge(dut.clk)
    assert dut.in_ready.value == 1
    begin = get_sim_time("ns")
    dut.in_valid.value = 0
    for name in ("x", "y", "blind", "scalar"):
        getattr(dut, name).value = (1 << len(getattr(dut, name))) - 1
    if bits < SCALAR_BITS:
        dut.core.left.value = bits
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
    steps = OUTER * dut.core.outer_steps.value.to_unsigned() + INNER * dut.core.inner_steps.value.to_unsigned()
    whole = (INFINITY_CYCLES if result is None else CYCLES) - (SCALAR_BITS - bits) * TURN_CYCLES
    assert cycles == whole + steps, (hex(scalar), cycles, whole, steps)
    # Without the steps of the inversion, which depend on the blinding.
    record(cycles=CYCLES, moduli=N, turn=TURN_CYCLES, turn_slots=PARAMETERS["TURN_SLOTS"])
    return result, cycles


def coordinates(point):
    """The coordinates of a point of `ecdsa`, or None for infinity."""
    return None if point == INFINITY else (point.x(), point.y())


async def check(dut, scalar, point=None):
    """Multiplies; the result must be right. Returns the cycles."""
    point = CURVE.generator if point is None else point
    result, cycles = await multiply(dut, scalar, (point.x(), point.y()), RANDOM.randrange(1, P))
    assert result == coordinates(scalar * point), hex(scalar)
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
    """Scalars by which a sum meets its own operand, its negative or infinity, and those with regular bits."""
    await start(dut)
    ones = (1 << SCALAR_BITS) - 1
    scalars = [0, 1, 2, ORDER - 1, ORDER, ORDER + 1, ORDER // 2, ORDER // 2 + 1, 1 << (SCALAR_BITS - 1)]
    scalars += [ones, ones // 3, ones >> SCALAR_BITS // 2]
    for scalar in scalars:
        await check(dut, scalar)
    record(adversarial=len(scalars))


async def watch(dut, count, writes):
    """Appends the first `count` writes to registers: the register, and the residues in both bases."""
    written = None
    while len(writes) < count:
        await RisingEdge(dut.clk)
        if written is not None:
            values = [file.words[written].value for file in (dut.core.registers_a, dut.core.registers_b)]
            writes.append([written, *(unpack(value.to_unsigned(), N, W) for value in values)])
        written = dut.core.written.value.to_unsigned() if dut.core.write.value == 1 else None


async def traced(dut, case):
    """One multiplication; the traced writes to registers must be the library's, and the result that of both."""
    writes = []
    watcher = cocotb.start_soon(watch(dut, len(case["writes"]), writes))
    scalar, *operands = (int(case[name], 16) for name in ("scalar", "x", "y", "blind"))
    result, _ = await multiply(dut, scalar, operands[:2], operands[2], case["bits"])
    watcher.cancel()
    assert result == (case["result"] and tuple(int(x, 16) for x in case["result"]))
    assert result == coordinates(scalar * Point(CURVE.curve, *operands[:2])), hex(scalar)
    for index, (written, (d, a, b)) in enumerate(zip(writes, case["writes"], strict=True)):
        assert written == [d, residues(a), residues(b)], (case["scalar"], index)


@cocotb.test()
async def register_writes_in_lock_step(dut):
    """Writes to registers, and results, are those of the library's arithmetic: all of short multiplications by random
    and adversarial scalars and, in the full run, the first ones of a whole multiplication."""
    await start(dut)
    cases = vectors(f"{TABLES}/trace_random.json")
    for case in cases:
        await traced(dut, case)
    record(traced=len(cases), states=sum(len(case["writes"]) for case in cases))


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
    await traced(dut, vectors(f"{TABLES}/trace_random.json")[0])


@cocotb.test()
async def wiping_in_the_middle_of_an_operation(dut):
    """Every register is 0 after it, and the next operation is right; one by a short scalar, in lock-step."""
    await start(dut)
    case = vectors(f"{TABLES}/trace_random.json")[0]
    for cycles in (2, 2 * TURN_CYCLES):
        dut.in_valid.value = 1
        await RisingEdge(dut.clk)
        dut.in_valid.value = 0
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        dut.wipe.value = 1
        await RisingEdge(dut.clk)
        dut.wipe.value = 0
        await with_timeout(FallingEdge(dut.wiping), 100_000 * PERIOD_NS, "ns")
        await RisingEdge(dut.clk)
        for file in (dut.core.registers_a, dut.core.registers_b):
            assert all(file.words[register].value.to_unsigned() == 0 for register in range(1 << REGISTER_BITS))
        await traced(dut, case)
