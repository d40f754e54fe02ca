//! The equations of the paper one by one, on plain integers and for any number, also where they are
//! out of their range.

use crate::integers::big;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use sunzi_field::sum_of_residues::curves::Curve;
use sunzi_field::sum_of_residues::modulus66::{EXPONENTS_8, EXPONENTS_16, WIDTH};

/// A prime with a base of `N` channels of 66 bits.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The moduli.
    pub moduli: Vec<BigUint>,
    /// The product `M` of the moduli.
    pub range: BigUint,
    /// The prime.
    pub p: BigUint,
    /// `W`, the size of the prime in bits.
    pub width: u32,
    inverses: Vec<BigUint>,
    /// `<M_i>_p`.
    cofactors: Vec<BigUint>,
}

/// The intermediate values of a number `Z`.
#[derive(Clone, Debug)]
pub struct Sums {
    /// `gamma_i = |z_i M_i^-1|_{m_i}`.
    pub gammas: Vec<BigUint>,
    /// The exact rank `alpha`.
    pub alpha: BigUint,
    /// `V` of equation (16).
    pub v: BigUint,
}

impl Literal {
    /// The prime of a curve in a base of `channels` channels: those of Table 1 for up to 8.
    pub fn new(curve: &Curve, channels: usize) -> Self {
        let exponents = if channels <= 8 {
            &EXPONENTS_8[..]
        } else {
            &EXPONENTS_16[..]
        };
        let one = BigUint::from(1u8);
        let mersenne = (&one << WIDTH) - 1u8;
        let others = exponents.iter().map(|&t| &mersenne - (&one << t));
        let moduli: Vec<BigUint> = std::iter::once(mersenne.clone())
            .chain(others)
            .take(channels)
            .collect();
        let range: BigUint = moduli.iter().product();
        let p = big(&curve.prime());
        let inverse = |m: &BigUint| (&range / m % m).modinv(m).unwrap_or_default();
        Self {
            inverses: moduli.iter().map(inverse).collect(),
            cofactors: moduli.iter().map(|m| &range / m % &p).collect(),
            width: p.bits() as u32,
            moduli,
            range,
            p,
        }
    }

    /// `(1 - Delta) M` with `Delta = 1/16`, the limit of `Z`.
    pub fn limit(&self) -> BigUint {
        &self.range * 15u8 / 16u8
    }

    /// The intermediate values of `Z`, taken modulo `M`.
    pub fn sums(&self, z: &BigUint) -> Sums {
        let z = z % &self.range;
        let gammas = self.moduli.iter().zip(&self.inverses);
        let gammas: Vec<BigUint> = gammas.map(|(m, inverse)| &z * inverse % m).collect();
        let sum: BigUint = gammas
            .iter()
            .zip(&self.moduli)
            .map(|(g, m)| g * (&self.range / m))
            .sum();
        let alpha = sum / &self.range;
        let v = self.value(&gammas) + self.minus(&alpha);
        Sums { gammas, alpha, v }
    }

    /// `sum gamma_i <M_i>_p`.
    fn value(&self, gammas: &[BigUint]) -> BigUint {
        gammas.iter().zip(&self.cofactors).map(|(g, c)| g * c).sum()
    }

    /// `<-alpha M>_p`.
    fn minus(&self, alpha: &BigUint) -> BigUint {
        let residue = alpha * &self.range % &self.p;
        (&self.p - residue) % &self.p
    }

    /// `alpha` of equation (13) with `q` leading bits and `Delta = 1/16`.
    pub fn rank(&self, sums: &Sums, q: u32) -> BigUint {
        let leading: BigUint = sums.gammas.iter().map(|gamma| gamma >> (WIDTH - q)).sum();
        (leading + (BigUint::from(1u8) << (q - 4))) >> q
    }

    /// The smallest `q` for which the rank is proved to be exact: `N 2^-q + sum (1 - m_i/2^66) <= 1/16`.
    pub fn needed_rank_bits(&self) -> u32 {
        let one = BigUint::from(1u8);
        let distances: BigUint = self.moduli.iter().map(|m| (&one << WIDTH) - m).sum();
        let exact = |q: &u32| {
            BigUint::from(self.moduli.len()) * (&one << (WIDTH - q)) + &distances
                <= &one << (WIDTH - 4)
        };
        (4..WIDTH).find(exact).unwrap_or(WIDTH)
    }

    /// `kappa` of equation (24) with precision `T`.
    pub fn kappa(&self, sums: &Sums, t: u32) -> BigUint {
        let constants = self.cofactors.iter().map(|c| c >> (self.width - t));
        let sum: BigUint = sums.gammas.iter().zip(constants).map(|(g, c)| g * c).sum();
        sum >> t
    }

