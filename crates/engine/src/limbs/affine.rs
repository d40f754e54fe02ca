//! Sums of pairs of affine points in limbs, a pair a lane, with one inversion for thousands of pairs.

use core::{array, mem};

use crypto_bigint::{
    BoxedUint, Resize, Word,
    modular::{BoxedMontyForm, BoxedMontyParams},
};
use smallvec::SmallVec;

use crate::{
    EngineError,
    device::{AffineAdder, AffinePoint, Member},
    group::Group,
    instructions::DefaultRounding,
    limbs::{
        group::LimbGroup,
        kernels::Kernels,
        numbers::{LimbNumbers, WIDTH},
        plan::{Form, LimbModulus},
        table::NumberTable,
    },
    program::{Register, Span, formulas::Segment},
};

/// Number of vectors of pairs that share an inversion: it takes as long as some two hundred sums, and what is kept of the
/// pairs until then fits the second cache.
const TOGETHER: usize = 512;

/// The number of vectors by which coordinates are asked for before they are read: points are anywhere in memory.
const AHEAD: usize = 4;

/// The registers: what formulas read and write.
mod register {
    pub(super) const X1: usize = 0;
    pub(super) const Y1: usize = 1;
    pub(super) const X2: usize = 2;
    pub(super) const Y2: usize = 3;
    /// The width of the pair's chord: the denominator of the slope.
    pub(super) const CHORD: usize = 4;
    /// The product of the widths before.
    pub(super) const BEFORE: usize = 5;
    /// The inverse of the product of the widths up to this one.
    pub(super) const INVERSE: usize = 6;
    pub(super) const X3: usize = 7;
    pub(super) const Y3: usize = 8;
    /// The next [`BEFORE`] or [`INVERSE`].
    pub(super) const NEXT: usize = 9;
    /// Numbers on the way, where formulas are not compiled.
    pub(super) const SPARE: usize = 10;
    pub(super) const COUNT: usize = 13;
}
use register::{BEFORE, CHORD, COUNT, INVERSE, NEXT, SPARE, X1, X2, X3, Y1, Y2, Y3};

/// The line through a pair of points.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Through different points.
    Chord,
    /// At a point that is added to itself.
    Tangent,
}

/// The numbers of a vector of pairs that are kept until the inverse is known.
#[derive(Default)]
struct Pending {
    x: [LimbNumbers; 2],
    width: LimbNumbers,
    /// The product of the widths up to this one.
    product: LimbNumbers,
}

/// Affine points in limbs. Between sums, coordinates are in Montgomery form and at most 2 P.
pub(super) struct LimbAdder<'a, K: Kernels> {
    kernels: K,
    group: LimbGroup<'a, K, 1>,
    /// The coordinates x and y.
    coordinates: [NumberTable; 2],
    /// Number of points.
    count: usize,
    /// The curve's a, 1, and F^2 mod P.
    a: LimbNumbers,
    one: LimbNumbers,
    square: LimbNumbers,
    registers: Vec<LimbNumbers>,
    pending: Vec<Pending>,
    spans: [Span; 2],
    /// How widths are inverted.
    inversion: InversionMethod,
    folds: bool,
}

/// The way in which the numbers of a vector are inverted.
#[derive(Clone)]
enum InversionMethod {
    /// Outside, of the product of all lanes. With this modulus.
    Outside(BoxedMontyParams),
    /// By this power in each lane: where products are fast, as modulo primes with a form of their own.
    Power(BoxedUint),
}

impl InversionMethod {
    fn new(modulus: &LimbModulus) -> Self {
        match modulus.form {
            Form::General | Form::Bls12381 => {
                Self::Outside(BoxedMontyParams::new_vartime(modulus.given()))
            }
            Form::P256 | Form::P25519 | Form::Secp256k1 | Form::P384 | Form::P448 | Form::P521 => {
                let two = BoxedUint::from(2u32);
                Self::Power(modulus.given().as_ref().wrapping_sub(&two))
            }
        }
    }
}

