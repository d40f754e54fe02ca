//! Montgomery's ladder as part of programs. R counts reductions.

use sunzi_engine::program::formulas::ladder::{Step, begin_step, end_step};
use sunzi_engine::program::{Builder, Recoding, Scalar, Stream, Value};

/// `(A - 2)/4` of a curve `B v^2 = u^3 + A u^2 + u`.
#[derive(Clone, Copy)]
pub(super) struct A24 {
    /// The integer.
    pub(super) integer: u32,
    /// The number in Montgomery form, where multiples would be too large.
    pub(super) value: Option<Value>,
}

/// The most steps that are one formula of a program: bits of a word.
const STEPS_TOGETHER: u32 = 63;

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
    let mut left = bits;
    while left > 0 {
        let steps = left.min(STEPS_TOGETHER);
        pair = pair.swapped_steps(builder, (swaps, left), steps, (a24, u));
        left -= steps;
    }
    pair.swap_if(builder, swaps, 0)
}

impl Pair {
    fn swap_if(self, builder: &mut Builder, swaps: Stream, position: u32) -> Self {
        let [x2, x3] = builder.swap_if(self.x2, self.x3, swaps, position);
        let [z2, z3] = builder.swap_if(self.z2, self.z3, swaps, position);
        Self { x2, z2, x3, z3 }
    }

    /// Steps for the bits at a position and below. Each swaps the points if the bit is 1, doubles the first one, and adds it to
    /// the second one. 9 or 10 R for a step.
    fn swapped_steps(
        self,
        builder: &mut Builder,
        (swaps, position): (Stream, u32),
        steps: u32,
        (a24, u): (A24, Value),
    ) -> Self {
        /// The numbers of curves that devices have code for.
        const CURVE25519: u32 = 121_665;
        const CURVE448: u32 = 39_081;
        let Self { x2, z2, x3, z3 } = self;
        let inputs = [x2, z2, x3, z3, u];
        let digit = Some((swaps, position));
        let [x2, z2, x3, z3] = match a24.integer {
            CURVE25519 => builder.apply_repeatedly(Step::<CURVE25519>, inputs, digit, steps),
            CURVE448 => builder.apply_repeatedly(Step::<CURVE448>, inputs, digit, steps),
            _ => {
                let positions = (0..steps).map(|step| position - step);
                return positions.fold(self, |pair, position| {
                    let Self { x2, z2, x3, z3 } = pair.swap_if(builder, swaps, position);
                    let squares = begin_step(builder, [x2, z2, x3, z3]);
                    let multiple = a24.times(builder, squares.e);
                    let [x2, z2, x3, z3] = end_step(builder, &squares, multiple, u);
                    Self { x2, z2, x3, z3 }
                });
            }
        };
        Self { x2, z2, x3, z3 }
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
    /// The number, as the plan takes it.
    pub(super) fn new(builder: &mut Builder, integer: u32) -> Self {
        let value = builder.prepare_small(integer);
        Self { integer, value }
    }

    fn times(self, builder: &mut Builder, x: Value) -> Value {
        match self.value {
            Some(a24) => builder.fitting_product(x, a24),
            None => builder.scale_by_steps(x, self.integer),
        }
    }
}
