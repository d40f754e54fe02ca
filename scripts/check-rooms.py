#!/usr/bin/env python3
"""Checks the arrows between the rooms of the house: which crate, and which module of the engine, uses which.

The tables of docs/architecture.md whose first column is headed `crate` or `room` say what each may use, in their last
column. Everything that a crate's Cargo.toml or a module's imports name must be there, and nothing in the tables may
lead in a circle. In no crate may files import each other in a circle, but for a module and the modules inside it,
which are one thing. Tests are left out.
"""

import re
import sys
import tomllib
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent
PAGE = HOUSE / "docs" / "architecture.md"
# The crate whose modules have a table of their own.
ENGINE = "engine"


def tables(text: str) -> dict[str, dict[str, set[str]]]:
    """The tables of the page by the head of their first column: for each row, what it may use."""
    found: dict[str, dict[str, set[str]]] = {}
    head = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if len(cells) < 2:
            head = None
        elif head is None:
            head = cells[0]
        elif head in ("crate", "room") and not set(cells[0]) <= set("-: "):
            uses = set(re.findall(r"`([\w-]+)`", cells[-1]))
            for name in re.findall(r"`([\w-]+)`", cells[0]):
                found.setdefault(head, {})[name] = uses
    return found


def without_comments_and_tests(text: str) -> str:
    """The text without comments and strings, and without items under `cfg(test)`."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'b?r(#*)".*?"\1', '""', text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.S)
    gate = re.compile(r"#\[cfg\((?:all\()?(?:any\()?test\b[^\]]*\]\s*")
    while match := gate.search(text):
        end = end_of_item(text, match.end())
        text = text[: match.start()] + text[end:]
    return text


def end_of_item(text: str, start: int) -> int:
    """The place after the item, or the member of a list, that begins here: after its braces, semicolon or comma."""
    depth = 0
    for place in range(start, len(text)):
        character = text[place]
        if character in "{([":
            depth += 1
        elif character in "})]":
            if depth == 0:
                return place
            depth -= 1
            if depth == 0 and character == "}":
                return place + 1
        elif character in ";," and depth == 0:
            return place + 1
    return len(text)


def leaves(tree: str) -> list[str]:
    """The paths of a `use` tree."""
    tree = tree.strip()
    if "{" not in tree:
        return [tree] if tree else []
    prefix, rest = tree.split("{", 1)
    inner = rest[: rest.rindex("}")]
    parts, depth, part = [], 0, ""
    for character in inner:
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [prefix.strip() + leaf for part in [*parts, part] for leaf in leaves(part)]


class Crate:
    """The modules of a crate and what they import."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[tuple[str, ...], Path] = {}
        root = folder / "src" / "lib.rs"
        if not root.exists():
            root = folder / "src" / "main.rs"
        self.texts: dict[tuple[str, ...], str] = {}
        # Of each module, the names that it gives on, and the paths that they stand for.
        self.given: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        self.globs: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        self.imports: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
        if root.exists():
            self.read((), root)
            for module in self.files:
                self.parse(module)

    def read(self, module: tuple[str, ...], file: Path) -> None:
        text = without_comments_and_tests(file.read_text())
        self.files[module] = file
        self.texts[module] = text
        below = file.parent if file.name in ("lib.rs", "main.rs", "mod.rs") else file.parent / file.stem
        for name in re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);", text, flags=re.M):
            for place in (below / f"{name}.rs", below / name / "mod.rs"):
                if place.exists():
                    self.read((*module, name), place)

    def absolute(self, module: tuple[str, ...], path: str) -> tuple[str, ...] | None:
        """A path inside this crate, from its root; None for a path to another crate."""
        parts = [part.strip() for part in path.split("::")]
        if parts[0] == "crate":
            return tuple(parts[1:])
        if parts[0] == "self":
            return (*module, *parts[1:])
        here = module
        climbed = False
        while parts and parts[0] == "super":
            here, parts, climbed = here[:-1], parts[1:], True
        if climbed:
            return (*here, *parts)
        if (*module, parts[0]) in self.files:
            return (*module, *parts)
        return None

    def parse(self, module: tuple[str, ...]) -> None:
        text = self.texts[module]
        given, globs, imports = {}, [], set()
        for public, tree in re.findall(r"^\s*(pub(?:\([^)]*\))? )?use ([^;]+);", text, flags=re.M):
            for leaf in leaves(re.sub(r"\s+", " ", tree)):
                path, _, alias = leaf.partition(" as ")
                path = path.strip().removesuffix("::self")
                target = self.absolute(module, path)
                if target is None or not target:
                    continue
                if target[-1] == "*":
                    if public:
                        globs.append(target[:-1])
                    else:
                        imports.add(target[:-1])
                elif public:
                    given[alias.strip() or target[-1]] = target
                else:
                    imports.add(target)
        body = re.sub(r"^\s*(?:pub(?:\([^)]*\))? )?use [^;]+;", "", text, flags=re.M)
        for path in re.findall(r"(?<![\w:$])((?:crate|super)(?:::\w+)+)", body):
            target = self.absolute(module, path)
            if target:
                imports.add(target)
        self.given[module], self.globs[module], self.imports[module] = given, globs, imports

    def owner(self, path: tuple[str, ...], seen: frozenset = frozenset()) -> tuple[str, ...]:
        """The module in which a path's item is defined, beyond all modules that only give it on."""
        if path in seen:
            return ()
        module: tuple[str, ...] = ()
        for length in range(len(path), -1, -1):
            if path[:length] in self.files:
                module = path[:length]
                break
        rest = path[len(module) :]
        if not rest:
            return module
        if rest[0] in self.given.get(module, {}):
            return self.owner((*self.given[module][rest[0]], *rest[1:]), seen | {path})
        for glob in self.globs.get(module, []):
            if re.search(rf"\b{rest[0]}\b", self.texts.get(self.owner(glob), "")):
                return self.owner(glob)
        return module

    def arrows(self) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
        """For each module, the modules of the crate that it uses, but for those around it and inside it."""
        found = {}
        for module, imports in self.imports.items():
            owners = {self.owner(path) for path in imports}
            found[module] = {
                owner for owner in owners if owner[: len(module)] != module and module[: len(owner)] != owner
            }
        return found