/// The span of a formula on these registers.
fn span(segment: Segment, inputs: &[usize], outputs: &[usize]) -> Span {
    let register = |&index: &usize| Register::new(index as u32);
    Span {
        times: 1,
        segment,
        steps: 0..0,
        digit: None,
        inputs: inputs.iter().map(register).collect(),
        outputs: outputs.iter().map(register).map(Some).collect(),
    }
}

impl<'a, K: Kernels> LimbAdder<'a, K> {
    /// No points yet, of a curve with the coefficient a, below P.
    pub(super) fn new(kernels: K, modulus: &'a LimbModulus, a: &BoxedUint) -> Self {
        let _rounding = DefaultRounding::new();
        let member = Member {
            modulus,
            constants: None,
            inputs: &[],
            scalars: &[],
        };
        let mut group = LimbGroup::new(kernels, &[member; WIDTH]);
        let [mut one, mut square, mut a_in_form] = array::from_fn(|_| group.zero());
        group.montgomery_square(&mut square);
        group.one(&mut one);
        group.multiply(&mut one, &square);
        group.enter(&[a.as_words(); WIDTH], &mut a_in_form);
        group.multiply(&mut a_in_form, &square);
        let limbs = modulus.plan.limbs;
        Self {
            kernels,
            coordinates: array::from_fn(|_| NumberTable::new(0, limbs)),
            count: 0,
            a: a_in_form,
            one,
            square,
            registers: (0..COUNT).map(|_| group.zero()).collect(),
            pending: Vec::new(),
            spans: [
                span(Segment::ChordWidth, &[X1, X2, BEFORE], &[CHORD, NEXT]),
                span(
                    Segment::AddByChord,
                    &[X1, Y1, X2, Y2, CHORD, BEFORE, INVERSE],
                    &[X3, Y3, NEXT],
                ),
            ],
            inversion: InversionMethod::new(modulus),
            folds: modulus.plan.folds(),
            group,
        }
    }

    /// Room for so many points: at most `2^32`, which would take hundreds of gigabytes.
    fn make_room(&mut self, count: usize) {
        assert!(u32::try_from(count).is_ok(), "at most 2^32 points are kept");
        let entries = count.div_ceil(WIDTH);
        for table in &mut self.coordinates {
            if table.len() < count {
                table.resize(entries);
            }
        }
    }

    /// Asserts that there are these points: there may be room for more.
    fn assert_known(&self, points: &[AffinePoint]) {
        let is_known = |point: &AffinePoint| (point.place as usize) < self.count;
        assert!(
            points.iter().all(is_known),
            "points are those that there are"
        );
    }

