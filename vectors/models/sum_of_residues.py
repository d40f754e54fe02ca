"""Products modulo p by the sum of residues, Algorithm 2 of Mehrabi (2019).

The names are those of docs/sum-of-residues.md.
"""

from math import prod

ABOUT = (
    "Improved sum of residues, N=8 channels of 66 bits, q=8, Delta=1/16. 'published' is the "
    "integer that the published algorithm (alpha per Alg.1, kappa per eq. 24, +alpha<-M>_p) "
    "represents: z or z+p. 'canonical' is z = xy mod p."
)

MODULI = [2**66 - 1] + [2**66 - 2**t - 1 for t in (2, 3, 4, 5, 6, 8, 9)]
M = prod(MODULI)
Q = 8
"""q, the leading bits of each gamma_i that the rank is computed from."""

# p, and T, the precision of the quotient in bits.
CURVES = {
    "secp256k1": (2**256 - 2**32 - 977, 72),
    "ed25519": (2**255 - 19, 71),
}


def quotient_and_rank(z, p, t):
    """kappa of equation (24) and alpha, with the gamma_i."""
    width = p.bit_length()
    gammas = [z * pow(M // m, -1, m) % m for m in MODULI]
    # 1/16 + sum of the fractions gamma_i / 2^66, each rounded down to q bits, in units of 2^-q.
    alpha = (2**Q // 16 + sum(gamma >> (66 - Q) for gamma in gammas)) >> Q
    weights = [(M // m % p) >> (width - t) for m in MODULI]
    kappa = sum(gamma * weight for gamma, weight in zip(gammas, weights)) >> t
    return gammas, alpha, kappa


def case(x, y, p, t):
    z = x * y
    assert z < 15 * M // 16
    gammas, alpha, kappa = quotient_and_rank(z, p, t)
    # The rank is right: the sum of the gamma_i M_i exceeds Z by alpha M.
    assert sum(gamma * (M // m) for gamma, m in zip(gammas, MODULI)) == z + alpha * M
    v = sum(gamma * (M // m % p) for gamma, m in zip(gammas, MODULI)) + (-alpha * M) % p
    published, canonical = v - kappa * p, z % p
    assert published in (canonical, canonical + p)
    return {
        "x": hex(x),
        "y": hex(y),
        "alpha": alpha,
        "kappa": hex(kappa),
        "published": hex(published),
        "canonical": hex(canonical),
    }


def vectors(operands):
    curves = {}
    for name, (p, t) in CURVES.items():
        edges = [
            (0, 0),
            (0, 5),
            (1, 1),
            (1, 2),
            (3, 5),
            (p - 1, p - 1),
            (p - 1, 1),
            (p - 1, 2),
            (p - 1, p - 2),
            (1, p),
            (2, p),
            (p, p),
            (p + 1, 1),
            (2**255 - 1, 2**255 - 1),
            ((p + 1) // 2, 2),
        ]
        pairs = edges + [(int(x, 16), int(y, 16)) for x, y in operands[name]]
        curves[name] = {
            "p": hex(p),
            "W": p.bit_length(),
            "T": t,
            "cases": [case(x, y, p, t) for x, y in pairs],
        }
    return {"about": ABOUT, "moduli": [hex(m) for m in MODULI], "curves": curves}
