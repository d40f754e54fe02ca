//! Seals: checksums of data that an engine keeps between batches, which reveal a changed bit.
//!
//! Programs, plans, and the constants of moduli are computed once and used a million times. A bit that flips in their
//! memory makes the same error in each result, and in each check that uses the same constant. Each of them therefore
//! has a seal, made together with it, and compared after every batch that has used it, before the batch's results
//! leave.

use core::hint::black_box;

use crypto_bigint::{BoxedUint, NonZero, Odd};
use zeroize::{Zeroize, Zeroizing};

/// A checksum of 64 bits. It differs if any one word that was added differs, in any bits: each step is a bijection of
/// the state for a given word, and of the word for a given state. Differences in several words are missed once in about
/// `2^64`. It is no cryptographic hash: it finds faults, not forgeries.
///
/// The time depends on the number of words alone.
#[derive(Default)]
pub struct Checksum {
    lanes: [u64; Self::LANES],
}

impl Checksum {
    /// Number of chains of steps that do not wait for each other.
    const LANES: usize = 8;
    /// Distance of the rotations. Any odd distance would serve.
    const ROTATION: u32 = 7;
    /// Factor that joins lanes. Any odd number that is no power of two would serve: lanes are joined
    /// differently from words.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Adds a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.step(0, word);
    }

    /// Adds the words of one of many small parts, each sort of words in lanes of its own, so that a step waits for few others:
    /// two words that every part has, and any number of further ones.
    #[inline]
    pub(crate) fn part<T>(&mut self, own: [u64; 2], further: &[T], word: impl Fn(&T) -> u64) {
        self.step(0, own[0]);
        self.step(1, own[1]);
        let (fours, rest) = further.as_chunks::<4>();
        for four in fours {
            self.step(2, word(&four[0]));
            self.step(3, word(&four[1]));
            self.step(4, word(&four[2]));
            self.step(5, word(&four[3]));
        }
        for further in rest {
            self.step(6, word(further));
        }
    }

    /// Calls `add` with the same checksum in a variable of its own, which may stay in registers.
    #[inline]
    pub(crate) fn apart(&mut self, add: impl FnOnce(&mut Self)) {
        let mut apart = Self { lanes: self.lanes };
        add(&mut apart);
        self.lanes = apart.lanes;
    }

    /// Adds words, and their number.
    pub fn words(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.word(words.len() as u64);
        self.apart(|sum| {
            for (place, word) in words.enumerate() {
                sum.step(place % Self::LANES, word);
            }
        });
    }

    /// Adds the words of some values, and their number. Most content consists of slices.
    fn slice(&mut self, values: &[impl Word]) {
        self.word(values.len() as u64);
        self.apart(|sum| sum.chunks(values));
    }

    /// Adds the words of rows of equal length, and the number of rows, as fast as those of one slice.
    pub fn rows<'a, T: Word + 'a, const L: usize>(
        &mut self,
        rows: impl ExactSizeIterator<Item = &'a [T; L]>,
    ) {
        self.word(rows.len() as u64);
        self.apart(|sum| {
            for row in rows {
                sum.chunks(row);
            }
        });
    }

    /// Adds the words of some values, one to each lane in turn.
    #[inline]
    fn chunks(&mut self, values: &[impl Word]) {
        let (whole, rest) = values.as_chunks::<{ Self::LANES }>();
        for values in whole {
            for (lane, value) in values.iter().enumerate() {
                self.step(lane, value.word());
            }
        }
        for (lane, value) in rest.iter().enumerate() {
            self.step(lane, value.word());
        }
    }

    #[inline]
    fn step(&mut self, lane: usize, word: u64) {
        let rotated = self.lanes[lane].rotate_left(Self::ROTATION);
        self.lanes[lane] = rotated.wrapping_add(word);
    }

    fn finish(&self) -> u64 {
        let add = |sum: u64, lane: &u64| sum.wrapping_mul(Self::FACTOR).wrapping_add(*lane);
        self.lanes.iter().fold(0, add)
    }
}

impl Drop for Checksum {
    fn drop(&mut self) {
        self.lanes.zeroize();
    }
}

/// The seal of kept data; wiped on drop, as it depends on secrets.
#[derive(Clone, Default)]
pub struct Seal(Zeroizing<u64>);

impl Seal {
    /// The seal of this content.
    pub fn of(content: &impl Content) -> Self {
        Self::made(|sum| content.add_to(sum))
    }

    /// The seal of everything that `add` adds.
    pub fn made(add: impl FnOnce(&mut Checksum)) -> Self {
        let mut sum = Checksum::default();
        add(&mut sum);
        Self(Zeroizing::new(sum.finish()))
    }

    /// Whether the content is unchanged since the seal was made.
    pub fn holds(&self, content: &impl Content) -> bool {
        self.is(&Self::of(content))
    }

    /// Whether both seals are the same: public. It is a function of its own in the executable, too: the one place where
    /// secret content decides a branch, so that nothing that follows depends on it.
    #[inline(never)]
    pub fn is(&self, other: &Self) -> bool {
        // Two calls that the compiler does not merge.
        if *self.0 == *other.0 {
            black_box(true)
        } else {
            black_box(false)
        }
    }
}

/// Content that can be sealed.
pub trait Content {
    /// Adds every word of the content that a result may depend on.
    fn add_to(&self, sum: &mut Checksum);

