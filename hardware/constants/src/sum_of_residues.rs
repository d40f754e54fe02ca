//! Tables and vectors of the sum-of-residues cores, for secp256k1 and 2^255 - 19.
//!
//! The golden model is `sunzi_field::sum_of_residues`: its published form gives the result of the cores with
//! `EXACT = 0` and every intermediate value, its exact form the result of the cores with `EXACT = 1`.

use crypto_bigint::{BoxedUint, Resize};
use serde_json::{Value, json};
use sunzi_field::sum_of_residues::curves::{Curve, EDWARDS25519, SECP256K1};
use sunzi_field::sum_of_residues::modulus66::{EXPONENTS_8, WIDTH};
use sunzi_field::sum_of_residues::{ExactReduction, PublishedReduction};
use sunzi_rns::channel::Plain;
use sunzi_rns::{Modulus, Residues};

use crate::files::File;
use crate::json::{hex, lines};
use crate::random::Random;
use crate::systemverilog::{Bits, Header};

/// The primes, by the names of the folders.
const CURVES: [(&str, Curve); 2] = [("secp256k1", SECP256K1), ("ed25519", EDWARDS25519)];

/// Number of limbs of 66 bits in which numbers below `2p` are compared with `p`.
const LIMBS: u32 = 4;

/// Tables and adversarial vectors for each prime.
pub(crate) fn files() -> Vec<File> {
    let models = CURVES.iter().map(|(name, curve)| Model::new(name, curve));
    models.flat_map(|m| [m.tables(), m.adversarial()]).collect()
}

/// Vectors with `count` random products for each prime.
pub(crate) fn random_vectors(count: usize, random: &mut Random) -> Vec<File> {
    let models = CURVES.iter().map(|(name, curve)| Model::new(name, curve));
    models.map(|m| m.random(count, random)).collect()
}

/// The library's reductions for one prime.
struct Model {
    name: &'static str,
    published: PublishedReduction,
    exact: ExactReduction,
}

impl Model {
    fn new(name: &'static str, curve: &Curve) -> Self {
        let published = PublishedReduction::for_curve(curve).expect("a curve of the paper");
        let exact = ExactReduction::new(&curve.prime()).expect("a prime of 256 bits");
        assert_eq!(published.base(), exact.base());
        Self {
            name,
            published,
            exact,
        }
    }

    fn file(&self, name: &str, text: String) -> File {
        let path = format!("sum_of_residues/{}/{name}", self.name);
        File { path, text }
    }