    /// A register's number, computed from the others.
    fn write(
        &mut self,
        out: usize,
        write: impl FnOnce(&mut LimbGroup<'a, K, 1>, &[LimbNumbers], &mut LimbNumbers),
    ) {
        let mut number = mem::take(&mut self.registers[out]);
        write(&mut self.group, &self.registers, &mut number);
        self.registers[out] = number;
    }

    /// `out := x y`. Requires factors of at most a P and b P with `a b <= 16`, or 64 where numbers are not folded. Ensures at
    /// most 2 P.
    fn multiply(&mut self, out: usize, x: usize, y: usize) {
        self.write(out, |group, registers, out| {
            group.multiply_into(&registers[x], &registers[y], out);
        });
    }

    /// `out := lift P +` the sum of multiples of registers, at most 2 P if numbers are folded. The lift is large enough for a
    /// sum that is not negative.
    fn combine<const N: usize>(&mut self, out: usize, terms: [(i32, usize); N], lift: u64) {
        let folds = self.folds;
        self.write(out, |group, registers, out| {
            let terms = terms.map(|(factor, x)| (factor, &registers[x]));
            group.combine(&terms, lift, folds, &mut LimbNumbers::default(), out);
        });
    }

    /// `out := x y + z`, at most 2 P. Requires an `x y` as for [`multiply`](Self::multiply), of at most 48 where numbers are
    /// not folded, and a z of at most 8 P.
    fn multiply_add(&mut self, out: usize, x: usize, y: usize, z: usize) {
        if self.folds {
            self.multiply(out, x, y);
            self.write(SPARE + 2, |group, registers, copy| {
                group.copy(&registers[out], copy);
            });
            self.combine(out, [(1, SPARE + 2), (1, z)], 0);
            return;
        }
        let one = mem::take(&mut self.one);
        self.write(out, |group, registers, out| {
            let terms = [
                (false, &registers[x], &registers[y]),
                (false, &registers[z], &one),
            ];
            group.sum_of_products(&terms, out);
        });
        self.one = one;
    }

    /// The lanes' points of a pair: those of the first pairs, and for missing ones that of the last pair.
    fn places(pairs: &[[AffinePoint; 2]], which: usize) -> [usize; WIDTH] {
        let last = pairs.len() - 1;
        array::from_fn(|lane| pairs[lane.min(last)][which].place as usize)
    }

    fn load(&mut self, coordinate: usize, places: [usize; WIDTH], register: usize) {
        let out = &mut self.registers[register].limbs;
        self.coordinates[coordinate].load_places(self.kernels, places, out);
    }

    /// Asks for a coordinate of these pairs' points to be brought to the cache.
    fn prefetch(&self, coordinate: usize, pairs: &[[AffinePoint; 2]]) {
        let points = pairs.as_flattened().iter();
        self.coordinates[coordinate].prefetch(points.map(|point| point.place as usize));
    }

    /// Reads the coordinates y of a vector of pairs: of the second points with the sign that they have relative to the first.
    /// Returns the lanes in which this is negative.
    fn load_heights(&mut self, pairs: &[[AffinePoint; 2]]) -> [u64; WIDTH] {
        self.load(1, Self::places(pairs, 0), Y1);
        self.load(1, Self::places(pairs, 1), Y2);
        let last = pairs.len() - 1;
        array::from_fn(|lane| {
            let [first, second] = pairs[lane.min(last)];
            (first.is_negative ^ second.is_negative).into()
        })
    }

    /// The width of each pair's line, and its product with the widths before.
    fn widths(&mut self, line: Line, pairs: &[[AffinePoint; 2]]) {
        self.load(0, Self::places(pairs, 0), X1);
        match line {
            Line::Chord => {
                self.load(0, Self::places(pairs, 1), X2);
                let span = &self.spans[0];
                if !self.group.run_segment(&mut self.registers, span, None) {
                    // At most 4 P.
                    self.combine(CHORD, [(1, X2), (-1, X1)], 2);
                    self.multiply(NEXT, BEFORE, CHORD);
                }
            }
            Line::Tangent => {
                self.write(X2, |group, registers, x2| {
                    group.copy(&registers[X1], x2);
                });
                self.load(1, Self::places(pairs, 0), Y1);
                self.combine(CHORD, [(2, Y1)], 0);
                self.multiply(NEXT, BEFORE, CHORD);
            }
        }
        self.registers.swap(BEFORE, NEXT);
    }

    /// The sums of a vector of pairs, and the next inverse.
    fn sums(&mut self, line: Line, pairs: &[[AffinePoint; 2]]) {
        let signs = self.load_heights(pairs);
        if line == Line::Chord {
            let span = &self.spans[1];
            if self
                .group
                .run_segment(&mut self.registers, span, Some(&signs))
            {
                self.registers.swap(INVERSE, NEXT);
                return;
            }
        }
        self.multiply(X3, INVERSE, BEFORE);
        self.multiply(NEXT, INVERSE, CHORD);
        self.registers.swap(INVERSE, NEXT);
        match line {
            Line::Chord => {
                // -y2, at most 2 P.
                self.combine(SPARE, [(-1, Y2)], 2);
                self.write(Y2, |group, registers, y2| {
                    group.choose(&signs, y2, &registers[SPARE]);
                });
                // At most 4 P.
                self.combine(SPARE, [(1, Y2), (-1, Y1)], 2);
            }
            Line::Tangent => {
                // 3 x^2 + a, at most 8 P.
                self.multiply(SPARE + 1, X1, X1);
                let a = mem::take(&mut self.a);
                let folds = self.folds;
                self.write(SPARE, |group, registers, out| {
                    let terms = [(3, &registers[SPARE + 1]), (1, &a)];
                    group.combine(&terms, 0, folds, &mut LimbNumbers::default(), out);
                });
                self.a = a;
            }
        }
        // The slope.
        self.multiply(Y3, SPARE, X3);
        // -x1 - x2, at most 4 P.
        self.combine(SPARE, [(-1, X1), (-1, X2)], 4);
        self.multiply_add(X3, Y3, Y3, SPARE);
        // x1 - x3, at most 4 P.
        self.combine(SPARE, [(1, X1), (-1, X3)], 2);
        // -y1, at most 2 P.
        self.combine(SPARE + 1, [(-1, Y1)], 2);
        self.write(Y2, |group, registers, slope| {
            group.copy(&registers[Y3], slope);
        });
        self.multiply_add(Y3, Y2, SPARE, SPARE + 1);
    }

    /// `INVERSE :=` the inverse of `BEFORE`; returns false if a lane has none.
    fn invert(&mut self) -> Result<bool, EngineError> {
        match self.inversion.clone() {
            InversionMethod::Outside(parameters) => self.invert_outside(&parameters),
            InversionMethod::Power(exponent) => Ok(self.raise(&exponent)),
        }
    }

    /// `INVERSE :=` this power of `BEFORE`, by windows of 4 bits. Returns whether it is the inverse in all lanes.
    fn raise(&mut self, exponent: &BoxedUint) -> bool {
        const WINDOW: u32 = 4;
        let group = &mut self.group;
        let x = &self.registers[BEFORE];
        let mut powers = vec![LimbNumbers::default(), group.zero()];
        group.copy(x, &mut powers[1]);
        for k in 2..1 << WINDOW {
            let mut power = group.zero();
            group.multiply_into(&powers[k - 1], x, &mut power);
            powers.push(power);
        }
        let mut power = mem::take(&mut self.registers[INVERSE]);
        group.copy(&self.one, &mut power);
        for window in (0..exponent.bits_vartime().div_ceil(WINDOW)).rev() {
            let (word, shift) = (WINDOW * window / Word::BITS, WINDOW * window % Word::BITS);
            let digit = exponent.as_words()[word as usize] >> shift & ((1 << WINDOW) - 1);
            group.square_times(&mut power, WINDOW);
            if digit != 0 {
                group.multiply(&mut power, &powers[digit as usize]);
            }
        }
        self.registers[INVERSE] = power;
        self.multiply(SPARE, INVERSE, BEFORE);
        let one = mem::take(&mut self.one);
        let folds = self.folds;
        self.write(SPARE + 1, |group, registers, out| {
            let terms = [(1, &registers[SPARE]), (-1, &one)];
            group.combine(&terms, 2, folds, &mut LimbNumbers::default(), out);
        });
        self.one = one;
        // A product is small enough to be compared.
        let mut difference = mem::take(&mut self.registers[SPARE + 1]);
        self.group.multiply(&mut difference, &self.square);
        let are_zero = self.group.are_zero(&difference, WIDTH);
        self.registers[SPARE + 1] = difference;
        are_zero.iter().all(|&is_zero| is_zero)
    }

    /// `INVERSE :=` the inverse of `BEFORE`, found modulo these parameters' number; returns false, and leaves it, if a lane has
    /// none.
    fn invert_outside(&mut self, parameters: &BoxedMontyParams) -> Result<bool, EngineError> {
        let products = self.group.leave(&self.registers[BEFORE], WIDTH);
        let precision = parameters.bits_precision();
        let products: Vec<_> = products
            .iter()
            .map(|product| {
                BoxedMontyForm::new((&**product).resize_unchecked(precision), parameters)
            })
            .collect();
        if products.iter().any(|product| bool::from(product.is_zero())) {
            return Ok(false);
        }
        let mut before = Vec::with_capacity(WIDTH);
        let mut total = BoxedMontyForm::one(parameters);
        for product in &products {
            before.push(total.clone());
            total = total.mul(product);
        }
        let inverse = Option::<BoxedMontyForm>::from(total.invert_vartime());
        let mut inverse = inverse.ok_or_else(|| EngineError::BadJob {
            index: 0,
            condition: String::from("points are added modulo a prime"),
        })?;
        let mut inverses = Vec::with_capacity(WIDTH);
        for (product, before) in products.iter().zip(&before).rev() {
            inverses.push(inverse.mul(before).retrieve());
            inverse = inverse.mul(product);
        }
        inverses.reverse();
        let words: [_; WIDTH] = array::from_fn(|lane| inverses[lane].as_words());
        // The integers were those in Montgomery form: their inverses lack the factor twice.
        let (group, out) = (&mut self.group, &mut self.registers[INVERSE]);
        group.enter(&words, out);
        group.multiply(out, &self.square);
        group.multiply(out, &self.square);
        Ok(true)
    }

    /// The widths of all pairs, and the inverse of their product; false if a width is 0.
    fn begin(&mut self, line: Line, pairs: &[[AffinePoint; 2]]) -> Result<bool, EngineError> {
        let vectors = pairs.chunks(WIDTH);
        while self.pending.len() < vectors.len() {
            let zero = || self.group.zero();
            self.pending.push(Pending {
                x: array::from_fn(|_| zero()),
                width: zero(),
                product: zero(),
            });
        }
        self.group.copy(&self.one, &mut self.registers[BEFORE]);
        for (vector, own) in vectors.enumerate() {
            if let Some(ahead) = pairs.get((vector + AHEAD) * WIDTH..) {
                self.prefetch(0, &ahead[..ahead.len().min(WIDTH)]);
            }
            self.widths(line, own);
            let Pending { x, width, product } = &mut self.pending[vector];
            let [x1, x2] = x;
            mem::swap(x1, &mut self.registers[X1]);
            mem::swap(x2, &mut self.registers[X2]);
            mem::swap(width, &mut self.registers[CHORD]);
            self.group.copy(&self.registers[BEFORE], product);
        }
        self.invert()
    }

    /// Stores the sums of the pairs whose widths are pending in these places.
    fn finish(&mut self, line: Line, pairs: &[[AffinePoint; 2]], places: &[usize]) {
        for (vector, own) in pairs.chunks(WIDTH).enumerate().rev() {
            if let Some(ahead) = vector.checked_sub(AHEAD) {
                self.prefetch(1, &pairs[ahead * WIDTH..][..WIDTH]);
            }
            match vector.checked_sub(1) {
                Some(before) => {
                    let before = &mut self.pending[before].product;
                    mem::swap(before, &mut self.registers[BEFORE]);
                }
                None => self.group.copy(&self.one, &mut self.registers[BEFORE]),
            }
            let Pending { x, width, .. } = &mut self.pending[vector];
            let [x1, x2] = x;
            mem::swap(x1, &mut self.registers[X1]);
            mem::swap(x2, &mut self.registers[X2]);
            mem::swap(width, &mut self.registers[CHORD]);
            self.sums(line, own);
            #[cfg(debug_assertions)]
            for register in [X3, Y3] {
                let number = &self.registers[register];
                let most = crate::limbs::plan::PRODUCT_MULTIPLE;
                let most = crate::program::Magnitude::interval(0, most);
                assert!((0..WIDTH).all(|lane| self.group.is_within(number, lane, &most)));
            }
            let places = &places[vector * WIDTH..][..own.len()];
            for (table, register) in self.coordinates.iter_mut().zip([X3, Y3]) {
                let limbs = &self.registers[register].limbs;
                table.store_places(self.kernels, places, limbs);
            }
        }
    }

    /// The pairs whose points have the same x, after [`begin`](Self::begin).
    fn without_width(&mut self, pairs: &[[AffinePoint; 2]]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut product = self.group.zero();
        for (vector, pairs) in pairs.chunks(WIDTH).enumerate() {
            // A product is small enough to be compared.
            let width = &self.pending[vector].width;
            self.group.multiply_into(width, &self.square, &mut product);
            let are_zero = self.group.are_zero(&product, pairs.len());
            let lanes = are_zero.iter().enumerate().filter(|(_, is_zero)| **is_zero);
            found.extend(lanes.map(|(lane, _)| vector * WIDTH + lane));
        }
        found
    }

    /// Whether the points of each pair, which have the same x, are equal and not of order 2: otherwise their sum is at infinity.
    fn are_equal(&mut self, pairs: &[[AffinePoint; 2]]) -> Vec<bool> {
        let mut equal = Vec::with_capacity(pairs.len());
        for pairs in pairs.chunks(WIDTH) {
            let signs = self.load_heights(pairs);
            let count = pairs.len();
            // y1 + y2 and y1 - y2.
            self.combine(SPARE, [(1, Y1), (1, Y2)], 0);
            self.combine(SPARE + 1, [(1, Y1), (-1, Y2)], 2);
            let [sum, difference, y1] = [SPARE, SPARE + 1, Y1].map(|register| {
                // A product is small enough to be compared.
                let mut number = mem::take(&mut self.registers[register]);
                self.group.multiply(&mut number, &self.square);
                let are_zero = self.group.are_zero(&number, count);
                self.registers[register] = number;
                are_zero
            });
            for lane in 0..count {
                let is_same = if signs[lane] == 1 {
                    sum[lane]
                } else {
                    difference[lane]
                };
                equal.push(is_same && !y1[lane]);
            }
        }
        equal
    }

    /// Stores the sums of at most [`TOGETHER`] vectors of pairs from place `first` on. Adds to `at_infinity` which have none.
    fn add(
        &mut self,
        pairs: &[[AffinePoint; 2]],
        first: usize,
        at_infinity: &mut Vec<usize>,
    ) -> Result<(), EngineError> {
        let places: Vec<usize> = (first..first + pairs.len()).collect();
        if self.begin(Line::Chord, pairs)? {
            self.finish(Line::Chord, pairs, &places);
            return Ok(());
        }
        let alike = self.without_width(pairs);
        let mut others = vec![true; pairs.len()];
        for &pair in &alike {
            others[pair] = false;
        }
        let of = |chosen: &[usize]| -> (Vec<_>, Vec<_>) {
            chosen
                .iter()
                .map(|&pair| (pairs[pair], places[pair]))
                .unzip()
        };
        let others: Vec<_> = (0..pairs.len()).filter(|&pair| others[pair]).collect();
        let (different, to) = of(&others);
        self.add_known(Line::Chord, &different, &to)?;
        let (same, _) = of(&alike);
        let are_equal = self.are_equal(&same);
        let (equal, opposite): (Vec<_>, Vec<_>) =
            alike.iter().zip(are_equal).partition(|(_, equal)| *equal);
        at_infinity.extend(opposite.iter().map(|&(pair, _)| places[*pair]));
        let equal: Vec<_> = equal.iter().map(|&(pair, _)| *pair).collect();
        let (equal, to) = of(&equal);
        self.add_known(Line::Tangent, &equal, &to)
    }

    /// Stores sums of pairs whose lines have a width.
    fn add_known(
        &mut self,
        line: Line,
        pairs: &[[AffinePoint; 2]],
        places: &[usize],
    ) -> Result<(), EngineError> {
        if pairs.is_empty() {
            return Ok(());
        }
        if !self.begin(line, pairs)? {
            return Err(EngineError::BadJob {
                index: 0,
                condition: String::from("points are on one curve modulo a prime"),
            });
        }
        self.finish(line, pairs, places);
        Ok(())
    }
}

impl<K: Kernels> AffineAdder for LimbAdder<'_, K> {
    fn len(&self) -> usize {
        self.count
    }

