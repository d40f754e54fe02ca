//! The builder of programs: from values to a checked program with registers.

use core::mem;
use std::{
    collections::HashMap,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use crypto_bigint::{BoxedUint, Word};

use crate::{
    Constant, Counts, Forms, Input, Inversion, Limits, Magnitude, Multiple, Operation, OwnTable,
    Product, Program, ProgramError, Recoding, Register, Scalar, ScalarInfo, Span, Step, Stream,
    StreamInfo, TableId,
    formulas::{self, Arith, Formula, Segment},
    fuse::fuse,
    limits::{LARGEST_FACTOR, LARGEST_FOLDED},
    seal::Seal,
    size::{MAX_BITS, MIN_BITS, piece_bits, size_class},
    span::{self, OpenSpan},
};

/// A number of each member while a program is built. Values are never changed: an operation makes
/// a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    builder: u32,
    register: Register,
}

/// A table of each member while a program is built.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    builder: u32,
    id: TableId,
}

/// Builds a [`Program`] operation by operation.
///
/// Every value has a *magnitude* (the range of its integer) and a *form* (the power of the device's
/// Montgomery factor that it carries: 1 in Montgomery form, 0 for the number itself). The first operation
/// that breaks a condition is remembered: later ones are ignored, and [`finish`](Self::finish) returns the
/// error.
pub struct Builder {
    id: u32,
    name: String,
    bits: u32,
    limits: Limits,
    entries_per_product: u32,
    steps: Vec<Step>,
    /// The magnitude of each value.
    magnitudes: Vec<Option<Magnitude>>,
    /// The form of each value.
    forms: Vec<i32>,
    table_magnitudes: Vec<Option<Magnitude>>,
    tables: Vec<Entries>,
    inputs: Vec<u32>,
    common: Vec<Vec<Word>>,
    own_constants: Forms,
    scalars: Vec<ScalarInfo>,
    streams: Vec<StreamInfo>,
    outputs: u32,
    flags: u32,
    error: Option<ProgramError>,
    one: Option<Value>,
    montgomery_one: Option<Value>,
    montgomery_square: Option<Value>,
    /// The values that [`Builder::reduced`] has reduced.
    reduced: HashMap<Register, Value>,
    /// `2^bits`, with the Montgomery factor to the power 2.
    shift: Option<Value>,
    /// Small numbers in Montgomery form, for products where multiples would be too large.
    small: HashMap<u32, Value>,
    /// The formulas so far, and whether the last one is being written.
    spans: Vec<OpenSpan>,
    in_span: bool,
    /// The digit of the formula whose operations are written, if it has one.
    digit: Option<(Stream, u32)>,
}

/// The entries of a table, as far as they are known.
struct Entries {
    stored: Vec<bool>,
    /// The form that all entries have.
    form: Option<i32>,
    /// Whether digits of a secret stream select from it.
    is_secret: bool,
}

/// The next builder's number, so that values of one builder are not taken for another's.
static NEXT: AtomicU32 = AtomicU32::new(0);

impl Builder {
    /// The largest factor of [`scale`](Self::scale).
    pub const MAX_FACTOR: u32 = LARGEST_FACTOR;
    /// The largest number of entries of a table.
    pub const MAX_ENTRIES: usize = 1 << 12;
    /// The largest number of entries of a table that a modulus brings.
    pub const MAX_OWN_ENTRIES: usize = 1 << 16;
    /// The largest number of terms of a sum of products.
    pub const MAX_TERMS: usize = 1 << 10;
    /// The largest length of an input or scalar, in bits, and the largest number of digits of a stream.
    pub const MAX_LENGTH: u32 = 1 << 20;
    /// The largest power of the Montgomery factor that a value carries.
    const MAX_FORM: i32 = 1 << 10;

