//! Groups of one number in words. The number is always below P.

use core::{array, slice};

use crypto_bigint::{BoxedUint, Word};
use zeroize::Zeroizing;

#[cfg(any(test, feature = "testing", debug_assertions))]
use crate::program::Magnitude;
use crate::{
    device::{Member, Outcome, Work},
    group::{Group, Stepwise},
    integers::inverse,
    interpreter,
    kept::own,
    program::OwnTable,
    words::{
        carries::{add_if, add_words, mask, subtract_if_above, subtract_words},
        modulus::{WordConstants, WordModulus},
        product::{multiply, reduce, square},
        rows::Rows,
        short::SHORT,
    },
};

/// A number in words; wiped on drop.
type Words = Zeroizing<Vec<Word>>;

/// Runs the work with these rows, one member after the other.
pub(super) fn run(rows: impl Rows, work: &Work<'_>) -> Vec<Outcome> {
    let run = |member| {
        let work = Work {
            members: slice::from_ref(member),
            ..*work
        };
        interpreter::run(&work, |members| {
            WordGroup::new(rows, own(members[0].modulus))
        })
    };
    work.members.iter().flat_map(run).collect()
}

/// A group of one number.
struct WordGroup<R> {
    rows: R,
    p: Words,
    negative_inverse: Zeroizing<Word>,
    factor_squared: Words,
    /// The product that is being computed: 2 l words.
    product: Words,
    /// The sum of products that is being computed: 2 l words.
    sum: Words,
}

impl<R: Rows> WordGroup<R> {
    fn new(rows: R, modulus: &WordModulus) -> Self {
        let length = modulus.p.len();
        Self {
            rows,
            p: modulus.p.clone(),
            negative_inverse: modulus.negative_inverse.clone(),
            factor_squared: modulus.factor_squared.clone(),
            product: Zeroizing::new(vec![0; 2 * length]),
            sum: Zeroizing::new(vec![0; 2 * length]),
        }
    }

    /// Number of words of a number.
    fn length(&self) -> usize {
        self.p.len()
    }

    /// `out := product F^-1 mod P`.
    fn reduce_product(&mut self, out: &mut [Word]) {
        let (product, inverse) = (&mut self.product, *self.negative_inverse);
        reduce(self.rows, &self.p, inverse, product, out);
    }

    /// `x := x y F^-1 mod P` if numbers are short; returns whether they are. Requires that x or y is below P.
    #[inline]
    fn multiply_short(&self, x: &mut [Word], y: &[Word]) -> bool {
        let (Some(x), Some(y), Some(p)) = (x.as_mut_array(), y.as_array(), self.p.as_array())
        else {
            return false;
        };
        self.rows.multiply_short(x, y, p, *self.negative_inverse);
        true
    }

    /// `x := x^2 F^-1 mod P` likewise.
    #[inline]
    fn square_short(&self, x: &mut [Word]) -> bool {
        let (Some(x), Some(p)) = (x.as_mut_array(), self.p.as_array()) else {
            return false;
        };
        self.rows.square_short(x, p, *self.negative_inverse);
        true
    }

    /// `x := x y F^-1 mod P`. Requires that x or y is below P.
    fn multiply_words(&mut self, x: &mut [Word], y: &[Word]) {
        if self.multiply_short(x, y) {
            return;
        }
        multiply(self.rows, x, y, &mut self.product);
        self.reduce_product(x);
    }

    /// An integer modulo P, by Horner's rule: pieces of l words, each times F^2 and then times 1.
    fn reduce_integer(&mut self, words: &[Word], out: &mut [Word]) {
        let length = self.length();
        let square = self.factor_squared.clone();
        let mut one = self.zero();
        one[0] = 1;
        let mut piece = self.zero();
        out.fill(0);
        for (number, words) in words.chunks(length).rev().enumerate() {
            piece.fill(0);
            piece[..words.len()].copy_from_slice(words);
            self.multiply_words(&mut piece, &square);
            self.multiply_words(&mut piece, &one);
            if number > 0 {
                // out := out F + piece
                self.multiply_words(out, &square);
            }
            self.add_mod(out, &piece);
        }
    }

    /// `x := x + y mod P`.
    fn add_mod(&self, x: &mut [Word], y: &[Word]) {
        let above = add_words(x, y);
        subtract_if_above(x, &self.p, above);
    }

