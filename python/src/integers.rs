//! Python's integers and the engine's.

use crypto_bigint::{BoxedUint, Resize};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList};
use zeroize::{Zeroize, Zeroizing};

use crate::arguments::{index, ordered};
use crate::batch::{Errors, listen};

/// The bits of an integer's magnitude.
pub(crate) fn bits(integer: &Bound<'_, PyInt>) -> PyResult<u64> {
    integer
        .call_method0(intern!(integer.py(), "bit_length"))?
        .extract()
}

pub(crate) fn is_negative(integer: &Bound<'_, PyInt>) -> PyResult<bool> {
    integer.lt(0)
}

/// A non-negative integer, of at least `precision` bits of precision.
pub(crate) fn to_boxed(
    integer: &Bound<'_, PyInt>,
    precision: u32,
) -> PyResult<Zeroizing<BoxedUint>> {
    let py = integer.py();
    let precision = u64::from(precision)
        .max(bits(integer)?)
        .max(1)
        .next_multiple_of(64);
    let precision = u32::try_from(precision)
        .map_err(|_| pyo3::exceptions::PyOverflowError::new_err("an integer is too long"))?;
    let bytes = integer.call_method1(
        intern!(py, "to_bytes"),
        (precision / 8, intern!(py, "little")),
    )?;
    Ok(from_little_endian(bytes.cast::<PyBytes>()?.as_bytes()))
}

/// Bytes whose number is a multiple of eight.
pub(crate) fn from_little_endian(bytes: &[u8]) -> Zeroizing<BoxedUint> {
    let words = bytes.chunks(size_of::<crypto_bigint::Word>()).map(|word| {
        let mut array = [0; size_of::<crypto_bigint::Word>()];
        array[..word.len()].copy_from_slice(word);
        crypto_bigint::Word::from_le_bytes(array)
    });
    Zeroizing::new(BoxedUint::from_words(words))
}

/// The same number with this many bits of precision, which hold it.
pub(crate) fn widened(number: &BoxedUint, precision: u32) -> Zeroizing<BoxedUint> {
    Zeroizing::new(number.resize_unchecked(precision))
}

/// An `int`.
pub(crate) fn to_python<'py>(py: Python<'py>, number: &BoxedUint) -> PyResult<Bound<'py, PyAny>> {
    let mut bytes = number.to_le_bytes();
    let integer = py.get_type::<PyInt>().call_method1(
        intern!(py, "from_bytes"),
        (PyBytes::new(py, &bytes), intern!(py, "little")),
    );
    bytes.zeroize();
    integer
}

/// A non-negative integer that an argument is.
pub(crate) fn natural(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Zeroizing<BoxedUint>> {
    let integer = index(object, what)?;
    if is_negative(&integer)? {
        return Err(PyValueError::new_err(format!(
            "{what} must not be negative"
        )));
    }
    to_boxed(&integer, 0)
}

/// The integers of an iterable.
pub(crate) fn naturals(objects: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<BoxedUint>> {
    let number = |(item, object): (usize, PyResult<Bound<'_, PyAny>>)| {
        listen(objects.py(), item)?;
        // The engine's functions take plain numbers.
        natural(&object?, what).map(|mut number| core::mem::take(&mut *number))
    };
    ordered(objects, "numbers")?
        .enumerate()
        .map(number)
        .collect()
}

/// The results of a batch as a list of integers, with errors in the way that was asked for.
pub(crate) fn listed<Number: Into<Zeroizing<BoxedUint>>>(
    py: Python<'_>,
    errors: Errors,
    results: Vec<Result<Number, impl ToString>>,
) -> PyResult<Bound<'_, PyList>> {
    errors.listed(py, results, |number| to_python(py, &number.into()))
}
