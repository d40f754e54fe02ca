"""The curve processor behind AXI4-Lite: refusals, wiping, and a multiplication."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from ecdsa import SECP256k1
from tb.common.harness import OPERATIONS, PERIOD_NS, record
from tb.interface.registers import (
    BUSY,
    COMMAND,
    DONE,
    IDENTITY,
    IS_BUSY,
    NO_COMMAND,
    NO_REGISTER,
    NO_RESULT,
    OPERANDS,
    OPERANDS_REFUSED,
    READY,
    REFUSED,
    RELEASE,
    RESULT_THERE,
    RESULTS,
    SIZES,
    START,
    STATUS,
    WIPE,
    Registers,
)

RANDOM = random.Random(1)
OKAY, SLVERR = 0, 2
# Cycles within which wiping ends.
WIPED = 3000


class Axi:
    """A manager: one transfer at a time."""

    def __init__(self, dut):
        self.dut = dut

    async def start(self):
        """Clock and reset."""
        dut = self.dut
        for name in ("awvalid", "awaddr", "wvalid", "wdata", "wstrb", "bready", "arvalid", "araddr", "rready"):
            getattr(dut, name).value = 0
        cocotb.start_soon(Clock(dut.aclk, PERIOD_NS, "ns").start())
        dut.aresetn.value = 0
        await ClockCycles(dut.aclk, 2)
        dut.aresetn.value = 1
        await RisingEdge(dut.aclk)

    async def until(self, signal):
        """Waits for a rising edge at which a signal is 1."""
        for _ in range(20):
            await RisingEdge(self.dut.aclk)
            if signal.value == 1:
                return
        raise AssertionError(f"{signal._name} does not come")

    async def write(self, address, data, strobes=15):
        """Whether the write was answered with an error."""
        dut = self.dut
        dut.awaddr.value, dut.wdata.value, dut.wstrb.value = address, data, strobes
        # The address first: nothing happens before the data are there.
        dut.awvalid.value = 1
        await RisingEdge(dut.aclk)
        assert dut.awready.value == 0
        dut.wvalid.value = 1
        await self.until(dut.awready)
        assert dut.wready.value == 1
        dut.awvalid.value = dut.wvalid.value = 0
        await self.until(dut.bvalid)
        # The answer stays.
        await RisingEdge(dut.aclk)
        assert dut.bvalid.value == 1
        response = dut.bresp.value.to_unsigned()
        dut.bready.value = 1
        await RisingEdge(dut.aclk)
        dut.bready.value = 0
        assert response in (OKAY, SLVERR)
        return response == SLVERR

    async def read(self, address):
        """The word, and whether the read was answered with an error."""
        dut = self.dut
        dut.araddr.value = address
        dut.arvalid.value = 1
        await self.until(dut.arready)
        dut.arvalid.value = 0
        dut.rready.value = 1
        await self.until(dut.rvalid)
        dut.rready.value = 0
        response = dut.rresp.value.to_unsigned()
        assert response in (OKAY, SLVERR)
        return dut.rdata.value.to_unsigned(), response == SLVERR


async def begin(dut):
    """The registers, after reset."""
    axi = Axi(dut)
    await axi.start()
    return axi, Registers(axi.read, axi.write)


@cocotb.test()
async def what_is_out_of_order_is_refused(dut):
    """Every refusal is an error on the bus, has its reason in the status, and changes nothing."""
    axi, registers = await begin(dut)
    assert await axi.read(IDENTITY) == (0x53554E31, False)
    assert await axi.read(SIZES) == (32 | 17 << 16, False)
    assert await registers.state() == (READY, 0)

    async def refused(transfer, reason, state=READY):
        answer = await transfer
        assert answer is True or answer == (0, True), answer
        assert await registers.state() == (state | REFUSED, reason)

    for command in (0, 4, 0x101, 0xFFFFFFFF):
        await refused(axi.write(COMMAND, command), NO_COMMAND)
    for address in (IDENTITY, STATUS, SIZES, 0x010, OPERANDS + 4 * 32, RESULTS, 0xC00, COMMAND + 1, OPERANDS + 2):
        await refused(axi.write(address, 1), NO_REGISTER)
    for address in (COMMAND, OPERANDS, 0x010, RESULTS + 4 * 17, 0xFFC, STATUS + 2):
        await refused(axi.read(address), NO_REGISTER)
    await refused(axi.read(RESULTS), NO_RESULT)
    await refused(axi.write(COMMAND, RELEASE), NO_RESULT)
    # The blind is 0.
    await refused(axi.write(COMMAND, START), OPERANDS_REFUSED)
    # A part of a word is refused by the bus alone, and is no command.
    for strobes in (0, 1, 14):
        assert await axi.write(COMMAND, START, strobes)

    generator = SECP256k1.generator
    await registers.enter(generator.x(), generator.y(), 5, 7)
    assert await registers.state() == (READY, 0)
    assert not await axi.write(COMMAND, START)
    await refused(axi.write(COMMAND, START), IS_BUSY, BUSY)
    await refused(axi.write(OPERANDS, 1), IS_BUSY, BUSY)
    await refused(axi.read(RESULTS), NO_RESULT, BUSY)


@cocotb.test()
async def wiping_ends_the_operation_and_clears_registers(dut):
    axi, registers = await begin(dut)
    generator = SECP256k1.generator
    for run in (40, 500, 1100) if OPERATIONS else (1100,):
        await registers.enter(generator.x(), generator.y(), (1 << 256) - 1, (1 << 256) - 1)
        assert not await axi.write(COMMAND, START)
        await ClockCycles(dut.aclk, run)
        assert not await axi.write(COMMAND, WIPE)
        assert await registers.state() == (BUSY, 0)
        for _ in range(WIPED):
            await RisingEdge(dut.aclk)
            if dut.curve.wiping.value == 0:
                break
        assert await registers.state() == (READY, 0)
        check_wiped(dut.curve)


def check_wiped(curve):
    """No register of the processor holds anything of an operation."""
    core = curve.unit.secp256k1.core.core
    # A processor with one bank of running sums.
    rowers = core.alone.rowers
    assert curve.operands.value.to_unsigned() == 0
    for name in ("x_q", "y_q", "blind_q", "bits", "output_q", "result_x", "result_y"):
        assert getattr(core, name).value.to_unsigned() == 0, name
    for index in range(32):
        for registers in (core.registers_a, core.registers_b):
            assert registers.words[index].value.to_unsigned() == 0, index
    assert rowers.rowers.digits.value.to_unsigned() == 0
    # What the inversion of 0 leaves: U1 = V3 = 0, U3 = P, and V1.
    control = rowers.control
    assert control.failed.value == 1
    assert core.converter.ring.value.to_unsigned() == 0
    assert core.converter.x_0.value.to_unsigned() == 0


@cocotb.test(skip=OPERATIONS < 1)
async def a_multiple_of_the_generator(dut):
    axi, registers = await begin(dut)
    generator = SECP256k1.generator
    scalar = RANDOM.randrange(SECP256k1.order)
    await registers.enter(generator.x(), generator.y(), RANDOM.randrange(1, 1 << 255), scalar)
    assert not await axi.write(COMMAND, START)
    await with_timeout(RisingEdge(dut.done), 400_000 * PERIOD_NS, "ns")
    assert await registers.state() == (DONE, 0)
    assert await axi.write(COMMAND, START)
    assert await registers.state() == (DONE | REFUSED, RESULT_THERE)
    expected = scalar * generator
    assert await registers.result(lambda: RisingEdge(dut.aclk)) == (expected.x(), expected.y())
    assert await registers.state() == (READY, 0)
    record(operations=1)