    /// `x := x - y mod P`.
    fn subtract_mod(&self, x: &mut [Word], y: &[Word]) {
        let negative = subtract_words(x, y);
        add_if(x, &self.p, negative);
    }
}

impl<R: Rows> Group for WordGroup<R> {
    type Numbers = Words;
    type Table = Vec<Words>;

    const WIDTH: usize = 1;

    fn zero(&self) -> Words {
        Zeroizing::new(vec![0; self.length()])
    }

    fn copy(&self, from: &Words, to: &mut Words) {
        to.copy_from_slice(from);
    }

    fn enter(&self, words: &[&[Word]], out: &mut Words) {
        let words = words[0];
        if out.len() == SHORT && words.len() <= SHORT {
            // Times F^2, and times 1: a product is below P if a factor is.
            out.fill(0);
            out[..words.len()].copy_from_slice(words);
            let one: [Word; SHORT] = array::from_fn(|k| Word::from(k == 0));
            self.multiply_short(out, &self.factor_squared);
            self.multiply_short(out, &one);
            return;
        }
        let mut group = Self {
            rows: self.rows,
            p: self.p.clone(),
            negative_inverse: self.negative_inverse.clone(),
            factor_squared: self.factor_squared.clone(),
            product: self.product.clone(),
            sum: Words::default(),
        };
        group.reduce_integer(words, out);
    }

    fn one(&self, out: &mut Words) {
        out.fill(0);
        out[0] = 1;
    }

    fn montgomery_square(&self, out: &mut Words) {
        out.copy_from_slice(&self.factor_squared);
    }

