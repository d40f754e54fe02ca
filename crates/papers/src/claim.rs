//! Claims of a paper, and the verdicts that the code derives from figures.

use crate::figures::Figures;
use serde::Serialize;
use std::fmt;

/// A statement of a paper that can be checked.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The name, which is unique in the paper.
    pub name: &'static str,
    /// Where the paper says it: a section, an equation, a table or a figure.
    pub place: &'static str,
    /// What the paper says.
    pub statement: &'static str,
    /// The figure as printed; empty if the claim has none.
    pub printed: &'static str,
    /// The names of the figures that decide.
    pub figures: &'static [&'static str],
    /// The verdict from the values of these figures, in this order.
    judge: fn(&[f64]) -> Verdict,
    /// What is needed to get these figures, if an ordinary run does not measure them.
    needs: Option<&'static str>,
}

impl Claim {
    /// A claim that is decided by `judge` from the values of `figures`, which it gets in this order.
    pub const fn new(
        [name, place, statement, printed]: [&'static str; 4],
        figures: &'static [&'static str],
        judge: fn(&[f64]) -> Verdict,
    ) -> Self {
        Self {
            name,
            place,
            statement,
            printed,
            figures,
            judge,
            needs: None,
        }
    }

    /// The same claim, whose figures need more than an ordinary run: a sentence that says what.
    #[must_use]
    pub const fn needing(mut self, needs: &'static str) -> Self {
        self.needs = Some(needs);
        self
    }

    /// What is needed to get the figures, if an ordinary run does not measure them.
    pub fn needs(&self) -> Option<&'static str> {
        self.needs
    }

    /// The verdict from these figures. If one is missing, the claim cannot be checked.
    pub fn verdict(&self, figures: &Figures) -> Verdict {
        let values: Vec<Option<f64>> = (self.figures.iter())
            .map(|name| figures.value(name))
            .collect();
        if let Some(values) = values.iter().copied().collect::<Option<Vec<f64>>>() {
            return self.judge(&values);
        }
        let missing = self.figures.iter().zip(values);
        let missing: Vec<&str> = missing
            .filter_map(|(name, value)| value.is_none().then_some(*name))
            .collect();
        let why = self.needs.map_or_else(
            || format!("not measured: {}", missing.join(", ")),
            String::from,
        );
        Verdict::CannotBeCheckedHere { why }
    }

    /// The verdict from the values of [`Claim::figures`], in their order.
    pub fn judge(&self, values: &[f64]) -> Verdict {
        (self.judge)(values)
    }
}

/// The result of checking a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// The figures are those of the paper.
    Holds,
    /// The figures are those of the paper under a condition that it does not state.
    HoldsWithCondition {
        /// The condition.
        condition: String,
    },
    /// The figures contradict the paper.
    DoesNotHold {
        /// By how much they differ.
        by: String,
        /// The reason.
        why: String,
    },
    /// The figures cannot be measured here.
    CannotBeCheckedHere {
        /// The reason.
        why: String,
    },
}

/// The kind of a [`Verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// [`Verdict::Holds`]
    Holds,
    /// [`Verdict::HoldsWithCondition`]
    HoldsWithCondition,
    /// [`Verdict::DoesNotHold`]
    DoesNotHold,
    /// [`Verdict::CannotBeCheckedHere`]
    CannotBeCheckedHere,
}

impl Kind {
    /// All kinds, in the order of the summary.
    pub const ALL: [Self; 4] = [
        Self::Holds,
        Self::HoldsWithCondition,
        Self::DoesNotHold,
        Self::CannotBeCheckedHere,
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::HoldsWithCondition => "holds with a condition",
            Self::DoesNotHold => "does not hold",
            Self::CannotBeCheckedHere => "cannot be checked here",
        })
    }
}

impl Verdict {
    /// [`Verdict::HoldsWithCondition`] with this condition.
    pub fn with_condition(condition: impl Into<String>) -> Self {
        Self::HoldsWithCondition {
            condition: condition.into(),
        }
    }

    /// [`Verdict::DoesNotHold`] by this much, for this reason.
    pub fn does_not_hold(by: impl Into<String>, why: impl Into<String>) -> Self {
        Self::DoesNotHold {
            by: by.into(),
            why: why.into(),
        }
    }

    /// The verdict of a `judge` that is called with a wrong number of values.
    pub fn no_figures() -> Self {
        Self::CannotBeCheckedHere {
            why: String::from("the figures are missing"),
        }
    }

    /// The kind of verdict.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Holds => Kind::Holds,
            Self::HoldsWithCondition { .. } => Kind::HoldsWithCondition,
            Self::DoesNotHold { .. } => Kind::DoesNotHold,
            Self::CannotBeCheckedHere { .. } => Kind::CannotBeCheckedHere,
        }
    }

    /// The condition, or the difference with its reason; empty if the claim simply holds.
    pub fn explanation(&self) -> String {
        match self {
            Self::Holds => String::new(),
            Self::HoldsWithCondition { condition } => condition.clone(),
            Self::DoesNotHold { by, why } => format!("{by}; {why}"),
            Self::CannotBeCheckedHere { why } => why.clone(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let explanation = self.explanation();
        if explanation.is_empty() {
            write!(f, "{}", self.kind())
        } else {
            write!(f, "{}: {explanation}", self.kind())
        }
    }
}
