//! Proofs that no column of a segment overflows, by intervals, and results beside those of big integers.

mod extensions;
mod machine_code;

use num_bigint::BigInt;
use proptest::prelude::*;

use super::{
    beside_integers::{Form, bls12_381, form, integer_of, largest_limbs, montgomery_factor, prime},
    called::Called,
    calls::{Calls, Kernel},
    lanes::{Lanes, Tight},
    prime::{Bls12381, P256, P384, P448, P521, P25519, Prime, Secp256k1},
    with_formulas,
    word::Word,
};
use crate::{
    limbs::numbers::{Limb, WIDTH},
    program::formulas::{Formula, edwards, ladder, weierstrass},
    testing::formulas,
};

/// All values of a column, from the least to the largest; a single value is computed exactly. Products have halves as with
/// some instructions: high ones of weight `2^B`, rounded to nearest or down. Its functions are not inlined, because formulas
/// call them thousands of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval<const B: u32, const NEAREST: bool, const FREE: bool> {
    least: i128,
    most: i128,
}

/// The largest number of limbs.
const LONGEST: usize = 11;

/// With IFMA, with AVX-512F and with AVX2, and with shorter limbs, where IFMA and AVX-512F are alike.
type Ifma = Interval<52, false, true>;
type Avx512With48 = Interval<48, false, false>;
type Avx512With50 = Interval<50, false, false>;
type Avx512 = Interval<52, false, false>;
type Avx512Short = Interval<51, false, false>;
type Avx2 = Interval<52, true, false>;
type Avx2Short = Interval<51, true, false>;
type Avx2With48 = Interval<48, true, false>;
type Avx2With50 = Interval<50, true, false>;

impl<const B: u32, const NEAREST: bool, const FREE: bool> Interval<B, NEAREST, FREE> {
    /// Requires values that fit a signed word.
    #[inline(never)]
    fn new(least: i128, most: i128) -> Self {
        let word = -(1 << 63)..1 << 63;
        let fits = least <= most && word.contains(&least) && word.contains(&most);
        assert!(fits, "a column overflows");
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

    /// The least and the largest product.
    fn times(self, y: Self) -> [i128; 2] {
        let most = self.most * y.most;
        assert!(most < 1 << (52 + B), "the high half exceeds a float");
        [self.least * y.least, most]
    }

    /// The high half of a product.
    fn high_half(product: i128) -> i128 {
        let floor = product >> B;
        if !NEAREST {
            return floor;
        }
        // To even if both are as near.
        let rest = product - (floor << B);
        let half = 1 << (B - 1);
        floor + i128::from(rest > half || rest == half && floor % 2 != 0)
    }
}

impl<const B: u32, const NEAREST: bool, const FREE: bool> Word for Interval<B, NEAREST, FREE> {
    const BITS: u32 = B;
    const LANES: usize = 1;
    const NEAREST: bool = NEAREST;
    const FREE_FACTORS: bool = FREE;

    type Factor = Self;

    #[inline(never)]
    fn load(row: &[u64; WIDTH], part: usize) -> Self {
        Self::splat(row[part])
    }

    #[inline(never)]
    fn store(self, row: &mut Limb, part: usize) {
        assert_eq!(self.least, self.most);
        row[part] = self.least as u64;
    }

    #[inline(never)]
    fn splat(value: u64) -> Self {
        let value = value.cast_signed().into();
        Self::new(value, value)
    }

    #[inline(never)]
    fn factor(self) -> Self {
        if FREE {
            // A multiplication takes the lowest bits.
            return self.lowest_bits(52);
        }
        // With IFMA factors of limbs of 48 or 50 bits are multiplied by 2 or 4.
        let most = if B <= 50 { u32::midpoint(52, B) } else { 52 };
        assert!(
            self.least >= 0 && self.most < 1 << most,
            "no limb: {self:?}"
        );
        self
    }

    #[inline(never)]
    fn low(self, x: Self, y: Self) -> Self {
        let [least, most] = x.times(y);
        let [high_least, high_most] = [least, most].map(Self::high_half);
        let half = 1 << (B - 1);
        self.add(if high_least == high_most {
            Self::new(least - (high_least << B), most - (high_most << B))
        } else if NEAREST {
            Self::new(-half, half)
        } else {
            Self::new(0, (1 << B) - 1)
        })
    }

    #[inline(never)]
    fn high(self, x: Self, y: Self) -> Self {
        let [least, most] = x.times(y).map(Self::high_half);
        self.add(Self::new(least, most))
    }

    #[inline(never)]
    fn plus_product(self, x: Self, c: u64) -> Self {
        assert!(x.least >= 0 && x.most < 1 << 32, "no small factor: {x:?}");
        let (least, most) = (x.least * i128::from(c), x.most * i128::from(c));
        assert!(most < 1 << 52, "the product exceeds a limb");
        self.add(Self::new(least, most))
    }

