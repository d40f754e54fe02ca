//! Tables and vectors of the Cox-Rower Montgomery multiplier, with Kawamura's (KBE) and the
//! hierarchical extension (HBE).
//!
//! The golden model is `sunzi_field::montgomery`. Every state of the core is computed here from
//! residues of `sunzi_rns`, and asserted to agree with the library's extensions and products.

use crypto_bigint::{BoxedUint, ConcatenatingMul};
use serde_json::{Value, json};
use sunzi_field::montgomery::{Element, Montgomery};
use sunzi_rns::extend::hierarchical::Hierarchical;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{Base, BaseExtension, Fixed, Modulus, Plain, Residues};

use crate::files::File;
use crate::json::{hex, lines};
use crate::random::Random;
use crate::schedule::Reduction;
use crate::systemverilog::{Bits, Header};

/// The primes of secp256k1 and of P-384.
const PRIME_256: &str = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
const PRIME_384: &str = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe\
                         ffffffff0000000000000000ffffffff";
/// A small prime just below A/9, for which results above 2P are easy to find.
const PRIME_11: &str = "6bb";

/// The numbers of moduli in a row (1 for KBE) and of moduli that a rower serves, for each of the paper's
/// points.
const FORMS: [(usize, usize); 3] = [(1, 1), (2, 1), (2, 2)];

/// The cores: prime, width of a channel, moduli in a row, and moduli of a rower.
fn points() -> Vec<(&'static str, u32, usize, usize)> {
    let mut points = vec![
        (PRIME_11, 7, 1, 1),
        (PRIME_11, 7, 2, 1),
        (PRIME_11, 7, 2, 2),
    ];
    for prime in [PRIME_256, PRIME_384] {
        for width in [17, 20, 24, 28] {
            points.extend(FORMS.map(|(columns, share)| (prime, width, columns, share)));
        }
    }
    points.extend([(PRIME_256, 24, 3, 1), (PRIME_256, 24, 4, 1)]);
    points
}

/// The largest number of random products for a core: there are many cores, and each is simulated.
const MOST_RANDOM: usize = 40;

/// Tables and adversarial vectors of every core.
pub(crate) fn files() -> Vec<File> {
    let models = points().into_iter().map(Model::new);
    models.flat_map(|m| [m.tables(), m.adversarial()]).collect()
}

/// Vectors with `count` random products for every core.
pub(crate) fn random_vectors(count: usize, random: &mut Random) -> Vec<File> {
    let models = points().into_iter().map(Model::new);
    models
        .map(|m| m.random(count.min(MOST_RANDOM), random))
        .collect()
}

/// The extensions in both directions.
enum Extensions {
    Kawamura(Box<[Kawamura; 2]>),
    Hierarchical(Box<[Hierarchical; 2]>),
}

impl Extensions {
    fn extend(&self, direction: usize, x: &Residues) -> Residues {
        match self {
            Self::Kawamura(pair) => pair[direction].extend(x),
            Self::Hierarchical(pair) => pair[direction].extend(x),
        }
    }

    fn rank(&self, direction: usize, x: &Residues) -> u128 {
        match self {
            Self::Kawamura(pair) => pair[direction].rank(x),
            Self::Hierarchical(pair) => pair[direction].rank(x),
        }
    }
}

/// The memories of a Cox-Rower for one prime, and its computations.
pub(crate) struct Model {
    name: String,
    pub(crate) p: BoxedUint,
    pub(crate) a: Base,
    pub(crate) b: Base,
    pub(crate) width: u32,
    columns: usize,
    share: usize,
    kept: u32,
    extensions: Extensions,
}

/// A number in both bases.
pub(crate) type Pair = [Residues; 2];

impl Model {
    fn new((prime, width, columns, share): (&str, u32, usize, usize)) -> Self {
        let p = BoxedUint::from_str_radix_vartime(prime, 16).expect("hexadecimal digits");
        let bases = bases(&p, width, columns, 2, [9, 6]);
        let form = match columns {
            1 => "kbe".into(),
            c => format!("hbe{c}"),
        };
        let name = format!("{}_w{width}_{form}_s{share}", p.bits_vartime());
        Self::with_bases(name, p, bases, columns, share)
    }

