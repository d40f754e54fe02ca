//! Proofs that no column of a segment overflows, by intervals, and results beside those of big integers.

use num_bigint::BigInt;
use proptest::prelude::*;

use super::{
    lanes::{Lanes, Tight},
    prime::{P256, P25519, Prime, Secp256k1},
    word::Word,
};
use crate::program::formulas::{Formula, LARGEST_WEIGHT, edwards, ladder, weierstrass};

/// All values of a column, from the least to the largest; a single value is computed exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval {
    least: i128,
    most: i128,
}

const LIMB: i128 = 1 << 52;

impl Interval {
    /// Requires values that fit a signed word.
    #[track_caller]
    fn new(least: i128, most: i128) -> Self {
        let word = -(1 << 63)..1 << 63;
        assert!(
            least <= most && word.contains(&least) && word.contains(&most),
            "a column overflows"
        );
        Self { least, most }
    }

    /// The lowest bits of all values.
    fn lowest_bits(self, count: u32) -> Self {
        let range = 1i128 << count;
        if self.least == self.most {
            let value = self.least.rem_euclid(range);
            Self::new(value, value)
        } else if self.least >= 0 && self.most < range {
            self
        } else {
            Self::new(0, range - 1)
        }
    }

    /// The products of the lowest limbs.
    fn times(self, y: Self) -> [i128; 2] {
        let (x, y) = (self.lowest_bits(52), y.lowest_bits(52));
        [x.least * y.least, x.most * y.most]
    }

    #[track_caller]
    fn shifted(self, count: u32) -> Self {
        Self::new(self.least << count, self.most << count)
    }
}

impl Word for Interval {
    fn splat(value: u64) -> Self {
        let value = value.cast_signed().into();
        Self::new(value, value)
    }

    #[track_caller]
    fn low(self, x: Self, y: Self) -> Self {
        let [least, most] = x.times(y);
        let product = if least == most {
            Self::new(least % LIMB, least % LIMB)
        } else if most < LIMB {
            Self::new(least, most)
        } else {
            Self::new(0, LIMB - 1)
        };
        self.add(product)
    }

    #[track_caller]
    fn high(self, x: Self, y: Self) -> Self {
        let [least, most] = x.times(y);
        self.add(Self::new(least / LIMB, most / LIMB))
    }

    #[track_caller]
    fn plus_product(self, x: Self, y: Self) -> Self {
        assert!(x.least >= 0 && y.least >= 0, "a factor may be negative");
        let (least, most) = (x.least * y.least, x.most * y.most);
        assert!(most < LIMB, "the product exceeds a limb");
        self.add(Self::new(least, most))
    }

    #[track_caller]
    fn add(self, y: Self) -> Self {
        Self::new(self.least + y.least, self.most + y.most)
    }

    #[track_caller]
    fn sub(self, y: Self) -> Self {
        Self::new(self.least - y.most, self.most - y.least)
    }

    fn lowest<const COUNT: u32>(self) -> Self {
        self.lowest_bits(COUNT)
    }

    #[track_caller]
    fn shift_left<const COUNT: u32>(self) -> Self {
        self.shifted(COUNT)
    }

    #[track_caller]
    fn shift_right<const COUNT: u32>(self) -> Self {
        assert!(self.least >= 0, "the column may be negative");
        Self::new(self.least >> COUNT, self.most >> COUNT)
    }

    fn carry(self) -> Self {
        Self::new(self.least >> 52, self.most >> 52)
    }
}

/// P.
fn prime(name: &str) -> BigInt {
    let power = |exponent: u32| BigInt::from(1) << exponent;
    match name {
        "P25519" => power(255) - 19,
        "Secp256k1" => power(256) - power(32) - 977,
        _ => power(256) - power(224) + power(192) + power(96) - 1,
    }
}

/// The number in limbs that are single values.
fn integer(limbs: &[Interval]) -> BigInt {
    let limbs = limbs.iter().rev();
    limbs.fold(BigInt::ZERO, |sum, limb| {
        assert_eq!(limb.least, limb.most);
        (sum << 52) + limb.least
    })
}

/// Computes with integers modulo P, times the inverse of the Montgomery factor in products.
struct Integers {
    p: BigInt,
    inverse: BigInt,
}

/// Numbers of [`Integers`], which must be copied: indices of a list would be, too, but these are simpler.
type Index = usize;

/// The numbers so far, by index.
struct Numbers {
    field: Integers,
    numbers: Vec<BigInt>,
}

impl Numbers {
    fn push(&mut self, x: BigInt) -> Index {
        let p = &self.field.p;
        self.numbers.push(((x % p) + p) % p);
        self.numbers.len() - 1
    }

    fn times(&self, x: Index, y: Index) -> BigInt {
        &self.numbers[x] * &self.numbers[y] * &self.field.inverse
    }
}

impl crate::program::formulas::Arith for Numbers {
    type Tight = Index;
    type Loose = Index;

    fn multiply(&mut self, x: Index, y: Index) -> Index {
        self.push(self.times(x, y))
    }

    fn square(&mut self, x: Index) -> Index {
        self.push(self.times(x, x))
    }

    fn sum_of_products<const N: usize>(&mut self, terms: [(bool, Index, Index); N]) -> Index {
        let products = terms.map(|(negative, x, y)| {
            let product = self.times(x, y);
            if negative { -product } else { product }
        });
        self.push(products.into_iter().sum())
    }

