//! The claims of the paper, and the verdicts that the figures give.

// Counts are whole numbers, which are exact.
#![allow(clippy::float_cmp)]

use crate::claim::{Claim, Verdict, most_rows};
use crate::figures::number;
use crate::hardware::NEEDS_HARDWARE;

/// The verdict on the sizes of `kappa` and `V`, which are printed as such.
fn sizes(figures: &[f64], printed: [f64; 2]) -> Verdict {
    let &[kappa, v] = figures else {
        return Verdict::no_figures();
    };
    if [kappa, v] == printed {
        Verdict::Holds
    } else if kappa <= printed[0] && v <= printed[1] {
        Verdict::with_condition(format!(
            "read as upper bounds: kappa has at most {kappa} bits and V at most {v}"
        ))
    } else {
        Verdict::does_not_hold(
            format!("kappa can have {kappa} bits and V {v}"),
            "the largest values of the sums have these sizes",
        )
    }
}

/// All claims.
pub static CLAIMS: [Claim; 19] = [
    Claim::new(
        [
            "exact",
            "Abstract, sections 3 and 5",
            "The algorithm computes the precise value of X mod p",
            "0 wrong",
        ],
        &[
            "products returned +p, secp256k1, T = 72, %",
            "products returned +p, edwards25519, T = 71, %",
            "nonzero multiples of p returned as p, %",
            "products returned +p, exact form",
        ],
        |figures| {
            let &[secp256k1, edwards25519, multiples, exact] = figures else {
                return Verdict::no_figures();
            };
            if secp256k1 + edwards25519 + multiples == 0.0 {
                return Verdict::Holds;
            }
            Verdict::does_not_hold(
                format!(
                    "{} % of random products are too large by p on secp256k1, {} % on edwards25519, and {} % \
                     of the nonzero multiples of p come out as p",
                    number(secp256k1),
                    number(edwards25519),
                    number(multiples)
                ),
                format!(
                    "equation (20) drops <-alpha M>_p / p and (24) truncates, both of which lower kappa; with \
                     one exact comparison {exact} products are wrong"
                ),
            )
        },
    ),
    Claim::new(
        [
            "chains",
            "Section 3.1",
            "The inputs of the next multiplication are in range",
            "",
        ],
        &[
            "largest result / p in a chain",
            "results in a chain that are not congruent",
        ],
        |figures| match figures {
            [largest, 0.0] if *largest < 1.0 => Verdict::Holds,
            [largest, 0.0] if *largest < 2.0 => Verdict::with_condition(format!(
                "values up to 1.25 p are allowed: results reach {} p, so a canonical result and a test for \
                 zero take one exact comparison more",
                number(*largest)
            )),
            [largest, wrong] => Verdict::does_not_hold(
                format!(
                    "{wrong} results are wrong, and they reach {} p",
                    number(*largest)
                ),
                "the chain leaves the range",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "precision",
            "Section 3.1, equation (24)",
            "T = 72 and T = 71 guarantee the equality of (23) and (24)",
            "72 and 71",
        ],
        &[
            "products for which (23) and (24) differ, secp256k1, T = 72, %",
            "products for which (23) and (24) differ, edwards25519, T = 71, %",
            "products for which (23) and (24) differ, both, T = 80, %",
        ],
        |figures| {
            let &[secp256k1, edwards25519, at_80] = figures else {
                return Verdict::no_figures();
            };
            if secp256k1 + edwards25519 == 0.0 {
                return Verdict::Holds;
            }
            Verdict::does_not_hold(
                format!(
                    "they differ for {} % of random products with T = 72 on secp256k1, and for {} % with T = 71 on \
                     edwards25519",
                    number(secp256k1),
                    number(edwards25519)
                ),
                format!(
                    "the constants are cut after too few bits: from T = 80 on they differ for {} %",
                    number(at_80)
                ),
            )
        },
    ),
    Claim::new(
        [
            "rank",
            "Section 2.2",
            "q = 8 and Delta = 1/16 give the right alpha in the whole effective dynamic range",
            "q = 8",
        ],
        &[
            "wrong ranks, Z < 15M/16",
            "wrong ranks, Z >= 15M/16, %",
            "q needed for N = 8",
            "q needed for N = 16",
        ],
        |figures| {
            let &[below, above, eight, sixteen] = figures else {
                return Verdict::no_figures();
            };
            if below > 0.0 || eight > 8.0 {
                Verdict::does_not_hold(
                    format!("{below} ranks are wrong; q = {eight} is needed"),
                    "the truncation takes more than Delta",
                )
            } else if sixteen > 8.0 {
                Verdict::with_condition(format!(
                    "there are fewer than 16 channels: for N = 16, as for P-521, q = {sixteen} is needed. From \
                     15M/16 on {} % of the ranks are wrong",
                    number(above)
                ))
            } else {
                Verdict::Holds
            }
        },
    ),
    Claim::new(
        [
            "input-range",
            "Algorithm 2, input",
            "Inputs are X, Y < (1 - Delta) M",
            "",
        ],
        &[
            "wrong products of X, Y < 15M/16",
            "wrong products with X Y < 15M/16",
        ],
        |figures| match figures {
            [0.0, 0.0] => Verdict::Holds,
            [wrong, 0.0] => Verdict::with_condition(format!(
                "X Y < (1 - Delta) M: with the input of Algorithm 2 alone {wrong} of 500 products are not congruent. \
                 Table A1 (0 <= X Y < M), section 2 (Z < M) and (12) have that condition"
            )),
            [_, wrong] => Verdict::does_not_hold(
                format!("{wrong} products are wrong even in range"),
                "the reduction fails",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "coprime",
            "Table 1",
            "The eight moduli are pairwise coprime",
            "28 pairs",
        ],
        &["coprime pairs of Table 1"],
        |figures| match figures {
            [28.0] => Verdict::Holds,
            [pairs] => Verdict::does_not_hold(
                format!("{} pairs share a factor", 28.0 - pairs),
                "the moduli do not form a base",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "equation-8",
            "Section 2.1, equation (8), Table A1",
            "Equation (8) reduces modulo every m_i, t_i in {0, 2, 3, 4, 5, 6, 8, 9}",
            "",
        ],
        &[
            "wrong residues by equation (8), t = 0",
            "wrong residues by equation (8), t > 0",
            "wrong residues modulo 2^66 - 1 by B_H + B_L",
        ],
        |figures| match figures {
            [0.0, 0.0, _] => Verdict::Holds,
            [wrong, 0.0, 0.0] => Verdict::misprint(format!(
                "t = 0 cannot be meant for 2^66 - 1 of Table 1, since 2^66 - 2^0 - 1 is 2^66 - 2: so read, {wrong} of 1000 \
                 residues are wrong. Without the terms of t, B_H + B_L, none is"
            )),
            [wrong, 0.0, _] => Verdict::with_condition(format!(
                "t > 0: for 2^66 - 1, written with t = 0, {wrong} of 1000 residues are wrong"
            )),
            [_, wrong, _] => Verdict::does_not_hold(
                format!("{wrong} residues are wrong for t > 0"),
                "the sum is not congruent",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "table-2",
            "Table 2",
            "Condition (22) holds for ten standard curves",
            "10 rows",
        ],
        &[
            "rows of Table 2 that satisfy (22)",
            "rows of Table 2 with the curve's prime",
        ],
        |figures| match figures {
            [10.0, 10.0] => Verdict::Holds,
            [10.0, right] if most_rows(*right, 10.0) => Verdict::misprint(format!(
                "{} of 10 primes cannot be meant, since the curves are named and the standard has others: SECP160R1 is \
                 2^160 - 2^31 - 1, and P-384 ends in + 2^32 - 1. With those, all rows satisfy (22)",
                10.0 - right
            )),
            [rows, right] => Verdict::does_not_hold(
                format!("{} rows violate it", 10.0 - rows),
                format!("{} have other primes than the curves", 10.0 - right),
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "condition-22",
            "Section 3.1",
            "Condition (22) is valid for most known primes used in practice",
            "",
        ],
        &[
            "rows of Table 2 that satisfy (22)",
            "P-256 and Brainpool primes that satisfy (22)",
        ],
        |figures| match figures {
            [_, 5.0] => Verdict::Holds,
            [rows, others] if *rows > 5.0 => Verdict::with_condition(format!(
                "the prime is close to a power of two: of P-256 and the Brainpool primes of 256, 320, 384 and 512 \
                 bits {others} satisfy it"
            )),
            [rows, _] => Verdict::does_not_hold(
                format!("{rows} of the curves of Table 2 satisfy it"),
                "epsilon is too large",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "sizes-secp256k1",
            "Section 3.1",
            "kappa is at most 52 bits long and V as big as 308 bits for SECP256K1",
            "52 and 308",
        ],
        &["bits of kappa, secp256k1", "bits of V, secp256k1"],
        |figures| sizes(figures, [52.0, 308.0]),
    ),
    Claim::new(
        [
            "sizes-ed25519",
            "Section 3.1",
            "kappa is at most 42 bits long and V as big as 297 bits for ED25519",
            "42 and 297",
        ],
        &["bits of kappa, edwards25519", "bits of V, edwards25519"],
        |figures| sizes(figures, [42.0, 297.0]),
    ),
    Claim::new(
        [
            "memory",
            "Section 4",
            "The tables take N ((2N + 2) n + n') bits: 9944 and 9856",
            "9944 and 9856",
        ],
        &[
            "bits of the tables, secp256k1",
            "bits of the tables, edwards25519",
        ],
        |figures| match figures {
            [9944.0, 9856.0] => Verdict::Holds,
            [first, second] => Verdict::does_not_hold(
                format!("{first} and {second} bits"),
                "the formula with the counted n' gives these",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "cycles",
            "Section 4, Figures A1 to A3",
            "The architectures take 3N + 7, 2(N + 4) and 2(N/2 + 5) cycles",
            "31, 24, 18",
        ],
        &["data-flow figures with these cycles"],
        |figures| match figures {
            [3.0] => Verdict::Holds,
            [right] => Verdict::does_not_hold(
                format!("{} of 3 figures have others", 3.0 - right),
                "the columns of the figures add up to others",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "latencies",
            "Table 4",
            "Latency = cycles / clock",
            "15 rows",
        ],
        &[
            "rows of Table 4 with this latency",
            "largest difference of a latency, ns",
            "throughput x latency in the row that differs most, bits",
            "mean bits for each result, throughput x latency",
        ],
        |figures| match figures {
            [15.0, ..] => Verdict::Holds,
            [right, difference, bits, mean] if most_rows(*right, 15.0) => {
                if (bits / mean - 1.0).abs() < 0.005 {
                    Verdict::misprint(format!(
                        "the clock of 192 MHz cannot be meant for SOR_1M_N on VIRTEX US+: 31 cycles would take {} ns more \
                         than the 157 ns from which its throughput is computed. With 197.5 MHz it agrees as the other \
                         {right} of 15 rows do",
                        number(*difference)
                    ))
                } else {
                    Verdict::with_condition(format!(
                        "{} of 15 rows are left out, which differ by up to {} ns",
                        15.0 - right,
                        number(*difference)
                    ))
                }
            }
            [right, difference, ..] => Verdict::does_not_hold(
                format!(
                    "{} of 15 differ, by up to {} ns",
                    15.0 - right,
                    number(*difference)
                ),
                "they are not the quotients of cycles and clock",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "throughput",
            "Tables 4 and 5",
            "The throughputs in Mbps, for residues of all channels as those of other designs in Table 5",
            "1671 to 5821",
        ],
        &[
            "mean bits for each result, throughput x latency",
            "bits of a result in RNS, 8 x 66",
            "throughput x latency of sQ-RNS in Table 5, bits",
        ],
        |figures| match figures {
            [counted, bits, _] if (counted / bits - 1.0).abs() < 0.025 => Verdict::Holds,
            [counted, bits, others] => Verdict::does_not_hold(
                format!("{} times too high", number(counted / bits)),
                format!(
                    "the throughput of sQ-RNS counts {} bits for a result, its 8 residues of 65 bits; by that, the 8 \
                     residues of 66 bits here are {bits} bits, but every row counts {}",
                    number(others.round()),
                    number(counted.round())
                ),
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "improvements",
            "Section 4.1",
            "The latencies improve by 36, 41.1, 14.9 and 27.6 %",
            "36, 41.1, 14.9, 27.6 %",
        ],
        &[
            "improvements that follow from Table 5",
            "improvement of SOR_1M_P over sQ-RNS as published, %",
        ],
        |figures| match figures {
            [4.0, published] if *published > 0.0 => Verdict::Holds,
            [4.0, published] => Verdict::with_condition(format!(
                "two products, 43 ns, are added to the latency of sQ-RNS: without them SOR_1M_P is {} % \
                 slower",
                number(-published)
            )),
            [right, _] => Verdict::does_not_hold(
                format!("{} of 4 differ by more than half a point", 4.0 - right),
                "the latencies of Table 5 give others",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "products",
            "Section 5",
            "The sum of residues takes more resources than RNS Montgomery reduction",
            "",
        ],
        &[
            "channel products of SOR, w = 66",
            "channel products of Montgomery, w = 66",
        ],
        |figures| match figures {
            [sum, montgomery] if sum > montgomery => Verdict::Holds,
            [sum, montgomery] => Verdict::does_not_hold(
                format!("{sum} products instead of {montgomery}"),
                "it takes fewer products",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "faster-than-montgomery",
            "Section 1",
            "The timing is improved compared with RNS Montgomery reduction",
            "",
        ],
        &["product by SOR as published", "product by Montgomery, KBE"],
        |figures| match figures {
            [sum, montgomery] if sum < montgomery => Verdict::Holds,
            [sum, montgomery] => Verdict::not_reproduced(format!(
                "its FPGAs, on which N multipliers work side by side, are not here. On one processor, which does one \
                 channel after another, a product takes {} times as long",
                number(sum / montgomery)
            )),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "hardware-cycles",
            "Section 4",
            "The cores take 31, 24 and 18 cycles for a product",
            "31, 24, 18",
        ],
        &[
            "cycles of SOR_1M_N",
            "cycles of SOR_1M_P",
            "cycles of SOR_2M",
        ],
        |figures| {
            let &[one, pipelined, two] = figures else {
                return Verdict::no_figures();
            };
            if one <= 31.0 && pipelined <= 24.0 && two <= 18.0 {
                Verdict::Holds
            } else {
                Verdict::not_reproduced(format!(
                    "our cores take {one}, {pipelined} and {two} cycles"
                ))
            }
        },
    )
    .needing(NEEDS_HARDWARE),
];
