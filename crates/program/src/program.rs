//! The program: operations with the bounds of every value, and all data that a device reads of it.

use core::{
    any::Any,
    ops::Range,
    panic::{RefUnwindSafe, UnwindSafe},
};
use std::sync::OnceLock;

use crate::{
    Constant, Counts, Forms, Limits, Magnitude, Operation, Part, ProgramError, Register,
    ScalarInfo, Stream, StreamInfo,
    formulas::Segment,
    seal::{Checksum, Content, Seal},
};
use smallvec::SmallVec;

/// A program for members with moduli of one size: operations over registers, with the bounds of
/// every value checked against the [`Limits`] that it was built for.
///
/// [`fmt::Display`](core::fmt::Display) prints it, one operation a line.
pub struct Program {
    /// The name that is printed.
    pub(crate) name: String,
    /// The size class: members' moduli are below `2^bits`.
    pub(crate) bits: u32,
    /// The limits that its magnitudes were computed with.
    pub(crate) limits: Limits,
    /// The operations, in order, with their bounds.
    pub(crate) steps: Vec<Step>,
    /// The formulas among the operations, in order.
    pub(crate) spans: Vec<Span>,
    /// The inversions among the operations, in order.
    pub(crate) inversions: Vec<Inversion>,
    /// The indices of operations that are not arithmetic: few of many.
    pub(crate) others: Vec<u32>,
    /// Lengths in bits of the members' integers, in whole pieces of [`bits`](Self::bits).
    pub(crate) inputs: Vec<u32>,
    /// Integers that are the same for all members, in little-endian words.
    pub(crate) common: Vec<Vec<crypto_bigint::Word>>,
    /// The power of the Montgomery factor of each constant that each member's modulus brings.
    pub(crate) own_constants: Forms,
    /// The scalars of each member.
    pub(crate) scalars: Vec<ScalarInfo>,
    /// The streams of digits that the scalars are taken apart into.
    pub(crate) streams: Vec<StreamInfo>,
    /// Number of entries of each table.
    pub(crate) tables: Vec<usize>,
    /// Whether digits of a secret stream select from each table.
    pub(crate) secret_tables: Vec<bool>,
    /// Number of registers in use.
    pub(crate) registers: usize,
    /// Number of integers that each member's run yields.
    pub(crate) outputs: usize,
    /// Number of flags that each member's run yields.
    pub(crate) flags: usize,
    /// Number of runs of each kind of operation.
    pub(crate) counts: Counts,
    /// The ways in which it reads the constants that a modulus brings.
    pub(crate) parts: Vec<Part>,
    /// The seal of everything that a run depends on that does not read the operations of spans.
    pub(crate) seal: Seal,
    /// The seal of the operations of spans.
    pub(crate) seal_of_spans: Seal,
    /// The seal of everything that a run depends on that does not read arithmetic operations.
    pub(crate) seal_beside_arithmetic: Seal,
    /// The form of the program that a device has made, once it has.
    pub(crate) compiled: OnceLock<Box<dyn Compiled>>,
}

/// A form of a program that a device has made.
pub(crate) trait Compiled: Any + Send + Sync + UnwindSafe + RefUnwindSafe {}

impl<T: Any + Send + Sync + UnwindSafe + RefUnwindSafe> Compiled for T {}

/// The bare program: everything but the operations of spans.
struct Bare<'a>(&'a Program);

impl Content for Bare<'_> {
    fn add_to(&self, sum: &mut Checksum) {
        let Program { steps, spans, .. } = self.0;
        sum.apart(|sum| {
            let mut next = 0;
            let ends = spans.iter().map(|span| (span.steps.start, span.steps.end));
            for (start, end) in ends.chain([(steps.len(), 0)]) {
                // A changed span may name any operations.
                for step in steps.get(next..start).unwrap_or_default() {
                    step.operation.add_to(sum);
                }
                next = end;
            }
        });
        spans.add_to(sum);
        Surroundings(self.0).add_to(sum);
    }
}

