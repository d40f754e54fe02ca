"""Paillier's cryptosystem, which adds under encryption, for whole vectors.

>>> from sunzi import paillier
>>> private = paillier.generate_key(2048)
>>> prices = private.public_key.encrypt([1.25, -3, 40])
>>> private.decrypt(prices * 2 + [1, 1, 1])
[3.5, -5, 81]
>>> private.decrypt(sum(prices))
38.25

Keys, ciphertexts and the encoding of signed and fractional numbers are those of the package `phe`: keys
travel as its JSON Web Keys, and `EncryptedVector.from_phe` and `to_phe` exchange numbers with it.

The scheme is malleable by design: who sends ciphertexts and sees what they decrypt to learns what others have
encrypted. Decrypt only what a protocol asks for. Exponents of fractional numbers are public.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, overload

from ._engine import default_engine
from ._sunzi import Engine, PaillierPrivateKey, PaillierPublicKey

__all__ = ["EncryptedNumber", "EncryptedVector", "PrivateKey", "PublicKey", "generate_key"]

BASE = 16
_LOG2_BASE = 4
_MANTISSA_BITS = 53

Number = int | float
Progress = Callable[[int, int], object]
Errors = Literal["raise", "return"]


def generate_key(
    bits: int = 3072,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> PrivateKey:
    """A new private key with a modulus of this many bits, 2,048 to 4,096, which also encrypts with short
    randomness."""
    key = PaillierPrivateKey.generate(
        engine or default_engine(), bits, threads=threads, progress=progress
    )
    return PrivateKey(key)


def _mantissa(value: Number, precision: float | None) -> tuple[int, int]:
    """The mantissa and the exponent to the base 16, as phe chooses them."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be encrypted")
        if precision is None:
            exponent = math.floor((math.frexp(value)[1] - _MANTISSA_BITS) / _LOG2_BASE)
        else:
            exponent = math.floor(math.log(precision, BASE))
        return _scaled(value, exponent), exponent
    exponent = 0 if precision is None else math.floor(math.log(precision, BASE))
    return _scaled(value, min(exponent, 0)), min(exponent, 0)


def _scaled(value: Number, exponent: int) -> int:
    """The multiple of 16^exponent that is nearest to the value."""
    numerator, denominator = value.as_integer_ratio()
    if exponent <= 0:
        numerator <<= -exponent * _LOG2_BASE
    else:
        denominator <<= exponent * _LOG2_BASE
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole & 1))


def _each(
    function: Callable[..., Any], *arguments: Iterable[Any], errors: Errors = "raise"
) -> list[Any]:
    """What the function makes of each item. Its exceptions get the attribute `index`, the item's number. The
    first one is raised, or with errors="return" each is in the list."""
    if errors not in ("raise", "return"):
        raise ValueError(f'errors is "{errors}": "raise" and "return" are possible')
    results = []
    for index, items in enumerate(zip(*arguments)):
        try:
            results.append(function(*items))
        except (TypeError, ValueError, OverflowError) as error:
            setattr(error, "index", index)
            error.add_note(f"item {index} of the batch")
            if errors == "raise":
                raise
            results.append(error)
    return results


