//! Cases in which the equations as printed are wrong.

use super::literal::{Literal, equation_8};
use crate::integers::{big, boxed};
use crate::paper::{Counterexample, Demonstration};
use crate::random::Random;
use num_bigint::{BigInt, BigUint};
use sunzi_field::sum_of_residues::curves::{SECP256K1, SECP256R1};
use sunzi_field::sum_of_residues::{ExactReduction, PublishedReduction, SumOfResiduesError};
use sunzi_rns::Plain;

/// All counterexamples.
pub(super) static COUNTEREXAMPLES: [Counterexample; 6] = [
    Counterexample {
        name: "multiple-of-p",
        place: "equation (24)",
        statement: "Z = p comes out as p, not as 0: a test for zero fails. The exact form gives 0.",
        run: multiple_of_p,
    },
    Counterexample {
        name: "rank-above-the-limit",
        place: "equation (13)",
        statement: "Z = M - 1 is below M but above (1 - Delta) M: its rank is one too large.",
        run: rank_above_the_limit,
    },
    Counterexample {
        name: "factors-below-the-limit",
        place: "Algorithm 2, input",
        statement: "X = Y = (1 - Delta) M - 1 are allowed as printed; their product is far above M.",
        run: factors_below_the_limit,
    },
    Counterexample {
        name: "mersenne-by-equation-8",
        place: "equation (8), Table A1",
        statement: "With t = 0 for 2^66 - 1, equation (8) reduces modulo 2^66 - 2.",
        run: mersenne_by_equation_8,
    },
    Counterexample {
        name: "alpha-subtracted",
        place: "equations (14) and (17)",
        statement: "With -<alpha M>_p (14) or -alpha <M>_p (17) instead of <-alpha M>_p (16) results are \
            negative, or off by several p.",
        run: alpha_subtracted,
    },
    Counterexample {
        name: "p-256",
        place: "equation (22)",
        statement: "P-256 violates condition (22), so the published form is refused; the exact form works.",
        run: p_256,
    },
];

/// The precision T of the paper for secp256k1.
const T: u32 = 72;

/// A demonstration from steps that can fail: then it is not confirmed, and states the reason.
fn from_result(result: Result<Demonstration, SumOfResiduesError>) -> Demonstration {
    result.unwrap_or_else(|error| Demonstration {
        lines: vec![error.to_string()],
        confirmed: false,
    })
}

fn multiple_of_p() -> Demonstration {
    let run = || {
        let published = PublishedReduction::for_curve(&SECP256K1)?;
        let exact = ExactReduction::new(&SECP256K1.prime())?;
        let p = big(&SECP256K1.prime());
        let mut lines = vec![String::from("secp256k1, T = 72; results divided by p:")];
        let mut confirmed = true;
        for (name, z) in [("p", p.clone()), ("2 p", &p * 2u8), ("p^2", &p * &p)] {
            let z = boxed(&z);
            let wrong = big(&published.reduce(&Plain, &published.residues(&z)?).to_uint());
            let right = big(&exact.reduce(&Plain, &exact.residues(&z)?).to_uint());
            confirmed &= wrong == p && right == BigUint::ZERO;
            lines.push(format!(
                "Z = {name}: published {}, exact {}",
                &wrong / &p,
                &right / &p
            ));
        }
        Ok(Demonstration { lines, confirmed })
    };
    from_result(run())
}

fn rank_above_the_limit() -> Demonstration {
    let field = Literal::new(&SECP256K1, 8);
    let z = &field.range - 1u8;
    let sums = field.sums(&z);
    let estimated = field.rank(&sums, 8);
    Demonstration {
        lines: vec![format!(
            "Z = M - 1, q = 8: alpha by equation (13) is {estimated}, the right one {}",
            sums.alpha
        )],
        confirmed: estimated != sums.alpha,
    }
}

fn factors_below_the_limit() -> Demonstration {
    let field = Literal::new(&SECP256K1, 8);
    let x = field.limit() - 1u8;
    let z = &x * &x;
    let p = BigInt::from(field.p.clone());
    let found = field.reduce(&z, 8, T) % &p;
    let right = BigInt::from(&z % &field.p);
    Demonstration {
        lines: vec![
            format!("X = Y = 15M/16 - 1: the result modulo p is {found:#x}"),
            format!("X Y mod p is {right:#x}"),
        ],
        confirmed: found != right,
    }
}

fn mersenne_by_equation_8() -> Demonstration {
    let modulus = (BigUint::from(1u8) << 66) - 1u8;
    let b = BigUint::from(1u8) << 66;
    let found = equation_8(&b, 0, &modulus);
    Demonstration {
        lines: vec![format!(
            "B = 2^66 = 1 modulo 2^66 - 1: equation (8) with t = 0 gives {found}"
        )],
        confirmed: found != BigUint::from(1u8),
    }
}

fn alpha_subtracted() -> Demonstration {
    let field = Literal::new(&SECP256K1, 8);
    let p = BigInt::from(field.p.clone());
    let mut random = Random(14);
    let (mut lowest, mut farthest, mut negative) = (0.0f64, 0.0f64, 0);
    for _ in 0..200 {
        let z = random.below(&field.p) * random.below(&field.p);
        let right = BigInt::from(&z % &field.p);
        let in_p = |found: BigInt| {
            let hundredths: BigInt = (found - &right) * 100 / &p;
            hundredths.to_string().parse::<f64>().unwrap_or(f64::NAN) / 100.0
        };
        let by_14 = in_p(field.reduce_by_equation_14(&z, T));
        negative += u32::from(by_14 < 0.0);
        lowest = lowest.min(by_14);
        farthest = farthest.min(in_p(field.reduce_by_equation_17(&z, T)));
    }
    Demonstration {
        lines: vec![
            format!(
                "200 random products on secp256k1: by (14) {negative} results are too small, by up to {} p",
                -lowest
            ),
            format!("by (17) results are too small by up to {} p", -farthest),
        ],
        confirmed: negative > 100 && farthest < -1.0,
    }
}

fn p_256() -> Demonstration {
    let refused = PublishedReduction::new(&SECP256R1.prime(), T);
    let exact = ExactReduction::new(&SECP256R1.prime());
    let mut lines = Vec::new();
    if let Err(error) = &refused {
        lines.push(format!("published form: {error}"));
    }
    if exact.is_ok() {
        lines.push(String::from("exact form: accepted"));
    }
    Demonstration {
        confirmed: matches!(refused, Err(SumOfResiduesError::Condition22 { .. })) && exact.is_ok(),
        lines,
    }
}
