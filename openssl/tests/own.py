"""OpenSSL's own tests of RSA and ECDSA with the module loaded.

own.py MODULE.cnf SOURCE BUILD [RECIPES]: MODULE.cnf is what `scripts/openssl-module.sh` writes; SOURCE is OpenSSL's source with
its tests, of the same minor version as the libcrypto that pkg-config finds; the tests are compiled in a copy of it below
BUILD, and linked to that libcrypto. Each recipe runs without the module, with it, and with every operation computed by
it. A recipe fails if any of its tests does that does not fail without the module, or if no operation is counted. Tests
that need functions which libcrypto does not export are named, and left out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from check import Statistics

# Recipes of OpenSSL, and the programs that they run. The counts of some are zero: they only read and check keys, or
# use keys of sizes that the module does not count.
RECIPES = {
    "test_rsa": ["rsa_test"],
    "test_rsapss": [],
    "test_rsaoaep": [],
    "test_mp_rsa": ["rsa_mp_test"],
    "test_internal_rsa_sp800_56b": ["rsa_sp800_56b_test"],
    "test_ecdsa": ["ecdsatest"],
    "test_ec": ["ectest"],
    "test_genrsa": [],
    "test_pkeyutl": [],
    "test_evp": ["evp_test"],
    "test_evp_extra": ["evp_extra_test", "evp_extra_test2"],
    "test_evp_pkey_provided": ["evp_pkey_provided_test"],
    "test_evp_libctx": ["evp_libctx_test"],
    "test_req": [],
    "test_asyncio": ["asynciotest"],
    "test_threads": ["threadstest"],
    "test_sslapi": ["sslapitest"],
}
UNCOUNTED = {"test_internal_rsa_sp800_56b", "test_rsapss", "test_ec", "test_genrsa", "test_evp_pkey_provided"}
USUAL_CONFIGURATION = "apps/openssl.cnf"
# A program that demands that the usual one has activated no provider, and then reads another into a context of its own.
OWN_CONFIGURATION = {"test_sslapi": "test/default.cnf"}


def variable(name: str) -> str:
    return subprocess.run(["pkg-config", f"--variable={name}", "libcrypto"], capture_output=True, text=True).stdout.strip()


class Tests:
    def __init__(self, configuration: Path, source: Path, build: Path) -> None:
        version = dict(re.findall(r"(?m)^(\w+)=(\w*)$", (source / "VERSION.dat").read_text()))
        self.version = "{MAJOR}.{MINOR}.{PATCH}".format(**version)
        installed = subprocess.run(["pkg-config", "--modversion", "libcrypto"], capture_output=True, text=True).stdout
        if installed.split(".")[:2] != self.version.split(".")[:2]:
            raise SystemExit(f"tests of OpenSSL {self.version} do not fit OpenSSL {installed}")
        self.tree = build / f"openssl-{self.version}"
        if not (self.tree / "test/libtestutil.a").exists():
            self.prepare(source)
        module = configuration.read_text()
        self.section = "\n" + module[module.index("[openssl_init]") :]
        self.source = source

    def make(self, *targets: str) -> subprocess.CompletedProcess[str]:
        command = ["make", "-o", "libcrypto.so", "-o", "libssl.so", *targets]
        return subprocess.run(command, cwd=self.tree, capture_output=True, text=True)

    def prepare(self, source: Path) -> None:
        """Configures a copy of the source as the installed library was, and puts that into the library's place."""
        shutil.rmtree(self.tree, ignore_errors=True)
        shutil.copytree(source, self.tree, symlinks=True)
        programs = self.tree / "test/build.info"
        text = re.sub(r"\.\./(libcrypto|libssl)\.a", r"../\1", programs.read_text())
        programs.write_text(text.replace("../providers/liblegacy.a", ""))
        headers = Path(variable("includedir"))
        found = [headers / "openssl/configuration.h", *headers.glob("*/openssl/configuration.h")]
        text = next(file for file in found if file.exists()).read_text()
        known = (source / "Configure").read_text()
        options = {name.lower().replace("_", "-") for name in re.findall(r"define OPENSSL_NO_(\w+)", text)}
        options = {f"no-{name}" for name in options - {"apps", "tests"} if f'"{name}"' in known}
        configure = ["./Configure", *sorted(options)]
        done = subprocess.run(configure, cwd=self.tree, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"OpenSSL's source cannot be configured: {done.stdout}{done.stderr}")
        major = self.version.split(".")[0]
        for name in ("libcrypto.so", "libssl.so"):
            for link in (name, f"{name}.{major}"):
                (self.tree / link).symlink_to(Path(variable("libdir")) / f"{name}.{major}")
        done = self.make("build_generated", "util/wrap.pl", "util/shlib_wrap.sh")
        if done.returncode == 0:
            done = self.make("test/libtestutil.a")
        if done.returncode != 0:
            raise SystemExit(f"OpenSSL's tests cannot be compiled: {done.stderr[-2000:]}")
        program = Path(variable("prefix")) / "bin/openssl"
        if not program.exists():
            program = Path(shutil.which("openssl") or "openssl")
        (self.tree / "apps/openssl").symlink_to(program)

    def configure(self, recipe: str) -> None:
        """Puts the module into the configuration that the programs of a recipe read."""
        reads = OWN_CONFIGURATION.get(recipe, USUAL_CONFIGURATION)
        for name in {USUAL_CONFIGURATION, reads}:
            text = (self.source / name).read_text()
            (self.tree / name).write_text(text + self.section * (name == reads))

    def run(self, recipe: str, folder: Path, **settings: str) -> tuple[list[str], bool, Statistics]:
        """The results of a recipe, each `ok` or `not ok` with its name; whether it passed; and what was counted."""
        statistics = Path(tempfile.mkdtemp(dir=folder))
        environment = os.environ | settings | {
            "SUNZI_OPENSSL_STATISTICS": str(statistics),
            "SUNZI_OPENSSL_CACHE": str(folder / "cache"),
            "SRCTOP": str(self.tree), "BLDTOP": str(self.tree), "PERL": "perl", "EXE_EXT": "", "HARNESS_VERBOSE": "yes", "HARNESS_JOBS": "1",
        }
        command = ["perl", str(self.tree / "test/run_tests.pl"), recipe]
        done = subprocess.run(
            command, cwd=self.tree, env=environment, capture_output=True, text=True, errors="replace", timeout=1200
        )
        results = re.findall(r"(?m)^\s*((?:not )?ok \d+ .*)$", done.stdout)
        return results, done.returncode == 0, Statistics(statistics)


