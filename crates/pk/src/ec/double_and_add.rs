//! Double and add always: the program for a machine with room for a few numbers and no tables.

use super::curve::Curve;
use super::formulas::Homogeneous;
use super::model::Model;
use crypto_bigint::BoxedUint;
use sunzi_engine::program::{Builder, Recoding};

/// Builds the program of `k (x, y)` for a point of a curve with an odd number of points, by a doubling and
/// an addition for each bit of k, with the complete formulas of Renes, Costello and Batina (2016). Every bit
/// takes the same operations, so that a machine with a loop needs those of one bit only.
///
/// Its inputs are x, y and a blinding number r other than 0, all below p, and its scalar is k, of as many bits as p.
/// Its outputs are integers X, Y and Z below p with `k (x, y) = (X r / Z, Y r / Z)`, and `Z = 0` if that is the
/// point at infinity. Returns the constants that the program takes, with the powers of the Montgomery factor that
/// they carry.
///
/// An engine has faster programs, which [`multiply_batch`](super::multiply_batch) runs. This one is for other
/// machines, such as the curve processor in `hardware/`.
pub fn double_and_add(builder: &mut Builder, curve: &Curve) -> Vec<(BoxedUint, i32)> {
    let model = Model::new(curve);
    let bits = curve.bits();
    let class = builder.bits();
    let values = model.kind.declare(builder);
    let formulas = &values.coefficients;
    let [x, y] = [(); 2].map(|()| builder.input_unreduced(class));
    let (x, y) = (values.map_x(builder, x), values.map_y(builder, y));
    let entry = formulas.lasting_entry(builder, [x, y]);
    let scalar = builder.scalar("k", bits, true);
    let digits = builder.digits(scalar, Recoding::BITS);
    let zero = builder.common(&BoxedUint::zero());
    let square = builder.montgomery_square();
    let zero = builder.multiply(zero, square);
    let mut sum = Homogeneous {
        x: zero,
        y: formulas.one,
        z: zero,
    };
    for position in (0..bits).rev() {
        let doubled = formulas.double(builder, sum);
        let added = formulas.add(builder, doubled, &entry);
        let mut choose = |x, y| builder.choose(x, y, digits, position);
        sum = Homogeneous {
            x: choose(doubled.x, added.x),
            y: choose(doubled.y, added.y),
            z: choose(doubled.z, added.z),
        };
    }
    let blind = builder.input_unreduced(class);
    let outputs = [
        values.unmap_x(builder, sum.x),
        values.unmap_y(builder, sum.y),
        builder.multiply(sum.z, blind),
    ];
    for output in outputs {
        builder.output(output);
    }
    model.constants()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ec::GroupElement;
    use crate::ec::field::{Element, Field};
    use core::cell::RefCell;
    use crypto_bigint::Resize;
    use sunzi_engine::{Backend, Engine, Job, ProgramKey};

    /// A curve with a coefficient a that is not -3 on any isomorphic curve, of which 1217 points are multiples
    /// of the base point: p, a, b, x, y.
    const OTHER: [u64; 5] = [
        18_446_742_974_197_923_841,
        12_221_904_953_629_319_946,
        14_017_201_874_400_733_915,
        11_258_035_339_579_725_666,
        3_514_564_310_001_043_518,
    ];

    /// Runs the program for several scalars on each kind of curve, with the base point and a point that is
    /// not. The multiples are those of the curve's own arithmetic, one number at a time.
    #[test]
    fn multiples() {
        let engine = Engine::new(Backend::PORTABLE).unwrap();
        let [p, a, b, x, y] = OTHER.map(BoxedUint::from);
        let other = Curve::unchecked([&p, &a, &b], [&x, &y], &BoxedUint::from(1217u64));
        let named = |name: &str| name.parse::<Curve>().unwrap();
        for (name, curve, per_bit) in [
            ("other", other.unwrap(), 23),
            ("secp256k1", named("secp256k1"), 17),
            ("P-256", named("P-256"), 20),
            ("brainpoolP256r1", named("brainpoolP256r1"), 20),
            ("P-384", named("P-384"), 20),
        ] {
            let modulus = engine.modulus(curve.field().p()).unwrap();
            let key = ProgramKey {
                bits: modulus.class(),
                kind: "ec-double-and-add-test",
                parameters: name.bytes().map(u64::from).collect(),
            };
            let constants = RefCell::default();
            let programs = engine.programs(key, |builder| {
                constants.replace(double_and_add(builder, &curve));
            });
            let programs = programs.unwrap();
            let products = programs.program().counts().products;
            assert_eq!(products / u64::from(curve.bits()), per_bit, "{name}");
            let constants: Vec<(BoxedUint, i32)> = constants.take();
            let constants: Vec<_> = constants.iter().map(|(x, form)| (x, *form)).collect();
            let constants = engine.constants(&modulus, &constants).unwrap();
            let generator = curve.generator().clone();
            let other = curve.double_times(&generator, 5).unwrap();
            let order = curve.order().as_ref();
            let one = BoxedUint::one_with_precision(order.bits_precision());
            let blind = curve.field().small(0x1234_5678_9abc_def1);
            let scalars = [
                BoxedUint::zero_with_precision(order.bits_precision()),
                one.clone(),
                one.shl(curve.bits() / 2),
                order.wrapping_sub(&one),
                order.clone(),
            ];
            for (point, k) in [generator, other]
                .iter()
                .flat_map(|point| scalars.iter().map(move |k| (point, k)))
            {
                let inputs = [&point.x, &point.y, &blind].map(Element::retrieve);
                let job = Job {
                    programs: &programs,
                    modulus: &modulus,
                    constants: Some(&constants),
                    inputs: inputs.iter().collect(),
                    scalars: vec![k],
                };
                let outcome = engine.execute(&[job]).unwrap().remove(0);
                let [x, y, z] = [0, 1, 2].map(|k| {
                    let integer: &BoxedUint = &outcome.integers[k];
                    let integer = integer.resize_unchecked(inputs[0].bits_precision());
                    curve.field().element(&integer).unwrap()
                });
                let inverse = Field::invert(&z);
                let found = inverse.map(|inverse| {
                    let scale = inverse.mul(&blind);
                    [x.mul(&scale).retrieve(), y.mul(&scale).retrieve()]
                });
                let expected = curve.multiply_vartime(k, point);
                let expected = GroupElement::of(&curve, expected).coordinates();
                assert_eq!(found, expected, "{name}: {k}");
            }
        }
    }
}
