//! The improved sum of residues as published: a result in `[0, 2p)`, congruent to `Z`.
//!
//! ```text
//! V     = sum gamma_i <M_i>_p + <-alpha M>_p                           (16)
//! kappa = floor( (sum gamma_i floor(<M_i>_p / 2^(W-T))) / 2^T )         (24)
//! z     = V - kappa p, in every channel                                 (27)
//! ```
//!
//! In: `Z < 15M/16`, for instance a product of two results. Out: `Z mod p` if
//! `(Z mod p)/p >= d`, else `(Z mod p) + p`, with a `d` that depends on `Z`; the largest one,
//! [`PublishedReduction::deficit`], is computed and must be below 1, so the result is below
//! `(1 + d) p < 2p`: below `1.125p` for secp256k1 (`T = 72`) and below `1.25p` for
//! edwards25519 (`T = 71`). `docs/sum-of-residues.md` proves it and has the bound of every
//! curve.
//!
//! Source: M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), Algorithm 2. The paper regards the result as the exact residue, which it
//! is not: equation (20) drops `<-alpha M>_p / p` and equation (24) truncates, so `kappa` can be
//! one too small, and the result for a nonzero multiple of `p` is `p`, never 0. The exact form is
//! [`super::exact`]. The offset is `<-alpha M>_p` of equation (16), not the `-<alpha M>_p` of (14),
//! which leads to negative results.

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Resize};
use sunzi_rns::{Base, Channel, Residues};

use super::base66::Base66;
use super::curves::Curve;
use super::error::SumOfResiduesError;
use super::modulus66::{Modulus66, WIDTH};
use super::product::{product, reduced};
use super::quotient::Quotient;
use super::rank::DELTA_SHIFT;
use super::trace::{Tables, Trace};

/// The number of binary digits of [`PublishedReduction::deficit`].
const DEFICIT_BITS: u32 = 32;

/// Reduction modulo `p` by Algorithm 2 of the paper.
#[derive(Clone, Debug)]
pub struct PublishedReduction {
    inner: Base66,
    /// `[j][alpha] = |<-alpha M>_p|_{m_j}`.
    corrections: Vec<Vec<u128>>,
    quotient: Quotient,
    /// `ceil(d 2^32)`.
    deficit: u64,
}

impl PublishedReduction {
    /// The reduction for the prime of a curve, with the curve's precision `T`.
    ///
    /// # Errors
    /// As [`PublishedReduction::new`].
    pub fn for_curve(curve: &Curve) -> Result<Self, SumOfResiduesError> {
        Self::new(&curve.prime(), curve.quotient_bits)
    }

    /// The reduction modulo `p` with a quotient of precision `T`, in the smallest base.
    ///
    /// # Errors
    /// [`SumOfResiduesError::TooSmall`] and [`SumOfResiduesError::TooLarge`] for the size of
    /// `p`; [`SumOfResiduesError::Condition22`] if `p` is too far from a power of two;
    /// [`SumOfResiduesError::QuotientPrecision`] if the result could reach `2p` at this `T`.
    pub fn new(p: &BoxedUint, quotient_bits: u32) -> Result<Self, SumOfResiduesError> {
        Self::build(Base66::new(p)?, quotient_bits)
    }

    /// As [`PublishedReduction::new`], with a rank from `q` leading bits instead of the smallest
    /// number that is exact.
    ///
    /// # Errors
    /// As [`PublishedReduction::new`], and [`SumOfResiduesError::RankPrecision`].
    pub fn with_rank_bits(
        p: &BoxedUint,
        quotient_bits: u32,
        rank_bits: u32,
    ) -> Result<Self, SumOfResiduesError> {
        Self::build(Base66::new(p)?.with_rank_bits(rank_bits)?, quotient_bits)
    }

    fn build(inner: Base66, quotient_bits: u32) -> Result<Self, SumOfResiduesError> {
        check_condition_22(&inner)?;
        let width = inner.p.bits_vartime();
        let allowed = *Quotient::BITS.start()..=width.min(*Quotient::BITS.end());
        let deficit = |t| deficit(&inner, t, width);
        // A bound of 1 is enough, since d is below its bound.
        let fits = |t: &u32| allowed.contains(t) && deficit(*t) <= 1 << DEFICIT_BITS;
        if !fits(&quotient_bits) {
            let needed = allowed.clone().find(fits);
            return Err(SumOfResiduesError::QuotientPrecision {
                t: quotient_bits,
                needed,
            });
        }
        let deficit = deficit(quotient_bits);
        let constants: Vec<BoxedUint> = truncated_cofactors(&inner, quotient_bits, width).collect();
        let quotient = Quotient::new(quotient_bits, &constants);
        let integers = inner.corrections();
        let column = |m: &sunzi_rns::Modulus| integers.iter().map(|c| m.reduce_uint(c)).collect();
        let corrections = inner.base.moduli().iter().map(column).collect();
        Ok(Self {
            inner,
            corrections,
            quotient,
            deficit,
        })
    }