    #[inline(never)]
    fn plus_power<const EXPONENT: u32, const REST: u32>(sums: [Self; 2], x: Self) -> [Self; 2] {
        assert!(x.least >= 0 && x.most < 1 << B && EXPONENT + REST == B);
        let [low, high] = sums;
        let shifted = Self {
            least: x.least << EXPONENT,
            most: x.most << EXPONENT,
        };
        [
            low.add(shifted.lowest_bits(B)),
            high.add(x.shift_right::<REST>()),
        ]
    }

    #[inline(never)]
    fn blend(self, y: Self, mask: Self) -> Self {
        if mask == Self::splat(0) {
            self
        } else if mask == Self::splat(u64::MAX) {
            y
        } else {
            Self::new(self.least.min(y.least), self.most.max(y.most))
        }
    }

    #[inline(never)]
    fn add(self, y: Self) -> Self {
        Self::new(self.least + y.least, self.most + y.most)
    }

    #[inline(never)]
    fn sub(self, y: Self) -> Self {
        Self::new(self.least - y.most, self.most - y.least)
    }

    #[inline(never)]
    fn lowest<const COUNT: u32>(self) -> Self {
        self.lowest_bits(COUNT)
    }

    #[inline(never)]
    fn shift_left<const COUNT: u32>(self) -> Self {
        Self::new(self.least << COUNT, self.most << COUNT)
    }

    #[inline(never)]
    fn shift_right<const COUNT: u32>(self) -> Self {
        assert!(self.least >= 0, "the column may be negative");
        Self::new(self.least >> COUNT, self.most >> COUNT)
    }

    #[inline(never)]
    fn carry(self) -> Self {
        Self::new(self.least >> B, self.most >> B)
    }

    #[inline(never)]
    fn carry_positive(self) -> Self {
        assert!(self.least >= 0, "the column may be negative");
        self.carry()
    }

    #[inline(never)]
    fn limb(self) -> Self {
        self.lowest_bits(B)
    }

    #[inline(never)]
    fn assert_from_zero(self) {
        assert!(self.least >= 0, "the column may be negative");
    }

    #[inline(never)]
    fn known_at_most(self, most: u64) -> Self {
        let most = i128::from(most);
        if self.least == self.most {
            assert!(
                self.least >= 0 && self.most <= most,
                "{self:?} exceeds {most}"
            );
            return self;
        }
        Self::new(self.least.max(0), self.most.min(most))
    }

