"""JSON Web Tokens (RFC 7519), many at a time, by the advice of RFC 8725.

>>> from sunzi import jwt
>>> jwk = {"kty": "OKP", "crv": "Ed25519", "kid": "one",  # RFC 8037, appendix A.1
...     "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
...     "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
>>> tokens = jwt.sign_many([{"sub": "a", "exp": 2000}, {"sub": "b", "exp": 1000}], jwk)
>>> for verdict in jwt.verify_many(tokens, {"keys": [jwk]}, now=1500):
...     print(verdict.valid, verdict.reason, verdict.claims)
True None {'sub': 'a', 'exp': 2000}
False it expired 500 seconds ago None

Signatures, JSON, base64url and the rules are checked in Rust, free of the interpreter's lock; the claims of the tokens
that are valid then become Python's objects.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _sunzi
from ._engine import default_engine
from ._sunzi import Engine

__all__ = ["Keys", "Verdict", "sign_many", "verify_many"]


class Verdict(NamedTuple):
    """What is known of a token."""

    valid: bool
    reason: str | None
    """Why it is refused."""
    claims: Any
    """The claims of a token that is valid; with `any_payload` the payload, as bytes."""


class Keys:
    """A JSON Web Key Set, prepared: worthwhile for more than one call.

    `jwks` is JSON, as text or bytes, or what `json.loads` makes of it. Of private keys the public halves are used.
    Raises ValueError for what is no set of keys. A key that is refused does not prevent the use of others.
    """

    def __init__(self, jwks: str | bytes | Mapping[str, Any], *, engine: Engine | None = None) -> None:
        if isinstance(jwks, Mapping):
            jwks = json.dumps(jwks)
        file = jwks.encode() if isinstance(jwks, str) else bytes(jwks)
        self._keys = _sunzi.JwtKeys(engine or default_engine(), file)

    def __len__(self) -> int:
        return len(self._keys)


def verify_many(
    tokens: Iterable[str | bytes],
    jwks: Keys | str | bytes | Mapping[str, Any],
    *,
    algorithms: Iterable[str] | None = None,
    audience: str | Sequence[str] | None = None,
    any_audience: bool = False,
    issuer: str | Sequence[str] | None = None,
    required: Iterable[str] = (),
    typ: str | None = None,
    leeway: int = 0,
    now: int | None = None,
    any_payload: bool = False,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[Verdict]:
    """A `Verdict` for each token, in the same order. Whatever a token contains, it raises nothing.

    The key is the one that the header's `kid` names in the set, the algorithm that key's: its `alg`, or the only one of
    its curve. `algorithms` permits no others, and is needed for RSA and symmetric keys without `alg`. Refused are: `alg`
    none, any `crit`, a `kid` that is missing, unknown or double, double members in JSON, whitespace or padding in
    base64url, RSA keys of fewer than 2048 bits.

    `exp` and `nbf` are checked if they are there, with `leeway` in seconds, against `now`, by default the present time.
    `aud` must be there and name one of `audience`, and must not be there without it, unless `any_audience` is true;
    `iss` must be one of `issuer`; the claims `required` must be there; `typ` is that of the header. With `any_payload`
    only signatures are verified, of JSON Web Signatures with any payload.
    """
    keys = jwks if isinstance(jwks, Keys) else Keys(jwks, engine=engine)
    answers = _sunzi.jwt_verify(
        keys._keys,
        tokens,
        now=int(time.time()) if now is None else now,
        leeway=leeway,
        audiences=_texts(audience),
        any_audience=any_audience,
        issuers=_texts(issuer),
        required=list(required),
        typ=typ,
        algorithms=None if algorithms is None else list(algorithms),
        any_payload=any_payload,
        threads=threads,
        progress=progress,
    )
    loads = bytes if any_payload else json.loads
    return [
        Verdict(True, None, loads(payload)) if reason is None else Verdict(False, reason, None)
        for payload, reason in answers
    ]


def sign_many(
    claims: Iterable[Mapping[str, Any] | str | bytes],
    jwk: str | bytes | Mapping[str, Any],
    *,
    kid: str | None = None,
    algorithm: str | None = None,
    typ: str | None = "JWT",
    hedged: bool = False,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> list[str]:
    """A token for each of the claims, in the same order: objects, or their JSON, which is signed as it stands.

    `jwk` is a private JSON Web Key, or a set of them, of which `kid` chooses one. Its `kid` goes into the headers. Its
    algorithm is its `alg`, the only one of its curve, or `algorithm`. With `hedged` the nonces of ECDSA and EdDSA also
    depend on fresh randomness. Raises ValueError for a key that cannot sign, and for claims that are no JSON object,
    have double members, or times that are no numbers.
    """
    if isinstance(jwk, Mapping):
        jwk = json.dumps(jwk)
    return _sunzi.jwt_sign(
        engine or default_engine(),
        jwk.encode() if isinstance(jwk, str) else bytes(jwk),
        [_json(item) for item in claims],
        kid=kid,
        algorithm=algorithm,
        typ=typ,
        hedged=hedged,
        threads=threads,
        progress=progress,
    )


def _json(claims: Mapping[str, Any] | str | bytes) -> bytes:
    if isinstance(claims, bytes):
        return claims
    if isinstance(claims, str):
        return claims.encode()
    return json.dumps(claims, separators=(",", ":"), allow_nan=False).encode()


def _texts(value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)
