//! Products and squares of numbers of five limbs with AVX2, in machine code. From intrinsics the compiler keeps more numbers at a
//! time than there are registers, and spends a fifth of the instructions on memory.
//!
//! Per pair of limbs x and y: `t = x y + HIGH`, whose bits are those of HIGH plus the high half, and the rest `HIGH - t + x y`,
//! whose bits are, plus MIDDLE, those of MIDDLE plus the low half ([`Four`](super::Four)). Both are added to columns, which begin
//! with what comes with halves, subtracted.
//!
//! Registers: `ymm12` is HIGH, `ymm13` is `HIGH + MIDDLE` or MIDDLE, `ymm14` and `ymm15` are the halves of a pair. Addresses are
//! in others, which nothing changes: x in `rdi`, y in `rsi`, [`Constants`] in `rdx`, the columns before products in `rcx`, and in
//! `r8` four columns of memory for the lowest ones.
//!
//! Each kernel is there once, and leaves its columns in registers: formulas of twice the code, with each product in line, are
//! near the limit of the cache of decoded instructions, beyond which they take a fifth longer (docs/engine/segments.md).

use core::{
    arch::{asm, naked_asm, x86_64::__m256i},
    mem::MaybeUninit,
};

use super::{LOW, MIDDLE, high_bits};
use crate::limbs::segments::{columns::halves, prime::P25519, word::Lift};

/// Number of limbs.
const N: usize = 5;
/// Number of columns.
const D: usize = 2 * N;

/// A vector of equal lanes in memory.
type Lanes = [u64; 4];

/// The constants that the kernels read, besides limbs, by the offsets of these fields.
#[repr(C, align(32))]
pub(super) struct Constants {
    /// The bits of [`LOW`], which make a float of a limb.
    low: Lanes,
    /// HIGH.
    high: Lanes,
    /// `HIGH + MIDDLE`, if that is exact, which it is for limbs of fewer than 52 bits; else MIDDLE.
    middle: Lanes,
    /// The columns before products are added: those of a multiple of P, less what comes with halves.
    before: [Lanes; D],
}

impl Constants {
    /// The constants of products modulo F, of limbs of `bits` bits.
    pub(super) const fn of<F: Lift<M>, const M: usize>(bits: u32) -> Self {
        match &F::PRODUCT_LIFT {
            Some(lift) => Self::new(bits, lift),
            None => Self::new(bits, &[0; D]),
        }
    }

    /// The constants for limbs of `bits` bits, and columns that are `lift` before products are added.
    pub(super) const fn new(bits: u32, lift: &[u64]) -> Self {
        let mut before = [[0; 4]; D];
        let mut k = 0;
        while k < D {
            let (lows, highs) = halves(k, N);
            let with_halves = MIDDLE
                .to_bits()
                .wrapping_mul(lows as u64)
                .wrapping_add(high_bits(bits).wrapping_mul(highs as u64));
            before[k] = [lift[k].wrapping_sub(with_halves); 4];
            k += 1;
        }
        let high = f64::from_bits(high_bits(bits));
        let middle = if bits < 52 { high + MIDDLE } else { MIDDLE };
        Self {
            low: [LOW.to_bits(); 4],
            high: [high_bits(bits); 4],
            middle: [middle.to_bits(); 4],
            before,
        }
    }
}

/// The constants of `2^255 - 19`.
static P25519_CONSTANTS: Constants = Constants::of::<P25519, D>(51);

/// Limb k of a number in memory as a factor, in a register; `ymm14` is [`LOW`].
macro_rules! factor {
    ($number:literal $k:literal $register:literal) => {
        concat!(
            "vorpd ymm",
            $register,
            ", ymm14, [",
            $number,
            " + 32 * ",
            $k,
            "]\n",
            "vsubpd ymm",
            $register,
            ", ymm",
            $register,
            ", ymm14\n",
        )
    };
}

/// The halves of the product of two factors, of limbs of 51 bits: the low one in `ymm15`, the high one in `ymm14`.
macro_rules! halves_51 {
    ($x:literal $y:literal) => {
        concat!(
            "vmovapd ymm14, ymm",
            $x,
            "\n",
            "vfmadd213pd ymm14, ymm",
            $y,
            ", ymm12\n",
            "vsubpd ymm15, ymm13, ymm14\n",
            "vfmadd231pd ymm15, ymm",
            $x,
            ", ymm",
            $y,
            "\n",
        )
    };
}

