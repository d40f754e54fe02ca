//! Montgomery multiplication in residues (Posch and Posch), over any base extension.
//!
//! ```text
//! Q = |X Y (-P^-1)|_A                 in base A
//! Q' = Q or Q + A                     extended from A to B
//! S = (X Y + Q' P) / A                in base B, where A divides the sum
//! S                                   extended from B to A, exactly
//! ```
//!
//! In: `X < x P`, `Y < y P` with `x y P <= A`. Out: `S = X Y A^-1 mod P`, as a number
//! `S < 3P`, that is `(X Y A^-1 mod P) + delta P` with `delta` in `{0, 1, 2}`. Conditions,
//! with `e` the largest excess of the extension `A -> B` (1 for Kawamura's with `sigma = 0`):
//!
//! ```text
//! A >= 9P                             so that X, Y < 3P are allowed
//! (1 - sigma) B >= 3P                 so that S extends exactly: B >= 6P for sigma = 1/2
//! e <= 1, and 0 from B to A
//! gcd(P, A B) = 1, gcd(A, B) = 1
//! ```
//!
//! Then `S < (x y P^2 + (1 + e) A P) / A <= P + 2P`. The proof, and an example
//! with `delta = 2`, are below.
//!
//! Source: K. C. Posch and R. Posch, "Modulo reduction in residue number systems", IEEE
//! TPDS 6 (1995), in the form of L. Djath, K. Bigou, A. Tisserand, "Hierarchical approach in
//! RNS base extension for asymmetric cryptography", ARITH 2019, slide "RNS Montgomery mod P
//! Reduction". The source does not state the bounds; here they are computed and enforced.
//!
#![doc = include_str!("../docs/montgomery.md")]

use alloc::vec::Vec;
use core::fmt;

use crypto_bigint::{BoxedUint, ConcatenatingMul, CtAssign, NonZero, Resize};
use sunzi_rns::extend::hierarchical::Hierarchical;
use sunzi_rns::extend::kawamura::Kawamura;
use sunzi_rns::{
    Base, BaseError, BaseExtension, Channel, ExtensionError, Fixed, ModulusError, Residues,
};
use zeroize::Zeroizing;

/// The reason why Montgomery multiplication modulo `P` cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MontgomeryError {
    /// `P < 3`.
    #[error("P is 0, 1 or 2: it must be at least 3")]
    TooSmall,
    /// `P` or a modulus of base A shares a factor with a modulus.
    #[error("modulus {modulus} is not coprime to {other}: choose another base")]
    NotCoprime {
        /// A modulus of base A or B.
        modulus: u128,
        /// The number or base that it shares a factor with: `"P"` or `"base A"`.
        other: &'static str,
    },
    /// `A < 9P`.
    #[error(
        "A >= 9P fails: A has {a_bits} bits and P has {p_bits}; take more or wider moduli in A"
    )]
    RangeOfA {
        /// The size of the dynamic range of base A, in bits.
        a_bits: u32,
        /// The size of `P`, in bits.
        p_bits: u32,
    },
    /// `(1 - sigma) B < 3P`.
    #[error(
        "the extension from B to A takes numbers of {bound_bits} bits, and must take all below \
         3P (P has {p_bits} bits): B >= 3P / (1 - sigma); take more or wider moduli in B"
    )]
    RangeOfB {
        /// The size of the extension's input bound, in bits.
        bound_bits: u32,
        /// The size of `P`, in bits.
        p_bits: u32,
    },
    /// An extension adds too many multiples of its range.
    #[error(
        "the extension from {from} may add {excess} times its range to the result; at most {most}"
    )]
    Excess {
        /// The base that it extends from: `"A"` or `"B"`.
        from: &'static str,
        /// Its largest excess.
        excess: u32,
        /// The largest excess allowed.
        most: u32,
    },
    /// The bound of an element is 0, or above the limit for factors.
    #[error("a bound of {bound} P: from P to {limit} P is taken")]
    Bound {
        /// The bound, as a multiple of `P`.
        bound: u32,
        /// The largest bound allowed, as a multiple of `P`.
        limit: u32,
    },
    /// The bases differ, or the extensions do not lead from A to B and back, or not for all numbers
    /// below A.
    #[error(
        "the two extensions must lead from A to B, for every number below A, and back; and \
         residues must be in A and B"
    )]
    Mismatch,
    /// A base extension cannot be built.
    #[error(transparent)]
    Extension(#[from] ExtensionError),
    /// A base cannot be built.
    #[error(transparent)]
    Base(#[from] BaseError),
}

/// A number `X` modulo `P` in Montgomery form, as residues in A and B. Wiped on drop.
///
/// The residues are those of a number that is congruent to `X A mod P` and below `bound() P`.
#[derive(Clone)]
pub struct Element {
    pub(crate) a: Residues,
    pub(crate) b: Residues,
    pub(crate) bound: u32,
}

/// Shows the bound, not the residues: they may be secret.
impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Element")
            .field("bound", &self.bound)
            .finish_non_exhaustive()
    }
}

