"""The examples in the modules' documentation, and the documentation itself."""

import ast
import doctest
import importlib
import inspect
from pathlib import Path

import pytest
import sunzi
from sunzi import _sunzi

NEEDS = {
    "arrays": ["numpy"],
    "parquet": ["numpy", "pyarrow"],
    "hazmat": ["cryptography"],
    "ray": ["ray"],
}
MODULES = ["", "aio", "arrays", "blind", "bls", "elections", "hazmat", "hypercube", "paillier", "parquet", "primes"]
MODULES += ["ray"]


def module_of(name: str) -> object:
    for package in NEEDS.get(name, []):
        pytest.importorskip(package)
    return importlib.import_module(f"sunzi.{name}" if name else "sunzi")


@pytest.mark.parametrize("name", [name for name in MODULES if name != "ray"])
def test_examples(name: str) -> None:
    result = doctest.testmod(module_of(name))
    assert result.attempted and not result.failed


@pytest.mark.parametrize("name", MODULES)
def test_everything_public_is_documented(name: str) -> None:
    """By what `help` shows: sentences, and no reference to a file."""
    module = module_of(name)
    for public in module.__all__:
        value = getattr(module, public)
        if not callable(value):
            continue
        documented = [value]
        if inspect.isclass(value):
            own = [member for key, member in vars(value).items() if not key.startswith("_")]
            documented += [member for member in own if callable(member) or isinstance(member, property)]
        for one in documented[:1] if name == "hazmat" else documented:
            text = inspect.getdoc(one) or ""
            assert len(text) > 15 and ".pyi" not in text, (name, public, one)


def test_the_stub_has_the_same_words() -> None:
    """Editors show the stub's documentation, and `help` the module's."""
    stub = Path(_sunzi.__file__).with_name("_sunzi.pyi")
    compared = 0

    def compare(body: list[ast.stmt], owner: object) -> None:
        nonlocal compared
        for node in body:
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                continue
            text = ast.get_docstring(node)
            if text is not None:
                told = inspect.getdoc(getattr(owner, node.name)) or ""
                assert text.split() == told.split(), node.name
                compared += 1
            if isinstance(node, ast.ClassDef) and hasattr(owner, node.name):
                compare(node.body, getattr(owner, node.name))

    compare(ast.parse(stub.read_text()).body, _sunzi)
    assert compared > 25


def test_signatures_are_shown() -> None:
    parameters = inspect.signature(sunzi.verify_many).parameters
    assert list(parameters)[:3] == ["keys", "messages", "signatures"]
    assert parameters["padding"].default is None and "progress" in parameters
