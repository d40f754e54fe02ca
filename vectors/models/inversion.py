"""The plus-minus inversions of Bigou and Tisserand, as sequences of integers.

BMI and BTMI as in docs/inversion.md, with V3 and U3 as signed integers instead of residues: what
is right here is right in every base that holds the numbers.
"""

ABOUT = (
    "Plus-minus inversions, integer model: S is what the algorithm returns (congruent to the "
    "inverse, 0<=S<2P), with outer and inner loop counts; sigma=1.5."
)

PRIMES = {
    "P-192": 2**192 - 2**64 - 1,
    "P-256": 2**256 - 2**224 + 2**192 + 2**96 - 1,
    "P-384": 2**384 - 2**128 - 2**96 + 2**32 - 1,
    "P-521": 2**521 - 1,
    "secp256k1": 2**256 - 2**32 - 977,
    "25519": 2**255 - 19,
    "P-224": 2**224 - 2**96 + 1,
}

# log2 of each divisor, in half bits, where log2 3 counts as sigma = 1.5.
HALF_BITS = {2: 2, 3: 3, 4: 4, 6: 5, 12: 7}


def divided(x, d, p):
    """The integer x / d modulo p: (x + f p) / d with the f of least absolute value.

    f is in [-d/2 + 1, d/2], or in [-1, 1] for d = 3.
    """
    f = -x * pow(p, -1, d) % d
    if 2 * f > d:
        f -= d
    quotient, rest = divmod(x + f * p, d)
    assert rest == 0
    return quotient


def inverted(a, p, inner_divisors, outer_step):
    """The loop that both algorithms share.

    inner_divisors: what V3 is divided by as long as it can be, the largest first.
    outer_step: from V3 and U3 to the sign of the sum, its divisor, and the half bits gained.
    """
    u = v = 0
    u1, u3, v1, v3 = 0, p, 1, a
    outer = inner = 0
    while abs(v3) != 1 and abs(u3) != 1:
        while (d := next((d for d in inner_divisors if v3 % d == 0), None)) is not None:
            v3, v1 = v3 // d, divided(v1, d, p)
            v += HALF_BITS[d]
            inner += 1
        sign, d, gain = outer_step(v3, u3)
        # The quotient of V3 is exact: the divisor was chosen to divide the sum.
        next3, next1 = (v3 + sign * u3) // d, divided(v1 + sign * u1, d, p)
        if v > u:
            u3, u1, u, v = v3, v1, v, u
        v3, v1 = next3, next1
        v += gain
        outer += 1
        assert u + v < 4 * p.bit_length(), "no inverse"
    if v3 == 1:
        result = v1 + p
    elif u3 == 1:
        result = u1 + p
    elif v3 == -1:
        result = p - v1
    else:
        result = p - u1
    assert 0 <= result < 2 * p and result * a % p == 1
    return {"S": hex(result), "outer": outer, "inner": inner}


def binary_step(v3, u3):
    """The sum or the difference, whichever is a multiple of 4; it gains one bit."""
    return (1 if (v3 + u3) % 4 == 0 else -1), 4, 2


def binary_ternary_step(v3, u3):
    """The sum or the difference, whichever is a multiple of 3; by 12 if it can be, else by 6."""
    sign = 1 if (v3 + u3) % 3 == 0 else -1
    if (v3 + sign * u3) % 4 == 0:
        return sign, 12, 5
    return sign, 6, 3


def vectors(operands):
    primes = {}
    for name, p in PRIMES.items():
        edges = [1, 2, 3, 4, 5, 6, 12, p - 1, p - 2, p // 2, p // 2 + 1]
        cases = []
        for a in edges + [int(x, 16) for x in operands[name]]:
            cases.append(
                {
                    "A": hex(a),
                    "btmi": inverted(a, p, [12, 6, 4, 3, 2], binary_ternary_step),
                    "bmi": inverted(a, p, [4, 2], binary_step),
                }
            )
        primes[name] = {"P": hex(p), "cases": cases}
    return {"about": ABOUT, "primes": primes}
