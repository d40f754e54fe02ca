"""BLS signatures, against vectors of blspy, the names of the draft, and Ethereum's and drand's suites."""

import json
from pathlib import Path

import pytest
import sunzi
from sunzi import bls

VECTORS = json.loads(
    (Path(__file__).parents[2] / "vectors/pairings/signatures.json").read_text()
)
# The neutral elements of G1 and G2, compressed.
INFINITE_KEY = bytes([0xC0]) + bytes(47)
INFINITE_SIGNATURE = bytes([0xC0]) + bytes(95)
SUITES = [bls.G2Basic, bls.G2MessageAugmentation, bls.G2ProofOfPossession, bls.Suite("min-sig", "basic")]


def items(cases: list[dict[str, str]]) -> list[list[bytes]]:
    return [[bytes.fromhex(case[name]) for case in cases] for name in ("pk", "msg", "sig")]


def test_vectors() -> None:
    cases = VECTORS["items"]
    expected = [case["expect"] == "valid" for case in cases]
    assert bls.verify_many(*items(cases)) == expected and any(expected) and not all(expected)
    for key, message, signature, verdict in zip(*items(cases), expected):
        assert bls.Verify(key, message, signature) is verdict
    right = [case for case in cases if case["expect"] == "valid"]
    assert bls.verify_all(*items(right)) and not bls.verify_all(*items(cases))
    # Two wrong signatures whose errors cancel each other.
    cancelling = items(VECTORS["cancelling_pair"])
    assert bls.verify_many(*cancelling) == [False, False] and not bls.verify_all(*cancelling)


def test_aggregates_of_the_vectors() -> None:
    fast = VECTORS["fast"]
    # Of messages of 32 equal bytes, which are the numbers of the keys.
    keys = [bytes.fromhex(key) for key in fast["pks"][:4]]
    messages = [bytes([k]) * 32 for k in range(4)]
    aggregate = bytes.fromhex(VECTORS["aggregate_0_to_3"])
    assert bls.AggregateVerify(keys, messages, aggregate)
    assert not bls.AggregateVerify(keys[:3], messages[:3], aggregate)
    assert not bls.AggregateVerify(keys, messages[:3], aggregate)
    keys = [bytes.fromhex(key) for key in fast["pks"]]
    message, signature = bytes.fromhex(fast["msg"]), bytes.fromhex(fast["sig"])
    assert bls.FastAggregateVerify(keys, message, signature)
    assert not bls.FastAggregateVerify(keys, message + b"!", signature)
    sum_of_keys = bls.G2ProofOfPossession.aggregate_keys(keys)
    assert bls.Verify(sum_of_keys, message, signature)


@pytest.mark.parametrize("suite", SUITES)
def test_round_trips(suite: bls.Suite) -> None:
    secrets = [1, bls.ORDER - 1, bls.KeyGen(bytes(range(32)), b"info"), (7).to_bytes(32, "big")]
    keys = suite.sk_to_pk_many(secrets)
    assert suite.key_validate_many(keys) == [True] * 4
    assert [suite.SkToPk(secret) for secret in secrets] == keys
    messages = [b"", b"one", b"two", bytes(1000)]
    signatures = suite.sign_many(secrets, messages)
    assert [suite.Sign(secret, m) for secret, m in zip(secrets, messages)] == signatures
    assert suite.verify_many(keys, messages, signatures) == [True] * 4
    assert suite.verify_all(keys, messages, signatures)
    wrong = signatures[1:] + signatures[:1]
    assert suite.verify_many(keys, messages, wrong) == [False] * 4
    assert not suite.verify_all(keys, messages, wrong)
    aggregate = suite.Aggregate(signatures)
    assert suite.AggregateVerify(keys, messages, aggregate)
    assert suite.AggregateVerify(keys, messages[::-1], aggregate) is False
    # One key for all messages.
    signatures = suite.sign_many(5, messages)
    assert suite.verify_many(suite.SkToPk(5), messages, signatures) == [True] * 4
    assert suite.Verify(suite.SkToPk(5), memoryview(b"one"), bytearray(signatures[1]))


