#!/usr/bin/env python3
"""Jobs of the command beside the tools in use, in turns on one thread: so many a second of processor time, medians, and
their ratio. Public keys recovered from signatures on secp256k1, beside coincurve (libsecp256k1); signatures of a log of
many signers, beside cryptography (OpenSSL), both with lines of JSON in memory; SSH signatures of files and certificates,
beside ssh-keygen, which signs all in one process and verifies a file in each. The start of processes is included.

Takes the command's path. Needs the packages coincurve and cryptography, and ssh-keygen. SUNZI_INSTRUCTIONS=avx2 measures
Sunzi as on a processor that has no more.
"""

import argparse
import base64
import hashlib
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import coincurve
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa

FORMATS = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
SIGNERS = 20


def seconds_of_processors() -> float:
    """The processor time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def recovery(count: int):
    keys = [coincurve.PrivateKey() for _ in range(SIGNERS)]
    lines, expected = [], []
    for number in range(count):
        digest = hashlib.sha256(b"%d" % number).digest()
        signature = keys[number % SIGNERS].sign_recoverable(digest, hasher=None)
        lines.append(json.dumps({"hash": "0x" + digest.hex(), "signature": "0x" + signature.hex()}))
        expected.append(keys[number % SIGNERS].public_key.format().hex())

    def peer() -> list[str]:
        answers = []
        for line in lines:
            fields = json.loads(line)
            digest, signature = (bytes.fromhex(fields[name][2:]) for name in ("hash", "signature"))
            key = coincurve.PublicKey.from_signature_and_message(signature, digest, hasher=None)
            answers.append(key.format().hex())
        return answers

    return lines, ["recover", "--public-keys", "-"], peer, expected


def log(count: int, folder: Path, name: str, generate, sign, verify):
    keys = [generate() for _ in range(SIGNERS)]
    public = [key.public_key() for key in keys]
    directory = folder / name
    directory.mkdir()
    for number, key in enumerate(public):
        (directory / f"signer{number}.pem").write_bytes(key.public_bytes(*FORMATS))
    by_name = {f"signer{number}": key for number, key in enumerate(public)}
    lines = []
    for number in range(count):
        message = f"entry {number}"
        signature = base64.b64encode(sign(keys[number % SIGNERS], message.encode())).decode()
        kid = f"signer{number % SIGNERS}"
        lines.append(json.dumps({"kid": kid, "message": message, "signature": signature}))

    def peer() -> list[bool]:
        answers = []
        for line in lines:
            fields = json.loads(line)
            signature = base64.b64decode(fields["signature"])
            verify(by_name[fields["kid"]], signature, fields["message"].encode())
            answers.append(True)
        return answers

    return lines, ["verify", "--keys", str(directory), "-"], peer, [True] * count


ECDSA = ec.ECDSA(hashes.SHA256())
PKCS1 = (padding.PKCS1v15(), hashes.SHA256())
LOGS = {
    "P-256": (
        lambda: ec.generate_private_key(ec.SECP256R1()),
        lambda key, message: key.sign(message, ECDSA),
        lambda key, signature, message: key.verify(signature, message, ECDSA),
    ),
    "Ed25519": (
        ed25519.Ed25519PrivateKey.generate,
        lambda key, message: key.sign(message),
        lambda key, signature, message: key.verify(signature, message),
    ),
    "RSA-2048": (
        lambda: rsa.generate_private_key(65537, 2048),
        lambda key, message: key.sign(message, *PKCS1),
        lambda key, signature, message: key.verify(signature, message, *PKCS1),
    ),
}


def measure(name: str, command: str, job, turns: int) -> None:
    lines, arguments, peer, expected = job
    text = "\n".join(lines) + "\n"
    seconds: dict[str, list[float]] = {"peer": [], "ours": []}
    for turn in range(turns + 1):
        start = seconds_of_processors()
        theirs = peer()
        middle = seconds_of_processors()
        options = ["--threads", "1", "--quiet", *arguments]
        done = subprocess.run([command, *options], input=text, capture_output=True, text=True)
        end = seconds_of_processors()
        assert theirs == expected
        assert done.returncode == 0, done.stderr
        answers = done.stdout.splitlines()
        if arguments[0] == "verify":
            answers = [json.loads(answer)["valid"] for answer in answers]
        assert answers == expected
        if turn:  # The first one warms up.
            seconds["peer"].append(middle - start)
            seconds["ours"].append(end - middle)
    peers, ours = (len(lines) / statistics.median(seconds[who]) for who in ("peer", "ours"))
    print(f"| {name} | {peers:,.0f} | {ours:,.0f} | {ours / peers:.1f} |", flush=True)


def run(arguments: list[str], folder: Path, stdin: Path | None = None) -> None:
    with open(stdin or "/dev/null") as file:
        done = subprocess.run(arguments, cwd=folder, stdin=file, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def compare(name: str, count: int, turns: int, peer, ours) -> None:
    seconds: dict[str, list[float]] = {"peer": [], "ours": []}
    for turn in range(turns + 1):
        for who, work in (("peer", peer), ("ours", ours)):
            start = seconds_of_processors()
            work()
            if turn:
                seconds[who].append(seconds_of_processors() - start)
    peers, rate = (count / statistics.median(seconds[who]) for who in ("peer", "ours"))
    print(f"| {name} | {peers:,.0f} | {rate:,.0f} | {rate / peers:.1f} |", flush=True)


def measure_ssh(command: str, folder: Path, kind: str, options: list[str], count: int, turns: int) -> None:
    sunzi = [command, "--threads", "1", "--quiet"]
    run(["ssh-keygen", "-q", *options, "-N", "", "-C", "me", "-f", "key"], folder)
    (folder / "allowed").write_text("me " + (folder / "key.pub").read_text())
    files = folder / "files"
    files.mkdir()
    names = []
    for number in range(count):
        (files / f"{number}").write_bytes(b"%d" % number * 100)
        names.append(f"files/{number}")

    def clean() -> None:
        for path in files.glob("*.sig"):
            path.unlink()

    def peer() -> None:
        clean()
        run(["ssh-keygen", "-q", "-Y", "sign", "-f", "key", "-n", "file", *names], folder)

    def ours() -> None:
        clean()
        run([*sunzi, "sign", "--scheme", "sshsig", "--key", "key", "files"], folder)

    compare(f"SSH signatures, {kind}", count, turns, peer, ours)
    few = names[:100]
    verify = ["ssh-keygen", "-q", "-Y", "verify", "-f", "allowed", "-I", "me", "-n", "file", "-s"]

    def peer_verify() -> None:
        for name in few:
            run([*verify, f"{name}.sig"], folder, folder / name)

    def verify_few() -> None:
        run([*sunzi, "verify", "--allowed-signers", "allowed", "files"], folder)

    start = seconds_of_processors()
    peer_verify()
    peers = len(few) / (seconds_of_processors() - start)
    times = []
    for _ in range(turns):
        start = seconds_of_processors()
        verify_few()
        times.append(seconds_of_processors() - start)
    rate = count / statistics.median(times)
    print(f"| SSH verifications, {kind} | {peers:,.0f} | {rate:,.0f} | {rate / peers:.1f} |", flush=True)

    users = folder / "users"
    users.mkdir()
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", "user"], folder)
    key = (folder / "user.pub").read_text().strip()
    public, requests = [], []
    for number in range(count):
        (users / f"{number}.pub").write_text(key + "\n")
        public.append(f"users/{number}.pub")
        request = {"key": key, "key_id": "user", "principals": ["alice"], "serial": number + 1, "lifetime": 3600}
        requests.append(json.dumps({**request, "extensions": ["permit-pty"]}))
    (folder / "requests").write_text("\n".join(requests) + "\n")
    policy = {"types": ["user"], "principals": ["alice"], "max_validity": 3600, "extensions": ["permit-pty"]}
    (folder / "policy").write_text(json.dumps(policy))
    validity = ["-V", "+1h", "-O", "clear", "-O", "permit-pty"]
    theirs = ["ssh-keygen", "-q", "-s", "key", "-I", "user", "-n", "alice", "-z", "+1", *validity, *public]
    certify = [*sunzi, "ssh", "certify", "--key", "key", "--policy", "policy", "requests"]
    compare(f"SSH certificates, {kind}", count, turns, lambda: run(theirs, folder), lambda: run(certify, folder))


SSH = {"Ed25519": ["-t", "ed25519"], "P-256": ["-t", "ecdsa"], "RSA-3072": ["-t", "rsa", "-b", "3072"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("command", help="the path of sunzi")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    command = str(Path(arguments.command).resolve())
    count, turns = arguments.count, arguments.turns
    print("| | peer, a second | sunzi, a second | ratio |\n|---|--:|--:|--:|")
    measure("recovered keys", command, recovery(count), turns)
    with tempfile.TemporaryDirectory() as name:
        for kind, functions in LOGS.items():
            measure(f"log, {kind}", command, log(count, Path(name), kind, *functions), turns)
    for kind, options in SSH.items():
        with tempfile.TemporaryDirectory() as name:
            measure_ssh(command, Path(name), kind, options, max(count // 10, 1), turns)


if __name__ == "__main__":
    main()
