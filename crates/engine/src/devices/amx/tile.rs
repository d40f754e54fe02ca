//! The tile instructions: a configuration, and the few sequences of loads, products and stores
//! that an extension is made of.
//!
//! Eight tiles of 16 rows of 64 bytes. Tiles 0 to 3 accumulate 32-bit sums, tiles 4 and 5 hold
//! weights, tiles 6 and 7 digits of numbers. `tdpbsud` multiplies signed bytes of its second
//! operand (16 outputs by 64 digits) with unsigned bytes of its third (64 digits, in 16 rows of
//! four, by 16 numbers).
//!
//! Tiles keep their contents from one assembly block to the next, which is why no block declares
//! them changed: the compiler has no use for tiles of its own. Blocks are not `pure`, so they stay
//! in their order.

use core::{arch::asm, array::from_fn, marker::PhantomData};

use zeroize::Zeroize;

use crate::devices::row::Row;

/// Rows of a tile.
pub(super) const ROWS: usize = 16;

/// A row of a tile of weights: 64 digits of one output.
pub(super) type WeightRow = Row<i8, 64>;

/// A tile of sums: a row for each output, a column for each number. Wiped on drop.
#[repr(C, align(64))]
pub(super) struct Sums(pub(super) [Row<i32, ROWS>; ROWS]);

impl Sums {
    pub(super) const ZERO: Self = Self([Row([0; ROWS]); ROWS]);
}

impl Drop for Sums {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// The four accumulators, in the order of the tiles 0 to 3.
pub(super) type Accumulators = [Sums; 4];

/// The memory form of a configuration (Intel SDM, `LDTILECFG`).
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes_per_row: [u16; 16],
    rows: [u8; 16],
}

static FULL_TILES: Configuration = Configuration {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    bytes_per_row: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// This thread's tiles, configured, until it is dropped, which also wipes them. Bound to its
/// thread.
pub(super) struct Tiles(PhantomData<*const ()>);

#[expect(
    clippy::unused_self,
    reason = "whoever has it has configured the tiles"
)]
impl Tiles {
    /// Configures the tiles of this thread.
    ///
    /// # Safety
    /// The processor has AMX-TILE and AMX-INT8, the operating system has granted their state to
    /// the process, and no other `Tiles` lives on this thread.
    #[inline]
    pub(super) unsafe fn configure() -> Self {
        // SAFETY: the instruction reads the 64 bytes; the caller vouches for the processor.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const FULL_TILES, options(nostack, readonly));
        }
        Self(PhantomData)
    }

    /// The first step of a block: accumulators from `initial` (tiles 0 and 1) and zero (2 and
    /// 3), plus the product of two tiles of weights with two tiles of digits.
    ///
    /// # Safety
    /// As for [`Self::step`]; `initial` is a whole tile.
    #[inline]
    pub(super) unsafe fn begin(
        &self,
        weights: *const WeightRow,
        digits: *const Row<u16, 32>,
        apart: usize,
        initial: *const Row<u32, ROWS>,
    ) {
        // SAFETY: as for `step`.
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

    /// Another step: adds the product of two tiles of weights (`weights`, and the one behind it)
    /// with two tiles of digits, 16 rows each: those `apart` bytes from one another from `digits`
    /// on, and the rows behind them.
    ///
    /// # Safety
    /// 32 rows from `weights` on, and 16 times two rows from `digits` on, are there to be read.
    #[inline]
    pub(super) unsafe fn step(
        &self,
        weights: *const WeightRow,
        digits: *const Row<u16, 32>,
        apart: usize,
    ) {
        // SAFETY: four tile loads of 16 rows of 64 bytes each, which the caller vouches for; the
        // tiles are configured as long as `self` lives.
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

    /// From one block of outputs to the next: stores each accumulator in turn and begins the next
    /// block in it, so that no tile waits for all stores. The digits are those of the step before.
    ///
    /// # Safety
    /// As for [`Self::begin`].
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

    /// The same from one half of the numbers to another: the weights are those of the step before.
    ///
    /// # Safety
    /// As for [`Self::begin`].
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

    /// Stores the accumulators.
    #[inline]
    pub(super) fn finish(&self, finished: &mut Accumulators) {
        // SAFETY: the four stores of 1 KiB each fill `finished`; the tiles are configured as
        // long as `self` lives.
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

    /// Sets the accumulators for a block of one tile of weights per step: tiles 0 and 1 to
    /// `initial`, tiles 2 and 3 to zero.
    ///
    /// # Safety
    /// `initial` is a whole tile.
    #[inline]
    pub(super) unsafe fn begin_single(&self, initial: *const Row<u32, ROWS>) {
        // SAFETY: two loads of 1 KiB, which the caller vouches for.
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

    /// One tile of weights with two tiles of digits, into tiles 0 and 1, or, where `odd`, into
    /// tiles 2 and 3: steps alternate, so that none waits for the one before.
    ///
    /// # Safety
    /// 16 rows from `weights` on, and 16 times two rows from `digits` on, are there to be read.
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
    /// Whether the tiles multiply as described: one step, against the same sums in plain numbers.
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
        // SAFETY: 32 rows of weights, 32 rows of digits that are two by two 128 bytes apart, a tile
        // of 16 rows.
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
        // SAFETY: configured, and back to the initial state, which clears the tiles.
        unsafe { asm!("tilerelease", options(nostack, nomem, preserves_flags)) };
    }
}
