//! Exponentiation on a group of lanes.

use zeroize::{Zeroize, Zeroizing};

use super::{
    digits,
    dispatch::{self, InstructionSet},
    plan::Plan,
    product::{LaneConstants, Numbers, Operand, Scratch},
};
use crate::Exponent;

/// The powers `x^0, ..., x^(2^window - 1)` of every lane: channel by channel, and in each
/// the entries in order. Stored residues are below `2^32`.
pub(super) struct Table<const L: usize> {
    entries: usize,
    residues: Vec<[u32; L]>,
}

impl<const L: usize> Table<L> {
    fn new(entries: usize, channels: usize) -> Self {
        Self {
            entries,
            residues: vec![[0; L]; entries * channels],
        }
    }

    fn store(&mut self, entry: usize, numbers: &Numbers<L>) {
        for (channel, lanes) in numbers.channels.iter().enumerate() {
            debug_assert!(lanes.iter().all(|&lane| lane >> 32 == 0));
            self.residues[channel * self.entries + entry] = lanes.map(|lane| lane as u32);
        }
    }
}

impl<const L: usize> Drop for Table<L> {
    fn drop(&mut self) {
        self.residues.zeroize();
    }
}

/// Each lane's entry of the table, at the lane's secret index: every entry is read, and all
/// but one are masked away.
#[inline(always)]
pub(super) fn select<const L: usize>(table: &Table<L>, indices: &[u64; L], out: &mut Numbers<L>) {
    for (lanes, entries) in out
        .channels
        .iter_mut()
        .zip(table.residues.chunks_exact(table.entries))
    {
        let mut selected = [0u32; L];
        for (entry, residues) in (0u32..).zip(entries) {
            for l in 0..L {
                // All ones where the index is this entry: x - 1 borrows only for x = 0.
                let difference = indices[l] as u32 ^ entry;
                let mask = 0u32.wrapping_sub(difference.wrapping_sub(1) >> 31);
                selected[l] |= residues[l] & mask;
            }
        }
        for l in 0..L {
            lanes[l] = selected[l].into();
        }
    }
}

/// What the exponentiations of one group share.
pub(super) struct Lanes<'a, const L: usize> {
    pub(super) set: InstructionSet,
    pub(super) plan: &'a Plan,
    pub(super) constants: LaneConstants<L>,
    pub(super) scratch: Scratch<L>,
}

impl<const L: usize> Lanes<'_, L> {
    /// `x := x y A^-1`.
    pub(super) fn multiply(&mut self, x: &mut Numbers<L>, y: &Numbers<L>) {
        let other = Operand::Other(y);
        dispatch::montgomery(
            self.set,
            self.plan,
            &self.constants,
            x,
            other,
            &mut self.scratch,
        );
    }

    /// `x := x^2 A^-1`.
    fn square(&mut self, x: &mut Numbers<L>) {
        let itself = Operand::Itself;
        dispatch::montgomery(
            self.set,
            self.plan,
            &self.constants,
            x,
            itself,
            &mut self.scratch,
        );
    }

    /// `x := x A`, into Montgomery form.
    pub(super) fn enter_montgomery_form(&mut self, x: &mut Numbers<L>) {
        let by = Operand::Other(&self.constants.a_squared);
        dispatch::montgomery(
            self.set,
            self.plan,
            &self.constants,
            x,
            by,
            &mut self.scratch,
        );
    }

    /// `x^e` in every lane, by fixed windows from the top. The sequence of operations
    /// depends on `length` only: every table entry is read at every step.
    ///
    /// `one` and `x` in Montgomery form, and the result.
    pub(super) fn power(
        &mut self,
        one: &Numbers<L>,
        x: &Numbers<L>,
        exponents: &[Exponent<'_>; L],
        length: u32,
    ) -> Numbers<L> {
        let window = window_width(length);
        let entries = 1usize << window;
        let mut table = Table::new(entries, one.channels.len());
        table.store(0, one);
        table.store(1, x);
        let mut entry = x.clone();
        for k in 2..entries {
            self.multiply(&mut entry, x);
            table.store(k, &entry);
        }

        let words = exponents.map(|exponent| exponent.value().as_words());
        let mut indices = Zeroizing::new([0; L]);
        let mut power = one.clone();
        let mut selected = one.clone();
        for step in (0..length.div_ceil(window)).rev() {
            let position = (step * window) as usize;
            for (index, words) in indices.iter_mut().zip(words) {
                *index = digits::bits_at(words, position, window);
            }
            dispatch::select(self.set, &table, &indices, &mut selected);
            if step == length.div_ceil(window) - 1 {
                power.channels.copy_from_slice(&selected.channels);
                continue;
            }
            for _ in 0..window {
                self.square(&mut power);
            }
            self.multiply(&mut power, &selected);
        }
        power
    }

    /// `x^e` in every lane, by squaring from the top and multiplying where any lane has a
    /// bit set. The time depends on the exponents, which are public.
    pub(super) fn power_vartime(
        &mut self,
        one: &Numbers<L>,
        x: &Numbers<L>,
        exponents: &[Exponent<'_>; L],
        length: u32,
    ) -> Numbers<L> {
        let words = exponents.map(|exponent| exponent.value().as_words());
        let mut table = Table::new(2, one.channels.len());
        table.store(0, one);
        table.store(1, x);
        let mut power = one.clone();
        let mut selected = one.clone();
        for bit in (0..length).rev() {
            let bits = words.map(|words| digits::bits_at(words, bit as usize, 1));
            if bit == length - 1 {
                dispatch::select(self.set, &table, &bits, &mut power);
                continue;
            }
            self.square(&mut power);
            if bits.contains(&1) {
                dispatch::select(self.set, &table, &bits, &mut selected);
                self.multiply(&mut power, &selected);
            }
        }
        power
    }
}

/// The window that makes an exponentiation cheapest: `2^window` products for the table, a
/// product and a scan of the table per window (a scan of 48 entries costs about a product).
fn window_width(length: u32) -> u32 {
    let cost = |window: u32| {
        let entries = 1 << window;
        48 * entries + length.div_ceil(window) * (48 + entries)
    };
    (1..=6).min_by_key(|&window| cost(window)).unwrap_or(1)
}
