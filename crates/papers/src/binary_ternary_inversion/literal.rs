//! The printed rules, on plain integers: the updates of small residues, Table I, the Cox with any precision and offset,
//! and the moduli that satisfy the paper's conditions.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;

/// `sigma`, the approximation of `log2 3`, in half bits.
const SIGMA: u32 = 3;

/// The form of `update3_4` that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// `|(t_X + (|P|_4 - 2) b_X P)|_3`, as printed.
    Printed,
    /// `|t_X + f_4(b_X) P|_3`, with the multiple that the division adds.
    Corrected,
}

/// A number with its residues modulo 4 and 3 as the algorithm tracks them.
#[derive(Clone, Debug)]
struct Tracked {
    value: BigInt,
    mod_4: i32,
    mod_3: i32,
}

/// `f_D(X)`, for which `X + f_D(X) P` is a multiple of D: in `[-D/2 + 1, D/2]`, or `[-1, 1]` for 3.
fn multiple(divisor: i32, x: i32, p: i32) -> i32 {
    let f = (0..divisor)
        .find(|f| (x + f * p).rem_euclid(divisor) == 0)
        .unwrap_or(0);
    if f > divisor / 2 { f - divisor } else { f }
}

fn small(x: &BigInt, modulus: i32) -> i32 {
    let rest = x.mod_floor(&BigInt::from(modulus));
    rest.iter_u32_digits().next().unwrap_or(0).cast_signed()
}

impl Tracked {
    fn new(value: BigInt) -> Self {
        Self {
            mod_4: small(&value, 4),
            mod_3: small(&value, 3),
            value,
        }
    }

    /// The residue modulo 12 that is tracked.
    fn mod_12(&self) -> i32 {
        (0..12)
            .find(|x| x % 4 == self.mod_4 && x % 3 == self.mod_3)
            .unwrap_or(0)
    }

    /// `X / D mod P`, with the residues updated as Algorithm 2 does. `None` if the tracked residues are
    /// wrong, so that the division is not exact.
    fn divided(&self, divisor: i32, p: &Prime, update: Update) -> Option<Self> {
        let f = multiple(divisor, self.mod_12(), p.mod_12);
        let (quotient, rest) = (&self.value + &p.value * f).div_mod_floor(&BigInt::from(divisor));
        if rest != BigInt::ZERO {
            return None;
        }
        let mut found = Self::new(quotient);
        // Algorithm 2 computes residues anew after a division by their modulus, and updates the others from the tracked
        // ones, so that an error in them persists.
        let added = match (divisor, update) {
            (2, _) => multiple(2, self.mod_4, p.mod_12),
            (4, Update::Corrected) => multiple(4, self.mod_4, p.mod_12),
            (4, Update::Printed) => {
                let signed_4 = if self.mod_4 == 3 { -1 } else { self.mod_4 };
                (p.mod_12 % 4 - 2) * signed_4
            }
            _ => return Some(found),
        };
        // 2^-1 = 2 and 4^-1 = 1 modulo 3.
        let inverse = if divisor == 2 { 2 } else { 1 };
        found.mod_3 = (inverse * (self.mod_3 + added * p.mod_12)).rem_euclid(3);
        Some(found)
    }

    fn sum(&self, other: &Self, sign: i32) -> Self {
        Self {
            value: &self.value + &other.value * sign,
            mod_4: (self.mod_4 + sign * other.mod_4).rem_euclid(4),
            mod_3: (self.mod_3 + sign * other.mod_3).rem_euclid(3),
        }
    }
}

/// A prime P that is coprime to 6.
#[derive(Clone, Debug)]
pub struct Prime {
    value: BigInt,
    mod_12: i32,
}

impl Prime {
    /// The prime `p`.
    pub fn new(p: &BigUint) -> Self {
        let value = BigInt::from(p.clone());
        Self {
            mod_12: small(&value, 12),
            value,
        }
    }

    /// Whether BTMI finds the inverse of `1 <= a < P`, with `U3 = P` at the start and the updates in
    /// this form.
    pub fn inverts(&self, a: u64, update: Update) -> bool {
        self.invert(a, update)
            .is_some_and(|s| (s * a - 1u8).is_multiple_of(&self.value))
    }

    fn invert(&self, a: u64, update: Update) -> Option<BigInt> {
        let number = |x: BigInt| Tracked::new(x);
        let one = BigInt::from(1);
        let (mut u, mut v) = (0, 0);
        let (mut u1, mut u3) = (number(BigInt::ZERO), number(self.value.clone()));
        let (mut v1, mut v3) = (number(one.clone()), number(BigInt::from(a)));
        let bound = 4 * self.value.bits() as u32;
        while v3.value.magnitude() != one.magnitude() && u3.value.magnitude() != one.magnitude() {
            if u + v > bound {
                return None;
            }
            let inner = match (v3.mod_4, v3.mod_3) {
                (0, 0) => Some((12, SIGMA + 4)),
                (2, 0) => Some((6, SIGMA + 2)),
                (0, _) => Some((4, 4)),
                (_, 0) => Some((3, SIGMA)),
                (2, _) => Some((2, 2)),
                _ => None,
            };
            if let Some((divisor, half_bits)) = inner {
                v3 = v3.divided(divisor, self, update)?;
                v1 = v1.divided(divisor, self, update)?;
                v += half_bits;
                continue;
            }
            let sign = if (v3.mod_3 + u3.mod_3) % 3 == 0 {
                1
            } else {
                -1
            };
            let (sum3, sum1) = (v3.sum(&u3, sign), v1.sum(&u1, sign));
            let (divisor, r) = if sum3.mod_4 == 0 { (12, 2) } else { (6, 0) };
            let next = (
                sum3.divided(divisor, self, update)?,
                sum1.divided(divisor, self, update)?,
            );
            if v > u {
                (u3, u1) = (v3, v1);
                (u, v) = (v, u);
            }
            (v3, v1) = next;
            v += r + SIGMA;
        }
        let (value, sign) = if v3.value.magnitude() == one.magnitude() {
            (v1.value, v3.value)
        } else {
            (u1.value, u3.value)
        };
        Some(value * sign + &self.value)
    }
}

