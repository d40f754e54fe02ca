//! The backends, and the one place that chooses among them.

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod canonical;
mod digits;
mod group;
mod lanes;
pub(crate) mod plan;
mod portable;
mod power;
mod row;
#[cfg(test)]
mod tests;

use core::{fmt, str::FromStr};
use std::collections::BTreeSet;

use crypto_bigint::{BoxedUint, Odd};

use self::plan::{PlanCache, PreparedModulus, Ranges};
use crate::{EngineError, Task};

/// How a batch is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// 16-bit residues on Intel AMX tiles for batches, and what [`Self::Avx512`] does for the
    /// rest.
    Amx,
    /// 52-bit residues on AVX-512 IFMA.
    Avx512,
    /// Portable Rust that the compiler vectorizes; runs everywhere.
    Portable,
}

impl Backend {
    /// Every backend of this version, the fastest first, whether this processor can run it
    /// or not.
    pub const ALL: &'static [Backend] = &[Backend::Amx, Backend::Avx512, Backend::Portable];

    /// The fastest backend that this processor can run.
    pub fn best() -> Self {
        let present = Self::ALL
            .iter()
            .copied()
            .find(|backend| backend.check().is_ok() && !backend.is_emulated());
        present.unwrap_or(Self::Portable)
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Amx => "amx",
            Self::Avx512 => "avx512",
            Self::Portable => "portable",
        }
    }

    /// Whether this processor can run it; if not, what is missing.
    ///
    /// For [`Self::Amx`] this asks Linux for the tiles' state, for the whole process: signal
    /// frames grow by 8 KiB from then on, and so must alternative signal stacks.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`].
    pub fn check(self) -> Result<(), EngineError> {
        Runner::new(self).map(drop)
    }

    /// How it computes on this processor, in a few words.
    pub fn describe(self) -> String {
        match self {
            Self::Amx if Self::Amx.is_emulated() => {
                "16-bit residues, AMX tiles emulated for tests, slow".into()
            }
            Self::Amx => "16-bit residues, AMX tiles; single numbers as avx512".into(),
            Self::Avx512 => "52-bit residues, AVX-512 IFMA".into(),
            Self::Portable => format!("28-bit residues, {}", portable::Portable::describe()),
        }
    }

    /// Whether its instructions are emulated for tests, because the processor lacks them: only in
    /// builds with the feature `emulated-tiles`.
    pub fn is_emulated(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self == Self::Amx && amx::emulated();
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    pub(crate) fn names() -> String {
        Self::ALL
            .iter()
            .map(|backend| backend.name())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = EngineError;

    fn from_str(name: &str) -> Result<Self, EngineError> {
        Self::ALL
            .iter()
            .copied()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| EngineError::UnknownBackend(name.into()))
    }
}

/// A backend at work: its kernels, and the plans made so far.
pub(crate) struct Runner {
    kernels: KernelSet,
    plans: PlanCache,
}

enum KernelSet {
    #[cfg(target_arch = "x86_64")]
    Amx(amx::TileEngine, avx512::Ifma),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Ifma),
    Portable(portable::Portable),
}

impl Runner {
    /// The backend, if this processor can run it.
    pub(crate) fn new(backend: Backend) -> Result<Self, EngineError> {
        let kernels = KernelSet::new(backend)
            .map_err(|missing| EngineError::BackendUnavailable(backend, missing))?;
        let ranges = match kernels {
            #[cfg(target_arch = "x86_64")]
            KernelSet::Amx(..) | KernelSet::Avx512(_) => Ranges::IFMA,
            KernelSet::Portable(_) => Ranges::WORD,
        };
        Ok(Self {
            kernels,
            plans: PlanCache::new(ranges),
        })
    }

    /// The constants of a modulus of at most `bits` bits, the size of its plan.
    pub(crate) fn modulus(
        &self,
        value: &Odd<BoxedUint>,
        bits: u32,
    ) -> Result<PreparedModulus, EngineError> {
        PreparedModulus::new(value, bits, &self.plans)
    }