/// The halves of the product of two factors, of limbs of 52 bits, in the same registers.
macro_rules! halves_52 {
    ($x:literal $y:literal) => {
        concat!(
            "vmovapd ymm14, ymm",
            $x,
            "\n",
            "vfmadd213pd ymm14, ymm",
            $y,
            ", ymm12\n",
            "vsubpd ymm15, ymm12, ymm14\n",
            "vfmadd231pd ymm15, ymm",
            $x,
            ", ymm",
            $y,
            "\n",
            "vaddpd ymm15, ymm15, ymm13\n",
        )
    };
}

/// `to += from`.
macro_rules! add {
    ($to:literal $from:literal) => {
        concat!("vpaddq ymm", $to, ", ymm", $to, ", ymm", $from, "\n")
    };
}

/// `to :=` column k before products `+ from`.
macro_rules! begin {
    ($to:literal $from:literal $k:literal) => {
        concat!(
            "vpaddq ymm",
            $to,
            ", ymm",
            $from,
            ", [rcx + 32 * ",
            $k,
            "]\n"
        )
    };
}

/// Stores column k, one of the four lowest.
macro_rules! put {
    ($k:literal $from:literal) => {
        concat!("vmovdqa [r8 + 32 * ", $k, "], ymm", $from, "\n")
    };
}

/// `to := from`.
macro_rules! copy {
    ($to:literal $from:literal) => {
        concat!("vmovdqa ymm", $to, ", ymm", $from, "\n")
    };
}

/// HIGH, and what comes with low halves; [`LOW`] in `ymm14`.
macro_rules! constants {
    () => {
        concat!(
            "vmovapd ymm14, [rdx]\n",
            "vmovapd ymm12, [rdx + 32]\n",
            "vmovapd ymm13, [rdx + 64]\n",
        )
    };
}

/// Row i of a product, after the first one: limb i of x times all of y, in the columns from i on, whose registers are given. The
/// last of them begins.
macro_rules! row {
    ($halves:ident $i:literal [$c0:literal $c1:literal $c2:literal $c3:literal $c4:literal $c5:literal] $last:literal) => {
        concat!(
            "vmovapd ymm14, [rdx]\n",
            factor!("rdi" $i 11),
            $halves!(11 6), add!($c0 15), add!($c1 14),
            $halves!(11 7), add!($c1 15), add!($c2 14),
            $halves!(11 8), add!($c2 15), add!($c3 14),
            $halves!(11 9), add!($c3 15), add!($c4 14),
            $halves!(11 10), add!($c4 15), begin!($c5 14 $last),
        )
    };
}

/// The columns of `x y`, by rows: the lowest four in memory, the others from column 4 on in registers 4, 5, 0, 1, 2, 3. A
/// column's register is free once its row has ended. y is in registers 6 to 10.
macro_rules! product {
    ($halves:ident) => {
        concat!(
            constants!(),
            factor!("rdi" 0 11),
            factor!("rsi" 0 6), factor!("rsi" 1 7), factor!("rsi" 2 8), factor!("rsi" 3 9), factor!("rsi" 4 10),
            $halves!(11 6), begin!(0 15 0), begin!(1 14 1),
            $halves!(11 7), add!(1 15), begin!(2 14 2),
            $halves!(11 8), add!(2 15), begin!(3 14 3),
            $halves!(11 9), add!(3 15), begin!(4 14 4),
            $halves!(11 10), add!(4 15), begin!(5 14 5),
            put!(0 0),
            row!($halves 1 [1 2 3 4 5 0] 6), put!(1 1),
            row!($halves 2 [2 3 4 5 0 1] 7), put!(2 2),
            row!($halves 3 [3 4 5 0 1 2] 8), put!(3 3),
            row!($halves 4 [4 5 0 1 2 3] 9),
        )
    };
}

