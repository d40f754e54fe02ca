//! The tables and the intermediate values of the published form, for comparison with hardware and
//! with implementations in other languages.
//!
//! Source: M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), Algorithm 2.

use alloc::vec::Vec;

use crypto_bigint::BoxedUint;
use sunzi_rns::Residues;

/// The tables of Algorithm 2 for one prime, beside `|M_i^-1|_{m_i}`, which the base has.
#[derive(Clone, Debug)]
pub struct Tables {
    /// `q`: the rank takes the top `q` bits of each `gamma_i`.
    pub rank_bits: u32,
    /// `T`, the precision of the quotient, in bits.
    pub quotient_bits: u32,
    /// `floor(<M_i>_p / 2^(W-T))`, below `2^T`.
    pub quotient_constants: Vec<u128>,
    /// `<M_i>_p`, as integers below `p`.
    pub cofactors_mod_p: Vec<BoxedUint>,
    /// `<-alpha M>_p` for `alpha = 0, ..., N - 1`, as integers below `p`.
    pub corrections_mod_p: Vec<BoxedUint>,
    /// `[j][i] = |<M_i>_p|_{m_j}`.
    pub weights: Vec<Vec<u128>>,
    /// `[j][alpha] = |<-alpha M>_p|_{m_j}`.
    pub corrections: Vec<Vec<u128>>,
    /// `|-p|_{m_j}`.
    pub minus_p: Vec<u128>,
}

/// The intermediate values of one product. Lists of residues are in the order of the base.
#[derive(Clone, Debug)]
pub struct Trace {
    /// `Z = X Y`.
    pub product: Residues,
    /// `gamma_i = |z_i M_i^-1|_{m_i}`.
    pub gammas: Vec<u128>,
    /// The rank, below `N`.
    pub alpha: u128,
    /// The quotient `kappa` of equation (24).
    pub kappa: u128,
    /// `[i][j] = |gamma_i <M_i>_p|_{m_j}`.
    pub terms: Vec<Vec<u128>>,
    /// `|<-alpha M>_p|_{m_j}`.
    pub correction: Vec<u128>,
    /// `|-kappa p|_{m_j}`.
    pub multiple: Vec<u128>,
    /// The sum of all terms, the correction and the multiple: congruent to `Z`, in `[0, (1 + d) p)`.
    pub result: Residues,
}