/// Everything but arithmetic operations.
struct BesideArithmetic<'a>(&'a Program);

impl Content for BesideArithmetic<'_> {
    fn add_to(&self, sum: &mut Checksum) {
        let Program { steps, others, .. } = self.0;
        others.add_to(sum);
        sum.apart(|sum| {
            // A changed index may name no operation.
            let others = others.iter().filter_map(|&index| steps.get(index as usize));
            others.for_each(|step| step.operation.add_to(sum));
        });
        Surroundings(self.0).add_to(sum);
    }
}

/// Everything but operations.
struct Surroundings<'a>(&'a Program);

impl Content for Surroundings<'_> {
    fn add_to(&self, sum: &mut Checksum) {
        let Program {
            bits,
            steps,
            spans: _,
            inversions,
            others: _,
            inputs,
            common,
            own_constants,
            scalars,
            streams,
            tables,
            secret_tables,
            registers,
            outputs,
            flags,
            name: _,
            limits: _,
            counts: _,
            parts: _,
            seal: _,
            seal_of_spans: _,
            seal_beside_arithmetic: _,
            compiled: _,
        } = self.0;
        inversions.add_to(sum);
        inputs.add_to(sum);
        common.add_to(sum);
        own_constants.add_to(sum);
        scalars.add_to(sum);
        streams.add_to(sum);
        tables.add_to(sum);
        for &is_secret in secret_tables {
            sum.word(is_secret.into());
        }
        [steps.len(), *registers, *outputs, *flags, *bits as usize].add_to(sum);
    }
}

/// The operations of spans of a program.
struct Spans<'a>(&'a Program);

impl Content for Spans<'_> {
    fn add_to(&self, sum: &mut Checksum) {
        for span in &self.0.spans {
            let steps = self.0.steps.get(span.steps.clone());
            steps.unwrap_or_default().add_to(sum);
        }
    }
}
impl Content for Step {
    fn add_to(&self, sum: &mut Checksum) {
        self.operation.add_to(sum);
    }

    fn add_all(list: &[Self], sum: &mut Checksum) {
        sum.word(list.len() as u64);
        sum.apart(|sum| {
            for step in list {
                step.operation.add_to(sum);
            }
        });
    }
}

/// An operation, and the bounds of its result.
#[derive(Clone)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// The magnitude of the register that it writes, if it writes one.
    pub magnitude: Option<Magnitude>,
    /// The number of the formula that it belongs to, if to any, while the program is built.
    pub(crate) span: Option<u32>,
}

/// Operations that follow each other and compute a formula. A device that has compiled its segment may run that instead,
/// which reads the inputs and writes the outputs; no other register that the operations write is read later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The formula.
    pub segment: Segment,
    /// How many times it is applied, at least once: each time but the first to the outputs of the time before
    /// ([`CAN_REPEAT`](crate::formulas::Formula::CAN_REPEAT)).
    pub times: u8,
    /// The indices of the operations.
    pub steps: Range<usize>,
    /// The stream and the position of the formula's digit, if it has one; each further time it has the digit below.
    pub digit: Option<(Stream, u32)>,
    /// The registers of the formula's inputs.
    pub inputs: SmallVec<[Register; 8]>,
    /// The registers of the formula's outputs; `None` for those that nothing reads. No two are the same.
    pub outputs: SmallVec<[Option<Register>; 4]>,
}

impl Span {
    /// The memory that it has elsewhere, in bytes.
    fn heap_bytes(&self) -> usize {
        let inputs = self.inputs.spilled().then(|| size_of_val(&*self.inputs));
        let outputs = self.outputs.spilled().then(|| size_of_val(&*self.outputs));
        inputs.unwrap_or(0) + outputs.unwrap_or(0)
    }
}

