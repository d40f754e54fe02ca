//! The methods of exponentiation, each as a function from an exponent to a program of `MulMod`s.
//!
//! Each function returns a [`Program`] with the one input `m`. The exponent can be read off the
//! length and the operands of the program, so all methods but [`right_to_left_pair_secret`] are for
//! public exponents only.

use super::error::HypercubeError;
pub use super::error::MAX_WINDOW;
use super::program::{Operand, Program};
use crypto_bigint::BoxedUint;

/// The input `m` of every program in this module.
const BASE: Operand = Operand::Value(0);

/// `m^e` by the binary method, from the highest bit of the exponent down: a squaring for each bit,
/// and a product with `m` where the bit is 1.
///
/// `bits(e) - 1` squarings and `weight(e) - 1` products (none for `e = 0`).
pub fn binary_vartime(exponent: &BoxedUint) -> Program {
    let mut program = Program::new(1);
    let bits = exponent.bits_vartime();
    if bits == 0 {
        return program.with_outputs(vec![Operand::One]);
    }
    let mut power = BASE;
    for bit in (0..bits - 1).rev() {
        power = program.multiply(power, power);
        if exponent.bit_vartime(bit) {
            power = program.multiply(power, BASE);
        }
    }
    program.with_outputs(vec![power])
}

/// `(m^q, m^r)` by the binary method, from the lowest bit up, with shared squarings.
///
/// `max(bits(q), bits(r)) - 1` squarings, `weight(q) - 1` and `weight(r) - 1` products.
pub fn right_to_left_pair_vartime(q: &BoxedUint, r: &BoxedUint) -> Program {
    let mut program = Program::new(1);
    let mut results = [Operand::One, Operand::One];
    let mut square = BASE;
    for bit in 0..q.bits_vartime().max(r.bits_vartime()) {
        if bit > 0 {
            square = program.multiply(square, square);
        }
        for (result, exponent) in results.iter_mut().zip([q, r]) {
            if !exponent.bit_vartime(bit) {
                continue;
            }
            *result = match *result {
                Operand::One => square,
                product => program.multiply(product, square),
            };
        }
    }
    program.with_outputs(results.to_vec())
}

/// `(m^q, m^r)` for secret `q < 2^q_bits` and `r < 2^r_bits`. The binary digits are not part of the
/// program but given to each run: those of `q` first, then those of `r`, each from the lowest up.
///
/// There is a product for every digit, with `m^(2^i)` or with 1: `max(q_bits, r_bits) - 1`
/// squarings, `q_bits - 1` and `r_bits - 1` products. The program depends on the two sizes only.
pub fn right_to_left_pair_secret(q_bits: usize, r_bits: usize) -> Program {
    let mut program = Program::new(1);
    let mut results = [Operand::One, Operand::One];
    let mut square = 0;
    for bit in 0..q_bits.max(r_bits) {
        if bit > 0 {
            let squared = Operand::Value(square);
            square = program.inputs() + program.steps().len();
            program.multiply(squared, squared);
        }
        for (result, (first, bits)) in results.iter_mut().zip([(0, q_bits), (q_bits, r_bits)]) {
            if bit >= bits {
                continue;
            }
            let factor = Operand::Digit {
                digit: first + bit,
                value: square,
            };
            *result = match *result {
                Operand::One => factor,
                product => program.multiply(product, factor),
            };
        }
    }
    program.with_outputs(results.to_vec())
}

/// `m^e` by fixed windows of `window` bits (the 2^w-ary method).
///
/// `2^w - 2` products for the table `m^0, ..., m^(2^w - 1)`; then, for each window but the first,
/// `w` squarings and one product, even with `m^0`. The work depends on the size of `e` only, but
/// which table entries are read depends on its value.
///
/// # Errors
/// [`HypercubeError::Window`] unless `1 <= window <= 16`.
pub fn fixed_window_vartime(exponent: &BoxedUint, window: u32) -> Result<Program, HypercubeError> {
    check_window(window)?;
    let mut program = Program::new(1);
    let mut table = vec![Operand::One, BASE];
    for entry in 2..1 << window {
        table.push(program.multiply(table[entry - 1], BASE));
    }
    let windows = exponent.bits_vartime().div_ceil(window);
    let entry = |index: u32| table[window_value(exponent, index * window, window)];
    let mut power = Operand::One;
    for index in (0..windows).rev() {
        if index + 1 == windows {
            power = entry(index);
            continue;
        }
        for _ in 0..window {
            power = program.multiply(power, power);
        }
        power = program.multiply(power, entry(index));
    }
    Ok(program.with_outputs(vec![power]))
}

