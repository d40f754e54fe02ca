//! Exponentiation of all members of a group together.

use zeroize::Zeroizing;

use super::{digits, group::Group};
use crate::Exponent;

/// `x^e` for every member, by fixed windows from the top. The sequence of operations depends
/// on `length` only: every table entry is read at every step.
///
/// `x` in Montgomery form, and the result.
pub(crate) fn fixed_window<G: Group>(
    group: &mut G,
    x: &G::Numbers,
    exponents: &[Exponent<'_>],
    length: u32,
) -> G::Numbers {
    let window = window_width(length, group.entries_per_product());
    let mut table = group.table(1 << window);
    let mut power = one_in_montgomery_form(group);
    group.store(&mut table, 0, &power);
    group.store(&mut table, 1, x);
    let mut entry = x.clone();
    for k in 2..1 << window {
        group.multiply(&mut entry, x);
        group.store(&mut table, k, &entry);
    }

    let mut indices = Zeroizing::new(vec![0; exponents.len()]);
    let mut selected = power.clone();
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
/// `x` in Montgomery form, and the result.
pub(crate) fn binary_vartime<G: Group>(
    group: &mut G,
    x: &G::Numbers,
    exponents: &[Exponent<'_>],
    length: u32,
) -> G::Numbers {
    let bits = |position: u32| {
        exponents
            .iter()
            .map(move |exponent| digits::bits_at(exponent.value().as_words(), position as usize, 1))
    };
    // Where all members have the same exponent, nothing has to be looked up.
    let differ =
        (0..length).any(|position| bits(position).any(|bit| Some(bit) != bits(position).next()));
    let mut table = None;
    let mut power;
    if differ || length == 0 {
        power = one_in_montgomery_form(group);
        let entries = table.insert(group.table(2));
        group.store(entries, 0, &power);
        group.store(entries, 1, x);
    } else {
        power = x.clone();
    }
    let mut selected = x.clone();
    for position in (0..length).rev() {
        let indices: Vec<u64> = bits(position).collect();
        let first = position == length - 1;
        if !first {
            group.square(&mut power);
        }
        match &table {
            Some(table) if first => group.select(table, &indices, &mut power),
            Some(table) if indices.contains(&1) => {
                group.select(table, &indices, &mut selected);
                group.multiply(&mut power, &selected);
            }
            None if !first && indices[0] == 1 => group.multiply(&mut power, x),
            _ => {}
        }
    }
    power
}

/// 1 in Montgomery form, for every member.
fn one_in_montgomery_form<G: Group>(group: &mut G) -> G::Numbers {
    let mut one = group.one();
    group.enter_montgomery_form(&mut one);
    one
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
