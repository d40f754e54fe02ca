//! Products of powers `x_1^(e_1) ... x_k^(e_k)` with shared squarings.

use crate::{Builder, Recoding, Scalar, Value, power};

/// The product of the powers, by the method that takes fewer products: [`straus`] or, for many bases with
/// public exponents, [`pippenger`].
///
/// The bases are in Montgomery form, and so is the result. All exponents are declared with one
/// length.
pub fn multi_power(builder: &mut Builder, terms: &[(Value, Scalar)]) -> Value {
    let Some(&(_, first)) = terms.first() else {
        return builder.montgomery_one();
    };
    let (bits, _) = builder.scalar_bits(first);
    let public = terms.iter().all(|&(_, e)| !builder.scalar_bits(e).1);
    let scan = builder.entries_per_product();
    let interleaved = straus_products(terms.len(), bits, (!public).then_some(scan));
    let bucketed = pippenger_products(terms.len(), bits, bucket_width(terms.len(), bits));
    if public && bucketed < interleaved {
        pippenger(builder, terms)
    } else {
        straus(builder, terms)
    }
}

/// Interleaved fixed windows (Straus, 1964): a table for each base, and one chain of squarings.
/// In constant time for secret exponents.
pub fn straus(builder: &mut Builder, terms: &[(Value, Scalar)]) -> Value {
    let one = builder.montgomery_one();
    let Some(&(_, first)) = terms.first() else {
        return one;
    };
    let (bits, _) = builder.scalar_bits(first);
    if bits == 0 {
        return one;
    }
    let public = terms.iter().all(|&(_, e)| !builder.scalar_bits(e).1);
    let scan = builder.entries_per_product();
    let width = power::window_width(bits, (!public).then_some(scan));
    let bases: Vec<_> = terms
        .iter()
        .map(|&(x, exponent)| {
            let stream = builder.digits(exponent, Recoding::Windows { width });
            (power::powers(builder, one, x, width), stream)
        })
        .collect();
    let mut product: Option<Value> = None;
    for window in (0..bits.div_ceil(width)).rev() {
        if let Some(value) = product {
            product = Some(builder.square_times(value, width));
        }
        for &(table, stream) in &bases {
            let factor = builder.select(table, stream, window);
            product = Some(match product {
                None => factor,
                Some(value) => builder.multiply(value, factor),
            });
        }
    }
    product.unwrap_or(one)
}

/// The approximate number of products of [`straus`] for `count` bases.
fn straus_products(count: usize, bits: u32, scan: Option<u32>) -> u64 {
    let width = power::window_width(bits, scan);
    let each = (1u64 << width) - 2 + u64::from(bits.div_ceil(width));
    count as u64 * each + u64::from(bits)
}

/// The bucket method (Pippenger, 1976): for each window the bases are multiplied into the bucket
/// that their digit names, and the buckets' products, each to the power of its digit, follow by
/// two running products. For public exponents.
pub fn pippenger(builder: &mut Builder, terms: &[(Value, Scalar)]) -> Value {
    let one = builder.montgomery_one();
    let Some(&(_, first)) = terms.first() else {
        return one;
    };
    let (bits, _) = builder.scalar_bits(first);
    if bits == 0 {
        return one;
    }
    let width = bucket_width(terms.len(), bits);
    let entries = 1usize << width;
    let bases: Vec<_> = terms
        .iter()
        .map(|&(x, exponent)| (x, builder.digits(exponent, Recoding::Windows { width })))
        .collect();
    let buckets = builder.table(entries);
    let mut product: Option<Value> = None;
    for window in (0..bits.div_ceil(width)).rev() {
        if let Some(value) = product {
            product = Some(builder.square_times(value, width));
        }
        for bucket in 0..entries {
            builder.store(buckets, bucket, one);
        }
        for &(x, stream) in &bases {
            let bucket = builder.select(buckets, stream, window);
            let bucket = builder.multiply(bucket, x);
            builder.store_at(buckets, stream, window, bucket);
        }
        // prod b_d^d = prod of the suffix products of b_(2^w - 1), ..., b_1.
        let mut suffix = builder.load(buckets, entries - 1);
        let mut sum = suffix;
        for bucket in (1..entries - 1).rev() {
            let factor = builder.load(buckets, bucket);
            suffix = builder.multiply(suffix, factor);
            sum = builder.multiply(sum, suffix);
        }
        product = Some(match product {
            None => sum,
            Some(value) => builder.multiply(value, sum),
        });
    }
    product.unwrap_or(one)
}

/// The approximate number of products of [`pippenger`] for `count` bases.
fn pippenger_products(count: usize, bits: u32, width: u32) -> u64 {
    let window = count as u64 + 2 * (1 << width) - 3;
    u64::from(bits.div_ceil(width)) * window + u64::from(bits)
}

/// The window that takes the fewest products.
fn bucket_width(count: usize, bits: u32) -> u32 {
    (1..=10)
        .min_by_key(|&width| pippenger_products(count, bits, width))
        .unwrap_or(1)
}
