#!/usr/bin/env python3
"""Tokens verified by sunzi.jwt and by PyJWT, in turns on one thread: tokens per second of processor time, medians, and
their ratio.

Needs the packages sunzi, PyJWT and cryptography. SUNZI_INSTRUCTIONS=avx2 measures Sunzi as on a processor that has no more.
"""

import argparse
import statistics
import time

import jwt as peer
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from sunzi import jwt

ALGORITHMS = {
    "RS256": lambda: rsa.generate_private_key(65537, 2048),
    "PS256": lambda: rsa.generate_private_key(65537, 2048),
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "ES384": lambda: ec.generate_private_key(ec.SECP384R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tokens", type=int, default=10_000, help="tokens that Sunzi verifies in a turn")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", choices=ALGORITHMS)
    arguments = parser.parse_args()
    print("| | PyJWT, a second | sunzi.jwt, a second | ratio |\n|---|--:|--:|--:|")
    for name, generate in ALGORITHMS.items():
        if arguments.only in (None, name):
            measure(name, generate(), arguments.tokens, arguments.turns)


def measure(name: str, key, count: int, turns: int) -> None:
    public = key.public_key()
    kind = peer.get_algorithm_by_name(name)
    jwk = {**kind.to_jwk(public, as_dict=True), "kid": "key", "alg": name}
    jwk.pop("key_ops", None)
    keys = jwt.Keys({"keys": [jwk]})
    now = int(time.time())
    claims = {"iss": "we", "aud": "us", "iat": now, "exp": now + 86_400}
    # PyJWT is given a tenth, since it takes as long for each.
    few = max(count // 10, 1)
    signed = [
        peer.encode({**claims, "sub": f"user {k}"}, key, name, headers={"kid": "key"}) for k in range(few)
    ]
    tokens = [signed[k % few] for k in range(count)]
    seconds: dict[str, list[float]] = {"peer": [], "ours": []}
    for turn in range(turns + 1):
        start = time.process_time()
        theirs = [peer.decode(token, public, [name], audience="us", issuer="we") for token in signed]
        middle = time.process_time()
        ours = jwt.verify_many(tokens, keys, audience="us", issuer="we", threads=1)
        end = time.process_time()
        assert [verdict.claims for verdict in ours[:few]] == theirs
        assert all(verdict.valid for verdict in ours)
        if turn:  # The first one warms up.
            seconds["peer"].append((middle - start) / few)
            seconds["ours"].append((end - middle) / count)
    peers, ours = (statistics.median(seconds[who]) for who in ("peer", "ours"))
    print(f"| {name} | {1 / peers:,.0f} | {1 / ours:,.0f} | {peers / ours:.1f} |", flush=True)


if __name__ == "__main__":
    main()
