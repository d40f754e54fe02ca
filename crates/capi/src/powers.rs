//! Batches of modular powers, of powers of one base by tables, and of products of powers.

use std::collections::HashMap;
use std::sync::Arc;

use crypto_bigint::{BoxedUint, Resize};
use sunzi_engine::program::fixed_base::Comb;
use sunzi_engine::{EngineError, Exponent, FixedBase, Modulus, Product, Task};
use zeroize::Zeroizing;

use crate::batch::{Answer, Operand, Rows, of};
use crate::buffers::{ByteOrder, Bytes, Numbers};
use crate::engine::{Engine, Place, borrowed, freed};
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

impl Secrecy {
    /// The error of a number from C.
    pub(crate) fn new(secrecy: u32) -> Result<Self, Error> {
        match secrecy {
            0 => Ok(Self::Secret),
            1 => Ok(Self::Public),
            other => Err(Error::argument(format_args!(
                "secrecy is {other}: no sunzi_secrecy"
            ))),
        }
    }
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
        let secrecy = Secrecy::new(secrecy)?;
        let rows = Rows::new(results, result_width, 0, count, order, statuses)?;
        // SAFETY: the caller's buffers have a number for each item.
        let (bases, exponents, moduli) = unsafe {
            (
                Operand::read(bases, count, order, "bases")?,
                Operand::read(exponents, count, order, "exponents")?,
                Operand::read(moduli, count, order, "moduli")?,
            )
        };
        let computed = engine.install(|| {
            let prepared = prepare(engine.algorithms.engine(), &moduli, result_width);
            let mut tasks = Vec::with_capacity(count);
            for k in 0..count {
                if let Ok(modulus) = of(&prepared, k) {
                    let exponent = match secrecy {
                        Secrecy::Secret => Exponent::Secret(exponents.of(k)),
                        Secrecy::Public => Exponent::Public(exponents.of(k)),
                    };
                    tasks.push(Task::power(modulus, bases.of(k), exponent));
                }
            }
            let powers = engine.algorithms.engine().run(&tasks);
            merge(&prepared, count, powers)
        })??;
        // SAFETY: the caller's buffers have room for all items. The arguments, which may overlap, were
        // copied.
        unsafe { rows.write(computed) }
    })
}

/// Computes `count` products of powers: result k = base (k, 0) to the exponent (k, 0), times base (k, 1) to
/// the exponent (k, 1) and so on, `terms` of them, modulo modulus k. All numbers are public. Bases and
/// exponents have `count * terms` numbers, those of a product one after the other: number (k, j) begins at
/// `data + (k * terms + j) * stride`. The rest is as in sunzi_powers. The squarings of a product are shared,
/// which takes less time than the powers one by one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_products_of_powers(
    engine: *const Engine,
    count: usize,
    terms: usize,
    bases: Numbers,
    exponents: Numbers,
    moduli: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointer is null or an engine.
        let engine = unsafe { borrowed(engine, "engine") }?;
        let order = ByteOrder::new(order)?;
        if !(1..=MAX_TERMS).contains(&terms) {
            return Err(Error::argument(format_args!(
                "terms is {terms}: 1 to {MAX_TERMS} are possible"
            )));
        }
        let all = count.checked_mul(terms);
        let all = all.ok_or_else(|| Error::argument("bases: there are too many"))?;
        let rows = Rows::new(results, result_width, 0, count, order, statuses)?;
        // SAFETY: the caller's buffers have a number for each term or item.
        let (bases, exponents, moduli) = unsafe {
            (
                Operand::read(bases, all, order, "bases")?,
                Operand::read(exponents, all, order, "exponents")?,
                Operand::read(moduli, count, order, "moduli")?,
            )
        };
        let computed = engine.install(|| {
            let prepared = prepare(engine.algorithms.engine(), &moduli, result_width);
            let product = |k| {
                let modulus = of(&prepared, k).as_ref().ok()?;
                let terms = k * terms..(k + 1) * terms;
                let terms = terms.map(|j| (bases.of(j), exponents.of(j)));
                Some(Product {
                    modulus,
                    terms: terms.collect(),
                })
            };
            let products: Vec<_> = (0..count).filter_map(product).collect();
            let products = engine
                .algorithms
                .engine()
                .products_of_powers_vartime(&products)
                .map(|products| products.into_iter().map(Zeroizing::new).collect());
            merge(&prepared, count, products)
        })??;
        // SAFETY: the caller's buffers have room for all items. The arguments were copied.
        unsafe { rows.write(computed) }
    })
}

/// The most terms of a product.
const MAX_TERMS: usize = 64;

