//! The interpreter: executes a program on a group, operation by operation.

use core::mem;

use crypto_bigint::{BoxedUint, Word};
use smallvec::SmallVec;
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing"))]
use crate::instrument::{self, Instrument};
#[cfg(any(test, feature = "testing"))]
use crate::kept::own;
use crate::{
    device::{Member, Outcome, Work},
    faults::Finding,
    group::Group,
    program::{
        Constant, Input, Multiple, Operation, OwnTable, Product, Program, Register, Span, Stream,
        piece_bits,
    },
};

/// Whether formulas of points are compiled; if not, the interpreter reads them. Compiling them takes a third of the time that
/// the crate takes. In unit tests that would be a second time, and tests of the library run them; `make run` is for a first
/// look, and signs with RSA; and short runs of fuzz targets are about other code.
pub(crate) const FORMULAS_ARE_COMPILED: bool = !cfg!(any(test, sunzi_reads_formulas));

/// Runs the work on the group that `make` returns for its members. If the group has more places
/// than the work has members, the first member fills them; their results are dropped.
pub(crate) fn run<'a, G: Group>(
    work: &Work<'a>,
    make: impl FnOnce(&[Member<'a>]) -> G,
) -> Vec<Outcome> {
    let places = (0..G::WIDTH).map(|place| *work.members.get(place).unwrap_or(&work.members[0]));
    let members: Vec<Member<'a>> = places.collect();
    let group = make(&members);
    #[cfg(any(test, feature = "testing"))]
    {
        let instrument = work.instrument.map(own::<Instrument>);
        instrument::run(instrument, group, |group| interpret(group, work, &members))
    }
    #[cfg(not(any(test, feature = "testing")))]
    {
        let mut group = group;
        interpret(&mut group, work, &members)
    }
}

/// Executes a program, and returns the results of the work's members; findings of redundant channels go to
/// the work's notes. Requires a member for every place of the group.
fn interpret<G: Group>(group: &mut G, work: &Work<'_>, members: &[Member<'_>]) -> Vec<Outcome> {
    let (program, count) = (work.program, work.members.len());
    let mut machine = Machine {
        registers: (0..group.registers(program))
            .map(|_| group.zero())
            .collect(),
        tables: (program.tables().iter().zip(program.secret_tables()))
            .map(|(&entries, &is_secret)| group.table(entries, is_secret))
            .collect(),
        spare: group.zero(),
        digits: Zeroizing::new(vec![0; members.len()]),
        scalars: (0..program.scalars())
            .flat_map(|scalar| members.iter().map(move |member| (member, scalar)))
            .map(|(member, scalar)| member.scalars[scalar].as_words())
            .collect(),
        digits_of: None,
        outcomes: (0..count)
            .map(|_| Outcome {
                integers: Vec::with_capacity(program.outputs()),
                flags: Vec::with_capacity(program.flags()),
            })
            .collect(),
        program,
        members,
    };
    let mut spans = program.spans().iter().peekable();
    let mut operation = 0;
    while let Some(step) = program.steps().get(operation) {
        if let Some(span) = spans.next_if(|span| span.steps.start == operation) {
            if machine.run_segment(group, span) {
                #[cfg(debug_assertions)]
                machine.assert_outputs(group, span);
                operation = span.steps.end;
                continue;
            }
            work.notes.spans_were_read.set(true);
        }
        let done = group.run_steps(&mut machine.registers, program, operation);
        if done > 0 {
            operation += done;
            // They may have been those of spans.
            while spans.next_if(|span| span.steps.start < operation).is_some() {}
            continue;
        }
        machine.execute(group, &step.operation);
        let suspects = group.take_suspects().into_iter();
        let suspects = suspects.filter(|suspect| suspect.member < count);
        let findings = suspects.map(|suspect| Finding { suspect, operation });
        work.notes.findings.borrow_mut().extend(findings);
        #[cfg(debug_assertions)]
        if work.notes.findings.borrow().is_empty() {
            machine.assert_magnitude(group, step);
        }
        operation += 1;
    }
    machine.outcomes
}

/// The terms of a sum of products. Most sums have few.
type Terms<'a, G> = SmallVec<[(bool, &'a <G as Group>::Numbers, &'a <G as Group>::Numbers); 4]>;

/// The terms of a linear combination. Most have few.
type Multiples<'a, G> = SmallVec<[(i32, &'a <G as Group>::Numbers); 4]>;

/// The state of a program's execution.
struct Machine<'a, G: Group> {
    program: &'a Program,
    members: &'a [Member<'a>],
    registers: Vec<G::Numbers>,
    tables: Vec<G::Table>,
    /// Space for a copy of an operand that the result overwrites.
    spare: G::Numbers,
    /// The digit of each member's scalar that the last operation with digits used.
    digits: Zeroizing<Vec<u64>>,
    /// The words of the scalars, for each scalar those of all members.
    scalars: Vec<&'a [Word]>,
    /// The stream and the position of these digits.
    digits_of: Option<(Stream, u32)>,
    outcomes: Vec<Outcome>,
}

