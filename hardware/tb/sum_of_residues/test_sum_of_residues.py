"""The sum-of-residues cores against sunzi_field::sum_of_residues."""

import cocotb
from cocotb.triggers import RisingEdge
from tb.common.harness import CONFIGURATION, OPERATIONS, Harness, pack, record, residues, unpack, vectors

CHANNELS, WIDTH = 8, 66
EXACT = CONFIGURATION["EXACT"]
EXPECTED = "exact" if EXACT else "published"

# (cycles, cycles with EXACT = 1)
CYCLES = {"sor_1m_n": (31, 37), "sor_1m_p": (24, 29), "sor_2m": (18, 22)}[CONFIGURATION["core"]][EXACT]


def operations(cases):
    """The operands of cases."""
    return [{name: pack(residues(case[name]), WIDTH) for name in ("x", "y")} for case in cases]


async def compare(dut, cases, **how):
    """Runs cases; results and cycles must be right."""
    harness = Harness(dut, ["x", "y"], ["z"])
    await harness.start()
    results, latencies, taken = await harness.run(operations(cases), **how)
    for case, (z,) in zip(cases, results, strict=True):
        assert unpack(z, CHANNELS, WIDTH) == residues(case[EXPECTED]), case
    assert set(latencies) == {CYCLES}, latencies
    return taken


@cocotb.test()
async def adversarial_operands(dut):
    await compare(dut, vectors(f"{CONFIGURATION['tables']}/adversarial.json"))


@cocotb.test()
async def random_operands_back_to_back(dut):
    cases = vectors(f"{CONFIGURATION['tables']}/random.json")[:OPERATIONS]
    assert len(cases) == OPERATIONS
    taken = await compare(dut, cases)
    assert set(taken) == {CYCLES}
    record(cycles=CYCLES, operations=len(cases))


@cocotb.test()
async def a_consumer_that_stalls(dut):
    cases = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[:12]
    taken = await compare(dut, cases, ready=lambda cycle: cycle % 50 == 49)
    assert max(taken) > CYCLES


@cocotb.test()
async def reset_in_the_middle_of_an_operation(dut):
    cases = vectors(f"{CONFIGURATION['tables']}/adversarial.json")[:2]
    harness = Harness(dut, ["x", "y"], ["z"])
    await harness.start()
    first, second = operations(cases)
    for cycles in range(1, CYCLES + 2):
        harness.offer(first)
        await RisingEdge(dut.clk)
        harness.offer(None)
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await harness.reset()
        results, latencies, _ = await harness.run([second])
        assert unpack(results[0][0], CHANNELS, WIDTH) == residues(cases[1][EXPECTED])
        assert latencies == [CYCLES]
