//! The interpreter: executes a program on a group, operation by operation.

use core::{mem, ops::Range};

use crypto_bigint::{BoxedUint, Word};
use smallvec::SmallVec;
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing"))]
use crate::instrument::{self, Instrument};
#[cfg(any(test, feature = "testing"))]
use crate::kept::own;
use crate::{
    device::{Member, Outcome, Work},
    faults::{Finding, Suspect},
    group::Group,
    program::{
        Constant, Input, Inversion, Multiple, Operation, OwnTable, Product, Program, Register,
        Span, Stream, StreamInfo, piece_bits, recode::bits_at,
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
    let members = in_places::<G>(work.members);
    let group = make(&members);
    run_groups(work, [group], &[members])
}

/// Runs the work on the groups that `make` returns, each for as many of the work's members as it has places. All members
/// have the same modulus: the groups share their inversions, or, if there are none, the memory of one machine.
pub(crate) fn run_together<'a, G: Group>(
    work: &Work<'a>,
    make: impl Fn(&[Member<'a>]) -> G,
) -> Vec<Outcome> {
    let members = work.members.chunks(G::WIDTH).map(in_places::<G>);
    let members: Vec<_> = members.collect();
    let groups: Vec<_> = members.iter().map(|members| make(members)).collect();
    run_groups(work, groups, &members)
}

/// The members of a group: the first one fills the places that are left.
fn in_places<'a, G: Group>(members: &[Member<'a>]) -> Vec<Member<'a>> {
    let places = (0..G::WIDTH).map(|place| *members.get(place).unwrap_or(&members[0]));
    places.collect()
}

/// Runs the work on these groups, which have these members.
fn run_groups<G: Group>(
    work: &Work<'_>,
    groups: impl IntoIterator<Item = G> + AsMut<[G]>,
    members: &[Vec<Member<'_>>],
) -> Vec<Outcome> {
    #[cfg(any(test, feature = "testing"))]
    {
        let instrument = work.instrument.map(own::<Instrument>);
        instrument::run(instrument, groups, |groups| {
            interpret(groups, work, members)
        })
    }
    #[cfg(not(any(test, feature = "testing")))]
    {
        let mut groups = groups;
        interpret(groups.as_mut(), work, members)
    }
}

/// Executes a program, and returns the results of the work's members; findings of redundant channels go to
/// the work's notes. Requires a member for every place of the groups.
fn interpret<G: Group>(
    groups: &mut [G],
    work: &Work<'_>,
    members: &[Vec<Member<'_>>],
) -> Vec<Outcome> {
    let (program, all) = (work.program, work.members.len());
    let steps = 0..program.steps().len();
    if let ([group], [members]) = (&mut *groups, members) {
        let mut machine = Machine::new(group, program, members, 0..all);
        machine.run(group, work, steps);
        return machine.outcomes;
    }
    let firsts = (0..all).step_by(G::WIDTH);
    let indices = firsts.map(|first| first..(first + G::WIDTH).min(all));
    let members = members.iter().zip(indices);
    if program.inversions().is_empty() {
        return one_by_one(groups, work, members);
    }
    let machines = groups.iter().zip(members);
    let machines =
        machines.map(|(group, (members, indices))| Machine::new(group, program, members, indices));
    let mut machines: Vec<_> = machines.collect();
    let mut from = 0;
    for inversion in program.inversions() {
        let steps = &inversion.steps;
        for (machine, group) in machines.iter_mut().zip(&mut *groups) {
            machine.run(group, work, from..steps.start);
        }
        share_inversion(groups, &mut machines, work, inversion);
        from = steps.end;
    }
    for (machine, group) in machines.iter_mut().zip(groups) {
        machine.run(group, work, from..steps.end);
    }
    let outcomes = machines.into_iter().map(|machine| machine.outcomes);
    outcomes.flatten().collect()
}

/// Executes a program on one group after the other, in the same memory: new tables would be cleared and wiped for each.
fn one_by_one<'a, G: Group>(
    groups: &mut [G],
    work: &Work<'a>,
    members: impl Iterator<Item = (&'a Vec<Member<'a>>, Range<usize>)>,
) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(work.members.len());
    let mut machine: Option<Machine<'a, G>> = None;
    for (group, (members, indices)) in groups.iter_mut().zip(members) {
        let machine = match &mut machine {
            Some(machine) => {
                machine.begin(members, indices);
                machine
            }
            None => machine.insert(Machine::new(group, work.program, members, indices)),
        };
        machine.run(group, work, 0..work.program.steps().len());
        outcomes.append(&mut machine.outcomes);
    }
    outcomes
}

