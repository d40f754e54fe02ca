//! Operations that take part in batches, and their results.

use core::ffi::c_int;
use std::sync::Arc;

use sunzi_pk::Digest;
use zeroize::Zeroizing;

use crate::keys::Key;

/// An operation.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) key: Arc<Key>,
    pub(crate) input: Input,
}

/// What an operation is done with.
#[derive(Clone)]
pub(crate) enum Input {
    /// A number to raise to RSA's private exponent, big-endian. It may be a ciphertext: wiped.
    Number(Zeroizing<Vec<u8>>),
    /// A digest to sign by ECDSA.
    Digest(Digest),
}

/// The result of an operation.
pub(crate) enum Answer {
    /// A power, big-endian.
    Number(Zeroizing<Vec<u8>>),
    /// r and s, big-endian, one after the other and of one length.
    Signature(Vec<u8>),
    /// The status that OpenSSL's own function returned.
    Status(c_int),
    /// The address of the signature that OpenSSL's own function returned.
    Made(usize),
}
