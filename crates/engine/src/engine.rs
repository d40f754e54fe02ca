//! The batch interface: prepared moduli and programs in, results out.

use core::{fmt, mem};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock},
};

use crypto_bigint::{BoxedUint, Odd, Resize};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::{
    Backend, Calibration, EngineError, FoundFault,
    device::{Device, Outcome},
    job::{Constants, DeviceFailure, Job, Modulus, ProgramKey, Programs, Shared, lock},
    kept::Sealed,
    kept_programs::KeptPrograms,
    layout::Layout,
    program::{Builder, Forms, MAX_BITS, MIN_BITS, Program, public_length, size_class},
    schedule::{self, Seals},
    threads::available_threads,
};
use sunzi_program::seal::Seal;

/// The batch engine: devices, their plans, and the programs built so far. Cheap to clone; clones
/// share all of it.
#[derive(Clone)]
pub struct Engine {
    backend: Backend,
    pub(crate) shared: Arc<Shared>,
    /// The programs built so far. Not in `shared`, which every program points to.
    programs: Arc<Mutex<KeptPrograms>>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine on this backend.
    ///
    /// # Errors
    /// [`EngineError::BackendUnavailable`] if this processor cannot run it,
    /// [`EngineError::UnknownLayout`] if it has no such layout.
    pub fn new(backend: Backend) -> Result<Self, EngineError> {
        Self::builder().backend(backend).build()
    }

