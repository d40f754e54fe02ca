//! MGF1, the mask generation function of OAEP and PSS (RFC 8017, appendix B.2.1).

use crate::hash::{MAX_DIGEST, PaddingHash};
use zeroize::Zeroizing;

/// XORs the mask MGF1(seed, `block.len()`) = Hash(seed || 0) || Hash(seed || 1) || ... into the
/// block. Each counter has four bytes. Time and memory access depend on the lengths only.
pub(crate) fn mask(block: &mut [u8], seed: &[u8], hash: PaddingHash) {
    let mut state = hash.state();
    let mut digest = Zeroizing::new([0; MAX_DIGEST]);
    let digest = &mut digest[..hash.digest_len()];
    for (counter, piece) in (0u32..).zip(block.chunks_mut(hash.digest_len())) {
        state.update(seed);
        state.update(&counter.to_be_bytes());
        state
            .finalize_into_reset(digest)
            .expect("the buffer has the digest's length");
        for (byte, mask) in piece.iter_mut().zip(digest.iter()) {
            *byte ^= mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masks equal the definition's, at lengths around multiples of the digest length.
    #[test]
    fn digests_of_seed_and_counter_in_a_row() {
        for hash in PaddingHash::all() {
            let digest_len = hash.digest_len();
            let digests = [0u8, 1, 2].map(|i| hash.digest(&[b's', 0, 0, 0, i]).to_vec());
            let expected = digests.concat();
            for len in [
                0,
                1,
                digest_len - 1,
                digest_len,
                digest_len + 1,
                2 * digest_len,
                3 * digest_len,
            ] {
                let mut block = vec![0xa5; len];
                mask(&mut block, b"s", hash);
                let unmasked: Vec<_> = block.iter().map(|byte| byte ^ 0xa5).collect();
                assert_eq!(unmasked, expected[..len], "{hash}, {len}");
            }
        }
    }
}
