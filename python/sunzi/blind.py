"""Blind signatures (RFC 9474, RSABSSA): the signer learns nothing of the message, and cannot tell which of its
signatures is whose.

>>> import sunzi
>>> from sunzi import blind
>>> issuer = sunzi.generate_key("RSA-2048")             # for blind signatures, and nothing else
>>> key = issuer.public_key()
>>> messages = blind.prepare_many([b"one", b"two"])     # the client
>>> blinded, inverses = blind.blind_many(key, messages)
>>> answers = blind.blind_sign_many(issuer, blinded)    # the issuer
>>> tokens = blind.finalize_many(key, messages, answers, inverses)
>>> blind.verify_many(key, messages, tokens)            # anyone
[True, True]

The names are those of the RFC's functions. `variant` is one of `VARIANTS`; the first, which is the default, and
the second are for all messages, the others for messages that nobody can guess. A token is an RSA signature by
PSS with SHA-384.

All functions take one key or a key for each item.

With `info`, signatures are partially blind (draft-irtf-cfrg-partially-blind-rsa, RSAPBSSA): the signer does not see
the message, but signs it together with metadata that both sides know, bytes for all items or for each one, such as
the day on which a token ends. Keys are of safe primes, from `generate_safe_keys`, and for nothing else.

>>> [issuer] = blind.generate_safe_keys(2048)
>>> key = issuer.public_key()
>>> blinded, inverses = blind.blind_many(key, messages, info=b"May")
>>> answers = blind.blind_sign_many(issuer, blinded, info=b"May")
>>> tokens = blind.finalize_many(key, messages, answers, inverses, info=b"May")
>>> blind.verify_many(key, messages, tokens, info=[b"May", b"June"])
[True, False]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _sunzi
from ._engine import default_engine
from ._sunzi import Engine, PrivateKey, PublicKey

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "VARIANTS",
    "blind_many",
    "blind_sign_many",
    "finalize_many",
    "generate_safe_keys",
    "prepare_many",
    "verify_many",
]

RANDOMIZED = "RSABSSA-SHA384-PSS-Randomized"

#: The variants of RFC 9474, section 5, with the lengths of their salts in bytes.
VARIANTS = {
    RANDOMIZED: 48,
    "RSABSSA-SHA384-PSSZERO-Randomized": 0,
    "RSABSSA-SHA384-PSS-Deterministic": 48,
    "RSABSSA-SHA384-PSSZERO-Deterministic": 0,
}

# The draft's names of the same.
VARIANTS_OF_DRAFT = {name: name.replace("RSABSSA", "RSAPBSSA") for name in VARIANTS}

Errors = Literal["raise", "return"]
Progress = Callable[[int, int], object]


def generate_safe_keys(
    bits: int,
    count: int = 1,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[PrivateKey]:
    """`count` new RSA keys of two safe primes each, for partially blind signatures and nothing else. Safe primes
    are rare: a key of 2,048 bits takes some seconds. `progress` is called with the number of
    primes found so far, and of all.

    Raises ValueError for sizes that are not supported.
    """
    return PrivateKey.generate_safe(
        engine or default_engine(), bits, count, threads=threads, progress=progress
    )


def _partial(variant: str) -> str:
    """The draft's name of a variant."""
    return VARIANTS_OF_DRAFT.get(variant, variant)


def prepare_many(messages: Iterable[Buffer], *, variant: str = RANDOMIZED) -> list[bytes]:
    """The messages that are signed: with 32 random bytes before each, or, in deterministic variants, as they
    are (RFC 9474, section 4.1)."""
    return _sunzi.blind_prepare(variant.replace("RSAPBSSA", "RSABSSA"), messages)


def blind_many(
    keys: PublicKey | Sequence[PublicKey],
    prepared: Iterable[Buffer],
    *,
    info: Buffer | Iterable[Buffer] | None = None,
    variant: str = RANDOMIZED,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> tuple[list[Any], list[Any]]:
    """The blinded messages, which the issuer gets, and the inverses of their blinds, which stay secret
    (RFC 9474, section 4.2)."""
    if info is not None:
        return _sunzi.partially_blind_messages(
            _partial(variant),
            keys,
            prepared,
            info,
            threads=threads,
            errors=errors,
            progress=progress,
        )
    return _sunzi.blind_messages(
        variant, keys, prepared, threads=threads, errors=errors, progress=progress
    )


def blind_sign_many(
    keys: PrivateKey | Sequence[PrivateKey],
    blinded: Iterable[Buffer],
    *,
    info: Buffer | Iterable[Buffer] | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[Any]:
    """The issuer's answers to blinded messages (RFC 9474, section 4.3), in constant time, each checked before
    it leaves. Such a key signs what it is given: use it for nothing else.

    A message that has not the length of the modulus or is not below it is an error of its item.
    """
    if info is not None:
        return _sunzi.partially_blind_sign(
            keys, blinded, info, threads=threads, errors=errors, progress=progress
        )
    return _sunzi.blind_sign(keys, blinded, threads=threads, errors=errors, progress=progress)


def finalize_many(
    keys: PublicKey | Sequence[PublicKey],
    prepared: Iterable[Buffer],
    blind_signatures: Iterable[Buffer],
    inverses: Iterable[Buffer],
    *,
    info: Buffer | Iterable[Buffer] | None = None,
    variant: str = RANDOMIZED,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[Any]:
    """The signatures of the prepared messages, each verified (RFC 9474, section 4.4): an answer that is none
    is an error of its item."""
    if info is not None:
        return _sunzi.partially_blind_finalize(
            _partial(variant),
            keys,
            prepared,
            info,
            blind_signatures,
            inverses,
            threads=threads,
            errors=errors,
            progress=progress,
        )
    return _sunzi.blind_finalize(
        variant,
        keys,
        prepared,
        blind_signatures,
        inverses,
        threads=threads,
        errors=errors,
        progress=progress,
    )


def verify_many(
    keys: PublicKey | Sequence[PublicKey],
    prepared: Iterable[Buffer],
    signatures: Iterable[Buffer],
    *,
    info: Buffer | Iterable[Buffer] | None = None,
    variant: str = RANDOMIZED,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[bool]:
    """Whether each signature is one of its prepared message, and of the metadata if there is any."""
    if info is not None:
        return _sunzi.partially_blind_verify(
            _partial(variant),
            keys,
            prepared,
            info,
            signatures,
            threads=threads,
            progress=progress,
        )
    if variant not in VARIANTS:
        raise ValueError(f"there is no variant named {variant!r}: RFC 9474, section 5, has four")
    return _sunzi.verify_many(
        keys,
        prepared,
        signatures,
        padding="pss",
        hash="SHA-384",
        salt_length=VARIANTS[variant],
        threads=threads,
        progress=progress,
    )