def test_proofs_of_possession() -> None:
    secrets = [3, 4, 5]
    keys, proofs = bls.sk_to_pk_many(secrets), bls.pop_prove_many(secrets)
    assert bls.pop_verify_many(keys, proofs) == [True] * 3
    assert bls.pop_verify_many(keys, proofs[::-1]) == [False, True, False]
    assert bls.PopVerify(keys[0], bls.PopProve(3))
    # A proof is no signature of the key.
    assert not bls.Verify(keys[0], keys[0], proofs[0])


def test_what_is_no_key_or_signature_is_invalid() -> None:
    secret, message = 9, b"message"
    key, signature = bls.SkToPk(secret), bls.Sign(secret, message)
    bad_keys = [INFINITE_KEY, b"", key[:47], key + b"\0", bytes(48), b"\xff" * 48, signature]
    assert bls.key_validate_many(bad_keys) == [False] * len(bad_keys)
    many = bls.verify_many(bad_keys + [key], [message] * 8, [signature] * 8)
    assert many == [False] * 7 + [True]
    bad_signatures = [INFINITE_SIGNATURE, b"", signature[:95], bytes(96), key]
    many = bls.verify_many(key, [message] * 6, [*bad_signatures, signature])
    assert many == [False] * 5 + [True]
    assert not bls.FastAggregateVerify([], message, INFINITE_SIGNATURE)
    assert bls.FastAggregateVerify([], message, INFINITE_SIGNATURE, ethereum=True)
    assert not bls.FastAggregateVerify([], message, signature, ethereum=True)
    assert not bls.AggregateVerify([], [], INFINITE_SIGNATURE)
    # Keys that add up to the neutral element.
    opposite = bls.SkToPk(bls.ORDER - secret)
    assert not bls.FastAggregateVerify([key, opposite], message, INFINITE_SIGNATURE)
    with pytest.raises(ValueError):
        bls.G2ProofOfPossession.aggregate_keys([key, opposite])
    for signatures in ([], [b""], [key]):
        with pytest.raises(ValueError):
            bls.Aggregate(signatures)


def test_arguments() -> None:
    for secret in (0, bls.ORDER, -1, bytes(32), bytes(31)):
        with pytest.raises(ValueError):
            bls.SkToPk(secret)
    with pytest.raises(TypeError):
        bls.Sign(3, "text")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        bls.verify_many([], [b"message"], [])
    with pytest.raises(ValueError):
        bls.Suite("min-key")
    with pytest.raises(ValueError):
        bls.Suite("min-pk", "augmented")
    with pytest.raises(ValueError):
        bls.Suite(tag=b"")
    for path in ("", "m/x", "m/4294967296", "1/2", "m/-1"):
        with pytest.raises(ValueError):
            bls.derive_key(bytes(32), path)
    with pytest.raises(ValueError):
        bls.KeyGen(bytes(31))
    assert bls.verify_many([], [], []) == [] and bls.sign_many([], []) == []
    assert bls.verify_all([], [], [])


def test_derivation() -> None:
    """EIP-2333, test case 0."""
    seed = bytes.fromhex(
        "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04"
    )
    master = 6083874454709270928345386274498605044986640685124978867557563392430687146096
    child = 20397789859736650942317412262472558107875392172444076792671091975210932703118
    assert bls.derive_key(seed, "m") == bls.KeyGen(seed) == master
    assert bls.derive_key(seed, "m/0") == child


def test_a_beacon_of_drand() -> None:
    """Round 1000 of quicknet: the signature of the round's hash, with a key in G2."""
    import hashlib

    key = bytes.fromhex(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    )
    signature = bytes.fromhex(
        "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
    )
    suite = bls.Suite("min-sig", "basic", tag=b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_")
    message = hashlib.sha256((1000).to_bytes(8, "big")).digest()
    assert suite.Verify(key, message, signature)
    assert not suite.Verify(key, hashlib.sha256(bytes(8)).digest(), signature)
    assert suite.tag.startswith(b"BLS_SIG_BLS12381G1") and sunzi.bls is bls
