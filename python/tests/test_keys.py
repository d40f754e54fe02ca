"""Keys of any algorithm, against the package `cryptography`."""

import base64
import csv
import json
import pickle
from pathlib import Path

import pytest
import sunzi

cryptography = pytest.importorskip("cryptography")
from cryptography.exceptions import InvalidSignature  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa  # noqa: E402

BIP340 = Path(__file__).parents[2] / "crates/pk/tests/fixtures/bip340.csv"
SIGNING = ["RSA-2048", "P-256", "secp256k1", "P-521", "Ed25519", "Ed448"]
AGREEING = ["P-256", "P-384", "X25519", "X448"]


@pytest.fixture(scope="module")
def keys() -> dict[str, sunzi.PrivateKey]:
    return {name: sunzi.generate_key(name) for name in {*SIGNING, *AGREEING}}


def theirs(key: sunzi.PublicKey):
    return serialization.load_der_public_key(key.to_der())


def test_files(keys: dict[str, sunzi.PrivateKey]) -> None:
    for name, key in keys.items():
        assert key.algorithm == key.public_key().algorithm == name
        assert name in repr(key) and name in repr(key.public_key())
        assert "PRIVATE" not in repr(key)
        for data in (key.to_der(), key.to_pem(), key.to_pem().encode()):
            assert sunzi.load_private_key(data).to_der() == key.to_der()
        sealed = key.to_pem(b"sesame")
        assert sunzi.load_private_key(sealed, "sesame").to_der() == key.to_der()
        with pytest.raises(ValueError, match="passphrase"):
            sunzi.load_private_key(sealed)
        with pytest.raises(ValueError):
            sunzi.load_private_key(sealed, "wrong")
        loaded = serialization.load_pem_private_key(sealed.encode(), b"sesame")
        public = loaded.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        assert sunzi.load_public_key(public) == key.public_key()
        assert pickle.loads(pickle.dumps(key)).to_der() == key.to_der()
        again = pickle.loads(pickle.dumps(key.public_key()))
        assert again == key.public_key() and hash(again) == hash(key.public_key())
        with pytest.raises(ValueError, match="public key"):
            sunzi.load_private_key(key.public_key().to_pem())
        with pytest.raises(ValueError, match="private key"):
            sunzi.load_public_key(key.to_pem())
    for name in ("RSA-2048", "P-256"):
        jwk = keys[name].to_jwk()
        assert sunzi.load_private_key(jwk).to_der() == keys[name].to_der()
    with pytest.raises(ValueError):
        sunzi.load_private_key(b"no key")


def test_keys_are_compared_and_measured(keys: dict[str, sunzi.PrivateKey]) -> None:
    sizes = {"RSA-2048": 2048, "P-256": 256, "secp256k1": 256, "P-384": 384, "P-521": 521}
    sizes |= {"Ed25519": 255, "X25519": 255, "Ed448": 448, "X448": 448}
    for name, key in keys.items():
        again = sunzi.load_private_key(key.to_pem())
        assert key == again and hash(key) == hash(again) and not key != again
        other = sunzi.generate_key(name)
        assert key != other and len({key, again, other}) == 2
        assert key != key.public_key() and key != name and key.public_key() != 1
        for half in (key, key.public_key()):
            assert half.key_size == sizes[name]
            assert half.curve == (None if name == "RSA-2048" else name)
    assert sunzi.generate_key("p-256").algorithm == sunzi.generate_key("PRIME256V1").algorithm == "P-256"
    assert sunzi.generate_key("rsa-2048").algorithm == "RSA-2048"


