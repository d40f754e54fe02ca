#!/usr/bin/env python3
"""Says what is in the files of a release; scripts/dist.sh calls it.

    scripts/dist-contents.py list FILE TARGET PACKAGE           the CycloneDX list that cargo-cyclonedx wrote, cleaned
    scripts/dist-contents.py licences TARGET,... PACKAGE...     licences of all that the packages ship, with their texts
    scripts/dist-contents.py provenance FOLDER FILE...          an in-toto statement of where the files come from
    scripts/dist-contents.py to-sign STATEMENT                  the bytes of it that are to be signed (DSSE)
    scripts/dist-contents.py envelope STATEMENT SIGNATURE NAME  both in one file, with the name of the key

Everything goes to standard output, and is the same wherever it is run. Python 3.11 and its standard library suffice.
"""

import base64
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
REPOSITORY = "https://github.com/sunzi-rns/sunzi"
PAYLOAD_TYPE = "application/vnd.in-toto+json"

# Names of files with licences and notices.
NOTICES = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)


def run(*command: str) -> str:
    """The output of a command, run in the tree; what it says of errors is seen."""
    ran = subprocess.run(command, cwd=TREE, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{command[0]} failed with exit code {ran.returncode}")
    return ran.stdout


def compiled(target: str, package: str, edges: str) -> set[tuple[str, str]]:
    """Names and versions of the crates that cargo compiles for a package, along edges of some kinds."""
    lines = run(
        "cargo", "tree", "--locked", "--package", package, "--target", target, "--edges", edges, "--prefix", "none",
        "--format", "{p}",
    ).splitlines()
    return {(name, version.removeprefix("v")) for name, version in (line.split()[:2] for line in lines if line)}


def print_json(value: object) -> None:
    """Writes a value with sorted keys."""
    print(json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False))


def list_of(file: str, target: str, package: str) -> None:
    """Writes a CycloneDX list without the paths of this machine.

    cargo-cyclonedx takes the features that any package of the workspace asks for; crates that only such features bring
    are left out. What only builds is "excluded" from running, in the words of CycloneDX.
    """
    text = Path(file).read_text(encoding="utf-8")
    text = re.sub(r"path\+file://[^\"#]*/([^\"#/]+)#", r"path+file:///sunzi/\1#", text)
    text = re.sub(r"\?download_url=file://[^\"#]*", "", text)
    bom = json.loads(text)
    bom.pop("serialNumber", None)  # Random, and not required.
    everything = compiled(target, package, "normal,build")
    running = compiled(target, package, "normal,no-proc-macro")
    components = [c for c in bom["components"] if (c["name"], c["version"]) in everything]
    for component in components:
        component["scope"] = "required" if (component["name"], component["version"]) in running else "excluded"
    missing = everything - {(c["name"], c["version"]) for c in components} - {(package, version())}
    if missing:
        sys.exit(f"cargo-cyclonedx does not list {sorted(missing)}")
    bom["components"] = sorted(components, key=lambda c: (c["name"], c["version"]))
    kept = {c["bom-ref"] for c in components} | {bom["metadata"]["component"]["bom-ref"]}
    bom["dependencies"] = [
        {**node, "dependsOn": sorted(ref for ref in node.get("dependsOn", []) if ref in kept)}
        for node in sorted(bom["dependencies"], key=lambda node: node["ref"])
        if node["ref"] in kept
    ]
    bom["metadata"]["properties"] = [{"name": "cdx:rustc:sbom:target:triple", "value": target}]
    print_json(bom)


def version() -> str:
    """The version of all packages."""
    manifest = (TREE / "Cargo.toml").read_text(encoding="utf-8")
    return re.search(r'^\[workspace\.package\]\nversion = "(.*)"', manifest, re.MULTILINE)[1]


def plain(page: str) -> str:
    """The words of a page in HTML."""
    page = re.sub(r"(?s)<(style|script|head)\b.*?</\1>", "", page)
    return re.sub(r"\n\s*\n+", "\n\n", html.unescape(re.sub(r"<[^>]*>", "", page))).strip() + "\n"


def beside_crates() -> list[tuple[str, str, Path]]:
    """What is linked besides crates: name, licence, file with its text."""
    zig = Path(sysconfig.get_path("purelib", vars={"base": sys.prefix})) / "ziglang"
    if not (zig / "lib").is_dir():
        sys.exit("ziglang is missing: scripts/dist.sh installs it, and calls this program with its Python")
    rust = Path(run("rustc", "--print", "sysroot").strip())
    return [
        ("Rust's standard library", "MIT OR Apache-2.0", rust / "share/doc/rust/COPYRIGHT-library.html"),
        ("musl, in what is for musl", "MIT", zig / "lib/libc/musl/COPYRIGHT"),
        ("LLVM's libunwind", "Apache-2.0 WITH LLVM-exception", zig / "lib/libunwind/LICENSE.TXT"),
        ("Zig's compiler-rt", "MIT", zig / "LICENSE"),
        ("glibc's start files, in what is for glibc", "LGPL-2.1-or-later with exceptions", zig / "lib/libc/glibc/LICENSES"),
    ]


