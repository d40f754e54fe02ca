//! Proofs that the processor has instructions.

use super::{BEYOND_LIMIT, InstructionLimit, avx_ifma};

/// AVX-512F. A value exists only after detection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

/// AVX2 with fused multiplications. A value exists only after detection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// AVX-IFMA with AVX2: multiplications of AVX-512 IFMA in registers of 256 bits, on processors without AVX-512. A value
/// exists only after detection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AvxIfma(());

impl Avx512 {
    /// A proof, if the processor has it and the limit allows it.
    pub(crate) fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx512f");
        (present && InstructionLimit::Avx512.is_allowed()).then_some(Self(()))
    }
}

impl AvxIfma {
    /// A proof, if the processor has it and the limit allows it.
    pub(crate) fn detect() -> Option<Self> {
        let present = avx_ifma::is_present() && Avx2::detect().is_some();
        (present && InstructionLimit::AvxIfma.is_allowed()).then_some(Self(()))
    }
}

impl Avx2 {
    /// A proof, if the processor has it and the limit allows it.
    pub(crate) fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        (present && InstructionLimit::Avx2.is_allowed()).then_some(Self(()))
    }
}

/// Proof that this processor has AVX-512F and IFMA. A value exists only after detection.
#[derive(Clone, Copy)]
pub(crate) struct Ifma(());

impl Ifma {
    /// Proof that this processor has them, or the missing instructions.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        if !InstructionLimit::Ifma.is_allowed() {
            return Err(BEYOND_LIMIT);
        }
        let present = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma");
        let lacking = "the processor lacks AVX-512F or AVX-512 IFMA";
        present.then_some(Self(())).ok_or(lacking)
    }
}
