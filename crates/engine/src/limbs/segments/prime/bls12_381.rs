//! The prime of BLS12-381's coordinates.

use super::Prime;
use crate::limbs::segments::{
    columns::{add_constants, propagate_uncut, reduce_in_rows},
    word::{Lift, Word},
};

/// The prime of BLS12-381's coordinates, of 381 bits in eight limbs of 52, with the Montgomery factor `F = 2^416`.
///
/// It has no form that would make a reduction short. But F exceeds P by 35 bits: a product of numbers of hundreds of P each
/// is little more than P, and only differences must be reduced. Between formulas numbers are those of any modulus.
pub(in crate::limbs) struct Bls12381;

impl Bls12381 {
    /// P in limbs.
    pub(in crate::limbs::segments) const P: [u64; 8] = [
        0xe_ffff_ffff_aaab,
        0xf_eb15_3fff_fb9f,
        0x6_b0f6_241e_abff,
        0x1_2bf6_730d_2a0f,
        0x7_6477_4b84_f385,
        0x1_ba7b_6434_bacd,
        0x1_ea39_7fe6_9a4b,
        0x1_a011,
    ];
    /// `-P^-1 mod 2^52`.
    const NEGATIVE_INVERSE: u64 = 0x3_fffc_fffc_fffd;
    /// `2^416 - P` in limbs.
    const COMPLEMENT: [u64; 8] = [
        0x1_0000_0000_5555,
        0x0_14ea_c000_0460,
        0x9_4f09_dbe1_5400,
        0xe_d409_8cf2_d5f0,
        0x8_9b88_b47b_0c7a,
        0xe_4584_9bcb_4532,
        0xe_15c6_8019_65b4,
        0xf_ffff_fffe_5fee,
    ];
    /// The number of bits behind the point of an estimated quotient.
    const FRACTION: u32 = 10;
    /// `floor(2^(416 + FRACTION) / P)`.
    const RECIPROCAL: u64 = 43_296_882_413_362;
    /// The highest limb of a number of `P + 2^-8 P`.
    const MOST: u64 = Self::P[7] + (Self::P[7] >> 8);

    /// `2^13 P` in limbs, of which the highest is longer.
    const LIFT: [u64; 8] = Self::multiple(13);

    /// `2^exponent P` in limbs, of which the highest is longer, for an exponent of at most 32.
    pub(in crate::limbs::segments) const fn multiple(exponent: u32) -> [u64; 8] {
        let mut limbs = [0; 8];
        let mut carry = 0;
        let mut k = 0;
        while k < 8 {
            let limb = ((Self::P[k] as u128) << exponent) + carry;
            limbs[k] = if k < 7 {
                limb as u64 & ((1 << 52) - 1)
            } else {
                limb as u64
            };
            carry = limb >> 52;
            k += 1;
        }
        limbs
    }

    /// `2^exponent P^2` in limbs, for an exponent of at most 32.
    pub(in crate::limbs::segments) const fn multiple_of_square(exponent: u32) -> [u64; 16] {
        let multiple = Self::multiple(exponent);
        let mut limbs = [0; 16];
        let mut i = 0;
        while i < 8 {
            let mut carry = 0;
            let mut j = 0;
            while j < 8 {
                let sum = multiple[i] as u128 * Self::P[j] as u128 + limbs[i + j] as u128 + carry;
                limbs[i + j] = sum as u64 & ((1 << 52) - 1);
                carry = sum >> 52;
                j += 1;
            }
            limbs[i + 8] = carry as u64;
            i += 1;
        }
        limbs
    }
}

impl Lift<16> for Bls12381 {}

impl Prime<8, 16> for Bls12381 {
    const SIGNED: bool = true;

    #[inline(always)]
    fn reduce<W: Word>(columns: [W; 16]) -> [W; 8] {
        reduce_in_rows(columns, &Self::P, Self::NEGATIVE_INVERSE)
    }

    /// The number is from 0 on, so that its highest limb is, too.
    #[inline(always)]
    fn carry<W: Word>(columns: [W; 8]) -> [W; 8] {
        let mut number: [W; 8] = propagate_uncut(columns);
        number[7] = number[7].known_at_most((1 << 52) - 1);
        number
    }

    /// `2^13 P`.
    #[inline(always)]
    fn lift<W: Word>(columns: [W; 8]) -> [W; 8] {
        add_constants(columns, Self::LIFT)
    }

    /// Subtracts q P for an estimate q of the quotient, by adding `q (2^416 - P)` modulo `2^416`.
    ///
    /// The lifted number v is from P to `2^20 P`. Its highest limb t is known but for the carries that come from below, and they
    /// are less than 2; `t RECIPROCAL / 2^52` is `v 2^10 / P` but for `2 2^10 2^364 / P + t / 2^52 < 2^-5`. The floor of
    /// that less one is no more than `v 2^10 / P`, and more than `v 2^10 / P - 2.1`: q is no more than `v / P`, and above
    /// `v / P - 1 - 2^-8`.
    #[inline(always)]
    fn carry_lifted<W: Word>(columns: [W; 8]) -> [W; 8] {
        let mut columns = Self::lift(columns);
        let top = columns[7].add(columns[6].carry()).factor();
        let quotient = W::splat(0).high(top, W::splat(Self::RECIPROCAL).factor());
        let quotient = quotient
            .sub(W::splat(1))
            .shift_right::<{ Self::FRACTION }>();
        let quotient = quotient.factor();
        for k in 0..8 {
            let limb = W::splat(Self::COMPLEMENT[k]).factor();
            columns[k] = columns[k].low(quotient, limb);
            if k < 7 {
                columns[k + 1] = columns[k + 1].high(quotient, limb);
            }
        }
        let mut number: [W; 8] = propagate_uncut(columns);
        number[7] = number[7].limb().known_at_most(Self::MOST);
        number
    }
}
