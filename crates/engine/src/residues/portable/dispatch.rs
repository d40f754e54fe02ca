//! The choice of an instruction set at run time.
//!
//! Each kernel is plain Rust, compiled once per instruction set: the sets differ in the width of
//! the vectors that the compiler may use. This file has the only unsafe code of the device.
#![allow(
    unsafe_code,
    reason = "calls of functions with target features, each after detection"
)]

use core::fmt;

use core::any::Any;

#[cfg(target_arch = "x86_64")]
use crate::InstructionLimit;
use crate::{
    kept::own,
    lookup::LaneTable,
    residues::{
        lanes::{Kernels, LaneModuli, LaneNumbers, LaneScratch, Operand, Term},
        plan::{Matrix, Plan, PreparedModulus},
        portable::{convert, product, select},
    },
    row::Row,
};

/// An instruction set of this processor. A value exists only after detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstructionSet(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// The instructions that the compilation target guarantees.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl InstructionSet {
    /// All instruction sets of this processor, the narrowest first.
    pub(crate) fn available() -> Vec<Self> {
        #[cfg_attr(
            not(target_arch = "x86_64"),
            expect(unused_mut, reason = "elsewhere there is one")
        )]
        let mut sets = vec![Self(Level::Baseline)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && InstructionLimit::Avx2.is_allowed() {
                sets.push(Self(Level::Avx2));
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && InstructionLimit::Avx512.is_allowed()
                {
                    sets.push(Self(Level::Avx512));
                }
            }
        }
        sets
    }

    /// The widest instruction set of this processor.
    pub(crate) fn widest() -> Self {
        Self::available().pop().unwrap_or(Self(Level::Baseline))
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Level::Baseline => "baseline instructions",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
        })
    }
}

/// Declares a function that runs `$kernel` as compiled for the given instruction set.
macro_rules! kernel {
    ($name:ident = $kernel:path, ($($argument:ident: $type:ty),* $(,)?)) => {
        fn $name<const L: usize>(set: InstructionSet, $($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2<const L: usize>($($argument: $type),*) {
                $kernel($($argument),*);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
            fn avx512<const L: usize>($($argument: $type),*) {
                $kernel($($argument),*);
            }
            match set.0 {
                Level::Baseline => $kernel($($argument),*),
                // SAFETY: only `InstructionSet::available` makes this level, and only after it
                // has detected every feature that the function is compiled with.
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => unsafe { avx2($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => unsafe { avx512($($argument),*) },
            }
        }
    };
}

kernel! {
    montgomery = product::montgomery,
    (
        plan: &Plan,
        moduli: &LaneModuli<L>,
        x: &mut LaneNumbers<L>,
        y: Operand<'_, L>,
        scratch: &mut LaneScratch<L>,
    )
}
kernel! { add = convert::add, (plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) }
kernel! {
    select = select::select,
    (table: &LaneTable<u32, L>, masks: &[Row<u32, L>], out: &mut LaneNumbers<L>)
}
kernel! { enter = convert::enter, (plan: &Plan, digits: &[Row<u64, L>], out: &mut LaneNumbers<L>) }
kernel! {
    leave = convert::leave,
    (
        plan: &Plan,
        x: &LaneNumbers<L>,
        scratch: &mut LaneScratch<L>,
        digits: &mut [Row<u64, L>],
    )
}
kernel! {
    compare = convert::compare,
    (
        plan: &Plan,
        weights: &Matrix,
        inputs: &[Row<u64, L>],
        x: &LaneNumbers<L>,
        differences: &mut [Row<u64, L>],
    )
}
kernel! {
    subtract = convert::subtract, (plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>)
}
kernel! {
    scale = convert::scale,
    (plan: &Plan, x: &mut LaneNumbers<L>, factor: u32, negative: bool)
}
kernel! {
    dot = convert::dot, (plan: &Plan, terms: &[Term<'_, L>], out: &mut LaneNumbers<L>)
}

/// The kernels compiled for one instruction set, with residues of 32 bits and sums of 64.
#[derive(Clone, Copy)]
pub(crate) struct Portable {
    pub(crate) set: InstructionSet,
}

impl Portable {
    /// The kernels for the widest instruction set of this processor.
    pub(crate) fn new() -> Self {
        Self {
            set: InstructionSet::widest(),
        }
    }

    /// A description of a few words: the instruction set of this processor.
    pub(crate) fn describe() -> String {
        format!("compiler-vectorized for {}", InstructionSet::widest())
    }
}

impl Kernels for Portable {
    type Entry = u32;

    fn modulus(prepared: &(dyn Any + Send + Sync)) -> &PreparedModulus {
        own(prepared)
    }

    fn entry(value: u64) -> u32 {
        value as u32
    }

    fn value(entry: u32) -> u64 {
        entry.into()
    }

    fn montgomery<const L: usize>(
        self,
        plan: &Plan,
        moduli: &LaneModuli<L>,
        x: &mut LaneNumbers<L>,
        y: Operand<'_, L>,
        scratch: &mut LaneScratch<L>,
    ) {
        montgomery(self.set, plan, moduli, x, y, scratch);
    }

    fn add<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        add(self.set, plan, x, y);
    }

    fn select<const L: usize>(
        self,
        table: &LaneTable<u32, L>,
        masks: &[Row<u32, L>],
        out: &mut LaneNumbers<L>,
    ) {
        select(self.set, table, masks, out);
    }

    fn enter<const L: usize>(self, plan: &Plan, digits: &[Row<u64, L>], out: &mut LaneNumbers<L>) {
        enter(self.set, plan, digits, out);
    }

    fn leave<const L: usize>(
        self,
        plan: &Plan,
        x: &LaneNumbers<L>,
        scratch: &mut LaneScratch<L>,
        digits: &mut [Row<u64, L>],
    ) {
        leave(self.set, plan, x, scratch, digits);
    }

    fn compare<const L: usize>(
        self,
        plan: &Plan,
        weights: &Matrix,
        inputs: &[Row<u64, L>],
        x: &LaneNumbers<L>,
        differences: &mut [Row<u64, L>],
    ) {
        compare(self.set, plan, weights, inputs, x, differences);
    }

    fn subtract<const L: usize>(self, plan: &Plan, x: &mut LaneNumbers<L>, y: &LaneNumbers<L>) {
        subtract(self.set, plan, x, y);
    }

    fn scale<const L: usize>(
        self,
        plan: &Plan,
        x: &mut LaneNumbers<L>,
        factor: u32,
        negative: bool,
    ) {
        scale(self.set, plan, x, factor, negative);
    }

    fn dot<const L: usize>(self, plan: &Plan, terms: &[Term<'_, L>], out: &mut LaneNumbers<L>) {
        dot(self.set, plan, terms, out);
    }
}