/// The moduli, equal ones prepared once; an error for those that results have no room for.
fn prepare(
    engine: &sunzi_engine::Engine,
    moduli: &Operand,
    result_width: usize,
) -> Vec<Answer<Arc<Modulus>>> {
    let mut places: HashMap<&[crypto_bigint::Word], usize> = HashMap::new();
    let mut different = Vec::new();
    let indices: Vec<usize> = moduli
        .numbers()
        .iter()
        .map(|modulus| {
            *places.entry(modulus.as_words()).or_insert_with(|| {
                different.push(BoxedUint::clone(modulus));
                different.len() - 1
            })
        })
        .collect();
    let room = |modulus: Arc<Modulus>| {
        if modulus.bits().div_ceil(8) as usize <= result_width {
            return Ok(modulus);
        }
        let bits = modulus.bits();
        let words = format_args!("the modulus has {bits} bits: result_width is less");
        Err(Error::new(Status::BufferTooSmall, words))
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

/// One answer for each item: the error of its modulus, or the next result.
fn merge(
    prepared: &[Answer<Arc<Modulus>>],
    count: usize,
    results: Result<Vec<Zeroizing<BoxedUint>>, EngineError>,
) -> Result<Vec<Answer<Zeroizing<BoxedUint>>>, Error> {
    let results = results.map_err(|error| Error::new(Status::Failed, error))?;
    let mut results = results.into_iter();
    let result = |k| match of(prepared, k) {
        Ok(_) => results.next().ok_or_else(Error::internal),
        Err(error) => Err(error.clone()),
    };
    Ok((0..count).map(result).collect())
}

/// A base with tables of its powers modulo one number.
pub struct Table {
    base: FixedBase,
}

/// Entries of all tables of a base.
const TABLE_ENTRIES: usize = 1 << 10;

/// The longest exponents that tables are made for, in bytes.
const MAX_EXPONENT: usize = 2048;

/// Makes tables of the powers of a base, for exponents of `exponent_width` bytes, at most 2048. The base is
/// below the modulus, which is odd and has 64 to 16,384 bits. The tables hold a thousand numbers of the
/// modulus' length, and are made in the time of some powers without them. They are to be freed by
/// sunzi_table_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_table_new(
    engine: *const Engine,
    base: Bytes,
    modulus: Bytes,
    exponent_width: usize,
    order: u32,
    table: *mut *mut Table,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or a writable place and an engine.
        let (place, engine) = unsafe { (Place::new(table, "table")?, borrowed(engine, "engine")?) };
        let order = ByteOrder::new(order)?;
        if !(1..=MAX_EXPONENT).contains(&exponent_width) {
            return Err(Error::argument(format_args!(
                "exponent_width is {exponent_width}: 1 to {MAX_EXPONENT} are possible"
            )));
        }
        // SAFETY: the caller's buffers are readable.
        let (base, modulus) = unsafe {
            (
                base.number(order, "base")?,
                modulus.number(order, "modulus")?,
            )
        };
        if base.cmp_vartime(&modulus).is_ge() {
            return Err(Error::argument("base is not below the modulus"));
        }
        let engine = engine.algorithms.engine();
        let modulus = engine.modulus(&modulus).map_err(Error::argument)?;
        let base = Zeroizing::new(Resize::resize(&*base, modulus.bits().next_multiple_of(64)));
        let comb = Comb::new(8 * exponent_width as u32, TABLE_ENTRIES);
        let made = engine.fixed_base(&modulus, &base, comb);
        let base = made.map_err(|error| Error::new(Status::Failed, error))?;
        place.hand_over(Table { base });
        Ok(())
    })
}

/// Wipes and frees tables. Null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_table_free(table: *mut Table) {
    // SAFETY: it is null, or comes from this library, and nobody uses it any more.
    unsafe { freed(table) }
}

/// Computes `count` powers of a base with tables: result k = base to the exponent k, several times faster
/// than sunzi_powers. Exponents are secrets: the time depends on the size of the tables only. They have at
/// most the width that the tables were made for. `engine` is the one that made the tables. Results and
/// statuses are as in sunzi_powers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sunzi_table_powers(
    engine: *const Engine,
    table: *const Table,
    count: usize,
    exponents: Numbers,
    order: u32,
    results: *mut u8,
    result_width: usize,
    statuses: *mut Status,
) -> Status {
    guarded(|| {
        // SAFETY: the caller's pointers are null, or an engine and tables.
        let (engine, table) = unsafe { (borrowed(engine, "engine")?, borrowed(table, "table")?) };
        let order = ByteOrder::new(order)?;
        let least = table.base.modulus().bits().div_ceil(8) as usize;
        let rows = Rows::new(results, result_width, least, count, order, statuses)?;
        let most = table.base.comb().bits as usize / 8;
        if exponents.width > most {
            return Err(Error::argument(format_args!(
                "exponents: width is {}, and the tables are for {most}",
                exponents.width
            )));
        }
        // SAFETY: the caller's buffer has a number for each item.
        let exponents = unsafe { Operand::read(exponents, count, order, "exponents") }?;
        let exponents: Vec<&BoxedUint> = (0..count).map(|k| exponents.of(k)).collect();
        let powers = engine.install(|| {
            let engine = engine.algorithms.engine();
            engine.fixed_base_powers(&table.base, &exponents)
        })?;
        let powers = powers.map_err(|error| Error::new(Status::Failed, error))?;
        // SAFETY: the caller's buffers have room for all items. The arguments were copied.
        unsafe { rows.write(powers.into_iter().map(Ok)) }
    })
}
