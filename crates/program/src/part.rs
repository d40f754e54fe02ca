//! Ways to read the constants of a modulus.

/// A way to read constants, for which a device may keep them in a form of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first ones, by number: those of a curve. All of a modulus.
    Single,
    /// Any of them, by number or by public digits.
    Public,
    /// By secret digits, for which whole tables are read.
    Secret,
}

impl Part {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Single, Self::Public, Self::Secret];
    /// Constants with lower numbers are [`Part::Single`], if they are read by number.
    pub const SINGLE: usize = 16;
}
