//! Operations on single channels of 66 bits.

use super::modulus66::Modulus66;
use sunzi_rns::Channel;
use sunzi_rns::channel::Operation;

/// `|a + b|_m` for `a, b < m`. Cost: one EMA.
pub(super) fn add(channel: &impl Channel, m: &Modulus66, a: u128, b: u128) -> u128 {
    channel.tally(Operation::Addition, 1);
    m.add(a, b)
}

/// `|a c|_m` for `a < 2^66` and a precomputed constant `c < m`. Cost: one CMM.
pub(super) fn mul_constant(channel: &impl Channel, m: &Modulus66, a: u128, constant: u128) -> u128 {
    channel.tally(Operation::ConstantMultiplication, 1);
    m.mul(a, constant)
}
