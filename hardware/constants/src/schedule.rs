//! The schedule of a loop's body on a processor with several banks of accumulators: products of later operations enter
//! while reductions wait, and reductions overlap.
//!
//! Times are cycles from the first one of a turn of the loop. Every turn ends with all registers written.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::instruction::{CHOOSE, Instruction, MULTIPLY, P_REGISTER, REDUCE, SCALE, STORE, WAIT};
use crate::operation::Operation;
use crate::random::Random;

/// Cycles from a slot to the first one in which its accumulator is an operand.
const DEPTH: u32 = 5;
/// Cycles of an instruction that enters a product: a slot in A, then one in B.
pub(crate) const PRODUCT_CYCLES: u32 = 2;
/// Cycles of `REDUCE`, which the first two slots of its reduction fill.
pub(crate) const REDUCE_CYCLES: u32 = 2;
/// Cycles from the end of the last product's instruction to the start of the reduction, and to the store.
pub(crate) const BEFORE_REDUCTION: u32 = DEPTH - PRODUCT_CYCLES;
pub(crate) const BEFORE_STORE: u32 = DEPTH + 1 - PRODUCT_CYCLES;
/// The first slot of new numbers enters a bank up to this many cycles before its accumulators are read.
const EARLY: u32 = DEPTH - 1;

/// A longer turn than any.
const HORIZON: usize = 1 << 13;
/// Number of priorities that are tried, all but the first one with random changes of up to 1/8.
const TRIALS: u64 = 128;

/// The cycles, from its start, in which a reduction uses what all reductions share: `reduction_control.sv`.
pub(crate) struct Reduction {
    /// Slots of the multipliers.
    pub(crate) slots: Vec<u32>,
    /// The digits, then the rows, hold what is still needed.
    pub(crate) held: [Vec<Range<u32>>; 2],
    /// The cycle in which it ends.
    pub(crate) end: u32,
}

impl Reduction {
    /// A reduction with bases of `n` moduli, in rows of `c`: Kawamura's extension (`c = 1`) or the hierarchical one.
    pub(crate) fn new(n: u32, c: u32) -> Self {
        let entries = n / c;
        // Cycles from the first digits to the first entry, and from an entry to its slot.
        let (wait, reduce_bus) = if c == 1 { (0, 0) } else { (c + 1, 2) };
        let mut slots = vec![1];
        let mut held = [Vec::new(), Vec::new()];
        let mut end = 0;
        for _ in 0..2 {
            let digits = end;
            let gather = digits + DEPTH;
            let bus = gather + wait;
            let sums = bus + reduce_bus;
            slots.push(digits);
            slots.extend(gather..gather + c - 1);
            slots.extend(sums..sums + entries);
            if c == 1 {
                held[0].push(gather..bus + entries);
            } else {
                held[0].push(gather..gather + c - 1);
                // The first product of the gathering comes two cycles after its slot.
                held[1].push(gather + 3..bus + entries);
            }
            end = sums + entries - 1 + DEPTH;
        }
        Self { slots, held, end }
    }
}

/// The effects of an operation, and their cycles.
#[derive(Clone)]
struct Place {
    /// The number of its bank.
    bank: u32,
    /// The instructions that enter products.
    products: Vec<u32>,
    /// `REDUCE`, `STORE` or `CHOOSE`.
    last: u32,
    /// The cycle at whose end its register is written.
    write: u32,
}

/// The body of a loop, with the time of every instruction.
pub(crate) struct Schedule {
    places: Vec<Place>,
    /// Cycles of a turn of the loop, with the instruction that repeats it.
    pub(crate) turn: u32,
}

impl Schedule {
    /// Finds a short schedule, and returns it with the operations in the order in which they have read their operands.
    ///
    /// Values have names of their own, except for states, each of which is written once in a turn after it was read.
    pub(crate) fn new(
        body: &[Operation],
        banks: usize,
        reduction: &Reduction,
    ) -> (Self, Vec<Operation>) {
        let graph = Graph::new(body, reduction);
        let mut random = Random::new();
        let trials = (0..TRIALS).map(|trial| {
            let priorities = graph.heights.iter().map(|&height| {
                let height = u64::from(height) * 8;
                let more = if trial == 0 {
                    0
                } else {
                    random.word() % (height / 8 + 1)
                };
                height + more
            });
            let priorities: Vec<u64> = priorities.collect();
            graph.schedule(&priorities, banks, reduction)
        });
        let shortest = trials.min_by_key(|(_, turn)| *turn);
        let (places, turn) = shortest.expect("at least one trial");
        let mut order: Vec<usize> = (0..body.len()).collect();
        order.sort_by_key(|&i| places[i].products.last().copied().unwrap_or(places[i].last));
        let schedule = Self {
            places: order.iter().map(|&i| places[i].clone()).collect(),
            turn,
        };
        schedule.check(body.len(), banks, reduction);
        let operations = order.iter().map(|&i| body[i].clone()).collect();
        (schedule, operations)
    }