    fn reserve(&mut self, additional: usize) {
        self.make_room(self.count + additional);
    }

    fn enter(&mut self, points: &[[&BoxedUint; 2]]) {
        let _rounding = DefaultRounding::new();
        let first = self.count;
        self.count += points.len();
        self.make_room(self.count);
        for (vector, points) in points.chunks(WIDTH).enumerate() {
            let last = points.len() - 1;
            let places: SmallVec<[usize; WIDTH]> = (0..points.len())
                .map(|lane| first + vector * WIDTH + lane)
                .collect();
            for coordinate in 0..2 {
                let words = array::from_fn(|lane| points[lane.min(last)][coordinate].as_words());
                let words: [_; WIDTH] = words;
                let number = &mut self.registers[X1];
                self.group.enter(&words, number);
                self.group.multiply(number, &self.square);
                self.coordinates[coordinate].store_places(self.kernels, &places, &number.limbs);
            }
        }
    }

    fn enter_with_x_times(&mut self, beta: &BoxedUint, points: &[AffinePoint]) -> Vec<AffinePoint> {
        let _rounding = DefaultRounding::new();
        self.assert_known(points);
        let first = self.count;
        self.count += points.len();
        self.make_room(self.count);
        let mut factor = self.group.zero();
        self.group.enter(&[beta.as_words(); WIDTH], &mut factor);
        self.group.multiply(&mut factor, &self.square);
        for (vector, points) in points.chunks(WIDTH).enumerate() {
            let last = points.len() - 1;
            let places = array::from_fn(|lane| points[lane.min(last)].place as usize);
            let to = first + vector * WIDTH;
            let to: SmallVec<[usize; WIDTH]> = (to..to + points.len()).collect();
            for (coordinate, register) in [X1, Y1].into_iter().enumerate() {
                self.load(coordinate, places, register);
                let number = &mut self.registers[register];
                if register == X1 {
                    self.group.multiply(number, &factor);
                }
                self.coordinates[coordinate].store_places(self.kernels, &to, &number.limbs);
            }
        }
        let point = |(place, point): (usize, &AffinePoint)| AffinePoint {
            place: place as u32,
            ..*point
        };
        (first..).zip(points).map(point).collect()
    }

