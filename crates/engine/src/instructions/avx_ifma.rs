//! AVX-IFMA: `vpmadd52` in registers of 256 bits, on processors without AVX-512.
//!
//! In tests it is in the encoding of AVX-512 with AVX-512VL: the instruction is the same, and there are processors with it
//! to run tests on.
#![expect(unsafe_code, reason = "the instruction, which callers have detected")]
#![expect(
    clippy::inline_always,
    reason = "it must become part of a kernel, which has the target features"
)]

use core::arch::x86_64::__m256i;

#[cfg(not(any(test, feature = "testing")))]
use core::arch::x86_64::{
    _mm256_madd52hi_avx_epu64 as madd_high, _mm256_madd52lo_avx_epu64 as madd_low,
};
#[cfg(any(test, feature = "testing"))]
use core::arch::x86_64::{_mm256_madd52hi_epu64 as madd_high, _mm256_madd52lo_epu64 as madd_low};

/// Calls a macro whose first argument is the list of target features: `for_avx_ifma!(name!(others))` is
/// `name!("features", others)`.
macro_rules! for_avx_ifma {
    ($name:ident!($($others:tt)*)) => {
        #[cfg(any(test, feature = "testing"))]
        $name!("avx2,fma,avx512ifma,avx512vl", $($others)*);
        #[cfg(not(any(test, feature = "testing")))]
        $name!("avx2,fma,avxifma", $($others)*);
    };
}
pub(crate) use for_avx_ifma;

/// Whether the processor has it.
pub(super) fn is_present() -> bool {
    if cfg!(any(test, feature = "testing")) {
        is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512vl")
    } else {
        is_x86_feature_detected!("avxifma")
    }
}

/// `sum +` the lowest 52 bits of `x y`, of the lowest 52 bits of x and y.
///
/// # Safety
/// A value of [`AvxIfma`](super::AvxIfma) must exist.
#[inline(always)]
pub(crate) unsafe fn plus_low(sum: __m256i, x: __m256i, y: __m256i) -> __m256i {
    // SAFETY: the processor has the instruction.
    unsafe { madd_low(sum, x, y) }
}

/// `sum + floor(x y / 2^52)`, of the lowest 52 bits of x and y.
///
/// # Safety
/// A value of [`AvxIfma`](super::AvxIfma) must exist.
#[inline(always)]
pub(crate) unsafe fn plus_high(sum: __m256i, x: __m256i, y: __m256i) -> __m256i {
    // SAFETY: the processor has the instruction.
    unsafe { madd_high(sum, x, y) }
}
