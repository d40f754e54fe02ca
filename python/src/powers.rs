//! Modular powers of Python's integers.
//!
//! Powers that the engine does not take (even moduli, very small or large ones, very long exponents) Python's
//! own `pow` computes. Negative exponents ask for an inverse, which Python computes, too.

use std::borrow::Cow;
use std::sync::Arc;

use crypto_bigint::BoxedUint;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString};
use sunzi_engine::{Exponent, MAX_BITS, MIN_BITS, Modulus, Task};
use zeroize::Zeroizing;

use crate::arguments::{Threads, index, ordered};
use crate::batch::{Errors, Run};
use crate::engine::{Engine, exception};
use crate::integers::{bits, is_negative, to_boxed, to_python, widened};

/// One operand of a batch: the same integer for all items, or one for each.
pub(crate) enum Operand<'py> {
    One(Bound<'py, PyInt>),
    Many(Vec<PyResult<Bound<'py, PyInt>>>),
}

impl<'py> Operand<'py> {
    /// An integer or an iterable of integers. An item that is no integer is that item's error.
    ///
    /// # Errors
    /// `TypeError` for anything else.
    pub(crate) fn new(object: &Bound<'py, PyAny>, what: &str) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(format!(
                "{what} must be an integer or an iterable of integers, not str"
            )));
        }
        if object.try_iter().is_err() {
            return Ok(Self::One(index(object, what)?));
        }
        let items = ordered(object, what)?.map(|item| Ok(index(&item?, what)));
        Ok(Self::Many(items.collect::<PyResult<_>>()?))
    }

    fn len(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::Many(items) => Some(items.len()),
        }
    }

    fn get(&self, py: Python<'py>, item: usize) -> PyResult<&Bound<'py, PyInt>> {
        match self {
            Self::One(integer) => Ok(integer),
            Self::Many(items) => items[item].as_ref().map_err(|error| error.clone_ref(py)),
        }
    }
}

/// The items of operands that belong together.
///
/// # Errors
/// `ValueError` if two have different lengths.
fn common_length(operands: &[(&str, &Operand<'_>)]) -> PyResult<usize> {
    let mut lengths = operands
        .iter()
        .filter_map(|(what, operand)| Some((what, operand.len()?)));
    let Some((first, length)) = lengths.next() else {
        return Ok(1);
    };
    for (other, other_length) in lengths {
        if other_length != length {
            return Err(PyValueError::new_err(format!(
                "{first} has {length} items, and {other} has {other_length}"
            )));
        }
    }
    Ok(length)
}

/// A power that the engine computes.
pub(crate) struct Power<'a> {
    /// Its place in the batch.
    pub(crate) item: usize,
    pub(crate) base: Cow<'a, Zeroizing<BoxedUint>>,
    pub(crate) exponent: Cow<'a, Zeroizing<BoxedUint>>,
    pub(crate) modulus: Arc<Modulus>,
}

impl Power<'_> {
    fn task(&self, secrecy: Secrecy) -> Task<'_> {
        let exponent = match secrecy {
            Secrecy::Public => Exponent::Public(&self.exponent),
            Secrecy::Secret => Exponent::Secret(&self.exponent),
        };
        Task::power(&self.modulus, &self.base, exponent)
    }

    /// Seconds that it takes on one thread of a slow processor.
    fn seconds(&self) -> f64 {
        let words = f64::from(self.modulus.bits().div_ceil(64));
        // Products of 64-bit words at half a nanosecond each, two for each pair of words.
        f64::from(self.exponent.bits_precision()) * words * words * 2.0 * 0.5e-9
    }
}

/// An item after a first look.
enum Item<'py> {
    /// Another engine than ours computed it.
    Done(Bound<'py, PyAny>),
    /// For the engine, with a base below the modulus' power of two.
    Engine {
        base: Zeroizing<BoxedUint>,
        exponent: Zeroizing<BoxedUint>,
        modulus: Zeroizing<BoxedUint>,
    },
}

/// Whether exponents are secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Secrecy {
    Public,
    Secret,
}

