"""Keys with the methods of `cryptography`'s, computed by Sunzi: for code that is written for
`cryptography.hazmat.primitives.asymmetric`.

>>> from cryptography.hazmat.primitives import hashes
>>> from cryptography.hazmat.primitives.asymmetric import ec
>>> from sunzi import hazmat
>>> key = hazmat.adopt(ec.generate_private_key(ec.SECP256R1()))
>>> signature = key.sign(b"message", ec.ECDSA(hashes.SHA256()))
>>> key.public_key().verify(signature, b"message", ec.ECDSA(hashes.SHA256()))
>>> isinstance(key, ec.EllipticCurvePrivateKey)
True

**One call is one operation, which is not what Sunzi is fast at: OpenSSL is several times faster.** What gathers into
batches are the calls of many threads: while one batch is computed, the next one gathers, of all keys and algorithms.
Adopt a key for code that signs or decrypts in many threads at once, and measure. Code that has lists calls
`sunzi.sign_many` and its like, with `key.sunzi_key`, and that of asyncio `sunzi.aio`.

Sunzi computes

- RSA: `sign` and `verify` with PKCS#1 v1.5 and with PSS whose MGF1 has the hash of the message, `decrypt` and
  `encrypt` with PKCS#1 v1.5 and with OAEP whose MGF1 has the hash of the label; SHA-2 and SHA-3;
- curves: `sign` and `verify` with ECDSA and SHA-2 or SHA-3, `exchange`. Signatures are deterministic.

All else is left to the key that was adopted, and is computed by OpenSSL: digests that were made beforehand
(`Prehashed`), other hashes, verification of PSS with `PSS.AUTO`, `recover_data_from_signature`, and all formats of
keys. `decrypt` with PKCS#1 v1.5 answers a wrong ciphertext with a random message (implicit rejection), as
OpenSSL 3.2 and later do. Ed25519, X25519 and their like, DSA and DH are not adopted.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, overload

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric import padding as paddings

from . import _keys, _sunzi
from ._gather import gathered

__all__ = [
    "EllipticCurvePrivateKey",
    "EllipticCurvePublicKey",
    "RSAPrivateKey",
    "RSAPublicKey",
    "adopt",
]

_HASHES = (
    hashes.SHA224,
    hashes.SHA256,
    hashes.SHA384,
    hashes.SHA512,
    hashes.SHA512_224,
    hashes.SHA512_256,
    hashes.SHA3_224,
    hashes.SHA3_256,
    hashes.SHA3_384,
    hashes.SHA3_512,
)

def _scheme(padding: object, algorithm: object) -> dict[str, Hashable] | None:
    """The options of RSA signatures; none if Sunzi does not know the scheme."""
    if not isinstance(algorithm, _HASHES):
        return None
    if isinstance(padding, paddings.PKCS1v15):
        return {"padding": "pkcs1v15", "hash": algorithm.name}
    if not isinstance(padding, paddings.PSS) or padding.mgf._algorithm.name != algorithm.name:
        return None
    length: object = padding._salt_length
    if length is paddings.PSS.DIGEST_LENGTH:
        length = algorithm.digest_size
    if length is paddings.PSS.MAX_LENGTH or length is paddings.PSS.AUTO:
        return None
    assert isinstance(length, int)
    return {"padding": "pss", "hash": algorithm.name, "salt_length": length}


def _encryption(padding: object) -> dict[str, Hashable] | None:
    """The options of RSA encryption; none if Sunzi does not know the scheme."""
    if isinstance(padding, paddings.PKCS1v15):
        return {"padding": "pkcs1v15"}
    if not isinstance(padding, paddings.OAEP) or not isinstance(padding.algorithm, _HASHES):
        return None
    if padding.mgf._algorithm.name != padding.algorithm.name:
        return None
    return {"padding": "oaep", "hash": padding.algorithm.name, "label": padding._label or b""}


class RSAPublicKey(rsa.RSAPublicKey):
    """A public key of RSA."""

    def __init__(self, key: rsa.RSAPublicKey, sunzi_key: _sunzi.PublicKey) -> None:
        self._key = key
        self.sunzi_key = sunzi_key

    @property
    def key_size(self) -> int:
        return self._key.key_size

    def encrypt(self, plaintext: bytes, padding: paddings.AsymmetricPadding) -> bytes:
        options = _encryption(padding)
        if options is None:
            return self._key.encrypt(plaintext, padding)
        ciphertext: bytes = gathered("encrypt", self.sunzi_key, plaintext, **options)
        return ciphertext

    def verify(
        self, signature: bytes, data: bytes, padding: paddings.AsymmetricPadding, algorithm: Any
    ) -> None:
        options = _scheme(padding, algorithm)
        if options is None:
            self._key.verify(signature, data, padding, algorithm)
        elif not gathered("verify", self.sunzi_key, data, signature, **options):
            raise InvalidSignature

    def recover_data_from_signature(
        self, signature: bytes, padding: paddings.AsymmetricPadding, algorithm: Any
    ) -> bytes:
        return self._key.recover_data_from_signature(signature, padding, algorithm)

    def public_numbers(self) -> rsa.RSAPublicNumbers:
        return self._key.public_numbers()

    def public_bytes(
        self, encoding: serialization.Encoding, format: serialization.PublicFormat
    ) -> bytes:
        return self._key.public_bytes(encoding, format)

    def __eq__(self, other: object) -> bool:
        return self._key == (other._key if isinstance(other, RSAPublicKey) else other)

    def __hash__(self) -> int:
        return hash(self.sunzi_key)

    def __copy__(self) -> RSAPublicKey:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> RSAPublicKey:
        return self


class RSAPrivateKey(rsa.RSAPrivateKey):
    """A private key of RSA."""

    def __init__(self, key: rsa.RSAPrivateKey, sunzi_key: _sunzi.PrivateKey) -> None:
        self._key = key
        self.sunzi_key = sunzi_key
        self._public = RSAPublicKey(key.public_key(), sunzi_key.public_key())

    @property
    def key_size(self) -> int:
        return self._key.key_size

    def public_key(self) -> RSAPublicKey:
        return self._public

    def sign(
        self, data: bytes, padding: paddings.AsymmetricPadding, algorithm: Any
    ) -> bytes:
        options = _scheme(padding, algorithm)
        if options is None:
            return self._key.sign(data, padding, algorithm)
        signature: bytes = gathered("sign", self.sunzi_key, data, **options)
        return signature

    def decrypt(self, ciphertext: bytes, padding: paddings.AsymmetricPadding) -> bytes:
        options = _encryption(padding)
        if options is None:
            return self._key.decrypt(ciphertext, padding)
        plaintext: bytes = gathered("decrypt", self.sunzi_key, ciphertext, **options)
        return plaintext

    def private_numbers(self) -> rsa.RSAPrivateNumbers:
        return self._key.private_numbers()

    def private_bytes(
        self,
        encoding: serialization.Encoding,
        format: serialization.PrivateFormat,
        encryption_algorithm: serialization.KeySerializationEncryption,
    ) -> bytes:
        return self._key.private_bytes(encoding, format, encryption_algorithm)

    def __copy__(self) -> RSAPrivateKey:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> RSAPrivateKey:
        return self


def _ecdsa(algorithm: ec.EllipticCurveSignatureAlgorithm) -> dict[str, Hashable] | None:
    """The options of ECDSA; none if Sunzi does not know the hash."""
    if isinstance(algorithm, ec.ECDSA) and isinstance(algorithm.algorithm, _HASHES):
        return {"hash": algorithm.algorithm.name}
    return None


class EllipticCurvePublicKey(ec.EllipticCurvePublicKey):
    """A public key of a curve."""

    def __init__(self, key: ec.EllipticCurvePublicKey, sunzi_key: _sunzi.PublicKey) -> None:
        self._key = key
        self.sunzi_key = sunzi_key

    @property
    def curve(self) -> ec.EllipticCurve:
        return self._key.curve

    @property
    def key_size(self) -> int:
        return self._key.key_size

    def verify(
        self,
        signature: Any,
        data: Any,
        signature_algorithm: ec.EllipticCurveSignatureAlgorithm,
    ) -> None:
        options = _ecdsa(signature_algorithm)
        if options is None:
            self._key.verify(signature, data, signature_algorithm)
        elif not gathered("verify", self.sunzi_key, data, signature, **options):
            raise InvalidSignature

    def public_numbers(self) -> ec.EllipticCurvePublicNumbers:
        return self._key.public_numbers()

    def public_bytes(
        self, encoding: serialization.Encoding, format: serialization.PublicFormat
    ) -> bytes:
        return self._key.public_bytes(encoding, format)

    def __eq__(self, other: object) -> bool:
        return self._key == (other._key if isinstance(other, EllipticCurvePublicKey) else other)

    def __hash__(self) -> int:
        return hash(self.sunzi_key)

    def __copy__(self) -> EllipticCurvePublicKey:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> EllipticCurvePublicKey:
        return self


class EllipticCurvePrivateKey(ec.EllipticCurvePrivateKey):
    """A private key of a curve."""

    def __init__(self, key: ec.EllipticCurvePrivateKey, sunzi_key: _sunzi.PrivateKey) -> None:
        self._key = key
        self.sunzi_key = sunzi_key
        self._public = EllipticCurvePublicKey(key.public_key(), sunzi_key.public_key())

    @property
    def curve(self) -> ec.EllipticCurve:
        return self._key.curve

    @property
    def key_size(self) -> int:
        return self._key.key_size

    def public_key(self) -> EllipticCurvePublicKey:
        return self._public

    def sign(self, data: Any, signature_algorithm: ec.EllipticCurveSignatureAlgorithm) -> bytes:
        options = _ecdsa(signature_algorithm)
        if options is None:
            return self._key.sign(data, signature_algorithm)
        signature: bytes = gathered("sign", self.sunzi_key, data, **options)
        return signature

    def exchange(
        self, algorithm: ec.ECDH, peer_public_key: ec.EllipticCurvePublicKey
    ) -> bytes:
        if not isinstance(peer_public_key, EllipticCurvePublicKey):
            peer_public_key = adopt(peer_public_key)
        secret: bytes = gathered("agree", self.sunzi_key, peer_public_key.sunzi_key)
        return secret

    def private_numbers(self) -> ec.EllipticCurvePrivateNumbers:
        return self._key.private_numbers()

    def private_bytes(
        self,
        encoding: serialization.Encoding,
        format: serialization.PrivateFormat,
        encryption_algorithm: serialization.KeySerializationEncryption,
    ) -> bytes:
        return self._key.private_bytes(encoding, format, encryption_algorithm)

    def __copy__(self) -> EllipticCurvePrivateKey:
        return self

    def __deepcopy__(self, memo: dict[Any, Any]) -> EllipticCurvePrivateKey:
        return self


@overload
def adopt(key: rsa.RSAPrivateKey) -> RSAPrivateKey: ...
@overload
def adopt(key: rsa.RSAPublicKey) -> RSAPublicKey: ...
@overload
def adopt(key: ec.EllipticCurvePrivateKey) -> EllipticCurvePrivateKey: ...
@overload
def adopt(key: ec.EllipticCurvePublicKey) -> EllipticCurvePublicKey: ...
def adopt(key: Any) -> Any:
    """The same key, with Sunzi behind it.

    Raises TypeError for a key of another algorithm, and ValueError for one that Sunzi refuses: of a curve that it
    does not know, for instance.
    """
    if isinstance(key, rsa.RSAPublicKey):
        return RSAPublicKey(key, _public(key))
    if isinstance(key, ec.EllipticCurvePublicKey):
        return EllipticCurvePublicKey(key, _public(key))
    if isinstance(key, rsa.RSAPrivateKey):
        return RSAPrivateKey(key, _private(key))
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return EllipticCurvePrivateKey(key, _private(key))
    raise TypeError(f"a key of RSA or of an elliptic curve is needed, not {type(key).__name__}")


def _public(key: rsa.RSAPublicKey | ec.EllipticCurvePublicKey) -> _sunzi.PublicKey:
    spki = serialization.PublicFormat.SubjectPublicKeyInfo
    return _keys.load_public_key(key.public_bytes(serialization.Encoding.DER, spki))


def _private(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> _sunzi.PrivateKey:
    pkcs8, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return _keys.load_private_key(key.private_bytes(serialization.Encoding.DER, pkcs8, plain))
