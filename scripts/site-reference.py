#!/usr/bin/env python3
"""Writes the references of the web site, as pages for Sphinx: `scripts/site-reference.py FOLDER [COMMAND]`.

- Python: a page for each module, with what its `__all__` names; signatures and docstrings are those of the sources.
- C: the declarations of the header with their comments, by purpose as in the manual page; and the manual page.
- The command: the help of each verb, if COMMAND, which prints it, is given.

Nothing is imported or compiled. The readers of both languages' sources are those of scripts/abi.py.
"""

import ast
import copy
import importlib.util
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("abi", TREE / "scripts/abi.py")
abi = importlib.util.module_from_spec(spec)
spec.loader.exec_module(abi)


def markdown(text: str | None) -> str:
    """A docstring as Markdown: examples of the interpreter become blocks, and lists of names become lists."""
    lines: list[str] = []
    in_example = False
    for line in (text or "").splitlines():
        if line.startswith(">>> ") and not in_example:
            lines += ["", "```pycon"]
            in_example = True
        elif in_example and not line.strip():
            lines.append("```")
            in_example = False
        lines.append(line if in_example else re.sub(r"^(`\w+`) {2,}", r"- \1: ", line))
    return "\n".join([*lines, "```"] if in_example else lines)


def directive(name: str, argument: str, body: str, depth: int, options: str = "") -> str:
    """A directive with its body; those with a smaller depth may be inside."""
    fence = ":" * (3 + depth)
    return f"{fence}{{{name}}} {argument}\n{options}\n{body}\n{fence}\n"


class Written(ast.NodeTransformer):
    """Writes out the names that a module has for kinds of arguments, such as `Errors`, and the package of classes
    that are the package's own, as modules have classes of the same names."""

    def __init__(self, module) -> None:
        self.imported = {name for name, (source, _) in module.imported.items() if source == "_sunzi"}
        self.aliases = {
            name: node.value
            for name, node in module.definitions.items()
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp)
        }

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802
        if node.id in self.imported:
            return ast.Attribute(ast.Name("sunzi"), node.id)
        return self.visit(self.aliases[node.id]) if node.id in self.aliases else node


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, module, is_method: bool, returns: bool = True) -> str:
    """Arguments and result of a function."""
    node = Written(module).visit(copy.deepcopy(node))
    marks = {ast.unparse(mark) for mark in node.decorator_list}
    if is_method and "staticmethod" not in marks:
        first = node.args.posonlyargs or node.args.args
        del first[0]
    result = f" -> {ast.unparse(node.returns)}" if returns and node.returns else ""
    return f"({ast.unparse(node.args)}){result}"


