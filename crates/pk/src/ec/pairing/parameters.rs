//! The parameters of BLS12-381 beyond G1: the curve of G2, its generator, and powers of `xi = 1 + u`
//! (draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1).

use super::quadratic::Quadratic;
use super::tower::DEGREE;
use crate::ec::curve::Curve;
use crate::ec::field::Field;
use crypto_bigint::BoxedUint;
use std::sync::LazyLock;

/// `-x`, for the x in which p and the order are polynomials.
pub(super) const SEED: u64 = 0xd201_0000_0001_0000;
/// The curves are `y^2 = x^3 + 4` and, for G2, `y^2 = x^3 + 4 xi`: this is three times the 4.
pub(super) const B3: u32 = 12;

/// The generator of G2: the real and the imaginary part of x, then those of y.
const GENERATOR: [&str; 4] = [
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
    "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
    "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
    "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be",
];

/// Numbers that programs take as constants, and what a batch computes one at a time with.
pub(super) struct Parameters {
    /// The numbers modulo p.
    pub(super) field: Field,
    /// `4 xi`.
    pub(super) b: Quadratic,
    /// The cube root of 1 modulo p with `(beta X, Y) = -x^2 (X, Y)` for points of G1.
    pub(super) beta: BoxedUint,
    /// The generator of G2: x and y.
    pub(super) generator: [Quadratic; 2],
    /// `xi^(k (p - 1)/6)` for k from 1.
    pub(super) frobenius: [Quadratic; DEGREE - 1],
    /// `xi^(k (p^2 - 1)/6)` for k from 1: the norms of the former.
    pub(super) frobenius_squared: [BoxedUint; DEGREE - 1],
    /// The factors of both coordinates in the endomorphism psi: `xi^-((p - 1)/3)` and `xi^-((p - 1)/2)`.
    pub(super) psi: [Quadratic; 2],
}

/// The parameters of BLS12-381.
pub(super) fn parameters() -> &'static Parameters {
    static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| {
        const VALID: &str = "the parameters are valid";
        let curve: Curve = "BLS12-381-G1".parse().expect(VALID);
        let field = curve.field().clone();
        let xi = Quadratic::small(&field, 1, 1);
        let sixth = BoxedUint::from(6u32).into_nz().expect(VALID);
        let less_one = field.p().wrapping_sub(BoxedUint::one());
        let root = xi.pow(&field, &less_one.div_rem_vartime(&sixth).0);
        let mut power = root.clone();
        let frobenius: [Quadratic; DEGREE - 1] = core::array::from_fn(|_| {
            let this = power.clone();
            power = power.mul(&root);
            this
        });
        let frobenius_squared = frobenius
            .each_ref()
            .map(|x: &Quadratic| x.norm().retrieve());
        let [x_re, x_im, y_re, y_im] =
            GENERATOR.map(|hex| BoxedUint::from_str_radix_vartime(hex, 16).expect(VALID));
        let generator = [[&x_re, &x_im], [&y_re, &y_im]]
            .map(|coordinate| Quadratic::of(&field, coordinate).expect(VALID));
        let psi = [1, 2].map(|k: usize| frobenius[k].invert().expect(VALID));
        Parameters {
            beta: curve.subgroup_root().expect(VALID).retrieve(),
            psi,
            b: Quadratic::small(&field, 4, 4),
            generator,
            frobenius,
            frobenius_squared,
            field,
        }
    });
    &PARAMETERS
}
