"""Random primes, and tests of primality, by the batch.

>>> from sunzi import primes
>>> p, q = primes.safe_primes(256, 2)
>>> primes.are_prime([p, (p - 1) // 2, p * q])
[True, True, False]

Every prime is uniform among those of its kind from sqrt(2) 2^(bits - 1) to 2^bits, so that the product of two
has exactly twice as many bits. It is composite with a probability below 2^-128. Candidates are treated as
secrets and wiped; Python's integers, which the results are, are not.

`progress` is called with the number of primes found so far, and of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, SupportsIndex

from . import _sunzi
from ._engine import default_engine
from ._sunzi import Engine

__all__ = ["are_prime", "blum_primes", "random_primes", "safe_primes"]

Progress = Callable[[int, int], object]


def random_primes(
    bits: int,
    count: int = 1,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[int]:
    """`count` random primes of `bits` bits, 128 to 8,192, independent of each other.

    Raises ValueError for another size.
    """
    return _random_primes("any", bits, count, engine, threads, progress)


def blum_primes(
    bits: int,
    count: int = 1,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[int]:
    """`random_primes` that are 3 modulo 4: the product of two is a Blum integer."""
    return _random_primes("blum", bits, count, engine, threads, progress)


def safe_primes(
    bits: int,
    count: int = 1,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[int]:
    """`random_primes` p for which (p - 1)/2 is prime, too."""
    return _random_primes("safe", bits, count, engine, threads, progress)


def _random_primes(
    kind: Literal["any", "blum", "safe"],
    bits: int,
    count: int,
    engine: Engine | None,
    threads: int | None,
    progress: Progress | None,
) -> list[int]:
    return _sunzi.random_primes(
        engine or default_engine(), kind, bits, count, threads=threads, progress=progress
    )


def are_prime(
    numbers: Iterable[SupportsIndex],
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Literal["raise", "return"] = "raise",
    progress: Progress | None = None,
) -> list[Any]:
    """Whether each number is prime, whoever chose it: a composite one is called prime with a probability of at
    most 4^-65, and below 2^64 never.

    Numbers of more than 16,384 bits are errors of their items; negative ones raise ValueError.
    """
    return _sunzi.are_prime(
        engine or default_engine(), numbers, threads=threads, errors=errors, progress=progress
    )
