//! Exponentiation on a group of lanes.

use zeroize::Zeroizing;

use super::{Kernels, LaneConstants, Numbers, Operand, Plan, Scratch, Table, digits};
use crate::Exponent;

/// What the products of one group share.
pub(crate) struct Lanes<'a, K, const L: usize> {
    pub(crate) kernels: K,
    pub(crate) plan: &'a Plan,
    pub(crate) constants: LaneConstants<L>,
    pub(crate) scratch: Scratch<L>,
}

impl<K: Kernels, const L: usize> Lanes<'_, K, L> {
    /// `x := x y A^-1`.
    pub(crate) fn multiply(&mut self, x: &mut Numbers<L>, y: &Numbers<L>) {
        let y = Operand::Other(y);
        self.kernels
            .montgomery(self.plan, &self.constants, x, y, &mut self.scratch);
    }

    /// `x := x^2 A^-1`.
    fn square(&mut self, x: &mut Numbers<L>) {
        let y = Operand::Itself;
        self.kernels
            .montgomery(self.plan, &self.constants, x, y, &mut self.scratch);
    }

    /// `x := x A`, into Montgomery form.
    pub(crate) fn enter_montgomery_form(&mut self, x: &mut Numbers<L>) {
        let y = Operand::Other(&self.constants.a_squared);
        self.kernels
            .montgomery(self.plan, &self.constants, x, y, &mut self.scratch);
    }

    /// `x^e` in every lane, by fixed windows from the top. The sequence of operations
    /// depends on `length` only: every table entry is read at every step.
    ///
    /// `one` and `x` in Montgomery form, and the result.
    pub(crate) fn power(
        &mut self,
        one: &Numbers<L>,
        x: &Numbers<L>,
        exponents: &[Exponent<'_>; L],
        length: u32,
    ) -> Numbers<L> {
        let window = window_width(length);
        let mut table = Table::new(1 << window, one.channels.len());
        table.store(0, one, K::entry);
        table.store(1, x, K::entry);
        let mut entry = x.clone();
        for k in 2..1 << window {
            self.multiply(&mut entry, x);
            table.store(k, &entry, K::entry);
        }

        let words = exponents.map(|exponent| exponent.value().as_words());
        let mut indices = Zeroizing::new([0; L]);
        let mut power = one.clone();
        let mut selected = one.clone();
        let steps = length.div_ceil(window);
        for step in (0..steps).rev() {
            for (index, words) in indices.iter_mut().zip(words) {
                *index = digits::bits_at(words, (step * window) as usize, window);
            }
            if step == steps - 1 {
                self.kernels.select(&table, &indices, &mut power);
                continue;
            }
            self.kernels.select(&table, &indices, &mut selected);
            for _ in 0..window {
                self.square(&mut power);
            }
            self.multiply(&mut power, &selected);
        }
        power
    }

    /// `x^e` in every lane, by squaring from the top and multiplying where any lane has a
    /// bit set. The time depends on the exponents, which are public.
    pub(crate) fn power_vartime(
        &mut self,
        one: &Numbers<L>,
        x: &Numbers<L>,
        exponents: &[Exponent<'_>; L],
        length: u32,
    ) -> Numbers<L> {
        let words = exponents.map(|exponent| exponent.value().as_words());
        let mut table = Table::new(2, one.channels.len());
        table.store(0, one, K::entry);
        table.store(1, x, K::entry);
        let mut power = one.clone();
        let mut selected = one.clone();
        for bit in (0..length).rev() {
            let bits = words.map(|words| digits::bits_at(words, bit as usize, 1));
            if bit == length - 1 {
                self.kernels.select(&table, &bits, &mut power);
                continue;
            }
            self.square(&mut power);
            if bits.contains(&1) {
                self.kernels.select(&table, &bits, &mut selected);
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
