//! The tile instructions: the configuration of the tiles, and the sequences of loads, products and
//! stores that make up an extension.
//!
//! There are eight tiles of 16 rows of 64 bytes. Tiles 0 to 3 accumulate 32-bit sums, tiles 4 and 5
//! hold weights, and tiles 6 and 7 hold digits of numbers. `tdpbsud` multiplies the signed bytes of
//! its second operand (16 outputs by 64 digits) with the unsigned bytes of its third (64 digits,
//! four per row, by 16 numbers), and adds the products to the sums of its first.
//!
//! Tiles keep their contents from one assembly block to the next. No block declares a tile as
//! changed, because the compiler itself never uses tiles. No block is `pure`, so the compiler keeps
//! them in order.

use core::{arch::asm, array::from_fn, marker::PhantomData};

use zeroize::Zeroize;

use crate::devices::row::Row;

/// Number of rows of a tile.
pub(super) const ROWS: usize = 16;

/// A row of a tile of weights: one output's weights for 64 digits.
pub(super) type WeightRow = Row<i8, 64>;

/// A tile of sums: a row per output, a lane per number. Wiped on drop.
#[repr(C, align(64))]
pub(super) struct Sums(pub(super) [Row<i32, ROWS>; ROWS]);

impl Sums {
    /// A tile of zeros.
    pub(super) const ZERO: Self = Self([Row([0; ROWS]); ROWS]);
}

impl Drop for Sums {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The sums of the four accumulators, tiles 0 to 3.
pub(super) type Accumulators = [Sums; 4];

/// The operand of `LDTILECFG` in memory (Intel SDM).
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes_per_row: [u16; 16],
    rows: [u8; 16],
}

