//! The endomorphism of curves `y^2 = x^3 + b`: `(x, y)` to `(beta x, y)` for a cube root of unity
//! beta, which multiplies points of the base point's order n by a cube root of unity modulo n,
//! lambda (Gallant, Lambert and Vanstone, 2001). With it a scalar is split into two halves of half the
//! length. Scalars are public here.

use super::curve::Curve;
use super::field::{Element, Field};
use super::multiply::WIDTH;
use crypto_bigint::{BoxedUint, CtSelect, NonZero, Resize, U256, U512, Word};
use zeroize::Zeroizing;

/// The endomorphism of a curve, and the constants for splitting scalars.
pub(super) struct Endomorphism {
    beta: Element,
    /// Short vectors `(a, b)` with `a + b lambda = 0 (mod n)`, of determinant n or -n: a basis of all
    /// such vectors. In two's complement, as all signed numbers here.
    basis: [[U256; 2]; 2],
    /// `|b_2| 2^shift / n` and `|b_1| 2^shift / n`, rounded down, by which a scalar is multiplied for
    /// the multiples of both vectors that are nearest to it; and whether these are negative.
    reciprocals: [(U256, bool); 2],
    shift: u32,
    bits: u32,
    secret_bits: Option<u32>,
}

/// A signed number's sign and size.
fn sign_and_size(x: &U256) -> (bool, U256) {
    let negative = x.bit_vartime(U256::BITS - 1);
    (negative, if negative { x.wrapping_neg() } else { *x })
}

/// The integer, which must fit.
fn short(x: &BoxedUint) -> U256 {
    let x = x.resize_unchecked(U256::BITS);
    let mut words = [0; U256::LIMBS];
    words.copy_from_slice(x.as_words());
    U256::from_words(words)
}

fn boxed(x: &U256) -> BoxedUint {
    BoxedUint::from_words(x.to_words())
}

impl Endomorphism {
    /// The endomorphism of a curve, if it has one that acts on the multiples of the base point, and an
    /// order of at most 256 bits.
    pub(super) fn new(curve: &Curve) -> Option<Self> {
        let order = curve.order();
        let length = order.bits_vartime();
        if !bool::from(curve.a().is_zero()) || length > U256::BITS {
            return None;
        }
        // lambda = (sqrt(-3) - 1)/2.
        let scalars = Field::new(order);
        let root = scalars.sqrt(&scalars.small(3).neg())?;
        let half = Field::invert(&scalars.small(2))?;
        let lambda = root.sub(&scalars.small(1)).mul(&half).retrieve();
        let generator = curve.generator();
        let image = curve.multiply_vartime(&lambda, generator)?;
        let beta = image.x.mul(&Field::invert(&generator.x)?);
        let one = curve.field().small(1);
        if image.y != generator.y || beta == one || beta.square().mul(&beta) != one {
            return None;
        }

        let n = short(order.as_ref());
        let basis = short_vectors(&n, &short(&lambda), length)?;
        let [[a1, b1], [a2, b2]] = basis;
        let determinant = a1.wrapping_mul(&b2).wrapping_sub(&a2.wrapping_mul(&b1));
        let negative = determinant != n;
        // |b| < n / 2^127 for a reciprocal that fits.
        let shift = length + U256::BITS / 2 - 1;
        let reciprocal = |b: &U256, turned: bool| {
            let (sign, size) = sign_and_size(b);
            let product = U512::from(&size).shl_vartime(shift);
            let divisor = NonZero::new(U512::from(&n)).into_option()?;
            let quotient = product.div_rem_vartime(&divisor).0;
            (quotient.bits_vartime() <= U256::BITS).then(|| {
                (
                    quotient.resize::<{ U256::LIMBS }>(),
                    sign ^ turned ^ negative,
                )
            })
        };
        let size = |x: &U256, y: &U256| {
            let [x, y] = [x, y].map(|x| sign_and_size(x).1);
            x.wrapping_add(&y).bits_vartime()
        };
        // Halves are at most the sum of both vectors, and odd digits hold sizes below 2^bits; both
        // halves of the base point's scalar together must have room for it.
        let bits = size(&a1, &a2).max(size(&b1, &b2)) + 1;
        Some(Self {
            reciprocals: [reciprocal(&b2, false)?, reciprocal(&b1, true)?],
            beta,
            basis,
            shift,
            bits: bits.max(length / 2 + 1),
            secret_bits: secret_bits(&n, &basis),
        })
    }

