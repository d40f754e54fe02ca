//! Powers: parts of programs that raise a number to an exponent.

use crypto_bigint::BoxedUint;

use crate::{Builder, Recoding, Scalar, Value};

/// `x^e` for each member's own exponent, by fixed windows from the top. If the scalar is secret, every table
/// entry is read at every step; the sequence of operations depends on the scalar's declared length only.
///
/// x is in Montgomery form, and so is the result. Needs `2^w - 2` products for the table and one
/// for 1, and for each window after the first w squarings and a product, for windows of w bits
/// ([`window_width`]).
pub fn fixed_window(builder: &mut Builder, x: Value, exponent: Scalar) -> Value {
    let (bits, secret) = builder.scalar_bits(exponent);
    if bits == 0 {
        return builder.montgomery_one();
    }
    let width = window_width(bits, secret.then(|| builder.entries_per_product()));
    windows_of(builder, x, exponent, width)
}

/// [`fixed_window`] with windows of `width` bits, for an exponent of at least one bit.
pub fn windows_of(builder: &mut Builder, x: Value, exponent: Scalar, width: u32) -> Value {
    let one = builder.montgomery_one();
    let stream = builder.digits(exponent, Recoding::Windows { width });
    let table = powers(builder, one, x, width);
    let windows = builder.digits_in(stream);
    let mut power = builder.select(table, stream, windows - 1);
    for window in (0..windows - 1).rev() {
        power = builder.square_times(power, width);
        let factor = builder.select(table, stream, window);
        power = builder.multiply(power, factor);
    }
    power
}

/// The table `x^0, ..., x^(2^width - 1)`; `one` is 1 in Montgomery form.
pub(crate) fn powers(builder: &mut Builder, one: Value, x: Value, width: u32) -> crate::Table {
    let entries = 1 << width;
    let table = builder.table(entries);
    builder.store(table, 0, one);
    builder.store(table, 1, x);
    let mut entry = x;
    for k in 2..entries {
        entry = builder.multiply(entry, x);
        builder.store(table, k, entry);
    }
    table
}

/// The window that makes [`fixed_window`] cheapest: `2^w` products for the table, and for each
/// window a product and, for a secret exponent, a scan of the table, where a product takes as
/// long as a scan of `scan` entries.
pub fn window_width(bits: u32, scan: Option<u32>) -> u32 {
    let cost = |width: u32| {
        let entries = 1u64 << width;
        let product = u64::from(scan.unwrap_or(1));
        let read = if scan.is_some() { entries } else { 0 };
        // The number of windows is below 2^32, and the cost of one below 2^33.
        u128::from(product * entries)
            + u128::from(bits.div_ceil(width)) * u128::from(product + read)
    };
    (1..=6).min_by_key(|&width| cost(width)).unwrap_or(1)
}

/// `x^e` for one public exponent, the same for all members; the sequence of operations depends on it. `last`
/// is x, or x without its Montgomery factor: it is multiplied in for the lowest bit of an odd exponent above
/// 1, so that the result has no Montgomery factor either.
///
/// x is in Montgomery form. Bit by bit from the top, or by sliding windows over odd powers if that takes
/// fewer products.
pub fn public(builder: &mut Builder, x: Value, last: Value, exponent: &BoxedUint) -> Value {
    let bits = exponent.bits_vartime();
    let ones = (0..bits).filter(|&i| exponent.bit_vartime(i)).count() as u32;
    let sliding = |width: u32| (1 << (width - 1)) + bits.div_ceil(width + 1);
    let best = (2..=6).min_by_key(|&width| sliding(width)).unwrap_or(2);
    match bits {
        0 => builder.montgomery_one(),
        _ if ones <= sliding(best) => sliding_window(builder, x, last, exponent, 1),
        _ => sliding_window(builder, x, last, exponent, best),
    }
}

/// [`public`] by windows of at most `width` bits that begin and end with a one.
fn sliding_window(
    builder: &mut Builder,
    x: Value,
    last: Value,
    exponent: &BoxedUint,
    width: u32,
) -> Value {
    // x, x^3, x^5, ...
    let mut odd_powers = vec![x];
    if width > 1 {
        let square = builder.square(x);
        for k in 1..1 << (width - 1) {
            odd_powers.push(builder.multiply(odd_powers[k - 1], square));
        }
    }
    let mut power: Option<Value> = None;
    let mut squarings = 0;
    let mut top = exponent.bits_vartime();
    while top > 0 {
        if !exponent.bit_vartime(top - 1) {
            squarings += 1;
            top -= 1;
            continue;
        }
        let mut bottom = top.saturating_sub(width);
        while !exponent.bit_vartime(bottom) {
            bottom += 1;
        }
        let digit = (bottom..top).rev().fold(0, |digit, i| {
            digit << 1 | usize::from(exponent.bit_vartime(i))
        });
        let factor = odd_powers[digit / 2];
        power = Some(match power {
            None => factor,
            Some(power) => {
                let power = builder.square_times(power, squarings + top - bottom);
                let is_last = bottom == 0 && digit == 1;
                builder.multiply(power, if is_last { last } else { factor })
            }
        });
        squarings = 0;
        top = bottom;
    }
    match power {
        Some(power) => builder.square_times(power, squarings),
        None => builder.montgomery_one(),
    }
}
