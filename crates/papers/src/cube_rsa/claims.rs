//! The claims of the paper, and the verdicts that the figures give.

// Counts are whole numbers, which are exact.
#![allow(clippy::float_cmp)]

use super::distributed::{BESIDE_BINARY, IN_A_ROW, MESSAGE, PRODUCT};
use crate::claim::{Claim, Verdict};
use crate::figures::number;

/// The verdict on a speedup of Table 2, from the numbers of modular products in a row of the binary method and of CRSA:
/// times on another number of processors would show more about threads than about the methods. The recorded speed on
/// Ray goes into the reason only.
fn speedup(figures: &[f64], printed: f64) -> Verdict {
    let &[binary, crsa, on_ray] = figures else {
        return Verdict::no_figures();
    };
    let ratio = binary / crsa;
    if ratio >= printed / 2.0 {
        return Verdict::Holds;
    }
    Verdict::does_not_hold(
        format!(
            "{ratio:.3} times as fast by MulMods in a row, not {}",
            number(printed)
        ),
        format!(
            "on one arithmetic binary takes {binary:.1} and CRSA {crsa:.1}, so that no speed of messages gives this \
             factor: the printed difference is one between implementations. With the elements as processes of a \
             distributed engine it was {} times as fast as binary",
            number(on_ray)
        ),
    )
}

/// The verdict on the abstract's claim, from products in a row of the binary method and of CRSA, the messages that follow
/// each other, and the recorded times of a message and of a product.
fn less_time(figures: &[f64]) -> Verdict {
    let &[binary, crsa, messages, message, product] = figures else {
        return Verdict::no_figures();
    };
    let saved = binary - crsa;
    if saved <= 0.0 {
        return Verdict::does_not_hold(
            format!("{} more MulMods in a row than binary", number(-saved)),
            "nothing is saved even if messages take no time",
        );
    }
    let longest = saved / messages;
    if message <= longest * product {
        return Verdict::Holds;
    }
    Verdict::with_condition(format!(
        "there is one cube and a message to a neighbour takes at most {} of a MulMod: {} of {binary:.1} MulMods in a row \
         are saved, and {messages} messages follow each other. As actors of Ray, where a MulMod takes {} \u{b5}s, a \
         message takes {} \u{b5}s, {} times too long",
        number(longest),
        number(saved),
        number(product),
        number(message),
        number((message / (longest * product)).round()),
    ))
}

