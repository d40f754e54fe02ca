"""Primes, against gmpy2's test of primality."""

import os
import signal
import threading
import time

import pytest
import sunzi
from sunzi import primes

gmpy2 = pytest.importorskip("gmpy2")


@pytest.mark.parametrize("bits", [128, 257, 512])
def test_kinds(bits: int) -> None:
    seen: list[tuple[int, int]] = []
    found = primes.random_primes(bits, 20, progress=lambda *done: seen.append(done))
    blum = primes.blum_primes(bits, 10, threads=1)
    safe = primes.safe_primes(bits, 2)
    assert (len(found), len(blum), len(safe)) == (20, 10, 2)
    assert len({*found, *blum, *safe}) == 32
    for prime in [*found, *blum, *safe]:
        # At least sqrt(2) 2^(bits - 1).
        assert prime.bit_length() == bits and (prime * prime).bit_length() == 2 * bits
        assert gmpy2.is_prime(prime, 40)
    assert all(prime % 4 == 3 for prime in blum)
    assert all(gmpy2.is_prime(prime // 2, 40) for prime in safe)
    assert seen and all(done <= total == 20 for done, total in seen)


def test_are_prime() -> None:
    strong = 3825123056546413051  # A strong pseudoprime to the first nine primes.
    carmichael = [561, 1105, 1729, 2465, 2821]
    large = primes.random_primes(256, 2)
    numbers = [0, 1, 2, 3, 4, strong, *carmichael, 2**127 - 1, 2**128 + 1, *large, large[0] * large[1]]
    assert primes.are_prime(numbers) == [bool(gmpy2.is_prime(n, 40)) for n in numbers]
    assert primes.are_prime(range(3000)) == [bool(gmpy2.is_prime(n)) for n in range(3000)]
    assert primes.are_prime([]) == []
    with pytest.raises(ValueError, match="negative"):
        primes.are_prime([-3])
    with pytest.raises(ValueError) as caught:
        primes.are_prime([7, 2**19937 - 1])
    assert caught.value.index == 1
    verdicts = primes.are_prime([7, 2**19937 - 1, 8], errors="return")
    assert verdicts[0] is True and isinstance(verdicts[1], ValueError) and verdicts[2] is False


def test_what_is_refused() -> None:
    for bits in (0, 127, 8193):
        with pytest.raises(ValueError, match="bits"):
            primes.random_primes(bits)
    with pytest.raises(ValueError, match="bits is -1: it must be at least 1"):
        primes.random_primes(-1)
    assert primes.random_primes(128, 0) == []


def test_keys_by_the_batch() -> None:
    keys = sunzi.generate_keys("RSA-2048", 3)
    assert len({key.to_der() for key in keys}) == 3
    signatures = sunzi.sign_many(keys, [b"m"] * 3)
    assert sunzi.verify_many([key.public_key() for key in keys], [b"m"] * 3, signatures) == [True] * 3
    assert [key.algorithm for key in sunzi.generate_keys("X25519", 2)] == ["X25519"] * 2
    for name in ("RSA-100", "P-192", "secp160r1", "unknown"):
        with pytest.raises(ValueError):
            sunzi.generate_keys(name, 1)


def test_a_search_stops() -> None:
    def enough(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        primes.safe_primes(2048, 10, progress=enough)
    # A process that was started in the background ignores interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            primes.safe_primes(3072, 100)
    finally:
        signal.signal(signal.SIGINT, before)
    print(f"stopped {time.monotonic() - start - 0.3:.2f} s after the interrupt")
