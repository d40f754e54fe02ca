//! Base extension: from the residues of `X` in one base to its residues in another.
//!
//! All extensions start from the Chinese remainder theorem. For a source base `a_1, ..., a_n` with
//! product `A`,
//!
//! ```text
//! X = sum xh_i A/a_i - h A,   xh_i = |x_i (A/a_i)^-1|_{a_i},   0 <= h < n,
//! ```
//!
//! and differ in how they find the *rank* `h`:
//!
//! | file | rank from | exact for |
//! |---|---|---|
//! | [`kawamura`] | the top bits of the `xh_i` ([`cox`]) | `X < (1 - sigma) A`, or all `X` up to one `A` |
//! | [`hierarchical`] | the top bits of sums of `c` of them | the same, for bases closer to `2^w` |
//! | [`shenoy_kumaresan`] | a redundant residue of `X` | all `X < A` |
//! | [`mixed_radix`] | not needed: digits of `X` one by one | all `X < A` |
//! | [`frnn`] | a layer of `N`-bit weights | all `X < A` |
//!
//! The trait [`BaseExtension`] states the input range of each and the multiple of `A` that the
//! result may have in excess. The conditions for this are computed from the base when the
//! object is made, and a base that violates them is refused with an [`ExtensionError`].
//! The derivations follow.
//!
#![doc = include_str!("../../docs/base-extension.md")]

pub mod cox;
pub mod frnn;
pub mod hierarchical;
pub mod kawamura;
pub mod mixed_radix;
pub mod shenoy_kumaresan;

use crypto_bigint::BoxedUint;

use crate::base::{Base, BaseError};
use crate::channel::{Channel, Plain};
use crate::fixed::Fixed;
use crate::residues::Residues;

/// A base extension, with a contract that is the same for all of them.
///
/// For `0 <= X <` [`input_bound`](BaseExtension::input_bound) the result is
/// `X + e A` in the target base, where `A` is the product of the source base and
/// `0 <= e <=` [`max_excess`](BaseExtension::max_excess). Exact extensions have
/// `max_excess() == 0`.
///
/// The time depends on the bases, not on `X`. The target need not be coprime to the source.
pub trait BaseExtension {
    /// The base in which `X` is given.
    fn source(&self) -> &Base;

    /// The base in which the result is computed.
    fn target(&self) -> &Base;

    /// The upper bound of inputs, which are below it; at most the product of the source base.
    fn input_bound(&self) -> &BoxedUint;

    /// The largest `e` for which the result may be `X + e A`; 0 if the extension is exact.
    fn max_excess(&self) -> u32;

    /// The residues of `X + e A` in the target base, over a given channel.
    ///
    /// # Panics
    /// If `x` is not in the source base.
    fn extend_on(&self, channel: &impl Channel, x: &Residues) -> Residues;

    /// [`extend_on`](BaseExtension::extend_on) over plain arithmetic.
    ///
    /// # Panics
    /// If `x` is not in the source base.
    fn extend(&self, x: &Residues) -> Residues {
        self.extend_on(&Plain, x)
    }
}

/// The reason why a base extension cannot be built on these bases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtensionError {
    /// The number of moduli is not a multiple of the length of a row.
    #[error("{moduli} moduli do not fill rows of {columns}: {columns} must divide {moduli}")]
    Grid {
        /// Number of moduli in a row.
        columns: usize,
        /// Number of moduli of the source base.
        moduli: usize,
    },
    /// The number of kept bits is 0, or above the width.
    #[error("{kept} kept bits: from 1 to {width}, the width to truncate, can be kept")]
    KeptBits {
        /// Number of kept bits asked for.
        kept: u32,
        /// Width of the number that is truncated, in bits.
        width: u32,
    },
    /// The offset is 1 or more.
    #[error("the offset sigma = {sigma} must be below 1: the range is (1 - sigma) A")]
    Offset {
        /// The offset.
        sigma: Fixed,
    },
    /// The redundant modulus cannot be added to the base.
    #[error(transparent)]
    Base(#[from] BaseError),
    /// The redundant modulus is too small to tell all ranks apart.
    #[error(
        "the redundant modulus {modulus} does not tell the ranks 0 to {} apart: it must be \
         at least {moduli}, the number of moduli",
        moduli - 1
    )]
    RedundantTooSmall {
        /// The redundant modulus.
        modulus: u128,
        /// Number of moduli of the base.
        moduli: usize,
    },
    /// The quotient estimate can be wrong.
    #[error(
        "the quotient estimate is off by up to E = {error}, and E {relation} {limit} is needed: \
         keep more bits, or take shorter rows, fewer moduli{larger_sigma} or moduli closer to a \
         power of two",
        relation = if sigma == &Fixed::ZERO { "<" } else { "<=" },
        limit = if sigma == &Fixed::ZERO { &Fixed::ONE } else { sigma },
        larger_sigma = if sigma == &Fixed::ZERO { "" } else { ", a larger sigma" },
    )]
    Inexact {
        /// Bound on the error of the estimate, rounded up.
        error: Fixed,
        /// The offset.
        sigma: Fixed,
    },
}
