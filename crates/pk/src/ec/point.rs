//! Points as pairs of coordinates, and their encodings (SEC 1, section 2.3). All points here are
//! public.

use super::curve::Curve;
use super::field::Element;
use crypto_bigint::BoxedUint;
use zeroize::Zeroizing;

/// A point of a curve other than the point at infinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: Element,
    pub(super) y: Element,
}

/// Why the encoding of a point is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PointError {
    /// The encoding has the wrong length for its first byte.
    #[error(
        "a point of this curve has {uncompressed} bytes (04 first) or {compressed} (02 or 03 first), \
         not {given}"
    )]
    Length {
        /// Length of an uncompressed point in bytes.
        uncompressed: usize,
        /// Length of a compressed point in bytes.
        compressed: usize,
        /// The length given.
        given: usize,
    },
    /// The first byte is not that of a point.
    #[error("a point begins with 04, 02 or 03, not {0:02x}")]
    Tag(u8),
    /// The point at infinity.
    #[error("the point at infinity is no public key")]
    Infinity,
    /// A coordinate is not below the prime.
    #[error("the coordinate {0} is not below the curve's prime")]
    Coordinate(char),
    /// The coordinates do not satisfy the curve's equation.
    #[error("the point is not on the curve")]
    NotOnCurve,
    /// No point of the curve has this x.
    #[error("no point of the curve has this x coordinate")]
    NoSuchX,
    /// The point is not in the subgroup that the base point generates.
    #[error("the point is not in the subgroup of the base point")]
    NotInSubgroup,
}

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
            0 if coordinates.is_empty() => Err(PointError::Infinity),
            4 if coordinates.len() == 2 * length => {
                let (x, y) = coordinates.split_at(length);
                self.point(&integer(x), &integer(y))
            }
            2 | 3 if coordinates.len() == length => {
                let x = self.field().element(&integer(coordinates));
                let x = x.ok_or(PointError::Coordinate('x'))?;
                self.with_x(x, tag == 3)
            }
            2..=4 => wrong_length,
            tag => Err(PointError::Tag(tag)),
        }
    }

    /// The point with this x whose y is odd, or even.
    fn with_x(&self, x: Element, odd: bool) -> Result<Point, PointError> {
        let y = self.field().sqrt(&self.right_side(&x));
        let y = y.ok_or(PointError::NoSuchX)?;
        let y = if is_odd(&y) == odd { y } else { y.neg() };
        if is_odd(&y) == odd {
            Ok(Point { x, y })
        } else {
            // 0 has no negative.
            Err(PointError::NoSuchX)
        }
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

/// Whether the integer is odd.
fn is_odd(x: &Element) -> bool {
    x.retrieve().bit_vartime(0)
}

/// The big-endian bytes of an integer, exactly `length` of them. The integer may be secret.
pub(super) fn to_bytes(x: &BoxedUint, length: usize) -> Vec<u8> {
    let bytes = Zeroizing::new(x.to_be_bytes());
    let zeros = length.saturating_sub(bytes.len());
    let mut padded = vec![0; length];
    padded[zeros..].copy_from_slice(&bytes[bytes.len() - (length - zeros)..]);
    padded
}
