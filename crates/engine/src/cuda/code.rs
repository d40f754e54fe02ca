//! Programs as code for the card: instructions of an accumulator and a file of numbers.

use crypto_bigint::Word;

use crate::{
    device::DeviceError,
    program::{
        Constant, Input, Multiple, Operation, Product, Program, Recoding, Register, Stream,
        piece_bits,
    },
};

/// The operations, with the numbers that `kernel.cu` has for them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
enum Instruction {
    /// The program ends.
    End,
    /// `x := x^(2^n)`.
    Square,
    /// `file[n] := x`.
    Put,
    /// `x := n`.
    Small,
    /// `x :=` row n of the member's integers.
    Input,
    /// `x :=` the member's output n.
    OutputAgain,
    /// `x :=` integer n of the program.
    Common,
    /// `x :=` constant n of the modulus.
    Own,
    /// `x := F^2 mod P`.
    FactorSquared,
    /// The digit for the operations that follow.
    Digit,
    /// `x :=` the entry of a table that the digit names.
    Select,
    /// An entry of a table, or the one that the digit names, becomes x.
    Store,
    /// `x :=` entry n of all tables.
    Load,
    /// `x :=` the constant that the digit names.
    SelectOwn,
    /// Output n becomes x.
    Output,
    /// Flag n becomes whether x is zero.
    IsZero,
    /// `x := file[n]`. This instruction and those after it read the file.
    Get,
    /// `x := x file[n] F^-1 mod P`.
    Multiply,
    /// `x := x + file[n] mod P`.
    Add,
    /// `x := x - file[n] mod P`.
    Subtract,
    /// `x := file[n] - x mod P`.
    SubtractFrom,
    /// `x := file[n]` if the digit is 1.
    Choose,
}

/// Number of bits of an instruction's operation; the number above them is below `2^27`.
const OPERATION_BITS: u32 = 5;

/// An instruction with its number, and the words that follow.
struct Line {
    instruction: Instruction,
    number: usize,
    words: Vec<u32>,
}

/// A program's code, and the places of what it reads and writes.
pub(super) struct Code {
    pub(super) words: Vec<u32>,
    /// Number of numbers in the file.
    pub(super) numbers: usize,
    /// The first row of each integer of a member.
    pub(super) input_rows: Vec<usize>,
    /// Number of such rows.
    pub(super) rows: usize,
    /// The first word of each scalar of a member, of words of 32 bits.
    pub(super) scalar_words: Vec<usize>,
    /// Number of such words.
    pub(super) words_of_scalars: usize,
    /// Number of entries of all tables.
    pub(super) entries: usize,
}

/// Number of words of 32 bits in a piece by which integers enter.
pub(super) fn piece_words(bits: u32) -> usize {
    (piece_bits(bits) / u32::BITS) as usize
}

/// Number of words of 32 bits of a scalar: whole words of 64 bits.
pub(super) fn words_of_scalar(bits: u32) -> usize {
    2 * bits.div_ceil(Word::BITS) as usize
}

impl Code {
    /// The code of a program; `reduces` tells that numbers which leave are to be within the range of products.
    ///
    /// # Errors
    /// [`DeviceError`] for programs that are beyond the widths of an instruction.
    pub(super) fn new(program: &Program, reduces: bool) -> Result<Self, DeviceError> {
        let piece = piece_bits(program.bits());
        let mut code = Self {
            words: Vec::new(),
            numbers: program.registers() + 4,
            input_rows: Vec::new(),
            rows: 0,
            scalar_words: Vec::new(),
            words_of_scalars: 0,
            entries: program.tables().iter().sum(),
        };
        for &bits in program.input_bits() {
            code.input_rows.push(code.rows);
            code.rows += bits.div_ceil(piece).max(1) as usize;
        }
        for scalar in program.scalar_infos() {
            code.scalar_words.push(code.words_of_scalars);
            code.words_of_scalars += words_of_scalar(scalar.bits);
        }
        let mut assembler = Assembler {
            first_entries: program
                .tables()
                .iter()
                .scan(0, |next, entries| {
                    let first = *next;
                    *next += entries;
                    Some(first as u32)
                })
                .collect(),
            program,
            code: &mut code,
            lines: Vec::new(),
            held: None,
            digit: None,
            too_wide: false,
            reduces,
        };
        assembler.assemble();
        if assembler.too_wide {
            return Err(DeviceError {
                reason: format!("{} is too large for this device", program.name()),
            });
        }
        Ok(code)
    }
}

/// Code that is being written.
struct Assembler<'a> {
    program: &'a Program,
    code: &'a mut Code,
    lines: Vec<Line>,
    /// The number of the file that x is.
    held: Option<usize>,
    /// The first entry of each table among those of all.
    first_entries: Vec<u32>,
    /// The digit that the code has at hand.
    digit: Option<(Stream, u32)>,
    /// Whether a number did not fit its instruction.
    too_wide: bool,
    /// Whether numbers are reduced before they leave.
    reduces: bool,
}

