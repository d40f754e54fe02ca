//! Functions that several integration tests use.
#![allow(dead_code)] // Each test file uses some of them.

use crypto_bigint::BoxedUint;
use num_bigint::BigUint;
use std::path::Path;
use sunzi_pk::rsa::PrivateKey;

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The private key in a file, permitted for all uses even if it is short.
pub(crate) fn private(name: &str) -> PrivateKey {
    PrivateKey::from_pem_or_der(&fixture(name), None)
        .unwrap()
        .permit_1024()
}

pub(crate) fn big(x: &BoxedUint) -> BigUint {
    BigUint::from_bytes_be(&x.to_be_bytes())
}

pub(crate) fn boxed(x: &BigUint) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(&x.to_bytes_be())
}

/// The numbers of a private key, as plain integers.
pub(crate) struct Numbers {
    pub(crate) n: BigUint,
    pub(crate) e: u64,
    pub(crate) d: BigUint,
    pub(crate) p: BigUint,
    pub(crate) q: BigUint,
}

impl Numbers {
    pub(crate) fn of(key: &PrivateKey) -> Self {
        let der = key.to_pkcs1_der();
        let key = pkcs1::RsaPrivateKeyRef::try_from(der.as_slice()).unwrap();
        let big = |x: pkcs1::UintRef<'_>| BigUint::from_bytes_be(x.as_bytes());
        Self {
            n: big(key.modulus),
            e: u64::try_from(big(key.public_exponent)).unwrap(),
            d: big(key.private_exponent),
            p: big(key.prime1),
            q: big(key.prime2),
        }
    }

    /// The numbers of the key with these primes.
    pub(crate) fn from_primes(p: &BigUint, q: &BigUint, e: u64) -> Self {
        let order = (p - 1u32) * (q - 1u32);
        let d = BigUint::from(e)
            .modinv(&order)
            .expect("e is coprime to p - 1 and q - 1");
        Self {
            n: p * q,
            e,
            d,
            p: p.clone(),
            q: q.clone(),
        }
    }

    pub(crate) fn key(&self) -> Result<PrivateKey, sunzi_pk::rsa::KeyError> {
        let [n, d, p, q] = [&self.n, &self.d, &self.p, &self.q].map(boxed);
        PrivateKey::from_components(&n, self.e, &d, &p, &q)
    }
}