    /// A model with given bases.
    pub(crate) fn with_bases(
        name: String,
        p: BoxedUint,
        [a, b]: [Base; 2],
        columns: usize,
        share: usize,
    ) -> Self {
        let sigmas = [Fixed::ZERO, Fixed::HALF];
        let ends = [(&a, &b), (&b, &a)];
        // One number of kept bits for both directions: one Cox serves them.
        let (kept, extensions) = if columns == 1 {
            let kept = [0, 1].map(|i| {
                let extension = Kawamura::with_fewest_bits(ends[i].0, ends[i].1, sigmas[i]);
                extension.expect("a base close to 2^w").cox().kept_bits()
            });
            let kept = kept[0].max(kept[1]);
            let pair = [0, 1].map(|i| {
                Kawamura::new(ends[i].0, ends[i].1, kept, sigmas[i]).expect("more bits are kept")
            });
            (kept, Extensions::Kawamura(Box::new(pair)))
        } else {
            let kept = [0, 1].map(|i| {
                let extension =
                    Hierarchical::with_fewest_bits(ends[i].0, ends[i].1, columns, sigmas[i]);
                extension.expect("a base close to 2^w").kept_bits()
            });
            let kept = kept[0].max(kept[1]);
            let pair = [0, 1].map(|i| {
                Hierarchical::new(ends[i].0, ends[i].1, columns, kept, sigmas[i])
                    .expect("more bits are kept")
            });
            (kept, Extensions::Hierarchical(Box::new(pair)))
        };
        Self {
            name,
            width: a.width(),
            p,
            a,
            b,
            columns,
            share,
            kept,
            extensions,
        }
    }

    fn file(&self, name: &str, text: String) -> File {
        let path = format!("cox_rower/{}/{name}", self.name);
        File { path, text }
    }

    /// `N`, the number of moduli of a base.
    pub(crate) fn count(&self) -> usize {
        self.a.len()
    }

    /// The schedule of a reduction with a rower for each modulus.
    pub(crate) fn reduction(&self) -> Reduction {
        let (n, c) = (self.count() as u32, self.columns as u32);
        assert_eq!(self.share, 1, "a rower for each modulus");
        let reduction = Reduction::new(n, c);
        // `END` of `rower_array.sv`.
        let cycles = match c {
            1 => 2 * n + 18,
            _ => 2 * n / c + 2 * c + 24,
        };
        assert_eq!(reduction.end, cycles, "cycles of a reduction");
        reduction
    }

    /// `2^w - m` for the moduli of both bases.
    fn deficits(&self) -> [Vec<u128>; 2] {
        [&self.a, &self.b].map(|base| {
            let moduli = base.moduli().iter();
            moduli.map(|m| (1 << self.width) - m.value()).collect()
        })
    }

    /// The largest `2^w - m`.
    fn largest_deficit(&self) -> u128 {
        let deficits = self.deficits().concat();
        deficits.into_iter().max().unwrap_or(1)
    }

    /// The words of all rowers, one rower after another.
    fn for_rowers(&self, words: impl FnMut(usize) -> Vec<u128>) -> Vec<u128> {
        (0..self.count() / self.share).flat_map(words).collect()
    }