impl Assembler<'_> {
    fn emit(&mut self, instruction: Instruction, number: usize) {
        self.emit_with(instruction, number, &[]);
    }

    fn emit_with(&mut self, instruction: Instruction, number: usize, words: &[u32]) {
        self.too_wide |= number >> (u32::BITS - OPERATION_BITS) != 0;
        self.held = match instruction {
            Instruction::Get if self.held == Some(number) => return,
            Instruction::Get | Instruction::Put => Some(number),
            Instruction::Digit
            | Instruction::Store
            | Instruction::Output
            | Instruction::IsZero
            | Instruction::End => self.held,
            _ => None,
        };
        self.lines.push(Line {
            instruction,
            number,
            words: words.to_vec(),
        });
    }

    /// Writes the lines as words, without numbers that are kept and not read before the next one takes their place.
    fn write(&mut self) {
        let mut is_read = vec![false; self.code.numbers];
        let mut kept = Vec::new();
        for line in self.lines.drain(..).rev() {
            if line.instruction == Instruction::Put && !is_read[line.number] {
                continue;
            }
            if line.instruction == Instruction::Put || line.instruction >= Instruction::Get {
                is_read[line.number] = line.instruction >= Instruction::Get;
            }
            kept.push(line);
        }
        for line in kept.into_iter().rev() {
            let number = (line.number as u32) << OPERATION_BITS;
            self.code.words.push(line.instruction as u32 | number);
            self.code.words.extend(line.words);
        }
    }

    fn get(&mut self, register: Register) {
        self.emit(Instruction::Get, register.index());
    }

    fn put(&mut self, register: Register) {
        self.emit(Instruction::Put, register.index());
    }

    /// The place of F^2.
    fn factor_squared(&self) -> usize {
        self.program.registers()
    }

    /// The place of 1.
    fn one(&self) -> usize {
        self.program.registers() + 1
    }

    /// The place of sums.
    fn sum(&self) -> usize {
        self.program.registers() + 2
    }

    /// The place of a number that is doubled or negated.
    fn scratch(&self) -> usize {
        self.program.registers() + 3
    }

    fn assemble(&mut self) {
        let [factor_squared, one] = [self.factor_squared(), self.one()];
        self.emit(Instruction::FactorSquared, 0);
        self.emit(Instruction::Put, factor_squared);
        self.emit(Instruction::Small, 1);
        self.emit(Instruction::Put, one);
        for step in self.program.steps() {
            self.operation(&step.operation);
        }
        self.emit(Instruction::End, 0);
        self.write();
    }

    fn operation(&mut self, operation: &Operation) {
        match *operation {
            Operation::Enter { out, input, piece } => {
                match input {
                    Input::Given(k) => {
                        let row = self.code.input_rows[k as usize] + piece as usize;
                        self.emit(Instruction::Input, row);
                    }
                    Input::Output(k) => self.emit(Instruction::OutputAgain, k as usize),
                }
                self.reduce();
                self.put(out);
            }
            Operation::Constant { out, constant } => {
                match constant {
                    Constant::One => self.emit(Instruction::Small, 1),
                    Constant::MontgomerySquare => self.emit(Instruction::FactorSquared, 0),
                    Constant::Own(k) => self.emit(Instruction::Own, k as usize),
                    Constant::Common(k) => {
                        self.emit(Instruction::Common, k as usize);
                        self.reduce();
                    }
                }
                self.put(out);
            }
            Operation::Multiply { out, x, y } => {
                self.product(x, y);
                self.put(out);
            }
            Operation::Square { out, x, times } => {
                self.get(x);
                self.emit(Instruction::Square, times as usize);
                self.put(out);
            }
            Operation::SumOfProducts { out, ref terms } => self.sum_of_products(out, terms),
            Operation::Combine { out, ref terms, .. } => self.combine(out, terms),
            Operation::Store { table, entry, x } => {
                self.get(x);
                let first = self.first_entries[table.index()];
                self.emit_with(Instruction::Store, 0, &[first + entry]);
            }
            Operation::StoreAt {
                table,
                stream,
                position,
                x,
            } => {
                self.take_digit(stream, position);
                self.get(x);
                let first = self.first_entries[table.index()];
                self.emit_with(Instruction::Store, 1, &[first]);
            }
            Operation::Load { out, table, entry } => {
                let first = self.first_entries[table.index()];
                self.emit(Instruction::Load, (first + entry) as usize);
                self.put(out);
            }
            Operation::Select {
                out,
                table,
                stream,
                position,
            } => {
                let entries = self.program.tables()[table.index()] as u32;
                let first = self.first_entries[table.index()];
                self.select(Instruction::Select, (stream, position), [first, entries]);
                self.put(out);
            }
            Operation::SelectOwn {
                out,
                table,
                stream,
                position,
            } => {
                let entries = [table.first, table.entries];
                self.select(Instruction::SelectOwn, (stream, position), entries);
                self.put(out);
            }
            Operation::Choose {
                out,
                x,
                y,
                stream,
                position,
            } => {
                self.take_digit(stream, position);
                self.get(x);
                self.emit(Instruction::Choose, y.index());
                self.put(out);
            }
            Operation::Output { index, x } => {
                self.get_to_leave(x);
                self.emit(Instruction::Output, index as usize);
            }
            Operation::IsZero { index, x } => {
                self.get_to_leave(x);
                self.emit(Instruction::IsZero, index as usize);
            }
        }
    }

    /// `x := x mod P` for an integer below F: its product with F^2 is below P, and so is that one's with 1.
    fn reduce(&mut self) {
        let [factor_squared, one] = [self.factor_squared(), self.one()];
        self.emit(Instruction::Multiply, factor_squared);
        self.emit(Instruction::Multiply, one);
    }

    /// `x :=` a register that leaves: within the range of products where the device needs that.
    fn get_to_leave(&mut self, register: Register) {
        self.get(register);
        if self.reduces {
            self.reduce();
        }
    }

    fn product(&mut self, x: Register, y: Register) {
        let (x, y) = if self.held == Some(y.index()) {
            (y, x)
        } else {
            (x, y)
        };
        self.get(x);
        if x == y {
            self.emit(Instruction::Square, 1);
        } else {
            self.emit(Instruction::Multiply, y.index());
        }
    }

    /// Adds products modulo P, each reduced by itself.
    fn sum_of_products(&mut self, out: Register, terms: &[Product]) {
        for (number, term) in terms.iter().enumerate() {
            self.product(term.x, term.y);
            self.accumulate(number, term.negative, terms.len());
        }
        if self.reduces && terms.len() > 1 {
            self.reduce();
        }
        self.put(out);
    }

    fn combine(&mut self, out: Register, terms: &[Multiple]) {
        for (number, term) in terms.iter().enumerate() {
            self.get(term.x);
            let factor = term.factor.unsigned_abs();
            for bit in (0..factor.ilog2()).rev() {
                self.double();
                if factor >> bit & 1 == 1 {
                    self.emit(Instruction::Add, term.x.index());
                }
            }
            self.accumulate(number, term.factor < 0, terms.len());
        }
        if terms.is_empty() {
            self.emit(Instruction::Small, 0);
        }
        self.put(out);
    }

    /// `x := 2 x`, by way of the file.
    fn double(&mut self) {
        let scratch = self.scratch();
        self.emit(Instruction::Put, scratch);
        self.emit(Instruction::Add, scratch);
    }

    /// Adds x to the sum of the terms before, or subtracts it from it: x becomes the sum, which is also kept if there
    /// are more terms.
    fn accumulate(&mut self, number: usize, is_negative: bool, terms: usize) {
        let sum = self.sum();
        match (number, is_negative) {
            (0, false) => {}
            (0, true) => {
                let scratch = self.scratch();
                self.emit(Instruction::Put, scratch);
                self.emit(Instruction::Small, 0);
                self.emit(Instruction::Subtract, scratch);
            }
            (_, false) => self.emit(Instruction::Add, sum),
            (_, true) => self.emit(Instruction::SubtractFrom, sum),
        }
        if number + 1 < terms {
            self.emit(Instruction::Put, sum);
        }
    }

    /// A look-up, which reads all entries for secret digits.
    fn select(&mut self, instruction: Instruction, digit: (Stream, u32), entries: [u32; 2]) {
        self.take_digit(digit.0, digit.1);
        let is_secret = self.program.streams()[digit.0.index()].secret;
        self.emit_with(instruction, usize::from(!is_secret), &entries);
    }

    /// Takes a digit of a scalar, unless it is the one at hand.
    fn take_digit(&mut self, stream: Stream, position: u32) {
        if self.digit == Some((stream, position)) {
            return;
        }
        self.digit = Some((stream, position));
        let info = &self.program.streams()[stream.index()];
        let scalar = info.scalar as usize;
        let (kind, width, first, spacing) = match info.recoding {
            Recoding::Windows { width } => (0, width, position * width, 0),
            Recoding::Comb { teeth, spacing } => (1, teeth, position, spacing),
            Recoding::OddMagnitudes { width } => (2, width, position * width, 0),
            Recoding::OddSigns { width } => (3, width, position * width, 0),
            Recoding::Magnitudes { width } => (4, width, position * width, 0),
            _ => (0, u32::BITS, 0, 0),
        };
        self.too_wide |= width >= u32::BITS - 1;
        let words = words_of_scalar(self.program.scalar_infos()[scalar].bits);
        let first_word = self.code.scalar_words[scalar];
        self.emit_with(
            Instruction::Digit,
            kind | (width as usize) << 3 | (first as usize) << 8,
            &[first_word as u32, words as u32, spacing],
        );
    }
}

/// Writes an integer in words of 32 bits, an even number of them; the words beyond it stay as they are.
pub(super) fn write_words(integer: &[Word], words: &mut [u32]) {
    for (pair, &word) in words.chunks_exact_mut(2).zip(integer) {
        pair[0] = word as u32;
        pair[1] = (word >> u32::BITS) as u32;
    }
}
