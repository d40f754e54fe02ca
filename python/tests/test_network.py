"""Networks: products and powers against Python's integers, refusals, and the same graph under JAX."""

import random
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import numpy_helper  # noqa: E402
from sunzi import _graphs, network  # noqa: E402

NETWORKS = Path(__file__).parent / "networks"
RANDOM = random.Random(20261125)
TYPES = ["f64", "f32", "s8"]
SIZES = [256, 1024]
PAIRS = 10_000
POWERS = 1_000


def file(form: str, size: int, kind: str) -> bytes:
    return (NETWORKS / f"{form}_{size}_{kind}.onnx").read_bytes()


def extremes(modulus: int) -> list[int]:
    return [0, 1, 2, modulus - 1, modulus - 2, modulus // 2, modulus // 2 + 1]


def interpreted(data: bytes, matmul: object) -> network.Run:
    """A runtime: the graph on numpy, with this product of matrices."""
    graph = onnx.load_from_string(data).graph

    def loop(turns: object, state: object, body: object) -> object:
        for index in range(int(turns)):
            state = body(index, state)
        return state

    def run(inputs: dict) -> object:
        values = _graphs.constants_of(graph) | dict(inputs)
        return _graphs.evaluate(graph, values, np, matmul, loop)

    return run


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", TYPES)
def test_products_are_those_of_integers(kind: str, size: int) -> None:
    product = network.load(file("product", size, kind))
    modulus = product.modulus
    assert modulus.bit_length() == size
    ends = extremes(modulus)
    x = [a for a in ends for _ in ends]
    y = ends * len(ends)
    x += [RANDOM.randrange(modulus) for _ in range(PAIRS - len(x))]
    y += [RANDOM.randrange(modulus) for _ in range(PAIRS - len(y))]
    assert product.multiply(x, y) == [a * b % modulus for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("kind", TYPES)
def test_results_come_in_again(kind: str) -> None:
    product = network.load(file("product", 256, kind))
    modulus = product.modulus
    numbers = [*extremes(modulus), *(RANDOM.randrange(modulus) for _ in range(57))]
    rows = product.residues(numbers)
    inverse = pow(product.range, -1, modulus)
    for _ in range(300):
        rows = product.run(rows, rows)
        numbers = [x * x * inverse % modulus for x in numbers]
    assert product.integers(rows) == numbers


@pytest.mark.parametrize("kind", TYPES)
def test_powers_are_those_of_integers(kind: str) -> None:
    power = network.load(file("power", 256, kind))
    modulus = power.modulus
    bases = [*extremes(modulus), *(RANDOM.randrange(modulus) for _ in range(POWERS - 7))]
    exponents = [RANDOM.getrandbits(RANDOM.choice([1, 17, 64])) for _ in bases]
    expected = [pow(x, e, modulus) for x, e in zip(bases, exponents, strict=True)]
    assert power.power(bases, exponents) == expected
    assert power.power(bases[:3], 0) == [1, 1, 1]
    assert power.power([3], modulus - 1) == [1]
    assert power.power([], 5) == []
    for bad in (lambda: power.power([1, 2], [3]), lambda: power.power([1], [-1]), lambda: power.multiply([1], [1])):
        with pytest.raises(ValueError):
            bad()


@pytest.mark.parametrize("kind", TYPES)
def test_jax_computes_the_same(kind: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    for form in ("product", "power"):
        loaded = network.load(file(form, 256, kind))
        function = jax.jit(loaded.jax())
        numbers = [*extremes(loaded.modulus), *(RANDOM.randrange(loaded.modulus) for _ in range(1000))]
        rows = loaded.residues(numbers)
        if form == "product":
            assert np.array_equal(np.asarray(function(rows, rows)), loaded.run(rows, rows))
        else:
            exponents = [RANDOM.getrandbits(24) for _ in numbers]
            found = loaded.integers(np.asarray(function(rows, network.bits_of(exponents))))
            assert found == loaded.power(numbers, exponents)


def test_single_precision_is_exact_as_tf32() -> None:
    """Factors rounded to 11 bits, as GPUs do it for products of matrices in single precision."""

    def rounded(x: object) -> object:
        bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
        return ((bits + 0x1000) & 0xFFFFE000).astype(np.uint32).view(np.float32)

    for size in SIZES:
        data = file("product", size, "f32")
        product = network.load(data, run=interpreted(data, lambda x, y: rounded(x) @ rounded(y)))
        x = [RANDOM.randrange(product.modulus) for _ in range(500)]
        assert product.multiply(x, x) == [a * a % product.modulus for a in x]


def falsified(data: bytes, key: str, value: str) -> bytes:
    model = onnx.load_from_string(data)
    for entry in model.metadata_props:
        if entry.key == key:
            entry.value = value
    return model.SerializeToString()


def test_files_that_are_not_what_they_say_are_refused() -> None:
    data = file("product", 256, "f32")
    for key, value, reason in [
        ("largest_sum", "1000", "sums reach"),
        ("limit", str(2**53), "sums reach"),
        ("type", "f64", "sums reach"),
        ("type", "f16", "not known"),
        ("modulus", "0x10001", "the constant|sums reach"),
        ("modulus", "no", "metadata"),
        ("base_a", "3,5", "different numbers"),
        ("width", "1", "moduli of at most"),
    ]:
        with pytest.raises(network.NetworkError, match=reason):
            network.load(falsified(data, key, value))
    model = onnx.load_from_string(data)
    for tensor in model.graph.initializer:
        if tensor.name == "weights_1":
            weights = numpy_helper.to_array(tensor).copy()
            weights[0, 0] += 1
            tensor.CopyFrom(numpy_helper.from_array(weights, tensor.name))
    with pytest.raises(network.NetworkError, match="weights_1"):
        network.load(model.SerializeToString())
    for nothing in (b"", b"no network"):
        with pytest.raises(network.NetworkError):
            network.load(nothing)


def test_a_runtime_that_saturates_is_refused() -> None:
    data = file("product", 1024, "s8")

    def saturating(x: object, y: object) -> object:
        """As with AVX2's product of unsigned and signed bytes: sums of two products saturate at 16 bits."""
        if x.dtype != np.int32:
            return x @ y
        pairs = ((x + 128)[:, :, None] * y[None]).reshape(len(x), -1, 2, y.shape[1]).sum(axis=2)
        return np.clip(pairs, -(2**15), 2**15 - 1).sum(axis=1).astype(np.int32) - 128 * y.sum(axis=0)

    with pytest.raises(network.NetworkError, match="saturates"):
        network.load(data, run=interpreted(data, saturating))
    assert network.load(data, run=interpreted(data, lambda x, y: x @ y)).layers.type == "s8"


def test_doubles_in_single_precision_are_refused() -> None:
    data = file("product", 256, "f64")

    def single(x: object, y: object) -> object:
        return (x.astype(np.float32) @ y.astype(np.float32)).astype(np.float64)

    with pytest.raises(network.NetworkError, match="computes wrongly"):
        network.load(data, run=interpreted(data, single))
