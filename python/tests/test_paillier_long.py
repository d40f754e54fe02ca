"""Paillier's cryptosystem on 10,000 numbers, random ones and edge cases, against phe and Python's own `pow`. Takes
minutes: `make python-long`."""

import random
from collections.abc import Callable

import pytest
from sunzi import paillier

phe = pytest.importorskip("phe")

RANDOM = random.Random(20261127)
CASES = 10_000
EXPONENTS = [0, 1, 2, 3, 16, 2**64 - 1, 2**64, 2**64 + 1]

pytestmark = pytest.mark.slow


def plaintexts(n: int) -> list[int]:
    """Numbers below n: around its ends, around what counts as negative, and around powers of two."""
    third = n // 3
    middles = [0, third, n - third, n // 2, *(2**k for k in range(0, n.bit_length(), 32))]
    edges = {(middle + d) % n for middle in middles for d in (-2, -1, 0, 1, 2)}
    return [*sorted(edges), *(RANDOM.randrange(n) for _ in range(CASES - len(edges)))]


def decryption_by_pow(p: int, q: int) -> Callable[[int], int]:
    """By the definition, modulo both primes."""
    n = p * q

    def part(number: int, prime: int) -> int:
        return (pow(number, prime - 1, prime * prime) - 1) // prime

    inverse_p, inverse_q = pow(part(n + 1, p), -1, p), pow(part(n + 1, q), -1, q)
    q_inverse = pow(q, -1, p)

    def decrypt(ciphertext: int) -> int:
        mp = part(ciphertext, p) * inverse_p % p
        mq = part(ciphertext, q) * inverse_q % q
        return mq + q * ((mp - mq) * q_inverse % p)

    return decrypt


def test_ten_thousand_numbers() -> None:
    private = paillier.generate_key(2048)
    key, own, (p, q) = private._key, private.public_key._key, private._key.primes
    n, square = own.n, own.n**2
    public = phe.PaillierPublicKey(n)
    secret = phe.PaillierPrivateKey(public, p, q)
    numbers = plaintexts(n)
    assert len(numbers) == CASES

    # What is encrypted here is decrypted by phe and by pow.
    ciphertexts = own.encrypt(numbers[::2]) + own.encrypt(numbers[1::2], full=True)
    numbers = numbers[::2] + numbers[1::2]
    assert len(set(ciphertexts)) == CASES
    assert [secret.raw_decrypt(c) for c in ciphertexts] == numbers
    assert list(map(decryption_by_pow(p, q), ciphertexts)) == numbers
    # What phe encrypts is decrypted here.
    from_phe = [int(public.raw_encrypt(m, RANDOM.randrange(1, n))) for m in numbers]
    assert key.decrypt(from_phe) == key.decrypt(ciphertexts) == numbers

    # Sums and products are those of the definition.
    shifted = numbers[1:] + numbers[:1]
    assert own.add(ciphertexts, from_phe) == [a * b % square for a, b in zip(ciphertexts, from_phe)]
    assert own.add_plain(ciphertexts, shifted) == [
        c * (1 + n * m) % square for c, m in zip(ciphertexts, shifted)
    ]
    factors = [*EXPONENTS, *(RANDOM.getrandbits(64) for _ in range(CASES - len(EXPONENTS)))]
    expected = [pow(c, k, square) for c, k in zip(ciphertexts, factors)]
    assert own.multiply(ciphertexts, factors, secret=False) == expected
    assert key.decrypt(expected) == [m * k % n for m, k in zip(numbers, factors)]
    assert own.negate(ciphertexts) == [pow(c, -1, square) for c in ciphertexts]
    total = own.sum(ciphertexts)
    assert key.decrypt([total]) == [sum(numbers) % n]
    randomized = own.randomize(ciphertexts)
    assert not set(randomized) & set(ciphertexts) and key.decrypt(randomized) == numbers
