//! The claims of the paper, and the verdicts that the figures give.

// Counts are whole numbers, which are exact.
#![allow(clippy::float_cmp)]

use crate::claim::{Claim, Verdict};
use crate::figures::number;

/// The smallest credible number of cycles for an operation on one residue: with fewer, more than 100 would run at once,
/// which no processor does.
const FEWEST_CYCLES: f64 = 0.01;

/// The verdict on a speedup: it holds if the measured one is at least half the least printed one.
/// `figures` are the measured ratios at n = 15 and n = 285, and the cycles that the printed RNS time leaves for each
/// residue at n = 285.
fn speedup(figures: &[f64], least_printed: f64) -> Verdict {
    let &[few, many, cycles] = figures else {
        return Verdict::no_figures();
    };
    if few.min(many) >= least_printed / 2.0 {
        return Verdict::Holds;
    }
    let found = format!(
        "the ratio is {} at n = 15 and {} at n = 285, not {} and more",
        number(few),
        number(many),
        number(least_printed)
    );
    if cycles >= FEWEST_CYCLES {
        return Verdict::not_reproduced(format!("on this processor {found}"));
    }
    Verdict::does_not_hold(
        found,
        format!(
            "the printed RNS time is one of 8 to 10 us for 10^6 operations at every n, at n = 285 {} cycles for each \
             residue: too short on any processor",
            number(cycles)
        ),
    )
}

