"""The cubes against sunzi_papers::cube_rsa::hypercube."""

import cocotb
from cocotb.triggers import RisingEdge
from tb.common.harness import CONFIGURATION, OPERATIONS, Harness, record, unpack, vectors

WIDTH, ELEMENTS = 256, 12
Q_BITS, R_BITS = 251, 6
RADIX = 1 << WIDTH

# Cycles from the start of one product to that of the next.
MULMOD = 3 * WIDTH // CONFIGURATION["WORD"] + 2

# Products of the coordinator for each power, and those on the longest path through the cubes.
COORDINATOR = (Q_BITS - 1) + (Q_BITS - 1) + (R_BITS - 1)
PATH = 9

# The coordinator takes one product more, for the conversion, a cycle to accept the base, and one for
# digit 0. Each of the six elements on the longest path takes a cycle for its inputs.
CYCLES = (1 + COORDINATOR + PATH) * MULMOD + 2 + 6

# The coordinator is free again after the cycle in which it sends.
INTERVAL = (1 + COORDINATOR) * MULMOD + 3

# Elements whose values are in plain form: they descend from B.
PLAIN = {2, 6, 7}


async def load(dut, case):
    """Sets the key."""
    for name in ("modulus", "one", "square"):
        getattr(dut, name).value = int(case[name], 16)
    dut.negated_inverse.value = int(case["negated_inverse"], 16)
    dut.q.value = int(case["q"], 2)
    dut.r.value = int(case["r"], 2)


def counters(dut):
    """Products of each element since reset, the coordinator's first."""
    return unpack(dut.mulmods.value.to_unsigned(), ELEMENTS + 1, 32)


def lock_step(dut, case):
    """A function for each edge that compares what elements send with the values of the library."""
    modulus = int(case["modulus"], 16)
    numbers = unpack(dut.NUMBERS.value.to_unsigned(), ELEMENTS, 4)
    sent = [int(value, 16) for value in case["sent"]]
    seen = []

    def compare(_):
        sending = int(dut.offered.value) & int(dut.takeable.value)
        for element in range(ELEMENTS):
            if sending >> element & 1:
                value = dut.element[element].processor.out_value.value.to_unsigned()
                plain = numbers[element] in PLAIN
                expected = sent[element] if plain else sent[element] * RADIX % modulus
                assert value == expected, (element, numbers[element])
                seen.append(element)

    return compare, seen


async def power(dut, harness, case):
    """One power, in lock-step; its cycles."""
    await load(dut, case)
    before = counters(dut)
    compare, seen = lock_step(dut, case)
    ((result,),), (cycles,), _ = await harness.run([{"base": int(case["base"], 16)}], each=compare)
    assert result == int(case["result"], 16), case
    exponent = dut.SPLIT.value.to_unsigned() * int(case["q"], 2) + int(case["r"], 2)
    assert result == pow(int(case["base"], 16), exponent, int(case["modulus"], 16))
    await RisingEdge(dut.clk)
    assert [after - b for after, b in zip(counters(dut), before, strict=True)] == case["mulmods"]
    assert sorted(seen) == list(range(ELEMENTS))
    return cycles


@cocotb.test()
async def powers_in_lock_step(dut):
    cases = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[: OPERATIONS // 100 + 1]
    cases += vectors(f"{CONFIGURATION['tables']}/random.json")[: OPERATIONS // 100]
    harness = Harness(dut, ["base"], ["result"])
    await harness.start()
    assert cases[0]["mulmods"][0] == COORDINATOR
    for case in cases:
        assert await power(dut, harness, case) == CYCLES
    record(cycles=CYCLES, operations=len(cases), mulmods=cases[0]["mulmods"])


@cocotb.test()
async def a_stream_to_a_consumer_that_stalls(dut):
    """Three powers with one key; the second is held back until the third has long been computed."""
    case = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[0]
    modulus, base = int(case["modulus"], 16), int(case["base"], 16)
    harness = Harness(dut, ["base"], ["result"])
    await harness.start()
    await load(dut, case)
    bases = [base, modulus - base, base]
    stalled = range(CYCLES + 1, CYCLES + 2 * INTERVAL)
    results, latencies, taken = await harness.run(
        [{"base": base} for base in bases], ready=lambda cycle: cycle not in stalled
    )
    # The exponent is even or odd as its lowest digit, and (-m)^e = m^e or -m^e.
    power = int(case["result"], 16)
    odd = int(case["r"], 2) & 1
    assert [result for (result,) in results] == [power, modulus - power if odd else power, power]
    assert latencies[:2] == [CYCLES, CYCLES]
    assert taken[0] == CYCLES and taken[1] > CYCLES
    assert [b - a for a, b in zip(harness.starts, harness.starts[1:])] == [INTERVAL, INTERVAL]
    await RisingEdge(dut.clk)
    assert counters(dut) == [3 * count for count in case["mulmods"]]
    record(interval=INTERVAL)


@cocotb.test()
async def reset_in_the_middle_of_an_operation(dut):
    first, second = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[:2]
    harness = Harness(dut, ["base"], ["result"])
    await harness.start()
    await load(dut, first)
    # While the coordinator works, and while the cubes do.
    for cycles in (1000, CYCLES - 3 * MULMOD):
        harness.offer({"base": int(first["base"], 16)})
        await RisingEdge(dut.clk)
        harness.offer(None)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await harness.reset()
    assert await power(dut, harness, second) == CYCLES


@cocotb.test()
async def a_base_that_is_not_below_the_modulus_is_refused(dut):
    case = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[0]
    modulus = int(case["modulus"], 16)
    harness = Harness(dut, ["base"], ["result"])
    await harness.start()
    await load(dut, case)
    for base in (modulus, RADIX - 1):
        harness.offer({"base": base})
        await RisingEdge(dut.clk)
        harness.offer(None)
        await RisingEdge(dut.clk)
        assert dut.refused.value == 1
        await RisingEdge(dut.clk)
        assert dut.refused.value == 0
        assert dut.in_ready.value == 1
