//! Points of a curve: their encodings (SEC 1, section 2.3), and sums and multiples of them. All points here are
//! public.

use super::curve::Curve;
use super::field::Element;
use super::pairing::Family;
use super::point::{Encoded, Point, PointError, Which, is_odd, to_bytes, with_root};
use crypto_bigint::BoxedUint;
use zeroize::Zeroizing;

impl Curve {
    /// The point with these coordinates.
    ///
    /// # Errors
    /// [`PointError::Coordinate`], [`PointError::NotOnCurve`].
    pub(super) fn point(&self, x: &BoxedUint, y: &BoxedUint) -> Result<Point, PointError> {
        let coordinate = |name, x| self.field().element(x).ok_or(PointError::Coordinate(name));
        let point = Point {
            x: coordinate('x', x)?,
            y: coordinate('y', y)?,
        };
        if point.y.square() == self.right_side(&point.x) {
            Ok(point)
        } else {
            Err(PointError::NotOnCurve)
        }
    }

    /// `x^3 + a x + b`.
    pub(super) fn right_side(&self, x: &Element) -> Element {
        x.square().add(self.a()).mul(x).add(self.b())
    }

    /// Reads a point from its encoding, uncompressed or compressed.
    ///
    /// # Errors
    /// The [`PointError`] that says what is wrong with it.
    pub(super) fn decode(&self, bytes: &[u8]) -> Result<Point, PointError> {
        let point = self.complete(&self.read_sec1(bytes)?)?;
        point.ok_or(PointError::Infinity)
    }

    /// Takes an encoding of SEC 1 apart.
    pub(super) fn read_sec1(&self, bytes: &[u8]) -> Result<Encoded, PointError> {
        let length = self.field().bytes();
        let wrong_length = Err(PointError::Length {
            uncompressed: 2 * length + 1,
            compressed: length + 1,
            given: bytes.len(),
        });
        let Some((&tag, coordinates)) = bytes.split_first() else {
            return wrong_length;
        };
        let integer = |bytes: &[u8]| {
            let precision = 8 * bytes.len() as u32;
            BoxedUint::from_be_slice(bytes, precision).expect("the precision is the slice's")
        };
        match tag {
            0 if coordinates.is_empty() => Ok(Encoded::Infinity),
            4 if coordinates.len() == 2 * length => {
                let (x, y) = coordinates.split_at(length);
                Ok(Encoded::Point(integer(x), integer(y)))
            }
            2 | 3 if coordinates.len() == length => {
                Ok(Encoded::X(integer(coordinates), Which::Odd(tag == 3)))
            }
            2..=4 => wrong_length,
            tag => Err(PointError::Tag(tag)),
        }
    }

    /// The point that is meant, none for that at infinity.
    pub(super) fn complete(&self, encoded: &Encoded) -> Result<Option<Point>, PointError> {
        match encoded {
            Encoded::Infinity => Ok(None),
            Encoded::Point(x, y) => self.point(x, y).map(Some),
            Encoded::X(x, which) => {
                let x = self.field().element(x);
                let x = x.ok_or(PointError::Coordinate('x'))?;
                let y = self.field().sqrt(&self.right_side(&x));
                with_root(x, y, *which).map(Some)
            }
        }
    }

    /// Whether a point of the curve is a multiple of the base point: [`pairing`](super::pairing) tells for
    /// many at a time.
    pub(super) fn has_in_subgroup(&self, point: &Point) -> bool {
        let Some(Family::BarretoLynnScott { seed, .. }) = self.family() else {
            return true;
        };
        let seed = BoxedUint::from(seed);
        let once = self.multiply_vartime(&seed, point);
        let twice = once.and_then(|once| self.multiply_vartime(&seed, &once));
        match (twice, self.subgroup_root()) {
            (Some(twice), Some(beta)) => twice.x == point.x.mul(&beta) && twice.y == point.y.neg(),
            _ => false,
        }
    }

    /// The root of unity by which multiples of the base point are recognized, where other points exist.
    pub(super) fn subgroup_root(&self) -> Option<Element> {
        let Some(Family::BarretoLynnScott { beta, .. }) = self.family() else {
            return None;
        };
        let beta = BoxedUint::from_str_radix_vartime(beta, 16).ok()?;
        self.field().element(&beta)
    }