def test_a_long_key_needs_a_higher_limit() -> None:
    def number(x: int) -> str:
        return base64.urlsafe_b64encode(x.to_bytes((x.bit_length() + 7) // 8, "big")).decode().rstrip("=")

    # Of Mersenne primes.
    p, q, e = (1 << 4423) - 1, (1 << 4253) - 1, 65537
    d = pow(e, -1, (p - 1) * (q - 1))
    numbers = {"n": p * q, "e": e, "d": d, "p": p, "q": q}
    numbers |= {"dp": d % (p - 1), "dq": d % (q - 1), "qi": pow(q, -1, p)}
    jwk = json.dumps({"kty": "RSA"} | {name: number(x) for name, x in numbers.items()})
    with pytest.raises(ValueError, match="8676 bits.*8192 are permitted"):
        sunzi.load_private_key(jwk)
    with pytest.raises(ValueError, match="kdf_limit is 0"):
        sunzi.load_private_key(jwk, kdf_limit=0)
    assert sunzi.load_private_key(jwk, kdf_limit=2).algorithm == "RSA-8676"


def test_unknown_algorithms() -> None:
    with pytest.raises(ValueError, match="not known"):
        sunzi.generate_key("RSA")


def test_signatures_of_any_mix(keys: dict[str, sunzi.PrivateKey]) -> None:
    private = [keys[SIGNING[k % len(SIGNING)]] for k in range(40)]
    public = [key.public_key() for key in private]
    messages = [b"message %d" % k for k in range(40)]
    signatures = sunzi.sign_many(private, messages)
    assert sunzi.verify_many(public, messages, signatures) == [True] * 40
    for key, message, signature in zip(public, messages, signatures):
        other = theirs(key)
        if isinstance(other, rsa.RSAPublicKey):
            other.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
        elif isinstance(other, ec.EllipticCurvePublicKey):
            algorithm = hashes.SHA256() if other.key_size <= 256 else hashes.SHA512()
            other.verify(signature, message, ec.ECDSA(algorithm))
        else:
            other.verify(signature, message)
    wrong = [message + b"!" if k % 2 else message for k, message in enumerate(messages)]
    assert sunzi.verify_many(public, wrong, signatures) == [k % 2 == 0 for k in range(40)]
    assert sunzi.verify_many(public[0], [b"m"], [b""]) == [False]
    assert sunzi.sign_many(private[0], []) == []


def test_schemes(keys: dict[str, sunzi.PrivateKey]) -> None:
    key = keys["RSA-2048"]
    public = key.public_key()
    messages = [b"a", bytearray(b"b"), memoryview(b"c")]
    pss = sunzi.sign_many(key, messages, padding="pss", hash="sha384", salt_length=20)
    assert sunzi.verify_many(public, messages, pss, padding="pss", hash="SHA-384", salt_length=20) == [
        True
    ] * 3
    scheme = padding.PSS(padding.MGF1(hashes.SHA384()), 20)
    theirs(public).verify(pss[0], b"a", scheme, hashes.SHA384())
    with pytest.raises(InvalidSignature):
        theirs(public).verify(pss[0], b"b", scheme, hashes.SHA384())
    raw = sunzi.sign_many(keys["P-256"], messages, encoding="raw", low_s=True)
    assert all(len(signature) == 64 for signature in raw)
    point = keys["P-256"].public_key()
    assert sunzi.verify_many(point, messages, raw, encoding="raw", low_s=True) == [True] * 3
    assert sunzi.verify_many(point, messages, raw) == [False] * 3
    edwards = keys["Ed25519"]
    signed = sunzi.sign_many(edwards, messages, context=b"context")
    verify = sunzi.verify_many
    assert verify(edwards.public_key(), messages, signed, context=b"context") == [True] * 3
    assert verify(edwards.public_key(), messages, signed) == [False] * 3
    for options in (
        {"padding": "none"},
        {"salt_length": 3},
        {"salt_length": -1, "padding": "pss"},
        {"hash": "MD5"},
    ):
        with pytest.raises(ValueError):
            sunzi.sign_many(key, [b"m"], **options)


def test_names_in_small_and_capital_letters(keys: dict[str, sunzi.PrivateKey]) -> None:
    key, curve = keys["RSA-2048"], keys["P-256"]
    public = key.public_key()
    for padding_name in ("PSS", "pss", "Pss"):
        for hash_name in ("SHA256", "sha256", "SHA-256", "sha-256"):
            signed = sunzi.sign_many(key, [b"m"], padding=padding_name, hash=hash_name)
            assert sunzi.verify_many(public, [b"m"], signed, padding="pss") == [True]
    expected = sunzi.sign_many(key, [b"m"])
    for name in ("PKCS1v15", "pkcs1v15", "PKCS1-v1_5", "PKCS#1 v1.5"):
        assert sunzi.sign_many(key, [b"m"], padding=name) == expected
    assert sunzi.sign_many(curve, [b"m"], encoding="RAW") == sunzi.sign_many(curve, [b"m"], encoding="raw")
    bitcoin = keys["secp256k1"]
    assert sunzi.sign_many(bitcoin, [b"m"], scheme="BIP340") == sunzi.sign_many(bitcoin, [b"m"], scheme="bip340")
    sealed = sunzi.encrypt_many(public, [b"m"], padding="OAEP", hash="sha384")
    assert sunzi.decrypt_many(key, sealed, padding="oaep", hash="SHA-384") == [b"m"]


def test_options_that_do_not_apply_are_refused(keys: dict[str, sunzi.PrivateKey]) -> None:
    wrong = {
        "RSA-2048": [{"encoding": "der"}, {"low_s": True}, {"context": b"c"}, {"auxiliary": bytes(32)}],
        "P-256": [{"padding": "pss"}, {"salt_length": 3}, {"context": b"c"}, {"auxiliary": bytes(32)}],
        "Ed25519": [{"padding": "pss"}, {"hash": "SHA-256"}, {"encoding": "raw"}, {"low_s": True}],
        "secp256k1": [
            {"scheme": "bip340", **option}
            for option in ({"hash": "SHA-256"}, {"low_s": True}, {"encoding": "raw"}, {"context": b"c"})
        ],
    }
    for name, some in wrong.items():
        key = keys[name]
        for options in some:
            option = list(options)[-1]
            with pytest.raises(ValueError, match=f"{option} does not apply to") as caught:
                sunzi.sign_many(key, [b"m"], **options)
            assert caught.value.index == 0
            if option != "auxiliary":
                with pytest.raises(ValueError, match=f"{option} does not apply to"):
                    sunzi.verify_many(key.public_key(), [b"m"], [b"s"], **options)
    mixed = sunzi.sign_many(
        [keys["RSA-2048"], keys["P-256"]], [b"m", b"m"], padding="pss", errors="return"
    )
    assert isinstance(mixed[0], bytes) and isinstance(mixed[1], ValueError)
    public = keys["RSA-2048"].public_key()
    for options in ({"hash": "SHA-256"}, {"label": b"l"}):
        with pytest.raises(ValueError, match="is for the padding"):
            sunzi.encrypt_many(public, [b"m"], padding="pkcs1v15", **options)


def test_hedged_nonces(keys: dict[str, sunzi.PrivateKey]) -> None:
    """A message gets another signature each time, which is verified as any other."""
    for name, options in (
        ("P-256", {}),
        ("secp256k1", {}),
        ("P-521", {"encoding": "raw"}),
        ("Ed25519", {}),
        ("Ed448", {"context": b"c"}),
        ("secp256k1", {"scheme": "bip340"}),
    ):
        key = keys[name]
        hedged = sunzi.sign_many(key, [b"m"] * 20, nonces="hedged", **options)
        assert len(set(hedged)) == 20
        assert sunzi.verify_many(key.public_key(), [b"m"] * 20, hedged, **options) == [True] * 20
        usual = sunzi.sign_many(key, [b"m"] * 2, nonces="Deterministic", **options)
        assert usual == sunzi.sign_many(key, [b"m"] * 2, **options) and usual[0] == usual[1] not in hedged
    with pytest.raises(ValueError, match='nonces is "random": "deterministic" and "hedged"'):
        sunzi.sign_many(keys["P-256"], [b"m"], nonces="random")
    with pytest.raises(ValueError, match="nonces does not apply to keys of RSA-2048"):
        sunzi.sign_many(keys["RSA-2048"], [b"m"], nonces="hedged")


def test_errors_are_in_words_of_this_package(keys: dict[str, sunzi.PrivateKey]) -> None:
    key = keys["P-256"]
    public = key.public_key()
    for wrong, words in (
        (lambda: sunzi.sign_many(public, [b"m"]), "keys must be a PrivateKey or a list of them, not PublicKey"),
        (lambda: sunzi.sign_many([key, public], [b"m"] * 2), "item 1 of keys must be a PrivateKey, not PublicKey"),
        (lambda: sunzi.verify_many(key, [b"m"], [b"s"]), "keys must be a PublicKey or a list of them"),
        (lambda: sunzi.agree_many(key, [1]), "item 0 of peers must be a PublicKey, not int"),
        (lambda: sunzi.agree_many(key, public), "peers must be a list, not PublicKey"),
        (lambda: sunzi.verify_many({public}, [b"m"], [b"s"]), "keys must have an order"),
        (lambda: sunzi.sign_many(key, {b"m"}), "messages must have an order: a set has none"),
        (lambda: sunzi.sign_many(key, 1), "messages must be a list, not int"),
        (lambda: sunzi.sign_many(key, "text"), "messages must be a list, not str"),
        (lambda: sunzi.sign_many(key, ["text"]), "item 0 of messages must be bytes, not str"),
        (lambda: sunzi.rsa_private_many(key, 5), "numbers must be a list, not int"),
        (lambda: sunzi.sign_many(keys["Ed25519"], [b"m"], context="text"), "not an instance of 'bytes"),
        (lambda: sunzi.sign_many(keys["secp256k1"], [b"m"], auxiliary=3), "not an instance of 'bytes"),
        (lambda: sunzi.generate_key(3), "not an instance of 'str'"),
    ):
        with pytest.raises(TypeError) as caught:
            wrong()
        assert words in str(caught.value)
        assert not any(word in str(caught.value).lower() for word in ("extract", "enum", "convert"))


def test_encryption(keys: dict[str, sunzi.PrivateKey]) -> None:
    key = keys["RSA-2048"]
    messages = [b"message %d" % k for k in range(10)]
    sealed = sunzi.encrypt_many(key.public_key(), messages, label=b"label")
    assert sunzi.decrypt_many(key, sealed, label=b"label") == messages
    other = serialization.load_der_private_key(key.to_der(), None)
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), b"label")
    assert other.decrypt(sealed[3], oaep) == messages[3]
    damaged = [*sealed[:2], bytes(256), *sealed[3:]]
    with pytest.raises(ValueError) as caught:
        sunzi.decrypt_many(key, damaged, label=b"label")
    assert caught.value.index == 2
    opened = sunzi.decrypt_many(key, damaged, label=b"label", errors="return")
    assert isinstance(opened[2], ValueError)
    assert opened[:2] + opened[3:] == messages[:2] + messages[3:]
    old = sunzi.encrypt_many(key.public_key(), messages, padding="pkcs1v15")
    assert sunzi.decrypt_many(key, old, padding="pkcs1v15") == messages


