//! Tests of Groth16 with proofs whose discrete logarithms are known. Comparisons with arkworks are in `tests/pairing`.

use super::*;
use crate::ec::pairing::{G2Element, G2MultiplyRequest, PreparedPairing, multiply_g2_batch};
use crate::ec::{GroupElement, MultiplyRequest, PointError, multiply_batch};
use crate::system_rng;
use crypto_bigint::{BoxedUint, Resize};
use sunzi_engine::{Backend, Engine};

/// Multiples of the generators.
struct Multiples(PreparedPairing);

impl Multiples {
    fn g1(&self, k: &BoxedUint) -> GroupElement {
        let curve = self.0.g1();
        let element = &GroupElement::generator(curve.curve());
        let request = MultiplyRequest {
            curve,
            scalar: k,
            element,
        };
        multiply_batch(self.0.engine(), &[request])
            .remove(0)
            .unwrap()
    }

    fn g2(&self, k: &BoxedUint) -> G2Element {
        let element = &G2Element::generator();
        let request = G2MultiplyRequest { scalar: k, element };
        multiply_g2_batch(&self.0, &[request]).remove(0).unwrap()
    }
}

/// The verdicts on proofs that are right, of another input, damaged, with too few inputs, and with one that is too large.
#[test]
fn proofs_with_known_logarithms() {
    let pairing = PreparedPairing::bls12_381(&Engine::new(Backend::best()).unwrap()).unwrap();
    let multiples = Multiples(pairing.clone());
    let order = pairing.g1().curve().order().clone();
    let big = |x: u64| BoxedUint::from(x).resize_unchecked(256);
    let of = order.as_nz_ref();
    let [alpha, beta, gamma, delta] = [11, 13, 17, 19].map(big);
    let inputs = [23, 29, 31].map(big);
    let key = VerifyingKey {
        alpha: multiples.g1(&alpha),
        beta: multiples.g2(&beta),
        gamma: multiples.g2(&gamma),
        delta: multiples.g2(&delta),
        inputs: inputs.iter().map(|k| multiples.g1(k)).collect(),
    };
    let key = PreparedVerifyingKey::new(&pairing, &key).unwrap();
    // a b = alpha beta + (23 + 29 x + 31 y) gamma + c delta, for chosen b and c.
    let proof = |x: u64, y: u64, b: u64, c: u64| {
        let sum = big(11 * 13 + (23 + 29 * x + 31 * y) * 17 + c * 19);
        let inverse = big(b).invert_mod(of).unwrap();
        let a = sum.mul_mod(&inverse, of);
        Proof {
            a: multiples.g1(&a),
            b: multiples.g2(&big(b)),
            c: multiples.g1(&big(c)),
        }
    };
    let proofs = [
        proof(5, 7, 101, 103),
        proof(0, 1, 107, 109),
        proof(8, 9, 113, 127),
    ];
    let inputs = [[5, 7], [0, 1], [8, 9]].map(|inputs| inputs.map(big).to_vec());
    let request = |proof: usize, input: usize| VerifyRequest {
        proof: &proofs[proof],
        inputs: &inputs[input],
    };
    let few = VerifyRequest {
        proof: &proofs[0],
        inputs: &inputs[0][..1],
    };
    let large = [order.as_ref().clone(), big(7)];
    let large = VerifyRequest {
        proof: &proofs[0],
        inputs: &large,
    };
    let requests = [
        request(0, 0),
        request(0, 1),
        few,
        request(1, 1),
        large,
        request(2, 2),
    ];
    let inputs_error = Groth16Error::Inputs {
        expected: 2,
        given: 1,
    };
    let expected = [
        Ok(()),
        Err(Groth16Error::Mismatch),
        Err(inputs_error),
        Ok(()),
        Err(Groth16Error::OutOfRange),
        Ok(()),
    ];
    assert_eq!(key.verify_batch(&requests), expected);
    let rng = &mut system_rng();
    let right = [request(0, 0), request(1, 1), request(2, 2)];
    assert_eq!(key.verify_together(rng, &right), Ok(true));
    assert_eq!(key.verify_together(rng, &[]), Ok(true));
    for wrong in [request(0, 1), few, large] {
        assert_eq!(key.verify_together(rng, &[right[1], wrong]), Ok(false));
    }

    let encode = |proof: &Proof| {
        let g1 = |element: &GroupElement| element.to_bytes(crate::ec::ElementFormat::Zcash, true);
        [
            g1(&proof.a).unwrap(),
            proof.b.to_bytes(true),
            g1(&proof.c).unwrap(),
        ]
        .concat()
    };
    let mut encodings: Vec<_> = proofs.iter().map(encode).collect();
    encodings[1].pop();
    encodings[2][PROOF_BYTES - 48] &= 0x7f;
    let encodings: Vec<_> = encodings.iter().map(|bytes| &bytes[..]).collect();
    let decoded = key.decode_proof_batch(&encodings).unwrap();
    assert_eq!(decoded[0].as_ref(), Ok(&proofs[0]));
    let is_length =
        |proof: &Result<Proof, PointError>| matches!(proof, Err(PointError::ZcashLength { .. }));
    assert!(is_length(&decoded[1]) && is_length(&decoded[2]));
}
