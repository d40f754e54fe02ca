//! arkworks, through the crates `ark-bn254`, `ark-ec` and `ark-ff`: pairings on BN254.

use crate::interface::{Compute, OnCurve, Operands, Peer, PeerError};
use ark_bn254::{Bn254, Fq, Fq2, G1Affine, G2Affine};
use ark_ec::pairing::Pairing;
use ark_ff::{BigInteger, BigInteger256, PrimeField};

/// The version of the crates, which do not report it.
const VERSION: &str = "0.5.0";
/// Length of a coordinate, or of a part of it, in bytes.
const LENGTH: usize = 32;

pub(crate) fn peer() -> Peer {
    Peer {
        name: format!("arkworks {VERSION}"),
        short: "arkworks",
        signer: None,
        verifier: None,
        power: None,
        curves: None,
        pairing_group: None,
        pairing: Some(pairing),
        bls: None,
        groups: None,
    }
}

/// The numbers of an encoding, each below the prime.
fn numbers<const N: usize>(bytes: &[u8]) -> Result<[Fq; N], PeerError> {
    if bytes.len() != N * LENGTH {
        return Err(PeerError::Arkworks("reading an element of another length"));
    }
    let mut numbers = [Fq::default(); N];
    for (number, bytes) in numbers.iter_mut().zip(bytes.chunks(LENGTH)) {
        let mut words = [0; LENGTH / 8];
        for (word, bytes) in words.iter_mut().zip(bytes.rchunks(8)) {
            *word = bytes
                .iter()
                .fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        let read = Fq::from_bigint(BigInteger256::new(words));
        *number = read.ok_or(PeerError::Arkworks("reading a coordinate"))?;
    }
    Ok(numbers)
}

struct PairingOfPoints {
    p: G1Affine,
    q: G2Affine,
}

/// The pairing of elements of G1 and G2, which must be on their curves and in their groups.
fn pairing(curve: &str, [p, q]: Operands<'_, 2>) -> OnCurve<dyn Compute> {
    if curve != "BN254" {
        return Ok(None);
    }
    let [x, y] = numbers(p)?;
    let p = G1Affine::new_unchecked(x, y);
    let [x_im, x_re, y_im, y_re] = numbers(q)?;
    let q = G2Affine::new_unchecked(Fq2::new(x_re, x_im), Fq2::new(y_re, y_im));
    if !p.is_on_curve() || !q.is_on_curve() {
        return Err(PeerError::Arkworks("the curve's equation"));
    }
    // All points of the curve of G1 are in it.
    if !q.is_in_correct_subgroup_assuming_on_curve() {
        return Err(PeerError::Arkworks("the check of the subgroup"));
    }
    Ok(Some(Box::new(PairingOfPoints { p, q })))
}

impl Compute for PairingOfPoints {
    fn compute(&mut self) -> Result<Vec<u8>, PeerError> {
        let value = Bn254::pairing(self.p, self.q).0;
        // The coefficients of w^0, w^2, w^4, and of w^1, w^3, w^5.
        let [even, odd] = [value.c0, value.c1].map(|x| [x.c0, x.c1, x.c2]);
        let coefficients = even.iter().zip(&odd).flat_map(|(even, odd)| [even, odd]);
        let numbers = coefficients.flat_map(|x| [x.c0, x.c1]);
        Ok(numbers
            .flat_map(|x| x.into_bigint().to_bytes_be())
            .collect())
    }
}
