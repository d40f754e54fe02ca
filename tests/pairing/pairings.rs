//! Pairings and hashes on BLS12-381 equal those of blst, pairings on BN254 those of arkworks.

use ark_bn254::{Bn254, Fr, G1Affine, G2Affine};
use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, Field, PrimeField, UniformRand};
use blst::{blst_fp12, blst_p1_affine, blst_p2_affine, min_pk, min_sig};
use crypto_bigint::BoxedUint;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::pairing::{
    self, DomainSeparationTag, PairingRequest, PreparedG2, PreparedPairing, decode_g2_batch,
    g2_elements_batch, hash_to_g1_batch, hash_to_g2_batch, pairing_batch,
    pairing_product_is_one_batch,
};
use sunzi_pk::ec::{ElementFormat, GroupElement, decode_batch};

/// Random numbers in a batch.
const CHUNK: usize = 500;
/// Number of pairings on BLS12-381 in every run.
const PAIRINGS: usize = 40;
/// Number of hashes to each group in every run.
const HASHES: usize = 40;
/// Number of pairings on BN254 in every run.
const ON_BN254: usize = 20;
/// Number of pairings on BLS12-381, and of hashes to each group, where the tests that take minutes run.
const MANY: usize = 100_000;
/// Number of pairings on BN254 there.
const MANY_ON_BN254: usize = 10_000;

fn engine() -> Engine {
    Engine::new(Backend::best()).unwrap()
}

/// Reproducible pseudo-random bytes.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let block = |k: u64| {
        let input = [seed.to_le_bytes(), k.to_le_bytes()].concat();
        sunzi_pk::Hash::Sha256.digest(&input).as_bytes().to_vec()
    };
    let mut bytes: Vec<u8> = (0..length.div_ceil(32) as u64).flat_map(block).collect();
    bytes.truncate(length);
    bytes
}

/// Pairings of random elements, of which every third is prepared in G2, number by number.
fn compare_pairings(count: usize) {
    let pairing = PreparedPairing::bls12_381(&engine()).unwrap();
    for first in (0..count).step_by(CHUNK) {
        let range = first..count.min(first + CHUNK);
        let secret = |k: usize| min_pk::SecretKey::key_gen(&bytes(k as u64, 32), &[]).unwrap();
        let theirs = range.map(|k| {
            let key = secret(k).sk_to_pk();
            (key, secret(k).sign(&k.to_le_bytes(), b"tag", &[]))
        });
        let theirs: Vec<_> = theirs.collect();
        let keys: Vec<_> = theirs.iter().map(|(key, _)| key.to_bytes()).collect();
        let keys: Vec<_> = keys.iter().map(|bytes| &bytes[..]).collect();
        let ps = decode_batch(pairing.g1(), ElementFormat::Zcash, &keys).unwrap();
        let ps: Vec<_> = ps.into_iter().map(Result::unwrap).collect();
        let points: Vec<_> = theirs.iter().map(|(_, q)| q.to_bytes()).collect();
        let points: Vec<_> = points.iter().map(|bytes| &bytes[..]).collect();
        let qs = decode_g2_batch(&pairing, &points).unwrap();
        let qs: Vec<_> = qs.into_iter().map(Result::unwrap).collect();
        let lines: Vec<_> = qs.iter().step_by(3).map(PreparedG2::new).collect();
        let requests = ps.iter().zip(&qs).enumerate();
        let requests = requests.map(|(k, (p, q))| match k % 3 {
            0 => PairingRequest::prepared(p, &lines[k / 3]),
            _ => PairingRequest::new(p, q),
        });
        let values = pairing_batch(&pairing, &requests.collect::<Vec<_>>()).unwrap();
        for (value, (key, signature)) in values.iter().zip(&theirs) {
            let (p, q): (&blst_p1_affine, &blst_p2_affine) = (key.into(), signature.into());
            let expected = blst_fp12::miller_loop(q, p).final_exp().to_bendian();
            let ours = value.coefficients().into_iter().flatten();
            let ours = ours.flat_map(|number| number.to_be_bytes().to_vec());
            assert_eq!(ours.collect::<Vec<_>>(), expected);
        }
    }
}

/// Hashes of messages of many lengths, with tags of many lengths: blst's signatures by the key 1.
fn compare_hashes(count: usize) {
    let pairing = PreparedPairing::bls12_381(&engine()).unwrap();
    let mut one = [0; 32];
    one[31] = 1;
    let in_g1 = min_sig::SecretKey::from_bytes(&one).unwrap();
    let in_g2 = min_pk::SecretKey::from_bytes(&one).unwrap();
    for first in (0..count).step_by(CHUNK) {
        let range = first..count.min(first + CHUNK);
        let messages: Vec<_> = range.map(|k| bytes(k as u64, k % 300)).collect();
        let tag = bytes(first as u64, 1 + first / CHUNK % 300);
        let references: Vec<_> = messages.iter().map(|message| &message[..]).collect();
        let own = DomainSeparationTag::new(&tag).unwrap();
        let hashes = hash_to_g1_batch(&pairing, &own, &references).unwrap();
        for (hash, message) in hashes.iter().zip(&messages) {
            let expected = in_g1.sign(message, &tag, &[]).to_bytes();
            let hash = hash.to_bytes(ElementFormat::Zcash, true).unwrap();
            assert_eq!(hash, expected);
        }
        let hashes = hash_to_g2_batch(&pairing, &own, &references).unwrap();
        for (hash, message) in hashes.iter().zip(&messages) {
            let expected = in_g2.sign(message, &tag, &[]).to_bytes();
            assert_eq!(hash.to_bytes(true), expected);
        }
    }
}