    /// The memories of factors, one for each rower: the words of `rower_array.sv`, in its order.
    fn factors(&self) -> Vec<Vec<u128>> {
        let p_over_a = self.p_over_a();
        let rows = |base: &Base| -> Vec<Vec<u128>> {
            let moduli: Vec<u128> = base.moduli().iter().map(Modulus::value).collect();
            moduli.chunks(self.columns).map(<[u128]>::to_vec).collect()
        };
        let over_row = |base: &Base, row: &[u128], m: &Modulus| -> u128 {
            let others = base.moduli().iter().map(Modulus::value);
            let others = others.filter(|other| !row.contains(other));
            others.fold(m.reduce(1), |acc, other| m.mul(acc, m.reduce(other)))
        };
        let (rows_a, rows_b) = (rows(&self.a), rows(&self.b));
        let minus_p_inverse = self.minus_p_inverse();
        let a_inverse = self.a_inverse();
        (0..self.count() / self.share)
            .map(|rower| {
                let own = |base: &Base| -> Vec<(usize, Modulus)> {
                    let channels = rower * self.share..(rower + 1) * self.share;
                    channels.map(|i| (i, base.moduli()[i])).collect()
                };
                let (own_a, own_b) = (own(&self.a), own(&self.b));
                let mut words = Vec::new();
                for (i, a) in &own_a {
                    words.push(a.mul(minus_p_inverse.values()[*i], self.a.cofactor_inverses()[*i]));
                }
                words.extend(own_b.iter().map(|(i, _)| a_inverse.values()[*i]));
                for row in &rows_a {
                    let word = |(i, b): &(usize, Modulus)| {
                        b.mul(over_row(&self.a, row, b), p_over_a.values()[*i])
                    };
                    words.extend(own_b.iter().map(word));
                }
                words.extend(own_b.iter().map(|(i, _)| self.b.cofactor_inverses()[*i]));
                for row in &rows_b {
                    words.extend(own_a.iter().map(|(_, a)| over_row(&self.b, row, a)));
                }
                for (rows, own) in [(&rows_a, &own_a), (&rows_b, &own_b)] {
                    for word in 0..self.columns - 1 {
                        for (i, _) in own {
                            let row = &rows[i / self.columns];
                            let others = row.iter().enumerate();
                            let cofactor: u128 = others
                                .filter(|(j, _)| *j != i % self.columns)
                                .map(|(_, m)| m)
                                .product();
                            let shifted = cofactor >> (word as u32 * self.width);
                            words.push(shifted & ((1 << self.width) - 1));
                        }
                    }
                }
                words
            })
            .collect()
    }

    /// The memories of addends, one for each rower: 0, then `|-h P|_b` and `|-h B|_a`.
    fn addends(&self) -> Vec<Vec<u128>> {
        let p = Residues::reduced(&self.b, &self.p);
        (0..self.count() / self.share)
            .map(|rower| {
                let own = rower * self.share..(rower + 1) * self.share;
                let mut words = vec![0];
                for h in 1..=self.columns as u128 {
                    words.extend(own.clone().map(|i| {
                        let b = &self.b.moduli()[i];
                        b.neg(b.mul(b.reduce(h), p.values()[i]))
                    }));
                }
                for h in 1..=self.columns as u128 {
                    words.extend(own.clone().map(|i| {
                        let a = &self.a.moduli()[i];
                        a.neg(a.mul(a.reduce(h), self.b.product_mod(a)))
                    }));
                }
                words
            })
            .collect()
    }

    /// Words of the memories of factors and addends of each rower, without those of a client.
    pub(crate) fn memory_words(&self) -> [usize; 2] {
        [self.factors()[0].len(), self.addends()[0].len()]
    }

    fn minus_p_inverse(&self) -> Residues {
        let p = Residues::reduced(&self.a, &self.p);
        p.neg(&Plain).invert_vartime().expect("P is coprime to A")
    }

    fn a_inverse(&self) -> Residues {
        let a = Residues::reduced(&self.b, self.a.product());
        a.invert_vartime().expect("A is coprime to B")
    }

    fn p_over_a(&self) -> Residues {
        let p = Residues::reduced(&self.b, &self.p);
        p.mul(&Plain, &self.a_inverse())
    }

