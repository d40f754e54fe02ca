//! Sets of JSON Web Keys (RFC 7517, section 5), whose keys are found by their identifiers.

use super::error::KeyFileError;
use super::jwk::{self, Member};
use super::opened::KeyFile;
use std::collections::BTreeMap;

/// The keys of a JSON Web Key Set (RFC 7517, section 5), or of a file with one JSON Web Key, by their identifiers,
/// the members `kid`.
///
/// A key that is refused does not prevent the use of others, and keys without an identifier are left out. The numbers
/// of a key are checked by the reader of its [`der`](KeyFile::der).
#[derive(Debug)]
pub struct KeySet {
    keys: BTreeMap<String, Entry>,
}

#[derive(Debug)]
struct Entry {
    key: Result<KeyFile, KeyFileError>,
    /// The member `alg`.
    intended: Option<String>,
}

impl KeySet {
    /// Reads a file.
    ///
    /// # Errors
    /// [`KeyFileError::FileTooLong`]; [`KeyFileError::Malformed`] if it is neither a set nor a key;
    /// [`KeyFileError::AmbiguousId`] if several keys have one identifier.
    pub fn from_json(file: &[u8]) -> Result<Self, KeyFileError> {
        let mut keys = BTreeMap::new();
        for Member { id, intended, key } in jwk::read_set(file)? {
            let key = key.and_then(|(format, der)| KeyFile::new(format, der, false));
            if keys.insert(id.clone(), Entry { key, intended }).is_some() {
                return Err(KeyFileError::AmbiguousId(id));
            }
        }
        Ok(Self { keys })
    }

    /// The key with this identifier, or the reason why it is refused; `None` if there is none.
    pub fn get(&self, id: &str) -> Option<Result<&KeyFile, &KeyFileError>> {
        self.keys.get(id).map(|entry| entry.key.as_ref())
    }

    /// The algorithm that the key with this identifier is intended for, its member `alg`, such as `ES256` (RFC 7518,
    /// section 3.1), if it has one.
    pub fn intended_algorithm(&self, id: &str) -> Option<&str> {
        self.keys.get(id)?.intended.as_deref()
    }

    /// The identifiers, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str)
    }
}
