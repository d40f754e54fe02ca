//! Cases in which the paper as printed is wrong or incomplete.

use super::literal::{Prime, SmallResidues, TABLE_I, Update, moduli_of_the_paper, wrong_multiples};
use crate::integers::boxed;
use crate::paper::{Counterexample, Demonstration};
use num_bigint::BigUint;
use sunzi_field::InversionError;
use sunzi_field::inversion::{self, BinaryTernaryInversion};
use sunzi_rns::Plain;

/// All counterexamples.
pub(super) static COUNTEREXAMPLES: [Counterexample; 5] = [
    Counterexample {
        name: "update3-4",
        place: "Section IV.D, update3_4",
        statement: "For P = 1 mod 4 and |X|_4 = 2 the printed update adds -2P where the division adds \
            f_4(2) P = +2P. Nearly every inverse is wrong; modulo P = 3 mod 4 none is.",
        run: update3_4,
    },
    Counterexample {
        name: "five-bits",
        place: "Section IV.C, t",
        statement: "With t = 5 the Cox is wrong for an operand modulo P-521, although random operands \
            pass: w = 24, 22 moduli, the offset 1/2 is there.",
        run: five_bits,
    },
    Counterexample {
        name: "no-offset",
        place: "Section IV.C, q",
        statement: "Without the offset 1/2, which the paper does not mention, the Cox with t = 6 is wrong.",
        run: no_offset,
    },
    Counterexample {
        name: "table-i",
        place: "Table I, f_4",
        statement: "f_4 depends on |X|_4, not on |X|_6, and needs P = 1 mod 12, not |P|_6 = 1.",
        run: table_i,
    },
    Counterexample {
        name: "never-ends",
        place: "Algorithm 1, line 4",
        statement: "For A = 0 and for gcd(A, P) > 1 the loop never ends: it must be bounded. Here it is, and \
            returns an error.",
        run: never_ends,
    },
];

/// The operand for which t = 5 fails, in hexadecimal.
const OPERAND: &str = "45caf7310f3673d0031ad15e65859f5e3c31829202800e317376bdb79a48f69bb6e0804fb\
    46a9dfa0bc3fa17125174e3d3478e08d6d161d1e61c7d93ab32e0d1e";

/// The operand for which t = 5 fails.
pub(super) fn operand() -> BigUint {
    BigUint::parse_bytes(OPERAND.as_bytes(), 16).unwrap_or_default()
}

/// `2^521 - 1`.
pub(super) fn p_521() -> BigUint {
    (BigUint::from(1u8) << 521) - 1u8
}

/// The residues modulo 4 and 3 of numbers modulo P-521 in 22 moduli of 24 bits.
pub(super) fn residues_of_p_521() -> SmallResidues {
    SmallResidues::new(&moduli_of_the_paper(24, 22), 24, &p_521())
}

/// The primes `2^255 - 19`, P-224 and P-256.
pub(super) fn primes() -> [(&'static str, BigUint); 3] {
    let two_to = |exponent: u32| BigUint::from(1u8) << exponent;
    [
        ("2^255 - 19", two_to(255) - 19u8),
        ("P-224", two_to(224) - two_to(96) + 1u8),
        (
            "P-256",
            two_to(256) - two_to(224) + two_to(192) + two_to(96) - 1u8,
        ),
    ]
}

/// The number of `A` from 1 to 1022 whose inverse is wrong, and the first.
pub(super) fn wrong_inverses(p: &BigUint, update: Update) -> (usize, Option<u64>) {
    let prime = Prime::new(p);
    let wrong: Vec<u64> = (1..=1022).filter(|&a| !prime.inverts(a, update)).collect();
    (wrong.len(), wrong.first().copied())
}

fn update3_4() -> Demonstration {
    let mut confirmed = true;
    let mut line = |(name, p): (&str, BigUint)| {
        let (printed, first) = wrong_inverses(&p, Update::Printed);
        let (corrected, _) = wrong_inverses(&p, Update::Corrected);
        let one_mod_four = &p % 4u8 == BigUint::from(1u8);
        confirmed &= corrected == 0 && (printed > 0) == one_mod_four;
        let first = first.map_or_else(String::new, |a| format!(", the first for A = {a}"));
        let class = if one_mod_four { 1 } else { 3 };
        format!(
            "P = {name} = {class} mod 4, A = 1 to 1022: {printed} wrong as printed{first}; {corrected} corrected"
        )
    };
    let lines = primes().into_iter().map(&mut line).collect();
    Demonstration { lines, confirmed }
}

fn five_bits() -> Demonstration {
    let a = operand();
    let residues = residues_of_p_521();
    let truth = [4u32, 3].map(|k| (&a % k).iter_u32_digits().next().unwrap_or(0));
    let [five, six] = [5, 6].map(|t| residues.of(&a, t, true));
    Demonstration {
        lines: vec![
            format!("A = {a:#x}"),
            format!("A mod 4 and 3: {truth:?}; with t = 5: {five:?}; with t = 6: {six:?}"),
        ],
        confirmed: five != truth && six == truth,
    }
}

fn no_offset() -> Demonstration {
    let a = operand();
    let residues = residues_of_p_521();
    let truth = [4u32, 3].map(|k| (&a % k).iter_u32_digits().next().unwrap_or(0));
    let [with, without] = [true, false].map(|half| residues.of(&a, 6, half));
    Demonstration {
        lines: vec![
            format!("A = {a:#x}"),
            format!(
                "A mod 4 and 3: {truth:?}; t = 6, from 1/2 on: {with:?}; from 0 on: {without:?}"
            ),
        ],
        confirmed: with == truth && without != truth,
    }
}

fn table_i() -> Demonstration {
    let by_six = wrong_multiples(TABLE_I[2], 13, 6);
    let by_four = wrong_multiples(TABLE_I[2], 13, 4);
    let seven = wrong_multiples(TABLE_I[2], 7, 4);
    Demonstration {
        lines: vec![
            format!(
                "X = 0 to 11, P = 13 = 1 mod 12: f_4 at |X|_6 is wrong for {by_six}, at |X|_4 for {by_four}"
            ),
            String::from("the first: X = 6 = 0 mod 6 has f_4 = 0, but 6 is no multiple of 4"),
            format!("P = 7 = 1 mod 6: f_4 at |X|_4 is wrong for {seven}"),
        ],
        confirmed: by_six > 0 && by_four == 0 && seven > 0,
    }
}

fn never_ends() -> Demonstration {
    let p = BigUint::from(3_233_000_000_027u64 * 5);
    let found = inversion::base(&boxed(&p), 31)
        .and_then(|base| BinaryTernaryInversion::new(&base, &boxed(&p)))
        .map(|inversion| {
            [0u64, 5, 35].map(|a| inversion.invert_uint_vartime(&Plain, &a.into()).err())
        });
    match found {
        Ok(errors) => Demonstration {
            lines: vec![
                format!("P = {p}, a multiple of 5; A = 0, 5, 35:"),
                errors
                    .iter()
                    .flatten()
                    .map(ToString::to_string)
                    .next()
                    .unwrap_or_default(),
            ],
            confirmed: errors
                .iter()
                .all(|error| *error == Some(InversionError::NotInvertible)),
        },
        Err(error) => Demonstration {
            lines: vec![error.to_string()],
            confirmed: false,
        },
    }
}