def main() -> None:
    configuration, source, build = (Path(argument).resolve() for argument in sys.argv[1:4])
    if not (source / "test/rsa_test.c").exists():
        print(f"SKIPPED: {source} is not OpenSSL's source with its tests")
        return
    tests = Tests(configuration, source, build)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sunzi-openssl-own-") as name:
        folder = Path(name)
        chosen = {recipe: RECIPES[recipe] for recipe in sys.argv[4:] or RECIPES}
        for recipe, programs in chosen.items():
            missing = [one for one in programs if tests.make(f"test/{one}").returncode != 0]
            if missing:
                print(f"{recipe}: left out, as {', '.join(missing)} needs functions that libcrypto does not export")
                continue
            tests.configure(recipe)
            off, passed, _ = tests.run(recipe, folder, SUNZI_OPENSSL="off")
            lines = [f"without the module {'passed' if passed else 'FAILED'}"]
            for how, settings in {"with it": {}, "all by it": {"SUNZI_OPENSSL_FORCED": "1"}}.items():
                on, well, found = tests.run(recipe, folder, **settings)
                operations = found.operations()
                good = (well or not passed) and sorted(on) == sorted(off)
                good &= operations > 0 or recipe in UNCOUNTED
                failed += not good
                if not good:
                    for line in sorted(set(on) ^ set(off))[:20]:
                        print(f"    {line}")
                lines.append(
                    f"{how} {'the same' if good else 'NOT THE SAME'}, {operations} operations, "
                    f"{found.sum('together')} by the module, {found.sum('faults')} faults"
                )
            print(f"{recipe}: {len(off)} results; {'; '.join(lines)}", flush=True)
    print(f"OpenSSL {tests.version}, its own tests: {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
