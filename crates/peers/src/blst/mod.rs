//! blst, through the crate `blst`: G1 and G2 of BLS12-381, pairings and signatures.

mod g2;
mod pairing;
mod signatures;

use crate::interface::{Bls, Compute, OnCurve, Operands, PairingGroup, Peer, PeerError};
use blst::{MultiPoint, blst_p1_affine};
use g1::{COMPRESSED, affine, deserialize, multiple, serialize, uncompress};

/// The version of the crate `blst`, which does not report it.
const VERSION: &str = "0.3.17";
/// Length of a scalar in bytes.
const SCALAR: usize = 32;
/// Length of the order in bits.
const ORDER_BITS: usize = 255;

pub(crate) fn peer() -> Peer {
    Peer {
        name: format!("blst {VERSION}"),
        short: "blst",
        signer: None,
        verifier: None,
        power: None,
        curves: None,
        pairing_group: Some(PairingGroup {
            multiply,
            sum,
            decode,
        }),
        pairing: Some(pairing::pairing),
        bls: Some(Bls {
            hash: g2::hash,
            signer: signatures::signer,
            verifier: signatures::verifier,
            sets: signatures::sets,
        }),
        groups: None,
    }
}

/// A big-endian scalar, little-endian.
fn scalar(scalar: &[u8]) -> Result<[u8; SCALAR], PeerError> {
    let scalar: [u8; SCALAR] = scalar
        .try_into()
        .map_err(|_| PeerError::Blst("a scalar of another length"))?;
    let mut reversed = scalar;
    reversed.reverse();
    Ok(reversed)
}

struct Multiplication {
    scalar: [u8; SCALAR],
    element: blst_p1_affine,
}

fn multiply(curve: &str, [number, element]: Operands<'_, 2>) -> OnCurve<dyn Compute> {
    if curve == "BLS12-381-G2" {
        return g2::multiply(scalar(number)?, element).map(Some);
    }
    if !has(curve) {
        return Ok(None);
    }
    Ok(Some(Box::new(Multiplication {
        scalar: scalar(number)?,
        element: deserialize(element)?,
    })))
}

/// Whether this is the group of sums and encodings.
fn has(curve: &str) -> bool {
    curve == "BLS12-381-G1"
}

impl Compute for Multiplication {
    fn compute(&mut self) -> Result<Vec<u8>, PeerError> {
        let multiple = multiple(&self.element, &self.scalar);
        Ok(serialize(&affine(&multiple)))
    }
}

struct Sum {
    /// The scalars, one after the other.
    scalars: Vec<u8>,
    elements: Vec<blst_p1_affine>,
}

fn sum(curve: &str, terms: &[Operands<'_, 2>]) -> OnCurve<dyn Compute> {
    if !has(curve) {
        return Ok(None);
    }
    if terms.is_empty() {
        return Err(PeerError::Blst("a sum without terms"));
    }
    let scalars = terms.iter().map(|[number, _]| scalar(number));
    let scalars: Vec<_> = scalars.collect::<Result<_, _>>()?;
    let elements = terms.iter().map(|[_, element]| deserialize(element));
    Ok(Some(Box::new(Sum {
        scalars: scalars.concat(),
        elements: elements.collect::<Result<_, _>>()?,
    })))
}

impl Compute for Sum {
    fn compute(&mut self) -> Result<Vec<u8>, PeerError> {
        let sum = self.elements.mult(&self.scalars, ORDER_BITS);
        Ok(serialize(&affine(&sum)))
    }
}

struct Decoding([u8; COMPRESSED]);

fn decode(curve: &str, encoding: &[u8]) -> OnCurve<dyn Compute> {
    if !has(curve) {
        return Ok(None);
    }
    let encoding = encoding.try_into();
    let encoding = encoding.map_err(|_| PeerError::Blst("an element of another length"))?;
    Ok(Some(Box::new(Decoding(encoding))))
}

impl Compute for Decoding {
    fn compute(&mut self) -> Result<Vec<u8>, PeerError> {
        Ok(serialize(&uncompress(&self.0)?))
    }
}

/// blst's functions on elements of G1.
#[expect(
    unsafe_code,
    reason = "there is no safe interface to blst's group operations"
)]
mod g1 {
    use super::{ORDER_BITS, SCALAR};
    use crate::PeerError;
    use blst::{
        BLST_ERROR, blst_p1, blst_p1_affine, blst_p1_affine_in_g1, blst_p1_affine_serialize,
        blst_p1_deserialize, blst_p1_from_affine, blst_p1_mult, blst_p1_to_affine,
        blst_p1_uncompress,
    };

