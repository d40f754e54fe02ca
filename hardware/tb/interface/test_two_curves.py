"""Two curves in one simulation: secp256k1 and P-256 on one chip, both at work at the same time."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from ecdsa import NIST256p, SECP256k1
from tb.common.harness import OPERATIONS, PERIOD_NS, record
from tb.interface.registers import BUSY, COMMAND, IDENTITY, READY, START, Registers

RANDOM = random.Random(3)
CURVES = (SECP256k1, NIST256p)


async def begin(dut):
    """The registers of both processors."""
    for name in ("request", "second", "write", "address", "write_data"):
        getattr(dut, name).value = 0
    cocotb.start_soon(Clock(dut.clk, PERIOD_NS, "ns").start())
    dut.reset.value = 1
    await ClockCycles(dut.clk, 2)
    dut.reset.value = 0

    def registers(second):
        async def transfer(write, address, data):
            dut.request.value, dut.second.value, dut.write.value = 1, second, write
            dut.address.value, dut.write_data.value = address, data
            await RisingEdge(dut.clk)
            dut.request.value = 0
            await RisingEdge(dut.clk)
            assert dut.acknowledge.value == 1
            return dut.read_data.value.to_unsigned(), dut.error.value == 1

        async def read(address):
            return await transfer(0, address, 0)

        async def write(address, word):
            return (await transfer(1, address, word))[1]

        return Registers(read, write)

    return registers(0), registers(1)


@cocotb.test()
async def each_has_its_own_registers(dut):
    first, second = await begin(dut)
    generators = [curve.generator for curve in CURVES]
    for registers in (first, second):
        assert await registers.read(IDENTITY) == (0x53554E31, False)
    await first.enter(generators[0].x(), generators[0].y(), 1, 1)
    assert not await first.write(COMMAND, START)
    assert (await first.state())[0] == BUSY
    assert (await second.state())[0] == READY


@cocotb.test(skip=OPERATIONS < 1)
async def two_curves_in_one_simulation(dut):
    both = await begin(dut)
    expected = []
    for registers, curve in zip(both, CURVES, strict=True):
        scalar = RANDOM.randrange(curve.order)
        point = curve.generator
        await registers.enter(point.x(), point.y(), RANDOM.randrange(1, 1 << 255), scalar)
        assert not await registers.write(COMMAND, START)
        expected.append(scalar * point)
    assert [(await registers.state())[0] for registers in both] == [BUSY, BUSY]
    for registers, point in zip(both, expected, strict=True):
        assert await registers.result(lambda: ClockCycles(dut.clk, 100)) == (point.x(), point.y())
    record(operations=2)
