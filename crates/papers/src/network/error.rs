//! Why there is no network.

use super::NumberType;

/// Why there is no network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NetworkError {
    /// The modulus has a size that is not taken.
    #[error("the modulus has {0} bits; networks take 8 to 16,384")]
    Size(u64),
    /// The width is not one of this type.
    #[error("{kind} takes channels of {least} to {most} bits, not {width}")]
    Width {
        /// The type.
        kind: NumberType,
        /// The width asked for.
        width: u32,
        /// The least width that is taken.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// There are not enough coprime numbers of this width.
    #[error("there are not enough coprime moduli of {0} bits for bases of this size")]
    Moduli(u32),
    /// A sum may exceed what the type holds exactly.
    #[error("sums reach {largest}, and {kind} is exact up to {limit} only")]
    Sum {
        /// The type.
        kind: NumberType,
        /// The largest sum.
        largest: i128,
        /// What the type holds.
        limit: i128,
    },
    /// A rank may be wrong by rounding.
    #[error("a rank may be wrong by {error:.3} in {kind}, and 0.25 is allowed")]
    Rank {
        /// The type.
        kind: NumberType,
        /// The largest error.
        error: f64,
    },
    /// The type has no network for this modulus, and another one has, or none.
    #[error("{reason}: take {}", cures(.others))]
    Type {
        /// What does not fit.
        reason: Box<NetworkError>,
        /// The types that hold this modulus.
        others: Vec<NumberType>,
    },
}

fn cures(others: &[NumberType]) -> String {
    let names: Vec<&str> = others.iter().map(|kind| kind.name()).collect();
    if names.is_empty() {
        "a smaller modulus".into()
    } else {
        names.join(" or ")
    }
}
