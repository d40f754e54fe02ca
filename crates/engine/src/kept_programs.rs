//! The programs that an engine keeps, up to a number of bytes.

use std::{collections::HashMap, sync::Arc};

use crate::job::{ProgramKey, Programs};

/// The largest size in bytes of the programs that an engine keeps for later. Beyond it the least recently used ones are
/// dropped, but never the newest. A power to a secret exponent of 16,384 bits takes about half a MiB for each kind of
/// device, one of 1,024 bits a sixteenth of that.
pub(crate) const BYTES_KEPT: usize = 32 << 20;

/// Kept programs by their keys.
#[derive(Default)]
pub(crate) struct KeptPrograms {
    programs: HashMap<ProgramKey, Kept>,
    /// The bytes of all programs together.
    bytes: usize,
    /// The number of times that programs have been asked for.
    uses: u64,
}

struct Kept {
    programs: Arc<Programs>,
    bytes: usize,
    /// The value of `uses` at its last use.
    last_use: u64,
}

impl KeptPrograms {
    /// The programs of this key, if they are kept; they become the most recently used ones.
    pub(crate) fn get(&mut self, key: &ProgramKey) -> Option<Arc<Programs>> {
        self.uses += 1;
        let kept = self.programs.get_mut(key)?;
        kept.last_use = self.uses;
        Some(Arc::clone(&kept.programs))
    }

    /// Keeps programs, unless others of the same key have been kept meanwhile, and returns the kept ones: all callers
    /// have the same ones.
    pub(crate) fn insert(&mut self, key: ProgramKey, programs: Arc<Programs>) -> Arc<Programs> {
        if let Some(kept) = self.get(&key) {
            return kept;
        }
        let bytes = programs.bytes();
        while self.bytes + bytes > BYTES_KEPT && self.drop_least_recently_used() {}
        self.bytes += bytes;
        let kept = Kept {
            programs: Arc::clone(&programs),
            bytes,
            last_use: self.uses,
        };
        self.programs.insert(key, kept);
        programs
    }

    /// The number of times that programs have been asked for.
    pub(crate) fn uses(&self) -> u64 {
        self.uses
    }

    /// The programs that have been asked for after so many `uses`, in the order of the last time.
    pub(crate) fn used_after(&self, uses: u64) -> Vec<Arc<Programs>> {
        let mut used: Vec<_> = self.programs.values().collect();
        used.retain(|kept| kept.last_use > uses);
        used.sort_unstable_by_key(|kept| kept.last_use);
        used.into_iter()
            .map(|kept| Arc::clone(&kept.programs))
            .collect()
    }

    /// Drops the least recently used programs. Returns whether there were any.
    fn drop_least_recently_used(&mut self) -> bool {
        let oldest = self.programs.iter().min_by_key(|(_, kept)| kept.last_use);
        let Some(key) = oldest.map(|(key, _)| key.clone()) else {
            return false;
        };
        if let Some(kept) = self.programs.remove(&key) {
            self.bytes -= kept.bytes;
        }
        true
    }

    /// The number of programs that are kept, and their bytes.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn count_and_bytes(&self) -> (usize, usize) {
        (self.programs.len(), self.bytes)
    }
}
