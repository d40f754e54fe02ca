//! The keys that verify tokens, found by their identifiers.

use super::error::{KeysError, Refusal};
use super::jwk::{self, Purpose, check_size, check_symmetric, method_of, only_algorithm, read_set};
use super::method::Method;
use core::fmt;
use std::collections::HashMap;
use sunzi_pk::keys::{Algorithms, PublicKey, VerifyingKey};
use zeroize::Zeroizing;

/// The keys of a JSON Web Key Set, prepared. A key that is refused does not prevent the use of others.
#[derive(Debug)]
pub struct Keys {
    list: Vec<Key>,
    /// Places by identifiers; no place where several keys have one.
    by_id: HashMap<String, Option<usize>>,
    /// Whether the only key is for every token, whatever its `kid` says.
    alone: bool,
}

#[derive(Debug)]
struct Key {
    alg: Option<String>,
    material: Result<Material, String>,
}

pub(super) enum Material {
    Public(VerifyingKey),
    Symmetric(Zeroizing<Vec<u8>>),
}

impl fmt::Debug for Material {
    /// Shows no symmetric key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Public(key) => key.fmt(f),
            Self::Symmetric(_) => f.write_str("Symmetric"),
        }
    }
}

impl Keys {
    /// Reads a set (RFC 7517, section 5), or one JSON Web Key. Of private keys the public halves are used. Keys whose
    /// `use` is not `sig`, or whose `key_ops` do not have `verify`, verify nothing, nor do RSA keys of fewer than 2048
    /// bits. Keys without a `kid` are of use in [`for_every_token`](Self::for_every_token) only.
    ///
    /// # Errors
    /// [`KeysError::TooLong`], [`KeysError::NotJson`], also for members that occur twice.
    pub fn from_json(algorithms: &Algorithms, file: &[u8]) -> Result<Self, KeysError> {
        let mut by_id = HashMap::new();
        let mut keys = Vec::new();
        for jwk in read_set(file, Purpose::Verify)? {
            let material = match jwk.symmetric() {
                Some(key) => key.map(Material::Symmetric),
                None => jwk
                    .public(algorithms)
                    .and_then(|key| prepared(algorithms, &key)),
            };
            if let Some(kid) = jwk.kid {
                let place = by_id.entry(kid);
                place
                    .and_modify(|place| *place = None)
                    .or_insert(Some(keys.len()));
            }
            keys.push(Key {
                alg: jwk.alg,
                material,
            });
        }
        Ok(Self {
            list: keys,
            by_id,
            alone: false,
        })
    }

    /// One public key, for every token, whatever its `kid` says.
    ///
    /// # Errors
    /// [`KeysError::Key`].
    pub fn of(algorithms: &Algorithms, key: &PublicKey) -> Result<Self, KeysError> {
        let checked = check_size(key).and_then(|()| prepared(algorithms, key));
        let key = Key {
            alg: None,
            material: Ok(checked.map_err(KeysError::Key)?),
        };
        Ok(Self {
            list: vec![key],
            by_id: HashMap::new(),
            alone: true,
        })
    }

    /// The same key for every token, whatever its `kid` says.
    ///
    /// # Errors
    /// [`KeysError::NotOne`] unless there is exactly one key; [`KeysError::Key`] if it is refused.
    pub fn for_every_token(mut self) -> Result<Self, KeysError> {
        match &self.list[..] {
            [
                Key {
                    material: Err(reason),
                    ..
                },
            ] => Err(KeysError::Key(reason.clone())),
            [_] => {
                self.alone = true;
                Ok(self)
            }
            keys => Err(KeysError::NotOne(keys.len())),
        }
    }

    /// Number of keys, also of those that are refused.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The place of the key with this identifier.
    pub(super) fn find(&self, id: Option<&str>) -> Result<usize, Refusal> {
        if self.alone {
            return Ok(0);
        }
        let id = id.ok_or(Refusal::NoKeyId)?;
        let place = self.by_id.get(id).ok_or(Refusal::UnknownKeyId)?;
        place.ok_or(Refusal::AmbiguousKeyId)
    }

    /// What the key at this place verifies with.
    pub(super) fn material(&self, place: usize) -> Result<&Material, Refusal> {
        let material = self.list[place].material.as_ref();
        material.map_err(|reason| Refusal::Key(reason.clone()))
    }

    /// The method that an algorithm is for the key at this place, if it is the key's: the one that the key names, the
    /// only one of its curve, or, where it has a choice, one that the caller has permitted.
    pub(super) fn method(
        &self,
        place: usize,
        alg: &str,
        permitted: bool,
    ) -> Result<Method, Refusal> {
        let other = || Refusal::OtherAlgorithm(alg.into());
        let material = self.material(place)?;
        let public = match material {
            Material::Public(key) => Some(key.public_key()),
            Material::Symmetric(_) => None,
        };
        let method = method_of(alg, public).ok_or_else(other)?;
        match &self.list[place].alg {
            Some(own) if own != alg => return Err(other()),
            None if !permitted && only_algorithm(public).is_none() => {
                return Err(Refusal::NotBound);
            }
            _ => {}
        }
        if let (Material::Symmetric(key), Method::Hmac(hash)) = (material, method) {
            check_symmetric(hash, key).map_err(Refusal::Key)?;
        }
        Ok(method)
    }
}

fn prepared(algorithms: &Algorithms, key: &PublicKey) -> Result<Material, String> {
    if jwk::only_algorithm(Some(key)).is_none() && !matches!(key, PublicKey::Rsa(_)) {
        return Err(format!(
            "tokens are not signed by keys of {}",
            key.algorithm()
        ));
    }
    let key = VerifyingKey::new(algorithms, key).map_err(|error| error.to_string())?;
    Ok(Material::Public(key))
}
