"""Modular powers and public-key operations in batches.

The functions with `powmod` in their names have gmpy2's names and meaning, and compute a whole list at
once, on all processors and free of the interpreter's lock:

>>> import sunzi
>>> sunzi.powmod_base_list([2, 3, 4], 65537, 2**127 - 1) == [
...     pow(base, 65537, 2**127 - 1) for base in [2, 3, 4]]
True

Keyword arguments that all functions on batches take:

`engine`    an `Engine`; by default one on the fastest backend of this processor.
`threads`   the number of threads; by default one for each processor.
`progress`  a function that is called with the number of results so far, and of all.
`errors`    "raise" (the default): the first item that is wrong raises its exception, which has the
            item's number as its attribute `index`. "return": exceptions stand in the place of results, and
            all other results are there.

An interrupt (Ctrl-C) is seen between parts of a quarter to half of a second.

What is not about powers and keys is in modules: `primes`, `paillier`, `blind`, `bls`, `elections`, `jwt`; and, imported by
their names only, `aio` for asyncio, and `arrays`, `parquet`, `ray`, `network` and `hazmat`, which need other packages.
"""

from . import blind, bls, elections, jwt, paillier, primes
from ._engine import default_engine
from ._keys import generate_key, generate_keys, load_private_key, load_public_key
from ._sunzi import (
    Engine,
    PrivateKey,
    PublicKey,
    __version__,
    agree_many,
    backends,
    decrypt_many,
    encrypt_many,
    rsa_private_many,
    rsa_public_many,
    sign_many,
    verify_many,
)
from ._powers import (
    powmod_base_list,
    powmod_base_list_sec,
    powmod_exp_list,
    powmod_exp_list_sec,
    powmod_iter,
    powmod_list,
    powmod_list_sec,
    powmod_rows,
)

__all__ = [
    "Engine",
    "PrivateKey",
    "PublicKey",
    "__version__",
    "agree_many",
    "backends",
    "blind",
    "bls",
    "decrypt_many",
    "default_engine",
    "elections",
    "encrypt_many",
    "generate_key",
    "generate_keys",
    "jwt",
    "load_private_key",
    "load_public_key",
    "paillier",
    "powmod_base_list",
    "powmod_base_list_sec",
    "powmod_exp_list",
    "powmod_exp_list_sec",
    "powmod_iter",
    "powmod_list",
    "powmod_list_sec",
    "powmod_rows",
    "primes",
    "rsa_private_many",
    "rsa_public_many",
    "sign_many",
    "verify_many",
]
