//! Elements of G1 of BLS12-381 and BN254: sums, multiples and encodings equal those of arkworks.

use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInteger, PrimeField, UniformRand, Zero};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use crypto_bigint::BoxedUint;
use sunzi_engine::{Backend, Engine};
use sunzi_pk::ec::{
    CombineRequest, Curve, ElementFormat, GroupElement, GroupError, KeyError, MultiplyRequest,
    PointError, PreparedCurve, PrivateKey, SumRequest, add_batch_vartime, combine_batch_vartime,
    decode_batch, multi_scalar_batch_vartime, multiply_batch,
};
use sunzi_pk::system_rng;

fn engines() -> impl Iterator<Item = Engine> {
    Backend::ALL.iter().filter_map(|&backend| {
        Engine::new(backend)
            .inspect_err(|error| println!("SKIPPED: {error}"))
            .ok()
    })
}

fn integer<F: PrimeField>(x: &F) -> BoxedUint {
    let bytes = x.into_bigint().to_bytes_be();
    BoxedUint::from_be_slice(&bytes, 8 * bytes.len() as u32).unwrap()
}

/// The element with the coordinates of a point of arkworks.
fn element<P: AffineRepr<BaseField: PrimeField>>(curve: &Curve, point: &P) -> GroupElement {
    match point.xy() {
        Some((x, y)) => GroupElement::new(curve, &integer(&x), &integer(&y)).unwrap(),
        None => GroupElement::identity(curve),
    }
}

/// Asserts that both are the same point.
fn assert_same<P: AffineRepr<BaseField: PrimeField>>(ours: &GroupElement, theirs: &P) {
    let theirs = theirs.xy().map(|(x, y)| [integer(&x), integer(&y)]);
    assert_eq!(ours.coordinates(), theirs);
}

/// Sums, multiples and sums of multiples, special cases and random ones, on each backend.
fn compare<G>(name: &str)
where
    G: CurveGroup<
            ScalarField: PrimeField,
            BaseField: PrimeField,
            Affine: AffineRepr<BaseField: PrimeField>,
        > + VariableBaseMSM<MulBase = <G as CurveGroup>::Affine>,
{
    let curve: Curve = name.parse().unwrap();
    let rng = &mut ark_std::test_rng();
    let zero = G::ScalarField::zero();
    let one = zero + G::ScalarField::from(1u64);
    let mut scalars = vec![zero, one, -one, one + one, -(one + one)];
    scalars.extend((0..120).map(|_| G::ScalarField::rand(rng)));
    let mut points = vec![G::zero(), G::generator(), -G::generator(), G::generator()];
    points.extend((0..121).map(|_| G::rand(rng)));
    points[9] = points[8];
    points[10] = -points[8];
    let affine = G::normalize_batch(&points);
    let elements: Vec<_> = affine.iter().map(|point| element(&curve, point)).collect();
    let integers: Vec<_> = scalars.iter().map(integer).collect();

    let pairs: Vec<_> = (0..elements.len())
        .flat_map(|i| [0, 1, 2, 8, 9, 10, i].map(|j| (i, j)))
        .collect();
    let both: Vec<_> = pairs
        .iter()
        .map(|&(i, j)| (&elements[i], &elements[j]))
        .collect();
    let sums = add_batch_vartime(&curve, &both).unwrap();
    for (&(i, j), sum) in pairs.iter().zip(&sums) {
        assert_same(sum, &(points[i] + points[j]).into_affine());
    }

    for engine in engines() {
        let prepared = PreparedCurve::new(&engine, &curve).unwrap();
        let requests: Vec<_> = integers
            .iter()
            .zip(&elements)
            .map(|(scalar, element)| MultiplyRequest {
                curve: &prepared,
                scalar,
                element,
            })
            .collect();
        for (k, multiple) in multiply_batch(&engine, &requests).into_iter().enumerate() {
            match (scalars[k].is_zero(), points[k].is_zero()) {
                (true, _) => assert_eq!(multiple, Err(GroupError::OutOfRange)),
                (_, true) => assert_eq!(multiple, Err(GroupError::Identity)),
                _ => assert_same(&multiple.unwrap(), &(points[k] * scalars[k]).into_affine()),
            }
        }

        // Scalars u of all kinds, and one for which the sum is at infinity.
        let us: Vec<_> = (0..scalars.len())
            .map(|k| match k % 4 {
                0 => zero,
                1 => one,
                _ => scalars[scalars.len() - 1 - k],
            })
            .collect();
        let us_integers: Vec<_> = us.iter().map(integer).collect();
        let requests: Vec<_> = (0..scalars.len())
            .map(|k| CombineRequest {
                curve: &prepared,
                u: &us_integers[k],
                v: &integers[k],
                element: &elements[k],
            })
            .collect();
        let sums = combine_batch_vartime(&engine, &requests);
        for (k, sum) in sums.into_iter().enumerate() {
            let right = G::generator() * us[k] + points[k] * scalars[k];
            assert_same(&sum.unwrap(), &right.into_affine());
        }
        let request = CombineRequest {
            curve: &prepared,
            u: &integers[7],
            v: &integers[7],
            element: &elements[2],
        };
        let sum = combine_batch_vartime(&engine, &[request]).remove(0);
        assert!(sum.unwrap().is_identity());

        let terms: Vec<_> = integers.iter().zip(&elements).collect();
        let counts = [0, 1, 4, 40, terms.len()];
        let requests = counts.map(|count| SumRequest {
            curve: &prepared,
            terms: &terms[..count],
        });
        let sums = multi_scalar_batch_vartime(&engine, &requests);
        for (count, sum) in counts.into_iter().zip(sums) {
            let right = G::msm(&affine[..count], &scalars[..count]).unwrap();
            assert_same(&sum.unwrap(), &right.into_affine());
        }
    }
}

