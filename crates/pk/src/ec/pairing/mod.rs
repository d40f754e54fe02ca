//! Pairings on BLS12-381 and BN254, in batches: the groups G1 and G2, and products of pairings.
//!
//! [`PreparedPairing`] is the pairing on an engine. Elements of G1 are [`GroupElement`](super::GroupElement)s of the
//! curve `BLS12-381-G1` or `BN254-G1`, those of G2 are [`G2Element`]s. The module [`precompiles`] has Ethereum's
//! operations on BN254.

mod cofactor;
mod curves;
mod doublings;
mod element;
mod encoding;
mod final_exponentiation;
mod g1_short;
mod g2_encoding;
mod g2_multiply;
mod g2_short;
mod g2_subgroup;
mod hash_to_curve;
mod isogenies;
mod kind;
mod lines;
mod miller;
mod parameters;
mod points;
pub mod precompiles;
mod prepared;
mod product;
mod quadratic;
mod short_factor;
mod short_sums;
mod steps;
mod subgroup;
mod sums;
mod swu_g1;
mod swu_g2;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_bn254;
mod tower;
mod twist;

pub(super) use curves::{Family, PAIRING_CURVES};
pub(super) use subgroup::in_subgroup;

pub(crate) use hash_to_curve::{map_to_g1_curve_batch, map_to_g2_curve_batch};
pub(crate) use product::{MillerProduct, are_one, multiply_values, products};
pub(crate) use short_factor::ShortFactor;
pub(crate) use short_sums::{
    sum_g1_images_short_batch_vartime, sum_g1_short_batch_vartime,
    sum_g2_images_short_batch_vartime, sum_g2_short_batch_vartime,
};
pub(crate) use sums::sum_g1_batch_vartime;
pub(crate) use swu_g1::{G1Image, clear_g1_batch};
pub(crate) use swu_g2::{G2Image, clear_g2_batch};

pub use element::{G2Element, GtElement, PreparedG2};
pub use g2_encoding::{G2_COMPRESSED_BYTES, decode_g2_batch};
pub use g2_multiply::{G2MultiplyRequest, multiply_g2_batch};
pub use hash_to_curve::{DomainSeparationTag, EmptyTag, hash_to_g1_batch, hash_to_g2_batch};
pub use kind::{Bls12_381, Bn254, PairingCurve};
pub use points::{G2Coordinates, g2_elements_batch};
pub use prepared::PreparedPairing;
pub use product::{G2Argument, PairingRequest, pairing_batch, pairing_product_is_one_batch};
pub use sums::sum_g2_batch_vartime;
