//! Arithmetic in a register that holds the 16-bit residues of 16 numbers in two channels.
//!
//! Every function is compiled for those of AVX-512 F, BW and VNNI that it uses, so that it can be
//! inlined into kernels, which are compiled for all three.

use core::arch::{
    asm,
    x86_64::{
        __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_cmplt_epu16_mask, _mm512_loadu_si512,
        _mm512_mask_add_epi16, _mm512_mask_blend_epi16, _mm512_mask_sub_epi16, _mm512_mullo_epi16,
        _mm512_set1_epi16, _mm512_set1_epi32, _mm512_slli_epi32, _mm512_srli_epi32,
        _mm512_storeu_si512, _mm512_sub_epi16,
    },
};

use crate::devices::row::Row;

/// Primitive integers that vector loads and stores may read and write.
///
/// # Safety
/// The type has no padding, and every bit pattern is a valid value.
pub(super) unsafe trait Integer {}
// SAFETY: primitive integers have no padding and no invalid values.
unsafe impl Integer for u16 {}
// SAFETY: as above.
unsafe impl Integer for u32 {}
// SAFETY: as above.
unsafe impl Integer for i32 {}

/// Loads a row, which is as large as a register.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load<T: Integer, const L: usize>(row: &Row<T, L>) -> __m512i {
    const { assert!(size_of::<Row<T, L>>() == 64) };
    // SAFETY: a row is as large as a register, and all of it is initialized.
    unsafe { _mm512_loadu_si512((&raw const *row).cast()) }
}

/// Stores a register to a row, which is as large.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store<T: Integer, const L: usize>(row: &mut Row<T, L>, value: __m512i) {
    const { assert!(size_of::<Row<T, L>>() == 64) };
    // SAFETY: a row is as large as a register, and any bit pattern is valid for its integers.
    unsafe { _mm512_storeu_si512((&raw mut *row).cast(), value) }
}

/// A register with the same pair of 16-bit values for every number.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn splat(pair: u32) -> __m512i {
    _mm512_set1_epi32(pair.cast_signed())
}

/// A sum `T = low + 2^16 high` below `2^32`, split into halves, for two channels of every number.
#[derive(Clone, Copy)]
pub(super) struct SplitSum {
    pub(super) low: __m512i,
    pub(super) high: __m512i,
}

impl SplitSum {
    /// `x y`, for 16-bit x and y.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn product(x: __m512i, y: __m512i) -> Self {
        Self {
            low: _mm512_mullo_epi16(x, y),
            high: high_halves(x, y),
        }
    }

    /// The 32-bit sums of an even channel and those of an odd channel, a register each.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn interleave(even: __m512i, odd: __m512i) -> Self {
        const ODD: u32 = 0xaaaa_aaaa;
        Self {
            low: _mm512_mask_blend_epi16(ODD, even, _mm512_slli_epi32::<16>(odd)),
            high: _mm512_mask_blend_epi16(ODD, _mm512_srli_epi32::<16>(even), odd),
        }
    }
}

/// The constants of two channels.
#[derive(Clone, Copy)]
pub(super) struct ChannelPair {
    m: __m512i,
    inverse: __m512i,
}

