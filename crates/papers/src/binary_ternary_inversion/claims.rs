//! The claims of the paper, and the verdicts that the figures give.

// Counts are whole numbers, which are exact.
#![allow(clippy::float_cmp)]

use super::printed::{BMI, BTMI};
use crate::claim::{Claim, Verdict};
use crate::figures::number;
use crate::hardware::NEEDS_HARDWARE;

/// The largest relative difference of a mean from the printed one, which has two or three digits.
const TOLERANCE: f64 = 0.025;

/// The verdict on a printed mean: it holds within 2.5 %.
fn mean(figures: &[f64], printed: f64) -> Verdict {
    match figures {
        [counted] if (counted / printed - 1.0).abs() <= TOLERANCE => Verdict::Holds,
        [counted] => Verdict::does_not_hold(
            format!("{} instead of {printed}", number(*counted)),
            "counted with the corrected algorithm",
        ),
        _ => Verdict::no_figures(),
    }
}

/// The verdict on a number of additions, which is printed for additions of `-+C1` that are folded into
/// the constants of the divisions.
fn additions(figures: &[f64], printed: f64) -> Verdict {
    let &[folded, literal] = figures else {
        return Verdict::no_figures();
    };
    if (literal / printed - 1.0).abs() <= TOLERANCE {
        Verdict::Holds
    } else if (folded / printed - 1.0).abs() <= TOLERANCE {
        Verdict::with_condition(format!(
            "-+C1 is folded into the constants of the divisions; as printed, plus-minus costs 6n additions \
             instead of 4n, and the mean is {}",
            number(literal)
        ))
    } else {
        Verdict::does_not_hold(
            format!("{} instead of {printed}", number(folded)),
            "counted with the corrected algorithm",
        )
    }
}

