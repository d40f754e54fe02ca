//! Keys that both Sunzi and OpenSSL hold.

use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use std::sync::LazyLock;
use sunzi_pk::rsa::PrivateKey;
use sunzi_pk::system_rng;

const SIZES: [u32; 3] = [2048, 3072, 4096];

/// One key, in Sunzi's and in OpenSSL's form.
pub(crate) struct Pair {
    pub(crate) ours: PrivateKey,
    pub(crate) theirs: PKey<Private>,
}

/// Fresh keys of all sizes, made by OpenSSL, and one made by Sunzi.
pub(crate) static KEYS: LazyLock<Vec<Pair>> = LazyLock::new(|| {
    let mut keys: Vec<_> = SIZES
        .iter()
        .map(|&bits| {
            let theirs = PKey::from_rsa(Rsa::generate(bits).unwrap()).unwrap();
            let file = theirs.private_key_to_pem_pkcs8().unwrap();
            Pair {
                ours: PrivateKey::from_pem_or_der(&file, None).unwrap(),
                theirs,
            }
        })
        .collect();
    let ours = PrivateKey::generate(2048, &mut system_rng()).unwrap();
    let theirs = PKey::private_key_from_der(&ours.to_pkcs8_der()).unwrap();
    keys.push(Pair { ours, theirs });
    keys
});
