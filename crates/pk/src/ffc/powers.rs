//! Powers of fixed bases, products of powers, and membership of the subgroup, in batches.

use super::batch::{CHUNK, run};
use super::error::FfcError;
use super::group::{FixedBase, PreparedGroup};
use crate::batch::fail_all;
use crate::integer::resized;
use crypto_bigint::{BoxedUint, CtLt};
use sunzi_engine::program::power;
use sunzi_engine::{Engine, EngineError, Job, Product};
use zeroize::Zeroizing;

/// The powers of a base with tables to secret exponents below q, in constant time.
///
/// # Errors
/// For each item [`FfcError::ExponentRange`], [`FfcError::Engine`].
pub fn power_batch(
    engine: &Engine,
    group: &PreparedGroup,
    base: &FixedBase,
    exponents: &[Zeroizing<BoxedUint>],
) -> Vec<Result<BoxedUint, FfcError>> {
    let q = group.group().q();
    let checked = |x: &Zeroizing<BoxedUint>| {
        if x.ct_lt(q).to_bool() {
            Ok(resized(x, q.bits_precision()))
        } else {
            Err(FfcError::ExponentRange)
        }
    };
    let in_chunks = exponents.chunks(CHUNK).flat_map(|chunk| {
        let checked: Vec<_> = chunk.iter().map(checked).collect();
        let valid: Vec<&BoxedUint> = checked.iter().flatten().map(|x| &**x).collect();
        let powers = engine.fixed_base_powers(&base.tables, &valid);
        merge(checked, powers, |power| (*power).clone())
    });
    in_chunks.collect()
}

/// The result of each `Ok` entry; `Err` entries pass through in order. An engine gives one result for each power, that
/// is for each `Ok` entry.
fn merge<T, U>(
    entries: Vec<Result<T, FfcError>>,
    results: Result<Vec<U>, EngineError>,
    number: impl Fn(U) -> BoxedUint,
) -> Vec<Result<BoxedUint, FfcError>> {
    let mut results = match results {
        Ok(results) => results.into_iter(),
        Err(error) => return fail_all(&entries, &error.into()),
    };
    entries
        .into_iter()
        .map(|entry| {
            entry?;
            Ok(number(
                results.next().expect("the engine answers everything"),
            ))
        })
        .collect()
}

/// The products `x_1^(e_1) ... x_k^(e_k)` of powers of public elements with public exponents below q, one for
/// each list; the squarings of a product are shared. Lists of one length share their batches.
///
/// # Errors
/// For each item [`FfcError::ElementRange`], [`FfcError::ExponentRange`], [`FfcError::Engine`].
pub fn product_of_powers_batch_vartime(
    engine: &Engine,
    group: &PreparedGroup,
    products: &[&[(&BoxedUint, &BoxedUint)]],
) -> Vec<Result<BoxedUint, FfcError>> {
    let in_chunks = products.chunks(CHUNK).flat_map(|chunk| {
        let checked: Vec<Result<Vec<_>, FfcError>> = chunk
            .iter()
            .map(|terms| {
                let terms = terms.iter();
                let terms = terms.map(|(x, e)| Ok((group.element(x)?, group.exponent(e)?)));
                terms.collect()
            })
            .collect();
        let valid = checked.iter().flatten().map(|terms| Product {
            modulus: &group.modulus,
            terms: terms.iter().map(|(x, e)| (x, e)).collect(),
        });
        let valid: Vec<_> = valid.collect();
        let results = engine.products_of_powers_vartime(&valid);
        merge(checked, results, |product| product)
    });
    in_chunks.collect()
}

/// Whether each number is an element of the subgroup: from 1 to p - 1, and `x^q = 1`. Numbers are public.
///
/// # Errors
/// For each item [`FfcError::Engine`].
pub fn is_member_batch(
    engine: &Engine,
    group: &PreparedGroup,
    numbers: &[BoxedUint],
) -> Vec<Result<bool, FfcError>> {
    let class = group.modulus.class();
    // The order is a part of the program, and of its key.
    let q = group.group().q().clone();
    let programs = group.programs(engine, "ffc-member", &words(&q), |builder| {
        let x = builder.input(class);
        let power = power::public(builder, x, x, &q);
        let one = builder.montgomery_one();
        builder.equal(power, one);
    });
    let in_chunks = numbers.chunks(CHUNK).flat_map(|chunk| {
        let checked: Vec<_> = chunk.iter().map(|x| group.element(x)).collect();
        let outcomes = run(engine, &programs, &checked, |programs, x| Job {
            programs,
            modulus: &group.modulus,
            constants: None,
            inputs: vec![x],
            scalars: Vec::new(),
        });
        let verdict = |outcome| match outcome {
            Ok(outcome) => {
                let outcome: sunzi_engine::Outcome = outcome;
                Ok(outcome.flags[0])
            }
            Err(FfcError::ElementRange) => Ok(false),
            Err(error) => Err(error),
        };
        outcomes.into_iter().map(verdict).collect::<Vec<_>>()
    });
    in_chunks.collect()
}

/// Checks that all of these elements are in the subgroup.
pub(super) fn check_members(
    engine: &Engine,
    group: &PreparedGroup,
    elements: &[BoxedUint],
) -> Result<(), FfcError> {
    for member in is_member_batch(engine, group, elements) {
        if !member? {
            return Err(FfcError::NotMember);
        }
    }
    Ok(())
}

/// A number as parameters of a program's key.
pub(super) fn words(x: &BoxedUint) -> Vec<u64> {
    let bytes = x.to_le_bytes();
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    bytes.chunks(8).map(word).collect()
}
