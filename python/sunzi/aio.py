"""The functions on keys and powers for asyncio: none of them blocks the event loop.

>>> import asyncio
>>> import sunzi
>>> from sunzi import aio
>>> async def main() -> list[bool]:
...     key = await aio.generate_key("P-256")
...     signatures = await asyncio.gather(*(aio.sign(key, b"%d" % item) for item in range(5)))
...     return await aio.verify_many(key.public_key(), [b"%d" % item for item in range(5)], signatures)
>>> asyncio.run(main())
[True, True, True, True, True]

`sign`, `verify`, `encrypt`, `decrypt` and `agree` take one item each. What coroutines ask for while a batch is computed
is the next batch, of all keys and algorithms: a server that awaits them for each request computes in batches as large
as its load. One request alone takes as long as a batch of one, which is not what Sunzi is fast at.

The functions of lists have the names and arguments of those of `sunzi`, and run in threads. When one is cancelled, its
computation ends with the part that is being computed, after a quarter to half of a second. `progress` is called in the
event loop's thread.
"""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import sunzi

from ._gather import submitted
from ._sunzi import PrivateKey, PublicKey

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "agree",
    "agree_many",
    "decrypt",
    "decrypt_many",
    "encrypt",
    "encrypt_many",
    "generate_key",
    "generate_keys",
    "powmod_base_list",
    "powmod_base_list_sec",
    "powmod_exp_list",
    "powmod_exp_list_sec",
    "powmod_list",
    "powmod_list_sec",
    "powmod_rows",
    "rsa_private_many",
    "rsa_public_many",
    "sign",
    "sign_many",
    "verify",
    "verify_many",
]


async def sign(key: PrivateKey, message: Buffer, **options: Hashable) -> bytes:
    """The signature of a message. Options are those of `sunzi.sign_many`.

    Raises ValueError for an option that does not apply to the key.
    """
    signature: bytes = await _one("sign", key, message, options)
    return signature


async def verify(key: PublicKey, message: Buffer, signature: Buffer, **options: Hashable) -> bool:
    """Whether a signature is valid. Options are those of `sunzi.verify_many`."""
    verdict: bool = await _one("verify", key, message, signature, options)
    return verdict


async def encrypt(key: PublicKey, message: Buffer, **options: Hashable) -> bytes:
    """The message encrypted with RSA. Options are those of `sunzi.encrypt_many`."""
    ciphertext: bytes = await _one("encrypt", key, message, options)
    return ciphertext


async def decrypt(key: PrivateKey, ciphertext: Buffer, **options: Hashable) -> bytes:
    """The plaintext of what `encrypt` encrypted. Options are those of `sunzi.decrypt_many`."""
    message: bytes = await _one("decrypt", key, ciphertext, options)
    return message


async def agree(key: PrivateKey, peer: PublicKey) -> bytes:
    """The shared secret of a private key and a peer's public key (ECDH, X25519, X448)."""
    secret: bytes = await _one("agree", key, peer, {})
    return secret


async def _one(function: str, *arguments: Any) -> Any:
    *items, options = arguments
    return await asyncio.wrap_future(submitted(function, *items, **options))


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class _Cancelled(Exception):
    """Ends a computation that nobody waits for any more."""


#: Calls of lists that are computed at a time; each has all processors.
_CALLS = 8


@functools.cache
def _executor(process: int) -> ThreadPoolExecutor:
    """The threads of a process: those of its parent are not there after a fork."""
    return ThreadPoolExecutor(_CALLS, f"sunzi-aio-{process}")


def _awaitable(
    function: Callable[Parameters, Result],
) -> Callable[Parameters, Awaitable[Result]]:
    @functools.wraps(function)
    async def wrapper(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        loop = asyncio.get_running_loop()
        cancelled = threading.Event()
        progress: Any = options.get("progress")

        def told(done: int, of: int) -> None:
            if cancelled.is_set():
                raise _Cancelled
            if progress is not None:
                loop.call_soon_threadsafe(progress, done, of)

        options["progress"] = told
        try:
            call = functools.partial(function, *arguments, **options)
            return await loop.run_in_executor(_executor(os.getpid()), call)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    return wrapper


agree_many = _awaitable(sunzi.agree_many)
decrypt_many = _awaitable(sunzi.decrypt_many)
encrypt_many = _awaitable(sunzi.encrypt_many)
generate_keys = _awaitable(sunzi.generate_keys)
powmod_base_list = _awaitable(sunzi.powmod_base_list)
powmod_base_list_sec = _awaitable(sunzi.powmod_base_list_sec)
powmod_exp_list = _awaitable(sunzi.powmod_exp_list)
powmod_exp_list_sec = _awaitable(sunzi.powmod_exp_list_sec)
powmod_list = _awaitable(sunzi.powmod_list)
powmod_list_sec = _awaitable(sunzi.powmod_list_sec)
powmod_rows = _awaitable(sunzi.powmod_rows)
rsa_private_many = _awaitable(sunzi.rsa_private_many)
rsa_public_many = _awaitable(sunzi.rsa_public_many)
sign_many = _awaitable(sunzi.sign_many)
verify_many = _awaitable(sunzi.verify_many)


async def generate_key(algorithm: str, *, engine: sunzi.Engine | None = None) -> PrivateKey:
    """A new key, as `sunzi.generate_key`."""
    return (await generate_keys(algorithm, 1, engine=engine))[0]
