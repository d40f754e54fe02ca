//! The product of two tiles of bytes, added to a tile of dwords.

use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_cmpgt_epi8, _mm_madd_epi16, _mm_set1_epi32, _mm_setr_epi32,
    _mm_setzero_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8,
};

use crate::tiles::Tile;

/// Computes `C[m][n] += sum over k < depth, t < 4 of A[m][k][t] * B[k][n][t]`, modulo 2^32, for
/// m < rows and all 16 columns. A and B are tiles of bytes (four to a dword), C is one of dwords.
///
/// The bytes of A are signed if `A_SIGNED`, those of B if `B_SIGNED`. Columns in which B is zero do
/// not change.
///
/// It uses SSE2, which every x86-64 processor has. Bytes are widened to 16 bits once, and
/// `_mm_madd_epi16` adds products in pairs, which fit as `2 * 255 * 255 < 2^31`. The two pairs of a
/// dword are added at the end.
#[target_feature(enable = "sse2")]
pub(crate) fn dot<const A_SIGNED: bool, const B_SIGNED: bool>(
    c: &mut Tile,
    a: &Tile,
    b: &Tile,
    rows: usize,
    depth: usize,
) {
    let mut wide = [[_mm_setzero_si128(); 8]; 16];
    for k in 0..depth {
        let (quarters, _) = b.rows[k].as_chunks::<4>();
        for (q, &[b0, b1, b2, b3]) in quarters.iter().enumerate() {
            let [low, high] = widen::<B_SIGNED>(_mm_setr_epi32(b0, b1, b2, b3));
            wide[k][2 * q] = low;
            wide[k][2 * q + 1] = high;
        }
    }
    for m in 0..rows {
        let mut pairs = [_mm_setzero_si128(); 8];
        for k in 0..depth {
            // The four bytes of A[m][k], two times.
            let [four, _] = widen::<A_SIGNED>(_mm_set1_epi32(a.rows[m][k]));
            for q in 0..8 {
                pairs[q] = _mm_add_epi32(pairs[q], _mm_madd_epi16(wide[k][q], four));
            }
        }
        for (two, pair) in c.rows[m].as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
            let [p0, p1, q0, q1] = dwords(pair);
            two[0] = two[0].wrapping_add(p0).wrapping_add(p1);
            two[1] = two[1].wrapping_add(q0).wrapping_add(q1);
        }
    }
}

/// Sixteen bytes, widened to two vectors of eight 16-bit numbers.
#[target_feature(enable = "sse2")]
fn widen<const SIGNED: bool>(bytes: __m128i) -> [__m128i; 2] {
    let zero = _mm_setzero_si128();
    let upper = if SIGNED {
        _mm_cmpgt_epi8(zero, bytes)
    } else {
        zero
    };
    [
        _mm_unpacklo_epi8(bytes, upper),
        _mm_unpackhi_epi8(bytes, upper),
    ]
}

fn dwords(vector: __m128i) -> [i32; 4] {
    // SAFETY: both types have 16 bytes, and all values are valid.
    unsafe { std::mem::transmute(vector) }
}
