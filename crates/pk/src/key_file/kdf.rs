//! Limits on the cost of opening a private key file: the key derivation of an encrypted one, and the check of an RSA
//! key.
//!
//! The maker of a key file chooses the cost of opening it: the memory of scrypt, the rounds of PBKDF2 and the length of
//! a modulus are numbers in the file. They are checked before anything is derived or computed.

use super::error::KeyFileError;
use core::num::NonZeroU32;
use pkcs8::pkcs5::pbes2::Kdf;

/// Limits on the cost of opening a private key file: the key derivation, if it is encrypted, and the check of the
/// primes of an RSA key, whose time grows with the cube of their length.
///
/// The default permits RSA keys of 8,192 bits, which are read or refused within a second; any higher factor of
/// [`times`](Self::times) permits 16,384 bits, the longest of all, which take some seconds. It permits 10,000,000
/// rounds of PBKDF2, and for scrypt 64 MiB of memory and 16 passes over it, which is p: a few seconds in the worst
/// case. A round of OpenSSH's bcrypt costs as much as 10,000 of PBKDF2 and is counted as 10,000: 1,000 are permitted.
/// OpenSSL writes keys with 2,048 rounds, or with 16 MiB and one pass; this crate with 600,000 rounds; OpenSSH with 16
/// or 24 of bcrypt.
///
/// # Example
/// ```
/// use core::num::NonZeroU32;
/// use sunzi_pk::KdfLimits;
///
/// let limits = KdfLimits::times(NonZeroU32::new(4).expect("4 is not 0"));
/// assert_eq!(limits.pbkdf2_rounds(), 40_000_000);
/// assert_eq!(limits.scrypt_bytes(), 256 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KdfLimits {
    pbkdf2_rounds: u64,
    scrypt_bytes: u64,
    scrypt_passes: u64,
    rsa_bits: u64,
}

/// Default limit of the bits of an RSA modulus: the longest that this crate generates.
const RSA_BITS: u64 = crate::rsa::MAX_GENERATED_BITS as u64;
/// Default limit of the rounds of PBKDF2.
const PBKDF2_ROUNDS: u64 = 10_000_000;
/// Number of rounds of PBKDF2 that take as long as one of bcrypt.
const PBKDF2_ROUNDS_OF_BCRYPT: u64 = 10_000;
/// Default limit of scrypt's memory, in bytes.
const SCRYPT_BYTES: u64 = 64 << 20;
/// Default limit of scrypt's passes.
const SCRYPT_PASSES: u64 = 16;

impl Default for KdfLimits {
    fn default() -> Self {
        Self::times(NonZeroU32::MIN)
    }
}

impl KdfLimits {
    /// Limits that are `factor` times as high as the default.
    pub const fn times(factor: NonZeroU32) -> Self {
        let factor = factor.get() as u64;
        Self {
            pbkdf2_rounds: factor * PBKDF2_ROUNDS,
            scrypt_bytes: factor * SCRYPT_BYTES,
            scrypt_passes: factor * SCRYPT_PASSES,
            rsa_bits: factor * RSA_BITS,
        }
    }

    /// Limits of their own: rounds of PBKDF2, bytes of memory of scrypt, and passes over it; RSA keys as
    /// by default. For a service that opens strangers' files and must answer within milliseconds.
    pub const fn new(pbkdf2_rounds: u64, scrypt_bytes: u64, scrypt_passes: u64) -> Self {
        Self {
            pbkdf2_rounds,
            scrypt_bytes,
            scrypt_passes,
            rsa_bits: RSA_BITS,
        }
    }

    /// Limits that permit BLS keystores as EIP-2335 has them: scrypt with 256 MiB.
    pub const fn keystores() -> Self {
        let factor = NonZeroU32::MIN.saturating_add(3);
        Self::times(factor)
    }

    /// The highest permitted number of PBKDF2 rounds.
    pub const fn pbkdf2_rounds(self) -> u64 {
        self.pbkdf2_rounds
    }

    /// The highest permitted memory of scrypt, in bytes.
    pub const fn scrypt_bytes(self) -> u64 {
        self.scrypt_bytes
    }

    /// The highest permitted number of passes of scrypt, its parameter p.
    pub const fn scrypt_passes(self) -> u64 {
        self.scrypt_passes
    }

