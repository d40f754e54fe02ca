//! Cases in which the paper as printed is wrong.

use super::literal::{
    Rounding, TinyCharacteristic, descending_coprimes, factor_of_mersenne, least_precision,
    proved_precision, scaled, sizes,
};
use super::printed::TABLE_1;
use crate::paper::{Counterexample, Demonstration};
use num_bigint::BigUint;

/// All counterexamples.
pub(super) static COUNTEREXAMPLES: [Counterexample; 5] = [
    Counterexample {
        name: "shifted-characteristic",
        place: "Algorithm 1",
        statement: "With F(Y) shifted instead of Y doubled, Algorithm 1 with twice the digits fails on \
            exact multiples. F is the usual one: its formula is missing in the text.",
        run: shifted_characteristic,
    },
    Counterexample {
        name: "mixed-indices",
        place: "equation (3)",
        statement: "The second entry of equation (3) has x_1 where x_2 belongs: a misprint.",
        run: mixed_indices,
    },
    Counterexample {
        name: "not-twice-the-digits",
        place: "Section 2.2",
        statement: "F increases with far fewer digits than twice those of the range. F is the usual one: its \
            formula is missing in the text.",
        run: not_twice_the_digits,
    },
    Counterexample {
        name: "consecutive-coprimes",
        place: "Section 5",
        statement: "Consecutive coprime numbers from 32,749 down do not have the printed sizes L; \
            consecutive primes do.",
        run: consecutive_coprimes,
    },
    Counterexample {
        name: "composite-q",
        place: "Section 5",
        statement: "q = 2^511 - 1 is not a prime number.",
        run: composite_q,
    },
];

fn shifted_characteristic() -> Demonstration {
    let mut lines = vec![String::from(
        "moduli {3, 5, 7}, P = 105, L = 7, N = 2 L = 14, all X < P and 1 <= Y < P",
    )];
    let mut confirmed = true;
    for (rounding, name) in [(Rounding::Floor, "down"), (Rounding::Ceiling, "up")] {
        let f = TinyCharacteristic::new(&[3, 5, 7], 14, rounding);
        let (wrong, first) = f.wrong_quotients();
        confirmed &= wrong > 0;
        if let Some((x, y)) = first {
            lines.push(format!(
                "coefficients rounded {name}: {wrong} of 10920 quotients are wrong, the first {x}/{y} = {} \
                 (right: {})",
                f.quotient(x, y),
                x / y
            ));
        }
    }
    Demonstration { lines, confirmed }
}

fn mixed_indices() -> Demonstration {
    let moduli = [3u64, 5, 7];
    let x = BigUint::from(50u8);
    let [printed, right] = [true, false].map(|printed| scaled(&moduli, &x, 2, printed));
    Demonstration {
        lines: vec![
            String::from(
                "moduli (3, 5, 7), X = 50 = (2, 0, 1), divided by 7: the quotient is 7 = (1, 2)",
            ),
            format!("equation (3) as printed: {printed:?}"),
            format!("with x_j in channel j: {right:?}"),
        ],
        confirmed: printed != right && right == [1, 2],
    }
}

fn not_twice_the_digits() -> Demonstration {
    let sets: [&[u64]; 3] = [&[3, 5, 7], &[7, 11, 13], &[3, 5, 7, 11, 13]];
    let mut confirmed = true;
    let mut line = |moduli: &&[u64]| {
        let size = moduli.iter().product::<u64>().ilog2() + 1;
        let proved = proved_precision(moduli);
        let [down, up] = [Rounding::Floor, Rounding::Ceiling].map(|r| least_precision(moduli, r));
        confirmed &= down <= proved && up <= proved && proved < 2 * size;
        format!(
            "{moduli:?}: F increases on the whole range from N = {down} on (rounded down), {up} (up); \
             proved: {proved}; twice the digits: {}",
            2 * size
        )
    };
    let lines = sets.iter().map(&mut line).collect();
    Demonstration { lines, confirmed }
}

fn consecutive_coprimes() -> Demonstration {
    let coprimes = descending_coprimes(285);
    let sizes = sizes(&coprimes);
    let differs = |row: &&super::printed::Row| sizes[row.n - 1] != u64::from(row.bits);
    let first = TABLE_1.iter().find(differs);
    let line = first.map(|row| {
        format!(
            "n = {}: printed L = {}, of coprimes {}",
            row.n,
            row.bits,
            sizes[row.n - 1]
        )
    });
    Demonstration {
        confirmed: line.is_some() && coprimes[284] != 29_789,
        lines: [format!(
            "{}, {}, {}, ..., {}",
            coprimes[0], coprimes[1], coprimes[2], coprimes[284]
        )]
        .into_iter()
        .chain(line)
        .collect(),
    }
}

fn composite_q() -> Demonstration {
    let factor = factor_of_mersenne(511);
    Demonstration {
        lines: vec![match factor {
            Some(factor) => format!("2^511 = 1 modulo {factor}, so {factor} divides 2^511 - 1"),
            None => String::from("no factor below 2^16"),
        }],
        confirmed: factor.is_some(),
    }
}
