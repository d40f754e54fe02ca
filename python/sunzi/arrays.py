"""Numbers in numpy's and Arrow's arrays, to and from the rows of bytes that `powmod_rows` takes.

>>> import sunzi
>>> from sunzi import arrays
>>> modulus = 2**521 - 1
>>> rows = arrays.rows_from_objects([2, 3, 5], width=66)
>>> powers = sunzi.powmod_rows(rows, b"\\x03", modulus.to_bytes(66, "big"))
>>> arrays.rows_to_objects(powers)
array([8, 27, 125], dtype=object)

Rows are contiguous numpy arrays of `uint8` and shape (n, width). Those of Arrow's fixed-size binary arrays are
shared with them, and not copied; `powmod_rows` copies the numbers when it begins. All functions need numpy, those
with `arrow` in their names also pyarrow.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex

__all__ = ["rows_from_arrow", "rows_from_objects", "rows_to_arrow", "rows_to_objects"]

ByteOrder = Literal["big", "little"]


def rows_from_arrow(array: Any, width: int | None = None) -> Any:
    """The rows of an array or a `ChunkedArray` of binary. Those of fixed-size binary are shared, unless its chunks are
    several, and cannot be written to. Numbers of variable length, big-endian ones, get zeros before them, and are as
    wide as the longest one if no `width` is given.

    Raises TypeError for another type, and ValueError for an array with nulls or numbers that do not fit.
    """
    numpy, arrow = importlib.import_module("numpy"), importlib.import_module("pyarrow")
    types = arrow.types
    is_fixed = types.is_fixed_size_binary(array.type)
    if not (is_fixed or types.is_binary(array.type) or types.is_large_binary(array.type)):
        raise TypeError(f"the array must be of binary, not of {array.type}")
    if array.null_count:
        raise ValueError(f"{array.null_count} of the numbers are null")
    if not is_fixed or width not in (None, array.type.byte_width):
        return padded(array.to_pylist(), width)
    if isinstance(array, arrow.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    count, width = len(array), array.type.byte_width
    if not count or not width:
        return numpy.zeros((count, width), dtype=numpy.uint8)
    data = array.buffers()[1]
    flat = numpy.frombuffer(data, numpy.uint8, count * width, array.offset * width)
    return flat.reshape(count, width)


def padded(values: list[bytes], width: int | None = None) -> Any:
    """Rows of big-endian numbers of any lengths, as wide as the longest one if no width is given."""
    numpy = importlib.import_module("numpy")
    if width is None:
        width = max((len(value) for value in values), default=0) or 1
    for item, value in enumerate(values):
        if len(value) > width:
            error = ValueError(f"number {item} has {len(value)} bytes, and a row {width}")
            setattr(error, "index", item)
            raise error
    joined = b"".join(value.rjust(width, b"\0") for value in values)
    return numpy.frombuffer(joined, numpy.uint8).reshape(len(values), width)


def rows_to_arrow(rows: Any) -> Any:
    """The rows as a `FixedSizeBinaryArray`, which shares their memory: do not change them afterwards.

    Raises ValueError for other than contiguous rows of bytes.
    """
    numpy, arrow = importlib.import_module("numpy"), importlib.import_module("pyarrow")
    rows = numpy.asarray(rows)
    if rows.dtype != numpy.uint8 or rows.ndim != 2 or not rows.flags.c_contiguous:
        raise ValueError("rows must be contiguous, of uint8, and have two dimensions")
    count, width = rows.shape
    return arrow.FixedSizeBinaryArray.from_buffers(
        arrow.binary(width), count, [None, arrow.py_buffer(rows)]
    )


def rows_from_objects(
    numbers: Iterable[SupportsIndex], width: int | None = None, byteorder: ByteOrder = "big"
) -> Any:
    """The rows of integers, such as those in a numpy array of objects: as wide as the largest number needs, if
    no width is given.

    Raises ValueError for a number that is negative or does not fit; its number is the exception's `index`.
    """
    numpy = importlib.import_module("numpy")
    integers = [number.__index__() for number in numbers]
    if width is None:
        width = max((number.bit_length() + 7) // 8 for number in integers or [0]) or 1
    data = bytearray()
    for item, number in enumerate(integers):
        try:
            data += number.to_bytes(width, byteorder)
        except OverflowError:
            why = "is negative" if number < 0 else f"does not fit {width} bytes"
            error = ValueError(f"number {item} {why}")
            error.index = item  # type: ignore[attr-defined]
            raise error from None
    return numpy.frombuffer(data, numpy.uint8).reshape(len(integers), width)


def rows_to_objects(rows: Any, byteorder: ByteOrder = "big") -> Any:
    """The numbers of rows as a numpy array of Python's integers."""
    numpy = importlib.import_module("numpy")
    rows = numpy.asarray(rows)
    if rows.dtype != numpy.uint8 or rows.ndim != 2:
        raise ValueError("rows must be of uint8 and have two dimensions")
    numbers = numpy.empty(len(rows), dtype=object)
    for item, row in enumerate(rows):
        numbers[item] = int.from_bytes(row.tobytes(), byteorder)
    return numbers
