//! Jobs and their parts: moduli, constants and programs, which an engine keeps.

use core::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crypto_bigint::{BoxedUint, Odd};
use zeroize::Zeroizing;

use crate::{
    Calibration, EngineError,
    device::{Device, PartsOfTime},
    faults::FoundFault,
    kept::{Prepared, Sealed},
    layout::{ForcedLayout, Layout},
    program::Program,
    random,
};
use sunzi_program::{
    Forms,
    seal::{Checksum, Content, Seal},
};

/// A modulus with its constants for the engine that prepared it; wiped on drop.
pub struct Modulus {
    pub(crate) bits: u32,
    /// Bits of the plans that serve it.
    pub(crate) class: u32,
    pub(crate) value: Zeroizing<Odd<BoxedUint>>,
    pub(crate) shared: Arc<Shared>,
    /// The seal of the value, from which devices prepare it.
    pub(crate) seal: Seal,
    /// The constants that each device of the engine has prepared of it, made when first asked for.
    pub(crate) prepared: Vec<OnceLock<Result<Sealed, EngineError>>>,
}

impl Modulus {
    /// Bit length of the modulus.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The size class in bits: programs for it are built for this size.
    pub fn class(&self) -> u32 {
        self.class
    }

    /// A device's constants of it; an error if the device does not serve this modulus.
    pub(crate) fn prepared(&self, device: usize) -> Result<&Prepared, EngineError> {
        Ok(&self.sealed(device)?.prepared)
    }

    /// A device's constants of it, with their seal.
    pub(crate) fn sealed(&self, device: usize) -> Result<&Sealed, EngineError> {
        let sealed = self.prepared[device].get_or_init(|| {
            let device = &self.shared.devices[device];
            let mut prepared = device.prepare(&[&self.value], self.class).into_iter();
            let prepared = prepared
                .next()
                .unwrap_or_else(|| Err(self.not_prepared()))?;
            // Compared afterwards: constants prepared of a changed value must not be used.
            if !self.seal.holds(&*self.value) {
                return Err(EngineError::Damaged { what: "a modulus" });
            }
            Ok(Sealed::new(prepared))
        });
        sealed.as_ref().map_err(EngineError::clone)
    }

    fn not_prepared(&self) -> EngineError {
        EngineError::NoPlan {
            bits: self.bits,
            condition: String::from("the device prepared nothing"),
        }
    }
}

impl fmt::Debug for Modulus {
    /// Shows the size only: a modulus may be a secret prime.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Modulus")
            .field("bits", &self.bits)
            .finish_non_exhaustive()
    }
}

/// Numbers modulo one modulus that programs take as its own constants; wiped on drop.
pub struct Constants {
    pub(crate) modulus: Arc<Modulus>,
    pub(crate) integers: Vec<Zeroizing<BoxedUint>>,
    pub(crate) forms: Forms,
    /// The seal of the integers and forms, from which devices prepare them.
    pub(crate) seal: Seal,
    /// The constants as each device of the engine has prepared them, made when first asked for.
    pub(crate) prepared: Vec<OnceLock<Result<Sealed, EngineError>>>,
}

impl Content for Constants {
    fn add_to(&self, sum: &mut Checksum) {
        self.integers.add_to(sum);
        self.forms.add_to(sum);
    }
}

impl Constants {
    /// The constants as a device that serves the modulus has prepared them.
    pub(crate) fn prepared(&self, device: usize) -> Result<&Prepared, EngineError> {
        Ok(&self.sealed(device)?.prepared)
    }

    /// The constants as a device that serves the modulus has prepared them, with their seal.
    pub(crate) fn sealed(&self, device: usize) -> Result<&Sealed, EngineError> {
        let modulus = self.modulus.prepared(device)?;
        let sealed = self.prepared[device].get_or_init(|| {
            let device = &self.modulus.shared.devices[device];
            let forms: Vec<_> = self.forms.iter().collect();
            let prepared = device.prepare_constants(&**modulus, &self.integers, &forms);
            if !self.seal.holds(self) {
                return Err(EngineError::Damaged { what: "constants" });
            }
            Ok(Sealed::new(prepared))
        });
        sealed.as_ref().map_err(EngineError::clone)
    }
}