    /// The base of the residues.
    pub fn base(&self) -> &Base {
        &self.inner.base
    }

    /// The prime `p`.
    pub fn prime(&self) -> &BoxedUint {
        self.inner.p.as_ref()
    }

    /// The channels, in the order of [`PublishedReduction::base`].
    pub fn channels(&self) -> &[Modulus66] {
        &self.inner.channels
    }

    /// An upper bound on `d`, rounded up to a multiple of `2^-32`, and at most 1. Results are below
    /// `(1 + d) p`, and a result exceeds `Z mod p` only if `Z mod p < d p`.
    pub fn deficit(&self) -> f64 {
        self.deficit as f64 / (1u64 << DEFICIT_BITS) as f64
    }

    /// The residues of an integer `Z < 15M/16`.
    ///
    /// # Errors
    /// [`SumOfResiduesError::OutOfRange`] for `Z >= 15M/16`.
    pub fn residues(&self, z: &BoxedUint) -> Result<Residues, SumOfResiduesError> {
        self.inner.residues(z)
    }

    /// A number congruent to `Z` modulo `p`, in `[0, (1 + d) p)`. Constant time.
    ///
    /// In: `Z < 15M/16`. Cost: `N^2 + 2N` CMM, `N` CMR, `N^2 + N` EMA, `N` table words, and `N`
    /// plain products for `kappa`.
    ///
    /// # Panics
    /// If `Z` is in another base.
    pub fn reduce(&self, channel: &impl Channel, z: &Residues) -> Residues {
        let (gammas, alpha) = self.inner.gammas(channel, z);
        let kappa = self.quotient.of(channel, gammas.iter().copied());
        let offsets = self
            .corrections
            .iter()
            .map(|table| channel.table(table, alpha));
        let values = self.inner.combine(channel, &gammas, offsets, kappa);
        let result = reduced(&self.inner.base, values);
        debug_assert!(result.to_uint() < self.prime().concatenating_mul(BoxedUint::from(2u64)));
        result
    }

    /// A number congruent to `X Y` modulo `p`, in `[0, (1 + d) p)`. Constant time.
    ///
    /// In: `X, Y < 2p`, or any with `X Y < 15M/16`. Cost: that of
    /// [`PublishedReduction::reduce`] and `N` EMM.
    ///
    /// # Panics
    /// If `X` or `Y` is in another base.
    pub fn mul(&self, channel: &impl Channel, x: &Residues, y: &Residues) -> Residues {
        self.reduce(channel, &product(channel, &self.inner, x, y))
    }

    /// `kappa` of equation (24) and `alpha` of equation (13), for `Z < 15M/16`.
    ///
    /// # Panics
    /// If `Z` is in another base.
    pub fn quotient_and_rank(&self, channel: &impl Channel, z: &Residues) -> (u128, u128) {
        let (gammas, alpha) = self.inner.gammas(channel, z);
        let kappa = self.quotient.of(channel, gammas.iter().copied());
        (kappa, alpha)
    }

    /// The tables of Algorithm 2, for implementations in other languages.
    pub fn tables(&self) -> Tables {
        Tables {
            rank_bits: self.inner.rank_bits(),
            quotient_bits: self.quotient.bits(),
            quotient_constants: self.quotient.constants(),
            cofactors_mod_p: self.inner.cofactors_mod_p.clone(),
            corrections_mod_p: self.inner.corrections(),
            weights: self.inner.weights().to_vec(),
            corrections: self.corrections.clone(),
            minus_p: self.inner.minus_p().to_vec(),
        }
    }

