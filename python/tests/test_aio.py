"""The functions for asyncio."""

import asyncio
import inspect
import time
from typing import Any

import pytest
import sunzi
from sunzi import _gather, aio

MODULUS = 2**2203 - 1


def test_a_loop_is_not_blocked() -> None:
    """While a long batch is computed, the loop runs."""

    async def main() -> tuple[list[int], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        powers = await aio.powmod_list(range(2, 602), MODULUS - 2, MODULUS, threads=1)
        ticking.cancel()
        return powers, ticks

    start = time.monotonic()
    powers, ticks = asyncio.run(main())
    seconds = time.monotonic() - start
    assert powers[:3] == [pow(base, MODULUS - 2, MODULUS) for base in (2, 3, 4)]
    print(f"{ticks} ticks in {seconds:.2f} s")
    assert seconds > 0.1 and ticks > 20 * seconds


def test_one_at_a_time_gathers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several keys and functions; what is wrong harms no neighbour, and no batch is of one."""
    sizes: list[int] = []
    compute = _gather.compute

    def counted(batch: list[Any]) -> None:
        sizes.append(len(batch))
        time.sleep(0.02)
        compute(batch)

    monkeypatch.setattr(_gather, "compute", counted)
    rsa, curve = sunzi.generate_keys("RSA-2048", 1)[0], sunzi.generate_key("P-256")
    public = curve.public_key()

    async def main() -> None:
        signing = [aio.sign(curve, b"%d" % item) for item in range(50)]
        wrong = [
            aio.sign(curve, b"m", padding="pss"),
            aio.sign(rsa, b"m", hash="MD5"),
            aio.decrypt(rsa, b"short"),
            aio.sign(curve, "text"),  # type: ignore[arg-type]
            aio.sign(b"key", b"m"),  # type: ignore[arg-type]
            aio.verify(public, b"m", b"s", padding="pss"),
        ]
        answers = await asyncio.gather(*signing, *wrong, return_exceptions=True)
        signatures, refused = answers[:50], answers[50:]
        assert sunzi.verify_many(public, [b"%d" % item for item in range(50)], signatures) == [True] * 50
        assert [type(error) for error in refused] == [ValueError] * 3 + [TypeError] * 2 + [ValueError]
        assert "does not apply" in str(refused[0]) and "MD5" in str(refused[1])
        assert "bytes are needed, not str" in str(refused[3])
        verdicts = await asyncio.gather(*(aio.verify(public, b"1", one) for one in signatures))
        assert [place for place, valid in enumerate(verdicts) if valid] == [1]
        sealed = await aio.encrypt(rsa.public_key(), b"secret", label=b"l")
        assert await aio.decrypt(rsa, bytearray(sealed), label=b"l") == b"secret"
        peer = await aio.generate_key("P-256")
        assert await aio.agree(curve, peer.public_key()) == await aio.agree(peer, public)

    asyncio.run(main())
    assert max(sizes) > 20
    # A second loop, and after it a thread that waits.
    asyncio.run(main())
    assert _gather.gathered("verify", public, b"m", b"s") is False


def test_lists_of_all_kinds() -> None:
    async def main() -> None:
        told: list[tuple[int, int]] = []
        keys = await aio.generate_keys("Ed25519", 3)
        messages = [b"a", b"b", b"c"]
        signatures = await aio.sign_many(keys, messages, progress=lambda *done: told.append(done))
        await asyncio.sleep(0)
        assert told[-1] == (3, 3)
        public = [key.public_key() for key in keys]
        assert await aio.verify_many(public, messages, signatures) == [True] * 3
        assert await aio.powmod_base_list([2, 3], 5, MODULUS) == [32, 243]
        with pytest.raises(ValueError, match="threads is -1"):
            await aio.sign_many(keys, messages, threads=-1)

    asyncio.run(main())
    for name in aio.__all__:
        assert inspect.iscoroutinefunction(getattr(aio, name)), name
    assert "The signatures of the messages" in (aio.sign_many.__doc__ or "")
    assert "padding" in inspect.signature(aio.sign_many).parameters


def test_what_is_cancelled_ends() -> None:
    parts: list[int] = []

    async def main() -> None:
        exponent = 2**2000 - 1
        computing = asyncio.create_task(
            aio.powmod_list(
                range(100_000), exponent, MODULUS, threads=1, progress=lambda done, _: parts.append(done)
            )
        )
        while not parts:
            await asyncio.sleep(0.01)
        computing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await computing

    start = time.monotonic()
    asyncio.run(main())
    # The threads of the executor are waited for.
    aio._executor.cache_clear()
    assert time.monotonic() - start < 30


def test_a_program_ends_with_calls_that_nobody_waits_for() -> None:
    """Their thread has ended when Python does: it would use what is no longer there."""
    import subprocess
    import sys

    program = """
import sunzi
from sunzi import _gather
key = sunzi.generate_key("P-256")
futures = [_gather.submitted("sign", key, b"%d" % item) for item in range(2000)]
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
