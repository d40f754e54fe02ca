//! Modular products and inverses of 256 bits, modulo the prime of secp256k1.
//!
//! The products are those of Montgomery with Kawamura's (KBE) and hierarchical (HBE) base
//! extensions, and of the sum of residues (SOR), in published and in exact form; the inverses are
//! those of all algorithms. GMP's product is a multiplication and a division of integers.

use std::error::Error;
use std::hint::black_box;
use std::io;
use sunzi_field::inversion::{self, BinaryInversion, BinaryTernaryInversion};
use sunzi_field::montgomery::{Montgomery, bases};
use sunzi_field::sum_of_residues::{ExactReduction, PublishedReduction, curves::SECP256K1};
use sunzi_papers::integers::{self, Task};
use sunzi_papers::random::Random;
use sunzi_rns::{BaseExtension, Plain, Residues};

use crate::report::Report;

/// Measures all products and inverses.
pub(crate) fn measure(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let p = SECP256K1.prime();
    // Twelve moduli of 24 bits in each base, which allows rows of 1, 2, 3 and 4; and as few moduli
    // of 62 bits as are enough.
    for (width, columns) in [(24, 12), (62, 1)] {
        let (a, b) = bases(&p, width, columns)?;
        let at = format!("w = {width}, n = {}", a.len());
        montgomery(
            &Montgomery::kawamura(&p, &a, &b)?,
            "product, KBE",
            &at,
            report,
        )?;
        for c in (2..=4).filter(|c| a.len().is_multiple_of(*c)) {
            let field = Montgomery::hierarchical(&p, &a, &b, c)?;
            montgomery(&field, &format!("product, HBE c = {c}"), &at, report)?;
        }
    }
    sum_of_residues(report)?;
    inverses(report)
}

fn montgomery<E: BaseExtension>(
    field: &Montgomery<E>,
    what: &str,
    at: &str,
    report: &mut Report,
) -> io::Result<()> {
    let p = field.modulus();
    let mut random = Random(1);
    let (x, y) = (random.of_bits(255), random.of_bits(255));
    let [ex, ey] = [&x, &y].map(|x| field.element(&Plain, x));
    let ours = Box::new(|| {
        black_box(field.mul(&Plain, black_box(&ex), black_box(&ey)));
    });
    report.row(
        "256 bits",
        what,
        at,
        ours,
        Some(integers::operation(Task::MulMod, [&x, &y, p])),
    )
}

fn sum_of_residues(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let published = PublishedReduction::for_curve(&SECP256K1)?;
    let exact = ExactReduction::new(&SECP256K1.prime())?;
    let mut random = Random(2);
    let (x, y) = (random.of_bits(255), random.of_bits(255));
    let (rx, ry) = (exact.residues(&x)?, exact.residues(&y)?);
    let theirs = || Some(integers::operation(Task::MulMod, [&x, &y, exact.prime()]));
    let at = "w = 66, n = 8";
    let ours = Box::new(|| {
        black_box(published.mul(&Plain, black_box(&rx), black_box(&ry)));
    });
    report.row("256 bits", "product, SOR as published", at, ours, theirs())?;
    let ours = Box::new(|| {
        black_box(exact.mul(&Plain, black_box(&rx), black_box(&ry)));
    });
    report.row("256 bits", "product, SOR exact", at, ours, theirs())?;
    Ok(())
}

fn inverses(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let p = SECP256K1.prime();
    let x = Random(3).of_bits(255);
    let theirs = || Some(integers::operation(Task::Invert, [&x, &x, &p]));
    let (a, b) = bases(&p, 62, 1)?;
    let field = Montgomery::kawamura(&p, &a, &b)?;
    let element = field.element(&Plain, &x);
    field.invert(&Plain, &element)?;
    let ours = Box::new(|| {
        let _ = black_box(field.invert(&Plain, black_box(&element)));
    });
    let at = format!("w = 62, n = {}", a.len());
    report.row(
        "256 bits",
        "inverse, FLT (constant time)",
        &at,
        ours,
        theirs(),
    )?;
    for width in [31, 62] {
        let base = inversion::base(&p, width)?;
        let at = format!("w = {width}, n = {}", base.len());
        let residues = Residues::from_uint(&base, &x)?;
        let bmi = BinaryInversion::new(&base, &p)?;
        bmi.invert_vartime(&Plain, &residues)?;
        let ours = Box::new(|| {
            let _ = black_box(bmi.invert_vartime(&Plain, black_box(&residues)));
        });
        report.row("256 bits", "inverse, BMI", &at, ours, theirs())?;
        let btmi = BinaryTernaryInversion::new(&base, &p)?;
        btmi.invert_vartime(&Plain, &residues)?;
        let ours = Box::new(|| {
            let _ = black_box(btmi.invert_vartime(&Plain, black_box(&residues)));
        });
        report.row("256 bits", "inverse, BTMI", &at, ours, theirs())?;
    }
    Ok(())
}