    /// Whether a private RSA key with a modulus of this length may be checked.
    pub(crate) fn check_rsa(self, bits: u32) -> Result<(), KeyFileError> {
        let what = "bits of an RSA modulus to be checked";
        check_cost(what, bits.into(), self.rsa_bits, RSA_BITS)
    }

    /// Whether a derivation with these parameters is possible and permitted.
    pub(super) fn check(self, kdf: &Kdf) -> Result<(), KeyFileError> {
        match kdf {
            Kdf::Pbkdf2(parameters) => self.check_pbkdf2(parameters.iteration_count.into()),
            Kdf::Scrypt(parameters) => {
                let (r, p) = (parameters.block_size, parameters.parallelization);
                self.check_scrypt(parameters.cost_parameter, r.into(), p.into())
            }
            other => Err(KeyFileError::UnsupportedEncryption(format!(
                "key derivation {}",
                other.oid()
            ))),
        }
    }

    /// Whether this many rounds of PBKDF2 are possible and permitted.
    pub(crate) fn check_pbkdf2(self, rounds: u64) -> Result<(), KeyFileError> {
        at_least_one("number of PBKDF2 rounds", rounds)?;
        let what = "rounds of PBKDF2";
        check_cost(what, rounds, self.pbkdf2_rounds, PBKDF2_ROUNDS)
    }

    /// Whether this many rounds of bcrypt are possible and permitted.
    pub(super) fn check_bcrypt(self, rounds: u32) -> Result<(), KeyFileError> {
        at_least_one("number of bcrypt rounds", rounds.into())?;
        let [limit, default] =
            [self.pbkdf2_rounds, PBKDF2_ROUNDS].map(|rounds| rounds / PBKDF2_ROUNDS_OF_BCRYPT);
        check_cost("rounds of bcrypt", rounds.into(), limit, default)
    }

    /// Whether this many rounds of the key derivation of PKCS#12 are possible and permitted: the limit is that of
    /// PBKDF2, each round of which hashes twice.
    pub(super) fn check_pkcs12(self, rounds: u32) -> Result<(), KeyFileError> {
        at_least_one("number of PKCS#12 rounds", rounds.into())?;
        let what = "rounds of the PKCS#12 key derivation";
        check_cost(what, rounds.into(), self.pbkdf2_rounds, PBKDF2_ROUNDS)
    }

    /// Whether scrypt with these parameters is possible and permitted.
    pub(crate) fn check_scrypt(self, n: u64, r: u64, p: u64) -> Result<(), KeyFileError> {
        let invalid = |name, value, condition| {
            Err(KeyFileError::KdfParameter {
                name,
                value,
                condition,
            })
        };
        if n < 2 || !n.is_power_of_two() {
            return invalid("scrypt parameter N", n, "a power of two and at least 2");
        }
        if r == 0 {
            return invalid("scrypt parameter r", r, "at least 1");
        }
        if p == 0 {
            return invalid("scrypt parameter p", p, "at least 1");
        }
        // scrypt has N blocks of 128 r bytes in its table, and p of them in its state.
        let bytes = n.max(p).saturating_mul(128u64.saturating_mul(r));
        let memory = "bytes of memory for scrypt";
        check_cost(memory, bytes, self.scrypt_bytes, SCRYPT_BYTES)?;
        check_cost("passes of scrypt", p, self.scrypt_passes, SCRYPT_PASSES)?;
        can_allocate(bytes)
    }
}

fn at_least_one(name: &'static str, value: u64) -> Result<(), KeyFileError> {
    if value > 0 {
        return Ok(());
    }
    Err(KeyFileError::KdfParameter {
        name,
        value,
        condition: "at least 1",
    })
}

/// Whether a cost is within its limit; if not, the error names the multiple of the default that
/// would permit it.
fn check_cost(
    what: &'static str,
    needed: u64,
    limit: u64,
    default: u64,
) -> Result<(), KeyFileError> {
    if needed <= limit {
        return Ok(());
    }
    Err(KeyFileError::KdfCost {
        what,
        needed,
        limit,
        factor: needed.div_ceil(default),
    })
}