#[test]
fn bls12_381() {
    compare::<ark_bls12_381::G1Projective>("BLS12-381-G1");
}

#[test]
fn bn254() {
    compare::<ark_bn254::G1Projective>("BN254-G1");
}

/// Points have the same encodings as in arkworks, and are read again, one at a time and in batches.
#[test]
fn encodings() {
    let curve: Curve = "BLS12-381-G1".parse().unwrap();
    let rng = &mut ark_std::test_rng();
    let mut points = vec![ark_bls12_381::G1Affine::zero()];
    points.extend((0..50).map(|_| ark_bls12_381::G1Affine::rand(rng)));
    for engine in engines() {
        let prepared = PreparedCurve::new(&engine, &curve).unwrap();
        for compressed in [true, false] {
            let encodings = points.iter().map(|point| {
                let mut bytes = Vec::new();
                if compressed {
                    point.serialize_compressed(&mut bytes).unwrap();
                } else {
                    point.serialize_uncompressed(&mut bytes).unwrap();
                }
                bytes
            });
            let encodings: Vec<Vec<u8>> = encodings.collect();
            let slices: Vec<_> = encodings.iter().map(Vec::as_slice).collect();
            let read = decode_batch(&prepared, ElementFormat::Zcash, &slices).unwrap();
            for ((point, bytes), ours) in points.iter().zip(&encodings).zip(read) {
                let ours = ours.unwrap();
                assert_same(&ours, point);
                assert_eq!(
                    ours.to_bytes(ElementFormat::Zcash, compressed).unwrap(),
                    *bytes
                );
                let sec1 = ours.to_bytes(ElementFormat::Sec1, compressed).unwrap();
                let sec1 = decode_batch(&prepared, ElementFormat::Sec1, &[&sec1]).unwrap();
                assert_eq!(sec1, [Ok(ours)]);
            }
            let alone = GroupElement::from_bytes(&curve, ElementFormat::Zcash, slices[7]);
            assert_same(&alone.unwrap(), &points[7]);
        }
    }
}

