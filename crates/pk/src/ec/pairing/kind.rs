//! The curves that have pairings, as types.

use super::parameters::{self, Parameters};
use core::fmt;

/// A curve that has a pairing: [`Bls12_381`] or [`Bn254`]. Elements of different curves have different types.
pub trait PairingCurve: Sealed + Copy + Eq + fmt::Debug + Send + Sync + 'static {}

/// What the curves have beneath the surface; other types cannot be curves.
pub trait Sealed {
    /// A number of the curve's own, for the keys of programs.
    const NUMBER: u64;
    /// The name of the curve of G1.
    const G1: &'static str;

    /// The parameters.
    fn parameters() -> &'static Parameters;
}

/// BLS12-381 (draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1), whose pairings take 128 bits of security.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bls12_381;

/// BN254 as Ethereum has it, also called `alt_bn128` (EIP-196, EIP-197). Its security is some 100 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bn254;

impl PairingCurve for Bls12_381 {}
impl PairingCurve for Bn254 {}

impl Sealed for Bls12_381 {
    const NUMBER: u64 = 0;
    const G1: &'static str = "BLS12-381-G1";

    fn parameters() -> &'static Parameters {
        parameters::parameters()
    }
}

impl Sealed for Bn254 {
    const NUMBER: u64 = 1;
    const G1: &'static str = "BN254-G1";

    fn parameters() -> &'static Parameters {
        parameters::bn254()
    }
}