def notices(package: dict) -> list[Path]:
    """The files with licences of a package, also those deeper inside of it, of other projects' code."""
    folder = Path(package["manifest_path"]).parent
    if package["source"] is None:
        return [TREE / "LICENSE-APACHE", TREE / "LICENSE-MIT"]
    return [p for p in sorted(folder.rglob("*")) if NOTICES.match(p.name) and p.is_file() and p.suffix != ".rs"]


def add_text(texts: dict[str, tuple[str, list[str]]], file: Path, name: str) -> None:
    """Adds the text of a file for a name; texts that differ in blanks alone are one."""
    text = file.read_text(encoding="utf-8", errors="replace")
    text = plain(text) if file.suffix == ".html" else text.strip("\r\n") + "\n"
    texts.setdefault("".join(text.split()).lower(), (text, []))[1].append(name)


def licences(targets: str, packages: list[str]) -> None:
    """Writes the licences of the crates that the packages run with, and each text once."""
    shipped = set()
    for target in targets.split(","):
        for package in packages:
            shipped |= compiled(target, package, "normal,no-proc-macro")
    metadata = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1"))
    rows, texts = [], {}
    for package in sorted(metadata["packages"], key=lambda p: (p["name"], p["version"])):
        if (package["name"], package["version"]) not in shipped:
            continue
        name = f"{package['name']} {package['version']}"
        if not package["license"]:
            sys.exit(f"{name} names no licence")
        files = notices(package)
        own = "" if files else "; it has no text of its own"
        rows.append(f"{name}: {package['license']}{own}" + (f" ({package['repository']})" if package["repository"] else ""))
        for file in files:
            add_text(texts, file, name)
    for name, licence, file in beside_crates():
        rows.append(f"{name}: {licence}")
        add_text(texts, file, name)
    print(f"Licences of what is in Sunzi {version()}: {' '.join(packages)}\n")
    print("Where there is a choice, all texts that come with a crate are below, each once.\n")
    print("\n".join(rows))
    for text, names in texts.values():
        print("\n" + "=" * 100 + "\n" + "\n".join(dict.fromkeys(names)) + "\n" + "-" * 100 + "\n\n" + text, end="")


def digest(file: Path) -> dict[str, str]:
    """The SHA-256 of a file, as in-toto writes it."""
    return {"sha256": hashlib.sha256(file.read_bytes()).hexdigest()}


def provenance(folder: str, files: list[str]) -> None:
    """Writes a statement in the form in-toto 1, with SLSA's predicate of provenance 1.

    It has no times and no names of machines, lest two builders' statements differ; who states it is said by the signature.
    """
    tools = re.findall(r'^(?:python_tools="([^"]*)"|auditable=(\S+)|cyclonedx=(\S+))', (TREE / "scripts/dist.sh").read_text(), re.MULTILINE)
    pinned = tools[0][0].split() + [f"cargo-auditable=={tools[1][1]}", f"cargo-cyclonedx=={tools[2][2]}"]
    print_json({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": digest(Path(folder) / name)} for name in sorted(files)],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{REPOSITORY}/blob/v{version()}/RELEASING.md#4-artefacts",
                "externalParameters": {"source": f"git+{REPOSITORY}", "command": "make dist"},
                "internalParameters": {
                    "rustc": run("rustc", "--version").strip(), "tools": pinned,
                    "SOURCE_DATE_EPOCH": os.environ["SOURCE_DATE_EPOCH"],
                },
                "resolvedDependencies": [
                    {"uri": f"git+{REPOSITORY}", "digest": {"gitCommit": run("git", "rev-parse", "HEAD").strip()}},
                    {"uri": "Cargo.lock", "digest": digest(TREE / "Cargo.lock")},
                ],
            },
            "runDetails": {"builder": {"id": f"{REPOSITORY}/blob/v{version()}/scripts/dist.sh"}},
        },
    })


def to_sign(statement: str) -> None:
    """Writes DSSE's pre-authentication encoding of a statement."""
    payload = Path(statement).read_bytes()
    sys.stdout.buffer.write(b"DSSEv1 %d %s %d " % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload)) + payload)


def envelope(statement: str, signature: str, name: str) -> None:
    """Writes a statement with its signature, as in-toto's verifiers read it."""
    encoded = [base64.b64encode(Path(file).read_bytes()).decode() for file in (statement, signature)]
    print_json({
        "payloadType": PAYLOAD_TYPE, "payload": encoded[0], "signatures": [{"keyid": name, "sig": encoded[1]}],
    })


def main() -> None:
    """Calls the function that the first argument names."""
    match sys.argv[1:]:
        case ["list", file, target, package]:
            list_of(file, target, package)
        case ["licences", targets, *packages] if packages:
            licences(targets, packages)
        case ["provenance", folder, *files]:
            provenance(folder, files)
        case ["to-sign", statement]:
            to_sign(statement)
        case ["envelope", statement, signature, name]:
            envelope(statement, signature, name)
        case _:
            sys.exit(__doc__)


main()
