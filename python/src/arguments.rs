//! Arguments of Python's functions: whole numbers within bounds, keys, and ordered collections. Each is refused in
//! words that name the argument and the condition.

use pyo3::PyClass;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyInt, PyIterator, PySet, PyString};

/// Name of an object's type, for error messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    let name = object.get_type().name();
    name.map_or_else(|_| String::from("?"), |name| name.to_string())
}

/// The integer that an object is, as Python's `operator.index` has it.
///
/// # Errors
/// `TypeError` for a float, a string and all else that is no integer, and what the object raises itself.
pub(crate) fn index<'py>(object: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyInt>> {
    if let Ok(integer) = object.cast_exact::<PyInt>() {
        return Ok(integer.clone());
    }
    let no_integer = |error: PyErr| {
        if !error.is_instance_of::<PyAttributeError>(object.py()) {
            return error;
        }
        let name = type_name(object);
        PyTypeError::new_err(format!("{what} must be an integer, not {name}"))
    };
    let integer = object.call_method0(intern!(object.py(), "__index__"));
    let integer = integer.map_err(no_integer)?;
    // A subclass may have changed what its methods do.
    let plain = object.py().get_type::<PyInt>().call1((integer,))?;
    plain.cast_into::<PyInt>().map_err(PyErr::from)
}

/// The integer that an argument is, within these bounds.
fn within<'py, Integer>(
    object: &Bound<'py, PyAny>,
    what: &str,
    least: u64,
    most: u64,
) -> PyResult<Integer>
where
    Integer: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let integer = index(object, what)?;
    let condition = if integer.ge(least)? && integer.le(most)? {
        return integer.extract();
    } else if most < u64::from(u32::MAX) {
        format!("{least} to {most} are possible")
    } else {
        format!("it must be at least {least}, and below 2^32")
    };
    Err(PyValueError::new_err(format!(
        "{what} is {integer}: {condition}"
    )))
}

macro_rules! bounded {
    ($($(#[$doc:meta])* $name:ident($integer:ty) is $what:literal, $least:literal to $most:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) $integer);

        impl<'py> FromPyObject<'_, 'py> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                within(&object, $what, $least, u64::from($most)).map(Self)
            }
        }
    )*};
}

bounded! {
    /// Number of threads.
    Threads(usize) is "threads", 1 to 1024_u32;
    /// Number of things to make.
    Count(usize) is "count", 0 to u32::MAX;
    /// Size of what is made, in bits.
    Bits(u32) is "bits", 1 to u32::MAX;
    /// Length of a salt, in bytes.
    SaltLength(usize) is "salt_length", 0 to u16::MAX;
    /// Factor of the limits of what opening a key costs.
    KdfLimit(u32) is "kdf_limit", 1 to u32::MAX;
    /// Number of plans with random bases.
    RandomBases(usize) is "random_bases", 0 to u32::MAX;
    /// Greatest sum that is looked for.
    Most(u32) is "most", 0 to u32::MAX;
    /// Vote.
    Vote(u32) is "a vote", 0 to u32::MAX;
}

/// Iterator of a collection whose items have an order.
///
/// # Errors
/// `TypeError` for sets, strings, and what cannot be iterated over.
pub(crate) fn ordered<'py>(
    items: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<Bound<'py, PyIterator>> {
    if items.is_instance_of::<PySet>() || items.is_instance_of::<PyFrozenSet>() {
        return Err(PyTypeError::new_err(format!(
            "{what} must have an order: a {} has none",
            type_name(items)
        )));
    }
    if items.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "{what} must be a list, not str"
        )));
    }
    items.try_iter().map_err(|_| {
        PyTypeError::new_err(format!("{what} must be a list, not {}", type_name(items)))
    })
}

/// Keys of a list.
///
/// # Errors
/// `TypeError` for anything but a collection of keys of this type.
pub(crate) fn keys_of<Key: PyClass>(
    object: &Bound<'_, PyAny>,
    what: &str,
) -> PyResult<Vec<Py<Key>>> {
    let name = object.py().get_type::<Key>().name()?;
    let key = |(item, key): (usize, PyResult<Bound<'_, PyAny>>)| {
        let key = key?;
        let no_key = || {
            PyTypeError::new_err(format!(
                "item {item} of {what} must be a {name}, not {}",
                type_name(&key)
            ))
        };
        Ok(key.cast::<Key>().map_err(|_| no_key())?.clone().unbind())
    };
    ordered(object, what)?.enumerate().map(key).collect()
}

/// One key for all items, or one for each.
pub(crate) enum Keys<Key> {
    One(Key),
    Many(Vec<Key>),
}

impl<'py, Key: PyClass> FromPyObject<'_, 'py> for Keys<Py<Key>> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(key) = object.cast::<Key>() {
            return Ok(Self::One((*key).clone().unbind()));
        }
        if object.try_iter().is_err() {
            let name = object.py().get_type::<Key>().name()?;
            return Err(PyTypeError::new_err(format!(
                "keys must be a {name} or a list of them, not {}",
                type_name(&object)
            )));
        }
        keys_of(&object, "keys").map(Self::Many)
    }
}

impl<Key> Keys<Key> {
    pub(crate) fn get(&self, item: usize) -> &Key {
        match self {
            Self::One(key) => key,
            Self::Many(keys) => &keys[item],
        }
    }

    /// Checks that there is a key for each of `items`.
    pub(crate) fn check(&self, items: usize) -> PyResult<()> {
        match self {
            Self::Many(keys) if keys.len() != items => Err(PyValueError::new_err(format!(
                "{} keys were given for {items} items",
                keys.len()
            ))),
            _ => Ok(()),
        }
    }
}
