//! Columns of some numbers, one a lane, and what kernels do with them.

use crate::limbs::numbers::{Limb, WIDTH};

/// A prime P by whose multiple products may be lifted.
pub(in crate::limbs) trait Lift<const D: usize> {
    /// A multiple of P in columns that is added to products where high halves are rounded to nearest, in place of lifts before
    /// carries: low halves may be negative, these *lifted* columns are not, nor are those of sums of a few such products.
    const PRODUCT_LIFT: Option<[u64; D]> = None;
}

/// A column of a number: a signed integer of 64 bits. Kernels are written once over it: for the registers of each
/// instruction set, and in tests for intervals, which prove that no column overflows.
///
/// Limbs have [`BITS`](Self::BITS) bits, 48 to 52; the highest may have 52, and of those of 51 bits the lowest and the highest
/// may be little more than `2^51`. A product of two limbs has a *high* half, a multiple of `2^BITS`, and a *low* one.
pub(in crate::limbs) trait Word: Copy {
    /// Number of bits of a limb.
    const BITS: u32;
    /// Number of lanes.
    const LANES: usize;
    /// Whether high halves are rounded to nearest, so that low halves may be negative; otherwise down.
    const NEAREST: bool;
    /// Whether a limb is a factor as it is.
    const FREE_FACTORS: bool;

    /// Whether long products are better without loops: where a pair of limbs takes two instructions.
    const IN_ONE_PIECE: bool = false;

    /// A limb as a factor of products.
    type Factor: Copy;

    /// Lanes `LANES part` and on of a row.
    fn load(row: &[u64; WIDTH], part: usize) -> Self;

    /// Stores these lanes of a row.
    fn store(self, row: &mut Limb, part: usize);

    fn splat(value: u64) -> Self;

    /// The factor of a limb, from 0 to below `2^52`.
    fn factor(self) -> Self::Factor;

    /// The lowest `BITS` bits, as a factor only: instructions may ignore the bits above themselves.
    #[inline(always)]
    fn limb_as_factor(self) -> Self {
        self.limb()
    }

    /// `self +` the low half of `x y`. Requires a product below `2^(52 + BITS)`.
    fn low(self, x: Self::Factor, y: Self::Factor) -> Self;

    /// The column `self` before so many low and high halves are added by [`plus_low`](Self::plus_low) and
    /// [`plus_high`](Self::plus_high): less what comes with them.
    #[inline(always)]
    fn before_halves(self, _lows: usize, _highs: usize) -> Self {
        self
    }

    /// The sum to which [`plus_low`](Self::plus_low) adds the low halves that count in the column `self`.
    #[inline(always)]
    fn begin_lows(self) -> Self {
        self
    }

    /// `self +` the low half of `x y`, in the units that the instructions give, with what they add to it.
    #[inline(always)]
    fn plus_low(self, x: Self::Factor, y: Self::Factor) -> Self {
        self.low(x, y)
    }

    /// The column `self` with the low halves that were added.
    #[inline(always)]
    fn end_lows(self, lows: Self) -> Self {
        lows
    }

    /// `self +` the high half of `x y`, divided by `2^BITS`.
    fn high(self, x: Self::Factor, y: Self::Factor) -> Self;

    /// `self +` the high half of `x y`, with what instructions add to it.
    #[inline(always)]
    fn plus_high(self, x: Self::Factor, y: Self::Factor) -> Self {
        self.high(x, y)
    }

    /// The columns of `x y`, lifted, by a kernel in machine code, if there is one for numbers of N limbs in this word.
    #[inline(always)]
    fn product<F: Lift<D>, const N: usize, const D: usize>(
        _x: &[Self; N],
        _y: &[Self; N],
    ) -> Option<[Self; D]> {
        None
    }

    /// The columns plus those of `x y`, in the same way.
    #[inline(always)]
    fn product_added_to<const N: usize, const D: usize>(
        _columns: &[Self; D],
        _x: &[Self; N],
        _y: &[Self; N],
    ) -> Option<[Self; D]> {
        None
    }

    /// The columns of `x^2`, lifted, in the same way.
    #[inline(always)]
    fn square<F: Lift<D>, const N: usize, const D: usize>(_x: &[Self; N]) -> Option<[Self; D]> {
        None
    }

    /// `x y` modulo `2^255 - 19` in lifted columns, in the same way.
    #[inline(always)]
    fn multiply_25519(_x: &[Self; 5], _y: &[Self; 5]) -> Option<[Self; 5]> {
        None
    }

    /// `x^2` modulo `2^255 - 19` in lifted columns, in the same way.
    #[inline(always)]
    fn square_25519(_x: &[Self; 5]) -> Option<[Self; 5]> {
        None
    }

    /// `self + c x`. Requires an x from 0 on, below `2^32`, and a product below `2^52`.
    fn plus_product(self, x: Self, c: u64) -> Self;

    /// Adds the halves of `2^EXPONENT x` for a limb x of `BITS` bits, `EXPONENT + REST`.
    fn plus_power<const EXPONENT: u32, const REST: u32>(sums: [Self; 2], x: Self) -> [Self; 2];

    /// y where the mask has ones, `self` where it has zeros. Constant time: by logic, not by moves under a mask.
    fn blend(self, y: Self, mask: Self) -> Self;

    fn add(self, y: Self) -> Self;

    fn sub(self, y: Self) -> Self;

    /// The lowest COUNT bits.
    fn lowest<const COUNT: u32>(self) -> Self;

    /// `self 2^COUNT`.
    fn shift_left<const COUNT: u32>(self) -> Self;

    /// `floor(self / 2^COUNT)`. Requires a number from 0 on.
    fn shift_right<const COUNT: u32>(self) -> Self;

    /// `floor(self / 2^BITS)`.
    fn carry(self) -> Self;

    /// The [carry](Self::carry) of a column from 0 on, which may take fewer instructions.
    #[inline(always)]
    fn carry_positive(self) -> Self {
        self.carry()
    }

    /// The lowest `BITS` bits.
    fn limb(self) -> Self;

    /// Requires a number from 0 on, which tests with intervals assert.
    #[inline(always)]
    fn assert_from_zero(self) {}

    /// `self`, where a proof that intervals cannot follow says that it is from 0 to `most`.
    #[inline(always)]
    fn known_at_most(self, _most: u64) -> Self {
        self
    }

    /// `self factor`, for a factor of at most `2^11` and a limb.
    fn scaled(self, factor: u32) -> Self;
}
