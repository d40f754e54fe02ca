//! Products of numbers of four words, by instructions with two carries, and their sums.
#![expect(
    unsafe_code,
    reason = "instructions that the compiler does not use for this: it has one carry, and makes branches of it"
)]
#![expect(clippy::inline_always, reason = "a product is a part of a formula")]

use core::arch::asm;

use crate::words::two_carries::TwoCarries;

/// A number below `2^256`, the lowest word first.
pub(super) type Words = [u64; 4];

/// A product of two numbers.
pub(super) type Wide = [u64; 8];

/// A row of a product: the words `$t0` to `$t3` get the word in rdx times y, and `$t4` is the word above.
macro_rules! row {
    ($t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal) => {
        concat!(
            // Neither flag is set from here on.
            "xor {low:e}, {low:e}\n",
            "mulx {high}, {low}, [{y}]\n",
            "adcx {",
            $t0,
            "}, {low}\n",
            "adox {",
            $t1,
            "}, {high}\n",
            "mulx {high}, {low}, [{y} + 8]\n",
            "adcx {",
            $t1,
            "}, {low}\n",
            "adox {",
            $t2,
            "}, {high}\n",
            "mulx {high}, {low}, [{y} + 16]\n",
            "adcx {",
            $t2,
            "}, {low}\n",
            "adox {",
            $t3,
            "}, {high}\n",
            "mulx {",
            $t4,
            "}, {low}, [{y} + 24]\n",
            "adcx {",
            $t3,
            "}, {low}\n",
            "mov {low:e}, 0\n",
            "adox {",
            $t4,
            "}, {low}\n",
            "adcx {",
            $t4,
            "}, {low}\n",
        )
    };
}

/// The square of the word `$x` of x, added to twice the words `$t0` and `$t1`.
macro_rules! doubled {
    ($x:literal, $t0:literal, $t1:literal) => {
        concat!(
            "mov rdx, [{x} + ",
            $x,
            "]\n",
            "mulx {high}, {low}, rdx\n",
            "adcx {",
            $t0,
            "}, {",
            $t0,
            "}\n",
            "adox {",
            $t0,
            "}, {low}\n",
            "adcx {",
            $t1,
            "}, {",
            $t1,
            "}\n",
            "adox {",
            $t1,
            "}, {high}\n",
        )
    };
}

