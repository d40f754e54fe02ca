//! Folds the turns of an unrolled program into a loop.

use std::collections::BTreeMap;

use crate::operation::Operation;

/// The place where an operand of an operation in a turn is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Before(u32),
    /// At this index of the previous turn, or of this one.
    LastTurn(usize),
    ThisTurn(usize),
}

/// A program with equal turns, one for each bit of the scalar from the most significant. Each value is written once.
struct Unrolled<'a> {
    operations: &'a [Operation],
    /// The start of the first turn, and the number of operations in a turn.
    start: usize,
    length: usize,
    /// The operation that makes each value.
    made: BTreeMap<u32, usize>,
}

impl<'a> Unrolled<'a> {
    /// Finds the turns: each ends with the last choice by its bit.
    fn new(operations: &'a [Operation], turns: usize) -> Self {
        let mut ends = vec![0; turns];
        for (index, operation) in operations.iter().enumerate() {
            if let Operation::Choose(_, Some(position), ..) = operation {
                ends[turns - 1 - *position as usize] = index + 1;
            }
        }
        let length = ends[1] - ends[0];
        let start = ends[0] - length;
        let equal = (1..)
            .zip(&ends)
            .all(|(turn, end)| *end == start + turn * length);
        assert!(equal, "turns have different lengths");
        let made = operations.iter().enumerate();
        Self {
            operations,
            start,
            length,
            made: made
                .filter_map(|(index, o)| Some((o.out()?, index)))
                .collect(),
        }
    }

    fn turn(&self, turn: usize) -> &'a [Operation] {
        &self.operations[self.start + turn * self.length..][..self.length]
    }

    /// The operations of a turn without names and positions.
    fn shape(&self, turn: usize) -> Vec<Operation> {
        let operations = self.turn(turn).iter();
        operations
            .map(|o| of_any_turn(&o.renamed(|_| 0, |_| 0)))
            .collect()
    }

    /// The place of every operand of a turn.
    fn places(&self, turn: usize) -> Vec<Vec<Place>> {
        let begin = self.start + turn * self.length;
        let place = |x: u32| match self.made[&x] {
            made if made < self.start => Place::Before(x),
            made if made >= begin => Place::ThisTurn(made - begin),
            made if made + self.length >= begin => Place::LastTurn(made + self.length - begin),
            _ => panic!("value {x} outlives its turn"),
        };
        let operands = |o: &Operation| o.reads().into_iter().map(place).collect();
        self.turn(turn).iter().map(operands).collect()
    }

    /// The states that pass from turn to turn: the index in a turn where each is made, and its value before the first.
    fn states(&self) -> BTreeMap<usize, u32> {
        let mut states: BTreeMap<usize, u32> = BTreeMap::new();
        let second = self.places(1).into_iter();
        for ((operands, mut first), operation) in second.zip(self.places(0)).zip(self.turn(0)) {
            // Two factors of a product, or one operand of anything else.
            let size = 1 + usize::from(matches!(operation, Operation::Products(..)));
            for (operands, first) in operands.chunks(size).zip(first.chunks_mut(size)) {
                let fits = |(place, first): (&Place, &Place)| match (place, first) {
                    (Place::LastTurn(offset), Place::Before(x)) => {
                        states.get(offset).is_none_or(|known| known == x)
                    }
                    _ => place == first,
                };
                // Factors are in the order in which they are made, which differs in the first turn.
                if !operands.iter().zip(&*first).all(fits) {
                    first.reverse();
                }
                let fit = operands.iter().zip(&*first).all(fits);
                assert!(fit, "the first turn has other operands");
                for pair in operands.iter().zip(&*first) {
                    if let (Place::LastTurn(offset), Place::Before(x)) = pair {
                        states.insert(*offset, *x);
                    }
                }
            }
        }
        states
    }
}

/// An operation of a turn without the position of the bit.
fn of_any_turn(operation: &Operation) -> Operation {
    match operation.clone() {
        Operation::Choose(d, _, x, y) => Operation::Choose(d, None, x, y),
        operation => operation,
    }
}

/// The operations with those of one turn between `repeat` and `end`.
///
/// # Panics
/// If turns differ in more than the names of values.
pub(crate) fn folded(operations: &[Operation], turns: usize) -> Vec<Operation> {
    let unrolled = Unrolled::new(operations, turns);
    let (shape, places) = (unrolled.shape(1), unrolled.places(1));
    for turn in 0..turns {
        assert!(
            unrolled.shape(turn) == shape,
            "turn {turn} has other operations"
        );
        let same = turn == 0 || unrolled.places(turn) == places;
        assert!(same, "turn {turn} has other operands");
    }
    // Each state gets a name of its own, which every turn reads and then writes.
    let states = unrolled.states();
    let names = (operations.len() as u32..).zip(&states);
    let names: BTreeMap<usize, u32> = names.map(|(name, (offset, _))| (*offset, name)).collect();
    let begin = |(offset, x): (&usize, &u32)| Operation::Combine(names[offset], vec![(1, *x)], 0);
    let body = unrolled.turn(1).iter().zip(places).enumerate();
    let body = body.map(|(index, (operation, places))| {
        let places: BTreeMap<u32, Place> = operation.reads().into_iter().zip(places).collect();
        let read = |x| match places[&x] {
            Place::Before(x) => x,
            Place::LastTurn(offset) => {
                assert!(
                    index <= offset,
                    "a state is read after its next value was written"
                );
                names[&offset]
            }
            Place::ThisTurn(offset) => *names.get(&offset).unwrap_or(&x),
        };
        of_any_turn(&operation.renamed(|d| *names.get(&index).unwrap_or(&d), read))
    });
    let after = unrolled.start + turns * unrolled.length;
    let read = |x: u32| match unrolled.made[&x] {
        made if made < unrolled.start || made >= after => x,
        made => names[&(made + unrolled.length - after)],
    };
    let mut folded = operations[..unrolled.start].to_vec();
    folded.extend(states.iter().map(begin));
    folded.push(Operation::Repeat);
    folded.extend(body);
    folded.push(Operation::End);
    folded.extend(operations[after..].iter().map(|o| o.renamed(|d| d, read)));
    folded
}