def docs_of_fields(body: list[ast.stmt]) -> dict[str, str]:
    """The docstrings below the fields of a class."""
    return {
        field.target.id: ast.literal_eval(after.value)
        for field, after in zip(body, body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
    }


def of_class(name: str, node: ast.ClassDef, module) -> str:
    """A class with its members."""
    made, members = "", []
    fields = docs_of_fields(node.body)
    for member in node.body:
        match member:
            case ast.FunctionDef(name="__new__" | "__init__"):
                made = signature(member, module, is_method=True, returns=False)
            case ast.FunctionDef(name=inner) | ast.AsyncFunctionDef(name=inner) if not inner.startswith("_"):
                marks = [ast.unparse(mark) for mark in member.decorator_list]
                text = markdown(ast.get_docstring(member))
                if "overload" in marks:
                    continue
                if any("property" in mark for mark in marks):
                    kind = f":type: {ast.unparse(member.returns)}\n" if member.returns else ""
                    members.append(directive("py:property", inner, text, 0, kind))
                else:
                    options = ":async:\n" if isinstance(member, ast.AsyncFunctionDef) else ""
                    options += "".join(f":{mark}:\n" for mark in marks if mark in ("staticmethod", "classmethod"))
                    members.append(directive("py:method", inner + signature(member, module, True), text, 0, options))
            case ast.AnnAssign(target=ast.Name(id=inner), annotation=kind) if not inner.startswith("_"):
                options = f":type: {ast.unparse(kind)}\n"
                members.append(directive("py:attribute", inner, markdown(fields.get(inner)), 0, options))
    body = "\n".join([markdown(ast.get_docstring(node)), "", *members])
    exception = any("Error" in ast.unparse(base) or "Exception" in ast.unparse(base) for base in node.bases)
    return directive("py:exception" if exception else "py:class", name + made, body, 1)


def of_name(name: str, node: ast.stmt, module, text: str) -> str:
    """A public name."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            options = ":async:\n" if isinstance(node, ast.AsyncFunctionDef) else ""
            return directive(
                "py:function", name + signature(node, module, False), markdown(ast.get_docstring(node)), 1, options
            )
        case ast.ClassDef():
            return of_class(name, node, module)
        case ast.AnnAssign(annotation=kind):
            return directive("py:data", name, text, 1, f":type: {ast.unparse(kind)}\n")
        case ast.Assign(value=value):
            shown = ast.unparse(value)
            return directive("py:data", name, text, 1, f":value: {shown}\n" if len(shown) < 100 else "")
    return ""


def home(modules: dict, module: str, name: str) -> str:
    """The module in which a name is defined."""
    while name not in modules[module].definitions and name in modules[module].imported:
        module, name = modules[module].imported[name]
    return module


def remark(source: list[str], node: ast.stmt) -> str:
    """The comment `#: ...` above a definition."""
    found = []
    line = node.lineno - 2
    while line >= 0 and source[line].startswith("#:"):
        found.insert(0, source[line].removeprefix("#:").strip())
        line -= 1
    return " ".join(found)


def python(folder: Path) -> None:
    """The pages for Python."""
    files = {file.stem: file for file in [*abi.PACKAGE.glob("*.py"), abi.PACKAGE / "_sunzi.pyi"]}
    modules = {name: abi.Module(file) for name, file in files.items()}
    public = ["__init__", *sorted(name for name in modules if not name.startswith("_") and modules[name].public)]
    for name in public:
        whole = "sunzi" if name == "__init__" else f"sunzi.{name}"
        text = files[name].read_text(encoding="utf-8")
        parts = [f"# `{whole}`\n", f"```{{py:module}} {whole}\n```\n", markdown(ast.get_docstring(ast.parse(text))), ""]
        for member in modules[name].public:
            node = abi.definition(modules, name, member)
            if node is None:  # A module, which has a page of its own.
                continue
            place = home(modules, name, member)
            source = files[place].read_text(encoding="utf-8").splitlines()
            parts.append(of_name(member, node, modules[place], remark(source, node)))
        (folder / f"{whole}.md").write_text("\n".join(parts), encoding="utf-8")
    rows = "".join(f"{'sunzi' if name == '__init__' else f'sunzi.{name}'}\n" for name in public)
    (folder / "python.md").write_text(
        "# Reference of the Python package\n\nA page for each module, from the docstrings. [The package's page]"
        f"(../python/README.md) has an overview of all functions.\n\n```{{toctree}}\n{rows}```\n",
        encoding="utf-8",
    )


# The functions of the header.
FUNCTIONS = {name for line in abi.of_c() for name in re.findall(r"\b(sunzi_\w+)\(", line)}


def comment(text: str) -> str:
    """The text of a comment of the header, as Markdown; names of functions and types become links."""
    text = textwrap.dedent(re.sub(r"^ \*", "", text, flags=re.M)).strip().replace("*", r"\*")
    text = re.sub(r"(?<![`\w])(sunzi_\w+)\(\)", r"{c:func}`\1`", text)
    return re.sub(
        r"(?<![`\w])sunzi_\w+(?!\w)",
        lambda name: f"{{c:{'func' if name[0] in FUNCTIONS else 'type'}}}`{name[0]}`",
        text,
    )


DECLARATION = re.compile(
    r"/\*(?P<comment>(?:(?!\*/).)*?)\*/\s*(?P<code>(?:typedef (?:enum|struct)(?: \w+)? \{.*?\} \w+|[^;{}#/]+?));",
    re.DOTALL,
)
MEMBER = re.compile(r"/\*(?P<comment>(?:(?!\*/).)*?)\*/\s*(?P<code>[^;,/]+?)(?:[;,]|\s*$)", re.DOTALL)


def of_declaration(code: str, text: str) -> tuple[str, str]:
    """The name of a declaration, and its directive."""
    if whole := re.match(r"typedef (enum|struct)(?: \w+)? \{(.*)\} (\w+)$", code, re.DOTALL):
        kind, inner, name = whole.groups()
        member = "c:enumerator" if kind == "enum" else "c:member"
        members = [
            directive(member, " ".join(part["code"].split()), comment(part["comment"]), 0)
            for part in MEMBER.finditer(inner)
        ]
        return name, directive(f"c:{kind}", name, "\n".join([text, "", *members]), 1)
    code = " ".join(code.split())
    if opaque := re.match(r"typedef struct (\w+) \1$", code):
        return opaque[1], directive("c:struct", opaque[1], text, 1)
    if pointer := re.match(r"typedef (.*\(\*(\w+)\).*)$", code):
        return pointer[2], directive("c:type", pointer[1], text, 1)
    name = re.search(r"(\w+)\(", code)[1]
    return name, directive("c:function", code, text, 1)


def purposes(manual: str) -> dict[str, list[str]]:
    """The functions by purpose, as the manual page lists them."""
    listed = manual.split(".SH FUNCTIONS\n")[1].split(".SH ")[0]
    return {part.split("\n")[0]: re.findall(r"sunzi_\w+", part) for part in listed.split(".TP\n")[1:]}


def c(folder: Path) -> None:
    """The pages for C."""
    header = (TREE / "crates/capi/include/sunzi.h").read_text(encoding="utf-8")
    manual = (TREE / "crates/capi/sunzi.3").read_text(encoding="utf-8")
    about = comment(re.match(r"/\*(.*?)\*/", header, re.DOTALL)[1])
    about = (
        about.split("\n\nThis file is made from")[0]
        + "\n\nThis page is made from the header, by the purposes of its manual page.\n"
    )
    body = header.split("*/", 1)[1]
    found = dict(of_declaration(part["code"], comment(part["comment"])) for part in DECLARATION.finditer(body))
    if missing := FUNCTIONS - set(found):
        sys.exit(f"functions of the header that were not understood: {', '.join(sorted(missing))}")
    parts = ["# Reference of the C library\n", about, ""]
    for purpose, names in purposes(manual).items():
        parts += [f"## {purpose}\n", *(found.pop(name) for name in names)]
    parts += ["## Types and options\n", *found.values()]
    (folder / "c.md").write_text("\n".join(parts), encoding="utf-8")
    (folder / "c-manual.md").write_text(of_manual(manual), encoding="utf-8")


def of_manual(manual: str) -> str:
    """The manual page, of which the few macros that it has are understood."""
    lines, block = ["# The manual page sunzi(3)\n"], False
    tag = False
    for line, following in zip(manual.splitlines(), [*manual.splitlines()[1:], ""], strict=True):
        macro, _, rest = line.partition(" ")
        words = [
            word.replace("\\-", "-").replace("\\e", "\\")
            for word in re.findall(r'"([^"]*)"|(\S+)', rest)
            for word in word
            if word
        ]
        text = line.replace("\\-", "-").replace("\\e", "\\")
        match macro:
            case ".TH":
                continue
            case ".SH" | ".SS":
                text = f"\n{'##' if macro == '.SH' else '###'} {rest.capitalize() if macro == '.SH' else rest}\n"
            case ".PP":
                text = ""
            case ".TP":
                tag = True
                continue
            case ".nf" | ".fi":
                block = macro == ".nf"
                text = "```" + ("c" if block and "sunzi" in following and "(" not in following else "")
            case ".B" | ".BR" | ".I" | ".IR" | ".BI":
                if block:
                    text = "".join(words) if macro == ".BI" else " ".join(words)
                elif words[0].startswith("sunzi_") and words[0] not in ("sunzi_status", "_free"):
                    text = f"{{c:func}}`{words[0]}`{''.join(words[1:])}"
                else:
                    text = f"`{words[0]}`{''.join(words[1:])}"
            case _:
                if macro.startswith("."):
                    sys.exit(f"a macro of sunzi.3 that scripts/site-reference.py does not know: {macro}")
                if tag:
                    text, tag = f"\n**{text}**\n", False
        lines.append(text)
    return "\n".join(lines) + "\n"


def help_of(program: str, verbs: list[str]) -> Iterator[str]:
    """The help of a verb and of the verbs below it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SUNZI")}
    shown = subprocess.run(
        [program, *verbs, "--help"], check=True, capture_output=True, text=True, env=environment
    ).stdout
    if verbs:
        yield f"{'#' * (len(verbs) + 1)} sunzi {' '.join(verbs)}\n"
        # These are shown once, with the command's own help.
        shown = re.sub(r"\n\nOptions of every command:\n(?:  .*\n)+", "\n", shown)
    yield f"```text\n{shown.rstrip()}\n```\n"
    commands = re.search(r"^Commands:\n((?:  .*\n)+)", shown, re.M)
    for verb in re.findall(r"^  ([a-z][\w-]*)", commands[1], re.M) if commands else []:
        if verb != "help":
            yield from help_of(program, [*verbs, verb])


def command(folder: Path, program: str | None) -> None:
    """The page for the command."""
    about = (
        "# The command\n\n`sunzi` signs, verifies, encrypts, decrypts, agrees on keys and computes powers, of files and of "
        "streams of lines. [First steps](../start.md#first-steps), [recipes](../docs/recipes.md), [bulk jobs](../docs/jobs.md).\n"
    )
    if program:
        parts = [about, "This is what `sunzi --help` and `sunzi VERB --help` print.\n", *help_of(program, [])]
    else:
        parts = [
            about,
            "The command had not been built when this site was made: `sunzi VERB --help` has what would be here.\n",
        ]
    (folder / "command.md").write_text("\n".join(parts), encoding="utf-8")


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    python(folder)
    c(folder)
    command(folder, sys.argv[2] if len(sys.argv) > 2 else None)


main()
