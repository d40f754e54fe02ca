//! The choice of an instruction set at run time.
//!
//! Kernels are generic over the vectors that they compute with, and compiled once for each
//! instruction set and width.
#![allow(
    unsafe_code,
    reason = "calls of functions with target features, each after detection"
)]

#[cfg(target_arch = "x86_64")]
use super::vector::Registers;
use super::vector::{Plain, Vector};
#[cfg(target_arch = "x86_64")]
use crate::InstructionLimit;

/// Work on L lanes.
pub(super) trait Kernel<const L: usize> {
    /// Does the work with these vectors.
    fn run<V: Vector<L>>(self);
}

/// A proof that the processor has an instruction set, which runs kernels of L lanes with it.
pub(super) trait InstructionSet<const L: usize>: Copy {
    /// Runs a kernel.
    fn run(self, kernel: impl Kernel<L>);
}

/// What the compilation target guarantees.
#[derive(Clone, Copy)]
pub(super) struct Baseline;

impl<const L: usize> InstructionSet<L> for Baseline {
    fn run(self, kernel: impl Kernel<L>) {
        kernel.run::<Plain<L>>();
    }
}

/// AVX-512F. A value exists only after detection.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

/// AVX2 with fused multiplications. A value exists only after detection.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    pub(in crate::devices) fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx512f");
        (present && InstructionLimit::Avx512.is_allowed()).then_some(Self(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    pub(in crate::devices) fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        (present && InstructionLimit::Avx2.is_allowed()).then_some(Self(()))
    }
}

/// Implements [`InstructionSet`] for registers of `$lanes` lanes, of which a vector has `$n`.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction_set {
    ($set:ty, $features:literal, $register:ty, $lanes:literal: $($n:literal),+) => {$(
        impl InstructionSet<{ $n * $lanes }> for $set {
            fn run(self, kernel: impl Kernel<{ $n * $lanes }>) {
                #[target_feature(enable = $features)]
                fn run(kernel: impl Kernel<{ $n * $lanes }>) {
                    kernel.run::<Registers<$register, $n>>();
                }
                // SAFETY: `self` exists only after the features have been detected.
                unsafe { run(kernel) }
            }
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
instruction_set!(Avx512, "avx512f", core::arch::x86_64::__m512d, 8: 4, 2, 1);
#[cfg(target_arch = "x86_64")]
instruction_set!(Avx2, "avx2,fma", core::arch::x86_64::__m256d, 4: 3, 2, 1);