impl fmt::Debug for Constants {
    /// Shows the number of constants only: they may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Constants")
            .field("count", &self.integers.len())
            .finish_non_exhaustive()
    }
}

/// A program, built for each device of an engine: devices differ in their plans' limits and in the cost of a
/// look-up.
pub struct Programs {
    pub(crate) shared: Arc<Shared>,
    pub(crate) bits: u32,
    /// The program for each kind of device, `None` where it breaks a condition of the plan.
    pub(crate) variants: Vec<Option<Program>>,
    /// The scheduler's estimates, computed when first used.
    pub(crate) estimates: OnceLock<Vec<Estimate>>,
}

impl Programs {
    /// The program for the device that serves everything.
    ///
    /// # Panics
    /// Never: the last device has every program.
    pub fn program(&self) -> &Program {
        self.variants
            .iter()
            .rev()
            .flatten()
            .next()
            .expect("a program is built for the last device, at least")
    }

    /// Each device's name and program, the fastest device first.
    pub fn for_devices(&self) -> impl Iterator<Item = (&'static str, &Program)> {
        let devices = self.shared.kinds();
        devices
            .zip(&self.variants)
            .filter_map(|((_, device), program)| Some((device.name(), program.as_ref()?)))
    }

    /// The program of a device.
    pub(crate) fn of_device(&self, device: usize) -> Option<&Program> {
        self.variants[device / self.shared.splits].as_ref()
    }

    /// The memory of all variants, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let programs = self.variants.iter().flatten().map(Program::bytes);
        size_of_val(&*self.variants) + programs.sum::<usize>()
    }

    pub(crate) fn takes_inputs(&self) -> usize {
        self.program().inputs()
    }

    pub(crate) fn takes_scalars(&self) -> usize {
        self.program().scalars()
    }
}

impl fmt::Debug for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Programs").field(self.program()).finish()
    }
}

/// The time that a program is expected to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The device's name.
    pub device: &'static str,
    /// The layout, which also fixes the numbers of a group.
    pub layout: Layout,
    /// The time of a whole group in microseconds.
    pub us: f64,
}

/// A program's key: everything that the program depends on. Programs with equal keys are built once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProgramKey {
    /// The size class in bits.
    pub bits: u32,
    /// The kind of program. Two functions that build programs must not share one.
    pub kind: &'static str,
    /// All other parameters that it depends on. Not secret.
    pub parameters: Vec<u64>,
}

/// One member's work: a program, and its inputs.
#[derive(Clone)]
pub struct Job<'a> {
    /// The program.
    pub programs: &'a Arc<Programs>,
    /// The modulus, of the program's size class.
    pub modulus: &'a Arc<Modulus>,
    /// The modulus' own constants, if the program takes any.
    pub constants: Option<&'a Arc<Constants>>,
    /// The program's inputs: non-negative integers whose precision is at most what the program
    /// declares.
    pub inputs: Vec<&'a BoxedUint>,
    /// The program's scalars.
    pub scalars: Vec<&'a BoxedUint>,
}

impl fmt::Debug for Job<'_> {
    /// Shows the program and the modulus' size: the numbers may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("programs", self.programs)
            .field("modulus", self.modulus)
            .finish_non_exhaustive()
    }
}

/// A failure of a device, whose work another device did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFailure {
    /// The device's name.
    pub device: &'static str,
    /// The reason for the failure.
    pub reason: String,
    /// Numbers that another device computed instead.
    pub numbers: usize,
}

/// State shared by an engine's clones and by what it has prepared.
pub(crate) struct Shared {
    /// The devices, the fastest first; the last one serves everything. Each kind has `splits` devices in a
    /// row, which differ in their plans only and have the same limits.
    pub(crate) devices: Vec<Arc<dyn Device>>,
    /// 1, or the number of plans of which each group draws one.
    pub(crate) splits: usize,
    pub(crate) forced: Option<ForcedLayout>,
    pub(crate) calibration: Calibration,
    pub(crate) failures: Mutex<Vec<DeviceFailure>>,
    pub(crate) faults: Mutex<Faults>,
}

