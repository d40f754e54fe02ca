"""The examples in the modules' documentation."""

import doctest
import importlib

import pytest

NEEDS = {"arrays": ["numpy"], "parquet": ["numpy", "pyarrow"], "hazmat": ["cryptography"]}


@pytest.mark.parametrize(
    "name", ["", "arrays", "blind", "elections", "hazmat", "paillier", "parquet", "primes"]
)
def test_examples(name: str) -> None:
    for package in NEEDS.get(name, []):
        pytest.importorskip(package)
    module = importlib.import_module(f"sunzi.{name}" if name else "sunzi")
    result = doctest.testmod(module)
    assert result.attempted and not result.failed
