"""The addresses, commands and reasons of register_interface.sv, and a driver of a curve processor behind it."""

from tb.common.harness import pack, unpack

IDENTITY, STATUS, COMMAND, SIZES, OPERANDS, RESULTS = 0x000, 0x004, 0x008, 0x00C, 0x400, 0x800
START, RELEASE, WIPE = 1, 2, 3
READY, BUSY, DONE, REFUSED = 1, 2, 4, 8
NO_COMMAND, NO_REGISTER, IS_BUSY, RESULT_THERE, NO_RESULT, OPERANDS_REFUSED = range(1, 7)


class Registers:
    """A curve processor of `bits` bits behind registers; `read` and `write` return whether there was an error."""

    def __init__(self, read, write, bits=256):
        self.read = read
        self.write = write
        self.words = bits // 32

    async def state(self):
        """The status's low bits, and the reason."""
        status, error = await self.read(STATUS)
        assert not error
        return status & 15, status >> 4

    async def enter(self, x, y, blind, scalar):
        """Writes the operands."""
        for block, value in enumerate((x, y, blind, scalar)):
            for index, word in enumerate(unpack(value, self.words, 32)):
                assert not await self.write(OPERANDS + 4 * (block * self.words + index), word)

    async def result(self, wait):
        """The coordinates of the result, which is released; `wait` is awaited between looks at the status."""
        while not (await self.state())[0] & DONE:
            await wait()
        words = [await self.read(RESULTS + 4 * index) for index in range(2 * self.words + 1)]
        assert not any(error for _, error in words)
        assert not await self.write(COMMAND, RELEASE)
        values = [word for word, _ in words]
        assert values[-1] == 0, "the point at infinity"
        return pack(values[: self.words], 32), pack(values[self.words : -1], 32)