/// `x y`.
#[inline(always)]
pub(super) fn product(_: TwoCarries, x: &Words, y: &Words) -> Wide {
    let (t0, t1, t2, t3, t4, t5, t6, t7);
    // SAFETY: it reads the words of x and y, and uses no stack. The instructions were detected: its value exists.
    unsafe {
        asm!(
            "mov rdx, [{x}]",
            "mulx {t1}, {t0}, [{y}]",
            "mulx {t2}, {low}, [{y} + 8]",
            "add {t1}, {low}",
            "mulx {t3}, {low}, [{y} + 16]",
            "adc {t2}, {low}",
            "mulx {t4}, {low}, [{y} + 24]",
            "adc {t3}, {low}",
            "adc {t4}, 0",
            "mov rdx, [{x} + 8]",
            row!("t1", "t2", "t3", "t4", "t5"),
            "mov rdx, [{x} + 16]",
            row!("t2", "t3", "t4", "t5", "t6"),
            "mov rdx, [{x} + 24]",
            // The address of x is not needed any more.
            row!("t3", "t4", "t5", "t6", "x"),
            x = inout(reg) x.as_ptr() => t7,
            y = in(reg) y.as_ptr(),
            t0 = out(reg) t0,
            t1 = out(reg) t1,
            t2 = out(reg) t2,
            t3 = out(reg) t3,
            t4 = out(reg) t4,
            t5 = out(reg) t5,
            t6 = out(reg) t6,
            low = out(reg) _,
            high = out(reg) _,
            out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3, t4, t5, t6, t7]
}

/// `x^2`: products of different words once, doubled, and the squares of the words.
#[inline(always)]
pub(super) fn square(_: TwoCarries, x: &Words) -> Wide {
    let (t0, t1, t2, t3, t4, t5, t6, t7);
    // SAFETY: it reads the words of x, and uses no stack. The instructions were detected: its value exists.
    unsafe {
        asm!(
            "mov rdx, [{x}]",
            "mulx {t2}, {t1}, [{x} + 8]",
            "mulx {t3}, {low}, [{x} + 16]",
            "add {t2}, {low}",
            "mulx {t4}, {low}, [{x} + 24]",
            "adc {t3}, {low}",
            "adc {t4}, 0",
            "mov rdx, [{x} + 8]",
            // Neither flag is set from here on.
            "xor {low:e}, {low:e}",
            "mulx {high}, {low}, [{x} + 16]",
            "adcx {t3}, {low}",
            "adox {t4}, {high}",
            "mulx {t5}, {low}, [{x} + 24]",
            "adcx {t4}, {low}",
            "mov {low:e}, 0",
            "adox {t5}, {low}",
            "adcx {t5}, {low}",
            "mov rdx, [{x} + 16]",
            "mulx {t6}, {low}, [{x} + 24]",
            "add {t5}, {low}",
            "adc {t6}, 0",
            // Nor from here on.
            "xor {t7:e}, {t7:e}",
            "mov rdx, [{x}]",
            "mulx {high}, {t0}, rdx",
            "adcx {t1}, {t1}",
            "adox {t1}, {high}",
            doubled!("8", "t2", "t3"),
            doubled!("16", "t4", "t5"),
            doubled!("24", "t6", "t7"),
            x = in(reg) x.as_ptr(),
            t0 = out(reg) t0,
            t1 = out(reg) t1,
            t2 = out(reg) t2,
            t3 = out(reg) t3,
            t4 = out(reg) t4,
            t5 = out(reg) t5,
            t6 = out(reg) t6,
            t7 = out(reg) t7,
            low = out(reg) _,
            high = out(reg) _,
            out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3, t4, t5, t6, t7]
}

/// `x F^-1` modulo P for the factor `F = 2^256`. Requires `x < F P` and `-P^-1` modulo `2^64`. Ensures a result below P.
///
/// Rows make the words of the lower half vanish one after the other: with q, its digits, `(lower + q P) / F` is at most
/// P, and the sum with the upper half below 2 P.
#[inline(always)]
pub(super) fn montgomery(_: TwoCarries, x: Wide, p: &Words, negative_inverse: u64) -> Words {
    let [mut t0, mut t1, mut t2, t3, mut x4, mut x5, mut x6, mut x7] = x;
    let t4: u64;
    // SAFETY: they read the words of P, and use no stack. The instructions were detected: its value exists.
    unsafe {
        // A row's lowest word is 0 afterwards: the word above the next row takes its place.
        asm!(
            "mov rdx, {t0}",
            "imul rdx, {inverse}",
            row!("t0", "t1", "t2", "t3", "t4"),
            "mov rdx, {t1}",
            "imul rdx, {inverse}",
            row!("t1", "t2", "t3", "t4", "t0"),
            "mov rdx, {t2}",
            "imul rdx, {inverse}",
            row!("t2", "t3", "t4", "t0", "t1"),
            "mov rdx, {t3}",
            "imul rdx, {inverse}",
            row!("t3", "t4", "t0", "t1", "t2"),
            y = in(reg) p.as_ptr(),
            inverse = in(reg) negative_inverse,
            t0 = inout(reg) t0,
            t1 = inout(reg) t1,
            t2 = inout(reg) t2,
            t3 = inout(reg) t3 => _,
            t4 = out(reg) t4,
            low = out(reg) _,
            high = out(reg) _,
            out("rdx") _,
            options(pure, readonly, nostack),
        );
        asm!(
            "add {r0}, {x4}",
            "adc {r1}, {x5}",
            "adc {r2}, {x6}",
            "adc {r3}, {x7}",
            "sbb {above}, {above}",
            "mov {x4}, {r0}",
            "mov {x5}, {r1}",
            "mov {x6}, {r2}",
            "mov {x7}, {r3}",
            "sub {x4}, [{p}]",
            "sbb {x5}, [{p} + 8]",
            "sbb {x6}, [{p} + 16]",
            "sbb {x7}, [{p} + 24]",
            "sbb {above}, 0",
            // A borrow: the sum is below P.
            "cmovc {x4}, {r0}",
            "cmovc {x5}, {r1}",
            "cmovc {x6}, {r2}",
            "cmovc {x7}, {r3}",
            p = in(reg) p.as_ptr(),
            r0 = inout(reg) t4 => _,
            r1 = inout(reg) t0 => _,
            r2 = inout(reg) t1 => _,
            r3 = inout(reg) t2 => _,
            x4 = inout(reg) x4,
            x5 = inout(reg) x5,
            x6 = inout(reg) x6,
            x7 = inout(reg) x7,
            above = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [x4, x5, x6, x7]
}

/// The lower half of x and `factor` times the upper one, and the word above, which is at most `factor`.
#[inline(always)]
pub(super) fn fold(_: TwoCarries, x: Wide, factor: u64) -> (Words, u64) {
    let [mut t0, mut t1, mut t2, mut t3, x4, x5, x6, x7] = x;
    let above;
    // SAFETY: it uses no memory. The instructions were detected: its value exists.
    unsafe {
        asm!(
            // Neither flag is set from here on.
            "xor {low:e}, {low:e}",
            "mulx {high}, {low}, {x4}",
            "adcx {t0}, {low}",
            "adox {t1}, {high}",
            "mulx {high}, {low}, {x5}",
            "adcx {t1}, {low}",
            "adox {t2}, {high}",
            "mulx {high}, {low}, {x6}",
            "adcx {t2}, {low}",
            "adox {t3}, {high}",
            "mulx {high}, {low}, {x7}",
            "adcx {t3}, {low}",
            "mov {low:e}, 0",
            "adox {high}, {low}",
            "adcx {high}, {low}",
            t0 = inout(reg) t0,
            t1 = inout(reg) t1,
            t2 = inout(reg) t2,
            t3 = inout(reg) t3,
            x4 = in(reg) x4,
            x5 = in(reg) x5,
            x6 = in(reg) x6,
            x7 = in(reg) x7,
            low = out(reg) _,
            high = out(reg) above,
            in("rdx") factor,
            options(pure, nomem, nostack),
        );
    }
    ([t0, t1, t2, t3], above)
}

/// x modulo `2^256 - rest`, plus `high 2^64 + low`. Requires `high < 2^62` and `rest < 2^34`: where the sum has a carry, the
/// words below it are less than `2^126`, so that rest for it ends in the second word.
#[inline(always)]
pub(super) fn plus_two_words(
    [mut x0, mut x1, mut x2, mut x3]: Words,
    [low, high]: [u64; 2],
    rest: u64,
) -> Words {
    debug_assert!(high >> 62 == 0 && rest >> 34 == 0);
    // SAFETY: it uses no memory.
    unsafe {
        asm!(
            "add {x0}, {low}",
            "adc {x1}, {high}",
            "adc {x2}, 0",
            "adc {x3}, 0",
            // All ones for a carry: here and below no branch can come of it.
            "sbb {mask}, {mask}",
            "and {mask}, {rest}",
            "add {x0}, {mask}",
            "adc {x1}, 0",
            x0 = inout(reg) x0,
            x1 = inout(reg) x1,
            x2 = inout(reg) x2,
            x3 = inout(reg) x3,
            low = in(reg) low,
            high = in(reg) high,
            rest = in(reg) rest,
            mask = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    [x0, x1, x2, x3]
}

/// Sums and differences modulo `2^256 - rest`, by instructions for the words and for a carry. Requires `rest < 2^63`: after
/// a second carry less than rest is left, after a second borrow more than `2^256 - rest`, so that the third change is of the
/// lowest word.
macro_rules! sum_or_difference {
    ($name:ident, $first:literal, $next:literal, $what:literal) => {
        #[doc = $what]
        #[inline(always)]
        pub(super) fn $name([mut x0, mut x1, mut x2, mut x3]: Words, y: Words, rest: u64) -> Words {
            debug_assert!(rest >> 63 == 0);
            // SAFETY: it uses no memory.
            unsafe {
                asm!(
                    concat!($first, " {x0}, {y0}"),
                    concat!($next, " {x1}, {y1}"),
                    concat!($next, " {x2}, {y2}"),
                    concat!($next, " {x3}, {y3}"),
                    "sbb {mask}, {mask}",
                    "and {mask}, {rest}",
                    concat!($first, " {x0}, {mask}"),
                    concat!($next, " {x1}, 0"),
                    concat!($next, " {x2}, 0"),
                    concat!($next, " {x3}, 0"),
                    "sbb {mask}, {mask}",
                    "and {mask}, {rest}",
                    concat!($first, " {x0}, {mask}"),
                    x0 = inout(reg) x0,
                    x1 = inout(reg) x1,
                    x2 = inout(reg) x2,
                    x3 = inout(reg) x3,
                    y0 = in(reg) y[0],
                    y1 = in(reg) y[1],
                    y2 = in(reg) y[2],
                    y3 = in(reg) y[3],
                    rest = in(reg) rest,
                    mask = out(reg) _,
                    options(pure, nomem, nostack),
                );
            }
            [x0, x1, x2, x3]
        }
    };
}

sum_or_difference!(sum, "add", "adc", "`x + y` modulo `2^256 - rest`.");
sum_or_difference!(difference, "sub", "sbb", "`x - y` modulo `2^256 - rest`.");
