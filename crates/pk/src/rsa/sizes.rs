//! Limits of the numbers in RSA keys.

/// Length of the longest modulus, in bits.
pub const MAX_BITS: u32 = sunzi_engine::MAX_BITS;
/// Length of the shortest modulus, in bits. Keys shorter than [`MIN_SIGNING_BITS`] only verify,
/// unless they are permitted to do more.
pub const MIN_BITS: u32 = 1024;
/// Length in bits of the shortest modulus for signing, decryption and encryption, unless
/// [`PrivateKey::permit_1024`](super::PrivateKey::permit_1024) or
/// [`PublicKey::permit_1024`](super::PublicKey::permit_1024) permits shorter ones.
pub const MIN_SIGNING_BITS: u32 = 2048;
/// Length of the longest modulus that [`PrivateKey::generate`](super::PrivateKey::generate) makes, in bits.
pub const MAX_GENERATED_BITS: u32 = 8192;
/// The largest public exponent that is accepted: larger ones only make verification slower.
pub const MAX_EXPONENT: u64 = (1 << 33) - 1;