    /// How many tasks of one plan, for moduli of at most `bits` bits, a group should have when so
    /// many wait for one thread: as many as is worth while, at least one.
    pub(crate) fn group_size(&self, waiting: usize, bits: u32) -> usize {
        match self.layout(waiting, bits) {
            Layout::Tiles(width) | Layout::Lanes(width) => waiting.clamp(1, width),
            Layout::Spread => waiting.max(1),
        }
    }

    /// How the numbers of a group lie in registers.
    pub(crate) fn layout(&self, tasks: usize, bits: u32) -> Layout {
        match self.kernels {
            #[cfg(target_arch = "x86_64")]
            KernelSet::Amx(..) if amx::worth_while(tasks, bits) => {
                // What is more than the narrower group is worth a group of its own, or is left to
                // the lanes of AVX-512.
                Layout::Tiles(if tasks >= amx::NARROWEST + amx::FEWEST_NUMBERS {
                    amx::WIDEST
                } else {
                    amx::NARROWEST
                })
            }
            #[cfg(target_arch = "x86_64")]
            KernelSet::Amx(..) | KernelSet::Avx512(_) if tasks >= avx512::FEWEST_LANES => {
                Layout::Lanes(16)
            }
            #[cfg(target_arch = "x86_64")]
            KernelSet::Amx(..) | KernelSet::Avx512(_) => Layout::Spread,
            // No width between 8 and 32: the compiler unrolls loops over 16 lanes instead of
            // vectorizing them, and 16 numbers take as long on 32 lanes.
            KernelSet::Portable(_) => match tasks {
                0..=4 => Layout::Lanes(4),
                5..=8 => Layout::Lanes(8),
                _ => Layout::Lanes(32),
            },
        }
    }

    /// Why a group of so many tasks lies in registers as it does.
    pub(crate) fn reason(&self, tasks: usize, bits: u32) -> String {
        match (&self.kernels, self.layout(tasks, bits)) {
            #[cfg(target_arch = "x86_64")]
            (_, Layout::Tiles(_)) => amx::reason(),
            #[cfg(target_arch = "x86_64")]
            (KernelSet::Amx(..), _) if !amx::serves(bits) => {
                format!("not on tiles: {}", amx::reason())
            }
            #[cfg(target_arch = "x86_64")]
            (KernelSet::Amx(..) | KernelSet::Avx512(_), Layout::Lanes(_)) => {
                format!(
                    "from {} numbers on faster than two at a time",
                    avx512::FEWEST_LANES
                )
            }
            (_, Layout::Spread) => "so few would leave lanes idle".into(),
            (_, _) => "as many lanes as numbers, or the next width that is vectorized".into(),
        }
    }

    /// Runs a group of at most [`Self::group_size`] tasks of one plan.
    pub(crate) fn run_group(&self, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
        let layout = self.layout(tasks.len(), tasks[0].modulus.prepared().plan.bits);
        match &self.kernels {
            #[cfg(target_arch = "x86_64")]
            KernelSet::Amx(tiles, kernels) => match layout {
                Layout::Tiles(_) => run_on_tiles(tiles, *kernels, tasks),
                _ => run_on_ifma(*kernels, tasks),
            },
            #[cfg(target_arch = "x86_64")]
            KernelSet::Avx512(kernels) => run_on_ifma(*kernels, tasks),
            KernelSet::Portable(kernels) => match layout {
                Layout::Lanes(4) => lanes::run::<_, 4>(*kernels, tasks),
                Layout::Lanes(8) => lanes::run::<_, 8>(*kernels, tasks),
                _ => lanes::run::<_, 32>(*kernels, tasks),
            },
        }
    }

    /// What a plan for moduli of at most `bits` bits looks like for groups in this layout, and
    /// does with moduli of `modulus_bits`.
    pub(crate) fn shape(
        &self,
        bits: u32,
        modulus_bits: u32,
        layout: Layout,
    ) -> Result<Shape, EngineError> {
        match (&self.kernels, layout) {
            #[cfg(target_arch = "x86_64")]
            (KernelSet::Amx(tiles, _), Layout::Tiles(_)) => tiles.shape(bits, modulus_bits),
            _ => {
                let plan = self.plans.plan(bits, &BTreeSet::new())?;
                let (a, b) = (plan.a.len(), plan.b.len());
                Ok(Shape {
                    bits,
                    channel_bits: plan.w,
                    channels_a: a,
                    channels_b: b,
                    overshoot: plan.bounds.c,
                    window: power::window_width(modulus_bits, lanes::ENTRIES_PER_PRODUCT),
                    multiplications: 2 * a * b + 9 * (a + b),
                })
            }
        }
    }
}

