"""The code in docs/recipes.md runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/recipes.md"
SECTIONS = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
# The others are for the command.
RECIPES = [(name, text) for name, text in SECTIONS if "```python" in text]


def test_there_are_eleven() -> None:
    assert len(RECIPES) == 11


@pytest.mark.parametrize("text", [text for _, text in RECIPES], ids=[name for name, _ in RECIPES])
def test_recipe(text: str, tmp_path: Path) -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert "assert " in code
    for package in ("ray", "pyarrow"):
        if f"import {package}" in code:
            pytest.importorskip(package, reason=f"SKIPPED: {package} is not installed")
    (tmp_path / "recipe.py").write_text(code)
    work = tmp_path / "work"
    work.mkdir()
    run = subprocess.run(
        [sys.executable, tmp_path / "recipe.py"], cwd=work, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
