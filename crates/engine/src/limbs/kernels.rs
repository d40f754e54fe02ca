//! The arithmetic kernels of a device with limbs.

use crate::{
    layout::Layout,
    limbs::{
        numbers::{Factors, Folding, Limb, LimbNumbers, Moduli, WIDTH},
        plan::{Form, LimbConstants},
        segments::{self, Code, InstructionSet},
    },
    lookup::LaneTable,
    program::{Span, formulas::Segment},
};

/// Number of vectors in a wide group, so that a step of the interpreter costs little beside its arithmetic.
pub(super) const WIDE: usize = 4;
/// Times of the product of a group in nanoseconds, by layout and by size in bits.
pub(super) type Times = [(Layout, &'static [(u32, f64)])];

/// The arithmetic of a device on vectors of eight numbers in limbs. Limbs of operands and of results are below `2^52`.
/// A value of such a type proves that the processor has the instructions.
pub(super) trait Kernels: InstructionSet + Send + Sync + 'static {
    /// The name of the device.
    const NAME: &'static str;

    /// Number of table entries that are read in the time of a product, for each limb: for numbers beyond 576 bits, of
    /// which a product multiplies `2 n^2` pairs of limbs, and an entry has n limbs to read.
    const ENTRIES_PER_LIMB: u32;

    /// The special [forms](Form) that there are products for, with the number of bits of their limbs.
    const FORMS: &[(Form, u32)];

    fn times(self) -> &'static Times;

    /// The part of the time of the products of spans that their compiled code takes for a form; `None` for those for which
    /// nothing is compiled.
    fn span_part(form: Form) -> Option<f64>;

    /// The part of the time of a product modulo any number that a lone one takes for a form.
    fn product_part(_: Form) -> f64 {
        1.0
    }

    /// The code of a formula for a form of moduli that only these instructions have code for.
    fn own_code(_: Form, _: Segment) -> Option<Code<Self>> {
        None
    }

    /// Runs the code of a formula for this form of moduli on registers, if it is compiled, and returns whether it is.
    /// Requires inputs of at most [`LARGEST_WEIGHT`](crate::program::formulas::LARGEST_WEIGHT), and gives outputs that
    /// are congruent to those of the operations, and at most 2 P. Modulo the prime of BLS12-381's coordinates, inputs may be
    /// [`LARGEST_UNFOLDED_WEIGHT`](crate::program::formulas::LARGEST_UNFOLDED_WEIGHT), in extension
    /// fields [`LARGEST_EXTENSION_WEIGHT`](crate::program::formulas::LARGEST_EXTENSION_WEIGHT), and outputs are at most 4 P where those
    /// of the operations may be as large.
    fn run_segment(
        self,
        form: Form,
        registers: &mut [LimbNumbers],
        span: &Span,
        digits: Option<&[u64]>,
    ) -> bool {
        let segment = span.segment;
        let code = segments::code(form, segment).or_else(|| Self::own_code(form, segment));
        let Some(code) = code else {
            return false;
        };
        code(self, registers, span, digits);
        true
    }

    /// `out := (T + q P) / F`, where T is the sum of products of the factors, and `0 <= q < F`. `scratch` has room for
    /// factors in another form.
    ///
    /// Requires `T <= F P`. Ensures a result of at most 2 P.
    fn montgomery(
        self,
        moduli: Moduli<'_>,
        factors: Factors<'_>,
        scratch: &mut LimbNumbers,
        out: &mut [Limb],
    );

    /// `out := lift P + sum of factor_i x_i` modulo F.
    ///
    /// Requires absolute values of the factors of at most `2^10` in sum.
    ///
    /// With `fold`, the numbers must be one block, and the sum, S, from 0 to `2^10 2^bits`. A multiple of P
    /// is subtracted so that the result is below 2 P: q P, with `q = floor(t r / 2^52)` for
    /// `t = floor(S / 2^e)` or one less, `r = floor(2^(52 + e) / P)`, and `2^e` the weight of bit 12 of
    /// the highest limb. q is at most S/P, as `t <= S / 2^e` and `r <= 2^(52 + e) / P`. And
    /// ```text
    /// t r / 2^52 > (S / 2^e - 2) (2^(52 + e) / P - 1) / 2^52 > S / P - S / 2^(52 + e) - 2 2^e / P,
    /// ```
    /// where the second term is at most `2^-6`, as `S <= 2^266` and `52 + e = 272`, and the third below
    /// `2^-16`, as `P > 2^237`. So q is above `S/P - 1 - 2^-5`.
    fn combine(
        self,
        terms: &[(i32, &LimbNumbers)],
        lift: u64,
        fold: bool,
        moduli: Folding<'_>,
        out: &mut [Limb],
    );

    /// Row k of `out` gets number k of each of these rows: numbers that lie one after the other go to the lanes, or back. Of more
    /// rows than eight the others are unchanged.
    fn transpose(self, rows: [&[u64; WIDTH]; WIDTH], out: &mut [Limb]);

    /// `x := y` in the lanes whose bit is 1. Both are read and x is written in every lane.
    fn choose(self, bits: &Limb, x: &mut [Limb], y: &[Limb]);

    /// `out :=` each lane's entry of the table. All entries are read.
    fn select(self, table: &LaneTable<u64, WIDTH>, indices: &Limb, out: &mut [Limb]);

    /// `out :=` in each lane the constant that it names, from the `entries` that follow constant `first`.
    /// Lanes that name none are unchanged. All of these constants are read.
    fn select_shared(
        self,
        constants: &LimbConstants,
        first_and_entries: (usize, usize),
        indices: &Limb,
        out: &mut [Limb],
    );
}