impl<G: Group> Machine<'_, G> {
    fn register(&self, register: Register) -> &G::Numbers {
        &self.registers[register.index()]
    }

    /// Calls `write` to overwrite a register in place. The register's old value has no meaning.
    fn write(&mut self, out: Register, write: impl FnOnce(&Self, &mut G::Numbers)) {
        let mut numbers = mem::take(&mut self.registers[out.index()]);
        write(self, &mut numbers);
        self.registers[out.index()] = numbers;
    }

    /// `out := x`, then applies `change` to `out`. `change` may read any register but `out`.
    fn change(
        &mut self,
        group: &mut G,
        out: Register,
        x: Register,
        change: impl FnOnce(&Self, &mut G, &mut G::Numbers),
    ) {
        let mut numbers = mem::take(&mut self.registers[out.index()]);
        if out != x {
            group.copy(self.register(x), &mut numbers);
        }
        change(self, group, &mut numbers);
        self.registers[out.index()] = numbers;
    }

    /// [`change`](Self::change) with a second operand y, which may be the same register as `out`.
    fn change_by(
        &mut self,
        group: &mut G,
        [out, x, y]: [Register; 3],
        change: impl FnOnce(&mut G, &mut G::Numbers, &G::Numbers),
    ) {
        if out == y {
            let mut copy = mem::take(&mut self.spare);
            group.copy(self.register(y), &mut copy);
            self.change(group, out, x, |_, group, numbers| {
                change(group, numbers, &copy);
            });
            self.spare = copy;
        } else {
            self.change(group, out, x, |machine, group, numbers| {
                change(group, numbers, machine.register(y));
            });
        }
    }

    /// Sets `digits` to each member's digit of a stream at a position.
    fn take_digits(&mut self, stream: Stream, position: u32) {
        if self.digits_of == Some((stream, position)) {
            return;
        }
        self.digits_of = Some((stream, position));
        let info = &self.program.streams()[stream.index()];
        let first = info.scalar as usize * self.members.len();
        let scalars = self.scalars[first..].iter().copied();
        let scalars = self.digits.iter_mut().zip(scalars);
        info.recoding.digits(position, scalars);
    }

    /// Runs the code of a span, if there is any, and returns whether there is.
    fn run_segment(&mut self, group: &mut G, span: &Span) -> bool {
        if let Some((stream, position)) = span.digit {
            self.take_digits(stream, position);
        }
        let digits = span.digit.is_some().then_some(&**self.digits);
        group.run_segment(&mut self.registers, span, digits)
    }

    fn execute(&mut self, group: &mut G, operation: &Operation) {
        match *operation {
            Operation::Enter { out, input, piece } => self.enter(group, out, input, piece),
            Operation::Constant { out, constant } => self.constant(group, out, constant),
            Operation::Multiply { out, x, y } if x == y => {
                self.change(group, out, x, |_, group, x| group.square_times(x, 1));
            }
            Operation::Multiply { out, x, y } if out == x => {
                self.change_by(group, [out, x, y], G::multiply);
            }
            Operation::Multiply { out, x, y } if out == y => {
                self.change_by(group, [out, y, x], G::multiply);
            }
            Operation::Multiply { out, x, y } => self.write(out, |machine, out| {
                group.multiply_into(machine.register(x), machine.register(y), out);
            }),
            Operation::Square { out, x, times } => {
                self.change(group, out, x, |_, group, x| group.square_times(x, times));
            }
            Operation::SumOfProducts { out, ref terms } => {
                self.sum_of_products(group, out, terms);
            }
            Operation::Combine {
                out,
                ref terms,
                lift,
                fold,
            } => self.combine(group, out, terms, (lift, fold)),
            Operation::Choose {
                out,
                x,
                y,
                stream,
                position,
            } => {
                self.take_digits(stream, position);
                let bits = mem::take(&mut self.digits);
                self.change_by(group, [out, x, y], |group, x, y| group.choose(&bits, x, y));
                self.digits = bits;
            }
            Operation::Store { table, entry, x } => {
                let numbers = &self.registers[x.index()];
                group.store(&mut self.tables[table.index()], entry as usize, numbers);
            }
            Operation::StoreAt {
                table,
                stream,
                position,
                x,
            } => {
                self.take_digits(stream, position);
                let numbers = &self.registers[x.index()];
                group.store_at(&mut self.tables[table.index()], &self.digits, numbers);
            }
            Operation::Load { out, table, entry } => self.write(out, |machine, out| {
                group.load(&machine.tables[table.index()], entry as usize, out);
            }),
            Operation::Select {
                out,
                table,
                stream,
                position,
            } => {
                self.take_digits(stream, position);
                let secret = self.program.streams()[stream.index()].secret;
                self.write(out, |machine, out| {
                    let table = &machine.tables[table.index()];
                    if secret {
                        group.select(table, &machine.digits, out);
                    } else {
                        group.select_public(table, &machine.digits, out);
                    }
                });
            }
            Operation::SelectOwn {
                out,
                table,
                stream,
                position,
            } => self.select_own(group, out, table, (stream, position)),
            Operation::Output { x, .. } => {
                let integers = group.leave(self.register(x), self.outcomes.len());
                for (outcome, integer) in self.outcomes.iter_mut().zip(integers) {
                    outcome.integers.push(integer);
                }
            }
            Operation::IsZero { x, .. } => {
                let are_zero = group.are_zero(self.register(x), self.outcomes.len());
                for (outcome, is_zero) in self.outcomes.iter_mut().zip(are_zero) {
                    outcome.flags.push(is_zero);
                }
            }
        }
    }

    fn sum_of_products(&mut self, group: &mut G, out: Register, terms: &[Product]) {
        self.write(out, |machine, out| {
            let mut products = Terms::<'_, G>::new();
            for term in terms {
                let [x, y] = [term.x, term.y].map(|factor| machine.register(factor));
                products.push((term.negative, x, y));
            }
            group.sum_of_products(&products, out);
        });
    }

    fn combine(
        &mut self,
        group: &mut G,
        out: Register,
        terms: &[Multiple],
        (lift, fold): (u64, bool),
    ) {
        let mut spare = mem::take(&mut self.spare);
        self.write(out, |machine, out| {
            let mut multiples = Multiples::<'_, G>::new();
            for term in terms {
                multiples.push((term.factor, machine.register(term.x)));
            }
            group.combine(&multiples, lift, fold, &mut spare, out);
        });
        self.spare = spare;
    }

    fn select_own(
        &mut self,
        group: &mut G,
        out: Register,
        table: OwnTable,
        (stream, position): (Stream, u32),
    ) {
        self.take_digits(stream, position);
        let secret = self.program.streams()[stream.index()].secret;
        self.write(out, |machine, out| {
            let (members, digits) = (machine.members, &machine.digits);
            if secret {
                group.select_own(members, table, digits, out);
            } else {
                group.select_own_public(members, table, digits, out);
            }
        });
    }

    fn enter(&mut self, group: &mut G, out: Register, input: Input, piece: u32) {
        let length = (piece_bits(self.program.bits()) / Word::BITS) as usize;
        let first = piece as usize * length;
        let cut = |integer: &BoxedUint| -> core::ops::Range<usize> {
            let words = integer.as_words().len();
            first.min(words)..(first + length).min(words)
        };
        self.write(out, |machine, out| {
            let words: Vec<&[Word]> = (machine.members.iter().enumerate())
                .map(|(place, member)| {
                    let integer = match input {
                        Input::Given(k) => member.inputs[k as usize],
                        Input::Output(k) => {
                            // The first member fills the places without one.
                            let outcome = machine.outcomes.get(place);
                            let outcome = outcome.unwrap_or(&machine.outcomes[0]);
                            &outcome.integers[k as usize]
                        }
                    };
                    &integer.as_words()[cut(integer)]
                })
                .collect();
            group.enter(&words, out);
        });
    }

    fn constant(&mut self, group: &mut G, out: Register, constant: Constant) {
        self.write(out, |machine, out| match constant {
            Constant::One => group.one(out),
            Constant::MontgomerySquare => group.montgomery_square(out),
            Constant::Own(k) => {
                group.own_constants(machine.members, &vec![k.into(); machine.members.len()], out);
            }
            Constant::Common(k) => {
                let words = machine.program.common()[k as usize].as_slice();
                group.enter(&vec![words; machine.members.len()], out);
            }
        });
    }

    /// Asserts that a segment's outputs are within the magnitudes that its operations would have given.
    #[cfg(debug_assertions)]
    fn assert_outputs(&self, group: &G, span: &Span) {
        let steps = &self.program.steps()[span.steps.clone()];
        for output in span.outputs.iter().flatten() {
            let mut writes = steps.iter().rev();
            if let Some(step) = writes.find(|step| step.operation.out() == Some(*output)) {
                self.assert_magnitude(group, step);
            }
        }
    }

    /// Asserts for one member that the register just written is within its magnitude.
    #[cfg(debug_assertions)]
    fn assert_magnitude(&self, group: &G, step: &crate::program::Step) {
        if let (Some(out), Some(magnitude)) = (step.operation.out(), &step.magnitude) {
            // Checks the first place or the last, depending on the register.
            let member = if out.index() & 1 == 0 {
                0
            } else {
                self.members.len() - 1
            };
            let holds = group.is_within(self.register(out), member, magnitude);
            debug_assert!(holds, "{} leaves {magnitude}", step.operation);
        }
    }
}
