//! The common part of both forms of the sum of residues: a base of 66-bit channels for a prime
//! `p`, the products `gamma_i`, the rank, and the weighted sums in every channel.
//!
//! ```text
//! Z = sum gamma_i M_i - alpha M        gamma_i = |z_i M_i^-1|_{m_i},  M_i = M / m_i
//! z_j = | sum_i gamma_i |<M_i>_p|_{m_j} + a_j - kappa |p|_{m_j} |_{m_j}
//! ```
//!
//! Source: M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), equations (3), (4), (18) and Algorithm 2.

use alloc::vec::Vec;

use crypto_bigint::{BoxedUint, ConcatenatingMul, NonZero, Resize};
use sunzi_rns::channel::Operation;
use sunzi_rns::{Base, Channel, Residues};
use zeroize::Zeroizing;

use super::channels::{add, mul_constant};
use super::error::{MAX_CHANNELS, SumOfResiduesError};
use super::modulus66::{EXPONENTS_8, EXPONENTS_16, Modulus66, WIDTH};
use super::rank::{DELTA_SHIFT, RankEstimator};

/// A base of 66-bit channels, and the constants of `p` in it.
#[derive(Clone, Debug)]
pub(super) struct Base66 {
    pub(super) base: Base,
    pub(super) channels: Vec<Modulus66>,
    pub(super) p: NonZero<BoxedUint>,
    /// `<M_i>_p`, as integers.
    pub(super) cofactors_mod_p: Vec<BoxedUint>,
    /// `[j][i] = |<M_i>_p|_{m_j}`.
    weights: Vec<Vec<u128>>,
    /// `|-p|_{m_j}`.
    minus_p: Vec<u128>,
    rank: RankEstimator,
    /// `15 M / 16`, rounded up: `Z` must be below it.
    limit: BoxedUint,
}

impl Base66 {
    /// The base with the fewest channels (2 to 16) in which `(2p)^2 < 15M/16`.
    pub(super) fn new(p: &BoxedUint) -> Result<Self, SumOfResiduesError> {
        let bits = p.bits_vartime();
        if bits < 2 {
            return Err(SumOfResiduesError::TooSmall);
        }
        // It is enough to compare the sizes of 4p^2 and 15M/16, since M is within 2^-40 of 2^(66N).
        let needed = 2 * bits + 3;
        let count = needed.div_ceil(WIDTH).max(2) as usize;
        if count > MAX_CHANNELS {
            let largest = (MAX_CHANNELS as u32 * WIDTH - 3) / 2;
            return Err(SumOfResiduesError::TooLarge { bits, largest });
        }
        let exponents = if count <= 8 {
            &EXPONENTS_8[..]
        } else {
            &EXPONENTS_16[..]
        };
        let channels: Vec<Modulus66> = core::iter::once(Modulus66::MERSENNE)
            .chain(exponents.iter().filter_map(|&t| Modulus66::new(t)))
            .take(count)
            .collect();
        let values: Vec<u128> = channels.iter().map(Modulus66::value).collect();
        let base = Base::new_odd(&values)?;
        let p = p.clone().resize_unchecked(bits.next_multiple_of(64));
        let p = Option::<NonZero<BoxedUint>>::from(NonZero::new(p))
            .ok_or(SumOfResiduesError::TooSmall)?;

        let cofactors_mod_p: Vec<BoxedUint> = (0..count)
            .map(|i| base.cofactor(i).rem_vartime(&p))
            .collect();
        let weights = base
            .moduli()
            .iter()
            .map(|m| cofactors_mod_p.iter().map(|c| m.reduce_uint(c)).collect())
            .collect();
        let minus_p = base
            .moduli()
            .iter()
            .map(|m| m.neg(m.reduce_uint(p.as_ref())))
            .collect();
        let limit = limit(base.product());
        let rank = RankEstimator::shortest(&values);
        Ok(Self {
            base,
            channels,
            p,
            cofactors_mod_p,
            weights,
            minus_p,
            rank,
            limit,
        })
    }

    /// The same base with `q` leading bits in the rank.
    pub(super) fn with_rank_bits(mut self, q: u32) -> Result<Self, SumOfResiduesError> {
        let values: Vec<u128> = self.channels.iter().map(Modulus66::value).collect();
        self.rank = RankEstimator::new(&values, q)?;
        Ok(self)
    }

    /// The residues of `Z < 15M/16`.
    pub(super) fn residues(&self, z: &BoxedUint) -> Result<Residues, SumOfResiduesError> {
        if z >= &self.limit {
            let limit_bits = self.limit.bits_vartime();
            return Err(SumOfResiduesError::OutOfRange {
                bits: z.bits_vartime(),
                limit_bits,
            });
        }
        Ok(Residues::reduced(&self.base, z))
    }

