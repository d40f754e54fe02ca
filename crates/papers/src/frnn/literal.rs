//! The algorithms as printed, on plain integers.

use num_bigint::BigUint;
use num_integer::Integer;

/// The rounding of the coefficients `2^N k_i / p_i` of F to integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Down.
    Floor,
    /// Up.
    Ceiling,
}

/// The positional characteristic of a tiny base, at any precision.
#[derive(Clone, Debug)]
pub struct TinyCharacteristic {
    moduli: Vec<u64>,
    weights: Vec<u64>,
    bits: u32,
}

impl TinyCharacteristic {
    /// The characteristic with `N = bits <= 40` for moduli whose product is below `2^20`.
    pub fn new(moduli: &[u64], bits: u32, rounding: Rounding) -> Self {
        let product: u64 = moduli.iter().product();
        let weight = |&p: &u64| {
            let cofactor = product / p % p;
            let k = (1..p).find(|k| cofactor * k % p == 1).unwrap_or(1);
            match rounding {
                Rounding::Floor => (k << bits) / p,
                Rounding::Ceiling => (k << bits).div_ceil(p),
            }
        };
        Self {
            moduli: moduli.to_vec(),
            weights: moduli.iter().map(weight).collect(),
            bits,
        }
    }

    /// `F_N(X)`.
    pub fn value(&self, x: u64) -> u64 {
        let terms = self
            .moduli
            .iter()
            .zip(&self.weights)
            .map(|(p, g)| x % p * g);
        terms.sum::<u64>() & ((1 << self.bits) - 1)
    }

    /// Whether `F_N` is strictly increasing on the whole range.
    pub fn is_increasing(&self) -> bool {
        let product: u64 = self.moduli.iter().product();
        (1..product).all(|x| self.value(x - 1) < self.value(x))
    }

    /// The quotient of Algorithm 1 read literally, `F(Y)` shifted, for `Y > 0`.
    pub fn quotient(&self, x: u64, y: u64) -> u64 {
        let (mut rest, divisor) = (self.value(x), self.value(y));
        if rest == divisor {
            return 1;
        }
        let mut quotient = 0;
        for k in (0..self.bits).rev() {
            let multiple = u128::from(divisor) << k;
            if u128::from(rest) >= multiple {
                rest -= multiple as u64;
                quotient += 1 << k;
            }
        }
        quotient
    }

    /// The number of pairs `X < P`, `1 <= Y < P` whose quotient is wrong, and the first of them.
    pub fn wrong_quotients(&self) -> (u64, Option<(u64, u64)>) {
        let product: u64 = self.moduli.iter().product();
        let pairs = (1..product).flat_map(|y| (0..product).map(move |x| (x, y)));
        pairs.fold((0, None), |(wrong, first), (x, y)| {
            if self.quotient(x, y) == x / y {
                (wrong, first)
            } else {
                (wrong + 1, first.or(Some((x, y))))
            }
        })
    }
}

/// The least `N` from which `F_N` is strictly increasing, up to the proved bound.
pub fn least_precision(moduli: &[u64], rounding: Rounding) -> u32 {
    let is_increasing =
        |&bits: &u32| TinyCharacteristic::new(moduli, bits, rounding).is_increasing();
    let largest_bad = (1..=proved_precision(moduli))
        .rev()
        .find(|bits| !is_increasing(bits));
    largest_bad.unwrap_or(0) + 1
}

/// The proved precision, `ceil(log2(P rho))`.
pub fn proved_precision(moduli: &[u64]) -> u32 {
    let product: u64 = moduli.iter().product();
    let rho: u64 = moduli.iter().map(|p| p - 1).sum();
    (product * rho - 1).ilog2() + 1
}

/// The residues of `floor(X / p_i)` outside channel `i` by equations (3) and (4). As printed,
/// equation (3) has `x_1` instead of `x_2` in the second channel.
pub fn scaled(moduli: &[u64], x: &BigUint, i: usize, printed: bool) -> Vec<u64> {
    let residue = |p: u64| (x % p).iter_u64_digits().next().unwrap_or(0);
    let divisor = moduli[i];
    let remainder = residue(divisor);
    let channels = moduli.iter().enumerate().filter(|&(j, _)| j != i);
    let channel = |(j, &p): (usize, &u64)| {
        let minuend = if printed && j == 1 {
            residue(moduli[0]) % p
        } else {
            residue(p)
        };
        let inverse = BigUint::from(divisor).modinv(&BigUint::from(p));
        let inverse = inverse.map_or(0, |t| t.iter_u64_digits().next().unwrap_or(0));
        (minuend + p - remainder % p) % p * inverse % p
    };
    channels.map(channel).collect()
}

/// The first moduli by the literal words of the paper, decreasing coprime numbers from 32749.
pub fn descending_coprimes(count: usize) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::with_capacity(count);
    let mut candidate = 32_749;
    while found.len() < count && candidate > 1 {
        if found.iter().all(|m| m.gcd(&candidate) == 1) {
            found.push(candidate);
        }
        candidate -= 1;
    }
    found
}

/// The sizes in bits of the products of the first `n` of these moduli, for each `n`.
pub fn sizes(moduli: &[u64]) -> Vec<u64> {
    let mut product = BigUint::from(1u8);
    let mut size = |&m: &u64| {
        product *= m;
        product.bits()
    };
    moduli.iter().map(&mut size).collect()
}

/// The least prime factor of `2^k - 1` that is below `2^16`, if any.
pub fn factor_of_mersenne(k: u32) -> Option<u64> {
    let power = |q: u64| (0..k).fold(1, |power, _| power * 2 % q);
    (3..1 << 16).step_by(2).find(|&q| power(q) == 1)
}