    /// beta.
    pub(super) fn beta(&self) -> &Element {
        &self.beta
    }

    /// The length of the halves of a secret scalar: they are below `2^bits` in absolute value, where bits is
    /// a multiple of [`WIDTH`]; `None` if sums by their digits could be at infinity before doublings.
    pub(super) fn secret_bits(&self) -> Option<u32> {
        self.secret_bits
    }

    /// The length of the halves of a scalar: they are below `2^bits` in absolute value.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// Odd `k_1` and `k_2` with `k_1 + k_2 lambda = k (mod n)` for a k below n, as the integers that
    /// [`odd_digits`](sunzi_engine::program::odd_digits) makes of numbers: `(k_i + 2^bits - 1)/2`, for a
    /// number of bits that is not below [`bits`](Self::bits).
    pub(super) fn split_vartime(&self, k: &BoxedUint, bits: u32) -> [BoxedUint; 2] {
        let all = U256::ONE.shl_vartime(bits).wrapping_sub(&U256::ONE);
        let halves = self.odd_halves(k);
        debug_assert!(
            halves
                .iter()
                .all(|half| sign_and_size(half).1.bits_vartime() <= bits)
        );
        halves.map(|half| boxed(&half.wrapping_add(&all).shr_vartime(1)))
    }

    /// `k_1` and `k_2` with `k_1 + k_2 lambda = k (mod n)` for a k below n: whether each is negative, and
    /// its absolute value, below `2^bits` for [`bits`](Self::bits).
    pub(super) fn signed_halves_vartime(&self, k: &BoxedUint) -> [(bool, U256); 2] {
        let halves = self.nearest(&short(k)).map(|half| sign_and_size(&half));
        debug_assert!(
            halves
                .iter()
                .all(|(_, half)| half.bits_vartime() <= self.bits)
        );
        halves
    }

    /// The halves of [`split_vartime`](Self::split_vartime), in constant time, for a secret k whose precision is the
    /// order's: they are not the shortest odd ones, and need [`secret_bits`](Self::secret_bits). Their precision is
    /// `bits`, rounded up to whole words.
    pub(super) fn split(&self, k: &BoxedUint, bits: u32) -> [Zeroizing<BoxedUint>; 2] {
        let mut words = Zeroizing::new([0; U256::LIMBS]);
        words[..k.as_words().len()].copy_from_slice(k.as_words());
        let k = Zeroizing::new(U256::from_words(*words));
        let mut nearest = Zeroizing::new(self.nearest(&k));
        // The parities of v1 and v2 are a matrix of determinant 1. Its inverse gives the number of times that each
        // vector is added for both halves to be odd.
        let [is_even, other_is_even] = [0, 1].map(|i| !nearest[i].is_odd());
        let [[a1, b1], [a2, b2]] = self.basis.map(|v| v.map(|x| x.is_odd()));
        let times = [
            (b2 & is_even) ^ (a2 & other_is_even),
            (b1 & is_even) ^ (a1 & other_is_even),
        ];
        for (vector, once) in self.basis.iter().zip(times) {
            for (half, x) in nearest.iter_mut().zip(vector) {
                let added = Zeroizing::new(half.wrapping_add(x));
                *half = U256::ct_select(half, &added, once);
            }
        }
        let all = U256::ONE.shl_vartime(bits).wrapping_sub(&U256::ONE);
        [0, 1].map(|i| {
            let windows = Zeroizing::new(nearest[i].wrapping_add(&all).shr_vartime(1));
            // As precise as a secret scalar of this many bits.
            let words = bits.div_ceil(Word::BITS) as usize;
            Zeroizing::new(BoxedUint::from_words(
                windows.as_words()[..words].iter().copied(),
            ))
        })
    }

