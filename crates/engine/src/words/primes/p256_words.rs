//! Arithmetic in four words modulo the prime of P-256, `P = 2^256 - 2^224 + 2^192 + 2^96 - 1`: numbers are below P, and the Montgomery
//! factor is `2^256`.
#![expect(
    unsafe_code,
    reason = "additions with carries, of which the compiler makes branches"
)]

use core::arch::asm;

use crate::words::{
    primes::{four_words::InFourWords, p256::P256},
    two_carries::TwoCarries,
    wide::{self, Wide, Words},
};

/// The words of P that are not 0, and neither all ones as the lowest is.
const P1: u64 = 0xffff_ffff;
const P3: u64 = 0xffff_ffff_0000_0001;

/// A row of a reduction: as -P is 1 modulo `2^64`, the lowest word q vanishes with `q P`, and `q (P + 1) = 2^64 (2^32 q) + 2^192 q
/// (2^64 - 2^32 + 1)`. The word above the others takes the place of q.
macro_rules! row {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal) => {
        concat!(
            "mov rdx, {",
            $t0,
            "}\n",
            "mov {low}, rdx\n",
            "shl {low}, 32\n",
            "mov {high}, rdx\n",
            "shr {high}, 32\n",
            "add {",
            $t1,
            "}, {low}\n",
            "mulx {",
            $t0,
            "}, {low}, {p3}\n",
            "adc {",
            $t2,
            "}, {high}\n",
            "adc {",
            $t3,
            "}, {low}\n",
            "adc {",
            $t0,
            "}, 0\n",
        )
    };
}

/// The words of x and `2^256` where `above` is all ones, else 0, less P if they are not below it. Requires them below 2 P.
#[inline(always)]
fn below_p([x0, x1, x2, x3]: Words, above: u64) -> Words {
    let (mut r0, mut r1, mut r2, mut r3) = (x0, x1, x2, x3);
    // SAFETY: it uses no memory.
    unsafe {
        asm!(
            "sub {r0}, -1",
            "sbb {r1}, {p1}",
            "sbb {r2}, 0",
            "sbb {r3}, {p3}",
            "sbb {above}, 0",
            // A borrow: they are.
            "cmovc {r0}, {x0}",
            "cmovc {r1}, {x1}",
            "cmovc {r2}, {x2}",
            "cmovc {r3}, {x3}",
            r0 = inout(reg) r0,
            r1 = inout(reg) r1,
            r2 = inout(reg) r2,
            r3 = inout(reg) r3,
            x0 = in(reg) x0,
            x1 = in(reg) x1,
            x2 = in(reg) x2,
            x3 = in(reg) x3,
            p1 = in(reg) P1,
            p3 = in(reg) P3,
            above = inout(reg) above => _,
            options(pure, nomem, nostack),
        );
    }
    [r0, r1, r2, r3]
}

/// `x + above 2^256` for `above` below `2^32`. `2^256 - P` is `2^224 - 2^192 - 2^96 + 1`, so that the sum with so many of it is below 2 P.
#[inline(always)]
fn folded([mut x0, mut x1, mut x2, mut x3]: Words, above: u64) -> Words {
    debug_assert!(above >> 32 == 0);
    let shifted = above << 32;
    let carry;
    // SAFETY: it uses no memory.
    unsafe {
        asm!(
            "add {x0}, {above}",
            "adc {x1}, 0",
            "adc {x2}, 0",
            "adc {x3}, {top}",
            "sbb {carry}, {carry}",
            "sub {x1}, {shifted}",
            "sbb {x2}, 0",
            "sbb {x3}, 0",
            "adc {carry}, 0",
            x0 = inout(reg) x0,
            x1 = inout(reg) x1,
            x2 = inout(reg) x2,
            x3 = inout(reg) x3,
            above = in(reg) above,
            top = in(reg) shifted - above,
            shifted = in(reg) shifted,
            carry = out(reg) carry,
            options(pure, nomem, nostack),
        );
    }
    below_p([x0, x1, x2, x3], carry)
}

/// The lowest four words of `x + y`, and all ones if there is a carry, else 0.
#[inline(always)]
fn plus([mut x0, mut x1, mut x2, mut x3]: Words, y: Words) -> (Words, u64) {
    let above;
    // SAFETY: it uses no memory.
    unsafe {
        asm!(
            "add {x0}, {y0}",
            "adc {x1}, {y1}",
            "adc {x2}, {y2}",
            "adc {x3}, {y3}",
            "sbb {above}, {above}",
            x0 = inout(reg) x0,
            x1 = inout(reg) x1,
            x2 = inout(reg) x2,
            x3 = inout(reg) x3,
            y0 = in(reg) y[0],
            y1 = in(reg) y[1],
            y2 = in(reg) y[2],
            y3 = in(reg) y[3],
            above = out(reg) above,
            options(pure, nomem, nostack),
        );
    }
    ([x0, x1, x2, x3], above)
}