    fn multiply_less_square(&mut self, [x, y]: [Index; 2], z: Index, factor: u32) -> Index {
        self.push(self.times(x, y) - self.times(z, z) * factor)
    }

    fn multiply_small(&mut self, x: Index, factor: u32) -> Index {
        self.push(&self.numbers[x] * factor)
    }

    fn loosen(&mut self, x: Index) -> Index {
        x
    }

    fn add(&mut self, x: Index, y: Index) -> Index {
        self.push(&self.numbers[x] + &self.numbers[y])
    }

    fn subtract(&mut self, x: Index, y: Index) -> Index {
        self.push(&self.numbers[x] - &self.numbers[y])
    }

    fn scale(&mut self, x: Index, factor: u32) -> Index {
        self.push(&self.numbers[x] * factor)
    }

    fn carry(&mut self, x: Index) -> Index {
        x
    }

    fn carry_signed(&mut self, x: Index) -> Index {
        x
    }
}

/// A form of primes for tests.
struct Form {
    name: &'static str,
    bits: u32,
    has_montgomery_factor: bool,
}

/// Proves a formula's bounds for all inputs, and compares its outputs for single inputs.
fn check<F: Prime<5, 10>, M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
    form: &Form,
    single: &[[u64; 5]],
) {
    // The highest limb of all numbers below the largest multiple of P that is allowed.
    let most = (i128::from(LARGEST_WEIGHT) << (form.bits - 4 * 52)) - 1;
    let mut lanes = Lanes::<Interval, F, 5, 10>::new();
    let any = {
        let mut limbs = [Interval::new(0, LIMB - 1); 5];
        limbs[4] = Interval::new(0, most);
        limbs
    };
    let outputs = M::compute(&mut lanes, [Tight(any); IN]);
    for Tight(output) in outputs {
        for limb in &output[..4] {
            assert!(limb.least >= 0 && limb.most < LIMB, "{}", M::SEGMENT);
        }
        // Below 2 P: P is more than 2^bits less 2^224.
        let double = (1i128 << (form.bits + 1 - 4 * 52)) - (1 << 17);
        let is_input = output == any;
        let top = output[4];
        assert!(
            is_input || (top.least >= 0 && top.most < double),
            "{}: {top:?}",
            M::SEGMENT
        );
    }
    // Single numbers.
    let inputs: [Tight<Interval, 5>; IN] = core::array::from_fn(|k| {
        let mut limbs = single[k % single.len()];
        limbs[4] %= most as u64 + 1;
        Tight(limbs.map(Interval::splat))
    });
    let outputs = M::compute(&mut lanes, inputs);
    let p = prime(form.name);
    let inverse = if form.has_montgomery_factor {
        (BigInt::from(1) << 260u32).modinv(&p).unwrap()
    } else {
        BigInt::from(1)
    };
    let mut numbers = Numbers {
        field: Integers {
            p: p.clone(),
            inverse,
        },
        numbers: Vec::new(),
    };
    let expected = inputs.map(|input| numbers.push(integer(&input.0)));
    let expected = M::compute(&mut numbers, expected);
    for (output, expected) in outputs.iter().zip(expected) {
        let output = integer(&output.0);
        assert_eq!(output % &p, numbers.numbers[expected], "{}", M::SEGMENT);
    }
}

/// Checks all formulas of a prime.
macro_rules! check_all {
    ($form:expr, $prime:ty, $single:expr, [$($formula:ty),* $(,)?]) => {
        $(check::<$prime, $formula, _, _>($form, $single);)*
    };
}

fn check_primes(single: &[[u64; 5]]) {
    let form = |name, bits, has_montgomery_factor| Form {
        name,
        bits,
        has_montgomery_factor,
    };
    check_all!(&form("P25519", 255, false), P25519, single, [
        edwards::Double<true>,
        edwards::DoubleWithT<true>,
        edwards::Add<true>,
        edwards::AddWithT<true>,
        edwards::AddAffine<true>,
        edwards::AddAffineWithT<true>,
        ladder::Step<121_665>,
    ]);
    check_all!(&form("Secp256k1", 256, false), Secp256k1, single, [
        weierstrass::DoubleJacobian<false>,
        weierstrass::DoubleToJacobian<false>,
        weierstrass::FromJacobian,
        weierstrass::AddZero<21>,
        weierstrass::AddAffineZero<21>,
    ]);
    check_all!(&form("P256", 256, true), P256, single, [
        weierstrass::DoubleJacobian<true>,
        weierstrass::DoubleToJacobian<true>,
        weierstrass::FromJacobian,
        weierstrass::AddMinusThree,
        weierstrass::AddAffineMinusThree,
    ]);
}

#[test]
fn bounds_and_extreme_numbers() {
    const ALL: u64 = (1 << 52) - 1;
    check_primes(&[[ALL; 5]]);
    check_primes(&[[0; 5]]);
    check_primes(&[[ALL; 5], [0; 5]]);
    check_primes(&[[0, ALL, 0, ALL, 0], [ALL, 0, ALL, 0, ALL], [1, 0, 0, 0, 0]]);
}

proptest! {
    #[test]
    fn random_numbers(single in prop::collection::vec(prop::array::uniform5(0u64..1 << 52), 8)) {
        check_primes(&single);
    }
}