impl Element {
    /// The element of a number below `bound P`, given by its residues in A and B.
    ///
    /// # Errors
    /// [`MontgomeryError::Mismatch`] if the residues are in other bases;
    /// [`MontgomeryError::Bound`] for a bound of 0 or above [`Montgomery::limit`].
    pub fn from_residues<E: BaseExtension>(
        field: &Montgomery<E>,
        a: Residues,
        b: Residues,
        bound: u32,
    ) -> Result<Self, MontgomeryError> {
        if a.base() != field.base_a() || b.base() != field.base_b() {
            return Err(MontgomeryError::Mismatch);
        }
        if !(1..=field.limit).contains(&bound) {
            return Err(MontgomeryError::Bound {
                bound,
                limit: field.limit,
            });
        }
        let element = Self { a, b, bound };
        field.check(&element);
        Ok(element)
    }

    /// The residues in A and in B.
    pub fn residues(&self) -> (&Residues, &Residues) {
        (&self.a, &self.b)
    }

    /// The bound: the residues are those of a number below this multiple of `P`.
    pub fn bound(&self) -> u32 {
        self.bound
    }
}

/// The bound of every product, as a multiple of `P`.
const PRODUCT_BOUND: u32 = 3;

/// Arithmetic modulo `P` in Montgomery form, with base extensions of kind `E`.
///
/// `P` is treated as public, but only the time to set this up depends on its value. The time of
/// operations on elements depends on the bases only. They panic if the residues of an element are
/// in other bases, since elements belong to the field that made them.
///
/// ```
/// use crypto_bigint::BoxedUint;
/// use sunzi_field::montgomery::{Montgomery, bases};
/// use sunzi_rns::Plain;
///
/// let p = BoxedUint::from((1u128 << 127) - 1);
/// let (a, b) = bases(&p, 62, 1)?;
/// let field = Montgomery::kawamura(&p, &a, &b)?;
/// let two = field.element(&Plain, &BoxedUint::from(2u64));
/// let power = field.pow(&Plain, &two, &BoxedUint::from(130u64));
/// assert_eq!(field.to_uint(&Plain, &power), BoxedUint::from(8u64));
/// assert!(field.equal(&Plain, &field.mul(&Plain, &two, &field.invert(&Plain, &two)?), &field.one()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Montgomery<E> {
    p: NonZero<BoxedUint>,
    a_to_b: E,
    b_to_a: E,
    /// `|-P^-1|_A`, in base A.
    minus_p_inverse: Residues,
    /// `P` in base B.
    p_in_b: Residues,
    /// `|A^-1|_B`, in base B.
    a_inverse: Residues,
    /// The integer 1, not in Montgomery form.
    unit: Element,
    /// 1 in Montgomery form, `A mod P`.
    one: Element,
    /// `A^2 mod P`, a product with which converts to Montgomery form.
    square: Element,
    /// `k P` for `k = 0, ..., 2 limit`.
    multiples: Vec<Element>,
    /// The largest bound of elements, as a multiple of `P`: `limit^2 P <= A`, at least 3.
    limit: u32,
}

/// The largest limit. A larger one saves nothing and takes memory for more multiples of `P`.
const LARGEST_LIMIT: u32 = 8;

impl Montgomery<Kawamura> {
    /// Arithmetic modulo `P` with Kawamura's base extensions, each of which keeps the smallest
    /// number of bits that is proved to be enough.
    ///
    /// # Errors
    /// As [`Montgomery::new`], and [`MontgomeryError::Extension`] if a base is too far from
    /// `2^w` for an exact extension.
    pub fn kawamura(p: &BoxedUint, a: &Base, b: &Base) -> Result<Self, MontgomeryError> {
        let a_to_b = Kawamura::with_fewest_bits(a, b, Fixed::ZERO)?;
        let b_to_a = Kawamura::with_fewest_bits(b, a, Fixed::HALF)?;
        Self::new(p, a_to_b, b_to_a)
    }
}