    /// Every intermediate value of `X Y mod p`, for comparison with other implementations. Not for
    /// secrets: the values are not wiped.
    ///
    /// In: `X, Y < 2p`, or any with `X Y < 15M/16`.
    ///
    /// # Panics
    /// If `X` or `Y` is in another base.
    pub fn trace(&self, channel: &impl Channel, x: &Residues, y: &Residues) -> Trace {
        let z = product(channel, &self.inner, x, y);
        let (gammas, alpha) = self.inner.gammas(channel, &z);
        let kappa = self.quotient.of(channel, gammas.iter().copied());
        let result = self.reduce(channel, &z);
        Trace {
            terms: self.inner.terms(channel, &gammas),
            correction: self.corrections.iter().map(|c| c[alpha as usize]).collect(),
            multiple: self.inner.multiple(channel, kappa),
            product: z,
            gammas: gammas.to_vec(),
            alpha,
            kappa,
            result,
        }
    }
}

/// Checks condition (22): `epsilon = 2^W - p < 2^(W-66) / N`.
fn check_condition_22(inner: &Base66) -> Result<(), SumOfResiduesError> {
    let p: &BoxedUint = inner.p.as_ref();
    let width = p.bits_vartime();
    // 2^W - p, in the precision of p (2^W may wrap to 0).
    let epsilon = BoxedUint::one_with_precision(p.bits_precision())
        .unbounded_shl_vartime(width)
        .wrapping_sub(p);
    let channels = inner.channels.len();
    let scaled = epsilon.concatenating_mul(BoxedUint::from(channels as u64));
    // epsilon N < 2^(W-66) exactly if epsilon N has at most W - 66 bits.
    if width <= WIDTH || scaled.bits_vartime() > width - WIDTH {
        let epsilon_bits = epsilon.bits_vartime();
        return Err(SumOfResiduesError::Condition22 {
            width,
            channels,
            epsilon_bits,
        });
    }
    Ok(())
}

/// `floor(<M_i>_p / 2^(W-T))`.
fn truncated_cofactors(inner: &Base66, t: u32, width: u32) -> impl Iterator<Item = BoxedUint> {
    inner
        .cofactors_mod_p
        .iter()
        .map(move |c| c.unbounded_shr_vartime(width - t))
}

/// `ceil(d 2^32)`, saturated, where `d` is the largest value of
///
/// ```text
/// <-alpha M>_p / p + sum_i gamma_i tau_i,   tau_i = <M_i>_p / p - floor(<M_i>_p / 2^(W-T)) / 2^T.
/// ```
///
/// The first term is bounded by its largest value. In the second,
/// `gamma_i = (gamma_i / m_i) m_i`, each `gamma_i / m_i < 1`, and together they are below
/// `N - Delta`, since they are `alpha + Z/M` with `alpha <= N - 1`: so it is below
/// `sum m_i tau_i - Delta min(m_i tau_i)`.
fn deficit(inner: &Base66, t: u32, width: u32) -> u64 {
    let p: &BoxedUint = inner.p.as_ref();
    // All terms are scaled by 16 p 2^T. The sums are below 16 p 2^T (16 2^66) 2^32 < p 2^256.
    let precision = p.bits_precision() + 256;
    let wide = |x: &BoxedUint, shift: u32| {
        x.clone()
            .resize_unchecked(precision)
            .unbounded_shl_vartime(shift)
    };
    let weighted: Vec<BoxedUint> = (inner.cofactors_mod_p.iter())
        .zip(truncated_cofactors(inner, t, width))
        .zip(&inner.channels)
        .map(|((c, truncated), m)| {
            let tau = wide(c, t).wrapping_sub(wide(p, 0).wrapping_mul(truncated));
            tau.wrapping_mul(BoxedUint::from(m.value()))
        })
        .collect();
    let smallest = weighted.iter().min().cloned().unwrap_or_default();
    let sum = weighted
        .iter()
        .fold(wide(&BoxedUint::zero(), 0), |sum, w| sum.wrapping_add(w));
    let largest = inner.corrections().into_iter().max().unwrap_or_default();
    let scaled = sum
        .unbounded_shl_vartime(DELTA_SHIFT)
        .wrapping_sub(&smallest)
        .wrapping_add(wide(&largest, t + DELTA_SHIFT))
        .unbounded_shl_vartime(DEFICIT_BITS);
    let denominator = Option::<NonZero<BoxedUint>>::from(NonZero::new(wide(p, t + DELTA_SHIFT)));
    let Some(denominator) = denominator else {
        return u64::MAX;
    };
    let (quotient, remainder) = scaled.div_rem_vartime(&denominator);
    if quotient.bits_vartime() > 63 {
        return u64::MAX;
    }
    quotient.as_words()[0] + u64::from(remainder.bits_vartime() > 0)
}