/// The measures of a plan.
pub(crate) struct Shape {
    pub(crate) bits: u32,
    pub(crate) channel_bits: u32,
    pub(crate) channels_a: usize,
    pub(crate) channels_b: usize,
    pub(crate) overshoot: u64,
    pub(crate) window: u32,
    pub(crate) multiplications: usize,
}

impl KernelSet {
    /// The kernels, or what this processor lacks.
    #[cfg(target_arch = "x86_64")]
    fn new(backend: Backend) -> Result<Self, &'static str> {
        let ifma = || avx512::Ifma::detect().ok_or("the processor lacks AVX-512F or AVX-512 IFMA");
        Ok(match backend {
            Backend::Amx => Self::Amx(amx::TileEngine::new()?, ifma()?),
            Backend::Avx512 => Self::Avx512(ifma()?),
            Backend::Portable => Self::Portable(portable::Portable::new()),
        })
    }

    /// The kernels, or why there are none.
    #[cfg(not(target_arch = "x86_64"))]
    fn new(backend: Backend) -> Result<Self, &'static str> {
        match backend {
            Backend::Portable => Ok(Self::Portable(portable::Portable::new())),
            Backend::Amx | Backend::Avx512 => Err("it is for x86-64 processors"),
        }
    }
}

/// Runs a group of tasks on tiles, but for those whose moduli share a prime with base A.
#[cfg(target_arch = "x86_64")]
fn run_on_tiles(
    tiles: &amx::TileEngine,
    kernels: avx512::Ifma,
    tasks: &[Task<'_>],
) -> Vec<BoxedUint> {
    if let Some(results) = tiles.run(tasks) {
        return results;
    }
    let (served, others): (Vec<usize>, Vec<usize>) =
        (0..tasks.len()).partition(|&index| tiles.serves(&tasks[index]));
    let mut results = vec![BoxedUint::zero(); tasks.len()];
    for indices in [served, others] {
        let part: Vec<Task<'_>> = indices.iter().map(|&index| tasks[index]).collect();
        let enough = amx::worth_while(part.len(), tasks[0].modulus.prepared().plan.bits);
        let on_tiles = if enough { tiles.run(&part) } else { None };
        let computed = on_tiles.unwrap_or_else(|| run_on_ifma(kernels, &part));
        for (index, result) in indices.into_iter().zip(computed) {
            results[index] = result;
        }
    }
    results
}

/// Runs tasks of one plan in 52-bit residues.
#[cfg(target_arch = "x86_64")]
fn run_on_ifma(kernels: avx512::Ifma, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
    const LANES: usize = 16;
    let group = |group: &[Task<'_>]| match group {
        [_] => avx512::spread::run::<1>(kernels, group),
        [_, _] => avx512::spread::run::<2>(kernels, group),
        _ => lanes::run::<_, LANES>(kernels, group),
    };
    let size = |count: usize| match count {
        0..avx512::FEWEST_LANES => 2,
        _ => LANES,
    };
    tasks
        .chunks(LANES)
        .flat_map(|part| part.chunks(size(part.len())))
        .flat_map(group)
        .collect()
}

/// How the numbers of a group lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// So many numbers side by side in matrix tiles.
    Tiles(usize),
    /// So many numbers side by side, one a lane.
    Lanes(usize),
    /// One number over all lanes, two numbers at a time.
    Spread,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tiles(numbers) => write!(f, "{numbers} numbers on matrix tiles"),
            Self::Lanes(lanes) => write!(f, "one number a lane, {lanes} lanes"),
            Self::Spread => f.write_str("one number over all lanes, two numbers at a time"),
        }
    }
}