impl Montgomery<Hierarchical> {
    /// Arithmetic modulo `P` with hierarchical base extensions of `columns` (`c`) moduli in a row.
    ///
    /// # Errors
    /// As [`Montgomery::kawamura`]; also if `c` does not divide the number of moduli.
    pub fn hierarchical(
        p: &BoxedUint,
        a: &Base,
        b: &Base,
        columns: usize,
    ) -> Result<Self, MontgomeryError> {
        let a_to_b = Hierarchical::with_fewest_bits(a, b, columns, Fixed::ZERO)?;
        let b_to_a = Hierarchical::with_fewest_bits(b, a, columns, Fixed::HALF)?;
        Self::new(p, a_to_b, b_to_a)
    }
}

impl<E: BaseExtension> Montgomery<E> {
    /// Arithmetic modulo `P` with these base extensions, `A -> B` and `B -> A`.
    ///
    /// # Errors
    /// A [`MontgomeryError`] for the condition at the head of this file that is violated.
    pub fn new(p: &BoxedUint, a_to_b: E, b_to_a: E) -> Result<Self, MontgomeryError> {
        let p_bits = p.bits_vartime();
        let p = p
            .clone()
            .resize_unchecked(p_bits.next_multiple_of(64).max(64));
        let p = Option::<NonZero<BoxedUint>>::from(NonZero::new(p))
            .filter(|_| p_bits >= 2)
            .filter(|p| p.as_ref() != &BoxedUint::from(2u64))
            .ok_or(MontgomeryError::TooSmall)?;
        check_extensions(&a_to_b, &b_to_a, p.as_ref())?;
        let (a, b) = (a_to_b.source().clone(), a_to_b.target().clone());

        let capacity = a.product().div_rem_vartime(&p).0;
        let limit = (PRODUCT_BOUND..=LARGEST_LIMIT)
            .rev()
            .find(|&limit| BoxedUint::from(limit * limit) <= capacity)
            .ok_or_else(|| MontgomeryError::RangeOfA {
                a_bits: a.product().bits_vartime(),
                p_bits,
            })?;
        let invert = |x: &Residues, other| {
            x.invert_vartime()
                .map_err(|error| shared_factor(error, other))
        };
        let minus_p_inverse = invert(&-&Residues::reduced(&a, p.as_ref()), "P")?;
        let a_inverse = invert(&Residues::reduced(&b, a.product()), "base A")?;
        let p_in_b = Residues::reduced(&b, p.as_ref());
        invert(&p_in_b, "P")?;

        let element = |x: &BoxedUint, bound| Element {
            a: Residues::reduced(&a, x),
            b: Residues::reduced(&b, x),
            bound,
        };
        let a_mod_p = a.product().rem_vartime(&p);
        let square = a_mod_p.concatenating_mul(&a_mod_p).rem_vartime(&p);
        let multiple = |k: u32| element(&p.concatenating_mul(BoxedUint::from(k)), k + 1);
        Ok(Self {
            minus_p_inverse,
            p_in_b,
            a_inverse,
            unit: element(&BoxedUint::one(), 1),
            one: element(&a_mod_p, 1),
            square: element(&square, 1),
            multiples: (0..=2 * limit).map(multiple).collect(),
            limit,
            p,
            a_to_b,
            b_to_a,
        })
    }

    /// The modulus `P`.
    pub fn modulus(&self) -> &BoxedUint {
        self.p.as_ref()
    }

    /// Base A.
    pub fn base_a(&self) -> &Base {
        self.a_to_b.source()
    }

    /// Base B.
    pub fn base_b(&self) -> &Base {
        self.a_to_b.target()
    }

    /// The largest bound of elements, as a multiple of `P`: `limit()^2 P <= A`. It is at least 3.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// 0.
    pub fn zero(&self) -> Element {
        Element {
            a: Residues::zero(self.base_a()),
            b: Residues::zero(self.base_b()),
            bound: 1,
        }
    }

    /// 1, in Montgomery form.
    pub fn one(&self) -> Element {
        self.one.clone()
    }