    fn tables(&self) -> File {
        let tables = self.published.tables();
        let base = self.published.base();
        let count = base.len();
        let mut header = Header::new(&format!("Sum of residues for the prime of {}.", self.name));
        header.integer("Number N of channels.", "CHANNELS", count as u32);
        header.integer("Width of a channel, in bits.", "WIDTH", WIDTH);
        header.integer(
            "q: leading bits of each gamma_i.",
            "RANK_BITS",
            tables.rank_bits,
        );
        header.integer("T, in bits.", "QUOTIENT_BITS", tables.quotient_bits);
        let widest = tables.quotient_constants.iter().max().copied();
        let constant_bits = u128::BITS - widest.unwrap_or_default().leading_zeros();
        header.integer(
            "Width of the constants of the quotient, in bits.",
            "CONSTANT_BITS",
            constant_bits,
        );
        header.integer(
            "Limbs of WIDTH bits in which a result is compared with p.",
            "LIMBS",
            LIMBS,
        );

        let exponents = std::iter::once(0).chain(EXPONENTS_8).map(u64::from);
        header.vector(
            "t_j, 8 bits each: m_j = 2^66 - 2^t_j - 1, and for t_j = 0 m_j = 2^66 - 1.",
            "EXPONENTS",
            &Bits::fields(exponents.map(BoxedUint::from), 8),
        );
        header.vector(
            "m_j.",
            "MODULI",
            &Bits::residues(
                &base.moduli().iter().map(Modulus::value).collect::<Vec<_>>(),
                WIDTH,
            ),
        );

        // The second factors of all products, in the order of the schedule.
        let column = |i: usize| tables.weights.iter().map(|w| w[i]).collect::<Vec<_>>();
        let mut factors = vec![Bits::residues(base.cofactor_inverses(), WIDTH)];
        factors.extend((0..count).map(|i| Bits::residues(&column(i), WIDTH)));
        factors.push(Bits::residues(&tables.minus_p, WIDTH));
        header.table(
            "Factors for all channels: row 0 |M_j^-1|_m_j; row i = 1..8 |<M_i>_p|_m_j; row 9 |-p|_m_j.",
            "factors",
            &factors,
        );
        let limbs = (0..LIMBS).map(|k| {
            let limbs = tables.cofactors_mod_p.iter().map(|c| limb(c, k));
            Bits::fields(limbs, WIDTH)
        });
        header.table(
            "Factors for the comparison with p: row k is limb k of <M_j>_p.",
            "cofactor_limbs",
            &limbs.collect::<Vec<_>>(),
        );
        let correction = |alpha: usize| {
            tables
                .corrections
                .iter()
                .map(|c| c[alpha])
                .collect::<Vec<_>>()
        };
        let corrections: Vec<Bits> = (0..count)
            .map(|alpha| Bits::residues(&correction(alpha), WIDTH))
            .collect();
        header.vector(
            "|-p|_m_j.",
            "MINUS_P",
            &Bits::residues(&tables.minus_p, WIDTH),
        );
        header.table(
            "|<-alpha M>_p|_m_j for all channels.",
            "corrections",
            &corrections,
        );
        let constants: Vec<Bits> = tables
            .quotient_constants
            .iter()
            .map(|&c| Bits::new(&BoxedUint::from(c), constant_bits))
            .collect();
        header.table(
            "floor(<M_i>_p / 2^(W-T)).",
            "quotient_constants",
            &constants,
        );
        let limbs_of = |x: &BoxedUint| Bits::fields((0..LIMBS).map(|k| limb(x, k)), WIDTH);
        let limbs: Vec<Bits> = tables.corrections_mod_p.iter().map(limbs_of).collect();
        header.table("<-alpha M>_p.", "correction_limbs", &limbs);
        let prime = (0..LIMBS).map(|k| Bits::new(&limb(self.published.prime(), k), WIDTH));
        header.table(
            "p, limb by limb.",
            "prime_limbs",
            &prime.collect::<Vec<_>>(),
        );
        self.file("sum_of_residues.svh", header.text())
    }

    /// `X Y`, for `X Y < 15M/16`.
    fn case(&self, x: &BoxedUint, y: &BoxedUint) -> Value {
        let base = self.published.base();
        let (x, y) = (Residues::reduced(base, x), Residues::reduced(base, y));
        json!({
            "x": hex(x.values()),
            "y": hex(y.values()),
            "published": hex(self.published.mul(&Plain, &x, &y).values()),
            "exact": hex(self.exact.mul(&Plain, &x, &y).values()),
        })
    }

    /// The product `X Y` with every intermediate value in the order in which the cores compute it.
    fn traced(&self, x: &BoxedUint, y: &BoxedUint) -> Value {
        let mut case = self.case(x, y);
        let base = self.published.base();
        let (x, y) = (Residues::reduced(base, x), Residues::reduced(base, y));
        let trace = self.published.trace(&Plain, &x, &y);
        let mut sum = vec![0; base.len()];
        let channels = self.published.channels();
        let terms = trace.terms.iter();
        let sums: Vec<Value> = terms
            .chain([&trace.correction, &trace.multiple])
            .map(|term| {
                for ((sum, term), m) in sum.iter_mut().zip(term).zip(channels) {
                    *sum = m.add(*sum, *term);
                }
                hex(&sum)
            })
            .collect();
        assert_eq!(
            sum,
            trace.result.values(),
            "the terms are not those of the result"
        );
        case["trace"] = json!({
            "product": hex(trace.product.values()),
            "gammas": hex(&trace.gammas),
            "alpha": trace.alpha as u64,
            "kappa": format!("{:#x}", trace.kappa),
            "terms": trace.terms.iter().map(|t| hex(t)).collect::<Vec<_>>(),
            "multiple": hex(&trace.multiple),
            "sums": sums,
            "at_least_p": trace.result.to_uint() >= *self.published.prime(),
        });
        case
    }

