//! Kinds of operations: what a batch consists of.

use core::ffi::c_int;

/// A kind of operation.
pub(crate) struct Kind {
    /// Its name in statistics.
    pub(crate) name: &'static str,
    scheme: Scheme,
}

enum Scheme {
    /// RSA with moduli of at most this many bits, and more than those of the kind before.
    Rsa { bits: u32 },
    /// ECDSA on the curve with this number in OpenSSL (NID).
    Ecdsa { nid: c_int },
}

const fn rsa(name: &'static str, bits: u32) -> Kind {
    let scheme = Scheme::Rsa { bits };
    Kind { name, scheme }
}

const fn ecdsa(name: &'static str, nid: c_int) -> Kind {
    let scheme = Scheme::Ecdsa { nid };
    Kind { name, scheme }
}

/// All kinds. Names of curves are those of `sunzi_pk`. RSA with longer moduli than here is left to OpenSSL: a batch of it
/// would hold up others for too long.
pub(crate) const KINDS: [Kind; 26] = [
    rsa("RSA-1024", 1024),
    rsa("RSA-1536", 1536),
    rsa("RSA-2048", 2048),
    rsa("RSA-3072", 3072),
    rsa("RSA-4096", 4096),
    ecdsa("P-192", 409),
    ecdsa("P-224", 713),
    ecdsa("P-256", 415),
    ecdsa("P-384", 715),
    ecdsa("P-521", 716),
    ecdsa("secp160k1", 708),
    ecdsa("secp160r1", 709),
    ecdsa("secp160r2", 710),
    ecdsa("secp192k1", 711),
    ecdsa("secp224k1", 712),
    ecdsa("secp256k1", 714),
    ecdsa("brainpoolP224r1", 925),
    ecdsa("brainpoolP224t1", 926),
    ecdsa("brainpoolP256r1", 927),
    ecdsa("brainpoolP256t1", 928),
    ecdsa("brainpoolP320r1", 929),
    ecdsa("brainpoolP320t1", 930),
    ecdsa("brainpoolP384r1", 931),
    ecdsa("brainpoolP384t1", 932),
    ecdsa("brainpoolP512r1", 933),
    ecdsa("brainpoolP512t1", 934),
];

/// Shortest modulus that is taken, in bits.
const LEAST_RSA_BITS: u32 = 1000;

/// The number of the kind of RSA with a modulus of this length.
pub(crate) fn of_modulus(modulus_bits: u32) -> Option<usize> {
    if modulus_bits < LEAST_RSA_BITS {
        return None;
    }
    KINDS
        .iter()
        .position(|kind| matches!(kind.scheme, Scheme::Rsa { bits } if modulus_bits <= bits))
}

/// The number of the kind of ECDSA on this curve.
pub(crate) fn of_curve(curve: c_int) -> Option<usize> {
    KINDS
        .iter()
        .position(|kind| matches!(kind.scheme, Scheme::Ecdsa { nid } if nid == curve))
}