    /// `x mod P` in Montgomery form, for `x` of any size.
    ///
    /// The time depends on the precision of `x` only.
    pub fn element(&self, channel: &impl Channel, x: &BoxedUint) -> Element {
        let reduced = Zeroizing::new(x.rem(&self.p));
        let plain = Element {
            a: Residues::reduced(self.base_a(), &reduced),
            b: Residues::reduced(self.base_b(), &reduced),
            bound: 1,
        };
        self.mul(channel, &plain, &self.square)
    }

    /// The canonical form: the integer in `[0, P)`, in constant time. Its precision is that
    /// of [`Montgomery::modulus`], rounded up to whole words.
    pub fn to_uint(&self, channel: &impl Channel, x: &Element) -> BoxedUint {
        // S <= (x P + 2 A P) / A < 2P + 1, so two subtractions are enough.
        let plain = self.mul(channel, x, &self.unit);
        let value = Zeroizing::new(plain.b.to_uint());
        let bits = value.bits_precision().max(self.p.bits_precision());
        let mut value = Zeroizing::new((&*value).resize_unchecked(bits));
        for _ in 0..2 {
            let (difference, borrow) = value.underflowing_sub(self.p.as_ref());
            value.ct_assign(&Zeroizing::new(difference), !borrow);
        }
        debug_assert!(*value < *self.modulus());
        (&*value).resize_unchecked(self.p.bits_precision())
    }

    /// `X Y A^-1 mod P`, below `3P`: the product in Montgomery form.
    ///
    /// Cost for `n` moduli in each base: `2n` EMM, `3n` CMM, `n` EMA, and two extensions.
    #[must_use]
    pub fn mul(&self, channel: &impl Channel, x: &Element, y: &Element) -> Element {
        debug_assert!(x.bound * y.bound <= self.limit * self.limit);
        let q =
            x.a.mul(channel, &y.a)
                .mul_constant(channel, &self.minus_p_inverse);
        let q = self.a_to_b.extend_on(channel, &q);
        let sum =
            x.b.mul(channel, &y.b)
                .add(channel, &q.mul_constant(channel, &self.p_in_b));
        let b = sum.mul_constant(channel, &self.a_inverse);
        let a = self.b_to_a.extend_on(channel, &b);
        let product = Element {
            a,
            b,
            bound: PRODUCT_BOUND,
        };
        self.check(&product);
        product
    }

    /// `X + Y`, reduced by a multiplication with 1 if its bound would exceed the limit. Whether it
    /// is depends on the bounds only.
    #[must_use]
    pub fn add(&self, channel: &impl Channel, x: &Element, y: &Element) -> Element {
        let a = x.a.add(channel, &y.a);
        let b = x.b.add(channel, &y.b);
        self.bounded(
            channel,
            Element {
                a,
                b,
                bound: x.bound + y.bound,
            },
        )
    }

    /// `X - Y`, computed as `X - Y + y P` for `Y < y P`, and reduced as in [`Montgomery::add`].
    #[must_use]
    pub fn sub(&self, channel: &impl Channel, x: &Element, y: &Element) -> Element {
        let difference = self.difference(channel, x, y);
        self.bounded(channel, difference)
    }

    /// Whether `X = 0 mod P`, in constant time. The residues are compared with those of all
    /// multiples `0, P, 2P, ...` below the bound.
    pub fn is_zero(&self, x: &Element) -> bool {
        let candidates = &self.multiples[..x.bound as usize];
        candidates
            .iter()
            .filter(|candidate| x.a == candidate.a)
            .count()
            > 0
    }

    /// Whether `X = Y mod P`, in constant time, also if one of them is redundant.
    pub fn equal(&self, channel: &impl Channel, x: &Element, y: &Element) -> bool {
        self.is_zero(&self.difference(channel, x, y))
    }

    /// `X - Y + y P`, which is positive and below `(x + y) P <= 2 limit P`.
    fn difference(&self, channel: &impl Channel, x: &Element, y: &Element) -> Element {
        let multiple = &self.multiples[y.bound as usize];
        let a = x.a.add(channel, &multiple.a).sub(channel, &y.a);
        let b = x.b.add(channel, &multiple.b).sub(channel, &y.b);
        Element {
            a,
            b,
            bound: x.bound + y.bound,
        }
    }

