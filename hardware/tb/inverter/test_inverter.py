"""The plus-minus inverter against sunzi_field::inversion."""

import cocotb
from cocotb.triggers import RisingEdge, with_timeout
from tb.common.harness import CONFIGURATION, OPERATIONS, PERIOD_NS, Harness, constants, record, residues, pack, unpack, vectors

TABLES = CONFIGURATION["tables"]
PARAMETERS = constants()
N, W, TERNARY = (PARAMETERS[name] for name in ("N", "W", "TERNARY"))
OUTER, INNER, REST, FAILED = 9, 7, 17, 12


async def start(dut):
    """A harness, after reset."""
    dut.invert.value = 0
    harness = Harness(dut, ["invert", "x", "y"], ["s"])
    await harness.start()
    return harness


async def invert(dut, operand):
    """One inversion; its results, and its cycles from the one that takes the operand."""
    dut.x.value = operand
    dut.invert.value = 1
    dut.in_valid.value = 1
    await RisingEdge(dut.clk)
    assert dut.in_ready.value == 1
    begin = cocotb.utils.get_sim_time("ns")
    dut.in_valid.value = 0
    dut.x.value = (1 << len(dut.x)) - 1
    dut.out_ready.value = 0
    await with_timeout(RisingEdge(dut.out_valid), 200_000 * PERIOD_NS, "ns")
    await RisingEdge(dut.clk)
    cycles = round((cocotb.utils.get_sim_time("ns") - begin) / PERIOD_NS)
    results = (
        # Those in base B are not defined.
        dut.s.value[N * W - 1 : 0].to_unsigned(),
        int(dut.failed.value),
        dut.outer_steps.value.to_unsigned(),
        dut.inner_steps.value.to_unsigned(),
    )
    dut.out_ready.value = 1
    await RisingEdge(dut.clk)
    dut.out_ready.value = 0
    return results, cycles


async def check(dut, case):
    """Inverts the operand of a case; everything must be as the library has it. Returns the cycles."""
    (s, failed, outer, inner), cycles = await invert(dut, pack(residues(case["x"]), W))
    if case["s"] is None:
        assert failed, case
        assert cycles == FAILED + OUTER * outer + INNER * inner
        return cycles
    assert not failed, case
    assert (outer, inner) == (case["outer"], case["inner"]), case
    assert unpack(s, N, W) == residues(case["s"]), case
    assert cycles == REST + OUTER * outer + INNER * inner
    return cycles


@cocotb.test()
async def adversarial_operands(dut):
    await start(dut)
    for case in vectors(f"{TABLES}/adversarial.json"):
        await check(dut, case)


@cocotb.test()
async def random_operands(dut):
    await start(dut)
    cases = vectors(f"{TABLES}/random.json")[:OPERATIONS]
    assert len(cases) == OPERATIONS
    cycles = [await check(dut, case) for case in cases]
    mean = sum(cycles) / len(cycles)
    # The mean is a figure of the full run only.
    means = {"cycles": round(mean)} if OPERATIONS >= 20 else {}
    record(**means, longest=max(cycles), shortest=min(cycles), operations=len(cases), moduli=N)


@cocotb.test(skip=CONFIGURATION["name"].startswith("composite"))
async def every_state_in_lock_step(dut):
    """V1 and V3 in affine form, and their residues modulo 4 and 3, after every step."""
    (case,) = vectors(f"{TABLES}/trace_random.json")
    await start(dut)
    control = dut.core.rowers.control
    states = []

    async def watch():
        """Notes V when its residues are there, the cycle after a step's last ones are written."""
        steps = -1
        while True:
            await RisingEdge(dut.clk)
            # A step begins: its predecessor's V3 is in its register, and V1's residues follow in a cycle.
            if control.deciding.value == 1:
                steps += 1
                hats = control.hats.value.to_unsigned()
                current = int(control.current.value)
                smalls = [small(control, 2 * current + 1)]
                numbers = [hats >> (number * N * W) & ((1 << (N * W)) - 1) for number in (2 * current + 1, 2 * current)]
                await RisingEdge(dut.clk)
                smalls.append(small(control, 2 * current))
                states.append((smalls, [unpack(number, N, W) for number in numbers]))

    watcher = cocotb.start_soon(watch())
    await check(dut, case)
    watcher.cancel()
    # The first state is that at the start.
    assert len(states) == len(case["steps"]) + 1
    for (smalls, numbers), (kind, small3, small1, v3, v1) in zip(states[1:], case["steps"], strict=True):
        assert numbers == [residues(v3), residues(v1)], kind
        assert smalls == [expected(small3), expected(small1)], (kind, smalls)


def small(control, number):
    """The residues modulo 4 and 3 of a number."""
    tags = [control.tags_4.value.to_unsigned(), control.tags_3.value.to_unsigned()]
    return [tag >> (2 * number) & 3 for tag in tags]


def expected(small_12):
    """The same, from the residue modulo 12."""
    return [small_12 % 4, small_12 % 3 if TERNARY else 0]


@cocotb.test(skip=CONFIGURATION["name"].startswith("composite"))
async def products_and_inversions_in_turn(dut):
    harness = await start(dut)
    (case,) = vectors(f"{TABLES}/trace_random.json")
    product = case["product"]
    operands = {"invert": 0, "x": pack(residues(product["x"]), W), "y": pack(residues(product["y"]), W)}
    for _ in range(2):
        await check(dut, case)
        results, latencies, _ = await harness.run([operands])
        assert unpack(results[0][0], 2 * N, W) == residues(product["s"])
        assert latencies == [2 * N + 25]
        harness.offer(None)


@cocotb.test()
async def reset_in_the_middle_of_an_operation(dut):
    harness = await start(dut)
    cases = [case for case in vectors(f"{TABLES}/adversarial.json") if case["s"]]
    for cycles in (1, 5, 10, 17, 26, 30, 33):
        dut.x.value = pack(residues(cases[-1]["x"]), W)
        dut.invert.value = 1
        dut.in_valid.value = 1
        await RisingEdge(dut.clk)
        dut.in_valid.value = 0
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await harness.reset()
        await check(dut, cases[2])