    /// An empty program for moduli of at most `bits` bits (a multiple of 64 or a size class), within these limits.
    /// A product takes as long as reading `entries_per_product` entries of a table. A size that moduli
    /// cannot have is an error, which [`finish`](Self::finish) returns.
    pub fn new(name: &str, bits: u32, limits: Limits, entries_per_product: u32) -> Self {
        let given = bits;
        let served = given.clamp(MIN_BITS, MAX_BITS);
        let bits = match size_class(served) {
            class if class == served => class,
            _ => served.next_multiple_of(64),
        };
        let mut builder = Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            name: name.into(),
            bits,
            limits,
            entries_per_product,
            steps: Vec::new(),
            magnitudes: Vec::new(),
            forms: Vec::new(),
            table_magnitudes: Vec::new(),
            tables: Vec::new(),
            inputs: Vec::new(),
            common: Vec::new(),
            own_constants: Forms::default(),
            scalars: Vec::new(),
            streams: Vec::new(),
            outputs: 0,
            flags: 0,
            error: None,
            one: None,
            montgomery_one: None,
            montgomery_square: None,
            reduced: HashMap::new(),
            shift: None,
            small: HashMap::new(),
            spans: Vec::new(),
            in_span: false,
            digit: None,
        };
        if bits != given {
            builder.fail(ProgramError::OutOfRange {
                index: 0,
                operation: "size",
                value: given.into(),
                least: bits.into(),
                most: bits.into(),
            });
        }
        builder
    }

    /// The size class in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The limits that magnitudes are checked against.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Number of table entries that are read in the time of a product.
    pub fn entries_per_product(&self) -> u32 {
        self.entries_per_product
    }

    /// The magnitude of a value; `None` for one that an error left unset.
    pub fn magnitude(&self, x: Value) -> Option<Magnitude> {
        let own = x.builder == self.id;
        own.then(|| {
            self.magnitudes
                .get(x.register.0 as usize)
                .copied()
                .flatten()
        })?
    }

    /// The power of the Montgomery factor that a value carries.
    pub fn form(&self, x: Value) -> i32 {
        let form = self.forms.get(x.register.0 as usize);
        form.copied().unwrap_or(0)
    }

    fn fail(&mut self, error: ProgramError) {
        self.error.get_or_insert(error);
    }

    /// The register of a value of this program; for a value of another program, one that is never set.
    fn register(&self, x: Value) -> Register {
        if x.builder == self.id {
            x.register
        } else {
            Register(u32::MAX)
        }
    }

    /// Appends an operation that writes a new value of this form.
    fn emit(&mut self, form: i32, operation: impl FnOnce(Register) -> Operation) -> Value {
        let register = Register(self.magnitudes.len() as u32);
        self.magnitudes.push(None);
        self.forms.push(form);
        self.append(operation(register));
        Value {
            builder: self.id,
            register,
        }
    }

    fn append(&mut self, operation: Operation) {
        if self.error.is_some() {
            return;
        }
        let index = self.steps.len();
        let (registers, tables) = (&mut self.magnitudes, &mut self.table_magnitudes);
        let piece = Magnitude::piece(self.bits);
        match operation.follow(&self.limits, piece, index, registers, tables) {
            Ok(magnitude) => self.steps.push(Step {
                operation,
                magnitude,
                span: self.in_span.then_some(self.spans.len() as u32),
            }),
            Err(error) => self.fail(error),
        }
    }

    pub(crate) fn require(&mut self, operation: &'static str, value: u64, least: u64, most: u64) {
        if !(least..=most).contains(&value) {
            let index = self.steps.len();
            self.fail(ProgramError::OutOfRange {
                index,
                operation,
                value,
                least,
                most,
            });
        }
    }

    fn require_form(&mut self, operation: &'static str, x: i32, y: i32) {
        if x != y {
            let index = self.steps.len();
            self.fail(ProgramError::Forms {
                index,
                operation,
                x,
                y,
            });
        }
    }

    /// The form of a product of values of the forms x and y.
    fn product_form(&mut self, operation: &'static str, x: i32, y: i32) -> i32 {
        let form = x + y - 1;
        self.require(
            operation,
            form.unsigned_abs().into(),
            0,
            Self::MAX_FORM as u64,
        );
        // Clamped also after an error, lest sums of forms overflow.
        form.clamp(-Self::MAX_FORM, Self::MAX_FORM)
    }

    // Inputs.

    /// The member's next integer, of at most `bits` bits, in Montgomery form. An integer longer than the size
    /// class comes in by pieces of whole words, each a term of a sum of products.
    pub fn input(&mut self, bits: u32) -> Value {
        self.require("enter", bits.into(), 0, Self::MAX_LENGTH.into());
        let bits = bits.min(Self::MAX_LENGTH);
        let input = self.declare(bits);
        self.bring_in(input, bits)
    }

    /// The member's next integer, of at most the size class' bits, as it is: a factor of a product,
    /// which then loses one Montgomery factor.
    pub fn input_unreduced(&mut self, bits: u32) -> Value {
        let most = piece_bits(self.bits);
        self.require("enter", bits.into(), 0, most.into());
        let bits = bits.min(most);
        let input = self.declare(bits);
        self.piece(input, 0)
    }

    /// An integer that has been [put out](Self::output) before, in the form in which it left.
    pub fn output_again(&mut self, index: u32) -> Value {
        let most = u64::from(self.outputs.saturating_sub(1));
        self.require("enter", index.into(), 0, most);
        if self.outputs == 0 {
            let index = self.steps.len();
            self.fail(ProgramError::UnsetRegister {
                index,
                operation: "enter",
            });
        }
        self.piece(Input::Output(index), 0)
    }

    fn declare(&mut self, bits: u32) -> Input {
        let piece = piece_bits(self.bits);
        self.inputs.push(bits.div_ceil(piece).max(1) * piece);
        Input::Given(self.inputs.len() as u32 - 1)
    }

    fn piece(&mut self, input: Input, piece: u32) -> Value {
        self.emit(0, |out| Operation::Enter { out, input, piece })
    }

    fn bring_in(&mut self, input: Input, bits: u32) -> Value {
        let pieces = bits.div_ceil(piece_bits(self.bits)).max(1);
        let square = self.montgomery_square();
        let last = self.piece(input, pieces - 1);
        if pieces == 1 {
            return self.multiply(last, square);
        }
        let shift = self.shift();
        let mut sum = last;
        for piece in (0..pieces - 1).rev() {
            // shift carries F^2: its other factor must carry none.
            if self.form(sum) == 1 {
                sum = self.reduced_integer(sum);
            }
            let next = self.piece(input, piece);
            sum = self.sum_of_products(&[(false, sum, shift), (false, next, square)]);
        }
        sum
    }

    /// The weight of the second piece of an integer with F^2, made when first used.
    fn shift(&mut self) -> Value {
        if let Some(shift) = self.shift {
            return shift;
        }
        // Half of it is the largest power of two that a piece can hold.
        let bits = piece_bits(self.bits);
        let half = BoxedUint::one_with_precision(bits).shl(bits - 1);
        let half = self.common(&half);
        let square = self.montgomery_square();
        let half = self.multiply(half, square);
        let whole = self.add(half, half);
        let shift = self.multiply(whole, square);
        self.shift = Some(shift);
        shift
    }

    /// The integer 1.
    pub fn one(&mut self) -> Value {
        if let Some(one) = self.one {
            return one;
        }
        let one = self.emit(0, |out| Operation::Constant {
            out,
            constant: Constant::One,
        });
        self.one = Some(one);
        one
    }

    /// 1 in Montgomery form: a product.
    pub fn montgomery_one(&mut self) -> Value {
        if let Some(one) = self.montgomery_one {
            return one;
        }
        let (one, square) = (self.one(), self.montgomery_square());
        let one = self.multiply(one, square);
        self.montgomery_one = Some(one);
        one
    }

    /// `F^2`, the number 1 carrying two Montgomery factors.
    pub fn montgomery_square(&mut self) -> Value {
        if let Some(square) = self.montgomery_square {
            return square;
        }
        let square = self.emit(2, |out| Operation::Constant {
            out,
            constant: Constant::MontgomerySquare,
        });
        self.montgomery_square = Some(square);
        square
    }

    /// An integer of a piece's length, the same for all members, as it is.
    pub fn common(&mut self, integer: &BoxedUint) -> Value {
        let bits = integer.bits_vartime();
        let most = piece_bits(self.bits);
        self.require("constant", bits.into(), 0, most.into());
        let words = (most.div_ceil(Word::BITS) as usize).min(integer.as_words().len());
        self.common.push(integer.as_words()[..words].to_vec());
        let k = self.common.len() as u32 - 1;
        self.emit(0, |out| Operation::Constant {
            out,
            constant: Constant::Common(k),
        })
    }

    /// The next constant that each member's modulus brings, prepared with the Montgomery factor to
    /// this power: 0, 1 or 2.
    pub fn own_constant(&mut self, form: i32) -> Value {
        self.require("constant", form.unsigned_abs().into(), 0, 2);
        self.require("constant", u64::from(form.is_negative()), 0, 0);
        let form = form.clamp(0, 2);
        self.own_constants.push(form, 1);
        let k = self.own_constants.len() as u32 - 1;
        self.emit(form, |out| Operation::Constant {
            out,
            constant: Constant::Own(k),
        })
    }

    /// The next `entries` constants that each member's modulus brings, as a table, prepared with the Montgomery factor
    /// to this power. The table is stored once with the modulus, not once for each member.
    pub fn own_table(&mut self, entries: usize, form: i32) -> OwnTable {
        self.require("own table", entries as u64, 1, Self::MAX_OWN_ENTRIES as u64);
        let entries = entries.clamp(1, Self::MAX_OWN_ENTRIES);
        let table = OwnTable {
            first: self.own_constants.len() as u32,
            entries: entries as u32,
        };
        self.own_constants.push(form, entries);
        table
    }

    /// The constant of the table that digit `position` of the stream names.
    pub fn select_own(&mut self, table: OwnTable, stream: Stream, position: u32) -> Value {
        self.check_digit("select own", stream, position, table.entries as usize);
        let end = u64::from(table.first) + u64::from(table.entries);
        self.require("select own", end, 1, self.own_constants.len() as u64);
        let form = self.own_constants.get(table.first as usize);
        self.emit(form.unwrap_or(0), |out| Operation::SelectOwn {
            out,
            table,
            stream,
            position,
        })
    }

    /// Constant `entry` of the table.
    pub fn load_own(&mut self, table: OwnTable, entry: usize) -> Value {
        let most = u64::from(table.entries - 1);
        self.require("load own", entry as u64, 0, most);
        let k = table.first + entry.min(most as usize) as u32;
        self.require(
            "load own",
            k.into(),
            0,
            (self.own_constants.len() as u64).saturating_sub(1),
        );
        let form = self.own_constants.get(k as usize);
        self.emit(form.unwrap_or(0), |out| Operation::Constant {
            out,
            constant: Constant::Own(k),
        })
    }

    // Arithmetic.

    /// `x y`.
    pub fn multiply(&mut self, x: Value, y: Value) -> Value {
        if x == y {
            return self.square(x);
        }
        let form = self.product_form("multiply", self.form(x), self.form(y));
        let (x, y) = (self.register(x), self.register(y));
        self.emit(form, |out| Operation::Multiply { out, x, y })
    }

    /// `x^2`.
    pub fn square(&mut self, x: Value) -> Value {
        self.square_times(x, 1)
    }

    /// `x^(2^times)`; x itself if `times` is 0.
    ///
    /// The form of x must be 1 for more than one squaring.
    pub fn square_times(&mut self, x: Value, times: u32) -> Value {
        let form = self.form(x);
        if times == 0 {
            return x;
        }
        if times > 1 {
            self.require_form("square", form, 1);
        }
        let form = self.product_form("square", form, form);
        let x = self.register(x);
        self.emit(form, |out| Operation::Square { out, x, times })
    }

    /// The sum of the products `x y`, or `-x y` where the first component is true, with one reduction.
    pub fn sum_of_products(&mut self, terms: &[(bool, Value, Value)]) -> Value {
        let index = self.steps.len();
        let operation = "sum of products";
        let Some(&(_, x, y)) = terms.first() else {
            self.fail(ProgramError::Empty { index, operation });
            return self.one();
        };
        self.require(operation, terms.len() as u64, 1, Self::MAX_TERMS as u64);
        let form = self.product_form(operation, self.form(x), self.form(y));
        for &(_, x, y) in terms {
            self.require_form(operation, self.form(x) + self.form(y) - 1, form);
        }
        let mut products = Vec::with_capacity(terms.len());
        for &term in terms {
            let (negative, x, y) = self.with_allowed_sign(term);
            products.push(Product {
                negative,
                x: self.register(x),
                y: self.register(y),
            });
        }
        self.emit(form, |out| Operation::SumOfProducts {
            out,
            terms: products,
        })
    }

    /// The product `x y`, with factors reduced as in [`fitting_sum`](Self::fitting_sum).
    pub fn fitting_product(&mut self, x: Value, y: Value) -> Value {
        self.fitting_sum(&[(false, x, y)])
    }

    /// [`sum_of_products`](Self::sum_of_products) of factors that may be too large for some plans: such factors are
    /// reduced first, in the order of their effect, until the sum is legal.
    pub fn fitting_sum(&mut self, terms: &[(bool, Value, Value)]) -> Value {
        let mut terms = terms.to_vec();
        for term in &mut terms {
            *term = self.with_allowed_sign(*term);
            // A factor that has been reduced for another product is used reduced here, too.
            for factor in [&mut term.1, &mut term.2] {
                let reduced = self.reduced.get(&self.register(*factor));
                *factor = reduced.copied().unwrap_or(*factor);
            }
        }
        loop {
            let weight = |x: &Value| {
                let magnitude = self.magnitude(*x);
                magnitude.map_or(0, |magnitude| u128::from(magnitude.weight()))
            };
            let total = |terms: &[(bool, Value, Value)]| -> u128 {
                terms.iter().map(|(_, x, y)| weight(x) * weight(y)).sum()
            };
            if total(&terms) <= self.limits.operands.into() {
                break;
            }
            // The weight of the sum with this factor reduced.
            let least = u128::from(self.limits.product.weight());
            let reduced = |factor: &Value| -> u128 {
                let weight = |x: &Value| {
                    let most = if x == factor { least } else { u128::MAX };
                    weight(x).min(most)
                };
                terms.iter().map(|(_, x, y)| weight(x) * weight(y)).sum()
            };
            let factors = terms.iter().flat_map(|&(_, x, y)| [x, y]);
            let Some(best) = factors.min_by_key(|factor| reduced(factor)) else {
                break;
            };
            if reduced(&best) >= total(&terms) {
                break;
            }
            let smaller = self.reduced(best);
            for (_, x, y) in &mut terms {
                for factor in [x, y] {
                    if *factor == best {
                        *factor = smaller;
                    }
                }
            }
        }
        match terms[..] {
            [(false, x, y)] => self.multiply(x, y),
            _ => self.sum_of_products(&terms),
        }
    }

    /// The same product without a sign, if plans have none: the opposite of a factor that is a linear combination takes
    /// no additional operation, of any other factor it takes one.
    fn with_allowed_sign(
        &mut self,
        (negative, x, y): (bool, Value, Value),
    ) -> (bool, Value, Value) {
        if !negative || self.limits.signed {
            return (negative, x, y);
        }
        if self.is_combination(y) && !self.is_combination(x) {
            (false, x, self.negate(y))
        } else {
            (false, self.negate(x), y)
        }
    }

    /// Whether a value is a linear combination of others.
    fn is_combination(&self, x: Value) -> bool {
        let register = self.register(x);
        let made = |step: &&Step| step.operation.out() == Some(register);
        let step = self.steps.iter().rev().find(made);
        step.is_some_and(|step| matches!(step.operation, Operation::Combine { .. }))
    }

    /// x in the range of a product: folded if the device folds, else by a product with 1. A second call gives
    /// the same value.
    fn reduced(&mut self, x: Value) -> Value {
        let register = self.register(x);
        if let Some(&reduced) = self.reduced.get(&register) {
            return reduced;
        }
        let reduced = if self.limits.folded.is_some() {
            self.append_combination(&[(1, x)], true)
        } else {
            let one = self.montgomery_one();
            self.multiply(x, one)
        };
        self.reduced.insert(register, reduced);
        reduced
    }

    /// The linear combination of these values, lifted and folded as the limits require.
    fn combine(&mut self, terms: &[(i32, Value)]) -> Value {
        let mut terms = terms.to_vec();
        for (factor, x) in &mut terms {
            let has_pieces = self.magnitude(*x).is_some_and(|x| x.pieces > 0);
            // No multiple of P certainly exceeds a piece.
            if !self.limits.signed && *factor < 0 && has_pieces {
                let one = self.montgomery_one();
                *x = self.multiply(*x, one);
            }
        }
        let weight = |builder: &Self, terms: &[(i32, Value)]| {
            let (lift, sum) = builder.sum_of(terms);
            sum.lifted(lift).weight()
        };
        if self.limits.folded.is_some() && weight(self, &terms) > LARGEST_FOLDED {
            for (_, x) in &mut terms {
                *x = self.reduced(*x);
            }
        }
        let fits = weight(self, &terms) <= self.limits.operands;
        self.append_combination(&terms, self.limits.folded.is_some() && !fits)
    }

    /// The range of a linear combination, and the multiple of P that lifts it above 0 if numbers may not be
    /// negative.
    fn sum_of(&self, terms: &[(i32, Value)]) -> (u64, Magnitude) {
        let multiples = terms
            .iter()
            .filter_map(|&(factor, x)| Some(self.magnitude(x)?.times(factor)));
        let sum = multiples.fold(Magnitude::interval(0, 0), Magnitude::plus);
        let lift = if self.limits.signed {
            0
        } else {
            (-sum.low).max(0).cast_unsigned()
        };
        (lift, sum)
    }

    fn append_combination(&mut self, terms: &[(i32, Value)], fold: bool) -> Value {
        let form = terms.first().map_or(0, |&(_, x)| self.form(x));
        let (lift, _) = self.sum_of(terms);
        let terms = terms.iter().map(|&(factor, x)| Multiple {
            factor,
            x: self.register(x),
        });
        let terms = terms.collect();
        self.emit(form, |out| Operation::Combine {
            out,
            terms,
            lift,
            fold,
        })
    }

    /// `x + y`.
    pub fn add(&mut self, x: Value, y: Value) -> Value {
        if x == y {
            return self.scale(x, 2);
        }
        self.require_form("add", self.form(x), self.form(y));
        self.combine(&[(1, x), (1, y)])
    }

    /// `x - y`.
    pub fn subtract(&mut self, x: Value, y: Value) -> Value {
        self.require_form("subtract", self.form(x), self.form(y));
        self.combine(&[(1, x), (-1, y)])
    }

    /// `-x`.
    pub fn negate(&mut self, x: Value) -> Value {
        self.combine(&[(-1, x)])
    }

    /// `factor x` for a factor of 1 to [`MAX_FACTOR`](Self::MAX_FACTOR).
    pub fn scale(&mut self, x: Value, factor: u32) -> Value {
        self.require("scale", factor.into(), 1, Self::MAX_FACTOR.into());
        // A factor out of range has been noted as an error; it must not overflow here.
        let factor = factor.clamp(1, Self::MAX_FACTOR);
        let weight = self.magnitude(x).map_or(0, |x| x.weight());
        if self.limits.folded.is_some() && u64::from(factor) * weight > LARGEST_FOLDED {
            // By steps: 32 times a folded number is still small enough to be folded.
            const STEP: u32 = 32;
            let x = self.reduced(x);
            let high = self.scale(x, (factor / STEP).max(1));
            let high = self.reduced(high);
            let terms = [
                (STEP.cast_signed(), high),
                ((factor % STEP).cast_signed(), x),
            ];
            let terms = match (factor / STEP, factor % STEP) {
                (0, _) => &terms[1..],
                (_, 0) => &terms[..1],
                _ => &terms[..],
            };
            return self.combine(terms);
        }
        self.combine(&[(factor.cast_signed(), x)])
    }

    /// x without its Montgomery factor, reduced to the range of a product.
    pub fn reduced_integer(&mut self, x: Value) -> Value {
        let one = match self.form(x) {
            1 => self.one(),
            _ => self.montgomery_one(),
        };
        self.multiply(x, one)
    }

    // Formulas.

    /// The outputs of a formula, whose operations are noted as its [`Span`]. The inputs are in Montgomery form; those of
    /// a larger magnitude than [`Formula`] allows are folded first if the plan folds.
    pub fn apply<F: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        &mut self,
        formula: F,
        inputs: [Value; IN],
    ) -> [Value; OUT] {
        self.apply_with(formula, inputs, None)
    }

    /// [`apply`](Self::apply) with a digit, 0 or 1, of a stream at a position, if there is one.
    pub fn apply_with<F: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        &mut self,
        _: F,
        inputs: [Value; IN],
        digit: Option<(Stream, u32)>,
    ) -> [Value; OUT] {
        self.apply_span::<F, IN, OUT>(inputs, digit, 1)
    }

    /// [`apply_with`](Self::apply_with) `times` times, from 1 to 255, each time but the first to the outputs of the time before.
    /// The operations are noted as one [`Span`], whose numbers a device may keep in registers. With a digit there are at most 63
    /// times, and the digits are bits of a scalar: the first one at the position, and each further one below.
    pub fn apply_repeatedly<F: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        &mut self,
        _: F,
        inputs: [Value; IN],
        digit: Option<(Stream, u32)>,
        times: u32,
    ) -> [Value; OUT] {
        const { assert!(F::CAN_REPEAT, "the formula cannot be repeated") };
        let most = match digit {
            None => u8::MAX.into(),
            Some((stream, position)) => {
                let info = self.streams.get(stream.index());
                let are_bits = info.is_some_and(|info| info.recoding == Recoding::BITS);
                if are_bits { position.min(62) + 1 } else { 1 }
            }
        };
        self.require("times", times.into(), 1, most.into());
        self.apply_span::<F, IN, OUT>(inputs, digit, times as u8)
    }

    /// The outputs of a formula that is applied `times` times, with a digit, if there is one: what [`apply`](Self::apply) and others
    /// do.
    fn apply_span<F: Formula<IN, OUT>, const IN: usize, const OUT: usize>(
        &mut self,
        inputs: [Value; IN],
        digit: Option<(Stream, u32)>,
        times: u8,
    ) -> [Value; OUT] {
        let inputs = inputs.map(|x| match self.limits.folded {
            Some(_) if !self.in_span && !self.fits(x, formulas::LARGEST_WEIGHT) => self.reduced(x),
            _ => x,
        });
        let largest = formulas::largest_weight(&self.limits);
        let formula = (F::SEGMENT, times, digit, largest);
        self.noted(formula, inputs, |builder, inputs| {
            let outer = mem::replace(&mut builder.digit, digit);
            let outputs = F::compute_repeatedly(builder, inputs, times);
            builder.digit = outer;
            outputs
        })
    }

    /// The outputs of a product or a square in an extension field: a function writes its operations, which are noted as a
    /// [`Span`] where inputs are at most [`LARGEST_EXTENSION_WEIGHT`](formulas::LARGEST_EXTENSION_WEIGHT) and linear
    /// combinations are not folded. They must compute what the segment says, from as many inputs: other numbers of inputs or
    /// outputs, and segments of other formulas, are refused.
    pub fn apply_in_extension<const IN: usize, const OUT: usize>(
        &mut self,
        segment: Segment,
        inputs: [Value; IN],
        operations: impl FnOnce(&mut Self, [Value; IN]) -> [Value; OUT],
    ) -> [Value; OUT] {
        let (ins, outs) = segment.extension_shape().unwrap_or((0, 0));
        self.require("segment, inputs", IN as u64, ins, ins);
        self.require("segment, outputs", OUT as u64, outs, outs);
        if self.limits.folded.is_some() {
            return operations(self, inputs);
        }
        let largest = formulas::LARGEST_EXTENSION_WEIGHT;
        self.noted((segment, 1, None, largest), inputs, operations)
    }

    /// The inverse of x modulo a prime, and 0 for 0, by operations that are noted as an [`Inversion`] if x is at
    /// most a product. They must compute this.
    pub fn inversion(
        &mut self,
        x: Value,
        operations: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        let largest = self.limits.product.weight();
        let [inverse] = self.noted((Segment::Inverse, 1, None, largest), [x], |builder, [x]| {
            [operations(builder, x)]
        });
        inverse
    }

    /// Whether a value is a number of at most this weight.
    fn fits(&self, x: Value, largest: u64) -> bool {
        let magnitude = self.magnitude(x);
        magnitude.is_none_or(|x| x.pieces == 0 && x.weight() <= largest)
    }

    /// The outputs of operations that are noted as a segment, a number of times, with a digit, if inputs are at most of a weight.
    fn noted<const IN: usize, const OUT: usize>(
        &mut self,
        (segment, times, digit, largest): (Segment, u8, Option<(Stream, u32)>, u64),
        inputs: [Value; IN],
        operations: impl FnOnce(&mut Self, [Value; IN]) -> [Value; OUT],
    ) -> [Value; OUT] {
        // Within another formula the operations are a part of that.
        if self.in_span {
            return operations(self, inputs);
        }
        let is_small = inputs.iter().all(|&x| self.fits(x, largest));
        // What is made for later use, too, belongs to no formula.
        let kept = (self.one, self.montgomery_one, self.montgomery_square);
        let reduced = is_small.then(|| mem::take(&mut self.reduced));
        self.in_span = is_small;
        let outputs = operations(self, inputs);
        self.in_span = false;
        (self.one, self.montgomery_one, self.montgomery_square) = kept;
        if let Some(reduced) = reduced {
            self.reduced = reduced;
        }
        self.spans.push(OpenSpan {
            segment,
            times,
            digit,
            inputs: inputs.into_iter().map(|x| self.register(x)).collect(),
            outputs: outputs.map(|x| self.register(x)).to_vec(),
        });
        outputs
    }

    /// Declares that formulas multiply differences of two products by this number, below `2^17`. Returns it in Montgomery
    /// form if the plan has no room for such multiples: then a product with it takes their place.
    pub fn prepare_small(&mut self, factor: u32) -> Option<Value> {
        let weight = 2 * self.limits.product.weight();
        // Factors of products are such differences, here times 8 of these numbers at most.
        let largest = weight.saturating_mul(weight).saturating_mul(16);
        if largest.saturating_mul(factor.into()) <= self.limits.operands {
            return None;
        }
        let constant = self.common(&factor.into());
        let square = self.montgomery_square();
        let value = self.multiply(constant, square);
        self.small.entry(factor).or_insert(value);
        Some(value)
    }

    /// `factor x`, a multiple, for a factor below `2^17`.
    pub fn scale_by_steps(&mut self, x: Value, factor: u32) -> Value {
        if factor <= Self::MAX_FACTOR {
            return self.scale(x, factor);
        }
        let high = self.scale(x, factor / Self::MAX_FACTOR);
        let high = self.scale(high, Self::MAX_FACTOR);
        match factor % Self::MAX_FACTOR {
            0 => high,
            rest => {
                let low = self.scale(x, rest);
                self.add(high, low)
            }
        }
    }

    // Digits and tables.

    /// The member's next scalar, of at most `bits` bits. Look-ups by digits of a secret scalar read every
    /// entry.
    pub fn scalar(&mut self, name: &str, bits: u32, secret: bool) -> Scalar {
        self.require("scalar", bits.into(), 0, Self::MAX_LENGTH.into());
        let bits = bits.min(Self::MAX_LENGTH);
        self.scalars.push(ScalarInfo {
            name: name.into(),
            bits,
            secret,
        });
        Scalar(self.scalars.len() as u32 - 1)
    }

    /// The length in bits of a scalar, and whether it is secret.
    pub fn scalar_bits(&self, scalar: Scalar) -> (u32, bool) {
        let scalar = self.scalars.get(scalar.0 as usize);
        scalar.map_or((0, true), |scalar| (scalar.bits, scalar.secret))
    }

    /// The scalar's digits.
    pub fn digits(&mut self, scalar: Scalar, recoding: Recoding) -> Stream {
        let (bits, secret) = self.scalar_bits(scalar);
        let (entries, length) = (recoding.entries(), recoding.length(bits));
        self.require("digits", entries as u64, 2, Self::MAX_OWN_ENTRIES as u64);
        self.require("digits", length as u64, 0, Self::MAX_LENGTH.into());
        self.streams.push(StreamInfo {
            scalar: scalar.0,
            recoding,
            length: length.min(Self::MAX_LENGTH as usize),
            entries,
            secret,
        });
        Stream(self.streams.len() as u32 - 1)
    }

    /// Number of digits in a stream.
    pub fn digits_in(&self, stream: Stream) -> u32 {
        let stream = self.streams.get(stream.0 as usize);
        stream.map_or(0, |stream| stream.length as u32)
    }

    /// An empty table with room for `entries` numbers.
    pub fn table(&mut self, entries: usize) -> Table {
        if entries == 0 {
            let index = self.steps.len();
            self.fail(ProgramError::Empty {
                index,
                operation: "table",
            });
        }
        self.require("table", entries as u64, 0, Self::MAX_ENTRIES as u64);
        self.tables.push(Entries {
            stored: vec![false; entries.min(Self::MAX_ENTRIES)],
            form: None,
            is_secret: false,
        });
        self.table_magnitudes.push(None);
        Table {
            builder: self.id,
            id: TableId(self.tables.len() as u32 - 1),
        }
    }

    /// A table with these entries.
    pub fn table_of(&mut self, entries: &[Value]) -> Table {
        let table = self.table(entries.len());
        for (index, &entry) in entries.iter().enumerate() {
            self.store(table, index, entry);
        }
        table
    }

    fn entries(&mut self, table: Table, operation: &'static str) -> Option<&mut Entries> {
        if table.builder != self.id {
            let index = self.steps.len();
            self.fail(ProgramError::UnsetRegister { index, operation });
            return None;
        }
        self.tables.get_mut(table.id.0 as usize)
    }

    fn check_table_form(&mut self, table: Table, x: Value, operation: &'static str) {
        let form = self.form(x);
        if let Some(entries) = self.entries(table, operation) {
            let other = *entries.form.get_or_insert(form);
            self.require_form(operation, form, other);
        }
    }

    /// Puts x into entry `entry` of the table.
    pub fn store(&mut self, table: Table, entry: usize, x: Value) {
        self.check_table_form(table, x, "store");
        let Some(entries) = self.entries(table, "store") else {
            return;
        };
        let count = entries.stored.len();
        if let Some(stored) = entries.stored.get_mut(entry) {
            *stored = true;
        } else {
            let most = count.saturating_sub(1) as u64;
            self.require("store", entry as u64, 0, most);
            return;
        }
        let x = self.register(x);
        self.append(Operation::Store {
            table: table.id,
            entry: entry as u32,
            x,
        });
    }

    /// Puts x into the entry that digit `position` of a public stream names.
    pub fn store_at(&mut self, table: Table, stream: Stream, position: u32, x: Value) {
        self.check_table_form(table, x, "store at");
        let Some(entries) = self.entries(table, "store at") else {
            return;
        };
        let count = entries.stored.len();
        let index = self.steps.len();
        self.check_digit("store at", stream, position, count);
        if let Some(info) = self.streams.get(stream.0 as usize)
            && info.secret
        {
            let stream = self.stream_name(stream);
            self.fail(ProgramError::SecretAddress { index, stream });
        }
        let x = self.register(x);
        self.append(Operation::StoreAt {
            table: table.id,
            stream,
            position,
            x,
        });
    }

    /// Entry `entry` of the table.
    pub fn load(&mut self, table: Table, entry: usize) -> Value {
        let index = self.steps.len();
        let Some(entries) = self.entries(table, "load") else {
            return self.one();
        };
        let (form, is_stored) = (
            entries.form.unwrap_or(0),
            entries.stored.get(entry).copied().unwrap_or(false),
        );
        if !is_stored {
            self.fail(ProgramError::UnsetEntry { index, entry });
        }
        self.emit(form, |out| Operation::Load {
            out,
            table: table.id,
            entry: entry as u32,
        })
    }

    /// The entry that digit `position` of the stream names. Every entry must have been stored.
    pub fn select(&mut self, table: Table, stream: Stream, position: u32) -> Value {
        let index = self.steps.len();
        let Some(entries) = self.entries(table, "select") else {
            return self.one();
        };
        let unset = entries.stored.iter().position(|&stored| !stored);
        let (form, count) = (entries.form.unwrap_or(0), entries.stored.len());
        self.check_digit("select", stream, position, count);
        if let Some(entry) = unset {
            self.fail(ProgramError::UnsetEntry { index, entry });
        }
        let is_secret = self
            .streams
            .get(stream.0 as usize)
            .is_some_and(|info| info.secret);
        if let Some(entries) = self.entries(table, "select") {
            entries.is_secret |= is_secret;
        }
        self.emit(form, |out| Operation::Select {
            out,
            table: table.id,
            stream,
            position,
        })
    }

    /// y where bit `position` of the stream is 1, x where it is 0.
    pub fn choose(&mut self, x: Value, y: Value, stream: Stream, position: u32) -> Value {
        let form = self.form(x);
        self.require_form("choose", form, self.form(y));
        self.check_digit("choose", stream, position, 2);
        let (x, y) = (self.register(x), self.register(y));
        self.emit(form, |out| Operation::Choose {
            out,
            x,
            y,
            stream,
            position,
        })
    }

    /// `-x` where bit `position` of the stream is 1, x where it is 0.
    pub fn negate_if(&mut self, x: Value, stream: Stream, position: u32) -> Value {
        let negative = self.negate(x);
        self.choose(x, negative, stream, position)
    }

    /// `[y, x]` where bit `position` of the stream is 1, `[x, y]` where it is 0.
    pub fn swap_if(&mut self, x: Value, y: Value, stream: Stream, position: u32) -> [Value; 2] {
        [
            self.choose(x, y, stream, position),
            self.choose(y, x, stream, position),
        ]
    }

    fn stream_name(&self, stream: Stream) -> String {
        let info = self.streams.get(stream.0 as usize);
        let scalar = info.and_then(|info| self.scalars.get(info.scalar as usize));
        scalar.map_or_else(String::new, |scalar| scalar.name.clone())
    }

    fn check_digit(
        &mut self,
        operation: &'static str,
        stream: Stream,
        position: u32,
        limit: usize,
    ) {
        let index = self.steps.len();
        let Some(info) = self.streams.get(stream.0 as usize).cloned() else {
            self.fail(ProgramError::UnsetRegister { index, operation });
            return;
        };
        if position as usize >= info.length {
            self.fail(ProgramError::ShortStream {
                index,
                operation,
                stream: self.stream_name(stream),
                position,
                length: info.length,
            });
        } else if info.entries > limit {
            self.fail(ProgramError::WideDigits {
                index,
                operation,
                stream: self.stream_name(stream),
                entries: info.entries,
                limit,
            });
        }
    }

    // Outputs.

    /// Puts out the canonical integer of x, and returns the output's index. A product that carries no
    /// Montgomery factor leaves as it is; any other value takes one more product.
    pub fn output(&mut self, x: Value) -> u32 {
        let x = self.for_leaving(x);
        let x = self.register(x);
        let index = self.outputs;
        self.outputs += 1;
        self.append(Operation::Output { index, x });
        index
    }

    /// Puts out whether x is zero modulo P, and returns the flag's index. One product, unless x
    /// is one.
    pub fn is_zero(&mut self, x: Value) -> u32 {
        let is_product = (self.magnitude(x)).is_some_and(|x| x.is_within(&self.limits.product));
        let x = if is_product {
            x
        } else {
            let square = self.montgomery_square();
            self.multiply(x, square)
        };
        let x = self.register(x);
        let index = self.flags;
        self.flags += 1;
        self.append(Operation::IsZero { index, x });
        index
    }

    /// Puts out whether x and y are equal modulo P, and returns the flag's index.
    pub fn equal(&mut self, x: Value, y: Value) -> u32 {
        let difference = self.subtract(x, y);
        self.is_zero(difference)
    }

    fn for_leaving(&mut self, x: Value) -> Value {
        let is_product = (self.magnitude(x)).is_some_and(|x| x.is_within(&self.limits.product));
        if self.form(x) == 0 && is_product {
            return x;
        }
        if !(0..=1).contains(&self.form(x)) {
            self.require_form("output", self.form(x), 1);
        }
        self.reduced_integer(x)
    }

    /// Builds the program, with its values assigned to registers.
    ///
    /// # Errors
    /// The first condition that an operation broke, or [`ProgramError::NoResult`].
    pub fn finish(self) -> Result<Program, ProgramError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.outputs == 0 && self.flags == 0 {
            return Err(ProgramError::NoResult);
        }
        let tables: Vec<usize> = self.tables.iter().map(|t| t.stored.len()).collect();
        let mut steps = self.steps;
        fuse(&mut steps, self.magnitudes.len());
        let mut spans = span::close(self.spans, &steps, self.magnitudes.len());
        let mut counts = Counts::default();
        for step in &steps {
            step.operation.count(&mut counts, &self.streams, &tables);
        }
        let registers = assign_registers(&mut steps, &mut spans, self.magnitudes.len());
        let (inversions, spans) = spans
            .into_iter()
            .partition(|span| span.segment == Segment::Inverse);
        // Programs are kept for long. A copy has no unused capacity, and the terms of its operations lie one after the
        // other in memory, as execution and the check of the seal read them.
        let steps = steps.clone();
        let others = steps.iter().enumerate();
        let others = others.filter(|(_, step)| !step.operation.is_arithmetic());
        let others = others.map(|(index, _)| index as u32).collect();
        let mut program = Program {
            others,
            name: self.name,
            bits: self.bits,
            limits: self.limits,
            steps,
            spans,
            inversions: Inversion::of_spans(inversions),
            inputs: self.inputs,
            common: self.common,
            own_constants: self.own_constants,
            scalars: self.scalars,
            streams: self.streams,
            tables,
            secret_tables: self.tables.iter().map(|table| table.is_secret).collect(),
            registers,
            outputs: self.outputs as usize,
            flags: self.flags as usize,
            counts,
            parts: Vec::new(),
            seal: Seal::default(),
            seal_of_spans: Seal::default(),
            seal_beside_arithmetic: Seal::default(),
            compiled: OnceLock::new(),
        };
        program.parts = program.parts_read();
        Ok(program.sealed())
    }
}

