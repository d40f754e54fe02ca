"""Modular products and powers as networks of fixed weights, on any runtime for ONNX. Needs numpy, onnx and
onnxruntime (`pip install "sunzi[network]"`); JAX if it is asked for.

The command writes the files: `sunzi explain network MODULUS --onnx product.onnx --type f64`, and with `--power` whole
powers.

    from sunzi import network

    product = network.load("product.onnx")
    product.multiply([3, 5], [7, 11])                   # [x * y % modulus, ...]
    power = network.load("power.onnx")
    power.power([3, 5], 65537)                          # [pow(x, 65537, modulus), ...]

Loading a file recomputes its weights and its bounds from its moduli and refuses a file that says otherwise. Then it
lets the runtime compute products of extreme residues, and refuses a runtime that gets them wrong: some saturate
silently in products of bytes.

For public numbers only: a runtime does not take constant time and does not wipe. On a processor
`powmod_base_list` is several times faster. The network is for accelerators and for exchange.
"""

from __future__ import annotations

import importlib
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from ._layers import Layers, NetworkError

__all__ = ["Network", "NetworkError", "load"]

Rows = npt.NDArray[Any]
Run = Callable[[Mapping[str, Rows]], Rows]

LIMB = 16
"""Bits of the limbs in which integers are converted: sums of products with residues are exact in double precision."""

PROBES = 64
"""Random products at load, beside the extreme ones."""


def load(
    path: str | PathLike[str] | bytes,
    *,
    providers: Sequence[str] = ("CPUExecutionProvider",),
    threads: int = 0,
    run: Run | None = None,
) -> Network:
    """The network in a file, or in the bytes of one.

    `providers` and `threads` (0: all) are onnxruntime's. `run` takes another runtime's place: a function from inputs by
    name to the output. Raises `NetworkError` if the file is not what it says, or the runtime computes wrongly.
    """
    data = path if isinstance(path, bytes) else Path(path).read_bytes()
    try:
        model = onnx.load_from_string(data)
    except Exception as error:
        raise NetworkError(f"this is no ONNX file: {error}") from None
    return Network(model, lambda: run or _onnxruntime(data, providers, threads))


def _onnxruntime(data: bytes, providers: Sequence[str], threads: int) -> Run:
    """Runs a file on onnxruntime."""
    onnxruntime = importlib.import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(data, options, providers=list(providers))

    def run(inputs: Mapping[str, Rows]) -> Rows:
        result: Rows = session.run(None, dict(inputs))[0]
        return result

    return run


class Network:
    """A network with its conversions. `load` makes it.

    `modulus` is P, `layers` the moduli and weights, `form` "product" or "power". Numbers are integers in (-P, P), in
    residues: a row for each, in base A, then in base B.
    """

    def __init__(self, model: Any, runtime: Callable[[], Run]) -> None:
        metadata = {entry.key: entry.value for entry in model.metadata_props}
        self.layers = layers = Layers(metadata)
        self.form = metadata["form"]
        self.modulus = layers.modulus
        self.graph = model.graph
        constants = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
        layers.check(metadata, constants)
        self._run = runtime()
        self._enter = _Entering(layers.a + layers.b, layers.modulus.bit_length())
        self._leave = _Leaving(layers)
        self.range = math.prod(layers.a)
        """A: products are x y / A."""
        self._probe()

    def residues(self, numbers: Iterable[int]) -> Rows:
        """A row of residues for each number, which is reduced modulo P."""
        rows = self._enter([number % self.modulus for number in numbers])
        return self.layers.represented(rows)

    def integers(self, rows: Rows) -> list[int]:
        """The integers modulo P in rows of residues."""
        return self._leave(np.asarray(rows))

    def run(self, x: Rows, y: Rows) -> Rows:
        """`x y / A`, congruent modulo P, in residues; the results may come in again."""
        if self.form != "product":
            raise NetworkError("this network computes powers: write one without --power")
        return self._run({"x": x, "y": y})

    def multiply(self, x: Sequence[int], y: Sequence[int]) -> list[int]:
        """`[a * b % modulus for a, b in zip(x, y)]`."""
        if len(x) != len(y):
            raise ValueError(f"{len(x)} numbers and {len(y)} numbers")
        if not x:
            return []
        square = self.range * self.range % self.modulus
        factor = np.repeat(self.residues([square]), len(x), axis=0)
        return self.integers(self.run(self.run(self.residues(x), self.residues(y)), factor))

    def power(self, bases: Sequence[int], exponents: int | Sequence[int]) -> list[int]:
        """`[pow(x, e, modulus) for x in bases]`, with one exponent, or one for each base. Not in constant time."""
        if self.form != "power":
            raise NetworkError("this network computes products: write one with --power")
        if isinstance(exponents, int):
            exponents = [exponents] * len(bases)
        if len(bases) != len(exponents):
            raise ValueError(f"{len(bases)} bases and {len(exponents)} exponents")
        if any(e < 0 for e in exponents):
            raise ValueError("an exponent is negative")
        if not bases:
            return []
        return self.integers(self._run({"x": self.residues(bases), "bits": bits_of(exponents)}))

    def jax(self) -> Callable[..., Any]:
        """The same graph as a function for JAX, to be compiled by `jax.jit`. Doubles take `jax_enable_x64`."""
        from ._graphs import jax_function

        return jax_function(self.graph)

    def _probe(self) -> None:
        """Raises unless the runtime is right for extreme and for random operands."""
        layers = self.layers
        generator = random.Random(1)
        modulus = self.modulus
        if self.form == "power":
            bases = [0, 1, 2, modulus - 1, *(generator.randrange(modulus) for _ in range(4))]
            exponents = [generator.getrandbits(8) for _ in bases]
            expected = [pow(x, e, modulus) for x, e in zip(bases, exponents, strict=True)]
            right = self.power(bases, exponents) == expected
        else:
            x = layers.extreme_operands()
            ordinary = [0, 1, modulus - 1, *(generator.randrange(modulus) for _ in range(PROBES))]
            y = [1] * len(x) + [ordinary[-1 - k] for k in range(len(ordinary))]
            rows = np.concatenate([layers.rows(x), self.residues(ordinary)])
            inverse = pow(self.range, -1, modulus)
            expected = [a * b * inverse % modulus for a, b in zip(x + ordinary, y, strict=True)]
            right = self.integers(self.run(rows, self.residues(y))) == expected
        if not right:
            raise NetworkError(
                f"this runtime computes wrongly in {layers.type}: it saturates or rounds where sums reach"
                f" {layers.largest}; take another provider or another type"
            )


