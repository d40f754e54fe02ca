//! SHA-2 over lanes, for words of any vector.
#![expect(
    clippy::inline_always,
    reason = "a compression must be compiled whole for each instruction set"
)]

/// The largest number of lanes of any vector.
const MOST_LANES: usize = 16;
/// The largest number of bytes of all lanes' blocks.
const MOST_BYTES: usize = 1024;

/// A word of the state of several messages, one a lane.
pub(super) trait Lanes: Copy {
    type Word: Copy + Default;

    /// Number of rounds.
    const ROUNDS: usize;
    /// Number of lanes.
    const LANES: usize;

    /// The words of all lanes; there are as many as lanes.
    fn load(words: &[Self::Word]) -> Self;

    /// Stores the words of all lanes.
    fn store(self, words: &mut [Self::Word]);

    /// Constant `round` in all lanes.
    fn constant(round: usize) -> Self;

    /// The word of a message with these big-endian bytes.
    fn word(bytes: &[u8]) -> Self::Word;

    /// The words of blocks, one block a lane: there are as many blocks as lanes, one after the other.
    #[inline(always)]
    fn words(blocks: &[u8]) -> [Self; 16] {
        let size = size_of::<Self::Word>();
        let mut rows = [[Self::Word::default(); MOST_LANES]; 16];
        for (lane, block) in blocks.chunks_exact(16 * size).enumerate() {
            for (row, bytes) in rows.iter_mut().zip(block.chunks_exact(size)) {
                row[lane] = Self::word(bytes);
            }
        }
        rows.map(|row| Self::load(&row[..Self::LANES]))
    }

    /// The words of states, one state a lane: as many as lanes.
    #[inline(always)]
    fn load_states(states: &[[Self::Word; 8]]) -> [Self; 8] {
        let mut rows = [[Self::Word::default(); MOST_LANES]; 8];
        for (lane, state) in states.iter().enumerate() {
            for (row, word) in rows.iter_mut().zip(state) {
                row[lane] = *word;
            }
        }
        rows.map(|row| Self::load(&row[..Self::LANES]))
    }

    /// The reverse of [`load_states`](Self::load_states).
    #[inline(always)]
    fn store_states(words: [Self; 8], states: &mut [[Self::Word; 8]]) {
        let mut row = [Self::Word::default(); MOST_LANES];
        for (k, words) in words.into_iter().enumerate() {
            words.store(&mut row[..Self::LANES]);
            for (lane, state) in states.iter_mut().enumerate() {
                state[k] = row[lane];
            }
        }
    }

    fn add(self, y: Self) -> Self;

    /// `Ch(x, y, z)` (FIPS 180-4, section 4.1): y where x has ones, z where it has zeros.
    fn choose(self, y: Self, z: Self) -> Self;

    /// `Maj(x, y, z)`.
    fn majority(self, y: Self, z: Self) -> Self;

    /// The functions with upper-case sigmas, 0 and 1.
    fn upper_sigma_0(self) -> Self;
    fn upper_sigma_1(self) -> Self;

    /// The functions with lower-case sigmas, 0 and 1.
    fn lower_sigma_0(self) -> Self;
    fn lower_sigma_1(self) -> Self;
}

/// Compresses a block into each of the first states, as many as L lanes or all if they are fewer, and returns how many these are
/// (FIPS 180-4, section 6). Blocks lie one after the other. There is at least one state.
#[inline(always)]
pub(super) fn compress<V: Lanes, const L: usize>(
    states: &mut [[V::Word; 8]],
    blocks: &[u8],
) -> usize {
    let block = 16 * size_of::<V::Word>();
    if let Some((states, _)) = states.split_first_chunk_mut::<L>() {
        compress_all::<V>(states, &blocks[..L * block]);
        return L;
    }
    let count = states.len();
    let mut all = [[V::Word::default(); 8]; L];
    all[..count].copy_from_slice(states);
    let mut padded = [0; MOST_BYTES];
    padded[..count * block].copy_from_slice(&blocks[..count * block]);
    compress_all::<V>(&mut all, &padded[..L * block]);
    states.copy_from_slice(&all[..count]);
    count
}

/// [`compress`] for as many states and blocks as lanes.
#[inline(always)]
fn compress_all<V: Lanes>(states: &mut [[V::Word; 8]], blocks: &[u8]) {
    let mut schedule = V::words(blocks);
    let mut start = V::load_states(states);
    let mut state = start;
    for first in (0..V::ROUNDS - 16).step_by(16) {
        rounds::<V, true>(&mut state, &mut schedule, first);
    }
    rounds::<V, false>(&mut state, &mut schedule, V::ROUNDS - 16);
    for k in 0..8 {
        start[k] = start[k].add(state[k]);
    }
    V::store_states(start, states);
}

/// Sixteen rounds from `first` on. With `NEXT` each word of the schedule is followed by the one sixteen rounds later as soon as it
/// has been used.
#[inline(always)]
fn rounds<V: Lanes, const NEXT: bool>(state: &mut [V; 8], schedule: &mut [V; 16], first: usize) {
    /// A round for each index, which the compiler knows: state and schedule are registers then.
    macro_rules! rounds {
        ($($k:literal)*) => {$({
            let [a, b, c, d, e, f, g, h] = *state;
            let known = h.add(V::constant(first + $k)).add(schedule[$k]);
            let t1 = known.add(e.upper_sigma_1()).add(e.choose(f, g));
            let t2 = a.upper_sigma_0().add(a.majority(b, c));
            *state = [t1.add(t2), a, b, c, d.add(t1), e, f, g];
            if NEXT {
                let sum = schedule[$k].add(schedule[($k + 1) % 16].lower_sigma_0());
                let sum = sum.add(schedule[($k + 9) % 16]);
                schedule[$k] = sum.add(schedule[($k + 14) % 16].lower_sigma_1());
            }
        })*};
    }
    rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}