impl ChannelPair {
    /// The constants of two channels, from the moduli and their inverses modulo `2^16`. The even
    /// channel's are in the low halves.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new([m, inverse]: [u32; 2]) -> Self {
        Self {
            m: splat(m),
            inverse: splat(inverse),
        }
    }

    /// `redc(T)`, congruent to `T / R` modulo m with `R = 2^16`, and at most
    /// `max(floor(T / R), m - 1)`. Accepts any `T < 2^32`.
    ///
    /// For `q = |T m^-1|_R` it is `floor(T / R) - floor(q m / R)`, plus m if that is negative.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn redc(self, t: SplitSum) -> __m512i {
        let [reduced] = self.redc_each([t]);
        reduced
    }

    /// [`Self::redc`] of several registers, step by step for all of them: a processor has room for
    /// about a hundred instructions that wait for others.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn redc_each<const N: usize>(self, t: [SplitSum; N]) -> [__m512i; N] {
        let mut qm = [self.m; N];
        for (qm, t) in qm.iter_mut().zip(&t) {
            *qm = _mm512_mullo_epi16(t.low, self.inverse);
        }
        for qm in &mut qm {
            *qm = high_halves(*qm, self.m);
        }
        let mut reduced = qm;
        for ((reduced, qm), t) in reduced.iter_mut().zip(&qm).zip(&t) {
            let difference = _mm512_sub_epi16(t.high, *qm);
            let negative = _mm512_cmplt_epu16_mask(t.high, *qm);
            *reduced = _mm512_mask_add_epi16(difference, negative, difference, self.m);
        }
        reduced
    }

    /// [`Self::multiply`] of several registers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn multiply_each<const N: usize>(
        self,
        x: [__m512i; N],
        y: [__m512i; N],
    ) -> [__m512i; N] {
        let mut products = [SplitSum {
            low: self.m,
            high: self.m,
        }; N];
        for ((product, &x), &y) in products.iter_mut().zip(&x).zip(&y) {
            *product = SplitSum::product(x, y);
        }
        self.redc_each(products)
    }

    /// [`Self::multiply_add`] of several registers.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn multiply_add_each<const N: usize>(
        self,
        x: [__m512i; N],
        y: [__m512i; N],
        t: [SplitSum; N],
    ) -> [__m512i; N] {
        let ones = _mm512_set1_epi16(-1);
        let mut sums = t;
        let mut high = x;
        for (((sum, high), t), y) in sums.iter_mut().zip(&mut high).zip(&t).zip(&y) {
            let product = SplitSum::product(*high, *y);
            sum.low = _mm512_add_epi16(product.low, t.low);
            let carry = _mm512_cmplt_epu16_mask(sum.low, t.low);
            *high = _mm512_mask_sub_epi16(product.high, carry, product.high, ones);
        }
        let mut results = self.redc_each(sums);
        for (result, &high) in results.iter_mut().zip(&high) {
            let sum = _mm512_add_epi16(*result, high);
            let exceeds = _mm512_cmplt_epu16_mask(sum, *result);
            *result = _mm512_mask_sub_epi16(sum, exceeds, sum, self.m);
        }
        results
    }

    /// `redc(x y)`, at most `max(floor(x y / R), m - 1)`, for any `x, y < 2^16`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn multiply(self, x: __m512i, y: __m512i) -> __m512i {
        self.redc(SplitSum::product(x, y))
    }

    /// A 16-bit value congruent to `(x y + T) / R` modulo m. Requires `x, y < 2^16`, and either
    /// `T < 2^16 m`, or `x, y < 2^12` and `T < 2^28`. In the second case the value is at most
    /// `max(floor(T / R), m - 1) + floor(x y / R) + 1`.
    ///
    /// The sum `x y + T` may exceed `2^32`. Therefore the carry from the low halves goes to the
    /// high half of `x y`, which has room for it, and the high half of T is reduced with the low
    /// half of the sum, to r. In the first case `r < m`, and `r + floor(x y / R) + 1` exceeds
    /// `2^16` at most once. If it does, subtracting m leaves it below `2^16`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn multiply_add(self, x: __m512i, y: __m512i, t: SplitSum) -> __m512i {
        let [result] = self.multiply_add_each([x], [y], [t]);
        result
    }
}

