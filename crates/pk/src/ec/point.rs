//! Points as pairs of coordinates, and their encodings (SEC 1, section 2.3). All points here are
//! public.

use super::curve::Curve;
use super::field::Element;
use super::pairing::Family;
use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

/// A point of a curve other than the point at infinity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) x: Element,
    pub(super) y: Element,
}

/// The reason why the encoding of a point is refused.
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
    /// Bits of the first byte are set that exclude each other, or others beside that of infinity.
    #[error("the first bits {0:02x} of the encoding contradict each other or what follows")]
    Flags(u8),
    /// Only BLS12-381 has encodings of Zcash.
    #[error("{0} has no encodings of Zcash: take those of SEC 1")]
    NoZcashEncoding(String),
}

/// An encoding taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Encoded {
    Infinity,
    Point(BoxedUint, BoxedUint),
    /// The coordinate x, and the choice of y.
    X(BoxedUint, Which),
}

/// The choice between the two points with one x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Whether y is odd.
    Odd(bool),
    /// Whether y is larger than p - y.
    Larger(bool),
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
    /// The [`PointError`] that names the defect.
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

    /// The encoded point; `None` for the point at infinity.
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

    /// Whether a point of the curve is a multiple of the base point: [`pairing`](super::pairing) decides it for many at
    /// a time.
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

    /// The root of unity that identifies multiples of the base point, if other points exist.
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

    /// The points (X : Y : Z), given by integers below p, with a single inversion; `None` for one at infinity.
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

/// The point with this x and the chosen one of y and -y, if there is one.
pub(super) fn with_root(x: Element, y: Option<Element>, which: Which) -> Result<Point, PointError> {
    let y = y.ok_or(PointError::NoSuchX)?;
    let is_meant = |y: &Element| match which {
        Which::Odd(odd) => is_odd(y) == odd,
        Which::Larger(larger) => is_larger(y) == larger,
    };
    let y = if is_meant(&y) { y } else { y.neg() };
    if is_meant(&y) {
        Ok(Point { x, y })
    } else {
        // 0 has no negative.
        Err(PointError::NoSuchX)
    }
}

/// Whether y is larger than p - y.
pub(super) fn is_larger(y: &Element) -> bool {
    y.retrieve() > y.neg().retrieve()
}

/// Whether the integer is odd.
fn is_odd(x: &Element) -> bool {
    x.retrieve().bit_vartime(0)
}

/// The big-endian bytes of an integer, exactly `length` of them. The integer may be secret.
pub(super) fn to_bytes(x: &BoxedUint, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for (bytes, word) in bytes.rchunks_mut(size_of::<Word>()).zip(x.as_words()) {
        let word = word.to_be_bytes();
        bytes.copy_from_slice(&word[word.len() - bytes.len()..]);
    }
    bytes
}