/// The faults that redundant channels have found.
#[derive(Default)]
pub(crate) struct Faults {
    pub(crate) count: u64,
    /// The first faults since the last call that took them.
    pub(crate) first: Vec<FoundFault>,
}

impl Shared {
    /// The index of the device that prepares moduli as soon as they are given: the last one with groups of several
    /// numbers, or the last of all. It serves every modulus. The other devices prepare a modulus when they first need
    /// it.
    pub(crate) fn first_to_prepare(&self) -> usize {
        /// A size at which every device has its layouts.
        const ANY_BITS: u32 = 1024;
        let has_groups = |device: &Arc<dyn Device>| {
            let layouts = device.layouts(ANY_BITS);
            layouts.iter().any(|layout| layout.width() > 1)
        };
        let last = self.devices.len() - 1;
        self.devices.iter().rposition(has_groups).unwrap_or(last)
    }

    /// The first device of each kind, and its index.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (usize, &Arc<dyn Device>)> {
        self.devices.iter().enumerate().step_by(self.splits)
    }

    /// The index of the first device of this one's kind.
    pub(crate) fn first_of_kind(&self, device: usize) -> usize {
        device - device % self.splits
    }

    /// Draws a device of this one's kind, anew at each call.
    ///
    /// # Errors
    /// [`EngineError::Random`].
    pub(crate) fn draw(&self, device: usize) -> Result<usize, EngineError> {
        match self.splits {
            1 => Ok(device),
            splits => Ok(self.first_of_kind(device) + random::draw(splits)?),
        }
    }

    pub(crate) fn note_failure(&self, failure: DeviceFailure) {
        let mut failures = lock(&self.failures);
        let many = failures.len() >= FAILURES_KEPT;
        let alike = failures.iter_mut().rev().find(|known| {
            many || (known.device == failure.device && known.reason == failure.reason)
        });
        match alike {
            Some(known) => known.numbers += failure.numbers,
            None => failures.push(failure),
        }
    }

    pub(crate) fn note_fault(&self, fault: FoundFault) {
        let mut faults = lock(&self.faults);
        faults.count += 1;
        if faults.first.len() < FAULTS_KEPT {
            faults.first.push(fault);
        }
    }

    pub(crate) fn take_failures(&self) -> Vec<DeviceFailure> {
        core::mem::take(&mut *lock(&self.failures))
    }
}

/// Locks, ignoring poisoning: the protected value is whole at any time.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The largest number of failures that are kept until they are taken; further ones are only counted into the
/// last.
const FAILURES_KEPT: usize = 64;

/// The largest number of faults that are kept until they are taken; further ones are only counted.
const FAULTS_KEPT: usize = 1024;

/// A candidate of the scheduler: a way to run a program, and the time of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// The device's index in the engine. Before a group draws its own device, the first of its kind.
    pub(crate) device: usize,
    pub(crate) layout: Layout,
    /// The time of a whole group in nanoseconds.
    pub(crate) ns: f64,
}

/// The time of a way to run a program, which depends on the modulus if the program has spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// The way, with the time of everything else.
    pub(crate) candidate: Candidate,
    /// The time of inversions that the device computes by other means than their operations, in nanoseconds.
    pub(crate) inversions_ns: f64,
    /// The time of the products of spans, in nanoseconds.
    pub(crate) spans_ns: f64,
    /// The time of the steps of spans, operation by operation, in nanoseconds.
    pub(crate) span_steps_ns: f64,
}

impl Estimate {
    /// The candidate for moduli for which operations take these parts of their time.
    pub(crate) fn with_parts(&self, parts: PartsOfTime) -> Candidate {
        let spans_ns = match parts.spans {
            Some(part) => part * self.spans_ns,
            None => self.spans_ns + self.span_steps_ns,
        };
        let ns = parts.others * self.candidate.ns + self.inversions_ns + spans_ns;
        Candidate {
            ns,
            ..self.candidate
        }
    }
}
