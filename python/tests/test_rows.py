"""Modular powers of numbers in buffers."""

import pickle
import random

import pytest
import sunzi

RANDOM = random.Random(20261123)
MODULUS = RANDOM.getrandbits(1024) | 1 | 1 << 1023


def rows(numbers: list[int], width: int, byteorder: str = "big") -> memoryview:
    joined = b"".join(number.to_bytes(width, byteorder) for number in numbers)
    return memoryview(joined).cast("B", (len(numbers), width))


def numbers_of(buffer: object, byteorder: str = "big") -> list[int]:
    view = memoryview(buffer)
    width = view.shape[1]
    flat = view.tobytes()
    return [
        int.from_bytes(flat[at : at + width], byteorder)
        for at in range(0, len(flat), width)
    ]


@pytest.mark.parametrize("byteorder", ["big", "little"])
@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize("count", [1, 15, 64, 77])
def test_rows_against_pow(byteorder: str, secret: bool, count: int) -> None:
    bases = [RANDOM.getrandbits(1024) for _ in range(count)]
    exponents = [RANDOM.getrandbits(123) for _ in range(count)]
    result = sunzi.powmod_rows(
        rows(bases, 128, byteorder),
        rows(exponents, 17, byteorder),
        MODULUS.to_bytes(129, byteorder),
        byteorder=byteorder,
        secret=secret,
    )
    assert memoryview(result).shape == (count, 129)
    expected = [pow(b, e, MODULUS) for b, e in zip(bases, exponents)]
    assert numbers_of(result, byteorder) == expected


def test_numpy_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    bases = numpy.frombuffer(RANDOM.randbytes(50 * 128), dtype=numpy.uint8).reshape(50, 128)
    exponent = (65537).to_bytes(3, "big")
    modulus = MODULUS.to_bytes(128, "big")
    result = sunzi.powmod_rows(bases, exponent, modulus)
    assert isinstance(result, numpy.ndarray)
    assert result.shape == (50, 128) and result.dtype == numpy.uint8
    expected = [pow(b, 65537, MODULUS) for b in numbers_of(bases)]
    assert numbers_of(result) == expected
    out = numpy.empty((50, 130), dtype=numpy.uint8)
    assert sunzi.powmod_rows(bases, exponent, modulus, out=out) is out
    assert numbers_of(out) == expected
    # In place.
    mine = bases.copy()
    sunzi.powmod_rows(mine, exponent, modulus, out=mine)
    assert numbers_of(mine) == expected


def test_a_single_row_is_for_all_items() -> None:
    """In any argument, of one dimension or two, and with a buffer for the results."""
    bases, exponents = [2, 3, 5], [7, 11, 13]
    modulus = rows([MODULUS], 128)
    expected = [pow(b, e, MODULUS) for b, e in zip(bases, exponents)]
    assert numbers_of(sunzi.powmod_rows(rows(bases, 128), rows(exponents, 1), modulus)) == expected
    out = memoryview(bytearray(3 * 128)).cast("B", (3, 128))
    sunzi.powmod_rows(rows(bases, 128), rows(exponents, 1), modulus, out=out)
    assert numbers_of(out) == expected
    powers = sunzi.powmod_rows(rows([2], 128), rows(exponents, 1), modulus)
    assert numbers_of(powers) == [pow(2, e, MODULUS) for e in exponents]
    numpy = pytest.importorskip("numpy")
    one = numpy.frombuffer(modulus, dtype=numpy.uint8).reshape(1, 128)
    powers = sunzi.powmod_rows(one - 1, numpy.array([[3]], dtype=numpy.uint8), one)
    assert powers.shape == (1, 128)


def test_what_is_refused() -> None:
    modulus = MODULUS.to_bytes(128, "big")
    base = rows([2, 3], 128)
    with pytest.raises(ValueError, match="even") as caught:
        sunzi.powmod_rows(base, b"\x03", rows([MODULUS, MODULUS + 1], 128))
    assert caught.value.index == 1
    out, failures = sunzi.powmod_rows(
        base, b"\x03", rows([MODULUS, MODULUS + 1], 128), errors="return"
    )
    assert numbers_of(out) == [8, 0]
    assert list(failures) == [1] and isinstance(failures[1], ValueError)
    with pytest.raises(ValueError, match="rows"):
        sunzi.powmod_rows(base, rows([1, 2, 3], 4), modulus)
    with pytest.raises(ValueError, match="a row of out"):
        sunzi.powmod_rows(base, b"\x03", modulus, out=memoryview(bytearray(128)).cast("B", (2, 64)))
    with pytest.raises(ValueError, match="byteorder"):
        sunzi.powmod_rows(base, b"\x03", modulus, byteorder="middle")
    with pytest.raises(BufferError, match="read-only"):
        sunzi.powmod_rows(base, b"\x03", modulus, out=memoryview(bytes(256)).cast("B", (2, 128)))
    with pytest.raises(TypeError):
        sunzi.powmod_rows([1, 2], b"\x03", modulus)
    numpy = pytest.importorskip("numpy")
    with pytest.raises(BufferError, match="unsigned bytes"):
        sunzi.powmod_rows(numpy.zeros((2, 16), dtype=numpy.uint64), b"\x03", modulus)
    with pytest.raises(BufferError, match="bases must be contiguous.*numpy.ascontiguousarray"):
        sunzi.powmod_rows(numpy.zeros((2, 256), dtype=numpy.uint8)[:, ::2], b"\x03", modulus)


def test_engines_pickle() -> None:
    engine = pickle.loads(pickle.dumps(sunzi.Engine("portable")))
    assert engine.backend == "portable"