/// `m^e` by sliding windows: a window starts and ends with a 1 and has at most `window` bits; the
/// zeros between windows cost squarings only.
///
/// For `w >= 2` the table of odd powers takes one squaring and `2^(w-1) - 1` products (fewer if its
/// upper entries are not used); then there is a squaring for each further bit and a product for
/// each further window.
///
/// # Errors
/// [`HypercubeError::Window`] unless `1 <= window <= 16`.
pub fn sliding_window_vartime(
    exponent: &BoxedUint,
    window: u32,
) -> Result<Program, HypercubeError> {
    check_window(window)?;
    // The windows from the highest down, each as the position of its lowest bit and its odd value.
    let mut windows: Vec<(u32, usize)> = Vec::new();
    let mut top = exponent.bits_vartime();
    while top > 0 {
        if !exponent.bit_vartime(top - 1) {
            top -= 1;
            continue;
        }
        let lowest = top.saturating_sub(window);
        let bottom = (lowest..top)
            .find(|&bit| exponent.bit_vartime(bit))
            .unwrap_or(top - 1);
        windows.push((bottom, window_value(exponent, bottom, top - bottom)));
        top = bottom;
    }
    let mut program = Program::new(1);
    let Some(&(first_bottom, first_digits)) = windows.first() else {
        return Ok(program.with_outputs(vec![Operand::One]));
    };
    // odd_powers[i] = m^(2i + 1), up to the largest one that is used.
    let largest = windows.iter().map(|&(_, digits)| digits).max().unwrap_or(1);
    let mut odd_powers = vec![BASE];
    if largest > 1 {
        let square = program.multiply(BASE, BASE);
        for index in 1..=largest / 2 {
            odd_powers.push(program.multiply(odd_powers[index - 1], square));
        }
    }
    let mut power = odd_powers[first_digits / 2];
    let mut position = first_bottom;
    for &(bottom, digits) in &windows[1..] {
        for _ in bottom..position {
            power = program.multiply(power, power);
        }
        power = program.multiply(power, odd_powers[digits / 2]);
        position = bottom;
    }
    for _ in 0..position {
        power = program.multiply(power, power);
    }
    Ok(program.with_outputs(vec![power]))
}

/// `m^e` by Montgomery's ladder: two products for each bit but the highest.
///
/// The ladder keeps the pair `(m^x, m^(x+1))`. Its regular pattern of work does not hide the
/// exponent here: the program contains which of the two values is squared.
pub fn ladder_vartime(exponent: &BoxedUint) -> Program {
    let mut program = Program::new(1);
    let bits = exponent.bits_vartime();
    if bits == 0 {
        return program.with_outputs(vec![Operand::One]);
    }
    let mut low = BASE;
    let mut high = program.multiply(BASE, BASE);
    for bit in (0..bits - 1).rev() {
        let middle = program.multiply(low, high);
        if exponent.bit_vartime(bit) {
            (low, high) = (middle, program.multiply(high, high));
        } else {
            (low, high) = (program.multiply(low, low), middle);
        }
    }
    program.with_outputs(vec![low])
}

/// `m^e` by a loop of `e - 1` products with `m` (none for `e = 0`).
pub fn repeated(exponent: usize) -> Program {
    let mut program = Program::new(1);
    let mut power = if exponent == 0 { Operand::One } else { BASE };
    for _ in 1..exponent {
        power = program.multiply(power, BASE);
    }
    program.with_outputs(vec![power])
}

fn check_window(window: u32) -> Result<(), HypercubeError> {
    if (1..=MAX_WINDOW).contains(&window) {
        Ok(())
    } else {
        Err(HypercubeError::Window { bits: window })
    }
}

/// The number that the `count` bits from bit `bottom` up represent. Bits above the precision are 0.
fn window_value(exponent: &BoxedUint, bottom: u32, count: u32) -> usize {
    (bottom..bottom + count).rev().fold(0, |value, bit| {
        2 * value + usize::from(exponent.bit_vartime(bit))
    })
}
