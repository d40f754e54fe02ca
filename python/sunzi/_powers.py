"""Modular powers in batches."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from . import _sunzi
from ._engine import default_engine
from ._sunzi import Engine

if TYPE_CHECKING:
    from typing_extensions import Buffer

Integers = SupportsIndex | Iterable[SupportsIndex]
Errors = Literal["raise", "return"]
ByteOrder = Literal["big", "little"]
Progress = Callable[[int, int], object]


def _powmod(
    bases: Integers,
    exponents: Integers,
    moduli: Integers,
    secret: bool,
    engine: Engine | None,
    threads: int | None,
    errors: Errors,
    progress: Progress | None,
) -> list[int]:
    return _sunzi.powmod(
        engine or default_engine(),
        bases,
        exponents,
        moduli,
        secret=secret,
        threads=threads,
        errors=errors,
        progress=progress,
    )


def _check_sequence(value: object, function: str, argument: str) -> None:
    if not isinstance(value, Iterable):
        raise TypeError(f"the {argument} of {function} must be a sequence")


def powmod_base_list(
    bases: Iterable[SupportsIndex],
    exp: SupportsIndex,
    mod: SupportsIndex,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[int]:
    """`[pow(base, exp, mod) for base in bases]`, as gmpy2's function of this name.

    A negative exponent asks for the inverse; ValueError if there is none. Moduli that are even, of
    fewer than 64 bits or of more than 16,384, and exponents of more than 16,384 bits, are left to
    Python's own `pow`.
    """
    _check_sequence(bases, "powmod_base_list", "first argument")
    return _powmod(bases, exp, mod, False, engine, threads, errors, progress)


def powmod_exp_list(
    base: SupportsIndex,
    exps: Iterable[SupportsIndex],
    mod: SupportsIndex,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[int]:
    """`[pow(base, exp, mod) for exp in exps]`, as gmpy2's function of this name."""
    _check_sequence(exps, "powmod_exp_list", "second argument")
    return _powmod(base, exps, mod, False, engine, threads, errors, progress)


def powmod_list(
    bases: Integers,
    exps: Integers,
    mods: Integers,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[int]:
    """`pow(base, exp, mod)` for each item. Each argument is an iterable with an order, or one integer for all
    items."""
    return _powmod(bases, exps, mods, False, engine, threads, errors, progress)


def powmod_base_list_sec(
    bases: Iterable[SupportsIndex],
    exp: SupportsIndex,
    mod: SupportsIndex,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[int]:
    """`powmod_base_list` with a secret exponent: the time does not depend on its value.

    Exponents must not be negative, and moduli must be odd, of 64 to 16,384 bits: else ValueError.

    Python's integers are not made for secrets: they are copied, and not wiped. Where that matters, hold
    secrets in buffers and use `powmod_rows`.
    """
    _check_sequence(bases, "powmod_base_list_sec", "first argument")
    return _powmod(bases, exp, mod, True, engine, threads, errors, progress)


def powmod_exp_list_sec(
    base: SupportsIndex,
    exps: Iterable[SupportsIndex],
    mod: SupportsIndex,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[int]:
    """`powmod_exp_list` with secret exponents, under the conditions of `powmod_base_list_sec`."""
    _check_sequence(exps, "powmod_exp_list_sec", "second argument")
    return _powmod(base, exps, mod, True, engine, threads, errors, progress)


def powmod_list_sec(
    bases: Integers,
    exps: Integers,
    mods: Integers,
    *,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> list[int]:
    """`powmod_list` with secret exponents, under the conditions of `powmod_base_list_sec`."""
    return _powmod(bases, exps, mods, True, engine, threads, errors, progress)


def powmod_iter(
    bases: Iterable[SupportsIndex] | SupportsIndex,
    exps: Iterable[SupportsIndex] | SupportsIndex,
    mods: Iterable[SupportsIndex] | SupportsIndex,
    *,
    secret: bool = False,
    batch: int = 4096,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
) -> Iterator[int]:
    """The powers one after the other, computed `batch` at a time: for iterables of any length, and for
    `tqdm(powmod_iter(...), total=n)`.

    At least one argument is an iterable; the shortest ends it.
    """
    if batch < 1:
        raise ValueError(f"batch is {batch}: it must be positive")

    def repeated(value: Any) -> Iterator[SupportsIndex]:
        if isinstance(value, (set, frozenset)):
            raise TypeError(f"bases, exps and mods must have an order: a {type(value).__name__} has none")
        return iter(value) if isinstance(value, Iterable) else itertools.repeat(value)

    if not any(isinstance(value, Iterable) for value in (bases, exps, mods)):
        raise TypeError("bases, exps or mods must be an iterable")
    items = zip(repeated(bases), repeated(exps), repeated(mods))
    while part := list(itertools.islice(items, batch)):
        some_bases, some_exps, some_mods = zip(*part)
        yield from _powmod(
            some_bases, some_exps, some_mods, secret, engine, threads, errors, None
        )


def powmod_rows(
    bases: Buffer,
    exps: Buffer,
    mods: Buffer,
    *,
    out: Buffer | None = None,
    byteorder: ByteOrder = "big",
    secret: bool = False,
    engine: Engine | None = None,
    threads: int | None = None,
    errors: Errors = "raise",
    progress: Progress | None = None,
) -> Any:
    """Powers of numbers in buffers, without an `int` for each.

    An argument is a contiguous buffer of unsigned bytes (`numpy.ascontiguousarray` makes one of any array): of shape
    (n, width) with one number in each row, or of shape (1, width) or (width,), such as `bytes`, with one number for
    all items. Numbers are not negative,
    moduli are odd and have 64 to 16,384 bits. They are copied when
    the call begins, and results to their buffer when all are there.

    The results are written to `out`, of shape (n, width of the moduli or more), which is returned. Without
    it, a new buffer is returned: a numpy array if one of the arguments is one, or else a memoryview. With
    errors="return" the result is a pair: the buffer, and a dict of exceptions by row; such rows are zero.
    """
    bases, exps, mods = memoryview(bases), memoryview(exps), memoryview(mods)
    if out is None:
        out = _new_rows(bases, exps, mods)
    failures = _sunzi.powmod_rows(
        engine or default_engine(),
        bases,
        exps,
        mods,
        out,
        byteorder=byteorder,
        secret=secret,
        threads=threads,
        errors=errors,
        progress=progress,
    )
    return (out, failures) if errors == "return" else out


def _new_rows(bases: memoryview, exps: memoryview, mods: memoryview) -> Any:
    """A row of zeros for each result, as wide as the moduli."""
    shapes = [operand.shape or () for operand in (bases, exps, mods)]
    counts = [shape[0] for shape in shapes if len(shape) == 2]
    # A single row is for all items.
    count = next((count for count in counts if count != 1), 1)
    width = shapes[2][-1] if shapes[2] else 0
    numpy = sys.modules.get("numpy")
    if numpy is not None and any(isinstance(o.obj, numpy.ndarray) for o in (bases, exps, mods)):
        return numpy.zeros((count, width), dtype=numpy.uint8)
    if count == 0 or width == 0:
        # A memoryview cannot have a dimension of zero.
        raise ValueError("there are no rows")
    return memoryview(bytearray(count * width)).cast("B", (count, width))