    /// `kappa` of equation (23), without truncated constants: (24) with `T = W`.
    pub fn kappa_untruncated(&self, sums: &Sums) -> BigUint {
        self.kappa(sums, self.width)
    }

    /// `kappa` of equation (24) with the term of `alpha`, which equation (20) drops.
    pub fn kappa_with_alpha(&self, sums: &Sums, t: u32) -> BigUint {
        let constants = self.cofactors.iter().map(|c| c >> (self.width - t));
        let sum: BigUint = sums.gammas.iter().zip(constants).map(|(g, c)| g * c).sum();
        let minus_m = self.minus(&BigUint::from(1u8)) >> (self.width - t);
        // V with alpha <-M>_p instead of <-alpha M>_p has a larger quotient; the difference is a multiple
        // of p, by which both are lowered.
        let surplus =
            (&sums.alpha * self.minus(&BigUint::from(1u8)) - self.minus(&sums.alpha)) / &self.p;
        ((sum + &sums.alpha * minus_m) >> t) - surplus
    }

    /// The exact quotient `floor(V / p)`.
    pub fn exact_quotient(&self, sums: &Sums) -> BigUint {
        &sums.v / &self.p
    }

    /// The result of Algorithm 2, `V - kappa p`, with `q` bits for the rank and precision `T`.
    pub fn reduce(&self, z: &BigUint, q: u32, t: u32) -> BigInt {
        let sums = self.sums(z);
        let alpha = self.rank(&sums, q);
        let v = self.value(&sums.gammas) + self.minus(&alpha);
        BigInt::from(v) - BigInt::from(self.kappa(&sums, t) * &self.p)
    }

    /// The result with `-<alpha M>_p` of equation (14) instead of `<-alpha M>_p`.
    pub fn reduce_by_equation_14(&self, z: &BigUint, t: u32) -> BigInt {
        let sums = self.sums(z);
        let offset = &sums.alpha * &self.range % &self.p;
        let v = BigInt::from(self.value(&sums.gammas)) - BigInt::from(offset);
        v - BigInt::from(self.kappa(&sums, t) * &self.p)
    }

    /// The result with `-alpha <M>_p` of equation (17) instead of `<-alpha M>_p`.
    pub fn reduce_by_equation_17(&self, z: &BigUint, t: u32) -> BigInt {
        let sums = self.sums(z);
        let offset = &sums.alpha * (&self.range % &self.p);
        let v = BigInt::from(self.value(&sums.gammas)) - BigInt::from(offset);
        v - BigInt::from(self.kappa(&sums, t) * &self.p)
    }

    /// The largest sizes in bits: of `floor(<M_i>_p / 2^(W-T))`, of `kappa`, and of `V`.
    pub fn sizes(&self, t: u32) -> [u64; 3] {
        let constants = || self.cofactors.iter().map(|c| c >> (self.width - t));
        let largest = |values: &mut dyn Iterator<Item = BigUint>| -> BigUint {
            self.moduli
                .iter()
                .zip(values)
                .map(|(m, c)| (m - 1u8) * c)
                .sum()
        };
        let kappa = largest(&mut constants()) >> t;
        let v = largest(&mut self.cofactors.iter().cloned()) + &self.p;
        let constant = constants().max().unwrap_or_default();
        [constant.bits(), kappa.bits(), v.bits()]
    }

    /// The number of pairs of moduli that are coprime, and of all pairs.
    pub fn coprime_pairs(&self) -> (usize, usize) {
        let n = self.moduli.len();
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let coprime =
            pairs.filter(|&(i, j)| self.moduli[i].gcd(&self.moduli[j]) == BigUint::from(1u8));
        (coprime.count(), n * (n - 1) / 2)
    }
}

/// Equation (8) without the terms of `t`: the residue of `b < 2^132` modulo `2^66 - 1`, as `B_H + B_L`.
pub fn reduce_mersenne(b: &BigUint) -> BigUint {
    let modulus = (BigUint::from(1u8) << WIDTH) - 1u8;
    ((b >> WIDTH) + (b & &modulus)) % modulus
}

/// Equation (8) as printed, the residue of `b < 2^132` modulo `2^66 - 2^t - 1`; with `t = 0` for the modulus `2^66 -
/// 1`, as in Table A1.
pub fn equation_8(b: &BigUint, t: u32, modulus: &BigUint) -> BigUint {
    let mask = (BigUint::from(1u8) << WIDTH) - 1u8;
    let (high, low) = (b >> WIDTH, b & &mask);
    let high_high = &high >> (WIDTH - t);
    let high_low = (&high << t) & &mask;
    // The concatenation BHH || BHH.
    let twice = (&high_high << t) + &high_high;
    (twice + high_low + high + low) % modulus
}
