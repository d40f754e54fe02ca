//! blst's functions on elements of G2: multiples, and hashes of messages.
#![expect(
    unsafe_code,
    reason = "there is no safe interface to blst's group operations"
)]

use super::{ORDER_BITS, SCALAR};
use crate::interface::{Compute, Operands, PeerError};
use blst::{
    BLST_ERROR, blst_hash_to_g2, blst_p2, blst_p2_affine, blst_p2_affine_in_g2,
    blst_p2_affine_serialize, blst_p2_deserialize, blst_p2_from_affine, blst_p2_mult,
    blst_p2_to_affine,
};

/// Length of an uncompressed element in bytes.
const UNCOMPRESSED: usize = 192;

/// The element of an uncompressed encoding; it must be in the subgroup.
pub(super) fn deserialize(bytes: &[u8]) -> Result<blst_p2_affine, PeerError> {
    let bytes: &[u8; UNCOMPRESSED] = bytes
        .try_into()
        .map_err(|_| PeerError::Blst("an element of another length"))?;
    let mut element = blst_p2_affine::default();
    // SAFETY: the first function reads as many bytes as an uncompressed element has, which is the array's length, and
    // writes an element, whose coordinates exist after any reading; the second one reads it.
    let (read, inside) = unsafe {
        (
            blst_p2_deserialize(&raw mut element, bytes.as_ptr()),
            blst_p2_affine_in_g2(&raw const element),
        )
    };
    match read {
        BLST_ERROR::BLST_SUCCESS if inside => Ok(element),
        BLST_ERROR::BLST_SUCCESS => Err(PeerError::Blst("the check of the subgroup")),
        _ => Err(PeerError::Blst("reading an element")),
    }
}

/// The uncompressed encoding of a point.
fn serialize(point: &blst_p2) -> Vec<u8> {
    let mut element = blst_p2_affine::default();
    let mut bytes = vec![0; UNCOMPRESSED];
    // SAFETY: the first function reads a point and writes an element, the second one reads that, and writes as many
    // bytes as an uncompressed element has, the length of `bytes`.
    unsafe {
        blst_p2_to_affine(&raw mut element, point);
        blst_p2_affine_serialize(bytes.as_mut_ptr(), &raw const element);
    }
    bytes
}

struct Multiplication {
    scalar: [u8; SCALAR],
    element: blst_p2_affine,
}

/// A multiple by a little-endian number below the order.
pub(super) fn multiply(
    scalar: [u8; SCALAR],
    element: &[u8],
) -> Result<Box<dyn Compute>, PeerError> {
    let element = deserialize(element)?;
    Ok(Box::new(Multiplication { scalar, element }))
}

impl Compute for Multiplication {
    fn compute(&mut self) -> Result<Vec<u8>, PeerError> {
        let (mut point, mut multiple) = (blst_p2::default(), blst_p2::default());
        // SAFETY: the functions read the element, the point and the array, whose number of `ORDER_BITS` bits is no
        // longer than the array, and write a point each.
        unsafe {
            blst_p2_from_affine(&raw mut point, &raw const self.element);
            blst_p2_mult(
                &raw mut multiple,
                &raw const point,
                self.scalar.as_ptr(),
                ORDER_BITS,
            );
        }
        Ok(serialize(&multiple))
    }
}

struct Hash {
    message: Vec<u8>,
    tag: Vec<u8>,
}

/// The hash of a message with a domain separation tag.
#[expect(
    clippy::unnecessary_wraps,
    reason = "constructors have one type, and those of other operations fail"
)]
pub(super) fn hash([message, tag]: Operands<'_, 2>) -> Result<Box<dyn Compute>, PeerError> {
    Ok(Box::new(Hash {
        message: message.to_vec(),
        tag: tag.to_vec(),
    }))
}

impl Compute for Hash {
    fn compute(&mut self) -> Result<Vec<u8>, PeerError> {
        let Self { message, tag } = self;
        let mut point = blst_p2::default();
        // SAFETY: the function reads the message and the tag, whose lengths are given, nothing of the augmentation,
        // whose length is 0, and writes a point.
        unsafe {
            blst_hash_to_g2(
                &raw mut point,
                message.as_ptr(),
                message.len(),
                tag.as_ptr(),
                tag.len(),
                core::ptr::null(),
                0,
            );
        }
        Ok(serialize(&point))
    }
}
