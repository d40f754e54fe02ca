//! The choices for an engine's plans: fixed or random bases, and redundancy.

/// The largest number of plans that a modulus may have.
pub(crate) const MOST_SPLITS: usize = 32;

/// The way in which the primes of a plan are dealt out to its two bases.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Split {
    /// In a fixed order, the same for every plan of a size.
    Fixed,
    /// At random, anew for each plan. The device is one of several, of which each group draws one.
    Random {
        /// Number of devices.
        of: usize,
    },
}

impl Split {
    /// The number of devices that share the memory for plans.
    pub(crate) fn devices(self) -> usize {
        match self {
            Self::Fixed => 1,
            Self::Random { of } => of,
        }
    }

    /// Whether a split is drawn at random.
    pub(crate) fn is_random(self) -> bool {
        matches!(self, Self::Random { .. })
    }
}

/// The choices that all plans of an engine share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices {
    pub(crate) split: Split,
    /// The number of redundant channels.
    pub(crate) redundancy: usize,
}

impl Choices {
    /// Fixed bases without redundant channels.
    pub(crate) const USUAL: Self = Self {
        split: Split::Fixed,
        redundancy: 0,
    };
}

/// The largest number of redundant channels that a plan may have.
pub(crate) const MOST_REDUNDANT: usize = 4;
