//! Claims of a paper, the verdicts that the code derives from figures, and the rules for this.

use crate::figures::Figures;
use serde::Serialize;
use std::fmt;

/// A statement of a paper that can be checked.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The name, which is unique in the paper.
    pub name: &'static str,
    /// The place of the statement in the paper: a section, an equation, a table or a figure.
    pub place: &'static str,
    /// The statement of the paper.
    pub statement: &'static str,
    /// The figure as printed; empty if the claim has none.
    pub printed: &'static str,
    /// The names of the figures that decide.
    pub figures: &'static [&'static str],
    /// The verdict from the values of these figures, in this order.
    judge: fn(&[f64]) -> Verdict,
    /// The requirement for getting these figures, if an ordinary run does not measure them.
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

    /// The same claim, whose figures need more than an ordinary run: `needs` is a sentence that says what.
    #[must_use]
    pub const fn needing(mut self, needs: &'static str) -> Self {
        self.needs = Some(needs);
        self
    }

    /// The requirement for getting the figures, if an ordinary run does not measure them.
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

/// A rule by which verdicts are given, the same for every claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The subject of the rule.
    pub about: &'static str,
    /// The rule.
    pub text: &'static str,
}

/// The rules of the verdicts, which the report prints.
pub const RULES: [Rule; 5] = [
    Rule {
        about: "misprints",
        text: "A text is a misprint if it cannot be meant, since another place of the paper, a definition that it \
            cites or its own figures contradict it, if there is one plain reading (another index, sign, \
            exponent, digit or word), and if what was meant then holds. The number of results that are wrong \
            as printed does not matter. What the paper itself computes with is meant. What it leaves out is \
            a condition, no misprint. Marks between digits and the spelling of names do not count. The texts \
            were transcribed: a misprint may be one of the transcription.",
    },
    Rule {
        about: "rows of tables",
        text: "A claim about several rows of a table or points of a figure holds if every row is within the \
            tolerance. If at least four of five rows are, it holds with a condition that names the others, \
            or is a misprint if each of the others is one. If fewer are, it does not hold. \"Most\" is more \
            than half of the rows, \"up to\" the best row.",
    },
    Rule {
        about: "tolerances",
        text: "A number that follows from other printed numbers: what the digits of all of them allow, 0.5 ns of a \
            latency, 0.5 of a percentage, a unit of the last digit of a ratio. A mean: 2.5 %. A clock period, \
            which changes with each placement: 10 %. A speedup: half of the least one that is printed.",
    },
    Rule {
        about: "what is not here",
        text: "Figures of a device, a compiler or a design that is not here can be confirmed by ours, but not \
            refuted: if ours differ, the claim is not reproduced here, unless no device could have them. \
            What is said of a method is decided by counts of operations, which are the same everywhere. A claim is not reproduced here either if \
            the text that was read lacks a formula or a drawing that it rests on.",
    },
    Rule {
        about: "what was left out",
        text: "If a claim holds only under a condition that the place quoted does not state, it holds with a \
            condition, also where the paper has that condition at another place.",
    },
];

/// Whether at least four of five rows agree, which the rule of rows asks for.
pub fn most_rows(agree: f64, rows: f64) -> bool {
    5.0 * agree >= 4.0 * rows
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
    /// The text cannot be meant as printed; the intended statement holds.
    Misprint {
        /// The printed and the intended statement.
        meant: String,
    },
    /// The figures of another device, compiler or design, or of a part that the text does not give, were not found
    /// again. That refutes nothing.
    NotReproducedHere {
        /// The missing part, and the figures found instead.
        why: String,
    },
    /// The figures contradict the paper.
    DoesNotHold {
        /// The difference.
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

/// The kind of a [`Verdict`], in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// [`Verdict::Holds`]
    Holds,
    /// [`Verdict::HoldsWithCondition`]
    HoldsWithCondition,
    /// [`Verdict::Misprint`]
    Misprint,
    /// [`Verdict::NotReproducedHere`]
    NotReproducedHere,
    /// [`Verdict::DoesNotHold`]
    DoesNotHold,
    /// [`Verdict::CannotBeCheckedHere`]
    CannotBeCheckedHere,
}

impl Kind {
    /// All kinds, in the order of the summary.
    pub const ALL: [Self; 6] = [
        Self::Holds,
        Self::HoldsWithCondition,
        Self::Misprint,
        Self::NotReproducedHere,
        Self::DoesNotHold,
        Self::CannotBeCheckedHere,
    ];

    /// Whether the claim holds, with or without a condition, or as it was intended.
    pub fn is_right(self) -> bool {
        matches!(
            self,
            Self::Holds | Self::HoldsWithCondition | Self::Misprint
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::HoldsWithCondition => "holds with a condition",
            Self::Misprint => "misprint",
            Self::NotReproducedHere => "not reproduced here",
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

    /// [`Verdict::Misprint`] with this intended statement.
    pub fn misprint(meant: impl Into<String>) -> Self {
        Self::Misprint {
            meant: meant.into(),
        }
    }

    /// [`Verdict::NotReproducedHere`] for this reason.
    pub fn not_reproduced(why: impl Into<String>) -> Self {
        Self::NotReproducedHere { why: why.into() }
    }

    /// [`Verdict::DoesNotHold`] by this difference, for this reason.
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
            Self::Misprint { .. } => Kind::Misprint,
            Self::NotReproducedHere { .. } => Kind::NotReproducedHere,
            Self::DoesNotHold { .. } => Kind::DoesNotHold,
            Self::CannotBeCheckedHere { .. } => Kind::CannotBeCheckedHere,
        }
    }

    /// The condition, the intended statement, or the difference with its reason; empty if the claim simply holds.
    pub fn explanation(&self) -> String {
        match self {
            Self::Holds => String::new(),
            Self::HoldsWithCondition { condition } => condition.clone(),
            Self::Misprint { meant } => meant.clone(),
            Self::DoesNotHold { by, why } => format!("{by}; {why}"),
            Self::NotReproducedHere { why } | Self::CannotBeCheckedHere { why } => why.clone(),
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