/// The integer of a number of arkworks.
fn integer<F: PrimeField>(x: &F) -> BoxedUint {
    let bytes = x.into_bigint().to_bytes_be();
    BoxedUint::from_be_slice(&bytes, 8 * bytes.len() as u32).unwrap()
}

/// Pairings on BN254 of random elements, number by number, and products of two, of which every second is 1.
fn compare_bn254(count: usize) {
    let pairing = PreparedPairing::bn254(&engine()).unwrap();
    let curve = pairing.g1().curve();
    let rng = &mut ark_std::test_rng();
    for first in (0..count).step_by(CHUNK) {
        let number = CHUNK.min(count - first);
        let theirs = (0..number).map(|_| {
            let p: G1Affine = (G1Affine::generator() * Fr::rand(rng)).into_affine();
            let q: G2Affine = (G2Affine::generator() * Fr::rand(rng)).into_affine();
            (p, q)
        });
        let theirs: Vec<_> = theirs.collect();
        let ps = theirs
            .iter()
            .map(|(p, _)| GroupElement::new(curve, &integer(&p.x), &integer(&p.y)).unwrap());
        let ps: Vec<_> = ps.collect();
        let points = theirs.iter().map(|(_, q)| {
            [&q.x, &q.y].map(|coordinate| [&coordinate.c0, &coordinate.c1].map(integer))
        });
        let qs = g2_elements_batch(&pairing, &points.collect::<Vec<_>>()).unwrap();
        let qs: Vec<_> = qs.into_iter().map(Result::unwrap).collect();
        let lines: Vec<_> = qs.iter().map(PreparedG2::new).collect();
        let requests = (0..number).map(|k| match k % 3 {
            0 => PairingRequest::prepared(&ps[k], &lines[k]),
            _ => PairingRequest::new(&ps[k], &qs[k]),
        });
        let requests: Vec<_> = requests.collect();
        let values = pairing_batch(&pairing, &requests).unwrap();
        for (value, (p, q)) in values.iter().zip(&theirs) {
            let expected = Bn254::pairing(p, q).0;
            // The coefficients of w^0 to w^5, of which arkworks has the even ones first.
            let [even, odd] = [&expected.c0, &expected.c1].map(|x| [&x.c0, &x.c1, &x.c2]);
            for (k, [re, im]) in value.coefficients().into_iter().enumerate() {
                let expected = if k % 2 == 0 { even } else { odd }[k / 2];
                assert_eq!(
                    [re, im].map(Clone::clone),
                    [&expected.c0, &expected.c1].map(integer)
                );
            }
        }
        // e(P, Q) e(-P, Q), and e(P, Q) e(P, Q).
        let negated: Vec<_> = ps.iter().map(GroupElement::negated).collect();
        let products = (0..number).map(|k| {
            let second = if k % 2 == 0 { &negated[k] } else { &ps[k] };
            [requests[k], PairingRequest::new(second, &qs[k])]
        });
        let products: Vec<_> = products.collect();
        let products: Vec<_> = products.iter().map(|product| &product[..]).collect();
        let verdicts = pairing_product_is_one_batch(&pairing, &products).unwrap();
        let expected = (0..number).map(|k| k % 2 == 0);
        assert_eq!(verdicts, expected.collect::<Vec<_>>());
    }
    // The pairing's power that both have is not the plain one.
    let p = GroupElement::generator(curve);
    let q = pairing::G2Element::generator();
    let value = pairing_batch(&pairing, &[PairingRequest::new(&p, &q)]).unwrap();
    assert_ne!(value[0], pairing::GtElement::one());
    assert!(Bn254::pairing(G1Affine::generator(), G2Affine::generator()).0 != Field::ONE);
}

#[test]
fn pairings() {
    compare_pairings(PAIRINGS);
}

#[test]
fn hashes() {
    compare_hashes(HASHES);
}

#[test]
fn bn254() {
    compare_bn254(ON_BN254);
}

#[test]
#[ignore = "takes minutes: a hundred thousand pairings, of which some are in every run"]
fn many_pairings() {
    compare_pairings(MANY);
}

#[test]
#[ignore = "takes minutes: a hundred thousand hashes to each group, of which some are in every run"]
fn many_hashes() {
    compare_hashes(MANY);
}

#[test]
#[ignore = "takes minutes: ten thousand pairings, of which some are in every run"]
fn many_on_bn254() {
    compare_bn254(MANY_ON_BN254);
}