class PublicKey:
    """A public key: encrypts."""

    def __init__(self, key: PaillierPublicKey | int, *, engine: Engine | None = None) -> None:
        """Of a modulus n, for instance that of a key of phe."""
        if not isinstance(key, PaillierPublicKey):
            key = PaillierPublicKey(engine or default_engine(), key)
        self._key = key
        self.n: int = key.n
        self.nsquare = self.n**2
        self.max_int = self.n // 3 - 1

    @classmethod
    def from_jwk(cls, text: str, *, engine: Engine | None = None) -> PublicKey:
        """A key in phe's JSON format."""
        return cls(PaillierPublicKey.from_jwk(engine or default_engine(), text))

    def to_jwk(self) -> str:
        """The key in phe's JSON format."""
        return self._key.to_jwk()

    def encode(self, value: Number, precision: float | None = None) -> tuple[int, int]:
        """The plaintext below n and the exponent of a number: value = plaintext 16^exponent, where the upper
        third of the plaintexts counts as negative. Integers and doubles are exact, if no precision says
        how large an error may be.

        Raises ValueError if the number is out of range.
        """
        if not isinstance(value, (int, float)):
            try:
                value = value.__index__()
            except AttributeError:
                value = float(value)
        mantissa, exponent = _mantissa(value, precision)
        if abs(mantissa) > self.max_int:
            raise ValueError("the number is too large for this key")
        return mantissa % self.n, exponent

    def decode(self, plaintext: int, exponent: int) -> Number:
        """The number of a plaintext: an int if the exponent is not negative, or else a float.

        Raises OverflowError for a plaintext that is neither positive nor negative: a sum or a product was
        too large.
        """
        if plaintext <= self.max_int:
            mantissa = plaintext
        elif plaintext >= self.n - self.max_int:
            mantissa = plaintext - self.n
        else:
            raise OverflowError("a result was too large for this key")
        # A power of an int is any number to the type checker.
        scale: int = BASE ** abs(exponent)
        return mantissa * scale if exponent >= 0 else mantissa / scale

    @overload
    def encrypt(
        self,
        values: Iterable[Number],
        *,
        precision: float | None = None,
        full: bool = False,
        errors: Literal["raise"] = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> EncryptedVector: ...

    @overload
    def encrypt(
        self,
        values: Iterable[Number],
        *,
        precision: float | None = None,
        full: bool = False,
        errors: Literal["return"],
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> tuple[EncryptedVector, dict[int, Exception]]: ...

    def encrypt(
        self,
        values: Iterable[Number],
        *,
        precision: float | None = None,
        full: bool = False,
        errors: Errors = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> EncryptedVector | tuple[EncryptedVector, dict[int, Exception]]:
        """The numbers encrypted. With `full` randomness also where the key has a base for short one, which
        takes about a tenth of the time, and rests on one assumption more.

        Raises ValueError with the attribute `index` for a number that is out of range. With errors="return"
        the result is a pair: the vector, and a dict of exceptions by place. In such a place the vector has 0,
        which is no ciphertext, so that nothing is computed with it unnoticed.
        """
        encoded = _each(lambda value: self.encode(value, precision), values, errors=errors)
        failures = {
            place: item for place, item in enumerate(encoded) if isinstance(item, Exception)
        }
        good = [item for item in encoded if not isinstance(item, Exception)]
        made: Iterator[Any] = iter(
            self._key.encrypt(
                [plaintext for plaintext, _ in good],
                full=full,
                errors=errors,
                threads=threads,
                progress=progress,
            )
        )
        ciphertexts = []
        for place in range(len(encoded)):
            ciphertext = 0 if place in failures else next(made)
            if isinstance(ciphertext, Exception):
                # Its number is that among those that could be encoded.
                setattr(ciphertext, "index", place)
                failures[place] = ciphertext
                ciphertext = 0
            ciphertexts.append(ciphertext)
        exponents = [0 if isinstance(item, Exception) else item[1] for item in encoded]
        vector = EncryptedVector(self, ciphertexts, exponents)
        return (vector, failures) if errors == "return" else vector

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicKey) and self.n == other.n

    def __hash__(self) -> int:
        return hash(self.n)

    def __reduce__(self) -> tuple[Any, ...]:
        return PublicKey.from_jwk, (self.to_jwk(),)

    def __repr__(self) -> str:
        return f"<sunzi.paillier.PublicKey of {self.n.bit_length()} bits>"


class PrivateKey:
    """A private key: decrypts."""

    def __init__(self, key: PaillierPrivateKey) -> None:
        self._key = key
        self.public_key = PublicKey(key.public_key)

    @classmethod
    def from_primes(cls, p: int, q: int, *, engine: Engine | None = None) -> PrivateKey:
        """Of the two primes, for instance those of a key of phe."""
        return cls(PaillierPrivateKey.from_primes(engine or default_engine(), p, q))

    @classmethod
    def from_jwk(cls, text: str, *, engine: Engine | None = None) -> PrivateKey:
        """A key in phe's JSON format."""
        return cls(PaillierPrivateKey.from_jwk(engine or default_engine(), text))

    def to_jwk(self) -> str:
        """The key in phe's JSON format, not encrypted."""
        return self._key.to_jwk()

    @overload
    def decrypt(
        self,
        numbers: EncryptedNumber,
        *,
        errors: Literal["raise"] = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Number: ...

    @overload
    def decrypt(
        self,
        numbers: EncryptedNumber,
        *,
        errors: Literal["return"],
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Number | Exception: ...

    @overload
    def decrypt(
        self,
        numbers: EncryptedVector,
        *,
        errors: Literal["raise"] = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[Number]: ...

    @overload
    def decrypt(
        self,
        numbers: EncryptedVector,
        *,
        errors: Literal["return"],
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[Number | Exception]: ...

    def decrypt(
        self,
        numbers: EncryptedNumber | EncryptedVector,
        *,
        errors: Errors = "raise",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """The numbers of a vector as a list, or one encrypted number; each is computed twice and checked before it
        leaves.

        Raises ValueError for a vector of another key and for what is no ciphertext, and OverflowError for results
        that were too large. With errors="return" exceptions about single numbers are in the list.
        """
        if isinstance(numbers, EncryptedNumber):
            [number] = self.decrypt(
                numbers.vector, errors=errors, threads=threads, progress=progress
            )
            return number
        if not isinstance(numbers, EncryptedVector):
            name = type(numbers).__name__
            raise TypeError(f"an EncryptedVector or an EncryptedNumber is needed, not {name}")
        if numbers.public_key != self.public_key:
            raise ValueError("the numbers are encrypted with another key")
        plaintexts = self._key.decrypt(
            numbers.ciphertexts, errors=errors, threads=threads, progress=progress
        )

        def decode(plaintext: Any, exponent: int) -> Any:
            if isinstance(plaintext, Exception):
                return plaintext
            return self.public_key.decode(plaintext, exponent)

        return _each(decode, plaintexts, numbers.exponents, errors=errors)

    def __reduce__(self) -> tuple[Any, ...]:
        return PrivateKey.from_jwk, (self.to_jwk(),)

    def __repr__(self) -> str:
        return f"<sunzi.paillier.PrivateKey of {self.public_key.n.bit_length()} bits>"


class EncryptedVector:
    """Encrypted numbers of one key. Vectors of a length are added to each other and to plain numbers, and
    multiplied by plain ones.

    Python's numbers are not made for secrets, and the time of `*` depends on the plain factors: where they are
    secret, use `multiply`.

    Sums and products reveal to who decrypts them how they were made: call `randomize` before a vector
    leaves.
    """

    __array_priority__ = 1000  # numpy leaves `array * vector` to the vector.

    def __init__(
        self, public_key: PublicKey, ciphertexts: Sequence[int], exponents: Sequence[int]
    ) -> None:
        if len(ciphertexts) != len(exponents):
            raise ValueError(f"{len(ciphertexts)} ciphertexts and {len(exponents)} exponents")
        self.public_key = public_key
        self.ciphertexts = list(ciphertexts)
        self.exponents = list(exponents)

    @classmethod
    def from_phe(
        cls, numbers: Iterable[Any], public_key: PublicKey | None = None
    ) -> EncryptedVector:
        """Of `EncryptedNumber`s of phe."""
        numbers = list(numbers)
        if public_key is None:
            if not numbers:
                raise ValueError("without numbers, a key is needed")
            public_key = PublicKey(numbers[0].public_key.n)
        if any(number.public_key.n != public_key.n for number in numbers):
            raise ValueError("the numbers are encrypted with different keys")
        ciphertexts = [int(number.ciphertext(be_secure=False)) for number in numbers]
        return cls(public_key, ciphertexts, [number.exponent for number in numbers])

    def to_phe(self, public_key: Any) -> list[Any]:
        """As `EncryptedNumber`s of phe, with its key. They are not randomized."""
        # phe has no types, and need not be there.
        encrypted_number = importlib.import_module("phe").EncryptedNumber
        if public_key.n != self.public_key.n:
            raise ValueError("this is another key")
        pairs = zip(self.ciphertexts, self.exponents)
        return [encrypted_number(public_key, c, exponent) for c, exponent in pairs]

    def __len__(self) -> int:
        return len(self.ciphertexts)

    @overload
    def __getitem__(self, item: int) -> EncryptedNumber: ...
    @overload
    def __getitem__(self, item: slice) -> EncryptedVector: ...
    def __getitem__(self, item: int | slice) -> EncryptedNumber | EncryptedVector:
        part = item if isinstance(item, slice) else slice(item, item + 1 or None)
        if not isinstance(item, slice) and not -len(self) <= item < len(self):
            raise IndexError(f"there is no number {item} of {len(self)}")
        vector = EncryptedVector(self.public_key, self.ciphertexts[part], self.exponents[part])
        return vector if isinstance(item, slice) else EncryptedNumber(vector)

    def __iter__(self) -> Iterator[EncryptedNumber]:
        return (self[item] for item in range(len(self)))

    def randomize(
        self,
        *,
        full: bool = False,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> EncryptedVector:
        """The same numbers in ciphertexts that tell nothing about how they came about."""
        ciphertexts = self.public_key._key.randomize(
            self.ciphertexts, full=full, threads=threads, progress=progress
        )
        return EncryptedVector(self.public_key, ciphertexts, self.exponents)

    def _lowered(self, exponents: Sequence[int], threads: int | None = None) -> list[int]:
        """The ciphertexts with these exponents, which are at most the present ones."""
        steps = [mine - other for mine, other in zip(self.exponents, exponents)]
        places = [place for place, step in enumerate(steps) if step]
        ciphertexts = list(self.ciphertexts)
        if places:
            lowered = self.public_key._key.multiply(
                [ciphertexts[place] for place in places],
                [BASE ** steps[place] for place in places],
                secret=False,
                threads=threads,
            )
            for place, ciphertext in zip(places, lowered):
                ciphertexts[place] = ciphertext
        return ciphertexts

    def _plain(self, other: Number | Iterable[Number]) -> list[Number] | None:
        """A plain number for each of mine."""
        if isinstance(other, (int, float)):
            return [other] * len(self)
        if not isinstance(other, Iterable):
            return None
        values = [value.item() if hasattr(value, "item") else value for value in other]
        if len(values) != len(self):
            raise ValueError(f"{len(self)} encrypted and {len(values)} plain numbers")
        return values

    def __add__(self, other: EncryptedVector | Number | Iterable[Number]) -> EncryptedVector:
        key = self.public_key
        if isinstance(other, EncryptedVector):
            if other.public_key != key:
                raise ValueError("the vectors are encrypted with different keys")
            if len(other) != len(self):
                raise ValueError(f"vectors of {len(self)} and of {len(other)} numbers")
            exponents = [min(pair) for pair in zip(self.exponents, other.exponents)]
            ciphertexts = key._key.add(self._lowered(exponents), other._lowered(exponents))
            return EncryptedVector(key, ciphertexts, exponents)
        values = self._plain(other)
        if values is None:
            return NotImplemented
        encoded = _each(key.encode, values)
        exponents = [min(mine, e) for mine, (_, e) in zip(self.exponents, encoded)]
        plain = [
            plaintext * BASE ** (exponent - lowest) % key.n
            for (plaintext, exponent), lowest in zip(encoded, exponents)
        ]
        return EncryptedVector(key, key._key.add_plain(self._lowered(exponents), plain), exponents)

    __radd__ = __add__

    def __neg__(self) -> EncryptedVector:
        return self.negate()

    def __sub__(self, other: EncryptedVector | Number | Iterable[Number]) -> EncryptedVector:
        if isinstance(other, EncryptedVector):
            return self + -other
        values = self._plain(other)
        return NotImplemented if values is None else self + [-value for value in values]

    def __rsub__(self, other: Number | Iterable[Number]) -> EncryptedVector:
        return -self + other

    def __mul__(self, other: Number | Iterable[Number]) -> EncryptedVector:
        if isinstance(other, EncryptedVector):
            raise TypeError("two encrypted numbers cannot be multiplied")
        values = self._plain(other)
        if values is None:
            return NotImplemented
        key = self.public_key
        mantissas = []
        exponents = []
        for mine, (plaintext, exponent) in zip(self.exponents, _each(key.encode, values)):
            mantissas.append(plaintext - key.n if plaintext > key.max_int else plaintext)
            exponents.append(mine + exponent)
        # A negative factor is short, and n less it is long: invert instead, as phe does.
        ciphertexts = list(self.ciphertexts)
        negative = [place for place, mantissa in enumerate(mantissas) if mantissa < 0]
        inverses = key._key.negate([ciphertexts[place] for place in negative])
        for place, inverse in zip(negative, inverses):
            ciphertexts[place] = inverse
        factors = [abs(mantissa) for mantissa in mantissas]
        return EncryptedVector(key, key._key.multiply(ciphertexts, factors, secret=False), exponents)

    __rmul__ = __mul__

    def multiply(
        self,
        factors: Iterable[Number],
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> EncryptedVector:
        """The products with plain numbers, in a time that does not depend on their values, but as long as
        that of an encryption."""
        key = self.public_key
        values = self._plain(factors) or []
        encoded = _each(key.encode, values)
        plaintexts = [plaintext for plaintext, _ in encoded]
        ciphertexts = key._key.multiply(
            self.ciphertexts, plaintexts, secret=True, threads=threads, progress=progress
        )
        exponents = [mine + exponent for mine, (_, exponent) in zip(self.exponents, encoded)]
        return EncryptedVector(key, ciphertexts, exponents)

    def __truediv__(self, other: Number) -> EncryptedVector:
        return self * (1 / other)

    def negate(
        self, *, threads: int | None = None, progress: Progress | None = None
    ) -> EncryptedVector:
        """The opposites of the numbers, as `-vector`."""
        ciphertexts = self.public_key._key.negate(
            self.ciphertexts, threads=threads, progress=progress
        )
        return EncryptedVector(self.public_key, ciphertexts, self.exponents)

    def sum(
        self, *, threads: int | None = None, progress: Progress | None = None
    ) -> EncryptedNumber:
        """The sum of all numbers: as `sum(vector)`, and faster."""
        key = self.public_key
        if not self.ciphertexts:
            return EncryptedNumber(key.encrypt([0]))
        lowest = min(self.exponents)
        lowered = self._lowered([lowest] * len(self), threads)
        total = key._key.sum(lowered, threads=threads, progress=progress)
        return EncryptedNumber(EncryptedVector(key, [total], [lowest]))

    def dot(self, factors: Iterable[Number]) -> EncryptedNumber:
        """The sum of the products with plain numbers."""
        return (self * factors).sum()

    def __repr__(self) -> str:
        return f"<{len(self)} encrypted numbers>"


class EncryptedNumber:
    """One encrypted number: an item of a vector, or its sum. It is added to other ones and to plain numbers, and
    multiplied by plain numbers, each time in a batch of one: use vectors where there are many.
    """

    __array_priority__ = 1000  # numpy leaves `number * encrypted` to the encrypted one.

    def __init__(self, vector: EncryptedVector) -> None:
        """Of a vector of one number."""
        if len(vector) != 1:
            raise ValueError(f"the vector has {len(vector)} numbers: one is needed")
        #: The same as a vector of one.
        self.vector = vector

    @property
    def public_key(self) -> PublicKey:
        """The key that it is encrypted with."""
        return self.vector.public_key

    @property
    def ciphertext(self) -> int:
        """The ciphertext, as in phe."""
        return self.vector.ciphertexts[0]

    @property
    def exponent(self) -> int:
        """The exponent of its encoding, which is public."""
        return self.vector.exponents[0]

    def randomize(self, *, full: bool = False) -> EncryptedNumber:
        """The same number in a ciphertext that tells nothing about how it came about."""
        return EncryptedNumber(self.vector.randomize(full=full))

    def __add__(self, other: EncryptedNumber | Number) -> EncryptedNumber:
        if isinstance(other, EncryptedNumber):
            return EncryptedNumber(self.vector + other.vector)
        # An item of an encrypted vector cannot be added to all of another one, nor to a list.
        return NotImplemented if isinstance(other, Iterable) else EncryptedNumber(self.vector + other)

    __radd__ = __add__

    def __neg__(self) -> EncryptedNumber:
        return EncryptedNumber(-self.vector)

    def __sub__(self, other: EncryptedNumber | Number) -> EncryptedNumber:
        return NotImplemented if isinstance(other, Iterable) else self + -other

    def __rsub__(self, other: Number) -> EncryptedNumber:
        return -self + other

    def __mul__(self, other: Number) -> EncryptedNumber:
        if isinstance(other, EncryptedNumber):
            raise TypeError("two encrypted numbers cannot be multiplied")
        return NotImplemented if isinstance(other, Iterable) else EncryptedNumber(self.vector * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> EncryptedNumber:
        return self * (1 / other)

    def __repr__(self) -> str:
        return "<an encrypted number>"