    fn own_constants(&self, members: &[Member<'_>], numbers: &[u64], out: &mut Words) {
        out.copy_from_slice(constants_of(&members[0]).get(numbers[0] as usize));
    }

    fn select_own(&self, members: &[Member<'_>], table: OwnTable, digits: &[u64], out: &mut Words) {
        let constants = constants_of(&members[0]);
        let entries = (0..table.len()).map(|entry| constants.get(table.first as usize + entry));
        select(entries, digits[0], out);
    }

    fn multiply(&mut self, x: &mut Words, y: &Words) {
        self.multiply_words(x, y);
    }

    fn multiply_into(&mut self, x: &Words, y: &Words, out: &mut Words) {
        if out.len() == SHORT {
            out.copy_from_slice(x);
            self.multiply_words(out, y);
            return;
        }
        multiply(self.rows, x, y, &mut self.product);
        self.reduce_product(out);
    }

    fn square_times(&mut self, x: &mut Words, times: u32) {
        for _ in 0..times {
            if self.square_short(x) {
                continue;
            }
            square(self.rows, x, &mut self.product);
            self.reduce_product(x);
        }
    }

    /// Short numbers only.
    fn invert(&mut self, x: &Words, out: &mut Words) -> bool {
        if self.length() as u32 * Word::BITS > inverse::MOST_BITS {
            return false;
        }
        out.copy_from_slice(x);
        inverse::invert(out, &self.p);
        // x had the factor F once: its inverse lacks it twice.
        let square = self.factor_squared.clone();
        self.multiply_words(out, &square);
        self.multiply_words(out, &square);
        true
    }

    /// The sum of products stays below F P: F P is subtracted or added after each term that leaves this range.
    fn sum_of_products(&mut self, terms: &[(bool, &Words, &Words)], out: &mut Words) {
        let length = self.length();
        self.sum.fill(0);
        for &(negative, x, y) in terms {
            multiply(self.rows, x, y, &mut self.product);
            if negative {
                let below = subtract_words(&mut self.sum, &self.product);
                add_if(&mut self.sum[length..], &self.p, below);
            } else {
                let above = add_words(&mut self.sum, &self.product);
                subtract_if_above(&mut self.sum[length..], &self.p, above);
            }
        }
        let inverse = *self.negative_inverse;
        reduce(self.rows, &self.p, inverse, &mut self.sum, out);
    }

    fn combine(
        &self,
        terms: &[(i32, &Words)],
        _lift: u64,
        _fold: bool,
        spare: &mut Words,
        out: &mut Words,
    ) {
        self.combine_stepwise(terms, spare, out);
    }

    fn choose(&self, bits: &[u64], x: &mut Words, y: &Words) {
        let mask = mask(bits[0] as Word);
        for (x, &y) in x.iter_mut().zip(y.iter()) {
            *x ^= (*x ^ y) & mask;
        }
    }

    fn table(&self, entries: usize, _: bool) -> Vec<Words> {
        vec![self.zero(); entries]
    }

    fn store(&self, table: &mut Vec<Words>, entry: usize, numbers: &Words) {
        self.copy(numbers, &mut table[entry]);
    }

    fn store_at(&self, table: &mut Vec<Words>, entries: &[u64], numbers: &Words) {
        self.copy(numbers, &mut table[entries[0] as usize]);
    }

    fn load(&self, table: &Vec<Words>, entry: usize, out: &mut Words) {
        self.copy(&table[entry], out);
    }

    fn select(&mut self, table: &Vec<Words>, indices: &[u64], out: &mut Words) {
        select(table.iter().map(|entry| &entry[..]), indices[0], out);
    }

    fn select_public(&self, table: &Vec<Words>, indices: &[u64], out: &mut Words) {
        self.load(table, indices[0] as usize, out);
    }

    fn leave(&mut self, x: &Words, _: usize) -> Vec<Zeroizing<BoxedUint>> {
        vec![Zeroizing::new(BoxedUint::from_words(x.iter().copied()))]
    }

    /// Whether a number is below P. It stands for all numbers congruent to it, and has no other magnitude.
    #[cfg(any(test, feature = "testing", debug_assertions))]
    fn is_within(&self, x: &Words, _: usize, _: &Magnitude) -> bool {
        subtract_words(&mut x.clone(), &self.p) == 1
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_word(&self, x: &mut Words, place: u64) {
        flip(x, place);
    }

    #[cfg(any(test, feature = "testing"))]
    fn flip_entry(&self, table: &mut Vec<Words>, place: u64) {
        let (entry, rest) = (place as usize % table.len(), place / table.len() as u64);
        flip(&mut table[entry], rest);
    }

    /// Flips a bit of the modulus, which takes the place of a weight: rows are multiplied with it.
    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_weight(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        flip(&mut self.p, place);
        operation(self);
        flip(&mut self.p, place);
    }

    #[cfg(any(test, feature = "testing"))]
    fn with_flipped_constant(&mut self, place: u64, operation: impl FnOnce(&mut Self)) {
        flip(slice::from_mut(&mut *self.negative_inverse), place);
        operation(self);
        flip(slice::from_mut(&mut *self.negative_inverse), place);
    }
}

impl<R: Rows> Stepwise for WordGroup<R> {
    fn add(&self, x: &mut Words, y: &Words) {
        self.add_mod(x, y);
    }

    fn subtract(&self, x: &mut Words, y: &Words) {
        self.subtract_mod(x, y);
    }

    fn scale(&self, x: &mut Words, factor: u32, negative: bool) {
        let unscaled = x.clone();
        x.fill(0);
        let mut half = self.zero();
        for bit in (0..u32::BITS - factor.leading_zeros()).rev() {
            half.copy_from_slice(x);
            self.add_mod(x, &half);
            if factor >> bit & 1 == 1 {
                self.add_mod(x, &unscaled);
            }
        }
        if negative {
            half.copy_from_slice(x);
            x.fill(0);
            self.subtract_mod(x, &half);
        }
    }
}

/// The constants of a member's modulus.
fn constants_of<'a>(member: &Member<'a>) -> &'a WordConstants {
    own(member
        .constants
        .expect("the engine has checked that a member brings the program's constants"))
}

/// `out :=` the entry with this index: all entries are read, and all but one are masked away.
fn select<'a>(entries: impl Iterator<Item = &'a [Word]>, index: u64, out: &mut [Word]) {
    out.fill(0);
    for (place, entry) in (0u64..).zip(entries) {
        // All ones for the same number, as both are below 2^63. The compiler must not see that there are two values.
        let mask = mask(((place ^ index).wrapping_sub(1) >> 63) as Word);
        for (out, &word) in out.iter_mut().zip(entry) {
            *out |= word & mask;
        }
    }
}

/// Flips the bit of a word that `place` selects.
#[cfg(any(test, feature = "testing"))]
fn flip(words: &mut [Word], place: u64) {
    let bit = place as usize % (words.len() * Word::BITS as usize);
    words[bit / Word::BITS as usize] ^= 1 << (bit % Word::BITS as usize);
}
