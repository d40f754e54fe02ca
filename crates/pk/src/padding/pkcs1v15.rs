//! EMSA-PKCS1-v1_5 (RFC 8017, section 9.2).

use crate::{Digest, Hash};

/// The DER of `DigestInfo` up to the digest itself. `DigestInfo` is a SEQUENCE of the algorithm
/// identifier (the hash's OID and an explicit NULL, as in section 9.2, note 1) and an OCTET STRING
/// with the digest. The OID of every hash in this crate is 2.16.840.1.101.3.4.2.x.
fn digest_info_prefix(hash: Hash) -> [u8; 19] {
    let x = match hash {
        Hash::Sha256 => 1,
        Hash::Sha384 => 2,
        Hash::Sha512 => 3,
        Hash::Sha224 => 4,
        Hash::Sha512_224 => 5,
        Hash::Sha512_256 => 6,
        Hash::Sha3_224 => 7,
        Hash::Sha3_256 => 8,
        Hash::Sha3_384 => 9,
        Hash::Sha3_512 => 10,
    };
    let h = hash.digest_len() as u8;
    #[rustfmt::skip]
    let prefix = [
        0x30, 17 + h,
            0x30, 13,
                0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, x,
                0x05, 0,
            0x04, h,
    ];
    prefix
}

/// The encoded message 00 01 FF..FF 00 `DigestInfo`, of `em_len` bytes, the length of the modulus.
/// `None` if `em_len` is less than the length of `DigestInfo` plus 11 (step 3 of the RFC:
/// "intended encoded message length too short").
pub(crate) fn encode(digest: &Digest, em_len: usize) -> Option<Vec<u8>> {
    let prefix = digest_info_prefix(digest.hash());
    let t_len = prefix.len() + digest.as_bytes().len();
    let ps_len = em_len
        .checked_sub(t_len + 3)
        .filter(|&ps_len| ps_len >= 8)?;
    let mut em = vec![0x00, 0x01];
    em.resize(2 + ps_len, 0xff);
    em.push(0x00);
    em.extend_from_slice(&prefix);
    em.extend_from_slice(digest.as_bytes());
    debug_assert_eq!(em.len(), em_len);
    Some(em)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crypto_bigint::BoxedUint;

    #[test]
    fn the_prefixes_of_the_rfc() {
        // RFC 8017, section 9.2, note 1, and appendix B.1 for the OIDs.
        let hex =
            |bytes: &[u8]| BoxedUint::from_be_slice_vartime(bytes).to_string_radix_vartime(16);
        for (hash, expected) in [
            (Hash::Sha224, "302d300d06096086480165030402040500041c"),
            (Hash::Sha256, "3031300d060960864801650304020105000420"),
            (Hash::Sha384, "3041300d060960864801650304020205000430"),
            (Hash::Sha512, "3051300d060960864801650304020305000440"),
            (Hash::Sha512_224, "302d300d06096086480165030402050500041c"),
            (Hash::Sha512_256, "3031300d060960864801650304020605000420"),
        ] {
            assert_eq!(hex(&digest_info_prefix(hash)), expected, "{hash}");
        }
    }

    #[test]
    fn eight_bytes_of_padding_at_least() {
        for &hash in Hash::ALL {
            let digest = hash.digest(b"");
            let shortest = 11 + 19 + hash.digest_len();
            assert_eq!(encode(&digest, shortest - 1), None);
            let em = encode(&digest, shortest).unwrap();
            assert_eq!(em[..11], [0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 0]);
            assert_eq!(em[30..], *digest.as_bytes());
        }
    }
}