    /// The cases that every implementation must pass, the first three with traces.
    fn adversarial(&self) -> File {
        let traced = self.traced_operands().map(|(x, y)| self.traced(&x, &y));
        let operands = self.edges().into_iter().chain(self.chain());
        let cases = operands.map(|(x, y)| self.case(&x, &y));
        self.file("adversarial.json", lines(traced.into_iter().chain(cases)))
    }

    /// A number that looks random, 1, and a multiple of `p`.
    fn traced_operands(&self) -> [(BoxedUint, BoxedUint); 3] {
        let p = self.published.prime();
        let mut random = Random::new();
        let operands = (random.below(p), random.below(p));
        let one = BoxedUint::one();
        [operands, (one.clone(), one.clone()), (one, p.clone())]
    }

    /// Products at the edges of every range.
    fn edges(&self) -> Vec<(BoxedUint, BoxedUint)> {
        let p = wide(self.published.prime());
        let m = wide(self.published.base().product());
        let small = |k: u64| wide(&BoxedUint::from(k));
        let plus = |x: &BoxedUint, k: u64| x.wrapping_add(small(k));
        let minus = |x: &BoxedUint, k: u64| x.wrapping_sub(small(k));
        let times = |x: &BoxedUint, k: u64| x.wrapping_mul(small(k));
        let power = |k: u32| small(1).unbounded_shl_vartime(k);

        // Z itself, as Z * 1.
        let mut integers: Vec<BoxedUint> = [0, 1, 2, 5].map(small).to_vec();
        for k in [1, 2, 3, 1 << 20] {
            integers.extend([
                minus(&times(&p, k), 1),
                times(&p, k),
                plus(&times(&p, k), 1),
            ]);
        }
        // Multiples of p near every power of two up to the end of the range.
        integers.extend((1..9).map(|k| p.wrapping_mul(power(32 * k))));
        // The numbers at which alpha changes, and the end of the range, 15M/16.
        for k in 1..16 {
            let fraction = times(&m, k).unbounded_shr_vartime(4);
            integers.extend([minus(&fraction, 1), fraction]);
        }
        integers.pop();
        let ones = integers.into_iter().map(|z| (z, small(1)));

        let largest = minus(&times(&p, 2), 1);
        let quarter = times(&p, 5).unbounded_shr_vartime(2);
        let pairs = [
            (minus(&p, 1), minus(&p, 1)),
            (minus(&p, 1), minus(&p, 2)),
            (p.clone(), p.clone()),
            (plus(&p, 1), plus(&p, 1)),
            (plus(&p, 1).unbounded_shr_vartime(1), small(2)),
            (largest.clone(), largest),
            (quarter.clone(), quarter),
            (p.clone(), power(256)),
            // The largest possible residues, whose product represents 1.
            (minus(&m, 1), minus(&m, 1)),
        ];
        ones.chain(pairs).collect()
    }

    /// Squarings one after another, of results that are not brought below `p`.
    fn chain(&self) -> Vec<(BoxedUint, BoxedUint)> {
        let base = self.published.base();
        let mut x = BoxedUint::from(3u64);
        let mut chain = Vec::new();
        for _ in 0..24 {
            let residues = Residues::reduced(base, &x);
            chain.push((x.clone(), x));
            x = self.published.mul(&Plain, &residues, &residues).to_uint();
        }
        chain
    }

    /// Random products of numbers below `2p`.
    fn random(&self, count: usize, random: &mut Random) -> File {
        let bound = wide(self.published.prime()).unbounded_shl_vartime(1);
        let cases = (0..count).map(|_| self.case(&random.below(&bound), &random.below(&bound)));
        self.file("random.json", lines(cases))
    }
}

/// `x` with room for every number here.
fn wide(x: &BoxedUint) -> BoxedUint {
    x.clone().resize_unchecked(640)
}

/// Limb `k` of 66 bits.
fn limb(x: &BoxedUint, k: u32) -> BoxedUint {
    let shifted = wide(x).unbounded_shr_vartime(k * WIDTH);
    let above = shifted
        .unbounded_shr_vartime(WIDTH)
        .unbounded_shl_vartime(WIDTH);
    shifted.wrapping_sub(above)
}