    /// All `gamma_i` and the exact rank `alpha` of `Z < 15M/16`.
    ///
    /// Cost: `N` CMM.
    pub(super) fn gammas(
        &self,
        channel: &impl Channel,
        z: &Residues,
    ) -> (Zeroizing<Vec<u128>>, u128) {
        assert_eq!(
            z.base(),
            &self.base,
            "the number is not in the base of this reduction"
        );
        debug_assert!(
            z.to_uint() < self.limit,
            "Z >= 15M/16: its rank is not exact"
        );
        let constants = self.base.cofactor_inverses();
        let factors = self.channels.iter().zip(z.values()).zip(constants);
        let gammas: Vec<u128> = factors
            .map(|((m, &z), &c)| mul_constant(channel, m, z, c))
            .collect();
        let alpha = self.rank.rank(&gammas);
        debug_assert!(alpha < self.channels.len() as u128);
        (Zeroizing::new(gammas), alpha)
    }

    /// `| sum_i gamma_i <M_i>_p + offset_j - kappa p |_{m_j}` for every `j`, for
    /// `offset_j < m_j`.
    ///
    /// Cost: `N^2 + N` CMM, `N` CMR (of `kappa`) and `N^2 + N` EMA.
    pub(super) fn combine(
        &self,
        channel: &impl Channel,
        gammas: &[u128],
        offsets: impl Iterator<Item = u128>,
        kappa: u128,
    ) -> Vec<u128> {
        let rows = self.channels.iter().zip(&self.weights).zip(&self.minus_p);
        rows.zip(offsets)
            .map(|(((m, weights), &minus_p), offset)| {
                let multiple = multiple_of_p(channel, m, kappa, minus_p);
                let start = add(channel, m, offset, multiple);
                let terms = gammas.iter().zip(weights);
                terms.fold(start, |sum, (&gamma, &weight)| {
                    add(channel, m, sum, mul_constant(channel, m, gamma, weight))
                })
            })
            .collect()
    }

    /// `|gamma_i <M_i>_p|_{m_j}`, as `[i][j]`: the terms that [`Base66::combine`] adds up.
    ///
    /// Cost: `N^2` CMM.
    pub(super) fn terms(&self, channel: &impl Channel, gammas: &[u128]) -> Vec<Vec<u128>> {
        let term = |i: usize, gamma: u128| {
            let rows = self.channels.iter().zip(&self.weights);
            rows.map(|(m, weights)| mul_constant(channel, m, gamma, weights[i]))
                .collect()
        };
        let gammas = gammas.iter().enumerate();
        gammas.map(|(i, &gamma)| term(i, gamma)).collect()
    }

    /// `|-kappa p|_{m_j}` for every `j`.
    ///
    /// Cost: `N` CMM and `N` CMR.
    pub(super) fn multiple(&self, channel: &impl Channel, kappa: u128) -> Vec<u128> {
        let rows = self.channels.iter().zip(&self.minus_p);
        rows.map(|(m, &minus_p)| multiple_of_p(channel, m, kappa, minus_p))
            .collect()
    }

    /// `[j][i] = |<M_i>_p|_{m_j}`.
    pub(super) fn weights(&self) -> &[Vec<u128>] {
        &self.weights
    }

    /// `|-p|_{m_j}`.
    pub(super) fn minus_p(&self) -> &[u128] {
        &self.minus_p
    }

    /// `q`, the number of leading bits of each `gamma_i` in the rank.
    pub(super) fn rank_bits(&self) -> u32 {
        self.rank.bits()
    }

    /// `<-alpha M>_p` for `alpha = 0, ..., N - 1`, as integers.
    pub(super) fn corrections(&self) -> Vec<BoxedUint> {
        let m_mod_p = self.base.product().rem_vartime(&self.p);
        (0..self.channels.len() as u64)
            .map(|alpha| {
                let multiple = m_mod_p.concatenating_mul(BoxedUint::from(alpha));
                multiple.rem_vartime(&self.p).neg_mod(&self.p)
            })
            .collect()
    }
}

/// `|-kappa p|_m` from `|-p|_m`. Cost: one CMM and one CMR.
fn multiple_of_p(channel: &impl Channel, m: &Modulus66, kappa: u128, minus_p: u128) -> u128 {
    channel.tally(Operation::Reduction, 1);
    mul_constant(channel, m, m.reduce(kappa), minus_p)
}

/// `ceil((1 - Delta) M)`.
fn limit(product: &BoxedUint) -> BoxedUint {
    let bits = product.bits_precision();
    product
        .wrapping_sub(product.unbounded_shr_vartime(DELTA_SHIFT))
        .resize_unchecked(bits)
}
