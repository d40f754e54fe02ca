//! The rows of Table 1 of A. Tchernykh, M. Babenko et al., "Cryptographic Primitives
//! Optimization Based on the Concepts of the Residue Number System and Finite Ring Neural
//! Network" (2021): arithmetic with the primes 32749, 32719, ... of 15 bits, at the paper's
//! nineteen sizes `n`.
//!
//! The paper's RNS columns show 8 to 10 us for 10^6 operations at every `n`. No processor is so
//! fast, so these cannot be the times of the operations. Here all results are used, `X Y < M`, both
//! sides run on one thread, and the conversions, which the paper leaves out, have rows of their
//! own.

use crypto_bigint::{BoxedUint, Resize};
use std::collections::BTreeSet;
use std::error::Error;
use std::hint::black_box;
use sunzi_rns::division::euclid::EuclideanDivision;
use sunzi_rns::division::scaling::Scaling;
use sunzi_rns::order::sign::Sign;
use sunzi_rns::{Base, Residues};

use crate::measure::Operation;
use crate::numbers::Random;
use crate::peer::{self, Task};
use crate::report::Report;

/// The numbers of moduli `n` in the paper's table.
pub(crate) const SIZES: [usize; 19] = [
    15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165, 180, 195, 210, 225, 240, 255, 270, 285,
];

/// Measures all operations at one size.
pub(crate) fn measure(n: usize, report: &mut Report) -> Result<(), Box<dyn Error>> {
    let base = Base::descending_primes(15, n, &BTreeSet::new())?;
    let bits = base.product().bits_vartime();
    let mut random = Random::new(n as u64);
    // Operands with X >= Y, for the subtraction, and X Y < M.
    let x = random.bits(bits / 2);
    let y = random.bits(bits / 2 - 1);
    // The dividend is nearly as large as the range allows, and the divisor y has half its size.
    let dividend = random.bits(bits - 1);
    let first = BoxedUint::from(base.moduli()[0].value());
    let unused = BoxedUint::one();

    let [rx, ry, rd] = [&x, &y, &dividend].map(|x| Residues::reduced(&base, x));
    let scaling = Scaling::new(&base, &[0])?;
    let euclid = EuclideanDivision::new(&base);
    euclid.div_rem_vartime(&rd, &ry)?;
    let sign = Sign::new(&base);
    let wide = dividend
        .clone()
        .resize_unchecked(base.product().bits_precision());

    let rows: [(&str, Operation<'_>, Option<Operation<'_>>); 8] = [
        (
            "addition",
            Box::new(|| consume(black_box(&rx) + black_box(&ry))),
            peer::operation(Task::Add, [&x, &y, &unused]),
        ),
        (
            "subtraction",
            Box::new(|| consume(black_box(&rx) - black_box(&ry))),
            peer::operation(Task::Sub, [&x, &y, &unused]),
        ),
        (
            "multiplication",
            Box::new(|| consume(black_box(&rx) * black_box(&ry))),
            peer::operation(Task::Mul, [&x, &y, &unused]),
        ),
        (
            "division by constant",
            Box::new(|| consume(scaling.div_rem(black_box(&rd)))),
            peer::operation(Task::Div, [&dividend, &first, &unused]),
        ),
        (
            "Euclidean division",
            Box::new(|| consume(euclid.div_rem_vartime(black_box(&rd), black_box(&ry)))),
            peer::operation(Task::DivRem, [&dividend, &y, &unused]),
        ),
        (
            "sign detection",
            Box::new(|| consume(sign.is_negative(black_box(&rd)))),
            peer::operation(Task::Sign, [&dividend, &y, &unused]),
        ),
        (
            "to residues",
            Box::new(|| consume(Residues::reduced(&base, black_box(&wide)))),
            None,
        ),
        (
            "from residues",
            Box::new(|| consume(black_box(&rd).to_uint())),
            None,
        ),
    ];
    for (operation, ours, theirs) in rows {
        report.row(
            "table 1",
            operation,
            &format!("n = {n}, {bits} bits"),
            ours,
            theirs,
        )?;
    }
    Ok(())
}

/// Uses a result, so that the compiler does not remove its computation.
fn consume<T>(value: T) {
    black_box(value);
}
