#!/usr/bin/env python3
"""Writes the files of this folder with a command and a Python package of version 0.1; README.md says from what.

    make.py SUNZI FOLDER        the path of that command, and an empty folder; Python has the package and pyarrow

Keys are new, and thereby all files, at each run: what is in the repository was written once, and stays.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PASSPHRASE = "known to everybody"
MESSAGE = "Files that version 0.1 wrote are read by every later version.\n"
NUMBERS = [0, 1, -7, 2**40, 0.5, -1e10]

# Key files: name, options of `sunzi key new`, whether it is encrypted.
KEYS = [
    ("rsa.pkcs8.pem", "--bits 2048", False),
    ("rsa.pkcs1.pem", "--bits 2048 --format pkcs1", False),
    ("rsa.jwk", "--bits 2048 --format jwk", False),
    ("rsa.ssh", "--bits 2048 --format ssh", False),
    ("rsa.encrypted.pem", "--bits 2048", True),
    ("p256.pkcs8.pem", "--curve P-256", False),
    ("p256.sec1.pem", "--curve P-256 --format sec1", False),
    ("p256.jwk", "--curve P-256 --format jwk", False),
    ("p384.ssh", "--curve P-384 --format ssh", False),
    ("secp256k1.pkcs8.pem", "--curve secp256k1", False),
    ("brainpool.pkcs8.pem", "--curve brainpoolP256r1", False),
    ("ed25519.pkcs8.pem", "--curve Ed25519", False),
    ("ed25519.encrypted.ssh", "--curve Ed25519 --format ssh", True),
    ("ed448.jwk", "--curve Ed448 --format jwk", False),
    ("x25519.pkcs8.pem", "--curve X25519", False),
    ("x448.jwk", "--curve X448 --format jwk", False),
]

# Signatures: key, options, whether the same options give the same bytes again.
SIGNATURES = [
    *((name, "", True) for name, options, _ in KEYS if "X25519" not in options and "X448" not in options),
    ("rsa.pkcs8.pem", "--hash sha512", True),
    ("rsa.pkcs8.pem", "--scheme pss", False),
    ("rsa.jwk", "--scheme pss --hash sha384 --salt-length 0", True),
    ("p256.pkcs8.pem", "--encoding raw --low-s", True),
    ("p256.sec1.pem", "--nonces hedged", False),
    ("secp256k1.pkcs8.pem", "--scheme bip340", True),
]
CIPHERTEXTS = [("rsa.pkcs8.pem", ""), ("rsa.jwk", "--hash sha384"), ("rsa.encrypted.pem", "--scheme pkcs1v15")]
SECRETS = [("p256.pkcs8.pem", "p256.jwk"), ("x25519.pkcs8.pem", "x25519.pkcs8.pem")]


def main() -> None:
    """Writes everything, with a list."""
    command, folder = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()
    environment = {**os.environ, "SUNZI_PASSPHRASE": PASSPHRASE}
    plain = {name: value for name, value in os.environ.items() if name != "SUNZI_PASSPHRASE"}

    def sunzi(*words: object, encrypted: bool = True, **options: object) -> bytes:
        variables = {**(environment if encrypted else plain), "XDG_CACHE_HOME": str(caches)}
        return subprocess.run([command, *map(str, words)], env=variables, check=True, stdout=subprocess.PIPE, **options).stdout

    with tempfile.TemporaryDirectory() as name:
        caches = Path(name) / "caches"
        for part in ("keys", "signatures", "ciphertexts", "secrets", "python"):
            (folder / part).mkdir(parents=True)
        (folder / "message.txt").write_text(MESSAGE)
        told: dict[str, object] = {
            "version": sunzi("--version").decode().strip(), "passphrase": PASSPHRASE,
            "keys": [], "signatures": [], "ciphertexts": [], "secrets": [],
        }
        for key, options, encrypted in KEYS:
            files = "--out", folder / "keys" / key, "--public", folder / "keys" / f"{key}.public"
            sunzi("key", "new", *files, *options.split(), encrypted=encrypted)
            told["keys"].append({"key": key, "encrypted": encrypted})
        for number, (key, options, same) in enumerate(SIGNATURES):
            message = Path(name) / "message.txt"
            shutil.copy(folder / "message.txt", message)
            sunzi("sign", "--force", "--key", folder / "keys" / key, *options.split(), message)
            target = f"{number:02}.sig"
            shutil.copy(f"{message}.sig", folder / "signatures" / target)
            told["signatures"].append({"key": key, "options": options, "file": target, "same": same})
        for number, (key, options) in enumerate(CIPHERTEXTS):
            sunzi("encrypt", "--force", "--key", folder / "keys" / f"{key}.public", *options.split(), message)
            target = f"{number:02}.enc"
            shutil.copy(f"{message}.enc", folder / "ciphertexts" / target)
            told["ciphertexts"].append({"key": key, "options": options, "file": target})
        for number, (key, peer) in enumerate(SECRETS):
            copy = Path(name) / "peer.pem"
            shutil.copy(folder / "keys" / f"{peer}.public", copy)
            sunzi("agree", "--force", "--key", folder / "keys" / key, copy)
            target = f"{number:02}.secret"
            shutil.copy(f"{copy}.secret", folder / "secrets" / target)
            told["secrets"].append({"key": key, "peer": peer, "file": target})
        lines = "".join(json.dumps({"message": f"line {line}", "id": line}) + "\n" for line in range(4))
        (folder / "messages.jsonl").write_text(lines)
        signed = sunzi("sign", "--key", folder / "keys" / "p256.pkcs8.pem", "-", input=lines.encode())
        (folder / "signed.jsonl").write_bytes(signed)
        sunzi("backends", "--calibrate")
        shutil.copy(next((caches / "sunzi").glob("calibration-*")), folder / "calibration.txt")
        (folder / "files.json").write_text(json.dumps(told, indent=1) + "\n")
    python_files(folder)


def python_files(folder: Path) -> None:
    """Keys and numbers of Paillier, and Parquet files."""
    import pyarrow
    import sunzi
    from pyarrow import parquet as files
    from sunzi import paillier, parquet

    part = folder / "python"
    key = paillier.generate_key(2048)
    (part / "paillier.jwk").write_text(key.to_jwk() + "\n")
    (part / "paillier.public.jwk").write_text(key.public_key.to_jwk() + "\n")
    vector = key.public_key.encrypt(NUMBERS)
    told = {"values": NUMBERS, "ciphertexts": list(map(hex, vector.ciphertexts)), "exponents": vector.exponents}
    (part / "paillier.json").write_text(json.dumps(told, indent=1) + "\n")

    draw = random.Random(1)
    rows = [draw.getrandbits(256).to_bytes(32, "big") for _ in range(8)]
    (part / "in").mkdir()
    table = pyarrow.table({"base": pyarrow.array(rows, pyarrow.binary(32)), "message": pyarrow.array(rows, pyarrow.binary())})
    files.write_table(table, part / "in" / "rows.parquet")
    parquet.map_files(part / "in", part / "powers", parquet.Powmod(exps=65537, mods=2**255 - 19))
    signer = sunzi.load_private_key((folder / "keys" / "ed25519.pkcs8.pem").read_bytes())
    parquet.map_files(part / "in", part / "signed", parquet.Sign(signer))


if __name__ == "__main__":
    main()
