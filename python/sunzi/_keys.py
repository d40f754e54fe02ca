"""Reading and making keys."""

from __future__ import annotations

from collections.abc import Callable

from ._engine import default_engine
from ._sunzi import Engine, PrivateKey, PublicKey


def load_private_key(
    data: bytes | str,
    password: bytes | str | None = None,
    *,
    kdf_limit: int = 1,
    engine: Engine | None = None,
) -> PrivateKey:
    """The private key in PEM, DER or JSON (JWK): RSA, a curve for ECDSA and ECDH, Ed25519, Ed448, X25519 or
    X448; also encrypted PKCS#8.

    What opening a key may cost is limited, since strangers may have made it: 10,000,000 rounds of PBKDF2, 64 MiB
    of memory for scrypt, and 8,192 bits of an RSA modulus (16,384 for any `kdf_limit` above 1). `kdf_limit` times
    as much is permitted.

    Raises ValueError that says what the data is instead, or what is wrong with the key.
    """
    return PrivateKey.load(
        engine or default_engine(), _bytes(data), _optional_bytes(password), kdf_limit
    )


def load_public_key(data: bytes | str, *, engine: Engine | None = None) -> PublicKey:
    """The public key in PEM, DER or JSON (JWK).

    Raises ValueError that says what the data is instead, or what is wrong with the key.
    """
    return PublicKey.load(engine or default_engine(), _bytes(data))


def generate_key(algorithm: str, *, engine: Engine | None = None) -> PrivateKey:
    """A new key: "RSA-2048", or the name of a curve, such as "P-256", "Ed25519" or "X448", in small or capital
    letters."""
    return generate_keys(algorithm, 1, engine=engine)[0]


def generate_keys(
    algorithm: str,
    count: int,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[PrivateKey]:
    """`count` new keys. RSA's primes are searched for together; `progress` is called with the number of those
    found so far, and of all.

    Raises ValueError for names that are not known, sizes that are not supported, and curves of fewer than 224
    bits, whose keys only verify.
    """
    if isinstance(algorithm, str) and algorithm.lower().startswith("rsa-"):
        algorithm = algorithm.upper()
    return PrivateKey.generate(
        engine or default_engine(), algorithm, count, threads=threads, progress=progress
    )


def _bytes(data: bytes | str) -> bytes:
    return data.encode() if isinstance(data, str) else data


def _optional_bytes(data: bytes | str | None) -> bytes | None:
    return None if data is None else _bytes(data)
