//! Formulas on integers: what compiled formulas are tested against.

use num_bigint::BigInt;

use crate::program::formulas::{Arith, Formula};

/// The outputs of a formula that is applied `times` times, for these inputs and digits, the first one lowest, modulo p, where products
/// are divided by the Montgomery factor.
#[inline(never)]
pub(crate) fn outputs<M: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
    p: &BigInt,
    factor: &BigInt,
    (times, digits): (u8, u64),
    inputs: [BigInt; IN],
) -> [BigInt; OUT] {
    let mut integers = Integers {
        p: p.clone(),
        inverse: factor.modinv(p).expect("a power of two is invertible"),
        digits,
        values: Vec::new(),
    };
    let inputs = inputs.map(|input| integers.push(input));
    let outputs = M::compute_repeatedly(&mut integers, inputs, times);
    outputs.map(|output| integers.values[output].clone())
}

/// The place of an integer in a list: the numbers of formulas are copied.
type Index = usize;

/// Integers modulo p.
struct Integers {
    p: BigInt,
    /// The inverse of the Montgomery factor.
    inverse: BigInt,
    /// The formula's digits, the one of this time lowest.
    digits: u64,
    /// All integers so far.
    values: Vec<BigInt>,
}

impl Integers {
    fn push(&mut self, x: BigInt) -> Index {
        let p = &self.p;
        self.values.push(((x % p) + p) % p);
        self.values.len() - 1
    }

    fn times(&self, x: Index, y: Index) -> BigInt {
        &self.values[x] * &self.values[y] * &self.inverse
    }
}

impl Arith for Integers {
    type Tight = Index;
    type Loose = Index;

    fn next_digit(&mut self) {
        self.digits >>= 1;
    }

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
        self.push(&self.values[x] * factor)
    }

    fn loosen(&mut self, x: Index) -> Index {
        x
    }

    fn add(&mut self, x: Index, y: Index) -> Index {
        self.push(&self.values[x] + &self.values[y])
    }

    fn subtract(&mut self, x: Index, y: Index) -> Index {
        self.push(&self.values[x] - &self.values[y])
    }

    fn scale(&mut self, x: Index, factor: u32) -> Index {
        self.push(&self.values[x] * factor)
    }

    fn carry(&mut self, x: Index) -> Index {
        x
    }

    fn carry_signed(&mut self, x: Index) -> Index {
        x
    }

    fn swap_by_digit(&mut self, x: Index, y: Index) -> [Index; 2] {
        if self.digits & 1 == 1 { [y, x] } else { [x, y] }
    }

    fn negate_by_digit(&mut self, x: Index) -> Index {
        if self.digits & 1 == 1 {
            self.push(-&self.values[x])
        } else {
            x
        }
    }
}