    /// The element, reduced if its bound is above the limit. In: a bound of at most twice the limit.
    fn bounded(&self, channel: &impl Channel, x: Element) -> Element {
        if x.bound <= self.limit {
            x
        } else {
            self.mul(channel, &x, &self.one)
        }
    }

    /// Asserts in a checked build that both sets of residues are those of one number below the
    /// bound.
    fn check(&self, x: &Element) {
        debug_assert!({
            let value = x.a.to_uint();
            let bound = self.p.concatenating_mul(BoxedUint::from(x.bound));
            value < bound && Residues::reduced(self.base_b(), &value) == x.b
        });
    }
}

/// Checks that the extensions fit together and that the ranges are large enough.
fn check_extensions<E: BaseExtension>(
    a_to_b: &E,
    b_to_a: &E,
    p: &BoxedUint,
) -> Result<(), MontgomeryError> {
    let (a, b) = (a_to_b.source(), a_to_b.target());
    if b_to_a.source() != b || b_to_a.target() != a || a_to_b.input_bound() != a.product() {
        return Err(MontgomeryError::Mismatch);
    }
    for (from, excess, most) in [("A", a_to_b.max_excess(), 1), ("B", b_to_a.max_excess(), 0)] {
        if excess > most {
            return Err(MontgomeryError::Excess { from, excess, most });
        }
    }
    let p_bits = p.bits_vartime();
    if *b_to_a.input_bound() < p.concatenating_mul(BoxedUint::from(3u64)) {
        let bound_bits = b_to_a.input_bound().bits_vartime();
        return Err(MontgomeryError::RangeOfB { bound_bits, p_bits });
    }
    Ok(())
}

/// The error for a residue that has no inverse.
fn shared_factor(error: ModulusError, other: &'static str) -> MontgomeryError {
    match error {
        ModulusError::NotInvertible { modulus, .. }
        | ModulusError::TooSmall(modulus)
        | ModulusError::TooWide(modulus) => MontgomeryError::NotCoprime { modulus, other },
    }
}

/// Bases A and B for a modulus `P`: pseudo-Mersenne moduli of `width` bits that are coprime
/// to `P`, assigned to A and B in turn. Each base has the smallest number of moduli for which
/// `A >= 9P` and `B >= 6P` and which is a multiple of `columns` (1 for Kawamura's extension, `c` for
/// the hierarchical one).
///
/// # Errors
/// [`MontgomeryError::TooSmall`] for `P < 2`, and [`MontgomeryError::Base`] if there are not enough
/// moduli of this width.
pub fn bases(p: &BoxedUint, width: u32, columns: usize) -> Result<(Base, Base), MontgomeryError> {
    let p_bits = p.bits_vartime();
    if p_bits < 2 {
        return Err(MontgomeryError::TooSmall);
    }
    let columns = columns.max(1);
    let least = p_bits.div_ceil(width.max(1)) as usize;
    // Saturated, so that an absurd number of columns gives `NotEnough`, not an overflow.
    let least = least.max(2).checked_next_multiple_of(columns);
    let mut count = least.unwrap_or(usize::MAX);
    loop {
        let moduli = coprime_moduli(p, width, count.saturating_mul(2))?;
        let deal = |start| {
            moduli
                .iter()
                .copied()
                .skip(start)
                .step_by(2)
                .collect::<Vec<u128>>()
        };
        let (a, b) = (Base::new_odd(&deal(0))?, Base::new_odd(&deal(1))?);
        let nine_p = p.concatenating_mul(BoxedUint::from(9u64));
        let six_p = p.concatenating_mul(BoxedUint::from(6u64));
        if *a.product() >= nine_p && *b.product() >= six_p {
            return Ok((a, b));
        }
        count = count.saturating_add(columns);
    }
}

/// The first `count` pseudo-Mersenne moduli that are coprime to `P`.
fn coprime_moduli(p: &BoxedUint, width: u32, count: usize) -> Result<Vec<u128>, BaseError> {
    let mut asked = count;
    loop {
        let base = Base::pseudo_mersenne(width, asked)?;
        let coprime = base
            .moduli()
            .iter()
            .filter(|m| m.invert_vartime(m.reduce_uint(p)).is_ok());
        let moduli: Vec<u128> = coprime.map(sunzi_rns::Modulus::value).take(count).collect();
        if moduli.len() == count {
            return Ok(moduli);
        }
        asked += count - moduli.len();
    }
}