    /// The parameters and memories, with further words of a client's at the end of each memory.
    pub(crate) fn header(&self, about: &str, more: [&[Vec<u128>]; 2]) -> Header {
        let mut header = Header::new(about);
        let integers = [
            ("Number of moduli in each base.", "N", self.count()),
            ("Width of a channel, in bits.", "W", self.width as usize),
            (
                "Moduli of each base that a rower serves.",
                "SHARE",
                self.share,
            ),
            (
                "Moduli in a row; 1 for Kawamura's extension.",
                "COLUMNS",
                self.columns,
            ),
            (
                "t, the bits that the Cox keeps.",
                "KEPT",
                self.kept as usize,
            ),
        ];
        for (about, name, value) in integers {
            header.integer(about, name, value as u32);
        }
        let largest = self.largest_deficit();
        let k_bits = u128::BITS - largest.leading_zeros();
        header.integer("Width of the largest k = 2^W - m.", "K_BITS", k_bits);
        let row_bits = usize::BITS - (self.columns - 1).leading_zeros();
        let (product, entry) = (2 * self.width, self.columns as u32 * self.width + row_bits);
        let bus_folds = if self.columns == 1 {
            2
        } else {
            folds(entry, self.width, largest)
        };
        header.integer(
            "Folds of a product.",
            "FOLDS",
            folds(product, self.width, largest),
        );
        header.integer("Folds of a row sum.", "BUS_FOLDS", bus_folds);
        let deficits = self.deficits();
        let own = |rower: usize| rower * self.share..(rower + 1) * self.share;
        let k_table =
            self.for_rowers(|r| deficits.iter().flat_map(|d| d[own(r)].to_vec()).collect());
        header.vector(
            "k of every modulus, K_BITS each: rower by rower, base A then B.",
            "K_TABLE",
            &Bits::residues(&k_table, k_bits),
        );
        let memories = [("FACTOR", self.factors()), ("ADDEND", self.addends())];
        for ((name, mut rowers), more) in memories.into_iter().zip(more) {
            for (words, more) in rowers.iter_mut().zip(more) {
                words.extend(more);
            }
            let words = rowers[0].len();
            let bits = usize::BITS - (words - 1).leading_zeros();
            header.integer(
                "Words of the memory of each rower.",
                &format!("{name}S"),
                words as u32,
            );
            header.integer(
                "Width of its address.",
                &format!("{name}_BITS"),
                bits.max(1),
            );
            header.vector(
                "The memories, rower by rower.",
                &format!("{name}_TABLE"),
                &Bits::residues(&rowers.concat(), self.width),
            );
        }
        header
    }

    fn tables(&self) -> File {
        let about = format!("Cox-Rower for a P of {} bits.", self.p.bits_vartime());
        let name = format!("cox_rower_{}", self.name);
        let header = self.header(&about, [&[], &[]]);
        let residues = (2 * self.count()) as u32 * self.width;
        let ports = [
            ("input", "x", residues),
            ("input", "y", residues),
            ("output", "s", residues),
        ];
        self.file(
            &format!("{name}.sv"),
            header.module("cox_rower", &name, &[], &ports),
        )
    }

    /// Residues in both bases.
    pub(crate) fn residues(&self, x: &BoxedUint) -> Pair {
        [&self.a, &self.b].map(|base| Residues::reduced(base, x))
    }

    /// `Z A^-1` modulo `P`, congruent, as the core reduces it; and Q.
    pub(crate) fn reduce(&self, z: &Pair) -> (Pair, Residues) {
        let q = z[0].mul(&Plain, &self.minus_p_inverse());
        let folded = self.extensions.extend(0, &q).mul(&Plain, &self.p_over_a());
        let s_b = z[1].mul(&Plain, &self.a_inverse()).add(&Plain, &folded);
        ([self.extensions.extend(1, &s_b), s_b], q)
    }

    /// One product with every state of the core, asserted to be the library's.
    fn product(&self, x: &Pair, y: &Pair) -> Value {
        let z = [0, 1].map(|i| x[i].mul(&Plain, &y[i]));
        let (s, q) = self.reduce(&z);
        let (digits_1, digits_2) = (q.crt_digits(&Plain), s[1].crt_digits(&Plain));
        let ranks = [(0, &q), (1, &s[1])].map(|(i, x)| self.extensions.rank(i, x));
        assert_eq!(
            s,
            self.residues(&s[1].to_uint()),
            "S differs in the two bases"
        );
        json!({
            "x": flat(x), "y": flat(y), "s": flat(&s),
            "digits_1": hex(&digits_1), "digits_2": hex(&digits_2),
            "products": flat(&z),
            "rows_1": self.rows(&self.a, &digits_1), "rows_2": self.rows(&self.b, &digits_2),
            "ranks": ranks.map(|h| h.to_string()),
        })
    }