/// `x + y`, less `2^256 P` if it is not below that. Requires both below it.
#[inline(always)]
fn wide_sum(x: Wide, y: &Wide) -> Wide {
    let [
        mut x0,
        mut x1,
        mut x2,
        mut x3,
        mut x4,
        mut x5,
        mut x6,
        mut x7,
    ] = x;
    let above;
    // SAFETY: it reads the words of y, and uses no stack.
    unsafe {
        asm!(
            "add {x0}, [{y}]",
            "adc {x1}, [{y} + 8]",
            "adc {x2}, [{y} + 16]",
            "adc {x3}, [{y} + 24]",
            "adc {x4}, [{y} + 32]",
            "adc {x5}, [{y} + 40]",
            "adc {x6}, [{y} + 48]",
            "adc {x7}, [{y} + 56]",
            "sbb {above}, {above}",
            x0 = inout(reg) x0,
            x1 = inout(reg) x1,
            x2 = inout(reg) x2,
            x3 = inout(reg) x3,
            x4 = inout(reg) x4,
            x5 = inout(reg) x5,
            x6 = inout(reg) x6,
            x7 = inout(reg) x7,
            y = in(reg) y.as_ptr(),
            above = out(reg) above,
            options(pure, readonly, nostack),
        );
    }
    let [x4, x5, x6, x7] = below_p([x4, x5, x6, x7], above);
    [x0, x1, x2, x3, x4, x5, x6, x7]
}

impl InFourWords for P256 {
    const FACTOR_BITS: u32 = 256;
    const FACTOR_SQUARED: Words = [
        0x0000_0000_0000_0003,
        0xffff_fffb_ffff_ffff,
        0xffff_ffff_ffff_fffe,
        0x0000_0004_ffff_fffd,
    ];

    /// Less than 2 P are all integers below `2^256`.
    fn entered(integer: Words) -> Words {
        below_p(integer, 0)
    }

    /// Requires a product below `2^256 P`. The lower half and multiples of P vanish but for a number of at most P: the sum with the
    /// upper half is below 2 P.
    #[inline(always)]
    fn reduction(_: TwoCarries, product: Wide) -> Words {
        let [mut t0, mut t1, mut t2, mut t3, upper @ ..] = product;
        // SAFETY: it uses no memory. The instructions were detected: a value of `TwoCarries` exists.
        unsafe {
            asm!(
                row!("t0", "t1", "t2", "t3"),
                row!("t1", "t2", "t3", "t0"),
                row!("t2", "t3", "t0", "t1"),
                row!("t3", "t0", "t1", "t2"),
                t0 = inout(reg) t0,
                t1 = inout(reg) t1,
                t2 = inout(reg) t2,
                t3 = inout(reg) t3,
                low = out(reg) _,
                high = out(reg) _,
                p3 = in(reg) P3,
                out("rdx") _,
                options(pure, nomem, nostack),
            );
        }
        let (sum, above) = plus(upper, [t0, t1, t2, t3]);
        below_p(sum, above)
    }

    #[inline(always)]
    fn products<'a>(
        instructions: TwoCarries,
        terms: impl Iterator<Item = (bool, &'a Words, &'a Words)>,
    ) -> Words {
        let mut sum = [0; 8];
        for (place, (negative, x, y)) in terms.enumerate() {
            let x = if negative {
                Self::difference(&[0; 4], x)
            } else {
                *x
            };
            let product = wide::product(instructions, &x, y);
            sum = if place == 0 {
                product
            } else {
                wide_sum(sum, &product)
            };
        }
        Self::reduction(instructions, sum)
    }

    #[inline(always)]
    fn sum(x: &Words, y: &Words) -> Words {
        let (sum, above) = plus(*x, *y);
        below_p(sum, above)
    }

    #[inline(always)]
    fn difference(&[mut x0, mut x1, mut x2, mut x3]: &Words, y: &Words) -> Words {
        // SAFETY: it uses no memory.
        unsafe {
            asm!(
                "sub {x0}, {y0}",
                "sbb {x1}, {y1}",
                "sbb {x2}, {y2}",
                "sbb {x3}, {y3}",
                // The words of P for a borrow, else 0.
                "sbb {low}, {low}",
                "mov {p1}, {low}",
                "shr {p1}, 32",
                "and {p3}, {low}",
                "add {x0}, {low}",
                "adc {x1}, {p1}",
                "adc {x2}, 0",
                "adc {x3}, {p3}",
                x0 = inout(reg) x0,
                x1 = inout(reg) x1,
                x2 = inout(reg) x2,
                x3 = inout(reg) x3,
                y0 = in(reg) y[0],
                y1 = in(reg) y[1],
                y2 = in(reg) y[2],
                y3 = in(reg) y[3],
                low = out(reg) _,
                p1 = out(reg) _,
                p3 = inout(reg) P3 => _,
                options(pure, nomem, nostack),
            );
        }
        [x0, x1, x2, x3]
    }

    #[inline(always)]
    fn multiple(x: &Words, factor: u32) -> Words {
        match factor {
            1 => *x,
            2 => Self::sum(x, x),
            _ => {
                let (mut multiple, mut above) = ([0; 4], 0);
                for k in 0..4 {
                    (multiple[k], above) = x[k].carrying_mul_add(factor.into(), 0, above);
                }
                folded(multiple, above)
            }
        }
    }

    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_kept(x: &Words) -> bool {
        x.iter().rev().lt([P3, 0, P1, u64::MAX].iter())
    }
}
