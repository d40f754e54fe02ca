//! Tables of public keys that verify many signatures. With tables of a key's multiples beside those of the base point, a
//! verification has no doublings, and a third of the products.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use sunzi_engine::{Constants, EngineError};

/// The number of signatures by one key in a batch from which on its tables are looked for.
pub(super) const MANY: usize = 32;

/// The number of signatures by one key after which it gets tables: so many that making them takes less time than
/// verifying these did.
pub(super) const USES_BEFORE_TABLES: usize = 1024;

/// The number of keys of a curve whose tables are kept.
const KEPT: usize = 8;

/// The signatures by a key since it last got tables, as far as batches had many of them.
#[derive(Default)]
pub(super) struct Uses(AtomicUsize);

impl Uses {
    /// Notes this many signatures in a batch. `None` if they are too few to look for tables, else whether to make them if
    /// there are none.
    pub(super) fn note(&self, count: usize) -> Option<bool> {
        if count < MANY {
            return None;
        }
        let uses = self.0.fetch_add(count, Ordering::Relaxed) + count;
        let make = uses >= USES_BEFORE_TABLES;
        if make {
            // Should other keys' tables take their place, they are made again after as many uses.
            self.0.store(0, Ordering::Relaxed);
        }
        Some(make)
    }
}

/// The constants with tables of a curve's keys, those last used first. The last used few are kept.
pub(super) struct KeyTables<K>(Mutex<Vec<(K, Arc<Constants>)>>);

impl<K> Default for KeyTables<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Clone + PartialEq> KeyTables<K> {
    /// A key's constants. If they are not kept, `make` makes them; without it there are none.
    pub(super) fn get<F>(
        &self,
        key: &K,
        make: Option<F>,
    ) -> Result<Option<Arc<Constants>>, EngineError>
    where
        F: FnOnce() -> Result<Arc<Constants>, EngineError>,
    {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = {
            let mut kept = kept();
            let place = kept.iter().position(|(known, _)| known == key);
            place.map(|place| {
                kept[..=place].rotate_right(1);
                Arc::clone(&kept[0].1)
            })
        };
        let (None, Some(make)) = (&found, make) else {
            return Ok(found);
        };
        let constants = make()?;
        let mut kept = kept();
        kept.insert(0, (key.clone(), Arc::clone(&constants)));
        kept.truncate(KEPT);
        Ok(Some(constants))
    }
}

/// The constants of the keys of a batch that have tables, by the keys' numbers, which differ where keys do. `tables` gives
/// those of a key with so many signatures.
pub(super) fn tables_of<'a, K: 'a>(
    keys: impl Iterator<Item = (usize, &'a K)>,
    tables: impl Fn(&K, usize) -> Result<Option<Arc<Constants>>, EngineError>,
) -> Result<HashMap<usize, Arc<Constants>>, EngineError> {
    let mut counts: HashMap<usize, (&K, usize)> = HashMap::new();
    for (number, key) in keys {
        counts.entry(number).or_insert((key, 0)).1 += 1;
    }
    let mut found = HashMap::new();
    for (number, (key, count)) in counts {
        if let Some(constants) = tables(key, count)? {
            found.insert(number, constants);
        }
    }
    Ok(found)
}
