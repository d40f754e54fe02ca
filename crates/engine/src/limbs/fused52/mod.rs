//! The device for vector units without AVX-512 IFMA, with numbers in limbs ([`limbs`](crate::limbs::device)). Halves
//! of products are exact in float64 by fused multiplications (N. Emmart, "A study of high performance multiple
//! precision arithmetic on graphics processing units", 2018, chapter 5), five or six instructions for both; with AVX-IFMA
//! they are integers, by an instruction each.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]
#![expect(
    clippy::inline_always,
    reason = "a kernel must be compiled whole for each instruction set"
)]

mod avx2;
mod avx512;
mod avx_ifma;
mod combine;
mod lookup;
mod product;
mod vector;

use std::sync::Arc;

use crate::{
    device::Device,
    instructions::{Avx2, Avx512, AvxIfma, avx_ifma::for_avx_ifma},
    layout::Layout,
    limbs::{
        device::LimbDevice,
        kernels::{Kernels, Times, WIDE},
        numbers::{Factors, Folding, Limb, LimbNumbers, Moduli, WIDTH},
        plan::{Form, LIMB_BITS, LimbConstants},
        radix52::lookup as avx512_lookup,
        segments,
    },
    lookup::LaneTable,
};

/// The devices of this processor, the device for the widest instructions first.
pub(crate) fn available() -> Vec<Arc<dyn Device>> {
    let mut available: Vec<Arc<dyn Device>> = Vec::new();
    if let Some(set) = Avx512::detect() {
        available.push(Arc::new(LimbDevice(set)));
    }
    if let Some(set) = AvxIfma::detect() {
        available.push(Arc::new(LimbDevice(set)));
    }
    if let Some(set) = Avx2::detect() {
        available.push(Arc::new(LimbDevice(set)));
    }
    available
}

/// The device for the widest instructions, or the instructions that the processor lacks.
pub(crate) fn detect() -> Result<Arc<dyn Device>, &'static str> {
    let first = available().into_iter().next();
    first.ok_or("the processor lacks AVX2 with fused multiplications")
}

/// A description of a few words: limbs and instructions on this processor.
pub(crate) fn describe() -> String {
    let products = if Avx512::detect().is_some() {
        "in float64, AVX-512F"
    } else if AvxIfma::detect().is_some() {
        "with AVX-IFMA"
    } else {
        "in float64, AVX2"
    };
    format!("limbs of 52 bits {products}")
}

/// The forms of moduli, with the number of bits of their limbs: those of numbers modulo `2^255 - 19` are shorter with float64.
const fn forms(bits25519: u32) -> [(Form, u32); 6] {
    [
        (Form::P256, LIMB_BITS),
        (Form::P25519, bits25519),
        (Form::Secp256k1, LIMB_BITS),
        (Form::P384, 48),
        (Form::P448, 50),
        (Form::P521, 48),
    ]
}

/// The time of a product of a group in nanoseconds, as part of a power, at sizes in bits, on a Xeon
/// (Sapphire Rapids) core.
const AVX512_NS: &Times = &[
    (
        Layout::Lanes(WIDTH),
        &[
            (128, 48.0),
            (256, 84.0),
            (512, 200.0),
            (1024, 592.0),
            (2048, 1980.0),
            (4096, 7170.0),
            (8192, 26_800.0),
        ],
    ),
    (
        Layout::Lanes(WIDE * WIDTH),
        &[(128, 160.0), (256, 310.0), (512, 774.0)],
    ),
];

/// The time of a product with AVX2, in nanoseconds, at sizes in bits, measured likewise.
const AVX2_NS: &Times = &[
    (
        Layout::Lanes(WIDTH),
        &[
            (128, 68.0),
            (256, 134.0),
            (512, 355.0),
            (1024, 1061.0),
            (2048, 3569.0),
            (4096, 12_680.0),
            (8192, 46_990.0),
        ],
    ),
    (
        Layout::Lanes(WIDE * WIDTH),
        &[(128, 254.0), (256, 525.0), (512, 1417.0)],
    ),
];

/// The time of a product with AVX-IFMA, in nanoseconds, at sizes in bits: that with AVX2, by ratios that were measured in
/// the encoding of AVX-512 on a Xeon (Emerald Rapids) core.
const AVX_IFMA_NS: &Times = &[
    (
        Layout::Lanes(WIDTH),
        &[
            (128, 49.0),
            (256, 68.0),
            (512, 149.0),
            (1024, 443.0),
            (2048, 1540.0),
            (4096, 5330.0),
            (8192, 19_400.0),
        ],
    ),
    (
        Layout::Lanes(WIDE * WIDTH),
        &[(128, 136.0), (256, 265.0), (512, 770.0)],
    ),
];

