//! Batches of modular powers.

use std::collections::HashMap;
use std::sync::Arc;

use crypto_bigint::BoxedUint;
use sunzi_engine::{Exponent, Modulus, Task};
use zeroize::Zeroizing;

use crate::buffers::{ByteOrder, Numbers};
use crate::engine::{Engine, borrowed};
use crate::status::{Error, Status, guarded};

/// Whether exponents are secret.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrecy {
    /// The time depends on the width of the exponents, and not on their values.
    Secret = 0,
    /// The time may depend on the exponents.
    Public = 1,
}

/// Computes `count` powers: result k = base k to the exponent k, modulo modulus k. Moduli are odd and have
/// 64 to 16,384 bits. `order` is a sunzi_byte_order, `secrecy` a sunzi_secrecy.
///
/// Result k is written to `results + k * result_width`, in `result_width` bytes, which must suffice for the
/// modulus. `statuses`, if it is not null, has room for `count` statuses, one for each item. If an item
/// fails, its result is zero, and the function returns SUNZI_STATUS_SOME_FAILED; the message is that of
/// the first such item. Results may overlap with the arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_powers(
    engine: *const Engine,
    count: usize,
    bases: Numbers,
    exponents: Numbers,
    moduli: Numbers,
    order: u32,
    secrecy: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or an engine.
        let engine = unsafe { borrowed(engine, "engine") }?;
        let order = ByteOrder::new(order)?;
        let secrecy = match secrecy {
            0 => Secrecy::Secret,
            1 => Secrecy::Public,
            other => {
                return Err(Error::argument(format_args!(
                    "secrecy is {other}: no sunzi_secrecy"
                )));
            }
        };
        bases.check(count, "bases")?;
        exponents.check(count, "exponents")?;
        moduli.check(count, "moduli")?;
        let bytes = count.checked_mul(result_width);
        let Some(bytes) = bytes.filter(|&bytes| isize::try_from(bytes).is_ok()) else {
            return Err(Error::argument("results: there are too many"));
        };
        if results.is_null() {
            return Err(Error::argument("results is null"));
        }
        let numbers = |numbers: Numbers| -> Vec<Zeroizing<BoxedUint>> {
            // One number for all items is read once.
            let read = if numbers.stride == 0 {
                count.min(1)
            } else {
                count
            };
            // SAFETY: the caller's buffer has a number for each item.
            (0..read)
                .map(|k| unsafe { numbers.get(k, order) })
                .collect()
        };
        let powers = Powers {
            bases: numbers(bases),
            exponents: numbers(exponents),
            moduli: numbers(moduli),
            secrecy,
            result_width,
        };
        let computed = engine.install(|| powers.compute(engine.algorithms.engine(), count))??;

        // SAFETY: the caller's buffer has so many writable bytes. The arguments, which may overlap, were
        // copied.
        let written = unsafe { core::slice::from_raw_parts_mut(results, bytes) };
        written.fill(0);
        let mut first = None;
        for (k, result) in computed.into_iter().enumerate() {
            let row = &mut written[k * result_width..][..result_width];
            let status = match result {
                Ok(number) => {
                    write(&number, row, order);
                    Status::Ok
                }
                Err(Error(status, words)) => {
                    first.get_or_insert(Error(Status::SomeFailed, format!("item {k}: {words}")));
                    status
                }
            };
            if !statuses.is_null() {
                // SAFETY: the caller's buffer has room for `count` statuses.
                unsafe { *statuses.add(k) = status };
            }
        }
        first.map_or(Ok(()), Err)
    })
}

/// Writes a number into a row of zeros that has room for its modulus.
fn write(number: &BoxedUint, row: &mut [u8], order: ByteOrder) {
    let bytes = Zeroizing::new(number.to_le_bytes());
    for (to, from) in row.iter_mut().zip(bytes.iter()) {
        *to = *from;
    }
    if order == ByteOrder::BigEndian {
        row.reverse();
    }
}

/// The operands of a batch, each one for all items or one for each.
struct Powers {
    bases: Vec<Zeroizing<BoxedUint>>,
    exponents: Vec<Zeroizing<BoxedUint>>,
    moduli: Vec<Zeroizing<BoxedUint>>,
    secrecy: Secrecy,
    /// Bytes that a result has room in.
    result_width: usize,
}

impl Powers {
    /// The results, one for each item.
    fn compute(
        &self,
        engine: &sunzi_engine::Engine,
        count: usize,
    ) -> Result<Vec<Result<Zeroizing<BoxedUint>, Error>>, Error> {
        let prepared = self.prepare(engine);
        let mut tasks = Vec::with_capacity(count);
        for k in 0..count {
            if let Ok(modulus) = of(&prepared, k) {
                let exponent = of(&self.exponents, k);
                let exponent = match self.secrecy {
                    Secrecy::Secret => Exponent::Secret(exponent),
                    Secrecy::Public => Exponent::Public(exponent),
                };
                let base = of(&self.bases, k);
                tasks.push(Task::power(modulus, base, exponent));
            }
        }
        let results = engine.run(&tasks);
        let mut results = results
            .map_err(|error| Error::new(Status::Failed, error))?
            .into_iter();
        let missing = || Error::new(Status::Internal, "an error within the library");
        let result = |k| match of(&prepared, k) {
            Ok(_) => results.next().ok_or_else(missing),
            Err(error) => Err(error.clone()),
        };
        Ok((0..count).map(result).collect())
    }

    /// The moduli, equal ones prepared once.
    fn prepare(&self, engine: &sunzi_engine::Engine) -> Vec<Result<Arc<Modulus>, Error>> {
        let mut places: HashMap<&[crypto_bigint::Word], usize> = HashMap::new();
        let mut different = Vec::new();
        let indices: Vec<usize> = self
            .moduli
            .iter()
            .map(|modulus| {
                *places.entry(modulus.as_words()).or_insert_with(|| {
                    different.push(BoxedUint::clone(modulus));
                    different.len() - 1
                })
            })
            .collect();
        let room = |modulus: Arc<Modulus>| {
            if modulus.bits().div_ceil(8) as usize <= self.result_width {
                return Ok(modulus);
            }
            let words = format!(
                "the modulus has {} bits: result_width is less",
                modulus.bits()
            );
            Err(Error(Status::BufferTooSmall, words))
        };
        let prepared: Vec<_> = engine
            .moduli(&different)
            .into_iter()
            .map(|modulus| modulus.map_err(Error::argument).and_then(room))
            .collect();
        indices
            .into_iter()
            .map(|index| prepared[index].clone())
            .collect()
    }
}

/// The item of an operand that has one for all, or one for each.
fn of<T>(operand: &[T], item: usize) -> &T {
    if operand.len() == 1 {
        &operand[0]
    } else {
        &operand[item]
    }
}
