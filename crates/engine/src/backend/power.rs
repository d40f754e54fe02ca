//! Exponentiation of all members of a group together.

use zeroize::Zeroizing;

use super::{digits, group::Group};
use crate::Exponent;

/// `x^e` for every member, by fixed windows from the top. The sequence of operations depends
/// on `length` only: every table entry is read at every step.
///
/// `one` and `x` in Montgomery form, and the result.
pub(crate) fn fixed_window<G: Group>(
    group: &mut G,
    one: &G::Numbers,
    x: &G::Numbers,
    exponents: &[Exponent<'_>],
    length: u32,
) -> G::Numbers {
    let window = window_width(length, group.entries_per_product());
    let mut table = group.table(1 << window);
    group.store(&mut table, 0, one);
    group.store(&mut table, 1, x);
    let mut entry = x.clone();
    for k in 2..1 << window {
        group.multiply(&mut entry, x);
        group.store(&mut table, k, &entry);
    }

    let mut indices = Zeroizing::new(vec![0; exponents.len()]);
    let mut power = one.clone();
    let mut selected = one.clone();
    let steps = length.div_ceil(window);
    for step in (0..steps).rev() {
        for (index, exponent) in indices.iter_mut().zip(exponents) {
            let words = exponent.value().as_words();
            *index = digits::bits_at(words, (step * window) as usize, window);
        }
        if step == steps - 1 {
            group.select(&table, &indices, &mut power);
            continue;
        }
        group.select(&table, &indices, &mut selected);
        group.square_times(&mut power, window);
        group.multiply(&mut power, &selected);
    }
    power
}

/// `x^e` for every member, by squaring from the top and multiplying where any member has a
/// bit set. The time depends on the exponents, which are public.
///
/// `one` and `x` in Montgomery form, and the result.
pub(crate) fn binary_vartime<G: Group>(
    group: &mut G,
    one: &G::Numbers,
    x: &G::Numbers,
    exponents: &[Exponent<'_>],
    length: u32,
) -> G::Numbers {
    let mut table = group.table(2);
    group.store(&mut table, 0, one);
    group.store(&mut table, 1, x);
    let mut power = one.clone();
    let mut selected = one.clone();
    for bit in (0..length).rev() {
        let bits: Vec<u64> = exponents
            .iter()
            .map(|exponent| digits::bits_at(exponent.value().as_words(), bit as usize, 1))
            .collect();
        if bit == length - 1 {
            group.select(&table, &bits, &mut power);
            continue;
        }
        group.square(&mut power);
        if bits.contains(&1) {
            group.select(&table, &bits, &mut selected);
            group.multiply(&mut power, &selected);
        }
    }
    power
}

/// The window that makes an exponentiation cheapest: `2^window` products for the table, a
/// product and a scan of the table per window, where a product takes as long as a scan of so many
/// entries.
pub(crate) fn window_width(length: u32, entries_per_product: u32) -> u32 {
    let cost = |window: u32| {
        let entries = 1 << window;
        entries_per_product * entries + length.div_ceil(window) * (entries_per_product + entries)
    };
    (1..=6).min_by_key(|&window| cost(window)).unwrap_or(1)
}
