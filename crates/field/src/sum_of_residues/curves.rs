//! The primes of Table 2 of the paper, in their corrected form, and P-256.
//!
//! Table 2 of M. A. Mehrabi, "Improved Sum of Residues Modular Multiplication Algorithm",
//! Cryptography 3 (2019), prints SECP160R1 as `2^160 - 2^32 - 1` (SEC 2 has `2^160 - 2^31 - 1`)
//! and P-384 as ending in `+ 2^31 - 1` (FIPS 186 has `+ 2^32 - 1`).

use crypto_bigint::BoxedUint;

/// The prime of a curve, and the precision `T` of the quotient that is used for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curve {
    /// The name of the curve.
    pub name: &'static str,
    /// The prime, in hexadecimal.
    hex: &'static str,
    /// The precision `T` of equation (24), in bits. The paper gives 72 for secp256k1 and 71 for
    /// edwards25519; the others are chosen so that the result is below `2p` (see
    /// `docs/sum-of-residues.md` for each bound).
    pub quotient_bits: u32,
}

impl Curve {
    /// The prime `p`.
    #[allow(clippy::missing_panics_doc)] // The constants below are hexadecimal digits.
    pub fn prime(&self) -> BoxedUint {
        BoxedUint::from_str_radix_vartime(self.hex, 16).expect("a hexadecimal constant")
    }
}

/// `2^255 - 19`.
pub const EDWARDS25519: Curve = Curve {
    name: "edwards25519",
    hex: "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed",
    quotient_bits: 71,
};

/// `2^160 - 2^32 - 21389`.
pub const SECP160K1: Curve = Curve {
    name: "secp160k1",
    hex: "fffffffffffffffffffffffffffffffeffffac73",
    quotient_bits: 72,
};

/// `2^160 - 2^31 - 1`.
pub const SECP160R1: Curve = Curve {
    name: "secp160r1",
    hex: "ffffffffffffffffffffffffffffffff7fffffff",
    quotient_bits: 72,
};

/// `2^192 - 2^32 - 4553`.
pub const SECP192K1: Curve = Curve {
    name: "secp192k1",
    hex: "fffffffffffffffffffffffffffffffffffffffeffffee37",
    quotient_bits: 72,
};

/// P-192: `2^192 - 2^64 - 1`.
pub const SECP192R1: Curve = Curve {
    name: "secp192r1",
    hex: "fffffffffffffffffffffffffffffffeffffffffffffffff",
    quotient_bits: 108,
};

/// `2^224 - 2^32 - 6803`.
pub const SECP224K1: Curve = Curve {
    name: "secp224k1",
    hex: "fffffffffffffffffffffffffffffffffffffffffffffffeffffe56d",
    quotient_bits: 72,
};

/// P-224: `2^224 - 2^96 + 1`.
pub const SECP224R1: Curve = Curve {
    name: "secp224r1",
    hex: "ffffffffffffffffffffffffffffffff000000000000000000000001",
    quotient_bits: 80,
};

/// `2^256 - 2^32 - 977`.
pub const SECP256K1: Curve = Curve {
    name: "secp256k1",
    hex: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    quotient_bits: 72,
};

/// P-384: `2^384 - 2^128 - 2^96 + 2^32 - 1`.
pub const SECP384R1: Curve = Curve {
    name: "secp384r1",
    hex: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
          ffffffff0000000000000000ffffffff",
    quotient_bits: 80,
};

/// P-521: `2^521 - 1`.
pub const SECP521R1: Curve = Curve {
    name: "secp521r1",
    hex: "1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
          ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    quotient_bits: 80,
};

/// P-256: `2^256 - 2^224 + 2^192 + 2^96 - 1`. It is not in Table 2: it violates condition (22), so
/// the published form refuses it. The exact form accepts it.
pub const SECP256R1: Curve = Curve {
    name: "secp256r1",
    hex: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    quotient_bits: 72,
};

/// The ten rows of Table 2.
pub const TABLE_2: [Curve; 10] = [
    EDWARDS25519,
    SECP160K1,
    SECP160R1,
    SECP192K1,
    SECP192R1,
    SECP224K1,
    SECP224R1,
    SECP256K1,
    SECP384R1,
    SECP521R1,
];
