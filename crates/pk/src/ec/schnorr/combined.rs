//! Verification of many signatures by a random combination of their equations (BIP 340, "Batch
//! verification"; Naccache, M'Raïhi, Vaudenay and Raphaeli, 1994). All inputs are public.

use super::super::field::Element;
use super::super::multi_scalar::{Place, Sum, Term, sums, term_bits};
use super::super::point::Point;
use super::super::prepared::PreparedCurve;
use super::super::roots::square_roots;
use super::key::BYTES;
use super::verify::{Parts, VerifyError, VerifyRequest, answers, single};
use crypto_bigint::{BoxedUint, ConcatenatingMul, Resize};
use rand_core::TryCryptoRng;
use std::borrow::Cow;
use std::collections::HashMap;
use sunzi_engine::{Engine, EngineError};

/// Number of bits of the coefficients.
const COEFFICIENT_BITS: u32 = 128;
/// Number of signatures of a combination: enough that each more saves little, and few enough that a wrong one causes
/// few to be verified twice.
const TOGETHER: usize = 512;
/// The least number of signatures that are combined: fewer are verified one by one, which takes less time.
const LEAST: usize = 128;

/// One answer for each request, in the same order: the answers of [`verify_batch`](super::verify_batch), in
/// less time for hundreds of signatures of few keys, in about half with 16 keys. With a key for each
/// signature [`verify_batch`](super::verify_batch) is faster.
///
/// Up to 512 signatures are tested together, by a sum of their equations `s G - e P - R = 0` times random coefficients
/// of 128 bits, in which signatures of one key share a term. If all are right the sum is always at infinity; if one is
/// wrong it is with a probability of at most `2^-128`, as the group has prime order. If it is not, these signatures are
/// verified one by one, so that the answer to one never depends on the rest of the batch.
pub fn verify_combined_batch<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    requests: &[VerifyRequest<'_>],
) -> Vec<Result<(), VerifyError>> {
    let mut all = Vec::with_capacity(requests.len());
    for chunk in requests.chunks(engine.at_a_time()) {
        let parts: Vec<_> = chunk.iter().map(Parts::new).collect();
        let read: Vec<_> = parts.iter().flatten().collect();
        let matches = matches(engine, rng, &read);
        all.extend(answers(parts, matches));
    }
    all
}

/// Whether each signature matches.
fn matches<R: TryCryptoRng + ?Sized>(
    engine: &Engine,
    rng: &mut R,
    signatures: &[&Parts<'_>],
) -> Result<Vec<bool>, VerifyError> {
    let Some(first) = signatures.first() else {
        return Ok(Vec::new());
    };
    // All keys are of one curve.
    let curve = first.key.curve();
    let nonces = nonces(engine, curve, signatures)?;
    // Without a point of the nonce a signature is wrong.
    let mut answers: Vec<bool> = nonces.iter().map(Option::is_some).collect();
    let with_points: Vec<(usize, Point)> = nonces
        .into_iter()
        .enumerate()
        .filter_map(|(place, nonce)| Some((place, nonce?)))
        .collect();
    let groups = with_points.chunks(TOGETHER);
    let (few, groups): (Vec<_>, Vec<_>) = groups.partition(|group| group.len() < LEAST);
    let combinations = groups.iter().map(|group| {
        let members = group.iter().map(|(place, r)| (signatures[*place], r));
        combination(rng, curve, members)
    });
    let combinations: Vec<_> = combinations.collect::<Result<_, _>>()?;
    let sums = sums(engine, &combinations)?;
    let wrong = groups.into_iter().zip(&sums);
    let wrong = wrong.filter_map(|(group, sum)| sum.is_some().then_some(group));
    let alone = few.into_iter().chain(wrong).flatten();
    let alone: Vec<usize> = alone.map(|(place, _)| *place).collect();
    let parts: Vec<_> = alone.iter().map(|&place| signatures[place]).collect();
    for (place, answer) in alone.into_iter().zip(single(engine, &parts)?) {
        answers[place] = answer;
    }
    Ok(answers)
}

/// The point with an even y that r of each signature names, if there is one.
fn nonces(
    engine: &Engine,
    curve: &PreparedCurve,
    signatures: &[&Parts<'_>],
) -> Result<Vec<Option<Point>>, EngineError> {
    let plain = curve.curve();
    let xs = signatures
        .iter()
        .map(|parts| plain.field().element(&parts.x[0]));
    let xs: Vec<Option<Element>> = xs.collect();
    let squares = xs.iter().map(|x| {
        let square = x.as_ref().map(|x| plain.right_side(x).retrieve());
        square.unwrap_or_default()
    });
    let roots = square_roots(engine, curve, &squares.collect::<Vec<_>>())?;
    let point = |(x, root): (Option<Element>, Option<BoxedUint>)| {
        let y = plain.field().element(&root?)?;
        let y = if y.retrieve().bit_vartime(0) {
            y.neg()
        } else {
            y
        };
        Some(Point { x: x?, y })
    };
    Ok(xs.into_iter().zip(roots).map(point).collect())
}

/// The sum of `z (s G - e P - R)` over signatures, with random z.
fn combination<'a, 'b, R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    curve: &'a PreparedCurve,
    signatures: impl Iterator<Item = (&'b Parts<'b>, &'b Point)>,
) -> Result<Sum<'a>, VerifyError> {
    let plain = curve.curve();
    let order = plain.order();
    let precision = order.bits_precision() + COEFFICIENT_BITS + 64;
    let zero = BoxedUint::zero_with_precision(precision);
    let mut base = zero.clone();
    let mut keys: HashMap<[u8; BYTES], (&Parts<'_>, BoxedUint)> = HashMap::new();
    let mut all = Vec::new();
    for (parts, r) in signatures {
        let mut bytes = [0; COEFFICIENT_BITS as usize / 8];
        rng.try_fill_bytes(&mut bytes)
            .map_err(|_| VerifyError::Random)?;
        let z =
            BoxedUint::from_le_slice(&bytes, COEFFICIENT_BITS).map_err(|_| VerifyError::Random)?;
        base = base.wrapping_add(parts.s.concatenating_mul(&z));
        let key = keys.entry(parts.key.to_bytes());
        let (_, sum) = key.or_insert_with(|| (parts, zero.clone()));
        *sum = sum.wrapping_add(parts.negative_challenge.concatenating_mul(&z));
        let negative = Point {
            x: r.x.clone(),
            y: r.y.neg(),
        };
        all.push(Term {
            scalar: Cow::Owned(z),
            point: Place::Point(Cow::Owned(negative)),
        });
    }
    let multiple = |sum: &BoxedUint, point: &Point| {
        let sum = sum.rem_vartime(order.as_nz_ref());
        Term {
            scalar: Cow::Owned(sum.resize_unchecked(order.bits_precision())),
            point: Place::Point(Cow::Owned(point.clone())),
        }
    };
    all.push(multiple(&base, plain.generator()));
    for (parts, sum) in keys.values() {
        all.push(multiple(sum, parts.key.point()));
    }
    Ok(Sum {
        curve,
        bits: term_bits(curve).max(COEFFICIENT_BITS),
        terms: all,
    })
}
