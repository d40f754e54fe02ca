"""Kawamura's and the hierarchical base extension, from one base of moduli to another.

The names are those of docs/base-extension.md. A base is a list of moduli; the number X is known
by its residues in the base A and is wanted modulo each modulus of the base B.
"""

from fractions import Fraction
from math import gcd, prod

SIGMA = Fraction(1, 2)
"""The offset of both sums: X < (1 - sigma) A is exact."""

ABOUT = (
    "Kawamura (KBE) and hierarchical (HBE) base extension. sigma as a fraction; h is the total "
    "subtracted multiple of A for KBE; result is exact when it equals X mod b for all b."
)

# Bits of the field, bits of a modulus, moduli of each base.
SETS = [
    (256, 17, 16),
    (256, 20, 14),
    (256, 24, 12),
    (256, 28, 10),
    (384, 17, 24),
    (384, 20, 20),
    (384, 24, 18),
    (384, 28, 14),
]

# A base that Kawamura's extension takes and the hierarchical one must refuse: two moduli in a
# row, all bits of their sums kept, and still some results are wrong.
REFUSED_A = [31, 29, 27, 25]
REFUSED_B = [32, 23, 19, 17]
REFUSED_X = [2, 3, 5, 7, 11, 100, 1000, 12345]

COLUMNS = 2
"""c, the moduli in a row of the hierarchical extension."""

T_KBE, T_HBE = 6, 5
"""t, the bits kept of each digit and of each row: exact for all sets, though some need one less."""


def pair_of_bases(width, n):
    """Two bases of n moduli: the largest 2n coprime numbers 2^width - r, dealt out in turn."""
    moduli = []
    candidate = 2**width - 1
    while len(moduli) < 2 * n:
        if all(gcd(candidate, m) == 1 for m in moduli):
            moduli.append(candidate)
        candidate -= 1
    return moduli[0::2], moduli[1::2]


def crt_digits(a, x):
    """xh_i = |x_i (A/a_i)^-1| modulo a_i, with X = sum xh_i A/a_i - h A."""
    product = prod(a)
    return [x * pow(product // m, -1, m) % m for m in a]


def epsilon(a, width):
    """The sum of eps_i = 1 - a_i / 2^width."""
    return sum(1 - Fraction(m, 2**width) for m in a)


def assert_exact(a, width):
    """Both estimates of the rank are right for all X < (1 - sigma) A with the bits kept here."""
    delta = Fraction(2 ** (width - T_KBE) - 1, min(a))
    assert epsilon(a, width) + len(a) * delta <= SIGMA
    rows = len(a) // COLUMNS
    assert COLUMNS * epsilon(a, width) + Fraction(rows, 2**T_HBE) <= SIGMA


def truncated(x, width, t):
    """x / 2^width, rounded down to t bits after the point."""
    return Fraction(x * 2**t // 2**width, 2**t)


def kawamura_rank(a, width, t, x):
    """h, estimated from the t leading bits of each digit."""
    return int(SIGMA + sum(truncated(xh, width, t) for xh in crt_digits(a, x)))


def hierarchical_rank(a, width, t, x):
    """h, estimated from the t leading bits of the sum of each row."""
    digits = crt_digits(a, x)
    total = SIGMA
    for first in range(0, len(a), COLUMNS):
        row = a[first : first + COLUMNS]
        of_row = digits[first : first + COLUMNS]
        # The digits of a row, gathered into one integer that is not reduced.
        gathered = sum(xh * (prod(row) // m) for xh, m in zip(of_row, row))
        total += truncated(gathered, COLUMNS * width, t)
    return int(total)


def extended(a, b, x, rank):
    """The residues in b of sum xh_i A/a_i - rank A: those of X if the rank is right."""
    product = prod(a)
    digits = crt_digits(a, x)
    value = sum(xh * (product // m) for xh, m in zip(digits, a)) - rank * product
    return [value % m for m in b]


def one_set(field_bits, width, n, random_operands):
    a, b = pair_of_bases(width, n)
    assert_exact(a, width)
    half = prod(a) // 2
    operands = [0, 1, 2, 3, 2**field_bits - 1, half - 1, half - 2, *random_operands]
    cases = []
    for x in operands:
        residues = [x % m for m in b]
        h_kbe, h_hbe = kawamura_rank(a, width, T_KBE, x), hierarchical_rank(a, width, T_HBE, x)
        assert extended(a, b, x, h_kbe) == residues and extended(a, b, x, h_hbe) == residues
        in_b = [hex(r) for r in residues]
        cases.append({"X": hex(x), "h_kbe": h_kbe, "h_hbe": h_hbe, "in_B": in_b})
    return {
        "field_bits": field_bits,
        "w": width,
        "n": n,
        "c": COLUMNS,
        "t_kbe": T_KBE,
        "t_hbe": T_HBE,
        "sigma": str(SIGMA),
        "A": [hex(m) for m in a],
        "B": [hex(m) for m in b],
        "cases": cases,
    }


def refused():
    a, b, width = REFUSED_A, REFUSED_B, 5
    cases = []
    for x in REFUSED_X:
        rank = hierarchical_rank(a, width, COLUMNS * width, x)
        kawamura = extended(a, b, x, kawamura_rank(a, width, width, x))
        in_b = [x % m for m in b]
        assert kawamura == in_b
        cases.append(
            {
                "X": x,
                "in_B": in_b,
                "kbe": kawamura,
                "hbe": extended(a, b, x, rank),
                "hbe_h": rank,
            }
        )
    return {"A": a, "B": b, "w": width, "c": COLUMNS, "sigma": str(SIGMA), "cases": cases}


def vectors(operands):
    sets = []
    for field_bits, width, n in SETS:
        random_operands = [int(x, 16) for x in operands[f"{field_bits} bits, w = {width}"]]
        sets.append(one_set(field_bits, width, n, random_operands))
    return {"about": ABOUT, "sets": sets, "refused_for_hbe": refused()}
