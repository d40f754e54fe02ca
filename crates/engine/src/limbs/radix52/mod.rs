//! The device for AVX-512 IFMA with numbers in limbs ([`limbs`](crate::limbs::device)). A multiplication of limbs takes
//! two instructions: `vpmadd52` for the low and for the high half of a product, which accumulate them, too.
#![expect(
    unsafe_code,
    reason = "calls of functions with target features, after detection"
)]

/// Repeats a block for each number of a list, which the block gets as a constant. The compiler would not
/// unroll a loop of this length, and would then keep the columns in memory.
macro_rules! for_each {
    ($name:ident in [$($number:literal)*] $body:block) => {
        $({
            const $name: usize = $number;
            $body
        })*
    };
}

mod columns;
mod combine;
pub(super) mod lookup;
mod product;
mod small;

use crate::{
    instructions::Ifma,
    layout::Layout,
    limbs::{
        device::LimbDevice,
        kernels::{Kernels, Times, WIDE},
        numbers::{Factors, Folding, Limb, LimbNumbers, Moduli, WIDTH},
        plan::{Form, LIMB_BITS, LimbConstants},
        segments::{self, Code},
    },
    lookup::LaneTable,
    program::formulas::Segment,
};

/// The device.
pub(crate) type Radix52 = LimbDevice<Ifma>;

impl Radix52 {
    /// The device, or the instructions that the processor lacks.
    pub(crate) fn detect() -> Result<Self, &'static str> {
        Ok(Self(Ifma::detect()?))
    }
}

/// The time of a product of a group in nanoseconds, as part of a power, at sizes in bits, on a Xeon (Sapphire
/// Rapids) core.
const PRODUCT_NS: &Times = &[
    (
        Layout::Lanes(WIDTH),
        &[
            (256, 34.0),
            (512, 76.0),
            (1024, 234.0),
            (2048, 879.0),
            (4096, 3391.0),
        ],
    ),
    (Layout::Lanes(WIDE * WIDTH), &[(256, 102.0), (512, 320.0)]),
];

impl Kernels for Ifma {
    const NAME: &'static str = "radix52";
    const ENTRIES_PER_LIMB: u32 = 1;
    const FORMS: &[(Form, u32)] = &[
        (Form::P256, LIMB_BITS),
        (Form::P25519, LIMB_BITS),
        (Form::Secp256k1, LIMB_BITS),
        (Form::P384, 48),
        (Form::P448, 50),
        (Form::P521, 48),
        (Form::Bls12381, LIMB_BITS),
    ];

    fn times(self) -> &'static Times {
        PRODUCT_NS
    }

    /// From times of batches on a Xeon (Emerald Rapids).
    fn span_part(form: Form) -> Option<f64> {
        match form {
            Form::P25519 | Form::Secp256k1 | Form::P448 => Some(0.5),
            Form::P256 => Some(0.6),
            Form::P384 => Some(0.7),
            Form::P521 => Some(1.0),
            // Its spans are sums of many products, which take longer than is predicted from their reductions.
            Form::Bls12381 => Some(1.8),
            Form::General => None,
        }
    }

    fn own_code(form: Form, segment: Segment) -> Option<Code<Self>> {
        (form == Form::Bls12381)
            .then(|| segments::bls12_381(segment))
            .flatten()
    }

    fn montgomery(
        self,
        moduli: Moduli<'_>,
        factors: Factors<'_>,
        _: &mut LimbNumbers,
        out: &mut [Limb],
    ) {
        if segments::multiply_in_form(self, moduli.form, factors, out) {
            return;
        }
        // SAFETY: `self` exists, so `Ifma::detect` has found AVX-512F and IFMA, which the function is
        // compiled for.
        unsafe { product::montgomery(moduli, factors, out) };
    }

    fn combine(
        self,
        terms: &[(i32, &LimbNumbers)],
        lift: u64,
        fold: bool,
        moduli: Folding<'_>,
        out: &mut [Limb],
    ) {
        let lifted = (moduli.p, lift);
        if segments::combine_in_form(self, moduli.form, terms, lifted, out) {
            return;
        }
        // SAFETY: as in `montgomery`.
        unsafe { combine::combine(terms, lift, fold, moduli, out) };
    }

    fn transpose(self, rows: [&[u64; WIDTH]; WIDTH], out: &mut [Limb]) {
        // SAFETY: as in `montgomery`.
        unsafe { lookup::transpose(rows, out) };
    }

    fn choose(self, bits: &Limb, x: &mut [Limb], y: &[Limb]) {
        // SAFETY: as in `montgomery`.
        unsafe { lookup::choose(bits, x, y) };
    }

    fn select(self, table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]) {
        // SAFETY: as in `montgomery`.
        unsafe { lookup::select(table, indices, out) };
    }

    fn select_shared(
        self,
        constants: &LimbConstants,
        first_and_entries: (usize, usize),
        indices: &Limb,
        out: &mut [Limb],
    ) {
        // SAFETY: as in `montgomery`.
        unsafe { lookup::select_shared(constants, first_and_entries, indices, out) };
    }
}
