//! Arithmetic in a register of eight lanes with 52-bit residues.
//!
//! Every function is compiled for AVX-512F, and for IFMA where it multiplies, so that it can be
//! inlined into kernels, which are compiled for both.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_setzero_si512,
    _mm512_srli_epi64, _mm512_sub_epi64,
};

use crate::{instructions::vector::splat, residues::plan::Channel};

/// A sum of products `T = low + 2^52 high` in each lane, both parts below `2^64`.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) low: __m512i,
    pub(super) high: __m512i,
}

impl Sum {
    /// The empty sum, `T = 0`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn zero() -> Self {
        Self {
            low: _mm512_setzero_si512(),
            high: _mm512_setzero_si512(),
        }
    }

    /// `T + T'`. Requires that the parts of the sum are below `2^64`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn join(self, other: Self) -> Self {
        Self {
            low: _mm512_add_epi64(self.low, other.low),
            high: _mm512_add_epi64(self.high, other.high),
        }
    }

    /// `T + x y`, of which only the low 52 bits of x and y count. Each part grows by less than
    /// `2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn plus(self, x: __m512i, y: __m512i) -> Self {
        Self {
            low: _mm512_madd52lo_epu64(self.low, x, y),
            high: _mm512_madd52hi_epu64(self.high, x, y),
        }
    }
}

/// The constants of the channels of eight lanes.
#[derive(Clone, Copy)]
pub(super) struct ChannelVector {
    pub(super) m: __m512i,
    pub(super) inverse: __m512i,
    pub(super) radix: __m512i,
}

impl ChannelVector {
    /// The constants of one channel in every lane.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(channel: &Channel) -> Self {
        Self {
            m: splat(channel.m),
            inverse: splat(channel.inverse),
            radix: splat(channel.radix),
        }
    }

    /// `redc(T)`, congruent to `T / R` modulo `m` with `R = 2^52`, and at most `T / 2^52 + m`.
    /// Requires a result below `2^64`; below `2^52`, it can be a factor.
    ///
    /// With `T = H R + L` and `q = |L m^-1|_R`, the low 52 bits of `T` and `q m` agree, so that
    /// `(T - q m) / R + m = H - floor(q m / R) + m`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn redc(self, t: Sum) -> __m512i {
        let zero = _mm512_setzero_si512();
        // H. The multiplications below ignore the bits of `t.low` above the lowest 52.
        let high = _mm512_add_epi64(t.high, _mm512_srli_epi64::<52>(t.low));
        let q = _mm512_madd52lo_epu64(zero, t.low, self.inverse);
        let qm = _mm512_madd52hi_epu64(zero, q, self.m);
        _mm512_sub_epi64(_mm512_add_epi64(high, self.m), qm)
    }

    /// `redc(x y)`, at most `x y / 2^52 + m`. Requires `x, y < 2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn multiply(self, x: __m512i, y: __m512i) -> __m512i {
        self.redc(Sum::zero().plus(x, y))
    }

    /// A representative of the same residue, below `2 m`. Requires `x < 2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn normalize(self, x: __m512i) -> __m512i {
        self.multiply(x, self.radix)
    }

    /// `2 m - x`, a representative of `-x` of at most `2 m`. Requires `x <= 2 m`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn negate(self, x: __m512i) -> __m512i {
        _mm512_sub_epi64(_mm512_add_epi64(self.m, self.m), x)
    }
}