/// Inverts a number of each group, all modulo the same numbers: the product by the inversion's operations, on the last group,
/// and three products for every other group (Montgomery's trick). A number that is 0 has the inverse 0, and leaves others as
/// they are. Constant time.
fn share_inversion<G: Group>(
    groups: &mut [G],
    machines: &mut [Machine<'_, G>],
    work: &Work<'_>,
    inversion: &Inversion,
) {
    let (x, inverse) = (inversion.x.index(), inversion.inverse.index());
    let [zero, mut one, mut square, mut rest] = core::array::from_fn(|_| groups[0].zero());
    groups[0].montgomery_square(&mut square);
    groups[0].one(&mut one);
    groups[0].multiply(&mut one, &square);
    // Each number, with 1 in place of 0, the product of those before it, and where it is 0.
    let mut shared = Vec::with_capacity(machines.len());
    let mut product = groups[0].zero();
    groups[0].copy(&one, &mut product);
    for (machine, group) in machines.iter().zip(&mut *groups) {
        let are_zero = group.are_zero(&machine.registers[x], G::WIDTH);
        let are_zero: Vec<u64> = are_zero.into_iter().map(u64::from).collect();
        let are_zero = Zeroizing::new(are_zero);
        let mut number = group.zero();
        group.copy(&machine.registers[x], &mut number);
        group.choose(&are_zero, &mut number, &one);
        let mut before = group.zero();
        group.copy(&product, &mut before);
        group.multiply(&mut product, &number);
        shared.push((number, before, are_zero));
    }
    let last = machines.len() - 1;
    let (machine, group) = (&mut machines[last], &mut groups[last]);
    let own = mem::replace(&mut machine.registers[x], product);
    machine.run(group, work, inversion.steps.clone());
    group.copy(&machine.registers[inverse], &mut rest);
    if x != inverse {
        machine.registers[x] = own;
    }
    // `rest` is the inverse of the product of the numbers up to this one.
    for ((machine, group), (number, before, are_zero)) in
        machines.iter_mut().zip(groups).zip(shared).rev()
    {
        let own = &mut machine.registers[inverse];
        group.multiply_into(&rest, &before, own);
        group.choose(&are_zero, own, &zero);
        group.multiply(&mut rest, &number);
    }
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
    /// The digit of each member's scalar that the last operation with digits used, or the digits of a span.
    digits: Zeroizing<Vec<u64>>,
    /// The words of the scalars, for each scalar those of all members.
    scalars: Vec<&'a [Word]>,
    /// The stream and the position of these digits.
    digits_of: Option<(Stream, u32)>,
    /// The results of the work's members, which are the group's first ones.
    outcomes: Vec<Outcome>,
    /// The index of the first of these among all of the work's members.
    first: usize,
}

impl<'a, G: Group> Machine<'a, G> {
    /// The state before the first operation, for members of which those in the group's first places are the work's members
    /// with these indices.
    fn new(
        group: &G,
        program: &'a Program,
        members: &'a [Member<'a>],
        indices: Range<usize>,
    ) -> Self {
        let mut machine = Machine {
            registers: (0..group.registers(program))
                .map(|_| group.zero())
                .collect(),
            tables: (program.tables().iter().zip(program.secret_tables()))
                .map(|(&entries, &is_secret)| group.table(entries, is_secret))
                .collect(),
            spare: group.zero(),
            digits: Zeroizing::new(vec![0; members.len()]),
            scalars: Vec::with_capacity(program.scalars() * members.len()),
            digits_of: None,
            outcomes: Vec::new(),
            first: 0,
            program,
            members,
        };
        machine.begin(members, indices);
        machine
    }

    /// Makes it the state before the first operation for such members. What registers and tables hold has no meaning: a
    /// program reads only what it has written.
    fn begin(&mut self, members: &'a [Member<'a>], indices: Range<usize>) {
        let program = self.program;
        self.members = members;
        self.scalars.clear();
        for scalar in 0..program.scalars() {
            let words = |member: &'a Member<'a>| member.scalars[scalar].as_words();
            self.scalars.extend(members.iter().map(words));
        }
        self.digits_of = None;
        self.first = indices.start;
        let outcomes = indices.map(|_| Outcome {
            integers: Vec::with_capacity(program.outputs()),
            flags: Vec::with_capacity(program.flags()),
        });
        self.outcomes.extend(outcomes);
    }

    /// Executes these operations.
    fn run(&mut self, group: &mut G, work: &Work<'_>, range: Range<usize>) {
        let program = self.program;
        let count = self.outcomes.len();
        let spans = program.spans();
        let first = spans.partition_point(|span| span.steps.start < range.start);
        let mut spans = spans[first..].iter().peekable();
        let inversions = program.inversions();
        let first = inversions.partition_point(|inversion| inversion.steps.start < range.start);
        let mut inversions = inversions[first..].iter().peekable();
        let mut operation = range.start;
        while operation < range.end {
            let Some(step) = program.steps().get(operation) else {
                return;
            };
            if let Some(span) = spans.next_if(|span| span.steps.start == operation) {
                if self.run_segment(group, span) {
                    #[cfg(debug_assertions)]
                    self.assert_outputs(group, &span.steps, span.outputs.iter().flatten());
                    operation = span.steps.end;
                    continue;
                }
                work.notes.spans_were_read.set(true);
            }
            let begins = |inversion: &&Inversion| inversion.steps.start == operation;
            if let Some(inversion) = inversions.next_if(begins)
                && self.invert(group, inversion)
            {
                #[cfg(debug_assertions)]
                self.assert_outputs(group, &inversion.steps, [&inversion.inverse]);
                operation = inversion.steps.end;
                continue;
            }
            let done = group.run_steps(&mut self.registers, program, operation);
            if done > 0 {
                operation += done;
                // They may have been those of spans.
                while spans.next_if(|span| span.steps.start < operation).is_some() {}
                continue;
            }
            self.execute(group, &step.operation);
            let suspects = group.take_suspects();
            if !suspects.is_empty() {
                let suspects = suspects.into_iter();
                let suspects = suspects.filter(|suspect| suspect.member < count);
                let findings = suspects.map(|suspect| Finding {
                    suspect: Suspect {
                        member: self.first + suspect.member,
                        ..suspect
                    },
                    operation,
                });
                work.notes.findings.borrow_mut().extend(findings);
            }
            #[cfg(debug_assertions)]
            if work.notes.findings.borrow().is_empty() {
                self.assert_magnitude(group, step);
            }
            operation += 1;
        }
    }

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
        let (info, scalars) = self.scalars_of(stream);
        info.recoding.digits(position, scalars);
    }

    /// Sets `digits` to as many bits of each member's scalar, those at a position of a stream and below it: the first one is the
    /// lowest.
    fn take_bits(&mut self, stream: Stream, position: u32, count: u8) {
        self.digits_of = None;
        // The builder has checked both; a changed count would be found later.
        let count = u32::from(count.clamp(1, 63));
        let lowest = (position + 1).saturating_sub(count);
        let (_, scalars) = self.scalars_of(stream);
        for (bits, words) in scalars {
            *bits = bits_at(words, lowest as usize, count).reverse_bits() >> (u64::BITS - count);
        }
    }

    /// A stream, and for each member its digit and the words of the scalar.
    fn scalars_of(
        &mut self,
        stream: Stream,
    ) -> (&StreamInfo, impl Iterator<Item = (&mut u64, &[Word])>) {
        let info = &self.program.streams()[stream.index()];
        let first = info.scalar as usize * self.members.len();
        let scalars = self.scalars[first..].iter().map(|words| &**words);
        (info, self.digits.iter_mut().zip(scalars))
    }

    /// Runs the code of a span, if there is any, and returns whether there is.
    fn run_segment(&mut self, group: &mut G, span: &Span) -> bool {
        match span.digit {
            Some((stream, position)) if span.times == 1 => self.take_digits(stream, position),
            Some((stream, position)) => self.take_bits(stream, position, span.times),
            None => {}
        }
        let digits = span.digit.is_some().then_some(&**self.digits);
        group.run_segment(&mut self.registers, span, digits)
    }

    /// Inverts a number by other means than a program's operations, if the group has any, and returns whether it has.
    fn invert(&mut self, group: &mut G, inversion: &Inversion) -> bool {
        let mut inverse = mem::take(&mut self.spare);
        let is_inverted = group.invert(self.register(inversion.x), &mut inverse);
        if is_inverted {
            group.copy(&inverse, &mut self.registers[inversion.inverse.index()]);
        }
        self.spare = inverse;
        is_inverted
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
        let cut = |integer: &BoxedUint| -> Range<usize> {
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

    /// Asserts that the outputs of operations that were not run are within the magnitudes that these would have given.
    #[cfg(debug_assertions)]
    fn assert_outputs<'o>(
        &self,
        group: &G,
        steps: &Range<usize>,
        outputs: impl IntoIterator<Item = &'o Register>,
    ) {
        let steps = &self.program.steps()[steps.clone()];
        for output in outputs {
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
