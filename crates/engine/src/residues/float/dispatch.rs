//! The choice of an instruction set at run time.
//!
//! Kernels are generic over the vectors that they compute with, and compiled once for each
//! instruction set and width.
#![allow(
    unsafe_code,
    reason = "calls of functions with target features, each after detection"
)]

#[cfg(target_arch = "x86_64")]
#[cfg(target_arch = "x86_64")]
use crate::instructions::{Avx2, Avx512};
#[cfg(target_arch = "x86_64")]
use crate::residues::float::vector::Registers;
use crate::residues::float::vector::{Plain, Vector};

/// A kernel: work on L lanes.
pub(super) trait Kernel<const L: usize> {
    /// Does the work with these vectors.
    fn run<V: Vector<L>>(self);
}

/// A proof that the processor has an instruction set, which runs kernels of L lanes with it.
pub(super) trait InstructionSet<const L: usize>: Copy {
    /// Runs a kernel.
    fn run(self, kernel: impl Kernel<L>);
}

/// The instructions that the compilation target guarantees.
#[derive(Clone, Copy)]
pub(super) struct Baseline;

impl<const L: usize> InstructionSet<L> for Baseline {
    fn run(self, kernel: impl Kernel<L>) {
        kernel.run::<Plain<L>>();
    }
}

/// Implements [`InstructionSet`] for registers of `$lanes` lanes, `$n` of which make a vector.
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
instruction_set!(Avx512, "avx512f", core::arch::x86_64::__m512d, 8: 1);
#[cfg(target_arch = "x86_64")]
instruction_set!(Avx2, "avx2,fma", core::arch::x86_64::__m256d, 4: 2);