/// All claims.
pub static CLAIMS: [Claim; 17] = [
    Claim::new(
        [
            "outer-loops",
            "Section V",
            "BTMI takes 0.46 l outer loops on average (within 2.5 %)",
            "0.46",
        ],
        &["outer loops / l, BTMI"],
        |figures| mean(figures, 0.46),
    ),
    Claim::new(
        [
            "inner-loops",
            "Section V",
            "BTMI takes 0.75 inner loops for each outer loop (within 2.5 %)",
            "0.75",
        ],
        &["inner loops / outer loop, BTMI"],
        |figures| mean(figures, 0.75),
    ),
    Claim::new(
        [
            "emm",
            "Section V",
            "BTMI costs 1.61 n l modular multiplications (within 2.5 %)",
            "1.61",
        ],
        &["EMM / (n l), BTMI"],
        |figures| mean(figures, BTMI.products),
    ),
    Claim::new(
        [
            "ema",
            "Section V",
            "BTMI costs 2.53 n l modular additions (within 2.5 %)",
            "2.53",
        ],
        &["EMA / (n l), BTMI", "EMA / (n l), BTMI, -+C1 not folded"],
        |figures| additions(figures, BTMI.sums),
    ),
    Claim::new(
        [
            "outer-loops-bmi",
            "Section V",
            "BMI takes 0.71 l outer loops on average (within 2.5 %)",
            "0.71",
        ],
        &["outer loops / l, BMI"],
        |figures| mean(figures, 0.71),
    ),
    Claim::new(
        [
            "inner-loops-bmi",
            "Section V",
            "BMI takes 2/3 inner loops for each outer loop (within 2.5 %)",
            "2/3",
        ],
        &["inner loops / outer loop, BMI"],
        |figures| mean(figures, 2.0 / 3.0),
    ),
    Claim::new(
        [
            "emm-bmi",
            "Section V",
            "BMI costs 2.37 n l modular multiplications (within 2.5 %)",
            "2.37",
        ],
        &["EMM / (n l), BMI"],
        |figures| mean(figures, BMI.products),
    ),
    Claim::new(
        [
            "ema-bmi",
            "Section V",
            "BMI costs 3.79 n l modular additions (within 2.5 %)",
            "3.79",
        ],
        &["EMA / (n l), BMI", "EMA / (n l), BMI, -+C1 not folded"],
        |figures| additions(figures, BMI.sums),
    ),
    Claim::new(
        [
            "saving",
            "Section V",
            "BTMI takes 30 % fewer EMM and EMA than BMI",
            "30 %",
        ],
        &["EMM saved, %", "EMA saved, %"],
        |figures| match figures {
            [emm, ema] if emm.min(*ema) >= 29.0 => Verdict::Holds,
            [emm, ema] => Verdict::does_not_hold(
                format!("{} % and {} %", number(*emm), number(*ema)),
                "counted on the same operands",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "result",
            "Algorithms 1 and 2",
            "The result is the inverse, 0 <= S < 2P",
            "",
        ],
        &[
            "wrong inverses, corrected",
            "largest S / P",
            "wrong inverses of 1022, update3_4 as printed, P = 1 mod 4",
            "wrong inverses of 1022, update3_4 as printed, P = 3 mod 4",
        ],
        |figures| {
            let &[corrected, largest, one, three] = figures else {
                return Verdict::no_figures();
            };
            if corrected > 0.0 || largest >= 2.0 {
                Verdict::does_not_hold(
                    format!(
                        "{corrected} results are wrong, the largest is {} P",
                        number(largest)
                    ),
                    "even with the corrections",
                )
            } else if one + three > 0.0 {
                Verdict::with_condition(format!(
                    "U3 = P at the start, which line 1 leaves out, and P = 3 mod 4, as for the paper's four primes: for \
                     P = 1 mod 4 update3_4 must add f_4(X) P. As printed, {} of 1022 inverses modulo 2^255 - 19 are \
                     wrong, and {} modulo P-256",
                    number(one),
                    number(three)
                ))
            } else {
                Verdict::Holds
            }
        },
    ),
    Claim::new(
        [
            "table-i",
            "Table I",
            "f_2, f_3, f_4 and f_6 as functions of |X|_6 for |P|_6 = 1",
            "24 entries",
        ],
        &[
            "wrong f_2, f_3 and f_6 by X mod 6",
            "wrong f_4 by X mod 6",
            "wrong f_4 by X mod 4, P = 1 mod 12",
        ],
        |figures| match figures {
            [0.0, 0.0, _] => Verdict::Holds,
            [0.0, wrong, 0.0] => Verdict::misprint(format!(
                "|X|_6 and |P|_6 = 1 cannot be meant for f_4, since section IV.D computes f_D from |X|_D: it is wrong \
                 there for {wrong} of 24 pairs of X and P modulo 12. Read at |X|_4, with P = 1 mod 12, all are right"
            )),
            [wrong, _, _] => Verdict::does_not_hold(
                format!("{wrong} entries of the other rows are wrong"),
                "X + f P is no multiple of D",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "cox-bits",
            "Section IV.C",
            "t = 6 gives the right q for all fields and parameters",
            "t = 6",
        ],
        &[
            "wrong residues, t = 6, Cox from 1/2",
            "wrong residues, t = 6, Cox from 0",
            "wrong residues of the operand for t = 5",
        ],
        |figures| {
            let &[six, no_offset, five] = figures else {
                return Verdict::no_figures();
            };
            if six > 0.0 {
                Verdict::does_not_hold(
                    format!("{six} numbers have wrong residues modulo 4 or 3"),
                    "the Cox is too low",
                )
            } else if no_offset + five > 0.0 {
                Verdict::with_condition(format!(
                    "the Cox starts at 1/2, which the paper does not say: from 0, {} of the numbers are wrong. \
                     t = 5 fails for P-521 in 22 moduli of 24 bits, although random numbers do not show it",
                    number(no_offset)
                ))
            } else {
                Verdict::Holds
            }
        },
    ),
    Claim::new(
        [
            "fewer-cox-bits",
            "Section IV.C",
            "t = 4 or 5 is enough for smaller fields",
            "4 or 5",
        ],
        &["t proved to be enough, P-192, w = 31"],
        |figures| match figures {
            [t] if *t <= 5.0 => Verdict::Holds,
            [t] => Verdict::does_not_hold(
                format!("t = {t} is needed"),
                "n 2^-t + sum eps <= 1/2 fails below",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "precomputations",
            "Section V",
            "BTMI takes 2.2 times as many precomputations",
            "2.2",
        ],
        &["words of Table III, BTMI / BMI"],
        |figures| mean(figures, 2.2),
    ),
    Claim::new(
        [
            "complexity",
            "Section III",
            "FLT costs O(l n^2) EMM, the plus-minus inversions O(l n)",
            "",
        ],
        &["EMM of FLT, n doubled", "EMM of BTMI, n doubled"],
        |figures| match figures {
            // With terms of lower order, twice n is a factor of 3 to 4 in a quadratic cost.
            [flt, btmi] if *flt >= 3.0 && *btmi <= 2.2 => Verdict::Holds,
            [flt, btmi] => Verdict::does_not_hold(
                format!(
                    "{} and {} times as many for n doubled",
                    number(*flt),
                    number(*btmi)
                ),
                "the numbers of products grow otherwise",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "hardware-speed",
            "Section VI, Figure 5",
            "On an FPGA, BTMI is 30 % faster than BMI",
            "30 %",
        ],
        &[
            "least cycles saved by our BTMI core, %",
            "most cycles saved by our BTMI core, %",
        ],
        |figures| match figures {
            [least, most] if *least >= 29.0 => Verdict::with_condition(format!(
                "both run at the same clock: our cores save {} to {} % of the cycles, and the table of clocks has those \
                 of cores that were placed and routed",
                number(*least),
                number(*most)
            )),
            [least, most] => Verdict::not_reproduced(format!(
                "our cores, which are another design, save {} to {} % of the cycles",
                number(*least),
                number(*most)
            )),
            _ => Verdict::no_figures(),
        },
    )
    .needing(NEEDS_HARDWARE),
    Claim::new(
        [
            "hardware-area",
            "Abstract, section VI, Table IV",
            "On an FPGA, BTMI takes at most 4 % more area than BMI",
            "2.1 to 3.6 %, at most 4 %",
        ],
        &[
            "least LUTs that our BTMI core takes more, %",
            "most LUTs that our BTMI core takes more, %",
        ],
        |figures| match figures {
            [_, most] if *most <= 4.0 => Verdict::Holds,
            [least, most] => Verdict::not_reproduced(format!(
                "our cores, which are another design, take {} to {} % more LUTs, counted before placement; the \
                 paper has slices of a Virtex 5 after it",
                number(*least),
                number(*most)
            )),
            _ => Verdict::no_figures(),
        },
    )
    .needing(NEEDS_HARDWARE),
];