    fn add_pairs(
        &mut self,
        pairs: &[[AffinePoint; 2]],
    ) -> Result<Vec<Option<AffinePoint>>, EngineError> {
        let _rounding = DefaultRounding::new();
        let first = self.count;
        self.assert_known(pairs.as_flattened());
        self.make_room(first + pairs.len());
        let mut at_infinity = Vec::new();
        for (part, pairs) in pairs.chunks(TOGETHER * WIDTH).enumerate() {
            self.add(pairs, first + part * TOGETHER * WIDTH, &mut at_infinity)?;
        }
        self.count += pairs.len();
        let sum = |(pair, [first_point, _]): (usize, &[AffinePoint; 2])| {
            Some(AffinePoint {
                place: (first + pair) as u32,
                is_negative: first_point.is_negative,
            })
        };
        let mut sums: Vec<_> = pairs.iter().enumerate().map(sum).collect();
        for place in at_infinity {
            sums[place - first] = None;
        }
        Ok(sums)
    }

    fn retain(&mut self, count: usize, points: &mut [AffinePoint]) {
        self.assert_known(points);
        assert!(count <= self.count, "there are so many points to keep");
        assert!(
            points.iter().all(|point| point.place as usize >= count),
            "what is kept anyway does not move"
        );
        let places: Vec<_> = points.iter().map(|point| point.place as usize).collect();
        for table in &mut self.coordinates {
            table.gather(&places, count);
        }
        for (place, point) in (count..).zip(points.iter_mut()) {
            point.place = place as u32;
        }
        self.count = count + points.len();
    }

    fn leave(&mut self, points: &[AffinePoint]) -> Vec<[BoxedUint; 2]> {
        let _rounding = DefaultRounding::new();
        self.assert_known(points);
        let mut all = Vec::with_capacity(points.len());
        for points in points.chunks(WIDTH) {
            let last = points.len() - 1;
            let places = array::from_fn(|lane| points[lane.min(last)].place as usize);
            let signs: [u64; WIDTH] =
                array::from_fn(|lane| points[lane.min(last)].is_negative.into());
            self.load(0, places, X1);
            self.load(1, places, Y1);
            self.combine(SPARE, [(-1, Y1)], 2);
            self.write(Y1, |group, registers, y| {
                group.choose(&signs, y, &registers[SPARE]);
            });
            let [xs, ys] = [X1, Y1].map(|register| {
                let mut number = mem::take(&mut self.registers[register]);
                let mut one = self.group.zero();
                self.group.one(&mut one);
                self.group.multiply(&mut number, &one);
                let integers = self.group.leave(&number, points.len());
                self.registers[register] = number;
                integers
            });
            all.extend(
                xs.iter()
                    .zip(&ys)
                    .map(|(x, y)| [(**x).clone(), (**y).clone()]),
            );
        }
        all
    }
}