/// [`Kernels::span_part`], from times of batches on a Xeon (Emerald Rapids).
fn span_part(form: Form) -> Option<f64> {
    match form {
        Form::P25519 => Some(0.35),
        Form::Secp256k1 | Form::P448 => Some(0.5),
        Form::P256 | Form::P384 | Form::P521 => Some(0.6),
        Form::General | Form::Bls12381 => None,
    }
}

/// Implements [`Kernels`] for an instruction set, by kernels with such vectors and by the look-ups of a module.
macro_rules! kernels {
    ($features:literal, $set:ty, $lanes:ty, $lookup:ident, $times:expr, $bits25519:expr) => {
        impl Kernels for $set {
            const NAME: &'static str = "fused52";
            const ENTRIES_PER_LIMB: u32 = 2;
            const FORMS: &[(Form, u32)] = &forms($bits25519);

            fn times(self) -> &'static Times {
                $times
            }

            fn span_part(form: Form) -> Option<f64> {
                span_part(form)
            }

            // Products of square roots and inversions are cheaper by as much as those of formulas; modulo 2^255 - 19 batches
            // of 1,024 roots by lanes are faster than by words (Zen 3, AVX2), which were predicted to be.
            fn product_part(form: Form) -> f64 {
                span_part(form).unwrap_or(1.0)
            }

            fn montgomery(
                self,
                moduli: Moduli<'_>,
                factors: Factors<'_>,
                scratch: &mut LimbNumbers,
                out: &mut [Limb],
            ) {
                #[target_feature(enable = $features)]
                fn run(
                    moduli: Moduli<'_>,
                    factors: Factors<'_>,
                    scratch: &mut LimbNumbers,
                    out: &mut [Limb],
                ) {
                    product::montgomery::<$lanes>(moduli, factors, scratch, out);
                }
                if segments::multiply_in_form(self, moduli.form, factors, out) {
                    return;
                }
                // SAFETY: `self` exists only after the features have been detected.
                unsafe { run(moduli, factors, scratch, out) };
            }

            fn combine(
                self,
                terms: &[(i32, &LimbNumbers)],
                lift: u64,
                fold: bool,
                moduli: Folding<'_>,
                out: &mut [Limb],
            ) {
                #[target_feature(enable = $features)]
                fn run(
                    terms: &[(i32, &LimbNumbers)],
                    lift: u64,
                    fold: bool,
                    moduli: Folding<'_>,
                    out: &mut [Limb],
                ) {
                    combine::combine::<$lanes>(terms, lift, fold, moduli, out);
                }
                let lifted = (moduli.p, lift);
                if segments::combine_in_form(self, moduli.form, terms, lifted, out) {
                    return;
                }
                // SAFETY: as in `montgomery`.
                unsafe { run(terms, lift, fold, moduli, out) };
            }

            fn transpose(self, rows: [&[u64; WIDTH]; WIDTH], out: &mut [Limb]) {
                // SAFETY: as in `montgomery`.
                unsafe { $lookup::transpose(rows, out) };
            }

            fn choose(self, bits: &Limb, x: &mut [Limb], y: &[Limb]) {
                // SAFETY: as in `montgomery`.
                unsafe { $lookup::choose(bits, x, y) };
            }

            fn select(self, table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]) {
                // SAFETY: as in `montgomery`.
                unsafe { $lookup::select(table, indices, out) };
            }

            fn select_shared(
                self,
                constants: &LimbConstants,
                first_and_entries: (usize, usize),
                indices: &Limb,
                out: &mut [Limb],
            ) {
                // SAFETY: as in `montgomery`.
                unsafe { $lookup::select_shared(constants, first_and_entries, indices, out) };
            }
        }
    };
}

kernels!(
    "avx512f",
    Avx512,
    avx512::Register,
    avx512_lookup,
    AVX512_NS,
    51
);
for_avx_ifma!(kernels!(
    AvxIfma,
    avx_ifma::Integers,
    lookup,
    AVX_IFMA_NS,
    LIMB_BITS
));
kernels!("avx2,fma", Avx2, avx2::Pair, lookup, AVX2_NS, 51);