/// Renames values to registers, as few as the values that live at a time need, and returns their number. An
/// operation writes over its first operand if that is not needed any more.
fn assign_registers(steps: &mut [Step], spans: &mut [Span], values: usize) -> usize {
    let mut last_use = vec![0; values];
    for (index, step) in steps.iter().enumerate() {
        for value in step
            .operation
            .reads()
            .into_iter()
            .chain(step.operation.out())
        {
            last_use[value.0 as usize] = index;
        }
    }
    let mut assigned = vec![Register(u32::MAX); values];
    let mut free: Vec<Register> = Vec::new();
    let mut registers = 0;
    let mut starts = spans.iter_mut().peekable();
    let mut ends: Option<&mut Span> = None;
    for (index, step) in steps.iter_mut().enumerate() {
        if let Some(span) = starts.next_if(|span| span.steps.start == index) {
            for input in &mut span.inputs {
                *input = assigned[input.0 as usize];
            }
            ends = Some(span);
        }
        let operation = &mut step.operation;
        if let Operation::Multiply { x, y, .. } = operation
            && last_use[x.0 as usize] != index
            && last_use[y.0 as usize] == index
        {
            core::mem::swap(x, y);
        }
        let out = operation.out();
        let mut dying: Vec<Register> = operation.reads();
        dying.retain(|value| last_use[value.0 as usize] == index);
        dying.sort_unstable();
        dying.dedup();
        // These sums are written while their terms are still read.
        let in_place = match operation {
            Operation::SumOfProducts { .. } | Operation::Combine { .. } => None,
            _ => operation.reads().first().copied(),
        };
        let mut taken = None;
        if let (Some(out), Some(first)) = (out, in_place)
            && dying.contains(&first)
        {
            assigned[out.0 as usize] = assigned[first.0 as usize];
            taken = Some(first);
        }
        for register in operation.reads_mut() {
            *register = assigned[register.0 as usize];
        }
        if let Some(out) = out {
            if taken.is_none() {
                assigned[out.0 as usize] = free.pop().unwrap_or_else(|| {
                    registers += 1;
                    Register(registers - 1)
                });
            }
            if let Some(register) = operation.out_mut() {
                *register = assigned[out.0 as usize];
            }
        }
        for value in dying {
            if Some(value) != taken {
                free.push(assigned[value.0 as usize]);
            }
        }
        if let Some(out) = out
            && last_use[out.0 as usize] == index
        {
            free.push(assigned[out.0 as usize]);
        }
        // Outputs are read later, so that their registers are still theirs.
        if let Some(span) = ends.take_if(|span| span.steps.end == index + 1) {
            for output in span.outputs.iter_mut().flatten() {
                *output = assigned[output.0 as usize];
            }
        }
    }
    registers as usize
}