/// Operations that follow each other and invert a number modulo a prime P: 0 gives 0. A device may invert by other means, and
/// several groups that compute modulo the same prime may share an inversion of a product (Montgomery's trick, 1987): of the
/// members' numbers the operations read x only, which is at most a product; they write the inverse, and no other register that
/// they write is read later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inversion {
    /// The indices of the operations.
    pub steps: Range<usize>,
    /// The register of x.
    pub x: Register,
    /// The register of the inverse.
    pub inverse: Register,
}

impl Inversion {
    /// The inversions that spans are.
    pub(crate) fn of_spans(spans: Vec<Span>) -> Vec<Self> {
        let inversion = |span: Span| match (&span.inputs[..], &span.outputs[..]) {
            (&[x], &[Some(inverse)]) => Some(Self {
                steps: span.steps,
                x,
                inverse,
            }),
            _ => None,
        };
        spans.into_iter().filter_map(inversion).collect()
    }
}

impl Content for Inversion {
    fn add_to(&self, sum: &mut Checksum) {
        let Self { steps, x, inverse } = self;
        steps.add_to(sum);
        sum.word(x.0.into());
        sum.word(inverse.0.into());
    }
}

impl Program {
    /// The program's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The size class in bits: it runs for moduli of this class.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Number of runs of each kind of operation.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Number of runs of each kind of operation in the [spans](Self::spans).
    pub fn counts_of_spans(&self) -> Counts {
        self.counts_of(self.spans.iter().map(|span| &span.steps))
    }

    /// Number of runs of each kind of operation in the [inversions](Self::inversions).
    pub fn counts_of_inversions(&self) -> Counts {
        self.counts_of(self.inversions.iter().map(|inversion| &inversion.steps))
    }

