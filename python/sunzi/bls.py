"""BLS signatures on BLS12-381 (draft-irtf-cfrg-bls-signature-05), as Ethereum, Filecoin, drand and others use them.

The names are those of the draft, which users of py_ecc and of blst's bindings know:

>>> from sunzi import bls
>>> secret = bls.KeyGen(bytes(range(32)))
>>> key = bls.SkToPk(secret)
>>> signature = bls.Sign(secret, b"a message")
>>> bls.Verify(key, b"a message", signature)
True

These functions are those of `G2ProofOfPossession`, the suite of Ethereum: keys of 48 bytes in G1, signatures of 96 bytes
in G2, proofs of possession. `G2Basic` and `G2MessageAugmentation` are the draft's other suites, and `Suite` makes any
other, such as drand's:

>>> drand = bls.Suite("min-sig", "basic", tag=b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_")

Whoever has many signatures should verify them in one call: `verify_many` has a verdict for each, and `verify_all` one
for all together, in half the time.

>>> secrets = [bls.derive_key(bytes(32), f"m/12381/3600/{k}/0/0") for k in range(3)]
>>> keys = bls.sk_to_pk_many(secrets)
>>> messages = [b"one", b"two", b"three"]
>>> signatures = bls.sign_many(secrets, messages)
>>> bls.verify_many(keys, [b"one", b"two", b"four"], signatures)
[True, True, False]
>>> bls.verify_all(keys, messages, signatures)
True

A secret key is an integer or its 32 big-endian bytes; keys and signatures are bytes, compressed or uncompressed. What is
no valid encoding gets the verdict False. Messages are bytes of any length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _sunzi
from ._engine import default_engine
from ._sunzi import Engine

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Aggregate",
    "AggregateVerify",
    "FastAggregateVerify",
    "G2Basic",
    "G2MessageAugmentation",
    "G2ProofOfPossession",
    "KeyGen",
    "KeyValidate",
    "PopProve",
    "PopVerify",
    "Sign",
    "SkToPk",
    "Suite",
    "Verify",
    "derive_key",
    "key_validate_many",
    "pop_prove_many",
    "pop_verify_many",
    "sign_many",
    "sk_to_pk_many",
    "verify_all",
    "verify_many",
]

SecretKey = Union[int, bytes, bytearray, memoryview]
Errors = Literal["raise", "return"]
Progress = Callable[[int, int], object]

#: The order of both groups: secret keys are from 1 to the order less 1.
ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001


def _secret(key: SecretKey) -> Any:
    """A secret key in bytes."""
    if isinstance(key, int) and not isinstance(key, bool):
        if not 0 < key < ORDER:
            raise ValueError("a secret key is a number from 1 to the order of the group less 1")
        return key.to_bytes(32, "big")
    return key


def KeyGen(IKM: Buffer, key_info: Buffer = b"") -> int:
    """The secret key of at least 32 bytes of secret key material (the draft, section 2.3, and EIP-2333)."""
    return int.from_bytes(_sunzi.bls_key_of_material(bytes(IKM), bytes(key_info)), "big")


def derive_key(seed: Buffer, path: str) -> int:
    """The secret key at a path (EIP-2334), such as "m/12381/3600/0/0/0", from a seed of at least 32 bytes
    (EIP-2333)."""
    first, *indices = path.split("/")
    if first != "m" or not all(index.isascii() and index.isdigit() for index in indices):
        raise ValueError(f'the path is {path!r}, and begins with "m", followed by numbers')
    numbers = [int(index) for index in indices]
    if any(number >= 1 << 32 for number in numbers):
        raise ValueError("an index of a path is below 2^32")
    return int.from_bytes(_sunzi.bls_derived_key(bytes(seed), numbers), "big")


class Suite:
    """A suite: `variant` is "min-pk" (keys of 48 bytes in G1) or "min-sig" (signatures of 48 bytes in G1), `scheme` is
    "basic", "message-augmentation" or "proof-of-possession". `tag` is hashed with messages, by default that of the
    draft. The engine is by default the package's.

    Raises ValueError for other names and for an empty tag.
    """

    def __init__(
        self,
        variant: str = "min-pk",
        scheme: str = "proof-of-possession",
        *,
        tag: bytes | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.variant = variant
        self.scheme = scheme
        self._tag = tag
        self._engine = engine
        if engine is not None or tag is not None or (variant, scheme) not in _DRAFT:
            self._suite  # Wrong arguments are refused here.

    @cached_property
    def _suite(self) -> _sunzi.BlsSuite:
        engine = self._engine or default_engine()
        return _sunzi.BlsSuite(engine, self.variant, self.scheme, self._tag)

    @property
    def tag(self) -> bytes:
        """The tag that messages are hashed with."""
        return self._suite.tag

    def __repr__(self) -> str:
        return f"<sunzi.bls.Suite {self.variant} {self.scheme}>"

    # One at a time, by the names of the draft.

    KeyGen = staticmethod(KeyGen)

    def SkToPk(self, privkey: SecretKey) -> bytes:
        """The public key of a secret key."""
        key: bytes = self.sk_to_pk_many([privkey])[0]
        return key

    def KeyValidate(self, PK: Buffer) -> bool:
        """Whether these bytes are a public key: an element of its group other than the neutral one."""
        return self.key_validate_many([PK])[0]

    def Sign(self, SK: SecretKey, message: Buffer) -> bytes:
        """The signature of a message, in constant time, and verified before it leaves."""
        signature: bytes = self.sign_many([SK], [message])[0]
        return signature

    def Verify(self, PK: Buffer, message: Buffer, signature: Buffer) -> bool:
        """Whether a signature of a message is valid."""
        return self.verify_many([PK], [message], [signature])[0]

    def Aggregate(self, signatures: Iterable[Buffer]) -> bytes:
        """The aggregate of signatures: their sum. Raises ValueError for none, and for what is no signature."""
        return self._suite.aggregate(signatures)

    def aggregate_keys(self, PKs: Iterable[Buffer]) -> bytes:
        """The sum of public keys, as a key. Raises ValueError for none, for what is no key, and for keys that add up to
        the neutral element."""
        return self._suite.aggregate_keys(PKs)

    def AggregateVerify(
        self, PKs: Iterable[Buffer], messages: Iterable[Buffer], signature: Buffer
    ) -> bool:
        """Whether an aggregate of signatures, each by the key and of the message in the same place, is valid."""
        return self._suite.aggregate_verify(PKs, messages, bytes(signature))

    def FastAggregateVerify(
        self, PKs: Iterable[Buffer], message: Buffer, signature: Buffer, *, ethereum: bool = False
    ) -> bool:
        """Whether an aggregate of signatures of one message is valid. Proofs of possession of all keys must have been
        checked. With `ethereum`, the neutral element is valid for no keys (`eth_fast_aggregate_verify` of Altair)."""
        return self._suite.fast_aggregate_verify(
            PKs, bytes(message), bytes(signature), ethereum=ethereum
        )

    def PopProve(self, SK: SecretKey) -> bytes:
        """The proof that the owner of the public key knows the secret key."""
        proof: bytes = self.pop_prove_many([SK])[0]
        return proof

    def PopVerify(self, PK: Buffer, proof: Buffer) -> bool:
        """Whether a proof of possession is valid."""
        return self.pop_verify_many([PK], [proof])[0]

    # Many at a time.

    def sk_to_pk_many(
        self,
        keys: Iterable[SecretKey],
        *,
        errors: Errors = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[Any]:
        """The public keys of secret keys, in constant time."""
        secrets = [_secret(key) for key in keys]
        return self._suite.public_keys(secrets, errors=errors, threads=threads, progress=progress)

    def key_validate_many(
        self,
        keys: Iterable[Buffer],
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[bool]:
        """Whether each item is a public key."""
        return self._suite.validate(keys, threads=threads, progress=progress)

    def sign_many(
        self,
        keys: SecretKey | Sequence[SecretKey],
        messages: Iterable[Buffer],
        *,
        errors: Errors = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[Any]:
        """The signatures of messages, by one key or a key for each, in constant time, and verified before they
        leave."""
        messages = list(messages)
        if isinstance(keys, (int, bytes, bytearray, memoryview)):
            secrets = [_secret(keys)] * len(messages)
        else:
            secrets = [_secret(key) for key in keys]
        return self._suite.sign(
            secrets, messages, errors=errors, threads=threads, progress=progress
        )

    def verify_many(
        self,
        keys: Buffer | Sequence[Buffer],
        messages: Iterable[Buffer],
        signatures: Iterable[Buffer],
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[bool]:
        """Whether each signature is valid, by one key or a key for each."""
        keys, messages = _spread(keys, messages)
        return self._suite.verify(keys, messages, signatures, threads=threads, progress=progress)

    def verify_all(
        self,
        keys: Buffer | Sequence[Buffer],
        messages: Iterable[Buffer],
        signatures: Iterable[Buffer],
        *,
        threads: int | None = None,
    ) -> bool:
        """Whether all signatures are valid: one verdict, by random factors, in half the time of `verify_many`. A wrong
        signature is accepted with a probability of at most 2^-70."""
        keys, messages = _spread(keys, messages)
        return self._suite.verify_all(keys, messages, signatures, threads=threads)

    def pop_prove_many(
        self,
        keys: Iterable[SecretKey],
        *,
        errors: Errors = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[Any]:
        """Proofs of possession of secret keys."""
        secrets = [_secret(key) for key in keys]
        return self._suite.prove(secrets, errors=errors, threads=threads, progress=progress)

    def pop_verify_many(
        self,
        keys: Iterable[Buffer],
        proofs: Iterable[Buffer],
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[bool]:
        """Whether each proof of possession is valid."""
        return self._suite.verify_proofs(keys, proofs, threads=threads, progress=progress)


def _spread(keys: Any, messages: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """A key for each message."""
    messages = list(messages)
    if isinstance(keys, (bytes, bytearray, memoryview)):
        return [keys] * len(messages), messages
    return list(keys), messages


_DRAFT = [
    ("min-pk", scheme) for scheme in ("basic", "message-augmentation", "proof-of-possession")
]

#: The draft's suites with signatures in G2. They take their engine when they are first used.
G2Basic = Suite("min-pk", "basic")
G2MessageAugmentation = Suite("min-pk", "message-augmentation")
G2ProofOfPossession = Suite("min-pk", "proof-of-possession")

SkToPk = G2ProofOfPossession.SkToPk
KeyValidate = G2ProofOfPossession.KeyValidate
Sign = G2ProofOfPossession.Sign
Verify = G2ProofOfPossession.Verify
Aggregate = G2ProofOfPossession.Aggregate
AggregateVerify = G2ProofOfPossession.AggregateVerify
FastAggregateVerify = G2ProofOfPossession.FastAggregateVerify
PopProve = G2ProofOfPossession.PopProve
PopVerify = G2ProofOfPossession.PopVerify
sk_to_pk_many = G2ProofOfPossession.sk_to_pk_many
key_validate_many = G2ProofOfPossession.key_validate_many
sign_many = G2ProofOfPossession.sign_many
verify_many = G2ProofOfPossession.verify_many
verify_all = G2ProofOfPossession.verify_all
pop_prove_many = G2ProofOfPossession.pop_prove_many
pop_verify_many = G2ProofOfPossession.pop_verify_many
