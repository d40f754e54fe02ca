"""The Cox-Rower Montgomery multiplier against sunzi_field::montgomery."""

import cocotb
from cocotb.triggers import RisingEdge
from tb.common.harness import CONFIGURATION, OPERATIONS, Harness, constants, pack, record, residues, unpack, vectors

TABLES = CONFIGURATION["tables"]
PARAMETERS = constants()
N, W, SHARE, COLUMNS = (PARAMETERS[name] for name in ("N", "W", "SHARE", "COLUMNS"))
ROWERS, ENTRIES = N // SHARE, N // COLUMNS

# The formulas in the header of cox_rower.sv.
CYCLES = (
    2 * N * SHARE + SHARE + 24
    if COLUMNS == 1
    else 2 * N * SHARE // COLUMNS + (2 * COLUMNS - 3) * SHARE + 34
)


def operations(cases):
    """The operands of cases."""
    return [{name: pack(residues(case[name]), W) for name in ("x", "y")} for case in cases]


async def compare(dut, cases, **how):
    """Runs cases; results and cycles must be right."""
    harness = Harness(dut, ["x", "y"], ["s"])
    await harness.start()
    results, latencies, taken = await harness.run(operations(cases), **how)
    for case, (s,) in zip(cases, results, strict=True):
        assert unpack(s, 2 * N, W) == residues(case["s"]), case
    assert set(latencies) == {CYCLES}, (latencies, CYCLES)
    return taken


@cocotb.test()
async def adversarial_operands(dut):
    await compare(dut, vectors(f"{TABLES}/adversarial.json"))


@cocotb.test()
async def random_operands_back_to_back(dut):
    cases = vectors(f"{TABLES}/random.json")[:OPERATIONS]
    assert len(cases) == OPERATIONS
    taken = await compare(dut, cases)
    assert set(taken) == {CYCLES}
    record(cycles=CYCLES, operations=len(cases), moduli=N, rowers=ROWERS)


@cocotb.test()
async def every_state_in_lock_step(dut):
    """Products, digits, what is broadcast, ranks, and results, for traced operations."""
    for case in vectors(f"{TABLES}/adversarial.json")[-3:] + vectors(f"{TABLES}/random.json")[:2]:
        await trace(dut, case)


async def trace(dut, case):
    """Runs one operation and compares every state."""
    rowers = dut.core.rowers
    seen = {"digits": [], "entries": [[], []], "ranks": [0, 0], "slots": 0}
    before = {}

    def watch(_):
        if before.get("digit_4"):
            seen["digits"].append((before["member_4"], unpack(before["results"], ROWERS, W)))
        for i, phase in enumerate(("in_bus_1", "in_bus_2")):
            if getattr(rowers, phase).value == 1 and rowers.next_entry.value == 1:
                seen["entries"][i].append(rowers.bus.value.to_unsigned())
                seen["ranks"][i] += int(rowers.quotient.value)
        before["digit_4"] = rowers.digit_4.value.is_resolvable and int(rowers.digit_4.value)
        if before["digit_4"]:
            before["member_4"] = int(rowers.member_4.value)
            before["results"] = rowers.results.value.to_unsigned()
        seen["slots"] += int(rowers.write_0.value) + int(rowers.in_digits.value) + int(rowers.in_gather.value)
        # The products in both bases, when the reduction has used them and nothing has replaced them.
        if rowers.in_inverse.value == 1:
            seen["products"] = accumulators(dut)

    harness = Harness(dut, ["x", "y"], ["s"])
    await harness.start()
    results, latencies, _ = await harness.run(operations([case]), each=watch)
    assert latencies == [CYCLES]
    expected = [residues(case[name]) for name in ("digits_1", "digits_2")]
    assert len(seen["digits"]) == 2 * SHARE
    for k, (member, values) in enumerate(seen["digits"]):
        assert member == k % SHARE
        assert values == expected[k // SHARE][member::SHARE], ("digits", k)
    for i in range(2):
        assert seen["entries"][i] == residues(case[f"rows_{i + 1}"]), ("rows", i)
        assert seen["ranks"][i] == int(case["ranks"][i]), ("rank", i)
    assert seen["products"] == residues(case["products"])
    assert unpack(results[0][0], 2 * N, W) == residues(case["s"])
    # x y in both bases, digits, Z / A; the broadcasts; for HBE the gathering.
    slots = 2 * SHARE + 3 * SHARE + 2 * ENTRIES * SHARE + 2 * (COLUMNS - 1) * SHARE
    assert seen["slots"] == slots, (seen["slots"], slots)
    record(multiplier_operations=slots * ROWERS)


def accumulators(dut):
    """The accumulators, as residues in A and B."""
    words = unpack(dut.core.rowers.accumulators.value.to_unsigned(), 2 * N, W)
    return [words[r * 2 * SHARE + base + s] for base in (0, SHARE) for r in range(ROWERS) for s in range(SHARE)]


@cocotb.test()
async def a_consumer_that_stalls(dut):
    cases = vectors(f"{TABLES}/adversarial.json")[:6]
    taken = await compare(dut, cases, ready=lambda cycle: cycle % 100 == 99)
    assert max(taken) > CYCLES


@cocotb.test()
async def reset_in_the_middle_of_an_operation(dut):
    cases = vectors(f"{TABLES}/adversarial.json")[5:7]
    harness = Harness(dut, ["x", "y"], ["s"])
    await harness.start()
    first, second = operations(cases)
    for cycles in (1, 4, 7, 12, 13, CYCLES // 2, CYCLES - 6, CYCLES - 1, CYCLES, CYCLES + 1):
        harness.offer(first)
        await RisingEdge(dut.clk)
        harness.offer(None)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await harness.reset()
        results, latencies, _ = await harness.run([second])
        assert unpack(results[0][0], 2 * N, W) == residues(cases[1]["s"])
        assert latencies == [CYCLES]
