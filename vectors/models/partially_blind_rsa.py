"""Partially blind RSA signatures (draft-irtf-cfrg-partially-blind-rsa) in plain integers.

RSAPBSSA-SHA384-PSS-Deterministic: what the draft's test vectors must hold, from the numbers of a case that are
chosen: the key, the message, the metadata, the salt and the blind.
"""

import hashlib
import hmac

HASH = "sha384"
LENGTH = 48


def hkdf(salt, key, info, length):
    """RFC 5869."""
    extracted = hmac.digest(salt, key, HASH)
    output, block, k = b"", b"", 1
    while len(output) < length:
        block = hmac.digest(extracted, block + info + bytes([k]), HASH)
        output, k = output + block, k + 1
    return output[:length]


def public_exponent(n, info):
    """DerivePublicKey."""
    size = (n.bit_length() + 7) // 8
    half = size // 2
    expanded = bytearray(hkdf(n.to_bytes(size, "big"), b"key" + info + b"\0", b"PBRSA", half + 16))
    expanded[0] &= 0x3F
    expanded[half - 1] |= 1
    return int.from_bytes(expanded[:half], "big")


def mask(seed, length):
    """MGF1 (RFC 8017, appendix B.2.1)."""
    blocks = (hashlib.new(HASH, seed + k.to_bytes(4, "big")).digest() for k in range(length // LENGTH + 1))
    return b"".join(blocks)[:length]


def encoded(message, bits, salt):
    """EMSA-PSS-ENCODE (RFC 8017, section 9.1.1)."""
    size = (bits + 7) // 8
    digest = hashlib.new(HASH, message).digest()
    hashed = hashlib.new(HASH, bytes(8) + digest + salt).digest()
    block = bytes(size - len(salt) - LENGTH - 2) + b"\x01" + salt
    masked = bytearray(x ^ y for x, y in zip(block, mask(hashed, len(block))))
    masked[0] &= 0xFF >> (8 * size - bits)
    return int.from_bytes(masked + hashed + b"\xbc", "big")


def expected(case):
    """The computed numbers of a case, as its fields have them."""
    p, q, r = (int(case[name], 16) for name in "pqr")
    message, info, salt = (bytes.fromhex(case[name]) for name in ("msg", "info", "salt"))
    n, order = p * q, (p - 1) * (q - 1)
    size = (n.bit_length() + 7) // 8
    e = public_exponent(n, info)
    framed = b"msg" + len(info).to_bytes(4, "big") + info + message
    m = encoded(framed, n.bit_length() - 1, salt)
    blinded = m * pow(r, e, n) % n
    answer = pow(blinded, pow(e, -1, order), n)
    numbers = {
        "n": n,
        "d": pow(int(case["e"], 16), -1, order),
        "blind_msg": blinded,
        "blind_sig": answer,
        "sig": answer * pow(r, -1, n) % n,
    }
    fields = {name: x.to_bytes(size, "big").hex() for name, x in numbers.items()}
    return fields | {"eprime": e.to_bytes(size // 2, "big").hex()}