    /// Number of runs of each kind of operation among these.
    fn counts_of<'a>(&self, ranges: impl Iterator<Item = &'a Range<usize>>) -> Counts {
        let mut counts = Counts::default();
        for step in ranges.flat_map(|range| &self.steps[range.clone()]) {
            let operation = &step.operation;
            operation.count(&mut counts, &self.streams, &self.tables);
        }
        counts
    }

    /// The limits that its magnitudes were computed with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Number of registers that are in use at a time.
    pub fn registers(&self) -> usize {
        self.registers
    }

    /// Number of integers that each member brings.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Number of scalars that each member brings.
    pub fn scalars(&self) -> usize {
        self.scalars.len()
    }

    /// Number of constants that each member's modulus brings.
    pub fn own_constants(&self) -> usize {
        self.own_constants.len()
    }

    /// Number of integers that each member's run yields.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Number of flags that each member's run yields.
    pub fn flags(&self) -> usize {
        self.flags
    }

    /// The operations, in order, with the magnitudes of their results.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The formulas among the operations, in order.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The inversions among the operations, in order.
    pub fn inversions(&self) -> &[Inversion] {
        &self.inversions
    }

    /// Lengths in bits of the integers that each member brings.
    pub fn input_bits(&self) -> &[u32] {
        &self.inputs
    }

    /// Integers that are the same for all members, in little-endian words.
    pub fn common(&self) -> &[Vec<crypto_bigint::Word>] {
        &self.common
    }

    /// The power of the Montgomery factor that each constant of a member's modulus carries.
    pub fn constant_forms(&self) -> &Forms {
        &self.own_constants
    }

    /// The scalars of each member.
    pub fn scalar_infos(&self) -> &[ScalarInfo] {
        &self.scalars
    }

    /// The streams of digits that scalars are taken apart into.
    pub fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    /// Number of entries of each table.
    pub fn tables(&self) -> &[usize] {
        &self.tables
    }

    /// Whether digits of a secret stream select from each table.
    pub fn secret_tables(&self) -> &[bool] {
        &self.secret_tables
    }

    /// The ways in which it reads the constants of a modulus.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The operations, in order.
    pub fn operations(&self) -> impl ExactSizeIterator<Item = &Operation> {
        self.steps.iter().map(|step| &step.operation)
    }

    /// The ways in which the operations read the constants that a modulus brings.
    pub(crate) fn parts_read(&self) -> Vec<Part> {
        let part = |operation: &Operation| match *operation {
            Operation::Constant {
                constant: Constant::Own(number),
                ..
            } if (number as usize) < Part::SINGLE => Some(Part::Single),
            Operation::SelectOwn { stream, .. } if self.streams[stream.0 as usize].secret => {
                Some(Part::Secret)
            }
            Operation::Constant {
                constant: Constant::Own(_),
                ..
            }
            | Operation::SelectOwn { .. } => Some(Part::Public),
            _ => None,
        };
        let read: Vec<_> = self.operations().filter_map(part).collect();
        let mut parts = Part::ALL.to_vec();
        // Devices that keep constants in one form keep it as the first part.
        parts.retain(|part| *part == Part::Single || read.contains(part));
        parts
    }

    /// Whether the program is unchanged since it was built.
    pub fn is_whole(&self) -> bool {
        self.is_whole_without_spans() && self.seal_of_spans.holds(&Spans(self))
    }

    /// Whether everything is unchanged that a run depends on for which no operation of a span was read: a device had
    /// compiled code for each formula.
    pub fn is_whole_without_spans(&self) -> bool {
        self.seal.holds(&Bare(self))
    }

    /// Whether everything is unchanged that a run depends on for which no arithmetic operation was read: a device had
    /// compiled them.
    pub fn is_whole_beside_arithmetic(&self) -> bool {
        self.seal_beside_arithmetic.holds(&BesideArithmetic(self))
    }

    /// The form of the program that a device has made of it by `compile`, made the first time. A program has one such form:
    /// `None` if one of another type is there.
    pub fn compiled<T: Any + Send + Sync + UnwindSafe + RefUnwindSafe>(
        &self,
        compile: impl FnOnce(&Self) -> T,
    ) -> Option<&T> {
        let compiled = self.compiled.get_or_init(|| Box::new(compile(self)));
        (&**compiled as &dyn Any).downcast_ref()
    }

    /// The program with its seals.
    pub(crate) fn sealed(mut self) -> Self {
        self.seal = Seal::of(&Bare(&self));
        self.seal_of_spans = Seal::of(&Spans(&self));
        self.seal_beside_arithmetic = Seal::of(&BesideArithmetic(&self));
        self
    }

    /// The memory of its parts, in bytes.
    pub fn bytes(&self) -> usize {
        let terms = self.operations().map(Operation::heap_bytes);
        let common = self.common.iter().map(|words| size_of_val(&**words));
        let registers = self.spans.iter().map(Span::heap_bytes);
        size_of_val(&*self.steps)
            + size_of_val(&*self.spans)
            + size_of_val(&*self.inversions)
            + registers.sum::<usize>()
            + terms.sum::<usize>()
            + common.sum::<usize>()
            + size_of_val(&*self.others)
            + size_of_val(&*self.inputs)
            + self.own_constants.heap_bytes()
            + size_of_val(&*self.scalars)
            + size_of_val(&*self.streams)
            + size_of_val(&*self.tables)
    }

    /// Checks every magnitude against other limits, too: the limits of a modulus.
    ///
    /// # Errors
    /// The condition that the first failing operation breaks.
    pub fn check_limits(&self, limits: &Limits) -> Result<(), ProgramError> {
        if *limits == self.limits {
            return Ok(());
        }
        let mut magnitudes: Vec<Option<Magnitude>> = vec![None; self.registers];
        let mut table_magnitudes: Vec<Option<Magnitude>> = vec![None; self.tables.len()];
        let piece = Magnitude::piece(self.bits);
        for (index, step) in self.steps.iter().enumerate() {
            (step.operation).follow(
                limits,
                piece,
                index,
                &mut magnitudes,
                &mut table_magnitudes,
            )?;
        }
        Ok(())
    }
}

impl core::fmt::Debug for Program {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .field("bits", &self.bits)
            .finish_non_exhaustive()
    }
}
