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
PARTIAL_VECTORS = json.loads(
    (Path(__file__).parents[2] / "vectors/partially_blind_rsa.json").read_text()
)


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


@pytest.mark.parametrize("vector", PARTIAL_VECTORS, ids=["both", "no info", "no message", "neither"])
def test_the_vectors_of_partially_blind_signatures(vector: dict[str, str]) -> None:
    """What has no randomness, byte for byte."""
    key, variant = private_key(vector), "RSAPBSSA-SHA384-PSS-Deterministic"
    info, message, signature = (bytes.fromhex(vector[name]) for name in ("info", "msg", "sig"))
    answer = blind.blind_sign_many(key, [bytes.fromhex(vector["blind_msg"])], info=info)[0]
    assert answer == bytes.fromhex(vector["blind_sig"])
    inverse = pow(number(vector["r"]), -1, number(vector["n"])).to_bytes(len(answer), "big")
    public = key.public_key()
    for name in (variant, variant.replace("PBSSA", "BSSA")):
        made = blind.finalize_many(public, [message], [answer], [inverse], info=info, variant=name)
        assert made == [signature]
    assert blind.verify_many(public, [message], [signature], info=[info], variant=variant) == [True]
    assert blind.verify_many(public, [message], [signature], info=b"x", variant=variant) == [False]
    # By the definition of a signature, with an exponent that no other library takes.
    assert pow(int.from_bytes(answer, "big"), number(vector["eprime"]), number(vector["n"])) == (
        number(vector["blind_msg"])
    )


@pytest.mark.parametrize("variant", blind.VARIANTS)
def test_a_round_with_metadata(variant: str) -> None:
    key = private_key(PARTIAL_VECTORS[0])
    public = key.public_key()
    infos = [b"May", bytearray(b"June"), b"May"]
    messages = blind.prepare_many([b"one", b"two", b"three"], variant=variant)
    blinded, inverses = blind.blind_many(public, messages, info=infos, variant=variant)
    answers = blind.blind_sign_many(key, [*blinded, b""], info=[*infos, b""], errors="return")
    assert isinstance(answers.pop(), ValueError)
    tokens = blind.finalize_many(public, messages, answers, inverses, info=infos, variant=variant)
    assert blind.verify_many(public, messages, tokens, info=infos, variant=variant) == [True] * 3
    assert blind.verify_many(public, messages, tokens, info=b"May", variant=variant) == [
        True,
        False,
        True,
    ]
    # Without the metadata it is none, and the month of another is another's.
    assert blind.verify_many(public, messages, tokens, variant=variant) == [False] * 3
    wrong = blind.blind_sign_many(key, blinded, info=b"May")
    tokens = blind.finalize_many(
        public, messages, wrong, inverses, info=infos, variant=variant, errors="return"
    )
    assert [isinstance(token, bytes) for token in tokens] == [True, False, True]
    assert tokens[1].index == 1


def test_what_is_refused_with_metadata() -> None:
    key = private_key(PARTIAL_VECTORS[0])
    public, other = key.public_key(), sunzi.generate_key("RSA-2048")
    blinded, _ = blind.blind_many(public, [b"m"], info=b"")
    with pytest.raises(ValueError, match="no safe prime of half the modulus' length") as caught:
        blind.blind_sign_many([key, other], blinded * 2, info=b"")
    assert caught.value.index == 1
    with pytest.raises(ValueError, match="P-256 has no blind signatures"):
        blind.blind_sign_many(sunzi.generate_key("P-256"), blinded, info=b"")
    with pytest.raises(ValueError, match="info has 2 items, and the batch has 1"):
        blind.blind_sign_many(key, blinded, info=[b"", b""])
    with pytest.raises(ValueError, match="no variant named"):
        blind.blind_many(public, [b"m"], info=b"", variant="RSABSSA")
    with pytest.raises(TypeError, match="info must be bytes, or a list of bytes"):
        blind.blind_many(public, [b"m"], info=1)
    with pytest.raises(TypeError, match="info must be a list, not str"):
        blind.blind_many(public, [b"m"], info="m")
    with pytest.raises(ValueError, match="messages has 1 items, and signatures has 0"):
        blind.verify_many(public, [b"m"], [], info=b"")
    with pytest.raises(ValueError, match="keys of 100 bits are not generated"):
        blind.generate_safe_keys(100)


def test_a_new_key_for_metadata() -> None:
    calls: list[tuple[int, int]] = []
    [key] = blind.generate_safe_keys(2048, progress=lambda done, of: calls.append((done, of)))
    assert calls and all(of == 2 for _, of in calls)
    public = key.public_key()
    blinded, inverses = blind.blind_many(public, [b"m"], info=b"info")
    answers = blind.blind_sign_many(key, blinded, info=b"info")
    tokens = blind.finalize_many(public, [b"m"], answers, inverses, info=b"info")
    assert blind.verify_many(public, [b"m"], tokens, info=b"info") == [True]
