//! The claims of the slides, and the verdicts that the figures give.

// Counts are whole numbers, which are exact.
#![allow(clippy::float_cmp)]

use super::printed::break_even;
use crate::claim::{Claim, Verdict, most_rows};
use crate::figures::number;
use crate::hardware::NEEDS_HARDWARE;

/// All claims.
pub static CLAIMS: [Claim; 13] = [
    Claim::new(
        [
            "cost-kbe",
            "Theoretical Cost Comparison",
            "KBE from n to n moduli costs n^2 + n modular products (CMM)",
            "n^2 + n",
        ],
        &["CMM of KBE, n = 16"],
        |figures| match figures {
            [cmm] if *cmm == 16.0 * 17.0 => Verdict::Holds,
            [cmm] => Verdict::does_not_hold(
                format!("{} CMM instead of 272 for n = 16", number(*cmm)),
                "the extension counts otherwise",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "cost-hbe",
            "Theoretical Cost Comparison",
            "HBE with c = 2 costs n^2/2 CMM, n^2/2 reductions (CMR) and 2n CMM",
            "n^2/2 CMM + n^2/2 CMR + 2n CMM",
        ],
        &[
            "CMM of HBE, n = 16, c = 2",
            "CMR of HBE, n = 16, c = 2",
            "plain products of HBE, n = 16, c = 2",
        ],
        |figures| {
            let &[cmm, cmr, products] = figures else {
                return Verdict::no_figures();
            };
            if cmr != 128.0 || cmm + products != 128.0 + 32.0 {
                return Verdict::does_not_hold(
                    format!("{cmm} CMM, {cmr} CMR and {products} products for n = 16"),
                    "the formula gives 160 CMM and 128 CMR",
                );
            }
            if products == 0.0 {
                Verdict::Holds
            } else {
                Verdict::with_condition(
                    "n of the 2n products are counted as plain products: they gather a row and are not reduced",
                )
            }
        },
    ),
    Claim::new(
        [
            "cost-ratio",
            "Theoretical cost ratio for one BE for various base sizes",
            "HBE with c = 2 costs less than KBE",
            "",
        ],
        &[
            "HBE/KBE, n = 16, CMR/CMM = 0.3",
            "HBE/KBE, n = 16, CMR/CMM = 1",
        ],
        |figures| {
            let &[cheap, expensive] = figures else {
                return Verdict::no_figures();
            };
            if expensive < 1.0 {
                Verdict::Holds
            } else if cheap < 1.0 {
                Verdict::with_condition(format!(
                    "a reduction costs less than {} of a modular product (for n = 16, {} for n = 10): \
                     at CMR/CMM = 0.3 the ratio is {}, at 1 it is {}",
                    number(break_even(16.0)),
                    number(break_even(10.0)),
                    number(cheap),
                    number(expensive)
                ))
            } else {
                Verdict::does_not_hold(
                    format!("HBE costs {} times as much", number(cheap)),
                    "its reductions cost more than the products that it saves",
                )
            }
        },
    ),
    Claim::new(
        [
            "main-cost",
            "Conclusion",
            "HBE improves the main cost from r^2 c^2 to r^2 c",
            "r^2 c",
        ],
        &["grids whose outer products are r^2 c", "grids counted"],
        |figures| match figures {
            [right, all] if right == all && *all > 0.0 => Verdict::Holds,
            [right, all] => Verdict::does_not_hold(
                format!("{} of {} grids have another number", all - right, all),
                "the outer products are not one for each row and target modulus",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "exactness",
            "HBE algorithm, line 15",
            "HBE converts X in base A into X in base B, as KBE does",
            "",
        ],
        &[
            "X < A/2 that HBE gets wrong on {31, 29, 27, 25}",
            "X < A/2 that KBE gets wrong on {31, 29, 27, 25}",
            "X that either gets wrong on the eight pseudo-Mersenne bases",
        ],
        |figures| {
            let &[hierarchical, kawamura, close] = figures else {
                return Verdict::no_figures();
            };
            if close > 0.0 {
                Verdict::does_not_hold(
                    format!("{close} numbers are extended wrongly even there"),
                    "moduli close to 2^w are not enough",
                )
            } else if hierarchical > kawamura {
                Verdict::with_condition(format!(
                    "the moduli are close to 2^w: c sum(1 - a_i/2^w) + r 2^-t <= sigma. The factor c is \
                     unstated; {} numbers are wrong on {{31, 29, 27, 25}}, where KBE gets {} wrong",
                    number(hierarchical),
                    number(kawamura)
                ))
            } else {
                Verdict::Holds
            }
        },
    ),
    Claim::new(
        [
            "delta",
            "RNS Montgomery mod P Reduction",
            "S = (X A^-1 mod P) + delta P with delta in {0, 1, 2}",
            "2",
        ],
        &["largest delta, A >= 9P", "largest delta, A < 9P"],
        |figures| {
            let &[enough, too_small] = figures else {
                return Verdict::no_figures();
            };
            if enough > 2.0 {
                Verdict::does_not_hold(
                    format!("delta reaches {enough}"),
                    "A >= 9P is not enough for factors below 3P",
                )
            } else if too_small > 2.0 {
                Verdict::with_condition(format!(
                    "factors are below 3P, A >= 9P and B >= 6P: with a smaller A delta reaches {too_small}"
                ))
            } else {
                Verdict::Holds
            }
        },
    ),
    Claim::new(
        [
            "time-arithmetic",
            "Hardware Implementation Results",
            "time = period x cycles",
            "16 cells",
        ],
        &["cells in which time = period x cycles"],
        |figures| match figures {
            [16.0] => Verdict::Holds,
            [right] => Verdict::does_not_hold(
                format!("{} of 16 cells differ", 16.0 - right),
                "the printed times are not the products",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "time-gain",
            "Conclusion",
            "An improvement of up to 18 % in total time",
            "18 %",
        ],
        &["largest gain in time, %", "smallest gain in time, %"],
        |figures| {
            let &[best, worst] = figures else {
                return Verdict::no_figures();
            };
            if best < 17.5 {
                return Verdict::does_not_hold(
                    format!("the best gain is {} %", number(best)),
                    "that is what the printed times give",
                );
            }
            if best < 18.5 && worst >= 0.0 {
                return Verdict::Holds;
            }
            Verdict::with_condition(format!(
                "it is the best of the eight points, for which the printed times give {} %; at the worst, 384 bits with \
                 w = 17, HBE is {} % slower",
                number(best),
                number(-worst)
            ))
        },
    ),
    Claim::new(
        [
            "dsp-saving",
            "Conclusion",
            "An improvement of up to 31 % in DSPs",
            "31 %",
        ],
        &["largest saving of DSPs, %"],
        |figures| match figures {
            [best] if (best - 31.0).abs() < 0.5 => Verdict::Holds,
            [best] => Verdict::does_not_hold(
                format!("the best saving is {} %", number(*best)),
                "that is what the printed numbers of DSPs give",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "faster-and-smaller",
            "Hardware Implementation Results",
            "Most of the time, HBE is faster and smaller",
            "",
        ],
        &[
            "rows with less time and fewer DSPs",
            "rows with less time and fewer slices",
        ],
        |figures| {
            let &[dsps, slices] = figures else {
                return Verdict::no_figures();
            };
            if dsps > 4.0 && slices > 4.0 {
                Verdict::Holds
            } else if dsps > 4.0 {
                Verdict::with_condition(format!(
                    "size is counted in DSPs ({dsps} of 8 rows); in slices it is {slices} of 8"
                ))
            } else {
                Verdict::does_not_hold(
                    format!("{dsps} of 8 rows"),
                    "more rows are slower or larger",
                )
            }
        },
    ),
    Claim::new(
        [
            "periods",
            "Hardware Implementation Results",
            "HBE has no impact on periods",
            "",
        ],
        &[
            "rows whose period changes by at most 10 %",
            "largest growth of the period, %",
            "growth of the mean period, %",
        ],
        |figures| match figures {
            [8.0, ..] => Verdict::Holds,
            [rows, growth, mean] if most_rows(*rows, 8.0) => Verdict::with_condition(format!(
                "it is not 384 bits with w = 17, where the table prints 7.6 and 10.1 ns, {} % more: the other {rows} of \
                 8 rows are within 10 %, and the mean of all grows by {} %",
                number(*growth),
                number(*mean)
            )),
            [rows, growth, _] => Verdict::does_not_hold(
                format!("{} of 8 periods change by more than 10 %", 8.0 - rows),
                format!("the largest growth is {} %", number(*growth)),
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "hardware-dsp",
            "Hardware Implementation Results",
            "On an FPGA, HBE takes fewer DSPs than KBE",
            "7 to 31 % at eight points",
        ],
        &[
            "points where our HBE core takes fewer DSPs, of 8",
            "points where it does with half the rowers, of 8",
        ],
        |figures| match figures {
            [8.0, _] => Verdict::Holds,
            [all, half] => Verdict::not_reproduced(format!(
                "our cores, which are another design, take fewer at {all} of 8 points, and with half the rowers at \
                 {half}. The schedule that Vivado HLS made for the printed ones is not published"
            )),
            _ => Verdict::no_figures(),
        },
    )
    .needing(NEEDS_HARDWARE),
    Claim::new(
        [
            "hardware-cycles",
            "Hardware Implementation Results",
            "On an FPGA, HBE takes fewer cycles than KBE",
            "5 to 19 % at eight points",
        ],
        &[
            "points where our HBE core takes fewer cycles, of 8",
            "points where it takes as many, of 8",
        ],
        |figures| match figures {
            [8.0, _] => Verdict::Holds,
            [fewer, same] if *fewer > 4.0 && fewer + same == 8.0 => Verdict::with_condition(format!(
                "the rows are many enough: our cores, another design, take fewer cycles at {fewer} of 8 points and as \
                 many at the other {same}, which have 10 to 12 moduli"
            )),
            [fewer, same] => Verdict::not_reproduced(format!(
                "our cores, which are another design, take fewer at {fewer} of 8 points, and as many at {same}"
            )),
            _ => Verdict::no_figures(),
        },
    )
    .needing(NEEDS_HARDWARE),
];
