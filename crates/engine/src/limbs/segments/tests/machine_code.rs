//! Products in machine code beside the same columns of single values, bit by bit.

use proptest::prelude::*;

use super::{Interval, LONGEST};
use crate::{
    instructions::Avx2,
    limbs::{
        numbers::{Limb, WIDTH},
        segments::{
            avx2::Four,
            beside_integers::{form, largest_limbs},
            prime::{P256, P25519, Prime, Secp256k1},
            word::Word,
        },
    },
    row::Row,
};

const N: usize = 5;
const D: usize = 2 * N;

/// The columns of the product of two numbers, of a square and of a sum of two products, and of the first two modulo P.
fn columns<F: Prime<N, D>, W: Word>(x: &[W; N], y: &[W; N]) -> Vec<W> {
    let mut sum = F::product(y, y);
    F::add_product(&mut sum, x, y);
    let mut columns = F::product(x, y).to_vec();
    columns.extend(F::square(x));
    columns.extend(sum);
    columns.extend(F::multiply(x, y));
    columns.extend(F::multiply_by_itself(x));
    columns
}

/// Compares lanes, of which each has other limbs.
fn check<F: Prime<N, D>, const B: u32>(name: &'static str, limbs: &[[u64; LONGEST]]) {
    let most = largest_limbs(&form(name, 256 - u32::from(B == 51), false), N, B);
    let number = |k: usize| -> [u64; N] {
        core::array::from_fn(|limb| limbs[k % limbs.len()][limb].min(most[limb] as u64))
    };
    let lanes = Four::<B>::LANES;
    let vector = |first: usize| -> [Four<B>; N] {
        core::array::from_fn(|limb| {
            let row: [u64; WIDTH] = core::array::from_fn(|lane| number(first + lane)[limb]);
            Four::load(&row, 0)
        })
    };
    let vectors = columns::<F, Four<B>>(&vector(0), &vector(lanes));
    for lane in 0..lanes {
        let [x, y] = [lane, lanes + lane].map(|k| number(k).map(Interval::<B, true, false>::splat));
        for (k, (vector, single)) in vectors.iter().zip(columns::<F, _>(&x, &y)).enumerate() {
            let mut row: Limb = Row([0; WIDTH]);
            vector.store(&mut row, 0);
            assert_eq!(single.least, single.most);
            assert_eq!(
                row[lane].cast_signed(),
                single.least as i64,
                "{name}, column {k}"
            );
        }
    }
}

fn check_primes(limbs: &[[u64; LONGEST]]) {
    check::<P25519, 51>("P25519", limbs);
    check::<P256, 52>("P256", limbs);
    check::<Secp256k1, 52>("Secp256k1", limbs);
}

#[test]
fn extreme_limbs() {
    const ALL: u64 = (1 << 52) - 1;
    if Avx2::detect().is_none() {
        println!("SKIPPED: the processor lacks AVX2 or fused multiplications");
        return;
    }
    let mut limbs = vec![[ALL; LONGEST], [0; LONGEST], [1; LONGEST]];
    for k in 0..N {
        limbs.push(core::array::from_fn(|limb| if limb == k { ALL } else { 0 }));
        limbs.push(core::array::from_fn(|limb| if limb == k { 0 } else { ALL }));
        // Halves of products that are as near to two multiples of the weight of the high half.
        limbs.push(core::array::from_fn(|limb| 1 << (25 + (limb + k) % 3)));
    }
    for _ in 0..limbs.len() {
        limbs.rotate_left(1);
        check_primes(&limbs);
    }
}

proptest! {
    #[test]
    fn random_limbs(limbs in prop::collection::vec(prop::array::uniform11(0u64..1 << 52), 8)) {
        if Avx2::detect().is_some() {
            check_primes(&limbs);
        }
    }
}
