#!/usr/bin/env python3
"""Writes tests/vectors.c's header: the vectors of RFC 9474, of BIP 340 and of phe in crates/pk/tests/fixtures, those of
partially blind signatures in vectors, and numbers that Python computes, as arrays of bytes. Usage: vectors.py FILE"""

import base64
import csv
import json
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
FIXTURES = ROOT / "crates/pk/tests/fixtures"
WIDTH = 256


def array(name, content):
    values = ",".join(str(byte) for byte in content)
    return f"static const uint8_t {name}[] = {{{values}}};\n"


def number(text):
    return int(text, 16)


def base64url(x):
    return base64.urlsafe_b64encode(x.to_bytes((x.bit_length() + 7) // 8)).rstrip(b"=").decode()


def rsa_key(case):
    """A key as JSON, of a case's numbers in hexadecimal."""
    p, q, n, e, d = (number(case[x]) for x in ["p", "q", "n", "e", "d"])
    parts = {"n": n, "e": e, "d": d, "p": p, "q": q}
    parts |= {"dp": d % (p - 1), "dq": d % (q - 1), "qi": pow(q, -1, p)}
    key = {"kty": "RSA"} | {name: base64url(x) for name, x in parts.items()}
    return json.dumps(key).encode()


def partially_blind_signatures():
    text = ""
    for k, case in enumerate(json.loads((ROOT / "vectors/partially_blind_rsa.json").read_text())):
        n = number(case["n"])
        text += array(f"partial_key_{k}", rsa_key(case))
        text += array(f"partial_inverse_{k}", pow(number(case["r"]), -1, n).to_bytes(WIDTH))
        for name, member in [
            ("info", "info"),
            ("prepared", "msg"),
            ("blinded", "blind_msg"),
            ("answer", "blind_sig"),
            ("signature", "sig"),
        ]:
            content = bytes.fromhex(case[member])
            text += f"enum {{ partial_{name}_length_{k} = {len(content)} }};\n"
            # An array is not empty.
            text += array(f"partial_{name}_{k}", content or b"\0")
    return text


def encoded_numbers():
    """phe's plaintexts of doubles, with its exponents and with given ones."""
    text = ""
    numbers = json.loads((FIXTURES / "phe.json").read_text())[0]["encoded"]
    for name, fixed in [("chosen", False), ("given", True)]:
        some = [case for case in numbers if case.get("fixed", False) == fixed]
        values = ",".join(case["x"] for case in some)
        exponents = ",".join(str(case["exponent"]) for case in some)
        text += f"static const double encoded_{name}[] = {{{values}}};\n"
        text += f"static const int32_t encoded_{name}_exponents[] = {{{exponents}}};\n"
        plain = b"".join(number(case["value"]).to_bytes(WIDTH) for case in some)
        text += array(f"encoded_{name}_plain", plain)
    return text


def blind_signatures():
    text = ""
    cases = json.loads((FIXTURES / "rfc9474.json").read_text())
    names = ["PSS-Randomized", "PSSZERO-Randomized", "PSS-Deterministic", "PSSZERO-Deterministic"]
    cases.sort(key=lambda case: names.index(case["name"].removeprefix("RSABSSA-SHA384-")))
    for k, case in enumerate(cases):
        n, inverse = (number(case[x]) for x in ["n", "inv"])
        text += array(f"blind_key_{k}", rsa_key(case))
        size = (n.bit_length() + 7) // 8
        text += array(f"blind_inverse_{k}", inverse.to_bytes(size))
        for name, member in [
            ("prepared", "input_msg"),
            ("blinded", "blinded_msg"),
            ("answer", "blind_sig"),
            ("signature", "sig"),
        ]:
            text += array(f"blind_{name}_{k}", bytes.fromhex(case[member]))
    return text


def paillier():
    case = json.loads((FIXTURES / "phe.json").read_text())[0]
    public = json.loads(case["public"])
    n = int.from_bytes(base64.urlsafe_b64decode(public["n"] + "=="))
    text = array("paillier_private", case["private"].encode())
    text += array("paillier_public", case["public"].encode())
    plain = [number(item["m"]) for item in case["raw"]]
    encrypted = [number(item["c"]) for item in case["raw"]]
    text += f"enum {{ PAILLIER_COUNT = {len(plain)}, PAILLIER_WIDTH = {WIDTH} }};\n"
    text += array("paillier_n", n.to_bytes(WIDTH))
    text += array("paillier_plain", b"".join(m.to_bytes(WIDTH) for m in plain))
    text += array("paillier_encrypted", b"".join(c.to_bytes(2 * WIDTH) for c in encrypted))
    # Of each number and the next one.
    pairs = list(zip(plain, plain[1:] + plain[:1]))
    text += array("paillier_sums", b"".join(((x + y) % n).to_bytes(WIDTH) for x, y in pairs))
    text += array("paillier_products", b"".join((x * y % n).to_bytes(WIDTH) for x, y in pairs))
    return text + array("paillier_total", (sum(plain) % n).to_bytes(WIDTH))


def raw_rsa():
    """Numbers and their powers by the key of the last case of RFC 9474."""
    case = json.loads((FIXTURES / "rfc9474.json").read_text())[-1]
    n, e, d, p = (number(case[x]) for x in ["n", "e", "d", "p"])
    size = (n.bit_length() + 7) // 8
    draw = random.Random(2)
    numbers = [0, 1, n - 1, 7 * p, *(draw.randrange(n) for _ in range(12))]
    text = f"enum {{ RAW_COUNT = {len(numbers)}, RAW_WIDTH = {size} }};\n"
    text += array("raw_key", rsa_key(case)) + array("raw_modulus", n.to_bytes(size))
    for name, values in [
        ("numbers", numbers),
        ("private", [pow(x, d, n) for x in numbers]),
        ("public", [pow(x, e, n) for x in numbers]),
    ]:
        text += array(f"raw_{name}", b"".join(x.to_bytes(size) for x in values))
    return text


def long_key():
    """An RSA key of 8,676 bits, of Mersenne primes."""
    p, q, e = (1 << 4423) - 1, (1 << 4253) - 1, 65537
    numbers = {"p": p, "q": q, "n": p * q, "e": e, "d": pow(e, -1, (p - 1) * (q - 1))}
    return array("long_key", rsa_key({name: f"{x:x}" for name, x in numbers.items()}))


def bip340():
    """The vectors of BIP 340 whose public keys are points, as keys in DER. Those without a secret key have a key of
    one byte, and those without a message a message of one byte."""
    identifiers = bytes.fromhex("301006072a8648ce3d020106052b8104000a")
    rows = list(csv.reader((FIXTURES / "bip340.csv").read_text().splitlines()))[1:]
    text, entries = "", []
    for row in rows:
        index, secret, public, auxiliary, message, signature, verdict, _ = row
        # The two that are no points are refused when the key is read.
        point = b"\x02" + bytes.fromhex(public)
        bits = b"\x03" + bytes([len(point) + 1, 0]) + point
        spki = b"\x30" + bytes([len(identifiers) + len(bits)]) + identifiers + bits
        private = b""
        if secret:
            inner = bytes.fromhex("30250201010420" + secret)
            octets = b"\x04" + bytes([len(inner)]) + inner
            content = b"\x02\x01\x00" + identifiers + octets
            private = b"\x30" + bytes([len(content)]) + content
        parts = {
            "public": spki,
            "private": private,
            "auxiliary": bytes.fromhex(auxiliary),
            "message": bytes.fromhex(message),
            "signature": bytes.fromhex(signature),
        }
        for name, content in parts.items():
            # An array is not empty.
            text += array(f"bip340_{name}_{index}", content or b"\0")
        fields = ",".join(f"{{bip340_{name}_{index},{len(x)}}}" for name, x in parts.items())
        entries.append(f"{{{fields},{int(verdict == 'TRUE')}}}")
    text += "static const struct { sunzi_bytes public_key, private_key, auxiliary, message, signature; int valid; }\n"
    return text + f"    bip340[] = {{{','.join(entries)}}};\nenum {{ BIP340_COUNT = {len(rows)} }};\n"


def powers():
    draw = random.Random(1)
    modulus = draw.getrandbits(8 * WIDTH) | 1 << (8 * WIDTH - 1) | 1
    base = draw.randrange(modulus)
    exponents = [0, 1, (1 << 512) - 1] + [draw.getrandbits(512) for _ in range(13)]
    text = f"enum {{ POWERS = {len(exponents)}, POWER_WIDTH = {WIDTH}, EXPONENT_WIDTH = 64, TERMS = 3 }};\n"
    text += array("power_modulus", modulus.to_bytes(WIDTH))
    text += array("power_base", base.to_bytes(WIDTH))
    text += array("power_exponents", b"".join(e.to_bytes(64) for e in exponents))
    results = [pow(base, e, modulus) for e in exponents]
    text += array("power_results", b"".join(x.to_bytes(WIDTH) for x in results))
    # Products of three powers each; bases may be longer than the modulus.
    bases = [[draw.getrandbits(8 * WIDTH + 64) for _ in range(3)] for _ in range(5)]
    exponents = [[draw.getrandbits(bits) for bits in (512, 1 + 100 * k, 0)] for k in range(5)]
    products = []
    for xs, es in zip(bases, exponents):
        product = 1
        for x, e in zip(xs, es):
            product = product * pow(x, e, modulus) % modulus
        products.append(product)
    flat = [x for row in bases for x in row]
    text += array("product_bases", b"".join(x.to_bytes(WIDTH + 8) for x in flat))
    flat = [e for row in exponents for e in row]
    text += array("product_exponents", b"".join(e.to_bytes(64) for e in flat))
    return text + array("product_results", b"".join(x.to_bytes(WIDTH) for x in products))


def primes():
    """Mersenne's primes, their neighbours, and composites that pass weak tests."""
    mersenne = [2**k - 1 for k in (61, 89, 107, 127, 521, 1279)]
    carmichael = [3215031751, 3825123056546413051, 318665857834031151167461]
    composite = [1, 561, 2**67 - 1, 2**257 - 1, (2**521 - 1) * (2**607 - 1), *carmichael]
    numbers = [(2, True), *((p, True) for p in mersenne), *((c, False) for c in composite)]
    text = f"enum {{ PRIME_CASES = {len(numbers)}, PRIME_WIDTH = 160 }};\n"
    text += array("prime_cases", b"".join(x.to_bytes(160) for x, _ in numbers))
    return text + array("prime_verdicts", bytes(verdict for _, verdict in numbers))


Path(sys.argv[1]).write_text(
    "#include <stdint.h>\n#include <sunzi.h>\n"
    + blind_signatures()
    + partially_blind_signatures()
    + paillier()
    + encoded_numbers()
    + powers()
    + primes()
    + raw_rsa()
    + long_key()
    + bip340()
)