    /// The encoding of a point.
    pub(super) fn encode(&self, point: &Point, compressed: bool) -> Vec<u8> {
        let length = self.field().bytes();
        let mut bytes = vec![match (compressed, is_odd(&point.y)) {
            (false, _) => 4,
            (true, false) => 2,
            (true, true) => 3,
        }];
        bytes.extend(to_bytes(&point.x.retrieve(), length));
        if !compressed {
            bytes.extend(to_bytes(&point.y.retrieve(), length));
        }
        bytes
    }

    /// The points (X : Y : Z), given by integers below p, with a single inversion; none for one at infinity.
    pub(super) fn affine_all(&self, points: &[&[Zeroizing<BoxedUint>]]) -> Vec<Option<Point>> {
        let field = self.field();
        let finite = |[x, y, z]: [Option<Element>; 3]| {
            let z = z.filter(|z| !bool::from(z.is_zero()))?;
            Some((x?, y?, z))
        };
        let points = points.iter().map(|integers| {
            let (integers, _) = integers.split_first_chunk::<3>()?;
            finite(integers.each_ref().map(|integer| field.element(integer)))
        });
        let points: Vec<_> = points.collect();
        let zs: Vec<_> = points.iter().flatten().map(|(.., z)| z.clone()).collect();
        let mut inverses = field.invert_all(&zs).into_iter();
        let affine = points.into_iter().map(|point| {
            let (x, y, _) = point?;
            let inverse = inverses.next()?;
            Some(Point {
                x: x.mul(&inverse),
                y: y.mul(&inverse),
            })
        });
        affine.collect()
    }

    /// `x + y` for every pair, with a single inversion. None for a sum at infinity.
    pub(super) fn add_all(&self, pairs: &[(&Point, &Point)]) -> Vec<Option<Point>> {
        let three = self.field().small(3);
        // The slope of the line through both points, as a fraction.
        let slopes: Vec<_> = pairs
            .iter()
            .map(|(p, q)| match (p.x == q.x, p.y == q.y) {
                (false, _) => Some((q.y.sub(&p.y), q.x.sub(&p.x))),
                (true, true) if !bool::from(p.y.is_zero()) => {
                    Some((p.x.square().mul(&three).add(self.a()), p.y.double()))
                }
                (true, _) => None,
            })
            .collect();
        let denominators: Vec<_> = slopes.iter().flatten().map(|(_, d)| d.clone()).collect();
        let mut inverses = self.field().invert_all(&denominators).into_iter();
        pairs
            .iter()
            .zip(slopes)
            .map(|((p, q), slope)| {
                let (numerator, _) = slope?;
                let slope = numerator.mul(&inverses.next()?);
                let x = slope.square().sub(&p.x).sub(&q.x);
                let y = slope.mul(&p.x.sub(&x)).sub(&p.y);
                Some(Point { x, y })
            })
            .collect()
    }

    /// `P, 3 P, 5 P, ...`, `count` of them, for a point whose order is larger than all these
    /// numbers.
    pub(super) fn odd_multiples(&self, point: &Point, count: usize) -> Vec<Point> {
        let mut multiples = vec![point.clone()];
        let mut step = self.double_times(point, 1);
        while multiples.len() < count {
            // Twice as many times P as there are multiples.
            let Some(distance) = step else {
                break;
            };
            let pairs: Vec<_> = multiples.iter().map(|point| (point, &distance)).collect();
            let sums = self.add_all(&pairs);
            multiples.extend(sums.into_iter().flatten());
            step = self.double_times(&distance, 1);
        }
        multiples.truncate(count);
        multiples
    }

    /// `2^times P`, none at infinity.
    pub(super) fn double_times(&self, point: &Point, times: u32) -> Option<Point> {
        (0..times).try_fold(point.clone(), |point, _| {
            self.add_all(&[(&point, &point)]).remove(0)
        })
    }

    /// `k P`, none at infinity.
    pub(super) fn multiply_vartime(&self, k: &BoxedUint, point: &Point) -> Option<Point> {
        let mut sum: Option<Point> = None;
        let add = |x: &Point, y: &Point| self.add_all(&[(x, y)]).remove(0);
        for i in (0..k.bits_vartime()).rev() {
            sum = sum.and_then(|sum| add(&sum, &sum));
            if k.bit_vartime(i) {
                sum = match sum {
                    Some(sum) => add(&sum, point),
                    None => Some(point.clone()),
                };
            }
        }
        sum
    }
}