    /// Length of a compressed element in bytes.
    pub(super) const COMPRESSED: usize = 48;
    /// Length of an uncompressed element in bytes.
    const UNCOMPRESSED: usize = 2 * COMPRESSED;

    fn checked(element: blst_p1_affine, read: BLST_ERROR) -> Result<blst_p1_affine, PeerError> {
        // SAFETY: the function reads the element, whose coordinates exist after any reading.
        let inside = unsafe { blst_p1_affine_in_g1(&raw const element) };
        match read {
            BLST_ERROR::BLST_SUCCESS if inside => Ok(element),
            BLST_ERROR::BLST_SUCCESS => Err(PeerError::Blst("the check of the subgroup")),
            _ => Err(PeerError::Blst("reading an element")),
        }
    }

    /// The element of an uncompressed encoding; it must be in the subgroup.
    pub(super) fn deserialize(bytes: &[u8]) -> Result<blst_p1_affine, PeerError> {
        let bytes: &[u8; UNCOMPRESSED] = bytes
            .try_into()
            .map_err(|_| PeerError::Blst("an element of another length"))?;
        let mut element = blst_p1_affine::default();
        // SAFETY: the function reads as many bytes as an uncompressed element has, which is the array's length, and
        // writes an element.
        let read = unsafe { blst_p1_deserialize(&raw mut element, bytes.as_ptr()) };
        checked(element, read)
    }

    /// The element of a compressed encoding; it must be in the subgroup.
    pub(super) fn uncompress(bytes: &[u8; COMPRESSED]) -> Result<blst_p1_affine, PeerError> {
        let mut element = blst_p1_affine::default();
        // SAFETY: the function reads as many bytes as a compressed element has, which is the array's length, and writes
        // an element.
        let read = unsafe { blst_p1_uncompress(&raw mut element, bytes.as_ptr()) };
        checked(element, read)
    }

    /// The uncompressed encoding.
    pub(super) fn serialize(element: &blst_p1_affine) -> Vec<u8> {
        let mut bytes = vec![0; UNCOMPRESSED];
        // SAFETY: the function writes as many bytes as an uncompressed element has, the length of `bytes`.
        unsafe { blst_p1_affine_serialize(bytes.as_mut_ptr(), element) };
        bytes
    }

    /// The multiple by a little-endian number below the order, in constant time.
    pub(super) fn multiple(element: &blst_p1_affine, scalar: &[u8; SCALAR]) -> blst_p1 {
        let (mut point, mut multiple) = (blst_p1::default(), blst_p1::default());
        // SAFETY: the functions read the references and the array, whose number of `ORDER_BITS` bits is no longer than
        // the array, and write a point each.
        unsafe {
            blst_p1_from_affine(&raw mut point, element);
            blst_p1_mult(
                &raw mut multiple,
                &raw const point,
                scalar.as_ptr(),
                ORDER_BITS,
            );
        }
        multiple
    }

    /// The element in affine coordinates.
    pub(super) fn affine(point: &blst_p1) -> blst_p1_affine {
        let mut element = blst_p1_affine::default();
        // SAFETY: the function reads a point and writes an element.
        unsafe { blst_p1_to_affine(&raw mut element, point) };
        element
    }
}