def circles(arrows: dict) -> list[list]:
    """The sets of nodes that reach each other (Tarjan)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in sorted(arrows.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = []
            while True:
                other = stack.pop()
                on_stack.discard(other)
                circle.append(other)
                if other == node:
                    break
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10_000)
    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return found


def main() -> int:
    wrong: list[str] = []
    allowed = tables(PAGE.read_text())
    for head, rows in allowed.items():
        for circle in circles(rows):
            wrong.append(f"{PAGE.name}: a circle in the table of the {head}s: {', '.join(circle)}")
        for name, uses in rows.items():
            wrong += [f"{PAGE.name}: `{name}` may use `{use}`, which has no row" for use in sorted(uses - set(rows))]

    members = tomllib.loads((HOUSE / "Cargo.toml").read_text())["workspace"]["members"]
    folders = [HOUSE / member for member in members if not member.startswith(("tests/", "bench/"))]
    names = {tomllib.loads((f / "Cargo.toml").read_text())["package"]["name"]: f.relative_to(HOUSE) for f in folders}
    house = {package: str(folder).removeprefix("crates/").replace("/", "-") for package, folder in names.items()}
    files = arrows_in_all = 0
    for package, folder in names.items():
        manifest = tomllib.loads((HOUSE / folder / "Cargo.toml").read_text())
        uses = {house[name] for kind in ("dependencies", "build-dependencies") for name in manifest.get(kind, {}) if name in house}
        own = house[package]
        if own not in allowed.get("crate", {}):
            wrong.append(f"{PAGE.name}: no row for the crate `{own}`")
        else:
            wrong += [f"{folder}/Cargo.toml: `{own}` may not use `{use}`" for use in sorted(uses - allowed["crate"][own])]
        crate = Crate(HOUSE / folder)
        arrows = crate.arrows()
        files += len(crate.files)
        arrows_in_all += sum(len(targets) for targets in arrows.values())
        for circle in circles(arrows):
            places = [str(crate.files[module].relative_to(HOUSE)) for module in circle]
            wrong.append(f"{folder}: files that import each other in a circle: {', '.join(places)}")
        if own != ENGINE:
            continue
        rooms = allowed.get("room", {})
        seen = set()
        for module, targets in arrows.items():
            if not module:
                continue
            room = module[0]
            seen.add(room)
            if room not in rooms:
                continue
            for target in sorted(targets):
                if target and target[0] != room and target[0] not in rooms[room]:
                    file = crate.files[module].relative_to(HOUSE)
                    wrong.append(f"{file}: the room `{room}` may not use `{target[0]}` (`{'::'.join(target)}`)")
        wrong += [f"{PAGE.name}: no row for the room `{room}`" for room in sorted(seen - set(rooms))]
        wrong += [f"{PAGE.name}: a row for the room `{room}`, which is not there" for room in sorted(set(rooms) - seen)]

    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        return 1
    print(f"rooms: {files} files, {arrows_in_all} arrows, no circle, and no arrow that docs/architecture.md does not have")
    return 0


if __name__ == "__main__":
    sys.exit(main())