    /// Asserts the rules of `banked_rowers.sv`, on a count of all cycles that is made anew.
    fn check(&self, operations: usize, banks: usize, reduction: &Reduction) {
        assert_eq!(
            self.places.len(),
            operations,
            "every operation has its place"
        );
        let mut used: BTreeMap<(&str, u32, u32), u32> = BTreeMap::new();
        let mut mark = |what, number, cycles: Range<u32>| {
            for cycle in cycles {
                *used.entry((what, number, cycle)).or_default() += 1;
            }
        };
        for place in &self.places {
            for &t in &place.products {
                mark("instruction", 0, t..t + PRODUCT_CYCLES);
                mark("slot", 0, t..t + PRODUCT_CYCLES);
            }
            mark("write", 0, place.write..place.write + 1);
            let reduces = place.write > place.last;
            mark(
                "instruction",
                0,
                place.last..place.last + if reduces { REDUCE_CYCLES } else { 1 },
            );
            if reduces {
                assert_eq!(place.write, place.last + reduction.end, "a reduction's end");
                for &slot in &reduction.slots {
                    mark("slot", 0, place.last + slot..place.last + slot + 1);
                }
                for (number, ranges) in (0..).zip(&reduction.held) {
                    for range in ranges {
                        mark(
                            "held",
                            number,
                            place.last + range.start..place.last + range.end,
                        );
                    }
                }
            }
            if let (Some(first), Some(last)) = (place.products.first(), place.products.last()) {
                assert!(place.bank < banks as u32, "no such bank");
                let least = if reduces { DEPTH } else { DEPTH + 1 };
                assert!(
                    place.last >= last + least,
                    "accumulators are read too early"
                );
                mark("bank", place.bank, *first..place.write - EARLY);
            }
            assert!(
                place.write < self.turn,
                "a register is written in the next turn"
            );
        }
        for ((what, number, cycle), count) in used {
            assert_eq!(
                count, 1,
                "{what} {number} is used {count} times in cycle {cycle}"
            );
        }
    }

    /// The indices of the operations, in the order in which their registers are written.
    pub(crate) fn writes(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|&i| self.places[i].write);
        order
    }

    /// The instructions of a turn, without the one that repeats it, but with the wait before that.
    pub(crate) fn instructions(&self, body: &[Operation]) -> Vec<Instruction> {
        let mut timed: Vec<(u32, u32, Instruction)> = Vec::new();
        for (place, operation) in self.places.iter().zip(body) {
            for (instruction, &time) in products(operation, place.bank)
                .into_iter()
                .zip(&place.products)
            {
                timed.push((time, PRODUCT_CYCLES, instruction));
            }
            let (cycles, last) = last_of(operation, place.bank);
            timed.push((place.last, cycles, last));
        }
        timed.sort_by_key(|(time, ..)| *time);
        let mut code = Vec::new();
        let mut now = 0;
        for (time, cycles, instruction) in timed {
            code.extend(wait(time - now));
            code.push(instruction);
            now = time + cycles;
        }
        code.extend(wait(self.turn - 1 - now));
        code
    }
}

/// An instruction that waits, unless for 0 cycles.
pub(crate) fn wait(cycles: u32) -> Option<Instruction> {
    (cycles > 0).then(|| Instruction {
        immediate: cycles,
        ..Instruction::new(WAIT)
    })
}