def bits_of(exponents: Sequence[int]) -> Rows:
    """The bits of exponents in the shape (bits, batch, 1), the most significant first."""
    size = max(1, -(-max(e.bit_length() for e in exponents) // 8))
    octets = np.frombuffer(b"".join(e.to_bytes(size, "big") for e in exponents), np.uint8)
    bits = np.unpackbits(octets.reshape(len(exponents), size), axis=1)
    return np.ascontiguousarray(bits.T[:, :, None]).astype(np.int8)


def _limbs(number: int, count: int) -> list[int]:
    """The limbs of a number, the least significant first."""
    return [number >> (LIMB * k) & ((1 << LIMB) - 1) for k in range(count)]


class _Entering:
    """Integers below P to residues, by one product of matrices."""

    def __init__(self, moduli: Sequence[int], bits: int) -> None:
        self.count = -(-bits // LIMB)
        self.moduli = np.array(moduli, np.int64)
        # Centred: sums stay below 2^16 2^25 1024.
        powers = [[_centred(1 << (LIMB * k), m) for m in moduli] for k in range(self.count)]
        self.powers = np.array(powers, np.float64)

    def __call__(self, numbers: Sequence[int]) -> npt.NDArray[np.int64]:
        size = LIMB // 8 * self.count
        octets = b"".join(number.to_bytes(size, "little") for number in numbers)
        limbs = np.frombuffer(octets, "<u2").reshape(len(numbers), self.count)
        sums = limbs.astype(np.float64) @ self.powers
        return sums.astype(np.int64) % self.moduli


class _Leaving:
    """Residues to integers modulo P: the Chinese remainder theorem in base B, in limbs."""

    def __init__(self, layers: Layers) -> None:
        self.modulus = layers.modulus
        whole = math.prod(layers.b)
        self.moduli = np.array(layers.b, np.int64)
        self.inverses = np.array([pow(whole // m, -1, m) for m in layers.b], np.int64)
        self.count = -(-whole.bit_length() // LIMB) + 2
        self.cofactors = np.array([_limbs(whole // m, self.count) for m in layers.b], np.float64)
        self.whole = np.array(_limbs(whole, self.count), np.float64)
        self.lift = np.array(_limbs(layers.modulus, self.count), np.float64)

    def __call__(self, rows: Rows) -> list[int]:
        residues = rows[:, -len(self.moduli) :].astype(np.int64) % self.moduli
        digits = residues * self.inverses % self.moduli
        # The number is in (-P, P), and B at least 16 P: the rank is the nearest integer.
        rank = np.rint((digits / self.moduli).sum(axis=1))
        sums = digits.astype(np.float64) @ self.cofactors - rank[:, None] * self.whole + self.lift
        limbs = sums.astype(np.int64)
        for k in range(self.count - 1):
            limbs[:, k + 1] += limbs[:, k] >> LIMB
            limbs[:, k] &= (1 << LIMB) - 1
        octets = limbs.astype("<u2").tobytes()
        size = LIMB // 8 * self.count
        rows_of_octets = (octets[at : at + size] for at in range(0, len(octets), size))
        return [int.from_bytes(row, "little") % self.modulus for row in rows_of_octets]


def _centred(x: int, m: int) -> int:
    x %= m
    return x - m if x > m // 2 else x