    /// Adds a list of content of one type, and its length.
    fn add_all(list: &[Self], sum: &mut Checksum)
    where
        Self: Sized,
    {
        sum.word(list.len() as u64);
        for content in list {
            content.add_to(sum);
        }
    }
}

/// A number that is one word of a checksum.
pub trait Word: Copy {
    /// The word.
    fn word(self) -> u64;
}

macro_rules! words {
    ($($type:ty => $word:expr),* $(,)?) => {$(
        impl Word for $type {
            #[inline]
            fn word(self) -> u64 {
                let word: fn($type) -> u64 = $word;
                word(self)
            }
        }

        impl Content for $type {
            fn add_to(&self, sum: &mut Checksum) {
                sum.word(self.word());
            }

            fn add_all(list: &[Self], sum: &mut Checksum) {
                sum.slice(list);
            }
        }
    )*};
}

words! {
    u8 => u64::from,
    i8 => |x| x as u64,
    u16 => u64::from,
    u32 => u64::from,
    i32 => |x| x as u64,
    u64 => |x| x,
    i64 => i64::cast_unsigned,
    u128 => |x| x as u64 ^ (x >> 64) as u64,
    f64 => f64::to_bits,
    usize => |x| x as u64,
    bool => u64::from,
}

impl<T: Content> Content for [T] {
    fn add_to(&self, sum: &mut Checksum) {
        T::add_all(self, sum);
    }
}

impl<T: Content, const N: usize> Content for [T; N] {
    fn add_to(&self, sum: &mut Checksum) {
        T::add_all(self, sum);
    }
}

impl<T: Content> Content for Vec<T> {
    fn add_to(&self, sum: &mut Checksum) {
        T::add_all(self, sum);
    }
}

impl<T: Content + Zeroize> Content for Zeroizing<T> {
    fn add_to(&self, sum: &mut Checksum) {
        (**self).add_to(sum);
    }
}

impl<T: Content> Content for Option<T> {
    fn add_to(&self, sum: &mut Checksum) {
        sum.word(u64::from(self.is_some()));
        if let Some(content) = self {
            content.add_to(sum);
        }
    }
}

impl Content for BoxedUint {
    fn add_to(&self, sum: &mut Checksum) {
        self.as_words().add_to(sum);
    }
}

impl Content for NonZero<BoxedUint> {
    fn add_to(&self, sum: &mut Checksum) {
        self.as_ref().add_to(sum);
    }
}

impl Content for Odd<BoxedUint> {
    fn add_to(&self, sum: &mut Checksum) {
        self.as_ref().add_to(sum);
    }
}

/// Implements [`Content`] for a structure: adds all its fields, some of them by a function that
/// adds a field, except those that are left out by name.
#[macro_export]
macro_rules! content {
    (
        $type:ident { $($field:ident),* $(,)? }
        $(with { $($own:ident: $add:path),* })?
        $(without { $($left:ident),* })?
    ) => {
        impl $crate::seal::Content for $type {
            fn add_to(&self, sum: &mut $crate::seal::Checksum) {
                let Self { $($field,)* $($($own,)*)? $($($left: _,)*)? } = self;
                $($crate::seal::Content::add_to($field, sum);)*
                $($($add($own, sum);)*)?
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every single bit of content of every length breaks its seal, and so does a word more or less.
    #[test]
    fn every_bit_is_sealed() {
        for length in 0..40usize {
            let mut content: Vec<u64> = (0..length as u64).map(|k| (k << 30) ^ (k * k)).collect();
            let seal = Seal::of(&content);
            assert!(seal.holds(&content));
            for bit in 0..64 * length {
                content[bit / 64] ^= 1 << (bit % 64);
                assert!(!seal.holds(&content), "{length} words, bit {bit}");
                content[bit / 64] ^= 1 << (bit % 64);
            }
            content.push(0);
            assert!(!seal.holds(&content));
        }
    }

    /// Every single bit of rows breaks their seal, and so do a row more and rows in another order.
    #[test]
    fn every_bit_of_rows_is_sealed() {
        fn check<const L: usize>() {
            let seal = |rows: &[[u64; L]]| Seal::made(|sum| sum.rows(rows.iter()));
            let mut rows = vec![[0x5555_0000_ffff_1234; L]; 5];
            rows[1][L - 1] = 7;
            let before = seal(&rows);
            assert!(before.is(&seal(&rows)));
            for bit in 0..64 * 5 * L {
                let (row, lane) = (bit / 64 / L, bit / 64 % L);
                rows[row][lane] ^= 1 << (bit % 64);
                assert!(!before.is(&seal(&rows)), "{L} lanes, bit {bit}");
                rows[row][lane] ^= 1 << (bit % 64);
            }
            rows.swap(0, 1);
            assert!(!before.is(&seal(&rows)));
            rows.swap(0, 1);
            rows.push([0; L]);
            assert!(!before.is(&seal(&rows)));
        }
        check::<1>();
        check::<3>();
        check::<8>();
        check::<16>();
        check::<19>();
    }

    /// The order of words matters.
    #[test]
    fn exchanged_words() {
        let content: Vec<u64> = (1..30).collect();
        let seal = Seal::of(&content);
        for distance in 1..20 {
            let mut other = content.clone();
            other.swap(3, 3 + distance);
            assert!(!seal.holds(&other), "{distance}");
        }
    }
}
