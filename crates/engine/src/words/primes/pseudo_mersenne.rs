//! Arithmetic in four words modulo primes a multiple of which is a little less than `2^256`: numbers are any below `2^256`, which
//! counts as REST.

use crate::words::{
    primes::{
        four_words::InFourWords,
        prime::{Prime, PseudoMersenne},
    },
    two_carries::TwoCarries,
    wide::{self, Wide, Words},
};

/// `x + above 2^256` for `above` below `2^56`.
#[inline(always)]
fn folded<F: PseudoMersenne>(x: Words, above: u64) -> Words {
    let product = u128::from(above) * u128::from(F::REST);
    wide::plus_two_words(x, [product as u64, (product >> 64) as u64], F::REST)
}

/// A sum of products modulo P, out of which there were `above` carries, less than `2^16`.
#[inline(always)]
fn reduced<F: PseudoMersenne>(instructions: TwoCarries, sum: Wide, above: u64) -> Words {
    debug_assert!(above >> 16 == 0);
    let (sum, carry) = wide::fold(instructions, sum, F::REST);
    folded::<F>(sum, carry + above * F::REST)
}

impl<F: PseudoMersenne> InFourWords for F {
    const FACTOR_BITS: u32 = {
        // The bounds here rest on this. Numbers are then also below 3 P.
        assert!(F::REST < 1 << 34 && <F as Prime>::FACTOR_BITS == 0);
        0
    };
    const FACTOR_SQUARED: Words = [1, 0, 0, 0];

    fn entered(integer: Words) -> Words {
        integer
    }

    #[inline(always)]
    fn reduction(instructions: TwoCarries, product: Wide) -> Words {
        reduced::<F>(instructions, product, 0)
    }

    #[inline(always)]
    fn products<'a>(
        instructions: TwoCarries,
        terms: impl Iterator<Item = (bool, &'a Words, &'a Words)>,
    ) -> Words {
        let (mut sum, mut above) = ([0; 8], 0);
        for (place, (negative, x, y)) in terms.enumerate() {
            let x = if negative {
                Self::difference(&[0; 4], x)
            } else {
                *x
            };
            let product = wide::product(instructions, &x, y);
            if place == 0 {
                sum = product;
                continue;
            }
            let mut carry = false;
            for k in 0..8 {
                (sum[k], carry) = sum[k].carrying_add(product[k], carry);
            }
            above += u64::from(carry);
        }
        reduced::<F>(instructions, sum, above)
    }

    #[inline(always)]
    fn sum(x: &Words, y: &Words) -> Words {
        wide::sum(*x, *y, F::REST)
    }

    #[inline(always)]
    fn difference(x: &Words, y: &Words) -> Words {
        wide::difference(*x, *y, F::REST)
    }

    #[inline(always)]
    fn multiple(x: &Words, factor: u32) -> Words {
        let (mut multiple, mut above) = ([0; 4], 0);
        for k in 0..4 {
            (multiple[k], above) = x[k].carrying_mul_add(factor.into(), 0, above);
        }
        folded::<F>(multiple, above)
    }

    /// Every number of four words is.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_kept(_: &Words) -> bool {
        true
    }
}
