"""SUNZI_INSTRUCTIONS limits what an engine computes with."""

import os
import subprocess
import sys

import pytest
import sunzi

SCRIPT = """
import sunzi

available = [row["backend"] for row in sunzi.backends() if row["available"]]
assert "portable" in available and not {"avx512", "radix52"} & set(available), available
assert sunzi.powmod_base_list([3], 5, 2**127 - 1) == [243]
"""


def run(limit: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SUNZI_INSTRUCTIONS": limit}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True)


def test_a_limit() -> None:
    process = run("avx2")
    assert process.returncode == 0, process.stderr


def test_an_old_backend() -> None:
    with pytest.warns(DeprecationWarning, match="amx is now avx512"):
        try:
            assert sunzi.Engine("amx").backend == "avx512"
        except ValueError as error:
            assert "avx512" in str(error), "the processor lacks its instructions"


def test_an_unknown_limit() -> None:
    process = run("avx3")
    assert process.returncode != 0
    assert "ValueError" in process.stderr and "avx2" in process.stderr
