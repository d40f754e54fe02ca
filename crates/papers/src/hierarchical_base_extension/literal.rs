//! The quotients of both extensions as printed, on any small base, without a check of its moduli.

/// A base of a few small moduli in rows of `columns`.
#[derive(Clone, Debug)]
pub struct SmallBase {
    moduli: Vec<u128>,
    columns: usize,
    width: u32,
    /// `T_i = |(A/a_i)^-1|_{a_i}`.
    inverses: Vec<u128>,
}

/// The quotients of both extensions for a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotients {
    /// The right quotient h.
    pub exact: u128,
    /// Kawamura's quotient.
    pub kawamura: u128,
    /// The hierarchical quotient: the `h_i` of each row.
    pub rows: Vec<u128>,
}

impl Quotients {
    /// The hierarchical quotient.
    pub fn hierarchical(&self) -> u128 {
        self.rows.iter().sum()
    }
}

impl SmallBase {
    /// The base of these pairwise coprime moduli below `2^width`, whose product is below `2^60`.
    pub fn new(moduli: &[u128], columns: usize, width: u32) -> Self {
        let product: u128 = moduli.iter().product();
        let inverse = |&a: &u128| {
            let cofactor = product / a % a;
            (1..a).find(|t| cofactor * t % a == 1).unwrap_or(1)
        };
        Self {
            inverses: moduli.iter().map(inverse).collect(),
            moduli: moduli.to_vec(),
            columns,
            width,
        }
    }

    /// The product A of the moduli.
    pub fn product(&self) -> u128 {
        self.moduli.iter().product()
    }

    /// The quotients for `x`, with `sigma = 1/2` and all bits kept.
    pub fn quotients(&self, x: u128) -> Quotients {
        let digits = self.moduli.iter().zip(&self.inverses);
        let digits: Vec<u128> = digits.map(|(&a, &t)| x % a * t % a).collect();
        let product = self.product();
        let sum = digits
            .iter()
            .zip(&self.moduli)
            .map(|(d, a)| d * (product / a));
        let one = 1u128 << self.width;
        let row_one = 1u128 << (self.columns as u32 * self.width);
        let mut sigma = row_one / 2;
        let rows = digits
            .chunks(self.columns)
            .zip(self.moduli.chunks(self.columns));
        let rows = rows.map(|(digits, moduli)| {
            let row: u128 = moduli.iter().product();
            let gathered = digits.iter().zip(moduli).map(|(d, a)| d * (row / a));
            sigma += gathered.sum::<u128>();
            let h = sigma / row_one;
            sigma %= row_one;
            h
        });
        Quotients {
            rows: rows.collect(),
            exact: sum.sum::<u128>() / product,
            kawamura: (one / 2 + digits.iter().sum::<u128>()) / one,
        }
    }
}

/// The largest `delta` of Posch and Posch's reduction, `S = (X Y A^-1 mod P) + delta P`, over all
/// `X, Y < 3P`, if the extension from A to B returns `Q + A` every time, as it may with `sigma = 0`.
/// Also the number of pairs with `delta = 2`.
pub fn largest_delta(p: u64, a: u64) -> (u64, u64) {
    let inverse = (1..a).find(|t| p * t % a == 1).unwrap_or(1);
    let minus_inverse = a - inverse;
    let (mut largest, mut twos) = (0, 0);
    for x in 0..3 * p {
        for y in x..3 * p {
            let product = x * y;
            let q = product % a * minus_inverse % a + a;
            let delta = (product + q * p) / a / p;
            largest = largest.max(delta);
            twos += u64::from(delta == 2) * if x == y { 1 } else { 2 };
        }
    }
    (largest, twos)
}
