//! Montgomery's ladder as part of programs. R counts reductions.

use sunzi_engine::program::{Builder, Recoding, Scalar, Stream, Value};

/// `(A - 2)/4` of a curve `B v^2 = u^3 + A u^2 + u`.
#[derive(Clone, Copy)]
pub(super) enum A24 {
    /// A number so small that a product with it is not reduced.
    Small(u32),
    /// Any number, in Montgomery form.
    Any(Value),
}

/// `k P` and `(k + 1) P` for a point P, as `u = X/Z`.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) x2: Value,
    pub(super) z2: Value,
    pub(super) x3: Value,
    pub(super) z3: Value,
}

/// `k P` and `(k + 1) P` for the u of P (Montgomery, 1987; RFC 7748, section 5). The scalar is `2 k xor
/// k` for k of `bits` bits, and has a bit more: bit i says whether the bits i and i - 1 of k differ, and
/// with that whether both points are swapped between two steps. 9 R for each bit, or 10 R where a plan has
/// no room for products with `(A - 2)/4`.
///
/// ```text
/// E = (X2 + Z2)^2 - (X2 - Z2)^2    D = (X3 - Z3)(X2 + Z2)    C = (X3 + Z3)(X2 - Z2)
/// X2 := (X2 + Z2)^2 (X2 - Z2)^2    Z2 := E ((X2 + Z2)^2 + E (A - 2)/4)
/// X3 := (D + C)^2                  Z3 := u (D - C)^2
/// ```
pub(super) fn ladder(builder: &mut Builder, a24: A24, u: Value, k: Scalar, bits: u32) -> Pair {
    let swaps = builder.digits(k, Recoding::BITS);
    let one = builder.montgomery_one();
    let zero = builder.subtract(one, one);
    // Any X but 0 gives infinity. With 1, a fault in the first swap would give the point with u = 1, whose double is
    // (0, 0): from then on the points differ by P again, and the result is that of another k.
    let two = builder.add(one, one);
    let mut pair = Pair {
        x2: two,
        z2: zero,
        x3: u,
        z3: one,
    };
    for bit in (0..bits).rev() {
        pair = pair.swap_if(builder, swaps, bit + 1);
        pair = pair.step(builder, a24, u);
    }
    pair.swap_if(builder, swaps, 0)
}

impl Pair {
    fn swap_if(self, builder: &mut Builder, swaps: Stream, position: u32) -> Self {
        let [x2, x3] = builder.swap_if(self.x2, self.x3, swaps, position);
        let [z2, z3] = builder.swap_if(self.z2, self.z3, swaps, position);
        Self { x2, z2, x3, z3 }
    }

    /// Doubles the first point, and adds it to the second one. 9 or 10 R.
    fn step(self, builder: &mut Builder, a24: A24, u: Value) -> Self {
        let Self { x2, z2, x3, z3 } = self;
        let (plus, minus) = (builder.add(x2, z2), builder.subtract(x2, z2));
        let (other_plus, other_minus) = (builder.add(x3, z3), builder.subtract(x3, z3));
        let d = builder.fitting_product(other_minus, plus);
        let c = builder.fitting_product(other_plus, minus);
        let (sum, difference) = (builder.add(d, c), builder.subtract(d, c));
        let square = builder.fitting_product(difference, difference);
        let plus_squared = builder.fitting_product(plus, plus);
        let minus_squared = builder.fitting_product(minus, minus);
        let e = builder.subtract(plus_squared, minus_squared);
        let e_a24 = a24.times(builder, e);
        let factor = builder.add(plus_squared, e_a24);
        Self {
            x2: builder.fitting_product(plus_squared, minus_squared),
            z2: builder.fitting_product(e, factor),
            x3: builder.fitting_product(sum, sum),
            z3: builder.fitting_product(u, square),
        }
    }

    /// 0 if the points are `Q` and `Q + P` or `Q - P` for the u of P: that is an equation of their three
    /// u alone, the third summation polynomial (Semaev, 2004). A fault anywhere in the ladder breaks it,
    /// except in the bits of k, if u and `(A - 2)/4` are other values than those of the ladder. 8 R.
    ///
    /// With Q = (X2 : Z2), u of `Q + P` and `Q - P` are the roots t of
    /// `(u Z2 - X2)^2 t^2 - 2 ((u Z2 + X2)(u X2 + Z2) + 2 A u X2 Z2) t + (u X2 - Z2)^2 = 0`.
    pub(super) fn relation(self, builder: &mut Builder, a24: A24, u: Value) -> Value {
        let Self { x2, z2, x3, z3 } = self;
        let uz = builder.fitting_product(u, z2);
        let ux = builder.fitting_product(u, x2);
        let (minus, plus) = (builder.subtract(uz, x2), builder.add(uz, x2));
        let (other_minus, other_plus) = (builder.subtract(ux, z2), builder.add(ux, z2));
        let minus = builder.fitting_product(minus, x3);
        let other_minus = builder.fitting_product(other_minus, z3);
        // 2 A = 8 (A - 2)/4 + 4.
        let a24_ux = a24.times(builder, ux);
        let [a_ux, ux4] = [(a24_ux, 8), (ux, 4)].map(|(x, factor)| builder.scale(x, factor));
        let a_ux = builder.add(a_ux, ux4);
        let middle = builder.fitting_sum(&[(false, plus, other_plus), (false, a_ux, z2)]);
        let middle = builder.scale(middle, 2);
        let xz = builder.fitting_product(x3, z3);
        builder.fitting_sum(&[
            (false, minus, minus),
            (true, middle, xz),
            (false, other_minus, other_minus),
        ])
    }
}

impl A24 {
    /// The integer, as small as the plan takes it.
    pub(super) fn new(builder: &mut Builder, integer: u32) -> Self {
        let limits = builder.limits();
        // Factors of products are differences of two products, here times 8 (A - 2)/4 at most.
        let weight = 2 * limits.product.weight();
        let largest = weight.saturating_mul(weight).saturating_mul(16);
        if largest.saturating_mul(integer.into()) <= limits.operands {
            return Self::Small(integer);
        }
        let constant = builder.common(&integer.into());
        let square = builder.montgomery_square();
        Self::Any(builder.multiply(constant, square))
    }

    fn times(self, builder: &mut Builder, x: Value) -> Value {
        const MOST: u32 = Builder::MAX_FACTOR;
        match self {
            Self::Any(a24) => builder.fitting_product(x, a24),
            Self::Small(small) if small <= MOST => builder.scale(x, small),
            Self::Small(small) => {
                let high = builder.scale(x, small / MOST);
                let high = builder.scale(high, MOST);
                match small % MOST {
                    0 => high,
                    rest => {
                        let low = builder.scale(x, rest);
                        builder.add(high, low)
                    }
                }
            }
        }
    }
}
