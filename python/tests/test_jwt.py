"""Tokens beside PyJWT, both ways, and rules, reasons and their order."""

import base64
import json
import time

import pytest

import sunzi
from sunzi import jwt

peer = pytest.importorskip("jwt", reason="PyJWT is not installed")
NOW = int(time.time())
COUNT = 40


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def private_jwks() -> list[dict[str, str]]:
    """A key for each algorithm that PyJWT has."""
    rsa = peer.algorithms.RSAAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa as rsa_keys

    whole = rsa_keys.generate_private_key(65537, 2048)
    keys = []
    for alg in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"):
        keys.append((alg, rsa.to_jwk(whole, as_dict=True)))
    curves = (("ES256", ec.SECP256R1), ("ES384", ec.SECP384R1), ("ES512", ec.SECP521R1), ("ES256K", ec.SECP256K1))
    for alg, curve in curves:
        key = ec.generate_private_key(curve())
        keys.append((alg, peer.algorithms.ECAlgorithm.to_jwk(key, as_dict=True)))
    for kind in (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey):
        keys.append(("EdDSA", peer.algorithms.OKPAlgorithm.to_jwk(kind.generate(), as_dict=True)))
    for alg, size in (("HS256", 32), ("HS384", 48), ("HS512", 64)):
        keys.append((alg, {"kty": "oct", "k": encoded(bytes(range(size)))}))
    jwks = []
    for place, (alg, jwk) in enumerate(keys):
        jwk = {name: value for name, value in jwk.items() if name != "key_ops"}
        jwks.append({**jwk, "alg": alg, "kid": f"key {place}"})
    return jwks


JWKS = private_jwks()
CLAIMS = [{"sub": f"user {number}", "exp": NOW + 1000, "n": 10**30, "text": "é\u2028"} for number in range(COUNT)]


@pytest.mark.parametrize("jwk", JWKS, ids=lambda jwk: jwk["alg"] + jwk.get("crv", ""))
def test_both_ways(jwk):
    key = peer.PyJWK.from_dict(jwk)
    theirs = [peer.encode(claims, key.key, jwk["alg"], headers={"kid": jwk["kid"]}) for claims in CLAIMS]
    assert jwt.verify_many(theirs, {"keys": JWKS}) == [(True, None, claims) for claims in CLAIMS]
    ours = jwt.sign_many(CLAIMS, {"keys": JWKS}, kid=jwk["kid"])
    public = key.key if jwk["kty"] == "oct" else key.key.public_key()
    assert [peer.decode(token, public, [jwk["alg"]]) for token in ours] == CLAIMS
    assert peer.get_unverified_header(ours[0]) == {"alg": jwk["alg"], "typ": "JWT", "kid": jwk["kid"]}


def test_all_at_a_time_with_wrong_ones_among_them():
    tokens, expected = [], []
    for jwk in JWKS:
        made = jwt.sign_many(CLAIMS[:10], jwk)
        for number, token in enumerate(made):
            text, _, signature = token.rpartition(".")
            if number == 3:
                token = text + "." + made[4].rpartition(".")[2]
            tokens.append(token.encode() if number % 2 else token)
            expected.append(number != 3)
    verdicts = jwt.verify_many(tokens, jwt.Keys(json.dumps({"keys": JWKS})))
    assert [verdict.valid for verdict in verdicts] == expected
    assert {verdict.reason for verdict in verdicts if not verdict.valid} == {"its signature is not valid"}


def test_verdicts_where_pyjwt_has_the_same():
    """Rules about claims, one by one, on one key."""
    jwk = next(jwk for jwk in JWKS if jwk["alg"] == "ES256")
    key = peer.PyJWK.from_dict(jwk).key
    cases = [
        ({}, {}),
        ({"exp": NOW - 1}, {}),
        ({"exp": NOW - 1}, {"leeway": 100}),
        ({"exp": NOW + 1000}, {}),
        ({"nbf": NOW + 1000}, {}),
        ({"nbf": NOW - 1000}, {}),
        ({"aud": "us"}, {}),
        ({"aud": "us"}, {"audience": "us"}),
        ({"aud": ["us", "them"]}, {"audience": "them"}),
        ({"aud": ["us", "them"]}, {"audience": ["x", "us"]}),
        ({"aud": ["us", "them"]}, {"audience": "x"}),
        ({}, {"audience": "us"}),
        ({"iss": "we"}, {"issuer": "we"}),
        ({"iss": "we"}, {"issuer": "you"}),
        ({}, {"issuer": "you"}),
    ]
    for claims, options in cases:
        token = peer.encode(claims, key, "ES256", headers={"kid": jwk["kid"]})
        try:
            peer.decode(token, key.public_key(), ["ES256"], **options)
            expected = True
        except peer.InvalidTokenError:
            expected = False
        verdict = jwt.verify_many([token], {"keys": [jwk]}, **options)[0]
        assert verdict.valid == expected, (claims, options, verdict)


def test_what_is_no_token():
    keys = jwt.Keys({"keys": JWKS})
    assert len(keys) == len(JWKS)
    wrong = ["", "a.b", "a.b.c", "....", "\ud800", "é.é.é", b"\xff.\xff.\xff", "." * 2_000_000]
    assert not any(verdict.valid for verdict in jwt.verify_many(wrong, keys))
    assert jwt.verify_many([], keys) == []
    with pytest.raises(TypeError, match="a token is str or bytes, not int"):
        jwt.verify_many([7], keys)
    for jwks in ("", "[]", '{"keys":[],"keys":[]}', '{"keys":7}'):
        with pytest.raises(ValueError, match="JSON Web Keys"):
            jwt.Keys(jwks)
    with pytest.raises(ValueError, match="no JSON object") as caught:
        jwt.sign_many(["{}", "[]"], JWKS[6])
    assert caught.value.index == 1


def test_any_payload():
    jwk = JWKS[-1]
    key = peer.PyJWK.from_dict(jwk).key
    token = peer.PyJWS().encode(b"no JSON", key, jwk["alg"], headers={"kid": jwk["kid"]})
    verdict = jwt.verify_many([token], {"keys": [jwk]}, any_payload=True)[0]
    assert verdict == (True, None, b"no JSON")
    assert "no JSON object" in jwt.verify_many([token], {"keys": [jwk]})[0].reason


def test_interruptible_and_with_progress():
    told = []
    tokens = jwt.sign_many([{"n": n} for n in range(300)], JWKS[6], progress=lambda *counts: told.append(counts))
    assert told[-1] == (300, 300)
    verdicts = jwt.verify_many(tokens, {"keys": JWKS}, threads=1, engine=sunzi.Engine())
    assert [verdict.claims["n"] for verdict in verdicts] == list(range(300))
