//! Modular powers of numbers in buffers: each row of bytes is a number.

use std::borrow::Cow;

use crypto_bigint::{BoxedUint, Word};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroize::Zeroizing;

use crate::arguments::Threads;
use crate::batch::{Errors, Run};
use crate::engine::{Engine, exception};
use crate::powers::{Power, Secrecy, hide_lengths};

/// Bytes of a word of a number.
const WORD_BYTES: usize = size_of::<Word>();

/// The order of the bytes of a number.
#[derive(Clone, Copy)]
enum ByteOrder {
    Big,
    Little,
}

impl ByteOrder {
    fn new(name: &str) -> PyResult<Self> {
        match name {
            "big" => Ok(Self::Big),
            "little" => Ok(Self::Little),
            _ => Err(PyValueError::new_err(format!(
                "byteorder is {name:?}: \"big\" and \"little\" are possible"
            ))),
        }
    }

    /// The number in a row.
    fn read(self, row: &[u8]) -> Zeroizing<BoxedUint> {
        Zeroizing::new(match self {
            Self::Little => BoxedUint::from_words(row.chunks(WORD_BYTES).map(|chunk| {
                let mut bytes = [0; WORD_BYTES];
                bytes[..chunk.len()].copy_from_slice(chunk);
                Word::from_le_bytes(bytes)
            })),
            Self::Big => BoxedUint::from_words(row.rchunks(WORD_BYTES).map(|chunk| {
                let mut bytes = [0; WORD_BYTES];
                bytes[WORD_BYTES - chunk.len()..].copy_from_slice(chunk);
                Word::from_be_bytes(bytes)
            })),
        })
    }

    /// Writes the number, which fits, into a row of zeros.
    fn write(self, number: &BoxedUint, row: &mut [u8]) {
        let words = number.as_words();
        match self {
            Self::Little => {
                for (chunk, word) in row.chunks_mut(WORD_BYTES).zip(words) {
                    chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
                }
            }
            Self::Big => {
                for (chunk, word) in row.rchunks_mut(WORD_BYTES).zip(words) {
                    chunk.copy_from_slice(&word.to_be_bytes()[WORD_BYTES - chunk.len()..]);
                }
            }
        }
    }
}

/// Numbers in a buffer of bytes: of two dimensions one number a row, of one dimension one number for
/// all items.
struct Rows {
    buffer: PyBuffer<u8>,
    /// The number of rows, or none for a single number.
    count: Option<usize>,
    /// Bytes of a row.
    width: usize,
}

impl Rows {
    fn new(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let refused = |condition: &str| PyBufferError::new_err(format!("{what} {condition}"));
        let buffer = PyBuffer::<u8>::get(object).map_err(|_| {
            refused("must be a buffer of unsigned bytes, such as a numpy array of uint8")
        })?;
        if !buffer.is_c_contiguous() {
            return Err(refused(
                "must be contiguous, row by row: numpy.ascontiguousarray makes such a copy",
            ));
        }
        let (count, width) = match *buffer.shape() {
            [width] => (None, width),
            [count, width] => (Some(count), width),
            _ => return Err(refused("must have one dimension or two")),
        };
        if width == 0 {
            return Err(refused("has rows without bytes"));
        }
        Ok(Self {
            buffer,
            count,
            width,
        })
    }

    /// The numbers, one for all or one for each row.
    fn numbers(&self, py: Python<'_>, order: ByteOrder) -> PyResult<Vec<Zeroizing<BoxedUint>>> {
        let bytes = Zeroizing::new(self.buffer.to_vec(py)?);
        let rows = bytes.chunks_exact(self.width);
        Ok(rows.map(|row| order.read(row)).collect())
    }
}

/// Modular powers of rows of bytes. See `sunzi.powmod_rows`.
#[pyfunction]
#[pyo3(signature = (engine, bases, exponents, moduli, out, *, byteorder = "big", secret = false, errors = "raise", threads = None, progress = None))]
pub(crate) fn powmod_rows<'py>(
    py: Python<'py>,
    engine: &Engine,
    bases: &Bound<'py, PyAny>,
    exponents: &Bound<'py, PyAny>,
    moduli: &Bound<'py, PyAny>,
    out: &Bound<'py, PyAny>,
    byteorder: &str,
    secret: bool,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let order = ByteOrder::new(byteorder)?;
    let secrecy = if secret {
        Secrecy::Secret
    } else {
        Secrecy::Public
    };
    let out = Rows::new(out, "out")?;
    let length = out.count.unwrap_or(1);
    let operand = |object, what: &str| {
        let rows = Rows::new(object, what)?;
        if let Some(count) = rows.count
            && count != length
            && count != 1
        {
            return Err(PyValueError::new_err(format!(
                "{what} has {count} rows, and out has {length}"
            )));
        }
        rows.numbers(py, order)
    };
    let bases = operand(bases, "bases")?;
    let exponents = operand(exponents, "exponents")?;
    let moduli = operand(moduli, "moduli")?;
    if out.buffer.readonly() {
        return Err(PyBufferError::new_err("out is read-only"));
    }

    let values: Vec<&BoxedUint> = moduli.iter().map(|modulus| &**modulus).collect();
    let prepared = engine.moduli(py, run.threads, &values, secrecy == Secrecy::Public)?;
    let wide = |modulus: &sunzi_engine::Modulus| modulus.bits().div_ceil(8) as usize > out.width;
    let failures = PyDict::new(py);
    let mut powers = Vec::with_capacity(length);
    for item in 0..length {
        let modulus = match of(&prepared, item) {
            Ok(modulus) if wide(modulus) => Err(PyValueError::new_err(format!(
                "the modulus has {} bits, and a row of out {}",
                modulus.bits(),
                8 * out.width
            ))),
            Ok(modulus) => Ok(modulus),
            Err(error) => Err(exception(error.clone())),
        };
        match modulus {
            Ok(modulus) => powers.push(Power {
                item,
                base: Cow::Borrowed(of(&bases, item)),
                exponent: Cow::Borrowed(of(&exponents, item)),
                modulus: modulus.clone(),
            }),
            Err(error) => failures.set_item(item, errors.of_item(py, item, error)?)?,
        }
    }
    if secrecy == Secrecy::Secret {
        hide_lengths(&mut powers);
    }
    let computed = engine.run(py, &run, &powers, secrecy)?;
    let mut written = Zeroizing::new(vec![0; length * out.width]);
    for (power, number) in powers.iter().zip(computed) {
        order.write(&number, &mut written[power.item * out.width..][..out.width]);
    }
    out.buffer.copy_from_slice(py, &written)?;
    Ok(failures)
}

/// The item of an operand that has one for all, or one for each.
fn of<T>(operand: &[T], item: usize) -> &T {
    if operand.len() == 1 {
        &operand[0]
    } else {
        &operand[item]
    }
}
