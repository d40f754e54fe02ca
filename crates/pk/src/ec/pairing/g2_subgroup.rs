//! Subgroup checks of G2: whether points of its curve are of order n. Public.
//!
//! The endomorphism `psi(X, Y) = (c X', d Y')`, where `'` is the conjugate, c the inverse of `xi^((p - 1)/3)` and d that
//! of `xi^((p - 1)/2)`, is the p-th power map on the curve over Fp12 that this one is a twist of: it satisfies
//! `psi^2 - t psi + p = 0` with the trace `t = x + 1`. If `psi(Q) = x Q`, then `(x^2 - (x + 1) x + p) Q = (p - x) Q` is at
//! infinity; so is h n Q for the number of points h n, and the greatest common divisor of both numbers is n. For points
//! of order n psi is the multiplication by p, which is x modulo n. (Scott, "A note on group membership tests for G1, G2
//! and GT on BLS pairing-friendly curves", 2021, section 4.)
//!
//! That is BLS12-381. For BN254 c and d are not inverted, and with the trace `t' = 6 t^2 + 1` and `m = 6 t^2` the same
//! argument is shorter: if `psi(Q) = m Q`, then `(m^2 - (m + 1) m + p) Q = (p - m) Q = n Q` is at infinity.

use super::kind::PairingCurve;
use super::parameters::Construction;
use super::prepared::PreparedPairing;
use super::quadratic::Quadratic;
use super::tower::{Fp2, sum};
use super::twist::{TripleB, Twisted};
use std::sync::Arc;
use sunzi_engine::program::Builder;
use sunzi_engine::{EngineError, Job, ProgramKey, Programs};

/// Whether each point of the curve is of order n.
pub(super) fn in_g2<C: PairingCurve>(
    pairing: &PreparedPairing<C>,
    points: &[&[Quadratic; 2]],
) -> Result<Vec<bool>, EngineError> {
    let programs = program(pairing)?;
    let inputs = points.iter().map(|[x, y]| [x.integers(), y.integers()]);
    let inputs: Vec<_> = inputs.collect();
    let jobs = inputs.iter().map(|inputs| Job {
        programs: &programs,
        modulus: pairing.p(),
        constants: None,
        inputs: inputs.iter().flatten().collect(),
        scalars: Vec::new(),
    });
    let outcomes = pairing.engine().execute(&jobs.collect::<Vec<_>>())?;
    let is_inside = |flags: &[bool]| flags[..2] != [true; 2] && flags[2..] == [true; 4];
    let flags = outcomes.iter().map(|outcome| is_inside(&outcome.flags));
    Ok(flags.collect())
}

/// `-x Q = (X : Y : Z)`: two flags whether Z is 0, two whether `X = c xQ' Z`, and two whether `Y = -d yQ' Z`; for BN254
/// `m Q` and `Y = d yQ' Z`.
///
/// Doublings fail at infinity, with (0, 0, 0). No multiple on the way is at infinity for points of the prime order n,
/// which is above `-x` and m; other points are to be refused.
fn program<C: PairingCurve>(pairing: &PreparedPairing<C>) -> Result<Arc<Programs>, EngineError> {
    let parameters = C::parameters();
    let bits = pairing.p().class();
    let key = ProgramKey {
        bits,
        kind: "pairing-g2-subgroup",
        parameters: vec![C::NUMBER],
    };
    pairing.engine().programs(key, |builder| {
        let q = [(); 2].map(|()| Fp2::input(builder, bits));
        let b3 = TripleB::of(builder, parameters);
        let Twisted { x, y, z, .. } = multiple(builder, b3, parameters.eigenvalue, q);
        z.is_zero(builder);
        let [image_x, image_y] = psi(builder, &parameters.psi, q);
        let z = z.factor(builder);
        let right = sum(builder, &[(z, image_x)]);
        x.subtract(builder, right).is_zero(builder);
        let right = sum(builder, &[(z, image_y)]);
        let difference = match parameters.construction {
            Construction::BarretoLynnScott => y.add(builder, right),
            Construction::BarretoNaehrig => y.subtract(builder, right),
        };
        difference.is_zero(builder);
    })
}

/// The coordinates of `psi(Q)` for those of Q, by the factors of psi. 4 R, 8 T.
pub(super) fn psi(builder: &mut Builder, factors: &[Quadratic; 2], q: [Fp2; 2]) -> [Fp2; 2] {
    [0, 1].map(|k| {
        let conjugate = q[k].conjugate(builder);
        let factor = Fp2::constant(builder, &factors[k]);
        conjugate.multiply(builder, factor)
    })
}

/// `k Q` for a Q of order n and a k that is not 0, by doubling and adding.
fn multiple(builder: &mut Builder, b3: TripleB, k: u128, q: [Fp2; 2]) -> Twisted {
    let mut sum = Twisted::affine(builder, b3, q);
    let mut doublings = 0;
    for bit in (0..k.ilog2()).rev() {
        doublings += 1;
        if k >> bit & 1 == 0 && bit > 0 {
            continue;
        }
        sum = sum.double_times(builder, doublings);
        doublings = 0;
        if k >> bit & 1 == 1 {
            sum = sum.add_affine(builder, q);
        }
    }
    sum
}
