"""The modular multiplier of the processing elements against sunzi_papers::cube_rsa."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from tb.common.harness import CONFIGURATION, PERIOD_NS, record, vectors

WIDTH, WORD = CONFIGURATION["WIDTH"], CONFIGURATION["WORD"]
CYCLES = 3 * WIDTH // WORD + 1


@cocotb.test()
async def every_product(dut):
    cocotb.start_soon(Clock(dut.clk, PERIOD_NS, "ns").start())
    dut.reset.value = 1
    dut.start.value = 0
    await RisingEdge(dut.clk)
    dut.reset.value = 0
    cases = vectors(f"{CONFIGURATION['tables']}/multiplier.json")
    for case in cases:
        dut.a.value = int(case["a"], 16)
        dut.b.value = int(case["b"], 16)
        dut.modulus.value = int(case["modulus"], 16)
        dut.negated_inverse.value = int(case["negated_inverse"], 16) % (1 << WORD)
        dut.start.value = 1
        await RisingEdge(dut.clk)
        dut.start.value = 0
        cycles = 0
        while True:
            await RisingEdge(dut.clk)
            cycles += 1
            if dut.done.value == 1:
                break
        assert dut.product.value.to_unsigned() == int(case["product"], 16), case
        assert cycles == CYCLES
    record(cycles=CYCLES, operations=len(cases))


@cocotb.test()
async def a_new_start_replaces_an_operation(dut):
    cocotb.start_soon(Clock(dut.clk, PERIOD_NS, "ns").start())
    first, second = vectors(f"{CONFIGURATION['tables']}/multiplier.json")[-2:]
    dut.reset.value = 1
    await RisingEdge(dut.clk)
    dut.reset.value = 0
    for case, wait in ((first, CYCLES // 2), (second, CYCLES + 1)):
        dut.a.value = int(case["a"], 16)
        dut.b.value = int(case["b"], 16)
        dut.modulus.value = int(case["modulus"], 16)
        dut.negated_inverse.value = int(case["negated_inverse"], 16) % (1 << WORD)
        dut.start.value = 1
        await RisingEdge(dut.clk)
        dut.start.value = 0
        for _ in range(wait):
            await RisingEdge(dut.clk)
    assert dut.product.value.to_unsigned() == int(second["product"], 16)
