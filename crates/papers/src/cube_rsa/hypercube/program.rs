//! Straight-line programs of `MulMod`s: the work of a processing element.

use super::error::HypercubeError;
use crate::cube_rsa::arithmetic::MulMod;
use crypto_bigint::Choice;
use std::borrow::Cow;

/// A factor of a product.
///
/// Values are numbered: first the inputs of the program, then the results of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The residue 1.
    One,
    /// The value with this number.
    Value(usize),
    /// The value with number `value` if digit number `digit` of the exponent is 1, else the
    /// residue 1; selected in constant time.
    Digit {
        /// The number of the digit in the list of digits given to a run.
        digit: usize,
        /// The number of the value.
        value: usize,
    },
}

impl Operand {
    /// The number of the value that the operand refers to, if any.
    pub(crate) fn value(self) -> Option<usize> {
        match self {
            Self::One => None,
            Self::Value(value) | Self::Digit { value, .. } => Some(value),
        }
    }

    /// The same operand with its value renumbered.
    fn renumber(self, number: impl Fn(usize) -> usize) -> Self {
        match self {
            Self::One => Self::One,
            Self::Value(value) => Self::Value(number(value)),
            Self::Digit { digit, value } => Self::Digit {
                digit,
                value: number(value),
            },
        }
    }

    /// The residue that the operand stands for; `value` looks up a value by its number.
    ///
    /// Each digit is 0 or 1. Which values are looked up does not depend on the digits.
    pub(crate) fn resolve<'a, A: MulMod>(
        self,
        arithmetic: &A,
        digits: &[u8],
        value: impl Fn(usize) -> &'a A::Residue,
    ) -> Cow<'a, A::Residue> {
        match self {
            Self::One => Cow::Owned(arithmetic.one()),
            Self::Value(number) => Cow::Borrowed(value(number)),
            Self::Digit {
                digit,
                value: number,
            } => {
                let choice = Choice::from_u8_lsb(digits[digit]);
                Cow::Owned(arithmetic.select(&arithmetic.one(), value(number), choice))
            }
        }
    }
}

/// One `MulMod`: the product of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The first factor.
    pub left: Operand,
    /// The second factor.
    pub right: Operand,
}

impl Step {
    /// The two factors.
    pub(crate) fn operands(self) -> [Operand; 2] {
        [self.left, self.right]
    }
}

/// A sequence of `MulMod`s that computes output values from input values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    inputs: usize,
    steps: Vec<Step>,
    outputs: Vec<Operand>,
}

impl Program {
    /// A program without steps and outputs.
    pub(crate) fn new(inputs: usize) -> Self {
        Self {
            inputs,
            steps: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Appends the product of two earlier values as a step and returns the product's operand.
    pub(crate) fn multiply(&mut self, left: Operand, right: Operand) -> Operand {
        let value = self.inputs + self.steps.len();
        debug_assert!(
            [left, right]
                .into_iter()
                .filter_map(Operand::value)
                .all(|v| v < value)
        );
        self.steps.push(Step { left, right });
        Operand::Value(value)
    }

    /// The same program with these outputs.
    pub(crate) fn with_outputs(mut self, outputs: Vec<Operand>) -> Self {
        self.outputs = outputs;
        self
    }

    /// The number of input values.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The `MulMod`s, in order. Their number is the work of the program.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The output values.
    pub fn outputs(&self) -> &[Operand] {
        &self.outputs
    }

    /// Runs the program on one processor: the reference for every network made from it.
    ///
    /// # Errors
    /// [`HypercubeError::Inputs`] unless there are [`Program::inputs`] inputs,
    /// [`HypercubeError::Digits`] if there are fewer digits than an operand refers to.
    pub fn run<A: MulMod>(
        &self,
        arithmetic: &A,
        digits: &[u8],
        inputs: &[A::Residue],
    ) -> Result<Vec<A::Residue>, HypercubeError> {
        if inputs.len() != self.inputs {
            return Err(HypercubeError::Inputs {
                given: inputs.len(),
                needed: self.inputs,
            });
        }
        let factors = self.steps.iter().flat_map(|step| step.operands());
        check_digits(factors.chain(self.outputs.iter().copied()), digits)?;
        let mut values = inputs.to_vec();
        for step in &self.steps {
            let [left, right] = step
                .operands()
                .map(|operand| operand.resolve(arithmetic, digits, |number| &values[number]));
            let product = arithmetic.mul_mod(&left, &right);
            values.push(product);
        }
        let result = |operand: &Operand| {
            operand
                .resolve(arithmetic, digits, |number| &values[number])
                .into_owned()
        };
        Ok(self.outputs.iter().map(result).collect())
    }

    /// Cuts the program of `W` steps into `stages` programs that run one after another, each of
    /// `floor(W / stages)` or `ceil(W / stages)` steps. The inputs of a stage are the outputs of
    /// the one before it: the values that later steps need.
    ///
    /// # Errors
    /// [`HypercubeError::Stages`] unless `1 <= stages <= max(1, W)`.
    pub fn cut(&self, stages: usize) -> Result<Vec<Self>, HypercubeError> {
        let work = self.steps.len();
        if stages == 0 || stages > work.max(1) {
            return Err(HypercubeError::Stages { stages, work });
        }
        // last[v] is the last step that uses value v; outputs count as used after all steps.
        let mut last = vec![None; self.inputs + work];
        for (number, step) in self.steps.iter().enumerate() {
            for value in step.operands().into_iter().filter_map(Operand::value) {
                last[value] = Some(number);
            }
        }
        for value in self.outputs.iter().copied().filter_map(Operand::value) {
            last[value] = Some(work);
        }
        let bound = |stage: usize| stage * work / stages;
        // The numbers of the values computed before step `start` and used from there on.
        let live = |start: usize| -> Vec<usize> {
            if start == 0 {
                return (0..self.inputs).collect();
            }
            (0..self.inputs + start)
                .filter(|&value| last[value] >= Some(start))
                .collect()
        };
        let stage = |index: usize| {
            let (start, end) = (bound(index), bound(index + 1));
            let inputs = live(start);
            let renumber = |value: usize| {
                let first_result = self.inputs + start;
                if value >= first_result {
                    inputs.len() + value - first_result
                } else {
                    inputs.partition_point(|&input| input < value)
                }
            };
            let steps = self.steps[start..end].iter().map(|step| Step {
                left: step.left.renumber(renumber),
                right: step.right.renumber(renumber),
            });
            let outputs = if index + 1 == stages {
                self.outputs.iter().map(|o| o.renumber(renumber)).collect()
            } else {
                let live = live(end).into_iter();
                live.map(|value| Operand::Value(renumber(value))).collect()
            };
            Self {
                inputs: inputs.len(),
                steps: steps.collect(),
                outputs,
            }
        };
        Ok((0..stages).map(stage).collect())
    }
}

/// Refuses fewer digits than the operands refer to.
pub(crate) fn check_digits(
    operands: impl Iterator<Item = Operand>,
    digits: &[u8],
) -> Result<(), HypercubeError> {
    let needed = operands.map(|operand| match operand {
        Operand::Digit { digit, .. } => digit + 1,
        Operand::One | Operand::Value(_) => 0,
    });
    let needed = needed.max().unwrap_or(0);
    if needed <= digits.len() {
        return Ok(());
    }
    Err(HypercubeError::Digits {
        given: digits.len(),
        needed,
    })
}