/// The high halves of the 32-bit products of unsigned 16-bit values.
#[inline]
#[target_feature(enable = "avx512bw")]
fn high_halves(x: __m512i, y: __m512i) -> __m512i {
    let high;
    // Assembly, because the compiler turns the intrinsic into products of 32 bits, which take many
    // instructions.
    // SAFETY: the function is compiled for AVX512-BW, and the instruction changes `high` only.
    unsafe {
        asm!(
            "vpmulhuw {high}, {x}, {y}",
            high = lateout(zmm_reg) high,
            x = in(zmm_reg) x,
            y = in(zmm_reg) y,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    high
}

/// `low + 2^8 high` modulo `2^32`: a sum of products, from the sums for the low and for the high
/// bytes of its weights.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn join(low: __m512i, high: __m512i) -> __m512i {
    _mm512_add_epi32(low, _mm512_slli_epi32::<8>(high))
}

/// `sum + x_0 w_0 + x_1 w_1` modulo `2^32`, for each number's pair of signed 16-bit values
/// `(x_0, x_1)`, and one pair of signed 16-bit weights `(w_0, w_1)`.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn add_pair(mut sum: __m512i, x: __m512i, weights: u32) -> __m512i {
    // Assembly, because the compiler turns the intrinsic into a multiplication and an addition.
    // SAFETY: the function is compiled for AVX512-VNNI, and the instruction changes `sum` only.
    unsafe {
        asm!(
            "vpdpwssd {sum}, {x}, {weights}",
            sum = inout(zmm_reg) sum,
            x = in(zmm_reg) x,
            weights = in(zmm_reg) splat(weights),
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::{super::processor::Amx, *};
    use crate::devices::tests::emulate_tiles;

    /// Moduli of main channels from the largest to the smallest, and of tail channels.
    const MODULI: [u32; 6] = [65_521, 65_519, 59_921, 32_771, 2039, 1997];

    /// 16-bit values close to those at which a carry or a borrow occurs.
    fn edges(m: u32) -> Vec<u16> {
        let mut edges: Vec<u32> = vec![0, 1, 2, 127, 128, 255, 256, 0x7fff, 0x8000, 0x8001];
        edges.extend([0xfffe, 0xffff, m - 2, m - 1, m, m / 2, m / 2 + 1, 0x5555]);
        edges.extend([0x1_0000 - m, 0xffff - m, 2 * m, 2 * m - 1, 2 * m + 1, 4095]);
        let edges: std::collections::BTreeSet<u16> = edges
            .into_iter()
            .filter_map(|x| x.try_into().ok())
            .collect();
        edges.into_iter().collect()
    }

    /// The constants of two channels, computed without the code under test.
    fn channels(even: u32, odd: u32) -> [u32; 2] {
        let inverse = |m: u32| {
            (1u32..1 << 16)
                .find(|x| x.wrapping_mul(m) & 0xffff == 1)
                .unwrap()
        };
        [even | odd << 16, inverse(even) | inverse(odd) << 16]
    }

    /// Applies `f` to cases `[x, y, low, high]`, 32 to a register, and passes each case and its
    /// result to `check`.
    #[target_feature(enable = "avx512f,avx512bw")]
    fn map(
        cases: &[[u16; 4]],
        f: impl Fn(__m512i, __m512i, SplitSum) -> __m512i,
        mut check: impl FnMut([u16; 4], u16),
    ) {
        for chunk in cases.chunks(32) {
            let row = |index: usize| Row(core::array::from_fn(|i| chunk[i % chunk.len()][index]));
            let [x, y, low, high]: [Row<u16, 32>; 4] = core::array::from_fn(row);
            let (low, high) = (load(&low), load(&high));
            let result = f(load(&x), load(&y), SplitSum { low, high });
            let mut results = Row([0u16; 32]);
            store(&mut results, result);
            for (i, &result) in results.iter().enumerate() {
                check(chunk[i % chunk.len()], result);
            }
        }
    }

    /// Asserts that `result R` is congruent to the value, and the result at most `most`.
    fn check(m: u32, value: u64, result: u16, most: u64) {
        let (m, result) = (u64::from(m), u64::from(result));
        assert_eq!(
            (result << 16) % m,
            value % m,
            "{value} modulo {m}: {result}"
        );
        assert!(result <= most, "{value} modulo {m}: {result} above {most}");
    }

    #[test]
    fn reductions_of_edges() {
        emulate_tiles();
        if let Err(missing) = Amx::detect() {
            return println!("SKIPPED: {missing}");
        }
        for m in MODULI {
            let channels = channels(m, m);
            let all: Vec<[u16; 4]> = edges(m)
                .iter()
                .flat_map(|&high| (0..=0xffff).map(move |low| [0, 0, low, high]))
                .collect();
            // SAFETY: `Amx::detect` has found AVX-512 F, BW and VNNI.
            unsafe {
                map(
                    &all,
                    |_, _, t| ChannelPair::new(channels).redc(t),
                    |[_, _, low, high], result| {
                        let value = u64::from(low) | u64::from(high) << 16;
                        check(m, value, result, u64::from(high).max(u64::from(m) - 1));
                    },
                );
            }
        }
    }

    #[test]
    fn products_of_edges() {
        emulate_tiles();
        if let Err(missing) = Amx::detect() {
            return println!("SKIPPED: {missing}");
        }
        for m in MODULI {
            let channels = channels(m, m);
            let all: Vec<[u16; 4]> = edges(m)
                .iter()
                .flat_map(|&y| (0..=0xffff).map(move |x| [x, y, 0, 0]))
                .collect();
            // SAFETY: `Amx::detect` has found AVX-512 F, BW and VNNI.
            unsafe {
                map(
                    &all,
                    |x, y, _| ChannelPair::new(channels).multiply(x, y),
                    |[x, y, ..], result| {
                        let value = u64::from(x) * u64::from(y);
                        check(m, value, result, (value >> 16).max(u64::from(m) - 1));
                    },
                );
            }
        }
    }

    /// Every carry and every overflow: for main channels any x and y with `T` up to `2^16 m`, for
    /// tail channels x and y below `2^12` with `T` up to `2^28`.
    #[test]
    fn products_and_sums_of_edges() {
        emulate_tiles();
        if let Err(missing) = Amx::detect() {
            return println!("SKIPPED: {missing}");
        }
        for m in MODULI {
            let channels = channels(m, m);
            let tail = m < 1 << 15;
            let (factors, limit) = if tail {
                (1 << 12, 1 << 12)
            } else {
                (1 << 16, m)
            };
            let below = |limit: u32| edges(m).into_iter().filter(move |&x| u32::from(x) < limit);
            let mut all = Vec::new();
            for x in below(factors) {
                for y in below(factors) {
                    let product = x.wrapping_mul(y);
                    // The first low half with a carry, and the last without one.
                    let turn = [
                        product.wrapping_neg(),
                        product.wrapping_neg().wrapping_sub(1),
                    ];
                    for low in edges(m).into_iter().chain(turn) {
                        all.extend(below(limit).map(|high| [x, y, low, high]));
                    }
                }
            }
            // SAFETY: `Amx::detect` has found AVX-512 F, BW and VNNI.
            unsafe {
                map(
                    &all,
                    |x, y, t| ChannelPair::new(channels).multiply_add(x, y, t),
                    |[x, y, low, high], result| {
                        let t = u64::from(low) | u64::from(high) << 16;
                        let product = u64::from(x) * u64::from(y);
                        let most = if tail {
                            (t >> 16).max(u64::from(m) - 1) + (product >> 16) + 1
                        } else {
                            0xffff
                        };
                        check(m, product + t, result, most);
                    },
                );
            }
        }
    }

    /// The two channels of a register have separate moduli and sums.
    #[test]
    fn channels_stay_apart() {
        emulate_tiles();
        if let Err(missing) = Amx::detect() {
            return println!("SKIPPED: {missing}");
        }
        let [even, odd] = [65_521, 2039];
        let sums = |k: u32| -> [Row<u32, 16>; 2] {
            let sum = |lane: u32, m: u32| {
                lane.wrapping_mul(0x0fed_cba9)
                    .wrapping_add(k)
                    .wrapping_mul(m)
                    % (m << 12)
            };
            [even, odd].map(|m| Row(core::array::from_fn(|lane| sum(lane as u32, m))))
        };
        for k in 0..1000 {
            let [of_even, of_odd] = sums(k << 22 | k);
            let mut results = Row([0u16; 32]);
            // SAFETY: `Amx::detect` has found AVX-512 F, BW and VNNI.
            unsafe {
                let wide = SplitSum::interleave(load(&of_even), load(&of_odd));
                let reduced = ChannelPair::new(channels(even, odd)).redc(wide);
                store(&mut results, reduced);
            }
            for lane in 0..16 {
                for (channel, (m, sum)) in [(even, of_even[lane]), (odd, of_odd[lane])]
                    .into_iter()
                    .enumerate()
                {
                    let most = u64::from(sum >> 16).max(u64::from(m) - 1);
                    check(m, sum.into(), results[2 * lane + channel], most);
                }
            }
        }
    }

    /// Sums modulo `2^32`, whatever the signs.
    #[test]
    fn sums_of_extras_and_of_bytes() {
        emulate_tiles();
        if let Err(missing) = Amx::detect() {
            return println!("SKIPPED: {missing}");
        }
        let ends = [0, 1, -1, 255, -32_768, 32_767, -12_345i16];
        for [x0, x1, w0, w1] in
            (0..7usize.pow(4)).map(|i| [1, 7, 49, 343].map(|power| ends[i / power % 7]))
        {
            let pair =
                |a: i16, b: i16| u32::from(a.cast_unsigned()) | u32::from(b.cast_unsigned()) << 16;
            for start in [0u32, 1 << 31, u32::MAX] {
                let mut results = [Row([0u32; 16]); 2];
                let expected = i64::from(start)
                    + i64::from(x0) * i64::from(w0)
                    + i64::from(x1) * i64::from(w1);
                // SAFETY: `Amx::detect` has found AVX-512 F, BW and VNNI.
                unsafe {
                    let sum = add_pair(splat(start), splat(pair(x0, x1)), pair(w0, w1));
                    store(&mut results[0], sum);
                    store(&mut results[1], join(sum, splat(start)));
                }
                let joined = expected + (i64::from(start) << 8);
                assert_eq!(results[0].0, [expected as u32; 16]);
                assert_eq!(results[1].0, [joined as u32; 16]);
            }
        }
    }
}
