//! The groups of points that pairings take as their first argument, G1: their curves, the subgroup check, and
//! the encodings of Zcash.

mod curves;
mod encoding;
mod subgroup;

pub(super) use curves::{Family, PAIRING_CURVES};
pub(super) use subgroup::in_subgroup;