    /// `k_1` and `k_2` with `k_1 + k_2 lambda = k (mod n)` that are nearest to 0, about. Constant time.
    fn nearest(&self, k: &U256) -> [U256; 2] {
        let [[a1, b1], [a2, b2]] = &self.basis;
        let multiple = |(reciprocal, negative): &(U256, bool)| {
            let (low, high) = k.widening_mul(reciprocal);
            let product: U512 = low.concat(&high);
            let rounded = product.shr_vartime(self.shift - 1).wrapping_add(&U512::ONE);
            let multiple: U256 = rounded.shr_vartime(1).resize();
            if *negative {
                multiple.wrapping_neg()
            } else {
                multiple
            }
        };
        let [c1, c2] = self.reciprocals.each_ref().map(multiple);
        let part = |x: &U256, y: &U256| c1.wrapping_mul(x).wrapping_add(&c2.wrapping_mul(y));
        [k.wrapping_sub(&part(a1, a2)), part(b1, b2).wrapping_neg()]
    }

    /// Odd `k_1` and `k_2` with `k_1 + k_2 lambda = k (mod n)`, in two's complement.
    fn odd_halves(&self, k: &BoxedUint) -> [U256; 2] {
        let nearest = self.nearest(&short(k));
        // The determinant is odd, so that one of 0, v1, v2 and v1 + v2 makes both halves odd.
        let zero = [U256::ZERO; 2];
        let signed = |v: &[U256; 2]| [zero, *v, v.each_ref().map(U256::wrapping_neg)];
        let [firsts, seconds] = self.basis.each_ref().map(signed);
        let candidates = firsts.iter().flat_map(|v| {
            seconds.iter().map(move |w| {
                core::array::from_fn(|i| nearest[i].wrapping_add(&v[i]).wrapping_add(&w[i]))
            })
        });
        let odd = candidates.filter(|half: &[U256; 2]| half.iter().all(|x| x.bit_vartime(0)));
        let size = |half: &[U256; 2]| {
            let [x, y] = half.each_ref().map(|x| sign_and_size(x).1);
            x.max(y)
        };
        odd.min_by_key(size).unwrap_or(nearest)
    }
}

/// Number of bits of the halves of secret scalars, a multiple of [`WIDTH`], for this basis.
///
/// A half that is nearest to 0 is at most half the sum of both vectors, rounding apart, and odd halves have as
/// much as that sum more: they are below `2^size`. Sums by the highest digits, before the doublings of window j,
/// are `m_1 + m_2 lambda` times a point, where `m_i 2^(w j)` is `k_i` less its lower digits, which are below
/// `2^(w j)`: so `m_i` is odd, and at most `2^(size - w) + 1`. `m_1 + m_2 lambda` is 0 modulo n for m in the
/// lattice only, and then `m_1^2 - m_1 m_2 + m_2^2` is a multiple of n, as `lambda^2 + lambda + 1` is 0, other
/// than 0: at least n. With `3 (2^(size - w) + 1)^2 < n` there is no such m.
///
/// The additions before that, of `d_1` and then of `d_2 lambda`, meet no equal or opposite point: the difference or sum would
/// be `m_1 - 2 d_1 + (m_2 - d_2) lambda` or `m_1 + (m_2 - d_2) lambda`, or `m_1 + (m_2 - 2 d_2) lambda` or `m_1 + m_2 lambda`, with an
/// odd number and two of at most `2^(size - w) + 2^(w + 1)`, for which the same holds.
fn secret_bits(n: &U256, [[a1, b1], [a2, b2]]: &[[U256; 2]; 2]) -> Option<u32> {
    let size = |x: &U256, y: &U256| {
        let [x, y] = [x, y].map(|x| sign_and_size(x).1);
        let sum = x.wrapping_add(&y);
        let more = sum.shr_vartime(1).wrapping_add(&U256::from(8u32));
        sum.wrapping_add(&more).bits_vartime()
    };
    let size = size(a1, a2).max(size(b1, b2));
    let most = U512::ONE.shl_vartime(size.checked_sub(WIDTH)?);
    let most = most.wrapping_add(&U512::ONE.shl_vartime(WIDTH + 1));
    let most = most.wrapping_mul(&most).wrapping_mul(&U512::from(3u32));
    (most < U512::from(n)).then(|| size.next_multiple_of(WIDTH))
}