/// Table I as printed: `f_2`, `f_3`, `f_4` and `f_6` for `|X|_6` from 0 to 5.
pub const TABLE_I: [(i32, [i32; 6]); 4] = [
    (2, [0, 1, 0, 1, 0, 1]),
    (3, [0, -1, 1, 0, -1, 1]),
    (4, [0, -1, 2, 1, 0, -1]),
    (6, [0, -1, -2, 3, 2, 1]),
];

/// The number of `X` from 0 to 11 for which `X + f_D P` is not a multiple of D, if the row of Table I is
/// read at `X mod period`.
pub fn wrong_multiples(row: (i32, [i32; 6]), p: i32, period: usize) -> usize {
    let (divisor, f) = row;
    let numbers = (0..12).zip(f.iter().take(period).cycle());
    numbers
        .filter(|(x, f)| (x + *f * p).rem_euclid(divisor) != 0)
        .count()
}

/// Pairwise coprime numbers `m = 1 mod 12` below `2^width` and above `2^width - 2^floor(width/2)`,
/// as the paper assumes them, from the largest down, at most `count`.
pub fn moduli_of_the_paper(width: u32, count: usize) -> Vec<u64> {
    let lowest = (1u64 << width) - (1 << (width / 2)) + 1;
    let candidates = (lowest..1 << width).rev().filter(|m| m % 12 == 1);
    let mut moduli: Vec<u64> = Vec::new();
    for candidate in candidates {
        if moduli.len() < count && moduli.iter().all(|m| m.gcd(&candidate) == 1) {
            moduli.push(candidate);
        }
    }
    moduli
}

/// Pairwise coprime numbers below `2^width` and above `2^width - 2^floor(width/2)` of which `keep` holds: always
/// the one that shares factors with the fewest of those that are left, which finds more than going from the
/// largest down.
pub fn pairwise_coprime(width: u32, keep: fn(u64) -> bool) -> Vec<u64> {
    let lowest = (1u64 << width) - (1 << (width / 2)) + 1;
    let mut left: Vec<u64> = (lowest..1 << width).rev().filter(|&m| keep(m)).collect();
    let mut found = Vec::new();
    let excluded = |left: &[u64], m: u64| left.iter().filter(|other| other.gcd(&m) > 1).count();
    while let Some(&best) = left.iter().min_by_key(|&&m| excluded(&left, m)) {
        left.retain(|other| other.gcd(&best) == 1);
        found.push(best);
    }
    found
}

/// Equations (1) and (2): a base, a prime, and the Cox with `t` bits.
#[derive(Clone, Debug)]
pub struct SmallResidues {
    moduli: Vec<BigUint>,
    inverses: Vec<BigUint>,
    range: BigUint,
    offset: BigUint,
    width: u32,
}

impl SmallResidues {
    /// The equations for `P` in this base, with `C0 = 12P`.
    pub fn new(moduli: &[u64], width: u32, p: &BigUint) -> Self {
        let moduli: Vec<BigUint> = moduli.iter().map(|&m| BigUint::from(m)).collect();
        let range: BigUint = moduli.iter().product();
        let inverse = |m: &BigUint| (&range / m % m).modinv(m).unwrap_or_default();
        Self {
            inverses: moduli.iter().map(inverse).collect(),
            offset: p * 12u8,
            range,
            moduli,
            width,
        }
    }

    /// `|X|_4` and `|X|_3` for `0 <= X <= P` from the Cox with `t` bits, which starts at 1/2 or at 0.
    pub fn of(&self, x: &BigUint, t: u32, half: bool) -> [u32; 2] {
        let shifted = x + &self.offset;
        let digits = self
            .moduli
            .iter()
            .zip(&self.inverses)
            .map(|(m, t)| &shifted * t % m);
        let digits: Vec<BigUint> = digits.collect();
        let start = if half {
            BigUint::from(1u8) << (t - 1)
        } else {
            BigUint::ZERO
        };
        let tops = digits.iter().map(|digit| digit >> (self.width - t));
        let q: BigUint = (start + tops.sum::<BigUint>()) >> t;
        let sum: BigUint = digits
            .iter()
            .zip(&self.moduli)
            .map(|(d, m)| d * (&self.range / m))
            .sum();
        // The exact number for a right q; q is never too large by more than the sum allows.
        let found =
            BigInt::from(sum) - BigInt::from(q * &self.range) - BigInt::from(self.offset.clone());
        [4, 3].map(|k| small(&found, k).cast_unsigned())
    }
}
