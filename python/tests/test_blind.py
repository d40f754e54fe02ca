"""Blind signatures, against the test vectors of RFC 9474 and the package `cryptography`."""

import json
import math
from pathlib import Path

import pytest
import sunzi
from sunzi import blind

rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import padding  # noqa: E402

FIXTURE = Path(__file__).parents[2] / "crates/pk/tests/fixtures/rfc9474.json"
VECTORS = json.loads(FIXTURE.read_text())


def number(text: str) -> int:
    return int(text, 16)


def private_key(vector: dict[str, str]) -> sunzi.PrivateKey:
    n, e, d, p, q = (number(vector[name]) for name in "nedpq")
    numbers = rsa.RSAPrivateNumbers(
        p, q, d, d % (p - 1), d % (q - 1), pow(q, -1, p), rsa.RSAPublicNumbers(e, n)
    )
    der = numbers.private_key().private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return sunzi.load_private_key(der)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_vectors_of_rfc_9474(vector: dict[str, str]) -> None:
    """What has no randomness, byte for byte."""
    key, variant = private_key(vector), vector["name"]
    message = bytes.fromhex(vector["input_msg"])
    assert message.endswith(bytes.fromhex(vector["msg"]))
    answer = blind.blind_sign_many(key, [bytes.fromhex(vector["blinded_msg"])])[0]
    assert answer == bytes.fromhex(vector["blind_sig"])
    inverse = number(vector["inv"]).to_bytes(len(answer), "big")
    public = key.public_key()
    signature = blind.finalize_many(public, [message], [answer], [inverse], variant=variant)[0]
    assert signature == bytes.fromhex(vector["sig"])
    assert blind.verify_many(public, [message], [signature], variant=variant) == [True]


@pytest.mark.parametrize("variant", blind.VARIANTS)
def test_a_round_of_each_variant(variant: str) -> None:
    keys = [private_key(VECTORS[0]), sunzi.generate_key("RSA-2048")]
    keys = [keys[k % 2] for k in range(6)]
    public = [key.public_key() for key in keys]
    messages = blind.prepare_many([b"token %d" % k for k in range(6)], variant=variant)
    prefix = 0 if "Deterministic" in variant else 32
    assert [message[prefix:] for message in messages] == [b"token %d" % k for k in range(6)]
    assert len({message[:prefix] for message in messages}) == (6 if prefix else 1)
    blinded, inverses = blind.blind_many(public, messages, variant=variant)
    again, _ = blind.blind_many(public, messages, variant=variant)
    assert not set(blinded) & set(again)
    answers = blind.blind_sign_many(keys, blinded)
    signatures = blind.finalize_many(public, messages, answers, inverses, variant=variant)
    assert blind.verify_many(public, messages, signatures, variant=variant) == [True] * 6
    for key, message, text, inverse, answer, signature in zip(
        public, messages, blinded, inverses, answers, signatures
    ):
        theirs = serialization.load_der_public_key(key.to_der())
        scheme = padding.PSS(padding.MGF1(hashes.SHA384()), blind.VARIANTS[variant])
        theirs.verify(signature, message, scheme, hashes.SHA384())
        # By the definitions: z = m r^e, and s = z^d / r.
        n, e = theirs.public_numbers().n, theirs.public_numbers().e
        z, r, s = (int.from_bytes(x, "big") for x in (text, inverse, signature))
        r = pow(r, -1, n)
        assert pow(int.from_bytes(answer, "big"), e, n) == z
        assert pow(s, e, n) * pow(r, e, n) % n == z and math.gcd(r, n) == 1


def test_errors_stay_with_their_items() -> None:
    key = private_key(VECTORS[0])
    public, size = key.public_key(), len(bytes.fromhex(VECTORS[0]["sig"]))
    messages = blind.prepare_many([b"one", b"two", b"three"])
    blinded, inverses = blind.blind_many(public, messages)
    with pytest.raises(ValueError) as caught:
        blind.blind_sign_many(key, [blinded[0], blinded[1][:-1]])
    assert caught.value.index == 1
    answers = blind.blind_sign_many(key, [*blinded, b"\xff" * size, b""], errors="return")
    assert [isinstance(answer, bytes) for answer in answers] == [True] * 3 + [False] * 2
    answers = [answers[0], answers[2], answers[2]]
    tokens = blind.finalize_many(public, messages, answers, inverses, errors="return")
    assert [isinstance(token, bytes) for token in tokens] == [True, False, True]
    assert blind.verify_many(public, messages[::-1], [tokens[2], tokens[0], tokens[0]]) == [
        True,
        False,
        True,
    ]
    with pytest.raises(ValueError, match="no signature of the message"):
        blind.finalize_many(public, messages, answers, inverses)
    with pytest.raises(ValueError, match="messages has 3 items, and inverses has 2"):
        blind.finalize_many(public, messages, answers, inverses[:2])
    curve = sunzi.generate_key("P-256")
    with pytest.raises(ValueError, match="P-256 has no blind signatures"):
        blind.blind_sign_many(curve, blinded)
    assert all(isinstance(e, ValueError) for e in blind.blind_many(curve.public_key(), [b""], errors="return")[0])
    for function in (
        lambda name: blind.prepare_many([b"m"], variant=name),
        lambda name: blind.blind_many(public, [b"m"], variant=name),
        lambda name: blind.verify_many(public, [b"m"], [b""], variant=name),
    ):
        with pytest.raises(ValueError, match="no variant named"):
            function("RSABSSA")