    /// The row sums that are broadcast.
    fn rows(&self, base: &Base, digits: &[u128]) -> Value {
        let rows = base
            .moduli()
            .chunks(self.columns)
            .zip(digits.chunks(self.columns));
        rows.map(|(moduli, digits)| {
            let terms = digits.iter().enumerate().map(|(j, &digit)| {
                let others = moduli.iter().enumerate().filter(|&(l, _)| l != j);
                digit * others.map(|(_, m)| m.value()).product::<u128>()
            });
            format!("{:x}", terms.sum::<u128>())
        })
        .collect()
    }

    /// A product of numbers below 3P, also compared with the library's Montgomery product.
    pub(crate) fn small_product(&self, x: &BoxedUint, y: &BoxedUint) -> Value {
        let (x, y) = (self.residues(x), self.residues(y));
        let product = self.product(&x, &y);
        let expected = match &self.extensions {
            Extensions::Kawamura(pair) => {
                let [forth, back] = *pair.clone();
                library_product(&Montgomery::new(&self.p, forth, back), &x, &y)
            }
            Extensions::Hierarchical(pair) => {
                let [forth, back] = *pair.clone();
                library_product(&Montgomery::new(&self.p, forth, back), &x, &y)
            }
        };
        assert_eq!(
            product["s"],
            flat(&expected),
            "the library's product differs"
        );
        product
    }

    fn adversarial(&self) -> File {
        let p = |k: u64| self.p.concatenating_mul(BoxedUint::from(k));
        let minus_one = |x: BoxedUint| x.wrapping_sub(BoxedUint::one());
        let small = [
            BoxedUint::zero(),
            BoxedUint::one(),
            minus_one(p(1)),
            p(1),
            minus_one(p(3)),
        ];
        let mut cases = Vec::new();
        for (i, x) in small.iter().enumerate() {
            let partners = small[i..].iter();
            cases.extend(partners.map(|y| self.small_product(x, y)));
        }
        // Digits of Q that are all a - 1, and a - 1 except the last: X = -P Q mod A, Y = 1.
        let one = self.residues(&BoxedUint::one());
        for last in [1, 2, 3] {
            let mut digits: Vec<u128> = self.a.moduli().iter().map(|a| a.value() - 1).collect();
            if let Some(digit) = digits.last_mut() {
                *digit /= last;
            }
            let moduli = self.a.moduli().iter().enumerate();
            let values = moduli.map(|(i, a)| {
                let cofactor = a.reduce_uint(&self.a.cofactor(i));
                let p = a.reduce_uint(&self.p);
                a.neg(a.mul(p, a.mul(digits[i], cofactor)))
            });
            let x = Residues::new(&self.a, values.collect())
                .expect("residues")
                .to_uint();
            cases.push(self.product(&self.residues(&x), &one));
        }
        // The largest product allowed: X Y just below A P.
        let largest = minus_one(self.a.product().concatenating_mul(&self.p));
        cases.push(self.product(&self.residues(&largest), &one));
        cases.extend(self.large_results());
        self.file("adversarial.json", lines(cases))
    }

    /// Products above 2P, for a tiny P.
    fn large_results(&self) -> Vec<Value> {
        if self.p.bits_vartime() > 16 {
            return Vec::new();
        }
        let two_p = self.p.concatenating_mul(BoxedUint::from(2u64));
        let bound = 3 * self.p.as_words()[0];
        let pairs = (0..bound)
            .rev()
            .flat_map(|x| (x..bound).map(move |y| (x, y)));
        let cases: Vec<Value> = pairs
            .filter(|&(x, y)| self.result(x, y) >= two_p)
            .take(40)
            .map(|(x, y)| self.small_product(&BoxedUint::from(x), &BoxedUint::from(y)))
            .collect();
        assert!(!cases.is_empty(), "no result above 2P");
        cases
    }