/// A formula as operations: both kinds of numbers are values.
impl Arith for Builder {
    type Tight = Value;
    type Loose = Value;

    fn next_digit(&mut self) {
        // Whether there are so many digits has been checked.
        if let Some((_, position)) = &mut self.digit {
            *position = position.saturating_sub(1);
        }
    }

    fn multiply(&mut self, x: Value, y: Value) -> Value {
        self.fitting_product(x, y)
    }

    fn square(&mut self, x: Value) -> Value {
        self.fitting_product(x, x)
    }

    fn sum_of_products<const N: usize>(&mut self, terms: [(bool, Value, Value); N]) -> Value {
        self.fitting_sum(&terms)
    }

    fn multiply_less_square(&mut self, [x, y]: [Value; 2], z: Value, factor: u32) -> Value {
        let multiple = Self::scale(self, z, factor);
        self.fitting_sum(&[(false, x, y), (true, z, multiple)])
    }

    fn multiply_small(&mut self, x: Value, factor: u32) -> Value {
        match self.small.get(&factor) {
            Some(&value) => self.fitting_product(x, value),
            None => self.scale_by_steps(x, factor),
        }
    }

    fn loosen(&mut self, x: Value) -> Value {
        x
    }

    fn add(&mut self, x: Value, y: Value) -> Value {
        Self::add(self, x, y)
    }

    fn subtract(&mut self, x: Value, y: Value) -> Value {
        Self::subtract(self, x, y)
    }

    fn scale(&mut self, x: Value, factor: u32) -> Value {
        Self::scale(self, x, factor)
    }

    fn carry(&mut self, x: Value) -> Value {
        x
    }

    fn carry_signed(&mut self, x: Value) -> Value {
        x
    }

    fn swap_by_digit(&mut self, x: Value, y: Value) -> [Value; 2] {
        match self.digit {
            Some((stream, position)) => self.swap_if(x, y, stream, position),
            None => [x, y],
        }
    }

    fn negate_by_digit(&mut self, x: Value) -> Value {
        match self.digit {
            Some((stream, position)) => self.negate_if(x, stream, position),
            None => x,
        }
    }
}