/// One power, or the part of it that comes before the engine's.
fn look<'py>(
    base: &Bound<'py, PyInt>,
    exponent: &Bound<'py, PyInt>,
    modulus: &Bound<'py, PyInt>,
    secrecy: Secrecy,
) -> PyResult<Item<'py>> {
    let py = base.py();
    let pow = || {
        py.import(intern!(py, "builtins"))?
            .getattr(intern!(py, "pow"))
    };
    if modulus.le(0)? {
        return Err(PyValueError::new_err("the modulus must be positive"));
    }
    let size = bits(modulus)?;
    let is_odd = modulus.bitand(1)?.is_truthy()?;
    let fits = is_odd
        && (u64::from(MIN_BITS)..=u64::from(MAX_BITS)).contains(&size)
        && bits(exponent)? <= u64::from(MAX_BITS);
    if secrecy == Secrecy::Secret {
        if is_negative(exponent)? {
            return Err(PyValueError::new_err(
                "a secret exponent must not be negative: invert the base beforehand",
            ));
        }
        if !fits {
            return Err(PyValueError::new_err(format!(
                "with a secret exponent the modulus must be odd and have {MIN_BITS} to {MAX_BITS} \
                 bits, and the exponent at most {MAX_BITS}"
            )));
        }
    } else if !fits {
        return Ok(Item::Done(pow()?.call1((base, exponent, modulus))?));
    }
    let (base, exponent) = if is_negative(exponent)? {
        let inverse = pow()?.call1((base, -1, modulus))?.cast_into::<PyInt>()?;
        (inverse, exponent.neg()?.cast_into::<PyInt>()?)
    } else {
        (base.clone(), exponent.clone())
    };
    let base = if is_negative(&base)? || bits(&base)? > size {
        base.rem(modulus)?.cast_into::<PyInt>()?
    } else {
        base
    };
    Ok(Item::Engine {
        base: to_boxed(&base, 0)?,
        exponent: to_boxed(&exponent, 0)?,
        modulus: to_boxed(modulus, 0)?,
    })
}

/// Modular powers of integers. See `sunzi.powmod_list`.
#[pyfunction]
#[pyo3(signature = (engine, bases, exponents, moduli, *, secret = false, errors = "raise", threads = None, progress = None))]
pub(crate) fn powmod<'py>(
    py: Python<'py>,
    engine: &Engine,
    bases: &Bound<'py, PyAny>,
    exponents: &Bound<'py, PyAny>,
    moduli: &Bound<'py, PyAny>,
    secret: bool,
    errors: &str,
    threads: Option<Threads>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let run = Run::new(threads, progress);
    let errors = Errors::new(errors)?;
    let secrecy = if secret {
        Secrecy::Secret
    } else {
        Secrecy::Public
    };
    let bases = Operand::new(bases, "bases")?;
    let exponents = Operand::new(exponents, "exponents")?;
    let moduli = Operand::new(moduli, "moduli")?;
    let operands = [
        ("bases", &bases),
        ("exponents", &exponents),
        ("moduli", &moduli),
    ];
    let length = common_length(&operands)?;

    let mut results: Vec<Option<Bound<'py, PyAny>>> = Vec::with_capacity(length);
    let mut for_engine = Vec::new();
    for item in 0..length {
        if item % 1024 == 0 {
            py.check_signals()?;
        }
        let looked = bases.get(py, item).and_then(|base| {
            look(
                base,
                exponents.get(py, item)?,
                moduli.get(py, item)?,
                secrecy,
            )
        });
        results.push(match looked {
            Ok(Item::Done(result)) => Some(result),
            Ok(Item::Engine {
                base,
                exponent,
                modulus,
            }) => {
                for_engine.push((item, base, exponent, modulus));
                None
            }
            Err(error) => Some(errors.of_item(py, item, error)?),
        });
    }

    let values: Vec<&BoxedUint> = for_engine.iter().map(|item| &*item.3).collect();
    let prepared = engine.moduli(py, run.threads, &values, secrecy == Secrecy::Public)?;
    let mut powers = Vec::with_capacity(for_engine.len());
    for ((item, base, exponent, _), modulus) in for_engine.into_iter().zip(prepared) {
        match modulus {
            Ok(modulus) => powers.push(Power {
                item,
                base: Cow::Owned(base),
                exponent: Cow::Owned(exponent),
                modulus,
            }),
            Err(error) => {
                results[item] = Some(errors.of_item(py, item, exception(error))?);
            }
        }
    }
    if secrecy == Secrecy::Secret {
        hide_lengths(&mut powers);
    }
    let computed = engine.run(py, &run, &powers, secrecy)?;
    for (power, number) in powers.iter().zip(computed) {
        results[power.item] = Some(to_python(py, &number)?);
    }
    PyList::new(py, results.into_iter().flatten())
}

/// All exponents get as many bits as the longest of them, or the largest modulus if that is longer.
pub(crate) fn hide_lengths(powers: &mut [Power<'_>]) {
    let precision = |power: &Power<'_>| power.exponent.bits_precision().max(power.modulus.bits());
    let Some(precision) = powers.iter().map(precision).max() else {
        return;
    };
    let precision = precision.next_multiple_of(64);
    for power in powers {
        power.exponent = Cow::Owned(widened(&power.exponent, precision));
    }
}

impl Engine {
    /// The powers, in order.
    pub(crate) fn run<'py>(
        &self,
        py: Python<'py>,
        run: &Run<'py>,
        powers: &[Power<'_>],
        secrecy: Secrecy,
    ) -> PyResult<Vec<Zeroizing<BoxedUint>>> {
        let seconds = |item: usize| powers[item].seconds();
        run.in_parts(py, powers.len(), seconds, |range| {
            let tasks: Vec<_> = powers[range]
                .iter()
                .map(|power| power.task(secrecy))
                .collect();
            self.inner.run(&tasks).map_err(exception)
        })
    }
}