def test_agreement(keys: dict[str, sunzi.PrivateKey]) -> None:
    mine = [keys[name] for name in AGREEING]
    peers = [sunzi.generate_key(name) for name in AGREEING]
    secrets = sunzi.agree_many(mine, [key.public_key() for key in peers])
    assert secrets == sunzi.agree_many(peers, [key.public_key() for key in mine])
    other = serialization.load_der_private_key(mine[0].to_der(), None)
    expected = other.exchange(ec.ECDH(), theirs(peers[0].public_key()))
    assert secrets[0] == expected
    results = sunzi.agree_many(mine, [peers[0].public_key()] * 4, errors="return")
    assert results[0] == secrets[0]
    assert all(isinstance(error, ValueError) for error in results[1:])


def test_weak_curves_only_verify() -> None:
    theirs = ec.generate_private_key(ec.SECP192R1())
    encoding = serialization.Encoding.DER
    der = theirs.private_bytes(
        encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    key = sunzi.load_private_key(der)
    assert key.algorithm == "P-192"
    signature = theirs.sign(b"m", ec.ECDSA(hashes.SHA256()))
    assert sunzi.verify_many(key.public_key(), [b"m", b"n"], [signature] * 2) == [True, False]
    for refused in (
        lambda: sunzi.generate_key("P-192"),
        lambda: sunzi.sign_many(key, [b"m"]),
        lambda: sunzi.agree_many(key, [key.public_key()]),
    ):
        with pytest.raises(ValueError, match="P-192 is too weak"):
            refused()


def test_what_keys_cannot_do(keys: dict[str, sunzi.PrivateKey]) -> None:
    with pytest.raises(ValueError, match="X25519 cannot sign"):
        sunzi.sign_many(keys["X25519"], [b"m"])
    with pytest.raises(ValueError, match="cannot decrypt"):
        sunzi.decrypt_many(keys["P-256"], [b"m"])
    with pytest.raises(ValueError, match="2 keys were given for 1 items"):
        sunzi.sign_many([keys["P-256"]] * 2, [b"m"])
    with pytest.raises(ValueError, match="1 messages and 2 signatures"):
        sunzi.verify_many(keys["P-256"].public_key(), [b"m"], [b"", b""])
    with pytest.raises(TypeError):
        sunzi.sign_many(keys["P-256"], b"message")
    with pytest.raises(TypeError, match="item 1 of messages"):
        sunzi.sign_many(keys["P-256"], [b"m", "text"])
    with pytest.raises(TypeError):
        sunzi.sign_many(keys["P-256"].public_key(), [b"m"])


def test_rsa_without_padding(keys: dict[str, sunzi.PrivateKey]) -> None:
    mine = [keys["RSA-2048"], sunzi.generate_key("RSA-3072")]
    numbers = [theirs(key.public_key()).public_numbers() for key in mine]
    items = [0, 1, 2, 2**2000 + 7, 3**1200, numbers[0].n - 1]
    some = [mine[item % 2] for item in range(6)]
    powers = sunzi.rsa_private_many(some, items)
    for place, power in enumerate(powers):
        public = numbers[place % 2]
        assert pow(power, public.e, public.n) == items[place]
    publics = [key.public_key() for key in some]
    assert sunzi.rsa_public_many(publics, powers) == items
    assert sunzi.rsa_public_many(publics[0], [2, 3]) == [
        pow(x, numbers[0].e, numbers[0].n) for x in (2, 3)
    ]
    results = sunzi.rsa_private_many(mine[0], [5, numbers[0].n, 6], errors="return")
    assert isinstance(results[1], ValueError) and results[1].index == 1
    assert pow(results[2], numbers[0].e, numbers[0].n) == 6
    for wrong in (
        lambda: sunzi.rsa_private_many(keys["P-256"], [1]),
        lambda: sunzi.rsa_public_many(publics[0], [-1]),
        lambda: sunzi.rsa_private_many(mine, [1]),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_signatures_of_bip_340(keys: dict[str, sunzi.PrivateKey]) -> None:
    """Its vectors, byte for byte."""
    private, verifiable = [], []
    for row in csv.DictReader(BIP340.read_text().splitlines()):
        message, signature = (bytes.fromhex(row[name]) for name in ("message", "signature"))
        if row["secret key"]:
            secret = ec.derive_private_key(int(row["secret key"], 16), ec.SECP256K1())
            der = secret.private_bytes(
                serialization.Encoding.DER,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            key = sunzi.load_private_key(der)
            auxiliary = bytes.fromhex(row["aux_rand"])
            made = sunzi.sign_many(key, [message], scheme="bip340", auxiliary=auxiliary)
            assert made == [signature]
            private.append(key)
        try:
            point = b"\x02" + bytes.fromhex(row["public key"])
            public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), point)
        except ValueError:
            assert row["verification result"] == "FALSE"
            continue
        der = public.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        valid = row["verification result"] == "TRUE"
        verifiable.append((sunzi.load_public_key(der), message, signature, valid))
    assert len(private) == 8 and len(verifiable) == 17
    publics, messages, signatures, valid = zip(*verifiable)
    assert sunzi.verify_many(publics, messages, signatures, scheme="bip340") == list(valid)

    zeros = sunzi.sign_many(private[0], [b"m"], scheme="bip340", auxiliary=bytes(32))
    assert sunzi.sign_many(private[0], [b"m"], scheme="bip340") == zeros
    other = sunzi.sign_many(private[0], [b"m"], scheme="bip340", auxiliary=b"1" * 32)
    assert other != zeros
    verify = sunzi.verify_many
    assert verify(private[0].public_key(), [b"m"] * 2, zeros + other, scheme="bip340") == [True] * 2
    for wrong in (
        lambda: sunzi.sign_many(keys["P-256"], [b"m"], scheme="bip340"),
        lambda: verify(keys["P-256"].public_key(), [b"m"], zeros, scheme="bip340"),
        lambda: sunzi.sign_many(keys["RSA-2048"], [b"m"], scheme="bip340"),
        lambda: sunzi.sign_many(private[0], [b"m"], scheme="bip340", hash="SHA-256"),
        lambda: sunzi.sign_many(private[0], [b"m"], scheme="bip341"),
        lambda: sunzi.sign_many(private[0], [b"m"], scheme="bip340", auxiliary=bytes(31)),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()