/// Two short vectors of the lattice of all `(a, b)` with `a + b lambda = 0 (mod n)`, by Euclid's
/// algorithm (Guide to Elliptic Curve Cryptography, algorithm 3.74): for the remainders r and
/// coefficients t with `r = s n + t lambda`, `(r, -t)` is one.
fn short_vectors(n: &U256, lambda: &U256, length: u32) -> Option<[[U256; 2]; 2]> {
    let mut rows = vec![(*n, U256::ZERO), (*lambda, U256::ONE)];
    // One row beyond the first short one.
    while rows.len() < 4 || rows[rows.len() - 2].0.bits_vartime() > length.div_ceil(2) {
        let [(r0, t0), (r1, t1)] = rows[rows.len() - 2..] else {
            return None;
        };
        let (quotient, rest) = r0.div_rem_vartime(&NonZero::new(r1).into_option()?);
        rows.push((rest, t0.wrapping_sub(&quotient.wrapping_mul(&t1))));
    }
    let vector = |(r, t): &(U256, U256)| [*r, t.wrapping_neg()];
    let size = |v: &[U256; 2]| v[0].max(sign_and_size(&v[1]).1);
    let first = rows.len() - 2;
    let [before, after] = [first - 1, first + 1].map(|k| vector(&rows[k]));
    let second = if size(&before) < size(&after) {
        before
    } else {
        after
    };
    Some([vector(&rows[first]), second])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The halves of many scalars, on all named curves that have the endomorphism.
    #[test]
    fn halves() {
        for (name, bits) in [
            ("secp256k1", 130),
            ("secp224k1", 120),
            ("secp192k1", 100),
            ("secp160k1", 90),
            ("BLS12-381-G1", 130),
            ("BN254-G1", 130),
        ] {
            let curve: Curve = name.parse().unwrap();
            let endomorphism = Endomorphism::new(&curve).unwrap();
            assert!(
                endomorphism.bits() <= bits,
                "{name}: {}",
                endomorphism.bits()
            );
            let order = curve.order();
            let scalars = Field::new(order);
            let generator = curve.generator();
            let lambda = {
                let root = scalars.sqrt(&scalars.small(3).neg()).unwrap();
                let half = Field::invert(&scalars.small(2)).unwrap();
                root.sub(&scalars.small(1)).mul(&half)
            };
            let image = curve
                .multiply_vartime(&lambda.retrieve(), generator)
                .unwrap();
            assert_eq!(image.x, generator.x.mul(endomorphism.beta()));
            let mut k = scalars.small(0);
            let step = scalars.small(0x9e37_79b9_7f4a_7c15);
            let two = scalars.small(2);
            for turn in 0..2000 {
                let halves = endomorphism.split_vartime(&k.retrieve(), bits);
                let secret_bits = endomorphism.secret_bits().unwrap();
                let secret = endomorphism.split(&k.retrieve(), secret_bits);
                let secret = secret.map(|half| (*half).clone());
                for (halves, bits) in [(halves, bits), (secret, secret_bits)] {
                    // k_i = 2 u_i - (2^bits - 1).
                    let all = (0..bits).fold(scalars.small(1), |power, _| power.double());
                    let all = all.sub(&scalars.small(1));
                    let [k1, k2] = halves.map(|u| {
                        assert!(u.bits_vartime() <= bits, "{name}");
                        scalars.element(&u).unwrap().mul(&two).sub(&all)
                    });
                    assert_eq!(k1.add(&k2.mul(&lambda)), k, "{name}, scalar {turn}");
                }
                k = match turn {
                    0 => scalars.small(1),
                    1 => scalars.small(1).neg(),
                    2 => lambda.clone(),
                    3 => lambda.neg(),
                    _ => k.square().add(&step),
                };
            }
        }
        for name in ["P-256", "brainpoolP256r1", "P-521"] {
            assert!(
                Endomorphism::new(&name.parse().unwrap()).is_none(),
                "{name}"
            );
        }
    }
}