    #[inline(never)]
    fn scaled(self, factor: u32) -> Self {
        Self::new(
            self.least * i128::from(factor),
            self.most * i128::from(factor),
        )
    }
}

impl<const B: u32, const NEAREST: bool, const FREE: bool> Calls for Interval<B, NEAREST, FREE> {
    #[inline(never)]
    fn call<K: Kernel>(kernel: K) -> K::Output {
        kernel.compute()
    }
}

/// The number in limbs that are single values.
fn integer<const B: u32, const NEAREST: bool, const FREE: bool>(
    limbs: &[Interval<B, NEAREST, FREE>],
) -> BigInt {
    let single = |limb: &Interval<B, NEAREST, FREE>| {
        assert_eq!(limb.least, limb.most);
        limb.least
    };
    integer_of(limbs.iter().map(single), B)
}

/// The outputs of a formula for a digit. It is compiled once for all uses, as formulas are long.
#[inline(never)]
fn compute<
    F: Prime<N, D>,
    M: Formula<IN, OUT>,
    const N: usize,
    const D: usize,
    const IN: usize,
    const OUT: usize,
    const B: u32,
    const NEAREST: bool,
    const FREE: bool,
>(
    digit: Option<Interval<B, NEAREST, FREE>>,
    inputs: [Tight<Interval<B, NEAREST, FREE>, N>; IN],
) -> [Tight<Interval<B, NEAREST, FREE>, N>; OUT] {
    M::compute(&mut Called(Lanes::<_, F, N, D>::new(digit)), inputs)
}

/// Proves a formula's bounds for all inputs, and compares its outputs for single inputs.
fn check<
    F: Prime<N, D>,
    M: Formula<IN, OUT>,
    const N: usize,
    const D: usize,
    const IN: usize,
    const OUT: usize,
    const B: u32,
    const NEAREST: bool,
    const FREE: bool,
>(
    form: &Form,
    single: &[[u64; LONGEST]],
    _: core::marker::PhantomData<(F, M, Interval<B, NEAREST, FREE>)>,
) {
    let limb: i128 = 1 << B;
    let (highest, top_weight) = (N - 1, (N as u32 - 1) * B);
    let most: [i128; N] = largest_limbs(form, N, B).try_into().unwrap();
    // Of all lanes, some have the digit 1.
    let some = Interval::<B, NEAREST, FREE>::new(0, 1);
    let any = most.map(|most| Interval::new(0, most));
    check_sums::<F, N, D, _, _, _>(any);
    let outputs = compute::<F, M, N, D, _, _, _, _, _>(Some(some), [Tight::new(any); IN]);
    for output in outputs.map(Tight::limbs) {
        if output == any {
            continue;
        }
        let top = output[highest];
        let most_output = (prime(form.name) * form.largest_output) >> top_weight;
        assert!(
            top.least >= 0 && BigInt::from(top.most) < most_output,
            "{}: {top:?}",
            M::SEGMENT
        );
        assert!(top.most <= most[highest], "{}: {top:?}", M::SEGMENT);
        for limbs in &output[..highest] {
            assert!(limbs.least >= 0 && limbs.most < limb, "{}", M::SEGMENT);
        }
    }
    // Single numbers.
    let inputs: [Tight<Interval<B, NEAREST, FREE>, N>; IN] = core::array::from_fn(|k| {
        let mut limbs = [0; N];
        limbs.copy_from_slice(&single[k % single.len()][..N]);
        for (limb, most) in limbs.iter_mut().zip(most) {
            *limb = (*limb).min(most as u64);
        }
        Tight::new(limbs.map(Interval::splat))
    });
    let p = prime(form.name);
    let factor = montgomery_factor(form);
    for digit in [None, Some(0), Some(1)] {
        let mask = digit.map(Interval::<B, NEAREST, FREE>::splat);
        let outputs = compute::<F, M, N, D, _, _, _, _, _>(mask, inputs);
        let numbers = inputs.map(|input| integer(&input.limbs()));
        let right = formulas::outputs::<M, _, _>(&p, &factor, (1, digit.unwrap_or(0)), numbers);
        for (output, right) in outputs.iter().zip(right) {
            assert_eq!(integer(&output.limbs()) % &p, right, "{}", M::SEGMENT);
        }
    }
}

/// Proves the bounds of a sum of as many products as there are in columns at once. Their numbers are below 2 P.
fn check_sums<
    F: Prime<N, D>,
    const N: usize,
    const D: usize,
    const B: u32,
    const NEAREST: bool,
    const FREE: bool,
>(
    mut any: [Interval<B, NEAREST, FREE>; N],
) {
    if B != 51 {
        any[N - 1].most /= 2;
    }
    let mut sum = F::product(&any, &any);
    for _ in 1..F::AT_ONCE {
        F::add_product(&mut sum, &any, &any);
    }
    let carried = Lanes::<_, F, N, D>::tight(F::reduce(sum)).limbs();
    assert!(carried[N - 1].least >= 0 && carried[N - 1].most < 1 << 52);
}

/// Checks all formulas of a prime with some kinds of words.
macro_rules! check_all {
    ($form:expr, $prime:ty, $single:expr, $words:tt, [$($formula:ty),* $(,)?]) => {
        $(check_all!(@ $form, $prime, $single, $words, $formula);)*
    };
    (@ $form:expr, $prime:ty, $single:expr, [$($word:ty),*], $formula:ty) => {
        $(check(
            $form,
            $single,
            core::marker::PhantomData::<($prime, $formula, $word)>,
        );)*
    };
}

fn check_primes(single: &[[u64; LONGEST]]) {
    let p25519 = form("P25519", 255, false);
    with_formulas!(
        P25519,
        check_all!(&p25519, P25519, single, [Ifma, Avx512Short, Avx2Short])
    );
    let secp256k1 = form("Secp256k1", 256, false);
    with_formulas!(
        Secp256k1,
        check_all!(&secp256k1, Secp256k1, single, [Ifma, Avx512, Avx2])
    );
    let p256 = form("P256", 256, true);
    with_formulas!(P256, check_all!(&p256, P256, single, [Ifma, Avx512, Avx2]));
    let p384 = form("P384", 384, false);
    with_formulas!(
        P384,
        check_all!(&p384, P384, single, [Avx512With48, Avx2With48])
    );
    let p521 = form("P521", 521, false);
    with_formulas!(
        P521,
        check_all!(&p521, P521, single, [Avx512With48, Avx2With48])
    );
    let bls12_381 = bls12_381();
    with_formulas!(Bls12381, check_all!(&bls12_381, Bls12381, single, [Ifma]));
    let p448 = form("P448", 448, false);
    with_formulas!(
        P448,
        check_all!(&p448, P448, single, [Avx512With50, Avx2With50])
    );
    extensions::check_all(single);
}

#[test]
fn bounds_and_extreme_numbers() {
    const ALL: u64 = (1 << 52) - 1;
    let every_second = |first| core::array::from_fn(|k| if k % 2 == first { ALL } else { 0 });
    let one = core::array::from_fn(|k| u64::from(k == 0));
    check_primes(&[[ALL; LONGEST]]);
    check_primes(&[[0; LONGEST]]);
    check_primes(&[[ALL; LONGEST], [0; LONGEST]]);
    check_primes(&[every_second(0), every_second(1), one]);
}

proptest! {
    #[test]
    fn random_numbers(single in prop::collection::vec(prop::array::uniform11(0u64..1 << 52), 8)) {
        check_primes(&single);
    }
}
