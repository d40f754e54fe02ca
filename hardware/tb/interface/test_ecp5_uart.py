"""The example for a board: messages over the UART, and a multiple of the generator of secp256k1."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout
from ecdsa import SECP256k1
from tb.common.harness import CONFIGURATION, OPERATIONS, PERIOD_NS, record
from tb.interface.registers import COMMAND, IDENTITY, NO_COMMAND, READY, REFUSED, START, Registers

BIT = CONFIGURATION["CLOCKS_PER_BIT"]
RANDOM = random.Random(2)


class Uart:
    """The other side of the line."""

    def __init__(self, dut):
        self.dut = dut

    async def send(self, data):
        """Sends bytes."""
        for byte in data:
            for bit in (0, *(byte >> k & 1 for k in range(8)), 1):
                self.dut.receive.value = bit
                await ClockCycles(self.dut.clk, BIT)

    async def receive(self, count):
        """Receives bytes."""
        data = []
        for _ in range(count):
            if self.dut.transmit.value == 1:
                await with_timeout(FallingEdge(self.dut.transmit), 1000 * BIT * PERIOD_NS, "ns")
            await ClockCycles(self.dut.clk, BIT + BIT // 2)
            byte = 0
            for k in range(8):
                byte |= int(self.dut.transmit.value) << k
                await ClockCycles(self.dut.clk, BIT)
            assert self.dut.transmit.value == 1
            data.append(byte)
        return bytes(data)

    async def write(self, address, word):
        """Whether the write was answered with an error."""
        await self.send(b"W" + address.to_bytes(2, "little") + word.to_bytes(4, "little"))
        (status,) = await self.receive(1)
        assert status in (0, 1)
        return status == 1

    async def read(self, address):
        """The word, and whether there was an error."""
        await self.send(b"R" + address.to_bytes(2, "little"))
        status, *word = await self.receive(5)
        assert status in (0, 1)
        return int.from_bytes(word, "little"), status == 1


async def begin(dut):
    """The other side, when the design has reset itself."""
    dut.receive.value = 1
    cocotb.start_soon(Clock(dut.clk, PERIOD_NS, "ns").start())
    await ClockCycles(dut.clk, 20)
    return Uart(dut)


@cocotb.test()
async def messages_and_refusals(dut):
    uart = await begin(dut)
    registers = Registers(uart.read, uart.write)
    assert await uart.read(IDENTITY) == (0x53554E31, False)
    assert await registers.state() == (READY, 0)
    # A byte that begins no message is answered, and the next one begins anew.
    for byte in (0x00, 0xFF, 0x58):
        await uart.send([byte])
        assert await uart.receive(1) == b"\x02"
    assert await uart.write(COMMAND, 9)
    assert await registers.state() == (READY | REFUSED, NO_COMMAND)
    assert (await uart.read(COMMAND))[1]


@cocotb.test(skip=OPERATIONS < 1)
async def a_multiple_of_the_generator(dut):
    uart = await begin(dut)
    registers = Registers(uart.read, uart.write)
    generator = SECP256k1.generator
    scalar = RANDOM.randrange(SECP256k1.order)
    await registers.enter(generator.x(), generator.y(), RANDOM.randrange(1, 1 << 255), scalar)
    assert not await uart.write(COMMAND, START)
    await with_timeout(RisingEdge(dut.led), 400_000 * PERIOD_NS, "ns")
    expected = scalar * generator
    assert await registers.result(lambda: RisingEdge(dut.clk)) == (expected.x(), expected.y())
    record(operations=1)
