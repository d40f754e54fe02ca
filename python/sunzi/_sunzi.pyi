"""The extension module. Use it through the package `sunzi`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, SupportsIndex, TypedDict, final

from typing_extensions import Buffer

__all__ = [
    "Engine",
    "PaillierPrivateKey",
    "PaillierPublicKey",
    "PrivateKey",
    "PublicKey",
    "__version__",
    "agree_many",
    "backends",
    "decrypt_many",
    "encrypt_many",
    "powmod",
    "powmod_rows",
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

def backends() -> list[_BackendRow]: ...
@final
class Engine:
    def __new__(cls, backend: str | None = None, random_bases: int | None = None) -> Engine: ...
    @property
    def backend(self) -> str: ...
    @property
    def devices(self) -> list[str]: ...
    def take_failures(self) -> list[str]: ...
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

_Hash = str
_Padding = Literal["pkcs1v15", "pss"]
_Encoding = Literal["der", "raw"]

@final
class PublicKey:
    @staticmethod
    def load(engine: Engine, data: bytes) -> PublicKey: ...
    @property
    def algorithm(self) -> str: ...
    def to_der(self) -> bytes: ...
    def to_pem(self) -> str: ...
    def to_jwk(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

@final
class PrivateKey:
    @staticmethod
    def load(engine: Engine, data: bytes, password: bytes | None = None) -> PrivateKey: ...
    @staticmethod
    def generate(engine: Engine, algorithm: str) -> PrivateKey: ...
    @property
    def algorithm(self) -> str: ...
    def public_key(self) -> PublicKey: ...
    def to_der(self) -> bytes: ...
    def to_pem(self, password: bytes | None = None) -> str: ...
    def to_jwk(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[bytes]]: ...

def sign_many(
    keys: PrivateKey | Sequence[PrivateKey],
    messages: Iterable[Buffer],
    *,
    padding: _Padding | None = None,
    hash: _Hash | None = None,
    salt_length: int | None = None,
    encoding: _Encoding = "der",
    low_s: bool = False,
    context: bytes = ...,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """The signatures of the messages, by one key or a key for each, of any mix of algorithms.

    `padding`, `salt_length` are for RSA: "pkcs1v15" (the default) or "pss". `encoding` and `low_s` are for
    ECDSA: "der" (the default) or "raw", and whether s is at most half the order. `context` is for EdDSA.
    `hash` is that of RSA (by default SHA-256) and ECDSA (by default the one that suits the curve).

    Every signature is checked before it leaves.
    """

def verify_many(
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    signatures: Iterable[Buffer],
    *,
    padding: _Padding | None = None,
    hash: _Hash | None = None,
    salt_length: int | None = None,
    encoding: _Encoding = "der",
    low_s: bool = False,
    context: bytes = ...,
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bool]:
    """Whether each signature is valid for its message and key. Arguments as in `sign_many`."""

def encrypt_many(
    keys: PublicKey | Sequence[PublicKey],
    messages: Iterable[Buffer],
    *,
    padding: Literal["oaep", "pkcs1v15"] = "oaep",
    hash: _Hash = "SHA-256",
    label: bytes = ...,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """The messages encrypted with RSA, by one key or a key for each."""

def decrypt_many(
    keys: PrivateKey | Sequence[PrivateKey],
    ciphertexts: Iterable[Buffer],
    *,
    padding: Literal["oaep", "pkcs1v15"] = "oaep",
    hash: _Hash = "SHA-256",
    label: bytes = ...,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """What `encrypt_many` encrypted. With the padding "pkcs1v15" a wrong ciphertext gives a random message
    instead of an error (implicit rejection)."""

def agree_many(
    keys: PrivateKey | Sequence[PrivateKey],
    peers: Sequence[PublicKey],
    *,
    errors: _Errors = "raise",
    threads: int | None = None,
    progress: _Progress | None = None,
) -> list[bytes]:
    """The shared secrets of private keys and their peers' public keys (ECDH, X25519, X448). Derive keys
    from them by a key derivation function: they are no uniformly random bytes."""

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
    def negate(self, ciphertexts: Iterable[SupportsIndex]) -> list[int]: ...
    def sum(self, ciphertexts: Iterable[SupportsIndex]) -> int: ...

@final
class PaillierPrivateKey:
    @staticmethod
    def generate(engine: Engine, bits: int, *, short: bool = True) -> PaillierPrivateKey: ...
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