/// All claims.
pub static CLAIMS: [Claim; 17] = [
    Claim::new(
        [
            "column-l",
            "Section 5, Table 1, column L",
            "The moduli are decreasing consecutive coprime numbers from 32,749 to 29,789, with \
             L = ceil(log2 P)",
            "19 values of L",
        ],
        &[
            "rows with the printed L, consecutive primes",
            "rows with the printed L, consecutive coprimes",
        ],
        |figures| match figures {
            [_, 19.0] => Verdict::Holds,
            [19.0, coprimes] => Verdict::misprint(format!(
                "consecutive coprime numbers cannot be meant, since p_285 = 29,789 and the column L contradict them: \
                 with them {coprimes} of 19 values are right, with consecutive primes all are"
            )),
            [primes, _] => Verdict::does_not_hold(
                format!("{} of 19 values differ", 19.0 - primes),
                "neither primes nor coprime numbers have these sizes",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "ratios",
            "Table 1, columns Binary/RNS",
            "Binary/RNS is the ratio of the two times",
            "114 ratios",
        ],
        &["printed ratios that are right"],
        |figures| match figures {
            [114.0] => Verdict::Holds,
            [right] => Verdict::does_not_hold(
                format!("{} of 114 differ", 114.0 - right),
                "they are not the quotients of the printed times",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "rns-times",
            "Table 1, columns RNS",
            "10^6 operations in RNS take 8 to 10 us at every n",
            "8 to 10 us",
        ],
        &[
            "multiplication: cycles for each residue in the printed RNS time, n = 285",
            "multiplication in residues, n = 285",
        ],
        |figures| {
            let &[cycles, ns] = figures else {
                return Verdict::no_figures();
            };
            if ns < 0.1 {
                return Verdict::Holds;
            }
            if cycles >= FEWEST_CYCLES {
                return Verdict::not_reproduced(format!(
                    "on this processor 10^6 multiplications at n = 285 take {} us",
                    number(ns * 1e3)
                ));
            }
            Verdict::does_not_hold(
                format!(
                    "{} times as long here ({} us for 10^6 multiplications at n = 285)",
                    number(ns * 1e3 / 9.0),
                    number(ns * 1e3)
                ),
                format!(
                    "the printed time is {} cycles for each residue, too short on any processor; that an empty loop was \
                     timed is an inference from this",
                    number(cycles)
                ),
            )
        },
    ),
    Claim::new(
        [
            "addition",
            "Section 5, Table 1",
            "Addition in RNS is 9,954 to 25,888 times as fast",
            "9,954.8 to 25,888.9",
        ],
        &[
            "addition: integers/residues, n = 15",
            "addition: integers/residues, n = 285",
            "addition: cycles for each residue in the printed RNS time, n = 285",
        ],
        |figures| speedup(figures, 9_954.8),
    ),
    Claim::new(
        [
            "subtraction",
            "Section 5, Table 1",
            "Subtraction in RNS is 12,348 to 31,385 times as fast",
            "12,348.2 to 31,385.8",
        ],
        &[
            "subtraction: integers/residues, n = 15",
            "subtraction: integers/residues, n = 285",
            "subtraction: cycles for each residue in the printed RNS time, n = 285",
        ],
        |figures| speedup(figures, 12_348.2),
    ),
    Claim::new(
        [
            "multiplication",
            "Section 5, Table 1",
            "Multiplication in RNS is 13,193.9 to 318,203 times as fast",
            "13,193.9 to 318,203.5",
        ],
        &[
            "multiplication: integers/residues, n = 15",
            "multiplication: integers/residues, n = 285",
            "multiplication: cycles for each residue in the printed RNS time, n = 285",
        ],
        |figures| speedup(figures, 13_193.9),
    ),
    Claim::new(
        [
            "division-by-constant",
            "Section 5, Table 1",
            "Division by a constant in RNS is 15,353.5 to 140,290 times as fast",
            "15,353.5 to 140,290.6",
        ],
        &[
            "division by constant: integers/residues, n = 15",
            "division by constant: integers/residues, n = 285",
            "division by constant: cycles for each residue in the printed RNS time, n = 285",
        ],
        |figures| speedup(figures, 15_353.5),
    ),
    Claim::new(
        [
            "euclidean-division",
            "Section 5, Table 1",
            "Euclidean division in RNS is 17,815.5 to 40,359.7 times as fast",
            "17,815.5 to 40,359.7",
        ],
        &[
            "Euclidean division: integers/residues, n = 15",
            "Euclidean division: integers/residues, n = 285",
            "Euclidean division: cycles for each residue in the printed RNS time, n = 285",
        ],
        |figures| speedup(figures, 17_815.5),
    ),
    Claim::new(
        [
            "sign-detection",
            "Section 5, Table 1",
            "Sign detection in RNS is 4.5 to 15 times slower",
            "0.07 to 0.22",
        ],
        &[
            "sign detection: integers/residues, n = 15",
            "sign detection: integers/residues, n = 285",
        ],
        |figures| {
            let &[few, many] = figures else {
                return Verdict::no_figures();
            };
            if [few, many].iter().all(|ratio| (0.05..=0.3).contains(ratio)) {
                return Verdict::Holds;
            }
            Verdict::not_reproduced(format!(
                "section 3, which has the sign, is missing in the text. Ours takes n products of N bits, where N grows \
                 with n, and is {} times slower at n = 15, {} times at n = 285",
                number(1.0 / few),
                number(1.0 / many)
            ))
        },
    ),
    Claim::new(
        [
            "precision",
            "Section 2.2",
            "The fractional part needs twice as many digits as the range",
            "2 L",
        ],
        &["proved precision N, n = 15", "twice the digits, n = 15"],
        |figures| match figures {
            [proved, twice] if proved == twice => Verdict::Holds,
            [proved, twice] => Verdict::not_reproduced(format!(
                "the formula of the fractional part is missing in the text. For the usual one, {proved} bits are proved \
                 to be enough where twice the digits are {twice}"
            )),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "algorithm-1",
            "Section 2.2, Algorithm 1",
            "Algorithm 1 with F of twice the digits gives the quotient",
            "",
        ],
        &[
            "wrong quotients, F(Y) shifted, coefficients rounded down",
            "wrong quotients, F(Y) shifted, coefficients rounded up",
            "wrong quotients, Y doubled in residues",
        ],
        |figures| {
            let &[down, up, residues] = figures else {
                return Verdict::no_figures();
            };
            if down == 0.0 && up == 0.0 {
                Verdict::Holds
            } else {
                Verdict::not_reproduced(format!(
                    "the formula of F is missing in the text. With the usual one and F(Y) shifted, {} (coefficients \
                     rounded down) and {} (up) of 10,920 quotients on {{3, 5, 7}} are wrong; with 2^j Y doubled in \
                     residues and F computed anew, {residues}",
                    number(down),
                    number(up)
                ))
            }
        },
    ),
    Claim::new(
        [
            "equation-3",
            "Section 2.1, equations (3) and (4)",
            "Scaling by a modulus by equations (3) and (4)",
            "",
        ],
        &[
            "wrong quotients by equation (3) as printed",
            "wrong quotients by equation (3) corrected",
        ],
        |figures| match figures {
            [0.0, _] => Verdict::Holds,
            [wrong, 0.0] => Verdict::misprint(format!(
                "x_1 in the second entry of (3) cannot be meant, since the entries before and after have x_j in channel \
                 j: as printed {} of 300 quotients are wrong, with x_2 none is",
                number(*wrong)
            )),
            [wrong, _] => Verdict::does_not_hold(
                format!("{} of 300 quotients are wrong", number(*wrong)),
                "x_j in channel j does not repair it",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "equation-13",
            "Section 4, equation (13)",
            "The orthogonal bases of the extended system follow from those of the system",
            "",
        ],
        &["orthogonal bases that differ from a direct computation"],
        |figures| match figures {
            [0.0] => Verdict::Holds,
            [wrong] => {
                Verdict::does_not_hold(format!("{wrong} differ"), "the equation gives other bases")
            }
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "network",
            "Section 4",
            "The network sums a_i |B_i| for i = 1 to n - 1, and so gives the residue for a new modulus",
            "1 to n - 1",
        ],
        &["wrong residues, sum to n", "wrong residues, sum to n - 1"],
        |figures| match figures {
            [0.0, 0.0] => Verdict::Holds,
            [0.0, wrong] => Verdict::misprint(format!(
                "n - 1 cannot be meant, since there are n bases B_i: to n - 1, as printed, {} of 300 residues are \
                 wrong, to n none is",
                number(*wrong)
            )),
            [wrong, _] => Verdict::does_not_hold(
                format!("{} of 300 residues are wrong", number(*wrong)),
                "the sum to n does not give them either",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "complexity",
            "Section 4",
            "The network has a lower computational complexity than known methods",
            "",
        ],
        &[
            "word products of FRNN, n = 16",
            "word products of KBE, n = 16",
        ],
        |figures| match figures {
            [network, kawamura] if network < kawamura => Verdict::Holds,
            [network, kawamura] => Verdict::not_reproduced(format!(
                "equations (6) to (12) and Figure 1, which define the network, are missing in the text. Our \
                 reconstruction takes {} times as many word products as Kawamura's extension, since the weights of \
                 its rank layer are as wide as the range",
                number(network / kawamura)
            )),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "signature",
            "Section 5 and abstract",
            "A signature by FIPS 186-5 is 85 % faster in RNS",
            "1.85",
        ],
        &[
            "T_Bin/T_RNS from the printed times",
            "share of the conversions in the printed T_RNS",
            "T_Bin/T_RNS, the paper's formulas with times of this machine",
            "T_Bin/T_RNS, reduction on both sides",
        ],
        |figures| {
            let &[printed, share, formulas, fair] = figures else {
                return Verdict::no_figures();
            };
            if fair >= 1.85 && formulas >= 1.85 {
                return Verdict::Holds;
            }
            Verdict::does_not_hold(
                format!(
                    "{} by the paper's formulas with times of this machine, {} with reduction on both \
                     sides",
                    number(formulas),
                    number(fair)
                ),
                format!(
                    "the printed {} is {} % conversion time, the rest are RNS times that are too short for any \
                     arithmetic, and the binary side omits the reduction",
                    number(printed),
                    number(100.0 * share)
                ),
            )
        },
    ),
    Claim::new(
        [
            "prime",
            "Section 5",
            "q is a prime number: q = 2^511 - 1",
            "2^511 - 1",
        ],
        &["least prime factor of 2^511 - 1 below 2^16"],
        |figures| match figures {
            [0.0] => Verdict::Holds,
            [factor] => Verdict::does_not_hold(
                format!("{factor} divides it"),
                "511 = 7 * 73, so 2^7 - 1 is a factor. It is no misprint for 521: the estimate is computed with 511",
            ),
            _ => Verdict::no_figures(),
        },
    ),
];
