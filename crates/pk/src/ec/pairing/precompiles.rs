//! Ethereum's precompiled contracts on BN254, in batches: addition and multiplication in G1 (EIP-196), and whether a
//! product of pairings is 1 (EIP-197). Public.
//!
//! Inputs are the contracts' own bytes. Every input gets the answer of its contract, a result or the reason why the
//! contract fails; an input that fails leaves those beside it right.
//!
//! ```
//! use sunzi_engine::{Backend, Engine};
//! use sunzi_pk::ec::pairing::{PreparedPairing, precompiles};
//!
//! let pairing = PreparedPairing::bn254(&Engine::new(Backend::best())?)?;
//! // The product of no pairings is 1; a length that is no multiple of 192 fails.
//! let answers = precompiles::pairing_batch(&pairing, &[&[], &[0; 191]])?;
//! assert_eq!(answers[0], Ok(true));
//! assert!(answers[1].is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::element::G2Element;
use super::kind::Bn254;
use super::points::{G2Coordinates, g2_elements_batch};
use super::prepared::PreparedPairing;
use super::product::{PairingRequest, pairing_product_is_one_batch};
use crate::ec::group::{
    CombineRequest, GroupElement, GroupError, add_batch_vartime, combine_batch_vartime,
};
use crate::ec::point::{PointError, to_bytes};
use crypto_bigint::BoxedUint;

/// Length of a number in bytes.
const NUMBER_BYTES: usize = 32;
/// Length of a point of G1 in bytes: x and y.
pub const POINT_BYTES: usize = 2 * NUMBER_BYTES;
/// Length of a pair of points of G1 and G2 in bytes.
pub const PAIR_BYTES: usize = 6 * NUMBER_BYTES;

/// The reason why a contract fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrecompileError {
    /// The length of a product's input is no multiple of [`PAIR_BYTES`].
    #[error("the input has {0} bytes, which is no multiple of {PAIR_BYTES}")]
    Length(usize),
    /// A point of G1 is refused.
    #[error("a point of G1: {0}")]
    G1(PointError),
    /// A point of G2 is refused.
    #[error("a point of G2: {0}")]
    G2(PointError),
}

/// `P + Q` (EIP-196's ECADD, contract 6). An input has both points; one that is shorter is continued by zeros, and what
/// goes beyond is ignored.
///
/// # Errors
/// [`GroupError::Engine`] where no device of the engine could compute it. Answers are [`PrecompileError::G1`].
pub fn add_batch(
    pairing: &PreparedPairing<Bn254>,
    inputs: &[&[u8]],
) -> Result<Vec<Result<[u8; POINT_BYTES], PrecompileError>>, GroupError> {
    let read = inputs.iter().map(|input| {
        let numbers = numbers::<4>(input);
        let p = g1(pairing, &numbers[..2])?;
        Ok((p, g1(pairing, &numbers[2..])?))
    });
    let read: Vec<Result<_, PrecompileError>> = read.collect();
    let pairs: Vec<_> = read.iter().flatten().map(|(p, q)| (p, q)).collect();
    let sums = add_batch_vartime(pairing.g1().curve(), &pairs)?;
    Ok(answers(&read, &sums))
}

/// `k P` (EIP-196's ECMUL, contract 7). An input has P and any number k of 256 bits; one that is shorter is continued by
/// zeros, and what goes beyond is ignored.
///
/// # Errors
/// As those of [`add_batch`].
pub fn multiply_batch(
    pairing: &PreparedPairing<Bn254>,
    inputs: &[&[u8]],
) -> Result<Vec<Result<[u8; POINT_BYTES], PrecompileError>>, GroupError> {
    let read = inputs.iter().map(|input| {
        let [x, y, k] = numbers::<3>(input);
        Ok((g1(pairing, &[x, y])?, k))
    });
    let read: Vec<Result<_, PrecompileError>> = read.collect();
    let zero = BoxedUint::zero();
    let requests = read.iter().flatten().map(|(element, k)| CombineRequest {
        curve: pairing.g1(),
        u: &zero,
        v: k,
        element,
    });
    let requests: Vec<_> = requests.collect();
    let multiples = combine_batch_vartime(pairing.engine(), &requests);
    let multiples: Vec<_> = multiples.into_iter().collect::<Result<_, _>>()?;
    Ok(answers(&read, &multiples))
}

