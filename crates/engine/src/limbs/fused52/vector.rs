//! Vectors of limbs, one number a lane, and their products, with AVX2 and AVX-512F by fused multiplications of float64.
//!
//! x and y below `2^52` are floats without error. `p = x y + 2^104`, rounded to a multiple of `2^52`, has
//! the high half of the product in the lowest bits of its representation. `2^104 - p` is exact, and so is
//! `x y + (2^104 - p)`, the low half. Representations are added up as integers, together with those of the
//! powers of two, the *biases* of a sum, which are subtracted from it in the end.
//!
//! If p is rounded downwards, the halves are those of the integer. If it is rounded to nearest, the low half is from
//! `-2^51` to `2^51`, and the high half is one more if the low one is negative.
//!
//! There are no closures: they would be compiled without the instructions of the kernel around them.

use crate::limbs::numbers::Limb;

/// `2^104`, whose last bit has the weight `2^52`.
pub(super) const HIGH: f64 = (1u128 << 104) as f64;
/// `2^52`, whose last bit has the weight 1.
pub(super) const LOW: f64 = (1u64 << 52) as f64;
/// `2^52 + 2^51`: the last bit of its sums with numbers from `-2^51` to `2^51` has the weight 1, too.
pub(super) const MIDDLE: f64 = (3u64 << 51) as f64;

/// A vector of limbs: the lanes of a row.
pub(super) trait Lanes: Copy {
    /// The bias of a low half: the part that it adds to a sum besides itself.
    const LOW_BIAS: u64;
    /// The bias of a high half: the part that it adds to a sum besides itself.
    const HIGH_BIAS: u64 = HIGH.to_bits();

    /// The type of limbs as factors: floats, or integers with AVX-IFMA.
    type Factor: Copy;

    fn splat(value: u64) -> Self;

    fn load(row: &Limb) -> Self;

    fn store(self, row: &mut Limb);

    /// The factors that [`store_factor`](Self::store_factor) has stored.
    fn load_factor(row: &Limb) -> Self::Factor;

    fn store_factor(factor: Self::Factor, row: &mut Limb);

    fn add(self, y: Self) -> Self;

    fn sub(self, y: Self) -> Self;

    fn and(self, y: Self) -> Self;

    fn xor(self, y: Self) -> Self;

    /// `self 2^count`.
    fn shift_left(self, count: u32) -> Self;

    /// `floor(self / 2^COUNT)` of lanes from 0 on.
    fn shift_right<const COUNT: u32>(self) -> Self;

    /// `floor(self / 2^52)` of signed lanes.
    fn carry(self) -> Self;

    /// The positive lanes, and 0 for others.
    fn or_zero(self) -> Self;

    /// The lowest 52 bits as a factor.
    fn factor(self) -> Self::Factor;

    /// `sum +` the low half of `x y`.
    fn low(sum: Self, x: Self::Factor, y: Self::Factor) -> Self;

    /// `sum +` the high half of `x y`.
    fn high(sum: Self, x: Self::Factor, y: Self::Factor) -> Self;

    /// `floor(x y / 2^52)`, without a bias.
    fn floor(x: Self::Factor, y: Self::Factor) -> Self;

    /// `self y mod 2^52`, from 0 on.
    fn digit(self, y: Self::Factor) -> Self::Factor;

    /// `sums + x y`, for a limb x and a block y. The sums belong to the columns from that of `x y_0` on, one more than
    /// y has limbs.
    #[inline(always)]
    fn add_row<const B: usize>(sums: &mut [Self], x: Self::Factor, y: &[Limb; B]) {
        for j in 0..B {
            let y = Self::load_factor(&y[j]);
            sums[j] = Self::low(sums[j], x, y);
            sums[j + 1] = Self::high(sums[j + 1], x, y);
        }
    }

    /// `sums + x y` for two blocks, in `2 B` columns.
    #[inline(always)]
    fn add_block<const B: usize>(sums: &mut [[Self; B]; 2], x: &[Limb; B], y: &[Limb; B]) {
        let sums = sums.as_flattened_mut();
        for i in 0..B {
            Self::add_row(&mut sums[i..=i + B], Self::load_factor(&x[i]), y);
        }
    }
}
