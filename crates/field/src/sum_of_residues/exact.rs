//! The exact form of the sum of residues: the result is `Z mod p`, for every `Z` and every `p`.
//!
//! ```text
//! V      = sum gamma_i <M_i>_p + alpha <-M>_p                             (Z = V mod p)
//! kappa' = floor( (sum gamma_i floor(2^T <M_i>_p / p) + alpha floor(2^T <-M>_p / p)) / 2^T )
//! R      = V - (kappa' + 1) p                                             (-p <= R < p)
//! kappa  = kappa' + (1 if R >= 0, else 0)
//! z      = V - kappa p, in every channel
//! ```
//!
//! In: `Z < 15M/16`. Out: `Z mod p`, in `[0, p)`.
//!
//! Source: M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), equation (19). Differences from the published form:
//! 1. the term of `alpha`, which equation (20) drops, is kept;
//! 2. the constants are truncations of `<M_i>_p / p`, not of `<M_i>_p / 2^W`, so that condition
//!    (22) on the form of `p` is not needed, and P-256 works;
//! 3. no truncated quotient is exact for every `Z`, so one exact comparison decides between
//!    the two candidates: `R` is computed as an integer, from the same `gamma_i`, and only
//!    its sign is used.
//!
//! Proof. With `c_i = floor(2^T x_i)`, `0 <= x_i - c_i 2^-T < 2^-T`, so the sum divided by
//! `2^T` is below `V/p` by less than `(N 2^66 + N) / 2^T <= 2^-3` (`N <= 16`, `T = 74`), and
//! `kappa'` is `floor(V/p)` or one less. Then `V - kappa' p` is in `[0, 2p)` and `R` in `[-p, p)`;
//! `R >= 0` exactly when `kappa' + 1 = floor(V/p)`. `V - floor(V/p) p = V mod p = Z mod p`. ∎

use alloc::vec::Vec;
use core::iter::once;

use crypto_bigint::{BoxedUint, NonZero, Resize};
use sunzi_rns::channel::Operation;
use sunzi_rns::{Base, Channel, Residues};

use super::base66::Base66;
use super::channels::mul_constant;
use super::error::SumOfResiduesError;
use super::modulus66::Modulus66;
use super::product::{product, reduced};
use super::quotient::Quotient;

/// The precision `T` of the quotient, in bits.
const QUOTIENT_BITS: u32 = 74;

/// The width of a limb, in bits: the sum of 17 products of 66 (70 for `kappa`) by 52 bits is below
/// `2^127`.
const LIMB_BITS: u32 = 52;

/// Exact reduction modulo `p` by the sum of residues.
#[derive(Clone, Debug)]
pub struct ExactReduction {
    inner: Base66,
    /// `|<-M>_p|_{m_j}`.
    minus_m: Vec<u128>,
    /// The quotient, with the constants for all `gamma_i` followed by that for `alpha`.
    quotient: Quotient,
    /// For each `k`, limb `k` of all `<M_i>_p` and of `<-M>_p`, and limb `k` of `p`.
    limbs: Vec<(Vec<i128>, i128)>,
}

impl ExactReduction {
    /// The reduction modulo `p`, in the smallest base with `(2p)^2 < 15M/16`.
    ///
    /// # Errors
    /// [`SumOfResiduesError::TooSmall`] and [`SumOfResiduesError::TooLarge`] for the size of
    /// `p`, which may be any number from 2 up, prime or not.
    pub fn new(p: &BoxedUint) -> Result<Self, SumOfResiduesError> {
        Ok(Self::build(Base66::new(p)?))
    }

    /// As [`ExactReduction::new`], with a rank from `q` leading bits instead of the smallest number
    /// that is exact.
    ///
    /// # Errors
    /// As [`ExactReduction::new`], and [`SumOfResiduesError::RankPrecision`].
    pub fn with_rank_bits(p: &BoxedUint, rank_bits: u32) -> Result<Self, SumOfResiduesError> {
        Ok(Self::build(Base66::new(p)?.with_rank_bits(rank_bits)?))
    }

    fn build(inner: Base66) -> Self {
        let p = &inner.p;
        let minus_m = inner.base.product().rem_vartime(p).neg_mod(p);
        let mut integers = inner.cofactors_mod_p.clone();
        integers.push(minus_m.clone());
        let scaled: Vec<BoxedUint> = integers.iter().map(|x| scaled_ratio(x, p)).collect();
        // R is in [-p, p), in two's complement.
        let count = (p.bits_vartime() + 1).div_ceil(LIMB_BITS);
        let limbs = (0..count)
            .map(|k| {
                (
                    integers.iter().map(|x| limb(x, k)).collect(),
                    limb(p.as_ref(), k),
                )
            })
            .collect();
        let minus_m = inner
            .base
            .moduli()
            .iter()
            .map(|m| m.reduce_uint(&minus_m))
            .collect();
        let quotient = Quotient::new(QUOTIENT_BITS, &scaled);
        Self {
            inner,
            minus_m,
            quotient,
            limbs,
        }
    }