/// The instructions that enter an operation's products into a bank.
pub(crate) fn products(operation: &Operation, bank: u32) -> Vec<Instruction> {
    let product = |(k, &(x, y)): (usize, &(u32, u32))| Instruction {
        d: bank,
        x,
        y,
        first: k == 0,
        ..Instruction::new(MULTIPLY)
    };
    let scaled = |(k, (factor, x)): (usize, (i64, u32))| Instruction {
        d: bank,
        x,
        immediate: factor.unsigned_abs() as u32,
        first: k == 0,
        negate: factor < 0,
        ..Instruction::new(SCALE)
    };
    match operation {
        Operation::Products(_, terms) => terms.iter().enumerate().map(product).collect(),
        Operation::Combine(_, terms, lift) => {
            let lift = (*lift > 0).then_some((i64::from(*lift), P_REGISTER));
            terms
                .iter()
                .copied()
                .chain(lift)
                .enumerate()
                .map(scaled)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The instruction that ends an operation of a loop's body, and its cycles.
pub(crate) fn last_of(operation: &Operation, bank: u32) -> (u32, Instruction) {
    match *operation {
        Operation::Products(d, _) => (
            REDUCE_CYCLES,
            Instruction {
                d,
                x: bank,
                ..Instruction::new(REDUCE)
            },
        ),
        Operation::Combine(d, ..) => (
            1,
            Instruction {
                d,
                x: bank,
                ..Instruction::new(STORE)
            },
        ),
        Operation::Choose(d, _, x, y) => (
            1,
            Instruction {
                d,
                x,
                y,
                ..Instruction::new(CHOOSE)
            },
        ),
        _ => panic!("{operation}: not in a loop"),
    }
}

/// The operations that each operation of a body waits for.
struct Graph<'a> {
    body: &'a [Operation],
    /// For each operation: the operations that make the operands of each of its products, or all of its operands.
    operands: Vec<Vec<Vec<usize>>>,
    /// The operations that must have read a state before this one writes it.
    readers: Vec<Vec<usize>>,
    /// The cycles from each operation's start to the end of the turn, if nothing is in its way.
    heights: Vec<u32>,
}

impl<'a> Graph<'a> {
    fn new(body: &'a [Operation], reduction: &Reduction) -> Self {
        let mut made: BTreeMap<u32, usize> = BTreeMap::new();
        let mut read: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let (mut operands, mut readers) = (Vec::new(), Vec::new());
        for (index, operation) in body.iter().enumerate() {
            let makers =
                |values: &[u32]| values.iter().filter_map(|x| made.get(x).copied()).collect();
            operands.push(match operation {
                Operation::Products(_, terms) => {
                    terms.iter().map(|&(x, y)| makers(&[x, y])).collect()
                }
                Operation::Combine(_, terms, lift) => {
                    let mut terms: Vec<Vec<usize>> =
                        terms.iter().map(|&(_, x)| makers(&[x])).collect();
                    terms.extend((*lift > 0).then(Vec::new));
                    terms
                }
                _ => vec![makers(&operation.reads())],
            });
            let d = operation
                .out()
                .expect("an operation of a loop writes a register");
            readers.push(read.remove(&d).unwrap_or_default());
            for x in operation.reads().into_iter().filter(|x| *x != d) {
                read.entry(x).or_default().push(index);
            }
            made.insert(d, index);
        }
        let mut heights = vec![0; body.len()];
        for index in (0..body.len()).rev() {
            let terms = operands[index].len() as u32;
            let own = match body[index] {
                Operation::Products(..) => {
                    PRODUCT_CYCLES * terms + BEFORE_REDUCTION + reduction.end + 1
                }
                Operation::Combine(..) => PRODUCT_CYCLES * terms + BEFORE_STORE + 1,
                _ => 1,
            };
            heights[index] += own;
            for maker in operands[index].iter().flatten().chain(&readers[index]) {
                // Later operations have their heights already; an earlier one adds its own cycles when it comes.
                heights[*maker] = heights[*maker].max(heights[index]);
            }
        }
        Self {
            body,
            operands,
            readers,
            heights,
        }
    }

    /// Places the operations one after another, each as early as those before it allow; the next one is that of the
    /// highest priority among those whose operands have their places.
    fn schedule(
        &self,
        priorities: &[u64],
        banks: usize,
        reduction: &Reduction,
    ) -> (Vec<Place>, u32) {
        let mut cycles = Cycles::new(banks);
        let mut places: Vec<Option<Place>> = vec![None; self.body.len()];
        for _ in 0..self.body.len() {
            let placed = |i: &usize| places[*i].is_some();
            let ready = (0..self.body.len()).filter(|&i| {
                let mut needed = self.operands[i].iter().flatten().chain(&self.readers[i]);
                !placed(&i) && needed.all(placed)
            });
            let next = ready.max_by_key(|&i| (priorities[i], Reverse(i)));
            let next = next.expect("operations depend on earlier ones");
            let place_of = |i: &usize| places[*i].as_ref().expect("placed before");
            let made = self.operands[next].iter().map(|makers| {
                let written = makers.iter().map(|i| place_of(i).write + 1);
                written.max().unwrap_or(0)
            });
            let made: Vec<u32> = made.collect();
            let read = self.readers[next].iter().map(|i| {
                let place = place_of(i);
                place
                    .products
                    .last()
                    .map_or(place.last + 1, |t| t + PRODUCT_CYCLES)
            });
            let read = read.max().unwrap_or(0);
            let place = match &self.body[next] {
                Operation::Products(..) => cycles.accumulate(&made, read, Some(reduction)),
                Operation::Combine(..) => cycles.accumulate(&made, read, None),
                _ => cycles.choose(made[0].max(read)),
            };
            cycles.take(&place, reduction);
            places[next] = Some(place);
        }
        let places: Vec<Place> = places.into_iter().flatten().collect();
        let issued = cycles
            .instructions
            .iter()
            .rposition(|&taken| taken)
            .unwrap_or(0) as u32
            + 1;
        let written = places.iter().map(|place| place.write).max().unwrap_or(0);
        (places, issued.max(written) + 1)
    }
}

/// The cycles that are taken.
struct Cycles {
    instructions: Vec<bool>,
    slots: Vec<bool>,
    writes: Vec<bool>,
    held: [Vec<bool>; 2],
    banks: Vec<Vec<bool>>,
}

fn any(taken: &[bool], cycles: Range<u32>) -> bool {
    taken[cycles.start as usize..cycles.end as usize].contains(&true)
}

fn set(taken: &mut [bool], cycles: Range<u32>) {
    taken[cycles.start as usize..cycles.end as usize].fill(true);
}

impl Cycles {
    fn new(banks: usize) -> Self {
        let free = || vec![false; HORIZON];
        Self {
            instructions: free(),
            slots: free(),
            writes: free(),
            held: [free(), free()],
            banks: vec![free(); banks],
        }
    }

    /// The first place of products, each from the time when its operands are there, and of their reduction or store.
    /// The operation's register is written at `least` or later.
    fn accumulate(&self, made: &[u32], least: u32, reduction: Option<&Reduction>) -> Place {
        let places =
            (0..self.banks.len()).map(|bank| self.accumulate_in(bank, made, least, reduction));
        // The one that ends first; among these, the one that begins last, which takes its bank for the shortest time.
        let best = places.min_by_key(|place| (place.write, Reverse(place.products[0])));
        best.expect("at least one bank")
    }

    fn accumulate_in(
        &self,
        bank: usize,
        made: &[u32],
        least: u32,
        reduction: Option<&Reduction>,
    ) -> Place {
        let fits = |t: u32| {
            let product = t..t + PRODUCT_CYCLES;
            !any(&self.instructions, product.clone()) && !any(&self.slots, product)
        };
        let mut first = made[0];
        loop {
            first = first_from(first, fits);
            let mut products = vec![first];
            for &made in &made[1..] {
                let after = made.max(products[products.len() - 1] + PRODUCT_CYCLES);
                products.push(first_from(after, fits));
            }
            let after = products[products.len() - 1] + PRODUCT_CYCLES;
            let (last, write) = if let Some(reduction) = reduction {
                let last = first_from(after + BEFORE_REDUCTION, |t| {
                    self.reduction_fits(t, reduction)
                });
                (last, last + reduction.end)
            } else {
                let free = |t: u32| !self.instructions[t as usize] && !self.writes[t as usize];
                let last = first_from((after + BEFORE_STORE).max(least), free);
                (last, last)
            };
            if write >= least && !any(&self.banks[bank], first..write - EARLY) {
                return Place {
                    bank: bank as u32,
                    products,
                    last,
                    write,
                };
            }
            first += 1;
        }
    }

    fn reduction_fits(&self, start: u32, reduction: &Reduction) -> bool {
        let held = reduction.held.iter().zip(&self.held);
        let mut held =
            held.flat_map(|(ranges, taken)| ranges.iter().map(move |range| (range, taken)));
        !any(&self.instructions, start..start + REDUCE_CYCLES)
            && !self.writes[(start + reduction.end) as usize]
            && !reduction
                .slots
                .iter()
                .any(|slot| self.slots[(start + slot) as usize])
            && !held.any(|(range, taken)| any(taken, start + range.start..start + range.end))
    }

    fn choose(&self, from: u32) -> Place {
        let free = |t: u32| !self.instructions[t as usize] && !self.writes[t as usize];
        let time = first_from(from, free);
        Place {
            bank: 0,
            products: Vec::new(),
            last: time,
            write: time,
        }
    }

    fn take(&mut self, place: &Place, reduction: &Reduction) {
        for &t in &place.products {
            set(&mut self.instructions, t..t + PRODUCT_CYCLES);
            set(&mut self.slots, t..t + PRODUCT_CYCLES);
        }
        set(&mut self.writes, place.write..place.write + 1);
        if let Some(&first) = place.products.first() {
            set(
                &mut self.banks[place.bank as usize],
                first..place.write - EARLY,
            );
        }
        if place.write == place.last {
            set(&mut self.instructions, place.last..place.last + 1);
            return;
        }
        set(
            &mut self.instructions,
            place.last..place.last + REDUCE_CYCLES,
        );
        for slot in &reduction.slots {
            set(&mut self.slots, place.last + slot..place.last + slot + 1);
        }
        for (ranges, taken) in reduction.held.iter().zip(&mut self.held) {
            for range in ranges {
                set(taken, place.last + range.start..place.last + range.end);
            }
        }
    }
}

/// The first cycle from `start` on that fits. There is one: the tables of a schedule end long after its last operation.
fn first_from(start: u32, fits: impl Fn(u32) -> bool) -> u32 {
    let mut cycle = start;
    while !fits(cycle) {
        cycle += 1;
    }
    cycle
}