/// Eight tiles of full size.
static FULL_TILES: Configuration = Configuration {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    bytes_per_row: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// The configured tiles of a thread, to which the value is bound. Dropping it releases the tiles
/// and wipes them.
pub(super) struct Tiles(PhantomData<*const ()>);

#[expect(
    clippy::unused_self,
    reason = "the value proves that the tiles are configured"
)]
impl Tiles {
    /// Configures the tiles of this thread.
    ///
    /// # Safety
    /// The processor must have AMX-TILE and AMX-INT8, the operating system must have granted the
    /// tiles' state to the process, and no other `Tiles` may exist on this thread.
    #[inline]
    pub(super) unsafe fn configure() -> Self {
        // SAFETY: the instruction reads the 64 bytes of `FULL_TILES`. The caller ensures that the
        // processor has it and that the operating system permits it.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const FULL_TILES, options(nostack, readonly));
        }
        Self(PhantomData)
    }

    /// The first step of a block: sets the accumulators to `initial` (tiles 0 and 1) and to zero
    /// (tiles 2 and 3), then does [`Self::step`].
    ///
    /// # Safety
    /// As for [`Self::step`]; 16 rows from `initial` on must be readable.
    #[inline]
    pub(super) unsafe fn begin(
        &self,
        weights: *const WeightRow,
        digits: *const Row<u16, 32>,
        apart: usize,
        initial: *const Row<u32, ROWS>,
    ) {
        // SAFETY: tile loads of 16 rows of 64 bytes each, which the caller ensures to be readable;
        // the tiles are configured as long as `self` exists.
        unsafe {
            asm!(
                "tileloadd tmm4, [{weights} + {one}*1]",
                "tileloadd tmm6, [{digits} + {apart}*1]",
                "tileloadd tmm0, [{initial} + {one}*1]",
                "tdpbsud tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{digits} + {apart}*1 + 64]",
                "tileloadd tmm1, [{initial} + {one}*1]",
                "tdpbsud tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{weights} + {one}*1 + 1024]",
                "tilezero tmm2",
                "tdpbsud tmm2, tmm5, tmm6",
                "tilezero tmm3",
                "tdpbsud tmm3, tmm5, tmm7",
                weights = in(reg) weights,
                digits = in(reg) digits,
                initial = in(reg) initial,
                one = in(reg) 64usize,
                apart = in(reg) apart,
                options(nostack, readonly, preserves_flags),
            );
        }
    }

    /// A step: adds the products of two tiles of weights with two tiles of digits to the four
    /// accumulators.
    ///
    /// The tiles of weights are the 16 rows at `weights` and the next 16 rows. The first tile of
    /// digits has 16 rows, `apart` bytes from one another, from `digits` on. The second tile has
    /// the row that follows each of them.
    ///
    /// # Safety
    /// 32 rows from `weights` on must be readable, and so must two rows at each of the 16 addresses
    /// that are `apart` bytes from one another, from `digits` on.
    #[inline]
    pub(super) unsafe fn step(
        &self,
        weights: *const WeightRow,
        digits: *const Row<u16, 32>,
        apart: usize,
    ) {
        // SAFETY: four tile loads of 16 rows of 64 bytes each, which the caller ensures to be
        // readable; the tiles are configured as long as `self` exists.
        unsafe {
            asm!(
                "tileloadd tmm4, [{weights} + {one}*1]",
                "tileloadd tmm6, [{digits} + {apart}*1]",
                "tdpbsud tmm0, tmm4, tmm6",
                "tileloadd tmm7, [{digits} + {apart}*1 + 64]",
                "tdpbsud tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{weights} + {one}*1 + 1024]",
                "tdpbsud tmm2, tmm5, tmm6",
                "tdpbsud tmm3, tmm5, tmm7",
                weights = in(reg) weights,
                digits = in(reg) digits,
                one = in(reg) 64usize,
                apart = in(reg) apart,
                options(nostack, readonly, preserves_flags),
            );
        }
    }

    /// The turn from one block of outputs to the next, with the digits of the previous step.
    /// Stores each accumulator in `finished`, then begins the next block in it at once, so that no
    /// product has to wait for all four stores.
    ///
    /// # Safety
    /// 32 rows from `weights` on, and 16 rows from `initial` on, must be readable.
    #[inline]
    pub(super) unsafe fn turn_to_block(
        &self,
        finished: &mut Accumulators,
        weights: *const WeightRow,
        initial: *const Row<u32, ROWS>,
    ) {
        // SAFETY: as for `step`; the four stores of 1 KiB each fill `finished`.
        unsafe {
            asm!(
                "tileloadd tmm4, [{weights} + {one}*1]",
                "tilestored [{finished} + {one}*1], tmm0",
                "tileloadd tmm0, [{initial} + {one}*1]",
                "tdpbsud tmm0, tmm4, tmm6",
                "tilestored [{finished} + {one}*1 + 1024], tmm1",
                "tileloadd tmm1, [{initial} + {one}*1]",
                "tdpbsud tmm1, tmm4, tmm7",
                "tileloadd tmm5, [{weights} + {one}*1 + 1024]",
                "tilestored [{finished} + {one}*1 + 2048], tmm2",
                "tilezero tmm2",
                "tdpbsud tmm2, tmm5, tmm6",
                "tilestored [{finished} + {one}*1 + 3072], tmm3",
                "tilezero tmm3",
                "tdpbsud tmm3, tmm5, tmm7",
                weights = in(reg) weights,
                initial = in(reg) initial,
                finished = in(reg) finished,
                one = in(reg) 64usize,
                options(nostack, preserves_flags),
            );
        }
    }

    /// The turn from one half of the numbers to the other, with the weights of the previous step.
    /// Otherwise like [`Self::turn_to_block`].
    ///
    /// # Safety
    /// 16 rows from `initial` on must be readable, and so must the rows of digits as for
    /// [`Self::step`].
    #[inline]
    pub(super) unsafe fn turn_to_half(
        &self,
        finished: &mut Accumulators,
        digits: *const Row<u16, 32>,
        apart: usize,
        initial: *const Row<u32, ROWS>,
    ) {
        // SAFETY: as for `step`; the four stores of 1 KiB each fill `finished`.
        unsafe {
            asm!(
                "tileloadd tmm6, [{digits} + {apart}*1]",
                "tilestored [{finished} + {one}*1], tmm0",
                "tileloadd tmm0, [{initial} + {one}*1]",
                "tdpbsud tmm0, tmm4, tmm6",
                "tilestored [{finished} + {one}*1 + 2048], tmm2",
                "tilezero tmm2",
                "tdpbsud tmm2, tmm5, tmm6",
                "tileloadd tmm7, [{digits} + {apart}*1 + 64]",
                "tilestored [{finished} + {one}*1 + 1024], tmm1",
                "tileloadd tmm1, [{initial} + {one}*1]",
                "tdpbsud tmm1, tmm4, tmm7",
                "tilestored [{finished} + {one}*1 + 3072], tmm3",
                "tilezero tmm3",
                "tdpbsud tmm3, tmm5, tmm7",
                digits = in(reg) digits,
                apart = in(reg) apart,
                initial = in(reg) initial,
                finished = in(reg) finished,
                one = in(reg) 64usize,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Stores the four accumulators in `finished`.
    #[inline]
    pub(super) fn finish(&self, finished: &mut Accumulators) {
        // SAFETY: the four stores of 1 KiB each fill `finished`; the tiles are configured as
        // long as `self` exists.
        unsafe {
            asm!(
                "tilestored [{finished} + {one}*1], tmm0",
                "tilestored [{finished} + {one}*1 + 1024], tmm1",
                "tilestored [{finished} + {one}*1 + 2048], tmm2",
                "tilestored [{finished} + {one}*1 + 3072], tmm3",
                finished = in(reg) finished,
                one = in(reg) 64usize,
                options(nostack, preserves_flags),
            );
        }
    }

    /// Sets the accumulators for a block with one tile of weights per step: tiles 0 and 1 to
    /// `initial`, tiles 2 and 3 to zero.
    ///
    /// # Safety
    /// 16 rows from `initial` on must be readable.
    #[inline]
    pub(super) unsafe fn begin_single(&self, initial: *const Row<u32, ROWS>) {
        // SAFETY: two tile loads of the same 16 rows, which the caller ensures to be readable; the
        // tiles are configured as long as `self` exists.
        unsafe {
            asm!(
                "tileloadd tmm0, [{initial} + {one}*1]",
                "tileloadd tmm1, [{initial} + {one}*1]",
                "tilezero tmm2",
                "tilezero tmm3",
                initial = in(reg) initial,
                one = in(reg) 64usize,
                options(nostack, readonly, preserves_flags),
            );
        }
    }

    /// A step with one tile of weights: adds its products with two tiles of digits to tiles 0 and
    /// 1, or to tiles 2 and 3 if `odd`. Steps alternate between them, so that none waits for the
    /// one before.
    ///
    /// # Safety
    /// 16 rows from `weights` on must be readable, and so must the rows of digits as for
    /// [`Self::step`].
    #[inline]
    pub(super) unsafe fn step_single(
        &self,
        weights: *const WeightRow,
        digits: *const Row<u16, 32>,
        apart: usize,
        odd: bool,
    ) {
        // SAFETY: as for `step`, with one tile of weights.
        unsafe {
            asm!(
                "tileloadd tmm4, [{weights} + {one}*1]",
                "tileloadd tmm6, [{digits} + {apart}*1]",
                "tileloadd tmm7, [{digits} + {apart}*1 + 64]",
                weights = in(reg) weights,
                digits = in(reg) digits,
                one = in(reg) 64usize,
                apart = in(reg) apart,
                options(nostack, readonly, preserves_flags),
            );
            if odd {
                asm!(
                    "tdpbsud tmm2, tmm4, tmm6",
                    "tdpbsud tmm3, tmm4, tmm7",
                    options(nostack, nomem, preserves_flags),
                );
            } else {
                asm!(
                    "tdpbsud tmm0, tmm4, tmm6",
                    "tdpbsud tmm1, tmm4, tmm7",
                    options(nostack, nomem, preserves_flags),
                );
            }
        }
    }
}

impl Tiles {
    /// Whether the tiles compute the right sums: compares one step with the same sums in integer
    /// arithmetic.
    pub(super) fn multiply_as_described(&self) -> bool {
        let weights: [WeightRow; 2 * ROWS] = from_fn(|row| {
            Row(from_fn(|column| {
                ((89 * row + 57 * column) as u8).cast_signed()
            }))
        });
        let digits: [Row<u16, 32>; 2 * ROWS] =
            from_fn(|row| Row(from_fn(|lane| (40_503 * row + 30_011 * lane) as u16)));
        let initial: [Row<u32, ROWS>; ROWS] = from_fn(|row| Row([row as u32 * 0x0fed_cba9; ROWS]));
        let mut sums: Accumulators = [Sums::ZERO; 4];
        // SAFETY: `weights` has 32 rows. `digits` has 16 pairs of rows, 128 bytes from one another.
        // `initial` has 16 rows.
        unsafe { self.begin(weights.as_ptr(), digits.as_ptr(), 128, initial.as_ptr()) };
        self.finish(&mut sums);
        (0..4 * ROWS * ROWS).all(|index| {
            let (tile, row, lane) = (index / (ROWS * ROWS), index / ROWS % ROWS, index % ROWS);
            let (high, side) = (tile / 2, tile % 2);
            let start = if high == 0 { initial[row][lane] } else { 0 };
            let sum = (0..64).fold(start.cast_signed(), |sum, digit| {
                let pair = digits[2 * (digit / 4) + side][2 * lane + digit / 2 % 2];
                let byte = pair.to_le_bytes()[digit % 2];
                let weight = weights[high * ROWS + row][digit];
                sum.wrapping_add(i32::from(weight) * i32::from(byte))
            });
            sums[tile].0[row][lane] == sum
        })
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: the tiles are configured. The instruction returns them to their initial state,
        // which clears them.
        unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
    }
}
