//! Ways to read the constants of a modulus.

/// A way to read constants, for which a device may keep them in a form of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// By number, the first constants only, such as those of a curve; also all data of a modulus.
    Single,
    /// By number or by public digits, any constants.
    Public,
    /// By secret digits, for which whole tables are read.
    Secret,
}

impl Part {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Single, Self::Public, Self::Secret];
    /// The number of constants that are [`Part::Single`] if they are read by number: those with lower
    /// numbers.
    pub const SINGLE: usize = 16;
}