/// Encodings with changed bytes are accepted if arkworks accepts them, and errors name the defect.
#[test]
fn bad_encodings() {
    let curve: Curve = "BLS12-381-G1".parse().unwrap();
    let engine = Engine::new(Backend::best()).unwrap();
    let prepared = PreparedCurve::new(&engine, &curve).unwrap();
    let generator = ark_bls12_381::G1Affine::generator();
    let mut encodings = Vec::new();
    for compressed in [true, false] {
        let mut bytes = Vec::new();
        if compressed {
            generator.serialize_compressed(&mut bytes).unwrap();
        } else {
            generator.serialize_uncompressed(&mut bytes).unwrap();
        }
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                encodings.push(changed);
            }
        }
        encodings.push(bytes[1..].to_vec());
        encodings.push(bytes);
    }
    let slices: Vec<_> = encodings.iter().map(Vec::as_slice).collect();
    let ours = decode_batch(&prepared, ElementFormat::Zcash, &slices).unwrap();
    let mut outside = 0;
    for (bytes, ours) in encodings.iter().zip(&ours) {
        let compressed = bytes[0] & 0x80 != 0;
        let theirs = if compressed {
            ark_bls12_381::G1Affine::deserialize_compressed(&bytes[..])
        } else {
            ark_bls12_381::G1Affine::deserialize_uncompressed(&bytes[..])
        };
        outside += usize::from(*ours == Err(PointError::NotInSubgroup));
        // arkworks reads the start of an encoding, and ignores the rest of infinity's.
        let length = if compressed { 48 } else { 96 };
        if bytes.len() == length && bytes[0] & 0x40 == 0 {
            assert_eq!(ours.is_ok(), theirs.is_ok(), "{bytes:02x?}: {ours:?}");
        }
    }
    assert!(outside > 100, "{outside}");

    let infinity = |compressed| {
        let element = GroupElement::identity(&curve);
        element.to_bytes(ElementFormat::Zcash, compressed).unwrap()
    };
    let refused = |mut bytes: Vec<u8>, place: usize, value: u8| {
        bytes[place] |= value;
        GroupElement::from_bytes(&curve, ElementFormat::Zcash, &bytes).unwrap_err()
    };
    assert_eq!(refused(infinity(true), 47, 1), PointError::Flags(0xc0));
    assert_eq!(refused(infinity(true), 0, 0x20), PointError::Flags(0xe0));
    assert_eq!(refused(infinity(false), 95, 1), PointError::Flags(0x40));
    assert_eq!(refused(infinity(false), 0, 0x20), PointError::Flags(0x60));
    assert_eq!(refused(vec![0; 96], 0, 0x20), PointError::Flags(0x20));
    assert_eq!(
        refused(vec![0x9f; 48], 1, 0xff),
        PointError::Coordinate('x')
    );
    assert_eq!(refused(vec![0; 96], 95, 1), PointError::NotOnCurve);
    // (0, 2) has order 3.
    assert_eq!(refused(vec![0; 96], 95, 2), PointError::NotInSubgroup);
    let length = refused(vec![0x80; 47], 0, 0);
    assert!(matches!(length, PointError::ZcashLength { given: 47, .. }));

    let bn254: Curve = "BN254-G1".parse().unwrap();
    let refused = GroupElement::from_bytes(&bn254, ElementFormat::Zcash, &[0; 96]).unwrap_err();
    assert_eq!(refused, PointError::NoZcashEncoding("BN254-G1".into()));
}

/// Keys are not made on these curves, and elements of one are not taken for another's.
#[test]
fn no_keys() {
    let engine = Engine::new(Backend::best()).unwrap();
    let curves = Curve::PAIRING_NAMES
        .iter()
        .map(|name| name.parse::<Curve>().unwrap());
    let curves: Vec<_> = curves.collect();
    for curve in &curves {
        let prepared = PreparedCurve::new(&engine, curve).unwrap();
        let refused = PrivateKey::generate(&prepared, &mut system_rng()).unwrap_err();
        assert_eq!(refused, KeyError::PairingCurve(curve.to_string()));
    }
    let [first, second] = [0, 1].map(|k| GroupElement::generator(&curves[k]));
    let refused = add_batch_vartime(&curves[0], &[(&first, &second)]).unwrap_err();
    assert!(matches!(refused, GroupError::OtherCurve { .. }));
}