/// Whether the system has this much memory, as scrypt aborts the process if it has not.
fn can_allocate(bytes: u64) -> Result<(), KeyFileError> {
    let lacking = KeyFileError::KdfMemory(bytes);
    let size = usize::try_from(bytes).map_err(|_| lacking.clone())?;
    Vec::<u8>::new()
        .try_reserve_exact(size)
        .map_err(|_| lacking)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pkcs8::pkcs5::pbes2::{Pbkdf2Params, Pbkdf2Prf, ScryptParams};

    fn scrypt(n: u64, r: u16, p: u16) -> Kdf {
        Kdf::Scrypt(ScryptParams {
            salt: b"salt"[..].try_into().unwrap(),
            cost_parameter: n,
            block_size: r,
            parallelization: p,
            key_length: None,
        })
    }

    fn pbkdf2(rounds: u32) -> Kdf {
        Kdf::Pbkdf2(Pbkdf2Params {
            salt: b"salt"[..].try_into().unwrap(),
            iteration_count: rounds,
            key_length: None,
            prf: Pbkdf2Prf::HmacWithSha256,
        })
    }

    fn check(factor: u32, kdf: &Kdf) -> Result<(), KeyFileError> {
        KdfLimits::times(NonZeroU32::new(factor).unwrap()).check(kdf)
    }

    /// The factor that the error asks for.
    fn factor(factor: u32, kdf: &Kdf) -> u64 {
        match check(factor, kdf) {
            Err(KeyFileError::KdfCost { factor, .. }) => factor,
            other => panic!("{kdf:?}: {other:?}"),
        }
    }

    #[test]
    fn the_largest_permitted_costs_and_those_above() {
        assert_eq!(check(1, &pbkdf2(1)), Ok(()));
        assert_eq!(check(1, &pbkdf2(10_000_000)), Ok(()));
        assert_eq!(factor(1, &pbkdf2(10_000_001)), 2);
        assert_eq!(check(2, &pbkdf2(10_000_001)), Ok(()));
        assert_eq!(factor(1, &pbkdf2(u32::MAX)), 430);
        assert_eq!(check(430, &pbkdf2(u32::MAX)), Ok(()));

        for (n, r) in [(1 << 16, 8), (1 << 19, 1), (2, 1 << 15)] {
            assert_eq!(check(1, &scrypt(n, r, 16)), Ok(()), "{n} {r}");
        }
        assert_eq!(factor(1, &scrypt(1 << 17, 8, 1)), 2);
        assert_eq!(check(2, &scrypt(1 << 17, 8, 1)), Ok(()));
        assert_eq!(factor(1, &scrypt(1 << 16, 9, 1)), 2);
        assert_eq!(factor(1, &scrypt(1 << 14, 8, 17)), 2);
        assert_eq!(check(2, &scrypt(1 << 14, 8, 17)), Ok(()));
        // The state of p blocks is larger than the table of two.
        assert_eq!(factor(1, &scrypt(2, u16::MAX, u16::MAX)), 8192);
        assert_eq!(factor(1, &scrypt(1 << 40, 8, 1)), 1 << 24);
        assert!(factor(u32::MAX, &scrypt(1 << 63, u16::MAX, 1)) > 1 << 32);
    }

    #[test]
    fn limits_below_the_default() {
        let limits = KdfLimits::new(100, 1 << 15, 2);
        for (kdf, permitted) in [
            (pbkdf2(100), true),
            (pbkdf2(101), false),
            (scrypt(32, 8, 2), true),
            (scrypt(64, 8, 1), false),
            (scrypt(4, 8, 3), false),
        ] {
            assert_eq!(limits.check(&kdf).is_ok(), permitted, "{kdf:?}");
        }
    }

    #[test]
    fn impossible_parameters() {
        let refused = |kdf| match check(1, &kdf) {
            Err(KeyFileError::KdfParameter { name, value, .. }) => (name, value),
            other => panic!("{kdf:?}: {other:?}"),
        };
        assert_eq!(refused(pbkdf2(0)), ("number of PBKDF2 rounds", 0));
        for n in [0, 1, 3, (1 << 14) + 1, u64::MAX] {
            assert_eq!(refused(scrypt(n, 8, 1)), ("scrypt parameter N", n));
        }
        assert_eq!(refused(scrypt(1 << 14, 0, 1)), ("scrypt parameter r", 0));
        assert_eq!(refused(scrypt(1 << 14, 8, 0)), ("scrypt parameter p", 0));
    }

    #[test]
    fn memory_that_no_machine_has() {
        assert_eq!(
            check(u32::MAX, &scrypt(1 << 47, 8, 1)),
            Err(KeyFileError::KdfMemory(1 << 57))
        );
    }
}