    /// The integer S for small operands.
    fn result(&self, x: u64, y: u64) -> BoxedUint {
        let product = u128::from(x) * u128::from(y);
        let ([_, s_b], _) = self.reduce(&self.residues(&BoxedUint::from(product)));
        s_b.to_uint()
    }

    fn random(&self, count: usize, random: &mut Random) -> File {
        let bound = self.p.concatenating_mul(BoxedUint::from(3u64));
        let cases = (0..count)
            .map(|_| self.small_product(&random.below(&bound), &random.below(&bound)))
            .collect::<Vec<_>>();
        self.file("random.json", lines(cases))
    }
}

/// Bases A and B for `P`: the largest numbers below `2^width` that are coprime to each other, to `P`
/// and to `small`, dealt to A and B in turn; as many as `A >= margins[0] P` and `B >= margins[1] P`
/// require, and a multiple of `columns`. With `small = 2` these are the library's `bases`, as far
/// as that goes: for 384 bits and 17 bits it has too few moduli above `2^w - 2^(w/2)`.
pub(crate) fn bases(
    p: &BoxedUint,
    width: u32,
    columns: usize,
    small: u128,
    margins: [u64; 2],
) -> [Base; 2] {
    let mut moduli: Vec<u128> = Vec::new();
    let candidates = (0..1u128 << width).rev();
    for candidate in candidates {
        let modulus = Modulus::new(candidate).expect("far more moduli than needed");
        let coprime = |&x: &u128| modulus.invert_vartime(modulus.reduce(x)).is_ok();
        let coprime_to_p = modulus.invert_vartime(modulus.reduce_uint(p)).is_ok();
        if !coprime_to_p || !coprime(&small) || !moduli.iter().all(coprime) {
            continue;
        }
        moduli.push(candidate);
        if moduli.len() < 4 || !moduli.len().is_multiple_of(2 * columns) {
            continue;
        }
        let bases = [0, 1].map(|start| {
            let dealt: Vec<u128> = moduli.iter().copied().skip(start).step_by(2).collect();
            Base::new(&dealt).expect("coprime moduli")
        });
        let mut large = bases.iter().zip(margins);
        let enough = |(base, margin): (&Base, u64)| {
            *base.product() >= p.concatenating_mul(BoxedUint::from(margin))
        };
        if large.all(enough) {
            return bases;
        }
    }
    unreachable!("some number of moduli is enough")
}

/// The library's product of numbers below 3P.
fn library_product<E: BaseExtension>(
    field: &Result<Montgomery<E>, sunzi_field::montgomery::MontgomeryError>,
    x: &Pair,
    y: &Pair,
) -> Pair {
    let field = field.as_ref().expect("A >= 9P and B >= 6P");
    let element = |x: &Pair| {
        let [a, b] = x.clone();
        Element::from_residues(field, a, b, 3).expect("numbers below 3P")
    };
    let product = field.mul(&Plain, &element(x), &element(y));
    let (a, b) = product.residues();
    [a.clone(), b.clone()]
}

/// The residues in A, then those in B.
fn flat(x: &Pair) -> Value {
    let values: Vec<u128> = x.iter().flat_map(|part| part.values().to_vec()).collect();
    hex(&values)
}

/// The number of folds after which every number of `bits` bits is below `2m`, for `m = 2^w - k` with `k` up to
/// `largest`; at least 2.
fn folds(bits: u32, w: u32, largest: u128) -> u32 {
    let mut bound = (1u128 << bits) - 1;
    let mut folds = 0;
    while folds < 2 || bound >= 2 * ((1 << w) - largest) {
        bound = (1 << w) - 1 + largest * (bound >> w);
        folds += 1;
        assert!(folds < 8, "the moduli are too far from 2^w");
    }
    folds
}
