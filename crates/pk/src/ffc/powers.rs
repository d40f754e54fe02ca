//! Powers of fixed bases, products of powers, and membership of the subgroup, in batches.

use super::group::{FixedBase, PreparedGroup};
use super::{CHUNK, FfcError, run};
use crate::integer::resized;
use crypto_bigint::{BoxedUint, CtLt};
use sunzi_engine::program::{multi_power::multi_power, power};
use sunzi_engine::{Engine, Job};
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
    let comb = group.comb;
    let programs = group.programs(engine, "ffc-power", &[], |builder| {
        let exponent = builder.scalar("exponent", comb.bits, true);
        let power = comb.power(builder, exponent);
        builder.output(power);
    });
    let checked = |x: &Zeroizing<BoxedUint>| {
        if x.ct_lt(q).to_bool() {
            Ok(resized(x, q.bits_precision()))
        } else {
            Err(FfcError::ExponentRange)
        }
    };
    let in_chunks = exponents.chunks(CHUNK).flat_map(|chunk| {
        let checked: Vec<_> = chunk.iter().map(checked).collect();
        let outcomes = run(engine, &programs, &checked, |programs, x| Job {
            programs,
            modulus: &group.modulus,
            constants: Some(&base.constants),
            inputs: Vec::new(),
            scalars: vec![x],
        });
        outcomes
            .into_iter()
            .map(|outcome| Ok((*outcome?.integers[0]).clone()))
            .collect::<Vec<_>>()
    });
    in_chunks.collect()
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
    let mut results: Vec<_> = products
        .iter()
        .map(|_| Err(FfcError::ElementRange))
        .collect();
    let mut lengths: Vec<usize> = products.iter().map(|terms| terms.len()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for length in lengths {
        let bits = group.group().q().bits_vartime();
        let class = group.modulus.class();
        let programs = group.programs(engine, "ffc-product", &[length as u64], |builder| {
            let terms: Vec<_> = (0..length)
                .map(|_| {
                    (
                        builder.input(class),
                        builder.scalar("exponent", bits, false),
                    )
                })
                .collect();
            let product = multi_power(builder, &terms);
            builder.output(product);
        });
        let indices: Vec<usize> = (0..products.len())
            .filter(|&index| products[index].len() == length)
            .collect();
        for chunk in indices.chunks(CHUNK) {
            let checked: Vec<_> = chunk
                .iter()
                .map(|&index| {
                    let terms = products[index].iter();
                    let terms = terms.map(|(x, e)| Ok((group.element(x)?, group.exponent(e)?)));
                    terms.collect::<Result<Vec<_>, FfcError>>()
                })
                .collect();
            let outcomes = run(engine, &programs, &checked, |programs, terms| Job {
                programs,
                modulus: &group.modulus,
                constants: None,
                inputs: terms.iter().map(|(x, _)| x).collect(),
                scalars: terms.iter().map(|(_, e)| e).collect(),
            });
            for (&index, outcome) in chunk.iter().zip(outcomes) {
                results[index] = outcome.map(|outcome| (*outcome.integers[0]).clone());
            }
        }
    }
    results
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
