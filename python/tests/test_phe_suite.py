"""phe's own tests, with its keys and numbers computed by Sunzi where it can: with keys of 2,048 to 4,096 bits. The
tests come with the package phe."""

import collections
import functools
import unittest
from collections.abc import Callable
from typing import Any

import pytest
from sunzi import paillier

pytest.importorskip("phe")
from phe import paillier as theirs  # noqa: E402


@functools.cache
def public_key(n: int) -> paillier.PublicKey:
    return paillier.PublicKey(n)


@functools.cache
def private_key(p: int, q: int) -> paillier.PrivateKey:
    return paillier.PrivateKey.from_primes(p, q)


def vector(number: Any) -> paillier.EncryptedVector:
    return paillier.EncryptedVector.from_phe([number], public_key(number.public_key.n))


def takes(key: Any) -> bool:
    return 2048 <= key.n.bit_length() <= 4096


def generate(keyring: Any = None, n_length: int = theirs.DEFAULT_KEYSIZE) -> Any:
    if n_length < 2048:
        return NotImplemented
    primes = paillier.generate_key(n_length)._key.primes
    public = theirs.PaillierPublicKey(primes[0] * primes[1])
    private = theirs.PaillierPrivateKey(public, *primes)
    if keyring is not None:
        keyring.add(private)
    return public, private


def raw_encrypt(key: Any, plaintext: Any, r_value: Any = None) -> Any:
    if r_value is not None or not isinstance(plaintext, int) or not takes(key):
        return NotImplemented
    return public_key(key.n)._key.encrypt([plaintext % key.n])[0]


def raw_decrypt(key: Any, ciphertext: Any) -> Any:
    if not isinstance(ciphertext, int) or not takes(key.public_key):
        return NotImplemented
    return private_key(key.p, key.q)._key.decrypt([ciphertext])[0]


def obfuscate(number: Any) -> Any:
    if not takes(number.public_key):
        return NotImplemented
    number._EncryptedNumber__ciphertext = vector(number).randomize().ciphertexts[0]
    number._EncryptedNumber__is_obfuscated = True


def add_encrypted(number: Any, other: Any) -> Any:
    if not takes(number.public_key):
        return NotImplemented
    return (vector(number) + vector(other)).to_phe(number.public_key)[0]


def add_scalar(number: Any, scalar: Any) -> Any:
    if not takes(number.public_key) or not isinstance(scalar, (int, float)):
        return NotImplemented
    return (vector(number) + scalar).to_phe(number.public_key)[0]


def multiply(number: Any, factor: Any) -> Any:
    if not takes(number.public_key) or not isinstance(factor, (int, float)):
        return NotImplemented
    return (vector(number) * factor).to_phe(number.public_key)[0]


PATCHES: list[tuple[Any, str, Callable[..., Any]]] = [
    (theirs.PaillierPublicKey, "raw_encrypt", raw_encrypt),
    (theirs.PaillierPrivateKey, "raw_decrypt", raw_decrypt),
    (theirs.EncryptedNumber, "obfuscate", obfuscate),
    (theirs.EncryptedNumber, "_add_encrypted", add_encrypted),
    (theirs.EncryptedNumber, "_add_scalar", add_scalar),
    (theirs.EncryptedNumber, "__mul__", multiply),
]


def test_the_tests_of_phe(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: collections.Counter[str] = collections.Counter()

    def patched(name: str, mine: Callable[..., Any], original: Callable[..., Any]) -> Any:
        def method(*arguments: Any, **options: Any) -> Any:
            answer = mine(*arguments, **options)
            if answer is NotImplemented:
                return original(*arguments, **options)
            calls[name] += 1
            return answer

        return method

    for owner, name, mine in PATCHES:
        monkeypatch.setattr(owner, name, patched(name, mine, getattr(owner, name)))
    name = "generate_paillier_keypair"
    monkeypatch.setattr(theirs, name, patched(name, generate, theirs.generate_paillier_keypair))

    suite = unittest.defaultTestLoader.loadTestsFromName("phe.tests.paillier_test")
    result = unittest.TestResult()
    suite.run(result)
    print(f"{result.testsRun} tests of phe; computed by Sunzi: {dict(calls)}")
    failures = [trace for _, trace in [*result.failures, *result.errors]]
    assert not failures, "\n".join(failures)
    assert result.testsRun > 150
    assert all(calls[name] for _, name, _ in PATCHES) and calls["generate_paillier_keypair"]
