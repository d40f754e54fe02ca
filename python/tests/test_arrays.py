"""Converters of numpy's and Arrow's arrays."""

import random

import pytest
import sunzi
from sunzi import arrays

numpy = pytest.importorskip("numpy")
arrow = pytest.importorskip("pyarrow")

RANDOM = random.Random(20261126)
NUMBERS = [0, 1, 2**256 - 1, *(RANDOM.getrandbits(256) for _ in range(20))]


@pytest.mark.parametrize("byteorder", ["big", "little"])
def test_objects(byteorder: str) -> None:
    for numbers in (NUMBERS, numpy.array(NUMBERS, dtype=object), iter(NUMBERS)):
        rows = arrays.rows_from_objects(numbers, byteorder=byteorder)
        assert rows.shape == (23, 32) and rows.dtype == numpy.uint8
        assert [row.tobytes() for row in rows] == [n.to_bytes(32, byteorder) for n in NUMBERS]
        assert arrays.rows_to_objects(rows, byteorder).tolist() == NUMBERS
    wide = arrays.rows_from_objects(NUMBERS, 40, byteorder)
    assert wide.shape == (23, 40)
    assert arrays.rows_to_objects(wide, byteorder).tolist() == NUMBERS
    wide[0] = 1  # They are the caller's.
    assert arrays.rows_from_objects([]).shape == (0, 1)
    assert arrays.rows_to_objects(arrays.rows_from_objects([], 7)).shape == (0,)


def test_arrow_shares_memory() -> None:
    expected = [number.to_bytes(32, "big") for number in NUMBERS]
    array = arrow.array(expected, arrow.binary(32))
    rows = arrays.rows_from_arrow(array)
    assert arrays.rows_to_objects(rows).tolist() == NUMBERS
    assert rows.ctypes.data == array.buffers()[1].address
    part = arrays.rows_from_arrow(array[3:7])
    assert part.ctypes.data == rows.ctypes.data + 3 * 32
    assert arrays.rows_to_objects(part).tolist() == NUMBERS[3:7]
    back = arrays.rows_to_arrow(rows)
    assert back.type == arrow.binary(32) and back.to_pylist() == expected
    assert back.buffers()[1].address == rows.ctypes.data
    chunks = arrow.chunked_array([array[:5], array[5:]])
    assert arrays.rows_to_objects(arrays.rows_from_arrow(chunks)).tolist() == NUMBERS
    assert arrays.rows_from_arrow(arrow.array([], arrow.binary(32))).shape == (0, 32)
    assert arrays.rows_to_arrow(arrays.rows_from_objects([], 32)).type == arrow.binary(32)


def test_a_column_of_powers() -> None:
    modulus = 2**256 - 189
    bases = arrow.array([number.to_bytes(32, "big") for number in NUMBERS], arrow.binary(32))
    powers = arrays.rows_to_arrow(
        sunzi.powmod_rows(arrays.rows_from_arrow(bases), b"\x11", modulus.to_bytes(32, "big"))
    )
    expected = [pow(number, 17, modulus).to_bytes(32, "big") for number in NUMBERS]
    assert powers.to_pylist() == expected


def test_binary_of_variable_length_gets_zeros_before_it() -> None:
    values = [number.to_bytes((number.bit_length() + 7) // 8, "big") for number in NUMBERS]
    for type in (arrow.binary(), arrow.large_binary()):
        rows = arrays.rows_from_arrow(arrow.chunked_array([values[:3], values[3:]], type))
        assert arrays.rows_to_objects(rows).tolist() == NUMBERS
        assert rows.shape[1] == max(len(value) for value in values)
        assert arrays.rows_from_arrow(arrow.array(values, type), 100).shape == (len(values), 100)
        assert arrays.rows_from_arrow(arrow.array([], type)).shape == (0, 1)
    fixed = arrow.array([b"ab"], arrow.binary(2))
    assert arrays.rows_from_arrow(fixed, 4).tolist() == [[0, 0, *b"ab"]]
    with pytest.raises(ValueError, match="number 1 has 2 bytes, and a row 1") as caught:
        arrays.rows_from_arrow(arrow.array([b"a", b"bc"]), 1)
    assert caught.value.index == 1


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="null"):
        arrays.rows_from_arrow(arrow.array([b"a", None], arrow.binary(1)))
    for other in (arrow.array(["a"]), arrow.array([1])):
        with pytest.raises(TypeError, match="must be of binary"):
            arrays.rows_from_arrow(other)
    for number, why in ((-1, "negative"), (256, "does not fit")):
        with pytest.raises(ValueError, match=why) as caught:
            arrays.rows_from_objects([1, number], 1)
        assert caught.value.index == 1
    rows = arrays.rows_from_objects(NUMBERS)
    for wrong in (rows[0], rows[:, ::2], rows.astype(numpy.uint16)):
        with pytest.raises(ValueError, match="rows must be"):
            arrays.rows_to_arrow(wrong)
    with pytest.raises(ValueError, match="rows must be"):
        arrays.rows_to_objects(rows[0])