/// The columns of `x^2`, by columns: the lowest four in memory, the others from column 4 on in registers 3, 4, 5, 0, 1, 2. Of a
/// column the halves of products of different limbs are doubled, before that of a square is added. x is in registers 6 to
/// 10.
macro_rules! square {
    ($halves:ident) => {
        concat!(
            constants!(),
            factor!("rdi" 0 6), factor!("rdi" 1 7), factor!("rdi" 2 8), factor!("rdi" 3 9), factor!("rdi" 4 10),
            $halves!(6 6), begin!(11 15 0), put!(0 11), begin!(2 14 1),
            $halves!(6 7), add!(15 15), add!(2 15), put!(1 2), copy!(1 14),
            $halves!(6 8), add!(1 15), copy!(2 14),
            add!(1 1),
            $halves!(7 7), add!(1 15), begin!(1 1 2), put!(2 1), copy!(11 14),
            $halves!(6 9), add!(2 15), copy!(3 14),
            $halves!(7 8), add!(2 15), add!(3 14),
            add!(2 2), add!(2 11), begin!(2 2 3), put!(3 2),
            $halves!(6 10), add!(3 15), copy!(4 14),
            $halves!(7 9), add!(3 15), add!(4 14),
            add!(3 3),
            $halves!(8 8), add!(3 15), begin!(3 3 4), copy!(11 14),
            $halves!(7 10), add!(4 15), copy!(5 14),
            $halves!(8 9), add!(4 15), add!(5 14),
            add!(4 4), add!(4 11), begin!(4 4 5),
            $halves!(8 10), add!(5 15), copy!(0 14),
            add!(5 5),
            $halves!(9 9), add!(5 15), begin!(5 5 6), copy!(11 14),
            $halves!(9 10), add!(0 15), copy!(1 14),
            add!(0 0), add!(0 11), begin!(0 0 7),
            add!(1 1),
            $halves!(10 10), add!(1 15), begin!(1 1 8), begin!(2 14 9),
        )
    };
}

/// `upper := other + 19 upper`, where the other is a register or column k in memory.
macro_rules! plus_nineteen {
    ($upper:literal $other:expr) => {
        concat!(
            "vpsllq ymm14, ymm",
            $upper,
            ", 4\n",
            "vpaddq ymm15, ymm",
            $upper,
            ", ymm",
            $upper,
            "\n",
            "vpaddq ymm",
            $upper,
            ", ymm",
            $upper,
            ", ",
            $other,
            "\n",
            "vpaddq ymm14, ymm14, ymm15\n",
            "vpaddq ymm",
            $upper,
            ", ymm",
            $upper,
            ", ymm14\n",
        )
    };
}

/// The five columns that are left of ten modulo `2^255 - 19`, whose registers are given from column 4 on: in those of columns 5
/// to 9.
macro_rules! reduce_25519 {
    ($c4:literal $c5:literal $c6:literal $c7:literal $c8:literal $c9:literal) => {
        concat!(
            plus_nineteen!($c5 "[r8]"),
            plus_nineteen!($c6 "[r8 + 32]"),
            plus_nineteen!($c7 "[r8 + 64]"),
            plus_nineteen!($c8 "[r8 + 96]"),
            plus_nineteen!($c9 concat!("ymm", $c4)),
        )
    };
}

