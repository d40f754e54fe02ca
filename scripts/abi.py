#!/usr/bin/env python3
"""Lists the interfaces for C and for Python, in api/libsunzi.txt and api/python.txt.

    scripts/abi.py                   writes the listings
    scripts/abi.py --check           compares them with the sources: a difference is an error
    scripts/abi.py --symbols FILE    compares the functions that a shared library exports with the listing; needs nm

The listing for C has the header without its comments, each declaration in one line; a test compares the header with the
library's sources. That for Python has what the modules' `__all__` name, with signatures. Both are sorted, so that a
difference shows what was added, removed or changed. Python 3.11 and its standard library suffice.
"""

import ast
import difflib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
PACKAGE = TREE / "python/sunzi"


def of_c() -> list[str]:
    """Declarations of the header: functions, types, and each constant with its value."""
    header = (TREE / "crates/capi/include/sunzi.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    header = header.replace("\\\n", " ")
    found = []
    # The version is of the release, not of the interface.
    for line in re.findall(r"^#define\s+(SUNZI_.*)", header, re.MULTILINE):
        if not line.startswith(("SUNZI_H", "SUNZI_VERSION")):
            found.append("#define " + " ".join(line.split()))
    header = re.sub(r"^#.*$", "", header, flags=re.MULTILINE)
    header = re.sub(r'extern "C" \{|^\}\s*$', "", header, flags=re.MULTILINE)
    for members, name in re.findall(r"typedef enum \w*\s*\{(.*?)\}\s*(\w+)\s*;", header, re.DOTALL):
        found += [f"enum {name}: {' '.join(member.split())}" for member in members.split(",") if member.strip()]
    header = re.sub(r"typedef enum \w*\s*\{.*?\}\s*\w+\s*;", "", header, flags=re.DOTALL)
    for members, name in re.findall(r"typedef struct \w*\s*\{(.*?)\}\s*(\w+)\s*;", header, re.DOTALL):
        fields = " ".join(" ".join(field.split()) + ";" for field in members.split(";") if field.strip())
        found.append(f"struct {name} {{ {fields} }}")
    header = re.sub(r"typedef struct \w*\s*\{.*?\}\s*\w+\s*;", "", header, flags=re.DOTALL)
    found += [" ".join(declaration.split()) + ";" for declaration in header.split(";") if declaration.strip()]
    return sorted(found)


class Module:
    """A module's definitions and what it imports from its neighbours."""

    def __init__(self, file: Path) -> None:
        self.definitions: dict[str, ast.stmt] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        self.public: list[str] = []
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self.definitions[node.name] = node
                case ast.Assign(targets=[ast.Name(id="__all__")]):
                    self.public = ast.literal_eval(node.value)
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    self.definitions[name] = node
                case ast.ImportFrom(level=1, module=module):
                    for alias in node.names:
                        self.imported[alias.asname or alias.name] = (module or "", alias.name)


def definition(modules: dict[str, Module], module: str, name: str) -> ast.stmt | None:
    """The definition of a name, followed through imports; none for a module."""
    while name not in modules[module].definitions:
        module, name = modules[module].imported[name]
        if not module:
            return None
    return modules[module].definitions[name]


def lines_of(path: str, node: ast.stmt | None) -> Iterator[str]:
    """The lines of a public name."""
    match node:
        case None:
            yield f"{path}: module"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            marks = ["async"] if isinstance(node, ast.AsyncFunctionDef) else []
            marks += [f"@{ast.unparse(mark)}" for mark in node.decorator_list]
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            yield " ".join([f"{path}({ast.unparse(node.args)}){returns}", *marks])
        case ast.ClassDef():
            bases = ", ".join(map(ast.unparse, node.bases))
            yield f"{path}: class({bases})"
            for member in node.body:
                match member:
                    case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                        if not name.startswith("_") or name.endswith("__"):
                            yield from lines_of(f"{path}.{name}", member)
                    case ast.AnnAssign(target=ast.Name(id=name), annotation=kind) if not name.startswith("_"):
                        yield f"{path}.{name}: {ast.unparse(kind)}"
        case ast.AnnAssign(annotation=kind):
            yield f"{path}: {ast.unparse(kind)}"
        case ast.Assign(value=value):
            text = ast.unparse(value)
            yield f"{path} = {text}" if len(text) < 100 else path


def of_python() -> list[str]:
    """What the modules of the package name as theirs."""
    files = [file for file in PACKAGE.iterdir() if file.suffix in {".py", ".pyi"}]
    modules = {"" if file.stem == "__init__" else file.stem: Module(file) for file in files}
    found = []
    for module, content in modules.items():
        if not module.startswith("_"):
            for name in content.public:
                path = ".".join(part for part in ("sunzi", module, name) if part)
                found += lines_of(path, definition(modules, module, name))
    return sorted(set(found))


def listings() -> dict[Path, list[str]]:
    """The listings, by their files."""
    return {TREE / "api/libsunzi.txt": of_c(), TREE / "api/python.txt": of_python()}


def check() -> None:
    """Compares the listings with the sources."""
    different = False
    for file, lines in listings().items():
        listed = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        name = str(file.relative_to(TREE))
        for line in difflib.unified_diff(listed, lines, name, "the sources", lineterm="", n=0):
            different = True
            print(line)
    if different:
        sys.exit("the interface for C or Python differs from the listing: if it is meant to, run make abi")


def check_symbols(library: str) -> None:
    """Compares the symbols that a shared library exports with the functions of the header."""
    shown = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in shown.splitlines()}
    declared = {match[1] for line in of_c() if (match := re.search(r"\b(sunzi_\w+)\(", line))}
    for name in sorted(exported ^ declared):
        print(f"{name}: {'exported, but not declared' if name in exported else 'declared, but not exported'}")
    if exported != declared:
        sys.exit(f"{library} exports other symbols than the header declares")


def main() -> None:
    """Calls what the arguments name."""
    match sys.argv[1:]:
        case []:
            for file, lines in listings().items():
                file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        case ["--check"]:
            check()
        case ["--symbols", library]:
            check_symbols(library)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