/// Whether the product of the pairings of an input's pairs is 1 (EIP-197, contract 8). An input has a point of G1 and one
/// of G2 for each pair, coordinates of the latter with the imaginary part first.
///
/// # Errors
/// [`GroupError::Engine`] where no device of the engine could compute it. Answers are [`PrecompileError`]s: the length,
/// then the first point that is refused.
pub fn pairing_batch(
    pairing: &PreparedPairing<Bn254>,
    inputs: &[&[u8]],
) -> Result<Vec<Result<bool, PrecompileError>>, GroupError> {
    let whole = |input: &&[u8]| input.len().is_multiple_of(PAIR_BYTES);
    let pairs = inputs.iter().filter(|input| whole(input));
    let pairs = pairs.flat_map(|input| input.chunks(PAIR_BYTES));
    let pairs: Vec<[BoxedUint; 6]> = pairs.map(numbers).collect();
    // The points of G2 other than that at infinity are checked in one batch.
    let points = pairs.iter().filter_map(g2_coordinates);
    let elements = g2_elements_batch(pairing, &points.collect::<Vec<_>>())?;
    let mut elements = elements.into_iter();
    let mut pairs = pairs.iter().map(|pair| {
        let q = match g2_coordinates(pair) {
            Some(_) => elements.next().unwrap_or(Err(PointError::NotOnCurve)),
            None => Ok(G2Element::identity()),
        };
        let p = g1(pairing, &pair[..2])?;
        Ok((p, q.map_err(PrecompileError::G2)?))
    });
    let products = inputs.iter().map(|input| {
        if !whole(input) {
            return Err(PrecompileError::Length(input.len()));
        }
        // All pairs are taken, also those behind one that is refused.
        let of_input: Vec<_> = pairs.by_ref().take(input.len() / PAIR_BYTES).collect();
        of_input.into_iter().collect::<Result<Vec<_>, _>>()
    });
    let products: Vec<Result<Vec<_>, PrecompileError>> = products.collect();
    let requests = products.iter().flatten().map(|pairs| {
        let requests = pairs.iter().map(|(p, q)| PairingRequest::new(p, q));
        requests.collect::<Vec<_>>()
    });
    let requests: Vec<_> = requests.collect();
    let requests: Vec<_> = requests.iter().map(|requests| &requests[..]).collect();
    let verdicts = pairing_product_is_one_batch(pairing, &requests)?;
    let mut verdicts = verdicts.into_iter();
    let answers = products.into_iter().map(|product| {
        let _ = product?;
        Ok(verdicts.next() == Some(true))
    });
    Ok(answers.collect())
}

/// The first numbers of an input, which zeros continue.
fn numbers<const N: usize>(input: &[u8]) -> [BoxedUint; N] {
    core::array::from_fn(|k| {
        let mut bytes = [0; NUMBER_BYTES];
        let given = input.iter().skip(k * NUMBER_BYTES);
        for (byte, given) in bytes.iter_mut().zip(given) {
            *byte = *given;
        }
        BoxedUint::from_be_slice_vartime(&bytes)
    })
}

/// The element of G1 with these coordinates, which are 0 for the point at infinity.
fn g1(
    pairing: &PreparedPairing<Bn254>,
    coordinates: &[BoxedUint],
) -> Result<GroupElement, PrecompileError> {
    let curve = pairing.g1().curve();
    if coordinates.iter().all(|x| bool::from(x.is_zero())) {
        return Ok(GroupElement::identity(curve));
    }
    GroupElement::new(curve, &coordinates[0], &coordinates[1]).map_err(PrecompileError::G1)
}

/// The coordinates of the point of G2 of a pair; none of that at infinity, where all are 0.
fn g2_coordinates([_, _, x_im, x_re, y_im, y_re]: &[BoxedUint; 6]) -> Option<G2Coordinates> {
    let coordinates = [[x_re, x_im], [y_re, y_im]];
    let mut parts = coordinates.iter().flatten();
    let is_infinity = parts.all(|part| bool::from(part.is_zero()));
    (!is_infinity).then(|| coordinates.map(|parts| parts.map(Clone::clone)))
}

/// The encodings of the results for the inputs that have not been refused.
fn answers<T>(
    read: &[Result<T, PrecompileError>],
    results: &[GroupElement],
) -> Vec<Result<[u8; POINT_BYTES], PrecompileError>> {
    let mut results = results.iter();
    let answer = |read: &Result<T, PrecompileError>| {
        read.as_ref().map_err(Clone::clone)?;
        let coordinates = results.next().and_then(GroupElement::coordinates);
        let mut bytes = [0; POINT_BYTES];
        let halves = bytes.chunks_mut(NUMBER_BYTES);
        for (half, coordinate) in halves.zip(coordinates.iter().flatten()) {
            half.copy_from_slice(&to_bytes(coordinate, NUMBER_BYTES));
        }
        Ok(bytes)
    };
    read.iter().map(answer).collect()
}
