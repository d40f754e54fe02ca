"""Tests of the module with unmodified programs, whose operations are counted, so that silent falling back fails.

check.py MODULE.cnf FAULTS.cnf BUILD [--all] [--measure]: the two configurations are those that
`scripts/openssl-module.sh` writes, BUILD is a folder with the test programs. --all runs as many rounds as a
release needs; --measure also prints handshakes a processor second with the module on and off.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINE = re.compile(r'^(\w+)\{(.*)\} (\d+)$')
KEYS = {
    "rsa": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "pss": ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
    "p384": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
    "p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "k256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"],
    "bp384": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:brainpoolP384r1"],
    "ed25519": ["-algorithm", "ED25519"],
}


class Statistics:
    """The sums of all processes that wrote statistics into a folder."""

    def __init__(self, folder: Path) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.batches: Counter[tuple[str, int]] = Counter()
        self.states: list[str] = []
        # Asynchronous jobs that were given up.
        self.paused = 0
        for file in folder.glob("*.prom"):
            for line in file.read_text().splitlines():
                if not (match := LINE.match(line)):
                    continue
                name, number = match[1], int(match[3])
                labels = dict(re.findall(r'(\w+)="([^"]*)"', match[2]))
                if name == "sunzi_gather_total":
                    self.counts[labels["kind"], labels["count"]] += number
                elif name == "sunzi_gather_batches_total":
                    self.batches[labels["kind"], int(labels["size"])] += number
                elif name == "sunzi_openssl_jobs_paused":
                    self.paused += number
                elif name == "sunzi_openssl_info":
                    self.states.append(labels["state"])

    def sum(self, *counts: str, kind: str | None = None) -> int:
        return sum(n for (k, count), n in self.counts.items() if count in counts and kind in (None, k))

    def alone(self, kind: str | None = None) -> int:
        return self.sum("lone", "unpaid", "few", "refused", "full", "faults", kind=kind)

    def operations(self, kind: str | None = None) -> int:
        return self.sum("together", kind=kind) + self.alone(kind)

    def mean_batch(self, kind: str) -> float:
        batches = sum(n for (k, _), n in self.batches.items() if k == kind)
        return self.operations(kind) / max(batches, 1)


class Check:
    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.module, self.faults = arguments.module.resolve(), arguments.faults.resolve()
        self.build = arguments.build.resolve()
        self.all = arguments.all
        self.folder = folder
        self.steps = 0
        self.number = 0
        # What one run has measured, the next ones know: the first program measures.
        self.cache = folder / "cache"

    def environment(self, configuration: Path | None, **settings: str) -> tuple[dict[str, str], Path]:
        """The environment for a program, and the folder of its statistics."""
        self.number += 1
        statistics = self.folder / f"statistics-{self.number}"
        statistics.mkdir()
        # Servers change their user.
        statistics.chmod(0o777)
        environment = {k: v for k, v in os.environ.items() if k != "OPENSSL_CONF" and not k.startswith("SUNZI")}
        # Names of functions for a backtrace are memory that is kept.
        environment["RUST_BACKTRACE"] = "0"
        if configuration:
            environment["OPENSSL_CONF"] = str(configuration)
            environment["SUNZI_OPENSSL_STATISTICS"] = str(statistics)
            environment["SUNZI_OPENSSL_CACHE"] = str(self.cache)
        return environment | settings, statistics

    def run(self, *command: str, module: bool = True, fails: bool = False, **settings: str) -> tuple[str, Statistics]:
        """Runs a command in the folder; its output, and what it counted."""
        environment, statistics = self.environment(self.module if module else None, **settings)
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=170, errors="replace"
        )
        if (done.returncode != 0) != fails:
            raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr, Statistics(statistics)

    def openssl(self, *arguments: str, counted: int | None = None, **others) -> str:
        output, statistics = self.run("openssl", *arguments, **others)
        if counted is not None:
            self.that(statistics.operations() == counted, f"openssl {' '.join(arguments)}: {statistics.counts}")
        return output

    def that(self, holds: bool, what: str) -> None:
        if not holds:
            raise SystemExit(f"failed: {what}")
        self.steps += 1

    def commands(self) -> None:
        """Every command does what it does without the module, and each private operation is counted."""
        providers = self.openssl("list", "-providers")
        self.that("Sunzi" in providers and "default" in providers.lower(), f"both providers are there: {providers}")
        (self.folder / "message").write_bytes(b"message" * 100)
        for name, options in KEYS.items():
            self.openssl("genpkey", *options, "-out", f"{name}.pem")
            self.openssl("pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub")
            self.openssl("req", "-x509", "-key", f"{name}.pem", "-subj", "/CN=localhost", "-out", f"{name}.crt",
                         counted=int(name != "ed25519"))
            if name == "ed25519":
                continue
            for digest in ["sha256", "sha512", "sha1"]:
                self.openssl("dgst", f"-{digest}", "-sign", f"{name}.pem", "-out", "signature", "message", counted=1)
                # Verified without the module.
                verified = self.openssl("dgst", f"-{digest}", "-verify", f"{name}.pub", "-signature", "signature",
                                        "message", module=False)
                self.that("Verified OK" in verified, f"{name}, {digest}")
            (self.folder / "digest").write_bytes(bytes(range(32)))
            self.openssl("pkeyutl", "-sign", "-inkey", f"{name}.pem", "-in", "digest", "-out", "signature",
                         "-pkeyopt", "digest:sha256", counted=1)
            self.openssl("pkeyutl", "-verify", "-pubin", "-inkey", f"{name}.pub", "-in", "digest", "-sigfile",
                         "signature", "-pkeyopt", "digest:sha256", module=False)
            if name != "pss" and self.has_cms():
                self.openssl("cms", "-sign", "-signer", f"{name}.crt", "-inkey", f"{name}.pem", "-in", "message",
                             "-binary", "-nodetach", "-outform", "DER", "-out", "cms", counted=1)
                self.openssl("cms", "-verify", "-CAfile", f"{name}.crt", "-inform", "DER", "-in", "cms", "-out",
                             "restored", "-binary", module=False)
                self.that((self.folder / "restored").read_bytes() == b"message" * 100, "CMS restores the message")
            self.openssl("pkcs8", "-topk8", "-in", f"{name}.pem", "-passout", "pass:word", "-out", "encrypted.pem")
            self.openssl("dgst", "-sha256", "-passin", "pass:word", "-sign", "encrypted.pem", "-out", "signature",
                         "message", counted=1)
            self.openssl("pkcs12", "-export", "-inkey", f"{name}.pem", "-in", f"{name}.crt", "-passout", "pass:word",
                         "-out", "key.p12")
            self.openssl("pkcs12", "-in", "key.p12", "-passin", "pass:word", "-nodes", "-out", "key.pem")
        for padding in ["oaep", "pkcs1"]:
            options = ["-pkeyopt", f"rsa_padding_mode:{padding}"]
            self.openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", "rsa.pub", "-in", "digest", "-out", "ciphertext",
                         *options, counted=0)
            self.openssl("pkeyutl", "-decrypt", "-inkey", "rsa.pem", "-in", "ciphertext", "-out", "restored",
                         *options, counted=1)
            self.that((self.folder / "restored").read_bytes() == bytes(range(32)), f"decrypts with {padding}")
        self.openssl("genrsa", "-out", "other.pem", "1024")
        self.openssl("rsa", "-in", "other.pem", "-check")
        # What OpenSSL refuses is refused, and what it has not is not there.
        for command in [
            ["dgst", "-sha256", "-sign", "rsa.pub", "message"],
            ["dgst", "-sha256", "-propquery", "fips=yes", "message"],
            ["pkeyutl", "-decrypt", "-inkey", "p256.pem", "-in", "digest"],
        ]:
            texts = [self.openssl(*command, fails=True, module=module) for module in (False, True)]
            plain = [re.sub(r"(?m)^[0-9A-F]+:", "", text) for text in texts]
            self.that(plain[0] == plain[1], f"{command}: the errors are the same\n{plain[0]}\n{plain[1]}")
        print(f"commands: {self.steps} steps")

    def has_cms(self) -> bool:
        """Whether OpenSSL was compiled with CMS."""
        return subprocess.run(["openssl", "cms", "-help"], capture_output=True).returncode == 0

    def settings(self) -> None:
        """Bad settings and places never stop a program; it is off when it is set so."""
        sign = ["openssl", "dgst", "-sha256", "-sign", "rsa.pem", "-out", "signature", "message"]
        _, statistics = self.run(*sign, SUNZI_OPENSSL="off")
        self.that(statistics.operations() == 0 and statistics.states == ["off: so it is set"], "it is off")
        _, statistics = self.run(*sign, SUNZI_OPENSSL_PROCESSORS="many", SUNZI_OPENSSL="perhaps")
        self.that(statistics.states == ["on, but not understood: processors, enabled"], f"{statistics.states}")
        nowhere = "/proc/nowhere"
        _, statistics = self.run(*sign, SUNZI_OPENSSL_STATISTICS=nowhere, SUNZI_OPENSSL_CACHE=nowhere)
        _, statistics = self.run(*sign, HOME="", XDG_CACHE_HOME="")
        self.that(statistics.operations() == 1, "without folders it works")
        # From the section: nginx, for one, clears the environment.
        section = self.folder / "statistics-of-section"
        section.mkdir()
        configuration = self.folder / "section.cnf"
        text = self.module.read_text() + f"statistics = {section}\nprocessors = 1\n"
        configuration.write_text(text)
        environment, _ = self.environment(None, OPENSSL_CONF=str(configuration))
        subprocess.run(sign, cwd=self.folder, env=environment, check=True)
        self.that(Statistics(section).operations() == 1, "settings of the section")
        # Where memory may not be made writable, keys whose method is read-only are left to OpenSSL, which says so.
        refuses = str(self.build / "readonly.so")
        output, statistics = self.run("openssl", *sign[1:], LD_PRELOAD=refuses)
        _, curve = self.run("openssl", *[part.replace("rsa", "p384") for part in sign[1:]], LD_PRELOAD=refuses)
        state = statistics.states[0]
        self.that("cannot be written to" in state and (state.startswith("off: ") or "ECDSA" in state), f"{state}")
        self.that(statistics.operations() == int(" RSA," not in state and state.startswith("on")), f"{state}")
        self.that(curve.operations() == 0, "ECDSA is left to OpenSSL")
        # A module for another major version, if one was built here: off, or not loaded where its library is missing.
        for other in self.module.parent.glob("sunzi-openssl*-[0-9].cnf"):
            if other.stem[-1] == self.module.stem[-1]:
                continue
            environment, folder = self.environment(other)
            subprocess.run(sign, cwd=self.folder, env=environment, check=True)
            states = Statistics(folder).states
            self.that(all(state.startswith("off: this module is for OpenSSL") for state in states), f"{other}: {states}")
        # A broken configuration: as without the module.
        broken = self.folder / "broken.cnf"
        broken.write_text(self.module.read_text().replace(".so", ".gone"))
        environment, _ = self.environment(None, OPENSSL_CONF=str(broken))
        subprocess.run(["openssl", "version"], env=environment, check=True, capture_output=True)
        count = 1000 if self.all else 60
        environment, statistics = self.environment(self.module)
        for _ in range(count):
            subprocess.run(sign, cwd=self.folder, env=environment, check=True)
        found = Statistics(statistics)
        self.that(found.operations("RSA-2048") == count, f"{count} short runs without a crash: {found.counts}")
        print(f"settings: as they should be; {count} short runs without a crash")

    def copies(self) -> None:
        """Keys are copied, compared, encoded and exported as without the module, and the copies' signatures counted."""
        rounds = 8
        for settings in [{}, {"SUNZI_OPENSSL_FORCED": "1"}]:
            environment, statistics = self.environment(self.faults, **settings)
            command = [str(self.build / "copies"), str(rounds)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=170)
            self.that(done.returncode == 0, f"copies of keys: {done.stderr[-2000:]}")
            found = Statistics(statistics)
            self.that(found.operations() == int(done.stdout), f"{done.stdout} signatures by copies: {found.counts}")
            self.that(found.sum("together") == found.operations() * len(settings), f"{settings}: {found.counts}")
        print(f"copies: {done.stdout.strip()} signatures with copies of keys, all counted")

    def stress(self) -> None:
        """Many threads with failing batches, panics and forks: no wrong result, no hang, memory flat."""
        rounds, forks = (400, 100) if self.all else (12, 10)
        for every, threads in [("0", 64), ("7", 64), ("2", 16)]:
            environment, statistics = self.environment(self.faults, SUNZI_OPENSSL_FAULTS=every)
            start = time.monotonic()
            command = [str(self.build / "stress"), str(threads), str(rounds), str(forks)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
            self.that(done.returncode == 0, f"stress with faults at every {every}th operation: {done.stderr[-2000:]}")
            found = Statistics(statistics)
            decryptions = (rounds + 3) // 4
            expected = 2 * threads * (3 * rounds + decryptions) + forks * 16 * (3 * 3 + 1)
            # Making an RSA key takes no private operation, that of a curve neither.
            self.that(found.operations() == expected, f"{found.operations()} of {expected} are counted")
            together, faults = found.sum("together"), found.sum("faults")
            self.that(together > 0, "batches were computed")
            self.that((faults > 0) == (every != "0"), f"{faults} faults")
            print(
                f"stress: {threads} threads, {forks} programs started, {forks} children, faults at every {every}th: "
                f"{expected} operations, {together} together, {faults} faults, {found.sum('panics')} panics, "
                f"{time.monotonic() - start:.0f} s"
            )

    def command(self, server: str, key: str, port: int, children: int) -> list[str]:
        """The command that starts a server on a port, with a configuration of its own. Apache gets processes."""
        folder, name = self.folder, f"{server}-{self.number}"
        configuration = folder / f"{name}.conf"
        if server == "python":
            return ["python3", str(HERE / "server.py"), f"{key}.crt", f"{key}.pem", str(port), "64"]
        if server == "apache":
            modules = "/usr/lib/apache2/modules"
            configuration.write_text(
                f"""
                ServerRoot {folder}
                ServerName localhost
                PidFile {name}.pid
                DefaultRuntimeDir {folder}
                ErrorLog {folder}/{name}.log
                LoadModule mpm_event_module {modules}/mod_mpm_event.so
                LoadModule ssl_module {modules}/mod_ssl.so
                LoadModule authz_core_module {modules}/mod_authz_core.so
                {"User www-data" if os.getuid() == 0 else ""}
                {"Group www-data" if os.getuid() == 0 else ""}
                StartServers 1
                ServerLimit {children}
                ThreadLimit 64
                ThreadsPerChild 64
                MaxRequestWorkers {64 * children}
                Listen 127.0.0.1:{port}
                DocumentRoot {folder}
                SSLEngine on
                SSLCertificateFile {folder}/{key}.crt
                SSLCertificateKeyFile {folder}/{key}.pem
                SSLSessionTickets off
                SSLSessionCache none
                SSLProtocol -all +TLSv1.2 +TLSv1.3
                """
            )
            return ["/usr/sbin/apache2", "-f", str(configuration), "-DFOREGROUND"]
        both = folder / f"{name}.pem"
        both.write_bytes((folder / f"{key}.crt").read_bytes() + (folder / f"{key}.pem").read_bytes())
        configuration.write_text(
            "global\n ssl-mode-async\n nbthread 1\n maxconn 4000\n"
            "defaults\n mode http\n timeout client 20s\n timeout server 20s\n timeout connect 20s\n"
            f"frontend all\n bind 127.0.0.1:{port} ssl crt {both} no-tls-tickets\n http-request return status 200\n"
        )
        return ["/usr/sbin/haproxy", "-db", "-f", str(configuration)]

    @contextmanager
    def server(
        self, server: str, key: str, environment: dict[str, str], children: int = 1
    ) -> Iterator[tuple[int, subprocess.Popen]]:
        """A running server: its port, and its process."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = self.command(server, key, port, children)
        log = (self.folder / f"{server}-{self.number}.out").open("wb")
        process = subprocess.Popen(
            command, cwd=self.folder, env=environment, stdin=subprocess.PIPE, stdout=log, stderr=log
        )
        try:
            while True:
                if process.poll() is not None:
                    raise SystemExit(f"{server} has ended: {Path(log.name).read_text()}")
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.02)
            yield port, process
            self.that(process.poll() is None, f"{server} still runs: {Path(log.name).read_text()}")
        finally:
            assert process.stdin
            # Each of them ends in one of these ways, and its processes write their statistics.
            process.stdin.close()
            if server != "python":
                process.send_signal(signal.SIGTERM if server == "apache" else signal.SIGUSR1)
            process.wait(30)

    def clients(self, port: int, threads: int, handshakes: int, version: str, *abort: str) -> list[float]:
        environment, _ = self.environment(None)
        command = [str(self.build / "clients"), str(port), str(threads), str(handshakes), version, *abort]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        self.that(done.returncode == 0, f"clients: {done.stderr[-2000:]}")
        return [float(word) for word in done.stdout.split()]

    def batches_pay(self) -> None:
        """From here on batches of four pay, of keys that they usually pay for: no test hangs on what a busy machine measured."""
        files = list(self.cache.glob("openssl-*.txt"))
        self.that(len(files) == 1, f"measured times are kept in one file: {files}")
        head, *lines = files[0].read_text().splitlines()
        # A line has a kind, the smallest batch that pays, and nanoseconds of OpenSSL.
        kinds = ("RSA-2048", "P-384")
        lines = [line for line in lines if line.split()[0] not in kinds]
        lines += [f"{kind} 4 500000" for kind in kinds]
        files[0].write_text("\n".join([head, *lines, ""]))

    def handshakes(self, server: str, handshakes: int) -> None:
        """A server whose connections are given up now and then: every handshake's signature is counted."""
        self.batches_pay()
        for key, kind in [("rsa", "RSA-2048"), ("p384", "P-384"), ("p256", "P-256")]:
            for version in ["1.2", "1.3"]:
                environment, statistics = self.environment(self.module)
                with self.server(server, key, environment) as (port, process):
                    made, *_ = self.clients(port, 64, handshakes, version)
                    files = descriptors(process.pid)
                    self.clients(port, 16, handshakes, version, "abort")
                    made_after, *_ = self.clients(port, 4, 40, version)
                    # Connections that were given up may be noticed a little later.
                    time.sleep(0.7)
                    self.clients(port, 1, 1, version)
                    self.that(descriptors(process.pid) <= files + 20, f"{server}: files stay as many")
                found = Statistics(statistics)
                whole = int(made + made_after) + handshakes // 2 + 1
                operations = found.operations(kind)
                self.that(
                    whole - 2 <= operations <= whole + handshakes // 2,
                    f"{server}, {kind}: {operations} signatures, {whole} handshakes: {found.counts}",
                )
                together = found.sum("together", kind=kind)
                self.that(key == "p256" or together > 0, f"{server}, {kind}: batches were computed: {found.counts}")
                print(
                    f"{server}, TLS {version}, {kind}: {operations} signatures for {whole} handshakes and "
                    f"{handshakes // 2} given up, {together} together, mean batch {found.mean_batch(kind):.1f}, jobs "
                    f"left behind {found.paused}"
                )

    def python(self) -> None:
        """Python's ssl with threads."""
        self.handshakes("python", 2000 if self.all else 300)

    def apache(self) -> None:
        """Apache with 64 threads."""
        if self.has("/usr/sbin/apache2"):
            self.handshakes("apache", 2000)
            self.reload()

    def reload(self) -> None:
        """Apache reads its configuration again under load, many times: its parent stays, its children change."""
        handshakes, reloads = 8000, 6
        environment, statistics = self.environment(self.module)
        with self.server("apache", "rsa", environment, children=8) as (port, process):
            self.clients(port, 16, 64, "1.3")
            before = memory(process.pid)
            plain, _ = self.environment(None)
            command = [str(self.build / "clients"), str(port), "64", str(handshakes), "1.3"]
            clients = subprocess.Popen(command, env=plain, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(reloads):
                time.sleep(0.7)
                process.send_signal(signal.SIGUSR1)
            self.that(clients.poll() is None, "there is load while Apache reloads")
            output, errors = clients.communicate(timeout=120)
            self.that(clients.returncode == 0, f"every handshake is made: {errors[-2000:]}")
            grown = memory(process.pid) - before
            self.that(grown < 16 << 20, f"the parent has grown by {grown} bytes")
        made = int(output.split()[0]) + 64
        found = Statistics(statistics)
        operations = found.operations("RSA-2048")
        self.that(made == handshakes + 64 and operations >= made, f"{operations} signatures, {made} handshakes")
        together = found.sum("together", kind="RSA-2048")
        self.that(together > 0, "batches were computed")
        print(
            f"apache, {reloads} reloads under load: {operations} signatures for {made} handshakes, {together} together, "
            f"{len(found.states)} processes, the parent grew by {grown >> 10} KiB"
        )

    def haproxy(self) -> None:
        """HAProxy with asynchronous jobs on one thread."""
        if self.has("/usr/sbin/haproxy"):
            self.handshakes("haproxy", 10000)

    def has(self, program: str) -> bool:
        is_there = Path(program).exists()
        if not is_there:
            print(f"SKIPPED: {program} is missing")
        return is_there

    def measure(self) -> None:
        """Handshakes a processor second of the server, on and off in alternation."""
        programs = {"apache": "/usr/sbin/apache2", "haproxy": "/usr/sbin/haproxy"}
        for server in ["python", *(name for name, program in programs.items() if self.has(program))]:
            for key, kind in [("rsa", "RSA-2048"), ("p384", "P-384"), ("p256", "P-256")]:
                for threads in [1, 8, 64]:
                    self.compare(server, key, kind, threads)

    def compare(self, server: str, key: str, kind: str, threads: int, rounds: int = 3) -> None:
        results: dict[bool, list[list[float]]] = {False: [], True: []}
        batch = share = 0.0
        for turn in range(2 * rounds):
            on = turn % 2 == 1
            environment, statistics = self.environment(self.module if on else None)
            with self.server(server, key, environment) as (port, process):
                # What is measured and prepared at the start.
                self.clients(port, threads, 256, "1.3")
                before = processor_seconds(process.pid)
                made, seconds, median, slow = self.clients(port, threads, 1500 if threads > 1 else 500, "1.3")
                used = processor_seconds(process.pid) - before
            results[on].append([made / used, made / seconds, median, slow])
            if on:
                found = Statistics(statistics)
                batch = found.mean_batch(kind)
                share = found.sum("together", kind=kind) / max(found.operations(kind), 1)
        middle = {on: [sorted(column)[rounds // 2] for column in zip(*rows)] for on, rows in results.items()}
        names = ["handshakes a processor second", "a second", "median ms", "p99 ms"]
        columns = ", ".join(f"{name} {middle[False][i]:.2f} off {middle[True][i]:.2f} on" for i, name in enumerate(names))
        print(f"{server}, {kind}, {threads} clients: {columns}, mean batch {batch:.1f}, together {share:.0%}", flush=True)


def family(process: int) -> list[int]:
    """A process and its children."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *map(int, children)]


def memory(process: int) -> int:
    """The memory of a process that is its own, in bytes."""
    words = Path(f"/proc/{process}/statm").read_text().split()
    return (int(words[1]) - int(words[2])) * os.sysconf("SC_PAGESIZE")


def descriptors(process: int) -> int:
    return sum(len(os.listdir(f"/proc/{one}/fd")) for one in family(process))


def processor_seconds(process: int) -> float:
    """The processor time of a process and its children."""
    ticks = 0
    for one in family(process):
        fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("module", type=Path)
    parser.add_argument("faults", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--only", help="one part: settings, copies, stress, python, apache, reload, haproxy, measure")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sunzi-openssl-") as folder:
        Path(folder).chmod(0o755)
        check = Check(arguments, Path(folder))
        parts = ["commands", "settings", "copies", "stress", "python"]
        parts += ["apache", "haproxy"] * arguments.all + ["measure"] * arguments.measure
        if arguments.only:
            parts = ["commands", arguments.only]
        for part in dict.fromkeys(parts):
            getattr(check, part)()
        print(f"the module: {check.steps} checks passed")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    main()
