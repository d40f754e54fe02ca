//! The rows of Table 1 of "Cryptographic Primitives Optimization Based on the Concepts of the Residue
//! Number System and Finite Ring Neural Network": arithmetic with primes of 15 bits, at the paper's
//! nineteen sizes. `sunzi papers frnn` has them beside the paper's figures.

use std::error::Error;
use sunzi_papers::frnn::operations::Operands;
use sunzi_papers::frnn::printed::{Operation, TABLE_1};

use crate::report::Report;

/// The numbers of moduli `n` in the paper's table.
pub(crate) fn sizes() -> impl Iterator<Item = usize> {
    TABLE_1.iter().map(|row| row.n)
}

/// Measures all operations at one size.
pub(crate) fn measure(n: usize, report: &mut Report) -> Result<(), Box<dyn Error>> {
    let operands = Operands::new(n)?;
    let size = format!("n = {n}, {} bits", operands.bits());
    for operation in Operation::ALL {
        report.row(
            "table 1",
            operation.name(),
            &size,
            operands.in_residues(operation),
            Some(operands.in_integers(operation)),
        )?;
    }
    let [to_residues, from_residues] = operands.conversions();
    report.row("table 1", "to residues", &size, to_residues, None)?;
    report.row("table 1", "from residues", &size, from_residues, None)?;
    Ok(())
}