    /// An engine on these devices.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn on(backend: Backend, devices: Vec<Arc<dyn Device>>) -> Self {
        Self::with(backend, devices, 1, Calibration::default())
    }

    /// An engine on these devices, `splits` of each kind, that chooses by measured times.
    pub(crate) fn with(
        backend: Backend,
        devices: Vec<Arc<dyn Device>>,
        splits: usize,
        calibration: Calibration,
    ) -> Self {
        let shared = Shared {
            calibration,
            devices,
            splits,
            forced: backend.layout(),
            failures: Mutex::default(),
            faults: Mutex::default(),
        };
        Self {
            backend,
            shared: Arc::new(shared),
            programs: Arc::default(),
        }
    }

    /// The width of a card's groups; 0 without a card.
    pub(crate) fn width_of_card(&self) -> usize {
        let devices = self.shared.devices.iter();
        let cards = devices.filter(|device| device.is_card());
        let layouts = cards.flat_map(|card| card.layouts(crate::backend::SIZE_OF_ALL));
        layouts.map(Layout::width).max().unwrap_or(0)
    }

    /// Number of requests that long batches should be cut into, to be in the engine together: far more than fill the
    /// devices, and few enough that a batch of millions needs memory for its results only.
    pub fn at_a_time(&self) -> usize {
        /// The number for the threads of a processor.
        const OF_PROCESSOR: usize = 8192;
        match self.width_of_card() {
            // Threads are not counted, which would take a call of the system.
            0 => OF_PROCESSOR,
            // Each thread packs a group of the card.
            width => OF_PROCESSOR.max(width * available_threads()),
        }
    }

    /// The backend in use.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The names of the devices that the backend consists of.
    pub fn devices(&self) -> impl Iterator<Item = &'static str> {
        self.shared.kinds().map(|(_, device)| device.name())
    }

    pub(crate) fn owns(&self, modulus: &Modulus) -> bool {
        Arc::ptr_eq(&self.shared, &modulus.shared)
    }

    /// Prepares a modulus: odd, of [`MIN_BITS`] to [`MAX_BITS`] bits. The time depends on
    /// its size only.
    ///
    /// # Errors
    /// [`EngineError::EvenModulus`], [`EngineError::ModulusSize`], [`EngineError::NoPlan`].
    pub fn modulus(&self, value: &BoxedUint) -> Result<Arc<Modulus>, EngineError> {
        let modulus = self.unprepared(value)?;
        modulus.prepared(self.shared.first_to_prepare())?;
        Ok(Arc::new(modulus))
    }

    /// Prepares many moduli, in order, on the threads of the current rayon pool: several times
    /// faster than one at a time. The time depends on their sizes only.
    pub fn moduli(&self, values: &[BoxedUint]) -> Vec<Result<Arc<Modulus>, EngineError>> {
        /// Number of moduli that one thread prepares together.
        const TOGETHER: usize = 64;
        let device = self.shared.first_to_prepare();
        let moduli: Vec<_> = values.iter().map(|value| self.unprepared(value)).collect();
        let mut classes: BTreeMap<u32, Vec<&Modulus>> = BTreeMap::new();
        for modulus in moduli.iter().flatten() {
            classes.entry(modulus.class).or_default().push(modulus);
        }
        let parts: Vec<_> = classes
            .iter()
            .flat_map(|(&class, moduli)| moduli.chunks(TOGETHER).map(move |part| (class, part)))
            .collect();
        let prepare = |&(class, part): &(u32, &[&Modulus])| {
            let values: Vec<&Odd<BoxedUint>> = part.iter().map(|modulus| &*modulus.value).collect();
            let prepared = self.shared.devices[device].prepare(&values, class);
            for (modulus, prepared) in part.iter().zip(prepared) {
                // No other thread has this modulus yet.
                let _ = modulus.prepared[device].set(prepared.map(Sealed::new));
            }
        };
        if available_threads() == 1 {
            parts.iter().for_each(prepare);
        } else {
            parts.par_iter().for_each(prepare);
        }
        moduli
            .into_iter()
            .map(|modulus| {
                let modulus = modulus?;
                modulus.prepared(device)?;
                Ok(Arc::new(modulus))
            })
            .collect()
    }

    /// A modulus with nothing prepared yet, if its size and parity are valid.
    fn unprepared(&self, value: &BoxedUint) -> Result<Modulus, EngineError> {
        let bits = public_length(value);
        if !(MIN_BITS..=MAX_BITS).contains(&bits) {
            return Err(EngineError::ModulusSize(bits));
        }
        // A number that is resized in place would leave its old memory unwiped.
        let value = value.resize_unchecked(bits.next_multiple_of(64));
        let value =
            Option::<Odd<BoxedUint>>::from(Odd::new(value)).ok_or(EngineError::EvenModulus)?;
        Ok(Modulus {
            bits,
            class: size_class(bits),
            seal: Seal::of(&value),
            value: Zeroizing::new(value),
            shared: Arc::clone(&self.shared),
            prepared: self
                .shared
                .devices
                .iter()
                .map(|_| OnceLock::new())
                .collect(),
        })
    }

    /// Constants of a modulus for programs that take them: integers, reduced if they are not below the
    /// modulus, each with the power of the Montgomery factor that the program asks for.
    ///
    /// # Errors
    /// [`EngineError::ForeignModulus`] if another engine prepared the modulus,
    /// [`EngineError::BadJob`] for a negative power.
    pub fn constants(
        &self,
        modulus: &Arc<Modulus>,
        constants: &[(&BoxedUint, i32)],
    ) -> Result<Arc<Constants>, EngineError> {
        if !self.owns(modulus) {
            return Err(EngineError::ForeignModulus { index: 0 });
        }
        if let Some(index) = constants
            .iter()
            .position(|&(_, form)| !(0..=2).contains(&form))
        {
            return Err(EngineError::BadJob {
                index,
                condition: String::from("the power of a constant's Montgomery factor is 0, 1 or 2"),
            });
        }
        let mut constants = Constants {
            seal: Seal::default(),
            modulus: Arc::clone(modulus),
            integers: constants
                .iter()
                .map(|&(integer, _)| Zeroizing::new(integer.clone()))
                .collect(),
            forms: constants.iter().map(|&(_, form)| form).collect(),
            prepared: self
                .shared
                .devices
                .iter()
                .map(|_| OnceLock::new())
                .collect(),
        };
        constants.seal = Seal::of(&constants);
        Ok(Arc::new(constants))
    }

    /// The program of this key, which `build` builds if the engine does not keep it: once for each kind of device, with
    /// that device's limits. A device whose plan does not allow it is left out. An engine keeps 32 MiB of programs, the
    /// most recently used ones.
    ///
    /// # Errors
    /// [`EngineError::Program`] if even the device that serves everything does not allow it,
    /// [`EngineError::ModulusSize`] for a size that moduli cannot have, and
    /// [`EngineError::NoPlan`] if no device serves the size or if it is no [`size_class`].
    pub fn programs(
        &self,
        key: ProgramKey,
        build: impl Fn(&mut Builder),
    ) -> Result<Arc<Programs>, EngineError> {
        self.programs_built_by(key, &build)
    }

    /// [`programs`](Self::programs), compiled once for all functions that build programs.
    fn programs_built_by(
        &self,
        key: ProgramKey,
        build: &dyn Fn(&mut Builder),
    ) -> Result<Arc<Programs>, EngineError> {
        if let Some(programs) = lock(&self.programs).get(&key) {
            return Ok(programs);
        }
        if !(MIN_BITS..=MAX_BITS).contains(&key.bits) {
            return Err(EngineError::ModulusSize(key.bits));
        }
        // Otherwise callers could cause any number of plans to be made.
        let class = size_class(key.bits);
        if class != key.bits {
            return Err(EngineError::NoPlan {
                bits: key.bits,
                condition: format!("programs are for whole size classes, here {class} bits"),
            });
        }
        // Built without the lock: two threads may build the same program, which is merely redundant work.
        let mut variants = Vec::new();
        let mut refused = None;
        for (_, device) in self.shared.kinds() {
            let variant = device.limits(key.bits).and_then(|limits| {
                let scan = device.entries_per_product(key.bits);
                let mut builder = Builder::new(key.kind, key.bits, limits, scan);
                build(&mut builder);
                Ok(builder.finish()?)
            });
            variants.push(match variant {
                Ok(program) => {
                    refused = None;
                    Some(program)
                }
                Err(error) => {
                    refused = Some(error);
                    None
                }
            });
        }
        if let Some(error) = refused {
            return Err(error);
        }
        let programs = Arc::new(Programs {
            shared: Arc::clone(&self.shared),
            bits: key.bits,
            variants,
            estimates: OnceLock::new(),
        });
        Ok(lock(&self.programs).insert(key, programs))
    }

    /// Runs a function, and returns its result with the programs that the engine was asked for meanwhile, in the order of the
    /// last time, as far as it still keeps them. Other threads' programs are among them. It says how something is computed.
    pub fn programs_used_by<T>(&self, function: impl FnOnce() -> T) -> (T, Vec<Arc<Programs>>) {
        let before = lock(&self.programs).uses();
        let result = function();
        (result, lock(&self.programs).used_after(before))
    }

    /// Runs every job, in order, on the threads of the current rayon pool (see
    /// [`available_threads`]), or on the calling thread if they make a single group. Jobs of one
    /// program share its groups.
    ///
    /// If a device fails, another device of this engine does its work, and
    /// [`take_failures`](Self::take_failures) reports it.
    ///
    /// # Errors
    /// [`EngineError::ForeignModulus`] and [`EngineError::BadJob`] for a job that does not fit its
    /// program, [`EngineError::DeviceFailed`] if a device fails and there is no other,
    /// [`EngineError::Fault`] if redundant channels found a number wrong twice, and
    /// [`EngineError::Damaged`] if a program, a plan or constants that it used have changed in memory.
    pub fn execute(&self, jobs: &[Job<'_>]) -> Result<Vec<Outcome>, EngineError> {
        self.execute_each(jobs)?.into_iter().collect()
    }

    /// [`execute`](Self::execute) without comparing the seals of programs, plans and constants: for results that the
    /// caller checks with other programs, so that a fault in these, or in anything that both use, is found.
    ///
    /// # Errors
    /// As [`execute`](Self::execute), except [`EngineError::Damaged`].
    pub fn execute_unsealed(&self, jobs: &[Job<'_>]) -> Result<Vec<Outcome>, EngineError> {
        let answers = self.run_jobs(jobs, Seals::None)?;
        answers.into_iter().collect()
    }

    /// [`execute`](Self::execute) without comparing the seals of constants: for results that the caller checks in a way that
    /// finds constants that have changed in memory. Those of a large table are as long to read as its look-ups.
    ///
    /// # Errors
    /// As [`execute`](Self::execute), except [`EngineError::Damaged`] for constants.
    pub fn execute_without_seals_of_constants(
        &self,
        jobs: &[Job<'_>],
    ) -> Result<Vec<Outcome>, EngineError> {
        let answers = self.run_jobs(jobs, Seals::BesideConstants)?;
        answers.into_iter().collect()
    }

    /// [`execute`](Self::execute), with a result for each job: a number that redundant channels found wrong twice, or
    /// that was computed with damaged data, is an error of its own, and the others have their outcomes.
    ///
    /// # Errors
    /// As [`execute`](Self::execute), but [`EngineError::Fault`] and [`EngineError::Damaged`] for each job by
    /// itself.
    pub fn execute_each(
        &self,
        jobs: &[Job<'_>],
    ) -> Result<Vec<Result<Outcome, EngineError>>, EngineError> {
        self.run_jobs(jobs, Seals::All)
    }

    fn run_jobs(
        &self,
        jobs: &[Job<'_>],
        seals: Seals,
    ) -> Result<Vec<Result<Outcome, EngineError>>, EngineError> {
        let mut before = None;
        for (index, job) in jobs.iter().enumerate() {
            self.check(job, index)?;
            // Checked once per run of jobs that share constants: both may be many.
            if !before.is_some_and(|before| shares_constants(before, job))
                && let Some(condition) = unfit_constants(job)
            {
                return Err(EngineError::BadJob { index, condition });
            }
            before = Some(job);
        }
        schedule::execute(&self.shared, jobs, seals)
    }

    /// Checks a job against its program.
    fn check(&self, job: &Job<'_>, index: usize) -> Result<(), EngineError> {
        let foreign = !Arc::ptr_eq(&self.shared, &job.programs.shared)
            || !self.owns(job.modulus)
            || job
                .constants
                .is_some_and(|constants| !self.owns(&constants.modulus));
        if foreign {
            return Err(EngineError::ForeignModulus { index });
        }
        let program = job.programs.program();
        match unfit(job, program) {
            Some(condition) => Err(EngineError::BadJob { index, condition }),
            None => Ok(()),
        }
    }

    /// Whether batches may be computed in limbs: look-ups of whole tables then cost less, beside products, than in
    /// residues.
    pub fn has_batches_in_limbs(&self) -> bool {
        /// Every device has its layouts at this size.
        const ANY_BITS: u32 = 256;
        self.shared.kinds().any(|(_, device)| {
            let layouts = device.layouts(ANY_BITS);
            device.unit() == "limbs" && layouts.iter().any(|layout| layout.width() > 1)
        })
    }

    /// The number of programs that are kept for later, and their bytes.
    #[cfg(any(test, feature = "testing"))]
    pub fn kept_programs(&self) -> (usize, usize) {
        lock(&self.programs).count_and_bytes()
    }

    /// The failures of devices since the last call. Other devices have computed the affected numbers.
    pub fn take_failures(&self) -> Vec<DeviceFailure> {
        self.shared.take_failures()
    }

    /// The faults that redundant channels have found since the last call, up to 1024 of them. Affected
    /// numbers have been computed again, or have been withheld.
    pub fn take_faults(&self) -> Vec<FoundFault> {
        mem::take(&mut lock(&self.shared.faults).first)
    }

    /// The number of faults that redundant channels have found so far.
    pub fn faults_found(&self) -> u64 {
        lock(&self.shared.faults).count
    }
}

/// Whether both jobs have the same program and constants.
fn shares_constants(x: &Job<'_>, y: &Job<'_>) -> bool {
    let constants = match (x.constants, y.constants) {
        (Some(x), Some(y)) => Arc::ptr_eq(x, y),
        (x, y) => x.is_none() && y.is_none(),
    };
    constants && Arc::ptr_eq(x.programs, y.programs)
}

/// The reason why a job's constants do not fit its program, if they do not.
fn unfit_constants(job: &Job<'_>) -> Option<String> {
    let none = Forms::default();
    let forms = job.constants.map_or(&none, |constants| &constants.forms);
    let takes = job.programs.program().constant_forms();
    if forms.len() != takes.len() {
        let (has, takes) = (forms.len(), takes.len());
        return Some(format!("{has} constants, and the program takes {takes}"));
    }
    if forms == takes {
        return None;
    }
    let mut pairs = forms.iter().zip(takes.iter()).enumerate();
    let (k, (has, takes)) = pairs.find(|(_, (has, takes))| has != takes)?;
    Some(format!(
        "constant {k} with the Montgomery factor to the power {has}, and the program takes {takes}"
    ))
}

/// The reason why a job does not fit its program, constants apart, if it does not.
fn unfit(job: &Job<'_>, program: &Program) -> Option<String> {
    let class = job.modulus.class;
    if class != program.bits() {
        return Some(format!(
            "a modulus of size class {class} bits, and a program for {}",
            program.bits()
        ));
    }
    let count = |what, has: usize, takes: usize| {
        (has != takes).then(|| format!("{has} {what}, and the program takes {takes}"))
    };
    count("inputs", job.inputs.len(), program.input_bits().len())
        .or_else(|| count("scalars", job.scalars.len(), program.scalar_infos().len()))
        .or_else(|| {
            let of_modulus =
                |constants: &&Arc<Constants>| Arc::ptr_eq(&constants.modulus, job.modulus);
            let foreign = job.constants.as_ref().is_some_and(|c| !of_modulus(c));
            foreign.then(|| String::from("the constants are another modulus'"))
        })
        .or_else(|| {
            let mut inputs = job.inputs.iter().zip(program.input_bits()).enumerate();
            let long = inputs.find(|(_, (input, bits))| input.bits_precision() > **bits);
            long.map(|(k, (input, bits))| {
                let has = input.bits_precision();
                format!("input {k} has {has} bits of precision, and the program takes {bits}")
            })
        })
        .or_else(|| {
            let mut scalars = job.scalars.iter().zip(program.scalar_infos());
            // A secret scalar is judged by its precision, so that its length stays unknown.
            let length = |scalar: &BoxedUint, secret: bool| {
                if secret {
                    scalar.bits_precision()
                } else {
                    scalar.bits_vartime()
                }
            };
            let fits = |bits: u32| bits.max(1).next_multiple_of(crypto_bigint::Word::BITS);
            let long = scalars.find(|(scalar, info)| length(scalar, info.secret) > fits(info.bits));
            long.map(|(_, info)| {
                format!(
                    "the scalar {} is longer than the {} bits that the program takes",
                    info.name, info.bits
                )
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine is freed although its programs are kept: they do not keep it alive.
    #[test]
    fn an_engine_with_programs_is_freed() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let programs = engine.secret_power_programs(256, 256).unwrap();
        let shared = Arc::downgrade(&engine.shared);
        drop(engine);
        assert!(shared.upgrade().is_some(), "programs still need it");
        drop(programs);
        assert!(shared.upgrade().is_none());
    }
}