/// All claims.
pub static CLAIMS: [Claim; 14] = [
    Claim::new(
        [
            "less-time",
            "Abstract",
            "CRSA takes less time than the original RSA",
            "",
        ],
        &[
            "MulMods in a row of binary, mean",
            "MulMods in a row of CRSA, Nc = 1, mean",
            IN_A_ROW,
            MESSAGE,
            PRODUCT,
        ],
        less_time,
    ),
    Claim::new(
        [
            "exponent",
            "Section 4",
            "The cubes compute A^D B with D = 24 2^Nc - 12 Nc - 26",
            "10, 46, 130, 310, 682, 1438",
        ],
        &["numbers of cubes 1 to 6 with the exponents (D, 1)"],
        |figures| match figures {
            [6.0] => Verdict::Holds,
            [right] => Verdict::does_not_hold(
                format!("{} of 6 differ", 6.0 - right),
                "the reconstructed graph has other exponents",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "work",
            "Section 4",
            "The optimized form has 6 Nc elements, 10 Nc - 5 MulMods and 5 Nc - 1 in a row",
            "",
        ],
        &[
            "numbers of cubes 1 to 6 with this work",
            "MulMods in a row if elements do not wait, Nc = 2",
        ],
        |figures| match figures {
            [6.0, _] => Verdict::Holds,
            [right, _] => Verdict::does_not_hold(
                format!("{} of 6 differ", 6.0 - right),
                "the reconstructed graph has other numbers",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "left-out",
            "Section 3",
            "Four of 16 elements repeat others and can be left out",
            "12",
        ],
        &[
            "elements of the plain form, Nc = 2",
            "elements of the optimized form, Nc = 2",
        ],
        |figures| match figures {
            [16.0, 12.0] => Verdict::Holds,
            [plain, optimized] => Verdict::does_not_hold(
                format!("{optimized} of {plain} are left"),
                "others repeat as well",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "worst",
            "Table 1",
            "Optimized CRSA takes 2044 multiplications in the worst case, binary 2046",
            "2044",
        ],
        &["CRSA in a row, worst exponent", "of these for B"],
        |figures| match figures {
            [worst, _] if *worst <= 2044.0 => Verdict::Holds,
            [worst, for_b] if worst - for_b <= 2044.0 => Verdict::with_condition(format!(
                "the {for_b} products for B are not counted: with them it is {worst}, more than binary"
            )),
            [worst, _] => Verdict::does_not_hold(
                format!("{worst} for the worst exponent"),
                "all products were counted",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "average",
            "Section 4",
            "CRSA takes fewer multiplications than binary on average",
            "1.5 k - 1.5 log D + 5 Nc - 2.5",
        ],
        &[
            "CRSA minus binary in a row, mean",
            "standard error of this mean",
        ],
        |figures| match figures {
            [difference, error] if *difference < -2.0 * error => Verdict::Holds,
            [difference, error] if difference.abs() <= 2.0 * error => {
                Verdict::with_condition(format!(
                    "no difference shows: {} \u{b1} {} products",
                    number(*difference),
                    number(*error)
                ))
            }
            [difference, _] => Verdict::does_not_hold(
                format!("{} more", number(*difference)),
                "the products for B, which the paper leaves out, cost more than the cubes save",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "loop-of-e",
            "Table 1, Bielecki and Burak",
            "2 k^2 = 4.4942e307 for k = 1024",
            "4.4942e307",
        ],
        &[
            "log2 of the printed number",
            "log2 of 2 k^2",
            "log2 of 2^(k - 2)",
        ],
        |figures| match figures {
            [printed, formula, _] if (printed - formula).abs() < 0.5 => Verdict::Holds,
            [printed, _, power] if (printed - power).abs() < 0.5 => Verdict::misprint(format!(
                "2 k^2 cannot be meant: the number beside it is 2^{}, so it is 2^(k - 2), a loop of e products on four \
                 processors; the exponent may have been lost in the transcription",
                number(printed.round())
            )),
            [printed, formula, _] => Verdict::does_not_hold(
                format!(
                    "the number is 2^{}, the formula 2^{}",
                    number(*printed),
                    number(*formula)
                ),
                "it is not 2^(k - 2) either",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "squares",
            "Table 1, CRT and Montgomery",
            "CRT takes 787,456 multiplications and Montgomery 2,098,176",
            "3 k^2/4 + k and 2 k^2 + k",
        ],
        &["CRT in a row, mean", "Montgomery ladder, e = 2^1024 - 1"],
        |figures| match figures {
            [crt, ladder] if *crt > 7e5 && *ladder > 2e6 => Verdict::Holds,
            [crt, ladder] => Verdict::does_not_hold(
                format!(
                    "{} and {} times too many",
                    number((787_456.0 / crt).round()),
                    number((2_098_176.0 / ladder).round())
                ),
                "these are numbers of word or bit operations; numbers of modular products grow with k",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "throughput",
            "Section 2 and Figure 4 (a)",
            "Pipelining multiplies the throughput by Nc + 3",
            "5 for Nc = 2",
        ],
        &[
            "gain with one coordinator, Nc = 2",
            "gain with Nc + 3 coordinators, Nc = 2",
        ],
        |figures| match figures {
            [one, _] if *one >= 4.5 => Verdict::Holds,
            [one, several] => Verdict::does_not_hold(
                format!("the gain is {}", number(*one)),
                format!(
                    "the coordinator does nearly all the work; with its work shared by Nc + 3 coordinators \
                     the gain is {}, and then a chain without cubes has it, too",
                    number(*several)
                ),
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "equal-levels",
            "Section 2",
            "All levels of the pipeline take about the same time",
            "T1 = T2 = T3 = T4 = T5",
        ],
        &[
            "MulMods of the coordinator, Nc = 2",
            "most MulMods of another element, Nc = 2",
        ],
        |figures| match figures {
            [coordinator, element] if *coordinator <= 2.0 * element => Verdict::Holds,
            [coordinator, element] => Verdict::does_not_hold(
                format!("{} times", number((coordinator / element).round())),
                format!("the coordinator does {coordinator} MulMods, the others at most {element}"),
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "no-idle-element",
            "Sections 2 and 6",
            "With pipelining no element is idle",
            "",
        ],
        &["time that the elements of the cubes work in a stream, %"],
        |figures| match figures {
            [busy] if *busy > 90.0 => Verdict::Holds,
            [busy] => Verdict::does_not_hold(
                format!("they work {} % of the time", number(*busy)),
                "they wait for the coordinator",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "efficiency",
            "Section 3",
            "Leaving out elements raises the efficiency from S/(8 Nc) to S/(6 Nc)",
            "16/12 = 1.333",
        ],
        &["efficiency of optimized / plain, k = 1024"],
        |figures| match figures {
            [ratio] if (ratio - 4.0 / 3.0).abs() < 0.005 => Verdict::Holds,
            [ratio] if *ratio > 1.0 => Verdict::with_condition(format!(
                "the coordinator is not counted as an element: with it the ratio is {}",
                number(*ratio)
            )),
            [ratio] => Verdict::does_not_hold(
                format!("the ratio is {}", number(*ratio)),
                "the optimized form is slower",
            ),
            _ => Verdict::no_figures(),
        },
    ),
    Claim::new(
        [
            "faster-than-montgomery",
            "Table 2",
            "CRSA is 5.3 times as fast as Montgomery at 1024 bits",
            "26.1 ms and 4.9 ms",
        ],
        &[
            "MulMods in a row of binary, mean",
            "MulMods in a row of CRSA, Nc = 1, mean",
            BESIDE_BINARY,
        ],
        |figures| speedup(figures, 5.3),
    ),
    Claim::new(
        [
            "faster-than-binary",
            "Table 2",
            "CRSA is 63 times as fast as binary at 1024 bits",
            "309.7 ms and 4.9 ms",
        ],
        &[
            "MulMods in a row of binary, mean",
            "MulMods in a row of CRSA, Nc = 1, mean",
            BESIDE_BINARY,
        ],
        |figures| speedup(figures, 63.0),
    ),
];