    /// The base of the residues.
    pub fn base(&self) -> &Base {
        &self.inner.base
    }

    /// The modulus `p`.
    pub fn prime(&self) -> &BoxedUint {
        self.inner.p.as_ref()
    }

    /// The channels, in the order of [`ExactReduction::base`].
    pub fn channels(&self) -> &[Modulus66] {
        &self.inner.channels
    }

    /// The residues of an integer `Z < 15M/16`.
    ///
    /// # Errors
    /// [`SumOfResiduesError::OutOfRange`] for `Z >= 15M/16`.
    pub fn residues(&self, z: &BoxedUint) -> Result<Residues, SumOfResiduesError> {
        self.inner.residues(z)
    }

    /// `Z mod p`, in `[0, p)`. Constant time.
    ///
    /// In: `Z < 15M/16`. The result is the canonical form of a redundant number, and is 0 exactly
    /// if `p` divides `Z`. Cost: `N^2 + 3N` CMM, `N` CMR, `N^2 + N` EMA, and plain products:
    /// `N + 1` for the quotient, and `(N + 2) ceil((W + 1) / 52)` for the sign.
    ///
    /// # Panics
    /// If `Z` is in another base.
    pub fn reduce(&self, channel: &impl Channel, z: &Residues) -> Residues {
        let (gammas, alpha) = self.inner.gammas(channel, z);
        let factors = gammas.iter().copied().chain(once(alpha));
        let next = self.quotient.of(channel, factors) + 1;
        let kappa = next - self.is_negative(channel, &gammas, alpha, next);
        let channels = &self.inner.channels;
        let offsets = channels
            .iter()
            .zip(&self.minus_m)
            .map(|(m, &minus_m)| mul_constant(channel, m, alpha, minus_m));
        let values = self.inner.combine(channel, &gammas, offsets, kappa);
        let result = reduced(&self.inner.base, values);
        debug_assert!(result.to_uint() < *self.prime());
        result
    }

    /// `X Y mod p`, in `[0, p)`. Constant time.
    ///
    /// In: `X, Y < 2p`, or any with `X Y < 15M/16`. Cost: that of
    /// [`ExactReduction::reduce`] and `N` EMM.
    ///
    /// # Panics
    /// If `X` or `Y` is in another base.
    pub fn mul(&self, channel: &impl Channel, x: &Residues, y: &Residues) -> Residues {
        self.reduce(channel, &product(channel, &self.inner, x, y))
    }

    /// Whether `p` divides `Z`. Constant time.
    ///
    /// In: `Z < 15M/16`. Cost: that of [`ExactReduction::reduce`].
    ///
    /// # Panics
    /// If `Z` is in another base.
    pub fn is_zero(&self, channel: &impl Channel, z: &Residues) -> bool {
        self.reduce(channel, z) == Residues::zero(self.base())
    }

    /// Whether `X = Y mod p`, also if one of them is redundant. Constant time.
    ///
    /// In: `X, Y < 15M/16`. Cost: twice that of [`ExactReduction::reduce`].
    ///
    /// # Panics
    /// If `X` or `Y` is in another base.
    pub fn equal(&self, channel: &impl Channel, x: &Residues, y: &Residues) -> bool {
        self.reduce(channel, x) == self.reduce(channel, y)
    }

    /// 1 if `R = V - kappa p` is negative, else 0, for `-p <= R < p`.
    ///
    /// `R` is computed limb by limb with a signed carry; the carry of the last limb is the sign.
    fn is_negative(
        &self,
        channel: &impl Channel,
        gammas: &[u128],
        alpha: u128,
        kappa: u128,
    ) -> u128 {
        let sign = self.limbs.iter().fold(0i128, |carry, (weights, p)| {
            let factors = gammas.iter().chain(once(&alpha));
            let terms = factors
                .zip(weights)
                .map(|(factor, w)| factor.cast_signed() * w);
            // One product for each weight, and one for p.
            channel.tally(Operation::Product, weights.len() as u64 + 1);
            let column = carry + terms.sum::<i128>() - kappa.cast_signed() * p;
            column >> LIMB_BITS
        });
        debug_assert!(sign == 0 || sign == -1, "R is out of [-p, p)");
        sign.unsigned_abs()
    }
}

/// `floor(2^T x / p)` for `x < p`.
fn scaled_ratio(x: &BoxedUint, p: &NonZero<BoxedUint>) -> BoxedUint {
    let wide = x
        .clone()
        .resize_unchecked(p.as_ref().bits_precision() + 128);
    wide.unbounded_shl_vartime(QUOTIENT_BITS)
        .div_rem_vartime(p)
        .0
}

/// Limb `k` of `x`.
fn limb(x: &BoxedUint, k: u32) -> i128 {
    let shifted = x.unbounded_shr_vartime(k * LIMB_BITS);
    i128::from(shifted.as_words()[0] & ((1 << LIMB_BITS) - 1))
}
