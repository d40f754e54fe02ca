//! The parameters of pairings beyond G1: the curve of G2, its generator, the tower, and powers of its `xi`
//! (BLS12-381: draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1; BN254: EIP-197).

use super::quadratic::Quadratic;
use super::steps::Step;
use super::tower::{DEGREE, Tower};
use crate::ec::curve::Curve;
use crate::ec::field::Field;
use crypto_bigint::BoxedUint;
use std::sync::LazyLock;

/// `-x` of BLS12-381, for the x in which p and the order are polynomials.
pub(super) const SEED: u64 = 0xd201_0000_0001_0000;
/// The curves of BLS12-381 are `y^2 = x^3 + 4` and, for G2, `y^2 = x^3 + 4 xi`: this is three times the 4.
pub(super) const B3: u32 = 12;
/// The t of BN254, in which p and the order are polynomials (EIP-196).
const BN254_SEED: u64 = 4_965_661_367_192_848_881;

/// The generators of G2: the real and the imaginary part of x, then those of y.
const BLS12_381_GENERATOR: [&str; 4] = [
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
    "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
    "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
    "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be",
];
const BN254_GENERATOR: [&str; 4] = [
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
    "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
];

/// The construction of a curve, which decides its formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Construction {
    /// Barreto, Lynn and Scott, with a negative x.
    BarretoLynnScott,
    /// Barreto and Naehrig, with a positive t.
    BarretoNaehrig,
}

/// Numbers that programs take as constants, and what a batch computes one at a time with.
pub struct Parameters {
    /// The construction.
    pub(super) construction: Construction,
    /// The tower of fields.
    pub(super) tower: Tower,
    /// The signed digits of `|x|` or t, the most significant one first.
    pub(super) seed: Vec<i8>,
    /// The steps of the Miller loop.
    pub(super) steps: Vec<Step>,
    /// The number of which psi is the multiplication in G2, or its opposite if that is negative.
    pub(super) eigenvalue: u128,
    /// The numbers modulo p.
    pub(super) field: Field,
    /// The curve of G2 is `y^2 = x^3 + b`.
    pub(super) b: Quadratic,
    /// The generator of G2: x and y.
    pub(super) generator: [Quadratic; 2],
    /// `xi^(k (p - 1)/6)` for k from 1.
    pub(super) frobenius: [Quadratic; DEGREE - 1],
    /// `xi^(k (p^2 - 1)/6)` for k from 1: the norms of the former.
    pub(super) frobenius_squared: [BoxedUint; DEGREE - 1],
    /// The factors of both coordinates in the endomorphism psi: `xi^-((p - 1)/3)` and `xi^-((p - 1)/2)`, or their
    /// inverses if the untwisted point is `(x w^2, y w^3)`.
    pub(super) psi: [Quadratic; 2],
}

const VALID: &str = "the parameters are valid";

/// The parameters of BLS12-381.
pub(super) fn parameters() -> &'static Parameters {
    static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| {
        let field = field("BLS12-381-G1");
        let frobenius = frobenius(&field, Tower::BLS12_381);
        let bits = (0..=SEED.ilog2()).rev();
        let seed: Vec<i8> = bits.map(|bit| i8::from(SEED >> bit & 1 == 1)).collect();
        Parameters {
            construction: Construction::BarretoLynnScott,
            tower: Tower::BLS12_381,
            steps: Step::of_digits(&seed),
            seed,
            eigenvalue: SEED.into(),
            psi: [1, 2].map(|k: usize| frobenius[k].invert().expect(VALID)),
            b: Quadratic::small(&field, 4, 4),
            generator: generator(&field, BLS12_381_GENERATOR),
            frobenius_squared: norms(&frobenius),
            frobenius,
            field,
        }
    });
    &PARAMETERS
}

/// The parameters of BN254.
pub(super) fn bn254() -> &'static Parameters {
    static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| {
        let field = field("BN254-G1");
        let frobenius = frobenius(&field, Tower::BN254);
        let seed = u128::from(BN254_SEED);
        let mut steps = Step::of_digits(&signed_digits(6 * seed + 2));
        steps.extend([Step::AddImage, Step::SubtractSecondImage]);
        let xi = Quadratic::small(&field, Tower::BN254.xi.into(), 1);
        Parameters {
            construction: Construction::BarretoNaehrig,
            tower: Tower::BN254,
            seed: signed_digits(seed),
            steps,
            eigenvalue: 6 * seed * seed,
            psi: [1, 2].map(|k: usize| frobenius[k].clone()),
            b: xi.invert().expect(VALID).times(&field.small(3)),
            generator: generator(&field, BN254_GENERATOR),
            frobenius_squared: norms(&frobenius),
            frobenius,
            field,
        }
    });
    &PARAMETERS
}

fn field(g1: &str) -> Field {
    let curve: Curve = g1.parse().expect(VALID);
    curve.field().clone()
}

/// `xi^(k (p - 1)/6)` for k from 1.
fn frobenius(field: &Field, tower: Tower) -> [Quadratic; DEGREE - 1] {
    let xi = Quadratic::small(field, tower.xi.into(), 1);
    let sixth = BoxedUint::from(6u32).into_nz().expect(VALID);
    let less_one = field.p().wrapping_sub(BoxedUint::one());
    let root = xi.pow(field, &less_one.div_rem_vartime(&sixth).0);
    let mut power = root.clone();
    core::array::from_fn(|_| {
        let this = power.clone();
        power = power.mul(&root);
        this
    })
}

fn norms(powers: &[Quadratic; DEGREE - 1]) -> [BoxedUint; DEGREE - 1] {
    powers.each_ref().map(|x| x.norm().retrieve())
}

fn generator(field: &Field, parts: [&str; 4]) -> [Quadratic; 2] {
    let [x_re, x_im, y_re, y_im] =
        parts.map(|hex| BoxedUint::from_str_radix_vartime(hex, 16).expect(VALID));
    let coordinates = [[&x_re, &x_im], [&y_re, &y_im]];
    coordinates.map(|coordinate| Quadratic::of(field, coordinate).expect(VALID))
}

/// The digits -1, 0 and 1 of a positive number, of which no two neighbours differ from 0, the most significant first.
fn signed_digits(mut x: u128) -> Vec<i8> {
    let mut digits = Vec::new();
    while x > 0 {
        let digit = match x % 4 {
            1 => 1,
            3 => -1,
            _ => 0,
        };
        digits.push(digit);
        x = x.wrapping_sub_signed(digit.into()) / 2;
    }
    digits.reverse();
    digits
}
