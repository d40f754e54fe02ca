//! The batch interface: prepared moduli in, results out.

use core::fmt;
use std::{collections::BTreeMap, sync::Arc};

use crypto_bigint::{BoxedUint, Odd, Resize};
use rayon::prelude::*;

use crate::{
    Backend, EngineError, Exponent, Task,
    backend::{Runner, plan::PreparedModulus},
};

/// The widest modulus, in bits.
pub const MAX_BITS: u32 = 16_384;
/// The narrowest modulus, in bits.
pub const MIN_BITS: u32 = 64;

/// A modulus with its constants for the engine that prepared it; wiped on drop.
pub struct Modulus {
    bits: u32,
    runner: Arc<Runner>,
    prepared: PreparedModulus,
}

impl Modulus {
    /// Bit length of the modulus.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn prepared(&self) -> &PreparedModulus {
        &self.prepared
    }
}

impl fmt::Debug for Modulus {
    /// The size only: a modulus may be a secret prime.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Modulus")
            .field("bits", &self.bits)
            .finish_non_exhaustive()
    }
}

/// The batch engine: a backend and its plans. Cheap to clone; clones share the plans.
#[derive(Clone)]
pub struct Engine {
    backend: Backend,
    runner: Arc<Runner>,
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
    /// [`EngineError::BackendUnavailable`] if this processor cannot run it.
    pub fn new(backend: Backend) -> Result<Self, EngineError> {
        Ok(Self {
            backend,
            runner: Arc::new(Runner::new(backend)?),
        })
    }

    /// The backend in use.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    pub(crate) fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Prepares a modulus: odd, of [`MIN_BITS`] to [`MAX_BITS`] bits. The time depends on
    /// its size only.
    ///
    /// # Errors
    /// [`EngineError::EvenModulus`], [`EngineError::ModulusSize`].
    pub fn modulus(&self, value: &BoxedUint) -> Result<Arc<Modulus>, EngineError> {
        let bits = value.bits();
        if !(MIN_BITS..=MAX_BITS).contains(&bits) {
            return Err(EngineError::ModulusSize(bits));
        }
        let value = value.clone().resize_unchecked(bits.next_multiple_of(64));
        let value =
            Option::<Odd<BoxedUint>>::from(Odd::new(value)).ok_or(EngineError::EvenModulus)?;
        let prepared = self.runner.modulus(&value, size_class(bits))?;
        Ok(Arc::new(Modulus {
            bits,
            runner: Arc::clone(&self.runner),
            prepared,
        }))
    }

    /// Computes every task, in order, on the threads of the current rayon pool, or on the
    /// calling thread if they make a single group. Each result is below its modulus and has the
    /// modulus' size rounded up to whole words. Any mix of moduli and sizes may ride in one
    /// batch; those of one size share their matrix products.
    pub fn run(&self, tasks: &[Task<'_>]) -> Vec<BoxedUint> {
        let groups = groups(tasks);
        let run_group = |indices: &Vec<usize>| {
            let group: Vec<Task<'_>> = indices.iter().map(|&index| tasks[index]).collect();
            // Grouped by plan, and so by the backend that made it.
            group[0].modulus.runner.run_group(&group)
        };
        let computed: Vec<Vec<BoxedUint>> = match groups.as_slice() {
            // To wake another thread takes longer than a product.
            [group] => vec![run_group(group)],
            _ => groups.par_iter().map(run_group).collect(),
        };

        let mut results: Vec<Option<BoxedUint>> = vec![None; tasks.len()];
        for (index, result) in groups
            .into_iter()
            .flatten()
            .zip(computed.into_iter().flatten())
        {
            results[index] = Some(result);
        }
        // The groups partition the tasks, so that no result is missing.
        results.into_iter().flatten().collect()
    }
}

/// The tasks' indices in groups that share a plan and a walk over the exponent, so that all
/// threads have work.
fn groups(tasks: &[Task<'_>]) -> Vec<Vec<usize>> {
    let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, task) in tasks.iter().enumerate() {
        let public = matches!(task.exponent, Exponent::Public(_));
        let plan = task.modulus.prepared.plan_id();
        let length = task.exponent.length();
        alike.entry((plan, public, length)).or_default().push(index);
    }
    let threads = rayon::current_num_threads();
    let mut groups = Vec::new();
    for mut indices in alike.into_values() {
        // A group in which all have the same modulus may be faster.
        indices.sort_by_key(|&index| Arc::as_ptr(tasks[index].modulus).addr());
        let modulus = tasks[indices[0]].modulus;
        let waiting = indices.len().div_ceil(threads);
        let size = (modulus.runner).group_size(waiting, modulus.prepared.plan.bits);
        groups.extend(indices.chunks(size).map(<[usize]>::to_vec));
    }
    groups
}

/// The plan size for a modulus: rounded up so that about 48 sizes serve them all, each
/// at most an eighth wider than its moduli above 512 bits.
pub(crate) fn size_class(bits: u32) -> u32 {
    let step = (bits.next_power_of_two() / 16).clamp(64, 1024);
    bits.next_multiple_of(step)
}
