//! The printed report.

use super::estimates::Comparison;
use super::formulas::Description;
use super::operations::Operations;
use super::parameters::Parameters;
use crate::io::output::Output;
use serde::Serialize;
use std::io;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) curve: String,
    #[serde(flatten)]
    pub(super) parameters: Parameters,
    pub(super) arithmetic: String,
    #[serde(flatten)]
    pub(super) steps: Steps,
    pub(super) scalar: String,
    pub(super) multiplication: Operations,
    pub(super) inversion: Operations,
    /// None at infinity.
    pub(super) result: Option<Vec<String>>,
    pub(super) estimates: Vec<Comparison>,
    #[serde(skip)]
    pub(super) formulas: Description,
}

/// A step of a multiplication, and how many it took.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Steps {
    /// Of doubling and adding.
    Additions {
        addition: Operations,
        additions: u64,
    },
    /// Of the ladder.
    Ladder { step: Operations, steps: u64 },
}

impl Steps {
    pub(super) fn new(is_ladder: bool, step: Operations, steps: u64) -> Self {
        if is_ladder {
            return Self::Ladder { step, steps };
        }
        Self::Additions {
            addition: step,
            additions: steps,
        }
    }

    fn get(&self) -> (Operations, u64) {
        match *self {
            Self::Additions {
                addition,
                additions,
            } => (addition, additions),
            Self::Ladder { step, steps } => (step, steps),
        }
    }
}

pub(super) fn print(output: &mut Output, report: &Report) -> io::Result<()> {
    let Report {
        parameters,
        formulas,
        ..
    } = report;
    output.line(format_args!("{}: {}", report.curve, parameters.equation))?;
    let base = formulas.coordinates.iter().zip(&parameters.base_point);
    let base = base.map(|(name, number)| (format!("{name}(G)"), number));
    let numbers = [("p", &parameters.p), ("a", &parameters.a)];
    let optional = [("b", &parameters.b), ("d", &parameters.d)];
    let optional = optional
        .into_iter()
        .filter_map(|(name, number)| Some((name, number.as_ref()?)));
    let all = numbers.into_iter().chain(optional);
    let all = all.map(|(name, number)| (name.to_owned(), number));
    for (name, number) in all.chain(base) {
        output.line(format_args!("  {name:<4} = {number}"))?;
    }
    output.line(format_args!("  n    = {}", parameters.order))?;
    output.line(format_args!("by {}", report.arithmetic))?;
    let Description {
        step,
        products,
        with_constants,
        constants,
        sums,
        ..
    } = formulas;
    let (operations, steps) = report.steps.get();
    output.line(format_args!(
        "  {step}: {products} products, {with_constants} of them with {constants}, and {sums} sums"
    ))?;
    output.line(format_args!("    {operations}"))?;
    output.line(format_args!("  k G for k = {}", report.scalar))?;
    output.line(format_args!("    {steps} {}", formulas.steps))?;
    output.line(format_args!("    {}", report.multiplication))?;
    output.line(format_args!(
        "  {}: {}",
        formulas.quotients, report.inversion
    ))?;
    match &report.result {
        Some(coordinates) => {
            for (name, number) in formulas.coordinates.iter().zip(coordinates) {
                output.line(format_args!("  {name}    = {number}"))?;
            }
        }
        None => output.line("  the point at infinity")?,
    }
    output.line("beside the papers' estimates, for l bits of p and n channels")?;
    for estimate in &report.estimates {
        output.line(format_args!("  {}", estimate.of))?;
        output.line(format_args!("    counted          {}", estimate.counted))?;
        output.line(format_args!(
            "    paper's estimate {} = {} ({})",
            estimate.estimate, estimate.formula, estimate.source
        ))?;
    }
    Ok(())
}