/// Defines a kernel, by its code. It is no function of Rust: `call!` calls it.
macro_rules! kernel {
    ($(#[$about:meta])* $name:ident, $($code:expr),+ $(,)?) => {
        $(#[$about])*
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!($($code,)+ "ret")
        }
    };
}

kernel!(
    /// Columns 6 to 9, 4 and 5 of a product, in registers 0 to 5, for limbs of 51 bits.
    product_51,
    product!(halves_51),
);
kernel!(
    /// Columns of a product in the registers of `product_51`, for limbs of 52 bits.
    product_52,
    product!(halves_52),
);
kernel!(
    /// Columns 7 to 9 and 4 to 6 of a square, in registers 0 to 5, for limbs of 51 bits.
    square_51,
    square!(halves_51),
);
kernel!(
    /// Columns of a square in the registers of `square_51`, for limbs of 52 bits.
    square_52,
    square!(halves_52),
);
kernel!(
    /// Columns 1 to 4 and 0 of a product modulo `2^255 - 19`, in registers 0 to 3 and 5.
    reduced_product,
    product!(halves_51),
    reduce_25519!(4 5 0 1 2 3),
);
kernel!(
    /// Columns 2 to 4, 0 and 1 of a square modulo `2^255 - 19`, in registers 0 to 2, 4 and 5.
    reduced_square,
    square!(halves_51),
    reduce_25519!(3 4 5 0 1 2),
);

/// Calls a kernel; gives registers 0 to 5 and the lowest four columns.
///
/// # Safety
///
/// Requires AVX2 and fused multiplications, and a kernel of this module; for y of a product, five limbs.
macro_rules! call {
    ($kernel:path, $x:expr, $y:expr, $constants:expr, $before:expr) => {{
        let (r0, r1, r2, r3, r4, r5): (__m256i, __m256i, __m256i, __m256i, __m256i, __m256i);
        let mut lowest: MaybeUninit<[__m256i; 4]> = MaybeUninit::uninit();
        let before: *const __m256i = $before;
        // Not `preserves_flags`: the products of numbers in floating point set the flags of exceptions in MXCSR.
        asm!(
            "call {kernel}",
            kernel = sym $kernel,
            in("rdi") $x.as_ptr(),
            in("rsi") $y.as_ptr(),
            in("rdx") &raw const *$constants,
            in("rcx") before,
            in("r8") lowest.as_mut_ptr(),
            out("ymm0") r0, out("ymm1") r1, out("ymm2") r2, out("ymm3") r3, out("ymm4") r4, out("ymm5") r5,
            out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _,
            out("ymm11") _, out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
        );
        ([r0, r1, r2, r3, r4, r5], lowest.assume_init())
    }};
}

/// The columns of `x y` plus those of the constants, for limbs of B bits; or plus others `before`, from which what comes with the
/// halves of a product is subtracted already.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn product<const B: u32>(
    constants: &Constants,
    [x, y]: [&[__m256i; N]; 2],
    before: Option<&[__m256i; D]>,
) -> [__m256i; D] {
    let before = match before {
        Some(before) => before.as_ptr(),
        None => constants.before.as_ptr().cast(),
    };
    // SAFETY: the kernel reads five limbs of x and of y, ten columns, and the constants, all of which are aligned as vectors are,
    // and writes four columns; all registers that it changes are named.
    let ([c6, c7, c8, c9, c4, c5], [c0, c1, c2, c3]) = unsafe {
        if B < 52 {
            call!(product_51, x, y, constants, before)
        } else {
            call!(product_52, x, y, constants, before)
        }
    };
    [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9]
}

/// The columns of `x^2` plus those of the constants, for limbs of B bits.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn square<const B: u32>(constants: &Constants, x: &[__m256i; N]) -> [__m256i; D] {
    let before = constants.before.as_ptr().cast();
    // SAFETY: as in `product`.
    let ([c7, c8, c9, c4, c5, c6], [c0, c1, c2, c3]) = unsafe {
        if B < 52 {
            call!(square_51, x, x, constants, before)
        } else {
            call!(square_52, x, x, constants, before)
        }
    };
    [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9]
}

/// `x y` modulo `2^255 - 19`, for limbs of 51 bits, in lifted columns: by a twentieth faster than [`product()`] and a reduction by
/// the compiler.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn product_25519([x, y]: [&[__m256i; N]; 2]) -> [__m256i; N] {
    let constants = &P25519_CONSTANTS;
    // SAFETY: as in `product`.
    let ([c1, c2, c3, c4, _, c0], _) = unsafe {
        call!(
            reduced_product,
            x,
            y,
            constants,
            constants.before.as_ptr().cast()
        )
    };
    [c0, c1, c2, c3, c4]
}

/// `x^2` modulo `2^255 - 19`, as [`product_25519()`].
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn square_25519(x: &[__m256i; N]) -> [__m256i; N] {
    let constants = &P25519_CONSTANTS;
    // SAFETY: as in `product`.
    let ([c2, c3, c4, _, c0, c1], _) = unsafe {
        call!(
            reduced_square,
            x,
            x,
            constants,
            constants.before.as_ptr().cast()
        )
    };
    [c0, c1, c2, c3, c4]
}
