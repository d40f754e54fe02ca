//! The costs of section V as printed.

/// An inversion's average cost for n moduli and l bits, relative to n l.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// EMM / (n l).
    pub products: f64,
    /// EMA / (n l).
    pub sums: f64,
}

/// The binary-ternary inversion.
pub const BTMI: Cost = Cost {
    products: 1.61,
    sums: 2.53,
};

/// The binary inversion.
pub const BMI: Cost = Cost {
    products: 2.37,
    sums: 3.79,
};
