"""The extension module. Use it through the package `sunzi`.

The documentation of what is public has the words of the module itself.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsIndex, TypedDict, final

from typing_extensions import Buffer

__all__ = [
    "BlsSuite",
    "ElectionFixedBase",
    "ElectionGroup",
    "ElectionPublicKey",
    "Engine",
    "Gatherer",
    "JwtKeys",
    "PaillierPrivateKey",
    "PaillierPublicKey",
    "PrivateKey",
    "PublicKey",
    "__version__",
    "agree_many",
    "are_prime",
    "backends",
    "blind_finalize",
    "blind_messages",
    "blind_prepare",
    "blind_sign",
    "bls_derived_key",
    "bls_key_of_material",
    "decrypt_many",
    "encrypt_many",
    "jwt_sign",
    "jwt_verify",
    "limit_instructions",
    "partially_blind_finalize",
    "partially_blind_messages",
    "partially_blind_sign",
    "partially_blind_verify",
    "powmod",
    "powmod_rows",
    "random_primes",
    "rsa_private_many",
    "rsa_public_many",
    "sign_many",
    "verify_many",
]

__version__: str

_Integers = SupportsIndex | Iterable[SupportsIndex]
_Errors = Literal["raise", "return"]
_ByteOrder = Literal["big", "little"]
_Progress = Callable[[int, int], object]

class _BackendRow(TypedDict):
    backend: str
    available: bool
    chosen: bool
    detail: str

def backends() -> list[_BackendRow]:
    """The backends, each with its name, whether this processor can run it, whether it is chosen where none is named,
    and in words what it is or why it cannot run."""

def limit_instructions(name: str) -> None:
    """Lets every engine of this process use no more instructions than this: "avx2", "avx512" and others."""

@final
class Engine:
    """An engine: a backend of this processor, by name, or the fastest. It can be pickled, and has the same backend
    where it is loaded.

    With `random_bases` it draws, for each group of numbers, one of this many plans with residues of random bases.
    """

    def __new__(cls, backend: str | None = None, random_bases: int | None = None) -> Engine: ...
    @property
    def backend(self) -> str:
        """Name of the backend."""

    @property
    def devices(self) -> list[str]:
        """The devices that batches may come to, the first of those that suit a batch first. One that has failed
        is no longer among them."""

    def take_failures(self) -> list[str]:
        """The failures of devices since the last call, in words. What they should have computed, other devices
        have."""

    def __getnewargs__(self) -> tuple[str, int | None]: ...

def powmod(
    engine: Engine,
    bases: _Integers,
    exponents: _Integers,
    moduli: _Integers,
    *,
    secret: bool = False,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[Any]: ...
def powmod_rows(
    engine: Engine,
    bases: Buffer,
    exponents: Buffer,
    moduli: Buffer,
    out: Buffer,
    *,
    byteorder: _ByteOrder = "big",
    secret: bool = False,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> dict[int, Exception]: ...

@final
class PublicKey:
    """A public key of any algorithm, from `load_public_key` or `PrivateKey.public_key`. Equal keys have equal hashes.
    It can be pickled."""

    @staticmethod
    def load(engine: Engine, data: bytes) -> PublicKey:
        """The public key in PEM, DER or JSON (JWK). See `sunzi.load_public_key`."""

    @property
    def algorithm(self) -> str:
        """Algorithm and size, such as "RSA-2048", or the name of the curve."""

    @property
    def key_size(self) -> int:
        """Bits of the modulus of RSA, or of the prime of the curve."""

    @property
    def curve(self) -> str | None:
        """Name of the curve, such as "P-256" or "Ed25519"; none for RSA."""

    def to_der(self) -> bytes:
        """The key as `SubjectPublicKeyInfo` in DER."""

    def to_pem(self) -> str:
        """The key as `SubjectPublicKeyInfo` in PEM."""

    def to_jwk(self) -> str:
        """The key as a JSON Web Key (RFC 7517)."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class PrivateKey:
    """A private key of any algorithm, from `load_private_key` or `generate_key`. Keys are equal if their public halves
    are. It can be pickled, as plain DER: mind where that goes."""

    @staticmethod
    def load(
        engine: Engine, data: bytes, password: bytes | None = None, kdf_limit: int | None = None
    ) -> PrivateKey:
        """The private key in PEM, DER or JSON (JWK). See `sunzi.load_private_key`."""

    @staticmethod
    def generate(
        engine: Engine,
        algorithm: str,
        count: int,
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[PrivateKey]:
        """New keys. See `sunzi.generate_keys`."""

    @staticmethod
    def generate_safe(
        engine: Engine,
        bits: int,
        count: int,
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[PrivateKey]:
        """New keys of safe primes. See `sunzi.blind.generate_safe_keys`."""

    @property
    def algorithm(self) -> str:
        """Algorithm and size, such as "RSA-2048", or the name of the curve."""

    @property
    def key_size(self) -> int:
        """Bits of the modulus of RSA, or of the prime of the curve."""

    @property
    def curve(self) -> str | None:
        """Name of the curve, such as "P-256" or "Ed25519"; none for RSA."""

    def public_key(self) -> PublicKey:
        """The public half."""

    def to_der(self) -> bytes:
        """The key as PKCS#8 in DER, not encrypted."""

    def to_pem(self, password: bytes | None = None) -> str:
        """The key as PKCS#8 in PEM, encrypted if there is a password."""

    def to_jwk(self) -> str:
        """The key as a JSON Web Key (RFC 7517), not encrypted."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

def sign_many(
    keys: PrivateKey | Sequence[PrivateKey],
    messages: Iterable[Buffer],
    *,
    padding: str | None = None,
    hash: str | None = None,
    salt_length: int | None = None,
    encoding: str | None = None,
    low_s: bool = False,
    context: bytes | None = None,
    scheme: str | None = None,
    auxiliary: bytes | None = None,
    nonces: str | None = None,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """The signatures of the messages, by one key or a key for each, of any mix of algorithms.

    `padding` and `salt_length` are for RSA: "pkcs1v15" (the default) or "pss", and the bytes of its salt (by default
    those of the hash). `encoding` and `low_s` are for ECDSA: "der" (the default) or "raw", and whether s is at most
    half the order. `context` is for EdDSA. `hash` is that of RSA (by default SHA-256) and ECDSA (by default the one
    that suits the curve). Names are taken in small and capital letters: "PSS", "sha256", "SHA-256".
    `nonces` is for keys of curves: "deterministic" (the default; a message always gets the same signature), or "hedged"
    with fresh randomness, so that no two computations of one message can be compared by an attacker.
    With the `scheme` "bip340" keys of secp256k1 make Schnorr signatures of messages as they are; `auxiliary` has 32
    random bytes for all signatures of the call, instead of those that "hedged" draws for each, or of zeros.
    With the `scheme` "rfc8032", "cofactored", "zip215" or "dalek-strict" signatures of Ed25519 are verified by that rule
    (docs/ed25519-rules.md); they are made as always.

    Every signature is checked before it leaves. Raises `ValueError` for an option that does not apply to a key; with
    errors="return" it is in the place of the signature.
    """

def verify_many(
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    signatures: Iterable[Buffer],
    *,
    padding: str | None = None,
    hash: str | None = None,
    salt_length: int | None = None,
    encoding: str | None = None,
    low_s: bool = False,
    context: bytes | None = None,
    scheme: str | None = None,
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bool]:
    """Whether each signature is valid for its message and key. Arguments as in `sign_many`.

    A signature that cannot be one is invalid, and no error. Raises `ValueError` for an option that does not apply to
    a key.
    """

def encrypt_many(
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    *,
    padding: str = "oaep",
    hash: str | None = None,
    label: bytes | None = None,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """The messages encrypted with RSA, by one key or a key for each.

    `padding` is "oaep" (the default) or "pkcs1v15"; `hash` (by default SHA-256) and `label` are for "oaep".
    """

def decrypt_many(
    keys: PrivateKey | Sequence[PrivateKey],
    ciphertexts: Iterable[Buffer],
    *,
    padding: str = "oaep",
    hash: str | None = None,
    label: bytes | None = None,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """The plaintexts of what `encrypt_many` encrypted. Arguments as there.

    With the padding "pkcs1v15" a wrong ciphertext gives a random message instead of an error (implicit rejection).
    """

def agree_many(
    keys: PrivateKey | Sequence[PrivateKey],
    peers: Iterable[PublicKey],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """The shared secrets of private keys and their peers' public keys (ECDH, X25519, X448). Derive keys
    from them by a key derivation function: they are no uniformly random bytes."""

def rsa_private_many(
    keys: PrivateKey | Sequence[PrivateKey],
    numbers: Iterable[SupportsIndex],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[int]:
    """The private powers of RSA without padding, `pow(number, d, n)`, by one key or a key for each number, which is
    below n. Each is checked before it leaves.

    This is for protocols with a padding of their own: by itself it is no signature and no decryption.
    """

def rsa_public_many(
    keys: PublicKey | Sequence[PublicKey],
    numbers: Iterable[SupportsIndex],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[int]:
    """The public powers of RSA without padding, `pow(number, e, n)`."""

@final
class PaillierPublicKey:
    def __new__(
        cls, engine: Engine, n: SupportsIndex, short_base: SupportsIndex | None = None
    ) -> PaillierPublicKey: ...
    @property
    def n(self) -> int: ...
    @property
    def short_base(self) -> int | None: ...
    def to_jwk(self) -> str: ...
    @staticmethod
    def from_jwk(engine: Engine, text: str) -> PaillierPublicKey: ...
    def encrypt(
        self,
        plaintexts: Iterable[SupportsIndex],
        *,
        full: bool = False,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[int]: ...
    def randomize(
        self,
        ciphertexts: Iterable[SupportsIndex],
        *,
        full: bool = False,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[int]: ...
    def add(
        self,
        left: Iterable[SupportsIndex],
        right: Iterable[SupportsIndex],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[int]: ...
    def add_plain(
        self,
        ciphertexts: Iterable[SupportsIndex],
        plaintexts: Iterable[SupportsIndex],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[int]: ...
    def multiply(
        self,
        ciphertexts: Iterable[SupportsIndex],
        factors: Iterable[SupportsIndex],
        *,
        secret: bool = True,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[int]: ...
    def negate(
        self,
        ciphertexts: Iterable[SupportsIndex],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[int]: ...
    def sum(
        self,
        ciphertexts: Iterable[SupportsIndex],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> int: ...

@final
class PaillierPrivateKey:
    @staticmethod
    def generate(
        engine: Engine,
        bits: int,
        *,
        short: bool = True,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> PaillierPrivateKey: ...
    @staticmethod
    def from_primes(
        engine: Engine, p: SupportsIndex, q: SupportsIndex
    ) -> PaillierPrivateKey: ...
    @staticmethod
    def from_jwk(engine: Engine, text: str) -> PaillierPrivateKey: ...
    def to_jwk(self) -> str: ...
    @property
    def public_key(self) -> PaillierPublicKey: ...
    @property
    def primes(self) -> tuple[int, int]: ...
    def decrypt(
        self,
        ciphertexts: Iterable[SupportsIndex],
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[int]: ...

def random_primes(
    engine: Engine,
    kind: Literal["any", "blum", "safe"],
    bits: int,
    count: int,
    *,
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[int]: ...
def are_prime(
    engine: Engine,
    numbers: Iterable[SupportsIndex],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[Any]: ...
@final
class BlsSuite:
    """A suite on an engine. See `sunzi.bls.Suite`."""

    def __new__(
        cls, engine: Engine, variant: str, scheme: str, tag: bytes | None = None
    ) -> BlsSuite: ...
    @property
    def tag(self) -> bytes: ...
    def public_keys(
        self,
        keys: Iterable[Buffer],
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[Any]: ...
    def sign(
        self,
        keys: Iterable[Buffer],
        messages: Iterable[Buffer],
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[Any]: ...
    def prove(
        self,
        keys: Iterable[Buffer],
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[Any]: ...
    def validate(
        self,
        keys: Iterable[Buffer],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[bool]: ...
    def verify(
        self,
        keys: Iterable[Buffer],
        messages: Iterable[Buffer],
        signatures: Iterable[Buffer],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[bool]: ...
    def verify_all(
        self,
        keys: Iterable[Buffer],
        messages: Iterable[Buffer],
        signatures: Iterable[Buffer],
        *,
        threads: int | None = None,
    ) -> bool: ...
    def verify_proofs(
        self,
        keys: Iterable[Buffer],
        proofs: Iterable[Buffer],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[bool]: ...
    def aggregate(self, signatures: Iterable[Buffer]) -> bytes: ...
    def aggregate_keys(self, keys: Iterable[Buffer]) -> bytes: ...
    def aggregate_verify(
        self, keys: Iterable[Buffer], messages: Iterable[Buffer], signature: bytes
    ) -> bool: ...
    def fast_aggregate_verify(
        self, keys: Iterable[Buffer], message: bytes, signature: bytes, *, ethereum: bool = False
    ) -> bool: ...

def bls_key_of_material(material: bytes, info: bytes) -> bytes: ...
def bls_derived_key(seed: bytes, path: Sequence[int]) -> bytes: ...
@final
class JwtKeys:
    def __new__(cls, engine: Engine, file: bytes) -> JwtKeys: ...
    def __len__(self) -> int: ...

def jwt_verify(
    keys: JwtKeys,
    tokens: Iterable[str | bytes],
    *,
    now: int,
    leeway: int,
    audiences: list[str],
    any_audience: bool,
    issuers: list[str],
    required: list[str],
    typ: str | None,
    algorithms: list[str] | None,
    any_payload: bool,
    threads: int | None,
    progress: _Progress | None,
) -> list[tuple[Any, str | None]]: ...
def jwt_sign(
    engine: Engine,
    file: bytes,
    claims: list[bytes],
    *,
    kid: str | None,
    algorithm: str | None,
    typ: str | None,
    hedged: bool,
    threads: int | None,
    progress: _Progress | None,
) -> list[str]: ...
def blind_prepare(variant_name: str, messages: Iterable[Buffer]) -> list[bytes]: ...
def blind_messages(
    variant_name: str,
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> tuple[list[Any], list[Any]]: ...
def blind_sign(
    keys: PrivateKey | Sequence[PrivateKey],
    blinded: Iterable[Buffer],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[Any]: ...
def blind_finalize(
    variant_name: str,
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    blind_signatures: Iterable[Buffer],
    inverses: Iterable[Buffer],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[Any]: ...
def partially_blind_messages(
    variant_name: str,
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    infos: Buffer | Iterable[Buffer],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> tuple[list[Any], list[Any]]: ...
def partially_blind_sign(
    keys: PrivateKey | Sequence[PrivateKey],
    blinded: Iterable[Buffer],
    infos: Buffer | Iterable[Buffer],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[Any]: ...
def partially_blind_finalize(
    variant_name: str,
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    infos: Buffer | Iterable[Buffer],
    blind_signatures: Iterable[Buffer],
    inverses: Iterable[Buffer],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[Any]: ...
def partially_blind_verify(
    variant_name: str,
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    infos: Buffer | Iterable[Buffer],
    signatures: Iterable[Buffer],
    *,
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bool]: ...

_Pair = tuple[SupportsIndex, SupportsIndex]
_Four = tuple[SupportsIndex, SupportsIndex, SupportsIndex, SupportsIndex]

@final
class ElectionFixedBase:
    @property
    def element(self) -> int: ...

@final
class ElectionGroup:
    def __new__(
        cls, engine: Engine, p: SupportsIndex, q: SupportsIndex, g: SupportsIndex
    ) -> ElectionGroup: ...
    @staticmethod
    def named(engine: Engine, name: str) -> ElectionGroup: ...
    @property
    def p(self) -> int: ...
    @property
    def q(self) -> int: ...
    @property
    def g(self) -> int: ...
    def validate(self) -> None: ...
    def random_exponents(self, count: int) -> list[int]: ...
    def fixed_base(self, element: SupportsIndex) -> ElectionFixedBase: ...
    def powers(
        self,
        exponents: Iterable[SupportsIndex],
        base: ElectionFixedBase | None = None,
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[Any]: ...
    def products_of_powers(
        self,
        products: Sequence[Sequence[_Pair]],
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[Any]: ...
    def are_members(
        self,
        numbers: Iterable[SupportsIndex],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[bool]: ...
    def prove_equal_logarithms(
        self,
        statements: Sequence[_Four],
        logarithms: Iterable[SupportsIndex],
        contexts: Sequence[bytes],
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[Any]: ...
    def verify_equal_logarithms(
        self,
        statements: Sequence[_Four],
        proofs: Sequence[_Pair],
        contexts: Sequence[bytes],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[bool]: ...
    def sum(
        self,
        ciphertexts: Iterable[_Pair],
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> tuple[int, int]: ...
    def decrypt_sum(
        self,
        key: SupportsIndex,
        numbers: _Pair,
        most: int,
        *,
        progress: _Progress | None = None,
    ) -> tuple[int, int]: ...

@final
class ElectionPublicKey:
    def __new__(cls, group: ElectionGroup, element: SupportsIndex) -> ElectionPublicKey: ...
    @property
    def element(self) -> int: ...
    def encrypt(
        self,
        votes: Sequence[int],
        context: bytes,
        *,
        errors: _Errors = "raise",
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[Any]: ...
    def verify(
        self,
        ballots: Sequence[tuple[_Pair, tuple[_Pair, _Pair]]],
        context: bytes,
        *,
        threads: int | None = None,
        progress: _Progress | None = None,
    ) -> list[bool]: ...

@final
class Gatherer:
    def __new__(cls, function: Callable[[list[Any]], list[bool]]) -> Gatherer: ...
    def call(self, call: object) -> None: ...
    def submit(self, call: object, failed: Callable[[Any, BaseException], None]) -> None: ...
    def wait(self) -> None: ...
