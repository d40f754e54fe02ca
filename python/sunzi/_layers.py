"""Moduli, weights and bounds of networks, computed from a file's metadata and compared with what the file has.

The derivation is in docs/network.md of the project, and the command computes the same in Rust.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

EXACT_BITS = {"f64": 53, "f32": 24, "s8": 31}
ELEMENTS: dict[str, type[np.generic]] = {"f64": np.float64, "f32": np.float32, "s8": np.int32}
LARGEST_WIDTH = {"f64": 26, "f32": 12, "s8": 14}
RANK_ERROR = 0.25
EXCESS = 3
"""The excess of a reduced number over half its modulus, in floating point."""


class NetworkError(ValueError):
    """A file that is not what it says, or a runtime that computes wrongly."""


class Layers:
    """What a file's metadata determine: P, the bases, and all weights."""

    def __init__(self, metadata: Mapping[str, str]) -> None:
        try:
            self.type = metadata["type"]
            self.width, self.parts = int(metadata["width"]), int(metadata["parts"])
            self.modulus = int(metadata["modulus"], 0)
            self.a = [int(m) for m in metadata["base_a"].split(",")]
            self.b = [int(m) for m in metadata["base_b"].split(",")]
            self.claimed = int(metadata["largest_sum"]), int(metadata["limit"])
            known = self.type in EXACT_BITS and metadata["form"] in ("product", "power")
        except (KeyError, ValueError) as error:
            raise NetworkError(f"the metadata of a network are missing or wrong: {error}") from None
        if not known:
            raise NetworkError(f"type {self.type} or form {metadata['form']} is not known")
        self._check_moduli()
        self.step = -(-self.width // self.parts)
        p, a, b = self.modulus, self.a, self.b
        range_a, range_b = math.prod(a), math.prod(b)
        of = self._representative
        self.scale = [of(-pow(p * (range_a // m), -1, m), m) for m in a]
        self.scale += [of(pow(range_a, -1, m), m) for m in b]
        self.cofactor_inverses = [of(pow(range_b // m, -1, m), m) for m in b]
        self.weights = [
            np.array([[of(p * pow(m, -1, n), n) for n in b] for m in a], np.int64),
            np.array([[of(range_b // m, n) for n in a] for m in b], np.int64),
        ]
        self.corrections = [[of(-p, m) for m in b], [of(-range_b, m) for m in a]]
        self.largest, self.rank_error = self._bounds()

    def _representative(self, x: int, m: int) -> int:
        x %= m
        return x - m if self.type != "s8" and x > m // 2 else x

    def _check_moduli(self) -> None:
        moduli = self.a + self.b
        if len(self.a) != len(self.b) or not 1 <= self.parts <= 3 or not 8 <= self.modulus.bit_length() <= 16384:
            raise NetworkError("the bases have different numbers of moduli, or sizes are out of range")
        if not 0 < self.width <= LARGEST_WIDTH[self.type] or not all(3 <= m < 1 << self.width for m in moduli):
            raise NetworkError(f"{self.type} takes moduli of at most {LARGEST_WIDTH[self.type]} bits")
        whole = self.modulus
        for m in moduli:
            if math.gcd(m, whole) != 1:
                raise NetworkError(f"the modulus {m} has a factor in common with another one")
            whole *= m
        if min(math.prod(self.a), math.prod(self.b)) < 16 * self.modulus:
            raise NetworkError("a base has less than 16 times the range of the modulus")

    def represented(self, rows: npt.NDArray[np.int64]) -> Array:
        """Least residues as the network takes them."""
        if self.type == "s8":
            return rows.astype(np.int32)
        moduli = np.array(self.a + self.b, np.int64)
        return (rows - np.where(rows > moduli // 2, moduli, 0)).astype(ELEMENTS[self.type])

    def rows(self, numbers: Sequence[int]) -> Array:
        """Residues of any integers, one by one."""
        residues = [[x % m for m in self.a + self.b] for x in numbers]
        return self.represented(np.array(residues, np.int64))

    def extreme_operands(self) -> list[int]:
        """Integers up to A/2 in magnitude which, times 1, make the digits of the first layer extreme."""
        range_a = math.prod(self.a)
        operands = []
        for kind in range(5):
            x = 0
            for i, (m, k) in enumerate(zip(self.a, self.scale, strict=False)):
                low, high = (0, m - 1) if self.type == "s8" else (-(m // 2), m // 2)
                # For bytes: 127 in the low byte, and -128.
                full, empty = (m - 1 - 256) // 256 * 256 + 127, (m - 1 - 256) // 256 * 256 + 128
                digit = [high, low, high if i % 2 else low, full, empty][kind]
                cofactor = range_a // m
                x += digit * pow(k, -1, m) * pow(cofactor, -1, m) % m * cofactor
            x %= range_a
            operands.append(x - range_a if x > range_a // 2 else x)
        return operands

    def check(self, metadata: Mapping[str, str], constants: Mapping[str, Array]) -> None:
        """Raises unless bounds and constants of the file are these."""
        limit = (1 << EXACT_BITS[self.type]) - (self.type == "s8")
        if (self.largest, limit) != self.claimed:
            raise NetworkError(
                f"the file says that sums reach {self.claimed[0]} and that {self.type} is exact up to"
                f" {self.claimed[1]}; they reach {self.largest}, and it is exact up to {limit}"
            )
        if self.largest > limit or self.rank_error > RANK_ERROR:
            raise NetworkError(f"sums reach {self.largest}, and {self.type} is exact up to {limit} only")
        for name, expected in self.constants(metadata["form"]).items():
            found = constants.get(name)
            same = found is not None and found.dtype == expected.dtype and np.array_equal(found, expected)
            if not same:
                raise NetworkError(f"the constant {name} of the file is not that of its moduli")

    def shifted(self, index: int, part: int) -> npt.NDArray[np.int64]:
        """The weights of a part of the digits."""
        to = np.array([self.b, self.a][index], np.int64)
        weights = self.weights[index] * ((1 << self.step * part) % to) % to
        return np.where(weights > to // 2, weights - to, weights) if self.type != "s8" else weights

    def constants(self, form: str) -> dict[str, Array]:
        """The constants of a file, by name."""
        element = ELEMENTS[self.type]
        floating = np.float64 if self.type == "f64" else np.float32
        moduli = {"ab": self.a + self.b, "a": self.a, "b": self.b}
        found: dict[str, Array] = {"m_" + name: np.array(m, element) for name, m in moduli.items()}
        found["scale"] = np.array(self.scale, element)
        found["cofactor_inverses"] = np.array(self.cofactor_inverses, element)
        for index, base in enumerate((self.a, self.b)):
            found[f"corrections_{index + 1}"] = np.array(self.corrections[index], element)
            name = f"weights_{index + 1}"
            if self.type == "s8":
                found[f"rank_{index + 1}"] = (1 / np.array(base, np.float64))[:, None].astype(np.float32)
                found[name] = np.concatenate([np.concatenate(self._bytes(index, s), axis=1) for s in (1, 256)])
                continue
            reciprocals = 1 / np.array(base, np.float64)
            rows = []
            for part in range(self.parts):
                rank = np.array([2.0 ** (self.step * part) / m for m in base])
                rows.append(np.concatenate([self.shifted(index, part).astype(np.float64), rank[:, None]], axis=1))
            found[name] = np.concatenate(rows).astype(floating)
            found["reciprocal_m_" + "ab"[index]] = reciprocals.astype(floating)
        if self.type == "s8":
            found |= {"byte": np.array([256], np.int32), "half_byte": np.array([128], np.int32)}
        else:
            found["reciprocal_m_ab"] = (1 / np.array(self.a + self.b, np.float64)).astype(floating)
        if self.parts > 1 and self.type != "s8":
            found["part_unit"] = np.array([2.0**self.step], floating)
            found["part_reciprocal"] = np.array([2.0**-self.step], floating)
        if form == "power":
            factor = math.prod(self.a) % self.modulus
            for name, x in (("square", factor * factor % self.modulus), ("one", factor), ("plain_one", 1)):
                found[name] = self.rows([x])[0]
        return found

    def _bytes(self, index: int, shift: int) -> list[npt.NDArray[np.int8]]:
        """The weights times 1 or 256, in low and high signed bytes."""
        to = np.array([self.b, self.a][index], np.int64)
        weights = self.weights[index] * shift % to
        high = (weights + 128) >> 8
        return [(weights - 256 * high).astype(np.int8), high.astype(np.int8)]

    def _bounds(self) -> tuple[int, float]:
        """The largest integer of any step, and the largest error of a rank."""
        floating = self.type != "s8"
        bits = EXACT_BITS[self.type]
        largest = 0

        def operand(m: int) -> int:
            return m // 2 + EXCESS if floating else m - 1

        def reduced(v: int, m: int) -> int:
            nonlocal largest
            left = (m + 2 * -(-(2 * v + 1) // (1 << bits))) // 2 if floating else m - 1
            largest = max(largest, v + left if floating else v)
            return left

        z = [reduced(operand(m) ** 2, m) for m in self.a + self.b]
        scaled = [v * abs(k) for v, k in zip(z, self.scale, strict=True)]
        n = len(self.a)
        digits = [reduced(v, m) for v, m in zip(scaled[:n], self.a, strict=True)]
        errors = []
        for index, (base, to) in enumerate(((self.a, self.b), (self.b, self.a))):
            ratio = sum(d / m for d, m in zip(digits, base, strict=True))
            unit = (n * self.parts + 4) * 2.0 ** (-53 if self.type == "f64" else -24)
            unit += 0 if self.type == "f64" else 2.0**-10
            error = unit * ratio * (2 if self.parts > 1 else 1)
            errors.append(error)
            rank = math.floor(ratio + error + 0.5)
            sums, peak = self._sums(index, digits)
            largest = max(largest, peak)
            more = scaled[n:] if index == 0 else [0] * n
            totals = [s + rank * abs(c) + t for s, c, t in zip(sums, self.corrections[index], more, strict=True)]
            results = [reduced(v, m) for v, m in zip(totals, to, strict=True)]
            if index == 0:
                factors = zip(results, self.cofactor_inverses, self.b, strict=True)
                digits = [reduced(v * abs(k), m) for v, k, m in factors]
        return largest, max(errors)

    def _sums(self, index: int, digits: list[int]) -> tuple[list[int], int]:
        """The largest sums of a layer, and the largest one in 32 bits before it is reduced."""
        column = np.array(digits, np.int64)
        if self.type == "s8":
            sums = [np.zeros(len(digits), np.int64)] * 2
            for shift, inputs in ((1, np.full(len(digits), 128)), (256, (column + 128) >> 8)):
                sums = [s + inputs @ abs(w.astype(np.int64)) for s, w in zip(sums, self._bytes(index, shift), strict=True)]
            to = [self.b, self.a][index]
            low = [int(s) + 256 * (m - 1) for s, m in zip(sums[0], to, strict=True)]
            return low, int(max(s.max() for s in sums))
        total = np.zeros(len(digits), np.int64)
        rest = column
        for part in range(self.parts):
            last = part + 1 == self.parts
            inputs = rest if last else np.full(len(digits), 1 << self.step - 1)
            total = total + inputs @ abs(self.shifted(index, part))
            rest = (rest + (1 << self.step - 1)) >> self.step
        return [int(s) for s in total], 0
